"""What is proposed for a table whose header does not say how to read it, with lines to paste."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from rankbars.data.notes import list_names, list_words
from rankbars.tables.asides import describes_answers, is_helper, is_summary, likely_scores
from rankbars.tables.cells import parse_number
from rankbars.tables.columns import fold_name, paste_columns
from rankbars.tables.companions import FAILED, RIGHT, STATISTICS, TOTALS, kind_of_statistic
from rankbars.tables.designs import numbers_of_folds
from rankbars.tables.likelyroles import (
    COMPARED,
    MOST_TASKS,
    RATERS,
    likely_roles,
    names_for,
    submitted,
)
from rankbars.tables.metrics import ends_in_loss, is_amount, is_measure, usual_direction
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import LAYOUTS
from rankbars.tables.scoresides import PLACES, ranks_low_first
from rankbars.tables.sidebyside import (
    ask_about_form,
    ask_about_matrix,
    ask_about_models,
    ask_to_score,
    numbers_rows,
    side_of_columns,
)
from rankbars.tables.tableheads import (
    HEAD_ROWS,
    UNNAMED,
    Header,
    corner_names,
)
from rankbars.tables.tablerows import Table

__all__ = [
    "ask_two_ways",
    "ask_undecided",
    "ask_whom_it_is_about",
    "split_values",
    "unnamed_rows",
]


def ask_two_ways(table: Table, header: Header) -> str:
    """The question whether only the score counts, or every column of numbers beside the model."""
    others = ", ".join(repr(name) for name in header.unexplained[:8])
    for name in header.columns:
        if counts := _counted(header, {"score": name}, " --layout tidy", ", layout='tidy'"):
            return f"{table.source}: there is a column of models, and {counts}"
    return (
        f"{table.source}: there is a column of models, one that could be the score, no task and "
        f"no item, and further numbers ({others}). Say how to read it: --layout models-by-tasks "
        "(each of these columns is a task) or --layout tidy (only the score counts)."
    )


def _counted(header: Header, roles: Mapping[str, str], more: str = "", said: str = "") -> str:
    """The line for a score of right answers of so many, such as 12/20; empty for another."""
    from rankbars.tables.decorated import is_count

    cells = header.cells[roles["score"]]
    if not cells or not all(is_count(str(cell)) for cell in cells):
        return ""
    return (
        f"{roles['score']!r} holds counts such as {cells[0]}. If they are right answers of so many "
        f"items, which say how sure a score is: {paste_columns(roles)} --cells count{more} (in "
        f"Python: columns={dict(roles)!r}, cells='count'{said})."
    )


def ask_undecided(table: Table, header: Header) -> str:
    """The question how to read a table whose header does not say it."""
    shown = ", ".join(repr(name) for name in list(header.columns)[:12])
    more = len(header.columns) - 12
    if len(header.columns) == 1 and header.numeric:
        return (
            f"{table.source}: there is one column of numbers, {shown}, and nothing says which row "
            "of one file belongs to which of another. If all files have the same rows in the same "
            "order: --layout tidy --rows items. Otherwise add a column of items."
        )
    if header.binary and header.columns and header.columns[0] in UNNAMED:
        return (
            f"{table.source}: the first column has no name, and all others hold 0 and 1. If rows "
            "are models and columns are questions: --layout models-by-items. If rows are questions "
            "and columns are models: --layout items-by-models; if they are answers of one model: "
            "--layout items-by-trials."
        )
    if (cell := _row_in_place_of_header(header)) is not None:
        return (
            f"{table.source}: the first line ({shown}{f' and {more} more' if more > 0 else ''}) "
            f"seems to be a row, and no header: {cell!r} stands in the same column again. Write a "
            f"line above it that names the columns, such as: {','.join(names_for(header.rows))}."
        )
    said = (
        f"{table.source}: the header does not say how to read the table. Columns: {shown}"
        f"{f' and {more} more' if more > 0 else ''}."
    )
    found = ask_about_form(header) or ask_to_score(table, header)
    found = found or _ask_about_codes(header)
    models = [] if found or numbers_rows(header) else unnamed_rows(header)
    if models:
        return f"{said} {_ask_about_rows(table.source, header, models)}"
    found = found or _ask_about_search(header) or _ask_about_counts(table, header)
    found = found or _ask_about_folds(header) or _propose_board(header)
    found = found or ask_about_models(table, header)
    return f"{said} {found or _ways(table, header)}"


def _row_in_place_of_header(header: Header) -> str | None:
    """A name in the header that stands in its column again, where there are numbers beside it.

    Examples
    --------
    >>> rows = [("302", "AP", 0.24), ("303", "AP", 0.31)]
    >>> _row_in_place_of_header(Header(["301", "AP", "0.33"], rows))
    'AP'
    >>> _row_in_place_of_header(Header(["AP", "0", "1"], [("AP", 0.5, 0.6)])) is None
    True
    """
    numbers = [name for name in header.columns if name and parse_number(name) is not None]
    again = [name for name in header.columns if name and name not in numbers
             and name in map(str, header.cells[name])]  # fmt: skip
    over_numbers = any("." in name or len(numbers) == 1 for name in numbers)
    alike = over_numbers and all(name in header.numbers for name in numbers)
    return again[0] if again and alike else None


def unnamed_rows(header: Header) -> list[str]:
    """Columns of numbers that may all be models, where nothing names the rows; none elsewhere.

    Examples
    --------
    >>> scores = [(0, 0.81, 0.83), (1, 0.79, 0.84)]
    >>> unnamed_rows(Header(["", "ridge", "rf"], scores))
    ['ridge', 'rf']
    >>> unnamed_rows(Header(["", "train_loss", "val_loss"], scores))
    []
    """
    models = [name for name in header.columns if name not in header.row_numbers]
    named = any(is_measure(name) or parse_number(name) is not None for name in models)
    plain = set(models) <= {*header.unexplained} and not named
    return models if len(models) > 1 and plain and header.rows else []


def _ask_about_codes(header: Header) -> str:
    """The line for whole numbers that stand for names: two columns of which each pair occurs once.

    Examples
    --------
    >>> rows = [(m, q, 0.1 * m + 0.01 * q) for m in range(3) for q in range(9)]
    >>> _ask_about_codes(Header(["sys", "doc", "val"], rows)).partition(" (in Python")[0][-55:]
    '--column model=sys --column item=doc --column score=val'
    """
    if len(header.columns) != 3 or not header.numbers.issuperset(header.columns):
        return ""
    whole = [name for name in header.columns
             if all(one is not None and one % 1 == 0 for one in header.read[name])]  # fmt: skip
    sizes = {name: len(set(header.read[name])) for name in whole}
    if len(whole) != 2 or min(sizes.values()) < 2 or not header.is_different(*whole):
        return ""
    if sizes[whole[0]] * sizes[whole[1]] != len(header.rows):
        return ""
    few, many = sorted(whole, key=sizes.__getitem__)
    (score,) = (name for name in header.columns if name not in whole)
    roles = {"model": few, "item": many, "score": score}
    return (
        f"{few!r} and {many!r} hold whole numbers, and each two of them once. If they stand for "
        f"models and for items: {_both(roles)}."
    )


def _ask_about_rows(source: str, header: Header, models: Sequence[str]) -> str:
    """The question what rows without a name are, one line each."""
    rows = len(header.rows)
    many = f"The {rows} rows" if rows < HEAD_ROWS else "Rows"
    numbers = np.array([header.read[name] for name in models], dtype=float)
    lower, because = side_of_columns(source, models, "", numbers)
    shares = not (numbers > 1.0).any()
    side = " --direction lower" if lower else "" if shares else " --direction lower|higher"
    counts = numbers_of_folds(rows) if rows < HEAD_ROWS else []
    repeated = [f"--rows folds --folds {count}{side} ({rows // count} repeats of {count})"
                for count in counts[:-1]]  # fmt: skip
    folds = f"--rows folds{side} (of K folds, repeated: --rows folds --folds K)"
    if repeated:
        folds = f"{', '.join(repeated)} or --rows folds --folds {rows}{side} (one pass)"
    lines = [
        f"folds of one cross-validation, the same for all models: {folds}",
        f"items, such as questions: --rows items{side}",
        f"runs, such as seeds: --rows runs{side}",
    ]
    if rows > _MOST_FOLDS:
        lines = [*lines[1:], lines[0]]
    return (
        f"{many} have no names, and {list_names(models, 4)} seem to be models{because}. If rows "
        f"are {lines[0]}; if {lines[1]}; if {lines[2]}."
    )


_MOST_FOLDS = 100


def _both(roles: Mapping[str, str], *, lower: bool = False) -> str:
    """The line to paste, and what it is in Python."""
    score = roles.get("score", "")
    lower |= fold_name(score) in PLACES or usual_direction(score) == "lower" or ends_in_loss(score)
    side, said = (" --direction lower", ", direction='lower'") if lower else ("", "")
    return f"{paste_columns(roles)}{side} (in Python: columns={dict(roles)!r}{said})"


def ask_whom_it_is_about(roles: Mapping[str, str], rater: str) -> str:
    """The question whether items or those who rated them stand for others of their kind."""
    score, item = roles["score"], roles["item"]
    rest = {role: name for role, name in roles.items() if role not in ("item", "score")}
    about_items = {**rest, "item": item, "epoch": rater, "score": score}
    about_raters = {**rest, "item": rater, "epoch": item, "score": score}
    return (
        f"Each row seems to be what one of {rater!r} gave a model. For statements about further "
        f"items like those of {roles['item']!r}, from the same people: {_both(about_items)}. For "
        f"statements about further people: {_both(about_raters)}."
    )


def _propose_board(header: Header) -> str:
    """The lines for boards of competitions, and for exports with a column for each task."""
    once = [
        name for name in header.columns
        if name not in header.numeric and not is_helper(name) and len(header.rows) > 1
        and header.is_different(name)
    ]  # fmt: skip
    scores = [name for name in header.columns if fold_name(name) == "score"]
    teams = [name for name in once if fold_name(name) in _TEAMS]
    if teams and scores and scores[0] in header.numeric:
        lower = ranks_low_first(header, scores[0]) is not None
        lines = _both({"model": teams[0], "score": scores[0]}, lower=lower)
        return f"If rows are those of teams: {lines}."
    if once and fold_name(once[0]) in RATERS:
        return ""
    tasks = [name for name in header.unexplained if not is_measure(name)]
    once = [name for name in once if not all(is_measure(str(cell)) for cell in header.cells[name])]
    if not once or len(tasks) < _MANY_TASKS or header.has_key or header.has("model"):
        return ""
    return (
        f"{once[0]!r} names each row once. If rows are models, and columns of numbers are tasks: "
        "--layout models-by-tasks; if rows are tasks, and columns are models: --layout "
        "tasks-by-models."
    )


_TEAMS = split_words("teamname team entrant submissionname submitter")
_MANY_TASKS = 5


def _is_known(name: str) -> bool:
    """Whether a name says what is compared, or on what."""
    return fold_name(name) in COMPARED | corner_names("model") | corner_names("task")


def _ask_about_folds(header: Header) -> str:
    """The line for columns of models that have a row for each fold or run of each task."""
    tasks = [name for name in header.columns if fold_name(name) in corner_names("task")]
    models = [name for name in header.unexplained
              if name not in header.keys.values() and not describes_answers(name)]  # fmt: skip
    if not (tasks and header.keys) or len(models) < _FEWEST_MODELS or any(map(is_measure, models)):
        return ""
    return (
        f"{list_names(models, 4)} seem to be models, with rows named by {tasks[0]!r} and "
        f"{next(iter(header.keys.values()))!r}. If so: --layout items-by-models."
    )


_FEWEST_MODELS = 3


def _ask_about_search(header: Header) -> str:
    """What to write in place of the trials of a search for settings; empty where they are none."""
    settings = [name for name in header.columns if name.startswith("params_")]
    if not settings or not header.has("score", weak=True) or header.has("model"):
        return ""
    return (
        f"{settings[0]!r} is a setting of a search, of which each row tries another one once: the "
        "best of many does not stay so good, and no two rows can be told apart. Score the settings "
        "that matter on the same folds or seeds, and write a row per score, with the columns "
        "model, fold (or seed) and score."
    )


def _ways(table: Table, header: Header) -> str:
    """The lines that may read a table."""
    matrix = "a matrix names its rows in the first header cell (model, task or item)"
    tidy = "A tidy table has one row per score and columns such as model, task, item, score"
    layouts = f"give its layout (--layout {'|'.join(LAYOUTS)})"
    if roles := likely_roles(table):
        rater = next((name for name in roles.values() if fold_name(name) in RATERS), None)
        rated = [roles[role] for role in ("item", "task") if role in roles]
        if rater is not None and len(rated) == 2 and len(roles) == 4:
            item = next(name for name in rated if name != rater)
            about = {"model": roles["model"], "item": item, "score": roles["score"]}
            return ask_whom_it_is_about(about, rater)
        if sums := _several_scores(header, roles):
            return f"{sums} Otherwise {layouts}; {matrix}."
        if counts := _counted(header, roles):
            return counts
        usual = usual_direction(roles["score"])
        lower = usual == "lower" or ends_in_loss(roles["score"])
        lower |= usual is None and is_amount(roles["score"])
        side = " --direction lower" if lower else ""
        python = f"columns={roles!r}{', direction=' + repr('lower') if lower else ''}"
        if "run" not in roles and submitted(header):
            side, python = f"{side} --reruns newest", f"{python}, reruns='newest'"
        other = ""
        if "task" in roles and not _is_known(roles["model"]) and not _is_known(roles["task"]):
            swapped = {**roles, "model": roles["task"], "task": roles["model"]}
            other = f" If {roles['task']!r} names what is compared: {_both(swapped)}."
        return (
            f"It seems to have one row per score. If so, name its columns: {paste_columns(roles)}"
            f"{side} (in Python: {python}).{other} Otherwise {layouts}; {matrix}."
        )
    if header.has("score", weak=True) and not (header.has("model", weak=True) or header.has_key):
        return (
            "There is a score and no column that names its rows. If all files have the same rows "
            "in the same order: --layout tidy --rows items. Otherwise add a column of items. "
            f"{tidy}."
        )
    if hint := _name_score(header) or _name_votes(header):
        return f"{tidy}; {matrix}. To read this one, {hint} or {layouts}."
    if square := ask_about_matrix(table, header):
        return square
    if named := _one_row_each(header):
        return (
            f"{tidy}; {matrix}. To read this one, name its columns (if these are they: {named}) or "
            f"{layouts}."
        )
    return f"{tidy}; {matrix}. To read this one, {layouts}."


def _ask_about_counts(table: Table, header: Header) -> str:
    """The line for right answers that are counted beside their total; empty where none are."""
    numbers = [name for name in header.columns if name in header.numeric]
    right = [name for name in numbers if fold_name(name) in RIGHT]
    known = TOTALS | FAILED | STATISTICS["n"]
    totals = [name for name in numbers if fold_name(name) in known]
    if len(right) != 1 or len(totals) != 1:
        return ""
    roles = {role: name for role, name in likely_roles(table).items() if role != "score"}
    if "model" not in roles or not roles.keys() <= {"model", "task"}:
        return ""
    return (
        f"{right[0]!r} seems to count right answers beside {totals[0]!r}. If so, name the other "
        f"columns, and their share is read with its error: {paste_columns(roles)} (in Python: "
        f"columns={roles!r})."
    )


def _several_scores(header: Header, roles: Mapping[str, str]) -> str:
    """The lines where any of several numbers may be the score, and no name says which."""
    rest = {role: name for role, name in roles.items() if role != "score"}
    found = [
        name for name in header.columns
        if name in header.numeric and name not in {*rest.values(), *header.row_numbers}
        and (name == roles["score"] or is_measure(name) or is_amount(name))
        and kind_of_statistic(name) in (None, "mean")
    ]  # fmt: skip
    told = [name for name in found
            if usual_direction(name) == "higher" or fold_name(name) == "score"]  # fmt: skip
    if len(found) < 2 or told or header.outcomes:
        return ""
    return (
        f"It seems to have one row per score, which may be {list_words(map(repr, found), 6)}. Name "
        f"the other columns, and the score by --metric: {paste_columns(rest)} --metric NAME (in "
        f"Python: columns={rest!r}, metric='NAME')."
    )


def _name_score(header: Header) -> str:
    """What to name, where other columns are known."""
    if not (header.has("model") or header.has_key):
        return ""
    free = [name for name in header.columns if name in header.numeric
            and (name in header.unexplained or is_summary(name))]  # fmt: skip
    if header.has("task") and len(free) > 1 and not any(map(is_measure, free)):
        return "say --layout tasks-by-models if each column of numbers is a model,"
    candidate = next(iter(likely_scores(free)), "NAME")
    return f"name the score column ({paste_columns({'score': candidate})})"


# Columns of these names say who won a vote, and are no scores.
_WON = frozenset({"winner", "result", "verdict", "vote", "choice", "preferred", "outcome"})


def _name_votes(header: Header) -> str:
    """The options that name two columns of text and one of who won."""
    text, numbers = _texts_and_numbers(header)
    if len(text) != 2 or len(numbers) != 1 or fold_name(numbers[0]) not in _WON:
        return ""
    named = paste_columns(
        dict(zip(("model_a", "model_b", "winner"), (*text, *numbers), strict=True))
    )
    return f"name its columns (if these are they: {named})"


def _one_row_each(header: Header) -> str:
    """The options that name one or two columns of text and the only one of numbers."""
    text, numbers = _texts_and_numbers(header)
    if not header.rows or not 1 <= len(text) <= 2 or len(numbers) != 1 or not all(header.columns):
        return ""
    different = {name: len(set(map(str, header.cells[name]))) for name in text}
    raters = [name for name in text if fold_name(name) in RATERS]
    items = raters or [name for name in text[1:] if max(different.values()) > MOST_TASKS]
    if items:
        text = sorted(text, key=lambda name: (name in raters, different[name]))
    roles = ("model", "item" if items else "task")[: len(text)]
    return paste_columns(dict(zip((*roles, "score"), (*text, *numbers), strict=True)))


def _texts_and_numbers(header: Header) -> tuple[list[str], list[str]]:
    text = [name for name in header.columns if name not in header.numeric]
    return text, [name for name in header.columns if name in header.numeric]


_SPLITS = frozenset({"train", "training", "test", "testing", "val", "valid", "validation", "dev",
                     "holdout", "heldout", "eval"})  # fmt: skip


def split_values(values: Collection[object]) -> str:
    """The part of a split on which models are compared; empty where values are no parts of one.

    Examples
    --------
    >>> split_values({"train", "test"}), split_values({"test", "easy"}), split_values({"test"})
    ('test', '', '')
    """
    found = sorted(str(one) for one in values if one not in (None, ""))
    if len(found) < 2 or not {fold_name(one) for one in found} <= _SPLITS:
        return ""
    return next((one for one in found if "test" in one.casefold()), found[0])

"""Several rows of one model, and what tells them apart: entries, runs, tasks, items or numbers.

Sizes of a model, its quantisations and its versions are entries, and no answers whose mean counts.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.asides import (
    describes_models,
    is_helper,
    is_rating,
    is_summary,
    likely_scores,
    tells_horizon,
)
from rankbars.tables.columns import fold_name, names_source, paste_columns, role_names
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.likelyroles import COMPARED, MOST_TASKS, RATERS
from rankbars.tables.metrics import is_amount, is_measure, name_words
from rankbars.tables.metricwords import split_words
from rankbars.tables.proposals import ask_whom_it_is_about, split_values
from rankbars.tables.runnames import TIMES, are_times
from rankbars.tables.scoresides import PLACES
from rankbars.tables.tableheads import UNNAMED, Header, corner_names, find_state
from rankbars.tables.tablerows import Table

__all__ = [
    "refuse_crossed", "refuse_entries_of_matrix", "refuse_entries_of_rows", "refuse_numbered",
]  # fmt: skip

# Rows that are looked at, of a matrix and of a table with one row per score.
_MOST_ROWS, _MOST_TIDY_ROWS = 1000, 5000

# Entries of a model, on average: more rows are items.
_MOST_ENTRIES = 12


def refuse_entries_of_matrix(table: Table, model: str, scores: Collection[str]) -> None:
    """Raises `DataError` where a column beside the scores of a matrix tells rows of models apart.

    Text goes before numbers. Amounts that were measured in each row name nothing.
    """
    (models,) = _cells(table, [model], _MOST_ROWS)
    if not len(set(models)) < len(models) <= _MOST_ENTRIES * len(set(models)):
        return
    header = Header.of(table)
    numeric = header.numbers
    skipped = {model, *scores, *UNNAMED, *header.row_numbers}
    names = [
        name for name in table.columns
        if name not in skipped and not is_rating(name)
        and (name not in numeric or not (is_summary(name) or is_amount(name)))
    ]  # fmt: skip
    for name in sorted(names, key=numeric.__contains__):
        pairs = [*zip(*_cells(table, [model, name], _MOST_ROWS), strict=True)]
        if len(set(pairs)) == len(pairs) and not any(one == "" for pair in pairs for one in pair):
            _refuse(table, name, pairs, layout="models-by-tasks")


def refuse_entries_of_rows(
    table: Table, roles: Mapping[str, str], unused: Sequence[str], *, compared: bool = False
) -> None:
    """Raises `DataError` where entries of models have a row each on most tasks of a tidy table.

    If only what is called after what is `compared` may name entries, numbers and texts of other
    names are passed over.
    """
    numeric = Header.of(table).numbers
    others = [roles[one] for one in ("task", "metric") if one in roles]
    for name in unused:
        known = fold_name(name) in COMPARED or (not compared and describes_models(name))
        if fold_name(name) in RATERS or not (known or (name not in numeric and not compared)):
            continue
        models, own, *cells = _cells(table, [roles["model"], name, *others], _MOST_TIDY_ROWS)
        pairs = [*zip(models, own, strict=True)]
        entries, tasks = set(pairs), set(zip(*cells, strict=True))
        once = len(set(zip(models, own, *cells, strict=True))) == len(pairs)
        crossed = len(pairs) >= 2 * len(entries) if len(tasks) > 1 else known
        few = len(set(models)) < len(entries) <= _MOST_ENTRIES * len(set(models))
        if once and crossed and few and not (compared and are_times(own)):
            _refuse(table, name, pairs)


def _cells(table: Table, names: Sequence[str], most: int) -> list[list[str]]:
    """The first cells of columns as text, "" where one is empty."""
    relation = table.relate_columns(names)
    cells = ", ".join(f"coalesce(trim({relation.columns[name][0]}::VARCHAR), '')" for name in names)
    rows = relation.engine.ask(f"SELECT {cells} FROM {relation.clause} ORDER BY place LIMIT {most}")
    return [list(column) for column in zip(*rows, strict=True)] or [[] for _ in names]


def _refuse(
    table: Table, column: str, rows: Sequence[tuple[str, str]], *, layout: str = ""
) -> None:
    """Raises `DataError`: what rows of a model are that a column tells apart.

    Parameters
    ----------
    table : Table
        The table.
    column : str
        What tells them apart.
    rows : sequence of tuple of str
        In each row the model, and the cell of that column.
    layout : str
        Layout that has to be said where columns are named.
    """
    pairs = list(dict.fromkeys(rows))
    models = list(dict.fromkeys(one for one, _ in pairs))
    values = list(dict.fromkeys(one for _, one in pairs))
    several = [one for one in models if sum(one == name for name, _ in pairs) > 1]
    option = f"--layout {layout} " if layout else ""
    said = f"layout={layout!r}, " if layout else ""

    def line(role: str) -> str:
        python = f"(in Python: {said}columns={{{role!r}: {column!r}}})"
        return f"{option}{paste_columns({role: column})} {python}"

    ways = []
    if fold_name(column) in TIMES:
        ways.append("the newest of a model counts: --reruns newest (in Python: reruns='newest')")
    first, value = next(pair for pair in pairs if pair[0] == several[0])
    ways.append(f"each is an entry of its own ('{first} · {value}'): {line('condition')}")
    common = [one for one in values if sum(one == value for _, value in pairs) == len(models)]
    if len(common) == len(values):
        ways.append(f"they are runs of one model: {line('run')}")
    if common:
        number = column in Header.of(table).numbers
        chosen = f"{quote_column(column)} = " + (common[0] if number else f"'{common[0]}'")
        ways.append(f"one of them counts: {paste_condition(chosen)} (in Python: where={chosen!r})")
    if 2 * len(several) >= len(models):
        ways.append(
            "they are answers whose mean counts: --column item= (in Python: columns={'item': ''})"
        )
    raise DataError(
        f"{table.source}: {list_names(several, 3)} {'has' if len(several) == 1 else 'have'} "
        f"several rows, which {column!r} tells apart ({list_names(values, 3)}), and nothing says "
        f"what they are. If {'; if '.join(ways)}."
    )


def refuse_crossed(table: Table, header: Header) -> None:
    """A matrix has one row per model; what crosses models with tasks or folds is no task."""
    known = corner_names("model")
    model = next((name for name in header.columns if fold_name(name) in known), None)
    if model is None or header.is_different(model):
        return
    keys, cells = header.keys, header.cells
    state = find_state(header)
    texts = [
        name for name in header.columns
        if name not in (model, *header.numeric, *keys.values(), *UNNAMED, state)
        and not (is_helper(name) or _SETTINGS & {*name_words(name)})
        and _is_crossed(cells[model], cells[name])
        and not _DATED.match(str(cells[name][0]))
    ]  # fmt: skip
    numbers = [
        name
        for name in header.unexplained
        if name not in keys.values()
        and not tells_horizon(name)
        and any(cell not in (None, "", "-") for cell in cells[name])
    ]
    numbers.sort(key=lambda name: not any((one or 0.0) % 1.0 > 0.0 for one in header.read[name]))
    scores = likely_scores(numbers) or [name for name in numbers if not _ID.search(name)]
    if numbers and not scores and texts:
        raise DataError(_ask_for_score(table.source, header, model, numbers))
    places = [name for name in header.columns if fold_name(name) in PLACES
              and name in header.numeric]  # fmt: skip
    if not scores and len(texts) > 1:  # orders of models, one row for each
        scores = places
    if not scores or not (keys or texts):
        return
    splits = {name: split_values(set(cells[name])) for name in texts}
    parts = [name for name in texts if splits[name]]
    texts = [name for name in texts if name not in parts]
    if len(texts) == 1 and not (keys or parts) and _are_tasks(scores, texts[0]):
        return  # entries of models, which are asked about
    ids = [name for name in numbers if name not in scores]
    raters = [name for name in (*texts, *ids) if fold_name(name) in RATERS]
    rated = [name for name in (*texts, *ids) if name not in raters]
    roles = {"model": model}
    if len(raters) == len(rated) == 1 and not (keys or parts):
        about = {**roles, "item": rated[0], "score": scores[0]}
        raise DataError(f"{table.source}: {ask_whom_it_is_about(about, raters[0])}")
    rows = _name_rows(header, model, texts, ids)
    ahead = next(filter(tells_horizon, header.columns), None)
    if ahead and "task" in rows and header.is_different(model, rows["task"], ahead):
        rows = {"item": rows["task"], "epoch": ahead}
    roles |= rows | {**keys, "score": scores[0]}
    words = f"{next(iter((*texts, *parts, *keys.values())))!r} tells them apart"
    lines = paste_columns(roles)
    if parts:
        chosen = f"{quote_column(parts[0])} = '{splits[parts[0]]}'"
        lines = f"{lines} {paste_condition(chosen)}"
    where = f", where={chosen!r}" if parts else ""
    raise DataError(
        f"{table.source}: {model!r} names models that have several rows, and "
        f"{words}, so this seems to be one row per score. If so, name its columns: {lines} (in "
        f"Python: columns={roles!r}{where}). If each column of numbers is a task: --layout "
        "models-by-tasks."
    )


# How a model was set up names no task.
_SETTINGS = split_words("params parameters hyperparameters hyperparams hparams config")

# What ends so numbers rows, and is never a score.
_ID = re.compile(r"(?i)(?:^|[\W_])(?:id|ids|idx|index|no|nr)$")


def _ask_for_score(source: str, header: Header, model: str, ids: Sequence[str]) -> str:
    """The question what words are worth, where the only numbers are those of rows."""
    worded = [
        name for name in header.columns
        if name != model and name not in header.numeric
        and not names_source(name) and fold_name(name) not in RATERS
    ]  # fmt: skip
    such = f", such as {list_names(worded, 3)}," if worded else ""
    return (
        f"{source}: no column holds a score: {list_names(ids, 4)} number rows, and the others hold "
        f"text. If the words of a column{such} say how good or bad an answer is, say "
        "what each is worth: --column score=NAME and --word WORD=NUMBER for each (in Python: "
        "words={'WORD': NUMBER}); for losses, --direction lower."
    )


def _are_tasks(scores: Sequence[str], beside: str) -> bool:
    """Whether columns of scores are tasks of a matrix, by what stands beside them and the models.

    >>> _are_tasks(["mmlu", "arc"], "quant"), _are_tasks(["UAS", "LAS"], "Language")
    (True, False)
    """
    known = fold_name(beside) in COMPARED or describes_models(beside)
    return len(scores) > (1 if known else 2) and not any(map(is_measure, scores))


def _name_rows(
    header: Header, model: str, texts: Sequence[str], ids: Sequence[str]
) -> dict[str, str]:
    """Roles of the columns that tell the rows of a model apart: tasks, or items and their source.

    A column of text names tasks, unless models have several rows of each of its names: then what
    tells these apart names the items, and it what items come from, or who judged them.
    """

    def apart(*names: str) -> bool:
        return header.is_different(model, *names)

    if not texts:
        return {}
    named = any(map(apart, (*texts[1:], *ids)))  # something names each row by itself
    if names_source(texts[0]) and not named:  # who was sampled
        inner = next(
            (name for name in header.columns if name not in (model, texts[0])
             and apart(name, texts[0]) and not apart(name)), "",
        )  # fmt: skip
        return {"item": texts[0]} | ({"epoch": inner} if inner else {})
    if apart(texts[0]):
        several = len(set(map(str, header.cells[texts[0]]))) > MOST_TASKS
        return {"item" if several else "task": texts[0]}
    for name in (*texts[1:], *ids):
        if apart(name):
            return {"item": name, "cluster": texts[0]}
        if apart(name, texts[0]):
            return (
                {"item": name, "epoch": texts[0]}
                if name in ids
                else {"task": texts[0], "item": name}
            )
    return {"task": texts[0]}


_DATED = re.compile(r"\d{4}-\d\d-\d\d")


def _is_crossed(models: Sequence[object], names: Sequence[object]) -> bool:
    """Whether a column has several names beside one model, and the same beside several models."""
    both = zip(models, names, strict=True)
    pairs = {(str(model), str(name)) for model, name in both if name not in (None, "")}
    return len(pairs) > max(len({model for model, _ in pairs}), len({name for _, name in pairs}))


def refuse_numbered(table: Table, header: Header) -> None:
    """A matrix has one row per model; a column that numbers the rows of one is no task."""
    known = role_names("model")
    model = next((name for name in header.columns if fold_name(name) in known), header.columns[0])
    rows: dict[str, list[int]] = {}
    for number, cell in enumerate(header.cells[model]):
        rows.setdefault(str(cell), []).append(number)
    several = next((one for one in rows.values() if len(one) > 2), None)
    if several is None:
        return
    cells = {name: [own[number] for number in several] for name, own in header.read.items()}
    free = {*header.unexplained, *(n for n in header.columns if fold_name(n) in _NUMBERED)}
    numbering = [name for name, found in cells.items() if name in free and _counts(found)]
    others = [name for name in header.unexplained if name not in numbering]
    # What is set aside as an amount elsewhere is measured here: there is nothing else.
    others = others or [
        name for name, found in cells.items()
        if name not in numbering and name != model and None not in found
    ]  # fmt: skip
    if numbering and others:
        roles = {"item": numbering[0], "score": others[0]}
        if fold_name(model) not in known:
            roles = {"model": model, **roles}
        raise DataError(
            f"{table.source}: {header.cells[model][several[0]]!r} has several rows, and "
            f"{numbering[0]!r} numbers them, so it is no task. If it names the items, and "
            f"{others[0]!r} is the score: {paste_columns(roles)}."
        )


def _counts(cells: Sequence[float | None]) -> bool:
    """Whether numbers go up one by one."""
    known = [cell for cell in cells if cell is not None]
    steps = {later - before for before, later in pairwise(known)}
    return len(known) == len(cells) and steps == {1.0}


# What a column may number that is called so.
_NUMBERED = frozenset({"prompt", "question", "request", "query"})

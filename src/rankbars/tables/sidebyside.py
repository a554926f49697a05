"""Columns of models side by side, below a header that does not say what their rows are.

The message has the line that reads them: as items or as tasks, with the side that is better, with
what repeats the rows, or with the way to score forecasts and answers first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from rankbars.data.notes import list_names
from rankbars.tables.asides import describes_answers, is_helper, tells_horizon
from rankbars.tables.cells import read_number
from rankbars.tables.columnkinds import refuse_predictions
from rankbars.tables.columns import fold_name, paste_columns, role_names
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.likelyroles import COMPARED, RATERS, is_compared, submitted
from rankbars.tables.metrics import ends_in_loss, is_measure, name_words, usual_direction
from rankbars.tables.metricwords import split_words
from rankbars.tables.runnames import are_times
from rankbars.tables.tableheads import TRUTHS, UNNAMED, Header, corner_names
from rankbars.tables.tablerows import Table
from rankbars.tables.words import is_answer

__all__ = [
    "ask_about_form",
    "ask_about_matrix",
    "ask_about_models",
    "ask_to_score",
    "numbers_rows",
    "side_of_columns",
]

# Fewer rows, or fewer models, may be anything.
_ITEMS, _MODELS = 20, 2
# Numbers of models on one row are not so many times as large as those of others.
_APART = 50.0

_PARTS = split_words("train training val valid validation test dev min max std mean median sd se")


def ask_about_models(table: Table, header: Header) -> str:
    """The question what rows are, where columns of numbers seem to be models; else empty."""
    if header.has("model", weak=True) or header.has_key or not header.rows:
        return ""
    behind, header = _plain(header)
    cells = dict(header.cells)
    models = _models(header)
    if len(models) < _MODELS or header.has("score", weak=True):
        return ""
    keys = [name for name in header.columns if name not in models and name
            and (name in header.keys.values()
                 or name not in header.numeric or _is_id(cells[name]) or tells_horizon(name)
                 or header.counts_groups(name))]  # fmt: skip
    metrics = [name for name in keys if fold_name(name) in role_names("metric")]
    where = ""
    if metrics:
        first = str(cells[metrics[0]][0])
        where = f" {paste_condition(f'{quote_column(metrics[0])} = {_quoted(first)}')}"
        keys = [name for name in keys if name not in metrics]
        cells = {name: [cell for cell, metric in zip(own, cells[metrics[0]], strict=True)
                        if str(metric) == first] for name, own in cells.items()}  # fmt: skip
    named = _naming(keys, cells)
    if not named:
        return ""
    if (compared := _whom(header)) is not None:
        return _of_compared(header, compared, models)
    row, *again = named
    lines = _lines(table, row, again, models, cells, metric=first if metrics else "", where=where)
    kinds = f"; {metrics[0]!r} says what was measured, of which one counts" if metrics else ""
    each = f"several rows of each {row!r}" if again else f"a row for each {row!r}"
    lines += "" if metrics else _of_names(named, cells)
    return f"{list_names(models, 4)} seem to be models, with {each}{kinds}. {lines}{behind}"


def _whom(header: Header) -> str | None:
    """The column of text that says by its name what is compared, with several rows of each."""
    texts = (name for name in header.columns if name not in header.numeric)
    return next(
        (name for name in texts
         if (is_compared(name) or (name.endswith("?") and COMPARED & {*name_words(name)}))
         and 1 < len({*map(str, header.cells[name])}) < len(header.rows)), None,
    )  # fmt: skip


def _of_compared(header: Header, compared: str, scores: Sequence[str]) -> str:
    """The lines for columns of scores, several rows of each of what is compared."""
    raters = [name for name in header.columns
              if fold_name(name) in RATERS and header.is_different(compared, name)]  # fmt: skip
    items = {"item": raters[0]} if raters else {}
    roles = {"model": compared, **items, "score": scores[0]}
    line, python = paste_columns(roles), f"columns={roles!r}"
    if submitted(header):
        line, python = f"{line} --reruns newest", f"{python}, reruns='newest'"
    return (
        f"{compared!r} seems to say what is compared, with several rows of each, and "
        f"{list_names(scores, 4)} seem to be scores of it. Choose one. If more is better in it: "
        f"{line} --direction higher. If less is: {line} --direction lower (in Python: {python}, "
        "direction='higher'). If several count, write their mean into a column of its own, and "
        "name that."
    )


def _plain(header: Header) -> tuple[str, Header]:
    """The header without what stands behind values in cells, and what there is to say of that."""
    shown = next((cell for row in header.rows for cell in row if _decoration(cell)), None)
    if shown is None:
        return "", header
    rows = [
        tuple(str(cell).split()[0] if _decoration(cell) else cell for cell in row)
        for row in header.rows
    ]
    said = f" Of cells such as {shown!r}: {_decoration(shown)}"
    return said, Header(header.columns, rows)


def _decoration(cell: object) -> str:
    from rankbars.tables.decorated import describe_decoration

    plain = not isinstance(cell, str) or read_number(cell) is not None
    return "" if plain else describe_decoration(str(cell))


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _models(header: Header) -> list[str]:
    """Columns of numbers that may all be models; empty if one is something else."""
    names = [
        name for name in header.unexplained
        if name not in header.keys.values()
        and not (_is_id(header.cells[name]) and name == header.columns[0])
        and not (header.counts_groups(name) or describes_answers(name))
    ]  # fmt: skip
    words = list(map(name_words, names))
    common = set.intersection(*map(set, words)) if words else set()
    rests = [" ".join(word for word in own if word not in common) for own in words]
    if any(map(is_measure, names)) and not all(rests):
        return []
    plain = not any(is_measure(rest) or rest in _PARTS for rest in rests)
    return names if plain and _are_alike([_numbers(header.cells[name]) for name in names]) else []


def _are_alike(columns: Sequence[np.ndarray]) -> bool:
    """Whether what is usual in columns of numbers is of one size in all."""
    usual = [float(np.median(np.abs(one[~np.isnan(one)]))) if (~np.isnan(one)).any() else 0.0
             for one in columns]  # fmt: skip
    known = [one for one in usual if one > 0.0]
    return bool(columns) and (not known or max(known) <= _APART * min(known))


def _numbers(cells: Sequence[object]) -> np.ndarray:
    return np.array([np.nan if (one := read_number(cell)) is None else one for cell in cells])


def _is_id(cells: Sequence[object]) -> bool:
    """Whether whole numbers go up one by one, or are all different and far from 0 and 1."""
    known = [read_number(cell) for cell in cells]
    if len(known) < 2 or any(one is None or one != one or one % 1.0 for one in known):
        return False
    steps = {two - one for one, two in pairwise(known) if one is not None and two is not None}
    return steps == {1.0} or (len(set(known)) == len(known) and len(known) >= _ITEMS)


def numbers_rows(header: Header) -> bool:
    """Whether the first column has a name, and numbers the rows."""
    first = header.columns[0] if header.columns else ""
    return first not in UNNAMED and _is_id(header.cells[first])


def _naming(keys: Sequence[str], cells: dict[str, list[object]]) -> list[str]:
    """The column that names rows, and a second where only both tell them apart; else empty."""

    def apart(*names: str) -> bool:
        rows = list(zip(*(map(str, cells[name]) for name in names), strict=True))
        return len(set(rows)) == len(rows)

    plain = [name for name in keys if not is_helper(name)]
    for name in (*plain, *keys):
        if apart(name):
            return [name]
    pairs = ((one, two) for one in plain for two in keys if one != two)
    return next(([one, two] for one, two in pairs if apart(one, two)), [])


def _of_names(named: Sequence[str], cells: dict[str, list[object]]) -> str:
    """The line for columns of scores, where both columns that name rows have few names each."""
    few = [len({*map(str, cells[name])}) for name in named]
    times = any(are_times([*map(str, cells[name])]) for name in named)
    if len(named) < 2 or times or max(few) > _FEW_NAMES:
        return ""
    if 2 * few[0] * few[1] < len(cells[named[0]]):
        return ""
    roles = dict(zip(("model", "task"), named, strict=True))
    return (
        f" If {named[0]!r} names what is compared, and these columns are scores, choose one: "
        f"{paste_columns(roles)} --column score=NAME."
    )


_FEW_NAMES = 20


def _lines(
    table: Table, row: str, again: Sequence[str], models: Sequence[str],
    cells: dict[str, list[object]], *, metric: str, where: str,
) -> str:  # fmt: skip
    """The lines that read the models, with the side that is better."""
    numbers = np.stack([_numbers(cells[name]) for name in models])
    id_column = read_number(cells[row][0]) is not None or fold_name(row) in corner_names("epoch")
    roles = {"item": row} if id_column or again else {}
    roles |= {"epoch": again[0]} if again else {}
    columns = f" {paste_columns(roles)}" if roles else ""
    columns += " --runs independent" * any(map(tells_horizon, again))  # these steps, no others
    items = f"--layout items-by-models{columns}{where}"
    side, because = side_of_columns(table.source, models, metric or row, numbers)
    known = numbers[~np.isnan(numbers)]
    open_side = not side and not np.isin(known, (0.0, 1.0)).all()
    lower = f"{items} --direction lower"
    open_side &= not all(usual_direction(name) == "higher" for name in models)
    if open_side:
        said = (
            f"If less is better in them, as in errors: {lower}. If more is: {items} --direction "
            "higher."
        )
    else:
        said = f"If so: {lower if side else items}{because}."
    if fold_name(row) in RATERS:
        said += f" If each {row!r} is what is compared: models-by-items in its place."
    elif not again and numbers.shape[1] <= _FEW_TASKS and not id_column:
        other = f" If each {row!r} is a task, such as a data set: tasks-by-models in its place."
        if numbers.shape[1] < _ITEMS:
            said = said.replace("--layout items-by-models", "--layout tasks-by-models")
            other = (
                f" If each {row!r} is an item, such as a question: items-by-models in its place."
            )
        said += other
        said += f" If {row!r} names models, and columns are tasks: --layout models-by-tasks{where}."
    elif not again and not metric:
        score = f"{paste_columns({'item': row})} --column score=NAME"
        said += f" If one column is the score of one model: {score}."
    return said


_FEW_TASKS = 60


def side_of_columns(
    source: str, models: Sequence[str], metric: str, numbers: np.ndarray
) -> tuple[str, str]:
    """Whether lower is better in columns of models, and what says so; empty where nothing does.

    Parameters
    ----------
    source : str
        The file.
    models : sequence of str
        The columns.
    metric : str
        What may be a metric.
    numbers : array of float, shape (models, rows)
        What they hold.
    """
    if _are_places(numbers):
        return "lower", f" (rows hold places, 1 to {len(models)}, and 1 is the best)"
    times = name_words(metric)[-1:] == ("time",)  # when, and not how long
    if metric and not times and (usual_direction(metric) == "lower" or ends_in_loss(metric)):
        return "lower", f" (lower is better in {metric!r})"
    if all(usual_direction(name) == "lower" or ends_in_loss(name) for name in models):
        return "lower", ""
    return _side_of_file(source)


def _are_places(numbers: np.ndarray) -> bool:
    """Whether each row orders three models or more, from 1 on; those that tie may share places.

    Examples
    --------
    >>> _are_places(np.array([[1, 2.5], [2, 2.5], [3, 1]])), _are_places(np.full((3, 2), 2.0))
    (True, False)
    """
    size = len(numbers)
    sums = numbers.sum(axis=0) == size * (size + 1) / 2
    ends = bool((numbers >= 1).all() and (numbers <= size).all() and (numbers == 1).any())
    return size > 2 and ends and bool(sums.all())


def _side_of_file(source: str) -> tuple[str, str]:
    """Whether a file is called after a loss, and after which; empty if it is called after none."""
    for word in reversed(name_words(Path(source).stem)):
        if usual_direction(word) == "lower" or ends_in_loss(word):
            return "lower", f" (lower is better in {word!r}, after which the file is called)"
    return "", ""


def ask_to_score(table: Table, header: Header) -> str:
    """The way from forecasts or answers beside right ones to scores; empty where there are none.

    Raises
    ------
    DataError
        If labels, probabilities of them or numbers stand beside right ones, a row for each.
    """
    cells = header.cells
    truth = next((name for name in header.columns if fold_name(name) in TRUTHS), None)
    if truth is None and "y" in header.columns:
        others = [name for name in header.unexplained if name != "y"]
        truth = "y" if others and all(len(name) > 1 for name in others) else None
    if truth is None:
        return ""
    if truth not in header.numeric:
        return _score_labels(truth, header)
    models = [name for name in header.unexplained
              if name != truth and not (_is_id(cells[name]) or is_helper(name))
              and not _ENDS.fullmatch(name)]  # fmt: skip
    right = _numbers(cells[truth])
    read = {name: _numbers(cells[name]) for name in models}
    if len(models) < 1 or any(map(is_measure, models)):
        return ""
    keys = [name for name in header.columns if name not in header.numeric and name
            and not is_helper(name)]  # fmt: skip
    fractions = bool((right[~np.isnan(right)] % 1.0).any())
    group = next((name for name in keys if len({*map(str, cells[name])}) < len(right)), None)
    if not fractions or group is None or not _are_alike([right, *read.values()]):
        if len(models) > 1:
            refuse_predictions(table.source, truth, right, read, never_model=True)
        return ""
    return (
        f"{truth!r} holds right answers by its name, and {list_names(models, 4)} seem to be "
        f"forecasts of them, and no scores, with several rows of each {group!r}. For the mean "
        f"absolute error of each {group!r}, in pandas: frame[{models!r}].sub(frame[{truth!r}], "
        f"axis=0).abs().groupby(frame[{group!r}]).mean().to_csv('errors.csv'). Read that with "
        f"--layout items-by-models --direction lower."
    )


# The ends of intervals of forecasts, with their level behind.
_ENDS = re.compile(r"(?i).+[-_ ](?:lo|hi|low|high|lower|upper)[-_ ]\d+(?:\.\d+)?")


def _score_labels(truth: str, header: Header) -> str:
    """The way from labels that models gave, beside right ones, to right and wrong."""
    cells = header.cells
    labels = {str(cell) for cell in cells[truth]}
    models = [
        name for name in header.columns
        if name != truth and name not in header.numeric and len(labels) < len(cells[truth])
        and {str(cell) for cell in cells[name]} <= labels
    ]  # fmt: skip
    if not models:
        return ""
    rest = next((name for name in header.columns if name not in (truth, *models)), None)
    index = f".set_index(frame[{rest!r}])" if rest else ""
    return (
        f"{truth!r} holds right answers, and {list_names(models, 4)} what models answered. Score "
        f"them first, in pandas: frame[{models!r}].eq(frame[{truth!r}], axis=0).astype(int)"
        f"{index}.to_csv('right.csv'). Read that with --layout items-by-models."
    )


def ask_about_matrix(table: Table, header: Header) -> str:
    """The lines for a matrix whose first column names its rows, where columns may be anything."""
    first, *others = header.columns
    scores = [name for name in others if name in header.numeric and not is_helper(name)]
    if len(scores) < 2 or not first or not header.is_different(first):
        return ""
    lower, said = _side_of_file(table.source)
    side = " --direction lower" if lower else ""
    ways = {
        "items-by-models": f"{first!r} names items and the other columns are models",
        "tasks-by-models": f"{first!r} names tasks and the other columns are models",
        "models-by-tasks": f"{first!r} names models and the other columns are tasks",
    }
    if not (header.binary or first in header.numeric):
        ways = {name: ways[name] for name in ["tasks-by-models", "models-by-tasks", *ways]}
    lines = "; ".join(
        f"if {when}, --layout {name} {paste_columns({name.partition('s-by-')[0]: first})}{side}"
        for name, when in ways.items()
    )
    return f"{lines[0].upper()}{lines[1:]}{said}."


# How forms say that nobody won, beside the words of votes.
_NOBODY = re.compile(r"(?i)(?:both|equal|tie|same|neither|none|no (?:pref|diff)|about the same)")


def ask_about_form(header: Header) -> str:
    """The way from the answers of a form, which name one of two models, to votes."""
    answers: dict[str, set[str]] = {}
    for name, own in header.cells.items():
        cells = {str(cell).strip() for cell in own if cell not in (None, "")}
        if name not in header.numeric and 2 <= len(cells) <= _MOST_ANSWERS and _ASKS.search(name):
            answers[name] = cells
    every = set().union(*answers.values())
    nobody = sorted(cell for cell in every if _NOBODY.match(cell))
    sides = sorted(every - {*nobody})
    if (
        len(sides) != 2
        or all(map(is_answer, sides))
        or not len(every) <= _MOST_ANSWERS
        or len(header.rows) < _FEWEST_VOTES
    ):
        return ""
    words = {cell: "bothbad" if _NEITHER.match(cell) else "tie" for cell in nobody}
    names = list(answers)
    frame, column = "frame", names[0]
    if len(names) > 1:
        rest = [name for name in header.columns if name not in names]
        frame, column = f"frame.melt({rest!r}, {names!r}, 'prompt', 'answer')", "answer"
    renamed = f"{frame}.rename(columns={{{column!r}: 'winner'}})"
    replaced = f".replace({{'winner': {words!r}}})" if words else ""
    return (
        f"{list_names(names, 2)} holds {list_names(sorted(every), 4)}, as a form does that asks "
        f"which of two models is better. Make votes of it, in pandas: {renamed}{replaced}"
        f".assign(model_a={sides[0]!r}, model_b={sides[1]!r}).to_csv('votes.csv', index=False)."
    )


_MOST_ANSWERS, _FEWEST_VOTES = 6, 5
_ASKS = re.compile(r"(?i)\?|\b(?:which|better|best|prefer\w*|winner|choice|choose|vote)\b")
_NEITHER = re.compile(r"(?i)neither|none|both (?:are )?(?:bad|poor|wrong)")

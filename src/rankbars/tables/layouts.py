"""How a table is laid out: one row per score, or a matrix, and in which direction.

The header decides. It is never decided by which side is longer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.asides import (
    are_settings,
    is_helper,
    is_never_score,
    is_summary,
)
from rankbars.tables.cells import read_number
from rankbars.tables.columns import (
    ITEM_NUMBERS,
    check_header,
    cross_validated,
    find_columns,
    find_segments,
    fold_name,
    paste_columns,
    paste_metrics,
    role_names,
)
from rankbars.tables.designs import refuse_fold_columns
from rankbars.tables.entries import refuse_crossed, refuse_numbered
from rankbars.tables.likelyroles import likely_roles, refuse_lists
from rankbars.tables.measuredcolumns import (
    refuse_crossed_names,
    refuse_measured,
    refuse_measures,
    refuse_records,
    refuse_systems,
    refuse_unnamed_models,
)
from rankbars.tables.metrics import ends_in_loss, is_measure, usual_direction
from rankbars.tables.metricwords import split_words
from rankbars.tables.modelcolumns import refuse_answers, refuse_score
from rankbars.tables.proposals import ask_two_ways, ask_undecided, unnamed_rows
from rankbars.tables.runnames import (
    answer_role,
    are_times,
    is_series,
    names_run,
    numbers_steps,
    refuse_times,
    split_run,
)
from rankbars.tables.tableheads import (
    CORNERS,
    FOLD_CORNERS,
    UNNAMED,
    Header,
    corner_names,
    find_match_sides,
    is_binary,
    names_items,
)
from rankbars.tables.tablerows import Table
from rankbars.tables.traininglogs import refuse_steps
from rankbars.tables.votes.votecolumns import find_sides

__all__ = ["Layout", "find_answers", "find_layout"]

_NUMBERED_FOLD = re.compile(r"(?:(?:cv|fold|split|resample)[-_ ]?)?\d+", re.I)

# Why a matrix without a name above its first column is read so.
_UNNAMED_ROWS = "the first column has no name and names the rows"
_UNNAMED_ITEMS = "the first column has no name, and many rows hold 0 and 1"

# Rows of 0 and 1 are items where there are at least so many, and so many times the columns.
_FEWEST_ITEMS, _TIMES_MODELS = 20, 5

# So many columns of 0 and 1 under the names of models are answers: shares of right answers are
# not 0 or 1 for every model on so many tasks.
_FEWEST_ANSWERS = 8


class Layout(NamedTuple):
    """Name of a layout, one of `LAYOUTS`, and how it was recognised."""

    name: str
    reason: str


def find_layout(
    table: Table, declared: str | None, named: Mapping[str, str], *, rows: str | None = None
) -> Layout:
    """Layout of a table.

    Parameters
    ----------
    table : Table
        The table.
    declared : str or None
        Layout that the caller declared.
    named : mapping from str to str
        Columns that the caller named, by role; naming one says that the table is tidy, unless what
        is named stands beside columns of models.
    rows : str, optional
        What rows are, where the caller says it; then models need nothing beside them.

    Raises
    ------
    DataError
        If the header does not say how to read the table, or names a column twice.
    """
    _check_one_header_row(table)
    header = Header.of(table)
    _refuse_statistics(table, header)
    header = _without_summaries(header)
    refuse_lists(table, header, named.values())
    if declared is not None:
        if declared.startswith("models-by"):
            refuse_steps(table, header)
        return Layout(declared, "declared")
    if any(named.values()):
        return _beside_named(table, header, named) or Layout("tidy", "columns were named")
    tested = cross_validated(header.columns)
    if len(tested) > 1:
        raise DataError(
            f"{table.source}: this is what cross_validate of scikit-learn returns, a row for each "
            f"fold, by several metrics. {paste_metrics(tested)}"
        )
    if tested:
        return Layout("tidy", "rows are folds, as cross_validate of scikit-learn returns them")
    if {*header.columns} >= _BACKTEST:
        return Layout("tidy", "rows are windows of a backtest, as evaluate of sktime returns them")
    refuse_records(table, header)
    refuse_answers(table, header)
    sides = find_sides(header.columns) or find_match_sides(header)
    if sides is not None and not {*sides[:2]} <= header.numeric:
        raise DataError(
            f"{table.source}: this is a table of pairwise votes (a row compares two models), not "
            "of scores."
        )
    refuse_measured(table, header)
    refuse_unnamed_models(table, header)
    asked = header.outcomes and not header.has("score", weak=True)
    roles = likely_roles(table) if asked else {}
    if len(roles) > 2 and roles["score"] in header.outcomes:
        raise DataError(ask_undecided(table, header))
    layout = (
        _trials(table, header) or _tidy(table, header) or _matrix(table, header)
        or _unlabelled(header) or _unnamed_items(table, header) or _one_score(header)
    )  # fmt: skip
    if layout is None and rows is not None and unnamed_rows(header):
        return Layout("items-by-models", f"rows are {rows}, and columns are models")
    if layout is None:
        refuse_steps(table, header)
        raise DataError(ask_undecided(table, header))
    return layout


def _beside_named(table: Table, header: Header, named: Mapping[str, str]) -> Layout | None:
    """Items by models, where what is named says more of items, and nothing is called a score."""
    roles = {role for role, name in named.items() if name}
    others = [name for name in header.unexplained if name not in named.values()]
    if not roles <= _OF_ITEMS or len(others) < 2 or header.has("score", weak=True):
        return None
    if any(map(is_measure, others)) or _tidy(table, header) is not None:
        return None
    found = _matrix(table, header)
    return found if found is not None and found.name == "items-by-models" else None


_BACKTEST = frozenset({"fit_time", "pred_time", "cutoff"})
_OF_ITEMS = frozenset({"task", "item", "cluster", "weight"})


def _without_summaries(header: Header) -> Header:
    """The header without summaries below, where a column without a name numbers the others."""
    if not header.columns or header.columns[0] not in UNNAMED:
        return header
    rest = [row for row in header.rows if not is_summary(str(row[0]))]
    numbered = all(read_number(row[0]) is not None for row in rest)
    return Header(header.columns, rest) if rest and numbered else header


def _refuse_statistics(table: Table, header: Header) -> None:
    """Raises `DataError` for what pandas and scikit-learn say about scores, in place of them."""
    if {str(row[0]) for row in header.rows} >= {"count", "mean", "std", "min", "max"}:
        raise DataError(
            f"{table.source}: the rows are statistics of scores (count, mean, std, as describe() "
            "of pandas has them), not scores. Give the scores themselves: frame.to_csv(...)."
        )
    refuse_fold_columns(table.source, table.columns, {*table.columns} - header.numbers)


def find_answers(header: Header) -> tuple[str, ...]:
    """Columns of a matrix of models that are answers to items; none where any column is not.

    Examples
    --------
    >>> names = ["model", *(f"q{n}" for n in range(9)), "Average"]
    >>> rows = [("ash", *[1, 0, 1] * 3, 0.67), ("birch", *[0, 0, 1] * 3, 0.33)]
    >>> len(find_answers(Header(names, rows)))
    9
    >>> find_answers(Header(names, [("ash", 0.5, *[1] * 8, 0.94)]))
    ()
    """
    if not header.rows or header.folded.isdisjoint(role_names("model") | CORNERS["model"]):
        return ()
    found = tuple(
        name for name in header.columns
        if name in header.numbers - header.row_numbers and not (is_helper(name) or is_summary(name))
    )  # fmt: skip
    answers = len(found) >= _FEWEST_ANSWERS and all(is_binary(header.read[name]) for name in found)
    return found if answers else ()


def _trials(table: Table, header: Header) -> Layout | None:
    """Columns of numbers that are called after trials, samples or seeds: answers of one model."""
    names = [
        name for name in header.columns
        if name in header.numeric - header.row_numbers
        and not (is_summary(name) or is_helper(name))
        and fold_name(name) not in corner_names("item")
    ]  # fmt: skip
    if header.has("score") or (header.has("model") and not header.has("item", weak=True)):
        return None
    if answer_role(names) is not None:
        return Layout("items-by-trials", f"{names[0]!r} and others number answers")
    if len(names) > 1 and all(map(_MAY_BE_RATERS.fullmatch, names)):
        raise DataError(
            f"{table.source}: {list_names(names, 3)} are raters by their names, so each row seems "
            "to hold what several people gave one answer. If these are answers of one model: "
            "--layout items-by-trials. If rows are what is ranked, such as entries of a "
            "competition: --layout models-by-items. If each rater is a model that is ranked: "
            "--layout items-by-models."
        )
    unclear = len(names) > 1 and all(map(_MAY_BE_TRIALS.fullmatch, names))
    if unclear and not header.has("model") and fold_name(header.corner) in corner_names("item"):
        raise DataError(
            f"{table.source}: {list_names(names, 3)} may number answers of one model, or be "
            "models. If each column holds a further answer to every item: --layout "
            "items-by-trials. If each is a model: --layout items-by-models."
        )
    return None


_MAY_BE_RATERS = re.compile(
    r"(?:rater|annotator|reviewer|evaluator|coder|listener|judge|juror|panelist|assessor|expert)"
    r"[-_ ]?\d+", re.I,
)  # fmt: skip
_MAY_BE_TRIALS = re.compile(r"(?:(?:epoch|iter|iteration|step)[-_ ]?)?\d+", re.I)


def _tidy(table: Table, header: Header) -> Layout | None:
    numbered = any(fold_name(name) in ITEM_NUMBERS for name in header.numeric)
    segments = find_segments(table.columns).values()
    item = header.has("item", weak=True) or numbered or bool(segments)
    has_key = header.has_key or (item and any(map(numbers_steps, header.numeric)))
    others = [name for name in header.unexplained if fold_name(name) not in ITEM_NUMBERS]
    others = [name for name in others if name not in segments]
    if item and header.has("score", weak=True):
        others = [name for name in others if not _tells_results(name)]
    if not header.has("score", weak=True):
        rates = [
            name for name in header.columns
            if name in header.numeric and (usual_direction(name) or ends_in_loss(name))
        ]  # fmt: skip
        rates_only = set(others) <= set(rates)
        # An id beside one column that is called after a metric: a file of one model.
        one = len(rates) == 1 and item
        if not ((has_key or one) and rates and (header.has("model") or rates_only)):
            return None
        if item and not header.has("model"):
            refuse_systems(table, rates)
    elif not has_key and (others if item else header.unexplained) and header.has("model"):
        raise DataError(ask_two_ways(table, header))
    elif not (has_key or header.has("model", weak=True) or item) or (others and not has_key):
        return None
    texts = frozenset(table.columns) - Header.of(table).numbers
    found = find_columns(table.columns, {}, source=table.source, texts=texts)
    return Layout("tidy", f"columns {found.describe()}")


def _repeats_models(header: Header) -> bool:
    """Whether models have several rows each, as beside days, and not one for all tasks."""
    named = next((name for name in header.columns if fold_name(name) in role_names("model")), None)
    cells = [] if named is None else [str(cell) for cell in header.cells[named]]
    return 0 < 2 * len({*cells}) <= len(cells)


# What is said of one answer beside its score, which no model is called.
_RESULTS = split_words("""
    expected actual output valid timeout timedout flaky skipped retried retries error errors cached
    truncated refused refusal parsed matched completed finished
""")
_RESULT = re.compile(r"(?:[Ii]s|[Hh]as|[Ee]xpected)(?:[-_ ]\w|[A-Z])\w*")


def _tells_results(name: str) -> bool:
    """Whether a column beside a score says more of the same answer.

    >>> [_tells_results(name) for name in ("is_valid_json", "IsRetry", "actual", "gpt-4")]
    [True, True, True, False]
    """
    return fold_name(name) in _RESULTS or _RESULT.fullmatch(name) is not None


def _matrix(table: Table, header: Header) -> Layout | None:
    corner = fold_name(header.corner)
    reason = f"the first header cell is {header.corner!r}"
    others = header.columns[list(header.columns).index(header.corner) + 1 :]
    if corner in FOLD_CORNERS and all(_NUMBERED_FOLD.fullmatch(name) for name in others):
        return Layout("tasks-by-folds", reason)
    if are_settings(header.numeric):
        return None
    beside = header.has("ci_low") or header.has("ci_high")
    if header.has("model") and (header.has_key or (beside and header.unexplained)):
        return None  # a tidy table whose score column is not recognised
    keys = header.keys
    numbered = header.corner in keys.values() or (keys and corner in corner_names("task"))
    beside_keys = [name for name in header.unexplained if name not in keys.values()]
    if numbered and not header.has("model") and len(beside_keys) > 1:
        _refuse_named_runs(table, header)
        refuse_measures(table, header, keys.values())
        return Layout("items-by-models", f"{next(iter(keys.values()))!r} numbers the rows")
    texts = [name for name in others if name not in header.numeric]
    if keys and len(beside_keys) == 1 and texts and not header.has("model"):
        return None  # a row per score: one column of numbers, others say of what
    if header.has("model") or corner in corner_names("model"):
        if find_answers(header):
            return Layout(
                "models-by-items", "there is a column of models, and all others hold 0 and 1"
            )
        return _of_models(table, header)
    _ask_about_series(table, header, others)
    if corner in corner_names("task"):
        items = next((name for name in others if names_items(name)), None)
        if items is not None and not header.is_different(header.corner):
            refuse_measures(table, header, [items])
            return Layout("items-by-models", f"{items!r} names the rows within {header.corner!r}")
        return Layout("tasks-by-models", reason)
    if corner in corner_names("item") or (corner == "test" and header.binary):
        refuse_measures(table, header)
        refuse_score(table, header)
        return Layout("items-by-models", reason)
    if _is_pivot(header) and not are_times([str(row[0]) for row in header.rows]):
        _refuse_numbered_columns(table, header)
        refuse_crossed_names(table, header)
        _refuse_rows_like_tasks(table, header)
        return Layout("models-by-tasks", _UNNAMED_ROWS)
    return None


def _of_models(table: Table, header: Header) -> Layout:
    """The layout below a column of models, where nothing is called a score or an item."""
    _refuse_runs(table, header)
    _refuse_numbered_columns(table, header)
    times = [name for name in header.unexplained if not is_summary(name)]
    pair = [header.corner, *times[-1:]]
    keep = f"a file of two columns (in pandas: frame[{pair!r}])"
    refuse_times(table.source, times, keep, "--layout models-by-tasks")
    refuse_crossed(table, header)
    refuse_numbered(table, header)
    if len(times) == 1 and is_measure(times[0]) and _repeats_models(header):
        return Layout("tidy", f"{times[0]!r} has several rows of each model")
    return Layout("models-by-tasks", "there is a column of models and none of scores")


def _ask_about_series(table: Table, header: Header, others: Sequence[str]) -> None:
    """The scores of a series that pandas wrote are called 0, and are no model."""
    if [name for name in others if name in header.numeric] != ["0"]:
        return
    roles = likely_roles(table)
    if "model" in roles and roles["score"] == "0":
        raise DataError(
            f"{table.source}: the column '0' seems to hold the scores of a series that pandas "
            f"wrote. If so, name its columns: {paste_columns(roles)} (in Python: "
            f"columns={roles!r})."
        )


def _refuse_named_runs(table: Table, header: Header) -> None:
    """Runs that are called by words may be models, and what stands beside them tasks."""
    if header.keys.get("run") != header.corner:
        return
    names = [str(cell) for cell in header.cells[header.corner] if not is_summary(str(cell))]
    words = [name for name in names if not re.search(r"\d", name)]
    if len(words) < 2 or 2 * len(words) < len(names) or len(set(names)) < len(names):
        return
    raise DataError(
        f"{table.source}: {header.corner!r} has names without a number ({list_names(words, 3)}), "
        "so its rows may be models that were trained in other ways, or runs of the models in the "
        "header. If rows are models, and each column is a task: --layout models-by-tasks. If "
        "columns are models: --layout items-by-models."
    )


def _refuse_runs(table: Table, header: Header) -> None:
    """Columns that are called after runs or folds are no tasks."""
    scores = [name for name in header.unexplained if not (is_summary(name) or is_never_score(name))]
    folds = [name for name in scores if _NUMBERED_FOLD.fullmatch(name) and not name.isdigit()]
    what = "fold" if len(folds) == len(scores) else "run"
    most = len(scores) // 2
    if what == "run":
        scores = [name for name in scores if names_run(name) or split_run(name)[1]]
    stems = {split_run(name)[0] for name in scores if split_run(name)[1]}
    if len(stems) > 1 and len(scores) > max(1, most):
        raise DataError(
            f"{table.source}: {list_names(scores, 3)} look like runs of several tasks "
            f"({list_names(sorted(stems), 3)}), and a matrix has a column for each task. Write one "
            "row per score, with the columns model, task, run and score. If they are tasks: "
            "--layout models-by-tasks."
        )
    if len(scores) > max(1, most):
        shown = ", ".join(map(repr, scores[:3]))
        raise DataError(
            f"{table.source}: {shown} look like {what}s of one task, and a matrix has a column for "
            f"each task. Write one row per score, with the columns model, {what} and score, and no "
            f"mean of them (in pandas: frame.melt({header.corner!r}, {scores!r}, {what!r}, "
            "'score')). If they are tasks: --layout models-by-tasks."
        )


def _refuse_numbered_columns(table: Table, header: Header) -> None:
    """Columns that are numbered in turn are folds, runs or items of one task, and no tasks."""
    names = [name for name in header.unexplained if not is_summary(name)]
    if len(names) < _FEWEST_NUMBERED or not all(map(str.isdecimal, names)):
        return
    first, *_, last = names
    if first not in ("0", "1") or [*map(int, names)] != [*range(int(first), int(last) + 1)]:
        return
    models = "" if header.corner in UNNAMED else f".set_index({header.corner!r})"
    raise DataError(
        f"{table.source}: the columns {first!r} to {last!r} are numbered in turn, as folds, runs "
        "or items of one task are, and a matrix has a column for each task. Turn it, in pandas: "
        f"frame{models}.T.to_csv('turned.csv'). Read that with --rows KIND: folds, runs or items. "
        "If each column is a task: --layout models-by-tasks."
    )


_FEWEST_NUMBERED = 3


def _refuse_rows_like_tasks(table: Table, header: Header) -> None:
    """Rows under no name that differ far more than the columns do may be data sets.

    Tasks are easy or hard, and models more alike. Where a column is called after a metric, or says
    more of a model, rows are models.
    """
    first, *others = header.columns
    if any(is_measure(name) or is_helper(name) or is_summary(name) for name in others):
        return
    rows = [at for at, cell in enumerate(header.cells[first]) if not is_summary(str(cell))]
    values = np.array([header.read[name] for name in others], dtype=float)[:, rows]
    values = values[:, ~np.isnan(values).any(axis=0)]
    if min(values.shape) < 2 or values.shape[1] < _FEWEST_ROWS:
        return
    apart, alike = values.mean(axis=0).var(ddof=1), values.mean(axis=1).var(ddof=1)
    if apart <= _FURTHER * alike:
        return
    names = [str(header.cells[first][at]) for at in rows]
    raise DataError(
        f"{table.source}: the first column has no name, and its rows ({list_names(names, 2)}) "
        f"differ far more than the columns ({list_names(others, 2)}), as tasks differ more than "
        "models. If rows are tasks, such as data sets, and columns are models: --layout "
        "tasks-by-models; if rows are items of one task: --layout items-by-models. If rows are "
        "models: --layout models-by-tasks (in Python: layout='models-by-tasks')."
    )


# Rows that show whether they are like tasks, and how much larger their variance is then than that
# of columns.
_FEWEST_ROWS, _FURTHER = 5, 8.0


def _is_pivot(header: Header) -> bool:
    """Whether the first column has no name and names its rows, and all others are numbers.

    But for those that describe a model, such as its licence.
    """
    first, *others = header.columns
    scores = {name for name in others if not is_helper(name)}
    numbers = bool(scores) and scores <= header.numeric and not header.binary
    return first in UNNAMED and first not in header.numeric and numbers


def _unlabelled(header: Header) -> Layout | None:
    if header.zero_one and len(header.columns) > 1:
        return Layout("items-by-models", "there is no text column and all values are 0 or 1")
    return None


def _unnamed_items(table: Table, header: Header) -> Layout | None:
    """Rows without a name above them are items where they are 0 and 1, and many."""
    first, *models = header.columns
    if first not in UNNAMED or not models or not header.binary:
        return None
    folded = {fold_name(name) for name in models}
    if any(is_series(name, folded) for name in folded):
        return None  # q1, q2, q3 may be items as well as models
    fewest = max(_FEWEST_ITEMS, _TIMES_MODELS * len(models))
    enough = len(table.head(fewest)) == fewest
    return Layout("items-by-models", _UNNAMED_ITEMS) if enough else None


def _one_score(header: Header) -> Layout | None:
    """One number under the name of a metric is the score of the file."""
    if (
        len(header.rows) == 1
        and len(header.columns) == 1
        and header.numeric
        and is_measure(header.corner)
    ):
        return Layout("tidy", f"one score, {header.corner!r}")
    return None


def _check_one_header_row(table: Table) -> None:
    if not table.columns:
        raise DataError(f"{table.source}: there is no column. Expected a header and rows of data.")
    try:
        check_header(table.columns, table.source)
    except DataError as error:
        head = table.head(2)
        cells = [cell for cell in head[0] if cell not in (None, "")] if head else []
        if not cells or any(read_number(cell) is not None for cell in cells):
            if len(set(table.columns)) > len(table.columns) // 2:
                raise
            raise DataError(
                f"{error} If pandas wrote columns of several levels, hand over the frame, or write "
                "one row per score: frame.stack(list(range(frame.columns.nlevels)))"
                ".rename('score').reset_index()."
            ) from error
        shown = "; ".join(
            ", ".join(str(cell) for cell in row[:6]) for row in (table.columns, *head)
        )
        raise DataError(
            f"{error} The next row holds no number either, so the table seems to have several "
            f"header rows. First cells: {shown}. Join them into one row of names."
        ) from error

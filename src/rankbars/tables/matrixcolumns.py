"""What each column of a matrix holds: scores, their errors, counts, names of rows, descriptions."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.asides import (
    describes_answers,
    describes_models,
    is_attribute,
    is_helper,
    is_mean_of_losses,
    is_mean_of_metric,
    is_mean_of_some,
    is_rating,
    is_summary,
    other_kinds,
)
from rankbars.tables.cells import WORDS, NumberColumn, Unread, merge_columns, read_number
from rankbars.tables.columns import fold_name, paste_metrics, paste_names, role_names
from rankbars.tables.companions import (
    beside_a_mean,
    counts_of,
    errors_of,
    lonely_errors,
    of_training,
    ranks_of,
    spread_columns,
)
from rankbars.tables.matrixkeys import TASK_LABELS, TASK_NUMBERS, RowKeys
from rankbars.tables.metrics import ends_in_loss, stated_direction, usual_direction, without_metric
from rankbars.tables.metricwords import CORPORA
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.scoresides import refuse_low_first
from rankbars.tables.tableheads import Header, corner_names, names_items
from rankbars.tables.tablerows import Table
from rankbars.tables.tasktwice import columns_left_aside
from rankbars.tables.words import are_yes_or_no, ask_about_words

__all__ = [
    "MOST_ROWS", "MatrixColumns", "describes_rows", "numeric_columns",
    "refuse_decorated", "survey_columns",
]  # fmt: skip

# Dates are no scores, whatever their column is called.
_DATE = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{2,4}|\d{4}-\d{2}$")

# How large a model is: 70B, 8x7B, 12 GB.
_SIZE = re.compile(r"\d[\d.,]*(?:x\d[\d.,]*)?\s*(?:[kmbt]|bn|[kmgt]i?b)", re.IGNORECASE)


class MatrixColumns(NamedTuple):
    """The columns of a matrix by what they hold."""

    row_names: str | None
    values: tuple[str, ...]
    errors: Mapping[str, str]
    counts: Mapping[str, str]
    traits: Mapping[str, str]
    dropped: tuple[str, ...]
    summaries: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    keys: Mapping[str, str] = MappingProxyType({})
    ratings: tuple[str, ...] = ()

    def without(self, names: Collection[str]) -> MatrixColumns:
        """The columns without some of the scores, which are left aside."""
        return self._replace(
            values=tuple(name for name in self.values if name not in names),
            dropped=(*self.dropped, *names),
        )


def describes_rows(name: str) -> bool:
    """Whether a column of a matrix describes its rows: a rank, a number of items, a category.

    Examples
    --------
    >>> describes_rows("n"), describes_rows("Average"), describes_rows("GSM8K")
    (True, True, False)
    """
    return (
        is_helper(name) or _counts_items(name) or fold_name(name) in {*TASK_LABELS, *TASK_NUMBERS}
    )


def _counts_items(name: str) -> bool:
    """Whether a column holds the number of items behind every score of its row, such as "#ex"."""
    folded = fold_name(name)
    return folded in _N_NAMES or (name.startswith("#") and folded in _COUNTED)


_COUNTED = (
    *("questions", "items", "samples", "examples", "prompts", "problems", "instances", "ex"),
    *("test", "tests", "cases", "docs", "documents", "sentences", "utterances", "queries"),
)
_BEFORE = ("n", "of", "num", "no", "noof", "numof", "number", "numberof")
_N_NAMES = role_names("n") | {f"{before}{what}" for before in _BEFORE for what in _COUNTED}


def refuse_decorated(table: Table) -> None:
    """Scores such as 71.3 ± 1.2 in a table that names models are no text.

    Raises
    ------
    DataError
        If rows are models alone, and a column holds values with something behind them.
    """
    header = Header.of(table)
    if header.has_key:
        return
    from rankbars.tables.decorated import describe_decoration

    for name, own in header.cells.items():
        if describes_rows(name) or _INTERVAL.search(name):
            continue
        more = [str(cell) for cell in own if read_number(str(cell)) is None]
        if more and all(map(describe_decoration, more)):
            row = next(number for number, cell in enumerate(own) if str(cell) == more[0])
            raise DataError(_not_one_number(table, name, Unread(row, more[0], len(more))))


_INTERVAL = re.compile(r"(?i)\b(?:ci|conf|confidence|interval)\b|_ci|±")


def _no_models(names: Sequence[str], known: Collection[str], rows: str) -> list[str]:
    """Columns beside models that are none by their name; empty if no other is left."""
    series = {fold_name(name) for name in names} & {"alpha", "beta", "gamma"}
    aside = [
        name for name in names
        if name not in known and not (len(series) > 1 and fold_name(name) == "delta")
        and (describes_answers(name) or (rows in ("task", "item") and names_items(name)))
    ]  # fmt: skip
    return aside if len(aside) < len(names) else []


# Summaries of longer tables are left aside without a look.
MOST_ROWS = 1000


def survey_columns(
    table: Table, rows: str, columns: str, options: ReadOptions
) -> tuple[MatrixColumns, Mapping[str, NumberColumn]]:
    """Parts, and what their columns hold; once more if a file had columns further down."""
    while True:
        known = table.columns
        parts = _split(table, rows, columns, options)
        beside = (*parts.errors.values(), *parts.counts.values())
        seen = table.survey([*parts.values, *beside])
        if table.columns == known:
            break
    if rows == "model" and columns == "task" and len(options.metrics) < 2:
        aside = columns_left_aside(table, parts.values, options)
        parts = parts.without(aside)
        parts = parts if options.metrics else _without_ratings(parts, seen, options)
    for name in beside:
        unread = seen[name].unread
        if unread is not None:
            raise DataError(_not_one_number(table, name, unread))
        if seen[name].mixture:
            raise DataError(_mixed(table, f"the column {name!r} holds {seen[name].mixture}"))
    return parts, seen


def _without_ratings(
    parts: MatrixColumns, seen: Mapping[str, NumberColumn], options: ReadOptions
) -> MatrixColumns:
    """The parts without ratings far above 100, where scores stand beside them."""
    tasks = [name for name in parts.values if seen[name].unread is None]
    found = [
        name for name in tasks
        if is_rating(name) and seen[name].largest > _PERCENT
        and name not in options.direction and name not in parts.errors
    ]  # fmt: skip
    if not any(seen[name].largest <= _PERCENT for name in tasks):
        return parts
    return parts.without(found)._replace(ratings=tuple(found))


_PERCENT = 100.0


def _split(table: Table, rows: str, columns: str, options: ReadOptions) -> MatrixColumns:
    chosen = [name for name in options.metrics if name in table.columns]
    chosen = chosen if len(options.metrics) > 1 else []
    header = Header.of(table)
    numeric = header.numbers
    own = RowKeys.of(table, rows, columns, options)
    row_names, keys, traits = own.row_names, own.keys, dict(own.traits)
    names = [name for name in table.columns if name not in header.row_numbers]
    taken = {row_names, *keys.values(), *traits.values()}
    rest = [name for name in names if name not in taken]
    numbers = header.row_numbers - own.named
    dropped = [name for name in table.columns if name in numbers]

    def leave_aside(some: Collection[str]) -> None:
        dropped.extend(name for name in rest if name in some)
        rest[:] = [name for name in rest if name not in some]

    if rows == "task":
        traits |= _traits_of_tasks(rest)
        rest[:] = [name for name in rest if name not in traits.values()]
    summaries = tuple(name for name in rest if is_summary(name))
    descriptions: tuple[str, ...] = ()
    if chosen:
        said = (errors_of(rest), counts_of(rest))
        kept = {*chosen, *(one[name] for one in said for name in chosen if name in one)}
        leave_aside({*rest} - kept)
    elif rows == "model":
        first = table.columns[0]
        if first not in options.direction and _count_places(header.read[first]):
            leave_aside({first})
        leave_aside(_describing_models(rest, options))
        found = next(filter(_counts_items, rest), None)
        if found is not None and columns == "task":
            traits["n"] = found
            rest.remove(found)
    else:
        aside = (beside_a_mean(rest), _no_models(rest, {*summaries, *options.models}, rows))
        descriptions = tuple(name for some in aside for name in some if name in numeric)
        for some in (summaries, *aside):
            leave_aside(some)
    if columns == "item":
        leave_aside(summaries)
    if not chosen:
        leave_aside(spread_columns(rest))
    errors = errors_of(rest)
    leave_aside(lonely_errors(rest, errors))
    counts = counts_of(rest) if columns == "task" or options.cells is not None else {}
    beside = {*errors.values(), *counts.values()}
    values = tuple(name for name in rest if name not in beside)
    lacking = [name for name in values if name in numeric and name not in errors]
    if errors and lacking:
        raise DataError(_ask_for_errors(table, errors, lacking[0], options))
    if columns == "task":
        _check_kinds(table, values, names, options)
    return MatrixColumns(row_names, values, errors, counts, traits, tuple(dropped), summaries,
                  descriptions, keys)  # fmt: skip


def _count_places(cells: Sequence[float | None]) -> bool:
    """Whether numbers count rows from 1 on, or their places, which those that tie share.

    Examples
    --------
    >>> _count_places([1, 2, 3]), _count_places([1, 2, 2, 4]), _count_places([1, 3, 2])
    (True, True, False)
    """
    counted = all(
        one is not None and one in (number, cells[max(number - 2, 0)])
        for number, one in enumerate(cells, 1)
    )
    return counted and len(cells) > 2 and cells[0] == 1 and cells[-1] != 1


def _traits_of_tasks(names: Sequence[str]) -> dict[str, str]:
    """Columns that describe tasks, by role."""
    found: dict[str, str] = {}
    for name in names:
        folded = fold_name(name)
        role = "n" if _counts_items(name) else folded
        if role in (*TASK_LABELS, *TASK_NUMBERS):
            found.setdefault(role, name)
    return {role: found[role] for role in (*TASK_LABELS, *TASK_NUMBERS) if role in found}


def _ask_for_errors(
    table: Table, errors: Mapping[str, str], lacking: str, options: ReadOptions
) -> str:
    """What to do where one column has no standard error, and others have."""
    first = next(iter(errors))
    told = f"such as {errors[first]!r}" if options.cells is None else f"in cells of {first!r}"
    also = f" The others alone: {paste_names('--metric', errors)}." if len(errors) > 1 else ""
    return (
        f"{table.source}: some columns have a standard error beside them ({told}), {lacking!r} has "
        f"none. Give one for every column, or none.{also}"
    )


def _describing_models(names: Sequence[str], options: ReadOptions) -> list[str]:
    """Columns that describe models or are means of others; what is left has at least one column."""
    helpers = _helpers(names, options)
    if len(helpers) == len(names):
        helpers = [name for name in names if not is_attribute(name)]
    others = [
        name for name in names
        if name not in helpers and (name in options.direction or not is_mean_of_some(name))
    ]  # fmt: skip
    return [name for name in names if name not in others] if others else helpers


def _helpers(names: Sequence[str], options: ReadOptions) -> list[str]:
    """Columns that describe models, or say what place they have on another column."""
    aside = [*ranks_of(names).values(), *beside_a_mean(names), *of_training(names)]
    if len(_silent([name for name in names if not is_helper(name)])) > 1:
        aside += [name for name in names if is_mean_of_metric(name)]
    return [
        name for name in names
        if (is_helper(name) or name in aside) and name not in options.direction
    ]  # fmt: skip


def _silent(names: Sequence[str]) -> list[str]:
    """Columns whose names do not say which side is better in them.

    >>> _silent(["AMI", "F1", "WER", "XYZ \u2193", "AMI \u2193", "Tedlium"])
    ['AMI', 'Tedlium']
    """
    return [
        name for name in names
        if stated_direction(name) is None and (fold_name(name) in CORPORA or (
            usual_direction(name) is None and not ends_in_loss(name)
            and not is_mean_of_metric(name)
        ))
    ]  # fmt: skip


def _check_kinds(
    table: Table, values: Sequence[str], names: Sequence[str], options: ReadOptions
) -> None:
    """Raises `DataError` where columns of tasks differ in kind, or others say they are losses.

    Where a mean is better if it is lower, so may be what it is the mean of, and no name says it.
    """
    chosen = len(options.metrics) > 1 and bool({*options.metrics} & {*table.columns})
    stems = {(without_metric(name) or (name,))[0] for name in values}
    if chosen and len(stems) == 1 < len(values) and (several := _several_rows(table)):
        raise DataError(f"{table.source}: {several} {paste_metrics(values)}")
    others = [] if chosen else other_kinds(values)
    if others and not set(others) <= set(options.direction):
        raise DataError(_ask_kinds(table, values, others))
    means = [name for name in names if is_mean_of_losses(name)]
    silent = [name for name in _silent(values) if name not in {*means, *options.direction}]
    if not silent or {"", options.metric} & options.direction.keys():
        return
    if not means:
        refuse_low_first(table, silent)
        return
    lower, higher = (
        f"--direction {side}" if {*silent} >= {*values} - {*means}
        else paste_names("--direction", (f"{name}={side}" for name in silent))
        for side in ("lower", "higher")
    )  # fmt: skip
    mean = means[0]
    what = f"lower is better in {mean!r} by its name"
    if not ends_in_loss(mean) and "better" not in mean.casefold():
        what = f"the arrow in {mean!r} says that lower is better, or by what the table was sorted"
    raise DataError(
        f"{table.source}: {what}, and {list_names(silent, 4)} do not say which side is better in "
        f"them. If lower: {lower}. If higher: {higher}."
    )


def _ask_kinds(table: Table, values: Sequence[str], others: Sequence[str]) -> str:
    """The question which columns are scores, with the lines to paste."""
    header = Header.of(table)
    words = {
        name for name, own in header.cells.items()
        if all(cell is None or str(cell).strip().casefold() in WORDS for cell in own)
    }  # fmt: skip
    scores = [
        name for name in values
        if name in header.numbers and name not in (*others, *words) and not is_rating(name)
    ]  # fmt: skip
    kinds = (
        f"{table.source}: the columns hold numbers of different kinds, which have no average: "
        f"{list_names(scores, 6)}, and beside them {list_names(others, 6)}."
    )
    if scores and (several := _several_rows(table)):
        return f"{kinds} {several} {paste_metrics(scores)}"
    lines = paste_names("--metric", scores)
    lines += f" (in Python: metric={scores!r})"
    return f"{kinds} Say which are scores: {lines}. The others are left aside."


def _several_rows(table: Table) -> str:
    """What columns of a matrix are where models have several rows; empty where they have one."""
    model = next((name for name in table.columns if fold_name(name) in corner_names("model")), None)
    if model is None or Header.of(table).is_different(model):
        return ""
    return (
        f"{model!r} names models that have several rows, as of folds or runs, so each column seems "
        "to be a metric."
    )


def numeric_columns(
    table: Table, seen: Mapping[str, NumberColumn], values: Sequence[str], columns: str
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Value columns that hold numbers, and those of text; of these, what words made no scores."""
    kept: list[str] = []
    text: list[str] = []
    others = _no_scores(values, seen) if columns == "task" else []
    for name in values:
        column = seen[name]
        unread = column.unread
        if name in others:
            text.append(name)
            continue
        if unread is None:
            kept.append(name)
            continue
        plain_text = column.plain + column.percentages == 0
        is_date = plain_text and _DATE.match(unread.text.strip()) is not None
        is_size = plain_text and _SIZE.fullmatch(unread.text.strip()) is not None
        if is_date or is_size or describes_models(name):  # "128k" beside 8
            text.append(name)
            continue
        beside = [one for one in seen.values() if one.unread is not None and one.plain]
        whole = reduce(merge_columns, beside, NumberColumn())
        asked = ask_about_words(whole._replace(unread=whole.unread or unread))
        if asked and not plain_text:
            raise DataError(
                f"{table.source}, column {name!r}: {unread.text!r} is no number. {asked}"
            )
        if not plain_text or unread.text.lstrip("+-")[:1].isdigit():
            raise DataError(_not_one_number(table, name, unread))
        text.append(name)
    if not kept:
        told = _without_numbers(table, [seen[name] for name in text], text)
        raise DataError(f"{table.source}: {told}")
    whole = reduce(merge_columns, (seen[name] for name in kept))
    if whole.plain and whole.percentages:
        shown = list_names([name for name in kept if seen[name].percentages], 3)
        raise DataError(
            _mixed(table, f"some cells are percentages ({shown}) and some are plain numbers")
        )
    if whole.either:
        raise DataError(f"{table.source}: there are {whole.either}")
    if whole.mixture:
        raise DataError(_mixed(table, f"the cells hold {whole.mixture}"))
    return tuple(kept), tuple(text), tuple(others)


def _without_numbers(table: Table, columns: Sequence[NumberColumn], names: Sequence[str]) -> str:
    """What is said where no column holds scores, but some hold text."""
    if not names:
        return f"no column is left that may hold scores. There: {list_names(table.columns, 6)}."
    shown, words = ", ".join(map(repr, names[:5])), reduce(merge_columns, columns)
    if are_yes_or_no(words):
        return f"{shown} hold words. {ask_about_words(words)}"
    return (
        f"no column of the matrix holds numbers ({shown} hold text). Expected a score in each "
        "cell, such as 1 for right and 0 for wrong. If these are answers, score them first."
    )


def _no_scores(values: Sequence[str], seen: Mapping[str, NumberColumn]) -> list[str]:
    """Columns that are empty, or true and false beside numbers; none where there are no others."""
    found = [
        name for name in values
        if seen[name].unread is None
        and (seen[name].only_truths or not seen[name].plain + seen[name].percentages)
    ]  # fmt: skip
    numbers = any(seen[name].unread is None for name in values if name not in found)
    return found if numbers else []


def _mixed(table: Table, what: str) -> str:
    return f"{table.source}: {what}. Write all of them the same way."


def _not_one_number(table: Table, name: str, unread: Unread) -> str:
    from rankbars.tables.decorated import advise_about_cell

    row = table.header_rows + 1 + unread.row
    return (
        f"{table.source}, row {row}, column {name!r}: the cell {unread.text[:40]!r} is "
        "not one plain number. Expected a number, a percentage or an empty cell. "
        f"{advise_about_cell(unread.text)}"
    )

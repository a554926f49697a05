"""What is made of other scores: means, changes, the greatest or the least of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note, list_names, list_words
from rankbars.tables.asides import is_summary
from rankbars.tables.cells import parse_number
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.summaryrows import MARGIN, repeats_means

if TYPE_CHECKING:
    from rankbars.tables.taskestimates import Summaries

__all__ = [
    "find_changed_rows", "find_changes", "find_composed", "find_derived", "find_margin",
    "without_derived",
]  # fmt: skip

Array = NDArray[np.float64]

# How likely numbers that have nothing to do with each other may be to agree by chance.
_CHANCE = 5e-3

# So many columns next to each other, before or behind, may be what one is the mean of.
_LONGEST_BLOCK = 40

# So many columns of another kind, such as a speed, may stand between a mean and what it is of.
_MOST_BETWEEN = 3

# In wider tables nobody writes changes between any two columns.
_MOST_COLUMNS = 60
_MOST_CELLS = 200_000

_EXTREME = re.compile(r"(?i)^(?:best|max|maximum|min|minimum|worst)\b|[(\[](?:max|min|best)[)\]]$")


def find_derived(
    table: Array, names: Sequence[str], chosen: Collection[str] = (), *,
    models: bool = False,
) -> dict[str, str]:  # fmt: skip
    """Columns that are made of others, and of which.

    A column is made of others where it agrees with them on every row, to the digits in which it
    is written, and numbers of this spread would not do so by chance; where its name says what it
    is, it is enough that it agrees.

    Parameters
    ----------
    table : array of float, shape (R, C)
        Scores; NaN where there is none.
    names : sequence of str
        The C columns.
    chosen : collection of str
        Columns that count, whatever they hold.
    models : bool
        Whether columns are models. The greatest of all models is made of them, and a task on which
        all are good is not; the one in the middle is the mean of others that are equally far
        apart, so that models are means only where they are called so.

    Examples
    --------
    >>> table = np.array([[75.1, 90.1, 60.1, 66], [72.3, 88.2, 56.4, 63], [65.4, 80.6, 50.2, 53]])
    >>> find_derived(table, ["Maths", "GSM8K", "MATH", "BBH"])
    {'Maths': "the mean of 'GSM8K', 'MATH'"}
    """
    found: dict[str, str] = {}
    if table.size > _MOST_CELLS:
        return found
    # What is made and what it is made of are both rounded.
    steps = _digits_of(table)
    near = 0.51 * (steps + steps.min(axis=1, keepdims=True)) + 1e-9
    known = np.flatnonzero(~np.isnan(table).all(axis=0)).tolist()
    # Shares of n items are multiples of 1/n, and agree more often than their digits say.
    tasks = table if models else table.T
    apart = np.array([_share_step(task[~np.isnan(task)]) for task in tasks])
    while True:
        left = [k for k in known if names[k] not in found]
        new = {}
        for k in left:
            words = _made_of(
                table, near[:, k], names, k, [one for one in left if one != k], models,
                apart if models else np.full(len(table), apart[k]),
            )  # fmt: skip
            if words and names[k] not in chosen:
                new[names[k]] = words
        if not new or len(new) > len(left) - 2:
            return found
        found |= new


def without_derived(
    summaries: Summaries, names: Mapping[str, Sequence[str]], header: Sequence[str],
    options: ReadOptions,
) -> tuple[Summaries, tuple[Note, ...]]:  # fmt: skip
    """Published scores without models and tasks that are made of others, and notes on these.

    Parameters
    ----------
    summaries : Summaries
        Scores of all models and tasks.
    names : mapping from str to sequence of str
        Their names.
    header : sequence of str
        Names in the order of the file, where it has them in its header.
    options : ReadOptions
        Models and tasks that the caller names count.
    """
    table = np.where(summaries.present, summaries.mean, np.nan)
    present, notes = summaries.present.copy(), []
    for axis, what in enumerate(("task", "model")):
        place = {name: number for number, name in enumerate(header)}
        order = sorted(range(table.shape[axis]), key=lambda k: place.get(names[what][k], 0))
        columns = np.moveaxis(table, axis, 1)[:, order]
        chosen = options.models if what == "model" else options.metrics
        found = find_derived(
            columns, [names[what][k] for k in order], chosen, models=what == "model"
        )
        if what == "task":
            found |= _pooled(summaries, names["task"], [*found, *chosen])
        gone = [name in found for name in names[what]]
        np.moveaxis(present, axis, 0)[gone] = False
        if found:
            notes.append(_note(found, what, named=what == "model" or bool(header)))
    return summaries._replace(present=present), tuple(notes)


def _pooled(summaries: Summaries, tasks: Sequence[str], beside: Collection[str]) -> dict[str, str]:
    """The task that has as many items as all others together, and their share of right answers."""
    left = [k for k, task in enumerate(tasks) if task not in beside]
    n, mean = summaries.n[left], summaries.mean[left]
    if len(left) < 3 or not (n > 0).all() or np.isnan(mean).any():
        return {}
    for place, task in enumerate(left):
        others = np.arange(len(left)) != place
        share = (n * mean)[others].sum(axis=0) / n[others].sum(axis=0)
        close = np.abs(mean[place] - share) <= 0.01 * np.abs(mean).max()
        if (n[place] == n[others].sum(axis=0)).all() and close.all():
            return {tasks[task]: "all items of the others"}
    return {}


def _note(found: Mapping[str, str], what: str, *, named: bool) -> Note:
    option = {"model": "--models NAME", "task": "--metric NAME (in Python: metric=[...])"}[what]
    shown = list_words((f"{name!r} ({words})" for name, words in found.items()), 6)
    one = f"it is a {what} of its own" if len(found) == 1 else f"they are {what}s of their own"
    ask = f" If {one}, name all {what}s: {option}." if named else ""
    return Note("summaries", f"Made of others, and left aside: {shown}.{ask}")


def _made_of(
    table: Array,
    near: Array,
    names: Sequence[str],
    column: int,
    others: list[int],
    models: bool,
    apart: Array,
) -> str:
    """What a column is made of; empty if of nothing that is seen.

    Numbers of a row agree that are within `near`, shape (R,); scores in it are at least `apart`
    from each other, or the same.
    """
    told, rest = table[:, column], table[:, others]
    if len(others) < 2:
        return ""
    # Where columns move alike from row to row, each further row says nothing new.
    moves = np.vstack([rest[:1], rest[1:] - rest[0]])
    spread = np.fmax.reduce(moves, axis=1) - np.fmin.reduce(moves, axis=1)
    apart = np.maximum(apart, 2 * near)
    share = np.log(apart / np.maximum(spread, apart))
    # Pairs are many: where even a fit in every row could be chance, none of them is looked at.
    pairs = len(others) ** 2
    recipes = _recipes(table, near, names, column, others, models)
    if len(others) <= _MOST_COLUMNS and _is_no_chance(share[~np.isnan(told + share)], 4 * pairs):
        recipes = chain(recipes, _margins(table, near, names, column, others))
    for made, words, tries, hint in recipes:
        use = ~np.isnan(told) & ~np.isnan(made)
        if not use.any() or (np.abs(told - made) > near)[use].any():
            continue
        if hint or _is_no_chance(share[use], tries):
            return words
    return ""


def _is_no_chance(share: Array, tries: int) -> bool:
    return bool(share.sum() + np.log(tries) < np.log(_CHANCE))


def _recipes(
    table: Array,
    near: Array,
    names: Sequence[str],
    column: int,
    others: list[int],
    models: bool,
) -> Iterator[tuple[Array, str, int, bool]]:
    """What a column may be made of: values, words, how many are tried, whether the name says so."""
    name, told, rest = names[column], table[:, column], table[:, others]
    mean = rest.mean(axis=1)
    averaged, extreme = is_summary(name) or name == MARGIN, bool(_EXTREME.search(name))
    tries = 4 * len(others)
    if averaged or not models:
        yield mean, "the mean of all others", tries, averaged
        yield 100.0 * mean, "the mean of all others, in percent", tries, averaged
    same = (rest == told[:, None]).all(axis=0).any()  # the same model twice is none
    if models and (extreme or not same):
        yield rest.max(axis=1), "the greatest of all others", tries, extreme
        yield rest.min(axis=1), "the least of all others", tries, extreme
    tries *= len(others)
    behind = [one for one in others if one > column]
    before = others[: len(others) - len(behind)][::-1]
    hint = any(map(is_summary, re.findall(r"\w+", name)))
    apart = range(_MOST_BETWEEN + 1) if hint else (0,)
    blocks = [side[skip:][:_LONGEST_BLOCK] for skip in apart for side in (behind, before)]
    for block in blocks if hint or not models else ():
        means = np.cumsum(table[:, block], axis=1) / np.arange(1, len(block) + 1)
        fits = (np.abs(told[:, None] - means) <= near[:, None]) | np.isnan(told[:, None] + means)
        for size in np.flatnonzero(fits.all(axis=0)).tolist():
            if 1 <= size < len(others) - 1:
                of = list_names([names[one] for one in sorted(block[: size + 1])], 6)
                yield means[:, size], f"the mean of {of}", tries, hint


def _margins(
    table: Array, near: Array, names: Sequence[str], column: int, others: list[int]
) -> Iterator[tuple[Array, str, int, bool]]:
    """The columns that a smaller one may be the difference of, as `_recipes` gives them."""
    told, rest = table[:, column], table[:, others]
    sizes = np.abs(np.nanmedian(rest, axis=0))
    larger = np.flatnonzero(sizes > np.abs(np.nanmedian(told)))
    between = rest[:, larger, None] - rest[:, None, larger] - told[:, None, None]
    fits = (np.abs(between) <= near[:, None, None]) | np.isnan(between)
    for one, two in larger[np.argwhere(fits.all(axis=0))].tolist():
        of = f"{names[others[one]]!r} minus {names[others[two]]!r}"
        yield rest[:, one] - rest[:, two], of, 4 * len(others) ** 2, False


_MOST_ITEMS = 5000  # finer shares than of so many items are hardly told from other numbers


def _share_step(values: Array) -> float:
    """What shares of one number of items are apart, as they are or in percent; 0 if they are none.

    Examples
    --------
    >>> round(1 / _share_step(np.array([33 / 150, 48 / 150, 75 / 150, 109 / 150, 120 / 150])))
    150
    >>> _share_step(np.array([0.2173, 0.4712, 0.5031, 0.6113, 0.7749, 0.8017]))
    0.0
    """
    if values.size == 0:
        return 0.0
    top = 1.0 if np.abs(values).max() <= 1.0 else 100.0
    half = 0.5 * min(map(_step, values.tolist()))
    most = min(_MOST_ITEMS, int(_CLEAR * top / max(half, 1e-9)))
    items = np.arange(2, most + 1)[:, None]
    counts = values / top * items
    fits = (np.abs(counts - np.rint(counts)) <= (half + 1e-9) / top * items).all(axis=1)
    return top / float(items[np.argmax(fits), 0]) if fits.any() else 0.0


_CLEAR = 0.05  # of the step between two counts; what is rounded more may be any count


def _digits_of(table: Array) -> Array:
    """What the last digit of each cell stands for, where a number may have lost its zeros.

    A few cells of a column may have been written with more digits than the others.

    Examples
    --------
    >>> _digits_of(np.array([[5.42], [5.5], [6.0], [5.76], [6.50375]])).ravel().tolist()
    [0.01, 0.01, 0.01, 0.01, 1e-05]
    """
    steps: Array = np.vectorize(_step, otypes=[float])(table)
    for own, missing in zip(steps.T, np.isnan(table).T, strict=True):
        known = own[~missing]
        usual = np.quantile(known, _USUAL, method="lower") if known.size else 1.0
        own[:] = np.where(missing, usual, np.minimum(own, usual))
    return steps


_USUAL = 0.25  # so many cells of a column have all of its digits


def _step(value: float) -> float:
    digits = re.search(r"\.(\d+)$", repr(value))
    return 1.0 if digits is None or digits[1] == "0" else 10.0 ** -len(digits[1])


def find_composed(
    cells: Mapping[str, Sequence[object]], chosen: Collection[str] = ()
) -> dict[str, str]:
    """The column of right and wrong answers that is right where one, or where all, of others are.

    Parameters
    ----------
    cells : mapping from str to sequence
        Cells of each model, one for each item.
    chosen : collection of str
        Columns that are models, whatever they hold.

    Examples
    --------
    >>> one, two = [1, 0, 0, 1, 0] * 10, [0, 1, 0, 1, 0] * 10
    >>> find_composed({"one": one, "two": two, "either": [a | b for a, b in zip(one, two)]})
    {'either': 'one of the others is'}
    """
    rows = [[parse_number(str(cell)) for cell in row] for row in zip(*cells.values(), strict=True)]
    values = np.array([row for row in rows if None not in row], dtype=float)
    if len(cells) < 3 or not values.size or not np.isin(values, (0.0, 1.0)).all():
        return {}
    found = {}
    for place, name in enumerate(cells):
        own, rest = values[:, [place]], np.delete(values, place, axis=1)
        apart = (own != rest).sum(axis=0).min() >= _FEWEST_APART
        for made, words in (
            (rest.max(axis=1), "one of the others is"), (rest.min(axis=1), "all others are")
        ):  # fmt: skip
            both = min((made == 1.0).sum(), (made == 0.0).sum()) >= _FEWEST_APART
            if apart and both and (own[:, 0] == made).all() and name not in chosen:
                found[name] = words
    return found if len(found) == 1 else {}


def find_margin(cells: Mapping[str, Sequence[object]], chosen: Collection[str] = ()) -> str | None:
    """The column that is called a margin and holds the mean of all others in every row.

    Examples
    --------
    >>> find_margin({"one": [1, 0], "two": [1, 1], "All": [1, 0.5]})
    'All'
    """
    others = [own for name, own in cells.items() if name != MARGIN]
    rows = list(map(list, zip(*others, strict=True)))
    if MARGIN not in cells or MARGIN in chosen or len(others) < 2:
        return None
    return MARGIN if repeats_means(cells[MARGIN], rows) else None


# Answers on which a model that is made of others is not one of them, by chance.
_FEWEST_APART = 5


def find_changes(cells: Mapping[str, Sequence[object]]) -> tuple[list[str], list[int]]:
    """Columns, and rows of the others, in which each number has its sign; none where all have.

    Examples
    --------
    >>> find_changes({"math": ["73.0", "+1.1"], "Gain": ["+0.3", "-0.2"], "law": ["57.7", "+0.6"]})
    (['Gain'], [1])
    """
    columns = [name for name, own in cells.items() if _signed(own)]
    if len(columns) == len(cells):
        return [], []
    rest = [own for name, own in cells.items() if name not in columns]
    rows = [number for number, row in enumerate(zip(*rest, strict=True)) if _signed(row)]
    return columns, rows if len(rows) < len(rest[0]) else []


def find_changed_rows(table: Array) -> list[int]:
    """Rows of changes from the others, by their signs and sizes; none where there are none.

    In them each number is negative or far nearer to 0 than all of the others, which are above 0,
    and there are more of these rows than of the others. What is worse than chance on every task
    has no such numbers: it is one among many.

    Parameters
    ----------
    table : array of float, shape (M, N)
        Scores of M models on N tasks; NaN where there is none.

    Examples
    --------
    >>> find_changed_rows(np.array([[78.2, 65.1], [-1.3, -0.4], [-4.0, 0.4]]))
    [1, 2]
    >>> find_changed_rows(np.array([[0.52, 0.61], [0.5, 0.48], [-0.02, -0.01]]))
    []
    """
    if table.size == 0 or np.isnan(table).all(axis=1).any():
        return []
    low, high = np.nanmin(table, axis=1), np.nanmax(np.abs(table), axis=1)
    negative = (table < 0.0).any(axis=1)
    largest = high[negative].max(initial=0.0)
    changed = high <= largest
    whole = ~changed
    apart = whole.any() and (low[whole] > _FAR * largest).all()
    few = changed.sum() > whole.sum() and negative.sum() > whole.sum()
    return np.flatnonzero(changed).tolist() if apart and few else []


_FAR = 3.0  # times as large as any change


def _signed(cells: Sequence[object]) -> bool:
    """Whether each cell is a number with its sign, and some are above 0."""
    known = [str(cell).strip() for cell in cells if cell not in (None, "")]
    signs = {cell[:1] for cell in known}
    return len(known) > 1 and "+" in signs and signs <= {"+", "-", "−", "±"}

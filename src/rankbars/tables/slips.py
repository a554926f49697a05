"""Published scores whose decimal point seems to be missing, or to stand some places off."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError
from rankbars.tables.descriptions import Direction
from rankbars.tables.oddscores import has_unit, is_mark

__all__ = ["check_slips", "note_slips"]

# So many scores fit for each that does not; that is so many times the next, which is at most so
# many times the median of those that fit.
_FITTING, _SEVERAL, _ALIKE = 3, 5.0, 3.0

# A table of fewer models or tasks does not tell what a score is expected to be.
_FEWEST_MODELS, _FEWEST_TASKS = 4, 3


def check_slips(
    largest: Mapping[str, NDArray[np.float64]], models: Sequence[str],
    directions: Mapping[str, Direction], metrics: Mapping[str, str | None],
) -> None:  # fmt: skip
    """Raises `DataError` where one or two published scores seem to lack their decimal point.

    Or where some of a task are fractions and the others percentages. All others of the task lie
    within 0 and 1, or within 0 and 100; these lie above, and are several times the largest of the
    others, which are not that far from each other.

    Parameters
    ----------
    largest : mapping from str to array of float, shape (M,)
        Score of each model by task, NaN where it has none.
    models : sequence of str
        The M models.
    directions : mapping from str to {"higher", "lower"}
        Which side is better, by task; amounts and losses are not looked at.
    metrics : mapping from str to str or None
        Metric by task.
    """
    _ask_about_zeros(largest, models, directions, metrics)
    _check_fractions(largest, models, directions, metrics)
    for task in _plain_tasks(largest, directions, metrics):
        values = largest[task]
        known = np.sort(values[~np.isnan(values)])[::-1]
        if not known.size or known[-1] < 0.0:
            continue
        for far in (1, 2):
            slips, others = known[:far], known[far:]
            if len(others) < _FITTING * far or others[0] <= 0.0:
                break
            top = 1.0 if others[0] <= 1.0 else 100.0
            alike = others[0] <= _ALIKE * float(np.median(others))
            if others[0] <= top < slips[-1] and slips[-1] >= _SEVERAL * others[0] and alike:
                names = [models[int(place)] for place in np.flatnonzero(values >= slips[-1])]
                shown = ", ".join(f"{slip:g}" for slip in slips)
                raise DataError(
                    f"{list_names(names, 2)} {'has' if far == 1 else 'have'} {shown} on {task!r}, "
                    f"{slips[-1] / others[0]:.0f} times the next, {others[0]:g}: a slip? Mend it "
                    "in the file. If it is right, say up to where scores go: --score-max "
                    f"{slips[0]:g} (in Python: maximum={slips[0]:g})."
                )


def _plain_tasks(
    means: Iterable[str], directions: Mapping[str, Direction], metrics: Mapping[str, str | None]
) -> list[str]:
    """The tasks whose scores are no losses, and have no unit by their names."""
    return [
        task for task in means
        if directions.get(task) != "lower"
        and not any(has_unit(name) for name in (task, metrics.get(task) or ""))
    ]  # fmt: skip


def _ask_about_zeros(
    means: Mapping[str, NDArray[np.float64]], models: Sequence[str],
    directions: Mapping[str, Direction], metrics: Mapping[str, str | None],
) -> None:  # fmt: skip
    """Raises `DataError` where 0, or -1 and the like, seems to stand for a task that was not run.

    All others of the task are far above, none of them less than a third of the largest, and so are
    most scores of the model.

    Parameters
    ----------
    means, models, directions, metrics
        As in `check_slips`.

    Examples
    --------
    >>> means = {"en": np.array([81.2, 80.1, 83.5]), "it": np.array([75.5, 74.0, 0.0])}
    >>> means |= {"de": np.array([76.1, 75.0, 79.0]), "fr": np.array([77.0, 76.4, 80.1])}
    >>> _ask_about_zeros(means, ["a", "b", "c"], dict.fromkeys(means, "higher"), {})
    Traceback (most recent call last):
    rankbars.errors.DataError: 'c' has 0 on 'it', where the others have 74 to 75.5, and 79 to \
83.5 on the other tasks. Was it not run? ...
    """
    tasks = _plain_tasks(means, directions, metrics)
    if len(tasks) < _FEWEST_TASKS:
        return
    table = np.stack([means[task] for task in tasks], axis=1)
    top = float(np.nanmax(table, initial=0.0))
    end = next((one for one in (1.0, 100.0) if top <= one), top)
    high = table >= _FAR_ABOVE * end
    alone = (table <= 0.0) & (2 * (table <= 0.0).sum(axis=0) <= high.sum(axis=0))
    for place, row in enumerate(alone):
        own = table[place, high[place]]
        marks = np.unique(table[place, row])
        found = [number for number in np.flatnonzero(row)
                 if _lie_apart(table[:, number][~alone[:, number]], _FAR_ABOVE * end)]  # fmt: skip
        if len(marks) != 1 or not (marks[0] == 0.0 or is_mark(float(marks[0]))):
            continue
        if len(found) < row.sum() or len(found) > own.size:
            continue
        others = table[:, found][high[:, found]]
        mark, several = f"{marks[0]:g}", len(found) > 1
        option = f"--word{'=' if marks[0] < 0.0 else ' '}{mark}=missing"
        raise DataError(
            f"{models[place]!r} has {mark} on {list_names([tasks[one] for one in found], 3)}, "
            f"where the others have {others.min():g} to {others.max():g}, and {own.min():g} to "
            f"{own.max():g} on the other tasks. {'Were they' if several else 'Was it'} not run? If "
            f"so: {option} (in Python: words={{{mark!r}: 'missing'}}). If {mark} is a score: "
            f"--score-min {mark} (in Python: minimum={mark})."
        )


# Of the scale: what others reach where nothing beside says why a score is 0.
_FAR_ABOVE = 0.2


def _lie_apart(others: NDArray[np.float64], least: float) -> bool:
    """Whether the others of a task are high and alike, so that 0 is far from all of them."""
    known = others[~np.isnan(others)]
    return known.size > 1 and bool(known.min() >= max(least, known.max() / _ALIKE))


def _check_fractions(
    means: Mapping[str, NDArray[np.float64]], models: Sequence[str],
    directions: Mapping[str, Direction], metrics: Mapping[str, str | None],
) -> None:  # fmt: skip
    """Raises `DataError` where some scores of a task are fractions and the others percentages.

    None lies between 1 and 10, and the fractions, times 100, would lie among the others.

    Parameters
    ----------
    means, models, directions, metrics
        As in `check_slips`.

    Examples
    --------
    >>> means = {"arc": np.array([50.3, 0.49, 47.0]), "rte": np.array([0.7, 0.71, 0.61])}
    >>> _check_fractions(means, ["a", "b", "c"], dict.fromkeys(means, "higher"), {})
    Traceback (most recent call last):
    rankbars.errors.DataError: Scores of 'arc' stand on two scales: 'b' has 0.49, the others 47 \
to 50.3; and those of 'rte' lie within 1. ...
    """
    tasks = _plain_tasks(means, directions, metrics)
    for task in tasks:
        values = means[task]
        low, high = (values > 0.0) & (values <= 1.0), values >= _LEAST_PERCENTAGE
        known = int((~np.isnan(values)).sum())
        if not low.any() or not high.any() or int(low.sum() + high.sum()) < known:
            continue
        percent = 100.0 * values[low]
        least, most = values[high].min() / _AMONG, values[high].max() * _AMONG
        if percent.min() < least or percent.max() > most or values[high].max() > 100.0:
            continue
        within = [one for one in tasks if one != task and np.nanmax(means[one], initial=0.0) <= 1.0]
        also = f"; and those of {list_names(within, 4)} lie within 1" if within else ""
        names = [models[int(place)] for place in np.flatnonzero(low)]
        raise DataError(
            f"Scores of {task!r} stand on two scales: {list_names(names, 3)} "
            f"{'has' if len(names) == 1 else 'have'} {values[low][0]:g}, the others "
            f"{values[high].min():g} to {values[high].max():g}{also}. Bring them to one scale in "
            "the file; if they are on one already, declare it: --score-max 100 (in Python: "
            "maximum=100)."
        )


# No score of a task whose others are fractions lies below this, as percentage; and those, times
# 100, lie no farther from the others than this.
_LEAST_PERCENTAGE, _AMONG = 10.0, 1.5


def note_slips(
    means: Mapping[str, NDArray[np.float64]], models: Sequence[str],
    directions: Mapping[str, Direction], metrics: Mapping[str, str | None],
) -> tuple[Note, ...]:  # fmt: skip
    """A note where one score of a table would fit if its decimal point stood one place off.

    Expected is what the model's other scores and the task's other scores make likely, on a
    logarithmic scale, where a place is the same everywhere. The score must be three times as far
    from that as any other of its model or task, and once mended no farther than another.

    Parameters
    ----------
    means, models, directions, metrics
        As in `check_slips`.

    Examples
    --------
    >>> table = np.outer([80.0, 70.0, 60.0, 50.0], [1.0, 0.9, 0.5])
    >>> means = dict(zip(["arc", "law", "math"], (table + np.eye(4, 3)).T, strict=True))
    >>> sides, metrics = dict.fromkeys(means, "higher"), dict.fromkeys(means)
    >>> note_slips(means, ["a", "b", "c", "d"], sides, metrics)
    ()
    >>> means["law"][1] = 6.4
    >>> print(*(one.message for one in note_slips(means, ["a", "b", "c", "d"], sides, metrics)))
    'b' has 6.4 here; its other scores and those of the others speak for about 64: is the ...
    """
    tasks = _plain_tasks(means, directions, metrics)
    if len(models) < _FEWEST_MODELS or len(tasks) < _FEWEST_TASKS:
        return ()
    table = np.stack([means[task] for task in tasks], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.where(table > 0.0, np.log10(table), np.nan)
    known = ~np.isnan(logs)
    some = (known.sum(axis=1) >= _FEWEST_TASKS, known.sum(axis=0) >= _FEWEST_MODELS)
    logs[~some[0]] = logs[:, ~some[1]] = np.nan
    if np.isnan(logs).all():
        return ()
    off = logs.copy()
    for _ in range(_SWEEPS):  # medians of rows and columns, taken away in turn
        for axis in (0, 1):
            off -= _medians(off, axis)
    off = np.nan_to_num(off)
    usual = np.maximum(_largest_others(off, 0), _largest_others(off, 1))
    places = np.round(off)
    near = np.abs(off - places) <= np.maximum(usual, _NEAR)
    slips = np.argwhere((places != 0.0) & near & (np.abs(off) >= _APART * usual))
    if len(slips) != 1:
        return ()
    model, task = slips[0]
    likely = table[model, task] * 10.0 ** -places[model, task]
    return (
        Note(
            "maybe-slip",
            f"{models[model]!r} has {table[model, task]:g} here; its other scores and those of the "
            f"others speak for about {likely:g}: is the decimal point right? If not, mend it in "
            "the file.",
            tasks[task],
            (models[model],),
        ),
    )


_SWEEPS = 10
_NEAR, _APART = 0.05, 3.0


def _largest_others(off: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Largest magnitude along an axis but for each value's own."""
    size = np.abs(off)
    first = size.max(axis=axis, keepdims=True)
    second = np.sort(size, axis=axis).take([-2], axis=axis)
    return np.where(size == first, second, first)


def _medians(values: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """Medians of what is known along an axis, 0 where nothing is."""
    empty = np.isnan(values).all(axis=axis, keepdims=True)
    return np.asarray(np.nanmedian(np.where(empty, 0.0, values), axis=axis, keepdims=True))

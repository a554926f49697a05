"""Scores that cannot all be meant as they stand: on two scales, negated losses, marks, ranks.

What they are is asked; a declared limit or side of the scores says it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence, Items
from rankbars.data.notes import Note, list_names
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import StoredTasks
from rankbars.errors import DataError
from rankbars.tables.columnkinds import score_predictions
from rankbars.tables.descriptions import AboutTasks, Direction
from rankbars.tables.metrics import (
    depends_on_scale,
    is_proportion,
    is_signed_error,
    lacks_unit,
    never_negative,
    usual_direction,
)
from rankbars.tables.parsedtables import TidyTable

__all__ = [
    "Mark", "ask_about_mark", "check_scale", "check_scores", "check_signs", "check_unbounded",
    "find_mark", "has_unit", "is_mark", "note_row_scales",
    "refuse_low_baseline", "refuse_ranks", "refuse_signed",
]  # fmt: skip

# Of scores that look like losses: the greatest, and the share of whole numbers.
_MOST_OF_LOSSES, _FEW_WHOLE = 5.0, 0.1
_PERCENT = 100.0
_RATED = frozenset({"arena", "elo", "rating"})


def check_scores(
    largest: Mapping[str, NDArray[np.float64]], models: Sequence[str], about: AboutTasks,
    fewest: int = 2,
) -> None:  # fmt: skip
    """Raises `DataError` where scores of tasks stand on two scales, or look negated or like losses.

    Parameters
    ----------
    largest : mapping from str to array of float, shape (M,)
        Largest score of each model by task, NaN where it has none.
    models : sequence of str
        The M models.
    about : AboutTasks
        What is known of the tasks; those that it does not know are not looked at.
    fewest : int
        So many tasks without shares, of which nothing says which side is better, are asked about;
        one only of a matrix whose columns are models, where they may be predictions.
    """
    known = {task: values for task, values in largest.items() if task in about.metrics}
    declared = [limit for limit in about.limits if limit is not None]
    check_scale(known, about.metrics, models, declared, any_name=True)
    check_signs(known, about.metrics, about.directions, about.limits[1])
    _check_assumed(known, about.assumed, about.limits[1], fewest=fewest)


def check_scale(
    largest: Mapping[str, NDArray[np.float64]], metrics: Mapping[str, str | None],
    models: Sequence[str], declared: Collection[float], *, any_name: bool = False,
) -> None:  # fmt: skip
    """Raises `DataError` where a share stands as 0.73 for one model and as 73 for another.

    With `any_name`, a metric that is no proportion by its name counts as one where some models stay
    within 1 and all others reach 10 or more, and at most 100.

    Parameters
    ----------
    largest : mapping from str to array of float, shape (M,)
        Largest score of each model by task, NaN where it has none.
    metrics : mapping from str to str or None
        Metric by task.
    models : sequence of str
        The M models.
    declared : collection of float
        Declared limits; if there are any, the scale is known and nothing is checked.
    any_name : bool
        Whether metrics of any name are looked at.
    """
    if declared:
        return
    for metric in dict.fromkeys(metrics.values()):
        known = metric is not None and is_proportion(metric)
        if not known and (not any_name or (metric is not None and has_unit(metric))):
            continue
        tasks = [task for task, name in metrics.items() if name == metric and task in largest]
        tasks = [task for task in tasks if known or not has_unit(task)]
        if not tasks:
            continue
        stacked = np.stack([largest[task] for task in tasks])
        top = np.fmax.reduce(stacked, axis=0)
        above, within = top > 1.0, (top > 0.0) & (top <= 1.0)
        far = bool((top[above] >= 10.0).all() and (top[above] <= 100.0).all())
        if above.any() and within.any() and (known or far):
            one, two = int(np.argmax(above)), int(np.argmax(within))
            end = 10 if far and top[above].max() == 10.0 else 100
            what = f"The metric {metric!r} is a proportion, but its" if known else "The"
            raise DataError(
                f"{what} scores stand on two scales: model "
                f"{models[one]!r} reaches {top[one]:g}, model {models[two]!r} only {top[two]:g}. "
                "Bring them to one scale; if they are on one already, declare it: --score-max "
                f"{end} (in Python: maximum={end})."
            )


def has_unit(name: str) -> bool:
    """Whether scores of this name are amounts or losses, which may be of any size."""
    return usual_direction(name) == "lower" or depends_on_scale(name)


def check_signs(
    largest: Mapping[str, NDArray[np.float64]], metrics: Mapping[str, str | None],
    directions: Mapping[str, Direction], maximum: float | None,
) -> None:  # fmt: skip
    """Raises `DataError` where low values of a loss count as good and all of them are negative.

    Parameters
    ----------
    largest : mapping from str to array of float, shape (M,)
        Largest score of each model by task, as given; NaN where it has none.
    metrics : mapping from str to str or None
        Metric by task.
    directions : mapping from str to {"higher", "lower"}
        Which side is better, by task.
    maximum : float, optional
        Declared greatest score; with one of 0 or less, negative values are meant.
    """
    if maximum is not None and maximum <= 0.0:
        return
    for task, top in largest.items():
        name = metrics.get(task) or task
        if directions.get(task) != "lower" or not never_negative(name):
            continue
        known = top[~np.isnan(top)]
        if not known.size or known.max() > 0.0 or known.min() == 0.0:
            continue
        where = f" on task {task!r}" if name != task else ""
        lower, higher = (shlex.quote(f"{name}={side}") for side in ("lower", "higher"))
        raise DataError(
            f"All values of {name!r}{where} are negative (up to {known.max():g}), which {name} "
            "cannot be: they are negated already, so that high is good, and lower would turn the "
            f"order round. Use instead: --direction {higher}. If low is good all the same, say "
            f"that the values lie below 0: --direction {lower} --score-max 0. (In Python: "
            f"direction={{{name!r}: 'higher'}}, or maximum=0.)"
        )


def _check_assumed(
    largest: Mapping[str, NDArray[np.float64]], assumed: Collection[str], maximum: float | None,
    *, fewest: int,
) -> None:  # fmt: skip
    """Raises `DataError` where higher was taken for better and most tasks have no shares.

    One task among others may well be measured in points, and ratings are called so.

    Parameters
    ----------
    largest : mapping from str to array of float, shape (M,)
        Largest score of each model by task; NaN where it has none.
    assumed : collection of str
        Tasks of which nothing says which side is better.
    maximum : float, optional
        Declared greatest score; with one, scores are what the caller says they are.
    fewest : int
        So many tasks without shares are asked about; 1 if columns are models.
    """
    if maximum is not None:
        return
    top = {task: float(np.nanmax(largest[task])) for task in largest
           if task in assumed and not np.isnan(largest[task]).all()}  # fmt: skip
    named = {task for task in top if _RATED & set(re.findall(r"[^\W_]+", task.casefold()))}
    beyond = [task for task, value in top.items() if value > _PERCENT and task not in named]
    if len(beyond) >= fewest and len(beyond) > len(top) / 2:
        predictions = (
            " If they are predictions, they are no scores: score them against the truth first, "
            f"{score_predictions()}."
        )
        predictions = predictions if fewest == 1 else ""
        raise DataError(
            f"Scores of {list_names(beyond, 4)} are no shares (up to {top[beyond[0]]:g}), and no "
            "name says whether they are better when they are higher, as points, or lower, as "
            "errors and losses. Declare which side is better: --direction higher or --direction "
            "lower (in Python: direction='higher')." + predictions
        )


def check_unbounded(means: Mapping[str, NDArray[np.float64]], assumed: Collection[str]) -> None:
    """Raises `DataError` where higher was taken for better and means look like those of a loss.

    Some lie above 1, which no shares do, and some below 1, which no ratings and hardly any
    percentages do; and they are fractions.

    Parameters
    ----------
    means : mapping from str to array of float, shape (M,)
        Score of each model by task; NaN where it has none.
    assumed : collection of str
        Tasks of which nothing says which side is better.
    """
    if not set(means) <= set(assumed):
        return
    every = np.concatenate([*means.values(), np.empty(0)])
    every = every[~np.isnan(every)]
    if not every.size or not 0.0 < every.min() < 1.0 < every.max() < _MOST_OF_LOSSES:
        return
    if np.mean(every == np.round(every)) > _FEW_WHOLE:
        return
    raise DataError(
        f"Scores lie between {every.min():g} and {every.max():g}, so they are no shares and look "
        "like no percentages, and no name says whether they are better when they are higher, or "
        "lower, as errors and losses. Declare which side is better: --direction lower or "
        "--direction higher (in Python: direction='lower')."
    )


_BELOW = frozenset({-1.0, -9.0, -99.0, -100.0, -999.0, -9999.0})
_ABOVE = frozenset({99.0, 999.0, 9999.0})


def is_mark(value: float) -> bool:
    """Whether people write such a number where there is no score.

    Examples
    --------
    >>> is_mark(-1.0), is_mark(999.0), is_mark(-0.5)
    (True, True, False)
    """
    return value in _BELOW or value in _ABOVE


class Mark(NamedTuple):
    """A number that may stand for no score.

    Attributes
    ----------
    value : float
        The number.
    least, most : float
        The least and the greatest of the other scores.
    end : float
        Where the scale of the others seems to end, on the side of the number.
    """

    value: float
    least: float
    most: float
    end: float


def find_mark(values: NDArray[np.float64]) -> Mark | None:
    """The number beside other scores that stands for none, if there is one.

    No other number may lie on its side of them. Scores between 0 and 1 have one only if both 0
    and 1 are among them: rewards and correlations may be -1.

    Parameters
    ----------
    values : array of float
        Scores of one task; NaN where there is none.

    Examples
    --------
    >>> find_mark(np.array([1.0, 0.0, -1.0, -1.0]))
    Mark(value=-1.0, least=0.0, most=1.0, end=0.0)
    >>> find_mark(np.array([4.0, 2.0, 5.0, 99.0] * 4))
    Mark(value=99.0, least=2.0, most=5.0, end=5.0)
    >>> find_mark(np.array([1.0, 0.0, -1.0, -2.0])), find_mark(np.array([0.3, -1.0, 0.9]))
    (None, None)
    """
    if not values.size:
        return None
    low = float(np.fmin.reduce(values, axis=None))
    high = float(np.fmax.reduce(values, axis=None))
    mark = low if low < 0.0 else high
    if not is_mark(mark):
        return None
    rest = values[(values != mark) & ~np.isnan(values)]
    if not rest.size or (rest.size < _FEWEST and 1.0 < rest.max() <= _GRADES):
        return None
    least, most = float(rest.min()), float(rest.max())
    graded = bool((2.0 * rest % 1.0 == 0.0).all()) and most > least
    if most <= 1.0:
        known = (least, most) == (0.0, 1.0)
    elif mark > 0.0:
        known = graded and least >= 0.0 and most <= _GRADES < mark
    else:
        known = least >= 0.0 and most <= _PERCENT and (graded or most > _GRADES)
    if not known:
        return None
    if mark > 0.0:
        return Mark(mark, least, most, most)
    return Mark(mark, least, most, 1.0 if graded and least >= 1.0 and most <= _GRADES else 0.0)


_FEWEST = 10  # grades that show which there are
_GRADES, _PERCENT = 10.0, 100.0  # the greatest grade, and the greatest share


def ask_about_mark(place: str, task: str, mark: Mark, number: int) -> DataError:
    """The question what such a number means, with the lines to paste.

    Parameters
    ----------
    place : str
        The first row that has it.
    task : str
        The task.
    mark : Mark
        The number.
    number : int
        How often it stands there.
    """
    above = mark.value > 0.0
    option, word = ("max", "maximum") if above else ("min", "minimum")
    times = "once" if number == 1 else f"{number:,} times"
    lines = (
        (f"--word {mark.value:g}=missing", "no score: nothing was measured or recorded there"),
        (
            f"--score-{option} {mark.end:g}",
            "no score: the answer failed; what that counts as is asked next",
        ),
        (
            f"--score-{option} {mark.value:g}",
            f"a score, the {'greatest' if above else 'lowest'} that there is",
        ),
    )
    width = max(len(line) for line, _ in lines)
    shown = "".join(f"\n  {line:<{width}}  {said}" for line, said in lines)
    return DataError(
        f"{place}: {mark.value:g} stands {times} beside scores from {mark.least:g} to "
        f"{mark.most:g} on task {task!r}. Is it a score, or does it mark what was not measured, or "
        f"answers that failed (a timeout, an error)? Choose (the line to paste, what it says):"
        f"{shown}\nIn Python: words={{'{mark.value:g}': 'missing'}}, {word}={mark.end:g}, or "
        f"{word}={mark.value:g}."
    )


def refuse_signed(scores: Scores, table: TidyTable) -> None:
    """Raises `DataError` where errors stand with their signs, so that neither side is better."""
    if isinstance(scores.tasks, StoredTasks):
        return
    score = table.roles["score"]
    found: dict[str, list[NDArray[np.float64]]] = {}
    for task, evidence in scores.tasks.items():
        name = scores.info[task].metric or (task if table.header else score)
        if isinstance(evidence, Items | Estimates) and is_signed_error(name):
            each = evidence.values if isinstance(evidence, Items) else evidence.mean
            found.setdefault(name, []).append(each[~np.isnan(each)])
    for name, parts in found.items():
        each = np.concatenate(parts)
        if each.size < _FEWEST or min(np.mean(each < 0.0), np.mean(each > 0.0)) < _ONE_SIDE:
            continue
        columns: str | list[str] = [*table.header] if table.header else score
        raise DataError(
            f"{table.rows.source}: values of {name!r} lie on both sides of 0, so they seem to be "
            "errors with their signs, such as forecast minus outcome. Neither side is better: "
            "large errors of either sign cancel in a mean. Rank their size: in pandas, "
            f"frame[{columns!r}] = frame[{columns!r}].abs(). Write that to a file, and read it "
            "with --direction lower. If these are differences from a baseline, call them so: "
            f"'{name}_difference'."
        )


def note_row_scales(scores: Scores) -> Note | None:
    """What is said where errors in a unit lie so far apart that each row seems to have its own."""
    for task, items in scores.tasks.items():
        name = scores.info[task].metric or task
        if not isinstance(items, Items) or items.n < _FEWEST or not lacks_unit(name):
            continue
        size = np.nan_to_num(np.abs(items.values)).sum(axis=1)
        size = size / np.maximum((~np.isnan(items.values)).sum(axis=1), 1)
        low, high = np.quantile(size, (0.05, 0.95))
        if not 0.0 < low * _OTHER_UNITS <= high:
            continue
        largest = np.sort(size)[::-1].cumsum()
        few = int(np.searchsorted(largest, largest[-1] / 2.0)) + 1
        return Note(
            "row-scales",
            f"Rows of {task!r} lie far apart (most mean scores from {low:.3g} to {high:.3g}), and "
            f"{few} of {items.n} make half of every mean. If each row is a series in a unit of its "
            f"own, a mean of {name!r} says little: use an error that has none, such as MASE, or "
            "take each for a task (--layout tasks-by-models, or --column task=NAME), where ranks "
            "within tasks are averaged.",
        )
    return None


_OTHER_UNITS = 1000.0  # times: errors of one unit hardly lie so far apart

_ONE_SIDE = 0.05  # of the values, at least so many lie on each side of 0


def refuse_low_baseline(scores: Scores, source: str) -> None:
    """Raises `DataError` where a guess that learns nothing comes first, and no side was declared.

    So it does on most tasks where the scores are errors.
    """
    bases = [name for name in scores.models if _LEARNS_NOTHING.fullmatch(name.casefold())]
    if not bases or len(scores.models) < _FEWEST_RANKED or isinstance(scores.tasks, StoredTasks):
        return
    first = []
    for task, evidence in scores.tasks.items():
        name = scores.info[task].metric or task
        if usual_direction(name) is not None or not isinstance(evidence, Items | Estimates):
            continue
        each = evidence.values if isinstance(evidence, Items) else evidence.mean[np.newaxis]
        scored = (~np.isnan(each)).sum(axis=0)
        known = np.flatnonzero(scored)
        if not known.size or np.isin(each, (0.0, 1.0)).all():
            continue
        mean = np.nansum(each, axis=0)[known] / scored[known]
        first.append(evidence.models[known[int(np.argmax(mean))]])
    won = sum(name in bases for name in first)
    if first and won >= _MOSTLY * len(first):
        where = f"on {won} of {len(first)} tasks " if len(first) > 1 else ""
        raise DataError(
            f"{source}: {list_names([name for name in bases if name in first], 3)} comes first "
            f"{where}if higher is better, and is called as a forecast or a guess that learns "
            "nothing. Declare which side is better: --direction lower if these are errors, "
            "--direction higher if not (in Python: direction='lower')."
        )


_LEARNS_NOTHING = re.compile(
    r"(?:s|seasonal|random|auto)?[\W_]*naive[\W_]*[12]?|persistence|climatology|chance|random"
    r"|random[\W_]*(?:walk|guess|guessing|baseline)|majority(?:[\W_]*class)?"
    r"|(?:historic(?:al)?|window)?[\W_]*(?:mean|average)[\W_]*(?:forecast|baseline|predictor)?"
    r"|dummy(?:[\W_]*(?:classifier|regressor|model))?"
)
_MOSTLY = 2 / 3  # of tasks on which it comes first

_FEWEST_RANKED = 3  # models and tasks


def refuse_ranks(scores: Scores, source: str) -> None:
    """Scores that are the ranks of the models on every task or item do not say what is better."""
    models = len(scores.models)
    if isinstance(scores.tasks, StoredTasks) or models < _FEWEST_RANKED:
        return

    def ranked(one: Evidence) -> bool:
        if isinstance(one, Items):
            by_answer = one.runs if one.runs is not None else one.trials
            each = one.values if by_answer is None else by_answer.reshape(-1, len(one.models))
        elif isinstance(one, Estimates) and not one.has_uncertainty:
            each = one.mean[np.newaxis]
        else:
            return False
        return _are_places(each)

    rows = [one.n if isinstance(one, Items) else 1 for one in scores.tasks.values()]
    if sum(rows) >= _FEWEST_RANKED and all(map(ranked, scores.tasks.values())):
        what = "item" if max(rows) > 1 else "task"
        raise DataError(
            f"{source}: on every {what} the scores are the numbers 1 to {models}, as ranks "
            "are. Declare which side is better: --direction lower if 1 is the best, --direction "
            "higher if not (in Python: direction='lower')."
        )


def _are_places(each: NDArray[np.float64]) -> bool:
    """Whether nearly all rows hold the places of those that have any, ties between two numbers.

    >>> _are_places(np.array([[1.0, 2.5, 2.5], [2.0, 1.0, np.nan], [3.0, 1.0, 2.0]]))
    True
    >>> _are_places(np.array([[1.0, 3.0, 3.0], [2.0, 1.0, 3.0]]))
    False
    """
    each = each[~np.isnan(each).all(axis=1)]
    many = (~np.isnan(each)).sum(axis=1, keepdims=True)
    within = np.isnan(each) | ((each >= 1.0) & (each <= many) & (2.0 * each % 1.0 == 0.0))
    placed = within.all(axis=1) & (np.nansum(each, axis=1) == (many * (many + 1) / 2)[:, 0])
    return bool(placed.size and placed.mean() >= _PLACED and many.max() >= _FEWEST_RANKED)


_PLACED = 0.9

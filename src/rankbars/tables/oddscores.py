"""Scores that cannot all be meant as they stand: on two scales, negated losses, no shares.

What they are is asked; a declared limit of the scores says it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.directions import Direction
from rankbars.tables.metrics import depends_on_scale, is_proportion, never_negative, usual_direction

__all__ = ["check_assumed", "check_scale", "check_signs", "check_unbounded", "has_unit"]

# Of scores that look like losses: the greatest, and the share of whole numbers.
_MOST_OF_LOSSES, _FEW_WHOLE = 5.0, 0.1
_PERCENT = 100.0
_RATED = frozenset({"arena", "elo", "rating"})


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


def check_assumed(
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
        So many tasks without shares are asked about.
    """
    if maximum is not None:
        return
    top = {task: float(np.nanmax(largest[task])) for task in largest
           if task in assumed and not np.isnan(largest[task]).all()}  # fmt: skip
    named = {task for task in top if _RATED & set(re.findall(r"[^\W_]+", task.casefold()))}
    beyond = [task for task, value in top.items() if value > _PERCENT and task not in named]
    if len(beyond) >= fewest and len(beyond) > len(top) / 2:
        raise DataError(
            f"Scores of {list_names(beyond, 4)} are no shares (up to {top[beyond[0]]:g}), and no "
            "name says whether they are better when they are higher, as points, or lower, as "
            "errors and losses. Declare which side is better: --direction higher or --direction "
            "lower (in Python: direction='higher')."
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

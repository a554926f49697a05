"""The verb `select_tasks`: choose tasks by their results, without spoiling the inference."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Folds, Items, take_rows
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import check_rate
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.stats.ranks import count_bounds, interval_width
from rankbars.stats.streams import stream
from rankbars.steps.corrections import Family, take_correction
from rankbars.steps.pairtests import compare_evidence

__all__ = ["SELECTIONS", "select_tasks"]

SELECTIONS = ("width", "top_k")


class _Halves(NamedTuple):
    chosen_on: Scores
    inferred_on: Scores


def select_tasks(
    scores: Scores,
    *,
    by: str,
    max_width: float = 0.5,
    k: int = 3,
    share: float = 0.5,
    alpha: float = 0.05,
    seed: int = 0,
    same_data: bool = False,
) -> Scores:
    """Tasks chosen by what they show, with the rows that were not used for choosing.

    Choosing tasks by name or category needs none of this: use `Scores.select`, before looking at
    results. Choosing by results and then inferring from the same rows voids every guarantee, so
    the rows of each task are split: one part chooses, the other part is returned.

    Parameters
    ----------
    scores : Scores
        Scores per row on every task.
    by : {"width", "top_k"}
        ``"width"``: keep tasks whose rank intervals are narrow. ``"top_k"``: keep all tasks, and
        make a category of those that share their k best models (for ``merge="group"``).
    max_width : float
        For ``"width"``: largest mean width that is kept, as a share of ``M - 1``, in (0, 1).
    k : int
        For ``"top_k"``: how many models.
    share : float
        Share of the rows that chooses, in (0, 1).
    alpha : float
        Error rate of the intervals that choose.
    seed : int
        Start of the random split; whole clusters are split.
    same_data : bool
        True: choose and infer on the same rows. The result carries a note that no guarantee
        holds.

    Returns
    -------
    Scores
        The chosen tasks.

    Raises
    ------
    DataError
        If no task is chosen.
    OptionError
        If an option is out of range, or a task has no independent rows to split.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> sharp = rng.normal(size=(80, 3)) + [0.0, 2.0, 4.0]
    >>> blunt = rng.normal(size=(80, 3))
    >>> scores = rb.Scores.from_arrays({"sharp": sharp, "blunt": blunt}, ["a", "b", "c"])
    >>> chosen = rb.select_tasks(scores, by="width", max_width=0.3)
    >>> list(chosen.tasks), chosen.tasks["sharp"].n
    (['sharp'], 40)
    """
    if by not in SELECTIONS:
        raise UnknownOptionError.among("selection of tasks", by, SELECTIONS)
    check_rate("alpha", alpha)
    for name, value in (("share", share), ("max_width", max_width)):
        if not 0.0 < value < 1.0:
            raise OptionError.out_of_range(name, value, "strictly between 0 and 1")
    if by == "top_k" and not 1 <= k <= len(scores.models):
        raise OptionError.out_of_range("k", k, f"between 1 and {len(scores.models)}")
    halves = _Halves(scores, scores) if same_data else _split(scores, share, seed)
    if by == "width":
        kept = [name for name in scores.tasks if _width(halves.chosen_on, name, alpha) <= max_width]
        if not kept:
            raise DataError(
                f"No task has rank intervals of mean width {max_width:g} of the field or less. "
                "Raise max_width."
            )
        chosen = halves.inferred_on.select(tasks=kept)
    else:
        chosen = _group_by_top(halves, k)
    return chosen.with_notes([_selection_note(scores, chosen, by, share, same_data)])


def _split(scores: Scores, share: float, seed: int) -> _Halves:
    first, second = {}, {}
    for name, evidence in scores.tasks.items():
        if not isinstance(evidence, Items) or isinstance(evidence.design, Folds):
            raise OptionError(
                f"Task {name!r} has no independent rows to split, so choosing tasks by their "
                "results would use the same evidence twice. Choose tasks by name or category, or "
                "pass same_data=True and lose the guarantee."
            )
        chooses = _split_rows(evidence, share, stream(seed, "selection", name))
        if not chooses.any() or chooses.all():
            raise OptionError(
                f"Task {name!r} has too few rows to split ({evidence.n}); at least one is needed "
                "on either side."
            )
        first[name] = take_rows(evidence, chooses)
        second[name] = take_rows(evidence, ~chooses)
    info = {name: replace(one, coverage=None) for name, one in scores.info.items()}
    return _Halves(
        replace(scores, tasks=first, info=info), replace(scores, tasks=second, info=info)
    )


def _split_rows(items: Items, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    labels = np.arange(items.n) if items.clusters is None else items.clusters
    units = np.unique(labels)
    count = round(share * units.size)
    return np.isin(labels, generator.permutation(units)[:count])


def _width(scores: Scores, name: str, alpha: float) -> float:
    comparisons = compare_evidence(scores.tasks[name], scores.models, "auto", name)
    deciding = comparisons.pairs
    if deciding is None:
        return 1.0
    made = take_correction("holm")(Family(deciding.statistic, deciding.df), "each", alpha).decisions
    return interval_width(*count_bounds(made.better, made.worse), len(scores.models))


def _group_by_top(halves: _Halves, k: int) -> Scores:
    models = halves.chosen_on.models
    info = {}
    for name, evidence in halves.chosen_on.tasks.items():
        mean = compare_evidence(evidence, models, "auto", name).mean
        order = np.lexsort((np.arange(mean.size), -np.nan_to_num(mean, nan=-np.inf)))
        top = ", ".join(sorted(models[i] for i in order[:k]))
        info[name] = replace(halves.inferred_on.info[name], category=f"top {k}: {top}")
    return replace(halves.inferred_on, info=info)


def _selection_note(scores: Scores, chosen: Scores, by: str, share: float, same_data: bool) -> Note:
    what = (
        f"{len(chosen.tasks)} of {len(scores.tasks)} tasks were chosen by the width of their "
        "rank intervals"
        if by == "width"
        else "Tasks were grouped by their best models"
    )
    if same_data:
        return Note(
            "selected-on-same-data",
            f"{what}, on the same rows that the intervals come from: no stated error rate holds.",
        )
    return Note(
        "selected",
        f"{what}, on {100 * share:g} % of the rows; the intervals come from the other rows. "
        "A new task is one that would have been chosen too.",
    )

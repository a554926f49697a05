"""The verb `select_tasks`: choose tasks by their results, without spoiling the inference."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.evidence import Folds, Items, take_rows
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import check_rate
from rankbars.errors import DataError, OptionError
from rankbars.stats.ranks import count_bounds, interval_width
from rankbars.stats.streams import stream
from rankbars.steps.corrections import Family, take_correction
from rankbars.steps.pairtests import compare_evidence

__all__ = ["SELECTIONS", "SPLITS", "select_tasks"]

SELECTIONS = ("width", "top_k")
SPLITS = ("items", "alpha")


class _Halves(NamedTuple):
    chosen_on: Scores
    inferred_on: Scores


def select_tasks(
    scores: Scores,
    *,
    by: str,
    max_width: float = 0.5,
    k: int = 3,
    overlap: float = 0.5,
    split: Literal["items", "alpha"] = "items",
    share: float = 0.5,
    alpha: float = 0.05,
    seed: int = 0,
    same_data: bool = False,
) -> Scores:
    """Tasks chosen by what they show, with the rows that were not used for choosing.

    Choosing tasks by name or category needs none of this: use `Scores.select`, before looking at
    results. Choosing by results and then inferring from the same rows voids every guarantee. So
    the rows of each task are split: one part chooses, the other part is returned. Or the error
    rate is: all rows are returned, for intervals at a smaller rate.

    Parameters
    ----------
    scores : Scores
        Scores per row on every task.
    by : {"width", "top_k"}
        ``"width"``: keep tasks whose rank intervals are narrow. ``"top_k"``: keep all tasks, and
        make a category of those with much the same k best models (for ``merge="group"``).
    max_width : float
        For ``"width"``: largest mean width that is kept, as a share of ``M - 1``, in (0, 1).
    k : int
        For ``"top_k"``: how many models.
    overlap : float
        For ``"top_k"``: any two tasks of a category share at least this share of their k best
        models, in (0, 1]; 1 puts only tasks with the same ones together (complete linkage).
    split : {"items", "alpha"}
        ``"items"``: the rows are split; of folds, whole repeats, which share their data, so that
        no level is assured. ``"alpha"``, for ``"width"``: the error rate is. A note says the rate,
        `alpha` times the share of tasks that were chosen, at which at most `alpha` of the rank
        intervals on chosen tasks miss on average (Benjamini and Yekutieli 2005); this is about
        ranks on these tasks with ``scope="each"``, not about a new task or the average.
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

    Notes
    -----
    With ``split="alpha"`` tasks must be independent, and each is kept or not by its own rows only;
    then the rate of intervals that miss among the chosen is controlled exactly as said.

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
    check_name("selection of tasks", by, SELECTIONS)
    check_rate("alpha", alpha)
    for name, value in (("share", share), ("max_width", max_width)):
        if not 0.0 < value < 1.0:
            raise OptionError.out_of_range(name, value, "strictly between 0 and 1")
    if by == "top_k" and not 1 <= k <= len(scores.models):
        raise OptionError.out_of_range("k", k, f"between 1 and {len(scores.models)}")
    if not 0.0 < overlap <= 1.0:
        raise OptionError.out_of_range("overlap", overlap, "above 0 and at most 1")
    check_name("way to split", split, SPLITS)
    if split == "alpha" and (by != "width" or same_data):
        raise OptionError(
            "The error rate is split for tasks that are chosen by width only: it makes up for "
            "intervals that were kept because they are narrow. Split the rows."
        )
    whole = same_data or split == "alpha"
    halves = _Halves(scores, scores) if whole else _split(scores, share, seed)
    if by == "width":
        kept = [name for name in scores.tasks if _width(halves.chosen_on, name, alpha) <= max_width]
        if not kept:
            raise DataError(
                f"No task has rank intervals of mean width {max_width:g} of the field or less. "
                "Raise --max-width (in Python: max_width)."
            )
        chosen = halves.inferred_on.select(tasks=kept)
    else:
        chosen = _group_by_top(halves, k, overlap)
    what = (
        f"{len(chosen.tasks)} of {len(scores.tasks)} tasks were chosen by the width of their "
        "rank intervals"
        if by == "width"
        else "Tasks were grouped by their best models"
    )
    if split == "alpha":
        return chosen.with_notes([_rate_note(what, alpha, len(chosen.tasks), len(scores.tasks))])
    folds = any(evidence.kind == "folds" for evidence in scores.tasks.values())
    return chosen.with_notes([_selection_note(what, share, folds=folds, same_data=same_data)])


def _split(scores: Scores, share: float, seed: int) -> _Halves:
    first, second = {}, {}
    for name, evidence in scores.tasks.items():
        if not isinstance(evidence, Items):
            raise OptionError(
                f"Task {name!r} has no independent rows to split, so choosing tasks by their "
                "results would use the same evidence twice. Choose tasks by name or category, or "
                "pass same_data=True and lose the guarantee."
            )
        chooses = _split_rows(evidence, share, stream(seed, "selection", name))
        if not chooses.any() or chooses.all():
            raise OptionError(
                f"Task {name!r} has too few rows to split ({evidence.n}); at least one is needed "
                "on either side, and of folds a whole repeat."
            )
        first[name] = _take_part(evidence, chooses)
        second[name] = _take_part(evidence, ~chooses)
    info = {name: replace(one, coverage=None) for name, one in scores.info.items()}
    return _Halves(
        replace(scores, tasks=first, info=info), replace(scores, tasks=second, info=info)
    )


def _split_rows(items: Items, share: float, generator: np.random.Generator) -> NDArray[np.bool_]:
    labels = np.arange(items.n) if items.clusters is None else items.clusters
    if isinstance(items.design, Folds):
        repeats, folds = items.design.repeats, items.design.folds
        if items.n != repeats * folds:
            return np.zeros(items.n, bool)  # which repeat a fold is of cannot be told
        labels = np.repeat(np.arange(repeats), folds)
    units = np.unique(labels)
    count = round(share * units.size)
    return np.isin(labels, generator.permutation(units)[:count])


def _take_part(items: Items, keep: NDArray[np.bool_]) -> Items:
    """Some rows; of folds, some repeats."""
    part = items if not isinstance(items.design, Folds) else replace(items, design="items")
    part = take_rows(part, keep)
    if not isinstance(items.design, Folds):
        return part
    return replace(
        part, design=replace(items.design, repeats=int(keep.sum()) // items.design.folds)
    )


def _width(scores: Scores, name: str, alpha: float) -> float:
    comparisons = compare_evidence(scores.tasks[name], scores.models, "auto", name)
    deciding = comparisons.pairs
    if deciding is None:
        return 1.0
    made = take_correction("holm")(Family(deciding.statistic, deciding.df), "each", alpha).decisions
    return interval_width(*count_bounds(made.better, made.worse), len(scores.models))


def _group_by_top(halves: _Halves, k: int, overlap: float) -> Scores:
    models = halves.chosen_on.models
    names = sorted(halves.chosen_on.tasks)
    top = np.zeros((len(names), len(models)), bool)
    for row, name in enumerate(names):
        mean = compare_evidence(halves.chosen_on.tasks[name], models, "auto", name).mean
        order = np.lexsort((np.arange(mean.size), -np.nan_to_num(mean, nan=-np.inf)))
        top[row, order[:k]] = True
    labels = _cluster(top, k, overlap)
    info, seen = {}, Counter[str]()
    titles: dict[int, str] = {}
    for label in dict.fromkeys(labels.tolist()):
        often = top[labels == label].sum(axis=0)
        best = np.lexsort((np.arange(often.size), -often))[:k]
        title = f"top {k}: {', '.join(sorted(models[i] for i in best))}"
        seen[title] += 1
        titles[label] = title if seen[title] == 1 else f"{title} ({seen[title]})"
    for name, label in zip(names, labels.tolist(), strict=True):
        info[name] = replace(halves.inferred_on.info[name], category=titles[label])
    return replace(halves.inferred_on, info={name: info[name] for name in halves.inferred_on.info})


def _cluster(top: NDArray[np.bool_], k: int, overlap: float) -> NDArray[np.int64]:
    """Groups of tasks, shape (N,): any two of a group share at least `overlap` of k models."""
    if len(top) == 1:
        return np.zeros(1, np.int64)
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    apart = k - top.astype(np.int64) @ top.T.astype(np.int64)
    tree = linkage(squareform(apart.astype(float), checks=False), method="complete")
    # Distances are whole numbers of models, so half a model more decides no tie by rounding.
    most = np.floor((1.0 - overlap) * k + 1e-9)
    return np.asarray(fcluster(tree, most + 0.25, criterion="distance"), np.int64)


def _selection_note(what: str, share: float, *, folds: bool, same_data: bool) -> Note:
    if same_data:
        return Note(
            "selected-on-same-data",
            f"{what}, on the same rows that the intervals come from: no stated error rate holds.",
        )
    if folds:
        return Note(
            "selected-on-folds",
            f"{what}, on {100 * share:g} % of the repeats; the intervals come from the others. "
            "All repeats are of the same data, so these are not independent, and no level is "
            "assured; it is better than choosing on the same folds.",
        )
    return Note(
        "selected",
        f"{what}, on {100 * share:g} % of the rows; the intervals come from the other rows. "
        "A new task is one that would have been chosen too.",
    )


def _rate_note(what: str, alpha: float, chosen: int, known: int) -> Note:
    rate = alpha * chosen / known
    return Note(
        "selected-at-rate",
        f"{what}, on all rows. Rank them with --scope each --alpha {rate:.6g} (in Python: "
        f"scope='each', alpha={rate:.6g}): of the rank intervals on these tasks, at most "
        f"{100 * alpha:g} % then miss on average. Nothing is promised of a new task or of the "
        "average.",
    )

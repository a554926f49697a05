"""Which items people should label next: at random within strata of how sure the judge is."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_whole
from rankbars.data.evidence import Items, take_rows
from rankbars.data.labelsheet import LabelSheet, SheetItem
from rankbars.data.scores import Scores
from rankbars.errors import DataError, OptionError
from rankbars.stats.pairwise.judgedpairs import sampling_p
from rankbars.stats.streams import stream
from rankbars.steps.judging import SUSPECT, place_judgements, scored_items

__all__ = ["ask_labels"]

_ROUNDING = 1.25  # shares of a stratum that differ by whole labels only


def ask_labels(
    *judges: Scores, number: int = 50, labels: Scores | None = None, strata: int = 5, seed: int = 0
) -> LabelSheet:
    """Which items people should label next, so that a judge can be held against their labels.

    What the command ``rankbars next --judge`` does, from Python.

    Parameters
    ----------
    *judges : Scores
        Scores of the same models by one judge each, of all items.
    number : int
        How many items to label.
    labels : Scores, optional
        Labels so far, of items that were chosen at random; they are not asked again.
    strata : int
        How many equal groups the items of a task are put in, by how sure the judges are.
    seed : int
        Of the draws.

    Returns
    -------
    LabelSheet
        The items, with the probability that an item of its stratum has a label when all are done.

    Raises
    ------
    DataError
        If labels do not look like a random sample of the judged items, or names do not fit.
    OptionError
        If an option is out of range, or fewer items are left.

    Notes
    -----
    One judge is sure of an item where its scores of the models differ much (their standard
    deviation); several are where they agree on the models' differences, each on its own scale.
    Every stratum gets labels in proportion to its size, labels so far included, so that the sample
    stays representative; within a stratum items are drawn at random. The strata depend on the
    judges alone: with the same judges a later call goes on where this one ends.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> judge = rb.Items(("a", "b"), np.random.default_rng(0).normal(size=(100, 2)),
    ...                  ids=tuple(f"q{i}" for i in range(100)))
    >>> sheet = rb.ask_labels(rb.Scores({"t": judge}), number=20)
    >>> sheet, sheet.asked[0].probability, sorted({one.stratum for one in sheet.asked})
    (LabelSheet(20 items to label, 0 labelled), 0.2, [1, 2, 3, 4, 5])
    """
    if not judges:
        raise OptionError("ask_labels(judge) takes one judge or more; got none.")
    check_whole("number of items", number, 1)
    check_whole("strata", strata, 1)
    check_whole("seed", seed, 0)
    shared = [task for task in judges[0].tasks if all(task in one.tasks for one in judges)]
    if labels is not None:
        shared = [task for task in shared if task in labels.tasks]
    if not shared:
        raise DataError("Labels and judges have no task in common. Name tasks alike.")
    models = sorted(
        set.intersection(*(set(one.tasks[task].models) for one in judges for task in shared))
        if labels is None
        else {name for task in shared for name in labels.tasks[task].models}
    )
    cells: list[_Cell] = []
    for task in shared:
        people = _people(task, tuple(models), labels)
        others = [scored_items(task, one.tasks[task], "The judge's scores") for one in judges]
        names, judge = place_judgements(task, people, others)
        complete = np.isfinite(judge).all(axis=(1, 2))
        labelled = np.arange(len(names)) < people.n
        if sampling_p(judge, labelled) < SUSPECT / len(shared):
            raise DataError(
                f"Task {task!r}: labelled items do not look like a random sample of the judged "
                "ones, so that more of them cannot make one. Leave out these labels (--labels)."
            )
        known = np.flatnonzero(complete)
        for k, rows in enumerate(_strata(judge[known], [names[i] for i in known], strata)):
            cells.append(_Cell(task, k + 1, known[rows], names, people.n))
            _check_drawn(cells[-1], people)
    _allocate(cells, number)
    return _sheet(cells, tuple(models), labels, strata, seed)


class _Cell:
    """A stratum of a task: the places of its items, of which the first `n` have labels."""

    def __init__(
        self, task: str, stratum: int, rows: NDArray[np.intp], names: Sequence[str], n: int
    ) -> None:
        self.task, self.stratum, self.names = task, stratum, names
        self.done = rows[rows < n]
        self.open = rows[rows >= n]
        self.size, self.wanted = len(rows), 0

    @property
    def probability(self) -> float:
        return (len(self.done) + self.wanted) / self.size

    def items(self, rows: NDArray[np.intp]) -> list[SheetItem]:
        chance = self.probability
        return [SheetItem(self.task, self.names[i], self.stratum, chance) for i in rows]


def _people(task: str, models: tuple[str, ...], labels: Scores | None) -> Items:
    """Rows with labels; none where there are no labels yet."""
    if labels is None:
        return Items(models, np.empty((0, len(models))), ids=())
    found = scored_items(task, labels.tasks[task], "The labels")
    if found.models != models:
        raise DataError(
            f"Task {task!r}: people labelled other models than on other tasks. Choose models that "
            "all tasks have, with --models."
        )
    return take_rows(found, np.asarray(~np.isnan(found.values).all(axis=1)))


def _check_drawn(cell: _Cell, people: Items) -> None:
    """Refuse labels that no sheet of these strata asked for: a stratum is drawn at one rate."""
    if people.weights is None or not cell.done.size:
        return
    drawn = people.weights[cell.done]
    if drawn.max() > _ROUNDING * drawn.min():
        raise DataError(
            f"Task {cell.task!r}: labels of stratum {cell.stratum} were drawn with probabilities "
            f"from {1 / drawn.max():.3g} to {1 / drawn.min():.3g}, and a new sheet goes on only "
            "where they are alike. Ask with the judge and --strata of the first sheet, or leave "
            "out these labels."
        )


def _strata(
    judge: NDArray[np.float64], names: Sequence[str], strata: int
) -> list[NDArray[np.intp]]:
    """Rows of each stratum, the surest last; ties are in the order of names."""
    if judge.shape[1] == 1:
        sure = judge[:, 0].std(axis=1)
    else:
        scale = judge.std(axis=(0, 2), keepdims=True)
        own = judge / np.where(scale > 0, scale, 1.0)
        own = own - own.mean(axis=2, keepdims=True)
        sure = -own.std(axis=1).mean(axis=1)
    order = sorted(range(len(names)), key=lambda i: (round(float(sure[i]), 12), names[i]))
    parts = np.array_split(np.array(order, dtype=np.intp), min(strata, max(len(order), 1)))
    return [part for part in parts if part.size]


def _allocate(cells: Sequence[_Cell], number: int) -> None:
    """Labels one by one to the stratum that has the smallest share of them."""
    left = sum(len(cell.open) for cell in cells)
    if number > left:
        raise OptionError(
            f"{number:,} items were asked for, and {left:,} are judged and have no label. Ask for "
            "fewer, or have the judge score more."
        )
    queue = [((len(one.done) + 1) / one.size, k) for k, one in enumerate(cells) if one.open.size]
    heapq.heapify(queue)
    for _ in range(number):
        _, k = heapq.heappop(queue)
        one = cells[k]
        one.wanted += 1
        if one.wanted < len(one.open):
            heapq.heappush(queue, ((len(one.done) + one.wanted + 1) / one.size, k))


def _sheet(
    cells: Sequence[_Cell], models: tuple[str, ...], labels: Scores | None, strata: int, seed: int
) -> LabelSheet:
    asked: list[SheetItem] = []
    done: list[SheetItem] = []
    rows: list[NDArray[np.float64]] = []
    for one in cells:
        draws = stream(seed, one.task, "labels", one.stratum, len(one.done))
        ahead = one.open[np.argsort([one.names[i] for i in one.open]).astype(np.intp)]
        asked += one.items(draws.permutation(ahead)[: one.wanted])
        done += one.items(one.done)
        if labels is not None:
            sign = -1.0 if labels.info[one.task].direction == "lower" else 1.0
            values = _people(one.task, models, labels).values[one.done]
            rows.append(np.where(values == 0, 0.0, sign * values))
    order = stream(seed, "labels", "order").permutation(len(asked))
    scores = np.concatenate([np.empty((0, len(models))), *rows])
    return LabelSheet(models, tuple(asked[i] for i in order), tuple(done), scores, strata)

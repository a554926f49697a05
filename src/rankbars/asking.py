"""What to ask next: votes, where something is undecided; labels, where a judge is not sure."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_whole
from rankbars.data.evidence import Estimates, Items, take_rows
from rankbars.data.fields import names_where
from rankbars.data.growingvotes import Allocation
from rankbars.data.intervals import RankIntervals
from rankbars.data.peoplelabels import LabelSheet, SheetItem
from rankbars.data.scores import Scores
from rankbars.data.spec import VoteOptions
from rankbars.data.votes import Votes
from rankbars.errors import DataError, OptionError
from rankbars.intake import take_scores
from rankbars.stats.pairwise.judgedpairs import sampling_p
from rankbars.stats.streams import stream
from rankbars.stats.votes.arena import best_chances, lay_out_pairs, variance_per_vote
from rankbars.steps.comparison import compare
from rankbars.steps.judging import SUSPECT, place_judgements, scored_items
from rankbars.steps.ranking import rank

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["allocate", "ask_labels"]

_LEAST_EVEN = 0.1
_TWO_SIDED = 1.959963984540054  # of a 95 % interval
_LARGEST = 10_000_000
_NARROWEST = 1e-4  # in log odds; it takes some 10^9 votes


def allocate(
    scores: Results,
    number: int = 1000,
    *,
    decide: str | int = "order",
    width: float | None = None,
    new: Sequence[str] = (),
    even: float = 0.2,
    alpha: float = 0.05,
    votes: VoteOptions | None = None,
    seed: int = 0,
) -> Allocation:
    """Which votes to ask next, so that what is undecided gets shorter.

    What the command ``rankbars next`` does, from Python.

    Parameters
    ----------
    scores : Scores, path or data frame
        One task of votes: all that were cast so far.
    number : int
        How many votes to ask.
    decide : {"order", "first"} or int
        What for: the whole order, who is first, or which are the first k.
    width : float, optional
        Models whose own 95 % interval is wider than plus or minus this, in log odds, come first.
        0.2 is 35 points of Elo.
    new : sequence of str
        Models without any vote.
    even : float
        Share of votes that is drawn from all pairs alike, from 0.1 to 1: no pair is ever less
        likely than this, divided by the number of pairs.
    alpha : float
        Error rate of what counts as decided, for all pairs together.
    votes : VoteOptions, optional
        How votes are turned into strengths.
    seed : int
        Of the draws.

    Returns
    -------
    Allocation
        A probability for every pair, and as many draws.

    Raises
    ------
    DataError
        If there are no votes, or more than one task of them.
    OptionError
        If an option is out of range.

    Notes
    -----
    The probabilities are those with which a fit that weighs votes by one over them has the least
    sum of variances of the undecided differences, mixed with equal ones. Hand them back as a column
    ``sampling_probability``: so weighted, statements do not suffer from pairs that earlier results
    chose. The page *Votes* says how many votes that saves.

    Examples
    --------
    >>> import rankbars as rb
    >>> wins = [[0, 30, 45, 48], [28, 0, 44, 47], [5, 6, 0, 30], [2, 3, 20, 0]]
    >>> asked = rb.allocate(rb.Scores({"arena": rb.Votes(tuple("abcd"), wins)}), decide="first")
    >>> asked.undecided
    ('a', 'b')
    >>> asked.probability.round(2).tolist()
    [0.42, 0.15, 0.13, 0.15, 0.12, 0.03]
    """
    if not 1 <= number <= _LARGEST:
        raise OptionError.out_of_range("number of votes", number, f"from 1 to {_LARGEST:,}")
    if not _LEAST_EVEN <= even <= 1:
        raise OptionError.out_of_range("even", even, f"from {_LEAST_EVEN:g} to 1")
    if width is not None and not width >= _NARROWEST:
        raise OptionError.out_of_range("width", width, f"{_NARROWEST:g} or more")
    if isinstance(new, str) or not all(isinstance(name, str) and name.strip() for name in new):
        raise OptionError(f"new must be a list of names of models; got {new!r}.")
    check_whole("seed", seed, 0)
    task, found, ranks = _so_far(take_scores("allocate", scores), alpha, votes)
    known = found.models
    goal, open_pairs = _undecided(ranks, known, decide)
    for name in new:
        if name in task.models:
            raise OptionError(
                f"{name!r} has votes already, so it is not new. Ask for models whose strength is "
                "hardly known with --width (in Python: width=)."
            )
    unseen = tuple(name for name in dict.fromkeys((*task.models, *new)) if name not in known)
    models = (*known, *unseen)
    if len(models) < 2:
        raise DataError("Votes are between two models; there is one. Name new ones: new, --new.")
    mean = np.zeros(len(models))
    mean[: len(known)] = found.mean - found.mean.mean()
    design = lay_out_pairs(mean)
    wide = np.zeros((len(models), len(models)))
    wide[: len(known), : len(known)] = _sum_of_contrasts(open_pairs)
    chances = best_chances(design, wide, even)
    fresh, for_new = np.arange(len(known), len(models)), 0
    if width is not None or unseen:
        error = np.full(len(models), np.inf)
        if found.cov is not None:
            variance = np.diagonal(found.cov)
            error[: len(known)] = np.sqrt(np.where(variance > 0, variance, np.inf))
        aim = 0.2 if width is None else width
        if width is not None:
            fresh = np.flatnonzero(_TWO_SIDED * error > aim)
        own = np.eye(len(models))[fresh] - 1 / len(models)
        first = best_chances(design, own.T @ own, even)
        each = np.array([variance_per_vote(design, contrast, first) for contrast in own])
        lacking = (_TWO_SIDED / aim) ** 2 - 1 / error[fresh] ** 2
        for_new = min(number, int(np.ceil((each * lacking).max(initial=0.0))))
        chances = (for_new * first + (number - for_new) * chances) / number
    dice = stream(seed, "next", number)
    drawn = dice.choice(chances.size, number, p=chances / chances.sum())
    return Allocation(
        models=models,
        goal=goal,
        undecided=names_where(known, open_pairs.any(axis=1)),
        alpha=ranks.alpha,
        approximate=ranks.approximate,
        new=tuple(models[i] for i in fresh),
        for_new=for_new,
        width=width,
        even=even,
        first=design.first.astype(np.int64),
        second=design.second.astype(np.int64),
        probability=chances / chances.sum(),
        drawn=drawn.astype(np.int64),
        turned=dice.random(number) < 0.5,
    )


def _so_far(
    scores: Scores, alpha: float, votes: VoteOptions | None
) -> tuple[Votes, Estimates, RankIntervals]:
    """The votes, strengths of the models on one scale, and what is shown of these."""
    tasks = list(scores.tasks.values())
    if len(tasks) != 1 or not isinstance(tasks[0], Votes):
        count = sum(isinstance(one, Votes) for one in tasks)
        raise DataError(
            f"allocate() takes one task of votes; got {len(tasks)} tasks, {count} of them votes. "
            "Choose one with scores.select(tasks=[NAME]), or --tasks NAME."
        )
    options = replace(votes or VoteOptions(), largest_component=True)
    compared = next(iter(compare(scores, test="z", votes=options).values()))
    ranks = rank(compared, correction="holm", scope="all", alpha=alpha)
    if not isinstance(compared.evidence, Estimates):
        raise TypeError("a fit of votes gives strengths")
    return tasks[0], compared.evidence, ranks


def _undecided(
    ranks: RankIntervals, known: tuple[str, ...], decide: str | int
) -> tuple[str, NDArray[np.bool_]]:
    """What is to be decided, and the pairs of known models on which it depends, symmetric."""
    if ranks.shown_better is None:
        raise TypeError("ranks of all models at once come with the pairs that are shown")
    place = [ranks.models.index(name) for name in known]
    shown = ranks.shown_better[np.ix_(place, place)]
    open_pairs = ~(shown | shown.T)
    np.fill_diagonal(open_pairs, False)
    if decide == "order":
        return "order", open_pairs
    top = 1 if decide == "first" else decide
    if not isinstance(top, int) or isinstance(top, bool) or not 1 <= top < len(known):
        raise OptionError(
            f"Votes can decide 'order', 'first', or which are the first K of {len(known)} models, "
            f"with K from 1 to {len(known) - 1}; got {decide!r}."
        )
    inside = len(known) - shown.sum(axis=1) <= top
    outside = shown.sum(axis=0) >= top
    unsure = ~inside & ~outside
    # Two models of which neither is unsure decide nothing here.
    open_pairs &= unsure[:, None] | unsure
    if top == 1:  # those that are shown worse than somebody are out
        open_pairs &= unsure[:, None] & unsure
    return "first" if decide == "first" else f"top {top}", open_pairs


def _sum_of_contrasts(pairs: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Sum of ``c c'`` over the differences of the pairs, each once."""
    table = -pairs.astype(np.float64)
    np.fill_diagonal(table, pairs.sum(axis=1))
    return table


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

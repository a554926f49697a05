"""Which correction decides: the one that was asked for, or what ``auto`` stands for on these rows.

Rows of which a few weigh heavily are the reason to change: the diagnostic looks at the skewness of
the whole field, never at who leads. Where rows are complete, and few enough to be flipped, max-T
says more than Holm; sizes decide that, never a clock.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import Note
from rankbars.data.rightanswers import is_binary
from rankbars.data.spec import correction_facts
from rankbars.stats.pairwise.clusters import Grouping, cluster_deviations, few_degrees
from rankbars.stats.rowsigns import skewness_index

__all__ = [
    "RESAMPLED",
    "SHARPER",
    "SKEWED",
    "CorrectionChoice",
    "can_bear_flips",
    "can_flip",
    "can_resample",
    "choose_correction",
    "cluster_skewness",
    "has_one_end",
    "row_skewness",
    "share_of_unknown_tail",
    "skewed_beyond_chance",
    "tail_unknown",
]

SKEWED = 0.25
"""Index above which a t-test with Holm no longer keeps its level."""

RESAMPLED = "maxt_bootstrap"
SHARPER = "maxt"
_FEWEST = 5  # fewer rows that are not 0/1 show nothing; fewer clusters cannot show their tail
_MOST_ROWS = 10_000  # with more, single rows do not weigh heavily
# Lower end of the index, and the share of boards of 10 tied models without a false statement: the
# paired t-test with Holm, the lesser of two simulations of 5 to 200 rows, real and artificial. A
# test draws 8,400 data sets anew (tests/stats/test_skewedlevels.py): .95 .93 .90 .88 .78 .67. Of
# 20,200 earlier ones, .94 .92 .91 .88 .88 .75, the shares are left and not the rows.
_HELD = ((0.7, 0.67), (0.6, 0.78), (0.5, 0.88), (0.4, 0.90), (0.3, 0.92), (SKEWED, 0.94))
# Draws of seconds and costs of tied models. Fewer than 20 rows: .77 to .92, least of 8 providers
# of which one is slow in an answer of seven. 20 to 49 rows: .92 to .97 of two to eight models. On
# averages of tasks of 8 to 49 rows, alone or beside tasks of 100: .80 and more, .87 from 20 on.
_FEW_ROWS, _HELD_IN_FEW = 20, 0.77
_SEVERAL_ROWS, _HELD_IN_SEVERAL, _HELD_ON_AVERAGE = 50, 0.92, 0.87
_CHANCE = 2.0  # standard errors of skewness: the index of normal rows stays below in about 95 %
# With CR2 and Holm, of nine tied agents on 8 to 15 repositories drawn from real ones.
_HELD_IN_CLUSTERS = 0.88
_CLUSTERS_MEASURED = range(8, 16)
_MOST_CELLS = 1e8  # rows times pairs of models: a thousand resamples take some ten seconds
_USUAL_ALPHA = 0.05  # what they were simulated at
_T_LIKE = ("holm", "bonferroni", "simes")  # corrections that they speak of


_EVEN = 0.1  # index above which flipped rows, which leave nothing to spare, err more often
_FEWEST_FLIPPED = 50  # with fewer rows flips show no more than the t-test, of answers even less
_FEWEST_TAIL = 5  # draws beyond the rarest critical value
_RAREST = 0.2  # of the error rate goes to the set for the best
# Seconds of a board with Holm, and of max-T beside it, on one core: measured at 5 to 200 models and
# 200 to 2,000 rows with 1,000 draws. A draw takes 3e-9 to 1.5e-8 s a pair and decides up to three
# times (all pairs, the set for the best, each model for a new task); its signs take 1e-8 s a row.
# 26 models on 14 tasks of 300 to 1,300 rows: .6 s, and .7 s more.
_START, _TASK, _CELL = 0.4, 4e-3, 2e-7
_MAXT_TASK, _PER_PAIR, _PER_ROW, _PER_CELL = 1e-2, 2e-8, 3e-8, 6e-10
_TIMES = 3.0  # what max-T may make of the time of a board


class CorrectionChoice(NamedTuple):
    """Which correction decides, and what must be said of it.

    Attributes
    ----------
    correction : str
        Its name.
    approximate : bool
        Whether its level is not assured on such rows.
    measured : float, optional
        Share of simulations with such rows in which 95 % statements held.
    nothing : bool
        Whether there are too few rows to show anything.
    notes : tuple of Note
        What must be said.
    """

    correction: str
    approximate: bool = False
    measured: float | None = None
    nothing: bool = False
    notes: tuple[Note, ...] = ()


def choose_correction(
    asked: str,
    alpha: float,
    *,
    insisted: bool = False,
    index: float | None = None,
    heavy: int = 0,
    tailed: int = 0,
    resampled: bool = True,
    clustered: bool = False,
    clusters: int = 0,
    flipped: bool = False,
    rows: int = 0,
    one_end: bool = False,
) -> CorrectionChoice:
    """What decides where `asked` was asked for.

    Parameters
    ----------
    asked : str
        A correction, or ``"auto"``.
    alpha : float
        Error rate.
    insisted : bool
        Whether the test was asked for by name.
    index : float, optional
        How skewed the rows are; infinite if there are too few to say, None where that does not
        matter.
    heavy : int
        Rows of a task that has few of them and carries most of the error of an average; 0 if
        there is none.
    tailed : int
        Rows of a task with few of them whose scores have one end only, where such tasks carry most
        of the error of an average; 0 if they do not.
    resampled : bool
        Whether the rows can be resampled.
    clustered : bool
        Whether rows come in clusters.
    clusters : int
        How many there are on a task, of sizes that leave enough degrees of freedom for a t-test;
        0 for averages and where sizes are very unequal.
    flipped : bool
        Whether max-T is valid on these rows and says more: see `can_flip`.
    rows : int
        Independent rows of a task; 0 for clusters and averages.
    one_end : bool
        Whether scores have an end on their better side only; see `has_one_end`.

    Examples
    --------
    >>> choose_correction("auto", 0.05).correction, choose_correction("auto", 0.05, index=0.4)[:2]
    ('holm', ('maxt_bootstrap', False))
    >>> choose_correction("holm", 0.05, index=0.6).measured
    0.88
    """
    even = index is None or (index <= _EVEN and not heavy)
    usual = (SHARPER if flipped and even else "holm") if asked == "auto" else asked
    if index is None or not correction_facts(usual).promises:
        return CorrectionChoice(usual)
    if np.isinf(index):
        return CorrectionChoice(usual, nothing=True)
    skewed = index > SKEWED
    tail = share_of_unknown_tail(index, rows, one_end=one_end)
    if tailed:
        tail = _HELD_IN_FEW if tailed < _FEW_ROWS else _HELD_ON_AVERAGE
    share = tail if alpha == _USUAL_ALPHA else None
    if not (skewed or heavy):
        if tail is None:
            return CorrectionChoice(usual)
        return CorrectionChoice(usual, True, share, notes=(_one_end_note(rows, tailed),))
    if asked == RESAMPLED or (asked == "auto" and not insisted and resampled):
        if tail is not None:
            clear = 2 < rows < _FEW_ROWS and skewed_beyond_chance(index, rows)
            told = _unknown_tail_note(index, rows) if clear else _one_end_note(rows, tailed)
            return CorrectionChoice(RESAMPLED, True, share, notes=(told,))
        note = _resampled_note(index, 0 if skewed else heavy, clustered=clustered)
        return CorrectionChoice(RESAMPLED, notes=(note,))
    left = _left_to_choose(asked, insisted=insisted)
    if not skewed:
        return CorrectionChoice(usual, True, notes=(_few_rows_note(heavy, left),))
    held = ((SKEWED, _HELD_IN_CLUSTERS),) if clustered else _HELD
    known = alpha == _USUAL_ALPHA and usual in _T_LIKE
    if clustered:
        known = known and usual == "holm" and clusters in _CLUSTERS_MEASURED
    measured = next(share for least, share in held if index > least) if known else None
    if measured is not None and tail is not None:
        measured = min(measured, tail)
    text = _unsure_text(index, left if resampled else "", clustered=clustered)
    return CorrectionChoice(usual, True, measured, notes=(Note("skewed", text),))


def share_of_unknown_tail(index: float, rows: int, *, one_end: bool) -> float | None:
    """How often 95 % statements held with rows too few to tell how long their tail is; else None.

    That is with fewer than 20 rows, of which the index is above what normal rows show by chance
    (two standard errors of the skewness of so many, over their root). Scores that have one end
    only, such as seconds and dollars, have a tail though few rows may not show any: fewer than 50.

    Examples
    --------
    >>> [share_of_unknown_tail(index, 12, one_end=False) for index in (0.3, 0.4)]
    [None, 0.77]
    >>> [share_of_unknown_tail(0.1, rows, one_end=True) for rows in (12, 30, 50)]
    [0.77, 0.92, None]
    """
    if rows <= 2:
        return None
    if rows < _FEW_ROWS:
        return _HELD_IN_FEW if one_end or skewed_beyond_chance(index, rows) else None
    return _HELD_IN_SEVERAL if one_end and rows < _SEVERAL_ROWS else None


def skewed_beyond_chance(index: float, rows: int) -> bool:
    """Whether an index is above `SKEWED`, and above what normal rows of such a number show.

    Examples
    --------
    >>> [skewed_beyond_chance(0.4, rows) for rows in (8, 12, 40)]
    [False, True, True]
    """
    error = np.sqrt(6.0 * (rows - 2) / ((rows + 1) * (rows + 3)))
    return bool(index > max(SKEWED, _CHANCE * error / np.sqrt(rows)))


def tail_unknown(evidence: Evidence) -> bool:
    """Whether scores have one end only, and rows are too few to tell how far the other reaches."""
    return isinstance(evidence, Items) and evidence.n < _SEVERAL_ROWS and has_one_end(evidence)


def has_one_end(scores: Evidence | NDArray[np.float64]) -> bool:
    """Whether scores of items end on their better side, at 0, and are not 0/1.

    Where lower is better scores are stored with their signs changed, so that none is above 0.

    Parameters
    ----------
    scores : evidence, or array of float, shape (n, M)
        Rows of scores. Of evidence of another kind this is not said.

    Examples
    --------
    >>> has_one_end(np.array([[-2.5, -0.3], [-4.0, -0.9]]))
    True
    >>> has_one_end(np.array([[0.5, 0.3], [0.4, 0.9]]))
    False
    """
    if not isinstance(scores, np.ndarray):
        if not isinstance(scores, Items) or scores.kind != "items" or is_binary(scores):
            return False
        return has_one_end(scores.values)
    return bool(np.nanmax(scores, initial=-np.inf) <= 0.0) and not is_binary(scores)


def row_skewness(scores: Items | NDArray[np.float64]) -> float | None:
    """How skewed rows are; None where it does not matter, infinite with too few rows to say.

    Answers of 0 and 1 have rules of their own.
    """
    values = scores.values if isinstance(scores, Items) else scores
    if len(values) > _MOST_ROWS or len(values) < 2 or values.shape[1] < 2 or is_binary(scores):
        return None
    return np.inf if len(values) < _FEWEST else skewness_index(values)


def cluster_skewness(values: NDArray[np.float64], grouping: Grouping) -> float | None:
    """How skewed the sums of clusters are; of the rows, where they decide by other means.

    That is where clusters are so unequal that they are flipped, or too few to show a tail.

    Examples
    --------
    >>> from rankbars.stats.pairwise.clusters import group_rows
    >>> rows = np.zeros((20, 2))
    >>> rows[:2, 0] = 1.0
    >>> round(cluster_skewness(rows, group_rows(np.repeat(np.arange(10), 2))), 3)
    0.843
    """
    few = grouping.sizes.size < _FEWEST or few_degrees(grouping) is not None
    if few or len(values) < 2 or values.shape[1] < 2 or grouping.sizes.size > _MOST_ROWS:
        return row_skewness(values)
    return skewness_index(cluster_deviations(values, grouping))


def can_resample(rows: int, models: int) -> bool:
    """Whether rows are few enough to be resampled for all pairs; sizes decide, never a clock."""
    return rows * models * models <= _MOST_CELLS


def can_flip(rows: int, models: int, alpha: float, draws: int) -> bool:
    """Whether max-T can say more than Holm: there are pairs, rows and draws enough.

    Two models have one pair, for which there is nothing to gain.
    """
    enough = models > 2 and rows >= _FEWEST_FLIPPED
    return enough and alpha * _RAREST * (draws + 1) >= _FEWEST_TAIL


def can_bear_flips(tasks: Iterable[tuple[int, int]], draws: int) -> bool:
    """Whether a board of these tasks takes at most about three times as long with max-T.

    Parameters
    ----------
    tasks : iterable of (int, int)
        Rows and models of each.
    draws : int
        How many draws there are.

    Examples
    --------
    >>> can_bear_flips([(800, 26)] * 14, 1000), can_bear_flips([(200, 1000)], 1000)
    (True, False)
    """
    usual, more = _START, 0.0
    for rows, models in tasks:
        cells, pairs = rows * models, models * models
        usual += _TASK + _CELL * cells
        if rows >= _FEWEST_FLIPPED:
            more += _MAXT_TASK + draws * (_PER_PAIR * pairs + _PER_ROW * rows + _PER_CELL * cells)
    return more <= (_TIMES - 1.0) * usual


def _left_to_choose(asked: str, *, insisted: bool) -> str:
    """The options that would let rows be resampled, without those that are chosen already."""
    return " and ".join(["--test auto"] * insisted + ["--correction auto"] * (asked != "auto"))


def _few_rows_note(rows: int, left: str) -> Note:
    advice = (
        f"With {left}, decisions come from resampling the rows, if all are complete."
        if left
        else "They cannot be resampled, because some are not complete or there are too many."
    )
    return Note(
        "few-rows-average",
        f"A task with only {rows} rows carries most of the error of the average for many pairs, "
        f"and so few do not tell well how large it is. {advice}",
    )


def _resampled_note(index: float, heavy: int, *, clustered: bool) -> Note:
    if heavy:
        return Note(
            "few-rows-average",
            f"A task with only {heavy} rows carries most of the error of the average for many "
            "pairs: decisions come from resampling the rows inside each task. Rare large failures "
            "that these rows do not contain are not covered.",
        )
    return Note("skewed", _resampled_text(index, clustered=clustered))


def _unknown_tail_note(index: float, rows: int) -> Note:
    return Note(
        "skewed",
        f"Scores are more skewed than {rows} rows would be by chance (index {index:.2f}), and so "
        "few do not tell how long the tail is: decisions come from resampling the rows, and are "
        "approximate. Rare large failures that these rows do not contain are not covered.",
    )


def _one_end_note(rows: int, tailed: int) -> Note:
    if tailed:
        text = (
            f"Tasks with few rows (from {tailed}) of scores that end on their better side only, as "
            "seconds and costs do, carry most of the error of the average for many pairs, and do "
            "not tell how far they reach on the other: what is said is approximate. With "
            f"{_SEVERAL_ROWS} rows or more on such tasks a level is stated."
        )
        return Note("unknown-tail", text)
    return Note(
        "unknown-tail",
        f"Scores end on their better side only, as seconds and costs do, and so few ({rows}) do "
        "not tell how far they reach on the other: what is said is approximate. With "
        f"{_SEVERAL_ROWS} or more a level is stated.",
    )


def _resampled_text(index: float, *, clustered: bool) -> str:
    if clustered:
        return (
            "Clusters differ in a skewed way for so few, or too few to tell that they are not "
            f"(index {index:.2f}): decisions come from resampling whole clusters. In simulations "
            "with such clusters 95 % statements held in 92 to 100 % of runs. Clusters of a kind "
            "that is not among these are not covered."
        )
    return (
        f"Scores are skewed for so few rows, or too few to tell that they are not (index "
        f"{index:.2f}): decisions come from resampling the rows. In simulations with such rows "
        "95 % statements held in 92 to 100 % of runs. Rare large failures that these rows do not "
        "contain are not covered."
    )


def _unsure_text(index: float, left: str, *, clustered: bool) -> str:
    if clustered and left:
        remedy = (
            f"which errors of clusters do not take into account. With {left}, decisions come from "
            "resampling whole clusters"
        )
    elif left:
        remedy = (
            f"which neither a t-test nor sign flips take into account. With {left}, decisions come "
            "from resampling the rows"
        )
    else:
        remedy = "and they cannot be resampled, because some are not complete or there are too many"
    what = "Scores are skewed for so few rows"
    if clustered:
        what = "Clusters differ in a skewed way for so few"
    return (
        f"{what}, or too few to tell that they are not (index {index:.2f}, above {SKEWED}), "
        f"{remedy}."
    )

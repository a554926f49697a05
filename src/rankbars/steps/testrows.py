"""What tests of pairs see of a task, what they say of it, and what must be said about both.

Something must be said where a stated level is not assured, or little can be shown: few or skewed
rows, few or unequal clusters. What a test says has its place in the full field of models.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence, Items, Votes
from rankbars.data.notes import Note
from rankbars.data.rightanswers import is_binary, is_share
from rankbars.data.spec import VoteOptions
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import OptionError
from rankbars.stats.pairwise.discordance import MOST_COUNTED, count_law, count_wins
from rankbars.stats.pairwise.modelscores import ModelSummary, weighted_rows
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.tables.metrics import is_proportion

if TYPE_CHECKING:
    from rankbars.data.suspects import SuspectGroup, SuspectVoters
    from rankbars.data.taskresult import Effects
    from rankbars.stats.pairwise.updates import KnownPairs

__all__ = [
    "LEVEL_CODES",
    "PairMemory",
    "Setting",
    "Tested",
    "VoteTests",
    "averaged_words",
    "counted_pairs",
    "declared_ends",
    "has_answers_of_runs",
    "item_rows",
    "labels_and_judge",
    "may_be_strengths",
    "pad_tested",
    "row_assumptions",
    "row_notes",
    "row_word",
    "score_ends",
    "weighted_values",
]

LEVEL_CODES = ("few-items", "skewed", "few-clusters", "dominant-cluster", "unequal-clusters")
"""Notes on a task that concern averages with it, too."""

_FEWEST = 5


def item_rows(evidence: Evidence, test: str) -> Items:
    """The evidence as rows; raises `OptionError` where there are only published scores."""
    if isinstance(evidence, Items):
        return evidence
    if isinstance(evidence, Votes):
        raise OptionError(
            f"Test {test!r} needs scores per item, fold or run; this task has votes. Use --test z, "
            "binomial, e_process or e_strength (or auto)."
        )
    raise OptionError(
        f"Test {test!r} needs scores per item, fold or run; this task has one score per model. "
        "Use --test z (or auto)."
    )


def weighted_values(items: Items) -> NDArray[np.float64]:
    """The scores, transformed so that an unweighted test is the weighted one."""
    if items.weights is None:
        return items.values
    if np.isnan(items.values).any():
        raise OptionError(
            "Weights of rows cannot be combined with missing scores. Use --missing listwise, "
            "fail, drop_models or bounds."
        )
    return weighted_rows(items.values, items.weights)


class Labelled(NamedTuple):
    """Labels of all judged rows, NaN where there is none, and judgements.

    `drawn` holds one over the probability with which a row was drawn for a label, and NaN for rows
    without any; None: all alike.
    """

    labels: NDArray[np.float64]
    judge: NDArray[np.float64]
    drawn: NDArray[np.float64] | None


def labels_and_judge(items: Items) -> Labelled:
    """Labels and judgements of a task, by judged row."""
    judge = items.judge
    if judge is None:
        raise OptionError("These rows have no judgements.")
    labels = np.full((len(judge), len(items.models)), np.nan)
    labels[: items.n] = items.values
    drawn = None
    if items.weights is not None:
        drawn = np.full(len(judge), np.nan)
        drawn[: items.n] = items.weights
    return Labelled(labels, judge, drawn)


def counted_pairs(pairs: PairStatistics, items: Items) -> PairStatistics:
    """The same pairs, by the counted law of the t where rows are few right and wrong answers."""
    if items.weights is not None or items.kind == "folds" or np.min(pairs.n) > MOST_COUNTED:
        return pairs
    for zero in (0.0, 1.0):  # where lower is better, wrong answers are stored as -1
        if is_binary(items.values, (-zero, 1.0 - zero)):
            return count_law(pairs, count_wins(items.values + zero))
    return pairs


def row_word(items: Items) -> str:
    """What a row is, in the plural."""
    if items.design == "prompts":
        return "prompt variants"
    return {"items": "items", "folds": "folds", "runs": "training runs"}[items.kind]


def has_answers_of_runs(evidence: Evidence) -> bool:
    """Whether rows are items, and an item has several answers of a model."""
    if not isinstance(evidence, Items) or evidence.design != "items":
        return False
    return evidence.runs is not None or evidence.answers is not None


def averaged_words(items: Items) -> str:
    """What the answers averaged into a row differ in, in the plural; empty where not known."""
    known = items.averaged or (() if items.crossed is None else ("runs",))
    return " and ".join(known)


def row_assumptions(items: Items) -> tuple[str, ...]:
    """What holds beside independence: over what the guarantee is, where rows are not all there is.

    That items are fixed where rows are training runs or prompt variants; that effects which all
    rows share are not covered where answers were averaged within a row.
    """
    word, averaged = row_word(items), averaged_words(items)
    found: tuple[str, ...] = ()
    if items.kind == "runs":
        found = (f"Over {word} only: the items of the task are taken as fixed.",)
    if averaged in ("", "items"):
        return found
    return (
        *found,
        f"Answers were averaged over {averaged}. The guarantee is for new {word} and new answers; "
        f"an effect that all {word} share in one of the {averaged} is not covered "
        "(--runs shared).",
    )


def row_notes(items: Items) -> list[Note]:
    """What must be said about few rows."""
    n, word = items.n, row_word(items)
    if n == 1:
        return [Note("one-row", f"One row ({word}): one observation separates nobody.")]
    if n < _FEWEST:
        text = (
            f"{n} {word}: fewer than {_FEWEST} show no difference, however large, because so few "
            "cannot tell how their differences are spread; only right and wrong answers (1 and 0) "
            "can show one."
        )
        return [Note("few-items", text)]
    return []


def score_ends(evidence: Evidence | None, info: TaskInfo) -> tuple[float, float]:
    """Least and greatest possible score of a task, in the units of the input; infinite: not known.

    They were declared; or they are 0 and 1, of right and wrong answers, of shares of them, and of
    metrics that are shares.

    Examples
    --------
    >>> score_ends(Items(("a",), [[1.0], [0.0]]), TaskInfo())
    (0.0, 1.0)
    >>> score_ends(Items(("a",), [[0.5], [0.0]]), TaskInfo(minimum=0.0))
    (0.0, inf)
    """
    if may_be_strengths(evidence):
        return -np.inf, np.inf
    declared = declared_ends(info)
    if np.isfinite(declared).any():
        return declared
    sign = 1.0 if info.direction == "higher" else -1.0
    if isinstance(evidence, Items):
        values = evidence.values
        if _proportion(info):
            # One row settles most tasks.
            share = _within(sign * values[:1]) and _within(sign * values)
        else:
            share = is_binary(evidence, (0.0, sign))
    elif isinstance(evidence, Estimates):
        counted = evidence.se is not None and is_share(evidence)
        share = counted or (_proportion(info) and _within(sign * evidence.mean))
    else:
        share = False
    return (0.0, 1.0) if share else (-np.inf, np.inf)


def declared_ends(info: TaskInfo) -> tuple[float, float]:
    """The limits that were declared of a task; infinite where there are none."""
    low = -np.inf if info.minimum is None else info.minimum
    return low, np.inf if info.maximum is None else info.maximum


def may_be_strengths(evidence: Evidence | None) -> bool:
    """Whether these may be strengths fitted to votes, which have no ends, whatever was declared."""
    return isinstance(evidence, Estimates) and evidence.cov is not None


def _proportion(info: TaskInfo) -> bool:
    return info.metric is not None and is_proportion(info.metric)


def _within(values: NDArray[np.float64]) -> bool:
    return bool(((values >= 0.0) & (values <= 1.0) | np.isnan(values)).all())


class PairMemory(Protocol):
    """Remembers pair statistics from one analysis to the next."""

    def recall(self, task: str, items: Items) -> KnownPairs:
        """What is known of all pairs of models on complete rows; measured where it is not."""


class VoteTests:
    """Remembers what tests found in votes, while several corrections rank the same ones."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Tested] = {}

    def once(self, test: str, task: str, run: Callable[[], Tested]) -> Tested:
        """What a test found in a task; run where nobody has."""
        if (test, task) not in self._found:
            self._found[test, task] = run()
        return self._found[test, task]


class Setting(NamedTuple):
    """What some tests need: a seed, a number of draws, what they are for; choices for votes.

    `memory` spares the paired t-test, or tests of votes, what is known already; `zero_se` says what
    a published error of 0 counts as, `runs` what several answers to an item are.
    """

    seed: int = 0
    resamples: int = 1000
    key: str = ""
    votes: VoteOptions = VoteOptions()
    memory: PairMemory | VoteTests | None = None
    zero_se: str = "zero"
    runs: str = "independent"


class Tested(NamedTuple):
    """What a test says about the models that are present on a task."""

    summary: ModelSummary
    pairs: PairStatistics | None
    assumptions: tuple[str, ...]
    exact_p: NDArray[np.float64] | None = None  # decides instead of `pairs`
    decided_by: PairStatistics | None = None  # decides instead of `pairs`, which describe means
    notes: tuple[Note, ...] = ()
    kept: NDArray[np.intp] | None = None  # positions of the models that were tested, if not all
    fitted: Estimates | None = None  # what corrections resample instead of the evidence
    rows: int | None = None  # rows that were used, if not all
    log_e: NDArray[np.float64] | None = None  # log e-values, where there are any
    skewness: float | None = None  # how much a few rows weigh, where that matters
    effects: Effects | None = None  # what votes were adjusted for
    suspects: SuspectVoters | None = None
    suspect_groups: tuple[SuspectGroup, ...] | None = None


def pad_tested(tested: Tested, positions: NDArray[np.int64], size: int) -> Tested:
    """The same findings among `size` models; the others are compared with nobody.

    Parameters
    ----------
    tested : Tested
        Findings about the models that are present.
    positions : array of int
        Where these models stand in the full field, ascending.
    size : int
        Number of models of the full field.
    """
    if positions.size == size:
        return tested
    vectors = [np.full(size, np.nan) for _ in range(3)]
    for target, source in zip(vectors, tested.summary, strict=True):
        target[positions] = source
    block = np.ix_(positions, positions)
    exact = tested.exact_p
    if exact is not None:
        exact = np.ones((size, size))
        exact[block] = tested.exact_p
    log_e = tested.log_e
    if log_e is not None:
        log_e = np.zeros((size, size))
        log_e[block] = tested.log_e
    return tested._replace(
        summary=ModelSummary(*vectors),
        pairs=None if tested.pairs is None else tested.pairs.placed(positions, size),
        exact_p=exact,
        log_e=log_e,
        decided_by=None if tested.decided_by is None else tested.decided_by.placed(positions, size),
    )

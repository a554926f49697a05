"""Who leads: the score of the leader, and the probabilities of ranks from draws of scores.

For the score: which interval, on which scale, from what was compared.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from rankbars.calls import check_name
from rankbars.data.board import Leaderboard
from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Items
from rankbars.data.standings import TASK_DRAWS, Winner
from rankbars.data.taskresult import TaskResult
from rankbars.stats.pairwise.modelscores import consensus_scores
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.resampling.distributions import (
    contrast_covariance,
    normal_draws,
    symmetric_root,
)
from rankbars.stats.resampling.rankcounts import rank_probability
from rankbars.stats.selection import (
    SelectedScore,
    binomial_moments,
    hybrid_score,
    hybrid_share,
    largest_deviations,
    resampled_deviation,
    simultaneous_score,
)
from rankbars.stats.streams import stream
from rankbars.stats.tails import upper_tail
from rankbars.stats.votes.arena import ELO_PER_LOG_ODDS
from rankbars.steps.correctionchoice import RESAMPLED, SKEWED

if TYPE_CHECKING:
    from rankbars.data.aggregate import Aggregate

__all__ = ["score_leader", "with_shares"]

_MOST_MODELS = 200  # of more, tables of pairs would be most of a board file
_LARGEST_DEFICIT = 1e-3  # of a table of errors that hardly is a covariance


FEWEST = 30  # rows from which the hybrid interval is taken
DRAWS, RESAMPLES = 10_000, 1_000
MOST_MODELS = 300  # of more, the quantile takes scores as independent, which is wider


class _Field(NamedTuple):
    """Scores of the models that have one, higher is better, and what is known of their errors."""

    models: tuple[str, ...]
    x: NDArray[np.float64]
    se: NDArray[np.float64]
    pair_se: NDArray[np.float64]
    df: float  # behind the leader's error
    key: str
    leader: int
    binary: int = 0  # rows, where they are right or wrong and independent
    answers: bool = False  # whether all rows are right or wrong: no mean is beyond 0 and 1
    step: float = 0.0
    skewed: NDArray[np.float64] | None = None  # the rows, where they are


def score_leader(board: Leaderboard, comparisons: Comparisons | None) -> Winner | None:
    """The leader's score with its selection allowed for; None where no error of it is known.

    Parameters
    ----------
    board : Leaderboard
        The board; what it shows first is what is scored.
    comparisons : Comparisons, optional
        Of the task, on a board of one.

    Raises
    ------
    UnknownOptionError
        If variants were declared of a model that the board does not have.
    """
    variants = board.spec.variants
    for name in variants:
        check_name("model with variants", name, board.models)
    others = sum(count - 1 for count in variants.values())
    field = _field_of(board, comparisons)
    if field is None or (len(field.models) < 2 and not others):
        return None
    made, method = _interval(field, board.spec.alpha, others, board.spec.seed)
    if made is None:
        return None
    low, estimate, high = sorted(_shown(board, field, value) for value in (
        made.low, made.estimate, made.high
    ))  # fmt: skip
    name = field.models[field.leader]
    return Winner(
        name,
        estimate,
        low,
        high,
        "hybrid" if method else "simultaneous",
        variants.get(name, 1),
        board.spec.alpha,
    )


def _interval(
    field: _Field, alpha: float, others: int, seed: int
) -> tuple[SelectedScore | None, bool]:
    """The interval, and whether it is the hybrid one."""
    own, error = float(field.x[field.leader]), float(field.se[field.leader])
    if field.skewed is not None:
        if others:
            return None, False
        rng = stream(seed, "leader", field.key, "rows")
        critical = resampled_deviation(field.skewed, 1 - alpha, rng, draws=RESAMPLES)
        return simultaneous_score(own, error, critical), False
    beta, _ = hybrid_share(alpha)
    whole, narrow = _criticals(field, (1 - beta, 1 - alpha), others, seed)
    correlated = _covariance(field)
    tied = field.step == 0 and (np.delete(field.x, field.leader) >= own).any()
    still = error**2 == 0.0  # nothing varies, or by too little for a square
    if others or correlated is None or tied or still or field.df + 1 < FEWEST:
        return simultaneous_score(own, error, narrow, field.binary), False
    x, column = field.x, correlated[:, field.leader]
    if field.binary:
        x, column = binomial_moments(x, column, field.leader, field.binary, field.se**2)
    made = hybrid_score(x, column, field.leader, critical=whole, alpha=alpha, step=field.step)
    return made, True


def _covariance(field: _Field) -> NDArray[np.float64] | None:
    """Covariance of the scores, from their errors and those of differences."""
    variance = field.se**2
    table: NDArray[np.float64] = (variance[:, None] + variance[None, :] - field.pair_se**2) / 2
    np.fill_diagonal(table, variance)
    return table if np.isfinite(table).all() else None


def _criticals(
    field: _Field, levels: tuple[float, float], others: int, seed: int
) -> tuple[float, ...]:
    size = len(field.models)
    covariance = _covariance(field)
    if covariance is None or size > MOST_MODELS:
        # Bonferroni, for scores that depend on each other in whatever way.
        tails = [(1 - level) / 2 / (size + others) for level in levels]
        df = min(field.df, 1e9)
        return tuple(-float(stdtrit(df, tail)) for tail in tails)
    scale = np.outer(field.se, field.se)
    correlation = np.divide(covariance, scale, out=np.eye(size), where=scale > 0)
    return largest_deviations(
        correlation,
        levels,
        stream(seed, "leader", field.key),
        draws=DRAWS,
        df=field.df,
        others=others,
    )


def _field_of(board: Leaderboard, comparisons: Comparisons | None) -> _Field | None:
    found = None
    if board.lead == "task" and comparisons is not None:
        found = _of_task(board, comparisons)
    elif board.lead == "aggregate" and board.aggregate is not None:
        found = _of_average(board, board.aggregate)
    if found is None:
        return None
    error = found.se[found.leader]
    if not np.isfinite(error) or (error == 0 and not found.binary):
        return None
    return found


def _of_task(board: Leaderboard, comparisons: Comparisons) -> _Field | None:
    if not comparisons.guaranteed:
        return None
    kept = np.flatnonzero(comparisons.present & np.isfinite(comparisons.mean_se))
    if not kept.size or board.order[0] not in kept:
        return None
    leader = int(np.flatnonzero(kept == board.order[0])[0])
    found = _Field(
        models=tuple(board.models[i] for i in kept),
        x=comparisons.mean[kept],
        se=comparisons.mean_se[kept],
        pair_se=comparisons.se[np.ix_(kept, kept)],
        df=_freedom(comparisons.mean_df[kept[leader]]),
        key=comparisons.task,
        leader=leader,
    )
    items = comparisons.evidence
    if comparisons.test == "judge_t":
        return _without_covariance(found)
    if not isinstance(items, Items):
        return found
    index = comparisons.skewness  # infinite with too few rows to say, or to resample
    skewed = index is not None and SKEWED < index < math.inf
    task = board.tasks[comparisons.task]
    if task.approximate:
        return None  # who insists on t gets no level, nor do few rows with an unknown tail
    # Skewed clusters: the simultaneous interval with their few degrees of freedom holds.
    skewed = skewed and items.clusters is None
    return _with_rows(found, items, skewed=skewed)


def _with_rows(field: _Field, items: Items, *, skewed: bool) -> _Field | None:
    """What the rows say beside means and errors."""
    columns = [items.models.index(name) for name in field.models]
    values = items.values[:, columns]
    plain = items.kind == "items" and items.clusters is None and items.weights is None
    complete = not np.isnan(values).any()
    levels = np.unique(values[~np.isnan(values)])
    # Where lower is better, 0/1 scores are stored as 0 and -1.
    shift = 1.0 if levels[0] == -1.0 else 0.0
    answers = bool(np.isin(levels + shift, (0.0, 1.0)).all())
    field = field._replace(answers=answers)
    if skewed:
        return field._replace(skewed=values) if plain and complete else None
    if not complete:
        return field
    field = field._replace(step=_smallest_step(values) / len(values))
    if plain and answers:
        return field._replace(x=field.x + shift, binary=len(values))
    return field


_FINEST = 1e-9  # of the widest gap; finer steps are numbers as they come


def _smallest_step(values: NDArray[np.float64]) -> float:
    """What all differences of scores are multiples of; 0 where there is no such step."""
    levels = np.unique(values)
    if not 2 <= levels.size <= 1_000:
        return 0.0
    gaps = np.diff(levels)
    step = float(gaps.min())
    if step < _FINEST * gaps.max():
        return 0.0
    counts = gaps / step
    return step if np.allclose(counts, np.rint(counts), rtol=0, atol=1e-6) else 0.0


def _of_average(board: Leaderboard, average: Aggregate) -> _Field | None:
    se, contrasts = average.se, average.contrasts
    if se is None or contrasts is None or average.guarantee is None or average.is_range:
        return None
    if average.method == "skill":
        return None
    kept = np.flatnonzero(np.isfinite(average.score) & np.isfinite(se) & np.isfinite(average.low))
    if not kept.size:
        return None
    sign = 1.0 if average.direction == "higher" else -1.0
    x, error = sign * average.score[kept], se[kept]
    if average.method == "geometric":  # its errors and contrasts are those of logarithms
        if (average.score[kept] <= 0).any():
            return None
        x, error = sign * np.log(average.score[kept]), error / average.score[kept]
    leader = int(np.argmax(x))
    skewed = None
    if average.correction == RESAMPLED:
        skewed = _task_rows(board, average, kept, x)
        if skewed is None:
            return None  # rows inside tasks are not resampled for this
    found = _Field(
        models=tuple(average.models[i] for i in kept),
        x=x,
        se=error,
        pair_se=contrasts.se[np.ix_(kept, kept)],
        df=math.inf if average.df is None else _freedom(average.df[kept[leader]]),
        key=f"average over {average.over}",
        leader=leader,
        skewed=skewed,
    )
    judged = any(task.test == "judge_t" for task in board.tasks.values())
    return _without_covariance(found) if judged else found


def _without_covariance(field: _Field) -> _Field:
    """Where a judge corrects means and differences, each with a weight of its own.

    Errors of differences then say nothing of how means depend on each other.
    """
    return field._replace(pair_se=np.full_like(field.pair_se, np.nan))


def _task_rows(
    board: Leaderboard, average: Aggregate, kept: NDArray[np.intp], x: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Scores on tasks, one row each, where their plain mean is the average; else None."""
    weighted = [task for task in board.tasks.values() if task.weight > 0]
    if average.over != "tasks" or average.normalise is not None or not weighted:
        return None
    sign = 1.0 if average.direction == "higher" else -1.0
    rows = np.stack([task.mean[kept] for task in weighted])
    rows = sign * (np.log(rows) if average.method == "geometric" else rows)
    same = np.allclose(rows.mean(axis=0), x, rtol=1e-9, atol=1e-12)
    return rows if same else None


def _freedom(df: float) -> float:
    return math.inf if math.isnan(df) else float(df)


def _shown(board: Leaderboard, field: _Field, value: float) -> float:
    """A value of the leader in the units that the board shows."""
    observed, name = field.x[field.leader], field.models[field.leader]
    if board.aggregate is not None and board.lead == "aggregate":
        sign = 1.0 if board.aggregate.direction == "higher" else -1.0
        least, most = board.aggregate.bounds
        shown = board.aggregate.score[board.models.index(name)]
        if board.aggregate.method == "geometric":
            shown *= math.exp(sign * (value - observed))
        else:
            shown += sign * (value - observed)
        return float(min(max(shown, least), most))
    task = next(iter(board.tasks.values()))
    place = board.models.index(name)
    if task.elo is not None:
        return float(task.elo[place] + ELO_PER_LOG_ODDS * (value - observed))
    sign = 1.0 if task.direction == "higher" else -1.0
    shown = float(task.mean[place] + sign * (value - observed))
    # A share of right answers is no more than all of them.
    return min(max(shown, 0.0), 1.0) if field.answers else shown


def with_shares(result: TaskResult, comparisons: Comparisons, seed: int) -> TaskResult:
    """The result with what joint draws of its scores say of ranks, where errors are known.

    Parameters
    ----------
    result : TaskResult
        The only task of a board.
    comparisons : Comparisons
        Its scores and pairs. Draws are from the normal or t distribution with the covariance that
        follows from the errors of scores and of differences.
    seed : int
        Start of the random stream.

    Returns
    -------
    TaskResult
        As it was without errors, where they fit no joint distribution, and for more than 200
        models.

    Notes
    -----
    Ranks are counted in 10,000 draws. The probability that one model is better than another is
    computed: the tail of the statistic of their difference.
    """
    present = np.flatnonzero(comparisons.present)
    size = len(comparisons.models)
    if comparisons.pairs is None or present.size < 2 or size > _MOST_MODELS:
        return result
    made = _draw(comparisons, comparisons.pairs, present, seed)
    if made is None:
        return result
    share = np.full((size, size), np.nan)
    share[present] = 0.0
    share[np.ix_(present, np.arange(present.size))] = rank_probability(made)
    found = replace(
        result, rank_probability=share, dominance=_dominance(comparisons.pairs, present, size)
    )
    return replace(found, draws_agree=not found.draws_exceed)


def _draw(
    comparisons: Comparisons, pairs: PairStatistics, present: NDArray[np.intp], seed: int
) -> NDArray[np.float64] | None:
    """Draws of the scores of the models that are present; None where errors do not allow it."""
    block = np.ix_(present, present)
    own, among = np.square(comparisons.mean_se[present]), np.square(pairs.se[block])
    np.fill_diagonal(among, 0.0)
    if not (np.isfinite(own).all() and np.isfinite(among).all() and own.any()):
        return None
    found = symmetric_root(contrast_covariance(own, among))
    if found.deficit > _LARGEST_DEFICIT:
        return None
    df = pairs.freedom[block]
    centre = consensus_scores(comparisons.mean[present], pairs.diff[block], pairs.se[block])
    return normal_draws(
        centre,
        found.root,
        lambda chunk: stream(seed, "score draws", comparisons.task, chunk),
        TASK_DRAWS,
        df=float(np.min(df[df > 0], initial=np.inf)),
        identical=pairs.identical[block],
    )


def _dominance(pairs: PairStatistics, present: NDArray[np.intp], size: int) -> NDArray[np.float64]:
    """Probability that i is better than j; NaN without a score or where a difference is constant.

    Two models with the same evidence are never better than each other.
    """
    block = np.ix_(present, present)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = pairs.diff[block] / pairs.se[block]
    df = pairs.freedom[block]
    inside = upper_tail(-statistic, df)
    inside[pairs.se[block] == 0] = np.nan
    inside[(pairs.se[block] == 0) & (pairs.diff[block] == 0)] = 0.0
    np.fill_diagonal(inside, 0.0)
    found = np.full((size, size), np.nan)
    found[block] = inside
    return found

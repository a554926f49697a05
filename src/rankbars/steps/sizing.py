"""Plans: how many rows a goal takes, by a pilot or by what is supposed beforehand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.outlook import (
    CurvePoint,
    Goal,
    LabelNeeds,
    Plan,
    Split,
    Supposed,
    TaskNeeds,
)
from rankbars.errors import DataError, OptionError
from rankbars.stats.repeatedanswers import best_answers
from rankbars.stats.samplesize import (
    FEWEST_ROWS,
    FEWEST_TASKS,
    Needed,
    answers_for_items,
    discordance_bound,
    error_covariance,
    family_size,
    needed_for_effect,
    sample_size,
    separated_neighbours,
    variance_share,
)
from rankbars.stats.streams import stream
from rankbars.steps.pilots import AnswerNoise, Pilot

__all__ = ["Costs", "plan_before", "plan_from"]

_DRAWS, _BOARDS = 2000, 400
_NEIGHBOURS = 0.25  # share of rows on which neighbours at the top of public boards differ
_ROUNDING = 1e-12
_SIZES = 2.0 ** np.arange(-2, 6)


class Costs(NamedTuple):
    """What an item costs, and one answer of both models to it; and how many items there are.

    Costs are NaN where only the number of items is known.
    """

    item: float
    answer: float
    most_items: float | None = None


def plan_from(
    pilot: Pilot,
    goal: Goal,
    *,
    alpha: float,
    power: float,
    effect: float | None,
    noise: Callable[[str, str], AnswerNoise] | None = None,
    costs: Costs | None = None,
    seed: int = 0,
) -> Plan:
    """What it takes, by a pilot.

    Parameters
    ----------
    pilot : Pilot
        What was seen.
    goal : Goal
        What is to be shown; where no models are named, of the first in the pilot.
    alpha, power : float
        Error rate, and the probability to show it.
    effect : float, optional
        True difference to plan for, in place of the observed ones.
    noise : callable, optional
        How much answers of two models vary, with `costs`.
    costs : Costs, optional
        Of items and answers.
    seed : int
        Start of the random streams.

    Raises
    ------
    DataError
        If the pilot is too small.
    OptionError
        If `goal` does not fit it, or the effect cannot be planned for.
    """
    goal, first, second = _pairs_of(pilot, goal)
    pilot = pilot.of_pairs(first, second)
    fewest = FEWEST_TASKS if pilot.unit == "tasks" else FEWEST_ROWS
    if pilot.n < fewest:
        raise DataError(
            f"A pilot of {pilot.n} {pilot.unit.removesuffix('s') if pilot.n == 1 else pilot.unit} "
            f"says too little: at least {fewest} are needed. "
            "Plan without it: --rates P Q for answers that are right or wrong."
        )
    level = alpha / goal.comparisons
    ahead = pilot.difference[first, second]
    if goal.kind == "pair" and ahead[0] < 0 and goal.margin is None:
        first, second, ahead = second, first, -ahead
        goal = goal._replace(models=goal.models[::-1])
    first, second, ahead = _with_spread(pilot, first, second, ahead)
    se, df = pilot.se[first, second], float(pilot.df[first, second].min())
    planned = _planned(goal, effect)
    shown = ahead if planned is None else np.full(len(ahead), planned)
    hardest = int(np.argmin(shown / se))
    if planned is None:
        loads = _loads(pilot, first, second)
        normals = stream(seed, "plan", 0).standard_normal((_DRAWS, len(loads)))
        needed = family_size(shown, se, loads, normals, pilot.n, level, power, df)
    else:
        needed = _supposing(pilot, planned, first, second, hardest, level, power, df)
    tasks = _over_tasks(pilot, goal, first, second, planned, level, power, seed)
    sd = float(se[hardest]) * math.sqrt(pilot.n)
    hardest_pair = pilot.models[first[hardest]], pilot.models[second[hardest]]
    labels = None
    if pilot.judged is not None:
        needed, labels = _labels(needed, pilot, first[hardest], second[hardest])
    return Plan(
        goal=goal, alpha=alpha, power=power, level=level, unit=pilot.unit, n=pilot.n,
        difference=float(shown[hardest]), observed=planned is None, sd=sd, needed=needed,
        place=pilot.place, tasks=tasks, notes=pilot.notes,
        labels=labels,
        curve=() if labels else _curve(pilot, alpha, seed), neighbours=len(pilot.models) - 1,
        split=None if costs is None or noise is None
        else _split(needed, sd**2, noise(*hardest_pair), costs),
    )  # fmt: skip


def _pairs_of(pilot: Pilot, goal: Goal) -> tuple[Goal, NDArray[np.intp], NDArray[np.intp]]:
    """The goal with its models, and the positions of those to be shown better than the others."""
    size = len(pilot.models)
    known = ~np.isnan(pilot.score)
    order = np.lexsort((np.arange(size), -np.where(known, pilot.score, -np.inf)))
    order = order[: int(known.sum())]
    goal = goal._replace(of=size)
    if goal.kind == "pair":
        names = goal.models or tuple(pilot.models[i] for i in order[:2])
        for name in names:
            check_name("model", name, pilot.models)
        first, second = (pilot.models.index(name) for name in names)
        return goal._replace(models=names), np.array([first]), np.array([second])
    inside = len(order) if goal.k is None else goal.k
    if goal.k is not None and not 1 <= goal.k < len(order):
        raise OptionError.out_of_range(
            "the number of first places", goal.k, f"between 1 and {len(order) - 1}: there are "
            f"{len(order)} models"
        )  # fmt: skip
    places = [
        (i, j)
        for i in range(inside)
        for j in range(i + 1 if goal.k is None else inside, len(order))
    ]
    first, second = (order[np.array(column)] for column in zip(*places, strict=True))
    names = tuple(pilot.models[i] for i in order[:inside])
    return goal._replace(models=names), first, second


def _labels(needed: Needed, pilot: Pilot, i: np.intp, j: np.intp) -> tuple[Needed, LabelNeeds]:
    """Labels with the judge, and without it, where `needed` has the variance go down with them.

    Only a part of it does: that of the judge's mean over all items stays.
    """
    judged = pilot.judged
    if judged is None:
        raise OptionError("Here no judge corrects labels.")
    fixed, gain = float(judged.fixed[i, j]), float(judged.gain[i, j])

    def labels(rows: float) -> float:
        left = pilot.n / rows - fixed  # of the variance, to be left to the labels
        found = math.ceil((1 - fixed) * pilot.n / left - 1e-9) if left > 0 else math.inf
        return found if found <= judged.most else math.inf

    likely = needed.likely * (1 - fixed)
    return (
        Needed(*(one if math.isnan(one) else labels(one) for one in needed)),
        LabelNeeds(judged.most, Needed(*(_ceiling(one * gain) for one in needed)),
                   _ceiling(likely)),
    )  # fmt: skip


def _planned(goal: Goal, effect: float | None) -> float | None:
    """The supposed true difference with the margin; None where the observed ones are planned for.

    Raises
    ------
    OptionError
        If it is not above 0.
    """
    if goal.width is not None:
        return goal.width
    if goal.margin is None and effect is None:
        return None
    planned = (effect or 0.0) + (goal.margin or 0.0)
    if not planned > 0:
        need = "above 0: no number of items shows that there is no difference"
        if goal.margin is not None:
            need = f"above {-goal.margin:g}: no number of items shows that a margin is kept if not"
        raise OptionError.out_of_range("the effect", effect, need)
    return planned


def _with_spread(
    pilot: Pilot, first: NDArray[np.intp], second: NDArray[np.intp], ahead: NDArray[np.float64]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
    """The comparisons without those that every row decides alike, in the right direction.

    Raises
    ------
    DataError
        If no spread is known of another, or of all.
    """
    se = pilot.se[first, second]
    open_ = ~((se == 0) & (ahead > 0))
    if not open_.any():
        open_[:] = True
    unknown = np.flatnonzero(open_ & ~(se > 0))
    if unknown.size:
        a, b = (pilot.models[column[unknown[0]]] for column in (first, second))
        raise DataError(
            f"{a!r} and {b!r} differ by the same on every row, or have no row in common: no spread "
            "is known, so no number of rows follows."
        )
    return first[open_], second[open_], ahead[open_]


def _supposing(
    pilot: Pilot, planned: float, first: NDArray[np.intp], second: NDArray[np.intp], hardest: int,
    level: float, power: float, df: float,
) -> Needed:  # fmt: skip
    """Rows for a supposed difference; several comparisons share the chance to miss it."""
    i, j = first[hardest], second[hardest]
    share = None if pilot.discordant is None else float(pilot.discordant[i, j])
    sd = float(pilot.se[i, j]) * math.sqrt(pilot.n)
    each = 1 - (1 - power) / len(first)
    return needed_for_effect(planned, sd, pilot.n, level, each, df=df, discordant=share)


def _loads(pilot: Pilot, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.float64]:
    """What makes the errors of the comparisons of independent normal numbers, one column each.

    Where two of the models have no row in common, their errors are taken as independent.
    """
    chosen = np.unique([first, second])
    se = pilot.se[np.ix_(chosen, chosen)]
    if np.isnan(se).any():
        own = np.sqrt(np.nanmedian(np.square(se), axis=1) / 2)
        se = np.where(np.isnan(se), np.hypot(own[:, None], own[None, :]), se)
    values, vectors = np.linalg.eigh(error_covariance(se))
    root = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    i, j = np.searchsorted(chosen, first), np.searchsorted(chosen, second)
    return np.asarray(root[:, i] - root[:, j])


def _over_tasks(
    pilot: Pilot, goal: Goal, first: NDArray[np.intp], second: NDArray[np.intp],
    planned: float | None, level: float, power: float, seed: int,
) -> TaskNeeds | None:  # fmt: skip
    """The same with tasks as rows."""
    if pilot.task_difference is None or pilot.task_se is None:
        return None
    size, count = len(pilot.models), len(pilot.task_difference)
    upper = np.triu_indices(size, 1)
    place = np.zeros((size, size), dtype=np.intp)
    place[upper] = place[upper[::-1]] = np.arange(len(upper[0]))
    columns = place[first, second]
    signs = np.where(first < second, 1.0, -1.0)
    seen = pilot.task_difference[:, columns] * signs
    centred = seen - seen.mean(axis=0)
    spread = centred.std(axis=0, ddof=1)
    if not (spread > 0).all():
        return None
    within = (pilot.task_se[:, columns] ** 2).mean(axis=0)
    shown = seen.mean(axis=0) if planned is None else np.full(len(columns), planned)
    se = spread / math.sqrt(count)
    normals = stream(seed, "plan tasks", 0).standard_normal((_DRAWS, count))
    if planned is None:
        loads = centred / math.sqrt(count * (count - 1))
        needed = family_size(shown, se, loads, normals, count, level, power, count - 1.0)
    else:
        each = 1 - (1 - power) / len(first)
        sd = float(spread.max())
        needed = needed_for_effect(planned, sd, count, level, each, df=count - 1.0)
    hardest = int(np.argmin(shown / se))
    share, low, high = variance_share(
        float(within[hardest]), float(spread[hardest] ** 2), count - 1
    )
    return TaskNeeds(count, needed, share, (low, high), pilot.fewest, pilot.fewest_rate)


def _curve(pilot: Pilot, alpha: float, seed: int) -> tuple[CurvePoint, ...]:
    """Neighbours told apart over rows, at the level of all pairs."""
    known = np.flatnonzero(~np.isnan(pilot.score))
    size = len(known)
    se = pilot.se[np.ix_(known, known)]
    if size < 2 or np.isnan(se).any():
        return ()
    rows = np.unique(np.maximum(np.round(pilot.n * _SIZES), 2))
    normals = stream(seed, "plan curve", 0).standard_normal((3, _BOARDS, size))
    counts = separated_neighbours(
        pilot.score[known], se, pilot.n, rows, alpha / (size * (size - 1)), normals
    )
    low, high = np.quantile(counts, [0.1, 0.9], axis=0)
    return tuple(
        CurvePoint(int(n), float(mean), float(a), float(b))
        for n, mean, a, b in zip(rows, counts.mean(axis=0), low, high, strict=True)
    )


def _split(needed: Needed, variance: float, noise: AnswerNoise, costs: Costs) -> Split:
    """Items and answers for the least money; rows are in proportion to the variance of one."""
    of_answer = noise.single
    of_item = max(variance - noise.rerun, 0.0)
    if costs.most_items is not None:
        # A number of rows that is out of reach asks for no variance at all.
        answers = answers_for_items(of_item, of_answer, variance / needed.likely, costs.most_items)
        if math.isinf(answers):
            return Split(
                answers, None, needed, math.nan, math.nan, of_item, of_answer, exhausted=True
            )
    else:
        answers = best_answers(of_item, of_answer, costs.item, costs.answer)
    after = of_item + (0.0 if math.isinf(answers) else of_answer / answers)
    items = Needed(*(_ceiling(rows * after / variance) for rows in needed))
    single = _ceiling(needed.likely * (of_item + of_answer) / variance)
    price = costs.item + costs.answer * answers
    ends: tuple[float, float] | None = None
    if costs.most_items is None and noise.low > 0 and noise.rerun > 0:
        # With a share s of answers in the variance of the pilot.
        once = of_answer / noise.rerun * variance
        low, high = (
            best_answers(variance * (1 - share), once * share, costs.item, costs.answer)
            for share in (noise.low, noise.high)
        )
        ends = low, high
    return Split(
        answers, ends, items, items.likely * price, single * (costs.item + costs.answer), of_item,
        of_answer,
    )  # fmt: skip


def _ceiling(rows: float) -> float:
    return float(math.ceil(rows - 1e-9)) if math.isfinite(rows) else rows


def plan_before(
    goal: Goal,
    *,
    alpha: float,
    power: float,
    effect: float | None,
    rates: tuple[float, float] | None,
    discordance: float | None,
    sd: float | None,
    limits: tuple[float, float] | None,
    flip: float | None = None,
    costs: Costs | None = None,
) -> Plan:
    """What it takes before anything was run.

    Parameters
    ----------
    goal, alpha, power, effect
        As in `plan_from`; several comparisons are each planned so that all are shown.
    rates : (float, float), optional
        Supposed shares of right answers of the two.
    discordance : float, optional
        Supposed share of items on which they differ.
    sd : float, optional
        Supposed standard deviation of differences of single rows.
    limits : (float, float), optional
        Least and greatest score.
    flip : float, optional
        Chance that two answers of one model to an item differ.
    costs : Costs, optional
        Of items and answers.

    Raises
    ------
    OptionError
        If nothing says how scores vary, or values do not fit each other.
    """
    gap = effect
    if rates is not None and effect is None and (goal.margin is None or rates[0] != rates[1]):
        gap = abs(rates[0] - rates[1])
    planned = _planned(goal, gap)
    if planned is None:
        raise OptionError(
            "Which true difference is to be shown? Give --effect (effect=), or --rates P Q "
            "(rates=)."
        )
    level = alpha / goal.comparisons
    count = 1 if goal.kind == "pair" else goal.comparisons // (2 if goal.k is None else 1)
    each = 1 - (1 - power) / count

    def line(words: str, bound: bool, share: float | None, spread: float) -> Supposed:
        rows = sample_size(planned, spread, level, each)
        return Supposed(words, bound, share, spread, rows)

    if rates is not None:
        supposed = _of_rates(rates, gap or 0.0, discordance, line)
    elif sd is not None:
        supposed = (line("differences of single items vary so much", False, None, sd),)
    elif limits is not None:
        width = limits[1] - limits[0]
        words = "no scores between these limits can need more"
        supposed = (line(words, True, None, width),)
    else:
        raise OptionError(
            "How do scores vary? For answers that are right or wrong say how often each model is "
            "right (--rates P Q); for graded scores their limits (--score-min LOW --score-max "
            "HIGH), or the standard deviation of paired differences (--sd)."
        )
    last = supposed[-1]
    split = None
    if costs is not None and flip is not None:
        noise = AnswerNoise(flip, flip)
        split = _split(Needed(last.rows, math.nan, math.nan, math.nan), last.sd**2, noise, costs)
    return Plan(
        goal=goal, alpha=alpha, power=power, level=level, unit="items", n=0, difference=planned,
        observed=False, sd=math.nan, supposed=supposed, split=split,
    )  # fmt: skip


def _of_rates(
    rates: tuple[float, float],
    gap: float,
    discordance: float | None,
    line: Callable[[str, bool, float | None, float], Supposed],
) -> tuple[Supposed, ...]:
    """From the most that two models can differ to what neighbours at the top usually do."""
    p, q = rates
    most = discordance_bound(p, q)
    if discordance is not None and not gap <= discordance <= most + _ROUNDING:
        raise OptionError.out_of_range(
            "the discordance", discordance, f"between {gap:g} and {most:g}: with these rates the "
            "two cannot differ on fewer or more items"
        )  # fmt: skip
    independent = p * (1 - q) + q * (1 - p)
    lines = [
        ("the most there can be", True, most),
        ("independent answers", False, independent),
    ]
    if discordance is not None:
        lines.append(("as supposed", False, discordance))
    elif gap < _NEIGHBOURS < most:
        lines.append(("neighbours on public boards: 0.24 to 0.26", False,
                      _NEIGHBOURS))  # fmt: skip
    return tuple(
        line(words, bound, share, math.sqrt(max(share - gap**2, 0.0)))
        for words, bound, share in lines
    )

"""The average over exactly these tasks: the items of each task are the sample."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.draws import Source
from rankbars.data.evidence import Estimates, Folds, Items
from rankbars.data.fields import spread_columns
from rankbars.data.notes import Note, list_words
from rankbars.data.rightanswers import is_share
from rankbars.errors import DataError, OptionError
from rankbars.stats.averaging.points import Limits
from rankbars.stats.averaging.taskcontrasts import (
    add_task,
    against,
    average_contrasts,
    average_summary,
    constant_errors,
    log_pairs,
    log_summary,
    start_sums,
)
from rankbars.stats.multiplicity.symmetricbootstrap import Sample
from rankbars.stats.orders import kemeny_orders
from rankbars.stats.pairwise.modelscores import ModelSummary, consensus_scores
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.resampling.distributions import (
    Streams,
    binomial_draws,
    contrast_covariance,
    normal_draws,
    symmetric_root,
)
from rankbars.stats.resampling.itembootstrap import bootstrap_means
from rankbars.stats.resampling.taskmeans import percentile_ends
from rankbars.stats.tails import critical_value
from rankbars.steps.average.averagemethods import check_range
from rankbars.steps.average.averagerows import RowFindings, RowSums
from rankbars.steps.average.plan import (
    Accumulator,
    AveragePlan,
    Estimate,
    TaskPart,
)
from rankbars.steps.average.scales import draws_limits, scale_comparisons
from rankbars.steps.correctionchoice import can_resample, row_skewness
from rankbars.steps.meantests import SIZES_SAY_NOTHING

__all__ = ["start_analytic", "start_bootstrap"]

DrawScores: TypeAlias = Callable[[TaskPart, tuple[str, ...], Streams, int], NDArray[np.float64]]


def start_analytic(plan: AveragePlan) -> Accumulator:
    """Paired contrasts summed over tasks; draws from the normal distribution."""
    if plan.rule.linear is not None:
        return _Contrasts(plan)
    return _Points(plan, _draw_normal, "normal")


def start_bootstrap(plan: AveragePlan) -> Accumulator:
    """Items resampled within each task, the same for all models; percentile intervals."""
    points = _Points(plan, _draw_resampled, "bootstrap")
    return points if plan.rule.linear is None else _Resampled(_Contrasts(plan), points)


class _Contrasts:
    """Means, differences and their errors, summed over tasks."""

    def __init__(self, plan: AveragePlan) -> None:
        self._plan = plan
        self._sums = start_sums(len(plan.models))
        self._rows = RowSums(plan)
        self._independent = False
        self._constant: list[str] = []
        self.clustered = False
        self._unequal = False  # whether clusters of some task differ in size
        self._parts = 0
        self._joined: Items | None = None  # the last tasks that are one by their rows

    def add(self, part: TaskPart) -> TaskPart:
        compared = part.comparisons
        pairs = compared.pairs
        if pairs is None:
            raise OptionError(
                f"Task {part.task!r}: test {compared.test!r} says nothing about means, so there "
                "is no average. Use --test auto."
            )
        summary = part.summary
        rule = self._plan.rule
        if rule.linear == "log ratio" and not part.joined:
            seen = np.flatnonzero(~np.isnan(summary.mean))
            names = tuple(self._plan.models[i] for i in seen)
            check_range(self._plan.method, rule, summary.mean[seen], names, part.task)
            pairs = log_pairs(summary, pairs, rule.sign)
            summary = log_summary(summary, rule.sign)
        add_task(self._sums, pairs, summary, part.weight)
        if part.weight > 0 and isinstance(compared.evidence, Items) and pairs.constant.any():
            self._constant.append(part.task)
        self.clustered |= compared.test == "cluster_t"
        self._unequal |= SIZES_SAY_NOTHING in compared.assumptions
        self._rows.add(part, pairs._replace(se=constant_errors(pairs)))
        if part.weight > 0:
            self._parts += 1
            if part.joined and isinstance(part.evidence, Items):
                self._joined = part.evidence
        if isinstance(compared.evidence, Estimates) and compared.evidence.cov is None:
            self._independent = True
        return part

    def finish(self) -> Estimate:
        summary, pairs = self.contrasts()
        df = np.nan_to_num(summary.df, nan=0.0)
        half = critical_value(self._plan.alpha / 2, df) * summary.se
        draws, notes = self._draw(summary, pairs)
        found = Estimate(
            summary, summary.mean - half, summary.mean + half, pairs, draws, "normal",
            self._assumptions(), notes=notes, clustered=self.clustered,
            **self.rows(summary, pairs)._asdict(),
        )  # fmt: skip
        return self.as_one_task(found)

    def as_one_task(self, found: Estimate) -> Estimate:
        """The same, decided as one task is, where all tasks are one by their rows."""
        if self._parts != 1 or self._joined is None:
            return found
        present = found.present
        values = self._joined.values[:, present]
        found = found._replace(skewness=row_skewness(values), heavy=0, tailed=0, unread=None)
        if np.isnan(values).any():
            return found._replace(whole=False)
        if can_resample(len(values), present.size):
            sample = Sample(values, 1.0, self._plan.streams("symmetric", "rows"))
            found = found._replace(samples=(sample,))
        rows = spread_columns(values, present, len(self._plan.models))
        runs = self._joined.kind == "runs"  # few, and decided by themselves
        return found._replace(rows=rows if runs else None, whole=True)

    def _assumptions(self) -> tuple[str, ...]:
        known = _assumptions("errors of averages are close to normal", joined=self._joined)
        known = (*known, SIZES_SAY_NOTHING) if self._unequal else known
        return (*known, _INDEPENDENT) if self._independent else known

    def rows(self, summary: ModelSummary, pairs: PairStatistics) -> RowFindings:
        """How much a few rows weigh, and which of them can be resampled."""
        return self._rows.finish(pairs, np.flatnonzero(~np.isnan(summary.mean)))

    def contrasts(self) -> tuple[ModelSummary, PairStatistics]:
        """Averages and their contrasts."""
        summary, pairs = average_summary(self._sums), average_contrasts(self._sums)
        baseline = self._plan.baseline_position
        return (summary if baseline is None else against(pairs, baseline)), pairs

    def _draw(
        self, summary: ModelSummary, pairs: PairStatistics
    ) -> tuple[NDArray[np.float64] | None, tuple[Note, ...]]:
        present = np.flatnonzero(~np.isnan(summary.mean))
        block = np.ix_(present, present)
        own, among = np.square(summary.se[present]), np.square(pairs.se[block])
        np.fill_diagonal(among, 0.0)
        if present.size == 0 or not (np.isfinite(own).all() and np.isfinite(among).all()):
            message = "No joint distribution of the averages: some errors are not known."
            return None, (Note("no-draws", message),)
        found = symmetric_root(contrast_covariance(own, among))
        mean = summary.mean[present]
        centre = consensus_scores(mean, pairs.diff[block], pairs.se[block])
        made = normal_draws(
            centre,
            found.root,
            self._plan.streams("normal"),
            self._plan.resamples,
            identical=pairs.identical[block],
        )
        notes = []
        if centre is not mean and (np.abs(centre - mean) > _MOVED * summary.se[present]).any():
            notes.append(_CENTRED)
        spread = (np.sqrt(own) > _ROUNDING * np.abs(mean)).any()  # constant scores have none
        if ((self._sums.ahead > 0) & ~pairs.constant)[block].any():
            notes.append(_constant_note(self._constant))
        elif found.deficit > _LARGEST_DEFICIT and spread:
            notes.append(_NOT_JOINT)
        return spread_columns(made, present, len(self._plan.models)), tuple(notes)


_INDEPENDENT = (
    "Errors of different models are independent. If models answered the same items, their answers "
    "per item would separate them better."
)
_MOVED = 0.1  # standard errors
_CENTRED = Note(
    "paired-draws",
    "Models miss different rows, so paired differences put some of them elsewhere than their own "
    "means do; rank probabilities follow the paired differences.",
)
_LARGEST_DEFICIT = 1e-3
_ROUNDING = 1e-12
_NOT_JOINT = Note(
    "not-joint",
    "Pairs of models share different rows, and their errors fit no joint distribution; rank "
    "probabilities come from the nearest one.",
)


def _constant_note(tasks: list[str]) -> Note:
    shown = list_words(tasks, 3)
    return Note(
        "constant-on-task",
        f"Some models differ by the same on every row of a task ({shown}), which shows no spread. "
        "On the average these rows count as much as in a sign test of their own.",
    )


class _Points:
    """What models earn on each task, in every draw of their scores there."""

    def __init__(self, plan: AveragePlan, draw: DrawScores, source: Source) -> None:
        self._plan, self._draw, self._source = plan, draw, source
        self._shared = plan.positions
        width = plan.rule.width(self._shared.size)
        self._score, self._draws = np.zeros(width), np.zeros((plan.resamples, width))
        self.limits: dict[str, Limits] = {}
        self._share = plan.drawn_categories(self._shared.size)
        self._by_category = {name: np.zeros_like(self._draws) for name in self._share}

    def add(self, part: TaskPart) -> TaskPart:
        if not self._shared.size:
            return part  # no model has a score on every task
        plan, rule = self._plan, self._plan.rule
        streams = plan.streams(self._source, part.task)
        values = self._draw(part, plan.shared, streams, plan.resamples)
        limits = part.limits
        if plan.normalise == "minmax_draws":
            limits = self.limits[part.task] = draws_limits(values, part.task)
            scaled = scale_comparisons(part.comparisons, limits)
            seen = part.seen
            if seen is not None and seen.third is not None:  # looked at before there was a scale
                seen = seen._replace(third=seen.third / limits.width**3)
            part = part._replace(comparisons=scaled, limits=limits, seen=seen)
        if limits is not None:
            values = limits.apply(values)
        mean = part.comparisons.mean[self._shared]
        check_range(plan.method, rule, mean, plan.shared, part.task)
        if rule.lacks(values).any():
            if plan.normalise != "minmax_draws":
                raise DataError(
                    f"Task {part.task!r}: some resamples have scores of 0 or below, which have no "
                    "geometric mean. Use another method, such as mean or average_rank."
                )
            # This scale makes the smallest draw 0: a product with it is the smallest, but finite.
            values = np.maximum(values, np.finfo(np.float64).tiny)
        rng = plan.streams("noise", part.task)(0)
        self._score += part.weight * rule.points(mean)
        drawn = part.weight * rule.draw(values, rng)
        self._draws += drawn
        if self._share:
            name = plan.categories[part.task]
            self._by_category[name] += drawn / self._share[name]
        return part

    def finish(self) -> Estimate:
        notes: tuple[Note, ...] = ()
        if self._plan.rule.settle is not None and self._shared.size:
            notes = _equally_good(self._score)
            self._score, self._draws = map(self._plan.rule.settle, (self._score, self._draws))
        if self._plan.baseline is not None:
            place = self._plan.shared.index(self._plan.baseline)
            self._score -= self._score[place]
            self._draws -= self._draws[:, [place]]
        ends = percentile_ends(self._draws, self._plan.alpha)
        with np.errstate(invalid="ignore"):
            spread = self._draws.std(axis=0, ddof=1) if len(self._draws) > 1 else ends.low * np.nan
        what = "resampled items" if self._source == "bootstrap" else "normal draws of task scores"
        found = Estimate(
            ModelSummary(self._score, spread, np.full(self._shared.size, np.inf)),
            ends.low,
            ends.high,
            None,
            self._draws,
            self._source,
            _assumptions(f"{what} vary as the data would if they were collected again"),
            limits=self.limits,
            notes=notes,
            category_draws=self._by_category,
        )
        return found.among(self._shared, len(self._plan.models))


class _Resampled:
    """Contrasts from the data, intervals and draws from resampled items."""

    def __init__(self, contrasts: _Contrasts, points: _Points) -> None:
        self._contrasts, self._points = contrasts, points

    def add(self, part: TaskPart) -> TaskPart:
        return self._contrasts.add(self._points.add(part))

    def finish(self) -> Estimate:
        found = self._points.finish()
        summary, pairs = self._contrasts.contrasts()
        spread = found.summary.se
        made = found._replace(
            summary=summary._replace(se=spread),
            pairs=pairs,
            clustered=self._contrasts.clustered,
            **self._contrasts.rows(summary, pairs)._asdict(),
        )
        return self._contrasts.as_one_task(made)


def _assumptions(errors: str, *, joined: Items | None = None) -> tuple[str, ...]:
    target = "The target is the average over exactly these tasks."
    if joined is not None:
        return (
            target,
            f"{joined.kind.capitalize()} are independent of each other; what moves a score on one "
            f"task may move those on the others, and {errors}.",
        )
    return (
        target,
        "Tasks have items of their own, so their errors are independent of each other, and "
        f"{errors}.",
    )


def _draw_resampled(
    part: TaskPart, models: tuple[str, ...], streams: Streams, draws: int
) -> NDArray[np.float64]:
    """Scores of `models` on resampled items of one task, shape (S, M)."""
    evidence = part.evidence
    columns = [evidence.models.index(name) for name in models]
    if isinstance(evidence, Items):
        values = evidence.values[:, columns]
        _refuse_rows(part.task, evidence, values)
        return bootstrap_means(
            values, streams, draws, clusters=evidence.clusters, weights=evidence.weights
        )
    if isinstance(evidence, Estimates) and evidence.n is not None and is_share(evidence):
        return binomial_draws(evidence.mean[columns], evidence.n[columns], streams, draws)
    return _draw_normal(part, models, streams, draws)


def _draw_normal(
    part: TaskPart, models: tuple[str, ...], streams: Streams, draws: int
) -> NDArray[np.float64]:
    """Normal draws of the scores of `models` on one task, shape (S, M)."""
    compared = part.comparisons
    chosen = np.array([compared.models.index(name) for name in models], dtype=np.intp)
    block = np.ix_(chosen, chosen)
    pairs, mean = compared.pairs, compared.mean[chosen]
    own = np.square(compared.mean_se[chosen])
    among = (
        np.full(own.shape * 2, np.nan)
        if pairs is None
        else np.square(constant_errors(pairs)[block])
    )
    if pairs is None or not (np.isfinite(own).all() and np.isfinite(among).all()):
        raise OptionError(
            f"Task {part.task!r} does not say how sure its scores are, so nothing can be drawn. "
            'Use over="tasks" (--aggregate tasks).'
        )
    root = symmetric_root(contrast_covariance(own, among)).root
    centre = consensus_scores(mean, pairs.diff[block], pairs.se[block])
    made = normal_draws(centre, root, streams, draws, identical=pairs.identical[block])
    if part.limits is None:
        return made
    # Comparisons are on the common scale already; draws are handed over as they were read.
    return made * part.limits.width + part.limits.low


def _refuse_rows(task: str, evidence: Items, values: NDArray[np.float64]) -> None:
    if isinstance(evidence.design, Folds):
        raise OptionError(
            f"Task {task!r}: rows are cross-validation folds, which share training data, and "
            "cannot be resampled. Use the estimator 'analytic', or over=\"tasks\"."
        )
    if np.isnan(values).any():
        raise OptionError(
            f"Task {task!r}: resampling items needs complete scores. Use --missing listwise, "
            "fail, drop_models or bounds, or the estimator 'analytic'."
        )


def _equally_good(wins: NDArray[np.float64]) -> tuple[Note, ...]:
    """A note where several orders of Kemeny are equally good."""
    count = int(kemeny_orders(wins).orders)
    if count < 2:
        return ()
    text = (
        f"{count:,} orders contradict the tasks equally little; the rank of a model is its mean "
        "over all of them."
    )
    return (Note("several-orders", text),)

"""All that a board says of one task: ranked here, or by a worker."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Evidence, Items, take_models
from rankbars.data.intervals import RankIntervals, Scope
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.data.storedtasks import Work, refer
from rankbars.data.taskinfo import TaskInfo
from rankbars.data.taskresult import TaskPairs, TaskResult
from rankbars.stats.ranks import observed_rank_sets
from rankbars.steps.boardassembly import contain, describe_task, summarise_pairs
from rankbars.steps.correctionchoice import RESAMPLED
from rankbars.steps.corrections import strict_correction
from rankbars.steps.pairtests import compare_evidence, take_present
from rankbars.steps.ranking import rank_jointly, rank_task
from rankbars.steps.testrows import PairMemory, Setting, VoteTests, has_answers_of_runs

if TYPE_CHECKING:
    from rankbars.steps.average.averagerows import RowLook
    from rankbars.steps.average.plan import RowsSeen
    from rankbars.steps.noiseparts import RunFinding
    from rankbars.steps.rowquestions import RowFinding

__all__ = ["RankedTask", "Wanted", "rank_tasks"]

_MOST_NOISE_PAIRS = 500  # of more, a board keeps what is said of each model
# A worker is asked so often at least, and for so many tasks at once at most.
_TURNS, _MOST_AT_ONCE = 4, 8


class Wanted(NamedTuple):
    """What is to be found out about every task."""

    spec: Spec
    task_alpha: float | None  # error rate of the task intervals behind a new-task interval
    pairs: bool  # the differences of all pairs, for a page
    bins: bool  # and their distributions
    strict: bool  # ranks for all models at once
    rows: bool  # the average needs the scores of rows
    look: RowLook | None  # what else it must know of them
    bears: bool  # all tasks together are small enough for max-T


class _Errand(NamedTuple):
    """What a worker is sent: one thing, for Dask looks into every tuple, name by name."""

    task: str
    work: Work
    info: TaskInfo
    models: tuple[str, ...]
    wanted: Wanted


class RankedTask(NamedTuple):
    """What was found out about one task."""

    comparisons: Comparisons
    intervals: RankIntervals
    merged: RankIntervals | None  # what the new-task interval is made of, if not `intervals`
    observed: RankIntervals
    result: TaskResult
    pairs: TaskPairs | None
    strict: RankIntervals | None
    runs: RunFinding | None = None
    asked: RowFinding | None = None
    seen: RowsSeen | None = None  # what the average must know of rows that did not travel


def rank_tasks(
    scores: Scores, wanted: Wanted, n_jobs: int, memory: PairMemory | VoteTests | None
) -> Iterator[tuple[str, RankedTask]]:
    """Tasks in order, one at a time, so that a board of many tasks stays small.

    Workers have no memory of pair statistics.
    """
    models = scores.models
    if n_jobs == 1:
        for name in scores.tasks:
            yield (
                name,
                _rank_one(name, scores.tasks[name], scores.info[name], models, wanted, memory),
            )
        return
    from joblib import Parallel, delayed, effective_n_jobs

    # Messages cost what small tasks do (docs/scale.md): several go together where there are many.
    most = len(scores.tasks) // (_TURNS * effective_n_jobs(n_jobs))
    parallel = Parallel(
        n_jobs=n_jobs, return_as="generator", batch_size=min(max(most, 1), _MOST_AT_ONCE)
    )
    ranked = parallel(
        delayed(_rank_elsewhere)(
            _Errand(name, refer(scores.tasks, name), scores.info[name], models, wanted)
        )
        for name in scores.tasks
    )
    for name, one in zip(scores.tasks, ranked, strict=True):
        yield name, _with_rows(one, scores, name) if wanted.rows else one


def _rank_one(
    name: str, evidence: Evidence, info: TaskInfo, models: tuple[str, ...], wanted: Wanted,
    memory: PairMemory | VoteTests | None = None,
) -> RankedTask:  # fmt: skip
    spec = wanted.spec
    setting = Setting(
        spec.seed, spec.resamples, votes=spec.votes, memory=memory, zero_se=spec.zero_se,
        runs=spec.runs,
    )  # fmt: skip
    comparisons = compare_evidence(evidence, models, spec.test, name, setting)

    def ranked(correction: str, scope: Scope, alpha: float) -> RankIntervals:
        return rank_task(
            comparisons,
            correction,
            scope,
            alpha,
            seed=spec.seed,
            resamples=spec.resamples,
            bears=wanted.bears,
        )

    together = spec.scope == "all" and spec.correction != "none"
    if together:
        intervals = rank_jointly(
            comparisons,
            spec.correction,
            spec.alpha,
            seed=spec.seed,
            resamples=spec.resamples,
            best_alone=spec.best_alone and wanted.strict,
            top_alone=spec.top_alone if wanted.strict else None,
            bears=wanted.bears,
            leads=wanted.strict and evidence.kind != "votes",
        )
    else:
        intervals = ranked(spec.correction, spec.scope, spec.alpha)
    observed = _observe_ranks(comparisons)
    merged = strict = pairs = None
    if wanted.task_alpha is not None:
        # Resampled rows have all of their error on one side.
        sides = 2 if intervals.method == RESAMPLED else 1
        merged = contain(ranked(spec.correction, "each", wanted.task_alpha / sides), observed)
    elif spec.scope == "all" and not wanted.strict:  # a new task is about one model
        merged = ranked(spec.correction, "each", spec.alpha)
    if wanted.strict:
        correction = strict_correction(spec.correction)
        strict = intervals if together else ranked(correction, "all", spec.alpha)
    if wanted.pairs:
        pairs = summarise_pairs(evidence, comparisons, bins=wanted.bins)
    result = describe_task(evidence, info, comparisons, intervals, observed, spec.votes)
    if together and wanted.strict and comparisons.present.sum() > 2:
        # Whole clusters are flipped for all pairs at once only: what holds for all holds for one.
        flipped = any(note.code == "cluster-flips" for note in intervals.notes)
        named = intervals if flipped else ranked(spec.correction, "each", spec.alpha)
        result = replace(result, named_best=named.best, named_worst=named.worst)
    if wanted.strict:
        from rankbars.steps.leading import with_shares

        result = with_shares(result, comparisons, spec.seed)
    if merged is not None:
        result = replace(result, merged_best=merged.best, merged_worst=merged.worst)
    found = None
    if has_answers_of_runs(evidence) and spec.runs != "shared":
        from rankbars.steps.noiseparts import examine_task_runs

        found = examine_task_runs(evidence, spec.seed, name)
    if isinstance(evidence, Items) and (evidence.answers is not None or evidence.runs is not None):
        from rankbars.steps.noiseparts import examine_task_noise

        noise = examine_task_noise(
            evidence, models, name, seed=spec.seed, alpha=spec.alpha, found=found,
            most_pairs=_MOST_NOISE_PAIRS,
        )  # fmt: skip
        result = replace(result, noise=noise)
    asked = None if spec.independent_rows else _ask(evidence)
    return RankedTask(comparisons, intervals, merged, observed, result, pairs, strict, found, asked)


def _ask(evidence: Evidence) -> RowFinding | None:
    """What must be asked about rows that nobody declared to depend on each other."""
    if not isinstance(evidence, Items):
        return None
    from rankbars.steps.rowquestions import examine_rows

    return examine_rows(evidence)


def _rank_elsewhere(errand: _Errand) -> RankedTask:
    """What a worker does; the scores of rows, which are large, do not travel back."""
    name, work, info, wanted = errand.task, errand.work, errand.info, errand.wanted
    evidence = work if isinstance(work, Evidence) else work.load()
    ranked = _rank_one(name, evidence, info, errand.models, wanted)
    rows, mean = ranked.comparisons.evidence, ranked.comparisons.mean
    if not isinstance(rows, Items):
        return ranked
    seen = None if wanted.look is None else wanted.look.see(rows, name, mean, info)
    # The first model tells what rows there are, and how many.
    first = take_models(replace(rows, ids=None), [0])
    return ranked._replace(comparisons=replace(ranked.comparisons, evidence=first), seen=seen)


def _with_rows(ranked: RankedTask, scores: Scores, name: str) -> RankedTask:
    """The findings with the scores of rows that did not travel."""
    comparisons = ranked.comparisons
    if not isinstance(comparisons.evidence, Items):
        return ranked
    evidence = take_present(scores.tasks[name])
    return ranked._replace(comparisons=replace(comparisons, evidence=evidence))


def _observe_ranks(comparisons: Comparisons) -> RankIntervals:
    """Ranks as observed, with ties as ranges; not an inference."""
    bounds = observed_rank_sets(comparisons.mean)
    return RankIntervals(
        comparisons.models, bounds.best, bounds.worst, 1.0, "each", "task", "observed"
    )

"""What is found out about every task, here or by workers elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from rankbars.data.board import TaskResult
from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Evidence, Items, take_models
from rankbars.data.intervals import RankIntervals
from rankbars.data.scores import Scores, TaskInfo
from rankbars.data.spec import Spec
from rankbars.data.storedtasks import TaskReference, look_at, refer
from rankbars.data.taskresult import TaskPairs
from rankbars.steps.assembly import describe_task, observe_ranks
from rankbars.steps.corrections import strict_correction
from rankbars.steps.pairsummary import summarise_pairs
from rankbars.steps.pairtests import compare_evidence, take_present
from rankbars.steps.ranking import rank_task
from rankbars.steps.tested import PairMemory, Setting

__all__ = ["Ranked", "Wanted", "rank_tasks"]


class Wanted(NamedTuple):
    """What is to be found out about every task."""

    spec: Spec
    pairs: bool  # the differences of all pairs, for a page
    bins: bool  # and their distributions
    strict: bool  # ranks for all models at once
    rows: bool  # the average needs the scores of rows


class Ranked(NamedTuple):
    """What was found out about one task."""

    comparisons: Comparisons
    intervals: RankIntervals
    observed: RankIntervals
    result: TaskResult
    pairs: TaskPairs | None
    strict: RankIntervals | None


def rank_tasks(
    scores: Scores, wanted: Wanted, n_jobs: int, memory: PairMemory | None
) -> Iterator[tuple[str, Ranked]]:
    """Tasks in order, one at a time, so that a board of many tasks stays small.

    Parameters
    ----------
    scores : Scores
        Tasks without gaps that are not allowed.
    wanted : Wanted
        What is to be found out.
    n_jobs : int
        Workers, as joblib counts them; the result does not depend on it.
    memory : PairMemory, optional
        Remembers pair statistics; not used by workers.
    """
    models = scores.models
    if n_jobs == 1:
        for name in scores.tasks:
            yield (
                name,
                _rank_one(name, scores.tasks[name], scores.info[name], models, wanted, memory),
            )
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    ranked = parallel(
        delayed(_rank_elsewhere)(name, refer(scores.tasks, name), scores.info[name], models, wanted)
        for name in scores.tasks
    )
    for name, one in zip(scores.tasks, ranked, strict=True):
        yield name, _with_rows(one, scores, name) if wanted.rows else one


def _rank_one(
    name: str, evidence: Evidence, info: TaskInfo, models: tuple[str, ...], wanted: Wanted,
    memory: PairMemory | None = None,
) -> Ranked:  # fmt: skip
    spec = wanted.spec
    setting = Setting(spec.seed, spec.resamples, votes=spec.votes, memory=memory)
    comparisons = compare_evidence(evidence, models, spec.test, name, setting)
    intervals = rank_task(
        comparisons,
        spec.correction,
        spec.scope,
        spec.alpha,
        seed=spec.seed,
        resamples=spec.resamples,
    )
    observed = observe_ranks(comparisons)
    strict = pairs = None
    if wanted.strict:
        strict = rank_task(
            comparisons,
            strict_correction(spec.correction),
            "all",
            spec.alpha,
            seed=spec.seed,
            resamples=spec.resamples,
        )
    if wanted.pairs:
        pairs = summarise_pairs(evidence, comparisons, bins=wanted.bins)
    result = describe_task(evidence, info, comparisons, intervals, observed, spec.votes)
    return Ranked(comparisons, intervals, observed, result, pairs, strict)


def _rank_elsewhere(
    name: str, work: Evidence | TaskReference, info: TaskInfo, models: tuple[str, ...],
    wanted: Wanted,
) -> Ranked:  # fmt: skip
    """What a worker does; the scores of rows, which are large, do not travel back."""
    ranked = _rank_one(name, look_at(work), info, models, wanted)
    rows = ranked.comparisons.evidence
    if not isinstance(rows, Items):
        return ranked
    # The first model tells what rows there are, and how many.
    first = take_models(replace(rows, ids=None), [0])
    return ranked._replace(comparisons=replace(ranked.comparisons, evidence=first))


def _with_rows(ranked: Ranked, scores: Scores, name: str) -> Ranked:
    """The findings with the scores of rows that did not travel."""
    comparisons = ranked.comparisons
    if not isinstance(comparisons.evidence, Items):
        return ranked
    evidence = take_present(scores.tasks[name])
    return ranked._replace(comparisons=replace(comparisons, evidence=evidence))

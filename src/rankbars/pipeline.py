"""The main path, from scores to a leaderboard, top to bottom."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING, Literal

from rankbars.calls import check_name
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Items, Votes
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import Note, who_voted
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec, VoteOptions
from rankbars.data.storedtasks import (
    StoredTasks,
    sizes_of,
)
from rankbars.data.taskresult import MOST_PAIRS, PairDetails, TaskPairs
from rankbars.errors import OptionError
from rankbars.intake import take_scores
from rankbars.steps.boardassembly import (
    MOST_BINS,
    MOST_CELLS,
    assemble_board,
    note_effects,
    note_unused,
)
from rankbars.steps.correctionchoice import can_bear_flips
from rankbars.steps.corrections import take_correction
from rankbars.steps.gaps import count_outcomes
from rankbars.steps.meantests import UNSEEN_ROWS
from rankbars.steps.pairtests import check_test, choose_test, take_present
from rankbars.steps.taskentries import Entries, bridged_spec, settle_missing
from rankbars.steps.testrows import PairMemory, VoteTests
from rankbars.steps.validity import check_method, design_of
from rankbars.steps.wholeruns import settle_runs
from rankbars.taskranking import RankedTask, Wanted, rank_tasks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from rankbars.data.rowscores import RowScores
    from rankbars.intake import Results
    from rankbars.steps.average.aggregation import AverageCollector
    from rankbars.steps.noiseparts import RunFinding
    from rankbars.steps.rowquestions import RowFinding

__all__ = ["leaderboard", "usable_scores"]


def leaderboard(
    scores: Results,
    *,
    spec: Spec | None = None,
    test: str = "auto",
    correction: str = "auto",
    scope: Literal["each", "all"] = "all",
    alpha: float = 0.05,
    merge: str = "joint",
    alpha_overall: float = 0.2,
    over: str = "auto",
    missing: str = "auto",
    missing_tasks: str = "insert",
    missing_items: str = "raise",
    seed: int = 0,
    resamples: int = 1000,
    n_jobs: int = 1,
    estimator: str = "auto",
    method: str = "auto",
    normalise: str | None = None,
    votes: VoteOptions | None = None,
    pairs: bool = False,
    prior: str = "auto",
    zero_se: str = "zero",
    variants: Mapping[str, int] | None = None,
    runs: str = "auto",
    best_alone: bool = False,
    top_alone: int | None = None,
    baseline: str | None = None,
    baseline_fills: bool = False,
    average_anyway: bool = False,
    independent_rows: bool = False,
    memory: PairMemory | VoteTests | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Leaderboard:
    """Rank models with error bars: on each task, on the average, and on a new task.

    Parameters
    ----------
    scores : Scores, path, or data frame
        Evaluation results. A path, several, or ``{"name": path}`` are read by `rankbars.read`, a
        data frame of pandas, polars, pyarrow or duckdb by `Scores.from_frame`; call these
        yourself to declare columns, directions and the like.
    spec : Spec, optional
        All options at once, for instance ``board.spec`` of an earlier board; the other options
        must then keep their defaults.
    test : str
        Paired test within a task; see `rankbars.compare`.
    correction : str
        Multiplicity correction; see `rankbars.rank`.
    scope : {"all", "each"}
        ``"all"``: rows, tiers, pairs and who may be first hold for all models at once, together.
        ``"each"``: every rank interval holds for one model named in advance. Intervals for a new
        task are about one model either way.
    alpha : float
        Error rate of the intervals on tasks and on the average.
    merge : str
        How task intervals become an interval for a new task; see `rankbars.predict`.
    alpha_overall : float
        Error rate of that merge.
    over : {"auto", "items", "tasks", "families", "none"}
        Which average; see `rankbars.aggregate`.
    missing : str
        What to do where a model has no score: sets each of the next two that knows the word and
        stands at its default.
    missing_tasks : str
        What to do with models that never ran some task: ``"insert"`` ranks those scored on every
        task, and places each other one among them by the tasks it has (`Leaderboard.partly`);
        ``"additive"``, ``"bounds"``, ``"drop_models"``, ``"drop_tasks"``, ``"raise"``.
    missing_items : str
        What to do where a task was run and rows have no score: ``"raise"``, ``"fail"``,
        ``"pairwise"``, ``"listwise"``, ``"drop_models"`` or ``"bounds"``.
    seed : int
        Start of every random stream.
    resamples : int
        Number of resamples, for methods that resample.
    n_jobs : int
        Workers over tasks, as joblib counts them; any joblib backend around the call is used.
        The result does not depend on it.
    estimator, method, normalise
        How the average is estimated, what is averaged, on which scale; see `rankbars.aggregate`.
    prior : str
        What the estimator ``"bayes"`` assumes beforehand, by name; see `rankbars.aggregate`.
    zero_se : {"zero", "largest"}
        What a published standard error of 0 counts as; see `rankbars.compare`.
    runs : {"auto", "independent", "shared", "anew"}
        Whether all answers of a run share an effect; see `rankbars.compare`.
    best_alone : bool
        Also say, in a note, which models may be first at the whole of `alpha`: a statement by
        itself, which does not hold together with the others.
    top_alone : int, optional
        Also say, in a note, which models are among the first so many, and which may be, at the
        whole of `alpha`: by k (M - k) comparisons, as a statement by itself. Choose the number
        before looking.
    baseline, average_anyway
        Model that skill scores are measured against; whether scores of different metrics are
        averaged as they are; see `rankbars.aggregate`.
    baseline_fills : bool
        Whether scores that are missing count as those of the baseline.
    independent_rows : bool
        Rows and tasks that resemble each other are independent, and not asked about; items of one
        name are others on every task.
    votes : VoteOptions, optional
        How pairwise votes are turned into strengths.
    variants : mapping from str to int, optional
        Of how many tries a model is the best, where the results of the others are not in the
        input: ``{"ours": 20}``. See `Leaderboard.winner`.
    memory : PairMemory, optional
        Remembers pair statistics between boards, as a store does; used with ``n_jobs=1``.
    pairs : bool
        Also keep the differences of all pairs on every task, which a page needs to compare two
        models; for up to 100,000 pairs times tasks. They change no other result.
    progress : callable, optional
        Called with the number of tasks that are ranked and the number of all: at the start, and
        after each.

    Returns
    -------
    Leaderboard
        `board.tasks[name].best`, `board.overall.best` and `board.aggregate.best` are arrays
        aligned with `board.models`.

    Raises
    ------
    DataError
        If scores are missing and the policy for them is ``"raise"``, or votes do not put all models
        on one scale.
    OptionError
        If an option is out of range, not known, or does not fit the data.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> tasks = {f"task {i}": rng.random((50, 3)) + [0.0, 0.4, 0.4] for i in range(5)}
    >>> board = rb.leaderboard(rb.Scores.from_arrays(tasks, ["a", "b", "c"]))
    >>> board.undominated()
    ('b', 'c')
    >>> board.overall.best.tolist(), board.overall.worst.tolist()
    ([3, 1, 1], [3, 2, 2])
    """
    taken = take_scores("leaderboard", scores)
    given = Spec(
        test=test,
        correction=correction,
        scope=scope,
        alpha=alpha,
        merge=merge,
        alpha_overall=alpha_overall,
        over=over,
        missing=missing,
        missing_tasks=missing_tasks,
        missing_items=missing_items,
        seed=seed,
        resamples=resamples,
        estimator=estimator,
        method=method,
        normalise=normalise,
        prior=prior,
        zero_se=zero_se,
        variants={} if variants is None else variants,
        runs=runs,
        best_alone=best_alone,
        top_alone=top_alone,
        baseline=baseline,
        baseline_fills=baseline_fills,
        average_anyway=average_anyway,
        independent_rows=independent_rows,
        votes=VoteOptions() if votes is None else votes,
    )
    spec = _one_spec(spec, given)
    bears = spec.correction == "auto" and can_bear_flips(sizes_of(taken.tasks), spec.resamples)
    entries = _entries(taken, spec)
    scores = entries.scores

    _check_methods(scores, spec)
    spec, of_runs = settle_runs(scores, spec)
    single = len(scores.tasks) == 1
    averaged = not single and spec.over != "none"
    bridging = bridged_spec(spec, entries)
    collector = _start_average(scores, bridging, bears=bears) if averaged else None
    budget = None
    if not single:  # one task alone loads nothing of new ones
        from rankbars.steps.prediction import plan_budget

        budget = plan_budget(scores, spec)
    wanted = Wanted(
        spec,
        task_alpha=None if budget is None else budget.alpha_task,
        pairs=pairs and comb(len(scores.models), 2) * len(scores.tasks) <= MOST_PAIRS,
        bins=len(scores.models) * len(scores.tasks) * MOST_BINS <= MOST_CELLS,
        strict=single,
        rows=collector is not None and collector.takes_rows,
        look=None if collector is None else collector.look,
        bears=bears,
    )
    found = _Found(spec, len(scores.tasks), progress)
    for name, ranked in rank_tasks(scores, wanted, n_jobs, memory):
        if collector is not None:
            collector.add(name, ranked.comparisons, ranked.seen)
        found.add(name, ranked)
        del ranked  # before the next task needs the room

    notes = [*scores.notes, *found.notes, *of_runs, *found.closing_notes(scores)]
    aggregate = overall = None
    if collector is not None:
        aggregate = collector.finish()
        notes.extend(aggregate.notes)
    if single:
        notes.extend(note_unused(spec))
    else:
        from rankbars.steps.prediction import predict_for_board

        overall = predict_for_board(scores, spec, budget, found.intervals, found.observed)
        notes.extend(overall.notes)
        if overall.trivial and all(task.kind == "votes" for task in found.results.values()):
            overall = None  # too few categories of votes to speak of a new one

    notes = who_voted(notes)
    board = assemble_board(scores, spec, found.results, overall, aggregate, found.strict, notes)
    if board.lead != "new_task":
        from rankbars.steps.leading import score_leader

        board = replace(board, leader=score_leader(board, found.compared))
    board = _with_partly(board, entries, collector)
    board = _with_descriptions(_with_arena_parts(board, scores, spec), taken, scores)
    if not wanted.pairs:
        return board
    shared: tuple[RowScores, ...] = ()
    if collector is not None and collector.joins:
        from rankbars.steps.average.averagerows import share_rows

        shared = share_rows(scores, bridging)
    return replace(board, pairs=PairDetails(board.models, found.pairs, shared))


def usable_scores(scores: Scores, spec: Spec) -> Scores:
    """The scores that are ranked: of the models and tasks that the options for gaps keep."""
    return _entries(scores, spec).scores


def _entries(scores: Scores, spec: Spec) -> Entries:
    scores = count_outcomes(scores)
    if spec.votes.largest_component:
        from rankbars.steps.votes.connectedvotes import keep_connected

        scores = keep_connected(scores, spec.votes)
    if spec.baseline is not None and spec.baseline_fills:  # failures count as the baseline
        from rankbars.steps.gappolicies import fill_from_baseline

        scores = fill_from_baseline(scores, spec.baseline)
    entries = settle_missing(scores, spec)
    # One fit of models and tasks bridges gaps, and there all tasks count.
    if entries.estimator is not None or all(one.group is None for one in scores.info.values()):
        return entries
    from rankbars.data.taskgroups import count_groups

    counted = count_groups(entries.scores, _OTHER_GROUPS)
    whole = None if entries.whole is None else replace(entries.whole, info=counted.info)
    return entries._replace(scores=counted, whole=whole)


def _check_methods(scores: Scores, spec: Spec) -> None:
    """Refuse, before anything is computed, what the table of tests and corrections refuses."""
    if isinstance(scores.tasks, StoredTasks):
        return  # tasks that lie elsewhere are looked at one by one, each before it is computed
    for evidence in scores.tasks.values():
        taken = take_present(evidence)
        test = choose_test(taken, spec.runs) if spec.test == "auto" else spec.test
        rows = len(taken.values) if isinstance(taken, Items) else None
        design = design_of(taken, test, spec.votes.pairing)
        check_method(test, spec.correction, spec.scope, design, rows)


def _with_partly(
    board: Leaderboard, entries: Entries, collector: AverageCollector | None
) -> Leaderboard:
    if entries.whole is None:
        return board
    from rankbars.insertion import insert_models

    mean = None if collector is None else collector.mean
    centre = math.nan if mean is None else float(mean.mean())
    placed = insert_models(entries.whole, entries.partly, entries.new_tasks, board, centre)
    return replace(board, partly=placed)


def _with_arena_parts(board: Leaderboard, scores: Scores, spec: Spec) -> Leaderboard:
    """The board of one arena whose votes name categories or periods, with each of them."""
    if board.lead != "task" or {task.kind for task in board.tasks.values()} != {"votes"}:
        return board
    ((task, evidence),) = scores.tasks.items()
    if not isinstance(evidence, Votes) or evidence.ballots is None:
        return board
    if evidence.ballots.categories is None:
        return board
    from rankbars.steps.votes.voteparts import with_parts

    return with_parts(
        board, task, evidence, spec, lambda part, options: leaderboard(part, spec=options)
    )


def _with_descriptions(board: Leaderboard, taken: Scores, scores: Scores) -> Leaderboard:
    """The board with what the input says of its models, and of the judges of its tasks."""
    here = {*board.models, *(() if board.partly is None else board.partly.models)}
    said = {name: one for name, one in taken.attributes.items() if name in here}
    judges = {name: scores.info[name].judge for name in board.tasks}
    told = {name: one for name, one in judges.items() if one is not None}
    return replace(board, attributes=said, judge=told)


_FEWEST_TASKS_TO_ASK = 10


class _Found:
    """What was found out about the tasks, one after the other."""

    def __init__(
        self, spec: Spec, expected: int, progress: Callable[[int, int], None] | None
    ) -> None:
        self.results: dict[str, TaskResult] = {}
        self.intervals: dict[str, RankIntervals] = {}
        self.observed: dict[str, RankIntervals] = {}
        self.pairs: dict[str, TaskPairs] = {}
        self.notes: list[Note] = []
        self.strict: RankIntervals | None = None
        self.compared: Comparisons | None = None  # of the one task of a board
        self._means: dict[str, NDArray[np.float64]] = {}
        self._runs: dict[str, RunFinding] = {}
        self._asked: dict[str, RowFinding] = {}
        self._spec = spec
        self._expected = expected
        self._progress = progress
        self._tell()

    def add(self, name: str, ranked: RankedTask) -> None:
        self.results[name] = ranked.result
        self.intervals[name] = ranked.intervals if ranked.merged is None else ranked.merged
        self.observed[name] = ranked.observed
        said = (*ranked.intervals.notes, *note_effects(ranked.result))
        # On an average other tasks show what the rows of one do not.
        alone = self._expected == 1
        self.notes.extend(note for note in said if alone or note.code != UNSEEN_ROWS)
        self.strict = ranked.strict
        self.compared = ranked.comparisons if self._expected == 1 else None
        self._means[name] = ranked.comparisons.mean
        if ranked.pairs is not None:
            self.pairs[name] = ranked.pairs
        if ranked.runs is not None:
            self._runs[name] = ranked.runs
        if ranked.asked is not None:
            self._asked[name] = ranked.asked
        self._tell()

    def closing_notes(self, scores: Scores) -> Iterator[Note]:
        """What the answers say of whole runs, and what must be asked about rows and tasks."""
        if self._runs:
            from rankbars.steps.noiseparts import run_notes

            yield from run_notes(self._runs)
        families = any(info.family is not None for info in scores.info.values())
        many = len(self._means) >= _FEWEST_TASKS_TO_ASK
        of_tasks = many and not families and not self._spec.independent_rows
        if self._asked or of_tasks:
            from rankbars.steps.rowquestions import ask_about_rows, ask_about_tasks

            asked = ask_about_rows(self._asked), ask_about_tasks(self._means) if of_tasks else None
            yield from (note for note in asked if note is not None)

    def _tell(self) -> None:
        if self._progress is not None:
            self._progress(len(self.results), self._expected)


def _start_average(scores: Scores, spec: Spec, *, bears: bool) -> AverageCollector:
    """What takes the comparisons of all tasks; one task alone loads nothing of averages."""
    from rankbars.steps.average.aggregation import AverageCollector
    from rankbars.steps.average.averagechoices import plan_average

    return AverageCollector(scores, plan_average(scores, spec)._replace(bears=bears), spec)


_OTHER_GROUPS = " --groups none counts all tasks the same, --groups FILE names other groups."


def _one_spec(spec: Spec | None, given: Spec) -> Spec:
    if spec is not None and given != Spec():
        raise OptionError(
            "Give either spec= or single options, not both. To change one option of a spec: "
            "dataclasses.replace(spec, alpha=0.1)."
        )
    chosen = given if spec is None else spec
    # Names are checked before the long work, not after it.
    if chosen.correction != "auto":
        take_correction(chosen.correction)
    check_test(chosen.test)
    if chosen.merge != Spec().merge:
        from rankbars.steps.prediction import MERGE_NAMES

        check_name("merge", chosen.merge, MERGE_NAMES)
    check_method(chosen.test, chosen.correction, chosen.scope)
    return chosen

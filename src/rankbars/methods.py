"""Whether methods can be relied on: which fit, whether they agree, and ranks on held-out tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from rankbars.data.diagnosis import Choice, Explanation, HeldOut, MethodOutcome
from rankbars.data.evidence import Estimates, Evidence, Folds, Items
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec, correction_facts
from rankbars.data.storedtasks import sizes_of
from rankbars.data.votes import Votes
from rankbars.errors import DataError, OptionError
from rankbars.intake import take_scores
from rankbars.pipeline import leaderboard, usable_scores
from rankbars.stats.newtask.guarantees import miss_bound
from rankbars.stats.streams import stream
from rankbars.steps.correctionchoice import can_bear_flips
from rankbars.steps.corrections import CORRECTIONS, take_correction
from rankbars.steps.pairtests import TESTS, VOTE_TESTS, check_test, choose_test
from rankbars.steps.taskentries import settle_missing
from rankbars.steps.testrows import VoteTests
from rankbars.steps.validity import check_method
from rankbars.steps.wholeruns import settle_runs
from rankbars.taskranking import Wanted, rank_tasks

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["explain", "hold_out"]


def explain(scores: Results, spec: Spec | None = None) -> Explanation:
    """Say which test and correction are used and why, and what the other ones would say.

    Parameters
    ----------
    scores : Scores, path, or data frame
        Evaluation results, as `rankbars.leaderboard` takes them.
    spec : Spec, optional
        Options of the board; the defaults where not given.

    Returns
    -------
    Explanation
        The choices with their reasons, and for every applicable method the mean width of the
        task intervals and the models that may be first. The method must be chosen for its
        assumptions: choosing the one with the nicest answer voids its guarantee. Methods that
        would take far longer than the board itself are left out, and named.

    Raises
    ------
    DataError
        If scores are missing and the policy of `spec` is ``"raise"``.
    OptionError
        If the correction of `spec` has no law for its test, or one of them is not known.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> scores = rb.Scores.from_arrays({"math": rng.random((30, 3))}, ["a", "b", "c"])
    >>> found = explain(scores)
    >>> found.choices[0].test, [o.correction for o in found.outcomes if o.test == "t"][:5]
    ('t', ['auto', 'holm', 'bonferroni', 'simes', 'maxt'])
    """
    spec = Spec() if spec is None else spec
    check_test(spec.test)
    if spec.correction != "auto":
        take_correction(spec.correction)
    check_method(spec.test, spec.correction, spec.scope)
    resolved = settle_missing(take_scores("explain", scores), spec).scores
    spec, _ = settle_runs(resolved, spec)
    chosen = {
        name: choose_test(evidence, spec.runs) if spec.test == "auto" else spec.test
        for name, evidence in resolved.tasks.items()
    }
    tests = sorted(set(chosen.values()))
    choices = tuple(
        Choice(
            test,
            _reason(next(resolved.tasks[name] for name, one in chosen.items() if one == test), test)
            if spec.test == "auto"
            else "It was asked for.",
            tuple(name for name, one in chosen.items() if one == test),
        )
        for test in tests
    )
    outcomes, skipped = [], []
    own = tests[0] if len(tests) == 1 else "auto"
    votes = all(isinstance(evidence, Votes) for evidence in resolved.tasks.values())
    every = _combinations(own, spec.correction, votes=votes)
    affordable = _affordable(every, resolved, spec)
    memory = VoteTests() if votes else None
    for test, correction in every:
        name = test if test != own else correction
        if (test, correction) not in affordable:
            skipped.append((name, _too_long(test, correction, own)))
            continue
        try:
            outcomes.append(_outcome(resolved, spec, test, correction, own, memory))
        except OptionError as error:
            skipped.append((name, str(error)))
    return Explanation(choices, _reason_for(spec.correction), tuple(outcomes), tuple(skipped))


def _combinations(test: str, correction: str, *, votes: bool) -> list[tuple[str, str]]:
    """The test in use with every correction, then other tests with the correction in use."""
    anytime = test in ("e_process", "e_strength")
    off = {"maxt_bootstrap"} if votes else set()  # it resamples rows
    names = [name for name in CORRECTIONS if name not in off and (anytime or name != "e_average")]
    own = [(test, name) for name in (correction, *(name for name in names if name != correction))]
    usual = "holm" if correction in ("auto", "e_average") else correction
    if not votes:
        off = {test, "judge_t", *VOTE_TESTS}  # without judgements there is nothing to try
        return own + [(name, usual) for name in TESTS if name not in off]
    own_too = {
        "e_process": "e_average",
        "e_strength": "e_average",
    }  # e-values have a correction of their own
    others = [name for name in ("z", *VOTE_TESTS) if name != test]
    return own + [(name, own_too.get(name, usual)) for name in others]


# Seconds that a board takes beside its tasks, and how many times its own cost an explanation may
# add. Sizes decide what is left out, never a clock: the same input gives the same explanation.
_START = 0.4
_SHARE = 2.0


def _affordable(
    every: Sequence[tuple[str, str]], scores: Scores, spec: Spec
) -> frozenset[tuple[str, str]]:
    """The combinations that may be tried: the one in use, then the cheapest of the others."""
    own = every[0]
    costs = {one: _seconds(scores, *one, spec) for one in every}
    for test, correction in every:
        if test != own[0] or correction == own[1]:  # else what the test found in votes is known
            costs[test, correction] += _SECONDS_OF_VOTES.get(test, 1.0) * _named_votes(scores)
    # How healthy votes are is examined beside.
    left = _SHARE * (_START + costs[own]) - _named_votes(scores)
    chosen = set()
    for one in sorted(every, key=lambda one: (one != own, costs[one])):
        if costs[one] > left:
            break
        left -= costs[one]
        chosen.add(one)
    return frozenset(chosen | {own})


def _seconds(scores: Scores, test: str, correction: str, spec: Spec) -> float:
    """About how long a board takes with a combination, from sizes: rows, models and draws."""
    draws = spec.resamples
    average = _SECONDS_OF_AVERAGES.get(spec.estimator, 0.0)
    total = 0.0
    for evidence in scores.tasks.values():
        models = len(evidence.models)
        rows = len(evidence.values) if isinstance(evidence, Items) else 1
        pairs = models * models
        total += 2e-3 + 5e-10 * pairs * rows + average * models * rows * draws
        by_cell, by_difference = _SECONDS_OF_TESTS.get(test, (0.0, 0.0))
        total += (by_cell + by_difference * models) * models * rows
        if correction == "maxt":
            total += 3e-2 + (6e-8 * pairs + 4e-9 * models * rows) * draws
        elif correction == "maxt_bootstrap":
            total += 0.2 + (2e-7 * pairs + 5e-8 * models * rows) * draws
        elif correction == "bootstrap_band":
            total += 5e-3 + 3e-10 * models * rows * draws
        elif correction == "simes":
            total += 1e-8 * models * pairs
    return total


# Measured on 10 to 300 models and 100 to 5,000 rows: seconds per score, and per difference of two.
_SECONDS_OF_TESTS = {
    "wilcoxon": (0.0, 1.3e-8),
    "trimmed_t": (0.0, 1.2e-8),
    "signflip": (9e-6, 1e-8),
    "two_way": (0.0, 1.2e-8),
    "judge_t": (0.0, 1e-7),
}
# Per model, row and draw.
_SECONDS_OF_AVERAGES = {"bootstrap": 2e-9, "bootstrap_t": 2e-9, "bayes": 2e-9}


def _named_votes(scores: Scores) -> float:
    """About how long one fit to votes with names of voters or prompts takes."""
    kept = [one.ballots for one in scores.tasks.values() if isinstance(one, Votes)]
    return 3.5e-6 * sum(one.first.size for one in kept if one is not None and one.labels)


# Tests of single pairs take the first vote of each voter and prompt: in fits.
_SECONDS_OF_VOTES = {"binomial": 3.0, "e_process": 3.0}


def _too_long(test: str, correction: str, own: str) -> str:
    asked = f"--correction {correction}" if test == own else f"--test {test}"
    return (
        "With this many models and rows it would take longer than an explanation may: it was left "
        f"out. To see it: {asked}."
    )


def _outcome(
    scores: Scores, spec: Spec, test: str, correction: str, own: str, memory: VoteTests | None
) -> MethodOutcome:
    two_way = spec.runs != "shared" or test in ("auto", "two_way")
    runs = spec.runs if two_way else "independent"
    board = leaderboard(
        scores,
        spec=replace(
            spec,
            test=spec.test if test == own else test,
            correction=correction,
            missing="pairwise",
            runs=runs,
        ),
        memory=memory,
    )
    widths = [task.worst - task.best for task in board.tasks.values()]
    says = board.lead != "new_task" and correction_facts(correction).promises
    return MethodOutcome(
        test=test,
        correction=correction,
        width=float(np.mean(widths)),
        winners=board.undominated() if says else (),
        used=(test, correction) == (own, spec.correction),
        decided=tuple(sorted({task.correction for task in board.tasks.values()})),
    )


def _reason(evidence: Evidence, test: str) -> str:
    if isinstance(evidence, Estimates):
        return (
            "Models come with one published score each, so differences are compared with their "
            "errors."
        )
    if isinstance(evidence, Votes):
        return "Models were compared in votes, so contrasts of their fitted strengths are tested."
    if isinstance(evidence.design, Folds):
        return (
            "Rows are cross-validation folds, which share training data; the plain t-test would "
            "take them as independent."
        )
    if test == "judge_t":
        return (
            "A judge scored more rows than people did, and is worth it: it corrects their labels."
        )
    if test == "two_way":
        return "All answers of a run share an effect: runs are drawn, too."
    if evidence.clusters is not None:
        return "Rows come in clusters; the clusters, not the rows, are independent."
    if evidence.kind == "runs":
        what = "prompt variants" if evidence.design == "prompts" else "training runs"
        return f"Rows are {what}; all models share them, so differences are paired."
    return "All models answered the same items, so differences are paired item by item."


def _reason_for(correction: str) -> str:
    """What a correction is good for; of one that somebody added, what its docstring begins with."""
    known = _CORRECTIONS.get(correction)
    first = ("" if known else CORRECTIONS[correction].__doc__ or "").strip().partition("\n")[0]
    return known or f"{correction}: {first or 'it was asked for.'}"


_CORRECTIONS = {
    "auto": "Max-T with sign flips where rows are complete, even and few enough; resampling where "
    "a few rows weigh heavily; else Holm, valid however the comparisons depend on each "
    "other.",
    "holm": "Holm: valid however the comparisons depend on each other.",
    "bonferroni": "Bonferroni: valid however the comparisons depend on each other; never sharper "
    "than Holm.",
    "simes": "Simes counts: never wider than Holm; they need differences of a model that are not "
    "negatively correlated, which is checked.",
    "maxt": "Step-down max-T with sign flips: uses how comparisons depend on each other; needs "
    "differences that are symmetric under no difference.",
    "maxt_bootstrap": "Max-T with the symmetric bootstrap of rows: for rows of any shape, of "
    "which a few may weigh heavily.",
    "bootstrap_band": "Rank band of resampled rows (Algorithm 3), or of normal draws of scores "
    "with errors: a description, not a confidence interval under ties.",
    "none": "No correction: a description without a guarantee.",
    "e_average": "Averages of e-values: valid however often one looks.",
}


# Of one kind of task, drawn at random; the others speak of categories, families or weights.
_PLAIN = ("joint", "quantile", "union", "simultaneous", "observed")


def hold_out(
    scores: Results,
    tasks: int = 10,
    *,
    spec: Spec | None = None,
    pairs: bool = False,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> HeldOut:
    """Hold out tasks at random, and look where models rank on them.

    Rank intervals for a new task are made from the other tasks; rank intervals on the tasks that
    were held out are made in the way of those that were merged.

    Parameters
    ----------
    scores : Scores, path, or data frame
        As for `rankbars.leaderboard`. Models that lack a task are treated as its options say, and
        left out where these would place them among the others.
    tasks : int
        How many are held out; at least 2 remain.
    spec : Spec, optional
        Options of the leaderboard; its `seed` also says which tasks are held out.
    pairs, n_jobs, progress
        As for `rankbars.leaderboard`.

    Returns
    -------
    HeldOut
        The board of the other tasks, the rank intervals on those held out, which of them lie
        within those for a new task, and what share should.

    Raises
    ------
    OptionError
        If there are not as many tasks, or the merge is not about any new task.
    DataError
        If the board of the other tasks has no interval for a new one.

    Notes
    -----
    Exchangeable tasks are assumed, as they are for the new-task interval itself. That the whole
    interval on a task lies within it is more than that the true rank does, and its probability is
    at least one minus the miss probability of the merge, without the error of the task intervals
    (Neuhof and Benjamini 2026, section 4.3, look at ten tasks of 57 in this way). A few tasks
    cannot tell a share that is a little too small.

    Examples
    --------
    >>> import numpy as np
    >>> import rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> made = {f"task {i}": rng.random((60, 3)) + [0.0, 0.3, 0.9] for i in range(12)}
    >>> found = rb.hold_out(rb.Scores.from_arrays(made, ["a", "b", "c"]), 4)
    >>> sorted(found.tasks), found.inside.shape
    (['task 1', 'task 10', 'task 11', 'task 4'], (4, 3))
    >>> found.share, round(found.expected, 3)
    (1.0, 0.889)
    """
    spec = Spec() if spec is None else spec
    if spec.merge not in _PLAIN:
        raise OptionError(
            f"Tasks are held out at random, and the {spec.merge} merge is not about a task that is "
            f"drawn at random. Merges that are: {', '.join(_PLAIN)}."
        )
    taken = take_scores("hold_out", scores)
    known = usable_scores(taken, spec)
    names = sorted(known.tasks)
    if not 1 <= tasks <= len(names) - 2:
        raise OptionError(
            f"{tasks} of {len(names)} tasks cannot be held out: hold out at least 1, and leave at "
            "least 2."
        )
    drawn = stream(spec.seed, "hold out").permutation(len(names))[:tasks]
    chosen = sorted(names[i] for i in drawn.tolist())
    others = known.select(tasks=[name for name in known.tasks if name not in chosen])
    board = leaderboard(
        others.with_notes([_note(taken, known, chosen, spec.seed)]),
        spec=spec, pairs=pairs, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    overall = board.overall
    if overall is None:
        raise DataError("The other tasks give no rank interval for a new one.")
    made = _ranks_to_merge(known.select(tasks=chosen), others, spec, overall, n_jobs=n_jobs)
    return HeldOut(board, made, _expected(overall, len(board.tasks)))


def _expected(overall: RankIntervals, n_tasks: int) -> float:
    """Share of intervals on new tasks that lie within, at least, where tasks are exchangeable."""
    if overall.trivial:
        return 1.0
    left_out = overall.left_out
    rate = overall.alpha if left_out is None else Fraction(left_out, n_tasks + 1)
    merge = "joint" if overall.method == "observed" else overall.method
    return float(1 - miss_bound(merge, n_tasks, rate))


def _note(taken: Scores, known: Scores, chosen: list[str], seed: int) -> Note:
    gone = len(taken.models) - len(known.models)
    which = "1 model that lacks some task is" if gone == 1 else f"{gone} models that lack some are"
    also = f" {which} left out." if gone else ""
    return Note(
        "held-out",
        f"{len(chosen)} of {len(known.tasks)} tasks were held out (seed {seed}): "
        f"{', '.join(chosen[:12])}{' and more' if len(chosen) > 12 else ''}.{also}",
    )


def _ranks_to_merge(
    scores: Scores, like: Scores, spec: Spec, overall: RankIntervals, *, n_jobs: int
) -> dict[str, RankIntervals]:
    """Rank intervals on tasks, made as those of other tasks that a merge was made of.

    Parameters
    ----------
    scores : Scores
        Tasks that were not merged.
    like : Scores
        Those that were.
    spec : Spec
        Their options.
    overall : RankIntervals
        What was made of them.
    n_jobs : int
        Workers over tasks.
    """
    wanted = Wanted(
        replace(spec, scope="each", independent_rows=True),
        task_alpha=overall.task_alpha,
        pairs=False,
        bins=False,
        strict=False,
        rows=False,
        look=None,
        bears=spec.correction == "auto" and can_bear_flips(sizes_of(like.tasks), spec.resamples),
    )
    made = {}
    for name, ranked in rank_tasks(scores, wanted, n_jobs, None):
        merged = ranked.intervals if ranked.merged is None else ranked.merged
        made[name] = ranked.observed if overall.method == "observed" else merged
    return made

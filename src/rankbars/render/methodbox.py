"""The methods of a board, entry by entry: what was done, what must hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import list_words
from rankbars.data.spec import correction_facts
from rankbars.render.claims import (
    average_level,
    average_title,
    average_words,
    drawn_words,
    lead_claim,
    lead_correction,
    leads_with_band,
    level_words,
    new_task_claim,
    statements_level,
    task_claim,
)
from rankbars.render.notation import show_level
from rankbars.render.sentences import place
from rankbars.render.shownnames import plain_name

__all__ = [
    "MethodEntry",
    "alike_tasks",
    "estimator_words",
    "merge_words",
    "method_entries",
    "method_words",
    "named_tasks",
    "pairs_decided",
    "test_words",
    "untested",
]

_WORDS = {
    "test": {
        "t": "a paired t-test",
        "corrected_t": "the corrected paired t-test for cross-validation",
        "cluster_t": "a cluster-robust paired t-test",
        "z": "a z-test on the published scores and their standard errors",
        "wilcoxon": "Wilcoxon's signed-rank test",
        "trimmed_t": "a paired t-test on trimmed means",
        "signflip": "a sign-flip test",
        "mcnemar": "McNemar's exact test",
        "mcnemar_midp": "McNemar's mid-p test",
        "two_way": "a t-test over items and runs",
        "welch": "Welch's unpaired t-test",
        "judge_t": "a paired t-test on labels that judgements correct, with a tuned weight per "
        "pair (prediction-powered)",
        "votes z": "z-tests on contrasts of Bradley–Terry strengths, with their covariance",
        "votes rao-kupper": "z-tests on contrasts of strengths in the model of Rao and Kupper, "
        "with their covariance",
        "votes davidson": "z-tests on contrasts of strengths in Davidson's model, with their "
        "covariance",
        "binomial": "exact binomial tests of wins against losses of each pair",
        "e_strength": "e-processes of contrasts of Bradley–Terry strengths, valid at any time in "
        "the limit of many votes",
        "e_process": "e-processes of wins against losses of each pair, valid at any time",
    },
    "correction": {
        "holm": "Holm's step-down correction",
        "bonferroni": "Bonferroni's correction",
        "simes": "the closed-testing count with Simes' test",
        "maxt": "a step-down max-T correction by resampling",
        "maxt_bootstrap": "a max-T correction by the symmetric bootstrap of rows",
        "bootstrap_band": "the range of ranks over bootstrap resamples (a description)",
        "none": "no correction for the number of comparisons",
        "e_average": "closed testing by averages of e-values",
    },
    "merge": {
        "joint": "the joint full-conformal merge",
        "quantile": "the quantile merge (Algorithm 2 of Neuhof and Benjamini 2026)",
        "union": "their union",
        "group": "the joint full-conformal merge within each category",
        "family": "the merge over families",
        "weighted": "the weighted conformal merge",
        "simultaneous": "the merge for all models at once (split conformal score)",
        "observed": "the joint full-conformal merge of observed ranks",
    },
    "law": {
        "reversal": "an exact test that reverses the rankings of tasks (step-down max-T)",
    },
    "estimator": {
        "analytic": "paired contrasts summed over the tasks (Satterthwaite's degrees of freedom)",
        "t": "a paired t-test over the tasks",
        "bootstrap": "paired contrasts; intervals of scores are percentiles of resampled data",
        "bootstrap_t": "a paired t-test over the tasks; intervals of scores are studentised by "
        "resampling",
        "additive": "contrasts of an additive fit of models and tasks, errors from leaving out "
        "one task each",
        "bounded": "a paired t-test over the tasks, with every gap filled by the limit of its task "
        "that speaks against what is shown",
        "common": "a paired t-test of each pair over the tasks that both have",
        "two_level": "a paired t-test over the tasks, with errors never below those of the items",
        "bayes": "draws from the posterior of a hierarchical model of each model's tasks",
        "bayes_predictive": "draws of new scores from a hierarchical model of each model's tasks",
    },
}
_MOST_TASKS = 3


@dataclass(frozen=True, slots=True)
class MethodEntry:
    """One kind of number on the board: what it answers, how surely, and by what right.

    Parameters
    ----------
    number : str
        Where it stands.
    question : str
        What it answers.
    level : str
        The level and for whom it holds, or that nothing is promised.
    method : str
        How it was computed.
    assumptions : tuple of str
        What must hold.
    """

    number: str
    question: str
    level: str
    method: str
    assumptions: tuple[str, ...] = ()


def method_entries(board: Leaderboard) -> tuple[MethodEntry, ...]:
    """An entry for every kind of number that the board shows, in the order of reading."""
    entries: list[MethodEntry] = []
    if board.lead != "new_task":
        entries += [_statements_entry(board), _ranks_entry(board)]
    if board.lead == "aggregate":
        entries.append(_score_entry(board))
    if board.lead == "new_task":
        entries.append(_MEAN_RANK)
    if new_task_claim(board) is not None:
        entries.append(_new_task_entry(board))
    entries += [*_task_entries(board), _task_score_entry(board)]
    if (board.coverage < 1.0).any():
        entries.append(_COVERAGE)
    return tuple(entries)


_COVERAGE = MethodEntry(
    "Scored",
    "For how many of the expected rows does the model have a score?",
    "a count",
    "Rows with a score, divided by rows expected, over all tasks.",
)
_MEAN_RANK = MethodEntry(
    "Mean rank",
    "What was the mean of the ranks that this model reached on these tasks?",
    "as observed; a description",
    "The observed rank on each task, ties in the middle of their range, averaged over tasks.",
)
_STRENGTH = MethodEntry(
    "Log strength, or Elo",
    "How strong is this model among the others?",
    "",
    "Differences of log strengths are log odds that one model is preferred to the other; their "
    "mean over all models is zero. On the scale of Elo 400 points are odds of ten to one. Whether "
    "two models differ is not read from the overlap of their intervals: it was tested on their "
    "differences.",
)
# Where a set for the best has a share of the error rate.
_WITH_SET = ("holm", "bonferroni", "maxt")
_FEWEST_WITH_SET = 8
_RULE = (
    "The best rank is 1 plus the number of models shown to be better; the worst is the number of "
    "models minus the number it was shown to be better than."
)


def _statements_entry(board: Leaderboard) -> MethodEntry:
    if leads_with_band(board):
        return MethodEntry(
            "The sentence at the top, and the tiers",
            f"{place(board)}, which model comes first?",
            "nothing is promised",
            "The ranges of ranks describe draws, from which nothing is claimed about pairs of "
            "models: there are no tiers.",
            _lead_assumptions(board),
        )
    correction, pairs = _pairs_correction(board), f"{pairs_decided(board)} "
    if not board.tiers:
        return MethodEntry(
            "The sentence at the top",
            f"{place(board)}, which models may be first?",
            lead_claim(board).words,
            "The models whose rank interval begins with 1. Which of two models is better, where "
            f"that is said, holds for all pairs at once: {pairs[0].lower()}{pairs[1:]}".strip(),
            _lead_assumptions(board),
        )
    share = (
        "A fifth of the error rate goes to the set of the models that may be first, for which "
        "each model is held against every other one; the rest goes to all pairs. "
        if correction in _WITH_SET and len(board.models) >= _FEWEST_WITH_SET
        else ""
    )
    return MethodEntry(
        "The sentence at the top, and the tiers",
        f"{place(board)}, which models can be told apart, and which may be first?",
        f"{statements_level(board)}, all statements at once",
        f"{pairs}{share}The first tier holds the models that may be first. Each other one starts "
        "at the best model not yet placed and takes in every model not shown worse than that one.",
        _lead_assumptions(board),
    )


def pairs_decided(board: Leaderboard) -> str:
    """By which test and correction single pairs of models were told apart, as a sentence."""
    correction = method_words("correction", _pairs_correction(board))
    return f"{_capital(_how(board))}, with {correction} over all ordered pairs."


def _pairs_correction(board: Leaderboard) -> str:
    asked = lead_correction(board)
    return correction_facts(asked).strict or asked


def _ranks_entry(board: Leaderboard) -> MethodEntry:
    claim, correction = lead_claim(board), method_words("correction", lead_correction(board))
    if leads_with_band(board):
        return MethodEntry(
            claim.title,
            f"{place(board)}, between which ranks does this model move in most of the draws?",
            claim.words,
            f"The central ranks over {_drawn(board)}. They describe: models "
            "that are truly tied are missed far more often than the share of draws suggests.",
            _lead_assumptions(board),
        )
    return MethodEntry(
        claim.title,
        f"{place(board)}, between which ranks does this model stand?",
        claim.words,
        f"{_capital(_how(board))}, with {correction}. {_RULE}",
        _lead_assumptions(board),
    )


def _score_entry(board: Leaderboard) -> MethodEntry:
    average = board.aggregate
    if average is None:
        return MethodEntry("Score", "", "", "")
    reading = (
        "The interval of one average, over draws; nothing is said about which models differ."
        if leads_with_band(board)
        else "The interval of one score. Whether two models differ is not read from the overlap "
        "of their intervals: it was tested on their differences."
    )
    what = "mean score" if average.method == "mean" else average_words(average)
    what = "mean rank within tasks" if average.unit == "rank" else what
    return MethodEntry(
        average_title(average),
        f"{place(board)}, what is the {what} of this model?",
        f"{average_level(average)}, each model by itself",
        reading,
        average.assumptions,
    )


def _new_task_entry(board: Leaderboard) -> MethodEntry:
    claim, overall = new_task_claim(board), board.overall
    if claim is None or overall is None:
        return MethodEntry("New task", "", "", "")
    return MethodEntry(
        claim.title,
        "Between which ranks will this model stand on a new task like these?",
        claim.words,
        f"The rank intervals of the {len(board.tasks)} tasks, put together by "
        f"{merge_words(overall)}.{_own_level(overall)} The level shown also counts that task "
        "intervals can miss.",
        overall.assumptions,
    )


def _own_level(overall: RankIntervals) -> str:
    if overall.task_alpha is None:
        return ""
    return f" They are made for this, model by model, at {show_level(overall.task_alpha)}."


def _task_score_entry(board: Leaderboard) -> MethodEntry:
    known = any(np.isfinite(task.se).any() for task in board.tasks.values())
    levels = sorted({level_words(task.alpha, task) for task in board.tasks.values()})
    level = f"{' or '.join(levels)}, each model by itself"
    if all(task.kind == "votes" for task in board.tasks.values()):
        return replace(_STRENGTH, level=level)
    cut = ""
    if any(task.low is not None for task in board.tasks.values()):
        cut = (
            " Intervals end where the scale does; of fewer than 30 right or wrong answers they are "
            "exact binomial ones (Clopper and Pearson)."
        )
    return MethodEntry(
        "Score" if board.lead == "task" else "Score on each task",
        "What is the mean score of this model on this very task?",
        level if known else "no error known",
        "The mean over the rows of the task, or the score as it was given. Whether two models "
        "differ is not read from the overlap of their intervals: it was tested on their "
        f"differences.{cut}",
    )


def _task_entries(board: Leaderboard) -> list[MethodEntry]:
    """One entry per way of testing; the only task of a board has its entry already."""
    if board.lead == "task":
        return []
    entries = []
    for tasks in alike_tasks(board.tasks.values()):
        first = tasks[0]
        where = "each task" if len(tasks) == len(board.tasks) else named_tasks(tasks)
        entries.append(
            MethodEntry(
                f"Rank on {where}",
                "Between which ranks does this model stand on this very task?",
                task_claim(first).words,
                f"{_capital(test_words(board, first))}: every rank is possible."
                if untested(first)
                else f"All pairs compared by {test_words(board, first)}, with "
                f"{method_words('correction', first.correction)}. {_RULE}",
                first.assumptions,
            )
        )
    return entries


def alike_tasks(tasks: Iterable[TaskResult]) -> list[list[TaskResult]]:
    """Tasks that were treated in the same way, together."""
    groups: dict[object, list[TaskResult]] = {}
    for task in tasks:
        key = (
            task.test, task.correction, task.scope, task.alpha, task.guarantee, task.assumptions,
            untested(task), task.approximate, task.measured_level,
        )  # fmt: skip
        groups.setdefault(key, []).append(task)
    return list(groups.values())


def _how(board: Leaderboard) -> str:
    if board.lead == "aggregate" and board.aggregate is not None:
        return estimator_words(board.aggregate)
    return test_words(board, next(iter(board.tasks.values())))


def _lead_assumptions(board: Leaderboard) -> tuple[str, ...]:
    if board.lead == "aggregate" and board.aggregate is not None:
        return board.aggregate.assumptions
    return next(iter(board.tasks.values())).assumptions


def named_tasks(tasks: list[TaskResult]) -> str:
    """The names of some tasks in a sentence."""
    return list_words([plain_name(task.name) for task in tasks], _MOST_TASKS)


def merge_words(overall: RankIntervals) -> str:
    """How task intervals were put together, at which level where that was chosen."""
    words = method_words("merge", overall.method)
    return words if overall.method == "union" else f"{words} at {show_level(overall.alpha)}"


def test_words(board: Leaderboard, task: TaskResult) -> str:
    """How models were compared on a task, in words."""
    if untested(task):
        return "no test (the scores came without standard errors)"
    if task.kind != "votes" or task.test != "z":
        return method_words("test", task.test)
    ties = board.spec.votes.ties
    return method_words("test", f"votes {ties}" if "-" in ties or ties == "davidson" else "votes z")


def untested(task: TaskResult) -> bool:
    """Whether scores came without any error, so that no two models could be compared."""
    return task.kind != "votes" and task.test == "z" and not np.isfinite(task.se).any()


def estimator_words(average: Aggregate) -> str:
    """How pairs of models were compared on an average."""
    if average.by_reversal:
        return method_words("law", "reversal")
    return method_words("estimator", average.estimator)


def method_words(kind: str, name: str) -> str:
    """A method in words: `kind` is "test", "correction", "merge" or "estimator"."""
    return _WORDS[kind].get(name, f"the {kind} {name!r}")


def _drawn(board: Leaderboard) -> str:
    return "draws" if board.aggregate is None else drawn_words(board.aggregate)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""What ranks state and what is averaged, in words: level, scope, target, quantity."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.intervals import RankIntervals, Scope
from rankbars.data.notes import Note
from rankbars.render.notation import show_guarantee, show_level
from rankbars.render.shownnames import visible

if TYPE_CHECKING:
    from rankbars.data.aggregate import Aggregate, Over
    from rankbars.data.boardchange import StatedLevel

__all__ = [
    "APPROXIMATE",
    "NO_GUARANTEE",
    "SCOPE_WORDS",
    "Claim",
    "approximate_sentence",
    "approximate_words",
    "average_level",
    "average_title",
    "average_words",
    "drawn_words",
    "given_rows",
    "group_words",
    "is_approximate",
    "is_weighted",
    "lead_claim",
    "lead_correction",
    "leads_with_band",
    "level_words",
    "new_task_claim",
    "only_metric",
    "overall_claim",
    "quantity_words",
    "says_nothing",
    "scale_words",
    "stated_words",
    "statements_level",
    "task_claim",
    "why_approximate",
]

NO_GUARANTEE = "no guarantee"
APPROXIMATE = "approximate"
SCOPE_WORDS: dict[Scope, str] = {
    "each": "each model, chosen in advance",
    "all": "all models at once",
}
# What the new task is, where it is not simply one more like these.
_NEW_TASKS = {
    "group": " of a known category",
    "family": " of a new family",
    "weighted": " of another source",
    "observed": ", as measured",
}
_POPULATIONS: dict[Over, str] = {
    "items": "",
    "tasks": ", tasks like these",
    "families": ", families like these",
}
_PREDICTED: dict[Over, str] = {
    "items": "on fresh items",
    "tasks": "on one new task",
    "families": "on one new family",
}
# Why a level is only nearly held, by the note that says more.
_REASONS = {
    "skewed": "a few rows weigh heavily",
    "unknown-tail": "with so few rows, rare large values may not have been seen",
    "folds-as-independent": "folds share training data, and the test takes them as independent",
    "adaptive-pairs": "earlier results chose which models met",
    "clusters-ignored": "rows come in clusters, and the test takes them as independent",
    "few-runs": "so few runs hardly tell how much runs differ",
    "few-rows-average": "a task with few rows carries most of the error",
    "few-items": "so few do not tell how differences are spread",
}
# The same by test and correction; without the latter, whatever it is.
_REASONS_OF_METHODS = {
    ("mcnemar_midp", None): "the test leaves out half of the observed probability",
    ("corrected_t", "maxt"): "few folds give draws fewer directions than models",
    ("z", "maxt"): "strengths are only close to jointly normal",
}
_EQUAL = 1e-12  # of the largest weight; closer weights are equal but for rounding
_TITLES = {
    "mean": "Score",
    "geometric": "Geometric mean",
    "skill": "Skill score",
    "kemeny": "Kemeny rank",
    "elo": "Elo",
    "borda": "Borda points",
    "win_rate": "Win rate",
    "win_rate_field": "Wins against the field",
    "win_rate_top1": "First places",
}
_WORDS = {
    "mean": "average of scores",
    "geometric": "geometric mean of the scores",
    "skill": "skill score against the baseline",
    "average_rank": "average of ranks within tasks",
    "average_rank_noise": "average of ranks within tasks, after adding noise of one percent",
    "average_rank_bins": "average of ranks within tasks, by whole percent",
    "kemeny": "Kemeny's order, which contradicts the fewest comparisons on tasks",
    "elo": "Elo rating from who beats whom on each task",
    "borda": "mean number of models beaten on a task (Borda)",
    "win_rate": "share of the other models beaten on a task",
    "win_rate_field": "share of tasks won against the mean of the other models",
    "win_rate_top1": "share of tasks won, ties shared",
}
_QUANTITIES = {
    "geometric": "geometric mean",
    "skill": "skill score",
    "average_rank": "average rank",
    "average_rank_noise": "average rank (after adding noise of one percent)",
    "average_rank_bins": "average rank (by whole percent)",
    "kemeny": "rank in Kemeny's order",
    "elo": "Elo rating",
    "borda": "average number of models beaten (Borda)",
    "win_rate": "average share of models beaten",
    "win_rate_field": "share of wins against the field",
    "win_rate_top1": "share of first places",
}
_DRAWN = {
    "bayes": "draws from the posterior of a hierarchical model of each model's tasks",
    "correlated_models": "draws from the posterior of a model in which models find the same tasks "
    "easy and hard",
    "correlated_tasks": "draws from the posterior of a model in which tasks suit the same models",
    "bayes_predictive": "predictive draws from a hierarchical model of each model's tasks",
}
_SCALES = {
    "bounds": "scaled to the limits of each task",
    "chance": "with guessing as 0 and the best score as 1",
    "zscore": "in standard deviations of the models on each task",
    "minmax_draws": "scaled to the range of the draws of each task",
}


class Claim(NamedTuple):
    """What a column of rank intervals states: the question, the level, and for whom it holds."""

    title: str
    level: str
    scope: str

    @property
    def words(self) -> str:
        """Level and scope, as they stand in a header."""
        return f"{self.level}, {self.scope}" if self.scope else self.level


def lead_claim(board: Leaderboard) -> Claim:
    """What the first column of ranks states; a question that is open stands with the level."""
    claim = _lead_claim(board)
    asked = {note.code for note in board.notes}
    rows = board.lead == "task" or (board.aggregate is not None and board.aggregate.over == "items")
    code, what = ("dependent-rows", "rows") if rows else ("related-tasks", "tasks")
    if code not in asked or board.lead == "new_task" or claim.level == NO_GUARANTEE:
        return claim
    return claim._replace(scope=f"{claim.scope}, if {what} are independent".removeprefix(", "))


def given_rows(notes: Iterable[Note]) -> str:
    """What a verdict takes for granted where rows seem to go together; empty elsewhere."""
    asked = any(note.code == "dependent-rows" for note in notes)
    return ", if rows are independent" if asked else ""


def _lead_claim(board: Leaderboard) -> Claim:
    if board.lead == "task":
        return task_claim(next(iter(board.tasks.values())))
    if board.lead == "aggregate" and board.aggregate is not None:
        average = board.aggregate
        band = leads_with_band(board)
        what = "Range of ranks" if band else "Rank"
        title = f"{what} on average{_POPULATIONS[average.over]}"
        if average.estimator == "bayes_predictive":
            title = f"{what} {_PREDICTED[average.over]}"
        return _claim(title, None if band else average, show_level(average.alpha))
    if board.overall is None:
        return Claim("Rank on a new task", NO_GUARANTEE, "")
    claim = overall_claim(board.overall)
    return claim._replace(title=f"Rank on a {claim.title.lower()}")


def task_claim(task: TaskResult) -> Claim:
    """What the rank intervals of one task state."""
    return _claim("Rank on this task", task)


def new_task_claim(board: Leaderboard) -> Claim | None:
    """What the new-task intervals state; None where no model's interval says anything."""
    overall = board.overall
    if overall is None or says_nothing(overall):
        return None
    return overall_claim(overall)


def overall_claim(overall: RankIntervals) -> Claim:
    """What new-task intervals state, whether or not they say anything."""
    title = f"New task{_NEW_TASKS.get(overall.method, '')}"
    if overall.guarantee is None and overall.method == "observed":
        # Of the measured rank, whatever holds for the true one.
        return Claim(title, show_guarantee(1.0 - overall.alpha), SCOPE_WORDS[overall.scope])
    return _claim(title, overall)


def says_nothing(overall: RankIntervals) -> bool:
    """Whether no interval excludes any rank, for want of tasks, of agreement or of other models."""
    size = len(overall.models)
    return bool(((overall.best == 1) & (overall.worst == size)).all())


def stated_words(level: StatedLevel) -> str:
    """Level and scope of what a board shows first.

    Examples
    --------
    >>> from rankbars.data.boardchange import StatedLevel
    >>> stated_words(StatedLevel(0.95, False, None, "all", 0.05))
    '95 %, all models at once'
    >>> stated_words(StatedLevel(None, True, 0.92, "each", 0.05))
    'approximate, about 92 % in simulations, each model, chosen in advance'
    """
    return _claim("", level).words


def level_words(alpha: float, result: TaskResult | Aggregate | StatedLevel) -> str:
    """The level ``1 - alpha`` of statements behind a result, or that it is approximate."""
    return APPROXIMATE if result.approximate else show_level(alpha)


def average_level(average: Aggregate) -> str:
    """The level of the interval of one average; "approximate" where it is not known to hold."""
    return level_words(average.alpha, average)


def is_approximate(board: Leaderboard) -> bool:
    """Whether the levels of what is shown first are only nearly held."""
    first = _first(board)
    return first is not None and first.approximate


def statements_level(board: Leaderboard) -> str:
    """At which level statements about all models at once are made on what is shown first."""
    first = _first(board)
    return NO_GUARANTEE if first is None else level_words(first.alpha, first)


def approximate_sentence(board: Leaderboard) -> str:
    """Why levels are only nearly held, and how often statements held; empty where they are."""
    first = _first(board)
    if first is None or not first.approximate:
        return ""
    decided = first.correction if board.lead == "task" else None
    methods = {(task.test, decided) for task in board.tasks.values()}
    return approximate_words(board.notes, first.measured_level, methods)


def approximate_words(
    notes: Iterable[Note],
    measured: float | None,
    methods: Iterable[tuple[str, str | None]] = (),
) -> str:
    """The sentence that stands in place of a level.

    Parameters
    ----------
    notes : iterable of Note
        Some of them say why a level is only nearly held.
    measured : float, optional
        Share of simulations in which 95 % statements held.
    methods : iterable of (str, str or None)
        Tests with the corrections that decided; None where a correction is of no matter.

    Examples
    --------
    >>> approximate_words((), None)
    'Approximate: no level is assured, see the notes.'
    >>> approximate_words((), None, [("mcnemar_midp", "holm")])
    'Approximate: the test leaves out half of the observed probability; no level is assured.'
    >>> approximate_words((), 0.88)[:58]
    'Approximate: no level is assured. In simulations with such'
    """
    why = why_approximate(notes, methods)
    if measured is None:
        held = "no level is assured"
        return f"Approximate: {f'{why}; {held}' if why else f'{held}, see the notes'}."
    why = why or "no level is assured"
    return (
        f"Approximate: {why}. In simulations with such rows, statements made this way at 95 % held "
        f"about {_rounded(measured)} of the time."
    )


def why_approximate(notes: Iterable[Note], methods: Iterable[tuple[str, str | None]] = ()) -> str:
    """What is not as a level supposes it, a clause; empty where neither notes nor methods say."""
    codes = {note.code for note in notes}
    whys = [reason for code, reason in _REASONS.items() if code in codes]
    used = {one for test, correction in methods for one in ((test, correction), (test, None))}
    whys += [reason for method, reason in _REASONS_OF_METHODS.items() if method in used]
    return "; ".join(whys)


def lead_correction(board: Leaderboard) -> str:
    """The correction that decided what the board shows first."""
    first = _first(board)
    return (None if first is None else first.correction) or board.spec.correction


def _rounded(share: float) -> str:
    return f"{100 * share:.0f} %"


def _first(board: Leaderboard) -> TaskResult | Aggregate | None:
    """The result that the board shows first; None where that is the new task."""
    if board.lead == "task":
        return next(iter(board.tasks.values()))
    return board.aggregate if board.lead == "aggregate" else None


def _claim(
    title: str,
    result: TaskResult | Aggregate | RankIntervals | StatedLevel | None,
    level: str | None = None,
) -> Claim:
    """What a column of ranks states: `level`, or the guarantee of the result, if it has any."""
    if result is not None and result.approximate:
        measured = result.measured_level
        figure = "" if measured is None else f", about {_rounded(measured)} in simulations"
        return Claim(title, APPROXIMATE + figure, SCOPE_WORDS[result.scope])
    if result is None or result.guarantee is None:
        return Claim(title, NO_GUARANTEE, "")
    return Claim(title, level or show_guarantee(result.guarantee), SCOPE_WORDS[result.scope])


def average_title(average: Aggregate) -> str:
    """Header of the column of averages.

    Examples
    --------
    >>> import rankbars as rb
    >>> task = rb.Estimates(("a", "b"), [0.5, 0.7], se=[0.1, 0.1])
    >>> average_title(rb.aggregate(rb.Scores({"x": task, "y": task}), method="borda"))
    'Borda points'
    """
    usual = "Mean rank" if average.unit == "rank" else average.method
    return _TITLES.get(average.method, usual)


def average_words(average: Aggregate) -> str:
    """What one average is, as it stands in a sentence."""
    name = _kind(average)
    words = _WORDS.get(name, name)
    scale = scale_words(average)
    return f"{words} ({scale})" if scale else words


def quantity_words(average: Aggregate) -> str:
    """What was averaged, in a few words; empty for scores, where "average" says it all.

    Examples
    --------
    >>> import rankbars as rb
    >>> task = rb.Estimates(("a", "b"), [0.5, 0.7], se=[0.1, 0.1])
    >>> quantity_words(rb.aggregate(rb.Scores({"x": task, "y": task}), method="win_rate_top1"))
    'share of first places'
    """
    return _QUANTITIES.get(_kind(average), "")


def _kind(average: Aggregate) -> str:
    ranks = average.unit == "rank" and average.method == "mean"
    return "average_rank" if ranks else average.method


def scale_words(average: Aggregate) -> str:
    """How scores were brought to a common scale, in words; empty where they were not."""
    return _SCALES.get(average.normalise or "", "")


def drawn_words(average: Aggregate) -> str:
    """What the draws of an average are, as they stand in a sentence."""
    return _DRAWN.get(average.estimator, "draws")


def only_metric(board: Leaderboard) -> str | None:
    """The metric that every task was scored by; None where there are several, or none is known."""
    metrics = {task.metric for task in board.tasks.values()}
    return metrics.pop() if len(metrics) == 1 else None


def is_weighted(board: Leaderboard) -> bool:
    """Whether the tasks that count in the average count differently."""
    weights = np.array([task.weight for task in board.tasks.values() if task.weight > 0])
    return bool(np.ptp(weights / weights.max(initial=0.0)) > _EQUAL) if weights.size else False


def group_words(board: Leaderboard) -> str:
    """Which tasks count as one in the average, in brackets; nothing if none do."""
    counted = {name: task for name, task in board.tasks.items() if task.weight > 0}
    if not is_weighted(board) or any(task.family is None for task in counted.values()):
        return ""
    weights: dict[str, list[float]] = {}
    for task in counted.values():
        weights.setdefault(task.family or "", []).append(task.weight)
    totals = np.array([math.fsum(one) for one in weights.values()])
    if np.ptp(totals / totals.max()) > _EQUAL:
        return ""
    several = {name: one for name, one in weights.items() if len(one) > 1}
    if len(several) == 1:
        ((name, members),) = several.items()
        return f" ({len(members)} of {visible(name)} count as one)"
    return f" (in {len(weights)} groups that count the same)"


def leads_with_band(board: Leaderboard) -> bool:
    """Whether the ranks shown first are counted in draws and claim nothing about pairs."""
    return board.lead == "aggregate" and any(note.code == "average-band" for note in board.notes)

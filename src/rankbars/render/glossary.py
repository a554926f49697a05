"""The words of the page that need one, and what they mean here."""

from __future__ import annotations

from typing import NamedTuple

from rankbars.data.board import Leaderboard
from rankbars.render.claims import average_level, is_approximate, level_words
from rankbars.render.pagedata import top_share
from rankbars.render.sentences import is_arena
from rankbars.stats.resampling.rankcounts import TOP

__all__ = ["Term", "glossary"]


class Term(NamedTuple):
    """A word, and what it means here; `key` is where the page links to."""

    key: str
    word: str
    meaning: str


def glossary(board: Leaderboard) -> tuple[Term, ...]:
    """The terms that the page of this board uses, in the order of reading."""
    terms = [_RANKS, _UNSURE if is_approximate(board) else _LEVEL, _SCOPE, _SHOWN]
    if len(board.models) > 1 and board.lead != "new_task":
        terms.append(_TIER)
    average = board.aggregate
    if board.lead == "aggregate" and average is not None:
        score = _DRAWN_SCORE if average.is_range else _SCORE
        terms.append(score._replace(meaning=score.meaning.format(level=average_level(average))))
    if any(top_share(board, k) is not None for k in (1, TOP)):
        terms.append(_FIRST)
    if board.lead == "task":
        task = next(iter(board.tasks.values()))
        level = level_words(task.alpha, task)
        terms.append(_TASK_SCORE._replace(meaning=_TASK_SCORE.meaning.format(level=level)))
    if board.lead == "new_task":
        terms.append(_MEAN_RANK)
    if board.overall is not None:
        terms.append(_NEW)
    terms.append(_COVERAGE)
    if is_arena(board):
        terms.append(_ELO)
    return (*terms, _AHEAD, _DETECTABLE, _GUARANTEE)


_RANKS = Term(
    "ranks",
    "Rank interval",
    "The ranks that a model may have, given the evidence. “2–5” says: at least one model was shown "
    "better, and all but four others were shown worse or could not be told apart. Rank 1 is the "
    "best.",
)
_LEVEL = Term(
    "level",
    "Level",
    "How often statements made this way are true. At 95 %, at most one in twenty such statements "
    "is wrong in the long run, if the assumptions in the method box hold.",
)
_UNSURE = Term(
    "level",
    "Approximate",
    "How often statements made this way are true is not assured here. The sentence at the top, or "
    "a note, says why, and how often they held in simulations where that is known.",
)
_SCOPE = Term(
    "scope",
    "Each model, or all at once",
    "“Each model, chosen in advance” means that the level holds for one model you had in mind "
    "before you looked. “All models at once” means that the whole list of statements is true "
    "together with that probability, so it may be read freely.",
)
_SHOWN = Term(
    "shown",
    "Shown better, told apart, separated",
    "The difference between two models is larger than chance explains at the stated level. Models "
    "that are not told apart are not shown to be equal: the evidence is too thin to say.",
)
_TIER = Term(
    "tier",
    "Tier",
    "The first tier holds the models that may be first. Each other one starts at the best model "
    "not yet placed and takes in every model not shown worse than that one. Sorting, searching and "
    "filtering never move a model to another tier.",
)
_SCORE = Term(
    "score",
    "Score and its interval",
    "The average, and behind ± (or in brackets) where the true average may lie at {level}, one "
    "model at a time. Two intervals that overlap do not mean that the models are tied: "
    "differences are tested directly, which is sharper.",
)
_DRAWN_SCORE = Term(
    "score",
    "Score and its range",
    "The average, and in brackets (or behind ±) where {level} of its draws lie. This describes the "
    "draws and is no confidence interval: of models that are close, noise mixes the ranks.",
)
_TASK_SCORE = Term(
    "score",
    "Score and its interval",
    "The score, and behind ± where the true score may lie at {level}, one model at a time. Two "
    "intervals that overlap do not mean that the models are tied: differences are tested "
    "directly, which is sharper.",
)
_MEAN_RANK = Term(
    "score",
    "Mean rank",
    "The mean of the ranks that the model reached on these tasks, as observed. A description: it "
    "carries no statement about what would come out another time.",
)
_FIRST = Term(
    "first",
    "First in, top 3 in",
    "Share of simulated repetitions of the evaluation in which the model comes out first, or among "
    "the first three. It describes how uncertain the order is; it is not a confidence statement.",
)
_NEW = Term(
    "new",
    "Rank on a new task",
    "Where a model may stand on one more task like these, which is less certain than its average "
    "over many: tasks differ. Read it if you will use the model for something that was not tested.",
)
_COVERAGE = Term(
    "coverage",
    "Scored",
    "Share of the expected rows for which the model has a score. Of the others, failed rows ended "
    "in an error, unscored ones ran without a score, and missing ones left no trace. What is "
    "missing can change a ranking, so it is stated.",
)
_ELO = Term(
    "elo",
    "Elo",
    "Strength from pairwise votes. 400 points more are odds of ten to one to be preferred. Only "
    "differences mean something; the zero point is a convention.",
)
_AHEAD = Term(
    "ahead",
    "Ahead on",
    "Rows on which one of two models did better than the other. Rows on which both did equally "
    "well say nothing about which is better.",
)
_DETECTABLE = Term(
    "detectable",
    "Smallest difference that would show",
    "The smallest true difference that data of this size would show in four of five repetitions. "
    "Smaller differences may well exist and stay unseen.",
)
_GUARANTEE = Term(
    "guarantee",
    "Guarantee",
    "A level that is proved to hold under the stated assumptions, for choices made before the "
    "results were seen. Choosing tasks, weights or levels afterwards voids it.",
)

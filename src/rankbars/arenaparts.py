"""An arena whose votes name categories or periods: its ranks in each, its strengths over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import OverTime
from rankbars.data.evidence import Votes
from rankbars.data.notes import Note, list_words
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.data.taskresult import CategoryRanks
from rankbars.data.votes import controls_of
from rankbars.errors import RankbarsError
from rankbars.steps.tallies import split_categories
from rankbars.steps.testrows import Setting
from rankbars.steps.votetime import follow_strengths

__all__ = ["with_parts"]


def with_parts(
    board: Leaderboard,
    task: str,
    votes: Votes,
    spec: Spec,
    rank: Callable[[Scores, Spec], Leaderboard],
) -> Leaderboard:
    """The board with the ranks in each category, and with strengths by period.

    Parameters
    ----------
    board : Leaderboard
        Made of all votes.
    task : str
        The arena.
    votes : Votes
        Single ballots, with their categories.
    spec : Spec
        Options of the board, which those of its parts share.
    rank : callable
        What ranks the votes of one category.
    """
    ranked = tuple(_rank_categories(task, votes, spec, rank))
    if ranked:
        note = _category_note(len(ranked), spec.alpha)
        board = replace(board, categories=ranked, notes=(*board.notes, note))
    setting = Setting(spec.seed, spec.resamples, task, spec.votes)
    found = follow_strengths(votes, spec.votes, setting, spec.alpha)
    if found is None:
        return board
    return replace(board, over_time=found, notes=(*board.notes, _time_note(found, spec)))


def _rank_categories(
    task: str, votes: Votes, spec: Spec, rank: Callable[[Scores, Spec], Leaderboard]
) -> Iterator[CategoryRanks]:
    anywhere = replace(spec, votes=replace(spec.votes, largest_component=True))
    for name, part in split_categories(votes):
        adjusted = controls_of(part)
        try:
            own = rank(Scores({task: part}), anywhere)
        except RankbarsError as error:
            yield CategoryRanks(name, adjusted, part.n, (), reason=str(error))
            continue
        (result,) = own.tasks.values()
        out = tuple(model for model in part.models if model not in own.models)
        yield CategoryRanks(name, adjusted, part.n, own.models, out, result)


def _time_note(found: OverTime, spec: Spec) -> Note:
    """What periods are measured against, and what was shown."""
    level = f"{100 - 100 * found.alpha:g} %"
    text = (
        f"Strengths over time are relative to the mean of {len(found.anchors)} models that every "
        f"period measures; bands hold for all models and periods at once, at {level}."
    )
    if spec.test in ("e_strength", "e_process"):
        text += " They hold for one look, as do tests of changes, and not for all looks together."
    if found.reason:
        return Note("over-time", f"{text} No changes were tested: {found.reason}.")
    names = [one.model for one in found.changed]
    shown = f"{list_words(names, 10)} changed" if names else "no model is shown to have changed"
    beside = (
        f" Of {len(found.changes)} models, tested together at {level} (Holm), {shown} since "
        f"{found.since}, relative to the mean of these models: a change of all alike cannot be "
        "seen, and where few models are compared, one that changes moves the others, too."
    )
    return Note("over-time", text + beside)


def _category_note(categories: int, alpha: float) -> Note:
    """What must be said of categories that share votes."""
    size = categories + 1
    text = (
        f"{size} sets of ranks, of all votes and of categories, which may share votes: each holds "
        f"at {100 - 100 * alpha:g} % by itself, not all of them together. For that, rank at "
        f"--alpha {alpha / size:.2g}. Nothing follows about a new category."
    )
    return Note("categories", text)

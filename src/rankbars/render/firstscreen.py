"""What the page says before anything is opened: one sentence, its level, and what it rests on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import PartlyScored
from rankbars.data.notes import join_words
from rankbars.render.boardnotes import OFTEN_MISSED, UNSEEN_ROWS
from rankbars.render.claims import (
    NO_GUARANTEE,
    approximate_sentence,
    is_approximate,
    lead_claim,
    leads_with_band,
    new_task_claim,
)
from rankbars.render.newtasklines import new_task_line
from rankbars.render.notation import counted, show_ranks
from rankbars.render.sentences import (
    absent_sentences,
    apart_sentences,
    claims_all_at_once,
    field_parts,
    headline_sentences,
    last_one,
    only_apart_may_lead,
    row_word,
    states_who_is_first,
)
from rankbars.render.shownnames import NameWriter, plain_name, visible

__all__ = [
    "Band",
    "Opening",
    "bands",
    "compared",
    "new_task_level",
    "new_task_title",
    "opening",
    "what_is_ranked",
]

_MOST_NAMES = 3
_MOST_NAMES_APART = 2  # of partly scored models that may be first, too
_MOST_LETTERS = 60  # of names in the sentence; longer ones are counted, and marked in their rows


class Band(NamedTuple):
    """Rows, one below the other, of which no two are told apart, and all others from each of them.

    Parameters
    ----------
    first, last : int
        Their places in the order of the board, from 1 on.
    """

    first: int
    last: int


class Opening(NamedTuple):
    """What stands above the table.

    Parameters
    ----------
    title : str
        What the board shows, in at most 20 words besides names.
    level : str
        What the rows state: question, level, and for whom it holds.
    cautions : tuple of str
        Why the level is only nearly held, and what is missing.
    marks_first : bool
        Whether rows say which models may be first, because the title does not name them.
    """

    title: str
    level: str
    cautions: tuple[str, ...]
    marks_first: bool


def opening(board: Leaderboard, name: NameWriter = plain_name) -> Opening:
    """What a reader meets first.

    Parameters
    ----------
    board : Leaderboard
        The result.
    name : callable
        How a name is written, for formats that must escape it; all other words are plain.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rows = np.random.default_rng(1).random((400, 3)) < [0.4, 0.45, 0.9]
    >>> board = rb.leaderboard(rb.Scores.from_arrays({"math": rows}, ["base", "old", "ours"]))
    >>> opening(board).title
    'ours leads: it is shown better than both others. Places 2–3 are too close to call.'
    >>> opening(board).level
    'Rank on this task: 95 % confidence, all models at once.'
    """
    first = board.undominated()
    named = len(first) <= _MOST_NAMES and sum(map(len, first)) <= _MOST_LETTERS
    several = states_who_is_first(board) and len(first) > 1
    return Opening(
        title=_title(board, name, named=named),
        level=_level(board),
        cautions=tuple(_cautions(board)),
        marks_first=several and (not named or board.partly is not None),
    )


def compared(board: Leaderboard) -> tuple[str, ...]:
    """How much was compared, with the models that are placed beside those scored on every task."""
    models, *rest = field_parts(board)
    if board.partly is not None:
        models += f" and {len(board.partly.models)} partly scored"
    return (models, *rest)


def what_is_ranked(board: Leaderboard) -> str:
    """Which tasks the first column of ranks is about, as the switch of the page names it."""
    if len(board.tasks) > 1:
        return "These tasks"
    return "These votes" if next(iter(board.tasks.values())).kind == "votes" else "This task"


def bands(board: Leaderboard) -> tuple[Band, ...]:
    """Groups of models that may be drawn as one: none told apart inside, all told apart outside.

    Empty where rows do not hold for all models at once.
    """
    if not board.tiers or board.lead == "new_task" or leads_with_band(board):
        return ()
    order = np.array(board.order)
    better = board.shown_better[np.ix_(order, order)]
    return _closed_groups(~(better | better.T))


def _closed_groups(alike: NDArray[np.bool_]) -> tuple[Band, ...]:
    """Runs of at least two rows that are `alike` with each other and with no further one.

    Examples
    --------
    >>> _closed_groups(np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1]], dtype=bool))
    (Band(first=1, last=2),)
    >>> _closed_groups(np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool))
    ()
    """
    found, start = [], 0
    while start < len(alike):
        members = np.flatnonzero(alike[start])
        last = int(members[-1])
        run = alike[start : last + 1]
        whole = run[:, start : last + 1].all() and run.sum() == (last + 1 - start) ** 2
        if members[0] == start and whole:
            if last > start:
                found.append(Band(start + 1, last + 1))
            start = last
        start += 1
    return tuple(found)


def _title(board: Leaderboard, name: NameWriter, *, named: bool) -> str:
    if len(board.models) == 1:
        return headline_sentences(board, name)[0]
    best = board.models[board.order[0]]
    if board.lead == "new_task":
        return _new_task(board, name(best)) or new_task_line(board)
    if leads_with_band(board):
        return f"{name(best)} comes first. Nothing is claimed about which models differ."
    first = board.undominated()
    if board.partly is not None:
        return _among_those_scored(board, board.partly, name)
    if not states_who_is_first(board):
        models = "two models" if len(board.models) == 2 else f"{len(board.models)} models"
        return f"These results do not tell the {models} apart. That does not make them equal."
    if not claims_all_at_once(board):
        return f"{len(first)} of {len(board.models)} models may be first, each judged by itself."
    if only_apart_may_lead(board):
        return " ".join(apart_sentences(board, name))
    others = int((~np.isnan(board.score)).sum()) - len(first)
    if len(first) > 1:
        rest = f"Each of the other {others} is"
        if others == 1:
            rest = f"{last_one(board, name)} is"
        if not named:
            return f"{len(first)} models may be first. {rest} shown worse than at least one model."
        among = "between" if len(first) == 2 else "among"
        names = join_words([name(one) for one in first])
        return f"First place is open {among} {names}. {rest} shown worse than at least one model."
    beaten = int(board.shown_better[board.models.index(first[0])].sum())
    if beaten < others:
        return f"Only {name(first[0])} may be first. {_second(board)}".rstrip()
    all_others = {1: "the other one", 2: "both others"}.get(others, f"all {others} others")
    leads = f"{name(first[0])} leads: it is shown better than {all_others}."
    return f"{leads} {_second(board)}".rstrip()


def _among_those_scored(board: Leaderboard, partly: PartlyScored, name: NameWriter) -> str:
    first = board.undominated()
    head = f"Among {len(board.models)} models scored on all {partly.n_tasks} tasks, "
    if not states_who_is_first(board):
        head += "none is shown worse than another."
    elif len(first) == 1:
        others = int((~np.isnan(board.score)).sum()) - 1
        leads = int(board.shown_better[board.models.index(first[0])].sum()) == others
        head += f"{name(first[0])} leads." if leads else f"only {name(first[0])} may be first."
    else:
        head += f"{len(first)} may be first."
    also, some = [name(one) for one in partly.first], len(partly.models)
    if some == 1:
        return (
            f"{head} The one partly scored model may {'be first, too' if also else 'not be first'}."
        )
    if not also:
        return f"{head} Of {some} partly scored, none may be first."
    said = join_words(also) if len(also) <= _MOST_NAMES_APART else f"{len(also)}"
    return f"{head} Of {some} partly scored, {said} may be first, too."


def _second(board: Leaderboard) -> str:
    """What is known of the places behind the first."""
    size = len(board.models)
    if size < 3:
        return ""
    band = next((one for one in bands(board) if one.first == 2), None)
    if band is not None:
        return f"Places {show_ranks(2, band.last)} are too close to call."
    second = len(board.top(2)) - 1
    if second == 1:
        return ""
    return f"Second place is open among {second}."


def _new_task(board: Leaderboard, shown: str) -> str:
    overall = board.overall
    if overall is None or overall.trivial:
        return ""
    best, worst = overall[board.models[board.order[0]]]
    ranks = f"{best}" if best == worst else f"{best} to {worst}"
    return f"On one more task like these, {shown} ranks {ranks}."


def _level(board: Leaderboard) -> str:
    claim = lead_claim(board)
    if claim.level == NO_GUARANTEE:
        return f"{claim.title}: {NO_GUARANTEE}."
    if is_approximate(board):
        # Rows of the page are models.
        words = {row_word(task) for task in board.tasks.values()}
        rows = f"{words.pop()}s" if len(words) == 1 else "results"
        why = approximate_sentence(board).replace("rows", rows)
        return f"{claim.title}: {claim.scope}. {why}"
    if board.lead == "new_task":
        return f"{claim.title}: probability at least {claim.level}, {claim.scope}."
    return f"{claim.title}: {claim.level} confidence, {claim.scope}."


def new_task_level(board: Leaderboard) -> str:
    """What rows on a new task state; empty where the page has none."""
    claim = None if board.lead == "new_task" else new_task_claim(board)
    if claim is None:
        return ""
    overall = board.overall
    if claim.level == NO_GUARANTEE or (overall is not None and overall.approximate):
        return f"Rank on a {claim.title.lower()}: {claim.words}."
    return f"Rank on a {claim.title.lower()}: probability at least {claim.level}, {claim.scope}."


def new_task_title(board: Leaderboard, name: NameWriter = plain_name) -> str:
    """The sentence that goes with rows on a new task."""
    return _new_task(board, name(board.models[board.order[0]]))


def _cautions(board: Leaderboard) -> list[str]:
    """What a reader must not miss: gaps, and conditions of all that is said."""
    codes = {note.code: note for note in board.notes}
    said = []
    if leads_with_band(board):
        said.append("Ranges of ranks describe draws.")
    if board.lead != "new_task" and not states_who_is_first(board) and OFTEN_MISSED in codes:
        said.append(visible(codes[OFTEN_MISSED].message))
    unknown = int(np.isnan(board.score).sum())
    if unknown:
        said.append(f"{counted(unknown, 'model')} not scored on everything: not ruled out.")
    gaps = int(((board.coverage < 1.0) & ~np.isnan(board.score)).sum())
    some = f"{counted(gaps, 'model')} lack{'s' if gaps == 1 else ''} some scores" if gaps else ""
    if board.partly is not None:
        count = len(board.partly.models)
        lacks, they = ("lacks", "it") if count == 1 else ("lack", "they")
        who = f"{some}; {count} {lacks}" if gaps else f"{counted(count, 'model')} {lacks}"
        placed, have = ("is placed", "has") if count == 1 else ("are placed", "have")
        some = f"{who} tasks and {placed} by those {they} {have}, taking the others to be like them"
    if some:
        said.append(f"Gaps: {some}.")
    said.extend(absent_sentences(board))
    if not only_apart_may_lead(board):
        said.extend(apart_sentences(board))
    if "failures-left-out" in codes and board.shown_better.any():
        said.append("All this holds only if what is missing does not depend on the score.")
    if UNSEEN_ROWS in codes and board.lead == "task" and board.shown_better.any():
        said.append(visible(codes[UNSEEN_ROWS].message))
    if "run-effect" in codes:
        said.append("For these runs only: whole runs differ by more than chance.")
    return said

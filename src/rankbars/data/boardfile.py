"""The board file: what it holds, and a `Leaderboard` as JSON (schema ``rankbars.board/1``)."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.about import About
from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import (
    CategoryRanks,
    CostFront,
    OtherOrder,
    OverTime,
    PartlyScored,
)
from rankbars.data.categorymeans import CategoryMeans, LinkedCategories
from rankbars.data.contrasts import Differences
from rankbars.data.diagnosis import VoteHealth
from rankbars.data.fields import Chosen, Reals, Relation
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import NameFact, Note
from rankbars.data.peoplelabels import JudgeUse, JudgeWorth
from rankbars.data.plain import Derived, Keys, json_text, to_plain
from rankbars.data.rowscores import RowScores
from rankbars.data.spec import VOTE_WEIGHTS, Spec, VoteOptions
from rankbars.data.standings import Winner
from rankbars.data.suspects import SuspectVoter
from rankbars.data.taskinfo import Input
from rankbars.data.taskresult import (
    Effects,
    PerEffect,
    TaskPairs,
    TaskResult,
)

__all__ = [
    "KEYS",
    "SCHEMA",
    "BoardFile",
    "Provenance",
    "board_json",
    "board_to_dict",
    "digest_of",
    "packed",
]

SCHEMA = "rankbars.board/1"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a board comes from.

    Parameters
    ----------
    rankbars : str
        Version of the package that made it.
    inputs : tuple of Input
        What was read.
    """

    rankbars: str
    inputs: tuple[Input, ...]


@dataclass(frozen=True, slots=True)
class JudgePart:
    """What judges of labels are worth.

    Parameters
    ----------
    together : JudgeWorth, optional
        Of all tasks on which judges are used; None where they are used on none.
    by_task : mapping from str to JudgeUse
        Task by task.
    """

    together: JudgeWorth | None
    by_task: Mapping[str, JudgeUse]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoardFile:
    """A board file, key by key.

    Models and tasks are sorted by code point; every list with one entry per model is aligned with
    `models`. NaN is null. Keys are only ever added within version 1.

    Parameters
    ----------
    schema : {"rankbars.board/1"}
        Version of the file.
    models : tuple of str
        Names of the models.
    shown_better : array of bool, shape (M, M)
        Pairs (better, worse) on what is shown first; all of them hold at once with probability
        ``1 - alpha``.
    tasks : tuple of TaskResult
        One block per task.
    aggregate : Aggregate, optional
        The average.
    overall : RankIntervals, optional
        Rank prediction intervals for a new task.
    lead : {"task", "aggregate", "new_task"}
        What is shown first; `shown_better` and `tiers` speak of it.
    tiers : tuple of tuple of str
        Groups of models, best first.
    winner : Winner, optional
        Score of the model that leads what is shown first, with its selection allowed for.
    partly_scored : PartlyScored, optional
        Models that lack some task, placed among `models` by the tasks they have; they are no part
        of `models`.
    also : tuple of OtherOrder, optional
        Only where they were asked for: orders of the models by other metrics.
    front : CostFront, optional
        Only where costs were given: which models may be the best for the money.
    about : About, optional
        Only where it was given: title, source, date, link and description.
    attributes : mapping from str to mapping from str to str, optional
        Only where the input says something of models beside their scores: licence, organisation,
        size, price; by model, and then by name, as it stands there.
    judge : JudgePart, optional
        Only where labels were given with judges: what these are worth, and whether they are used.
    names : tuple of NameFact, optional
        Only of a board from a store in which names were changed or retired.
    notes : tuple of Note
        What the reader must know.
    spec : Spec
        Every option.
    provenance : Provenance
        Version and inputs.
    categories : tuple of CategoryRanks, optional
        Only where they were asked for: ranks within categories of votes, which may overlap.
    over_time : OverTime, optional
        Only where it was asked for: strengths from votes by period, and which changed.
    pairs : mapping from str to TaskPairs, optional
        Only where it was asked for: differences of all pairs of models (0, 1), (0, 2), ...,
        (1, 2), ... on each task.
    shared_rows : tuple of RowScores, optional
        Only with `pairs`: scores of rows that tasks have in common.
    vote_health : mapping from str to VoteHealth, optional
        Only where it was asked for: health of the votes of each task that has any.
    digest : str, optional
        Digest of everything else, which tells a board that was changed from one that was written;
        files of version 0.1 have none.
    """

    schema: Literal["rankbars.board/1"]
    models: tuple[str, ...]
    shown_better: Relation
    tasks: tuple[TaskResult, ...]
    aggregate: Aggregate | None
    overall: RankIntervals | None
    lead: Literal["task", "aggregate", "new_task"]
    tiers: tuple[tuple[str, ...], ...]
    winner: Winner | None = None
    partly_scored: PartlyScored | None = None
    also: tuple[OtherOrder, ...] | None = None
    front: CostFront | None = None
    about: About | None = None
    attributes: Mapping[str, Mapping[str, str]] | None = None
    judge: JudgePart | None = None
    names: tuple[NameFact, ...] | None = None
    notes: tuple[Note, ...]
    spec: Spec
    provenance: Provenance
    categories: tuple[CategoryRanks, ...] | None = None
    over_time: OverTime | None = None
    pairs: Mapping[str, TaskPairs] | None = None
    shared_rows: tuple[RowScores, ...] | None = None
    vote_health: Mapping[str, VoteHealth] | None = None
    digest: str | None = None


def _comparison_end(side: Literal["low", "high"]) -> Derived:
    """One end of the intervals to compare by eye; None where no errors are known."""

    def end(average: Aggregate) -> NDArray[np.float64] | None:
        known = average.se is not None and not np.isnan(average.se).all()
        if not known or average.is_range:
            return None
        return average.comparison_intervals()[("low", "high").index(side)]

    return Derived(end, Reals | None)


_MOST_MODELS = 100  # a table of pairs per category is left out for larger boards

# The rows that begin with 1: said by name, so that nobody has to know the rule.
_MAY_BE_FIRST = {
    "may_be_first": Derived(lambda part: part.may_be_first, Chosen | None, checked=True)
}

KEYS: dict[type, Keys] = {
    TaskResult: Keys(
        optional=(
            "rank_probability",
            "dominance",
            "draws_agree",
            "noise",
            "effects",
            "suspects",
            "suspect_groups",
            "low",
            "high",
        ),
        derived=_MAY_BE_FIRST,
    ),
    Effects: Keys(
        derived={
            "low": Derived(lambda effects: effects.interval[0], PerEffect),
            "high": Derived(lambda effects: effects.interval[1], PerEffect),
        }
    ),
    BoardFile: Keys(
        optional=(
            "pairs",
            "shared_rows",
            "vote_health",
            "also",
            "front",
            "categories",
            "over_time",
            "about",
            "names",
            "attributes",
            "judge",
            "digest",
        )
    ),
    About: Keys(optional=("title", "source", "date", "link", "description")),
    OtherOrder: Keys(inherited=("models",)),
    CostFront: Keys(inherited=("models",)),
    RankIntervals: Keys(
        renamed={"method": "merge"},
        inherited=("models",),
        left_out=("shown_better", "side_level", "notes"),
    ),
    # Draws are many times as large as all the rest, and the same seed makes them again.
    Aggregate: Keys(
        renamed={"by_category": "categories"},
        inherited=("models", "shown_better"),
        left_out=("notes", "draws", "contrasts", "components"),
        optional=("differences",),
        derived=_MAY_BE_FIRST
        | {
            "expected_rank": Derived(lambda average: average.expected_rank, Reals | None),
            "comparison_low": _comparison_end("low"),
            "comparison_high": _comparison_end("high"),
        },
    ),
    Differences: Keys(inherited=("models",)),
    SuspectVoter: Keys(renamed={"name": "voter"}),
    CategoryMeans: Keys(
        renamed={"categories": "names"},
        inherited=("models",),
        left_out=("draws",),
        emptied={"difference_se": lambda means: len(means.models) > _MOST_MODELS},
    ),
    LinkedCategories: Keys(
        emptied={
            "covariance": lambda link: (
                link.covariance is not None and len(link.covariance) > _MOST_MODELS
            )
        },
    ),
    VoteOptions: Keys(optional=VOTE_WEIGHTS),
    # Voters and judges by themselves stay out: a board file is made to be published.
    VoteHealth: Keys(named_by="task", left_out=("judges", "controls")),
}


def board_to_dict(board: Leaderboard, *, pairs: bool = False) -> dict[str, Any]:
    """The board as a plain dict of lists, strings and numbers; NaN becomes None.

    With `pairs` it holds the details of pairs and the health of votes too, where the board has
    them.
    """
    details = board.pairs if pairs else None
    content = BoardFile(
        schema="rankbars.board/1",
        models=board.models,
        shown_better=board.shown_better,
        tasks=tuple(board.tasks.values()),
        aggregate=board.aggregate,
        overall=board.overall,
        lead=board.lead,
        tiers=board.tiers,
        winner=board.leader,
        partly_scored=board.partly,
        also=board.also or None,
        front=board.front,
        about=board.about,
        attributes=board.attributes or None,
        judge=JudgePart(JudgeWorth.of(board.judge.values()), board.judge) if board.judge else None,
        names=board.names or None,
        notes=board.notes,
        spec=board.spec,
        provenance=Provenance(board.version, board.inputs),
        categories=board.categories or None,
        over_time=board.over_time,
        pairs=details.tasks if details else None,
        shared_rows=(details.shared_rows or None) if details else None,
        vote_health=board.health if pairs else None,
    )
    plain: dict[str, Any] = to_plain(content, KEYS)
    return plain | {"digest": digest_of(plain)}


def digest_of(plain: Mapping[str, Any]) -> str:
    """Digest of a board file, however it is laid out and whether 1 is written as 1.0."""
    rest = {key: value for key, value in plain.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True)
    for end in (",", "]", "}"):
        text = text.replace(f".0{end}", end)
    return hashlib.sha256(text.encode()).hexdigest()


def board_json(board: Leaderboard, *, pairs: bool = False) -> str:
    """The board as JSON text: keys in the order of the schema, one final newline."""
    return json_text(board_to_dict(board, pairs=pairs))


def packed(text: str) -> bytes:
    """A board file compressed by gzip, which `load` reads as it is; same text, same bytes."""
    return gzip.compress(text.encode("utf-8"), 6, mtime=0)

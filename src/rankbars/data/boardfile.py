"""The board file: `Leaderboard` as JSON and back (schema ``rankbars.board/1``)."""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import resources
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.about import About
from rankbars.data.aggregate import Aggregate
from rankbars.data.binaryfiles import binary_kind
from rankbars.data.board import Leaderboard, ranks_from_relation
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
from rankbars.data.plainreading import from_plain
from rankbars.data.rowscores import RowScores
from rankbars.data.scores import Input
from rankbars.data.spec import VOTE_WEIGHTS, Spec, VoteOptions, correction_facts
from rankbars.data.standings import Winner
from rankbars.data.suspects import SuspectVoter
from rankbars.data.taskresult import (
    Effects,
    PairDetails,
    PerEffect,
    TaskPairs,
    TaskResult,
)
from rankbars.errors import DataError, RankbarsError, ReadError
from rankbars.stats.orders import find_cycles, tiers
from rankbars.stats.ranks import rank_bounds

__all__ = [
    "KEYS",
    "SCHEMA",
    "BoardFile",
    "Provenance",
    "board_from_dict",
    "board_json",
    "board_schema",
    "board_to_dict",
    "load",
    "packed",
    "parse_board",
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
    return plain | {"digest": _digest(plain)}


def _digest(plain: Mapping[str, Any]) -> str:
    """Digest of a board file, however it is laid out and whether 1 is written as 1.0."""
    rest = {key: value for key, value in plain.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True)
    for end in (",", "]", "}"):
        text = text.replace(f".0{end}", end)
    return hashlib.sha256(text.encode()).hexdigest()


def board_schema() -> dict[str, Any]:
    """The JSON Schema of the board file; made from the types by ``scripts/make_schema.py``."""
    text = resources.files("rankbars.data").joinpath("board.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def board_json(board: Leaderboard, *, pairs: bool = False) -> str:
    """The board as JSON text: keys in the order of the schema, one final newline."""
    return json_text(board_to_dict(board, pairs=pairs))


def load(path: str | Path) -> Leaderboard:
    """Read a board file that `Leaderboard.save` wrote.

    A file may come from anywhere: everything in it is checked. One that was changed after it was
    written gets a note.

    Parameters
    ----------
    path : str or Path
        A file of schema ``rankbars.board/1``, or one that is compressed by gzip.

    Returns
    -------
    Leaderboard

    Raises
    ------
    ReadError
        If the file is not a board, or was written with a newer schema, or says what no board can
        say; names the place.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f"Cannot read {path}: {error.strerror or error}.") from error
    return parse_board(content, str(path))


def parse_board(content: bytes, name: str) -> Leaderboard:
    """The board in the bytes of a board file; `name` says in errors where they come from.

    Raises
    ------
    ReadError
        If it is not a board, or of a newer schema.
    """
    values = _parse(_unpacked(content, name), name)
    schema = values.get("schema") if isinstance(values, dict) else None
    if schema != SCHEMA:
        found = f"schema {schema!r}" if schema else "no schema"
        raise ReadError(
            f"{name} is not a board file of schema {SCHEMA!r} (found {found}). "
            "Make one with: rankbars rank INPUT -o board.json"
        )
    try:
        board = board_from_dict(values)
        _check_agreement(board)
        written = values.get("digest")
        edited = written is not None and written != _digest(values)
    except (RankbarsError, RecursionError) as error:
        raise ReadError(
            f"{name} is a damaged board file: {str(error).removesuffix('.')}. Make it again with: "
            "rankbars rank INPUT -o board.json"
        ) from error
    if not edited or _EDITED in board.notes:
        return board
    return replace(board, notes=(*board.notes, _EDITED))


_EDITED = Note(
    "edited-board",
    "The board file was changed after it was written: its content does not fit its digest. What "
    "it says is no longer what rankbars computed.",
)


_LARGEST = 1 << 30  # bytes of a compressed file


def packed(text: str) -> bytes:
    """A board file compressed by gzip, which `load` reads as it is; same text, same bytes."""
    return gzip.compress(text.encode("utf-8"), 6, mtime=0)


def _unpacked(content: bytes, name: str) -> bytes:
    if not content.startswith(b"\x1f\x8b"):
        return content
    stream = zlib.decompressobj(wbits=31)
    try:
        text = stream.decompress(content, _LARGEST)
    except zlib.error as error:
        raise ReadError(f"{name} is a damaged gzip file ({error}).") from error
    if stream.unconsumed_tail:
        raise ReadError(f"{name} is larger than {_LARGEST:,} bytes, once it is unpacked.")
    if not stream.eof:
        raise ReadError(f"{name} is a damaged gzip file: its end is missing.")
    return text


def _parse(content: bytes, name: str) -> Any:
    kind = "" if content.startswith(b"PAR1") else binary_kind(content, name)
    if kind:
        raise ReadError(f"{name} is not a board file: {kind}")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        said = f"it is not UTF-8 text.{_if_results(name)}"  # a store, say
        raise ReadError(f"{name} is not a board file: {said}") from error
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        conflict = re.search(r"^(<{7}|={7}|>{7})( .*)?$", text, re.MULTILINE)
        if conflict is not None:
            line = text.count("\n", 0, conflict.start()) + 1
            raise ReadError(
                f"{name}, line {line}: two versions of the board were merged and not settled "
                f"({conflict[1]}). Choose one of them, or make the board again."
            ) from error
        raise ReadError(
            f"{name} is not a board file: it does not hold valid JSON ({error}).{_if_results(name)}"
        ) from error


def _if_results(name: str) -> str:
    return (
        f" If it holds results: rankbars rank {name} -o board.json makes a board of them, and "
        "rankbars compare takes two models."
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise DataError(f"the key {twice!r} stands twice in one object")
    return found


def _refuse_constant(word: str) -> Any:
    raise DataError(f"{word} is no number of JSON; a number that is not known is null")


def board_from_dict(values: Mapping[str, Any]) -> Leaderboard:
    """The board from its plain dict; the inverse of `board_to_dict`.

    Raises
    ------
    DataError
        If anything has another type or lies outside of its range; begins with the key.
    """
    content: BoardFile = from_plain(values, BoardFile, KEYS)
    tasks: dict[str, TaskResult] = {}
    for k, task in enumerate(content.tasks):
        if tasks.setdefault(task.name, task) is not task:
            raise DataError(f"tasks[{k}].name: another task is called {task.name!r}, too.")
    models = content.models
    return Leaderboard(
        models=models,
        tasks=tasks,
        overall=content.overall,
        aggregate=content.aggregate,
        lead=content.lead,
        shown_better=content.shown_better,
        tiers=content.tiers,
        spec=content.spec,
        notes=content.notes,
        inputs=content.provenance.inputs,
        version=content.provenance.rankbars,
        pairs=None
        if content.pairs is None
        else PairDetails(models, content.pairs, content.shared_rows or ()),
        health=content.vote_health,
        leader=content.winner,
        partly=content.partly_scored,
        also=content.also or (),
        front=content.front,
        categories=content.categories or (),
        over_time=content.over_time,
        about=content.about,
        names=content.names or (),
        attributes=content.attributes or {},
        judge={} if content.judge is None else content.judge.by_task,
    )


# ------------------------------------------------- what the parts of a board say about each other


def _check_agreement(board: Leaderboard) -> None:
    """Raise `DataError` where parts of the board contradict each other."""
    shown = board.shown_better
    circle = [[i] for i in np.flatnonzero(np.diagonal(shown))] or find_cycles(shown).groups
    if circle:
        names = ", ".join(repr(board.models[i]) for i in circle[0][:5])
        raise DataError(f"shown_better: {names} are each shown better than another in a circle.")
    if board.lead == "task" and len(board.tasks) != 1:
        raise DataError(f"lead: 'task' is for one task; found {len(board.tasks)}.")
    if board.lead == "aggregate" and board.aggregate is None:
        raise DataError("lead: 'aggregate' needs an average, and aggregate is null.")
    if board.overall is not None and board.overall.target != "new_task":
        raise DataError(f"overall.target must be 'new_task'; found {board.overall.target!r}.")
    _check_tiers(board)
    _check_rows(board)
    for name, health in (board.health or {}).items():
        for k, pair in enumerate(health.neighbours):
            if not {pair.ahead, pair.behind} <= set(health.models):
                place = f"vote_health[{name!r}].neighbours[{k}]"
                raise DataError(f"{place} must be two of the models there.")
    if board.pairs is not None and set(board.pairs.tasks) != set(board.tasks):
        raise DataError("pairs must have one block for each task.")


def _check_tiers(board: Leaderboard) -> None:
    """Tiers follow from scores, pairs and who may be first; earlier files know the first two."""
    if not board.tiers and not ranks_from_relation(board):
        return
    first = board.ranks.best == 1
    usual, earlier = (
        [{board.models[i] for i in group} for group in tiers(board.score, board.shown_better, best)]
        for best in (first, None)
    )
    found = [set(tier) for tier in board.tiers]
    if found in (usual, earlier):
        return
    nobody: set[str] = set()
    for k, (one, other) in enumerate(zip_longest(found, usual, fillvalue=nobody)):
        if one != other:
            raise DataError(
                f"tiers[{k}]: scores, ranks and shown_better put {_named(other)} here; found "
                f"{_named(one)}."
            )


def _named(models: Iterable[str]) -> str:
    return ", ".join(repr(name) for name in sorted(models)[:5]) or "nobody"


def _check_rows(board: Leaderboard) -> None:
    """Rows for all models at once are counted from `shown_better`, and who may be first."""
    if board.lead == "new_task" or not correction_facts(board.spec.correction).promises:
        return
    task = next(iter(board.tasks.values()))
    average = board.aggregate
    if board.lead == "aggregate" and average is not None and average.is_counted:
        return
    scope = task.scope if board.lead == "task" or average is None else average.scope
    if scope != "all":
        return
    found, counted = board.ranks, rank_bounds(board.shown_better)
    # A model that is not among those that may be first has 2 as its best rank, at least.
    left = (found.best == 2) & (counted.best == 1) & ~np.isnan(board.score)
    wrong = ((found.best != counted.best) & ~left) | (found.worst != counted.worst)
    if wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        place = "tasks[0]" if board.lead == "task" else "aggregate"
        raise DataError(
            f"{place}: {board.models[i]!r} has ranks {found.best[i]} to {found.worst[i]}, and "
            f"shown_better gives {counted.best[i]} to {counted.worst[i]}."
        )

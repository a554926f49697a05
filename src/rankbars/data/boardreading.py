"""Reading board files, and checking what they say: they may come from anywhere."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from rankbars.data.binaryfiles import binary_kind
from rankbars.data.board import Leaderboard, ranks_from_relation
from rankbars.data.boardfile import KEYS, SCHEMA, BoardFile, digest_of
from rankbars.data.notes import Note
from rankbars.data.plainreading import from_plain
from rankbars.data.spec import correction_facts
from rankbars.data.taskresult import PairDetails, TaskResult
from rankbars.errors import DataError, RankbarsError, ReadError
from rankbars.stats.orders import find_cycles, tiers
from rankbars.stats.ranks import rank_bounds

__all__ = ["board_from_dict", "load", "parse_board"]

_LARGEST = 1 << 30  # bytes of a compressed file
_EDITED = Note(
    "edited-board",
    "The board file was changed after it was written: its content does not fit its digest. What "
    "it says is no longer what rankbars computed.",
)


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
        edited = written is not None and written != digest_of(values)
    except (RankbarsError, RecursionError) as error:
        raise ReadError(
            f"{name} is a damaged board file: {str(error).removesuffix('.')}. Make it again with: "
            "rankbars rank INPUT -o board.json"
        ) from error
    if not edited or _EDITED in board.notes:
        return board
    return replace(board, notes=(*board.notes, _EDITED))


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

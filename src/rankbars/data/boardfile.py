"""The board file: `Leaderboard` as plain JSON and back (schema ``rankbars.board/1``)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from rankbars.data.averagefile import aggregate_from_dict, aggregate_to_dict
from rankbars.data.board import Leaderboard
from rankbars.data.files import write_text
from rankbars.data.intervals import RankIntervals
from rankbars.data.jsonarrays import whole_array
from rankbars.data.notes import Note
from rankbars.data.pairfile import pairs_from_dict, pairs_to_dict
from rankbars.data.scores import Input
from rankbars.data.spec import Spec
from rankbars.data.taskfile import task_from_dict, task_to_dict
from rankbars.data.votehealthfile import health_from_dict, health_to_dict
from rankbars.errors import RankbarsError, ReadError

__all__ = [
    "SCHEMA",
    "board_from_dict",
    "board_json",
    "board_schema",
    "board_to_dict",
    "load",
    "parse_board",
    "save_board",
]

SCHEMA = "rankbars.board/1"


def board_to_dict(board: Leaderboard, *, pairs: bool = False) -> dict[str, Any]:
    """The board as a plain dict of lists, strings and numbers; NaN becomes None.

    With `pairs` it holds the details of pairs and the health of votes too, where the board has
    them.
    """
    better = np.argwhere(board.shown_better)
    return (_extras(board) if pairs else {}) | {
        "schema": SCHEMA,
        "models": list(board.models),
        "tasks": [task_to_dict(task) for task in board.tasks.values()],
        "overall": None if board.overall is None else _overall_to_dict(board.overall),
        "aggregate": None if board.aggregate is None else aggregate_to_dict(board.aggregate),
        "lead": board.lead,
        "shown_better": [[board.models[i], board.models[j]] for i, j in better],
        "tiers": [list(tier) for tier in board.tiers],
        "notes": [_note_to_dict(note) for note in board.notes],
        "spec": board.spec.to_dict(),
        "provenance": {
            "rankbars": board.version,
            "inputs": [
                {"path": entry.path, "format": entry.format, "sha256": entry.sha256}
                for entry in board.inputs
            ],
        },
    }


def _extras(board: Leaderboard) -> dict[str, Any]:
    extras: dict[str, Any] = {}
    if board.pairs is not None:
        extras["pairs"] = pairs_to_dict(board.pairs)
    if board.health is not None:
        extras["vote_health"] = health_to_dict(board.health)
    return extras


def board_schema() -> dict[str, Any]:
    """The JSON Schema of the board file."""
    text = resources.files("rankbars.data").joinpath("board.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def board_json(board: Leaderboard, *, pairs: bool = False) -> str:
    """The board as JSON text: sorted keys, shortest round trip of floats, one final newline."""
    return (
        json.dumps(
            board_to_dict(board, pairs=pairs),
            sort_keys=True,
            indent=1,
            ensure_ascii=False,
            allow_nan=False,
        )
        + "\n"
    )


def save_board(board: Leaderboard, path: str | Path, *, pairs: bool = False) -> None:
    """Write the board file, whole or not at all; raises `WriteError`."""
    write_text(path, board_json(board, pairs=pairs))


def load(path: str | Path) -> Leaderboard:
    """Read a board file that `Leaderboard.save` wrote.

    Parameters
    ----------
    path : str or Path
        A file of schema ``rankbars.board/1``.

    Returns
    -------
    Leaderboard

    Raises
    ------
    ReadError
        If the file is not a board, or was written with a newer schema.
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
    try:
        values = json.loads(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise ReadError(f"{name} is not a board file: it is not UTF-8 text.") from error
    except (ValueError, RecursionError) as error:
        raise ReadError(
            f"{name} is not a board file: it does not hold valid JSON ({error})."
        ) from error
    schema = values.get("schema") if isinstance(values, dict) else None
    if schema != SCHEMA:
        found = f"schema {schema!r}" if schema else "no schema"
        raise ReadError(
            f"{name} is not a board file of schema {SCHEMA!r} (found {found}). "
            "Make one with: rankbars rank INPUT -o board.json"
        )
    try:
        return board_from_dict(values)
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = f"{error}" if isinstance(error, RankbarsError) else f"{error!r}"
        raise ReadError(f"{name} is a damaged board file: {reason}.") from error


def board_from_dict(values: Mapping[str, Any]) -> Leaderboard:
    """The board from its plain dict; the inverse of `board_to_dict`."""
    models = tuple(values["models"])
    position = {name: i for i, name in enumerate(models)}
    better = np.zeros((len(models), len(models)), dtype=np.bool_)
    for winner, loser in values["shown_better"]:
        better[position[winner], position[loser]] = True
    overall, aggregate = values["overall"], values["aggregate"]
    return Leaderboard(
        models=models,
        tasks={task["name"]: task_from_dict(task) for task in values["tasks"]},
        overall=None if overall is None else _overall_from_dict(overall, models),
        aggregate=None if aggregate is None else aggregate_from_dict(aggregate, models, better),
        lead=values["lead"],
        shown_better=better,
        tiers=tuple(tuple(tier) for tier in values["tiers"]),
        spec=Spec.from_dict(values["spec"]),
        notes=tuple(_note_from_dict(note) for note in values["notes"]),
        inputs=tuple(
            Input(entry["path"], entry["format"], entry["sha256"])
            for entry in values["provenance"]["inputs"]
        ),
        version=values["provenance"]["rankbars"],
        pairs=pairs_from_dict(values.get("pairs"), models),
        health=health_from_dict(values.get("vote_health")),
    )


def _overall_to_dict(overall: RankIntervals) -> dict[str, Any]:
    groups = overall.groups
    return {
        "target": overall.target,
        "merge": overall.method,
        "scope": overall.scope,
        "alpha": overall.alpha,
        "guarantee": overall.guarantee,
        "trivial": overall.trivial,
        "assumptions": list(overall.assumptions),
        "best": overall.best.tolist(),
        "worst": overall.worst.tolist(),
        "spread": None if overall.spread is None else overall.spread.tolist(),
        "groups": None
        if groups is None
        else {name: _overall_to_dict(group) for name, group in groups.items()},
    }


def _overall_from_dict(values: Mapping[str, Any], models: tuple[str, ...]) -> RankIntervals:
    groups = values["groups"]
    spread = values["spread"]
    return RankIntervals(
        models=models,
        best=whole_array(values["best"]),
        worst=whole_array(values["worst"]),
        alpha=values["alpha"],
        scope=values["scope"],
        target=values["target"],
        method=values["merge"],
        guarantee=values["guarantee"],
        assumptions=tuple(values["assumptions"]),
        trivial=values["trivial"],
        spread=None if spread is None else whole_array(spread),
        groups=None
        if groups is None
        else {name: _overall_from_dict(group, models) for name, group in groups.items()},
    )


def _note_to_dict(note: Note) -> dict[str, Any]:
    return {
        "code": note.code,
        "message": note.message,
        "task": note.task,
        "models": list(note.models),
    }


def _note_from_dict(values: Mapping[str, Any]) -> Note:
    return Note(values["code"], values["message"], values["task"], tuple(values["models"]))

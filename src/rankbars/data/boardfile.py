"""The board file: `Leaderboard` as plain JSON and back (schema ``rankbars.board/1``)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.categoryfile import categories_from_dict, categories_to_dict
from rankbars.data.evidence import Coverage
from rankbars.data.files import write_text
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import Note
from rankbars.data.pairfile import pairs_from_dict, pairs_to_dict
from rankbars.data.scores import Input
from rankbars.data.spec import Spec
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
        "tasks": [_task_to_dict(task) for task in board.tasks.values()],
        "overall": None if board.overall is None else _overall_to_dict(board.overall),
        "aggregate": None if board.aggregate is None else _aggregate_to_dict(board.aggregate),
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
        tasks={task["name"]: _task_from_dict(task) for task in values["tasks"]},
        overall=None if overall is None else _overall_from_dict(overall, models),
        aggregate=None if aggregate is None else _aggregate_from_dict(aggregate, models, better),
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


_TASK_PLAIN = (
    "name", "kind", "n", "test", "correction", "scope", "alpha", "guarantee", "direction",
    "category", "family", "metric", "weight",
)  # fmt: skip


def _task_to_dict(task: TaskResult) -> dict[str, Any]:
    return {name: getattr(task, name) for name in _TASK_PLAIN} | {
        "mean": _reals(task.mean),
        "se": _reals(task.se),
        "coverage": _reals(task.coverage),
        "best": task.best.tolist(),
        "worst": task.worst.tolist(),
        "observed_best": task.observed_best.tolist(),
        "observed_worst": task.observed_worst.tolist(),
        "assumptions": list(task.assumptions),
        "spread_best": None if task.spread_best is None else task.spread_best.tolist(),
        "spread_worst": None if task.spread_worst is None else task.spread_worst.tolist(),
        "elo": None if task.elo is None else _reals(task.elo),
        "elo_anchor": task.elo_anchor,
        "counts": None if task.counts is None else _counts_to_dict(task.counts),
    }


_COUNTS = ("scored", "unscored", "errors", "missing", "zeros")


def _counts_to_dict(counts: Coverage) -> dict[str, Any]:
    found: dict[str, Any] = {"expected": counts.expected}
    for name in _COUNTS:
        values: NDArray[np.int64] | None = getattr(counts, name)
        found[name] = None if values is None else values.tolist()
    return found


def _counts_from_dict(values: Mapping[str, Any] | None) -> Coverage | None:
    if values is None:
        return None
    return Coverage(
        expected=values["expected"],
        **{name: _ranks(values[name]) for name in _COUNTS if values[name] is not None},
    )


def _task_from_dict(values: Mapping[str, Any]) -> TaskResult:
    plain: dict[str, Any] = {name: values[name] for name in _TASK_PLAIN}
    return TaskResult(
        **plain,
        mean=_array(values["mean"]),
        se=_array(values["se"]),
        coverage=_array(values["coverage"]),
        best=_ranks(values["best"]),
        worst=_ranks(values["worst"]),
        observed_best=_ranks(values["observed_best"]),
        observed_worst=_ranks(values["observed_worst"]),
        assumptions=tuple(values["assumptions"]),
        spread_best=_optional(values.get("spread_best"), _ranks),
        spread_worst=_optional(values.get("spread_worst"), _ranks),
        elo=_optional(values.get("elo"), _array),
        elo_anchor=values.get("elo_anchor"),
        counts=_counts_from_dict(values.get("counts")),
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
        best=_ranks(values["best"]),
        worst=_ranks(values["worst"]),
        alpha=values["alpha"],
        scope=values["scope"],
        target=values["target"],
        method=values["merge"],
        guarantee=values["guarantee"],
        assumptions=tuple(values["assumptions"]),
        trivial=values["trivial"],
        spread=None if spread is None else _ranks(spread),
        groups=None
        if groups is None
        else {name: _overall_from_dict(group, models) for name, group in groups.items()},
    )


_AGGREGATE_PLAIN = ("over", "estimator", "scope", "alpha", "unit", "direction")
# Keys that files of the first versions do not have, with what they mean there.
_AGGREGATE_LATER: dict[str, Any] = {
    "method": "mean", "normalise": None, "target": "", "guarantee": None,
}  # fmt: skip


def _aggregate_to_dict(aggregate: Aggregate) -> dict[str, Any]:
    plain = (*_AGGREGATE_PLAIN, *_AGGREGATE_LATER)
    return {name: getattr(aggregate, name) for name in plain} | {
        "score": _reals(aggregate.score),
        "low": _reals(aggregate.low),
        "high": _reals(aggregate.high),
        "best": aggregate.best.tolist(),
        "worst": aggregate.worst.tolist(),
        "assumptions": list(aggregate.assumptions),
        "se": _optional_reals(aggregate.se),
        "df": _optional_reals(aggregate.df),
        "expected_rank": _optional_reals(aggregate.expected_rank),
        "rank_probability": _optional_square(aggregate.rank_probability),
        "dominance": _optional_square(aggregate.dominance),
        "limits": {task: list(ends) for task, ends in aggregate.limits.items()},
        "categories": categories_to_dict(aggregate.by_category),
    }


def _aggregate_from_dict(
    values: Mapping[str, Any], models: tuple[str, ...], better: NDArray[np.bool_]
) -> Aggregate:
    return Aggregate(
        models=models,
        score=_array(values["score"]),
        low=_array(values["low"]),
        high=_array(values["high"]),
        best=_ranks(values["best"]),
        worst=_ranks(values["worst"]),
        shown_better=better,
        assumptions=tuple(values["assumptions"]),
        se=_optional_array(values.get("se")),
        df=_infinite(_optional_array(values.get("df"))),
        by_category=categories_from_dict(values.get("categories"), models),
        rank_probability=_optional_table(values.get("rank_probability")),
        dominance=_optional_table(values.get("dominance")),
        limits={task: (ends[0], ends[1]) for task, ends in values.get("limits", {}).items()},
        **{name: values[name] for name in _AGGREGATE_PLAIN},
        **{name: values.get(name, usual) for name, usual in _AGGREGATE_LATER.items()},
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


def _reals(array: NDArray[np.float64]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in array.tolist()]


def _optional_reals(array: NDArray[np.float64] | None) -> list[float | None] | None:
    return None if array is None else _reals(array)


def _optional_square(table: NDArray[np.float64] | None) -> list[list[float | None]] | None:
    return None if table is None else [_reals(row) for row in table]


def _array(values: list[float | None]) -> NDArray[np.float64]:
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)


def _infinite(df: NDArray[np.float64] | None) -> NDArray[np.float64] | None:
    return None if df is None else np.where(np.isnan(df), np.inf, df)


def _optional_array(values: list[float | None] | None) -> NDArray[np.float64] | None:
    return None if values is None else _array(values)


def _optional_table(rows: list[list[float | None]] | None) -> NDArray[np.float64] | None:
    return None if rows is None else np.array([_array(row) for row in rows])


def _optional(
    values: list[Any] | None, convert: Callable[[list[Any]], NDArray[Any]]
) -> NDArray[Any] | None:
    return None if values is None else convert(values)


def _ranks(values: list[int]) -> NDArray[np.int64]:
    # A rank of 1.5 must raise, not become 1: the types cast without loss.
    return np.array(values) if values else np.zeros(0, dtype=np.int64)

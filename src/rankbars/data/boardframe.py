"""A board as a data frame of pandas, polars or pyarrow."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from rankbars.errors import MissingPackageError, UnknownOptionError

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard

__all__ = ["BACKENDS", "board_columns", "board_frame"]

BACKENDS = ("pandas", "polars", "pyarrow")


def board_columns(board: Leaderboard) -> dict[str, list[Any]]:
    """One list per column, one entry per model, best score first; None where nothing applies."""
    order = np.asarray(board.order)
    size = len(board.models)
    nothing: list[Any] = [None] * size
    columns: dict[str, list[Any]] = {
        "model": [board.models[i] for i in order],
        "tier": board.tier[order].tolist(),
    }
    if board.lead == "task":
        task = next(iter(board.tasks.values()))
        columns |= {"score": _reals(task.mean[order]), "score_low": nothing, "score_high": nothing}
        columns |= {"best": task.best[order].tolist(), "worst": task.worst[order].tolist()}
    elif board.aggregate is not None:
        average = board.aggregate
        columns |= {
            "score": _reals(average.score[order]),
            "score_low": _reals(average.low[order]),
            "score_high": _reals(average.high[order]),
            "best": average.best[order].tolist(),
            "worst": average.worst[order].tolist(),
        }
    else:
        columns |= dict.fromkeys(("score", "score_low", "score_high", "best", "worst"), nothing)
    new = board.overall
    columns["new_task_best"] = nothing if new is None else new.best[order].tolist()
    columns["new_task_worst"] = nothing if new is None else new.worst[order].tolist()
    columns["coverage"] = board.coverage[order].tolist()
    return columns


def board_frame(board: Leaderboard, backend: str | None = None) -> Any:
    """The columns of `board_columns` as a frame; see `Leaderboard.to_frame`."""
    if backend is not None and backend not in BACKENDS:
        raise UnknownOptionError.among("data frame library", backend, BACKENDS)
    found = next((name for name in BACKENDS if find_spec(name) is not None), None)
    chosen = backend or found
    if chosen is None or find_spec(chosen) is None:
        raise MissingPackageError.for_extra(chosen or "pandas", "A data frame", chosen or "pandas")
    columns = board_columns(board)
    if chosen == "pandas":
        import pandas as pd

        return pd.DataFrame(columns)
    if chosen == "polars":
        import polars as pl

        return pl.DataFrame(columns)
    import pyarrow as pa

    return pa.table(columns)


def _reals(values: np.ndarray[Any, np.dtype[np.float64]]) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]

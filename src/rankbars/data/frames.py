"""Columns as a data frame of the library that is wanted, and scores as the columns of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from rankbars.data.evidence import Estimates, Folds, Items
from rankbars.data.votes import Votes
from rankbars.errors import DataError, MissingPackageError, UnknownOptionError

if TYPE_CHECKING:
    from rankbars.data.evidence import Evidence
    from rankbars.data.scores import Scores

__all__ = [
    "BACKENDS",
    "make_frame",
    "score_columns",
]


BACKENDS = ("pandas", "polars", "pyarrow")


def make_frame(
    columns: Mapping[str, Sequence[Any]], backend: str | None = None, usual: str | None = None
) -> Any:
    """The columns as a frame.

    Parameters
    ----------
    columns : mapping from str to sequence
        All of one length; None where there is no value.
    backend : {"pandas", "polars", "pyarrow"}, optional
        The library that was asked for.
    usual : str, optional
        The library that the data came in, which is taken where none was asked for. Without it, the
        first that is installed.

    Raises
    ------
    MissingPackageError
        If the library is not installed, or none is.
    UnknownOptionError
        If `backend` is not one of the three.

    Examples
    --------
    >>> make_frame({"model": ["a"], "best": [1]}, "polars").to_dicts()
    [{'model': 'a', 'best': 1}]
    """
    if backend is not None and backend not in BACKENDS:
        raise UnknownOptionError.among("data frame library", backend, BACKENDS)
    installed = [name for name in BACKENDS if find_spec(name) is not None]
    chosen = backend or next((name for name in (usual, *installed) if name in installed), None)
    if chosen not in installed:
        raise MissingPackageError.for_extra(chosen or "pandas", "A data frame", chosen or "pandas")
    if chosen == "pandas":
        import pandas as pd

        return pd.DataFrame(dict(columns))
    if chosen == "polars":
        import polars as pl

        return pl.DataFrame(dict(columns))
    import pyarrow as pa

    return pa.table(dict(columns))


_ORDER = (
    "model", "model_a", "model_b", "task", "item", "fold", "run", "prompt", "score", "se", "n",
    "cluster", "weight", "votes", "wins_a", "wins_b",
)  # fmt: skip
_UNITS = {"items": "item", "runs": "run", "prompts": "prompt"}


def score_columns(scores: Scores) -> dict[str, list[Any]]:
    """One row per observed score, in the units of the input; of votes, one per pair that met.

    Raises
    ------
    DataError
        If there are votes and scores: they do not fit into one table.
    """
    parts = []
    for name, evidence in scores.tasks.items():
        sign = 1.0 if scores.info[name].direction == "higher" else -1.0
        columns = _columns(evidence, sign)
        size = len(next(iter(columns.values())))
        parts.append({"task": [name] * size} | columns)
    if len({"votes" in part for part in parts}) > 1:
        raise DataError(
            "Votes and scores do not fit into one table. Choose: scores.select(tasks=[...])."
        )
    used = [name for name in _ORDER if any(name in part for part in parts)]
    return {
        name: [
            cell
            for part in parts
            for cell in part.get(name) or [None] * len(part["task"])
        ]
        for name in used
    }  # fmt: skip


def _columns(evidence: Evidence, sign: float) -> dict[str, list[Any]]:
    if isinstance(evidence, Items):
        return _item_columns(evidence, sign)
    if isinstance(evidence, Estimates):
        return _published_columns(evidence, sign)
    return _vote_columns(evidence)


def _item_columns(items: Items, sign: float) -> dict[str, list[Any]]:
    column, row = np.nonzero(~np.isnan(items.values.T))
    ids = items.ids or tuple(map(str, range(1, items.n + 1)))
    unit = "fold" if isinstance(items.design, Folds) else _UNITS[items.design]
    found: dict[str, list[Any]] = {
        "model": [items.models[i] for i in column.tolist()],
        unit: [ids[i] for i in row.tolist()],
        "score": (sign * items.values[row, column] + 0.0).tolist(),
    }
    if items.clusters is not None:
        found["cluster"] = items.clusters[row].tolist()
    if items.weights is not None:
        found["weight"] = items.weights[row].tolist()
    return found


def _published_columns(published: Estimates, sign: float) -> dict[str, list[Any]]:
    kept = np.flatnonzero(~np.isnan(published.mean))
    found: dict[str, list[Any]] = {
        "model": [published.models[i] for i in kept],
        "score": (sign * published.mean[kept] + 0.0).tolist(),
    }
    errors = published.se
    if published.cov is not None:
        errors = np.sqrt(np.diagonal(published.cov))
    if errors is not None:
        found["se"] = [None if np.isnan(error) else error for error in errors[kept].tolist()]
    if published.n is not None:
        found["n"] = [n or None for n in published.n[kept].tolist()]
    return found


def _vote_columns(votes: Votes) -> dict[str, list[Any]]:
    first, second = np.nonzero(np.triu(votes.met, 1))
    return {
        "model_a": [votes.models[i] for i in first.tolist()],
        "model_b": [votes.models[i] for i in second.tolist()],
        "votes": votes.met[first, second].tolist(),
        "wins_a": votes.wins[first, second].tolist(),
        "wins_b": votes.wins[second, first].tolist(),
    }

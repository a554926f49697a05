"""Columns as a data frame of the library that is wanted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from rankbars.errors import MissingPackageError, UnknownOptionError

__all__ = ["BACKENDS", "make_frame"]

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

"""Names of models: each once, and where they stand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError

__all__ = ["check_models", "locate_models"]


def check_models(models: tuple[str, ...]) -> tuple[str, ...]:
    """The names as a tuple; raises `DataError` if one is repeated or there is none."""
    names = tuple(models)
    if not names:
        raise DataError("At least one model is needed; found none.")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"Model {twice!r} is named twice; each model needs a name of its own.")
    return names


def locate_models(names: Sequence[str], models: Sequence[str]) -> NDArray[np.intp]:
    """Position of each of `names` in `models`, which holds them all.

    Examples
    --------
    >>> locate_models(["c", "a"], ["a", "b", "c"]).tolist()
    [2, 0]
    """
    place = {model: i for i, model in enumerate(models)}
    return np.array([place[name] for name in names], dtype=np.intp)

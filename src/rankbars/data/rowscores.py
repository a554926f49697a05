"""Scores of the rows that tasks have in common, packed, for averages over other weights."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Numbers, freeze
from rankbars.errors import DataError

__all__ = ["RowScores"]

_MOST_LEVELS = 256


@dataclass(frozen=True, slots=True, eq=False)
class RowScores:
    """Scores of all models on rows that several tasks share.

    The rows stand in the order of their scores, so that none says which item it is.

    Parameters
    ----------
    tasks : tuple of str
        Two tasks or more.
    rows : int
        How many rows each of them has.
    levels : array of float, shape (L,), optional
        The scores that there are, up to 256, NaN among them for a model without the task; None
        where there are more.
    packed : str
        For each task, row and model, in this order, the place of the score among `levels`: one
        bit, the first in the lowest, where there are two, else one byte. Without `levels` the
        scores themselves, as little-endian doubles. All of it in base64.

    Raises
    ------
    DataError
        If there are fewer than two tasks.
    """

    tasks: tuple[str, ...]
    rows: Annotated[int, Numbers(least=1)]
    levels: Annotated[NDArray[np.float64], Numbers("L", null=np.nan)] | None
    packed: str

    def __post_init__(self) -> None:
        freeze(self)
        if len(self.tasks) < 2:
            raise DataError(f"Rows are shared by two tasks or more; found {len(self.tasks)}.")

    @classmethod
    def of(cls, tasks: tuple[str, ...], scores: NDArray[np.float64]) -> RowScores:
        """The same rows of all `tasks`, packed.

        Parameters
        ----------
        tasks : tuple of str
            N tasks.
        scores : array of float, shape (N, n, M)
            Their scores, in the units of the input; NaN for a model without a task.

        Examples
        --------
        >>> made = RowScores.of(("x", "y"), np.array([[[1.0, 0.0]], [[1.0, 1.0]]]))
        >>> made.rows, made.levels.tolist(), made.packed  # 1, 0, 1, 1 from the lowest bit on
        (1, [0.0, 1.0], 'DQ==')
        """
        order = np.lexsort(scores.transpose(0, 2, 1).reshape(-1, scores.shape[1]))
        ordered = scores[:, order] + 0.0  # no -0
        found, places = np.unique(ordered, return_inverse=True)
        levels = found if found.size <= _MOST_LEVELS else None
        if levels is None:
            content = ordered.astype("<f8").tobytes()
        elif levels.size == 2:
            content = np.packbits(places.reshape(-1).astype(np.bool_), bitorder="little").tobytes()
        else:
            content = places.astype(np.uint8).tobytes()
        return cls(tasks, scores.shape[1], levels, base64.b64encode(content).decode("ascii"))

    def check(self, models: int) -> None:
        """Raise `DataError` unless there is one score for each task, row and model."""
        cells = len(self.tasks) * self.rows * models
        try:
            content = base64.b64decode(self.packed, validate=True)
        except ValueError as error:
            raise DataError(f"shared_rows: packed must be base64: {error}.") from error
        size = 8 * cells
        if self.levels is not None:
            size = (cells + 7) // 8 if self.levels.size == 2 else cells
        if len(content) != size:
            raise DataError(
                f"shared_rows: packed must hold {size} bytes for {len(self.tasks)} tasks with "
                f"{self.rows} rows and {models} models; found {len(content)}."
            )
        if self.levels is not None and self.levels.size != 2:
            last = max(content)
            if last >= self.levels.size:
                raise DataError(f"shared_rows: level {last} of {self.levels.size} is none.")

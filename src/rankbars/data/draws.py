"""Draws of scores: what is known about all models together, as a sample."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.arrays import frozen_array
from rankbars.data.evidence import check_models
from rankbars.errors import DataError, OptionError, UnknownOptionError

__all__ = ["SOURCES", "Draws", "Source"]

Source = Literal["normal", "t", "bootstrap", "posterior", "predictive"]
SOURCES: tuple[Source, ...] = ("normal", "t", "bootstrap", "posterior", "predictive")


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """Joint draws of the scores of all models; ranks are counted from them.

    Parameters
    ----------
    models : tuple of str
        The M models.
    values : array of float, shape (S, M)
        One draw of all scores per row, higher is better; all NaN for a model without a score.
    source : {"normal", "t", "bootstrap", "posterior", "predictive"}
        Where they come from: the normal or t distribution of the estimates, resampled data, the
        posterior of the score, or the posterior prediction of a score on fresh data of the same
        size.
    target : str
        What the score is an average of, in plain words.
    effective : float, optional
        How many independent draws these are worth; their number where not given.

    Raises
    ------
    DataError
        If there is no draw, a value is infinite, or a model has a value in some draws only.

    Examples
    --------
    >>> draws = Draws(("a", "b"), [[0.9, 0.1], [0.8, 0.2], [0.4, 0.6]], "bootstrap")
    >>> draws.size, draws.effective
    (3, 3.0)
    """

    models: tuple[str, ...]
    values: NDArray[np.float64]
    source: Source
    target: str = ""
    effective: float = np.nan

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        if self.source not in SOURCES:
            raise UnknownOptionError.among("source of draws", self.source, SOURCES)
        size = np.shape(self.values)[0] if np.ndim(self.values) else 0
        values = frozen_array(self.values, np.float64, "values", (size, len(self.models)))
        object.__setattr__(self, "values", values)
        if size == 0:
            raise DataError("At least one draw is needed; found none.")
        missing = np.isnan(values)
        partly = missing.any(axis=0) & ~missing.all(axis=0)
        bad = partly | np.isinf(values).any(axis=0)
        if bad.any():
            name = self.models[int(np.flatnonzero(bad)[0])]
            raise DataError(
                f"The draws of model {name!r} must all be finite, or all be NaN for a model "
                "without a score."
            )
        if np.isnan(self.effective):
            object.__setattr__(self, "effective", float(size))
        if not self.effective > 0:
            raise OptionError.out_of_range("effective", self.effective, "above 0")

    @property
    def size(self) -> int:
        """Number of draws S."""
        return int(self.values.shape[0])

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which models have a score, shape (M,)."""
        return np.asarray(~np.isnan(self.values[0]))

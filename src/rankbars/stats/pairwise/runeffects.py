"""Do the answers of a run move together? A test for effects of whole runs, and its power."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.stats.blocks import row_blocks

__all__ = ["RunTest", "chi_square_tail", "examine_runs", "run_signal", "signal_power"]

_EVEN = 1e-10  # relative size of singular values that are rounding
_FEW_ITEMS = 10
_PERMUTATIONS = 1999
_CELLS = 2**20
_LEVEL = 0.05


class RunTest(NamedTuple):
    """What the runs of one model say, or of several together.

    Attributes
    ----------
    q : float
        Spread of the sums of runs over what independent answers would give.
    df : int
        Degrees of freedom; 0 where nothing can be tested.
    p : float
        Chance of such a spread without an effect of runs; NaN without degrees of freedom.
    permuted : bool
        Whether the chance is that of permutations.
    """

    q: float
    df: int
    p: float
    permuted: bool = False


def examine_runs(cube: NDArray[np.float64], rng: np.random.Generator | None = None) -> RunTest:
    """Test of an effect that all answers of a run share, over all models.

    Parameters
    ----------
    cube : ndarray, shape (n, K, M)
        Answers of M models to n items in K runs; NaN where there is none.
    rng : Generator, optional
        With fewer than 10 items and no answer missing, the p-value of all models comes from 1,999
        permutations of the labels of runs within items, by this generator.

    Notes
    -----
    Without an effect, the labels of an item's answers are exchangeable. With u the sums over items
    of what each run differs from the item's mean, and V their covariance under exchange,
    ``Q = u' V^+ u`` is close to chi-square with the rank of V as degrees of freedom; on complete
    0/1 answers it is Cochran's Q. Models add up.

    References
    ----------
    Cochran 1950, Biometrika 37.

    Examples
    --------
    >>> answers = np.array([[1, 0], [1, 0], [1, 1], [0, 0], [1, 0]] * 4)
    >>> print(f"{examine_runs(answers[:, :, None]).q:.4f}")
    12.0000
    """
    found = [_one_model(cube[:, :, m]) for m in range(cube.shape[2])]
    q, df = sum(one.q for one in found), sum(one.df for one in found)
    if len(cube) < _FEW_ITEMS and rng is not None and df and not np.isnan(cube).any():
        return RunTest(q, df, _permuted_tail(cube, q, rng), permuted=True)
    return RunTest(q, df, chi_square_tail(q, df))


def run_signal(cube: NDArray[np.float64], tau: float) -> float:
    """Variance of a run's sum from effects of runs, over that from the answers themselves.

    Parameters
    ----------
    cube : ndarray, shape (n, K, M)
        The answers, as for `examine_runs`.
    tau : float
        Standard deviation of an effect, in the unit of the scores.

    Returns
    -------
    float
        ``n tau^2 / s^2``, with the mean s^2 of the variances of answers to one item; NaN where
        no answers differ.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        counts = (~np.isnan(cube)).sum(axis=1)
        several = counts > 1
        mean = np.nansum(cube, axis=1) / np.where(counts > 0, counts, 1)
        squares = np.nansum(np.square(cube - mean[:, None, :]), axis=1)
    if not several.any():
        return float("nan")
    spread = float((squares[several] / (counts[several] - 1)).mean())
    items = float(several.any(axis=1).sum())
    return items * tau**2 / spread if spread > 0.0 else float("nan")


def signal_power(signal: float, df: int) -> float:
    """Chance that the test at 5 % shows runs of a `signal`, with `df` degrees of freedom.

    Examples
    --------
    >>> print(f"{signal_power(0.2, 3):.3f} {signal_power(0.0, 3):.3f}")
    0.089 0.050
    """
    from scipy.special import chdtri

    if df < 1 or np.isnan(signal):
        return float("nan")
    return chi_square_tail(float(chdtri(df, _LEVEL)) / (1.0 + signal), df)


def chi_square_tail(q: float, df: int) -> float:
    """Upper tail of the chi-square distribution; NaN without degrees of freedom."""
    from scipy.special import chdtrc

    return float(chdtrc(df, q)) if df > 0 else float("nan")


def _one_model(answers: NDArray[np.float64]) -> RunTest:
    """The test on answers of one model, (n, K)."""
    known = ~np.isnan(answers)
    counts = known.sum(axis=1)
    answers, known, counts = (part[counts > 1] for part in (answers, known, counts))
    if not len(answers):
        return RunTest(0.0, 0, float("nan"))
    mean = np.where(known, answers, 0.0).sum(axis=1) / counts
    off = np.where(known, answers - mean[:, None], 0.0)
    spread = np.square(off).sum(axis=1) / (counts - 1)
    sums = off.sum(axis=0)
    if known.all() and spread.any():
        q = float(np.square(sums).sum() / spread.sum())
        return RunTest(q, sums.size - 1, chi_square_tail(q, sums.size - 1))
    present = known.astype(np.float64)
    covariance = np.diag(spread @ present) - (present * (spread / counts)[:, None]).T @ present
    values, vectors = np.linalg.eigh(covariance)
    use = values > _EVEN * max(float(values[-1]), np.finfo(np.float64).tiny)
    if not (spread > 0).any() or not use.any():
        return RunTest(0.0, 0, float("nan"))
    q = float((np.square(sums @ vectors[:, use]) / values[use]).sum())
    df = int(use.sum())
    return RunTest(q, df, chi_square_tail(q, df))


def _permuted_tail(cube: NDArray[np.float64], q: float, rng: np.random.Generator) -> float:
    """Share of permutations of labels within items that spread runs as much; `cube` is complete."""
    off = cube - cube.mean(axis=1, keepdims=True)
    spread = np.square(off).sum(axis=(0, 1)) / (cube.shape[1] - 1)
    varies = spread > 0
    off, spread = off[:, :, varies], spread[varies]
    reached = 0
    for draws in row_blocks(_PERMUTATIONS, off.size, _CELLS):
        shape = (draws.stop - draws.start, *off.shape)
        order = rng.random(shape).argsort(axis=2)
        sums = np.take_along_axis(off[None], order, axis=2).sum(axis=1)
        made = (np.square(sums).sum(axis=1) / spread).sum(axis=1)
        reached += int((made >= q * (1.0 - 1e-9)).sum())
    return (1 + reached) / (_PERMUTATIONS + 1)

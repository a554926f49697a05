"""Answers that share an effect of their run or prompt: the t-test of all pairs that allows for it.

Beside it a test of whether there are such effects, and its power.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.stats.blocks import row_blocks
from rankbars.stats.pairwise.degenerate import no_pairs
from rankbars.stats.pairwise.differences import build_statistics, find_degenerate
from rankbars.stats.pairwise.modelscores import ModelSummary, item_summary
from rankbars.stats.pairwise.moments import measure_complete
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.pairwise.scorerows import rescale

__all__ = [
    "RunSquares",
    "RunTest",
    "chi_square_tail",
    "examine_common_runs",
    "examine_runs",
    "run_signal",
    "run_squares",
    "run_summary",
    "signal_power",
    "two_way_t",
]

_ROUNDING = 8.0 * float(np.finfo(np.float64).eps)
_FEWEST = 2


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


def examine_common_runs(
    cube: NDArray[np.float64], rng: np.random.Generator | None = None
) -> RunTest:
    """Test of an effect of runs that is the same for all models, which cancels in differences.

    Sums of runs and their covariance are added over models before they are compared, so that
    an effect common to M models shows in M times the signal with the degrees of freedom of one.

    Parameters
    ----------
    cube, rng
        As for `examine_runs`; run k of one model is run k of the others.

    Examples
    --------
    >>> answers = np.array([[1, 0, 1], [0, 0, 1], [1, 0, 0], [1, 1, 1]] * 5)
    >>> both = np.stack([answers, answers[:, [1, 0, 2]]], axis=2)
    >>> print(f"{examine_runs(both).q:.3f} {examine_common_runs(both).q:.3f}")
    26.667 6.667
    """
    rows = np.swapaxes(cube, 1, 2).reshape(-1, cube.shape[1])
    return examine_runs(rows[:, :, None], rng)


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


class RunSquares(NamedTuple):
    """Mean squares of the answers of each model, shape (M,).

    Attributes
    ----------
    run : ndarray
        ``n var_r(run means)``: what runs differ by, and answers by themselves.
    residual : ndarray
        What answers differ by beside items and runs.
    """

    run: NDArray[np.float64]
    residual: NDArray[np.float64]


def two_way_t(values: NDArray[np.float64], *, crossed: bool = False) -> PairStatistics:
    """Statistics of all pairs for new items and new runs, where a run moves all of its answers.

    Parameters
    ----------
    values : ndarray, shape (n, K, M)
        Finite scores of M models on n items in K runs (training seeds, prompt templates);
        the same number of runs for all items and models, nothing missing.
    crossed : bool
        Whether the models share the runs and their effect, as they share prompts: the common part
        then cancels, and what is left is seen in the table of differences. Else every model has
        run effects of its own.

    Returns
    -------
    PairStatistics
        ``mean(d) / sqrt(V)`` with d the differences of item means and ``V = var(d) / n + ex``,
        where ``ex = max(0, sum_m (MSrun_m - MSres_m) / (n K))`` is the excess of the runs of both
        models (of the table of differences where `crossed`). Degrees of freedom n - 1 if
        ``ex = 0``, else Satterthwaite's, at least 1, (M, M).
        `n` is the smaller of n and K: so many independent signs a constant difference has.
        With one item or one run nothing is separated.

    Raises
    ------
    DataError
        If a score is missing.

    Notes
    -----
    Without an effect of whole runs the paired t-test on item means covers new items and new
    answers already, and has more power. A 5 % test of two models errs in at most 7 % of cases from
    4 runs on; of many models the most extreme pair tells how little is known of the excess, and 8
    runs are needed.

    Differences whose means do not vary, although single scores do, give no variance where the runs
    have no excess: no evidence in either direction.

    References
    ----------
    Satterthwaite 1946, Biometrics Bulletin 2.

    Examples
    --------
    >>> d = np.array([[0.3, 0.1, 0.2], [0.6, 0.1, 0.4], [0.1, -0.2, 0.3], [0.2, 0.0, 0.1]])
    >>> found = two_way_t(np.stack([d, np.zeros((4, 3))], axis=2))
    >>> found.statistic[0, 1].round(4), found.df[0, 1].round(4)
    (np.float64(1.6775), np.float64(3.2471))
    """
    values = np.asarray(values, dtype=np.float64)
    n, n_runs, n_models = values.shape
    if np.isnan(values).any():
        raise DataError(
            "The two-way test needs every model's score on every item in every run; some are "
            "missing. Leave out the items or runs that are not complete, or average over runs."
        )
    units = min(n, n_runs)
    if units < _FEWEST:
        return _separate_nothing(values, units)
    rows, magnitude, exponent = rescale(values.reshape(n * n_runs, n_models))
    cube = rows.reshape(values.shape)
    # What is common to all models on one item in one run cancels in every difference.
    centred = cube - cube.mean(axis=2, keepdims=True)
    means = measure_complete(np.ascontiguousarray(centred.mean(axis=1)))
    among = np.square(means.norm) / ((n - 1) * n)
    # Spread of means that rounding of the scores alone could make.
    floor = np.square(_ROUNDING * np.maximum(magnitude[:, None], magnitude))
    among[among <= floor / n] = 0.0
    runs, excess = _crossed_runs(centred) if crossed else _own_runs(cube)
    excess = np.where(excess <= floor / n_runs, 0.0, excess) / (n * n_runs)
    runs = runs / (n * n_runs) ** 2 / (n_runs - 1)
    variance = among + excess
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.square(variance) / (np.square(among) / (n - 1) + runs)
    return build_statistics(
        np.ldexp(means.diff, exponent),
        np.ldexp(np.sqrt(variance), exponent),
        np.where(excess == 0.0, n - 1.0, np.where(df > 1, df, 1.0)),
        np.asarray(units),
        find_degenerate(rows),
    )


def run_squares(cube: NDArray[np.float64]) -> RunSquares:
    """Mean squares of runs and of the residual, of every model by itself.

    Parameters
    ----------
    cube : ndarray, shape (n, K, M)
        Complete answers, with at least two items and two runs.

    Examples
    --------
    >>> made = run_squares(np.array([[[1.0], [2.0]], [[2.0], [5.0]]]))
    >>> made.run.item(), made.residual.item()
    (4.0, 1.0)
    """
    n, n_runs, _ = cube.shape
    within = cube - cube.mean(axis=1, keepdims=True)
    by_run = within.mean(axis=0)
    run = n * np.square(by_run).sum(axis=0) / (n_runs - 1)
    rest = np.square(within - by_run).sum(axis=(0, 1)) / ((n - 1) * (n_runs - 1))
    return RunSquares(run, rest)


def run_summary(cube: NDArray[np.float64]) -> ModelSummary:
    """Mean of every model over items and runs, with its standard error for new ones of both.

    Parameters
    ----------
    cube : ndarray, shape (n, K, M)
        Complete answers.

    Notes
    -----
    The variance of the mean of items, and the excess ``max(0, MSrun - MSres) / (n K)`` of runs;
    degrees of freedom as in `two_way_t`.

    Examples
    --------
    >>> made = run_summary(np.array([[[1.0], [2.0]], [[2.0], [5.0]]]))
    >>> made.mean.item(), made.se.round(4).item(), made.df.round(3).item()
    (2.5, 1.3229, 1.531)
    """
    n, n_runs, _ = cube.shape
    plain = item_summary(cube.mean(axis=1))
    if min(n, n_runs) < _FEWEST:
        return plain
    run, residual = run_squares(cube)
    excess = np.maximum(run - residual, 0.0) / (n * n_runs)
    variance = np.square(plain.se) + excess
    with np.errstate(divide="ignore", invalid="ignore"):
        df = np.square(variance) / (
            np.square(plain.se) ** 2 / (n - 1) + np.square(run / (n * n_runs)) / (n_runs - 1)
        )
    return ModelSummary(
        plain.mean, np.sqrt(variance), np.where(excess == 0.0, plain.df, np.fmax(df, 1.0))
    )


def _own_runs(cube: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Sum of squared mean squares of runs, and their excess, over the two models of every pair."""
    run, residual = run_squares(cube)
    square, excess = np.square(run), run - residual
    return square[:, None] + square, excess[:, None] + excess


def _crossed_runs(centred: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The same of the table of differences of every pair."""
    n, n_runs, n_models = centred.shape
    by_item, by_run = centred.mean(axis=1), centred.mean(axis=0)
    rest = centred - by_item[:, None, :] - by_run + by_item.mean(axis=0)
    over_runs = measure_complete(np.ascontiguousarray(by_run))
    left_over = measure_complete(rest.reshape(n * n_runs, n_models))
    run = np.square(over_runs.norm) * n / (n_runs - 1)
    return np.square(run), run - np.square(left_over.norm) / ((n - 1) * (n_runs - 1))


def _separate_nothing(values: NDArray[np.float64], units: int) -> PairStatistics:
    """Statistics without evidence, for a single item or run."""
    n, n_runs, n_models = values.shape
    mean = np.full(n_models, np.nan)
    if n and n_runs:
        mean = values.mean(axis=(0, 1))
    blank = np.full((n_models, n_models), np.nan)
    return build_statistics(
        mean[:, None] - mean, blank, np.ones(blank.shape), np.asarray(units), no_pairs()
    )

"""Effects that all answers of a run share: what the answers say of them, and what a board says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import Note
from rankbars.stats.pairwise.runeffects import (
    chi_square_tail,
    examine_runs,
    run_signal,
    signal_power,
)
from rankbars.stats.streams import stream

__all__ = ["RunFinding", "examine_task_runs", "run_notes"]

CLEAR = 0.01  # with a p-value up to this, the sentence at the top speaks of these runs only
_FEWEST_UNEVEN = 10  # items; of fewer only complete answers are tested, by permutation
_SHARE = 0.03  # of the range of scores: the effect whose chance to be seen is told


class RunFinding(NamedTuple):
    """What the answers to one task say about effects of whole runs.

    Attributes
    ----------
    q, df
        The statistic over all models, as that of a chi-square with so many degrees of freedom.
    signal : float
        Variance that runs with a standard deviation of `tau` would add, over that of answers.
    tau : float
        3 % of the range of the scores: 3 points of 100.
    models, items, runs : int
        How many there are; 0 runs where some answers are missing.
    """

    q: float
    df: int
    signal: float
    tau: float
    models: int
    items: int
    runs: int


def examine_task_runs(evidence: Evidence, seed: int, task: str) -> RunFinding | None:
    """The test for effects of whole runs; None without labels of runs, or a spread.

    Prompts that models share are not tested: what they do to all models cancels in differences.
    """
    if not isinstance(evidence, Items) or evidence.by_run is None or evidence.design != "items":
        return None
    if evidence.averaged not in ((), ("runs",)):
        return None
    cube = evidence.by_run[:, :, ~np.isnan(evidence.values).all(axis=0)]
    if cube.shape[1] < 2 or not cube.size:
        return None
    whole = not np.isnan(cube).any()
    if not whole and len(cube) < _FEWEST_UNEVEN:
        return None
    found = examine_runs(cube, stream(seed, "run effects", task, 0))
    if found.df == 0:
        return None
    tau = _SHARE * _range(float(np.nanmin(cube)), float(np.nanmax(cube)))
    return RunFinding(
        q=_as_chi_square(found.p, found.df) if found.permuted else found.q,
        df=found.df,
        signal=run_signal(cube, tau),
        tau=tau,
        models=cube.shape[2],
        items=cube.shape[0],
        runs=cube.shape[1] if whole else 0,
    )


def run_notes(found: Mapping[str, RunFinding]) -> tuple[Note, ...]:
    """What a board says of the runs behind its answers; it informs, and changes no test.

    Examples
    --------
    >>> one = RunFinding(q=2.5, df=3, signal=0.3, tau=0.03, models=1, items=10, runs=4)
    >>> print(run_notes({"law": one})[0].message.partition("answers. ")[2].partition(" (")[0])
    The ± holds for new items and new answers. No sign of an effect shared by whole runs
    """
    if not found:
        return ()
    parts = tuple(found.values())
    df = sum(one.df for one in parts)
    p = chi_square_tail(sum(one.q for one in parts), df)
    if p <= CLEAR:
        text = (
            f"Answers of the same run move together more than chance allows (p = {p:.2g}). What "
            'is said here is for these runs. --runs shared (runs="shared") covers new runs, too.'
        )
        return (Note("run-effect", text),)
    taus = {one.tau for one in parts}
    power = signal_power(sum(one.df * one.signal for one in parts) / df, df)
    size = f" with a standard deviation of {parts[0].tau:.3g}" if len(taus) == 1 else ""
    size = size or " with a standard deviation of 3 % of the range of scores"
    shapes = {(one.items, one.runs) for one in parts}
    even = len(shapes) == 1 and parts[0].runs > 0
    seen = f"{parts[0].items} items × {parts[0].runs} answers. " if even else ""
    sign = "Little" if p <= 0.05 else "No"
    text = (
        f"{seen}The ± holds for new items and new answers. {sign} sign of an effect shared by "
        f"whole runs (p = {p:.2g}; one{size} would show in {100 * power:.0f} % of cases)."
    )
    return (Note("runs-alike", text),)


def _range(low: float, high: float) -> float:
    """The range of the scale: 1 or 100 where scores fit one, else that of the scores."""
    size = max(abs(low), abs(high))
    one_sided = low >= 0.0 or high <= 0.0
    if one_sided and size <= 1.0:
        return 1.0
    return 100.0 if one_sided and size <= 100.0 and size > 10.0 else high - low


def _as_chi_square(p: float, df: int) -> float:
    from scipy.special import chdtri

    return float(chdtri(df, p))

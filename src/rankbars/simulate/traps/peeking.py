"""Looking again and again at growing data: repeated z-tests against an e-process.

Wins and losses of one pair of models; without a difference, a fair coin.
"""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from rankbars.simulate.coverages import Published, tally_rows
from rankbars.simulate.study import Study, Table, check_repetitions
from rankbars.simulate.traps.common import portions, trap
from rankbars.stats.streams import stream
from rankbars.stats.votes.anytime import log_e_better, log_e_two_sided

__all__ = ["peeking"]

STEPS, LOOKS = 2000, 40
ALPHA = 0.05
CRITICAL = NormalDist().inv_cdf(1 - ALPHA / 2)
DESIGNS = {"no difference": 0.5, "wins 56 %": 0.56}

PUBLISHED: Published = {
    ("no difference", "z-test, 40 looks", "rejections"): 0.316,
    ("no difference", "e-process, two-sided", "rejections"): (0.040, 0.044),
    ("no difference", "e-process, better", "rejections"): (0.040, 0.044),
    ("wins 56 %", "z-test, once at the end", "rejections"): 0.999,
    ("wins 56 %", "e-process, two-sided", "rejections"): 0.978,
}


def peeking(*, repetitions: int = 4000, seed: int = 0) -> Study:
    """How often tests at 5 % reject when they are looked at while votes come in.

    Parameters
    ----------
    repetitions : int
        Series of 2,000 votes per design.
    seed : int
        Start of the random streams.

    Returns
    -------
    Study
        Table ``peeking``: a z-test at 40 looks, the same test once at the end, and two e-processes
        that are looked at after every vote.

    Raises
    ------
    OptionError
        If `repetitions` is below 1.
    """
    arguments = [
        (name, *portion, seed)
        for name in DESIGNS
        for portion in portions(check_repetitions(repetitions), 200)
    ]
    return trap("peeking", measure, arguments, ("design", "method"), PUBLISHED)


def measure(name: str, first: int, count: int, seed: int) -> Table:
    """Rejections of four procedures on some series of votes."""
    series = [
        stream(seed, "peeking", name, number).random(STEPS) < DESIGNS[name]
        for number in range(first, first + count)
    ]
    wins = np.cumsum(series, axis=1)
    votes = np.arange(1, STEPS + 1)
    looks = np.arange(STEPS // LOOKS, STEPS + 1, STEPS // LOOKS) - 1
    far = np.abs(2 * wins - votes) >= CRITICAL * np.sqrt(votes)
    rejected: dict[str, NDArray[np.bool_]] = {
        "z-test, 40 looks": far[:, looks].any(axis=1),
        "z-test, once at the end": far[:, -1],
        "e-process, two-sided": _reach(log_e_two_sided(wins, votes - wins)),
        "e-process, better": _reach(log_e_better(wins, votes - wins)),
    }
    return [
        row
        for method, values in rejected.items()
        for row in tally_rows({"design": name, "method": method}, {"rejections": values})
    ]


def _reach(log_e: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each series ever reaches 1 / alpha."""
    return np.asarray((log_e >= -np.log(ALPHA)).any(axis=1))

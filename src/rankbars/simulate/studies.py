"""The studies by name."""

from __future__ import annotations

from collections.abc import Callable

from rankbars.simulate.coverage import coverage
from rankbars.simulate.figures import figures
from rankbars.simulate.posterior import posterior
from rankbars.simulate.study import Study
from rankbars.simulate.tables import tables
from rankbars.simulate.traps.clusters import clusters
from rankbars.simulate.traps.families import families
from rankbars.simulate.traps.folds import folds
from rankbars.simulate.traps.observed import observed
from rankbars.simulate.traps.peeking import peeking
from rankbars.simulate.traps.runs import runs
from rankbars.simulate.traps.ties import ties
from rankbars.simulate.traps.winner import winner
from rankbars.simulate.vtab import vtab

__all__ = ["STUDIES"]

STUDIES: dict[str, Callable[..., Study]] = {
    "tables": tables,
    "figures": figures,
    "coverage": coverage,
    "winner": winner,
    "clusters": clusters,
    "folds": folds,
    "runs": runs,
    "ties": ties,
    "families": families,
    "observed": observed,
    "peeking": peeking,
    "vtab": vtab,
    "posterior": posterior,
}
"""Each takes at least ``repetitions`` and ``seed``, both by name, and makes a `Study`."""

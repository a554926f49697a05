"""Simulation studies: the published tables, planned evaluations, and what goes wrong when.

``run(STUDIES["tables"](repetitions=100), "results")`` writes the tables of one study. The methods
are those of the public interface, called as anybody would call them.
"""

from collections.abc import Callable

from rankbars.simulate.planning import coverage
from rankbars.simulate.populations import Evaluation, evaluation_like, planned_evaluation
from rankbars.simulate.posteriorstudy import posterior
from rankbars.simulate.publishedfigures import figures
from rankbars.simulate.publishedtables import tables
from rankbars.simulate.randomtasks import observed, ties
from rankbars.simulate.study import Study, Unit, measure, run
from rankbars.simulate.traps import clusters, families, folds, peeking, runs, winner
from rankbars.simulate.vtab import vtab

__all__ = [
    "STUDIES",
    "Evaluation",
    "Study",
    "Unit",
    "evaluation_like",
    "measure",
    "planned_evaluation",
    "run",
]

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

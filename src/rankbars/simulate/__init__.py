"""Simulation studies: the published tables, planned evaluations, and what goes wrong when.

``run(STUDIES["tables"](repetitions=100), "results")`` writes the tables of one study. The methods
are those of the public interface, called as anybody would call them.
"""

from rankbars.simulate.likeness import Evaluation, evaluation_like, planned_evaluation
from rankbars.simulate.running import measure, run
from rankbars.simulate.studies import STUDIES
from rankbars.simulate.study import Study, Unit

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

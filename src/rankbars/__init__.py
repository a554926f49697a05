"""rankbars: error bars for leaderboard ranks.

Every public name is loaded on first use, so that ``import rankbars`` stays light.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rankbars.asking import allocate, ask_labels
    from rankbars.bayes.posterior import Posterior, to_arviz
    from rankbars.bayes.sampling import sample_confusion, sample_posterior
    from rankbars.checking import check
    from rankbars.costs import add_costs
    from rankbars.data.aggregate import Aggregate
    from rankbars.data.board import Leaderboard
    from rankbars.data.boardchange import Finding, Submitted
    from rankbars.data.boardparts import CostFront
    from rankbars.data.boardreading import load
    from rankbars.data.categorymeans import CategoryMeans, WeightMap
    from rankbars.data.claim import Claim
    from rankbars.data.comparisons import Comparisons
    from rankbars.data.contrasts import Contrasts, Differences
    from rankbars.data.diagnosis import HeldOut
    from rankbars.data.draws import Draws
    from rankbars.data.evidence import Estimates, Folds, Items
    from rankbars.data.growingvotes import Allocation
    from rankbars.data.headtohead import HeadToHead
    from rankbars.data.intervals import RankIntervals
    from rankbars.data.judged import Check, JudgedClaim
    from rankbars.data.noise import Noise
    from rankbars.data.notes import Note
    from rankbars.data.outlook import FalseAlarms, Outlook, Plan, Preflight
    from rankbars.data.partialorder import PartialOrder
    from rankbars.data.peoplelabels import LabelSheet
    from rankbars.data.plaintable import EvalRun, LeaderboardRow, PlainTable
    from rankbars.data.priors import Prior
    from rankbars.data.scores import Scores
    from rankbars.data.spec import Spec, VoteOptions
    from rankbars.data.taskinfo import TaskInfo
    from rankbars.data.votes import Votes
    from rankbars.errors import (
        ConvergenceError,
        DataError,
        MissingPackageError,
        OptionError,
        RankbarsError,
        ReadError,
        UnknownOptionError,
        WriteError,
    )
    from rankbars.gates import false_alarms, preflight
    from rankbars.matches import head_to_head
    from rankbars.methods import explain, hold_out
    from rankbars.pipeline import leaderboard
    from rankbars.planned import plan
    from rankbars.racing.race import Race
    from rankbars.readers import read
    from rankbars.render.evalrecords import write_eee
    from rankbars.repeated import noise
    from rankbars.steps.average.aggregation import aggregate
    from rankbars.steps.boardchanges import diff
    from rankbars.steps.comparison import compare
    from rankbars.steps.exchangeability import diagnose
    from rankbars.steps.judging import with_judge
    from rankbars.steps.prediction import predict
    from rankbars.steps.ranking import rank
    from rankbars.steps.recordmeans import plain_table
    from rankbars.steps.taskselection import select_tasks
    from rankbars.steps.votes.looks import continue_looks
    from rankbars.steps.votes.voteexamination import examine_votes
    from rankbars.store.resultstore import ResultStore
    from rankbars.submissions import submit

    __version__: str

__all__ = [
    "Aggregate",
    "Allocation",
    "CategoryMeans",
    "Check",
    "Claim",
    "Comparisons",
    "Contrasts",
    "ConvergenceError",
    "CostFront",
    "DataError",
    "Differences",
    "Draws",
    "Estimates",
    "EvalRun",
    "FalseAlarms",
    "Finding",
    "Folds",
    "HeadToHead",
    "HeldOut",
    "Items",
    "JudgedClaim",
    "LabelSheet",
    "Leaderboard",
    "LeaderboardRow",
    "MissingPackageError",
    "Noise",
    "Note",
    "OptionError",
    "Outlook",
    "PartialOrder",
    "PlainTable",
    "Plan",
    "Posterior",
    "Preflight",
    "Prior",
    "Race",
    "RankIntervals",
    "RankbarsError",
    "ReadError",
    "ResultStore",
    "Scores",
    "Spec",
    "Submitted",
    "TaskInfo",
    "UnknownOptionError",
    "VoteOptions",
    "Votes",
    "WeightMap",
    "WriteError",
    "__version__",
    "add_costs",
    "aggregate",
    "allocate",
    "ask_labels",
    "check",
    "compare",
    "continue_looks",
    "diagnose",
    "diff",
    "examine_votes",
    "explain",
    "false_alarms",
    "head_to_head",
    "hold_out",
    "leaderboard",
    "load",
    "noise",
    "plain_table",
    "plan",
    "predict",
    "preflight",
    "rank",
    "read",
    "sample_confusion",
    "sample_posterior",
    "select_tasks",
    "submit",
    "to_arviz",
    "with_judge",
    "write_eee",
]

# Where each public name lives.
_MODULE_OF: Final = {
    "Aggregate": "rankbars.data.aggregate",
    "Allocation": "rankbars.data.growingvotes",
    "CategoryMeans": "rankbars.data.categorymeans",
    "Check": "rankbars.data.judged",
    "Claim": "rankbars.data.claim",
    "Comparisons": "rankbars.data.comparisons",
    "Contrasts": "rankbars.data.contrasts",
    "CostFront": "rankbars.data.boardparts",
    "Differences": "rankbars.data.contrasts",
    "ConvergenceError": "rankbars.errors",
    "DataError": "rankbars.errors",
    "Draws": "rankbars.data.draws",
    "Estimates": "rankbars.data.evidence",
    "EvalRun": "rankbars.data.plaintable",
    "FalseAlarms": "rankbars.data.outlook",
    "Finding": "rankbars.data.boardchange",
    "Outlook": "rankbars.data.outlook",
    "Preflight": "rankbars.data.outlook",
    "false_alarms": "rankbars.gates",
    "preflight": "rankbars.gates",
    "Folds": "rankbars.data.evidence",
    "HeadToHead": "rankbars.data.headtohead",
    "HeldOut": "rankbars.data.diagnosis",
    "Items": "rankbars.data.evidence",
    "JudgedClaim": "rankbars.data.judged",
    "LabelSheet": "rankbars.data.peoplelabels",
    "Leaderboard": "rankbars.data.board",
    "LeaderboardRow": "rankbars.data.plaintable",
    "MissingPackageError": "rankbars.errors",
    "Noise": "rankbars.data.noise",
    "Note": "rankbars.data.notes",
    "OptionError": "rankbars.errors",
    "PartialOrder": "rankbars.data.partialorder",
    "PlainTable": "rankbars.data.plaintable",
    "Plan": "rankbars.data.outlook",
    "Posterior": "rankbars.bayes.posterior",
    "Prior": "rankbars.data.priors",
    "Race": "rankbars.racing.race",
    "RankIntervals": "rankbars.data.intervals",
    "RankbarsError": "rankbars.errors",
    "ReadError": "rankbars.errors",
    "ResultStore": "rankbars.store.resultstore",
    "Scores": "rankbars.data.scores",
    "Spec": "rankbars.data.spec",
    "Submitted": "rankbars.data.boardchange",
    "TaskInfo": "rankbars.data.taskinfo",
    "UnknownOptionError": "rankbars.errors",
    "VoteOptions": "rankbars.data.spec",
    "Votes": "rankbars.data.votes",
    "WeightMap": "rankbars.data.categorymeans",
    "WriteError": "rankbars.errors",
    "add_costs": "rankbars.costs",
    "aggregate": "rankbars.steps.average.aggregation",
    "allocate": "rankbars.asking",
    "ask_labels": "rankbars.asking",
    "check": "rankbars.checking",
    "compare": "rankbars.steps.comparison",
    "continue_looks": "rankbars.steps.votes.looks",
    "diagnose": "rankbars.steps.exchangeability",
    "diff": "rankbars.steps.boardchanges",
    "examine_votes": "rankbars.steps.votes.voteexamination",
    "explain": "rankbars.methods",
    "head_to_head": "rankbars.matches",
    "hold_out": "rankbars.methods",
    "leaderboard": "rankbars.pipeline",
    "load": "rankbars.data.boardreading",
    "noise": "rankbars.repeated",
    "plain_table": "rankbars.steps.recordmeans",
    "plan": "rankbars.planned",
    "predict": "rankbars.steps.prediction",
    "rank": "rankbars.steps.ranking",
    "read": "rankbars.readers",
    "sample_confusion": "rankbars.bayes.sampling",
    "sample_posterior": "rankbars.bayes.sampling",
    "select_tasks": "rankbars.steps.taskselection",
    "submit": "rankbars.submissions",
    "to_arviz": "rankbars.bayes.posterior",
    "with_judge": "rankbars.steps.judging",
    "write_eee": "rankbars.render.evalrecords",
}

# Type checkers see the imports above; a module __getattr__ would hide a misspelt name from them.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from importlib.metadata import version

            value = version("rankbars")
        elif name in _MODULE_OF:
            value = _offered(getattr(import_module(_MODULE_OF[name]), name))
        else:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value
        return value

    def _offered(thing: object) -> object:
        """A type as it is; a function so that a call that does not fit says what would."""
        if isinstance(thing, type):
            return thing
        from rankbars.calls import explaining

        function = explaining(thing)
        function.__module__ = "rankbars"  # where pickle finds it
        return function


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

"""Which test goes with which correction on which rows: one table, read before anything is computed.

A combination is valid (its level is held in the simulations of the test run), approximate (the
board says so, with what was measured), or refused (with what to use instead). Whoever adds a test
or a correction adds its cells here; `docs/methods.md` prints them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from rankbars.data.evidence import Estimates, Evidence, Folds, Items
from rankbars.data.intervals import Scope
from rankbars.data.votes import MOST_WEIGHT
from rankbars.errors import OptionError

__all__ = [
    "DESCRIPTIONS",
    "DESIGNS",
    "VALIDITY",
    "Cell",
    "Design",
    "check_method",
    "design_of",
    "find_cell",
]

Design: TypeAlias = Literal[
    "items", "gaps", "clusters", "folds", "crossed", "some runs", "few runs", "joint estimates",
    "estimates", "votes", "adaptive votes", "logged votes", "average", "tasks", "ranks",
    "few ranks", "judged",
]  # fmt: skip

DESIGNS: dict[str, str] = {
    "items": "independent rows, complete",
    "gaps": "independent rows, some missing (pair by pair)",
    "clusters": "rows in clusters",
    "folds": "folds of cross-validation",
    "crossed": "items crossed with 8 runs or more",
    "some runs": "items crossed with 4 to 7 runs",
    "few runs": "items crossed with 2 or 3 runs",
    "judged": "rows with labels, a random sample of rows that a judge scored",
    "joint estimates": "published scores with a covariance",
    "estimates": "published scores with errors of their own",
    "votes": "pairwise votes",
    "adaptive votes": "pairwise votes, pairs chosen by earlier results",
    "logged votes": "pairwise votes, pairs drawn with recorded probabilities",
    "average": "the average over exactly these tasks",
    "tasks": "the average over tasks like these",
    "ranks": "mean ranks (or wins) over more than 30 tasks like these",
    "few ranks": "mean ranks (or wins) over up to 30 tasks like these",
}
"""What rows may be, and averages."""

DESCRIPTIONS = ("none", "bootstrap_band")
"""Corrections that describe and promise nothing, whatever the test."""


class Cell(NamedTuple):
    """What may be said of a test with a correction on a design.

    Attributes
    ----------
    verdict : {"valid", "approximate", "refused"}
        Whether the level is held, only nearly held, or nothing is computed.
    why : str
        What must hold, why the level is not assured, or why it is refused; a clause.
    instead : str
        For what is refused: options that work, as they are typed.
    measured : float, optional
        Share of simulations in which 95 % statements held, of what is approximate; see
        `measured_among`.
    becomes : str
        The correction that decides in its place, of which a note tells; empty for its own.
    most : int, optional
        With how many models it was measured, where more of them hold less often.
    """

    verdict: Literal["valid", "approximate", "refused"]
    why: str = ""
    instead: str = ""
    measured: float | None = None
    becomes: str = ""
    most: int | None = None

    def measured_among(self, models: int) -> float | None:
        """The share that was measured; None with more models than it was measured with."""
        return None if self.most is not None and models > self.most else self.measured


_VALID = Cell("valid")
_HOLM = "--correction holm"


def _refused(why: str, instead: str = _HOLM) -> Cell:
    return Cell("refused", why, instead)


def _if(why: str) -> Cell:
    return Cell("valid", why)


def _as_holm(why: str) -> Cell:
    return Cell("valid", why, becomes="holm")


_BOTH_DIRECTIONS = "the statistics of a pair in its two directions are negatively correlated"
_UNKNOWN_SIGNS = _as_holm("whether differences are negatively correlated is not known")
_REVERSED = _if("equal models are interchangeable on a task; rankings are reversed (max-T)")
_NO_E = _refused("it averages e-values, which this test does not give")
_FLIPS = "it flips the signs of paired rows, which decides as the t-test does"
_RESAMPLES = "it resamples paired rows, which decides as the t-test does"
_NOT_PAIRED = "it resamples independent rows"
_NO_ROWS = "it resamples rows, and there are none"
_WHOLE = "it needs complete rows (--missing listwise, fail, drop_models or bounds gives them)"
_INCOMPLETE = {"maxt": _refused(_WHOLE), "maxt_bootstrap": _refused(_WHOLE)}
_OTHER_LAW = {"maxt": _refused(_FLIPS), "maxt_bootstrap": _refused(_RESAMPLES)}


def _row(usual: Cell, **cells: Cell) -> dict[str, Cell]:
    """The cells of one test on one design: Holm and Bonferroni alike, the others by name."""
    return {"holm": usual, "bonferroni": usual, "e_average": _NO_E, **cells}


_SYMMETRIC = _if("differences are symmetric about their center")
_NO_PROOF = _refused("it has no proof for evidence that is looked at at any time")
_IGNORES_CLUSTERS = Cell("approximate", "rows come in clusters, which the test ignores")
_ADAPTIVE = Cell("approximate", "earlier results chose which models met")
_ADAPTIVE_HOLM = _ADAPTIVE._replace(becomes="holm")
_LIMIT = "there are many votes; however often one looks"
_IGNORES_FOLDS = Cell("approximate", "folds share training data, which the test ignores")
# 10 equal models, 60 and 200 items, effects of runs of .08: 4 runs and 2. With 30 models and 4 runs
# about .7 hold; a pair by itself errs in at most .07.
_SOME_RUNS = Cell(
    "approximate", "so few runs hardly tell how much runs differ", measured=0.89, most=10
)
_FEW_RUNS = Cell(
    "approximate", "2 or 3 runs hardly tell how much runs differ", measured=0.5, most=10
)

# Exact: two equal models that differ on 16 items are told apart at .05 in .077 of cases, the most
# of up to 200 items; 10 equal models were all held in .95 to 1.00 of boards.
_MID_P = Cell("approximate", "half of the observed probability is left out", measured=0.92)
# 6 and 10 tied learners by 3 x 3 folds: .84 and .87 of 250 tables with normal draws, .93 with Holm.
_FEW_FOLDS = Cell(
    "approximate", "few folds give draws fewer directions than models", measured=0.84, most=10
)
# 6 and 10 equal models, 100 to 2,000 votes: .96 to .97 of 150 boards each.
_GAUSSIAN = Cell("approximate", "strengths are only close to jointly normal", measured=0.96)

VALIDITY: dict[tuple[str, str], Mapping[str, Cell]] = {
    ("t", "items"): _row(
        _VALID,
        simes=_if("differences of a model are not negatively correlated (checked)"),
        maxt=_if("differences are symmetric under no difference (sign flips)"),
        maxt_bootstrap=_VALID,
    ),
    ("t", "gaps"): _row(
        _if("scores are missing at random"),
        simes=_UNKNOWN_SIGNS,
        **_INCOMPLETE,
    ),
    ("t", "clusters"): _row(
        _IGNORES_CLUSTERS,
        simes=_IGNORES_CLUSTERS,
        maxt=_IGNORES_CLUSTERS,
        maxt_bootstrap=_refused(_NOT_PAIRED),
    ),
    ("t", "folds"): _row(
        _IGNORES_FOLDS,
        simes=_IGNORES_FOLDS,
        maxt=_IGNORES_FOLDS,
        maxt_bootstrap=_refused(_NOT_PAIRED),
    ),
    ("cluster_t", "clusters"): _row(
        _if(
            "means of clusters are close to normal; nothing is shown with one of over 80 % of rows"
        ),
        simes=_UNKNOWN_SIGNS,
        maxt=_if("sums of clusters are symmetric under no difference (whole clusters flip)"),
        maxt_bootstrap=_if("rows are complete, in 5 clusters or more (whole clusters are drawn)"),
    ),
    ("signflip", "items"): _row(
        _SYMMETRIC,
        simes=_UNKNOWN_SIGNS,
        maxt=_SYMMETRIC,
        maxt_bootstrap=_refused(_RESAMPLES),
    ),
    ("signflip", "gaps"): _row(
        _SYMMETRIC,
        simes=_UNKNOWN_SIGNS,
        **_INCOMPLETE,
    ),
    ("signflip", "clusters"): _row(
        _SYMMETRIC,
        simes=_UNKNOWN_SIGNS,
        maxt=_SYMMETRIC,
        maxt_bootstrap=_refused(_NOT_PAIRED),
    ),
    ("wilcoxon", "items"): _row(_SYMMETRIC, simes=_UNKNOWN_SIGNS, **_OTHER_LAW),
    ("wilcoxon", "gaps"): _row(_SYMMETRIC, simes=_UNKNOWN_SIGNS, **_OTHER_LAW),
    ("trimmed_t", "items"): _row(
        _if("trimmed means are meant, not means"), simes=_UNKNOWN_SIGNS, **_OTHER_LAW
    ),
    ("trimmed_t", "gaps"): _row(
        _if("trimmed means are meant, not means"), simes=_UNKNOWN_SIGNS, **_OTHER_LAW
    ),
    ("mcnemar", "items"): _row(_VALID, simes=_UNKNOWN_SIGNS, **_OTHER_LAW),
    ("mcnemar", "gaps"): _row(
        _if("answers are missing at random"), simes=_UNKNOWN_SIGNS, **_OTHER_LAW
    ),
    ("mcnemar_midp", "items"): _row(_MID_P, simes=_MID_P._replace(becomes="holm"), **_OTHER_LAW),
    ("mcnemar_midp", "gaps"): _row(_MID_P, simes=_MID_P._replace(becomes="holm"), **_OTHER_LAW),
    ("welch", "items"): _row(
        _if("models were run on rows of their own"), simes=_UNKNOWN_SIGNS, **_OTHER_LAW
    ),
    ("welch", "gaps"): _row(
        _if("models were run on rows of their own"), simes=_UNKNOWN_SIGNS, **_OTHER_LAW
    ),
    ("judge_t", "judged"): _row(
        _if("labelled rows are a random sample of those judged"),
        simes=_UNKNOWN_SIGNS,
        maxt=_refused("it flips or draws rows, which have labels only in part"),
        maxt_bootstrap=_refused("it flips or draws rows, which have labels only in part"),
    ),
    ("two_way", "crossed"): _row(_VALID, simes=_UNKNOWN_SIGNS, **_OTHER_LAW),
    ("two_way", "some runs"): _row(
        _SOME_RUNS, simes=_SOME_RUNS._replace(becomes="holm"), **_OTHER_LAW
    ),
    ("two_way", "few runs"): _row(
        _FEW_RUNS, simes=_FEW_RUNS._replace(becomes="holm"), **_OTHER_LAW
    ),
    ("corrected_t", "folds"): _row(
        _if("the correlation of folds is the share of test data"),
        simes=_if("differences of a model are not negatively correlated (checked)"),
        maxt=_FEW_FOLDS,
        maxt_bootstrap=_refused(_NOT_PAIRED),
    ),
    ("z", "joint estimates"): _row(
        _VALID,
        simes=_if("differences of a model are not negatively correlated (checked)"),
        maxt=_if("errors are normal, with the covariance that is given"),
        maxt_bootstrap=_refused(_NO_ROWS),
    ),
    ("z", "estimates"): _row(
        _if("errors of different models are independent"),
        simes=_UNKNOWN_SIGNS,
        maxt=_if("errors of different models are independent and normal"),
        maxt_bootstrap=_refused(_NO_ROWS),
    ),
    ("z", "votes"): _row(
        _if("which pairs meet does not depend on earlier votes"),
        simes=_UNKNOWN_SIGNS,
        maxt=_GAUSSIAN,
        maxt_bootstrap=_refused(_NO_ROWS),
    ),
    ("binomial", "votes"): _row(
        _if("votes are independent"),
        simes=_UNKNOWN_SIGNS,
        maxt=_refused("it draws strengths, and this test has none"),
        maxt_bootstrap=_refused(_NO_ROWS),
    ),
    ("e_process", "votes"): _row(
        _if("pairs have votes of their own; however often one looks"),
        simes=_NO_PROOF,
        maxt=_refused("it draws strengths, and this test has none"),
        maxt_bootstrap=_refused(_NO_ROWS),
        e_average=_if("pairs have votes of their own; however often one looks"),
    ),
    ("e_strength", "votes"): _row(
        _if(f"which pairs meet does not depend on earlier votes, and {_LIMIT}"),
        simes=_NO_PROOF,
        maxt=_NO_PROOF,
        maxt_bootstrap=_refused(_NO_ROWS),
        e_average=_if(f"which pairs meet does not depend on earlier votes, and {_LIMIT}"),
    ),
    ("z", "adaptive votes"): _row(
        _ADAPTIVE, simes=_ADAPTIVE_HOLM, maxt=_ADAPTIVE, maxt_bootstrap=_refused(_NO_ROWS)
    ),
    ("binomial", "adaptive votes"): _row(
        _ADAPTIVE,
        simes=_ADAPTIVE_HOLM,
        maxt=_refused("it draws strengths, and this test has none"),
        maxt_bootstrap=_refused(_NO_ROWS),
    ),
    ("e_process", "adaptive votes"): _row(
        _if("pairs have votes of their own; however often one looks"),
        simes=_NO_PROOF,
        maxt=_refused("it draws strengths, and this test has none"),
        maxt_bootstrap=_refused(_NO_ROWS),
        e_average=_if("pairs have votes of their own; however often one looks"),
    ),
    ("e_strength", "adaptive votes"): _row(
        _ADAPTIVE,
        simes=_NO_PROOF,
        maxt=_NO_PROOF,
        maxt_bootstrap=_refused(_NO_ROWS),
        e_average=_ADAPTIVE,
    ),
    ("z", "logged votes"): _row(
        _ADAPTIVE, simes=_ADAPTIVE_HOLM, maxt=_ADAPTIVE, maxt_bootstrap=_refused(_NO_ROWS)
    ),
    ("e_strength", "logged votes"): _row(
        _if(f"the probabilities are right, and {_LIMIT}"),
        simes=_NO_PROOF,
        maxt=_NO_PROOF,
        maxt_bootstrap=_refused(_NO_ROWS),
        e_average=_if(f"the probabilities are right, and {_LIMIT}"),
    ),
    ("contrasts", "average"): _row(
        _if("tasks have rows of their own"),
        simes=_if("differences of a model are not negatively correlated (checked)"),
        maxt=_if("averages are close to jointly normal"),
        maxt_bootstrap=_if("all tasks have complete and independent rows"),
    ),
    ("contrasts", "tasks"): _row(
        _if("tasks are independent draws"),
        simes=_if("differences of a model are not negatively correlated (checked)"),
        maxt=_if("differences are symmetric under no difference (sign flips)"),
        maxt_bootstrap=_VALID,
    ),
    ("contrasts", "ranks"): _row(
        _if("tasks are independent draws"),
        simes=_if("differences of a model are not negatively correlated (checked)"),
        maxt=_if("differences are symmetric under no difference (sign flips)"),
        maxt_bootstrap=_VALID,
    ),
    ("contrasts", "few ranks"): _row(
        _REVERSED,
        simes=_REVERSED,
        maxt=_REVERSED,
        maxt_bootstrap=_refused("it resamples tasks, and these are few", "--correction maxt"),
    ),
}
"""The cells: by test and design, then by correction; both scopes alike."""

_FEW = {"maxt_bootstrap": 5}  # fewest rows of a correction


def design_of(evidence: Evidence, test: str = "", pairing: str = "unknown") -> Design:
    """What the rows of a task are, as the table has it; `pairing` is that of votes.

    Examples
    --------
    >>> design_of(Items(("a", "b"), [[1.0, 0.0], [0.5, np.nan]]))
    'gaps'
    """
    if isinstance(evidence, Estimates):
        return "estimates" if evidence.cov is None else "joint estimates"
    if not isinstance(evidence, Items):
        if pairing != "adaptive":
            return "votes"
        logged = evidence.largest_weight is not None and evidence.largest_weight <= MOST_WEIGHT
        return "logged votes" if logged else "adaptive votes"
    if isinstance(evidence.design, Folds):
        return "folds"
    if evidence.clusters is not None:
        return "clusters"
    if test == "two_way":
        runs = 0 if evidence.runs is None else evidence.runs.shape[1]
        return "crossed" if runs >= 8 else "some runs" if runs >= 4 else "few runs"
    if test == "judge_t":
        return "judged"
    return "gaps" if np.isnan(evidence.values).any() else "items"


def find_cell(test: str, correction: str, scope: Scope, design: str | None) -> Cell:
    """The cell of a combination; of a test on no design in particular, where all refuse alike.

    A test on a design that the table does not have is the test's own to refuse, and a correction
    that somebody added is trusted.
    """
    if correction in DESCRIPTIONS:
        return _VALID
    rows = [row for (name, one), row in VALIDITY.items() if name == test and design in (None, one)]
    cells = [row.get(correction, _VALID) for row in rows]
    if design is None and any(cell.verdict != "refused" for cell in cells):
        return _VALID
    if not cells:
        return _VALID
    counts = correction == "simes" and cells[0] is not _REVERSED
    if counts and scope == "all" and cells[0].verdict != "refused":
        return cells[0]._replace(why=_BOTH_DIRECTIONS, becomes="holm")
    return cells[0]


def check_method(
    test: str, correction: str, scope: Scope, design: str | None = None, rows: int | None = None
) -> Cell:
    """The cell of a combination; raises where it is refused.

    Parameters
    ----------
    test, correction : str
        Names; a test that was chosen already, or ``"auto"``, which fits every correction.
    scope : {"each", "all"}
        For whom the level holds.
    design : str, optional
        What the rows are; where not given, a combination is refused if it is on every design.
    rows : int, optional
        How many rows there are, or clusters of them.

    Raises
    ------
    OptionError
        With the reason, and options that work.

    Examples
    --------
    >>> check_method("t", "holm", "all", "items").verdict
    'valid'
    """
    cell = find_cell(test, correction, scope, design)
    if cell.verdict == "refused":
        raise OptionError(
            f"Correction {correction!r} has no law for test {test!r}"
            f"{'' if design is None else f' here ({DESIGNS[design]})'}: {cell.why}. "
            f"Use {cell.instead}."
        )
    fewest = _FEW.get(correction, 0)
    if rows is not None and rows < fewest:
        raise OptionError(
            f"Correction {correction!r} needs at least {fewest} "
            f"{'clusters' if design == 'clusters' else 'rows'}, and there are {rows}: so "
            f"few show nothing. Use {_HOLM}."
        )
    return cell

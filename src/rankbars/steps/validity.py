"""Which test goes with which correction on which rows: one table, read before anything is computed.

A combination is valid (its level is held in the simulations of the test run), approximate (the
board says so, with what was measured), or refused (with what to use instead). Whoever adds a test
or a correction adds its cells here; `docs/methods.md` prints them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from rankbars.data.evidence import Estimates, Evidence, Folds, Items
from rankbars.data.intervals import Scope
from rankbars.data.spec import correction_facts
from rankbars.data.votes import MOST_WEIGHT
from rankbars.errors import OptionError

__all__ = [
    "DESIGNS",
    "VALIDITY",
    "Cell",
    "Design",
    "check_method",
    "design_of",
    "find_cell",
]

Design: TypeAlias = Literal[
    "items", "gaps", "clusters", "folds", "crossed", "some runs", "three runs", "two runs",
    "joint estimates", "estimates", "votes", "adaptive votes", "logged votes", "average", "tasks",
    "ranks", "few ranks", "judged",
]  # fmt: skip

DESIGNS: dict[str, str] = {
    "items": "independent rows, complete",
    "gaps": "independent rows, some missing (pair by pair)",
    "clusters": "rows in clusters",
    "folds": "folds of cross-validation",
    "crossed": "items crossed with 8 runs or more",
    "some runs": "items crossed with 4 to 7 runs",
    "three runs": "items crossed with 3 runs",
    "two runs": "items crossed with 2 runs",
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
    measured : tuple of (int, float)
        Of what is approximate: with so many models at most 95 % statements held in such a share of
        simulations. See `measured_among`.
    becomes : str
        The correction that decides in its place, of which a note tells; empty for its own.
    """

    verdict: Literal["valid", "approximate", "refused"]
    why: str = ""
    instead: str = ""
    measured: tuple[tuple[int, float], ...] = ()
    becomes: str = ""

    def measured_among(self, models: int) -> float | None:
        """The share that was measured with so many models, or the next larger number; else None.

        With more models than it was measured with statements hold less often.
        """
        return next((share for most, share in self.measured if models <= most), None)


_CELLS = ("holm", "bonferroni", "simes", "maxt", "maxt_bootstrap", "e_average")
_ANY = sys.maxsize  # models: their number does not matter
_VALID = Cell("valid")
_HOLM = "--correction holm"


def _refused(why: str, instead: str = _HOLM) -> Cell:
    return Cell("refused", why, instead)


def _if(why: str) -> Cell:
    return Cell("valid", why)


def _nearly(why: str, *measured: tuple[int, float]) -> Cell:
    return Cell("approximate", why, measured=measured)


def _holm(cell: Cell) -> Cell:
    """The same, but Holm decides."""
    return cell._replace(becomes="holm")


# What holds of Holm and Bonferroni, mostly.
_SYMMETRIC = _if("differences are symmetric about their center")
_TRIMMED = _if("trimmed means are meant, not means")
_UNPAIRED = _if("models were run on rows of their own")
_OWN_VOTES = _if("pairs have votes of their own; however often one looks")
_LIMIT = "there are many votes; however often one looks"
_STRENGTHS = _if(f"which pairs meet does not depend on earlier votes, and {_LIMIT}")
_LOGGED = _if(f"the probabilities are right, and {_LIMIT}")
_OWN_TASKS = _if("tasks are independent draws")
_REVERSED = _if("equal models are interchangeable on a task; rankings are reversed (max-T)")
_ADAPTIVE = _nearly("earlier results chose which models met")
_CLUSTERED = _nearly("rows come in clusters, which the test ignores")
_SHARING = _nearly("folds share training data, which the test ignores")
# Equal models, effects of runs of .08, the worse of 60 and 200 items: 4 runs, 3 and 2. A pair by
# itself errs in at most .07.
_SOME_RUNS = _nearly(
    "so few runs hardly tell how much runs differ", (2, 0.95), (4, 0.95), (10, 0.86), (30, 0.66)
)
_THREE_RUNS = _nearly(
    "3 runs hardly tell how much runs differ", (2, 0.95), (4, 0.91), (10, 0.79), (30, 0.37)
)
_TWO_RUNS = _nearly(
    "2 runs hardly tell how much runs differ", (2, 0.93), (4, 0.81), (10, 0.47), (30, 0.06)
)
# Exact: two equal models that differ on 16 items are told apart at .05 in .077 of cases, the most
# of up to 200 items; 10 equal models were all held in .95 to 1.00 of boards.
_MID_P = _nearly("half of the observed probability is left out", (_ANY, 0.92))

# Simes.
_CHECKED = _if("differences of a model are not negatively correlated (checked)")
_UNKNOWN = _holm(_if("whether differences are negatively correlated is not known"))
_BOTH_DIRECTIONS = "the statistics of a pair in its two directions are negatively correlated"
_NO_PROOF = _refused("it has no proof for evidence that is looked at at any time")

# max-T and its bootstrap.
_FLIPPED = _if("differences are symmetric under no difference (sign flips)")
_OWN_ERRORS = "errors of different models are independent"
# 6 and 10 tied learners by 3 x 3 folds: .84 and .87 of 250 tables with normal draws, .93 with Holm.
_FEW_FOLDS = _nearly("few folds give draws fewer directions than models", (10, 0.84))
# 6 and 10 equal models, 100 to 2,000 votes: .96 to .97 of 150 boards each.
_GAUSSIAN = _nearly("strengths are only close to jointly normal", (_ANY, 0.96))
_NO_STRENGTHS = _refused("it draws strengths, and this test has none")
_RESAMPLES = _refused("it resamples paired rows, which decides as the t-test does")
_NOT_PAIRED = _refused("it resamples independent rows")
_NO_ROWS = _refused("it resamples rows, and there are none")
_FEW_TASKS = _refused("it resamples tasks, and these are few", "--correction maxt")
_INCOMPLETE = 2 * (
    _refused("it needs complete rows (--missing listwise, fail, drop_models or bounds gives them)"),
)
_IN_PART = 2 * (_refused("it flips or draws rows, which have labels only in part"),)
_OTHER_LAW = (
    _UNKNOWN,
    _refused("it flips the signs of paired rows, which decides as the t-test does"),
    _RESAMPLES,
)

_ROWS: tuple[tuple[str, tuple[Design, ...], *tuple[Cell, ...]], ...] = (
    # test, designs, Holm and Bonferroni, Simes, max-T, its bootstrap, averages of e-values
    ("t", ("items",), _VALID, _CHECKED, _FLIPPED, _VALID),
    ("t", ("gaps",), _if("scores are missing at random"), _UNKNOWN, *_INCOMPLETE),
    ("t", ("clusters",), _CLUSTERED, _CLUSTERED, _CLUSTERED, _NOT_PAIRED),
    ("t", ("folds",), _SHARING, _SHARING, _SHARING, _NOT_PAIRED),
    (
        "cluster_t",
        ("clusters",),
        _if(
            "means of clusters are close to normal; nothing is shown with one of over 80 % of rows"
        ),
        _UNKNOWN,
        _if("sums of clusters are symmetric under no difference (whole clusters flip)"),
        _if("rows are complete, in 5 clusters or more (whole clusters are drawn)"),
    ),
    ("signflip", ("items",), _SYMMETRIC, _UNKNOWN, _SYMMETRIC, _RESAMPLES),
    ("signflip", ("gaps",), _SYMMETRIC, _UNKNOWN, *_INCOMPLETE),
    ("signflip", ("clusters",), _SYMMETRIC, _UNKNOWN, _SYMMETRIC, _NOT_PAIRED),
    ("wilcoxon", ("items", "gaps"), _SYMMETRIC, *_OTHER_LAW),
    ("trimmed_t", ("items", "gaps"), _TRIMMED, *_OTHER_LAW),
    ("mcnemar", ("items",), _VALID, *_OTHER_LAW),
    ("mcnemar", ("gaps",), _if("answers are missing at random"), *_OTHER_LAW),
    ("mcnemar_midp", ("items", "gaps"), _MID_P, _holm(_MID_P), *_OTHER_LAW[1:]),
    ("welch", ("items", "gaps"), _UNPAIRED, *_OTHER_LAW),
    (
        "judge_t",
        ("judged",),
        _if("labelled rows are a random sample of those judged"),
        _UNKNOWN,
        *_IN_PART,
    ),
    ("two_way", ("crossed",), _VALID, *_OTHER_LAW),
    ("two_way", ("some runs",), _SOME_RUNS, _holm(_SOME_RUNS), *_OTHER_LAW[1:]),
    ("two_way", ("three runs",), _THREE_RUNS, _holm(_THREE_RUNS), *_OTHER_LAW[1:]),
    ("two_way", ("two runs",), _TWO_RUNS, _holm(_TWO_RUNS), *_OTHER_LAW[1:]),
    (
        "corrected_t",
        ("folds",),
        _if("the correlation of folds is the share of test data"),
        _CHECKED,
        _FEW_FOLDS,
        _NOT_PAIRED,
    ),
    (
        "z",
        ("joint estimates",),
        _VALID,
        _CHECKED,
        _if("errors are normal, with the covariance that is given"),
        _NO_ROWS,
    ),
    ("z", ("estimates",), _if(_OWN_ERRORS), _UNKNOWN, _if(f"{_OWN_ERRORS} and normal"), _NO_ROWS),
    (
        "z",
        ("votes",),
        _if("which pairs meet does not depend on earlier votes"),
        _UNKNOWN,
        _GAUSSIAN,
        _NO_ROWS,
    ),
    ("z", ("adaptive votes", "logged votes"), _ADAPTIVE, _holm(_ADAPTIVE), _ADAPTIVE, _NO_ROWS),
    ("binomial", ("votes",), _if("votes are independent"), _UNKNOWN, _NO_STRENGTHS, _NO_ROWS),
    ("binomial", ("adaptive votes",), _ADAPTIVE, _holm(_ADAPTIVE), _NO_STRENGTHS, _NO_ROWS),
    (
        "e_process",
        ("votes", "adaptive votes"),
        _OWN_VOTES,
        _NO_PROOF,
        _NO_STRENGTHS,
        _NO_ROWS,
        _OWN_VOTES,
    ),
    ("e_strength", ("votes",), _STRENGTHS, _NO_PROOF, _NO_PROOF, _NO_ROWS, _STRENGTHS),
    ("e_strength", ("adaptive votes",), _ADAPTIVE, _NO_PROOF, _NO_PROOF, _NO_ROWS, _ADAPTIVE),
    ("e_strength", ("logged votes",), _LOGGED, _NO_PROOF, _NO_PROOF, _NO_ROWS, _LOGGED),
    (
        "contrasts",
        ("average",),
        _if("tasks have rows of their own"),
        _CHECKED,
        _if("averages are close to jointly normal"),
        _if("all tasks have complete and independent rows"),
    ),
    ("contrasts", ("tasks", "ranks"), _OWN_TASKS, _CHECKED, _FLIPPED, _VALID),
    ("contrasts", ("few ranks",), _REVERSED, _REVERSED, _REVERSED, _FEW_TASKS),
)
_NO_E = _refused("it averages e-values, which this test does not give")
_NO_CELL = _refused("the table of tests and corrections has no cell for it")

VALIDITY: dict[tuple[str, str], Mapping[str, Cell]] = {
    (test, design): dict(zip(_CELLS, (cells[0], *cells, _NO_E), strict=False))
    for test, designs, *cells in _ROWS
    for design in designs
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
        answers = evidence.crossed
        runs = 0 if answers is None else answers.shape[1]
        if runs >= 4:
            return "crossed" if runs >= 8 else "some runs"
        return "three runs" if runs == 3 else "two runs"
    if test == "judge_t":
        return "judged"
    return "gaps" if np.isnan(evidence.values).any() else "items"


def find_cell(test: str, correction: str, scope: Scope, design: str | None) -> Cell:
    """The cell of a combination; of a test on no design in particular, where all refuse alike.

    A test on a design that it has no row for is the test's own to refuse, before anything is said
    of it. A correction without a column is refused, and so is a test without a row.

    Examples
    --------
    >>> find_cell("t", "holm", "all", "items").verdict, find_cell("t", "mine", "all", None).verdict
    ('valid', 'refused')
    """
    if test == "auto" or correction == "auto" or not correction_facts(correction).promises:
        return _VALID
    of_test = {one: row for (name, one), row in VALIDITY.items() if name == test}
    if not of_test:
        return _NO_CELL
    cells = [row.get(correction, _NO_CELL) for one, row in of_test.items() if design in (None, one)]
    if not cells or (design is None and any(cell.verdict != "refused" for cell in cells)):
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

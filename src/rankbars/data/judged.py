"""What became of claims: each with its verdict and its numbers, and how sure they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rankbars.calls import check_name
from rankbars.data.claim import Claim
from rankbars.data.notes import Note
from rankbars.data.spec import FAIL_ON
from rankbars.data.taskinfo import Direction, Input

__all__ = ["OUT_OF_REACH", "Check", "JudgedClaim", "LookState", "Role"]

OUT_OF_REACH = "margin-out-of-reach"
"""Code of the note that is read before the verdicts: which claims can hardly be decided."""

Role = Literal["must", "guard"]


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """One claim, judged.

    Parameters
    ----------
    claim : Claim
        What was claimed.
    words : str
        The claim as it was understood, margins in units of the score.
    verdict : {"supported", "refuted", "cannot_tell"}
        What the results say.
    role : {"must", "guard"}
        Whether it passes only if it is supported, or fails only if it is refuted.
    estimate, low, high : float
        The difference (positive = in favour of the claim's model) or the score, with its interval
        at the levels that the claim was judged at; NaN where there is none. Of a claim with
        several parts, those of the part that decides.
    p_support, p_refute : float
        Small where the claim is shown true, and where it is shown false; not corrected for the
        number of claims.
    against, task : str, optional
        Whom and what `estimate` is about.
    parts : int
        How many comparisons the claim is made of.
    kind : {"items", "folds", "runs", "estimates", "votes", "tasks"}
        What a row behind `estimate` is.
    n : int
        How many there are; 0 where not known.
    needed : float, optional
        About how many rows would settle it with a probability of .8 at the same level.
    supposing : str
        What `needed` supposes of the truth.
    approximate : bool
        Whether its error rate is only nearly held.
    why : str
        What the file says about the reason for the claim.
    score, score_other : float
        Mean scores of the two models behind a difference, in the units of the input, over the rows
        that both have; NaN for a claim about a score, and where they are not known.
    direction : {"higher", "lower"}, optional
        Which side of the scores is better, whatever the sign of the difference.
    """

    claim: Claim
    words: str
    verdict: Literal["supported", "refuted", "cannot_tell"]
    role: Role
    estimate: float
    low: float
    high: float
    p_support: float
    p_refute: float
    against: str | None = None
    task: str | None = None
    parts: int = 1
    kind: str = "items"
    n: int = 0
    needed: float | None = None
    supposing: str = ""
    approximate: bool = False
    why: str = ""
    score: float = math.nan
    score_other: float = math.nan
    direction: Direction | None = None

    @property
    def passes(self) -> bool:
        """Whether it is what its role asks for."""
        return self.verdict == "supported" or (
            self.role == "guard" and self.verdict == "cannot_tell"
        )


class LookState(NamedTuple):
    """Which look of a ledger, or which record of a store, a check is, and what it spent.

    Attributes
    ----------
    change : str
        What is decided about; empty where the ledger is one decision.
    number : int
        1 for the first look at the change; of a store the number of the record.
    level, left : float
        The error rate of this look, and what is left for later ones.
    again : bool
        Whether the same results were judged before, so that nothing was spent.
    digest : str
        Of its line in the ledger; empty for a record of a store.
    """

    change: str
    number: int
    level: float
    left: float
    again: bool
    digest: str


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """Claims about results, judged together.

    Parameters
    ----------
    claims : tuple of JudgedClaim
        In the order in which they were made.
    alpha : float
        Error rate.
    together : bool
        Whether all verdicts are right with probability ``1 - alpha``; else each by itself.
    notes : tuple of Note
        What the reader must know.
    inputs : tuple of Input
        What was read.
    source : Input, optional
        The file of claims and its digest.
    why : str
        Why the file says that the claims are made.
    look : LookState, optional
        Which look of a ledger or record of a store it is; `alpha` is then the error rate of all of
        them together.
    """

    claims: tuple[JudgedClaim, ...]
    alpha: float
    together: bool
    notes: tuple[Note, ...] = ()
    inputs: tuple[Input, ...] = ()
    source: Input | None = None
    why: str = ""
    look: LookState | None = None

    def __repr__(self) -> str:
        counts = ", ".join(f"{n} {verdict}" for verdict, n in self.counts().items() if n)
        return f"Check({len(self.claims)} claims: {counts})"

    def __str__(self) -> str:
        return self.to_text()

    def counts(self) -> dict[str, int]:
        """How many claims have each verdict."""
        return {
            verdict: sum(one.verdict == verdict for one in self.claims)
            for verdict in ("supported", "refuted", "cannot_tell")
        }

    def failing(self, fail_on: str = "undecided") -> tuple[JudgedClaim, ...]:
        """The claims that fail.

        Parameters
        ----------
        fail_on : {"undecided", "refuted"}
            Whether a must that cannot be told fails, too, or only what is refuted.

        Raises
        ------
        UnknownOptionError
            If it is another word.
        """
        check_name("fail_on", fail_on, FAIL_ON)
        return tuple(
            one
            for one in self.claims
            if one.verdict == "refuted" or (fail_on == "undecided" and not one.passes)
        )

    def exit_code(self, fail_on: str = "undecided") -> int:
        """What ``rankbars check`` answers: 0, 3 (a must cannot be told) or 4 (one is refuted)."""
        failing = self.failing(fail_on)
        if any(one.verdict == "refuted" for one in failing):
            return 4
        return 3 if failing else 0

    @property
    def passed(self) -> bool:
        """Whether no claim fails: each must is supported, and no guard is refuted."""
        return not self.failing()

    def __bool__(self) -> bool:
        # `assert rb.check(...)` would hold of refuted claims, as every object is true.
        return self.passed

    def to_text(self) -> str:
        """Each claim with its verdict, as ``rankbars check`` prints them."""
        from rankbars.render.verdicts import check_text

        return check_text(self)

    def to_json(self) -> str:
        """The verdicts as ``rankbars check --json`` prints them."""
        from rankbars.render.verdicts import check_json

        return check_json(self)

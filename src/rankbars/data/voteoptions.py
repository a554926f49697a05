"""How votes are turned into strengths: every choice, with its default."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankbars.errors import OptionError, UnknownOptionError

__all__ = ["BOTH_BAD", "COVARIANCES", "TIES", "Anchor", "VoteOptions"]

TIES = ("half", "drop", "rao-kupper", "davidson")
BOTH_BAD = ("tie", "drop")
COVARIANCES = ("auto", "sandwich", "hessian", "cluster", "bootstrap")


@dataclass(frozen=True, slots=True)
class Anchor:
    """What fixes the origin of an Elo scale: the rating of a model, or of the mean of all."""

    model: str | None
    rating: float


@dataclass(frozen=True, slots=True)
class VoteOptions:
    """Choices for pairwise votes; nothing else reads them.

    Parameters
    ----------
    ties : {"half", "drop", "rao-kupper", "davidson"}
        A tie is half a win for either side, is left out, or has a parameter of its own in the
        model of Rao and Kupper or of Davidson.
    both_bad : {"tie", "drop"}
        What a vote for neither side ("both bad") is.
    covariance : {"auto", "sandwich", "hessian", "cluster", "bootstrap"}
        How sure the strengths are. ``"auto"``: by clusters of votes where the votes name a voter,
        a prompt or a conversation, else the sandwich for independent votes.
    cluster : str
        What votes are clustered by: ``"auto"`` (voters and prompts, else conversations, where
        the votes name five or more), ``"none"``, or ``"judge"``, ``"prompt"`` or ``"cluster"``;
        with a plus sign between two of them, by both.
    largest_component : bool
        Rank the largest group of models that the votes put on one scale, and leave the others
        out. Without it, votes that leave a model without a finite strength stop the analysis.
    ridge : float
        Penalty on squared strengths, 0 or more; it draws them together.
    elo : str, optional
        Show strengths on the scale of Elo, where 400 points are odds of ten to one:
        ``"1000"`` gives the mean of all models that rating, ``"NAME=1000"`` one model.

    Raises
    ------
    UnknownOptionError
        If a name is not known.
    OptionError
        If the ridge is negative, or `elo` holds no number.

    Examples
    --------
    >>> VoteOptions(ties="davidson", elo="gpt-4=1200").anchor
    Anchor(model='gpt-4', rating=1200.0)
    """

    ties: str = "half"
    both_bad: str = "tie"
    covariance: str = "auto"
    cluster: str = "auto"
    largest_component: bool = False
    ridge: float = 0.0
    elo: str | None = None

    def __post_init__(self) -> None:
        for what, value, known in (
            ("treatment of ties", self.ties, TIES),
            ("treatment of votes for neither", self.both_bad, BOTH_BAD),
            ("covariance", self.covariance, COVARIANCES),
        ):
            if value not in known:
                raise UnknownOptionError.among(what, value, known)
        if not (math.isfinite(self.ridge) and self.ridge >= 0):
            raise OptionError.out_of_range("ridge", self.ridge, "finite and at least 0")
        if self.cluster == "none" and self.covariance == "cluster":
            raise OptionError(
                "covariance='cluster' needs clusters, and cluster='none' says that there are none."
            )
        if self.cluster not in ("auto", "none") and self.covariance in ("sandwich", "hessian"):
            raise OptionError(
                f"cluster={self.cluster!r} is for votes that depend on each other; "
                f"covariance={self.covariance!r} takes them as independent. Leave one of them out."
            )
        _ = self.anchor

    @property
    def anchor(self) -> Anchor | None:
        """What fixes the origin of the Elo scale; None where strengths are shown as they are."""
        if self.elo is None:
            return None
        model, sign, rating = self.elo.rpartition("=")
        try:
            value = float(rating)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or (sign and not model):
            raise OptionError.out_of_range("elo", self.elo, "a rating, or MODEL=RATING")
        return Anchor(model or None, value)

    def to_dict(self) -> dict[str, Any]:
        """The options as a plain dict, as the board file has them."""
        from rankbars.data.plain import to_plain

        plain: dict[str, Any] = to_plain(self, {})
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> VoteOptions:
        """Options from a plain dict; names that a later version added are left out."""
        from rankbars.data.plain import from_plain

        options: VoteOptions = from_plain(dict(values), cls, {})
        return options

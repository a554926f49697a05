"""Every choice of an analysis, with its default, in one place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rankbars.data.checks import check_name
from rankbars.data.voteoptions import VoteOptions
from rankbars.errors import OptionError

__all__ = [
    "MISSING_POLICIES",
    "MOST_RESAMPLES",
    "OVERS",
    "SCOPES",
    "Spec",
    "check_rate",
    "check_resamples",
]

SCOPES = ("each", "all")
MISSING_POLICIES = ("raise", "pairwise", "listwise", "fail", "drop_models", "bounds")
OVERS = ("auto", "items", "tasks", "families", "none")
# All draws are kept. A million put an error of 0.0002 on a probability of 0.05, which is far less
# than any of these methods is exact to.
MOST_RESAMPLES = 1_000_000


@dataclass(frozen=True, slots=True)
class Spec:
    """Options of `rankbars.leaderboard`, frozen and attached to its result.

    ``leaderboard(new_scores, spec=board.spec)`` repeats an analysis. Options that cannot change
    a result, such as the number of workers, are not part of it.

    Parameters
    ----------
    test : str
        Paired test within a task; ``"auto"`` lets the design of the rows decide.
    correction : str
        Multiplicity correction within a task.
    scope : {"each", "all"}
        Guarantee per model named in advance, or for all models at once.
    alpha : float
        Error rate of task intervals and of the average.
    merge : str
        How task intervals become an interval for a new task.
    alpha_overall : float
        Error rate of that merge.
    over : {"auto", "items", "tasks", "families", "none"}
        Which average leads; ``"auto"`` lets the structure of the input decide.
    missing : str
        What to do where a model has no score.
    seed : int
        Start of every random stream.
    resamples : int
        Number of resamples, for methods that resample; a million at most.
    votes : VoteOptions
        How pairwise votes are turned into strengths.
    estimator : str
        How the average is estimated; ``"auto"`` takes the usual way.
    method : str
        What is averaged: scores, ranks, wins; ``"auto"`` averages scores where tasks share a
        scale, else ranks within tasks.
    normalise : str, optional
        How scores are brought to a common scale before they are averaged.
    prior : str
        What the estimator ``"bayes"`` assumes beforehand, by name; see `rankbars.aggregate`.

    Raises
    ------
    OptionError
        If a rate is not strictly between 0 and 1, or a name is not known.

    Examples
    --------
    >>> Spec(alpha=0.1).alpha
    0.1
    """

    test: str = "auto"
    correction: str = "holm"
    scope: Literal["each", "all"] = "each"
    alpha: float = 0.05
    merge: str = "joint"
    alpha_overall: float = 0.2
    over: str = "auto"
    missing: str = "raise"
    seed: int = 0
    resamples: int = 1000
    votes: VoteOptions = field(default_factory=VoteOptions)
    estimator: str = "auto"
    method: str = "auto"
    normalise: str | None = None
    prior: str = "auto"

    def __post_init__(self) -> None:
        check_rate("alpha", self.alpha)
        check_rate("alpha_overall", self.alpha_overall)
        check_name("scope", self.scope, SCOPES)
        check_name("missing policy", self.missing, MISSING_POLICIES)
        check_name("average (over)", self.over, OVERS)
        for what in ("test", "correction", "merge", "estimator", "method", "normalise"):
            value = getattr(self, what)
            optional = what == "normalise" and value is None
            if not (isinstance(value, str) or optional):
                raise OptionError.out_of_range(what, value, "a name")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise OptionError.out_of_range("seed", self.seed, "a whole number, 0 or more")
        check_resamples(self.resamples)

    def to_dict(self) -> dict[str, Any]:
        """The options as a plain dict, as the board file has them."""
        from rankbars.data.plain import to_plain

        plain: dict[str, Any] = to_plain(self, {})
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Spec:
        """Options from a plain dict; names that a later version added are left out."""
        from rankbars.data.plain import from_plain

        spec: Spec = from_plain(dict(values), cls, {})
        return spec


def check_resamples(resamples: int) -> int:
    """A number of resamples; raises `OptionError` unless a whole number from 1 to a million."""
    if isinstance(resamples, bool) or not isinstance(resamples, int):
        raise OptionError.out_of_range("resamples", resamples, "a whole number")
    if resamples < 1:
        raise OptionError.out_of_range("resamples", resamples, "at least 1")
    if resamples > MOST_RESAMPLES:
        raise OptionError(
            f"resamples must be at most {MOST_RESAMPLES:,}; got {resamples:,}. All draws are kept "
            "in memory, and that many already put an error of 0.0002 on a p-value of 0.05, and "
            "less on smaller ones."
        )
    return resamples


def check_rate(name: str, value: object) -> float:
    """`value` as an error rate; raises `OptionError` unless strictly between 0 and 1."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0.0 < value < 1.0:
        return float(value)
    raise OptionError.out_of_range(
        name, value, "an error rate strictly between 0 and 1 (0.05 stands for 95 %)"
    )

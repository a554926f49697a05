"""Every choice of an analysis, with its default, in one place."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from rankbars.calls import check_name, check_whole
from rankbars.errors import OptionError

__all__ = [
    "BOTH_BAD",
    "COVARIANCES",
    "FAIL_ON",
    "MISSING_ITEMS",
    "MISSING_POLICIES",
    "MISSING_TASKS",
    "MOST_RESAMPLES",
    "OVERS",
    "PAIRINGS",
    "REWEIGHTS",
    "RUNS",
    "SCOPES",
    "TIES",
    "VOTE_WEIGHTS",
    "WITHIN_GROUPS",
    "ZERO_SE",
    "Anchor",
    "CorrectionFacts",
    "Spec",
    "VoteOptions",
    "check_rate",
    "check_resamples",
    "correction_facts",
    "side_level",
]

TIES = ("half", "drop", "rao-kupper", "davidson")
BOTH_BAD = ("tie", "drop")
PAIRINGS = ("unknown", "uniform", "fixed", "adaptive")
REWEIGHTS = ("none", "uniform")
FAIL_ON = ("undecided", "refuted")
COVARIANCES = ("auto", "sandwich", "hessian", "cluster", "bootstrap")


@dataclass(frozen=True, slots=True)
class Anchor:
    """What fixes the origin of an Elo scale: the rating of a model, or of the mean of all."""

    model: str | None
    rating: float


VOTE_WEIGHTS = ("cap", "suspect_weight")
"""Choices for votes whose keys are in a file only where they were made."""


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
    pairing : {"unknown", "uniform", "fixed", "adaptive"}
        How it was decided which models meet: at random with equal chances, by a plan that was
        fixed beforehand, or with an eye on earlier results. ``"adaptive"`` takes the level from
        every test but the one at any time; ``"unknown"`` assumes that earlier results had no part.
    reweight : {"none", "uniform"}
        ``"uniform"``: every pair of models weighs alike, however often the two met; pairs with
        fewer than 50 votes weigh less.
    elo : str, optional
        Show strengths on the scale of Elo, where 400 points are odds of ten to one:
        ``"1000"`` gives the mean of all models that rating, ``"NAME=1000"`` one model.
    cap : int, optional
        Votes of a voter with more than so many weigh less, and together as much as so many.
    suspect_weight : float, optional
        Weight of the votes of voters whose votes do not fit those of the others; 0 leaves them out.
        None counts them like all others.

    Raises
    ------
    UnknownOptionError
        If a name is not known.
    OptionError
        If the ridge is negative, `elo` holds no number, the cap is below 1, or a weight is not
        between 0 and 1.

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
    pairing: str = "unknown"
    reweight: str = "none"
    elo: str | None = None
    cap: int | None = None
    suspect_weight: float | None = None

    def __post_init__(self) -> None:
        for what, value, known in (
            ("treatment of ties", self.ties, TIES),
            ("treatment of votes for neither", self.both_bad, BOTH_BAD),
            ("covariance", self.covariance, COVARIANCES),
            ("pairing of models", self.pairing, PAIRINGS),
            ("weights of pairs", self.reweight, REWEIGHTS),
        ):
            check_name(what, value, known)
        if not (math.isfinite(self.ridge) and self.ridge >= 0):
            raise OptionError.out_of_range("ridge", self.ridge, "finite and at least 0")
        if self.cap is not None and self.cap < 1:
            raise OptionError.out_of_range("cap", self.cap, "at least 1")
        if self.suspect_weight is not None and not 0 <= self.suspect_weight <= 1:
            raise OptionError.out_of_range("suspect_weight", self.suspect_weight, "from 0 to 1")
        if self.reweight != "none" and self.covariance == "hessian":
            raise OptionError(
                "covariance='hessian' takes every vote as it is, and reweight='uniform' weighs "
                "them. Use covariance='sandwich'."
            )
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
        from rankbars.data.plain import Keys, to_plain

        plain: dict[str, Any] = to_plain(self, {VoteOptions: Keys(optional=VOTE_WEIGHTS)})
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> VoteOptions:
        """Options from a plain dict; names that a later version added are left out."""
        from rankbars.data.plain import Keys
        from rankbars.data.plainreading import from_plain

        keys = {cls: Keys(optional=VOTE_WEIGHTS)}
        options: VoteOptions = from_plain(dict(values), cls, keys)
        return options


SCOPES = ("each", "all")
MISSING_ITEMS = ("raise", "fail", "pairwise", "listwise", "drop_models", "bounds")
MISSING_TASKS = ("insert", "additive", "bounds", "drop_models", "drop_tasks", "raise")
MISSING_POLICIES = ("raise", "pairwise", "listwise", "fail", "drop_models", "bounds", "insert",
                    "additive", "drop_tasks")  # fmt: skip
_USUAL = {"missing_tasks": "insert", "missing_items": "raise"}
RUNS = ("auto", "independent", "shared", "anew")
ZERO_SE = ("zero", "largest")
WITHIN_GROUPS = ("size", "equal")
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
        Multiplicity correction within a task; ``"auto"`` lets the rows decide.
    scope : {"all", "each"}
        Guarantee for all models at once, or per model named in advance.
    alpha : float
        Error rate of task intervals and of the average.
    merge : str
        How task intervals become an interval for a new task.
    alpha_overall : float
        Error rate of that merge.
    over : {"auto", "items", "tasks", "families", "none"}
        Which average leads; ``"auto"`` lets the structure of the input decide.
    missing : str
        What to do where a model has no score, in one word: it sets each of `missing_tasks` and
        `missing_items` that knows the word and stands at its default.
    missing_tasks : str
        What to do with a model that never ran a task: ``"insert"`` (the default), ``"additive"``,
        ``"bounds"``, ``"drop_models"``, ``"drop_tasks"`` or ``"raise"``.
    missing_items : str
        What to do where a task was run and some rows have no score: ``"raise"`` (the default),
        ``"fail"``, ``"pairwise"``, ``"listwise"``, ``"drop_models"`` or ``"bounds"``.
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
    zero_se : {"zero", "largest"}
        What a published standard error of 0 counts as, where the number of 0/1 items behind it
        is not known: 0, or the largest error of another model on the task.
    runs : {"auto", "independent", "shared", "anew"}
        What several answers to one item are: drawn anew for each item, or moved together by an
        effect of the run (a training seed, a prompt, a day) that all its answers share; ``"auto"``:
        the latter where the answers show it. A board keeps what was decided. Where rows
        are runs, one label is one run on all tasks; ``"anew"``: another run on each.
    best_alone : bool
        Whether a note has the models that may be first at the whole of `alpha`, as a statement by
        itself.
    top_alone : int, optional
        A note says which models are among the first so many, and which may be, at the whole of
        `alpha`, as a statement by itself.

    baseline : str, optional
        The model that skill scores are measured against.
    baseline_fills : bool
        Whether scores that are missing count as those of the baseline.
    independent_rows : bool
        Whether rows and tasks that resemble each other are known to be independent; they are asked
        about otherwise.
    average_anyway : bool
        Whether scores of different metrics are averaged as they are.
    variants : mapping from str to int
        Of how many declared tries a model is the best, whose other results are not in the input:
        they count in the score of the leader, `Leaderboard.winner`.

    Raises
    ------
    OptionError
        If a rate is not strictly between 0 and 1, a name is not known, or a number of variants is
        not a whole number of 1 or more.

    Examples
    --------
    >>> Spec(alpha=0.1).alpha
    0.1
    >>> Spec(missing="pairwise").missing_items, Spec(missing="pairwise").missing_tasks
    ('pairwise', 'insert')
    """

    test: str = "auto"
    correction: str = "auto"
    scope: Literal["each", "all"] = "all"
    alpha: float = 0.05
    merge: str = "joint"
    alpha_overall: float = 0.2
    over: str = "auto"
    missing: str = "auto"
    seed: int = 0
    resamples: int = 1000
    votes: VoteOptions = field(default_factory=VoteOptions)
    estimator: str = "auto"
    method: str = "auto"
    normalise: str | None = None
    prior: str = "auto"
    zero_se: str = "zero"
    variants: Mapping[str, int] = field(default_factory=dict, hash=False)
    runs: str = "auto"
    best_alone: bool = False
    top_alone: int | None = None
    baseline: str | None = None
    baseline_fills: bool = False
    average_anyway: bool = False
    missing_tasks: str = "insert"
    missing_items: str = "raise"
    independent_rows: bool = False

    def __post_init__(self) -> None:
        check_rate("alpha", self.alpha)
        check_rate("alpha_overall", self.alpha_overall)
        check_name("scope", self.scope, SCOPES)
        self._settle_missing()
        check_name("average (over)", self.over, OVERS)
        check_name("treatment of errors of 0", self.zero_se, ZERO_SE)
        object.__setattr__(self, "variants", dict(self.variants))
        for name, count in self.variants.items():
            if isinstance(count, bool) or not isinstance(count, int) or count < 1:
                what = f"variants of {name!r}"
                raise OptionError.out_of_range(what, count, "a whole number, 1 or more")
        check_name("kind of runs", self.runs, RUNS)
        if self.runs == "shared" and self.test not in ("auto", "two_way"):
            raise OptionError(
                f"runs='shared' chooses the test two_way where items have several answers, and "
                f"test={self.test!r} takes answers as independent. Leave one of them out."
            )
        if self.baseline_fills and self.baseline is None:
            raise OptionError(
                "Scores that are missing count as those of a baseline (--baseline-fills) where "
                "one is named. Add --baseline NAME."
            )
        if self.best_alone and self.scope == "each":
            raise OptionError(
                "The models that may be first by themselves (--best-alone) stand beside ranks for "
                "all models at once. Use --scope all."
            )
        if self.top_alone is not None:
            check_whole("top_alone", self.top_alone, 1)
            if self.scope == "each":
                raise OptionError(
                    "The models among the first few by themselves (--top-alone) stand beside ranks "
                    "for all models at once. Use --scope all."
                )
        for what in ("test", "correction", "merge", "estimator", "method", "normalise", "baseline"):
            value = getattr(self, what)
            optional = what in ("normalise", "baseline") and value is None
            if not (isinstance(value, str) or optional):
                raise OptionError.out_of_range(what, value, "a name")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise OptionError.out_of_range("seed", self.seed, "a whole number, 0 or more")
        check_resamples(self.resamples)

    def _settle_missing(self) -> None:
        """A word for everything that is missing speaks where a kind knows it and says no other."""
        check_name("missing policy", self.missing, ("auto", *MISSING_POLICIES))
        for name, known, what in (
            ("missing_tasks", MISSING_TASKS, "policy for missing tasks"),
            ("missing_items", MISSING_ITEMS, "policy for missing items"),
        ):
            value = check_name(what, getattr(self, name), known)
            if value == _USUAL[name] and self.missing in known:
                object.__setattr__(self, name, self.missing)

    def to_dict(self) -> dict[str, Any]:
        """The options as a plain dict, as the board file has them."""
        from rankbars.data.plain import to_plain

        plain: dict[str, Any] = to_plain(self, {})
        return plain

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Spec:
        """Options from a plain dict; names that a later version added are left out."""
        from rankbars.data.plainreading import from_plain

        spec: Spec = from_plain(dict(values), cls, {})
        return spec


class CorrectionFacts(NamedTuple):
    """What is known of a correction, whatever the data.

    Attributes
    ----------
    promises : bool
        Whether ranks hold at a level; what promises nothing describes.
    strict : str, optional
        What stands behind statements about all models at once, if not the correction itself.
    pairs : {"holm", "bonferroni", "maxt", "none"}, optional
        What adjusts differences of single pairs; none where nothing does.
    one_side : bool
        Whether one end of an interval may have all of the error rate.
    """

    promises: bool = True
    strict: str | None = None
    pairs: Literal["holm", "bonferroni", "maxt", "none"] | None = None
    one_side: bool = False


# Simes counts say how many models are better, not which, and neither does a band: what they leave
# to be said comes from Holm. Resampled rows may err on one side only.
_CORRECTIONS = {
    "holm": CorrectionFacts(pairs="holm"),
    "bonferroni": CorrectionFacts(pairs="bonferroni"),
    "simes": CorrectionFacts(strict="holm", pairs="holm"),
    "maxt": CorrectionFacts(pairs="maxt"),
    "maxt_bootstrap": CorrectionFacts(pairs="maxt", one_side=True),
    "bootstrap_band": CorrectionFacts(promises=False, strict="holm", pairs="holm"),
    "none": CorrectionFacts(promises=False, strict="holm", pairs="none"),
    "e_average": CorrectionFacts(),
}


def correction_facts(name: str) -> CorrectionFacts:
    """What is known of the correction called `name`; one that somebody added is trusted.

    Examples
    --------
    >>> correction_facts("none").promises, correction_facts("simes").strict
    (False, 'holm')
    """
    return _CORRECTIONS.get(name, CorrectionFacts())


def side_level(name: str, scope: str, alpha: float) -> float | None:
    """Error rate of one side of an interval; None where the correction promises nothing."""
    facts = correction_facts(name)
    if not facts.promises:
        return None
    return alpha if scope == "all" or facts.one_side else alpha / 2


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

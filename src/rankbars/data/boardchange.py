"""What changed between two boards, and why; what a submission to a store would change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankbars.data.intervals import Scope

__all__ = [
    "BoardChange",
    "Cause",
    "Finding",
    "ModelChange",
    "PartlyChange",
    "Span",
    "StatedLevel",
    "Submitted",
]

Cause = Literal["own scores", "pool", "interval", "nothing"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class StatedLevel:
    """At which level a board states what it shows first.

    Parameters
    ----------
    guarantee : float, optional
        Probability with which its rank intervals hold; None where it promises nothing.
    approximate : bool
        Whether the level is only nearly held.
    measured_level : float, optional
        How often such statements held in simulations, where the level is approximate.
    scope : {"all", "each"}
        Whether rank intervals hold for all models at once.
    alpha : float
        Error rate of what is said about pairs.
    """

    guarantee: float | None
    approximate: bool
    measured_level: float | None
    scope: Scope
    alpha: float


@dataclass(frozen=True, slots=True)
class ModelChange:
    """One model that stands on both boards.

    Parameters
    ----------
    model : str
        The model.
    cause : {"own scores", "pool", "interval", "nothing"}
        The first that applies: its own scores changed; they did not, but other models or their
        scores did, so that its place among the models of both boards, its score or its observed
        ranks changed; only rank intervals moved; nothing of these.
    tasks : tuple of str
        Tasks on which its own scores changed, came or went.
    place : (int, int)
        Place in the printed order, old and new; 1 is the first.
    score : (float, float)
        Score on what is shown first, old and new; NaN = none.
    ranks : ((int, int), (int, int))
        Rank interval on what is shown first, old and new, as best and worst.
    new_task : ((int, int), (int, int)), optional
        Rank prediction interval on a new task; None unless both boards have one.
    tier : (int, int)
        Tier, old and new.
    """

    model: str
    cause: Cause
    tasks: tuple[str, ...]
    place: Span
    score: tuple[float, float]
    ranks: tuple[Span, Span]
    new_task: tuple[Span, Span] | None
    tier: Span


@dataclass(frozen=True, slots=True)
class PartlyChange:
    """A model that one board or both place by the tasks it has, because it lacks others.

    Parameters
    ----------
    model : str
        The model.
    tasks : tuple of str
        Tasks on which its own scores changed, came or went.
    ranks : ((int, int), (int, int))
        Rank interval, old and new, as best and worst.
    lacking : (int, int)
        How many tasks it lacks, old and new; 0 where it is ranked with all others.
    """

    model: str
    tasks: tuple[str, ...]
    ranks: tuple[Span, Span]
    lacking: Span


@dataclass(frozen=True, slots=True)
class BoardChange:
    """What changed from one board to another.

    Parameters
    ----------
    models : tuple of ModelChange
        Models of both boards, in the order of the new one.
    added_models, removed_models : tuple of str
        Models of one board only, but for those that were retired.
    added_tasks, removed_tasks : tuple of str
        Tasks of one board only, but for those that were retired.
    gained, lost : tuple of (str, str)
        Pairs (better, worse) of models of both boards that only the new board, or only the old
        one, shows to differ.
    options : tuple of (str, str, str)
        Options that differ, with their old and new values.
    leads : (str, str)
        What each board shows first.
    levels : (StatedLevel, StatedLevel), optional
        At which level each board states that.
    new_task_levels : (StatedLevel, StatedLevel), optional
        At which level each board states rank intervals for a new task, if both do.
    versions : (str, str)
        Versions of the package that made the boards.
    renamed_models, renamed_tasks : tuple of (str, str)
        Old and new names of models and tasks of both boards, where the store renamed them.
    retired_models, retired_tasks : tuple of (str, str)
        Models and tasks of the old board that were retired in the store, each with the reason.
    partly : tuple of PartlyChange
        Models of both boards that lack tasks on one of them, and for which something changed.
    """

    models: tuple[ModelChange, ...]
    added_models: tuple[str, ...] = ()
    removed_models: tuple[str, ...] = ()
    added_tasks: tuple[str, ...] = ()
    removed_tasks: tuple[str, ...] = ()
    gained: tuple[tuple[str, str], ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    options: tuple[tuple[str, str, str], ...] = ()
    leads: tuple[str, str] = ("", "")
    levels: tuple[StatedLevel, StatedLevel] | None = None
    new_task_levels: tuple[StatedLevel, StatedLevel] | None = None
    versions: tuple[str, str] = ("", "")
    renamed_models: tuple[tuple[str, str], ...] = ()
    renamed_tasks: tuple[tuple[str, str], ...] = ()
    retired_models: tuple[tuple[str, str], ...] = ()
    retired_tasks: tuple[tuple[str, str], ...] = ()
    partly: tuple[PartlyChange, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether the two boards say the same."""
        return (
            all(change.cause == "nothing" for change in self.models)
            and not (self.added_models or self.removed_models)
            and not (self.added_tasks or self.removed_tasks)
            and not (self.renamed_models or self.renamed_tasks)
            and not (self.retired_models or self.retired_tasks)
            and not (self.gained or self.lost or self.options or self.partly)
            and self.leads[0] == self.leads[1]
        )

    def caused_by(self, cause: Cause) -> tuple[ModelChange, ...]:
        """The changes with this cause, in the order of the new board."""
        return tuple(change for change in self.models if change.cause == cause)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was found out about a submission.

    Parameters
    ----------
    level : {"fault", "warning"}
        A fault keeps the submission out; a warning is for a person to look at.
    code : str
        Stable short name, listed on the documentation page *Submissions*.
    message : str
        What was found, and what to do.
    """

    level: Literal["fault", "warning"]
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Submitted:
    """A submission to a store, examined.

    Parameters
    ----------
    store : str
        The store.
    files : tuple of str
        Files that are new to it, or have changed.
    models, tasks : tuple of str
        Models and tasks that they hold results of.
    findings : tuple of Finding
        Faults first.
    ranks : tuple of (str, (int, int) or None, (int, int) or None)
        Models of the submission and those whose interval changes, each with its rank interval
        before and after, as best and worst; None where a model has none.
    first : (tuple of str, tuple of str)
        Models that may be first, before and after.
    change : BoardChange, optional
        What would change on the board; None where nothing could be ranked before or after.
    lead : {"task", "aggregate", "new_task"}
        What the ranks are about.
    level : StatedLevel, optional
        At which level they are stated; None where nothing could be ranked.
    added : bool
        Whether it was added.
    """

    store: str
    files: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()
    ranks: tuple[tuple[str, Span | None, Span | None], ...] = ()
    first: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    change: BoardChange | None = None
    lead: str = ""
    level: StatedLevel | None = None
    added: bool = False

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What keeps the submission out."""
        return tuple(one for one in self.findings if one.level == "fault")

    @property
    def ok(self) -> bool:
        """Whether it has no fault."""
        return not self.faults

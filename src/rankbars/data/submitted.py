"""What was found out about a submission to a store, and what it would change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rankbars.data.boardchange import BoardChange, Span

__all__ = ["Finding", "Submitted"]


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
    alpha : float
        Error rate of the rank intervals.
    scope : {"all", "each"}
        Whether they hold for all models at once.
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
    alpha: float = 0.05
    scope: str = "all"
    added: bool = False

    @property
    def faults(self) -> tuple[Finding, ...]:
        """What keeps the submission out."""
        return tuple(one for one in self.findings if one.level == "fault")

    @property
    def ok(self) -> bool:
        """Whether it has no fault."""
        return not self.faults

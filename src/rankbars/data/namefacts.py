"""What a store was told of names: what a model or a task is called now, and what is retired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["NameFact", "NameKind"]

NameKind = Literal["model", "task"]


@dataclass(frozen=True, slots=True)
class NameFact:
    """What is known of one name.

    Parameters
    ----------
    kind : {"model", "task"}
        What has the name.
    name : str
        The name that the results have.
    called : str
        What it is called; the name itself, where it was not renamed.
    retired : bool
        Whether it is left out of boards.
    reason : str
        Why it is retired.
    since : str
        When this was said, in UTC.
    """

    kind: NameKind
    name: str
    called: str
    retired: bool
    reason: str
    since: str

"""What is known of results beside their scores: of each task, and of what was read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rankbars.calls import check_name, check_number
from rankbars.data.evidence import Coverage
from rankbars.errors import OptionError

if TYPE_CHECKING:
    from rankbars.data.peoplelabels import JudgeUse

__all__ = ["Input", "TaskInfo"]

Direction = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Input:
    """One thing that was read: its path, the format it was read as, and its digest."""

    path: str
    format: str
    sha256: str


@dataclass(frozen=True, slots=True)
class TaskInfo:
    """What is known about a task besides the scores.

    Parameters
    ----------
    category, family, metric : str, optional
        Group of similar tasks; group of tasks that share a source; name of the measure.
    weight : float
        Weight of the task in an average, 0 or more.
    direction : {"higher", "lower"}
        Which side was better in the input. Scores are stored so that higher is better:
        for ``"lower"`` they were negated at the door.
    minimum, maximum : float, optional
        Declared limits of the score, in the units and direction of the input.
    coverage : Coverage, optional
        Scored, unscored, failed and missing rows per model of the task.
    chance : float, optional
        Declared score of guessing, in the units and direction of the input.
    grouped : bool
        Whether the tasks of a family count as one in every average; see `Scores.group_tasks`.
    group : str, optional
        Group of the task in the report of the tool that ran it. Its tasks count as one in an
        average, unless weights, families or groups are declared.
    pooled : bool
        Whether tasks count in that group by their number of rows, or the same.
    judge : JudgeUse, optional
        What came of the judges of its labels; see `rankbars.with_judge`.
    settings : mapping from (str, str) to str
        What the input says of the task as all of its models were given it, such as the number of
        examples: by what it is, and in which context it is compared.
    """

    category: str | None = None
    family: str | None = None
    metric: str | None = None
    weight: float = 1.0
    direction: Direction = "higher"
    minimum: float | None = None
    maximum: float | None = None
    coverage: Coverage | None = field(default=None, compare=False)
    chance: float | None = None
    grouped: bool = False
    group: str | None = None
    pooled: bool = True
    judge: JudgeUse | None = field(default=None, compare=False)
    settings: Mapping[tuple[str, str], str] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_name("direction", self.direction, ("higher", "lower"))
        object.__setattr__(self, "weight", check_number("weight of a task", self.weight, 0.0))
        for what in ("category", "family", "metric", "group"):
            value = getattr(self, what)
            if value is not None and not isinstance(value, str):
                raise OptionError.out_of_range(f"{what} of a task", value, "a name, or None")
        for what in ("minimum", "maximum", "chance"):
            value = getattr(self, what)
            if value is not None:
                checked = check_number(f"{what} of a task", value, infinite=True)
                object.__setattr__(self, what, checked)
        low = -math.inf if self.minimum is None else self.minimum
        high = math.inf if self.maximum is None else self.maximum
        if not low < high:
            raise OptionError(
                f"The minimum of a task must lie below its maximum; got {low!r} and {high!r}."
            )

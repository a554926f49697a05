"""``--composite`` and ``--task-correlation``: several tasks as one, with declared weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from rankbars.cli.options import collect_options

if TYPE_CHECKING:
    from rankbars.data.scores import Scores

__all__ = ["Composite", "composite_options"]

_Weighted = tuple[str, float, tuple[float, float] | None]
"""A task, its weight, and which scores count as 0 and as 1."""
_Correlations = tuple[tuple[str, float], ...]
"""Two names with a comma between them, and a number."""


def _read_parts(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[_Weighted, ...]:
    """``TASK=WEIGHT`` or ``TASK=WEIGHT:WORST:BEST``; the name is all before the last ``=``."""
    found: list[_Weighted] = []
    for value in values:
        name, _, text = value.rpartition("=")
        try:
            numbers = [float(one) for one in text.split(":")]
        except ValueError:
            numbers = []
        if not name or len(numbers) not in (1, 3):
            raise click.BadParameter(
                f"{value!r} must look like TASK=WEIGHT or TASK=WEIGHT:WORST:BEST, such as "
                "quality=0.8 or seconds=0.2:10:0.",
                ctx,
                param,
            )
        if name in (one[0] for one in found):
            raise click.BadParameter(f"{name!r} is named twice; keep one of them.", ctx, param)
        found.append((name, numbers[0], (numbers[1], numbers[2]) if len(numbers) == 3 else None))
    return tuple(found)


def _read_correlations(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> _Correlations:
    found = []
    for value in values:
        names, _, text = value.rpartition("=")
        try:
            found.append((names, float(text)))
        except ValueError:
            names = ""
        if "," not in names:
            raise click.BadParameter(
                f"{value!r} must look like TASK,TASK=R, such as math,physics=0.4.", ctx, param
            )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Composite:
    """The tasks that are ranked as one, with their weights; none: every task for itself."""

    parts: tuple[_Weighted, ...]
    correlations: _Correlations

    def of(self, scores: Scores) -> Scores:
        """The one task that the parts make; the scores themselves where there are none.

        Raises
        ------
        click.UsageError
            If there are correlations alone, or one of them does not name two of the parts.
        """
        if self.parts:
            return _compose(scores, self.parts, self.correlations)
        if self.correlations:
            raise click.UsageError("--task-correlation is of the tasks of --composite; name them.")
        return scores


composite_options = collect_options(
    Composite,
    "composite",
    (
        click.option(
            "--composite", "parts", metavar="TASK=WEIGHT[:WORST:BEST]", multiple=True,
            callback=_read_parts,
            help="Rank the weighted sum of several tasks, such as metrics of the same answers "
            "(read with --column task=metric): summed item by item, or from standard errors. WORST "
            "and BEST are the scores that count as 0 and as 1. Declare them before looking, one "
            "option per task; other tasks are left out.",
        ),
        click.option(
            "--task-correlation", "correlations", metavar="TASK,TASK=R", multiple=True,
            callback=_read_correlations,
            help="With --composite of published scores with errors: the correlation of the errors "
            "on two tasks, 0 where none is named. Repeat for more.",
        ),
    ),
)  # fmt: skip


def _compose(scores: Scores, parts: tuple[_Weighted, ...], correlations: _Correlations) -> Scores:
    from rankbars.steps.composites import Part, composite

    weighted = {name: Part(weight, scale) for name, weight, scale in parts}
    declared = {}
    for names, value in correlations:
        # Names of tasks may hold commas themselves.
        cuts = [at for at, letter in enumerate(names) if letter == ","]
        pairs = [(names[:at].strip(), names[at + 1 :].strip()) for at in cuts]
        known = [pair for pair in pairs if pair[0] in weighted and pair[1] in weighted]
        if len(known) != 1:
            raise click.UsageError(
                f"--task-correlation {names}={value:g} must name two tasks of --composite: "
                f"{', '.join(weighted)}."
            )
        one, other = known[0]
        if (one, other) in declared or (other, one) in declared:
            raise click.UsageError(f"--task-correlation names {one!r} and {other!r} twice.")
        declared[one, other] = value
    return composite(scores, weighted, declared)

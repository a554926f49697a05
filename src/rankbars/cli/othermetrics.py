"""Metrics beside the one that ranks, ``--also`` and ``--cost``; several as one, ``--composite``."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from rankbars.cli.options import collect_options, named_values, one_cost
from rankbars.cli.outputs import STANDARD, say
from rankbars.cli.readingoptions import Reading

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard
    from rankbars.data.boardparts import OtherOrder
    from rankbars.data.scores import Scores
    from rankbars.data.spec import Spec

__all__ = [
    "Composite",
    "OtherMetrics",
    "composite_options",
    "other_metrics_options",
    "say_side",
]


class OtherMetrics(NamedTuple):
    """What stands beside the scores: orders by other metrics, and what models cost."""

    also: tuple[str, ...]
    cost: str | None
    prices: str | None

    def __bool__(self) -> bool:
        return bool(self.also or self.cost or self.prices)

    def refuse(
        self, inputs: tuple[str, ...], spec: Spec, *, hold_out: bool, composite: bool
    ) -> None:
        """Refuse what does not go together."""
        if composite and (self.also or self.cost is not None):
            raise click.UsageError(
                "--composite makes one metric of several, and --also and --cost ask for another "
                "one beside it. Leave them out."
            )
        if self.also and (STANDARD in inputs or hold_out):
            raise click.UsageError(
                "--also reads the results again, which standard input and --hold-out do not allow."
            )
        if self.cost is None and self.prices is None:
            return
        if self.cost is not None and self.prices is not None:
            raise click.UsageError("--cost and --prices are two kinds of costs: give one of them.")
        if hold_out:
            raise click.UsageError("Costs go with the board of all tasks: leave out --hold-out.")
        if self.cost is not None and STANDARD in inputs:
            raise click.UsageError("--cost reads the results again, which standard input cannot.")
        if self.cost is not None and spec.missing_items == "fail":
            raise click.UsageError(
                "A missing score can count as a failure, but a missing cost is not 0: give "
                "--prices with a cost per model, or another --missing."
            )

    def reading(self, reading: Reading, metric: str | None = None) -> Reading:
        """The reading of the scores, or of a metric beside them, without what is said of others."""
        if (self.cost, "higher") in reading.direction:
            raise click.UsageError(
                f"--cost {self.cost} is paid, so that less is better: leave out --direction "
                f"{self.cost}=higher, or name it with --also."
            )
        beside = {*self.also, self.cost} - {metric, *reading.metric}
        sides = tuple(side for side in reading.direction if side[0] not in beside)
        if metric is None:
            return replace(reading, direction=sides)
        columns = tuple(one for one in reading.columns if one[0] != "score")
        return replace(reading, metric=(metric,), columns=columns, direction=sides)

    def on_board(
        self,
        board: Leaderboard,
        scores: Scores,
        rank_by: Callable[[str], Leaderboard],
        costs_by: Callable[[str], Scores],
    ) -> Leaderboard:
        """The board with its models' ranks by other metrics, and its front of score and cost."""
        orders = (_other_order(board, metric, rank_by(metric)) for metric in self.also)
        board = replace(board, also=tuple(orders)) if self.also else board
        if self.cost is None and self.prices is None:
            return board
        from rankbars.costs import add_costs

        if self.cost is not None:
            return add_costs(board, scores, costs_by(self.cost), metric=self.cost)
        metric, known = _read_prices(str(self.prices))
        return add_costs(board, scores, known, metric=metric)


def say_side(metric: str, scores: Scores, *, quiet: bool) -> None:
    """Say which side of a metric of ``--also`` is taken to be better, unless it was declared."""
    if quiet:
        return
    for note in scores.notes:
        if note.code == "direction" and "(declared)" not in note.message:
            told = note.message.replace(
                "--direction lower", f"--direction {shlex.quote(metric)}=lower"
            )
            say(f"--also {metric}: {told}")


def _once_each(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    return tuple(dict.fromkeys(values))


other_metrics_options = collect_options(
    OtherMetrics,
    "others",
    (
        click.option(
            "--also", metavar="METRIC", multiple=True, callback=_once_each,
            help="Another metric of the same results, whose order stands beside: --metric pass@1 "
            "--also pass^4. Repeat for more.",
        ),
        click.option(
            "--cost", metavar="METRIC", multiple=True, callback=one_cost,
            help="A metric of the same results that is paid, such as cost_usd: which models may be "
            "the best for the money, score and cost paired by item.",
        ),
        click.option(
            "--prices", metavar="FILE", multiple=True, callback=one_cost,
            help="The same with one known cost per model: CSV, JSON or YAML with model and cost.",
        ),
    ),
)  # fmt: skip


def _read_prices(path: str) -> tuple[str, dict[str, float]]:
    """What the costs are called, and one per model."""
    from rankbars.cli.taskfiles import read_number, read_task_file

    found = read_task_file(path)
    # The head of a table names the cost.
    metric = found.pop("model", None) or found.pop("Model", Path(path).stem)
    return metric, {
        model: read_number(path, "cost", repr(model), text) for model, text in found.items()
    }


def _other_order(board: Leaderboard, metric: str, other: Leaderboard) -> OtherOrder:
    """The ranks of a board by another metric, for the models of the first."""
    import numpy as np

    from rankbars.data.boardparts import OtherOrder
    from rankbars.errors import DataError
    from rankbars.tables.metrics import is_trial_metric

    if other.models != board.models:
        lacking = sorted(set(board.models) ^ set(other.models))
        raise DataError(
            f"--also {metric} ranks other models: {', '.join(lacking[:5])} stand on one of the two "
            "boards only. Choose models that both have, with --models."
        )
    if not is_trial_metric(metric) and np.array_equal(other.score, board.score, equal_nan=True):
        raise DataError(
            f"--also {metric} gives the scores of the board again: the results hold no other "
            "metric of this name. Metrics of several answers are pass@K, pass^K, majority@K and "
            "best@K."
        )
    score = other.score
    if other.lead == "task":
        score = next(iter(other.tasks.values())).mean
    elif other.aggregate is not None:
        score = other.aggregate.score
    return OtherOrder(board.models, metric, score, other.ranks.best, other.ranks.worst)


def _numbers(text: str) -> tuple[float, ...]:
    """A weight, alone or with the scores that count as 0 and as 1."""
    numbers = tuple(float(one) for one in text.split(":"))
    if len(numbers) not in (1, 3):
        raise ValueError
    return numbers


class Composite(NamedTuple):
    """The tasks that are ranked as one, with their weights; none: every task for itself."""

    parts: tuple[tuple[str, tuple[float, ...]], ...]
    correlations: tuple[tuple[str, float], ...]

    def of(self, scores: Scores) -> Scores:
        """The one task that the parts make; the scores themselves where there are none.

        Raises
        ------
        click.UsageError
            If there are correlations alone, or one of them does not name two of the parts.
        """
        if self.parts:
            return _compose(self, scores)
        if self.correlations:
            raise click.UsageError("--task-correlation is of the tasks of --composite; name them.")
        return scores


composite_options = collect_options(
    Composite,
    "composite",
    (
        click.option(
            "--composite", "parts", metavar="TASK=WEIGHT[:WORST:BEST]", multiple=True,
            callback=named_values(
                "look like TASK=WEIGHT or TASK=WEIGHT:WORST:BEST, such as quality=0.8 or "
                "seconds=0.2:10:0", _numbers,
            ),
            help="Rank the weighted sum of several tasks, such as metrics of the same answers "
            "(read with --column task=metric): summed item by item, or from standard errors. WORST "
            "and BEST are the scores that count as 0 and as 1. Declare them before looking, one "
            "option per task; other tasks are left out.",
        ),
        click.option(
            "--task-correlation", "correlations", metavar="TASK,TASK=R", multiple=True,
            callback=named_values("look like TASK,TASK=R, such as math,physics=0.4", float),
            help="With --composite of published scores with errors: the correlation of the errors "
            "on two tasks, 0 where none is named. Repeat for more.",
        ),
    ),
)  # fmt: skip


def _compose(composed: Composite, scores: Scores) -> Scores:
    from rankbars.steps.composites import Part, composite

    weighted = {
        name: Part(weight, (ends[0], ends[1]) if ends else None)
        for name, (weight, *ends) in composed.parts
    }
    declared = {}
    for names, value in composed.correlations:
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

"""Metrics beside the one that ranks: ``--also``, ``--cost`` and ``--prices``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankbars.cli.options import collect_options
from rankbars.cli.outputs import STANDARD
from rankbars.cli.readingoptions import Reading

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard
    from rankbars.data.boardparts import OtherOrder
    from rankbars.data.scores import Scores
    from rankbars.data.spec import Spec

__all__ = ["OtherMetrics", "other_metrics_options", "reading_costs"]


@dataclass(frozen=True, slots=True)
class OtherMetrics:
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


def reading_costs(reading: Reading, metric: str) -> Reading:
    """The reading of a cost, of which less is better and whose limits nobody declared."""
    return replace(
        reading, metric=(metric,), score_min=None, score_max=None,
        direction=(*reading.direction, (metric, "lower")),
    )  # fmt: skip


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
            "--cost", metavar="METRIC",
            help="A metric of the same results that is paid, such as cost_usd: which models may be "
            "the best for the money, score and cost paired by item.",
        ),
        click.option(
            "--prices", metavar="FILE",
            help="The same with one known cost per model: CSV, JSON or YAML with model and cost.",
        ),
    ),
)  # fmt: skip


def _read_prices(path: str) -> tuple[str, dict[str, float]]:
    """What the costs are called, and one per model."""
    from rankbars.cli.taskfiles import read_task_file
    from rankbars.errors import ReadError

    found = read_task_file(path)
    # The head of a table names the cost.
    metric = found.pop("model", None) or found.pop("Model", Path(path).stem)
    prices = {}
    for model, text in found.items():
        try:
            prices[model] = float(text)
        except ValueError:
            raise ReadError.at(
                path, f"the cost of {model!r} must be a number; found {text!r}."
            ) from None
    return metric, prices


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

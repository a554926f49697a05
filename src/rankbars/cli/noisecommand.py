"""``rankbars noise``: where the errors of repeated answers come from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.options import (
    alpha_option,
    inputs_argument,
    json_option,
    models_option,
    named_option,
    quiet_option,
    seed_option,
    tasks_option,
)
from rankbars.cli.outputs import emit, emit_text, output_width
from rankbars.cli.readingoptions import Reading, counting_failures, of_costs, reading_options
from rankbars.cli.targets import check_targets, drawn_bytes, picture_kind
from rankbars.errors import DataError, OptionError, RankbarsError, UnknownOptionError

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard
    from rankbars.data.scores import Scores

__all__ = ["noise_command"]

_HELP = """Say where the ± of repeated answers comes from: items, answers, or whole runs.

For results in which items have several answers (trials, seeds, epochs, prompts; also unequally
many): which part of the variance is items and which is answers, how often two answers to an item
differ, what "mean ± sd over trials" would say, and whether runs as a whole differ. With costs:
whether more items or more trials are worth the money.

\b
  rankbars noise results/
  rankbars noise board.json
  rankbars noise trials.csv --pair new old
  rankbars noise trials.csv --cost-item 5 --cost-trial 0.2 --budget 300
  rankbars noise trials.csv -o noise.svg
"""


@click.command("noise", help=_HELP, short_help="Say where the ± of repeated answers comes from.")
@inputs_argument
@click.option(
    "--pair", nargs=2, metavar="A B", help="Speak of the difference of these two models only."
)
@click.option(
    "--cost-item", type=float, metavar="X", help="What an item costs, however often it is asked."
)
@click.option(
    "--cost-trial", metavar="Y",
    help="What one answer of all compared models to an item costs; or the name of a column, or of "
    "a metric, that holds what each answer cost.",
)  # fmt: skip
@click.option("--budget", type=float, metavar="Z", help="With costs: what may be spent.")
@json_option
@click.option("-o", "--output", metavar="FILE", help="Draw the parts (.svg, .pdf, .png).")
@alpha_option
@named_option(
    "--missing", known=("raise", "pairwise", "listwise", "fail"),
    help="What to do where a model has no score: stop, take the items that it has (if nothing is "
    "said), those that all have, or count it as the lowest score.",
)  # fmt: skip
@seed_option
@models_option
@tasks_option
@reading_options
@quiet_option
def noise_command(
    *,
    inputs: tuple[str, ...],
    pair: tuple[str, str] | None,
    cost_trial: str | None,
    as_json: bool,
    output: str | None,
    missing: str | None,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    reading: Reading,
    quiet: bool,
    **asked: Any,
) -> None:
    """Read, split, print."""
    kind = "" if output is None else picture_kind(output)
    check_targets({"-o": output}, inputs)
    reading = counting_failures(reading, missing)
    import rankbars as rb
    from rankbars.cli.inputs import take_scores
    from rankbars.cli.progress import working

    scores: Scores | Leaderboard
    from_board = _is_board(inputs)
    if from_board:
        scores = _take_board(inputs[0], models, tasks, reading)
        spent = None if cost_trial is None else _plain_cost(cost_trial)
    else:
        scores, _ = take_scores(inputs, reading, models, tasks, quiet=quiet)
        compared = pair or scores.models
        spent = None if cost_trial is None else (
            _cost_of(cost_trial, inputs, reading, compared, scores)
        )  # fmt: skip
    with working("Splitting", quiet=quiet):
        found = rb.noise(scores, pair, cost_trial=spent, missing=missing, **asked)
    if from_board and tasks:
        found = replace(found, tasks={name: found.tasks[name] for name in tasks})
    if output is not None:
        from rankbars.data.drafts import write_bytes
        from rankbars.render.plotting import draw_picture

        write_bytes(output, drawn_bytes(draw_picture("noise", found), kind))
    if as_json:
        emit(found.to_json())
    else:
        emit_text(found.to_text(width=output_width()))


def _is_board(inputs: Sequence[str]) -> bool:
    """Whether the input is a board that was saved, not results."""
    from rankbars.readers.logs.jsontext import top_level_keys

    path = Path(inputs[0])
    if len(inputs) > 1 or not path.is_file() or path.suffix.lower() != ".json":
        return False
    return {"schema", "spec", "tasks", "aggregate"} <= set(top_level_keys(path))


def _take_board(
    path: str, models: Sequence[str], tasks: Sequence[str], reading: Reading
) -> Leaderboard:
    """The board in a file, which is not read anew."""
    import rankbars as rb

    given = (models, reading.columns, reading.direction, reading.metric, reading.where, reading.map,
             reading.rows, reading.filter, reading.reruns, reading.trials)  # fmt: skip
    if any(given):
        raise OptionError(
            f"{path} is a board: of the options that choose, --pair and --tasks go with it. For "
            "others, give the results that it was made of."
        )
    board = rb.load(path)
    for name in tasks:
        if name not in board.tasks or board.tasks[name].noise is None:
            known = (one for one, task in board.tasks.items() if task.noise is not None)
            raise UnknownOptionError.among("task with several answers", name, tuple(known))
    return board


def _plain_cost(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(
            f"--cost-trial {text}: a board keeps no costs of answers. Give a number, or the "
            "results that it was made of."
        ) from None


def _cost_of(
    text: str, inputs: Sequence[str], reading: Reading, models: Sequence[str], scores: Scores
) -> float:
    """A number as it is; else the mean cost of an answer in a column, summed over the models."""
    try:
        return float(text)
    except ValueError:
        total = math.fsum(_mean_of(_read_costs(text, inputs, reading, models), models))
    if math.isnan(total) or total == math.fsum(_mean_of(scores, models)):
        raise DataError(
            f"There is no column or metric {text!r} that says what each answer of {models[0]!r} "
            "and the others cost. Give a number: --cost-trial 2."
        )
    return total


def _read_costs(
    name: str, inputs: Sequence[str], reading: Reading, models: Sequence[str]
) -> Scores:
    """A column of a table, or what a tool calls so."""
    from rankbars.cli.inputs import read_scores

    metric = of_costs(reading, name)
    try:
        column = replace(metric, columns=(*metric.columns, ("score", name)), metric=())
        return read_scores(inputs, column, models=models)
    except RankbarsError:
        return read_scores(inputs, metric, models=models)


def _mean_of(scores: Scores, models: Sequence[str]) -> list[float]:
    """Mean answer of each model over all tasks, without its sign."""
    import numpy as np

    from rankbars.data.evidence import Items

    sums, numbers = dict.fromkeys(models, 0.0), dict.fromkeys(models, 0.0)
    for evidence in scores.tasks.values():
        if not isinstance(evidence, Items):
            continue
        for name in set(models) & set(evidence.models):
            column = evidence.models.index(name)
            values = np.abs(evidence.values[:, column])
            known = ~np.isnan(values)
            answers = known if evidence.answers is None else evidence.answers[:, column]
            sums[name] += float((values * answers)[known].sum())
            numbers[name] += float(answers[known].sum())
    return [sums[name] / numbers[name] if numbers[name] else math.nan for name in models]

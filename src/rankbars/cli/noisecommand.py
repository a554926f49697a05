"""``rankbars noise``: where the errors of repeated answers come from."""

from __future__ import annotations

from pathlib import Path

import click

from rankbars.cli.options import (
    Reading,
    alpha_option,
    inputs_argument,
    models_option,
    quiet_option,
    reading_options,
    seed_option,
    tasks_option,
    where_option,
)
from rankbars.cli.outputs import check_targets, emit, emit_text, output_width
from rankbars.cli.stopping import account_for_files
from rankbars.errors import OptionError

__all__ = ["noise_command"]

_HELP = """Say where the ± of repeated answers comes from: items, answers, or whole runs.

For results in which items have several answers (trials, seeds, epochs, prompts; also unequally
many): which part of the variance is items and which is answers, how often two answers to an item
differ, what "mean ± sd over trials" would say, and whether runs as a whole differ. With costs:
whether more items or more trials are worth the money.

\b
  rankbars noise results/
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
    "--cost-trial", type=float, metavar="Y",
    help="What one answer of all compared models to an item costs.",
)  # fmt: skip
@click.option("--budget", type=float, metavar="Z", help="With costs: what may be spent.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("-o", "--output", metavar="FILE", help="Draw the parts (.svg, .pdf, .png).")
@alpha_option
@seed_option
@models_option
@tasks_option
@where_option
@reading_options
@quiet_option
def noise_command(
    *,
    inputs: tuple[str, ...],
    pair: tuple[str, str] | None,
    cost_item: float | None,
    cost_trial: float | None,
    budget: float | None,
    as_json: bool,
    output: str | None,
    alpha: float,
    seed: int,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    where: tuple[str, ...],
    reading: Reading,
    quiet: bool,
) -> None:
    """Read, split, print."""
    suffix = "" if output is None else Path(output).suffix.lower().removeprefix(".")
    if output is not None:
        if suffix not in ("svg", "pdf", "png"):
            raise OptionError(f"{output}: the name must end in .svg, .pdf or .png.")
        check_targets({"-o": output}, inputs)
        account_for_files([output])

    import rankbars as rb
    from rankbars.cli.inputs import choose, read_scores, report_reading
    from rankbars.cli.progress import reading_files, working

    with reading_files(quiet=quiet) as progress:
        read = read_scores(inputs, reading, progress=progress, models=models)
    scores = choose(read, models, tasks, where)
    report_reading(scores, quiet=quiet)
    with working("Splitting", quiet=quiet):
        found = rb.noise(
            scores, pair, alpha=alpha, cost_item=cost_item, cost_trial=cost_trial, budget=budget,
            seed=seed,
        )  # fmt: skip
    if output is not None:
        from rankbars.data.drafts import write_bytes
        from rankbars.render.plotting import draw_picture
        from rankbars.render.plotting.style import check_picture, picture_bytes

        check_picture(suffix, drawn=True, projection=None)
        write_bytes(output, picture_bytes(draw_picture("noise", found), suffix))
    if as_json:
        emit(found.to_json())
    else:
        emit_text(found.to_text(width=output_width()))

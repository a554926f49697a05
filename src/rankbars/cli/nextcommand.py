"""``rankbars next``: which votes to ask, and with which probability each pair is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankbars.cli.options import (
    Reading,
    alpha_option,
    models_option,
    named_option,
    quiet_option,
    reading_options,
    seed_option,
    tasks_option,
)
from rankbars.cli.outputs import STANDARD, check_targets, emit, emit_text, say
from rankbars.cli.stopping import account_for_files
from rankbars.data.spec import TIES

if TYPE_CHECKING:
    from rankbars.data.allocation import Allocation

__all__ = ["next_command"]

HELP = """Say which votes to ask next, so that what is undecided gets shorter.

Every vote is on a pair that is drawn with a probability, which stands beside it. Hand it back with
the votes (the column sampling_probability), and ranks hold although earlier results chose the
pairs. A share of the votes is drawn from all pairs alike.

\b
  rankbars next votes.csv --votes 1000 -o ask.csv     a row for each vote to ask
  rankbars next votes/ --votes 1000 --json            every pair with its probability
  rankbars next votes.csv --decide first              who is first, not the whole order
  rankbars next votes.csv --decide 10                 which are the first ten
  rankbars next votes.csv --new gpt-6 --width 0.2     new models first, to ± 0.2
"""


@click.command("next", help=HELP, short_help="Say which votes to ask next.")
@click.argument("inputs", metavar="INPUT...", nargs=-1, required=True)
@click.option(
    "--votes", "number", type=int, default=1000, show_default=True, metavar="N",
    help="How many votes to ask.",
)  # fmt: skip
@click.option(
    "--decide", metavar="WHAT", default="order", show_default=True,
    help="What the votes are for: order, first (who is first), or a number K (which are the first "
    "K).",
)  # fmt: skip
@click.option(
    "--width", type=float, metavar="X",
    help="First the models whose own 95 % interval is wider than plus or minus this, in log odds; "
    "0.2 is 35 points of Elo.",
)  # fmt: skip
@click.option(
    "--new", metavar="MODEL", multiple=True, help="A model without any vote. Repeat for more."
)
@click.option(
    "--even", type=float, default=0.2, show_default=True, metavar="SHARE",
    help="Share of the votes that is drawn from all pairs alike, from 0.1 to 1.",
)  # fmt: skip
@named_option(
    "--ties", known=TIES, default="half", show_default=True,
    help="What a tie is, as for rank.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("-o", "--output", metavar="FILE", help="Write a row for each vote to ask, as CSV.")
@alpha_option
@models_option
@tasks_option
@seed_option
@reading_options
@quiet_option
def next_command(
    *,
    inputs: tuple[str, ...],
    number: int,
    decide: str,
    width: float | None,
    new: tuple[str, ...],
    even: float,
    ties: str,
    as_json: bool,
    output: str | None,
    alpha: float,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    seed: int,
    reading: Reading,
    quiet: bool,
) -> None:
    """Read, allocate, print."""
    if output is not None:
        check_targets({"--output": output}, inputs)
        account_for_files([output])
    if output == STANDARD and as_json:
        raise click.UsageError("--json and -o - both go to standard output; choose one.")
    import rankbars as rb
    from rankbars.cli.inputs import choose, read_scores, report_reading
    from rankbars.cli.progress import reading_files, working
    from rankbars.data.drafts import write_text

    with reading_files(quiet=quiet) as progress:
        read = read_scores(inputs, reading, progress=progress)
    scores = choose(read, models, tasks, reading.patterns)
    report_reading(scores, quiet=quiet)
    with working("Allocating", quiet=quiet):
        found = rb.allocate(
            scores, number, decide=int(decide) if decide.isdecimal() else decide, width=width,
            new=new, even=even, alpha=alpha, votes=rb.VoteOptions(ties=ties), seed=seed,
        )  # fmt: skip
    if output == STANDARD:
        emit(found.to_csv())
        return
    if output is not None:
        write_text(output, found.to_csv())
    if as_json:
        emit(found.to_json() + "\n")
    else:
        emit_text(_in_words(found))
    if output is not None and not quiet:
        say(f"Wrote {output}.")


_SHOWN = 10


def _in_words(found: Allocation) -> str:
    """What is undecided, and the pairs that are asked most."""
    goal = {"order": "the whole order", "first": "who is first"}.get(
        found.goal, f"the first {found.goal.removeprefix('top ')}"
    )
    lines = [f"{found.votes:,} votes to ask, about {goal}."]
    if found.undecided:
        names = ", ".join(found.undecided[:_SHOWN])
        more = len(found.undecided) - _SHOWN
        lines.append(
            f"Undecided: {len(found.undecided)} of {len(found.models)} models: {names}"
            + (f", and {more} more." if more > 0 else ".")
        )
    else:
        lines.append("Nothing of it is undecided; pairs are drawn alike.")
    if found.new:
        lines.append(
            f"{found.for_new:,} of the votes are for models that are hardly known: "
            f"{', '.join(found.new)}."
        )
    order = sorted(range(found.first.size), key=lambda k: -found.probability[k])[:_SHOWN]
    lines += ["", "Pairs that are asked most, with their probability:"]
    for k in order:
        one, other = found.models[found.first[k]], found.models[found.second[k]]
        lines.append(f"  {found.probability[k]:.4f}  {one} – {other}")
    least = float(found.probability.min())
    lines += [
        "",
        f"The least likely pair has {least:.2g}. Keep the probability of each vote in a column "
        "sampling_probability; rank",
        "them with --pairing adaptive --anytime.",
    ]
    return "\n".join(lines) + "\n"

"""``rankbars next``: which votes or labels to ask, and with which probability each is drawn."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.options import (
    alpha_option,
    json_option,
    missing_inputs,
    models_option,
    named_option,
    quiet_option,
    seed_option,
    tasks_option,
)
from rankbars.cli.outputs import STANDARD, emit, emit_text, say
from rankbars.cli.readingoptions import Reading, reading_options
from rankbars.cli.targets import check_targets
from rankbars.data.spec import TIES

if TYPE_CHECKING:
    from rankbars.data.growingvotes import Allocation
    from rankbars.data.peoplelabels import LabelSheet
    from rankbars.data.scores import Scores

__all__ = ["next_command"]

HELP = """Say which votes or labels to ask next, so that what is undecided gets shorter.

Every vote is on a pair that is drawn with a probability, which stands beside it. Hand it back with
the votes (the column sampling_probability), and ranks hold although earlier results chose the
pairs. A share of the votes is drawn from all pairs alike.

\b
  rankbars next votes.csv --votes 1000 -o ask.csv     a row for each vote to ask
  rankbars next votes/ --votes 1000 --json            every pair with its probability
  rankbars next votes.csv --decide first              who is first, not the whole order
  rankbars next votes.csv --decide 10                 which are the first ten
  rankbars next votes.csv --new gpt-6 --width 0.2     new models first, to ± 0.2

With --judge it is items that people should label, so that a judge can be held against them: drawn
at random within strata of how sure the judge is, as many of each as its size asks for. What is
written is a sheet to fill in, with the labels so far.

\b
  rankbars next --judge judge.csv --items 50 -o ask.csv                      the first 50 items
  rankbars next --labels human.csv --judge judge.csv --items 50 -o more.csv  50 more
"""


@click.command("next", help=HELP, short_help="Say which votes or labels to ask next.")
@click.argument("inputs", metavar="[INPUT]...", nargs=-1)
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
@click.option(
    "--judge", metavar="FILE", multiple=True,
    help="Scores by a judge of all items, of which people are to label some. Repeat for several.",
)  # fmt: skip
@click.option(
    "--labels", metavar="FILE",
    help="With --judge: labels so far, of items that were drawn at random.",
)  # fmt: skip
@click.option(
    "--items", type=int, default=50, show_default=True, metavar="N",
    help="With --judge: how many items to label.",
)  # fmt: skip
@click.option(
    "--strata", type=int, default=5, show_default=True, metavar="N",
    help="With --judge: in how many groups the items of a task are put by how sure it is.",
)  # fmt: skip
@named_option(
    "--ties", known=TIES, default="half", show_default=True,
    help="What a tie is, as for rank.",
)  # fmt: skip
@json_option
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
    judge: tuple[str, ...],
    labels: str | None,
    items: int,
    strata: int,
    ties: str,
    as_json: bool,
    output: str | None,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    seed: int,
    reading: Reading,
    quiet: bool,
    **asked: Any,
) -> None:
    """Read, allocate, print."""
    _refuse_mixture(inputs, judge, labels)
    check_targets({"--output": output}, [*inputs, *judge, *([] if labels is None else [labels])])
    if output == STANDARD and as_json:
        raise click.UsageError("--json and -o - both go to standard output; choose one.")
    import rankbars as rb
    from rankbars.cli.inputs import take_scores
    from rankbars.cli.progress import working

    def take(*paths: str) -> Scores:
        return take_scores(paths, reading, models, tasks, quiet=quiet, beside=bool(judge))[0]

    if judge:
        known = None if labels is None else take(labels)
        sheet = rb.ask_labels(
            *map(take, judge), number=items, labels=known, strata=strata, seed=seed
        )
        _write(sheet, _sheet_in_words(sheet), output, as_json=as_json, quiet=quiet)
        return
    scores = take(*inputs)
    with working("Allocating", quiet=quiet):
        found = rb.allocate(
            scores, number, decide=int(decide) if decide.isdecimal() else decide,
            votes=rb.VoteOptions(ties=ties), seed=seed, **asked,
        )  # fmt: skip
    _write(found, _in_words(found), output, as_json=as_json, quiet=quiet)


def _refuse_mixture(inputs: tuple[str, ...], judge: tuple[str, ...], labels: str | None) -> None:
    """Votes are asked from INPUT, labels with --judge."""
    if judge and inputs:
        raise click.UsageError(
            f"--judge asks for labels, and {inputs[0]} would be votes. Labels so far are named by "
            "--labels FILE."
        )
    if labels is not None and not judge:
        raise click.UsageError("--labels needs the judge whose items are labelled: --judge FILE.")
    if STANDARD in (*judge, labels):
        raise click.UsageError("Labels and judge are read from files, not from standard input.")
    if not inputs and not judge:
        raise missing_inputs()


def _write(
    found: Allocation | LabelSheet, words: str, output: str | None, *, as_json: bool, quiet: bool
) -> None:
    from rankbars.data.drafts import write_text

    if output == STANDARD:
        emit(found.to_csv())
        return
    if output is not None:
        write_text(output, found.to_csv())
    if as_json:
        emit(found.to_json() + "\n")
    else:
        emit_text(words)
    if output is not None and not quiet:
        say(f"Wrote {output}.")


def _sheet_in_words(sheet: LabelSheet) -> str:
    """How many items of each stratum are to be labelled."""
    before = f" {len(sheet.labelled):,} are labelled." if sheet.labelled else ""
    lines = [f"{len(sheet.asked):,} items to label, for {len(sheet.models)} models each.{before}"]
    lines += ["", "Strata, by how sure the judge is (1: least), and the share that is labelled:"]
    counts = Counter((one.task, one.stratum) for one in sheet.asked)
    shares = {(one.task, one.stratum): one.probability for one in (*sheet.asked, *sheet.labelled)}
    lines += [
        f"  {task}, {stratum}: {counts[task, stratum]:,} to label, {share:.4f}"
        for (task, stratum), share in sorted(shares.items())
    ]
    lines += [
        "",
        "Label all of them, whatever the judge says of them; then rank with --labels and --judge.",
    ]
    return "\n".join(lines) + "\n"


_SHOWN = 10


def _in_words(found: Allocation) -> str:
    """What is undecided, and the pairs that are asked most."""
    from rankbars.render.notation import show_level

    goal = {"order": "the whole order", "first": "who is first"}.get(
        found.goal, f"the first {found.goal.removeprefix('top ')}"
    )
    lines = [f"{found.votes:,} votes to ask, about {goal}."]
    level = "approximate" if found.approximate else show_level(found.alpha)
    if found.undecided:
        names = ", ".join(found.undecided[:_SHOWN])
        more = len(found.undecided) - _SHOWN
        lines.append(
            f"Undecided ({level}): {len(found.undecided)} of {len(found.models)} models: {names}"
            + (f", and {more} more." if more > 0 else ".")
        )
    else:
        lines.append(f"Nothing of it is undecided ({level}); pairs are drawn alike.")
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

"""``rankbars plot``: pictures of a board for paper."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankbars.cli.outputs import check_targets
from rankbars.cli.stopping import account_for_files
from rankbars.errors import DataError, OptionError, UnknownOptionError

if TYPE_CHECKING:
    from rankbars.data.scores import Scores
    from rankbars.data.votes import Votes
    from rankbars.render.plotting import Picture, Subject

__all__ = ["plot_command"]

HELP = """Draw a picture of a board file, in a style for print.

\b
KIND is one of
  ranks             rank intervals on what the board shows first
  new_task          rank intervals on a new task
  task_ranks        rank intervals on one task (--task NAME)
  model_ranks       rank intervals of one model on each task (--model NAME)
  lanes             scores, with bars over models that were not told apart
  heatmap           rank interval of each model on each task
  scores            score of each model on each task
  score_rank        score beside rank interval
  widths            how well each task separates the models
  shown_better      who was shown better than whom
  order             the same as a diagram (Hasse)
  rank_probability  probability of each rank on average
  dominance         probability that one model is better than another
  weights           winner by weights of three categories of tasks
  ratings           strengths from votes
  left_out          would the other tasks have foreseen each task?
  sensitivity       how much may a new source of tasks differ?

Two take a table of votes in place of a board: votes_per_pair (how often each two models met) and
vote_health (votes needed to tell neighbours apart).
The suffix of the file says what is written: .svg, .pdf or .png.

\b
  rankbars plot board.json ranks -o ranks.pdf
  rankbars plot board.json task_ranks --task math -o math.svg
  rankbars plot votes.parquet votes_per_pair -o votes.png
"""


@click.command("plot", help=HELP, short_help="Draw a picture of a board for paper.")
@click.argument("source", metavar="BOARD")
@click.argument("kind", metavar="KIND")
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to write the picture.")
@click.option("--task", metavar="NAME", help="The task that is drawn, or one of several.")
@click.option("--model", metavar="NAME", help="The model that is drawn.")
def plot_command(
    *, source: str, kind: str, output: str, task: str | None, model: str | None
) -> None:
    """Load, draw, write."""
    suffix = Path(output).suffix.lower().removeprefix(".")
    if suffix not in ("svg", "pdf", "png"):
        raise OptionError(f"{output}: the name must end in .svg, .pdf or .png.")
    check_targets({"-o": output}, [source])
    account_for_files([output])

    from rankbars.cli.progress import working
    from rankbars.data.files import write_bytes
    from rankbars.render.plotting import PLOTS, draw_picture
    from rankbars.render.plotting.style import check_picture, picture_bytes

    picture = PLOTS.get(kind)
    if picture is None:
        raise UnknownOptionError.among("picture", kind, PLOTS)
    named = {"task": task, "model": model}
    _check_choice(kind, picture, named)
    check_picture(suffix, drawn=True, projection=picture.projection)
    chosen = named.get(picture.choice or "")
    with working("Drawing"):
        figure = draw_picture(kind, _subject(picture, source, task), chosen)
        content = picture_bytes(figure, suffix)
    write_bytes(output, content)


def _check_choice(kind: str, picture: Picture, named: dict[str, str | None]) -> None:
    if picture.choice is not None and named[picture.choice] is None:
        raise OptionError(f"{kind} draws one {picture.choice}: name it with --{picture.choice}.")
    usable = {picture.choice, "task" if picture.takes in ("votes", "health") else None}
    for name, value in named.items():
        if value is not None and name not in usable:
            raise OptionError(f"{kind} has no {name} to choose: leave --{name} out.")


def _subject(picture: Picture, source: str, task: str | None) -> Subject:
    import rankbars as rb
    from rankbars.cli.boards import load_board

    if picture.takes in ("votes", "health"):
        name, votes = _votes(rb.read(source), source, task)
        if picture.takes == "votes":
            return votes
        return rb.examine_votes(rb.Scores({name: votes}))[name]
    board = load_board(source)
    return rb.diagnose(board) if picture.takes == "diagnosis" else board


def _votes(scores: Scores, source: str, task: str | None) -> tuple[str, Votes]:
    from rankbars.data.votes import Votes

    found = {name: part for name, part in scores.tasks.items() if isinstance(part, Votes)}
    if not found:
        raise DataError(f"{source} holds no votes. This picture is drawn from a table of votes.")
    if task is None and len(found) > 1:
        raise OptionError(
            f"{source} holds votes on {len(found)} tasks ({', '.join(list(found)[:5])}): name one "
            "with --task."
        )
    name = next(iter(found)) if task is None else task
    if name not in found:
        raise UnknownOptionError.among("task", name, found)
    return name, found[name]

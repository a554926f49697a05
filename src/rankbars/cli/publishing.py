"""What boards are published as: pictures, ``rankbars plot``, and a site, ``rankbars site``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from rankbars.calls import check_name
from rankbars.cli.boards import load_board
from rankbars.cli.options import json_option, named_option, quiet_option
from rankbars.cli.outputs import print_files, say
from rankbars.cli.readingoptions import Reading, reading_options
from rankbars.cli.targets import check_targets, drawn_bytes, picture_kind
from rankbars.errors import DataError, OptionError, UnknownOptionError

if TYPE_CHECKING:
    from rankbars.data.scores import Scores
    from rankbars.data.votes import Votes
    from rankbars.render.plotting import Picture, Subject

__all__ = ["plot_command", "site_command"]

_PLOT_HELP = """Draw a picture of a board file, in a style for print.

\b
KIND is one of
  ranks             rank intervals on what the board shows first
  new_task          rank intervals on a new task
  task_ranks        rank intervals on one task (--task NAME)
  model_ranks       rank intervals of one model on each task (--model NAME)
  two_models        the same of two models side by side (--model NAME --model NAME)
  lanes             scores, with bars over models that were not told apart
  heatmap           rank interval of each model on each task
  scores            score of each model on each task
  score_rank        score beside rank interval
  front             score against cost: who may be the best for the money
  score_new_task    score on the left, rank intervals on a new task on the right
  score_spread      scores of each model over the tasks, as boxes with a point per task
  widths            how well each task separates the models
  shown_better      who was shown better than whom
  order             the same as a diagram (Hasse)
  rank_probability  probability of each rank
  dominance         probability that one model is better than another
  weights           winner by weights of three categories of tasks
  ratings           strengths from votes
  left_out          would the other tasks have foreseen each task?
  sensitivity       how much may a new source of tasks differ?

Four take results in place of a board. Of a table of scores: item_spread (scores of each model
over the items, as boxes). Of repeated answers: noise (which part of each error is items, answers,
and whole runs). Of votes: votes_per_pair (how often each two models met) and vote_health (votes
needed to tell neighbours apart). --task NAME is one task of these. How these are read is said as to
`rankbars rank` (--column, --direction, …). Ranks on tasks that were held out are drawn by
`rankbars rank --hold-out N --held-out FILE`.
The suffix of the file says what is written: .svg, .pdf or .png.

\b
  rankbars plot board.json ranks -o ranks.pdf
  rankbars plot board.json task_ranks --task math -o math.svg
  rankbars plot votes.parquet votes_per_pair -o votes.png
  rankbars plot board.json ranks --top 20 --width single -o column.pdf
  rankbars plot board.json lanes --models gpt-4o --models llama-3 -o two.svg

--top and --models choose which models are drawn; their ranks stay those among all models of the
board, and the picture says so. What could not be read is not drawn: the command says what to add.
"""


@click.command("plot", help=_PLOT_HELP, short_help="Draw a picture of a board for paper.")
@click.argument("source", metavar="BOARD")
@click.argument("kind", metavar="KIND")
@click.option("-o", "--output", metavar="FILE", required=True, help="Where to write the picture.")
@click.option("--task", metavar="NAME", help="The task that is drawn, or one of several.")
@click.option(
    "--model",
    "models",
    metavar="NAME",
    multiple=True,
    help="The model that is drawn. Give it twice for two.",
)
@click.option(
    "--models", "chosen", metavar="NAME", multiple=True,
    help="Draw only this model. Repeat for more. Nothing is ranked anew.",
)  # fmt: skip
@click.option("--top", type=int, metavar="N", help="Draw only the first N models.")
@named_option(
    "--sort", known=("score", "rank", "name", "given"), default="score", show_default=True,
    help="The order of the rows: by score as on the page, by rank interval, by name, or as "
    "--models gives them.",
)  # fmt: skip
@click.option(
    "--width", metavar="WIDTH",
    help="Of all that is drawn: single (84 mm, one column of a journal), double (175 mm, both), or "
    "millimetres.  [default: as wide as it needs]",
)  # fmt: skip
@click.option(
    "--dpi", type=click.FloatRange(min=30, max=1200), default=200, show_default=True, metavar="N",
    help="Dots per inch of a .png.",
)  # fmt: skip
@click.option(
    "--title",
    metavar="TEXT",
    help="Drawn above the picture; '' for none.  [default: the title of the board]",
)
@json_option
@reading_options
@quiet_option
def plot_command(
    *,
    source: str,
    kind: str,
    output: str,
    task: str | None,
    models: tuple[str, ...],
    chosen: tuple[str, ...],
    top: int | None,
    sort: str,
    width: str | None,
    dpi: float,
    title: str | None,
    as_json: bool,
    reading: Reading,
    quiet: bool,
) -> None:
    """Load, draw, write."""
    suffix = picture_kind(output)
    check_targets({"-o": output}, [source])

    from rankbars.cli.progress import working
    from rankbars.data.about import About
    from rankbars.data.drafts import write_bytes
    from rankbars.render.plotting import PLOTS, Shown, draw_picture
    from rankbars.render.plotting.fitting import picture_width

    picture = PLOTS.get(kind)
    if picture is None:
        raise UnknownOptionError.among("picture", kind, PLOTS)
    if sort == "given" and not chosen:
        raise OptionError("--sort given is the order of --models: name the models.")
    inches = None if width is None else picture_width(width)
    shown = Shown(chosen or None, top, sort)
    named = _chosen(kind, picture, task, models)
    about = About(title=title)
    subject, order = _subject(picture, source, task, reading, quiet=quiet)
    if order is not None and sort == "score":
        kept = tuple(name for name in order if not chosen or name in chosen)
        missing = [name for name in chosen if name not in order]
        shown = Shown((*kept, *missing), top, "given")
    if title is None:
        about = getattr(subject, "about", None) or about
    with working("Drawing"):
        figure = draw_picture(kind, subject, named, title=about.title, shown=shown, width=inches)
        content = drawn_bytes(figure, suffix, dpi)
    write_bytes(output, content)
    if as_json:
        print_files([output])


_OF_RESULTS = ("noise", "scores", "votes", "health")


def _chosen(
    kind: str, picture: Picture, task: str | None, models: tuple[str, ...]
) -> str | tuple[str, ...] | None:
    """The task, the model or the models that are drawn; raises where they do not fit."""
    if picture.choice == "models":
        if len(set(models)) != 2 or len(models) != 2:
            raise OptionError(f"{kind} draws two models: name them with --model twice.")
    elif len(models) > 1:
        raise OptionError(f"{kind} does not draw several models: give --model once at most.")
    named = {"task": task, "model": models[0] if models else None}
    wanted = "model" if picture.choice == "models" else picture.choice
    if wanted is not None and named[wanted] is None:
        raise OptionError(f"{kind} draws one {wanted}: name it with --{wanted}.")
    usable = {wanted, "task" if picture.takes in _OF_RESULTS else None}
    for name, value in named.items():
        if value is not None and name not in usable:
            raise OptionError(f"{kind} has no {name} to choose: leave --{name} out.")
    return models if picture.choice == "models" else named.get(wanted or "")


def _subject(
    picture: Picture, source: str, task: str | None, reading: Reading, *, quiet: bool
) -> tuple[Subject, tuple[str, ...] | None]:
    """What is drawn, and the order of its models where it does not hold any."""
    import rankbars as rb
    from rankbars.cli.inputs import take_scores

    if picture.takes in _OF_RESULTS:
        read, _ = take_scores([source], reading, quiet=quiet)
        if picture.takes in ("noise", "scores"):
            scores = read if task is None else read.select(tasks=[task])
            return (rb.noise(scores) if picture.takes == "noise" else scores), None
        name, votes = _votes(read, source, task)
        if picture.takes == "votes":
            return votes, None
        return rb.examine_votes(rb.Scores({name: votes}))[name], None
    if picture.takes == "held_out":
        raise OptionError(
            "A board does not keep tasks that were held out: rank the results again with "
            "--hold-out N --held-out FILE."
        )
    given = _chosen_reading()
    if given:
        raise OptionError(
            f"{given.lstrip('-')!r} is an option for reading results, and this picture is drawn of "
            "a board. Give it to rankbars rank, and draw the board that it writes (-o board.json)."
        )
    board = load_board(source)
    if picture.takes == "diagnosis":
        return rb.diagnose(board), tuple(board.models[i] for i in board.order)
    return board, None


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
    check_name("task", name, found)
    return name, found[name]


def _chosen_reading() -> str:
    """The first option of the present command that says how inputs are read; empty if none was."""
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        typed = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if typed and name in Reading.__dataclass_fields__:
            return parameter.opts[0]
    return ""


_SITE = """Make a public leaderboard of one YAML file: a folder of pages that works on any host.

CONFIG names the results (files, or a store), a title, and what else the site should have: boards
per category, attributes of models, earlier boards, two colours. Only what has changed since the
last time is ranked and written, and files that were not made by this command are left alone.

\b
  rankbars site site.yaml -o public
"""


@click.command("site", help=_SITE, short_help="Make a public leaderboard: a folder of pages.")
@click.argument("config", metavar="CONFIG")
@click.option(
    "-o", "--output", metavar="FOLDER", default="public", show_default=True,
    help="Folder of the site; made where there is none.",
)  # fmt: skip
@click.option(
    "--whole", is_flag=True,
    help="Rank and make everything anew. The files are the same; use it after a doubt.",
)  # fmt: skip
@click.option("--jobs", type=int, default=1, show_default=True, help="Workers; -1 for all cores.")
@json_option
@quiet_option
def site_command(
    *, config: str, output: str, whole: bool, jobs: int, as_json: bool, quiet: bool
) -> None:
    """Read the configuration, build, say what was done."""
    from rankbars.cli.backends import Workers
    from rankbars.cli.progress import counting
    from rankbars.publication import build_site
    from rankbars.readers.sitefile import read_site

    Workers(jobs=jobs).check()
    plan = read_site(config)
    with counting("Ranking", "board", then="Writing pages", quiet=quiet) as progress:
        built = build_site(plan, output, whole=whole, n_jobs=jobs, progress=progress)
    if as_json:
        print_files(
            built.written, removed=built.removed, kept=built.kept, ranked=built.ranked,
            said=built.said,
        )  # fmt: skip
        return
    for line in built.lacking if quiet else built.said:
        say(line)
    if quiet:
        return
    boards = "board" if len(built.ranked) == 1 else "boards"
    say(
        f"{output}: {len(built.written):,} files written, {len(built.removed):,} removed, "
        f"{len(built.kept):,} as they were; {len(built.ranked):,} {boards} ranked. "
        f"Open {Path(output) / 'index.html'}."
    )

"""Questions to a board file: ``show``, ``report``, ``plot``, ``weights``, ``predict``, ``diff``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rankbars.cli.answers import files_answer, print_answer
from rankbars.cli.options import (
    Reading,
    about_options,
    check_first,
    chosen_reading,
    first_option,
    json_option,
    named_option,
    quiet_option,
    reading_options,
)
from rankbars.cli.outputs import (
    STANDARD,
    check_targets,
    drawn_bytes,
    emit,
    emit_text,
    output_width,
    print_board,
    standard_input,
)
from rankbars.cli.stopping import account_for_files
from rankbars.errors import DataError, OptionError, UnknownOptionError

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard
    from rankbars.data.scores import Scores
    from rankbars.data.votes import Votes
    from rankbars.render.plotting import Picture, Subject

__all__ = [
    "diff_command",
    "plot_command",
    "predict_command",
    "report_command",
    "show_command",
    "weights_command",
]

_SHOWN = ("text", "md", "csv", "latex", "dot", "json", "eee")

_SHOW_HELP = """Show a board that `rankbars rank -o` wrote; - reads it from standard input.

Text in a pipe or a file is as wide as the variable COLUMNS says, and else 80 columns.

\b
  rankbars show board.json
  rankbars show board.json --format latex > table.tex
  rankbars show board.json --format dot | dot -Tsvg > order.svg
  rankbars show board.json --task math
  rankbars show board.json --average                 # with means per category
  rankbars show board.json --differences             # of all pairs on the average
  rankbars show board.json --top 3                   # probability of the first 3 places
  rankbars show board.json --dominance               # that one model is better than another
  rankbars show board.json --methods
  rankbars show board.json --format eee -o store     # one record of Every Eval Ever per model
"""
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
_WEIGHTS_HELP = """Show which weights of the categories of tasks make which model win.

BOARD is a board file whose tasks have categories (rankbars rank --categories FILE); - reads it
from standard input. Shown are the mean of each model in each category; who is first under given
weights, and by how much; in what share of all weights each model wins, and clearly; and the
smallest change of weights after which another model is level with the first. For three categories
`rankbars plot BOARD weights` draws it.

\b
  rankbars weights board.json
  rankbars weights board.json --at math=0.5 --at law=0.3 --at code=0.2
"""
_PREDICT_HELP = """Say where each model may rank on a new task, from a board file alone.

The ranks on tasks that the board keeps are merged again: by another rule, or at another error
rate. The scores are not needed. With --merge quantile it is Algorithm 2 of Neuhof and Benjamini.
Of a board that was ranked with --merge quantile or --scope each, ranks of each model by itself are
merged, otherwise those for all models at once, which are wider.

\b
  rankbars predict board.json --merge quantile --alpha 0.3
  rankbars predict board.json --merge simultaneous --json
"""
_DIFF_HELP = """Tell what changed between two board files.

For each model: its own scores changed; they did not, but others came, went or changed; or only
intervals moved. The format md is for pull requests.

\b
  rankbars diff last-week.json today.json
  rankbars diff main.json branch.json --format md
"""


@click.command("show", help=_SHOW_HELP, short_help="Show a board file.")
@click.argument("board_path", metavar="BOARD")
@named_option(
    "--format", "form", known=_SHOWN, default="text", show_default=True,
    help="How to show it.",
)  # fmt: skip
@click.option("--task", metavar="NAME", help="One task instead of the whole board.")
@first_option
@click.option(
    "--average",
    is_flag=True,
    help="The average in full instead: intervals to compare two models by eye, the tasks that each "
    "model has, and means per category.",
)
@click.option(
    "--differences",
    is_flag=True,
    help="Differences of all pairs of models on the average instead, with intervals that hold "
    "together and p-values by Bonferroni and Holm.",
)
@click.option(
    "--top",
    type=click.IntRange(min=1),
    metavar="K",
    help="The probability of being among the first K instead, by draws of the scores; with bands "
    "of ranks. A description. --format text or json.",
)
@click.option(
    "--dominance",
    is_flag=True,
    help="The probability that one model is better than another, for all pairs, and which pairs "
    "Bonferroni's and Benjamini and Hochberg's methods let stand.",
)
@click.option("--methods", is_flag=True, help="The paragraph for a paper instead, and how to cite.")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    help="Where --format eee puts its files; without it, it prints one record per line.",
)
@json_option
def show_command(
    *,
    board_path: str,
    form: str,
    task: str | None,
    first: int | None,
    average: bool,
    differences: bool,
    top: int | None,
    dominance: bool,
    methods: bool,
    output: str | None,
    as_json: bool,
) -> None:
    """Load, render, print."""
    form = _json_form(form, as_json=as_json)
    drawn = top is not None or dominance
    alone = methods or average or differences or task is not None
    if drawn and (alone or form not in ("text", "json")):
        raise click.UsageError(
            "--top and --dominance are tables of text or JSON: give them without --task, "
            "--average, --differences and --methods, and with --format text or json."
        )
    other = drawn or methods or average or differences or form != "text"
    check_first(first, printed=not other)
    if output is not None and (form != "eee" or task is not None):
        raise click.UsageError(
            "-o is the folder for --format eee of a whole board; other formats are printed: "
            "redirect them with > FILE."
        )
    if methods and (task is not None or form != "text"):
        raise click.UsageError(
            "--methods is a paragraph of text: give it without --task and --format."
        )

    for given, option in ((average, "--average"), (differences, "--differences")):
        if given and (methods or task is not None or form != "text" or average is differences):
            raise click.UsageError(
                f"{option} is a table of text: give it by itself, without --task, --methods and "
                "--format."
            )

    board = _load_board(board_path)
    if output is not None:
        from rankbars.render.evalrecords import write_eee

        click.echo("\n".join(map(str, write_eee(board, output))), err=True)
    elif drawn:
        _show_shares(board, top, form, pairs=dominance)
    elif average:
        from rankbars.render.averagetables import render_average

        emit_text(render_average(board))
    elif differences:
        from rankbars.render.averagetables import render_differences

        emit_text(render_differences(board))
    elif methods:
        from rankbars.render.paragraph import methods_text

        emit_text(methods_text(board))
    elif form == "text":
        _show_text(board, task, first)
    else:
        from rankbars.render import render

        emit(render(board, form, task=task))


def _show_text(board: Leaderboard, task: str | None, first: int | None) -> None:
    from rankbars.render.exports import attributes_text

    print_board(board, task, first=first)
    if task is None and board.attributes:
        emit_text(f"\n{attributes_text(board)}")


def _json_form(form: str, *, as_json: bool) -> str:
    """The format that is asked for, where ``--json`` is another word for one."""
    if as_json and form not in ("text", "json"):
        raise click.UsageError("--json is --format json: leave one of the two out.")
    return "json" if as_json else form


def _show_shares(board: Leaderboard, top: int | None, form: str, *, pairs: bool) -> None:
    import json

    from rankbars.render.predicted import render_shares, shares_to_dict

    if form == "json":
        plain = shares_to_dict(board, top, pairs=pairs)
        emit(json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        emit_text(render_shares(board, top, pairs=pairs))


@click.command("report", short_help="Write the page of a board file.")
@click.argument("board_path", metavar="BOARD")
@click.option("-o", "--output", metavar="FILE", required=True, help="The page; - prints it.")
@click.option("--fragment", is_flag=True, help="Only a piece to put into another page: 25 rows.")
@json_option
@about_options
def report_command(
    *, board_path: str, output: str, fragment: bool, as_json: bool, about: dict[str, str | None]
) -> None:
    """Write the page of a board: one file, no network needed.

    A title, source, date, link or description given here replaces that of the board.
    """
    if as_json and output == STANDARD:
        raise click.UsageError("--json and -o - both go to standard output; name a file for one.")
    check_targets({"-o": output}, [board_path])
    account_for_files([output])

    from rankbars.cli.progress import working
    from rankbars.data.drafts import write_text
    from rankbars.render.page import fragment_html, render_html

    with working("Making the page"):
        board = _load_board(board_path).titled(**about)
        page = fragment_html(board) if fragment else render_html(board)
    if output == STANDARD:
        emit(page)
    else:
        write_text(output, page)
        if as_json:
            print_answer(files_answer([output]))


def _load_board(path: str) -> Leaderboard:
    """The board in a file, or on standard input."""
    from rankbars.data.boardfile import load, parse_board

    if path != STANDARD:
        return load(path)
    return parse_board(standard_input(), "standard input")


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
    suffix = Path(output).suffix.lower().removeprefix(".")
    if suffix not in ("svg", "pdf", "png"):
        raise OptionError(f"{output}: the name must end in .svg, .pdf or .png.")
    check_targets({"-o": output}, [source])
    account_for_files([output])

    from rankbars.cli.progress import working
    from rankbars.data.about import About
    from rankbars.data.drafts import write_bytes
    from rankbars.render.plotting import PLOTS, Shown, draw_picture
    from rankbars.render.plotting.fitting import picture_width
    from rankbars.render.plotting.style import check_picture

    picture = PLOTS.get(kind)
    if picture is None:
        raise UnknownOptionError.among("picture", kind, PLOTS)
    if sort == "given" and not chosen:
        raise OptionError("--sort given is the order of --models: name the models.")
    inches = None if width is None else picture_width(width)
    shown = Shown(chosen or None, top, sort)
    named = _chosen(kind, picture, task, models)
    check_picture(suffix, drawn=True, projection=picture.projection)
    about = About(title=title)
    with working("Drawing"):
        subject, order = _subject(picture, source, task, reading, quiet=quiet)
        if order is not None and sort == "score":
            kept = tuple(name for name in order if not chosen or name in chosen)
            missing = [name for name in chosen if name not in order]
            shown = Shown((*kept, *missing), top, "given")
        if title is None:
            about = getattr(subject, "about", None) or about
        figure = draw_picture(kind, subject, named, title=about.title, shown=shown, width=inches)
        content = drawn_bytes(figure, suffix, dpi)
    write_bytes(output, content)
    if as_json:
        print_answer(files_answer([output]))


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
    usable = {wanted, "task" if picture.takes in ("noise", "scores", "votes", "health") else None}
    for name, value in named.items():
        if value is not None and name not in usable:
            raise OptionError(f"{kind} has no {name} to choose: leave --{name} out.")
    return models if picture.choice == "models" else named.get(wanted or "")


def _subject(
    picture: Picture, source: str, task: str | None, reading: Reading, *, quiet: bool
) -> tuple[Subject, tuple[str, ...] | None]:
    """What is drawn, and the order of its models where it does not hold any."""
    import rankbars as rb
    from rankbars.cli.inputs import choose, read_scores, report_reading

    if picture.takes in ("votes", "health", "noise", "scores"):
        read = choose(read_scores([source], reading), (), (), reading.patterns)
        report_reading(read, quiet=quiet)
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
    given = chosen_reading()
    if given:
        raise OptionError(
            f"{given.lstrip('-')!r} is an option for reading results, and this picture is drawn of "
            "a board. Give it to rankbars rank, and draw the board that it writes (-o board.json)."
        )
    board = _load_board(source)
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
    if name not in found:
        raise UnknownOptionError.among("task", name, found)
    return name, found[name]


@click.command("weights", help=_WEIGHTS_HELP, short_help="Which weights make which model win.")
@click.argument("board_path", metavar="BOARD")
@click.option(
    "--at",
    "weights",
    metavar="CATEGORY=W",
    multiple=True,
    help="Weight of a category, 0 or more; they are scaled to sum 1, and categories that are not "
    "named get 0. Repeat for more.  [default: those of the average]",
)
@click.option(
    "--z",
    type=float,
    default=2.0,
    show_default=True,
    metavar="Z",
    help="Standard errors that a clear winner is ahead by.",
)
@click.option(
    "--rho",
    type=float,
    default=0.0,
    show_default=True,
    metavar="R",
    help="Correlation of the errors of any two models that is assumed, where they were taken as "
    "independent.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def weights_command(
    *, board_path: str, weights: tuple[str, ...], z: float, rho: float, as_json: bool
) -> None:
    """Load, weigh, print."""
    chosen = _split_weights(weights)

    import json

    from rankbars.errors import DataError
    from rankbars.render.averagetables import render_weights, weights_to_dict

    board = _load_board(board_path)
    average = board.aggregate
    means = None if average is None else average.by_category
    if average is None or means is None:
        raise DataError(
            "This board has no means per category: every task needs a category, in at least two "
            "of them, and scores (not ranks) must be averaged. Give them with --categories FILE."
        )
    lower = average.direction == "lower"
    if as_json:
        found = weights_to_dict(means, chosen, z, lower=lower, rho=rho)
        emit(json.dumps(found, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        shown = render_weights(means, chosen, z, alpha=average.alpha, lower=lower, rho=rho)
        emit_text(shown)


def _split_weights(weights: tuple[str, ...]) -> dict[str, float] | None:
    """``CATEGORY=W`` in two parts, around the last equals sign; None without any."""
    found: dict[str, float] = {}
    for text in weights:
        name, _, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            name = ""
            value = 0.0
        if not name:
            raise click.UsageError(f"--at {text!r} must look like CATEGORY=W, such as math=0.5.")
        if name in found:
            raise click.UsageError(f"--at names the category {name!r} twice.")
        found[name] = value
    return found or None


@click.command("predict", help=_PREDICT_HELP, short_help="Ranks on a new task, from a board file.")
@click.argument("board_path", metavar="BOARD")
@click.option(
    "--merge",
    metavar="NAME",
    default="joint",
    show_default=True,
    help="How ranks on tasks become one on a new task: joint, quantile, union, group, family, "
    "weighted, simultaneous or observed.",
)
@click.option(
    "--alpha",
    type=float,
    default=0.2,
    show_default=True,
    metavar="RATE",
    help="Error rate of the merge.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def predict_command(*, board_path: str, merge: str, alpha: float, as_json: bool) -> None:
    """Load, merge, print."""
    import json

    from rankbars.render.predicted import predicted_to_dict, render_predicted
    from rankbars.steps.prediction import predict

    board = _load_board(board_path)
    found = predict(board, merge=merge, alpha=alpha)
    if as_json:
        plain = predicted_to_dict(found)
        emit(json.dumps(plain, indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    else:
        emit_text(render_predicted(board, found))


@click.command("diff", help=_DIFF_HELP, short_help="What changed between two boards.")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@named_option(
    "--format", "form", known=("text", "md", "json"), default="text", show_default=True,
    help="How to show it.",
)  # fmt: skip
@json_option
def diff_command(*, old: str, new: str, form: str, as_json: bool) -> None:
    """Load both, compare, print."""
    form = _json_form(form, as_json=as_json)
    if old == new == STANDARD:
        raise click.UsageError("Only one of the two boards can come from standard input.")

    from rankbars.render.changes import change_json, change_markdown, change_text
    from rankbars.steps.boardchanges import diff

    change = diff(_load_board(old), _load_board(new))
    if form == "text":
        emit_text(change_text(change, width=output_width()))
    elif form == "md":
        emit(change_markdown(change))
    else:
        emit(change_json(change))

"""Questions to a board file: ``show``, ``report``, ``weights``, ``predict`` and ``diff``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankbars.cli.options import (
    about_options,
    first_option,
    json_option,
    named_option,
    named_values,
)
from rankbars.cli.outputs import (
    STANDARD,
    check_first,
    emit,
    emit_text,
    fitted,
    output_width,
    print_answer,
    print_board,
    print_files,
    standard_input,
)
from rankbars.cli.targets import check_targets
from rankbars.errors import DataError

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard

__all__ = [
    "diff_command",
    "load_board",
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
  rankbars show board.json --why gpt-x                # why it ranks 3–9
  rankbars show board.json --average                 # with means per category
  rankbars show board.json --differences             # of all pairs on the average
  rankbars show board.json --top 3                   # probability of the first 3 places
  rankbars show board.json --dominance               # that one model is better than another
  rankbars show board.json --methods
  rankbars show board.json --format eee -o store     # one record of Every Eval Ever per model
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
    "--why",
    metavar="MODEL",
    help="Why a model has its ranks instead: who is shown better, not told apart, shown worse.",
)
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
    why: str | None,
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
    asked = {
        "--why": why is not None,
        "--top and --dominance": drawn,
        "--average": average,
        "--differences": differences,
        "--methods": methods,
    }
    _check_question([name for name, given in asked.items() if given], task, form)
    check_first(first, printed=not any(asked.values()) and form == "text")
    if output is not None and (form != "eee" or task is not None):
        raise click.UsageError(
            "-o is the folder for --format eee of a whole board; other formats are printed: "
            "redirect them with > FILE."
        )

    board = load_board(board_path)
    if output is not None:
        from rankbars.render.evalrecords import write_eee

        click.echo("\n".join(map(str, write_eee(board, output))), err=True)
    elif why is not None:
        _show_reasons(board, why, form)
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

        emit_text(fitted(methods_text(board)))
    elif form == "text":
        from rankbars.render.exports import attributes_text

        print_board(board, task, first=first)
        if task is None and board.attributes:
            emit_text(f"\n{attributes_text(board)}")
    else:
        from rankbars.render import render

        emit(render(board, form, task=task))


def _check_question(asked: list[str], task: str | None, form: str) -> None:
    """Questions are asked one at a time, of the whole board, in a format that has the answer."""
    if not asked:
        return
    forms = ("text", "json") if asked[0] in ("--why", "--top and --dominance") else ("text",)
    if len(asked) > 1 or task is not None or form not in forms:
        raise click.UsageError(
            f"{' and '.join(asked)}: ask one question at a time, without --task, and with --format "
            f"{' or '.join(forms)}."
        )


def _json_form(form: str, *, as_json: bool) -> str:
    """The format that is asked for, where ``--json`` is another word for one."""
    if as_json and form not in ("text", "json"):
        raise click.UsageError("--json is --format json: leave one of the two out.")
    return "json" if as_json else form


def _show_shares(board: Leaderboard, top: int | None, form: str, *, pairs: bool) -> None:
    from rankbars.render.askedranks import render_shares, shares_to_dict

    if form == "json":
        print_answer(shares_to_dict(board, top, pairs=pairs))
    else:
        emit_text(render_shares(board, top, pairs=pairs))


def _show_reasons(board: Leaderboard, model: str, form: str) -> None:
    from rankbars.render.askedranks import reasons_text, reasons_to_dict

    if form == "json":
        print_answer(reasons_to_dict(board, model))
    else:
        emit_text(reasons_text(board, model, output_width()))


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

    from rankbars.cli.progress import working
    from rankbars.data.drafts import write_text
    from rankbars.render.page import fragment_html, render_html

    with working("Making the page"):
        board = load_board(board_path).titled(**about)
        page = fragment_html(board) if fragment else render_html(board)
    if output == STANDARD:
        emit(page)
    else:
        write_text(output, page)
        if as_json:
            print_files([output])


def load_board(path: str) -> Leaderboard:
    """The board in a file, or on standard input."""
    from rankbars.data.boardreading import load, parse_board

    if path != STANDARD:
        return load(path)
    return parse_board(standard_input(), "standard input")


@click.command("weights", help=_WEIGHTS_HELP, short_help="Which weights make which model win.")
@click.argument("board_path", metavar="BOARD")
@click.option(
    "--at",
    "weights",
    metavar="CATEGORY=W",
    multiple=True,
    callback=named_values("look like CATEGORY=W, such as math=0.5", float),
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
@json_option
def weights_command(
    *, board_path: str, weights: tuple[tuple[str, float], ...], z: float, rho: float, as_json: bool
) -> None:
    """Load, weigh, print."""
    from rankbars.render.weighttables import render_weights, weights_to_dict

    chosen = dict(weights) or None
    board = load_board(board_path)
    average = board.aggregate
    means = None if average is None else average.by_category
    if average is None or means is None:
        raise DataError(
            "This board has no means per category: every task needs a category, in at least two "
            "of them, and scores (not ranks) must be averaged. Give them with --categories FILE."
        )
    lower = average.direction == "lower"
    if as_json:
        print_answer(weights_to_dict(means, chosen, z, lower=lower, rho=rho))
    else:
        shown = render_weights(means, chosen, z, alpha=average.alpha, lower=lower, rho=rho)
        emit_text(shown)


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
@json_option
def predict_command(*, board_path: str, merge: str, alpha: float, as_json: bool) -> None:
    """Load, merge, print."""
    from rankbars.render.askedranks import predicted_to_dict, render_predicted
    from rankbars.steps.prediction import predict

    board = load_board(board_path)
    found = predict(board, merge=merge, alpha=alpha)
    if as_json:
        print_answer(predicted_to_dict(found))
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

    change = diff(load_board(old), load_board(new))
    if form == "text":
        emit_text(change_text(change, width=output_width()))
    elif form == "md":
        emit(change_markdown(change))
    else:
        emit(change_json(change))

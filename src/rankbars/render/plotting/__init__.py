"""Pictures for paper with matplotlib: take a result and axes, return the axes, compute nothing.

Each picture has its data in the result it takes. `PRINT` is the style for a page of a journal; the
caller may use any other, and may change what comes back.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rankbars.calls import check_name
from rankbars.data.board import Leaderboard
from rankbars.data.diagnosis import Diagnosis, HeldOut, VoteHealth
from rankbars.data.noise import Noise
from rankbars.data.scores import Scores
from rankbars.data.votes import Votes
from rankbars.errors import DataError, OptionError
from rankbars.render.notation import counted
from rankbars.render.plotting.fitting import fit_width, picture_width
from rankbars.render.plotting.healthplots import (
    plot_left_out,
    plot_noise,
    plot_ratings,
    plot_sensitivity,
    plot_strengths_over_time,
    plot_vote_health,
    plot_votes_per_pair,
)
from rankbars.render.plotting.lettering import (
    letters_note,
    set_letters,
    without_glyph_warnings,
)
from rankbars.render.plotting.matrixplots import (
    plot_dominance,
    plot_heatmap,
    plot_rank_probability,
    plot_rank_shares,
    plot_shown_better,
)
from rankbars.render.plotting.rankplots import (
    order_of,
    plot_held_out,
    plot_lanes,
    plot_model_ranks,
    plot_new_task,
    plot_order,
    plot_ranks,
    plot_task_ranks,
    plot_two_models,
)
from rankbars.render.plotting.scoreplots import (
    plot_board_weights,
    plot_item_spread,
    plot_score_against_rank,
    plot_score_new_task,
    plot_score_spread,
    plot_scores,
    plot_weights,
    plot_widths,
)
from rankbars.render.plotting.style import (
    ALL,
    COLUMN,
    PAGE,
    PRINT,
    SORTS,
    Shown,
    check_picture,
    draw_title,
)
from rankbars.render.plotting.workplots import plot_front

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "PLOTS",
    "PRINT",
    "Picture",
    "Shown",
    "draw_picture",
    "know_ternary",
    "plot_board",
    "plot_board_weights",
    "plot_dominance",
    "plot_front",
    "plot_heatmap",
    "plot_held_out",
    "plot_item_spread",
    "plot_lanes",
    "plot_left_out",
    "plot_model_ranks",
    "plot_new_task",
    "plot_noise",
    "plot_order",
    "plot_rank_probability",
    "plot_rank_shares",
    "plot_ranks",
    "plot_ratings",
    "plot_score_against_rank",
    "plot_score_new_task",
    "plot_score_spread",
    "plot_scores",
    "plot_sensitivity",
    "plot_shown_better",
    "plot_strengths_over_time",
    "plot_task_ranks",
    "plot_two_models",
    "plot_vote_health",
    "plot_votes_per_pair",
    "plot_weights",
    "plot_widths",
]

Subject = Leaderboard | Diagnosis | HeldOut | Noise | Scores | Votes | VoteHealth
_ROW, _HEAD = 0.165, 0.95  # inches
_TALLEST = 24.0  # inches: two pages; nobody reads a longer column of names


class Picture(NamedTuple):
    """One kind of picture.

    Attributes
    ----------
    draw : callable
        Takes the subject, the axes, and a task or model where one is chosen; returns the axes.
    words : str
        What it shows, in one line.
    takes : {"board", "diagnosis", "held_out", "noise", "scores", "votes", "health"}
        Its subject.
    size : callable
        Subject, and what is shown of it -> width and height in inches.
    choice : {"task", "model", "models"}, optional
        What has to be named besides; the last is two models.
    projection : str, optional
        Of the axes.
    chooses : bool
        Whether it shows models, some of which can be chosen.
    """

    draw: Callable[..., Any]
    words: str
    takes: Literal["board", "diagnosis", "held_out", "noise", "scores", "votes", "health"] = "board"
    size: Callable[[Any, Shown], tuple[float, float]] = lambda _, shown: (COLUMN, COLUMN)
    choice: Literal["task", "model", "models"] | None = None
    projection: str | None = None
    chooses: bool = True


def draw_picture(
    kind: str,
    subject: Subject,
    chosen: str | Sequence[str] | None = None,
    *,
    title: str | None = None,
    shown: Shown = ALL,
    width: float | None = None,
) -> Figure:
    """A figure of its own, in the style for print.

    Parameters
    ----------
    kind : str
        A key of `PLOTS`.
    subject : Leaderboard, Diagnosis, HeldOut, Noise, Scores, Votes or VoteHealth
        What the picture takes.
    chosen : str or sequence of str, optional
        The task or model, where one has to be named, or both models.
    title : str, optional
        Drawn above.
    shown : Shown
        Which models, and in which order.
    width : float, optional
        Inches, of all that is drawn; as wide as it needs where not given.

    Raises
    ------
    DataError
        If the subject does not hold what is drawn, or it would be too large to be read.
    OptionError
        If there is nothing to choose from, or too little width.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    picture = PLOTS[kind]
    if picture.projection == "ternary":
        know_ternary()
    size = _checked_size(kind, subject, shown)
    with mpl.rc_context(PRINT), without_glyph_warnings():
        figure = Figure(figsize=size, label=f"rankbars: {picture.words}")
        ax = figure.add_subplot(projection=picture.projection)
        _draw(picture, subject, ax, [] if picture.choice is None else [chosen], shown)
        set_letters(figure, replace=False)
        if width is not None:
            fit_width(figure, width)
        if title is not None:
            draw_title(figure, title, width)
    return figure


def _checked_size(kind: str, subject: Subject, shown: Shown) -> tuple[float, float]:
    """Width and height in inches; raises where nobody could read the picture."""
    picture = PLOTS[kind]
    if not picture.chooses and shown != ALL:
        raise OptionError(
            f"{kind} shows no models to choose from: leave --top, --models and --sort out."
        )
    if shown.top is not None and shown.top < 1:
        raise OptionError.out_of_range("top", shown.top, "at least 1")
    check_name("order of a picture", shown.sort, SORTS)
    width, height = picture.size(subject, shown)
    if height > _TALLEST or width > _TALLEST:
        count = shown.count(len(getattr(subject, "models", ())))
        fewer = (
            f"Add --top {40 if count > 40 else max(count // 2, 2)}, or --models NAME for each "
            "model that is to be shown"
            if picture.chooses
            else "Rank fewer tasks (--tasks)"
        )
        raise DataError(
            f"{kind} would be {width:.0f} × {height:.0f} inches large, too large to be read. "
            f"{fewer}, or write the page (rankbars report), which can be searched."
        )
    return width, height


def _draw(picture: Picture, subject: Subject, ax: Any, chosen: Sequence[Any], shown: Shown) -> Any:
    if not picture.chooses:
        return picture.draw(subject, ax, *chosen)
    drawn = picture.draw(subject, ax, *chosen, shown=shown)
    size = len(getattr(subject, "models", ()))
    count = shown.count(size)
    lines = []
    if count < size:
        among = f"; ranks are among all {size}" if "rank" in picture.words else ""
        lines.append(f"{count} of {size} models shown{among}")
    apart = getattr(subject, "partly", None)
    if apart is not None and "rank" in picture.words:
        first = len(apart.first)
        also = f"; {first} may be first" if first else ""
        lines.append(f"{counted(len(apart.models), 'partly scored model')} not drawn{also}")
    if lines:
        # The title stands where its style puts it.
        place = "left" if ax.get_title(loc="left") else "center"
        ax.set_title("\n".join((ax.get_title(loc=place), *lines)), loc=place)
    return drawn


def plot_board(
    board: Leaderboard,
    kind: str = "ranks",
    ax: Any = None,
    *,
    task: str | None = None,
    model: str | Sequence[str] | None = None,
    models: Sequence[str] | None = None,
    top: int | None = None,
    sort: str = "score",
    width: str | float | None = None,
    title: str | None = None,
) -> Any:
    """A picture of a board; parameters and errors are those of `Leaderboard.plot`."""
    if isinstance(models, str):
        raise OptionError(f"models takes a list of names; got {models!r}.")
    shown = Shown(None if models is None else tuple(models), top, sort)
    known = [name for name, picture in PLOTS.items() if picture.takes == "board"]
    check_name("picture of a board", kind, known)
    picture = PLOTS[kind]
    chosen = _chosen(kind, picture, task, model)
    if ax is not None and not hasattr(ax, "plot"):
        raise OptionError.out_of_range("ax", ax, "axes of matplotlib")
    if ax is not None and (width is not None or title is not None):
        raise OptionError("width and title are of a figure of its own: leave them out with ax.")
    check_picture("svg", drawn=True, projection=picture.projection)
    if picture.projection == "ternary":
        know_ternary()
    inches = None if width is None else picture_width(str(width))
    size = _checked_size(kind, board, shown)
    if ax is None:
        from matplotlib import pyplot as plt

        layout = "constrained" if inches is None else None
        ax = plt.figure(figsize=size, layout=layout).add_subplot(projection=picture.projection)
    with without_glyph_warnings():
        drawn = _draw(picture, board, ax, chosen, shown)
        missing = set_letters(ax.figure, replace=True)
        if inches is not None:
            fit_width(ax.figure, inches)
        if title is not None:
            draw_title(ax.figure, title, inches)
    if missing:
        warnings.warn(letters_note(missing), stacklevel=3)
    return drawn


def _chosen(
    kind: str, picture: Picture, task: str | None, model: str | Sequence[str] | None
) -> list[str | Sequence[str] | None]:
    """What has to be named besides, if anything; raises where it does not fit."""
    named = {"task": task, "model": model}
    two = picture.choice == "models"
    if two and (model is None or isinstance(model, str) or len(set(model)) != 2):
        raise OptionError(f"{kind} draws two models: name them with model=['NAME', 'OTHER'].")
    wanted = "model" if two else picture.choice
    for what, value in named.items():
        if (value is not None) != (what == wanted):
            doing = f"draws one {what}: name it with" if value is None else "does not take"
            raise OptionError(f"{kind} {doing} {what}={value or 'NAME'!r}.")
    return [] if wanted is None else [named[wanted]]


def know_ternary() -> None:
    """Make the projection ``"ternary"`` of mpltern known to matplotlib."""
    import_module("mpltern")


def _held_out(found: HeldOut, _: Shown) -> tuple[float, float]:
    return PAGE * 0.7, _HEAD + len(found.models) * max(_ROW, 0.05 * len(found.tasks))


def _by_model(subject: Leaderboard | Diagnosis | Scores, shown: Shown) -> tuple[float, float]:
    return PAGE * 0.7, _HEAD + _ROW * shown.count(len(subject.models))


def _half_by_model(board: Leaderboard, shown: Shown) -> tuple[float, float]:
    return COLUMN, _by_model(board, shown)[1]


def _half_by_task(board: Leaderboard, shown: Shown) -> tuple[float, float]:
    return COLUMN, _by_task(board, shown)[1]


def _by_task(board: Leaderboard, _: Shown) -> tuple[float, float]:
    return PAGE * 0.7, _HEAD + _ROW * len(board.tasks)


def _models_by_tasks(board: Leaderboard, shown: Shown) -> tuple[float, float]:
    return 2.0 + 0.34 * len(board.tasks), 1.6 + _ROW * shown.count(len(board.models))


def _by_noise(noise: Noise, shown: Shown) -> tuple[float, float]:
    rows = shown.count(len(noise.models)) * len(noise.tasks)
    return PAGE * 0.7, _HEAD + 0.5 + _ROW * rows


def _square(subject: Leaderboard | Votes, shown: Shown) -> tuple[float, float]:
    side = 1.8 + 0.2 * shown.count(len(subject.models))
    return side + 0.4, side


def _diagram(board: Leaderboard, shown: Shown) -> tuple[float, float]:
    layers = order_of(board, shown).layers
    return max(COLUMN, 1.4 * max(map(len, layers))), _HEAD + 0.5 * len(layers)


PLOTS: dict[str, Picture] = {
    "ranks": Picture(plot_ranks, "rank intervals on what the board shows first", size=_by_model),
    "new_task": Picture(plot_new_task, "rank intervals on a new task", size=_by_model),
    "task_ranks": Picture(
        plot_task_ranks, "rank intervals on one task", size=_by_model, choice="task"
    ),
    "model_ranks": Picture(
        plot_model_ranks,
        "rank intervals of one model on each task",
        size=_by_task,
        choice="model",
        chooses=False,
    ),
    "two_models": Picture(
        plot_two_models,
        "rank intervals of two models on each task",
        size=_half_by_task,
        choice="models",
        chooses=False,
    ),
    "lanes": Picture(plot_lanes, "scores, with bars over models not told apart", size=_by_model),
    "heatmap": Picture(
        plot_heatmap, "rank interval of each model on each task", size=_models_by_tasks
    ),
    "scores": Picture(plot_scores, "score of each model on each task", size=_by_model),
    "score_rank": Picture(
        plot_score_against_rank,
        "score beside rank interval",
        size=lambda _, shown: (PAGE, 0.7 * PAGE),
    ),
    "front": Picture(
        plot_front,
        "score against cost: who may be the best for the money",
        size=lambda _, shown: (PAGE, 0.7 * PAGE),
    ),
    "score_new_task": Picture(
        plot_score_new_task, "score beside rank intervals on a new task", size=_half_by_model
    ),
    "score_spread": Picture(
        plot_score_spread, "scores of each model over the tasks", size=_by_model
    ),
    "item_spread": Picture(
        plot_item_spread, "scores of each model over the items", "scores", _by_model
    ),
    "widths": Picture(
        plot_widths, "how well each task separates the models", size=_by_task, chooses=False
    ),
    "shown_better": Picture(plot_shown_better, "who was shown better than whom", size=_square),
    "order": Picture(plot_order, "the partial order as a Hasse diagram", size=_diagram),
    "rank_probability": Picture(plot_rank_probability, "probability of each rank", size=_square),
    "dominance": Picture(
        plot_dominance, "probability that one model is better than another", size=_square
    ),
    "weights": Picture(
        plot_board_weights,
        "winner by weights of three categories",
        size=lambda _, shown: (PAGE, 0.62 * PAGE),
        projection="ternary",
        chooses=False,
    ),
    "ratings": Picture(plot_ratings, "strengths from votes", size=_by_model),
    "strengths_over_time": Picture(
        plot_strengths_over_time,
        "strengths from votes in each period",
        size=lambda _, shown: (PAGE, 0.6 * PAGE),
    ),
    "votes_per_pair": Picture(
        plot_votes_per_pair, "how often each two models met", "votes", size=_square
    ),
    "vote_health": Picture(
        plot_vote_health,
        "votes needed to tell neighbours apart",
        "health",
        size=lambda found, shown: (PAGE, _HEAD + _ROW * shown.count(len(found.neighbours))),
    ),
    "left_out": Picture(
        plot_left_out, "would the other tasks have foreseen each task?", "diagnosis", _by_model
    ),
    "noise": Picture(
        plot_noise, "which part of each error is items, answers, and whole runs", "noise", _by_noise
    ),
    "held_out": Picture(
        plot_held_out,
        "ranks on held-out tasks over those for a new one",
        "held_out",
        _held_out,
        chooses=False,
    ),
    "sensitivity": Picture(
        plot_sensitivity, "how much may a new source of tasks differ?", "diagnosis", _by_model
    ),
}

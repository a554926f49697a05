"""Pictures for paper with matplotlib: take a result and axes, return the axes, compute nothing.

Each picture has its data in the result it takes. `PRINT` is the style for a page of a journal; the
caller may use any other, and may change what comes back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rankbars.data.board import Leaderboard
from rankbars.data.diagnosis import Diagnosis, HeldOut
from rankbars.data.noise import Noise
from rankbars.data.scores import Scores
from rankbars.data.votehealth import VoteHealth
from rankbars.data.votes import Votes
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.render.plotting.healthplots import (
    plot_left_out,
    plot_noise,
    plot_ratings,
    plot_sensitivity,
    plot_vote_health,
    plot_votes_per_pair,
)
from rankbars.render.plotting.matrixplots import (
    plot_dominance,
    plot_heatmap,
    plot_rank_probability,
    plot_rank_shares,
    plot_shown_better,
)
from rankbars.render.plotting.rankplots import (
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
from rankbars.render.plotting.style import COLUMN, PAGE, PRINT, check_picture, draw_title

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "PLOTS",
    "PRINT",
    "Picture",
    "draw_picture",
    "know_ternary",
    "plot_board",
    "plot_board_weights",
    "plot_dominance",
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
    "plot_task_ranks",
    "plot_two_models",
    "plot_vote_health",
    "plot_votes_per_pair",
    "plot_weights",
    "plot_widths",
]

Subject = Leaderboard | Diagnosis | HeldOut | Noise | Scores | Votes | VoteHealth
_ROW, _HEAD = 0.165, 0.95  # inches
_TALLEST = 100.0  # inches; beyond that, nothing can show the picture


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
        Subject -> width and height in inches.
    choice : {"task", "model", "models"}, optional
        What has to be named besides; the last is two models.
    projection : str, optional
        Of the axes.
    """

    draw: Callable[..., Any]
    words: str
    takes: Literal["board", "diagnosis", "held_out", "noise", "scores", "votes", "health"] = "board"
    size: Callable[[Any], tuple[float, float]] = lambda _: (COLUMN, COLUMN)
    choice: Literal["task", "model", "models"] | None = None
    projection: str | None = None


def draw_picture(
    kind: str,
    subject: Subject,
    chosen: str | Sequence[str] | None = None,
    *,
    title: str | None = None,
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

    Raises
    ------
    DataError
        If the subject does not hold what is drawn.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    picture = PLOTS[kind]
    if picture.projection == "ternary":
        know_ternary()
    width, height = picture.size(subject)
    if height > _TALLEST or width > _TALLEST:
        raise DataError(
            f"The picture would be {width:.0f} × {height:.0f} inches large. Rank fewer models or "
            "tasks (--models, --tasks), or write the page (rankbars report), which can be searched."
        )
    with mpl.rc_context(PRINT):
        figure = Figure(figsize=(width, height), label=f"rankbars: {picture.words}")
        ax = figure.add_subplot(projection=picture.projection)
        if picture.choice is None:
            picture.draw(subject, ax)
        else:
            picture.draw(subject, ax, chosen)
        if title is not None:
            draw_title(figure, title)
    return figure


def plot_board(
    board: Leaderboard,
    kind: str = "ranks",
    ax: Any = None,
    *,
    task: str | None = None,
    model: str | Sequence[str] | None = None,
) -> Any:
    """A picture of a board; parameters and errors are those of `Leaderboard.plot`."""
    known = [name for name, picture in PLOTS.items() if picture.takes == "board"]
    if kind not in known:
        raise UnknownOptionError.among("picture of a board", kind, known)
    picture = PLOTS[kind]
    named = {"task": task, "model": model}
    two = picture.choice == "models"
    if two and (model is None or isinstance(model, str) or len(set(model)) != 2):
        raise OptionError(f"{kind} draws two models: name them with model=['NAME', 'OTHER'].")
    wanted = "model" if two else picture.choice
    for what, value in named.items():
        if (value is not None) != (what == wanted):
            doing = f"draws one {what}: name it with" if value is None else "does not take"
            raise OptionError(f"{kind} {doing} {what}={value or 'NAME'!r}.")
    if ax is not None and not hasattr(ax, "plot"):
        raise OptionError.out_of_range("ax", ax, "axes of matplotlib")
    check_picture("svg", drawn=True, projection=picture.projection)
    if picture.projection == "ternary":
        know_ternary()
    if ax is None:
        from matplotlib import pyplot as plt

        figure = plt.figure(figsize=picture.size(board), layout="constrained")
        ax = figure.add_subplot(projection=picture.projection)
    chosen = [] if wanted is None else [named[wanted]]
    return picture.draw(board, ax, *chosen)


def know_ternary() -> None:
    """Make the projection ``"ternary"`` of mpltern known to matplotlib."""
    import_module("mpltern")


def _held_out(found: HeldOut) -> tuple[float, float]:
    return PAGE * 0.7, _HEAD + len(found.models) * max(_ROW, 0.05 * len(found.tasks))


def _by_model(subject: Leaderboard | Diagnosis | Scores) -> tuple[float, float]:
    return PAGE * 0.7, _HEAD + _ROW * len(subject.models)


def _half_by_model(board: Leaderboard) -> tuple[float, float]:
    return COLUMN, _by_model(board)[1]


def _half_by_task(board: Leaderboard) -> tuple[float, float]:
    return COLUMN, _by_task(board)[1]


def _by_task(board: Leaderboard) -> tuple[float, float]:
    return PAGE * 0.7, _HEAD + _ROW * len(board.tasks)


def _models_by_tasks(board: Leaderboard) -> tuple[float, float]:
    return 2.0 + 0.34 * len(board.tasks), 1.6 + _ROW * len(board.models)


def _by_noise(noise: Noise) -> tuple[float, float]:
    return PAGE * 0.7, _HEAD + 0.5 + _ROW * len(noise.models) * len(noise.tasks)


def _square(subject: Leaderboard | Votes) -> tuple[float, float]:
    side = 1.8 + 0.2 * len(subject.models)
    return side + 0.4, side


def _diagram(board: Leaderboard) -> tuple[float, float]:
    layers = board.partial_order().layers
    return max(COLUMN, 1.4 * max(map(len, layers))), _HEAD + 0.5 * len(layers)


PLOTS: dict[str, Picture] = {
    "ranks": Picture(plot_ranks, "rank intervals on what the board shows first", size=_by_model),
    "new_task": Picture(plot_new_task, "rank intervals on a new task", size=_by_model),
    "task_ranks": Picture(
        plot_task_ranks, "rank intervals on one task", size=_by_model, choice="task"
    ),
    "model_ranks": Picture(
        plot_model_ranks, "rank intervals of one model on each task", size=_by_task, choice="model"
    ),
    "two_models": Picture(
        plot_two_models,
        "rank intervals of two models on each task",
        size=_half_by_task,
        choice="models",
    ),
    "lanes": Picture(plot_lanes, "scores, with bars over models not told apart", size=_by_model),
    "heatmap": Picture(
        plot_heatmap, "rank interval of each model on each task", size=_models_by_tasks
    ),
    "scores": Picture(plot_scores, "score of each model on each task", size=_by_model),
    "score_rank": Picture(
        plot_score_against_rank, "score beside rank interval", size=lambda _: (PAGE, 0.7 * PAGE)
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
    "widths": Picture(plot_widths, "how well each task separates the models", size=_by_task),
    "shown_better": Picture(plot_shown_better, "who was shown better than whom", size=_square),
    "order": Picture(plot_order, "the partial order as a Hasse diagram", size=_diagram),
    "rank_probability": Picture(plot_rank_probability, "probability of each rank", size=_square),
    "dominance": Picture(
        plot_dominance, "probability that one model is better than another", size=_square
    ),
    "weights": Picture(
        plot_board_weights,
        "winner by weights of three categories",
        size=lambda _: (PAGE, 0.62 * PAGE),
        projection="ternary",
    ),
    "ratings": Picture(plot_ratings, "strengths from votes", size=_by_model),
    "votes_per_pair": Picture(
        plot_votes_per_pair, "how often each two models met", "votes", size=_square
    ),
    "vote_health": Picture(
        plot_vote_health,
        "votes needed to tell neighbours apart",
        "health",
        size=lambda found: (PAGE, _HEAD + _ROW * len(found.neighbours)),
    ),
    "left_out": Picture(
        plot_left_out, "would the other tasks have foreseen each task?", "diagnosis", _by_model
    ),
    "noise": Picture(
        plot_noise, "which part of each error is items, answers, and whole runs", "noise", _by_noise
    ),
    "held_out": Picture(
        plot_held_out, "ranks on held-out tasks over those for a new one", "held_out", _held_out
    ),
    "sensitivity": Picture(
        plot_sensitivity, "how much may a new source of tasks differ?", "diagnosis", _by_model
    ),
}

"""Pictures of tables: models against tasks, ranks or models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.board import Leaderboard
from rankbars.errors import DataError
from rankbars.render.claims import APPROXIMATE, NO_GUARANTEE, statements_level
from rankbars.render.notation import show_level
from rankbars.render.plotting.style import ALL, DARK, Shown, label_columns, label_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

__all__ = [
    "plot_dominance",
    "plot_heatmap",
    "plot_rank_probability",
    "plot_rank_shares",
    "plot_shown_better",
]

_KEY_WIDTH, _KEY_HEIGHT = 0.1, 1.2  # inches
_MOST_TEXTS = 1500  # more numbers than that are not legible


def plot_heatmap(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Rank interval of each model on each task: the shade is its middle, the text its ends.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.
    """
    order = shown.rows(board.models, board.order, board.ranks)
    tasks = list(board.tasks.values())
    best = np.array([task.best[order] for task in tasks]).T
    worst = np.array([task.worst[order] for task in tasks]).T
    texts = [
        [str(low) if low == high else f"{low}–{high}" for low, high in zip(*row, strict=True)]
        for row in zip(best.tolist(), worst.tolist(), strict=True)
    ]
    last = max(len(board.models), 2)
    image = _table(ax, (best + worst) / 2, texts, "cividis_r", 1.0, last)
    _key(ax, image, "middle of the interval", sorted({1, (last + 1) // 2, last}))
    label_rows(ax, [board.models[i] for i in order])
    label_columns(ax, [task.name for task in tasks])
    scopes = sorted({task.scope for task in tasks})
    whom = "all models at once" if scopes == ["all"] else "each model and task by itself"
    promised = all(task.guarantee is not None for task in tasks)
    level = show_level(max(task.alpha for task in tasks)) if promised else NO_GUARANTEE
    if any(task.approximate for task in tasks):
        level = APPROXIMATE
    ax.set_title(f"Rank interval on each task\n{level}, {whom}")
    return ax


def plot_rank_probability(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Probability of each rank on what is shown first, counted in draws; zeros are left blank.

    Parameters
    ----------
    board : Leaderboard
        A board that has rank probabilities.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If the board has no rank probabilities.
    """
    order = shown.rows(board.models, board.order, board.ranks)
    share = board.rank_probabilities()[order]
    # Of few models only the ranks that they may have.
    last = 1 + int(np.flatnonzero(np.nansum(share, axis=0) > 0).max(initial=0))
    last = len(board.models) if len(order) == len(board.models) else last
    plot_rank_shares([board.models[i] for i in order], share[:, :last], ax)
    where = "on this task" if board.lead == "task" else "on average"
    ax.set_title(f"Probability of each rank {where}\na description, not a confidence statement")
    return ax


def plot_rank_shares(models: Sequence[str], share: NDArray[np.float64], ax: Axes) -> Axes:
    """Share of draws in which each model has each rank; zeros are left blank.

    Parameters
    ----------
    models : sequence of str
        The M models, the first on top.
    share : array of float, shape (M, R)
        ``[i, r]`` belongs to model i and rank r + 1.
    ax : matplotlib axes
        Drawn on.
    """
    image = _table(ax, share, _shares(share), "Blues", 0.0, 1.0)
    _key(ax, image, "probability", (0, 0.5, 1))
    label_rows(ax, models)
    size = share.shape[1]
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**9) if size <= 20 * step)
    ranks = sorted({0, *range(step - 1, size, step)})
    ax.set_xticks(ranks, [str(rank + 1) for rank in ranks])
    ax.set_xlabel("rank (1 is the best)")
    return ax


def plot_dominance(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Probability that the row is better than the column, on what is shown first.

    Parameters
    ----------
    board : Leaderboard
        A board that has these probabilities.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If the board has none.
    """
    found = board.rank_shares().dominance
    if found is None:
        raise DataError(
            "This board holds no probabilities that one model is better than another: they are "
            "counted in draws of an average, for up to 200 models. Draw shown_better instead."
        )
    order = shown.rows(board.models, board.order, board.ranks)
    share = found[np.ix_(order, order)].copy()
    np.fill_diagonal(share, np.nan)
    image = _table(ax, share, _shares(share), "RdBu", -0.25, 1.25)
    _key(ax, image, "probability", (0, 0.5, 1))
    names = [board.models[i] for i in order]
    label_rows(ax, names)
    label_columns(ax, names)
    where = "on this task" if board.lead == "task" else "on average"
    ax.set_title(f"Probability that row is better than column, {where}\nnot a test")
    return ax


def plot_shown_better(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Which model was shown better than which, on what the board shows first, all at once.

    Parameters
    ----------
    board : Leaderboard
        The result.
    ax : matplotlib axes
        Drawn on.
    """
    order = shown.rows(board.models, board.order, board.ranks)
    better = board.shown_better[np.ix_(order, order)].astype(float)
    image = ax.imshow(better, cmap="Blues", vmin=0, vmax=1.3)
    _grid(ax, better.shape)
    for value, words in ((1.0, "shown better"), (0.0, "not shown better")):
        shade = image.cmap(image.norm(np.asarray(value)))
        ax.plot([], [], "s", color=shade, ms=6, mec=DARK, mew=0.4, label=words)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    names = [board.models[i] for i in order]
    label_rows(ax, names)
    label_columns(ax, names)
    ax.set_title(f"Row shown better than column\n{statements_level(board)}, all at once")
    return ax


def _table(
    ax: Axes,
    values: NDArray[np.float64],
    texts: list[list[str]],
    cmap: str,
    low: float,
    high: float,
) -> AxesImage:
    image = ax.imshow(values, cmap=cmap, vmin=low, vmax=high, aspect="auto")
    _grid(ax, values.shape)
    if values.size > _MOST_TEXTS:
        return image
    for (row, column), value in np.ndenumerate(values):
        if np.isnan(value):
            continue
        ax.text(
            column, row, texts[row][column], ha="center", va="center", fontsize=5.5,
            color=_readable(image.cmap(image.norm(np.asarray(value)))),
        )  # fmt: skip
    return image


def _key(ax: Axes, image: AxesImage, words: str, ticks: Sequence[float]) -> None:
    """What the shades mean: a scale beside the table, of the height of some rows."""
    size = ax.get_window_extent()
    width, height = (inches * ax.figure.dpi for inches in (_KEY_WIDTH, _KEY_HEIGHT))
    height = min(1.0, height / size.height)
    place = ax.inset_axes((1 + width / size.width, 1 - height, width / size.width, height))
    scale = ax.figure.colorbar(image, cax=place)
    scale.set_ticks(list(ticks), labels=[f"{tick:g}" for tick in ticks])
    scale.set_label(words, fontsize=7)
    low, high = image.get_clim()
    place.set_ylim(max(low, min(ticks)), min(high, max(ticks)))


def _grid(ax: Axes, shape: tuple[int, ...]) -> None:
    """White lines between the cells, and no frame."""
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.set_xticks(np.arange(shape[1] - 1) + 0.5, minor=True)
    ax.set_yticks(np.arange(shape[0] - 1) + 0.5, minor=True)
    ax.grid(which="minor", color="white", lw=0.6)
    ax.tick_params(which="minor", length=0)


def _readable(color: Any) -> str:
    red, green, blue, _ = color
    return "black" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "white"


def _shares(share: NDArray[np.float64]) -> list[list[str]]:
    """Hundredths; nothing where it never happened in the draws."""
    return [
        ["" if value == 0.0 else "1" if value == 1.0 else f"{value:.2f}"[1:].replace(".00", "<.01")
         if value < 0.995 else ">.99" for value in row]
        for row in np.nan_to_num(share).tolist()
    ]  # fmt: skip

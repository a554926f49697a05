"""Pictures of what was examined: votes, their health, a new task, noise of answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.diagnosis import Diagnosis, VoteHealth
from rankbars.data.noise import Noise
from rankbars.data.votes import Votes
from rankbars.errors import DataError, OptionError
from rankbars.render.claims import level_words
from rankbars.render.notation import show_guarantee, show_share
from rankbars.render.plotting.lettering import Names, labels
from rankbars.render.plotting.style import (
    ALL,
    FIRST,
    MARKERS,
    PALE,
    SECOND,
    Shown,
    label_columns,
    label_rows,
)
from rankbars.render.shownnames import shorten, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "plot_left_out",
    "plot_noise",
    "plot_ratings",
    "plot_sensitivity",
    "plot_strengths_over_time",
    "plot_vote_health",
    "plot_votes_per_pair",
]

_COUNTS = "{x:,.0f}"
_MOST_LINES = 8  # models over time
_MOST_TICKS = 8
_PAIR_NAME = 24  # letters of each of two names in a row, so that no cut goes across both


def plot_ratings(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Strength of each model from votes, with its own interval.

    On the scale of Elo where the board has one, else log strengths. What tells models apart are
    the paired contrasts behind `ranks`, not the overlap of these bars.

    Parameters
    ----------
    board : Leaderboard
        A board of one task of votes.
    ax : matplotlib axes
        Drawn on.

    Raises
    ------
    DataError
        If the board has no single task of votes.
    """
    found = [task for task in board.tasks.values() if task.kind == "votes"]
    if len(found) != 1:
        raise DataError(f"Ratings are drawn for one task of votes; this board has {len(found)}.")
    task = found[0]
    value, low, high = task.ratings()
    order = shown.rows(board.models, board.order, (task.best, task.worst))
    rows = np.arange(len(order))
    ax.hlines(rows, np.nanmin(value[order]), np.nanmax(value[order]), color=PALE, lw=0.5)
    ax.hlines(rows, low[order], high[order], color=FIRST, lw=1.2)
    ax.plot(value[order], rows, "o", color=FIRST, ms=2.8)
    label_rows(ax, [board.models[i] for i in order])
    ax.set_xlabel("log strength (mean 0)" if task.elo is None else f"Elo ({task.elo_anchor})")
    level = level_words(task.alpha, task)
    ax.set_title(f"Strength from votes\n{level}, each model by itself; overlap decides nothing")
    ax.spines["left"].set_visible(False)
    return ax


def plot_strengths_over_time(board: Leaderboard, ax: Axes, shown: Shown = ALL) -> Axes:
    """Strength of models from votes in each period, with bands; those that changed most surely.

    Parameters
    ----------
    board : Leaderboard
        A board of votes that were followed over time.
    ax : matplotlib axes
        Drawn on.
    shown : Shown
        Which models; those that changed most surely where it does not say.

    Raises
    ------
    DataError
        If the board does not follow strengths over time.
    """
    found = board.over_time
    if found is None:
        raise DataError(
            "This board has no strengths over time. Rank votes with times: rankbars rank "
            "--over-time week."
        )
    tested = dict.fromkeys(one.model for one in found.changes)
    order = [found.models.index(name) for name in tested | dict.fromkeys(found.models)]
    chosen = [found.models[k] for k in shown.rows(found.models, order)]
    if shown == ALL:
        chosen = chosen[:_MOST_LINES]
    changed = {one.model for one in found.changed}
    times = np.arange(len(found.periods))
    for k, model in enumerate(chosen):
        at = found.models.index(model)
        value, low, high = (
            np.array([getattr(one, name)[at] for one in found.periods])
            for name in ("strength", "low", "high")
        )
        color = SECOND if model in changed else FIRST
        ax.fill_between(times, low, high, color=color, alpha=0.1, lw=0)
        ax.plot(times, value, MARKERS[k % len(MARKERS)] + "-", color=color, ms=2.8, lw=0.8)
        seen = np.flatnonzero(np.isfinite(value))
        if seen.size:
            ax.annotate(
                shorten(visible(model), 34), (times[seen[-1]], value[seen[-1]]), xytext=(4, 0),
                textcoords="offset points", fontsize="x-small", color=color, va="center",
            )  # fmt: skip
    step = max(1, -(-times.size // _MOST_TICKS))
    ax.set_xticks(times[::step], [one.name for one in found.periods][::step], rotation=30)
    ax.set_ylabel(f"log odds over the mean of {len(found.anchors)} models")
    level = f"{100 - 100 * found.alpha:g} % bands for all models and periods at once"
    since = f"; brown changed since {found.since}" if changed else ""
    ax.set_title(f"Strength over time\n{level}{since}")
    return ax


def plot_votes_per_pair(votes: Votes, ax: Axes, shown: Shown = ALL) -> Axes:
    """How often each two models met; white where they never did.

    Parameters
    ----------
    votes : Votes
        One task of votes.
    ax : matplotlib axes
        Drawn on.
    """
    from matplotlib.colors import LogNorm

    met = votes.met
    most = np.lexsort((np.arange(len(votes.models)), -met.sum(axis=1)))
    order = shown.rows(votes.models, most.tolist())
    table = met[np.ix_(order, order)]
    counts = np.ma.masked_equal(table, 0.0)
    image = ax.imshow(counts, cmap="viridis_r", norm=LogNorm(1, max(float(table.max()), 2.0)))
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.6, format=_COUNTS)
    bar.set_label("votes")
    names = [votes.models[i] for i in order]
    label_rows(ax, names)
    label_columns(ax, names)
    pairs = len(names) * (len(names) - 1) // 2
    seen = int(np.count_nonzero(np.triu(table, 1)))
    ax.set_title(f"Votes per pair\n{seen:,} of {pairs:,} pairs met; most votes first")
    return ax


def plot_vote_health(found: VoteHealth, ax: Axes, shown: Shown = ALL) -> Axes:
    """Further votes between two neighbours until they would be told apart, from the top.

    Parameters
    ----------
    found : VoteHealth
        From `rankbars.examine_votes`.
    ax : matplotlib axes
        Drawn on.
    """
    if shown.sort != "score":
        raise OptionError("vote_health goes from the first to the last: leave the sorting out.")
    ahead = [pair.ahead for pair in found.neighbours]
    behind = [pair.behind for pair in found.neighbours[-1:]]
    names = ahead + behind
    chosen = {names[i] for i in shown.rows(names, range(len(names)))}
    pairs = [pair for pair in found.neighbours if {pair.ahead, pair.behind} <= chosen]
    if not pairs:
        raise DataError(
            "There are no neighbours to draw: fewer than two models that are next to each other."
        )
    votes = np.array([pair.votes for pair in pairs])
    finite = votes[np.isfinite(votes)]
    most = max(float(finite.max(initial=1.0)), 10.0)
    rows = np.arange(len(pairs))
    apart, never = votes == 0.0, ~np.isfinite(votes)
    between = ~apart & ~never
    ax.hlines(rows[between], 1.0, np.maximum(votes[between], 1.0), color=FIRST, lw=2.4)
    ax.plot(np.maximum(votes[between], 1.0), rows[between], "o", color=FIRST, ms=3)
    for row in rows[apart]:
        ax.text(1.0, float(row), " enough already", va="center", fontsize=6, color="#555555")
    for row in rows[never]:
        ax.text(1.0, float(row), " no difference seen", va="center", fontsize=6, color=SECOND)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(_COUNTS)
    ax.xaxis.set_minor_formatter("")
    ax.set_xlim(0.9, most * 2)
    short = dict(zip(names, labels(names, _PAIR_NAME), strict=True))
    rows_named = [f"{short[pair.ahead]} / {short[pair.behind]}" for pair in pairs]
    label_rows(ax, rows_named)
    ax.yaxis.set_major_formatter(Names(rows_named, 2 * _PAIR_NAME + 3))
    ax.set_xlabel("further votes between the two")
    ax.set_title(
        f"Votes needed to tell neighbours apart\npower {100 * found.power:.0f} %, error rate "
        f"{found.alpha:.2g}, if the difference seen is the true one"
    )
    return ax


def plot_left_out(found: Diagnosis, ax: Axes, shown: Shown = ALL) -> Axes:
    """Share of left-out tasks (or families) that the others foresaw, with exact 95 % limits.

    Parameters
    ----------
    found : Diagnosis
        From `rankbars.diagnose`.
    ax : matplotlib axes
        Drawn on.
    """
    order = shown.rows(found.models, range(len(found.models)))
    rows = np.arange(len(order))
    marks = {"task": ("o", FIRST), "family": ("s", SECOND)}
    for number, one in enumerate(found.left_out):
        shape, color = marks[one.unit]
        place = rows + 0.18 * (number - (len(found.left_out) - 1) / 2)
        ends = np.array([one.share - one.low, one.high - one.share])[:, order]
        label = f"left-out {one.unit} ({one.count})"
        ax.errorbar(
            one.share[order], place, xerr=ends, fmt=shape, color=color, ms=4, lw=1, label=label
        )
    ax.axvline(found.expected, color="black", lw=0.8, ls="--")
    label_rows(ax, [found.models[i] for i in order])
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel(f"share inside; at least {show_guarantee(found.expected)} if tasks are alike")
    ax.set_title("Is a new task like these plausible?")
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return ax


def plot_sensitivity(found: Diagnosis, ax: Axes, shown: Shown = ALL) -> Axes:
    """Level of the new-task intervals, and largest shift each model's claim bears.

    Parameters
    ----------
    found : Diagnosis
        From `rankbars.diagnose`.
    ax : matplotlib axes
        Drawn on.
    """
    order = shown.rows(found.models, range(len(found.models)))
    rows = np.arange(len(order))
    bears = np.clip(np.nan_to_num(found.breakdown[order], nan=0.0), 0.0, None)
    ax.barh(rows, bears, color=FIRST, height=0.6)
    for row in np.flatnonzero(bears == 0.0):
        ax.text(0.0, float(row), " not supported", va="center", fontsize=6, color="#555555")
    label_rows(ax, [found.models[i] for i in order])
    ax.set_xlim(0.0, max(float(bears.max(initial=0.0)) * 1.15, 0.05))
    ax.set_xlabel(
        f"shift under which 'never outside the top {found.top}' keeps {show_share(found.coverage)}"
    )
    level = "" if found.guarantee is None else f"\nlevel of intervals: {_falls(found)}"
    ax.set_title(f"How much shift the claims bear{level}")
    return ax


def _falls(found: Diagnosis) -> str:
    return f"{show_guarantee(found.guarantee or 0.0)} minus the shift"


def plot_noise(noise: Noise, ax: Axes, shown: Shown = ALL) -> Axes:
    """Which share of the variance of each score is items, answers and whole runs.

    Parameters
    ----------
    noise : Noise
        From `rankbars.noise`; several tasks stand one below the other.
    ax : matplotlib axes
        Drawn on.
    """
    chosen = shown.rows(noise.models, range(len(noise.models)))
    names, shares, errors = [], [], []
    words: set[tuple[str, str]] = set()
    for name, task in noise.tasks.items():
        means = task.means
        words.add((task.row, task.answer))
        for place in (i for i in chosen if means.variance[i] > 0):
            runs = max(float(np.nan_to_num(means.runs[place])), 0.0)
            answers = float(np.nan_to_num(min(means.answers[place], means.variance[place])))
            parts = np.array([means.variance[place] - answers, answers, runs])
            shares.append(100 * parts / parts.sum())
            errors.append(float(np.sqrt(means.variance[place])))
            model = noise.models[place]
            names.append(f"{name}: {model}" if len(noise.tasks) > 1 else model)
    if not names:
        raise DataError("There is no variance to draw: each model has the same score on all rows.")
    table = np.array(shares)
    rows, left = np.arange(len(names)), np.zeros(len(names))
    item, answer = words.pop() if len(words) == 1 else ("items", "answers")
    for column, (word, color) in enumerate(((item, FIRST), (answer, SECOND), ("whole runs", PALE))):
        ax.barh(rows, table[:, column], left=left, color=color, height=0.62, label=word)
        left += table[:, column]
    for row, error in zip(rows, errors, strict=True):
        ax.annotate(f" error {error:.2g}", (100, row), va="center", fontsize=6)
    label_rows(ax, names)
    ax.set_xlim(0, 100)
    ax.set_xlabel("share of the variance of the score, %")
    ax.set_title("Where the error comes from")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.12), ncols=3)
    return ax

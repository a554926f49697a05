"""Ranks that are asked for, in words and as plain values.

Why a model has its own; those on a new task, on held-out tasks, and what draws of scores say.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.boardfile import KEYS
from rankbars.data.diagnosis import HeldOut
from rankbars.data.intervals import RankIntervals
from rankbars.data.plain import to_plain
from rankbars.data.standings import RankShares
from rankbars.render.claims import (
    APPROXIMATE,
    is_approximate,
    lead_claim,
    overall_claim,
    statements_level,
)
from rankbars.render.methodbox import pairs_decided
from rankbars.render.notation import counted, show_chance, show_level, show_ranks
from rankbars.render.sentences import place
from rankbars.render.shownnames import short_names, visible
from rankbars.render.textlines import each_wrapped, in_columns, text_of, wrapped

__all__ = [
    "held_out_to_dict",
    "predicted_to_dict",
    "reasons_text",
    "reasons_to_dict",
    "render_held_out",
    "render_predicted",
    "render_shares",
    "shares_to_dict",
]

_AGREE = (
    "These shares say more than the ranks of the board do, which allow for the number of models, "
    "few tasks and skewed rows: rely on the ranks."
)


_NAME_WIDTH, _DRAWN_WIDTH = 40, 32


def render_predicted(board: Leaderboard, found: RankIntervals) -> str:
    """Rank intervals for a new task as lines of text.

    Parameters
    ----------
    board : Leaderboard
        What they were made of; models stand in its order.
    found : RankIntervals
        From `rankbars.predict`.

    Returns
    -------
    str
        What is stated, with what probability; the rank of each model, by category where there are
        categories; and what must hold.
    """
    claim = overall_claim(found)
    order = board.order
    columns = {"Rank": found} | dict(found.groups or {})
    rows = [["Model", *(visible(title) for title in columns)]]
    for name, i in zip(_names(board, order), order, strict=True):
        ranks = [show_ranks(int(one.best[i]), int(one.worst[i])) for one in columns.values()]
        rows.append([name, *ranks])
    tasks = counted(len(board.tasks), "task")
    said = [f"{claim.title}: {claim.words} ({found.method} merge of {tasks} at {found.alpha:g})."]
    after = [*found.assumptions, *(note.message for note in found.notes)]
    return text_of([*each_wrapped(said), "", *in_columns(rows), "", *each_wrapped(after)])


def render_held_out(found: HeldOut) -> str:
    """How ranks on tasks that were held out lie to those for a new task, as lines of text.

    Parameters
    ----------
    found : HeldOut
        From `rankbars.hold_out`.

    Returns
    -------
    str
        The share that lies within and how large it should be; then, for each model, its interval
        for a new task, how many of those on held-out tasks lie within it, how many have a rank in
        common with it, and between which ranks all of them lie.
    """
    board, count = found.board, len(found.tasks)
    inside, meets = found.inside.sum(axis=0), found.meets.sum(axis=0)
    best = np.min([one.best for one in found.tasks.values()], axis=0)
    worst = np.max([one.worst for one in found.tasks.values()], axis=0)
    new = found.new_task
    rows = [["Model", "New task", "Within", "Meet", "Held out"]]
    for name, i in zip(_names(board, board.order), board.order, strict=True):
        rows.append([
            name,
            show_ranks(int(new.best[i]), int(new.worst[i])),
            f"{inside[i]}/{count}",
            f"{meets[i]}/{count}",
            show_ranks(int(best[i]), int(worst[i])),
        ])  # fmt: skip
    total = inside.size * count
    error = math.sqrt(found.expected * (1 - found.expected) / count)
    said = [
        f"{counted(count, 'task')} held out; rank intervals for a new task come from the other "
        f"{len(board.tasks)} ({new.method} merge at {new.alpha:g}).",
        f"Of {total} rank intervals on held-out tasks, {int(inside.sum())} "
        f"({100 * found.share:.0f} %) lie within those for a new task, and {int(meets.sum())} "
        f"({100 * float(meets.sum()) / total:.0f} %) have a rank in common with them.",
        f"If tasks are of one kind, at least {100 * found.expected:.1f} % lie within on average; "
        f"of {counted(count, 'task')} the share may be {100 * error:.0f} points off by chance.",
    ]
    return text_of([*each_wrapped(said), "", *in_columns(rows)])


def held_out_to_dict(found: HeldOut) -> dict[str, Any]:
    """The same as a dict of lists, strings and numbers; lists of models are aligned."""
    tasks = [
        {
            "task": name,
            "best": one.best.tolist(),
            "worst": one.worst.tolist(),
            "inside": inside.tolist(),
            "meets": meets.tolist(),
        }
        for (name, one), inside, meets in zip(
            found.tasks.items(), found.inside, found.meets, strict=True
        )
    ]
    return {
        "models": list(found.models),
        "overall": predicted_to_dict(found.new_task),
        "n_tasks": len(found.board.tasks),
        "held_out": tasks,
        "share": found.share,
        "expected": found.expected,
    }


def _names(board: Leaderboard, places: Iterable[int], width: int = _NAME_WIDTH) -> list[str]:
    return short_names((board.models[i] for i in places), width)


def predicted_to_dict(found: RankIntervals) -> dict[str, Any]:
    """The intervals as a dict of lists, strings and numbers, keys as under `overall` in a board."""
    plain = to_plain(found, KEYS, RankIntervals, found.models)
    notes = [{"code": note.code, "message": note.message} for note in found.notes]
    return {"models": list(found.models), **plain, "notes": notes}


def render_shares(board: Leaderboard, k: int | None, *, pairs: bool) -> str:
    """Probabilities of ranks, of places among the first k, and of pairs, as lines of text.

    Parameters
    ----------
    board : Leaderboard
        The result.
    k : int, optional
        The probability of being among the first k; left out where not given.
    pairs : bool
        Whether to list the probability that one model is better than another.

    Raises
    ------
    DataError
        If the board has no draws.
    OptionError
        If `k` is out of range.
    """
    shares = board.rank_shares()
    parts = [] if k is None else [_top(board, shares, k)]
    if pairs:
        parts.append(_pairs(board, shares))
    if not shares.agrees:
        parts.append(wrapped(_AGREE))
    return "\n".join(map(text_of, parts))


def _top(board: Leaderboard, shares: RankShares, k: int) -> list[str]:
    inside = shares.top_probability(k)
    band, mean = shares.band(), shares.expected_rank
    order = [i for i in board.order if shares.present[i]]
    rows = [["Model", "First", *([] if k == 1 else [f"First {k}"]), "Mean rank", "Band"]]
    for i, name in zip(order, _names(board, order, _DRAWN_WIDTH), strict=True):
        first = show_chance(float(shares.probability[i, 0]))
        among = [] if k == 1 else [show_chance(float(inside[i]))]
        ranks = show_ranks(int(band.best[i]), int(band.worst[i]))
        rows.append([name, first, *among, f"{mean[i]:.1f}", ranks])
    likely, exactly = shares.top(k, exactly=False), shares.top(k)
    may = board.top(k)
    which = "first" if k == 1 else f"among the first {k}"
    said = [
        f"More likely than not {which}: {_listed(board, likely)}.",
        f"The {k} most likely: {_listed(board, exactly)}." if k > 1 else "",
        f"By the ranks of the board ({statements_level(board)}), these may be {which}: "
        f"{_listed(board, may)}.",
        f"Shares of {shares.draws:,} draws of the scores, and bands that hold "
        f"{show_level(shares.alpha)} of them: a description. Tied models are missed far more "
        "often than that.",
    ]
    return [*in_columns(rows), "", *each_wrapped(filter(None, said))]


def _pairs(board: Leaderboard, shares: RankShares) -> list[str]:
    rows = _pair_rows(board, shares)
    short = short_names(board.models, _DRAWN_WIDTH)
    table = [
        ["Model", "Better than", "Probability", "Bonferroni", "BH"],
        *(
            [
                short[row["better"]], short[row["worse"]], show_chance(row["probability"]),
                *("yes" if row[name] else "" for name in ("bonferroni", "bh")),
            ]
            for row in rows
        ),
    ]  # fmt: skip
    found = shares.state_pairs()
    level = f"at {show_level(shares.alpha)}, as far as the errors describe what is not known"
    if is_approximate(board):
        level = f"only {APPROXIMATE}, as what the board states"
    said = [
        f"Bonferroni: all pairs so marked are right together, {level}. BH (Benjamini and "
        f"Hochberg): on average at most a share of {shares.alpha:g} of them is wrong, so they make "
        "no order.",
        "What the board states, and draws as an order (rankbars plot BOARD order), comes from its "
        "own test of all pairs at once.",
    ]
    if not found.reachable:
        needed = int(np.ceil(len(rows) * 2 / shares.alpha)) - 1
        few = (
            f"{shares.draws:,} draws are too few for Bonferroni to mark any of "
            f"{counted(len(rows), 'pair')}: it takes {needed:,} (--resamples)."
        )
        said.insert(0, few)
    return [*in_columns(table), "", *each_wrapped(said)]


def _pair_rows(board: Leaderboard, shares: RankShares) -> list[dict[str, Any]]:
    """Every pair once, the one that is ahead first, in the order of the board."""
    sure, share = (shares.state_pairs(name).stated for name in ("bonferroni", "bh"))
    dominance = shares.dominance
    rows: list[dict[str, Any]] = []
    if dominance is None:
        return rows
    order = [i for i in board.order if shares.present[i]]
    for at, i in enumerate(order):
        for j in order[at + 1 :]:
            one, two = (j, i) if dominance[j, i] > dominance[i, j] else (i, j)
            rows.append(
                {
                    "better": one,
                    "worse": two,
                    "probability": float(dominance[one, two]),
                    "bonferroni": bool(sure[one, two]),
                    "bh": bool(share[one, two]),
                }
            )
    return rows


def shares_to_dict(board: Leaderboard, k: int | None, *, pairs: bool) -> dict[str, Any]:
    """The same as plain values: lists aligned with `models`; NaN becomes None."""
    shares = board.rank_shares()
    found: dict[str, Any] = {
        "models": list(board.models),
        "draws": shares.draws,
        "alpha": shares.alpha,
        "draws_agree": shares.agrees,
    }
    if k is not None:
        band = shares.band()
        found |= {
            "k": k,
            "rank_probability": shares.probability.tolist(),
            "top_probability": shares.top_probability(k).tolist(),
            "more_likely_than_not": list(shares.top(k, exactly=False)),
            "most_likely": list(shares.top(k)),
            "may_be_among": list(board.top(k)),
            "expected_rank": shares.expected_rank.tolist(),
            "band_best": band.best.tolist(),
            "band_worst": band.worst.tolist(),
        }
    if pairs:
        found["pairs"] = [
            row | {"better": board.models[row["better"]], "worse": board.models[row["worse"]]}
            for row in _pair_rows(board, shares)
        ]
    return found


def _listed(board: Leaderboard, names: tuple[str, ...]) -> str:
    kept = [visible(board.models[i]) for i in board.order if board.models[i] in names]
    return ", ".join(kept) or "none"


_PARTS = (
    ("Shown better", "above", "no model."),
    ("Not told apart", "within", "no model: it is told apart from every other one."),
    ("Shown worse", "below", "no model."),
)


def reasons_text(board: Leaderboard, model: str, width: int = 80) -> str:
    """Why a model has its ranks on what a board shows first, as lines of text.

    Parameters
    ----------
    board : Leaderboard
        The result.
    model : str
        One of its models.
    width : int
        Columns of a line.

    Raises
    ------
    OptionError, DataError
        As `Leaderboard.why`.
    """
    found = board.why(model)
    ranks = show_ranks(found.best, found.worst)
    said = [
        f"Why {ranks}? {place(board)}, {visible(model)} ranks {ranks} of {found.models} "
        f"({lead_claim(board).words})."
    ]
    for title, name, nobody in _PARTS:
        names = getattr(found, name)
        listed = ", ".join(map(visible, names)) + "." if names else nobody
        said.append(f"{title} ({len(names)}): {listed}")
    said += [_counted_up(board, model), pairs_decided(board), "Not told apart does not mean equal."]
    return text_of(each_wrapped(said, width))


def _counted_up(board: Leaderboard, model: str) -> str:
    """How the ranks follow from the pairs, or that they do not."""
    found = board.why(model)
    better, worse = len(found.above), len(found.below)
    if found.follow:
        return (
            f"Rank {found.best} at best: 1 plus the {better} shown better. Rank {found.worst} at "
            f"worst: {counted(found.models, 'model')} minus the {worse} shown worse."
        )
    if found.best == 2 and not better and found.worst == found.models - worse:
        return (
            "No single model is shown better, but the results rule out that it is first: rank 2 "
            f"at best. Rank {found.worst} at worst: {counted(found.models, 'model')} minus the "
            f"{worse} shown worse."
        )
    return (
        "The rank interval is about this model by itself, and may say more or less than the "
        "single pairs do, which hold all at once."
    )


def reasons_to_dict(board: Leaderboard, model: str) -> dict[str, Any]:
    """The same as plain values."""
    found = {"schema": "rankbars.why/1"} | board.why(model)._asdict()
    return found | {"decided": pairs_decided(board)}

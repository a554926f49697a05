"""What draws of scores say of ranks: as lines of text, and as plain values."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.rankshares import RankShares
from rankbars.render.claims import statements_level
from rankbars.render.notation import (
    counted,
    shorten_all,
    show_chance,
    show_level,
    show_ranks,
    visible,
)

__all__ = ["render_shares", "shares_to_dict"]

_WIDTH, _NAME_WIDTH = 80, 32
_AGREE = (
    "These shares say more than the ranks of the board do, which allow for the number of models, "
    "few tasks and skewed rows: rely on the ranks."
)


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
        parts.append(_wrapped([_AGREE]))
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def _top(board: Leaderboard, shares: RankShares, k: int) -> list[str]:
    inside = shares.top_probability(k)
    band, mean = shares.band(), shares.expected_rank
    order = [i for i in board.order if shares.present[i]]
    table = {
        "Model": _names(board, order),
        "First": [show_chance(float(shares.probability[i, 0])) for i in order],
        **({} if k == 1 else {f"First {k}": [show_chance(float(inside[i])) for i in order]}),
        "Mean rank": [f"{mean[i]:.1f}" for i in order],
        "Band": [show_ranks(int(band.best[i]), int(band.worst[i])) for i in order],
    }
    likely, exactly = shares.top(k, exactly=False), shares.top(k)
    may = board.top(k)
    place = "first" if k == 1 else f"among the first {k}"
    said = [
        f"More likely than not {place}: {_listed(board, likely)}.",
        f"The {k} most likely: {_listed(board, exactly)}." if k > 1 else "",
        f"By the ranks of the board ({statements_level(board)}), these may be {place}: "
        f"{_listed(board, may)}.",
        f"Shares of {shares.draws:,} draws of the scores, and bands that hold "
        f"{show_level(shares.alpha)} of them: a description. Tied models are missed far more "
        "often than that.",
    ]
    return [*_columns(table), "", *_wrapped([text for text in said if text])]


def _pairs(board: Leaderboard, shares: RankShares) -> list[str]:
    rows = _pair_rows(board, shares)
    short = _names(board, list(range(len(board.models))))
    table = {
        "Model": [short[row["better"]] for row in rows],
        "Better than": [short[row["worse"]] for row in rows],
        "Probability": [show_chance(row["probability"]) for row in rows],
        "Bonferroni": ["yes" if row["bonferroni"] else "" for row in rows],
        "BH": ["yes" if row["bh"] else "" for row in rows],
    }
    found = shares.state_pairs()
    said = [
        f"Bonferroni: all pairs so marked are right with probability {1 - shares.alpha:g}, as far "
        f"as the errors describe what is not known. BH (Benjamini and Hochberg): on average at "
        f"most a share of {shares.alpha:g} of them is wrong, so they make no order.",
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
    return [*_columns(table), "", *_wrapped(said)]


def _pair_rows(board: Leaderboard, shares: RankShares) -> list[dict[str, Any]]:
    """Every pair once, the one that is ahead first, in the order of the board."""
    sure, share = (shares.state_pairs(name).stated for name in ("bonferroni", "bh"))
    dominance = shares.dominance
    rows: list[dict[str, Any]] = []
    if dominance is None:
        return rows
    order = [i for i in board.order if shares.present[i]]
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
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
            "rank_probability": [_numbers(row) for row in shares.probability],
            "top_probability": _numbers(shares.top_probability(k)),
            "more_likely_than_not": list(shares.top(k, exactly=False)),
            "most_likely": list(shares.top(k)),
            "may_be_among": list(board.top(k)),
            "expected_rank": _numbers(shares.expected_rank),
            "band_best": band.best.tolist(),
            "band_worst": band.worst.tolist(),
        }
    if pairs:
        found["pairs"] = [
            row
            | {"better": board.models[row["better"]], "worse": board.models[row["worse"]]}
            | {"probability": _numbers([row["probability"]])[0]}
            for row in _pair_rows(board, shares)
        ]
    return found


def _numbers(values: Any) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]


def _names(board: Leaderboard, order: list[int]) -> list[str]:
    return shorten_all([visible(board.models[i]) for i in order], [_NAME_WIDTH] * len(order))


def _listed(board: Leaderboard, names: tuple[str, ...]) -> str:
    kept = [visible(board.models[i]) for i in board.order if board.models[i] in names]
    return ", ".join(kept) or "none"


def _columns(table: dict[str, list[str]]) -> list[str]:
    rows = [list(table), *([*row] for row in zip(*table.values(), strict=True))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _wrapped(sentences: list[str]) -> list[str]:
    return [line for text in sentences for line in textwrap.wrap(text, _WIDTH)]

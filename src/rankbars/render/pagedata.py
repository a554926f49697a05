"""What the script of the page gets: the board, its pairs, and what averages are recomputed from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.diagnosis import VoteHealth
from rankbars.data.evidence import Coverage
from rankbars.data.spec import side_level
from rankbars.errors import DataError
from rankbars.render.boardnotes import Remark
from rankbars.render.claims import (
    Claim,
    average_level,
    average_title,
    average_words,
    lead_claim,
    new_task_claim,
    statements_level,
    task_claim,
)
from rankbars.render.examination import finding_title, finding_value
from rankbars.render.exploration import explore_data, merged_ends, pair_data, shared_rows
from rankbars.render.firstscreen import opening, what_is_ranked
from rankbars.render.notation import show_level
from rankbars.render.pagenumbers import (
    known_number,
    known_numbers,
    one_or_packed,
    pack_bits,
    pack_counts,
    pack_reals,
)
from rankbars.render.ranktable import score_title, task_decimals, task_score_note
from rankbars.render.shownnames import visible
from rankbars.stats.resampling.rankcounts import TOP

__all__ = [
    "page_data",
    "page_json",
    "shares_line",
    "top_share",
]

_SCHEMA = "rankbars.page/1"
_MOST_WITH_DRAWS = 250  # models; for more the table of rank probabilities would be too large


def page_json(board: Leaderboard, remarks: tuple[Remark, ...]) -> str:
    """The data of the page as text that can stand inside an element of the page.

    Parameters
    ----------
    board : Leaderboard
        The result.
    remarks : tuple of Remark
        The notes that the page shows.

    Returns
    -------
    str
        JSON in ASCII; no character in it can end the element or start a comment.
    """
    text = json.dumps(
        page_data(board, remarks), ensure_ascii=True, allow_nan=False, separators=(",", ":")
    )
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def page_data(board: Leaderboard, remarks: tuple[Remark, ...]) -> dict[str, Any]:
    """The data of the page as plain values; names are as the page shows them."""
    tasks = list(board.tasks.values())
    coverage = np.array([task.scored_share for task in tasks])
    new_claim = None if board.lead == "new_task" else new_task_claim(board)
    overall = board.overall
    explore = explore_data(board)
    return {
        "schema": _SCHEMA,
        "rankbars": board.version,
        "lead": board.lead,
        "models": [visible(name) for name in board.models],
        "tasks": [_task(task) for task in tasks],
        "order": list(board.order),
        "tier": board.tier.tolist() if board.tiers else None,
        "coverage": known_numbers(board.coverage),
        "leadRanks": _ranks(lead_claim(board), *board.ranks),
        "ranked": what_is_ranked(board),
        "oneModel": _one_model(board),
        "newTask": None
        if new_claim is None or overall is None
        else _ranks(new_claim, overall.best, overall.worst),
        "average": _average(board),
        "parts": _parts(board),
        "shares": _shares(board),
        "costs": _costs(board),
        "best": pack_counts([task.best for task in tasks]),
        "worst": pack_counts([task.worst for task in tasks]),
        "mean": pack_reals([task.mean for task in tasks]),
        # Errors enter what is recomputed only where pairs are known.
        "se": pack_reals([task.se for task in tasks], exact=board.pairs is not None),
        "elo": None if tasks[0].elo is None or len(tasks) > 1 else pack_reals(tasks[0].elo),
        "taskCoverage": None if (coverage == 1).all() else pack_reals(coverage, exact=False),
        "shownBetter": pack_bits(board.shown_better),
        "edges": _edges(board),
        "explore": explore,
        "merged": merged_ends(board),
        "pairs": None if board.pairs is None else pair_data(board, board.pairs),
        "sharedRows": shared_rows(board) if explore["average"] else None,
        "health": None if board.health is None else _health(board, board.health),
        "attributes": _attributes(board),
        "inputs": [visible(entry.path) for entry in board.inputs],
        "notes": [_note(remark, board) for remark in remarks],
    }


def _costs(board: Leaderboard) -> dict[str, Any] | None:
    """What models cost, and which of them may be the best for the money."""
    front = board.front
    if front is None or board.lead == "new_task":
        return None
    ends = (
        "" if front.known else f" Horizontal lines: {show_level(front.alpha)} interval of a cost."
    )
    return {
        "metric": visible(front.metric),
        "cost": known_numbers(front.cost),
        "low": known_numbers(front.low),
        "high": known_numbers(front.high),
        "observed": front.observed.tolist(),
        "possible": front.possible.tolist(),
        "level": statements_level(board),
        "words": "Filled: may be the best for the money. Hollow: another one is better and no "
        "dearer. Dotted: the front as observed. Vertical lines: interval of a score, each by "
        f"itself.{ends}",
    }


def _attributes(board: Leaderboard) -> dict[str, list[str | None]] | None:
    """What is known of models beside their scores, by name; one text per model, null for none."""
    names = dict.fromkeys(name for said in board.attributes.values() for name in said)
    found = {
        visible(name): [_seen(board.attributes.get(model, {}).get(name)) for model in board.models]
        for name in names
    }
    return found or None


def _one_model(board: Leaderboard) -> dict[str, Any] | None:
    """What the page says to somebody who had one model in mind; None where it says that anyway."""
    try:
        own = board.for_one_model()
    except DataError:
        return None
    above = opening(own)
    return {
        "ranks": _ranks(lead_claim(own), *own.ranks),
        "title": above.title,
        "level": f"{above.level} Pairs of models go on to be about all models at once.",
    }


def top_share(board: Leaderboard, k: int) -> NDArray[np.float64] | None:
    """Share of the draws in which each model is among the first `k`; None without draws.

    None as well where all models are, and where the shares say more than the ranks beside them.
    """
    shown = _drawn_part(board)
    return None if shown is None or k >= len(board.models) else shown.top_share(k)


def _drawn_part(board: Leaderboard) -> Aggregate | TaskResult | None:
    """What the board shows first, where ranks in draws are part of it."""
    if board.lead == "new_task":
        return None
    shown = board.aggregate if board.lead == "aggregate" else next(iter(board.tasks.values()))
    return None if shown is None or shown.rank_probability is None else shown


def _shares(board: Leaderboard) -> dict[str, Any] | None:
    """Shares of draws that may stand beside the ranks."""
    shown = _drawn_part(board)
    if shown is None:
        return None
    first, top = top_share(board, 1), top_share(board, TOP)
    agrees = shown.top_share(1) is not None
    small = len(board.models) <= _MOST_WITH_DRAWS
    drawn = shown.rank_probability if agrees and small else None
    pairs = shown.dominance if agrees else None
    return {
        "first": None if first is None else known_numbers(first),
        "top": None if top is None else known_numbers(top),
        "topCount": TOP,
        "rankProbability": None if drawn is None else pack_reals(drawn, exact=False),
        "dominance": None if pairs is None else pack_reals(pairs, exact=False),
    }


def shares_line(board: Leaderboard) -> str:
    """Why shares of draws do not stand beside the ranks; empty where they do, or there are none."""
    shown = _drawn_part(board)
    if shown is None or not shown.draws_exceed:
        return ""
    return (
        "Shares of draws that would say more than these ranks are left out: draws do not allow for "
        "the number of models compared, nor for few tasks or skewed rows."
    )


def _task(task: TaskResult) -> dict[str, Any]:
    return {
        "name": visible(task.name),
        "kind": task.kind,
        "n": task.n,
        "category": _seen(task.category),
        "family": _seen(task.family),
        "metric": _seen(task.metric),
        "direction": task.direction,
        "weight": task.weight,
        "alpha": task.alpha,
        "side": _side_level(task),
        "claim": task_claim(task).words,
        "approximate": task.approximate,
        "test": task.test,
        "scoreTitle": score_title(task),
        "scoreNote": task_score_note(task),
        "decimals": task_decimals(task),
        "ends": None
        if task.low is None or task.high is None
        else {
            "low": pack_reals(task.low, exact=False),
            "high": pack_reals(task.high, exact=False),
        },
        "df": None if task.df is None else one_or_packed(np.broadcast_to(task.df, task.se.shape)),
        "counts": None if task.counts is None else _outcomes(task.counts),
    }


def _outcomes(counts: Coverage) -> dict[str, Any]:
    """What became of the rows of a task; a list of zeros only is left out."""
    found: dict[str, Any] = {"expected": counts.expected}
    for name in ("zeros", "unscored", "errors", "missing"):
        values: NDArray[np.int64] | None = getattr(counts, name)
        found[name] = None if values is None or not values.any() else pack_counts(values)
    return found


def _side_level(task: TaskResult) -> float | None:
    """Error rate of one side of what a new task is made of; None where nothing is promised."""
    if task.guarantee is None:
        return None
    together = task.scope == "all" and task.merged_best is None
    return side_level(task.correction, "all" if together else "each", task.alpha)


def _ranks(claim: Claim, best: NDArray[np.int64], worst: NDArray[np.int64]) -> dict[str, Any]:
    return {
        "title": claim.title,
        "words": claim.words,
        "best": best.tolist(),
        "worst": worst.tolist(),
    }


def _average(board: Leaderboard) -> dict[str, Any] | None:
    average = board.aggregate
    if average is None:
        return None
    return {
        "title": average_title(average),
        "words": average_words(average),
        "level": average_level(average),
        "over": average.over,
        "unit": average.unit,
        "direction": average.direction,
        "alpha": average.alpha,
        "scope": average.scope,
        "score": known_numbers(average.score),
        "low": known_numbers(average.low),
        "high": known_numbers(average.high),
        "bounds": [known_number(end) for end in average.bounds],
        "isRange": average.is_range,
        "best": average.best.tolist(),
        "worst": average.worst.tolist(),
    }


def _parts(board: Leaderboard) -> list[dict[str, Any]] | None:
    """An arena in each of its categories that could be ranked; models by position, best first."""
    position = {name: i for i, name in enumerate(board.models)}
    found = []
    for one in board.categories:
        if one.task is None:
            continue
        value, low, high = one.task.ratings()
        order = np.lexsort((one.task.best + one.task.worst, -one.task.mean))
        found.append({
            "name": visible(one.title),
            "votes": f"{one.votes:,}",
            "words": task_claim(one.task).words,
            "models": [position[one.models[k]] for k in order],
            "best": one.task.best[order].tolist(),
            "worst": one.task.worst[order].tolist(),
            "score": value[order].tolist(),
            "low": known_numbers(low[order]),
            "high": known_numbers(high[order]),
            "decimals": 2 if one.task.elo is None else 0,
        })  # fmt: skip
    return found or None


def _edges(board: Leaderboard) -> dict[str, str] | None:
    try:
        edges = board.partial_order().edges
    except DataError:  # a cycle: the notes say so
        return None
    position = {name: i for i, name in enumerate(board.models)}
    return pack_counts([[position[one], position[two]] for one, two in edges])


def _health(board: Leaderboard, health: Mapping[str, VoteHealth]) -> list[dict[str, Any] | None]:
    position = {name: i for i, name in enumerate(board.models)}
    return [
        _task_health(health[name], position) if name in health else None for name in board.tasks
    ]


def _task_health(health: VoteHealth, position: Mapping[str, int]) -> dict[str, Any]:
    return {
        "alpha": health.alpha,
        "power": health.power,
        "findings": [
            {
                "name": visible(finding_title(finding)),
                "value": finding_value(finding),
                "sentence": visible(finding.sentence),
                "concern": finding.concern,
            }
            for finding in health.findings
        ],
        "neighbours": [
            {
                "ahead": position[pair.ahead],
                "behind": position[pair.behind],
                "difference": known_number(pair.difference),
                "se": known_number(pair.se),
                "votes": known_number(pair.votes),
            }
            for pair in health.neighbours
        ],
    }


def _seen(text: str | None) -> str | None:
    return None if text is None else visible(text)


def _note(remark: Remark, board: Leaderboard) -> dict[str, Any]:
    models = {name: i for i, name in enumerate(board.models)}
    tasks = {name: i for i, name in enumerate(board.tasks)}
    return {
        "number": remark.number,
        "code": remark.code,
        "text": visible(remark.message),
        "models": [models[name] for name in remark.models if name in models],
        "tasks": [tasks[name] for name in remark.tasks if name in tasks],
    }

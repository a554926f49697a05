"""What the script of the page gets: the board, its pairs, and what averages are recomputed from."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankbars.data.aggregate import Aggregate
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.diagnosis import VoteHealth
from rankbars.data.evidence import Coverage
from rankbars.data.spec import side_level
from rankbars.data.taskresult import PairDetails, ScoreBins, TaskPairs
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
from rankbars.render.exploration import explore_data
from rankbars.render.firstscreen import opening, what_is_ranked
from rankbars.render.notation import show_level
from rankbars.render.ranktable import score_title, task_decimals, task_score_note
from rankbars.render.shownnames import visible
from rankbars.stats.resampling.rankcounts import TOP

__all__ = ["page_data", "page_json", "shares_line", "top_share"]

_SCHEMA = "rankbars.page/1"
_MOST_WITH_DRAWS = 250  # models; for more the table of rank probabilities would be too large
_WIDTHS = (("u1", 1), ("u2", 2), ("u4", 4))


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
        "coverage": _reals(board.coverage),
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
        "best": _pack_counts([task.best for task in tasks]),
        "worst": _pack_counts([task.worst for task in tasks]),
        "mean": _pack_reals([task.mean for task in tasks]),
        # Errors enter what is recomputed only where pairs are known.
        "se": _pack_reals([task.se for task in tasks], exact=board.pairs is not None),
        "elo": None if tasks[0].elo is None or len(tasks) > 1 else _pack_reals(tasks[0].elo),
        "taskCoverage": None if (coverage == 1).all() else _pack_reals(coverage, exact=False),
        "shownBetter": _pack_bits(board.shown_better),
        "edges": _edges(board),
        "explore": explore,
        "merged": _merged(board),
        "pairs": None if board.pairs is None else _pairs(board, board.pairs),
        "sharedRows": _shared_rows(board) if explore["average"] else None,
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
        "cost": _reals(front.cost),
        "low": _reals(front.low),
        "high": _reals(front.high),
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
        "first": None if first is None else _reals(first),
        "top": None if top is None else _reals(top),
        "topCount": TOP,
        "rankProbability": None if drawn is None else _pack_reals(drawn, exact=False),
        "dominance": None if pairs is None else _pack_reals(pairs, exact=False),
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


def _pack_counts(values: ArrayLike) -> dict[str, str]:
    """Whole numbers from 0 on as base64 of the narrowest little-endian type that holds them.

    Examples
    --------
    >>> _pack_counts([1, 2, 3])
    {'kind': 'u1', 'bytes': 'AQID'}
    """
    counts = np.asarray(values, dtype=np.int64)
    kind = next(k for k, width in _WIDTHS if counts.max(initial=0) < 256**width)
    return {"kind": kind, "bytes": _base64(counts.astype(f"<{kind}"))}


def _pack_bits(values: NDArray[np.bool_]) -> dict[str, str]:
    """Yes or no, eight in a byte, the first in its lowest bit.

    Examples
    --------
    >>> import numpy as np
    >>> _pack_bits(np.array([[True, False], [False, True]]))
    {'kind': 'u1', 'bytes': 'CQ=='}
    """
    return {"kind": "u1", "bytes": _base64(np.packbits(values, bitorder="little"))}


def _pack_reals(values: ArrayLike, *, exact: bool = True) -> dict[str, str]:
    """Real numbers as base64 of little-endian doubles, or of single precision."""
    kind = "f8" if exact else "f4"
    with np.errstate(over="ignore"):
        packed = np.asarray(values, dtype=np.float64).astype(f"<{kind}")
    # One bit pattern for "not known": the sign of NaN differs between processors.
    packed = np.where(np.isnan(packed), np.array(np.nan, dtype=packed.dtype), packed)
    return {"kind": kind, "bytes": _base64(packed)}


def _base64(array: NDArray[Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode("ascii")


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
            "low": _pack_reals(task.low, exact=False),
            "high": _pack_reals(task.high, exact=False),
        },
        "df": None if task.df is None else _shared(np.broadcast_to(task.df, task.se.shape)),
        "counts": None if task.counts is None else _outcomes(task.counts),
    }


def _outcomes(counts: Coverage) -> dict[str, Any]:
    """What became of the rows of a task; a list of zeros only is left out."""
    found: dict[str, Any] = {"expected": counts.expected}
    for name in ("zeros", "unscored", "errors", "missing"):
        values: NDArray[np.int64] | None = getattr(counts, name)
        found[name] = None if values is None or not values.any() else _pack_counts(values)
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
        "score": _reals(average.score),
        "low": _reals(average.low),
        "high": _reals(average.high),
        "bounds": [_number(end) for end in average.bounds],
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
            "low": _reals(low[order]),
            "high": _reals(high[order]),
            "decimals": 2 if one.task.elo is None else 0,
        })  # fmt: skip
    return found or None


def _edges(board: Leaderboard) -> dict[str, str] | None:
    try:
        edges = board.partial_order().edges
    except DataError:  # a cycle: the notes say so
        return None
    position = {name: i for i, name in enumerate(board.models)}
    return _pack_counts([[position[one], position[two]] for one, two in edges])


def _merged(board: Leaderboard) -> dict[str, Any] | None:
    """What the new-task intervals are made of, where that is not what the tasks show."""
    if board.overall is None:
        return None
    tasks = board.tasks.values()
    if board.overall.method == "observed":
        ends = [(task.observed_best, task.observed_worst) for task in tasks]
    else:
        ends = [
            (task.merged_best, task.merged_worst)
            for task in tasks
            if task.merged_best is not None and task.merged_worst is not None
        ]
    if len(ends) < len(tasks):
        return None
    best, worst = zip(*ends, strict=True)
    return {"best": _pack_counts(best), "worst": _pack_counts(worst)}


def _pairs(board: Leaderboard, pairs: PairDetails) -> list[dict[str, Any] | None]:
    return [
        _task_pairs(task, pairs.tasks[name]) if name in pairs.tasks else None
        for name, task in board.tasks.items()
    ]


def _task_pairs(task: TaskResult, pairs: TaskPairs) -> dict[str, Any]:
    first, second = np.triu_indices(task.mean.size, k=1)
    inside = task.mean if task.direction == "higher" else -task.mean
    usual = inside[first] - inside[second]
    return {
        "difference": None
        if np.allclose(pairs.difference, usual, rtol=1e-12, atol=1e-14, equal_nan=True)
        else _pack_reals(pairs.difference),
        "se": _pack_reals(pairs.se),
        "df": _number(pairs.df) if pairs.df.ndim == 0 else _pack_reals(pairs.df),
        "n": int(pairs.n) if pairs.n.ndim == 0 else _pack_counts(pairs.n),
        "modelDf": _shared(pairs.model_df),
        "ahead": None if pairs.ahead is None else _pack_counts(pairs.ahead),
        "behind": None if pairs.behind is None else _pack_counts(pairs.behind),
        "binary": pairs.binary,
        "bins": None if pairs.bins is None else _bins(pairs.bins, task.direction),
    }


def _shared_rows(board: Leaderboard) -> list[dict[str, Any]] | None:
    """Scores of rows that tasks have in common, as the board has them packed."""
    position = {name: i for i, name in enumerate(board.tasks)}
    found = () if board.pairs is None else board.pairs.shared_rows
    return [
        {
            "tasks": [position[name] for name in one.tasks],
            "rows": one.rows,
            "levels": None if one.levels is None else _reals(one.levels),
            "scores": {"kind": "f8" if one.levels is None else "u1", "bytes": one.packed},
        }
        for one in found
    ] or None


def _bins(bins: ScoreBins, direction: str) -> dict[str, Any]:
    """Bins in the units of the task; inside, higher is better."""
    if direction == "higher":
        return {"edges": bins.edges.tolist(), "counts": _pack_counts(bins.counts)}
    turned = (-bins.edges[::-1] + 0.0).tolist()  # 0, not -0
    return {"edges": turned, "counts": _pack_counts(bins.counts[:, ::-1])}


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
                "difference": _number(pair.difference),
                "se": _number(pair.se),
                "votes": _number(pair.votes),
            }
            for pair in health.neighbours
        ],
    }


def _shared(values: NDArray[np.float64]) -> dict[str, str] | float | None:
    """One number where all are equal; None stands for a normal tail."""
    return _number(values[0]) if (values == values[0]).all() else _pack_reals(values)


def _seen(text: str | None) -> str | None:
    return None if text is None else visible(text)


def _number(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None


def _reals(values: NDArray[np.float64]) -> list[float | None]:
    return [_number(value) for value in values]


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

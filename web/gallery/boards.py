"""Write the data of gallery.mjs: ``python boards.py FOLDER`` makes a JSON file per demo."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import rankbars as rb
from rankbars.data.intervals import RankIntervals
from rankbars.demos import DEMOS, Demo, demo_path

ALPHAS = [round(0.02 * k, 2) for k in range(1, 26)]
MERGES = ("joint", "quantile", "union")


def plain(values: Any) -> Any:
    """Arrays as nested lists; what is not finite as None."""
    if isinstance(values, list | tuple | np.ndarray):
        return [plain(part) for part in values]
    number = values.item() if isinstance(values, np.generic) else values
    return None if isinstance(number, float) and not np.isfinite(number) else number


def describe(demo: Demo) -> dict[str, Any]:
    """Everything that the charts need of one demo, models best first."""
    scores = rb.read(demo_path(demo), direction=demo.direction, rows=demo.rows, folds=demo.folds)
    board = rb.leaderboard(scores, missing=demo.missing)
    order = list(board.order)
    models = [board.models[i] for i in order]
    tasks = list(board.tasks.values())
    square = np.ix_(order, order)
    found: dict[str, Any] = {
        "models": models,
        "tasks": [task.name for task in tasks],
        "categories": [task.category for task in tasks],
        "best": plain([task.best[order] for task in tasks]),
        "worst": plain([task.worst[order] for task in tasks]),
        "mean": plain([task.mean[order] for task in tasks]),
        "se": plain([task.se[order] for task in tasks]),
        "direction": [task.direction for task in tasks],
        "shown": plain(board.shown_better[square].astype(int)),
        "edges": [
            [models.index(better), models.index(worse)]
            for better, worse in board.partial_order().edges
        ],
        "score": plain(board.score[order]),
    }
    if board.aggregate is not None:
        found |= describe_average(board.aggregate, order)
    if board.overall is not None:
        found |= describe_new_task(board, board.overall, order)
    votes = next(iter(scores.tasks.values()))
    if isinstance(votes, rb.Votes):
        found |= describe_votes(scores, votes, models)
        if tasks[0].elo is not None:
            elo = {"elo": plain(tasks[0].elo[order]), "elo_se": plain(tasks[0].elo_se[order])}
            found |= elo
    return found


def describe_average(average: rb.Aggregate, order: list[int]) -> dict[str, Any]:
    """The average, its draws and its categories."""
    names = ("score", "low", "high", "best", "worst")
    agg = {name: plain(getattr(average, name)[order]) for name in names}
    agg["direction"] = average.direction
    agg["rp"] = agg["dom"] = None
    if average.rank_probability is not None:
        agg["rp"] = plain(average.rank_probability[order])
    if average.dominance is not None:
        agg["dom"] = plain(average.dominance[np.ix_(order, order)])
    means = average.by_category
    if means is None:
        return {"agg": agg}
    cat = {
        "categories": list(means.categories),
        "score": plain(means.score[:, order]),
        "dse": [plain(table[np.ix_(order, order)]) for table in means.difference_se],
        "weights": plain(means.weights),
    }
    return {"agg": agg, "cat": cat}


def describe_new_task(
    board: rb.Leaderboard, overall: RankIntervals, order: list[int]
) -> dict[str, Any]:
    """New-task intervals, their width by error rate, and the tasks left out."""
    intervals = {
        task.name: RankIntervals(
            board.models, task.best, task.worst, task.alpha, task.scope, "task", task.test
        )
        for task in board.tasks.values()
    }
    widths = {
        merge: [
            float(np.mean(made.worst - made.best))
            for made in (rb.predict(intervals, merge=merge, alpha=alpha) for alpha in ALPHAS)
        ]
        for merge in MERGES
    }
    diagnosis = rb.diagnose(board)
    series = [
        {
            "name": part.unit,
            **{name: plain(getattr(part, name)[order]) for name in ("share", "low", "high")},
        }
        for part in diagnosis.left_out
    ]
    ends = {name: plain(getattr(overall, name)[order]) for name in ("best", "worst")}
    return {
        "overall": ends,
        "alphas": ALPHAS,
        "sens": widths,
        "leftout": {"expected": diagnosis.expected, "series": series},
    }


def describe_votes(scores: rb.Scores, votes: rb.Votes, models: list[str]) -> dict[str, Any]:
    """Votes of each pair, and their health."""
    at = [votes.models.index(name) for name in models]
    counts = votes.wins + votes.wins.T
    if votes.ties is not None:
        counts = counts + votes.ties
    health = next(iter(rb.examine_votes(scores).values()))
    return {
        "votes": plain(counts[np.ix_(at, at)]),
        "health": [
            {
                "name": finding.code,
                "value": f"{finding.value:.3g}" if np.isfinite(finding.value) else None,
                "sentence": finding.sentence,
                "concern": finding.concern,
            }
            for finding in health.findings
        ],
        "neighbours": [
            {
                "ahead": pair.ahead,
                "behind": pair.behind,
                "difference": pair.difference,
                "se": pair.se,
                "votes": plain(pair.votes),
            }
            for pair in health.neighbours
        ],
    }


def main() -> None:
    """Write one file per demo."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, demo in DEMOS.items():
        text = json.dumps({"name": name, **describe(demo)}, allow_nan=False)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

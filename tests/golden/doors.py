"""Calls of the public names of ``rankbars``: frames, arrays, single steps, wrong arguments."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

import rankbars as rb

ROWS = 30
MODELS = ("ash", "birch", "cedar", "elm")


def call(name: str) -> Any:
    """What the door answers, as plain values."""
    try:
        return plain(DOORS[name]())
    except rb.RankbarsError as error:
        return {"error": type(error).__name__, "message": str(error).split("\n")}


def plain(value: Any) -> Any:
    """Arrays and frozen types as lists and mappings; NaN as None."""
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None if math.isnan(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if is_dataclass(value):
        return {
            field.name: plain(getattr(value, field.name))
            for field in fields(value)
            if not field.name.startswith("_")
        }
    return value


def _arrays() -> dict[str, np.ndarray]:
    """Three tasks by a formula: right answers, 0 or 1."""
    row, model = np.arange(ROWS)[:, None], np.arange(len(MODELS))
    return {
        f"task {t}": ((row * (3 + t) + 5 * model) % (7 - model) > 1 + t % 2).astype(float)
        for t in range(3)
    }


def _scores() -> rb.Scores:
    return rb.Scores.from_arrays(_arrays(), list(MODELS))


def _columns() -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {"model": [], "task": [], "item": [], "score": []}
    for task, values in _arrays().items():
        for (i, j), value in np.ndenumerate(values):
            for name, one in zip(found, (MODELS[j], task, f"q{i}", value), strict=True):
                found[name].append(one)
    return found


def _board(scores: rb.Scores, **options: Any) -> Any:
    """The board file of the scores, with every option named."""
    named = {
        "test": "auto", "correction": "holm", "scope": "each", "alpha": 0.05, "merge": "joint",
        "alpha_overall": 0.2, "over": "auto", "missing": "raise", "seed": 0, "resamples": 1000,
        "estimator": "auto", "method": "auto", "pairs": True,
    }  # fmt: skip
    rb.leaderboard(scores, **{**named, **options}).save("board.json")
    return json.loads(Path("board.json").read_text(encoding="utf-8"))


def from_arrays() -> Any:
    return _board(_scores())


def from_arrays_all() -> Any:
    return _board(_scores(), scope="all", correction="maxt")


def from_pandas() -> Any:
    import pandas as pd

    return _board(rb.Scores.from_frame(pd.DataFrame(_columns())))


def from_polars() -> Any:
    import polars as pl

    return _board(rb.Scores.from_frame(pl.DataFrame(_columns())))


def from_lazy() -> Any:
    import polars as pl

    return _board(rb.Scores.from_frame(pl.DataFrame(_columns()).lazy()))


def from_pyarrow() -> Any:
    import pyarrow as pa

    return _board(rb.Scores.from_frame(pa.table(_columns())))


def from_duckdb() -> Any:
    import duckdb
    import pyarrow as pa

    with duckdb.connect() as connection:
        relation = connection.from_arrow(pa.table(_columns()))
        return _board(rb.Scores.from_frame(relation))


def from_renamed_frame() -> Any:
    import pandas as pd

    frame = pd.DataFrame(_columns()).rename(
        columns={"model": "who", "task": "exam", "item": "no", "score": "points"}
    )
    return _board(rb.Scores.from_frame(frame, model="who", task="exam", item="no", score="points"))


def from_matrix_frame() -> Any:
    import pandas as pd

    frame = pd.DataFrame(_arrays()["task 0"], columns=MODELS)
    frame.insert(0, "item", [f"q{i}" for i in range(ROWS)])
    return _board(rb.Scores.from_frame(frame))


def with_spec() -> Any:
    board = rb.leaderboard(_scores(), alpha=0.1, correction="holm", merge="union")
    rb.leaderboard(_scores(), spec=board.spec).save("board.json")
    return json.loads(Path("board.json").read_text(encoding="utf-8"))


def compared(test: str = "t") -> Any:
    """Differences, errors and p-values of every pair."""
    found = rb.compare(_scores(), test=test)
    return {
        task: {name: getattr(one, name) for name in ("models", "diff", "se", "df", "p", "n")}
        for task, one in found.items()
    }


def compared_far_apart() -> Any:
    """P-values far in the tail."""
    row = np.arange(200)[:, None]
    values = (row * 37 % 101) / 101 + 0.07 * ((row * np.array([3, 5, 7])) % 11) / 11
    scores = rb.Scores.from_arrays({"t": values + np.array([0.0, 0.3, 0.9])}, ["a", "b", "c"])
    return {
        "p": rb.compare(scores, test="t")["t"].p,
        "w": rb.compare(scores, test="signflip")["t"].p,
    }


def ranked() -> Any:
    found = rb.rank(rb.compare(_scores(), test="t"), correction="holm", scope="all", alpha=0.05)
    return {task: _interval(one) for task, one in found.items()}


def predicted() -> Any:
    found = rb.rank(rb.compare(_scores(), test="t"), correction="holm", scope="each", alpha=0.05)
    return {
        merge: _interval(rb.predict(found, merge=merge, alpha=0.4))
        for merge in ("joint", "quantile", "union", "simultaneous")
    }


def _interval(one: rb.RankIntervals) -> dict[str, Any]:
    return {
        name: getattr(one, name)
        for name in ("models", "best", "worst", "alpha", "scope", "target", "guarantee",
                     "assumptions", "shown_better")
    }  # fmt: skip


def averaged() -> Any:
    return {
        over: {
            name: getattr(one, name)
            for name in ("models", "score", "low", "high", "best", "worst", "guarantee")
        }
        for over in ("items", "tasks")
        for one in (rb.aggregate(_scores(), over=over, estimator="auto", method="mean"),)
    }


def averaged_with_weights() -> Any:
    weights = {"task 0": 2.0, "task 1": 1.0, "task 2": 0.0}
    one = rb.aggregate(_scores(), over="items", weights=weights)
    return {name: getattr(one, name) for name in ("score", "se", "low", "high", "best", "worst")}


def head_to_head() -> Any:
    one = rb.head_to_head(_scores(), "ash", "elm", test="t", alpha=0.05, over="items")
    found = one.average
    return {
        name: getattr(found, name)
        for name in ("difference", "low", "high", "p_better", "verdict", "n")
    }


def estimates() -> Any:
    tasks = {
        f"t{i}": rb.Estimates(MODELS, np.array([0.6, 0.55, 0.5, 0.3]) + 0.01 * i,
                              se=np.array([0.02, 0.02, 0.03, 0.02]))
        for i in range(5)
    }  # fmt: skip
    return _board(rb.Scores(tasks))


def votes() -> Any:
    wins = np.array([[0, 12, 20, 31], [9, 0, 15, 22], [7, 11, 0, 17], [2, 6, 9, 0]], float)
    return _board(rb.Scores({"arena": rb.Votes(MODELS, wins)}))


def chosen_tasks() -> Any:
    chosen = rb.select_tasks(rb.read("families.csv"), by="width", max_width=0.9, seed=1)
    return {"tasks": list(chosen.tasks), "notes": [(n.code, n.message) for n in chosen.notes]}


def diagnosed() -> Any:
    board = rb.leaderboard(rb.read("families.csv"), scope="each", merge="joint")
    return rb.diagnose(board)


def queried() -> Any:
    board = rb.leaderboard(rb.read("families.csv"), scope="all", correction="holm")
    return {
        "undominated": board.undominated(), "top": board.top(2), "tiers": board.tiers,
        "frame": board.to_frame("pandas").to_dict("list"),
        "probabilities": board.rank_probabilities(),
    }  # fmt: skip


def wrong_test() -> Any:
    return rb.leaderboard(_scores(), test="anova")


def wrong_alpha() -> Any:
    return rb.leaderboard(_scores(), alpha=95)


def wrong_scores() -> Any:
    return rb.leaderboard({"a": 1})


def wrong_frame() -> Any:
    return rb.Scores.from_frame([1, 2])


def wrong_model() -> Any:
    return rb.head_to_head(_scores(), "ash", "oak")


def wrong_merge() -> Any:
    return rb.predict(rb.rank(rb.compare(_scores(), test="t")), merge="median")


def wrong_correction() -> Any:
    return rb.rank(rb.compare(_scores(), test="t"), correction="scheffe")


def wrong_estimator() -> Any:
    return rb.aggregate(_scores(), over="tasks", estimator="analytic")


def wrong_shape() -> Any:
    return rb.Scores.from_arrays({"t": np.zeros((3, 2))}, ["a", "b", "c"])


def wrong_spec() -> Any:
    return rb.leaderboard(_scores(), spec=rb.Spec(alpha=0.1), alpha=0.2)


def wrong_path() -> Any:
    return rb.read("nowhere.csv")


def wrong_board() -> Any:
    return rb.load("families.csv")


DOORS: dict[str, Callable[[], Any]] = {
    function.__name__: function
    for function in (
        from_arrays, from_arrays_all, from_pandas, from_polars, from_lazy, from_pyarrow,
        from_duckdb, from_renamed_frame, from_matrix_frame, with_spec, compared,
        compared_far_apart, ranked, predicted, averaged, averaged_with_weights, head_to_head,
        estimates, votes, chosen_tasks, diagnosed, queried, wrong_test, wrong_alpha, wrong_scores,
        wrong_frame, wrong_model, wrong_merge, wrong_correction, wrong_estimator, wrong_shape,
        wrong_spec, wrong_path, wrong_board,
    )
}  # fmt: skip

"""Rows of each model's own, as an A/B test has them: those of one user go together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tablefiles import codes, message, pandas_frame, read_columns

import rankbars as rb
from rankbars.data.evidence import Estimates


def log(sender: str = "user_id", users: int = 40, spread: float = 0.4) -> dict[str, list[Any]]:
    """What users of two variants rated, several times each; each has a mean of his own."""
    rng = np.random.default_rng(8)
    rows = [
        (f"u{user}", "ab"[user % 2], mean + rng.normal(scale=0.1))
        for user, mean in enumerate(rng.normal(scale=spread, size=users))
        for _ in range(2 + user % 7)
    ]
    return dict(zip((sender, "model", "score"), map(list, zip(*rows, strict=True)), strict=True))


def by_hand(rows: dict[str, list[Any]], sender: str, model: str) -> tuple[float, int]:
    """Standard error of the mean, unbiased where rows are independent, and the rows."""
    chosen = [one for one, name in enumerate(rows["model"]) if name == model]
    values = np.array([rows["score"][one] for one in chosen])
    users = np.array([rows[sender][one] for one in chosen])
    total = sum(
        (values[users == name] - values.mean()).sum() ** 2
        / (1.0 - (users == name).sum() / len(values))
        for name in set(users)
    )
    return float(np.sqrt(total) / len(values)), len(values)


def only(scores: rb.Scores) -> Estimates:
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, Estimates)
    return evidence


def test_users_of_a_log_are_clusters_of_its_rows() -> None:
    rows = log()
    scores = read_columns(rows)
    found = only(scores)
    assert found.se is not None
    assert found.n is not None
    for place, model in enumerate(found.models):
        expected, size = by_hand(rows, "user_id", model)
        assert found.se[place] == pytest.approx(expected, rel=1e-12)
        assert found.n[place] <= 20 < size  # what users are worth, not rows
    assert "rows of one 'user_id' that go together" in message(scores, "unpaired")


def test_a_named_column_of_clusters_counts_whatever_it_is_called() -> None:
    rows = log("ward")
    plain = rb.Scores.from_frame(pandas_frame(rows), columns={"cluster": ""})
    grouped = rb.Scores.from_frame(pandas_frame(rows), columns={"cluster": "ward"})
    plain_se, se = only(plain).se, only(grouped).se
    assert plain_se is not None
    assert se is not None
    assert (se > 1.5 * plain_se).all()
    assert "columns-ignored" not in codes(grouped)


def test_another_column_is_asked_about_where_its_rows_resemble_each_other() -> None:
    scores = read_columns(log("ward"))
    assert "columns={'cluster': 'ward'}" in message(scores, "dependent-rows")
    duel = rb.head_to_head(scores, "a", "b")
    assert "if rows are independent" in duel.to_text()
    assert "dependent-rows" not in codes(read_columns(log("ward", spread=0.0)))


def test_users_who_rated_each_model_once_name_the_items() -> None:
    rows = {"user_id": [f"u{k}" for k in range(30)] * 2, "model": ["a"] * 30 + ["b"] * 30,
            "score": list(np.random.default_rng(1).random(60))}  # fmt: skip
    assert "paired-by" in codes(read_columns(rows))


def test_a_gap_in_named_clusters_is_refused() -> None:
    rows = log("ward")
    rows["ward"][5] = None
    with pytest.raises(rb.errors.DataError, match="the cluster is empty"):
        rb.Scores.from_frame(pandas_frame(rows), columns={"cluster": "ward"})


def test_items_that_no_two_models_share_are_left_out_where_clusters_are_named() -> None:
    rows = log("user_id")
    rows["item"] = [f"m{k}" for k in range(len(rows["score"]))]
    scores = rb.Scores.from_frame(pandas_frame(rows), columns={"cluster": "user_id"})
    with pytest.raises(rb.errors.DataError, match="--column item="):
        rb.leaderboard(scores)


def test_the_line_that_is_offered_for_a_log_names_its_users(tmp_path: Path) -> None:
    rows = log()
    path = tmp_path / "log.csv"
    header = "time,user_id,variant,rating\n"
    path.write_text(header + "".join(
        f"2025-01-01T00:{k // 60:02}:{k % 60:02},{user},{model},{round(score + 3)}\n"
        for k, (user, model, score) in enumerate(zip(*rows.values(), strict=True))
    ))  # fmt: skip
    with pytest.raises(rb.errors.DataError, match="--column cluster=user_id --column score=rating"):
        rb.read(path)
    named = {"model": "variant", "cluster": "user_id", "score": "rating"}
    assert rb.read(path, columns=named).models == ("a", "b")


def test_infinite_scores_are_told_as_such_and_not_looked_at() -> None:
    rows = log("ward")
    rows["score"][3] = float("inf")
    with pytest.raises(rb.DataError, match="inf"):
        read_columns(rows)


def judged(spread: float, *, shared: bool = False) -> dict[str, list[Any]]:
    """What twelve people gave three models, on twenty items each, with tastes of their own."""
    rng = np.random.default_rng(5)
    tastes = rng.normal(scale=spread, size=(12, 3))
    rows = [
        (f"q{item}", f"p{item % 12}", model, tastes[item % 12, place] + rng.normal())
        for item in range(240)
        for place, model in enumerate("abc")
    ]
    found = dict(
        zip(
            ("item", "annotator", "model", "score"), map(list, zip(*rows, strict=True)), strict=True
        )
    )
    return found if not shared else found | {"annotator": ["p0", "p1", "p2"] * 240}


def test_people_who_judged_some_items_each_are_asked_about_where_their_tastes_differ() -> None:
    rows = judged(0.8)
    asked = message(read_columns(rows), "dependent-rows")
    assert "Rows of one 'annotator' go together" in asked
    assert "columns={'cluster': 'annotator'} allows for it" in asked
    # By hand: the root of the mean square of sums over people, over that of single rows.
    scores = np.array(rows["score"]).reshape(240, 3)
    errors = scores - scores.mean(axis=1, keepdims=True)
    errors -= errors.mean(axis=0)
    icc = (
        np.square(errors.reshape(20, 12, 3).sum(axis=0)).sum() / np.square(errors).sum() - 1
    ) / 19
    wider = np.sqrt(1 + 19 * (icc + 1 / 239))
    assert f"about {wider:.1f} ×" in asked
    for told in ({"cluster": "annotator"}, {"cluster": ""}):
        assert "dependent-rows" not in codes(rb.Scores.from_frame(pandas_frame(rows), columns=told))


def test_people_of_one_taste_or_who_judged_one_model_each_are_not_asked_about() -> None:
    for rows in (judged(0.0), judged(0.8, shared=True)):
        assert "dependent-rows" not in codes(read_columns(rows))

"""Categories of votes that overlap: each is the fit of its own votes, beside that of all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from storefiles import add, inside

import rankbars as rb
from rankbars.cli.app import run
from rankbars.render.arenatables import category_rows


def draw(n: int = 900) -> pd.DataFrame:
    rng = np.random.default_rng(12)
    strength = np.array([0.7, 0.2, 0.0, -0.8])
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    long = rng.normal(size=(2, n))
    eta = strength[first] - strength[second] + 0.4 * (long[0] - long[1])
    names = np.array(list("abcd"))
    return pd.DataFrame({
        "model_a": names[first], "model_b": names[second],
        "winner": np.where(rng.random(n) < 1 / (1 + np.exp(-eta)), "model_a", "model_b"),
        "judge": [f"v{k}" for k in rng.integers(0, 50, n)],
        "length_a": long[0], "length_b": long[1],
        "language": rng.choice(["de", "en", None], n, p=[0.3, 0.6, 0.1]),
        "is_code": rng.random(n) < 0.4,
    })  # fmt: skip


FRAME = draw()
CHOSEN = {
    "is_code": FRAME["is_code"], "language de": FRAME["language"] == "de",
    "language en": FRAME["language"] == "en",
}  # fmt: skip


def test_each_category_is_the_board_of_its_votes_alone() -> None:
    board = rb.leaderboard(
        rb.Scores.from_frame(FRAME, within=["is_code", "language"], controls="length")
    )
    found = {(one.name, one.adjusted): one for one in board.categories}
    assert set(found) == {("", ())} | {(k, c) for k in CHOSEN for c in ((), ("length",))}
    for (name, adjusted), one in found.items():
        own = FRAME[CHOSEN[name]] if name else FRAME
        alone = rb.leaderboard(rb.Scores.from_frame(own, controls=adjusted))
        (task,) = alone.tasks.values()
        assert one.votes == len(own) == task.n
        assert one.models == alone.models
        assert one.task is not None
        np.testing.assert_allclose(one.task.mean, task.mean, atol=1e-10)
        np.testing.assert_allclose(one.task.se, task.se, rtol=1e-9)
        np.testing.assert_array_equal(one.task.best, task.best)
        np.testing.assert_array_equal(one.task.worst, task.worst)
    # The board itself is of all votes, adjusted.
    (whole,) = rb.leaderboard(rb.Scores.from_frame(FRAME, controls="length")).tasks.values()
    np.testing.assert_array_equal(board.tasks["votes"].mean, whole.mean)


def test_what_must_be_said_of_several_sets_of_ranks_is_said(tmp_path: Path) -> None:
    board = rb.leaderboard(rb.Scores.from_frame(FRAME, within=["is_code", "language"]))
    (note,) = [note for note in board.notes if note.code == "categories"]
    assert "4 sets of ranks" in note.message
    assert "--alpha 0.013" in note.message
    text, page = board.to_text(), board.to_html()
    assert "Category" in text
    assert f"{CHOSEN['language de'].sum():,}" in text
    assert page.count('<details name="category"') == 4
    board.save(tmp_path / "board.json")
    again = rb.load(tmp_path / "board.json")
    assert again.to_text() == text
    assert again.to_html() == page
    assert "language de" in board.to_markdown()


def test_a_board_that_is_looked_at_again_and_again_says_what_it_is_adjusted_for() -> None:
    scores = rb.Scores.from_frame(FRAME, within=["language"], controls=["length"])
    board = rb.leaderboard(scores, test="e_strength", correction="e_average")
    (task,) = board.tasks.values()
    assert task.effects is not None
    (once,) = rb.leaderboard(scores).tasks.values()
    assert once.effects is not None
    assert task.effects.value == pytest.approx(once.effects.value)
    assert np.isnan(task.effects.se).all()  # that of the fit is for one look
    assert [row.title for row in category_rows(board)][:2] == ["all votes, adjusted", "all votes"]
    (note,) = (note for note in board.notes if note.code == "effects")
    assert note.message.endswith("; its error is not known.")


def test_models_that_a_category_does_not_join_are_named() -> None:
    rows = [("a", "b", 1)] * 9 + [("b", "a", 1)] * 8 + [("c", "a", 0)] * 5 + [("a", "c", 0)] * 5
    rows += [("c", "a", 1)] * 2
    frame = pd.DataFrame(rows, columns=["winner", "loser", "hard"])
    frame["hard"] = frame["hard"] == 1
    (one,) = rb.leaderboard(rb.Scores.from_frame(frame, within="hard")).categories
    assert (one.models, one.left_out) == (("a", "b"), ("c",))
    frame["hard"] = frame.index < 3
    (one,) = rb.leaderboard(rb.Scores.from_frame(frame, within="hard")).categories
    assert one.task is None
    assert "No two models can be compared" in one.reason


def test_days_in_a_store_have_the_categories_of_their_files(tmp_path: Path) -> None:
    with inside(tmp_path):
        FRAME[:300].to_csv("2025-03-01.csv", index=False)
        # A language that the first day has not.
        later = FRAME[300:].assign(language=FRAME["language"][300:].replace("de", "fr"))
        later.to_csv("2025-03-02.csv", index=False)
        for day in ("2025-03-01.csv", "2025-03-02.csv"):
            add(day, "--within", "language", "--within", "is_code")
        assert run(["rank", "board.duckdb", "-o", "board.json", "-q"]) == 0
        kept = rb.load("board.json").categories
        days = rb.leaderboard(
            rb.read(["2025-03-01.csv", "2025-03-02.csv"], within=["language", "is_code"])
        )
        names = ["is_code", "language de", "language en", "language fr"]
        assert [one.name for one in kept] == [one.name for one in days.categories] == names
        for one, other in zip(kept, days.categories, strict=True):
            assert one.votes == other.votes
            assert one.task is not None
            assert other.task is not None
            np.testing.assert_allclose(one.task.mean, other.task.mean, atol=1e-10)


def test_lists_and_single_votes_without_voters_are_sorted_too(tmp_path: Path) -> None:
    frame = FRAME[["model_a", "model_b", "winner"]].copy()
    frame["tags"] = [["hard", "code"] if k % 3 == 0 else ["code"] for k in range(len(frame))]
    frame.to_parquet(tmp_path / "votes.parquet")
    board = rb.leaderboard(rb.read(tmp_path / "votes.parquet", within="tags"))
    assert {one.name: one.votes for one in board.categories} == {"code": 900, "hard": 300}


def test_columns_that_sort_nothing_are_refused_in_words() -> None:
    with pytest.raises(rb.DataError, match="there is no column 'mood'"):
        rb.Scores.from_frame(FRAME, within="mood")
    with pytest.raises(rb.DataError, match="more than 50 different values"):
        rb.Scores.from_frame(FRAME.assign(key=range(len(FRAME))), within="key")

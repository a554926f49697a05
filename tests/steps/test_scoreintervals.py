"""The own interval of a score: of few answers exact, and never beyond the ends of the scale."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import rankbars as rb
from rankbars.stats.binomial import exact_limits


def board_of(rows: np.ndarray, **about: object) -> rb.Leaderboard:
    info = {"x": rb.TaskInfo(**about)}
    sign = -1.0 if info["x"].direction == "lower" else 1.0
    evidence = rb.Items(tuple("abcdef"[: rows.shape[1]]), sign * rows)
    return rb.leaderboard(rb.Scores({"x": evidence}, info))


def answers(right: int, items: int) -> np.ndarray:
    """Two models: the first with so many right answers, the second with half of them wrong."""
    one = np.arange(items) < right
    return np.stack([one, np.arange(items) % 2], axis=1).astype(float)


@pytest.mark.parametrize("items", [1, 3, 20, 200])
def test_exact_ends_are_those_of_scipy(items: int) -> None:
    right = np.arange(items + 1)
    low, high = exact_limits(right, items - right, 0.05)
    for k in right:
        known = stats.binomtest(int(k), items).proportion_ci(0.95, method="exact")
        assert (low[k], high[k]) == pytest.approx((known.low, known.high), abs=1e-12)


def test_of_few_answers_the_interval_is_exact_and_of_many_it_is_that_of_t() -> None:
    for right, items, exact in ((2, 3, True), (3, 3, True), (0, 40, True), (29, 90, True),
                                (30, 90, False), (61, 90, True), (60, 90, False)):  # fmt: skip
        low, high = (
            ends[0] for ends in board_of(answers(right, items)).tasks["x"].score_interval()
        )
        if exact:
            known = stats.binomtest(right, items).proportion_ci(0.95, method="exact")
            assert (low, high) == pytest.approx((known.low, known.high), abs=1e-12)
        else:
            share = right / items
            half = stats.t.ppf(0.975, items - 1) * np.sqrt(share * (1 - share) / (items - 1))
            assert (low, high) == pytest.approx((share - half, share + half), abs=1e-12)


@pytest.mark.parametrize("items", [5, 61, 100])
def test_both_together_cover_what_they_say_less_a_hundredth(items: int) -> None:
    """By the binomial law, for every share; t alone covers .00 to .63 at its worst."""
    rows = (np.arange(items)[:, None] < np.arange(items + 1)).astype(float)
    scores = rb.Scores.from_arrays({"x": rows}, [f"{k:03}" for k in range(items + 1)])
    board = rb.leaderboard(scores, correction="bonferroni", scope="each")
    ends = np.stack(board.tasks["x"].score_interval(), axis=1)
    for share in np.linspace(0.001, 0.999, 999):
        inside = (ends[:, 0] <= share + 1e-12) & (share - 1e-12 <= ends[:, 1])
        law = stats.binom.pmf(np.arange(items + 1), items, share)
        assert law[inside].sum() >= 0.938


def test_an_interval_ends_where_the_declared_scale_does() -> None:
    rows = np.random.default_rng(0).beta(8.0, 0.4, (6, 2))
    low, high = board_of(rows).tasks["x"].score_interval()
    assert (high > 1).any()
    cut_low, cut_high = board_of(rows, minimum=0.0, maximum=1.0).tasks["x"].score_interval()
    assert (cut_low == low).all()
    assert (cut_high == np.minimum(high, 1.0)).all()


def test_error_rates_clusters_and_scores_that_happen_to_be_0_and_1() -> None:
    wrong = board_of(answers(3, 4), direction="lower")
    (low, _), (high, _) = wrong.tasks["x"].score_interval()
    known = stats.binomtest(3, 4).proportion_ci(0.95, method="exact")
    assert (low, high) == pytest.approx((known.low, known.high))
    clusters = np.repeat(np.arange(6), 4)
    rows = answers(18, 24)
    grouped = rb.leaderboard(rb.Scores({"x": rb.Items(tuple("ab"), rows, clusters=clusters)}))
    (low, _), (high, _) = grouped.tasks["x"].score_interval()
    known = stats.binomtest(18, 24).proportion_ci(0.95, method="exact")
    assert 0.0 <= low < known.low
    assert high == 1.0  # t of six clusters, cut
    game = board_of(np.array([[1.0, -1.0], [0.0, 1.0], [1.0, 0.0], [-1.0, 1.0], [1.0, 0.0]]))
    assert game.tasks["x"].low is None  # lost, drawn, won


def test_what_is_shown_and_kept_stays_on_the_scale(tmp_path: Path) -> None:
    board = board_of(answers(2, 3))
    text = board.to_text()
    assert "0.7 [0.1, >0.9]" in text
    assert "each model's own 95 % interval" in " ".join(text.split())
    board.save(tmp_path / "board.json")
    kept = rb.load(tmp_path / "board.json").tasks["x"].score_interval()
    assert np.array_equal(kept, board.tasks["x"].score_interval())


def test_no_difference_is_larger_than_the_scale_is_long() -> None:
    scores = rb.Scores.from_arrays({"x": [[1, 0], [1, 1], [1, 0]]}, list("ab"))
    one = rb.head_to_head(scores, "a", "b").tasks["x"]
    assert one.difference == pytest.approx(2 / 3)
    assert one.low == pytest.approx(2 / 3 - stats.t.ppf(0.975, 2) / 3)
    assert one.high == 1.0

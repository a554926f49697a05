"""Averages other than the mean of scores: named as what they are, bands without a level."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.render import RENDERERS, render
from rankbars.render.page import render_html
from rankbars.render.paragraph import methods_text
from rankbars.render.text import render_text
from rankbars.steps.average.averagemethods import METHODS


def board(gap: float = 0.3, **options: object) -> rb.Leaderboard:
    rng = np.random.default_rng(0)
    tasks = {name: rng.random((30, 3)) * 0.5 + [0.0, gap / 3, 4 / 3 * gap] for name in "uvwxyz"}
    scores = rb.Scores.from_arrays(tasks, ["a", "b", "c"])
    return rb.leaderboard(scores, resamples=200, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("over", ["items", "tasks"])
def test_every_average_can_be_shown_in_every_way(method: str, over: str) -> None:
    only = {"kemeny": "items", "elo": "tasks"}
    made = board(gap=0.03 if method == "elo" else 0.3, method=method, over=only.get(method, over))
    for form in RENDERERS:
        assert render(made, form)
    assert render_html(made)
    assert methods_text(made)


@pytest.mark.parametrize(
    ("method", "title"),
    [("borda", "Borda points"), ("win_rate", "Win rate"), ("geometric", "Geometric mean"),
     ("average_rank_bins", "Mean rank")],
)  # fmt: skip
def test_the_column_says_what_was_averaged(method: str, title: str) -> None:
    assert title in render_text(board(method=method, over="tasks"))


def test_ranges_of_ranks_claim_nothing() -> None:
    made = board(method="average_rank", over="items")
    text = " ".join(render_text(made).split())
    assert "Range of ranks on average" in text
    assert "no guarantee" in text
    assert "On the average rank over these 6 tasks, c comes first." in text
    assert "nothing is claimed about which models differ" in text
    assert "Tiers:" not in text
    paragraph = methods_text(made)
    assert "ranges of ranks were counted in draws" in paragraph
    assert "tiers hold for all models" not in paragraph


@pytest.mark.parametrize("estimator", ["bootstrap", "bootstrap_t", "two_level"])
def test_estimators_have_words_of_their_own(estimator: str) -> None:
    assert repr(estimator) not in methods_text(board(over="tasks", estimator=estimator))

"""What results look like when they are printed: one line, no arrays."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb


@pytest.fixture(scope="module")
def scores() -> rb.Scores:
    rng = np.random.default_rng(0)
    tasks = {name: rng.random((200, 40)) for name in ("x", "y", "z")}
    info = {name: rb.TaskInfo(category=name) for name in tasks}
    return rb.Scores.from_arrays(tasks, [f"model {i:02d}" for i in range(40)], info=info)


def test_results_print_as_one_short_line(scores: rb.Scores) -> None:
    board = rb.leaderboard(scores)
    average = board.aggregate
    assert average is not None
    assert average.by_category is not None
    results = (
        scores,
        scores.tasks["x"],
        rb.compare(scores)["x"],
        rb.Estimates(("a", "b"), [0.1, 0.2]),
        rb.Votes(("a", "b"), [[0, 3], [1, 0]]),
        board,
        board.tasks["x"],
        board.overall,
        board.partial_order(),
        average,
        average.draws,
        average.contrasts,
        average.by_category,
        average.by_category.weight_map(),
        rb.diagnose(board),
        rb.head_to_head(scores, "model 00", "model 01"),
    )
    for result in results:
        shown = repr(result)
        assert shown.startswith(f"{type(result).__name__}(")
        assert len(shown) < 120
        assert "array" not in shown
        # Printed, a board and a comparison are what a terminal shows.
        told = isinstance(result, (rb.Leaderboard, rb.HeadToHead))
        assert str(result) == (result.to_text() if told else shown)


def test_the_line_says_how_much_there_is(scores: rb.Scores) -> None:
    assert repr(scores) == "Scores(40 models, 3 tasks)"
    assert repr(scores.tasks["x"]) == "Items(40 models, 200 rows, items)"
    assert repr(rb.aggregate(scores)) == (
        "Aggregate(average score over exactly these 3 tasks; 40 models, analytic)"
    )

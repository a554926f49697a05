"""What an average says of samples without spread, of pairs, and of itself in different places."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.spec import MOST_RESAMPLES
from rankbars.render.sentences import headline


def _scores(values: np.ndarray, direction: str = "higher") -> rb.Scores:
    names = tuple("wxyz"[: values.shape[1]])
    info = {f"t{i}": rb.TaskInfo(direction=direction) for i in range(len(values))}
    return rb.Scores({f"t{i}": rb.Estimates(names, row) for i, row in enumerate(values)}, info)


@pytest.mark.parametrize("correction", ["holm", "none", "maxt"])
@pytest.mark.parametrize("tasks", [2, 3, 6, 10])
def test_a_difference_without_spread_has_no_interval_and_the_p_value_of_a_sign_test(
    correction: str, tasks: int
) -> None:
    """Of fewer than five tasks nothing is claimed, unless no correction is wanted."""
    values = np.random.default_rng(1).random((tasks, 3))
    values[:, 1] = values[:, 0] - 0.25
    found = rb.aggregate(_scores(values), over="tasks", correction=correction).contrasts
    assert found is not None
    assert np.isnan([found.low[0, 1], found.high[0, 1], found.low[1, 0]]).all()
    if tasks < 5 and correction != "none":
        assert np.isnan(found.low).all()
        assert np.isnan(found.p).all()
        assert not found.excludes_zero.any()
        return
    assert np.isfinite([found.low[0, 2], found.high[0, 2]]).all()
    sign_test = 2 * 0.5**tasks
    assert found.p[0, 1] >= sign_test * (1 - 1e-9)
    if correction == "none":
        assert found.p[0, 1] == pytest.approx(sign_test)
    assert found.excludes_zero[0, 1] == (found.p[0, 1] <= 0.05)


def test_a_win_rate_that_is_the_same_on_every_task_gives_differences_without_interval() -> None:
    found = rb.aggregate(
        _scores(np.array([[1.0, 0.0]] * 5)), over="tasks", method="win_rate"
    ).contrasts
    assert found is not None
    assert np.isnan(found.low).all()
    assert found.diff[0, 1] == 1.0


def test_contrasts_beside_a_band_are_corrected_by_holm() -> None:
    values = np.random.default_rng(2).random((8, 3))
    band = rb.aggregate(_scores(values), over="tasks", correction="bootstrap_band").contrasts
    holm = rb.aggregate(_scores(values), over="tasks").contrasts
    assert band is not None
    assert holm is not None
    assert band.correction == "holm"
    np.testing.assert_array_equal(band.p, holm.p)


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("mean", "On the average over tasks like these"),
        ("average_rank", "On the average rank over tasks like these"),
        ("win_rate_top1", "On the share of first places over tasks like these"),
        ("geometric", "On the geometric mean over tasks like these"),
        ("borda", "On the average number of models beaten (Borda) over tasks like these"),
    ],
)
def test_the_headline_names_what_was_averaged(method: str, words: str) -> None:
    values = 0.1 + np.random.default_rng(3).random((6, 3))
    board = rb.leaderboard(_scores(values), over="tasks", method=method)
    assert headline(board).startswith(f"{words}, ")


def test_statements_about_all_models_can_say_more_than_one_model_by_itself() -> None:
    # w is best and z worst on each of five tasks: one sign test gives 1/32, which is more than
    # the 0.025 of a side. But w is shown before x and y, and these before z.
    middle = np.array([[0.3, 0.5], [0.4, 0.5], [0.5, 0.3], [0.35, 0.5], [0.4, 0.55]])
    values = np.column_stack([np.full(5, 0.9), middle, np.zeros(5)])
    scores = _scores(values)
    average = rb.aggregate(scores, over="tasks", method="mean", correction="holm", scope="each")
    assert average.shown_better[0, 3]
    assert (average.best[0], average.worst[0]) == (1, 2)
    board = rb.leaderboard(scores, over="tasks", method="mean", correction="holm")
    assert (board.ranks.best[0], board.ranks.worst[0]) == (1, 1)


def test_few_draws_are_said_to_spoil_ranks_only_where_ranks_are_counted_in_draws() -> None:
    rng = np.random.default_rng(4)
    tasks = {name: (rng.random((30, 3)) < 0.5).astype(float) for name in ("a", "b")}
    scores = rb.Scores.from_arrays(tasks, ["x", "y", "z"])
    paired = rb.aggregate(scores, estimator="bootstrap", resamples=1)
    counted = rb.aggregate(scores, method="borda", resamples=1)
    said = {
        name: next(note.message for note in one.notes if note.code == "few-draws")
        for name, one in {"paired": paired, "counted": counted}.items()
    }
    assert "ranges of ranks" not in said["paired"]
    assert "ranges of ranks say nothing" in said["counted"]


def test_more_resamples_than_memory_holds_are_refused_before_any_is_drawn() -> None:
    scores = _scores(np.random.default_rng(5).random((4, 2)))
    message = "resamples must be at most 1,000,000; got 1,000,000,000,000"
    with pytest.raises(rb.OptionError, match=message):
        rb.aggregate(scores, resamples=10**12)
    with pytest.raises(rb.OptionError, match=message):
        rb.compare(scores, resamples=10**12)
    with pytest.raises(rb.OptionError, match=message):
        rb.rank(rb.compare(scores), resamples=10**12)
    assert rb.Spec(resamples=MOST_RESAMPLES).resamples == MOST_RESAMPLES

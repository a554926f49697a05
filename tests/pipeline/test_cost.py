"""What the main path costs, as far as it can be said without a clock."""

import sys
import tracemalloc

import numpy as np
import pytest
from scipy import special

import rankbars as rb
from rankbars.data.storedtasks import outline_of
from rankbars.stats.tails import upper_tail

MANY = 60  # Of few models the board file holds all differences of averages, with p-values.


def draw_tasks(n_tasks, n_rows, n_models, binary=False):
    """Scores of several tasks in locked arrays, which are shared and not copied."""
    rng = np.random.default_rng(0)
    tasks = {}
    for number in range(n_tasks):
        values = rng.standard_normal((n_rows, n_models)) + np.linspace(0.0, 1.0, n_models)
        if binary:
            values = (values > 0.5).astype(np.float64)
        values.flags.writeable = False
        tasks[f"task {number:02d}"] = values
    return rb.Scores.from_arrays(tasks, [f"model {j:04d}" for j in range(n_models)])


def refuse(*_):
    raise AssertionError("a p-value was computed")


def exchange(old, new):
    """Put one function in place of another wherever the package has it."""
    modules = [module for name, module in sys.modules.items() if name.startswith("rankbars.")]
    for module in modules:
        for name, member in list(vars(module).items()):
            if member is old:
                setattr(module, name, new)


@pytest.fixture
def without_p_values(monkeypatch):
    """Make every way to a p-value raise; the score of the leader has its own, loaded before."""
    for over in ("items", "tasks"):
        rb.leaderboard(draw_tasks(6, 40, 3, False), over=over)
    for name in ("stdtr", "ndtr", "betainc", "log_ndtr"):
        monkeypatch.setattr(special, name, refuse)
    exchange(upper_tail, refuse)
    yield
    exchange(refuse, upper_tail)  # also in modules that were loaded meanwhile


@pytest.mark.parametrize("scope", ["each", "all"])
@pytest.mark.parametrize("correction", ["holm", "bonferroni"])
@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("over", ["items", "tasks"])
def test_a_leaderboard_of_complete_data_needs_no_p_value(
    scope, correction, binary, over, without_p_values
):
    # The law of up to 200 right and wrong answers is counted.
    scores = draw_tasks(6, 201 if binary else 40, MANY, binary)
    board = rb.leaderboard(scores, scope=scope, correction=correction, over=over)
    assert board.aggregate.best.min() == 1
    with pytest.raises(AssertionError, match="p-value"):
        rb.compare(scores)["task 00"].p  # noqa: B018


@pytest.mark.parametrize("scope", ["each", "all"])
@pytest.mark.parametrize("rows", ["folds", "runs"])
def test_folds_and_runs_need_no_p_value(scope, rows, without_p_values):
    design = rb.Folds(repeats=3, folds=4) if rows == "folds" else "runs"
    arrays = {name: task.values for name, task in draw_tasks(4, 12, MANY).tasks.items()}
    scores = rb.Scores.from_arrays(arrays, list(map(str, range(MANY))), design=design)
    assert rb.leaderboard(scores, scope=scope).aggregate is not None


def traced_peak(call):
    """Bytes allocated at once while `call` runs."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("scope", ["each", "all"])
@pytest.mark.parametrize("binary", [False, True])
def test_memory_of_one_large_task_is_bounded(scope, binary):
    """Beside the input: three tables of pairs that are kept, and room to work."""
    scores = draw_tasks(1, 1000, 1000, binary)
    peak = traced_peak(lambda: rb.rank(rb.compare(scores), scope=scope))
    assert peak < 8 * (8 * 1000**2)


def test_memory_of_a_leaderboard_does_not_grow_with_its_tasks():
    few, many = draw_tasks(4, 1000, 300), draw_tasks(20, 1000, 300)
    rb.leaderboard(draw_tasks(3, 10, 3))  # what is loaded once
    for scores in (few, many):  # what is kept with the scores: four numbers per model and task
        for name in scores.tasks:
            outline_of(scores.tasks, name)
    first = traced_peak(lambda: rb.leaderboard(few))
    second = traced_peak(lambda: rb.leaderboard(many))
    assert second < 24e6
    assert second < first + 1e6


def test_locked_arrays_are_shared_and_not_copied():
    values = np.ones((3, 2))
    values.flags.writeable = False
    scores = rb.Scores.from_arrays({"task": values}, ["a", "b"])
    assert scores.tasks["task"].values is values

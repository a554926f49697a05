"""Which tasks can be averaged as they are, and what is said where they cannot."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.tables.metrics import metric_in_name


def answers(*metrics: str, top: float = 1.0, seed: int = 0, **info: float) -> rb.Scores:
    """Right and wrong answers, each task with a metric of its own."""
    rng = np.random.default_rng(seed)
    names = [f"task {i}" for i in range(len(metrics))]
    return rb.Scores.from_arrays(
        {name: top * (rng.random((50, 3)) < [0.4, 0.5, 0.8]) for name in names},
        ["a", "b", "c"],
        info={n: rb.TaskInfo(metric=m, **info) for n, m in zip(names, metrics, strict=True)},  # type: ignore[arg-type]
    )


def codes(average: rb.Aggregate) -> set[str]:
    return {note.code for note in average.notes}


def test_right_and_wrong_answers_are_one_scale_whatever_the_metric_is_called() -> None:
    scores = answers("acc", "exact_match", "resolved")
    average = rb.aggregate(scores)
    assert average.method == "mean"
    means = [task.values.mean(axis=0) for task in scores.tasks.values()]
    assert average.score == pytest.approx(np.mean(means, axis=0))
    note = next(note for note in average.notes if note.code == "one-scale")
    assert "acc on 1 task, exact_match on 1 task, resolved on 1 task" in note.message


def test_a_metric_with_a_declared_range_is_on_that_scale() -> None:
    rng = np.random.default_rng(1)
    tasks = {"squad": rng.random((30, 2)), "arc": (rng.random((30, 2)) < 0.5) * 1.0}
    known = {"squad": rb.TaskInfo(metric="f1", minimum=0.0, maximum=1.0),
             "arc": rb.TaskInfo(metric="acc")}  # fmt: skip
    declared = rb.Scores.from_arrays(tasks, ["a", "b"], info=known)
    assert rb.aggregate(declared).method == "mean"
    unknown = {"squad": rb.TaskInfo(metric="f1"), "arc": rb.TaskInfo(metric="acc")}
    average = rb.aggregate(rb.Scores.from_arrays(tasks, ["a", "b"], info=unknown))
    assert average.method == "average_rank"
    message = next(note.message for note in average.notes if note.code == "different-metrics")
    assert "--score-min 0 --score-max 1" in message
    assert "--average-anyway" in message


def test_percent_is_the_same_scale_after_division() -> None:
    shares, percents = answers("acc"), answers("exact_match", top=100.0, seed=1)
    mixed = rb.Scores(
        {"x": shares.tasks["task 0"], "y": percents.tasks["task 0"]},
        {"x": rb.TaskInfo(metric="acc"), "y": rb.TaskInfo(metric="exact_match")},
    )
    divided = rb.Scores.from_arrays(
        {"x": mixed.tasks["x"].values, "y": mixed.tasks["y"].values / 100}, ["a", "b", "c"]
    )
    one, two = rb.aggregate(mixed), rb.aggregate(divided)
    for field in ("score", "low", "high", "se"):
        assert getattr(one, field) == pytest.approx(getattr(two, field))
    assert (one.best == two.best).all()
    assert one.limits == {"y": (0.0, 100.0)}
    assert "divided by 100" in next(n.message for n in one.notes if n.code == "one-scale")


def test_percents_alone_stay_percents() -> None:
    average = rb.aggregate(answers("acc", "exact_match", top=100.0))
    assert average.score.max() > 1.0
    assert average.limits == {}


def test_published_shares_of_two_names_are_averaged_but_not_in_two_units() -> None:
    def board(*rows: tuple[str, list[float]]) -> rb.Aggregate:
        return rb.aggregate(
            rb.Scores(
                {f"t{i}": rb.Estimates(("a", "b"), row) for i, (_, row) in enumerate(rows)},
                {f"t{i}": rb.TaskInfo(metric=metric) for i, (metric, _) in enumerate(rows)},
            )
        )

    assert board(("acc", [0.5, 0.6]), ("exact_match", [0.2, 0.1])).method == "mean"
    assert board(("acc", [50.0, 60.0]), ("exact_match", [20.0, 10.0])).method == "mean"
    # A share of 0.6, or 0.6 percent? The name does not tell.
    assert board(("acc", [50.0, 60.0]), ("exact_match", [0.5, 0.6])).method == "average_rank"
    assert board(("acc", [0.5, 0.6]), ("f1", [0.2, 0.1])).method == "average_rank"


@pytest.mark.parametrize("layout", ["column", "header"])
def test_published_metrics_of_different_names_are_not_averaged_raw_in_any_layout(
    layout: str,
) -> None:
    import pandas as pd

    table = {"NaturalQA EM": [0.5, 0.4], "CNN ROUGE-2": [0.2, 0.3], "MSMARCO NDCG@10": [0.7, 0.6]}
    wide = pd.DataFrame(table).assign(model=["a", "b"])
    tidy = wide.melt(id_vars="model", var_name="name", value_name="score")
    tidy[["task", "metric"]] = tidy.pop("name").str.split(" ", expand=True)
    scores = rb.Scores.from_frame(wide if layout == "header" else tidy)
    average = rb.aggregate(scores)
    assert average.method == "average_rank"
    assert "different-metrics" in codes(average)
    told = rb.aggregate(scores, average_anyway=True)
    assert told.score == pytest.approx(wide[list(table)].mean(axis=1))
    assert "averaged-anyway" in codes(told)


def test_losses_in_the_names_of_tasks_are_not_averaged_raw() -> None:
    tasks = {name: rb.Estimates(("a", "b"), [-3.0, -9.0]) for name in ("wiki_ppl", "code_ppl")}
    info = {name: rb.TaskInfo(direction="lower") for name in tasks}
    scores = rb.Scores(tasks, info)
    assert rb.aggregate(scores).method == "average_rank"
    assert rb.aggregate(scores, method="geometric").score == pytest.approx([3.0, 9.0])


def test_two_directions_are_never_averaged_raw() -> None:
    tasks = {name: rb.Estimates(("a", "b"), [0.5, 0.6]) for name in ("x", "y")}
    info = {"x": rb.TaskInfo(metric="acc"), "y": rb.TaskInfo(metric="wer", direction="lower")}
    with pytest.raises(rb.OptionError, match="'x' higher is better and on 'y' lower"):
        rb.aggregate(rb.Scores(tasks, info), average_anyway=True)


def test_one_metric_says_nothing() -> None:
    assert not codes(rb.aggregate(answers("acc", "acc"))) & {"one-scale", "different-metrics"}


@pytest.mark.parametrize(
    "name",
    ["STS12", "math", "TweetSentimentClassification", "AmazonPolarity", "map of the world",
     "law_hits", "F1 racing trivia hour", "ARC-Challenge", "MMLU-Pro", "BBH", "IFEval"],
)  # fmt: skip
def test_names_of_tasks_are_not_taken_for_metrics(name: str) -> None:
    assert metric_in_name(name) == ("f1" if name.startswith("F1") else None)


def percent_beside_shares() -> dict[str, np.ndarray]:
    """Answers on two tasks: 0 and 1 on one, 0 and 100 on the other."""
    rng = np.random.default_rng(3)
    return {
        "shares": (rng.random((80, 2)) < (0.7, 0.5)).astype(float),
        "percent": 100.0 * (rng.random((80, 2)) < (0.5, 0.55)),
    }


@pytest.mark.parametrize("metric", ["accuracy", "reward"])
def test_one_metric_in_percent_on_some_tasks_is_never_averaged_raw(metric: str) -> None:
    """Accuracies are divided; of other scores ranks are averaged. Board, comparison and claim."""
    rows = percent_beside_shares()
    info = {name: rb.TaskInfo(metric=metric) for name in rows}
    scores = rb.Scores.from_arrays(rows, ["a", "b"], info=info)
    board = rb.leaderboard(scores)
    duel = rb.head_to_head(scores, "a", "b")
    assert board.aggregate is not None
    assert duel.average is not None
    if metric == "reward":
        assert (board.aggregate.unit, duel.average.unit) == ("rank", "rank")
        return
    same = rb.Scores.from_arrays({**rows, "percent": rows["percent"] / 100.0}, ["a", "b"])
    wanted, known = rb.head_to_head(same, "a", "b").average, rb.leaderboard(same).aggregate
    assert wanted is not None
    assert known is not None
    assert board.aggregate.score == pytest.approx(known.score)
    for name in ("score_a", "score_b", "difference", "low", "high", "p_better"):
        assert getattr(duel.average, name) == pytest.approx(getattr(wanted, name)), name
    claim = rb.check(scores, "a > b").claims[0]
    assert claim.estimate == pytest.approx(wanted.difference)
    assert any("divided by 100" in note.message for note in board.notes)


def test_two_models_are_averaged_by_the_limits_of_each_task() -> None:
    rows = percent_beside_shares()
    limits = {"shares": (0.0, 1.0), "percent": (0.0, 100.0)}
    for direction, sign in (("higher", 1.0), ("lower", -1.0)):
        info = {
            name: rb.TaskInfo(metric="reward", direction=direction, minimum=low, maximum=high)
            for name, (low, high) in limits.items()
        }
        signed = {name: sign * values for name, values in rows.items()}
        scores = rb.Scores.from_arrays(signed, ["a", "b"], info=info)
        average = rb.head_to_head(scores, "a", "b", normalise="bounds").average
        board = rb.leaderboard(scores, normalise="bounds").aggregate
        assert average is not None
        assert board is not None
        assert (average.score_a, average.score_b) == pytest.approx(tuple(board.score))
        at = (rows["shares"].mean(axis=0) + rows["percent"].mean(axis=0) / 100.0) / 2
        assert average.difference == pytest.approx(sign * (at[0] - at[1]))
    with pytest.raises(rb.OptionError, match="bounds"):
        rb.head_to_head(scores, "a", "b", normalise="zscore")


@pytest.mark.parametrize(
    ("low", "high", "method"),
    [(-6.0, 8000.0, "average_rank"), (-150.0, 3000.0, "average_rank"), (-40.0, 60.0, "mean"),
     (-0.2, 0.8, "mean")],
)  # fmt: skip
def test_tasks_of_which_one_is_negative_are_told_apart_by_their_size(
    low: float, high: float, method: str
) -> None:
    rng = np.random.default_rng(2)
    returns = {"Reacher": low + rng.normal(size=(12, 3)) * abs(low) / 90,
               "HalfCheetah": high + rng.normal(size=(12, 3)) * abs(high) / 90}  # fmt: skip
    average = rb.aggregate(rb.Scores.from_arrays(returns, ["a", "b", "c"]))
    assert average.method == method
    assert ("different-metrics" in codes(average)) == (method == "average_rank")


@pytest.mark.parametrize(
    ("metric", "method"),
    [("latency_ms", "mean"), ("cost_usd", "mean"), ("duration", "mean"), ("rmse (ms)", "mean"),
     ("rmse", "average_rank"), ("loss", "average_rank"), ("reward", "average_rank")],
)  # fmt: skip
def test_amounts_of_one_unit_are_averaged_and_errors_in_the_unit_of_a_data_set_are_not(
    metric: str, method: str
) -> None:
    rng = np.random.default_rng(4)
    rows = {name: -rng.lognormal(3.0, 0.5, (20, 2)) for name in ("rag", "sql", "tools")}
    about = {name: rb.TaskInfo(metric=metric, direction="lower") for name in rows}
    average = rb.aggregate(rb.Scores.from_arrays(rows, ["a", "b"], info=about))
    assert average.method == method
    if method == "mean":
        # By hand: the mean of the means, and the error of a sum of independent ones.
        apart = [values[:, 0] - values[:, 1] for values in rows.values()]
        duel = rb.head_to_head(rb.Scores.from_arrays(rows, ["a", "b"], info=about), "a", "b")
        assert duel.average is not None
        assert duel.average.kind == "items"
        assert duel.average.difference == pytest.approx(np.mean([one.mean() for one in apart]))
        error = np.sqrt(sum(one.var(ddof=1) / len(one) for one in apart)) / 3
        half = (duel.average.high - duel.average.low) / 2
        assert half == pytest.approx(2.0 * error, rel=0.05)

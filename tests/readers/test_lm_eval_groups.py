"""Groups that lm-eval gives a value for count as one, sized as in its report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commandline import Answer, answer
from storefiles import add, held

import rankbars as rb

GENUINE = json.loads(
    (Path(__file__).parent.parent / "data" / "lm_eval_groups.json").read_text(encoding="utf-8")
)
SUBJECTS = {
    task: counts for tasks in GENUINE["right_and_all"].values() for task, counts in tasks.items()
}


def run(*words: str) -> Answer:
    return answer(words)


def write_log(
    folder: Path,
    counts: Mapping[str, tuple[int, int]],
    groups: Mapping[str, list[str]],
    values: Mapping[str, float],
    model: str = "a",
) -> Path:
    """A results file as lm-eval 0.4 writes it."""
    results: dict[str, Any] = {}
    for task, (right, n) in counts.items():
        share = right / n
        se = (share * (1 - share) / (n - 1)) ** 0.5
        results[task] = {"alias": task, "acc,none": share, "acc_stderr,none": se}
    reported = {name: {"alias": name, "acc,none": value} for name, value in values.items()}
    content = {
        "results": results | {name: reported.get(name, {"alias": name}) for name in groups},
        "groups": reported,
        "group_subtasks": {task: [] for task in counts} | dict(groups),
        "configs": {task: {"task": task} for task in counts},
        "higher_is_better": {task: {"acc": True} for task in counts},
        "n-samples": {task: {"original": n, "effective": n} for task, (_, n) in counts.items()},
        "config": {"model_args": f"pretrained={model}"},
        "model_name": model,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results_2026-01-01T00-00-00.000000.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def genuine(folder: Path, shift: int = 0, model: str = "a") -> Path:
    """The log that the values were copied from; `shift` more right answers on each task."""
    groups = {name: list(tasks) for name, tasks in GENUINE["right_and_all"].items()}
    counts = {task: (r + shift, n) for task, (r, n) in (SUBJECTS | GENUINE["alone"]).items()}
    return write_log(
        folder / model, counts, groups | {"mmlu": list(groups)}, GENUINE["groups"], model
    )


SMALL = {"law": (10, 100), "art": (90, 300), "gsm8k": (500, 1000)}
POOLED, PLAIN = 100 / 400, (0.1 + 0.3) / 2


def small(folder: Path, value: float, models: tuple[str, ...] = ("a", "b")) -> rb.Scores:
    for place, model in enumerate(models):
        counts = {task: (right + 20 * place, n) for task, (right, n) in SMALL.items()}
        write_log(folder / model, counts, {"suite": ["law", "art"]}, {"suite": value}, model)
    return rb.read(str(folder))


def test_mmlu_of_a_genuine_log_is_one_of_four(tmp_path: Path) -> None:
    genuine(tmp_path)
    genuine(tmp_path, shift=2, model="b")
    scores = rb.read(str(tmp_path))
    assert len(scores.tasks) == 60
    average = rb.aggregate(scores, over="items")
    alone = [right / n for right, n in GENUINE["alone"].values()]
    expected = np.mean([GENUINE["groups"]["mmlu"], *alone])
    assert average.score[0] == pytest.approx(expected, abs=1e-12)
    board = rb.leaderboard(scores)
    assert board.aggregate is not None
    assert board.aggregate.score[0] == pytest.approx(expected, abs=1e-12)
    assert sum(task.family == "mmlu" for task in board.tasks.values()) == 57
    assert "(57 of mmlu count as one)" in board.to_text()


def test_values_of_groups_are_those_of_the_log(tmp_path: Path) -> None:
    genuine(tmp_path)
    scores = rb.read(str(tmp_path))
    for name, value in GENUINE["groups"].items():
        chosen = SUBJECTS if name == "mmlu" else GENUINE["right_and_all"][name]
        average = rb.aggregate(scores.select(tasks=tuple(chosen)), over="items")
        assert average.score[0] == pytest.approx(value, abs=1e-12)


def test_fewer_tasks_share_the_weight_of_their_group(tmp_path: Path) -> None:
    genuine(tmp_path)
    scores = rb.read(str(tmp_path)).select(tasks=["mmlu_virology", "mmlu_anatomy", "piqa"])
    info = rb.leaderboard(scores).tasks
    assert [info[name].weight for name in sorted(info)] == pytest.approx(
        [0.5 * 135 / 301, 0.5 * 166 / 301, 0.5]
    )


@pytest.mark.parametrize(
    ("value", "weights"), [(POOLED, [0.375, 0.5, 0.125]), (PLAIN, [0.25, 0.5, 0.25])]
)
def test_tasks_count_in_a_group_as_in_its_value(
    tmp_path: Path, value: float, weights: list[float]
) -> None:
    board = rb.leaderboard(small(tmp_path, value))
    assert [board.tasks[name].weight for name in ("art", "gsm8k", "law")] == weights


def test_a_group_without_a_value_does_not_count_as_one(tmp_path: Path) -> None:
    write_log(tmp_path / "a", SMALL, {"suite": ["law", "art"]}, {})
    assert {one.group for one in rb.read(str(tmp_path)).info.values()} == {None}


def test_what_is_declared_counts_instead(tmp_path: Path) -> None:
    scores = small(tmp_path, POOLED)
    even = rb.leaderboard(scores.group_tasks({}))
    assert len({task.weight for task in even.tasks.values()}) == 1
    other = rb.leaderboard(scores.group_tasks({"law": "x", "gsm8k": "x"}))
    assert other.tasks["art"].weight == 0.5
    told = rb.aggregate(scores, weights={"law": 1, "gsm8k": 1}, over="items")
    assert told.score[0] == pytest.approx(0.3)


def test_over_tasks_like_these_groups_are_the_sample(tmp_path: Path) -> None:
    scores = small(tmp_path, POOLED)
    assert rb.aggregate(scores, over="tasks").over == "families"
    with pytest.raises(rb.OptionError, match="--groups none"):
        rb.aggregate(scores, over="tasks", estimator="two_level")
    assert rb.aggregate(scores.group_tasks({}), over="tasks", estimator="two_level").over == "tasks"


def test_two_models_are_compared_on_the_same_average(tmp_path: Path) -> None:
    scores = small(tmp_path, POOLED)
    duel = rb.head_to_head(scores, "b", "a")
    assert duel.average is not None
    assert duel.average.difference == pytest.approx(0.5 * 40 / 400 + 0.5 * 20 / 1000)
    assert rb.check(scores, ["b > a - 0.5"]).claims[0].estimate == pytest.approx(
        duel.average.difference
    )


def test_a_store_keeps_the_groups(tmp_path: Path) -> None:
    small(tmp_path / "logs", POOLED)
    store = str(tmp_path / "results.duckdb")
    add(str(tmp_path / "logs"), store=store)
    read = rb.read(str(tmp_path / "logs"))
    assert {name: one.group for name, one in held(store).info.items()} == {
        name: one.group for name, one in read.info.items()
    }
    assert "(2 of suite count as one)" in run("rank", store, "--quiet").out


def test_the_command_takes_other_groups_or_none(tmp_path: Path) -> None:
    small(tmp_path / "logs", POOLED)
    logs = str(tmp_path / "logs")
    usual, none = run("rank", logs, "-q"), run("rank", logs, "-q", "--groups", "none")
    assert "2 tasks of 'suite' count as one, by their numbers of rows" in " ".join(
        usual.out.split()
    )
    assert "count as one" not in none.out
    even = run("rank", logs, "-q", "--within-groups", "equal", "-o", str(tmp_path / "b.json"))
    assert even.code == 0
    assert rb.load(tmp_path / "b.json").tasks["law"].weight == 0.25


def test_without_groups_nothing_counts_in_another_way(tmp_path: Path) -> None:
    table, weights = tmp_path / "t.csv", tmp_path / "w.csv"
    table.write_text("model,x,y,z\na,71,62,55\nb,65,60,50\n", encoding="utf-8")
    weights.write_text("task,weight\nx,2\ny,1\nz,1\n", encoding="utf-8")
    words = ["rank", str(table), "--weights", str(weights), "-q", "-o"]
    for name, more in (("one.json", ()), ("two.json", ("--within-groups", "equal"))):
        assert run(*words, str(tmp_path / name), *more).code == 0
    one, two = (rb.load(tmp_path / name) for name in ("one.json", "two.json"))
    assert [task.weight for task in one.tasks.values()] == [
        task.weight for task in two.tasks.values()
    ]

"""Groups of tasks that count as one, and rows that belong together, from files."""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import rankbars as rb

DATA = Path(__file__).parent.parent / "data"
GOLDEN = json.loads((DATA / "golden_groups.json").read_text(encoding="utf-8"))
TASKS = {
    f"{group}_{i}": (group, size, GOLDEN["acc"][group][i])
    for group, sizes in GOLDEN["sizes"].items()
    for i, size in enumerate(sizes)
}


def reference(within: str) -> rb.Aggregate:
    scores = rb.Scores(
        {
            task: rb.Estimates(("a",), [share], se=[(share * (1 - share) / (n - 1)) ** 0.5], n=[n])
            for task, (_, n, share) in TASKS.items()
        }
    )
    groups = {task: group for task, (group, _, _) in TASKS.items() if group == "mmlu"}
    return rb.aggregate(scores.group_tasks(groups, within=within), over="items")


def test_reference_averages_of_groups() -> None:
    assert reference("size").score[0] == pytest.approx(GOLDEN["average_groups_size_within"])
    assert reference("size").se[0] == pytest.approx(GOLDEN["se_size_within"], rel=1e-9)
    assert reference("equal").score[0] == pytest.approx(GOLDEN["average_groups_equal_within"])


def suite() -> tuple[rb.Scores, dict[str, str], list[dict[str, str]]]:
    """57 subjects of MMLU and four other tasks, as lm-eval published them."""
    path = DATA / "tables" / "pythia_mmlu.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    scores = rb.read(str(path))
    return scores, {name: "mmlu" for name in scores.tasks if name.startswith("mmlu_")}, rows


def group_means(rows: list[dict[str, str]], model: str) -> dict[str, float]:
    """Pooled as lm-eval pools a group with weight_by_size: right answers over questions."""
    right: dict[str, float] = defaultdict(float)
    total: dict[str, float] = defaultdict(float)
    for row in rows:
        if row["model"] == model:
            name = "mmlu" if row["task"].startswith("mmlu_") else row["task"]
            right[name] += float(row["score"]) * float(row["n"])
            total[name] += float(row["n"])
    return {name: right[name] / total[name] for name in right}


def test_mmlu_counts_as_one_task_as_in_the_report_of_lm_eval() -> None:
    scores, groups, rows = suite()
    average = rb.aggregate(scores.group_tasks(groups), over="items")
    for place, model in enumerate(average.models):
        means = group_means(rows, model)
        assert len(means) == 5
        assert average.score[place] == pytest.approx(np.mean(list(means.values())), rel=1e-9)


def test_over_tasks_like_these_groups_are_the_sample() -> None:
    scores, groups, rows = suite()
    average = rb.aggregate(scores.group_tasks(groups), over="tasks", correction="holm")
    assert average.over == "families"
    assert average.df[0] == 4
    first, second = (np.array(list(group_means(rows, m).values())) for m in average.models[:2])
    assert average.score[0] == pytest.approx(first.mean())
    assert average.contrasts is not None
    assert average.contrasts.se[0, 1] == pytest.approx(stats.sem(first - second))


def test_groups_can_have_weights_and_tasks_the_same_share() -> None:
    scores, groups, _ = suite()
    found = scores.group_tasks(groups, within="equal", weights={"mmlu": 1, "piqa": 3})
    assert found.info["piqa"].weight == pytest.approx(0.75)
    assert found.info["winogrande"].weight == 0.0
    assert found.info["mmlu_anatomy"].weight == pytest.approx(0.25 / 57)


def test_sizes_that_are_not_known_are_asked_for() -> None:
    tasks = {name: rb.Estimates(("a", "b"), [0.5, 0.6]) for name in "xyz"}
    with pytest.raises(rb.DataError, match="--within-groups equal"):
        rb.Scores(tasks).group_tasks({"x": "g", "y": "g"})
    assert rb.Scores(tasks).group_tasks({"x": "g"}).info["x"].weight == pytest.approx(1 / 3)
    with pytest.raises(rb.OptionError, match="task in the groups"):
        rb.Scores(tasks).group_tasks({"w": "g"})


def test_category_weights_work_where_some_tasks_have_no_category() -> None:
    info = {"a1": rb.TaskInfo(category="a"), "a2": rb.TaskInfo(category="a"), "b": rb.TaskInfo()}
    tasks = {name: rb.Estimates(("m", "n"), [0.5, 0.6]) for name in info}
    weighed = rb.Scores(tasks, info).weigh_categories({"a": 1, "b": 3})
    assert [one.weight for one in weighed.info.values()] == pytest.approx([0.125, 0.125, 0.75])


def test_clusters_by_name_are_those_of_a_column() -> None:
    rng = np.random.default_rng(0)
    ids = tuple(f"q{i}" for i in range(60))
    clusters = {name: f"doc {int(name[1:]) // 4}" for name in ids}
    items = rb.Items(("a", "b"), rng.random((60, 2)), ids=ids)
    named = rb.Scores({"x": items, "y": items}).cluster_rows({"x": clusters})
    assert named.tasks["y"].clusters is None  # type: ignore[union-attr]
    column = rb.Items(("a", "b"), items.values, clusters=np.arange(60) // 4, ids=ids)
    one = rb.compare(rb.Scores({"x": named.tasks["x"]}))["x"]
    two = rb.compare(rb.Scores({"x": column}))["x"]
    assert one.test == "cluster_t"
    assert one.se[0, 1] == pytest.approx(two.se[0, 1])
    with pytest.raises(rb.DataError, match="no cluster for row 'q1' and 58 more rows"):
        rb.Scores({"x": items}).cluster_rows({"q0": "d"})

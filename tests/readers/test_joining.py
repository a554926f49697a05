"""Scores from several sources as one."""

from __future__ import annotations

import bz2
import lzma
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tablefiles import TABLES, assert_same, csv_text, write_csv

import rankbars as rb
import rankbars.tables.matrices
from rankbars.data.evidence import Coverage, Estimates, Folds, Items, Votes
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.tables.joining import join_scores


def items(model: str, **changes: Any) -> Scores:
    given = {"values": [[1.0], [0.0]], "ids": ("1", "2"), **changes}
    return Scores({"t": Items((model,), **given)})


def test_models_of_the_same_rows_stand_side_by_side() -> None:
    joined = join_scores([items("b", values=[[1.0], [2.0]]), items("a", answers=[[2], [1]])])
    task = joined.tasks["t"]
    assert isinstance(task, Items)
    assert task.models == ("a", "b")
    assert task.values.tolist() == [[1.0, 1.0], [0.0, 2.0]]
    assert task.answers is not None
    assert task.answers.tolist() == [[2, 1], [1, 1]]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (items("a", values=[[1.0], [1.0]]), "model 'a' occurs in both, with different scores"),
        (items("b", ids=("3", "4")), r"none has a name in common \(such as '1' and '3'\)"),
        (items("b", ids=None), "rows are not the same"),
        (items("b", design=Folds(1, 2)), "rows are not the same"),
        (items("b", weights=[1.0, 2.0]), "the weights of their rows differ"),
        (items("b", clusters=[0, 1]), "clusters"),
        (Scores({"t": Votes(("a", "b"), [[0, 1], [2, 0]])}), "votes, which are no scores"),
        (
            Scores({"t": items("b").tasks["t"]}, {"t": TaskInfo(metric="f1")}),
            "they say 'acc' and 'f1' of its metric",
        ),
        (
            Scores({"t": items("b").tasks["t"]}, {"t": TaskInfo(direction="lower")}),
            "they say 'higher' and 'lower' of its direction",
        ),
        (items("b", values=[[73.0], [0.0]]), "is a proportion, but the scores of one go up to 1 "),
    ],
)
def test_tasks_that_do_not_fit_are_refused_with_the_reason(other: Scores, reason: str) -> None:
    one = Scores({"t": items("a").tasks["t"]}, {"t": TaskInfo(metric="acc")})
    with pytest.raises(rb.DataError, match=f"Task 't' occurs in several inputs.*{reason}"):
        join_scores([one, other])


def test_folds_and_published_scores_are_not_mixed() -> None:
    folds = items("a", design=Folds(1, 2))
    with pytest.raises(rb.DataError, match="scores of single rows"):
        join_scores([folds, Scores({"t": Estimates(("b",), [0.5])})])


def test_rows_that_one_source_lacks_are_missing_for_its_models() -> None:
    counts = Coverage(2, [2], [0], [0], [0])
    one = Scores({"t": items("a").tasks["t"]}, {"t": TaskInfo(coverage=counts)})
    other = items("b", ids=("2", "10"), values=[[1.0], [0.5]])
    two = Scores(dict(other.tasks), {"t": TaskInfo(coverage=counts)})
    joined = join_scores([one, two], ["x.csv", "y.json"])
    task, coverage = joined.tasks["t"], joined.info["t"].coverage
    assert isinstance(task, Items)
    assert task.ids == ("1", "2", "10")
    np.testing.assert_array_equal(task.values, [[1.0, np.nan], [0.0, 1.0], [np.nan, 0.5]])
    assert coverage is not None
    assert coverage.missing.tolist() == [1, 1]
    assert "x.csv and y.json: 3 rows, paired by their names, of which 1 are in both" in next(
        note.message for note in joined.notes if note.code == "joined"
    )


def test_a_model_that_two_sources_say_the_same_of_counts_once() -> None:
    joined = join_scores([items("a"), items("a")])
    assert joined.tasks["t"].models == ("a",)
    assert [note.code for note in joined.notes] == ["copies"]


def test_item_scores_become_means_where_other_models_have_nothing_else() -> None:
    published = Scores({"t": Estimates(("b",), [0.25], se=[0.1])})
    four = items("a", values=[[1.0], [0.0], [1.0], [0.0]], ids=tuple("1234"))
    task = join_scores([published, four]).tasks["t"]
    assert isinstance(task, Estimates)
    assert task.mean.tolist() == [0.5, 0.25]
    assert task.se is not None
    np.testing.assert_allclose(task.se, [np.std([1, 0, 1, 0], ddof=1) / 2, 0.1])


@pytest.mark.parametrize("names", [("acc", "correct"), ("score", "acc"), (None, "acc")])
def test_a_name_that_says_nothing_is_no_other_metric(names: tuple[str | None, str | None]) -> None:
    parts = [
        Scores(dict(items(model).tasks), {"t": TaskInfo(metric=name)})
        for model, name in zip("ab", names, strict=True)
    ]
    assert join_scores(parts).info["t"].metric == "acc"


def test_items_count_where_published_scores_say_nothing_else() -> None:
    joined = join_scores([Scores({"t": Estimates(("a",), [0.5])}), items("a")])
    assert isinstance(joined.tasks["t"], Items)
    assert [note.code for note in joined.notes] == ["no-items"]


def test_published_scores_are_joined_with_what_each_has() -> None:
    one = Scores({"t": Estimates(("b",), [1.0], se=[0.1])})
    two = Scores({"t": Estimates(("a",), [2.0], n=[7])})
    task = join_scores([one, two]).tasks["t"]
    assert isinstance(task, Estimates)
    assert task.mean.tolist() == [2.0, 1.0]
    np.testing.assert_array_equal(task.se, [np.nan, 0.1])
    assert task.n is not None
    assert task.n.tolist() == [7, 0]
    covariance = Scores({"t": Estimates(("c",), [1.0], cov=[[1.0]])})
    with pytest.raises(rb.DataError, match="covariance"):
        join_scores([one, covariance])


def test_models_of_one_task_may_be_spread_over_files(tmp_path: Path) -> None:
    rows = {"model": ["a", "a", "b"], "item": [1, 2, 2], "score": [1, 0, 1]}
    whole = rb.read(write_csv(rows | {"task": ["t"] * 3}, tmp_path))
    first = {name: values[:2] for name, values in rows.items()} | {"task": ["t"] * 2}
    second = {name: values[2:] for name, values in rows.items()} | {"task": ["t"]}
    parts = rb.read([write_csv(second, tmp_path, "b"), write_csv(first, tmp_path, "a")])
    assert_same(whole, parts)
    coverage = parts.info["t"].coverage
    assert coverage is not None
    assert coverage.missing.tolist() == [0, 1]


def test_many_tasks_with_items_of_their_own_need_no_big_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = TABLES / "swebench_pro.parquet"
    whole = rb.read(path)
    monkeypatch.setattr(rankbars.tables.matrices, "DENSE_CELLS", 0)
    monkeypatch.setattr(rankbars.tables.matrices, "DENSE_TIMES", 0)
    assert_same(whole, rb.read(path))


@pytest.mark.parametrize("suffix", ["bz2", "xz", "zst"])
def test_other_compressions(tmp_path: Path, suffix: str) -> None:
    import zstandard

    columns = {"model": ["a", "b"], "task": ["t"] * 2, "item": [1, 1], "score": [1, 0]}
    content = csv_text(columns).encode()
    pack = {
        "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard.ZstdCompressor().compress,
    }[suffix]  # fmt: skip
    path = tmp_path / f"results.csv.{suffix}"
    path.write_bytes(pack(content))
    assert rb.read(path).models == ("a", "b")
    path.write_bytes(pack(content)[:-9])
    with pytest.raises(rb.ReadError, match="cut off or damaged"):
        rb.read(path)


def test_options_pick_the_fitting_tables_of_a_folder(tmp_path: Path) -> None:
    write_csv({"who": ["a", "b"], "q": [1, 1], "points": [1, 0]}, tmp_path, "results")
    write_csv({"dataset": ["t"], "rows": [100], "source": ["web"]}, tmp_path, "about")
    columns = {"model": "who", "item": "q", "score": "points"}
    scores = rb.read(tmp_path, columns=columns)
    assert scores.models == ("a", "b")
    assert [given.path for given in scores.inputs] == [(tmp_path / "results.csv").as_posix()]


def test_models_that_were_shown_other_numbers_of_examples_are_not_joined_unless_told() -> None:
    def shown(model: str, shots: str, context: str = "") -> Scores:
        info = TaskInfo(settings={("shots", context): shots})
        return Scores({"t": items(model).tasks["t"]}, {"t": info})

    with pytest.raises(rb.DataError, match=r"Shots: '5-shot' \('a'\), '8-shot' \('b'\)"):
        join_scores([shown("a", "5-shot"), shown("b", "8-shot")])
    joined = join_scores([shown("a", "5-shot"), shown("b", "8-shot")], anyway=True)
    assert [note.code for note in joined.notes] == ["task-differs", "joined"]
    # A third one is compared with both.
    with pytest.raises(rb.DataError, match="'8-shot'"):
        join_scores([shown("a", "5-shot"), items("c"), shown("b", "8-shot")])
    assert not any(
        note.code == "task-differs"
        for note in join_scores([shown("a", "5-shot", "one"), shown("b", "8-shot", "two")]).notes
    )

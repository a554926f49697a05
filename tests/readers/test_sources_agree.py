"""The same results give the same scores, whatever they are stored in and in whatever order."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from strategies import FEWER, FEWEST
from tablefiles import FRAMES, WRITERS, assert_same, read_columns, rows_of, write_csv

import rankbars as rb

NAMES = ("a", "gpt-4", "Ünïcode", "a,b", 'quo"te', "10", "007", "<b>", "x y")
QUARTERS = st.integers(0, 4).map(lambda k: k / 4)


@st.composite
def tidy_columns(draw: st.DrawFn) -> dict[str, list[Any]]:
    """Items, some of them missing, some of them unscored, with two answers to some."""
    models = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True))
    tasks = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=2, unique=True))
    items = draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True))
    epochs = draw(st.sampled_from(((1,), (1, 2), (1, 2, 3))))
    # Of one sign, and far from 1: shares beside percentages are refused.
    sign = draw(st.sampled_from((1.0, -1.0)))
    large = st.just(0.0) | st.floats(400, 1e6).map(lambda value: sign * value)
    score = draw(st.sampled_from((QUARTERS | st.none(), large, st.booleans() | st.none())))
    rows = [
        (model, task, item, epoch, draw(score))
        for model in models for task in tasks for item in items for epoch in epochs
        if draw(st.booleans()) or (item == items[0] and epoch == 1)
    ]  # fmt: skip
    if all(row[4] is None for row in rows):
        rows[0] = (*rows[0][:4], True)
    if len(epochs) == 1:
        rows = [(*row[:3], row[4]) for row in rows]
        return dict(
            zip(("model", "task", "item", "score"), map(list, zip(*rows, strict=True)), strict=True)
        )
    names = ("model", "task", "item", "epoch", "score")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


@FEWEST
@given(columns=tidy_columns())
def test_every_file_format_and_frame_gives_the_same_scores(columns: dict[str, list[Any]]) -> None:
    expected = read_columns(columns)
    for name, frame in FRAMES.items():
        assert_same(expected, rb.Scores.from_frame(frame(columns))), name
    with tempfile.TemporaryDirectory() as folder:
        for write in WRITERS.values():
            assert_same(expected, rb.read(write(columns, Path(folder))))


@FEWER
@given(columns=tidy_columns())
def test_csv_that_is_read_in_blocks_says_the_same(columns: dict[str, list[Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = write_csv(columns, Path(folder))
        expected = rb.read(path)
        patch.setattr("rankbars.tables.unitedrows.BLOCK_ROWS", 3)
        patch.setattr("rankbars.tables.cleanrows._CACHED_ROWS", 2)
        assert_same(expected, rb.read(path))


@FEWER
@given(columns=tidy_columns(), random=st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_carries_no_information(
    columns: dict[str, list[Any]], random: Any
) -> None:
    rows = rows_of(columns)
    random.shuffle(rows)
    names = list(columns)
    random.shuffle(names)
    shuffled = {name: [row[name] for row in rows] for name in names}
    assert_same(read_columns(columns), read_columns(shuffled))


@FEWER
@given(columns=tidy_columns())
def test_matrices_equal_a_count_in_plain_python(columns: dict[str, list[Any]]) -> None:
    """Second implementation: dictionaries and loops."""
    answers: dict[tuple[str, str, str], list[float | None]] = {}
    for row in rows_of(columns):
        answers.setdefault((row["task"], row["item"], row["model"]), []).append(row["score"])
    models = sorted({key[2] for key in answers})
    scores = read_columns(columns)
    assert list(scores.tasks) == sorted({key[0] for key in answers})
    for task, evidence in scores.tasks.items():
        assert evidence.models == tuple(models)
        items = {key[1] for key in answers if key[0] == task}
        assert set(evidence.ids or ()) == items
        coverage = scores.info[task].coverage
        assert coverage is not None
        assert coverage.expected == len(items)
        for column, model in enumerate(models):
            found = [answers.get((task, item, model), []) for item in evidence.ids or ()]
            scored = [[one for one in cell if one is not None] for cell in found]
            means = [np.mean(sorted(cell)) if cell else np.nan for cell in scored]
            np.testing.assert_allclose(
                evidence.values[:, column], means, rtol=1e-12, atol=1e-9, equal_nan=True
            )
            assert coverage.scored[column] == sum(bool(cell) for cell in scored)
            assert coverage.missing[column] == sum(not cell for cell in found)
            assert coverage.unscored[column] == sum(
                bool(cell) and not kept for cell, kept in zip(found, scored, strict=True)
            )
            if evidence.answers is not None:
                assert evidence.answers[:, column].tolist() == [len(cell) for cell in scored]
            else:
                assert all(len(cell) <= 1 for cell in scored)


@st.composite
def matrices(draw: st.DrawFn) -> tuple[list[str], list[str], np.ndarray]:
    names = st.lists(
        st.sampled_from(("A", "B", "C", "D", "E1", "F 2")), min_size=2, max_size=4, unique=True
    )
    models, others = draw(names), draw(names)
    cells = st.floats(-100, 100) | st.just(np.nan)
    values = [[draw(cells) for _ in models] for _ in others]
    array = np.array(values)
    # Every model reaches the same height: models on two scales are refused, which others test.
    array[0] = 101 + np.arange(len(models))
    return models, others, array


def tidy_of(models: Sequence[str], others: Sequence[str], role: str, values: np.ndarray) -> Any:
    rows = [
        {"model": model, role: other, "score": values[i, j]}
        for i, other in enumerate(others)
        for j, model in enumerate(models)
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


def without_traces(scores: rb.Scores) -> rb.Scores:
    """The scores, where answers without a score count as answers that are not there."""
    info = {}
    for task, about in scores.info.items():
        counts = about.coverage
        if counts is not None:
            counts = replace(counts, unscored=np.zeros_like(counts.unscored),
                             missing=counts.missing + counts.unscored)  # fmt: skip
        info[task] = replace(about, coverage=counts)
    return replace(scores, info=info)


@FEWER
@given(matrix=matrices())
@example(matrix=(["A", "B"], ["A", "B", "C"], np.array([[0, 1], [np.nan, 0], [0, np.nan]])))
def test_wide_and_tidy_tables_agree(matrix: tuple[list[str], list[str], np.ndarray]) -> None:
    """But for one thing: a row without a score says that there was an answer; an empty cell of a
    matrix says nothing."""
    models, others, values = matrix
    # A square table with the same names on both sides says who beat whom: votes, not scores.
    assume(set(models) != set(others))
    columns = {model: values[:, j].tolist() for j, model in enumerate(models)}
    try:
        items = read_columns({"item": others, **columns}, direction="higher")
        tasks = read_columns({"task": others, **columns}, direction="higher")
    except rb.DataError as error:  # a column that may be no model is no board yet
        assume("of another kind" not in str(error))
        raise
    tidy = read_columns(tidy_of(models, others, "item", values), direction="higher")
    assert_same(items, without_traces(tidy))
    empty = np.isnan(values).sum(axis=0)[np.argsort(models)].tolist()
    for scores, state in ((items, "missing"), (tidy, "unscored")):
        coverage = scores.info["all"].coverage
        assert coverage is not None
        assert getattr(coverage, state).tolist() == empty
    tidy = read_columns(tidy_of(models, others, "task", values), direction="higher")
    assert_same(tasks, without_traces(tidy))
    if not np.isnan(values).all(axis=1).any():  # an empty column of a matrix is no task
        transposed = {other: values[i].tolist() for i, other in enumerate(others)}
        # Of columns that are named, none is asked about for the scale on which it lies.
        named = dict.fromkeys(tasks.tasks, "higher")
        across = read_columns({"model": models, **transposed}, direction=named)
        assert_same(read_columns({"task": others, **columns}, direction=named), across)


def test_a_parquet_file_of_several_blocks_reads_like_one_block(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(1)
    columns = {
        "model": [f"m{i % 5}" for i in range(500)],
        "item": [i // 5 for i in range(500)],
        "score": random.integers(0, 2, 500).tolist(),
        "failure": [None] * 500,
    }
    from tablefiles import write_parquet

    path = write_parquet(columns, tmp_path)
    whole = rb.read(path)
    monkeypatch.setattr("rankbars.tables.unitedrows.BLOCK_ROWS", 64)
    monkeypatch.setattr("rankbars.tables.cleanrows._CACHED_ROWS", 7)
    assert_same(whole, rb.read(path))
    assert whole.tasks["results"].n == 100


@pytest.mark.parametrize(
    "ends", [(0, 255), (0, 256), (-1, 200), (-129, 5), (0, 65_536), (-40_000, 3), (7, 2**40)]
)
def test_whole_numbers_of_any_size_are_the_same_beside_fractions_and_alone(
    ends: tuple[int, int], tmp_path: Path
) -> None:
    rows = [(model, item) for model in "ab" for item in range(2)]
    values = [*ends, ends[0], ends[1]]
    columns = {
        "model": [m for m, _ in rows],
        "task": ["x"] * 4,
        "item": [i for _, i in rows],
        "score": values,
    }
    pd.DataFrame(columns).to_parquet(tmp_path / "whole.parquet")
    fractions = {**columns, "model": ["c"] * 4, "item": [0, 1, 2, 3], "score": [0.5, 1.5, 2.0, 3.0]}
    pd.DataFrame(fractions).to_parquet(tmp_path / "fractions.parquet")
    alone = rb.read(tmp_path / "whole.parquet", direction="higher")
    beside = rb.read(tmp_path, direction="higher")
    expected = np.array(values, float).reshape(2, 2).T
    np.testing.assert_array_equal(alone.tasks["x"].values, expected)
    found = beside.tasks["x"].values
    np.testing.assert_array_equal(found[:2, :2], expected)
    np.testing.assert_array_equal(found[:, 2], fractions["score"])


def test_identifiers_are_the_same_name_whatever_type_stores_them() -> None:
    base = {"model": ["a", "a", "b", "b"], "score": [1, 0, 0, 1]}
    whole = read_columns({**base, "item": [1, 2, 1, 2]})
    floats = read_columns({**base, "item": [1.0, 2.0, 1.0, 2.0]})
    texts = read_columns({**base, "item": ["1", "2", "1", "2"]})
    assert_same(whole, floats)
    assert_same(whole, texts)
    assert whole.tasks["all"].ids == ("1", "2")


@pytest.mark.parametrize(
    "dtype", ["str", "object", "string[pyarrow]", "string[python]", "category"]
)
def test_texts_of_a_frame_are_read_alike_however_it_keeps_them(dtype: str) -> None:
    models = ["b", "a", "c", "a", "b", "c", None, "", "c"]
    frame = pd.DataFrame({
        "model": pd.Series(models, dtype=dtype),
        "item": pd.Series(list("xxxyyyzzz"), dtype=dtype),
        "score": pd.Series(["1", "0", "0.5", "1", "0.5", "n/a", "1", "1", "1"], dtype=dtype),
    })  # fmt: skip
    with pytest.raises(rb.DataError, match="row 7"):
        rb.Scores.from_frame(frame)
    scores = rb.Scores.from_frame(frame.drop(index=[6, 7, 8]))
    (items,) = scores.tasks.values()
    assert scores.models == ("a", "b", "c")
    np.testing.assert_array_equal(items.values, [[0, 1, 0.5], [1, 0.5, np.nan]])

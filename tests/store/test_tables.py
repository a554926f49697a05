"""A store of tables is ranked as its files would be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storefiles import add, assert_equals_files, held, inside, remove
from strategies import FEWEST
from tablefiles import assert_same, csv_text

import rankbars as rb
from rankbars.cli.app import run

NAMES = st.sampled_from(["a", "b", "ä c", "d,e", 'f"g', "10", "9", "0"])
SCORES = st.sampled_from([0.0, 1.0, 0.25, -3.5, None])


@st.composite
def tables(draw: st.DrawFn) -> list[dict[str, list[Any]]]:
    """A tidy table of all models and items, in one to four parts."""
    models = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    tasks = draw(st.lists(NAMES, min_size=1, max_size=2, unique=True))
    items = draw(st.integers(2, 5))
    rows = [
        (model, task, item, draw(SCORES))
        for model in models
        for task in tasks
        for item in range(items)
    ]
    parts = draw(st.integers(1, 4))
    which = [draw(st.integers(0, parts - 1)) for _ in rows]
    found = []
    for part in range(parts):
        own = [row for row, place in zip(rows, which, strict=True) if place == part]
        if own:
            columns = zip(*own, strict=True)
            found.append(
                dict(zip(("model", "task", "item", "score"), map(list, columns), strict=True))
            )
    return found


def write(folder: Path, name: str, columns: dict[str, list[Any]]) -> None:
    text = {key: ["" if cell is None else cell for cell in cells] for key, cells in columns.items()}
    (folder / name).write_text(csv_text(text), encoding="utf-8")


@FEWEST
@given(parts=tables(), data=st.data())
def test_a_store_equals_its_files_whatever_the_order_of_adding(
    parts: list[dict[str, list[Any]]], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("store")
    names = [f"part{number}.csv" for number in range(len(parts))]
    for name, columns in zip(names, parts, strict=True):
        write(folder, name, columns)
    with inside(folder):
        order = data.draw(st.permutations(names))
        cut = data.draw(st.integers(0, len(order)))
        for batch in (order[:cut], order[cut:], order[:1]):
            if batch:
                add(*batch)
        assert_equals_files(names)
        gone = data.draw(st.sampled_from(names))
        if len(names) > 1:
            remove(gone)
            assert_equals_files([name for name in names if name != gone])
            add(gone)
            assert_equals_files(names)


@pytest.mark.parametrize(
    ("columns", "options"),
    [
        ({"item": [1, 2, 3], "x": [1, 0, 1], "y": [1, 1, 0]}, ()),
        ({"task": ["m", "l"], "x": [0.1, 0.2], "y": [0.3, ""], "n": [10, 20]}, ()),
        ({"model": ["x", "y"], "m": [0.1, 0.2], "l": [0.3, 0.5], "m_se": [0.1, 0.1],
          "l_se": [0.2, 0.2]}, ()),
        ({"model": ["x", "y"], "rmse": [0.1, 0.2], "mae": [0.3, 0.5]}, ("--direction", "lower")),
        ({"model": ["x", "y"], "m": ["71.3 ± 1.2", "60.0 ± 1.0"]}, ("--cells", "se")),
        ({"model": ["x", "x", "y", "y"], "dataset": ["d"] * 4, "fold": [0, 1, 0, 1],
          "score": ["10%", "20%", "30%", "40%"]}, ("--folds", "2")),
        ({"model": ["x", "x", "y", "y"], "item": ["a", "b", "a", "b"], "score": [1, 0, 1, 1],
          "cluster": ["p", "p", "p", "p"], "weight": [1, 2, 1, 2],
          "error": ["", "", "timeout", ""]}, ()),
        ({"model": ["x", "y"] * 4, "item": [1, 1, 2, 2] * 2, "metric": ["f1"] * 4 + ["em"] * 4,
          "score": [1, 0, 1, 1, 0, 0, 0, 1], "epoch": [1] * 8}, ("--metric", "em")),
    ],
)  # fmt: skip
def test_every_layout_survives_the_store(
    columns: dict[str, list[Any]], options: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path, "table.csv", columns)
    with inside(tmp_path):
        add("table.csv", *options)
        assert run(["rank", "board.duckdb", "-o", "kept.json", "-q", "--missing", "pairwise"]) == 0
        direct = ["rank", "table.csv", *options, "-o", "direct.json", "-q", "--missing", "pairwise"]
        assert run(direct) == 0
        assert Path("kept.json").read_bytes() == Path("direct.json").read_bytes()


def test_files_named_after_models_keep_their_names_beside_later_ones(tmp_path: Path) -> None:
    for folder, name in (("r1", "a"), ("r1", "b"), ("r2", "a")):
        (tmp_path / folder).mkdir(exist_ok=True)
        columns: dict[str, list[Any]] = {"task": ["t"] * 3, "item": [1, 2, 3], "score": [1, 0, 1]}
        write(tmp_path / folder, f"{name}.csv", columns)
    with inside(tmp_path):
        add("r1/a.csv")
        assert held().models == ("a",)
        add("r2", "r1")
        # Two files are called a.csv: from now on models are named with their folder.
        assert held().models == ("r1/a", "r1/b", "r2/a")
        assert_equals_files(["r1", "r2"])


def test_a_changed_file_replaces_its_own_rows(tmp_path: Path) -> None:
    for name, scores in (("a", [1, 0, 1]), ("b", [0, 0, 1])):
        write(tmp_path, f"{name}.csv", {"task": ["t"] * 3, "item": [1, 2, 3], "score": scores})
    with inside(tmp_path):
        add("a.csv", "b.csv")
        write(tmp_path, "b.csv", {"task": ["u"] * 2, "item": ["x", "y"], "score": [0.5, 1]})
        add(str(tmp_path / "b.csv"))  # the same file by another path
        kept = held()
        assert list(kept.tasks) == ["t", "u"]
        assert np.isnan(kept.tasks["t"].values).all(axis=0).tolist() == [False, True]
        assert len(kept.inputs) == 2


def test_adding_what_is_there_changes_nothing_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a.csv", {"task": ["t"] * 2, "item": [1, 2], "score": [1, 0]})
    with inside(tmp_path):
        add("a.csv")
        before = Path("board.duckdb").read_bytes()
        assert run(["add", "a.csv", "--store", "board.duckdb"]) == 0
        assert "left so: a.csv" in capsys.readouterr().out
        assert Path("board.duckdb").read_bytes() == before


def test_results_that_contradict_the_store_are_refused_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns: dict[str, list[Any]] = {
        "model": ["a", "a", "b", "b"], "task": ["t"] * 4, "item": [1, 2, 1, 2],
        "score": [1, 0, 1, 1],
    }  # fmt: skip
    write(tmp_path, "one.csv", columns)
    write(tmp_path, "two.csv", columns)
    write(tmp_path, "three.csv", {**columns, "model": ["c", "c", "d", "d"]})
    with inside(tmp_path):
        add("one.csv")
        assert run(["add", "three.csv", "two.csv", "--store", "board.duckdb"]) == 1
        assert "two.csv" in capsys.readouterr().err
        assert_equals_files(["one.csv"])


def test_other_options_for_reading_are_refused_with_a_line_to_paste(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a.csv", {"model": ["x", "y"], "rmse": [0.1, 0.2]})
    write(tmp_path, "b.csv", {"model": ["x", "y"], "mae": [0.1, 0.2]})
    with inside(tmp_path):
        add("a.csv", "--direction", "lower")
        words = ["add", "b.csv", "--store", "board.duckdb", "--direction", "higher"]
        assert run(words) == 1
        said = capsys.readouterr().err
        assert "read with --direction lower" in said
        assert "--store NEW.duckdb --direction higher" in said
        assert run(["rank", "board.duckdb", "--direction", "higher"]) == 1
        add("b.csv")  # the options of the store hold
        assert held().info["mae"].direction == "lower"


def test_a_table_of_tabarena_is_kept_with_its_design(tmp_path: Path) -> None:
    columns: dict[str, list[Any]] = {"dataset": [], "fold": [], "method": [], "metric_error": []}
    for method, error in (("m", 0.1), ("k", 0.2)):
        for fold in range(9):
            cells = ("d", fold, method, error + fold / 100)
            for column, cell in zip(columns.values(), cells, strict=True):
                column.append(cell)
    write(tmp_path, "errors.csv", columns)
    with inside(tmp_path):
        add("errors.csv")
        assert_equals_files(["errors.csv"])


def test_what_cannot_be_told_apart_later_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a.csv", {"task": ["t"] * 2, "item": [1, 2], "score": [1, 0]})
    with inside(tmp_path):
        add("a.csv")
        for words, what in (
            (["add", "board.duckdb", "--store", "other.duckdb"], "cannot be added to a store"),
            (["rank", "board.duckdb", "a.csv"], "is read alone"),
            (["add", "a.csv", "--redact", "--store", "other.duckdb"], "--redact"),
            (["remove", "b.csv", "--store", "board.duckdb"], "nothing in the store"),
            (["log", "a.csv"], "is not a store"),
            (["rank", "none.duckdb"], "no such file"),
        ):
            assert run(words) == 1
            assert what in capsys.readouterr().err
        assert not Path("other.duckdb").exists()


def test_the_log_tells_what_happened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "a.csv", {"task": ["t"] * 2, "item": [1, 2], "score": [1, 0]})
    write(tmp_path, "b.csv", {"task": ["t"] * 2, "item": [1, 2], "score": [1, 1]})
    with inside(tmp_path):
        add("a.csv", "b.csv")
        write(tmp_path, "b.csv", {"task": ["t"] * 3, "item": [1, 2, 3], "score": [1, 1, 0]})
        add(".")
        remove("a.*")
        assert run(["log", "board.duckdb"]) == 0
    said = capsys.readouterr().out
    assert "holds 1 file:" in said
    done = [line.split("  ")[-1] for line in said.partition("What happened:\n")[2].splitlines()]
    assert done == [
        "Added a.csv (tidy, 2 rows).",
        "Added b.csv (tidy, 2 rows).",
        "Replaced b.csv (tidy, 3 rows).",
        "Removed a.csv (tidy, 2 rows).",
    ]


def test_the_same_store_gives_the_same_board(tmp_path: Path) -> None:
    for name in "abc":
        scores = [1, 0, 0.5, ord(name) % 3]
        write(tmp_path, f"{name}.csv", {"task": ["t"] * 4, "item": [1, 2, 3, 4], "score": scores})
    with inside(tmp_path):
        add("c.csv")
        add("a.csv", "b.csv")
        for name in ("one.json", "two.json"):
            assert run(["rank", "board.duckdb", "-o", name, "-q"]) == 0
        assert run(["rank", "a.csv", "b.csv", "c.csv", "-o", "direct.json", "-q"]) == 0
        assert Path("one.json").read_bytes() == Path("two.json").read_bytes()
        assert Path("one.json").read_bytes() == Path("direct.json").read_bytes()
        assert json.loads(Path("one.json").read_bytes())["models"] == ["a", "b", "c"]


def test_a_store_is_compared_like_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "a.csv", {"item": [1, 2, 3], "x": [1, 0, 1], "y": [0, 1, 1]})
    with inside(tmp_path):
        add("a.csv")
        assert run(["compare", "board.duckdb", "--json"]) == 0
        kept = capsys.readouterr().out
        assert run(["compare", "a.csv", "--json"]) == 0
        assert json.loads(kept) == json.loads(capsys.readouterr().out)


def test_a_store_without_files_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "a.csv", {"task": ["t"] * 2, "item": [1, 2], "score": [1, 0]})
    with inside(tmp_path):
        add("a.csv")
        remove("a.csv")
        assert run(["rank", "board.duckdb"]) == 1
        assert "The store is empty" in capsys.readouterr().err
        add("a.csv", "--direction", "lower")
        assert held().info["t"].direction == "lower"


def test_an_option_may_be_about_files_that_are_there_already(tmp_path: Path) -> None:
    write(tmp_path, "a.csv", {"model": ["x", "y"], "rmse": [0.1, 0.2]})
    write(tmp_path, "b.csv", {"model": ["x", "y"], "accuracy": [0.1, 0.2]})
    with inside(tmp_path):
        add("a.csv", "--direction", "rmse=lower")
        add("b.csv")  # it has no rmse, and could not be read so alone
        assert [info.direction for info in held().info.values()] == ["higher", "lower"]
        direct = rb.read(["a.csv", "b.csv"], direction="rmse=lower")
        assert_same(held(), direct)
        assert held().notes == direct.notes

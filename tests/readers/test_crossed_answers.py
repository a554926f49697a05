"""Items crossed with prompts or runs: both readings, and the answers kept for the two-way test."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from tablefiles import codes, read_columns

import rankbars as rb
from rankbars.data.evidence import Items
from rankbars.errors import DataError, OptionError
from rankbars.stats.pairwise.runeffects import two_way_t
from rankbars.tables import repeats

# Two models, three questions (rows), four prompts (columns).
ASH = [[1, 1, 1, 0], [1, 0, 1, 0], [0, 0, 1, 0]]
BIRCH = [[1, 0, 0, 0], [1, 0, 1, 1], [0, 0, 0, 0]]


def prompt_table(column: str = "prompt") -> dict[str, list[Any]]:
    rows = [
        (name, "law", f"q{i}", f"v{v}", table[i][v])
        for name, table in (("ash", ASH), ("birch", BIRCH))
        for i, v in product(range(3), range(4))
    ]
    return dict(zip(("model", "task", "item", column, "score"), map(list, zip(*rows, strict=True)),
                    strict=True))  # fmt: skip


def seeds_table(cube: np.ndarray, label: str = "seed") -> dict[str, list[Any]]:
    """One row per score of an array items × runs × models."""
    places = list(np.ndindex(cube.shape))
    return {
        "model": [f"m{place[2]}" for place in places],
        "item": [f"q{place[0]}" for place in places],
        label: [f"s{place[1]}" for place in places],
        "score": [float(cube[place]) for place in places],
    }


def random_cube(seed: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    runs = rng.normal(scale=0.2, size=(1, 5, 3))
    return rng.normal(size=(12, 1, 3)) + runs + rng.normal(size=(12, 5, 3)) + [0.0, 0.4, 2.5]


def without(columns: dict[str, list[Any]], row: int) -> dict[str, list[Any]]:
    return {name: cells[:row] + cells[row + 1 :] for name, cells in columns.items()}


def write(path: Path, columns: dict[str, list[Any]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


def only(scores: rb.Scores) -> Items:
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, Items)
    return evidence


def text_of(scores: rb.Scores, code: str) -> str:
    return next(note.message for note in scores.notes if note.code == code)


def test_prompts_are_rows_and_questions_are_averaged_if_declared() -> None:
    scores = read_columns(prompt_table(), rows="prompts")
    task = only(scores)
    assert task.ids == ("v0", "v1", "v2", "v3")
    expected = [[2 / 3, 2 / 3], [1 / 3, 0.0], [1.0, 1 / 3], [0.0, 1 / 3]]
    np.testing.assert_allclose(task.values, expected, rtol=1e-15)
    assert (task.design, task.kind) == ("prompts", "runs")
    assert text_of(scores, "prompts").endswith("over prompts, with the questions held fixed.")


@pytest.mark.parametrize("options", [{}, {"rows": "items"}])
def test_questions_are_rows_and_prompts_are_averaged_otherwise(options: dict[str, str]) -> None:
    scores = read_columns(prompt_table(), **options)
    task = only(scores)
    assert task.ids == ("q0", "q1", "q2")
    assert task.values.tolist() == [[0.75, 0.25], [0.5, 0.75], [0.25, 0.0]]
    assert (task.design, task.averaged) == ("items", ("prompts",))
    assert "share in a prompt (column 'prompt') is not covered" in text_of(
        scores, "answers-averaged"
    )


def test_the_board_says_which_of_the_two_is_random() -> None:
    def assumptions(test: str, rows: str) -> str:
        board = rb.leaderboard(read_columns(prompt_table(), rows=rows), test=test)
        assert board.tasks["law"].kind == ("items" if rows == "items" else "runs")
        return " ".join(board.tasks["law"].assumptions)

    by_item, by_prompt = assumptions("t", "items"), assumptions("t", "prompts")
    assert "Items are independent" in by_item
    assert "share in one of the prompts is not covered" in by_item
    assert "Prompt variants are independent" in by_prompt
    assert "Over prompt variants only: the items of the task are taken as fixed" in by_prompt
    assert "run" not in (by_item + by_prompt).replace("--runs shared", "")
    assert "for new items and new prompts (here 3 × 4)" in assumptions("two_way", "items")
    assert "for new prompt variants and new items (here 4 × 3)" in assumptions("two_way", "prompts")


def test_prompts_that_models_share_are_crossed_and_seeds_are_their_own() -> None:
    table = prompt_table()
    prompts, seeds = (read_columns({**prompt_table(name), "item": table["item"]})
                      for name in ("prompt", "seed"))  # fmt: skip
    cube = np.stack([ASH, BIRCH], axis=2).astype(float)
    for scores, crossed in ((prompts, True), (seeds, False)):
        found = rb.compare(scores, test="two_way")["law"]
        expected = two_way_t(cube, crossed=crossed)
        np.testing.assert_allclose(found.pairs.statistic, expected.statistic, rtol=1e-12)


@pytest.mark.parametrize("kept", [2, 3])
def test_too_few_prompts_count_for_each_model(kept: int) -> None:
    table = prompt_table()
    few = [i for i, name in enumerate(table["prompt"]) if int(name[1:]) < kept]
    scores = read_columns({name: [cells[i] for i in few] for name, cells in table.items()})
    found = rb.compare(scores, test="two_way")["law"]
    cube = np.stack([ASH, BIRCH], axis=2).astype(float)[:, :kept]
    np.testing.assert_allclose(found.pairs.df, two_way_t(cube).df, rtol=1e-12)


@pytest.mark.parametrize(
    "name", ["variant", "Prompt Variant", "prompt_template", "template", "variant_id"]
)
def test_usual_names_of_the_column_of_prompts(name: str) -> None:
    assert only(read_columns(prompt_table(name), rows="prompts")).n == 4


def test_a_prompt_id_still_names_the_item() -> None:
    columns = prompt_table()
    columns["prompt_id"] = columns.pop("item")
    assert only(read_columns(columns)).ids == ("q0", "q1", "q2")


def test_rows_as_prompts_need_a_column_of_prompts() -> None:
    columns = prompt_table("wording")
    with pytest.raises(
        OptionError, match="rows='prompts' needs a column that names the prompts"
    ) as e:
        read_columns(columns, rows="prompts")
    assert "columns={'variant': 'NAME'}" in str(e.value)
    frame = pd.DataFrame(columns)
    named = rb.Scores.from_frame(frame, rows="prompts", columns={"variant": "wording"})
    assert only(named).n == 4
    with pytest.raises(OptionError, match="folds describes folds"):
        read_columns(columns, rows="prompts", folds=3)


def test_prompts_without_items_are_the_rows() -> None:
    columns = {name: cells for name, cells in prompt_table().items() if name != "item"}
    first = [i for i in range(24) if i % 12 < 4]
    scores = read_columns({name: [cells[i] for i in first] for name, cells in columns.items()})
    assert only(scores).design == "prompts"
    assert "rows='items'" in text_of(scores, "prompts")


def test_texts_of_prompts_that_no_two_models_share_name_no_row() -> None:
    scores = read_columns({
        "model": ["a", "b"], "task": ["t"] * 2, "prompt": ["<a> Hi", "<b> Hi"],
        "score": [0.5, 0.7],
    })  # fmt: skip
    assert scores.tasks["t"].kind == "estimates"


def test_texts_of_single_questions_are_no_variants() -> None:
    columns = {
        "model": ["a", "a", "b", "b"] * 2, "task": ["t"] * 8, "item": [1, 2] * 4,
        "prompt": ["What?", "Why?"] * 4, "epoch": [1] * 4 + [2] * 4, "score": [1, 0, 1, 1] * 2,
    }  # fmt: skip
    task = only(read_columns(columns))
    assert task.averaged == ("runs",)
    assert task.runs is not None
    assert task.runs.shape == (2, 2, 2)
    single = read_columns({name: cells[:4] for name, cells in columns.items()})
    assert only(single).answers is None
    assert only(single).averaged == ()
    assert "answers-averaged" not in codes(single)


def test_unequal_items_behind_prompts_are_told() -> None:
    scores = read_columns(without(prompt_table(), 1), rows="prompts")
    note = next(note for note in scores.notes if note.code == "uneven-answers")
    assert note.task == "law"
    assert "On 1 of 4 prompts" in note.message
    assert "uneven-answers" not in codes(read_columns(prompt_table(), rows="prompts"))


@pytest.mark.parametrize("label", ["seed", "epoch", "repeat", "template"])
def test_labelled_answers_that_are_complete_are_kept(label: str, tmp_path: Path) -> None:
    cube = random_cube()
    path = write(tmp_path / "t.csv", seeds_table(cube, label))
    task = only(rb.read(path))
    assert task.runs is not None
    order = [int(name[1:]) for name in task.ids or ()]
    np.testing.assert_array_equal(task.runs, cube[order])
    np.testing.assert_allclose(task.values, task.runs.mean(axis=1), rtol=1e-14)


def test_two_way_from_a_file_is_the_formula_written_out(tmp_path: Path) -> None:
    cube = random_cube()
    path = write(tmp_path / "t.csv", seeds_table(cube))
    compared = rb.compare(rb.read(path), test="two_way")["t"]
    expected = two_way_t(cube)
    np.testing.assert_allclose(compared.pairs.statistic, expected.statistic, rtol=1e-10)
    np.testing.assert_allclose(compared.pairs.df, expected.df, rtol=1e-10)

    n, s, _ = cube.shape
    d = (cube[:, :, 2] - cube[:, :, 1]).mean(axis=1)
    excess = squared = 0.0
    for y in (cube[:, :, 2], cube[:, :, 1]):
        ms_run = n * y.mean(axis=0).var(ddof=1)
        rest = y - y.mean(axis=1, keepdims=True) - y.mean(axis=0) + y.mean()
        excess += (ms_run - (rest**2).sum() / ((n - 1) * (s - 1))) / (n * s)
        squared += (ms_run / (n * s)) ** 2
    among = d.var(ddof=1) / n
    variance = among + max(0.0, excess)
    df = variance**2 / (among**2 / (n - 1) + squared / (s - 1)) if excess > 0 else n - 1
    p = stats.t.sf(d.mean() / np.sqrt(variance), max(df, 1.0))
    assert compared.p[2, 1] == pytest.approx(p, rel=1e-9)


def test_the_board_says_whether_new_runs_are_meant(tmp_path: Path) -> None:
    scores = rb.read(write(tmp_path / "t.csv", seeds_table(random_cube())))
    both = rb.leaderboard(scores, test="two_way").tasks["t"].assumptions
    these = rb.leaderboard(scores).tasks["t"].assumptions
    assert both[0].endswith("for new items and new runs (here 12 × 5).")
    assert not any("not covered" in one for one in both)
    assert any("share in one of the runs is not covered" in one for one in these)


def test_a_frame_serves_the_two_way_test_as_a_file_does(tmp_path: Path) -> None:
    columns = seeds_table(random_cube())
    from_file = rb.compare(rb.read(write(tmp_path / "t.csv", columns)), test="two_way")["t"]
    from_frame = rb.compare(rb.Scores.from_frame(pd.DataFrame(columns), task=None), test="two_way")
    (compared,) = from_frame.values()
    np.testing.assert_array_equal(compared.p, from_file.p)


def test_lower_scores_are_turned_around_in_every_run() -> None:
    task = only(read_columns(seeds_table(random_cube()), direction="lower"))
    assert task.runs is not None
    np.testing.assert_allclose(task.runs.mean(axis=1), task.values, rtol=1e-14)


def test_one_missing_answer_leaves_no_runs_and_a_clear_message() -> None:
    scores = read_columns(without(seeds_table(random_cube()), 7))
    assert only(scores).runs is None
    assert only(scores).averaged == ("runs",)
    with pytest.raises(OptionError, match="no answer missing"):
        rb.leaderboard(scores, test="two_way")
    (task,) = rb.leaderboard(scores).tasks.values()
    assert any("one of the runs is not covered" in one for one in task.assumptions)


def test_labels_that_models_do_not_share_are_not_crossed() -> None:
    columns = seeds_table(random_cube())
    columns["seed"] = [f"{model}-{seed}" for model, seed in zip(columns["model"], columns["seed"],
                                                                strict=True)]  # fmt: skip
    assert only(read_columns(columns)).runs is None


def test_an_unscored_answer_or_one_without_label_leaves_no_runs() -> None:
    columns = seeds_table(random_cube())
    assert only(read_columns({**columns, "score": [None, *columns["score"][1:]]})).runs is None
    unnamed = [None if seed == "s0" else seed for seed in columns["seed"]]
    assert only(read_columns({**columns, "seed": unnamed})).runs is None


def test_seeds_crossed_with_prompts_are_not_taken_as_independent_runs() -> None:
    columns = seeds_table(random_cube())
    twice = {name: cells * 2 for name, cells in columns.items()}
    twice["prompt"] = ["x"] * len(columns["score"]) + ["y"] * len(columns["score"])
    task = only(read_columns(twice))
    assert task.runs is None
    assert task.averaged == ("runs", "prompts")


def test_a_model_without_the_task_does_not_keep_others_from_the_two_way_test() -> None:
    columns = seeds_table(random_cube())
    rows = len(columns["score"])
    table = {**columns, "task": ["t"] * rows}
    for item in ("q0", "q1"):
        for name, cell in zip(("model", "item", "seed", "score", "task"),
                              ("m9", item, "s0", 1.0, "u"), strict=True):  # fmt: skip
            table[name] = [*table[name], cell]
    evidence = read_columns(table).tasks["t"]
    assert isinstance(evidence, Items)
    assert evidence.runs is not None
    assert np.isnan(evidence.runs[:, :, 3]).all()
    scores = rb.Scores({"t": evidence})
    np.testing.assert_allclose(
        rb.compare(scores, test="two_way")["t"].p[:3, :3],
        rb.compare(rb.Scores({"t": only(read_columns(columns))}), test="two_way")["t"].p,
    )
    with pytest.raises(DataError, match="runs must be complete"):
        Items(("a", "b"), [[1.0, 2.0]], runs=[[[1.0, np.nan], [1.0, 2.0]]])


def test_answers_of_too_large_a_task_are_only_averaged(monkeypatch: pytest.MonkeyPatch) -> None:
    cube = random_cube()
    monkeypatch.setattr(repeats, "MOST_CELLS", cube.size)
    assert only(read_columns(seeds_table(cube))).runs is not None
    monkeypatch.setattr(repeats, "MOST_CELLS", cube.size - 1)
    assert only(read_columns(seeds_table(cube))).runs is None


def test_a_frame_may_declare_limits_of_its_scores() -> None:
    frame = pd.DataFrame(prompt_table())
    info = rb.Scores.from_frame(frame, minimum=0, maximum=1).info["law"]
    assert (info.minimum, info.maximum) == (0, 1)
    with pytest.raises(DataError, match="lies outside the declared limits"):
        rb.Scores.from_frame(frame, maximum=0.5)


def test_rows_are_never_unpaired_for_want_of_a_role(tmp_path: Path) -> None:
    columns = prompt_table()
    columns["stem"], columns["wording"] = columns.pop("item"), columns.pop("prompt")
    path = write(tmp_path / "t.csv", columns)
    with pytest.raises(DataError, match="--column item=wording --column variant=stem"):
        rb.read(path)
    read = rb.read(path, columns={"item": "stem", "variant": "wording"})
    np.testing.assert_allclose(
        read.tasks["law"].values, np.array([ASH, BIRCH]).mean(axis=2).T, atol=1e-12
    )
    one = rb.read(write(tmp_path / "one.csv", where(columns, "stem", "q0")))
    np.testing.assert_array_equal(one.tasks["law"].values, np.array([ASH[0], BIRCH[0]]).T)
    assert "paired-by" in codes(one)
    assert rb.read(path, columns={"item": ""}).tasks["law"].kind == "estimates"


def where(columns: dict[str, list[Any]], name: str, value: str) -> dict[str, list[Any]]:
    """Rows with a value, without that column."""
    kept = [row for row, cell in enumerate(columns[name]) if cell == value]
    return {key: [cells[row] for row in kept] for key, cells in columns.items() if key != name}


def test_columns_that_do_not_pair_rows_are_no_reason_to_stop(tmp_path: Path) -> None:
    columns = prompt_table()
    del columns["prompt"], columns["item"]
    columns["stamp"] = [f"s{row}" for row in range(24)]
    read = rb.read(write(tmp_path / "t.csv", columns))
    assert read.tasks["law"].kind == "estimates"
    assert "unpaired" in codes(read)


def test_a_prompt_id_beside_questions_numbers_the_prompts(tmp_path: Path) -> None:
    columns = prompt_table()
    columns["question_id"], columns["prompt_id"] = columns.pop("item"), columns.pop("prompt")
    read = rb.read(write(tmp_path / "t.csv", columns))
    expected = np.array([ASH, BIRCH]).mean(axis=2).T
    np.testing.assert_allclose(read.tasks["law"].values, expected, atol=1e-12)

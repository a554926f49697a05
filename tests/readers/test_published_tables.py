"""Tables as publications print them: values with something behind them, and numbers of items."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from strategies import FEWER

import rankbars as rb

Z95, Z90 = 1.959963984540054, 1.6448536269514722


def write(folder: Path, text: str, name: str = "board.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def estimates(scores: rb.Scores, task: str) -> rb.Estimates:
    evidence = scores.tasks[task]
    assert isinstance(evidence, rb.Estimates)
    return evidence


def se_of(scores: rb.Scores, task: str) -> list[float]:
    se = estimates(scores, task).se
    assert se is not None
    return [round(value, 9) for value in se.tolist()]


def message(scores: rb.Scores, code: str) -> str:
    return " ".join(note.message for note in scores.notes if note.code == code)


def test_nothing_behind_a_value_is_taken_silently(tmp_path: Path) -> None:
    wide = write(tmp_path, "Model,MMLU\na,71.3 ± 1.2\nb,68.1 ± 1.3\n", "wide.csv")
    tidy = write(tmp_path, "model,task,score\na,t,71.3 (70.1–72.5)\n", "tidy.csv")
    for path in (wide, tidy):
        with pytest.raises(rb.DataError, match="--cells se") as caught:
            rb.read(path)
        assert "row 2" in str(caught.value)


def test_a_matrix_of_values_and_standard_errors(tmp_path: Path) -> None:
    path = write(tmp_path, "Model,MMLU,GSM8K,Rank\na,71.3 ± 1.2,55.0±0.9,1\nb,68.1 +/- 1.3,60,2\n")
    scores = rb.read(path, cells="se")
    assert estimates(scores, "MMLU").mean.tolist() == [71.3, 68.1]
    assert se_of(scores, "MMLU") == [1.2, 1.3]
    assert se_of(scores, "GSM8K")[0] == 0.9
    assert np.isnan(se_of(scores, "GSM8K")[1])
    assert "'MMLU', 'GSM8K'" in message(scores, "cells")
    assert "standard error" in message(scores, "cells")


@pytest.mark.parametrize(
    ("cell", "half"),
    [
        ("71.3 (70.1–72.5)", 1.2), ("71.3 [70.1, 72.5]", 1.2), ("71.3 (70.1 to 72.5)", 1.2),
        ("71.3 (95% CI: 70.1-72.5)", 1.2), ("71.3 ± 1.2", 1.2), ("71.3 (1.2)", 1.2),
        ("71.3 +1.4/-1.0", 1.2), ("71.3 (+1.4/−1.0)", 1.2), ("71.3 (71.3–71.3)", 0.0),
    ],
)  # fmt: skip
def test_intervals_are_read_in_every_usual_form(tmp_path: Path, cell: str, half: float) -> None:
    path = write(tmp_path, f'model,task,score\na,t,"{cell}"\nb,t,"{cell}"\n')
    scores = rb.read(path, cells="ci95")
    assert estimates(scores, "t").mean.tolist() == [71.3, 71.3]
    np.testing.assert_allclose(se_of(scores, "t"), [half / Z95] * 2, atol=1e-9)
    np.testing.assert_allclose(
        se_of(rb.read(path, cells="value ± ci90"), "t"), [half / Z90] * 2, atol=1e-9
    )


def test_what_stands_behind_may_be_left_aside(tmp_path: Path) -> None:
    path = write(tmp_path, "model,MMLU\na,71.3 ± 1.2\nb,68.1 [66–70]\n")
    scores = rb.read(path, cells="value")
    assert estimates(scores, "MMLU").mean.tolist() == [71.3, 68.1]
    assert estimates(scores, "MMLU").se is None
    assert "left aside" in message(scores, "cells")


def test_a_standard_deviation_of_runs_is_over_their_root_with_its_degrees_of_freedom(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, "model,t\na,80.0 ± 1.5\nb,78.0 ± 2.5\n")
    scores = rb.read(path, cells="std5")
    np.testing.assert_allclose(se_of(scores, "t"), [1.5 / 5**0.5, 2.5 / 5**0.5])
    # Welch's test from the runs themselves; degrees of freedom by hand.
    runs = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    runs /= runs.std(ddof=1)
    welch = stats.ttest_ind(80 + 1.5 * runs, 78 + 2.5 * runs, equal_var=False)
    found = rb.head_to_head(scores, "a", "b").tasks["t"]
    assert found.p_value == pytest.approx(welch.pvalue, rel=1e-6)
    assert found.df == pytest.approx(1.7**2 / ((0.45**2 + 1.25**2) / 4))


def test_places_in_brackets_are_no_errors(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "dataset,A,B,C\nadult,0.76 (3),0.79 (1),0.77 (2)\niris,0.93 (1.5),0.93 (1.5),0.9 (3)\n",
    )
    with pytest.raises(rb.DataError, match="numbers 1 to 3 in each row, as ranks are"):
        rb.read(path, cells="se")
    assert rb.read(path, cells="value").models == ("A", "B", "C")


def test_bold_cells_are_read(tmp_path: Path) -> None:
    path = write(tmp_path, "model,t\na,**96.4 ± 0.1**\nb,96.0 ± 0.2\n")
    np.testing.assert_allclose(se_of(rb.read(path, cells="se"), "t"), [0.1, 0.2])


def test_percentages_keep_their_scale(tmp_path: Path) -> None:
    path = write(tmp_path, "model,MMLU\na,71.3% ± 1.2%\nb,68.1 % ± 1.3\n")
    scores = rb.read(path, cells="se")
    assert estimates(scores, "MMLU").mean.tolist() == [71.3, 68.1]
    assert se_of(scores, "MMLU") == [1.2, 1.3]


@pytest.mark.parametrize(
    ("cell", "cells", "problem"),
    [
        ("71.3 (70.1–72.5)", "se", "holds an interval, not a standard error"),
        ("71.3 (72.0–72.5)", "ci95", "lies outside of its interval"),
        ("71.3 ± -1.2", "se", "is negative"),
        ("71.3 ± 1.2%", "se", "percent sign behind the value only"),
        ("98.6/99.2", "se", "not one plain number"),
        ("12.3 or 12.5", "se", "not one plain number"),
    ],
)
def test_a_cell_that_does_not_fit_is_named(
    tmp_path: Path, cell: str, cells: str, problem: str
) -> None:
    path = write(tmp_path, f"model,MMLU\na,70 ± 1\nb,{cell}\n".replace("70 ± 1", "70 (69–71)")
                 if cells == "ci95" else f"model,MMLU\na,70 ± 1\nb,{cell}\n")  # fmt: skip
    with pytest.raises(rb.DataError, match=problem) as caught:
        rb.read(path, cells=cells)
    assert "row 3" in str(caught.value)


def test_a_meaning_without_such_a_cell_is_a_mistake(tmp_path: Path) -> None:
    path = write(tmp_path, "model,MMLU\na,71.3\nb,68.1\n")
    with pytest.raises(rb.DataError, match="Leave out the option cells"):
        rb.read(path, cells="se")


@pytest.mark.parametrize("text", ["", "sd", "ci", "ci100", "ci5", "ci95x"])
def test_the_meaning_must_be_known(text: str) -> None:
    with pytest.raises(rb.OptionError, match="ci95"):
        rb.Scores.from_frame(pd.DataFrame({"model": ["a"], "t": ["1 ± 1"]}), cells=text)


def test_one_number_of_items_holds_for_a_row(tmp_path: Path) -> None:
    path = write(tmp_path, "model,MMLU,ARC,n\na,0.5,0.9,100\nb,0.4,0.8,400\n")
    scores = rb.read(path, metric="accuracy")
    assert list(scores.tasks) == ["ARC", "MMLU"]
    assert se_of(scores, "MMLU") == [0.05, round((0.4 * 0.6 / 400) ** 0.5, 9)]
    assert "binomial" in message(scores, "binomial")


def test_a_number_of_items_may_stand_beside_each_task(tmp_path: Path) -> None:
    path = write(tmp_path, "model,mmlu,mmlu_n,arc\na,0.5,100,0.9\nb,0.5,400,0.8\n")
    scores = rb.read(path, metric="accuracy")
    assert list(scores.tasks) == ["arc", "mmlu"]
    assert se_of(scores, "mmlu") == [0.05, 0.025]
    assert estimates(scores, "arc").se is None
    found = estimates(scores, "mmlu").n
    assert found is not None
    assert found.tolist() == [100, 400]


def test_an_error_beside_the_value_outdoes_the_number_of_items(tmp_path: Path) -> None:
    path = write(tmp_path, "model,MMLU,n\na,0.50 ± 0.01,100\nb,0.50,100\n")
    scores = rb.read(path, cells="se", metric="accuracy")
    assert se_of(scores, "MMLU") == [0.01, 0.05]


def test_a_tidy_table_of_values_and_numbers_of_items() -> None:
    frame = pd.DataFrame({"model": ["a", "b"], "task": "t", "accuracy": [0.5, 0.9], "n": 100})
    assert se_of(rb.Scores.from_frame(frame), "t") == [0.05, 0.03]


def test_a_frame_may_hold_such_cells() -> None:
    frame = pd.DataFrame({"model": ["a", "b"], "task": "t", "score": ["1 ± 0.5", "2 ± 0.25"]})
    assert se_of(rb.Scores.from_frame(frame, cells="se"), "t") == [0.5, 0.25]


def test_rows_of_tasks_may_hold_such_cells(tmp_path: Path) -> None:
    path = write(tmp_path, "task,metric,a,b\nt,charm,1 ± 0.5,2 ± 0.25\n")
    scores = rb.read(path, cells="se", direction="charm=lower")
    assert se_of(scores, "t") == [0.5, 0.25]
    assert estimates(scores, "t").mean.tolist() == [-1, -2]


def test_json_tables_may_hold_such_cells(tmp_path: Path) -> None:
    rows = [{"model": "a", "task": "t", "score": "1 ± 0.5"}, {"model": "b", "task": "t",
                                                            "score": "2 ± 0.5"}]  # fmt: skip
    path = write(tmp_path, json.dumps(rows), "board.json")
    assert se_of(rb.read(path, cells="se"), "t") == [0.5, 0.5]
    lines = write(tmp_path, "\n".join(map(json.dumps, rows)), "board.jsonl")
    assert se_of(rb.read(lines, cells="se"), "t") == [0.5, 0.5]


NUMBERS = st.integers(0, 10**6).map(lambda number: number / 100)


@FEWER
@given(value=NUMBERS, half=NUMBERS)
def test_every_spelling_says_the_same(value: float, half: float) -> None:
    cells = [f"{value} ± {half}", f"{value}±{half}", f"{value} ({half})", f"{value} +- {half}",
             f"{value} [{value - half}, {value + half}]", f"{value} +{half}/-{half}"]  # fmt: skip
    frame = pd.DataFrame({"model": list("abcdef"), "task": "t", "score": cells})
    scores = rb.Scores.from_frame(frame, cells="ci95")
    assert estimates(scores, "t").mean.tolist() == [value] * 6
    np.testing.assert_allclose(se_of(scores, "t"), half / Z95, rtol=1e-6, atol=1e-7)

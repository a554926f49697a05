"""What the text of a cell stands for; unknown text never becomes a number."""

from __future__ import annotations

import datetime as dt
import decimal
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankbars as rb
from rankbars.tables.cells import label_text, parse_number
from rankbars.tables.columns import find_columns
from rankbars.tables.valuetables import LabelCells, NumberCells


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0), (" -0.5 ", -0.5), ("1e-3", 0.001), ("+2", 2.0), (".5", 0.5), ("TRUE", 1.0),
        ("no", 0.0), ("45.3%", 45.3), ("100 %", 100.0), ("inf", math.inf),
    ],
)  # fmt: skip
def test_numbers(text: str, value: float) -> None:
    assert parse_number(text) == value


@pytest.mark.parametrize("text", ["", " ", "-", "—", "NaN", "N/A", "na", "null", "None"])
def test_words_for_nothing(text: str) -> None:
    value = parse_number(text)
    assert value is not None
    assert math.isnan(value)


@pytest.mark.parametrize(
    "text",
    [
        "C",
        "1,5",
        "1_000",
        "0x10",
        "٣",
        "%",
        "5 5",
        "yes!",
        "10^2",
        "61 [3]",
        "10²",
        "72.8a",
        "1.2.3",
        "----",
        "e5",
    ],
)
def test_other_text_is_no_number(text: str) -> None:
    assert parse_number(text) is None


@given(st.text(max_size=12))
def test_text_is_a_finite_number_only_if_python_agrees(text: str) -> None:
    value = parse_number(text)
    known = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
    if value is not None and math.isfinite(value):
        plain = text.strip()
        assert value == known.get(plain.casefold()) or value == float(plain.rstrip("% "))


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("a", "a"), (" a ", " a "), ("007", "007"), (7, "7"), (7.0, "7"), (7.5, "7.5"),
        (np.int64(7), "7"), (np.float32(0.5), "0.5"), (True, "true"), (None, None), ("", None),
        (math.nan, None), (decimal.Decimal("1.10"), "1.10"),
        (dt.date(2024, 8, 6), "2024-08-06"), (10**20, "100000000000000000000"),
    ],
)  # fmt: skip
def test_names(cell: Any, name: str | None) -> None:
    assert label_text(cell) == name


@pytest.mark.parametrize("cell", [[1], {"a": 1}, b"a", (1,), np.array([1])])
def test_things_that_cannot_be_names(cell: Any) -> None:
    with pytest.raises(rb.DataError, match="cannot be a name"):
        label_text(cell)


def test_number_cells_remember_what_they_could_not_read() -> None:
    cells = NumberCells()
    cells.extend(["1", "x", None, 2, "50%", "y", True, 10**400])
    np.testing.assert_array_equal(cells.values(), [1, np.nan, np.nan, 2, 50, np.nan, 1, np.nan])
    column = cells.column()
    assert column.unread is not None
    assert column.unread[:3] == (1, "x", 3)
    assert [text for text, _ in column.unread.words][:2] == ["x", "y"]
    assert (column.plain, column.percentages, column.truths) == (3, 1, 1)
    assert column.largest == 50
    assert not column.only_truths


@given(st.lists(st.sampled_from(["b", "a", "10", "9", None, "", "é", "Z"]), max_size=20))
def test_codes_give_the_names_back(cells: list[str | None]) -> None:
    column = LabelCells()
    column.extend(cells[:7])
    column.extend(cells[7:])
    names = column.names
    assert [names[code] if code >= 0 else None for code in column.codes()] == [
        one or None for one in cells
    ]


def test_arrays_of_numbers_are_names_too() -> None:
    column = LabelCells()
    column.extend(np.array([3, 1, 3]))
    column.extend(["1"])
    assert [column.names[code] for code in column.codes()] == ["3", "1", "3", "1"]


@pytest.mark.parametrize(
    ("header", "roles"),
    [
        ("model,task,item,score", "model task item score"),
        ("System,Dataset,Question ID,Is Correct", "model task item score"),
        ("method,benchmark,fold,value", "model task fold score"),
        ("model_name,subject,seed,accuracy", "model task run score"),
        ("llm,uid,epoch,passed,passage", "model item epoch score cluster"),
        ("model,task,score,stderr,n_samples", "model task score n se"),
        ("name,score", "model score"),
        ("framework,task,fold,result,info", "model task fold score error"),
    ],
)
def test_usual_names_are_recognised(header: str, roles: str) -> None:
    assert set(find_columns(header.split(","), {}).roles) == set(roles.split())


def test_the_name_of_the_role_itself_wins() -> None:
    found = find_columns(["score", "accuracy", "correct", "model", "system", "item"], {})
    assert found.roles["score"] == "score"
    assert found.roles["model"] == "model"
    assert set(found.passed_over) == {"accuracy", "correct", "system"}


def test_a_named_column_plays_no_other_role() -> None:
    found = find_columns(["model", "task", "item", "score"], {"cluster": "item"})
    assert found.roles["cluster"] == "item"
    assert "item" not in found.roles

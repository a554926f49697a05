"""What refusals of data frames advise is a line of Python, and it works."""

from __future__ import annotations

import re
from typing import Any

import pandas as pd
import pytest

import rankbars as rb

ITEMS = [*range(8)] * 2
PLAIN = {"model": [*"a" * 8, *"b" * 8], "item": ITEMS, "score": [1, 1, 1, 0] * 2 + [0, 1, 0, 0] * 2}
TWICE = {name: cells * 2 for name, cells in PLAIN.items()}
OLD_AND_NEW = PLAIN["score"] + [1 - one for one in PLAIN["score"]]


def frames() -> dict[str, dict[str, list[Any]]]:
    words = ["timeout", *(["fail", "pass"][one] for one in PLAIN["score"][1:])]
    days = ["2026-01-01"] * 16 + ["2026-01-02"] * 16
    wide = {"id": [*range(8)], "a": PLAIN["score"][:8], "b": PLAIN["score"][8:]}
    return {
        "reruns='newest'": TWICE | {"score": OLD_AND_NEW, "date": days},
        "reruns='all'": TWICE | {"score": OLD_AND_NEW, "date": days},
        "words={'timeout': 'fail'}": PLAIN | {"score": words},
        "models=['a', 'b']": wide | {"Nummer": [*range(900, 908)]},
        "where='version = 2'": TWICE | {"version": [1] * 16 + [2] * 16},
    }


@pytest.mark.parametrize("line", frames())
def test_the_line_that_a_refusal_advises_reads_the_frame(line: str) -> None:
    frame = pd.DataFrame(frames()[line])
    with pytest.raises(rb.DataError) as caught:
        rb.Scores.from_frame(frame)
    advised = f"rb.Scores.from_frame(frame, {line})"
    assert advised in str(caught.value)
    assert not re.search(r"(?<!-)--[a-z]", str(caught.value))
    assert eval(advised).models == ("a", "b")  # noqa: S307


def test_newest_rows_of_a_frame_replace_older_ones() -> None:
    frame = pd.DataFrame(frames()["reruns='newest'"])
    means = {
        given: rb.Scores.from_frame(frame, reruns=given).tasks["all"].values.mean(axis=0).tolist()
        for given in ("newest", "all")
    }
    assert means == {"newest": [0.25, 0.75], "all": [0.5, 0.5]}


def test_only_the_models_that_are_named_are_read_from_a_frame() -> None:
    rows = pd.DataFrame(PLAIN)
    frame = pd.concat([rows, rows[rows.model == "a"].assign(model="c")])
    scores = rb.Scores.from_frame(frame, models=["c", "a"])
    assert scores.models == ("a", "c")
    assert [note.code for note in scores.notes].count("chosen") == 1
    with pytest.raises(rb.OptionError, match=r"'d'\. Known: a, b, c"):
        rb.Scores.from_frame(frame, models="d")


def test_a_decimal_comma_in_a_frame_is_changed_in_the_frame() -> None:
    frame = pd.DataFrame(PLAIN | {"score": [f"{one},5" for one in PLAIN["score"]]})
    with pytest.raises(rb.DataError, match="put points there") as caught:
        rb.Scores.from_frame(frame)
    assert "decimal=" not in str(caught.value)

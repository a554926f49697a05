"""Ledgers keep every look, and say where one was lost."""

import json
import re
from pathlib import Path

import pytest
from reference import validity

import rankbars as rb
from rankbars.data.ledger import Look, TaskRows, add_look, head_place, left_level, read_ledger

NAN = float("nan")


def look(change="c", level=0.025, value=1.0, **verdicts):
    rows = {"math": TaskRows(("q1", "q2"), {"new": (value, NAN), "old": (0.0, 1.0)})}
    return Look(change, 0.05, level, "rules", verdicts, rows)


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "gate.jsonl"
    for value in range(3):
        add_look(path, look(value=float(value), claim="cannot_tell"))
    return path


def test_what_is_added_is_read_again(ledger):
    looks = read_ledger(ledger)
    assert [one.rows["math"].scores["new"][0] for one in looks] == [0.0, 1.0, 2.0]
    assert looks[2].rows["math"].items == ("q1", "q2")
    assert looks[0].verdicts == {"claim": "cannot_tell"}
    assert repr(looks[0].rows["math"].scores["new"][1]) == "nan"
    assert read_ledger(ledger.with_name("none")) == ()


def test_a_list_stands_in_the_line_where_it_first_occurs(ledger):
    lines = [json.loads(line) for line in ledger.read_text("utf-8").splitlines()]
    assert [len(line["lists"]) for line in lines] == [3, 1, 1]
    assert [len(line["previous"]) for line in lines] == [0, 1, 1]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda lines: [lines[0].replace('"level":0.025', '"level":0.02'), *lines[1:]], "line 1"),
        (lambda lines: [lines[0], lines[2]], "line 2: a line that it follows is gone"),
        (lambda lines: lines[1:], "line 1: a line that it follows is gone"),
        (lambda lines: [*lines, lines[1]], "line 4: it stands there twice"),
        (lambda lines: [*lines[:2], lines[2][:-9]], "line 3: it is no JSON"),
        (lambda lines: [*lines, "{}"], "line 4: it is no line of rankbars.ledger/1"),
        (lambda lines: [*lines, "[" * 9000], "line 4: it is no JSON"),
        (lambda lines: ["model,task,score"], "line 1: it is no JSON"),
    ],
)
def test_a_ledger_that_was_edited_is_refused(ledger, damage, said):
    lines = damage(ledger.read_text("utf-8").splitlines())
    ledger.write_text("\n".join(lines) + "\n", "utf-8")
    before = ledger.read_bytes()
    with pytest.raises(rb.ReadError, match=re.escape(said)) as caught:
        add_look(ledger, look())
    assert "\n" not in str(caught.value)
    assert ledger.read_bytes() == before


def test_a_ledger_that_was_cut_off_or_is_no_text_is_refused(ledger):
    whole = ledger.read_bytes()
    ledger.write_bytes(whole[:-1])
    with pytest.raises(rb.ReadError, match="line 3: it is cut off"):
        read_ledger(ledger)
    ledger.write_bytes(b"\xff" + whole)
    with pytest.raises(rb.ReadError, match="no text"):
        read_ledger(ledger)
    with pytest.raises(rb.ReadError, match="no such file"):
        read_ledger(ledger.with_name("none"), there=True)
    with pytest.raises(rb.ReadError, match="Cannot read"):
        read_ledger(ledger.parent)


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_lines_that_were_cut_off_the_end_are_missed(ledger, kept):
    head = head_place(ledger)
    (last,) = head.read_text("utf-8").split()
    assert last == read_ledger(ledger)[-1].digest
    lines = ledger.read_text("utf-8").splitlines(keepends=True)
    ledger.write_text("".join(lines[:kept]), "utf-8")
    if kept == 0:
        ledger.unlink()
    for doing in (read_ledger, lambda path: add_look(path, look())):
        with pytest.raises(rb.ReadError, match=rf"the look '{last[:12]}' is gone, which") as caught:
            doing(ledger)
        assert "\n" not in str(caught.value)
    assert ledger.exists() == (kept > 0)


def test_ends_of_branches_merge_by_lines_too(ledger, tmp_path):
    stem = ledger.read_text("utf-8")
    other = tmp_path / "other.jsonl"
    other.write_text(stem, "utf-8")
    add_look(ledger, look("ours", value=7.0))
    add_look(other, look("theirs", value=8.0))
    theirs = other.read_text("utf-8")[len(stem) :]
    with ledger.open("a", encoding="utf-8") as file:
        file.write(theirs)
    head = head_place(ledger)
    head.write_text(head.read_text("utf-8") + head_place(other).read_text("utf-8"), "utf-8")
    assert len(read_ledger(ledger)) == 5
    add_look(ledger, look("next", value=9.0))
    assert head.read_text("utf-8").split() == [read_ledger(ledger)[-1].digest]


def test_the_end_of_a_look_of_another_process_is_kept(ledger):
    first = read_ledger(ledger)[0].digest
    head_place(ledger).write_text(f"{first}\n", "utf-8")  # killed before it was renewed
    assert len(read_ledger(ledger)) == 3
    head_place(ledger).write_bytes(b"\xff\x00odd")
    with pytest.raises(rb.ReadError, match="is gone, which"):
        read_ledger(ledger)


def test_ledgers_of_branches_merge_by_lines_or_by_name(ledger, tmp_path):
    stem = ledger.read_text("utf-8")
    other = tmp_path / "other.jsonl"
    other.write_text(stem, "utf-8")
    add_look(ledger, look("ours", value=7.0))
    add_look(other, look("theirs", value=8.0))
    # What git's union of both files gives.
    joined = tmp_path / "joined.jsonl"
    joined.write_text(ledger.read_text("utf-8") + other.read_text("utf-8")[len(stem) :], "utf-8")
    add_look(joined, look("next", value=9.0))
    add_look(ledger, look("next", value=9.0), [other])
    for path in (joined, ledger):
        assert [one.change for one in read_ledger(path)] == ["c"] * 3 + ["ours", "theirs", "next"]
        last = json.loads(Path(path).read_text("utf-8").splitlines()[-1])
        assert len(last["previous"]) == 2
    lines = joined.read_text("utf-8").splitlines()
    joined.write_text("\n".join([*lines[:4], lines[5]]) + "\n", "utf-8")
    with pytest.raises(rb.ReadError, match="line 5: a line that it follows is gone"):
        read_ledger(joined)


def test_levels_are_halved_and_never_add_up_to_more(golden_halving):
    looks = []
    for level in golden_halving:
        assert left_level(looks, 0.05) == pytest.approx(level, rel=1e-12)
        looks.append(look(level=left_level(looks, 0.05)))
    assert sum(one.level for one in looks) < 0.05
    # Two branches that looked apart have spent all of it.
    with pytest.raises(rb.DataError, match="made apart, and merged"):
        left_level([look(), look()], 0.05)


@pytest.fixture
def golden_halving():
    return validity("gate_spending")["halving"]

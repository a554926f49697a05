"""Genuine logs, damaged at random: each gives scores or an error of ours, never anything else."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from logfiles import INSPECT, LM_EVAL, inspect_header, lm_rows, sample, write_json_log, write_simple

import rankbars as rb
from rankbars.readers import explain

GENUINE = sorted(
    path
    for folder in (LM_EVAL, INSPECT)
    for path in folder.rglob("*")
    if path.suffix in (".eval", ".json", ".jsonl")
)
PIECES = [b'"', b",", b"\n", b"\x00", b"\xff", b"{", b"}", b"[", b"null", b"NaN", b"1e999", b"-"]

# What a log may hold where something else is expected.
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
    st.sampled_from([[], {}, [1], {"a": 1}, "N/A", "True", 10**400, "\ud800", "a" * 300]),
)  # fmt: skip


@st.composite
def damaged_files(draw: st.DrawFn) -> tuple[str, bytes]:
    """A genuine file with some bytes changed, left out, put in or doubled."""
    source = draw(st.sampled_from(GENUINE))
    content = bytearray(source.read_bytes())
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(content) - 1, 0)))
        match draw(st.sampled_from(("change", "cut", "end", "insert", "double"))):
            case "change" if content:
                content[at] = draw(st.integers(0, 255))
            case "cut":
                del content[at : at + draw(st.integers(1, 400))]
            case "end":
                del content[at:]
            case "insert":
                content[at:at] = draw(st.sampled_from(PIECES))
            case _:
                content += content[at : at + 500]
    return source.name, bytes(content)


@settings(max_examples=150)
@given(damaged=damaged_files())
def test_damaged_logs_give_scores_or_a_clear_error(damaged: tuple[str, bytes]) -> None:
    name, content = damaged
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        with contextlib.suppress(rb.ReadError):
            assert len(explain(path)) == 1
        for name in ("auto", "inspect", "lm-eval"):
            with contextlib.suppress(rb.DataError):
                assert rb.read(path, format=name, direction="higher").models


def places(value: Any, before: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found = [before] if before else []
    if isinstance(value, dict | list):
        for key, child in value.items() if isinstance(value, dict) else enumerate(value):
            found += places(child, (*before, key))
    return found


def put(value: Any, place: tuple[Any, ...], new: object) -> None:
    for key in place[:-1]:
        value = value[key]
    value[place[-1]] = new


@settings(max_examples=100)
@given(data=st.data())
def test_any_value_anywhere_in_a_log_gives_scores_or_a_clear_error(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        one = Path(folder)
        kind = data.draw(st.sampled_from(("results", "samples", "inspect")))
        if kind == "inspect":
            header = inspect_header(results={"total_samples": 2, "completed_samples": 2, "scores": [
                {"name": "match", "scorer": "match", "metrics": {"accuracy": {"value": 0.5}}}
            ]})  # fmt: skip
            path = write_json_log(one / "a.json", header, [sample(1, "C"), sample(2, "I")])
        else:
            path = write_simple(one, "a", [1.0, 0.0])
            if kind == "samples":
                path = next(path.parent.glob("samples*"))
                path.write_text(json.dumps(lm_rows({"acc": [1.0, 0.0]})))
        content = json.loads(path.read_text())
        for _ in range(data.draw(st.integers(1, 3))):
            place = data.draw(st.sampled_from(places(content)))
            with contextlib.suppress(KeyError, IndexError, TypeError):
                put(content, place, data.draw(VALUES))
        path.write_text(json.dumps(content))
        with contextlib.suppress(rb.DataError):
            assert rb.read(one, metric=["acc", "match"], columns={"cluster": "subject"}).models


@pytest.mark.parametrize("path", GENUINE, ids=lambda path: path.name[-30:])
def test_every_prefix_of_a_genuine_file_is_answered(path: Path, tmp_path: Path) -> None:
    content = path.read_bytes()
    target = tmp_path / path.name
    for part in range(1, 8):
        target.write_bytes(content[: len(content) * part // 8])
        with contextlib.suppress(rb.DataError):
            assert rb.read(target, direction="higher").models

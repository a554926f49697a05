"""Any input gives scores or an error of ours; never anything else."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tablefiles import TABLES, read_columns, write_csv, write_json_lines, write_parquet

import rankbars as rb
from rankbars.readers import explain

HOSTILE = [
    "<script>alert(1)</script>", "\u202egnp.exe", "=1+1", "a\nb", "x" * 300, "🙂", "'; DROP",
    "{", "a\tb", "%s", "\\", "../..", '"', "NULL", "nan", "-", "yes", "1e5", " ",
]  # fmt: skip


@pytest.mark.parametrize("write", [write_csv, write_json_lines, write_parquet])
def test_names_are_kept_as_they_are(tmp_path: Path, write: object) -> None:
    assert callable(write)
    columns = {"model": HOSTILE, "task": HOSTILE, "item": HOSTILE, "score": [1] * len(HOSTILE)}
    scores = rb.read(write(columns, tmp_path))
    assert set(scores.models) == set(HOSTILE)
    assert set(scores.tasks) == set(HOSTILE)


def test_names_of_columns_may_hold_anything() -> None:
    columns = {"item": ["1", "2"], **{name: [0, 1] for name in HOSTILE}}
    assert set(read_columns(columns, layout="items-by-models").models) == set(HOSTILE)


SAMPLES = [
    b"model,task,item,score\na,t,1,1\nb,t,1,0\n",
    b'{"model": "a", "item": 1, "score": 1}\n{"model": "b", "item": 1, "score": NaN}\n',
    b'[{"model": "a", "task": "t", "score": 0.5, "se": 0.1}]',
    b"task\tx\ty\nt\t1.5\t2\nu\t3\t\n",
    (TABLES / "mmlu_pro.parquet").read_bytes(),
]
NAMES = ["x.csv", "x.jsonl", "x.json", "x.tsv", "x.parquet"]


def test_a_header_of_very_many_columns_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"k{i}" for i in range(30_000)) + "\n")
    with pytest.raises(rb.ReadError, match="30000 columns; at most 10000"):
        rb.read(path)
    path = tmp_path / "wide.json"
    path.write_text(json.dumps([{f"k{i}": 1 for i in range(10_001)}]))
    with pytest.raises(rb.ReadError, match="10001 columns; at most 10000"):
        rb.read(path)
    path = tmp_path / "keys.jsonl"
    path.write_text("".join(json.dumps({"score": 1, f"k{i}": 1}) + "\n" for i in range(10_000)))
    with pytest.raises(rb.ReadError, match="10001 columns; at most 10000"):
        rb.read(path)


def test_a_text_without_line_breaks_is_no_header(tmp_path: Path) -> None:
    path = tmp_path / "line.csv"
    path.write_text("model," + "a" * (1 << 21))
    with pytest.raises(rb.ReadError, match=r"row 1.*longer than 2 MiB"):
        rb.read(path)


def test_a_number_of_a_million_digits_is_told_at_once(tmp_path: Path) -> None:
    path = tmp_path / "digits.csv"
    path.write_text("model,task,item,score\na,t,1," + "1" * 1_000_000 + "\nb,t,1,1\n")
    with pytest.raises(rb.DataError, match=r"row 2.*'score'.*not a number"):
        rb.read(path)


def test_a_matrix_of_many_short_columns_is_read() -> None:
    columns = {"item": ["x", "y"], **{f"m{i:04d}": [i % 2, 1] for i in range(600)}}
    task = read_columns(columns, layout="items-by-models").tasks["all"]
    assert len(task.models) == 600
    assert task.values[0].tolist() == [i % 2 for i in range(600)]


@st.composite
def mutants(draw: st.DrawFn) -> tuple[str, bytes]:
    """A sample with some bytes changed, left out or doubled."""
    which = draw(st.integers(0, len(SAMPLES) - 1))
    content = bytearray(SAMPLES[which])
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(len(content) - 1, 0)))
        match draw(st.sampled_from(("change", "cut", "insert", "double"))):
            case "change" if content:
                content[at] = draw(st.integers(0, 255))
            case "cut":
                del content[at : at + draw(st.integers(1, 40))]
            case "insert":
                content[at:at] = draw(st.sampled_from([b'"', b",", b"\n", b"\x00", b"\xff", b"{"]))
            case _:
                content += content[at : at + 200]
    return draw(st.sampled_from((NAMES[which], *NAMES))), bytes(content)


@settings(max_examples=80, deadline=None)
@given(mutant=mutants())
def test_damaged_files_give_scores_or_a_clear_error(mutant: tuple[str, bytes]) -> None:
    name, content = mutant
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        assert len(explain(path)) == 1
        with contextlib.suppress(rb.RankbarsError):
            assert rb.read(path).models

"""Any input gives scores or an error of ours; never anything else."""

from __future__ import annotations

import contextlib
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
    "{", "a\tb", "%s", "\\", "../..", '"', "NULL", "nan", "-", "true", "1e5", " ",
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
    with pytest.raises(rb.ReadError, match="no row below"):
        rb.read(path)


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

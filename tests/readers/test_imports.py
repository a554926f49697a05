"""Libraries are loaded by what needs them, and only then."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rankbars.errors import ReadError
from rankbars.readers import FORMATS
from rankbars.readers.inputfiles import InputFile, read_head

FIXTURES = Path(__file__).parent.parent / "data" / "fixtures"
HEAVY = ("duckdb", "narwhals", "pandas", "polars", "pyarrow", "scipy", "yaml", "zstandard")


def loaded(code: str, folder: Path) -> set[str]:
    script = f"{code}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=folder
    )
    return set(result.stdout.split())


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("import rankbars", set()),
        ("import rankbars.readers; rankbars.readers.FORMATS", set()),
        ("import rankbars; rankbars.read('results.csv')", {"duckdb"}),
        ("import rankbars; rankbars.read('results.jsonl')", {"duckdb"}),
    ],
)
def test_tables_need_no_library_but_numpy_and_the_database(
    tmp_path: Path, code: str, expected: set[str]
) -> None:
    (tmp_path / "results.csv").write_text("model,item,score\na,1,1\nb,1,0\n")
    (tmp_path / "results.jsonl").write_text('{"model": "a", "item": 1, "score": 1}\n')
    # Older versions of the database also load the frame libraries that happen to be installed.
    assert loaded(code, tmp_path) - {"pandas", "pyarrow"} == expected


TOOLS = {
    f"rankbars.readers.{one.code}"
    for one in FORMATS.values()
    if isinstance(one.code, str) and one.name not in ("tidy", "wide", "votes")
}


def test_a_table_is_read_without_the_readers_of_tools(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text("model,item,score\na,1,1\nb,1,0\n")
    code = "import rankbars; rankbars.read('results.csv'); import sys; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert TOOLS.isdisjoint(result.stdout.split())
    assert "rankbars.readers.tables" in result.stdout.split()


def test_a_first_look_hides_no_file_from_its_format() -> None:
    files = [path for path in FIXTURES.rglob("*") if path.is_file()]
    assert len(files) > 100
    for path in files:
        try:
            head = read_head(InputFile(path, path.name))
        except ReadError:
            continue
        for one in FORMATS.values():
            if one.looks is not None and not one.looks(path, head):
                assert one._replace(looks=None).sniff(path, head) is None, (one.name, path)


def test_parquet_files_need_the_engine_only(tmp_path: Path) -> None:
    from tablefiles import write_parquet

    write_parquet({"model": ["a"], "item": [1], "score": [1]}, tmp_path)
    found = loaded("import rankbars; rankbars.read('results.parquet')", tmp_path)
    assert found - {"pandas", "pyarrow"} == {"duckdb"}


def test_a_polars_frame_needs_no_other_frame_library(tmp_path: Path) -> None:
    code = (
        "import polars, rankbars as rb\n"
        "rb.Scores.from_frame(polars.DataFrame({'model': ['a'], 'item': [1], 'score': [1]}))"
    )
    # As above, older versions of the database load the others.
    assert loaded(code, tmp_path) - {"pandas", "pyarrow"} == {"polars", "narwhals", "duckdb"}

"""Files that mean harm: nothing in them runs, explodes or leaves its place."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from logfiles import inspect_header, peak_kilobytes, sample, write_archive, write_simple

import rankbars as rb
from rankbars.readers import explain

SOURCES = Path(rb.__file__).parent
HEADER = b"model,task,item,score\n"
DEEP = 100_000

Pack = Callable[[bytes], bytes]


def zstandard_pack(content: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(content)


PACKS: dict[str, Pack] = {
    "gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zst": zstandard_pack,
}  # fmt: skip


@pytest.mark.parametrize("suffix", PACKS)
@pytest.mark.parametrize("kind", ["csv", "json", "jsonl"])
def test_compressed_tables_that_explode_are_refused(tmp_path: Path, suffix: str, kind: str) -> None:
    start = {"csv": HEADER + b"a,t,1,", "json": b'[{"model": "', "jsonl": b'{"model": "'}[kind]
    path = tmp_path / f"bomb.{kind}.{suffix}"
    path.write_bytes(PACKS[suffix](start + b"0" * (65 << 20)))
    # Python 3.12 unpacks a small file at once, and meets the endless line first.
    why = r".*(?:more than 300 times|line is longer than 32 MiB)"
    with pytest.raises(rb.ReadError, match=re.escape(path.name) + why):
        rb.read(path)


@pytest.mark.parametrize("suffix", PACKS)
def test_a_table_that_repeats_one_row_for_ever_is_refused_before_it_is_read(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"rows.csv.{suffix}"
    path.write_bytes(PACKS[suffix](HEADER + b"a,t,1,1\n" * (9 << 17)))

    def refuse(*_: object) -> None:
        raise AssertionError("a row was read")

    monkeypatch.setattr("rankbars.readers.delimited.read_text_rows", refuse)
    with pytest.raises(rb.ReadError, match="more than 300 times"):
        rb.read(path)


def test_a_small_bomb_takes_little_memory(tmp_path: Path) -> None:
    run = write_simple(tmp_path / "run", "a", [1.0, 0.0])
    usual = peak_kilobytes(run.parent, 2)
    path = run.with_name("bomb.csv.zst")
    path.write_bytes(zstandard_pack(HEADER + b"0" * (100 << 20)))
    assert peak_kilobytes(run.parent, 2) - usual < 300_000


def test_what_is_large_and_repeats_itself_little_is_read(tmp_path: Path) -> None:
    rows = b"".join(b"m%d,t,%d,%d\n" % (i % 3, i // 3, i % 2) for i in range(300_000))
    path = tmp_path / "large.csv.gz"
    path.write_bytes(gzip.compress(HEADER + rows))
    assert rb.read(path).models == ("m0", "m1", "m2")


NESTED = {
    "table.json": "[" * DEEP,
    "closed.json": "[" * DEEP + "]" * DEEP,
    "rows.jsonl": '{"model": ' + "[" * DEEP + "\n",
    "results_2026-01-21T03-44-18.json": '{"results": ' + '{"a":' * DEEP,
    "log.json": '{"version": 2, "status": "success", "eval": ' + "[" * DEEP,
    "record.json": '{"schema_version": "0.3.0", "model_info": {}, "evaluation_results": '
    + "[" * DEEP,
}


@pytest.mark.parametrize("name", NESTED)
def test_nesting_is_bounded(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(NESTED[name])
    assert len(explain(path)) == 1
    with pytest.raises(rb.ReadError, match=re.escape(name)):
        rb.read(path)


@pytest.mark.parametrize("name", ["rows.jsonl", "table.json"])
def test_numbers_that_are_too_long_are_told(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    text = '{"model": "a", "task": "t", "item": 1, "score": ' + "9" * 5000 + "}\n"
    path.write_text(text * 2 if name.endswith("l") else f"[{text}]")
    with pytest.raises(rb.ReadError, match=f"{name}.*a number cannot be read") as caught:
        rb.read(path)
    assert "sys." not in str(caught.value)


def test_members_cannot_leave_the_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "deep" / "inside"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    outside = tmp_path / "evil.json"
    path = write_archive(inside / "x.eval", [
        ("../../evil.json", b"{}"), (str(outside), b"{}"), ("..\\evil.json", b"{}"),
        ("summaries.json", [sample(1, "C")]), ("header.json", inspect_header()),
    ])  # fmt: skip
    assert rb.read(path, direction="higher").models == ("openai/m",)
    assert sorted(one.name for one in tmp_path.rglob("*")) == ["deep", "inside", "x.eval"]


def test_archives_within_archives_are_not_opened(tmp_path: Path) -> None:
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("x.csv", HEADER + b"a,t,1,1\n")
    path = tmp_path / "results.zip"
    path.write_bytes(inner.getvalue())
    assert explain(path)[0].format is None


class Payload:
    """Runs a command when it is unpickled."""

    def __init__(self, target: Path) -> None:
        self.target = target

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, (f"touch {self.target}",)


@pytest.mark.parametrize(
    "suffix", ["pkl", "csv", "json", "jsonl", "parquet", "eval", "npy", "yaml"]
)
def test_pickles_are_never_loaded(tmp_path: Path, suffix: str) -> None:
    target = tmp_path / "touched"
    path = tmp_path / f"results.{suffix}"
    path.write_bytes(pickle.dumps(Payload(target)))
    assert len(explain(path)) == 1
    with pytest.raises(rb.DataError, match=path.name):
        rb.read(path)
    assert not target.exists()


def test_yaml_makes_no_objects(tmp_path: Path) -> None:
    target = tmp_path / "touched"
    folder = tmp_path / ".eval_results"
    folder.mkdir()
    path = folder / "x.yaml"
    path.write_text(f"- value: !!python/object/apply:os.system ['touch {target}']\n  dataset: {{}}")
    assert len(explain(path)) == 1
    with pytest.raises(rb.RankbarsError):
        rb.read(path)
    assert not target.exists()


def test_parquet_files_that_explode_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import duckdb

    monkeypatch.setattr("rankbars.readers.parquet.FREE_ROWS", 1_000)

    path = tmp_path / "bomb.parquet"
    duckdb.sql(
        "SELECT 'a' AS model, 't' AS task, 1 AS item, 1 AS score FROM range(300_000)"
    ).write_parquet(str(path), row_group_size=300_000)
    assert path.stat().st_size < 3_000
    with pytest.raises(rb.ReadError, match=r"bomb\.parquet.* claims 300,000 rows"):
        rb.read(path)


def test_names_and_paths_of_files_never_reach_the_engine_as_commands(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "x'; COPY (SELECT 1) TO 'evil.csv'; --.parquet"
    duckdb.sql("SELECT 'a' AS model, 't' AS task, 1 AS item, 1 AS score").write_parquet(
        str(tmp_path / "y.parquet")
    )
    (tmp_path / "y.parquet").rename(path)
    assert rb.read(path).models == ("a",)
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_nothing_in_the_package_can_run_what_it_reads() -> None:
    banned = re.compile(
        r"\b(?:pickle|marshal|shelve|dill|cloudpickle|eval\(|exec\(|allow_pickle=True|"
        r"extractall|\.extract\(|os\.system|subprocess)"
    )
    found = {
        f"{path.relative_to(SOURCES)}:{number}"
        for path in (SOURCES / "readers").rglob("*.py")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if banned.search(line.partition("#")[0]) and "literal_eval" not in line
    }
    assert found == set()


def test_a_log_says_nothing_to_the_shell(tmp_path: Path) -> None:
    name = "$(touch evil) `touch evil` ; touch evil"
    write_simple(tmp_path, "a", [1.0, 0.0], model_name=name)
    scores = rb.read(tmp_path)
    assert scores.models == (name,)
    assert json.dumps(scores.models)
    assert not list(tmp_path.rglob("evil"))


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_a_row_as_long_as_a_file_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    start = "model,item,score,text\na,1,1," if name.endswith("csv") else '{"model": "a", "text": "'
    path.write_text(start + "x" * (40 << 20))
    with pytest.raises(rb.ReadError, match=r"row \d.* is longer than (?:16|32) MiB"):
        rb.read(path, format="tidy")


def test_long_texts_beside_scores_are_left_aside(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    text = "x" * (6 << 20)
    path.write_text(f"model,item,score,text\na,1,1,{text}\nb,1,0,{text}\n")
    assert rb.read(path).tasks["rows"].values.tolist() == [[1.0, 0.0]]


def test_parquet_that_is_nothing_but_a_description_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    size = 100 << 20
    path.write_bytes(b"PAR1" + bytes(size) + size.to_bytes(4, "little") + b"PAR1")
    with pytest.raises(rb.ReadError, match="takes 100 MiB"):
        rb.read(path)


@pytest.mark.parametrize("depth", [150, 2000, 5000])
def test_json_nested_some_thousand_deep_ends_in_one_line(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "results.json"
    inner = '{"a":' * depth + "1" + "}" * depth
    path.write_text('{"config": {"model": "m"}, "results": ' + inner + "}", encoding="utf-8")
    with pytest.raises(rb.DataError, match=re.escape(path.name)) as told:
        rb.read(path)
    assert len(str(told.value)) < 2000

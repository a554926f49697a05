"""A store from elsewhere is read only if it holds the tables of a store and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest
from storefiles import add, held, inside

from rankbars.cli.app import run
from rankbars.errors import ReadError
from rankbars.store.opening import connect
from rankbars.store.schema import SCHEMA, find_schema

PLAIN = "model,task,item,score\n" + "".join(
    f"{model},t,{item},{(item + len(model)) % 2}\n" for model in ("a", "bb") for item in range(9)
)
ENTRY = "0 AS id, 'x' AS path, 'x' AS place, 'tidy' AS format, '' AS sha256"

# What is done to a sound store, and what is said of it then.
HOSTILE = {
    "view that reads a file": (
        "DROP TABLE sources; CREATE VIEW sources AS SELECT 0 AS id, content AS path, "
        "content AS place, 'tidy' AS format, '' AS sha256, 1::BIGINT AS size, '' AS added, "
        "'[]' AS notes FROM read_text('/etc/passwd')",
        "it holds a view 'sources'",
    ),
    "view without end": (
        f"DROP TABLE sources; CREATE VIEW sources AS SELECT {ENTRY}, range AS size, '' AS added, "
        "'[]' AS notes FROM range(2000000000)",
        "it holds a view 'sources'",
    ),
    "another view": ("CREATE VIEW more AS SELECT 1", "it holds a view 'more'"),
    "macro under the name of a function": (
        "CREATE MACRO octet_length(x) AS 1", "it holds a macro 'octet_length'",
    ),
    "macro in place of the catalogue": (
        "CREATE MACRO duckdb_views() AS TABLE SELECT 1 AS view_name WHERE false",
        "it holds a macro 'duckdb_views'",
    ),
    "extra table": ("CREATE TABLE more (a INTEGER)", "it holds a table 'more'"),
    "table of an older schema": (
        "CREATE TABLE rows_scores (piece INTEGER, row BIGINT)", "it holds a table 'rows_scores'",
    ),
    "extra schema": ("CREATE SCHEMA more", "it holds a schema 'more'"),
    "type": ("CREATE TYPE mood AS ENUM ('good')", "it holds a type 'mood'"),
    "sequence": ("CREATE SEQUENCE more", "it holds a sequence 'more'"),
    "index": ("CREATE INDEX more ON sources (path)", "it holds an index 'more'"),
    "constraint": (
        "DROP TABLE items; CREATE TABLE items (id INTEGER CHECK (id > 0), name VARCHAR)",
        "it holds a constraint on the table 'items'",
    ),
    "missing table": ("DROP TABLE events", "it lacks the table 'events'"),
    "missing column": ("ALTER TABLE sources DROP notes", "'sources' lacks the column 'notes'"),
    "extra column": ("ALTER TABLE sources ADD more INTEGER", "'sources' has a column 'more'"),
    "column of another type": (
        "ALTER TABLE sources ALTER size TYPE VARCHAR", "'size' of table 'sources' is VARCHAR",
    ),
    "role that is none": ("ALTER TABLE scores ADD owner INTEGER", "'scores' has a column 'owner'"),
    "role of another type": (
        "ALTER TABLE scores ADD fold VARCHAR", "'fold' of table 'scores' is VARCHAR, not INTEGER",
    ),
    "default of a role": (
        "ALTER TABLE scores ADD fold INTEGER DEFAULT 1", "'fold' of table 'scores' is computed",
    ),
    "default": (
        "ALTER TABLE sources ALTER added SET DEFAULT current_user",
        "'added' of table 'sources' is computed",
    ),
    "generated column": (
        "DROP TABLE meta; CREATE TABLE meta (key VARCHAR, value VARCHAR AS (key || key))",
        "'value' of table 'meta' is computed",
    ),
    "view in place of the facts": (
        "DROP TABLE meta; CREATE VIEW meta AS SELECT 'schema' AS key, '2' AS value",
        "it holds a view 'meta'",
    ),
}  # fmt: skip


def write_store(sql: str = "") -> None:
    Path("plain.csv").write_text(PLAIN, encoding="utf-8")
    add("plain.csv")
    with duckdb.connect("board.duckdb") as connection:
        connection.execute(sql or "SELECT 1")


@pytest.mark.parametrize("name", list(HOSTILE))
def test_anything_but_the_tables_of_a_store_is_refused_in_one_line(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sql, expected = HOSTILE[name]
    with inside(tmp_path):
        write_store(sql)
        before = Path("board.duckdb").read_bytes()
        for words in (
            ["log", "board.duckdb"],
            ["rank", "board.duckdb", "-o", "board.json"],
            ["add", "plain.csv", "--store", "board.duckdb"],
        ):
            capsys.readouterr()
            assert run(words) == 1
            said = capsys.readouterr()
            assert expected in said.err
            assert len(said.err.strip().splitlines()) == 1
            assert "root:" not in said.err + said.out
        assert not Path("board.json").exists()
        assert Path("board.duckdb").read_bytes() == before


def test_a_store_that_nobody_else_changed_is_looked_through_once_by_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []

    def look(*given: object) -> int:
        looked.append(given)
        return find_schema(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("rankbars.store.access.find_schema", look)
    with inside(tmp_path):
        write_store()
        assert held().models == ("a", "bb")
        assert len(looked) == 0
        shutil.copy("board.duckdb", "copy.duckdb")
        Path("copy.duckdb").replace("board.duckdb")
        Path("c.csv").write_text(PLAIN.replace("a,", "c,").replace("bb,", "cc,"), encoding="utf-8")
        add("c.csv")
        assert len(looked) == 1
        assert held().models == ("a", "bb", "c", "cc")
        assert len(looked) == 1


@pytest.mark.parametrize("kept", ["in the file", "beside it"])
def test_a_store_that_was_sound_before_is_refused_once_somebody_changed_it(
    kept: str, tmp_path: Path
) -> None:
    with inside(tmp_path):
        write_store()
        for _ in range(2):
            assert held().models == ("a", "bb")
        with duckdb.connect("board.duckdb") as connection:
            if kept == "beside it":
                connection.execute("PRAGMA disable_checkpoint_on_shutdown")
            connection.execute("CREATE MACRO hash(x) AS 1")
        assert Path("board.duckdb.wal").exists() == (kept == "beside it")
        for _ in range(2):
            with pytest.raises(ReadError, match="it holds a macro 'hash'"):
                held()


def test_a_long_or_strange_name_is_shown_in_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(tmp_path):
        write_store(f'CREATE VIEW "\x1b[31m{"x" * 5000}" AS SELECT 1')
        assert run(["log", "board.duckdb"]) == 1
        said = capsys.readouterr().err
        assert "\x1b" not in said
        assert len(said) < 400


def test_the_tables_of_a_newer_version_are_not_called_strange(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(tmp_path):
        write_store(
            f"CREATE TABLE more (a INTEGER); UPDATE meta SET value = '{SCHEMA + 1}' "
            "WHERE key = 'schema'"
        )
        assert run(["log", "board.duckdb"]) == 1
        assert "Update rankbars" in capsys.readouterr().err


def test_an_older_store_with_another_table_is_refused_and_not_brought_up_to_date(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(tmp_path):
        write_store("UPDATE meta SET value = '1' WHERE key = 'schema'")
        assert run(["log", "board.duckdb"]) == 1
        assert "it lacks the table 'files'" in capsys.readouterr().err
        assert not list(Path.cwd().glob("*.bak"))


def test_a_store_that_is_written_reads_nothing_but_itself(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    with inside(tmp_path):
        write_store()
        with connect(Path("board.duckdb"), "board", write=True) as connection:
            for sql in (
                "SELECT * FROM read_text('secret.txt')", "COPY meta TO 'out.csv'",
                "ATTACH 'other.duckdb' AS other", "LOAD httpfs",
                "SET enable_external_access = true", "SET lock_configuration = false",
            ):  # fmt: skip
                with pytest.raises(duckdb.Error):
                    connection.execute(sql)
            connection.execute("CHECKPOINT")
        Path("c.csv").write_text(PLAIN.replace("a,", "c,").replace("bb,", "cc,"), encoding="utf-8")
        add("c.csv")
        assert held().models == ("a", "bb", "c", "cc")
        assert not Path("out.csv").exists()

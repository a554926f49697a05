"""Workers read their own tasks; what travels is small, and the board is the same."""

from __future__ import annotations

import http.server
import os
import pickle
import re
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster
from distributed.comm.tcp import TCP

import rankbars as rb
from rankbars.data.boardfile import board_json
from rankbars.data.drafts import TemporaryFolder
from rankbars.data.storedtasks import StoredTasks, refer

TASKS, ITEMS, MODELS = 6, 400, 10
ONE_TASK = ITEMS * MODELS * 8


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One file with several tasks, in random order, items named by text."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "model": np.repeat([f"m{i}" for i in range(MODELS)], TASKS * ITEMS),
        "task": np.tile(np.repeat([f"t{i}" for i in range(TASKS)], ITEMS), MODELS),
        "item": np.tile([f"item {i}" for i in range(ITEMS)], TASKS * MODELS),
        "score": rng.random(TASKS * ITEMS * MODELS).round(3),
    })  # fmt: skip
    path = tmp_path_factory.mktemp("shared") / "results.parquet"
    frame.sample(frac=1.0, random_state=0).to_parquet(path, row_group_size=5000)
    return path


@pytest.fixture(scope="module")
def expected(table: Path) -> str:
    return board_json(rb.leaderboard(rb.read(table)))


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two worker processes of their own."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as running:
        yield running


def stored(scores: rb.Scores) -> StoredTasks:
    assert isinstance(scores.tasks, StoredTasks)
    return scores.tasks


def elsewhere(scores: rb.Scores) -> rb.Scores:
    """The scores as on a machine that does not see what was kept of them."""
    for folder in stored(scores).holders:
        assert isinstance(folder, TemporaryFolder)
        folder.close()
    return scores


@pytest.mark.parametrize("seen", ["here", "elsewhere"])
def test_a_reference_is_small_and_gives_the_task(seen: str, table: Path) -> None:
    scores = rb.read(table, by_reference=True)
    whole, tasks = rb.read(table), stored(scores if seen == "here" else elsewhere(scores))
    for name, task in whole.tasks.items():
        sent = pickle.dumps(tasks.references[name])
        assert len(sent) < ONE_TASK / 20
        found = pickle.loads(sent).load()
        np.testing.assert_array_equal(found.values, task.values)
        assert (found.models, found.ids) == (task.models, task.ids)


def test_rows_are_read_once(table: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(table.read_bytes())
    scores = rb.read(copy, by_reference=True)
    copy.unlink()
    for name, task in rb.read(table).tasks.items():
        found = scores.tasks[name]
        assert isinstance(found, rb.Items)
        assert isinstance(task, rb.Items)
        np.testing.assert_array_equal(found.values, task.values)


def test_many_rows_are_not_kept(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rankbars.tables import byreference

    monkeypatch.setattr(byreference, "MOST_KEPT", TASKS * ITEMS * MODELS - 1)
    scores = rb.read(table, by_reference=True)
    assert stored(scores).holders == ()
    assert board_json(rb.leaderboard(scores)) == board_json(rb.leaderboard(rb.read(table)))


@pytest.mark.parametrize(
    "reading", [{"by_reference": True}, {"elsewhere": True}, {"memory_limit": "SMALL"}]
)
def test_workers_read_their_own_tasks(
    reading: dict[str, Any], table: Path, expected: str, cluster: LocalCluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr("rankbars.tables.readoptions.RESERVE", 0)
    if "memory_limit" in reading:
        reading = {"memory_limit": 5 * ONE_TASK}
    if "elsewhere" in reading:
        scores = elsewhere(rb.read(table, by_reference=True))
    else:
        scores = rb.read(table, **reading)
    assert isinstance(scores.tasks, StoredTasks)
    sent = [
        # What joblib hands to Dask for one task.
        len(pickle.dumps((name, refer(scores.tasks, name), scores.info[name])))
        for name in scores.tasks
    ]
    assert max(sent) < ONE_TASK / 8
    with Client(cluster), joblib.parallel_config("dask"):
        assert board_json(rb.leaderboard(scores, n_jobs=-1)) == expected


def test_little_passes_through_the_client(
    table: Path, expected: str, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes that this process, with client and scheduler, sends."""
    scores = rb.read(table, by_reference=True)
    sent: list[int] = []
    send = TCP.write
    with Client(cluster), joblib.parallel_config("dask"):

        async def write(self: TCP, message: Any, *args: Any, **options: Any) -> int:
            sent.append(await send(self, message, *args, **options))
            return sent[-1]

        monkeypatch.setattr(TCP, "write", write)
        assert board_json(rb.leaderboard(scores, n_jobs=-1)) == expected
    assert 0 < sum(sent) < TASKS * ONE_TASK
    assert max(sent) < ONE_TASK


def test_the_client_of_a_plain_board_looks_at_no_task(
    table: Path, tmp_path: Path, cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rankbars.tables.tasksources import SourceTask

    def refuse(self: SourceTask) -> None:
        raise AssertionError(f"The client looks at {self.task}.")

    frame = pd.read_parquet(table)
    frame["item"] = frame["task"] + frame["item"]  # an average of the same items needs their scores
    paths = (tmp_path / "random.parquet", tmp_path / "right.parquet")
    frame.to_parquet(paths[0])
    frame.assign(score=(frame.score > 0.5).astype(float)).to_parquet(paths[1])
    expected = [board_json(rb.leaderboard(rb.read(path))) for path in paths]
    scores = [rb.read(path, by_reference=True) for path in paths]
    monkeypatch.setattr(SourceTask, "load", refuse)
    with Client(cluster), joblib.parallel_config("dask"):
        boards = [rb.leaderboard(one, n_jobs=-1) for one in scores]
    assert [board_json(board) for board in boards] == expected


def test_a_worker_killed_while_it_reads_does_not_change_the_answer(
    table: Path, cluster: LocalCluster
) -> None:
    options: dict[str, Any] = {"correction": "maxt", "resamples": 400}
    wanted = board_json(rb.leaderboard(rb.read(table), **options))
    scores = rb.read(table, by_reference=True)
    with Client(cluster) as client, joblib.parallel_config("dask"):
        client.wait_for_workers(2)
        victim = next(iter(client.run(os.getpid).values()))
        killed = []

        def kill_when_busy() -> None:
            for _ in range(500):
                if any(client.processing().values()):
                    os.kill(victim, signal.SIGKILL)
                    killed.append(victim)
                    return
                time.sleep(0.01)

        killer = threading.Thread(target=kill_when_busy)
        killer.start()
        board = rb.leaderboard(scores, n_jobs=-1, **options)
        killer.join()
        assert killed == [victim]
        assert board_json(board) == wanted
        client.wait_for_workers(2)


class _Parts(http.server.SimpleHTTPRequestHandler):
    """Serves files, also in parts, as object storage does."""

    asked: list[str]

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        data = path.read_bytes()
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        low, high = 0, len(data) - 1
        if asked:
            low, high = int(asked[1]), int(asked[2] or high)
            self.asked.append(f"{low}-{high}")
        part = data[low : high + 1]
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {low}-{high}/{len(data)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(part)))
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


@pytest.fixture
def server(table: Path) -> Iterator[tuple[str, list[str]]]:
    """Address of a server of the table, and the parts that it was asked for."""
    asked: list[str] = []

    class Handler(_Parts):
        def __init__(self, *args: Any) -> None:
            self.asked = asked
            super().__init__(*args, directory=str(table.parent))

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}/{table.name}", asked
        running.shutdown()
        thread.join()


def without_names_of_files(board: rb.Leaderboard) -> str:
    return board_json(replace(board, inputs=(), notes=()))


def test_workers_read_from_a_url(
    server: tuple[str, list[str]], table: Path, cluster: LocalCluster
) -> None:
    url, asked = server
    wanted = without_names_of_files(rb.leaderboard(rb.read(table)))
    scores = rb.read(url, by_reference=True)
    assert scores.inputs[0].path == url
    asked.clear()
    with Client(cluster), joblib.parallel_config("dask"):
        assert without_names_of_files(rb.leaderboard(scores, n_jobs=-1)) == wanted
        assert asked == []
        board = rb.leaderboard(elsewhere(scores), n_jobs=-1)
    assert without_names_of_files(board) == wanted
    assert len(asked) >= TASKS


def test_a_url_that_cannot_be_read_is_told(server: tuple[str, list[str]]) -> None:
    url, _ = server
    with pytest.raises(rb.ReadError, match="the protocol 'quux' is not known"):
        rb.read(url.replace("http", "quux"))
    with pytest.raises(rb.ReadError, match=r"none\.parquet: the file cannot be read"):
        rb.read(url.replace("results", "none"))


def test_without_fsspec_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(rb.MissingPackageError, match=r"rankbars\[remote\]"):
        rb.read("s3://bucket/results.parquet")


def test_a_file_that_is_gone_or_changed_is_told(tmp_path: Path, table: Path) -> None:
    copy = tmp_path / "copy.parquet"
    copy.write_bytes(table.read_bytes())
    scores = elsewhere(rb.read(copy, by_reference=True))
    rb.read(table).tasks["t0"]
    copy.write_bytes(table.read_bytes() + b"PAR1")
    with pytest.raises(rb.ReadError, match="has changed since it was read first"):
        scores.tasks["t0"]
    copy.unlink()
    with pytest.raises(rb.ReadError, match="a worker cannot open"):
        scores.tasks["t1"]


def test_what_cannot_be_read_by_reference_is_refused(tmp_path: Path, table: Path) -> None:
    frame = pd.read_parquet(table)
    frame.to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(rb.OptionError, match="must stand in tidy Parquet files"):
        rb.read(tmp_path / "x.csv", by_reference=True)
    frame.loc[frame["item"] == "item 3", "item"] = "3"
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(rb.OptionError, match="need one kind of names"):
        rb.read(tmp_path / "x.parquet", by_reference=True)


@pytest.mark.parametrize("parts", ["one file per task", "one file per model", "numbers as names"])
def test_files_of_any_kind_are_read_again(parts: str, tmp_path: Path, table: Path) -> None:
    frame = pd.read_parquet(table)
    frame.loc[frame["model"] == "m3", "score"] /= 2
    folder = tmp_path / "results"
    folder.mkdir()
    if parts == "one file per task":
        for task, rows in frame.groupby("task"):
            rows.drop(columns="task").to_parquet(folder / f"task {task[1:]}.parquet")
    elif parts == "one file per model":
        for model, rows in frame[(frame.model != "m2") | (frame.task != "t1")].groupby("model"):
            rows.drop(columns="model").to_parquet(folder / f"{model}.parquet")
    else:
        for role in ("model", "task", "item"):
            frame[role] = frame[role].str.extract(r"(\d+)")[0].astype(int)
        frame.assign(direction="lower").to_parquet(folder / "x.parquet")
    whole, again = (rb.read(folder, by_reference=again) for again in (False, True))
    assert isinstance(again.tasks, StoredTasks)
    boards = [rb.leaderboard(one, missing="bounds") for one in (whole, again)]
    assert board_json(boards[0]) == board_json(boards[1])


@pytest.mark.parametrize("apart", [False, True])
@pytest.mark.parametrize("how", ["by reference", "beyond memory"])
def test_items_of_one_name_are_one_draw_however_tasks_are_read(
    how: str, apart: bool, tmp_path: Path, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankbars.tables.readoptions.RESERVE", 0)
    frame = pd.read_parquet(table)
    frame["item"] = frame["item"].str.extract(r"(\d+)")[0].astype(int) % ITEMS
    if apart:
        for task, rows in frame.groupby("task"):
            (tmp_path / f"task={task}").mkdir()
            rows.drop(columns="task").to_parquet(tmp_path / f"task={task}" / "x.parquet")
    else:
        frame.to_parquet(tmp_path / "x.parquet")
    whole = rb.read(tmp_path)
    limit = {"by_reference": True} if how == "by reference" else {"memory_limit": 5 * ONE_TASK}
    again = rb.read(tmp_path, **limit)  # type: ignore[arg-type]
    assert isinstance(again.tasks, StoredTasks)
    boards = [rb.leaderboard(one) for one in (whole, again)]
    assert board_json(boards[0]) == board_json(boards[1])
    assert boards[0].aggregate is not None
    assert any(note.code == "joined-items" for note in boards[0].aggregate.notes)

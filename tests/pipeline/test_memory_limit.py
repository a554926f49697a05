"""A limit of the memory changes where tasks are kept, and no result."""

from __future__ import annotations

import gc
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest

import rankbars as rb
from rankbars.data.boardfile import board_json
from rankbars.data.drafts import TemporaryFolder
from rankbars.data.storedtasks import StoredTasks

MODELS, TASKS, ITEMS = 5, 4, 30
SMALL = "8kB"  # one of these tasks fits, and not all


@pytest.fixture(autouse=True)
def no_reserve(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Small results are large beside these limits; temporary folders can be looked at."""
    monkeypatch.setattr("rankbars.tables.readoptions.RESERVE", 0)
    monkeypatch.setattr("rankbars.tables.readoptions.TABLES", 0)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


@pytest.fixture(params=["parquet", "parquet in parts", "csv"])
def write(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[pd.DataFrame], str]:
    """Writes a table as a file that is read in one way or another."""
    if request.param == "parquet in parts":
        monkeypatch.setattr("rankbars.tables.unitedrows.BLOCK_ROWS", 97)

    def put(frame: pd.DataFrame) -> str:
        path = tmp_path / f"results.{request.param[:7].strip()}"
        if path.suffix == ".csv":
            frame.to_csv(path, index=False)
        else:
            frame.to_parquet(path)
        return str(path)

    return put


def make_table(seed: int = 0) -> pd.DataFrame:
    """Scores of tasks of different sizes, in random order."""
    rng = np.random.default_rng(seed)
    rows = [
        (f"m{m}", f"t{t}", f"i{i}", float(rng.random() < 0.3 + m / 8))
        for m in range(MODELS)
        for t in range(TASKS)
        for i in range(ITEMS + 3 * t)
    ]
    frame = pd.DataFrame(rows, columns=["model", "task", "item", "score"])
    return frame.sample(frac=1.0, random_state=seed)


def smallest_limit(read: Callable[[str], object]) -> str:
    """The limit that the refusal of another one names."""
    with pytest.raises(rb.DataError, match="The smallest limit that works is") as refusal:
        read("1B")
    return re.findall(r"works is (\w+)\.", str(refusal.value))[0]


def with_gaps(frame: pd.DataFrame) -> pd.DataFrame:
    few = frame[(frame.model > "m1") | (frame.index % 11 > 0)]
    return few.assign(score=few.score.where((few.index % 37 > 0) | (few.model != "m2")))


def with_answers(frame: pd.DataFrame) -> pd.DataFrame:
    return pd.concat([frame.assign(epoch=k, score=(frame.score + k) / 3) for k in range(2)])


def with_clusters(frame: pd.DataFrame) -> pd.DataFrame:
    number = frame["item"].str[1:].astype(int)
    return frame.assign(cluster="c" + (number // 5).astype(str), weight=1 + number % 2)


def with_skewed_rows(frame: pd.DataFrame) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    return frame.assign(score=frame.score + np.exp(2.0 * rng.standard_normal(len(frame))))


def with_metrics(frame: pd.DataFrame) -> pd.DataFrame:
    others = frame.assign(metric="f1", model=frame.model + "x")
    return pd.concat([frame.assign(metric="acc"), others])


CASES: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], dict, dict]] = {
    "complete": (lambda frame: frame, {}, {}),
    "lower is better": (lambda frame: frame, {"direction": "lower"}, {}),
    "redacted": (lambda frame: frame, {"redact": True}, {}),
    "pairwise": (with_gaps, {}, {"missing": "pairwise"}),
    "listwise": (with_gaps, {}, {"missing": "listwise"}),
    "fail": (with_gaps, {"minimum": 0.0}, {"missing": "fail"}),
    "bounds": (with_gaps, {}, {"missing": "bounds"}),
    "drop models": (
        lambda frame: frame[(frame.model != "m1") | (frame.task != "t2")],
        {},
        {"missing": "drop_models"},
    ),
    "answers": (with_answers, {}, {"test": "two_way"}),
    "clusters": (with_clusters, {}, {}),
    "skewed": (with_skewed_rows, {}, {}),
    "metrics": (with_metrics, {"metric": "acc"}, {}),
    "max-t and bootstrap": (
        lambda frame: frame, {}, {"correction": "maxt", "estimator": "bootstrap", "resamples": 50},
    ),
}  # fmt: skip


# Every case in parts, which is the hardest to get right; the other ways of reading for some.
WAYS = [("parquet in parts", case) for case in CASES]
WAYS += [
    (kind, case) for kind in ("parquet", "csv") for case in ("complete", "pairwise", "answers")
]


@pytest.mark.parametrize(("write", "case"), WAYS, indirect=["write"])
def test_the_board_is_the_same(case: str, write: Callable[[pd.DataFrame], str]) -> None:
    change, reading, analysis = CASES[case]
    path = write(change(make_table()))
    whole = rb.read(path, **reading)
    limit = smallest_limit(lambda size: rb.read(path, **reading, memory_limit=size))
    limited = rb.read(path, **reading, memory_limit=limit)
    held = rb.read(path, **reading, memory_limit="2GB")
    assert isinstance(limited.tasks, StoredTasks)
    assert not isinstance(held.tasks, StoredTasks)
    expected = board_json(rb.leaderboard(whole, **analysis))
    assert board_json(rb.leaderboard(limited, **analysis)) == expected
    with joblib.parallel_config("threading"):
        assert board_json(rb.leaderboard(limited, n_jobs=2, **analysis)) == expected
    assert board_json(rb.leaderboard(held, **analysis)) == expected
    assert limited.notes == whole.notes


def test_errors_are_the_same(write: Callable[[pd.DataFrame], str]) -> None:
    frame = make_table()
    for broken in (
        pd.concat([frame, frame.iloc[[7, 200]]]),
        frame.assign(task=frame.task.where(frame.index != 31)),
        frame.assign(model=frame.model.where(frame.index != 31)),
        with_gaps(frame),
    ):
        path = write(broken)
        said = []
        for limit in (None, SMALL):
            with pytest.raises(rb.DataError) as error:
                rb.leaderboard(rb.read(path, memory_limit=limit))
            said.append(str(error.value))
        assert said[0] == said[1]


def test_a_chosen_part_stays_where_it_is(write: Callable[[pd.DataFrame], str]) -> None:
    path = write(make_table())
    chosen = [
        scores.select(models=["m3", "m1"], tasks=["t2", "t0"])
        for scores in (rb.read(path), rb.read(path, memory_limit=SMALL))
    ]
    assert isinstance(chosen[1].tasks, StoredTasks)
    assert board_json(rb.leaderboard(chosen[0])) == board_json(rb.leaderboard(chosen[1]))


def test_too_small_a_limit_names_one_that_works(write: Callable[[pd.DataFrame], str]) -> None:
    path = write(make_table())
    limit = smallest_limit(lambda size: rb.read(path, memory_limit=size))
    assert rb.leaderboard(rb.read(path, memory_limit=limit)).models[0] == "m0"


@pytest.mark.parametrize("limit", ["much", "-1GB", "0", "2XB", ""])
def test_a_limit_that_is_no_size_is_refused(limit: str, tmp_path: Path) -> None:
    make_table().to_csv(tmp_path / "x.csv", index=False)
    with pytest.raises(rb.OptionError, match="a size such as"):
        rb.read(tmp_path / "x.csv", memory_limit=limit)


def test_one_task_is_in_memory_at_a_time(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    tasks, items, models = 12, 8000, 20
    frame = pd.DataFrame({
        "model": np.repeat([f"m{i}" for i in range(models)], tasks * items),
        "task": np.tile(np.repeat([f"t{i:02d}" for i in range(tasks)], items), models),
        "item": np.tile(np.arange(tasks * items), models),  # of shared ones a sum is held, too
        "score": rng.random(tasks * items * models),
    })  # fmt: skip
    frame.to_parquet(tmp_path / "x.parquet")
    one = items * models * 8
    scores = rb.read(tmp_path / "x.parquet", memory_limit=6 * one)
    small = {f"t{i}": rng.random((100, 3)) for i in range(2)}  # imports what the large one needs
    rb.leaderboard(rb.Scores.from_arrays(small, ["a", "b", "c"]))
    gc.collect()
    tracemalloc.start()
    try:
        rb.leaderboard(scores)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * one < tasks * one


def left_behind() -> list[str]:
    return [path.name for path in Path(tempfile.gettempdir()).iterdir()]


def test_the_files_go_with_the_scores(write: Callable[[pd.DataFrame], str]) -> None:
    scores = rb.read(write(make_table()), memory_limit=SMALL)
    assert left_behind()
    chosen = scores.select(models=["m1", "m2"])
    del scores
    gc.collect()
    assert chosen.tasks["t0"].n == ITEMS
    del chosen
    gc.collect()
    assert not left_behind()


def test_nothing_is_left_after_an_error(write: Callable[[pd.DataFrame], str]) -> None:
    frame = make_table()
    with pytest.raises(rb.DataError, match="has 2 rows"):
        rb.read(write(pd.concat([frame, frame.iloc[[5]]])), memory_limit=SMALL)
    gc.collect()
    assert not left_behind()


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_process_that_was_stopped(
    end: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        "import signal, time\n"
        "from rankbars.data.drafts import TemporaryFolder\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in background
        "folder = TemporaryFolder()\n"
        "print(folder.path, flush=True)\n"
        "time.sleep(60)\n"
    )
    place = {**os.environ, "TMPDIR": tempfile.gettempdir()}
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env=place, text=True,
    ) as process:  # fmt: skip
        path = Path(str(process.stdout and process.stdout.readline()).strip())
        assert path.is_dir()
        other = TemporaryFolder()
        assert path.is_dir()  # its process still runs
        process.send_signal(end)
    assert path.exists() == (end == signal.SIGKILL)
    other.close()
    monkeypatch.setattr("rankbars.data.drafts.LEAST_AGE", -1.0)  # as if a minute had passed
    TemporaryFolder().close()
    assert not left_behind()


def test_what_a_worker_is_given_is_small(write: Callable[[pd.DataFrame], str]) -> None:
    scores = rb.read(write(make_table()), memory_limit=SMALL)
    copy = pickle.loads(pickle.dumps(scores))
    for name, task in scores.tasks.items():
        reference = pickle.dumps(scores.tasks.references[name])
        assert len(reference) < 1500
        np.testing.assert_array_equal(pickle.loads(reference).load().values, task.values)
        assert copy.tasks[name].ids == task.ids


def test_files_that_are_gone_are_told(write: Callable[[pd.DataFrame], str]) -> None:
    scores = rb.read(write(make_table()), memory_limit=SMALL)
    shutil.rmtree(Path(scores.tasks.references["t0"].path).parent)
    with pytest.raises(rb.ReadError, match="set TMPDIR to a shared one"):
        rb.leaderboard(scores)

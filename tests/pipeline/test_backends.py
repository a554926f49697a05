"""Boards do not depend on where the work is done, nor on a worker that dies."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import joblib
import numpy as np
import pytest
from distributed import Client, LocalCluster

import rankbars as rb
from rankbars.data.boardfile import board_json


@pytest.fixture(scope="module")
def scores() -> rb.Scores:
    rng = np.random.default_rng(0)
    skill = np.linspace(0.4, 0.0, 12)
    tasks = {f"t{k:02d}": rng.random((60 + k, 12)) + skill for k in range(10)}
    return rb.Scores.from_arrays(tasks, [f"m{i:02d}" for i in range(12)])


@pytest.fixture(scope="module")
def expected(scores: rb.Scores) -> str:
    return board_json(rb.leaderboard(scores))


@pytest.fixture(scope="module")
def cluster() -> Iterator[LocalCluster]:
    """Two worker processes of their own."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as running:
        yield running


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_threads_and_processes_make_the_same_board(
    backend: str, scores: rb.Scores, expected: str
) -> None:
    with joblib.parallel_config(backend):
        assert board_json(rb.leaderboard(scores, n_jobs=2)) == expected


def test_dask_workers_make_the_same_board(
    cluster: LocalCluster, scores: rb.Scores, expected: str
) -> None:
    with Client(cluster), joblib.parallel_config("dask"):
        assert board_json(rb.leaderboard(scores, n_jobs=-1)) == expected


def test_a_worker_killed_in_the_middle_does_not_change_the_answer(
    cluster: LocalCluster, scores: rb.Scores
) -> None:
    expected = board_json(rb.leaderboard(scores, correction="maxt", resamples=400))
    with Client(cluster) as client, joblib.parallel_config("dask"):
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
        board = rb.leaderboard(scores, correction="maxt", resamples=400, n_jobs=-1)
        killer.join()
        assert killed == [victim]
        assert board_json(board) == expected
        client.wait_for_workers(2)
        assert victim not in client.run(os.getpid).values()

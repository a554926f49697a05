"""``--backend`` and ``--scheduler``."""

from __future__ import annotations

from pathlib import Path

import pytest
from commandline import Command
from distributed import LocalCluster


@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_every_backend_writes_the_same_bytes(backend: str, rankbars: Command, results: str) -> None:
    rankbars("rank", results, "-o", "one.json", "--quiet")
    answer = rankbars(
        "rank", results, "-o", "two.json", "--quiet", "--backend", backend, "--jobs", 2
    )
    assert answer.code == 0, answer.err
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


def test_a_cluster_is_found_by_its_address(rankbars: Command, results: str) -> None:
    rankbars("rank", results, "-o", "one.json", "--quiet")
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster:
        address = cluster.scheduler_address
        if address.startswith("inproc"):
            address = cluster.scheduler.address
        answer = rankbars("rank", results, "-o", "two.json", "--quiet", "--scheduler", address)
    assert answer.code == 0, answer.err
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


def test_no_answer_at_the_address_is_told(
    rankbars: Command, results: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankbars.cli.backends.CONNECT_SECONDS", 1)
    answer = rankbars("rank", results, "-o", "x.json", "--scheduler", "tcp://127.0.0.1:9")
    assert answer.code == 1
    assert "No Dask scheduler answers at 'tcp://127.0.0.1:9'" in answer.err
    assert "Traceback" not in answer.err
    assert not Path("x.json").exists()


def test_backend_and_scheduler_must_agree(rankbars: Command, results: str) -> None:
    answer = rankbars("rank", results, "--backend", "loky", "--scheduler", "tcp://a:1")
    assert answer.code == 1
    assert "does not go with --backend loky" in answer.err
    assert rankbars("rank", results, "--backend", "ray").code == 2


def test_without_the_package_the_extra_is_named(
    rankbars: Command, results: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    answer = rankbars("rank", results, "--backend", "dask")
    assert answer.code == 1
    assert 'pip install "rankbars[dask]"' in answer.err

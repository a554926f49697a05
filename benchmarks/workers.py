"""What it costs to give work to others: at start, per task, in memory, and what is gained."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

import rankbars as rb
from benchmarks.inputs import model_names, task_arrays
from benchmarks.reading import write_folders
from benchmarks.rows import Job, Once, Row, require
from rankbars.cli.backends import Workers, running_on

TITLE = "Workers, two of them"
WORKERS = 2
# Rounds on a cluster: those in which workers load what they need, and those whose median counts.
WARM, ROUNDS = 2, 5
KILOBYTES = 400


def overheads(backend: str, messages: int, models: int, items: int, tasks: int) -> Job:
    """Start, messages, memory and a board on workers of one kind."""
    arrays, names = task_arrays(models, items, tasks), model_names(models)
    values = np.zeros(KILOBYTES * 125)  # 8 bytes each

    def board(jobs: int) -> rb.Leaderboard:
        scores = rb.Scores.from_arrays(arrays, names)
        return rb.leaderboard(scores, correction="maxt", resamples=500, n_jobs=jobs)

    def run() -> dict[str, Any]:
        start = perf_counter()
        alone = board(1)
        alone_s, before, start = perf_counter() - start, _children_mb(), perf_counter()
        with running_on(Workers(backend, None, WORKERS)) as jobs:
            send(jobs, WORKERS, 0)
            found = {"s to start": perf_counter() - start}
            for what, content in (("empty task", 0), (f"{KILOBYTES} kB task", values)):
                start = perf_counter()
                send(jobs, messages, content)
                found[f"ms per {what}"] = 1e3 * (perf_counter() - start) / messages
            start = perf_counter()
            together = board(jobs)
            found["× as fast, board"] = alone_s / (perf_counter() - start)
            found["MB in workers"] = _children_mb() - before
        return {"figures": found, "boards": (alone, together)}

    return Job(run, _same_ranks, _figures)


def _same_ranks(found: dict[str, Any]) -> None:
    one, other = (board.aggregate for board in found["boards"])
    np.testing.assert_array_equal(one.best, other.best)
    np.testing.assert_array_equal(one.worst, other.worst)


def _figures(found: dict[str, Any]) -> Mapping[str, float]:
    numbers: dict[str, float] = found["figures"]
    return numbers


def by_reference(models: int, items: int, tasks: int) -> Job:
    """Parquet files in a folder per task, ranked by reference on a cluster that runs already."""
    import psutil

    path = write_folders(models, items, tasks)

    def cpu() -> float:
        process = psutil.Process()
        every = [process, *process.children(recursive=True)]
        return float(sum(sum(one.cpu_times()[:2]) for one in every))

    def plain() -> rb.Leaderboard:
        return rb.leaderboard(rb.read(path))

    def run() -> dict[str, Any]:
        plain()  # what is loaded at first is not part of what is timed
        rounds: list[tuple[float, float, float]] = []
        with running_on(Workers("dask", None, WORKERS)) as jobs:
            for _ in range(WARM + ROUNDS):  # in turn, for the speed of a machine varies
                start = cpu()
                alone = plain()
                began = cpu()
                scores = rb.read(path, by_reference=True, n_jobs=jobs)
                looked = cpu()
                together = rb.leaderboard(scores, n_jobs=jobs)
                rounds.append((began - start, looked - began, cpu() - began))
        ratios = np.array([[looking / one, whole / one] for one, looking, whole in rounds])
        until_looked_over, of_all = np.median(ratios[WARM:], axis=0).tolist()
        figures = {
            "× CPU of the plain run": of_all,
            "× CPU until all is looked over": until_looked_over,
            "× CPU the first time": float(ratios[0, 1]),
        }
        return {"figures": figures, "boards": (alone, together)}

    return Job(run, _same_ranks, _figures)


def send(jobs: int, messages: int, content: NDArray[np.float64] | int) -> list[int]:
    """As many tasks, one by one, that do nothing with what they are sent."""
    parallel = Parallel(n_jobs=jobs, batch_size=1)
    sizes: list[int] = parallel(delayed(np.size)(content) for _ in range(messages))
    require(sizes == [np.size(content)] * messages, "an answer to every message")
    return sizes


def _children_mb() -> float:
    import psutil

    children = psutil.Process().children(recursive=True)
    return float(sum(child.memory_info().rss for child in children) / 1e6)


_KINDS: tuple[Row, ...] = tuple(
    Once(
        backend,
        what,
        overheads,
        {"backend": backend, "messages": 500} | {"models": 100, "items": 500, "tasks": 8},
        {"backend": backend, "messages": 4, "models": 4, "items": 20, "tasks": 4},
        {},
        needs=needs,
    )
    for backend, what, needs in (
        ("threading", "threads (`threading`)", ("psutil",)),
        ("loky", "processes (`loky`)", ("psutil",)),
        ("dask", "processes of Dask on this machine (`dask`)", ("psutil", "distributed")),
    )
)

ROWS: tuple[Row, ...] = (
    *_KINDS,
    *(
        Once(
            name,
            "10,000,000 rows in a folder of Parquet per task, by reference on workers of Dask that "
            "run already, beside the plain run; CPU time of all processes",
            by_reference,
            {"models": models, "items": items, "tasks": 20},
            {"models": 4, "items": 20, "tasks": 4},
            {"× CPU of the plain run": 1.3},
            needs=("psutil", "distributed"),
        )
        for name, models, items in (
            ("dask_by_reference", 100, 5000),
            ("dask_of_many_models", 500, 1000),
        )
    ),
)

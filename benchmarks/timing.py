"""The protocol: one fresh process per row, one thread, CPU time, answers first, sides in turn.

``python -m benchmarks.timing ROW WHAT`` measures one thing of one row and prints it as JSON;
`measure_apart` starts it. Threads are set before numpy is loaded, which is why this needs a process
of its own.
"""

from __future__ import annotations

import gc
import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.rows import Once, Ratio, Sides, find_row

__all__ = ["ONE_THREAD", "MeasurementError", "measure_apart"]

ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
} | {"VECLIB_MAXIMUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}

SHORTEST = 0.05
"""Seconds that one round of one side takes at least: as many calls as that needs."""

ROUNDS, SLOW_ROUNDS, MORE_ROUNDS = 5, 2, 15

_ROOT = Path(__file__).resolve().parent.parent
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_KILOBYTES_PER_MB = 1e3


class MeasurementError(Exception):
    """A row could not be measured: its process failed, for example because answers differ."""


def measure_apart(row: str, what: str, peers: Path | None = None) -> dict[str, Any]:
    """What a fresh process finds.

    Parameters
    ----------
    row : str
        ``topic.name``.
    what : {"time", "ours", "peer"}
        Times (and answers); or the memory of one side.
    peers : Path, optional
        Folder of packages for peers, looked at last.

    Raises
    ------
    MeasurementError
        If the process fails; it has said why.
    """
    paths = [str(_ROOT), os.environ.get("PYTHONPATH", ""), str(peers) if peers else ""]
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "benchmarks.timing", row, what]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise MeasurementError(f"{row} could not be measured ({what}).")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Measure one thing of one row."""
    path, what = sys.argv[1:]
    row = find_row(path)
    if isinstance(row, Once):
        found = time_once(row)
    elif what == "time":
        found = time_ratio(row)
    else:
        tiny = row.prepare(**row.tiny)
        tiny.agree(tiny.ours(), tiny.peer())  # loads what is loaded once
        found = {"mb": weigh_side(row.prepare(**row.sizes), what)}
    print(json.dumps(found))


def time_ratio(row: Ratio) -> dict[str, Any]:
    """CPU seconds per call of both sides; once more with more rounds if the demand is missed."""
    sides = row.prepare(**row.sizes)
    with without_collector():
        sides.agree(sides.ours(), sides.peer())
        times = time_in_turn(sides, SLOW_ROUNDS if row.slow else ROUNDS)
        if row.at_least is not None and times["peer"] / times["ours"] < row.at_least:
            again = time_in_turn(sides, MORE_ROUNDS)
            times = max(times, again, key=lambda found: found["peer"] / found["ours"])
    return times | {"load": os.getloadavg()[0]}


def time_in_turn(sides: Sides, rounds: int) -> dict[str, Any]:
    """Smallest CPU seconds per call of each side over the rounds."""
    calls = [_enough_calls(side) for side in (sides.ours, sides.peer)]
    fastest = [math.inf, math.inf]
    for _ in range(rounds):
        for i, side in enumerate((sides.ours, sides.peer)):
            fastest[i] = min(fastest[i], _cpu_seconds(side, calls[i]) / calls[i])
    return {"ours": fastest[0], "peer": fastest[1], "rounds": rounds}


def time_once(row: Once) -> dict[str, Any]:
    """CPU and wall seconds of one run, and the peak memory of the whole process."""
    found = {"cpu_s": math.inf, "wall_s": math.inf}
    job = row.prepare(**row.sizes)
    for _ in range(row.repeats):
        wall, cpu = time.perf_counter(), _cpu_with_children()
        answer = job.run()
        found["cpu_s"] = min(found["cpu_s"], _cpu_with_children() - cpu)
        found["wall_s"] = min(found["wall_s"], time.perf_counter() - wall)
        job.check(answer)
        del answer
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _maxrss_per_mb()
    return found | {"peak_mb": max(_peak_mb(), children), "load": os.getloadavg()[0]}


def weigh_side(sides: Sides, which: str) -> float | None:
    """Megabytes that the first call of one side takes beside its input; None where unknown."""
    if not (_STATUS.exists() and _CLEAR.exists()):
        return None
    side = sides.ours if which == "ours" else sides.peer
    with without_collector():
        _CLEAR.write_text("5", encoding="ascii")  # forget the peak so far
        before = _status_mb("VmRSS")
        answer = side()
        peak = _status_mb("VmHWM")
    del answer
    return max(peak - before, 0.0)


@contextmanager
def without_collector() -> Iterator[None]:
    """Let explicit calls of ``gc.collect`` do nothing.

    statsmodels makes one per correction, which would flatter whatever is compared with it.
    """
    collect = gc.collect
    gc.collect = lambda generation=2: 0
    try:
        yield
    finally:
        gc.collect = collect


def _enough_calls(side: Callable[[], Any]) -> int:
    seconds = _cpu_seconds(side, 1)
    return max(1, math.ceil(SHORTEST / max(seconds, 1e-6)))


def _cpu_seconds(side: Callable[[], Any], calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        side()
    return time.process_time() - start


def _cpu_with_children() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _peak_mb() -> float:
    # What getrusage reports reaches back to the process that started this one.
    if _STATUS.exists():
        return _status_mb("VmHWM")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _maxrss_per_mb()


def _maxrss_per_mb() -> float:
    return 1e6 if sys.platform == "darwin" else _KILOBYTES_PER_MB


def _status_mb(key: str) -> float:
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return int(value.split()[0]) * 1024 / 1e6
    raise KeyError(key)


if __name__ == "__main__":
    main()

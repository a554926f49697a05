"""The protocol: one fresh process per row, one thread, CPU time, answers first, in turn.

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
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.rows import Growth, Job, Once, Ratio, find_row

__all__ = ["ONE_THREAD", "MeasurementError", "fit_exponent", "measure_apart"]

ONE_THREAD = {
    f"{library}_NUM_THREADS": "1" for library in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
} | {"VECLIB_MAXIMUM_THREADS": "1", "POLARS_MAX_THREADS": "1"}

SHORTEST = 0.05
"""Seconds that one round of one side takes at least: as many calls as that needs."""

ROUNDS, SLOW_ROUNDS = 5, 2
MORE = 3
"""Times as many rounds where a demand was missed."""

_ROOT = Path(__file__).resolve().parent.parent
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")
_KILOBYTES_PER_MB = 1e3


class MeasurementError(Exception):
    """A row could not be measured: its process failed, for example because answers differ."""


def measure_apart(row: str, what: str, first: Sequence[str] = ()) -> dict[str, Any]:
    """What a fresh process finds.

    Parameters
    ----------
    row : str
        ``topic.name``.
    what : {"time", "ours", "peer"}
        Times (and answers); or the memory of one side.
    first : sequence of str, optional
        Folders that are looked at first for packages.

    Raises
    ------
    MeasurementError
        If the process fails; it has said why.
    """
    paths = [str(_ROOT), *first, os.environ.get("PYTHONPATH", "")]
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
    elif isinstance(row, Growth):
        found = time_growth(row) if what == "time" else {"mb": weigh_largest(row)}
    elif what == "time":
        found = time_ratio(row)
    else:
        tiny = row.prepare(**row.tiny)
        tiny.agree(tiny.ours(), tiny.peer())  # loads what is loaded once
        sides = row.prepare(**row.sizes)
        found = {"mb": weigh(sides.ours if what == "ours" else sides.peer)}
    print(json.dumps(found))


def time_ratio(row: Ratio) -> dict[str, Any]:
    """CPU seconds per call of both sides; once more with more rounds if the demand is missed."""
    sides = row.prepare(**row.sizes)
    both = (sides.ours, sides.peer)
    with without_collector():
        sides.agree(sides.ours(), sides.peer())
        rounds = SLOW_ROUNDS if row.slow else ROUNDS
        times = time_in_turn(both, rounds)
        if row.at_least is not None and times[1] / times[0] < row.at_least:
            again = time_in_turn(both, MORE * rounds)
            times = max(times, again, key=lambda seconds: seconds[1] / seconds[0])
    return {"ours": times[0], "peer": times[1], "load": os.getloadavg()[0]}


def time_growth(row: Growth) -> dict[str, Any]:
    """CPU seconds of every size; once more with more rounds if the exponent is too large."""
    jobs = _jobs_of(row)
    for job in jobs:
        job.check(job.run())
    runs = [job.run for job in jobs]
    seconds = time_in_turn(runs, ROUNDS)
    exponent, error = fit_exponent(row.values, seconds)
    if row.at_most is not None and exponent > row.at_most:
        again = time_in_turn(runs, MORE * ROUNDS)
        seconds = [min(pair) for pair in zip(seconds, again, strict=True)]
        exponent, error = fit_exponent(row.values, seconds)
    found: dict[str, Any] = {"seconds": seconds, "exponent": exponent, "error": error}
    return found | {"load": os.getloadavg()[0]}


def fit_exponent(sizes: Sequence[float], seconds: Sequence[float]) -> tuple[float, float]:
    """Slope of a least-squares line through the logarithms, and its standard error.

    Three points or more. The error is that of the residuals: it tells how well a power of the size
    describes the times, not how much the slope moves from run to run.
    """
    x, y = [math.log(size) for size in sizes], [math.log(time) for time in seconds]
    middle, level = sum(x) / len(x), sum(y) / len(y)
    spread = sum((one - middle) ** 2 for one in x)
    slope = sum((one - middle) * other for one, other in zip(x, y, strict=True)) / spread
    residuals = [other - level - slope * (one - middle) for one, other in zip(x, y, strict=True)]
    variance = sum(one**2 for one in residuals) / (len(x) - 2)
    return slope, math.sqrt(variance / spread)


def time_in_turn(runs: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """Smallest CPU seconds per call of each over the rounds."""
    fastest = [_cpu_seconds(run, 1) for run in runs]
    calls = [max(1, math.ceil(SHORTEST / max(seconds, 1e-6))) for seconds in fastest]
    # What takes longer than a round has had its first one; others were called too briefly.
    fastest = [seconds if n == 1 else math.inf for n, seconds in zip(calls, fastest, strict=True)]
    for turn in range(rounds):
        for i, run in enumerate(runs):
            if turn or calls[i] > 1:
                fastest[i] = min(fastest[i], _cpu_seconds(run, calls[i]) / calls[i])
    return fastest


def time_once(row: Once) -> dict[str, Any]:
    """CPU and wall seconds of one run, and the peak memory of the whole process."""
    found: dict[str, Any] = {"cpu_s": math.inf, "wall_s": math.inf}
    job = row.prepare(**row.sizes)
    _forget_peak()
    for _ in range(row.repeats):
        wall, cpu = time.perf_counter(), _cpu_with_children()
        answer = job.run()
        found["cpu_s"] = min(found["cpu_s"], _cpu_with_children() - cpu)
        found["wall_s"] = min(found["wall_s"], time.perf_counter() - wall)
        job.check(answer)
        figures = dict(job.figures(answer)) if job.figures else {}
        found |= {name: min(found.get(name, math.inf), figures[name]) for name in figures}
        del answer
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _maxrss_per_mb()
    return found | {"peak_mb": max(_peak_mb(), children), "load": os.getloadavg()[0]}


def weigh_largest(row: Growth) -> float | None:
    """Megabytes of the largest size, beside its input."""
    tiny = row.prepare(**row.tiny)
    tiny.check(tiny.run())  # loads what is loaded once
    return weigh(row.prepare(**row.sizes, **{row.along: row.values[-1]}).run)


def weigh(side: Callable[[], Any]) -> float | None:
    """Megabytes that a first call takes beside what is there; None where unknown."""
    with without_collector():
        if not _forget_peak():
            return None
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


def _jobs_of(row: Growth) -> list[Job]:
    return [row.prepare(**row.sizes, **{row.along: value}) for value in row.values]


def _cpu_seconds(side: Callable[[], Any], calls: int) -> float:
    start = time.process_time()
    for _ in range(calls):
        side()
    return time.process_time() - start


def _cpu_with_children() -> float:
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


def _forget_peak() -> bool:
    """Start the peak anew; False where the system cannot."""
    if not (_STATUS.exists() and _CLEAR.exists()):
        return False
    _CLEAR.write_text("5", encoding="ascii")
    return True


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

"""Measure rows, and write the page."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.page import Machine, Measured, describe, render_page
from benchmarks.rows import TOPICS, Ratio, find_row, missing_peers, rows_of
from benchmarks.timing import ONE_THREAD, MeasurementError, measure_apart


def main() -> int:
    """Measure; 1 if a row failed or missed what is demanded. Failures leave the page alone."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="NAME", help="topics or rows; all by default")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    parser.add_argument("--peers", type=Path, metavar="DIR", help="packages for peers")
    parser.add_argument("-o", "--output", type=Path, metavar="PAGE", help="write the page")
    chosen = parser.parse_args()
    if chosen.output and chosen.rows:
        parser.error("The page holds every row: give -o without names.")
    # This process measures the rate of a matrix product, on one thread like all others.
    os.environ.update(ONE_THREAD)
    if chosen.peers:
        sys.path.append(str(chosen.peers))
    wanted = _paths(chosen.rows)
    if chosen.list:
        print(*wanted, sep="\n")
        return 0
    topics: dict[str, list[Measured]] = {}
    failed = []
    for path in wanted:
        try:
            measured = measure(path, chosen.peers)
        except MeasurementError as error:
            failed.append(path)
            print(error, flush=True)
            continue
        print(f"{path}: {describe(measured)}", flush=True)
        topics.setdefault(_title(path), []).append(measured)
    if failed:
        print(f"Failed: {', '.join(failed)}.")
        return 1
    if chosen.output:
        chosen.output.write_text(render_page(topics, _machine()), encoding="utf-8")
        print(f"Wrote {chosen.output}")
    missed = sum(one.met is False for rows in topics.values() for one in rows)
    print(f"{missed} demands were missed." if missed else "Nothing that is demanded was missed.")
    return int(missed > 0)


def measure(path: str, peers: Path | None) -> Measured:
    """Times and memory of one row."""
    row = find_row(path)
    missing = missing_peers(row)
    if missing:
        return Measured(row, missing=missing)
    if isinstance(row, Ratio):
        found = measure_apart(path, "time", peers)
        memory = {f"{who}_mb": measure_apart(path, who, peers)["mb"] for who in ("ours", "peer")}
        return Measured(row, found | memory)
    first = Measured(row, measure_apart(path, "time", peers))
    if first.met:
        return first
    again = measure_apart(path, "time", peers)
    keys = ("cpu_s", "wall_s", "peak_mb")
    better: dict[str, Any] = {key: min(first.found[key], again[key]) for key in keys}
    return Measured(row, again | better)


def _paths(names: list[str]) -> list[str]:
    """Rows named by themselves or by their topic."""
    every = [f"{topic}.{row.name}" for topic in TOPICS for row in rows_of(topic)]
    if not names:
        return every
    unknown = [name for name in names if name not in TOPICS and name not in every]
    if unknown:
        sys.exit(f"There is no topic or row called {unknown[0]!r}. See --list.")
    return [path for path in every if path in names or path.partition(".")[0] in names]


def _title(path: str) -> str:
    title: str = import_module(f"benchmarks.{path.partition('.')[0]}").TITLE
    return title


def _machine() -> Machine:
    from benchmarks.machine import describe_processor, find_versions, measure_dgemm

    today = dt.datetime.now(dt.UTC).date().isoformat()
    return Machine(today, describe_processor(), measure_dgemm(), find_versions())


if __name__ == "__main__":
    sys.exit(main())

"""Measure rows, and write the pages."""

from __future__ import annotations

import argparse
import datetime as dt
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measured import Machine, Measured, keep_measured, load_measured, measure
from benchmarks.page import fill_parts, render_page
from benchmarks.rows import TOPICS, all_paths
from benchmarks.timing import ONE_THREAD, MeasurementError
from benchmarks.words import describe

PICTURE = "images/performance.svg"


def main() -> int:
    """Measure; 1 if a row failed or missed what is demanded. Failures leave the pages alone."""
    chosen = _options()
    if chosen.list:
        print(*_paths(chosen.rows), sep="\n")
        return 0
    if chosen.kept:
        write_pages(*load_measured(chosen.kept), chosen.output)
        return 0
    # This process measures the rate of a matrix product, on one thread like all others.
    os.environ.update(ONE_THREAD)
    every, failed = [], []
    for path in _paths(chosen.rows):
        try:
            every.append(measure(path, chosen.peers))
        except MeasurementError as error:
            failed.append(path)
            print(error, flush=True)
        else:
            print(f"{path}: {describe(every[-1])}", flush=True)
    machine = _machine(chosen.peers)
    if chosen.keep:
        others = kept_before(chosen.keep, machine) if chosen.rows else []
        again = {one.path for one in every}
        keep_measured(
            [*every, *(one for one in others if one.path not in again)], machine, chosen.keep
        )
    if failed:
        print(f"Failed: {', '.join(failed)}.")
        return 1
    if chosen.output:
        write_pages(every, machine, chosen.output)
    missed = [one.path for one in every if one.met is False]
    print(f"Missed: {', '.join(missed)}." if missed else "Nothing that is demanded was missed.")
    return int(bool(missed))


def kept_before(file: Path, machine: Machine) -> list[Measured]:
    """What is kept already, so that rows can be measured again; from this day and machine only."""
    if not file.exists():
        return []
    others, then = load_measured(file)
    if (then.date, then.processor) != (machine.date, machine.processor):
        sys.exit(f"{file} is of {then.date}, {then.processor}: name another file to --keep.")
    return others


def write_pages(every: Sequence[Measured], machine: Machine, docs: Path) -> None:
    """Write the page and its picture; renew the measured parts of the page about scale.

    Raises
    ------
    SystemExit
        If a row is missing: the pages hold every row.
    """
    from benchmarks.picture import write_picture

    missing = set(all_paths()) - {one.path for one in every}
    if missing:
        raise SystemExit(f"The pages hold every row; not measured: {', '.join(sorted(missing))}.")
    write_picture(every, docs / PICTURE)
    (docs / "performance.md").write_text(render_page(every, machine, PICTURE), encoding="utf-8")
    scale = docs / "scale.md"
    scale.write_text(fill_parts(scale.read_text("utf-8"), every, machine), encoding="utf-8")
    print(f"Wrote performance.md, its picture and the tables of scale.md in {docs}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="NAME", help="topics or rows; all by default")
    parser.add_argument("--list", action="store_true", help="name the rows and stop")
    parser.add_argument("--peers", type=Path, metavar="DIR", help="environments of the peers")
    parser.add_argument(
        "--keep", type=Path, metavar="FILE", help="write numbers as JSON; rows named are renewed"
    )
    parser.add_argument("--kept", type=Path, metavar="FILE", help="take numbers; measure nothing")
    parser.add_argument("-o", "--output", type=Path, metavar="DOCS", help="write the pages there")
    chosen = parser.parse_args()
    if chosen.output and chosen.rows:
        parser.error("The pages hold every row: give -o without names.")
    if chosen.kept and not chosen.output:
        parser.error("--kept needs -o: where the pages go.")
    return chosen


def _paths(names: list[str]) -> list[str]:
    """Rows named by themselves or by their topic."""
    every = all_paths()
    if not names:
        return every
    unknown = [name for name in names if name not in TOPICS and name not in every]
    if unknown:
        sys.exit(f"There is no topic or row called {unknown[0]!r}. See --list.")
    return [path for path in every if path in names or path.partition(".")[0] in names]


def _machine(peers: Path | None) -> Machine:
    from benchmarks.machine import describe_processor, find_versions, measure_dgemm

    today = dt.datetime.now(dt.UTC).date().isoformat()
    return Machine(today, describe_processor(), measure_dgemm(), find_versions(peers))


if __name__ == "__main__":
    sys.exit(main())

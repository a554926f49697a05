"""What was found, kept in a file so that the page can be made again without measuring."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.environments import missing_for, search_path
from benchmarks.rows import Growth, Once, Ratio, Row, find_row
from benchmarks.timing import measure_apart

__all__ = ["Machine", "Measured", "keep_measured", "load_measured", "measure"]


@dataclass(frozen=True)
class Machine:
    """Where and when."""

    date: str
    processor: str
    dgemm: float
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Measured:
    """One row and what was found.

    Parameters
    ----------
    path : str
        ``topic.name``.
    row : Ratio, Once or Growth
        The row.
    found : mapping from str to number
        What was measured; empty where it could not be.
    missing : tuple of str
        Packages or programs that were not there.
    """

    path: str
    row: Row
    found: Mapping[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    @property
    def ratio(self) -> float:
        """Time of the peer over ours."""
        return float(self.found["peer"] / self.found["ours"])

    @property
    def met(self) -> bool | None:
        """Whether what is demanded was reached; None where nothing is demanded or measured."""
        if not self.found:
            return None
        match self.row:
            case Once(limits=limits):
                kept = [self.found[key] <= limit for key, limit in limits.items()]
            case Growth(at_most=most):
                kept = [] if most is None else [self.found["exponent"] <= most]
            case Ratio(at_least=least, memory_at_most=most):
                kept = [] if least is None else [self.ratio >= least]
                if most is not None and None not in (self.found["ours_mb"], self.found["peer_mb"]):
                    kept.append(self.found["ours_mb"] <= most * self.found["peer_mb"])
        return all(kept) if kept else None


def measure(path: str, peers: Path | None) -> Measured:
    """Times and memory of one row, and how many seconds it took to find them."""
    start, row = perf_counter(), find_row(path)
    missing = missing_for(row, peers)
    if missing:
        return Measured(path, row, missing=missing)
    first = search_path(row, peers)
    found = measure_apart(path, "time", first)
    if isinstance(row, Ratio):
        # No clock is looked at: both sides at once.
        with ThreadPoolExecutor(2) as pool:
            both = pool.map(lambda who: measure_apart(path, who, first)["mb"], ("ours", "peer"))
            found["ours_mb"], found["peer_mb"] = both
    elif isinstance(row, Growth):
        found |= measure_apart(path, "ours")
    elif Measured(path, row, found).met is False:
        again = measure_apart(path, "time")
        found = again | {key: min(found[key], again[key]) for key in found}
    return Measured(path, row, found | {"took_s": perf_counter() - start})


def keep_measured(measured: Sequence[Measured], machine: Machine, file: Path) -> None:
    """Write everything as JSON."""
    rows = {one.path: {"found": one.found, "missing": one.missing} for one in measured}
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"machine": asdict(machine), "rows": rows}, indent=1)
    file.write_text(text + "\n", encoding="utf-8")


def load_measured(file: Path) -> tuple[list[Measured], Machine]:
    """What `keep_measured` wrote; rows that are gone are left out."""
    from benchmarks.rows import all_paths

    kept = json.loads(file.read_text(encoding="utf-8"))
    rows = kept["rows"]
    measured = [
        Measured(path, find_row(path), rows[path]["found"], tuple(rows[path]["missing"]))
        for path in all_paths()
        if path in rows
    ]
    return measured, Machine(**kept["machine"])

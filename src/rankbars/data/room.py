"""How much memory tasks may take, and where they are kept while they are not looked at."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from rankbars.errors import DataError, OptionError

__all__ = ["Room", "parse_size"]

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
         "KI": 1 << 10, "MI": 1 << 20, "GI": 1 << 30, "TI": 1 << 40}  # fmt: skip

# What Python, its packages, the engine and a block of rows take.
RESERVE = 550_000_000

# Bytes of a cell while scores are read: the score, and whether it was seen.
CELL = 9

# Copies of the scores of a task, and tables of all pairs, while the task is compared.
COPIES, TABLES = 4, 12


def parse_size(text: str | int, what: str = "limit of the memory") -> int:
    """Bytes, from a number with or without a unit; `what` it is the size of, for messages.

    Raises
    ------
    OptionError
        If it is no size.

    Examples
    --------
    >>> parse_size("1.5GB"), parse_size("512 MiB"), parse_size(1000)
    (1500000000, 536870912, 1000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", str(text).upper())
    size = int(float(found[1]) * UNITS[found[2]]) if found and found[2] in UNITS else 0
    if size <= 0:
        raise OptionError.out_of_range(what, text, "a size such as 500MB, 2GB or 1.5GiB")
    return size


@dataclass(frozen=True, slots=True)
class Room:
    """How much memory tasks may take.

    Parameters
    ----------
    limit : int, optional
        Bytes that the whole process should not exceed; None sets no limit, and all tasks are held
        in memory.
    by_reference : bool
        Whether tasks are read from their source each time they are looked at.
    jobs : int
        Workers that look them over, as joblib counts them.
    """

    limit: int | None = None
    by_reference: bool = False
    jobs: int = 1

    @property
    def engine_bytes(self) -> int | None:
        """What the engine that scans files may take of it."""
        return None if self.limit is None else max(self.limit // 8, 100_000_000)

    def holds(self, rows: Sequence[int], models: int) -> bool:
        """Whether all tasks, of which the numbers of rows are given, are held at once."""
        if self.limit is None:
            return True
        work = max(_work(n, models) for n in rows)
        return RESERVE + CELL * sum(rows) * models + work <= self.limit

    def group(self, rows: Sequence[int], models: int) -> list[range]:
        """Tasks that are read at once, one group after the other.

        Raises
        ------
        DataError
            If a single task does not fit.
        """
        limit = self.limit
        if limit is None or self.holds(rows, models):
            return [range(len(rows))]
        least = RESERVE + max(max(_work(n, models), CELL * n * models) for n in rows)
        if least > limit:
            raise DataError(
                f"A memory limit of {_shown(limit)} is too small: the largest task has "
                f"{max(rows):,} rows and {models:,} models, and one task must fit. The smallest "
                f"limit that works is {_shown(least)}."
            )
        room = (limit - RESERVE) // (CELL * models)
        groups, start = [], 0
        ends = list(accumulate(rows))
        for stop in range(1, len(rows) + 1):
            before = ends[start - 1] if start else 0
            if stop == len(rows) or ends[stop] - before > room:
                groups.append(range(start, stop))
                start = stop
        return groups


def _work(rows: int, models: int) -> int:
    return 8 * (COPIES * rows * models + TABLES * models * models)


def _shown(size: int) -> str:
    """A size, rounded up."""
    if size < 10**3:
        return f"{size} bytes"
    unit, bytes_of = ("MB", 10**6) if size > 10**7 else ("kB", 10**3)
    return f"{-(-size // bytes_of)}{unit}"

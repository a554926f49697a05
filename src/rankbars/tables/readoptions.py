"""What callers say of the results they hand over, and how much memory tasks may take.

Tasks beyond that lie in files while they are not looked at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from rankbars.errors import DataError, OptionError, UnknownOptionError, one_of
from rankbars.tables.columns import ROLES
from rankbars.tables.votes.votecolumns import VOTE_LAYOUTS, VOTE_ROLES

if TYPE_CHECKING:
    from rankbars.tables.database import Engine
    from rankbars.tables.decorated import CellMeaning

__all__ = ["LAYOUTS", "PERIODS", "ROWS", "SHARED_TASK", "ReadOptions", "Room", "parse_size"]

SHARED_TASK = "all"  # the task of files that name none

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


class Room(NamedTuple):
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


Rows: TypeAlias = Literal["items", "folds", "runs", "prompts"]
Side: TypeAlias = Literal["higher", "lower"]
SelfVotes: TypeAlias = Literal["raise", "drop"]
Reruns: TypeAlias = Literal["newest", "all"]

ROWS: tuple[Rows, ...] = ("items", "folds", "runs", "prompts")
LAYOUTS = (
    "tidy", "items-by-models", "models-by-items", "tasks-by-models", "models-by-tasks",
    "tasks-by-folds", "items-by-trials",
)  # fmt: skip
DECIMALS = (".", ",")
DIRECTIONS: tuple[Side, ...] = ("higher", "lower")
PERIODS = ("day", "week", "month")
RERUNS: tuple[Reruns, ...] = ("newest", "all")
SELF_VOTES: tuple[SelfVotes, ...] = ("raise", "drop")

# How messages call them.
_SPREADS = ("std", "sd", "stdev")
_ROWS, _SELF_VOTES = "kind of rows", "treatment of votes of a model against itself"
_RERUNS = "choice of reruns"


def _new_engine() -> Engine:
    from rankbars.tables.database import Engine  # which loads more than a name of an option needs

    return Engine()


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """What the caller declares of results; everything not declared is read from the files.

    `rankbars.tables.givenoptions.options_of` also takes the spellings of the command line.

    Parameters
    ----------
    columns : mapping from str to str
        Column by role; an empty name switches the role off.
    direction : mapping from str to {"higher", "lower"}
        Which side is better, by task or metric; the key ``""`` holds for all others.
    rows : {"items", "folds", "runs", "prompts"}, optional
        What a row of a task is.
    folds : int, optional
        Folds per repeat, at least 2.
    test_share : float, optional
        Share of the data held out in each fold, in (0, 1).
    metric : str, optional
        The metric to use.
    layout : str, optional
        How to read the table: one of `LAYOUTS`.
    minimum, maximum : float, optional
        Declared limits of every score, in the units of the table.
    controls : tuple of str
        Tables of votes: what strengths are to be adjusted for, ``"position"`` or columns.
    self_votes : {"raise", "drop"}
        Tables of votes: what to do with votes of a model against itself.
    cells : CellMeaning, optional
        What stands behind the values in cells such as ``71.3 ± 1.2``.
    decimal : {".", ","}, optional
        What separates the fraction of a number in text; None: a comma between semicolons only.
    sheets : tuple of str
        Sheets of a workbook that are read, by name or pattern.
    words : mapping from str to float
        What words in cells of scores are worth, NaN for no score; see `rankbars.tables.words`.
    reruns : {"newest", "all"}, optional
        What counts of several runs of one model. Of logs the newest, if nothing is said; rows of
        a table that stand twice are an error then.
    metrics : tuple of str
        All metrics to use: columns of a matrix; of a log, each task shows the first that it has.
    models : tuple of str
        The only models whose runs count, by the names that they have among all runs.
    where : tuple of str
        Conditions on columns, which must hold on a row that counts; see
        `rankbars.tables.conditions`.
    within : tuple of str
        Tables of votes: columns that sort votes into categories, which may overlap.
    over_time : str
        Tables of votes: periods whose strengths are compared, ``"day"``, ``"week"``, ``"month"``,
        or the date on which the second of two begins.
    failed : bool
        Whether a trial without a score counts as the worst one, where its item has others.
    room : Room
        How much memory tasks may take; it changes no result.
    filters : tuple of str
        Variants to use: an answer filter, a number of shots.
    compare_anyway : bool
        Compare runs although they were not given the same task.
    beside : bool
        Whether the files hold one side of a comparison: a task that they do not name is the same
        as that of the other side, so it is not called after a file.
    download_limit : int, optional
        Bytes that are copied of a URL at most.
    other_hosts : bool
        Whether a URL may lead to a host that it does not name.
    side : str
        Name of the model whose results all files hold, where they do not say it.
    map : mapping from str to str
        Paths in JSON of a tool that is not known, by role; see `rankbars.readers.mapped`.
    trials : {"fixed", ""}
        ``"fixed"``: each item was tried a number of times that did not depend on the answers.
    arena_per_file : bool
        Whether each file of votes is an arena of its own, where no column names tasks.
    by_call : bool
        Whether answers are wanted one by one, as by a race: items are called as their tool is asked
        for them, none is left out because other models lack it, and all runs of a model count.
    engine : Engine
        Scans tables while they are read; readers alone need it.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    direction: Mapping[str, Side] = field(default_factory=dict)
    rows: Rows | None = None
    folds: int | None = None
    test_share: float | None = None
    metric: str | None = None
    layout: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    controls: tuple[str, ...] = ()
    self_votes: SelfVotes = "raise"
    cells: CellMeaning | None = None
    decimal: str | None = None
    sheets: tuple[str, ...] = ()
    words: Mapping[str, float] = field(default_factory=dict)
    reruns: Reruns | None = None
    metrics: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    over_time: str = ""
    failed: bool = False
    room: Room = field(default=Room(), compare=False, repr=False)
    filters: tuple[str, ...] = ()
    compare_anyway: bool = False
    beside: bool = False
    download_limit: int | None = field(default=None, compare=False)
    other_hosts: bool = field(default=False, compare=False)
    side: str = ""
    map: Mapping[str, str] = field(default_factory=dict)
    trials: str = ""
    arena_per_file: bool = False
    by_call: bool = False
    engine: Engine = field(default_factory=_new_engine, compare=False, repr=False)

    def __post_init__(self) -> None:
        for role in self.columns:
            if role in _SPREADS:
                raise UnknownOptionError(
                    f"There is no column role {role!r}. Beside a mean and a count (mean, std, "
                    "count) a standard deviation counts by its name: leave it out. Elsewhere give "
                    "standard errors: se."
                )
            one_of("column role", role, tuple(dict.fromkeys((*ROLES, *VOTE_ROLES))))
        for side in self.direction.values():
            one_of("direction", side, DIRECTIONS)
        if self.rows is not None:
            one_of(_ROWS, self.rows, ROWS)
        if self.layout is not None:
            one_of("layout", self.layout, (*LAYOUTS, *VOTE_LAYOUTS))
        if self.decimal is not None:
            one_of("decimal mark", self.decimal, DECIMALS)
        if self.reruns is not None:
            one_of(_RERUNS, self.reruns, RERUNS)
        one_of(_SELF_VOTES, self.self_votes, SELF_VOTES)
        self._check_folds()
        self._check_limits()
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))
        object.__setattr__(self, "direction", MappingProxyType(dict(self.direction)))

    def task_after(self, file: str) -> str:
        """What a task is called that only its `file` can name; the two sides of one share it.

        Examples
        --------
        >>> ReadOptions().task_after("cand"), ReadOptions(beside=True).task_after("cand")
        ('cand', 'all')
        """
        return SHARED_TASK if self.beside else file

    def _check_folds(self) -> None:
        folds, share = self.folds, self.test_share
        if folds is not None and (isinstance(folds, bool) or int(folds) != folds or folds < 2):
            raise OptionError.out_of_range("folds", folds, "a whole number, at least 2 per repeat")
        if share is not None and not 0.0 < share < 1.0:
            raise OptionError.out_of_range("test_share", share, "between 0 and 1")
        for name, value in (("folds", folds), ("test_share", share)):
            if value is not None and self.rows in ("items", "runs", "prompts"):
                raise OptionError(
                    f"{name} describes folds of cross-validation, but rows={self.rows!r} says "
                    f"that rows are {self.rows}. Leave one of them out."
                )

    def _check_limits(self) -> None:
        low, high = self.minimum, self.maximum
        for name, value in (("minimum", low), ("maximum", high)):
            if value is not None and not math.isfinite(value):
                raise OptionError.out_of_range(f"{name} of the scores", value, "finite")
        if low is not None and high is not None and not low < high:
            raise OptionError(
                f"The minimum of the scores must lie below the maximum; got {low!r} and {high!r}."
            )

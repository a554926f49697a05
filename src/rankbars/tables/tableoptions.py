"""Options for reading tables of results, and how much memory tasks may take.

Tasks beyond that lie in files while they are not looked at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import accumulate
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from rankbars.errors import DataError, OptionError, one_of
from rankbars.tables.columns import ROLES
from rankbars.tables.votecolumns import VOTE_LAYOUTS, VOTE_ROLES

__all__ = ["LAYOUTS", "PERIODS", "ROWS", "CellMeaning", "Room", "TableOptions", "parse_size"]

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


Rows: TypeAlias = Literal["items", "folds", "runs", "prompts"]
Side: TypeAlias = Literal["higher", "lower"]
SelfVotes: TypeAlias = Literal["raise", "drop"]
Reruns: TypeAlias = Literal["newest", "all"]

ROWS: tuple[Rows, ...] = ("items", "folds", "runs", "prompts")
LAYOUTS = (
    "tidy", "items-by-models", "models-by-items", "tasks-by-models", "models-by-tasks",
    "tasks-by-folds",
)  # fmt: skip
DECIMALS = (".", ",")
DIRECTIONS: tuple[Side, ...] = ("higher", "lower")
PERIODS = ("day", "week", "month")
RERUNS: tuple[Reruns, ...] = ("newest", "all")
SELF_VOTES: tuple[SelfVotes, ...] = ("raise", "drop")

# How messages call them.
_ROWS, _SELF_VOTES = "kind of rows", "treatment of votes of a model against itself"
_RERUNS, _FAILED = "choice of reruns", "score of failed trials"


class CellMeaning(NamedTuple):
    """What stands behind a value.

    Parameters
    ----------
    kind : {"se", "ci", "value"}
        A standard error; an interval, or half of it; something that is left aside.
    level : float
        Level of the interval, in (0, 1).
    """

    kind: str
    level: float = 0.95

    @property
    def words(self) -> str:
        """For messages."""
        if self.kind == "se":
            return "a standard error"
        if self.kind == "value":
            return "left aside"
        return f"an interval at {100 * self.level:g} %, or half of one"


def _parse_meaning(text: str) -> CellMeaning:
    """The meaning that the caller gives to what stands behind values.

    Parameters
    ----------
    text : str
        ``"se"``, ``"ci95"`` (or another level), ``"value"``; also as ``"value ± se"``.

    Raises
    ------
    OptionError
        If it is none of these.

    Examples
    --------
    >>> _parse_meaning("se").kind, _parse_meaning("value ± ci90").level
    ('se', 0.9)
    """
    plain = re.sub(r"±|\+/-|\+-|[\s()]", "", text.casefold())
    plain = plain.removeprefix("value") or plain
    level = re.fullmatch(r"ci(\d{2}(?:\.\d+)?)", plain)
    if level is not None and 50.0 <= float(level[1]) < 100.0:
        return CellMeaning("ci", float(level[1]) / 100.0)
    if plain in ("se", "value"):
        return CellMeaning(plain)
    raise OptionError(
        f"cells must be se (a standard error stands behind the value), ci95 (an interval or half "
        f"of one, at any level such as ci90) or value (leave it aside); got {text!r}."
    )


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What the caller declares about a table; everything not declared is read from its header.

    Use `TableOptions.of`, which also takes the spellings of the command line.

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
    reruns: Reruns | None = None
    metrics: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    within: tuple[str, ...] = ()
    over_time: str = ""
    failed: bool = False
    room: Room = field(default=Room(), compare=False, repr=False)

    def __post_init__(self) -> None:
        for role in self.columns:
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

    @classmethod
    def of(
        cls,
        *,
        columns: Mapping[str, str] | Sequence[str] | None = None,
        direction: str | Mapping[str, str] | Sequence[str] | None = None,
        rows: str | None = None,
        folds: int | None = None,
        test_share: float | None = None,
        metric: str | None = None,
        layout: str | None = None,
        minimum: float | None = None,
        maximum: float | None = None,
        controls: Sequence[str] = (),
        self_votes: str = "raise",
        cells: str | None = None,
        decimal: str | None = None,
        reruns: str | None = None,
        metrics: Sequence[str] = (),
        where: str | Sequence[str] = (),
        within: str | Sequence[str] = (),
        over_time: str | None = None,
        failed: str | None = None,
    ) -> TableOptions:
        """Options from what a caller or the command line gives.

        Parameters
        ----------
        columns : mapping, or sequence of ``"role=name"``, optional
            Column by role.
        direction : str, mapping, or sequence of str, optional
            ``"lower"``, ``{"rmse": "lower"}`` or ``["rmse=lower", "higher"]``.
        rows, folds, test_share, metric, layout, minimum, maximum, controls, self_votes, decimal, \
        reruns, metrics, where, within, over_time
            As in the class.
        cells : str, optional
            ``"se"``, ``"ci95"`` (or another level) or ``"value"``.
        failed : {"lowest"}, optional
            What a trial without a score counts as, where its item has others; None: nothing.

        Raises
        ------
        UnknownOptionError
            If a role, direction, kind of rows or layout is not known.
        OptionError
            If a value is out of range, or a name is declared twice in different ways.

        Examples
        --------
        >>> dict(TableOptions.of(direction="rmse=lower").direction)
        {'rmse': 'lower'}
        """
        return cls(
            columns=_columns_by_role(columns),
            direction=_direction_by_name(direction),
            rows=None if rows is None else one_of(_ROWS, rows, ROWS),
            folds=folds,
            test_share=test_share,
            metric=metric,
            layout=layout,
            minimum=minimum,
            maximum=maximum,
            controls=(controls,) if isinstance(controls, str) else tuple(controls),
            self_votes=one_of(_SELF_VOTES, self_votes, SELF_VOTES),
            cells=None if cells is None else _parse_meaning(cells),
            decimal=decimal,
            reruns=reruns if reruns is None else one_of(_RERUNS, reruns, RERUNS),
            metrics=tuple(metrics),
            where=(where,) if isinstance(where, str) else tuple(where),
            within=(within,) if isinstance(within, str) else tuple(within),
            over_time=_period(over_time),
            failed=failed is not None and bool(one_of(_FAILED, failed, ("lowest",))),
        )


def _period(given: str | None) -> str:
    """A unit of time, or a date; raises `OptionError` if it is neither."""
    if not given or given in PERIODS:
        return given or ""
    try:
        return date.fromisoformat(str(given)).isoformat()
    except ValueError:
        raise OptionError.out_of_range(
            "over_time", given, "day, week, month, or a date such as 2025-03-15"
        ) from None


def _columns_by_role(given: Mapping[str, str] | Sequence[str] | None) -> dict[str, str]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return dict(given)
    pairs = []
    for text in [given] if isinstance(given, str) else given:
        role, sign, name = text.partition("=")
        if not sign:
            raise OptionError(
                f"A column is named as ROLE=NAME, such as item=question; got {text!r}."
            )
        pairs.append((role.strip(), name))
    return _unique(pairs, "column")


def _direction_by_name(given: str | Mapping[str, str] | Sequence[str] | None) -> dict[str, Side]:
    sides = _sides_by_name(given)
    return {name: one_of("direction", side, DIRECTIONS) for name, side in sides.items()}


def _sides_by_name(given: str | Mapping[str, str] | Sequence[str] | None) -> dict[str, str]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return dict(given)
    pairs = []
    for text in [given] if isinstance(given, str) else given:
        # A task may have an equals sign in its name: the side stands after the last one.
        name, _, side = text.rpartition("=")
        pairs.append((name, side))
    return _unique(pairs, "direction")


def _unique(pairs: Sequence[tuple[str, str]], what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in pairs:
        if found.setdefault(name, value) != value:
            raise OptionError(
                f"The {what} of {name or 'all scores'!r} is declared as {found[name]!r} and as "
                f"{value!r}; give it once."
            )
    return found

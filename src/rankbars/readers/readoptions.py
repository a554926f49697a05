"""Options for reading: those of tables, those of logs, and what callers say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal, TypeAlias

from rankbars.data.room import Room, parse_size
from rankbars.errors import OptionError, one_of
from rankbars.tables.database import Engine
from rankbars.tables.tableoptions import TableOptions

__all__ = ["ReadOptions", "as_declared", "options_of"]

Reruns: TypeAlias = Literal["newest", "all"]

RERUNS: tuple[Reruns, ...] = ("newest", "all")
_RERUNS = "choice of reruns"


@dataclass(frozen=True, slots=True)
class ReadOptions(TableOptions):
    """What the caller declares about tables and logs.

    Parameters
    ----------
    metrics : tuple of str
        Metrics to use: each task shows the first of them that it has.
    filters : tuple of str
        Variants to use: an answer filter, a number of shots.
    reruns : {"newest", "all"}
        Which of several runs of one model and task count; all of them are repeats.
    compare_anyway : bool
        Compare runs although they were not given the same task.
    models : tuple of str
        The only models whose runs count, by the names that they have among all runs.
    beside : bool
        Whether the files hold one side of a comparison: a task that they do not name is the same
        as that of the other side, so it is not called after a file.
    engine : Engine
        Scans tables while they are read; readers alone need it.
    """

    metrics: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    reruns: Reruns = "newest"
    compare_anyway: bool = False
    models: tuple[str, ...] = ()
    beside: bool = False
    engine: Engine = field(default_factory=Engine, compare=False, repr=False)

    def __post_init__(self) -> None:
        TableOptions.__post_init__(self)
        one_of(_RERUNS, self.reruns, RERUNS)

    @classmethod
    def for_logs(
        cls,
        table: TableOptions,
        *,
        metrics: Sequence[str] = (),
        filters: Sequence[str] = (),
        reruns: str = "newest",
        compare_anyway: bool = False,
        models: Sequence[str] = (),
    ) -> ReadOptions:
        """Options for tables, and those for logs beside them.

        Raises
        ------
        UnknownOptionError
            If `reruns` is not known.
        """
        shared: dict[str, Any] = {one.name: getattr(table, one.name) for one in fields(table)}
        return cls(
            **shared,
            metrics=tuple(metrics),
            filters=tuple(filters),
            reruns=one_of(_RERUNS, reruns, RERUNS),
            compare_anyway=compare_anyway,
            models=tuple(models),
        )


def _named_once(names: str | Sequence[str] | None, what: str) -> tuple[str, ...]:
    """One or several names as a tuple.

    Raises
    ------
    OptionError
        If a name is empty.

    Examples
    --------
    >>> _named_once("acc", "metric"), _named_once(["acc", "f1", "acc"], "metric")
    (('acc',), ('acc', 'f1'))
    """
    given = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    if "" in given:
        raise OptionError(f"The name of a {what} is empty.")
    return tuple(dict.fromkeys(given))


def options_of(given: Mapping[str, Any]) -> ReadOptions:
    """Options by the names that `rankbars.read` has for them; those not named have their defaults.

    Raises
    ------
    OptionError
        If a value is out of range or not known.

    Examples
    --------
    >>> options_of({"metric": ["acc", "f1"], "rows": "items"}).metrics
    ('acc', 'f1')
    """
    metrics = _named_once(given.get("metric"), "metric")
    tables = TableOptions.of(
        columns=given.get("columns"),
        direction=given.get("direction"),
        rows=given.get("rows"),
        folds=given.get("folds"),
        test_share=given.get("test_share"),
        metric=metrics[0] if metrics else None,
        layout=given.get("layout"),
        minimum=given.get("minimum"),
        maximum=given.get("maximum"),
        controls=given.get("controls", ()),
        self_votes=given.get("self_votes", "raise"),
        cells=given.get("cells"),
    )
    limit = given.get("memory_limit")
    room = Room(None if limit is None else parse_size(limit), bool(given.get("by_reference")))
    tables = replace(tables, room=room)
    return ReadOptions.for_logs(
        tables,
        metrics=metrics,
        filters=_named_once(given.get("filter"), "filter"),
        reruns=given.get("reruns", "newest"),
        compare_anyway=bool(given.get("compare_anyway", False)),
        models=_named_once(given.get("models"), "model"),
    )


def as_declared(options: ReadOptions, format: str) -> ReadOptions:
    """The options, with what the name of a format says about the layout of a table."""
    if format == "tidy" and options.layout is None:
        return replace(options, layout="tidy")
    return options

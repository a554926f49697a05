"""Options for reading: those of tables, those of logs, and what callers say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from rankbars.data.room import Room, parse_size
from rankbars.errors import OptionError
from rankbars.tables.database import Engine
from rankbars.tables.tableoptions import TableOptions

__all__ = ["ReadOptions", "as_declared", "options_of"]


@dataclass(frozen=True, slots=True)
class ReadOptions(TableOptions):
    """What the caller declares about tables and logs.

    Parameters
    ----------
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
    engine : Engine
        Scans tables while they are read; readers alone need it.
    """

    filters: tuple[str, ...] = ()
    compare_anyway: bool = False
    beside: bool = False
    download_limit: int | None = field(default=None, compare=False)
    other_hosts: bool = field(default=False, compare=False)
    side: str = ""
    engine: Engine = field(default_factory=Engine, compare=False, repr=False)

    @classmethod
    def for_logs(
        cls,
        table: TableOptions,
        *,
        filters: Sequence[str] = (),
        compare_anyway: bool = False,
        models: Sequence[str] = (),
    ) -> ReadOptions:
        """Options for tables, and those for logs beside them."""
        shared: dict[str, Any] = {one.name: getattr(table, one.name) for one in fields(table)}
        shared["models"] = tuple(models)
        return cls(**shared, filters=tuple(filters), compare_anyway=compare_anyway)


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
        decimal=given.get("decimal"),
        reruns=given.get("reruns"),
        metrics=metrics,
    )
    limit = given.get("memory_limit")
    room = Room(
        None if limit is None else parse_size(limit),
        bool(given.get("by_reference")),
        given.get("n_jobs", 1),
    )
    tables = replace(tables, room=room)
    found = ReadOptions.for_logs(
        tables,
        filters=_named_once(given.get("filter"), "filter"),
        compare_anyway=bool(given.get("compare_anyway", False)),
        models=_named_once(given.get("models"), "model"),
    )
    size = given.get("download_limit")
    return replace(
        found,
        download_limit=None if size is None else parse_size(size, "limit of a download"),
        other_hosts=bool(given.get("other_hosts")),
    )


def as_declared(options: ReadOptions, format: str) -> ReadOptions:
    """The options, with what the name of a format says about the layout of a table."""
    if format == "tidy" and options.layout is None:
        return replace(options, layout="tidy")
    return options

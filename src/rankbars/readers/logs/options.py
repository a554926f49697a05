"""Options for reading: those of tables, and those of logs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal, TypeAlias

from rankbars.errors import OptionError, one_of
from rankbars.tables.database import Engine
from rankbars.tables.tableoptions import TableOptions

__all__ = ["RERUNS", "ReadOptions", "named_once"]

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
    engine : Engine
        Scans tables while they are read; readers alone need it.
    """

    metrics: tuple[str, ...] = ()
    filters: tuple[str, ...] = ()
    reruns: Reruns = "newest"
    compare_anyway: bool = False
    models: tuple[str, ...] = ()
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


def named_once(names: str | Sequence[str] | None, what: str) -> tuple[str, ...]:
    """One or several names as a tuple.

    Raises
    ------
    OptionError
        If a name is empty.

    Examples
    --------
    >>> named_once("acc", "metric"), named_once(["acc", "f1", "acc"], "metric")
    (('acc',), ('acc', 'f1'))
    """
    given = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    if "" in given:
        raise OptionError(f"The name of a {what} is empty.")
    return tuple(dict.fromkeys(given))

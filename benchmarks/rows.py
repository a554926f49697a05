"""What a row of the benchmark is: sizes, what is demanded, and a function that prepares it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NamedTuple

__all__ = [
    "TOPICS",
    "Job",
    "Once",
    "Ratio",
    "Row",
    "Sides",
    "find_row",
    "missing_peers",
    "require",
    "rows_of",
]

TOPICS = (
    "task_level",
    "corrections",
    "difference_tests",
    "leaderboard_level",
    "resampling",
    "bayes",
    "votes",
    "updates",
    "reading",
    "whole_runs",
)
"""Modules with rows, in the order of the page. A process imports the one that its row is in."""


class Sides(NamedTuple):
    """Two ways to one answer, on the same input.

    Attributes
    ----------
    ours, peer : callable
        Take nothing, return the answer.
    agree : callable
        Takes both answers; raises AssertionError unless they are the same.
    """

    ours: Callable[[], Any]
    peer: Callable[[], Any]
    agree: Callable[[Any, Any], None]


class Job(NamedTuple):
    """Something to be run, and a look at what came out.

    Attributes
    ----------
    run : callable
        Takes nothing, returns the answer.
    check : callable
        Takes the answer; raises AssertionError if it cannot be right.
    """

    run: Callable[[], Any]
    check: Callable[[Any], None]


@dataclass(frozen=True)
class Ratio:
    """CPU time of a peer divided by ours.

    Parameters
    ----------
    name : str
        Short name, unique within its module.
    job, peer : str
        What is computed, and what it is compared with, for the page.
    prepare : callable
        Makes the input from the sizes; returns `Sides`.
    sizes, tiny : mapping from str to number
        What is measured, and what the test suite runs.
    at_least : float, optional
        Smallest ratio demanded; below 1 where the peer does less than we do.
    slow : bool
        The peer takes seconds: fewer rounds.
    needs : tuple of str
        Packages of the peer that the development environment does not hold.
    compiled : bool
        The peer is compiled before it runs, which takes so long that the test suite leaves it out.
    """

    name: str
    job: str
    peer: str
    prepare: Callable[..., Sides]
    sizes: Mapping[str, Any]
    tiny: Mapping[str, Any]
    at_least: float | None = None
    slow: bool = False
    needs: tuple[str, ...] = ()
    compiled: bool = False


@dataclass(frozen=True)
class Once:
    """What a whole run costs by itself.

    Parameters
    ----------
    name, job, sizes, tiny
        As in `Ratio`.
    prepare : callable
        Makes the input from the sizes; returns a `Job`.
    limits : mapping from str to float
        Largest value allowed, by what is measured: ``"cpu_s"``, ``"wall_s"``, ``"peak_mb"``.
    repeats : int
        Runs, of which the fastest counts.
    """

    name: str
    job: str
    prepare: Callable[..., Job]
    sizes: Mapping[str, Any]
    tiny: Mapping[str, Any]
    limits: Mapping[str, float]
    repeats: int = 1


Row = Ratio | Once


def require(right: bool, what: str) -> None:
    """Raise AssertionError, saying what was expected, unless it is right."""
    if not right:
        raise AssertionError(f"expected {what}")


def rows_of(topic: str) -> tuple[Row, ...]:
    """The rows of one module."""
    rows: tuple[Row, ...] = import_module(f"benchmarks.{topic}").ROWS
    return rows


def find_row(path: str) -> Row:
    """The row called ``topic.name``."""
    topic, _, name = path.partition(".")
    for row in rows_of(topic):
        if row.name == name:
            return row
    raise SystemExit(f"There is no row {name!r} in {topic!r}. See python -m benchmarks --list.")


def missing_peers(row: Row) -> tuple[str, ...]:
    """Packages that the peer of a row needs and that are not installed."""
    needs = row.needs if isinstance(row, Ratio) else ()
    return tuple(name for name in needs if find_spec(name) is None)

"""What a row of the benchmark is: sizes, what is demanded, and a function that prepares it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple

__all__ = [
    "TOPICS",
    "Growth",
    "Job",
    "Once",
    "Ratio",
    "Row",
    "Sides",
    "all_paths",
    "find_row",
    "require",
    "rows_of",
    "title_of",
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
    "web_page",
    "growth",
    "workers",
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
    figures : callable, optional
        Takes the answer, returns numbers to be shown beside times and memory, by their units.
    """

    run: Callable[[], Any]
    check: Callable[[Any], None]
    figures: Callable[[Any], Mapping[str, float]] | None = None


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
    memory_at_most : float, optional
        Largest memory allowed, as a share of the peer's.
    slow : bool
        The peer takes seconds: fewer rounds.
    needs : tuple of str
        Packages of the peer that the development environment does not hold.
    peers : str
        Name of the environment that holds them: a file of benchmarks/peers.
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
    memory_at_most: float | None = None
    slow: bool = False
    needs: tuple[str, ...] = ()
    peers: str = ""
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
        Largest value allowed, by what is measured: ``"cpu_s"``, ``"wall_s"``, ``"peak_mb"``, or
        one of the figures of the job.
    repeats : int
        Runs, of which the fastest counts.
    needs : tuple of str
        Packages that the row needs.
    programs : tuple of str
        Programs of which it needs one.
    """

    name: str
    job: str
    prepare: Callable[..., Job]
    sizes: Mapping[str, Any]
    tiny: Mapping[str, Any]
    limits: Mapping[str, float]
    repeats: int = 1
    needs: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Growth:
    """How CPU time grows with one size: the slope of a line through logarithms.

    Parameters
    ----------
    name, job
        As in `Ratio`.
    prepare : callable
        Makes the input from the sizes; returns a `Job`.
    along : str
        The size that grows.
    values : tuple of int
        What it is, three values or more.
    sizes : mapping from str to number
        The other sizes.
    tiny : mapping from str to number
        All sizes, for the test suite.
    at_most : float, optional
        Largest exponent demanded.
    """

    name: str
    job: str
    prepare: Callable[..., Job]
    along: str
    values: tuple[int, ...]
    sizes: Mapping[str, Any]
    tiny: Mapping[str, Any]
    at_most: float | None = None


Row = Ratio | Once | Growth


def require(right: bool, what: str) -> None:
    """Raise AssertionError, saying what was expected, unless it is right."""
    if not right:
        raise AssertionError(f"expected {what}")


def rows_of(topic: str) -> tuple[Row, ...]:
    """The rows of one module."""
    rows: tuple[Row, ...] = import_module(f"benchmarks.{topic}").ROWS
    return rows


def all_paths() -> list[str]:
    """Every row as ``topic.name``, in the order of the page."""
    return [f"{topic}.{row.name}" for topic in TOPICS for row in rows_of(topic)]


def title_of(path: str) -> str:
    """The title of the topic that a row is in."""
    title: str = import_module(f"benchmarks.{path.partition('.')[0]}").TITLE
    return title


def find_row(path: str) -> Row:
    """The row called ``topic.name``."""
    topic, _, name = path.partition(".")
    for row in rows_of(topic):
        if row.name == name:
            return row
    raise SystemExit(f"There is no row {name!r} in {topic!r}. See python -m benchmarks --list.")

"""A public leaderboard: what its maker asks for, and what its pages are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from rankbars.data.about import About
from rankbars.data.board import Leaderboard
from rankbars.data.boardchange import BoardChange
from rankbars.data.spec import Spec

__all__ = [
    "ROLES",
    "BoardChoice",
    "DatedBoard",
    "Metric",
    "Site",
    "SiteBoard",
    "SitePlan",
    "Theme",
]

ROLES = ("rank", "show", "cost")


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric of a leaderboard.

    Parameters
    ----------
    name : str, optional
        As `rankbars.read` takes it; None for the only metric of the results.
    role : {"rank", "show", "cost"}
        Whether models are ranked by it, or it only stands beside; a cost is better when lower.
    direction : {"higher", "lower"}, optional
        Which side is better.
    title : str
        What readers know it by.
    """

    name: str | None = None
    role: Literal["rank", "show", "cost"] = "rank"
    direction: Literal["higher", "lower"] | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class BoardChoice:
    """A board of some tasks or some models, or one for each value of something.

    Parameters
    ----------
    name : str
        Its name; with `per` what stands before the values.
    tasks, models : tuple of str
        Names and patterns; empty for all.
    where : mapping from str to tuple of str
        What tasks (``category``, ``family``) or models (an attribute) must have.
    per : str
        One board for each value of this; empty for one board.
    leave_out : tuple of str
        Values that get no board.
    description : str
        One or two sentences.
    """

    name: str = ""
    tasks: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    per: str = ""
    leave_out: tuple[str, ...] = ()
    description: str = ""


@dataclass(frozen=True, slots=True)
class Theme:
    """A picture and two colours.

    Parameters
    ----------
    logo : Path, optional
        File of the picture.
    colors : tuple of str
        Of intervals, and of what is about a new task; as ``#rrggbb``.
    """

    logo: Path | None = None
    colors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SitePlan:
    """What the configuration of a site says; paths are seen from where the process runs.

    Parameters
    ----------
    path : str
        The file.
    about : About
        Title, source, date, link and description.
    version, address, words : str
        Version of the benchmark; where the site will be; paragraphs for the page about it.
    results : tuple of str
        What is read: files and folders, or one store.
    reading : mapping
        Options of `rankbars.read`.
    metrics : tuple of Metric
        At least one to rank by.
    ranking : Spec
        Options of the boards.
    weights, categories : mapping by task
        Weights may be by category, too.
    boards : tuple of BoardChoice
        Boards beside the one of everything.
    together : bool
        Whether the level holds for all boards at once.
    facts : mapping from str to mapping
        Attributes of models.
    aliases, retired_models, retired_tasks : mapping from str to str
        New name by old one; reason by name.
    history : tuple of str
        Board files of earlier days.
    replay : bool
        Whether the history is made of the models that were there on each day.
    theme : Theme
        Picture and colours.
    """

    path: str
    about: About
    results: tuple[str, ...]
    version: str = ""
    address: str = ""
    words: str = ""
    reading: Mapping[str, Any] = field(default_factory=dict)
    metrics: tuple[Metric, ...] = (Metric(),)
    ranking: Spec = field(default_factory=Spec)
    weights: Mapping[str, float] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)
    boards: tuple[BoardChoice, ...] = ()
    together: bool = False
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    retired_models: Mapping[str, str] = field(default_factory=dict)
    retired_tasks: Mapping[str, str] = field(default_factory=dict)
    history: tuple[str, ...] = ()
    replay: bool = False
    theme: Theme = Theme()


@dataclass(frozen=True, slots=True, eq=False)
class SiteBoard:
    """One board of a site.

    Parameters
    ----------
    slug : str
        Name of its files, without suffix.
    name, description : str
        For readers.
    group : str
        What it is one of, such as a category; empty for boards by themselves.
    summary : mapping
        What other pages, and programs, show of it: plain values.
    board : Leaderboard, optional
        The board; None where its files lie as they should, and it was not ranked again.
    role : {"rank", "show", "cost"}
        Role of its metric.
    levels : str
        How its level goes together with those of the other boards.
    key : str
        Digest of all it was made of.
    slim : bool
        Whether its page is a small one.
    """

    slug: str
    name: str
    summary: Mapping[str, Any]
    board: Leaderboard | None = None
    description: str = ""
    group: str = ""
    role: Literal["rank", "show", "cost"] = "rank"
    levels: str = ""
    key: str = ""
    slim: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class DatedBoard:
    """The main board as it was on a day."""

    date: str
    board: Leaderboard


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """All that the pages of a site show.

    Parameters
    ----------
    plan : SitePlan
        What was asked for.
    main : Leaderboard
        The main board.
    boards : tuple of SiteBoard
        The main one first.
    history : tuple of DatedBoard
        Oldest first; the last one is the main board, where it has a date.
    changes : tuple of BoardChange
        From each of the dated boards to the next.
    version : str
        Version of the package.
    """

    plan: SitePlan
    main: Leaderboard
    boards: tuple[SiteBoard, ...]
    history: tuple[DatedBoard, ...] = ()
    changes: tuple[BoardChange, ...] = ()
    version: str = ""

"""Formats of other distributions: what they register as entry points of `GROUP`.

Foreign code may fail in any way. A plug-in that cannot be loaded, or whose name is taken, is left
out and told; one that fails on a file fails on that file alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rankbars.data.scores import Scores
from rankbars.errors import RankbarsError, ReadError
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.parts import Part, is_part
from rankbars.readers.readoptions import ReadOptions
from rankbars.readers.recognition import Format, Recognition

__all__ = ["GROUP", "KnownFormats", "Plugins", "load_plugins"]

GROUP = "rankbars.readers"


class Plugins(NamedTuple):
    """Formats of other distributions, and what was left out and why."""

    formats: Mapping[str, Format]
    problems: tuple[str, ...]


def load_plugins(taken: Mapping[str, Format]) -> Plugins:
    """The formats that installed distributions add.

    Parameters
    ----------
    taken : mapping from str to Format
        Formats whose names are taken.

    Returns
    -------
    Plugins
        Formats by name; of two with one name the one of the first distribution in alphabetical
        order counts.

    Examples
    --------
    >>> load_plugins({}).problems
    ()
    """
    formats: dict[str, Format] = {}
    problems: list[str] = []
    given = {(one.name, one.value): one for one in entry_points(group=GROUP)}
    for point in sorted(given.values(), key=lambda one: (one.name, _origin(one), one.value)):
        if point.name in taken or point.name in formats:
            owner = "rankbars" if point.name in taken else "another distribution"
            problems.append(
                f"{_title(point)} is left out: {owner} has a format of that name. It needs "
                "another name."
            )
            continue
        try:
            formats[point.name] = _load(point)
        except Exception as error:  # noqa: BLE001  (the code of others fails in any way it likes)
            problems.append(f"{_title(point)} is left out: {_reason(error)}.")
    return Plugins(formats, tuple(problems))


class KnownFormats:
    """The formats of this package, and those of others, which are loaded when they are needed.

    Parameters
    ----------
    own : mapping from str to Format
        The formats of this package.
    """

    def __init__(self, own: Mapping[str, Format]) -> None:
        self._own = own
        self._plugins: Plugins | None = None

    @property
    def plugins(self) -> Plugins:
        """Formats of others."""
        if self._plugins is None:
            self._plugins = load_plugins(self._own)
        return self._plugins

    @property
    def problems(self) -> tuple[str, ...]:
        """Why plug-ins were left out, as far as they were looked at."""
        return () if self._plugins is None else self._plugins.problems

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all formats."""
        return (*self._own, *self.plugins.formats)

    def __contains__(self, name: str) -> bool:
        return name in self._own or name in self.plugins.formats

    def __getitem__(self, name: str) -> Format:
        return self._own[name] if name in self._own else self.plugins.formats[name]

    def stages(self) -> Iterator[Sequence[Format]]:
        """Formats in the order in which they are asked; later ones only if none before is sure.

        First those of this package with a signature, then those of others, then tables.
        """
        yield [one for one in self._own.values() if not one.is_table]
        yield list(self.plugins.formats.values())
        yield [one for one in self._own.values() if one.is_table]


def _load(point: EntryPoint) -> Format:
    found = point.load()
    for name in ("sniff", "read"):
        if not callable(getattr(found, name, None)):
            raise TypeError(f"it has no function {name!r}")
    foreign = _Foreign(point.name, _title(point), found)
    return Format(
        point.name,
        foreign,
        _describe(found) or f"format of the distribution {_origin(point)}",
    )


class _Module(Protocol):
    """What a distribution registers; whatever its functions are given and answer is checked."""

    sniff: Callable[[Path, bytes], Any]
    read: Callable[[Sequence[InputFile], ReadOptions], object]


@dataclass(frozen=True, slots=True)
class _Foreign:
    """Two functions of others, whose failures become errors of ours."""

    name: str
    title: str
    module: _Module

    def sniff(self, path: Path, head: bytes) -> Recognition | None:
        try:
            answer = self.module.sniff(path, head)
            if answer is None:
                return None
            _, confidence, reason = answer
            return Recognition(self.name, int(confidence), str(reason))
        except Exception as error:  # noqa: BLE001  (see above)
            return Recognition(self.name, 0, f"{self.title} failed to look at it: "
                               f"{_reason(error)}.")  # fmt: skip

    def read(self, files: Sequence[InputFile], options: ReadOptions) -> Sequence[Part] | Scores:
        try:
            found = self.module.read(files, options)
        except RankbarsError:
            raise
        except Exception as error:
            raise self._failed(files, _reason(error)) from error
        if isinstance(found, Scores):
            return found
        if not isinstance(found, list) or not found:
            raise self._failed(files, f"it gave {type(found).__name__}, not Scores or runs")
        for part in found:
            if not is_part(part):
                raise self._failed(files, f"it gave a list of {type(part).__name__}, not of runs")
        return found

    def _failed(self, files: Sequence[InputFile], reason: str) -> ReadError:
        problem = f"{self.title} failed: {reason}. Tell its authors, or leave the file out."
        return ReadError.joined([ReadError.at(file.label, problem) for file in files])


def _describe(found: object) -> str:
    given = getattr(found, "description", None)
    text = given if isinstance(given, str) else getattr(found, "__doc__", None) or ""
    return text.strip().partition("\n")[0].rstrip(".")


def _origin(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else "unknown"


def _title(point: EntryPoint) -> str:
    return f"The plug-in {point.name!r} of the distribution {_origin(point)!r}"


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".rstrip(". ")

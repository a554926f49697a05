"""What a file is: every format is asked, the most confident answer counts.

Formats of other distributions register as entry points of `_GROUP`. Foreign code may fail in any
way. A plug-in that cannot be loaded, or whose name is taken, is left out and told; one that fails
on a file fails on that file alone.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, distribution, distributions
from pathlib import Path
from typing import Any, NamedTuple, Protocol, cast

from rankbars.data.binaryfiles import binary_kind
from rankbars.data.scores import Scores
from rankbars.errors import RankbarsError, ReadError
from rankbars.readers.inputfiles import InputFile, read_head
from rankbars.readers.parts import Part, is_part
from rankbars.tables.readoptions import ReadOptions

__all__ = [
    "NOBODY_KNOWS",
    "AmbiguousFileError",
    "ChosenFile",
    "Code",
    "FileReport",
    "Format",
    "KnownFormats",
    "Plugins",
    "Recognition",
    "by_keys",
    "load_plugins",
    "recognise",
]


_GROUP = "rankbars.readers"
NOBODY_KNOWS = "No format knows such a file."
# The first line of a document, of a table, or of rows alone.
_LATEX = re.compile(
    rb"\\(?:documentclass|begin|centering|toprule|hline)\b"
    rb'|[^\n"{]*&[^\n"{]*\\\\\s*(?:\n|$)'
)


# How sure a format may be. Formats with a signature of their own outdo plain tables.
DECLINED, TABLE, SIGNATURE, CERTAIN = 0, 10, 50, 100


class Recognition(NamedTuple):
    """Answer of one format to the question whether a file is its own.

    Parameters
    ----------
    format : str
        Name of the format.
    confidence : int
        From 0 (declined, for the reason given) to 100.
    reason : str
        Why, or why not.
    """

    format: str
    confidence: int
    reason: str


def by_keys(
    format: str, given: Collection[str], kinds: Mapping[str, Sequence[str]]
) -> Recognition | None:
    """A certain answer if the keys or columns that are given hold those of one of the kinds.

    Examples
    --------
    >>> by_keys("mteb", ("scores", "task_name"), {"results": ("task_name", "scores")}).reason
    'It has the keys of results: task_name, scores.'
    """
    for what, keys in kinds.items():
        if set(keys) <= set(given):
            reason = f"It has the keys of {what}: {', '.join(keys)}."
            return Recognition(format, CERTAIN, reason)
    return None


class Code(Protocol):
    """Two functions that make a format, as a module has them."""

    def sniff(self, path: Path, head: bytes, /) -> Recognition | None:
        """Path and first bytes (decompressed) → the answer; None if it is not concerned."""

    def read(self, files: Sequence[InputFile], options: ReadOptions, /) -> Sequence[Part] | Scores:
        """Files in any order, and options → what they hold, as `rankbars.readers.parts` tells.

        Or finished `Scores`. Raises `ReadError` if a file is damaged, `DataError` if what it holds
        cannot be understood, or not be compared.
        """


class Format(NamedTuple):
    """A file format: a module with two functions, and a line of description.

    Parameters
    ----------
    name : str
        Its key in `FORMATS`.
    code : str or Code
        Two functions, or the module of `rankbars.readers` that has them, which is imported when a
        file may be of the format.
    description : str
        What the format is, in one line.
    looks : callable, optional
        Path and first bytes → whether the module need be asked at all.
    is_table : bool
        Whether it has no signature of its own; asked last, because tables are read to be
        recognised.
    """

    name: str
    code: str | Code
    description: str
    looks: Callable[[Path, bytes], bool] | None = None
    is_table: bool = False

    def sniff(self, path: Path, head: bytes) -> Recognition | None:
        """What the format says of a file; None if it is not concerned."""
        if self.looks is not None and not self.looks(path, head):
            return None
        answer = self._module.sniff(path, head)
        # One module may know several formats.
        is_other = answer is not None and answer.format != self.name
        return None if is_other else answer

    def read(self, files: Sequence[InputFile], options: ReadOptions) -> Sequence[Part] | Scores:
        """What the files hold."""
        return self._module.read(files, options)

    @property
    def _module(self) -> Code:
        return _imported(self.code) if isinstance(self.code, str) else self.code


@cache
def _imported(name: str) -> Code:
    return cast(Code, import_module(f"rankbars.readers.{name}"))


class FileReport(NamedTuple):
    """What one file was recognised as.

    Parameters
    ----------
    path : str
        The file as the caller wrote it.
    format : str or None
        Name of the format; None if no format knows the file.
    reason : str
        Why, or why not.
    """

    path: str
    format: str | None
    reason: str


class ChosenFile(NamedTuple):
    """A file, the format it is read as, and its digest."""

    file: InputFile
    format: str
    sha256: str


class AmbiguousFileError(ReadError):
    """Several formats are equally sure that a file is theirs."""


def recognise(file: InputFile, stages: Iterable[Sequence[Format]]) -> FileReport:
    """The format of a file.

    Parameters
    ----------
    file : InputFile
        The file.
    stages : iterable of sequences of Format
        Formats in the order in which they are asked; later ones only if none before is sure.

    Raises
    ------
    ReadError
        If the file is damaged.
    AmbiguousFileError
        If several formats are equally sure.
    """
    head = read_head(file)
    other = _no_results(file.path, head)
    if other:
        return FileReport(file.label, None, other)
    answers: list[Recognition] = []
    sure = DECLINED
    for asked in stages:
        try:
            found = [one.sniff(file.path, head) for one in asked]
        except ReadError:
            # A format that knows the file and declines it says more than that it is no table.
            if not answers:
                raise
            break
        answers += [answer for answer in found if answer is not None]
        sure = max((answer.confidence for answer in answers), default=DECLINED)
        if sure >= SIGNATURE:
            break
    if sure == DECLINED:
        reasons = dict.fromkeys(answer.reason for answer in answers)
        reason = " ".join(reasons) or binary_kind(head, file.path) or NOBODY_KNOWS
        return FileReport(file.label, None, reason[0].upper() + reason[1:])
    best = [answer for answer in answers if answer.confidence == sure]
    if len(best) > 1:
        shown = "; ".join(f"{answer.format}: {answer.reason}" for answer in best)
        raise AmbiguousFileError.at(
            file.label,
            f"the file fits several formats equally well ({shown}). Choose: "
            f"{' or '.join(f'--format {answer.format}' for answer in best)}.",
        )
    return FileReport(file.label, best[0].format, best[0].reason)


def _no_results(path: Path, head: bytes) -> str:
    """What a file is, and what to do, where it is known to hold no results that can be read."""
    start = head.lstrip()[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return (
            "It is a web page (HTML). The numbers of a page that rankbars wrote are in its board "
            "file, which `rankbars show` prints; save another page's table as CSV."
        )
    if path.suffix.lower() in (".xls", ".xlsb", ".ods"):
        kind = "LibreOffice" if path.suffix.lower() == ".ods" else "Excel"
        return (
            f"It is a workbook ({kind}). Save it as .xlsx, or save its sheet as CSV, and read that."
        )
    if path.suffix.lower() == ".tex" or _LATEX.match(start):
        return (
            "It is LaTeX. Save its table as CSV (commas for &, no \\\\ and no rules), or as a page "
            "of Markdown with rows between bars: | model | score |."
        )
    if start.startswith((b"<?xml", b"<testsuite")):
        return (
            "It is XML. Save its results as CSV, with model, item and score as columns; 1 is a "
            "test that passed, 0 one that failed."
        )
    # Older ones begin with their average.
    begins = b"rankbars.board/" in start or b'"aggregate"' in start[:40]
    if start.startswith(b"{") and begins and path.suffix.lower() == ".json":
        return (
            f"It is a board, which rankbars made of results. Print it: rankbars show {path.name}; "
            "what changed between two: rankbars diff OLD NEW. To rank, name the results."
        )
    return ""


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
    given = {(one.name, one.value): one for one in _entry_points()}
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


def _entry_points() -> tuple[EntryPoint, ...]:
    # What is installed or removed changes the folder it is in.
    return _entry_points_of(tuple((place, _changed(place)) for place in sys.path))


def _changed(place: str) -> int | None:
    try:
        return Path(place).stat().st_mtime_ns
    except OSError:  # a path of modules may name what is not there
        return None


@lru_cache(maxsize=1)
def _entry_points_of(state: tuple[tuple[str, int | None], ...]) -> tuple[EntryPoint, ...]:
    """Those of all that is installed, which takes longer to find than a small file to read."""
    # `entry_points` would parse the files of all that is installed; few name the group.
    names = {
        one.name for one in distributions() if _GROUP in (one.read_text("entry_points.txt") or "")
    }
    return tuple(
        point for name in names for point in distribution(name).entry_points.select(group=_GROUP)
    )


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


class _Foreign(NamedTuple):
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

"""What a caller asks to be read: options from words, files from paths."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.room import Room, parse_size
from rankbars.errors import UnknownOptionError
from rankbars.readers.files import InputFile, Meter, Progress, find_files, is_url, standard_input
from rankbars.readers.logs.options import ReadOptions, named_once
from rankbars.readers.plugins import KnownFormats
from rankbars.readers.registry import FORMATS
from rankbars.readers.selection import ChosenFile, Skipped, check_options, choose_files
from rankbars.tables.tableoptions import TableOptions

__all__ = [
    "Opened", "Paths", "as_declared", "find_paths", "known_formats", "open_files", "options_of",
]  # fmt: skip

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


class Opened(NamedTuple):
    """The files that are to be read, with their formats, and those that are left out."""

    chosen: list[ChosenFile]
    skipped: Skipped


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
    metrics = named_once(given.get("metric"), "metric")
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
        filters=named_once(given.get("filter"), "filter"),
        reruns=given.get("reruns", "newest"),
        compare_anyway=bool(given.get("compare_anyway", False)),
        models=named_once(given.get("models"), "model"),
    )


def known_formats(asked: str) -> KnownFormats:
    """All formats.

    Raises
    ------
    UnknownOptionError
        If `asked` is none of them, and not ``"auto"``.
    """
    formats = KnownFormats(FORMATS)
    if asked != "auto" and asked not in formats:
        raise UnknownOptionError.among("format", asked, ("auto", *formats.names))
    return formats


@contextmanager
def open_files(
    paths: Paths,
    format: str,
    options: ReadOptions,
    formats: KnownFormats,
    progress: Progress | None = None,
    known: Callable[[InputFile], ChosenFile | None] | None = None,
) -> Iterator[Opened]:
    """The files behind `paths`; what came from standard input lies in a file until the end.

    Files for which `known` has an answer are not recognised again.

    Raises
    ------
    ReadError
        If a path does not exist, or a file that was named is not recognised.
    OptionError
        If an option fits none of the files.
    """
    skipped = Skipped()
    with find_paths(paths) as found:
        chosen = choose_files(found, format, options, formats, skipped, known)
        check_options(chosen, options, formats)
        if progress is not None:
            meter = Meter(progress, [one.file.path for one in chosen])
            chosen = [one._replace(file=one.file._replace(meter=meter)) for one in chosen]
        yield Opened(chosen, skipped)


@contextmanager
def find_paths(paths: Paths) -> Iterator[list[InputFile]]:
    """The files behind `paths`, each once.

    Raises
    ------
    ReadError
        If a path does not exist or a pattern matches nothing.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    texts = [os.fspath(path) for path in given]
    urls = list(dict.fromkeys(path for path in texts if is_url(path)))
    from_files = [path for path in texts if path != "-" and path not in urls]
    with standard_input("-" in texts) as piped, _fetched(urls) as copies:
        more = [InputFile(copy, url, url=url) for url, copy in copies.items()]
        if piped is not None:
            more.append(piped)
        yield [*(find_files(from_files) if from_files or not more else []), *more]


@contextmanager
def _fetched(urls: Sequence[str]) -> Iterator[dict[str, Path]]:
    """Copies of files that lie elsewhere; without any, nothing of networks is loaded."""
    if not urls:
        yield {}
        return
    from rankbars.readers.transfers import fetched

    with fetched(urls) as copies:
        yield copies


def as_declared(options: ReadOptions, format: str) -> ReadOptions:
    """The options, with what the name of a format says about the layout of a table."""
    if format == "tidy" and options.layout is None:
        return replace(options, layout="tidy")
    return options

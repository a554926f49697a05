"""Which files are read, and as what: found, recognised, chosen."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from rankbars.data.notes import Note, list_words
from rankbars.data.taskinfo import Input
from rankbars.errors import (
    DataError,
    MissingPackageError,
    OptionError,
    RankbarsError,
    ReadError,
    UnknownOptionError,
)
from rankbars.readers.inputfiles import (
    WORKBOOKS,
    InputFile,
    data_suffix,
    digest,
    find_files,
    holds_sheets,
    is_url,
    standard_input,
)
from rankbars.readers.openedfiles import Meter, Progress
from rankbars.readers.openedtables import MARKDOWN_SUFFIXES, TABLE_SUFFIXES, looking
from rankbars.readers.recognition import (
    NOBODY_KNOWS,
    AmbiguousFileError,
    ChosenFile,
    FileReport,
    KnownFormats,
    recognise,
)
from rankbars.readers.registry import COMPANIONS, FORMATS
from rankbars.tables.columns import paste_metrics
from rankbars.tables.metrics import is_trial_metric
from rankbars.tables.readoptions import ReadOptions

__all__ = [
    "Paths",
    "Skipped",
    "check_options",
    "find_paths",
    "known_formats",
    "note_equal",
    "open_files",
    "report_file",
    "report_files",
]

MOST_SHOWN = 5
MOST_DAMAGED = 20


Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(slots=True)
class Skipped:
    """Files of folders that are not read: no format knows them, or they are damaged.

    Parameters
    ----------
    unknown, damaged : list of FileReport
        The files, each with the reason.
    """

    unknown: list[FileReport] = field(default_factory=list)
    damaged: list[FileReport] = field(default_factory=list)

    def add_damaged(self, label: str, error: ReadError) -> None:
        """Remember a file that cannot be read."""
        report = FileReport(label, None, _without_label(error, label))
        if report not in self.damaged:
            self.damaged.append(report)

    def notes(self) -> list[Note]:
        """What was not read, and why."""
        found = []
        they = "it" if len(self.damaged) == 1 else "they"
        why_damaged = f"left out, because {they} cannot be read"
        for code, why, reports, most in (
            ("files-skipped", "not read", self.unknown, MOST_SHOWN),
            ("files-damaged", why_damaged, self.damaged, MOST_DAMAGED),
        ):
            if reports:
                found.append(Note(code, f"{_files(len(reports))} {why}: {_list(reports, most)}"))
        return found

    def refuse(self) -> ReadError:
        """The error for inputs of which nothing can be read."""
        every = [*self.damaged, *self.unknown]
        if not every:
            return ReadError("There is nothing to read: the folder holds no file.")
        if len(every) == 1:
            return ReadError(
                f"The only file there cannot be read: {_list(every, 1)} What can be read: rankbars "
                "formats."
            )
        return ReadError(
            f"None of {_files(len(every))} can be read: {_list(every, 3)} See `rankbars formats "
            "PATH` for all of them."
        )


def _choose(
    files: Sequence[InputFile],
    declared: str,
    options: ReadOptions,
    formats: KnownFormats,
    skipped: Skipped,
    known: Callable[[InputFile], ChosenFile | None] | None,
) -> list[ChosenFile]:
    """The files to read, with their formats; `skipped` takes those of folders that are not read."""
    chosen: list[ChosenFile] = []
    refused: list[ReadError] = []
    for file in _with_sheets(files, options, skipped, refused):
        before = None if known is None else known(file)
        if before is not None:
            chosen.append(before)
            continue
        try:
            report = _report(file, declared, options, formats)
            sha256 = digest(file) if report.format is not None else ""
        except AmbiguousFileError:
            raise
        except ReadError as error:
            if file.asked:
                refused.append(error)
            else:
                skipped.add_damaged(file.label, error)
            continue
        if report.format is not None:
            chosen.append(ChosenFile(file, report.format, sha256))
        elif file.asked:
            from rankbars.readers.logs.jsontext import top_level_keys

            hint = ""
            if data_suffix(file.path) == ".json" and top_level_keys(file.path):
                hint = f" What is in it, and a map to read it by: rankbars formats {file.label}."
            elif report.reason == NOBODY_KNOWS:
                hint = " What can be read: rankbars formats."
            why = f"the file is not recognised. {report.reason}{hint}"
            refused.append(ReadError.at(file.label, why))
        else:
            skipped.unknown.append(report)
    if refused:
        raise ReadError.joined(refused)
    return chosen


def _with_sheets(
    files: Iterable[InputFile], options: ReadOptions, skipped: Skipped, refused: list[ReadError]
) -> Iterator[InputFile]:
    """The files, with the sheets that are read in place of their workbooks."""
    for file in files:
        try:
            yield from _sheets_of(file, options)
        except MissingPackageError as error:
            if file.asked:
                raise
            skipped.unknown.append(FileReport(file.label, None, str(error)))
        except ReadError as error:
            if file.asked:
                refused.append(error)
            else:
                skipped.add_damaged(file.label, error)


def _sheets_of(file: InputFile, options: ReadOptions) -> list[InputFile]:
    if not holds_sheets(file):
        return [file]
    from rankbars.readers.workbooks import take_sheets

    found = take_sheets(file, options.sheets, options.decimal)
    with looking() as looks:
        for one in found:
            looks.hold(one)
    return found


def report_files(files: Iterable[InputFile], formats: KnownFormats) -> list[FileReport]:
    """What files are recognised as, and why; damaged ones are recognised as nothing."""
    reports = []
    with looking():
        for file in files:
            try:
                found = _sheets_of(file, ReadOptions())
            except RankbarsError as error:
                reason = _without_label(error, file.label)
                reports.append(FileReport(file.label, None, reason))
                continue
            reports += [report_file(one, formats) for one in found]
    return reports


def report_file(file: InputFile, formats: KnownFormats) -> FileReport:
    """What a file is recognised as, and why; a damaged one is recognised as nothing."""
    try:
        return recognise(file, formats.stages())
    except DataError as error:
        return FileReport(file.label, None, _without_label(error, file.label))


def check_options(
    chosen: Sequence[ChosenFile], options: ReadOptions, formats: KnownFormats
) -> None:
    """Raises `OptionError` for options that none of the files can heed."""
    tables = [one for one in chosen if formats[one.format].is_table]
    if options.sheets and all(one.file.sheet is None for one in chosen):
        raise OptionError(
            f"sheet names a sheet of a workbook (.xlsx), and none of the inputs is one (the first "
            f"is {chosen[0].file.label}). Leave it out."
        )
    for one in chosen:
        if one.file.name and one not in tables:
            raise OptionError(
                f"{one.file.label}: a log names its model itself, so it takes no other name here. "
                "Leave the name out."
            )
    tidy = [one for one in tables if one.format != "wide"]
    if sum(not is_trial_metric(name) for name in options.metrics) > 1 and tidy:
        raise OptionError(
            f"{tidy[0].file.label}: a table with one row per score shows one metric; "
            f"got {len(options.metrics)} ({', '.join(options.metrics)}). "
            f"{paste_metrics(options.metrics)}"
        )
    if tables:
        return
    given = {
        "rows": options.rows, "folds": options.folds, "test_share": options.test_share,
        "layout": options.layout, "cells": options.cells, "words": options.words or None,
        "memory_limit": options.room.limit,
        "columns": [role for role in options.columns if role != "cluster"] or None,
    }  # fmt: skip
    for name, value in given.items():
        if value is not None:
            raise OptionError(
                f"{name} describes tables, and none of the inputs is one (the first, "
                f"{chosen[0].file.label}, is read as {chosen[0].format}). Leave it out."
            )


def _report(
    file: InputFile, declared: str, options: ReadOptions, formats: KnownFormats
) -> FileReport:
    if options.map and declared == "auto":
        fits = file.asked or data_suffix(file.path) in (".json", ".jsonl")
        reason = "mapped" if fits else "It is no JSON, which the map is about."
        return FileReport(file.label, "map" if fits else None, reason)
    if declared == "auto":
        return _apply_options(file, recognise(file, formats.stages()), options)
    if file.asked:
        return FileReport(file.label, declared, "declared")
    # In a folder, what the declared format does not know as its own is not what the caller means.
    found = recognise(file, [[formats[declared]]])
    if found.format is None:
        return found._replace(reason=f"It is not recognised as {declared}. {found.reason}")
    return found


def _without_label(error: RankbarsError, label: str) -> str:
    # Formats are asked about a path and know no other name of it.
    text = str(error).removeprefix(label).removeprefix(Path(label).name).lstrip(":, ")
    return text[:1].upper() + text[1:]


def _list(reports: Sequence[FileReport], most: int) -> str:
    """Files with what is wrong, said once for all files that have it; the first `most` of these."""
    paths: dict[str, list[str]] = {}
    for report in reports:
        paths.setdefault(report.reason, []).append(report.path)
    shown = [*paths.items()][:most]
    parts = [f"{list_words(files)}: {reason}" for reason, files in shown]
    if rest := len(reports) - sum(len(files) for _, files in shown):
        parts.append(f"and {rest} more")
    return "; ".join((*(part.removesuffix(".") for part in parts[:-1]), parts[-1]))


def _files(number: int) -> str:
    return f"{number} file{'s' if number > 1 else ''}"


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
) -> Iterator[tuple[list[ChosenFile], Skipped]]:
    """The files behind `paths` with their formats, and those of folders that are left out.

    What came from standard input lies in a file until the end.

    Files for which `known` has an answer are not recognised again.

    Raises
    ------
    ReadError
        If a path does not exist, or a file that was named is not recognised.
    OptionError
        If an option fits none of the files.
    """
    skipped = Skipped()
    with find_paths(paths, options) as found, looking() as looks:
        looks.ahead(found)
        chosen = _choose(found, format, options, formats, skipped, known)
        read = {one.file.path for one in chosen}
        for file in found:
            if file.path not in read:
                looks.forget(file.path)
        if not chosen:
            raise skipped.refuse()
        check_options(chosen, options, formats)
        if progress is not None:
            meter = Meter(progress, [one.file.path for one in chosen])
            chosen = [one._replace(file=one.file._replace(meter=meter)) for one in chosen]
        yield chosen, skipped


@contextmanager
def find_paths(paths: Paths, options: ReadOptions | None = None) -> Iterator[list[InputFile]]:
    """The files behind `paths`, each once; `options` say how far transfers are trusted.

    Raises
    ------
    ReadError
        If a path does not exist or a pattern matches nothing.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    texts = [os.fspath(path) for path in given]
    urls = list(dict.fromkeys(path for path in texts if is_url(path)))
    from_files = [path for path in texts if path != "-" and path not in urls]
    with standard_input("-" in texts) as piped, _fetched(urls, options or ReadOptions()) as copies:
        more = [InputFile(copy, url, url=url) for url, copy in copies.items()]
        if piped is not None:
            more.append(piped)
        yield [*(find_files(from_files) if from_files or not more else []), *more]


@contextmanager
def _fetched(urls: Sequence[str], options: ReadOptions) -> Iterator[dict[str, Path]]:
    """Copies of files that lie elsewhere; without any, nothing of networks is loaded."""
    if not urls:
        yield {}
        return
    from rankbars.readers.transfers import Limits, fetched

    limits = Limits(other_hosts=options.other_hosts)
    if options.download_limit is not None:
        limits = limits._replace(size=options.download_limit)
    with fetched(urls, limits) as copies:
        yield copies


def _apply_options(file: InputFile, report: FileReport, options: ReadOptions) -> FileReport:
    """The report as the caller's options change it.

    Options may say how to read a table that its header does not explain. In a folder, a table
    without any of the columns that they name is not what the caller means.

    Parameters
    ----------
    file : InputFile
        The file.
    report : FileReport
        What it was recognised as.
    options : ReadOptions
        What the caller declares.
    """
    named = {name for name in options.columns.values() if name}
    table = data_suffix(file.path) in TABLE_SUFFIXES or file.path.name == "stdin"
    if not table or report.format not in (None, "tidy", "wide"):
        return report
    if not file.asked and data_suffix(file.path) in MARKDOWN_SUFFIXES:
        reason = "A page in Markdown, which may show other files; name it to read its table."
        return report._replace(format=None, reason=reason)
    from rankbars.tables.votes.votetables import wants_votes

    if wants_votes(options) and (file.asked or not named.isdisjoint(_columns(file))):
        return report._replace(format="votes", reason="declared")
    if not file.asked and (named or options.metric):
        columns = _columns(file)
        if named and named.isdisjoint(columns):
            return report._replace(format=None, reason="It has none of the named columns.")
        if not (named or options.layout or options.metric in columns):
            return report
    told = named or options.metric or options.layout or options.cells or options.rows
    if report.format is None and told:
        wide = options.layout not in (None, "tidy") or (options.rows and not named)
        return report._replace(format="wide" if wide else "tidy", reason="declared")
    return report


def _columns(file: InputFile) -> tuple[str, ...]:
    """Columns of a table; none if the file is no table."""
    try:
        with looking() as looks:
            return looks.table(file.path).columns
    except DataError:
        return ()


def note_equal(inputs: Iterable[Input]) -> list[Note]:
    """A note where several inputs have the same content.

    Files that are read together are often equal where they only describe others; those have the
    same name in several folders, and nothing is said of them.

    Examples
    --------
    >>> found = [Input("a.csv", "tidy", "1"), Input("b.csv", "tidy", "2"), Input("c", "tidy", "1")]
    >>> [note.message for note in note_equal(found)]
    ['The same content, read more than once: a.csv = c. Leave out what is a copy or a link.']
    """
    by_content: dict[str, list[Input]] = defaultdict(list)
    for one in inputs:
        by_content[one.sha256].append(one)
    equal = [
        _shown([one.path for one in found], " = ")
        for found in by_content.values()
        if len(found) > 1 and not _describe(found) and not _are_sheets(found)
    ]
    if not equal:
        return []
    return [Note("equal-content", f"The same content, read more than once: {_shown(equal, '; ')}. "
                 "Leave out what is a copy or a link.")]  # fmt: skip


def _shown(texts: Sequence[str], between: str) -> str:
    rest = len(texts) - MOST_SHOWN
    return between.join([*texts[:MOST_SHOWN], *([f"{rest} more"] if rest > 0 else [])])


def _are_sheets(files: Sequence[Input]) -> bool:
    """Whether these are sheets of one workbook, whose digest they have."""
    parents = {PurePosixPath(one.path.replace("\\", "/")).parent for one in files}
    return len(parents) == 1 and parents.pop().suffix.lower() in WORKBOOKS


def _describe(files: Sequence[Input]) -> bool:
    names = {PurePosixPath(one.path.replace("\\", "/")).name for one in files}
    return len(names) == 1 and all(one.format in COMPANIONS for one in files)

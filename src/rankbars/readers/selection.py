"""Which files are read, and as what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import DataError, OptionError, ReadError
from rankbars.readers.files import InputFile, data_suffix, digest
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.plugins import KnownFormats
from rankbars.readers.recognition import (
    AmbiguousFileError,
    FileReport,
    apply_options,
    recognise,
)
from rankbars.readers.tables import PARQUET_SUFFIXES
from rankbars.tables.database import Glance

__all__ = ["ChosenFile", "Skipped", "check_options", "choose_files", "report_file"]

MOST_SHOWN = 5
MOST_DAMAGED = 20


class ChosenFile(NamedTuple):
    """A file, the format it is read as, and its digest."""

    file: InputFile
    format: str
    sha256: str


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
        for code, why, reports, most in (
            ("files-skipped", "not read", self.unknown, MOST_SHOWN),
            ("files-damaged", "left out, because they cannot be read", self.damaged, MOST_DAMAGED),
        ):
            if reports:
                found.append(Note(code, f"{_files(len(reports))} {why}: {_list(reports, most)}"))
        return found

    def refuse(self) -> ReadError:
        """The error for inputs of which nothing can be read."""
        every = [*self.damaged, *self.unknown]
        if not every:
            return ReadError("There is nothing to read: the folder holds no file.")
        return ReadError(
            f"None of {_files(len(every))} can be read: {_list(every, 3)} See `rankbars formats "
            "PATH` for all of them."
        )


def choose_files(
    files: Sequence[InputFile],
    declared: str,
    options: ReadOptions,
    formats: KnownFormats,
    skipped: Skipped,
    known: Callable[[InputFile], ChosenFile | None] | None = None,
) -> list[ChosenFile]:
    """The files to read and their formats.

    Parameters
    ----------
    files : sequence of InputFile
        What was found.
    declared : str
        Name of the format that all files have; ``"auto"`` recognises each by its content.
    options : ReadOptions
        What the caller declares.
    formats : KnownFormats
        The formats.
    skipped : Skipped
        Takes the files of folders that are not read.
    known : callable, optional
        Gives the answer for a file that need not be recognised, or None.

    Raises
    ------
    ReadError
        If a file that the caller named is not recognised or is damaged, or nothing is left.
    """
    with Glance() as glance:
        if any(data_suffix(file.path) in PARQUET_SUFFIXES for file in files):
            glance.start()
        chosen = _choose(files, declared, options, formats, skipped, known)
    if not chosen:
        raise skipped.refuse()
    return chosen


def _choose(
    files: Sequence[InputFile],
    declared: str,
    options: ReadOptions,
    formats: KnownFormats,
    skipped: Skipped,
    known: Callable[[InputFile], ChosenFile | None] | None,
) -> list[ChosenFile]:
    chosen: list[ChosenFile] = []
    for file in files:
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
                raise
            skipped.add_damaged(file.label, error)
            continue
        if report.format is not None:
            chosen.append(ChosenFile(file, report.format, sha256))
        elif file.asked:
            raise ReadError.at(file.label, f"the file is not recognised. {report.reason}")
        else:
            skipped.unknown.append(report)
    return chosen


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
    if len(options.metrics) > 1 and tables:
        raise OptionError(
            f"{tables[0].file.label}: a table shows one metric; got {len(options.metrics)} "
            f"({', '.join(options.metrics)}). Name one."
        )
    if tables:
        return
    given = {
        "rows": options.rows, "folds": options.folds, "test_share": options.test_share,
        "layout": options.layout, "cells": options.cells, "memory_limit": options.room.limit,
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
    if declared == "auto":
        return apply_options(file, recognise(file, formats.stages()), options)
    if file.asked:
        return FileReport(file.label, declared, "declared")
    # In a folder, what the declared format does not know as its own is not what the caller means.
    found = recognise(file, [[formats[declared]]])
    if found.format is None:
        return found._replace(reason=f"It is not recognised as {declared}. {found.reason}")
    return found


def _without_label(error: DataError, label: str) -> str:
    # Formats are asked about a path and know no other name of it.
    text = str(error).removeprefix(label).removeprefix(Path(label).name).lstrip(":, ")
    return text[:1].upper() + text[1:]


def _list(reports: Sequence[FileReport], most: int) -> str:
    shown = "; ".join(f"{report.path}: {report.reason}" for report in reports[:most])
    return shown + (f"; and {len(reports) - most} more" if len(reports) > most else "")


def _files(number: int) -> str:
    return f"{number} file{'s' if number > 1 else ''}"

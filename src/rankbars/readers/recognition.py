"""What a file is: every format is asked, the most confident answer counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rankbars.data.scores import Scores
from rankbars.errors import DataError, ReadError
from rankbars.readers.files import InputFile, data_suffix, read_head
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.parts import Part
from rankbars.readers.tables import TABLE_SUFFIXES, open_table
from rankbars.tables.database import Glance
from rankbars.tables.layouts import find_layout
from rankbars.tables.tableoptions import TableOptions
from rankbars.tables.votetables import wants_votes

__all__ = [
    "AmbiguousFileError", "FileReport", "Format", "Recognition", "apply_options", "recognise",
    "sniff_tidy", "sniff_wide",
]  # fmt: skip

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


class Format(NamedTuple):
    """A file format: two functions and a line of description.

    Parameters
    ----------
    name : str
        Its key in `FORMATS`.
    sniff : callable
        Path and first bytes (decompressed) → `Recognition`, or None if it is not concerned.
    read : callable
        Files and options → what they hold, as `rankbars.readers.parts` tells; or `Scores`.
    description : str
        What the format is, in one line.
    is_table : bool
        Whether it has no signature of its own; asked last, because tables are read to be
        recognised.
    files : str
        Which files, by name and content; for the documentation.
    chosen : str
        What is a model, a task and an item there, and what is taken of several; for the
        documentation.
    options : tuple of str
        Options of the command line that matter most for it.
    """

    name: str
    sniff: Callable[[Path, bytes], Recognition | None]
    read: Callable[[Sequence[InputFile], ReadOptions], Sequence[Part] | Scores]
    description: str
    is_table: bool = False
    files: str = ""
    chosen: str = ""
    options: tuple[str, ...] = ()


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
        return FileReport(file.label, None, " ".join(reasons) or "No format knows such a file.")
    best = [answer for answer in answers if answer.confidence == sure]
    if len(best) > 1:
        shown = "; ".join(f"{answer.format}: {answer.reason}" for answer in best)
        raise AmbiguousFileError.at(
            file.label,
            f"the file fits several formats equally well ({shown}). Choose: "
            f"{' or '.join(f'--format {answer.format}' for answer in best)}.",
        )
    return FileReport(file.label, best[0].format, best[0].reason)


def sniff_tidy(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a table with one row per score."""
    return _sniff_table(path, head, "tidy")


def sniff_wide(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a matrix of scores."""
    return _sniff_table(path, head, "wide")


def apply_options(file: InputFile, report: FileReport, options: TableOptions) -> FileReport:
    """The report as the caller's options change it.

    Options may say how to read a table that its header does not explain. In a folder, a table
    without any of the columns that they name is not what the caller means.

    Parameters
    ----------
    file : InputFile
        The file.
    report : FileReport
        What it was recognised as.
    options : TableOptions
        What the caller declares.
    """
    named = {name for name in options.columns.values() if name}
    table = data_suffix(file.path) in TABLE_SUFFIXES or file.path.name == "stdin"
    if not table or report.format not in (None, "tidy", "wide"):
        return report
    if wants_votes(options) and (file.asked or not named.isdisjoint(_columns(file))):
        return report._replace(format="votes", reason="declared")
    if not file.asked and (named or options.metric):
        columns = _columns(file)
        if named and named.isdisjoint(columns):
            return report._replace(format=None, reason="It has none of the named columns.")
        if not (named or options.layout or options.metric in columns):
            return report
    told = named or options.metric or options.layout or options.cells
    if report.format is None and told:
        wide = options.layout not in (None, "tidy")
        return report._replace(format="wide" if wide else "tidy", reason="declared")
    return report


def _columns(file: InputFile) -> tuple[str, ...]:
    """Columns of a table; none if the file is no table."""
    try:
        with Glance() as engine:
            return open_table(file, engine).columns
    except DataError:
        return ()


def _sniff_table(path: Path, head: bytes, wanted: str) -> Recognition | None:
    known = data_suffix(path) in TABLE_SUFFIXES or path.name == "stdin"
    if not known and not head.startswith(b"PAR1"):
        return None
    state = path.stat()
    layout, reason = _look(path.resolve(), state.st_size, state.st_mtime_ns)
    if layout is None:
        return Recognition(wanted, DECLINED, reason)
    found = "tidy" if layout == "tidy" else "wide"
    if found != wanted:
        return None
    return Recognition(wanted, TABLE, reason if found == "tidy" else f"{layout}: {reason}")


_NO_ROW = "a header and no row below it"


# The formats of tables ask the same of the same file, one after the other.
@lru_cache(maxsize=8)
def _look(path: Path, size: int, changed: int) -> tuple[str | None, str]:
    """Layout of a table and the reason, or None and why there is none."""
    with Glance() as engine:
        table = open_table(InputFile(path, path.name), engine)
        if not table.head(1):
            listed = path.name.removesuffix(".gz").endswith((".json", ".jsonl"))
            return None, f"There is {'no record in it' if listed else _NO_ROW}."
        try:
            return find_layout(table, None, {})
        except ReadError:
            raise  # it is damaged, whatever its layout
        except DataError as error:
            reason = str(error).removeprefix(f"{path.name}: ")
            return None, reason[0].upper() + reason[1:]

"""What a file is: every format is asked, the most confident answer counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, cast

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, read_head

__all__ = ["AmbiguousFileError", "Code", "FileReport", "Format", "Recognition", "recognise"]

if TYPE_CHECKING:
    from rankbars.data.scores import Scores
    from rankbars.readers.parts import Part
    from rankbars.readers.readoptions import ReadOptions

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


class Code(Protocol):
    """Two functions that make a format, as a module has them."""

    def sniff(self, path: Path, head: bytes, /) -> Recognition | None:
        """Path and first bytes (decompressed) → the answer; None if it is not concerned."""

    def read(self, files: Sequence[InputFile], options: ReadOptions, /) -> Sequence[Part] | Scores:
        """Files and options → what they hold, as `rankbars.readers.parts` tells; or `Scores`."""


class Format(NamedTuple):
    """A file format: a module with two functions, and a line of description.

    Parameters
    ----------
    name : str
        Its key in `FORMATS`.
    code : str or Code
        The module, or its name: it is imported when a file may be of the format.
    description : str
        What the format is, in one line.
    is_table : bool
        Whether it has no signature of its own; asked last, because tables are read to be
        recognised.
    looks : callable, optional
        Path and first bytes → whether the module need be asked at all.
    files : str
        Which files, by name and content; for the documentation.
    chosen : str
        What is a model, a task and an item there, and what is taken of several; for the
        documentation.
    options : tuple of str
        Options of the command line that matter most for it.
    """

    name: str
    code: str | Code
    description: str
    is_table: bool = False
    looks: Callable[[Path, bytes], bool] | None = None
    files: str = ""
    chosen: str = ""
    options: tuple[str, ...] = ()

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
        return cast(Code, import_module(self.code)) if isinstance(self.code, str) else self.code


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


def _no_results(path: Path, head: bytes) -> str:
    """What a file is, and what to do, where it is known to hold no results that can be read."""
    start = head.lstrip()[:200].lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return (
            "It is a web page (HTML). The numbers of a page that rankbars wrote are in its board "
            "file, which `rankbars show` prints; save another page's table as CSV."
        )
    if path.suffix.lower() in (".xlsx", ".xlsm", ".xls", ".ods"):
        return "It is a workbook (Excel). Save its sheet as CSV, and read that."
    if start.startswith(b"{") and b'"aggregate"' in start[:40] and path.suffix.lower() == ".json":
        return (
            f"It is a board, which rankbars made of results. Print it: rankbars show {path.name}; "
            "what changed between two: rankbars diff OLD NEW. To rank, name the results."
        )
    return ""

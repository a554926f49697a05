"""Workbooks of Excel: a sheet becomes a CSV file, and is read as one."""

from __future__ import annotations

import importlib.util
import itertools
import re
import shlex
import warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from rankbars.data.drafts import TemporaryFolder
from rankbars.data.notes import list_names
from rankbars.errors import MissingPackageError, ReadError
from rankbars.readers.inputfiles import InputFile, Sheet, read_head
from rankbars.readers.openedfiles import FREE_BYTES, LARGEST_RATIO
from rankbars.readers.sheetcells import FACTS, MOST_ROWS, Facts, SheetCopy

__all__ = ["take_sheets"]

# What all parts of a workbook may take; a million rows of ten columns have less than half of it.
MOST_BYTES = 1 << 30
_BLOCK = 1 << 20

# Older workbooks, and those with a password, lie in a container of this kind.
_CONTAINER = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_LOCKED = "EncryptedPackage".encode("utf-16-le")
# What other programs keep in a workbook, as they like.
_FOREIGN = "customXml/"
# How the text of a part may begin, whatever it is called and coded.
_TEXT = re.compile(rb"(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\0\s]*<")
_AS_CSV = "or save its sheet as CSV, and read that."


def take_sheets(
    file: InputFile, asked: Sequence[str] = (), decimal: str | None = None
) -> list[InputFile]:
    """The sheets of a workbook that are read, each as a copy in CSV.

    Without a word of the caller it is the only one that holds something; of several one is chosen.
    The copies are removed with what is returned.

    Parameters
    ----------
    file : InputFile
        The workbook.
    asked : sequence of str
        Names of sheets, or patterns such as ``"*"``.
    decimal : {".", ","}, optional
        What the caller says that separates the fraction of numbers in text.

    Raises
    ------
    MissingPackageError
        If openpyxl is not installed.
    ReadError
        If the file is no workbook, is damaged, or does not say which sheet is meant.
    """
    _refuse_others(file)
    if importlib.util.find_spec("openpyxl") is None:
        error = MissingPackageError.for_extra(
            "openpyxl", f"Reading {file.label}", '"rankbars[excel]"'
        )
        raise MissingPackageError(f"{error}; {_AS_CSV}")
    with _opened(file) as book:
        chosen = _choose(file, book, (file.part,) if file.part else asked)
        folder = TemporaryFolder()
        hidden = [name for name in book.hidden if name not in chosen]
        found = []
        for number, name in enumerate(chosen):
            # The only sheet stands for its workbook; several are files of a folder.
            alone = len(chosen) == 1 and not file.part
            place = folder.path / str(number)
            place.mkdir()
            path = place / f"{file.path.stem if alone else name}.csv"
            label = file.label if alone or file.part else f"{file.label}/{name}"
            source = f"{file.label}, sheet {name!r}" if alone else label
            made = SheetCopy(book.rows(name), book.facts(name), decimal or ".")
            with path.open("w", encoding="utf-8", newline="") as target:
                made.write(target, source)
            remark = made.remark
            if hidden and not number:
                told = list_names(hidden)
                remark = f"{remark} Left aside: {told}, hidden; --sheet reads it.".lstrip()
            sheet = Sheet(file.path, source, made.gaps, remark, made.durations, folder)
            found.append(file._replace(path=path, label=label, sheet=sheet, part=""))
        return found


def _refuse_others(file: InputFile) -> None:
    """Raises `ReadError` for what is called a workbook, and cannot be read as one."""
    head = read_head(file)
    suffix = file.path.suffix.lower()
    if head.startswith(b"PK"):
        return
    if not head.startswith(_CONTAINER):
        problem = (
            f"it is called {suffix}, and is no workbook (Excel). Give it its true suffix, such as "
            ".csv for text with commas."
        )
    elif _LOCKED in file.path.read_bytes()[: 1 << 24]:
        problem = f"it is a workbook (Excel) with a password. Save it without one, {_AS_CSV}"
    else:
        problem = f"it is a workbook of an older Excel (.xls). Save it as .xlsx, {_AS_CSV}"
    raise ReadError.at(file.label, problem)


class _Book(NamedTuple):
    """A workbook that is open.

    Parameters
    ----------
    sheets : dict of str to worksheet
        Its sheets of cells, by name.
    archive : ZipFile
        Its parts.
    told : dict of str to set of str
        What parts hold beside values of cells, by their paths.
    """

    sheets: dict[str, Any]
    archive: zipfile.ZipFile
    told: dict[str, frozenset[str]]

    def rows(self, name: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a sheet from its first one, as values; each as wide as it is."""
        sheet = self.sheets[name]
        sheet.reset_dimensions()
        return iter(sheet.iter_rows(values_only=True))

    def facts(self, name: str) -> Facts:
        """What a sheet says beside the values of its cells."""
        path = self.sheets[name]._worksheet_path.lstrip("/")
        if not self.told.get(path):
            return Facts()
        with self.archive.open(path) as part:
            return Facts.of(part)

    def is_filled(self, name: str) -> bool:
        """Whether there is a value in a sheet, or a formula that would have one."""
        rows = itertools.islice(self.rows(name), MOST_ROWS)
        filled = any(any(cell not in (None, "") for cell in row) for row in rows)
        return filled or bool(self.facts(name).uncomputed)

    @property
    def hidden(self) -> list[str]:
        """Sheets that nobody sees, and which hold something."""
        return [name for name, sheet in self.sheets.items()
                if sheet.sheet_state != "visible" and self.is_filled(name)]  # fmt: skip


@contextmanager
def _opened(file: InputFile) -> Iterator[_Book]:
    """The workbook, after a look at its parts; whatever is wrong with it becomes a `ReadError`."""
    import openpyxl

    try:
        with (
            file.path.open("rb") as raw,
            zipfile.ZipFile(raw) as archive,
            warnings.catch_warnings(),
        ):
            told = _look_through(file, archive)
            warnings.simplefilter("ignore")  # of what is shown around cells, and left out
            with closing(
                openpyxl.load_workbook(raw, read_only=True, data_only=True, keep_links=False)
            ) as book:
                yield _Book({sheet.title: sheet for sheet in book.worksheets}, archive, told)
    except (ReadError, MemoryError):
        raise
    except (
        zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError,
        KeyError, ValueError, TypeError, AttributeError, IndexError, SyntaxError,
    ) as error:  # fmt: skip
        # A foreign file through a library that trusts it: a part is missing, or says nonsense.
        raise ReadError.at(
            file.label,
            f"the workbook (Excel) is cut off or damaged ({str(error) or type(error).__name__:.80}"
            f"). Save it anew, {_AS_CSV}",
        ) from error


def _look_through(file: InputFile, archive: zipfile.ZipFile) -> dict[str, frozenset[str]]:
    """What parts of a workbook hold beside values, by their paths; raises `ReadError` for a bomb.

    What a part says of its size is not believed. No part of a workbook has a document type, by
    which text could grow or others be asked for.
    """
    names = archive.namelist()
    _refuse_foreign(file, archive, names)
    limit = min(MOST_BYTES, max(FREE_BYTES, LARGEST_RATIO * file.path.stat().st_size))
    told, size = {}, 0
    for name in names:
        found: set[str] = set()
        rest = b""
        is_own = not name.startswith(_FOREIGN)
        is_text = is_own and name.lower().endswith((".xml", ".rels"))
        with archive.open(name) as part:
            while block := part.read(_BLOCK):
                size += len(block)
                if size > limit:
                    raise ReadError.at(
                        file.label,
                        f"the workbook grows to more than {limit >> 20} MiB when it is unpacked, "
                        "which one of results does not. It is not read.",
                    )
                is_text = is_text or (is_own and _TEXT.match(block) is not None)
                block = rest + block
                if is_text and (b"<!DOCTYPE" in block or b"\0" in block):
                    raise ReadError.at(
                        file.label,
                        f"its part {name} is not as a workbook (Excel) has it. It is not read.",
                    )
                found |= {fact for fact, mark in FACTS.items() if mark.search(block)}
                rest = block[-64:]
        told[name] = frozenset(found)
    return told


def _refuse_foreign(file: InputFile, archive: zipfile.ZipFile, names: Sequence[str]) -> None:
    """Raises `ReadError` for an archive that is something else than a workbook of cells."""
    kinds = archive.read("mimetype")[:80] if "mimetype" in names else b""
    if b"opendocument" in kinds:
        problem = f"it is a workbook of LibreOffice (.ods). Save it as .xlsx, {_AS_CSV}"
    elif "xl/workbook.bin" in names:
        problem = f"it is a binary workbook (.xlsb). Save it as .xlsx, {_AS_CSV}"
    elif "[Content_Types].xml" not in names:
        problem = f"it is a ZIP archive and no workbook (Excel). Unpack it, {_AS_CSV}"
    else:
        return
    raise ReadError.at(file.label, problem)


def _choose(file: InputFile, book: _Book, asked: Sequence[str]) -> list[str]:
    """The names of the sheets to read, in the order of the workbook."""
    if not book.sheets:
        raise ReadError.at(
            file.label,
            "the workbook has no sheets of the usual kind; it may be Strict Open XML. Save "
            f"it as an Excel workbook (.xlsx), {_AS_CSV}",
        )
    visible = [name for name, sheet in book.sheets.items() if sheet.sheet_state == "visible"]
    if asked:
        wanted = {name for text in asked for name in _named(text, book.sheets, visible)}
        lacking = [text for text in asked if not _named(text, book.sheets, visible)]
        if lacking:
            raise ReadError.at(
                file.label,
                f"there is no sheet {lacking[0]!r} in the workbook. It has "
                f"{list_names(book.sheets, 8)}.",
            )
        chosen = [name for name in book.sheets if name in wanted and book.is_filled(name)]
    else:
        chosen = [name for name in visible if book.is_filled(name)]
    if not chosen:
        raise ReadError.at(
            file.label, "there is nothing in the sheets. Expected a header and rows."
        )
    if len(chosen) > 1 and not asked:
        first = chosen[0]
        raise ReadError.at(
            file.label,
            f"{len(chosen)} sheets hold something: {list_names(chosen, 8)}. Choose one: --sheet "
            f"{shlex.quote(first)} (in Python: sheet={first!r}); or all, each as a file of a "
            "folder: --sheet '*' (in Python: sheet='*').",
        )
    return chosen


def _named(text: str, names: Sequence[str] | dict[str, Any], visible: Sequence[str]) -> list[str]:
    """The sheets that a text names; as a pattern it names those that are seen."""
    if text in names:
        return [text]
    # No name of a sheet has a bracket, which a pattern would take for a choice of letters.
    pattern = re.sub(r"([\[\]])", r"[\1]", text.casefold())
    return [name for name in visible if fnmatchcase(name.casefold(), pattern)]

"""Files that were asked for: found, opened whatever their compression, and identified."""

from __future__ import annotations

import codecs
import difflib
import glob
import hashlib
import io
import itertools
import os
import re
import shutil
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, NamedTuple, TypeVar

from rankbars.data.binaryfiles import COMPRESSIONS, binary_kind
from rankbars.data.drafts import TemporaryFolder
from rankbars.errors import ReadError
from rankbars.readers.openedfiles import (
    DAMAGE,
    Meter,
    open_binary,
)

__all__ = [
    "HEAD_BYTES",
    "UTF8",
    "WINDOWS",
    "WORKBOOKS",
    "InputFile",
    "Sheet",
    "as_input",
    "data_suffix",
    "digest",
    "file_stem",
    "find_encoding",
    "find_files",
    "holds_sheets",
    "is_url",
    "open_text",
    "read_all",
    "read_each",
    "read_head",
    "split_name",
    "standard_input",
]

# Names of a folder that are looked at for one like the one that is not there.
_MOST_NAMES = 10_000

HEAD_BYTES = 1 << 16
STANDARD_INPUT = "-"

# Workbooks that can be read; a sheet of one is named as a file in a folder is.
WORKBOOKS = (".xlsx", ".xlsm")

T = TypeVar("T")


class Sheet(NamedTuple):
    """The sheet of a workbook that a CSV file is a copy of.

    Parameters
    ----------
    workbook : Path
        Where the workbook lies.
    source : str
        How messages call the sheet.
    gaps : bool
        Whether rows are empty between others.
    remark : str
        What is to be said of it.
    durations : tuple of int
        Places of columns that hold durations.
    folder : TemporaryFolder
        Where the copy lies while it is needed.
    """

    workbook: Path
    source: str
    gaps: bool
    remark: str
    durations: tuple[int, ...]
    folder: TemporaryFolder


class InputFile(NamedTuple):
    """A file to read.

    Parameters
    ----------
    path : Path
        Where it lies.
    label : str
        How messages and provenance call it: as the caller wrote it.
    asked : bool
        Whether the caller named this file, rather than a folder or a pattern.
    meter : Meter, optional
        Counts what is read of it.
    url : str
        Where it lies, if `path` is a copy of it.
    name : str
        What the caller calls its model, as ``name=path``; empty if nothing was said.
    part : str
        The sheet of a workbook that the caller named behind its path.
    sheet : Sheet, optional
        The sheet that `path` is a copy of.
    """

    path: Path
    label: str
    asked: bool = True
    meter: Meter | None = None
    url: str = ""
    name: str = ""
    part: str = ""
    sheet: Sheet | None = None

    @property
    def origin(self) -> Path:
        """Where its bytes lie that came from elsewhere."""
        return self.path if self.sheet is None else self.sheet.workbook

    @property
    def source(self) -> str:
        """How messages call its table."""
        return self.label if self.sheet is None else self.sheet.source

    def count_share(self, share: float) -> None:
        """Tell the meter which share of the file was read."""
        if self.meter is not None:
            self.meter.count(self.path, round(share * self.path.stat().st_size))


def find_files(paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]]) -> list[InputFile]:
    """Files behind paths, folders and patterns, each once, in the order given.

    Folders are searched through, in the order of their names; hidden files are left out.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, folders, patterns such as ``"runs/*.csv"``. ``"-"`` is for `standard_input`.

    Raises
    ------
    ReadError
        If a path does not exist, a pattern matches nothing, folders hold no file, or nothing was
        given.
    """
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    if not given:
        raise ReadError("There is nothing to read: no path was given.")
    found: dict[str, InputFile] = {}
    for path in given:
        for file in _expand(os.fspath(path)):
            # Links are not followed: what two names lead to are two inputs.
            place = os.path.normcase(os.path.abspath(file.path))  # noqa: PTH100
            if place not in found or (file.asked and not found[place].asked):
                found[place] = file
    if not found:
        folders = ", ".join(os.fspath(path) for path in given)
        raise ReadError(f"{folders}: there is no file in it (hidden ones are left out).")
    return list(found.values())


def _expand(text: str) -> Iterator[InputFile]:
    path = Path(text)
    try:
        mode = path.stat().st_mode
    except PermissionError:
        mode = stat.S_IFREG  # it may be there; opening it says what is wrong
    except (OSError, ValueError):
        mode = None
    if mode is not None and stat.S_ISDIR(mode):
        if path.resolve() == Path(path.resolve().anchor):
            raise ReadError(
                f"{text}: this is the whole disk, no folder of results. Name the folder."
            )
        yield from _walk(path)
    elif mode is not None:
        yield InputFile(path, text)
    elif glob.has_magic(text):
        # A pattern may reach into folders (**); hidden files do not match.
        matches = sorted(glob.glob(text, recursive=True))  # noqa: PTH207  (an absolute pattern)
        if not matches:
            raise ReadError(f"{text}: no file matches this pattern.")
        for match in matches:
            if os.path.isdir(match):  # noqa: PTH112  (False also where it may not be asked)
                yield from _walk(Path(match))
            else:
                yield InputFile(Path(match), match, asked=False)
    elif as_input(text).part:
        yield as_input(text)
    elif (named := split_name(text))[0] and os.path.isfile(as_input(named[1]).path):  # noqa: PTH113
        yield as_input(named[1])._replace(label=f"{named[0]} = {named[1]}", name=named[0])
    else:
        raise ReadError(f"{text}: there is no such file or folder.{_near(path)}")


def as_input(text: str) -> InputFile:
    """The file at a path, which may name a sheet behind a workbook: ``results.xlsx/Maths``."""
    path = Path(text)
    if path.parent.suffix.lower() in WORKBOOKS and os.path.isfile(path.parent):  # noqa: PTH113
        return InputFile(path.parent, text, part=path.name)
    return InputFile(path, text)


def holds_sheets(file: InputFile) -> bool:
    """Whether a file is called as a workbook that can be read, and none of its sheets was taken."""
    return file.sheet is None and file.path.suffix.lower() in WORKBOOKS


def split_name(text: str) -> tuple[str, str]:
    """Name and path of ``name=path``; an empty name if it is a path, which wins.

    Examples
    --------
    >>> split_name("new=runs/b.csv"), split_name("runs/lr=0.1.csv")
    (('new', 'runs/b.csv'), ('', 'runs/lr=0.1.csv'))
    """
    name, sign, path = text.partition("=")
    if not (sign and name and path) or "/" in name or os.path.exists(text):  # noqa: PTH110
        return "", text
    return name, path


def _near(path: Path) -> str:
    """A file beside it with nearly the same name, as a question."""
    if not path.parent.is_dir():
        return ""
    names = [one.name for one in itertools.islice(path.parent.iterdir(), _MOST_NAMES)]
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.8)
    return f" Did you mean {path.with_name(near[0]).as_posix()}?" if near else ""


def _walk(folder: Path) -> Iterator[InputFile]:
    closed: list[OSError] = []
    for place, folders, files in os.walk(folder, onerror=closed.append):
        folders[:] = sorted(name for name in folders if not _is_hidden(name))
        for name in sorted(files):
            path = Path(place) / name
            if not name.startswith(".") and _may_be_file(path):
                yield InputFile(path, path.as_posix(), asked=False)
    for error in closed:
        path = Path(str(error.filename))
        yield InputFile(path, path.as_posix(), asked=False)


def _may_be_file(path: Path) -> bool:
    """Whether it is tried as a file: pipes and devices, which would never end, are not."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except OSError:  # a broken link, or one into a closed place: opening it says so
        return True


def _is_hidden(name: str) -> bool:
    """Whether a folder is left out: hidden ones are, but the Hub keeps results in one."""
    # lm-eval writes the slash of a model such as ./out as two underscores.
    return name.startswith(".") and name != ".eval_results" and not name.startswith(".__")


@contextmanager
def standard_input(needed: bool) -> Iterator[InputFile | None]:
    """A copy of standard input in a temporary file, removed at the end; None if not `needed`.

    A copy, because some formats are read from their end and all are read twice.
    """
    if not needed:
        yield None
        return
    with closing(TemporaryFolder()) as folder:
        path = folder.path / "stdin"
        with path.open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        yield InputFile(path, STANDARD_INPUT)


def data_suffix(path: Path) -> str:
    """Suffix in lower case, without that of a compression.

    Examples
    --------
    >>> data_suffix(Path("scores.CSV.gz"))
    '.csv'
    """
    name = path.name.lower()
    while True:  # asked of every file by most formats: `Path.suffixes` is slow
        name, _, end = name.rpartition(".")
        if not name.strip(".") or not end:
            return ""
        if f".{end}" not in COMPRESSIONS:
            return f".{end}"


def file_stem(path: Path) -> str:
    """Name without its suffix and that of a compression.

    Examples
    --------
    >>> file_stem(Path("runs/gpt-4.1.csv.gz"))
    'gpt-4.1'
    """
    name = path.name
    for suffix in COMPRESSIONS:
        if name.lower().endswith(suffix):
            name = name[: -len(suffix)]
    return Path(name).stem


@contextmanager
def open_text(file: InputFile) -> Iterator[IO[str]]:
    """The file as text; whatever is wrong with its bytes becomes a `ReadError`.

    It is UTF-8, but for the UTF-16 that some sheets call Unicode, which says so itself, and what
    sheets of the West save otherwise.
    """
    try:
        with open_binary(file.path, label=file.label) as raw:
            encoding = find_encoding(raw.read(HEAD_BYTES), data_suffix(file.path))
        with (
            open_binary(file.path, file.meter, file.label) as raw,
            io.TextIOWrapper(raw, encoding, newline="") as text,
        ):
            yield text
    except UnicodeDecodeError as error:
        raise _not_utf8(file, error) from error
    except DAMAGE as error:
        raise _unreadable(file, error) from error


UTF8, WINDOWS = "utf-8-sig", "cp1252"

_SHEETS = (".csv", ".tsv", ".tab", ".txt")

# What people of the West write beside ASCII, in names and beside numbers.
_WESTERN = frozenset(
    "ÄÖÜäöüßÅåÆæØøÀÁÂÃÇÈÉÊËÌÍÎÏÑÒÓÔÕÙÚÛÝàáâãçèéêëìíîïñòóôõùúûýÿœŒ€£§°±²³µ·×–—"
    "\u2018\u2019\u201c\u201d„…«»•™®©†‡ \xa0"
)
_MOST_TOGETHER = 2  # letters; texts of other scripts have whole words of them


def find_encoding(head: bytes, suffix: str) -> str:
    r"""Encoding of text that begins so: UTF-8, UTF-16, or of a sheet also Windows-1252.

    Examples
    --------
    >>> find_encoding(b"Modell;\xdcbersetzung", ".csv"), find_encoding(b"\xdc", ".json")
    ('cp1252', 'utf-8-sig')
    >>> find_encoding("модель;перевод".encode("cp1251"), ".csv")
    'utf-8-sig'
    """
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if suffix not in _SHEETS or head.isascii():
        return UTF8
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        beyond = re.findall(rb"[\x80-\xff]+", head)
        together = max(map(len, beyond))
        known = {*b"".join(beyond).decode(WINDOWS, "replace")} <= _WESTERN
        return WINDOWS if known and together <= _MOST_TOGETHER else UTF8
    return UTF8


def read_head(file: InputFile) -> bytes:
    """The first bytes, decompressed; raises `ReadError` if there are none."""
    try:
        with open_binary(file.path, label=file.label) as raw:
            head = raw.read(HEAD_BYTES)
    except DAMAGE as error:
        raise _unreadable(file, error) from error
    if not head:
        raise ReadError.at(file.label, "the file is empty. Expected a table of results.")
    return head


def read_each(files: Iterable[InputFile], read_one: Callable[[InputFile], T]) -> list[T]:
    """What `read_one` makes of each file.

    Damage is raised at the end, as one error about all damaged files, so that those of folders can
    be left out.

    Raises
    ------
    ReadError
        If a file is damaged.
    """
    found: list[T] = []
    errors: list[ReadError] = []
    for file in files:
        try:
            found.append(read_one(file))
        except ReadError as error:
            error.places = error.places or (file.label,)
            errors.append(error)
    if errors:
        raise ReadError.joined(errors)
    return found


def read_all(files: Iterable[InputFile], read_one: Callable[[InputFile], Iterable[T]]) -> list[T]:
    """All that `read_one` finds in the files, one after the other; errors as of `read_each`."""
    return [one for found in read_each(files, lambda file: [*read_one(file)]) for one in found]


def digest(file: InputFile) -> str:
    """SHA-256 of the file as it lies on disk."""
    try:
        with file.origin.open("rb") as raw:
            return hashlib.file_digest(raw, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(file, error) from error


def _unreadable(file: InputFile, error: Exception) -> ReadError:
    if file.path.suffix.lower() in COMPRESSIONS and not isinstance(error, FileNotFoundError):
        if _is_text(file):
            return ReadError.at(
                file.label,
                "the file is not compressed, whatever its name says. Call it "
                f"{file.path.with_suffix('').name}.",
            )
        return ReadError.at(
            file.label, f"the compressed file is cut off or damaged ({error}). Copy it again."
        )
    reason = getattr(error, "strerror", None) or str(error)
    if os.path.isdir(file.path):  # noqa: PTH112  (False also where it may not be asked)
        return ReadError.at(file.label, "the folder cannot be opened; you may not be allowed to.")
    return ReadError.at(file.label, f"the file cannot be read ({reason}).")


def _is_text(file: InputFile) -> bool:
    """Whether a file starts like text."""
    with file.path.open("rb") as raw:
        head = raw.read(HEAD_BYTES)
    try:
        return "\0" not in codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False


def _not_utf8(file: InputFile, error: UnicodeDecodeError) -> ReadError:
    try:
        kind = binary_kind(read_head(file), file.path)
        if kind:
            return ReadError.at(file.label, kind)
        with open_binary(file.path) as raw:
            for number, line in enumerate(raw, start=1):
                if number == 1 and line.startswith((b"\xff\xfe", b"\xfe\xff")):
                    break
                try:
                    line.decode("utf-8")
                except UnicodeDecodeError as inside:
                    byte = line[inside.start]
                    return ReadError.at(
                        file.label,
                        f"the byte 0x{byte:02x} is not UTF-8. Save the file with the encoding "
                        f"UTF-8 (it may be Latin-1 or Windows-1252, where it is {chr(byte)!r}).",
                        row=number,
                    )
    except DAMAGE as damage:
        return _unreadable(file, damage)
    return ReadError.at(
        file.label, f"the text is not UTF-8 ({error.reason}); it may be UTF-16. Save it as UTF-8."
    )


def is_url(path: str) -> bool:
    """Whether a path names a protocol.

    Examples
    --------
    >>> is_url("s3://bucket/x.parquet"), is_url("C:/x.parquet")
    (True, False)
    """
    protocol, sign, _ = path.partition("://")
    return bool(sign) and protocol.isalnum()

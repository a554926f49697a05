"""ZIP archives that nobody vouches for: members are read in memory, within bounds.

The central directory counts; of several members with one name the last one does. Nothing is
written to disk, so no name can lead out of the archive.
"""

from __future__ import annotations

import io
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any, cast

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.openedfiles import open_raw

__all__ = ["Archive", "open_archive"]

ZSTANDARD = 93
METHODS = {0: "stored", 8: "deflate", ZSTANDARD: "zstd"}

LARGEST_MEMBER = 1 << 31
LARGEST_RATIO = 300
FREE_BYTES = 1 << 26
MOST_MEMBERS = 1_000_000

_LOCAL_HEADER = struct.Struct("<4sHHHHHIIIHH")
_ENCRYPTED = 0x1

_DAMAGE = (
    EOFError, OSError, zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError,
    RuntimeError, OverflowError,
)  # fmt: skip


@contextmanager
def open_archive(file: InputFile) -> Iterator[Archive]:
    """The archive, open for reading.

    Raises
    ------
    ReadError
        If the file is not a whole ZIP archive.
    """
    try:
        raw = open_raw(file.path, file.meter)
    except OSError as error:
        raise ReadError.at(file.label, f"the file cannot be read ({error.strerror}).") from error
    with raw:
        try:
            directory = zipfile.ZipFile(raw)
        except (*_DAMAGE, ValueError, IndexError) as error:
            raise ReadError.at(
                file.label,
                f"the archive is cut off or damaged ({error}). Copy it again; of a run that "
                "crashed, only what the producer can recover is left.",
            ) from error
        with directory:
            yield Archive(file, raw, directory)


class Archive:
    """Members of one ZIP archive; made by `open_archive`."""

    def __init__(self, file: InputFile, raw: IO[bytes], directory: zipfile.ZipFile) -> None:
        members = directory.infolist()
        if len(members) > MOST_MEMBERS:
            raise ReadError.at(file.label, f"the archive holds {len(members)} members; too many.")
        self._file = file
        self._raw = raw
        self._directory = directory
        self._members = {one.filename: one for one in members}
        self._allowed = max(FREE_BYTES, LARGEST_RATIO * file.path.stat().st_size)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the members, each once."""
        return tuple(self._members)

    def label(self, name: str) -> str:
        """How messages call a member."""
        return f"{self._file.label}, member {name}"

    @contextmanager
    def open_json(self, name: str) -> Iterator[JsonStream]:
        """The JSON text of a member; every damage becomes a `ReadError`."""
        label = self.label(name)
        try:
            with (
                self._open(name) as raw,
                io.TextIOWrapper(io.BufferedReader(raw), "utf-8-sig") as text,
            ):
                yield JsonStream(text, label)
        except UnicodeDecodeError as error:
            raise ReadError.at(label, f"the text is not UTF-8 ({error.reason}).") from error
        except _DAMAGE as error:
            raise ReadError.at(label, f"the member is damaged ({error}). Copy the file.") from error

    def load_json(self, name: str) -> Any:
        """The JSON value of a member."""
        with self.open_json(name) as stream:
            value = stream.value()
            stream.end()
            return value

    @contextmanager
    def _open(self, name: str) -> Iterator[io.RawIOBase]:
        member = self._members[name]
        label = self.label(name)
        if member.flag_bits & _ENCRYPTED:
            raise ReadError.at(label, "the member is encrypted.")
        if member.compress_type not in METHODS:
            raise ReadError.at(
                label,
                f"compression method {member.compress_type} is not read (known: "
                f"{', '.join(METHODS.values())}).",
            )
        native = member.compress_type != ZSTANDARD or sys.version_info >= (3, 14)
        stream = self._directory.open(member) if native else self._open_zstandard(member)
        with stream:
            yield _Bounded(stream, label, self, member.file_size)

    def _open_zstandard(self, member: zipfile.ZipInfo) -> IO[bytes]:
        """Decompressed bytes of a member that `zipfile` cannot read before Python 3.14."""
        import zstandard

        self._raw.seek(member.header_offset)
        header = _LOCAL_HEADER.unpack(self._raw.read(_LOCAL_HEADER.size))
        if header[0] != b"PK\x03\x04":
            raise zipfile.BadZipFile("no member starts where the directory says")
        self._raw.seek(header[-2] + header[-1], io.SEEK_CUR)
        part = io.BufferedReader(_Part(self._raw, self._raw.tell(), member.compress_size))
        reader = zstandard.ZstdDecompressor().stream_reader(part, read_across_frames=True)
        return cast(IO[bytes], _Translated(reader, zstandard.ZstdError))

    def spend(self, count: int, label: str) -> None:
        """Count decompressed bytes; raises `ReadError` beyond what a log can hold."""
        self._allowed -= count
        if self._allowed < 0:
            raise ReadError.at(
                label,
                f"the archive grows more than {LARGEST_RATIO} times when it is decompressed, "
                "which text of logs does not. It is not read.",
            )


class _Bounded(io.RawIOBase):
    """Bytes of a member, counted."""

    def __init__(self, stream: IO[bytes], label: str, archive: Archive, size: int) -> None:
        self._stream = stream
        self._label = label
        self._archive = archive
        self._size = size
        self._taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(len(buffer))
        self._taken += len(data)
        self._archive.spend(len(data), self._label)
        if self._taken > LARGEST_MEMBER:
            raise ReadError.at(
                self._label, f"the member is larger than {LARGEST_MEMBER >> 30} GiB."
            )
        if not data and len(buffer) and self._taken != self._size:
            raise zipfile.BadZipFile(f"{self._taken} bytes where {self._size} were stored")
        buffer[: len(data)] = data
        return len(data)


class _Part(io.RawIOBase):
    """A range of bytes of an open file."""

    def __init__(self, raw: IO[bytes], start: int, size: int) -> None:
        self._raw = raw
        self._at = start
        self._left = size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._raw.seek(self._at)
        data = self._raw.read(min(len(buffer), self._left))
        self._at += len(data)
        self._left -= len(data)
        buffer[: len(data)] = data
        return len(data)


class _Translated(io.RawIOBase):
    """A stream whose own kind of error becomes the one of damaged archives."""

    def __init__(self, stream: IO[bytes], error: type[Exception]) -> None:
        self._stream = stream
        self._error = error

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        try:
            return self._stream.read(size)
        except self._error as error:
            raise zipfile.BadZipFile(str(error)) from error

"""Files opened whatever their compression, within bounds, and how much of them was read."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from rankbars.errors import ReadError

__all__ = ["COMPRESSIONS", "DAMAGE", "Meter", "Progress", "open_binary", "open_raw", "refuse_bomb"]

COMPRESSIONS = (".gz", ".bz2", ".xz", ".zst")

# A compressed file may grow this much; tables and logs shrink to a tenth or a hundredth. It is
# asked about what was read so far, so that a bomb is met early, but not about a short start.
LARGEST_RATIO = 300
FREE_BYTES = 1 << 23

BUFFER_BYTES = 1 << 17

# What opening or reading a file that is cut off or damaged may raise.
DAMAGE = (EOFError, OSError, lzma.LZMAError, zlib.error)

# Takes the bytes read so far, and the bytes of all files.
Progress: TypeAlias = Callable[[int, int], None]


class Meter:
    """How much of all files has been read; several passes over a file count as one.

    Parameters
    ----------
    report : callable
        Takes the bytes read so far and the bytes of all files.
    files : sequence of Path
        The files.
    """

    def __init__(self, report: Progress, files: Sequence[Path]) -> None:
        self._report = report
        self._left = {path: path.stat().st_size for path in files}
        self._total = sum(self._left.values())
        self._done = 0

    def count(self, path: Path, bytes_read: int) -> None:
        """Take note of bytes of a file."""
        counted = min(self._left.get(path, 0), bytes_read)
        if counted:
            self._left[path] -= counted
            self._done += counted
            self._report(self._done, self._total)

    def finish(self, path: Path) -> None:
        """Count the whole file as read."""
        self.count(path, self._left.get(path, 0))


def open_binary(path: Path, meter: Meter | None = None, label: str | None = None) -> IO[bytes]:
    """The file for reading, decompressed on the way; messages call it `label`.

    Reading raises `ReadError` where a compressed file grows beyond what text of results does.
    """
    suffix = path.suffix.lower()
    raw = open_raw(path, meter)
    unpacked: Any
    if suffix == ".gz":
        unpacked = gzip.GzipFile(fileobj=raw)
    elif suffix == ".bz2":
        unpacked = bz2.BZ2File(raw)
    elif suffix == ".xz":
        unpacked = lzma.LZMAFile(raw)  # noqa: SIM115  (closed by what is returned)
    elif suffix == ".zst":
        unpacked = _open_zstandard(raw, path)
    else:
        return raw
    return cast(IO[bytes], io.BufferedReader(_Unpacked(unpacked, raw, path, label), BUFFER_BYTES))


def open_raw(path: Path, meter: Meter | None = None) -> IO[bytes]:
    """The bytes of the file as they lie on disk; `meter` counts them."""
    if meter is None:
        return path.open("rb")
    return cast(IO[bytes], io.BufferedReader(_Watched(path, meter), BUFFER_BYTES))


def refuse_bomb(path: Path, label: str) -> None:
    """Raises `ReadError` if the first bytes of a compressed file grow as those of a bomb do.

    Bytes are decompressed much faster than cells are read, so this is asked first.
    """
    try:
        with open_binary(path, label=label) as start:
            left = FREE_BYTES + 1
            while left > 0 and (data := start.read(min(left, BUFFER_BYTES))):
                left -= len(data)
    except DAMAGE:
        return  # the reader of the file tells what is wrong, and where


class _Watched(io.FileIO):
    """A file whose bytes are counted."""

    def __init__(self, path: Path, meter: Meter) -> None:
        super().__init__(path, "rb")
        self._path = path
        self._meter = meter

    def readinto(self, buffer: Any, /) -> int | None:
        size = super().readinto(buffer)
        self._meter.count(self._path, size or 0)
        return size


class _Unpacked(io.RawIOBase):
    """Decompressed bytes, bounded; closes the file behind them with itself."""

    def __init__(
        self, unpacked: IO[bytes], packed: IO[bytes], path: Path, label: str | None
    ) -> None:
        super().__init__()
        self._unpacked = unpacked
        self._packed = packed
        self._label = label or str(path)
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._unpacked.read(len(buffer))
        self._given += len(data)
        if self._given > FREE_BYTES and self._given > LARGEST_RATIO * self._packed.tell():
            raise ReadError.at(
                self._label,
                f"the file grows more than {LARGEST_RATIO} times when it is decompressed, which "
                "text of results does not. It is not read.",
            )
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        if not self.closed:
            super().close()
            self._unpacked.close()
            self._packed.close()


def _open_zstandard(raw: IO[bytes], path: Path) -> IO[bytes]:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.open(raw, "rb")
    from rankbars.readers.zstandardfile import ZstandardFile

    return cast(IO[bytes], io.BufferedReader(ZstandardFile(raw, path)))

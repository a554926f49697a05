"""Files opened whatever their compression, within bounds, and how much of them was read.

And small ones that people write: text and YAML.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from rankbars.data.binaryfiles import binary_kind
from rankbars.errors import MissingPackageError, ReadError

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "DAMAGE",
    "Meter",
    "Progress",
    "decode_utf8",
    "open_binary",
    "open_raw",
    "parse_yaml",
    "read_bytes",
    "read_utf8",
    "refuse_bomb",
]


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
    return cast(IO[bytes], io.BufferedReader(_ZstandardFile(raw, path)))


# Few bytes at a time, because each may stand for thirty thousand.
CHUNK_BYTES = 1 << 10


class _ZstandardFile(io.RawIOBase):
    """A file of Zstandard where the standard library cannot read it, decompressed on the way.

    One that ends too early raises `EOFError`.

    The reader of the package `zstandard` takes a file that is cut off for a whole one.

    Parameters
    ----------
    file : binary file
        What is compressed; closed with this.
    path : Path
        Its name, for messages.
    """

    def __init__(self, file: IO[bytes], path: Path) -> None:
        super().__init__()
        try:
            import zstandard
        except ImportError as error:
            raise MissingPackageError.for_extra(
                "zstandard", f"Reading {path}", "zstandard"
            ) from error
        self._frame = zstandard.ZstdDecompressor().decompressobj
        self._damage = zstandard.ZstdError
        self._now = self._frame()
        self._begun = False
        self._ready = memoryview(b"")
        self._file = file

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Buffer) -> int:
        """Fill `buffer`; returns how many bytes there were, 0 at the end."""
        target = memoryview(buffer).cast("B")
        while not self._ready:
            if not self._advance():
                return 0
        count = min(len(target), len(self._ready))
        target[:count] = self._ready[:count]
        self._ready = self._ready[count:]  # a view: nothing is copied
        return count

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()

    def _advance(self) -> bool:
        """Decompress one more chunk; False at the end of the last frame."""
        data = self._now.unused_data if self._now.eof else b""
        data = data or self._file.read(CHUNK_BYTES)
        if not data:
            if self._begun and not self._now.eof:
                raise EOFError("it ends inside a frame")
            return False
        if self._now.eof:
            self._now = self._frame()
        self._begun = True
        try:
            self._ready = memoryview(self._now.decompress(data))
        except self._damage as error:
            raise OSError(str(error)) from error
        return True


def read_utf8(path: str | os.PathLike[str]) -> str:
    """The text of a file; raises `ReadError` if it cannot be read, or is not UTF-8."""
    return decode_utf8(path, read_bytes(path))


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """What a file holds; raises `ReadError` if it cannot be read."""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f"Cannot read {path}: {error.strerror or error}.") from error


def decode_utf8(path: str | os.PathLike[str], data: bytes) -> str:
    """The text that the bytes of a file are; raises `ReadError` if it is not UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        kind = binary_kind(data, path)
        raise ReadError.at(path, kind or "it is not UTF-8 text. Save it as UTF-8.") from error


def parse_yaml(path: str | os.PathLike[str], text: str, hint: str = "") -> Any:
    """What the text of a YAML file holds: plain values; a key that stands there twice is refused.

    Parameters
    ----------
    path : path
        The file, for messages.
    text : str
        What stands in it.
    hint : str
        Said where it is no YAML.

    Raises
    ------
    ReadError
        If it is no YAML, or a mapping has a key twice.

    Examples
    --------
    >>> parse_yaml("site.yaml", "title: Leaderboard")
    {'title': 'Leaderboard'}
    """
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    def once(loader: Loader, node: yaml.MappingNode) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # no key of anything here, which the loader says
            if key.value in seen:
                line = key.start_mark.line + 1
                raise ReadError.at(path, f"the key {key.value!r} stands there twice (line {line}).")
            seen.add(key.value)
        return loader.construct_mapping(node, deep=True)

    Loader.add_constructor("tag:yaml.org,2002:map", once)
    try:
        return yaml.load(text, Loader=Loader)  # noqa: S506 (a SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        place = " ".join(str(error).split())
        raise ReadError.at(path, f"it does not hold valid YAML ({place}).{hint}") from error

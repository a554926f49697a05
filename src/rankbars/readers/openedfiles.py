"""Files opened wherever they lie and whatever their compression, and how much of them was read.

Files that lie elsewhere have URLs such as s3://bucket/results.parquet and come through fsspec.
Whatever is opened stays within bounds.
"""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from http.client import HTTPException
from importlib import import_module
from multiprocessing import TimeoutError as NoAnswerError
from multiprocessing.pool import ThreadPool
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, Any, NamedTuple, TypeAlias, cast
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from rankbars.data.drafts import TemporaryFolder
from rankbars.errors import MissingPackageError, ReadError

if TYPE_CHECKING:
    import duckdb
    from typing_extensions import Buffer

__all__ = [
    "COMPRESSIONS",
    "DAMAGE",
    "Limits",
    "Meter",
    "Progress",
    "fetched",
    "open_binary",
    "open_raw",
    "refuse_bomb",
    "register",
]

_BLOCK = 1 << 20


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


class Limits(NamedTuple):
    """How far a transfer is trusted.

    Parameters
    ----------
    size : float
        Bytes of a file at most.
    silence : float
        Seconds without a byte after which it is given up.
    other_hosts : bool
        Whether an answer may lead to a host that the URL does not name.
    """

    size: float = 50e9
    silence: float = 60.0
    other_hosts: bool = False


@contextmanager
def fetched(urls: Sequence[str], limits: Limits | None = None) -> Iterator[dict[str, Path]]:
    """Copies of files that lie elsewhere, while the context lasts.

    Parameters
    ----------
    urls : sequence of str
        Where they lie.
    limits : Limits, optional
        When a transfer is given up.

    Raises
    ------
    MissingPackageError
        If fsspec, or what it needs for the protocol, is not installed.
    ReadError
        If a file cannot be read.
    """
    if not urls:
        yield {}
        return
    folder = TemporaryFolder()
    try:
        found = {}
        for number, url in enumerate(urls):
            name = PurePosixPath(urlsplit(url).path).name or "stdin"
            place = folder.path / str(number)
            place.mkdir()
            found[url] = place / name
            _copy(url, found[url], limits or Limits())
        yield found
    finally:
        folder.close()


def _copy(url: str, path: Path, limits: Limits) -> None:
    try:
        with _opened(url, limits) as source, path.open("wb") as copy:
            taken = 0
            while block := source.read(_BLOCK):
                taken += len(block)
                if taken > limits.size:
                    raise ReadError.at(
                        url,
                        f"more than {limits.size / 1e9:g} GB came, and no end. If it is what you "
                        f"want, allow more: --download-limit {_more_than(limits.size)} (in Python: "
                        f"download_limit={_more_than(limits.size)!r}), or copy it yourself and "
                        "give the path.",
                    )
                copy.write(block)
            expected = getattr(source, "length", None)  # what an answer still owes
            if expected:
                raise ReadError.at(
                    url, f"the transfer broke off {expected:,} bytes before its end. Try again."
                )
    except TimeoutError as error:
        raise ReadError.at(
            url, f"nothing came for {limits.silence:g} seconds. Try again later."
        ) from error
    except HTTPError as error:
        error.close()
        raise ReadError.at(url, f"the file cannot be read ({error}).") from error
    except (OSError, ValueError, HTTPException) as error:
        # Some protocols report nothing but the URL again, and keep the reason behind it.
        reason = (error.__cause__ if str(error) == url else None) or error
        reason = getattr(reason, "reason", reason)
        raise ReadError.at(url, f"the file cannot be read ({reason}).") from error


def _more_than(size: float) -> str:
    """A size to allow instead: twice as much, in whole units."""
    unit, bytes_of = ("GB", 10**9) if size >= 10**9 else ("MB", 10**6)
    return f"{max(round(2 * size / bytes_of), 1)}{unit}"


def _opened(url: str, limits: Limits) -> Any:
    """The file behind a URL, to be read from; the web by the standard library."""
    if urlsplit(url).scheme in ("http", "https"):
        return build_opener(_SameHost(limits)).open(url, timeout=limits.silence)
    return _Impatient(_files(url).open(url, "rb"), limits.silence)


class _SameHost(HTTPRedirectHandler):
    """Follows an answer to another address only on the host that was named."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> Request | None:
        before, after = urlsplit(req.full_url), urlsplit(newurl)
        fp.close()
        if after.scheme not in ("http", "https") or (before.scheme, after.scheme) == (
            "https", "http",
        ):  # fmt: skip
            raise ReadError.at(req.full_url, f"it leads to {newurl}, which is not followed.")
        if after.hostname != before.hostname and not self._limits.other_hosts:
            raise ReadError.at(
                req.full_url,
                f"it leads to another host, {after.hostname}, which is not followed. If you trust "
                f"that host, give its address: {newurl}, or follow to any host: --other-hosts (in "
                "Python: other_hosts=True)",
            )
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Impatient:
    """A file whose reading gives up when nothing comes, whatever protocol is behind it."""

    def __init__(self, file: IO[bytes], silence: float) -> None:
        self._file = file
        self._silence = silence
        self._worker = ThreadPool(1)  # its thread ends with the process if it never comes back

    def __enter__(self) -> _Impatient:
        return self

    def __exit__(self, *raised: object) -> None:
        self._worker.terminate()
        self._file.close()

    def read(self, size: int) -> bytes:
        """The next bytes; `TimeoutError` if none come."""
        try:
            return self._worker.apply_async(self._file.read, (size,)).get(self._silence)
        except NoAnswerError as error:
            raise TimeoutError from error


def register(engine: duckdb.DuckDBPyConnection, url: str) -> None:
    """Let the engine read files of the URL's protocol."""
    files = _files(url)
    try:
        files.modified(url)
    except (NotImplementedError, KeyError, OSError):
        # The engine asks when a file was changed, which some protocols do not say.
        files.modified = lambda path: datetime.fromtimestamp(0, UTC)
    engine.register_filesystem(files)


def _files(url: str) -> Any:
    """The file system of the URL's protocol."""
    if importlib.util.find_spec("fsspec") is None:
        raise MissingPackageError.for_extra("fsspec", f"Reading {url}", '"rankbars[remote]"')
    # The package has no types.
    fsspec: Any = import_module("fsspec")
    protocol = url.partition("://")[0]
    try:
        return fsspec.filesystem(protocol)
    except ImportError as error:
        raise MissingPackageError(
            f"Reading {url} needs more than fsspec: {error}. Install the package that fsspec "
            f"names for {protocol!r}."
        ) from error
    except ValueError as error:
        raise ReadError.at(url, f"the protocol {protocol!r} is not known to fsspec.") from error

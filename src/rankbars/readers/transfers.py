"""Files that lie elsewhere, and come within bounds of size and silence.

They have URLs such as s3://bucket/results.parquet: the web by the standard library, others by
fsspec.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http.client import HTTPException
from importlib import import_module
from multiprocessing import TimeoutError as NoAnswerError
from multiprocessing.pool import ThreadPool
from pathlib import Path, PurePosixPath
from threading import Lock, get_ident
from typing import IO, TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from rankbars.data.drafts import TemporaryFolder
from rankbars.errors import MissingPackageError, ReadError

if TYPE_CHECKING:
    import duckdb

__all__ = ["Limits", "fetched", "register"]

_BLOCK = 1 << 20


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
    import duckdb

    names = _files(url).protocol
    if engine.filesystem_is_registered(names if isinstance(names, str) else names[0]):
        return
    files = _files(url, skip_instance_cache=True)  # one of its own, which is changed below
    try:
        files.modified(url)
    except (NotImplementedError, KeyError, OSError):
        # The engine asks when a file was changed, which some protocols do not say.
        files.modified = lambda path: datetime.fromtimestamp(0, UTC)
    opened = files.open
    files.open = lambda *args, **kwargs: _Shared(opened(*args, **kwargs))
    with suppress(duckdb.InvalidInputException):  # a thread that shares the database did meanwhile
        engine.register_filesystem(files)


class _Shared:
    """A file whose threads each have a place of their own in it.

    Threads of the engine read one file: each says where and then reads, and another one may come
    between the two.
    """

    def __init__(self, file: Any) -> None:
        self._file = file
        self._lock = Lock()
        self._places: dict[int, int] = {}

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a place; gives it."""
        with self._lock:
            self._file.seek(self.tell())
            self._places[get_ident()] = place = self._file.seek(offset, whence)
            return int(place)

    def tell(self) -> int:
        """Where this thread is."""
        return self._places.get(get_ident(), 0)

    def read(self, size: int = -1) -> bytes:
        """The bytes that come next."""
        with self._lock:
            self._file.seek(self.tell())
            found: bytes = self._file.read(size)
            self._places[get_ident()] = self._file.tell()
            return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _files(url: str, **options: bool) -> Any:
    """The file system of the URL's protocol."""
    if importlib.util.find_spec("fsspec") is None:
        raise MissingPackageError.for_extra("fsspec", f"Reading {url}", '"rankbars[remote]"')
    # The package has no types.
    fsspec: Any = import_module("fsspec")
    protocol = url.partition("://")[0]
    try:
        return fsspec.filesystem(protocol, **options)
    except ImportError as error:
        raise MissingPackageError(
            f"Reading {url} needs more than fsspec: {error}. Install the package that fsspec "
            f"names for {protocol!r}."
        ) from error
    except ValueError as error:
        raise ReadError.at(url, f"the protocol {protocol!r} is not known to fsspec.") from error

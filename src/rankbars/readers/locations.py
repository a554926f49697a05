"""Files that lie elsewhere: URLs such as s3://bucket/results.parquet, through fsspec."""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from rankbars.data.temporary import TemporaryFolder
from rankbars.errors import MissingPackageError, ReadError

if TYPE_CHECKING:
    import duckdb

__all__ = ["fetched", "is_url", "register"]


def is_url(path: str) -> bool:
    """Whether a path names a protocol.

    Examples
    --------
    >>> is_url("s3://bucket/x.parquet"), is_url("C:/x.parquet")
    (True, False)
    """
    protocol, sign, _ = path.partition("://")
    return bool(sign) and protocol.isalnum()


@contextmanager
def fetched(urls: Sequence[str]) -> Iterator[dict[str, Path]]:
    """Copies of files that lie elsewhere, while the context lasts.

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
            _copy(url, found[url])
        yield found
    finally:
        folder.close()


def _copy(url: str, path: Path) -> None:
    try:
        with _files(url).open(url, "rb") as source, path.open("wb") as copy:
            shutil.copyfileobj(source, copy, 1 << 22)
    except (OSError, ValueError) as error:
        # Some protocols report nothing but the URL again, and keep the reason behind it.
        reason = (error.__cause__ if str(error) == url else None) or error
        raise ReadError.at(url, f"the file cannot be read ({reason}).") from error


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

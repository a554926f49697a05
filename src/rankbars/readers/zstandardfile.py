"""Zstandard files on Pythons whose standard library cannot read them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import IO, TYPE_CHECKING

from rankbars.errors import MissingPackageError

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["ZstandardFile"]

# Few bytes at a time, because each may stand for thirty thousand.
CHUNK_BYTES = 1 << 10


class ZstandardFile(io.RawIOBase):
    """A compressed file, decompressed on the way; one that ends too early raises `EOFError`.

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

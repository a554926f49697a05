"""Changes of a store, made ready without it, so that it is held only to make them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.readers.pieces import KeptFile, Piece
from rankbars.store.bytecolumns import check_name
from rankbars.store.entries import FileEntry
from rankbars.store.frames import ColumnReader, ColumnWriter, FrameHead, read_frame
from rankbars.store.opening import place_of

__all__ = ["Change", "Holdings", "PackedPiece"]


class Holdings(NamedTuple):
    """What a store held when it was looked at; good after it is closed.

    Parameters
    ----------
    folder : Path
        Where the file of the store lies.
    revision : str
        Another one after each change; where there is no store yet, that of an empty one.
    files : tuple of KeptFile
        Everything it held.
    entries : tuple of FileEntry
        Its files without their contents.
    options : mapping
        How they were read.
    events : int
        How many things had happened to it.
    """

    folder: Path
    revision: str = "0"
    files: tuple[KeptFile, ...] = ()
    entries: tuple[FileEntry, ...] = ()
    options: Mapping[str, Any] = {}
    events: int = 0

    def place_of(self, path: str) -> str:
        """What tells a file from others: its way from the folder of the store."""
        return place_of(path, self.folder)

    def after(self, change: Change) -> list[KeptFile]:
        """Everything it would hold after a change."""
        gone = {entry.place for entry in change.gone}
        gone |= {file.place for file in change.files}
        return [*(file for file in self.files if file.place not in gone), *change.files]


class PackedPiece(NamedTuple):
    """A part of a file as a store keeps it, with columns by the numbers of a `Change`."""

    kind: str
    facts: Mapping[str, Any]
    heads: Mapping[str, FrameHead]


class Change(NamedTuple):
    """What is to be done to a store: all of it, or nothing.

    Parameters
    ----------
    files : tuple of KeptFile
        New files; those that lie at the place of an older one replace it.
    pieces : tuple of tuple of PackedPiece
        Their parts.
    columns : ColumnWriter
        The columns of these.
    gone : tuple of FileEntry
        Files that are taken out.
    options : mapping or None
        How the store is to be read from now on; as before, if not given.
    """

    files: tuple[KeptFile, ...]
    pieces: tuple[tuple[PackedPiece, ...], ...]
    columns: ColumnWriter
    gone: tuple[FileEntry, ...]
    options: Mapping[str, Any] | None

    @classmethod
    def of(
        cls,
        files: Iterable[KeptFile] = (),
        gone: Sequence[FileEntry] = (),
        options: Mapping[str, Any] | None = None,
    ) -> Change:
        """The change that puts files in and takes others out."""
        columns = ColumnWriter()
        kept, packed = [], []
        for file in files:
            check_name(file.path)
            kept.append(file)
            packed.append(tuple(
                PackedPiece(piece.kind, piece.facts, {
                    kind: columns.put_frame(table) for kind, table in piece.frames.items()
                })
                for piece in file.pieces
            ))  # fmt: skip
        reader = ColumnReader.of_new(
            columns, [head for own in packed for piece in own for head in piece.heads.values()]
        )
        # What is kept is looked at, not what was read.
        found = [
            KeptFile(file.path, file.format, file.sha256, file.size, tuple(
                Piece(piece.kind, piece.facts, {
                    kind: read_frame(reader, head) for kind, head in piece.heads.items()
                })
                for piece in own
            ), file.notes, file.place)
            for file, own in zip(kept, packed, strict=True)
        ]  # fmt: skip
        return cls(tuple(found), tuple(packed), columns, tuple(gone), options)

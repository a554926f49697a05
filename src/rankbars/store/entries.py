"""What a store tells about itself: its files without their contents, and what happened to it."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Event", "FileEntry"]


class Event(NamedTuple):
    """Something that happened to a store.

    Parameters
    ----------
    time : str
        When, in UTC.
    action : {"added", "replaced", "removed"}
        What.
    path, format, sha256 : str
        The file it happened to.
    rows : int
        Rows that were put in or taken out.
    version : str
        Version of rankbars that did it.
    """

    time: str
    action: str
    path: str
    format: str
    sha256: str
    rows: int
    version: str


class FileEntry(NamedTuple):
    """A file of a store without its contents.

    Parameters
    ----------
    id : int
        Its number in the store.
    path : str
        The file as the caller wrote it.
    place : str
        What tells it from others: the path it was given under, as a way from the folder of the
        store.
    target : str
        Where that led when it was read, links followed. No board has it.
    format : str
        What it was read as.
    sha256 : str
        Digest of its bytes.
    size : int
        Number of its bytes.
    added : str
        When it was put in, in UTC.
    rows : int
        Rows that were found in it.
    """

    id: int
    path: str
    place: str
    target: str
    format: str
    sha256: str
    size: int
    added: str
    rows: int

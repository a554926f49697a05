"""What commands print with ``--json`` of files, stores and formats, and of what failed."""

from typing import Any, Literal, TypedDict

__all__ = ["ChangedAnswer", "FailedAnswer", "FilesAnswer", "FormatsAnswer", "StoreAnswer"]


class FailedAnswer(TypedDict):
    """Why a command with ``--json`` failed: one line, the last on standard error."""

    schema: Literal["rankbars.error/1"]
    exit_code: int
    kind: Literal["data", "usage"]
    message: str


class FilesAnswer(TypedDict):
    """Files that were written (``report``, ``plot``, ``site``, ``simulate``)."""

    schema: Literal["rankbars.files/1"]
    written: list[str]
    removed: list[str]
    kept: list[str]
    ranked: list[str]
    said: list[str]


class EventAnswer(TypedDict):
    """Something that happened to a file, or to the name of a model or a task, of a store."""

    time: str
    action: Literal[
        "added", "replaced", "removed", "renamed", "merged", "parted", "retired", "restored"
    ]
    path: str
    format: str
    sha256: str
    rows: int
    version: str
    who: str
    said: str


class ChangedAnswer(TypedDict):
    """What a command did to a store (``add``, ``remove``, ``rename``, ``retire``)."""

    schema: Literal["rankbars.changed/1"]
    store: str
    events: list[EventAnswer]
    unchanged: list[str]
    notes: list[str]


class StoredFileAnswer(TypedDict):
    """A file of a store."""

    path: str
    target: str
    format: str
    sha256: str
    size: int
    added: str
    rows: int


class NameAnswer(TypedDict):
    """What a store was told of a name."""

    kind: Literal["model", "task"]
    name: str
    called: str
    retired: bool
    reason: str
    since: str


class StoreAnswer(TypedDict):
    """What a store holds, and what happened to it (``log``)."""

    schema: Literal["rankbars.store/1"]
    store: str
    files: list[StoredFileAnswer]
    options: dict[str, Any]
    names: list[NameAnswer]
    events: list[EventAnswer]


class RecognisedAnswer(TypedDict):
    """What one file is; ``format`` is null where no format knows it."""

    path: str
    format: str | None
    reason: str
    hints: list[str]


class FormatsAnswer(TypedDict):
    """The formats that can be read, or what files are and what reading them gives (``formats``)."""

    schema: Literal["rankbars.formats/1"]
    formats: dict[str, str]
    problems: list[str]
    files: list[RecognisedAnswer]
    reading: list[str]

"""Logs of Inspect AI: ``.eval`` archives and ``.json`` files, read without inspect-ai."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path

from rankbars.data.notes import Note
from rankbars.errors import DataError, ReadError
from rankbars.readers.files import InputFile, data_suffix, read_each
from rankbars.readers.inspect_containers import Log, read_archive, read_document
from rankbars.readers.inspect_runs import make_run
from rankbars.readers.logs.jsontext import top_level_keys
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.records import Run
from rankbars.readers.logs.remarks import list_names
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, Recognition

__all__ = ["read_inspect", "sniff_inspect"]

_MAGIC = b"PK\x03\x04"
_HEADERS = {"header.json", "_journal/start.json"}


def sniff_inspect(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a log of Inspect AI.

    Examples
    --------
    >>> _ = Path("log.json").write_text('{"version": 2, "status": "success", "eval": {}}')
    >>> sniff_inspect(Path("log.json"), b"{").format
    'inspect'
    """
    if head.startswith(_MAGIC):
        return _sniff_archive(path)
    if path.suffix.lower() == ".eval":
        return Recognition(
            "inspect", CERTAIN, "It is named like an Inspect archive, but does not start like one."
        )
    if data_suffix(path) == ".json" or path.name == "stdin":
        keys = set(top_level_keys(path))
        if keys >= {"version", "status", "eval"}:
            return Recognition("inspect", CERTAIN, "It has the keys of an Inspect log: version, "
                               "status, eval.")  # fmt: skip
    return None


def _sniff_archive(path: Path) -> Recognition | None:
    named = path.suffix.lower() == ".eval"
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, OverflowError):
        names = set()
    found = names & _HEADERS
    if found:
        return Recognition("inspect", CERTAIN, f"It is an archive with {sorted(found)[-1]}.")
    if named:
        return Recognition("inspect", CERTAIN, "It is named and starts like an Inspect archive.")
    return None


def read_inspect(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from logs of Inspect AI.

    Parameters
    ----------
    files : sequence of InputFile
        Archives and JSON logs.
    options : ReadOptions
        What the caller declares; the column ``cluster`` names a key of the samples' metadata.

    Raises
    ------
    ReadError
        If a file is damaged or no log.
    DataError
        If the logs cannot be compared; see `rankbars.readers.logs.scores`.
    """
    cluster = options.columns.get("cluster") or None

    def read_one(file: InputFile) -> Run | None:
        log = _read(file, cluster)
        return None if _is_invalid(log) else make_run(log)

    found = read_each(files, read_one)
    runs = [run for run in found if run is not None]
    invalid = [file.label for file, run in zip(files, found, strict=True) if run is None]
    if invalid and not runs:
        raise DataError(
            f"{invalid[0]}: the log was declared invalid (invalidated: true), and no other is "
            "left. To use it all the same, set that key to false."
        )
    if not invalid:
        return [*runs]
    text = f"left out, because they were declared invalid: {list_names(invalid)}."
    return [*runs, Note("invalidated", f"Logs {text}")]


def _is_invalid(log: Log) -> bool:
    """Whether the log was declared invalid without a mark that says which of its samples are."""
    marked = any(sample.invalid for sample in log.samples.values())
    return log.header.get("invalidated") is True and not marked


def _read(file: InputFile, cluster: str | None) -> Log:
    try:
        with file.path.open("rb") as raw:
            packed = raw.read(len(_MAGIC)).startswith(b"PK")
    except OSError as error:
        raise ReadError.at(file.label, f"the file cannot be read ({error.strerror}).") from error
    if packed or file.path.suffix.lower() == ".eval":
        return read_archive(file, cluster)
    return read_document(file, cluster)

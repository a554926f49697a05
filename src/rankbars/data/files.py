"""Writing files whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from rankbars.errors import WriteError

__all__ = ["real_path", "write_all", "write_bytes", "write_text"]


def real_path(path: str | Path) -> Path:
    """Where a path leads, links followed; a loop of links leads to itself."""
    # Unlike Path.resolve, which raises on a loop in some versions of Python.
    return Path(os.path.realpath(path))


def write_text(path: str | Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`, whole or not at all.

    Raises
    ------
    WriteError
        If the folder does not exist or the file cannot be written.
    """
    write_all({str(path): text})


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write `content` to a temporary file beside `path`, then move it into place.

    Links are followed, and devices and pipes are written to directly: neither is replaced.

    Raises
    ------
    WriteError
        If the folder does not exist or the file cannot be written.
    """
    write_all({str(path): content})


def write_all(contents: Mapping[str, str | bytes]) -> None:
    """Write several files, all or none; what was there before is kept if anything fails.

    Parameters
    ----------
    contents : mapping from path to text or bytes
        Text is written as UTF-8. Devices and pipes are written to directly, after the files.

    Raises
    ------
    WriteError
        If any file cannot be written.
    """
    drafts: dict[Path, Path] = {}
    direct: dict[Path, bytes] = {}
    try:
        for path, content in contents.items():
            given, target = Path(path), real_path(path)
            if target.is_dir():
                raise WriteError(f"Cannot write {path}: it is a folder. Name a file in it.")
            if given.exists() and not given.is_file():
                # The pipe behind /dev/stdout is there by that name only.
                direct[given] = _encode(path, content)
            else:
                drafts[target] = _draft(path, target, _encode(path, content))
        _replace_all(drafts)
        for target, data in direct.items():
            target.write_bytes(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        if isinstance(error, WriteError):
            raise
        where = error.filename2 or error.filename or "the results"
        raise WriteError(f"Cannot write {where}: {error.strerror or error}.") from error
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def _encode(path: str, content: str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError as error:
        shown = error.object[error.start : error.end]
        raise WriteError(
            f"Cannot write {path}: a name holds {shown!r}, which is not a valid character. "
            "Rename the model, the task or the input file."
        ) from error


def _draft(path: str, target: Path, content: bytes) -> Path:
    draft = target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
    made = False
    try:
        # "x" refuses to follow a link somebody else put there; the mode follows the umask.
        with draft.open("xb") as stream:
            made = True
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except BaseException as error:
        if made:
            draft.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise WriteError(f"Cannot write {path}: {error.strerror or error}.") from error
        raise
    return draft


def _replace_all(drafts: Mapping[Path, Path]) -> None:
    """Move every draft into place; what was there comes back if one of them cannot be moved."""
    before: dict[Path, bytes | None] = {}
    try:
        for target, draft in drafts.items():
            old = target.read_bytes() if len(drafts) > 1 and target.exists() else None
            draft.replace(target)
            before[target] = old
    except BaseException:
        for target, old in before.items():
            if old is None:
                target.unlink(missing_ok=True)
            else:
                _draft(str(target), target, old).replace(target)
        raise

"""Writing files whole or not at all, and temporary folders that do not stay behind."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import tempfile
import time
import weakref
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from rankbars.errors import WriteError

__all__ = [
    "TemporaryFolder",
    "draft_path",
    "real_path",
    "sweep_drafts",
    "sync_folders",
    "write_all",
    "write_bytes",
    "write_text",
]

PREFIX = "rankbars"

# Locked by the process whose folder it is, as long as it lives.
LOCK = ".held"

# How old a folder is before anybody looks whether it was left behind, and how long one lies
# unchanged before it counts as left where no lock can tell; in seconds.
LEAST_AGE, UNLOCKED_AGE = 60.0, 86_400.0


# How long a draft lies unchanged before it is taken for what a killed process left, in seconds:
# one that this machine made, and one of another machine, whose clock and speed are unknown.
OWN_AGE, FOREIGN_AGE = 86_400.0, 7 * 86_400.0

# A draft is named after its target, cut to so many bytes, so that the name fits every file system.
_NAME_BYTES = 150


def real_path(path: str | Path) -> Path:
    """Where a path leads, links followed; a loop of links leads to itself."""
    # Unlike Path.resolve, which raises on a loop in some versions of Python.
    try:
        return Path(os.path.realpath(path))
    except PermissionError:  # a link that may not be read leads nowhere that could be asked
        return Path(path).absolute()


def draft_path(target: Path) -> Path:
    """A name for a draft of `target` that nobody can know before, in the same folder."""
    return target.with_name(f".{_cut(target)}.{_host()}.{os.urandom(8).hex()}.part")


def sweep_drafts(target: Path) -> None:
    """Remove drafts of `target` that were left behind, told by their age and their machine.

    The number of a process tells nothing: in a container every run may have the same one.
    """
    pattern = re.compile(
        rf"\.{re.escape(_cut(target))}\.(?:(?P<host>[0-9a-f]{{8}})\.[0-9a-f]{{16}}|\d+)\.part(\.wal)?"
    )
    now = time.time()
    with suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            found = pattern.fullmatch(entry.name)
            if found is None:
                continue
            patience = OWN_AGE if found["host"] == _host() else FOREIGN_AGE
            # Somebody else may remove it at the same time, or own it.
            with suppress(OSError):
                if now - entry.stat(follow_symlinks=False).st_mtime > patience:
                    Path(entry.path).unlink()


def sync_folders(folders: Iterable[Path]) -> None:
    """Make sure that renames in these folders outlast a loss of power."""
    if os.name != "posix":
        return  # a folder cannot be opened there
    for folder in dict.fromkeys(folders):
        # Some file systems cannot do it; what was written is in place all the same.
        with suppress(OSError):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _cut(target: Path) -> str:
    return os.fsencode(target.name)[:_NAME_BYTES].decode("utf-8", "ignore")


def _host() -> str:
    return hashlib.blake2b(socket.gethostname().encode(), digest_size=4).hexdigest()


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
                sweep_drafts(target)
                drafts[target] = _draft(path, target, _encode(path, content))
        _replace_all(drafts)
        sync_folders(target.parent for target in drafts)
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
    draft = draft_path(target)
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


class TemporaryFolder:
    """A folder for files that are in the way of memory, where the system keeps temporary ones.

    It is removed with this object, or at the end of the process, also after an error or Ctrl-C.
    Folders of processes that were killed are removed when a later one is made.

    Raises
    ------
    WriteError
        If there is no place for it.
    """

    def __init__(self) -> None:
        try:
            sweep_folders()
            made = tempfile.mkdtemp(prefix=f"{PREFIX}-{_host_name()}-{os.getpid()}-")
            self.path = Path(made)
            self._remove = weakref.finalize(self, _remove, made, os.getpid(), _hold(self.path))
        except OSError as error:
            raise WriteError(
                f"Temporary files have no place: {error.strerror or error}. Make room there, or "
                "name another folder: TMPDIR=FOLDER."
            ) from error

    def close(self) -> None:
        """Remove the folder."""
        self._remove()


def sweep_folders() -> None:
    """Remove what processes of this machine left behind when they were killed.

    The number of a process, which the name of its folder has for people, tells nothing: in
    containers that share the folder for temporary files, every run may have the same one.
    """
    pattern = re.compile(rf"{PREFIX}-{re.escape(_host_name())}-\d+-\w+")
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}-*"):
        if pattern.fullmatch(folder.name):
            with suppress(OSError):  # somebody else removes it, or owns it
                if _is_left(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _host_name() -> str:
    return re.sub(r"\W", "_", socket.gethostname())


def _hold(folder: Path) -> IO[bytes] | None:
    """The lock of a folder, held until it is closed; None where there are no such locks."""
    if os.name != "posix":
        return None
    import fcntl

    lock = (folder / LOCK).open("xb")
    with suppress(OSError):  # a file system without locks; then age decides
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return lock


def _is_left(folder: Path) -> bool:
    age = time.time() - max(
        path.stat(follow_symlinks=False).st_mtime for path in (folder, *folder.iterdir())
    )
    if age < LEAST_AGE:
        return False
    return age > UNLOCKED_AGE if os.name != "posix" else _is_unlocked(folder, age)


def _is_unlocked(folder: Path, age: float) -> bool:
    import fcntl

    try:
        with (folder / LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return age > UNLOCKED_AGE
    return True


def _remove(path: str, owner: int, lock: IO[bytes] | None) -> None:
    if os.getpid() == owner:  # not in a copy of the process
        if lock is not None:
            lock.close()
        shutil.rmtree(path, ignore_errors=True)

"""Temporary folders that do not stay behind."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path
from typing import IO

__all__ = ["TemporaryFolder"]

PREFIX = "rankbars"

# Locked by the process whose folder it is, as long as it lives.
LOCK = ".held"

# How old a folder is before anybody looks whether it was left behind, and how long one lies
# unchanged before it counts as left where no lock can tell; in seconds.
LEAST_AGE, UNLOCKED_AGE = 60.0, 86_400.0


class TemporaryFolder:
    """A folder for files that are in the way of memory, where the system keeps temporary ones.

    It is removed with this object, or at the end of the process, also after an error or Ctrl-C.
    Folders of processes that were killed are removed when a later one is made.
    """

    def __init__(self) -> None:
        sweep_folders()
        made = tempfile.mkdtemp(prefix=f"{PREFIX}-{_host()}-{os.getpid()}-")
        self.path = Path(made)
        self._remove = weakref.finalize(self, _remove, made, os.getpid(), _hold(self.path))

    def close(self) -> None:
        """Remove the folder."""
        self._remove()


def sweep_folders() -> None:
    """Remove what processes of this machine left behind when they were killed.

    The number of a process, which the name of its folder has for people, tells nothing: in
    containers that share the folder for temporary files, every run may have the same one.
    """
    pattern = re.compile(rf"{PREFIX}-{re.escape(_host())}-\d+-\w+")
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}-*"):
        if pattern.fullmatch(folder.name):
            with suppress(OSError):  # somebody else removes it, or owns it
                if _is_left(folder):
                    shutil.rmtree(folder, ignore_errors=True)


def _host() -> str:
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

"""Temporary folders that do not stay behind."""

from __future__ import annotations

import os
import re
import shutil
import socket
import tempfile
import weakref
from pathlib import Path

__all__ = ["TemporaryFolder"]

PREFIX = "rankbars"


class TemporaryFolder:
    """A folder for files that are in the way of memory, where the system keeps temporary ones.

    It is removed with this object, or at the end of the process, also after an error or Ctrl-C.
    Folders of processes that were killed are removed when the next one is made.
    """

    def __init__(self) -> None:
        sweep_folders()
        made = tempfile.mkdtemp(prefix=f"{PREFIX}-{_host()}-{os.getpid()}-")
        self.path = Path(made)
        self._remove = weakref.finalize(self, _remove, made, os.getpid())

    def close(self) -> None:
        """Remove the folder."""
        self._remove()


def sweep_folders() -> None:
    """Remove what processes of this machine left behind when they were killed."""
    pattern = re.compile(rf"{PREFIX}-{re.escape(_host())}-(\d+)-\w+")
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}-*"):
        found = pattern.fullmatch(folder.name)
        if found and not _is_running(int(found[1])):
            shutil.rmtree(folder, ignore_errors=True)


def _host() -> str:
    return re.sub(r"\W", "_", socket.gethostname())


def _is_running(process: int) -> bool:
    if os.name != "posix":
        return True  # there is no harmless way to ask
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


def _remove(path: str, owner: int) -> None:
    if os.getpid() == owner:  # not in a copy of the process
        shutil.rmtree(path, ignore_errors=True)

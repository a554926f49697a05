"""Tasks in files of their own: a folder that is always removed, one task in memory at a time."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import tempfile
import weakref
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Folds, Items
from rankbars.data.storedtasks import Outline
from rankbars.errors import ReadError

__all__ = ["TaskFile", "TaskFolder"]

PREFIX = "rankbars-tasks"


class TaskFolder:
    """A folder for the files of tasks, in the folder of the system for temporary files.

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


@dataclass(frozen=True, slots=True)
class TaskFile:
    """A task of rows by models in files.

    Parameters
    ----------
    path : str
        The files, without what their names end with.
    models : tuple of str
        The models of the task.
    design : {"items", "runs", "prompts"} or Folds
        What a row is.
    outline : Outline
        What is known of its rows.
    averaged : tuple of str
        As in `Items`.
    """

    path: str
    models: tuple[str, ...]
    design: Literal["items", "runs", "prompts"] | Folds
    outline: Outline
    averaged: tuple[str, ...] = ()

    @staticmethod
    def put_scores(
        path: Path, values: NDArray[np.float64], answers: NDArray[np.int64] | None,
        runs: NDArray[np.float64] | None,
    ) -> None:  # fmt: skip
        """Write what is large, as soon as it is known."""
        for name, array in (("values", values), ("answers", answers), ("runs", runs)):
            if array is not None:
                np.save(f"{path}.{name}.npy", array)

    @staticmethod
    def put_rows(
        path: Path, ids: Iterable[str], clusters: NDArray[np.int64] | None,
        weights: NDArray[np.float64] | None,
    ) -> None:  # fmt: skip
        """Write what is known of the rows, once all of them were seen."""
        text = np.frombuffer(json.dumps(list(ids)).encode("ascii"), np.uint8)
        np.save(f"{path}.ids.npy", text)
        for name, array in (("clusters", clusters), ("weights", weights)):
            if array is not None:
                np.save(f"{path}.{name}.npy", array)

    def load(self) -> Items:
        """The task.

        Raises
        ------
        ReadError
            If the files are not there.
        """
        values, ids = self._take("values"), self._take("ids")
        if values is None or ids is None:
            raise ReadError(
                f"{self.path}: the scores of a task were kept here, and are gone. Workers on other "
                "machines must see the folder for temporary files under the same path: set TMPDIR "
                "to a shared one."
            )
        return Items(
            self.models,
            values,
            self._take("clusters"),
            self._take("weights"),
            self.design,
            tuple(json.loads(ids.tobytes())),
            self._take("answers"),
            self._take("runs"),
            self.averaged,
        )

    def _take(self, name: str) -> NDArray[Any] | None:
        found: NDArray[Any] | None = None
        with suppress(FileNotFoundError):
            found = np.load(f"{self.path}.{name}.npy", allow_pickle=False)
            found.setflags(write=False)  # nobody else holds it, so it need not be copied
        return found

"""Tasks in files of their own, of which one at a time is in memory."""

from __future__ import annotations

import json
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

__all__ = ["TaskFile"]


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

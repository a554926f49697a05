"""What people hand over, a path, a data frame or `Scores`, as `Scores`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from rankbars.data.board import Leaderboard
from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import STOPPED_TRIALS
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import Change, change_tasks, models_of
from rankbars.errors import DataError

if TYPE_CHECKING:
    from rankbars.readers.chosenfiles import Paths

    Results: TypeAlias = Scores | Paths | Mapping[str, Paths] | Any

__all__ = ["refuse_scored_errors", "refuse_stopped", "take_scores"]

_FRAME_LIKE = ("__arrow_c_stream__", "__dataframe__", "collect_schema", "columns")


def take_scores(verb: str, results: Results, models: Sequence[str] = ()) -> Scores:
    """The results as scores, without what stopped tries would say of runs and of their noise.

    Parameters
    ----------
    verb : str
        Who asks, for messages.
    results : Scores, path, sequence or mapping of paths, or data frame
        What `rankbars.read` and `Scores.from_frame` take, the path of a store, or finished scores.
    models : sequence of str
        Of files only these models are read, as if no other were there.

    Raises
    ------
    DataError
        If it is something else; says what can be made of it.
    """
    scores = _as_scores(verb, results, models)
    stopped = {note.task for note in scores.notes if note.code == STOPPED_TRIALS}
    if not stopped:
        return scores
    changes = {
        name: Change(_without_tries, models_of(scores.tasks, name)) if name in stopped else None
        for name in scores.tasks
    }
    return replace(scores, tasks=change_tasks(scores.tasks, changes))


def _without_tries(evidence: Evidence) -> Evidence:
    """Tries that went on until one was right differ by that alone: only their mean is left."""
    if not isinstance(evidence, Items):
        return evidence
    return replace(evidence, answers=None, runs=None, within=None, trials=None)


def _as_scores(verb: str, results: Results, models: Sequence[str]) -> Scores:
    if isinstance(results, Scores):
        return results
    if isinstance(results, (str, os.PathLike)):
        from rankbars.store.opening import is_store

        if is_store(results):
            from rankbars.store.resultstore import ResultStore

            return ResultStore(results).scores(models)
    if _names_files(results):
        from rankbars.readers import read

        return read(results, models=models or None)
    if isinstance(results, Leaderboard):
        raise DataError(
            f"{verb}() takes results; got a Leaderboard, which is made of them. Its rows: "
            "board.to_frame(); of one model: board[NAME]."
        )
    made = _what_to_make(results)
    if made is not None or not any(hasattr(results, name) for name in _FRAME_LIKE):
        raise DataError(
            f"{verb}() takes a path, a data frame or Scores; got {type(results).__name__}. "
            + (made or "Read files with rb.read(path).")
        )
    return Scores.from_frame(results)


def refuse_stopped(scores: Scores) -> None:
    """Raises `DataError` where how often items were tried seems to depend on the answers."""
    for note in scores.notes:
        if note.code == STOPPED_TRIALS:
            said = note.message.partition(" If each item")[0]
            raise DataError(
                f"Task {note.task!r}: {said}\nNothing was judged. Choose what holds (the line to "
                "paste):\n"
                "  --trials fixed           each item was tried a number of times that did not "
                "depend on the answers\n"
                '  --where "attempt = 1"    the first try of each item alone counts; attempt is '
                "the column with the number of the try, and 1 that of the first (or 0)\n"
                "In Python: rb.read(path, trials='fixed')."
            )


def refuse_scored_errors(scores: Scores, missing: str | None, missing_items: str | None) -> None:
    """Raises `DataError` where calls that failed have scores, and nobody said that they count."""
    if "fail" in (missing, missing_items):
        return
    for note in scores.notes:
        if note.code == "scored-errors":
            raise DataError(
                f"{note.message}\nNothing was judged. If failures are wrong answers: "
                '--missing fail (in Python: missing="fail").'
            )


def _names_files(results: object) -> bool:
    """Whether these are paths, or paths by name."""
    if isinstance(results, Mapping):
        return bool(results) and all(_names_files(one) for one in results.values())
    if isinstance(results, (list, tuple)):
        return bool(results) and all(isinstance(one, (str, os.PathLike)) for one in results)
    return isinstance(results, (str, os.PathLike))


def _what_to_make(results: object) -> str | None:
    """The line that makes scores of things that are no frame; None where there is none."""
    if isinstance(results, Mapping):
        first = next(iter(results.values()), None)
        if isinstance(first, Mapping):
            return (
                "Of scores by model and task: pandas.DataFrame(results).rename_axis('task'); if "
                "the outer names are tasks: pandas.DataFrame(results).T.rename_axis('task')."
            )
        if isinstance(first, (list, tuple)) or getattr(first, "ndim", 2) == 1:
            return (
                "Of answers by model, to the same items in one order: rb.Scores.from_arrays("
                "{'all': numpy.column_stack(list(results.values()))}, list(results))."
            )
        return "Of arrays by task: rb.Scores.from_arrays({task: rows × models}, models)."
    if isinstance(results, (list, tuple)):
        if any(isinstance(one, Scores) for one in results):
            return "Put scores together with one | other."
        if any(isinstance(one, Mapping) for one in results):
            return "Of records: pandas.DataFrame(records), or rb.Scores.from_records(records)."
        return "Of lists: rb.Scores.from_arrays({task: rows × models}, models)."
    if type(results).__module__.partition(".")[0] == "numpy":
        return "Of arrays: rb.Scores.from_arrays({task: array}, models)."
    return None

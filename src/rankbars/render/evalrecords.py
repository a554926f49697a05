"""A board as records of Every Eval Ever: one per model."""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.drafts import write_all
from rankbars.errors import DataError, OptionError, WriteError
from rankbars.render.claims import APPROXIMATE
from rankbars.render.ranktable import take_task
from rankbars.tables.metrics import is_proportion, usual_direction

__all__ = ["eee_records", "render_eee", "write_eee"]

_SCHEMA_VERSION = "0.3.0"
_LIBRARY = "rankbars"

# Names that a file system may not take as a folder, whatever its kind.
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d|data|)")
_UNSAFE = re.compile(r'[<>:"/\\|?*\x00-\x1f\x7f]')


def eee_records(
    board: Leaderboard,
    *,
    collection: str = _LIBRARY,
    organization: str = "unknown",
    retrieved: float | None = None,
) -> dict[str, dict[str, Any]]:
    """The board as aggregate records of Every Eval Ever, one per model.

    Each task becomes one result with its score in the units of the input, its standard error, the
    number of rows behind it and its direction; the rank interval stands among the details. A model
    without any score has no record.

    Parameters
    ----------
    board : Leaderboard
        The result.
    collection : str
        Name of the collection, the first folder of the store.
    organization : str
        Who provides the results.
    retrieved : float, optional
        When the records were made, in seconds since 1970; now, if not given. Nothing else in them
        depends on the time.

    Returns
    -------
    dict from str to dict
        Records that follow the schema, by path: ``data/COLLECTION/DEVELOPER/MODEL/UUID.json``.

    Raises
    ------
    OptionError
        If the collection cannot be a folder, or the time is not finite.

    Notes
    -----
    The schema is https://github.com/evaleval/every_eval_ever, version 0.3.0.
    """
    if not collection or collection != _folder(collection):
        raise OptionError(
            f"The collection {collection!r} cannot be the name of a folder. Use letters, digits, "
            "'-' and '_'."
        )
    now = time.time() if retrieved is None else float(retrieved)
    if not math.isfinite(now):
        raise OptionError.out_of_range("retrieved", retrieved, "a finite number of seconds")
    records = {}
    for place, model in enumerate(board.models):
        results = [
            _result(task, place, board)
            for task in board.tasks.values()
            if math.isfinite(task.mean[place])
        ]
        if results:
            path, record = _record(board, model, results, collection, organization)
            records[path] = {**record, "retrieved_timestamp": repr(now)}
    return records


def write_eee(
    board: Leaderboard,
    folder: str | Path,
    *,
    collection: str = _LIBRARY,
    organization: str = "unknown",
    retrieved: float | None = None,
) -> tuple[Path, ...]:
    """Write the board as aggregate files of Every Eval Ever, all of them or none.

    Parameters
    ----------
    board : Leaderboard
        The result.
    folder : str or Path
        Where the folder ``data`` is put; made where it does not exist. The same board always has
        the same file names.
    collection, organization, retrieved
        As in `rankbars.render.evalrecords.eee_records`.

    Returns
    -------
    tuple of Path
        The files, one per model, in the order of the models.

    Raises
    ------
    DataError
        If no model has a score.
    OptionError
        If the collection cannot be a folder.
    WriteError
        If the files cannot be written.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [1, 1], [0, 0]]}, ["a", "b"])
    >>> paths = rb.write_eee(rb.leaderboard(scores), "store")
    >>> rb.read(paths).tasks["math"].mean.round(3).tolist()
    [0.667, 0.333]
    """
    records = eee_records(
        board, collection=collection, organization=organization, retrieved=retrieved
    )
    if not records:
        raise DataError("No model of the board has a score; there is nothing to write.")
    contents = {}
    for name, record in records.items():
        path = Path(folder) / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteError(
                f"Cannot make the folder {path.parent}: {error.strerror or error}."
            ) from error
        contents[str(path)] = _text(record, indent=2)
    write_all(contents)
    return tuple(Path(path) for path in contents)


def render_eee(board: Leaderboard, *, task: str | None = None) -> str:
    """The board as JSON lines: one aggregate record of Every Eval Ever per model.

    Parameters
    ----------
    board : Leaderboard
        The result.
    task : str, optional
        The results on one task only.

    Raises
    ------
    UnknownOptionError
        If there is no such task.
    """
    name = None if task is None else take_task(board, task).name
    lines = []
    for record in eee_records(board).values():
        results = [
            one
            for one in record["evaluation_results"]
            if name is None or one["evaluation_name"] == name
        ]
        if results:
            lines.append(_text({**record, "evaluation_results": results}))
    return "".join(lines)


def _text(record: dict[str, Any], indent: int | None = None) -> str:
    return json.dumps(record, indent=indent, ensure_ascii=False, allow_nan=False) + "\n"


def _record(
    board: Leaderboard, model: str, results: list[dict[str, Any]], collection: str,
    organization: str,
) -> tuple[str, dict[str, Any]]:  # fmt: skip
    first, slash, rest = model.partition("/")
    developer, name = (first, rest) if slash and first and rest else ("unknown", model)
    formats = sorted({one.format for one in board.inputs})
    measured = any(task.kind != "estimates" for task in board.tasks.values())
    record: dict[str, Any] = {
        "schema_version": _SCHEMA_VERSION,
        "evaluation_id": "",
        "retrieved_timestamp": "",
        "source_metadata": {
            "source_name": _LIBRARY,
            "source_type": "evaluation_run" if measured else "documentation",
            "source_organization_name": organization,
            "evaluator_relationship": "other",
            **({"additional_details": {"input_formats": ", ".join(formats)}} if formats else {}),
        },
        "eval_library": {"name": _LIBRARY, "version": board.version or "unknown"},
        "model_info": {
            "name": model,
            "id": model,
            **({} if developer == "unknown" else {"developer": developer}),
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": "unknown",
            },
        },
        "evaluation_results": results,
    }
    # From the content alone, so that writing a board twice gives one record, not two.
    content = json.dumps([record, collection], sort_keys=True).encode("utf-8", "surrogatepass")
    mark = hashlib.blake2b(content, digest_size=16).digest()
    record["evaluation_id"] = f"{collection}/{model.replace('/', '_')}/{mark.hex()[:16]}"
    file = f"{uuid.UUID(bytes=mark, version=4)}.json"
    return f"data/{collection}/{_folder(developer)}/{_folder(name)}/{file}", record


def _result(task: TaskResult, place: int, board: Leaderboard) -> dict[str, Any]:
    score = float(task.mean[place])
    uncertainty: dict[str, Any] = {}
    se = float(task.se[place])
    if math.isfinite(se):
        uncertainty["standard_error"] = {"value": se, "method": "analytic"}
    rows = round(task.n * float(task.coverage[place])) if task.n else 0
    if rows:
        uncertainty["num_samples"] = rows
    return {
        "evaluation_result_id": task.name,
        "evaluation_name": task.name,
        "source_data": {"dataset_name": task.name, "source_type": "other"},
        "metric_config": _metric(task),
        "score_details": {
            "score": score,
            **({"uncertainty": uncertainty} if uncertainty else {}),
            "details": {
                "rank_best": str(int(task.best[place])),
                "rank_worst": str(int(task.worst[place])),
                "rank_of_models": str(len(board.models)),
                "rank_level": APPROXIMATE if task.approximate else repr(1.0 - task.alpha),
                "rank_scope": task.scope,
                "rank_test": task.test,
                "rank_correction": task.correction,
            },
        },
    }


def _metric(task: TaskResult) -> dict[str, Any]:
    """The metric; without its name where the scores go the other way than it usually does."""
    config: dict[str, Any] = {"lower_is_better": task.direction == "lower"}
    details: dict[str, str] = {"evidence": task.kind}
    usual = None if task.metric is None else usual_direction(task.metric)
    if task.metric is not None and usual in (None, task.direction):
        config["metric_name"] = task.metric
    elif task.metric is not None:
        details["metric_as_read"] = task.metric
    known = task.mean[np.isfinite(task.mean)]
    if (
        task.metric is not None
        and is_proportion(task.metric)
        and ((known >= 0.0) & (known <= 1.0)).all()
    ):
        config |= {
            "metric_unit": "proportion",
            "score_type": "continuous",
            "min_score": 0.0,
            "max_score": 1.0,
        }
    else:
        details["bounds_status"] = "unknown"
    return {**config, "additional_details": details}


def _folder(name: str) -> str:
    """A name that every file system takes as a folder."""
    safe = _UNSAFE.sub("_", name).rstrip(". ").encode("utf-8", "replace").decode()
    return f"_{safe}" if _RESERVED.fullmatch(safe.partition(".")[0]) else safe[:120]

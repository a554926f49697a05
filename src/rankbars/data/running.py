"""What was shown at earlier looks at votes that keep coming in: the file beside a board."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rankbars.errors import DataError, ReadError

__all__ = ["RUNNING_SCHEMA", "RunningRecord", "load_record", "record_json", "record_path"]

RUNNING_SCHEMA = "rankbars.running/1"


@dataclass(frozen=True, slots=True)
class RunningRecord:
    """Everything that earlier looks at the votes of one task have shown.

    Statements at any time stay true at all times together, so that later looks add to them.

    Parameters
    ----------
    task : str
        The task.
    alpha : float
        Error rate over all looks.
    scope : {"each", "all"}
        Whether it holds for one model named in advance, or for all at once.
    looks : int
        How often the votes were looked at.
    votes : int
        Votes at the last look.
    better, worse : mapping from str to int
        For each model, how many models were shown better than it, and worse.
    shown_better : frozenset of (str, str)
        Pairs (better, worse) that were shown, all of them at once.
    wins : mapping from (str, str) to float
        Votes for the first model against the second at the last look.
    contradicted : frozenset of str
        Models about whom two looks exclude each other.
    cluster : str
        What votes were clustered by, as it was asked for; ``"none"`` for independent votes.
    test : {"e_process", "e_strength"}
        What compared the models.
    """

    task: str
    alpha: float
    scope: str
    looks: int
    votes: int
    better: Mapping[str, int]
    worse: Mapping[str, int]
    shown_better: frozenset[tuple[str, str]]
    wins: Mapping[tuple[str, str], float]
    contradicted: frozenset[str] = frozenset()
    cluster: str = "auto"
    test: str = "e_process"


def record_path(board: str | Path) -> Path:
    """Where the record of a board file lies: ``board.running.json`` beside ``board.json``.

    Examples
    --------
    >>> record_path("out/board.json").as_posix()
    'out/board.running.json'
    """
    path = Path(board)
    return path.with_name(f"{path.stem}.running.json")


def record_json(record: RunningRecord) -> str:
    """The record as JSON text: sorted keys, one final newline."""
    values = {
        "schema": RUNNING_SCHEMA,
        "task": record.task,
        "alpha": record.alpha,
        "scope": record.scope,
        "looks": record.looks,
        "votes": record.votes,
        "better": dict(record.better),
        "worse": dict(record.worse),
        "shown_better": sorted(record.shown_better),
        "wins": [[one, other, n] for (one, other), n in sorted(record.wins.items())],
        "contradicted": sorted(record.contradicted),
        "cluster": record.cluster,
        "test": record.test,
    }
    return json.dumps(values, sort_keys=True, indent=1, ensure_ascii=False) + "\n"


def load_record(path: str | Path) -> RunningRecord | None:
    """The record in a file; None if there is no such file.

    Raises
    ------
    ReadError
        If the file is no such record, or damaged.
    """
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(f"Cannot read {path}: {error}.") from error
    try:
        values = json.loads(text)
        if values["schema"] != RUNNING_SCHEMA:
            raise DataError(f"its schema is {values['schema']!r}")
        return _from_dict(values)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ReadError(
            f"{path} should hold what earlier looks have shown (schema {RUNNING_SCHEMA!r}), and "
            f"cannot be read: {error}. Move it away to start anew."
        ) from error


def _from_dict(values: Mapping[str, Any]) -> RunningRecord:
    return RunningRecord(
        task=values["task"],
        alpha=float(values["alpha"]),
        scope=values["scope"],
        looks=int(values["looks"]),
        votes=int(values["votes"]),
        better={name: int(count) for name, count in values["better"].items()},
        worse={name: int(count) for name, count in values["worse"].items()},
        shown_better=frozenset((one, other) for one, other in values["shown_better"]),
        wins={(one, other): float(n) for one, other, n in values["wins"]},
        contradicted=frozenset(values["contradicted"]),
        cluster=str(values.get("cluster", "auto")),
        test=str(values.get("test", "e_process")),
    )

"""Votes that keep coming in: which pairs to ask next, and what earlier looks have shown.

Each pair has the probability of being drawn; what was shown lies in a file beside a board.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import Numbers, freeze
from rankbars.errors import DataError, ReadError

__all__ = ["Allocation", "RunningRecord", "load_record", "record_json", "record_path"]

_RUNNING_SCHEMA = "rankbars.running/1"


_NEXT_SCHEMA = "rankbars.next/1"


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """Which votes to ask next; made by `rankbars.allocate`.

    Parameters
    ----------
    models : tuple of str
        The M models that votes are asked about.
    goal : str
        What the votes are to decide: ``"order"``, ``"first"``, or ``"top K"``.
    undecided : tuple of str
        Models about which that is not decided yet.
    alpha : float
        Error rate at which it is decided.
    approximate : bool
        Whether that level is only nearly held.
    new : tuple of str
        Models whose strength is not known to the width that was asked for, or not at all.
    for_new : int
        How many of the votes are for these.
    width : float, optional
        Half the width of their 95 % intervals that is wanted, in log odds.
    even : float
        Share of votes that is drawn from all pairs alike.
    first, second : array of int, shape (P,)
        The models of each pair.
    probability : array of float, shape (P,)
        With which each vote is on that pair; they sum to 1.
    drawn : array of int, shape (V,)
        The pair of each vote to be asked, in the order to ask them.
    turned : array of bool, shape (V,)
        Whether its second model is shown first.
    """

    models: tuple[str, ...]
    goal: str
    undecided: tuple[str, ...]
    alpha: float
    approximate: bool
    new: tuple[str, ...]
    for_new: int
    width: float | None
    even: float
    first: Annotated[NDArray[np.int64], Numbers("K")]
    second: Annotated[NDArray[np.int64], Numbers("K")]
    probability: Annotated[NDArray[np.float64], Numbers("K")]
    drawn: Annotated[NDArray[np.int64], Numbers("V")]
    turned: Annotated[NDArray[np.bool_], Numbers("V")]

    def __repr__(self) -> str:
        return f"Allocation({self.votes:,} votes, {len(self.models)} models, {self.goal})"

    def __post_init__(self) -> None:
        freeze(self)
        chance = self.probability
        if not (chance > 0).all() or abs(float(chance.sum()) - 1) > 1e-9:
            raise DataError("Probabilities of pairs must be above 0 and sum to 1.")

    @property
    def votes(self) -> int:
        """How many votes are asked for."""
        return int(self.drawn.size)

    def rows(self) -> list[tuple[str, str, float]]:
        """The votes to ask: the model shown first, the other, and the probability of the pair."""
        return [
            (*self._shown(pair, turned), float(self.probability[pair]))
            for pair, turned in zip(self.drawn.tolist(), self.turned.tolist(), strict=True)
        ]

    def _shown(self, pair: int, turned: bool) -> tuple[str, str]:
        one, other = self.models[self.first[pair]], self.models[self.second[pair]]
        return (other, one) if turned else (one, other)

    def to_csv(self) -> str:
        """One row per vote to ask, in order; add who won, and read them back as votes."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("model_a", "model_b", "sampling_probability"))
        writer.writerows((one, other, repr(chance)) for one, other, chance in self.rows())
        return out.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they stand in the JSON."""
        counts = np.bincount(self.drawn, minlength=self.first.size)
        return {
            "schema": _NEXT_SCHEMA,
            "goal": self.goal,
            "models": list(self.models),
            "undecided": list(self.undecided),
            "alpha": self.alpha,
            "approximate": self.approximate,
            "new": list(self.new),
            "votes": self.votes,
            "votes_for_new": self.for_new,
            "width": self.width,
            "even": self.even,
            "pairs": [
                {
                    "model_a": self.models[self.first[k]],
                    "model_b": self.models[self.second[k]],
                    "sampling_probability": float(self.probability[k]),
                    "votes": int(counts[k]),
                }
                for k in range(self.first.size)
            ],
        }

    def to_json(self) -> str:
        """JSON: every pair with its probability and its number of votes."""
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False)


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
    scope: Literal["each", "all"]
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
        "schema": _RUNNING_SCHEMA,
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
        if values["schema"] != _RUNNING_SCHEMA:
            raise DataError(f"its schema is {values['schema']!r}")
        return _from_dict(values)
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ReadError(
            f"{path} should hold what earlier looks have shown (schema {_RUNNING_SCHEMA!r}), and "
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

"""The record table of all log formats, and how to add a format.

A log reader has two functions. ``sniff(path, head)`` says whether a file is its own (start from
`rankbars.readers.logs.jsontext.top_level_keys`). ``read(files, options)`` turns the files into
a list of `Run`, and of `Note` for what must be said about all of them; an entry in `FORMATS` adds
it.

A `Run` is one model on one task in one pass of the producer. It holds columns, not rows:

* `Rows`: one entry per answer (item id, repeat, status, cluster), shared by all metrics. An
  answer is ``SCORED``, ``UNSCORED``, ``ERROR`` or ``MISSING``; what a rule excludes is not put in.
* `Measure`: one metric. Its `scores` stand beside the rows, NaN where the producer gave none; and
  `value`, `se` and `n` are what the producer published. Either part may be absent.

A reader states what it found and decides nothing. `rankbars.readers.logs.decisions` decides, in
this order, and notes each choice: parts instead of their whole (`parts`); names for systems and
tasks that differ in their settings (`system`, `manner`, `setup`); one variant (`variants`,
``--filter``); one metric per task (``--metric``); one run per model and task (``--reruns``);
whether the models were given the same task (`agree`, overruled by ``--compare-anyway``); item
scores or published values; direction.

Never put text of prompts, answers or targets into a record, never put 0 for an absent score, and
name the file and the place in every `ReadError`.
"""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.tables.descriptions import RECORDED
from rankbars.tables.rowstates import ERROR, MISSING, SCORED, UNSCORED

__all__ = [
    "ERROR", "MISSING", "SCORED", "UNSCORED", "Agreement", "Answers", "Direction", "Measure",
    "Rows", "Run", "print_of",
]  # fmt: skip

Direction: TypeAlias = Literal["higher", "lower"]

_NOTHING: Mapping[str, str] = MappingProxyType({})


class Agreement(NamedTuple):
    """A fact that must be the same for all models of a task.

    Parameters
    ----------
    value : str
        The fact, such as a hash.
    context : str
        Only facts with the same context are compared: a hash over prompts says nothing where two
        models have different chat templates.
    """

    value: str
    context: str = ""


class Rows(NamedTuple):
    """Answers of one run, in any order.

    Parameters
    ----------
    ids : tuple of str
        Item of each answer: a hash of its content, or its name.
    status : array of uint8, shape (rows,)
        ``SCORED`` (or unscored, where a measure holds NaN), ``UNSCORED``, ``ERROR``, ``MISSING``.
    repeats : array of int, shape (rows,), optional
        Which answer to the item it is (epoch, seed); None where each item has one.
    clusters : tuple of (str or None), optional
        Value of the metadata key that the caller named as the cluster.
    other_ids : tuple of str, optional
        Item of each answer in another way, for items whose `ids` are not unique.
    prints : array of int, shape (rows,), optional
        Fingerprint of what was asked, which must be the same for all models.
    identity : (str, str)
        What `ids` and `other_ids` are, for messages.
    """

    ids: tuple[str, ...]
    status: NDArray[np.uint8]
    repeats: NDArray[np.int64] | None = None
    clusters: tuple[str | None, ...] | None = None
    other_ids: tuple[str, ...] | None = None
    prints: NDArray[np.int64] | None = None
    identity: tuple[str, str] = ("item", "position")

    def has_unique(self, ids: tuple[str, ...]) -> bool:
        """Whether each of `ids`, with its repeat, stands once."""
        if self.repeats is None:
            return len(set(ids)) == len(ids)
        return len(set(zip(ids, self.repeats.tolist(), strict=True))) == len(ids)


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One metric of one run.

    Parameters
    ----------
    name : str
        What the caller chooses it by.
    scores : array of float, shape (rows,), optional
        Score of each answer of `Run.rows`, in the producer's units; NaN = none.
    value, se : float, optional
        Published score and its standard error.
    n : int, optional
        Items behind the published score.
    metric : str, optional
        Name that tells direction and scale, where `name` is that of a scorer.
    direction : {"higher", "lower"}, optional
        Side that is better; None if the log does not say.
    origin : str
        Where `direction` comes from, if the log does not say it in so many words.
    limits : (float or None, float or None)
        Least and greatest possible score, where the log or its code fixes them.
    declined : str, optional
        Why the scores of items cannot be used; they are passed over.
    fault : str, optional
        What is wrong with a score, with its place; raised if the metric is chosen.
    """

    name: str
    scores: NDArray[np.float64] | None = None
    value: float | None = None
    se: float | None = None
    n: int | None = None
    metric: str | None = None
    direction: Direction | None = None
    origin: str = RECORDED
    limits: tuple[float | None, float | None] = (None, None)
    declined: str | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One model on one task in one pass of the producer.

    Parameters
    ----------
    source : str
        File, for messages.
    model, task : str
        Names as the producer wrote them.
    measures : mapping from str to Measure
        By name, in the producer's order; empty for a log without any score.
    rows : Rows, optional
        Answers.
    headline : str, optional
        The producer's main measure; the first one if not given.
    variants : mapping from str to str
        Kind of variant (``"filter"``, ``"shots"``) → its name.
    system : mapping from str to str
        Settings that make systems of one model name different, whatever the task.
    manner : mapping from str to str
        Settings that usually differ between tasks; they make systems different only where one
        model was run on one task in several ways.
    setup : mapping from str to str
        Settings that make tasks of one name different.
    agree : mapping from str to Agreement
        What must be the same for all models.
    stamp : float, optional
        Time of the run, in seconds; None if not known.
    finished : bool
        Whether the run came to its end.
    expected : int, optional
        Items that the run should have.
    failed : int
        Answers known to have failed without a row of their own.
    category : str, optional
        Group of the task.
    parts : tuple of str
        Tasks that this one is put together from.
    group : str, optional
        The group with which the task counts as one in the report of the producer.
    pooled : bool
        Whether tasks count in it by their number of items, or the same.
    trials : bool
        Whether more runs of the model on the task are more trials of its items, unless the caller
        chooses (``--reruns``); else the newest run counts.
    notes : tuple of Note
        What the reader did.
    """

    source: str
    model: str
    task: str
    measures: Mapping[str, Measure]
    rows: Rows | None = None
    headline: str | None = None
    variants: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    system: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    manner: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    setup: Mapping[str, str] = field(default_factory=lambda: _NOTHING)
    agree: Mapping[str, Agreement] = field(default_factory=lambda: MappingProxyType({}))
    stamp: float | None = None
    finished: bool = True
    expected: int | None = None
    failed: int = 0
    category: str | None = None
    parts: tuple[str, ...] = ()
    group: str | None = None
    pooled: bool = True
    trials: bool = False
    notes: tuple[Note, ...] = ()


class Answers:
    """Answers and their scores, in any order.

    Parameters
    ----------
    identity : (str, str)
        What the two names of an item are, for messages.

    Attributes
    ----------
    declined : dict from str to str
        Metrics whose scores cannot be used, and why.
    faults : dict from str to str
        Metrics of which a score is wrong, with its place; raised if the metric is chosen.

    Examples
    --------
    >>> answers = Answers()
    >>> _ = answers.add("q1", {"accuracy": 1.0})
    >>> _ = answers.add("q2")
    >>> answers.rows().ids, answers.column("accuracy").tolist()
    (('q1', 'q2'), [1.0, nan])
    """

    def __init__(self, identity: tuple[str, str] = ("id", "position")) -> None:
        self.declined: dict[str, str] = {}
        self.faults: dict[str, str] = {}
        self._identity = identity
        self._items: list[str] = []
        self._others: list[str | None] = []
        self._clusters: list[str | None] = []
        self._status = bytearray()
        self._repeats = array("q")
        self._prints = array("q")
        self._columns: dict[str, array[float]] = {}

    def __len__(self) -> int:
        return len(self._items)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names of the metrics seen so far."""
        return tuple(self._columns)

    def keys(self) -> list[tuple[str, int]]:
        """Item and repeat of each answer."""
        return list(zip(self._items, self._repeats, strict=True))

    def add(
        self,
        item: str,
        scores: Mapping[str, float | None] | None = None,
        *,
        status: int = SCORED,
        repeat: int = 0,
        other: str | None = None,
        cluster: str | None = None,
        content: str | None = None,
    ) -> int:
        """Append an answer; its row.

        Parameters
        ----------
        item : str
            Name of the item.
        scores : mapping from str to (float or None), optional
            Score by metric; None if there is none.
        status : int
            As in `Rows`.
        repeat : int
            Which answer to the item it is.
        other : str, optional
            Another name of the item.
        cluster : str, optional
            Its cluster.
        content : str, optional
            What was asked, or a hash of it; models are compared where it is the same.
        """
        self._items.append(item)
        self._others.append(other)
        self._clusters.append(cluster)
        self._status.append(status)
        self._repeats.append(repeat)
        if content is not None:
            self._prints.append(print_of(content))
        row = len(self._items) - 1
        for name, score in (scores or {}).items():
            if score is not None:
                self.put(row, name, score)
        return row

    def put(self, row: int, name: str, score: float) -> None:
        """Set a score of an answer that was added; the first one counts."""
        column = self._columns.setdefault(name, array("d"))
        if len(column) <= row:
            column.extend([math.nan] * (row + 1 - len(column)))
        if math.isnan(column[row]):
            column[row] = score

    def column(self, name: str) -> NDArray[np.float64]:
        """Scores of one metric, NaN where there is none."""
        scores = np.full(len(self), np.nan)
        known = self._columns.get(name, array("d"))
        scores[: len(known)] = known
        return scores

    def complete(self, measure: Measure) -> Measure:
        """The measure with the scores of its name, or why there are none that can be used."""
        name = measure.name
        if name not in self._columns:
            return measure
        if name in self.declined:
            fault = self.faults.get(name, measure.fault)
            return replace(measure, declined=self.declined[name], fault=fault)
        return replace(measure, scores=self.column(name), fault=self.faults.get(name))

    def rows(self) -> Rows:
        """The answers without their scores."""
        repeats = np.array(self._repeats, np.int64)
        others = tuple(other for other in self._others if other is not None)
        return Rows(
            tuple(self._items),
            np.frombuffer(bytes(self._status), np.uint8),
            repeats=repeats if len(np.unique(repeats)) > 1 else None,
            clusters=tuple(self._clusters),
            other_ids=others if len(others) == len(self) else None,
            prints=np.array(self._prints, np.int64) if len(self._prints) == len(self) else None,
            identity=self._identity,
        )


def print_of(text: str) -> int:
    """A number that stands for a text without keeping it."""
    content = text.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(content, digest_size=8).digest(), "big", signed=True)

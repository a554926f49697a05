"""Where a race stands: who may still be first, who is out, what to run next, what was told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import DataError

__all__ = ["Call", "Calls", "RaceBoard", "Racer", "Stop", "Told"]

Stop = Literal["settled", "budget", "items", "waiting"]
"""Why there is nothing to run: all is decided, the budget is spent, no item is left, or workers
have all calls of the batch."""


class Call(NamedTuple):
    """One answer that is wanted: of a model, to an item of a task.

    Attributes
    ----------
    model, task, item : str
        What is asked of whom.
    trial : int
        Which answer of the model to the item, from 1.
    """

    model: str
    task: str
    item: str
    trial: int = 1


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls to make next, in order; empty where the race stops.

    Parameters
    ----------
    calls : tuple of Call
        What to run.
    why : {"settled", "budget", "items", "waiting"}, optional
        Why there is nothing.

    Examples
    --------
    >>> wanted = Calls((Call("a", "math", "7"), Call("a", "math", "3")))
    >>> wanted.lm_eval("a"), wanted.inspect("a")
    ('{"math": [3, 7]}', {'math': '7,3'})
    """

    calls: tuple[Call, ...]
    why: Stop | None = None

    def __len__(self) -> int:
        return len(self.calls)

    def __iter__(self) -> Iterator[Call]:
        return iter(self.calls)

    @property
    def models(self) -> tuple[str, ...]:
        """Models that something is wanted of, in order."""
        return tuple(dict.fromkeys(call.model for call in self.calls))

    def to_jsonl(self) -> str:
        """One line of JSON per call; a line back is the same with ``score`` or ``failed``."""
        # The same names come again and again, and each is quoted once.
        quoted = cache(json.JSONEncoder(ensure_ascii=False).encode)
        return "".join(
            f'{{"model": {quoted(model)}, "task": {quoted(task)}, "item": {quoted(item)}, '
            f'"trial": {trial}}}\n'
            for model, task, item, trial in self.calls
        )

    def lm_eval(self, model: str) -> str:
        """What lm-evaluation-harness takes as ``--samples`` for one model: indices by task.

        Raises
        ------
        DataError
            If an item is no index of a document.
        """
        asked: dict[str, set[int]] = {}
        for call in self.calls:
            if call.model == model:
                if not (call.item.isascii() and call.item.isdigit()):
                    raise DataError(
                        f"Item {call.item!r} of {call.task!r} is no index of a document. Race over "
                        "the indices (0, 1, ...) to use lm-evaluation-harness."
                    )
                asked.setdefault(call.task, set()).add(int(call.item))
        # The tool takes documents in their order, and names them by the order of this list.
        return json.dumps({task: sorted(items) for task, items in asked.items()})

    def inspect(self, model: str) -> dict[str, str]:
        """What Inspect takes as ``--sample-id`` for one model, by task.

        Raises
        ------
        DataError
            If an item has a comma in its name.
        """
        asked: dict[str, dict[str, None]] = {}
        for call in self.calls:
            if call.model == model:
                if "," in call.item:
                    raise DataError(
                        f"Item {call.item!r} of {call.task!r} has a comma in its name, and Inspect "
                        "takes names with commas between them."
                    )
                asked.setdefault(call.task, {})[call.item] = None
        return {task: ",".join(items) for task, items in asked.items()}


class Told(NamedTuple):
    """What became of results that a race was told.

    Attributes
    ----------
    taken : int
        Results that were wanted.
    failed : int
        Those of them that were declared to have failed.
    again : int
        Results of calls that have one already; the first one counts.
    aside : int
        Results that nobody asked for, which were left aside.
    waiting : int
        Calls of the batch that have no result yet.
    contradicted : tuple of Call
        Calls whose result is another one now than the one that counts.
    """

    taken: int
    failed: int
    again: int
    aside: int
    waiting: int
    contradicted: tuple[Call, ...] = ()


class Racer(NamedTuple):
    """One model of a race.

    Attributes
    ----------
    model : str
        Its name.
    call : {"in", "out", "open"}
        Whether it is among those that are raced for, or may still be.
    since : int, optional
        Rows of the race after which that was decided.
    rows : int
        Rows it ran.
    calls : int
        Answers it gave.
    mean : float
        Mean score over its rows, in units of the score; NaN before the first batch. Those who ran
        other rows had other items.
    log_e : float
        Log of the e-value that stands for its call.
    more : float
        Rows until it is decided, at the present rate; infinite if the rate is not above 0, NaN
        where it is decided.
    """

    model: str
    call: Literal["in", "out", "open"]
    since: int | None
    rows: int
    calls: int
    mean: float
    log_e: float
    more: float


@dataclass(frozen=True, slots=True, eq=False)
class RaceBoard:
    """Where a race stands; made by `rankbars.Race.board`.

    Parameters
    ----------
    k : int
        Places that are raced for.
    alpha : float
        Error rate, over all looks together.
    racers : tuple of Racer
        Those that are in, then those that may be, then those that are out; the last to go first.
    tasks : tuple of str
        The tasks.
    unit : {"items", "tries"}
        What a row is: an item (of each task), or one try at every item.
    at, of : int
        Rows so far, and rows that there are.
    used, full : int
        Calls so far, and calls of all models on all rows.
    more : float
        Rows until all is decided, at the present rate; infinite if the rate is not above 0.
    threshold : float
        Log of the e-value at which a claim is made.
    stop : {"settled", "budget", "items"}, optional
        Why it may stop; None while it goes on.
    waiting : int
        Calls of the present batch that have no result.
    failed : int
        Calls that were declared to have failed, which count as the lowest score.
    batch, seed : int
        Rows of a batch, and the seed of the order of items.
    digest : str
        Of all that was told so far, in its order.
    history : tuple of (int, tuple of float)
        Rows after each batch, and the log e-value of each of `entered` then; NaN of one that did
        not run.
    entered : tuple of str
        Models in the order in which they entered.
    notes : tuple of Note
        What the reader must know.

    Examples
    --------
    >>> import rankbars as rb
    >>> race = rb.Race(["a", "b"], range(100))
    >>> race.tell({call: float(call.model == "a") for call in race.next()})
    Told(taken=50, failed=0, again=0, aside=0, waiting=0, contradicted=())
    >>> race.board().winners, race.board().used, race.board().stop
    (('a',), 50, 'settled')
    """

    k: int
    alpha: float
    racers: tuple[Racer, ...]
    tasks: tuple[str, ...]
    unit: Literal["items", "tries"]
    at: int
    of: int
    used: int
    full: int
    more: float
    threshold: float
    stop: Stop | None
    waiting: int
    failed: int
    batch: int
    seed: int
    digest: str
    history: tuple[tuple[int, tuple[float, ...]], ...]
    entered: tuple[str, ...]
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        goal = "first" if self.k == 1 else f"top {self.k}"
        return f"RaceBoard({goal}, {len(self.possible)} of {len(self.racers)} possible)"

    def __str__(self) -> str:
        return self.to_text()

    @property
    def possible(self) -> tuple[str, ...]:
        """Models that may still be first, or among the first k."""
        return tuple(one.model for one in self.racers if one.call != "out")

    @property
    def winners(self) -> tuple[str, ...]:
        """Models that are shown to be first, or among the first k."""
        return tuple(one.model for one in self.racers if one.call == "in")

    @property
    def saved(self) -> float:
        """Share of the calls of all models on all rows that was not used so far."""
        return 1.0 - self.used / self.full

    def to_text(self) -> str:
        """The board as ``rankbars race STATE show`` prints it."""
        from rankbars.render.racetext import race_text

        return race_text(self)

    def to_json(self) -> str:
        """The board as ``rankbars race STATE show --json`` prints it."""
        from rankbars.render.racetext import race_json

        return race_json(self)

    def to_html(self) -> str:
        """The board as a page that needs no network.

        Raises
        ------
        MissingPackageError
            If matplotlib is not installed.
        """
        from rankbars.render.racetext import race_html

        return race_html(self)

    def plot(self, ax: Any = None) -> Any:
        """Evidence over rows, model by model, and where models went out.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a figure of its own where not given.

        Returns
        -------
        matplotlib axes

        Raises
        ------
        DataError
            If no batch is complete.
        MissingPackageError
            If matplotlib is not installed.
        """
        from rankbars.render.plotting.workplots import plot_race

        return plot_race(self, ax)

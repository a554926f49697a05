"""The verb `race`: what to run next to learn who leads, and when to stop."""

from __future__ import annotations

import math
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rankbars.calls import check_mapping, check_name, check_number, check_whole, explaining_methods
from rankbars.data.raceboard import Calls, RaceBoard, Told
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.racing.keptbets import close_batch, enter_model
from rankbars.racing.racestanding import UNNAMED, name_calls, read_standing
from rankbars.racing.racesummary import answers_before, board_of, contradicted_in, scores_of
from rankbars.racing.toldresults import match_results, take_results, wanted_calls
from rankbars.stats.streams import stream

if TYPE_CHECKING:
    from rankbars.data.scores import Scores
    from rankbars.store.racefile import RaceLog

__all__ = ["Race"]


@explaining_methods
class Race:
    """A race over items: run the next batch, tell it, and stop as soon as the answer is known.

    All models answer the same items in one random order that is fixed at the start. After each
    batch those who are shown not to be first (or among the first k) are out and run no more.
    Statements hold at any time: however often one looks, however large batches are, whenever one
    stops or goes on.

    Parameters
    ----------
    models : sequence of str
        Who races, at least two.
    items : sequence, or mapping from task to sequence
        Names of the items; of several tasks by task. A row of the race is one item of each task,
        so that there are as many rows as the smallest task has items.
    goal : str
        ``"first"``, or ``"top 3"``: the first three, in any order. There is no race for tiers:
        early stopping saves nothing there.
    alpha : float
        Error rate, over all looks together. ``"first"``: of each best model, to be called out.
        ``"top 3"``: of any wrong call.
    batch : int
        Rows that are run between two looks.
    budget : int, optional
        Calls that may be made.
    limits : (float, float)
        Least and greatest score of a call; a result outside is refused.
    seed : int
        Seed of the order.
    weights : mapping from task to number, or "items", optional
        Weight of each task in a row; the same where not given. ``"items"``: every item counts the
        same, whatever its task, and a row is one item.
    trials : int
        Answers of each model to each item, which are averaged.
    rows : {"items", "trials"}
        What a row is: an item, for an answer about items like these; or one try at every item, for
        an answer about new tries at these items.
    direction : {"higher", "lower"}
        Which side of the score is better.
    state : path, optional
        A new file that keeps the race, so that it can be stopped, killed and gone on with, and
        several workers can share it. Without it the race lives in memory.

    Raises
    ------
    OptionError
        If an option is out of range, or limits are not finite.
    DataError
        If a name stands twice, or there are too few models or items.
    WriteError
        If the file exists, or cannot be written.

    Notes
    -----
    First place: the bet against model j stakes, before each row, on the model with the highest sum
    so far among the others that run. If j is a best model, no such bet is expected to win, so that
    it is called out with probability `alpha` at most, whatever the number of models. Of several
    equally good models each stays with that probability.

    The first k: "i better than j" is claimed at ``k (M - k) / alpha``. A model that joins late has
    bets from its first row on, and all calls are made anew for the larger number of models.

    It is assumed that items are a random sample of items like these, and that neither who joins
    nor what is declared to have failed depends on results.

    Examples
    --------
    >>> import numpy as np
    >>> ability = {"amber": 0.8, "birch": 0.6, "cobalt": 0.3}
    >>> rng = np.random.default_rng(0)
    >>> race = Race(list(ability), range(500))
    >>> while calls := race.next().calls:
    ...     _ = race.tell({call: float(rng.random() < ability[call.model]) for call in calls})
    >>> race.board().winners, race.board().at
    (('amber',), 100)
    """

    def __init__(
        self,
        models: Sequence[str],
        items: Sequence[Any] | Mapping[str, Sequence[Any]],
        goal: str = "first",
        *,
        alpha: float = 0.05,
        batch: int = 25,
        budget: int | None = None,
        limits: Sequence[float] = (0.0, 1.0),
        seed: int = 0,
        weights: Mapping[str, float] | Literal["items"] | None = None,
        trials: int = 1,
        rows: Literal["items", "trials"] = "items",
        direction: Literal["higher", "lower"] = "higher",
        state: str | os.PathLike[str] | None = None,
    ) -> None:
        from rankbars.data.fields import check_models

        names = check_models(_texts("models", models))
        k = _places(goal, len(names))
        # Not by `stats.tails`: SciPy would take a third of the time of beginning a race.
        if not 0.0 < check_number("alpha", alpha) < 1.0:
            raise OptionError.out_of_range("alpha", alpha, "strictly between 0 and 1")
        check_name("direction", direction, ("higher", "lower"))
        check_name("rows", rows, ("items", "trials"))
        check_whole("trials", trials, 1)
        check_whole("seed", seed, 0)
        lists = {
            task: _texts(f"items of {task!r}", one)
            for task, one in (items.items() if isinstance(items, Mapping) else [(UNNAMED, items)])
        }
        if not lists:
            raise DataError("There are no tasks, and so no items.")
        facts = {
            "models": list(names),
            "k": k,
            "alpha": float(alpha),
            "limits": _limits(limits),
            "lower": direction == "lower",
            "seed": int(seed),
            "rows": rows,
            "trials": int(trials),
            "named": isinstance(items, Mapping),
            **_ordered(lists, weights, int(seed)),
            **_pace(batch, budget),
        }
        self._path = state
        self._held: RaceLog | None = None
        self._known: dict[str, Any] = {}
        if state is None:
            from rankbars.store.racefile import RaceLog

            self._held = RaceLog()
            self._held.add("start", facts)
        else:
            from rankbars.store.racefile import make_race

            with make_race(state, len(names) ** 2 if k > 1 else 0) as log:
                log.add("start", facts)

    @classmethod
    def open(cls, state: str | os.PathLike[str]) -> Race:
        """Go on with a race that is kept in a file.

        Raises
        ------
        ReadError
            If there is no such file, or it is no database. Whether it was edited is looked at
            whenever it is used.
        """
        from rankbars.store.racefile import find_race

        find_race(state)
        race = cls.__new__(cls)
        race._path, race._held, race._known = state, None, {}
        return race

    def next(
        self, *, worker: str | None = None, most: int | None = None, lease: float = 3600.0
    ) -> Calls:
        """What to run next.

        The same calls until they are told. A new batch begins where none is open.

        Parameters
        ----------
        worker : str, optional
            Who asks. A worker has its calls for itself until the lease ends; the same worker gets
            them again, as after a crash.
        most : int, optional
            How many calls are wanted at most.
        lease : float
            Seconds for which a worker has them.

        Returns
        -------
        Calls
            In order; empty where the race stops, with the reason.
        """
        if most is not None:
            check_whole("most", most, 1)
        check_number("lease", lease, 0.0)
        with self._turn(write=True) as log:
            now = read_standing(log)
            if now.open is None and now.stop is None:
                runs = now.runs.tolist()
                facts = {"first": now.at, "rows": now.rows_paid, "models": runs}
                log.add("batch", facts)
                now = read_standing(log)
            if now.open is None:
                return Calls((), now.stop)
            moment = time.time()
            held = {call: has for call, has in log.leases.items() if has[1] > moment}
            places = np.flatnonzero(~now.open.told).tolist()
            if held:
                keys = zip(*now.open.keys(places), strict=True)
                places = [
                    place
                    for place, call in zip(places, keys, strict=True)
                    if call not in held or held[call][0] == worker
                ]
            wanted = places[:most]
            if worker is not None and wanted:
                calls = zip(*now.open.keys(wanted), strict=True)
                log.lease(held | dict.fromkeys(calls, (worker, moment + lease)))
            named = tuple(name_calls(now, now.open, wanted))
            return Calls(named, None if wanted else "waiting")

    def tell(
        self, results: Any, *, missing: Literal["wait", "failed"] = "wait", source: str = ""
    ) -> Told:
        """Take results: of some calls or all, in any order.

        The batch ends when it has all of them. A result of a call that nobody wants is left aside,
        and of two results of one call the first one counts; where they differ, that is said, here
        and on the board.

        Parameters
        ----------
        results : mapping from Call to score, sequence of dicts, path, data frame, or Scores
            ``{call: score}``, with None for a call that failed; rows as `Calls.to_jsonl` writes
            them, with ``score`` or ``failed``; or whatever `rankbars.read` reads.
        missing : {"wait", "failed"}
            What it means that a model that occurs in the results has none for a call that is
            wanted of it: that it comes later, or that the call has failed.
        source : str
            Where results are from, for the record.

        Returns
        -------
        Told
            How many were taken, and how many the batch waits for.

        Raises
        ------
        DataError
            If a score lies outside the limits or is no number, or a model or task is not known;
            then nothing of it is taken.
        """
        check_name("missing", missing, ("wait", "failed"))
        with self._turn(write=True) as log:
            now = read_standing(log)
            wanted = wanted_calls(now)
            found = list(take_results(results, now, wanted))
            told, taken = match_results(
                found,
                now,
                wanted,
                missing,
                lambda aside: answers_before(log, (one.call for one in aside)),
            )
            known = contradicted_in(log)
            if new := [list(call) for call in told.contradicted if call not in known]:
                log.add("contradicted", {"source": source, "calls": new})
            if taken and now.open is not None:
                cells, models = now.open.keys(list(taken))
                scores = list(taken.values())
                log.add(
                    "told", {"source": source, "cells": cells, "models": models, "scores": scores}
                )
                if told.waiting == 0:
                    close_batch(log)
            return told

    def join(self, model: str) -> None:
        """Let one more model into the race; its evidence begins with the next batch.

        Raises
        ------
        DataError
            If a batch is open, or the model is in the race.
        """
        name = _texts("model", [model])[0]
        with self._turn(write=True) as log:
            now = read_standing(log)
            if name in now.models:
                raise DataError(f"{name!r} is in the race. Name another model.")
            if now.open is not None:
                raise DataError(
                    f"A batch is open, and a model joins between batches. Tell its "
                    f"{now.waiting:,} results first."
                )
            enter_model(log, name)

    def pace(self, *, batch: int | None = None, budget: int | None = None) -> None:
        """Change the size of the batches to come, or what may be spent; statements stay valid.

        Raises
        ------
        OptionError
            If a value is out of range.
        """
        with self._turn(write=True) as log:
            now = read_standing(log)
            kept = (
                now.batch if batch is None else batch, now.budget if budget is None else budget
            )  # fmt: skip
            log.add("pace", _pace(*kept))

    def board(self) -> RaceBoard:
        """Who may still be first or among the first k, what it took, and why it may stop."""
        with self._turn() as log:
            return board_of(log)

    def scores(self) -> Scores:
        """All results of complete batches, for anything else; calls that failed have the least.

        Raises
        ------
        DataError
            If no batch is complete.
        """
        with self._turn() as log:
            return scores_of(log)

    @contextmanager
    def _turn(self, *, write: bool = False) -> Iterator[RaceLog]:
        """The log, alone where it is written to."""
        if self._held is not None:
            yield self._held
            return
        from rankbars.store.racefile import open_race

        if self._path is None:
            raise DataError("This race has no file and no memory.")
        with open_race(self._path, write=write, known=self._known) as log:
            yield log


def _texts(what: str, names: Iterable[Any]) -> tuple[str, ...]:
    """Names as text, each once."""
    if isinstance(names, (str, bytes, Mapping)) or not isinstance(names, Iterable):
        raise OptionError(f"{what} must be a list of names; got {names!r}.")
    given = list(names)
    found = tuple(map(str, given))
    if not found:
        raise DataError(f"There are no {what}.")
    for name, text in zip(given, found, strict=True):
        if (type(name) is str and name.isalnum()) or type(name) is int:
            continue
        if name is None or isinstance(name, (list, tuple, dict, set)) or not text.strip():
            raise DataError(f"{name!r} stands among the {what}, and is no name.")
    if len(set(found)) < len(found):
        twice = next(name for name, count in Counter(found).items() if count > 1)
        raise DataError(f"{twice!r} stands twice among the {what}; each needs a name of its own.")
    return found


def _places(goal: str, models: int) -> int:
    """Places that are raced for."""
    if models < 2:
        raise DataError("A race needs two models or more.")
    words = str(goal).split()
    if words == ["first"]:
        return 1
    if len(words) == 2 and words[0] == "top" and words[1].isascii() and words[1].isdigit():
        k = int(words[1])
        if 1 <= k < models:
            return k
        raise OptionError.out_of_range("k of a goal", k, f"between 1 and {models - 1}")
    if words == ["tiers"]:
        raise OptionError(
            "There is no race for tiers: in replays of real boards early stopping saved nothing "
            "there. Run all items, and rank them; or race for first, or for top 3."
        )
    raise UnknownOptionError.among("goal", goal, ("first", "top 3"))


def _limits(limits: Sequence[float] | None) -> list[float]:
    try:
        ends = [] if isinstance(limits, str) else [float(end) for end in limits or ()]
    except (TypeError, ValueError):
        ends = []
    if len(ends) != 2 or not all(map(math.isfinite, ends)) or not ends[0] < ends[1]:
        raise OptionError(
            f"limits must be the least and the greatest score of a call; got {limits!r}. Bets need "
            "scores with known ends, such as (0, 1). A race over scores without ends is not valid."
        )
    return ends


def _pace(batch: int, budget: int | None) -> dict[str, int | None]:
    check_whole("batch", batch, 1)
    if budget is not None:
        check_whole("budget", budget, 1)
    return {"batch": int(batch), "budget": None if budget is None else int(budget)}


def _ordered(
    lists: Mapping[str, tuple[str, ...]], weights: Mapping[str, float] | str | None, seed: int
) -> dict[str, Any]:
    """The one order of items, and the weights of tasks, which sum to 1."""
    tasks = sorted(lists)
    if isinstance(weights, str):
        check_name("weights", weights, ("items",))
        pairs = sorted([task, item] for task in tasks for item in lists[task])
        drawn = stream(seed, "race", "items").permutation(len(pairs))
        return {"tasks": tasks, "weights": [], "order": [pairs[i] for i in drawn]}
    given = {
        task: check_number(f"The weight of {task!r}", weight, infinite=True)
        for task, weight in check_mapping(
            "weights", dict.fromkeys(tasks, 1.0) if weights is None else weights, "task to weight"
        ).items()
    }
    strange = sorted(set(given) ^ set(tasks))
    if strange:
        raise OptionError(f"weights must name every task and no other; see {strange[0]!r}.")
    for task, weight in given.items():
        if not (math.isfinite(weight) and weight > 0):
            raise OptionError.out_of_range(f"The weight of {task!r}", weight, "a number above 0")
    total = math.fsum(given.values())
    order = {}
    for task in tasks:
        items = sorted(lists[task])
        drawn = stream(seed, "race", task).permutation(len(items))
        order[task] = [items[i] for i in drawn]
    return {"tasks": tasks, "weights": [given[task] / total for task in tasks], "order": order}

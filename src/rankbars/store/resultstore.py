"""A store in Python: results that grow, in one file, and what is said of their names."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankbars.calls import check_name
from rankbars.data.notes import NameFact
from rankbars.data.scores import Scores
from rankbars.errors import OptionError
from rankbars.readers.collecting import collect
from rankbars.store.access import change_store, open_store
from rankbars.store.contents import Store
from rankbars.store.holdings import Change, Event, Holdings
from rankbars.store.naming import Telling, scores_of, tell
from rankbars.tables.database import Engine

if TYPE_CHECKING:
    from rankbars.readers.chosenfiles import Paths

__all__ = ["KEPT_OPTIONS", "ResultStore"]

# Options of `rankbars.read` that a store remembers.
KEPT_OPTIONS = (
    "columns", "direction", "rows", "folds", "test_share", "metric", "layout", "cells", "decimal",
    "sheet", "words", "minimum", "maximum", "filter", "reruns", "compare_anyway", "controls",
    "self_votes", "arena_per_file", "where", "within", "over_time", "map",
)  # fmt: skip
_LISTS = ("metric", "filter", "controls", "where", "within", "words", "sheet")


class ResultStore:
    r"""A store of results, which a leaderboard is made of and which grows.

    It is opened for each call, and held only for that long.

    Parameters
    ----------
    path : path
        Its file.
    by : str
        Who changes it, for the log.

    Examples
    --------
    >>> from pathlib import Path
    >>> import rankbars as rb
    >>> rows = [f"{m},law,{i},{i % k}\n" for m, k in (("a", 2), ("b", 3)) for i in range(50)]
    >>> _ = Path("results.csv").write_text("model,task,item,score\n" + "".join(rows))
    >>> store = rb.ResultStore("board.duckdb", by="jane")
    >>> [(one.action, one.path) for one in store.add("results.csv")]
    [('added', 'results.csv')]
    >>> store.rename(models={"a": "alpha"}, tasks={"law": "justice"})
    >>> store.scores()
    Scores(2 models, 1 task)
    >>> store.scores().models, [(one.action, one.path, one.said) for one in store.log()[1:]]
    (('alpha', 'b'), [('renamed', 'a', 'alpha'), ('renamed', 'law', 'justice')])
    """

    def __init__(self, path: str | os.PathLike[str], *, by: str = "") -> None:
        self.path = os.fspath(path)
        self.by = by

    def __repr__(self) -> str:
        return f"ResultStore({self.path!r})"

    def add(self, paths: Paths, *, format: str = "auto", **options: Any) -> list[Event]:
        """Read files and keep what they hold; what was kept of a file that changed is replaced.

        Parameters
        ----------
        paths : path or sequence of paths
            Files, folders, patterns. The store is made if it is not there.
        format : str
            As in `rankbars.read`.
        **options
            How the files are read, by the names of `rankbars.read`: ``direction``, ``metric``,
            ``columns``, …. All of a store is read in one way: later calls may leave them out.

        Returns
        -------
        list of Event
            What was done; nothing for files that are there as they are.

        Raises
        ------
        OptionError
            If an option is none that a store keeps, or the store was read in another way.
        DataError
            If the files do not go together with those of the store; then nothing is changed.
        """
        given = _kept_options(options)

        def plan(held: Holdings) -> Change | None:
            if given and held.files and given != dict(held.options):
                raise OptionError(
                    f"{self.path} holds results that were read with {dict(held.options) or 'no'} "
                    "options; all of a store is read in one way. Leave the options out, or make "
                    "another store."
                )
            settled = given or held.options
            with Engine() as engine:
                found = collect(paths, held.files, settled, format=format, place_of=held.place_of,
                                engine=engine)  # fmt: skip
                return Change.of(found.files, options=settled) if found.files else None

        def settle(store: Store, change: Change) -> list[Event]:
            return store.apply(change, lambda: scores_of(store, outline=True))

        return change_store(self.path, plan, settle, create=True, who=self.by)

    def scores(self, models: Sequence[str] = ()) -> Scores:
        """What it holds, under the names of today, without what is retired.

        Parameters
        ----------
        models : sequence of str
            Only these models are read, as if no other were there.
        """
        with open_store(self.path) as opened:
            return scores_of(opened, models=models)

    def names(self) -> tuple[NameFact, ...]:
        """What was said of names: what is renamed, and what is retired."""
        with open_store(self.path) as opened:
            return opened.names

    def log(self) -> list[Event]:
        """What happened to it, first to last."""
        with open_store(self.path) as opened:
            return opened.events

    def rename(
        self, *, models: Mapping[str, str] | None = None, tasks: Mapping[str, str] | None = None
    ) -> None:
        """Call models or tasks otherwise, here and in results that come later.

        Parameters
        ----------
        models, tasks : mapping from str to str, optional
            New names by those of today.

        Raises
        ------
        OptionError
            If a name is not known, is taken, or is none.
        """
        told = [Telling("model", "renamed", old, new) for old, new in (models or {}).items()]
        told += [Telling("task", "renamed", old, new) for old, new in (tasks or {}).items()]
        self.tell(told)

    def merge(self, *, models: Mapping[str, str]) -> None:
        """Say that models are one: the results of both names are its results.

        Parameters
        ----------
        models : mapping from str to str
            By each model the one that it is; names of today.

        Raises
        ------
        DataError
            If the two have different scores for one row, or votes against each other.
        OptionError
            If a name is not known, or one of the two is retired.
        """
        self.tell([Telling("model", "merged", old, new) for old, new in models.items()])

    def part(self, *, models: Mapping[str, str]) -> None:
        """Take back that models are one.

        Parameters
        ----------
        models : mapping from str to str
            The names that results have, and the model each was merged into.

        Raises
        ------
        OptionError
            If one was not merged so, or its name is another model's by now.
        """
        self.tell([Telling("model", "parted", old, new) for old, new in models.items()])

    def retire(
        self, *, models: Sequence[str] = (), tasks: Sequence[str] = (), reason: str = ""
    ) -> None:
        """Leave models or tasks out of boards; their results are kept.

        Parameters
        ----------
        models, tasks : sequence of str
            Their names of today.
        reason : str
            Why; boards say it.
        """
        self.tell(_tellings("retired", models, tasks, reason))

    def restore(self, *, models: Sequence[str] = (), tasks: Sequence[str] = ()) -> None:
        """Bring back what was retired.

        Parameters
        ----------
        models, tasks : sequence of str
            Their names of today.
        """
        self.tell(_tellings("restored", models, tasks, ""))

    def tell(self, told: Sequence[Telling]) -> tuple[list[Event], Scores]:
        """Say several things of names at once: all of it, or nothing; as `tell` does."""
        if not told:
            raise OptionError("Nothing is named; name a model or a task.")
        found: list[Scores] = []

        def settle(store: Store, change: Change) -> list[Event]:
            events, scores = tell(store, told)
            found.append(scores)
            return events

        events = change_store(self.path, lambda _: Change.of(), settle, who=self.by)
        return events, found[-1]


def _kept_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options for reading as a store keeps them, whichever way they were written."""
    for name in options:
        check_name("option that a store keeps", name, KEPT_OPTIONS)
    made: dict[str, Any] = {}
    for name, value in options.items():
        if name == "direction" and isinstance(value, str):
            made[name] = {"": value}
        elif name in _LISTS and isinstance(value, str):
            made[name] = [value]
        else:
            made[name] = list(value) if isinstance(value, tuple) else value
    return made


def _tellings(action: str, models: Sequence[str], tasks: Sequence[str], said: str) -> list[Telling]:
    models, tasks = ([one] if isinstance(one, str) else one for one in (models, tasks))
    named = [Telling("model", action, name, said) for name in models]
    return [*named, *(Telling("task", action, name, said) for name in tasks)]

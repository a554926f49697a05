"""Stores and the words of the command line: which options they were filled with, what they hold."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankbars.cli.options import Reading
from rankbars.cli.stopping import NOTHING_WRITTEN, account_for
from rankbars.errors import DataError, OptionError, RankbarsError

if TYPE_CHECKING:
    from rankbars.cli.voting import VoteChoices
    from rankbars.data.scores import Scores
    from rankbars.store.pairs import PairCache

__all__ = [
    "account_for_store", "find_store", "given_options", "limit_of", "memory_of", "option_line",
    "read_store", "settle_options",
]  # fmt: skip

# Option of the command line for each option of `rankbars.read` that a store remembers.
FLAGS = {
    "columns": "--column", "direction": "--direction", "rows": "--rows", "folds": "--folds",
    "test_share": "--test-share", "metric": "--metric", "layout": "--layout",
    "cells": "--cells", "minimum": "--score-min", "maximum": "--score-max",
    "filter": "--filter", "reruns": "--reruns", "compare_anyway": "--compare-anyway",
    "controls": "--control", "self_votes": "--self-votes",
}  # fmt: skip


def find_store(inputs: Sequence[str]) -> str | None:
    """The store among the inputs; None if there is none.

    Raises
    ------
    OptionError
        If there is something beside it.
    """
    from rankbars.store.opening import is_store

    stores = [path for path in inputs if is_store(path)]
    if not stores:
        return None
    if len(inputs) > 1:
        other = next((path for path in inputs if path != stores[0]), stores[0])
        raise OptionError(
            f"{stores[0]} is a store, and is read alone; got {other} beside it. Add results to the "
            f"store first: rankbars add {other} --store {stores[0]}."
        )
    return stores[0]


def read_store(
    path: str, reading: Reading, voting: VoteChoices | None, models: Sequence[str] = ()
) -> Scores:
    """The scores that a store holds."""
    from rankbars import __version__
    from rankbars.readers.collecting import put_together
    from rankbars.readers.redaction import redact_items
    from rankbars.store.access import open_store

    with open_store(path, __version__) as store:
        given = given_options(
            reading,
            () if voting is None else voting.control,
            "raise" if voting is None else voting.self_votes,
        )
        settle_options(path, store.options, given)
        options = {**store.options, **limit_of(reading)}
        files = store.files()
        scores = put_together(files, {**options, "models": models})
        if not set(models) <= set(scores.models):
            # A name that is not known is told with all that are.
            scores = put_together(files, options)
    return redact_items(scores) if reading.redact else scores


def account_for_store(path: str, events: int) -> None:
    """From now on, a command that is stopped tells whether it has changed the store.

    Parameters
    ----------
    path : str
        The store.
    events : int
        How many events it knew before.
    """

    def account() -> str:
        from rankbars import __version__
        from rankbars.store.access import open_store
        from rankbars.store.opening import is_store

        if not is_store(path):
            return NOTHING_WRITTEN
        try:
            with open_store(path, __version__) as store:
                changed = len(store.events) != events
        except RankbarsError:
            return f"Stopped; `rankbars log {path}` tells what the store holds."
        return f"Stopped; {path} {'had been changed before that' if changed else 'is as it was'}."

    account_for(account)


def limit_of(reading: Reading) -> dict[str, Any]:
    """The limit of the memory; it changes no result, and is therefore not kept in a store."""
    return {} if reading.memory_limit is None else {"memory_limit": reading.memory_limit}


def memory_of(inputs: Sequence[str], *, is_fixed: bool = False) -> PairCache | None:
    """What a store remembers of pairs of models; None where the inputs are no store.

    It stays as it is with `is_fixed`, which boards of some of the models need.
    """
    store = find_store(inputs)
    if store is None:
        return None
    from rankbars.store.pairs import PairCache

    return PairCache(store, is_fixed=is_fixed)


def given_options(reading: Reading, control: Sequence[str], self_votes: str) -> dict[str, Any]:
    """What was said on the command line about reading, by the names of `rankbars.read`.

    Options that have their defaults are left out, so that two ways to say the same are equal.
    """
    every: dict[str, Any] = {
        "columns": dict(reading.column),
        "direction": dict(reading.direction),
        "rows": reading.rows,
        "folds": reading.folds,
        "test_share": reading.test_share,
        "metric": list(reading.metric),
        "layout": reading.layout,
        "cells": reading.cells,
        "minimum": reading.score_min,
        "maximum": reading.score_max,
        "filter": list(reading.filter),
        "reruns": None if reading.reruns == "newest" else reading.reruns,
        "compare_anyway": reading.compare_anyway or None,
        "controls": list(control),
        "self_votes": None if self_votes == "raise" else self_votes,
    }
    return {name: value for name, value in every.items() if value not in (None, {}, [])}


def settle_options(
    path: str, held: Mapping[str, Any], given: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The options of a store; nothing else may be said once it holds results.

    Raises
    ------
    OptionError
        If `given` says something else.
    DataError
        If the store was read with options that are not known here.
    """
    strange = [name for name in held if name not in FLAGS]
    if strange:
        raise DataError(
            f"{path} holds results that were read with options which are not known here: "
            f"{', '.join(strange)}. Update rankbars, or add the results to a new store."
        )
    if given and dict(given) != dict(held):
        said = option_line(held) or "no options"
        raise OptionError(
            f"{path} holds results that were read with {said}; all of a store is read in one way. "
            "Leave the options for reading out, or make another store: rankbars add RESULTS... "
            f"--store NEW.duckdb {option_line(given)}"
        )
    return held


def option_line(options: Mapping[str, Any]) -> str:
    """The options as the command line takes them.

    Examples
    --------
    >>> option_line({"direction": {"": "lower", "f1": "higher"}, "folds": 3})
    '--direction lower --direction f1=higher --folds 3'
    """
    words: list[str] = []
    for name, value in options.items():
        flag = FLAGS.get(name, f"--{name.replace('_', '-')}")
        if isinstance(value, Mapping):
            for key, one in value.items():
                words += [flag, f"{key}={one}" if key or name == "columns" else str(one)]
        elif isinstance(value, list):
            for one in value:
                words += [flag, str(one)]
        else:
            words += [flag] if value is True else [flag, str(value)]
    return shlex.join(words)

"""How a store was read, and is read again: options that it remembers, the scores that it holds."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankbars.errors import DataError, OptionError
from rankbars.tables.metrics import is_trial_metric

if TYPE_CHECKING:
    from rankbars.cli.readingoptions import Reading
    from rankbars.cli.votechoices import VoteReading
    from rankbars.data.scores import Scores
    from rankbars.store.pairs import PairCache

__all__ = [
    "bytes_of",
    "find_store",
    "given_options",
    "limit_of",
    "memory_of",
    "option_line",
    "read_store",
    "settle_options",
]

# Option of the command line for each option of `rankbars.read` that a store remembers.
_FLAGS = {
    "columns": "--column", "direction": "--direction", "rows": "--rows", "folds": "--folds",
    "test_share": "--test-share", "metric": "--metric", "layout": "--layout",
    "cells": "--cells", "decimal": "--decimal", "minimum": "--score-min", "maximum": "--score-max",
    "filter": "--filter", "reruns": "--reruns", "compare_anyway": "--compare-anyway",
    "controls": "--control", "self_votes": "--self-votes", "arena_per_file": "--arena-per-file",
    "where": "--where", "within": "--within", "over_time": "--over-time", "map": "--map",
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
    path: str, reading: Reading, votes: VoteReading | None, models: Sequence[str] = ()
) -> Scores:
    """The scores that a store holds; metrics of several answers need not have been kept with it."""
    from rankbars import __version__
    from rankbars.readers.gathering import redact_items
    from rankbars.store.access import open_store
    from rankbars.store.naming import scores_of

    of_trials = [name for name in reading.metric if is_trial_metric(name)]
    rest = tuple(name for name in reading.metric if name not in of_trials)
    reading = replace(reading, metric=rest)
    with open_store(path, __version__, memory=bytes_of(reading)) as store:
        given = given_options(reading, votes)
        settle_options(path, store.options, given)
        kept = store.options.get("metric") or ()
        more = {**limit_of(reading), "trials": reading.trials,
                "failed": "lowest" if reading.failed else None}  # fmt: skip
        if of_trials:
            more["metric"] = [*of_trials, *([kept] if isinstance(kept, str) else kept)]
        scores = scores_of(store, more, models)
    return redact_items(scores) if reading.redact else scores


def memory_of(inputs: Sequence[str], *, is_fixed: bool = False) -> PairCache | None:
    """What a store remembers of pairs of models; None where the inputs are no store.

    It stays as it is with `is_fixed`, which boards of some of the models need.
    """
    store = find_store(inputs)
    if store is None:
        return None
    from rankbars.store.pairs import PairCache

    return PairCache(store, is_fixed=is_fixed)


def given_options(reading: Reading, votes: VoteReading | None) -> dict[str, Any]:
    """What was said on the command line about reading, by the names of `rankbars.read`.

    Options that have their defaults are left out, so that two ways to say the same are equal.
    """
    every = reading.declared() | ({} if votes is None else votes.declared())
    said = {name: every[name] for name in _FLAGS if every.get(name) not in (None, (), {}, "raise")}
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in said.items()
        if value is not False
    }


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
    strange = [name for name in held if name not in _FLAGS]
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
        flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
        if isinstance(value, Mapping):
            for key, one in value.items():
                words += [flag, f"{key}={one}" if key or name == "columns" else str(one)]
        elif isinstance(value, list):
            for one in value:
                words += [flag, str(one)]
        else:
            words += [flag] if value is True else [flag, str(value)]
    return shlex.join(words)


def limit_of(reading: Reading) -> dict[str, Any]:
    """The limit of the memory; it changes no result, and is therefore not kept in a store."""
    return {} if reading.memory_limit is None else {"memory_limit": reading.memory_limit}


def bytes_of(reading: Reading) -> int | None:
    """The limit of the memory in bytes."""
    from rankbars.tables.readoptions import options_of

    return options_of(limit_of(reading)).room.engine_bytes

"""What callers say of results, in the spellings of Python and of the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankbars.errors import OptionError, one_of
from rankbars.tables.metrics import refuse_trial_metric
from rankbars.tables.readoptions import DIRECTIONS, PERIODS, ReadOptions, Room, Side, parse_size

if TYPE_CHECKING:
    from rankbars.tables.decorated import CellMeaning

__all__ = ["MAP_ROLES", "MAP_TOKEN", "options_of", "parse_map"]

_FAILED = "score of failed trials"


def options_of(given: Mapping[str, Any], format: str = "auto") -> ReadOptions:
    """Options by the names that `rankbars.read` has for them; those not named have their defaults.

    Columns and directions are mappings, or lists of ``"role=name"`` and ``"rmse=lower"``. The name
    of a `format` may say what the layout of a table is.

    Raises
    ------
    OptionError
        If a value is out of range or not known, or a name is declared twice in different ways.

    Examples
    --------
    >>> options_of({"metric": ["acc", "f1"], "direction": "rmse=lower"}).metrics
    ('acc', 'f1')
    """
    metrics = _named_once(given.get("metric"), "metric")
    for name in metrics:
        refuse_trial_metric(name)
    layout, size = given.get("layout"), given.get("download_limit")
    limit = given.get("memory_limit")
    told = {name: take(given[name]) for name, take in _TAKEN.items()
            if given.get(name) is not None}  # fmt: skip
    return ReadOptions(
        metric=metrics[0] if metrics else None,
        layout="tidy" if format == "tidy" and layout is None else layout,
        metrics=metrics,
        room=Room(
            None if limit is None else parse_size(limit),
            bool(given.get("by_reference")),
            given.get("n_jobs", 1),
        ),
        models=_named_once(given.get("models"), "model"),
        filters=_named_once(given.get("filter"), "filter"),
        sheets=_named_once(given.get("sheet"), "sheet"),
        download_limit=None if size is None else parse_size(size, "limit of a download"),
        **told,
    )


def _meaning(given: str) -> CellMeaning | None:
    from rankbars.tables.decorated import parse_meaning

    return parse_meaning(given)


def _worth(given: str | Mapping[str, object] | Sequence[str]) -> dict[str, float]:
    if not given:
        return {}
    from rankbars.tables.words import parse_words

    return parse_words(given)


def _texts(given: str | Sequence[str]) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _conditions(given: str | Sequence[str]) -> tuple[str, ...]:
    from rankbars.tables.conditions import parse_condition

    found = _texts(given)
    for text in found:
        parse_condition(text)
    return found


def _named_once(names: str | Sequence[str] | None, what: str) -> tuple[str, ...]:
    """One or several names as a tuple.

    Raises
    ------
    OptionError
        If a name is empty.

    Examples
    --------
    >>> _named_once("acc", "metric"), _named_once(["acc", "f1", "acc"], "metric")
    (('acc',), ('acc', 'f1'))
    """
    given = () if names is None else (names,) if isinstance(names, str) else tuple(names)
    if "" in given:
        raise OptionError(f"The name of a {what} is empty.")
    return tuple(dict.fromkeys(given))


def _period(given: str) -> str:
    """A unit of time, or a date; raises `OptionError` if it is neither."""
    if not given or given in PERIODS:
        return given
    try:
        return date.fromisoformat(str(given)).isoformat()
    except ValueError:
        raise OptionError.out_of_range(
            "over_time", given, "day, week, month, or a date such as 2025-03-15"
        ) from None


def _columns_by_role(given: Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    if isinstance(given, Mapping):
        return dict(given)
    pairs = []
    for text in [given] if isinstance(given, str) else given:
        role, sign, name = text.partition("=")
        if not sign:
            raise OptionError(
                f"A column is named as ROLE=NAME, such as item=question; got {text!r}."
            )
        pairs.append((role.strip(), name))
    return _unique(pairs, "column")


def _direction_by_name(given: str | Mapping[str, str] | Sequence[str]) -> dict[str, Side]:
    sides = _sides_by_name(given)
    return {name: one_of("direction", side, DIRECTIONS) for name, side in sides.items()}


def _sides_by_name(given: str | Mapping[str, str] | Sequence[str]) -> dict[str, str]:
    if isinstance(given, Mapping):
        return dict(given)
    pairs = []
    for text in [given] if isinstance(given, str) else given:
        # A task may have an equals sign in its name: the side stands after the last one.
        name, _, side = text.rpartition("=")
        pairs.append((name, side))
    return _unique(pairs, "direction")


def _unique(pairs: Sequence[tuple[str, str]], what: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in pairs:
        if found.setdefault(name, value) != value:
            raise OptionError(
                f"The {what} of {name or 'all scores'!r} is declared as {found[name]!r} and as "
                f"{value!r}; give it once."
            )
    return found


# What a map of JSON gives the paths of, and the steps of a path.
MAP_ROLES = (
    "model", "task", "item", "trial", "score", "n", "c", "error", "cost", "seconds", "time",
)  # fmt: skip
MAP_TOKEN = re.compile(r"\[\]|\.?\*|\.?[^.\[\]*]+")


def parse_map(given: str | Mapping[str, str] | None) -> dict[str, str]:
    """Paths by role, from a mapping, from ``role=path,role=path``, or from a YAML file.

    Raises
    ------
    OptionError
        If a role is not known or stands twice, a path cannot be read, or there is no score.

    Examples
    --------
    >>> parse_map("model=config.model,item=task_id,score=reward.r")["item"]
    'task_id'
    """
    if not given:
        return {}
    if isinstance(given, str):
        place = Path(given)
        if place.suffix.lower() in (".yaml", ".yml") and "=" not in given:
            return parse_map(_load(place))
        pairs = [part.partition("=")[::2] for part in given.split(",")]
        if len({role.strip() for role, _ in pairs}) < len(pairs):
            raise OptionError(f"A role stands twice in the map {given!r}.")
        given = dict(pairs)
    found: dict[str, str] = {}
    for role, path in given.items():
        one_of("role of a map", str(role).strip(), MAP_ROLES)
        text = str(path).strip()
        if not text or "".join(MAP_TOKEN.findall(text)) != text:
            raise OptionError(
                f"The map says {role}={path}, which is no path. Expected keys with dots between "
                "them, such as config.model, results[].score or tasks.*.score."
            )
        found[str(role).strip()] = text
    if "score" not in found and not {"n", "c"} <= set(found):
        raise OptionError(
            "The map names no score: add score=PATH, or n=PATH,c=PATH for counts of answers and "
            "of right ones."
        )
    return found


def _load(place: Path) -> dict[str, str]:
    import yaml

    try:
        found = yaml.safe_load(place.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise OptionError(f"The map {place} cannot be read ({str(error)[:100]}).") from error
    found = found.get("map", found) if isinstance(found, dict) else found
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise OptionError(f"The map {place} must hold one line per role, such as score: reward.r.")
    return {str(role): path for role, path in found.items()}


# What is given under the name of an option → what `ReadOptions` holds under it.
_TAKEN: Mapping[str, Callable[[Any], Any]] = {
    "columns": _columns_by_role,
    "direction": _direction_by_name,
    "cells": _meaning,
    "words": _worth,
    "where": _conditions,
    "over_time": _period,
    "map": parse_map,
    "trials": lambda given: one_of("way of trials", given, ("", "fixed")),
    "failed": lambda given: bool(one_of(_FAILED, given, ("lowest",))),
    **dict.fromkeys(("controls", "within"), _texts),
    **dict.fromkeys(("compare_anyway", "other_hosts", "arena_per_file", "by_call"), bool),
    **dict.fromkeys(
        ("rows", "folds", "test_share", "minimum", "maximum", "self_votes", "decimal", "reruns"),
        lambda given: given,
    ),
}

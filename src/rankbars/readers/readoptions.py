"""Options for reading: those of tables, those of logs, and what callers say of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from rankbars.errors import OptionError, one_of
from rankbars.tables.conditions import parse_condition
from rankbars.tables.database import Engine
from rankbars.tables.metrics import refuse_trial_metric
from rankbars.tables.tableoptions import Room, TableOptions, parse_size

__all__ = ["MAP_ROLES", "MAP_TOKEN", "ReadOptions", "as_declared", "options_of", "parse_map"]

# What a map of JSON gives the paths of, and the steps of a path.
MAP_ROLES = (
    "model",
    "task",
    "item",
    "trial",
    "score",
    "n",
    "c",
    "error",
    "cost",
    "seconds",
    "time",
)
MAP_TOKEN = re.compile(r"\[\]|\.?\*|\.?[^.\[\]*]+")


@dataclass(frozen=True, slots=True)
class ReadOptions(TableOptions):
    """What the caller declares about tables and logs.

    Parameters
    ----------
    filters : tuple of str
        Variants to use: an answer filter, a number of shots.
    compare_anyway : bool
        Compare runs although they were not given the same task.
    beside : bool
        Whether the files hold one side of a comparison: a task that they do not name is the same
        as that of the other side, so it is not called after a file.
    download_limit : int, optional
        Bytes that are copied of a URL at most.
    other_hosts : bool
        Whether a URL may lead to a host that it does not name.
    side : str
        Name of the model whose results all files hold, where they do not say it.
    map : mapping from str to str
        Paths in JSON of a tool that is not known, by role; see `rankbars.readers.mapped`.
    trials : {"fixed", ""}
        ``"fixed"``: each item was tried a number of times that did not depend on the answers.
    arena_per_file : bool
        Whether each file of votes is an arena of its own, where no column names tasks.
    by_call : bool
        Whether answers are wanted one by one, as by a race: items are called as their tool is asked
        for them, none is left out because other models lack it, and all runs of a model count.
    engine : Engine
        Scans tables while they are read; readers alone need it.
    """

    filters: tuple[str, ...] = ()
    compare_anyway: bool = False
    beside: bool = False
    download_limit: int | None = field(default=None, compare=False)
    other_hosts: bool = field(default=False, compare=False)
    side: str = ""
    map: Mapping[str, str] = field(default_factory=dict)
    trials: str = ""
    arena_per_file: bool = False
    by_call: bool = False
    engine: Engine = field(default_factory=Engine, compare=False, repr=False)

    @classmethod
    def for_logs(
        cls,
        table: TableOptions,
        *,
        filters: Sequence[str] = (),
        compare_anyway: bool = False,
        models: Sequence[str] = (),
    ) -> ReadOptions:
        """Options for tables, and those for logs beside them."""
        shared: dict[str, Any] = {one.name: getattr(table, one.name) for one in fields(table)}
        shared["models"] = tuple(models)
        return cls(**shared, filters=tuple(filters), compare_anyway=compare_anyway)


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


def options_of(given: Mapping[str, Any]) -> ReadOptions:
    """Options by the names that `rankbars.read` has for them; those not named have their defaults.

    Raises
    ------
    OptionError
        If a value is out of range or not known.

    Examples
    --------
    >>> options_of({"metric": ["acc", "f1"], "rows": "items"}).metrics
    ('acc', 'f1')
    """
    metrics = _named_once(given.get("metric"), "metric")
    for name in metrics:
        refuse_trial_metric(name)
    tables = TableOptions.of(
        columns=given.get("columns"),
        direction=given.get("direction"),
        rows=given.get("rows"),
        folds=given.get("folds"),
        test_share=given.get("test_share"),
        metric=metrics[0] if metrics else None,
        layout=given.get("layout"),
        minimum=given.get("minimum"),
        maximum=given.get("maximum"),
        controls=given.get("controls", ()),
        self_votes=given.get("self_votes", "raise"),
        cells=given.get("cells"),
        decimal=given.get("decimal"),
        reruns=given.get("reruns"),
        metrics=metrics,
        where=given.get("where") or (),
        within=given.get("within") or (),
        over_time=given.get("over_time"),
        failed=given.get("failed"),
    )
    for text in tables.where:
        parse_condition(text)
    limit = given.get("memory_limit")
    room = Room(
        None if limit is None else parse_size(limit),
        bool(given.get("by_reference")),
        given.get("n_jobs", 1),
    )
    tables = replace(tables, room=room)
    found = ReadOptions.for_logs(
        tables,
        filters=_named_once(given.get("filter"), "filter"),
        compare_anyway=bool(given.get("compare_anyway", False)),
        models=_named_once(given.get("models"), "model"),
    )
    size = given.get("download_limit")
    return replace(
        found,
        download_limit=None if size is None else parse_size(size, "limit of a download"),
        other_hosts=bool(given.get("other_hosts")),
        map=parse_map(given.get("map")),
        trials=one_of("way of trials", given.get("trials") or "", ("", "fixed")),
        arena_per_file=bool(given.get("arena_per_file")),
    )


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


def as_declared(options: ReadOptions, format: str) -> ReadOptions:
    """The options, with what the name of a format says about the layout of a table."""
    if format == "tidy" and options.layout is None:
        return replace(options, layout="tidy")
    return options

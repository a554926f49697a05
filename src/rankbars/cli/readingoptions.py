"""How inputs are to be read: options of every command that reads, and what stores keep of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.options import collect_options, named_option, named_values
from rankbars.errors import DataError, OptionError
from rankbars.tables.metrics import is_trial_metric

if TYPE_CHECKING:
    from rankbars.cli.votechoices import VoteReading
    from rankbars.data.scores import Scores
    from rankbars.store.pairs import PairCache

__all__ = [
    "Reading",
    "bytes_of",
    "counting_failures",
    "find_store",
    "given_options",
    "limit_of",
    "memory_of",
    "of_costs",
    "option_line",
    "read_store",
    "reading_options",
    "settle_options",
    "taking_rows",
]


@dataclass(frozen=True, slots=True)
class Reading:
    """How the inputs are to be read; the fields are those of `rankbars.read`."""

    format: str
    columns: tuple[tuple[str, str], ...]
    direction: tuple[tuple[str, str], ...]
    rows: str | None
    folds: int | None
    test_share: float | None
    metric: tuple[str, ...]
    layout: str | None
    cells: str | None
    decimal: str | None
    sheet: tuple[str, ...]
    words: tuple[str, ...]
    minimum: float | None
    maximum: float | None
    filter: tuple[str, ...]
    reruns: str | None
    trials: str | None
    map: str | None
    compare_anyway: bool
    redact: bool
    memory_limit: str | None
    download_limit: str | None
    other_hosts: bool
    where: tuple[str, ...]
    # Not an option of its own: set where failures are to count (`counting_failures`).
    failed: bool = False

    def declared(self) -> dict[str, Any]:
        """What was declared, by the names that `rankbars.read` has for it."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        said |= {
            "columns": dict(self.columns), "direction": dict(self.direction),
            "where": self.conditions, "failed": "lowest" if self.failed else None,
        }  # fmt: skip
        return {name: value for name, value in said.items() if value not in (None, (), {})}

    @property
    def conditions(self) -> tuple[str, ...]:
        """Conditions on the columns of tables."""
        return tuple(one for one in self.where if not _PATTERN.fullmatch(one))

    @property
    def patterns(self) -> tuple[str, ...]:
        """What chooses tasks by category, family or metric."""
        return tuple(one for one in self.where if _PATTERN.fullmatch(one))


def counting_failures(reading: Reading, *policies: str | None) -> Reading:
    """The reading, in which trials without a score count as the lowest one if a policy is fail."""
    return replace(reading, failed="fail" in policies)


def of_costs(reading: Reading, name: str) -> Reading:
    """The reading of what is paid: less is better, if nothing is said, and nobody told its limits.

    It is a metric or a column of the same inputs.
    """
    said = tuple(one for one in reading.direction if one[0] == name)
    return replace(
        reading, metric=(name,), columns=tuple(one for one in reading.columns if one[0] != "score"),
        direction=said or ((name, "lower"),), minimum=None, maximum=None,
    )  # fmt: skip


def taking_rows(reading: Reading) -> tuple[Reading, bool]:
    """The reading, and whether rows are independent: the answer to a question, no kind of row."""
    if reading.rows != "independent":
        return reading, False
    return replace(reading, rows=None), True


def _side(text: str) -> str:
    if text not in ("lower", "higher"):
        raise ValueError
    return text


_SIDES = "be lower, higher, NAME=lower or NAME=higher, where NAME is a task or a metric"


def _check_where(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Conditions on columns, or ``FIELD=PATTERN`` of a field that tasks have."""
    from rankbars.errors import OptionError
    from rankbars.tables.conditions import parse_condition

    for value in values:
        if _PATTERN.fullmatch(value):
            if ctx.info_name not in _CHOOSING:
                raise click.BadParameter(
                    f"{value!r} chooses tasks, which {ctx.info_name} does by name only. A "
                    "condition on a column has its texts in quotes: category = 'law'.",
                    ctx,
                    param,
                )
            continue
        try:
            parse_condition(value)
        except OptionError as error:
            text = f"{error} Tasks are chosen by category=PATTERN, family=PATTERN, metric=PATTERN."
            raise click.BadParameter(text, ctx, param) from error
    return values


# What chooses tasks; a condition on a column of that name has spaces or quotes.
_PATTERN = re.compile(r"(category|family|metric)=[^\s'\"=].*")
_CHOOSING = ("rank", "noise", "plan", "plot", "select")

reading_options = collect_options(
    Reading,
    "reading",
    given=("failed",),
    options=(
        click.option(
            "--format", metavar="NAME", default="auto", show_default=True,
            help="Format of the inputs; `rankbars formats` lists them.",
        ),
        click.option(
            "--column", "columns", metavar="ROLE=NAME", multiple=True,
            callback=named_values("look like ROLE=NAME, such as item=question", first=True),
            help="Name the column that plays a role, such as item=question; an empty name "
            "switches the role off. Repeat for more.",
        ),
        click.option(
            "--direction", metavar="[NAME=]SIDE", multiple=True,
            callback=named_values(_SIDES, _side, bare=True),
            help="Which side is better, lower or higher: for everything, or for one task or "
            "metric (rmse=lower). Repeat for more.",
        ),
        click.option(
            "--rows", metavar="KIND",
            help="What a row of a task is: items, folds, runs or prompts (prompt "
            "variants), where the columns do not say it; independent, where a note asks whether "
            "rows go together.",
        ),
        click.option("--folds", type=int, metavar="K", help="Folds per repeat, if rows are folds."),
        click.option(
            "--test-share", type=float, metavar="SHARE",
            help="Share of the data held out in each fold; 1/K where not given.",
        ),
        click.option(
            "--metric", metavar="NAME", multiple=True,
            help="The metric to use, where the input holds several; pass@4 (any of 4 answers is "
            "right), pass^4 (all of 4), best@4 or majority@3, where items have several answers. "
            "Repeat for more: each task of a log shows the first that it has.",
        ),
        click.option(
            "--layout", metavar="NAME",
            help="How a table is laid out, where its header does not say it: tidy, "
            "items-by-models, models-by-items, tasks-by-models or models-by-tasks; votes or beats "
            "(rows beat columns) for pairwise votes.",
        ),
        click.option(
            "--cells", metavar="MEANING",
            help="What stands behind the values in cells such as 71.3 ± 1.2: se (a standard "
            "error), std5 (the standard deviation of 5 runs; any number), ci95 (an interval, or "
            "half of one; any level) or value (leave it aside); count reads 61/114 as 61 right "
            "answers of 114, share a grade of 7/10 as 0.7.",
        ),
        named_option(
            "--decimal", known=(".", ","),
            help="What separates the fraction of numbers in text. Without it, a comma does between "
            "semicolons only.",
        ),
        click.option(
            "--sheet", metavar="NAME", multiple=True,
            help="Which of several sheets of a workbook (.xlsx) is read. Repeat for more, or give "
            "a pattern ('*' for all): each is then read as a file of a folder is.",
        ),
        click.option(
            "--word", "words", metavar="WORD=VALUE", multiple=True,
            help="What a word in cells of scores counts as: pass, fail, missing (no score) or a "
            "number, such as timeout=fail, infra_error=missing, B+=3.3; in votes tie or missing, "
            "such as unsure=tie. Repeat for more.",
        ),
        click.option(
            "--score-min", "minimum", type=float, metavar="X",
            help="Least possible score, in the units of the input; --missing fail needs it.",
        ),
        click.option(
            "--score-max", "maximum", type=float, metavar="X",
            help="Greatest possible score; --missing fail needs it where lower is better.",
        ),
        click.option(
            "--where", metavar="CONDITION", multiple=True, callback=_check_where,
            help="Only rows of tables on which this holds, such as \"language = 'de' and turns > "
            "1\"; or, to choose tasks: category=PATTERN, family=PATTERN, metric=PATTERN. Repeat "
            "for more; all must hold.",
        ),
        click.option(
            "--filter", metavar="NAME", multiple=True,
            help="Variant to use, where a log holds several: an answer filter such as "
            "strict-match, a number of shots such as 5-shot. Repeat for more.",
        ),
        named_option(
            "--reruns", known=("newest", "all"),
            help="Of several runs of one model on one task: the newest, or all as repeats. Of logs "
            "the newest, if nothing is said; in a table a column such as date tells them apart. "
            "(rankbars check --reruns PATH is another thing: runs of one system against each "
            "other.)",
        ),
        click.option(
            "--map", metavar="ROLE=PATH,...",
            help="Where records lie in JSON of a tool that is not known, such as "
            "model=config.model,item=results[].id,score=results[].reward, or a YAML file of such "
            "lines; `rankbars formats FILE` shows the paths.",
        ),
        named_option(
            "--trials", known=("fixed",),
            help="Each item was tried a number of times that did not depend on the answers "
            "(fixed); asked for where answers look as if stopped at the first right one.",
        ),
        click.option(
            "--compare-anyway", is_flag=True,
            help="Compare models although results say that they were not given the same task.",
        ),
        click.option("--redact", is_flag=True, help="Replace names of items by hashes."),
        click.option(
            "--memory-limit", metavar="SIZE",
            help="What the process should not exceed, such as 2GB: tasks of tables that do not fit "
            "are kept in temporary files. Without it, all are held in memory.",
        ),
        click.option(
            "--download-limit", metavar="SIZE",
            help="How much is copied of a URL at most, such as 100GB; 50GB if nothing is said.",
        ),
        click.option(
            "--other-hosts", is_flag=True,
            help="Follow a URL to a host that it does not name.",
        ),
    ),
)  # fmt: skip


# Option of the command line for each option of `rankbars.read` that a store remembers.
_FLAGS = {
    "columns": "--column", "direction": "--direction", "rows": "--rows", "folds": "--folds",
    "test_share": "--test-share", "metric": "--metric", "layout": "--layout",
    "cells": "--cells", "decimal": "--decimal", "sheet": "--sheet", "words": "--word",
    "minimum": "--score-min", "maximum": "--score-max", "filter": "--filter",
    "reruns": "--reruns", "compare_anyway": "--compare-anyway",
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
            f"store first: rankbars add {shlex.quote(str(other))} "
            f"--store {shlex.quote(str(stores[0]))}."
        )
    return stores[0]


def read_store(
    path: str, reading: Reading, votes: VoteReading | None, models: Sequence[str] = ()
) -> Scores:
    """The scores that a store holds; metrics of several answers need not have been kept with it."""
    from rankbars.readers import redact_items
    from rankbars.store.access import open_store
    from rankbars.store.naming import scores_of

    of_trials = [name for name in reading.metric if is_trial_metric(name)]
    rest = tuple(name for name in reading.metric if name not in of_trials)
    reading = replace(reading, metric=rest)
    with open_store(path, memory=bytes_of(reading)) as store:
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
    from rankbars.tables.givenoptions import options_of

    return options_of(limit_of(reading)).room.engine_bytes

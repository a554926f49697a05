"""Results files of the lm-evaluation-harness: published values and what is known about tasks.

Files of lighteval say the same in another form, and become the same.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.logs.jsontext import load_json
from rankbars.readers.logs.jsonvalues import (
    as_finite,
    as_float,
    as_mapping,
    as_positive,
    as_score,
    as_text,
    parse_time,
)
from rankbars.readers.logs.records import Answers, Direction, Measure
from rankbars.tables.metricwords import split_words

__all__ = [
    "Results",
    "TaskResult",
    "Value",
    "measures_of",
    "parse_spelling",
    "read_results",
    "spelt_number",
]

# Where the harness looks for the name of a model, in its order.
MODEL_KEYS = ("peft", "delta", "pretrained", "model", "path", "engine")

# Arguments that say how a model was run, not which model it is.
TECHNICAL = split_words(
    "batch_size max_batch_size device device_map parallelize trust_remote_code num_concurrent "
    "max_retries base_url tokenized_requests tokenizer_backend tensor_parallel_size "
    "data_parallel_size gpu_memory_utilization swap_space low_cpu_mem_usage use_cache cache_dir "
    "token use_auth_token max_memory_per_gpu max_cpu_memory offload_folder timeout "
    "eos_string verify_certificate header seed"
)

# Keys of a task's results that are no metrics.
NO_METRICS = frozenset({"alias", "name", "sample_len", "sample_count", "samples"})
# How JSON and Python write a value that is no number; "none" is null.
NO_NUMBER = frozenset({"none", "nan", "inf", "infinity"})

# Ends of names of standard errors, of several kinds in lmms-eval.
_ERRORS = ("_stderr", "_std_err", "_stderr_clt", "_stderr_clustered")

# Values of groups are written in full, and tables of them with four digits.
_ROUNDING = 1e-4

_SPELLING = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|[+-]?inf")


class Value(NamedTuple):
    """A published value, its standard error, and what is wrong with it."""

    value: float | None
    se: float | None
    fault: str | None = None


class TaskResult(NamedTuple):
    """What a results file says about one task.

    Parameters
    ----------
    values : mapping from str to mapping from str to Value
        By filter and metric, in the order of the file.
    directions : mapping from str to {"higher", "lower"}
        Recorded sides, by metric.
    headline : str or None
        The first metric of the task's own list.
    shots, version, task_hash, category : str or None
        As in the file.
    n : int or None
        Declared number of items.
    chosen : bool
        Whether documents were chosen (``--samples``): then the hash of the task is one of these.
    parts : tuple of str
        Tasks of a group.
    group : str or None
        The widest group around the task that the file gives a value for.
    pooled : bool
        Whether that value weighs tasks by their number of items.
    """

    values: Mapping[str, Mapping[str, Value]]
    directions: Mapping[str, Direction]
    headline: str | None = None
    shots: str | None = None
    version: str | None = None
    task_hash: str | None = None
    category: str | None = None
    n: int | None = None
    chosen: bool = False
    parts: tuple[str, ...] = ()
    group: str | None = None
    pooled: bool = True

    @property
    def metrics(self) -> frozenset[str]:
        """Metrics with a published value."""
        return frozenset(metric for values in self.values.values() for metric in values)


class Results(NamedTuple):
    """One results file.

    Parameters
    ----------
    file : InputFile
        The file.
    stamp : str or None
        Time in its name.
    model : str
        Name of the model.
    system, manner : mapping from str to str
        Settings that make it another system: arguments of the model; how it was asked.
    tasks : mapping from str to TaskResult
        By task.
    time : float or None
        When it was written, in seconds.
    limit, template, instruction : str or None
        Limit on items; hash of the chat template; hash of the system instruction.
    notes : tuple of Note
        What is doubtful.
    """

    file: InputFile
    stamp: str | None
    model: str
    system: Mapping[str, str]
    manner: Mapping[str, str]
    tasks: Mapping[str, TaskResult]
    time: float | None = None
    limit: str | None = None
    template: str | None = None
    instruction: str | None = None
    notes: tuple[Note, ...] = ()


def read_results(file: InputFile, stamp: str | None) -> Results:
    """The results file.

    Raises
    ------
    ReadError
        If it is damaged, or holds no results.
    """
    content = load_json(file)
    config = as_mapping(content.get("config"))
    arguments = _arguments(config.get("model_args"))
    model, notes = _name_model(file, content, config, arguments)
    results = as_mapping(content.get("results"))
    groups = _find_groups(content, results)
    tasks = {
        task: _read_task(content, config, task, as_mapping(values), groups)
        for task, values in results.items()
    }
    tasks = _count_as_one(tasks, groups)
    if not any(one.values for one in tasks.values()):
        raise ReadError.at(file.label, "there is no value of any metric under 'results'.")
    system = {
        key: value
        for key, value in arguments.items()
        if key not in TECHNICAL and value not in (model, "None")
    }
    manner: dict[str, str] = {}
    if config.get("gen_kwargs"):
        manner["gen_kwargs"] = str(config["gen_kwargs"])[:200]
    template = as_text(content.get("chat_template_sha"))
    if template is not None:
        manner["chat_template"] = "applied"
    limit = f"limit {config['limit']}" if config.get("limit") is not None else "no limit"
    return Results(
        file, stamp, model, system, manner, tasks,
        time=_time(content.get("date"), stamp),
        limit=limit if "limit" in config else None,
        template=template,
        instruction=as_text(content.get("system_instruction_sha"))
        or ("none" if "system_instruction_sha" in content else None),
        notes=notes,
    )  # fmt: skip


def measures_of(
    known: TaskResult, values: Mapping[str, Value], found: Answers | None
) -> dict[str, Measure]:
    """Published values of a task, of one filter, with the scores of its items."""
    measures = {}
    for name in dict.fromkeys((*values, *(() if found is None else found.metrics))):
        value = values.get(name, Value(None, None))
        measure = Measure(
            name,
            value=value.value,
            se=value.se,
            n=known.n,
            direction=known.directions.get(name),
            fault=value.fault,
        )
        measures[name] = measure if found is None else found.complete(measure)
    return measures


def parse_spelling(text: str) -> float | None:
    """Number behind a value that was written through ``str()``; None if it is none.

    Examples
    --------
    >>> parse_spelling("True"), parse_spelling("0.5"), parse_spelling("yes")
    (1.0, 0.5, None)
    """
    if text in ("True", "False"):
        return float(text == "True")
    return float(text) if _SPELLING.fullmatch(text) else None


def _name_model(
    file: InputFile, content: Mapping[str, Any], config: Mapping[str, Any],
    arguments: Mapping[str, str],
) -> tuple[str, tuple[Note, ...]]:  # fmt: skip
    recorded = as_text(content.get("model_name"))
    known = next((arguments[key] for key in MODEL_KEYS if arguments.get(key)), None)
    if recorded is not None and (known is not None or not re.fullmatch("[A-Za-z0-9]{8}", recorded)):
        return recorded, _folder_note(file, content, recorded)
    if known is not None:
        return known, ()
    # Without any of its keys the harness writes eight random characters.
    given = ",".join(f"{key}={value}" for key, value in arguments.items())
    name = given or as_text(config.get("model")) or file.path.resolve().parent.name or "model"
    why = "no model is named" if recorded is None else f"the name {recorded!r} may be a random one"
    return name, (Note("model-name", f"{file.label}: {why}; the model is called {name!r}."),)


def _folder_note(file: InputFile, content: Mapping[str, Any], model: str) -> tuple[Note, ...]:
    """A remark where the folder bears the name of another model."""
    folder = file.path.resolve().parent.name
    expected = as_text(content.get("model_name_sanitized"))
    if expected is None or "__" not in folder or folder == expected:
        return ()
    return (Note(
        "model-name",
        f"{file.label}: the folder is called {folder!r}, the file says {model!r}; the file counts.",
    ),)  # fmt: skip


def _arguments(given: object) -> dict[str, str]:
    if isinstance(given, dict):
        return {str(key): str(value) for key, value in given.items()}
    pairs = (part.partition("=") for part in given.split(",")) if isinstance(given, str) else ()
    return {key.strip(): value.strip() for key, sign, value in pairs if sign}


def _find_groups(
    content: Mapping[str, Any], results: Mapping[str, Any]
) -> dict[str, tuple[str, ...]]:
    """Groups and their parts."""
    groups: dict[str, tuple[str, ...]] = {
        name: tuple(task for task in results if task.startswith(f"{name}_"))
        for name in as_mapping(content.get("groups"))
    }
    for name, parts in as_mapping(content.get("group_subtasks")).items():
        if isinstance(parts, list) and parts:
            groups[name] = tuple(part for part in parts if isinstance(part, str))
    # A group of groups has the tasks of these: a group need not have a value of its own.
    return {name: (*dict.fromkeys((*parts, *_leaves(name, groups))),) for name, parts in
            groups.items()}  # fmt: skip


def _leaves(name: str, groups: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Tasks of a group, down to those that are no groups."""
    found: dict[str, None] = {}
    seen, waiting = {name}, list(groups[name])
    while waiting:
        one = waiting.pop(0)
        if one in seen:
            continue
        seen.add(one)
        if one in groups:
            waiting = [*groups[one], *waiting]
        else:
            found[one] = None
    return tuple(found)


def _count_as_one(
    tasks: Mapping[str, TaskResult], groups: Mapping[str, tuple[str, ...]]
) -> dict[str, TaskResult]:
    """Tasks with the group that counts as one in the report: one with a value of its own."""
    found = dict(tasks)
    reported = {name: tasks[name] for name in groups if name in tasks and tasks[name].values}
    leaves = {name: [one for one in _leaves(name, groups) if one in tasks] for name in reported}
    # The widest last, so that it is the one that stays.
    for name in sorted(reported, key=lambda one: (len(leaves[one]), one)):
        parts = [tasks[one] for one in leaves[name]]
        pooled = not _is_plain_mean(reported[name], parts)
        for one in leaves[name]:
            found[one] = found[one]._replace(group=name, pooled=pooled)
    return found


def _is_plain_mean(whole: TaskResult, parts: list[TaskResult]) -> bool:
    """Whether the value of a group is the mean of its tasks, whatever their numbers of items."""
    sizes = [one.n for one in parts]
    for used, values in whole.values.items():
        for metric, value in values.items():
            of_parts = [
                found.value
                for one in parts
                if (found := one.values.get(used, {}).get(metric)) is not None
            ]
            known = [one for one in of_parts if one is not None]
            if value.value is None or len(known) < max(len(parts), 2):
                continue
            plain = math.fsum(known) / len(known)
            pooled = math.nan
            if None not in sizes:
                counts = [n or 0 for n in sizes]
                pairs = zip(known, counts, strict=True)
                pooled = math.fsum(one * n for one, n in pairs) / sum(counts)
            near = abs(plain - value.value) <= _ROUNDING
            return near and not abs(pooled - value.value) <= _ROUNDING
    return False


def _read_task(
    content: Mapping[str, Any], config: Mapping[str, Any], task: str, values: Mapping[str, Any],
    groups: Mapping[str, tuple[str, ...]],
) -> TaskResult:  # fmt: skip
    def about(key: str) -> Any:
        return as_mapping(content.get(key)).get(task)

    own = as_mapping(about("configs"))
    shots = as_float(about("n-shot"))
    if shots is None:
        shots = as_float(own.get("num_fewshot", config.get("num_fewshot")))
    counts = as_mapping(about("n-samples"))
    n, of = as_float(counts.get("effective")), as_float(counts.get("original"))
    chosen = n is not None and of is not None and n < of and config.get("limit") is None
    if n is None:
        n = as_float(values.get("sample_len"))
    sides = as_mapping(about("higher_is_better"))
    containing = [group for group, parts in groups.items() if task in parts and group != task]
    first = own.get("metric_list")
    return TaskResult(
        _read_values(values),
        {m: "higher" if up else "lower" for m, up in sides.items() if isinstance(up, bool)},
        headline=as_text(as_mapping(first[0]).get("metric")) if isinstance(first, list) and first
        else None,
        shots=None if shots is None or not math.isfinite(shots) else f"{shots:g}-shot",
        version=as_text(about("versions")),
        task_hash=as_text(about("task_hashes")),
        category=min(containing, key=lambda group: len(groups[group]), default=None),
        n=None if n is None or not 0 < n < 1e15 else int(n),
        chosen=chosen,
        parts=groups.get(task, ()),
    )  # fmt: skip


def _read_values(values: Mapping[str, Any]) -> dict[str, dict[str, Value]]:
    found: dict[str, dict[str, Value]] = {}
    named = any("," in key for key in values)
    # A wrapper of the harness spells accuracy_avg and accuracy_std_err.
    wrapped = any(key.endswith("_std_err") for key in values)
    for key, value in values.items():
        metric, comma, used = key.partition(",")
        if key in NO_METRICS or metric.endswith(_ERRORS) or bool(comma) != named:
            continue
        if wrapped and not metric.endswith("_avg"):
            continue
        number = spelt_number(value)
        # A metric without a finite value is known to be a metric by its filter.
        empty = isinstance(value, float) or (named and str(value).lower().lstrip("-") in NO_NUMBER)
        if number is None and not empty:
            continue
        plain = metric.removesuffix("_avg") if wrapped else metric
        error = f"{plain}_std_err" if wrapped else f"{metric}_stderr{comma}{used}"
        se = spelt_number(values.get(error))
        filtered = found.setdefault(used or "none", {})
        filtered[plain] = Value(number, as_positive(se))
    return found


def spelt_number(value: object) -> float | None:
    """A finite number; harnesses write "N/A", lists and NaN where there is none."""
    number = parse_spelling(value) if isinstance(value, str) else as_score(value)
    return as_finite(number)


def _time(date: object, stamp: str | None) -> float | None:
    number = as_finite(date)
    return parse_time(stamp) if number is None else number

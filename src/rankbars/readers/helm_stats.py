"""What HELM writes: names of runs, the schema of a release, statistics of runs, tables of groups.

One instance has several entries, one per class of metrics: they are united. A statistic of count 0
has no mean. Statistics with a perturbation in their name were computed over perturbed copies, or
over nothing at all.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, open_text
from rankbars.readers.logs.jsonstream import JsonStream
from rankbars.readers.logs.jsontext import load_json, read_records
from rankbars.readers.logs.jsonvalues import as_finite, as_float, as_mapping, as_text, label_of
from rankbars.readers.logs.records import Answers, Direction, Measure, Run

__all__ = [
    "Main", "RunName", "Schema", "Slice", "find_main", "is_bookkeeping", "parse_run_name",
    "read_group_tables", "read_instances", "read_schema", "read_stats",
]  # fmt: skip

_COUNTS = ("num_", "max_num_", "estimated_num_", "finish_reason_", "inference_", "training_")
_OTHERS = frozenset({"batch_size", "prompt_truncated", "predicted_index"})


# Arguments of a run's name that say how one model was prompted, not what was asked of it.
MANNERS = frozenset({
    "stop", "add_to_stop", "output_format_instructions", "follow_format_instructions",
    "increase_max_tokens", "increase_temperature", "temperature", "num_output_tokens",
    "tokenizer", "chatml", "global_prefix", "process_output", "format_prompt",
})  # fmt: skip


class RunName(NamedTuple):
    """What the name of a run says.

    Parameters
    ----------
    task : str
        Scenario and its arguments.
    model : str or None
        The model as the name spells it.
    setup, manner : mapping from str to str
        As in `rankbars.readers.logs.records.Run`.
    """

    task: str
    model: str | None
    setup: Mapping[str, str]
    manner: Mapping[str, str]


def parse_run_name(name: str) -> RunName:
    """The parts of a run's name; copies may write a hyphen for the colon.

    Examples
    --------
    >>> parse_run_name("mmlu:subject=philosophy,method=joint,model=openai_gpt2")[:2]
    ('mmlu:subject=philosophy', 'openai_gpt2')
    >>> parse_run_name("narrative_qa-model=openai_gpt2")[:2]
    ('narrative_qa', 'openai_gpt2')
    """
    scenario, colon, rest = name.partition(":")
    if not colon and "=" in name:
        head, _, tail = name.partition("=")
        before, _, key = head.rpartition("-")
        scenario, rest = (before, f"{key}={tail}") if before else (name, "")
    given: dict[str, str] = {}
    last = ""
    for part in rest.split(",") if rest else ():
        key, sign, value = part.partition("=")
        if sign or not last:
            given[key], last = value, key
        else:
            given[last] += f",{part}"
    model = given.pop("model", None)
    given.pop("model_deployment", None)
    setup = {"method": given.pop("method")} if "method" in given else {}
    manner = {key: given.pop(key) for key in MANNERS & given.keys()}
    kept = ",".join(f"{key}={value}" if value else key for key, value in given.items())
    return RunName(f"{scenario}:{kept}" if kept else scenario, model or None, setup, manner)


class Main(NamedTuple):
    """Main metric and split of a group of runs."""

    metric: str
    split: str


class Schema(NamedTuple):
    """A schema file of a release or a suite.

    Parameters
    ----------
    label : str
        The file, for messages.
    mains : mapping from str to Main
        By group.
    directions : mapping from str to {"higher", "lower"}
        By metric; without those that the schema calls neither.
    names : mapping from str to str
        Metric by the name that tables show.
    """

    label: str
    mains: Mapping[str, Main]
    directions: Mapping[str, Direction]
    names: Mapping[str, str]


# Groups of the classic, lite, capabilities, MMLU and safety boards, as their schema files say.
_USUAL = {
    ("exact_match", "test"): "mmlu openbookqa blimp commonsense",
    ("exact_match", "valid"): "hellaswag truthful_qa",
    ("quasi_exact_match", "test"): """raft civil_comments wikifact babi_qa synthetic_reasoning
        legalbench legal_support lsat_qa med_qa""",
    ("quasi_exact_match", "valid"): "boolq imdb",
    ("f1_score", "test"): "narrative_qa",
    ("f1_score", "valid"): "natural_qa_closedbook natural_qa_openbook_longans quac",
    ("RR@10", "valid"): "msmarco_regular",
    ("NDCG@10", "valid"): "msmarco_trec",
    ("rouge_2", "test"): "summarization_cnndm summarization_xsum",
    ("bits_per_byte", "test"): "ice the_pile twitter_aae twitter_aae_aa twitter_aae_white",
    ("exact_match_indicator", "test"): "dyck_language",
    ("absolute_value_difference", "test"): "numeracy",
    ("f1_set_match", "test"): "synthetic_reasoning_natural",
    ("math_equiv", "test"): "math_regular",
    ("math_equiv_chain_of_thought", "test"): "math_chain_of_thought",
    ("test_avg", "test"): "code_apps",
    ("pass", "test"): "code_humaneval",
    ("bleu_4", "test"): "wmt_14",
    ("chain_of_thought_correctness", "test"): "mmlu_pro gpqa",
    ("ifeval_strict_accuracy", "test"): "ifeval",
    ("wildbench_score_rescaled", "test"): "wildbench",
    ("omni_math_accuracy", "test"): "omni_math",
    ("harm_bench_score", "test"): "harm_bench",
    ("sst_score", "test"): "simple_safety_tests",
    ("bbq_accuracy", "test"): "bbq",
    ("art_score", "test"): "anthropic_red_team",
}

USUAL: Mapping[str, Main] = {
    group: Main(*main) for main, groups in _USUAL.items() for group in groups.split()
}


def read_schema(file: InputFile) -> Schema:
    """What a schema file says.

    Raises
    ------
    ReadError
        If the file is damaged, or its lists are none.
    """
    content = load_json(file)
    mains: dict[str, Main] = {}
    directions: dict[str, Direction] = {}
    names: dict[str, str] = {}
    for group in _schema_entries(file, content, "run_groups"):
        environment = as_mapping(group.get("environment"))
        name, metric = as_text(group.get("name")), as_text(environment.get("main_name"))
        split = as_text(environment.get("main_split"))
        if name and metric and split and metric != "none":
            mains[name] = Main(metric, split)
    for entry in _schema_entries(file, content, "metrics"):
        name = as_text(entry.get("name"))
        if name is None:
            continue
        if (side := _direction(entry)) is not None:
            directions[name] = side
        for shown in (entry.get("display_name"), entry.get("short_display_name")):
            if isinstance(shown, str):
                names.setdefault(shown, name)
    return Schema(file.label, mains, directions, names)


def find_main(groups: Sequence[str], schemas: Sequence[Schema]) -> tuple[Main | None, str | None]:
    """Main metric and split of a run by its groups, and the file that says so.

    Without a file, the table of usual ones is asked; it has no name.
    """
    for schema in schemas:
        for group in groups:
            if group in schema.mains:
                return schema.mains[group], schema.label
    return next((USUAL[group] for group in groups if group in USUAL), None), None


def _schema_entries(
    file: InputFile, content: Mapping[str, Any], key: str
) -> list[Mapping[str, Any]]:
    found = content.get(key)
    if not isinstance(found, list):
        raise ReadError.at(file.label, f"the schema has no list {key!r}.")
    return [as_mapping(entry) for entry in found]


class Slice(NamedTuple):
    """What answers belong to: a split, and a perturbation or none."""

    split: str
    perturbation: str


def is_bookkeeping(name: str) -> bool:
    """Whether a statistic counts tokens, time and the like.

    Examples
    --------
    >>> is_bookkeeping("num_prompt_tokens"), is_bookkeeping("exact_match")
    (True, False)
    """
    return name.startswith(_COUNTS) or name in _OTHERS


def read_instances(file: InputFile, wanted: Collection[str]) -> dict[Slice, Answers]:
    """Scores of single instances, by what they belong to.

    Parameters
    ----------
    file : InputFile
        A file ``per_instance_stats.json``.
    wanted : collection of str
        Metrics that the caller named; bookkeeping is left out unless it is among them.

    Raises
    ------
    ReadError
        If the file is damaged, or an entry names no instance.
    """
    parts: dict[Slice, Answers] = {}
    places: dict[tuple[Slice, str, int], int] = {}
    passed: dict[str, bool] = {}
    for place, entry in read_records(file):
        item = label_of(entry.get("instance_id"), place, "the instance_id")
        if item is None:
            raise ReadError.at(place, "there is no instance_id that names the instance.")
        trial = entry.get("train_trial_index", 0)
        if isinstance(trial, bool) or not isinstance(trial, int) or abs(trial) > 1 << 31:
            raise ReadError.at(place, f"train_trial_index is {str(trial)[:40]!r}.")
        perturbed = as_text(as_mapping(entry.get("perturbation")).get("name")) or ""
        # The statistics of an entry nearly always belong together.
        seen: dict[tuple[object, object], tuple[Answers, int]] = {}
        for metric, name, stat in _stats(entry, place):
            if metric not in passed:
                passed[metric] = is_bookkeeping(metric) and metric not in wanted
            about = (name.get("split"), id(name.get("perturbation")))
            if about not in seen:
                seen[about] = _place(parts, places, _part(name, perturbed), item, trial)
            if not passed[metric]:
                answers, row = seen[about]
                answers.put(row, metric, _mean(stat, metric, place))
    return parts


def read_stats(file: InputFile) -> dict[str, dict[str, float]]:
    """Means of a run by split and metric, without those of perturbed copies and parts of a split.

    Raises
    ------
    ReadError
        If the file is damaged, or a statistic has no name.
    """
    found: dict[str, dict[str, float]] = {}
    for place, stat in read_records(file):
        name = as_mapping(stat.get("name"))
        metric = as_text(name.get("name"))
        if metric is None:
            raise ReadError.at(place, "a statistic has no name.")
        # Parts of a split are told apart by a name of their own.
        if name.get("perturbation") is not None or name.get("sub_split") is not None:
            continue
        mean = _mean(stat, metric, place)
        if math.isfinite(mean):
            found.setdefault(as_text(name.get("split")) or "", {}).setdefault(metric, mean)
    return found


def _part(name: Mapping[str, Any], perturbed: str) -> Slice:
    own = as_text(as_mapping(name.get("perturbation")).get("name"))
    return Slice(as_text(name.get("split")) or "", own or perturbed)


def _place(
    parts: dict[Slice, Answers], places: dict[tuple[Slice, str, int], int], part: Slice, item: str,
    trial: int,
) -> tuple[Answers, int]:  # fmt: skip
    """Answers of a part, and the row of an instance there, added if it is new."""
    if part not in parts:
        parts[part] = Answers(("instance_id", "position"))
    answers = parts[part]
    key = (part, item, trial)
    if key not in places:
        places[key] = answers.add(item, repeat=trial)
    return answers, places[key]


def _stats(
    entry: Mapping[str, Any], place: str
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Statistics of an instance: metric, name, and all of it."""
    stats = entry.get("stats")
    if not isinstance(stats, list):
        raise ReadError.at(place, "there is no list of statistics ('stats').")
    for stat in stats:
        name = stat.get("name") if isinstance(stat, dict) else None
        metric = name.get("name") if isinstance(name, dict) else None
        if not isinstance(name, dict) or not isinstance(metric, str) or not metric:
            raise ReadError.at(place, "a statistic has no name.")
        split = name.get("split")
        if split is not None and not isinstance(split, str):
            raise ReadError.at(place, f"the split is {str(split)[:40]!r}, not a name.")
        yield metric, name, stat


def _mean(stat: Mapping[str, Any], metric: str, place: str) -> float:
    """Mean of a statistic; NaN if it counted nothing."""
    mean = stat.get("mean")
    if mean is None:
        return math.nan
    number = as_float(mean)
    if number is None:
        raise ReadError.at(place, f"the mean of {metric!r} is {str(mean)[:40]!r}, not a number.")
    return number


class _Cell(NamedTuple):
    """One value of a table: of which model on which group of runs, and what it is."""

    model: str
    group: str
    metric: str
    direction: Direction | None
    value: float


def read_group_tables(files: Sequence[InputFile], schemas: Sequence[Schema]) -> list[Run]:
    """Runs of the models of release tables; columns without a group of runs are left out.

    "Mean win rate" is such a column: it depends on which models stand in the table.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If two tables disagree about a value.
    """
    found: dict[tuple[str, str], dict[str, tuple[_Cell, str]]] = {}
    names = {shown: name for schema in reversed(schemas) for shown, name in schema.names.items()}
    for file in files:
        for cell in _read_cells(file, names):
            cells = found.setdefault((cell.model, cell.group), {})
            known, source = cells.setdefault(cell.metric, (cell, file.label))
            if known.value != cell.value:
                raise DataError(
                    f"{file.label}: {cell.metric!r} of model {cell.model!r} on {cell.group!r} is "
                    f"{cell.value:g} here and {known.value:g} in {source}. Read one of them."
                )
    return [
        Run(
            next(iter(cells.values()))[1],
            model,
            group,
            {
                metric: Measure(metric, value=cell.value, direction=cell.direction)
                for metric, (cell, _) in cells.items()
            },
        )
        for (model, group), cells in found.items()
    ]


def _read_cells(file: InputFile, names: Mapping[str, str]) -> Iterator[_Cell]:
    """Values of the table of a file, or of the tables that it lists."""
    with open_text(file) as text:
        stream = JsonStream(text, file.label)
        if stream.starts_with("["):
            tables = [as_mapping(stream.value()) for _ in stream.elements()]
        else:
            tables = [as_mapping(stream.value())]
        stream.end()
    for content in tables:
        header, rows = content.get("header"), content.get("rows")
        if not isinstance(header, list) or not isinstance(rows, list):
            raise ReadError.at(file.label, "the table has no header and rows.")
        columns = [_column(as_mapping(cell), names) for cell in header]
        for number, row in enumerate(rows, start=1):
            if not isinstance(row, list) or len(row) != len(header):
                raise ReadError.at(file.label, f"row {number} of the table is not as long as its "
                                   "header.")  # fmt: skip
            cells = [as_mapping(cell).get("value") for cell in row]
            model = as_text(cells[0]) if cells else None
            if model is None:
                raise ReadError.at(file.label, f"row {number} of the table names no model.")
            for column, value in zip(columns, map(as_finite, cells), strict=True):
                if column is not None and value is not None:
                    yield _Cell(model, *column, value)


def _column(
    cell: Mapping[str, Any], names: Mapping[str, str]
) -> tuple[str, str, Direction | None] | None:
    """Group, metric and direction of a column; None if it is not one of a group of runs."""
    about = as_mapping(cell.get("metadata"))
    group, metric = as_text(about.get("run_group")), as_text(about.get("metric"))
    shown = as_text(cell.get("value")) or ""
    if not about and " - " in shown:  # older releases say it in the title only
        group, _, metric = shown.rpartition(" - ")
    if group is None or metric is None:
        return None
    return group, names.get(metric, metric), _direction(cell)


def _direction(about: Mapping[str, Any]) -> Direction | None:
    lower = about.get("lower_is_better")
    return None if not isinstance(lower, bool) else "lower" if lower else "higher"

"""Experiments as platforms export them: one file, one model, a row per example and repetition.

Phoenix, LangSmith, MLflow, pydantic-evals, Opik, Braintrust, Ragas, and the requests of LLMPerf.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from rankbars.data.evidence import LARGEST_SCORE
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, file_stem, read_each, read_head
from rankbars.readers.logs.jsontext import load_json, read_records, top_level_keys
from rankbars.readers.logs.jsonvalues import (
    as_count,
    as_list,
    as_mapping,
    as_mappings,
    as_text,
    fingerprint,
    parse_time,
)
from rankbars.readers.logs.records import ERROR, SCORED, Direction, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, DECLINED, SIGNATURE, Recognition
from rankbars.readers.scoredrows import (
    ScoredRow,
    is_csv,
    number_of,
    read_rows,
    row_keys,
    sheet_of,
    sheets_of,
)
from rankbars.readers.trials import Sheet, Trial, as_runs, notes_on, spent
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

Row: TypeAlias = Mapping[str, Any]

# Names of columns in a table of values.
_LISTED = re.compile(rb'"columns"\s*:\s*\[([\x20-\x5c\x5e-\x7e\s]*)\]')

# What MLflow says of each name, as JSON or as Python writes it.
_ASSESSED = re.compile(
    r"""["']assessment_name["']: *["']([^"']+)["'](?:(?!assessment_name).)*?"""
    r"""["'](feedback|expectation)["']: *\{""",
    re.DOTALL,
)

# What LLMPerf measures of a request, and the side that is better.
_REQUEST: dict[str, Direction] = {
    "end_to_end_latency_s": "lower", "ttft_s": "lower", "inter_token_latency_s": "lower",
    "request_output_throughput_token_per_s": "higher",
}  # fmt: skip


def _scored(row: Row, prefix: str, suffix: str) -> dict[str, Any]:
    """Values of the columns whose names begin and end so, by what stands between."""
    return {
        key[len(prefix) : len(key) - len(suffix)]: value
        for key, value in row.items()
        if key.startswith(prefix) and key.endswith(suffix) and len(key) > len(prefix + suffix)
    }


def _listed(value: object, score: str) -> dict[str, Any]:
    """Scores of a list of objects with a name and a score each."""
    entries = as_mappings(value)
    return {str(one["name"]): one.get(score) for one in entries if as_text(one.get("name"))}


def _mlflow_scores(row: Row) -> dict[str, Any]:
    """Scores, not expectations, which have columns of the same form."""
    told = str(row.get("assessments") or "")
    expected = {name for name, kind in _ASSESSED.findall(told) if kind == "expectation"}
    found = _scored(row, "", "/value") or _scored(row, "", "/score")
    return {name: value for name, value in found.items() if name not in expected}


_RAGAS_TEXTS = ("user_input", "retrieved_contexts", "response", "reference")


class _Tool(NamedTuple):
    """How the rows of a platform are recognised and read.

    Parameters
    ----------
    name : str
        What it is called.
    keys : tuple of str
        Columns that each row has; one that ends with ``*`` stands for any that begins so, one that
        begins with it for any that ends so.
    item : callable
        What was asked, as a name or a text; None if it is the number of the row.
    scores : callable
        Scores by name, as they stand there.
    error : tuple of str
        Columns that say that the task crashed.
    trial : str
        Column with the number of the repetition.
    seconds, scale : str, float
        Column with the time that was taken, and what a unit of it is in seconds.
    cost : str
        Column with what it cost.
    is_step : callable
        Whether a row is a step of another one, not an example.
    """

    name: str
    keys: tuple[str, ...]
    item: Callable[[Row], Any]
    scores: Callable[[Row], Mapping[str, Any]]
    error: tuple[str, ...] = ("error",)
    trial: str = ""
    seconds: str = ""
    scale: float = 1.0
    cost: str = ""
    is_step: Callable[[Row], bool] = lambda row: False


_TOOLS = {
    "phoenix": _Tool(
        "Phoenix", ("example_id", "repetition_number", "annotation*"),
        lambda row: row.get("example_id"),
        lambda row: _scored(row, "annotation_", "_score") or (
            _listed(row.get("annotations"), "score")),
        trial="repetition_number", seconds="latency_ms", scale=1e-3,
    ),
    "langsmith": _Tool(
        "LangSmith", ("example_id", "feedback.*", "execution_time"),
        lambda row: row.get("example_id"), lambda row: _scored(row, "feedback.", ""),
        seconds="execution_time",
    ),
    "mlflow": _Tool(
        "MLflow", ("trace_id", "assessments", "*/value"),
        lambda row: row.get("request"), _mlflow_scores,
        seconds="execution_duration", scale=1e-3,
    ),
    "mlflow-table": _Tool(
        "MLflow", ("inputs", "*/score"),
        lambda row: row.get("inputs"), lambda row: _scored(row, "", "/score"),
    ),
    "opik": _Tool(
        "Opik", ("dataset_item_id", "feedback_scores", "trace_id"),
        lambda row: row.get("dataset_item_id"),
        lambda row: _listed(row.get("feedback_scores"), "value"),
        seconds="duration", scale=1e-3, cost="total_estimated_cost",
    ),
    "opik-csv": _Tool(
        "Opik", ("dataset.*", "feedback_scores.*"),
        lambda row: tuple(sorted(_scored(row, "dataset.", "").items())),
        lambda row: _scored(row, "feedback_scores.", ""),
    ),
    "braintrust": _Tool(
        "Braintrust", ("experiment_id", "scores", "span_attributes"),
        lambda row: row.get("dataset_record_id") or row.get("input"),
        lambda row: as_mapping(row.get("scores")),
        is_step=lambda row: row.get("is_root") is False or bool(row.get("span_parents")),
    ),
    "ragas": _Tool(
        "Ragas", ("user_input", "response", "re*"),
        lambda row: row.get("user_input"),
        lambda row: {key: value for key, value in row.items() if key not in _RAGAS_TEXTS},
    ),
}  # fmt: skip


def _matches(pattern: str, keys: Sequence[str]) -> bool:
    if pattern.startswith("*"):
        return any(key.endswith(pattern[1:]) for key in keys)
    return any(key.startswith(pattern[:-1]) for key in keys) if pattern.endswith("*") else (
        pattern in keys
    )  # fmt: skip


def _columns(path: Path, head: bytes) -> tuple[str, ...]:
    """Names of what a row has, whether the rows are a table or objects."""
    keys = row_keys(path, head)
    if is_csv(path):
        return keys
    if "events" in keys:  # what the API of Braintrust answered
        return tuple(re.findall(r'"(\w+)"\s*:', head.decode("utf-8", "ignore")))
    listed = _LISTED.search(head) if {"columns", "data"} <= set(keys) else None
    return keys if listed is None else tuple(re.findall(r'"([^"]+)"', listed[1].decode()))


def _tool_of(path: Path, head: bytes) -> str:
    columns = _columns(path, head)
    if {"cases", "failures"} <= set(columns):
        return "pydantic-evals"
    if {"error_code", "ttft_s", "end_to_end_latency_s"} <= set(columns):
        return "llmperf"
    for name, tool in _TOOLS.items():
        if columns and all(_matches(key, columns) for key in tool.keys):
            return name
    return ""


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file is an experiment that one of the platforms exported.

    Examples
    --------
    >>> text = "inputs.q,error,feedback.exact,execution_time,example_id,id\n"
    >>> _ = Path("model-a.csv").write_text(text)
    >>> sniff(Path("model-a.csv"), text.encode()).format
    'langsmith'
    """
    name = _tool_of(path, head)
    if name:
        called = _TOOLS[name].name if name in _TOOLS else name
        sure = SIGNATURE + 1 if name == "ragas" else CERTAIN
        plain = name.removesuffix("-csv").removesuffix("-table")
        return Recognition(plain, sure, f"It has the columns of an experiment of {called}.")
    columns = set(_columns(path, head))
    if columns == {"eval_name", "errors"} or {"experiment_name", "project_name"} <= columns:
        return Recognition("braintrust", DECLINED, "It is a summary of Braintrust, without "
                           "scores of examples. Export the experiment itself.")  # fmt: skip
    return None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Experiments as runs; each file is one model, called after the file where it has no name."""
    sheets: list[Sheet] = []
    runs: list[Run] = []

    def add(file: InputFile) -> None:
        name = _tool_of(file.path, read_head(file))
        if name == "llmperf":
            runs.append(_requests(file))
        elif name == "pydantic-evals":
            sheets.append(_pydantic(file))
        elif name:
            sheets.append(_experiment(file, _TOOLS[name]))
        else:
            raise ReadError.at(file.label, "expected an experiment of a platform that is known.")

    read_each(files, add)
    runs += as_runs(sheets)
    if not runs:
        raise ReadError.at(files[0].label, "there is no row in the file.")
    return [*runs, *notes_on(sheets, counted=options.failed)]


def _rows(file: InputFile) -> Iterator[Row]:
    keys = set(top_level_keys(file.path))
    if not {"columns", "data"} <= keys:
        yield from read_rows(file, "events" if "events" in keys else "data")
        return
    content = load_json(file)
    names, rows = content["columns"], content["data"]
    for row in rows if isinstance(rows, list) and isinstance(names, list) else ():
        yield dict(zip(map(str, names), as_list(row), strict=False))


def _experiment(file: InputFile, tool: _Tool) -> Sheet:
    model = file_stem(file.path)

    def rows() -> Iterator[ScoredRow]:
        for row in _rows(file):
            if tool.is_step(row):
                continue
            crashed = any(row.get(key) not in (None, "", [], {}) for key in tool.error)
            seconds = number_of(row.get(tool.seconds))[0]
            yield ScoredRow(
                model, tool.name, tool.item(row), tool.scores(row),
                crashed=crashed or str(row.get("state", "OK")) == "ERROR",
                number=as_count(number_of(row.get(tool.trial))[0]),
                start=parse_time(row.get("start_time")),
                seconds=None if seconds is None else seconds * tool.scale,
                cost=number_of(row.get(tool.cost))[0],
            )  # fmt: skip

    sheets = sheets_of(file.label, rows(), named=False)
    if not sheets:
        raise ReadError.at(file.label, f"there is no score in it, as {tool.name} writes them.")
    return sheets[0]


def _pydantic(file: InputFile) -> Sheet:
    """A report of pydantic-evals; what failed has no scores, and the tool's means leave it out."""
    content = load_json(file)
    trials: list[Trial] = []
    directions: dict[str, Direction] = {}
    metric = ""
    for one in as_mappings(content.get("cases")):
        scores: dict[str, float | None] = {}
        for kind in ("assertions", "scores"):
            for name, given in as_mapping(one.get(kind)).items():
                score, verdict = number_of(as_mapping(given).get("value", given))
                if score is not None:
                    scores[name] = score
                    metric = metric or name
                    if verdict:
                        directions[name] = "higher"
        took = {"seconds": spent(one.get("task_duration"))}
        trials.append(_case(one, scores, SCORED)._replace(spending=took))
    trials += [_case(one, {}, ERROR) for one in as_mappings(content.get("failures"))]
    if not metric:
        raise ReadError.at(file.label, "no case has a score or an assertion.")
    called = as_text(content.get("name"))
    return sheet_of(file.label, called or file_stem(file.path),
                    as_text(content.get("dataset_name")) or "pydantic-evals", trials, metric,
                    directions, named=bool(called))  # fmt: skip


def _case(one: Row, scores: Mapping[str, float | None], status: int) -> Trial:
    name = as_text(one.get("source_case_name")) or as_text(one.get("name"))
    return Trial(name or fingerprint(one.get("inputs")), scores, status,
                 reason="error" if status == ERROR else "")  # fmt: skip


def _requests(file: InputFile) -> Run:
    """Means over the requests of LLMPerf that succeeded; requests are not the same for models."""
    sums: dict[str, list[float]] = {name: [] for name in _REQUEST}
    failed = count = 0
    for place, row in read_records(file):
        count += 1
        if row.get("error_code") is not None:
            failed += 1  # its zeros are no measurements
            continue
        for name, values in sums.items():
            score, _ = number_of(row.get(name))
            if score is not None and abs(score) > LARGEST_SCORE:
                raise ReadError.at(place, f"the {name} of the request is {score:g}.")
            if score is not None:
                values.append(score)
    measures = {}
    for name, values in sums.items():
        if not values:
            continue
        mean = math.fsum(values) / len(values)
        spread = math.fsum((value - mean) ** 2 for value in values)
        error = math.sqrt(spread / (len(values) - 1) / len(values)) if len(values) > 1 else None
        measures[name] = Measure(name, value=mean, se=error, n=len(values),
                                 direction=_REQUEST[name],
                                 origin=f"by what {name!r} means")  # fmt: skip
    return Run(file.label, file_stem(file.path), "requests", measures, expected=count,
               failed=failed)  # fmt: skip

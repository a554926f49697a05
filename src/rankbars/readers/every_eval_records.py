"""Records of results of Every Eval Ever as they lie, and what their metrics are."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix
from rankbars.readers.logs.jsontext import load_json, read_json_lines
from rankbars.readers.logs.jsonvalues import (
    as_count,
    as_finite,
    as_mapping,
    as_positive,
    as_text,
    parse_time,
    score_of,
    take_path,
)
from rankbars.readers.logs.records import Direction
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import usual_direction

__all__ = ["Aggregate", "Result", "read_aggregates"]

NEWEST_SCHEMA = (0, 3)
USUAL_LEVEL = 0.95

# Settings that do not make another system.
TECHNICAL = frozenset({"seed", "execution_command", "batch_size", "num_workers", "prompt_template"})
LONGEST_SETTING = 60

_VERSION = re.compile(r"(\d+)\.(\d+)")

# Converters that write "lower_is_better": false for every metric, whatever it is.
CONSTANT_DIRECTION = frozenset({"helm", "inspect", "inspectai"})

# Prefixes that say which tool computed the metric, not which metric it is.
HARNESSES = ("inspect_ai.", "inspect.", "lm_eval.", "helm.", "lighteval.")

SPREADS = frozenset({"std", "stddev", "stderr", "bootstrapstderr", "var", "variance"})

_FILTERED = re.compile(r"(?P<metric>.+?) \(filter: (?P<filter>.+)\)", re.DOTALL)
_SCORED_BY = re.compile(r"(?P<metric>\S+) from scorer (?P<scorer>.+)", re.DOTALL)
_WORD = re.compile(r"[^\s()]{1,60}")


class Result(NamedTuple):
    """One published value.

    Parameters
    ----------
    key : str or None
        The identifier by which rows of instances name it.
    name : str
        The evaluation, as the file names it.
    task, dataset : str
        Task and data set.
    metric : _Metric
        What was measured.
    value, se : float or None
        Score and its standard error.
    n : int or None
        Items behind it.
    origin : str
        Where the standard error comes from: ``"se"``, ``"interval"``, ``"usual level"``,
        ``"deviation"`` or nothing.
    variants, manner : mapping from str to str
        Filter, split or perturbation; settings of generation.
    has_data : bool
        Whether the record names a public data set.
    """

    key: str | None
    name: str
    task: str
    dataset: str | None
    metric: _Metric
    value: float | None
    se: float | None
    n: int | None
    origin: str
    variants: Mapping[str, str]
    manner: Mapping[str, str]
    has_data: bool


class Aggregate(NamedTuple):
    """One record.

    Parameters
    ----------
    file : InputFile
        The file.
    place : str
        File, and line where it holds several records.
    evaluation : str or None
        Identifier of the evaluation, shared with the rows of instances.
    model, display : str
        Identifier of the model, and the name beside it.
    library : str
        Tool that computed the results, letters and digits only.
    stamp : float or None
        When the evaluation ran, or was collected, in seconds.
    results : tuple of Result
        Published values.
    rows : int or None
        Declared number of rows of instances.
    remarks : tuple of (str, str)
        Code and text of what is worth a note.
    """

    file: InputFile
    place: str
    evaluation: str | None
    model: str
    display: str
    library: str
    stamp: float | None
    results: tuple[Result, ...]
    rows: int | None
    remarks: tuple[tuple[str, str], ...]


def read_aggregates(file: InputFile) -> Iterator[Aggregate]:
    """The record of a file, or of each line of a file of JSON lines.

    Raises
    ------
    ReadError
        If the file is damaged, a record names no model, or a score is not a number.
    """
    if data_suffix(file.path) not in (".jsonl", ".ndjson"):
        yield _read_record(file, file.label, load_json(file))
        return
    for number, content in read_json_lines(file):
        yield _read_record(file, f"{file.label}, row {number}", content)


def _read_record(file: InputFile, place: str, content: Mapping[str, Any]) -> Aggregate:
    about = as_mapping(content.get("model_info"))
    model = as_text(about.get("id")) or as_text(about.get("name"))
    if model is None:
        raise ReadError.at(place, "model_info names no model; expected an id.")
    library = _library(content)
    results, remarks = _read_results(place, content.get("evaluation_results"), library)
    details = as_mapping(content.get("detailed_evaluation_results"))
    return Aggregate(
        file,
        place,
        as_text(content.get("evaluation_id")),
        model,
        as_text(about.get("name")) or model,
        library,
        _stamp(content.get("evaluation_timestamp")) or _stamp(content.get("retrieved_timestamp")),
        results,
        as_count(details.get("total_rows")),
        (*_remark_version(content), *remarks, *_remark_folder(file, about, model)),
    )


def _read_results(
    place: str, entries: object, library: str
) -> tuple[tuple[Result, ...], list[tuple[str, str]]]:
    if not isinstance(entries, list) or not entries:
        raise ReadError.at(
            place, "evaluation_results holds no result; expected a list with one or more."
        )
    results = []
    for number, entry in enumerate(entries):
        if not isinstance(entry, dict):
            raise ReadError.at(place, f"evaluation_results[{number}] is no JSON object.")
        if not _is_spread(entry):
            results.append(_read_result(place, number, entry, library))
    if not results:
        raise ReadError.at(place, "every result is a measure of spread; there is no score.")
    spreads = len(entries) - len(results)
    text = f"{spreads} results measure spread and are left out."
    return tuple(results), [("not-a-score", text)] if spreads else []


def _library(content: Mapping[str, Any]) -> str:
    named = as_text(take_path(content, "eval_library", "name"))
    source = as_text(take_path(content, "source_metadata", "source_name"))
    folded = fold_name(named or source or "")
    return "lmeval" if folded in ("lmevaluationharness", "lmevalharness") else folded


def _remark_version(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    found = _VERSION.search(as_text(content.get("schema_version")) or "")
    if found is None or (int(found[1]), int(found[2])) <= NEWEST_SCHEMA:
        return []
    return [("newer-schema", f"schema {found[0]} is newer than those known here (0.2 and 0.3).")]


def _remark_folder(
    file: InputFile, about: Mapping[str, Any], model: str
) -> tuple[tuple[str, str], ...]:
    """A remark where the file lies in the folder of another model."""
    places = file.path.resolve().parts[-5:-1]
    if len(places) < 4 or places[0] != "data":
        return ()
    folder = "/".join(places[2:])
    developer = as_text(about.get("developer")) or "unknown"
    named = {model, f"{developer}/{model}", f"{developer}/{model.rpartition('/')[2]}"}
    if fold_name(folder) in {fold_name(name) for name in named}:
        return ()
    text = f"the folder is called {folder!r}, the file says {model!r}; the file counts."
    return (("model-name", text),)


def _read_result(place: str, number: int, entry: Mapping[str, Any], library: str) -> Result:
    where = f"evaluation_results[{number}]"
    name = as_text(entry.get("evaluation_name"))
    if name is None:
        raise ReadError.at(place, f"{where} has no evaluation_name.")
    metric = _read_metric(entry, library)
    score = as_mapping(entry.get("score_details"))
    value = as_finite(score_of(score.get("score"), place, f"{where}: the score"))
    if metric.unknown_level and value == -1:
        value = None
    uncertainty = as_mapping(score.get("uncertainty"))
    n = as_count(uncertainty.get("num_samples"))
    se, origin = _standard_error(uncertainty, score, n, library)
    data = as_mapping(entry.get("source_data"))
    dataset = as_text(data.get("dataset_name"))
    task, variants = _name_task(name, dataset, metric, as_mapping(score.get("details")), library)
    return Result(
        as_text(entry.get("evaluation_result_id")), name, task, dataset, metric, value, se, n,
        origin, variants, _manner(entry), data.get("source_type") != "other",
    )  # fmt: skip


def _standard_error(
    uncertainty: Mapping[str, Any], score: Mapping[str, Any], n: int | None, library: str
) -> tuple[float | None, str]:
    """Standard error, and where it comes from."""
    given = uncertainty.get("standard_error")
    se = as_positive(given.get("value") if isinstance(given, dict) else given)
    if se is not None:
        return se, "se"
    # Schema 0.2 had the interval beside the score.
    interval = as_mapping(uncertainty.get("confidence_interval")) or as_mapping(
        score.get("confidence_interval")
    )
    low, high = as_finite(interval.get("lower")), as_finite(interval.get("upper"))
    if low is not None and high is not None and high > low:
        level = as_finite(interval.get("confidence_level"))
        known = level is not None and 0.0 < level < 1.0
        z = NormalDist().inv_cdf(0.5 + (level if known and level else USUAL_LEVEL) / 2.0)
        return (high - low) / (2.0 * z), "interval" if known else "usual level"
    # HELM's deviation is one over repeated trials, not over items.
    spread = as_positive(uncertainty.get("standard_deviation"))
    if spread is not None and n is not None and n > 1 and library != "helm":
        return spread / math.sqrt(n), "deviation"
    return None, ""


def _name_task(
    name: str, dataset: str | None, metric: _Metric, details: Mapping[str, Any], library: str
) -> tuple[str, dict[str, str]]:
    """Task and its variant: some converters put filter, split or metric into the name."""
    if metric.used_filter is not None:
        return name.removesuffix(f"/{metric.used_filter}"), {"filter": metric.used_filter}
    if library == "lmeval":
        return name, {"filter": "none"}
    if library != "helm" or dataset is None or not name.endswith(f" on {dataset}"):
        return name, {}
    variants = {}
    for kind in ("split", "perturbation"):
        given = as_text(details.get(kind))
        if given is not None:
            variants[kind] = given
    return dataset, variants


def _manner(entry: Mapping[str, Any]) -> dict[str, str]:
    config = as_mapping(entry.get("generation_config"))
    given = {
        **as_mapping(config.get("generation_args")),
        **as_mapping(config.get("additional_details")),
    }
    found = {}
    for key, value in given.items():
        text = str(value) if isinstance(value, bool) else as_text(value)
        if text is not None and len(text) <= LONGEST_SETTING and key not in TECHNICAL:
            found[key] = text
    return found


def _stamp(given: object) -> float | None:
    """Seconds; the file has them as text, or a date in the ISO format."""
    if isinstance(given, str):
        try:
            number = float(given)
        except ValueError:
            return parse_time(given)
        return number if math.isfinite(number) else None
    return as_finite(given)


class _Metric(NamedTuple):
    """The metric of one result.

    Parameters
    ----------
    name : str
        What it is called; ``"score"`` or ``"value"`` if nothing names it.
    longer : str
        Another name, for two metrics of one task that would be called the same.
    direction : {"higher", "lower"} or None
        Recorded side; None where the record does not really say it.
    limits : (float or None, float or None)
        Least and greatest possible score; infinite ones are written as text, and are none.
    unknown_level : bool
        Whether a score of -1 means that nothing is known.
    used_filter : str or None
        Filter that picked the answer out of the text, as one converter writes it.
    """

    name: str
    longer: str
    direction: Direction | None
    limits: tuple[float | None, float | None]
    unknown_level: bool
    used_filter: str | None


def _read_metric(result: Mapping[str, Any], library: str) -> _Metric:
    """The metric of an entry of ``evaluation_results``.

    Parameters
    ----------
    result : mapping
        The entry.
    library : str
        Name of the tool that computed the results, as the record gives it.

    Examples
    --------
    >>> entry = {"evaluation_name": "arc", "metric_config": {
    ...     "metric_id": "accuracy", "lower_is_better": False, "min_score": 0, "max_score": 1}}
    >>> _read_metric(entry, "lm_eval")[:4]
    ('accuracy', 'accuracy', 'higher', (0.0, 1.0))
    """
    config = as_mapping(result.get("metric_config"))
    description, used_filter = _describe(result, config)
    same = {fold_name(one) for one in _names_of_task(result)}
    given = [
        _without_harness(as_text(config.get("metric_id"))),
        as_text(config.get("metric_name")),
        description,
        as_text(config.get("metric_kind")),
    ]
    known = [_usual_spelling(name) for name in given if name is not None]
    # Some sources call the metric like the task: that says nothing about the measure.
    own = [name for name in known if fold_name(name) not in same]
    kinds = [name for name in own if not _is_namespaced(name)] or own
    # "score" is usually higher-is-better; a measure without a name need not be.
    name = kinds[0] if kinds else "value" if config.get("lower_is_better") is True else "score"
    return _Metric(
        name,
        next(iter(known), name),
        _direction(config, name, fold_name(library)),
        (as_finite(config.get("min_score")), as_finite(config.get("max_score"))),
        config.get("score_type") == "levels" and config.get("has_unknown_level") is True,
        used_filter,
    )


def _is_spread(result: Mapping[str, Any]) -> bool:
    """Whether the entry is a measure of spread, which has no better side.

    Examples
    --------
    >>> _is_spread({"metric_config": {"metric_name": "stderr"}})
    True
    """
    config = as_mapping(result.get("metric_config"))
    if as_mapping(config.get("additional_details")).get("polarity") == "not_applicable":
        return True
    if config.get("metric_kind") == "dispersion":
        return True
    name = as_text(config.get("metric_name")) or _describe(result, config)[0] or ""
    return fold_name(name) in SPREADS


def _names_of_task(result: Mapping[str, Any]) -> Sequence[str]:
    data = as_mapping(result.get("source_data"))
    named = (result.get("evaluation_name"), result.get("evaluation_result_id"),
             data.get("dataset_name"))  # fmt: skip
    return [text for text in map(as_text, named) if text is not None]


def _describe(
    result: Mapping[str, Any], config: Mapping[str, Any]
) -> tuple[str | None, str | None]:
    """Metric in the description, where it is no prose, and the filter beside it."""
    text = as_text(config.get("evaluation_description"))
    if text is None:
        return None, None
    filtered = _FILTERED.fullmatch(text)
    if filtered is not None:
        return filtered["metric"], filtered["filter"]
    scored = _SCORED_BY.fullmatch(text)
    if scored is not None:
        return scored["metric"], None
    metric, on, rest = text.partition(" on ")
    if on and fold_name(rest) in {fold_name(one) for one in _names_of_task(result)}:
        return metric, None
    return (text if _WORD.fullmatch(text) else None), None


def _without_harness(name: str | None) -> str | None:
    for prefix in HARNESSES:
        if name is not None and name.startswith(prefix):
            return name.removeprefix(prefix) or name
    return name


def _usual_spelling(name: str) -> str:
    """One spelling for metrics that sources write as Exact Match, exact-match, exact_match."""
    if usual_direction(name) is None:
        return name
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


def _is_namespaced(name: str) -> bool:
    """Whether the name is one of a board's own (``mmlu_pro/law``) rather than of a measure."""
    return "/" in name and usual_direction(name.rpartition("/")[2]) is None


def _direction(config: Mapping[str, Any], name: str, library: str) -> Direction | None:
    lower = config.get("lower_is_better")
    details = as_mapping(config.get("additional_details"))
    if not isinstance(lower, bool) or details.get("polarity") == "unknown":
        return None
    if not lower and library in CONSTANT_DIRECTION:
        return None
    if lower and library == "lmeval" and usual_direction(name) is None:
        # That converter turns "not known" into true.
        return None
    return "lower" if lower else "higher"

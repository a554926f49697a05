"""What a record says about its metric: name, direction, limits; and what it only seems to say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankbars.readers.logs.jsontext import as_mapping, as_text
from rankbars.readers.logs.records import Direction
from rankbars.readers.logs.values import as_finite
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import usual_direction

__all__ = ["Metric", "is_spread", "read_metric"]

# Converters that write "lower_is_better": false for every metric, whatever it is.
CONSTANT_DIRECTION = frozenset({"helm", "inspect", "inspectai"})

# Prefixes that say which tool computed the metric, not which metric it is.
HARNESSES = ("inspect_ai.", "inspect.", "lm_eval.", "helm.", "lighteval.")

SPREADS = frozenset({"std", "stddev", "stderr", "bootstrapstderr", "var", "variance"})

_FILTERED = re.compile(r"(?P<metric>.+?) \(filter: (?P<filter>.+)\)", re.DOTALL)
_SCORED_BY = re.compile(r"(?P<metric>\S+) from scorer (?P<scorer>.+)", re.DOTALL)
_WORD = re.compile(r"[^\s()]{1,60}")


class Metric(NamedTuple):
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


def read_metric(result: Mapping[str, Any], library: str) -> Metric:
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
    >>> read_metric(entry, "lm_eval")[:4]
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
    return Metric(
        name,
        next(iter(known), name),
        _direction(config, name, fold_name(library)),
        (as_finite(config.get("min_score")), as_finite(config.get("max_score"))),
        config.get("score_type") == "levels" and config.get("has_unknown_level") is True,
        used_filter,
    )


def is_spread(result: Mapping[str, Any]) -> bool:
    """Whether the entry is a measure of spread, which has no better side.

    Examples
    --------
    >>> is_spread({"metric_config": {"metric_name": "stderr"}})
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

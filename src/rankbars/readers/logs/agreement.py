"""Whether all models were given the same task."""

from __future__ import annotations

from collections.abc import Mapping

from rankbars.errors import DataError
from rankbars.readers.logs.choosing import Chosen
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.remarks import Remarks, list_names

__all__ = ["check_agreement"]

LONGEST_FACT = 16


def check_agreement(chosen: Chosen, options: ReadOptions, remarks: Remarks) -> bool:
    """Whether all models were given the same task, as far as the logs tell.

    Raises
    ------
    DataError
        If they were not, and the caller did not ask to compare them anyway.
    """
    found = [*_facts_that_differ(chosen), *_questions_that_differ(chosen)]
    if not found:
        return True
    if not options.compare_anyway:
        raise DataError(
            f"Task {chosen.task!r}: the models were not given the same task. {' '.join(found)} "
            "Rank the groups one at a time, or compare them anyway: --compare-anyway (in Python: "
            "compare_anyway=True)."
        )
    remarks.add("task-differs", f"compared as asked, although: {' '.join(found)}", chosen.task)
    return False


def _facts_that_differ(chosen: Chosen) -> list[str]:
    facts: dict[tuple[str, str], dict[str, list[str]]] = {}
    for model, runs in chosen.runs.items():
        for run in runs:
            for name, fact in run.agree.items():
                values = facts.setdefault((name, fact.context), {})
                values.setdefault(fact.value, []).append(model)
    return [
        f"{name[0].upper()}{name[1:]}: {_by_value(values)}."
        for (name, _), values in facts.items()
        if len(values) > 1
    ]


def _by_value(values: Mapping[str, list[str]]) -> str:
    parts = [
        f"{_short(value)!r} ({list_names(dict.fromkeys(models), 2)})"
        for value, models in values.items()
    ]
    return ", ".join(parts[:4]) + (f" and {len(parts) - 4} more" if parts[4:] else "")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_FACT else f"{text[:LONGEST_FACT]}…"


def _questions_that_differ(chosen: Chosen) -> list[str]:
    """Items whose fingerprint is not the same for all models."""
    known: dict[str, int] = {}
    differing: set[str] = set()
    for runs in chosen.runs.values():
        for run in runs:
            rows = run.rows
            if rows is None or rows.prints is None or not rows.has_unique(rows.ids):
                continue
            for name, mark in zip(rows.ids, rows.prints.tolist(), strict=True):
                if known.setdefault(name, mark) != mark:
                    differing.add(name)
    if not differing:
        return []
    return [f"{len(differing)} of {len(known)} items have another question or target."]

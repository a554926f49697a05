"""Health of votes in the board file: what was found and what neighbours need, task by task.

Voters and judges by themselves stay out of it: a board file is made to be published.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rankbars.data.votehealth import Finding, Neighbours, VoteHealth

__all__ = ["health_from_dict", "health_to_dict"]

_INFINITE = "infinite"  # JSON has no such number, and null stands for "not known"


def health_to_dict(health: Mapping[str, VoteHealth]) -> dict[str, Any]:
    """Health of votes as plain values; NaN becomes None, infinity a word."""
    return {name: _task_to_dict(one) for name, one in health.items()}


def health_from_dict(values: Mapping[str, Any] | None) -> dict[str, VoteHealth] | None:
    """The inverse of `health_to_dict`, without the judges; None where a file has none."""
    if values is None:
        return None
    return {name: _task_from_dict(name, one) for name, one in values.items()}


def _task_to_dict(health: VoteHealth) -> dict[str, Any]:
    return {
        "models": list(health.models),
        "alpha": health.alpha,
        "power": health.power,
        "findings": [
            {
                "code": finding.code,
                "value": _plain(finding.value),
                "sentence": finding.sentence,
                "concern": finding.concern,
            }
            for finding in health.findings
        ],
        "neighbours": [
            {"ahead": pair.ahead, "behind": pair.behind}
            | {name: _plain(getattr(pair, name)) for name in _NUMBERS}
            for pair in health.neighbours
        ],
    }


_NUMBERS = ("difference", "se", "votes", "growth")


def _task_from_dict(name: str, values: Mapping[str, Any]) -> VoteHealth:
    return VoteHealth(
        task=name,
        models=tuple(values["models"]),
        alpha=values["alpha"],
        power=values["power"],
        findings=tuple(
            Finding(one["code"], _real(one["value"]), one["sentence"], one["concern"])
            for one in values["findings"]
        ),
        neighbours=tuple(
            Neighbours(one["ahead"], one["behind"], *(_real(one[key]) for key in _NUMBERS))
            for one in values["neighbours"]
        ),
    )


def _plain(value: float) -> float | str | None:
    if math.isnan(value):
        return None
    return _INFINITE if value == math.inf else float(value)


def _real(value: float | str | None) -> float:
    if value is None:
        return math.nan
    return math.inf if value == _INFINITE else float(value)

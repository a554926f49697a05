"""Made-up records of Every Eval Ever, for traps of which no genuine file exists."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

EEE = Path(__file__).parent / "data" / "fixtures" / "every_eval_ever"


def result(
    name: str = "arc", score: object = 0.5, *, lower: object = False, metric: object = "accuracy",
    se: float | None = None, n: int | None = None, dataset: str | None = None,
    details: Mapping[str, str] | None = None, **changes: Any,
) -> dict[str, Any]:  # fmt: skip
    """One entry of ``evaluation_results``."""
    uncertainty: dict[str, Any] = {}
    if se is not None:
        uncertainty["standard_error"] = {"value": se}
    if n is not None:
        uncertainty["num_samples"] = n
    config = {"lower_is_better": lower, "metric_name": metric, "additional_details": details}
    return {
        "evaluation_name": name,
        "source_data": {"dataset_name": dataset or name, "source_type": "other"},
        "metric_config": {key: value for key, value in config.items() if value is not None},
        "score_details": {"score": score, "uncertainty": uncertainty},
        **changes,
    }


def record(
    model: str = "org/a", results: Sequence[Mapping[str, Any]] = (), *, library: str = "tool",
    time: object = "1000.0", identifier: str | None = None, **changes: Any,
) -> dict[str, Any]:  # fmt: skip
    """One aggregate record."""
    return {
        "schema_version": "0.3.0",
        "evaluation_id": identifier or f"e/{model}",
        "evaluation_timestamp": time,
        "retrieved_timestamp": "2000.0",
        "eval_library": {"name": library, "version": "1"},
        "model_info": {"name": model, "id": model},
        "evaluation_results": list(results) or [result()],
        **changes,
    }


def row(
    model: str = "org/a", sample: object = "1", score: object = 1.0, *, name: str = "arc",
    key: str | None = None, error: object = None, epoch: object = None, content: str | None = None,
    identifier: str | None = None, **metadata: Any,
) -> dict[str, Any]:  # fmt: skip
    """One row of instances."""
    about = {**metadata, **({} if epoch is None else {"epoch": epoch})}
    return {
        "schema_version": "0.3.0", "evaluation_id": identifier or f"e/{model}", "model_id": model,
        "evaluation_name": name, "evaluation_result_id": key, "sample_id": sample,
        "sample_hash": content or f"h{sample}", "interaction_type": "single_turn",
        "input": {"raw": "SECRET question", "reference": ["SECRET"]},
        "output": {"raw": ["SECRET answer"]}, "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score == 1}, "error": error,
        "metadata": about or None,
    }  # fmt: skip


def write(
    folder: Path, content: Mapping[str, Any], rows: Sequence[Mapping[str, Any]] = (),
    name: str | None = None,
) -> Path:  # fmt: skip
    """A record, and its rows beside it."""
    stem = name or str(content["model_info"]["id"]).replace("/", "_")
    path = folder / f"{stem}.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    if rows:
        write_rows(folder / f"{stem}_samples.jsonl", rows)
    return path


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path

"""simple-evals: files made up after what the tool writes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import rankbars as rb
from rankbars.data.evidence import Estimates, Items
from rankbars.readers import explain
from rankbars.readers.simple_evals import parse_name

METRICS = {"stem": 0.8, "stem:std": 0.4, "score:std": 0.46}


def estimates(scores: rb.Scores, task: str) -> Estimates:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Estimates)
    return evidence


def write(folder: Path, name: str, content: object) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content))
    return path


def full(score: float, size: int, **more: Any) -> dict[str, Any]:
    return {"score": score, "metrics": METRICS, "htmls": ["<b>SECRET</b>"] * size,
            "convos": [[{"role": "user", "content": "SECRET"}]] * size,
            "metadata": None} | more  # fmt: skip


def test_a_spread_of_the_population_is_no_standard_error(tmp_path: Path) -> None:
    write(tmp_path, "mmlu_gpt-4o", METRICS | {"score": 0.7})
    scores = rb.read(tmp_path)
    found = estimates(scores, "mmlu")
    assert (scores.models, found.mean.tolist()) == (("gpt-4o",), [0.7])
    assert found.se is None
    assert scores.info["mmlu"].direction == "higher"
    (note,) = (note.message for note in scores.notes if note.code == "direction")
    assert note == "Direction: higher is better (by what 'score' means in simple-evals)."


def test_the_full_file_gives_the_number_of_examples(tmp_path: Path) -> None:
    write(tmp_path, "mmlu_gpt-4o", METRICS | {"score": 0.7})
    write(tmp_path, "mmlu_gpt-4o_allresults", full(0.7, 25))
    scores = rb.read(tmp_path)
    found = estimates(scores, "mmlu")
    assert found.se is not None
    assert found.n is not None
    assert found.se.tolist() == pytest.approx([0.46 / math.sqrt(25)])
    assert found.n.tolist() == [25]
    assert "reruns" not in {note.code for note in scores.notes}


def test_scores_of_examples_are_items(tmp_path: Path) -> None:
    for model, shift in (("a", 0.0), ("b", 0.5)):
        rows = [{"prompt_id": f"p{k}", "score": 0.25 * k + shift, "prompt": "SECRET"}
                for k in range(3)]  # fmt: skip
        rows.append({"prompt_id": "p0", "score": 0.5 + shift})
        content = full(0.3125 + shift, 4, metadata={"example_level_metadata": rows})
        write(tmp_path, f"healthbench_hard_{model}_20250101_000000_allresults", content)
    found = rb.read(tmp_path).tasks["healthbench_hard"]
    assert isinstance(found, Items)
    assert found.ids == ("p0", "p1", "p2")
    assert found.values[:, 0].tolist() == [0.25, 0.25, 0.5]
    assert found.values[:, 1].tolist() == [0.75, 0.75, 1.0]


@pytest.mark.parametrize(
    ("stem", "expected"),
    [
        ("mmlu_gpt-4o", ("mmlu", "gpt-4o")),
        ("drop_o1_mini_high", ("drop", "o1_mini_high")),
        ("healthbench_consensus_gpt-4.1", ("healthbench_consensus", "gpt-4.1")),
        ("simpleqa_gpt-4.1_20250102_030405", ("simpleqa", "gpt-4.1")),
        ("math_o1_20250102_030405_DEBUG_allresults", ("math", "o1")),
    ],
)
def test_the_first_underscore_ends_the_name_of_the_eval(
    stem: str, expected: tuple[str, str]
) -> None:
    assert parse_name(stem)[:2] == expected


def test_the_newest_run_counts(tmp_path: Path) -> None:
    for day, score in ((1, 0.25), (2, 0.75)):
        write(tmp_path, f"mmlu_m_2025010{day}_000000", METRICS | {"score": score})
    assert estimates(rb.read(tmp_path), "mmlu").mean.tolist() == [0.75]


def test_debug_runs_are_said_to_be_such(tmp_path: Path) -> None:
    write(tmp_path, "mmlu_m_DEBUG", METRICS | {"score": 1.0})
    assert "debug-runs" in {note.code for note in rb.read(tmp_path).notes}


def test_only_files_like_these_are_taken(tmp_path: Path) -> None:
    write(tmp_path, "mmlu_a", {"score": 0.5})
    write(tmp_path, "notes_a", {"score": 0.5, "other": 1})
    found = {Path(report.path).stem: report.format for report in explain(tmp_path)}
    assert found["mmlu_a"] == "simple-evals"
    assert found["notes_a"] != "simple-evals"


def test_a_name_without_a_model_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path, "results", METRICS | {"score": 0.5})
    with pytest.raises(rb.ReadError, match=r"results\.json: .*EVAL_MODEL\.json"):
        rb.read(path, format="simple-evals")


def test_a_file_without_a_score_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, "mmlu_m", {"score": None, "score:std": None})
    with pytest.raises(rb.ReadError, match=r"mmlu_m\.json: there is no score"):
        rb.read(path)


def test_a_full_file_with_many_pages_is_known(tmp_path: Path) -> None:
    content = full(0.7, 3, htmls=["x" * (3 << 20)] * 2)
    path = write(tmp_path, "mmlu_m_allresults", content)
    found = estimates(rb.read(path), "mmlu")
    assert found.n is not None
    assert found.n.tolist() == [3]

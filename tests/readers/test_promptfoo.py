"""promptfoo: a genuine file to its numbers, made-up ones for each trap."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Items

PROMPTFOO = Path(__file__).parent.parent / "data" / "fixtures" / "promptfoo" / "echo"
FIRST, SECOND = "The answer is {{a}}", "I think it is {{a}}, maybe"


def items(scores: rb.Scores, task: str) -> Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Items)
    return evidence


def codes(scores: rb.Scores) -> set[str]:
    return {note.code for note in scores.notes}


def row(test: int, score: object, *, provider: object = "p", **more: Any) -> dict[str, Any]:
    """One result of the current layout; `more` replaces keys, None removes them."""
    content = {
        "provider": {"id": "x", "label": provider}, "promptIdx": 0, "testIdx": test,
        "prompt": {"raw": f"SECRET {test}", "label": "q"},
        "testCase": {"description": f"test {test}", "vars": {"a": f"SECRET {test}"},
                     "metadata": {"topic": f"t{test % 2}"}},
        "vars": {"a": f"SECRET {test}"}, "score": score, "success": score == 1,
        "failureReason": 0 if score == 1 else 1, "namedScores": {},
        "gradingResult": {"pass": score == 1, "score": score}, "response": {"output": "SECRET"},
    } | more  # fmt: skip
    return {key: value for key, value in content.items() if value is not None}


def write(folder: Path, rows: Sequence[object], name: str = "results", **more: Any) -> Path:
    content: dict[str, Any] = {"evalId": "e", "results": {"version": 3, "results": rows}}
    content |= {"config": {"description": "suite"}} | more
    path = folder / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def test_providers_and_prompts_make_the_models() -> None:
    scores = rb.read(PROMPTFOO / "results.json")
    (note,) = (note.message for note in scores.notes if note.code == "direction")
    assert "(by what 'score' means in promptfoo)" in note
    assert scores.models == tuple(
        sorted(f"{name} (prompt={label})" for name in ("echo-A", "echo-B")
               for label in (FIRST, SECOND))
    )  # fmt: skip
    found = items(scores, "arithmetic")
    assert found.n == 3
    for model, values in zip(found.models, found.values.T, strict=True):
        expected = [0, 1, 1] if FIRST in model else [0, 0.5, 1]
        assert sorted(values.tolist()) == expected
    assert scores.info["arithmetic"].metric == "score"
    assert "published-differs" not in codes(scores)


def test_success_is_another_metric() -> None:
    found = items(rb.read(PROMPTFOO / "results.json", metric="success"), "arithmetic")
    means = dict(zip(found.models, found.values.mean(axis=0).tolist(), strict=True))
    assert means[f"echo-A (prompt={FIRST})"] == pytest.approx(2 / 3)
    assert means[f"echo-A (prompt={SECOND})"] == pytest.approx(1 / 3)


def test_a_table_is_declined_and_json_asked_for() -> None:
    with pytest.raises(rb.ReadError, match=r"results\.csv: .*promptfoo eval -o results\.json"):
        rb.read(PROMPTFOO / "results.csv")


def test_a_table_of_answers_behind_how_they_ended_names_what_to_write_instead(tmp_path):
    path = tmp_path / "out.csv"
    path.write_text('topic,[openai:a] Write,[openai:b] Write\ncats,"[PASS] Meow","[FAIL] No"\n')
    with pytest.raises(rb.ReadError, match=r"promptfoo eval -o results\.json"):
        rb.read(path)
    scores = rb.read(PROMPTFOO)
    assert "files-damaged" in codes(scores)


def test_no_text_is_kept(tmp_path: Path) -> None:
    scores = rb.read(write(tmp_path, [row(0, 1), row(1, 0)]))
    assert "SECRET" not in repr(items(scores, "suite").ids)


def test_an_error_is_no_zero(tmp_path: Path) -> None:
    rows = [row(0, 1), row(1, 0), row(2, 0, failureReason=2, error="timeout", gradingResult=None)]
    scores = rb.read(write(tmp_path, rows))
    coverage = scores.info["suite"].coverage
    assert coverage is not None
    assert (coverage.scored.tolist(), coverage.errors.tolist()) == ([2], [1])
    assert np.isnan(items(scores, "suite").values).sum() == 1


def test_an_old_file_tells_errors_by_the_missing_grade(tmp_path: Path) -> None:
    rows = [
        row(0, 0, failureReason=None, error="Expected output to contain x", testIdx=None),
        row(1, 0, failureReason=None, error="API error", gradingResult=None, testIdx=None),
    ]
    for one in rows:
        one["provider"] = "openai:gpt-4"
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"results": {"version": 2, "results": rows, "stats": {}},
                                "config": {}, "shareableUrl": None}))  # fmt: skip
    scores = rb.read(path)
    assert scores.models == ("openai:gpt-4",)
    coverage = scores.info["old"].coverage
    assert coverage is not None
    assert (coverage.scored.tolist(), coverage.errors.tolist()) == ([1], [1])


def test_numbered_repeats_nest_in_their_test(tmp_path: Path) -> None:
    rows = [row(k, score, repeatIndex=r) for r, scores in enumerate([(1, 0), (1, 1)])
            for k, score in enumerate(scores)]  # fmt: skip
    found = items(rb.read(write(tmp_path, rows)), "suite")
    assert sorted(found.values[:, 0].tolist()) == [0.5, 1.0]
    assert found.answers is not None
    assert found.answers.tolist() == [[2], [2]]


def test_repeats_without_a_number_nest_too(tmp_path: Path) -> None:
    rows = [row(0, 1), row(1, 0)]
    again = [one | {"testIdx": k} for k, one in enumerate([row(0, 1), row(1, 1)], start=2)]
    path = write(tmp_path, [*rows, *again], runtimeOptions={"repeat": 2})
    scores = rb.read(path)
    assert sorted(items(scores, "suite").values[:, 0].tolist()) == [0.5, 1.0]
    assert "repeats" in codes(scores)


def test_equal_tests_that_were_not_repeated_stay_two(tmp_path: Path) -> None:
    rows = [row(0, 1), row(0, 0, testIdx=1)]
    scores = rb.read(write(tmp_path, rows))
    assert items(scores, "suite").n == 2
    assert "identity" in codes(scores)


def test_files_with_the_same_tests_are_one_task(tmp_path: Path) -> None:
    write(tmp_path / "a", [row(0, 1), row(1, 0)], config={})
    write(tmp_path / "b", [row(1, 1, provider="q"), row(0, 1, provider="q")], config={})
    write(tmp_path / "c", [row(7, 1)], config={})
    scores = rb.read(tmp_path)
    assert scores.tasks["results"].models == ("p", "q")
    assert set(scores.tasks) == {"results", "c/results"}
    assert "same-tests" in codes(scores)


def test_the_newest_evaluation_counts(tmp_path: Path) -> None:
    for name, score, day in (("one", 0, 1), ("two", 1, 2)):
        results = {"version": 3, "timestamp": f"2026-01-0{day}T00:00:00.000Z",
                   "results": [row(0, score)]}  # fmt: skip
        write(tmp_path, [], name, results=results)
    scores = rb.read(tmp_path)
    assert items(scores, "suite").values.tolist() == [[1.0]]
    assert "reruns" in codes(scores)


def test_named_scores_are_on_offer(tmp_path: Path) -> None:
    rows = [row(k, 1, namedScores={"accuracy": 0.25 * k}) for k in range(2)]
    found = items(rb.read(write(tmp_path, rows), metric="accuracy"), "suite")
    assert sorted(found.values[:, 0].tolist()) == [0, 0.25]


def test_a_key_of_the_metadata_makes_clusters(tmp_path: Path) -> None:
    path = write(tmp_path, [row(k, 1) for k in range(4)])
    clusters = items(rb.read(path, columns={"cluster": "topic"}), "suite").clusters
    assert clusters is not None
    assert len(set(clusters.tolist())) == 2


def test_long_labels_of_prompts_become_hashes(tmp_path: Path) -> None:
    rows = [row(0, 1, prompt={"label": text * 30}) for text in ("SECRET", "OTHER!")]
    models = rb.read(write(tmp_path, rows)).models
    assert len(models) == 2
    assert "SECRET" not in repr(models)


def test_json_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row(k, k)) + "\n" for k in (0, 1)))
    assert sorted(items(rb.read(path), "out").values[:, 0].tolist()) == [0.0, 1.0]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([row(0, "high")], "result 1: the value of 'score' is 'high', not a number"),
        ([row(0, 1), 5], "result 2: expected a JSON object"),
        ([row(0, 1, provider=None) | {"provider": {}}], "result 1: the provider has neither"),
        ([], "there is no result"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, rows: list[object], message: str) -> None:
    with pytest.raises(rb.ReadError, match=rf"results\.json.*{message}"):
        rb.read(write(tmp_path, rows))


def lines_of(folder: Path, name: str, rows: Sequence[dict[str, Any]]) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    return path


def crashed(test: int) -> dict[str, Any]:
    return row(test, 0, failureReason=2, error="429", gradingResult=None)


def test_lines_of_two_sides_are_one_task_whatever_their_files_are_called(tmp_path: Path) -> None:
    new = lines_of(tmp_path, "cand", [*(row(test, 1) for test in range(9)), crashed(9)])
    old = lines_of(tmp_path, "base", [row(test, test % 2) for test in range(10)])
    duel = rb.head_to_head({"new": new, "old": old}, "new", "old", missing="pairwise")
    assert list(duel.tasks) == ["all"]
    assert duel.tasks["all"].difference == pytest.approx(1 - 4 / 9)
    (said,) = (note.message for note in rb.read({"new": new, "old": old}).notes
               if note.code == "coverage")  # fmt: skip
    assert "'new' 9 (1 failed)" in said


def test_sides_of_several_tasks_are_told_apart_by_their_files(tmp_path: Path) -> None:
    for side in ("cand", "base"):
        (tmp_path / side).mkdir()
        lines_of(tmp_path / side, "law", [row(test, 1) for test in range(3)])
        lines_of(tmp_path / side, "math", [row(test, 1) for test in range(3, 8)])
    scores = rb.read({"new": tmp_path / "cand", "old": tmp_path / "base"})
    assert {name: items(scores, name).n for name in scores.tasks} == {"law": 3, "math": 5}


@pytest.mark.parametrize("missing", ["raise", "pairwise", "insert"])
def test_models_without_a_task_in_common_are_told_how_to_be_two_sides(
    tmp_path: Path, missing: str
) -> None:
    files = [
        lines_of(tmp_path, name, [row(test, 1, provider=name) for test in range(count)])
        for name, count in (("cand", 9), ("base", 10))
    ]
    words = rf"have no task in common.*sides: base={files[1]} cand={files[0]} "
    with pytest.raises(rb.DataError, match=words) as caught:
        rb.head_to_head(files, "base", "cand", missing=missing)
    assert "--missing" not in str(caught.value)
    with pytest.raises(rb.DataError, match=words):
        rb.leaderboard(files, missing=missing)
    named = {"base": files[1], "cand": files[0]}
    assert rb.head_to_head(named, "cand", "base", missing="pairwise").tasks["all"].n == 9

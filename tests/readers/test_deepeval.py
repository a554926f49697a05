"""DeepEval: test runs made up after the released source of 4.3.1."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Items

RUN = "test_run_20260102_030405"


def items(scores: rb.Scores, task: str) -> Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Items)
    return evidence


def codes(scores: rb.Scores) -> set[str]:
    return {note.code for note in scores.notes}


def metric(score: object, name: str = "Relevancy", **more: Any) -> dict[str, Any]:
    """One entry; None as a score leaves the key out, as the producer does."""
    content: dict[str, Any] = {"name": name, "threshold": 0.5, "reason": "SECRET"}
    if score is not None:
        content["score"] = score
    return content | more


def case(number: int, *metrics: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": f"test_case_{number}", "input": f"SECRET {number}", "actualOutput": "SECRET",
            "metricsData": list(metrics), "order": number} | more  # fmt: skip


def write(folder: Path, cases: Sequence[object], name: str = RUN, **more: Any) -> Path:
    content: dict[str, Any] = {"testCases": cases, "conversationalTestCases": [],
                               "metricsScores": [], "hyperparameters": {"model": "m"}}  # fmt: skip
    path = folder / f"{name}.json"
    path.write_text(json.dumps(content | more))
    return path


def test_each_metric_is_a_task_and_each_case_an_item(tmp_path: Path) -> None:
    cases = [case(k, metric(0.25 * k), metric(1.0, "Faith")) for k in range(3)]
    sums = [{"metric": "Relevancy", "scores": [0.0, 0.25, 0.5], "passes": 1, "fails": 2}]
    scores = rb.read(write(tmp_path, cases, metricsScores=sums, datasetAlias="faq"))
    assert set(scores.tasks) == {"faq: Relevancy", "faq: Faith"}
    found = items(scores, "faq: Relevancy")
    assert found.values[:, 0].tolist() == [0.0, 0.25, 0.5]
    assert found.ids == ("test_case_0", "test_case_1", "test_case_2")
    assert scores.info["faq: Relevancy"].metric == "Relevancy"
    assert "published-differs" not in codes(scores)


def test_failed_unscored_and_zero_are_three_things(tmp_path: Path) -> None:
    cases = [case(0, metric(0.0, success=False)), case(1, metric(None, error="timeout")),
             case(2, metric(None)), case(3, metric(1.0, success=True))]  # fmt: skip
    scores = rb.read(write(tmp_path, cases))
    found = items(scores, "Relevancy")
    assert np.isnan(found.values[:, 0]).tolist() == [False, True, True, False]
    coverage = scores.info["Relevancy"].coverage
    assert coverage is not None
    assert coverage.scored.tolist() == [2]
    assert (coverage.unscored.tolist(), coverage.errors.tolist()) == ([1], [1])


def test_flaky_cases_and_metrics_are_left_out(tmp_path: Path) -> None:
    cases = [case(0, metric(1.0)), case(1, metric(0.0), flaky=True),
             case(2, metric(0.0, flaky=True))]  # fmt: skip
    scores = rb.read(write(tmp_path, cases))
    assert items(scores, "Relevancy").values.tolist() == [[1.0]]
    assert "flaky" in codes(scores)


def test_verdicts_tell_that_low_scores_are_good(tmp_path: Path) -> None:
    for name, given in (("a", 0.2), ("b", 0.8)):
        cases = [case(0, metric(given, "Rudeness", success=given <= 0.5))]
        write(tmp_path, cases, name, hyperparameters={"model": name})
    scores = rb.read(tmp_path)
    assert scores.info["Rudeness"].direction == "lower"
    assert items(scores, "Rudeness").values.tolist() == [[-0.2, -0.8]]
    (note,) = (note.message for note in scores.notes if note.code == "direction")
    assert "shown by the scores that passed their thresholds" in note


@pytest.mark.parametrize(
    ("name", "side"), [("Bias", "lower"), ("Toxicity", "lower"), ("Tone [GEval]", "higher")]
)
def test_without_verdicts_the_name_tells_the_side(tmp_path: Path, name: str, side: str) -> None:
    scores = rb.read(write(tmp_path, [case(0, metric(0.2, name))]))
    assert scores.info[name].direction == side


def test_the_model_is_a_setting_else_the_identifier_else_the_file(tmp_path: Path) -> None:
    cases = [case(0, metric(1.0))]
    assert rb.read(write(tmp_path, cases, hyperparameters={"LLM model": "x"})).models == ("x",)
    path = write(tmp_path, cases, hyperparameters={}, identifier="mine")
    assert rb.read(path).models == ("mine",)
    scores = rb.read(write(tmp_path, cases, hyperparameters={}))
    assert scores.models == (RUN,)
    assert "name-from-file" in codes(scores)


def test_names_that_are_not_unique_give_way_to_inputs(tmp_path: Path) -> None:
    cases = [case(k, metric(float(k)), name="test_x") for k in range(2)]
    scores = rb.read(write(tmp_path, cases))
    assert items(scores, "Relevancy").n == 2
    assert "identity" in codes(scores)
    assert "SECRET" not in repr(items(scores, "Relevancy").ids)


def test_the_newest_run_counts_and_other_settings_are_other_systems(tmp_path: Path) -> None:
    write(tmp_path, [case(0, metric(0.0))], "test_run_20260101_000000")
    write(tmp_path, [case(0, metric(1.0))], "test_run_20260103_000000")
    scores = rb.read(tmp_path)
    assert items(scores, "Relevancy").values.tolist() == [[1.0]]
    assert "reruns" in codes(scores)
    write(tmp_path, [case(0, metric(0.5))], hyperparameters={"model": "m", "temperature": 1})
    assert len(rb.read(tmp_path).models) == 2


def test_conversations_and_wrapped_and_old_files_are_read(tmp_path: Path) -> None:
    talks = [{"name": "talk", "turns": [{"role": "user", "content": "S"}],
              "metricsData": [metric(1.0)]}]  # fmt: skip
    path = write(tmp_path, [], conversationalTestCases=talks)
    assert items(rb.read(path), "Relevancy").n == 1
    wrapped = tmp_path / "latest.json"
    wrapped.write_text(json.dumps({"testRunData": json.loads(path.read_text())}))
    assert items(rb.read(wrapped), "Relevancy").n == 1
    entry = {"metric": "Old", "score": 0.5, "minimumScore": 0.5}
    old = {"testFile": "t.py", "testCases": [case(0) | {"metricsMetadata": [entry]}],
           "metricScores": [{"metric": "Old", "score": 0.5}]}  # fmt: skip
    del old["testCases"][0]["metricsData"]  # type: ignore[index]
    (tmp_path / "20240101_000000.json").write_text(json.dumps(old))
    assert items(rb.read(tmp_path / "20240101_000000.json"), "Old").values.tolist() == [[0.5]]


def test_a_hidden_file_is_read_where_it_is_named(tmp_path: Path) -> None:
    path = write(tmp_path, [case(0, metric(1.0))], ".latest_run_full")
    assert rb.read(path).models == ("m",)


def test_a_database_is_declined(tmp_path: Path) -> None:
    path = tmp_path / ".deepeval" / "store.db"
    path.parent.mkdir()
    path.write_bytes(b"SQLite format 3\x00" + bytes(100))
    with pytest.raises(rb.ReadError, match=r"store\.db: .*DEEPEVAL_RESULTS_FOLDER"):
        rb.read(path)


@pytest.mark.parametrize(
    ("cases", "message"),
    [
        ([case(0, metric("high"))], "testCases 1: the score is 'high'"),
        ([case(0, metric(1.0)), "x"], "testCases 2: expected a JSON object"),
        ([case(0, metric(1.0, ""))], "testCases 1: a metric has no name"),
        ([], "there is no test case"),
    ],
)
def test_a_damaged_run_is_named(tmp_path: Path, cases: list[object], message: str) -> None:
    with pytest.raises(rb.ReadError, match=rf"{RUN}\.json.*{message}"):
        rb.read(write(tmp_path, cases))


def test_a_run_with_long_texts_is_known(tmp_path: Path) -> None:
    cases = [case(k, metric(1.0), actualOutput="x" * (1 << 20)) for k in range(5)]
    assert items(rb.read(write(tmp_path, cases)), "Relevancy").n == 5


def test_a_key_of_the_metadata_makes_clusters(tmp_path: Path) -> None:
    cases = [case(k, metric(1.0), metadata={"page": f"p{k // 2}"}) for k in range(4)]
    path = write(tmp_path, cases)
    clusters = items(rb.read(path, columns={"cluster": "page"}), "Relevancy").clusters
    assert clusters is not None
    assert clusters.tolist() == [0, 0, 1, 1]
    with pytest.raises(rb.DataError, match="--column cluster=KEY"):
        rb.read(path, columns={"cluster": "absent"})


def test_a_repeated_case_is_a_trial_of_it(tmp_path: Path) -> None:
    cases = [
        case(0, metric(float(right)), name=f"test_faq[case{number}-{k}-3]", input=f"q{number}")
        for number, verdicts in enumerate([(1, 1, 0), (0, 0, 1)])
        for k, right in enumerate(verdicts, start=1)
    ]
    scores = rb.read(write(tmp_path, cases))
    found = items(scores, "Relevancy")
    assert found.ids == ("test_faq[case0]", "test_faq[case1]")
    assert found.values[:, 0].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert found.answers is not None
    assert found.answers[:, 0].tolist() == [3, 3]
    assert "repeats" in codes(scores)


def test_the_same_case_again_is_a_trial_of_it_without_a_number(tmp_path: Path) -> None:
    cases = [case(0, metric(1.0)), case(1, metric(0.0)), case(0, metric(0.0))]
    found = items(rb.read(write(tmp_path, cases)), "Relevancy")
    assert found.answers is not None
    assert found.answers[:, 0].tolist() == [2, 1]

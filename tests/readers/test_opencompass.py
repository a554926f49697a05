"""OpenCompass: a genuine judge run is declined, made-up results are read in every shape."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Estimates, Items
from rankbars.readers import explain

OPENCOMPASS = Path(__file__).parent.parent / "data" / "fixtures" / "opencompass"
RUN = "20250102_030405"


def items(scores: rb.Scores, task: str) -> Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Items)
    return evidence


def codes(scores: rb.Scores) -> set[str]:
    return {note.code for note in scores.notes}


def write(folder: Path, model: str, task: str, content: object, run: str = RUN) -> Path:
    path = folder / "outputs" / "default" / run / "results" / model / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content))
    return path


def gen(verdicts: list[object]) -> dict[str, object]:
    texts = {"prompt": "SECRET", "predictions": "SECRET", "references": "SECRET"}
    rows = {str(k): texts | {"correct": one} for k, one in enumerate(verdicts)}
    return {"type": "GEN", **rows}


def test_judgements_of_two_models_are_recognised_and_declined() -> None:
    reports = [report for report in explain(OPENCOMPASS) if not report.path.endswith(".md")]
    assert [report.format for report in reports] == ["opencompass", "opencompass"]
    with pytest.raises(rb.ReadError, match=r"COREV2_6A_\.json: It holds judgements of two models"):
        rb.read(OPENCOMPASS)
    with pytest.raises(rb.ReadError, match=r"report\.csv: it is not a summary of objective"):
        rb.read(next(OPENCOMPASS.rglob("report.csv")))


@pytest.mark.parametrize(
    "details",
    [
        gen([True, False, True, True]),
        {"type": "PPL", **{str(k): {"correct": k != 1, "origin_prompt": "S"} for k in range(4)}},
        [{"example_abbr": f"t_{k}", "correct": k != 1} for k in range(4)],
        [{"example_abbr": f"t_{k}", "is_correct": k != 1} for k in range(4)],
        [{"cascade_correct": k != 1} for k in range(4)],
    ],
)
def test_every_shape_of_details_gives_items_in_percent(tmp_path: Path, details: object) -> None:
    path = write(tmp_path, "m", "gsm8k", {"accuracy": 75.0, "details": details})
    scores = rb.read(path)
    assert scores.models == ("m",)
    assert items(scores, "gsm8k").values[:, 0].tolist() == [100, 0, 100, 100]
    assert items(scores, "gsm8k").values.mean() == 75.0
    assert "published-differs" not in codes(scores)


def test_details_without_verdicts_give_the_published_value(tmp_path: Path) -> None:
    details = {"type": "GEN", "0": {"prompt": "S", "predictions": "S"}}
    scores = rb.read(write(tmp_path, "m", "t", {"score": 61.5, "details": details}))
    found = scores.tasks["t"]
    assert isinstance(found, Estimates)
    assert found.mean.tolist() == [61.5]
    assert "not-per-item" in codes(scores)


def test_several_runs_are_repeats(tmp_path: Path) -> None:
    details = [{"example_abbr": "x_0", "correct": [True, False]},
               {"example_abbr": "x_1", "correct": [True, True]}]  # fmt: skip
    content = {"accuracy (2 runs average)": 75.0, "G-Pass@2_1.0": 50.0, "x/accuracy": 75.0,
               "details": details}  # fmt: skip
    scores = rb.read(write(tmp_path, "m", "aime", content))
    found = items(scores, "aime")
    assert found.values[:, 0].tolist() == [50.0, 100.0]
    assert found.answers is not None
    assert found.answers[:, 0].tolist() == [2, 2]
    assert scores.info["aime"].metric == "accuracy"


def test_verdicts_belong_to_the_metric_that_they_add_up_to(tmp_path: Path) -> None:
    content = {"f1": 61.0, "accuracy": 75.0, "details": gen([True, False, True, True])}
    path = write(tmp_path, "m", "t", content)
    assert items(rb.read(path), "t").n == 4
    assert isinstance(rb.read(path, metric="f1").tasks["t"], Estimates)


def test_the_headline_is_the_first_of_the_producers_list(tmp_path: Path) -> None:
    path = write(tmp_path, "m", "t", {"rouge1": 30.0, "accuracy": 50.0})
    assert rb.read(path).info["t"].metric == "accuracy"


def test_an_item_without_a_verdict_is_no_wrong_one(tmp_path: Path) -> None:
    details = gen([True, None, False])
    scores = rb.read(write(tmp_path, "m", "t", {"accuracy": 50.0, "details": details}))
    assert np.isnan(items(scores, "t").values[1, 0])
    coverage = scores.info["t"].coverage
    assert coverage is not None
    assert coverage.unscored.tolist() == [1]


def test_a_failed_data_set_is_said_and_no_zero(tmp_path: Path) -> None:
    write(tmp_path, "a", "t", {"accuracy": 50.0})
    write(tmp_path, "b", "t", {"error": "no predictions"})
    write(tmp_path, "b", "u", {"accuracy": 10.0})
    scores = rb.read(tmp_path)
    assert scores.tasks["t"].models == ("a",)
    assert any("'b on t'" in note.message for note in scores.notes if note.code == "failed-tasks")


def test_the_newest_run_counts(tmp_path: Path) -> None:
    write(tmp_path, "m", "t", {"accuracy": 10.0}, "20250101_000000")
    write(tmp_path, "m", "t", {"accuracy": 20.0}, "20250103_000000")
    scores = rb.read(tmp_path)
    assert scores.tasks["t"].mean.tolist() == [20.0]  # type: ignore[union-attr]
    assert "reruns" in codes(scores)


SUMMARY = """dataset,version,metric,mode,a,b
gsm8k,1d7fe4,accuracy,gen,75.00,50.25
aime,ab12cd,accuracy,gen,10.00,-
mmlu,-,naive_average,gen,42.50,37.63
"""


def test_a_summary_gives_leaves_and_a_dash_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "summary_20250102_030405.csv"
    path.write_text(SUMMARY)
    scores = rb.read(path)
    assert set(scores.tasks) == {"gsm8k", "aime"}
    assert scores.tasks["aime"].models == ("a",)
    assert scores.tasks["gsm8k"].mean.tolist() == [75.0, 50.25]  # type: ignore[union-attr]
    assert any("'mmlu'" in note.message for note in scores.notes if note.code == "groups")


@pytest.mark.parametrize(("names", "mean"), [("m,n,m", [50.0, 60.0]), ("mode,n", [50.0, 60.0])])
def test_a_summary_is_read_by_the_place_of_its_models(
    tmp_path: Path, names: str, mean: list[float]
) -> None:
    values = ("50.0", "60.0", "90.0")[: names.count(",") + 1]
    path = tmp_path / "summary_20250102_030405.csv"
    path.write_text(f"dataset,version,metric,mode,{names}\narc,1,accuracy,gen,{','.join(values)}\n")
    found = rb.read(path).tasks["arc"]
    assert isinstance(found, Estimates)
    assert found.models == tuple(names.split(",")[:2])
    assert found.mean.tolist() == mean


def test_a_summary_of_many_models_has_all_of_them(tmp_path: Path) -> None:
    names = [f"a-model-with-a-long-name-{number:04d}" for number in range(2500)]
    path = tmp_path / "summary_20250102_030405.csv"
    head, row = (
        f"dataset,version,metric,mode,{','.join(names)}",
        "arc,1,accuracy,gen" + ",50" * 2500,
    )
    path.write_text(f"{head}\n{row}\n")
    assert len(head) > 1 << 16
    assert rb.read(path).tasks["arc"].models == tuple(names)


def test_a_summary_is_not_read_beside_its_results(tmp_path: Path) -> None:
    path = write(tmp_path, "a", "gsm8k", {"accuracy": 75.0})
    summary = path.parent.parent.parent / "summary"
    summary.mkdir()
    (summary / "summary_20250102_030405.csv").write_text(SUMMARY)
    assert list(rb.read(tmp_path).tasks) == ["gsm8k"]


def test_summaries_of_other_prompts_are_not_compared(tmp_path: Path) -> None:
    for name, version in (("a", "1d7fe4"), ("b", "ffffff")):
        text = f"dataset,version,metric,mode,{name}\ngsm8k,{version},accuracy,gen,75.00\n"
        (tmp_path / f"{name}.csv").write_text(text)
    with pytest.raises(rb.DataError, match="Version of the prompt: '1d7fe4'"):
        rb.read(tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"accuracy": 50.0, "details": gen([True, "yes"])}, "item '1': the verdict 'yes'"),
        ({"accuracy": 50.0, "details": gen([7])}, "item '0': the verdict '7'"),
        ({"note": "nothing"}, "it holds no metric"),
    ],
)
def test_a_damaged_result_is_named(tmp_path: Path, content: object, message: str) -> None:
    with pytest.raises(rb.ReadError, match=rf"t\.json.*{message}"):
        rb.read(write(tmp_path, "m", "t", content))


def test_a_damaged_summary_is_named(tmp_path: Path) -> None:
    path = tmp_path / "s.csv"
    path.write_text(SUMMARY.replace("10.00", "ten"))
    with pytest.raises(rb.ReadError, match=r"s\.csv, row 3: 'ten' of model 'a'"):
        rb.read(path)


def test_results_without_the_folder_of_a_run_are_recognised(tmp_path: Path) -> None:
    for model, value in (("a", 50.0), ("b", 75.0)):
        path = tmp_path / "results" / model / "gsm8k.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"accuracy": value}))
    assert rb.read(tmp_path).tasks["gsm8k"].mean.tolist() == [50.0, 75.0]  # type: ignore[union-attr]


def test_predictions_are_known_and_hold_no_scores(tmp_path: Path) -> None:
    path = write(tmp_path, "m", "t", {"accuracy": 50.0})
    predictions = path.parent.parent.parent / "predictions" / "m" / "t.json"
    predictions.parent.mkdir(parents=True)
    predictions.write_text(json.dumps({"0": {"origin_prompt": "S", "prediction": "S"}}))
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["t"]
    assert "files-skipped" not in codes(scores)
    with pytest.raises(rb.DataError, match="no result"):
        rb.read(predictions)

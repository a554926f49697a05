"""Which side is better is declared, recorded or usual; a name never flips a score."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from logfiles import inspect_header, sample, write_json_log, write_simple
from tablefiles import codes, message, pandas_frame, read_columns

import rankbars as rb
from rankbars.tables.asides import is_attribute
from rankbars.tables.dataframes import scores_from_frame
from rankbars.tables.givenoptions import options_of
from rankbars.tables.metrics import (
    ends_in_loss,
    is_amount,
    is_proportion,
    never_negative,
    usual_direction,
)

BASE: dict[str, list[Any]] = {
    "model": ["a", "a", "b", "b"], "task": ["t", "u", "t", "u"], "score": [1.0, 2.0, 3.0, 4.0],
}  # fmt: skip


LOWER_NAMES = """
    RMSE; val_rmse; MAE; MAPE; sMAPE; MASE; WQL; CRPS; Brier score; log loss; NLL; perplexity;
    PPL; BPB; bits per character; ECE; MCE; WER; librispeech_wer; CER; TER; EER; FID; KID; LPIPS;
    FVD; FAD; MCD; edit distance; Levenshtein distance; HD95; liver HD95 (mm); Hausdorff distance;
    95% HD; ASSD; liver ASSD; volume difference; EPE; endpoint error; chamfer; Chamfer-L1; EMD;
    minADE; minFDE_6; ADE; FDE; miss rate; MPJPE; PA-MPJPE; MPVPE; NME; AbsRel; abs_rel; SqRel;
    RMSE log; SILog; misclass; misclassification rate; error rate; top-1 error; hamming loss;
    zero-one loss; hinge loss; FPR; FPR95; FNR; false alarm rate; latency; latency (ms); wall
    time; runtime; cost; toxicity; hallucination rate; refusal rate; over-refusal rate; attack
    success rate; failures; GSM8K fail rate; failed; failure rate; losses; defects; defect rate;
    bugs; bug_count; crashes; timeouts; wrong; is_wrong; incorrect; mistakes; mistake; invalid;
    invalid rate; num_errors; violations; constraint violation rate; collision rate; regret;
    cumulative regret; optimality gap; generalization gap; distance; angular error; rotation error
    (°); translation error (cm); jitter; NIQE; BRISQUE; DISTS; KL divergence; Wasserstein
    distance; mean rank; preference_rank; MMLU rank; AURC; E-AURC; minDCF; DER (diarization);
    false discovery rate; unsafe; jailbroken; timed_out; 1-AUC; accuracy drop; reprojection error
    (px); hallucination; bias score; AIC; deviance; meter_err; Absolute Error; error [px]
"""
HIGHER_NAMES = """
    accuracy; acc; acc_norm; exact_match; EM; F1; macro-F1; F1 score; precision; recall;
    sensitivity; specificity; AUC; AUROC; AUPRC; average precision; mAP; mAP@50; AP75; MCC; kappa;
    Cohen's kappa; QWK; BLEU; sacreBLEU; chrF; ROUGE-L; ROUGE-2; METEOR; BERTScore; BLEURT; COMET;
    NDCG@10; MRR; mean reciprocal rank; Spearman; Pearson r; Kendall tau; R2; R@1; Recall@5;
    Hit@10; rank-1 accuracy; NMI; ARI; IoU; mIoU; Dice; DSC; NSD; Jaccard; PSNR; SSIM; reward;
    success rate; pass@1; pass rate; resolved; solved; win rate; hit rate; MOS; PESQ; STOI; SI-
    SDR; CIDEr; SPICE; VQA score; PCK; PCK@0.2; ADD-S; HOTA; MOTA; IDF1; balanced accuracy; top-5
    accuracy; goal completion; quality; helpfulness; faithfulness; harmlessness; safety score;
    coverage; ranking accuracy
"""
DATA_SETS = """
    MMLU; GSM8K; HellaSwag; ARC-Challenge; TruthfulQA; HumanEval; MBPP; ToxicChat; ToxiGen;
    HarmBench; BiasBios; StereoSet; BBQ; WinoBias; error_detection; Bug fixing; FailureSensorIQ;
    ADE20K; Loss of significance QA; MissingLink QA; WMT de-er; CrashCourse QA; FaultBench;
    HallucinationBench; JailbreakBench; RefusalBench; RankZephyr; positional reasoning; Bugs2Fix;
    Regression Bench; Lost in the Middle; Wrong Answer Detection
"""


def split_names(text: str) -> list[str]:
    return [" ".join(name.split()) for name in text.split(";")]


def test_common_names_of_metrics_stand_on_the_right_side() -> None:
    lower, higher = split_names(LOWER_NAMES), split_names(HIGHER_NAMES)
    assert len(lower) > 120
    assert len(higher) > 75
    asked = [ends_in_loss(name) or usual_direction(name) == "lower" or is_amount(name)
             for name in lower]  # fmt: skip
    assert [name for name, one in zip(lower, asked, strict=True) if not one] == []
    assert [n for n in higher if ends_in_loss(n) or usual_direction(n) == "lower"] == []
    assert [name for name in split_names(DATA_SETS) if ends_in_loss(name)] == []


@pytest.mark.parametrize(
    "name",
    [
        "rmse",
        "RMSE",
        "log_loss",
        "log-loss",
        "logloss",
        "error",
        "wer",
        "perplexity",
        "word_perplexity",
        "latency_ms",
        "cost",
        "metric_error",
        "mean_squared_error",
        "toxicity",
        "brier",
        "val_loss",
    ],
)
def test_names_that_are_usually_lower_is_better(name: str) -> None:
    assert usual_direction(name) == "lower"


@pytest.mark.parametrize(
    "name",
    [
        "accuracy",
        "acc",
        "acc_norm",
        "acc,none",
        "exact_match",
        "F1",
        "roc_auc",
        "ndcg@10",
        "bleu",
        "pass@1",
        "win_rate",
        "spearman",
        "neg_log_loss",
        "balanced_accuracy",
        "rougeL",
        "r2",
    ],
)
def test_names_that_are_usually_higher_is_better(name: str) -> None:
    assert usual_direction(name) == "higher"


@pytest.mark.parametrize("name", ["quality", "x", "", "zeal", "42"])
def test_other_names_say_nothing(name: str) -> None:
    assert usual_direction(name) is None


def test_proportions_are_few_and_sure() -> None:
    yes = ("accuracy", "acc", "acc_norm", "exact_match", "pass@1", "resolved", "correct")
    no = ("score", "f1", "balanced_accuracy", "roc_auc", "mse", "ndcg", "value")
    assert all(is_proportion(name) for name in yes)
    assert not any(is_proportion(name) for name in no)


def test_lower_scores_are_negated_at_the_door() -> None:
    scores = read_columns(BASE, direction="lower")
    assert scores.tasks["t"].mean.tolist() == [-1.0, -3.0]
    assert {info.direction for info in scores.info.values()} == {"lower"}
    assert "declared" in message(scores, "direction")


def test_a_lower_name_without_a_declaration_stops_with_the_lines_to_paste() -> None:
    columns = {**BASE, "metric": ["rmse", "acc", "rmse", "acc"]}
    with pytest.raises(rb.DataError) as caught:
        read_columns(columns)
    text = str(caught.value)
    assert "'rmse'" in text
    assert "direction={'rmse': 'lower'}" in text
    assert "direction={'rmse': 'higher'}" in text
    assert "'acc'" not in text
    mixed = read_columns(columns, direction={"rmse": "lower"})
    assert mixed.tasks["t"].mean.tolist() == [-1.0, -3.0]
    assert mixed.tasks["u"].mean.tolist() == [2.0, 4.0]
    stored_negated = read_columns(columns, direction={"rmse": "higher"})
    assert stored_negated.tasks["t"].mean.tolist() == [1.0, 3.0]


def test_the_name_of_the_score_column_counts_as_the_metric() -> None:
    columns = {"model": ["a", "b"], "task": ["t", "t"], "fold": [0, 0], "metric_error": [1.0, 2.0]}
    with pytest.raises(rb.DataError, match=r"direction=\{'metric_error': 'lower'\}"):
        read_columns(columns)
    columns = {"model": ["a", "b"], "task": ["t", "t"], "rmse": [1.0, 2.0]}
    scores = read_columns(columns, direction={"rmse": "lower"})
    assert scores.info["t"].metric == "rmse"


def test_an_unknown_metric_is_asked_about() -> None:
    with pytest.raises(rb.DataError, match="which side of 'zeal' is better"):
        read_columns({**BASE, "metric": ["zeal"] * 4})


def test_a_column_called_score_counts_upwards_with_a_note() -> None:
    scores = read_columns(BASE)
    assert "direction" in codes(scores)
    assert scores.info["t"].metric is None


def test_a_task_name_outranks_its_metric() -> None:
    columns = {**BASE, "metric": ["rmse"] * 4}
    scores = read_columns(columns, direction={"rmse": "lower", "u": "higher"})
    assert scores.info["t"].direction == "lower"
    assert scores.info["u"].direction == "higher"


def test_a_declaration_for_nothing_is_refused() -> None:
    with pytest.raises(rb.UnknownOptionError, match="Did you mean 'rmse'"):
        read_columns({**BASE, "metric": ["rmse"] * 4}, direction={"rmsee": "lower"})


def test_tables_of_several_kinds_share_the_directions(tmp_path: Path) -> None:
    answers, losses = tmp_path / "answers.csv", tmp_path / "losses.csv"
    answers.write_text("model,task,item,score\na,law,1,1\na,law,2,0\nb,law,1,1\nb,law,2,1\n")
    losses.write_text("model,dataset,metric,value\na,cars,rmse,.2\nb,cars,rmse,.3\n")
    scores = rb.read([answers, losses], direction={"rmse": "lower", "law": "higher"})
    sides = {name: one.direction for name, one in scores.info.items()}
    assert sides == {"law": "higher", "cars": "lower"}
    with pytest.raises(rb.OptionError, match=r"'mse'.*Known: cars, law, rmse, score"):
        rb.read([answers, losses], direction={"rmse": "lower", "mse": "lower"})


def test_a_recorded_direction_is_used() -> None:
    scores = read_columns({**BASE, "metric": ["zeal"] * 4, "higher_is_better": [True] * 4})
    assert scores.info["t"].direction == "higher"
    scores = read_columns({**BASE, "lower_is_better": ["true", "false"] * 2})
    assert [info.direction for info in scores.info.values()] == ["lower", "higher"]


def test_a_recorded_direction_against_the_usual_one_is_not_chosen_silently() -> None:
    columns = {**BASE, "metric": ["ter"] * 4, "direction": ["higher"] * 4}
    with pytest.raises(rb.DataError, match=r"'ter': 'higher'\}\) or .*'ter': 'lower'\}\)"):
        read_columns(columns)
    assert read_columns(columns, direction="lower").info["t"].direction == "lower"


def test_a_task_named_after_a_lower_metric_is_asked_about() -> None:
    columns = {"model": ["a", "b"], "rmse": [1.0, 2.0], "math": [0.5, 0.7]}
    with pytest.raises(rb.DataError, match=r"direction=\{'rmse': 'lower'\}"):
        read_columns(columns)
    scores = read_columns(columns, direction={"rmse": "lower"})
    assert scores.tasks["rmse"].mean.tolist() == [-1.0, -2.0]


@pytest.mark.parametrize(
    "name",
    [
        "Perplexity ↑",
        "WER (LibriSpeech)",
        "RMSE [houses]",
        "perplexity_wikitext",
        "XYZ↓",
        "MMLU ⬇️",
        r"XYZ $\downarrow$",
        "Accuracy ↓",
        "Hallucination",
        "Over-refusal (%)",
        "Bias",
    ],
)
def test_a_header_that_is_a_loss_or_says_so_stops_until_its_side_is_declared(name: str) -> None:
    columns = {"model": ["a", "b"], "MMLU acc": [70.0, 71.0], name: [5.0, 6.0]}
    with pytest.raises(rb.DataError, match="which side is better") as stopped:
        read_columns(columns, layout="models-by-tasks")
    assert f"direction={{{name!r}: 'lower'}}" in str(stopped.value)
    read = read_columns(columns, layout="models-by-tasks", direction={name: "lower"})
    assert [read.info[task].direction for task in ("MMLU acc", name)] == ["higher", "lower"]


@pytest.mark.parametrize("name", ["XYZ ↑", "XYZ (higher is better)", "XYZ ⬆️"])
def test_a_header_that_says_higher_is_better_is_taken_at_its_word(name: str) -> None:
    read = read_columns({"model": ["a", "b"], "MMLU acc": [70.0, 71.0], name: [5.0, 6.0]})
    said = [note.message for note in read.notes if note.code == "direction"]
    assert f"Direction of {name!r}: higher is better (as the name says)." in said


@pytest.mark.parametrize(
    "name",
    ["Perplexity (WikiText)↓", "Toxicity (RTP) ↓", "Hallucination ↓", "XYZ (lower is better)"],
)
def test_a_loss_that_says_lower_is_better_is_taken_at_its_word(name: str) -> None:
    columns = {"model": ["a", "b"], "MMLU acc": [70.0, 71.0], name: [5.0, 6.0]}
    read = read_columns(columns)
    said = [note.message for note in read.notes if note.code == "direction"]
    assert f"Direction of {name!r}: lower is better (as the name says)." in said
    turned = read_columns({**columns, name: [-5.0, -6.0]}, direction={name: "higher"})
    assert turned.info[name].direction == "higher"


def test_arrows_of_a_button_that_sorts_say_nothing() -> None:
    read = read_columns({"model": ["a", "b"], "MMLU acc": [70.0, 71.0], "XYZ ↑↓": [5.0, 6.0]})
    assert read.info["XYZ ↑↓"].direction == "higher"


def test_a_latency_is_no_score_unless_it_has_a_direction() -> None:
    columns = {"model": ["a", "b"], "latency": [1.0, 2.0], "math": [0.5, 0.7]}
    scores = read_columns(columns)
    assert list(scores.tasks) == ["math"]
    assert "'latency'" in message(scores, "columns")
    told = read_columns(columns, direction={"latency": "lower"})
    assert told.tasks["latency"].mean.tolist() == [-1.0, -2.0]


def test_one_metric_per_task_is_chosen_by_name() -> None:
    columns = {
        "model": ["a", "a", "b", "b"], "task": ["t"] * 4, "metric": ["acc", "f1"] * 2,
        "score": [0.5, 0.6, 0.7, 0.8],
    }  # fmt: skip
    with pytest.raises(rb.DataError, match=r"metric='acc'.*'acc', 'f1'"):
        read_columns(columns)
    scores = read_columns(columns, metric="F1")
    assert scores.tasks["t"].mean.tolist() == [0.6, 0.8]
    assert scores.info["t"].metric == "f1"
    assert "Others: 'acc'" in message(scores, "metric")
    with pytest.raises(rb.DataError, match=r"'bleu' is not in the table. Metrics: 'acc', 'f1'"):
        read_columns(columns, metric="bleu")


def test_metrics_side_by_side_are_chosen_by_name(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("model,task,item,acc,f1\na,t,1,1,0.5\nb,t,1,0,0.25\n")
    with pytest.raises(rb.ReadError, match="2 columns could be the score: 'acc', 'f1'"):
        rb.read(path)
    assert rb.read(path, metric="f1").tasks["t"].values.tolist() == [[0.5, 0.25]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("lower", {"": "lower"}),
        ("rmse=lower", {"rmse": "lower"}),
        (["a=b=lower", "higher"], {"a=b": "lower", "": "higher"}),
        ({"rmse": "lower"}, {"rmse": "lower"}),
        (None, {}),
    ],
)
def test_directions_are_spelt_in_several_ways(given: Any, expected: dict[str, str]) -> None:
    assert dict(options_of({"direction": given}).direction) == expected


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"direction": "down"}, "Unknown direction 'down'.*higher, lower"),
        ({"rows": "fold"}, "Did you mean 'folds'"),
        ({"layout": "wide"}, "Unknown layout"),
        ({"columns": {"question": "q"}}, "Unknown column role 'question'"),
        ({"columns": ["item"]}, "ROLE=NAME"),
        ({"folds": 1}, "at least 2"),
        ({"test_share": 1.0}, "between 0 and 1"),
        ({"folds": 3, "rows": "items"}, "Leave one of them out"),
        ({"minimum": 1.0, "maximum": 0.0}, "below the maximum"),
        ({"minimum": float("nan")}, "finite"),
        ({"direction": ["lower", "higher"]}, "give it once"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_read(
    options: dict[str, Any], error: str
) -> None:
    with pytest.raises(rb.OptionError, match=error):
        options_of(options)


def test_declared_limits_are_kept_and_held() -> None:
    options = {"minimum": 0.0, "maximum": 10.0, "direction": "lower"}
    found = scores_from_frame(pandas_frame(BASE), options)
    assert (found.info["t"].minimum, found.info["t"].maximum) == (0.0, 10.0)
    with pytest.raises(rb.DataError, match=r"row 4 \(model 'b', task 'u'\): the score 4 lies"):
        scores_from_frame(pandas_frame(BASE), {"maximum": 3.5})


def test_truth_values_have_limits_of_their_own() -> None:
    columns = {"model": ["a", "b"], "item": [1, 1], "correct": [True, False]}
    info = read_columns(columns).info["all"]
    assert (info.minimum, info.maximum) == (0.0, 1.0)
    assert info.metric == "correct"


@pytest.mark.parametrize(
    "name", ["1-auc", "1 - AUC", "one_minus_auc", "1-accuracy", "1-f1", "accuracy_drop"]
)
def test_a_measure_turned_around_is_never_taken_for_the_measure(name: str) -> None:
    assert usual_direction(name) == "lower"
    assert not is_proportion(name)


def test_a_side_is_called_recorded_only_where_the_log_records_it(tmp_path: Path) -> None:
    graded = write_json_log(tmp_path / "log.json", inspect_header(), [sample(1, "C")])
    assert "(the scores are grades, C for correct and I for incorrect)" in message(
        rb.read(graded), "direction"
    )
    recorded = write_simple(
        tmp_path / "lm", "m", [1.0, 0.0], higher_is_better={"arc": {"acc": True}}
    )
    assert "(recorded in the input)" in message(rb.read(recorded.parent), "direction")


AMOUNTS = (
    "wall_s", "median_ms", "total_usd", "train_sec", "Runtime (s)", "runtime(s)", "mean latency",
    "time per call", "list price", "output_tokens", "cost",
)  # fmt: skip


@pytest.mark.parametrize("name", AMOUNTS)
def test_amounts_of_time_and_money_ask_for_a_direction(name: str) -> None:
    assert is_amount(name)
    frame = pandas_frame({"model": BASE["model"], "task": BASE["task"], name: BASE["score"]})
    with pytest.raises(rb.DataError, match="Declare which side is better"):
        scores_from_frame(frame, {"columns": {"score": name}})
    asked = {"columns": {"score": name}, "direction": "lower"}
    assert scores_from_frame(frame, asked).info["t"].direction == "lower"


@pytest.mark.parametrize("name", AMOUNTS)
def test_a_column_of_a_matrix_that_is_an_amount_is_no_task_unnoticed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.csv").write_text(f"model,math,{name}\na,1,2\nb,2,3\n", encoding="utf-8")
    if is_attribute(name):
        assert list(rb.read("m.csv", layout="models-by-tasks").tasks) == ["math"]
    else:
        with pytest.raises(rb.DataError, match="--metric math"):
            rb.read("m.csv", layout="models-by-tasks")
    Path("m.csv").write_text(f"model,{name}\na,1\nb,2\n", encoding="utf-8")
    with pytest.raises(rb.DataError, match=r"--direction .*=lower.*--direction .*=higher"):
        rb.read("m.csv", layout="models-by-tasks")


@pytest.mark.parametrize("name", ["score", "tasks", "math", "timeliness", "press", "sms", "bonus"])
def test_other_names_are_no_amounts(name: str) -> None:
    assert not is_amount(name)


@pytest.mark.parametrize(
    ("name", "never"),
    [
        ("rmse", True), ("word error rate", True), ("log_loss", True), ("latency_ms", True),
        ("nll", False), ("loss", False), ("neg_rmse", False), ("accuracy", False), ("", False),
    ],
)  # fmt: skip
def test_errors_and_amounts_cannot_lie_below_zero(name: str, never: bool) -> None:
    assert never_negative(name) is never


def negated(name: str, values: str) -> str:
    lines = ["model,item,metric,score"]
    lines += [f"{m},{i},{name},{v}" for m in "ab" for i, v in enumerate(values.split())]
    Path("r.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "r.csv"


def test_a_loss_that_is_negated_already_is_not_turned_round_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = negated("rmse", "-1.5 -2 -0.5")
    with pytest.raises(rb.DataError) as refused:
        rb.read(path, direction="rmse=lower")
    said = str(refused.value)
    assert "--direction rmse=higher" in said
    assert "--direction rmse=lower --score-max 0" in said
    assert rb.read(path, direction="rmse=higher").info["r"].direction == "higher"
    assert rb.read(path, direction="rmse=lower", maximum=0).info["r"].direction == "lower"


@pytest.mark.parametrize(
    ("name", "values"),
    [("rmse", "-1 2 3"), ("rmse", "0 0 0"), ("nll", "-1 -2 -3"), ("charm", "-1 -2 -3")],
)
def test_other_values_are_taken_as_declared(
    name: str, values: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert rb.read(negated(name, values), direction="lower").info["r"].direction == "lower"


def test_published_scores_that_are_negated_already_are_refused_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["model,task,mae,se", "a,t,-1,0.1", "b,t,-2,0.1"]
    Path("p.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(rb.DataError, match="negated already"):
        rb.read("p.csv", direction="lower")


def test_rows_ahead_are_those_on_the_better_side() -> None:
    rows = {
        "model": [name for name in "ab" for _ in range(12)],
        "task": (["x"] * 6 + ["y"] * 6) * 2,
        "item": [number % 6 for number in range(24)],
        "rmse": [0.1 + number % 5 / 9 for number in range(12)] + [2.0] * 12,
    }
    duel = rb.head_to_head(read_columns(rows, direction="lower"), "a", "b")
    assert duel.tasks["x"].ahead == 6
    assert "Ahead: how many rows a : b does better on." in duel.to_text()

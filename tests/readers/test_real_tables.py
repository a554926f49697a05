"""Results as people publish them read as their documentation says."""

from __future__ import annotations

import numpy as np
import pytest
from tablefiles import TABLES, codes, message

import rankbars as rb
from rankbars.data.evidence import Estimates, Folds, Items


def total(scores: rb.Scores, state: str) -> int:
    coverages = [info.coverage for info in scores.info.values()]
    return sum(int(getattr(one, state).sum()) for one in coverages if one is not None)


LOSSES = dict.fromkeys(("Helena", "Jannis", "connect-4"), "lower")


def test_amlb_log_counts_failed_and_absent_folds_apart() -> None:
    scores = rb.read(TABLES / "amlb_results_medium-4c1h.csv", direction=LOSSES)
    assert len(scores.models) == 5
    assert len(scores.tasks) == 5
    assert {task.design for task in scores.tasks.values()} == {Folds(1, 10)}
    assert total(scores, "scored") == 187
    assert total(scores, "errors") == 42
    assert total(scores, "missing") == 21
    assert total(scores, "unscored") == 0


def test_results_of_the_amlb_log_that_are_losses_are_asked_about() -> None:
    """Its result is an area on tasks of two classes, and a loss on the others."""
    path = TABLES / "amlb_results_medium-4c1h.csv"
    with pytest.raises(rb.DataError) as found:
        rb.read(path)
    assert "'result' repeats 'logloss' on 'Helena', 'Jannis', 'connect-4'" in str(found.value)
    lines = [f"--direction {name}=lower" for name in LOSSES]
    assert " ".join(lines) in str(found.value)
    assert rb.read(path, direction="higher").models == rb.read(path, direction=LOSSES).models
    with pytest.raises(rb.DataError, match="'logloss'"):
        rb.read(path, direction={"Helena": "lower"})


def test_amlb_tables_count_failed_folds() -> None:
    scores = rb.read(TABLES / "amlb2019.parquet", direction="higher", rows="folds")
    assert len(scores.models) == 7
    assert len(scores.tasks) == 5
    assert total(scores, "errors") == 34
    assert total(scores, "scored") == 316
    assert scores.tasks[next(iter(scores.tasks))].design == Folds(1, 10)
    assert "maybe-folds" in codes(rb.read(TABLES / "amlb2019.parquet", direction="higher"))


def test_judge_scores_without_items_are_unpaired() -> None:
    scores = rb.read(
        TABLES / "no_item_column_judge_scores.csv", columns={"model": "grader", "task": ""}
    )
    (estimates,) = scores.tasks.values()
    assert isinstance(estimates, Estimates)
    assert estimates.models == ("Autograder", "Human")
    np.testing.assert_allclose(estimates.mean, [5.3614, 6.4646], atol=5e-5)
    assert estimates.n is not None
    assert estimates.n.tolist() == [83, 99]


def test_langchain_items_by_models() -> None:
    scores = rb.read(TABLES / "items_by_models_langchain_tool_use.csv")
    (items,) = scores.tasks.values()
    assert isinstance(items, Items)
    assert items.values.shape == (20, 9)
    means = dict(zip(items.models, items.values.mean(axis=0), strict=True))
    assert means["claude-2.1"] == 1.0
    assert means["gpt-4-1106-preview (functions)"] == 0.9
    assert means["llama-v2-13b-chat"] == 0.0


def test_ari_tasks_by_models() -> None:
    scores = rb.read(TABLES / "tasks_by_models_ari_mean.csv")
    assert len(scores.tasks) == 112
    assert scores.models == ("KASBA", "k-AVG", "k-Shape")
    assert scores.tasks["ACSF1"].mean[0] == 0.22045754202433523
    assert "no-uncertainty" in codes(scores)


def test_regression_errors_one_file_per_model() -> None:
    folder = TABLES / "one_file_per_model"
    with pytest.raises(rb.DataError, match="--direction rmse=lower"):
        rb.read(folder)
    scores = rb.read(folder, direction="lower")
    assert scores.models == ("1NN-DTW", "DrCIF", "RotF")
    task = scores.tasks["AppliancesEnergy"]
    assert isinstance(task, Items)
    assert task.n == 30
    assert task.values[0, 2] == -2.3343265807243383
    assert scores.info["AppliancesEnergy"].metric == "rmse"
    # One data set that two of the three models lack.
    coverage = scores.info["AustraliaRainfall"].coverage
    assert coverage is not None
    assert coverage.missing.tolist() == [0, 30, 30]


def test_the_three_header_rows_of_vtab_are_joined() -> None:
    path, size = TABLES / "three_header_rows_vtab.csv", "metadata_hyper_sweep_size"
    with pytest.raises(rb.DataError, match=f"{size!r} does not lie on the scale of the other"):
        rb.read(path)
    every = rb.read(path, direction={size: "higher"})
    scores = rb.read(path, metric=[name for name in every.tasks if name != size])
    assert size in every.tasks
    assert size not in scores.tasks
    task = scores.tasks["1000_CIFAR-100"]
    assert isinstance(task, Estimates)
    assert task.mean[scores.models.index("Cond-BigGAN")] == 21.080000698566437
    assert "full_CIFAR-100" in scores.tasks


def test_tabarena_folds_have_repeats_and_mixed_metrics() -> None:
    path = TABLES / "tabarena_folds.parquet"
    with pytest.raises(rb.DataError, match=r"--direction log_loss=lower --direction rmse=lower"):
        rb.read(path)
    scores = rb.read(path, direction="higher", rows="folds", folds=3)
    assert {name: task.design for name, task in scores.tasks.items()} == {
        "APSFailure": Folds(3, 3),
        "Another-Dataset-on-used-Fiat-500": Folds(10, 3),
        "students_dropout_and_academic_success": Folds(3, 3),
    }
    assert [info.metric for info in scores.info.values()] == ["roc_auc", "rmse", "log_loss"]
    assert scores.info["APSFailure"].category == "binary"
    # The score column is called so; validation scores beside it are not used.
    assert "'score_val'" in message(scores, "columns")
    assert scores.tasks["APSFailure"].values[0, 0] == -0.004495812395309939
    assert total(scores, "missing") == 27 + 93 + 30 - 150 + 4 * (9 + 30 + 9) - 150


def test_vtab_has_standard_errors_counts_and_categories() -> None:
    scores = rb.read(TABLES / "vtab1k.parquet")
    assert len(scores.models) == 16
    assert len(scores.tasks) == 19
    assert {info.category for info in scores.info.values()} == {
        "natural", "specialized", "structured",
    }  # fmt: skip
    task = scores.tasks["CIFAR-100"]
    assert isinstance(task, Estimates)
    assert task.se is not None
    assert task.n is not None
    np.testing.assert_allclose(task.se, np.sqrt(task.mean * (1 - task.mean) / task.n), rtol=1e-6)
    assert "binomial" not in codes(scores)


def test_pythia_families_of_models_do_not_describe_tasks() -> None:
    scores = rb.read(TABLES / "pythia.parquet")
    assert len(scores.models) == 29
    task = scores.tasks["arc_challenge@0shot"]
    assert isinstance(task, Estimates)
    assert task.se is not None
    assert task.models[0] == "bloom-1b1"
    assert task.se[0] == 0.012414960524301834
    assert scores.info["mmlu_abstract_algebra@0shot"].category == "mmlu"
    assert "family-ignored" in codes(scores)
    assert len(scores.tasks["arc_challenge@5shot"].models) == 16


def test_mteb_numbers_of_queries_make_no_standard_error() -> None:
    scores = rb.read(TABLES / "mteb.parquet")
    for task in scores.tasks.values():
        assert isinstance(task, Estimates)
        assert task.se is None
        assert task.n is not None
    assert "no-uncertainty" in codes(scores)


def test_ucr_resamples_in_an_item_column_raise_the_question() -> None:
    scores = rb.read(TABLES / "ucr_resamples.parquet")
    assert {task.n for task in scores.tasks.values()} == {30}
    assert "maybe-folds" in codes(scores)


def test_swebench_verdicts_that_are_absent_are_counted() -> None:
    scores = rb.read(TABLES / "swebench_pro.parquet")
    assert [task.n for task in scores.tasks.values()] == [44, 20]
    assert total(scores, "missing") == 9 * (44 + 20) - total(scores, "scored")


def test_mmlu_pro_takes_the_column_that_is_called_score() -> None:
    scores = rb.read(TABLES / "mmlu_pro.parquet")
    assert [task.n for task in scores.tasks.values()] == [410, 381]
    assert "Not used: 'score_stored', 'no_answer'" in message(scores, "columns")
    means = [np.nanmean(task.values) for task in scores.tasks.values()]
    np.testing.assert_allclose(means, [0.5487804878048781, 0.5246224556795798], rtol=1e-12)
    # One answer is missing: the incomplete run.
    coverage = scores.info["history"].coverage
    assert coverage is not None
    assert coverage.missing.tolist() == [1, 0, 0, 0]

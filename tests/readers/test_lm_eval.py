"""Logs of the lm-evaluation-harness: genuine ones to their numbers, made-up ones for each trap."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from logfiles import (
    LATER,
    LM_EVAL,
    TIME,
    digest,
    lm_rows,
    peak_kilobytes,
    write_lm_eval,
    write_simple,
)

import rankbars as rb
from rankbars.readers import explain

CURRENT = next((LM_EVAL / "current").iterdir())
ZERO = {
    size: LM_EVAL / "legacy" / f"pythia-{size}" / "zero-shot" for size in ("1.4b", "6.9b", "12b")
}
FIVE = LM_EVAL / "legacy" / "pythia-12b" / "five-shot"


def items(scores: rb.Scores, task: str = "arc") -> rb.Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, rb.Items)
    return evidence


def estimates(scores: rb.Scores, task: str = "arc") -> rb.Estimates:
    evidence = scores.tasks[task]
    assert isinstance(evidence, rb.Estimates)
    return evidence


def codes(scores: rb.Scores) -> set[str]:
    return {note.code for note in scores.notes}


# Genuine files


def test_current_layout_gives_items_and_published_values() -> None:
    scores = rb.read(CURRENT)
    assert scores.models == (
        "RylanSchaeffer/mem_Qwen3-93M_minerva_math_rep_0_sbst_1.0000_epch_1_ot_1",
    )
    found = items(scores, "math_perturbed_full")
    assert found.values.shape == (10, 1)
    assert not found.values.any()
    assert found.ids is not None
    assert len(set(found.ids)) == 10
    coverage = scores.info["math_perturbed_full"].coverage
    assert coverage is not None
    assert (coverage.expected, coverage.scored[0], coverage.missing[0]) == (5000, 10, 4990)
    published = estimates(scores, "math_rephrased_full")
    assert published.se is not None
    assert published.n is not None
    assert published.mean[0] == 0.0004
    assert published.se[0] == pytest.approx(0.00028281442, rel=1e-7)
    assert published.n[0] == 5000
    assert {info.metric for info in scores.info.values()} == {"exact_match"}
    assert "coverage" in codes(scores)


@pytest.mark.parametrize(
    ("folder", "model", "arc", "ppl"),
    [
        (ZERO["1.4b"], "1.4b", 0.6064814815, 6.0857145325),
        (ZERO["6.9b"], "6.9b", 0.6734006734, 4.4491079404),
        (ZERO["12b"], "12b", 0.7024410774, 3.9236415916),
        (FIVE, "12b", 0.7100168350, 4.494119),
    ],
)
def test_legacy_layout_gives_published_values(
    folder: Path, model: str, arc: float, ppl: float
) -> None:
    scores = rb.read(folder, metric="acc")
    assert scores.models == (f"EleutherAI/pythia-v1.1-{model}",)
    assert estimates(scores, "arc_easy").mean[0] == pytest.approx(arc, abs=1e-9)
    assert len(scores.tasks) == 65
    loss = rb.read(folder, metric="ppl", direction="lower")
    assert list(loss.tasks) == ["lambada_openai"]
    assert estimates(loss, "lambada_openai").mean[0] == pytest.approx(-ppl, abs=1e-6)


def test_legacy_zero_shot_file_holds_87_tasks() -> None:
    wanted = ["acc", "pct_stereotype"]
    scores = rb.read(ZERO["12b"], metric=wanted, direction={"pct_stereotype": "lower"})
    assert len(scores.tasks) == 87
    assert sum(info.metric == "acc" for info in scores.info.values()) == 65
    assert len(rb.read(ZERO["12b"], metric="acc_norm").tasks) == 62


def test_two_shot_settings_are_neither_models_nor_repeats() -> None:
    both = [ZERO["12b"], FIVE]
    with pytest.raises(rb.DataError, match=r"several variants \(shots\).*--filter 0-shot"):
        rb.read(both, metric="acc")
    five = rb.read(both, metric="acc", filter="5-shot")
    assert estimates(five, "arc_easy").mean[0] == pytest.approx(0.7100168350, abs=1e-9)
    everything = rb.read(LM_EVAL / "legacy", metric="acc")
    assert len(everything.models) == 3
    assert "variant" in codes(everything)
    assert estimates(everything, "arc_easy").mean[1] == pytest.approx(0.7024410774, abs=1e-9)


def test_different_shots_are_not_compared() -> None:
    different = [ZERO["1.4b"], FIVE]
    with pytest.raises(rb.DataError, match="no shots that all models share"):
        rb.read(different, metric="acc")
    assert "variants-differ" in codes(rb.read(different, metric="acc", compare_anyway=True))


def test_unrecorded_direction_is_asked_for() -> None:
    with pytest.raises(rb.DataError, match=r"'ppl' is usually lower.*Or choose other metrics"):
        rb.read(ZERO["1.4b"])


def test_every_genuine_file_is_recognised() -> None:
    reports = {Path(report.path).suffix: report.format for report in explain(LM_EVAL)}
    assert reports == {".md": None, ".json": "lm-eval", ".jsonl": "lm-eval"}


def test_reading_twice_gives_the_same() -> None:
    one, two = (rb.read(LM_EVAL / "current") for _ in range(2))
    assert one.notes == two.notes
    assert items(one, "math_perturbed_full").ids == items(two, "math_perturbed_full").ids


# Traps of made-up files


def test_trap_1_of_several_filters_the_first_of_the_results_counts(tmp_path: Path) -> None:
    rows = [
        *lm_rows({"em": [1, 1, 0]}, filter="flexible"),
        *lm_rows({"em": [0, 1, 0]}, filter="strict"),
    ]
    values = {"gsm": {"em,strict": 1 / 3, "em,flexible": 2 / 3}}
    for model in ("a/x", "b/y"):
        write_lm_eval(
            tmp_path, model, values, rows={"gsm": rows}, higher_is_better={"gsm": {"em": True}}
        )
    scores = rb.read(tmp_path)
    assert items(scores, "gsm").values.mean(axis=0) == pytest.approx([1 / 3, 1 / 3])
    assert "variant" in codes(scores)
    chosen = rb.read(tmp_path, filter="flexible")
    assert items(chosen, "gsm").values.mean(axis=0) == pytest.approx([2 / 3, 2 / 3])
    with pytest.raises(rb.UnknownOptionError, match="Did you mean 'flexible'"):
        rb.read(tmp_path, filter="flexibel")


def test_trap_2_values_that_are_not_numbers_are_passed_over(tmp_path: Path) -> None:
    rows = lm_rows({"inst": [[True], [False]], "acc": [True, False]})
    write_lm_eval(
        tmp_path, "a", {"if": {"acc,none": 0.5}}, rows={"if": rows},
        higher_is_better={"if": {"acc": True, "inst": True}},
    )  # fmt: skip
    assert sorted(items(rb.read(tmp_path), "if").values[:, 0]) == [0.0, 1.0]
    with pytest.raises(rb.DataError, match="not single numbers"):
        rb.read(tmp_path, metric="inst")


def test_trap_2_a_corpus_metric_is_compared_by_its_published_value(tmp_path: Path) -> None:
    for model, value in (("a", 20.0), ("b", 30.0)):
        rows = lm_rows({"bleu": [["x", "y"], ["x", "z"]]})
        write_lm_eval(
            tmp_path, model, {"mt": {"bleu,none": value, "bleu_stderr,none": 1.0}},
            rows={"mt": rows}, higher_is_better={"mt": {"bleu": True}},
        )  # fmt: skip
    scores = rb.read(tmp_path)
    assert estimates(scores, "mt").mean.tolist() == [20.0, 30.0]
    assert "not-per-item" in codes(scores)


def test_trap_3_spellings_of_str_are_numbers_and_others_are_not(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", ["True", "0.5", "False", None])
    found = items(rb.read(tmp_path))
    assert np.sort(found.values[:, 0])[:3].tolist() == [0.0, 0.5, 1.0]
    assert np.isnan(found.values).sum() == 1
    other = tmp_path / "other"
    write_simple(other, "a", [1.0, "yes"])
    with pytest.raises(
        rb.DataError, match=r"samples_arc_.*row 2: the score 'yes' of the metric 'acc'"
    ):
        rb.read(other)


def test_trap_4_rows_are_paired_by_document_not_by_order(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0, 0.0])
    rows = lm_rows({"acc": [0.0, 1.0, 0.0]}, ids=[2, 0, 1])
    write_lm_eval(tmp_path, "b", {"arc": {"acc,none": 1 / 3}}, rows={"arc": rows})
    found = items(rb.read(tmp_path))
    assert np.array_equal(found.values[:, 0], found.values[:, 1])


def test_trap_5_of_two_runs_in_one_file_the_last_counts(tmp_path: Path) -> None:
    rows = [*lm_rows({"acc": [1, 1, 1]}), *lm_rows({"acc": [0, 0]})]
    write_lm_eval(tmp_path, "a", {"arc": {"acc,none": 0.0}}, rows={"arc": rows},
                  n_samples={"arc": {"effective": 2}})  # fmt: skip
    scores = rb.read(tmp_path)
    assert items(scores).values.tolist() == [[0.0], [0.0]]
    assert "appended" in codes(scores)


def test_trap_6_groups_are_categories_of_their_parts(tmp_path: Path) -> None:
    values = {name: {"acc,none": 0.5, "acc_stderr,none": 0.1}
              for name in ("mmlu", "mmlu_stem", "mmlu_physics", "mmlu_law")}  # fmt: skip
    parts = {"mmlu": ["mmlu_stem", "mmlu_law"], "mmlu_stem": ["mmlu_physics"],
             "mmlu_physics": [], "mmlu_law": []}  # fmt: skip
    write_lm_eval(tmp_path, "a", values, group_subtasks=parts, groups={"mmlu": {}})
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["mmlu_law", "mmlu_physics"]
    assert scores.info["mmlu_physics"].category == "mmlu_stem"
    assert scores.info["mmlu_law"].category == "mmlu"
    assert "groups" in codes(scores)


def test_a_whole_without_its_parts_is_a_task(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "a", {"mmlu": {"acc,none": 0.5}}, group_subtasks={"mmlu": ["x", "y"]})
    assert list(rb.read(tmp_path).tasks) == ["mmlu"]


def test_trap_8_models_without_samples_make_published_values_count(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    write_lm_eval(tmp_path, "b", {"arc": {"acc,none": 0.9, "acc_stderr,none": 0.01}})
    scores = rb.read(tmp_path)
    assert estimates(scores).mean.tolist() == [0.5, 0.9]
    assert "no-items" in codes(scores)


def test_trap_9_no_text_is_kept(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    write_simple(tmp_path, "b", [1.0, 1.0])
    scores = rb.read(tmp_path)
    assert "SECRET" not in repr((scores, [items(scores)], scores.notes, scores.info))


def test_trap_10_spellings_of_a_wrapper(tmp_path: Path) -> None:
    values = {"aime": {"accuracy_avg": 0.3, "accuracy_std_err": 0.02, "num_total": 30}}
    write_lm_eval(tmp_path, "a", values)
    found = estimates(rb.read(tmp_path), "aime")
    assert found.se is not None
    assert (found.mean[0], found.se[0]) == (0.3, 0.02)


def test_standard_errors_that_are_no_numbers_are_absent(tmp_path: Path) -> None:
    values = {"t": {"acc,none": 0.5, "acc_stderr,none": "N/A"},
              "u": {"acc,none": 0.5, "acc_stderr,none": []}}  # fmt: skip
    write_lm_eval(tmp_path, "a", values)
    scores = rb.read(tmp_path)
    assert [estimates(scores, task).se for task in "tu"] == [None, None]


def test_the_headline_is_the_first_metric_of_the_task(tmp_path: Path) -> None:
    values = {"t": {"acc,none": 0.5, "acc_norm,none": 0.6}}
    configs = {"t": {"metric_list": [{"metric": "acc_norm"}, {"metric": "acc"}]}}
    write_lm_eval(tmp_path, "a", values, configs=configs)
    scores = rb.read(tmp_path)
    assert scores.info["t"].metric == "acc_norm"
    assert any("'acc'" in note.message for note in scores.notes if note.code == "metric")
    assert rb.read(tmp_path, metric="acc").info["t"].metric == "acc"
    with pytest.raises(rb.UnknownOptionError, match="Unknown metric 'f1'"):
        rb.read(tmp_path, metric="f1")


def test_recorded_direction_turns_scores(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "a", {"wiki": {"word_perplexity,none": 12.0}},
                  higher_is_better={"wiki": {"word_perplexity": False}})  # fmt: skip
    scores = rb.read(tmp_path)
    assert estimates(scores, "wiki").mean[0] == -12.0
    assert scores.info["wiki"].direction == "lower"


def test_a_recorded_direction_that_contradicts_the_registry_is_asked_about(tmp_path: Path) -> None:
    write_lm_eval(
        tmp_path, "a", {"wmt": {"ter,none": 60.0}}, higher_is_better={"wmt": {"ter": True}}
    )
    with pytest.raises(
        rb.DataError,
        match=r"says that higher is better for the metric 'ter'.*--direction ter=lower",
    ):
        rb.read(tmp_path)
    assert estimates(rb.read(tmp_path, direction="ter=lower"), "wmt").mean[0] == -60.0


def test_a_direction_of_null_is_settled_by_the_name(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "a", {"t": {"acc,none": 0.5}, "u": {"charm,none": 0.5}},
                  higher_is_better={"t": {"acc": None}, "u": {"charm": None}})  # fmt: skip
    with pytest.raises(rb.DataError, match="not known which side of 'charm'"):
        rb.read(tmp_path)
    assert rb.read(tmp_path, direction="charm=higher").info["t"].direction == "higher"


def test_different_task_hashes_are_refused_unless_told(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    write_simple(tmp_path, "b", [1.0, 1.0], task_hashes={"arc": digest("other")})
    with pytest.raises(
        rb.DataError, match=r"not given the same task. Task hash: .*--compare-anyway"
    ):
        rb.read(tmp_path)
    scores = rb.read(tmp_path, compare_anyway=True)
    assert items(scores).values.shape == (2, 2)
    assert "task-differs" in codes(scores)


@pytest.mark.parametrize("key", ["versions", "system_instruction_sha"])
def test_different_versions_and_instructions_are_refused(tmp_path: Path, key: str) -> None:
    one, two = ({"arc": 1}, {"arc": 2}) if key == "versions" else (None, "abc")
    write_simple(tmp_path, "a", [1.0, 0.0], **{key: one})
    write_simple(tmp_path, "b", [1.0, 1.0], **{key: two})
    with pytest.raises(rb.DataError, match="not given the same task"):
        rb.read(tmp_path)


def test_chat_templates_of_their_own_do_not_make_tasks_different(tmp_path: Path) -> None:
    for model in "ab":
        write_simple(tmp_path, model, [1.0, 0.0], task_hashes={"arc": digest(model)},
                     chat_template_sha=digest(f"template {model}"))  # fmt: skip
    assert rb.read(tmp_path).models == ("a", "b")


def test_other_targets_of_the_same_documents_are_refused(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    rows = lm_rows({"acc": [1.0, 0.0]})
    rows[0]["target_hash"] = digest("other")
    write_lm_eval(tmp_path, "b", {"arc": {"acc,none": 0.5}}, rows={"arc": rows})
    with pytest.raises(rb.DataError, match="1 of 2 items have another question or target"):
        rb.read(tmp_path)


def test_items_beyond_the_limit_of_a_run_are_missing_there(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0, 1.0, 1.0], config={"limit": 4}, task_hashes={"arc": "x"})
    write_simple(tmp_path, "b", [1.0, 1.0], config={"limit": 2}, task_hashes={"arc": "y"})
    scores = rb.read(tmp_path)
    assert np.isnan(items(scores).values).sum(axis=0).tolist() == [0, 2]
    with pytest.raises(rb.DataError, match=r"2 of 8 scores .* are missing"):
        rb.leaderboard(scores)


def test_runs_of_other_chosen_documents_are_of_one_task(tmp_path: Path) -> None:
    rows = lm_rows({"acc": [1.0, 0.0, 1.0, 1.0]})
    for model in "ab":
        for part, chosen in enumerate((rows[:2], rows[2:])):
            write_lm_eval(
                tmp_path,
                model,
                {"arc": {"acc,none": 0.5}},
                rows={"arc": chosen},
                time=f"2026-01-0{part + 1}T00-00-00.000000",
                n_samples={"arc": {"original": 9, "effective": 2}},
                task_hashes={"arc": digest(str(part))},
            )
    scores = rb.read(tmp_path, reruns="all")
    assert items(scores).values.shape == (4, 2)
    other = tmp_path / "b" / "samples_arc_2026-01-02T00-00-00.000000.jsonl"
    changed = other.read_text("utf-8").replace(rows[2]["target_hash"], digest("other"))
    other.write_text(changed, "utf-8")
    with pytest.raises(rb.DataError, match="1 of 4 items have another question or target"):
        rb.read(tmp_path, reruns="all")


def test_items_that_a_run_lost_are_missing_not_dropped(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0, 1.0])
    write_simple(tmp_path, "b", [1.0, 0.0], n_samples={"arc": {"effective": 3}})
    scores = rb.read(tmp_path)
    assert items(scores).values.shape == (3, 2)
    coverage = scores.info["arc"].coverage
    assert coverage is not None
    assert coverage.missing.tolist() == [0, 1]


def test_models_without_a_common_item_cannot_be_paired(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0], config={"limit": 2}, task_hashes={})
    rows = lm_rows({"acc": [1.0]}, ids=[7])
    write_lm_eval(
        tmp_path, "b", {"arc": {"acc,none": 1.0}}, rows={"arc": rows}, config={"limit": 1},
        task_hashes={},
    )  # fmt: skip
    scores = rb.read(tmp_path)
    for missing in ("raise", "pairwise"):
        with pytest.raises(rb.DataError, match="no two models share a row"):
            rb.leaderboard(scores, missing=missing)
    assert len(rb.leaderboard(scores, missing="pairwise", test="welch").undominated()) == 2


def test_of_several_runs_the_newest_counts_or_all_are_repeats(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0], time=TIME)
    write_simple(tmp_path, "a", [1.0, 1.0], time=LATER)
    write_simple(tmp_path, "b", [0.0, 0.0])
    newest = rb.read(tmp_path)
    assert items(newest).values[:, 0].tolist() == [1.0, 1.0]
    assert "reruns" in codes(newest)
    every = items(rb.read(tmp_path, reruns="all"))
    assert sorted(every.values[:, 0].tolist()) == [0.5, 1.0]
    assert every.answers is not None
    assert every.answers[:, 0].tolist() == [2, 2]
    assert every.runs is None
    with pytest.raises(rb.UnknownOptionError, match="Did you mean 'newest'"):
        rb.read(tmp_path, reruns="newst")


def test_runs_of_all_models_are_kept_one_by_one(tmp_path: Path) -> None:
    for time, first in ((TIME, 1.0), (LATER, 0.0)):
        for model in "ab":
            write_simple(tmp_path, model, [first, 1.0], time=time)
    found = items(rb.read(tmp_path, reruns="all"))
    assert found.runs is not None
    assert found.runs.shape == (2, 2, 2)
    assert np.allclose(found.runs.mean(axis=1), found.values)


def test_different_runs_without_a_time_are_asked_about(tmp_path: Path) -> None:
    for folder, value in (("x", 0.5), ("y", 0.6)):
        (tmp_path / folder).mkdir()
        content = {"results": {"t": {"acc": value}}, "versions": {},
                   "config": {"model_args": "pretrained=m", "num_fewshot": 0}}  # fmt: skip
        (tmp_path / folder / "r.json").write_text(json.dumps(content))
    with pytest.raises(rb.DataError, match="no time says which is the newest"):
        rb.read(tmp_path)
    assert estimates(rb.read(tmp_path, reruns="all"), "t").mean[0] == pytest.approx(0.55)


def test_copies_of_a_run_count_once(tmp_path: Path) -> None:
    write_simple(tmp_path / "one", "a", [1.0, 0.0])
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    scores = rb.read(tmp_path, reruns="all")
    assert items(scores).answers is None
    assert "copies" in codes(scores)


def test_revisions_of_a_model_are_different_systems(tmp_path: Path) -> None:
    for revision in ("step1", "step2"):
        arguments = {
            "model": "hf",
            "model_args": f"pretrained=m,revision={revision}",
            "limit": None,
        }
        write_simple(tmp_path / revision, "m", [1.0, 0.0], config=arguments)
    scores = rb.read(tmp_path)
    assert scores.models == ("m (revision=step1)", "m (revision=step2)")
    assert "systems" in codes(scores)


def test_a_random_model_name_is_replaced_by_the_arguments(tmp_path: Path) -> None:
    write_simple(tmp_path, "a8Kx02Lp", [1.0], config={"model": "dummy", "model_args": "size=3"})
    scores = rb.read(tmp_path)
    assert scores.models == ("size=3",)
    assert "model-name" in codes(scores)


def test_items_without_a_unique_hash_are_paired_by_position(tmp_path: Path) -> None:
    for model in "ab":
        rows = lm_rows({"acc": [1.0, 0.0]})
        rows[1]["doc_hash"] = rows[0]["doc_hash"]
        write_lm_eval(tmp_path, model, {"arc": {"acc,none": 0.5}}, rows={"arc": rows})
    scores = rb.read(tmp_path)
    assert items(scores).ids == ("0", "1")
    assert "identity" in codes(scores)


def test_rows_without_filter_and_metrics_of_0_4_3(tmp_path: Path) -> None:
    rows = lm_rows({"acc": [1.0, 0.0], "acc_norm": [1.0, 1.0]}, filter=None, named=False)
    write_lm_eval(tmp_path, "a", {"arc": {"acc,none": 0.5}}, rows={"arc": rows})
    assert sorted(items(rb.read(tmp_path)).values[:, 0]) == [0.0, 1.0]
    assert items(rb.read(tmp_path, metric="acc_norm")).values[:, 0].tolist() == [1.0, 1.0]


def test_layout_of_0_4_0_with_a_list_in_a_jsonl_file(tmp_path: Path) -> None:
    rows = lm_rows({"acc": [1.0, 0.0]}, filter=None, named=False, hashed=False)
    content: dict[str, Any] = {
        "results": {"arc_easy": {"acc,none": 0.5}}, "configs": {"arc_easy": {}}, "versions": {},
        "n-shot": {"arc_easy": 0}, "config": {"model_args": "pretrained=org/m"},
    }  # fmt: skip
    (tmp_path / "results.json").write_text(json.dumps(content))
    (tmp_path / "pretrained__org__m_arc_easy.jsonl").write_text(json.dumps(rows, indent=2))
    scores = rb.read(tmp_path)
    assert scores.models == ("org/m",)
    assert items(scores, "arc_easy").ids == ("0", "1")
    assert items(scores, "arc_easy").values[:, 0].tolist() == [1.0, 0.0]


def test_samples_without_results_are_named_after_their_folder(tmp_path: Path) -> None:
    write_simple(tmp_path, "model-x", [1.0, 0.0]).unlink()
    scores = rb.read(tmp_path)
    assert scores.models == ("model-x",)
    assert items(scores).n == 2
    assert "name-from-file" in codes(scores)


def test_samples_of_two_models_in_one_folder_need_their_time(tmp_path: Path) -> None:
    for model in "ab":
        write_simple(tmp_path / model, "m", [1.0, 0.0], model_name=f"org/{model}")
    for model in "ab":
        source = tmp_path / model / "m" / f"results_{TIME}.json"
        source.rename(tmp_path / f"results_{model}.json")
    (tmp_path / "a" / "m" / f"samples_arc_{TIME}.jsonl").rename(tmp_path / "samples_arc.jsonl")
    shutil.rmtree(tmp_path / "b")
    with pytest.raises(rb.DataError, match=r"results of several models \(org/a, org/b\)"):
        rb.read(tmp_path)


def test_clusters_come_from_a_key_of_the_document(tmp_path: Path) -> None:
    for model in "ab":
        write_simple(tmp_path, model, [1.0, 0.0, 1.0, 0.0])
    found = items(rb.read(tmp_path, columns={"cluster": "subject"}))
    assert found.clusters is not None
    assert sorted(np.bincount(found.clusters)) == [2, 2]
    with pytest.raises(rb.DataError, match="4 of 4 items have no cluster"):
        rb.read(tmp_path, columns={"cluster": "topic"})


def test_redacted_items_have_no_readable_name(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    plain, hidden = items(rb.read(tmp_path)), items(rb.read(tmp_path, redact=True))
    assert plain.ids is not None
    assert hidden.ids is not None
    assert not set(plain.ids) & set(hidden.ids)
    assert np.array_equal(plain.values, hidden.values)


def test_scores_on_two_scales_are_refused(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "a", {"t": {"acc,none": 0.73}})
    write_lm_eval(tmp_path, "b", {"t": {"acc,none": 73.0}})
    with pytest.raises(rb.DataError, match="two scales"):
        rb.read(tmp_path)


def test_items_that_disagree_with_the_published_value_are_said(tmp_path: Path) -> None:
    write_lm_eval(tmp_path, "a", {"arc": {"acc,none": 0.9}},
                  rows={"arc": lm_rows({"acc": [1.0, 0.0]})})  # fmt: skip
    assert "published-differs" in codes(rb.read(tmp_path))


def test_an_infinite_score_is_refused(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, float("inf")])
    with pytest.raises(rb.DataError, match=r"answer 2 of model 'a'.*infinite"):
        rb.read(tmp_path)


def test_a_folder_may_mix_formats(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    (tmp_path / "more.csv").write_text("model,task,item,score\na,math,1,1\na,math,2,0\n")
    (tmp_path / "config.json").write_text('{"nothing": "to see"}')
    scores = rb.read(tmp_path)
    assert list(scores.tasks) == ["arc", "math"]
    assert {entry.format for entry in scores.inputs} == {"lm-eval", "tidy"}
    assert "files-skipped" in codes(scores)


def test_options_of_tables_do_not_fit_logs(tmp_path: Path) -> None:
    write_simple(tmp_path, "a", [1.0, 0.0])
    with pytest.raises(rb.OptionError, match="rows describes tables"):
        rb.read(tmp_path, rows="folds")


def test_compressed_logs_are_read(tmp_path: Path) -> None:
    path = write_simple(tmp_path, "a", [1.0, 0.0])
    for file in list(path.parent.iterdir()):
        file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert items(rb.read(tmp_path)).n == 2


# Wrong, cut and hostile input

START = b'{"results": {"t": {"acc,none": '
END = b'}}, "configs": {}, "n-shot": {}}'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (START + b"1", "ends too early"),
        (b'{"results": {}, "configs": {}, "n-shot": {}}', "no value of any metric"),
        (b'{"results": [1], "configs": 3, "n-shot": null}', "no value of any metric"),
        (START + b"[" * 100_000, "nested too deeply"),
        (START + b"9" * 5000 + END, "number cannot be read"),
        (START + b"9" * 4000 + END, "no value of any metric"),
        (START + b"\xff" + END, "not UTF-8"),
    ],
)
def test_damaged_results_give_one_clear_message(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / f"results_{TIME}.json"
    path.write_bytes(content)
    with pytest.raises(rb.ReadError, match=message) as failure:
        rb.read(path)
    assert path.name in str(failure.value)
    with pytest.raises(rb.ReadError):
        rb.read(path, format="lm-eval")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"doc_id": 2, "acc": 1', "row 3: the JSON ends too early"),
        ('{"doc_id": 2, "acc": 1]\n', "row 3: the text is not JSON"),
        ("[1]\n", "row 3: the line holds a list"),
        ('{"acc": 1}\n', "row 3: there is no doc_id"),
        ('{"doc_id": {}, "acc": 1}\n', "row 3: there is no doc_id"),
        ('{"doc_id": 2, "doc": ' + "[" * 100_000 + "\n", "row 3: the JSON is nested too deeply"),
    ],
)
def test_damaged_samples_name_file_and_row(tmp_path: Path, line: str, message: str) -> None:
    path = write_simple(tmp_path, "a", [1.0, 0.0])
    samples = path.with_name(f"samples_arc_{TIME}.jsonl")
    samples.write_text(samples.read_text() + line)
    with pytest.raises(rb.ReadError, match=message) as failure:
        rb.read(sorted(path.parent.iterdir()))
    assert samples.name in str(failure.value)


def test_a_compressed_bomb_is_refused(tmp_path: Path) -> None:
    path = write_simple(tmp_path, "a", [1.0, 0.0])
    samples = path.with_name(f"samples_arc_{TIME}.jsonl")
    line = json.dumps(lm_rows({"acc": [1.0]})[0] | {"filler": " " * 8_000_000}) + "\n"
    bomb = gzip.compress(samples.read_bytes() + line.encode() * 10)
    samples.with_name(f"{samples.name}.gz").write_bytes(bomb)
    samples.unlink()
    with pytest.raises(rb.ReadError, match="more than 300 times"):
        rb.read(sorted(path.parent.iterdir()))


@pytest.mark.slow
def test_samples_are_streamed(tmp_path: Path) -> None:
    path = write_simple(tmp_path, "a", [1.0, 0.0])
    rows = 40_000
    filler = "x" * 5_000
    with path.with_name(f"samples_arc_{TIME}.jsonl").open("w") as out:
        for number in range(rows):
            row = lm_rows({"acc": [number % 2]}, ids=[number])[0]
            out.write(json.dumps(row | {"doc": {"text": filler}}) + "\n")
    assert peak_kilobytes(tmp_path, rows) < 250_000  # kB, for a file of 200 MB

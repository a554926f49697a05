"""``rankbars compare``: from two models' results to a verdict."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from commandline import Command, answer, table
from logfiles import write_simple
from storefiles import add

import rankbars as rb
from rankbars.stats.pairwise.discordance import largest_tail


def write(name: str, lines: list[str]) -> str:
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return name


def two_files(items: int = 40) -> tuple[str, str]:
    """One file per model, without a column for the model."""
    rows = [line.split(",", 1) for line in table((2, 2, items))[1:]]
    names = []
    for model, name in (("m0", "new.csv"), ("m1", "old.csv")):
        body = [rest for other, rest in rows if other == model]
        names.append(write(name, ["task,item,score", *body]))
    return names[0], names[1]


def test_the_order_of_files_counts_where_the_files_name_the_models(rankbars: Command) -> None:
    lines = table((2, 2, 40))
    files = [
        write(f"{name}.csv", [lines[0], *(line for line in lines if line.startswith(model))])
        for name, model in (("x", "m1"), ("y", "m0"))
    ]
    assert "m1 is worse than m0" in rankbars("compare", *files).out
    assert "m0 is better than m1" in rankbars("compare", *files[::-1]).out


def test_two_files_give_a_verdict(rankbars: Command) -> None:
    answer = rankbars("compare", *two_files())
    assert answer.code == 0
    assert "new is better than old on the average of 2 tasks (at 95 %)." in answer.out
    assert "Read 2 files" in answer.err


def test_the_first_file_is_the_first_model(rankbars: Command) -> None:
    first, second = two_files()
    answer = rankbars("compare", second, first)
    assert "old is worse than new" in answer.out


def test_json_holds_what_the_library_found(rankbars: Command, results: str) -> None:
    words = ("--models", "m0", "--models", "m2", "--alpha", "0.1", "--json")
    found = json.loads(rankbars("compare", results, *words).out)
    duel = rb.head_to_head(rb.read(results), "m0", "m2", alpha=0.1)
    assert (found["schema"], found["a"], found["b"]) == ("rankbars.head-to-head/1", "m0", "m2")
    assert duel.average is not None
    for entry, one in [
        (found["average"], duel.average),
        *zip(found["tasks"], duel.tasks.values(), strict=True),
    ]:
        for name in ("n", "difference", "low", "high", "se", "df", "detectable", "verdict"):
            assert entry[name] == getattr(one, name)
        assert (entry["ahead"], entry["behind"]) == (one.ahead, one.behind)


def keys_of(value: object) -> object:
    """The keys of an object and of the objects in it; null and numbers are the same."""
    if isinstance(value, dict):
        return {key: keys_of(one) for key, one in value.items() if key != "average"}
    return "list" if isinstance(value, list) else None


def test_json_of_one_task_has_the_shape_of_several(rankbars: Command, results: str) -> None:
    words = ("compare", results, "--models", "m0", "--models", "m1", "--json")
    several, one = (json.loads(rankbars(*words, *more).out) for more in ((), ("--tasks", "t1")))
    assert keys_of(one) == keys_of(several)
    assert one["main"] == one["tasks"][0]
    assert several["main"] == several["average"]


def test_the_p_value_is_that_of_both_sides(rankbars: Command, results: str) -> None:
    words = ("compare", results, "--models", "m0", "--models", "m1", "--test", "t", "--json")
    found = json.loads(rankbars(*words).out)
    for one in found["tasks"]:
        won, lost = sorted((one["ahead"], one["behind"]), reverse=True)
        (tail,) = largest_tail(one["n"], np.array([won]), np.array([lost]))  # right and wrong
        assert one["p_value"] == pytest.approx(2 * tail)
        assert one["p_value"] == pytest.approx(2 * min(one["p_better"], one["p_worse"]))
        assert (one["p_value"] <= 0.05) == (one["verdict"] != "cannot tell")


def test_json_has_null_where_there_is_no_number(rankbars: Command) -> None:
    lines = ["model,task,item,score", *(f"{m},t,{i},{i % 2}" for m in "ab" for i in range(5))]
    found = json.loads(rankbars("compare", write("same.csv", lines), "--json").out)
    task = found["tasks"][0]
    assert found["average"] is None
    assert task["low"] is None
    assert task["detectable"] is None
    assert task["verdict"] == "cannot tell"


@pytest.mark.parametrize("models", [1, 3, 40])
def test_anything_but_two_models_is_refused_with_their_names(
    rankbars: Command, models: int
) -> None:
    answer = rankbars("compare", write("in.csv", table((models, 1, 5))))
    assert answer.code == 1
    assert "m0" in answer.err
    if models > 1:
        assert f"found {models}" in answer.err
        assert "--models A --models B" in answer.err
    if models > 20:
        assert "and 20 more" in answer.err


@pytest.mark.parametrize(
    ("words", "code", "part"),
    [
        (("--models", "m0"), 2, "names 1"),
        (("--models", "m0", "--models", "m1", "--models", "m2"), 2, "names 3"),
        (("--models", "m0", "--models", "m0"), 1, "Two different models"),
        (("--models", "m0", "--models", "m7"), 2, "'m7'"),
        (("--models", "m0", "--models", "m1", "--alpha", "1"), 1, "alpha must be"),
        (("--models", "m0", "--models", "m1", "--test", "x"), 2, "'x'"),
        (("--models", "m0", "--models", "m1", "--tasks", "x"), 2, "'x'"),
        (("--models", "m0", "--models", "m1", "--missing", "x"), 2, "'x'"),
    ],
)
def test_wrong_words_are_answered(
    rankbars: Command, results: str, words: tuple[str, ...], code: int, part: str
) -> None:
    answer = rankbars("compare", results, *words)
    assert answer.code == code
    assert part in answer.err
    assert answer.out == ""


def test_gaps_of_other_models_do_not_matter(rankbars: Command) -> None:
    lines = [line for line in table() if not line.startswith("m2,t1,7,")]
    name = write("gap.csv", lines)
    assert rankbars("compare", name, "--models", "m0", "--models", "m1").code == 0
    answer = rankbars("compare", name, "--models", "m0", "--models", "m2")
    assert answer.code == 1
    assert "--missing pairwise" in answer.err
    words = ("--models", "m0", "--models", "m2", "--missing")
    pairwise = rankbars("compare", name, *words, "pairwise")
    assert pairwise.code == 0
    assert "1 rows of m0 and 0 of m2" in pairwise.out
    dropped = rankbars("compare", name, *words, "drop_models")
    assert dropped.code == 1
    assert "leaves out 'm2'" in dropped.err


def test_tasks_are_chosen(rankbars: Command, results: str) -> None:
    words = ("--models", "m0", "--models", "m1", "--tasks", "t1", "--json")
    found = json.loads(rankbars("compare", results, *words).out)
    assert [task["name"] for task in found["tasks"]] == ["t1"]


@pytest.mark.parametrize("name", ["x" * 300, "日本語のモデル" * 5, "a\tb", "é|*_`"])
def test_lines_fit_eighty_columns_whatever_the_names(rankbars: Command, name: str) -> None:
    from rich.cells import cell_len

    lines = [line.replace("t0", f'"{name}"') for line in table((2, 3, 30))]
    answer = rankbars("compare", write("in.csv", lines))
    assert answer.code == 0
    assert max(map(cell_len, answer.out.splitlines())) <= 80


def write_answers(name: str, right: int, items: int = 40, *, key: str = "q") -> str:
    """A file with the columns id and correct, in the format that its suffix names."""
    rows = [{"id": f"{key}{i}" if key else i, "correct": int(i < right)} for i in range(items)]
    if name.endswith(".jsonl"):
        return write(name, [json.dumps(row) for row in reversed(rows)])
    if name.endswith(".json"):
        return write(name, [json.dumps(rows)])
    if name.endswith(".parquet"):
        import duckdb

        values = ", ".join(f"('{row['id']}', {row['correct']})" for row in rows)
        duckdb.sql(f"COPY (SELECT * FROM (VALUES {values}) t(id, correct)) TO '{name}'")
        return name
    return write(name, ["id,correct", *(f"{row['id']},{row['correct']}" for row in rows)])


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet"])
@pytest.mark.parametrize("key", ["q", ""])
def test_two_files_with_id_and_correct_are_two_models(
    rankbars: Command, suffix: str, key: str
) -> None:
    base = write_answers(f"base.{suffix}", 20, key=key)
    tuned = write_answers(f"tuned.{suffix}", 30, key=key)
    if suffix == "tsv":
        for name in (base, tuned):
            Path(name).write_text(Path(name).read_text().replace(",", "\t"))
    found = json.loads(rankbars("compare", base, tuned, "--json").out)
    task = found["tasks"][0]
    assert (found["a"], found["b"]) == ("base", "tuned")
    assert (task["n"], task["ahead"], task["behind"]) == (40, 0, 10)
    assert task["difference"] == pytest.approx(-0.25)


def test_rows_with_an_id_are_paired_by_it_whatever_their_order(rankbars: Command) -> None:
    base, tuned = write_answers("base.csv", 20), write_answers("tuned.jsonl", 30)
    found = json.loads(rankbars("compare", tuned, base, "--json").out)
    assert (found["a"], found["b"]) == ("tuned", "base")
    assert (found["tasks"][0]["ahead"], found["tasks"][0]["behind"]) == (10, 0)


def test_a_model_an_id_and_a_score_are_paired_by_the_id(rankbars: Command) -> None:
    lines = ["model,id,score"]
    lines += [f"a,{i},{int(i < 30)}" for i in range(40)]
    lines += [f"b,{i},{int(i < 20)}" for i in reversed(range(40))]
    found = json.loads(rankbars("compare", write("in.csv", lines), "--json").out)
    assert (found["tasks"][0]["n"], found["tasks"][0]["ahead"]) == (40, 10)


def test_files_with_different_ids_stop_and_name_the_policies(rankbars: Command) -> None:
    base, tuned = write_answers("base.csv", 20), write_answers("tuned.csv", 30, items=30)
    answer = rankbars("compare", base, tuned)
    assert answer.code == 1
    assert "--missing pairwise" in answer.err
    assert rankbars("compare", base, tuned, "--missing", "pairwise").code == 0


@pytest.mark.parametrize("order", [("z", "a"), ("a", "z")])
def test_the_order_of_folders_counts(rankbars: Command, order: tuple[str, str]) -> None:
    # The folders sort one way and their models the other.
    for folder, model, right in (("a", "zeta", 40), ("z", "alpha", 20)):
        write_simple(Path(folder), model, [int(i < right) for i in range(60)])
    found = json.loads(rankbars("compare", *order, "--json").out)
    models = {"a": "zeta", "z": "alpha"}
    assert (found["a"], found["b"]) == (models[order[0]], models[order[1]])
    assert found["tasks"][0]["difference"] == pytest.approx(1 / 3 if order[0] == "a" else -1 / 3)


def test_the_order_of_several_files_for_each_model_counts(rankbars: Command) -> None:
    lines = table((2, 2, 40))
    for model, name in (("m0", "b"), ("m1", "a")):
        for task in ("t0", "t1"):
            rows = [line for line in lines if line.startswith(f"{model},{task},")]
            write(f"{name}-{task}.csv", [lines[0], *rows])
    files = ["b-t0.csv", "b-t1.csv", "a-t0.csv", "a-t1.csv"]
    assert "m0 is better than m1" in rankbars("compare", *files).out
    assert "m1 is worse than m0" in rankbars("compare", *files[::-1]).out


@pytest.mark.parametrize("words", [("m0", "m2"), ("m2", "m0")])
def test_named_models_are_compared_in_the_order_of_their_names(
    rankbars: Command, results: str, words: tuple[str, str]
) -> None:
    answer = rankbars("compare", results, "--models", words[0], "--models", words[1], "--json")
    found = json.loads(answer.out)
    assert (found["a"], found["b"]) == words


def test_two_logs_of_one_model_are_two_sides_called_after_their_folders(rankbars: Command) -> None:
    for folder, dtype in (("new", "bfloat16"), ("old", "float16")):
        config = {"model": "hf", "model_args": f"pretrained=m,dtype={dtype}", "limit": None}
        write_simple(Path(folder), "m", [i % 2 for i in range(40)], config=config)
    answer = rankbars("compare", "new", "old", "--json")
    found = json.loads(answer.out)
    assert (found["a"], found["b"], found["tasks"][0]["n"]) == ("new", "old", 40)


@pytest.mark.parametrize("order", [("b", "a"), ("a", "b")])
def test_inputs_get_the_names_that_are_given_with_them(
    rankbars: Command, order: tuple[str, str]
) -> None:
    for folder, right in (("a", 40), ("b", 20)):
        write_simple(Path(folder), "out", [int(i < right) for i in range(60)])
    found = json.loads(rankbars("compare", *(f"run {one}={one}" for one in order), "--json").out)
    assert [found["a"], found["b"]] == [f"run {one}" for one in order]
    assert found["tasks"][0]["difference"] == pytest.approx(1 / 3 if order[0] == "a" else -1 / 3)


def test_an_existing_path_wins_over_a_name(rankbars: Command) -> None:
    base, tuned = write_answers("base.csv", 20), write_answers("x=tuned.csv", 30)
    found = json.loads(rankbars("compare", tuned, base, "--json").out)
    assert (found["a"], found["b"]) == ("x=tuned", "base")


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        (("new=tuned.csv", "base.csv"), "base.csv has none"),
        (("new=tuned.csv", "new=base.csv"), "have the same name"),
        (("new=tuned.csv", "old=two.csv"), "two.csv holds 2 models ('m', 'n')"),
        (("new=tuned.csv", "old=nowhere.csv"), "nowhere.csv: there is no such file"),
    ],
)
def test_names_that_do_not_fit_their_inputs_are_told(
    rankbars: Command, inputs: tuple[str, str], said: str
) -> None:
    write_answers("base.csv", 20)
    write_answers("tuned.csv", 30)
    write("two.csv", ["model,id,correct", "m,1,1", "n,1,0"])
    answer = rankbars("compare", *inputs)
    assert answer.code == 1
    assert said in answer.err
    assert answer.out == ""


def write_smoke_run() -> None:
    """Two full runs of 60 items, and one of which only 10 were asked for."""
    write_simple(Path(), "full1", [i % 2 for i in range(60)])
    write_simple(Path(), "full2", [int(i % 3 > 0) for i in range(60)])
    config = {"model": "hf", "model_args": "pretrained=smoke", "limit": 10}
    write_simple(Path(), "smoke", [1] * 10, config=config)


CHOSEN = ("--models", "full2", "--models", "full1")


@pytest.mark.parametrize("stored", [False, True])
def test_a_third_model_with_few_items_does_not_cut_those_of_the_chosen(
    rankbars: Command, stored: bool
) -> None:
    write_smoke_run()
    if stored:
        add("full1", "full2", "smoke")
    inputs = ["board.duckdb"] if stored else ["full1", "full2", "smoke"]
    task = json.loads(rankbars("compare", *inputs, *CHOSEN, "--json").out)["tasks"][0]
    assert (task["n"], task["ahead"], task["behind"]) == (60, 20, 10)
    assert rankbars("rank", *inputs, *CHOSEN, "-o", "board.json").code == 0
    board = rb.load("board.json")
    assert board.models == ("full1", "full2")
    assert board.tasks["arc"].n == 60
    assert "2 of 3 models were chosen" in next(n.message for n in board.notes if n.code == "chosen")
    assert len([note for note in board.notes if note.code == "chosen"]) == 1
    unknown = rankbars("rank", *inputs, "--models", "full1", "--models", "nobody")
    assert unknown.code == 2
    assert "smoke" in unknown.err


def test_models_are_chosen_when_read_from_python(rankbars: Command) -> None:
    write_smoke_run()
    every, chosen = rb.read("."), rb.read(".", models=["full1", "full2"])
    assert (every.tasks["arc"].n, chosen.tasks["arc"].n) == (60, 60)
    assert chosen.models == ("full1", "full2")
    assert rankbars("rank", ".", *CHOSEN).code == 0


def test_a_table_with_a_short_third_model_keeps_all_items_of_the_chosen(
    rankbars: Command,
) -> None:
    lines = [line for line in table() if not line.startswith("m2,") or ",1," in line]
    words = ("--models", "m0", "--models", "m1")
    found = json.loads(rankbars("compare", write("in.csv", lines), *words, "--json").out)
    full = json.loads(rankbars("compare", write("full.csv", table()), *words, "--json").out)
    assert found["tasks"] == full["tasks"]


def test_two_errors_of_zero_are_said_to_be_that_and_a_number_of_items_helps(
    rankbars: Command,
) -> None:
    rows = [("a", 1, 0), ("b", 0.97, 0), ("c", 0.9, 0.03)]
    plain = ["model,task,score,se", *(f"{model},t,{score},{se}" for model, score, se in rows)]
    known = ["model,task,score,se,n", *(f"{line},100" for line in plain[1:])]
    pair = ("--models", "a", "--models", "b")
    said = rankbars("compare", write("plain.csv", plain), *pair)
    assert "Both scores were published with a standard error of 0" in said.out
    assert "no-spread" not in said.out
    board = rankbars("rank", write("known.csv", known), "-o", "board.json")
    assert board.code == 0
    task = rb.load("board.json").tasks["t"]
    assert task.se[:2] == pytest.approx([0.00976, 0.01922], abs=5e-6)
    largest = rankbars("rank", "plain.csv", "--zero-se", "largest", "-o", "largest.json")
    assert "The largest error of another model" in largest.out
    assert rb.load("largest.json").tasks["t"].se.tolist() == [0.03, 0.03, 0.03]


def test_scores_without_an_error_are_not_said_to_show_no_spread(rankbars: Command) -> None:
    lines = ["model,task,score", "a,t,0.9", "b,t,0.8"]
    said = rankbars("compare", write("bare.csv", lines)).out
    assert "No standard error is known of these scores, so there is no interval" in said


@pytest.mark.parametrize("error", ["-0.1", "inf"])
def test_an_error_that_is_negative_or_infinite_is_refused(rankbars: Command, error: str) -> None:
    lines = ["model,task,score,se", "a,t,0.9,0.1", f"b,t,0.8,{error}"]
    answer = rankbars("compare", write("wrong.csv", lines))
    assert answer.code == 1
    assert "the standard error must be 0 or more" in answer.err


def test_runs_that_share_an_effect_are_declared(rankbars: Command) -> None:
    rng = np.random.default_rng(7)
    lines = ["model,item,seed,score"]
    for model in "ab":
        shift = 0.1 * rng.normal(size=8) + (model == "a") * 0.4
        lines += [
            f"{model},{item},{seed},{shift[seed] + rng.normal():.6f}"
            for item in range(40)
            for seed in range(8)
        ]
    path = write("runs.csv", lines)
    usual, shared = (
        json.loads(rankbars("compare", path, "--json", *words).out)["tasks"][0]
        for words in ((), ("--runs", "shared"))
    )
    assert (usual["test"], shared["test"]) == ("t", "two_way")
    assert shared["se"] >= usual["se"]
    board = rankbars("rank", path, "--runs", "shared", "--quiet")
    assert board.code == 0
    assert "for these runs" not in board.out
    refused = rankbars("rank", path, "--runs", "shared", "--test", "t")
    assert refused.code == 1
    assert "chooses the test two_way" in refused.err


def test_tasks_on_different_scales_have_digits_of_their_own(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    lines = ["model,task,item,score"]
    for place, model in enumerate("ab"):
        for item in range(60):
            lines.append(f"{model},acc,{item},{int(rng.random() < 0.5 + 0.1 * place)}")
            lines.append(f"{model},rate,{item},{rng.uniform(20, 80):.1f}")
    (tmp_path / "mixed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    shown = answer(["compare", str(tmp_path / "mixed.csv")]).out
    assert re.search(r"^acc +[-+]0\.\d\d \[-0\.\d\d, [-+]0\.\d\d\]", shown, re.MULTILINE)
    assert re.search(r"^rate +[-+]\d+ \[-\d+, \+\d+\]", shown, re.MULTILINE)
    assert ">" not in shown


def two_metrics() -> str:
    """Two models, two metrics and two languages."""
    rng = np.random.default_rng(5)
    lines = [
        f"{model},i{i},{('de', 'en')[i % 2]},{int(rng.random() < share)},{rng.random():.3f}"
        for model, share in (("new", 0.7), ("old", 0.5)) for i in range(80)
    ]  # fmt: skip
    return write("metrics.csv", ["model,item,lang,accuracy,f1", *lines])


def test_verdicts_name_the_metric_and_the_rows_that_were_chosen(rankbars: Command) -> None:
    words = (two_metrics(), "--metric", "accuracy", "--where", "lang = 'de'", "--quiet")
    said = " ".join(rankbars("compare", *words).out.split())
    assert "(accuracy, rows with lang = 'de', at 95 %)." in said
    assert "Only rows with lang = 'de' count." in said
    said = " ".join(rankbars("check", *words, "--claim", "new > old").out.split())
    assert said.startswith("new is better than old on metrics (accuracy, rows with lang = 'de').")
    assert "Only rows with lang = 'de' count." in said


def test_beside_a_margin_the_interval_of_the_difference_is_said_where_it_is_another(
    rankbars: Command,
) -> None:
    answers = [f"new,{i},{int(i != 3)}\nold,{i},{int(i != 5)}" for i in range(25)]
    few = write("few.csv", ["model,item,accuracy", *answers])
    for path, apart in ((two_metrics(), False), (few, True)):
        out = rankbars("compare", path, "--margin", "0.2", "--metric", "accuracy", "-q").out
        said = " ".join(out.split())
        assert said.startswith("new is not worse than old by more than 0.2 on")
        assert said.count("Difference ") == 1
        assert ("Which of them is better is decided by another interval: " in said) is apart

"""``rankbars rank``: results in, a board out, and what happens to everything else."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from boardschema import board_schema
from commandline import Command, table

import rankbars as rb
from rankbars.render.page import render_html


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_the_board_goes_to_standard_output_and_what_was_read_to_standard_error(
    rankbars: Command, results: str
) -> None:
    answer = rankbars("rank", results)
    assert answer.code == 0
    assert "m0" in answer.out
    assert f"Read {results} as tidy" in answer.err
    assert "3 models, 4 tasks; 160 items (40 per task)" in answer.err
    assert "Direction: higher is better" in answer.err


def test_quiet_says_nothing_on_standard_error(rankbars: Command, results: str) -> None:
    loud, quiet = rankbars("rank", results), rankbars("rank", results, "--quiet")
    assert quiet.err == ""
    assert quiet.out == loud.out


def test_what_was_read_is_said_once_and_not_at_all_when_quiet(
    rankbars: Command, results: str
) -> None:
    loud, quiet = rankbars("rank", results), rankbars("rank", results, "--quiet")
    assert "Direction: higher is better" in loud.err
    assert "Direction: higher is better" not in loud.out
    assert "Direction: higher is better" not in quiet.out
    board = rankbars("rank", results, "--quiet", "-o", "-")
    assert "Direction: higher is better" in board.out


def test_options_out_of_range_are_told_before_anything_is_read(rankbars: Command) -> None:
    answer = rankbars("rank", "nowhere.csv", "--alpha", "2")
    assert answer.code == 1
    assert "alpha" in answer.err
    assert "nowhere.csv" not in answer.err


def test_json_on_standard_output_stands_alone_and_follows_the_schema(
    rankbars: Command, results: str
) -> None:
    answer = rankbars("rank", results, "-o", "-")
    board = json.loads(answer.out)
    jsonschema.validate(board, board_schema())
    assert board["models"] == ["m0", "m1", "m2"]


def test_all_files_hold_what_the_library_makes(rankbars: Command, results: str) -> None:
    answer = rankbars("rank", results, "-o", "b.json", "--html", "b.html", "--md", "b.md")
    assert answer.code == 0
    assert "Wrote b.json, b.html, b.md." in answer.err
    board = rb.leaderboard(rb.read(results))
    board.save("library.json")
    assert Path("b.json").read_bytes() == Path("library.json").read_bytes()
    assert Path("b.md").read_text("utf-8") == rankbars("show", "b.json", "--format", "md").out
    page = render_html(rb.leaderboard(rb.read(results), pairs=True))
    assert Path("b.html").read_text("utf-8") == page


def test_two_runs_write_the_same_bytes(rankbars: Command, results: str) -> None:
    files = [("1.json", "1.html", "1.md"), ("2.json", "2.html", "2.md")]
    for json_file, html, md in files:
        rankbars("rank", results, "-o", json_file, "--html", html, "--md", md)
    for one, other in zip(*files, strict=True):
        assert Path(one).read_bytes() == Path(other).read_bytes()


@pytest.mark.parametrize("target", ["--md", "--html"])
def test_one_other_result_may_go_to_standard_output(
    rankbars: Command, results: str, target: str
) -> None:
    name = {"--md": "b.md", "--html": "b.html"}[target]
    rankbars("rank", results, target, name)
    assert rankbars("rank", results, target, "-").out == Path(name).read_text("utf-8")


def test_options_reach_the_analysis(rankbars: Command, results: str) -> None:
    words = (
        "--test t --correction bonferroni --scope all --alpha 0.1 --merge quantile "
        "--alpha-overall 0.5 --aggregate tasks --missing listwise --seed 3 --jobs 1"
    )
    answer = rankbars("rank", results, "-o", "-", *words.split())
    spec = json.loads(answer.out)["spec"]
    expected = {
        "test": "t", "correction": "bonferroni", "scope": "all", "alpha": 0.1,
        "merge": "quantile", "alpha_overall": 0.5, "over": "tasks", "missing": "listwise",
        "seed": 3,
    }  # fmt: skip
    assert expected.items() <= spec.items()


def test_models_and_tasks_are_chosen_and_a_note_says_so(rankbars: Command, results: str) -> None:
    words = ("--models", "m0", "--models", "m2", "--tasks", "t1", "--tasks", "t3")
    answer = rankbars("rank", results, "-o", "-", *words)
    board = json.loads(answer.out)
    assert board["models"] == ["m0", "m2"]
    assert [task["name"] for task in board["tasks"]] == ["t1", "t3"]
    chosen = [note for note in board["notes"] if note["code"] == "chosen"]
    assert "2 of 3 models and 2 of 4 tasks" in chosen[0]["message"]
    assert "2 of 3 models" in answer.err


def test_categories_families_and_weights_come_from_files(rankbars: Command, results: str) -> None:
    tasks = [f"t{i}" for i in range(4)]
    write("c.csv", "".join(f"{task},kind {task}\n" for task in tasks))
    write("f.json", json.dumps(dict.fromkeys(tasks, "one source")))
    write("w.yaml", "".join(f"{task}: {i}\n" for i, task in enumerate(tasks)))
    words = ("--categories", "c.csv", "--families", "f.json", "--weights", "w.yaml")
    board = json.loads(rankbars("rank", results, "-o", "-", *words).out)
    assert [task["category"] for task in board["tasks"]] == [f"kind {task}" for task in tasks]
    assert {task["family"] for task in board["tasks"]} == {"one source"}
    assert [task["weight"] for task in board["tasks"]] == [0, 1, 2, 3]


def test_standard_input_is_read(rankbars: Command, results: str) -> None:
    content = Path(results).read_bytes()
    direct = json.loads(rankbars("rank", results, "-o", "-").out)
    piped = json.loads(rankbars("rank", "-", "-o", "-", stdin=content).out)
    assert piped["tasks"] == direct["tasks"]


def test_several_files_a_folder_and_a_pattern_are_one_input(rankbars: Command) -> None:
    lines = table()
    Path("in").mkdir()
    for model in ("m0", "m1", "m2"):
        rows = [line for line in lines if line.startswith(f"{model},")]
        write(f"in/{model}.csv", "\n".join([lines[0], *rows]))
    boards = [
        json.loads(rankbars("rank", *words, "-o", "-").out)["tasks"]
        for words in (("in/m0.csv", "in/m1.csv", "in/m2.csv"), ("in",), ("in/*.csv",))
    ]
    assert boards[0] == boards[1] == boards[2]


def test_columns_folds_and_directions_are_declared(rankbars: Command) -> None:
    lines = ["system,benchmark,part,rmse"]
    lines += [f"s{m},b,{i},{(i * 7 + m * 3) % 11 + m}" for m in range(3) for i in range(6)]
    name = write("cv.csv", "\n".join(lines))
    words = "--column item=part --column score=rmse --rows folds --folds 3 --direction lower -o -"
    task = json.loads(rankbars("rank", name, *words.split()).out)["tasks"][0]
    assert (task["kind"], task["test"], task["direction"]) == ("folds", "corrected_t", "lower")


def test_an_error_metric_without_a_direction_stops_with_the_line_to_paste(
    rankbars: Command,
) -> None:
    name = write("e.csv", "model,task,item,rmse\na,t,1,.5\na,t,2,.4\nb,t,1,.3\nb,t,2,.2\n")
    answer = rankbars("rank", name, "--column", "score=rmse")
    assert answer.code == 1
    assert "--direction" in answer.err
    assert "lower" in answer.err


# --- nothing is half-written -------------------------------------------------------------------


def test_a_folder_that_does_not_exist_is_refused_before_anything_is_read(
    rankbars: Command,
) -> None:
    answer = rankbars("rank", "no-such-file.csv", "-o", "none/board.json")
    assert answer.code == 1
    assert "none does not exist" in answer.err
    assert "no-such-file" not in answer.err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("-o", "x", "--md", "x"), "both write"),
        (("-o", "-", "--html", "-"), "both go to standard output"),
        (("--md", "results.csv"), "would overwrite an input"),
        (("-o", "."), "is a folder"),
    ],
)
def test_outputs_that_clash_are_refused(
    rankbars: Command, results: str, words: tuple[str, ...], part: str
) -> None:
    before = Path(results).read_bytes()
    answer = rankbars("rank", results, *words)
    assert answer.code == 1
    assert part in answer.err
    assert answer.out == ""
    assert Path(results).read_bytes() == before
    assert [path.name for path in Path().iterdir()] == [results]


def test_bad_data_leaves_what_was_there(rankbars: Command) -> None:
    write("board.json", "mine")
    write("bad.csv", "model,task,item,score\na,t,1,high\n")
    answer = rankbars("rank", "bad.csv", "-o", "board.json", "--md", "board.md")
    assert answer.code == 1
    assert Path("board.json").read_text() == "mine"
    assert not Path("board.md").exists()


# --- wrong options -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (("--test", "tt"), ("'tt'", "corrected_t", "cluster_t")),
        (("--correction", "hollm"), ("'hollm'", "Did you mean 'holm'", "bonferroni")),
        (("--merge", "joint2"), ("'joint2'", "Did you mean 'joint'", "quantile")),
        (("--scope", "al"), ("'al'", "Did you mean 'all'", "each")),
        (("--missing", "pairwse"), ("'pairwse'", "Did you mean 'pairwise'", "drop_models")),
        (("--aggregate", "item"), ("'item'", "Did you mean 'items'", "tasks")),
        (("--format", "csw"), ("'csw'", "tidy")),
        (("--rows", "fold"), ("'fold'", "Did you mean 'folds'", "runs")),
        (("--layout", "tidyy"), ("'tidyy'", "Did you mean 'tidy'", "items-by-models")),
        (("--direction", "down"), ("'down'", "lower, higher")),
        (("--direction", "lower", "--direction", "higher"), ("twice",)),
        (("--column", "score"), ("'score'", "ROLE=NAME")),
        (("--column", "scor=x"), ("'scor'", "score")),
        (("--column", "item=a", "--column", "item=b"), ("'item' is given twice",)),
        (("--models", "m9"), ("'m9'", "m0")),
        (("--tasks", "t"), ("'t'", "t0")),
        (("--alpha", "five"), ("--alpha", "five")),
        (("--folds", "2.5"), ("--folds", "2.5")),
        (("--mising", "fail"), ("--missing",)),
    ],
)
def test_wrong_usage_is_answered_with_what_is_known(
    rankbars: Command, results: str, words: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    answer = rankbars("rank", results, *words)
    assert answer.code == 2
    assert answer.out == ""
    for part in parts:
        assert part in answer.err


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (("--alpha", "0"), "alpha must be"),
        (("--alpha", "95"), "alpha must be"),
        (("--alpha", "nan"), "alpha must be"),
        (("--alpha-overall", "1"), "alpha_overall must be"),
        (("--seed", "-1"), "seed must be"),
        (("--jobs", "0"), "--jobs must be"),
        (("--rows", "folds", "--folds", "1"), "at least 2"),
        (("--rows", "folds", "--folds", "3", "--test-share", "2"), "between 0 and 1"),
        (("--test", "corrected_t"), "t0"),
        (("--test", "z"), "t0"),
        (("--weights", "none.csv"), "none.csv"),
        (("--test", "mcnemar", "--correction", "maxt"), "--correction holm"),
    ],
)
def test_values_out_of_range_are_named(
    rankbars: Command, results: str, words: tuple[str, ...], part: str
) -> None:
    answer = rankbars("rank", results, *words)
    assert answer.code == 1
    assert part in answer.err
    assert answer.out == ""


def test_help_names_every_method_the_library_knows(rankbars: Command) -> None:
    from rankbars.steps.corrections import CORRECTIONS
    from rankbars.steps.pairtests import TESTS
    from rankbars.steps.prediction import MERGE_NAMES

    text = " ".join(rankbars("rank", "--help").out.split())
    for name in (*TESTS, *CORRECTIONS, *MERGE_NAMES):
        assert name in text


# --- wrong input -------------------------------------------------------------------------------

HEADER = "model,task,item,score\n"
GOOD = "a,t,1,1\na,t,2,0\nb,t,1,0\nb,t,2,1\n"


@pytest.mark.parametrize(
    ("content", "parts"),
    [
        (HEADER + GOOD + "a,t,2,0\n", ("'a'", "'t'", "'2'")),
        (HEADER + GOOD + "a,t,3,high\n", ("high", "score")),
        (HEADER + GOOD + "a,t,3,inf\nb,t,3,1\n", ("infinit",)),
        ("", ("empty",)),
        (HEADER, ("bad.csv",)),
        (HEADER + "a,t,1,1\na,t,2,0\nb,t,3,0\nb,t,4,1\n", ("missing", "--missing")),
        (HEADER + GOOD + "a,t,3,1\n", ("missing", "--missing pairwise")),
        ("model,task,item,score,score\na,t,1,1,1\n", ("score", "twice")),
        ("system,method,task,item,score\na,a,t,1,1\n", ("system", "method")),
        ("colour,size\nred,1\n", ("bad.csv",)),
    ],
)
def test_wrong_tables_get_one_message_that_says_what_is_wrong(
    rankbars: Command, content: str, parts: tuple[str, ...]
) -> None:
    write("bad.csv", content)
    answer = rankbars("rank", "bad.csv", "-o", "board.json")
    assert answer.code == 1
    assert answer.out == ""
    assert "Error: " in answer.err
    for part in parts:
        assert part in answer.err
    assert not Path("board.json").exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("not.parquet", b"model,task,item,score\na,t,1,1\n"),
        ("cut.parquet", b"PAR1\x00\x01\x02"),
        ("cyrillic.csv", b"model,task,item,score\n\xec\xee\xe4\xe5\xeb\xfc,t,1,1\n"),
        ("nul.csv", b"\x00" * 64),
        ("cut.jsonl", b'{"model": "a", "task": "t", "item": 1, "score": 1}\n{"model": "a", "ta'),
        ("cut.csv", b"model,task,item,score\na,t,1,1\nb,t"),
    ],
)
def test_broken_files_are_named(rankbars: Command, name: str, content: bytes) -> None:
    Path(name).write_bytes(content)
    answer = rankbars("rank", name, "-o", "board.json")
    assert answer.code == 1
    assert name in answer.err
    assert not Path("board.json").exists()


def test_a_real_parquet_file_cut_in_the_middle_is_named(rankbars: Command, results: str) -> None:
    import duckdb

    duckdb.sql(f"copy (from '{results}') to 'whole.parquet'")
    content = Path("whole.parquet").read_bytes()
    Path("half.parquet").write_bytes(content[: len(content) // 2])
    assert rankbars("rank", "whole.parquet").code == 0
    answer = rankbars("rank", "half.parquet")
    assert answer.code == 1
    assert "half.parquet" in answer.err


@pytest.mark.parametrize("command", ["rank", "compare", "formats"])
def test_an_empty_word_is_not_the_current_folder(rankbars: Command, command: str) -> None:
    answer = rankbars(command, "")
    assert answer.code == 2
    assert "empty" in answer.err


@pytest.mark.parametrize("name", ["none.csv", "none/*.csv", "empty-folder"])
def test_what_is_not_there_is_named(rankbars: Command, name: str) -> None:
    Path("empty-folder").mkdir()
    answer = rankbars("rank", name)
    assert answer.code == 1
    assert name in answer.err


def test_models_swapped_with_items_are_recognised(rankbars: Command) -> None:
    lines = ["model,task,item,score"]
    lines += [f"question {i},t,run {j},{(i + j) % 2}" for i in range(4000) for j in range(3)]
    write("swapped.csv", "\n".join(lines))
    answer = rankbars("rank", "swapped.csv")
    assert answer.code == 1
    assert "swap" in answer.err


@pytest.mark.parametrize(
    "policy", ["pairwise", "listwise", "drop_models", "bounds", "fail --score-min 0"]
)
def test_every_line_offered_for_missing_scores_can_be_pasted(
    rankbars: Command, policy: str
) -> None:
    extra = "".join(f"c,t,{i},{i % 2}\nd,t,{i},1\n" for i in (1, 2))
    write("gap.csv", HEADER + GOOD + extra + "a,t,3,1\nb,t,3,0\nc,t,3,1\n")
    assert f"--missing {policy.split()[0]}" in rankbars("rank", "gap.csv").err
    assert rankbars("rank", "gap.csv", "--missing", *policy.split()).code == 0


@pytest.mark.parametrize("models", [1, 2])
def test_one_model_or_one_task_is_an_answer(rankbars: Command, models: int) -> None:
    write("small.csv", "\n".join(table((models, 1, 12))))
    answer = rankbars("rank", "small.csv", "-o", "-", "--quiet")
    board = json.loads(answer.out)
    assert answer.code == 0
    assert len(board["tasks"][0]["best"]) == models


def test_control_characters_in_names_do_not_reach_the_terminal(rankbars: Command) -> None:
    evil = "\x1b[2J\x1b]0;owned\x07"
    lines = [line.replace("m1", f"m1{evil}") for line in table((2, 2, 9))]
    write("evil.csv", "\n".join(lines))
    answer = rankbars("rank", "evil.csv", "--models", "m0", "--models", "nobody")
    assert answer.code == 2
    board = rankbars("rank", "evil.csv")
    assert board.code == 0
    for text in (*answer[1:], *board[1:]):
        assert "\x1b]" not in text
        assert "\x07" not in text


def test_declared_tries_count_in_the_score_of_the_leader(rankbars: Command, results: str) -> None:
    answer = rankbars("rank", results, "--variants", "m0=20", "-o", "b.json")
    board = json.loads(Path("b.json").read_text(encoding="utf-8"))
    assert board["winner"]["model"] == "m0"
    assert (board["winner"]["method"], board["winner"]["variants"]) == ("simultaneous", 20)
    assert board["spec"]["variants"] == {"m0": 20}
    assert "Score of the leader, allowing for its selection: " in answer.out
    assert rankbars("rank", results, "--variants", "m0").code == 2


def test_inputs_of_one_model_are_told_how_to_be_sides(rankbars: Command) -> None:
    for name in ("before", "after"):
        rows = "".join(f"agent,fix,{name}{number},1\n" for number in range(6))
        write(f"{name}.csv", f"model,task,item,score\n{rows}")
    said = " ".join(rankbars("rank", "after.csv", "before.csv").err.split())
    assert "name them as sides: rankbars rank after=after.csv before=before.csv." in said
    assert "To set them against each other: rankbars compare after.csv before.csv." in said
    refused = rankbars("check", "after.csv", "before.csv", "--claim", "new > old", "-q")
    assert refused.code == 2
    assert "name them as sides: new=after.csv old=before.csv" in refused.err
    assert rankbars("rank", "after=after.csv", "before=before.csv").code == 1  # no common items

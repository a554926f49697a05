"""Models and tasks of a store are renamed and retired; results stay as they were read."""

from __future__ import annotations

import csv
import itertools
import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
from storefiles import inside, remove

import rankbars as rb
from rankbars.cli.app import run
from rankbars.cli.readingoptions import _FLAGS
from rankbars.errors import RankbarsError
from rankbars.readers.collecting import is_same
from rankbars.store.access import open_store
from rankbars.store.contents import Store
from rankbars.store.naming import Telling, scores_of, tell
from rankbars.store.resultstore import KEPT_OPTIONS

STORE = "board.duckdb"


def write(model: str, skill: float, seed: int, tasks: tuple[str, ...] = ("algebra", "art")) -> None:
    dice = random.Random(seed)
    with Path(f"{model}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "task", "item", "correct"])
        for task in tasks:
            writer.writerows([model, task, item, int(dice.random() < skill)] for item in range(40))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of three models and two tasks, and its files."""
    folder = tmp_path_factory.mktemp("made")
    with inside(folder):
        for seed, (model, skill) in enumerate((("ash", 0.9), ("birch", 0.6), ("cedar", 0.3))):
            write(model, skill, seed)
        do("add", "ash.csv", "birch.csv", "cedar.csv")
    return folder


@pytest.fixture(autouse=True)
def folder(made: Path, tmp_path: Path) -> Iterator[None]:
    """Copies of them, to be changed."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    with inside(tmp_path):
        yield


def do(*words: str, code: int = 0) -> None:
    assert run([*words, "--store", STORE, "-q"]) == code


def held() -> rb.Scores:
    with open_store(STORE) as opened:
        return scores_of(opened)


def log(capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    assert run(["log", STORE]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_renamed_model_has_the_results_that_it_had() -> None:
    do("rename", "--model", "ash", "Oak 2", "--task", "art", "drawing")
    direct = rb.read(["ash.csv", "birch.csv", "cedar.csv"])
    expected = direct.rename(models={"ash": "Oak 2"}, tasks={"art": "drawing"})
    assert held().models == ("Oak 2", "birch", "cedar")
    assert is_same(held(), expected)


def test_results_that_come_later_have_the_new_name() -> None:
    do("rename", "--model", "ash", "oak")
    write("ash", 0.2, 9)
    do("add", "ash.csv")
    more = Path("more.csv")
    more.write_text(Path("ash.csv").read_text().replace("algebra", "music").replace("art", "song"))
    do("add", "more.csv")
    assert held().models == ("birch", "cedar", "oak")
    assert set(held().tasks) == {"algebra", "art", "music", "song"}


def test_a_retired_model_or_task_is_left_out_and_told(capsys: pytest.CaptureFixture[str]) -> None:
    do("retire", "--model", "cedar", "--task", "art", "--reason", "leaked")
    assert is_same(
        held(),
        rb.read(["ash.csv", "birch.csv", "cedar.csv"])
        .select(models=["ash", "birch"], tasks=["algebra"])
        .with_notes(note for note in held().notes if note.code == "retired"),
    )
    assert run(["rank", STORE, "-o", "board.json"]) == 0
    said = [note.message for note in rb.load("board.json").notes if note.code == "retired"]
    assert said == [
        "1 model is retired and left out: 'cedar' (leaked).",
        "1 task is retired and left out: 'art' (leaked).",
    ]
    do("retire", "--undo", "--model", "cedar", "--task", "art")
    assert held().models == ("ash", "birch", "cedar")
    assert not [note for note in held().notes if note.code == "retired"]
    assert held().names == ()


def test_a_model_that_is_retired_stays_so_when_it_comes_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    do("retire", "--model", "cedar")
    remove("cedar.csv")
    write("cedar", 0.4, 5)
    capsys.readouterr()
    assert run(["add", "cedar.csv", "--store", STORE]) == 0
    assert "1 model is retired and left out: 'cedar'." in capsys.readouterr().err
    assert held().models == ("ash", "birch")


def test_the_log_says_who_did_what(capsys: pytest.CaptureFixture[str]) -> None:
    do("rename", "--model", "ash", "oak", "--by", "Jane  Doe\n")
    do("retire", "--task", "art", "--reason", "answers leaked", "--by", "")
    lines = log(capsys)
    assert [line.partition(" is ")[2].partition(",")[0] for line in lines if "since" in line] == [
        "called oak", "retired (answers leaked)",
    ]  # fmt: skip
    assert lines[-2].split("  ")[2:] == ["Jane Doe", "Renamed the model ash: it is called oak now."]
    assert lines[-1].split("  ")[2:] == ["Retired the task art: answers leaked."]


@pytest.fixture(scope="module")
def untouched(made: Path) -> Iterator[Store]:
    with open_store(made / STORE) as opened:
        yield opened


def model(action: str, name: str, said: str = "") -> Telling:
    return Telling("model", action, name, said)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ([model("renamed", "asch", "oak")], "Unknown model 'asch'. Did you mean 'ash'?"),
        ([Telling("task", "renamed", "ash", "oak")], "Unknown task 'ash'."),
        ([model("renamed", "ash", "birch")], "There is a model 'birch' already"),
        ([model("renamed", "ash", "ash")], "is called so already"),
        ([model("renamed", "ash", "")], "A new name must be there"),
        ([model("renamed", "ash", " oak")], "without spaces around it"),
        ([model("renamed", "ash", "o\x1b[31mak")], "which cannot be shown"),
        ([model("renamed", "ash", "o\nak")], "which cannot be shown"),
        ([model("renamed", "ash", "x" * 301)], "301 characters"),
        ([model("renamed", "ash", "a\udc80")], "not a valid character"),
        ([model("renamed", "ash", "oak"), model("renamed", "ash", "elm")], "called 'oak' now"),
        ([model("renamed", "ash", "oak"), model("renamed", "birch", "ash")], "Choose another name"),
        ([model("retired", "elm")], "Unknown model 'elm'"),
        ([model("restored", "ash")], "is not retired"),
        ([model("merged", "ash", "oak")], "Unknown model 'oak'"),
        ([model("merged", "ash", "ash")], "is one model already"),
        ([model("retired", "ash"), model("merged", "ash", "birch")], "'ash' is retired"),
        ([model("parted", "ash", "birch")], "'ash' was not merged into 'birch'"),
        (
            [model("retired", name) for name in ("ash", "birch", "cedar")],
            "No model would be left",
        ),
        (
            [Telling("task", "retired", name) for name in ("art", "algebra")],
            "No task would be left",
        ),
        ([Telling("task", "retired", "art", "a\0b")], "which cannot be shown"),
    ],
)
def test_what_cannot_be_said_is_refused_before_anything_is_kept(
    told: list[Telling], said: str, untouched: Store
) -> None:
    with pytest.raises(RankbarsError) as error:
        tell(untouched, told)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["rename"], "Nothing is named"),
        (["rename", "--merge", "--part", "--model", "ash", "birch"], "say the opposite"),
        (["rename", "--merge", "--task", "art", "algebra"], "are about models"),
        (["retire", "--undo", "--model", "ash", "--reason", "x"], "leave it out with --undo"),
    ],
)
def test_commands_that_say_nothing_are_refused(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    do(*words, code=2)
    assert said in capsys.readouterr().err


def test_a_change_of_names_that_fails_leaves_all_names_as_they_were(
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = log(capsys)
    do("rename", "--model", "ash", "oak", "--model", "birch", "cedar", code=1)
    assert log(capsys) == before


def test_a_file_under_a_name_that_was_given_away_is_refused(
    capsys: pytest.CaptureFixture[str],
) -> None:
    do("rename", "--model", "ash", "oak")
    write("oak", 0.5, 4)
    do("add", "oak.csv", code=1)
    assert "results of another model 'oak'" in " ".join(capsys.readouterr().err.split())
    assert held().models == ("birch", "cedar", "oak")
    do("rename", "--model", "oak", "ash")
    do("add", "oak.csv")
    assert held().models == ("ash", "birch", "cedar", "oak")


def test_models_are_asked_for_under_their_names_of_today(
    capsys: pytest.CaptureFixture[str],
) -> None:
    do("rename", "--model", "ash", "oak")
    do("retire", "--model", "cedar", "--reason", "old")
    assert run(["rank", STORE, "-q", "--models", "oak", "--models", "birch"]) == 0
    assert run(["rank", STORE, "-q", "--models", "ash", "--models", "birch"]) == 1
    assert "The model 'ash' is called 'oak' now." in capsys.readouterr().err
    assert run(["rank", STORE, "-q", "--models", "cedar", "--models", "birch"]) == 1
    assert "The model 'cedar' is retired (old)." in capsys.readouterr().err


def test_a_board_keeps_what_was_said_of_names() -> None:
    do("rename", "--model", "ash", "oak")
    assert run(["rank", STORE, "-q", "-o", "board.json"]) == 0
    (fact,) = rb.load("board.json").names
    assert (fact.kind, fact.name, fact.called, fact.retired) == ("model", "ash", "oak", False)
    assert json.loads(Path("board.json").read_text())["names"][0]["since"] == fact.since
    rb.load("board.json").save("again.json")
    assert Path("again.json").read_bytes() == Path("board.json").read_bytes()


def test_names_of_votes_and_of_columns_of_a_matrix_change_as_well() -> None:
    Path("votes.csv").write_text(
        "model_a,model_b,winner\n" + "a,b,model_a\nb,c,model_b\nc,a,tie\n" * 9
    )
    Path("matrix.csv").write_text("task,a,b,c\nx,0.1,0.2,0.3\ny,0.25,0.35,0.15\n")
    for name in ("votes", "matrix"):
        words = ["--store", f"{name}.duckdb", "-q"]
        assert run(["add", f"{name}.csv", *words]) == 0
        assert run(["rename", "--model", "a", "new", *words]) == 0
        assert run(["retire", "--model", "c", *words]) == 0
        with open_store(f"{name}.duckdb") as opened:
            found = scores_of(opened)
        expected = rb.read(f"{name}.csv").rename(models={"a": "new"}).select(models=["new", "b"])
        assert found.models == ("b", "new")
        for task, evidence in expected.tasks.items():
            for field in ("values", "mean", "wins"):
                if hasattr(evidence, field):
                    one, two = getattr(evidence, field), getattr(found.tasks[task], field)
                    assert np.array_equal(one, two, equal_nan=True)


def test_what_somebody_wrote_over_names_is_damage(capsys: pytest.CaptureFixture[str]) -> None:
    do("rename", "--model", "ash", "oak")
    with duckdb.connect(STORE) as connection:
        connection.execute("UPDATE told SET kind = 'owner'")
    assert run(["rank", STORE, "-q"]) == 1
    assert "what is said of a name cannot be understood" in " ".join(
        capsys.readouterr().err.split()
    )


def test_all_results_of_a_model_are_removed_where_files_hold_nothing_else(
    capsys: pytest.CaptureFixture[str],
) -> None:
    do("rename", "--model", "ash", "oak")
    do("remove", "--model", "oak")
    assert held().models == ("birch", "cedar")
    before = log(capsys)
    do("remove", "--task", "art", code=1)
    said = " ".join(capsys.readouterr().err.split())
    assert "birch.csv, cedar.csv hold results of other tasks beside 'art'" in said
    assert "rankbars retire --task art --store board.duckdb" in said
    do("remove", "--model", "oka", code=2)
    do("remove", code=2)
    assert log(capsys) == before
    write("ash", 0.5, 8)
    do("add", "ash.csv")
    assert held().models == ("birch", "cedar", "oak")  # what was said of the name holds


def test_a_change_of_names_that_is_cut_off_leaves_no_trace(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = log(capsys)
    monkeypatch.setattr(Store, "_note", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert run(["rename", "--model", "ash", "oak", "--store", STORE]) == 130
    assert "Stopped" in capsys.readouterr().err
    monkeypatch.undo()
    assert log(capsys) == before
    assert held().models == ("ash", "birch", "cedar")


def test_a_store_is_changed_and_ranked_in_python() -> None:
    kept = rb.ResultStore(STORE, by="jane")
    kept.rename(models={"ash": "oak"})
    kept.retire(models=["cedar"], tasks="art", reason="old")
    assert rb.leaderboard(STORE).models == kept.scores().models == ("birch", "oak")
    assert {(one.name, one.retired) for one in kept.names()} == {
        ("ash", False), ("cedar", True), ("art", True),
    }  # fmt: skip
    assert {one.who for one in kept.log()[3:]} == {"jane"}
    kept.restore(tasks=["art"])
    assert set(rb.leaderboard(STORE).tasks) == {"algebra", "art"}
    with pytest.raises(rb.OptionError, match="Nothing is named"):
        kept.rename()


def test_files_are_added_in_python_as_the_command_adds_them(tmp_path: Path) -> None:
    rows = [f"{m},law,{i},{(i * k) % 7}" for m, k in (("a", 2), ("b", 3)) for i in range(40)]
    Path("new.csv").write_text("\n".join(["model,task,item,ms", *rows]), encoding="utf-8")
    Path("more.csv").write_text("model,task,item,ms\nc,law,1,2\n", encoding="utf-8")
    command = ["add", "new.csv", "--column", "score=ms", "--direction", "lower", "-q"]
    assert run([*command, "--store", "said.duckdb", "--by", "jane"]) == 0
    kept = rb.ResultStore("made.duckdb", by="jane")
    columns = {"score": "ms"}
    (event,) = kept.add("new.csv", columns=columns, direction="lower")
    assert (event.action, event.path, event.who) == ("added", "new.csv", "jane")
    said = rb.ResultStore("said.duckdb")
    assert [one[1:] for one in said.log()] == [one[1:] for one in kept.log()]
    assert rb.leaderboard("said.duckdb").to_text() == rb.leaderboard("made.duckdb").to_text()
    assert kept.add("new.csv") == []
    # Either one goes on where the other began.
    assert run(["add", "more.csv", "--direction", "lower", "--column", "score=ms", "-q",
                "--store", "made.duckdb"]) == 0  # fmt: skip
    assert kept.scores().models == ("a", "b", "c")
    with pytest.raises(rb.OptionError, match="all of a store is read in one way"):
        kept.add("more.csv", direction="higher")
    with pytest.raises(rb.UnknownOptionError, match="memory_limit"):
        kept.add("more.csv", memory_limit="1GB")


def test_a_store_keeps_the_options_that_the_command_has_a_flag_for() -> None:
    assert tuple(_FLAGS) == KEPT_OPTIONS


def two_names(first: str = "1,1\n2,0\n", second: str = "3,1\n4,0\n") -> None:
    """A store in which one model has rows under the names ``ash`` and ``ash-v1``."""
    Path(STORE).unlink()
    for name, rows in (("ash", first), ("ash-v1", second), ("birch", "1,0\n2,0\n3,1\n4,1\n")):
        lines = [f"{name},law,{row}" for row in rows.split()]
        Path(f"{name}.csv").write_text("\n".join(["model,task,item,correct", *lines]))
        do("add", f"{name}.csv")


def test_two_names_of_one_model_are_merged_and_parted(capsys: pytest.CaptureFixture[str]) -> None:
    two_names()
    apart = held()
    do("rename", "--merge", "--model", "ash-v1", "ash")
    assert held().models == ("ash", "birch")
    task = held().tasks["law"]
    by_row = dict(zip(task.ids, task.values.tolist(), strict=True))
    assert by_row == {"1": [1, 0], "2": [0, 0], "3": [1, 1], "4": [0, 1]}
    assert held().info["law"].coverage.scored.tolist() == [4, 4]
    Path("more.csv").write_text("model,task,item,correct\nash-v1,law,5,1\nbirch,law,5,1\n")
    do("add", "more.csv")  # what comes later under either name is the model's
    assert held().info["law"].coverage.scored.tolist() == [5, 5]
    remove("more.csv")
    do("rename", "--part", "--model", "ash-v1", "ash")
    assert is_same(held(), apart)
    assert held().names == ()
    lines = log(capsys)
    assert lines[-1].endswith("Parted the model ash-v1 from ash.")
    assert any(line.endswith("Merged the model ash-v1 into ash.") for line in lines)


def test_a_merged_model_is_renamed_retired_and_asked_for_as_one() -> None:
    two_names()
    kept = rb.ResultStore(STORE)
    kept.merge(models={"ash-v1": "ash"})
    kept.rename(models={"ash": "Oak"})
    assert run(["rank", STORE, "-q", "--models", "Oak", "--models", "birch"]) == 0
    assert run(["rank", STORE, "-q", "--models", "ash", "--models", "birch"]) == 1
    assert {(one.name, one.called) for one in kept.names()} == {("ash", "Oak"), ("ash-v1", "Oak")}
    kept.retire(models="Oak", reason="old")
    (note,) = [note for note in kept.scores().notes if note.code == "retired"]
    assert note.message == "1 model is retired and left out: 'Oak' (old)."
    kept.restore(models=["Oak"])
    assert kept.scores().models == ("Oak", "birch")
    kept.part(models={"ash-v1": "Oak"})
    assert kept.scores().models == ("Oak", "ash-v1", "birch")
    kept.merge(models={"ash-v1": "Oak"})
    do("remove", "--model", "Oak")
    assert kept.scores().models == ("birch",)


def test_rows_that_both_names_have_count_once_where_they_agree(
    capsys: pytest.CaptureFixture[str],
) -> None:
    two_names(second="2,0\n3,1\n4,1\n")
    do("rename", "--merge", "--model", "ash-v1", "ash")
    assert held().info["law"].coverage.scored.tolist() == [4, 4]
    two_names(second="2,1\n3,1\n4,1\n")
    before = log(capsys)
    do("rename", "--merge", "--model", "ash-v1", "ash", code=1)
    said = " ".join(capsys.readouterr().err.split())
    assert "'ash' and 'ash-v1' are said to be one" in said
    assert "row '2' of task 'law', and not the same: 0 and 1." in said
    assert log(capsys) == before
    two_names()
    do("rename", "--merge", "--model", "ash-v1", "ash")
    Path("more.csv").write_text("model,task,item,correct\nash-v1,law,1,0\n")
    do("add", "more.csv", code=1)  # later files are held to it, too
    assert "row '1' of task 'law'" in " ".join(capsys.readouterr().err.split())


def test_votes_of_two_names_are_added_up_unless_they_are_against_each_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path(STORE).unlink()
    head = "model_a,model_b,winner\n"
    votes = "a,b,model_a\n" * 3 + "b,c,model_a\n" * 2 + "a2,b,model_b\n" + "c,a2,tie\n"
    Path("votes.csv").write_text(head + votes)
    do("add", "votes.csv")
    do("rename", "--merge", "--model", "a2", "a")
    Path("named.csv").write_text(head + votes.replace("a2", "a"))
    (found,), (named,) = held().tasks.values(), rb.read("named.csv").tasks.values()
    assert found.models == named.models
    assert np.array_equal(found.wins, named.wins)
    assert np.array_equal(found.ties, named.ties)
    Path("more.csv").write_text(head + "a,a2,model_a\na2,a,model_a\n")
    do("add", "more.csv", code=1)
    said = " ".join(capsys.readouterr().err.split())
    assert "2 votes of" in said
    assert "are about the two against each other" in said


def test_published_scores_of_two_names_are_merged_where_they_agree() -> None:
    Path(STORE).unlink()
    Path("matrix.csv").write_text("task,a,a2,b\nx,0.5,,0.3\ny,,0.4,0.2\nz,0.7,0.7,0.1\n")
    do("add", "matrix.csv", "--direction", "higher")
    do("rename", "--merge", "--model", "a2", "a")
    means = {task: one.mean.tolist() for task, one in held().tasks.items()}
    assert means == {"x": [0.5, 0.3], "y": [0.4, 0.2], "z": [0.7, 0.1]}
    Path("more.csv").write_text("task,a,a2,b\nw,0.5,0.6,0.3\n")
    do("add", "more.csv", code=1)


def test_a_board_after_a_merger_does_not_tell_a_new_name() -> None:
    two_names("1,1\n2,0\n3,1\n4,0\n", "1,1\n2,0\n3,1\n4,0\n")
    boards = [rb.leaderboard(STORE)]
    for words in (["--merge"], ["--part"]):
        do("rename", *words, "--model", "ash-v1", "ash")
        boards.append(rb.leaderboard(STORE))
    for old, new in itertools.pairwise(boards):
        assert rb.diff(old, new).renamed_models == ()

"""Submissions are looked at before they are in a store: nothing is refused by guess."""

from __future__ import annotations

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from render.hostile import NASTY
from storefiles import inside

import rankbars as rb
from rankbars.cli.app import run
from rankbars.errors import WriteError
from rankbars.render.submissiontext import submitted_json, submitted_markdown, submitted_text
from rankbars.store.access import open_store
from rankbars.store.naming import scores_of
from rankbars.tables.labels import find_alike

STORE = "board.duckdb"
TASKS = ("algebra", "art")
ROOT = Path(__file__).resolve().parent.parent.parent


def write(
    name: str,
    models: str | Iterable[str],
    skill: float = 0.5,
    *,
    tasks: Iterable[str] = TASKS,
    items: Iterable[int] = range(40),
    times: float = 1,
) -> str:
    models = [models] if isinstance(models, str) else list(models)
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["model", "task", "item", "correct"])
        for model in models:
            dice = random.Random(model)
            for task in tasks:
                writer.writerows(
                    [model, task, item, times * (dice.random() < skill)] for item in items
                )
    return name


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    with inside(folder):
        for model, skill in (("ash", 0.9), ("birch", 0.6), ("cedar", 0.3)):
            write(f"{model}.csv", model, skill)
        assert run(["add", "ash.csv", "birch.csv", "cedar.csv", "--store", STORE, "-q"]) == 0
    return folder


@pytest.fixture(autouse=True)
def folder(made: Path, tmp_path: Path) -> Iterator[None]:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    with inside(tmp_path):
        yield


def look(*paths: str, **options: Any) -> rb.Submitted:
    """What is found, and that the store stays as it is."""
    before = Path(STORE).read_bytes()
    found = rb.submit(list(paths), STORE, dry_run=True, **options)
    assert Path(STORE).read_bytes() == before
    assert not list(Path.cwd().glob("*.bak"))
    return found


def codes(found: rb.Submitted, level: str | None = None) -> list[str]:
    return sorted({one.code for one in found.findings if level in (None, one.level)})


def test_ranks_are_those_of_the_boards_before_and_after() -> None:
    write("elm.csv", "elm", 0.95)
    found = look("elm.csv")
    assert (found.ok, found.findings, found.models, found.tasks) == (True, (), ("elm",), TASKS)
    before = rb.leaderboard(rb.read(["ash.csv", "birch.csv", "cedar.csv"]))
    after = rb.leaderboard(rb.read(["ash.csv", "birch.csv", "cedar.csv", "elm.csv"]))
    spans = {
        name: tuple(
            (int(board.ranks.best[i]), int(board.ranks.worst[i]))
            for board in (before, after)
            for i in [board.models.index(name)]
        )
        for name in before.models
    }
    moved = {name: span for name, span in spans.items() if span[0] != span[1]}
    assert {name: one for name, *one in found.ranks if name != "elm"} == {
        name: list(span) for name, span in moved.items()
    }
    assert found.first == (before.undominated(), after.undominated())
    assert found.change is not None
    assert found.change.added_models == ("elm",)


def test_without_a_fault_it_is_added_and_else_the_store_stays() -> None:
    write("elm.csv", "elm")
    write("bad.csv", "fir", tasks=["algebar"])
    before = Path(STORE).read_bytes()
    assert not rb.submit("bad.csv", STORE).added
    assert Path(STORE).read_bytes() == before
    assert rb.submit("elm.csv", STORE, by="jane").added
    with open_store(STORE) as opened:
        assert opened.events[-1][1:3] == ("added", "elm.csv")
        assert opened.events[-1].who == "jane"
        assert scores_of(opened).models == ("ash", "birch", "cedar", "elm")
    again = look("elm.csv")
    assert (again.ok, codes(again), again.files) == (True, ["unchanged"], ())


Case = tuple[Callable[[], str], dict[str, Any], list[str], list[str]]
CASES: dict[str, Case] = {
    "unknown task": (
        lambda: write("s.csv", "elm", tasks=["algebra", "atr"]), {},
        ["unknown-task"], ["lacking-tasks"],
    ),
    "task that looks like another": (
        lambda: write("s.csv", "elm", tasks=["algebar", "art"]), {},
        ["unknown-task"], ["lacking-tasks", "look-alike"],
    ),
    "unknown items": (
        lambda: write("s.csv", "elm", items=range(20, 60)), {},
        ["not-ranked", "unknown-item"], ["lacking-items"],
    ),
    "more items that are allowed": (
        lambda: write("s.csv", "elm", items=range(50)), {"new_items": True}, ["not-ranked"], [],
    ),
    "half of the items": (
        lambda: write("s.csv", "elm", items=range(20)), {}, ["not-ranked"], ["lacking-items"],
    ),
    "percentages": (
        lambda: write("s.csv", "elm", times=100), {}, ["does-not-fit", "scale"], [],
    ),
    "a second set of answers": (
        lambda: write("s.csv", "ash"), {}, ["does-not-fit"], ["known-model"],
    ),
    "other answers in place of those": (
        lambda: write("ash.csv", "ash", 0.2), {}, [], ["known-model", "replaces"],
    ),
    "names that look like others": (
        lambda: write("s.csv", ["ASH", "ash ", "\u0441\u0435dar", "cedra", "ash\u200b"]), {},
        [], ["look-alike", "strange-name"],
    ),
    "no file": (lambda: "no.csv", {}, ["unreadable"], []),
    "an empty file": (
        lambda: str(Path("s.csv").write_text("") or "s.csv") and "s.csv", {}, ["unreadable"], [],
    ),
    "no rows": (lambda: write("s.csv", []), {}, ["unreadable"], []),
    "bytes": (
        lambda: str(Path("s.csv").write_bytes(bytes(range(256)) * 9)) and "s.csv", {},
        ["unreadable"], [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("made_by", "options", "faults", "warnings"), CASES.values(), ids=CASES)
def test_what_does_not_fit_is_a_fault_and_what_people_must_judge_a_warning(
    made_by: Callable[[], str], options: dict[str, Any], faults: list[str], warnings: list[str]
) -> None:
    found = look(made_by(), **options)
    assert codes(found, "fault") == faults
    assert codes(found, "warning") == warnings
    assert found.ok == (not faults)


@pytest.mark.parametrize(
    ("name", "known", "how"),
    [
        ("GPT-4o", "gpt-4o", "case or spaces"),
        ("gpt-4o\u00a0", "gpt-4o", "case or spaces"),
        ("\uff47pt-4o", "gpt-4o", "case or spaces"),
        ("gpt-4\u043e", "gpt-4o", "letters that look alike"),
        ("gpt-4\u200bo", "gpt-4o", "letters that look alike"),
        ("gpt-40", "gpt-4o", "letters that look alike"),
        ("gpt_4o", "gpt-4o", "spaces or punctuation"),
        ("gpt 4o", "gpt4o", "spaces or punctuation"),
        ("mistral", "mistrall", "a letter or two"),
        ("mistarl", "mistral", "a letter or two"),
        ("claude-sonet-lst", "claude-sonnet-last", "a letter or two"),
        ("gpt-4", "gpt-5", None),
        ("llama-7b", "llama-8b", None),
        ("llama-70b", "llama-7b", None),
        ("model-a", "model-b", None),
        ("ash", "ask", None),  # so short that anything is near
        ("x" * 5000, "x" * 4999, None),
    ],
)
def test_names_are_alike_where_people_take_one_for_the_other(
    name: str, known: str, how: str | None
) -> None:
    expected = [] if how is None else [how]
    assert [found for _, found in find_alike(name, [known, name])] == expected
    assert [found for _, found in find_alike(known, [known, name])] == expected


def test_a_copy_of_another_model_is_told() -> None:
    text = Path("birch.csv").read_text()
    Path("copy.csv").write_text(text.replace("birch", "elm"))
    (finding,) = look("copy.csv").findings
    assert finding.message == (
        "'elm' has the same scores as 'birch' on all 80 items that both answered."
    )


def test_a_model_that_lacks_the_harder_items_is_told_and_one_that_lacks_any_is_not() -> None:
    right = dict.fromkeys(range(40), 0)
    for model in ("ash", "birch", "cedar"):
        with Path(f"{model}.csv").open(encoding="utf-8") as file:
            for row in csv.DictReader(file):
                right[int(row["item"])] += row["task"] == "algebra" and row["correct"] == "1"
    order = sorted(right, key=lambda item: -right[item])
    write("easy.csv", "dill", 0.9, tasks=("algebra",), items=order[:20])
    (found,) = [one for one in look("easy.csv").findings if one.code == "harder-rows"]
    assert found.level == "warning"
    assert found.message.startswith("algebra: The rows that a model lacks are harder")
    low, high = (sum(right[item] for item in part) / 60 for part in (order[20:], order[:20]))
    assert f"'dill' ({low:.2g} and {high:.2g})" in found.message
    write("any.csv", "dill", 0.9, tasks=("algebra",), items=order[::2])
    assert "harder-rows" not in [one.code for one in look("any.csv").findings]


def test_names_of_today_count_and_retired_ones_are_told() -> None:
    words = ["--store", STORE, "-q"]
    assert run(["rename", "--task", "art", "drawing", *words]) == 0
    assert run(["retire", "--model", "cedar", "--reason", "old", *words]) == 0
    write("elm.csv", "elm")  # under the name that the task has in files
    assert codes(look("elm.csv")) == []
    write("more.csv", ["cedar 2", "elm", "Cedar"])
    assert codes(look("more.csv")) == ["look-alike"]
    write("cedar.csv", "cedar", 0.8)
    found = look("cedar.csv")
    assert codes(found) == ["replaces", "retired"]
    assert found.models == ()


def test_days_of_votes_are_one_arena_whatever_their_files_are_called() -> None:
    def write_votes(name: str, models: str, count: int) -> None:
        dice = random.Random(name)
        rows = [[*dice.sample(models, 2), dice.choice(["model_a", "tie"])] for _ in range(count)]
        lines = [",".join(row) for row in [["model_a", "model_b", "winner"], *rows]]
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    for name, models in (("1.csv", "abc"), ("2.csv", "abcd"), ("3.csv", "ad"), ("4.csv", "xy")):
        write_votes(name, models, 80)
    Path(STORE).unlink()
    assert run(["add", "1.csv", "--store", STORE, "-q"]) == 0
    found = look("2.csv")
    assert (found.ok, codes(found), found.ranks[-1][1] is None) == (True, [], False)
    assert codes(look("2.csv", "3.csv")) == []
    assert codes(look("4.csv"), "fault") == ["not-ranked"]
    assert rb.submit("2.csv", STORE).added
    assert codes(look("3.csv")) == []


def test_a_board_file_says_how_ranks_are_made() -> None:
    write("elm.csv", "elm", items=range(20))
    board = rb.leaderboard(rb.read(["ash.csv", "birch.csv"]), missing="pairwise", alpha=0.1)
    found = look("elm.csv", spec=board.spec)
    assert found.ok
    assert found.level is not None
    assert (found.level.guarantee, found.level.alpha) == (0.9, 0.1)
    assert "elm" in {name for name, *_ in found.ranks}


def test_a_store_that_somebody_else_changes_meanwhile_is_left_to_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from rankbars import submissions

    write("elm.csv", "elm")
    write("fir.csv", "fir")
    diff = submissions.diff

    def slowly(*boards: rb.Leaderboard) -> Any:
        assert run(["add", "fir.csv", "--store", STORE, "-q"]) == 0
        return diff(*boards)

    monkeypatch.setattr(submissions, "diff", slowly)
    with pytest.raises(WriteError, match="Submit again; nothing was added"):
        rb.submit("elm.csv", STORE)
    with open_store(STORE) as opened:
        assert scores_of(opened).models == ("ash", "birch", "cedar", "fir")


def test_an_older_store_stays_as_it_is_in_a_dry_run() -> None:
    import gzip

    packed = ROOT / "tests" / "data" / "stores" / "items.schema4.duckdb.gz"
    Path(STORE).write_bytes(gzip.decompress(packed.read_bytes()))
    write("elm.csv", "elm", tasks=["algebra", "geometry"], items=range(12))
    assert look("elm.csv").ok


def test_what_is_printed_acts_on_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    write("s.csv", [*NASTY[:6], "x" * 3000], items=range(40))
    words = ["submit", "s.csv", "--store", STORE, "--dry-run", "--md", "said.md"]
    assert run(words) == 0
    shown = capsys.readouterr().out
    assert all(sign.isprintable() or sign == "\n" for sign in shown)
    said = Path("said.md").read_text("utf-8")
    assert said.startswith("<!-- rankbars:submit -->\n")
    assert "<script" not in re.sub(r"`[^`\n]*`", "", said)  # in code it acts on nothing
    assert len(said) < 65_536
    assert run([*words, "--json"]) == 0
    values = json.loads(capsys.readouterr().out)
    assert (values["schema"], values["ok"], values["added"]) == ("rankbars.submit/1", True, False)
    assert set(NASTY[:6]) <= {one["model"] for one in values["ranks"]}


def test_what_moves_all_and_what_is_found_everywhere_is_told_once() -> None:
    tasks = [f"t{k}" for k in range(9)]
    ranks = (("new", None, (1, 4)), ("a", (1, 3), (1, 4)), ("b", (2, 3), (3, 4)))
    findings = tuple(rb.Finding("fault", "scale", f"{task}: too large.") for task in tasks)
    first = ("a",), ("a", "new")
    found = rb.Submitted(STORE, ("s.csv",), ("new",), ("t",), findings, ranks, first, None, "task")
    text = " ".join(submitted_text(found).split())
    assert "9 faults" in text
    assert "t2: too large. - Fault: 6 more of this kind" in text
    assert "new new: 1–4 b 2–3 → 3–4 1 other model may rank further down only because" in text
    assert "May be first then, and not before: new. 1 model may be first as before." in text
    said = submitted_markdown(found)
    assert said.count("too large") == 3
    assert "| `a` |" not in said
    assert len(json.loads(submitted_json(found))["findings"]) == 9


def test_exit_codes_say_whether_there_is_a_fault(capsys: pytest.CaptureFixture[str]) -> None:
    write("bad.csv", "elm", tasks=["algebar"])
    words = ["--store", STORE, "--dry-run"]
    assert run(["submit", "bad.csv", *words, "--md", "said.md"]) == 1
    assert "❌" in Path("said.md").read_text("utf-8")
    assert run(["submit", "bad.csv", *words, "--new-tasks"]) == 0
    assert run(["submit", "bad.csv", "--store", "no.duckdb"]) == 1
    assert "there is no store" in capsys.readouterr().err
    assert run(["submit", STORE, *words]) == 1
    assert "A store cannot be submitted" in capsys.readouterr().err


# ------------------------------------------------------------------------- the workflow

PAGE = (ROOT / "docs" / "submissions.md").read_text("utf-8")
WORKFLOW = yaml.safe_load(PAGE.partition("```yaml\n")[2].partition("```")[0])


def test_the_comment_goes_to_standard_output_where_it_is_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["submit", write("elm.csv", "elm"), "--store", STORE, "--dry-run", "--md"]
    assert run([*words, "said.md"]) == 0
    capsys.readouterr()
    assert run([*words, "-"]) == 0
    assert capsys.readouterr().out == Path("said.md").read_text("utf-8")
    assert not Path("-").exists()
    assert run([*words, "-", "--json"]) == 2
    assert "only one result can" in capsys.readouterr().err


def test_the_workflow_gives_what_is_submitted_no_power() -> None:
    jobs = WORKFLOW["jobs"]
    assert WORKFLOW["permissions"] == {}
    assert jobs["examine"]["permissions"] == {"contents": "read"}
    assert jobs["comment"]["permissions"] == {"pull-requests": "write"}
    for name, job in jobs.items():
        for step in job["steps"]:
            if "run" in step:
                assert "${{" not in step["run"]
                subprocess.run(["bash", "-n", "-c", step["run"]], check=True)
            if name == "examine" and str(step.get("uses", "")).startswith("actions/checkout"):
                assert step["with"]["persist-credentials"] is False
    # Only the job that reads the request checks it out.
    said = json.dumps(jobs["comment"]) + json.dumps(jobs["publish"])
    assert "head.sha" not in said


@pytest.mark.parametrize(("task", "code"), [("art", 0), ("atr", 1)])
def test_the_workflow_examines_the_data_of_a_request(task: str, code: int) -> None:
    (step,) = (one for one in WORKFLOW["jobs"]["examine"]["steps"] if one.get("name") == "Examine")
    Path("results").mkdir()
    for model in ("ash", "birch", "cedar"):
        Path(f"{model}.csv").rename(f"results/{model}.csv")
    Path(STORE).unlink()
    assert run(["add", "results", "--store", STORE, "-q"]) == 0
    shutil.copytree("results", "request/results")
    write("request/results/elm.csv", "elm", 0.7, tasks=["algebra", task])
    Path("request/board.duckdb").write_bytes(b"another store")
    Path("request/results/link.csv").symlink_to("/etc/passwd")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=os.environ | {"PATH": path, "GITHUB_STEP_SUMMARY": "summary.md"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    assert re.search(r"1 file: results/elm\.csv\. Model elm on 2 tasks\.", done.stdout)
    assert Path("summary.md").read_text("utf-8") == Path("comment.md").read_text("utf-8")


def test_a_cell_without_a_score_is_a_task_that_is_lacking() -> None:
    tasks = [f"t{k}" for k in range(8)]
    rows = [f"{model}," + ",".join(str(50 + 5 * m + k) for k in range(8)) + "\n"
            for m, model in enumerate(["ash", "birch", "cedar", "dogwood"])]  # fmt: skip
    header = "Model," + ",".join(tasks) + "\n"
    Path("table.csv").write_text(header + "".join(rows), encoding="utf-8")
    Path("one.csv").write_text(header + "elm,n/a," + ",".join(["99"] * 7) + "\n", encoding="utf-8")
    store = "table.duckdb"
    assert run(["add", "table.csv", "--store", store, "-q"]) == 0
    found = rb.submit("one.csv", store, dry_run=True)
    assert found.tasks == tuple(tasks[1:])
    assert codes(found) == ["lacking-tasks"]
    assert "elm" in found.first[1]


def test_what_a_store_declares_of_tasks_that_a_submission_lacks_is_no_fault() -> None:
    header = "Model,perplexity,a,b,c,d,e,f,g\n"
    rows = [f"m{k}," + ",".join(str(10 * k + j + 5) for j in range(8)) + "\n" for k in range(4)]
    Path("table.csv").write_text(header + "".join(rows), encoding="utf-8")
    Path("part.csv").write_text("Model,a,b\nelm,20,21\n", encoding="utf-8")
    store = "directed.duckdb"
    given = ["--direction", "perplexity=lower", "--store", store, "-q"]
    assert run(["add", "table.csv", *given]) == 0
    found = rb.submit("part.csv", store, dry_run=True)
    assert (found.ok, found.tasks, codes(found)) == (True, ("a", "b"), ["lacking-tasks"])

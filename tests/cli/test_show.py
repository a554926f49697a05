"""``rankbars show`` and ``rankbars report``: a board file, shown again."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commandline import Command

import rankbars as rb
from rankbars.cli import outputs
from rankbars.render.exports import render_csv, render_latex
from rankbars.render.markdown import render_markdown
from rankbars.render.page import render_html


@pytest.fixture
def board(rankbars: Command, results: str) -> rb.Leaderboard:
    """A board that also lies in ``board.json``."""
    assert rankbars("rank", results, "-o", "board.json").code == 0
    return rb.load("board.json")


def test_text_is_the_default_and_what_rank_printed_with_what_was_read_below_it(
    rankbars: Command, results: str
) -> None:
    # Of items that are others on every task nothing is said below the board but what was read.
    printed = rankbars("rank", results, "--rows", "independent").out
    rankbars("rank", results, "--rows", "independent", "-o", "board.json")
    board, shown = rb.load("board.json"), rankbars("show", "board.json").out
    assert shown.startswith(printed)
    below = " ".join(shown.removeprefix(printed).split())
    assert below == " ".join(note.message for note in board.notes)
    assert "Direction: higher is better" in below


def test_every_format_is_that_of_the_library(rankbars: Command, board: rb.Leaderboard) -> None:
    expected = {
        "md": render_markdown(board),
        "csv": render_csv(board),
        "latex": render_latex(board),
        "json": Path("board.json").read_text("utf-8"),
    }
    for form, text in expected.items():
        answer = rankbars("show", "board.json", "--format", form)
        assert answer == (0, text, "")


@pytest.mark.parametrize("form", ["text", "md", "csv", "latex", "json"])
def test_one_task_is_shown_by_its_name(rankbars: Command, board: rb.Leaderboard, form: str) -> None:
    answer = rankbars("show", "board.json", "--task", "t2", "--format", form)
    assert answer.code == 0
    assert answer.out != rankbars("show", "board.json", "--format", form).out


def test_an_unknown_task_is_answered_with_the_known_ones(
    rankbars: Command, board: rb.Leaderboard
) -> None:
    answer = rankbars("show", "board.json", "--task", "t9")
    assert answer.code == 2
    assert "'t9'" in answer.err
    assert "t0" in answer.err


def test_methods_is_a_paragraph_with_the_settings_and_a_citation(
    rankbars: Command, board: rb.Leaderboard
) -> None:
    answer = rankbars("show", "board.json", "--methods")
    assert answer.code == 0
    assert "Holm" in answer.out
    assert "95" in answer.out
    assert "rankbars" in answer.out


def test_the_paragraph_fits_a_terminal_and_is_one_line_elsewhere(
    rankbars: Command, board: rb.Leaderboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = rankbars("show", "board.json", "--methods").out
    assert max(map(len, plain.splitlines())) > 400
    monkeypatch.setattr(outputs, "_is_terminal", lambda stream: True)
    monkeypatch.setenv("COLUMNS", "80")
    shown = rankbars("show", "board.json", "--methods").out
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.split() == plain.split()


@pytest.mark.parametrize(
    "words",
    [
        ("--methods", "--task", "t1"),
        ("--methods", "--format", "md"),
        ("--format", "markdwn"),
        ("--format",),
        (),
    ],
)
def test_options_that_do_not_go_together_are_wrong_usage(
    rankbars: Command, words: tuple[str, ...]
) -> None:
    path = ("board.json",) if words else ()
    assert rankbars("show", *path, *words).code == 2


def test_a_board_is_read_from_standard_input(rankbars: Command, board: rb.Leaderboard) -> None:
    content = Path("board.json").read_bytes()
    assert rankbars("show", "-", stdin=content).out == rankbars("show", "board.json").out


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (b"", "valid JSON"),
        (b"{}", "no schema"),
        (b"[]", "no schema"),
        (b'{"schema": "rankbars.board/2"}', "rankbars.board/2"),
        (b'{"schema": "rankbars.board/1"}', "damaged"),
        (b'{"schema": {"a": 1}}', "not a board file"),
        (b"model,task,score\na,t,1\n", "valid JSON"),
        (b"\xff\xfe\x00", "UTF-8"),
        (b"[" * 200_000, "valid JSON"),
        (b"PK\x03\x04board.json", "it is a ZIP archive. Unpack it"),
        (b"PK\x03\x04xl/workbook.xml", "it is a workbook (Excel). Save its sheet as CSV"),
        (b"PAR1\xff", "If it holds results: rankbars rank bad.json -o board.json"),
    ],
)
@pytest.mark.parametrize("command", [("show",), ("report", "-o", "page.html")])
def test_what_is_not_a_board_is_refused(
    rankbars: Command, content: bytes, part: str, command: tuple[str, ...]
) -> None:
    Path("bad.json").write_bytes(content)
    answer = rankbars(*command, "bad.json")
    assert answer.code == 1
    assert "bad.json" in answer.err
    assert part in answer.err
    assert not Path("page.html").exists()


def test_a_board_cut_anywhere_is_refused_without_a_traceback(
    rankbars: Command, board: rb.Leaderboard
) -> None:
    whole = Path("board.json").read_bytes()
    for end in range(0, len(whole) - 2, max(1, len(whole) // 40)):
        Path("cut.json").write_bytes(whole[:end])
        assert rankbars("show", "cut.json").code == 1


def test_a_board_with_any_one_value_gone_wrong_is_refused_or_shown(
    rankbars: Command, board: rb.Leaderboard
) -> None:
    """No damage to a single value ends in a traceback."""
    values = json.loads(Path("board.json").read_text("utf-8"))
    for key in values:
        for wrong in (None, 7, "x", [], {}, [[["x"]]], 10**40):
            Path("odd.json").write_text(json.dumps(values | {key: wrong}), encoding="utf-8")
            assert rankbars("show", "odd.json").code in (0, 1)


def test_a_page_is_written_and_needs_a_place(rankbars: Command, board: rb.Leaderboard) -> None:
    assert rankbars("report", "board.json", "-o", "page.html").code == 0
    assert Path("page.html").read_text("utf-8") == render_html(board)
    assert rankbars("report", "board.json").code == 2
    assert rankbars("report", "board.json", "-o", "none/page.html").code == 1
    assert rankbars("report", "board.json", "-o", "board.json").code == 1
    assert rb.load("board.json").models == board.models


def test_a_file_that_is_not_there_is_named(rankbars: Command) -> None:
    answer = rankbars("show", "none.json")
    assert answer.code == 1
    assert "none.json" in answer.err


def test_the_average_in_full(rankbars: Command, results: str) -> None:
    assert rankbars("rank", results, "-o", "b.json").code == 0
    answer = rankbars("show", "b.json", "--average")
    assert answer.code == 0
    assert "To compare" in answer.out
    assert "Tasks: every model has a score on all 4." in answer.out
    refused = rankbars("show", "b.json", "--average", "--format", "csv")
    assert refused.code == 2
    assert "--average: ask one question at a time" in refused.err


def test_a_board_that_says_what_none_can_say_ends_every_command_with_one_line(
    rankbars: Command, board: rb.Leaderboard
) -> None:
    values = json.loads(Path("board.json").read_text("utf-8"))
    values["tasks"][0]["worst"][0] = 99
    Path("odd.json").write_text(json.dumps(values), encoding="utf-8")
    for command in (
        ("show", "odd.json"),
        ("diff", "board.json", "odd.json"),
        ("report", "odd.json", "-o", "page.html"),
        ("plot", "odd.json", "ranks", "-o", "ranks.svg"),
    ):
        answer = rankbars(*command)
        assert (answer.code, answer.out, len(answer.err.splitlines())) == (1, "", 1)
        assert "it must lie within 1 to" in answer.err
    assert not Path("page.html").exists()
    assert not Path("ranks.svg").exists()


def test_a_board_that_was_changed_is_shown_with_a_note(
    rankbars: Command, board: rb.Leaderboard
) -> None:
    text = Path("board.json").read_text("utf-8")
    Path("changed.json").write_text(text.replace('"message": "', '"message": "No! '), "utf-8")
    answer = rankbars("show", "changed.json")
    assert answer.code == 0
    assert "changed after it was written" in " ".join(answer.out.split())


def test_differences_of_all_pairs_are_shown(rankbars: Command, board: rb.Leaderboard) -> None:
    answer = rankbars("show", "board.json", "--differences")
    assert answer.code == 0
    count = len(board) * (len(board) - 1) // 2
    assert answer.out.count(" − ") == count
    refused = rankbars("show", "board.json", "--differences", "--format", "md")
    assert refused.code == 2
    assert "--differences: ask one question at a time" in refused.err


def test_draws_of_one_task_and_of_an_average_are_shown_on_demand(
    rankbars: Command, results: str
) -> None:
    Path("scores.csv").write_text("model,task,score,se\na,x,.5,.02\nb,x,.55,.02\nc,x,.7,.02\n")
    for source in ("scores.csv", results):
        assert rankbars("rank", source, "-o", "board.json").code == 0
        shares = rb.load("board.json").rank_shares()
        words = ("show", "board.json", "--top", "2", "--dominance")
        plain = json.loads(rankbars(*words, "--format", "json").out)
        assert plain["most_likely"] == list(shares.top(2))
        assert [one["bonferroni"] for one in plain["pairs"]].count(True) == int(
            shares.state_pairs().stated.sum()
        )
        text = rankbars(*words).out
        assert "More likely than not among the first 2" in text
        assert "Benjamini and Hochberg" in text
    assert rankbars("show", "board.json", "--top", "2", "--average").code == 2
    answer = rankbars("show", "board.json", "--top", "9")
    assert (answer.code, answer.err.count("\n")) == (1, 1)


def test_the_first_rows_stand_alone_with_ranks_among_all(rankbars: Command, tmp_path: Path) -> None:
    table = "item,ash,birch,cedar,dogwood\n" + "".join(
        f"{i},{i % 2},{i % 3 > 0:d},{i % 5 > 0:d},{i % 7 > 0:d}\n" for i in range(90)
    )
    (tmp_path / "wood.csv").write_text(table, encoding="utf-8")
    ranked = rankbars("rank", "wood.csv", "-q", "--direction", "higher", "-o", "board.json")
    short = rankbars("rank", "wood.csv", "-q", "--direction", "higher", "--first", "2")
    rows = [line for line in ranked.out.splitlines() if "━" in line]
    assert [line for line in short.out.splitlines() if "━" in line] == rows[:2]
    assert "and 2 more; ranks are among all 4" in short.out
    assert rankbars("show", "board.json", "--first", "4").out == rankbars("show", "board.json").out
    for words in (["--json"], ["--top", "2"], ["--format", "md"]):
        refused = rankbars("show", "board.json", "--first", "2", *words)
        assert refused.code == 2
        assert "--first is for the printed table" in refused.err
    assert rankbars("rank", "wood.csv", "--first", "2", "-o", "-").code == 2


def test_why_says_whom_a_model_is_told_apart_from_and_counts_its_ranks_up(
    rankbars: Command, board: rb.Leaderboard
) -> None:
    for place, model in enumerate(board.models):
        found = json.loads(rankbars("show", "board.json", "--why", model, "--json").out)
        better, worse = board.shown_better[:, place], board.shown_better[place]
        assert len(found["above"]) == better.sum()
        assert len(found["below"]) == worse.sum()
        everybody = [*found["above"], *found["within"], *found["below"], model]
        assert sorted(everybody) == sorted(board.models)
        assert (found["best"], found["worst"]) == (
            board.ranks.best[place], board.ranks.worst[place],
        )  # fmt: skip
        text = rankbars("show", "board.json", "--why", model).out
        assert f"Shown better ({better.sum()})" in text
        assert found["decided"] in " ".join(text.split())


def test_why_of_a_model_that_nobody_is_shown_better_than_and_that_cannot_be_first(
    tmp_path: Path, rankbars: Command
) -> None:
    rows = np.random.default_rng(0).normal(size=(200, 12))
    rows[:, 0] += 0.3
    board = rb.leaderboard(rb.Scores.from_arrays({"law": rows}, list("abcdefghijkl")))
    odd = [
        name
        for i, name in enumerate(board.models)
        if board.ranks.best[i] == 2 and not board.why(name).above
    ]
    assert odd, "a model that only the set for the best leaves out"
    board.save(tmp_path / "odd.json")
    text = rankbars("show", str(tmp_path / "odd.json"), "--why", odd[0]).out
    assert "rule out that it is first" in " ".join(text.split())


@pytest.mark.parametrize("more", [["--average"], ["--task", "t0"], ["--format", "csv"]])
def test_why_is_an_answer_of_its_own(
    rankbars: Command, board: rb.Leaderboard, more: list[str]
) -> None:
    answer = rankbars("show", "board.json", "--why", board.models[0], *more)
    assert answer.code == 2
    assert "--why" in answer.err


def test_why_of_an_unknown_model_names_the_known_ones(
    rankbars: Command, board: rb.Leaderboard
) -> None:
    answer = rankbars("show", "board.json", "--why", "nobody")
    assert answer.code == 2
    assert board.models[0] in answer.err

"""Votes on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commandline import Command
from votefiles import CROWD, JUDGES, draw_rows, write_rows


def board_file(path: str) -> dict[str, object]:
    return json.loads(Path(path).read_text(encoding="utf-8"))


@pytest.fixture
def votes(tmp_path: Path) -> str:
    """600 votes between four models."""
    return write_rows(draw_rows(600, (1.0, 0.0, -1.0, 0.9)), tmp_path / "votes.csv").name


def test_votes_are_ranked(rankbars: Command, votes: str) -> None:
    answer = rankbars("rank", votes, "-o", "board.json")
    assert answer.code == 0
    assert "In these votes, first place is open between m0 and m3." in answer.out
    assert "4 models, 1 task; 600 votes." in answer.err
    board = board_file("board.json")
    assert board["overall"] is None
    assert board["lead"] == "task"
    assert "log odds" in " ".join(board["tasks"][0]["assumptions"])


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--ties", "davidson"], "Davidson's model"),
        (["--ties", "drop"], "Only votes with a winner count"),
        (["--both-bad", "drop"], "Votes that both are bad are left out"),
        (["--covariance", "hessian"], "the model of the votes holds"),
        (["--test", "binomial"], "No model links the pairs"),
    ],
)
def test_choices_are_stated_among_the_assumptions(
    words: list[str], expected: str, rankbars: Command, votes: str
) -> None:
    assert rankbars("rank", votes, *words, "-o", "board.json").code == 0
    assert expected in " ".join(board_file("board.json")["tasks"][0]["assumptions"])


def test_clusters_and_controls(rankbars: Command) -> None:
    answer = rankbars("rank", CROWD, "--cluster", "judge", "--column", "position=model_a",
                      "--control", "position", "-o", "board.json")  # fmt: skip
    assert answer.code == 0
    words = " ".join(board_file("board.json")["tasks"][0]["assumptions"])
    assert "93 voters are independent draws" in words
    assert "do not differ in: position" in words


def test_disconnected_votes_stop_with_names_and_go_on_where_asked(
    rankbars: Command, tmp_path: Path
) -> None:
    rows = draw_rows(200, (0.5, 0.0, -0.5))
    rows += [{"model_a": "lone", "model_b": "m0", "winner": "model_b"}] * 3
    path = write_rows(rows, tmp_path / "votes.csv").name
    answer = rankbars("rank", path)
    assert answer.code == 1
    assert "'lone' never won or tied" in answer.err
    assert "3 of 4 models, add --largest-component" in answer.err
    answer = rankbars("rank", path, "--largest-component")
    assert answer.code == 0
    assert "3 models, 1 task" in answer.out
    assert "'lone'" in answer.out


def test_looks_are_remembered_beside_the_board(rankbars: Command, tmp_path: Path) -> None:
    rows = draw_rows(900, (1.5, 0.0, -1.5))
    for number, count in enumerate((50, 400, 900), start=1):
        path = write_rows(rows[:count], tmp_path / "votes.csv").name
        answer = rankbars("rank", path, "--anytime", "-o", "board.json")
        assert answer.code == 0
        assert board_file("board.running.json")["looks"] == number
    assert board_file("board.json")["tasks"][0]["test"] == "e_strength"
    assert board_file("board.running.json")["test"] == "e_strength"
    assert "m0 leads: it is shown better than both others" in answer.out
    assert "3 looks at these votes so far" in answer.out
    write_rows(rows[:80], tmp_path / "votes.csv")
    before = Path("board.json").read_bytes()
    answer = rankbars("rank", "votes.csv", "--anytime", "-o", "board.json")
    assert answer.code == 1
    assert "Votes of an earlier look are missing" in answer.err
    assert Path("board.json").read_bytes() == before


def test_looking_again_at_the_same_file_changes_nothing(rankbars: Command, votes: str) -> None:
    boards = []
    for looks in (1, 2):
        assert rankbars("rank", votes, "--anytime", "-o", "board.json").code == 0
        assert board_file("board.running.json")["looks"] == looks
        boards.append(board_file("board.json"))
    assert boards[0]["tasks"] == boards[1]["tasks"]
    assert boards[0]["shown_better"] == boards[1]["shown_better"]
    # Under another name the file is the same votes still.
    Path(votes).rename("renamed.csv")
    answer = rankbars("rank", "renamed.csv", "--anytime", "-o", "board.json")
    assert answer.code == 0
    assert board_file("board.running.json")["looks"] == 3


def test_looks_go_on_at_the_scope_they_began_with(rankbars: Command, votes: str) -> None:
    look = ("rank", votes, "--anytime", "-o", "board.json")
    assert rankbars(*look, "--scope", "each").code == 0
    answer = rankbars(*look)
    assert answer.code == 0
    assert "Earlier looks were at --scope each, and this one goes on with it." in answer.err
    assert board_file("board.json")["spec"]["scope"] == "each"
    assert board_file("board.running.json")["looks"] == 2
    # Who asks for another one is refused, and board and record stay.
    before = Path("board.json").read_bytes(), Path("board.running.json").read_bytes()
    answer = rankbars(*look, "--scope", "all")
    assert answer.code == 1
    assert "Earlier looks were at scope 'each', and this one is at 'all'" in answer.err
    assert before == (Path("board.json").read_bytes(), Path("board.running.json").read_bytes())


def test_looks_go_on_with_the_test_they_began_with(rankbars: Command, votes: str) -> None:
    look = ("rank", votes, "--anytime", "-o", "board.json")
    assert rankbars(*look, "--test", "e_process").code == 0
    # Records of earlier versions do not say so: there was one test.
    record = board_file("board.running.json")
    assert record.pop("test") == "e_process"
    Path("board.running.json").write_text(json.dumps(record), encoding="utf-8")
    assert rankbars(*look).code == 0
    assert board_file("board.json")["tasks"][0]["test"] == "e_process"
    answer = rankbars(*look, "--test", "e_strength")
    assert answer.code == 1
    assert "Earlier looks were at test 'e_process'" in answer.err


def test_pairs_that_results_chose_with_unknown_probability_are_looked_at_one_by_one(
    rankbars: Command, votes: str
) -> None:
    look = ("rank", votes, "--anytime", "--pairing", "adaptive", "-o", "board.json")
    assert rankbars(*look).code == 0
    assert board_file("board.json")["tasks"][0]["test"] == "e_process"
    rows = Path(votes).read_text(encoding="utf-8").splitlines()
    rows = [f"{row},{0.1 if number else 'sampling_probability'}" for number, row in enumerate(rows)]
    Path("logged.csv").write_text("\n".join(rows), encoding="utf-8")
    answer = rankbars("rank", "logged.csv", *look[2:-1], "other.json")
    assert answer.code == 0
    assert board_file("other.json")["tasks"][0]["test"] == "e_strength"
    assert "Votes weigh one over the probability" in str(board_file("other.json"))


@pytest.mark.parametrize("damage", ["", "{", '{"schema": "rankbars.running/1"}', "[1]"])
def test_a_damaged_record_stops_the_run_and_leaves_the_board(
    rankbars: Command, votes: str, damage: str
) -> None:
    assert rankbars("rank", votes, "--anytime", "-o", "board.json").code == 0
    before = Path("board.json").read_bytes()
    Path("board.running.json").write_text(damage, encoding="utf-8")
    answer = rankbars("rank", votes, "--anytime", "-o", "board.json")
    assert answer.code == 1
    assert "Move it away to start anew" in answer.err
    assert Path("board.json").read_bytes() == before
    assert Path("board.running.json").read_text(encoding="utf-8") == damage


def test_without_a_board_file_no_look_is_remembered(rankbars: Command, votes: str) -> None:
    answer = rankbars("rank", votes, "--anytime")
    assert answer.code == 0
    assert "1 look at these votes so far" in answer.out
    assert not list(Path().glob("*.running.json"))


def test_explanations_examine_the_votes(rankbars: Command) -> None:
    answer = rankbars("rank", JUDGES, "--explain", "--column", "position=model_a")
    assert answer.code == 0
    assert "How healthy are the votes of llmfao_llm_judges?" in answer.out
    assert "kappa" in answer.out
    assert "position sways it" in answer.out


def test_elo_is_shown_with_its_anchor(rankbars: Command, votes: str) -> None:
    answer = rankbars("rank", votes, "--elo", "m1=1000", "-o", "board.json")
    assert "Elo (m1=1000)" in answer.out
    again = rankbars("show", "board.json")
    assert "Elo (m1=1000)" in again.out
    assert "m1" in rankbars("show", "board.json", "--format", "md").out


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--ties", "quarter"], 2, "Known: half, drop"),
        (["--covariance", "robust"], 2, "sandwich"),
        (["--ridge", "-1"], 1, "ridge"),
        (["--elo", "high"], 1, "elo"),
        (["--elo", "nobody=1000"], 2, "anchor"),
        (["--cluster", "mood"], 1, "cannot be clustered"),
        (["--control", "mood"], 1, "nothing to control 'mood' by"),
        (["--control", "position"], 1, "which model was shown first"),
        (["--anytime", "--test", "z"], 2, "leave out others"),
        (["--test", "t"], 1, "this task has votes"),
        (["--self-votes", "keep"], 2, "raise, drop"),
    ],
)
def test_wrong_options_get_one_clear_message(
    words: list[str], code: int, message: str, rankbars: Command, votes: str
) -> None:
    answer = rankbars("rank", votes, *words)
    assert answer.code == code
    assert message in answer.err
    assert "Traceback" not in answer.err


def test_options_for_votes_need_votes(rankbars: Command, results: str) -> None:
    answer = rankbars("rank", results, "--elo", "1000")
    assert answer.code == 1
    assert "are for pairwise votes" in answer.err


def test_two_models_are_compared_by_their_votes(rankbars: Command, votes: str) -> None:
    answer = rankbars("compare", votes, "--models", "m0", "--models", "m2")
    assert answer.code == 0
    assert "m0 is better than m2" in answer.out
    assert "votes, m0 is ahead on" in answer.out


def test_formats_lists_votes(rankbars: Command, votes: str) -> None:
    assert "pairwise votes" in rankbars("formats").out
    assert f"{votes}: votes. columns model_a" in rankbars("formats", votes).out


def test_a_page_of_votes_shows_their_health_and_the_board_file_only_on_request(
    rankbars: Command, votes: str
) -> None:
    rankbars("rank", votes, "-o", "small.json", "--html", "one.html")
    assert "Health of the votes</h2>" in Path("one.html").read_text(encoding="utf-8")
    assert "vote_health" not in board_file("small.json")
    rankbars("rank", votes, "--pairs", "-o", "board.json")
    assert list(board_file("board.json")["vote_health"]) == ["votes"]
    rankbars("report", "board.json", "-o", "two.html")
    assert Path("one.html").read_bytes() == Path("two.html").read_bytes()
    rankbars("report", "small.json", "-o", "three.html")
    assert "Health of the votes</h2>" not in Path("three.html").read_text(encoding="utf-8")


def test_explained_votes_are_examined_as_the_page_does(rankbars: Command, votes: str) -> None:
    plain = rankbars("rank", votes, "--explain")
    beside = rankbars("rank", votes, "--explain", "--html", "one.html")
    assert plain.out == beside.out
    assert "How healthy are the votes" in plain.out


def test_models_with_few_votes_are_left_out(rankbars: Command, tmp_path: Path) -> None:
    rows = draw_rows(300, (0.5, 0.0, -0.5))
    rows += [{"model_a": "lone", "model_b": "m0", "winner": w} for w in ("model_a", "model_b")]
    path = write_rows(rows, tmp_path / "votes.csv").name
    answer = rankbars("rank", path, "--least-votes", "3")
    assert answer.code == 0
    assert "Left out: 1 of 4 models with fewer than 3 votes" in answer.err
    assert "3 models, 1 task, 300 votes." in answer.out
    assert "4 models" in rankbars("rank", path, "--least-votes", "2").out
    refused = rankbars("rank", path, "--least-votes", "100000")
    assert refused.code == 1
    assert "0 of 4 models took part in 100,000 votes or more" in refused.err


def test_columns_that_are_controlled_for_are_used(rankbars: Command, tmp_path: Path) -> None:
    rows = [
        row | {"length_a": str(k % 7), "length_b": str(k % 5), "seconds": "1"}
        for k, row in enumerate(draw_rows(200, (0.5, 0.0, -0.5)))
    ]
    path = write_rows(rows, tmp_path / "votes.csv").name
    assert "Not used: 'length_a', 'length_b', 'seconds'." in rankbars("rank", path).err
    assert "Not used: 'seconds'." in rankbars("rank", path, "--control", "length").err


def test_next_votes_are_asked_cast_and_ranked(rankbars: Command, votes: str) -> None:
    answer = rankbars("next", votes, "--votes", "300", "--decide", "first", "-o", "ask.csv")
    assert answer.code == 0
    assert "300 votes to ask, about who is first." in answer.out
    lines = Path("ask.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "model_a,model_b,sampling_probability"
    assert len(lines) == 301
    cast = [
        f"{lines[0]},winner",
        *(f"{line},model_{'ab'[n % 2]}" for n, line in enumerate(lines[1:])),
    ]
    Path("cast.csv").write_text("\n".join(cast), encoding="utf-8")
    look = ("--pairing", "adaptive", "--anytime", "-o", "board.json")
    answer = rankbars("rank", votes, "cast.csv", *look)
    assert answer.code == 0
    task = board_file("board.json")["tasks"][0]
    assert task["test"] == "e_strength"
    assert task["guarantee"] == 0.95


def test_next_votes_as_json_and_on_standard_output(rankbars: Command, votes: str) -> None:
    answer = rankbars("next", votes, "--votes", "50", "--new", "fresh", "--json")
    found = json.loads(answer.out)
    assert found["schema"] == "rankbars.next/1"
    assert found["new"] == ["fresh"]
    assert sum(pair["sampling_probability"] for pair in found["pairs"]) == pytest.approx(1)
    asked = rankbars("next", votes, "--votes", "50", "--new", "fresh", "-o", "-")
    assert len(asked.out.splitlines()) == 51
    for words, code, message in (
        (("--json", "-o", "-"), 2, "choose one"),
        (("--decide", "99"), 1, "with K from 1 to 3"),
        (("--even", "0"), 1, "from 0.1 to 1"),
        (("-o", votes), 1, votes),
    ):
        answer = rankbars("next", votes, *words)
        assert (answer.code, message in answer.err) == (code, True)

"""``rankbars plot``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankbars as rb
from rankbars.cli.app import run
from rankbars.render.plotting import PLOTS


@pytest.fixture
def board_file(tmp_path: Path) -> str:
    rng = np.random.default_rng(0)
    names = ["<script>", "b" * 90, "=cmd()", "δ"]
    arrays = {f"t{i}": rng.normal(size=(30, 4)) + [0, 1, 2, 3] for i in range(6)}
    info = {f"t{i}": rb.TaskInfo(category="$x_1$ <b>"[i % 3 :]) for i in range(6)}
    path = tmp_path / "board.json"
    scores = rb.Scores.from_arrays(arrays, names, info=info)
    prices = dict(zip(names, (4, 3, 20, 100), strict=True))
    rb.add_costs(rb.leaderboard(scores), scores, prices, metric="US$").save(path)
    return str(path)


@pytest.fixture
def votes_file(tmp_path: Path) -> str:
    path = tmp_path / "votes.csv"
    rows = ["a,b,model_a", "b,c,model_b", "c,a,tie", "a,b,model_b", "c,b,model_b", "a,c,model_a"]
    path.write_text("model_a,model_b,winner\n" + "\n".join(rows * 20) + "\n")
    return str(path)


OF_A_BOARD = [name for name, one in PLOTS.items() if one.takes in ("board", "diagnosis")]
CHOICES = {
    "task": ("--task", "t3"),
    "model": ("--model", "δ"),
    "models": ("--model", "δ", "--model", "=cmd()"),
    None: (),
}


OF_VOTES = {"ratings", "strengths_over_time"}


@pytest.mark.parametrize("kind", [name for name in OF_A_BOARD if name not in OF_VOTES])
def test_every_kind_is_drawn_the_same_each_time(kind: str, board_file: str, tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        options = ("-o", str(tmp_path / name), *CHOICES[PLOTS[kind].choice])
        assert run(["plot", board_file, kind, *options]) == 0
    first = (tmp_path / "one.svg").read_bytes()
    assert first == (tmp_path / "two.svg").read_bytes()
    assert b"<svg" in first
    assert b"<title>rankbars" in first
    assert b"<script>" not in first


@pytest.mark.parametrize(("suffix", "magic"), [("pdf", b"%PDF"), ("png", b"\x89PNG")])
def test_the_suffix_says_what_is_written(
    suffix: str, magic: bytes, board_file: str, tmp_path: Path
) -> None:
    target = tmp_path / f"x.{suffix}"
    assert run(["plot", board_file, "ranks", "-o", str(target)]) == 0
    assert target.read_bytes().startswith(magic)


def test_wrong_kind_or_suffix_or_board(
    board_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["plot", board_file, "rank", "-o", str(tmp_path / "x.svg")]) == 2
    assert "Did you mean 'ranks'" in capsys.readouterr().err
    assert run(["plot", board_file, "ranks", "-o", str(tmp_path / "x.gif")]) == 1
    assert "must end in .svg, .pdf or .png" in capsys.readouterr().err
    assert run(["plot", str(tmp_path / "no.json"), "ranks", "-o", str(tmp_path / "x.svg")]) == 1
    assert not list(tmp_path.glob("x.*"))


def test_one_task_has_no_new_task_to_draw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = rb.Scores.from_arrays({"t": np.eye(3)}, list("abc"))
    rb.leaderboard(scores).save(tmp_path / "b.json")
    for kind in ("new_task", "left_out"):
        board, target = str(tmp_path / "b.json"), str(tmp_path / "x.svg")
        assert run(["plot", board, kind, "-o", target]) == 1
        assert "task" in capsys.readouterr().err


def test_scores_of_items_are_drawn_from_results(tmp_path: Path) -> None:
    lines = [f"m{k % 2},t{k % 4 // 2},i{k // 4},{(k * 7) % 11}" for k in range(80)]
    (tmp_path / "r.csv").write_text("\n".join(["model,task,item,score", *lines]) + "\n")
    for task in ((), ("--task", "t1")):
        target = tmp_path / "x.svg"
        assert run(["plot", str(tmp_path / "r.csv"), "item_spread", "-o", str(target), *task]) == 0
        words = "20 items of t1" if task else "40 items of 2 tasks"
        assert words in target.read_text()


@pytest.mark.parametrize("kind", ["votes_per_pair", "vote_health"])
def test_votes_are_drawn_from_their_table(kind: str, votes_file: str, tmp_path: Path) -> None:
    target = tmp_path / "x.svg"
    assert run(["plot", votes_file, kind, "-o", str(target)]) == 0
    assert b"<svg" in target.read_bytes()


def test_ratings_are_drawn_from_a_board_of_votes(votes_file: str, tmp_path: Path) -> None:
    board, target = str(tmp_path / "b.json"), tmp_path / "x.svg"
    assert run(["rank", votes_file, "-o", board, "--quiet"]) == 0
    assert run(["plot", board, "ratings", "-o", str(target)]) == 0
    assert b"log strength" in target.read_bytes()


@pytest.mark.parametrize(
    ("kind", "options", "words"),
    [
        ("task_ranks", (), "name it with --task"),
        ("model_ranks", (), "name it with --model"),
        ("model_ranks", ("--model", "x"), "model"),
        ("model_ranks", ("--model", "δ", "--model", "x"), "--model once at most"),
        ("two_models", ("--model", "δ"), "name them with --model twice"),
        ("held_out", (), "--hold-out N --held-out FILE"),
        ("ranks", ("--task", "t1"), "leave --task out"),
        ("ratings", (), "one task of votes"),
        ("votes_per_pair", (), ""),
    ],
)
def test_a_choice_that_is_missing_or_too_much_is_told(
    kind: str,
    options: tuple[str, ...],
    words: str,
    board_file: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = tmp_path / "x.svg"
    assert run(["plot", board_file, kind, "-o", str(target), *options]) in (1, 2)
    answer = capsys.readouterr().err
    assert words in answer
    assert "Traceback" not in answer
    assert not target.exists()

"""Every way out of a board, and of what goes with it, says its level or that it has none."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from commandline import answer, inside

import rankbars as rb

NAMES = list("abcdefgh")


def clear(tasks: int = 1) -> rb.Scores:
    rng = np.random.default_rng(3)
    rows = {f"t{k}"[: k + 1]: rng.normal(size=(60, 8)) + np.linspace(0, 1, 8) for k in range(tasks)}
    return rb.Scores.from_arrays(rows, NAMES)


def seconds() -> rb.Scores:
    """Twenty times, of which fewer are better: their tail is not known."""
    rows = -np.random.default_rng(4).exponential(size=(20, 8)) * np.linspace(1, 9, 8)
    return rb.Scores({"t": rb.Items(tuple(NAMES), rows)}, info={"t": rb.TaskInfo("lower")})


# What stands in place of a level, or the level; a board of each kind.
BOARDS: dict[str, tuple[Callable[[], rb.Leaderboard], str]] = {
    "clear": (lambda: rb.leaderboard(clear()), r"95 %"),
    "approximate": (lambda: rb.leaderboard(seconds(), resamples=200), r"approximate"),
    "no level": (lambda: rb.leaderboard(clear(), correction="none"), r"no guarantee"),
}
# Ways to show a board: `show` with these words, and what `report` writes.
# Statements of other methods, at levels of their own.
OTHERS: dict[str, tuple[str, ...]] = {
    "top": ("--top", "3"), "dominance": ("--dominance",), "differences": ("--differences",),
}  # fmt: skip
SHOWN: dict[str, tuple[str, ...]] = {
    "text": (), "first": ("--first", "3"), "task": ("--task", "t"), "md": ("--format", "md"),
    "csv": ("--format", "csv"), "latex": ("--format", "latex"),
}  # fmt: skip
# Words that say something about who ranks where.
CLAIM = re.compile(
    r"may be first|first place is open|leads: |shown (?:to be )?(?:better|worse)|\branks? \d"
    r"|among the first|is (?:better|worse) than",
    re.IGNORECASE,
)
LEVEL = re.compile(
    r"\d(?:\.\d)? ?%|approximate|no guarantee|nothing is claimed|at the level", re.IGNORECASE
)


@pytest.fixture(scope="module", params=BOARDS)
def saved(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, str, Path]:
    make, level = BOARDS[request.param]
    path = tmp_path_factory.mktemp("board") / "board.json"
    make().save(path)
    return request.param, level, path


def plain(text: str) -> str:
    """Words of an export without its marks and escapes."""
    text = re.sub(r"(?s)<(script|style)\b.*?</\1>", " ", text)
    text = html.unescape(re.sub(r"<[^>]+>", " ", text))
    text = text.replace("~", " ").replace("\\%", "%").replace("\\,", "").replace("\xa0", " ")
    return " ".join(text.split())


def said_of_levels(text: str, level: str, kind: str) -> None:
    """The level stands there; a level that is not held stands nowhere."""
    words = plain(text)
    assert re.search(level, words, re.IGNORECASE), words[:600]
    if kind != "clear":
        assert not re.search(r"95 % confidence|\(at 95 %\)", words)
    for sentence in re.split(r"(?<=[.!?]) (?=[A-Z])", words):
        if CLAIM.search(sentence) and len(sentence) < 400:
            near = words[max(0, words.find(sentence) - 400) : words.find(sentence) + 800]
            assert LEVEL.search(near), sentence


@pytest.mark.parametrize("way", SHOWN)
def test_each_way_to_show_a_board_says_its_level(saved: tuple[str, str, Path], way: str) -> None:
    kind, level, path = saved
    done = answer(["show", str(path), *SHOWN[way]])
    assert done.code == 0, done.err
    said_of_levels(done.out, level, kind)


@pytest.mark.parametrize("tasks", [1, 2])
@pytest.mark.parametrize("way", OTHERS)
def test_other_statements_from_a_board_say_their_level(
    way: str, tasks: int, tmp_path: Path
) -> None:
    rb.leaderboard(clear(tasks)).save(tmp_path / "board.json")
    done = answer(["show", str(tmp_path / "board.json"), *OTHERS[way]])
    if way == "differences" and tasks == 1:
        assert (done.code, done.out) == (1, "")  # there is no average
    else:
        assert done.code == 0, done.err
        said_of_levels(done.out, "95 %", "clear")


def test_other_statements_from_an_approximate_board_say_that_they_are(tmp_path: Path) -> None:
    rb.leaderboard(seconds(), resamples=200).save(tmp_path / "board.json")
    for way in ("top", "dominance"):
        done = answer(["show", str(tmp_path / "board.json"), *OTHERS[way]])
        assert done.code == 0, done.err
        said_of_levels(done.out, "approximate", "approximate")


@pytest.mark.parametrize("whole", [True, False])
def test_page_and_notebook_say_it(saved: tuple[str, str, Path], whole: bool) -> None:
    kind, level, path = saved
    board = rb.load(path)
    said_of_levels(board.to_html() if whole else board.to_html(fragment=True), level, kind)
    said_of_levels(board._repr_html_(), level, kind)


def test_the_board_file_has_it_as_data(saved: tuple[str, str, Path]) -> None:
    kind, _, path = saved
    (task,) = json.loads(path.read_text(encoding="utf-8"))["tasks"]
    assert task["approximate"] == (kind == "approximate")
    assert (task["guarantee"] is None) == (kind != "clear")
    assert task["measured_level"] == (0.92 if kind == "approximate" else None)
    # What is shown about pairs where a correction promises nothing comes from Holm.
    assert (task["alpha"], len(rb.load(path).shown_better)) == (0.05, 8)


@pytest.mark.parametrize(
    "drawn", ["ranks", "task_ranks", "lanes", "score_rank", "shown_better", "order"]
)
def test_pictures_of_ranks_say_it(saved: tuple[str, str, Path], drawn: str) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot as plt
    from matplotlib.text import Text

    kind, level, path = saved
    axes = rb.load(path).plot(drawn, task="t" if drawn == "task_ranks" else None)
    words = " ".join(one.get_text() for one in axes.figure.findobj(Text))
    plt.close(axes.figure)
    if kind == "no level" and drawn in ("shown_better", "order"):
        level = "95 %"  # pairs are told apart by Holm then
    said_of_levels(words, level, kind)


@pytest.fixture(scope="module", params=["clear", "approximate"])
def rows(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, str, Path]:
    """The rows of a board as a table in a folder of its own."""
    scores = clear() if request.param == "clear" else seconds()
    folder, evidence = tmp_path_factory.mktemp("rows"), scores.tasks["t"]
    assert isinstance(evidence, rb.Items)
    values = evidence.values if request.param == "clear" else -evidence.values
    lines = [",".join(["item", *NAMES]), *(
        ",".join([str(k), *(repr(float(one)) for one in line)]) for k, line in enumerate(values)
    )]  # fmt: skip
    folder.joinpath("t.csv").write_text("\n".join(lines), encoding="utf-8")
    return request.param, BOARDS[request.param][1], folder


DIRECTION = {"clear": "higher", "approximate": "lower"}
DONE: dict[str, tuple[str, ...]] = {
    "rank": ("rank", "t.csv"),
    "explain": ("rank", "t.csv", "--explain"),
    "compare": ("compare", "t.csv", "--models", "a", "--models", "h"),
    "check": ("check", "t.csv", "--claim", "h > a"),
    "check, markdown": ("check", "t.csv", "--claim", "h > a", "--md", "-"),
}


@pytest.mark.parametrize("way", DONE)
def test_what_commands_say_of_rows_has_a_level(rows: tuple[str, str, Path], way: str) -> None:
    kind, level, folder = rows
    with inside(folder):
        done = answer([*DONE[way], "--direction", DIRECTION[kind], "--rows", "items"])
    assert done.code == 0 or way.startswith("check"), done.err
    said_of_levels(done.out, level, kind)


def test_a_comparison_says_it_as_data(rows: tuple[str, str, Path]) -> None:
    kind, _, folder = rows
    with inside(folder):
        done = answer(
            [*DONE["compare"], "--json", "--direction", DIRECTION[kind], "--rows", "items"]
        )
    (task,) = json.loads(done.out)["tasks"]
    assert task["approximate"] == (kind == "approximate")


def test_every_page_picture_and_table_of_a_site_says_it(rows: tuple[str, str, Path]) -> None:
    kind, level, folder = rows
    folder.joinpath("site.yaml").write_text(
        f"title: T\nresults: t.csv\nreading: {{direction: {DIRECTION[kind]}, rows: items}}\n",
        encoding="utf-8",
    )
    with inside(folder):
        done = answer(["site", "site.yaml", "-o", "public"])
    assert done.code == 0, done.err
    public = folder / "public"
    said_of_levels((public / "index.html").read_text("utf-8"), level, kind)
    files = [path for path in public.rglob("*") if path.suffix in (".html", ".xml", ".md", ".csv")]
    assert "index.html" in {path.name for path in files}
    for path in files:
        text = path.read_text("utf-8")
        if CLAIM.search(plain(text)):
            said_of_levels(text, level, kind)
    answers = [path.read_text("utf-8") for path in public.rglob("*.json")]
    with_ranks = [text for text in answers if '"best"' in text or CLAIM.search(text)]
    assert with_ranks
    assert all(re.search(rf'{level}|"approximate": ?(true|false)', text) for text in with_ranks)

"""Boards from elsewhere: those of version 0.1.0 load, and what no board can say is refused."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mutations import Case, mutate

import rankbars as rb
from rankbars.data.boardfile import board_json
from rankbars.data.boardreading import parse_board
from rankbars.render import RENDERERS, render
from rankbars.render.averagetables import render_average
from rankbars.render.changes import change_json, change_text
from rankbars.render.paragraph import methods_text
from rankbars.render.plotting import PLOTS, draw_picture
from rankbars.steps.boardchanges import diff

BOARDS = Path(__file__).parent.parent / "data" / "boards"
WRITTEN = sorted(BOARDS.glob("*.json"))


def values_of(name: str) -> Any:
    return json.loads((BOARDS / f"{name}.json").read_text(encoding="utf-8"))


def load(values: Any) -> rb.Leaderboard:
    return parse_board(json.dumps(values).encode(), "board.json")


def codes(board: rb.Leaderboard) -> set[str]:
    return {note.code for note in board.notes}


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.stem)
def test_boards_of_version_0_1_0_load_and_are_written_as_they_were(path: Path) -> None:
    board = rb.load(path)
    assert "edited-board" not in codes(board)
    again = json.loads(board_json(board, pairs=True))
    assert again.pop("digest")
    before = json.loads(path.read_text(encoding="utf-8"))
    assert _with_keys_of(before, again) == before


def _with_keys_of(before: Any, after: Any) -> Any:
    """`after` without the keys that were added since."""
    if isinstance(before, dict) and isinstance(after, dict):
        return {k: _with_keys_of(before[k], after[k]) for k in after if k in before}
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [_with_keys_of(one, other) for one, other in zip(before, after, strict=True)]
    return after


# A board, the keys that lead to a value, another value, and what is said of it.
EDITS: list[tuple[str, tuple[Any, ...], Any, str]] = [
    ("one_task", ("tasks", 0, "best"), [4, 1, 4, 1], "'c' on task 't0' is 4 to 3"),
    ("one_task", ("tasks", 0, "worst"), [4, 4, 4, 99], "it must lie within 1 to 4"),
    ("one_task", ("tasks", 0, "best", 0), 0, r"tasks\[0\].best\[0\] must be a whole number, 1 or"),
    ("one_task", ("tasks", 0, "observed_best", 1), 4.0, "a whole number, 1 or more; found 4.0"),
    ("one_task", ("tasks", 0, "alpha"), -1.0, r"tasks\[0\].alpha must be a number strictly betw"),
    ("one_task", ("tasks", 0, "guarantee"), 2.0, "guarantee must be a number from 0 to 1"),
    ("one_task", ("tasks", 0, "n"), -5, "n must be a whole number, 0 or more; found -5"),
    ("one_task", ("tasks", 0, "scope"), "some", "scope must be one of 'each', 'all'"),
    ("one_task", ("tasks", 0, "direction"), "up", "direction must be one of 'higher', 'lower'"),
    ("one_task", ("tasks", 0, "mean", 2), "0.5", r"mean\[2\] must be a number or null; found '0"),
    ("one_task", ("tasks", 0, "mean", 2), True, r"mean\[2\] must be a number or null; found true"),
    ("one_task", ("tasks", 0, "se", 0), -0.1, r"se\[0\] must be a number, 0 or more or null"),
    ("one_task", ("tasks", 0, "counts", "scored", 0), -9, r"counts.scored\[0\] must be a whole"),
    ("one_task", ("tasks", 0, "counts", "expected"), 8, "counts: Coverage counts must add up to 8"),
    ("one_task", ("tasks", 0, "name"), "\ud800", "name must be a text of valid characters"),
    ("one_task", ("models", 1), "a", "Model 'a' is named twice"),
    ("one_task", ("models",), {}, "models must be a list; found an object"),
    ("one_task", ("lead",), "aggregate", "'aggregate' needs an average"),
    ("one_task", ("spec", "scope"), [], "spec.scope must be one of"),
    ("one_task", ("spec", "alpha"), 7, "spec: alpha must be an error rate"),
    ("one_task", ("notes",), [{}], r"notes\[0\].code is missing"),
    ("one_task", ("provenance", "inputs"), None, "provenance.inputs must be a list; found null"),
    ("one_task", ("pairs", "t0", "n"), "x", r"pairs\['t0'\].n must be a whole number"),
    ("one_task", ("pairs",), {}, "pairs must have one block for each task"),
    ("all_at_once", ("tasks", 0, "worst"), [4, 4, 4, 4], "shown_better gives"),
    ("all_at_once", ("shown_better",), [["a", "b"], ["b", "a"]], "'a', 'b' are each shown better"),
    ("all_at_once", ("shown_better",), [["a", "a"]], "shown better than another in a circle"),
    ("all_at_once", ("shown_better",), [["a", "zebra"]], r"shown_better\[0\] must be two names"),
    ("all_at_once", ("tiers",), [["a"], ["b", "c", "d"]], r"tiers\[0\]: scores, ranks and"),
    ("all_at_once", ("tiers",), [["a", "b", "c"]], "tiers must hold every model once"),
    ("categories", ("tasks", 1, "name"), "t0", r"tasks\[1\].name: another task is called 't0'"),
    ("categories", ("overall", "target"), "task", "overall.target must be 'new_task'"),
    ("categories", ("overall", "groups", "x", "best", 0), 5, r"overall.groups\['x'\]: Rank inter"),
    ("categories", ("aggregate", "se"), [1.0], "aggregate: se must have shape"),
    ("categories", ("aggregate", "categories", "score", 0), [1.0, "x"], r"score\[1\] must hold 2"),
    ("bootstrap", ("aggregate", "rank_probability", 0, 1), 1.5, r"rank_probability\[0\]\[1\] must"),
    ("elo", ("vote_health", "votes", "neighbours", 0, "ahead"), "zebra", "two of the models there"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "keys", "value", "message"), EDITS, ids=lambda part: str(part)[:40]
)
def test_what_no_board_can_say_is_refused_with_its_key(
    name: str, keys: tuple[Any, ...], value: Any, message: str
) -> None:
    values = values_of(name)
    holder = values
    for key in keys[:-1]:
        holder = holder[key]
    assert holder[keys[-1]] != value
    holder[keys[-1]] = value
    with pytest.raises(rb.ReadError, match=message) as error:
        load(values)
    assert str(error.value).startswith("board.json is a damaged board file: ")
    assert "\n" not in str(error.value)


def test_broken_text_is_named_with_its_place() -> None:
    text = (BOARDS / "one_task.json").read_text(encoding="utf-8")
    lines = text.splitlines()
    merged = [*lines[:4], "<<<<<<< HEAD", lines[4], "=======", lines[4], ">>>>>>> new", *lines[5:]]
    for content, message in (
        ("\n".join(merged), r"^b.json, line 5: two versions of the board were merged"),
        ("\n".join(lines[:9]), r"does not hold valid JSON \(.*line 9 column"),
        (text.replace("null", "NaN", 1), "NaN is no number of JSON"),
        (text.replace('"worst"', '"best"', 1), "'best' stands twice in one object"),
        ("1" * 5000, "does not hold valid JSON"),
        ('{"schema": "rankbars.board/1", "x": ' + "[" * 900 + "]" * 900 + "}", "is missing"),
    ):
        with pytest.raises(rb.ReadError, match=message):
            parse_board(content.encode(), "b.json")


def test_a_changed_board_has_a_note_and_one_that_is_laid_out_anew_has_none() -> None:
    values = json.loads(board_json(rb.load(BOARDS / "one_task.json")))
    compact = json.dumps(dict(reversed(values.items())), separators=(",", ":"))
    assert "edited-board" not in codes(parse_board(compact.encode(), "board.json"))
    assert "edited-board" not in codes(parse_board(b"\xef\xbb\xbf" + compact.encode(), "b.json"))
    values["spec"]["alpha_overall"] = 0.1
    edited = load(values)
    assert "edited-board" in codes(edited)
    assert codes(load(json.loads(board_json(edited)))) == codes(edited)
    del values["digest"]  # as versions without a digest wrote it
    assert "edited-board" not in codes(load(values))


def test_whole_numbers_without_a_point_are_the_same_board() -> None:
    text = board_json(rb.load(BOARDS / "categories.json"))
    assert "1.0," in text
    whole = text.replace(" 1.0,", " 1,").replace(" 1.0\n", " 1\n")
    assert "edited-board" not in codes(parse_board(whole.encode(), "board.json"))


def use(board: rb.Leaderboard, other: rb.Leaderboard, rng: random.Random) -> None:
    """Show a board in every way; only errors of ours may come of it."""
    name = next(iter(board.tasks))
    drawing = rng.choice([kind for kind in sorted(PLOTS) if PLOTS[kind].takes == "board"])
    named = {"task": name, "model": board.models[0], "models": (board.models * 2)[:2]}
    chosen = named.get(PLOTS[drawing].choice or "")
    ways: list[Callable[[], Any]] = [
        *(lambda form=form: render(board, form) for form in RENDERERS),
        *(lambda form=form: render(board, form, task=name) for form in ("text", "md", "csv")),
        lambda: render_average(board),
        lambda: methods_text(board),
        lambda: change_text(diff(other, board), width=80),
        lambda: change_json(diff(board, other)),
        lambda: draw_picture(drawing, board, chosen),
    ]
    for way in ways:
        with contextlib.suppress(rb.RankbarsError):
            way()


def answers(seed: int, shown: int, most: int) -> tuple[int, int]:
    """How many of `most` damaged boards load and are shown, `shown` at most, or are refused."""
    rng = random.Random(seed)
    loaded = refused = 0
    for _ in range(most):
        path = rng.choice(WRITTEN)
        damaged = mutate(Case(path.name, {path.name: path.read_bytes()}), rng)
        try:
            board = parse_board(damaged, path.name)
        except rb.ReadError:
            refused += 1
            continue
        loaded += 1
        if loaded <= shown:
            use(board, rb.load(path), rng)
    return loaded, refused


def test_a_damaged_board_is_shown_or_refused_in_a_line() -> None:
    loaded, refused = answers(seed=0, shown=20, most=400)
    assert min(loaded, refused) > 20


@pytest.mark.soak
def test_many_damaged_boards_are_shown_or_refused_in_a_line() -> None:
    answers(seed=random.randrange(2**32), shown=2_000, most=20_000)

"""``rankbars plan``: from results, a board file or nothing to numbers, and refusals in one line."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from commandline import Command

import rankbars as rb


@pytest.fixture
def pilot(rankbars: Command) -> str:
    """Right and wrong answers of three models to 120 items."""
    lines = ["model,task,item,correct"]
    for k, model in enumerate(("old", "new", "other")):
        lines += [f"{model},law,{i},{int((i * 7 + 3 * k) % 10 < 4 + k)}" for i in range(120)]
    Path("pilot.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "pilot.csv"


def test_a_plan_is_printed_and_the_same_as_json(rankbars: Command, pilot: str) -> None:
    text = rankbars("plan", pilot, "--pair", "new", "old", "-q")
    assert (text.code, text.err) == (0, "")
    assert text.out.startswith("To tell new from old on law, with power 0.8")
    assert "to be 80 % sure of that power" in " ".join(text.out.split())
    assert max(map(len, text.out.splitlines())) <= 80
    found = json.loads(rankbars("plan", pilot, "--pair", "new", "old", "--json").out)
    made = rb.plan(pilot, pair=("new", "old"))
    assert found["schema"] == "rankbars.plan/1"
    assert found["needed"]["likely"] == made.needed.likely
    assert found["goal"]["models"] == ["new", "old"]
    assert [one["n"] for one in found["curve"]] == [one.n for one in made.curve]


def test_a_width_is_what_one_can_be_sure_of(rankbars: Command, pilot: str) -> None:
    text = rankbars("plan", pilot, "--pair", "new", "old", "--width", "0.05", "-q").out
    assert "to be 80 % sure of that width" in " ".join(text.split())
    assert "of that power" not in " ".join(text.split())


def test_models_that_are_equal_keep_a_margin(rankbars: Command) -> None:
    said = ("plan", "--sd", "0.5", "--margin", "0.01", "-q")
    alone, equal = rankbars(*said), rankbars(*said, "--effect", "0")
    assert (equal.code, equal.out) == (0, alone.out)
    behind = rankbars(*said, "--effect", "-0.005").out.splitlines()[1:]
    half = rankbars("plan", "--sd", "0.5", "--margin", "0.005", "-q").out.splitlines()[1:]
    assert behind == half
    worse = rankbars(*said, "--effect", "-0.01")
    assert (worse.code, worse.out) == (1, "")
    assert "the effect must be above -0.01" in worse.err
    assert rankbars("plan", "--sd", "0.5", "--effect", "0", "-q").code == 1


@pytest.mark.parametrize(
    "words",
    [
        ("pilot.csv",),
        ("pilot.csv", "--top", "1"),
        ("pilot.csv", "--tiers"),
        ("pilot.csv", "--pair", "new", "old", "--margin", "0.02"),
        ("pilot.csv", "--flip", "0.1", "--cost-item", "2", "--cost-trial", "1"),
        ("pilot.csv", "--flip", "0.1", "--most-items", "20"),
        ("--rates", "0.7", "0.65"),
        ("--effect", "0.5", "--sd", "2", "--top", "2", "--of", "5"),
        ("several.csv",),
    ],
)
def test_json_is_what_the_schema_in_the_package_says(
    rankbars: Command, pilot: str, words: tuple[str, ...]
) -> None:
    text = Path(pilot).read_text("utf-8")
    _, *rows = text.splitlines()
    more = [row.replace(",law,", f",{task},") for task in ("math", "art") for row in rows]
    Path("several.csv").write_text(text + "\n".join(more) + "\n", encoding="utf-8")
    schema = json.loads((files("rankbars") / "data" / "plan.schema.json").read_text("utf-8"))
    answer = rankbars("plan", *words, "--json", "-q")
    assert answer.code == 0, answer.err
    made = json.loads(answer.out)
    jsonschema.Draft202012Validator(schema).validate(made)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(made | {"more": 1}, schema)


def test_every_question_can_be_asked_on_the_command_line(rankbars: Command, pilot: str) -> None:
    for words in (
        ("--top", "1"), ("--tiers",), ("--margin", "0.02", "--pair", "new", "old"),
        ("--effect", "0.03"), ("--power", "0.9"), ("--models", "new", "--models", "old"),
    ):  # fmt: skip
        assert rankbars("plan", pilot, *words, "-q").code == 0
    beforehand = rankbars("plan", "--rates", "0.7", "0.65")
    assert "at most 2,035 items" in beforehand.out
    near = rankbars("plan", "--rates", "0.7", "0.699999").out
    assert "over a million items  on 0.25" in near
    assert "at most" not in near
    assert "With differences as the pilot saw them, not as planned:" in (
        rankbars("plan", pilot, "--effect", "0.3", "-q").out
    )
    once = rankbars(
        "plan", "--rates", "0.7", "0.65", "--flip", "0.1", "--cost-item", "0", "--cost-trial", "1"
    ).out
    assert "1 answer of each model to each of 779 items (cost 779)" in " ".join(once.split())
    graded = rankbars("plan", "--effect", "0.5", "--score-min", "0", "--score-max", "10")
    assert "bound" in graded.out


def test_costs_are_those_of_the_items_that_are_named(rankbars: Command, pilot: str) -> None:
    asked = ("--pair", "new", "old", "--effect", "0.031", "--flip", "0.2", "-q")
    costs = ("--cost-item", "1", "--cost-trial", "0.25")
    text = " ".join(rankbars("plan", pilot, *asked, *costs).out.split())
    found = re.search(r"Cheapest: (\d+) answers? .*?each of ([\d,]+) items \(cost ([\d,]+)", text)
    assert found is not None
    answers, items, cost = (int(one.replace(",", "")) for one in found.groups())
    assert cost == pytest.approx(items * (1 + 0.25 * answers), abs=0.5)


def test_a_board_file_is_a_pilot_and_the_curve_a_picture(rankbars: Command, pilot: str) -> None:
    rankbars("rank", pilot, "-o", "board.json", "--pairs", "-q")
    answer = rankbars("plan", "board.json", "--top", "1", "--plot", "curve.svg")
    assert answer.code == 0
    assert answer.out == rankbars("plan", pilot, "--top", "1", "-q").out
    picture = Path("curve.svg").read_text(encoding="utf-8")
    assert "neighbours told apart, of 2" in picture
    assert ">480</text>" in picture  # and not as a power of ten
    assert "mathdefault" not in picture
    chosen = rankbars("plan", "board.json", "--tasks", "law")
    assert chosen.code == 2


def test_two_files_are_a_pilot_of_a_gate(rankbars: Command) -> None:
    for name, right in (("new", 6), ("old", 5)):
        lines = ["id,correct", *(f"{i},{int((i * 7) % 10 < right)}" for i in range(60))]
        Path(f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    answer = rankbars("plan", "new.csv", "old.csv", "--margin", "0.02", "-q")
    said = " ".join(answer.out.split())
    assert said.startswith("To show that new is not worse than old by more than 0.02, with power")
    assert "if the true difference is 0;" in said


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("--rates", "0.7", "0.7"), 1, "above 0"),
        (("--rates", "0.7", "0.65", "--power", "1.2"), 1, "power"),
        (("--effect", "0",  "--sd", "1"), 1, "above 0"),
        (("--effect", "0.1"), 1, "How do scores vary"),
        ((), 1, "Which true difference"),
        (("pilot.csv", "--pair", "new", "newer"), 2, "newer"),
        (("pilot.csv", "--top", "3"), 1, "between 1 and 2"),
        (("pilot.csv", "--top", "0"), 1, "first places"),
        (("pilot.csv", "--cost-item", "-1", "--cost-trial", "1"), 1, "0 or more"),
        (("pilot.csv", "--cost-item", "1", "--cost-trial", "1"), 1, "several answers"),
        (("pilot.csv", "--margin", "-0.1"), 1, "margin"),
        (("pilot.csv", "--plot", "curve.txt"), 1, ".svg"),
        (("--rates", "0.7", "0.65", "--plot", "curve.svg"), 2, "without a pilot"),
        (("missing.csv",), 1, "missing.csv"),
        (("--rates", "0.7"), 2, "--rates"),
        (("--rates", "1", "0"), 1, "every item tells the two apart"),
        (("--rates", "0.7", "0.65", "--flip", "0.9"), 1, "at most 0.438"),
        (("one.csv",), 1, "A pilot of 1 item says"),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_one_line(
    rankbars: Command, pilot: str, words: tuple[str, ...], code: int, says: str
) -> None:
    Path("one.csv").write_text("model,item,correct\na,1,1\nb,1,0\n", encoding="utf-8")
    answer = rankbars("plan", *words, "-q")
    assert answer.code == code
    assert says in answer.err
    assert "Traceback" not in answer.err
    assert answer.out == ""
    assert not Path("curve.txt").exists()
    assert code == 2 or len(answer.err.strip().splitlines()) == 1

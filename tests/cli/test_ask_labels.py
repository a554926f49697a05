"""Which items people should label next: at random, of every stratum, and handed back as labels."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from commandline import Command

import rankbars as rb
from rankbars.errors import DataError, OptionError

NAMES = tuple(f"q{i}" for i in range(200))
MODELS = ("ash", "birch", "cedar")


@pytest.fixture
def judge() -> rb.Scores:
    scores = np.random.default_rng(2).normal(size=(200, 3))
    return rb.Scores({"t": rb.Items(MODELS, scores, ids=NAMES)})


def labelled(sheet: rb.LabelSheet, info: rb.TaskInfo | None = None) -> rb.Scores:
    """Labels of all items of the sheet."""
    names = tuple(one.item for one in (*sheet.asked, *sheet.labelled))
    values = np.arange(3.0 * len(names)).reshape(-1, 3)
    return rb.Scores(
        {"t": rb.Items(MODELS, values, ids=names)}, {} if info is None else {"t": info}
    )


def test_strata_are_fifths_of_how_far_the_judge_tells_models_apart(judge):
    sheet = rb.ask_labels(judge, number=60)
    spread = judge.tasks["t"].values.std(axis=1)
    fifth = np.argsort(np.argsort(spread)) // 40 + 1
    assert all(one.stratum == fifth[int(one.item[1:])] for one in sheet.asked)
    assert Counter(one.stratum for one in sheet.asked) == dict.fromkeys(range(1, 6), 12)
    assert {one.probability for one in sheet.asked} == {12 / 40}


def test_several_judges_are_sure_where_they_agree(judge):
    scores = judge.tasks["t"].values
    apart = np.linspace(0, 1, 200)[:, None] * [1.0, -1.0, 0.0]
    other = rb.Scores({"t": rb.Items(MODELS, 1e-3 * (scores + apart), ids=NAMES)})
    sheet = rb.ask_labels(judge, other, number=200)
    least = [int(one.item[1:]) for one in sheet.asked if one.stratum == 1]
    surest = [int(one.item[1:]) for one in sheet.asked if one.stratum == 5]
    assert min(least) > 120 > 80 > max(surest)


def test_a_second_sheet_goes_on_where_the_first_ended(judge):
    first = rb.ask_labels(judge, number=23, seed=1)
    second = rb.ask_labels(judge, number=40, labels=labelled(first), seed=2)
    assert {one.item for one in second.labelled} == {one.item for one in first.asked}
    assert not {one.item for one in second.asked} & {one.item for one in first.asked}
    counts = Counter(one.stratum for one in (*second.asked, *second.labelled))
    assert sorted(counts.values()) == [12, 12, 13, 13, 13]
    assert all(
        one.probability == counts[one.stratum] / 40 for one in (*second.asked, *second.labelled)
    )
    last = rb.ask_labels(judge, number=137, labels=labelled(second))
    assert {one.probability for one in (*last.asked, *last.labelled)} == {1.0}


def test_every_item_is_drawn_as_often_as_its_probability_says(judge):
    counts = Counter(
        one.item for seed in range(400) for one in rb.ask_labels(judge, number=40, seed=seed).asked
    )
    found = np.array([counts[name] for name in NAMES]) / 400
    assert np.abs(found - 0.2).max() < 4.5 * np.sqrt(0.2 * 0.8 / 400)
    assert found.std() == pytest.approx(np.sqrt(0.2 * 0.8 / 400), rel=0.2)


def test_the_sheet_holds_labels_as_they_were_given(judge):
    first = rb.ask_labels(judge, number=30)
    given = labelled(first, rb.TaskInfo(direction="lower"))
    sheet = rb.ask_labels(judge, number=2, labels=given)
    rows = list(csv.DictReader(io.StringIO(sheet.to_csv())))
    assert [row["score"] for row in rows[:6]] == [""] * 6
    own = dict(zip(given.tasks["t"].ids, given.tasks["t"].values, strict=True))
    for row in rows[6:]:
        assert float(row["score"]) == -own[row["item"]][MODELS.index(row["model"])]


def test_what_cannot_be_asked(judge):
    with pytest.raises(OptionError, match="200 are judged and have no label"):
        rb.ask_labels(judge, number=201)
    easy = np.argsort(judge.tasks["t"].values.mean(axis=1))[-40:]
    people = rb.Items(MODELS, np.ones((40, 3)), ids=tuple(NAMES[i] for i in easy))
    with pytest.raises(DataError, match="do not look like a random sample"):
        rb.ask_labels(judge, number=5, labels=rb.Scores({"t": people}))
    with pytest.raises(OptionError, match="one judge or more"):
        rb.ask_labels()


def test_labels_drawn_by_other_strata_are_not_gone_on_with(judge):
    first = labelled(rb.ask_labels(judge, number=30)).tasks["t"]
    odd = replace(first, weights=np.linspace(3.0, 9.0, first.n))
    with pytest.raises(DataError, match="probabilities from"):
        rb.ask_labels(judge, number=5, labels=rb.Scores({"t": odd}))


def test_a_sheet_that_was_filled_in_is_a_file_of_labels(rankbars: Command):
    rng = np.random.default_rng(5)
    people = rng.normal(size=(200, 3)) + [0.4, 0.2, 0.0]
    judge = people + 0.5 * rng.normal(size=people.shape)
    Path("judge.csv").write_text("model,item,score\n" + "".join(
        f"{model},{name},{judge[i, k]}\n"
        for i, name in enumerate(NAMES) for k, model in enumerate(MODELS)
    ))  # fmt: skip
    asked = rankbars("next", "--judge", "judge.csv", "--items", "40", "-o", "ask.csv")
    assert asked.code == 0, asked.err
    assert "40 items to label, for 3 models each." in asked.out

    def fill(path: str) -> None:
        with Path(path).open() as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            row["score"] = people[int(row["item"][1:]), MODELS.index(row["model"])]
        with Path(path).open("w", newline="") as file:
            out = csv.DictWriter(file, rows[0])
            out.writeheader()
            out.writerows(rows)

    fill("ask.csv")
    words = ("next", "--labels", "ask.csv", "--judge", "judge.csv", "--items", "20")
    more = rankbars(*words, "-o", "more.csv", "--json")
    found = json.loads(more.out)
    assert (found["schema"], len(found["asked"]), len(found["labelled"])) == (
        "rankbars.ask/1",
        20,
        40,
    )
    fill("more.csv")
    board = rankbars("rank", "--labels", "more.csv", "--judge", "judge.csv", "-o", "-")
    (use,) = json.loads(board.out)["judge"]["by_task"].values()
    assert (use["used"], use["labels"], use["judged"]) == (True, 60, 200)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["votes.csv", "--judge", "judge.csv"], "--judge asks for labels"),
        (["--labels", "human.csv"], "--labels needs the judge"),
        (["--judge", "-"], "not from standard input"),
        ([], "Missing argument"),
    ],
)
def test_what_is_refused(rankbars: Command, words, says: str):
    answer = rankbars("next", *words)
    assert (answer.code, answer.out) == (2, "")
    assert says in " ".join(answer.err.split())

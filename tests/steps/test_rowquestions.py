"""Dependence that nobody declared: what is asked, what is not, and how often by chance."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

import rankbars as rb
from rankbars.render.claims import lead_claim
from rankbars.steps.rowquestions import ask_about_tasks, examine_rows

TABLES = Path(__file__).parent.parent / "data" / "tables"
MODELS = tuple("abcdefgh")


def series(correlation: float, seed: int, n: int = 500) -> np.ndarray:
    """Right and wrong answers whose chances drift along the rows, model by model."""
    rng = np.random.default_rng(seed)
    latent = rng.normal(size=(n, 8))
    for row in range(1, n):
        latent[row] = correlation * latent[row - 1] + (1 - correlation**2) ** 0.5 * latent[row]
    return latent


def subject(name: str) -> rb.Items:
    with (TABLES / "mmlu_pro_consecutive.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["task"] == name]
    values = np.array([[float(answer) for answer in row["answers"]] for row in rows])
    models = tuple(f"m{i:02}" for i in range(values.shape[1]))
    return rb.Items(models, values, ids=tuple(row["item"] for row in rows))


def codes(board: rb.Leaderboard) -> set[str]:
    return {note.code for note in board.notes}


def test_consecutive_questions_on_one_case_are_asked_about() -> None:
    """The health questions of MMLU-Pro come in runs on one patient; those of philosophy do not."""
    health = examine_rows(subject("health"))
    assert health is not None
    assert health.kind == "neighbours"
    assert health.found is not None
    assert 0.1 < health.found.correlation < 0.17
    assert 1.1 < health.found.widening < 1.25
    assert examine_rows(subject("philosophy")) is None


def test_shuffled_rows_ask_by_chance_in_one_of_a_hundred_at_most() -> None:
    health = subject("health")
    rng = np.random.default_rng(3)
    asked = sum(
        examine_rows(rb.Items(health.models, rng.permutation(health.values))) is not None
        for _ in range(300)
    )
    assert asked <= 3


def test_rows_with_a_correlation_of_15_percent_are_asked_about() -> None:
    asked = [examine_rows(rb.Items(MODELS, series(0.15, seed))) for seed in range(40)]
    assert sum(one is not None for one in asked) >= 38


def test_items_of_few_sources_are_asked_about_by_their_names() -> None:
    rng = np.random.default_rng(0)
    sources = np.repeat(np.arange(20), 10)
    values = rng.normal(size=(20, 8))[sources] + rng.normal(size=(200, 8))
    names = [f"repo{chr(97 + one)}__{rng.bytes(5).hex()}z" for one in sources]
    found = examine_rows(rb.Items(MODELS, values, ids=tuple(names)))
    assert found is not None
    assert (found.kind, found.number) == ("names", 20)
    shuffled = tuple(rng.permutation(names))
    assert examine_rows(rb.Items(MODELS, values, ids=shuffled)) is None


@pytest.mark.parametrize(
    "declared",
    [
        {"clusters": np.repeat(np.arange(100), 5)},
        {"design": "runs"},
        {"ids": tuple(f"h{i * 7919 % 500:x}" for i in range(500))},
    ],
)
def test_rows_that_are_declared_or_have_no_order_are_not_asked_about(
    declared: dict[str, object],
) -> None:
    values = series(0.4, 0)
    assert examine_rows(rb.Items(MODELS, values)) is not None
    assert examine_rows(rb.Items(MODELS, values, **declared)) is None  # type: ignore[arg-type]


def test_rows_are_ordered_by_the_numbers_in_their_names() -> None:
    values = series(0.4, 1, n=120)
    names = tuple(f"q{i}" for i in range(120))
    order = sorted(range(120), key=lambda i: names[i])  # q1, q10, q100, …
    items = rb.Items(MODELS, values[order], ids=tuple(names[i] for i in order))
    found, plain = examine_rows(items), examine_rows(rb.Items(MODELS, values))
    assert found is not None
    assert found == plain


def test_the_question_names_the_worst_task_and_what_to_paste() -> None:
    tasks = {"poems": rb.Items(MODELS, series(0.5, 2)), "prose": rb.Items(MODELS, series(0.2, 3)),
             "maths": rb.Items(MODELS, series(0.0, 4))}  # fmt: skip
    board = rb.leaderboard(rb.Scores(tasks))
    note = next(note for note in board.notes if note.code == "dependent-rows")
    assert note.message.startswith("Neighbouring rows go together (correlation 0.")
    assert "'poems', and 1 more task" in note.message
    for words in ("× too small if so", "--clusters FILE", "--rows independent"):
        assert words in note.message
    assert sum(one.code == "dependent-rows" for one in board.notes) == 1
    plain = rb.leaderboard(rb.Scores(tasks), independent_rows=True)
    assert "dependent-rows" not in codes(plain)
    assert (plain.aggregate.best == board.aggregate.best).all()  # type: ignore[union-attr]


def test_a_month_of_days_that_go_together_is_asked_about() -> None:
    days = tuple(f"2025-01-{day:02}" for day in range(1, 31))
    asked = [examine_rows(rb.Items(MODELS, series(0.6, seed, 30), ids=days)) for seed in range(40)]
    assert sum(one is not None and one.kind == "times" for one in asked) >= 38
    apart = [examine_rows(rb.Items(MODELS, series(0.0, seed, 30), ids=days)) for seed in range(40)]
    assert sum(one is not None for one in apart) <= 8


def test_days_are_taken_in_their_order_and_carry_errors_over() -> None:
    days = tuple(f"2025-01-{day:02}" for day in range(1, 31))
    values, mixed = series(0.6, 1, 30), np.random.default_rng(0).permutation(30)
    one = examine_rows(rb.Items(MODELS, values, ids=days))
    other = examine_rows(rb.Items(MODELS, values[mixed], ids=tuple(days[at] for at in mixed)))
    assert one is not None
    assert other is not None
    assert one.found is not None
    assert other.found == pytest.approx(one.found)
    r = one.found.correlation
    assert one.found.widening >= ((1 + r) / (1 - r)) ** 0.5


def test_workers_ask_the_same() -> None:
    tasks = {name: rb.Items(MODELS, series(0.4, i)) for i, name in enumerate("xy")}
    one, two = (rb.leaderboard(rb.Scores(tasks), n_jobs=jobs) for jobs in (1, 2))
    assert one.notes == two.notes


def test_rows_that_stand_twice_are_asked_about() -> None:
    values = np.random.default_rng(0).random((30, 8))
    names = [f"item {i}" for i in range(29)]
    twice = examine_rows(rb.Items(MODELS, values, ids=(*names, " Item  3")))
    assert twice is not None
    assert (twice.kind, twice.number) == ("repeated", 1)
    assert "'item 3'" in twice.example
    equal = examine_rows(rb.Items(MODELS, np.vstack([values, values[4]])))
    assert equal is not None
    assert equal.example == "row 5 and row 31"
    # Equal grades are no proof, nor are right and wrong answers.
    grades = np.random.default_rng(1).integers(1, 11, size=(400, 3)).astype(float)
    assert examine_rows(rb.Items(tuple("abc"), grades)) is None
    answers = (values > 0.9).astype(float)
    assert examine_rows(rb.Items(MODELS, answers)) is None


def embedding_tasks() -> dict[str, np.ndarray]:
    with (TABLES / "mteb_eng_v2.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {row[0]: np.array(row[1:], float) for row in rows}


def test_tasks_of_one_source_are_asked_about() -> None:
    note = ask_about_tasks(embedding_tasks())
    assert note is not None
    assert "41 tasks in 30 groups such as 'STS'" in note.message
    assert "--families FILE" in note.message


def test_shuffled_names_of_tasks_ask_by_chance_in_one_of_a_hundred_at_most() -> None:
    tasks = embedding_tasks()
    rng = np.random.default_rng(5)
    asked = sum(
        ask_about_tasks(dict(zip(rng.permutation(list(tasks)), tasks.values(), strict=True)))
        is not None
        for _ in range(300)
    )
    assert asked <= 3


def test_families_that_are_declared_are_not_asked_about() -> None:
    tasks = {name: rb.Estimates(tuple(f"m{i:03}" for i in range(len(row))), row)
             for name, row in embedding_tasks().items()}  # fmt: skip
    asked = rb.leaderboard(rb.Scores(tasks), resamples=1)
    assert "related-tasks" in codes(asked)
    families = {name: rb.TaskInfo(family=name[:3]) for name in tasks}
    assert "related-tasks" not in codes(rb.leaderboard(rb.Scores(tasks, families), resamples=1))


def test_an_open_question_stands_with_the_level() -> None:
    scores = rb.Scores({"poems": rb.Items(MODELS, series(0.5, 2))})
    words = "95 %, all models at once, if rows are independent"
    assert lead_claim(rb.leaderboard(scores)).words == words
    plain = rb.leaderboard(scores, independent_rows=True)
    assert lead_claim(plain).words == "95 %, all models at once"


def test_names_that_differ_in_case_and_spaces_only_are_found_among_many() -> None:
    values = np.random.default_rng(0).integers(0, 2, (60, 4)).astype(float)
    names = [f"Question {i}" for i in range(60)]
    assert examine_rows(rb.Items(MODELS[:4], values, ids=tuple(names))) is None
    names[59] = " question  7"
    found = examine_rows(rb.Items(MODELS[:4], values, ids=tuple(names)))
    assert found is not None
    assert (found.kind, found.number) == ("repeated", 1)
    assert found.example == "'Question 7' and ' question  7'"

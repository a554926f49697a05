"""The methods paragraph carries the settings of the board and nothing that does not hold."""

import re
from pathlib import Path

import numpy as np
import pytest
from render.boards import average, average_board, new_task_board, task, task_board

import rankbars as rb
from rankbars.data.spec import Spec
from rankbars.render.methodbox import method_entries
from rankbars.render.paragraph import (
    SOURCES,
    YEAR,
    citation,
    methods_paragraph,
    methods_text,
    references,
)

CITED = [
    ("auto", "holm", "joint"),
    ("wilcoxon", "bonferroni", "quantile"),
    ("trimmed_t", "simes", "simultaneous"),
    ("t", "maxt", "union"),
    ("signflip", "none", "joint"),
]


def test_the_paragraph_reads_as_meant(snapshot):
    assert methods_text(average_board()) == snapshot


def test_tasks_tested_in_different_ways_are_named():
    tasks = {"a": task("a"), "b": task("b", test="corrected_t", kind="folds")}
    text = methods_paragraph(average_board(tasks=tasks))
    assert "On a, all pairs of models were compared by a paired t-test" in text
    assert "On b, all pairs of models were compared by the corrected paired t-test" in text
    assert any("Nadeau" in source for source in references(average_board(tasks=tasks)))


def test_a_single_task_says_nothing_about_averages_and_new_tasks():
    text = methods_paragraph(task_board())
    assert "average" not in text
    assert "new task" not in text


def test_every_entry_answers_a_question_at_a_level_by_a_method():
    for board in (average_board(), task_board(), new_task_board()):
        for entry in method_entries(board):
            assert entry.question.endswith("?")
            assert entry.level
            assert entry.method.endswith(".")


def test_without_correction_the_ranks_promise_nothing_but_the_joint_statements_do():
    board = average_board(spec=Spec(correction="none"), aggregate=average(guarantee=None))
    levels = {entry.number: entry.level for entry in method_entries(board)}
    assert levels["Rank on average"] == "no guarantee"
    assert levels["The sentence at the top, and the tiers"] == "95 %, all statements at once"
    alone = average_board(aggregate=average(scope="each"), tiers=())
    levels = {entry.number: entry.level for entry in method_entries(alone)}
    assert levels["The sentence at the top"] == "95 %, each model, chosen in advance"


def test_the_citation_names_the_version():
    assert "version = {0.1.0}" in citation(average_board())


@pytest.mark.parametrize("options", CITED, ids=" ".join)
def test_every_reference_is_cited_in_the_paragraph(options):
    values = {f"t{k}": np.random.default_rng(k).random((30, 3)) for k in range(6)}
    settings = dict(zip(("test", "correction", "merge"), options, strict=True))
    board = rb.leaderboard(rb.Scores.from_arrays(values, list("abc")), **settings)
    text, listed = methods_paragraph(board), references(board)
    assert len(listed) >= 3
    for source in SOURCES.values():
        assert (source.short in text) == (source.full in listed)
        surname, year = source.short.split()[0], source.short.split()[-1]
        assert source.full.startswith(surname)
        assert f"({year})" in source.full


def test_the_citation_has_the_year_of_the_changelog():
    changelog = (Path(__file__).parents[2] / "CHANGELOG.md").read_text("utf-8")
    assert f"year = {{{YEAR}}}" in citation(task_board())
    released = re.findall(r"^## .*?(\d{4})-\d\d-\d\d", changelog, re.MULTILINE)
    assert released[:1] in ([], [str(YEAR)])

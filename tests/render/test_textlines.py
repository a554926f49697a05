"""Sentences in lines: where a name that no line can hold is divided."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from rankbars.render.textlines import wrapped


def test_a_name_longer_than_a_line_is_divided_behind_hyphens():
    reason = "own scores: plain-task-with-a-very-long-name-that-nobody-reads"
    assert wrapped(reason, 16, inside="    ") == [
        "own scores:",
        "    plain-task-",
        "    with-a-very-",
        "    long-name-",
        "    that-nobody-",
        "    reads",
    ]


def test_letters_are_divided_only_between_hyphens_that_are_too_far_apart():
    assert wrapped("ab-cdefghijklmnop-q", 8) == ["ab-", "cdefghij", "klmnop-q"]
    assert wrapped("--cdefghijklmnop", 8) == ["--cdefgh", "ijklmnop"]


@pytest.mark.parametrize("end", [".", ",", ").", "'."])
@pytest.mark.parametrize("name", ["x" * 80, "模" * 40, "x" * 79 + "-", "ab-" * 30 + "x" * 80])
def test_the_end_of_a_sentence_never_stands_alone(name, end):
    *_, last = lines = wrapped(f"The most likely: {name}{end}", 80)
    assert last.endswith(end)
    assert last.removesuffix(end)
    assert "".join(lines[1:]) == name + end
    assert max(map(cell_len, lines)) <= 80


@given(st.text("ab-.)模", min_size=1, max_size=200), st.integers(12, 40))
def test_a_divided_word_loses_nothing_and_fits(word, width):
    lines = wrapped(word, width)
    assert "".join(lines) == word
    assert max(map(cell_len, lines)) <= width

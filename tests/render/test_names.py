"""Names on show: nothing hidden in them acts, and different names stay different."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from render.hostile import NASTY, hostile_names
from rich.cells import cell_len

from rankbars.render.notation import shorten, shorten_all, visible


@given(hostile_names)
def test_a_visible_name_can_be_encoded_and_holds_no_control_character(name):
    shown = visible(name)
    shown.encode("utf-8")
    kinds = {unicodedata.category(char) for char in shown}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def test_plain_names_are_left_alone():
    for name in ("gpt-4o", "Qwen2.5 (7B, chat)", "modèle à été", "日本語"):
        assert visible(name) == name


@given(st.lists(hostile_names, min_size=2, max_size=6, unique=True), st.integers(8, 60))
def test_shortened_names_fit_and_stay_different(names, width):
    shown = shorten_all([visible(name) for name in names], [width] * len(names), measure=cell_len)
    assert all(cell_len(text) <= width for text in shown)
    assert len(set(shown)) == len(names)


def test_the_middle_is_left_out():
    assert shorten("meta-llama/Llama-3.1-70B-Instruct", 16) == "meta-llam…struct"


def test_names_that_differ_only_in_the_middle_are_cut_where_they_differ():
    names = [f"model-{'a' * 20}-{letter}-{'z' * 20}" for letter in "pq"]
    first, second = shorten_all(names, [30, 30])
    assert "…p-" in first
    assert "…q-" in second


def test_names_that_no_cut_can_tell_apart_get_their_number():
    names = [f"{'a' * 40}{letter}{'z' * 40}" for letter in "pq"]
    assert shorten_all(names, [12, 12]) == ["aaaaaaaaa…#1", "aaaaaaaaa…#2"]


def test_stacked_marks_do_not_make_a_short_name_long():
    assert len(shorten(visible(NASTY[15]), 10, measure=cell_len)) <= 40

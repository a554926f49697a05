"""Names on show: nothing hidden in them acts, and different names stay different."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st
from render.hostile import NASTY, hostile_names
from rich.cells import cell_len

from rankbars.render.shownnames import graphemes, shorten, shorten_all, visible


@given(hostile_names)
def test_a_visible_name_can_be_encoded_and_holds_no_control_character(name):
    shown = visible(name)
    shown.encode("utf-8")
    # What joins emoji stays, between two of them alone.
    alone = re.sub("(?<=[\\W\ufe0f])\u200d(?=\\W)", "", shown)
    kinds = {unicodedata.category(char) for char in alone}
    assert not kinds & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def test_plain_names_are_left_alone():
    for name in ("gpt-4o", "Qwen2.5 (7B, chat)", "modèle à été", "日本語"):
        assert visible(name) == name


@given(st.lists(hostile_names, min_size=2, max_size=6, unique=True), st.integers(8, 60))
def test_shortened_names_fit_and_stay_different(names, width):
    shown = shorten_all([visible(name) for name in names], [width] * len(names), measure=cell_len)
    assert all(cell_len(text) <= width for text in shown)
    assert len(set(shown)) == len(names)


FAMILY, FLAG = "\U0001f469\u200d\U0001f469\u200d\U0001f467", "\U0001f1eb\U0001f1f7"
WOMAN = "\U0001f469\U0001f3fd\u200d\U0001f680"


def test_joined_emoji_stay_whole_and_joiners_between_letters_are_shown():
    for name in (FAMILY, f"team {WOMAN} {FLAG}", "\u2764\ufe0f\u200d\U0001f525", "e\u0301"):
        assert visible(name) == name
    assert visible("gpt\u200d4") == "gpt\\u200d4"
    assert visible(f"{FAMILY}\u200dx") == f"{FAMILY}\\u200dx"


def test_a_cut_never_falls_inside_a_sign():
    assert graphemes(f"a{FAMILY}{FLAG}{WOMAN}e\u0301") == ["a", FAMILY, FLAG, WOMAN, "e\u0301"]
    name = FAMILY * 9
    for width in range(3, 30):
        before, mark, after = shorten(name, width).partition("…")
        assert mark
        assert set(graphemes(before) + graphemes(after)) <= {FAMILY}


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

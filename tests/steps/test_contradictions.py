"""Claims that cannot all be true are refused before anything is judged."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import rankbars as rb
from rankbars.data.claim import parse_claim
from rankbars.steps.claimjudging import refuse_contradictions


def read(*lines):
    return [parse_claim(line) for line in lines]


@pytest.mark.parametrize(
    "lines",
    [
        ("a > b", "b > a"),
        ("a > b", "b >= a"),
        ("a > b + 0.1", "b >= a - 0.1"),
        ("a first", "b first"),
        ("a first on t", "b > a on t"),
        ("a >= 0.8", "a <= 0.7"),
        ("a > each of b, c", "c > a"),
        ("a > b", "b > c", "c > a"),
        ("a = b +- 0.02", "a > b + 0.05"),
        ("a = b +- 0.02", "b = c +- 0.02", "a > c + 0.04"),
        ("a > b on each task", "b > a on t"),
        ("a > b on each task", "b >= a"),
        ("a first on t", "b > a on each task"),
        ("a first", "a > c", "c > b", "b > a"),
        ("a >= 0.8", "b > a", "b <= 0.75"),
    ],
)
def test_claims_that_cannot_all_be_true_are_refused(lines):
    with pytest.raises(rb.OptionError, match="contradict each other"):
        refuse_contradictions(read(*lines), ("t", "u"))


@pytest.mark.parametrize(
    "lines",
    [
        ("a >= b", "b >= a"),
        ("a >= b - 0.1", "b > a"),
        ("a > b on t", "b > a on u"),
        ("a > b on t", "b > a"),
        ("a > b on at least 1 of 2 tasks", "b > a on at least 1 of 2 tasks"),
        ("a in top 2", "b in top 2"),
        ("a = b +- 0.02", "b = c +- 0.02", "a >= c + 0.04"),
        ("a first", "b >= a"),
    ],
)
def test_claims_that_can_all_be_true_are_taken(lines):
    refuse_contradictions(read(*lines), ("t", "u"))


def test_the_average_of_one_task_is_the_task():
    with pytest.raises(rb.OptionError, match="contradict"):
        refuse_contradictions(read("a > b", "b > a on t"), ("t",))


def test_only_those_that_contradict_each_other_are_named():
    lines = read("a > d", "a > b", "c > d", "b > c", "c > a", "a > e")
    with pytest.raises(rb.OptionError, match=r"^Claims 'a > b', 'b > c' and 'c > a' contradict"):
        refuse_contradictions(lines)


def test_a_claim_that_stands_there_twice_is_refused():
    with pytest.raises(rb.OptionError, match="say the same"):
        refuse_contradictions(read("a > b", "a better than b"))


PAIRS = [*itertools.permutations("abcd", 2)]


@given(st.lists(st.tuples(st.sampled_from(PAIRS), st.integers(-3, 3)), max_size=9, unique=True))
def test_what_is_refused_has_no_solution_and_what_is_taken_has_one(given_claims):
    """Linear programming says of the same borders whether scores keep them."""
    lines = [f"{a} >= {b} {'-' if room > 0 else '+'} {abs(room)}" for (a, b), room in given_claims]
    rows = [[(name == b) - (name == a) for name in "abcd"] for (a, b), _ in given_claims]
    found = linprog([0] * 4, rows or None, [room for _, room in given_claims] or None,
                    bounds=(None, None))  # fmt: skip
    try:
        refuse_contradictions(read(*lines))
        taken = True
    except rb.OptionError:
        taken = False
    assert taken == (found.status == 0)

"""The language of claims: every form, what it means, and what is no claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankbars as rb
from rankbars.data.claim import known_names, parse_claim

SAID = {
    "new > old": "new is better than old",
    "new>old": "new is better than old",
    "new >= old": "new is not worse than old",
    "new better than old": "new is better than old",
    "new is better than old by 0.02": "new is better than old by more than 0.02",
    "new > old + 0.02": "new is better than old by more than 0.02",
    "new worse than old": "old is better than new",
    "new < old": "old is better than new",
    "new <= old + 0.01": "old is not worse than new by more than 0.01",
    "new >= old - 0.01": "new is not worse than old by more than 0.01",
    "new >= old -0.01": "new is not worse than old by more than 0.01",
    "new not worse than old by 0.01": "new is not worse than old by more than 0.01",
    "new not worse than old by more than 0.01": "new is not worse than old by more than 0.01",
    "new >= old - 1 point": "new is not worse than old by more than 0.01",
    "new >= old - 1.5%": "new is not worse than old by more than 0.015",
    "new = old +- 0.02": "new differs from old by less than 0.02",
    "new = old ± 0.02": "new differs from old by less than 0.02",
    "new within 2 points of old": "new differs from old by less than 0.02",
    "new > each of a, b, c": "new is better than each of a, b, c",
    "new not worse than each of a, b by 0.1": "new is not worse than each of a, b by more than 0.1",
    "new in top 3": "new is among the first 3",
    "new in the top 3": "new is among the first 3",
    "new first": "new is first",
    "new is first": "new is first",
    "new >= 0.80": "new has a score of at least 0.8",
    "new at least .8": "new has a score of at least 0.8",
    "new >= 80%": "new has a score of at least 0.8",
    "new <= 12": "new has a score of at most 12",
    "new at most 1e-3": "new has a score of at most 0.001",
    "'my model' > \"that, on it\"": "my model is better than 'that, on it'",
    "gpt-4o/v1:70b > T=0.7": "gpt-4o/v1:70b is better than T=0.7",
    "new > '0.8'": "new is better than 0.8",
}


@pytest.mark.parametrize("text", SAID)
def test_a_claim_is_said_back_in_words(text):
    assert parse_claim(text).words() == SAID[text]


@pytest.mark.parametrize(
    ("text", "task", "least", "of"),
    [
        ("new > old", None, None, None),
        ("new > old on math", "math", None, None),
        ("new >= old - 0.1 on 'each task'", "each task", None, None),
        ("new > old on each task", None, 0, 0),
        ("new first on every task", None, 0, 0),
        ("new > old on at least 5 of 7 tasks", None, 5, 7),
        ("new >= 0.8 on law", "law", None, None),
    ],
)
def test_where_a_claim_holds(text, task, least, of):
    claim = parse_claim(text)
    assert (claim.task, claim.least, claim.of) == (task, least, of)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("new", "made a file of what followed"),
        ("", "the name of a model is lacking"),
        ("new >", "is lacking at the end"),
        ("new ~ old", "'~' is no relation"),
        ("TransUNet (neu) Dice [%] > old", "of its own: 'TransUNet (neu) Dice [%]'."),
        ("old < TransUNet (neu) - 1", "of its own: 'TransUNet (neu)'."),
        ("new > old, b", "each of a, b, c"),
        ("new = old", "behind = comes a margin"),
        ("new = old +- 0", "exactly equal"),
        ("new > old - much", "a number is lacking"),
        ("new > old today", "'today' was not expected"),
        ("new > new", "compared with itself"),
        ("new > each of a, a", "named twice"),
        ("new in top 0", "at least 1"),
        ("new in top 2.5", "whole number"),
        ("new > old on at least 8 of 7 tasks", "8 of 7 tasks cannot be"),
        ("new > old on at least 5 tasks", "say of how many"),
        ("on > old", "stands in quotes"),
        ("new cheaper old", "'cheaper' is no relation"),
        ("new < each of a, b", "takes one other model"),
    ],
)
def test_what_is_no_claim_is_said(text, said):
    with pytest.raises(rb.OptionError) as caught:
        parse_claim(text)
    assert said in str(caught.value)


@given(st.text(max_size=40))
def test_any_text_is_a_claim_or_an_error_of_ours(text):
    try:
        claim = parse_claim(text)
    except rb.OptionError:
        return
    assert claim.text == text


@given(st.text(st.characters(exclude_characters="'"), min_size=1), st.text("abz- >,", min_size=1))
def test_any_name_can_be_quoted(model, other):
    if model == other:
        return
    claim = parse_claim(f"'{model}' > '{other}'")
    assert (claim.model, claim.others) == (model, (other,))


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("new >= old-0.01", rb.UnknownOptionError, "Blanks make it a margin: old - 0.01."),
        ("nwe > old", rb.UnknownOptionError, "Did you mean 'new'?"),
        ("new > old on mth", rb.UnknownOptionError, "Did you mean 'math'?"),
        ("new > old on at least 2 of 3 tasks", rb.OptionError, "speaks of 3 tasks; there are 2"),
        ("new in top 2", rb.OptionError, "each is among the first 2"),
    ],
)
def test_names_that_are_not_there_are_errors_with_the_nearest(text, error, said):
    with pytest.raises(error) as caught:
        known_names([parse_claim(text)], ("new", "old"), ("law", "math"))
    assert said in str(caught.value)


def test_signs_of_a_printed_page_are_read():
    assert parse_claim("new ≥ old − 0.01").margin == 0.01
    assert parse_claim("new = old ± 1 %").margin == 1.0


def test_names_that_would_be_mistaken_are_quoted_when_the_claim_is_said_back():
    claim = parse_claim("new > each of 'a, b', 'on', 'my model'")
    assert claim.words() == "new is better than each of 'a, b', 'on', my model"

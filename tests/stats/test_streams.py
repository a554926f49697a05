"""Random streams keyed by what they are for."""

import hashlib
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankbars.stats.streams import stream

KEYS = st.lists(st.text(max_size=8) | st.integers(0, 99), max_size=4)


def first_numbers(seed, *key):
    return stream(seed, *key).integers(0, 2**62, size=4).tolist()


@given(st.integers(0, 2**40), KEYS)
def test_same_key_gives_the_same_numbers(seed, key):
    assert first_numbers(seed, *key) == first_numbers(seed, *key)


@given(KEYS, KEYS)
def test_different_keys_give_different_numbers(one, two):
    assert (one == two) == (first_numbers(0, *one) == first_numbers(0, *two))


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (("ab", "c"), ("a", "bc")),
        (("a", "b"), ("b", "a")),
        (("1",), (1,)),
        (("a",), ("a", "")),
        ((), ("",)),
        (("é",), ("e",)),
    ],
)
def test_keys_that_look_alike_are_kept_apart(one, two):
    assert first_numbers(0, *one) != first_numbers(0, *two)


def test_the_seed_counts():
    assert first_numbers(0, "a") != first_numbers(1, "a")


def test_key_enters_through_its_digest():
    digest = hashlib.sha256(b'["math", 3]').digest()
    words = [int.from_bytes(digest[i : i + 4], "little") for i in range(0, 32, 4)]
    expected = np.random.default_rng(np.random.SeedSequence(7, spawn_key=tuple(words)))
    assert stream(7, "math", 3).random() == expected.random()


def test_other_processes_get_the_same_numbers():
    code = "from rankbars.stats.streams import stream; print(stream(5, 'task', 'x').random())"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert float(told) == stream(5, "task", "x").random()


def test_numpy_global_generator_is_left_alone():
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    stream(0, "a").random(10)
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_streams_of_different_keys_are_uncorrelated():
    draws = np.array([stream(0, "chunk", i).standard_normal(4000) for i in range(20)])
    correlation = np.corrcoef(draws)[np.triu_indices(20, 1)]
    # 190 correlations with standard error 1/sqrt(4000): five of those is out of reach.
    assert np.abs(correlation).max() < 5 / np.sqrt(4000)


def test_negative_seed_is_refused():
    with pytest.raises(ValueError, match="non-negative"):
        stream(-1, "a")

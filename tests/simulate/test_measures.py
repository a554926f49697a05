"""Widths, coverages and tallies."""

from __future__ import annotations

import numpy as np
import pytest

from rankbars.simulate.coverages import (
    Tally,
    compare_with_published,
    covers,
    share_of_field,
    tally_rows,
)
from rankbars.simulate.populations import RankSets


def test_width_is_a_share_of_the_field() -> None:
    assert share_of_field([[1, 1, 1], [1, 2, 3]], [[3, 3, 3], [1, 2, 3]], 3).tolist() == [1.0, 0.0]


def test_one_model_has_no_width() -> None:
    assert float(share_of_field([1], [1], 1)) == 0.0


def test_a_tied_model_is_covered_by_its_whole_rank_set_only() -> None:
    truth = RankSets(np.array([1, 1, 3]), np.array([2, 2, 3]))
    assert covers([1, 1, 1], [2, 1, 3], truth).tolist() == [True, False, True]
    assert covers([1, 2, 3], [2, 2, 3], truth).tolist() == [True, False, True]


def test_tallies_add_up_to_the_tally_of_all() -> None:
    values = np.random.default_rng(0).random(50)
    parts = Tally.of(values[:20]).add(Tally.of(values[20:]))
    assert parts.mean == pytest.approx(values.mean())
    assert parts.standard_error == pytest.approx(values.std(ddof=1) / np.sqrt(50))


def test_a_share_of_all_still_has_an_error() -> None:
    assert 0 < Tally.of(np.ones(100)).standard_error < 0.01
    assert Tally.of([1.0]).standard_error == np.inf


def test_published_values_stand_beside_ours() -> None:
    rows = [
        *tally_rows({"method": "a"}, {"coverage": [1.0, 0.0]}),
        *tally_rows({"method": "a"}, {"coverage": [1.0, 1.0]}),
        *tally_rows({"method": "b"}, {"coverage": [0.0]}),
    ]
    published = {("a", "coverage"): 0.7, ("b", "coverage"): (0.1, 0.2)}
    first, second = compare_with_published(rows, ("method",), published)
    assert (first["published_low"], first["published_high"]) == (0.7, 0.7)
    assert (first["value"], first["repetitions"]) == (0.75, 4)
    assert (second["published_low"], second["published_high"]) == (0.1, 0.2)

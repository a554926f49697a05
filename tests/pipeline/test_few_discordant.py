"""How often few 0/1 items show a difference that is not there, by enumeration of all outcomes."""

from __future__ import annotations

from functools import cache
from math import comb

import numpy as np
import pytest

import rankbars as rb


@cache
def is_told(ahead: int, behind: int, items: int) -> bool:
    """Whether one model is told from another that is right where it is wrong so many times."""
    rows = [[1, 0]] * ahead + [[0, 1]] * behind + [[1, 1]] * (items - ahead - behind)
    found = rb.head_to_head(rb.Scores.from_arrays({"t": rows}, ["a", "b"]), "a", "b")
    return found.tasks["t"].verdict != "cannot tell"


def false_share(differ: float, items: int) -> float:
    """Share of cases in which two equal models that differ on a share of items are told apart."""
    return sum(
        comb(items, many)
        * differ**many
        * (1 - differ) ** (items - many)
        * sum(comb(many, ahead) / 2**many for ahead in range(many + 1)
              if is_told(max(ahead, many - ahead), min(ahead, many - ahead), items))
        for many in range(items + 1)
    )  # fmt: skip


@pytest.mark.parametrize(("items", "most"), [(10, 0.0416), (7, 0.0320)])
def test_few_items_that_differ_mislead_in_at_most_five_percent(items: int, most: float) -> None:
    assert is_told(5, 0, 10)
    assert not is_told(4, 0, 10)
    worst = max(false_share(share, items) for share in np.linspace(0.01, 1.0, 100))
    assert worst == pytest.approx(most, abs=5e-4)

"""The study of the hierarchical model, as a whole and small."""

from __future__ import annotations

import pytest
from calibration import Calibration

from rankbars.simulate import STUDIES, measure
from rankbars.simulate.posteriorstudy import MODELS, measure_coverage
from rankbars.simulate.study import number


def test_published_values_stand_beside_ours() -> None:
    rows = measure(STUDIES["posterior"](repetitions=1))["posterior"]
    known = [row for row in rows if row["published_low"] is not None]
    assert len(known) == 4
    for row in known:
        slack = 0.0015 if row["method"] == "hierarchical model" else 0.003
        assert abs(number(row, "value") - number(row, "published_low")) < slack, row
    held = {(r["design"], r["method"]): r for r in rows if r["quantity"] == "coverage"}
    assert len(held) == 9
    assert all(0.5 <= number(r, "value") <= 1 for k, r in held.items() if "expo" not in str(k[1]))


@pytest.mark.slow
@pytest.mark.parametrize(("target", "share"), [("tasks like these", 0.76), ("one new task", 0.52)])
def test_the_published_prior_holds_as_rarely_as_the_page_says(
    target: str, share: float, calibration: Calibration
) -> None:
    """Six tasks of 50 items, a + b around 20; 20 models a data set, each with its own truth."""
    runs = calibration.runs(6, 60)
    rows = measure_coverage(target, "exponential", 0, runs, 0)
    tally = next(row for row in rows if row["quantity"] == "coverage")
    assert tally["number"] == runs * MODELS
    calibration.within(number(tally, "total"), runs * MODELS, share, slack=0.01)

"""The study of the hierarchical model, as a whole and small."""

from __future__ import annotations

from rankbars.simulate import STUDIES, measure
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

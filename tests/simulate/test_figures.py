"""Figures 1 and 6: the published shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankbars.simulate import Study, run
from rankbars.simulate.levels import NewTaskPlan, measure_new_tasks
from rankbars.simulate.populations import Design
from rankbars.simulate.publishedfigures import figures
from rankbars.simulate.study import number, numbers


@pytest.mark.slow
def test_quantile_intervals_stay_as_wide_and_unions_grow() -> None:
    plan = NewTaskPlan((20, 60, 100), (0.05,), (0.3,), 60, 0)
    table = measure_new_tasks(Design(10, 10, 0.3, 0.5, 3), plan)
    widths = {
        merge: [number(row, "width") for row in table if row["merge"] == merge]
        for merge in ("quantile", "union")
    }
    assert max(widths["quantile"]) - min(widths["quantile"]) < 0.03
    assert widths["union"][0] + 0.03 < widths["union"][1] < widths["union"][2]
    assert min(numbers(table, "coverage")) >= 0.65


def test_pictures_are_drawn_with_their_numbers(tmp_path: Path) -> None:
    study = figures(repetitions=1)
    designs = [unit.arguments[0] for unit in study.units]
    results = [
        [
            {**design._asdict(), "level": 0.05, "method": method, "width": 0.5, "coverage": 0.9}
            for method in ("holm", "bootstrap")
        ]
        for design in designs[:480]
    ] + [
        [
            {**design._asdict(), "n_tasks": n, "level": 0.05, "rate": 0.3, "merge": merge,
             "width": 0.5, "coverage": 0.9}
            for n in (20, 40)
            for merge in ("union", "quantile")
        ]
        for design in designs[480:]
    ]  # fmt: skip
    made = Study("drawn", (), lambda _: study.finish(results), study.draw)
    names = sorted(path.name for path in run(made, tmp_path, picture="png"))
    assert names == [f"figure_{n}.{kind}" for n in ("1a", "1b", "6") for kind in ("csv", "png")]
    assert all((tmp_path / name).stat().st_size > 100 for name in names)

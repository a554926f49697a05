"""Running a study: workers, interruptions, files."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

import rankbars as rb
from rankbars.render.plotting import style
from rankbars.simulate import STUDIES, Study, Unit, measure, run
from rankbars.simulate.study import Table, check_repetitions, number
from rankbars.simulate.traps import clusters


def work(log: str, value: int) -> Table:
    """Note down that it was called; break off at a file called "stop"."""
    folder = Path(log)
    if value >= 2 and (folder / "stop").exists():
        raise KeyboardInterrupt
    with (folder / "log").open("a", encoding="utf-8") as stream:
        stream.write(f"{value}\n")
    return [{"value": value, "half": value / 2, "note": None}]


def finish(results: Sequence[Table]) -> dict[str, Table]:
    return {"made": [row for table in results for row in table]}


def toy(log: Path, count: int = 4) -> Study:
    return Study("toy", tuple(Unit(work, (str(log), value)) for value in range(count)), finish)


def calls(log: Path) -> list[str]:
    return (log / "log").read_text(encoding="utf-8").split()


def test_tables_become_csv_files(tmp_path: Path) -> None:
    paths = run(toy(tmp_path), tmp_path / "a" / "b")
    assert [path.name for path in paths] == ["made.csv"]
    assert paths[0].read_text(encoding="utf-8").splitlines()[:3] == [
        "value,half,note",
        "0,0,",
        "1,0.5,",
    ]


def test_an_interrupted_study_goes_on_where_it_stopped(tmp_path: Path) -> None:
    output = tmp_path / "results"
    (tmp_path / "stop").touch()
    with pytest.raises(KeyboardInterrupt):
        run(toy(tmp_path), output)
    assert calls(tmp_path) == ["0", "1"]
    assert not list(output.glob("*.csv"))
    (tmp_path / "stop").unlink()
    seen: list[tuple[int, int]] = []
    run(toy(tmp_path), output, progress=lambda done, total: seen.append((done, total)))
    assert calls(tmp_path) == ["0", "1", "2", "3"]
    assert seen == [(2, 4), (3, 4), (4, 4)]
    assert [path.name for path in output.iterdir()] == ["made.csv"]


def test_another_seed_does_not_take_up_old_results(tmp_path: Path) -> None:
    first = clusters(repetitions=20, seed=0)
    other = clusters(repetitions=20, seed=1)
    kept = measure(first, partial=tmp_path / "partial")
    assert measure(first, partial=tmp_path / "partial") == kept
    assert measure(other, partial=tmp_path / "partial") == measure(other) != kept


def test_partial_results_of_another_study_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".partial").mkdir()
    (tmp_path / ".partial" / "other.json").write_text("[]", encoding="utf-8")
    run(toy(tmp_path), tmp_path)
    assert [path.name for path in (tmp_path / ".partial").iterdir()] == ["other.json"]


def test_results_do_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    study = STUDIES["clusters"](repetitions=1100)
    serial = run(study, tmp_path / "serial")[0].read_bytes()
    parallel = run(study, tmp_path / "parallel", n_jobs=2)[0].read_bytes()
    assert serial == parallel


def test_fewer_repetitions_are_the_first_of_more() -> None:
    few = measure(STUDIES["winner"](repetitions=2))["winner"]
    again = measure(STUDIES["winner"](repetitions=2))["winner"]
    assert few == again
    assert {row["repetitions"] for row in few} == {2}


@pytest.mark.parametrize("name", [name for name in STUDIES if name != "tables"])
def test_no_study_of_nothing(name: str) -> None:
    with pytest.raises(rb.OptionError, match="repetitions must be"):
        STUDIES[name](repetitions=0)


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True])
def test_repetitions_are_counted(wrong: object) -> None:
    with pytest.raises(rb.OptionError, match="repetitions must be"):
        check_repetitions(wrong)  # type: ignore[arg-type]


def test_no_workers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rb.OptionError, match="n_jobs"):
        run(toy(tmp_path), tmp_path, n_jobs=0)


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    with pytest.raises(rb.WriteError, match="taken"):
        run(toy(tmp_path), tmp_path / "taken")


def test_unknown_picture_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(rb.UnknownOptionError, match="Did you mean 'svg'"):
        run(toy(tmp_path), tmp_path, picture="svgz")
    assert not (tmp_path / "log").exists()


def test_missing_matplotlib_is_said_before_any_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(style.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(rb.MissingPackageError, match=r"rankbars\[plot\]"):
        run(STUDIES["coverage"](repetitions=1), tmp_path)
    assert not list(tmp_path.iterdir())
    run(toy(tmp_path), tmp_path)  # needs no picture


def test_a_cell_that_must_be_a_number_is_one() -> None:
    with pytest.raises(TypeError, match="expected a number as width"):
        number({"width": None}, "width")


def test_every_study_writes_rows_of_one_shape(tmp_path: Path) -> None:
    for name in ("winner", "runs", "families", "peeking"):
        path = run(STUDIES[name](repetitions=3), tmp_path)[0]
        with path.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        assert rows
        assert {"quantity", "published_low", "published_high", "value"} <= set(rows[0])

"""Several answers to one item are kept as numbers, means and variances, and by run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from storefiles import add, held
from tablefiles import pandas_frame, read_columns, write_csv, write_parquet

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.evidence import Items, take_models, take_rows
from rankbars.errors import DataError
from rankbars.store.access import open_store
from rankbars.store.naming import scores_of

# Answers of ash and birch to three items; ash was asked the second one once, and three times.
ANSWERS = {
    ("ash", "q1"): [1, 0, 1], ("ash", "q2"): [1], ("ash", "q3"): [0, 0, 1],
    ("birch", "q1"): [1, 1], ("birch", "q2"): [0, 1, 1], ("birch", "q3"): [0, 0],
}  # fmt: skip


def table(runs_of: dict[str, str] | None = None, label: str = "trial") -> dict[str, list[Any]]:
    names = runs_of or {}
    rows = [
        (model, item, f"{names.get(model, '')}{place}", score)
        for (model, item), scores in ANSWERS.items()
        for place, score in enumerate(scores)
    ]
    columns = [list(cells) for cells in zip(*rows, strict=True)]
    return dict(zip(("model", "item", label, "score"), columns, strict=True))


def only(scores: rb.Scores) -> Items:
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, Items)
    return evidence


def check(items: Items) -> None:
    for (model, item), scores in ANSWERS.items():
        assert items.ids is not None
        row, column = items.ids.index(item), items.models.index(model)
        assert items.values[row, column] == np.mean(scores)
        assert items.answers is not None
        assert items.answers[row, column] == len(scores)
        assert items.within is not None
        expected = np.var(scores, ddof=1) if len(scores) > 1 else np.nan
        np.testing.assert_allclose(items.within[row, column], expected, rtol=1e-15)
        assert items.by_run is not None
        kept = items.by_run[row, :, column]
        assert sorted(kept[~np.isnan(kept)]) == sorted(scores)


@pytest.mark.parametrize("label", ["trial", "seed"])
def test_unequal_trials_of_a_table_are_kept(label: str) -> None:
    items = only(read_columns(table(label=label)))
    check(items)
    assert items.runs is None
    assert items.trials is not None
    assert items.trials.shape == (3, 3, 2)


def test_runs_with_names_of_their_own_are_those_of_each_model() -> None:
    items = only(read_columns(table({"ash": "job-7-", "birch": "job-9-"}, "run")))
    check(items)
    assert items.trials is not None
    assert items.trials.shape == (3, 3, 2)
    assert items.trials[0, :, 0].tolist() == [1, 0, 1]


def test_two_columns_of_the_same_runs_are_one() -> None:
    columns = table()
    columns["run"] = [
        f"job-{trial}" if model == "ash" else "one-job"
        for model, trial in zip(columns["model"], columns["trial"], strict=True)
    ]
    check(only(read_columns(columns)))
    columns["run"] = [f"job-{int(trial) // 2}" for trial in columns["trial"]]
    nested = only(read_columns(columns))
    assert nested.by_run is None  # answers of one job may be alike
    assert nested.within is not None


def test_a_name_for_every_answer_numbers_no_runs() -> None:
    columns = table(label="seed")
    columns["seed"] = [f"u{place}" for place in range(len(columns["score"]))]
    columns = {name: cells * 4 for name, cells in columns.items()}
    rows = len(columns["seed"])
    columns["seed"] = [f"u{place}" for place in range(rows)]
    columns["item"] = [f"{item}-{place // 14}" for place, item in enumerate(columns["item"])]
    items = only(read_columns(columns))
    assert items.by_run is None
    assert items.within is not None


def test_lower_scores_that_are_better_keep_their_spread() -> None:
    items = only(read_columns(table(), direction="lower"))
    assert items.trials is not None
    assert items.within is not None
    assert np.nanmax(items.trials) == 0.0
    np.testing.assert_allclose(items.within[0, 0], 1 / 3)


def test_answers_that_failed_leave_the_trials() -> None:
    columns = table()
    columns["score"] = [None if place == 1 else score for place, score in
                        enumerate(columns["score"])]  # fmt: skip
    items = only(read_columns(columns))
    assert items.answers is not None
    assert items.answers[0, 0] == 2
    assert items.within is not None
    assert items.within[0, 0] == 0.0
    assert items.trials is not None
    assert np.isnan(items.trials[0, 1, 0])


def test_a_memory_limit_and_a_store_keep_trials(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    rows = zip(*(columns := table()).values(), strict=True)
    path.write_text("\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]))
    known = only(rb.read(path))
    store = str(tmp_path / "board.duckdb")
    add(str(path), store=store)
    for other in (rb.read(path, memory_limit="1GB"), held(store)):
        items = only(other)
        check(items)
        np.testing.assert_array_equal(items.by_run, known.by_run)
        np.testing.assert_array_equal(items.within, known.within)


def test_part_of_the_evidence_keeps_its_trials() -> None:
    items = only(read_columns(table()))
    some = take_rows(take_models(items, [1]), np.array([True, False, True]))
    assert some.within is not None
    assert some.trials is not None
    assert some.within.tolist() == [[0.0], [0.0]]
    assert some.trials.shape == (2, 3, 1)


def test_models_of_two_files_keep_their_trials(tmp_path: Path) -> None:
    parts = []
    for model in ("ash", "birch"):
        columns = table()
        mine = [place for place, name in enumerate(columns["model"]) if name == model]
        path = tmp_path / f"{model}.json"
        path.write_text(json.dumps([{name: cells[i] for name, cells in columns.items()}
                                    for i in mine]))  # fmt: skip
        parts.append(path)
    check(only(rb.read(parts)))


def test_variances_below_zero_are_refused() -> None:
    with pytest.raises(DataError, match="within holds variances"):
        Items(("a",), [[1.0]], within=[[-1.0]])


def sides(models: int = 2) -> dict[str, list[Any]]:
    """Trials of models with a skill and without it."""
    rng = np.random.default_rng(11)
    rows = [
        (f"m{model}", f"q{item}", trial, skill, int(rng.random() < 0.5))
        for model in range(models)
        for skill in ("with", "without")
        for item in range(6)
        for trial in range(3)
    ]
    columns = [list(cells) for cells in zip(*rows, strict=True)]
    return dict(zip(("model", "item", "trial", "condition", "score"), columns, strict=True))


def test_a_skill_makes_two_sides_of_each_model() -> None:
    columns = sides()
    scores = read_columns(columns)
    assert scores.models == ("m0 · with", "m0 · without", "m1 · with", "m1 · without")
    items = only(scores)
    assert items.runs is not None
    rows = [
        place
        for place in range(len(columns["score"]))
        if (columns["model"][place], columns["condition"][place]) == ("m1", "with")
    ]
    own = np.array([columns["score"][place] for place in rows], float).reshape(6, 3)
    np.testing.assert_array_equal(items.runs[:, :, 2], own)
    duel = rb.head_to_head(scores, "m1 · with", "m1 · without")
    assert duel.main is not None
    assert duel.main.n == 6
    assert any("is a side of its model" in note.message for note in scores.notes)


def test_conditions_are_declared_or_switched_off(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(sides(1)).rename(columns={"condition": "skill"})
    declared = rb.Scores.from_frame(frame, columns={"condition": "skill"})
    assert declared.models == ("m0 · with", "m0 · without")
    with pytest.raises(DataError, match="condition"):
        rb.Scores.from_frame(pd.DataFrame(sides()), columns={"condition": ""})
    named = sides(1)
    del named["model"]
    path = tmp_path / "agent.csv"
    rows = zip(*named.values(), strict=True)
    lines = [",".join(named), *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for limit in (None, "1GB"):
        assert rb.read(path, memory_limit=limit).models == ("agent · with", "agent · without")


def test_a_condition_of_items_leaves_models_whole() -> None:
    columns = table()
    columns["condition"] = ["easy" if item == "q1" else "hard" for item in columns["item"]]
    assert read_columns(columns).models == ("ash", "birch")


def with_lost_trials() -> dict[str, list[Any]]:
    """A trial that ran and one that failed have no score, beside others; so has a lone one."""
    columns = table()
    scores: list[float | None] = [float(score) for score in columns["score"]]
    status = ["scored"] * len(scores)
    for place, state in ((0, "unscored"), (3, "unscored"), (9, "error")):
        scores[place], status[place] = None, state
    return columns | {"score": scores, "status": status}


def read_from(source: str, folder: Path, **options: Any) -> rb.Scores:
    """The same table by each way in which tables come."""
    columns = with_lost_trials()
    if source == "frame":
        return rb.Scores.from_frame(pandas_frame(columns), **options)
    if source in ("parquet", "by reference"):
        path = write_parquet({"task": ["t"] * 14, **columns}, folder)
        return rb.read(path, by_reference=source == "by reference", **options)
    blank = ["" if one is None else one for one in columns["score"]]
    path = write_csv({**columns, "score": blank}, folder)
    if source != "store":
        return rb.read(path, memory_limit="1GB" if source == "limited" else None, **options)
    store, failed = str(folder / "board.duckdb"), options.pop("failed", None)
    given = [word for name, value in options.items()
             for word in (f"--score-{name[:3]}" if name != "direction" else "--direction",
                          str(value))]  # fmt: skip
    add(str(path), *given, store=store)
    with open_store(store) as opened:
        return scores_of(opened, {"failed": failed})


SOURCES = ("csv", "limited", "parquet", "by reference", "frame", "store")


def test_noise_counts_failed_trials_as_it_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = with_lost_trials()
    blank = ["" if one is None else one for one in columns["score"]]
    path = str(write_csv({**columns, "score": blank}, tmp_path))
    asked = ["noise", path, "--score-min", "0", "--trials", "fixed", "--json", "-q"]
    assert run(asked) == 0
    left_out = json.loads(capsys.readouterr().out)["tasks"][0]["noise"]["means"]
    assert run([*asked, "--missing", "fail"]) == 0
    counted = json.loads(capsys.readouterr().out)["tasks"][0]["noise"]["means"]
    assert run([*asked, "--missing", "nonsense"]) == 2
    # Without a score: the first of three answers of ash to q1, its one to q2, the first of birch's
    # three to q2.
    assert left_out["mean"] == pytest.approx([(1 / 2 + 1 / 3) / 2, (1 + 1 + 0) / 3])
    assert counted["mean"] == pytest.approx([(1 / 3 + 0 + 1 / 3) / 3, (1 + 2 / 3 + 0) / 3])


def told(scores: rb.Scores) -> dict[str, str]:
    codes = ("failed-trials", "unscored-trials")
    return {note.code: note.message for note in scores.notes if note.code in codes}


@pytest.mark.parametrize("source", SOURCES)
def test_trials_without_a_score_are_left_out_and_counted(source: str, tmp_path: Path) -> None:
    scores = read_from(source, tmp_path)
    items = only(scores)
    np.testing.assert_array_equal(items.values, [[0.5, 1.0], [np.nan, 1.0], [1 / 3, 0.0]])
    assert items.answers is not None
    assert items.answers.tolist() == [[2, 2], [0, 2], [3, 2]]
    assert told(scores) == {
        "failed-trials": "Trials that failed and have no score: 'birch' 1 of 7. They are left out.",
        "unscored-trials": "Trials that ran and have no score: 'ash' 1 of 7. They are left out.",
    }


@pytest.mark.parametrize("source", SOURCES)
def test_trials_without_a_score_count_as_the_lowest(source: str, tmp_path: Path) -> None:
    scores = read_from(source, tmp_path, failed="lowest", minimum=0)
    items = only(scores)
    # The lone trial is a gap of the task, which the policy for gaps fills.
    np.testing.assert_array_equal(items.values, [[1 / 3, 1.0], [np.nan, 2 / 3], [1 / 3, 0.0]])
    assert items.answers is not None
    assert items.answers.tolist() == [[3, 2], [0, 3], [3, 2]]
    messages = told(scores).values()
    assert len(messages) == 2
    assert all("count as the worst score" in message for message in messages)
    assert scores.info[next(iter(scores.info))].coverage.errors.tolist() == [0, 0]  # type: ignore[union-attr]


@pytest.mark.parametrize("source", SOURCES)
def test_the_worst_score_of_a_loss_is_the_greatest(source: str, tmp_path: Path) -> None:
    options = {"direction": "lower", "maximum": 2}
    items = only(read_from(source, tmp_path, failed="lowest", **options))
    np.testing.assert_array_equal(-items.values, [[1.0, 1.0], [np.nan, 4 / 3], [1 / 3, 0.0]])


@pytest.mark.parametrize("source", ["csv", "by reference", "frame"])
def test_without_a_worst_score_trials_cannot_count(source: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'(ash|birch)' answered without a score \(1\).*minimum=0"):
        read_from(source, tmp_path, failed="lowest")
    with pytest.raises(rb.OptionError, match="score of failed trials"):
        read_from(source, tmp_path, failed="zero")

"""The board file: a round trip, and clear errors for anything else."""

from __future__ import annotations

import importlib.util
import json
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from boardschema import board_schema
from hypothesis import given
from strategies import score_tables

import rankbars as rb
from rankbars.data.boardfile import board_json, board_to_dict
from rankbars.data.boardreading import board_from_dict
from rankbars.data.diagnosis import JudgeReport, Neighbours


def small_board() -> rb.Leaderboard:
    rng = np.random.default_rng(0)
    arrays = {f"t{i}": rng.random((9, 3)) for i in range(4)}
    arrays["t0"][0, 0] = np.nan
    return rb.leaderboard(rb.Scores.from_arrays(arrays, ["a", "b", "c"]), missing="bounds")


@given(scores=score_tables())
def test_round_trip_gives_the_same_bytes(scores: rb.Scores) -> None:
    text = board_json(rb.leaderboard(scores))
    assert board_json(board_from_dict(json.loads(text))) == text


def test_file_holds_the_documented_keys_and_no_nan() -> None:
    values = board_to_dict(small_board())
    assert set(values) >= {
        "schema", "models", "tasks", "overall", "aggregate", "shown_better", "tiers", "notes",
        "spec", "provenance",
    }  # fmt: skip
    assert values["tasks"][0]["mean"][0] is None  # a is absent from t0
    json.dumps(values, allow_nan=False)


@given(scores=score_tables())
def test_file_follows_the_schema_that_ships_with_the_package(scores: rb.Scores) -> None:
    validator = jsonschema.Draft202012Validator(board_schema())
    validator.validate(board_to_dict(rb.leaderboard(scores)))
    validator.validate(board_to_dict(small_board()))


def test_schema_is_the_one_that_the_types_give() -> None:
    """If not, run: python scripts/make_schema.py."""
    place = Path(__file__).resolve().parents[2] / "scripts" / "make_schema.py"
    spec = importlib.util.spec_from_file_location("make_schema", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert json.loads(module.schema_text()) == board_schema()
    for name in ("plan", "preflight", "alarms"):
        kept = place.parents[1] / "src" / "rankbars" / "data" / f"{name}.schema.json"
        assert module.answer_schema(name) == kept.read_text("utf-8")
    for name in module.PRINTED:
        kept = place.parents[1] / "src" / "rankbars" / "data" / f"{name}.schema.json"
        assert module.command_schema(name) == kept.read_text("utf-8")


def test_saving_leaves_nothing_half_written(tmp_path: Path) -> None:
    target = tmp_path / "board.json"
    small_board().save(target)
    assert [entry.name for entry in tmp_path.iterdir()] == ["board.json"]
    assert rb.load(target).models == ("a", "b", "c")


def test_saving_into_a_missing_folder_names_it(tmp_path: Path) -> None:
    with pytest.raises(rb.WriteError, match="No such file or directory"):
        small_board().save(tmp_path / "nowhere" / "board.json")
    with pytest.raises(rb.WriteError, match="it is a folder"):
        small_board().save(tmp_path)


def test_saving_to_a_device_does_not_replace_it() -> None:
    small_board().save("/dev/null")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "does not hold valid JSON"),
        ("{", "does not hold valid JSON"),
        ("[]", "no schema"),
        ('{"schema": "rankbars.board/9"}', "found schema 'rankbars.board/9'"),
        ('{"schema": "rankbars.board/1"}', "damaged board file"),
        ("[" * 100_000, "not a board file"),
    ],
)
def test_anything_else_is_refused_with_the_file_named(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "x.json"
    path.write_text(content)
    with pytest.raises(rb.ReadError, match=message) as error:
        rb.load(path)
    assert "x.json" in str(error.value)


def test_damaged_values_are_refused(tmp_path: Path) -> None:
    good = board_to_dict(small_board())
    path = tmp_path / "x.json"
    damages = [
        ("models", ["a", "b"]),
        ("models", ["a", "a", "b"]),
        ("tiers", [["zebra"]]),
        ("tiers", []),
        ("shown_better", [["a", "zebra"]]),
        ("lead", "banana"),
        ("notes", [{}]),
        ("tasks", "x"),
        ("overall", {}),
        ("spec", {"alpha": 7}),
        ("tasks", [good["tasks"][0] | {"best": [1.5, 1.0, 1.0]}]),
    ]
    for key, value in damages:
        path.write_text(json.dumps(good | {key: value}))
        with pytest.raises(rb.ReadError):
            rb.load(path)


AVERAGES = [
    {},
    {"over": "tasks", "estimator": "bootstrap_t", "resamples": 20},
    {"method": "average_rank", "over": "items", "resamples": 20},
    {"over": "families", "method": "borda", "resamples": 20},
    {"normalise": "zscore", "resamples": 20},
    {"over": "none"},
]


def board_with_average(options: dict[str, Any]) -> rb.Leaderboard:
    rng = np.random.default_rng(0)
    arrays = {f"t{i}": rng.random((9, 3)) for i in range(4)}
    info = {name: rb.TaskInfo(category=f"c{name[1:] > '1'}", family=name) for name in arrays}
    scores = rb.Scores.from_arrays(arrays, ["a", "b", "c"], info=info)
    return rb.leaderboard(scores, spec=rb.Spec(**options))


@pytest.mark.parametrize("options", AVERAGES, ids=str)
def test_every_average_survives_the_file(options: dict[str, Any]) -> None:
    board = board_with_average(options)
    values = json.loads(board_json(board))
    jsonschema.Draft202012Validator(board_schema()).validate(values)
    again = board_from_dict(values)
    assert board_json(again) == board_json(board)
    assert again.spec == board.spec
    if board.aggregate is None:
        with pytest.raises(rb.DataError, match="it has no average of tasks"):
            again.rank_probabilities()
        return
    assert again.aggregate is not None
    assert again.rank_probabilities() == pytest.approx(board.rank_probabilities())
    assert again.rank_probabilities().sum(axis=1) == pytest.approx(1.0)
    assert again.aggregate.target == board.aggregate.target
    assert again.aggregate.guarantee == board.aggregate.guarantee
    assert again.aggregate.expected_rank == pytest.approx(board.aggregate.expected_rank)
    one, two = board.aggregate.by_category, again.aggregate.by_category
    if one is not None:
        assert two is not None
        assert two.at().error == one.at().error
        assert (two.weight_map(steps=9).winner == one.weight_map(steps=9).winner).all()


def test_a_model_without_an_average_has_no_rank_probabilities() -> None:
    board = small_board()
    assert board.aggregate is not None
    found = board_from_dict(json.loads(board_json(board))).rank_probabilities()
    assert np.isnan(found[0]).all()
    assert found[1:, :2].sum(axis=1) == pytest.approx(1.0)


def test_files_of_the_first_versions_can_be_read() -> None:
    values = board_to_dict(board_with_average({}))
    later = {
        "method", "normalise", "limits", "target", "guarantee", "se", "df", "expected_rank",
        "dominance", "categories",
    }  # fmt: skip
    early = {key: value for key, value in values["aggregate"].items() if key not in later}
    early["rank_probability"] = None
    spec = {
        key: value
        for key, value in values["spec"].items()
        if key not in ("estimator", "method", "normalise")
    }
    board = board_from_dict(values | {"aggregate": early, "spec": spec})
    assert board.aggregate is not None
    assert board.aggregate.method == "mean"
    with pytest.raises(rb.DataError, match="errors of its average are not known"):
        board.rank_probabilities()


def voted_board() -> rb.Leaderboard:
    wins = np.array([[0, 9, 30], [5, 0, 22], [3, 8, 0]], dtype=float)
    scores = rb.Scores({"arena": rb.Votes(("a", "b", "c"), wins)})
    return replace(rb.leaderboard(scores), health=rb.examine_votes(scores, simulations=9))


def test_health_of_votes_survives_the_file_where_it_is_asked_for(tmp_path: Path) -> None:
    board = voted_board()
    board.save(tmp_path / "small.json")
    assert rb.load(tmp_path / "small.json").health is None
    board.save(tmp_path / "board.json", pairs=True)
    values = json.loads((tmp_path / "board.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(board_schema()).validate(values)
    again = rb.load(tmp_path / "board.json")
    assert board.health is not None
    assert again.health == board.health
    assert board_json(again, pairs=True) == board_json(board, pairs=True)


def test_unknown_and_infinite_numbers_of_votes_are_told_apart_in_the_file() -> None:
    board = voted_board()
    assert board.health is not None
    pairs = tuple(
        Neighbours("a", "b", 0.0, 0.1, votes, 1.0) for votes in (np.nan, np.inf, 0.0, 12.5)
    )
    board = replace(board, health={"arena": replace(board.health["arena"], neighbours=pairs)})
    values = json.loads(board_json(board, pairs=True))
    jsonschema.Draft202012Validator(board_schema()).validate(values)
    found = values["vote_health"]["arena"]["neighbours"]
    assert [pair["votes"] for pair in found] == [None, "infinite", 0.0, 12.5]
    again = board_from_dict(values).health
    assert again is not None
    read = [pair.votes for pair in again["arena"].neighbours]
    assert np.array_equal(read, [np.nan, np.inf, 0.0, 12.5], equal_nan=True)


def test_voters_by_themselves_stay_out_of_the_file() -> None:
    board = voted_board()
    assert board.health is not None
    judge = JudgeReport("secret voter", 3, None, None, 0.5, 0.4, 0.6)
    board = replace(board, health={"arena": replace(board.health["arena"], judges=(judge,))})
    assert "secret voter" not in board_json(board, pairs=True)


def test_health_of_other_votes_is_refused() -> None:
    board = voted_board()
    assert board.health is not None
    found = board.health["arena"]
    with pytest.raises(rb.DataError, match="'elsewhere' is none here"):
        replace(board, health={"elsewhere": found})
    with pytest.raises(rb.DataError, match="'zebra', which the board does not rank"):
        replace(board, health={"arena": replace(found, models=("a", "zebra"))})
    with pytest.raises(rb.DataError, match="'t0' is none here"):
        replace(small_board(), health={"t0": found})

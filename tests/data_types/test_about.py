"""Title, source, date, link and description of a board: what is taken, kept and written."""

import jsonschema
import numpy as np
import pytest
from boardschema import board_schema

import rankbars as rb
from rankbars.data.about import About
from rankbars.data.boardfile import board_json, board_to_dict
from rankbars.data.boardreading import board_from_dict
from rankbars.errors import DataError, OptionError, RankbarsError

ALL = {
    "title": "Trees",
    "source": "Tree bench 2",
    "date": "2026-05-31",
    "link": "https://example.org/a?b=1&c=(2)",
    "description": "How trees answer.",
}


@pytest.fixture(scope="module")
def board() -> rb.Leaderboard:
    rows = np.random.default_rng(0).normal(size=(20, 3)) + [0, 1, 2]
    return rb.leaderboard(rb.Scores.from_arrays({"t": rows}, ["a", "b", "c"]))


def test_the_file_holds_what_was_given_and_nothing_else(board: rb.Leaderboard) -> None:
    assert "about" not in board_to_dict(board)
    plain = board_to_dict(board.titled(title="Trees", date="2026-05-31"))
    assert plain["about"] == {"title": "Trees", "date": "2026-05-31"}
    jsonschema.validate(plain, board_schema())
    again = board_from_dict(board_to_dict(board.titled(**ALL)))
    assert again.about == About(**ALL)
    assert board_json(again) == board_json(board.titled(**ALL))


def test_nothing_that_is_computed_changes(board: rb.Leaderboard) -> None:
    plain = board_to_dict(board.titled(**ALL))
    bare = board_to_dict(board)
    assert {key for key in plain if plain[key] != bare.get(key)} == {"about", "digest"}


def test_what_is_not_given_stays_and_an_empty_text_removes(board: rb.Leaderboard) -> None:
    named = board.titled(**ALL).titled(title="Woods", link="")
    assert named.about == About(**(ALL | {"title": "Woods", "link": None}))
    assert board.titled().about is None
    assert named.titled(**dict.fromkeys(ALL, " ")).about is None


def test_white_space_becomes_single_blanks() -> None:
    assert About(title=" Two\n lines\t", source="  ") == About(title="Two lines")


@pytest.mark.parametrize(
    "given",
    [
        *({"date": text} for text in ("2026-13-01", "2026-02-30", "20260531", "31.5.2026")),
        *({"date": text} for text in ("2026-W22-7", "2026-05-31T10:00", "2026")),
        *({"link": text} for text in ("javascript:alert(1)", "example.org", "//example.org")),
        *({"link": text} for text in ("https://", "https://[x", "ftp://example.org")),
        *({"link": text} for text in ('https://a.b/"x', "https://a.b/ c", "https://a.b/<x>")),
        {"link": "https://a.b/" + "x" * 1000},
        {"title": "x" * 1001},
        {"title": "\ud800"},
        {"description": 5},
    ],
)
def test_what_does_not_fit_is_refused_in_one_line_by_its_name(
    board: rb.Leaderboard, given: dict[str, str]
) -> None:
    with pytest.raises(OptionError) as caught:
        board.titled(**given)
    message = str(caught.value)
    assert message.startswith(next(iter(given)))
    assert "\n" not in message
    with pytest.raises(RankbarsError):
        board_from_dict(board_to_dict(board) | {"about": given})


def test_a_board_file_with_another_key_there_is_refused(board: rb.Leaderboard) -> None:
    with pytest.raises(DataError, match="about"):
        board_from_dict(board_to_dict(board) | {"about": "Trees"})

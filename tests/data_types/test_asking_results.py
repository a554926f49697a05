"""What a board, scores and a comparison answer in a notebook."""

import pickle
from xml.etree import ElementTree as ET

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

import rankbars as rb

RNG = np.random.default_rng(3)
NAMES = ["base", "old", "ours"]
SCORES = rb.Scores.from_arrays(
    {task: (RNG.random((40, 3)) < [0.5, 0.4, 0.9]).astype(float) for task in ("law", "math")}, NAMES
)
BOARD = rb.leaderboard(SCORES)
ONE = rb.leaderboard(SCORES.select(tasks=["law"]))


def test_a_board_is_asked_for_a_model():
    row = BOARD["ours"]
    place = BOARD.models.index("ours")
    assert (row.model, row.best, row.worst, row.tier) == ("ours", 1, 1, 1)
    assert row.score == BOARD.aggregate.score[place]
    assert (row.score_low, row.score_high) == (
        BOARD.aggregate.low[place], BOARD.aggregate.high[place],
    )  # fmt: skip
    with pytest.raises(rb.UnknownOptionError, match="Unknown model 'our'"):
        BOARD["our"]
    with pytest.raises(rb.UnknownOptionError, match="Unknown model 0"):
        BOARD[0]


def test_a_board_counts_its_models_and_names_the_best_first():
    assert len(BOARD) == 3
    assert list(BOARD) == [BOARD.models[i] for i in BOARD.order]
    assert next(iter(BOARD)) == "ours"
    assert "ours" in BOARD
    assert "law" not in BOARD
    assert [BOARD[name].model for name in BOARD] == BOARD.to_frame("pandas")["model"].tolist()


def test_printing_a_board_shows_it_as_a_terminal_does():
    assert str(BOARD) == BOARD.to_text()
    assert BOARD.to_text().startswith("On the average of these 2 tasks, ours leads")
    assert BOARD.to_text(task="law") != BOARD.to_text()
    assert "| " in BOARD.to_markdown()
    assert "ours" in BOARD.to_markdown(task="law")


def test_the_page_is_a_text_or_a_file(tmp_path):
    text = BOARD.to_html()
    assert text.startswith("<!")
    assert BOARD.to_html(tmp_path / "board.html") is None
    assert (tmp_path / "board.html").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("x.html", 'board.to_html("x.html")'),
        ("x.CSV", "to_csv("),
        ("x.md", "board.to_markdown()"),
        ("x.txt", "board.to_text()"),
        ("x.png", 'board.plot("ranks").figure.savefig("x.png")'),
        ("x.parquet", "to_parquet("),
    ],
)
def test_saving_under_the_name_of_another_format_says_what_writes_it(name, call, tmp_path):
    with pytest.raises(rb.OptionError) as caught:
        BOARD.save(name)
    assert call in str(caught.value)
    assert not list(tmp_path.iterdir())


def test_pictures_are_drawn_on_axes_and_give_them_back():
    with mpl.rc_context({"backend": "agg"}):
        from matplotlib import pyplot as plt

        ax = BOARD.plot()
        assert ax.figure.axes
        _, mine = plt.subplots()
        assert BOARD.plot("task_ranks", ax=mine, task="law") is mine
        assert BOARD.plot("lanes", mine) is mine
        plt.close("all")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "bars"}, "Unknown picture of a board 'bars'"),
        ({"kind": "left_out"}, "Unknown picture of a board"),
        ({"kind": "task_ranks"}, "task_ranks draws one task: name it with task='NAME'."),
        ({"kind": "ranks", "task": "law"}, "ranks does not take task='law'."),
        ({"kind": "model_ranks", "model": "x"}, "Unknown model 'x'"),
        ({"ax": 3}, "ax must be axes of matplotlib; got 3."),
    ],
)
def test_a_picture_that_cannot_be_drawn_is_named(options, words):
    with pytest.raises(rb.OptionError) as caught:
        BOARD.plot(**options)
    assert words in str(caught.value)


# --- frames ------------------------------------------------------------------------------------


def test_frames_of_tasks_carry_the_score_with_its_error_interval_and_rows():
    rows = RNG.normal(size=(40, 3)) + [0.0, 0.2, 1.0]
    scores = rb.Scores.from_arrays({"law": rows, "math": rows + 1}, NAMES)
    frame = rb.leaderboard(scores).to_frame("pandas", task="law")
    assert frame["n"].tolist() == [40, 40, 40]
    for row in frame.itertuples():
        values = rows[:, NAMES.index(row.model)]
        assert row.score == pytest.approx(values.mean())
        assert row.se == pytest.approx(stats.sem(values))
        ends = stats.t.interval(0.95, 39, loc=values.mean(), scale=stats.sem(values))
        assert (row.score_low, row.score_high) == pytest.approx(ends)
    both = BOARD.to_frame("pandas", task=list(BOARD.tasks))
    assert both["task"].tolist() == ["law"] * 3 + ["math"] * 3
    with pytest.raises(rb.UnknownOptionError, match="Unknown task 'lore'"):
        BOARD.to_frame(task="lore")


def test_a_board_of_one_task_has_the_intervals_of_that_task():
    frame, of_task = ONE.to_frame("pandas"), ONE.to_frame("pandas", task="law")
    shared = ["model", "score", "score_low", "score_high", "best", "worst", "coverage"]
    pd.testing.assert_frame_equal(frame[shared], of_task[shared])


def test_published_scores_have_normal_intervals_and_none_without_an_error():
    published = rb.Estimates(("a", "b", "c"), [0.5, 0.6, 0.7], se=[0.1, 0.0, np.nan])
    frame = rb.leaderboard(rb.Scores({"t": published})).to_frame("pandas", task="t")
    rows = frame.set_index("model")
    assert rows.loc["a", "score_low"] == pytest.approx(0.5 - 1.959963984540054 * 0.1)
    assert rows.loc[["b", "c"], ["score_low", "score_high"]].isna().all(axis=None)
    assert rows["n"].isna().all()


def test_intervals_of_scores_travel_through_the_board_file(tmp_path):
    BOARD.save(tmp_path / "board.json")
    again = rb.load(tmp_path / "board.json")
    pd.testing.assert_frame_equal(
        again.to_frame("pandas", task="law"), BOARD.to_frame("pandas", task="law")
    )


@pytest.mark.parametrize(
    ("made", "kind"),
    [(pd.DataFrame, pd.DataFrame), (pl.DataFrame, pl.DataFrame), (pa.table, pa.Table),
     (lambda columns: pl.DataFrame(columns).lazy(), pl.DataFrame)],
)  # fmt: skip
def test_frames_come_back_as_the_kind_that_went_in(made, kind):
    scores = rb.Scores.from_frame(made(SCORES.to_frame("pandas").to_dict("list")))
    board = rb.leaderboard(pickle.loads(pickle.dumps(scores)))
    for frame in (
        scores.to_frame(), scores.rename(models={"ours": "o"}).to_frame(),
        scores.select(tasks=["law"]).to_frame(), (scores | scores).to_frame(),
        board.to_frame(), board.to_frame(task="law"),
    ):  # fmt: skip
        assert isinstance(frame, kind)
    assert isinstance(board.to_frame("pyarrow"), pa.Table)


def test_scores_become_a_table_that_gives_the_same_scores():
    again = rb.Scores.from_frame(SCORES.to_frame())
    for name, task in SCORES.tasks.items():
        assert (np.sort(again.tasks[name].values, axis=0) == np.sort(task.values, axis=0)).all()
    frame = SCORES.to_frame("pandas")
    assert frame.columns.tolist() == ["model", "task", "item", "score"]
    assert len(frame) == 2 * 3 * 40


def test_scores_come_out_in_the_units_in_which_they_went_in_and_gaps_have_no_row():
    table = pd.DataFrame({"model": ["a", "a", "b"], "item": ["1", "2", "1"],
                          "wer": [0.1, 0.0, 0.3]})  # fmt: skip
    scores = rb.Scores.from_frame(table, score="wer", direction="lower")
    assert scores.to_frame()["score"].tolist() == [0.1, 0.0, 0.3]


def test_published_scores_are_a_table_too():
    published = rb.Estimates(("a", "b"), [0.5, 0.6], se=[0.1, np.nan], n=[10, 0])
    frame = rb.Scores({"t": published}).to_frame("polars")
    assert frame.rows() == [("a", "t", 0.5, 0.1, 10), ("b", "t", 0.6, None, None)]


def test_votes_are_told_pair_by_pair():
    frame = pd.DataFrame({"model_a": list("aab"), "model_b": list("bbc"),
                          "winner": ["model_a", "tie", "model_b"]})  # fmt: skip
    scores = rb.Scores.from_frame(frame)
    told = scores.to_frame("polars")
    assert told.select("model_a", "model_b", "votes").rows() == [("a", "b", 2.0), ("b", "c", 1.0)]
    with pytest.raises(rb.DataError, match="Votes and scores do not fit into one table"):
        (scores | SCORES).to_frame()


# --- two models --------------------------------------------------------------------------------


def test_a_comparison_shows_its_verdict_as_text_and_in_a_notebook():
    duel = rb.head_to_head(SCORES, "ours", "base")
    assert str(duel).startswith("ours is better than base on the average of 2 tasks (at 95 %).")
    page = ET.fromstring(f"<div>{duel._repr_html_()}</div>")
    assert page.find("p/strong").text == str(duel).partition("\n")[0]
    assert [row.find("th").text for row in page.find("table/tbody")] == ["law", "math"]
    for paragraph in page.findall("p"):
        words = " ".join("".join(paragraph.itertext()).split())
        assert words in " ".join(str(duel).split())


def test_hostile_names_stay_text():
    name = "<script>alert(1)</script>"
    duel = rb.head_to_head(SCORES.rename(models={"ours": name}), name, "base")
    assert "<script" not in duel._repr_html_()

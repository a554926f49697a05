"""What a user of pandas or scikit-learn would type: it works, or the message says what does."""

import copy
import pickle
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import rankbars as rb

RNG = np.random.default_rng(8)
FRAME = pd.DataFrame([
    {"model": model, "task": task, "item": item, "score": int(RNG.random() < share)}
    for task in ("law", "math")
    for item in range(30)
    for model, share in (("ours", 0.9), ("base", 0.5), ("old", 0.3))
])  # fmt: skip
WIDE = FRAME.pivot_table(index="model", columns="task", values="score")
SCORES = rb.Scores.from_frame(FRAME)
BOARD = rb.leaderboard(SCORES)
DUEL = rb.head_to_head(SCORES, "ours", "base")


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("results.csv", index=False)
    with mpl.rc_context({"backend": "agg"}):
        yield


WORKING = {
    "leaderboard(path)": lambda: rb.leaderboard("results.csv"),
    "leaderboard(Path)": lambda: rb.leaderboard(Path("results.csv")),
    "leaderboard([path])": lambda: rb.leaderboard(["results.csv"]),
    "leaderboard(frame)": lambda: rb.leaderboard(FRAME),
    "leaderboard(pivot)": lambda: rb.leaderboard(WIDE),
    "leaderboard(pivot.reset_index())": lambda: rb.leaderboard(WIDE.reset_index()),
    "leaderboard(data, n_jobs=-1)": lambda: rb.leaderboard(SCORES, n_jobs=1),
    "head_to_head(path)": lambda: rb.head_to_head("results.csv", "ours", "base"),
    "head_to_head(a=, b=)": lambda: rb.head_to_head(FRAME, a="ours", b="base"),
    "head_to_head().verdict": lambda: DUEL.verdict.startswith("better"),
    "explain(frame)": lambda: rb.explain(FRAME),
    "board[model]": lambda: BOARD["ours"].score,
    "board[model]._asdict()": BOARD["ours"]._asdict,
    "len(board)": lambda: len(BOARD),
    "list(board)": lambda: list(BOARD),
    "model in board": lambda: "ours" in BOARD,
    "for model in board": lambda: [BOARD[name].best for name in BOARD],
    "print(board)": lambda: print(BOARD),
    "board.to_frame()": lambda: BOARD.to_frame().sort_values("score"),
    "board.to_frame(task=)": lambda: BOARD.to_frame(task="law")["se"],
    "board.to_frame('polars')": lambda: BOARD.to_frame("polars").head(),
    "board.to_markdown()": BOARD.to_markdown,
    "board.to_html(path)": lambda: BOARD.to_html("board.html") or Path("board.html").read_text(),
    "board.plot()": BOARD.plot,
    "board.plot(kind, ax)": lambda: BOARD.plot("lanes", ax=BOARD.plot()),
    "board.top(2)": lambda: BOARD.top(2),
    "board.save(path)": lambda: BOARD.save("board.json") or rb.load("board.json"),
    "scores.to_frame()": lambda: SCORES.to_frame().groupby("model")[["score"]].mean().loc["ours"],
    "scores.select(models=[...])": lambda: SCORES.select(models=["ours", "old"]),
    "scores.select(models=name)": lambda: SCORES.select(models="ours"),
    "scores.select(tasks=[...])": lambda: SCORES.select(tasks=["law"]),
    "scores.rename(models={...})": lambda: SCORES.rename(models={"ours": "mine"}),
    "scores | other": lambda: SCORES.select(models=["ours"]) | SCORES.select(models=["base"]),
    "print(duel)": lambda: print(DUEL),
    "duel.main.p_value": lambda: DUEL.main.p_value,
    "duel.to_json()": DUEL.to_json,
}


@pytest.mark.parametrize("guess", WORKING)
def test_a_guess_that_works(guess):
    WORKING[guess]()


def board_of(**options):
    return lambda: rb.leaderboard(SCORES, **options)


TOLD = [
    (board_of(confidence=0.95), "alpha=0.05 stands for 95 % confidence"),
    (board_of(level=0.9), "alpha=0.05 stands for"),
    (board_of(ci=95), "alpha=0.05 stands for"),
    (board_of(random_state=0), "seed=0 is the start"),
    (board_of(n_boot=100), "resamples=1000 says"),
    (board_of(n_bootstrap=100), "resamples=1000 says"),
    (board_of(workers=2), "n_jobs=2 says"),
    (board_of(p_adjust="holm"), "correction='holm' says"),
    (board_of(nan_policy="omit"), "missing='pairwise' says"),
    (board_of(dropna=True), "missing='pairwise' says"),
    (board_of(aggfunc="mean"), "over='items' or over='tasks' says"),
    (board_of(models=["ours"]), "scores.select(models=[...]"),
    (board_of(weights={"law": 2}), "scores.weigh_categories"),
    (board_of(lower_is_better=True), "direction='lower'"),
    (board_of(ascending=False), "direction='lower'"),
    (board_of(score="accuracy"), "rb.Scores.from_frame(frame"),
    (board_of(group="model"), "rb.Scores.from_frame(frame"),
    (board_of(metric="acc"), "rb.read(path, ...)"),
    (board_of(alpha=95), "alpha must be an error rate"),
    (board_of(alpha="0.05"), "alpha of leaderboard() must be float"),
    (board_of(alpha=1), "alpha must be an error rate"),
    (board_of(correction="bonferonni"), "Did you mean 'bonferroni'"),
    (board_of(correction="fdr_bh"), "Unknown correction 'fdr_bh'"),
    (board_of(test="ttest"), "Unknown test 'ttest'"),
    (board_of(test="bootstrap"), "Unknown test 'bootstrap'"),
    (board_of(missing="drop"), "'drop'"),
    (board_of(over="mean"), "'mean'"),
    (board_of(scope="both"), "Unknown scope 'both'"),
    (board_of(seed=None), "seed of leaderboard() must be int"),
    (board_of(seed=1.5), "seed of leaderboard() must be int"),
    (board_of(n_jobs="all"), "n_jobs of leaderboard() must be int"),
    (lambda: rb.leaderboard(np.eye(3)), "rb.Scores.from_arrays({task: array}, models)"),
    (lambda: rb.leaderboard(FRAME.to_dict("records")), "pandas.DataFrame(records)"),
    (lambda: rb.leaderboard({"law": np.eye(3)}), "rb.Scores.from_arrays"),
    (lambda: rb.leaderboard("nowhere.csv"), "nowhere.csv"),
    (lambda: rb.leaderboard(SCORES, "t"), "Name the options: spec"),
    (lambda: rb.leaderboard(FRAME, "model", "score"), "takes 1 values by position"),
    (lambda: rb.compare(SCORES, "ours", "base"), "rb.head_to_head(scores, 'ours', 'base')"),
    (lambda: rb.compare("results.csv"), "rb.read(path)"),
    (lambda: rb.compare(FRAME), "rb.Scores.from_frame(frame)"),
    (lambda: rb.rank(SCORES), "rb.compare(scores)"),
    (lambda: rb.rank("results.csv"), "rb.compare(scores)"),
    (lambda: rb.aggregate(FRAME), "rb.Scores.from_frame(frame)"),
    (lambda: rb.head_to_head("results.csv", "ours"), "needs b"),
    (
        lambda: rb.leaderboard(pd.DataFrame({"model": ["a", "b"], "score": [0, 1], "x": [1, 2]})),
        "rb.Scores.from_frame(frame, layout='tidy')",
    ),
    (lambda: rb.head_to_head(FRAME, "ours", "ours"), "Two different models"),
    (lambda: rb.head_to_head(FRAME, "ours", "bse"), "Did you mean 'base'"),
    (lambda: rb.head_to_head(FRAME, "ours", 1), "b of head_to_head() must be str"),
    (lambda: rb.head_to_head(FRAME, ["ours"], "base"), "a of head_to_head() must be str"),
    (lambda: rb.read(FRAME), "paths of read() must be"),
    (lambda: rb.read("results.csv", direction="down"), "down"),
    (lambda: rb.read("results.csv", columns=["model"]), "ROLE=NAME"),
    (lambda: rb.load(BOARD), "path of load() must be"),
    (lambda: rb.load("results.csv"), "results.csv"),
    (lambda: BOARD["mine"], "Unknown model 'mine'"),
    (lambda: BOARD[0], "Unknown model 0"),
    (lambda: BOARD.top("3"), "k must be"),
    (lambda: BOARD.top(9), "k must be"),
    (lambda: BOARD.plot("bar"), "Unknown picture of a board 'bar'"),
    (lambda: BOARD.plot(ax="left"), "ax must be axes of matplotlib"),
    (lambda: BOARD.save("board.html"), 'board.to_html("board.html")'),
    (lambda: BOARD.save("board.csv"), "to_csv"),
    (lambda: BOARD.to_frame("numpy"), "Unknown data frame library 'numpy'"),
    (lambda: BOARD.to_frame(task="lw"), "Did you mean 'law'"),
    (lambda: BOARD.to_text(task="lw"), "Did you mean 'law'"),
    (lambda: SCORES.select(models=["bse"]), "Did you mean 'base'"),
    (lambda: SCORES.rename(models={"bse": "x"}), "Did you mean 'base'"),
    (lambda: SCORES.rename(models={"base": "ours"}), "Two models would be called 'ours'"),
    (lambda: rb.leaderboard(BOARD), "board.to_frame()"),
]


@pytest.mark.parametrize(("guess", "words"), TOLD)
def test_a_guess_that_does_not_work_says_what_does(guess, words):
    with pytest.raises((rb.OptionError, rb.DataError)) as caught:
        guess()
    assert words in str(caught.value)


def test_there_are_sixty_guesses_and_more():
    assert len(WORKING) + len(TOLD) >= 60


def test_a_frame_may_have_numbers_for_names_of_columns() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((4, 12)), index=pd.Index(list("abcd"), name="model"))
    assert rb.Scores.from_frame(frame, layout="models-by-tasks").models == tuple("abcd")
    assert rb.Scores.from_frame(frame.iloc[:, ::2]).models == tuple("abcd")
    with pytest.raises(rb.DataError, match="numbered in turn"):
        rb.Scores.from_frame(frame)


@pytest.mark.parametrize(
    ("owner", "name", "said"),
    [
        (BOARD, "to_latex", "--format latex"),
        (BOARD, "to_pandas", "Call to_frame()"),
        (BOARD, "to_csv", "Call to_frame('pandas').to_csv(path)"),
        (BOARD, "to_txt", "Did you mean 'to_text'?"),
        (SCORES, "to_df", "Call to_frame()"),
        (SCORES, "filter", "Call select(models=..., tasks=...)"),
        (DUEL, "to_dict", "Call to_json()"),
        (DUEL, "pvalue", "Call main.p_value"),
        (DUEL, "xyz", "HeadToHead has no attribute 'xyz'."),
    ],
)
def test_an_attribute_that_is_not_there_is_said_by_its_name_here(owner, name, said):
    with pytest.raises(AttributeError) as caught:
        getattr(owner, name)
    assert said in str(caught.value)


def test_objects_are_copied_and_pickled_as_before():
    for one in (BOARD, SCORES, DUEL):
        assert type(copy.copy(one)) is type(one)
        assert not hasattr(one, "__array__")
    for one in (SCORES, DUEL):
        assert type(pickle.loads(pickle.dumps(one))) is type(one)

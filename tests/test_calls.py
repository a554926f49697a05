"""Every wrong argument of a public function is named by an error of ours."""

import inspect
import pickle

import numpy as np
import pandas as pd
import pytest

import rankbars as rb

RNG = np.random.default_rng(0)
SCORES = rb.Scores.from_arrays(
    {f"task {i}": (RNG.random((30, 3)) < [0.3, 0.5, 0.8]).astype(float) for i in range(6)},
    ["a", "b", "c"],
)
RUNS = (RNG.random((30, 3, 2)) < 0.5).astype(float)
REPEATED = rb.Scores({"task": rb.Items(("a", "b"), RUNS.mean(axis=1), runs=RUNS)})
COMPARED = rb.compare(SCORES)
BOARD = rb.leaderboard(SCORES)
CALLS = {
    rb.aggregate: (SCORES,),
    rb.check: (SCORES, ["a > b"]),
    rb.compare: (SCORES,),
    rb.continue_looks: (BOARD, BOARD),
    rb.diagnose: (BOARD,),
    rb.diff: (BOARD, BOARD),
    rb.examine_votes: (SCORES,),
    rb.explain: (SCORES,),
    rb.false_alarms: ([SCORES.select(models=["a"])] * 3, ["a > b"]),
    rb.head_to_head: (SCORES, "a", "b"),
    rb.hold_out: (SCORES, 2),
    rb.leaderboard: (SCORES,),
    rb.load: ("board.json",),
    rb.noise: (REPEATED,),
    rb.plain_table: ([],),
    rb.predict: (rb.rank(COMPARED),),
    rb.preflight: (SCORES, ["a > b"]),
    rb.rank: (COMPARED,),
    rb.read: ("scores.csv",),
    rb.select_tasks: (SCORES,),
    rb.to_arviz: (BOARD,),
    rb.write_eee: (BOARD, "records"),
}
PARAMETERS = [
    pytest.param(function, name, id=f"{function.__name__}-{name}")
    for function in CALLS
    for name, one in inspect.signature(function).parameters.items()
    if one.kind is not one.VAR_POSITIONAL
]
# Taken as they are where the method that was chosen does not look at them.
UNREAD = {"categories", "families", "weights", "new_weight"}


@pytest.mark.parametrize(("function", "name"), PARAMETERS)
def test_an_argument_of_a_wrong_kind_is_an_error_of_ours(function, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = list(inspect.signature(function).parameters)
    for wrong in (object(), b"x", float("nan"), ["bogus", 3]):
        call = dict(zip(places, CALLS[function], strict=False)) | {name: wrong}
        if function is rb.predict and name in UNREAD:
            continue
        with pytest.raises(rb.RankbarsError) as caught:
            function(**call)
        assert str(caught.value)


def test_what_does_not_fit_is_named():
    for call, words in (
        (lambda: rb.rank(COMPARED, seed="zero"), "seed of rank() must be int; got 'zero'."),
        (lambda: rb.read(3), "paths of read() must be "),
        (lambda: rb.leaderboard(SCORES, pairs="yes"), "pairs of leaderboard() must be bool;"),
        (lambda: rb.select_tasks("scores.csv", by="width"), "Make them: rb.read(path)"),
        (lambda: rb.diagnose(SCORES), "Make one: rb.leaderboard(scores)"),
        (lambda: rb.rank(SCORES), "Make them: rb.compare(scores)."),
        (lambda: rb.predict(SCORES), "Make them: rb.rank(rb.compare(scores))."),
        (lambda: rb.compare(SCORES, "a", "b"), "rb.head_to_head(scores, 'a', 'b')"),
        (lambda: rb.head_to_head(SCORES, "a"), "head_to_head(scores, a, b) needs b;"),
        (rb.leaderboard, "leaderboard(scores) needs scores;"),
        (lambda: rb.leaderboard(SCORES, "holm"), "takes 1 values by position; got 2"),
        (lambda: rb.leaderboard(SCORES, scores=SCORES), "got 'scores' twice"),
        (lambda: rb.leaderboard(SCORES, corection="holm"), "Did you mean 'correction'?"),
    ):
        with pytest.raises(rb.OptionError) as caught:
            call()
        assert words in str(caught.value)


def test_an_error_of_a_callback_stays_what_it_is():
    def broken(done, total):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rb.leaderboard(SCORES, progress=broken)


def test_public_functions_travel_to_workers():
    assert pickle.loads(pickle.dumps(rb.leaderboard)) is rb.leaderboard


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: SCORES.select(model=["a"]), "Did you mean 'models'?"),
        (lambda: SCORES.to_frame(3, 4, 5), "takes 1 values by position; got 3"),
        (lambda: rb.Scores.from_frame(3, taks="t"), "Did you mean 'task'?"),
        (lambda: BOARD.to_frame(backends="pandas"), "Did you mean 'backend'?"),
        (lambda: BOARD.top(n=2), "Known: k"),
        (BOARD.save, "needs path"),
        (lambda: rb.head_to_head(SCORES, "a", "b").to_text(widht=3), "has no argument 'widht'"),
    ],
)
def test_a_method_names_the_argument_that_is_meant(call, says):
    with pytest.raises(rb.OptionError) as caught:
        call()
    assert says in str(caught.value)


@pytest.mark.parametrize("function", [rb.compare, rb.rank, rb.predict, rb.diagnose])
def test_a_frame_is_named_and_not_printed(function):
    frame = pd.DataFrame({"model": ["ash", "birch"], "item": [1, 1], "score": [1, 0]})
    with pytest.raises(rb.OptionError) as caught:
        function(frame)
    told = str(caught.value)
    assert "got DataFrame." in told
    assert "rb.leaderboard(frame)" in told
    assert "ash" not in told


def test_a_column_of_a_frame_is_no_name():
    column = pd.Series([1, 0])
    with pytest.raises(rb.OptionError, match=r"must be str; got Series\.$"):
        rb.head_to_head(SCORES, column, column)

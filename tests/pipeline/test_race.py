"""Races: what to run, results told in any order and from any file, kept in a file or not."""

from __future__ import annotations

import json
import random
import re

import duckdb
import numpy as np
import pytest
from logfiles import inspect_header, lm_rows, sample, write_json_log, write_lm_eval

import rankbars as rb
from rankbars.data.raceboard import Call
from rankbars.stats.racestates import going_on, race_evidence, settle_batch, start_race

MODELS = ["amber", "birch", "cobalt", "dune"]
ABILITY = dict(zip(MODELS, (0.75, 0.7, 0.4, 0.2), strict=True))


def score(call, seed=0):
    """The one answer of a model to a call, whoever asks and however often."""
    return float(random.Random(f"{seed} {call}").random() < ABILITY.get(call.model, 0.5))


def answered(calls, seed=0):
    return {call: score(call, seed) for call in calls}


def finish(race, seed=0):
    while calls := race.next().calls:
        race.tell(answered(calls, seed))
    return race.board()


def same(one, other):
    assert one.racers == other.racers
    assert one.history == other.history or str(one.history) == str(other.history)
    assert (one.used, one.at, one.stop) == (other.used, other.at, other.stop)


def test_a_race_for_two_places_lists_them_by_their_scores():
    board = finish(rb.Race(MODELS[1:], range(1000), "top 2"))
    first, second, third = board.racers
    assert (first.call, second.call, third.call) == ("in", "in", "out")
    assert first.mean > second.mean
    assert first.rows < second.rows  # decided earlier


@pytest.mark.parametrize("goal", ["first", "top 2"])
def test_a_race_settles_and_names_its_winners(goal):
    board = finish(rb.Race(MODELS[1:], range(1000), goal))
    assert board.stop == "settled"
    assert board.winners == (("birch",) if goal == "first" else ("birch", "cobalt"))
    assert board.used == sum(one.calls for one in board.racers) < board.full / 4
    assert max(one.since for one in board.racers) == board.at
    assert board.more == 0.0


@pytest.mark.parametrize("goal", ["first", "top 2"])
def test_the_race_makes_the_bets_of_its_order(goal):
    """Recomputed from the results that it gives back, in the order in which it asked."""
    race, order = rb.Race(MODELS, range(200), goal, batch=20, seed=5), []
    for _ in range(4):
        calls = race.next()
        order += list(dict.fromkeys(call.item for call in calls))
        race.tell(answered(calls))
    items = race.scores().tasks["all"]
    state = start_race(4, 1 if goal == "first" else 2)
    for start in range(0, 80, 20):
        rows = [items.ids.index(item) for item in order[start : start + 20]]
        state = settle_batch(state, items.values[rows][:, going_on(state.call)], 0.05)
    found = {one.model: one.log_e for one in race.board().racers}
    assert [found[name] for name in MODELS] == pytest.approx(race_evidence(state).tolist())


def test_the_order_of_items_and_of_results_changes_nothing():
    one, other = rb.Race(MODELS, range(60)), rb.Race(MODELS, range(59, -1, -1))
    calls = one.next()
    assert calls == other.next()
    assert [call.item for call in calls][:1] != ["0"]
    one.tell(answered(calls))
    for call in reversed(calls.calls):
        other.tell({call: score(call)})
    same(one.board(), other.board())
    assert rb.Race(MODELS, range(60), seed=1).next() != calls


def test_the_same_calls_come_until_they_are_told():
    race = rb.Race(MODELS, range(60))
    calls = race.next().calls
    assert race.next().calls == calls
    told = race.tell(answered(calls[:7]))
    assert (told.taken, told.waiting) == (7, 93)
    assert race.next().calls == calls[7:]


def test_the_first_result_of_a_call_counts_and_others_are_left_aside():
    race = rb.Race(["a", "b"], range(50), batch=1)
    first, second = race.next().calls
    told = race.tell([(first._asdict() | {"score": 1}), (first._asdict() | {"score": 0})])
    assert (told.taken, told.again, told.waiting) == (1, 1, 1)
    assert race.tell({first: 0.0, Call("b", "all", "no such item"): 1.0})[1:4] == (0, 1, 1)
    race.tell({second: 0.0})
    values = race.scores().tasks["all"].values
    assert values.tolist() == [[1.0, 0.0]]


def test_a_result_that_contradicts_the_one_that_counts_is_said_and_stays_on_the_board():
    race = rb.Race(["a", "b"], range(50), batch=1)
    first, second = race.next().calls
    race.tell({first: 1.0})
    assert race.tell({first: 1.0}).contradicted == ()
    assert race.tell({first: 0.0}).contradicted == (first,)
    race.tell({second: None})
    # In a batch that is complete, too; the same contradiction is kept once.
    third = race.next().calls[0]
    told = race.tell({first: 0.5, second: 1.0, third: 1.0})
    assert (told.contradicted, told.taken, told.aside) == ((first, second), 1, 2)
    assert race.tell({second: None}).contradicted == ()
    (note,) = [note for note in race.board().notes if note.code == "contradicted"]
    assert note.message.startswith("Of 2 calls another result was told")
    assert note.models == ("a", "b")
    assert race.scores().tasks["all"].values.tolist() == [[1.0, 0.0]]


def test_a_race_in_a_file_is_gone_on_with_as_if_nothing_had_been(tmp_path):
    path = tmp_path / "race.duckdb"
    rb.Race(MODELS, range(500), state=path)
    memory = rb.Race(MODELS, range(500))
    for number in range(3):
        calls = memory.next().calls
        assert rb.Race.open(path).next().calls == calls
        memory.tell(answered(calls))
        half = answered(calls[: 10 + number])
        rb.Race.open(path).tell(half)
        assert rb.Race.open(path).board().waiting == len(calls) - len(half)
        rb.Race.open(path).tell(answered(calls[10 + number :]))
    same(rb.Race.open(path).board(), memory.board())
    same(finish(rb.Race.open(path)), finish(memory))


def test_scores_between_right_and_wrong_may_come_late_in_a_race_for_two_places(tmp_path):
    path = tmp_path / "race.duckdb"
    kept = rb.Race(MODELS, range(40), "top 2", state=path, batch=10)
    held = rb.Race(MODELS, range(40), "top 2", batch=10)
    for half in (False, True, True, False):
        told = answered(held.next()) | ({held.next().calls[0]: 0.5} if half else {})
        kept.next()
        for race in (kept, held):
            race.tell(told)
        same(rb.Race.open(path).board(), held.board())


def test_workers_get_calls_of_their_own_and_have_them_again_after_a_crash():
    race = rb.Race(MODELS, range(50), batch=5)
    one = race.next(worker="one", most=12).calls
    two = race.next(worker="two").calls
    assert not set(one) & set(two)
    assert len(one) + len(two) == 20
    assert race.next(worker="one").calls == one
    assert race.next(worker="three").why == race.next().why == "waiting"
    race.tell(answered(two))
    assert race.next(worker="two").why == "waiting"
    assert race.next(worker="two", lease=0.0).why == "waiting"
    race.tell(answered(one))
    assert race.next(worker="two").calls


def test_a_lease_ends():
    race = rb.Race(MODELS, range(50), batch=5)
    gone = race.next(worker="gone", lease=0.0).calls
    assert race.next(worker="other").calls == gone


def test_failed_calls_are_declared_and_count_as_the_worst_score():
    race = rb.Race(["a", "b"], range(50), batch=2, limits=(-1, 1))
    calls = race.next().calls
    with pytest.raises(rb.DataError, match="neither a score nor failed"):
        race.tell([calls[0]._asdict()])
    with pytest.raises(rb.DataError, match="Declare a call that failed with None"):
        race.tell({calls[0]: float("nan")})
    told = race.tell([calls[0]._asdict() | {"failed": True}])
    assert (told.taken, told.failed) == (1, 1)
    told = race.tell({calls[1]: 0.5, calls[2]: 0.5}, missing="failed")
    assert (told.failed, told.waiting) == (1, 0)
    board = race.board()
    assert board.failed == 2
    assert [note.code for note in board.notes] == ["failed-calls"]
    assert {one.model: one.mean for one in board.racers} == {"a": -0.25, "b": -0.25}


@pytest.mark.parametrize(
    "limits", [None, (0, float("inf")), (1, 0), (0,), "01", ("low", "high"), 5]
)
def test_scores_without_ends_are_refused(limits):
    with pytest.raises(rb.OptionError, match="Bets need scores with known ends"):
        rb.Race(MODELS, range(9), limits=limits)


def test_a_score_outside_the_limits_is_refused_and_nothing_is_taken():
    race = rb.Race(["a", "b"], range(50))
    calls = race.next().calls
    with pytest.raises(rb.DataError, match=r"the score 2 is not within the limits 0 and 1"):
        race.tell(answered(calls) | {calls[5]: 2.0})
    assert race.board().waiting == len(calls)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"models": 5}, "models must be a list of names; got 5"),
        ({"models": ["a", None]}, "None stands among the models, and is no name"),
        ({"models": ["a", " "]}, "' ' stands among the models, and is no name"),
        ({"items": 5}, "items of 'all' must be a list of names; got 5"),
        ({"items": {"law": 5}}, "items of 'law' must be a list of names; got 5"),
        ({"items": {}}, "There are no tasks, and so no items"),
        ({"items": [["a"]]}, "is no name"),
        ({"alpha": "small"}, "alpha must be a finite number; got 'small'"),
        ({"weights": {"all": "much"}}, "The weight of 'all' must be a number; got 'much'"),
        ({"weights": {"all": float("inf")}}, "The weight of 'all' must be a number above 0"),
        ({"weights": [1]}, "weights must be a mapping from task to weight"),
    ],
)
def test_what_begins_no_race_is_said(given, what):
    arguments = {"models": ["a", "b"], "items": range(9), **given}
    with pytest.raises(rb.RankbarsError, match=re.escape(what)):
        rb.Race(arguments.pop("models"), arguments.pop("items"), **arguments)


def test_a_race_is_not_begun_in_a_file_that_is_there(tmp_path):
    rb.Race(["a", "b"], range(9), state=tmp_path / "race.duckdb")
    with pytest.raises(rb.WriteError, match=r"there is something of this name\. Go on"):
        rb.Race(["a", "c"], range(9), state=tmp_path / "race.duckdb")


@pytest.mark.parametrize(
    "record",
    [
        {"score": 1, "trial": "x"},
        {"score": 1, "trial": 1.7},
        {"score": 1, "trial": 0},
        {"failed": "no"},
        {"failed": True, "score": 1},
    ],
)
def test_a_result_that_says_two_things_or_none_is_refused(record):
    race = rb.Race(["a", "b"], range(9))
    call = race.next().calls[0]
    with pytest.raises(rb.DataError):
        race.tell([{"model": call.model, "item": call.item, **record}])
    with pytest.raises(rb.DataError, match="A trial is a whole number"):
        race.tell({(call.model, call.task, call.item, None): 1.0})
    assert race.board().used == 0


def test_a_pace_of_no_rows_is_refused():
    with pytest.raises(rb.OptionError, match="batch must be a whole number, at least 1; got 0"):
        rb.Race(["a", "b"], range(9)).pace(batch=0)


def test_there_is_no_race_for_tiers():
    with pytest.raises(rb.OptionError, match="no race for tiers"):
        rb.Race(MODELS, range(9), "tiers")
    with pytest.raises(rb.OptionError, match="first, top 3"):
        rb.Race(MODELS, range(9), "second")
    with pytest.raises(rb.OptionError, match="between 1 and 3"):
        rb.Race(MODELS, range(9), "top 4")


def test_a_budget_stops_a_race_and_more_of_it_goes_on():
    race = rb.Race(["a", "b"], range(500), batch=10, budget=50)
    board = finish(race)
    assert (board.stop, board.used, board.at) == ("budget", 50, 25)
    race.pace(budget=80, batch=4)
    board = finish(race)
    assert (board.stop, board.used, board.batch) == ("budget", 80, 4)


def test_a_race_without_more_items_says_so():
    race = rb.Race(["a", "b"], range(30))
    while calls := race.next().calls:
        race.tell(dict.fromkeys(calls, 1.0))
    board = race.board()
    assert (board.stop, board.possible, board.more) == ("items", ("a", "b"), float("inf"))
    assert race.next().why == "items"


def test_a_model_that_joins_late_answers_no_earlier_row():
    race = rb.Race(MODELS[2:], range(500), batch=10)
    calls = race.next()
    with pytest.raises(rb.DataError, match="a model joins between batches"):
        race.join("amber")
    race.tell(answered(calls))
    race.join("amber")
    with pytest.raises(rb.DataError, match="in the race"):
        race.join("amber")
    later = race.next()
    assert {call.item for call in later}.isdisjoint({call.item for call in calls})
    board = finish(race)
    assert board.winners == ("amber",)
    late = next(one for one in board.racers if one.model == "amber")
    assert late.rows == board.at - 10
    assert [note.code for note in board.notes] == ["joined-late"]


def test_several_tasks_have_a_row_of_one_item_each_with_their_weights():
    items = {"law": ["l1", "l2", "l3"], "math": ["m1", "m2"]}
    race = rb.Race(["a", "b"], items, weights={"law": 3, "math": 1}, batch=1)
    calls = race.next().calls
    assert [(call.model, call.task) for call in calls] == [
        ("a", "law"), ("a", "math"), ("b", "law"), ("b", "math"),
    ]  # fmt: skip
    race.tell({call: float(call[:2] == ("a", "law")) for call in calls})
    board = race.board()
    assert (board.of, board.full) == (2, 8)
    assert {one.model: one.mean for one in board.racers} == {"a": 0.75, "b": 0.0}
    with pytest.raises(rb.OptionError, match="weights must name every task"):
        rb.Race(["a", "b"], items, weights={"law": 1})


def test_items_of_several_tasks_may_all_count_the_same():
    items = {"law": ["1", "2", "3"], "math": ["1", "2"]}
    race = rb.Race(["a", "b"], items, weights="items", batch=5)
    calls = race.next().calls
    assert len(calls) == race.board().full == 10
    assert {call.task for call in calls[:8]} == {"law", "math"}


def test_trials_are_averaged_before_betting():
    race = rb.Race(["a", "b"], range(10), trials=4, batch=1)
    calls = race.next().calls
    assert [call.trial for call in calls] == [1, 2, 3, 4] * 2
    race.tell({call: float(call.model == "a" and call.trial < 4) for call in calls})
    plain = rb.Race(["a", "b"], range(10), batch=1)
    plain.tell({call: 0.75 * (call.model == "a") for call in plain.next()})
    found = [{one.model: one.log_e for one in x.board().racers} for x in (race, plain)]
    assert found[0] == found[1]


def test_tries_at_every_item_are_rows_of_their_own():
    race = rb.Race(["a", "b"], ["i", "j"], trials=30, rows="trials", batch=2)
    calls = race.next().calls
    assert [(call.item, call.trial) for call in calls if call.model == "a"][:3:2] == [
        (calls[0].item, 1), (calls[0].item, 2),
    ]  # fmt: skip
    board = race.board()
    assert (board.of, board.unit, board.full) == (30, "tries", 120)


def test_lower_scores_may_be_better():
    race = rb.Race(["a", "b"], range(400), limits=(0, 10), direction="lower")
    while calls := race.next().calls:
        race.tell({call: 2.0 if call.model == "b" else 7.0 for call in calls})
    board = race.board()
    assert board.winners == ("b",)
    assert [one.mean for one in board.racers] == pytest.approx([2.0, 7.0])
    assert race.scores().tasks["all"].values[0].tolist() == [-7.0, -2.0]


def test_results_come_from_tables_and_frames(tmp_path):
    pd = pytest.importorskip("pandas")
    race = rb.Race(MODELS, {"math": range(40)}, batch=10)
    calls = race.next().calls
    table = [(*call[:3], score(call)) for call in calls]
    more = [(model, "math", "other", 1.0) for model in MODELS]
    frame = pd.DataFrame(table + more, columns=["model", "task", "item", "score"])
    frame[frame.model < "cobalt"].to_csv(tmp_path / "a.csv", index=False)
    told = race.tell(tmp_path / "a.csv")
    assert (told.taken, told.aside, told.waiting) == (20, 2, 20)
    assert race.tell(frame).again == 20
    plain = rb.Race(MODELS, {"math": range(40)}, batch=10)
    plain.tell(answered(plain.next()))
    same(race.board(), plain.board())


def test_an_unnamed_task_takes_the_results_of_one_task(tmp_path):
    race = rb.Race(["a", "b"], range(40), batch=2)
    rows = [f"{call.model},gsm8k,{call.item},1" for call in race.next()]
    (tmp_path / "r.csv").write_text("model,task,item,score\n" + "\n".join(rows), "utf-8")
    assert race.tell(str(tmp_path / "r.csv")).waiting == 0


def test_results_in_another_direction_are_refused():
    race = rb.Race(["a", "b"], {"t": range(4)})
    info = {"t": rb.TaskInfo(direction="lower")}
    items = rb.Items(("a", "b"), [[-1.0, 0.0]], ids=("0",))
    with pytest.raises(rb.DataError, match="lower is better in these results"):
        race.tell(rb.Scores({"t": items}, info))


def test_names_that_are_not_in_the_race_are_told():
    race = rb.Race(["amber", "birch"], {"math": range(4)})
    for record, known in (
        ({"model": "ambre", "item": "1", "score": 1}, "Did you mean 'amber'"),
        ({"model": "amber", "task": "maths", "item": "1", "score": 1}, "Did you mean 'math'"),
        ({"model": "amber", "score": 1}, "no model and item"),
    ):
        with pytest.raises(rb.RankbarsError, match=known):
            race.tell([record])


def test_lines_of_json_go_out_and_come_back(tmp_path):
    race = rb.Race(["a", "b"], range(10), batch=3)
    lines = [json.loads(line) for line in race.next().to_jsonl().splitlines()]
    assert lines[0].keys() == {"model", "task", "item", "trial"}
    path = tmp_path / "back.jsonl"
    path.write_text("".join(json.dumps(line | {"score": 1}) + "\n" for line in lines), "utf-8")
    assert race.tell(path).waiting == 0


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("UPDATE race SET body = (SELECT body FROM race WHERE kind = 'start') "
         "WHERE kind = 'told'", "does not fit its digest"),
        ("DELETE FROM race WHERE number = 2", "does not fit its digest"),
        ("DELETE FROM race WHERE kind = 'closed'", "its end is gone"),
        ("UPDATE wealth SET body = body + 1e-9 WHERE rowid = 5", "wealth of its bets"),
        ("DELETE FROM race", "its beginning is gone"),
    ],
)  # fmt: skip
def test_an_edited_state_is_noticed(command, what, tmp_path):
    path = tmp_path / "race.duckdb"
    race = rb.Race(["a", "b"], range(10), batch=3, state=path)
    race.tell(answered(race.next()))
    with duckdb.connect(str(path)) as connection:
        connection.execute(command)
    with pytest.raises(rb.ReadError, match=what):
        rb.Race.open(path).board()


def test_results_that_were_cut_off_the_end_of_a_state_are_missed(tmp_path):
    path = tmp_path / "race.duckdb"
    race = rb.Race(["a", "b"], range(10), batch=3, state=path)
    for call in race.next().calls[:2]:
        race.tell({call: 1.0})
    with duckdb.connect(str(path)) as connection:
        connection.execute("DELETE FROM race WHERE number = 3")
    with pytest.raises(rb.ReadError, match="its end is gone"):
        race.tell({call: 0.0})


def test_a_file_of_something_else_is_refused(tmp_path):
    with pytest.raises(rb.ReadError, match="there is no race"):
        rb.Race.open(tmp_path / "no.duckdb")
    (tmp_path / "text.duckdb").write_text("text", "utf-8")
    with pytest.raises(rb.ReadError, match="not the file of a race"):
        rb.Race.open(tmp_path / "text.duckdb")
    with duckdb.connect(str(tmp_path / "other.duckdb")) as connection:
        connection.execute("CREATE TABLE t (a INT)")
    with pytest.raises(rb.ReadError, match="not of a race"):
        rb.Race.open(tmp_path / "other.duckdb").next()
    with duckdb.connect(str(tmp_path / "other.duckdb")) as connection:
        connection.execute("CREATE VIEW race AS SELECT 1")
    with pytest.raises(rb.ReadError, match="holds a view 'race'"):
        rb.Race.open(tmp_path / "other.duckdb").next()


def test_chosen_calls_go_to_the_tools():
    race = rb.Race(["a", "b"], {"gsm8k": range(100), "arc": range(50)}, batch=3)
    calls = race.next()
    asked = json.loads(calls.lm_eval("a"))
    assert asked["gsm8k"] == sorted(
        int(call.item) for call in calls if call.model == "a" and call.task == "gsm8k"
    )
    assert set(calls.inspect("b")["arc"].split(",")) == set(map(str, asked["arc"]))
    assert calls.models == ("a", "b")
    named = rb.Race(["a", "b"], ["x,y", "z"]).next()
    with pytest.raises(rb.DataError, match="no index of a document"):
        named.lm_eval("a")
    with pytest.raises(rb.DataError, match="has a comma"):
        named.inspect("a")


def test_scores_of_complete_batches_are_there_for_everything_else():
    race = rb.Race(MODELS, range(400))
    with pytest.raises(rb.DataError, match="No batch of this race is complete"):
        race.scores()
    board = finish(race)
    items = race.scores().tasks["all"]
    assert items.n == board.at
    ran = dict(zip(items.models, (~np.isnan(items.values)).sum(axis=0).tolist(), strict=True))
    assert ran == {one.model: one.rows for one in board.racers}


def fake_harness(folder, calls, time):
    """What lm-evaluation-harness writes that was given these calls."""
    for model in calls.models:
        asked = json.loads(calls.lm_eval(model))["gsm8k"]
        scores = [score(Call(model, "gsm8k", str(item))) for item in asked]
        rows = {"gsm8k": lm_rows({"exact_match": scores}, ids=asked)}
        values = {"gsm8k": {"exact_match,none": float(np.mean(scores))}}
        write_lm_eval(folder, model, values, rows=rows, time=time)


def test_logs_of_the_harness_come_back_by_document_although_models_ran_different_ones(tmp_path):
    """All logs lie in one folder: of earlier batches, and of models that are out by now."""
    race = rb.Race(MODELS, {"gsm8k": range(200)}, batch=15)
    beside = rb.Race(MODELS, {"gsm8k": range(200)}, batch=15)
    for number in range(3):
        fake_harness(tmp_path, race.next(), f"2026-01-2{number}T03-44-18.458309")
        told = race.tell(tmp_path)
        assert told.waiting == 0
        beside.tell(answered(beside.next()))
    assert len(race.next().models) < 4
    same(race.board(), beside.board())


def test_logs_of_inspect_come_back_by_the_ids_of_samples(tmp_path):
    race = rb.Race(["a", "b"], {"arc": [f"q{i}" for i in range(40)]}, batch=5)
    calls = race.next()
    for model in calls.models:
        asked = calls.inspect(model)["arc"].split(",")
        header = inspect_header(model=model, task="arc")
        samples = [sample(item, score(Call(model, "arc", item))) for item in asked]
        write_json_log(tmp_path / f"{model}.json", header, samples)
    told = race.tell(rb.read(tmp_path, direction="higher", by_call=True))
    assert (told.taken, told.waiting) == (10, 0)
    beside = rb.Race(["a", "b"], {"arc": [f"q{i}" for i in range(40)]}, batch=5)
    beside.tell(answered(beside.next()))
    same(race.board(), beside.board())

"""Labels and a judge on the command line: what decides, what is said, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commandline import Command
from scipy import stats

import rankbars as rb
from rankbars.data.peoplelabels import JudgeWorth

MODELS = ("ash", "birch", "cedar", "elm")
LABELLED = 80


def write(path: str, columns: dict[str, np.ndarray], rows, empty=None) -> None:
    lines = ["model,item," + ",".join(columns)]
    for i in rows:
        for k, model in enumerate(MODELS):
            cells = [
                "" if name == "human" and empty is not None and empty[i] else f"{one[i, k]:.6g}"
                for name, one in columns.items()
            ]
            lines.append(f"{model},q{i}," + ",".join(cells))
    Path(path).write_text("\n".join(lines) + "\n")


@pytest.fixture
def results(rankbars: Command) -> dict[str, np.ndarray]:
    """human.csv, judge.csv and both.csv, where a judge of all items goes with people."""
    rng = np.random.default_rng(8)
    people = rng.normal(size=(400, 1)) + rng.normal(size=(400, 4)) + [0.5, 0.3, 0.1, -0.3]
    judge = 10 * people + 7 * rng.normal(size=people.shape) + 50
    labelled = rng.permutation(400) < LABELLED
    write("human.csv", {"score": people}, np.flatnonzero(labelled))
    write("judge.csv", {"score": judge}, range(400))
    write("both.csv", {"human": people, "judge": judge}, range(400), empty=~labelled)
    return {"people": people, "judge": judge, "labelled": labelled}


def board_of(rankbars: Command, *words: object) -> dict:
    answer = rankbars("rank", *words, "-o", "-", "--quiet")
    assert answer.code == 0, answer.err
    return json.loads(answer.out)


def notes(board: dict, code: str) -> list[str]:
    return [note["message"] for note in board["notes"] if note["code"] == code]


def test_two_files_and_two_columns_say_the_same(rankbars: Command, results):
    one = board_of(rankbars, "--labels", "human.csv", "--judge", "judge.csv")
    two = board_of(rankbars, "both.csv", "--labels", "human", "--judge", "judge")
    three = board_of(rankbars, "human.csv", "--judge", "judge.csv")
    for other in (two, three):
        assert other["tasks"][0]["mean"] == pytest.approx(one["tasks"][0]["mean"], rel=1e-9)
        assert other["tasks"][0]["best"] == one["tasks"][0]["best"]
    assert one["tasks"][0]["test"] == "judge_t"
    assert one["tasks"][0]["n"] == LABELLED
    assert one["tasks"][0]["correction"] == "holm"
    (said,) = notes(one, "judge-worth")
    assert said.startswith("80 labels with this judge are worth ")


def draw(results, chance: np.ndarray, told: np.ndarray) -> np.ndarray:
    """human.csv with labels drawn with these probabilities, and what it says of them."""
    taken = np.random.default_rng(3).random(400) < chance
    write("human.csv", {"score": results["people"]}, np.flatnonzero(taken))
    lines = Path("human.csv").read_text().splitlines()
    told = np.repeat(told[taken], len(MODELS))
    Path("human.csv").write_text(
        "\n".join([lines[0] + ",sampling_probability"]
                  + [f"{line},{p:.12g}" for line, p in zip(lines[1:], told, strict=True)])
    )  # fmt: skip
    return taken


def test_labels_with_declared_probabilities_are_weighted(rankbars: Command, results):
    chance = np.clip(0.06 * results["judge"].std(axis=1) / 2, 0.05, 1.0)
    taken = draw(results, chance, chance)
    found = board_of(rankbars, "human.csv", "--judge", "judge.csv")
    task = found["tasks"][0]
    assert (task["test"], task["weight"], task["n"]) == ("judge_t", 1.0, taken.sum())
    named = tuple(f"q{i}" for i in np.flatnonzero(taken))
    people = rb.Items(MODELS, results["people"][taken], weights=1 / chance[taken], ids=named)
    judge = rb.Items(MODELS, results["judge"], ids=tuple(f"q{i}" for i in range(400)))
    told = rb.with_judge(rb.Scores({"all": people}), rb.Scores({"all": judge}))
    board = rb.leaderboard(told)
    np.testing.assert_allclose(task["mean"], board.tasks["all"].mean, rtol=1e-4)
    assert "drawn with the probabilities" in " ".join(board.tasks["all"].assumptions)
    away = np.abs(np.array(task["mean"]) - results["people"].mean(axis=0))
    assert (away < 3 * np.array(task["se"])).all()


def test_probabilities_that_are_alike_change_nothing(rankbars: Command, results):
    draw(results, np.full(400, 0.2), np.full(400, 0.2))
    one = board_of(rankbars, "human.csv", "--judge", "judge.csv")["tasks"][0]
    lines = [line.rsplit(",", 1)[0] for line in Path("human.csv").read_text().splitlines()]
    Path("human.csv").write_text("\n".join(lines))
    two = board_of(rankbars, "human.csv", "--judge", "judge.csv")["tasks"][0]
    assert {**one, "notes": 0} == {**two, "notes": 0}


def test_probabilities_of_other_items_are_refused(rankbars: Command, results):
    chance = np.linspace(0.1, 0.3, 400)
    draw(results, chance, 3 * chance)
    (said,) = notes(board_of(rankbars, "human.csv", "--judge", "judge.csv"), "judge-unused")
    assert "they add up to" in said
    assert "and 400 are judged" in said


@pytest.mark.parametrize(("bias", "says"), [(0.8, "leans to"), (0.0, "is not shown to lean")])
def test_a_judge_that_leans_to_its_family_is_told_of(
    rankbars: Command, results, bias: float, says: str
):
    rng = np.random.default_rng(1)
    judge = results["people"] + 0.7 * rng.normal(size=(400, 4)) + bias * np.array([1, 1, 0, 0])
    write("judge.csv", {"score": judge}, range(400))
    words = ("human.csv", "--judge", "judge.csv", "--judge-family", "[ab]*h")
    found = board_of(rankbars, *words)
    (said,) = notes(found, "judge-family")
    assert says in said
    (lean,) = found["judge"]["by_task"]["all"]["leanings"]
    assert (lean["models"], lean["labels"], lean["judge"]) == (["ash", "birch"], LABELLED, 1)
    rows = np.flatnonzero(results["labelled"])
    away = (judge - results["people"])[rows]
    lone = away[:, :2].mean(axis=1) - away[:, 2:].mean(axis=1)
    low, high = stats.t.interval(0.95, LABELLED - 1, lone.mean(), stats.sem(lone))
    assert [lean["difference"], lean["low"], lean["high"]] == pytest.approx(
        [lone.mean(), low, high], abs=1e-4
    )
    people = rb.Items(MODELS, results["people"][rows], ids=tuple(f"q{i}" for i in rows))
    told = rb.Items(MODELS, judge, ids=tuple(f"q{i}" for i in range(400)))
    joined = rb.with_judge(
        rb.Scores({"t": people}), rb.Scores({"t": told}), families=[("birch", "ash")]
    )
    use = rb.leaderboard(joined).judge["t"]
    assert use.leanings[0].difference == pytest.approx(lone.mean(), rel=1e-12)


def test_intervals_of_leanings_hold_for_all_judges_together(rankbars: Command, results):
    judge = results["people"] + np.random.default_rng(1).normal(size=(400, 4))
    write("judge.csv", {"score": judge}, range(400))
    write("again.csv", {"score": judge}, range(400))
    words = ("human.csv", "--judge", "judge.csv", "--judge-family", "judge.csv=ash")
    (one,) = board_of(rankbars, *words)["judge"]["by_task"]["all"]["leanings"]
    both = board_of(rankbars, *words, "--judge", "again.csv", "--judge-family", "again.csv=elm")
    two = both["judge"]["by_task"]["all"]["leanings"]
    assert [lean["models"] for lean in two] == [["ash"], ["elm"]]
    wider = (two[0]["high"] - two[0]["low"]) / (one["high"] - one["low"])
    assert wider == pytest.approx(stats.t.isf(0.0125, 79) / stats.t.isf(0.025, 79), rel=1e-9)


def test_scores_on_another_scale_say_nothing_of_a_leaning(rankbars: Command, results):
    words = ("human.csv", "--judge", "judge.csv", "--judge-family", "ash")
    found = board_of(rankbars, *words)
    (said,) = notes(found, "judge-family")
    assert "in the units of the labels" in said
    assert found["judge"]["by_task"]["all"]["leanings"] == []


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--judge-family", "ash"], "--judge-family needs the judge"),
        (["--judge", "judge.csv", "--judge-family", "oak"], "must be models that have labels"),
        (["--judge", "judge.csv", "--judge-family", "*"], "All models are of the judge's family"),
        (["--judge", "judge.csv", "--judge", "both.csv", "--judge-family", "ash"], "whose family"),
    ],
)
def test_families_that_cannot_be_are_refused(rankbars: Command, results, words, says: str):
    answer = rankbars("rank", "human.csv", *words)
    assert answer.code in (1, 2)
    assert answer.out == ""
    assert says in " ".join(answer.err.split())


def test_intervals_of_scores_are_shorter_and_cover_the_mean_of_all(rankbars: Command, results):
    with_judge = board_of(rankbars, "human.csv", "--judge", "judge.csv")["tasks"][0]
    alone = board_of(rankbars, "human.csv")["tasks"][0]
    assert np.mean(with_judge["se"]) < 0.9 * np.mean(alone["se"])
    away = np.abs(np.array(with_judge["mean"]) - results["people"].mean(axis=0))
    assert (away < 3 * np.array(with_judge["se"])).all()


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("noise", "would be worth"),
        ("constant", "would be worth"),
        ("few", "19 labels are too few"),
        ("all", "every item that was judged has a label"),
        ("easy", "do not look like a random sample"),
    ],
)
def test_a_judge_that_is_of_no_use_leaves_the_board_of_labels(
    rankbars: Command, results, how: str, why: str
):
    rng = np.random.default_rng(0)
    judge, labelled = results["judge"], np.flatnonzero(results["labelled"])
    if how == "few":
        write("human.csv", {"score": results["people"]}, labelled[:19])
    elif how == "easy":
        labelled = np.argsort(judge.mean(axis=1))[-80:]
        write("human.csv", {"score": results["people"]}, labelled)
    elif how == "all":
        write("judge.csv", {"score": judge}, labelled)
    else:
        write("judge.csv", {"score": rng.normal(size=judge.shape) * (how == "noise")}, range(400))
    found = board_of(rankbars, "human.csv", "--judge", "judge.csv")
    plain = board_of(rankbars, "human.csv", "--column", "model=model")
    (said,) = notes(found, "judge-unused")
    assert why in said
    for key in ("mean", "se", "best", "worst", "test", "correction", "n"):
        assert found["tasks"][0][key] == plain["tasks"][0][key], key


def test_labels_that_were_not_judged_are_counted(rankbars: Command, results):
    lost = np.flatnonzero(results["labelled"])[:3]
    kept = np.setdiff1d(np.arange(400), lost)
    write("judge.csv", {"score": results["judge"]}, kept)
    found = board_of(rankbars, "human.csv", "--judge", "judge.csv")
    assert notes(found, "judge-rows")[0].startswith("3 of 80 labelled items lack scores")


def test_a_judge_that_leans_the_other_way_is_told_and_put_right(rankbars: Command, results):
    one = board_of(rankbars, "human.csv", "--judge", "judge.csv")
    write("judge.csv", {"score": -results["judge"]}, range(400))
    other = board_of(rankbars, "human.csv", "--judge", "judge.csv")
    assert other["tasks"][0]["se"] == pytest.approx(one["tasks"][0]["se"], rel=1e-9)
    assert "prefers what people do not" in notes(other, "judge-worth")[0]
    assert "prefers what people do not" not in notes(one, "judge-worth")[0]


def test_several_judges_know_more_than_one(rankbars: Command, results):
    rng = np.random.default_rng(3)
    write("other.csv", {"score": results["people"] + rng.normal(size=(400, 4))}, range(400))
    one = board_of(rankbars, "human.csv", "--judge", "judge.csv")["tasks"][0]
    two = board_of(rankbars, "human.csv", "--judge", "judge.csv", "--judge", "other.csv")
    assert "with these 2 judges" in notes(two, "judge-worth")[0]
    assert np.mean(two["tasks"][0]["se"]) < np.mean(one["se"])


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (["human.csv", "--labels", "human.csv"], 2, "--labels needs a judge"),
        (["human.csv", "--judge", "nothing"], 2, "--judge nothing is no file"),
        (["human.csv", "--judge", "judge.csv", "--test", "wilcoxon"], 2, "no way to use a judge"),
        (["human.csv", "--judge", "judge.csv", "--correction", "maxt"], 1, "labels only in part"),
        (["human.csv", "--test", "judge_t"], 1, "no judge here"),
        ([], 2, "Missing argument 'INPUT...'"),
    ],
)
def test_what_is_refused(rankbars: Command, results, words, code: int, says: str):
    answer = rankbars("rank", *words)
    assert (answer.code, answer.out) == (code, "")
    assert says in " ".join(answer.err.split())


def test_other_names_of_items_and_models_are_told(rankbars: Command, results):
    text = Path("judge.csv").read_text()
    Path("judge.csv").write_text(text.replace(",q", ",p"))
    answer = rankbars("rank", "human.csv", "--judge", "judge.csv")
    assert answer.code == 1
    assert "scored none of the labelled items" in answer.err
    Path("judge.csv").write_text(text.replace("ash,", "oak,"))
    answer = rankbars("rank", "human.csv", "--judge", "judge.csv")
    assert answer.code == 1
    assert "no scores of 'ash'" in answer.err


def test_averages_over_tasks_take_the_corrected_differences():
    rng = np.random.default_rng(6)
    names = tuple(map(str, range(300)))
    tasks, judged, alone = {}, {}, {}
    for task in ("law", "math", "music"):
        people = rng.normal(size=(300, 3)) + [0.4, 0.2, 0.0]
        tasks[task] = rb.Items(("a", "b", "c"), people[:60], ids=names[:60])
        noise = 0.5 * rng.normal(size=people.shape)
        judged[task] = rb.Items(("a", "b", "c"), people + noise, ids=names)
        alone[task] = tasks[task]
    options = {"over": "items", "independent_rows": True}
    board = rb.leaderboard(rb.with_judge(rb.Scores(tasks), rb.Scores(judged)), **options)
    plain = rb.leaderboard(rb.Scores(alone), **options)
    by_task = np.mean([board.tasks[task].mean for task in tasks], axis=0)
    np.testing.assert_allclose(board.aggregate.score, by_task, rtol=1e-12)
    assert (board.aggregate.contrasts.se[0, 1:] < 0.8 * plain.aggregate.contrasts.se[0, 1:]).all()
    said = [note.message for note in board.notes if note.code == "judge-worth"]
    assert len(said) == 4
    gained = [board.judge[task].worth - board.judge[task].low for task in tasks]
    total = JudgeWorth.of(board.judge.values())
    assert total.low == pytest.approx(total.worth - np.linalg.norm(gained), rel=1e-12)
    assert said[-1].startswith("On the 3 tasks where judges are used, 180 labels")


@pytest.mark.parametrize("tasks", [1, 2])
def test_the_score_of_the_leader_takes_nothing_from_differences(tasks: int):
    rng = np.random.default_rng(3)
    names = tuple(f"q{i}" for i in range(400))
    labels, judged = {}, {}
    for t in range(tasks):
        people = rng.normal(size=(400, 1)) + rng.normal(size=(400, 4)) + [0.5, 0.4, 0.1, -0.3]
        judge = people + 0.5 * rng.normal(size=people.shape)
        labels[f"t{t}"] = rb.Items(MODELS, people[:80], ids=names[:80])
        judged[f"t{t}"] = rb.Items(MODELS, judge, ids=names)
    board = rb.leaderboard(rb.with_judge(rb.Scores(labels), rb.Scores(judged)))
    assert {task.test for task in board.tasks.values()} == {"judge_t"}
    found = board.winner()
    shown = board.aggregate.score if tasks > 1 else board.tasks["t0"].mean
    assert found.method == "simultaneous"
    assert found.score == pytest.approx(shown.max())
    assert found.low < shown.max() < found.high


def test_the_board_says_what_the_judge_is_worth(rankbars: Command, results):
    board = board_of(rankbars, "human.csv", "--judge", "judge.csv")
    (task,) = board["judge"]["by_task"]
    found = board["judge"]["by_task"][task]
    assert (found["used"], found["reason"], found["judges"]) == (True, None, 1)
    assert (found["labels"], found["judged"]) == (LABELLED, 400)
    total = board["judge"]["together"]
    assert total == {"tasks": 1, "labels": LABELLED} | {
        key: pytest.approx(found[key], rel=1e-12) for key in ("worth", "low", "high")
    }
    said = f"are worth {found['worth']:,.0f} [{found['low']:,.0f}, {found['high']:,.0f}]"
    assert said in notes(board, "judge-worth")[0]
    shown = results["labelled"]
    slopes = [
        np.polyfit(results["judge"][shown, i] - results["judge"][shown, j],
                   results["people"][shown, i] - results["people"][shown, j], 1)[0]
        for i in range(4) for j in range(i)
    ]  # fmt: skip
    assert found["weights"] == [pytest.approx([min(slopes), max(slopes)], rel=1e-4)]
    Path("board.json").write_text(json.dumps(board))
    again = rb.load("board.json")
    assert not [note for note in again.notes if note.code == "edited-board"]
    assert again.judge[task].worth == found["worth"]


def test_the_board_says_why_a_judge_was_refused(rankbars: Command, results):
    write("judge.csv", {"score": np.random.default_rng(0).normal(size=(400, 4))}, range(400))
    board = board_of(rankbars, "human.csv", "--judge", "judge.csv")
    (found,) = board["judge"]["by_task"].values()
    assert not found["used"]
    assert found["reason"] in notes(board, "judge-unused")[0]
    assert found["low"] < 1.05 * LABELLED
    assert found["low"] <= found["worth"] <= found["high"]
    assert board["judge"]["together"] is None
    few = np.flatnonzero(results["labelled"])[:10]
    write("human.csv", {"score": results["people"]}, few)
    (found,) = board_of(rankbars, "human.csv", "--judge", "judge.csv")["judge"]["by_task"].values()
    assert (found["worth"], found["weights"], found["labels"]) == (None, [], 10)
    assert "judge" not in board_of(rankbars, "human.csv")


def write_votes(path: str, rows, names: str, first, second, won, voters=None) -> None:
    lines = ["prompt,model_a,model_b,winner" + ("" if voters is None else ",voter")]
    for i in rows:
        winner = {1.0: "model_a", 0.5: "tie", 0.0: "model_b"}[float(won[i])]
        lines.append(f"p{i},{names[first[i]]},{names[second[i]]},{winner}")
        lines[-1] += "" if voters is None else f",{voters[i]}"
    Path(path).write_text("\n".join(lines) + "\n")


@pytest.fixture
def votes(rankbars: Command) -> dict[str, np.ndarray]:
    """people.csv: votes on 150 pairs of answers, the first of 1,000 that stand in judge.csv."""
    rng = np.random.default_rng(11)
    true = np.array([0.9, 0.3, 0.0, -0.9])
    first = rng.integers(4, size=1000)
    second = (first + rng.integers(1, 4, size=1000)) % 4
    won = (rng.random(1000) < 1 / (1 + np.exp(true[second] - true[first]))).astype(float)
    judge = np.where(rng.random(1000) < 0.85, won, 0.5)
    write_votes("people.csv", range(150), "abcd", first, second, won)
    write_votes("judge.csv", range(1000), "abcd", first, second, judge)
    return {"first": first, "second": second, "won": won, "judge": judge}


def judged(board: dict) -> dict:
    return board["judge"]["by_task"]["votes"]


def test_votes_of_people_are_corrected_by_those_of_a_judge(rankbars: Command, votes):
    plain = board_of(rankbars, "people.csv")["tasks"][0]
    board = board_of(rankbars, "--labels", "people.csv", "--judge", "judge.csv")
    task = board["tasks"][0]
    assert (plain["test"], task["test"]) == ("z", "judge_t")
    assert [judged(board)[key] for key in ("labels", "judged")] == [150, 1000]
    assert judged(board)["low"] > 200
    assert "A label is a vote" in notes(board, "judge-rows")[0]
    # What nobody knows with 150 votes is nearer with the judge: strengths of all 1,000 votes.
    write_votes("all.csv", range(1000), "abcd", votes["first"], votes["second"], votes["won"])
    whole = np.array(board_of(rankbars, "all.csv")["tasks"][0]["mean"])
    gap = [np.abs(np.array(one["mean"]) - whole).sum() for one in (task, plain)]
    assert gap[0] < 0.7 * gap[1]


def test_sides_and_several_votes_on_the_same_answers_are_one_label(rankbars: Command, votes):
    one = board_of(rankbars, "--labels", "people.csv", "--judge", "judge.csv")["tasks"][0]
    turned = [1 - votes["won"], votes["second"], votes["first"]]
    write_votes("turned.csv", range(150), "abcd", turned[1], turned[2], turned[0])
    both = Path("people.csv").read_text() + "".join(
        f"{line}\n" for line in Path("turned.csv").read_text().splitlines()[1:]
    )
    Path("both.csv").write_text(both)
    for path in ("turned.csv", "both.csv"):
        made = board_of(rankbars, "--labels", path, "--judge", "judge.csv")
        other = made["tasks"][0]
        assert other["mean"] == pytest.approx(one["mean"], abs=1e-9)
        assert judged(made)["labels"] == 150


def test_votes_on_chosen_pairs_are_noticed_and_ranked_alone(rankbars: Command, votes):
    close = np.abs(votes["first"] - votes["second"]) == 1
    write_votes(
        "people.csv", np.flatnonzero(close)[:150], "abcd", votes["first"], votes["second"],
        votes["won"],
    )  # fmt: skip
    board = board_of(rankbars, "--labels", "people.csv", "--judge", "judge.csv")
    assert board["tasks"][0]["test"] == "z"
    assert "random sample" in judged(board)["reason"]
    assert board["tasks"][0]["mean"] == board_of(rankbars, "people.csv")["tasks"][0]["mean"]


@pytest.mark.parametrize(
    ("voters", "used", "says"),
    [
        (1, True, "one person"),
        (3, True, "3 people"),
        (10, False, "10 labels are too few"),
        (50, True, "50 people gave 150 votes on 150 pairs"),
        (150, True, "A label is a vote"),
    ],
)
def test_votes_of_the_same_people_go_together(
    rankbars: Command, votes, voters: int, used: bool, says: str
):
    who = np.arange(1000) % voters
    given = votes["first"], votes["second"], votes["won"]
    write_votes("people.csv", range(150), "abcd", *given, who)
    board = board_of(rankbars, "--labels", "people.csv", "--judge", "judge.csv")
    assert judged(board)["used"] == used
    assert says in " ".join([*notes(board, "judge-rows"), *notes(board, "judge-unused")])


def test_people_who_gave_several_votes_are_the_labels(rankbars: Command, votes):
    given = votes["first"], votes["second"], votes["won"]
    write_votes("people.csv", range(150), "abcd", *given, np.arange(1000) // 3)
    words = "--labels", "people.csv", "--judge", "judge.csv", "--judge-family", "a"
    found = judged(board_of(rankbars, *words))
    assert (found["labels"], found["judged"]) == (50, 50 + round(850 / 3))
    (leaning,) = found["leanings"]
    write_votes("people.csv", range(150), "abcd", *given)
    (alone,) = judged(board_of(rankbars, *words))["leanings"]
    assert leaning["labels"] == alone["labels"]
    assert leaning["difference"] == pytest.approx(alone["difference"])
    assert leaning["high"] != pytest.approx(alone["high"], rel=1e-6)


def test_several_people_on_the_same_answers_are_ranked_without_the_judge(rankbars: Command, votes):
    given = votes["first"], votes["second"], votes["won"]
    write_votes("one.csv", range(150), "abcd", *given, np.arange(1000) % 50)
    write_votes("two.csv", range(20), "abcd", *given, np.arange(1000) % 50 + 5)
    Path("people.csv").write_text(
        Path("one.csv").read_text() + "\n".join(Path("two.csv").read_text().splitlines()[1:])
    )
    board = board_of(rankbars, "--labels", "people.csv", "--judge", "judge.csv")
    assert not judged(board)["used"]
    assert "of 20 of 150 pairs of answers" in judged(board)["reason"]
    assert board["tasks"][0]["mean"] == board_of(rankbars, "people.csv")["tasks"][0]["mean"]


def test_votes_of_people_that_the_judge_did_not_see_do_not_count(rankbars: Command, votes):
    given = votes["first"], votes["second"], votes["won"]
    write_votes("people.csv", range(150), "abcd", *given, np.arange(1000) % 50)
    write_votes("judge.csv", range(10, 1000), "abcd", *given[:2], votes["judge"])
    board = board_of(rankbars, "--labels", "people.csv", "--judge", "judge.csv")
    assert judged(board)["used"]
    assert "10 pairs of answers that the judge did not see" in " ".join(notes(board, "judge-rows"))
    write_votes("judge.csv", range(500, 1000), "abcd", *given[:2], votes["judge"])
    done = rankbars("rank", "--labels", "people.csv", "--judge", "judge.csv")
    assert done.code == 1
    assert "voted on none of the pairs of answers" in done.err


def test_a_judge_of_votes_that_leans_to_its_family_is_told_of(rankbars: Command, votes):
    lean = votes["judge"].copy()
    lean[votes["first"] == 2] = 1.0
    lean[votes["second"] == 2] = 0.0
    given = votes["first"], votes["second"]
    write_votes("judge.csv", range(1000), "abcd", *given, lean)
    words = "--labels", "people.csv", "--judge", "judge.csv", "--judge-family", "c"
    (told,) = judged(board_of(rankbars, *words))["leanings"]
    met = (votes["first"][:150] == 2) | (votes["second"][:150] == 2)
    sign = np.where(votes["first"][:150] == 2, 1.0, -1.0)
    apart = (sign * (lean - votes["won"])[:150])[met]
    assert told["labels"] == met.sum()
    assert told["difference"] == pytest.approx(apart.mean(), rel=1e-9)
    low, high = stats.t.interval(0.95, len(apart) - 1, apart.mean(), stats.sem(apart))
    # Each residual is divided by one less its leverage.
    assert [told["low"], told["high"]] == pytest.approx([low, high], abs=0.01)


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        (lambda text: text.replace("prompt", "note", 1), 1, "which prompt"),
        (
            lambda text: text.replace("\np", "\nq"),
            1,
            "none of the labelled",
        ),
        (lambda text: text.replace(",d,", ",e,"), 1, "has no votes on"),
    ],
)
def test_votes_that_do_not_belong_to_each_other_are_told(
    rankbars: Command, votes, change, code: int, says: str
):
    people = Path("people.csv").read_text()
    Path("people.csv").write_text(change(people))
    answer = rankbars("rank", "--labels", "people.csv", "--judge", "judge.csv")
    assert (answer.code, "Traceback" in answer.err) == (code, False)
    assert says in " ".join(answer.err.split())


def test_votes_and_scores_do_not_correct_each_other(rankbars: Command, votes, results):
    write("scores.csv", {"score": results["judge"]}, range(400))
    answer = rankbars("rank", "--labels", "people.csv", "--judge", "scores.csv")
    assert (answer.code, "Traceback" in answer.err) == (1, False)
    answer = rankbars("rank", "--labels", "scores.csv", "--judge", "people.csv")
    assert (answer.code, "Traceback" in answer.err) == (1, False)

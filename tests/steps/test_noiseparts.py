"""`rankbars.noise`: from results with repeated answers to the parts of their errors."""

from __future__ import annotations

import html
import json
import math
from pathlib import Path

import numpy as np
import pytest

import rankbars as rb
from rankbars.cli.app import run
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.stats.pairwise.runeffects import two_way_t

AIRLINE = Path(__file__).parents[1] / "data" / "tables" / "tau_bench_airline.csv"


def board_of(cube: np.ndarray, **kind: object) -> rb.Scores:
    """Complete answers, items × runs × models."""
    models = tuple("abcdefgh"[: cube.shape[2]])
    return rb.Scores({"law": rb.Items(models, cube.mean(axis=1), runs=cube, **kind)})


def answers(seed: int, n: int = 60, runs: int = 4, models: int = 3) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.random((n, runs, models)) < rng.beta(0.7, 0.7, (n, 1, models))).astype(float)


def test_the_airline_tasks_of_tau_bench() -> None:
    found = rb.noise(AIRLINE)
    text = " ".join(found.to_text().split())
    for sentence in (
        "50 items × 4 answers. The ± holds for new items and new answers.",
        "27 % [16, 46] of its variance is rerun noise: endless reruns would narrow it by 14 %.",
        "Two answers to one item differ in 29 % of cases; 52 % of items have different answers "
        "among 4.",
        "suggests an error of 0.00816; for new items it is 0.0522, 6.4 times that.",
        "No sign of an effect shared by whole runs (p = 0.97; one with a standard deviation of "
        "0.03 would show in 11 % of cases).",
    ):
        assert sentence in text
    task = found.tasks["airline"]
    # With one answer to each task, 59.5 % of the variance would be reruns (the data's own page).
    once = task.means.once[0] / (task.means.items[0] + task.means.once[0])
    np.testing.assert_allclose(once, 0.595, atol=5e-4)


def test_a_pair_is_spoken_of_in_either_order() -> None:
    scores = board_of(answers(1))
    one, other = rb.noise(scores, ("a", "c")), rb.noise(scores, ("c", "a"))
    difference = scores.tasks["law"].values @ [1.0, 0.0, -1.0]
    assert f"a minus c: {difference.mean():.3g} with" in str(one)
    assert f"c minus a: {-difference.mean():.3g} with" in str(other)
    whole = rb.noise(scores).tasks["law"].pairs
    assert whole is not None
    pair = one.tasks["law"].pairs
    assert pair is not None
    np.testing.assert_allclose(pair.share[0], whole.share[1], rtol=1e-12)
    np.testing.assert_allclose(pair.variance[0], difference.var(ddof=1) / 60, rtol=1e-12)


def test_the_board_keeps_the_same_parts_and_no_rank_moves() -> None:
    cube = answers(2)
    board = rb.leaderboard(board_of(cube))
    plain = rb.leaderboard(rb.Scores.from_arrays({"law": cube.mean(axis=1)}, ["a", "b", "c"]))
    np.testing.assert_array_equal(board.tasks["law"].best, plain.tasks["law"].best)
    np.testing.assert_array_equal(board.tasks["law"].se, plain.tasks["law"].se)
    assert plain.tasks["law"].noise is None
    kept, found = board.tasks["law"].noise, rb.noise(board_of(cube)).tasks["law"]
    assert kept is not None
    assert kept.pairs is not None
    assert found.pairs is not None
    np.testing.assert_array_equal(kept.pairs.share, found.pairs.share)
    np.testing.assert_allclose(np.sqrt(kept.means.variance), board.tasks["law"].se, rtol=1e-12)
    assert kept.run_effect == found.run_effect


def test_a_board_file_keeps_the_parts(tmp_path: Path) -> None:
    cube = answers(3)
    cube[:, :, 2] = 1.0
    board = rb.leaderboard(board_of(cube))
    board.save(tmp_path / "board.json")
    kept = rb.load(tmp_path / "board.json").tasks["law"].noise
    made = board.tasks["law"].noise
    assert kept is not None
    assert made is not None
    np.testing.assert_array_equal(kept.means.low, made.means.low)
    np.testing.assert_array_equal(kept.flips, made.flips)
    assert (kept.most, kept.run_effect) == (made.most, made.run_effect)
    page = html.unescape(board.to_html())
    assert page.count('id="noise"') == 1
    assert "60 items × 4 answers." in page
    assert (
        'id="noise"'
        not in rb.leaderboard(
            rb.Scores.from_arrays({"law": cube.mean(axis=1)}, ["a", "b", "c"])
        ).to_html()
    )


def test_the_noise_and_the_board_say_one_thing_of_one_p_value() -> None:
    """Runs that differ at 5 %, and not at 1 %; answers of one are missing."""
    rng = np.random.default_rng(5)
    answers = rng.normal(size=(60, 5, 2)) + rng.normal(0, 0.16, (1, 5, 2))
    answers[:20, 4, 0] = np.nan
    known = ~np.isnan(answers)
    task = rb.Items(("a", "b"), np.nanmean(answers, axis=1), answers=known.sum(axis=1),
                    trials=answers)  # fmt: skip
    scores = rb.Scores({"law": task})
    effect = rb.noise(scores).tasks["law"].run_effect
    assert effect is not None
    assert 0.01 < effect.p < 0.05
    told = f"move together more than chance allows (p = {effect.p:.2g})"
    for printed in (str(rb.noise(scores)), rb.leaderboard(scores).to_text()):
        assert told in " ".join(printed.split())
        assert "new ones are not covered" in " ".join(printed.split())


def test_shared_runs_add_what_the_truncated_test_adds() -> None:
    rng = np.random.default_rng(4)
    cube = rng.normal(size=(40, 5, 2)) + rng.normal(0, 0.8, (1, 5, 2))
    parts = rb.noise(board_of(cube)).tasks["law"].pairs
    assert parts is not None
    test = two_way_t(cube)
    added = test.se[0, 1] ** 2 - parts.variance[0]
    np.testing.assert_allclose(parts.runs[0], added, rtol=1e-9)
    assert "move together more than chance allows" in " ".join(
        str(rb.noise(board_of(cube))).split()
    )


def test_prompts_are_a_part_of_their_own() -> None:
    rng = np.random.default_rng(5)
    shared = rng.normal(0, 1, (1, 4, 1))  # what a prompt does to every model cancels
    cube = rng.normal(size=(50, 1, 2)) + shared + rng.normal(0, 0.5, (50, 4, 2))
    found = rb.noise(board_of(cube, averaged=("prompts",)))
    task = found.tasks["law"]
    assert task.answer == "prompts"
    assert task.run_effect is None
    assert task.pairs is not None
    assert abs(task.pairs.runs[0]) < task.means.runs.min() / 10
    # What is left of a row beside its items and its prompts, in a table of the differences.
    table = cube[:, :, 0] - cube[:, :, 1]
    rest = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    np.testing.assert_allclose(task.pairs.answers[0], (rest**2).sum() / (49 * 3) / 4 / 50)
    text = " ".join(str(found).split())
    assert "The ± holds for new items, not for what prompts do to all of them" in text
    assert "of its variance is what prompts make" in text


def test_prompts_as_rows_are_split_from_the_items_they_share() -> None:
    rng = np.random.default_rng(6)
    boards = []
    for _ in range(60):
        cube = rng.normal(0, 0.3, (12, 1, 1)) + rng.normal(0, 1, (1, 30, 1))
        boards.append(cube + rng.normal(0, 0.6, (12, 30, 1)))
    means = [
        rb.noise(board_of(one, design="prompts", averaged=("items",))).tasks["law"].means
        for one in boards
    ]
    # Items that all prompts share move no difference between prompts.
    np.testing.assert_allclose(np.mean([one.answers[0] for one in means]), 0.36 / 30 / 12, rtol=0.1)
    total = np.mean([one.variance[0] for one in means])
    np.testing.assert_allclose(total, (0.09 + 0.36 / 30) / 12, rtol=0.15)


def test_unequal_trials_and_models_that_lack_a_task() -> None:
    cube = answers(6)
    cube[rng_holes(cube)] = np.nan
    number = (~np.isnan(cube)).sum(axis=1)
    means = np.nansum(cube, axis=1) / number
    within = np.nanvar(cube, axis=1, ddof=1)
    items = rb.Items(("a", "b", "c"), means, answers=number, within=within, trials=cube)
    two = rb.Items(("a", "d"), cube[:, 0, :2])
    found = rb.noise(rb.Scores({"law": items, "math": two}))
    task = found.tasks["law"]
    assert found.models == ("a", "b", "c", "d")
    assert np.isnan(task.means.variance[3])
    assert (task.fewest, task.most) == (2, 4)
    assert "× 2 to 4 answers" in str(found)
    assert "Without several answers to an item: 'math'." in str(found)
    assert task.run_effect is not None
    assert task.run_effect.df == 9
    np.testing.assert_allclose(task.flips[:3], 2 * within.mean(axis=0), rtol=1e-12)


def rng_holes(cube: np.ndarray) -> np.ndarray:
    """Up to two of four answers are missing, never the same two for all."""
    order = np.random.default_rng(7).random(cube.shape).argsort(axis=1)
    many = np.random.default_rng(8).integers(2, 5, (len(cube), 1, cube.shape[2]))
    return order >= many


def test_one_answer_to_some_items_is_said() -> None:
    number = np.array([[2, 2]] * 30 + [[1, 2]] * 10)
    rng = np.random.default_rng(9)
    means = rng.integers(0, 3, number.shape) / 2
    means[30:, 0] = np.round(means[30:, 0])
    within = np.where(number > 1, 2 * means * (1 - means), np.nan)
    scores = rb.Scores({"law": rb.Items(("a", "b"), means, answers=number, within=within)})
    assert "Only 30 of 40 items have two answers or more" in " ".join(str(rb.noise(scores)).split())


def test_costs_say_whether_items_or_trials_are_worth_the_money() -> None:
    scores = board_of(answers(10, n=200))
    task = rb.noise(scores).tasks["law"]
    assert task.pairs is not None
    item = float(np.mean(200 * (task.pairs.variance - task.pairs.answers)))
    once = float(np.mean(200 * task.pairs.once))
    found = rb.noise(scores, cost_item=9, cost_trial=0.5, budget=300)
    best = found.best_answers("law")
    price = [(item + once / k) * (9 + 0.5 * k) for k in range(1, 200)]
    assert best == 1 + int(np.argmin(price))
    bought = found.buy("law")
    assert bought is not None
    assert bought.items * (9 + 0.5 * bought.answers) <= 300
    assert f"For 300: {bought.items} items × {bought.answers} answers" in str(found)
    low, high = found.answers_between("law")
    assert low <= best <= high
    free = rb.noise(scores, cost_item=0, cost_trial=1)
    assert "more items beat more trials" in str(free)


def test_items_that_are_not_seen_to_differ_do_not_make_one_item_enough() -> None:
    rng = np.random.default_rng(15)
    cube = rng.normal(size=(60, 1, 1)) + rng.normal(size=(60, 4, 2))  # items move both alike
    found = rb.noise(board_of(cube), cost_item=5, cost_trial=1, budget=600)
    parts = found.tasks["law"].pairs
    assert parts is not None
    assert parts.share[0] > 1
    bought = found.buy("law")
    assert bought is not None
    assert bought.items > 20
    assert math.isinf(found.answers_between("law")[1])
    constant = rb.noise(board_of(np.ones((5, 3, 2))), cost_item=1, cost_trial=1)
    assert "what to buy cannot be told" in " ".join(str(constant).split())


def test_text_html_and_json_say_the_same() -> None:
    found = rb.noise(board_of(answers(11)), cost_item=1, cost_trial=1, budget=50)
    plain = json.loads(found.to_json())
    assert plain["schema"] == "rankbars.noise/1"
    assert plain["models"] == ["a", "b", "c"]
    task = plain["tasks"][0]
    assert task["name"] == "law"
    pairs = found.tasks["law"].pairs
    assert pairs is not None
    np.testing.assert_allclose(task["noise"]["pairs"]["answers"], pairs.answers)
    assert plain["sentences"][0] in " ".join(str(found).split())
    assert "60 items × 4 answers" in found._repr_html_()
    assert repr(found) == "Noise(3 models, 1 tasks)"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"pair": ("a", "x")}, UnknownOptionError, "x"),
        ({"pair": ("a", "a")}, OptionError, "A pair is two models"),
        ({"pair": "ab"}, OptionError, "A pair is two models"),
        ({"cost_item": 1.0}, OptionError, "Both costs are needed"),
        ({"budget": 1.0}, OptionError, "A budget goes with"),
        ({"cost_item": -1.0, "cost_trial": 1.0}, OptionError, "0 or more"),
        ({"cost_item": 1.0, "cost_trial": 0.0}, OptionError, "above 0"),
        ({"cost_item": 1.0, "cost_trial": math.nan}, OptionError, "above 0"),
        ({"cost_item": 1.0, "cost_trial": 1.0, "budget": -5.0}, OptionError, "above 0"),
        ({"alpha": 2.0}, OptionError, "between 0 and 1"),
        ({"seed": -1}, OptionError, "seed"),
    ],
)
def test_what_does_not_fit_is_refused(
    options: dict[str, object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        rb.noise(board_of(answers(12)), **options)  # type: ignore[arg-type]


def test_results_without_repeated_answers_say_what_to_give() -> None:
    with pytest.raises(DataError, match="a column that numbers them"):
        rb.noise(rb.Scores.from_arrays({"law": [[1, 0], [0, 1]]}, ["a", "b"]))
    with pytest.raises(DataError, match="several answers"):
        rb.noise(rb.Scores({"x": rb.Estimates(("a", "b"), [0.1, 0.2])}))


def test_pairs_that_share_too_few_items_are_said_so() -> None:
    cube = answers(14, models=2)
    for shared, words in ((0, "a and b share no item that is scored"),
                          (1, "a and b share only one item that is scored")):  # fmt: skip
        apart = cube.copy()
        apart[:30, :, 0], apart[30 + shared :, :, 1] = np.nan, np.nan
        values = np.where(np.isnan(apart).all(axis=1), np.nan, apart.mean(axis=1))
        found = rb.noise(rb.Scores({"law": rb.Items(("a", "b"), values, trials=apart)}))
        assert words in str(found)
        for text in (found.to_text(), found.to_json(), found._repr_html_()):
            assert "nan" not in text


def test_one_item_is_an_item_and_names_are_shown_as_they_are_written() -> None:
    one = rb.Scores({"law": rb.Items(("a\x1b[31m", "b"), [[0.5, 0.5]], runs=[[[0, 1], [1, 0]]])})
    text = str(rb.noise(one))
    assert text.startswith("1 item × 2 answers.")
    assert "\x1b" not in text
    assert "nan" not in text


def test_what_a_trial_costs_may_stand_in_a_column(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from rankbars.cli.app import run

    rng = np.random.default_rng(16)
    lines, spent = ["model,item,trial,score,usd"], {"a": [], "b": []}
    for model, item, trial in np.ndindex(2, 20, 3):
        usd = float(rng.uniform(1, 3)) * (1 + model)
        spent["ab"[model]].append(usd)
        lines.append(f"{'ab'[model]},q{item},{trial},{int(rng.random() < 0.5)},{usd}")
    path = tmp_path / "trials.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ["--cost-item", "5", "--cost-trial", "usd", "--json"]
    assert run(["noise", str(path), "-q", *words]) == 0
    trial = json.loads(capsys.readouterr().out)["costs"]["trial"]
    np.testing.assert_allclose(trial, np.mean(spent["a"]) + np.mean(spent["b"]))
    assert run(["noise", str(path), "-q", "--cost-item", "5", "--cost-trial", "eur"]) == 1
    assert "'eur'" in capsys.readouterr().err


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    from rankbars.cli.app import run

    picture = tmp_path / "noise.svg"
    assert run(["noise", str(AIRLINE), "-q", "-o", str(picture)]) == 0
    assert "27 % [16, 46]" in capsys.readouterr().out
    assert "whole runs" in picture.read_text(encoding="utf-8")
    assert run(["noise", str(AIRLINE), "-q", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["tasks"][0]["name"] == "airline"
    for words, said in (
        (["-o", "x.txt"], "must end in .svg, .pdf or .png"),
        (["--pair", "gpt-4o", "x"], "'x'"),
        (["--cost-item", "1"], "Both costs are needed"),
    ):
        assert run(["noise", str(AIRLINE), "-q", *words]) > 0
        message = capsys.readouterr().err
        assert said in message
        assert "Traceback" not in message


def test_a_board_says_what_its_results_say(tmp_path: Path) -> None:
    cube = answers(6)
    scores = rb.Scores({"law": rb.Items(("a", "b", "c"), cube.mean(axis=1), runs=cube)})
    board = rb.leaderboard(scores)
    path = tmp_path / "board.json"
    board.save(path)
    assert str(rb.noise(rb.load(path))) == str(rb.noise(scores))
    kept, fresh = rb.noise(board, ("c", "a")), rb.noise(scores, ("c", "a"))
    one, other = kept.tasks["law"], fresh.tasks["law"]
    for name in ("mean", "variance", "answers", "low", "high", "runs"):
        np.testing.assert_array_equal(getattr(one.pairs, name), getattr(other.pairs, name))
    np.testing.assert_array_equal(one.flips, other.flips)
    assert [note.code for note in kept.notes] == ["runs-of-board"]
    with pytest.raises(rb.OptionError, match=r"at alpha 0\.05; got alpha 0\.1"):
        rb.noise(board, alpha=0.1)
    with pytest.raises(rb.DataError, match="No task of the board has items with several answers"):
        rb.noise(rb.leaderboard(rb.Scores.from_arrays({"x": np.eye(4)}, list("abcd"))))


def test_an_effect_common_to_all_models_is_said_and_kept(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    cube = rng.normal(size=(60, 4, 5)) + np.array([0.0, 0.5, 0.0, -0.5])[:, None]
    scores = rb.Scores({"law": rb.Items(tuple("abcde"), cube.mean(axis=1), runs=cube)})
    found = rb.noise(scores)
    common = found.tasks["law"].run_common
    assert common is not None
    assert (common.df, common.p < 1e-6) == (3, True)
    assert "Runs move all models alike" in " ".join(str(found).split())
    rb.leaderboard(scores).save(tmp_path / "board.json")
    again = rb.noise(rb.load(tmp_path / "board.json")).tasks["law"].run_common
    assert again is not None
    assert again.q == pytest.approx(common.q, rel=1e-12)
    one = rb.Scores({"law": rb.Items(("a",), cube[:, :, :1].mean(axis=1), runs=cube[:, :, :1])})
    assert rb.noise(one).tasks["law"].run_common is None


def test_the_command_takes_a_board_and_says_what_does_not_go_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cube = answers(6)
    board = rb.leaderboard(rb.Scores({"law": rb.Items(("a", "b", "c"), cube.mean(1), runs=cube)}))
    path = str(tmp_path / "board.json")
    board.save(path)
    assert run(["noise", path, "--pair", "c", "a", "--cost-item", "2", "--cost-trial", "1"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("60 items × 4 answers.")
    assert "c minus a: " in said
    assert "At 2 for an item and 1 for a trial" in said
    for given, code, words in (
        (["--models", "a"], 2, "--pair and --tasks go with it"),
        (["--metric", "pass^2"], 2, "--pair and --tasks go with it"),
        (["--tasks", "x"], 2, "Known: law."),
        (["--cost-item", "1", "--cost-trial", "usd"], 2, "keeps no costs of answers"),
    ):
        assert run(["noise", path, *given]) in (1, code)
        assert words in capsys.readouterr().err

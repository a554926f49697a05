"""The corrections, through the public verbs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from reference import oracle_columns
from strategies import score_tables

import rankbars as rb
from rankbars.stats.pairwise.paired import paired_t
from rankbars.steps.corrections import CORRECTIONS, Family, take_correction
from rankbars.steps.jointclaims import first_critical

GUARDED = ("holm", "bonferroni", "simes", "maxt", "maxt_bootstrap")


def field(seed: int = 0, rows: int = 40, size: int = 8) -> rb.Scores:
    rng = np.random.default_rng(seed)
    return rb.Scores.from_arrays(
        {"t": rng.normal(size=(rows, size)) + np.arange(size) / 4}, list("abcdefgh")[:size]
    )


def widths(scores: rb.Scores, correction: str, scope: str = "each") -> np.ndarray:
    return rb.rank(rb.compare(scores), correction=correction, scope=scope)["t"].width


@given(scores=score_tables())
def test_simes_is_never_wider_than_holm_nor_holm_than_bonferroni(scores: rb.Scores) -> None:
    made = {
        name: rb.rank(rb.compare(scores), correction=name)
        for name in ("simes", "holm", "bonferroni", "none")
    }
    for task in scores.tasks:
        assert (made["simes"][task].width <= made["holm"][task].width).all()
        assert (made["holm"][task].width <= made["bonferroni"][task].width).all()
        assert (made["none"][task].width <= made["simes"][task].width).all()


@pytest.mark.parametrize("correction", GUARDED)
@pytest.mark.parametrize("scope", ["each", "all"])
def test_guarantee_is_stated_with_its_scope(correction: str, scope: str) -> None:
    made = rb.rank(rb.compare(field()), correction=correction, scope=scope, alpha=0.1)["t"]
    assert made.guarantee == pytest.approx(0.9)
    whole = scope == "all" or correction == "maxt_bootstrap"  # one family of both sides
    assert made.side_level == pytest.approx(0.1 if whole else 0.05)
    assert (made.shown_better is not None) == (scope == "all")


def test_no_correction_promises_nothing() -> None:
    made = rb.rank(rb.compare(field()), correction="none")["t"]
    assert made.guarantee is None


def test_the_bootstrap_refuses_few_rows() -> None:
    with pytest.raises(rb.OptionError, match="at least 5 rows, and there are 4"):
        rb.leaderboard(field(rows=4), correction="maxt_bootstrap")
    rb.leaderboard(field(rows=5), correction="maxt_bootstrap")


def test_every_correction_has_an_effect() -> None:
    total = dict.fromkeys((*GUARDED, "none"), 0)
    for seed in range(10):
        scores = field(seed, rows=30)
        for name in total:
            total[name] += int(widths(scores, name, "all").sum())
    assert total["none"] < total["maxt"] < total["bonferroni"]
    assert total["none"] < total["maxt_bootstrap"] < total["bonferroni"]
    assert total["holm"] < total["bonferroni"]


def test_simes_for_all_models_at_once_falls_back_to_holm_and_says_so() -> None:
    simes = rb.rank(rb.compare(field()), correction="simes", scope="all")["t"]
    holm = rb.rank(rb.compare(field()), correction="holm", scope="all")["t"]
    assert simes.best.tolist() == holm.best.tolist()
    # Of 40 rows every correction says what they may lack; only Simes says what stands in its place.
    assert [note.code for note in holm.notes] == ["unseen-rows"]
    assert [note.code for note in simes.notes] == ["unseen-rows", "simes-holm"]


def test_max_t_depends_on_the_seed_and_on_nothing_else() -> None:
    comparisons = rb.compare(field(rows=9, size=6))
    first = rb.rank(comparisons, correction="maxt", seed=1, resamples=99)["t"]
    again = rb.rank(comparisons, correction="maxt", seed=1, resamples=99)["t"]
    assert first.best.tolist() == again.best.tolist()


def test_max_t_with_missing_scores_says_what_to_do() -> None:
    scores = field()
    values = scores.tasks["t"].values.copy()
    values[0, 0] = np.nan
    gappy = rb.Scores.from_arrays({"t": values}, scores.models)
    with pytest.raises(rb.OptionError, match="--missing listwise"):
        rb.leaderboard(gappy, correction="maxt", missing="pairwise")


def test_max_t_on_folds_and_estimates_uses_their_covariance() -> None:
    rng = np.random.default_rng(3)
    folds = rb.Scores.from_arrays(
        {"t": rng.normal(size=(30, 3)) + [0, 0, 5]}, list("abc"), design=rb.Folds(10, 3)
    )
    assert rb.leaderboard(folds, correction="maxt").tasks["t"].best.tolist() == [2, 2, 1]
    estimates = rb.Scores({"t": rb.Estimates(tuple("abc"), [0, 0, 5], se=[1, 1, 0.5])})
    assert rb.leaderboard(estimates, correction="maxt").tasks["t"].best.tolist() == [2, 2, 1]


def test_max_t_after_the_plain_t_test_takes_folds_as_independent_rows() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(30, 4)) + [0, 0.3, 0.6, 1.2]
    folds = rb.Scores.from_arrays({"t": values}, list("abcd"), design=rb.Folds(10, 3))
    rows = rb.Scores.from_arrays({"t": values}, list("abcd"))
    given = {"test": "t", "correction": "maxt", "average_anyway": False}
    found = rb.leaderboard(folds, **given).tasks["t"]
    plain = rb.leaderboard(rows, **given).tasks["t"]
    assert (found.best.tolist(), found.worst.tolist()) == (
        plain.best.tolist(),
        plain.worst.tolist(),
    )
    assert found.approximate
    assert not plain.approximate
    corrected = rb.leaderboard(folds, correction="maxt").tasks["t"]
    assert corrected.measured_level == 0.84  # normal draws of few folds
    assert (corrected.worst - corrected.best).sum() > (found.worst - found.best).sum()


OWN_LAW = ("wilcoxon", "trimmed_t", "mcnemar", "mcnemar_midp", "two_way", "welch")


def crossed_answers() -> rb.Scores:
    """0/1 answers of three models to 40 items in 4 runs, which every test of rows can take."""
    rng = np.random.default_rng(5)
    runs = (rng.random((40, 4, 3)) < [0.2, 0.5, 0.8]).astype(float)
    runs[:] = runs[:, :1]  # the same answers in all runs, so that item means are 0 or 1
    tasks = {
        name: rb.Items(("a", "b", "c"), runs.mean(axis=1), runs=runs) for name in ("one", "two")
    }
    return rb.Scores(tasks)


@pytest.mark.parametrize("correction", ["maxt", "maxt_bootstrap"])
@pytest.mark.parametrize("test", OWN_LAW)
def test_a_correction_without_a_law_for_the_test_is_refused_with_what_to_use(
    test: str, correction: str
) -> None:
    scores = crossed_answers()
    compared = rb.compare(scores, test=test)
    message = f"'{correction}' has no law for test '{test}'.*--correction holm"
    with pytest.raises(rb.OptionError, match=message):
        rb.leaderboard(scores, test=test, correction=correction)
    with pytest.raises(rb.OptionError, match=message):
        rb.aggregate(scores, test=test, correction=correction)
    with pytest.raises(rb.OptionError, match=message):
        rb.explain(scores, rb.Spec(test=test, correction=correction))
    for asked in (compared, compared["one"]):
        with pytest.raises(rb.OptionError, match=message):
            rb.rank(asked, correction=correction)
    rb.rank(compared, correction="holm")  # what the message names works


def test_an_explanation_leaves_out_tests_that_the_correction_has_no_law_for() -> None:
    found = rb.explain(crossed_answers(), rb.Spec(correction="maxt"))
    assert not {one.test for one in found.outcomes} & set(OWN_LAW)
    assert set(OWN_LAW) <= {name for name, _ in found.skipped}


@pytest.mark.parametrize("correction", ["maxt", "simes"])
@pytest.mark.parametrize("over", ["items", "tasks"])
def test_the_average_takes_the_same_corrections(correction: str, over: str) -> None:
    rng = np.random.default_rng(4)
    arrays = {f"t{i}": rng.normal(size=(20, 4)) + [0, 0, 1, 3] for i in range(12)}
    scores = rb.Scores.from_arrays(arrays, list("abcd"))
    made = rb.aggregate(scores, over=over, correction=correction, scope="all")
    assert made.best.tolist() == [3, 3, 2, 1]


def test_corrections_are_a_plain_table() -> None:
    assert set(CORRECTIONS) == {*GUARDED, "bootstrap_band", "e_average", "none"}


def test_a_band_promises_nothing_and_says_so() -> None:
    made = rb.rank(rb.compare(field()), correction="bootstrap_band", resamples=99)["t"]
    assert (made.guarantee, made.side_level, made.shown_better) == (None, None, None)
    assert [note.code for note in made.notes] == ["unseen-rows", "band"]
    assert "not a confidence interval" in made.notes[-1].message


def test_a_band_is_for_one_model_at_a_time_and_independent_rows() -> None:
    with pytest.raises(rb.OptionError, match="one model at a time"):
        rb.rank(rb.compare(field()), correction="bootstrap_band", scope="all")


def test_many_tasks_are_ranked_as_each_by_itself() -> None:
    rng = np.random.default_rng(7)
    arrays = {f"t{i}": rng.normal(size=(8 + i % 3, 5)) + np.arange(5) for i in range(20)}
    arrays["t3"][0, 1] = np.nan
    arrays["t4"][:, 2] = np.nan
    comparisons = rb.compare(rb.Scores.from_arrays(arrays, list("abcde")))
    for name, made in rb.rank(comparisons, alpha=0.1).items():
        alone = rb.rank(comparisons[name], alpha=0.1)
        assert made.best.tolist() == alone.best.tolist()
        assert made.worst.tolist() == alone.worst.tolist()
        assert (made.guarantee, made.notes) == (alone.guarantee, alone.notes)


def test_step_down_max_t_on_estimates_agrees_with_icranks_sequential_tukey() -> None:
    table = oracle_columns("icranks_toy")
    y = [float(value) for value in table["y"]]
    names = tuple(f"m{i}" for i in range(len(y)))
    estimates = rb.Estimates(names, y, se=[float(value) for value in table["sigma"]])
    board = rb.leaderboard(
        rb.Scores({"toy": estimates}), correction="maxt", scope="all", resamples=20_000
    )
    task = board.tasks["toy"]
    # ICRanks computes the quantile, we draw it: the few pairs near it may differ by one rank.
    for end, made in (("best", task.best), ("worst", task.worst)):
        expected = np.array([int(value) for value in table[f"SeqTukey_{end}"]])
        assert np.abs(made - expected).max() <= 1
        assert (made == expected).sum() >= 9


def missed(board: rb.Leaderboard) -> list[str]:
    return [note.message for note in board.notes if note.code == "often-missed"]


def test_a_difference_that_cannot_be_is_not_called_often_missed() -> None:
    board = rb.leaderboard(
        rb.Scores.from_arrays({"x": [[0.0, 1, 0], [1, 0, 1], [1, 1, 0]]}, ["a", "b", "c"])
    )
    assert missed(board) == []


def test_a_board_that_shows_nothing_says_which_differences_are_often_missed() -> None:
    # Differences of +1 and -1: variance 10/9, standard error 1/3, and t of 9 degrees 2.262.
    rows = (
        np.column_stack([np.tile([1.0, 0.0], 5), np.tile([0.0, 1.0], 5)]) + np.arange(10)[:, None]
    )
    board = rb.leaderboard(rb.Scores.from_arrays({"x": rows}, ["a", "b"]))
    assert missed(board) == ["With 10 items, differences under 0.75 are often missed."]
    # Errors of .03 and .04 make .05; six ordered pairs share 5 %: z of .05 / 6 is 2.394.
    errors = rb.Estimates(("a", "b", "c"), [0.5, 0.51, 0.52], se=[0.03, 0.04, 0.03])
    board = rb.leaderboard(rb.Scores({"x": errors}))
    assert missed(board) == ["With errors of this size, differences under 0.12 are often missed."]
    # Two such tasks: the error of the average is the root of two smaller, and z for one pair 1.96.
    errors = rb.Estimates(("a", "b"), [0.5, 0.51], se=[0.03, 0.04])
    board = rb.leaderboard(rb.Scores({"x": errors, "y": errors}), over="items")
    assert missed(board) == ["On this average, differences under 0.069 are often missed."]


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "maxt", "maxt_bootstrap"])
def test_something_is_shown_exactly_where_a_statistic_reaches_the_first_critical_value(
    correction: str,
) -> None:
    told = 0
    for seed in range(30):
        values = np.random.default_rng(seed).normal(size=(14, 3)) + [0.0, 0.0, 1.0]
        pairs = paired_t(values)
        items = rb.Items(("a", "b", "c"), values)
        family = Family(pairs.statistic, pairs.df, None, pairs.se, items, "x", resamples=199)
        critical = first_critical(correction, family, 0.05)
        shown = take_correction(correction)(family, "all", 0.05).decisions.shown_better
        assert shown is not None
        assert shown.any() == (pairs.statistic > critical).any()
        told += shown.any()
    assert 3 < told < 27


def test_nothing_is_said_of_missed_differences_where_they_do_not_decide() -> None:
    rng = np.random.default_rng(0)
    answers = rb.Scores.from_arrays({"x": rng.random((20, 3)) < 0.5}, list("abc"))
    assert not missed(rb.leaderboard(answers, test="mcnemar"))
    assert not missed(rb.leaderboard(answers, correction="none"))
    ranks = {f"t{k}": rng.normal(size=3) for k in range(8)}
    tasks = {name: rb.Estimates(("a", "b", "c"), row) for name, row in ranks.items()}
    assert not missed(rb.leaderboard(rb.Scores(tasks), over="tasks", method="average_rank"))
    ahead = rb.Scores.from_arrays({"x": rng.normal(size=(40, 2)) + [0.0, 3.0]}, ["a", "b"])
    assert not missed(rb.leaderboard(ahead))

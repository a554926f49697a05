"""Claims judged: against scipy and by hand, as properties, and how often verdicts are false."""

import dataclasses
import itertools
import math

import numpy as np
import pytest
from scipy import stats

import rankbars as rb
from rankbars.data.claim import parse_claim
from rankbars.data.taskinfo import TaskInfo
from rankbars.gates import preflight
from rankbars.steps import claimparts, manyduels

RNG = np.random.default_rng(11)
MODELS = ("a", "b", "c", "d")


def field(shift=(0.0, 0.0, 0.0, 0.0), tasks=("t",), n=40, rng=RNG, **info):
    values = {task: rng.normal(size=(n, 4)) + shift for task in tasks}
    known = {task: TaskInfo(**info) for task in tasks}
    return rb.Scores.from_arrays(values, MODELS, info=known)


def one(scores, line, **options):
    return rb.check(scores, line, **options).claims[0]


@pytest.mark.parametrize(
    ("line", "border"), [("a > b", 0.0), ("a >= b - 0.3", -0.3), ("a > b + 0.2", 0.2)]
)
def test_p_values_of_a_pair_are_those_of_the_t_test_of_scipy(line, border):
    scores = field((0.4, 0.0, 0.0, 0.0))
    rows = scores.tasks["t"].values
    found = one(scores, line)
    for p, side in ((found.p_support, "greater"), (found.p_refute, "less")):
        test = stats.ttest_1samp(rows[:, 0] - rows[:, 1], border, alternative=side)
        assert p == pytest.approx(test.pvalue, rel=1e-9)
    interval = test.confidence_interval
    assert found.estimate == pytest.approx((rows[:, 0] - rows[:, 1]).mean())
    assert not interval(0.95).high < found.estimate


def test_equivalence_is_two_one_sided_tests():
    scores = field()
    rows = scores.tasks["t"].values
    difference = rows[:, 0] - rows[:, 1]
    ends = [
        stats.ttest_1samp(difference, border, alternative=side).pvalue
        for border, side in ((-0.9, "greater"), (0.9, "less"))
    ]
    assert one(scores, "a = b +- 0.9").p_support == pytest.approx(max(ends), rel=1e-9)


def test_a_score_is_tested_by_itself():
    scores = field((0.3, 0.0, 0.0, 0.0))
    rows = scores.tasks["t"].values[:, 0]
    found = one(scores, "a >= 0.1")
    test = stats.ttest_1samp(rows, 0.1, alternative="greater")
    assert found.p_support == pytest.approx(test.pvalue, rel=1e-9)
    assert found.estimate == pytest.approx(rows.mean())
    assert found.low == pytest.approx(rows.mean() - stats.t.isf(0.025, 39) * stats.sem(rows))


def test_shares_of_right_answers_are_not_sure_by_being_all_right():
    right = rb.Scores.from_arrays({"t": np.ones((10, 2))}, ["a", "b"])
    assert one(right, "a >= 0.8").verdict == "cannot_tell"  # .8^10 is .11
    many = rb.Scores.from_arrays({"t": np.ones((60, 2))}, ["a", "b"])
    assert one(many, "a >= 0.8").verdict == "supported"
    # Two models that agree everywhere may still differ by one row of a hundred.
    assert one(many, "a >= b - 0.01").verdict == "cannot_tell"
    assert one(many, "a >= b - 0.2").verdict == "supported"
    assert one(many, "a > b").verdict == "cannot_tell"


@pytest.mark.parametrize(
    "line", ["a > each of b, c", "a first", "a in top 2", "a > b on each task"]
)
def test_claims_of_several_parts_are_put_together_as_the_reference_says(line):
    scores = field((0.5, 0.1, 0.0, 0.2), ("t", "u"))
    found = one(scores, line)
    duels = {k: rb.head_to_head(scores, "a", k) for k in "bcd"}
    average = {k: (duel.average.p_better, duel.average.p_worse) for k, duel in duels.items()}
    if line == "a > each of b, c":
        parts = [average["b"], average["c"]]
        want = max(p for p, _ in parts), 2 * min(p for _, p in parts)
    elif line == "a first":
        want = max(p for p, _ in average.values()), 3 * min(p for _, p in average.values())
    elif line == "a in top 2":
        want = (
            2 * sorted(p for p, _ in average.values())[1],
            2 * sorted(p for _, p in average.values())[1],
        )
    else:
        parts = [(task.p_better, task.p_worse) for task in duels["b"].tasks.values()]
        want = max(p for p, _ in parts), 2 * min(p for _, p in parts)
    assert (found.p_support, found.p_refute) == pytest.approx([min(1.0, p) for p in want])


def test_order_of_models_and_of_claims_does_not_matter():
    scores = field((0.5, 0.1, 0.0, 0.2), ("t", "u"))
    lines = ["a > b", "c >= d - 0.1 on t", "b in top 3", "d >= 0.1"]
    made = {one.claim.text: one for one in rb.check(scores, lines).claims}
    turned = rb.check(scores.select(models=("d", "c", "b", "a")), lines[::-1])
    for found in turned.claims:
        assert found.p_support == made[found.claim.text].p_support
        assert found.verdict == made[found.claim.text].verdict


def test_a_mirrored_claim_swaps_its_p_values():
    scores = field((0.3, 0.0, 0.0, 0.0))
    first, second = one(scores, "a > b + 0.1"), one(scores, "b >= a - 0.1")
    assert first.p_support == pytest.approx(second.p_refute)
    assert first.estimate == -second.estimate


def test_margins_are_towards_worse_where_lower_is_better():
    rows = np.random.default_rng(7).normal(size=(50, 2)) + [0.0, 0.5]
    scores = rb.Scores.from_arrays(
        {"t": -rows}, ["a", "b"], info={"t": TaskInfo(direction="lower")}
    )
    assert one(scores, "a > b").verdict == "supported"
    found = one(scores, "a <= 0.6")
    assert found.verdict == "supported"
    assert found.estimate == pytest.approx(rows[:, 0].mean())
    assert found.low < found.estimate < found.high
    with pytest.raises(rb.OptionError, match=r"lower is better here, so write a <= 0\.6"):
        rb.check(scores, "a >= 0.6")


def test_more_claims_ask_for_more():
    scores = field((0.45, 0.0, 0.0, 0.0))
    alone = one(scores, "a > b")
    among = rb.check(scores, ["a > b", "c > d", "c >= 0.1", "b > d", "d >= 0.1"])
    assert alone.p_support == among.claims[0].p_support
    assert among.claims[0].low <= alone.low
    each = rb.check(scores, ["a > b", "c > d"], together=False)
    assert each.claims[0].low == alone.low


def test_interval_and_verdict_say_the_same():
    rng = np.random.default_rng(5)
    for _ in range(40):
        scores = field(rng.normal(size=4) * 0.3, n=30, rng=rng)
        for found in rb.check(scores, ["a > b", "c >= d - 0.2", "a > c + 0.1"]).claims:
            border = -found.claim.margin
            assert (found.low > border) == (found.verdict == "supported")
            assert (found.high < border) == (found.verdict == "refuted")


def test_roles_decide_what_fails():
    scores = field((2.0, 0.0, 0.0, 0.0))
    made = rb.check(scores, ["a > b"], guards=["c > d"])
    assert (made.exit_code(), [one.role for one in made.claims]) == (0, ["must", "guard"])
    assert rb.check(scores, ["a > b", "c > d"]).exit_code() == 3
    assert rb.check(scores, ["a > b", "c > d"]).exit_code("refuted") == 0
    assert rb.check(scores, ["c > d"], guards=["b > a"]).exit_code() == 4
    with pytest.raises(rb.UnknownOptionError, match="fail_on"):
        made.exit_code("nothing")


def test_skewed_rows_are_resampled_often_enough_for_many_claims():
    rows = np.random.default_rng(0).exponential(size=(40, 4)) ** 3 + [99.0, 0.0, 0.0, 0.0]
    scores = rb.Scores.from_arrays({"t": rows}, MODELS)
    lines = ["a > b", "a > c", "a > d", *(f"b >= c - {k / 100}" for k in range(37))]
    made = rb.check(scores, lines)
    assert [one.verdict for one in made.claims[:3]] == ["supported"] * 3
    assert "skewed" in {note.code for note in made.notes}


def test_published_scores_are_judged_by_their_errors():
    task = rb.Estimates(("a", "b"), np.array([0.8, 0.7]), se=np.array([0.02, 0.02]))
    scores = rb.Scores({"t": task})
    error = 0.02 * 2**0.5
    assert one(scores, "a >= b + 0.05").p_support == pytest.approx(stats.norm.sf(0.05 / error))
    assert one(scores, "a >= 0.75").p_support == pytest.approx(stats.norm.sf(0.05 / 0.02))


def test_gaps_stop_the_check_and_those_of_others_do_not():
    scores = field()
    values = scores.tasks["t"].values.copy()
    values[3, 0] = np.nan
    gapped = rb.Scores.from_arrays({"t": values}, MODELS)
    with pytest.raises(rb.DataError, match="Nothing was judged"):
        rb.check(gapped, "a > b")
    assert one(gapped, "c > d").verdict == "cannot_tell"
    assert one(gapped, "a > b", missing="pairwise").n == 39


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a >= b - 1 point", "Write the margin in units of the score"),
        ("a >= b - 100", "Did you mean 1?"),
        ("a > b on at least 2 of 2 tasks", "there are 1"),
    ],
)
def test_margins_that_do_not_fit_are_refused(line, said):
    with pytest.raises(rb.OptionError) as caught:
        rb.check(field(), line)
    assert said in str(caught.value)


def published(*means, se=0.36, **declared):
    values = np.array(means)
    task = rb.Estimates(MODELS[: len(means)], values, se=np.full(len(means), se))
    return rb.Scores({"mmlu": task}, {"mmlu": TaskInfo(**declared)})


def test_scores_that_are_near_each_other_are_no_scale():
    near = published(0.712, 0.708, se=0.0036)
    assert one(near, "a >= b - 0.01").verdict == "supported"  # z = 0.014 / 0.0051
    assert one(published(71.2, 70.8), "a >= b - 1").verdict == "supported"
    errors = published(5.3, 5.4, direction="lower")
    assert one(errors, "a not worse than b by 2").verdict == "supported"
    with pytest.raises(rb.OptionError, match=r"lie from 0 to 1\).*Did you mean 0\.01\?"):
        rb.check(near, "a >= b - 1")
    with pytest.raises(rb.OptionError, match=r"lie from 0 to 100\).*Did you mean 3\?"):
        rb.check(published(71.2, 70.8, minimum=0, maximum=100), "a >= b - 300")
    alike = rb.Scores.from_arrays({"t": RNG.uniform(71, 76, size=(30, 2))}, ["a", "b"])
    assert one(alike, "a >= b - 6").verdict == "supported"
    with pytest.raises(rb.OptionError, match="as wide as all scores"):
        rb.check(alike, "a >= b - 80")


def test_a_scale_is_suggested_that_the_scores_fit():
    for scores, said in (
        (published(71.2, 70.8), r"--score-max 100; .* maximum=100\), or write .* such as 1\."),
        (published(0.712, 0.708), r"--score-max 1; .* maximum=1\), or write .* such as 0\.01\."),
        (published(712, 708), r"one\. Write the margin in units of the score\.$"),
    ):
        with pytest.raises(rb.OptionError, match=said):
            rb.check(scores, "a >= b - 1 point")


def test_a_share_as_margin_on_percentages_is_noted():
    def noted(scores, line="a >= b - 0.01"):
        return "small-margin" in {note.code for note in rb.check(scores, line).notes}

    assert noted(published(71.2, 70.8))
    assert not noted(published(71.2, 70.8), "a >= b - 1")
    assert not noted(published(0.712, 0.708))
    assert not noted(published(8.1, 8.0))
    assert not noted(published(71.2, 70.8, direction="lower"), "a not worse than b by 0.01")


def test_points_are_hundredths_of_a_declared_scale():
    rows = RNG.uniform(size=(60, 4))
    for size in (1.0, 100.0):
        info = {"t": TaskInfo(minimum=0, maximum=size)}
        scores = rb.Scores.from_arrays({"t": rows * size}, MODELS, info=info)
        found = one(scores, "a >= b - 20 points")
        assert found.words.startswith(f"a is not worse than b by more than {0.2 * size:g}")
        assert one(scores, f"a >= b - {0.2 * size}").p_support == found.p_support


def test_points_have_several_names():
    for words in ("1 point", "1%", "1pp", "1 pp", "1 percentage point", "1 percentage points"):
        for line in (f"a >= b - {words}", f"a not worse than b by {words} on t"):
            claim = parse_claim(line)
            assert (claim.margin, claim.in_points, claim.others) == (1.0, True, ("b",))


def test_digits_show_on_which_side_of_the_claimed_score_the_bound_lies():
    """Wilson's bounds of 45 and of 65 in 100 are 0.5492 and 0.5549."""
    for right, said in ((45, ", >0.54]"), (65, "[<0.56, ")):
        rows = (np.arange(100) < right).astype(float)[:, None]
        scores = rb.Scores.from_arrays({"t": rows}, ["a"])
        for line in ("a >= 0.55", "a >= 55%"):
            assert said in str(rb.check(scores, line))


def test_votes_and_ranks_have_no_margins():
    votes = rb.Votes(("a", "b"), np.array([[0.0, 30.0], [5.0, 0.0]]), np.zeros((2, 2)))
    scores = rb.Scores({"arena": votes})
    assert one(scores, "a > b").verdict == "supported"
    for line in ("a >= b - 0.1", "a >= 0.5"):
        with pytest.raises(rb.OptionError, match="votes say who is better"):
            rb.check(scores, line)
    with pytest.raises(rb.OptionError, match="who may be first: rankbars rank"):
        rb.check(scores, "a first")


def test_without_an_average_a_claim_names_its_task():
    scores = field(tasks=("t", "u"))
    with pytest.raises(rb.DataError, match=r"there is none\. Say on which task"):
        rb.check(scores, "a > b", over="none")
    assert one(scores, "a > b on t", over="none").n == 40


def test_what_would_settle_a_claim_would():
    """With as many rows as it says, the margin is shown in about 80 % of runs."""
    rng = np.random.default_rng(2)
    found = one(field(n=50, rng=rng), "a >= b - 0.2")
    assert (found.verdict, found.supposing) == ("cannot_tell", "if the true difference is 0")
    n = int(found.needed)
    spread = found.needed**0.5  # the observed one decides how many are asked for
    differences = rng.normal(0.0, 1.0, (400, n)) * (0.2 * spread / (1.96 + 0.842))
    t = (differences.mean(axis=1) + 0.2) / (differences.std(axis=1, ddof=1) / n**0.5)
    assert 0.72 < (t > stats.t.isf(0.025, n - 1)).mean() < 0.88


def test_margins_that_can_hardly_be_shown_are_named():
    scores = field(n=100)
    made = rb.check(scores, ["a >= b - 0.05", "c >= d - 3"])
    (note,) = [one for one in made.notes if one.code == "margin-out-of-reach"]
    assert "a >= b - 0.05 (" in note.message
    assert "c >= d" not in note.message
    assert "margin-out-of-reach" not in {one.code for one in rb.check(scores, "a >= b - 2").notes}


ONE, MARGIN = ["a > b"], ["a >= b - 0.2"]
# a is better than d on one of the two tasks.
PLACES = ["a > d on at least 2 of 2 tasks"]
FEW = [*MARGIN, "a > c", "c >= d on u", "d >= 0", "c > d on at least 2 of 2 tasks"]
PAIRS = list(itertools.combinations(MODELS, 2))
MANY = [
    *(f"{x} > {y}" for x, y in PAIRS),
    *(f"{x} > {y} on {task}" for x, y in PAIRS for task in "tu"),
    *(f"{x} >= 0 on {task}" for x in MODELS for task in "tu"),
    *(f"{x} >= 0" for x in MODELS),
    *(f"{x} in top 2" for x in MODELS),
    *(f"{x} > {y} on at least 1 of 2 tasks" for x, y in PAIRS),
]
TIES, AHEAD, ON_ONE = np.zeros(4), np.array([0.0, 0.2, 0.0, 0.0]), np.array([3.0, 0.0, 0.0, 0.0])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "few", "shifts"),
    [
        (ONE, 120, [TIES]),
        (MARGIN, 120, [AHEAD]),
        (PLACES, 75, [ON_ONE, TIES]),
        (FEW, 30, [AHEAD, AHEAD]),
        (MANY, 25, [TIES, TIES]),
    ],
    ids=["one", "margin", "places", "five", "forty"],
)
def test_false_verdicts_on_the_border_are_rare(lines, few, shifts, calibration):
    """Ties, and differences equal to the margin: every verdict but "cannot tell" is false."""
    runs = calibration.runs(few, 1000)
    rng = np.random.default_rng(len(lines))
    held = 0
    for _ in range(runs):
        values = {
            task: rng.normal(size=(30, 4)) + shift
            for task, shift in zip("tu", shifts, strict=False)
        }
        made = rb.check(rb.Scores.from_arrays(values, MODELS), lines)
        held += all(found.verdict == "cannot_tell" for found in made.claims)
    count = f"{len(lines)} claim{'s' if len(lines) > 1 else ''} on their border"
    calibration.at_least(held, runs, 0.95, of=count)


def test_a_claim_about_a_task_called_all_says_that_it_is_one_task() -> None:
    rows = np.random.default_rng(0).integers(0, 2, (30, 2)).astype(float)
    scores = rb.Scores.from_arrays({"all": rows, "math": rows}, ["a", "b"])
    made = rb.check(scores, ["a > b on all", "a > b on math"])
    assert [one.words for one in made.claims] == [
        "a is better than b on the task 'all'", "a is better than b on math"
    ]  # fmt: skip


def right_or_wrong(rng):
    """A random board of 0/1 answers: gaps, models that are alike or never right, and weights."""
    models = [f"m{i}" for i in rng.permutation(int(rng.integers(3, 7)))]
    lower, gaps = rng.random() < 0.3, rng.random() < 0.4
    tasks, info = {}, {}
    for task in [f"t{i}" for i in range(int(rng.integers(1, 5)))]:
        n = int(rng.choice([2, 4, 8, 15, 40, 200]))
        right = rng.uniform(0.05, 0.95, size=len(models))
        tasks[task] = rows = (rng.random((n, len(models))) < right).astype(float)
        rows[:, 0] = rows[:, 1] if rng.random() < 0.3 else rows[:, 0]
        rows[:, 2] *= rng.random() < 0.8
        if gaps and n > 4:
            rows[rng.random(rows.shape) < 0.1] = np.nan
        info[task] = TaskInfo(
            direction="lower" if lower else "higher",
            weight=float(rng.choice([1.0, 2.0, 0.5])),
        )
    return rb.Scores.from_arrays(tasks, models, info=info)


@pytest.mark.parametrize("seed", range(40))
def test_places_judged_at_once_are_those_judged_pair_by_pair(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    scores = right_or_wrong(rng)
    models, tasks = scores.models, tuple(scores.tasks)
    lines = [f"{models[1]} first", f"{models[0]} in top {len(models) - 1} on {tasks[0]}"]
    if len(tasks) > 1:
        lines += [f"{models[2]} in top 2 on each task"]
        lines += [f"{models[0]} first on at least {len(tasks) - 1} of {len(tasks)} tasks"]
    options = {"missing": "pairwise", "alpha": float(rng.choice([0.05, 0.3]))}
    asked = []

    def at_once(*words):
        asked.append(manyduels.duel_with_all(*words))
        return asked[-1]

    def judge():
        made = rb.check(scores, lines, **options)
        return made.notes, *(dataclasses.astuple(claim) for claim in made.claims)

    monkeypatch.setattr(claimparts, "duel_with_all", at_once)
    found = judge()
    monkeypatch.setattr(claimparts, "duel_with_all", lambda *_: None)
    expected = judge()
    assert found[0] == expected[0]
    for one, other in zip(found[1:], expected[1:], strict=True):
        assert [type(value) for value in one] == [type(value) for value in other]
        for value, wanted in zip(one, other, strict=True):
            if isinstance(value, float):
                np.testing.assert_allclose(value, wanted, rtol=1e-10)
            else:
                assert value == wanted
    assert None not in asked


@pytest.mark.parametrize(
    ("sign", "of_scores", "of_better"),
    [
        ("a < b + 2", "a not worse than b by 2", "b not worse than a by 2"),
        ("a < b", "a better than b", "b better than a"),
        ("a <= b - 2 on t", "a better than b by 2 on t", "b better than a by 2 on t"),
        ("a >= b - 2", "b not worse than a by 2", "a not worse than b by 2"),
        ("a > b + 2", "b better than a by 2", "a better than b by 2"),
    ],
)
def test_a_sign_that_says_two_things_where_lower_is_better_is_refused(sign, of_scores, of_better):
    rows = RNG.uniform(20, 60, size=(40, 1)) + [[0.0, 4.0]] + RNG.normal(size=(40, 2))
    pain = rb.Scores.from_arrays({"t": -rows}, ["a", "b"], info={"t": TaskInfo(direction="lower")})
    with pytest.raises(rb.OptionError) as caught:
        rb.check(pain, sign)
    assert f"Say it in words: {of_scores!r} (what" in str(caught.value)
    assert f"of the scores) or {of_better!r} (what" in str(caught.value)
    with pytest.raises(rb.OptionError, match="lower is better on 't'"):
        preflight(pain, sign)
    # The arithmetic on the scores is what the first line says: a has 4 less than b.
    mean_a, mean_b = rows.mean(axis=0)
    border = float(sign.split()[4]) * (1 if "+" in sign else -1) if len(sign) > 5 else 0.0
    holds = mean_a < mean_b + border if "<" in sign else mean_a > mean_b + border
    assert (one(pain, of_scores).verdict == "supported") == holds
    assert (one(pain, of_better).verdict == "supported") != holds


def test_a_line_in_words_says_what_a_sign_says():
    for text in ("new > old + 0.02 on 'each task'", "'a b' >= each of c, 'd,e' - 1% on each task",
                 "new >= old - 3 on at least 2 of 5 tasks", "new > old"):  # fmt: skip
        claim = parse_claim(text)
        plain = dataclasses.replace(claim, text="", sign="")
        assert dataclasses.replace(parse_claim(claim.line), text="") == plain


def test_a_claim_tells_the_means_of_both_in_units_of_the_input():
    rows = RNG.uniform(20, 60, size=(40, 1)) + [[0.0, 4.0]] + RNG.normal(size=(40, 2))
    info = {"t": TaskInfo(direction="lower")}
    pain = rb.Scores.from_arrays({"t": -rows}, ["a", "b"], info=info)
    found = one(pain, "b not worse than a by 20")
    assert (found.score, found.score_other) == pytest.approx(rows.mean(axis=0)[::-1])
    assert found.direction == "lower"
    assert found.estimate == pytest.approx(found.score_other - found.score)
    wrong = rb.Scores.from_arrays({"t": -(rows > 40).astype(float)}, ["a", "b"], info=info)
    first = one(wrong, "a first")
    assert (first.score, first.score_other) == pytest.approx((rows > 40).mean(axis=0))
    assert math.isnan(one(pain, "a <= 60").score)


def test_a_check_is_true_where_it_passed():
    shifts = (0.0, 3.0, 0.0, 0.0)
    scores = field(shifts)
    for claims, passed in (("b > a", True), ("a > b", False), (["b > a", "c > b"], False)):
        made = rb.check(scores, claims)
        assert made.passed is bool(made) is passed
        assert made.passed == (made.exit_code() == 0)

"""What a gate can show before it is run, and how often it alarms among runs of one system."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import rankbars as rb
from rankbars.data.taskinfo import TaskInfo
from rankbars.gates import false_alarms, preflight


def pilot(n=200, models=("new", "old"), seed=1, tasks=("math",)):
    rng = np.random.default_rng(seed)
    values = {task: (rng.random((n, len(models))) < 0.6).astype(float) for task in tasks}
    return rb.Scores.from_arrays(values, models)


def spread(scores, a=0, b=1, task="math"):
    rows = scores.tasks[task].values
    return stats.sem(rows[:, a] - rows[:, b])


def test_shares_are_those_of_the_normal_law():
    scores = pilot()
    (found,) = preflight(scores, "new >= old - 0.05").outlooks
    s, z = spread(scores), stats.norm.isf(0.025)
    critical = stats.norm.isf(0.025)
    assert (found.n, found.pairs, found.role) == (200, 1, "must")
    assert found.se == pytest.approx(s)
    assert found.if_equal == pytest.approx(stats.norm.cdf(0.05 / s - critical))
    assert [points for points, _, _ in found.fires] == [1, 3, 5]
    for points, loss, rate in found.fires:
        assert loss == pytest.approx(points / 100)
        assert rate == pytest.approx(stats.norm.cdf((loss - 0.05) / s - critical))
    t = stats.t.isf(0.025, 199)
    assert found.margin == pytest.approx(s * (t + stats.norm.isf(0.2)))
    assert found.fires_at == pytest.approx(0.05 + found.margin)
    assert found.needed == pytest.approx(200 * (found.margin / 0.05) ** 2, rel=0.02)
    planned = rb.plan(scores, pair=("new", "old"), margin=0.05)
    assert found.needed == planned.needed.likely
    assert z == critical


def test_what_it_says_happens():
    """Gates at the margin and the loss that it names for a power of .8 decide in 80 %."""
    rng, scores = np.random.default_rng(5), pilot(300)
    (found,) = preflight(scores, "new >= old - 0.1").outlooks
    discordant = float(
        np.mean(scores.tasks["math"].values[:, 0] != scores.tasks["math"].values[:, 1])
    )

    def share(claim, loss, verdict):
        hits = 0
        for _ in range(150):
            draws = rng.random(300)
            rows = np.zeros((300, 2))
            ahead, behind = (discordant - loss) / 2, (discordant + loss) / 2
            rows[draws < ahead, 0] = 1.0
            rows[(draws >= ahead) & (draws < ahead + behind), 1] = 1.0
            both = rb.Scores.from_arrays({"math": rows}, ["new", "old"])
            hits += rb.check(both, claim).claims[0].verdict == verdict
        return hits / 150

    assert share(f"new >= old - {found.margin:.6f}", 0.0, "supported") == pytest.approx(
        0.8, abs=0.1
    )
    assert share("new >= old - 0.1", found.fires_at, "refuted") == pytest.approx(0.8, abs=0.1)


def test_models_that_are_not_there_have_the_spread_of_neighbours():
    scores = pilot(models=("a", "b", "c", "d"))
    (found,) = preflight(scores, "new >= old - 0.05").outlooks
    order = np.argsort(scores.tasks["math"].values.mean(axis=0), kind="stable")
    errors = [spread(scores, i, j) for i, j in itertools.pairwise(order)]
    assert found.pairs == 3
    assert (found.least, found.se, found.most) == pytest.approx(tuple(sorted(errors)))


def test_of_several_tasks_the_widest_counts_and_claims_share_the_level():
    scores = pilot(tasks=("law", "math"))
    lines = ["new >= old - 0.05 on each task", "new first", "new >= 0.5"]
    made = preflight(scores, lines, guards=["new = old +- 0.3"])
    first, second = made.outlooks
    wide = max(("law", "math"), key=lambda task: spread(scores, task=task))
    assert (first.widest, second.widest, second.role) == (wide, None, "guard")
    assert made.left_out == ("new first", "new >= 0.5")
    assert made.level == 0.05 / 2 / 4
    s = spread(scores, task=wide)
    # Each of the two tasks may refute it.
    assert first.fires[2][2] == pytest.approx(stats.norm.cdf(-stats.norm.isf(made.level / 2)))
    assert first.if_equal == pytest.approx(stats.norm.cdf(0.05 / s - stats.norm.isf(made.level)))
    assert made.exit_code() == 3


def test_gates_that_can_never_decide_are_said():
    few = preflight(pilot(5), "new > old").outlooks[0]
    assert few.impossible == "5 answers of 0 and 1 cannot reach the level of 0.025"
    assert not few.works
    same = rb.Scores.from_arrays({"math": np.ones((50, 2))}, ["new", "old"])
    assert "do not vary" in preflight(same, "new > old").outlooks[0].impossible
    text = str(preflight(pilot(5), "new > old"))
    assert "CAN NEVER BE DECIDED: 5 answers" in text


def test_margins_without_points_and_wrong_scales():
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(50, 2))
    scores = rb.Scores.from_arrays({"t": rows}, ["a", "b"], info={"t": TaskInfo(metric="rmse")})
    (found,) = preflight(scores, "a >= b - 0.3").outlooks
    assert [(points, loss) for points, loss, _ in found.fires] == [(0.0, 0.6)]
    with pytest.raises(rb.OptionError, match="Did you mean 1"):
        preflight(scores, "a >= b - 100")
    with pytest.raises(rb.DataError, match="There is one model"):
        preflight(scores.select(models=("a",)), "a > b")
    votes = rb.Votes(("a", "b", "c"), np.ones((3, 3)) - np.eye(3), np.zeros((3, 3)))
    with pytest.raises(rb.DataError, match="no rows of scores"):
        preflight(rb.Scores({"arena": votes}), "x > y")


def runs_of_one(count, n=150, seed=3):
    rng = np.random.default_rng(seed)
    ease = rng.uniform(0.2, 0.9, n)
    ids = tuple(str(item) for item in range(n))
    return [
        rb.Scores({"t": rb.Items(("sys",), (rng.random((n, 1)) < ease[:, None]) * 1.0, ids=ids)})
        for _ in range(count)
    ]


def test_alarms_are_counted_over_every_ordered_pair():
    runs = runs_of_one(7)
    found = false_alarms(runs, "new > old", alpha=0.6)
    values = [one.tasks["t"].values[:, 0] for one in runs]
    want = np.zeros((7, 7))
    for i in range(7):
        for j in range(7):
            if i != j:
                both = rb.Scores.from_arrays(
                    {"t": np.stack([values[j], values[i]], axis=1)}, ["n", "o"]
                )
                want[i, j] = rb.check(both, "n > o", alpha=0.6).claims[0].verdict == "supported"
    assert found.alarms == pytest.approx(want.sum(axis=1) / 6)
    assert found.share > 0
    assert found.red == pytest.approx(1 - want.sum(axis=1) / 6)
    assert found.among == 3
    assert found.apart == want[0, 1] + want[2, 3] + want[4, 5]


def test_twenty_runs_without_an_alarm_bound_the_rate_at_26_percent():
    runs = runs_of_one(20, n=30)
    found = false_alarms({str(k): run for k, run in enumerate(runs)}, [], guards=["a >= b - 0.6"])
    assert (found.share, found.apart, found.among) == (0.0, 0, 10)
    assert found.bound == pytest.approx(1 - 0.05**0.1)
    assert round(found.bound, 2) == 0.26


def test_an_anchor_counts_before_the_gate_and_not_among_runs(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text("claims: [new >= old]\nmargin: 60 points\nanchor: v1\n", "utf-8")
    made = preflight(pilot(), path)
    assert [one.claim.others for one in made.outlooks] == [("old",), ("v1",)]
    assert [one.claim.margin for one in made.outlooks] == [60.0, 60.0]
    found = false_alarms(runs_of_one(3), path)
    assert found.claims == ("new >= old",)
    assert found.red == (0.0, 0.0, 0.0)


def test_models_that_are_not_there_are_named():
    made = preflight(pilot(), ["new >= old - 1 point", "newer >= old - 1 point"])
    assert [one.absent for one in made.outlooks] == [(), ("newer",)]
    first, second = " ".join(str(made).split()).split("newer is not worse")
    assert "that of these two models" in first
    assert "Not among these results" not in first
    assert "two models of these results" in second
    assert "Not among these results: 'newer'." in second


def test_runs_that_are_no_runs_are_refused():
    runs = runs_of_one(3)
    for claims in (["a > b", "c > d"], ["a > each of b, c"], ["a first"], ["a >= 0.5"]):
        with pytest.raises(rb.OptionError, match="one model and one other"):
            false_alarms(runs, claims)
    with pytest.raises(rb.DataError, match="at least 3 are needed"):
        false_alarms(runs[:2], "a > b")
    with pytest.raises(rb.DataError, match="Run 1 holds 2 models"):
        false_alarms([pilot(), *runs], "a > b")


@pytest.mark.slow
def test_a_frozen_baseline_is_not_five_percent(calibration):
    """Over fresh baselines the rate is alpha; over one stored baseline it is anything."""
    baselines = calibration.runs(60, 300)
    rng = np.random.default_rng(8)
    rates = []
    for _ in range(baselines):
        ease = rng.uniform(0.2, 0.9, 300)
        stored = rng.random(300) < ease
        fresh = rng.random((100, 300)) < ease
        t = stats.ttest_1samp(fresh.astype(float) - stored, 0.0, axis=1, alternative="less")
        rates.append(float(np.mean(t.pvalue < 0.05)))
    assert max(rates) > 0.2
    assert min(rates) == 0
    assert math.isclose(np.mean(rates), 0.05, abs_tol=3 * np.std(rates) / baselines**0.5)


def test_items_that_the_file_lists_as_flaky_are_left_out_as_the_gate_does(tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text("claims: [new >= old - 0.05]\nflaky: [q3, q7]\n", "utf-8")
    rows = pilot(60).tasks["math"].values
    kept = np.delete(rows, [3, 7], axis=0)
    items = rb.Items(("new", "old"), rows, ids=tuple(f"q{i}" for i in range(60)))
    found = preflight(rb.Scores({"math": items}), path)
    assert [one.code for one in found.notes].count("flaky-items") == 1
    assert (found.outlooks[0].n, found.outlooks[0].se) == (
        58,
        pytest.approx(stats.sem(kept[:, 0] - kept[:, 1])),
    )
    path.write_text("claims: [new >= old - 0.05]\nflaky: [q99]\n", "utf-8")
    with pytest.raises(rb.DataError, match="'q99' is listed as flaky"):
        preflight(rb.Scores({"math": items}), path)


def test_gaps_are_settled_before_a_gate_as_by_the_gate() -> None:
    rows = np.random.default_rng(3).integers(0, 2, (60, 3)).astype(float)
    rows[:6, 0] = np.nan
    scores = rb.Scores.from_arrays({"t": rows}, ["new", "old", "other"])
    with pytest.raises(rb.DataError, match="Nothing was judged"):
        rb.preflight(scores, "new >= old - 0.2")
    found = rb.preflight(scores, "new >= old - 0.2", missing="pairwise")
    assert found.outlooks[0].n == 54
    assert any(note.code == "missing" for note in found.notes)

"""Gates that last: looks with one error rate, anchors, costs, items that are known to be flaky."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import rankbars as rb
from rankbars.data.ledger import read_ledger
from rankbars.data.taskinfo import TaskInfo
from rankbars.render.verdicts import claim_lines
from rankbars.stats.multiplicity.claimtests import bet_on

RNG = np.random.default_rng(17)


def answers(levels, n=200, models=("new", "old"), rng=RNG, items=None):
    values = (rng.random((n, len(levels))) < levels).astype(float)
    ids = tuple(f"q{i}" for i in range(n)) if items is None else items
    return rb.Scores({"math": rb.Items(models, values, ids=ids)})


def test_looks_pool_their_rows_at_half_of_what_is_left(tmp_path):
    first, second = answers((0.6, 0.6)), answers((0.6, 0.6))
    ledger = tmp_path / "gate.jsonl"
    looks = [
        rb.check(scores, "new >= old - 0.05", ledger=ledger, change="c").look
        for scores in (first, second)
    ]
    assert [one.number for one in looks] == [1, 2]
    assert [one.level for one in looks] == pytest.approx([0.025, 0.0125])
    assert [one.left for one in looks] == pytest.approx([0.025, 0.0125])
    values = (first.tasks["math"].values + second.tasks["math"].values) / 2
    difference = values[:, 0] - values[:, 1]
    made = rb.check(answers((0.6, 0.6)), "new >= old - 0.05", ledger=ledger, change="other")
    assert made.look.number == 1
    again = rb.check(second, "new >= old - 0.05", ledger=ledger, change="c")
    points = [
        rb.check(one, "new >= old - 5 points", ledger=tmp_path / "points").claims[0]
        for one in (first, second)
    ]
    assert points[1].p_support == again.claims[0].p_support
    assert (again.look.number, again.look.again, len(read_ledger(ledger))) == (2, True, 3)
    test = stats.ttest_1samp(difference, -0.05, alternative="greater")
    assert again.claims[0].p_support == pytest.approx(test.pvalue, rel=1e-9)
    assert again.claims[0].estimate == pytest.approx(difference.mean())


def test_a_look_at_a_ledger_that_was_cut_is_refused_and_one_without_its_head_is_told(tmp_path):
    ledger, head = tmp_path / "gate.jsonl", tmp_path / "gate.jsonl.head"
    first, second, third = (answers((0.6, 0.6)) for _ in range(3))
    made = rb.check(first, "new > old", ledger=ledger)
    assert f"Its line in the ledger is {made.look.digest[:12]}." in " ".join(str(made).split())
    assert head.read_text("utf-8") == f"{made.look.digest}\n"
    whole = ledger.read_bytes()
    rb.check(second, "new > old", ledger=ledger)
    ledger.write_bytes(whole)
    with pytest.raises(rb.ReadError, match="end was cut off"):
        rb.check(third, "new > old", ledger=ledger)
    assert ledger.read_bytes() == whole
    head.unlink()
    made = rb.check(third, "new > old", ledger=ledger)
    assert "ledger-head" in {one.code for one in made.notes}
    made = rb.check(second, "new > old", ledger=ledger)
    assert ("ledger-head" in {one.code for one in made.notes}, made.look.number) == (False, 3)


def test_a_baseline_that_is_read_again_counts_once(tmp_path):
    stored = answers((0.0, 0.6)).tasks["math"].values[:, 1]
    ledger, news = tmp_path / "gate.jsonl", []
    for _ in range(3):
        scores = answers((0.6, 0.0))
        values = scores.tasks["math"].values.copy()
        values[:, 1] = stored
        news.append(values[:, 0])
        made = rb.check(
            rb.Scores({"math": rb.Items(("new", "old"), values)}), "new > old", ledger=ledger
        )
    assert made.claims[0].estimate == pytest.approx(np.mean(news) - stored.mean())


def test_new_items_join_the_old_ones(tmp_path):
    one, two = (answers((0.7, 0.5), items=tuple(f"{k}{i}" for i in range(200))) for k in "ab")
    for scores in (one, two):
        made = rb.check(scores, "new > old", ledger=tmp_path / "gate.jsonl")
    values = np.vstack([one.tasks["math"].values, two.tasks["math"].values])
    assert (made.claims[0].n, made.look.number) == (400, 2)
    assert made.claims[0].estimate == pytest.approx(np.diff(values.mean(axis=0)[::-1])[0])


def test_the_luck_of_the_baseline_is_said(tmp_path):
    def note(scores):
        made = rb.check(scores, "new > old", ledger=tmp_path / "gate.jsonl")
        (found,) = [one.message for one in made.notes if one.code == "baseline-luck"]
        return found

    first, second = answers((0.6, 0.6)), answers((0.6, 0.6))
    assert note(first).startswith("old was run once, and the luck of that run")
    old = np.stack([one.tasks["math"].values[:, 1] for one in (first, second)])
    second_rows = second.tasks["math"].values
    share = old.var(axis=0, ddof=1).mean() / 2 / (second_rows[:, 0] - second_rows[:, 1]).var(ddof=1)
    assert note(second).startswith("old was run 2 times.")
    assert f"about {share:.0%} of the variance" in note(second)
    runs = RNG.random((60, 5, 2)) < 0.6
    stored = rb.Items(
        ("new", "old"),
        runs.mean(axis=1),
        answers=np.full((60, 2), 5),
        within=runs.var(axis=1, ddof=1),
    )
    made = rb.check(rb.Scores({"t": stored}), "new > old", ledger=tmp_path / "other.jsonl")
    assert "old was run 5 times. The luck of its runs" in str(made)


def test_e_values_spend_nothing_where_every_look_brings_new_items(tmp_path):
    ledger, rng = tmp_path / "gate.jsonl", np.random.default_rng(12)

    def look(number, claim="new > old", **options):
        items = tuple(f"{number}-{i}" for i in range(200))
        scores = answers((0.75, 0.6), 200, rng=rng, items=items)
        return scores, rb.check(scores, claim, ledger=ledger, spend="e-values", **options)

    made = [look(number) for number in range(4)]
    rows = np.vstack([scores.tasks["math"].values for scores, _ in made])
    last = made[-1][1]
    assert last.claims[0].p_support == pytest.approx(bet_on(rows[:, 0] - rows[:, 1], 0.0, 1.0))
    assert [(one.look.number, one.look.level, one.look.left) for _, one in made] == [
        (number, 0.05, 0.05) for number in (1, 2, 3, 4)
    ]
    assert last.claims[0].verdict == "supported"
    assert "E-values on new items spend nothing" in str(last)
    _, level = look(8, "new > old + 0.1", change="margin")
    assert level.claims[0].verdict == "cannot_tell"
    assert level.claims[0].needed is None
    with pytest.raises(rb.DataError, match="only where every look brings new items"):
        look(0)
    with pytest.raises(rb.OptionError, match="not a score"):
        look(9, "new >= 0.5", change="other")
    graded = rb.Scores({"t": rb.Items(("new", "old"), rng.normal(size=(30, 2)))})
    with pytest.raises(rb.OptionError, match="limits of the score"):
        rb.check(graded, "new > old", ledger=ledger, change="g", spend="e-values")
    with pytest.raises(rb.OptionError, match="name it: ledger=PATH"):
        rb.check(graded, "new > old", spend="e-values")
    with pytest.raises(rb.UnknownOptionError, match="way to spend"):
        rb.check(graded, "new > old", spend="all")


def test_what_one_look_decides_stays_decided(tmp_path):
    ledger = tmp_path / "gate.jsonl"
    strong = np.zeros((200, 2))
    strong[:14, 0] = 1.0
    weak = np.zeros((200, 2))
    weak[14:26, 1] = 1.0
    first, second = (rb.Scores({"t": rb.Items(("new", "old"), v)}) for v in (strong, weak))
    assert rb.check(first, "new > old", ledger=ledger).claims[0].verdict == "supported"
    made = rb.check(second, "new > old", ledger=ledger)
    assert made.claims[0].verdict == "supported"
    assert made.claims[0].p_support > 0.3
    assert "Decided at an earlier look" in str(made)


def test_items_that_change_by_themselves_are_named_and_kept(tmp_path):
    ledger = tmp_path / "gate.jsonl"
    first, second = (answers((0.6, 0.6)) for _ in range(2))
    rb.check(first, "new > old", ledger=ledger)
    made = rb.check(second, "new > old", ledger=ledger)
    changed = (first.tasks["math"].values != second.tasks["math"].values).any(axis=1)
    (note,) = [one for one in made.notes if one.code == "flaky-items"]
    assert note.message.startswith(f"{changed.sum()} items are answered differently")
    assert f"q{np.flatnonzero(changed)[0]}, " in note.message
    assert made.claims[0].n == 200


def test_a_change_keeps_its_claims_and_its_error_rate(tmp_path):
    ledger = tmp_path / "gate.jsonl"
    rb.check(answers((0.6, 0.6)), "new > old", ledger=ledger)
    before = ledger.read_bytes()
    for claims, options in (("old > new", {}), ("new > old", {"alpha": 0.1})):
        with pytest.raises(rb.DataError, match="All looks at a change are judged alike"):
            rb.check(answers((0.6, 0.6)), claims, ledger=ledger, **options)
    votes = rb.Votes(("new", "old"), np.array([[0.0, 30.0], [5.0, 0.0]]), np.zeros((2, 2)))
    with pytest.raises(rb.DataError, match="pools rows of items"):
        rb.check(rb.Scores({"arena": votes}), "new > old", ledger=ledger, change="votes")
    assert ledger.read_bytes() == before
    made = rb.check(answers((0.6, 0.6)), "old > new", ledger=ledger, change="next")
    assert "claims-later" in {note.code for note in made.notes}


def test_twenty_small_losses_do_not_pass_one_by_one():
    """Each release loses .9 points, with a margin of 1; the anchor sees the sum."""
    rng, claim = np.random.default_rng(3), "new >= old - 1 point"
    failed = []
    for release in range(1, 21):
        levels = [0.8 - 0.009 * release, 0.8 - 0.009 * (release - 1), 0.8]
        made = rb.check(
            answers(levels, 3000, ("new", "old", "v1"), rng), [], guards=[claim], anchor="v1"
        )
        renewed, anchored = made.claims
        assert anchored.claim.others == ("v1",)
        assert renewed.verdict != "refuted"
        failed.append(anchored.verdict == "refuted")
    assert failed[-1]
    assert failed.index(True) < 10


def test_an_anchor_adds_a_claim_once():
    scores = answers((0.6, 0.6, 0.6), models=("new", "old", "v1"))
    lines = ["new > old", "new >= v1 - 0.1", "new >= old - 0.1", "new first", "new >= 0.2"]
    made = rb.check(scores, lines, anchor="v1")
    assert [one.claim.text for one in made.claims] == [*lines, "new > old (anchor: v1)"]
    with pytest.raises(rb.UnknownOptionError, match="'v2'"):
        rb.check(scores, "new > old", anchor="v2")
    for line, anchor in (("new > old", "new"), ("new first", "v1")):
        with pytest.raises(rb.OptionError, match="adds no claim"):
            rb.check(scores, line, anchor=anchor)


def test_costs_are_judged_with_the_other_claims():
    cost = RNG.exponential(size=(60, 2)) * (0.5, 2.0)
    scores = answers((0.6, 0.6), 60)
    info = {"math": TaskInfo(direction="lower", metric="cost")}
    costs = rb.Scores.from_arrays({"math": -cost}, ["new", "old"], info=info)
    made = rb.check(scores, ["new cheaper than old", "new > old"], costs=costs)
    assert [one.verdict for one in made.claims] == ["supported", "cannot_tell"]
    assert made.claims[0].words == "new is cheaper than old on math (cost)"
    saved, better = (claim_lines(one, 80)[1] for one in made.claims)
    assert "Saving +" in saved  # a difference of + would read as the dearer one
    assert "Difference" in better
    assert made.claims[0].estimate == pytest.approx(cost[:, 1].mean() - cost[:, 0].mean())
    with pytest.raises(rb.OptionError, match="A ledger keeps no costs"):
        rb.check(scores, "new cheaper than old", costs=costs, ledger="never-written")
    rb.check(scores, ["new better than old", "old cheaper than new"], costs=costs)
    with pytest.raises(rb.OptionError, match="contradict"):
        rb.check(scores, ["new cheaper than old", "old cheaper than new"], costs=costs)
    with pytest.raises(rb.OptionError, match="--costs cost"):
        rb.check(scores, "new cheaper than old")
    with pytest.raises(rb.OptionError, match="Costs are better if lower"):
        rb.check(scores, "new cheaper than old", costs=answers((0.6, 0.6), 60))
    with pytest.raises(rb.OptionError, match="no such column"):
        rb.check(scores, "new cheaper than old", costs=scores)


def test_a_file_says_margins_gaps_anchors_and_items_to_leave_out(tmp_path):
    path = Path(tmp_path / "claims.yaml")
    path.write_text(
        "claims: [new >= old, new > old, new >= old - 0.2]\nmargin: 5 points\nanchor: v1\n"
        "flaky: [q3, math/q7]\nmissing_items: pairwise\n",
        "utf-8",
    )
    values = (RNG.random((80, 3)) < 0.6).astype(float)
    values[5, 0] = np.nan
    ids = tuple(f"q{i}" for i in range(80))
    scores = rb.Scores({"math": rb.Items(("new", "old", "v1"), values, ids=ids)})
    made = rb.check(scores, path)
    assert [one.claim.margin for one in made.claims] == [5.0, 0.0, 0.2, 5.0, 0.0, 0.2]
    assert made.claims[0].words == "new is not worse than old by more than 0.05 on math"
    assert made.claims[0].n == 77
    (note,) = [one for one in made.notes if one.code == "flaky-items"]
    assert note.message == "2 items are known to be flaky and left out: q3, math/q7."
    path.write_text("claims: [new > old]\nflaky: [q99]\n", "utf-8")
    with pytest.raises(rb.DataError, match="'q99' is listed as flaky, and no task has it"):
        rb.check(scores, path)
    path.write_text("claims: [new > old]\nmargins: 1\n", "utf-8")
    with pytest.raises(rb.ReadError, match="Did you mean margin"):
        rb.check(scores, path)


@pytest.mark.slow
def test_a_rare_loss_that_is_not_in_the_sample_is_reckoned_with(calibration, tmp_path):
    """One item in a hundred is always lost, others are answered alike but for a little noise."""
    runs = calibration.runs(42, 1000)
    rng, held = np.random.default_rng(31), 0
    for run in range(runs):
        lost = rng.random(250) < 0.01
        for _ in range(2):
            values = np.ones((250, 2))
            values[lost, 0] = 0.0
            values[rng.integers(0, 250, 2), rng.integers(0, 2, 2)] = 0.0
            scores = rb.Scores({"math": rb.Items(("new", "old"), values)})
            made = rb.check(scores, "new >= old - 0.01", ledger=tmp_path / "gate", change=str(run))
        assert made.look.number == 2
        held += made.claims[0].verdict == "cannot_tell"
        for one in tmp_path.glob("gate*"):
            one.unlink()
    calibration.at_least(held, runs, 0.95, of="a rare loss at the margin, two looks")


@pytest.mark.slow
def test_ten_reruns_of_a_gate_seldom_alarm(calibration, tmp_path):
    """The same system against itself: "worse" and "better" are both false, at every look."""
    runs = calibration.runs(9, 300)
    rng, held = np.random.default_rng(10), 0
    for run in range(runs):
        quiet = True
        ease = rng.uniform(0.2, 0.9, 60)
        for _ in range(10):
            values = (rng.random((60, 2)) < ease[:, None]).astype(float)
            scores = rb.Scores({"math": rb.Items(("new", "old"), values)})
            made = rb.check(scores, "new > old", ledger=tmp_path / "gate", change=str(run))
            quiet = quiet and made.claims[0].verdict == "cannot_tell"
        held += quiet
        for one in tmp_path.glob("gate*"):
            one.unlink()
    calibration.at_least(held, runs, 0.95, of="ten looks at one change")

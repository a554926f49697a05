"""Claims of several parts and Holm over claims: reference values, brute force, properties."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import validity
from scipy import special, stats

from rankbars.data.ledger import Look, left_level
from rankbars.errors import OptionError
from rankbars.stats.multiplicity.claimtests import (
    TwoSides,
    all_hold,
    at_least,
    holm_level,
    judge_sides,
    top_places,
)

GOLDEN = validity("claims")
P = st.floats(0.0, 1.0)


@pytest.mark.parametrize("least", range(1, 6))
@pytest.mark.parametrize("independent", [True, False])
def test_at_least_so_many_tasks_agrees_with_the_reference(least, independent):
    parts = [TwoSides(p, p) for p in GOLDEN["task_p"]]
    want = GOLDEN["better_on_at_least_u_tasks"][str(least)][
        "simes" if independent else "bonferroni"
    ]
    assert at_least(parts, least, independent=independent).support == pytest.approx(want, rel=1e-12)


@pytest.mark.parametrize("k", range(1, 5))
def test_places_agree_with_the_reference(k):
    over = GOLDEN["rank_p_better_than_others"]
    assert top_places(over, over, k).support == pytest.approx(GOLDEN["in_top_k"][str(k)], rel=1e-12)


def test_the_file_of_the_reference_has_its_verdicts():
    file = GOLDEN["file"]
    sides = [TwoSides(*one) for one in zip(file["p_support"], file["p_refute"], strict=True)]
    verdicts = judge_sides(sides, file["alpha"])[0]
    assert [one.replace("_", " ") for one in verdicts] == file["verdict"]


@given(st.lists(P, min_size=1, max_size=6))
def test_holm_rejects_what_the_closed_test_with_bonferroni_rejects(values):
    level = holm_level(values, 0.05)
    for index in range(len(values)):
        others = [k for k in range(len(values)) if k != index]
        subsets = itertools.chain.from_iterable(
            itertools.combinations(others, size) for size in range(len(others) + 1)
        )
        closed = all(
            min(values[k] for k in (index, *one)) <= 0.05 / (1 + len(one)) for one in subsets
        )
        assert (values[index] <= level) == closed


@given(st.lists(st.tuples(P, P), min_size=1, max_size=7), st.data())
def test_extremes_of_at_least_are_all_and_any(pairs, data):
    parts = [TwoSides(*pair) for pair in pairs]
    m = len(parts)
    every = at_least(parts, m, independent=data.draw(st.booleans()))
    assert every.support == all_hold(parts).support
    assert every.refute <= all_hold(parts).refute
    # That u of m hold and that m - u + 1 do not are each other's nulls.
    least = data.draw(st.integers(1, m))
    turned = [TwoSides(one.refute, one.support) for one in parts]
    found = at_least(parts, least, independent=True)
    assert found.refute == at_least(turned, m - least + 1, independent=True).support


@given(st.lists(st.tuples(P, P), min_size=1, max_size=7))
def test_first_is_better_than_each_other(pairs):
    parts = [TwoSides(*pair) for pair in pairs]
    over, under = zip(*pairs, strict=True)
    assert top_places(over, under, 1) == all_hold(parts)


def test_single_verdicts_are_each_at_the_level():
    sides = [TwoSides(0.02, 0.98), TwoSides(0.024, 0.9), TwoSides(0.9, 0.03)]
    assert judge_sides(sides, 0.05)[0] == ["cannot_tell"] * 3
    alone = judge_sides(sides, 0.05, together=False)
    assert alone == (["supported", "supported", "cannot_tell"], 0.025, 0.025)


def test_a_claim_that_is_supported_and_refuted_cannot_be_told():
    assert judge_sides([TwoSides(0.001, 0.001)], 0.05)[0] == ["cannot_tell"]


def test_numbers_out_of_range_are_refused():
    with pytest.raises(OptionError, match="1 to 2"):
        at_least([TwoSides(0.1, 0.9)] * 2, 3, independent=True)
    with pytest.raises(OptionError, match="1 to 3"):
        top_places([0.1] * 3, [0.9] * 3, 4)


def test_false_verdicts_are_as_rare_as_promised_whatever_the_dependence():
    """2,000 files of 40 claims on their border, p-values with a common part."""
    rng = np.random.default_rng(1)
    z = rng.normal(size=(2000, 1)) * 0.8 + rng.normal(size=(2000, 40)) * 0.6
    false = 0
    for row in z:
        sides = [
            TwoSides(*one) for one in zip(stats.norm.sf(row), stats.norm.cdf(row), strict=True)
        ]
        false += any(one != "cannot_tell" for one in judge_sides(sides, 0.05)[0])
    assert false / 2000 <= 0.05 + 3 * (0.05 * 0.95 / 2000) ** 0.5


TASKS, MODELS, ROWS = 5, 4, 30
ORDERED = list(itertools.permutations(range(MODELS), 2))


def tied_boards(boards, seed):
    """P-values of every ordered pair on every task, all models being equal, (boards, pairs, 5)."""
    rng = np.random.default_rng(seed)
    found = np.empty((boards, len(ORDERED), TASKS))
    for task in range(TASKS):
        rows = rng.normal(size=(boards, ROWS, MODELS))
        for number, (i, j) in enumerate(ORDERED):
            difference = rows[:, :, i] - rows[:, :, j]
            error = difference.std(axis=1, ddof=1) / ROWS**0.5
            found[:, number, task] = special.stdtr(ROWS - 1, -difference.mean(axis=1) / error)
    return found


def claims_on_their_border(p):
    """Forty claims of one board of ties, of all kinds; any verdict is false.

    A difference that is the margin has the p-values of a tie. Of a claim that a model is better on
    at least u of 5 tasks, u - 1 are true beyond doubt and the others tied.
    """
    side = {
        pair: [TwoSides(*both) for both in zip(p[k], p[ORDERED.index(pair[::-1])], strict=True)]
        for k, pair in enumerate(ORDERED)
    }
    sure = TwoSides(0.0, 1.0)
    for i, j in itertools.combinations(range(MODELS), 2):
        yield side[i, j][0]
        yield side[i, j][1]
        yield all_hold(side[i, j])
        for least in (2, 4):
            yield at_least([sure] * (least - 1) + side[i, j][least - 1 :], least, independent=True)
    for model in range(MODELS):
        others = [side[model, other][2] for other in range(MODELS) if other != model]
        for k in (1, 2):
            yield top_places([o.support for o in others], [o.refute for o in others], k)
    yield side[0, 1][3]
    yield side[2, 3][4]


@pytest.mark.parametrize("count", [1, 5, 40])
def test_on_a_thousand_boards_false_verdicts_are_rare(count, calibration):
    boards = 1000
    held = 0
    for number, p in enumerate(tied_boards(boards, seed=count)):
        every = list(claims_on_their_border(p))
        assert len(every) == 40
        chosen = every if count == 40 else [every[(number + 9 * k) % 40] for k in range(count)]
        verdicts, _, _ = judge_sides(chosen, 0.05)
        held += set(verdicts) == {"cannot_tell"}
    calibration.at_least(held, boards, 0.95, of=f"{count} claims of all kinds on their border")


def test_a_gate_and_ten_looks_at_it_seldom_alarm_where_nothing_changed(calibration):
    """One system against itself; rows of all looks pooled, half of what is left at each look."""
    gates = 1000
    rng = np.random.default_rng(4)
    ease = rng.uniform(0.2, 0.9, (gates, 60, 1))
    total = np.zeros((gates, 60))
    quiet, first, looks = np.ones(gates, bool), 0, []
    for number in range(1, 11):
        answers = (rng.random((gates, 60, 2)) < ease).astype(float)
        total += answers[:, :, 0] - answers[:, :, 1]
        pooled = total / number
        error = pooled.std(axis=1, ddof=1) / 60**0.5
        t = pooled.mean(axis=1) / error
        level = left_level(looks, 0.05)
        looks.append(Look("c", 0.05, level, "", {}, {}))
        sides = np.stack([special.stdtr(59, -t), special.stdtr(59, t)], axis=1)
        told = [judge_sides([TwoSides(*one)], level)[0] for one in sides]
        alone = [judge_sides([TwoSides(*one)], 0.05)[0] for one in sides] if number == 1 else []
        first += sum(one == ["cannot_tell"] for one in alone)
        quiet &= [one == ["cannot_tell"] for one in told]
    calibration.at_least(first, gates, 0.95, of="one gate")
    calibration.at_least(int(quiet.sum()), gates, 0.95, of="ten looks with a ledger")

"""E-processes of wins and losses: golden values, integrals, huge counts, and the guarantee."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import golden
from scipy.integrate import quad

from rankbars.errors import DataError
from rankbars.stats.votes.anytime import log_e_better, log_e_two_sided

COUNTS = st.integers(0, 400)


@pytest.mark.parametrize("row", golden("e_process")["rows"], ids=str)
def test_equal_the_reference_values(row):
    wins, losses = row["wins"], row["losses"]
    assert np.exp(log_e_two_sided(wins, losses)) == pytest.approx(row["two_sided"], rel=1e-10)
    assert np.exp(log_e_better(wins, losses)) == pytest.approx(row["one_sided"], rel=1e-10)


@pytest.mark.parametrize("counts", [(0, 0), (3, 1), (40, 60), (5, 90), (0, 30)])
def test_one_side_equals_its_integral(counts):
    """With q = (1 + u) / 2 the definition is the integral of (1 + u)^W (1 - u)^L over (0, 1)."""
    wins, losses = counts
    value, _ = quad(lambda u: (1 + u) ** wins * (1 - u) ** losses, 0, 1, epsabs=0, epsrel=1e-12)
    assert np.exp(log_e_better(wins, losses)) == pytest.approx(value, rel=1e-9)


@given(COUNTS, COUNTS)
def test_the_next_fair_vote_changes_nothing_on_average(wins, losses):
    """Both are martingales where each wins half of the votes."""
    for log_e in (log_e_better, log_e_two_sided):
        ahead, behind = log_e(wins + 1, losses), log_e(wins, losses + 1)
        mean = np.logaddexp(ahead, behind) - np.log(2)
        assert mean == pytest.approx(float(log_e(wins, losses)), abs=1e-9)


@given(COUNTS, COUNTS, st.floats(0.0, 0.5))
def test_against_a_worse_model_the_evidence_shrinks_on_average(wins, losses, p):
    ahead, behind = np.exp(
        log_e_better([wins + 1, wins], [losses, losses + 1]) - log_e_better(wins, losses)
    )
    assert p * ahead + (1 - p) * behind <= 1 + 1e-9


@given(COUNTS, COUNTS)
def test_the_two_sides_average_to_the_two_sided_value(wins, losses):
    sides = np.logaddexp(log_e_better(wins, losses), log_e_better(losses, wins)) - np.log(2)
    assert sides == pytest.approx(float(log_e_two_sided(wins, losses)), abs=1e-9)


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_win_raises_and_a_loss_lowers_the_evidence(wins, losses):
    low, middle, high = log_e_better([wins, wins, wins + 1], [losses + 1, losses, losses])
    assert np.isfinite([low, middle, high]).all()
    assert low < middle + 1e-8
    assert middle < high + 1e-8


@pytest.mark.parametrize(
    ("wins", "losses", "expected"),
    [
        # By the sum E = sum over k of W! L! / ((W - k)! (L + 1 + k)!) with 60 digits (mpmath).
        (400_000, 600_000, -12.20609764401786),
        (300, 1_000, -6.55372004350950),
        (485_000, 515_000, -10.31006070432821),
        (0, 1_000_000, -13.815511557963774),
        (4_900_000, 5_100_000, -12.206322489522463),
        # Twice the two-sided value, whose other half is nothing.
        (600_000, 400_000, 20129.504322209725),
        (1_000_000, 0, 693134.0581955679),
    ],
)
def test_a_million_votes_lose_no_digits(wins, losses, expected):
    assert log_e_better(wins, losses) == pytest.approx(expected, abs=1e-8)


def test_both_routes_of_a_lost_cause_meet():
    """The tail of the beta distribution leaves the floats between these counts."""
    losses = np.arange(1000, 2600)
    log_e = log_e_better(500, losses)
    steps = np.diff(log_e)
    assert (steps < 0).all()
    assert np.abs(np.diff(steps)).max() < 1e-5


def test_tables_of_pairs_go_in_at_once():
    wins = np.arange(9).reshape(3, 3)
    table = log_e_better(wins, wins.T)
    assert table.shape == (3, 3)
    assert table[1, 2] == log_e_better(5, 7)


@pytest.mark.parametrize("counts", [(-1, 0), (0, np.nan), (np.inf, 1)])
def test_counts_that_are_none_are_refused(counts):
    for log_e in (log_e_better, log_e_two_sided):
        with pytest.raises(DataError, match="finite counts, 0 or more"):
            log_e(*counts)


@pytest.mark.slow
def test_looking_after_every_vote_keeps_the_level_where_a_z_test_does_not(calibration):
    """2,000 fair votes: reaching 20 at any time, and a z test at 40 looks."""
    rng = np.random.default_rng(0)
    n_runs, n_votes = calibration.runs(500, 1500), 2000
    wins = np.cumsum(rng.random((n_runs, n_votes)) < 0.5, axis=1)
    n = np.arange(1, n_votes + 1)
    for log_e in (log_e_better, log_e_two_sided):
        reached = (log_e(wins, n - wins) >= np.log(20)).any(axis=1)
        calibration.at_most(reached.sum(), n_runs, 0.05, of=log_e.__name__)
        calibration.above(reached.sum(), n_runs, 0.01, of=log_e.__name__)
    looks = slice(49, None, 50)
    z = (2 * wins - n)[:, looks] / np.sqrt(n[looks])
    calibration.above((np.abs(z) >= 1.959964).any(axis=1).sum(), n_runs, 0.2, of="z test")


@pytest.mark.slow
def test_a_real_lead_is_found():
    """A share of .56 in 2,000 votes: found in most runs."""
    rng = np.random.default_rng(0)
    wins = rng.binomial(2000, 0.56, 2000)
    assert (log_e_better(wins, 2000 - wins) >= np.log(20)).mean() > 0.95

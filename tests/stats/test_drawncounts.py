"""Counts drawn from uniform numbers follow the laws that SciPy has for them."""

import numpy as np
import pytest
from scipy import stats

from rankbars.stats.drawncounts import draw_binomials, draw_multinomials

DRAWS = 40_000
# Means on both sides of the change of algorithm, chances beyond one half, few and very many trials.
LAWS = [
    (1, 0.3),
    (7, 0.5),
    (40, 0.02),
    (100_000, 0.00009),
    (33, 0.3),  # mean 9.9
    (34, 0.3),  # mean 10.2
    (20, 0.5),  # mean 10, the least for the hat
    (21, 0.51),
    (60, 0.8),
    (500, 0.5),
    (12_000, 0.0013),
    (12_000, 0.9983),
    (5_000_000, 0.37),
]


def _misfit(drawn, law):
    """Chance of a misfit as large as that of counts in some 40 classes of about equal chance."""
    edges = np.unique(law.ppf(np.linspace(0, 1, 41)[1:-1]))
    chance = np.diff(np.concatenate([[0.0], law.cdf(edges), [1.0]]))
    seen = np.bincount(np.searchsorted(edges, drawn), minlength=chance.size)
    full = chance > 1e-12
    assert seen[~full].sum() == 0
    return stats.chisquare(seen[full], chance[full] * drawn.size).pvalue


@pytest.mark.parametrize(("number", "chance"), LAWS)
def test_binomial_counts_follow_their_law(number, chance):
    law = stats.binom(number, chance)
    drawn = draw_binomials(np.random.default_rng(1), np.full(DRAWS, number), chance)
    assert _misfit(drawn, law) > 0.001  # 13 laws
    assert abs(drawn.mean() - law.mean()) < 4 * law.std() / DRAWS**0.5
    assert abs(drawn.var() / law.var() - 1) < 4 * (2 / DRAWS + law.stats("k") / DRAWS) ** 0.5


def test_sizes_that_alternate_do_not_disturb_each_other():
    number, chance = np.array([line[0] for line in LAWS]), np.array([line[1] for line in LAWS])
    drawn = draw_binomials(np.random.default_rng(2), np.tile(number, (DRAWS, 1)), chance)
    for column, law in zip(drawn.T, LAWS, strict=True):
        assert _misfit(column, stats.binom(*law)) > 0.001
    correlation = np.corrcoef(drawn.T) - np.eye(len(LAWS))
    assert np.abs(correlation).max() < 4.5 / DRAWS**0.5


def test_tails_are_drawn_as_often_as_they_should():
    drawn = draw_binomials(np.random.default_rng(3), np.full(1_000_000, 40), 0.3)
    law = stats.binom(40, 0.3)
    for seen, chance in [
        *(((drawn > end).sum(), law.sf(end)) for end in (20, 22, 24)),
        *(((drawn <= end).sum(), law.cdf(end)) for end in (4, 2, 1)),
    ]:
        assert abs(seen - 1e6 * chance) < 4 * (1e6 * chance) ** 0.5


def test_small_means_are_quantiles_of_uniform_numbers():
    number, chance = np.tile([1, 3, 12, 60, 9_000], 500), np.tile([0.5, 0.9, 0.2, 0.15, 0.001], 500)
    drawn = draw_binomials(np.random.default_rng(4), number, chance)
    uniform = np.random.default_rng(4).random(number.size)
    rarer = stats.binom.ppf(uniform, number, np.minimum(chance, 1 - chance))
    assert (drawn == np.where(chance > 0.5, number - rarer, rarer)).all()


def test_certain_and_impossible_successes():
    drawn = draw_binomials(np.random.default_rng(0), [[0], [5], [10**6]], [0.0, 1.0])
    assert drawn.tolist() == [[0, 0], [0, 5], [0, 10**6]]
    assert draw_binomials(np.random.default_rng(0), 0, 0.4) == 0


def test_the_same_uniform_numbers_give_the_same_counts():
    """On every version of NumPy."""
    chances = [0.5, 0.5, 0.9, 0.2, 0.6]
    drawn = draw_binomials(np.random.default_rng(7), [3, 1000, 3, 1000, 40], chances)
    assert drawn.tolist() == [2, 515, 2, 189, 26]
    spread = draw_multinomials(np.random.default_rng(7), [1000, 10], [0.2, 0.5, 0.0, 0.3])
    assert spread.tolist() == [[205, 473, 0, 322], [1, 6, 0, 3]]


def test_several_outcomes_follow_their_law():
    chance = np.array([0.02, 0.0, 0.3, 0.08, 0.6])
    drawn = draw_multinomials(np.random.default_rng(5), np.full(DRAWS, 130), chance)
    assert (drawn.sum(axis=1) == 130).all()
    assert (drawn[:, 1] == 0).all()
    for column, share in zip(drawn.T[chance > 0], chance[chance > 0], strict=True):
        assert _misfit(column, stats.binom(130, share)) > 0.001
    wanted = stats.multinomial(130, chance).cov()
    error = np.sqrt((np.outer(np.diag(wanted), np.diag(wanted)) + wanted**2) / DRAWS)
    assert (np.abs(np.cov(drawn.T) - wanted) <= 4.5 * error).all()
    # Joint law of a small one, cell by cell.
    small = draw_multinomials(np.random.default_rng(6), np.full(DRAWS, 3), [1, 2, 1])
    law = stats.multinomial(3, [0.25, 0.5, 0.25])
    cells = [(i, j, 3 - i - j) for i in range(4) for j in range(4 - i)]
    seen = [(small == cell).all(axis=1).sum() for cell in cells]
    assert stats.chisquare(seen, DRAWS * law.pmf(cells)).pvalue > 0.001


def test_each_row_has_its_own_trials_and_chances():
    drawn = draw_multinomials(np.random.default_rng(0), [4, 900], [[0, 1, 0], [1, 1, 1]])
    assert drawn.sum(axis=1).tolist() == [4, 900]
    assert drawn[0].tolist() == [0, 4, 0]
    assert drawn[1].min() > 200
    assert draw_multinomials(np.random.default_rng(0), 8, [2.0]).tolist() == [8]

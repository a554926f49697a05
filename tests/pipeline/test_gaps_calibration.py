"""How often places hold, and how wide they are, where models lack tasks: simulations of tables."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.stats.averaging.incomplete import additive_t
from rankbars.stats.pairwise.paired import paired_t

MODELS, TASKS, GROUPS = 16, 20, 4
NAMES = [f"m{i:02}" for i in range(MODELS)]
LACKS = 8  # models that lack tasks
SHARE = 0.3  # of their tasks


def population(rng, top=1.2):
    """Scores of a population of tasks: groups of four models have equal means in it."""
    ability = np.repeat(np.linspace(0, top, GROUPS), MODELS // GROUPS)
    own = rng.normal(0, 0.5, (120, MODELS))
    own -= own.mean(axis=0)
    return rng.normal(0, 1.5, (120, 1)) + ability + own


def true_ranks(values):
    """Ends of the true rank of each model: equal models share a range."""
    mean = values.mean(axis=0).round(9)
    best = 1 + (mean[None, :] > mean[:, None]).sum(axis=1)
    worst = mean.size - (mean[None, :] < mean[:, None]).sum(axis=1)
    return best, worst


def with_gaps(table, kind, rng):
    """Half of the models lack tasks: any, the hardest, or those that they failed."""
    found = table.copy()
    count = int(SHARE * len(table))
    for j in rng.permutation(MODELS)[:LACKS]:
        order = {
            "random": rng.permutation(len(table)),
            "hardest": np.argsort(table.mean(axis=1)),
            "failed": np.argsort(table[:, j] - table.mean(axis=1)),
        }[kind]
        found[order[:count], j] = np.nan
    return found


def scores_of(table):
    tasks = {
        f"t{b:02}": rb.Estimates(
            tuple(np.array(NAMES)[~np.isnan(row)].tolist()), row[~np.isnan(row)]
        )
        for b, row in enumerate(table)
    }
    return rb.Scores(tasks)


def held(best, worst, truth):
    return ((best <= truth[0]) & (truth[1] <= worst)).tolist()


def simulate(kind, repetitions, seed=0):
    """Shares of places that hold: of the core, and of inserted models; and the core's as before."""
    rng = np.random.default_rng(seed)
    core_held, placed_held = [], []
    for _ in range(repetitions):
        values = population(rng)
        table = values[rng.integers(0, len(values), TASKS)]
        gappy = with_gaps(table, kind, rng)
        board = rb.leaderboard(scores_of(gappy), resamples=1, scope="each")
        core = [NAMES.index(name) for name in board.models]
        core_held += held(board.aggregate.best, board.aggregate.worst, true_ranks(values[:, core]))
        for k, name in enumerate(board.partly.models):
            field = [*core, NAMES.index(name)]
            truth = [ends[-1] for ends in true_ranks(values[:, field])]
            best, worst = board.partly.best[k], board.partly.worst[k]
            placed_held.append(best <= truth[0] and truth[1] <= worst)
    return np.mean(core_held), np.mean(placed_held)


@pytest.mark.slow
def test_places_hold_where_gaps_are_random_and_less_where_models_lack_what_they_failed():
    core, placed = simulate("random", 20)
    # A model's misses of one table go together: the standard errors are about 0.03.
    assert core >= 0.95 - 3 * 0.03
    assert placed >= 0.95 - 3 * 0.03
    after_core, after_placed = simulate("failed", 20)
    assert after_core >= 0.95 - 3 * 0.03
    assert after_placed < placed - 0.03


def widths(table, contrast):
    """Mean standard error of pairs with a model that lacks tasks."""
    lacking = np.isnan(table).any(axis=0)
    upper = np.triu_indices(MODELS, k=1)
    mixed = (lacking[:, None] | lacking[None, :])[upper]
    return float(np.nanmean(contrast(table).se[upper][mixed]))


def test_bridged_contrasts_cover_with_random_gaps_and_the_fit_is_narrower():
    rng = np.random.default_rng(6)
    covered = {"common": [], "additive": []}
    size = {"common": [], "additive": []}
    upper = np.triu_indices(MODELS, k=1)
    for _ in range(25):
        values = population(rng)
        truth = values.mean(axis=0)
        table = with_gaps(values[rng.integers(0, len(values), TASKS)], "random", rng)
        for name, contrast in (("common", paired_t), ("additive", additive_t)):
            found = contrast(table)
            apart = np.abs(found.diff - (truth[:, None] - truth[None, :]))[upper]
            covered[name].append(np.mean(apart <= 2.16 * found.se[upper]))
            size[name].append(widths(table, contrast))
    assert min(np.mean(covered["common"]), np.mean(covered["additive"])) >= 0.93
    assert np.mean(size["additive"]) < np.mean(size["common"])


LIMITS = rb.TaskInfo(minimum=-4.0, maximum=8.0)


def false_claims(repetitions, seed=0):
    """With bounds: shares of boards that claim what is false, and of pairs with gaps told apart."""
    rng = np.random.default_rng(seed)
    wrong, told = [], []
    for _ in range(repetitions):
        values = np.clip(population(rng, top=6.0), -4.0, 8.0)
        mean = values.mean(axis=0)
        gappy = with_gaps(values[rng.integers(0, len(values), TASKS)], "failed", rng)
        scores = scores_of(gappy)
        limited = rb.Scores(scores.tasks, dict.fromkeys(scores.tasks, LIMITS))
        board = rb.leaderboard(limited, missing_tasks="bounds", resamples=1)
        assert board.models == tuple(NAMES)
        shown = board.shown_better
        wrong.append(bool((shown & (mean[:, None] < mean[None, :] - 1e-9)).any()))
        lacking = np.isnan(gappy).any(axis=0)
        told.append(shown[lacking[:, None] | lacking[None, :]].mean())
    return np.mean(wrong), np.mean(told)


@pytest.mark.slow
def test_bounds_hold_where_models_lack_what_they_failed():
    wrong, told = false_claims(20)
    assert wrong <= 0.05 + 3 * 0.049
    assert told > 0  # between models far apart, whatever the gaps hold


def test_declared_limits_bound_the_average_of_a_model_that_lacks_a_task(tmp_path):
    path = tmp_path / "gaps.csv"
    rows = [f"best,{','.join(str(90 + k % 3) for k in range(12))}"]
    rows += [f"good,{','.join(str(70 + k % 4) for k in range(12))}"]
    rows += [f"weak,{','.join([*(str(20 + k % 5) for k in range(11)), ''])}"]
    path.write_text("\n".join([f"model,{','.join(f't{k}' for k in range(12))}", *rows]))

    def ends(**limits):
        board = rb.leaderboard(rb.read(path, **limits), missing_tasks="bounds")
        return {name: (board[name].best, board[name].worst) for name in board.models}

    assert ends() == {"best": (1, 2), "good": (2, 3), "weak": (1, 3)}
    assert ends(minimum=0, maximum=100) == {"best": (1, 1), "good": (2, 2), "weak": (3, 3)}
    board = rb.leaderboard(rb.read(path, minimum=0, maximum=100), missing_tasks="bounds")
    low, high = board["weak"].score_low, board["weak"].score_high
    assert low < 21.8 * 11 / 12 < (21.8 * 11 + 100) / 12 < high  # with 0, and with 100
    assert any(note.code == "bounded-scores" for note in board.notes)

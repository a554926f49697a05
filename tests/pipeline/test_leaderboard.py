"""Properties of the main path, from scores to a board."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import score_tables

import rankbars as rb

SEED = st.integers(0, 10**6)


def reversed_names(scores: rb.Scores) -> tuple[rb.Scores, dict[str, str]]:
    """The same results with models called otherwise, so that their order is turned around."""
    names = scores.models
    renamed = {name: f"{len(names) - i}-{name}" for i, name in enumerate(names)}
    arrays = {task: items.values for task, items in scores.tasks.items()}
    return rb.Scores.from_arrays(arrays, [renamed[name] for name in names]), renamed


@given(scores=score_tables())
def test_order_of_models_carries_no_information(scores: rb.Scores) -> None:
    other, renamed = reversed_names(scores)
    board, turned = rb.leaderboard(scores), rb.leaderboard(other)
    where = [turned.models.index(renamed[name]) for name in board.models]
    for name, task in board.tasks.items():
        assert turned.tasks[name].best[where].tolist() == task.best.tolist()
        assert turned.tasks[name].worst[where].tolist() == task.worst.tolist()
    if board.overall is not None and turned.overall is not None:
        assert turned.overall.best[where].tolist() == board.overall.best.tolist()
        assert turned.overall.worst[where].tolist() == board.overall.worst.tolist()


@given(scores=score_tables())
def test_names_of_tasks_carry_no_information(scores: rb.Scores) -> None:
    names = list(scores.tasks)
    arrays = {f"{len(names) - i}": scores.tasks[name].values for i, name in enumerate(names)}
    turned = rb.leaderboard(rb.Scores.from_arrays(arrays, scores.models))
    board = rb.leaderboard(scores)
    if board.overall is not None and turned.overall is not None:
        assert turned.overall.best.tolist() == board.overall.best.tolist()
        assert turned.overall.worst.tolist() == board.overall.worst.tolist()


@given(scores=score_tables(), shift=st.integers(-8, 8), power=st.integers(-3, 3))
def test_shifting_and_scaling_a_task_changes_no_rank_on_it(
    scores: rb.Scores, shift: int, power: int
) -> None:
    # Whole shifts and powers of two move no digit, so that ties stay ties.
    moved = {task: items.values * 2.0**power + shift for task, items in scores.tasks.items()}
    board = rb.leaderboard(scores, over="none")
    other = rb.leaderboard(rb.Scores.from_arrays(moved, scores.models), over="none")
    for name, task in board.tasks.items():
        assert other.tasks[name].best.tolist() == task.best.tolist()
        assert other.tasks[name].worst.tolist() == task.worst.tolist()


@given(scores=score_tables())
def test_negating_scores_mirrors_ranks(scores: rb.Scores) -> None:
    negated = {task: -items.values for task, items in scores.tasks.items()}
    board = rb.leaderboard(scores)
    other = rb.leaderboard(rb.Scores.from_arrays(negated, scores.models))
    size = len(scores.models)
    pairs = [(task, other.tasks[name]) for name, task in board.tasks.items()]
    if board.overall is not None and other.overall is not None:
        pairs.append((board.overall, other.overall))
    if board.aggregate is not None and other.aggregate is not None:
        pairs.append((board.aggregate, other.aggregate))
    for one, mirrored in pairs:
        assert mirrored.best.tolist() == (size + 1 - one.worst).tolist()
        assert mirrored.worst.tolist() == (size + 1 - one.best).tolist()


@given(
    scores=score_tables(),
    rates=st.tuples(st.floats(0.001, 0.6), st.floats(0.001, 0.6)),
    scope=st.sampled_from(("each", "all")),
    correction=st.sampled_from(("holm", "bonferroni", "none")),
)
def test_smaller_alpha_never_narrows_task_intervals(
    scores: rb.Scores, rates: tuple[float, float], scope: str, correction: str
) -> None:
    comparisons = rb.compare(scores)
    strict, loose = (
        rb.rank(comparisons, alpha=rate, scope=scope, correction=correction)
        for rate in sorted(rates)
    )
    for name in comparisons:
        assert (strict[name].best <= loose[name].best).all()
        assert (strict[name].worst >= loose[name].worst).all()


@given(scores=score_tables(min_models=2))
def test_identical_models_get_identical_intervals(scores: rb.Scores) -> None:
    doubled = {
        task: np.column_stack([items.values, items.values[:, 0]])
        for task, items in scores.tasks.items()
    }
    board = rb.leaderboard(rb.Scores.from_arrays(doubled, (*scores.models, "a twin")))
    first, twin = board.models.index(scores.models[0]), board.models.index("a twin")
    rows = [*board.tasks.values(), *(x for x in (board.overall, board.aggregate) if x is not None)]
    for one in rows:
        assert one.best[first] == one.best[twin]
        assert one.worst[first] == one.worst[twin]
    assert board.tier[first] == board.tier[twin]


@given(scores=score_tables(max_models=4))
def test_adding_a_model_changes_other_pairs_by_rounding_only(scores: rb.Scores) -> None:
    rng = np.random.default_rng(1)
    more = {
        task: np.column_stack([items.values, 10 * rng.normal(size=items.n)])
        for task, items in scores.tasks.items()
    }
    size = len(scores.models)
    before = rb.compare(scores)
    after = rb.compare(rb.Scores.from_arrays(more, (*scores.models, "zz")))
    for name, one in before.items():
        assert one.pairs is not None
        assert after[name].pairs is not None
        np.testing.assert_allclose(
            after[name].pairs.statistic[:size, :size], one.pairs.statistic, rtol=1e-9, atol=1e-9
        )


@given(scores=score_tables())
def test_simultaneous_ranks_agree_with_shown_better(scores: rb.Scores) -> None:
    size = len(scores.models)
    for intervals in rb.rank(rb.compare(scores), scope="all", alpha=0.2).values():
        assert intervals.shown_better is not None
        assert intervals.best.tolist() == (1 + intervals.shown_better.sum(axis=0)).tolist()
        assert intervals.worst.tolist() == (size - intervals.shown_better.sum(axis=1)).tolist()


@given(scores=score_tables())
def test_observed_ranks_lie_inside_the_interval(scores: rb.Scores) -> None:
    for task in rb.leaderboard(scores).tasks.values():
        assert (task.best <= task.observed_best).all()
        assert (task.observed_worst <= task.worst).all()


@given(scores=score_tables(min_models=2))
def test_tiers_never_hold_a_model_shown_worse_than_their_anchor(scores: rb.Scores) -> None:
    board = rb.leaderboard(scores, alpha=0.2)
    placed = [name for tier in board.tiers for name in tier]
    assert sorted(placed) == list(board.models)
    position = {name: i for i, name in enumerate(board.models)}
    for tier in board.tiers:
        anchor = position[tier[0]]
        assert not any(board.shown_better[anchor, position[name]] for name in tier)


def test_one_model_ranks_first_on_everything() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays({f"t{i}": rng.random((9, 1)) for i in range(5)}, ["only"])
    board = rb.leaderboard(scores)
    assert board.undominated() == ("only",)
    for one in (*board.tasks.values(), board.overall, board.aggregate):
        assert one is not None
        assert (one.best[0], one.worst[0]) == (1, 1)


def test_one_task_leads_with_itself_and_has_nothing_to_say_about_a_new_one() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays({"math": rng.random((40, 2)) + [0, 0.5]}, ["a", "b"])
    board = rb.leaderboard(scores)
    assert board.lead == "task"
    assert board.overall is None
    assert board.aggregate is None
    assert board.undominated() == ("b",)


def test_scores_without_error_lead_with_the_population_of_tasks() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores(
        {f"t{i}": rb.Estimates(("a", "b"), rng.random(2) + [0, 2]) for i in range(8)}
    )
    board = rb.leaderboard(scores)
    assert board.lead == "aggregate"
    assert board.aggregate is not None
    assert board.aggregate.over == "tasks"
    assert {note.code for note in board.notes} >= {"no-uncertainty"}
    assert all((task.worst == 2).all() for task in board.tasks.values())


def test_plain_t_on_folds_has_no_guarantee_and_says_so() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays(
        {"t": rng.random((9, 2))}, ["a", "b"], design=rb.Folds(repeats=3, folds=3)
    )
    corrected, naive = rb.leaderboard(scores), rb.leaderboard(scores, test="t")
    assert corrected.tasks["t"].test == "corrected_t"
    assert corrected.tasks["t"].guarantee == 0.95
    assert naive.tasks["t"].guarantee is None
    assert "folds-as-independent" in {note.code for note in naive.notes}


def test_one_pass_of_folds_is_said_to_be_conservative() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays(
        {"t": rng.random((10, 2))}, ["a", "b"], design=rb.Folds(repeats=1, folds=10)
    )
    assert "one-pass" in {note.code for note in rb.leaderboard(scores).notes}


def test_spec_repeats_an_analysis() -> None:
    rng = np.random.default_rng(0)
    arrays = {f"t{i}": rng.random((20, 4)) + [0, 0.1, 0.2, 0.3] for i in range(6)}
    scores = rb.Scores.from_arrays(arrays, list("abcd"))
    board = rb.leaderboard(
        scores, correction="bonferroni", alpha=0.1, merge="quantile", alpha_overall=0.4
    )
    again = rb.leaderboard(scores, spec=board.spec)
    assert again.spec == board.spec
    assert again.overall is not None
    assert board.overall is not None
    assert again.overall.best.tolist() == board.overall.best.tolist()
    with pytest.raises(rb.OptionError, match="either spec= or single options"):
        rb.leaderboard(scores, spec=board.spec, alpha=0.2)
    changed = dataclasses.replace(board.spec, alpha=0.2)
    assert rb.leaderboard(scores, spec=changed).spec.alpha == 0.2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "alpha must be an error rate"),
        ({"alpha": 95}, "alpha must be an error rate"),
        ({"alpha_overall": 1.0}, "alpha_overall must be"),
        ({"test": "tt"}, "Unknown test 'tt'"),
        ({"correction": "hlm"}, "Did you mean 'holm'"),
        ({"merge": "jont"}, "Did you mean 'joint'"),
        ({"scope": "al"}, "Did you mean 'all'"),
        ({"over": "item"}, "Did you mean 'items'"),
        ({"missing": "rais"}, "Did you mean 'raise'"),
        ({"seed": -1}, "seed must be a whole number"),
        ({"merge": "family"}, "needs the family of each task"),
        ({"merge": "group"}, "needs the category of each task"),
        ({"test": "corrected_t"}, "Declare them with --rows folds"),
        ({"test": "cluster_t"}, "--column cluster=NAME"),
        ({"test": "z"}, "Use --test t"),
    ],
)
def test_options_out_of_range_are_refused_with_what_to_do(
    options: dict[str, object], message: str
) -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays({f"t{i}": rng.random((5, 2)) for i in range(3)}, ["a", "b"])
    with pytest.raises(rb.OptionError, match=message):
        rb.leaderboard(scores, **options)  # type: ignore[arg-type]


def test_workers_do_not_change_the_board() -> None:
    rng = np.random.default_rng(4)
    arrays = {f"t{i}": rng.random((30, 6)) + np.arange(6) / 9 for i in range(5)}
    scores = rb.Scores.from_arrays(arrays, list("abcdef"))
    from rankbars.data.boardfile import board_json

    assert board_json(rb.leaderboard(scores, n_jobs=2)) == board_json(rb.leaderboard(scores))


def test_too_few_tasks_become_one_line() -> None:
    rng = np.random.default_rng(0)
    scores = rb.Scores.from_arrays({f"t{i}": rng.random((5, 2)) for i in range(3)}, ["a", "b"])
    board = rb.leaderboard(scores)
    assert board.overall is not None
    assert board.overall.trivial
    assert "3 tasks; a new-task interval at this level needs 4." in {
        note.message for note in board.notes
    }


def _fourteen() -> rb.Scores:
    rng = np.random.default_rng(3)
    skill = rng.normal(0, 0.6, (14, 1, 6)) + np.arange(6) / 3
    rows = {f"task {k:02d}": skill[k] + rng.normal(size=(25, 6)) for k in range(14)}
    return rb.Scores.from_arrays(rows, list("abcdef"))


def test_new_task_intervals_do_not_depend_on_what_tasks_show() -> None:
    scores = _fourteen()
    each, together = (rb.leaderboard(scores, scope=scope).overall for scope in ("each", "all"))
    assert (each.task_alpha, each.left_out) == (0.7, 2)
    assert each.guarantee == together.guarantee
    assert each.best.tolist() == together.best.tolist()
    assert each.worst.tolist() == together.worst.tolist()


def test_task_intervals_behind_a_new_task_are_ranks_at_their_own_level() -> None:
    board = rb.leaderboard(_fourteen())
    ranks = rb.rank(rb.compare(_fourteen()), scope="each", alpha=board.overall.task_alpha)
    for name, task in board.tasks.items():
        assert task.merged_best.tolist() == ranks[name].best.tolist()
        assert task.merged_worst.tolist() == ranks[name].worst.tolist()
        assert (task.merged_best >= task.best).all()
        assert (task.merged_worst <= task.worst).all()
        assert (task.merged_best <= task.observed_best).all()
        assert (task.merged_worst >= task.observed_worst).all()
    assert board.overall.width.mean() < rb.predict(rb.rank(rb.compare(_fourteen()))).width.mean()


@pytest.mark.parametrize("merge", ["quantile", "union", "simultaneous", "observed"])
def test_other_merges_take_the_intervals_of_the_board(merge: str) -> None:
    scores = _fourteen()
    board = rb.leaderboard(scores, merge=merge, scope="each")
    seen = {
        name: rb.RankIntervals(
            board.models, t.observed_best, t.observed_worst, 0.5, "each", "task", "observed"
        )
        for name, t in board.tasks.items()
    }
    new = rb.predict(
        rb.rank(rb.compare(scores), scope="each"), merge=merge, alpha=0.2, observed=seen
    )
    assert board.overall.task_alpha is None
    assert board.overall.best.tolist() == new.best.tolist()
    assert board.overall.worst.tolist() == new.worst.tolist()
    assert board.overall.guarantee == new.guarantee


def test_no_correction_has_no_level_to_split() -> None:
    board = rb.leaderboard(_fourteen(), correction="none")
    assert board.overall.task_alpha is None
    assert board.overall.guarantee is None

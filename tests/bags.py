"""Bags of task intervals: strategies, and simulated tasks for coverage."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

ALPHAS = (0.05, 0.1, 0.2, 0.25, 0.3, 0.5, 0.58, 0.8, 0.9)


class IntervalBag(NamedTuple):
    """Intervals of M models on N tasks, shape (N, M), in a field of `n_ranks`."""

    best: np.ndarray
    worst: np.ndarray
    n_ranks: int


@st.composite
def interval_bags(draw, *, max_tasks=9, max_models=3, max_ranks=6):
    """Small bags, rich in ties."""
    n_ranks = draw(st.integers(1, max_ranks))
    n_tasks = draw(st.integers(1, max_tasks))
    n_models = draw(st.integers(1, max_models))
    rank = st.integers(1, n_ranks)
    ends = draw(
        st.lists(
            st.lists(st.tuples(rank, rank).map(sorted), min_size=n_models, max_size=n_models),
            min_size=n_tasks,
            max_size=n_tasks,
        )
    )
    both = np.array(ends)
    return IntervalBag(both[..., 0], both[..., 1], n_ranks)


def random_bag(n_tasks, n_models, n_ranks, seed=0):
    """A larger bag whose models differ in level and spread."""
    rng = np.random.default_rng(seed)
    centre = rng.uniform(1, n_ranks, n_models)
    place = centre + rng.normal(size=(n_tasks, n_models)) * rng.uniform(0, n_ranks / 3, n_models)
    reach = rng.uniform(0, n_ranks / 4, (n_tasks, n_models))
    best = np.clip(np.rint(place - reach), 1, n_ranks).astype(np.int64)
    worst = np.clip(np.rint(place + reach), best, n_ranks).astype(np.int64)
    return IntervalBag(best, worst, n_ranks)


def contained(inner, outer):
    """Whether intervals lie inside others, cell by cell."""
    return (outer.best <= inner.best) & (inner.worst <= outer.worst)


def mirrored(bag):
    """The same bag with rank 1 and the last rank exchanged."""
    return IntervalBag(bag.n_ranks + 1 - bag.worst, bag.n_ranks + 1 - bag.best, bag.n_ranks)


def sampling_error(rate, repetitions):
    """Three standard errors of a simulated probability."""
    return 3 * np.sqrt(rate * (1 - rate) / repetitions)

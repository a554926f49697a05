"""Hypothesis strategies for evaluation results."""

from __future__ import annotations

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

import rankbars as rb

# A third of the usual examples, in `make soak` as well: for those that read or store whole boards.
FEWER = settings(max_examples=settings().max_examples // 3, deadline=None)
# Half of that again: for those that read or store them many times.
FEWEST = settings(max_examples=settings().max_examples // 6, deadline=None)

MODEL_NAMES = ("ada", "bob", "cy", "dot", "eve", "fay")


@st.composite
def score_tables(
    draw: st.DrawFn, *, min_models: int = 1, max_models: int = 5, max_tasks: int = 4
) -> rb.Scores:
    """Results of a few models on a few tasks; coarse scores, so that ties are common."""
    size = draw(st.integers(min_models, max_models))
    count = draw(st.integers(1, max_tasks))
    seed = draw(st.integers(0, 2**16))
    levels = draw(st.sampled_from((2, 4, 1000)))
    rng = np.random.default_rng(seed)
    tasks = {}
    for index in range(count):
        rows = draw(st.integers(1, 40))
        ability = rng.normal(size=size) * draw(st.sampled_from((0.0, 0.5, 2.0)))
        values = rng.normal(size=(rows, size)) + ability
        tasks[f"task {index}"] = np.round(values * levels) / levels
    return rb.Scores.from_arrays(tasks, MODEL_NAMES[:size])

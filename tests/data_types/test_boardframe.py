"""A board as a data frame."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb


def board() -> rb.Leaderboard:
    rng = np.random.default_rng(0)
    arrays = {f"t{i}": rng.normal(size=(30, 3)) + [0.0, 2.0, 1.0] for i in range(5)}
    return rb.leaderboard(rb.Scores.from_arrays(arrays, ["a", "b", "c"]))


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_best_model_comes_first_in_every_library(backend: str) -> None:
    frame = board().to_frame(backend)
    assert type(frame).__module__.startswith(backend)
    models = frame["model"].to_pylist() if backend == "pyarrow" else list(frame["model"])
    assert models == ["b", "c", "a"]


def test_ranks_stand_beside_their_model() -> None:
    made = board()
    frame = made.to_frame("pandas").set_index("model")
    assert made.aggregate is not None
    for i, name in enumerate(made.models):
        assert frame.loc[name, "best"] == made.aggregate.best[i]
        assert frame.loc[name, "coverage"] == 1.0


def test_unknown_library_lists_the_known_ones() -> None:
    with pytest.raises(rb.UnknownOptionError, match="pandas, polars, pyarrow"):
        board().to_frame("numpy")


def test_without_any_library_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("rankbars.data.frames.find_spec", lambda name: None)
    with pytest.raises(rb.MissingPackageError, match="pip install pandas"):
        board().to_frame()

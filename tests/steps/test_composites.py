"""Several tasks as one: what is summed, with which error, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import rankbars as rb
from rankbars.steps.composites import Part, composite

MODELS = ("fir", "oak", "yew")


def published() -> rb.Scores:
    known = {
        "math": rb.Estimates(MODELS, np.array([0.71, 0.66, 0.60]), se=np.array([0.02, 0.03, 0.0])),
        "code": rb.Estimates(MODELS, np.array([0.64, 0.61, 0.55]), se=np.array([0.03, 0.01, 0.1])),
    }
    return rb.Scores(known)


def test_errors_of_correlated_tasks_are_those_of_equation_2() -> None:
    made = composite(published(), {"math": Part(3.0), "code": Part(1.0)}, {("code", "math"): 0.5})
    found = made.tasks["composite"]
    assert isinstance(found, rb.Estimates)
    assert found.mean == pytest.approx([0.6925, 0.6475, 0.5875])
    # w'Cw by hand: (.75 * .02)^2 + (.25 * .03)^2 + 2 * .5 * .75 * .02 * .25 * .03, and so on.
    assert np.square(found.se) == pytest.approx([3.9375e-4, 5.6875e-4, 6.25e-4])


def test_errors_are_those_of_simulated_sums() -> None:
    cov = np.array([[4.0, 3.0], [3.0, 9.0]]) * 1e-4
    drawn = np.random.default_rng(0).multivariate_normal([0.71, 0.64], cov, 200_000)
    made = composite(published(), {"math": Part(1.0), "code": Part(1.0)}, {("math", "code"): 0.5})
    se = made.tasks["composite"].se
    assert se[0] == pytest.approx(drawn.mean(axis=1).std(), rel=0.01)


def test_rows_are_matched_by_name_and_brought_to_their_scales() -> None:
    quality = rb.Items(MODELS, [[0.5, 0.6, 0.7], [0.8, 0.9, 1.0]], ids=("one", "two"))
    seconds = rb.Items(  # stored negated: lower is better
        ("yew", "fir", "oak"), [[-1.0, -2.0, -4.0], [-10.0, 0.0, -5.0]], ids=("two", "one")
    )
    scores = rb.Scores(
        {"quality": quality, "seconds": seconds},
        {"seconds": rb.TaskInfo(direction="lower")},
    )
    made = composite(scores, {"quality": Part(0.8), "seconds": Part(0.2, (10.0, 0.0))})
    found = made.tasks["composite"]
    assert found.ids == ("one", "two")
    assert found.values == pytest.approx(
        np.array([[0.4 + 0.2, 0.48 + 0.1, 0.56], [0.64 + 0.16, 0.72 + 0.12, 0.8 + 0.18]])
    )
    assert "quality (weight 0.8, as it is), seconds (weight 0.2, 10 to 0)" in made.notes[-1].message


@pytest.mark.parametrize(
    ("parts", "correlations", "message"),
    [
        ({"math": Part(1.0)}, {}, "two tasks or more"),
        ({"math": Part(1.0), "art": Part(1.0)}, {}, "Known: code, math"),
        ({"math": Part(1.0), "code": Part(0.0)}, {}, "above 0"),
        ({"math": Part(1.0), "code": Part(1.0)}, {("math", "math"): 0.1}, "of two tasks"),
        ({"math": Part(1.0), "code": Part(1.0)}, {("math", "code"): 1.1}, "from -1 to 1"),
        ({"math": Part(1.0, (1.0, 0.0)), "code": Part(1.0)}, {}, "higher is better there"),
    ],
)
def test_what_is_not_possible_is_refused(
    parts: dict[str, Part], correlations: dict[tuple[str, str], float], message: str
) -> None:
    with pytest.raises(rb.OptionError, match=message):
        composite(published(), parts, correlations)


def test_correlations_that_fit_no_distribution_are_refused() -> None:
    scores = rb.Scores({name: published().tasks["math"] for name in "abc"})
    pairs = {("a", "b"): 0.9, ("b", "c"): 0.9, ("a", "c"): -0.9}
    with pytest.raises(rb.OptionError, match="no joint distribution"):
        composite(scores, {name: Part(1.0) for name in "abc"}, pairs)


def test_tasks_of_other_items_and_of_two_kinds_are_refused() -> None:
    rows = [[0.5, 0.6, 0.7]]
    scores = rb.Scores(
        {
            "a": rb.Items(MODELS, rows, ids=("one",)),
            "b": rb.Items(MODELS, rows, ids=("two",)),
            "c": published().tasks["math"],
        }
    )
    with pytest.raises(rb.DataError, match="hold other items"):
        composite(scores, {"a": Part(1.0), "b": Part(1.0)})
    with pytest.raises(rb.DataError, match="several kinds"):
        composite(scores, {"a": Part(1.0), "c": Part(1.0)})
    with pytest.raises(rb.OptionError, match="have rows, which tell them"):
        composite(scores, {"a": Part(1.0), "b": Part(1.0)}, {("a", "b"): 0.1})

"""Models sampled by NumPyro, small: against the quadrature, truth, and conjugate posteriors.

Compiling a model takes most of the time, so each is run once.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

import rankbars as rb
from rankbars.bayes.models import MODELS, Answers, correlated_models

RIGHT = np.array([[60, 75], [40, 52], [85, 88], [20, 35], [66, 70], [50, 71]])


def shares(right: np.ndarray = RIGHT, total: int = 100) -> rb.Scores:
    names = tuple("abcdef"[: right.shape[1]])
    return rb.Scores(
        {
            f"t{j}": rb.Estimates(names, row / total, n=np.full(row.size, total))
            for j, row in enumerate(right)
        }
    )


@pytest.fixture(scope="module")
def chains() -> rb.Posterior:
    return rb.sample_posterior(
        shares(), model="independent", draws=600, warmup=400, chains=4, max_rhat=1.02,
        accept=0.95,
    )  # fmt: skip


@pytest.mark.slow
def test_quadrature_agrees_with_chains_of_the_full_model(chains: rb.Posterior) -> None:
    exact = rb.aggregate(
        shares(), over="items", estimator="bayes", prior="log_normal:3:1.5", resamples=8000
    )
    found = chains.aggregate()
    assert exact.se is not None
    assert exact.draws is not None
    slack = 4 * exact.se / chains.checks.effective**0.5
    assert (np.abs(found.score - exact.score) < slack).all()
    assert found.se == pytest.approx(exact.se, rel=0.12)
    # And what the tasks have in common: the mean of all tasks like these.
    mean = chains.sites["mean"].reshape(-1, 2)
    population = rb.aggregate(shares(), over="tasks", estimator="bayes", prior="log_normal:3:1.5")
    assert population.se is not None
    slack = 4 * population.se / chains.checks.effective**0.5
    assert (np.abs(mean.mean(axis=0) - population.score) < slack).all()
    assert mean.std(axis=0) == pytest.approx(population.se, rel=0.15)


@pytest.mark.slow
def test_chains_can_be_exported_and_ranked(chains: rb.Posterior) -> None:
    assert chains.checks.rhat < 1.02
    assert chains.checks.divergences == 0
    assert chains.aggregate().best.tolist() == [2, 1]
    assert set(rb.to_arviz(chains)["posterior"].data_vars) >= {"score", "mean", "concentration"}


@pytest.mark.slow
def test_a_model_of_ones_own_that_wraps_another() -> None:
    seen = []

    def mine(data: Answers) -> None:
        seen.append(data.right.shape)
        correlated_models(data)

    found = rb.sample_posterior(
        shares(), model=mine, draws=500, warmup=500, chains=4, accept=0.95, max_rhat=1.03,
        min_effective=150, max_divergences=5,
    )  # fmt: skip
    assert seen[0] == (6, 2)
    assert found.model == "mine"
    assert found.scores.mean(axis=(0, 1)) == pytest.approx(RIGHT / 100, abs=0.06)
    # Both models do well and badly on the same tasks.
    correlation = found.sites["correlation"][..., 0, 1]
    assert correlation.mean() > 0.5
    draws, alone = found.draws(), rb.aggregate(shares(), over="items", estimator="bayes")
    difference = draws.values[:, 1] - draws.values[:, 0]
    assert alone.draws is not None
    apart = alone.draws.values[:, 1] - alone.draws.values[:, 0]
    assert difference.mean() == pytest.approx(apart.mean(), abs=0.02)
    assert difference.std() < apart.std() * 1.1


@pytest.mark.slow
def test_f1_of_confusion_counts() -> None:
    rng = np.random.default_rng(0)
    truth = {"a": np.array([0.4, 0.1, 0.1, 0.4]), "b": np.array([0.4, 0.1, 0.02, 0.48])}
    tables = {
        f"t{j}": {name: rng.multinomial(400, p).reshape(2, 2) for name, p in truth.items()}
        for j in range(4)
    }
    found = rb.sample_confusion(
        tables, draws=500, warmup=400, max_rhat=1.03, min_effective=150, max_divergences=5
    )
    assert found.words == "f1"
    exact = [2 * p[3] / (2 * p[3] + p[1] + p[2]) for p in truth.values()]
    average = found.aggregate()
    assert average.score == pytest.approx(exact, abs=0.03)
    assert average.best.tolist() == [2, 1]
    # Like a bootstrap of the table, where counts are many.
    one = np.array(tables["t0"]["a"]).reshape(-1)
    again = rng.multinomial(400, one / 400, size=4000)
    spread = (2 * again[:, 3] / (2 * again[:, 3] + again[:, 1] + again[:, 2])).std()
    assert found.task_draws("t0").values[:, 0].std() == pytest.approx(spread, rel=0.25)


# --- the models as densities: no chain is needed -------------------------------------------------


def test_correlated_tasks_is_correlated_models_turned_around() -> None:
    from numpyro.handlers import substitute, trace

    right = RIGHT.astype(float)
    total = np.full(right.shape, 100.0)
    values = {
        "mean": np.zeros(6), "spread": np.ones(6), "root": np.eye(6),
        "away": np.arange(12.0).reshape(2, 6) / 10,
    }  # fmt: skip
    one = trace(substitute(MODELS["correlated_tasks"], values)).get_trace(
        Answers(right, total, centred=False)
    )
    two = trace(substitute(MODELS["correlated_models"], values)).get_trace(
        Answers(right.T, total.T, centred=False)
    )
    score = np.asarray(one["score"]["value"])
    assert score == pytest.approx(special.expit(values["away"].T), abs=1e-6)
    assert score == pytest.approx(np.asarray(two["score"]["value"]).T)
    # The likelihood is binomial, up to what depends on no unknown.
    density = float(np.asarray(one["right"]["fn"].log_prob(one["right"]["value"])).sum())
    share = special.expit(values["away"].T)
    binomial = stats.binom(100, share).logpmf(right) - np.log(special.comb(100, right))
    assert density == pytest.approx(binomial.sum(), rel=1e-4)


# --- what is refused -----------------------------------------------------------------------------


def test_what_is_no_answer_is_refused() -> None:
    continuous = rb.Scores.from_arrays({"x": np.random.default_rng(0).random((9, 2))}, ["a", "b"])
    with pytest.raises(rb.DataError, match="not made of right and wrong answers"):
        rb.sample_posterior(continuous)
    with pytest.raises(rb.OptionError, match="Did you mean 'correlated_models'"):
        rb.sample_posterior(shares(), model="correlated_model")
    with pytest.raises(rb.OptionError, match="chains must be 2 or more"):
        rb.sample_posterior(shares(), chains=1)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({}, "no table"),
        ({"x": {"a": [[1, 2], [3, 4]]}, "y": {}}, "no table on task 'y'"),
        ({"x": {"a": [[1, 2, 3], [3, 4, 5]]}}, "must be square"),
        ({"x": {"a": [[1, -2], [3, 4]]}}, "whole numbers"),
        ({"x": {"a": [[0.5, 2], [3, 4]]}}, "whole numbers"),
        ({"x": {"a": [[0, 0], [0, 0]]}}, "is empty"),
        ({"x": {"a": np.eye(2)}, "y": {"a": np.eye(3)}}, "classes"),
    ],
)
def test_tables_are_checked(tables: dict[str, dict[str, object]], message: str) -> None:
    with pytest.raises(rb.DataError, match=message):
        rb.sample_confusion(tables)  # type: ignore[arg-type]


def test_metrics_are_known() -> None:
    with pytest.raises(rb.OptionError, match="Did you mean 'macro_f1'"):
        rb.sample_confusion({"x": {"a": [[3, 1], [2, 4]]}}, metric="macrof1")

"""Models sampled by NumPyro, small: against the quadrature, truth, and conjugate posteriors.

Compiling a model takes most of the time, so each is run once.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import numpy as np
import pytest
from numpyro.handlers import substitute, trace
from scipy import special, stats

import rankbars as rb
from rankbars.bayes.models import MODELS, Answers

RIGHT = np.array([[60, 75], [40, 52], [85, 88], [20, 35], [66, 70], [50, 71]])


def shares(right: np.ndarray = RIGHT, total: int = 100) -> rb.Scores:
    names = tuple("abcdefgh"[: right.shape[1]])
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


# --- models that go together, and tasks -----------------------------------------------------------


class Truth(NamedTuple):
    """What simulated answers come from; `share` is rows by columns."""

    mean: np.ndarray
    spread: np.ndarray
    correlation: np.ndarray
    share: np.ndarray


def simulated(rows: int, columns: int, items: int, seed: int) -> tuple[np.ndarray, Truth]:
    """Right answers of `items`: rows are independent, the logits of columns correlated."""
    rng = np.random.default_rng(seed)
    factor = 1.0 + 0.5 * rng.normal(size=(columns, columns))
    covariance = factor @ factor.T
    correlation = covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    mean, spread = rng.normal(0.3, 0.7, columns), rng.uniform(0.4, 1.2, columns)
    root = np.linalg.cholesky(correlation) * spread[:, None]
    share = special.expit(mean + rng.normal(size=(rows, columns)) @ root.T)
    return rng.binomial(items, share), Truth(mean, spread, correlation, share)


def check_recovery(found: rb.Posterior, truth: Truth, score: np.ndarray) -> None:
    """Simulated values lie where the posterior expects them."""
    for name in ("mean", "spread", "correlation"):
        drawn = found.sites[name].reshape(-1, *getattr(truth, name).shape)
        far = np.abs(drawn.mean(axis=0) - getattr(truth, name))
        assert (far < 3.5 * drawn.std(axis=0) + 1e-9).all(), name
    drawn = found.scores.reshape(-1, *score.shape)
    away = (drawn.mean(axis=0) - score) / drawn.std(axis=0)
    assert np.abs(away).max() < 4.0
    assert np.square(away).mean() == pytest.approx(1.0, abs=0.8)


@pytest.mark.slow
def test_correlated_models_are_recovered_and_fill_in_what_is_lacking() -> None:
    right, truth = simulated(8, 3, items=200, seed=1)
    full = shares(right, 200)
    tasks = dict(full.tasks)
    tasks["t7"] = rb.Estimates(("a", "b"), right[7, :2] / 200, n=[200, 200])
    found = rb.sample_posterior(
        rb.Scores(tasks), model="correlated_models", draws=600, warmup=500, max_rhat=1.02
    )
    assert found.checks.divergences == 0
    check_recovery(found, truth, truth.share)
    # Nobody asked model c on the last task: it is known worse than what was asked, but known.
    spread = found.scores.std(axis=(0, 1))
    assert spread[7, 2] > 2 * spread[:7, 2].max()
    assert spread[7, 2] < 0.25


@pytest.mark.slow
def test_correlated_tasks_are_recovered() -> None:
    right, truth = simulated(8, 3, items=60, seed=2)
    found = rb.sample_posterior(
        shares(right.T, 60), model="correlated_tasks", draws=600, warmup=500, max_rhat=1.02
    )
    assert found.checks.divergences == 0
    assert found.scores.shape[2:] == (3, 8)
    check_recovery(found, truth, truth.share.T)


@pytest.mark.slow
def test_a_model_of_ones_own() -> None:
    seen = []

    def mine(data: Answers) -> None:
        import jax
        import numpyro
        import numpyro.distributions as dist

        seen.append(data.right.shape)
        with numpyro.plate("model", data.right.shape[1], dim=-1):
            mean = numpyro.sample("mean", dist.Normal(0.0, 1.0))
            with numpyro.plate("task", data.right.shape[0], dim=-2):
                logit = numpyro.sample("logit", dist.Normal(mean, 0.5))
                right = data.right * jax.nn.log_sigmoid(logit)
                numpyro.factor(
                    "right", right + (data.total - data.right) * jax.nn.log_sigmoid(-logit)
                )
        numpyro.deterministic("score", jax.nn.sigmoid(logit))

    found = rb.sample_posterior(shares(), model=mine, draws=500, warmup=300, max_rhat=1.02)
    assert seen[0] == (6, 2)
    assert found.model == "mine"
    # Shares are drawn towards their mean, all by much the same amount on the logit scale.
    drawn, given = found.scores.mean(axis=(0, 1)), RIGHT / 100
    assert drawn == pytest.approx(given, abs=0.06)
    assert (drawn.std(axis=0) < given.std(axis=0)).all()


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
    right = RIGHT.astype(float)
    total = np.full(right.shape, 100.0)
    values = {
        "mean": np.zeros(6), "spread": np.ones(6), "root": np.eye(6),
        "step": np.arange(12.0).reshape(2, 6) / 10,
    }  # fmt: skip
    one = trace(substitute(MODELS["correlated_tasks"], values)).get_trace(Answers(right, total))
    two = trace(substitute(MODELS["correlated_models"], values)).get_trace(
        Answers(right.T, total.T)
    )
    score = np.asarray(one["score"]["value"])
    assert score.shape == right.shape
    assert score == pytest.approx(np.asarray(two["score"]["value"]).T)
    # The likelihood is binomial, up to what depends on no unknown.
    density = float(np.asarray(one["right"]["fn"].log_prob(one["right"]["value"])).sum())
    binomial = stats.binom(100, score).logpmf(right) - np.log(special.comb(100, right))
    assert density == pytest.approx(binomial.sum(), rel=1e-4)


@pytest.mark.parametrize("items", [0.0, 3.0, 400.0])
def test_what_is_sampled_of_a_row_changes_no_probability(items: float) -> None:
    # Likelihood of one row, its two logits integrated out: over steps of the model, and directly.
    right, total = np.array([[0.9, 0.4]]) * items, np.full((1, 2), items)
    mean, spread = np.array([0.5, -0.3]), np.array([0.8, 1.4])
    root = np.linalg.cholesky([[1.0, 0.6], [0.6, 1.0]])
    known = {"mean": mean, "spread": spread, "root": root}

    def joint(step: jax.Array) -> jax.Array:
        seen = trace(substitute(MODELS["correlated_models"], known | {"step": step})).get_trace(
            Answers(right, total)
        )
        return sum(seen[name]["fn"].log_prob(seen[name]["value"]).sum()
                   for name in ("step", "stretch", "right"))  # fmt: skip

    with jax.enable_x64(True):
        axis = np.linspace(-7.0, 7.0, 141)
        grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 1, 2)
        ours = np.asarray(jax.vmap(joint)(grid))
    normal = stats.multivariate_normal(mean, (root @ root.T) * np.outer(spread, spread))
    fine = np.linspace(-12.0, 12.0, 1201)
    logit = np.stack(np.meshgrid(fine, fine, indexing="ij"), axis=-1)
    likelihood = right * special.log_expit(logit) + (total - right) * special.log_expit(-logit)
    direct = normal.logpdf(logit) + likelihood.sum(axis=-1)
    cell = np.log(axis[1] - axis[0]), np.log(fine[1] - fine[0])
    assert special.logsumexp(ours) + 2 * cell[0] == pytest.approx(
        special.logsumexp(direct) + 2 * cell[1], abs=1e-4
    )


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

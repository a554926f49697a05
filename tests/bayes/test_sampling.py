"""Models sampled by NumPyro, small: against the quadrature, truth, and conjugate posteriors.

Compiling a model takes most of the time, so each is run once, and the largest of them in
`make calibrate` only: its density is tested here without chains.
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from calibration import Calibration
from numpyro.handlers import substitute, trace
from scipy import special, stats

import rankbars as rb
from rankbars.bayes.models import (
    MODELS,
    Answers,
    Observed,
    _unfold,
    _unfold_spreads,
    _Unknowns,
    independent,
)

RIGHT = np.array([[60, 75], [40, 52], [85, 88], [20, 35], [66, 70], [50, 71]])


def shares(right: np.ndarray = RIGHT, total: int = 100) -> rb.Scores:
    names = tuple("abcdefgh"[: right.shape[1]])
    return rb.Scores(
        {
            f"t{j}": rb.Estimates(names, row / total, n=np.full(row.size, total))
            for j, row in enumerate(right)
        }
    )


def mine(data: Answers) -> None:
    """A model of one's own, around one that there is: what a beta distribution spreads, besides."""
    import numpyro

    found = trace(independent).get_trace(data)
    # What was sampled in there counts here, too: the trace hides nothing from the sampler.
    concentration = found["concentration"]["value"]
    numpyro.deterministic("spread", (1.0 + concentration) ** -0.5)


@pytest.fixture(scope="module")
def chains() -> rb.Posterior:
    return rb.sample_posterior(
        shares(), model=mine, draws=300, warmup=250, max_rhat=1.03, min_effective=200
    )


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
    assert chains.checks.rhat < 1.03
    assert chains.checks.divergences == 0
    assert chains.aggregate().best.tolist() == [2, 1]
    assert set(rb.to_arviz(chains)["posterior"].data_vars) >= {"score", "mean", "concentration"}


@pytest.mark.slow
def test_a_model_of_ones_own_may_wrap_another_and_name_more(chains: rb.Posterior) -> None:
    assert chains.model == "mine"
    assert chains.scores.shape[2:] == (6, 2)
    concentration = chains.sites["concentration"]
    assert chains.sites["spread"] == pytest.approx((1.0 + concentration) ** -0.5)
    # Shares are drawn towards their mean.
    drawn, given = chains.scores.mean(axis=(0, 1)), RIGHT / 100
    assert drawn == pytest.approx(given, abs=0.06)
    assert (drawn.std(axis=0) < given.std(axis=0)).all()


# --- models that go together, and tasks -----------------------------------------------------------


def simulated(tasks: int, models: int, items: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Right answers of `items` by models of a general ability, and what they come from."""
    rng = np.random.default_rng(3)
    mean, spread = rng.normal(0.3, 0.7, tasks), rng.uniform(0.5, 1.1, tasks)
    general, own = rng.normal(size=models), rng.normal(size=(tasks, models))
    both = np.sqrt(0.8) * general + np.sqrt(0.2) * own
    share = special.expit(mean[:, None] + spread[:, None] * both)
    truth = {"mean": mean, "spread": spread, "general": general, "correlation": np.array(0.8)}
    return rng.binomial(items, share), truth | {"score": share}


@pytest.mark.soak
def test_a_few_models_tell_how_tasks_are_correlated_and_fill_in_what_is_lacking(
    calibration: Calibration,
) -> None:
    right, truth = simulated(tasks=12, models=6, items=100)
    tasks = dict(shares(right).tasks)
    tasks["t11"] = rb.Estimates(tuple("abcde"), right[11, :5] / 100, n=[100] * 5)
    found = rb.sample_posterior(
        rb.Scores(tasks), model="correlated_tasks", draws=200, warmup=250, max_rhat=1.04,
        min_effective=100, accept=0.8,
    )  # fmt: skip
    assert found.checks.divergences == 0
    order = [found.tasks.index(f"t{j}") for j in range(12)]
    sites = {name: np.asarray(values).reshape(-1, *values.shape[2:])
             for name, values in found.sites.items() if name in truth}  # fmt: skip
    sites |= {name: sites[name][:, order] for name in ("mean", "spread")}
    scores = found.scores.reshape(-1, 12, 6)[:, order]
    for name, drawn in (sites | {"score": scores}).items():
        low, high = np.quantile(drawn, [0.005, 0.995], axis=0)
        inside = (low <= truth[name]) & (truth[name] <= high)
        calibration.above(inside.sum(), inside.size, 0.9, of=name)
    # Zero correlation is out of the question: six models are enough to see that.
    assert np.quantile(sites["correlation"], 0.025) > 0.3
    away = (scores.mean(axis=0) - truth["score"]) / scores.std(axis=0)
    assert np.square(away).mean() == pytest.approx(1.0, abs=0.5)
    # Nobody asked model f on the last task: its ability tells, if not as well as answers would.
    spread = scores.std(axis=0)[:, 5]
    assert spread[11] > 1.5 * spread[:11].max()
    assert spread[11] < 0.2


@pytest.mark.slow
def test_f1_of_confusion_counts() -> None:
    rng = np.random.default_rng(0)
    truth = {"a": np.array([0.4, 0.1, 0.1, 0.4]), "b": np.array([0.4, 0.1, 0.02, 0.48])}
    tables = {
        f"t{j}": {name: rng.multinomial(400, p).reshape(2, 2) for name, p in truth.items()}
        for j in range(4)
    }
    found = rb.sample_confusion(
        tables, draws=300, warmup=250, max_rhat=1.04, min_effective=100, max_divergences=5
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

VALUES: dict[str, dict[str, object]] = {
    "lkj": {
        "mean": np.zeros(6), "spread": np.ones(6), "root": np.eye(6),
        "step": np.arange(12.0).reshape(2, 6) / 10,
    },
    "correlated": {
        "typical_spread": 0.7, "variety": 0.3, "correlation": 0.6,
        "step_mean": np.arange(6) / 6, "step_spread": np.arange(6) / 5,
        "step_general": np.array([0.3, -1.0]),
        "step_own": np.arange(12.0).reshape(2, 6) / 10,
    },
}  # fmt: skip
VALUES["factor"] = {
    **VALUES["correlated"], "typical_share": 0.6, "variety_of_shares": 0.7,
    "unlike_share": np.arange(6) / 4,
}  # fmt: skip


def log_density(sites: dict[str, Any]) -> Any:
    """Of all that is sampled, the answers included."""
    return sum(site["fn"].log_prob(site["value"]).sum()
               for site in sites.values() if site["type"] == "sample")  # fmt: skip


def sites_of(name: str, values: dict[str, Any], right: Any, total: Any) -> dict[str, Any]:
    """What a model names where its unknowns have these values."""
    return dict(trace(substitute(MODELS[name], values)).get_trace(Answers(right, total)))


@pytest.mark.parametrize("kind", VALUES)
def test_tasks_are_models_turned_around(kind: str) -> None:
    right = RIGHT.astype(float)
    total = np.full(right.shape, 100.0)
    with jax.enable_x64(True):
        one = sites_of(f"{kind}_tasks", VALUES[kind], right, total)
        two = sites_of(f"{kind}_models", VALUES[kind], right.T, total.T)
        score = np.asarray(one["score"]["value"])
        assert score.shape == right.shape
        assert score == pytest.approx(np.asarray(two["score"]["value"]).T)
        # The likelihood is binomial, up to what depends on no unknown.
        density = float(np.asarray(one["right"]["fn"].log_prob(one["right"]["value"])).sum())
    binomial = stats.binom(100, score).logpmf(right) - np.log(special.comb(100, right))
    assert density == pytest.approx(binomial.sum(), rel=1e-6)


@pytest.mark.parametrize("items", [0.0, 3.0, 400.0])
def test_what_is_sampled_of_a_row_changes_no_probability(items: float) -> None:
    # Likelihood of one row, its two logits integrated out: over steps of the model, and directly.
    right, total = np.array([[0.9, 0.4]]) * items, np.full((1, 2), items)
    mean, spread = np.array([0.5, -0.3]), np.array([0.8, 1.4])
    root = np.linalg.cholesky([[1.0, 0.6], [0.6, 1.0]])
    known = {"mean": mean, "spread": spread, "root": root}

    def joint(step: jax.Array) -> jax.Array:
        seen = sites_of("lkj_models", known | {"step": step}, right, total)
        return log_density({name: seen[name] for name in ("step", "stretch", "right")})

    with jax.enable_x64(True):
        axis = np.linspace(-7.0, 7.0, 141)
        grid = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 1, 2)
        ours = np.asarray(jax.jit(jax.vmap(joint))(grid))
    normal = stats.multivariate_normal(mean, (root @ root.T) * np.outer(spread, spread))
    fine = np.linspace(-12.0, 12.0, 1201)
    logit = np.stack(np.meshgrid(fine, fine, indexing="ij"), axis=-1)
    likelihood = right * special.log_expit(logit) + (total - right) * special.log_expit(-logit)
    direct = normal.logpdf(logit) + likelihood.sum(axis=-1)
    cell = np.log(axis[1] - axis[0]), np.log(fine[1] - fine[0])
    assert special.logsumexp(ours) + 2 * cell[0] == pytest.approx(
        special.logsumexp(direct) + 2 * cell[1], abs=1e-4
    )


@pytest.mark.parametrize("items", [0.0, 3.0, 400.0])
def test_one_answer_sheet_has_the_same_likelihood_by_steps_and_by_one_integral(
    items: float,
) -> None:
    # One model on one task: its logit is normal with variance 1.5^2 + spread^2, whatever part of
    # it is general. Steps of mean, general and own part are integrated out over a grid.
    right, total = np.array([[0.8 * items]]), np.array([[items]])
    known = {"typical_spread": 0.9, "variety": 0.4, "correlation": 0.3, "step_spread": np.ones(1)}
    axis = np.linspace(-6.0, 6.0, 41)
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1).reshape(-1, 3)

    def joint(steps: jax.Array) -> tuple[jax.Array, jax.Array]:
        named = {"step_mean": steps[:1], "step_general": steps[1:2], "step_own": steps[2:, None]}
        sites = sites_of("correlated_models", known | named, right, total)
        names = (*named, "unfold", "right")
        return log_density({n: sites[n] for n in names}), sites["spread"]["value"]

    with jax.enable_x64(True):
        ours, spread = (np.asarray(values) for values in jax.jit(jax.vmap(joint))(grid))
    logit = np.linspace(-14.0, 14.0, 4001)
    density = stats.norm(0, np.hypot(1.5, spread[0, 0])).logpdf(logit)
    density += right[0] * special.log_expit(logit)
    density += (total - right)[0] * special.log_expit(-logit)
    assert special.logsumexp(ours) + 3 * np.log(axis[1] - axis[0]) == pytest.approx(
        special.logsumexp(density) + np.log(logit[1] - logit[0]), abs=1e-4
    )


def test_unknowns_are_drawn_from_the_posterior_of_a_normal_likelihood() -> None:
    # Steps that are standard normal must give what the normal equations say: 3 rows, 2 columns.
    rng = np.random.default_rng(0)
    logit, precision = rng.normal(size=(3, 2)), np.array([[4.0, 90.0], [0.0, 2.0], [7.0, 0.5]])
    spread, share = np.array([0.8, 1.3]), np.array([0.7, 0.2])

    def unfold(steps: jax.Array) -> tuple[jax.Array, jax.Array]:
        given = _Unknowns(steps[:2], steps[2:5], steps[5:].reshape(3, 2))
        found, volume = _unfold(given, Observed(logit, precision), spread, share)
        return jnp.concatenate([found.mean, found.general, found.own.reshape(-1)]), volume

    with jax.enable_x64(True):
        centre, volume = jax.jit(unfold)(jnp.zeros(11))
        # The unknowns are linear in the steps: unit steps give what turns the one into the other.
        turned, _ = jax.jit(jax.vmap(unfold))(jnp.eye(11))
    turn = np.asarray(turned - centre).T
    prior = np.diag([1 / 1.5**2] * 2 + [1.0] * 9)
    design = np.zeros((6, 11))  # of the logits in the unknowns
    for row in range(3):
        for column in range(2):
            design[2 * row + column, [column, 2 + row, 5 + 2 * row + column]] = (
                1.0,
                spread[column] * share[column] ** 0.5,
                spread[column] * (1 - share[column]) ** 0.5,
            )
    known = design.T * precision.reshape(-1)
    covariance = np.linalg.inv(prior + known @ design)
    assert np.asarray(centre) == pytest.approx(covariance @ known @ logit.reshape(-1), abs=1e-9)
    assert turn @ turn.T == pytest.approx(covariance, abs=1e-9)
    assert float(volume) == pytest.approx(np.linalg.slogdet(turn)[1])


@pytest.mark.parametrize("variety", [0.02, 0.8])
@pytest.mark.parametrize("rows", [1, 2, 9])
def test_spreads_are_log_normal_whatever_their_steps_are_measured_from(
    variety: float, rows: int
) -> None:
    rng = np.random.default_rng(1)
    seen = Observed(rng.normal(size=(rows, 1)), np.full((rows, 1), 30.0))
    steps = np.linspace(-36.0, 36.0, 8001)
    with jax.enable_x64(True):
        unfold = jax.jit(jax.vmap(lambda step: _unfold_spreads(step[None], seen, 0.6, variety)))
        spread, change = unfold(jnp.asarray(steps))
    weight = np.exp(stats.norm.logpdf(steps) + np.asarray(change)) * (steps[1] - steps[0])
    assert weight.sum() == pytest.approx(1.0, abs=1e-6)
    logs = np.log(np.asarray(spread)[:, 0])
    assert weight @ logs == pytest.approx(np.log(0.6), abs=1e-5)
    assert weight @ np.square(logs - np.log(0.6)) == pytest.approx(variety**2, rel=1e-4)


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

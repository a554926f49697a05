"""Strengths from votes."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import rankbars as rb
from benchmarks.inputs import draw_votes, draw_wins
from benchmarks.rows import Job, Once, Ratio, Row, Sides, require
from rankbars.stats.drawncounts import draw_multinomials
from rankbars.stats.streams import stream
from rankbars.stats.votes.votecounts import from_matrices, to_matrices
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.votemodels import fit_bradley_terry
from rankbars.stats.votes.voterefits import CHUNK, bootstrap_votes

TITLE = "Votes"

Array = NDArray[np.float64]


def complete_against_choix(models: int) -> Sides:
    """Every pair has votes."""
    return _against_choix(draw_wins(models, models))


def band_against_choix(models: int, reach: int) -> Sides:
    """Only neighbours in strength have votes, as in Swiss tournaments."""
    return _against_choix(draw_wins(models, reach))


def frame_against_arena_rank(models: int, votes: int) -> Sides:
    """A data frame of single votes to strengths and their errors by the sandwich."""
    import pandas as pd

    frame = pd.DataFrame(draw_votes(models, votes))
    factor = 400 / np.log(10)

    def ours() -> tuple[Array, Array]:
        found = rb.compare(rb.Scores.from_frame(frame))["votes"]
        return found.mean, found.mean_se

    def peer() -> tuple[Array, Array]:
        from arena_rank.models.bradley_terry import BradleyTerry
        from arena_rank.utils.data_utils import PairDataset

        dataset = PairDataset.from_pandas(frame)
        found = BradleyTerry(dataset.n_competitors).compute_ratings_and_cis(dataset)
        strength = np.asarray(found["ratings"]) / factor
        return strength - strength.mean(), np.sqrt(np.asarray(found["variances"])) / factor

    def agree(one: tuple[Array, Array], other: tuple[Array, Array]) -> None:
        # Its tolerance and its ridge are part of the peer's answer.
        np.testing.assert_allclose(one[0], other[0], rtol=0, atol=2e-3)
        np.testing.assert_allclose(one[1], other[1], rtol=2e-2)

    return Sides(ours, peer, agree)


def voters_against_arena_rank(models: int, votes: int, voters: int) -> Sides:
    """Votes by named voters, with errors by voter, beside a peer that takes no voters."""
    import pandas as pd

    frame = pd.DataFrame(draw_votes(models, votes))
    code = np.random.default_rng(1).integers(0, voters, votes)
    named = frame.assign(judge=[f"voter-{k:07}" for k in code.tolist()])

    def ours() -> Array:
        return rb.compare(rb.Scores.from_frame(named))["votes"].mean

    def peer() -> Array:
        from arena_rank.models.bradley_terry import BradleyTerry
        from arena_rank.utils.data_utils import PairDataset

        dataset = PairDataset.from_pandas(frame)
        model = BradleyTerry(dataset.n_competitors, ftol=0.0, gtol=1e-12)
        found = np.asarray(model.compute_ratings_and_cis(dataset)["ratings"])
        return np.asarray((found - found.mean()) * np.log(10) / 400)

    return Sides(ours, peer, _close)


def styles_against_arena_rank(models: int, votes: int) -> Sides:
    """Strengths and the effect of one style, where the peer runs until it does not move."""
    import pandas as pd

    length = np.random.default_rng(1).normal(size=votes)
    frame = pd.DataFrame(draw_votes(models, votes)).assign(length=length)

    def ours() -> tuple[Array, Array]:
        board = rb.leaderboard(rb.Scores.from_frame(frame, controls=["length"]))
        task = board.tasks["votes"]
        if task.effects is None:
            raise AssertionError("no effect")
        order = np.argsort(np.array(board.models))
        return task.mean[order], task.effects.value

    def peer() -> tuple[Array, Array]:
        from arena_rank.models.contextual_bradley_terry import ContextualBradleyTerry
        from arena_rank.utils.data_utils import ContextualPairDataset

        dataset = ContextualPairDataset.from_pandas(
            frame, ["length"], reweighted=False, normalize_features=False
        )
        model = ContextualBradleyTerry(
            dataset.n_competitors, 1, reg=0.0, hessian_reg=0.0, ftol=0.0, gtol=1e-12
        )
        model.compute_ratings_and_cis(dataset)
        strength = np.asarray(model.params["ratings"])
        return strength - strength.mean(), np.asarray(model.params["coeffs"])

    def agree(one: tuple[Array, Array], other: tuple[Array, Array]) -> None:
        for mine, theirs in zip(one, other, strict=True):
            _close(mine, theirs)

    return Sides(ours, peer, agree)


def frame_against_evalica(models: int, votes: int) -> Sides:
    """A data frame of single votes to strengths; most of the peer's time goes to taking them in."""
    import pandas as pd

    frame = pd.DataFrame(draw_votes(models, votes))

    def ours() -> Array:
        return rb.compare(rb.Scores.from_frame(frame))["votes"].mean

    def peer() -> Array:
        import evalica

        winner = {"model_a": evalica.Winner.X, "model_b": evalica.Winner.Y}
        winners = [winner.get(one, evalica.Winner.Draw) for one in frame["winner"].tolist()]
        found = evalica.bradley_terry(
            frame["model_a"], frame["model_b"], winners, tolerance=1e-12, limit=100_000
        )
        return _centred(found.scores.sort_index().to_numpy())

    return Sides(ours, peer, _close)


def counts_against_evalica(models: int, reach: int) -> Sides:
    """Counts to strengths: the peer takes each cell of the table as one weighted vote."""
    import pandas as pd

    wins = draw_wins(models, reach)
    won, lost = np.nonzero(wins)
    weight = wins[won, lost].tolist()
    names = pd.Index(range(models))
    winner, loser = won.tolist(), lost.tolist()

    def peer() -> Array:
        import evalica

        found = evalica.bradley_terry(
            winner, loser, [evalica.Winner.X] * len(winner), names, weight,
            tolerance=1e-14, limit=100_000,
        )  # fmt: skip
        return _centred(found.scores.sort_index().to_numpy())

    def agree(fit: VoteFit, strength: Array) -> None:
        np.testing.assert_allclose(fit.strength, strength, rtol=0, atol=1e-5)

    return Sides(lambda: fit_bradley_terry(from_matrices(wins)), peer, agree)


def votes_of_a_file(models: int, votes: int) -> Job:
    """A Parquet file of single votes to counts per pair."""
    path = _write_votes(models=models, votes=votes)

    def check(scores: rb.Scores) -> None:
        (task,) = scores.tasks.values()
        require(isinstance(task, rb.Votes) and task.n == votes, "every vote")

    return Job(lambda: rb.read(path), check)


def _write_votes(*beside: str, models: int, votes: int) -> Path:
    """A Parquet file of single votes, with further columns, in a folder that goes with the process.

    It is written by the engine, row by row: arrays of this size would be what is measured.
    """
    import duckdb

    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder)
    path = folder / "votes.parquet"
    columns = (
        "printf('model %04d', a) AS model_a",
        "printf('model %04d', (a + 1 + hash(i, 2) % ($models - 1)) % $models) AS model_b",
        "['model_a', 'model_b', 'tie', 'both_bad'][(1 + hash(i, 3) % 4)::INTEGER] AS winner",
        *beside,
    )
    with duckdb.connect() as engine:
        engine.execute(
            f"COPY (SELECT {', '.join(columns)} "
            "FROM (SELECT range AS i, hash(range, 1) % $models AS a FROM range($votes))) "
            f"TO '{path}' (FORMAT parquet)",
            {"models": models, "votes": votes},
        )
    return path


def board_of_voters(models: int, votes: int, voters: int) -> Job:
    """A Parquet file of single votes with the names of their voters, to the board."""
    path = _write_votes(
        f"printf('voter-%07d', hash(i, 4) % {voters}) AS voter", models=models, votes=votes
    )

    def check(board: rb.Leaderboard) -> None:
        require(board.tasks["votes"].n == votes, "every vote")

    return Job(lambda: rb.leaderboard(rb.read(path)), check)


def board_of_styles(models: int, votes: int) -> Job:
    """A Parquet file of single votes with the lengths of both answers, which are controlled for."""
    path = _write_votes(
        "(hash(i, 4) % 1000) / 1000 AS length_a, (hash(i, 5) % 1000) / 1000 AS length_b",
        models=models, votes=votes,
    )  # fmt: skip

    def check(board: rb.Leaderboard) -> None:
        require(board.tasks["votes"].n == votes, "every vote")

    return Job(lambda: rb.leaderboard(rb.read(path, controls=["length"])), check)


def fit_of_neighbours(models: int, reach: int) -> Job:
    """Votes among neighbours only: counts to strengths."""
    wins = draw_wins(models, reach)

    def check(fit: VoteFit) -> None:
        require(fit.iterations <= 10, "at most 10 steps of Newton's method")

    return Job(lambda: fit_bradley_terry(from_matrices(wins)), check)


def bootstrap_against_refits(models: int, votes: int, draws: int) -> Sides:
    """Bootstrap of votes, beside a Newton fit of each draw that starts from the full fit."""
    wins = draw_wins(models, models)
    wins = np.maximum(np.rint(wins * votes / wins.sum()), np.sign(wins))
    counts = from_matrices(wins)
    fit = fit_bradley_terry(counts)

    def refits() -> Array:
        cells = np.flatnonzero(counts.weight)
        shares = counts.weight.ravel()[cells]
        strengths = []
        for chunk, start in enumerate(range(0, draws, CHUNK)):
            rng = stream(0, "votes", chunk)
            drawn = draw_multinomials(rng, np.full(CHUNK, round(shares.sum())), shares)
            for cell in drawn[: draws - start]:
                weight = np.zeros(counts.weight.size)
                weight[cells] = cell
                resampled = counts._replace(weight=weight.reshape(counts.weight.shape))
                strengths.append(newton_from(fit.strength, to_matrices(resampled)[0]))
        return np.array(strengths)

    return Sides(lambda: bootstrap_votes(counts, fit, draws, seed=0).strength, refits, _close)


def newton_from(start: Array, wins: Array) -> Array:
    """Bradley and Terry's strengths by Newton's method over square tables."""
    strength = start.copy()
    total, won = wins + wins.T, wins.sum(axis=1)
    for _ in range(50):
        p = 1 / (1 + np.exp(strength[None, :] - strength[:, None]))
        gradient = won - (total * p).sum(axis=1)
        if np.abs(gradient).max() <= 1e-9 * won.max():
            break
        curvature = total * p * (1 - p)
        information = np.diag(curvature.sum(axis=1)) - curvature
        # A constant fixes the level, which the votes leave open.
        strength += np.linalg.solve(information + curvature.mean(), gradient)
    return np.asarray(strength - strength.mean())


def _against_choix(wins: Array) -> Sides:
    def peer() -> Array:
        import choix

        found = choix.ilsr_pairwise_dense(wins)
        return np.asarray(found - found.mean())

    def agree(fit: VoteFit, strength: Array) -> None:
        require(fit.iterations <= 10, "at most 10 steps of Newton's method")
        np.testing.assert_allclose(fit.strength, strength, rtol=0, atol=1e-6)

    return Sides(lambda: fit_bradley_terry(from_matrices(wins)), peer, agree)


def _centred(scores: Array) -> Array:
    """Strengths with mean zero from scores that multiply."""
    strength = np.log(scores)
    return np.asarray(strength - strength.mean())


def _close(one: Array, other: Array) -> None:
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-6)


ROWS: tuple[Row, ...] = (
    *(
        Ratio(
            f"complete_{models}",
            "Bradley–Terry fit, votes on every pair",
            "choix, iterative Luce spectral ranking",
            complete_against_choix,
            {"models": models},
            {"models": 6},
            at_least=1 / 4,
            needs=("choix",),
            peers="choix",
        )
        for models in (200, 1000)
    ),
    *(
        Ratio(
            f"band_{models}",
            "Bradley–Terry fit, votes among neighbours",
            "choix, iterative Luce spectral ranking",
            band_against_choix,
            {"models": models, "reach": reach},
            {"models": 8, "reach": 2},
            at_least=2,
            needs=("choix",),
            peers="choix",
        )
        for models, reach in ((200, 3), (1000, 5))
    ),
    Once(
        "band_1000_alone",
        "Bradley–Terry fit, votes among neighbours",
        fit_of_neighbours,
        {"models": 1000, "reach": 5},
        {"models": 8, "reach": 2},
        {"cpu_s": 1},
        repeats=3,
    ),
    Ratio(
        "frame_200",
        "data frame to strengths and sandwich, 1,000,000 votes",
        "arena-rank from the same frame",
        frame_against_arena_rank,
        {"models": 200, "votes": 1_000_000},
        {"models": 5, "votes": 5_000},
        at_least=2,
        slow=True,
        needs=("arena_rank", "jax", "optax", "jaxtyping"),
        peers="arena-rank",
    ),
    Ratio(
        "voters_200",
        "data frame with named voters to strengths and errors by voter, 1,000,000 votes",
        "arena-rank from the same frame, without voters, until it agrees to 1e-6",
        voters_against_arena_rank,
        {"models": 200, "votes": 1_000_000, "voters": 100_000},
        {"models": 5, "votes": 5_000, "voters": 500},
        at_least=1,
        slow=True,
        needs=("arena_rank", "jax", "optax", "jaxtyping"),
        peers="arena-rank",
    ),
    Ratio(
        "style_200",
        "data frame to the board, one style controlled for, 200,000 votes",
        "arena-rank's contextual fit from the same frame, until it agrees to 1e-6",
        styles_against_arena_rank,
        {"models": 200, "votes": 200_000},
        {"models": 5, "votes": 5_000},
        slow=True,
        needs=("arena_rank", "jax", "optax", "jaxtyping"),
        peers="arena-rank",
    ),
    Ratio(
        "evalica_200",
        "data frame to strengths (ours with sandwich), 1,000,000 votes",
        "evalica from the same columns, which it takes in as Python lists",
        frame_against_evalica,
        {"models": 200, "votes": 1_000_000},
        {"models": 5, "votes": 5_000},
        slow=True,
        needs=("evalica",),
        peers="evalica",
    ),
    *(
        Ratio(
            f"evalica_{name}_200",
            f"Bradley–Terry fit, votes {where}",
            "evalica, cells of the table as weighted votes, until it agrees to 1e-5",
            counts_against_evalica,
            {"models": 200, "reach": reach},
            {"models": 6, "reach": 3},
            slow=True,
            needs=("evalica",),
            peers="evalica",
        )
        for name, where, reach in (
            ("complete", "on every pair", 200),
            ("band", "among neighbours", 10),
        )
    ),
    Once(
        "parquet_1e7",
        "Parquet to counts, 10,000,000 votes",
        votes_of_a_file,
        {"models": 200, "votes": 10_000_000},
        {"models": 4, "votes": 500},
        {"cpu_s": 4, "peak_mb": 500},
    ),
    Once(
        "voters_5e6",
        "Parquet with named voters to the board, 5,000,000 votes",
        board_of_voters,
        {"models": 200, "votes": 5_000_000, "voters": 500_000},
        {"models": 4, "votes": 500, "voters": 40},
        {"cpu_s": 10, "peak_mb": 700},
    ),
    Once(
        "styles_1e6",
        "Parquet with the lengths of both answers to the board, the length controlled for, "
        "1,000,000 votes",
        board_of_styles,
        {"models": 200, "votes": 1_000_000},
        {"models": 4, "votes": 500},
        {"cpu_s": 15, "peak_mb": 1000},
    ),
    Ratio(
        "bootstrap_200",
        "Bradley–Terry fits of resampled votes",
        "Newton from the full fit, draw by draw",
        bootstrap_against_refits,
        {"models": 200, "votes": 1_000_000, "draws": 32},
        {"models": 5, "votes": 2_000, "draws": 5},
        at_least=1 / 1.3,
    ),
)

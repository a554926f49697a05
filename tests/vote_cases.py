"""Votes for tests: random boards, and plain loops that check what the package computes at once."""

from __future__ import annotations

import json
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from reference import DATA

from rankbars.stats.votes.votecounts import VoteCounts, code_votes


class Votes(NamedTuple):
    """Single votes."""

    first: np.ndarray
    second: np.ndarray
    outcome: np.ndarray
    n_models: int


def choix_reference() -> dict:
    """Strengths by choix; choix_reference.py beside the file made them."""
    return json.loads((DATA / "votes" / "choix.json").read_text(encoding="utf-8"))


def peers_reference() -> dict:
    """Strengths by evalica and arena-rank; peers_reference.py beside the file made them."""
    return json.loads((DATA / "votes" / "peers.json").read_text(encoding="utf-8"))


def tie_table(wins: np.ndarray) -> np.ndarray:
    """The ties of `ties` in peers_reference.py."""
    i, j = np.indices(wins.shape)
    return np.where(wins > 0, (i + j) % 5, 0)


def complete_wins(size: int) -> np.ndarray:
    """The counts of `complete` in choix_reference.py."""
    i, j = np.indices((size, size))
    return np.where(i == j, 0, 1 + (7 * i + 13 * j) % 23 + np.maximum(0, j - i) // 2)


def band_wins(size: int, reach: int) -> np.ndarray:
    """The counts of `band` in choix_reference.py."""
    i, j = np.indices((size, size))
    near = (i != j) & (abs(i - j) <= reach)
    return np.where(near, 1 + (5 * i + 11 * j) % 17, 0)


def golden_votes(case: dict) -> tuple[Votes, np.ndarray]:
    """Votes and clusters of the section bradley_terry of golden.json."""
    battles = np.array(case["battles_i_j_y_cluster"])
    first, second, cluster = battles[:, [0, 1, 3]].T.astype(int)
    return Votes(first, second, (2 - 2 * battles[:, 2]).astype(int), 4), cluster


def draw_votes(
    rng: np.random.Generator, strength: np.ndarray, n_votes: int, tie_share: float = 0.0
) -> Votes:
    """Votes between random pairs; ties come at random, whatever the strengths."""
    size = strength.size
    first = rng.integers(0, size, n_votes)
    second = (first + rng.integers(1, size, n_votes)) % size
    p = 1 / (1 + np.exp(strength[second] - strength[first]))
    outcome = np.where(rng.random(n_votes) < p, 0, 2)
    outcome[rng.random(n_votes) < tie_share] = 1
    return Votes(first, second, outcome, size)


@st.composite
def vote_tables(
    draw: st.DrawFn, *, max_models: int = 6, max_votes: int = 60, connected: bool = False
) -> Votes:
    """A few votes; `connected` adds a circle of wins, so that every model has a finite strength."""
    size = draw(st.integers(2, max_models))
    n_votes = draw(st.integers(0, max_votes))
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    strength = draw(st.sampled_from((0.0, 1.0, 3.0))) * rng.normal(size=size)
    votes = draw_votes(rng, strength, n_votes, draw(st.sampled_from((0.0, 0.3))))
    if not connected:
        return votes
    circle = np.arange(size)
    return Votes(
        np.append(votes.first, circle),
        np.append(votes.second, (circle + 1) % size),
        np.append(votes.outcome, np.zeros(size, dtype=int)),
        size,
    )


def relabel(votes: Votes, number: np.ndarray) -> Votes:
    """The same votes with model i called ``number[i]``."""
    return votes._replace(first=number[votes.first], second=number[votes.second])


def swap_sides(votes: Votes, swapped: np.ndarray) -> Votes:
    """The same votes, some of them told from the other side."""
    return votes._replace(
        first=np.where(swapped, votes.second, votes.first),
        second=np.where(swapped, votes.first, votes.second),
        outcome=np.where(swapped, 2 - votes.outcome, votes.outcome),
    )


def count_votes(first, second, outcome, n_models, weight=None, covariates=None) -> VoteCounts:
    """Single votes as counts: a row per pair, or per pair and distinct covariates."""
    a, b, coded = (np.asarray(column, dtype=np.intp) for column in (first, second, outcome))
    loads = None if weight is None else np.asarray(weight, dtype=np.float64)
    columns = np.empty((a.size, 0)) if covariates is None else covariates
    return code_votes(a, b, coded, n_models, loads, columns)[1]


def count_position_votes(first, second, outcome, n_models) -> VoteCounts:
    """Counts with one covariate: +1, told from the model that stood in first position."""
    left = np.ones((np.size(first), 1))
    return count_votes(first, second, outcome, n_models, covariates=left)


def contrast_se(covariance: np.ndarray) -> np.ndarray:
    """Standard errors of all differences of strengths."""
    variance = covariance.diagonal()
    return np.sqrt(np.maximum(variance + variance[:, None] - 2 * covariance, 0.0))


def same_counts(one: VoteCounts, other: VoteCounts) -> bool:
    """Whether two counts hold equal numbers in equal rows."""
    return one.n_models == other.n_models and all(
        np.array_equal(a, b) for a, b in zip(one[1:], other[1:], strict=True)
    )

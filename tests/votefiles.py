"""Votes for tests of the main path: drawn from strengths, written as tables in every form."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from reference import DATA

import rankbars as rb

CROWD = DATA / "votes" / "llmfao_crowd.csv"
JUDGES = DATA / "votes" / "llmfao_llm_judges.csv"
WORDS = ("model_a", "tie", "model_b", "both_bad")

Row = dict[str, Any]


def draw_rows(
    n: int, strength: Sequence[float], *, seed: int = 0, ties: float = 0.2, bad: float = 0.1
) -> list[Row]:
    """Votes between models called m0, m1, …, whose log strengths are given."""
    rng = np.random.default_rng(seed)
    size = len(strength)
    rows = []
    for _ in range(n):
        i, j = rng.choice(size, 2, replace=False)
        u = rng.random()
        outcome = 1 if u < ties else 3 if u < ties + bad else -1
        if outcome < 0:
            p = 1 / (1 + np.exp(strength[j] - strength[i]))
            outcome = 0 if rng.random() < p else 2
        rows.append({"model_a": f"m{i}", "model_b": f"m{j}", "winner": WORDS[outcome]})
    return rows


def write_rows(rows: Sequence[Mapping[str, Any]], path: Path) -> Path:
    """The rows as a file, in the form that its suffix names."""
    columns = list(rows[0])
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".json":
        path.write_text(json.dumps(list(rows)), encoding="utf-8")
    elif path.suffix == ".parquet":
        import pandas as pd

        pd.DataFrame(list(rows)).to_parquet(path)
    else:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, columns, delimiter=delimiter, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    return path


def only_votes(scores: rb.Scores) -> rb.Votes:
    """The votes of the one task there is."""
    (evidence,) = scores.tasks.values()
    if not isinstance(evidence, rb.Votes):
        raise TypeError(f"expected votes, got {type(evidence).__name__}")
    return evidence


def same_votes(one: rb.Votes, other: rb.Votes) -> bool:
    """Whether two sets of votes count the same."""

    def table(votes: rb.Votes, name: str) -> np.ndarray:
        counts = getattr(votes, name)
        return np.zeros(votes.wins.shape) if counts is None else counts

    return one.models == other.models and all(
        np.allclose(table(one, name), table(other, name)) for name in ("wins", "ties", "both_bad")
    )

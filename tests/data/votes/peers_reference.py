"""Make peers.json: strengths by evalica and by arena-rank, for counts given by a formula.

Run with both installed: ``python peers_reference.py``. Their defaults stop too early on boards of
near neighbours, so both are told to go on. arena-rank also gets a smaller ridge than its own: as
small as leaves its inverse of a singular matrix with enough digits.
"""

import json
from importlib.metadata import version
from pathlib import Path

import arena_rank.models.bradley_terry as arena
import evalica
import numpy as np
import pandas as pd
from arena_rank.utils.data_utils import PairDataset
from choix_reference import band, complete

FACTOR = 400 / np.log(10)


def ties(wins):
    """Ties between all who met, symmetric."""
    i, j = np.indices(wins.shape)
    return np.where(wins > 0, (i + j) % 5, 0)


def votes(wins, tied):
    """One row per vote."""
    rows = []
    for i, j in np.argwhere(wins):
        rows += [(i, j, "model_a")] * int(wins[i, j])
        if i < j:
            rows += [(i, j, "tie")] * int(tied[i, j])
    return pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])


def by_evalica(frame):
    """Log strengths."""
    codes = {"model_a": evalica.Winner.X, "tie": evalica.Winner.Draw}
    found = evalica.bradley_terry(
        frame.model_a, frame.model_b, frame.winner.map(codes), tolerance=1e-14, limit=1_000_000
    )
    strength = np.log(found.scores.sort_index().to_numpy())
    return strength - strength.mean()


def by_arena_rank(frame, ridge):
    """Log strengths and their standard errors by the sandwich."""
    dataset = PairDataset.from_pandas(frame)
    model = arena.BradleyTerry(
        dataset.n_competitors, hessian_reg=ridge, max_iter=100_000, ftol=0, gtol=1e-11
    )
    found = model.compute_ratings_and_cis(dataset)
    strength = np.asarray(found["ratings"]) / FACTOR
    return strength - strength.mean(), np.sqrt(np.asarray(found["variances"])) / FACTOR


def main():
    """Fit both graphs by both packages and write the file."""
    made_by = f"evalica {version('evalica')}, arena-rank {version('arena-rank')}"
    result = {"made_by": made_by}
    for name, wins, ridge in (
        ("complete_30", complete(30), 1e-8),
        ("band_200_3", band(200, 3), 1e-10),
    ):
        frame = votes(wins, ties(wins))
        strength, error = by_arena_rank(frame, ridge)
        columns = {"evalica": by_evalica(frame), "arena_rank": strength, "arena_rank_se": error}
        result[name] = {key: [round(float(v), 12) for v in values] for key, values in
                        columns.items()}  # fmt: skip
    path = Path(__file__).with_name("peers.json")
    path.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

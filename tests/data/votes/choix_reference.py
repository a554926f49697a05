"""Make choix.json: Bradley-Terry strengths by choix, for counts given by a formula.

Run with choix installed: ``python choix_reference.py``. It uses only choix and NumPy.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np


def complete(size):
    """Everybody met everybody, more often the further apart."""
    i, j = np.indices((size, size))
    return np.where(i == j, 0, 1 + (7 * i + 13 * j) % 23 + np.maximum(0, j - i) // 2)


def band(size, reach):
    """Everybody met near neighbours only."""
    i, j = np.indices((size, size))
    near = (i != j) & (abs(i - j) <= reach)
    return np.where(near, 1 + (5 * i + 11 * j) % 17, 0)


def main():
    """Fit both graphs and write the file."""
    import choix

    fits = {}
    for name, wins in (("complete_30", complete(30)), ("band_200_3", band(200, 3))):
        strength = choix.ilsr_pairwise_dense(wins.astype(float), max_iter=1000, tol=1e-13)
        fits[name] = [round(float(value), 13) for value in strength - strength.mean()]
    made_by = f"choix {version('choix')} ilsr_pairwise_dense, tol=1e-13"
    path = Path(__file__).with_name("choix.json")
    text = json.dumps({"made_by": made_by, **fits}, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""Reference values of tests/data, which README.md there describes."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np

DATA = Path(__file__).resolve().parent / "data"


def golden(section: str) -> Any:
    """One section of golden.json."""
    return json.loads((DATA / "golden.json").read_text(encoding="utf-8"))[section]


def validity(block: str) -> Any:
    """One block of golden_validity.json, which a slow, literal program made."""
    return json.loads((DATA / "golden_validity.json").read_text(encoding="utf-8"))[block]


def oracle_scores() -> np.ndarray:
    """The input of the oracles: 200 items x 30 models."""
    return np.loadtxt(DATA / "oracles" / "synth30x200.csv", delimiter=",", skiprows=1)


def oracle_columns(name: str) -> dict[str, list[str]]:
    """Columns of a table of outputs."""
    with (DATA / "oracles" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {column: [row[column] for row in rows] for column in rows[0]}

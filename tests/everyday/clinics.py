"""Tables of clinics and fields: trials, readers, plots, codes of statistics programs."""

from __future__ import annotations

import random

from everyday.case import Case, table


def pain(patients: int = 60) -> str:
    """Pain of each patient under two drugs, lower is better; the new one has 4 mm more."""
    source = random.Random(3)
    drawn = [(source.gauss(30, 6), source.gauss(0, 3), source.gauss(4, 3)) for _ in range(patients)]
    return table(
        {
            "id": range(101, 101 + patients),
            "VAS_Meta": [round(base + one) for base, one, _ in drawn],
            "VAS_Neu": [round(base + other) for base, _, other in drawn],
        }
    )


CLAIM = "check t.csv --direction lower --claim"

CASES = (
    Case(
        "signs where lower is better/a difference says whom it favours",
        f'{CLAIM} "VAS_Neu not worse than VAS_Meta by 10"',
        {"t.csv": pain()},
        (
            "SUPPORTED. Difference -4.5 [-5.8, -3.3] (+ favours VAS_Neu)",
            "Score (lower is better): VAS_Neu 32.7, VAS_Meta 28.1.",
        ),
    ),
    Case(
        "signs where lower is better/a sign with a margin",
        f'{CLAIM} "VAS_Neu < VAS_Meta + 10"',
        {"t.csv": pain()},
        (
            "'VAS_Neu not worse than VAS_Meta by 10' (what < says of the scores) or "
            "'VAS_Meta not worse than VAS_Neu by 10' (what it says if > means better)",
        ),
        ("SUPPORTED",),
        code=1,
    ),
    Case(
        "signs where lower is better/of scores as they stand",
        f'{CLAIM} "VAS_Neu <= 40"',
        {"t.csv": pain()},
        ("SUPPORTED. Score 32.7",),
    ),
)

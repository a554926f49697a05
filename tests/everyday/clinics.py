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


def segmentation(codes: bool = False) -> str:
    """Dice of three methods, German: patients are numbered, and each has an age."""
    source = random.Random(5)
    rows = ["PatNr;Alter [Jahre];Atlas [%];U-Net [%];Neu [%]"]
    for patient in range(1, 41):
        dice = [f"{source.gauss(mean, 3):.1f}".replace(".", ",") for mean in (77, 84, 86)]
        if codes and patient in (6, 19):
            dice[patient % 3] = "-99"
        rows.append(f"{patient};{source.randint(31, 78)};{';'.join(dice)}")
    return "\n".join(rows) + "\n"


def stages() -> str:
    """The same measured in points, with a column of stages coded 1 to 3 beside it."""
    source = random.Random(6)
    values = {name: [round(source.gauss(60, 9)) for _ in range(30)] for name in ("old", "new")}
    return table({"id": range(30), "Stadium": [1 + n % 3 for n in range(30)], **values})


def readers(first: str = "Fall") -> str:
    """Grades by three readers of twenty cases; 1 is the best."""
    source = random.Random(4)
    rows = [(case, reader) for case in range(1, 21) for reader in ("R1", "R2", "R3")]
    grades = {
        name: [min(5, max(1, round(source.gauss(mean, 0.7)))) for _ in rows]
        for name, mean in (("FBP", 3.2), ("IR", 2.4))
    }
    cases, names = zip(*rows, strict=True)
    return table({first: cases, "Reader": names, **grades})


def arms() -> str:
    """Two groups of patients of their own; lower is better."""
    source = random.Random(8)
    rows = [
        (f"P{n}", arm, round(source.gauss(mean, 6)))
        for n, (arm, mean) in enumerate([("IPT", 18), ("TAU", 20)] * 25)
    ]
    patients, names, scores = zip(*rows, strict=True)
    return table({"item": patients, "model": names, "score": scores})


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
    Case(
        "what rows are about is no model/named and numbered",
        "rank t.csv --layout items-by-models --missing pairwise",
        {"t.csv": segmentation()},
        ("rows are named by 'PatNr'", "'Alter [Jahre]' is no model by its name"),
        models=("Atlas [%]", "U-Net [%]", "Neu [%]"),
        items=40,
    ),
    Case(
        "what rows are about is no model/codes of groups, where words are said",
        "check t.csv --word 98=missing --claim 'new > old' --models old --models new",
        {"t.csv": stages()},
        ("new is better than old",),
        code=3,
    ),
    Case(
        "what rows are about is no model/a name that says nothing",
        "check t.csv --word 98=missing --claim 'new > old'",
        {"t.csv": stages()},
        ("'Stadium' are of another kind", "--models old --models new (in Python"),
        code=1,
    ),
    Case(
        "patients without a line that names them/all that is needed is said",
        "rank t.csv",
        {"t.csv": segmentation()},
        (
            "'Atlas [%]', 'U-Net [%]', 'Neu [%]' seem to be models",
            "--layout items-by-models --column item=PatNr --direction higher",
        ),
        code=1,
    ),
    Case(
        "cases and readers/found by themselves",
        "rank t.csv",
        {"t.csv": readers()},
        ("--layout items-by-models --column item=Fall --column epoch=Reader --direction lower",),
        code=1,
    ),
    Case(
        "cases and readers/rows as items",
        "rank t.csv --layout items-by-models --direction lower --models FBP --models IR",
        {"t.csv": readers()},
        (
            "'Fall' and 'Reader' together do",
            "--column item=Fall --column epoch=Reader",
            "--column cluster=Fall",
        ),
        code=1,
    ),
    Case(
        "cases and readers/cases are groups",
        "rank t.csv --layout items-by-models --column cluster=Fall --direction lower",
        {"t.csv": readers()},
        ("go together by 'Fall'",),
        models=("FBP", "IR"),
        items=60,
    ),
    Case(
        "codes of statistics programs/not measured is offered first",
        "rank t.csv --layout items-by-models",
        {"t.csv": segmentation(codes=True)},
        ("-99 stands", "--word -99=missing no score: nothing was measured", "--score-min 0 no"),
        code=1,
    ),
    Case(
        "groups of their own/compared by all rows of each",
        "compare t.csv --direction lower --test welch --missing pairwise",
        {"t.csv": arms()},
        ("Score (lower is better): IPT 1", "'t' (25 and 25); rows are not paired"),
        ("Left out: 25", "ahead on 0", "no differences on the same rows", "on the rows both have"),
    ),
)

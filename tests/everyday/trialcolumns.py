"""Several answers of one model to an item, and what is planned and claimed of it."""

from __future__ import annotations

from everyday.case import Case, right, table

PASSED = {
    name: [right(share, 60, seed) for seed in range(4)]
    for name, share in (("m1", 0.3), ("m2", 0.7))
}
MEANS = {name: sum(map(sum, tries)) / 240 for name, tries in PASSED.items()}


def tried(pattern: str, item: str = "problem_id") -> dict[str, str]:
    """A file per model: a row per item, and a column per answer to it."""
    return {
        f"{name}.csv": table(
            {item: range(60), **{pattern.format(k): cells for k, cells in enumerate(tries)}}
        )
        for name, tries in PASSED.items()
    }


def smoke_run() -> dict[str, str]:
    """All items of the old model, and a tenth of them of the new one."""
    old, new = right(0.7, 400, 3), right(0.65, 40, 4)
    return {
        "old.csv": table({"id": range(400), "correct": old}),
        "new.csv": table({"id": range(40), "correct": new}),
    }


def percents(share: float, seed: int) -> str:
    """Items that are worth 0 or 100."""
    return table({"id": range(400), "score": [100 * one for one in right(share, 400, seed)]})


CASES = (
    Case(
        "columns of trials/samples of pass@k",
        "rank m1.csv m2.csv",
        tried("sample_{}"),
        ("4 answers of one model to an item",),
        models=("m1", "m2"),
        items=60,
        means=MEANS,
    ),
    Case(
        "columns of trials/attempts, called after passing",
        "compare m2.csv m1.csv",
        tried("passed_{}", "task_id"),
        ("m2 is better than m1", "60 items × 4 answers"),
    ),
    Case(
        "columns of trials/numbers alone are asked about",
        "compare m2.csv m1.csv",
        tried("{}"),
        ("--layout items-by-trials", "--layout items-by-models"),
        code=1,
    ),
    Case(
        "a plan of a smoke run/pairwise",
        "plan new.csv old.csv --missing pairwise",
        smoke_run(),
        ("Pilot: 40 items",),
        ("Pilot: 400",),
    ),
    Case(
        "a share on percents/threshold",
        'check new.csv --claim "new >= 0.75"',
        {"new.csv": percents(0.7, 3)},
        ("Did you mean 75?",),
        code=1,
    ),
    Case(
        "a share on percents/ahead by a margin",
        'check new.csv old.csv --claim "new > old + 0.1"',
        {"new.csv": percents(0.7, 3), "old.csv": percents(0.6, 4)},
        ("Did you mean 10?",),
        code=1,
    ),
    Case(
        "a share on percents/percents on shares",
        'check new.csv --claim "new >= 75"',
        {"new.csv": table({"id": range(50), "score": [k % 10 / 10 for k in range(50)]})},
        ("Did you mean 0.75?",),
        code=1,
    ),
)

"""Two models: what one of them lacks, and how their two sides are told apart."""

from __future__ import annotations

from everyday.case import Case, lines, right

TASKS = ("bio", "law", "math")


def suite(lacks: str = "", short: str = "") -> dict[str, str]:
    """Two models on three tasks; the old one never ran one, or not all items of another."""
    rows = [
        f"{model},{task},q{place},{value}"
        for model, share in (("new", 0.85), ("old", 0.5))
        for number, task in enumerate(TASKS)
        for place, value in enumerate(right(share, 60, number))
        if model == "new" or not (task == lacks or (task == short and place > 55))
    ]
    return {"r.csv": lines("model,task,item,score", *rows)}


BETTER = "new is better than old on the average of"

CASES = (
    # What one of the two lacks.
    Case(
        "gaps of two/items by the word for items",
        "compare r.csv --missing-items pairwise",
        suite(short="law"),
        (f"{BETTER} 3 tasks", "4 of 360 scores"),
    ),
    Case(
        "gaps of two/a task never run",
        "compare r.csv --missing-tasks insert",
        suite(lacks="law"),
        (f"{BETTER} 2 tasks", "'old' never ran 1 of 3 tasks: 'law'"),
    ),
    Case(
        "gaps of two/both kinds",
        "compare r.csv --missing-tasks raise --missing-items pairwise",
        suite(lacks="law", short="math"),
        ("'old' never ran 1 of 3 tasks: 'law'", "--missing-tasks insert"),
        code=1,
    ),
)

"""Votes that are given twice, and votes that only look alike."""

from __future__ import annotations

import random

from everyday.case import Case, lines


def cast(days: bool = False, *, header: str = "timestamp,model_a,model_b,winner") -> str:
    """Two hundred votes on three models, one every seven minutes, or so many on each day."""
    source = random.Random(4)
    strength = {"orca": 0.7, "qwen": 0.5, "phi": 0.2}
    rows = []
    for number in range(200):
        first, second = source.sample(sorted(strength), 2)
        chance = 0.5 + (strength[first] - strength[second]) / 2
        day, minute = divmod(number * 7, 60 * 24)
        hour = "" if days else f"T{minute // 60:02}:{minute % 60:02}:00"
        cells = {
            "timestamp": f"2026-06-{day + 1:02}{hour}", "model_a": first, "model_b": second,
            "winner": "model_a" if source.random() < chance else "model_b",
        }  # fmt: skip
        rows.append(",".join(cells[one] for one in header.split(",")))
    return lines(header, *rows)


def from_both_sides() -> str:
    """Each vote twice: once from the side of either model."""
    header, *rows = cast(header="model_a,model_b,winner").splitlines()
    other = {"model_a": "model_b", "model_b": "model_a"}
    cells = [row.split(",") for row in rows]
    return lines(header, *rows, *(f"{two},{one},{other[won]}" for one, two, won in cells))


ONCE = cast()
UNTIMED = cast(header="model_a,model_b,winner")
BELOW = ONCE.partition("\n")[2]
COPIES = ("votes stand there before", "--column time=")

CASES = (
    Case("votes twice/rows again", "rank v.csv", {"v.csv": ONCE + BELOW}, COPIES, code=1),
    Case(
        "votes twice/file again",
        "rank june",
        {"june/votes.csv": ONCE, "june/votes (1).csv": ONCE + lines(*BELOW.splitlines()[:3])},
        COPIES,
        code=1,
    ),
    Case(
        "votes twice/told to be others",
        "rank v.csv --column time=",
        {"v.csv": ONCE + BELOW},
        ("400 votes",),
    ),
    Case(
        "votes appended/without a time",
        "rank v.csv",
        {"v.csv": UNTIMED + UNTIMED.partition("\n")[2]},
        ("400 votes", "the second half of the votes is the first half again"),
    ),
    Case(
        "votes appended/one vote differs",
        "rank v.csv",
        {"v.csv": UNTIMED + UNTIMED.partition("\n")[2].replace("model_a", "tie", 1)},
        ("400 votes",),
        ("first half again",),
    ),
    Case(
        "votes appended/rounds of voters",
        "rank v.csv",
        {
            "v.csv": lines(
                "judge,model_a,model_b,winner",
                *(f"{judge},{row}" for judge in "xy" for row in UNTIMED.splitlines()[1:]),
            )
        },
        ("400 votes",),
        ("first half again",),
    ),
    Case("votes alike/days alone", "rank v.csv", {"v.csv": cast(days=True)}, ("200 votes",)),
    Case(
        "votes alike/without a time",
        "rank v.csv",
        {"v.csv": UNTIMED},
        ("200 votes",),
        ("first half again",),
    ),
    Case(
        "votes alike/one click twice",
        "rank v.csv",
        {"v.csv": ONCE + lines(BELOW.splitlines()[0])},
        ("201 votes",),
    ),
    Case(
        "votes from both sides/without a time",
        "rank v.csv",
        {"v.csv": from_both_sides()},
        ("stands there twice, once from the side", '--where "model_a < model_b"'),
        code=1,
    ),
    Case(
        "votes from both sides/taken once",
        "rank v.csv --where 'model_a < model_b'",
        {"v.csv": from_both_sides()},
        ("200 votes",),
    ),
    Case(
        "votes from both sides/told to be others",
        "rank v.csv --column time=",
        {"v.csv": from_both_sides()},
        ("400 votes",),
    ),
)

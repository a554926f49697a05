"""Runs on fewer items, gaps, and submissions that should not top a board unseen."""

from __future__ import annotations

from collections.abc import Mapping

from everyday.case import Case, lines, long_table, right, table

SHARES = {"full1": 0.8, "full2": 0.5}


def runs(sizes: Mapping[str, int], shares: Mapping[str, float] = SHARES) -> str:
    """Models with answers to the first so many items."""
    return lines(
        "model,item,correct",
        *(
            f"{name},q{place},{value}"
            for name, size in sizes.items()
            for place, value in enumerate(right(shares.get(name, 0.7), 200)[:size])
        ),
    )


SMOKE = {"r.csv": runs({"full1": 200, "full2": 200, "smoke": 10})}
FULL = {"a": 0.8, "b": 0.6, "c": 0.4}


def submitted(rows: list[str]) -> dict[str, str]:
    return {"board.csv": long_table(FULL), "new.csv": lines("model,item,score", *rows)}


def gap(*values: float) -> dict[str, str]:
    """Two models on 40 items, and one gap."""
    rows = [
        f"{m},q{i},{values[(i + k) % len(values)]}" for k, m in enumerate("ab") for i in range(40)
    ]
    return {"r.csv": lines("model,item,score", *rows[:-1])}


CASES = (
    # What a missing answer counts as where it counts as failed.
    Case(
        "worst score/errors",
        "rank r.csv --direction lower",
        gap(0.1, 0.4, 0.7),
        ("--score-max 1",),
        ("--score-min",),
        code=1,
    ),
    Case("worst score/below 0", "rank r.csv", gap(-0.5, 0.4, 0.7), ("--score-min X",), code=1),
    Case(
        "worst score/not declared",
        "rank r.csv --direction lower --missing fail --score-min 0",
        gap(0.1, 4, 70),
        ("Declare it: --score-max 100",),
        code=1,
    ),
    # A run with --limit 10.
    Case(
        "limited run/asked",
        "rank r.csv",
        SMOKE,
        ("smoke", "10 of 200", "--missing", "--models full1 --models full2"),
        code=1,
    ),
    Case(
        "limited run/left out",
        "rank r.csv --models full1 --models full2",
        SMOKE,
        models=("full1", "full2"),
        items=200,
    ),
    Case(
        "limited run/pairwise",
        "rank r.csv --missing pairwise",
        SMOKE,
        ("5 %", "smoke"),
        models=("full1", "full2", "smoke"),
        items=200,
    ),
    Case(
        "subsets/counts twice",
        "rank r.csv",
        {"r.csv": lines("model,subset,correct,total", "a,x,3,9", "a,y,4,9", "b,x,5,9", "b,y,7,9")},
        ("--column task=subset",),
        code=1,
    ),
    Case(
        "matrix of errors/named as the score",
        "rank r.csv --column score=mase",
        {"r.csv": lines("dataset,naive,arima", "m4,1.0,0.9", "m5,1.0,0.95", "ett,1.0,0.8")},
        ("--metric mase",),
        code=1,
    ),
    Case(
        "right answers alone/with -q",
        "rank r.csv --missing pairwise -q",
        {"r.csv": SMOKE["r.csv"] + "".join(f"cherry,q{k},1\n" for k in range(150, 190))},
        (
            "cherry and smoke stand apart with at most 20.0 % of the scores",
            "only full1 may be first",
            "Were the wrong ones left out?",
            "has 40 of 200 items, far fewer",
            "1.00]",
        ),
        ("leads", "first place is open"),
        models=("full1", "full2", "smoke", "cherry"),
        items=200,
    ),
    Case(
        "limited compare/third model",
        "compare r.csv --models full1 --models full2",
        SMOKE,
        ("full1 is better than full2", "200 items"),
    ),
    Case(
        "limited compare/pairwise",
        "compare r.csv --models full1 --models smoke --missing pairwise",
        SMOKE,
        ("10 items",),
    ),
    Case(
        "limited compare/asked",
        "compare r.csv --models full1 --models smoke",
        SMOKE,
        ("--missing pairwise",),
        code=1,
    ),
    Case(
        "limited files/one per model",
        "rank full1.csv full2.csv smoke.csv",
        {
            "full1.csv": lines("id,correct", *(f"{n},{v}" for n, v in enumerate(right(0.8, 200)))),
            "full2.csv": lines("id,correct", *(f"{n},{v}" for n, v in enumerate(right(0.5, 200)))),
            "smoke.csv": lines("id,correct", *(f"{n},1" for n in range(2))),
        },
        ("smoke", "2 of 200"),
        code=1,
    ),
    Case(
        "limited files/coverage of 1 %",
        "rank full1.csv full2.csv smoke.csv --missing pairwise",
        {
            "full1.csv": lines("id,correct", *(f"{n},{v}" for n, v in enumerate(right(0.8, 200)))),
            "full2.csv": lines("id,correct", *(f"{n},{v}" for n, v in enumerate(right(0.5, 200)))),
            "smoke.csv": lines("id,correct", *(f"{n},1" for n in range(2))),
        },
        ("1.0 %", "smoke"),
        models=("full1", "full2", "smoke"),
        items=200,
    ),
    # A few answers are not there.
    Case(
        "few gaps/asked",
        "rank r.csv",
        {"r.csv": runs({"full1": 200, "full2": 197})},
        ("--missing", "3"),
        code=1,
    ),
    Case(
        "few gaps/empty cells",
        "rank r.csv",
        {
            "r.csv": runs({"full1": 200, "full2": 200})
            .replace("full2,q7,0", "full2,q7,")
            .replace("full2,q7,1", "full2,q7,")
        },
        ("--missing",),
        code=1,
    ),
    Case(
        "few gaps/failed",
        "rank r.csv --missing fail --score-min 0",
        {"r.csv": runs({"full1": 200, "full2": 190})},
        models=("full1", "full2"),
        items=200,
    ),
    # Submissions.
    Case(
        "only right answers/asked",
        "rank board.csv new.csv",
        submitted([f"ours,q{n},1" for n in range(45)]),
        ("ours", "45 of 60"),
        code=1,
    ),
    Case(
        "only right answers/pairwise",
        "rank board.csv new.csv --missing pairwise",
        submitted([f"ours,q{n},1" for n in range(45)]),
        ("ours", "75.0 %", "only right answers"),
    ),
    Case(
        "times 100/items",
        "rank board.csv new.csv",
        submitted([f"ours,q{n},{100 * v}" for n, v in enumerate(right(0.3))]),
        ("two scales", "ours"),
        code=1,
    ),
    Case(
        "times 100/published",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,task,score",
                "a,law,0.61",
                "a,math,0.52",
                "b,law,0.58",
                "b,math,0.49",
                "ours,law,63.0",
                "ours,math,41.5",
            )
        },
        ("two scales", "ours"),
        code=1,
    ),
    Case(
        "times 100/matrix",
        "rank t.csv",
        {"t.csv": lines("model,law,math", "a,0.61,0.52", "b,0.58,0.49", "ours,63.0,41.5")},
        ("two scales", "ours"),
        code=1,
    ),
    Case(
        "scales/declared",
        "rank t.csv --score-max 100",
        {"t.csv": lines("model,task,score", "a,law,0.61", "b,law,0.58", "ours,law,63.0")},
        models=("a", "b", "ours"),
    ),
    Case(
        "scales/points up to 10",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,item,score",
                *(
                    f"{m},{i},{min(10, 1 + (i * 3) % 8 + k)}"
                    for k, m in enumerate("abc")
                    for i in range(30)
                ),
            )
        },
        models=("a", "b", "c"),
        items=30,
    ),
    Case(
        "unknown items/of one model",
        "rank board.csv new.csv --missing pairwise",
        submitted(
            [f"ours,q{n},{v}" for n, v in enumerate(right(0.7))]
            + ["ours,extra1,1", "ours,extra2,1"]
        ),
        ("only 'ours' has", "extra1"),
    ),
    Case(
        "unknown items/asked",
        "rank board.csv new.csv",
        submitted(
            [f"ours,q{n},{v}" for n, v in enumerate(right(0.7))]
            + ["ours,extra1,1", "ours,extra2,1"]
        ),
        ("only 'ours' has", "extra1"),
        code=1,
    ),
    Case(
        "unknown task/of one model",
        "rank board.csv new.csv --missing pairwise",
        {
            "board.csv": lines(
                "model,task,score",
                *(f"{m},{t},{0.5 + 0.1 * k}" for k, m in enumerate("abc") for t in ("law", "math")),
            ),
            "new.csv": lines(
                "model,task,score", "ours,law,0.9", "ours,math,0.9", "ours,secret,1.0"
            ),
        },
        ("secret", "only 'ours' has"),
    ),
    Case(
        "unknown task/trailing space",
        "rank board.csv new.csv --missing pairwise",
        {
            "board.csv": lines(
                "model,task,score",
                *(f"{m},{t},{0.5 + 0.1 * k}" for k, m in enumerate("abc") for t in ("law", "math")),
            ),
            "new.csv": lines("model,task,score", "ours,law,0.9", "ours,math ,0.9"),
        },
        ("'math '",),
    ),
    Case(
        "far fewer items/of four",
        "rank board.csv new.csv --missing pairwise",
        submitted([f"ours,q{n},1" for n in range(3)]),
        ("ours", "3 of 60", "far fewer"),
    ),
    Case(
        "hard rows that are skipped/told of",
        "rank all.csv some.csv other.csv --missing pairwise",
        {
            "all.csv": table({"id": range(80), "correct": [int(n < 50) for n in range(80)]}),
            "other.csv": table({"id": range(80), "correct": [int(n % 9 < 5) for n in range(80)]}),
            "some.csv": table({"id": range(50), "correct": [int(n % 5 > 0) for n in range(50)]}),
        },
        ("The rows that a model lacks are harder than those it has", "'some' (0.25 and 0.8)"),
        models=("all", "some", "other"),
    ),
)

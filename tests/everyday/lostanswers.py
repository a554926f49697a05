"""Answers without a score: empty cells of rows without an item, and numbers that mark failures."""

from __future__ import annotations

import json

from everyday.case import Case, json_lines, lines, right, table

# Of A every third answer is lost, and it is right on all others; B is right on five of six.
LOST = [None if place % 3 == 0 else 1 for place in range(60)]
RIGHT = [int(place % 6 != 0) for place in range(60)]


def unnamed(lost: str, *more: str) -> str:
    """Rows without an item, the same number of each model."""
    cells = [("A", lost if one is None else f"{one}{more[0] if more else ''}") for one in LOST]
    cells += [("B", f"{one}{more[0] if more else ''}") for one in RIGHT]
    header = "model,task,score" + (",status" if more else "")
    return lines(header, *(f"{model},x,{cell}" for model, cell in cells))


UNNAMED = {"r.csv": unnamed("")}
ASKED = ("'A' 20 of 60", "--missing fail", "--missing pairwise", "--score-min 0")
MARKED = {
    "r.csv": lines(
        "problem,model,score",
        *(f"p{place},A,{int(place % 2 == 0)}" for place in range(60)),
        *(f"p{place},B,{(-1, 0, 1, 1)[place % 4]}" for place in range(60)),
    )
}


def tried(lost: int, share: float, seed: int) -> str:
    """Answers to 200 questions, of which some first tries met an error and were made again."""
    rows = []
    for number, hit in enumerate(right(share, 200, seed)):
        broken = number < lost
        if broken:
            told = {"id": number, "correct": False, "error": "ConnectionError", "attempt": 1}
            rows.append(json.dumps(told))
        told = {"id": number, "correct": bool(hit), "error": None, "attempt": 1 + broken}
        rows.append(json.dumps(told))
    return "\n".join(rows) + "\n"


def agents() -> str:
    """Three tries at each of thirty tasks; some end in the agent's own error or in a timeout."""
    ends = ("", "", "tests failed", "", "timeout")
    rows = []
    for place in range(30):
        for agent in "ab":
            for trial in range(3):
                end = ends[(place + trial + (agent == "b") * place) % 5]
                rows.append(f"{agent},t{place},{trial},{int(end == '')},{end}")
    return lines("model,item,trial,score,error", *rows)


# The rejected rows would turn the order.
SUBMITTED = {
    "s.csv": lines(
        "model,item,score,status",
        *(
            f"{model},i{n},{mean + 0.02 * (n - 1):.2f},accepted"
            for model, mean in (("A", 0.7), ("B", 0.6), ("C", 0.5))
            for n in range(3)
        ),
        "A,i3,0.01,rejected",
        "B,i3,0.60,rejected",
        "C,i3,0.50,rejected",
    )
}


def own_requests(failed: int = 0) -> str:
    """Times of two servers, each of which answered requests of its own."""
    return lines(
        "server,request,total_ms",
        *(
            f"{name},{name}-{n},{'' if n < failed else base + 37 * (n % 11)}"
            for name, base in (("slow", 900), ("fast", 600))
            for n in range(60)
        ),
    )


OWN = (
    "rank r.csv --column model=server --column item=request --column score=total_ms "
    "--direction lower"
)

CASES = (
    Case(
        "submissions that were rejected/are asked about",
        "rank s.csv",
        SUBMITTED,
        ("holds 'accepted', 'rejected'", "--where \"status = 'accepted'\""),
        ("--column status=",),
        code=1,
    ),
    Case(
        "submissions that were rejected/left out by that line alone",
        "rank s.csv --where \"status = 'accepted'\"",
        SUBMITTED,
        items=3,
        means={"A": 0.7, "B": 0.6, "C": 0.5},
    ),
    Case(
        "submissions that were rejected/beside some that failed",
        "rank s.csv",
        {"s.csv": SUBMITTED["s.csv"].replace("0.72,accepted", ",failed")},
        ("--where \"status in ('accepted', 'failed')\"",),
        ("--column status=",),
        code=1,
    ),
    Case(
        "an error beside a score/told",
        "compare new.csv old.csv",
        {
            f"{name}.csv": table(
                {
                    "id": range(60),
                    "correct": right(share),
                    "error": ["Timeout" if name == "new" and k % 6 == 0 else "" for k in range(60)],
                }
            )
            for name, share in (("new", 0.7), ("old", 0.5))
        },
        ("10 rows have a text in the column 'error' and a score", '--where "error IS NULL"'),
    ),
    Case(
        "rows without item and score/claim",
        "check r.csv --claim 'A > B'",
        UNNAMED,
        (*ASKED, "Nothing was judged"),
        ("SUPPORTED",),
        code=1,
    ),
    Case(
        "rows without item and score/comparison with a status",
        "compare r.csv",
        {"r.csv": unnamed(",timeout", ",ok")},
        (*ASKED, "Nothing was ranked or compared"),
        ("is better than",),
        code=1,
    ),
    Case(
        "rows without item and score/count as the worst",
        "rank r.csv --missing fail --score-min 0",
        UNNAMED,
        ("They count as the worst score",),
        means={"A": 40 / 60, "B": 50 / 60},
    ),
    Case(
        "rows without item and score in lines of json/comparison",
        "compare A.jsonl B.jsonl --layout tidy",
        {
            "A.jsonl": json_lines({"prompt": ["a text"] * 60, "correct": LOST}),
            "B.jsonl": json_lines({"prompt": ["a text"] * 60, "correct": RIGHT}),
        },
        ("'A' 20 of 60", "--missing fail"),
        ("is better than",),
        code=1,
    ),
    Case(
        "a number for failures/is asked about",
        "compare r.csv",
        MARKED,
        ("-1 stands 15 times beside scores from 0 to 1", "--score-min 0", "--score-min -1"),
        ("right and only",),
        code=1,
    ),
    Case(
        "a number for failures/counts as the worst",
        "rank r.csv --score-min 0 --missing fail",
        MARKED,
        means={"A": 0.5, "B": 0.5},
    ),
    Case(
        "a number for failures/is a score",
        "compare r.csv --score-min -1",
        MARKED,
        hides=("right and only",),
    ),
    Case(
        "a call made again/asked about",
        "compare new.jsonl old.jsonl",
        {"new.jsonl": tried(30, 0.7, 1), "old.jsonl": tried(2, 0.6, 2)},
        ("32 items have an answer", "'ConnectionError'", "--where", "--column error="),
        ("is better than", "Cannot tell"),
        code=1,
    ),
    Case(
        "a call made again/left out",
        "compare new.jsonl old.jsonl --where '\"error\" IS NULL'",
        {"new.jsonl": tried(30, 0.7, 1), "old.jsonl": tried(2, 0.6, 2)},
        ("Difference +0.09",),
    ),
    Case(
        "a call made again/an agent's own errors in a fixed number of tries",
        "rank a.csv",
        {"a.csv": agents()},
        ("have a text in the column 'error' and a score",),
    ),
    Case(
        "rows of its own for each model/asked about",
        f"{OWN} --missing pairwise",
        {"r.csv": own_requests()},
        ("no two models share a row", "of each: --test welch In Python"),
        ("--missing listwise", "not tell", "are missing"),
        code=1,
    ),
    Case(
        "rows of its own for each model/none missing",
        f"{OWN} --test welch",
        {"r.csv": own_requests()},
        ("fast leads", "Each model has rows of its own"),
        ("Scored", "share no row", "are missing"),
        means={"slow": 1075.75, "fast": 775.75},
    ),
    Case(
        "rows of its own for each model/some failed",
        f"{OWN} --test welch --missing pairwise",
        {"r.csv": own_requests(3)},
        ("fast leads", "6 rows have no score: fast (3), slow (3)", "95 %"),
        ("expected scores 120",),
    ),
    Case(
        "runs that failed/so few that complete ones show nothing",
        "rank w.csv --column score=eval/accuracy",
        {
            "w.csv": lines(
                "method,seed,State,eval/accuracy",
                *(
                    f"{name},{seed},{'failed' if lost else 'finished'},"
                    f"{'' if lost else f'0.{level + 7 * seed % 5}'}"
                    for name, level in (("base", 70), ("tuned", 75), ("wide", 78))
                    for seed in range(5)
                    for lost in [(name, seed) == ("wide", 4)]
                ),
            )
        },
        ("4 of 5 rows", "shows nothing: so few training runs tell no models apart"),
        code=1,
    ),
)

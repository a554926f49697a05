"""Votes as forms, crowds and judges write them: phrases, grades, both orders, rejected rows."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from everyday.case import Case, lines

MODELS = ("orca", "qwen", "phi")
STRENGTH = {"orca": 0.8, "qwen": 0.3, "phi": -0.4}
PHRASES = ("{} is much better", "{} is slightly better")


def advantages(number: int = 150) -> list[tuple[str, str, float]]:
    """Votes of two models, and by how much the first was better."""
    source = random.Random(5)
    found = []
    for _ in range(number):
        first, second = source.sample(MODELS, 2)
        found.append((first, second, STRENGTH[first] - STRENGTH[second] + source.gauss(0, 1)))
    return found


def votes(header: str, outcome: Callable[[float], object]) -> str:
    """A row for each vote: who was asked, two models, and what was said."""
    rows = (
        f"p{n % 30},u{n % 12},{first},{second},{outcome(ahead)}"
        for n, (first, second, ahead) in enumerate(advantages())
    )
    return lines(header, *rows)


def phrase(ahead: float) -> str:
    side = "Response 1" if ahead > 0 else "Response 2"
    return "About the same" if abs(ahead) < 0.2 else PHRASES[abs(ahead) < 1].format(side)


def grade(ahead: float) -> int:
    return max(-3, min(3, round(2 * ahead)))


def side(ahead: float) -> str:
    return "tie" if abs(ahead) < 0.2 else "AB"[ahead < 0]


def in_both_orders(column: str, values: tuple[str, str], *, turned: bool) -> str:
    """Verdicts of a judge that likes what it sees first, on both orders of the answers."""
    source = random.Random(9)
    rows = []
    for prompt in range(40):
        for first, second in (("orca", "qwen"), ("orca", "phi"), ("phi", "qwen")):
            for swapped in (False, True):
                one, two = (second, first) if swapped else (first, second)
                ahead = STRENGTH[one] - STRENGTH[two] + 0.8 + source.gauss(0, 1)
                shown = (one, two) if turned else (first, second)
                rows.append(f"{prompt},{','.join(shown)},{values[swapped]},{side(ahead)}")
    return lines(f"prompt_id,model_a,model_b,{column},winner", *rows)


def with_majority() -> str:
    """Three voters on each prompt, and what most of them said as one more."""
    source = random.Random(3)
    rows = []
    for prompt in range(40):
        first, second = source.sample(MODELS, 2)
        said = [side(STRENGTH[first] - STRENGTH[second] + source.gauss(0, 1)) for _ in range(3)]
        most = max(sorted({*said}), key=said.count)
        for voter, word in zip(("u1", "u2", "u3", "majority"), (*said, most), strict=True):
            rows.append(f"{prompt},{voter},{first},{second},{word}")
    return lines("prompt_id,annotator,model_a,model_b,winner", *rows)


def batch() -> str:
    """Answers of a crowd, some of which were rejected."""
    rows = (
        f"W{n % 14},{'Rejected' if n % 15 == 0 else 'Approved'},p{n % 30},{one},{two},{side(ahead)}"
        for n, (one, two, ahead) in enumerate(advantages())
    )
    return lines(
        "WorkerId,AssignmentStatus,Input.prompt_id,Input.model_a,Input.model_b,Answer.choice", *rows
    )


def exploded() -> str:
    """Records with what two people said of each pair in lists."""
    rows = [
        {
            "prompt": f"p{n}", "model_a": one, "model_b": two,
            "preference.responses": [side(ahead), side(ahead + (n % 5 - 2) / 5)],
            "preference.responses.users": [f"u{n % 7}", f"u{7 + n % 5}"],
        }
        for n, (one, two, ahead) in enumerate(advantages(40))
    ]  # fmt: skip
    return json.dumps(rows)


BOARD = lines(
    "model_name,organization,rating,rating_lower,rating_upper,variance,vote_count,rank",
    "orca,A,1402.2,1397.1,1408.3,7.1,12031,1",
    "qwen,B,1398.1,1393.2,1403.4,6.2,14021,1",
    "phi,C,1370.3,1366.2,1374.5,4.1,20111,3",
)
HEADER = "prompt_id,annotator_id,model_1,model_2"
GRADES = votes(f"{HEADER},overall_preference", grade)
HIGH = (
    "--column winner=overall_preference --word -3=0 --word -2=0 --word -1=0 --word 0=tie "
    "--word 1=1 --word 2=1 --word 3=1"
)
SWAPPED = in_both_orders("swapped", ("False", "True"), turned=False)

CASES = (
    Case(
        "votes in phrases/how much is told to be left out",
        "rank v.csv",
        {"v.csv": votes(f"{HEADER},preference", phrase)},
        ("150 votes", "much better' and 'Response", "count alike", "orca leads"),
        models=MODELS,
    ),
    Case(
        "votes in grades/asked whom the high ones favour",
        "rank v.csv",
        {"v.csv": GRADES},
        (f"favour 'model_1': {HIGH}. If they favour 'model_2': --column",),
        ("=missing",),
        code=1,
    ),
    Case(
        "votes in grades/told",
        f"rank v.csv {HIGH}",
        {"v.csv": GRADES},
        ("150 votes", "orca leads"),
        models=MODELS,
    ),
    Case(
        "votes in grades/one and minus one",
        "rank v.csv",
        {"v.csv": votes(f"{HEADER},winner", lambda ahead: 1 if ahead > 0 else -1)},
        ("the winner '-1'", "--word -1=0 --word 1=1"),
        code=1,
    ),
    Case(
        "votes in both orders/asked what A means",
        "rank v.csv",
        {"v.csv": SWAPPED},
        ("do not change places with it", "rows = frame['swapped'].eq(True)", "--column position="),
        code=1,
    ),
    Case(
        "votes in both orders/told to name models",
        "rank v.csv --column position=",
        {"v.csv": SWAPPED},
        models=MODELS,
    ),
    Case(
        "votes in both orders/models change places",
        "rank v.csv",
        {"v.csv": in_both_orders("order", ("AB", "BA"), turned=True)},
        ("orca leads",),
        models=MODELS,
    ),
    Case(
        "votes of the majority/asked",
        "rank v.csv",
        {"v.csv": with_majority()},
        ("'majority' among 'annotator'", "--where \"annotator not in ('majority')\""),
        code=1,
    ),
    Case(
        "votes of the majority/left out",
        "rank v.csv --where \"annotator not in ('majority')\"",
        {"v.csv": with_majority()},
        ("120 votes",),
        models=MODELS,
    ),
    Case(
        "votes of a crowd/rejected ones are asked about",
        "rank v.csv",
        {"v.csv": batch()},
        ("'Rejected' for 10 of 150 votes", "--where \"AssignmentStatus not in ('Rejected')\""),
        code=1,
    ),
    Case(
        "votes of a crowd/parts of records are columns",
        'rank v.csv --where "AssignmentStatus is not null"',
        {"v.csv": batch()},
        ("150 votes", "prompt = 'Input.prompt_id'", "winner = 'Answer.choice'"),
        models=MODELS,
    ),
    Case(
        "votes of a form/the question is found by its answers",
        "rank v.csv",
        {"v.csv": votes("Prompt,Rater,Left model,Right model,Who did better?", side)},
        ("--column 'winner=Who did better?'",),
        ("model_a='A'",),
        code=1,
    ),
    Case(
        "votes of a labelling tool/left and right are no scores",
        "rank v.csv",
        {
            "v.csv": votes(
                "prompt,annotator,model1,model2,comparison",
                lambda ahead: "left" if ahead > 0 else "right",
            )
        },
        ("--column winner=comparison",),
        ("left=fail",),
        code=1,
    ),
    Case(
        "votes in lists/a row for each",
        "rank v.json",
        {"v.json": exploded()},
        ("frame.explode(", "'preference.responses': 'winner'"),
        code=1,
    ),
    Case(
        "two scores in a row/are no outcome",
        "rank v.csv",
        {
            "v.csv": lines(
                "prompt,rater,model_a,model_b,score_a,score_b",
                *(
                    f"p{n},u{n % 9},{one},{two},{3 + (ahead > 0)},{3 + (ahead < 0)}"
                    for n, (one, two, ahead) in enumerate(advantages())
                ),
            )
        },
        ("scores of the two answers", "--column score_a=score_a --column score_b=score_b"),
        ("2=tie",),
        code=1,
    ),
    Case(
        "board of an arena/votes are no task",
        "rank b.csv",
        {"b.csv": BOARD},
        ("ci_low = 'rating_lower'", "first place is open between orca and qwen"),
        models=MODELS,
        tasks=("b",),
        means={"orca": 1402.2},
    ),
)

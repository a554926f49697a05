"""Juries, forms and competitions: who judges what, and what teams sent in again and again."""

from __future__ import annotations

import random

from everyday.case import Case, lines

WINES = {"Ahr": 92, "Baden": 90, "Nahe": 84, "Saale": 78}


def points(seed: int = 2) -> list[list[int]]:
    """What twelve judges gave the wines, some of them strict."""
    dice = random.Random(seed)
    strict = [dice.gauss(0, 3) for _ in range(12)]
    return [[round(mean + one + dice.gauss(0, 2)) for mean in WINES.values()] for one in strict]


GIVEN = points()
NAMES = list(WINES)
JURY = lines(
    f"Judge,{','.join(NAMES)}",
    *(f"J{n + 1},{','.join(map(str, row))}" for n, row in enumerate(GIVEN)),
)
LONG = lines(
    "judge,wine,points",
    *(f"J{n + 1},{wine},{own}" for n, row in enumerate(GIVEN)
      for wine, own in zip(NAMES, row, strict=True)),
)  # fmt: skip
PLACES = [[sorted(row, reverse=True).index(own) + 1 + (row.count(own) - 1) / 2 for own in row]
          for row in GIVEN]  # fmt: skip
ORDERS = lines(
    f"Judge,{','.join(NAMES)}",
    *(f"J{n + 1},{','.join(f'{own:g}' for own in row)}" for n, row in enumerate(PLACES)),
)
TURNED = lines(
    f"Wine,{','.join(f'Judge {n + 1}' for n in range(12))},Average",
    *(f"{wine},{','.join(str(row[k]) for row in GIVEN)},{sum(row[k] for row in GIVEN) / 12:.2f}"
      for k, wine in enumerate(NAMES)),
)  # fmt: skip
FORM = lines(
    "Timestamp,Email Address,Which team are you judging?,Innovation,Design,Any comments?",
    *(
        f"2026/03/14 {10 + n}:2{k}:0{n % 10} AM,judge{n}@x.org,{wine},{own // 20},{own // 19},fine"
        for n, row in enumerate(GIVEN)
        for k, (wine, own) in enumerate(zip(NAMES, row, strict=True))
    ),
)
SENT = [
    (team, day, 0.8 + 0.02 * place + 0.001 * (day * 7 % 5))
    for place, team in enumerate(("ash", "birch", "cedar"))
    for day in range(1, 5 + place)
]
ONE_SCORE = lines(
    "TeamId,TeamName,SubmissionDate,Score",
    *(f"4{team},{team},2026-03-0{day} 11:2{len(team)}:33,{own:.4f}" for team, day, own in SENT),
)
TWO_SCORES = lines(
    "SubmissionId,TeamName,SubmissionDate,PublicScore,PrivateScore",
    *(f"{n},{team},2026-03-0{day} 11:22:33,{own:.4f},{own - 0.004:.4f}"
      for n, (team, day, own) in enumerate(SENT)),
)  # fmt: skip
RATED = ("3: reject, not good enough", "6: marginally above the threshold", "8: accept")
REVIEWS = lines(
    "paper,title,reviewer,rating,confidence",
    *(
        f'p{n},On {n},R{n}{k},"{RATED[(n * k) % 3]}",4: confident'
        for n in range(6)
        for k in range(4)
    ),
)
WORTH = " ".join(f"--word '{word}={word[0]}'" for word in RATED)
RATINGS = lines(
    '"#","PLAYER","RATING","ERROR","POINTS","PLAYED","(%)"',
    '1,"Ash 1.2",2812.3,14.2,310.5,500,62.1',
    '2,"Birch 3",2801.0,14.0,300.0,500,60.0',
    '3,"Cedar 7",2701.4,14.5,210.0,500,42.0',
)

CASES = (
    Case(
        "a row for each judge/judges are no models",
        "rank j.csv",
        {"j.csv": JURY},
        ("--layout items-by-models --direction higher", "with a row for each 'Judge'"),
        ("models-by-tasks",),
        code=1,
    ),
    Case(
        "a row for each judge/places with ties",
        "rank j.csv",
        {"j.csv": ORDERS},
        ("--layout items-by-models --direction lower (rows hold places, 1 to 4",),
        code=1,
    ),
    Case(
        "a row for each judge/read",
        "rank j.csv --layout items-by-models --direction higher",
        {"j.csv": JURY},
        models=tuple(WINES),
        items=12,
    ),
    Case(
        "judges of entries/who judges is an item",
        "rank l.csv",
        {"l.csv": LONG},
        ("--column model=wine --column item=judge --column score=points",),
        code=1,
    ),
    Case(
        "judges of entries/columns of judges",
        "rank t.csv",
        {"t.csv": TURNED},
        ("If rows are what is ranked, such as entries of a competition: --layout models-by-items",),
        code=1,
    ),
    Case(
        "judges of entries/columns of judges, read",
        "rank t.csv --layout models-by-items",
        {"t.csv": TURNED},
        models=tuple(WINES),
        items=12,
    ),
    Case(
        "several scores of teams/a form",
        "rank f.csv",
        {"f.csv": FORM},
        (
            "'Which team are you judging?' seems to say what is compared",
            "--column 'item=Email Address' --column score=Innovation --direction higher",
        ),
        ("seem to be models",),
        code=1,
    ),
    Case(
        "several scores of teams/public and private",
        "rank s.csv",
        {"s.csv": TWO_SCORES},
        ("--column model=TeamName --column score=PublicScore --reruns newest --direction higher",),
        ("seem to be models",),
        code=1,
    ),
    Case(
        "several scores of teams/the newest submission counts",
        "rank s.csv --column model=TeamName --column score=PrivateScore --direction higher "
        "--reruns newest",
        {"s.csv": TWO_SCORES},
        ("the newest by 'SubmissionDate' count",),
        models=("ash", "birch", "cedar"),
        means={"ash": 0.796 + 0.001 * (28 % 5)},
    ),
    Case(
        "submissions of teams/are no runs",
        "rank s.csv",
        {"s.csv": ONE_SCORE},
        ("--column model=TeamName --column score=Score --reruns newest",),
        ("run=",),
        code=1,
    ),
    Case(
        "submissions of teams/the newest counts",
        "rank s.csv --column model=TeamName --column score=Score --reruns newest",
        {"s.csv": ONE_SCORE},
        ("older ones are left aside",),
        models=("ash", "birch", "cedar"),
    ),
    Case(
        "numbers with words behind/a line for each",
        "rank r.csv --column model=paper --column item=reviewer --column score=rating",
        {"r.csv": REVIEWS},
        ("--word '6: marginally above the threshold=6'",),
        code=1,
    ),
    Case(
        "numbers with words behind/read",
        f"rank r.csv --column model=paper --column score=rating {WORTH}",
        {"r.csv": REVIEWS},
        means={"p0": 3.0},
    ),
    Case(
        "errors of ratings/are asked about",
        "rank o.csv --column model=PLAYER --column score=RATING",
        {"o.csv": RATINGS},
        (
            "If they are standard errors of 'RATING': --column se=ERROR",
            "frame.assign(se=frame['ERROR'] / 1.96)",
        ),
        ("If those calls failed",),
    ),
    Case(
        "errors of ratings/named",
        "rank o.csv --column model=PLAYER --column score=RATING --column se=ERROR",
        {"o.csv": RATINGS},
        ("is shown worse",),
        models=("Ash 1.2", "Birch 3", "Cedar 7"),
    ),
    Case(
        "places in the first column/are no task",
        "rank s.csv --layout models-by-tasks",
        {
            "s.csv": lines(
                "Pos,Team,Attack,Defence,Style",
                "1,Ash,0.9,0.8,0.7",
                "2,Birch,0.8,0.8,0.6",
                "2,Cedar,0.9,0.7,0.6",
                "4,Dogwood,0.5,0.6,0.3",
            )
        },
        ("Not used: 'Pos'",),
        tasks=("Attack", "Defence", "Style"),
    ),
)

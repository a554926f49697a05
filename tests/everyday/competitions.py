"""What hosts of competitions have: predictions of all teams, logs of submissions, their boards."""

from __future__ import annotations

import random

from everyday.case import Case, lines, right, table


def predictions(truth: str) -> str:
    """Prices, and what three teams said of them; the last one always says the same."""
    dice = random.Random(3)
    price = [round(dice.lognormvariate(12, 0.4)) for _ in range(60)]
    said = {
        name: [round(one * dice.lognormvariate(0, spread)) for one in price]
        for name, spread in (("larry", 0.08), ("gang", 0.1), ("huggers", 0.12))
    }
    return table({"Id": range(1, 61), truth: price, **said, "always": [163000] * 60})


SUBMITTED = [
    f"{number},{team},{'late' if late else 'on_time'},q{item:02},{answer}"
    for number, (team, share, late) in enumerate(
        (("ash", 0.6, False), ("dogwood", 0.9, True), ("birch", 0.7, False), ("cedar", 0.4, False))
    )
    for item, answer in enumerate(right(share, 40, number))
]
LOG = lines("submission_id,team,status,item_id,correct", *SUBMITTED)
SQUADS = lines(
    "squad,submitted_at,item_id,correct",
    *(
        f"{squad},2026-05-0{day},q{item:02},{answer}"
        for day, (squad, share) in enumerate((("red", 0.6), ("blue", 0.7)), 1)
        for item, answer in enumerate(right(share, 40, day))
    ),
)


def published(place: str, who: str) -> str:
    """A board as it was published: places, teams, five categories, numbers of submissions."""
    return lines(
        f"{place},{who},Science,History,Math,Code,Law,# entries",
        "1,Kestrel Lab,0.78,0.77,0.75,0.78,0.76,14",
        "2,BlueMoon,0.76,0.76,0.74,0.80,0.73,31",
        "3,Aveiro,0.71,0.70,0.70,0.73,0.74,6",
    )


ANSWERS = {"ash": 0.5, "birch": 0.7, "cedar": 0.9}
QUESTIONS = table({
    "question_id": range(60),
    "kind": [("fact", "list")[n % 3 == 0] for n in range(60)],
    **{name: right(share) for name, share in ANSWERS.items()},
})  # fmt: skip

VOTES = lines(
    "model_a,model_b,winner",
    *(
        f"{one},{two},{'tie' if n % 5 == 0 else one if n % 3 else two}"
        for one, two, votes in (("ash", "birch", 30), ("birch", "cedar", 40), ("ash", "cedar", 50))
        for n in range(votes)
    ),
)

MARKED = lines(
    "system,doc,seg_id,severity",
    *(
        f"{system},d{n % 3},{n},{word}"
        for n in range(24)
        for system, bad in (("ash", 3), ("birch", 2))
        for word in ("Major", "Minor", "None")[n % bad :]
    ),
)
WORTH = "--word Major=5 --word Minor=1 --word None=0"

TEAMS = ("Kestrel Lab", "BlueMoon", "Aveiro")

CASES = (
    Case(
        "predictions of teams/asked",
        "rank p.csv",
        {"p.csv": predictions("SalePrice")},
        (
            "Declare which side is better",
            "If they are predictions, they are no scores: score them against the truth first",
            "frame.drop(columns='TRUTH').sub(frame['TRUTH'], axis=0).pow(2)",
        ),
        code=1,
    ),
    Case(
        "predictions of teams/a note beside the board",
        "rank p.csv --direction lower",
        {"p.csv": predictions("SalePrice")},
        (
            "hold nearly the same number in each row, as predictions do",
            "frame.set_index('Id')",
            "If they are scores: --models SalePrice",
        ),
    ),
    Case(
        "predictions of teams/whole numbers beside a truth",
        "rank p.csv --direction lower",
        {"p.csv": predictions("actual")},
        (
            "'actual' holds right answers, and 'larry', 'gang', 'huggers', 'always' seem to",
            "frame[names].sub(frame['actual'], axis=0).abs()",
        ),
        code=1,
    ),
    Case(
        "submissions on time and late/asked",
        "rank s.csv",
        {"s.csv": LOG},
        (
            "'status' holds 'late', 'on_time', and no state of a row",
            "--where \"status = 'on_time'\" --column status=",
        ),
        code=1,
    ),
    Case(
        "submissions on time and late/those on time",
        "rank s.csv --where \"status = 'on_time'\" --column status=",
        {"s.csv": LOG},
        ("model = 'team'",),
        models=("ash", "birch", "cedar"),
        items=40,
        means={"ash": sum(right(0.6, 40, 0)) / 40},
    ),
    Case(
        "names that repeat in a file of one model/told",
        "rank s.csv --reruns newest",
        {"s.csv": SQUADS},
        (
            "There is only one model",
            "The column 'squad' has few names, which repeat. If it names the models: --column "
            "model=squad",
        ),
        models=("s",),
    ),
    Case(
        "names that repeat in a file of one model/named",
        "rank s.csv --column model=squad",
        {"s.csv": SQUADS},
        hides=("only one model",),
        models=("red", "blue"),
        items=40,
    ),
    Case(
        "places beside names/teams",
        "rank b.csv --layout models-by-tasks",
        {"b.csv": published("Rank", "Team")},
        ("rows are named by 'Team'", "Not used: 'Rank', '# entries'"),
        models=TEAMS,
        tasks=("Science", "History", "Math", "Code", "Law"),
    ),
    Case(
        "places beside names/a number sign, and a name that nobody knows",
        "rank b.csv --layout models-by-tasks",
        {"b.csv": published("#", "Who")},
        ("rows are named by 'Who'",),
        models=TEAMS,
    ),
    Case(
        "places beside names/numbers that are no places name rows",
        "rank b.csv --layout models-by-tasks",
        {"b.csv": lines("size,Law,Math", "7,0.7,0.6", "13,0.8,0.7", "70,0.9,0.8")},
        models=("7", "13", "70"),
    ),
    Case(
        "a column named beside models/tasks of items",
        "rank q.csv --column task=kind",
        {"q.csv": QUESTIONS},
        ("A matrix, items by models", "within tasks by 'kind'"),
        models=tuple(ANSWERS),
        tasks=("fact", "list"),
        items=40,
    ),
    Case(
        "a column named beside models/what items come from",
        "rank q.csv --column cluster=kind",
        {"q.csv": QUESTIONS},
        ("A matrix, items by models", "go together by 'kind'"),
        models=tuple(ANSWERS),
        items=60,
    ),
    Case(
        "a column named beside models/columns that are metrics are no models",
        "rank q.csv --column task=kind",
        {"q.csv": QUESTIONS.replace("ash,birch,cedar", "f1,bleu,rouge")},
        ("could be the score",),
        code=1,
    ),
    Case(
        "votes with other models/two compared",
        "compare v.csv --models ash --models birch",
        {"v.csv": VOTES},
        ("Only the 30 votes between the 2 chosen models count; 90 votes with others are left",),
    ),
    Case(
        "votes with other models/a claim on two",
        "check v.csv --claim 'ash > cedar'",
        {"v.csv": VOTES},
        ("Only the 50 votes between the 2 chosen models count; 70 votes with others are left",),
    ),
    Case(
        "votes with other models/claims on all",
        "check v.csv --claim 'ash > cedar' --claim 'birch > cedar'",
        {"v.csv": VOTES},
        hides=("votes with others",),
        code=3,
    ),
    Case(
        "a row for each error/no id is a score",
        "rank e.tsv",
        {"e.tsv": MARKED.replace(",", "\t")},
        ("column holds a score: 'seg_id' number rows", "such as 'severity',"),
        ("score=seg_id",),
        code=1,
    ),
    Case(
        "a row for each error/mean, sum or last",
        f"rank e.csv --column score=severity --column item=seg_id {WORTH} --direction lower",
        {"e.csv": MARKED},
        (
            "answers, their mean: frame.groupby(['system', 'seg_id'], as_index=False)['severity']"
            ".mean()",
            "such as one error of many, their sum: frame.groupby(",
            "if the last row replaces the others: frame.drop_duplicates(['system', 'seg_id']",
        ),
        ("true or false",),
        code=1,
    ),
    Case(
        "a row for each error/numbers of words stay numbers",
        f"rank e.csv --column score=severity --column item=seg_id {WORTH} --direction lower",
        {
            "e.csv": lines(
                "system,seg_id,severity",
                *(
                    f"{one},{n},{('Major', 'Minor', 'None', '25')[n % k]}"
                    for n in range(24)
                    for one, k in (("ash", 3), ("birch", 4))
                ),
            )
        },
        hides=("true or false",),
        models=("ash", "birch"),
        means={"ash": 2.0, "birch": 7.75},
    ),
)

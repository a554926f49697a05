"""Matches and juries: who played whom and how it ended, and what judges said of entries."""

from __future__ import annotations

import random

from everyday.case import Case, lines

STRENGTHS = {"Arden": 1.2, "Brook": 1.2, "Colne": 0.0, "Dunsop": -1.2}


def matches() -> list[tuple[str, str, int, int]]:
    """Home, away and their goals: each pair four times on either side."""
    dice = random.Random(5)
    found = []
    for _ in range(4):
        for home, one in STRENGTHS.items():
            for away, two in STRENGTHS.items():
                if home != away:
                    ahead = one - two + 0.4
                    goals = [sum(dice.random() < 0.25 + sign * ahead / 12 for _ in range(6))
                             for sign in (1, -1)]  # fmt: skip
                    found.append((home, away, *goals))
    return found


PLAYED = matches()
LETTER = ["A", "D", "H"]
FOOTBALL = lines(
    "Div,Date,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,HTR,Referee,HS,AS,B365H,B365D,B365A",
    *(
        f"E0,{n % 28 + 1:02}/08/2025,{home},{away},{one},{two},"
        f"{LETTER[(one > two) - (one < two) + 1]},0,0,D,M Dean,9,7,2.1,3.3,3.5"
        for n, (home, away, one, two) in enumerate(PLAYED)
    ),
)
LEAGUE = lines(
    "date,home_team,away_team,home_score,away_score",
    *(f"2025-08-{n % 28 + 1:02},{','.join(map(str, row))}" for n, row in enumerate(PLAYED)),
)
AGENTS = LEAGUE.replace(
    "date,home_team,away_team,home_score,away_score", "match_id,agent_1,agent_2,score_1,score_2"
)
TEAMS = tuple(STRENGTHS)
CHESS = lines(
    "Event,Round,White,Black,Result,ECO",
    *(
        f"Cup,{n + 1},{one},{two},{['0-1', '1/2-1/2', '1-0'][(x > y) - (x < y) + 1]},C50"
        for n, (one, two, x, y) in enumerate(PLAYED)
    ),
)

CASES = (
    Case(
        "matches/football with half times and odds",
        "rank E0.csv",
        {"E0.csv": FOOTBALL},
        ("model_a = 'HomeTeam', model_b = 'AwayTeam', winner = 'FTR'", "48 votes"),
        models=TEAMS,
    ),
    Case(
        "matches/scores are asked about",
        "rank league.csv",
        {"league.csv": LEAGUE},
        (
            "If the higher one won: --column score_a=home_score --column score_b=away_score",
            "If the lower one won",
        ),
        ("model=home_team", "--metric"),
        code=1,
    ),
    Case(
        "matches/chess, adjusted for who has white",
        "rank chess.csv --control position",
        {"chess.csv": CHESS},
        ("being shown first multiplies the odds of a win by",),
        models=TEAMS,
    ),
    Case(
        "scores of two sides/are no models",
        "rank agents.csv",
        {"agents.csv": AGENTS},
        ("--column score_a=score_1 --column score_b=score_2",),
        ("items-by-models",),
        code=1,
    ),
    Case(
        "scores of two sides/named",
        "rank agents.csv --column score_a=score_1 --column score_b=score_2",
        {"agents.csv": AGENTS},
        ("48 votes",),
        models=TEAMS,
    ),
)

"""Answers that nobody has scored yet, on two scales, or that broke off before they came."""

from __future__ import annotations

import random

from everyday.case import Case, lines, right


def labelled(share: float, truth: str, said: str, seed: int) -> str:
    """Classes, and what a model took them for."""
    source = random.Random(seed)
    rows = []
    for number, hit in enumerate(right(share, 200, seed)):
        label = number % 4
        rows.append(f"{number},{label},{label if hit else (label + source.randint(1, 3)) % 4}")
    return lines(f"idx,{truth},{said}", *rows)


def predicted(classes: int, said: str) -> str:
    """Classes, and what three models said: the class itself, how likely class 1 is, or a hit."""
    source = random.Random(5)
    rows = []
    for number in range(80):
        label = source.randrange(classes)
        cells = []
        for share in (0.9, 0.8, 0.7):
            hit = source.random() < share
            other = label if hit else (label + 1) % classes
            cells.append(
                {"class": f"{other}", "chance": f"{0.8 if other else 0.1}", "hit": f"{hit:d}"}[said]
            )
        rows.append(f"{number},{label},{','.join(cells)}")
    return lines("id,y_true,tree,forest,ridge", *rows)


def gated(header: str, share: float, seed: int) -> str:
    """Answers of one system: what it gave, whether that counts, and one thing more."""
    hits = right(share, 60, seed)
    rows = [f"t{n},{n % 3 > 0},{bool(hit)},{n % 7 == 0}" for n, hit in enumerate(hits)]
    return lines(header, *rows)


def judged(scale: int) -> str:
    """Scores of a judge from 1 to 10, or the same over ten."""
    source = random.Random(9)
    grades = [source.randint(3, 10) for _ in range(80)]
    return lines("prompt_id,score", *(f"p{n},{g / scale:g}" for n, g in enumerate(grades)))


TWO = "new.csv old.csv"

# What was measured, what two models said of it, and their mean errors.
MEASURED = [(64.9, 67.0, 63.3), (55.4, 54.0, 49.2), (41.2, 44.9, 42.0), (47.0, 48.1, 46.2)] * 5
DIED = [(0, 0.21, 0.11), (1, 0.72, 0.93), (1, 0.41, 0.66), (0, 0.35, 0.08)] * 5


def beside(header: str, rows: list[tuple[float, ...]]) -> str:
    """A row per sample: what is true, and what models say."""
    return lines(header, *(f"{k},{','.join(map(str, row))}" for k, row in enumerate(rows)))


KINDS = ("cat", "dog", "bird")

CASES = (
    Case(
        "what is true beside predictions/measured",
        "rank m.csv",
        {"m.csv": beside("sample,measured,PLS,CNN", MEASURED)},
        ("frame.drop(columns=['measured'])", "--direction lower"),
        code=1,
    ),
    Case(
        "what is true beside predictions/0 and 1 beside fractions",
        "rank m.csv",
        {"m.csv": beside("case,died,logreg,xgb", DIED)},
        ("these are predictions", "--models died --models logreg --models xgb"),
        code=1,
    ),
    Case(
        "what is true beside predictions/a person among models",
        "rank m.csv --models human --models bert --models roberta",
        {
            "m.csv": beside(
                "sample_id,human,bert,roberta",
                list(zip(right(0.9, 60, 1), right(0.7, 60, 2), right(0.6, 60, 3), strict=True)),
            )
        },
        models=("human", "bert", "roberta"),
        items=60,
    ),
    Case(
        "predictions/labels beside them",
        f"compare {TWO}",
        {
            "new.csv": labelled(0.7, "label", "pred", 1),
            "old.csv": labelled(0.6, "label", "pred", 2),
        },
        ("Score them first", "frame['pred'] == frame['label']"),
        code=1,
    ),
    Case(
        "predictions/one file of two columns",
        "rank m.csv",
        {"m.csv": labelled(0.7, "y_true", "y_pred", 1)},
        ("Score them first",),
        code=1,
    ),
    Case(
        "predictions called as sides of a vote/classes",
        "rank p.csv",
        {
            "p.csv": lines(
                "id,label,model_a,model_b",
                *(
                    f"{n},{KINDS[n % 3]},{KINDS[n % 3]},{KINDS[n % 3 if n % 4 else 0]}"
                    for n in range(24)
                ),
            )
        },
        ("If 'label' holds right answers", ".eq(frame['label'], axis=0).astype(int)"),
        code=1,
    ),
    Case(
        "predictions of several models/classes",
        "rank p.csv",
        {"p.csv": predicted(3, "class")},
        ("these are predictions", ".eq(frame['y_true'], axis=0).astype(int);", "--models tree"),
        code=1,
    ),
    Case(
        "predictions of several models/probabilities",
        "rank p.csv --layout items-by-models",
        {"p.csv": predicted(2, "chance")},
        ("these are predictions", ".ge(0.5).eq(frame['y_true'], axis=0)"),
        code=1,
    ),
    Case(
        "predictions of several models/right or wrong beside classes",
        "rank p.csv --models tree --models forest --models ridge",
        {"p.csv": predicted(3, "hit")},
        ("3 models",),
    ),
    Case(
        "results beside a score/known by their names",
        "rank gate",
        {
            "gate/new.csv": gated("id,is_valid_json,correct,timeout", 0.9, 3),
            "gate/old.csv": gated("id,is_valid_json,correct,timeout", 0.4, 4),
        },
        ("new leads",),
        models=("new", "old"),
        items=60,
    ),
    Case(
        "results beside a score/not known",
        "compare new.csv old.csv",
        {
            "new.csv": gated("id,tool_called,passed,json_given", 0.9, 3),
            "old.csv": gated("id,tool_called,passed,json_given", 0.4, 4),
        },
        ("'passed' is called as a score is", "--column score=passed"),
        code=1,
    ),
    Case(
        "answers that are no shares/one task",
        "rank bench.csv",
        {"bench.csv": lines("id,vllm,tgi", *(f"{n},{90 + n},{120 + n}" for n in range(30)))},
        ("no shares (up to 149)", "--direction lower"),
        code=1,
    ),
    Case(
        "answers that are no shares/told",
        "rank bench.csv --direction lower",
        {"bench.csv": lines("id,vllm,tgi", *(f"{n},{90 + n},{120 + n}" for n in range(30)))},
        ("vllm leads",),
        models=("vllm", "tgi"),
    ),
    Case(
        "scales of two files/tens",
        f"compare {TWO}",
        {"new.csv": judged(10), "old.csv": judged(1)},
        ("stand on two scales",),
        code=1,
    ),
    Case(
        "scales of two files/told to be one",
        f"compare {TWO} --score-max 10",
        {"new.csv": judged(10), "old.csv": judged(1)},
        ("new is worse than old",),
    ),
)

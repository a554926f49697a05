"""The unit that was sampled: runs that several tasks share, persons, places, raters."""

from __future__ import annotations

import random

from everyday.case import Case, lines

TASKS = ("arc", "boolq", "hellaswag", "piqa", "siqa", "winogrande")


def seeds_on_tasks() -> str:
    """Five seeds of two equal optimizers, each scored on six tasks; a seed moves all of its scores.

    Over tasks the difference is small and steady, over the five seeds it is not.
    """
    source = random.Random(11)
    moved = {"adamw": (-6, 4, -9, 3, -4), "muon": (5, -3, 8, 9, -2)}
    return lines(
        "model,seed,task,accuracy",
        *(
            f"{model},{seed},{task},{0.5 + place / 20 + shift / 1000 + source.gauss(0, 0.003):.4f}"
            for model, shifts in moved.items()
            for seed, shift in enumerate(shifts)
            for place, task in enumerate(TASKS)
        ),
    )


def questions_in_languages(*, same: bool) -> str:
    """Forty questions on six languages; a model that knows one answers it in all of them."""
    source = random.Random(3)
    rows = []
    for name, share in (("base", 0.45), ("tuned", 0.6)):
        knows = [source.random() < share for _ in range(40)]
        for language in ("de", "en", "es", "fr", "ja", "zh"):
            if not same:
                knows = [source.random() < share for _ in range(40)]
            rows += [
                f"{name},{question},{language},{int(knows[question] != (source.random() < 0.1))}"
                for question in range(40)
            ]
    return lines("model,qid,lang,correct", *rows)


def seeds_of_two_branches(alike: bool = False) -> str:
    """Three seeds of two branches on 200 items; whole seeds do well or badly, of both if alike."""
    source = random.Random(5)
    shares = {"main": (0.44, 0.62, 0.46), "pr-77": (0.65, 0.52, 0.67)}
    if alike:
        shares = {"main": (0.35, 0.5, 0.65), "pr-77": (0.5, 0.65, 0.8)}
    return lines(
        "model,seed,item,correct",
        *(
            f"{name},{seed},{item},{int(source.random() < share)}"
            for name, by_seed in shares.items()
            for seed, share in enumerate(by_seed)
            for item in range(200)
        ),
    )


SEEDS = {"k.csv": seeds_on_tasks()}
ANEW = '--runs anew (runs="anew") says that every task was trained anew'

CASES = (
    Case(
        "seeds on several tasks/compare",
        "compare k.csv",
        SEEDS,
        ("Cannot tell", "Of these 5 training runs", ANEW),
    ),
    Case(
        "seeds on several tasks/a claim",
        'check k.csv --claim "muon > adamw"',
        SEEDS,
        ("CANNOT TELL", "5 training runs", ANEW),
        code=3,
    ),
    Case(
        "seeds on several tasks/trained anew",
        "rank k.csv --runs anew",
        SEEDS,
        ("muon leads",),
        hides=("--runs anew",),
        models=("adamw", "muon"),
    ),
    Case(
        "seeds that differ on all items/a claim",
        'check g.csv --claim "pr-77 > main"',
        {"g.csv": seeds_of_two_branches()},
        ("CANNOT TELL", "Whole runs differ by more than chance", "--runs independent"),
        code=3,
    ),
    Case(
        "seeds that differ on all items/the line for these runs",
        'check g.csv --claim "pr-77 > main" --runs independent',
        {"g.csv": seeds_of_two_branches()},
        ("SUPPORTED", "What is said here is for these runs"),
    ),
    Case(
        "seeds that differ on all items/models alike",
        "rank g.csv",
        {"g.csv": seeds_of_two_branches(alike=True)},
        ("pr-77 leads", "move all models alike"),
        hides=("for these runs, pr-77",),
    ),
    Case(
        "questions in several languages/are one draw each",
        "rank l.csv --column task=lang",
        {"l.csv": questions_in_languages(same=True)},
        ("do not tell the two models apart", "(40 items)", "--rows independent"),
        tasks=("de", "en", "es", "fr", "ja", "zh"),
    ),
    Case(
        "questions in several languages/told",
        "rank l.csv --column task=lang --rows independent",
        {"l.csv": questions_in_languages(same=True)},
        ("tuned leads",),
        hides=("stand on several tasks",),
    ),
    Case(
        "questions in several languages/only numbers",
        "compare l.csv --column task=lang",
        {"l.csv": questions_in_languages(same=False)},
        ("Of these 40 items", "it holds for unlike items", "--rows independent"),
    ),
)

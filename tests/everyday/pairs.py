"""Two models: what one of them lacks, and how their two sides are told apart."""

from __future__ import annotations

import json
import re
from uuid import UUID

from everyday.case import Case, json_lines, lines, right, table

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

BEFORE, AFTER = right(0.5), right(0.85)


def two_runs(model: bool) -> str:
    """Items of two runs below each other, with or without a column of the one model."""
    columns = {"run": ["before"] * 60 + ["after"] * 60, "item": [*range(60), *range(60)]}
    named = {"model": ["llama"] * 120} if model else {}
    return table({**named, **columns, "score": [*BEFORE, *AFTER]})


def fresh_ids(answers: list[int], start: int, **more: str) -> str:
    """A log whose ids are new in every run, and whose prompts are not."""
    return json_lines(
        {
            **{name: [value] * 60 for name, value in more.items()},
            "id": [str(UUID(int=(start + n) * 7919**8)) for n in range(60)],
            "prompt": [f"What is {n} plus {n}?" for n in range(60)],
            "output": ["It is so."] * 60,
            "correct": answers,
        }
    )


def by_item(answers: list[int]) -> dict[str, int]:
    return {f"q{n}": value for n, value in enumerate(answers)}


def run_files(*names: str, times: bool = False) -> dict[str, str]:
    """A file per run, called after its model and day; the last one is better."""
    return {
        f"runs/{name}.csv": table(
            {
                **({"timestamp": [f"2026-05-0{name[-1]}T10:00:00"] * 60} if times else {}),
                "model": [re.split("[_-]", name)[0]] * 60,
                "id": range(60),
                "correct": AFTER if name == names[-1] else BEFORE,
            }
        )
        for name in names
    }


def nightly(answers: list[int]) -> str:
    """A log with the answer that was expected, the one that came, and whether it passed."""
    return "".join(
        json.dumps({"sample_id": f"s{n}", "expected": "4", "got": str(4 * value),
                    "pass": bool(value), "tokens": 50 + n, "latency_s": n / 7}) + "\n"
        for n, value in enumerate(answers)
    )  # fmt: skip


NIGHTLY = {
    f"nightly/2026-05-0{day}/qwen.jsonl": nightly(answers)
    for day, answers in ((1, BEFORE), (2, AFTER))
}
FRESH = {"new.jsonl": fresh_ids(AFTER, 1), "old.jsonl": fresh_ids(BEFORE, 1000)}
SAME_NAME = {
    f"exp/{run}/results.jsonl": json_lines({"id": range(60), "correct": answers})
    for run, answers in (("before", BEFORE), ("after", AFTER))
}

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
    # Two runs of one model in one file.
    Case(
        "runs as sides/no column of models",
        "compare r.csv",
        {"r.csv": two_runs(model=False)},
        ("after is better than before", "60 items"),
    ),
    Case(
        "runs as sides/one model",
        "compare r.csv",
        {"r.csv": two_runs(model=True)},
        ("after is better than before", "Not used: 'model'"),
    ),
    Case(
        "runs as sides/three runs",
        "compare r.csv",
        {"r.csv": lines("run,item,score", *(f"r{n % 3},{n // 3},{n % 2}" for n in range(180)))},
        ("the column 'run' holds 3: 'r0', 'r1', 'r2'", "--column model=run"),
        code=1,
    ),
    # Files of one name in different folders.
    Case(
        "same file name/compare",
        "compare exp/before/results.jsonl exp/after/results.jsonl",
        SAME_NAME,
        ("before is worse than after", "60 items"),
    ),
    Case(
        "same file name/folder",
        "rank exp",
        SAME_NAME,
        ("called after their folders", "If the folders are tasks"),
        models=("before", "after"),
        items=60,
    ),
    Case(
        "same file name/deep folders",
        "rank exp",
        {
            f"exp/{run}/seed1/out.csv": table({"id": range(60), "correct": right(share)})
            for run, share in (("a", 0.9), ("b", 0.6), ("c", 0.3))
        },
        models=("a", "b", "c"),
        items=60,
    ),
    # Scores by name under a key.
    Case(
        "json with scores/by item",
        "compare new.json old.json",
        {
            f"{name}.json": json.dumps({"created": "2026-05-01", "scores": by_item(answers)})
            for name, answers in (("new", AFTER), ("old", BEFORE))
        },
        ("new is better than old", "60 items"),
    ),
    Case(
        "json with scores/by model and item",
        "compare r.json",
        {"r.json": json.dumps({"scores": {"new": by_item(AFTER), "old": by_item(BEFORE)}})},
        ("new is better than old", "60 items"),
    ),
    Case(
        "json with scores/and more of each item",
        "compare new.json old.json",
        {
            f"{name}.json": json.dumps(
                {"scores": {f"q{n}": {"correct": v, "tokens": n} for n, v in enumerate(answers)}}
            )
            for name, answers in (("new", AFTER), ("old", BEFORE))
        },
        ("new is better than old", "60 items", "Not used: 'tokens'"),
    ),
    Case(
        "json scores of tasks/by task",
        "rank a.json b.json",
        {
            f"{name}.json": json.dumps(
                {"model": name, "scores": {"MMLU": 70.1 + more, "GSM8K": 61.0 + more}}
            )
            for name, more in (("a", 0), ("b", 2))
        },
        models=("a", "b"),
        tasks=("MMLU", "GSM8K"),
    ),
    # Ids that are new in every run.
    Case(
        "ids of a run/compare",
        "compare new.jsonl old.jsonl",
        FRESH,
        ("new is better than old", "60 items", "matched by the text in 'prompt'"),
    ),
    Case(
        "ids of a run/rank",
        "rank new.jsonl old.jsonl",
        FRESH,
        ("matched by the text in 'prompt'",),
        models=("new", "old"),
        items=60,
    ),
    Case(
        "ids of a run/one model name",
        "compare b/out.jsonl a/out.jsonl",
        {
            "a/out.jsonl": fresh_ids(BEFORE, 1, model="llama"),
            "b/out.jsonl": fresh_ids(AFTER, 1000, model="llama"),
        },
        ("b is better than a", "60 items", "matched by the text in 'prompt'"),
    ),
    # A file for each run, of which the newest is wanted.
    Case(
        "reruns in files/date in the name",
        "rank runs --reruns newest",
        run_files("gpt_2026-05-01", "llama_2026-05-01", "llama_2026-05-02"),
        ("left aside: runs/llama_2026-05-01.csv",),
        models=("gpt", "llama"),
        items=60,
        means={"gpt": sum(BEFORE) / 60, "llama": sum(AFTER) / 60},
    ),
    Case(
        "reruns in files/a column of times",
        "rank runs --reruns newest",
        run_files("gpt-1", "llama-1", "llama-2", times=True),
        ("left aside: runs/llama-1.csv",),
        models=("gpt", "llama"),
        items=60,
        means={"gpt": sum(BEFORE) / 60, "llama": sum(AFTER) / 60},
    ),
    Case(
        "reruns in files/files of tasks stay tasks",
        "rank runs --reruns newest",
        {
            f"runs/{name}.csv": lines(
                "model,id,correct",
                *(
                    f"{model},{n},{value}"
                    for model, share in (("a", 0.9), ("b", 0.5))
                    for n, value in enumerate(right(share, 60, len(name)))
                ),
            )
            for name in ("law_2026-05-01", "law_2026-05-02", "math_2026-05-01")
        },
        models=("a", "b"),
        tasks=("law", "math"),
        items=60,
    ),
    # Runs of one night in a folder each.
    Case(
        "nightly runs/compared",
        "compare nightly/2026-05-02 nightly/2026-05-01",
        NIGHTLY,
        ("2026-05-02 is better than 2026-05-01", "score = 'pass'", "60 items"),
    ),
    Case(
        "nightly runs/newest",
        "rank nightly other.jsonl --reruns newest",
        NIGHTLY | {"other.jsonl": nightly(right(0.3))},
        ("left aside: nightly/2026-05-01/qwen.jsonl",),
        models=("nightly/qwen", "other"),
        items=60,
        means={"nightly/qwen": sum(AFTER) / 60},
    ),
    Case(
        "ids that number the rows/in another order",
        "rank a.jsonl b.jsonl",
        {
            "a.jsonl": json_lines(
                {"id": range(60), "prompt": [f"Q{i}" for i in range(60)], "correct": right(0.8)}
            ),
            "b.jsonl": json_lines(
                {
                    "id": range(60),
                    "prompt": [f"Q{7 * i % 60}" for i in range(60)],
                    "correct": right(0.5),
                }
            ),
        },
        ("matched by the text in 'prompt'",),
        models=("a", "b"),
        items=60,
    ),
    Case(
        "ids that number the rows/of other texts",
        "rank a.jsonl b.jsonl",
        {
            f"{name}.jsonl": json_lines(
                {"id": range(60), "prompt": [f"{name} {i}" for i in range(60)], "correct": right(s)}
            )
            for name, s in (("a", 0.8), ("b", 0.5))
        },
        ("is another one in each model", "--column item="),
        models=("a", "b"),
        items=60,
    ),
    Case(
        "ids that number the rows of sides/in another order",
        "compare a.jsonl b.jsonl",
        {
            f"{name}.jsonl": json_lines(
                {
                    "id": range(60),
                    "prompt": [f"Q{step * i % 60}" for i in range(60)],
                    # Every answer follows from its text, so that nothing differs where texts match.
                    "correct": [step * i % 60 % 3 % 2 for i in range(60)],
                }
            )
            for name, step in (("a", 1), ("b", 7))
        },
        ("matched by the text in 'prompt'", "Of these 60 items, only a got 0 right and only b 0."),
    ),
    Case(
        "ids that number the rows of sides/named sides",
        "compare new=a.csv old=b.csv",
        {
            f"{name}.csv": table(
                {
                    "id": range(60),
                    "prompt": [f"Q{step * i % 60}" for i in range(60)],
                    "model": ["m"] * 60,
                    "correct": [step * i % 60 % 3 % 2 for i in range(60)],
                }
            )
            for name, step in (("a", 1), ("b", 7))
        },
        ("matched by the text in 'prompt'", "only new got 0 right and only old 0."),
    ),
    Case(
        "ids that number the rows of sides/of other texts",
        "compare a.jsonl b.jsonl",
        {
            f"{name}.jsonl": json_lines(
                {"id": range(60), "prompt": [f"{name} {i}" for i in range(60)], "correct": right(s)}
            )
            for name, s in (("a", 0.8), ("b", 0.5))
        },
        ("is another one in each model", "--column item="),
    ),
    Case(
        "scores in a nest/of metrics",
        "compare new.jsonl old.jsonl --metric exact_match",
        {
            f"{name}.jsonl": json_lines(
                {
                    "id": range(60),
                    "output": ["It is so."] * 60,
                    "metrics": [{"exact_match": one, "f1": 0.9 * one} for one in right(share)],
                }
            )
            for name, share in (("new", 0.85), ("old", 0.5))
        },
        ("new is better than old",),
    ),
    Case(
        "scores in a nest/of records and their status",
        "compare new.json old.json",
        {
            f"{name}.json": json.dumps(
                {
                    "results": [
                        {"id": f"t{n}", "status": "passed" if one else "failed"}
                        for n, one in enumerate(right(share))
                    ]
                }
            )
            for name, share in (("new", 0.85), ("old", 0.5))
        },
        ("new is better than old",),
    ),
)

"""Models that were not given the same task: other settings, or other questions under one id."""

from __future__ import annotations

import json

from everyday.case import Case, json_lines, lines, right, table
from everyday.twosides import inside, lm_eval

SHARES = {"new": 0.9, "old": 0.5}


def shown(shots: dict[str, int]) -> dict[str, str | bytes]:
    """A file of each model, with the number of examples that it was shown."""
    return {
        f"{name}.jsonl": json_lines(
            {"doc_id": range(60), "num_fewshot": [count] * 60, "correct": right(SHARES[name])}
        )
        for name, count in shots.items()
    }


def log(name: str, shots: int) -> dict[str, str]:
    """Results of lm-eval with a number of examples."""
    files = lm_eval(f"/ckpt/{name}", right(SHARES[name]), "2026-11-20T10-00-00")
    files = {path: text for path, text in files.items() if path.startswith("results")}
    for path, text in files.items():
        content = json.loads(text)
        content["n-shot"] = {"arc": shots}
        files[path] = json.dumps(content)
    return inside(name, files)


def asked(changed: int) -> dict[str, str | bytes]:
    """A file of each model, of which the new one has another question under some ids."""
    return {
        f"{name}.csv": table(
            {
                "id": range(60),
                "prompt": [f"Q{n} v{1 + (name == 'new' and n < changed)}" for n in range(60)],
                "correct": right(share),
            }
        )
        for name, share in SHARES.items()
    }


def judged() -> dict[str, str]:
    """The judge was upgraded between two runs."""
    return {
        f"{name}.csv": lines(
            "id,model,judge,score", *(f"{n},{name},{judge},{(n * 7) % 5 + more}" for n in range(60))
        )
        for name, judge, more in (("new", "gpt-5", 2), ("old", "gpt-4", 1))
    }


def marked(other: int) -> dict[str, str]:
    """Some right answers were corrected between two runs."""
    return {
        f"{name}.csv": lines(
            "id,model,gold,correct",
            *(
                f"{n},{name},{'ABCD'[(n + (more and n < other)) % 4]},{n % (3 + more) % 2}"
                for n in range(60)
            ),
        )
        for name, more in (("new", 1), ("old", 0))
    }


CASES = (
    Case(
        "another key/asked",
        "compare new.csv old.csv --column item=id",
        marked(12),
        ("for 12 of 60 ids the right answer in 'gold' is another one", "--compare-anyway"),
        code=1,
    ),
    Case(
        "another key/a slip is counted",
        "rank new.csv old.csv",
        marked(2),
        ("for 2 of 60 ids the right answer in 'gold' is another one",),
    ),
    Case(
        "another key/told",
        "compare new.csv old.csv --compare-anyway",
        marked(12),
        ("for 12 of 60 ids", "paired by id all the same"),
    ),
    Case(
        "another judge/asked",
        "compare new.csv old.csv",
        judged(),
        ("the models were not given the same task", "Column 'judge'", "--compare-anyway"),
        code=1,
    ),
    Case(
        "another judge/told",
        "compare new.csv old.csv --compare-anyway",
        judged(),
        ("compared as asked, although: Column 'judge'",),
    ),
    Case(
        "another number of examples/a column of two files",
        "compare new.jsonl old.jsonl",
        shown({"new": 8, "old": 5}),
        ("not given the same task. Column 'num_fewshot': '8' ('new'), '5' ('old')",),
        code=1,
    ),
    Case(
        "another number of examples/named, and wanted",
        "rank new=new.jsonl old=old.jsonl --compare-anyway",
        shown({"new": 8, "old": 5}),
        ("compared as asked, although: Column 'num_fewshot': '8'",),
        models=("new", "old"),
        items=60,
    ),
    Case(
        "another number of examples/named folders of logs",
        "check rl=new base=old --claim 'rl > base'",
        {**log("new", 8), **log("old", 5)},
        ("Shots: '8-shot' ('rl'), '5-shot' ('base')", "--compare-anyway"),
        code=1,
    ),
    Case(
        "other questions under one id/a third of them",
        "compare new.csv old.csv",
        asked(20),
        ("20 of 60 ids have another text in 'prompt'", "--column item=prompt --missing pairwise"),
        code=1,
    ),
    Case(
        "other questions under one id/a few of them",
        "rank new.csv old.csv",
        asked(2),
        ("2 of 60 ids have another text in 'prompt' for each model, and are paired by id",),
        models=("new", "old"),
        items=60,
    ),
    Case(
        "other questions under one id/only the same of them",
        "compare new.csv old.csv --column item=prompt --missing pairwise",
        asked(20),
        ("new is better than old", "these 40 items"),
    ),
)

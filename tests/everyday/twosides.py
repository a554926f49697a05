"""Two results side by side, and one file per model."""

from __future__ import annotations

import json

from everyday.case import (
    Case,
    json_lines,
    lines,
    long_table,
    one_file,
    parquet,
    records,
    right,
    table,
)

BASE, TUNED = right(0.5), right(0.85)
IDS = range(1, 61)
BETTER = "tuned is better than base"


def answers(scores: list[int], **more: object) -> dict[str, list[object]]:
    return {"id": [*IDS], **{name: [value] * 60 for name, value in more.items()}, "correct": scores}


def lm_eval(model: str, scores: list[int], time: str) -> dict[str, str]:
    """A results file of lm-eval and its samples."""
    rows = [
        {"doc_id": number, "target": "x", "filter": "none", "metrics": ["acc"], "acc": score,
         "doc_hash": f"{number:064d}", "doc": {}, "arguments": [["x"]], "resps": [["y"]],
         "filtered_resps": ["y"], "prompt_hash": f"{number:064d}", "target_hash": "0" * 64}
        for number, score in enumerate(scores)
    ]  # fmt: skip
    results = {
        "results": {"arc": {"alias": "arc", "acc,none": sum(scores) / len(scores)}},
        "group_subtasks": {"arc": []}, "configs": {"arc": {"task": "arc", "num_fewshot": 0}},
        "versions": {"arc": 1.0}, "n-shot": {"arc": 0}, "higher_is_better": {"arc": {"acc": True}},
        "n-samples": {"arc": {"original": len(scores), "effective": len(scores)}},
        "config": {"model": "hf", "model_args": f"pretrained={model}", "limit": None},
        "task_hashes": {"arc": "a"}, "model_name": model,
    }  # fmt: skip
    return {
        f"results_{time}.json": json.dumps(results),
        f"samples_arc_{time}.jsonl": "".join(json.dumps(row) + "\n" for row in rows),
    }


def log(scores: list[int]) -> str:
    """Lines of an evaluation: what was asked and answered, and whether that is right."""
    return "".join(
        json.dumps({"id": f"q{i:03}", "prompt": f"What is {i} + 0?", "output": str(i),
                    "correct": bool(score), "latency_ms": 300 + i}) + "\n"
        for i, score in enumerate(scores)
    )  # fmt: skip


def inside(folder: str, files: dict[str, str]) -> dict[str, str]:
    return {f"{folder}/{name}": text for name, text in files.items()}


TWO = {"tuned.csv": table(answers(TUNED)), "base.csv": table(answers(BASE))}
LOG_A = lm_eval("./out", TUNED, "2026-05-01T10-00-00.000000")
LOG_B = lm_eval("./out", BASE, "2026-05-02T10-00-00.000000")

CASES = (
    # Lines of a log, with answers that are numbers and seconds beside them.
    Case(
        "log of answers/numbers as outputs",
        "compare tuned.jsonl base.jsonl",
        {"tuned.jsonl": log(TUNED), "base.jsonl": log(BASE)},
        (BETTER, "score = 'correct'", "Not used: 'output', 'latency_ms'"),
    ),
    # Two files of one model each.
    Case("two files/csv", "compare tuned.csv base.csv", TWO, (BETTER,)),
    Case(
        "two files/order kept",
        "compare base.csv tuned.csv",
        TWO,
        ("base is worse than tuned", "base minus tuned"),
        ("A minus B",),
    ),
    Case(
        "two files/no verdict",
        "compare a.csv b.csv",
        {"a.csv": one_file("correct", 0.6), "b.csv": one_file("correct", 0.61)},
        ("Cannot tell",),
    ),
    Case(
        "two jsonl/resolved",
        "compare tuned.jsonl base.jsonl",
        {
            name: json_lines(
                {"instance_id": [f"django-{n}" for n in IDS], "resolved": [bool(v) for v in v_]}
            )
            for name, v_ in (("tuned.jsonl", TUNED), ("base.jsonl", BASE))
        },
        (BETTER, "resolved"),
    ),
    Case(
        "two jsonl/with texts",
        "compare tuned.jsonl base.jsonl",
        {
            name: json_lines(
                {
                    "question_id": [*IDS],
                    "prompt": [f"What is {n}?" for n in IDS],
                    "response": ["It is so, I think."] * 60,
                    "is_correct": v_,
                }
            )
            for name, v_ in (("tuned.jsonl", TUNED), ("base.jsonl", BASE))
        },
        (BETTER,),
    ),
    Case(
        "two json/list of records",
        "compare tuned.json base.json",
        {
            name: json.dumps(
                records(
                    {"task_id": [f"HumanEval/{n}" for n in IDS], "passed": [bool(v) for v in v_]}
                )
            )
            for name, v_ in (("tuned.json", TUNED), ("base.json", BASE))
        },
        (BETTER, "60 items"),
    ),
    Case(
        "two json/an object by item",
        "compare tuned.json base.json",
        {
            name: json.dumps({f"q{n}": v for n, v in zip(IDS, v_, strict=True)})
            for name, v_ in (("tuned.json", TUNED), ("base.json", BASE))
        },
        (BETTER, "60 items"),
    ),
    Case(
        "two parquet/score",
        "compare tuned.parquet base.parquet",
        {
            "tuned.parquet": parquet({"item": [*IDS], "score": TUNED}),
            "base.parquet": parquet({"item": [*IDS], "score": BASE}),
        },
        (BETTER,),
    ),
    Case(
        "two formats/csv and jsonl",
        "compare tuned.csv base.jsonl",
        {"tuned.csv": table(answers(TUNED)), "base.jsonl": json_lines(answers(BASE))},
        (BETTER,),
    ),
    # Folders.
    Case(
        "two folders/same file names",
        "compare runs/new runs/old",
        {"runs/new/scores.csv": table(answers(TUNED)), "runs/old/scores.csv": table(answers(BASE))},
        ("new is better than old",),
    ),
    Case(
        "two folders/files inside",
        "compare new/scores.csv old/scores.csv",
        {"new/scores.csv": table(answers(TUNED)), "old/scores.csv": table(answers(BASE))},
        ("new is better than old",),
    ),
    Case(
        "two folders/one model name",
        "compare b a",
        {
            "a/out.csv": table(answers(BASE, model="llama")),
            "b/out.csv": table(answers(TUNED, model="llama")),
        },
        ("b is better than a",),
    ),
    # Names.
    Case("named/compare", "compare new=tuned.csv old=base.csv", TWO, ("new is better than old",)),
    Case("named/rank", "rank new=tuned.csv old=base.csv", TWO, models=("new", "old"), items=60),
    Case(
        "named/one has none",
        "compare new=tuned.csv base.csv",
        TWO,
        ("Name all of them, or none",),
        code=1,
    ),
    Case(
        "path with a sign/compare",
        "compare lr=0.2.csv lr=0.1.csv",
        {"lr=0.1.csv": table(answers(BASE)), "lr=0.2.csv": table(answers(TUNED))},
        ("is better than",),
    ),
    Case(
        "path with a sign/rank",
        "rank lr=0.1.csv lr=0.2.csv lr=0.3.csv",
        {f"lr=0.{n}.csv": table(answers(right(0.3 + 0.2 * n))) for n in (1, 2, 3)},
        items=60,
        models=("lr=0.1", "lr=0.2", "lr=0.3"),
    ),
    Case(
        "named in a store/add",
        "add --store board.duckdb new=tuned.csv old=base.csv",
        TWO,
        ("new", "old"),
        ("Traceback",),
    ),
    Case(
        "named in a store/formats", "formats new=tuned.csv old=base.csv", TWO, ("tuned.csv: tidy",)
    ),
    # The same model twice.
    Case(
        "one model name/two files",
        "compare a/out.jsonl b/out.jsonl",
        {
            "a/out.jsonl": json_lines(answers(TUNED, model="served")),
            "b/out.jsonl": json_lines(answers(BASE, model="served")),
        },
        ("a is better than b",),
    ),
    Case(
        "one model name/two logs",
        "compare new old",
        inside("new", LOG_A) | inside("old", LOG_B),
        ("new is better than old", "60 items"),
    ),
    Case(
        "one model name/lm-eval dot out",
        "compare new/.__out old/.__out",
        inside("new/.__out", LOG_A) | inside("old/.__out", LOG_B),
        ("new is better than old", "60 items"),
    ),
    Case(
        "hidden folder/lm-eval dot out below",
        "compare new old",
        inside("new/.__out", LOG_A) | inside("old/.__out", LOG_B),
        ("new is better than old", "60 items"),
    ),
    # The same file twice.
    Case("same file/twice", "compare base.csv base.csv", TWO, ("same file",), code=1),
    Case(
        "same file/copy",
        "compare base.csv copy.csv",
        {"base.csv": table(answers(BASE)), "copy.csv": table(answers(BASE))},
        ("the same", "copy.csv"),
    ),
    Case("same file/by two paths", "compare base.csv ./base.csv", TWO, ("same file",), code=1),
    # How many models.
    Case(
        "two models/in one file",
        "compare both.csv",
        {"both.csv": long_table({"tuned": 0.85, "base": 0.5})},
        ("base is worse than tuned",),
    ),
    Case(
        "three models/named",
        "compare all.csv --models tuned --models base",
        {"all.csv": long_table({"tuned": 0.85, "base": 0.5, "old": 0.2})},
        (BETTER,),
    ),
    Case(
        "three models/not named",
        "compare all.csv",
        {"all.csv": long_table({"tuned": 0.85, "base": 0.5, "old": 0.2})},
        ("found 3", "'base', 'old', 'tuned'", "--models"),
        code=1,
    ),
    Case("one model only/compare", "compare tuned.csv", TWO, ("Two models are needed",), code=1),
    Case(
        "pooled inputs/models",
        "compare x.csv y.csv --models tuned --models base",
        {"x.csv": long_table({"tuned": 0.85, "other": 0.2}), "y.csv": long_table({"base": 0.5})},
        (BETTER,),
    ),
    # What is asked of them.
    Case(
        "tasks in files/two",
        "compare tuned.csv base.csv",
        {
            name: lines(
                "task,id,score",
                *(f"{t},{n},{v}" for t in ("law", "math") for n, v in enumerate(v_)),
            )
            for name, v_ in (("tuned.csv", TUNED), ("base.csv", BASE))
        },
        ("law", "math", "average"),
    ),
    Case(
        "other items/none shared",
        "compare a.csv b.csv",
        {
            "a.csv": lines("id,correct", *(f"a{n},{v}" for n, v in enumerate(TUNED))),
            "b.csv": lines("id,correct", *(f"b{n},{v}" for n, v in enumerate(BASE))),
        },
        ("none has a name in common",),
        code=1,
    ),
    Case(
        "other items/one half",
        "compare a.csv b.csv",
        {
            "a.csv": table(answers(TUNED)),
            "b.csv": lines("id,correct", *(f"{n},{v}" for n, v in enumerate(BASE, 31))),
        },
        ("--missing pairwise",),
        code=1,
    ),
    # One file per model.
    Case(
        "file per model/csv",
        "rank base.csv tuned.csv llama-3.1-8b.csv",
        TWO | {"llama-3.1-8b.csv": one_file("correct", 0.3)},
        models=("base", "tuned", "llama-3.1-8b"),
        items=60,
    ),
    Case(
        "file per model/folder of jsonl",
        "rank results",
        {
            f"results/{name}.jsonl": json_lines(
                {"id": [*IDS], "answer": ["Paris"] * 60, "reward": right(share)}
            )
            for name, share in (("a", 0.9), ("b", 0.6), ("c", 0.3))
        },
        models=("a", "b", "c"),
        items=60,
    ),
    Case(
        "file per model/success",
        "rank results",
        {
            f"results/{name}.csv": table(
                {
                    "problem": [f"p{n}" for n in IDS],
                    "success": ["yes" if v else "no" for v in right(share)],
                }
            )
            for name, share in (("a", 0.9), ("b", 0.6))
        },
        models=("a", "b"),
        items=60,
    ),
    Case(
        "file per task/folder per model",
        "rank gpt=runs/gpt llama=runs/llama",
        {
            f"runs/{model}/{task}.csv": one_file("correct", share)
            for model, share in (("gpt", 0.9), ("llama", 0.5))
            for task in ("law", "math")
        },
        models=("gpt", "llama"),
        tasks=("law", "math"),
        items=60,
    ),
    Case(
        "file per task asked/folders or files",
        "rank runs",
        {
            f"runs/{model}/{task}.csv": one_file("correct", share)
            for model, share in (("gpt", 0.9), ("llama", 0.5))
            for task in ("law", "math")
        },
        ("gpt=runs/gpt llama=runs/llama", "'law=runs/*/law.csv'"),
        code=1,
    ),
    Case(
        "file per task/compare folders",
        "compare runs/gpt runs/llama",
        {
            f"runs/{model}/{task}.csv": one_file("correct", share)
            for model, share in (("gpt", 0.9), ("llama", 0.5))
            for task in ("law", "math")
        },
        ("gpt is better than llama", "law", "math"),
    ),
    *(
        Case(
            f"runs in files/{name}",
            line,
            {
                path.format(model=model, seed=seed): table(
                    {"id": IDS, "correct": right(share, seed=seed)}
                )
                for model, share in (("new", 0.85), ("old", 0.5))
                for seed in (1, 2, 3)
            },
            ("60 items", "3 answers to each", "No column names the run"),
            ("180 items",),
        )
        for name, line, path in (
            ("folders of two sides", "compare runs/new runs/old", "runs/{model}/seed{seed}/r.csv"),
            ("files of two sides", "compare runs/new runs/old", "runs/{model}/run-{seed}.csv"),
            ("a folder of folders", "rank runs", "runs/{model}/seed_{seed}/results.csv"),
        )
    ),
    Case(
        "no ids/numbers only",
        "rank a.txt b.txt",
        {"a.txt": lines("score", *TUNED), "b.txt": lines("score", *BASE)},
        ("--rows items",),
        code=1,
    ),
)

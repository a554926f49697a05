"""Tables with one row per answer, with the columns that people and their tools write."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from everyday.case import Case, json_lines, lines, long_table, right, table

SHARES = {"gpt": 0.9, "llama": 0.6, "qwen": 0.3}
THREE = tuple(SHARES)


def answers(
    model: str, item: str, score: str, *, items: int = 60, words: Sequence[object] = (0, 1),
    more: Mapping[str, object] | None = None,
) -> dict[str, list[object]]:  # fmt: skip
    """Columns of a table of three models."""
    columns: dict[str, list[object]] = {name: [] for name in (model, item, score, *(more or {}))}
    for name, share in SHARES.items():
        for number, value in enumerate(right(share, items)):
            columns[model].append(name)
            columns[item].append(f"x{number}" if item != "id" else number)
            columns[score].append(words[value])
            for key, cell in (more or {}).items():
                columns[key].append(cell)
    return columns


def tried(number: str, score: str = "reward", item: str = "task_id", more: str = "") -> str:
    """Every item tried three times."""
    rows = [
        f"{name},airline_{place},{trial},{int((place * 7 + trial * 3) % 10 < share * 10)}{more}"
        for name, share in SHARES.items()
        for place in range(30)
        for trial in range(3)
    ]
    return lines(f"agent,{item},{number},{score}{',note' if more else ''}", *rows)


TWICE = lines(
    "model,item,temperature,score",
    *(
        f"{m},{i},{t},{(i * 3 + k) % 2}"
        for m in "ab"
        for i in range(20)
        for k, t in enumerate((0, 1))
    ),
)

CASES = (
    # task_id names the item.
    Case(
        "task_id/resolved",
        "rank r.csv",
        {"r.csv": table(answers("model", "task_id", "resolved"))},
        models=THREE,
        items=60,
        hides=("published",),
    ),
    Case(
        "task_id/true and false",
        "rank r.csv",
        {"r.csv": table(answers("model", "task_id", "resolved", words=("False", "True")))},
        models=THREE,
        items=60,
    ),
    Case(
        "task_id/with a task",
        "rank r.jsonl",
        {
            "r.jsonl": json_lines(
                answers("model", "task_id", "passed", more={"benchmark": "humaneval"})
            )
        },
        models=THREE,
        items=60,
        tasks=("humaneval",),
    ),
    # Answers to one item.
    Case(
        "answers/trial",
        "rank tau.csv",
        {"tau.csv": tried("trial")},
        ("3 answers",),
        models=THREE,
        items=30,
    ),
    Case(
        "answers/attempt",
        "rank tau.csv",
        {"tau.csv": tried("attempt", "resolved", "instance_id")},
        ("3 answers",),
        models=THREE,
        items=30,
    ),
    Case(
        "answers/epoch",
        "rank tau.csv",
        {"tau.csv": tried("epoch", "score", "sample_id")},
        ("3 answers",),
        models=THREE,
        items=30,
    ),
    Case(
        "seeds/seed and item",
        "rank s.csv",
        {"s.csv": tried("seed", "accuracy", "item")},
        ("3 answers",),
        models=THREE,
        items=30,
    ),
    Case(
        "seeds/only seeds",
        "rank s.csv",
        {
            "s.csv": lines(
                "model,seed,accuracy",
                *(
                    f"{m},{s},{0.6 + 0.1 * k + 0.01 * ((s * 7 + k) % 5)}"
                    for k, m in enumerate("abc")
                    for s in range(6)
                ),
            )
        },
        ("training runs",),
        models=("a", "b", "c"),
        items=6,
    ),
    # What models are called.
    Case(
        "models/agent",
        "rank r.csv",
        {"r.csv": table(answers("agent", "task_id", "success"))},
        models=THREE,
        items=60,
    ),
    Case(
        "models/checkpoint",
        "rank r.csv",
        {"r.csv": table(answers("checkpoint", "question", "is_correct"))},
        models=THREE,
        items=60,
    ),
    Case(
        "models/config",
        "rank r.csv",
        {"r.csv": table(answers("config", "prompt_id", "score"))},
        models=THREE,
        items=60,
    ),
    Case(
        "model and config/duplicates",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,config,item,score",
                *(
                    f"gpt,{c},{i},{(i + k) % 3 % 2}"
                    for k, c in enumerate(("low", "high"))
                    for i in range(30)
                ),
            )
        },
        ("'config'", "--column model=config"),
        code=1,
    ),
    Case(
        "numbers as names/models",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,item,score",
                *(f"{m},{i},{v}" for m, s in ((7, 0.4), (13, 0.8)) for i, v in enumerate(right(s))),
            )
        },
        models=("7", "13"),
        items=60,
    ),
    # What items are called.
    Case(
        "items/question text",
        "rank r.csv",
        {"r.csv": table(answers("model", "question", "correct"))},
        models=THREE,
        items=60,
    ),
    Case(
        "items/problem",
        "rank r.csv",
        {"r.csv": table(answers("model_name", "problem", "solved"))},
        models=THREE,
        items=60,
    ),
    Case(
        "items/whole numbers as id",
        "rank r.csv",
        {"r.csv": table(answers("model", "id", "score"))},
        models=THREE,
        items=60,
    ),
    Case(
        "item matrix/prompt_id",
        "rank m.csv",
        {
            "m.csv": table(
                {
                    "prompt_id": [f"p{n}" for n in range(60)],
                    **{m: right(s) for m, s in SHARES.items()},
                }
            )
        },
        models=THREE,
        items=60,
    ),
    Case(
        "item matrix/instance_id",
        "rank m.csv",
        {
            "m.csv": table(
                {
                    "instance_id": [f"p{n}" for n in range(60)],
                    **{m: right(s) for m, s in SHARES.items()},
                }
            )
        },
        models=THREE,
        items=60,
    ),
    Case(
        "item matrix/only 0 and 1",
        "rank m.csv",
        {"m.csv": table({m: right(s) for m, s in SHARES.items()})},
        models=THREE,
        items=60,
    ),
    # The same row twice.
    Case(
        "twice/a column tells",
        "rank r.csv",
        {"r.csv": TWICE},
        ("'temperature'", "--column epoch=temperature"),
        code=1,
    ),
    Case(
        "twice/none tells",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,item,grader,score", "a,1,x,1", "a,1,x,0", "a,2,x,1", "b,1,x,0", "b,2,x,1"
            )
        },
        ("Not used: 'grader'",),
        code=1,
    ),
    Case(
        "twice/newest wanted",
        "rank r.csv --reruns newest",
        {
            "r.csv": lines(
                "model,item,score,timestamp",
                *(
                    f"{m},{i},{v},2026-05-01T10:00:00"
                    for m, s in SHARES.items()
                    for i, v in enumerate(right(s))
                ),
                *(f"llama,{i},{v},2026-06-01T10:00:00" for i, v in enumerate(right(0.95))),
            )
        },
        ("newest", "timestamp"),
        models=THREE,
        items=60,
        means={"llama": sum(right(0.95)) / 60},
    ),
    Case(
        "reruns/all",
        "rank r.csv --reruns all",
        {
            "r.csv": lines(
                "model,item,score,date",
                *(
                    f"{m},{i},{v},2026-05-0{d}"
                    for d in (1, 2)
                    for m, s in SHARES.items()
                    for i, v in enumerate(right(s, seed=d))
                ),
            )
        },
        ("2 answers",),
        models=THREE,
        items=60,
    ),
    Case(
        "reruns/asked",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,item,score,created_at",
                *(
                    f"{m},{i},{v},2026-05-0{d} 08:00:00"
                    for d in (1, 2)
                    for m, s in SHARES.items()
                    for i, v in enumerate(right(s, seed=d))
                ),
            )
        },
        ("--reruns newest", "--reruns all"),
        code=1,
    ),
    Case(
        "reruns/two files",
        "rank first.csv second.csv --reruns newest",
        {
            "first.csv": long_table(SHARES).replace(",q", ",t,q").replace("l,i", "l,task,i"),
            "second.csv": lines(
                "model,task,item,score",
                *(f"llama,t,q{n},{v}" for n, v in enumerate(right(0.95))),
            ),
        },
        ("no column says",),
        code=1,
    ),
    # Words for right and wrong.
    Case(
        "words/pass and fail",
        "rank r.csv",
        {"r.csv": table(answers("model", "test", "result", words=("FAIL", "PASS")))},
        ("pass counts as 1",),
        models=THREE,
        items=60,
    ),
    Case(
        "words/correct and incorrect",
        "rank r.csv",
        {"r.csv": table(answers("model", "question", "result", words=("incorrect", "correct")))},
        ("'correct'",),
        models=THREE,
        items=60,
        means={"gpt": sum(right(0.9)) / 60},
    ),
    Case(
        "words/check marks",
        "rank r.csv",
        {"r.csv": table(answers("model", "question", "result", words=("✗", "✓")))},
        models=THREE,
        items=60,
        means={"gpt": sum(right(0.9)) / 60},
    ),
    Case(
        "answers not scored/letters",
        "rank r.csv",
        {"r.csv": table(answers("model", "question", "answer", words=("A", "B")))},
        ("score",),
        code=1,
    ),
    Case(
        "answers not scored/prediction and label",
        "rank r.csv",
        {
            "r.csv": table(
                answers("model", "item", "prediction", words=("A", "B"), more={"label": "B"})
            )
        },
        ("Score them first",),
        code=1,
    ),
    # Columns beside the score.
    Case(
        "beside the score/time and cost",
        "rank r.csv",
        {
            "r.csv": table(
                answers(
                    "model",
                    "item",
                    "correct",
                    more={"latency_s": 1.3, "cost_usd": 0.002, "tokens": 811},
                )
            )
        },
        ("latency_s",),
        models=THREE,
        items=60,
    ),
    Case(
        "beside the score/two scores",
        "rank r.csv",
        {"r.csv": table(answers("model", "item", "acc", more={"f1": 0.5}))},
        ("'acc', 'f1'", "--column score=acc"),
        code=1,
    ),
    Case(
        "only a time/asked",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,item,latency_ms",
                *(f"{m},{i},{200 + 30 * k + i % 7}" for k, m in enumerate("ab") for i in range(30)),
            )
        },
        ("--direction latency_ms=lower",),
        code=1,
    ),
    Case(
        "metrics below each other/asked",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,item,metric,score",
                *(
                    f"{m},{i},{q},{(i + k) % 2}"
                    for k, m in enumerate("ab")
                    for i in range(30)
                    for q in ("em", "f1")
                ),
            )
        },
        ("--metric em",),
        code=1,
    ),
    # Other shapes of JSON.
    Case(
        "json/models and tasks",
        "rank r.json --layout tasks-by-models",
        {
            "r.json": json.dumps(
                {"gpt": {"law": 0.71, "math": 0.65}, "llama": {"law": 0.55, "math": 0.41}}
            )
        },
        models=("gpt", "llama"),
        tasks=("law", "math"),
    ),
    Case(
        "json asked/models or tasks",
        "rank r.json",
        {
            "r.json": json.dumps(
                {"gpt": {"law": 0.71, "math": 0.65}, "llama": {"law": 0.55, "math": 0.41}}
            )
        },
        ("--layout tasks-by-models", "--layout models-by-tasks"),
        code=1,
    ),
    Case(
        "json/models and answers",
        "rank r.json",
        {"r.json": json.dumps({name: right(share) for name, share in SHARES.items()})},
        models=THREE,
        items=60,
    ),
    Case(
        "json/rows below a key",
        "rank r.json",
        {
            "r.json": json.dumps(
                {
                    "created": "2026-05-01",
                    "results": [
                        {"model": m, "id": i, "score": v}
                        for m, s in SHARES.items()
                        for i, v in enumerate(right(s))
                    ],
                }
            )
        },
        models=THREE,
        items=60,
    ),
    Case(
        "a number of rows is no task/an unusual name",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,nr,rating",
                *(f"{m},{i},{1 + (i + k) % 5}" for k, m in enumerate("abc") for i in range(40)),
            )
        },
        ("'nr' numbers them", "--column item=nr --column score=rating"),
        code=1,
    ),
    Case(
        "text beside truth/results of tests of programs",
        "compare new.jsonl old.jsonl",
        {
            f"{name}.jsonl": json_lines(
                {
                    "task_id": [f"HumanEval/{i}" for i in range(60)],
                    "completion": ["return 1"] * 60,
                    "result": ["passed" if one else "failed: AssertionError" for one in found],
                    "passed": [bool(one) for one in found],
                }
            )
            for name, found in (("new", right(0.9)), ("old", right(0.4)))
        },
        ("score = 'passed'", "new is better than old"),
    ),
    Case(
        "a number of the row names the item/beside prompts",
        "compare new.jsonl old.jsonl",
        {
            f"{name}.jsonl": json_lines(
                {
                    "idx": range(60),
                    "prompt": [f"Question {i}?" for i in range(60)],
                    "prediction": ["A"] * 60,
                    "is_correct": [bool(one) for one in right(share)],
                }
            )
            for name, share in (("new", 0.9), ("old", 0.4))
        },
        ("item = 'idx'", "new is better than old", "60 items"),
    ),
    Case(
        "a number of the row names the item/called index",
        "rank new.jsonl old.jsonl",
        {
            f"{name}.jsonl": json_lines({"index": range(60), "correct": right(share)})
            for name, share in (("new", 0.9), ("old", 0.4))
        },
        ("item = 'index'",),
        models=("new", "old"),
        items=60,
    ),
    Case(
        "a number of the row names the item/of other rows in each file",
        "rank new.csv old.csv",
        {
            f"{name}.csv": table({"key": range(start, start + 60), "correct": right(share)})
            for name, share, start in (("new", 0.9, 0), ("old", 0.4, 60))
        },
        ("rows cannot be paired between models",),
        models=("new", "old"),
    ),
    Case(
        "names with blanks/are quoted",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,item,my score,their score",
                *(f"{m},{i},{i % 5},{i % 4}" for m in "ab" for i in range(40)),
            )
        },
        ("--column 'score=my score'",),
        code=1,
    ),
    Case(
        "a number of rows is no task/an index",
        "rank r.csv --column score=rating",
        {
            "r.csv": lines(
                "model,question_idx,temperature,rating",
                *(f"{m},{i},0.0,{1 + i % 5}" for m in "abc" for i in range(40)),
            )
        },
        ("item = 'question_idx'",),
        models=("a", "b", "c"),
        items=40,
    ),
    Case(
        "weights of tasks in the table/are said",
        "rank b.csv",
        {
            "b.csv": lines(
                "Benchmark,Weight,Orion,Kestrel,Basalt",
                "MMLU,1,84.1,83.0,77.2",
                "BBH,1,68.6,65.2,63.1",
                "MATH,1,51.0,52.4,38.8",
                "HumanEval,2,71.3,73.8,62.2",
            )
        },
        ("The column 'Weight' holds the weights of tasks",),
        models=("Orion", "Kestrel", "Basalt"),
    ),
    Case(
        "a number of rows is no task/beside an amount",
        "rank bench.csv",
        {
            "bench.csv": lines(
                "model,request,latency_ms",
                *(f"{m},{i},{245.5 + i % 7}" for m in ("v1", "v2") for i in range(40)),
            )
        },
        ("'request' numbers them", "--column item=request --column score=latency_ms"),
        code=1,
    ),
)

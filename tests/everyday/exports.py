"""What trackers, pivoted frames and concatenated logs write: headers, curves, columns of words."""

from __future__ import annotations

import json

from everyday.case import Case, lines, long_table, right, table

MODELS = {"ash": 0.8, "birch": 0.7, "cedar": 0.5}
SCORES = {name: sum(right(share)) / 60 for name, share in MODELS.items()}


def again(text: str, *places: int) -> str:
    """A file that holds its header once more above some of its rows."""
    header, *rows = text.splitlines()
    for place in sorted(places, reverse=True):
        rows.insert(place, header)
    return lines(header, *rows)


def curve(header: str, *points: int) -> str:
    """Accuracies of two models at points of their training."""
    return lines(
        header,
        *(f"{point},{name},{start + point / 1e4:.4f}" for point in points
          for name, start in (("ash", 0.5), ("birch", 0.49))),
    )  # fmt: skip


LEADERBOARD = lines(
    "T,Model,Average ⬆️,IFEval,BBH,GPQA,#Params (B),Hub ❤️,Precision,Merged,MoE",
    "🔶,org/ash,45.2,70.1,50.2,15.3,70.6,120,bfloat16,False,False",
    "💬,org/birch,42.2,60.1,52.3,14.2,72.7,80,float16,False,True",
    "🟢,org/cedar,34.8,50.1,42.2,12.1,8.0,10,bfloat16,True,False",
)
RUNS = lines(
    "Name,State,Notes,Tags,Runtime,Sweep,lr,eval/mmlu_acc,eval/gsm8k_acc,_step",
    "ash,finished,-,,3600,,0.001,0.71,0.55,1000",
    "birch,finished,-,,3500,,0.0003,0.69,0.58,900",
)

TIMEOUTS = lines(
    "model,item,trial,score",
    *(f"{name},q{item},{trial},{'' if name == 'new' and item < 15 and trial == 0 else answer}"
      for name, share in (("new", 0.75), ("old", 0.6)) for item in range(40)
      for trial, answer in enumerate(right(share, 4, item))),
)  # fmt: skip
BY_TASK = {
    f"r/{task}/ash.csv": table({"id": range(30), "correct": right(share, 30)})
    for task, share in (("math", 0.8), ("law", 0.4))
}

BOARD = lines("Model,MMLU,GSM8K,ARC", "a,1,2,3", "b,2,3,4")
PRINTED = lines(
    "hf (pretrained=x), limit: None",
    "| Tasks |Version|Filter|n-shot| Metric |   |Value|   |Stderr|",
    "|-------|------:|------|-----:|--------|---|----:|---|-----:|",
    "|arc_easy|     1|none  |     0|acc     |↑  | 0.71|±  |0.0093|",
    "|        |      |none  |     0|acc_norm|↑  | 0.69|±  |0.0095|",
    "|boolq   |     1|none  |     0|acc     |↑  | 0.45|±  |0.0050|",
)
RECORDS = [
    {"cfg": {"llm": name}, "outputs": [{"q": q, "ok": bool(v)} for q, v in enumerate(right(share))]}
    for name, share in MODELS.items()
]
LOG = "".join(
    json.dumps({"model": {"name": name}, "example": {"id": q}, "result": {"score": value}}) + "\n"
    for name, share in MODELS.items()
    for q, value in enumerate(right(share))
)
VERDICTS = {
    name: {f"q{q}": {"verdict": bool(v), "seconds": 1.5} for q, v in enumerate(right(share, 20))}
    for name, share in MODELS.items()
}

CASES = (
    Case(
        "sheets beside results/categories",
        "rank t.csv --categories c.csv",
        {"t.csv": BOARD, "c.csv": "\ufefftask;category\r\nMMLU;x\r\nGSM8K;x\r\nARC;y\r\n"},
        models=("a", "b"),
    ),
    Case(
        "weights of tasks/none for one",
        "rank t.csv --weights w.csv",
        {"t.csv": BOARD, "w.csv": lines("task,weight", "MMLU,0", "GSM8K,1", "ARC,2")},
        ("1 task has weight 0 and no part in the average: 'MMLU'",),
    ),
    Case(
        "sheets beside results/weights with decimal commas",
        "rank t.csv --weights w.csv",
        {"t.csv": BOARD, "w.csv": lines("task;weight", "MMLU;0,5", "GSM8K;1", "ARC;2,5")},
        ("weighted average",),
    ),
    Case(
        "site of a store/advice",
        "add t.csv --store s.duckdb ; site site.yaml -o out",
        {
            "t.csv": long_table({"a": 0.9, "b": 0.5, "c": 0.2}),
            "site.yaml": lines("title: T", "results: s.duckdb"),
        },
        ("if not: rankbars add --direction lower",),
        ("reading.",),
    ),
    *(
        Case(
            f"log of a store/{words}",
            f"add t.csv --store s.duckdb ; log {words}",
            {"t.csv": long_table({"a": 0.9, "b": 0.5})},
            says,
            code=code,
        )
        for words, says, code in (
            ("--store s.duckdb", ("s.duckdb holds 1 file", "t.csv"), 0),
            ("s.duckdb --store other.duckdb", ("Name one store: rankbars log STORE.",), 2),
            ("", ("Name one store: rankbars log STORE.",), 2),
        )
    ),
    Case(
        "sheets beside a site/models",
        "site site.yaml -o out",
        {
            "t.csv": BOARD,
            "m.csv": "\ufeffmodel;organisation;licence\r\na;X GmbH;MIT\r\nb;Y;Apache\r\n",
            "site.yaml": lines("title: T", "results: t.csv", "models: m.csv"),
        },
    ),
    Case(
        "bounds/a few items that the best model lacks",
        "rank t.csv --missing-items bounds",
        {"t.csv": "".join(
            line for line in long_table(MODELS).splitlines(keepends=True)
            if line[:7] not in ("ash,q0,", "ash,q1,")
        )},
        ("not ruled out: ash",),
        models=tuple(MODELS),
    ),
    Case(
        "null in a nest/timeouts of one night",
        "compare n/2 n/1",
        {
            f"n/{night}/results.jsonl": "".join(
                json.dumps({"task_id": q, "result": {"resolved": None if q < lost else bool(v)}})
                + "\n"
                for q, v in enumerate(right(0.6))
            )
            for night, lost in ((1, 0), (2, 7))
        },
        ("7 of 120 scores", "model '2' on 7 of 60 rows"),
        code=1,
    ),
    Case(
        "null in a nest/a night with two scores",
        "compare n/2 n/1",
        {
            "n/1/results.jsonl": '{"task_id": 1, "resolved": true}\n',
            "n/2/results.jsonl": '{"task_id": 1, "reward": 1, "resolved": true}\n',
        },
        ("2 columns could be the score",),
        code=1,
    ),
    Case(
        "long names/in an error",
        "rank t.csv",
        {"t.csv": lines("model,item,score", f"{'m' * 400},1,1", f"{'m' * 400},1,0")},
        (f"model '{'m' * 100}…{'m' * 20}'", "has 2 rows"),
        hides=("m" * 150,),
        code=1,
    ),
    Case(
        "logs in a nest/names of their own",
        "formats r.json",
        {"r.json": json.dumps({"runs": RECORDS})},
        ("--map 'model=runs[].cfg.llm,item=runs[].outputs[].q,score=runs[].outputs[].ok'",),
        code=1,
    ),
    Case(
        "logs in a nest/keys are names",
        "formats r.json",
        {"r.json": json.dumps({"date": "2026-05-01", "evals": {"math": VERDICTS}})},
        ("'model=evals.math.*,item=evals.math.*.*,score=evals.math.*.*.verdict'",),
        code=1,
    ),
    Case(
        "logs in a nest/lines of objects",
        "formats r.jsonl",
        {"r.jsonl": LOG},
        ("--map 'model=model.name,item=example.id,score=result.score'", "rankbars formats r.jsonl"),
    ),
    Case(
        "trials that timed out/a gate stops",
        "check t.csv --claim 'new > old'",
        {"t.csv": TIMEOUTS},
        ("'new' 15 of 160", "Nothing was judged", "--missing fail", "--missing pairwise"),
        code=1,
    ),
    Case(
        "trials that timed out/a comparison says what it rests on",
        "compare t.csv --models new --models old -q",
        {"t.csv": TIMEOUTS},
        ("if what is missing does not depend on the score", "'new' 15 of 160"),
    ),
    Case(
        "trials that timed out/a board says so",
        "rank t.csv -q",
        {"t.csv": TIMEOUTS},
        ("[1] Trials that ran and have no score: 'new' 15 of 160",),
    ),
    Case(
        "a folder per task/one model",
        "rank r",
        BY_TASK,
        ("files of one name stand in several folders", "law=r/law", "'ash=r/*/ash.csv'"),
        code=1,
    ),
    Case("a folder per task/named", "rank 'ash=r/*/ash.csv'", BY_TASK, models=("ash",),
         tasks=("law", "math")),
    Case(
        "arrows/losses and scores",
        "rank t.csv",
        {"t.csv": lines("Model,MMLU ↑,Toxicity (RTP) ↓,WER↓", "a,71,5.2,9", "b,70,5.4,8", "c,9,7,9")
        },
        ("'Toxicity (RTP) ↓', 'WER↓': lower is better (as the name says)",),
    ),
    Case(
        "arrows/negated already",
        "rank t.csv",
        {"t.csv": lines("Model,PPL ↓", "a,-5.2", "b,-5.4")},
        ("negated already", "--direction 'PPL ↓=higher'"),
        code=1,
    ),
    Case(
        "arrows/how a page was sorted",
        "rank t.csv",
        {"t.csv": lines("Model,MMLU ↓,BBH", "a,71,50", "b,70,51")},
        ("--direction 'MMLU ↓=higher'",),
        code=1,
    ),
    Case(
        "pictures of results/their columns",
        "plot v.csv votes_per_pair -o v.svg --column model_a=who --column model_b=whom "
        "--column winner=won",
        {"v.csv": lines("who,whom,won", "a,b,a", "b,a,a", "a,c,a", "b,c,b", "c,b,b")},
        ("model_a = 'who'",),
    ),
    Case(
        "pictures of results/a board is read already",
        "rank t.csv -o b.json ; plot b.json ranks -o b.svg --direction lower",
        {"t.csv": long_table(MODELS)},
        ("'direction' is an option for reading", "Give it to rankbars rank"),
        code=1,
    ),
    Case(
        "header again/answers",
        "rank t.csv",
        {"t.csv": again(long_table(MODELS), 60, 120)},
        ("The header stands 2 times more",),
        models=tuple(MODELS),
        items=60,
        means=SCORES,
    ),
    Case(
        "header again/right counts as 1, and so did the word",
        "rank t.csv u.csv",
        {
            "t.csv": again(lines("id,correct", "1,1", "2,0", "3,0", "4,1"), 2),
            "u.csv": lines("id,correct", "1,1", "2,1", "3,0", "4,1"),
        },
        ("The header stands once more",),
        items=4,
        means={"t": 0.5, "u": 0.75},
    ),
    Case(
        "header again/a board",
        "rank t.csv",
        {"t.csv": lines("Model,MMLU,GSM8K", "a,80.1,54", "Model,MMLU,GSM8K", "b,72.2,50")},
        models=("a", "b"),
        tasks=("MMLU", "GSM8K"),
        means={"a": 80.1},
    ),
    Case(
        "header rows/scores and errors",
        "rank t.csv",
        {
            "t.csv": lines(
                ",mmlu,mmlu,gsm8k,gsm8k", ",acc,stderr,acc,stderr", "model,,,,",
                "a,0.7,0.01,0.5,0.02", "b,0.6,0.01,0.4,0.02",
            )
        },
        ("The 3 rows of the header were joined",),
        models=("a", "b"),
        tasks=("mmlu_acc", "gsm8k_acc"),
        means={"a": 0.7},
    ),
    Case(
        "header rows/a pivot of one value",
        "rank t.csv",
        {"t.csv": lines(",score,score", "task,math,law", "model,,", "a,0.5,0.7", "b,0.4,0.6")},
        models=("a", "b"),
        tasks=("math", "law"),
        means={"a": 0.5},
    ),
    Case(
        "header rows/merged cells",
        "rank t.csv",
        {"t.csv": lines("Modell;MMLU;;BBH;", ";en;de;en;de", "a;71,2;70;50,5;50", "b;60;61;40;41")
                  .replace("Modell", "Model")},
        tasks=("MMLU_en", "MMLU_de", "BBH_en", "BBH_de"),
        means={"a": 71.2},
    ),
    Case(
        "words beside scores/a board of the hub",
        "rank t.csv",
        {"t.csv": LEADERBOARD},
        hides=("does not agree",),
        models=("org/ash", "org/birch", "org/cedar"),
        tasks=("IFEval", "BBH", "GPQA"),
    ),
    Case(
        "words beside scores/runs of a tracker",
        "rank t.csv",
        {"t.csv": RUNS},
        ("Left aside, as no scores: 'Notes', 'Tags', 'Sweep'",),
        tasks=("eval/mmlu_acc", "eval/gsm8k_acc"),
    ),
    Case(
        "words beside scores/sizes under any name",
        "rank t.csv --layout models-by-tasks",
        {"t.csv": lines("Modell;Größe;MMLU;GSM8K", "a;70B;71,2;55,1", "b;8x7B;68;60,2")},
        models=("a", "b"),
        tasks=("MMLU", "GSM8K"),
    ),
    Case(
        "curves/epochs",
        "rank t.csv",
        {"t.csv": curve("epoch,model,val_acc", *range(1, 11))},
        ("count how far a training was", '--where "epoch = 10"', "--column run=epoch"),
        code=1,
    ),
    Case(
        "curves/steps",
        "rank t.csv",
        {"t.csv": curve("step,model,acc", 100, 200, 300, 400, 500)},
        ("count how far a training was", '--where "step = 500"'),
        code=1,
    ),
    Case(
        "curves/the last point",
        "rank t.csv --where 'step = 500'",
        {"t.csv": curve("step,model,acc", 100, 200, 300, 400, 500)},
        models=("ash", "birch"),
        means={"ash": 0.55},
    ),
    Case(
        "printed by a tool/one metric",
        "compare a.md b.md --metric acc",
        {"a.md": PRINTED, "b.md": PRINTED.replace("0.71", "0.61")},
        ("a is better than b", "arc_easy"),
    ),
    Case(
        "printed by a tool/metrics below each other",
        "rank a.md b.md",
        {"a.md": PRINTED, "b.md": PRINTED.replace("0.71", "0.61")},
        ("holds 2 metrics: 'acc', 'acc_norm'", "--metric acc"),
        code=1,
    ),
    Case(
        "underlined/markdown",
        "rank t.md",
        {"t.md": lines("| Model | MMLU | GSM8K |", "|:--|--:|:-:|", "| **a** | **71.2** | 60.1 |",
                       "| b | 70.1 | <u>61.0</u> |")},
        models=("a", "b"),
        tasks=("GSM8K", "MMLU"),
        means={"b": 61.0},
    ),
)  # fmt: skip

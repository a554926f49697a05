"""Several answers of one model to an item, and what is planned and claimed of it."""

from __future__ import annotations

import json

from everyday.case import Case, json_lines, lines, one_file, right, table

PASSED = {
    name: [right(share, 60, seed) for seed in range(4)]
    for name, share in (("m1", 0.3), ("m2", 0.7))
}
MEANS = {name: sum(map(sum, tries)) / 240 for name, tries in PASSED.items()}


def tried(pattern: str, item: str = "problem_id") -> dict[str, str]:
    """A file per model: a row per item, and a column per answer to it."""
    return {
        f"{name}.csv": table(
            {item: range(60), **{pattern.format(k): cells for k, cells in enumerate(tries)}}
        )
        for name, tries in PASSED.items()
    }


def smoke_run() -> dict[str, str]:
    """All items of the old model, and a tenth of them of the new one."""
    old, new = right(0.7, 400, 3), right(0.65, 40, 4)
    return {
        "old.csv": table({"id": range(400), "correct": old}),
        "new.csv": table({"id": range(40), "correct": new}),
    }


def percents(share: float, seed: int) -> str:
    """Items that are worth 0 or 100."""
    return table({"id": range(400), "score": [100 * one for one in right(share, 400, seed)]})


def retried() -> str:
    """Two models whose items were tried until they were right, up to 5 times."""
    rows = []
    for name, share in (("new", 0.5), ("old", 0.4)):
        tries = [right(share, 60, seed) for seed in range(5)]
        for item in range(60):
            answers = [one[item] for one in tries]
            last = answers.index(1) if 1 in answers else 4
            rows += [f"{name},{item},{k},{answers[k]}" for k in range(last + 1)]
    return lines("model,problem,attempt,passed", *rows)


def runs_of_wandb(first: str) -> str:
    """Training runs as a tracker exports them: two of eight crashed early, with low scores."""
    rows = []
    for name, level in (("sft", 0.62), ("grpo", 0.66)):
        for seed, step in enumerate(right(0.5, 8, 5)):
            crashed = name == "grpo" and seed > 5
            state, time = ("crashed", 300) if crashed else ("finished", 7200)
            score = level + step / 100 - crashed / 5
            rows.append(f"{name},{state},{time},{seed},{score:.3f}")
    return lines(f"{first},State,Runtime,seed,eval/acc", *rows)


def pass_at() -> str:
    """A row per model and problem, and three metrics of it."""
    rows = [
        f"{name},{item},{one / 2},{one},{one}"
        for name, share in (("new", 0.8), ("old", 0.4))
        for item, one in enumerate(right(share, 60))
    ]
    return lines("model,problem,pass@1,pass@4,pass@8", *rows)


def seeds_of_two() -> dict[str, str]:
    """A file per model and seed."""
    return {
        f"{name}_seed{k}.csv": table({"id": range(60), "correct": cells})
        for name, tries in PASSED.items()
        for k, cells in enumerate(tries)
    }


def with_sums() -> str:
    """Lines of JSON: a configuration, answers, and their sums at the end."""
    answers = [
        {"type": "sample", "qid": k, "correct": bool(one)} for k, one in enumerate(right(0.6))
    ]
    total = {"type": "summary", "correct": 36}
    return "".join(json.dumps(one) + "\n" for one in ({"type": "config"}, *answers, total))


def human_eval() -> str:
    """What the harness of HumanEval writes."""
    return json_lines(
        {
            "task_id": [f"HumanEval/{k // 4}" for k in range(80)],
            "completion": ["return 0"] * 80,
            "result": ["passed" if one else "failed: x" for one in right(0.5, 80)],
            "passed": [bool(one) for one in right(0.5, 80)],
            "completion_id": [k % 4 for k in range(80)],
        }
    )


def named(pattern: str, share: float, seed: int) -> str:
    """Items whose numbers are written so."""
    return table(
        {"id": [pattern.format(k) for k in range(200)], "correct": right(share, 200, seed)}
    )


DICE = lines(
    "patient,slice,model,dice",
    *(f"P{p:02d},{n},{m},{0.7 + 0.02 * p + 0.01 * k * (-1) ** p + 0.0007 * n:.4f}"
      for p in range(8) for n in range(12) for k, m in enumerate(("unet", "nnunet"))),
)  # fmt: skip
EEG = lines(
    "subject,trial,model,correct",
    *(f"S{p},{n},{m},{int((p * n + k) % 3 > 0)}"
      for p in range(6) for n in range(10) for k, m in enumerate(("csp", "net"))),
)  # fmt: skip
SAMPLED = [(m, f"aime-{q}", n, int((q + n) % k < 2)) for m, k in (("rl", 3), ("base", 4))
           for q in range(30) for n in range(4)]  # fmt: skip


def training_log(point: str) -> str:
    """Losses and accuracy of two models, five seeds each, at six points of their training."""
    return lines(
        f"model,seed,{point},train_loss,val_loss,val_acc",
        *(
            f"{model},{seed},{at},{2 / at:.3f},{2.2 / at:.3f},{best - gap / at + seed / 500:.4f}"
            for model, best, gap in (("early", 0.80, 0.2), ("late", 0.85, 0.6))
            for seed in range(5)
            for at in range(1, 7)
        ),
    )


CASES = (
    Case(
        "patients are sampled/proposed as items",
        "rank dice.csv",
        {"dice.csv": DICE},
        ("--column model=model --column item=patient --column epoch=slice --column score=dice",),
        ("task=patient",),
        code=1,
    ),
    Case(
        "patients are sampled/numbered subjects with trials",
        "rank eeg.csv",
        {"eeg.csv": EEG},
        ("--column task= --column item=subject", "--column epoch= --column run=trial"),
        code=1,
    ),
    Case(
        "samples of a problem/numbered by sample_idx",
        "rank samples.csv",
        {
            "samples.csv": lines(
                "model,problem_id,sample_idx,is_correct",
                *(",".join(map(str, row)) for row in SAMPLED),
            )
        },
        ("4 answers to each", "rl leads"),
        items=30,
    ),
    Case(
        "columns of runs/after the name of a metric",
        "rank seeds.csv",
        {
            "seeds.csv": lines(
                "method,acc_seed1,acc_seed2,acc_seed3", "SGD,.81,.8,.82", "Adam,.8,.83,.82"
            )
        },
        ("look like runs of one task", "frame.melt"),
        code=1,
    ),
    Case(
        "columns of runs/of several tasks",
        "rank seeds.csv",
        {
            "seeds.csv": lines(
                "method,mmlu_run1,mmlu_run2,gsm8k_run1,gsm8k_run2",
                "SGD,.81,.8,.5,.52",
                "Adam,.8,.83,.6,.61",
            )
        },
        ("look like runs of several tasks ('gsm8k', 'mmlu')",),
        code=1,
    ),
    Case(
        "claims in a file/called as the options are",
        "check m1.csv m2.csv --claims c.yaml",
        {
            "m1.csv": one_file("correct", 0.3),
            "m2.csv": one_file("correct", 0.7),
            "c.yaml": lines("must:", "- m2 > m1", "guard:", "- m1 >= 0.1"),
        },
        ("m2 is better than m1", "Passed"),
    ),
    Case(
        "seeds in names of files/two models",
        "rank m1_seed0.csv m1_seed1.csv m1_seed2.csv m1_seed3.csv m2_seed0.csv m2_seed1.csv "
        "m2_seed2.csv m2_seed3.csv",
        seeds_of_two(),
        ("60 items × 4 answers",),
        models=("m1", "m2"),
        items=60,
        means=MEANS,
    ),
    Case(
        "sums below answers/a row is named",
        "rank a.jsonl",
        {"a.jsonl": with_sums().replace('"type"', '"part"')},
        ("36 stands in a.jsonl, row 62", "--where"),
        code=1,
    ),
    Case(
        "lines of another kind/a sum below answers",
        "rank a.jsonl",
        {"a.jsonl": with_sums()},
        ("60 items", "Only lines with type = 'sample' are rows"),
    ),
    Case(
        "sums below answers/left out by a condition",
        "rank a.jsonl --where \"type = 'sample'\"",
        {"a.jsonl": with_sums()},
        ("60 items",),
    ),
    Case(
        "results of HumanEval/answers have numbers",
        "noise v1.jsonl",
        {"v1.jsonl": human_eval()},
        ("20 items × 4 answers",),
    ),
    Case(
        "names of rows that look alike/leading zeros",
        "compare new.csv old.csv",
        {"new.csv": named("{}", 0.7, 3), "old.csv": named("{:03d}", 0.6, 4)},
        ("'0' and '000' look alike",),
        code=1,
    ),
    Case(
        "a change behind a value/in brackets",
        "rank t.csv",
        {"t.csv": lines("model,law,math", "v1,41.2,12.3", "v2,45.9 (+4.7),13.1 (+0.8)")},
        ("--cells value",),
        code=1,
    ),
    Case(
        "sums below answers/named as such in a table",
        "rank new.csv old.csv",
        {
            f"{name}.csv": table({"id": range(60), "correct": right(share)})
            + f"Total,{sum(right(share))}\naccuracy,{sum(right(share)) / 60:.3f}\n"
            for name, share in (("new", 0.8), ("old", 0.4))
        },
        ("The rows 'Total', 'accuracy' summarise the others",),
        models=("new", "old"),
        items=60,
        means={"new": sum(right(0.8)) / 60, "old": sum(right(0.4)) / 60},
    ),
    Case(
        "comments above a header/of one file",
        "rank new.csv old.csv",
        {
            f"{name}.csv": f"# model: {name}\n# date: 2026-05-01\n"
            + table({"id": range(60), "correct": right(share)})
            for name, share in (("new", 0.8), ("old", 0.4))
        },
        models=("new", "old"),
        items=60,
    ),
    Case(
        "stopped tries/a comparison stops",
        "compare r.csv",
        {"r.csv": retried()},
        ("stopped at the first right one", "--trials fixed"),
        ("run move together", "Runs move"),
        code=1,
    ),
    Case(
        "stopped tries/noise is refused",
        "noise r.csv",
        {"r.csv": retried()},
        ("stopped at the first right one", "--trials fixed"),
        code=1,
    ),
    Case(
        "states of runs/crashed runs are no results",
        "rank r.csv --column model=Name --column score=eval/acc",
        {"r.csv": runs_of_wandb("Name")},
        ("2 failed", "--missing drop_models"),
        code=1,
    ),
    Case(
        "states of runs/the score that is suggested is one",
        "rank r.csv",
        {"r.csv": runs_of_wandb("Name")},
        ("--column score=eval/acc",),
        ("score=Runtime", "task=State"),
        code=1,
    ),
    Case(
        "items beside columns of tasks/named by the layout",
        "rank p.csv --layout models-by-tasks",
        {"p.csv": pass_at()},
        models=("new", "old"),
        tasks=("pass@1", "pass@4", "pass@8"),
        items=60,
    ),
    Case(
        "items beside columns of tasks/asked which counts",
        "rank p.csv",
        {"p.csv": pass_at()},
        ("--column score=pass@1",),
        ("models-by-tasks",),
        code=1,
    ),
    Case(
        "columns of trials/samples of pass@k",
        "rank m1.csv m2.csv",
        tried("sample_{}"),
        ("4 answers of one model to an item",),
        models=("m1", "m2"),
        items=60,
        means=MEANS,
    ),
    Case(
        "columns of trials/attempts, called after passing",
        "compare m2.csv m1.csv",
        tried("passed_{}", "task_id"),
        ("m2 is better than m1", "60 items × 4 answers"),
    ),
    Case(
        "columns of trials/numbers alone are asked about",
        "compare m2.csv m1.csv",
        tried("{}"),
        ("--layout items-by-trials", "--layout items-by-models"),
        code=1,
    ),
    Case(
        "a plan of a smoke run/pairwise",
        "plan new.csv old.csv --missing pairwise",
        smoke_run(),
        ("Pilot: 40 items",),
        ("Pilot: 400",),
    ),
    Case(
        "a share on percents/threshold",
        'check new.csv --claim "new >= 0.75"',
        {"new.csv": percents(0.7, 3)},
        ("Did you mean 75?",),
        code=1,
    ),
    Case(
        "a share on percents/ahead by a margin",
        'check new.csv old.csv --claim "new > old + 0.1"',
        {"new.csv": percents(0.7, 3), "old.csv": percents(0.6, 4)},
        ("Did you mean 10?",),
        code=1,
    ),
    Case(
        "a share on percents/percents on shares",
        'check new.csv --claim "new >= 75"',
        {"new.csv": table({"id": range(50), "score": [k % 10 / 10 for k in range(50)]})},
        ("Did you mean 0.75?",),
        code=1,
    ),
    Case(
        "a training log/as it is",
        "rank log.csv",
        {"log.csv": training_log("epoch")},
        ("'epoch' counts how far a training was, beside 'train_loss'",
         '--where "epoch = 6" --column score=val_acc'),
        code=1,
    ),
    Case(
        "a training log/steps that are named as answers",
        "rank log.csv --column score=val_acc --column epoch=step",
        {"log.csv": training_log("step")},
        ("'step' counts how far a training was", '--where "step = 6"'),
        ("leads",),
        code=1,
    ),
    Case(
        "a training log/its last point",
        'rank log.csv --where "epoch = 6" --column score=val_acc',
        {"log.csv": training_log("epoch")},
        models=("early", "late"),
        items=5,
    ),
)  # fmt: skip

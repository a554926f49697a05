"""Outcomes in words, grades, shares and lists in cells, and columns that no name tells."""

from __future__ import annotations

import json
import random

from everyday.case import Case, json_lines, lines, right

WORDS = ("passed", "failed", "skipped", "error", "timeout")


def ended(seed: int, tests: int = 60, words: tuple[str, ...] = WORDS) -> list[str]:
    """How tests ended: most passed, some as the other words say."""
    source = random.Random(seed)
    return [
        words[0] if source.random() < 0.6 else source.choice(words[1:]) for _ in range(tests)
    ]  # fmt: skip


def beside(header: str, *words: str) -> str:
    """A row per test, a column per branch."""
    main, pr = (ended(seed, words=words) for seed in (1, 2))
    return lines(header, *(f"t{n},{a},{b}" for n, (a, b) in enumerate(zip(main, pr, strict=True))))


def branches() -> str:
    return lines(
        "branch,test_name,status,duration",
        *(
            f"{name},test_{n},{word},{n % 7 / 10}"
            for seed, name in enumerate(("main", "pr-812"))
            for n, word in enumerate(ended(seed, words=("passed", "failed")))
        ),
    )


def junit(seed: int, *words: str) -> str:
    return lines(
        "suite,test,status,time",
        *(f"s{n % 3},t{n},{word},0.{n % 9}" for n, word in enumerate(ended(seed, words=words))),
    )


def agents(column: str, words: tuple[str, ...]) -> str:
    columns: dict[str, list[object]] = {"agent": [], "task_id": [], column: [], "duration_s": []}
    for seed, agent in enumerate(("v1", "v2")):
        for number, word in enumerate(ended(seed, words=words)):
            for name, value in zip(
                columns, (agent, f"issue-{number}", word, 9.5 + number), strict=True
            ):
                columns[name].append(value)
    return json_lines(columns)


def crossed(header: str, names: str, *, fractions: bool = True) -> str:
    """A row per name of what is compared, task and seed."""
    source = random.Random(4)
    return lines(
        header,
        *(
            f"{name},{task},{seed},{source.gauss(100, 20):.{1 if fractions else 0}f}"
            for name in names.split()
            for task in ("ant", "hopper", "walker")
            for seed in range(4)
        ),
    )


def judged(cells: tuple[str, ...], header: str = "model,essay_id,score") -> str:
    source = random.Random(6)
    return lines(
        header, *(f"{m},e{n},{source.choice(cells)}" for m in ("ash", "birch") for n in range(40))
    )


AGENT = ("pass", "fail", "timeout", "infra_error")
COUNTED = "--word timeout=fail --word infra_error=missing"


def checkpoints() -> str:
    return lines(
        "step,question_id,task,acc",
        *(
            f"{step},{n},{task},{hit}"
            for step in (1000, 2000, 3000)
            for task in ("arc", "gsm8k")
            for n, hit in enumerate(right(0.4 + step / 10_000, 30, step + len(task)))
        ),
    )


def appended(errors: bool) -> dict[str, str]:
    """A run of each of two models; one of them made calls again that had failed."""
    kept, once = (
        [{"id": f"q{n}", "correct": hit, "error": None} for n, hit in enumerate(right(0.6, 60, s))]
        for s in (3, 4)
    )
    failed = [one | {"correct": 0, "error": "RateLimitError"} for one in kept[::9]]
    again = [one for number, one in enumerate(kept) if number % 9]
    rows = {"base.jsonl": once, "tuned.jsonl": [*failed, *again, *kept[::9]]}
    if not errors:
        for one in (one for own in rows.values() for one in own):
            one.pop("error", None)
    return {name: "".join(json.dumps(one) + "\n" for one in own) for name, own in rows.items()}


def nights() -> str:
    source = random.Random(8)
    return lines(
        "date,model,suite,passed,total",
        *(
            f"2026-11-{day:02},{model},{suite},{source.randint(50, 90)},100"
            for day in range(1, 11)
            for suite in ("math", "code", "chat")
            for model in ("main", "candidate")
        ),
    )


REQUESTS = lines(
    "model,endpoint,requests,errors",
    *(f"v1,/{n},1000,{20 + n}" for n in range(4)),
    *(f"v2,/{n},1000,{10 + n}" for n in range(4)),
)

COUNTS = """\
model,django,flask,sympy,requests
agentA,61/114,5/11,30/75,6/8
agentB,55/114,6/11,28/75,5/8
agentC,30/114,2/11,15/75,3/8
"""

CASES = (
    Case(
        "a word among numbers/asked",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,item,score",
                *(
                    f"{m},{i},{(i * 7 + k) % 10 / 10 if i else 'timeout'}"
                    for k, m in enumerate("ab")
                    for i in range(30)
                ),
            )
        },
        ("--word timeout=missing",),
        code=1,
    ),
    Case(
        "a word among numbers/named",
        "rank t.csv --word timeout=missing --missing pairwise",
        {
            "t.csv": lines(
                "model,item,score",
                *(
                    f"{m},{i},{(i * 7 + k) % 10 / 10 if i else 'timeout'}"
                    for k, m in enumerate("ab")
                    for i in range(30)
                ),
            )
        },
        models=("a", "b"),
    ),
    Case(
        "made again/checkpoints of one training",
        "rank c.csv",
        {"c.csv": checkpoints()},
        ("--column model=step", '--where "step = 3000"'),
        ("--reruns newest",),
        code=1,
    ),
    Case(
        "made again/calls that failed, with their errors",
        "compare tuned.jsonl base.jsonl",
        appended(errors=True),
        ('--where "error is null"',),
        code=1,
    ),
    Case(
        "made again/without errors the last row is told in pandas",
        "rank tuned.jsonl",
        appended(errors=False),
        ("frame.drop_duplicates(['id'], keep='last')",),
        code=1,
    ),
    Case(
        "counts by night and endpoint/suites of several nights",
        "rank n.csv",
        {"n.csv": nights()},
        ("--column task=suite --column run=date",),
        code=1,
    ),
    Case(
        "counts by night and endpoint/nights are no training runs",
        "rank n.csv --column task=suite --column run=date",
        {"n.csv": nights()},
        ("Rows are one evaluation at several times (column 'date')",),
        ("Rows are training runs",),
        models=("main", "candidate"),
        tasks=("math", "code", "chat"),
    ),
    Case(
        "counts by night and endpoint/errors of requests are shares",
        "rank e.csv --column task=endpoint",
        {"e.csv": REQUESTS},
        ("that are not among the 'errors'",),
        tasks=("/0", "/1", "/2", "/3"),
        means={"v1": 0.98, "v2": 0.99},
    ),
    Case(
        "tests of branches/side by side",
        "rank ci.csv --missing pairwise",
        {"ci.csv": beside("test,main,pr", "passed", "failed", "skipped")},
        ("skipped counts as no score",),
        models=("main", "pr"),
        items=60,
    ),
    Case(
        "tests of branches/an error among them",
        "rank ci.csv",
        {"ci.csv": beside("test,main,pr", "passed", "failed", "error")},
        ("'error' is no number", "--word error=fail"),
        code=1,
    ),
    Case(
        "tests of branches/one below the other",
        "rank ci.csv",
        {"ci.csv": branches()},
        ("--column model=branch --column item=test_name --column score=status",),
        code=1,
    ),
    Case(
        "results of a test runner/two files",
        "compare pr.csv main.csv",
        {"pr.csv": junit(1, "passed", "failed"), "main.csv": junit(2, "passed", "failed")},
        ("60 items", "item = 'test', score = 'status'"),
    ),
    Case(
        "results of a test runner/expected failures",
        "rank . --word xfail=missing --missing pairwise",
        {
            "pr.csv": junit(1, "passed", "failed", "xfail"),
            "main.csv": junit(2, "passed", "failed", "xfail"),
        },
        models=("pr", "main"),
        items=60,
    ),
    Case(
        "outcomes of agents/asked before durations",
        "rank log.jsonl",
        {"log.jsonl": agents("outcome", AGENT)},
        ("in column 'outcome' is no number", COUNTED),
        ("--direction duration_s",),
        code=1,
    ),
    Case(
        "outcomes of agents/declared",
        f"rank log.jsonl {COUNTED} --missing pairwise",
        {"log.jsonl": agents("outcome", AGENT)},
        ("score = 'outcome'",),
        models=("v1", "v2"),
        items=60,
    ),
    Case(
        "outcomes of agents/in a column of states",
        "rank log.jsonl",
        {"log.jsonl": agents("status", ("success", "failed"))},
        ("score = 'status'",),
        models=("v1", "v2"),
        items=60,
    ),
    Case(
        "grades/of letters",
        "rank marks.csv",
        {"marks.csv": judged(("A", "A-", "B+", "B", "C", "F"))},
        ("--word B+=3.3", "--word F=0"),
        code=1,
    ),
    Case(
        "grades/out of ten",
        "rank marks.csv --cells share",
        {"marks.csv": judged(("5/10", "6/10", "9/10"))},
        ("were read as shares",),
        models=("ash", "birch"),
        items=40,
    ),
    Case(
        "grades/lists of answers in a cell",
        "rank marks.jsonl",
        {
            "marks.jsonl": "".join(
                json.dumps({"model": m, "id": n, "scores": right(0.5, 3, n)}) + "\n"
                for m in ("ash", "birch")
                for n in range(30)
            )
        },
        ("he cells of 'scores' hold lists", "frame.explode('scores')"),
        code=1,
    ),
    Case(
        "what is compared has another name/algo and env",
        "rank r.csv",
        {"r.csv": crossed("algo,env,seed,episode_return", "ppo sac td3")},
        ("--column model=algo --column task=env --column run=seed --column score=episode_return",),
        code=1,
    ),
    Case(
        "what is compared has another name/beside a task and a metric",
        "rank r.csv",
        {"r.csv": crossed("optimizer,task,seed,val_acc", "adamw lion muon")},
        ("if it names what is compared, --column model=optimizer",),
        code=1,
    ),
    Case(
        "what is compared has another name/variants of a test",
        "rank r.csv",
        {
            "r.csv": lines(
                "variant,user_id,converted",
                *(f"{v},{n},{hit}" for v in "AB" for n, hit in enumerate(right(0.4, 60, ord(v)))),
            )
        },
        ("--column model=variant --column item=user_id --column score=converted",),
        code=1,
    ),
    Case(
        "grades of another name/a model and an essay",
        "rank marks.csv",
        {"marks.csv": judged(("A", "B+", "C"), "student_model,essay,grade")},
        ("--column model=student_model --column item=essay --column score=grade",),
        code=1,
    ),
    Case(
        "ways that models were run/numbers of shots beside scores with errors",
        "rank s.csv --column score=score --column se=stderr",
        {
            "s.csv": lines(
                "checkpoint,benchmark,shots,score,stderr",
                *(
                    f"step-{k},{task},{shots},0.{40 + 5 * k + shots},0.0{shots + 1}"
                    for k in (1, 2)
                    for task in ("mmlu", "arc", "gsm8k")
                    for shots in (0, 5)
                ),
            )
        },
        ('--where "shots = 5"',),
        code=1,
    ),
    Case(
        "counts in cells/asked",
        "rank t.csv",
        {"t.csv": COUNTS},
        ("If 61/114 is a number of right answers of so many", "--cells count"),
        code=1,
    ),
    Case(
        "counts in cells/with their errors",
        "rank t.csv --cells count",
        {"t.csv": COUNTS},
        ("agentC 0.25 ±0.11", "1–2"),
        ("nobody can say how sure",),
        tasks=("django", "flask", "requests", "sympy"),
        means={"agentA": 61 / 114, "agentC": 30 / 114},
    ),
    Case(
        "counts in cells/as shares",
        "rank t.csv --cells share",
        {"t.csv": COUNTS},
        ("If they are right answers of so many, their errors are known: --cells count",),
    ),
    Case(
        "ways that models were run/the score beside the shots",
        "rank s.csv",
        {
            "s.csv": lines(
                "checkpoint,benchmark,shots,score,stderr",
                *(f"step-{k},{t},5,0.{40 + 5 * k},0.02" for k in (1, 2) for t in ("mmlu", "arc")),
            )
        },
        ("score = 'score', se = 'stderr'. Not used: 'shots'",),
        ("--column score=shots",),
        tasks=("arc", "mmlu"),
        means={"step-1": 0.45, "step-2": 0.5},
    ),
    Case(
        "rows without names/three questions are no quartiles",
        "rank q.csv",
        {
            "q.csv": lines(
                "name,q1,q2,q3",
                *(f"ash{n},correct,{'wrong' if n % 2 else 'correct'},wrong" for n in range(5)),
            )
        },
        hides=("statistics of models",),
        models=tuple(f"ash{n}" for n in range(5)),
        tasks=("q1", "q2", "q3"),
    ),
    Case(
        "rows without names/in the same order in all files",
        "rank .",
        {
            f"{name}.jsonl": "".join(
                json.dumps({"input": f"q {n % 40}", "output": "..", "passed": bool(hit)}) + "\n"
                for n, hit in enumerate(right(0.6, 60, seed))
            )
            for seed, name in enumerate(("main", "pr"))
        },
        ("--layout tidy --rows items",),
        code=1,
    ),
    Case(
        "rows without names/two systems in two metrics",
        "rank p.csv",
        {
            "p.csv": lines(
                "item,base_correct,base_latency,new_correct,new_latency",
                *(
                    f"{n},{a},{1 + n % 5 / 10},{b},{2 + n % 7 / 10}"
                    for n, (a, b) in enumerate(zip(right(0.5), right(0.7), strict=True))
                ),
            )
        },
        ("A board shows one metric; choose it: --metric correct",),
        ("--column score=base_correct",),
        code=1,
    ),
    Case(
        "no known name in the header/losses by the file's name",
        "rank val_loss.csv",
        {
            "val_loss.csv": lines(
                "domain,ckpt_a,ckpt_b",
                *(f"d{n},{2 + n / 10},{2.1 + n / 11:.3f}" for n in range(8)),
            )
        },
        ("--layout tasks-by-models --direction lower",),
        code=1,
    ),
    Case(
        "no known name in the header/nights of builds",
        "rank nightly.csv",
        {
            "nightly.csv": lines(
                "date,build,pass_rate",
                *(
                    f"2026-11-{day:02},{build},0.{80 + day % 5}"
                    for build in ("main", "rc")
                    for day in range(1, 15)
                ),
            )
        },
        ("--column model=build --column run=date --column score=pass_rate",),
        code=1,
    ),
)

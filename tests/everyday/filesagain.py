"""Folders of one evaluation that was made again: names of files differ in a date or a number."""

from __future__ import annotations

from everyday.case import Case, json_lines, lines, right

NIGHTS = ("2026-11-20", "2026-11-21", "2026-11-22")
SHARES = {"main": 0.55, "rc": 0.65}


def night(number: int, *, items: int = 40, item: str = "case_{}") -> str:
    """A file of one night: two models on the same cases."""
    return lines(
        "model,case,passed",
        *(
            f"{model},{item.format(place)},{answer}"
            for model, share in SHARES.items()
            for place, answer in enumerate(right(share, items, seed=number))
        ),
    )


NIGHTLY = {f"nightly_{day}.csv": night(number) for number, day in enumerate(NIGHTS)}
NUMBERED = {f"results_{number}.csv": night(number, item="{}") for number in (1, 2, 3)}
MEANS = {
    model: sum(sum(right(share, 40, seed=number)) for number in range(3)) / 120
    for model, share in SHARES.items()
}

FIRST = right(0.5, 40)
RETRIED = [place for place, one in enumerate(FIRST) if not one]


def run_log(model: str, run: str, day: int, answers: dict[int, int]) -> str:
    """Lines of one run: its time, its name, its model, its items."""
    return json_lines({
        "timestamp": [f"2026-11-0{day}T02:00:00Z"] * len(answers),
        "run_id": [run] * len(answers),
        "model": [model] * len(answers),
        "sample_id": [f"s{place:03}" for place in answers],
        "passed": [bool(one) for one in answers.values()],
    })  # fmt: skip


RUNS = {
    "base_main.jsonl": run_log("base", "base_main", 1, dict(enumerate(right(0.6, 40, seed=2)))),
    "new_main.jsonl": run_log("new", "new_main", 2, dict(enumerate(FIRST))),
    "new_retry.jsonl": run_log(
        "new", "new_retry", 3, {place: number % 2 for number, place in enumerate(RETRIED)}
    ),
}
AFTERWARDS = (sum(FIRST) + len(RETRIED) // 2) / 40
STEPS = lines(
    "model,task_id,step,action,reward",
    *(
        f"{model},t{place},{step},click,{answer if step == 2 else 0}"
        for model, share in SHARES.items()
        for place, answer in enumerate(right(share, 40))
        for step in range(3)
    ),
)

CASES = (
    Case(
        "steps of a try/asked",
        "rank t.csv",
        {"t.csv": STEPS},
        says=("the steps of one try", "--reruns newest"),
        hides=("epoch=step",),
        code=1,
    ),
    Case(
        "steps of a try/last one",
        "rank t.csv --reruns newest",
        {"t.csv": STEPS},
        items=40,
        means={model: sum(right(share, 40)) / 40 for model, share in SHARES.items()},
    ),
    Case(
        "a run with a name and a time/newest of one table",
        "rank t.jsonl --reruns newest",
        {"t.jsonl": "".join(RUNS.values())},
        says=("the newest by 'timestamp' count", "If only failed items were tried again"),
        items=40,
        means={"new": AFTERWARDS},
    ),
    Case(
        "a run with a name and a time/newest of files",
        "rank . --reruns newest",
        RUNS,
        says=("new_retry.jsonl holds some items of new_main.jsonl again",),
        items=40,
        means={"new": AFTERWARDS},
    ),
    Case(
        "a run with a name and a time/files of one model each",
        "rank . --trials fixed",
        RUNS,
        says=("1 to 2 answers each",),
        models=("base", "new"),
        items=40,
    ),
    Case(
        "one file a night/asked",
        "rank .",
        NIGHTLY,
        says=("differ in a date alone", "--reruns all", "--reruns newest", "--column run="),
        code=1,
    ),
    Case(
        "one file a night/as answers",
        "rank . --reruns all",
        NIGHTLY,
        says=("3 answers to each",),
        tasks=("all",),
        items=40,
        means=MEANS,
    ),
    Case(
        "one file a night/two folders of one model each",
        "compare main=main rc=rc",
        {
            f"{model}/night_{day}.csv": lines(
                "case,passed", *(f"c{place},{one}" for place, one in enumerate(right(share, 40)))
            )
            for model, share in SHARES.items()
            for day in NIGHTS
        },
        says=("differ in a date alone", "--reruns all"),
        code=1,
    ),
    Case(
        "one file a run/numbered",
        "rank .",
        NUMBERED,
        says=("differ in a number alone", "--reruns all", "--column run="),
        code=1,
    ),
    Case(
        "one file a run/called a seed",
        "rank .",
        {f"eval_seed{number}.csv": night(number) for number in range(3)},
        says=("they count as runs of one evaluation",),
        items=40,
        means=MEANS,
    ),
    Case(
        "one file a run/tasks after all",
        "rank . --column run=",
        NUMBERED,
        tasks=("results_1", "results_2", "results_3"),
        items=40,
    ),
    Case(
        "one file a part/levels",
        "rank .",
        {f"level{number}.csv": night(number, item="{}") for number in (1, 2, 3)},
        tasks=("level1", "level2", "level3"),
        items=40,
    ),
    Case(
        "one file a part/other cases in each",
        "rank .",
        {
            f"batch_{number}.csv": night(number, item=f"b{number}_{{}}")
            for number in (1, 2, 3)
        },
        tasks=("batch_1", "batch_2", "batch_3"),
        items=40,
    ),
)  # fmt: skip

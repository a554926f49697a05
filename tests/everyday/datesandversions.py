"""Nights, weeks and versions of one evaluation, which are no tasks and no items."""

from __future__ import annotations

from everyday.case import Case, lines

ASKS = ("one evaluation, made several times",)
NIGHTS = ("2026-11-10", "2026-11-11", "2026-11-12", "2026-11-13")
SHARES = {"main": (0.73, 0.69, 0.72, 0.71), "rc": (0.72, 0.73, 0.74, 0.73)}


def across(names: tuple[str, ...], corner: str = "model") -> str:
    """A row per model, and a column per time."""
    rows = (",".join([model, *map(str, own)]) for model, own in SHARES.items())
    return lines(",".join([corner, *names]), *rows)


def down(header: str) -> str:
    """A row per model and time."""
    return lines(
        header,
        *(
            f"{model},{night},{value}"
            for model, own in SHARES.items()
            for night, value in zip(NIGHTS, own, strict=True)
        ),
    )


CASES = (
    Case("times as columns/nights", "rank n.csv", {"n.csv": across(NIGHTS)}, ASKS, code=1),
    Case(
        "times as columns/versions",
        "rank n.csv",
        {"n.csv": across(("v1.0", "v1.1", "v2", "v2-rc1"), "checkpoint")},
        ASKS,
        code=1,
    ),
    Case(
        "times as columns/one metric by weeks, and its mean",
        "rank n.csv",
        {"n.csv": across(("acc week 1", "acc week 2", "acc week 3", "mean"))},
        ASKS,
        code=1,
    ),
    Case(
        "times as tasks after all/by month",
        "rank n.csv --layout models-by-tasks",
        {"n.csv": across(("2026-08", "2026-09", "2026-10", "2026-11"))},
        models=("main", "rc"),
        tasks=("2026-08", "2026-09", "2026-10", "2026-11"),
    ),
    Case(
        "times as tasks after all/years of a contest",
        "rank n.csv",
        {"n.csv": across(("AIME 2023", "AIME 2024", "AIME 2025", "AIME 2026"))},
        tasks=("AIME 2023", "AIME 2024", "AIME 2025", "AIME 2026"),
    ),
    Case(
        "times in rows of tasks/asked",
        "rank n.csv",
        {
            "n.csv": down("model,night,score")
            .replace("model,", "model,task,")
            .replace("n,2", "n,x,2")
            .replace("c,2", "c,x,2")
        },
        (*ASKS, "If all count, as runs of the same: --column run=night."),
        code=1,
    ),
    Case(
        "times in rows/pair models",
        "rank n.csv",
        {"n.csv": down("model,date,score")},
        (*ASKS, "--where \"date = '2026-11-13'\"", "--column item=date"),
        code=1,
    ),
    Case(
        "times in rows/as tasks",
        "rank n.csv",
        {"n.csv": down("model,benchmark,score")},
        (*ASKS, "--column task=benchmark"),
        code=1,
    ),
    Case(
        "times in rows/files",
        "rank n",
        {
            f"n/{night}.csv": lines("model,score", f"main,0.7{place}", f"rc,0.7{place + 1}")
            for place, night in enumerate(NIGHTS)
        },
        (*ASKS, "--layout tidy"),
        code=1,
    ),
)

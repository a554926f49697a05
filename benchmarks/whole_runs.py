"""What whole runs cost by themselves."""

from __future__ import annotations

import itertools
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import rankbars as rb
from benchmarks.inputs import model_names, task_arrays
from benchmarks.reading import new_folder, write_rows
from benchmarks.rows import Job, Once, Row, require
from rankbars.demos import DEMOS, demo_path

TITLE = "Whole runs"

_README = Path(__file__).resolve().parent.parent / "README.md"
# What a ranking cannot do without: the engine, the command line, the tails of distributions.
_BARE = (
    "import numpy, duckdb, click, scipy.special; duckdb.connect().execute('SELECT 1').fetchall()"
)


def leaderboard_of_arrays(models: int, items: int, tasks: int) -> Job:
    """Arrays to all intervals; the arrays are locked, so that they are shared."""
    arrays, names = task_arrays(models, items, tasks), model_names(models)
    scores, rank = rb.Scores, rb.leaderboard  # loaded at first access: not part of what is timed

    def check(board: rb.Leaderboard) -> None:
        require(board.models == names and len(board.tasks) == tasks, "every model and task")

    return Job(lambda: rank(scores.from_arrays(arrays, names)), check)


def board_of_demo(demo: str) -> Job:
    """A file of real results to the printed board, start of the program included."""
    chosen = DEMOS[demo]
    return Job(
        _command("rank", str(demo_path(chosen)), "--missing", chosen.missing),
        lambda printed: _require(printed, "Models"),
    )


def board_of_rows(models: int, items: int, tasks: int, ids: str) -> Job:
    """A large tidy Parquet file to the printed board, start of the program included."""
    path = write_rows(models, items, tasks, ids)
    return Job(_command("rank", str(path)), lambda printed: _require(printed, "Models"))


def published_table(table: int, repetitions: int) -> Job:
    """One table of the published simulation study."""
    from rankbars.simulate import measure
    from rankbars.simulate.publishedtables import tables

    def check(made: Mapping[str, Any]) -> None:
        numbered = {name for name in made if name.startswith("table_")}
        require(numbered == {f"table_{table}"}, f"table {table}")
        require("published" in made, "the published values beside it")

    return Job(lambda: measure(tables([table], repetitions=repetitions)), check)


def explanation_of_arrays(models: int, items: int, tasks: int) -> Job:
    """What `--explain` adds: other methods are tried, and compared with those chosen."""
    arrays, names = task_arrays(models, items, tasks), model_names(models)
    scores = rb.Scores.from_arrays(arrays, names)

    def run() -> tuple[float, float]:
        start = process_time()
        board = rb.leaderboard(scores)
        ranked = process_time()
        rb.explain(scores, board.spec)
        rb.diagnose(board)
        return ranked - start, process_time() - start

    def figures(spent: tuple[float, float]) -> Mapping[str, float]:
        return {"× the time without": spent[1] / spent[0]}

    return Job(run, lambda spent: require(spent[0] <= spent[1], "both parts"), figures)


def start_of_rank(pairs: int) -> Job:
    """The table of the README, ranked in new processes, each beside one that only imports."""
    table = new_folder() / "results.csv"
    found = re.search(r'title="results.csv"\n(.*?)```', _README.read_text("utf-8"), re.DOTALL)
    require(found is not None, "the table of the README")
    table.write_text(found[1] if found else "", encoding="utf-8")
    rank = [sys.executable, "-m", "rankbars", "rank", str(table)]
    bare = [sys.executable, "-c", _BARE]

    def run() -> list[tuple[float, float]]:
        return [(_cpu_of(rank), _cpu_of(bare)) for _ in range(pairs)]

    def figures(spent: list[tuple[float, float]]) -> Mapping[str, float]:
        return {"CPU s above a bare process": median(ours - bare for ours, bare in spent)}

    return Job(run, lambda spent: require(len(spent) == pairs, "every pair"), figures)


def claims_of_demo(demo: str, pairs: int) -> Job:
    """Twenty claims about real results, judged in new processes, each beside one that ranks."""
    chosen = DEMOS[demo]
    words = [str(demo_path(chosen)), "--missing", chosen.missing, "--quiet"]
    scores = rb.read(demo_path(chosen))
    models, tasks = scores.models, tuple(scores.tasks)
    least = f"on at least {len(tasks) // 2} of {len(tasks)} tasks"
    places = ["", "", "", f"on '{tasks[0]}'", f"on '{tasks[-1]}'", "on each task", least]
    found = [f"'{models[0]}' first", f"'{models[-1]}' in top 3"]
    for number, place in zip(itertools.count(), itertools.cycle(places), strict=False):
        new, old = models[number % len(models)], models[(number * 2 + 3) % len(models)]
        if len(found) == 20:
            break
        if new != old:
            found.append(f"'{new}' >= '{old}' - {0.01 + number / 1000} {place}")
    claims = [word for claim in found for word in ("--claim", claim)]

    def run() -> list[tuple[float, float]]:
        judge = [sys.executable, "-m", "rankbars", "check", *words, *claims]
        rank = [sys.executable, "-m", "rankbars", "rank", *words]
        return [(_cpu_of(judge, codes=(0, 3, 4)), _cpu_of(rank)) for _ in range(pairs)]

    def figures(spent: list[tuple[float, float]]) -> Mapping[str, float]:
        return {"× the CPU time of rank": median(ours / other for ours, other in spent)}

    return Job(run, lambda spent: require(len(spent) == pairs, "every pair"), figures)


def _cpu_of(command: Sequence[str], codes: Sequence[int] = (0,)) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    require(done.returncode in codes, f"exit code {done.returncode}: {done.stderr}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def help_text() -> Job:
    """Nothing but the start of the program."""
    return Job(_command("--help"), lambda printed: _require(printed, "Exit codes"))


def _command(*words: str) -> Callable[[], str]:
    command = [sys.executable, "-m", "rankbars", *words]
    return lambda: subprocess.run(command, capture_output=True, text=True, check=True).stdout


def _require(printed: str, word: str) -> None:
    require(word.lower() in printed.lower(), f"{word!r} in what was printed: {printed}")


ROWS: tuple[Row, ...] = (
    Once(
        "arrays_1000x1000x20",
        "arrays to all intervals, tasks, average and new task",
        leaderboard_of_arrays,
        {"models": 1000, "items": 1000, "tasks": 20},
        {"models": 5, "items": 12, "tasks": 4},
        {"cpu_s": 3, "peak_mb": 400},
        repeats=3,
    ),
    Once(
        "mmlu_pro",
        "`rankbars rank` of MMLU-Pro, Parquet file to printed board",
        board_of_demo,
        {"demo": "mmlu_pro"},
        {"demo": "vtab"},
        {"wall_s": 3},
        repeats=5,
    ),
    *(
        Once(
            f"rows_1e8_{ids}",
            f"`rankbars rank` of 100,000,000 rows of Parquet, ids of items are {what}, all cores",
            board_of_rows,
            {"models": 500, "items": 10_000, "tasks": 20, "ids": ids},
            {"models": 3, "items": 9, "tasks": 4, "ids": ids},
            {"wall_s": seconds, "peak_mb": 1500},
        )
        for ids, what, seconds in (("integer", "numbers", 30), ("string", "text", 75))
    ),
    Once(
        "published_table_2",
        "table 2 of the published study; tables 2 to 5 are 40 times as much, so that all tables "
        "take 10 minutes on two cores (extrapolated)",
        published_table,
        {"table": 2, "repetitions": 100},
        {"table": 6, "repetitions": 1},
        {"cpu_s": 28},
    ),
    Once(
        "explain_300x1000x20",
        "arrays to the board, choices explained and other methods tried (`--explain`)",
        explanation_of_arrays,
        {"models": 300, "items": 1000, "tasks": 20},
        {"models": 5, "items": 20, "tasks": 3},
        {"× the time without": 3},
    ),
    Once(
        "start",
        "`rankbars rank` of the README's table in a new process, beside one that only imports "
        "numpy, duckdb, click and scipy.special and runs one query, in turn",
        start_of_rank,
        {"pairs": 9},
        {"pairs": 1},
        {"CPU s above a bare process": 0.15},
    ),
    Once(
        "check",
        "`rankbars check` of 20 claims about MMLU-Pro, two of them of a place among all models, "
        "in new processes, beside `rankbars rank` of the same file, in turn",
        claims_of_demo,
        {"demo": "mmlu_pro", "pairs": 5},
        {"demo": "vtab", "pairs": 1},
        {"× the CPU time of rank": 1.5},
    ),
    Once("help", "`rankbars --help`", help_text, {}, {}, {"wall_s": 0.4}, repeats=9),
)

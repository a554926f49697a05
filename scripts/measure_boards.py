"""Rank every board of a folder of real results and print widths, best sets and levels.

Usage: ``python scripts/measure_boards.py DATA [--package FOLDER]... [--only NAME]... [--top K]``.
DATA is a folder of real results as Parquet files, one folder per source, with the names in
`BOARDS`. Nothing runs it but people; it printed the tables in docs/real-boards.md. With
``--package`` the boards are made by the package in that folder as well, such as ``src`` of an older
checkout, in processes of its own, and stand before those of the present sources. Options are the
same for all, and named only where the data ask for them, so that the table shows the defaults of
each.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class Board:
    """One board: the rows to take, and what must be said of them."""

    name: str
    sql: str
    read: dict[str, Any] = field(default_factory=dict)
    rank: dict[str, Any] = field(default_factory=dict)


BOARDS = (
    Board("VTAB-1k", "select model, task, score, se, n from 'vtab/vtab1k.parquet'"),
    Board("VTAB, full", "select model, task, score, se, n from 'vtab/full.parquet'"),
    Board(
        "MMLU-Pro",
        "select model, task, item, score from 'mmlu_pro/scores.parquet'",
        rank={"missing": "listwise"},
    ),
    Board(
        "Pythia and others, 65 tasks",
        "select model, task, score, se, n from 'pythia_lmeval/final.parquet'",
        rank={"missing": "drop_models"},
    ),
    Board(
        "TabArena, folds",
        "select model, task, item as fold, score, metric from 'tabarena/folds.parquet'",
        {"rows": "folds", "folds": 3, "direction": "higher"},
        {"missing": "drop_models"},
    ),
    Board(
        "TabArena, one split",
        "select model, task, score, metric from 'tabarena/lite_split0.parquet'",
        {"direction": "higher"},
    ),
    Board(
        "AMLB 2022",
        "select model, task, item as fold, score, metric from 'amlb/amlb2022.parquet'",
        {"rows": "folds", "folds": 10, "direction": "higher"},
    ),
    Board(
        "AMLB 2019, 1 h",
        "select model, task, item as fold, score, metric from 'amlb/amlb2019_1h.parquet' "
        "where score is not null",
        {"rows": "folds", "folds": 10, "direction": "higher"},
        {"missing": "listwise"},
    ),
    Board(
        "AMLB 2019, 4 h",
        "select model, task, item as fold, score, metric from 'amlb/amlb2019_4h.parquet' "
        "where score is not null",
        {"rows": "folds", "folds": 10, "direction": "higher"},
        {"missing": "listwise"},
    ),
    Board(
        "UCR, multivariate",
        "select model, task, item as fold, score from 'ucr_tsc/multivariate.parquet'",
        {"rows": "folds", "test_share": 0.5},
        {"missing": "listwise"},
    ),
    Board(
        "UCR, univariate",
        "select model, task, item as fold, score from 'ucr_tsc/univariate.parquet' where task in "
        "(select task from 'ucr_tsc/univariate.parquet' group by 1 having count(*) = 1200)",
        {"rows": "folds", "test_share": 0.5},
    ),
    Board(
        "MTEB, English v2",
        "select model, task, score from 'mteb/eng_v2.parquet' where complete",
    ),
    Board(
        "MLE-bench",
        "select model, task, score, se from 'mle_bench_leaderboard/summary.parquet' "
        "where task <> 'all'",
    ),
    Board(
        "EVA-A_pass",
        "select system as model, domain as task, point as score, "
        "(ci_upper - ci_lower) / 3.92 as se from 'eva_leaderboard/summary.parquet' "
        "where metric = 'EVA-A_pass' and domain <> 'pooled' and condition = 'clean'",
        rank={"missing": "drop_models"},
    ),
    Board(
        "EVA-X_pass",
        "select system as model, domain as task, point as score, "
        "(ci_upper - ci_lower) / 3.92 as se from 'eva_leaderboard/summary.parquet' "
        "where metric = 'EVA-X_pass' and domain <> 'pooled' and condition = 'clean'",
        rank={"missing": "drop_models"},
    ),
    Board(
        "tau2-bench, first try",
        "select submission as model, domain as task, pass_1 as score "
        "from 'tau2_leaderboard/submissions.parquet' "
        "where pass_1 is not null and domain <> 'banking_knowledge'",
        rank={"missing": "drop_models"},
    ),
    Board(
        "SWE-bench Verified, by repository",
        "select model, 'verified' as task, item, task as cluster, score "
        "from 'swebench_bash_only/instances.parquet'",
        rank={"missing": "listwise"},
    ),
    Board(
        "SWE-bench Pro, by repository",
        "select model, 'pro' as task, item, task as cluster, score "
        "from 'swebench_pro/scores.parquet'",
        rank={"missing": "listwise"},
    ),
    Board(
        "ARC-AGI-1",
        "select model, task, item, score from 'arc_agi_1/items.parquet' "
        "where task = 'public_evaluation'",
        rank={"missing": "listwise"},
    ),
    Board(
        "LLMBar, judges",
        "select judge as model, set as task, item, "
        "((win_ab = gold)::int + (win_ba = gold)::int) / 2 as score "
        "from 'llmbar/judgements.parquet' where prompt = 'Vanilla'",
        rank={"missing": "listwise"},
    ),
    Board(
        "LLMBar, prompts of one judge",
        "select prompt as model, set as task, item, "
        "((win_ab = gold)::int + (win_ba = gold)::int) / 2 as score "
        "from 'llmbar/judgements.parquet' where judge = 'GPT-4'",
        rank={"missing": "listwise"},
    ),
    Board(
        "SWE-bench Lite, published",
        "select model || ' ' || date as model, 'lite' as task, max(resolved_percent) / 100 as "
        "score, sqrt(score * (1 - score) / 300) as se, 300 as n "
        "from 'swebench_history/submissions_lite.parquet' group by all",
    ),
    Board(
        "Pythia while it learns, step 13,000",
        "select split_part(model, '@', 1) as model, task, score, se "
        "from 'pythia_lmeval/checkpoints.parquet' where step = 13000",
    ),
    Board(
        "LLMPerf, seconds",
        "select provider as model, request as item, end_to_end_s as score "
        "from 'llmperf/requests.parquet' where error_code is null and provider <> 'lepton'",
        {"direction": "lower"},
        {"missing": "listwise"},
    ),
    Board(
        "Terminal-Bench core",
        "select model, item, trial, score from 'terminal_bench_core/trials.parquet'",
        rank={"missing": "listwise"},
    ),
    Board("Arena, August 2024", "chatbot_arena_20240814/counts.parquet"),
    Board(
        "LLMFAO, crowd",
        "select model_a, model_b, winner, judge, prompt from 'llmfao/crowd.parquet'",
    ),
    Board(
        "LLMFAO, judges",
        "select model_a, model_b, winner, judge, prompt from 'llmfao/llm_judges.parquet'",
    ),
)

_HEADS = {"own": "one model", "width": "all at once", "first": "may be first", "level": "level"}


def main() -> None:
    """Print the table, or with ``--measure`` the numbers of the package that is imported."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--package", action="append", default=[], type=Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--top", type=int, help="who is among the first so many, instead")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    boards = [board for board in BOARDS if not chosen.only or board.name in chosen.only]
    if chosen.measure:
        os.chdir(chosen.data)
        for board in boards:
            print(json.dumps(_measure(board)), flush=True)
        return
    if chosen.top:
        os.chdir(chosen.data)
        _print_first(boards, chosen.top)
        return
    packages = [*chosen.package, ROOT / "src"]
    found = [_measured_by(package, boards, chosen.data) for package in packages]
    heads, lines = ["board", "models", "tasks"], ["---", "--:", "--:"]
    shown = [[key for key in _HEADS if any(key in row for row in one.values())] for one in found]
    for keys in shown:
        heads += [_HEADS[key] for key in keys]
        lines += ["---" if key == "level" else "--:" for key in keys]
    print(f"| {' | '.join(heads)} |\n|{'|'.join(lines)}|")
    for board in boards:
        rows = [one[board.name] for one in found]
        cells = [board.name, rows[-1].get("models", "–"), rows[-1].get("tasks", "–")]
        cells += [row.get(key, "–") for row, keys in zip(rows, shown, strict=True) for key in keys]
        texts = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells)
        print(f"| {' | '.join(texts)} |")


def _print_first(boards: list[Board], k: int) -> None:
    """How many may be among the first `k`: by the rows, and by the pairs across the line."""
    print(f"| board | models | may be among the first {k}: by rows | by themselves | shown to be |")
    print("|---|--:|--:|--:|--:|")
    for one in boards:
        import rankbars as rb

        board = rb.leaderboard(_scores(one), **one.rank, top_alone=k)
        told = next(note.message for note in board.notes if note.code == "top-alone")
        out = re.search(r"the other (\d+)\.$", told)
        may = len(board.models) - (int(out[1]) if out else 0)
        shown = told.split(": ", 2)[2].split("; ")[0]
        inside = sum(f", {name}," in f", {shown}," for name in board.models)
        print(f"| {one.name} | {len(board.models)} | {len(board.top(k))} | {may} | {inside} |")


def _measured_by(package: Path, boards: list[Board], data: Path) -> dict[str, dict[str, Any]]:
    command = [sys.executable, __file__, str(data), "--measure"]
    for board in boards:
        command += ["--only", board.name]
    env = os.environ | {"PYTHONPATH": str(package.resolve())}
    lines = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    return {row["name"]: row for row in map(json.loads, lines.splitlines())}


def _measure(board: Board) -> dict[str, Any]:
    import rankbars as rb

    try:
        return {"name": board.name, **_describe(rb.leaderboard(_scores(board), **board.rank))}
    except rb.RankbarsError as error:
        return {"name": board.name, "level": f"refused: {str(error).splitlines()[0][:160]}"}


def _scores(board: Board) -> Any:
    import duckdb

    import rankbars as rb

    if board.sql.endswith(".parquet"):
        return rb.read(board.sql, **board.read)
    table = duckdb.connect().execute(board.sql).to_arrow_table()
    return rb.Scores.from_frame(table, **board.read)


def _describe(board: Any) -> dict[str, Any]:
    found = {
        "models": len(board.models),
        "tasks": len(board.tasks),
        "first": len(board.undominated()),
        "level": _level(board),
    }
    if board.spec.scope == "each":
        return found | {"own": _width(board)}
    found["width"] = _width(board)
    try:
        return found | {"own": _width(board.for_one_model())}
    except ValueError:  # two models, or ranks that are counted in draws
        return found


def _width(board: Any) -> float:
    return float((board.ranks.worst - board.ranks.best).mean())


def _level(board: Any) -> str:
    lead = board.aggregate if board.lead == "aggregate" else next(iter(board.tasks.values()))
    if lead.guarantee is not None:
        return f"{100 * lead.guarantee:.3g} %"
    codes = sorted({note.code for note in board.notes})
    word = "approximate" if getattr(lead, "approximate", False) else "none"
    return f"{word} ({', '.join(codes)})"


if __name__ == "__main__":
    main()

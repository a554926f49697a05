"""Make the live reports of the documentation: pages of real boards.

Usage: ``python scripts/make_live.py [FOLDER]``; FOLDER is ``docs/live`` where not given, and
``make docs`` runs it. The results are those of ``rankbars demo``, and small copies in
``docs/live/data``, where their sources and licences stand.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import rankbars as rb
from rankbars.demos import DEMOS, demo_path

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "live"


@dataclass(frozen=True)
class Live:
    """One board: what it is called, where it is from, and what must be said of its rows."""

    title: str
    source: str
    link: str
    read: dict[str, Any] = field(default_factory=dict)
    rank: dict[str, Any] = field(default_factory=dict)


LIVE = {
    "mteb": Live(
        "MTEB, English v2",
        "embeddings-benchmark/results at f4cc6c8, models with all 41 tasks",
        "https://github.com/embeddings-benchmark/results",
    ),
    "swebench_pro": Live(
        "SWE-bench Pro, public set",
        "scaleapi/SWE-bench_Pro-os at ca10a60; instances that all nine runs have a verdict for",
        "https://github.com/scaleapi/SWE-bench_Pro-os",
        rank={"missing": "listwise"},
    ),
    "tau2": Live(
        "tau2-bench, first try",
        "sierra-research/tau2-bench at a2c0247; submissions with airline, retail and telecom",
        "https://github.com/sierra-research/tau2-bench",
        rank={"missing": "drop_models"},
    ),
    "amlb2019": Live(
        "AutoML benchmark 2019, one hour",
        "openml/automlbenchmark at dfe8d21; folds on which all frameworks ended",
        "https://github.com/openml/automlbenchmark",
        {"rows": "folds", "folds": 10, "direction": "higher"},
        {"missing": "listwise"},
    ),
    "llmfao": Live(
        "LLMFAO, votes of the crowd",
        "dustalov/llmfao at 9e224e9, CC BY 4.0, Dmitry Ustalov and llmonitor.com",
        "https://github.com/dustalov/llmfao",
    ),
    "mle_bench": Live(
        "MLE-bench",
        "openai/mle-bench at 783b15a, the table of its README",
        "https://github.com/openai/mle-bench",
    ),
    "arc_agi_1": Live(
        "ARC-AGI-1, public evaluation set",
        "arcprize/arc-agi-benchmarking, results of 2025",
        "https://github.com/arcprize/arc-agi-benchmarking",
        rank={"missing": "listwise"},
    ),
    "llmbar": Live(
        "LLMBar: models as judges",
        "princeton-nlp/LLMBar at 900616b, the plain prompt, mean of both orders",
        "https://github.com/princeton-nlp/LLMBar",
        rank={"missing": "listwise"},
    ),
}


def main() -> None:
    """Write a page for every board."""
    folder = Path(sys.argv[1]) if sys.argv[1:] else FOLDER
    for name, demo in DEMOS.items():
        given = {"direction": demo.direction, "rows": demo.rows, "folds": demo.folds}
        read = {key: value for key, value in given.items() if value is not None}
        live = Live(demo.title, demo.source, "", read, {"missing": demo.missing})
        write(live, demo_path(demo), folder / f"{name}.html")
    for name, live in LIVE.items():
        write(live, FOLDER / "data" / f"{name}.parquet", folder / f"{name}.html")


def write(live: Live, results: Path, page: Path) -> None:
    """Rank the results, and write the page."""
    board = rb.leaderboard(rb.read(results, **live.read), **live.rank)
    titled = board.titled(title=live.title, source=live.source, link=live.link)
    titled.to_html(page)


if __name__ == "__main__":
    main()

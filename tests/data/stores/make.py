"""Makes the results and the steps that filled the stores here; run with an older rankbars.

    PYTHONPATH=CHECKOUT/src python make.py FOLDER

CHECKOUT is 7fea769 for schema 2, and 747ab98 for schema 1, the last commit that wrote it. DuckDB is
1.2.0, the oldest that is allowed, so that every later one opens the files. They were
compressed by `gzip -9 -n`. 49513b0, the last commit that wrote schema 3, brought those of schema 2
up to date, put the fixtures of logs, judgements and counts of pairs into stores of their own, and
wrote `old` and `links` in the way of older schemas. 41f88fc, the last commit that wrote schema 4,
made those of schema 4, with DuckDB 2.0.0 in the file format of 1.2.
"""

import os
import random
import sys
from pathlib import Path

from rankbars.cli.app import run

TREES = {"ash": 0.9, "birch": 0.6, "cedar": 0.3}
VOTED = ("elm", "fir", "gum", "hop")


def write_items(name: str, skill: float, seed: int) -> None:
    dice = random.Random(seed)
    rows = [
        f"{task},{item},{int(dice.random() < skill)}"
        for task in ("algebra", "geometry")
        for item in range(12)
    ]
    Path(name).write_text("\n".join(["task,item,correct", *rows, ""]), encoding="utf-8")


def draw_votes(count: int, seed: int) -> list[str]:
    dice = random.Random(seed)
    rows = []
    for _ in range(count):
        a, b = dice.sample(VOTED, 2)
        first, second = (3, 1) if a < b else (1, 3)
        said = dice.choice(["model_a"] * first + ["model_b"] * second + ["tie"])
        rows.append(f"{a},{b},{said},j{dice.randrange(5)}")
    return rows


def write_votes(rows: list[str]) -> None:
    head = "model_a,model_b,winner,judge"
    Path("votes.csv").write_text("\n".join([head, *rows, ""]), encoding="utf-8")


def do(words: str) -> None:
    assert run([*words.split(), "-q"]) == 0


def main(folder: str) -> None:
    os.chdir(folder)
    for seed, (name, skill) in enumerate(TREES.items()):
        write_items(f"{name}.csv", skill, seed)
    write_items("gone.csv", 0.5, 9)
    do("add ash.csv birch.csv gone.csv --store items.duckdb")
    do("add cedar.csv --store items.duckdb")
    birch = Path("birch.csv")
    birch.write_text(birch.read_text().replace("algebra,0,1", "algebra,0,0"), encoding="utf-8")
    do("add birch.csv --store items.duckdb")
    do("remove gone.csv --store items.duckdb")
    do("rank items.duckdb -o items.board.json")
    votes = draw_votes(120, 1)
    write_votes(votes)
    do("add votes.csv --store votes.duckdb")
    do("rank votes.duckdb --anytime -o live.json")
    write_votes([*votes, *draw_votes(40, 2)])
    do("add votes.csv --store votes.duckdb")


if __name__ == "__main__":
    main(sys.argv[1])

"""Sheets as people keep them: versions of one board, means under any name, sizes, notes."""

from __future__ import annotations

from everyday.case import Case, lines

JANUARY = lines(
    "Model,MMLU,GSM8K,ARC,BBH",
    "Falke,80.1,54.0,80.3,58.4",
    "Milan,72.2,50.3,74.5,53.3",
    "Lerche,58.9,39.7,62.8,37.0",
)
FEBRUARY = JANUARY.replace("58.9", "59.9") + "Wren,70.0,49.1,71.3,50.0\n"
TWICE = ("no repeated measurements", "--reruns newest", "rankbars diff OLD NEW")

CASES = (
    Case(
        "versions of a board/two files",
        "rank jan.csv feb.csv",
        {"jan.csv": JANUARY, "feb.csv": FEBRUARY},
        (*TWICE, "jan.csv and feb.csv both have a score of model 'Falke' on task 'ARC'"),
        code=1,
    ),
    Case(
        "versions of a board/the newest",
        "rank b_2026-01-01.csv b_2026-02-01.csv --reruns newest",
        {"b_2026-01-01.csv": JANUARY, "b_2026-02-01.csv": FEBRUARY},
        models=("Falke", "Milan", "Lerche", "Wren"),
        means={"Lerche": 59.9},
        tasks=("MMLU", "GSM8K", "ARC", "BBH"),
    ),
    Case(
        "versions of a board/long tables",
        "rank jan.csv feb.csv",
        {
            "jan.csv": lines("model,task,score", "a,x,61.2", "b,x,60.1", "a,y,50", "b,y,51.5"),
            "feb.csv": lines("model,task,score", "a,x,61.2", "b,x,60.4", "a,y,50", "b,y,51.5"),
        },
        TWICE,
        code=1,
    ),
)

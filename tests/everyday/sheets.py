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


def with_mean(name: str, *means: str) -> str:
    """The table of January with one more column."""
    return lines(
        *(f"{row},{cell}" for row, cell in zip(JANUARY.split(), (name, *means), strict=True))
    )


CASES = (
    Case(
        "means under other names/told by the numbers",
        "rank t.csv",
        {"t.csv": with_mean("Composite", "68.2", "62.6", "49.6")},
        ("'Composite' (the mean of all others)",),
        models=("Falke", "Milan", "Lerche"),
        tasks=("MMLU", "GSM8K", "ARC", "BBH"),
    ),
    Case(
        "means under other names/by name",
        "rank t.csv",
        {"t.csv": with_mean("Durchschnitt", "68.2", "62.6", "")},
        models=("Falke", "Milan", "Lerche"),
        tasks=("MMLU", "GSM8K", "ARC", "BBH"),
    ),
    Case(
        "means under other names/a task that is none",
        "rank t.csv",
        {"t.csv": with_mean("Composite", "68.2", "62.6", "48.9")},
        hides=("is the mean of",),
        tasks=("MMLU", "GSM8K", "ARC", "BBH", "Composite"),
    ),
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
    Case(
        "notes below a table/beside a mean",
        "rank t.csv",
        {
            "t.csv": lines(
                "Datensatz;C4.5;kNN;Kommentar",
                "abalone;58,6;63,8;",
                "anneal;97,6;89,6;alt",
                "autos;69,0;64,5;",
                "Mittelwert;75,07;72,63;",
                ";;;",
                "* Accuracy in Prozent;;;",
            )
        },
        ("3 tasks; published", "Left aside, below the table: '* Accuracy in Prozent'."),
        ("too few models entered",),
        tasks=("abalone", "anneal", "autos"),
    ),
)

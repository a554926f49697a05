"""Several rows of one model, which are its sizes, quantisations or dates, and no answers."""

from __future__ import annotations

from everyday.case import Case, lines

TASKS = ("GLUE", "SQuAD", "RACE", "MNLI", "QNLI", "SST")
SIZES = {
    ("BERTish", "110M"): (79.6, 88.5, 65.0, 84.6, 90.5, 93.5),
    ("BERTish", "340M"): (82.1, 90.9, 72.0, 86.7, 92.7, 94.9),
    ("ROBish", "125M"): (83.2, 90.4, 74.0, 87.6, 92.8, 94.8),
    ("ROBish", "355M"): (86.4, 94.6, 83.2, 90.2, 94.7, 96.4),
    ("XLish", "110M"): (82.0, 89.9, 71.0, 85.8, 91.7, 93.9),
}
DATED = {
    ("BERTish", "2026-01-02"): SIZES["BERTish", "110M"],
    ("ROBish", "2026-03-01"): SIZES["ROBish", "125M"],
    ("ROBish", "2026-05-01"): SIZES["ROBish", "355M"],
    ("XLish", "2026-04-01"): SIZES["XLish", "110M"],
}
QUANT = {
    ("Lima-8B", "fp16"): (66.1, 60.2, 51.0, 81.9, 45.0, 77.4),
    ("Lima-8B", "int4"): (63.9, 57.8, 44.2, 80.4, 44.1, 75.9),
    ("Gim-9B", "fp16"): (70.8, 66.1, 66.9, 82.0, 50.3, 78.0),
    ("Gim-9B", "int4"): (69.5, 64.7, 63.0, 81.1, 49.8, 77.2),
}
Entries = dict[tuple[str, str], tuple[float, ...]]


def matrix(entries: Entries, column: str) -> str:
    return lines(
        f"Model,{column},{','.join(TASKS)}",
        *(f"{','.join(names)},{','.join(map(str, own))}" for names, own in entries.items()),
    )


def tidy(entries: Entries, column: str) -> str:
    return lines(
        f"model,{column},task,score",
        *(
            f"{','.join(names)},{task},{score}"
            for names, own in entries.items()
            for task, score in zip(TASKS, own, strict=True)
        ),
    )


ALL = tuple(" · ".join(names) for names in SIZES)
AS_ENTRIES = "--layout models-by-tasks --column condition"

CASES = (
    Case(
        "several rows of a model/sizes are asked about",
        "rank t.csv",
        {"t.csv": matrix(SIZES, "Params")},
        (
            "'BERTish', 'ROBish' have several rows, which 'Params' tells apart",
            f"an entry of its own ('BERTish · 110M'): {AS_ENTRIES}=Params",
            "whose mean counts: --column item=",
        ),
        code=1,
    ),
    Case(
        "several rows of a model/sizes as entries",
        f"rank t.csv {AS_ENTRIES}=Params",
        {"t.csv": matrix(SIZES, "Params")},
        models=ALL,
        tasks=TASKS,
        means={"ROBish · 355M": 86.4, "BERTish · 110M": 79.6},
    ),
    Case(
        "several rows of a model/sizes in a tidy table",
        "rank t.csv",
        {"t.csv": tidy(SIZES, "params")},
        ("'params' tells apart", "--column condition=params"),
        code=1,
    ),
    Case(
        "several rows of some models/a date",
        "rank t.csv",
        {"t.csv": matrix(DATED, "Date")},
        ("'ROBish' has several rows, which 'Date' tells apart", "--reruns newest"),
        ("whose mean counts",),
        code=1,
    ),
    Case(
        "several rows of some models/the newest",
        "rank t.csv --reruns newest",
        {"t.csv": matrix(DATED, "Date")},
        ("the newest by 'Date' count; 6 older ones are left aside",),
        models=("BERTish", "ROBish", "XLish"),
        tasks=TASKS,
        means={"ROBish": 86.4, "BERTish": 79.6},
    ),
    Case(
        "every model in two ways/a matrix",
        "rank t.csv",
        {"t.csv": matrix(QUANT, "quant")},
        (f"{AS_ENTRIES}=quant", "--column run=quant", "--where \"quant = 'fp16'\""),
        ("task=quant",),
        code=1,
    ),
    Case(
        "every model in two ways/a tidy table",
        "rank t.csv",
        {"t.csv": tidy(QUANT, "quant")},
        ("--column condition=quant", "--where \"quant = 'fp16'\""),
        code=1,
    ),
    Case(
        "every model in two ways/one of them",
        "rank t.csv --where \"quant = 'int4'\"",
        {"t.csv": matrix(QUANT, "quant")},
        models=("Gim-9B", "Lima-8B"),
        means={"Gim-9B": 69.5, "Lima-8B": 63.9},
    ),
)

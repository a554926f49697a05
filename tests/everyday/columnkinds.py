"""Columns of amounts, counts and spreads under any name, beside columns of scores."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from datetime import timedelta

from everyday.case import Case, lines, parquet
from everyday.printedtables import FOUR, THREE, grown

ASKS = ("on the scale of the other columns",)
TIMES = grown("zeit_unix", "1790000311", "1790000127", "1790000954")
ALIKE = lines("Checkpoint,lauf_a,lauf_b,Streuung", "one,0.71,0.72,0.007", "two,0.68,0.69,0.011")
SOLVED = lines(
    "agent,share solved,tickets", "one,0.704,352", "two,0.546,273", "three,0.210,105"
)  # fmt: skip

FEET = lines(
    "Dataset,DT,RF,GBM",
    "adult,63.0,73.6,76.6", "bank,78.3,84.5,85.4", "car,77.2,81.9,84.6", "iris,89.1,90.5,91.8",
    "Wilcoxon p,0.002,0.04,",
)  # fmt: skip

SETS = lines(
    "Dataset,Klassen,DT,RF,GBM",
    "adult,2,63.0,73.6,76.6", "bank,4,78.3,84.5,85.4", "car,13,77.2,81.9,84.6",
)  # fmt: skip
RATED = lines(
    "item,Zeichen,one,two",
    *(f"q{n},{200 + 37 * n % 90},{1 + n % 5},{1 + (2 * n) % 5}" for n in range(12)),
)
BETTER = lines(
    "id,a,b,c,d",
    *(f"q{n},{int(n % 5 > 0)},{n % 3 // 2},{n % 4 // 3},{n % 7 // 5}" for n in range(60)),
)
LEARNED = lines("model,test acc,train acc", "a,0.71,0.93", "b,0.74,0.88", "c,0.69,0.97")


def samples(decimal: str) -> str:
    """Errors of two models on numbered samples, as a German sheet has them."""
    rows = [f"{n};{20 + n * 7 % 10 + 0.25:.2f};{10 + n * 3 % 10 + 0.31:.2f}" for n in range(1, 13)]
    return "Probe;A;B\n" + "\n".join(rows).replace(".", decimal) + "\n"


def pandas_parquet(columns: Mapping[str, Sequence[object]]) -> bytes:
    """A Parquet file as pandas writes it."""
    import pandas as pd

    sink = io.BytesIO()
    pd.DataFrame(columns).to_parquet(sink)
    return sink.getvalue()


TOOK = [timedelta(seconds=n * 7 % 11 + 1) for n in range(24)]

CASES = (
    *(
        Case(
            f"durations as scores/{name}",
            line,
            {
                "t.parquet": write(
                    {"model": ["a", "b"] * 12, "item": [n // 2 for n in range(24)], "score": TOOK}
                )
            },
            (said,),
            ("--column",),
            code=code,
            means={"a": 67 / 12} if not code else {},
        )
        for name, line, write, said, code in (
            ("asked", "rank t.parquet", parquet, "--direction duration=lower", 1),
            ("of pandas", "rank t.parquet --direction lower", pandas_parquet, "as seconds", 0),
            ("of pyarrow", "rank t.parquet --direction lower", parquet, "as seconds", 0),
        )
    ),
    Case(
        "durations in parquet/a column per model",
        "rank t.parquet --direction lower",
        {"t.parquet": parquet({"item": [*range(12)], "a": TOOK[:12], "b": TOOK[12:]})},
        ("durations are read as seconds",),
        models=("a", "b"),
        items=12,
    ),
    Case(
        "durations in parquet/beside scores",
        "rank t.parquet",
        {
            "t.parquet": pandas_parquet(
                {
                    "model": ["a", "b"] * 12,
                    "item": [n // 2 for n in range(24)],
                    "score": [n * 5 % 3 for n in range(24)],
                    "took": TOOK,
                }
            )
        },
        models=("a", "b"),
        items=12,
    ),
    Case(
        "a column that may be a model/said without notes of reading",
        "rank m.csv -q",
        {
            "m.csv": lines(
                "id,alpha,gpt,classes",
                *(f"q{n},{n % 3 % 2},{n % 5 % 2},{n % 7}" for n in range(60)),
            )
        },
        ("'classes' is no model by its name", "name all models"),
        models=("alpha", "gpt"),
    ),
    *(
        Case(
            f"numbers of samples beside errors/{name}",
            "rank s.csv --layout items-by-models --direction lower",
            {"s.csv": samples(mark)},
            ("rows are named by 'Probe'",),
            models=("A", "B"),
            items=12,
        )
        for name, mark in (("decimal point", "."), ("decimal comma", ","))
    ),
    Case(
        "a model by its numbers/far better than the others",
        "rank t.csv",
        {"t.csv": BETTER},
        ("a leads",),
        models=("a", "b", "c", "d"),
        items=60,
    ),
    Case(
        "no model by its numbers/whole numbers",
        "rank t.csv",
        {"t.csv": SETS},
        ("the numbers in 'Klassen' are of another kind", "--models DT --models GBM --models RF"),
        code=1,
    ),
    Case(
        "no model by its numbers/beside models that are named",
        "rank t.csv --models DT --models RF --models GBM",
        {"t.csv": SETS},
        models=("DT", "RF", "GBM"),
    ),
    Case(
        "no model by its numbers/many times the others",
        "rank t.csv",
        {"t.csv": RATED},
        ("the numbers in 'Zeichen' are of another kind",),
        code=1,
    ),
    Case(
        "learned from/beside what was not",
        "rank t.csv",
        {"t.csv": LEARNED},
        ("Not used: 'train acc'",),
        tasks=("test acc",),
        means={"b": 0.74},
    ),
    Case(
        "values of tests/below data sets",
        "rank t.csv",
        {"t.csv": FEET},
        ("'Wilcoxon p' summarises the others",),
        models=("DT", "RF", "GBM"),
        tasks=("adult", "bank", "car", "iris"),
    ),
    Case("another kind/seconds since 1970", "rank t.csv", {"t.csv": TIMES}, ASKS, code=1),
    Case(
        "another kind/left aside",
        "rank t.csv --metric MMLU --metric GSM8K --metric HumanEval --metric ARC",
        {"t.csv": TIMES},
        models=THREE,
        tasks=FOUR,
    ),
    Case(
        "another kind/a score after all",
        "rank t.csv --direction MME=higher",
        {"t.csv": grown("MME", "1987", "1871", "1510")},
        ("Mean rank",),
        models=THREE,
        tasks=(*FOUR, "MME"),
    ),
    Case("spread under any name/of alike columns", "rank t.csv", {"t.csv": ALIKE}, ASKS, code=1),
    Case(
        "spread under any name/beside one column",
        "rank t.csv",
        {"t.csv": lines("model,Leistung,Schwankung", "a,71.3,1.1", "b,64.0,0.9")},
        ("'Schwankung' does not lie",),
        code=1,
    ),
    Case(
        "counts under any name/whole numbers among fractions",
        "rank t.csv",
        {
            "t.csv": lines(
                "System,R-1,R-2,R-L,Length",
                "lead,40.3,17.7,36.7,85",
                "bart,44.2,21.3,40.9,68",
                "pegasus,44.2,21.5,41.1,70",
            )
        },
        ("'Length' does not lie",),
        code=1,
    ),
    Case(
        "counts under any name/points beside shares",
        "rank t.csv",
        {"t.csv": lines("model,Pass@1,Pass@5,Umwege", "a,0.41,0.58,14.1", "b,0.46,0.60,19.9")},
        ("'Umwege' does not lie",),
        code=1,
    ),
    Case(
        "counts under any name/beside one share",
        "rank t.csv",
        {"t.csv": SOLVED},
        ("'tickets' does not lie", "--metric 'share solved'"),
        code=1,
    ),
)

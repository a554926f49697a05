"""Files of people who compare forecasts: errors of models by series, by day and by horizon."""

from __future__ import annotations

import random
from datetime import date, timedelta

from everyday.case import Case, lines

MODELS = ("Naive2", "ETS", "LGBM")


def by_series(columns: str, value: str = "0.9") -> str:
    """One row for each model and series; what stands in each is made of the two numbers."""
    source = random.Random(2)
    return lines(
        columns,
        *(
            f"{model},S{number},"
            + value.format(
                signed=f"{source.gauss(place - 1, 1):.3f}",
                inside=f"{min(1.0, source.gauss(0.8 + place / 12, 0.05)):.3f}",
                size=f"{source.gammavariate(4, 0.3 - place / 30):.3f}",
            )
            for number in range(30)
            for place, model in enumerate(MODELS)
        ),
    )


def daily(days: int, seed: int = 1) -> str:
    """Errors of two equal models, each of which goes on for days."""
    source, state, rows = random.Random(seed), [0.0, 0.0], []
    for at in range(days):
        state = [0.8 * one + source.gauss(0, 0.6) for one in state]
        sizes = ",".join(f"{2 + one / 4:.4f}" for one in state)
        rows.append(f"{date(2025, 1, 1) + timedelta(at)},{sizes}")
    return lines("date,GFS,ICON", *rows)


def backtest(seed: int) -> str:
    """What evaluate of sktime returns for one forecaster, saved with its index."""
    source = random.Random(seed)
    return lines(
        ",test_MeanAbsolutePercentageError,fit_time,pred_time,len_train_window,cutoff",
        *(
            f"{at},{0.1 + source.random() * seed / 9:.4f},0.0{at},0.00{at},{36 + at},{35 + at}"
            for at in range(30)
        ),
    )


# Means of symmetric errors by frequency, of which nothing in the file says that less is better.
FREQUENCIES = lines(
    "Method,Yearly,Quarterly,Monthly,Weekly,Daily,Hourly",
    "Smyl,13.18,9.68,12.13,7.82,3.17,9.33",
    "Comb,14.85,10.18,13.43,8.94,2.98,22.11",
    "Naive2,16.34,11.01,14.43,9.16,3.05,18.38",
)
METRICS = lines(
    "Model,MAE,RMSE,MAPE,sMAPE,MASE,RMSSE,WAPE",
    "LGBM,10.1,14.2,8.1,8.0,0.91,0.88,0.07",
    "ETS,11.3,15.0,9.0,8.8,1.02,0.95,0.08",
    "Naive2,14.0,19.1,11.9,11.2,1.30,1.22,0.10",
)
TURNED = lines(
    ",LGBM,ETS,Naive2", "MAE,10.1,11.3,14.0", "RMSE,14.2,15.0,19.1", "MASE,0.91,1.02,1.30"
)
SAMPLES = lines(
    ".model,series,.type,RMSE",
    *(
        f"{model},S{number},{part},{size + number + place / 7:.2f}"
        for size, part in ((1, "Training"), (2, "Test"))
        for place, model in enumerate(MODELS)
        for number in range(20)
    ),
)
HORIZONS = lines(
    "series,horizon,ETS,LGBM",
    *(
        f"S{n},{step},{n * 7 % 5 / 9 + step / 4:.3f},{n * 5 % 7 / 9 + step / 4:.3f}"
        for n in range(24)
        for step in range(1, 7)
    ),
)
LONG_HORIZONS = lines(
    "model,series,horizon,smape",
    *(
        f"{model},S{n},{step},{(n * 7 + step + place) % 5 / 9 + step / 4:.3f}"
        for place, model in enumerate(MODELS)
        for n in range(24)
        for step in range(1, 7)
    ),
)
LENGTHS = lines(
    "dataset,pred_len,PatchTST,DLinear",
    *(
        f"{name},{length},{size + place / 9:.3f},{size + place / 7:.3f}"
        for place, name in enumerate(("ETTh1", "ETTh2", "ETTm1", "Weather"))
        for length, size in ((96, 0.3), (192, 0.4), (336, 0.5), (720, 0.6))
    ),
)
UNITS = lines(
    "unique_id,ETS,LGBM",
    *(f"S{n},{10 ** (n % 5) * (1 + n % 3 / 9):.2f},{10 ** (n % 5):.2f}" for n in range(40)),
)
NAMED = "--column model=model --column item=series"

DAYS = lines(
    "date,model,rmse",
    *(
        f"2025-03-{day:02},{model},{2 + (day * 7 + place) % 5 / 9:.3f}"
        for place, model in enumerate(("GFS", "ICON"))
        for day in range(1, 31)
    ),
)

CASES = (
    Case(
        "errors with their signs/residuals of each day",
        "rank residuals.csv --layout items-by-models --direction lower",
        {
            "residuals.csv": lines(
                "date,arima,ets",
                *(f"2025-01-{n:02},{n % 5 - 2}.5,{n % 3 - 2}.1" for n in range(1, 31)),
            )
        },
        ("lie on both sides of 0", "frame[['arima', 'ets']].abs()"),
        code=1,
    ),
    Case(
        "errors with their signs/a mean error beside each series",
        f"rank f.csv {NAMED} --column score=ME --direction lower",
        {"f.csv": by_series("model,series,ME", "{signed}")},
        ("values of 'ME' lie on both sides of 0", "frame['ME'].abs()"),
        code=1,
    ),
    Case(
        "errors with their signs/differences are meant",
        f"rank f.csv {NAMED} --column score=rmse_difference --direction lower",
        {"f.csv": by_series("model,series,rmse_difference", "{signed}")},
        models=MODELS,
        items=30,
    ),
    Case(
        "shares inside intervals/of one level",
        f"rank f.csv {NAMED} --column score=coverage_90 --direction higher",
        {"f.csv": by_series("model,series,coverage_90", "{inside}")},
        ("best at the level of the intervals", "--direction coverage_90=higher"),
        code=1,
    ),
    Case(
        "shares inside intervals/of files called after it",
        "rank picp.csv --layout items-by-models --direction higher",
        {
            "picp.csv": lines(
                "series,wide,exact", *(f"S{n},{98 + n % 3}e-2,{88 + n % 5}e-2" for n in range(30))
            )
        },
        ("best at the level of the intervals", "--direction picp=higher"),
        code=1,
    ),
    Case(
        "shares inside intervals/said to be good where they are high",
        f"rank f.csv {NAMED} --column score=coverage_90 --direction coverage_90=higher",
        {"f.csv": by_series("model,series,coverage_90", "{inside}")},
        models=MODELS,
        items=30,
    ),
    Case(
        "metrics are no tasks/of one result each",
        "rank f.csv --direction lower",
        {"f.csv": METRICS},
        ("of the same results, and not several tasks", "--metric MAPE"),
        ("leads",),
        code=1,
    ),
    Case(
        "metrics are no tasks/one of them",
        "rank f.csv --direction lower --metric MASE",
        {"f.csv": METRICS},
        models=("LGBM", "ETS", "Naive2"),
        tasks=("f",),
    ),
    Case(
        "metrics are no tasks/nor models, in rows",
        "rank f.csv",
        {"f.csv": TURNED},
        ("the rows 'MAE', 'RMSE', 'MASE' are metrics by their names", "index_col=0).T"),
        code=1,
    ),
    Case(
        "a guess comes first/errors under no name",
        "rank f.csv",
        {"f.csv": FREQUENCIES},
        ("'Naive2' comes first on 4 of 6 tasks if higher is better", "--direction lower"),
        ("Tiers",),
        code=1,
    ),
    Case(
        "a guess comes first/declared",
        "rank f.csv --direction lower",
        {"f.csv": FREQUENCIES},
        models=("Smyl", "Comb", "Naive2"),
    ),
    Case(
        "a row for each model and day/asked",
        "rank f.csv --direction lower",
        {"f.csv": DAYS},
        ("dates or versions by their names", "--column item=date"),
        ("cannot be paired", "Tiers"),
        code=1,
    ),
    Case(
        "a row for each model and day/paired by it",
        "rank f.csv --direction lower --column item=date",
        {"f.csv": DAYS},
        models=("GFS", "ICON"),
        items=30,
    ),
    Case(
        "days in a row/told, and what to do",
        "rank rmse.csv --layout items-by-models --direction lower",
        {"rmse.csv": daily(40)},
        ("Neighbouring times go together", "--column cluster=month", "if rows are independent"),
        models=("GFS", "ICON"),
    ),
    Case(
        "training and test errors/are no items",
        "rank f.csv --column model=.model --column task=series --column score=RMSE "
        "--direction lower",
        {"f.csv": SAMPLES},
        ("'.type' says which part of the data", "Test"),
        code=1,
    ),
    Case(
        "windows of a backtest/one file for each forecaster",
        "rank ets.csv naive.csv --metric test_MeanAbsolutePercentageError --direction lower",
        {"ets.csv": backtest(1), "naive.csv": backtest(2)},
        ("names the items",),
        models=("ets", "naive"),
        items=30,
    ),
    Case(
        "times above rows/are no metric",
        "rank f.csv",
        {"f.csv": lines("time,bert,gpt", *(f"t{n},0.{n},0.{n + 1}" for n in range(10, 40)))},
        ("If less is better in them",),
        ("lower is better in 'time'",),
        code=1,
    ),
    Case(
        "infinite scores/of constant series",
        "rank mase.csv --layout items-by-models --direction lower",
        {"mase.csv": lines("unique_id,a,b", *(f"S{n},{n}.5,{n}" for n in range(30)), "S30,inf,1")},
        ("mase.csv, row 32 (model 'a'", "the score is infinite"),
        ("Warning",),
        code=1,
    ),
    Case(
        "steps ahead/beside columns of models",
        "rank mape.csv",
        {"mape.csv": HORIZONS},
        ("'ETS', 'LGBM' seem to be models", "--column epoch=horizon --runs independent"),
        code=1,
    ),
    Case(
        "steps ahead/are no items of a series",
        "rank f.csv --column task=series --direction lower",
        {"f.csv": LONG_HORIZONS},
        ("how far ahead forecasts look", "--column item=series --column epoch=horizon, with"),
        code=1,
    ),
    Case(
        "steps ahead/of each data set",
        "rank f.csv --direction lower",
        {"f.csv": LENGTHS},
        ("'pred_len' says how far ahead", '--where "pred_len = 96"'),
        code=1,
    ),
    Case(
        "series in units of their own/told",
        "rank mae.csv --layout items-by-models --direction lower",
        {"mae.csv": UNITS},
        ("make half of every mean", "such as MASE"),
        models=("ETS", "LGBM"),
    ),
    Case(
        "series in units of their own/have one scale as tasks",
        "rank mae.csv --layout tasks-by-models --direction lower",
        {"mae.csv": UNITS},
        ("average rank",),
        ("make half",),
        models=("ETS", "LGBM"),
    ),
)  # fmt: skip

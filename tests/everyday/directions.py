"""Losses, distances, failures and places: nothing of which less is better counts as a score."""

from __future__ import annotations

from everyday.case import Case, lines, right, table

SEVEN = ("aorta", "bladder", "kidney", "liver", "pancreas", "spleen", "stomach")
ASKS = ("Declare which side is better", "lower-is-better")


def distances(measure: str) -> str:
    """A row per model and a column per organ; the last model is the farthest away."""
    values = {
        "model": ("Ours", "nnU-Net", "U-Net"),
        **{
            f"{organ} {measure}": [
                round(1.2 + place**2 / 9 + far + place % 3 / 50, 2) for far in (0.0, 0.1, 0.9)
            ]
            for place, organ in enumerate(SEVEN)
        },
    }
    return table(values)


def places() -> str:
    """Three systems placed by a reader on forty items; the first is best most often."""
    orders = ("1,2,3", "1,3,2", "2,1,3", "1,2,3")
    return lines("item,SysA,SysB,SysC", *(f"i{n},{orders[n % 4]}" for n in range(40)))


def places_by_raters(lost: tuple[tuple[int, int], ...] = ()) -> str:
    """Orders of three systems by three raters on 12 items, without some; A is best in 9 of 12."""
    orders = ((1, 2, 3), (1, 3, 2), (2, 1, 3), (1, 2, 3))
    rows = [
        f"r{rater},i{item},{','.join(map(str, orders[(item + rater) % 4]))}"
        for rater in range(3)
        for item in range(12)
        if (rater, item) not in lost
    ]
    return lines("annotator,item,SysA,SysB,SysC", *rows)


def places_in_rows() -> str:
    """The same, a row per item and system."""
    orders = ((1, 2, 3), (1, 3, 2), (2, 1, 3), (1, 2, 3))
    rows = [f"i{n},Sys{name},{orders[n % 4][k]}" for n in range(40) for k, name in enumerate("ABC")]
    return lines("item,model,preference_rank", *rows)


def wrong_answers(name: str) -> dict[str, str]:
    """Two files of one model: the new one is wrong less often."""
    return {
        f"{model}.csv": table({"id": range(200), name: right(share, 200, 3)})
        for model, share in (("new", 0.36), ("old", 0.52))
    }


def wrong_in_rows(name: str) -> str:
    rows = [
        f"{model},{place},{value}"
        for model, share in (("new", 0.36), ("old", 0.52))
        for place, value in enumerate(right(share, 200, 3))
    ]
    return lines(f"model,id,{name}", *rows)


def speech(mean: str) -> str:
    """A board of word error rates that names them in one column alone."""
    return lines(
        f"Rank,Model,{mean},RTFx ⬆️,AMI,Tedlium,LS Clean",
        "1,canary,4.84,418.26,10.19,2.71,1.61",
        "2,parakeet,5.41,3386.02,11.16,3.38,1.69",
        "3,whisper-base,10.09,320.1,21.13,4.87,4.27",
    ).replace(",", "\t")


def pivot(unit: int) -> str:
    """Errors of three models on three data sets, of which nothing says that they are errors."""
    errors = {"boston": (3.1, 2.9, 2.5), "energy": (1.2, 1.9, 1.1), "wine": (0.6, 0.7, 0.5)}
    rows = [f"{name},{','.join(f'{unit * x:g}' for x in row)}" for name, row in errors.items()]
    return lines("dataset,RF,SVM,Ours", *rows)


MARKED = lines("model,FID ↓,IS ↑,CLIP-T", "a,6.3,20.1,0.31", "b,5.2,22.1,0.30", "c,7.9,19.2,0.33")
SPEEDS = [f"{name},r{n},{rate + n % 7 / 3:.2f}" for n in range(30)
          for name, rate in (("slow", 55), ("fast", 66))]  # fmt: skip

FORECASTS = lines(
    "Dataset,DLinear,PatchTST,Ours", "ETTh1,1.321,1.177,1.158", "ETTh2,0.34,0.322,0.308",
    "ETTm1,0.457,0.447,0.43", "ETTm2,1.36,1.231,0.282",
)  # fmt: skip


# All of them are word error rates, and so is what they are the mean of.
ERROR_RATES = """\
| Model | LibriSpeech ↓ | TED-LIUM ↓ | AMI ↓ | Avg. WER ↓ |
|:------|----:|----:|----:|----:|
| whale | 1.6 | 3.5 | 11.3 | 5.47 |
| canary | 1.7 | 3.4 | 13.9 | 6.33 |
| tiny | 4.9 | 6.8 | 21.0 | 10.9 |
"""


def ended(third: str) -> str:
    """How questions ended for two models; the second has something else than right or wrong."""
    alpha, beta = right(0.8, 200), right(0.5, 200)
    words = [third if n % 10 == 0 else str(bool(value)) for n, value in enumerate(beta)]
    return table(
        {"question_id": range(200), "alpha": [str(bool(one)) for one in alpha], "beta": words}
    )


def by_series(metric: str) -> str:
    """A measure of two models on thirty series."""
    rows = [f"T{n},{name},{v + n / 90:.3f}" for n in range(30) for name, v in PAIR]
    return lines(f"series,model,{metric}", *rows)


PAIR = (("ETS", 1.2), ("NBEATS", 1.1))
NAMED = "--column item=series --column score="

CASES = (
    Case(
        "a measure that no rule knows/asked",
        f"rank f.csv {NAMED}zq",
        {"f.csv": by_series("zq")},
        ("it is not known which side of 'zq' is better", "--direction zq=lower"),
        code=1,
    ),
    Case(
        "a measure that no rule knows/told",
        f"rank f.csv {NAMED}zq --direction zq=lower",
        {"f.csv": by_series("zq")},
        ("NBEATS leads",),
    ),
    Case(
        "a measure that no rule knows/the mean of groups",
        "rank a.csv",
        {
            "a.csv": lines(
                "dataset,method,mean,std,count",
                "cifar,base,28.5,0.3,3",
                "cifar,ours,27.6,0.2,3",
                "svhn,base,9.1,0.3,3",
                "svhn,ours,8.2,0.2,3",
            )
        },
        ("which side of 'mean' is better",),
        code=1,
    ),
    Case(
        "negated or a loss/likelihood",
        f"rank f.csv {NAMED}neg_log_likelihood",
        {"f.csv": by_series("neg_log_likelihood")},
        ("'neg_log_likelihood' is usually lower-is-better",),
        code=1,
    ),
    Case(
        "negated or a loss/in one word",
        f"rank f.csv {NAMED}mean_wQuantileLoss",
        {"f.csv": by_series("mean_wQuantileLoss")},
        ("is usually lower-is-better",),
        code=1,
    ),
    Case(
        "negated or a loss/in German",
        f"rank f.csv {NAMED}Fehler",
        {"f.csv": by_series("Fehler")},
        ("is usually lower-is-better",),
        code=1,
    ),
    Case(
        "a loss in the corner/asked",
        "rank table.csv --layout tasks-by-models",
        {"table.csv": lines("MSE,LSTM,TCN", "ETTh1,.388,.334", "ETTh2,.414,.346")},
        ("--direction MSE=lower",),
        code=1,
    ),
    Case("distances/surface", "rank d.csv", {"d.csv": distances("ASSD")}, ASKS, code=1),
    Case("distances/in millimetres", "rank d.csv", {"d.csv": distances("HD95 (mm)")}, ASKS, code=1),
    Case(
        "distances/told",
        "rank d.csv --direction lower",
        {"d.csv": distances("ASSD")},
        ("Ours leads",),
    ),
    Case("places/matrix", "rank p.csv", {"p.csv": places()}, ("as ranks are",), code=1),
    Case(
        "places of several raters/matrix",
        "rank p.csv --layout items-by-models --column epoch=annotator",
        {"p.csv": places_by_raters()},
        ("as ranks are", "--direction lower"),
        code=1,
    ),
    Case(
        "places of several raters/some lost",
        "rank p.csv --layout items-by-models --column epoch=annotator",
        {"p.csv": places_by_raters(lost=((0, 3), (2, 7)))},
        ("as ranks are", "--direction lower"),
        code=1,
    ),
    Case(
        "places of several raters/told",
        "rank p.csv --layout items-by-models --column epoch=annotator --direction lower",
        {"p.csv": places_by_raters()},
        ("SysA leads",),
        items=12,
        means={"SysA": 1.25, "SysB": 2.0, "SysC": 2.75},
    ),
    Case("places/column", "rank p.csv", {"p.csv": places_in_rows()}, ASKS, code=1),
    Case(
        "places/told",
        "rank p.csv --direction lower",
        {"p.csv": places()},
        ("SysA leads",),
        items=40,
        means={"SysA": 1.25},
    ),
    Case(
        "places beside ratings/which",
        "rank h.csv",
        {
            "h.csv": table(
                {
                    "item_id": [k // 3 for k in range(60)],
                    "system": ["base", "a", "b"] * 20,
                    "fluency": [1 + (5 * k) % 4 for k in range(60)],
                    "adequacy": [1 + (7 * k) % 5 for k in range(60)],
                    "preference_rank": [1, 3, 2] * 20,
                }
            )
        },
        ("3 columns could be the score: 'fluency', 'adequacy', 'preference_rank'",),
        code=1,
    ),
    Case("wrong answers/files", "compare new.csv old.csv", wrong_answers("wrong"), ASKS, code=1),
    Case(
        "wrong answers/told",
        "compare new.csv old.csv --direction lower",
        wrong_answers("incorrect"),
        ("new is better than old",),
    ),
    Case(
        "wrong answers/rows",
        "compare w.csv --models new --models old",
        {"w.csv": wrong_in_rows("timeout")},
        ASKS,
        code=1,
    ),
    Case(
        "failures/rates of three tasks",
        "rank f.csv",
        {
            "f.csv": lines(
                "model,GSM8K fail rate,ARC fail rate,MMLU fail rate",
                "a,0.1,0.2,0.3",
                "b,0.4,0.5,0.6",
            )
        },
        ASKS,
        code=1,
    ),
    Case(
        "failures/losses of matches",
        "rank f.csv",
        {"f.csv": lines("model,losses,win rate", "a,65,0.7", "b,94,0.5", "c,120,0.3")},
        ASKS,
        code=1,
    ),
    Case(
        "file called after a loss/in front",
        "rank rmse_wide.csv",
        {
            "rmse_wide.csv": lines(
                "dataset,RF,SVM,Ours",
                "boston,3.1,3.4,2.9",
                "energy,1.2,1.9,1.1",
                "wine,0.6,0.7,0.5",
            )
        },
        ASKS,
        code=1,
    ),
    Case("file called after a loss/alone", "rank wer.csv", {"wer.csv": pivot(1)}, ASKS, code=1),
    Case(
        "file called after a loss/words behind",
        "rank nll_by_dataset_pivot.csv",
        {"nll_by_dataset_pivot.csv": pivot(1)},
        ASKS,
        code=1,
    ),
    Case(
        "file called after amounts or rates/errors",
        "rank error_rates.csv",
        {"error_rates.csv": pivot(1)},
        ASKS,
        code=1,
    ),
    Case(
        "file called after amounts or rates/seconds",
        "rank train_times_sec.csv",
        {"train_times_sec.csv": pivot(1)},
        ASKS,
        code=1,
    ),
    Case(
        "file called after amounts or rates/a column that is a metric",
        "rank error_analysis.csv",
        {"error_analysis.csv": lines("model,item,accuracy", "a,1,1", "a,2,0", "b,1,1", "b,2,1")},
        ("2 models",),
    ),
    Case(
        "scores that are no shares/pivot of errors",
        "rank r.csv",
        {"r.csv": pivot(400)},
        ("no shares (up to 1240)", "--direction lower"),
        code=1,
    ),
    Case(
        "scores that are no shares/told",
        "rank r.csv --direction lower",
        {"r.csv": pivot(400)},
        ("Ours",),
        tasks=("boston", "energy", "wine"),
    ),
    Case(
        "scores that are no shares/one among shares",
        "rank r.csv",
        {"r.csv": lines("model,MMLU,GSM8K,Points", "a,70,60,480", "b,65,66,512")},
        ("'Points' does not lie on the scale",),
        code=1,
    ),
    Case(
        "mean that says lower/metric in its name",
        "rank asr.tsv",
        {"asr.tsv": speech("Average WER ⬇️")},
        ("lower is better in 'Average WER ⬇️'", "If lower: --direction lower."),
        code=1,
    ),
    Case(
        "mean that says lower/arrow alone",
        "rank asr.tsv",
        {"asr.tsv": speech("Avg. ↓")},
        ("the arrow in 'Avg. ↓' says that lower is better, or by what the table was sorted",),
        code=1,
    ),
    Case(
        "mean that says lower/told",
        "rank asr.tsv --direction lower",
        {"asr.tsv": speech("Average WER ⬇️")},
        ("Not used: 'Rank', 'Average WER ⬇️', 'RTFx ⬆️'",),
        tasks=("AMI", "Tedlium", "LS Clean"),
        means={"canary": 10.19},
    ),
    Case(
        "arrow against what is said of all/upwards",
        "rank t.csv --direction lower",
        {"t.csv": lines("model,QED ↑,FCD,Novel KL", "a,0.6,0.3,0.2", "b,0.5,0.4,0.4")},
        ("'QED ↑' says that higher is better", "--direction 'QED ↑=higher'"),
        code=1,
    ),
    Case(
        "arrow against what is said of all/told",
        "rank t.csv --direction lower --direction 'QED ↑=higher'",
        {"t.csv": lines("model,QED ↑,FCD,Novel KL", "a,0.6,0.3,0.2", "b,0.5,0.4,0.4")},
        ("a",),
    ),
    Case(
        "arrows on some columns/one down",
        "rank t.csv",
        {"t.csv": MARKED},
        ("which side of 'CLIP-T' is better", "If it is no score: --metric 'FID ↓' --metric 'IS ↑'"),
        code=1,
    ),
    Case(
        "arrows on some columns/others known",
        "rank t.csv --layout models-by-tasks",
        {"t.csv": MARKED.replace("CLIP-T", "Accuracy")},
        models=("a", "b", "c"),
        tasks=("FID ↓", "IS ↑", "Accuracy"),
    ),
    Case(
        "arrows on some columns/a data set called as a metric",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,LS clean ↓,LS other ↓,TED,AMI", "a,3.4,8.5,9.1,21", "b,2.1,4.3,7,16"
            )
        },
        ("--direction AMI=lower", "--direction TED=lower"),
        ("Tiers",),
        code=1,
    ),
    Case(
        "losses beside scores/left out of rows",
        """rank t.csv --where '"benchmark" NOT IN ('"'"'Timeouts'"'"')'""",
        {"t.csv": lines("benchmark,a,b", "GSM8K,0.5,0.6", "ARC,0.7,0.9", "Timeouts,4,5")},
        tasks=("GSM8K", "ARC"),
    ),
    Case(
        "losses beside scores/rows",
        "rank t.csv",
        {"t.csv": lines("benchmark,a,b", "GSM8K,0.5,0.6", "ARC,0.7,0.9", "Timeouts,4,5")},
        ('If it is no score: --where "benchmark NOT IN',),
        code=1,
    ),
    Case(
        "more in a time/tokens",
        "rank t.csv --column score=tokens_per_s",
        {"t.csv": lines("model,request,tokens_per_s", *SPEEDS)},
        ("fast leads",),
        items=30,
    ),
    Case(
        "losses under no name/a metric in the name of the file",
        "rank 06_mase_by_dataset.csv",
        {"06_mase_by_dataset.csv": FORECASTS},
        (
            "'mase' (a word from the file's name) is usually lower-is-better",
            "--direction mase=lower",
        ),
        code=1,
    ),
    Case(
        "losses under no name/above 1 and below 1",
        "rank table2.csv",
        {"table2.csv": FORECASTS},
        ("Scores lie between 0.282 and 1.36", "--direction lower or --direction higher"),
        code=1,
    ),
    Case(
        "losses under no name/said to be",
        "rank table2.csv --direction lower",
        {"table2.csv": FORECASTS},
        models=("DLinear", "PatchTST", "Ours"),
        tasks=("ETTh1", "ETTh2", "ETTm1", "ETTm2"),
    ),
    Case(
        "ratings under no name/from 1 to 5 and from 1 to 10",
        "rank t.csv",
        {"t.csv": lines("task,a,b", "fluency,4.2,3.9", "adequacy,3.1,3.3", "judge,8.2,7.9")},
        models=("a", "b"),
    ),
    Case(
        "arrows down/all columns, and their mean",
        "rank t.md",
        {"t.md": ERROR_RATES},
        ("say that lower is better", "add: --direction lower.", "'AMI ↓=higher'"),
        ("If they are no scores",),
        code=1,
    ),
    Case(
        "arrows down/told for all",
        "rank t.md --direction lower",
        {"t.md": ERROR_RATES},
        models=("whale", "canary", "tiny"),
        tasks=("LibriSpeech ↓", "TED-LIUM ↓", "AMI ↓"),
    ),
    Case(
        "a loss in the name of the file/true and false",
        "rank t13_timeouts.csv",
        {"t13_timeouts.csv": ended("False")},
        ("'timeouts' (a word from the file's name)", "--direction timeouts=higher"),
        code=1,
    ),
    Case(
        "a loss in the name of the file/words say more",
        "rank t13_timeouts.csv --word timeout=fail",
        {"t13_timeouts.csv": ended("timeout")},
        ("alpha leads", "words such as pass and fail say it"),
        ("Metric: 'timeouts'",),
        models=("alpha", "beta"),
    ),
)

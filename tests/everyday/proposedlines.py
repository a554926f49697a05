"""Tables whose header does not say how to read them, and lines that lead on at once."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence

from everyday.case import Case, lines, right

FOLDS = ((0.81, 0.84, 0.79), (0.79, 0.83, 0.80), (0.80, 0.86, 0.78), (0.82, 0.83, 0.79))
PERCENT = ("falke,87.2%,78.0%,91%", "heron,86.5%,76.2%,90%", "ibis,81.1%,70.1%,85%")
RETURNS = {"PPO": 30.0, "SAC": 34.5}
RUNS = [
    f"{algo},{env},{seed},{best + 7.5 * place + seed % 3 + 0.25}"
    for algo, best in RETURNS.items()
    for place, env in enumerate(("Ant", "Hopper", "Walker2d"))
    for seed in range(5)
]
RATED = [
    f"p{prompt},{rater},{system},{2 + (prompt + number) % 2 + extra},"
    for prompt in range(8)
    for number, rater in enumerate(("ann", "bob", "eve"))
    for system, extra in (("one", 0), ("two", prompt % 2))
]
STATISTICS = [
    f"{data},{method},{mean},{spread},4"
    for data, spread in (("A", 0.02), ("B", 0.04))
    for method, mean in (("rf", 0.8), ("svm", 0.7))
]
FORM = [f"p{n}@x.org,{n},{('Ours', 'Ours', 'Base', 'Neither')[n % 4]}" for n in range(24)]
NAMED = "--column model=algo --column task=env --column run=seed --column score=episode_return"
RATING = "--column model=system --column item="


def beside_models(row: str, value: Callable[[int, float], float]) -> str:
    """A row per name, a column per model."""
    rows = (f"i{n:03},{value(n, 0.6)},{value(n, 0.8)}" for n in range(60))
    return lines(f"{row},resnet50,vit_b", *rows)


NEVER_RUN = lines(
    "model,task,accuracy,n",
    *("R1,code,0.42,500", "R2,code,0.60,500", "R1,math,0.35,200", "R2,math,0.58,200"),
    "R1,law,0.5,300",
)


def nights() -> str:
    """The same questions on ten nights: a night is no training run."""
    rows = [
        f"2026-11-{night:02d},{build},{suite},400,{0.7 + more + night / 1e3:.3f},0.023"
        for night in range(10, 20) for build, more in (("release", 0), ("trunk", 0.005))
        for suite in ("gsm8k", "mmlu", "arc")
    ]  # fmt: skip
    return lines("date,build,suite,n,accuracy,stderr", *rows)


def grid(row: str, value: Callable[[int, int], object], models: Sequence[object]) -> list[str]:
    """A row per model and question."""
    return [
        row.format(model, n, value(place, n)) for place, model in enumerate(models)
        for n in range(40)
    ]  # fmt: skip


def is_right(place: int, n: int) -> bool:
    return (n * 7 + place) % (3 + place) > 0


# What names do not say, what is asked, and the line that was pasted.
UNTOLD = (
    (
        "yes and no under unknown names", "csv",
        lines("wer,frage,richtig?",
              *grid("{},q{},{}", lambda m, n: "ja" if is_right(m, n) else "nein", ("aa", "bb"))),
        ("", ("--column model=wer --column item=frage --column 'score=richtig?'",), 1),
        (" --column model=wer --column item=frage --column 'score=richtig?' --word nein=fail "
         "--word ja=pass", (), 0),
    ),
    (
        "two words under unknown names", "csv",
        lines("foo,bar,baz",
              *grid("{},q{},{}", lambda m, n: "gut" if is_right(m, n) else "weg", ("aa", "bb"))),
        ("", ("--column model=foo --column item=bar --column score=baz",), 1),
        (" --column model=foo --column item=bar --column score=baz --word gut=pass --word weg=fail",
         (), 0),
    ),
    (
        "counts under unknown names", "csv",
        lines("foo,bar,baz", "aa,x,12/20", "aa,y,11/20", "bb,x,9/20", "bb,y,7/20", "aa,z,5/20",
              "bb,z,4/20"),
        ("", ("--column model=foo --column task=bar --column score=baz --cells count",), 1),
        (" --column model=foo --column task=bar --column score=baz --cells count "
         "--direction higher", (), 0),
    ),
    (
        "whole numbers for names", "csv",
        lines("sys,doc,val", *grid("{},{},{}", lambda m, n: (n * 7 + m) % 11 / 11, (0, 1))),
        ("", ("'sys' and 'doc' hold whole numbers, and each two of them once.",
              "--column model=sys --column item=doc --column score=val"), 1),
        (" --column model=sys --column item=doc --column score=val --direction higher", (), 0),
    ),
    (
        "objects under unknown keys", "jsonl",
        "".join(json.dumps({"sys": m, "prob": f"p{n}", "res": {"ok": is_right(k, n), "s": n / 9}})
                + "\n" for k, m in enumerate(("aa", "bb")) for n in range(40)),
        ("", ("--map 'model=sys,item=prob,score=res.ok'",), 1),
        (" --map 'model=sys,item=prob,score=res.ok'", (), 0),
    ),
    (
        "rows of several levels", "csv",
        lines(",,item,correct",
              *(f"{m},{n},q{n},{int(is_right(k, n))}" for k, m in enumerate(("aa", "bb"))
                for n in range(40))),
        ("", ("--column model=level_0",), 1),
        (" --column model=level_0", (), 0),
    ),
    (
        "a series that pandas wrote", "csv",
        lines("item,,0", *(f"q{n},{m},{n * (k + 5) % 7}" for n in range(40)
                           for k, m in enumerate(("aa", "bb")))),
        ("", ("--column model=level_1 --column item=item --column score=0",), 1),
        (" --column model=level_1 --column item=item --column score=0 --direction higher", (), 0),
    ),
    (
        "data sets without a name beside models by metrics", "csv",
        lines(",aa_accuracy,aa_f1,bb_accuracy,bb_f1",
              *(f"Data{n},{n % 5 / 5},{n % 7 / 7},{n % 3 / 3},{n % 4 / 4}" for n in range(12))),
        ("", ("--layout tasks-by-models --metric accuracy",
              "--layout models-by-tasks --metric accuracy"), 1),
        (" --layout tasks-by-models --metric accuracy", (), 0),
    ),
    (
        "JSON of lists", "json",
        json.dumps([[m, f"p{n}", int(is_right(k, n))] for k, m in enumerate(("aa", "bb"))
                    for n in range(40)]),
        ("", ("columns=['model', 'item', 'score']).to_csv('t.csv', index=False)",), 1),
    ),
    (
        "no header of four columns", "csv",
        lines("aa,x,q0,1", *(f"{m},{task},q{n},{n % 2}" for m in ("aa", "bb")
                             for task in "xy" for n in range(9))),
        ("", ("such as: model,task,item,score.",), 1),
    ),
)  # fmt: skip


CASES = (
    Case(
        "nights of tests of two branches/asked",
        "rank h.csv",
        {
            "h.csv": lines(
                "date,branch,case_id,passed",
                *(
                    f"2026-11-{night},{branch},c{case},{(case + night) % 4 != 0}"
                    for night in range(10, 16)
                    for branch in ("main", "stable")
                    for case in range(30)
                ),
            )
        },
        ("if the newest counts, as of nights of tests, --column model=branch --reruns newest",),
        code=1,
    ),
    Case(
        "scores of several nights with their errors/asked",
        "rank n.csv",
        {"n.csv": nights()},
        ("--column model=build --column task=suite --column score=accuracy",),
        ("run=date",),
        code=1,
    ),
    Case(
        "scores of several nights with their errors/asked again",
        "rank n.csv --column model=build --column task=suite --column score=accuracy",
        {"n.csv": nights()},
        ("--reruns newest",),
        code=1,
    ),
    Case(
        "scores with percent signs/one column is whole",
        "rank t.csv",
        {"t.csv": lines("model,boolq,rte,copa", *PERCENT)},
        hides=("does not lie",),
        tasks=("boolq", "rte", "copa"),
    ),
    Case(
        "columns of models alone/asked what rows are",
        "rank cv.csv",
        {"cv.csv": lines("ridge,rf,svm", *(",".join(map(str, row)) for row in FOLDS))},
        ("The 4 rows have no names", "--rows folds", "--rows items", "--rows runs"),
        code=1,
    ),
    Case(
        "columns of models alone/rows are folds",
        "rank cv.csv --rows folds",
        {
            "cv.csv": lines(
                ",ridge,rf,svm", *(f"{n},{','.join(map(str, row))}" for n, row in enumerate(FOLDS))
            )
        },
        hides=("hold 0 and 1",),
        models=("ridge", "rf", "svm"),
        items=4,
        means={"ridge": 0.805, "rf": 0.84, "svm": 0.79},
    ),
    Case(
        "returns of algorithms/first refusal names all columns",
        "rank runs.csv",
        {"runs.csv": lines("algo,env,seed,episode_return", *RUNS)},
        (NAMED,),
        code=1,
    ),
    Case(
        "returns of algorithms/the proposed line",
        f"rank runs.csv {NAMED} --direction higher",
        {"runs.csv": lines("algo,env,seed,episode_return", *RUNS)},
        models=("PPO", "SAC"),
        tasks=("Ant", "Hopper", "Walker2d"),
        items=5,
        means={"PPO": 31.05, "SAC": 35.55},
    ),
    Case(
        "returns of algorithms/columns nobody knows",
        "rank runs.csv",
        {"runs.csv": lines("Verfahren,Umgebung,seed,Ertrag", *RUNS)},
        (
            "name its columns: --column model=Verfahren --column task=Umgebung",
            "If 'Umgebung' names what is compared: --column model=Umgebung --column task=Verfahren",
        ),
        code=1,
    ),
    Case(
        "ratings by people/of further items or people",
        "rank r.csv",
        {"r.csv": lines("prompt_id,annotator,system,rating,comment", *RATED)},
        (
            f"{RATING}prompt_id --column epoch=annotator --column score=rating",
            f"{RATING}annotator --column epoch=prompt_id --column score=rating",
        ),
        code=1,
    ),
    Case(
        "ratings by people/the line of further people",
        f"rank r.csv {RATING}annotator --column epoch=prompt_id --column score=rating "
        "--direction higher",
        {"r.csv": lines("prompt_id,annotator,system,rating,comment", *RATED)},
        models=("one", "two"),
        items=3,
        means={"one": 2.5, "two": 3.0},
    ),
    Case(
        "ratings by people/a column of each",
        "rank r.csv",
        {
            "r.csv": lines(
                "item,rater1,rater2", *(f"{n},{n % 5 + 1},{(n + 1) % 5 + 1}" for n in range(12))
            )
        },
        ("raters by their names", "--layout items-by-trials"),
        code=1,
    ),
    Case(
        "means with deviations and counts/the mean is named",
        "rank s.csv --column model=Verfahren --column task=Daten --column score=mean "
        "--direction higher",
        {"s.csv": lines("Daten,Verfahren,mean,std,count", *STATISTICS)},
        ("Standard errors are 'std' over the square root of 'count'",),
        models=("rf", "svm"),
        tasks=("A", "B"),
    ),
    Case(
        "means with deviations and counts/deviations are no errors",
        "rank s.csv --column model=Verfahren --column task=Daten --column score=mean "
        "--column se=std",
        {"s.csv": lines("Daten,Verfahren,mean,std,count", *STATISTICS)},
        ("'std' is called as standard deviations are", "leave se=std out"),
        code=1,
    ),
    Case(
        "a score under any name/beside model and item alone",
        "rank h.csv",
        {
            "h.csv": lines(
                "item,model,human",
                *(
                    f"i{n},{m},{int((n + k) % 4 > k)}"
                    for n in range(20)
                    for k, m in enumerate("ab")
                ),
            )
        },
        ("score = 'human'",),
        models=("a", "b"),
        items=20,
        means={"a": 0.75, "b": 0.5},
    ),
    Case(
        "answers of a form/told how to make votes",
        "rank form.csv",
        {"form.csv": lines("Email,Prompt,Which answer is better?", *FORM)},
        ("Make votes of it", "{'Neither': 'bothbad'}", "model_a='Base', model_b='Ours'"),
        code=1,
    ),
    Case(
        "orders of four models/no votes",
        "rank o.csv",
        {
            "o.csv": lines(
                "prompt_id,annotator,modelA,modelB,modelC,modelD",
                *(
                    f"{n},r{n},{','.join(str((n // 2 + k) % 4 + 1) for k in range(4))}"
                    for n in range(8)
                ),
            )
        },
        ("as ranks are", "--direction lower"),
        ("winner",),
        code=1,
    ),
    Case(
        "steps of forecasts/of each series",
        "rank f.csv",
        {
            "f.csv": lines(
                "unique_id,ds,cutoff,ARIMA,ETS",
                *(
                    f"H{s},2024-{m:02}-01,2023-12-01,{math.sqrt(s + m)},{math.sqrt(2 * s + m)}"
                    for s in range(1, 4)
                    for m in range(1, 5)
                ),
            )
        },
        (
            "--layout items-by-models --column item=unique_id --column epoch=ds --direction lower",
            "--column epoch=ds --direction higher",
        ),
        ("mean()",),
        code=1,
    ),
    Case(
        "steps of forecasts/beside what came",
        "rank f.csv",
        {
            "f.csv": lines(
                "unique_id,ds,y,ARIMA,ETS",
                *(
                    f"H{s},2024-{m:02}-01,{90 + s + m / 7:.2f},{91 + s / 3:.2f},{95 - m / 3:.2f}"
                    for s in range(1, 4)
                    for m in range(1, 5)
                ),
            )
        },
        (
            "'y' holds right answers",
            "frame[['ARIMA', 'ETS']].sub(frame['y'], axis=0).abs().groupby(frame['unique_id'])",
            "--layout items-by-models --direction lower",
        ),
        ("[['y', 'ARIMA'",),
        code=1,
    ),
    Case(
        "steps of forecasts/metrics of each series",
        "rank f.csv",
        {
            "f.csv": lines(
                "unique_id,metric,Naive,ETS",
                *(
                    f"T{s},{metric},{s + 0.7},{s + 0.4}"
                    for s in range(30)
                    for metric in ("mae", "rmse")
                ),
            )
        },
        ("--layout items-by-models --where \"metric = 'mae'\" --direction lower",),
        ("mean()",),
        code=1,
    ),
    Case(
        "models beside an unknown id/answers",
        "rank f.csv",
        {"f.csv": beside_models("image", lambda n, share: right(share, 60)[n])},
        (
            "'resnet50', 'vit_b' seem to be models, with a row for each 'image'",
            "If so: --layout items-by-models. If",
        ),
        ("score=resnet50", "--direction"),
        code=1,
    ),
    Case(
        "models beside an unknown id/numbers, and the side is open",
        "rank f.csv",
        {"f.csv": beside_models("specimen", lambda n, share: round(n % 7 + 4 * share, 2))},
        (
            "--layout items-by-models --direction lower",
            "If more is: --layout items-by-models --direction higher",
        ),
        ("score=resnet50",),
        code=1,
    ),
    Case(
        "models beside an unknown id/numbered, called after a loss",
        "rank f.csv",
        {
            "f.csv": lines(
                "Probe;MAE Modell A;MAE Modell B",
                *(f"{n};{n % 5 + 1},{n % 9};{n % 4 + 1},{n % 7}" for n in range(1, 13)),
            )
        },
        ("--layout items-by-models --column item=Probe --direction lower",),
        ("score=MAE", "model=MAE", "--direction higher"),
        code=1,
    ),
    Case(
        "models called A and B/numbers are no names",
        "rank f.csv",
        {
            "f.csv": lines(
                "specimen,model_A,model_B", *(f"{n},{n % 5}.3,{n % 4}.1" for n in range(1, 31))
            )
        },
        ("'model_A', 'model_B' seem to be models", "--column item=specimen"),
        ("winner",),
        code=1,
    ),
    Case(
        "places by several people/one line",
        "rank f.csv",
        {
            "f.csv": lines(
                "example,worker,ours,prior,gt",
                *(f"ex{n // 2},w{n % 2},{('2,3,1', '1,3,2')[n % 5 == 0]}" for n in range(40)),
            )
        },
        (
            "--layout items-by-models --column item=example --column epoch=worker --direction "
            "lower (rows hold places, 1 to 3, and 1 is the best)",
        ),
        ("score=ours",),
        code=1,
    ),
    Case(
        "latencies/of requests that were repeated",
        "rank f.csv",
        {
            "f.csv": lines(
                "engine,prompt_id,rep,latency_ms,tokens_per_s",
                *(
                    f"v1.{engine},{n},{rep},{200 + n % 7 + engine / 3:.1f},{50 + rep / 3:.1f}"
                    for engine in (8, 9)
                    for n in range(20)
                    for rep in range(2)
                ),
            )
        },
        (
            "--column model=engine --column item=prompt_id --column epoch=rep --column "
            "score=latency_ms --direction lower",
        ),
        ("score=rep",),
        code=1,
    ),
    Case(
        "latencies/beside codes of answers",
        "rank f.csv",
        {
            "f.csv": lines(
                "engine,request,latency_ms,http_status",
                *(
                    f"{engine},{n},{200 + n % 7 + place / 3:.1f},{(200, 503)[n % 9 == 0]}"
                    for place, engine in enumerate(("old", "new"))
                    for n in range(30)
                ),
            )
        },
        ("--column model=engine --column item=request --column score=latency_ms",),
        ("seem to be models",),
        code=1,
    ),
    Case(
        "a board of a competition/names of teams",
        "rank b.csv",
        {
            "b.csv": lines(
                "Rank,TeamId,TeamName,LastSubmissionDate,Score,SubmissionCount",
                "1,7,owls,2026-01-03,0.91,12",
                "2,9,bats,2026-01-02,0.88,4",
                "3,4,elks,2026-01-01,0.84,9",
            )
        },
        ("--column model=TeamName --column score=Score",),
        code=1,
    ),
    Case(
        "numbers of items in the header/used with a metric",
        "rank n.csv --metric accuracy",
        {"n.csv": lines("Model,GSM8K (n=1319),MATH (n=500)", "falke,92.1,78.4", "heron,71.4,66.0")},
        ("GSM8K 1,319, MATH 500", "binomial"),
        tasks=("GSM8K", "MATH"),
    ),
    Case(
        "numbers of items in the header/told what is lacking",
        "rank n.csv",
        {"n.csv": lines("Model,GSM8K (n=1319),MATH (n=500)", "a,92.1,78.4", "b,71.4,66.0")},
        ("--metric accuracy", "with a number of items and no standard error"),
        ("without a standard error or",),
        tasks=("GSM8K", "MATH"),
    ),
    Case(
        "numbers of items in the header/the same everywhere",
        "rank n.csv",
        {"n.csv": lines("Model,AIME (n=32),MATH (n=32)", "a,42.1,78.4", "b,31.4,66.0")},
        tasks=("AIME (n=32)", "MATH (n=32)"),
    ),
    Case(
        "a sheet in Windows-1252/umlauts and commas",
        "rank d.csv",
        {
            "d.csv": lines("Modell;Übersetzung;Fragen", "Adler;69,9;72,1", "Öhi;60,2;63,4").encode(
                "cp1252"
            )
        },
        ("Windows-1252",),
        models=("Adler", "Öhi"),
        tasks=("Übersetzung", "Fragen"),
    ),
    Case(
        "words of other tongues for summaries/a total and deviations",
        "rank t.csv",
        {
            "t.csv": lines(
                "Datensatz,a,b",
                "law,61.2,52.1",
                "math,50.1,41.2",
                "art,44.5,30.9",
                "合計,155.8,124.2",
                "Mean,51.93,41.4",
                "s.d.,8.5,10.6",
                "sem,4.9,6.1",
            )
        },
        ("'合計'", "'s.d.'", "are left aside"),
        models=("a", "b"),
        tasks=("law", "math", "art"),
    ),
    Case(
        "models of two columns/told how to join them",
        "rank s.csv",
        {
            "s.csv": lines(
                "Agent,Model,Score", "cc,opus,61", "cc,sonnet,55", "codex,gpt,58", "oh,opus,52"
            )
        },
        (
            "if it names them with 'Model', join the two first (in pandas: frame['Model'] = "
            "frame['Agent'] + ' ' + frame['Model'])",
        ),
        code=1,
    ),
    Case(
        "a model called as a setting is/folds",
        "rank f.csv",
        {"f.csv": lines("fold,lr,rf", *(f"{n},0.8{n},0.7{9 - n}" for n in range(6)))},
        models=("lr", "rf"),
        items=6,
    ),
    Case(
        "a model called as a setting is/rows without names",
        "rank f.csv",
        {"f.csv": lines(",lr,rf", *(f"{n},0.8{n},0.7{9 - n}" for n in range(6)))},
        ("'lr', 'rf' seem to be models", "--rows folds"),
        code=1,
    ),
    *(
        Case(
            f"rows that stand twice in two years/{name}",
            line,
            {
                "t.csv": lines(
                    f"model,item,{unused},score",
                    *(
                        f"{model},{n},{year},{land},{(n + year) % 3 % 2}"
                        if unused != "Jahr"
                        else f"{model},{n},{year},{(n + year) % 3 % 2}"
                        for model in "ab"
                        for n in range(6)
                        for year in (2024, 2025)
                        for land in ("de", "fr")[: 1 + (unused != "Jahr")]
                    ),
                )
            },
            said,
            ("Remove the copies",),
            code=code,
        )
        for name, line, unused, said, code in (
            (
                "one column",
                "rank t.csv",
                "Jahr",
                ("Read: model = 'model', item = 'item', score = 'score'.", "task=Jahr"),
                1,
            ),
            (
                "two columns",
                "rank t.csv",
                "Jahr,Land",
                ("Together 'Jahr', 'Land' tell", '--where "Jahr = 2025" --column task=Land'),
                1,
            ),
            (
                "as the message says",
                'rank t.csv --where "Jahr = 2025" --column task=Land',
                "Jahr,Land",
                ("2 tasks",),
                0,
            ),
        )
    ),
    Case(
        "rows that stand twice/submitted again",
        "rank s.csv",
        {
            "s.csv": lines(
                "submission_date,model,item,score",
                *(
                    f"2025-0{month}-03,{model},{n},{(n + month) % 2}"
                    for month, model in ((1, "a"), (2, "a"), (1, "b"))
                    for n in range(6)
                ),
            )
        },
        ("The column 'submission_date' tells these rows apart", "--reruns newest"),
        ("Remove the copies", "epoch=NAME"),
        code=1,
    ),
    Case(
        "rows that stand twice/of several sizes of training",
        "rank s.csv",
        {
            "s.csv": lines(
                "model,n_train,seed,accuracy",
                *(
                    f"{model},{size},{seed},0.{size // 100 + 3 * place + seed}7"
                    for place, model in enumerate(("a", "b"))
                    for size in (100, 300)
                    for seed in range(3)
                ),
            )
        },
        ('--where "n_train = 300"',),
        ("Remove the copies",),
        code=1,
    ),
    Case(
        "places by several people/a row for each",
        "rank r.csv",
        {
            "r.csv": lines(
                "annotator,prompt,system,rank",
                *(
                    f"ann{who},p{n},Sys{'ABC'[k]},{('123', '213')[(n + who) % 3 == 0][k]}"
                    for who in range(2)
                    for n in range(8)
                    for k in range(3)
                ),
            )
        },
        ("--column epoch=annotator --column score=rank --direction lower",),
        ("no column of the matrix",),
        code=1,
    ),
    Case(
        "a task that a claimed model never ran/asked",
        'check c.csv --claim "R2 > R1"',
        {"c.csv": NEVER_RUN},
        ("'R2' never ran 'law'", "--missing-tasks insert"),
        ("--missing pairwise", "--missing listwise"),
        code=1,
    ),
    Case(
        "a task that a claimed model never ran/told",
        'check c.csv --claim "R2 > R1" --missing-tasks insert',
        {"c.csv": NEVER_RUN},
        ("Claims are judged on the 2 that all ran",),
    ),
    Case(
        "repeated timings of two commits/a row for each",
        "rank bench_latency.csv",
        {
            "bench_latency.csv": lines(
                "benchmark,commit,run,p95_ms",
                *(
                    f"bench_{bench:02},{commit},{run},{20 + bench + slow + run / 10}"
                    for bench in range(12)
                    for commit, slow in (("main", 0.0), ("pr-1482", 1.1))
                    for run in range(1, 4)
                ),
            )
        },
        ("--column model=commit --column task=benchmark --column run=run --column score=p95_ms",),
        code=1,
    ),
    Case(
        "the same loss of several models beside each row/asked",
        "rank heldout.csv",
        {
            "heldout.csv": lines(
                "doc_id,domain,n_tokens,base_nll,sft_nll",
                *(f"d{n},web,{200 + n},{2.4 + n % 7 / 10},{2.3 + n % 5 / 10}" for n in range(40)),
            )
        },
        (
            "If 'base_nll', 'sft_nll' are models, each with its nll: --layout items-by-models "
            "--direction lower",
        ),
        code=1,
    ),
    Case(
        "a printed board with counts of solved items/asked",
        "rank resolved.md",
        {
            "resolved.md": lines(
                "| Rank | Agent | Resolved | % Resolved | Logs |",
                "|--:|:--|--:|--:|:--:|",
                "| 1 | AgentX | 371/500 | 74.2% | [✓](l) |",
                "| 2 | Warp2 | 362/500 | 72.4% | [✓](l) |",
                "| 3 | RAG | 92/500 | 18.4% | [✓](l) |",
            )
        },
        ("--column score=Resolved --cells count --layout tidy",),
        code=1,
    ),
    *(
        Case(
            f"{name}/{variant}",
            f"rank t.{kind}{told}",
            {f"t.{kind}": text},
            says,
            ("which of two models", "not a table", "have no names"),
            code=code,
            models=() if code else ("0", "1") if "score=val" in told else ("aa", "bb"),
        )
        for name, kind, text, *ways in UNTOLD
        for variant, (told, says, code) in zip(("asked", "pasted"), ways, strict=False)
    ),
)

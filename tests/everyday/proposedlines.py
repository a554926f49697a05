"""Tables whose header does not say how to read them, and lines that lead on at once."""

from __future__ import annotations

import math

from everyday.case import Case, lines

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

CASES = (
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
        "rank s.csv --column model=Verfahren --column task=Daten --column score=mean",
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
        "steps of forecasts/averaged first",
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
        ("frame.groupby('unique_id')[['ARIMA', 'ETS']].mean()", "--layout items-by-models"),
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
)

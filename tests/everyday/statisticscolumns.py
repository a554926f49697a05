"""Tables of a mean per model, with its error, spread or number of items; and k of n."""

from __future__ import annotations

from everyday.case import Case, lines

GROUPED = {"gpt": 0.62, "llama": 0.5, "qwen": 0.35}
NONE_LEFT_OUT = ("Not used: 'mean'",)

CASES = (
    Case(
        "statistics/mean and sem",
        "rank s.csv",
        {"s.csv": lines("model,mean,sem", "gpt,0.62,0.0633", "llama,0.5,0.0651", "qwen,0.35,0.06")},
        ("score = 'mean', se = 'sem'", "0.62 ±0.12"),
        NONE_LEFT_OUT,
        means=GROUPED,
    ),
    Case(
        "statistics/mean, std and count",
        "rank s.csv",
        {
            "s.csv": lines(
                "model,mean,std,count", "gpt,0.62,0.49,60", "llama,0.5,0.5,60", "qwen,0.35,0.48,90"
            )
        },
        ("over the square root of 'count'", "0.62 ±0.13", "0.35 ±0.10"),
        NONE_LEFT_OUT,
        means=GROUPED,
    ),
    Case(
        "statistics/average with least, greatest and median",
        "rank s.csv",
        {
            "s.csv": lines(
                "model,avg_score,min,max,median,total",
                "gpt,0.62,0.1,1,0.95,100",
                "llama,0.5,0,1,0.85,100",
                "qwen,0.35,0,1,0.5,140",
            )
        },
        ("score = 'avg_score'", "3 models, 1 task"),
        means=GROUPED,
    ),
    Case(
        "a mean and more/alone",
        "rank s.csv",
        {"s.csv": lines("model,mean", "gpt,0.62", "llama,0.5", "qwen,0.35")},
        hides=NONE_LEFT_OUT,
        means=GROUPED,
    ),
    Case(
        "a mean and more/no name above the models",
        "rank s.csv",
        {"s.csv": lines(",mean,sem", "gpt,0.62,0.0633", "llama,0.5,0.0651", "qwen,0.35,0.06")},
        ("0.62 ±0.12",),
        means=GROUPED,
    ),
    Case(
        "a mean and more/not certain",
        "rank s.csv",
        {"s.csv": lines("model,mean,sem,gsm8k", "a,0.6,0.04,50", "b,0.4,0.04,60")},
        ("not certain", "--column score=mean --column se=sem"),
        code=1,
    ),
    Case(
        "k of n/correct and total",
        "rank s.csv",
        {"s.csv": lines("model,correct,total", "gpt,92,100", "llama,80,100", "qwen,150,300")},
        ("The score is 'correct' of 'total'", "binomial"),
        means={"gpt": 0.92, "llama": 0.8, "qwen": 0.5},
    ),
    Case(
        "k of n/percentages or counts",
        "rank s.csv",
        {"s.csv": lines("model,passed,n", "gpt,60,164", "llama,40,164")},
        ("percentages, or how many", "--column score=passed --column n=n"),
        code=1,
    ),
    Case(
        "k of n/more right than there are",
        "rank s.csv",
        {"s.csv": lines("model,correct,total", "gpt,92,100", "llama,80,60")},
        ("no counts of it",),
        code=1,
    ),
    *(
        Case(
            f"lower is better/{name} in two columns",
            "compare a.csv b.csv",
            {
                file: lines(f"id,{name}", *(f"{n},{n % 7 + more}" for n in range(30)))
                for file, more in (("a.csv", 1), ("b.csv", 3))
            },
            ("Declare which side is better", f"--direction {name}=lower"),
            code=1,
        )
        for name in ("latency_ms", "num_errors", "hallucinations")
    ),
    Case(
        "no task/a count beside tasks",
        "rank s.csv",
        {"s.csv": lines("model,mmlu,gsm8k,count", "a,60,16,4", "b,40,14,5", "c,30,14,6")},
        ("'count'", "--layout models-by-tasks --metric mmlu --metric gsm8k"),
        code=1,
    ),
    Case(
        "spread is no score/standard deviations",
        "rank r.csv",
        {"r.csv": lines("model,acc,acc_std,n_seeds", "a,71,2,5", "b,65,3,5", "c,55,2,5")},
        ("Left aside, as no scores: 'acc_std'", "Not used: 'n_seeds', 'acc_std'"),
        models=("a", "b", "c"),
        tasks=("acc",),
    ),
    Case(
        "spread is no score/ends of intervals",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,math,math_ci_low,math_ci_high,law,law_ci_low,law_ci_high",
                "a,71,69,73,60,57,63",
                "b,65,62,67,61,58,64",
            )
        },
        ("'law_ci_high'", "_se"),
        models=("a", "b"),
        tasks=("law", "math"),
    ),
    Case(
        "columns of runs/seeds are no tasks",
        "rank r.csv",
        {"r.csv": lines("model,seed_1,seed_2,seed_3", "a,71,70,72", "b,65,66,64", "c,55,56,54")},
        ("look like runs of one task", "--layout models-by-tasks"),
        code=1,
    ),
    Case(
        "spread is no score/an interval beside an unusual score",
        "rank r.csv",
        {"r.csv": lines("model,elo,ci_low,ci_high", "a,1280,1270,1290", "b,1200,1190,1210")},
        ("--column score=elo",),
        code=1,
    ),
    Case(
        "a table of ranks/what is better is asked",
        "rank r.csv",
        {"r.csv": lines("dataset,a,b,c", *(f"d{n},{1 + n % 2},{2 - n % 2},3" for n in range(8)))},
        ("as ranks are", "--direction lower"),
        code=1,
    ),
)

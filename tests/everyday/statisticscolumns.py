"""Tables of a mean per model, with its error, spread or number of items; and k of n."""

from __future__ import annotations

from everyday.case import Case, lines, right, table

GROUPED = {"gpt": 0.62, "llama": 0.5, "qwen": 0.35}
NONE_LEFT_OUT = ("Not used: 'mean'",)

METRICS = {
    f"{name}.csv": table(
        {"id": range(60), "exact_match": right(share), "f1": [0.9 * one for one in right(share)]}
    )
    for name, share in (("new", 0.85), ("old", 0.5))
}

TWICE = lines(
    "model,benchmark,value,date",
    *(
        f"{name},{task},{value},2026-01-01"
        for name, task, value in (
            ("a", "mmlu", 86), ("a", "gsm8k", 92), ("b", "mmlu", 69), ("b", "gsm8k", 57),
            ("c", "mmlu", 71), ("c", "gsm8k", 74),
        )
    ),
    "c,mmlu,72,2026-02-01",
)  # fmt: skip

RATED = lines(
    "id,sysA_fluency,sysB_fluency,sysA_adequacy,sysB_adequacy",
    *(f"{n},{n % 5 + 1},{n % 4 + 1},{n % 3 + 1},{n % 2 + 1}" for n in range(60)),
)

OVER_SEEDS = """\
method,dataset,acc,std,seeds
ours,cora,83.9,0.6,10
ours,pubmed,80.1,0.5,10
gat,cora,83.0,0.7,10
gat,pubmed,79.0,0.3,10
"""

CASES = (
    Case(
        "systems by criteria/asked",
        "rank rated.csv",
        {"rated.csv": RATED},
        ("A board shows one metric; choose it: --metric fluency",),
        code=1,
    ),
    Case(
        "systems by criteria/settings of models are no criteria",
        "rank answers.csv",
        {
            "answers.csv": lines(
                "id,qwen_base,qwen_chat,llama_base,llama_chat",
                *(f"{n},{n % 5 + 1},{n % 4 + 1},{n % 3 + 1},{n % 2 + 1}" for n in range(60)),
            )
        },
        models=("qwen_base", "qwen_chat", "llama_base", "llama_chat"),
    ),
    Case(
        "statistics of items/the mean is suggested",
        "rank s.csv",
        {
            "s.csv": lines(
                "model,question,mean,std,count",
                *(
                    f"{m},q{i},{(i + k) % 5 / 5},0.4,5"
                    for k, m in enumerate("ab")
                    for i in range(30)
                ),
            )
        },
        ("--column score=mean",),
        ("score=count",),
        code=1,
    ),
    Case(
        "a column called after its error/of accuracies",
        "rank s.csv",
        {"s.csv": lines("model,task,acc,acc_stderr", "a,law,.7,.02", "b,law,.6,.02")},
        ("score = 'acc', se = 'acc_stderr'", "0.700 [0.660, 0.740]"),
        means={"a": 0.7, "b": 0.6},
    ),
    Case(
        "a column called after its error/of another score",
        "rank s.csv",
        {"s.csv": lines("model,task,quality,quality_err", "a,law,7,.2", "b,law,6,.2")},
        ("score = 'quality', se = 'quality_err'",),
        means={"a": 7.0, "b": 6.0},
    ),
    Case(
        "a history of runs/steps are no models",
        "rank s.csv",
        {
            "s.csv": lines(
                "Step,a - eval/acc,a - eval/acc__MIN,b - eval/acc,b - eval/acc__MIN",
                *(f"{250 * i},0.{40 + i},0.{40 + i},0.{38 + i},0.{38 + i}" for i in range(9)),
            )
        },
        ("'Step' counts how far a training was",),
        code=1,
    ),
    Case(
        "statistics/mean and sem",
        "rank s.csv --direction higher",
        {"s.csv": lines("model,mean,sem", "gpt,0.62,0.0633", "llama,0.5,0.0651", "qwen,0.35,0.06")},
        ("score = 'mean', se = 'sem'", "0.62 ±0.12"),
        NONE_LEFT_OUT,
        means=GROUPED,
    ),
    Case(
        "statistics/mean, std and count",
        "rank s.csv --direction higher",
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
        "rank s.csv --direction higher",
        {"s.csv": lines("model,mean", "gpt,0.62", "llama,0.5", "qwen,0.35")},
        hides=NONE_LEFT_OUT,
        means=GROUPED,
    ),
    Case(
        "a mean and more/no name above the models",
        "rank s.csv --direction higher",
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
        {"r.csv": lines("model,acc,acc_std", "a,71,2", "b,65,3", "c,55,2")},
        ("Left aside, as no scores: 'acc_std'", "Not used: 'acc_std'"),
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
        ("score = 'elo', ci_low = 'ci_low', ci_high = 'ci_high'", "a leads"),
        means={"a": 1280.0},
    ),
    Case(
        "a table of ranks/what is better is asked",
        "rank r.csv",
        {"r.csv": lines("dataset,a,b,c", *(f"d{n},{1 + n % 2},{2 - n % 2},3" for n in range(8)))},
        ("as ranks are", "--direction lower"),
        code=1,
    ),
    Case(
        "errors beside another spelling/of accuracies",
        "rank r.csv",
        {
            "r.csv": lines(
                "model,mmlu (acc),mmlu_stderr,gsm8k_acc,gsm8k_stderr",
                "a,.864,.003,.92,.007",
                "b,.689,.004,.568,.013",
            )
        },
        ("a leads",),
        models=("a", "b"),
        tasks=("gsm8k_acc", "mmlu (acc)"),
        means={"a": 0.92, "b": 0.568},
    ),
    Case(
        "several metrics of one model/two csv",
        "compare new.csv old.csv",
        METRICS,
        ("'exact_match', 'f1' are metrics by their names", "--metric exact_match"),
        ("is better than",),
        code=1,
    ),
    Case(
        "several metrics of one model/chosen",
        "compare new.csv old.csv --metric f1",
        METRICS,
        ("new is better than old",),
    ),
    Case(
        "several metrics of one model/criteria of a judge",
        "rank new.csv",
        {
            "new.csv": table(
                {
                    "question": [f"q{n}" for n in range(30)],
                    "faithfulness": right(0.8, 30),
                    "answer_relevancy": right(0.6, 30),
                }
            )
        },
        ("--metric faithfulness",),
        code=1,
    ),
    Case(
        "published twice/is asked",
        "rank r.csv",
        {"r.csv": TWICE},
        ("model 'c', task 'mmlu' has 2 rows",),
        code=1,
    ),
    Case(
        "published twice/the newest counts",
        "rank r.csv --reruns newest",
        {"r.csv": TWICE},
        tasks=("mmlu", "gsm8k"),
        means={"c": 72.0, "a": 86.0},
    ),
    Case(
        "settings of training/of a sweep",
        "rank r.csv",
        {
            "r.csv": lines(
                "Name,State,Runtime,lr,batch_size,val_accuracy,test_accuracy",
                "sweep-1,finished,100,0.1,32,.81,.80",
                "sweep-2,finished,120,0.01,32,.83,.81",
            )
        },
        tasks=("val_accuracy", "test_accuracy"),
        means={"sweep-1": 0.81, "sweep-2": 0.83},
    ),
    Case(
        "numbers with a unit/of columns that describe models",
        "rank r.csv",
        {"r.csv": lines("Model,Math,Code,Context", "a,92,96,128k", "b,57,67,32k", "c,74,66,8k")},
        tasks=("Math", "Code"),
    ),
    Case(
        "numbers with a unit/days of a board",
        "rank r.csv",
        {
            "r.csv": lines(
                "Model,Math,Code,Date added,Seen",
                "a,92,96,2026-01-11,11.01.2026",
                "b,57,67,2026-02-11,11.02.2026",
            )
        },
        tasks=("Math", "Code"),
    ),
    Case(
        "questions called as quartiles/with a total",
        "rank r.csv",
        {"r.csv": lines("model,q1,q2,q3,q4,q5,q6,total", "a,1,1,1,0,1,1,5", "b,1,0,1,0,0,1,3")},
        models=("a", "b"),
        tasks=("q1", "q2", "q3", "q4", "q5", "q6"),
    ),
    Case(
        "a number of questions beside a score/in the words of a board",
        "rank r.csv",
        {
            "r.csv": lines(
                '"Model ","Score (higher is better)","# of questions"', "a,71.2,1000", "b,69.9,1000"
            )
        },
        tasks=("Score (higher is better)",),
        means={"a": 71.2, "b": 69.9},
    ),
    Case(
        "counts of subsets/are no items",
        "rank r.csv",
        {
            "r.csv": lines(
                "benchmark,subset,model,num_correct,num_total",
                "mmlu,law,a,80,100",
                "mmlu,law,b,70,100",
                "mmlu,bio,a,60,100",
                "mmlu,bio,b,65,100",
                "mmlu,med,a,75,100",
                "mmlu,med,b,60,100",
            )
        },
        ("has 3 rows",),
        code=1,
    ),
    Case(
        "statistics by task/mean, std and count of folds",
        "rank a.csv --direction higher",
        {
            "a.csv": lines(
                "dataset,algorithm,mean,std,count",
                *(
                    f"{data},{name},{mean},0.01,15"
                    for data in ("adult", "bank")
                    for name, mean in (("RF", 0.85), ("XGB", 0.86))
                ),
            )
        },
        ("Are these 15 the folds of cross-validation?",),
        models=("RF", "XGB"),
        tasks=("adult", "bank"),
    ),
    Case(
        "ends of intervals/shares of draws",
        "rank b.csv",
        {
            "b.csv": lines(
                "model,rating,rating_q025,rating_q975,num_battles",
                "orion,1324.2,1320.1,1329.0,18421",
                "mira,1290.1,1287.2,1293.4,30211",
                "tau,1201.3,1195.0,1207.4,9120",
            )
        },
        ("ci_low = 'rating_q025'", "Not used: 'num_battles'"),
        means={"orion": 1324.2},
    ),
    Case(
        "ends of intervals/words",
        "rank b.csv",
        {
            "b.csv": lines(
                "model,accuracy,accuracy_low,accuracy_high",
                "a,0.82,0.79,0.85",
                "b,0.60,0.57,0.63",
                "c,0.4,0.37,0.43",
            )
        },
        ("ci_low = 'accuracy_low', ci_high = 'accuracy_high'", "a leads"),
        means={"a": 0.82},
    ),
    Case(
        "ends of intervals/tasks that are hard and easy",
        "rank b.csv",
        {"b.csv": lines("model,easy,math low,math high", "a,0.82,0.79,0.95", "b,0.6,0.5,0.63")},
        tasks=("easy", "math low", "math high"),
    ),
    Case(
        "both sides in one column/more and less",
        "rank b.csv",
        {
            "b.csv": lines(
                "Rank,Model,Arena Score,95% CI,Votes,License",
                "1,orion,1324,+5/-4,18421,MIT",
                "2,mira,1290,+3/-3,30211,MIT",
                "3,tau,1201,+6/-6,9120,MIT",
            )
        },
        ("'95% CI' is taken for the 95 % intervals of 'Arena Score'", "orion leads"),
        means={"orion": 1324.0},
    ),
    Case(
        "both sides in one column/in brackets",
        "rank b.csv",
        {"b.csv": lines("model,acc,CI", 'a,0.82,"[0.79, 0.85]"', 'b,0.6,"[0.57, 0.63]"')},
        ("a leads",),
        means={"a": 0.82},
    ),
    Case(
        "totals of games/ties",
        "rank w.csv",
        {"w.csv": lines("model,wins,losses,ties", "oak,120,60,20", "elm,90,85,25")},
        ("totals of games", "frame['ties'] / 2"),
        code=1,
    ),
    Case(
        "totals of games/without losses",
        "rank w.csv",
        {"w.csv": lines("model,wins,ties", "oak,120,20", "elm,90,25")},
        ("totals of games",),
        code=1,
    ),
    Case(
        "deviations over seeds/by their names",
        "compare t.csv --models ours --models gat",
        {"t.csv": OVER_SEEDS},
        ("Standard errors are 'std' over the square root of 'seeds'", "is better than"),
        ("nobody can say how sure", "folds of cross-validation"),
    ),
    Case(
        "deviations over seeds/of one score per model",
        "rank r.csv",
        {"r.csv": lines("model,acc,acc_std,n_seeds", "a,71,2,5", "b,65,3,5", "c,55,2,5")},
        ("Standard errors are 'acc_std' over the square root of 'n_seeds'",),
        models=("a", "b", "c"),
        means={"a": 71.0},
    ),
    Case(
        "deviations over seeds/named",
        "rank t.csv --column se=std --column n=seeds",
        {"t.csv": OVER_SEEDS},
        ("Standard errors are 'std' over the square root of 'seeds'",),
        tasks=("cora", "pubmed"),
        means={"ours": 83.9, "gat": 83.0},
    ),
)

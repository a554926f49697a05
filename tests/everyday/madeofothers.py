"""Columns and rows that are no tasks and no models: made of others, or about them."""

from __future__ import annotations

from everyday.case import Case, lines, long_table, one_file, right, table

MARGINS = lines(
    "dataset,Base,Ours,All",
    "D0,0.776,0.778,0.777",
    "D1,0.817,0.84,0.8285",
    "D2,0.853,0.857,0.855",
    "D3,0.85,0.854,0.852",
    "D4,0.897,0.914,0.9055",
    "All,0.8385999999999999,0.8486,0.8436",
)
BOTH = ("Base", "Ours")
DATA = ("D0", "D1", "D2", "D3", "D4")
ONE_SCORE = lines(
    "Model,License,Score,Stderr",
    "Alpha,mit,0.612,0.011",
    "Beta,apache,0.655,0.010",
    "Gamma,mit,0.548,0.012",
    "Delta,prop,0.701,0.010",
)
GREEK = ("Alpha", "Beta", "Gamma", "Delta")
SUBTOTALS = lines(
    "Model,Overall,Reasoning,GSM8K,MATH,BBH,Coding,HumanEval,MBPP,LCB",
    "a,70.8,72.0,90.0,60.0,66.0,69.7,80.0,70.0,59.0",
    "b,67.0,69.0,88.0,56.0,63.0,65.0,75.0,68.0,52.0",
    "c,58.0,61.3,80.0,50.0,54.0,54.7,66.0,60.0,38.0",
)
PARTS = ("GSM8K", "MATH", "BBH", "HumanEval", "MBPP", "LCB")
ON_DATA = lines(
    "dataset,{},RF,SVM,XGB",
    "adult,{},0.8588,0.8415,0.8678",
    "bank,{},0.908,0.891,0.9176",
    "credit,{},0.7911,0.7714,0.7983",
)
WON = "Wins,0,0,0,3\np-value,0.01,0.03,0.001,\n"
FORESTS = ("RF", "SVM", "XGB")
METRICS = lines(
    "model,boolq_acc,rte_acc,wic_acc,boolq_f1,rte_f1,wic_f1",
    "m-small,0.71,0.62,0.55,0.70,0.60,0.51",
    "m-base,0.78,0.70,0.61,0.77,0.69,0.60",
    "m-large,0.84,0.79,0.66,0.83,0.77,0.64",
)


def on_data(name: str, *cells: str) -> str:
    """A table of data sets by models with one more column."""
    return ON_DATA.format(name, *cells)


def of_models(header: str, *rows: str) -> dict[str, str]:
    """A table of models by tasks."""
    return {"t.csv": lines(header, *rows)}


ANSWERS = {"sft": right(0.6, 200), "dpo": right(0.5, 200, seed=2)}
EITHER = [one | two for one, two in zip(*ANSWERS.values(), strict=True)]
BOTH_RIGHT = [one & two for one, two in zip(*ANSWERS.values(), strict=True)]
NUMBERED = {"": range(200), **ANSWERS}
CHANGES = ("Baseline,73.0,57.7,50.9", "+ prompt,+1.1,+0.6,+1.2", "+ both,+5.5,+4.3,+7.3")
DESCRIBED = lines(
    ",RF,SVM",
    "count,5.0,5.0",
    "mean,0.85,0.83",
    "std,0.009,0.006",
    "min,0.84,0.82",
    "max,0.87,0.84",
)
SEARCH = lines(
    ",mean_fit_time,param_C,params,split0_test_score,split1_test_score,mean_test_score",
    "0,0.1,0.1,{'C': 0.1},0.71,0.69,0.70",
    "1,0.2,1.0,{'C': 1},0.73,0.72,0.725",
)


def ablation(header: str, columns: int) -> str:
    """Scores of a model, and what changes without its parts."""
    rows = {
        "Full model": ("78.2", "65.1", "70.4"),
        "w/o augmentation": ("-1.3", "-0.4", "0.4"),
        "w/o pretraining": ("-4.0", "-9.2", "-3.1"),
        "w/o RL": ("-0.3", "-1.0", "0.0"),
    }
    return lines(header, *(",".join((name, *row[:columns])) for name, row in rows.items()))


CASES = (
    Case(
        "margins of pandas/row and column",
        "rank t.csv",
        {"t.csv": MARGINS},
        ("'All' (the mean of all others)", "do not tell the two models apart"),
        models=BOTH,
        tasks=DATA,
    ),
    Case(
        "margins of pandas/an ablation with all",
        "rank t.csv",
        of_models("model,ARC,BBH,MMLU", "none,70.1,60.2,50.1", "+ data,71.3,61.4,52.2",
                  "All,75.2,66.1,57.4"),
        hides=("Made of others",),
        models=("none", "+ data", "All"),
    ),
    Case(
        "margins of pandas/named",
        "rank t.csv --models Base --models Ours --models All",
        {"t.csv": MARGINS},
        models=(*BOTH, "All"),
    ),
    Case(
        "summary of one score/mean",
        "rank t.csv",
        {"t.csv": ONE_SCORE + "Average,,0.629,\n"},
        ("Delta leads",),
        models=GREEK,
    ),
    Case(
        "summary of one score/in two words",
        "rank t.csv",
        {"t.csv": ONE_SCORE + "Overall mean,,0.629,\n"},
        ("Delta leads",),
        models=GREEK,
    ),
    Case(
        "summary of one score/a model of that name",
        "rank t.csv",
        {"t.csv": ONE_SCORE + "Average,,0.690,0.01\n"},
        hides=("Made of others",),
        models=(*GREEK, "Average"),
    ),
    Case(
        "subtotals/by themselves",
        "rank t.csv",
        {"t.csv": SUBTOTALS},
        ("'Reasoning' (the mean of 'GSM8K', 'MATH', 'BBH')", "first place is open"),
        tasks=PARTS,
    ),
    Case(
        "subtotals/named",
        "rank t.csv --metric Reasoning --metric Coding",
        {"t.csv": SUBTOTALS},
        tasks=("Reasoning", "Coding"),
    ),
    Case(
        "subtotals/numbers made up in steps",
        "rank t.csv",
        of_models("model,arc,mmlu,gsm8k", "a,80.1,70.2,60.3", "b,75.1,65.2,55.3",
                  "c,70.1,60.2,50.3", "d,65.1,55.2,45.3"),
        tasks=("arc", "mmlu", "gsm8k"),
    ),
    Case(
        "beside data sets/properties",
        "rank t.csv",
        {"t.csv": on_data("classes,#feat", "2,14", "2,16", "2,20")},
        ("are no models",),
        models=FORESTS,
    ),
    Case(
        "beside data sets/a comparison",
        "rank t.csv",
        {"t.csv": on_data("p (XGB vs RF)", "0.01", "0.02", "0.04")},
        models=FORESTS,
    ),
    Case(
        "beside data sets/a difference",
        "rank t.csv",
        {"t.csv": on_data("Gain,Majority", "0.009,0.76", "0.0096,0.88", "0.0072,0.70")},
        ("'Gain' ('XGB' minus 'RF')",),
        models=(*FORESTS, "Majority"),
    ),
    Case(
        "a difference by its name/beside models",
        "rank t.csv",
        {"t.csv": on_data("Δ(best-2nd)", "0.01", "0.02", "0.01")},
        ("no model by its name",),
        models=FORESTS,
    ),
    Case(
        "rows of statistics/p-value",
        "rank t.csv",
        {"t.csv": on_data("KNN", "0.8", "0.87", "0.75") + WON},
        models=(*FORESTS, "KNN"),
        tasks=("adult", "bank", "credit"),
    ),
    Case(
        "columns about tasks/ends of intervals",
        "rank t.csv",
        of_models("model,Text Arena,Text 95% CI lower,Text 95% CI upper,Vision Arena",
                  "alpha,1271,1262,1280,1205", "beta,1265,1255,1275,1201",
                  "gamma,1203,1190,1216,1150"),
        tasks=("Text Arena", "Vision Arena"),
    ),
    Case(
        "columns about tasks/changes and places",
        "rank t.csv",
        of_models("model,MMLU,Δ MMLU vs. last month,MMLU rank,GSM8K,Δ GSM8K,GSM8K rank",
                  "alpha,80.1,+0.1,1,90.0,+1.0,1", "beta,78.0,+2.2,2,85.0,+5.0,2",
                  "gamma,70.3,+9.0,3,80.2,+8.1,3"),
        tasks=("MMLU", "GSM8K"),
    ),
    Case(
        "columns about tasks/sizes and questions",
        "rank t.csv",
        of_models("model,mmlu,gsm8k,n_mmlu,n_gsm8k,Contaminated?,FLOPs (G)",
                  "alpha,80.1,90.0,14042,1319,0,4.1", "beta,78.0,85.0,14042,1319,1,7.8",
                  "gamma,70.3,80.2,14042,1319,0,17.6"),
        tasks=("mmlu", "gsm8k"),
        models=("alpha", "beta", "gamma"),
    ),
    Case(
        "two metrics in a header/asked",
        "rank t.csv",
        {"t.csv": METRICS},
        ("'boolq', 'rte', 'wic' have 2 columns each", "--metric acc"),
        code=1,
    ),
    Case(
        "two metrics in a header/chosen",
        "rank t.csv --metric f1",
        {"t.csv": METRICS},
        tasks=("boolq_f1", "rte_f1", "wic_f1"),
    ),
    Case(
        "two metrics in a header/of one data set",
        "rank t.csv",
        of_models("model,SQuAD EM,SQuAD F1,MNLI acc", "a,80.1,88.2,84.0", "b,70.2,79.9,80.0"),
        tasks=("SQuAD EM", "SQuAD F1", "MNLI acc"),
    ),
    Case(
        "answers of several models/right where one is",
        "rank t.csv",
        {"t.csv": table({"id": range(200), **ANSWERS, "either": EITHER})},
        ("'either' is right where one of the others is",),
        models=("sft", "dpo"),
        items=200,
    ),
    Case(
        "answers of several models/right where all are",
        "rank t.csv",
        {"t.csv": table({"id": range(200), "both": BOTH_RIGHT, **ANSWERS})},
        models=("sft", "dpo"),
    ),
    Case(
        "answers of several models/named",
        "rank t.csv --models sft --models dpo --models either",
        {"t.csv": table({"id": range(200), **ANSWERS, "either": EITHER})},
        models=("sft", "dpo", "either"),
    ),
    Case(
        "summaries below numbered rows/answers",
        "rank t.csv",
        {"t.csv": table(NUMBERED) + "mean,0.6,0.5\nstd,0.49,0.5\n"},
        ("The rows 'mean', 'std' summarise the others",),
        models=("sft", "dpo"),
        items=200,
    ),
    Case(
        "summaries below numbered rows/graded, asked as without them",
        "rank t.csv",
        {"t.csv": lines(",old,new", *(f"{k},0.{k}3,0.{k}7" for k in range(9)), "mean,0.43,0.47")},
        ("--rows folds", "--rows items"),
        code=1,
    ),
    Case(
        "summaries below numbered rows/graded, declared",
        "rank t.csv --layout items-by-models",
        {"t.csv": lines(",old,new", *(f"{k},0.{k}3,0.{k}7" for k in range(9)), "mean,0.43,0.47")},
        models=("old", "new"),
        items=9,
    ),
    Case(
        "changes beside scores/rows",
        "rank t.csv --layout models-by-tasks",
        of_models("Setting,VQAv2,GQA,TextVQA", *CHANGES),
        ("in 2 of 3 rows (such as '+ prompt') each number has a sign",),
        code=1,
    ),
    Case(
        "changes beside scores/a column",
        "rank t.csv",
        of_models("model,MMLU,since May,ARC", "a,80.1,+0.1,70.2", "b,78.0,+2.2,71.5",
                  "c,70.3,-1.0,66.1"),
        tasks=("MMLU", "ARC"),
    ),
    Case(
        "changes beside scores/changes alone",
        "rank t.csv",
        of_models("model,MMLU,ARC", "a,+0.1,+1.2", "b,+2.2,+0.5", "c,-1.0,+0.1"),
        tasks=("MMLU", "ARC"),
    ),
    Case(
        "what a library says of scores/describe",
        "rank t.csv",
        {"t.csv": DESCRIBED},
        ("as describe() of pandas has them",),
        code=1,
    ),
    Case(
        "what a library says of scores/a search",
        "rank t.csv",
        {"t.csv": SEARCH},
        ("cv_results_ of scikit-learn", "range(2)], 'fold', 'score')"),
        code=1,
    ),
    Case(
        "closing rows of items/in files of one model",
        "compare new.csv old.csv",
        {
            "new.csv": one_file("correct", 0.8) + "accuracy,78.3\n",
            "old.csv": one_file("correct", 0.4) + "accuracy,41.2\n",
        },
        ("new is better than old", "The row 'accuracy' summarises the others", "60 items"),
    ),
    Case(
        "closing rows of items/by model",
        "rank t.csv",
        {"t.csv": long_table({"a": 0.8, "b": 0.4}) + "a,Total,48\nb,Total,24\n"},
        models=("a", "b"),
        items=60,
    ),
    Case(
        "closing rows of items/words",
        "rank t.csv",
        {"t.csv": lines("model,item,score", "a,mean,1", "a,verb,1", "b,mean,0", "b,verb,1")},
        models=("a", "b"),
        items=2,
    ),
    Case(
        "all items as a task/counts",
        "rank t.csv",
        {
            "t.csv": lines(
                "model,task,n_correct,n_total",
                "base,gsm8k,702,1319", "tuned,gsm8k,760,1319", "base,math500,91,500",
                "tuned,math500,90,500", "base,ALL,793,1819", "tuned,ALL,850,1819",
            )
        },
        ("'ALL' (all items of the others)",),
        tasks=("gsm8k", "math500"),
    ),
    Case(
        "numbers of items in a header/joined by pandas",
        "rank t.csv",
        {
            "t.csv": lines(
                ",acc,acc,n,n", "task,arc,mmlu,arc,mmlu", "model,,,,", "a,0.71,0.62,500,498",
                "b,0.60,0.52,500,500", "c,0.5,0.41,499,500",
            )
        },
        tasks=("acc_arc", "acc_mmlu"),
    ),
    Case(
        "changes written with a minus/matrix",
        "rank a.csv",
        {"a.csv": ablation("variant,MMLU,GSM8K,ARC", 3)},
        ("'w/o RL', 'w/o augmentation', 'w/o pretraining' are small and have a minus",),
        code=1,
    ),
    Case(
        "changes written with a minus/one score, with a declared limit",
        "rank a.csv --score-max 100",
        {"a.csv": ablation("model,accuracy", 1)},
        ("changes from another row", "Write scores in all rows"),
        code=1,
    ),
    Case(
        "changes written with a minus/scores below 0 that are meant",
        "rank a.csv",
        {"a.csv": lines("model,MCC,R2", "a,0.52,0.61", "b,0.5,0.48", "chance,-0.02,-0.01")},
        ("3 models",),
    ),
)  # fmt: skip

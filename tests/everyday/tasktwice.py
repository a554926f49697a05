"""Tables in which a task has several columns, and files whose names say another metric."""

from __future__ import annotations

from everyday.case import Case, lines, long_table, right, table

FLATTENED = lines(
    'model,"{0}arc/acc,none","{0}arc/acc_stderr,none","{0}arc/acc_norm,none",'
    '"{0}arc/acc_norm_stderr,none","{0}gsm8k/exact_match,strict",'
    '"{0}gsm8k/exact_match_stderr,strict"',
    "step-500,0.512,0.0146,0.551,0.0145,0.402,0.0135",
    "step-1000,0.522,0.0146,0.560,0.0145,0.333,0.0130",
    "step-1500,0.530,0.0146,0.564,0.0145,0.421,0.0136",
)
ONE_METRIC = lines(
    'model,"arc/acc,none","arc/acc_stderr,none","piqa/acc,none","piqa/acc_stderr,none"',
    "step-500,0.512,0.0146,0.751,0.0101",
    "step-1000,0.522,0.0146,0.760,0.0101",
)
TWICE = lines(
    "Model,IFEval Raw,IFEval,BBH Raw,BBH",
    "a-7b,0.4797,47.97,0.4381,25.08",
    "b-8b,0.5563,55.63,0.5458,39.44",
    "c-3b,0.2891,28.91,0.3412,11.20",
)
ANSWERS = {"ckpt_a": right(0.6), "ckpt_b": right(0.7, seed=2)}


def with_margins() -> str:
    """A pivot of pandas with its margins."""
    columns = {"qid": [f"q{place}" for place in range(60)], **ANSWERS}
    columns["All"] = [sum(pair) / 2 for pair in zip(*ANSWERS.values(), strict=True)]
    columns = {name: [*map(str, own)] for name, own in columns.items()}
    for name, own in columns.items():
        own.append("All" if name == "qid" else str(sum(map(float, own)) / 60))
    return table(columns)


SUMMARIES = lines(
    "System,XSum R-1,XSum R-2,XSum R-L,CNN/DM R-1,CNN/DM R-2,CNN/DM R-L",
    "Pega,47.2,24.6,39.3,44.2,21.5,41.1",
    "Ours,47.9,25.1,39.8,44.9,21.9,41.7",
    "T5,43.8,20.9,36.0,43.5,20.8,40.7",
)


CASES = (
    Case(
        "metrics of flattened results/asked",
        "rank t.csv",
        {"t.csv": FLATTENED.format("")},
        says=("--metric 'arc/acc,none' --metric 'gsm8k/exact_match,strict'",),
        code=1,
    ),
    Case(
        "metrics of flattened results/chosen",
        "rank t.csv --metric results.arc/acc,none --metric results.gsm8k/exact_match,strict",
        {"t.csv": FLATTENED.format("results.")},
        tasks=("results.arc/acc,none", "results.gsm8k/exact_match,strict"),
        hides=("come without uncertainty",),
    ),
    Case(
        "metrics of flattened results/one metric",
        "rank t.csv",
        {"t.csv": ONE_METRIC},
        tasks=("arc/acc,none", "piqa/acc,none"),
        hides=("come without uncertainty",),
    ),
    Case(
        "scores as measured and rescaled/asked",
        "rank t.csv",
        {"t.csv": TWICE},
        says=("--metric IFEval --metric BBH;", "--metric 'IFEval Raw' --metric 'BBH Raw'"),
        code=1,
    ),
    Case(
        "scores as measured and rescaled/chosen",
        "rank t.csv --metric IFEval --metric BBH",
        {"t.csv": TWICE},
        tasks=("IFEval", "BBH"),
    ),
    Case(
        "name of a file is a word of a metric/column says the metric",
        "rank previously_failed.csv",
        {"previously_failed.csv": long_table({"base": 0.3, "new": 0.6}, header="model,id,passed")},
        says=("usual for 'passed'",),
        means={"base": sum(right(0.3)) / 60, "new": sum(right(0.6)) / 60},
    ),
    Case(
        "name of a file is a word of a metric/column says nothing",
        "rank asr_wer.csv",
        {"asr_wer.csv": long_table({"base": 0.3, "new": 0.6}, header="model,id,value")},
        says=("--direction wer=lower",),
        code=1,
    ),
    Case(
        "margins of answers/row and column",
        "rank t.csv",
        {"t.csv": with_margins()},
        says=("'All' is the mean of all others", "The row 'All'"),
        models=("ckpt_a", "ckpt_b"),
        items=60,
        means={name: sum(own) / 60 for name, own in ANSWERS.items()},
    ),
    Case(
        "metrics of one data set/short for ROUGE",
        "rank t.csv",
        {"t.csv": SUMMARIES},
        ("have 3 columns each, one for each metric ('R-1', 'R-2', 'R-L')", "--metric R-1"),
        code=1,
    ),
    Case(
        "metrics of one data set/chosen",
        "rank t.csv --metric R-2",
        {"t.csv": SUMMARIES},
        tasks=("XSum R-2", "CNN/DM R-2"),
        means={"Pega": 24.6, "Ours": 25.1},
    ),
)

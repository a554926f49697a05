"""Tables as notebooks of cross-validation and of experiments with subjects print them."""

from __future__ import annotations

from everyday.case import Case, lines

FOLDS = {
    "tree": (0.7008, 0.7248, 0.6843, 0.7222, 0.6909),
    "rf": (0.7536, 0.7823, 0.7438, 0.7751, 0.7397),
    "ridge": (0.7488, 0.7702, 0.7251, 0.7689, 0.7311),
}
MEANS = {name: sum(scores) / 5 for name, scores in FOLDS.items()}


def cross_validated(*, first: bool = False) -> str:
    """What ``pd.concat`` makes of a ``cross_validate`` for each model, with an index or without."""
    header = [*([""] if first else []), "fit_time", "score_time", "test_score", "model"]
    rows = [
        [*([fold] if first else []), 0.01, 0.001, score, name]
        for name, scores in FOLDS.items()
        for fold, score in enumerate(scores)
    ]
    return lines(",".join(header), *(",".join(map(str, row)) for row in rows))


def with_foot(corner: str, stem: str, *foot: str) -> str:
    """A row per fold, seed or subject, and what was computed below."""
    rows = list(zip(*FOLDS.values(), strict=True))
    body = [[f"{stem}{number}", *row] for number, row in enumerate(rows, 1)]
    means = [f"{MEANS[name]:.4f}" for name in FOLDS]
    below = [[foot[0], *means], *([name, 0.018, 0.021, 0.022] for name in foot[1:])]
    return lines(",".join((corner, *FOLDS)), *(",".join(map(str, row)) for row in (*body, *below)))


CASES = (
    Case(
        "folds without a name/as cross_validate has them",
        "rank cv.csv --metric test_score",
        {"cv.csv": cross_validated()},
        ("5 folds", "fit_time and score_time", "1–2", "--folds K"),
        ("cannot be paired",),
        models=tuple(FOLDS),
        items=5,
        means=MEANS,
    ),
    Case(
        "folds without a name/numbered by an index",
        "rank cv.csv --column score=test_score",
        {"cv.csv": cross_validated(first=True)},
        ("Rows are folds of cross-validation",),
        items=5,
        means=MEANS,
    ),
    Case(
        "folds without a name/said of a table of models",
        "rank cv.csv --layout items-by-models --rows folds",
        {"cv.csv": lines("tree,rf", *("0.71,0.75", "0.73,0.78", "0.69,0.74"))},
        ("Rows are folds of cross-validation",),
        items=3,
    ),
    Case(
        "columns of folds/beside models and their mean",
        "rank grid.csv",
        {
            "grid.csv": lines(
                "model,split0_test_roc_auc,split1_test_roc_auc,mean_test_roc_auc,std_test_roc_auc",
                *(
                    f"{name},{one},{two},{(one + two) / 2:.4f},0.01"
                    for name, (one, two, *_) in FOLDS.items()
                ),
            )
        },
        ("cv_results_ of scikit-learn", "f'split{k}_test_roc_auc' for k in range(2)"),
        code=1,
    ),
    Case(
        "places of a search/beside their mean",
        "rank grid.csv",
        {
            "grid.csv": lines(
                "model,mean_test_score,std_test_score,rank_test_score",
                *(f"m{place},-0.{40 + place},0.01,{place}" for place in range(1, 7)),
            )
        },
        ("nothing can be said about ranks",),
        tasks=("grid",),
        means={"m1": -0.41, "m6": -0.46},
    ),
    Case(
        "statistics below numbered rows/SD of folds",
        "rank t.csv",
        {"t.csv": with_foot("fold", "Fold ", "Mean", "SD")},
        ("The rows 'Mean', 'SD' summarise the others",),
        items=5,
        means=MEANS,
    ),
    Case(
        "statistics below numbered rows/an interval of seeds",
        "rank t.csv",
        {"t.csv": with_foot("seed", "", "Mean", "± SD", "95% CI")},
        ("The rows 'Mean', '± SD', '95% CI' summarise the others",),
        items=5,
        means=MEANS,
    ),
    Case(
        "statistics below numbered rows/M and SD of subjects",
        "rank t.csv --direction lower",
        {"t.csv": with_foot("subject", "S0", "M", "SD")},
        ("The rows 'M', 'SD' summarise the others",),
        tasks=("S01", "S02", "S03", "S04", "S05"),
    ),
    Case(
        "runs that are called by words/an ablation",
        "rank t.csv",
        {
            "t.csv": lines(
                "run,mmlu,gsm8k,arc_c,hellaswag",
                "base,62.1,48.2,52.9,78.4",
                "dedup,62.9,49.0,53.4,78.9",
                "code-mix,63.4,53.1,53.0,78.2",
                "lr-2x,61.8,47.5,52.1,77.1",
            )
        },
        ("'base', 'dedup', 'code-mix'", "--layout models-by-tasks", "--layout items-by-models"),
        code=1,
    ),
    Case(
        "a number of documents beside the score/is not offered as one",
        "rank t.csv",
        {
            "t.csv": lines(
                "checkpoint,domain,doc,logprob",
                *(
                    f"step_{step},{domain},{doc},{-2.4 + step / 9 - doc / 99:.4f}"
                    for step in (1, 2)
                    for domain in ("web", "code")
                    for doc in range(12)
                ),
            )
        },
        ("--column score=logprob",),
        ("score=doc",),
        code=1,
    ),
)

"""What experiments in machine learning leave behind: folds, data sets by classifiers, searches."""

from __future__ import annotations

from everyday.case import Case, lines, table

CLASSIFIERS = {"rocket": 0.02, "hydra": 0.018, "dtw": -0.02}
HARD = [0.45 + 0.5 * (7 * n % 23) / 23 for n in range(24)]


def data_sets(corner: str, rows: str = "Set{}") -> str:
    """A row for each data set, which differ far more than classifiers do."""
    return table({
        corner: [rows.format(n) for n in range(len(HARD))],
        **{
            name: [f"{share + more + 0.004 * ((n * len(name)) % 5):.4f}"
                   for n, share in enumerate(HARD)]
            for name, more in CLASSIFIERS.items()
        },
    })  # fmt: skip


def automl(metrics: str = "") -> str:
    """Results of which some are an area, where more is better, and others a loss.

    ``metrics`` is a further column, which says so.
    """
    rows = []
    for task, loss in (("adult", False), ("car", True)):
        for fold in range(10):
            for name, ahead in (("good", 0.1), ("bad", 0.0)):
                area = 0.8 + ahead + 0.003 * ((fold * 7 + len(name)) % 4)
                result, own = (1.2 - area, f",{1.2 - area:.4f}") if loss else (area, f"{area:.4f},")
                said = (",logloss" if loss else ",auc") * bool(metrics)
                rows.append(f"{task},{name},{fold},{result:.4f},{own}{said}")
    return lines(f"task,framework,fold,result,auc,logloss{metrics}", *rows)


def leaderboard(score: str, *, up: bool, header: str = "Rank,TeamName,Score") -> str:
    """Twelve teams in their order."""
    return lines(
        header,
        *(f"{n + 1},team {n},{0.9 - 0.01 * n if up else 0.1 + 0.01 * n:{score}}"
          for n in range(12)),
    )  # fmt: skip


def folds(outer: str, inner: str = "", ahead: float = 0.05) -> str:
    """Folds of two models, as a nested cross-validation has them."""
    return lines(
        f"repeat,{outer},model{inner},best_params,test_auc",
        *(f"{r},{k},{name}{',0.9' * bool(inner)},{{'C': {(r + k) % 3}}},"
          f"{0.8 + more + 0.004 * ((3 * r + k) % 5) + 0.001 * ((r + 2 * k + len(name)) % 3):.4f}"
          for r in range(3) for k in range(5) for name, more in (("rf", ahead), ("svm", 0.0))),
    )  # fmt: skip


def one_cross_validation(more: float, scores: str = "test_score") -> str:
    """What ``pd.DataFrame(cross_validate(...)).to_csv()`` writes of one model."""
    return lines(
        f",fit_time,score_time,{scores}",
        *(f"{k},0.{k + 1},0.01"
          + "".join(f",{0.8 + more + 0.01 * (k % (4 + n)):.3f}"
                    for n in range(len(scores.split(","))))
          for k in range(10)),
    )  # fmt: skip


RUNS = lines(
    "classifier_name,dataset_name,random_state,accuracy",
    *(f"{name},{data},{seed},{0.7 + more + 0.003 * ((seed + len(data)) % 4):.3f}"
      for name, more in CLASSIFIERS.items() for data in ("Adiac", "Beef") for seed in (7, 42, 860)),
)  # fmt: skip
SETTINGS = lines(
    "dataset,classifier,parameters,accuracy",
    *(f"{data},{name},n={n},0.8{n % 7}" for data in ("adult", "iris", "car")
      for name in ("SVC", "RF") for n in (10, 100, 1000)),
)  # fmt: skip

CASES = (
    Case(
        "data sets by classifiers/without a name above them",
        "rank ucr.csv",
        {"ucr.csv": data_sets("")},
        ("first column has no name", "--layout tasks-by-models", "--layout models-by-tasks"),
        code=1,
    ),
    Case(
        "data sets by classifiers/said",
        "rank ucr.csv --layout tasks-by-models",
        {"ucr.csv": data_sets("")},
        ("rocket",),
        models=tuple(CLASSIFIERS),
    ),
    Case(
        "data sets by classifiers/turned, below a name for the models",
        "rank turned.csv",
        {
            "turned.csv": lines(
                "classifier," + ",".join(f"Set{n}" for n in range(5)),
                *(",".join([name, *(f"{one + more:.3f}" for one in HARD[:5])])
                  for name, more in CLASSIFIERS.items()),
            )
        },
        models=tuple(CLASSIFIERS),
    ),
    Case(
        "numbers above columns/folds without a name",
        "rank cv.csv",
        {"cv.csv": lines(",0,1,2,3,4", "rf,.81,.83,.82,.84,.8", "svm,.8,.81,.8,.83,.79")},
        ("'0' to '4' are numbered in turn", "frame.T.to_csv('turned.csv')"),
        code=1,
    ),
    Case(
        "numbers above columns/below a name for the models",
        "rank cv.csv",
        {"cv.csv": lines("model,1,2,3", "rf,.81,.83,.82", "svm,.8,.81,.8")},
        ("frame.set_index('model').T.to_csv",),
        code=1,
    ),
    Case(
        "numbers above columns/said to be tasks",
        "rank cv.csv --layout models-by-tasks",
        {"cv.csv": lines("model,1,2,3", "rf,.81,.83,.82", "svm,.8,.81,.8")},
        models=("rf", "svm"),
        tasks=("1", "2", "3"),
    ),
    Case(
        "a result of two metrics/some are losses",
        "rank results.csv",
        {"results.csv": automl()},
        ("'result' repeats 'logloss' on 'car', and 'auc' on others", "--direction car=lower"),
        code=1,
    ),
    Case(
        "a result of two metrics/declared",
        "rank results.csv --direction car=lower",
        {"results.csv": automl()},
        ("good 1.000", "Direction of 'car': lower is better (declared)"),
        models=("good", "bad"),
        items=10,
    ),
    Case(
        "a result of two metrics/named in a column",
        "rank results.csv",
        {"results.csv": automl(",metric")},
        ("--direction logloss=lower",),
        ("repeats",),
        code=1,
    ),
    Case(
        "places beside scores/low ones come first",
        "rank board.csv --column model=TeamName --column score=Score",
        {"board.csv": leaderboard(".2f", up=False)},
        ("'Rank' counts up with 'Score'", "--direction lower"),
        code=1,
    ),
    Case(
        "places beside scores/of teams, in the line to paste",
        "rank board.csv",
        {"board.csv": leaderboard(".2f", up=False)},
        ("--column model=TeamName --column score=Score --direction lower",),
        code=1,
    ),
    Case(
        "places beside scores/high ones come first",
        "rank board.csv --column model=TeamName --column score=Score",
        {"board.csv": leaderboard(".2f", up=True)},
        ("12 models",),
        ("counts up",),
    ),
    Case(
        "nested folds/outer ones",
        "rank nested.csv",
        {"nested.csv": folds("outer_fold")},
        ("3 × 5 folds, 0.2 of the data", "rf leads"),
        models=("rf", "svm"),
        items=15,
    ),
    Case(
        "nested folds/beside the score of the search",
        "rank nested.csv",
        {"nested.csv": folds("outer_fold", ",best_score")},
        ("--column score=test_auc",),
        code=1,
    ),
    Case(
        "nested folds/under another name",
        "rank nested.csv --column score=test_auc",
        {"nested.csv": folds("outer")},
        ("if it numbers folds of cross-validation, --column fold=outer",),
        code=1,
    ),
    Case(
        "cross_validate of each model/one score",
        "compare rf.csv svm.csv",
        {"rf.csv": one_cross_validation(0.08), "svm.csv": one_cross_validation(0.0)},
        ("rf is better than svm", "folds"),
    ),
    Case(
        "cross_validate of each model/several scores",
        "rank rf.csv svm.csv",
        {
            f"{name}.csv": one_cross_validation(more, "test_accuracy,test_neg_log_loss")
            for name, more in (("rf", 0.08), ("svm", 0.0))
        },
        ("cross_validate of scikit-learn", "--metric test_accuracy --also test_neg_log_loss"),
        code=1,
    ),
    Case(
        "cross_validate of each model/a negated loss is better when higher",
        "rank rf.csv svm.csv --metric test_neg_log_loss",
        {
            f"{name}.csv": one_cross_validation(more, "test_accuracy,test_neg_log_loss")
            for name, more in (("rf", 0.08), ("svm", 0.0))
        },
        ("higher is better (usual for 'test_neg_log_loss')",),
        models=("rf", "svm"),
        items=10,
    ),
    Case(
        "random states/are runs",
        "rank runs.csv",
        {"runs.csv": RUNS},
        ("model = 'classifier_name'", "Rows are training runs (column 'random_state')"),
        models=tuple(CLASSIFIERS),
        tasks=("Adiac", "Beef"),
        items=3,
    ),
    Case(
        "settings of a search/are no items",
        "rank search.csv",
        {"search.csv": SETTINGS},
        ("--column condition=parameters",),
        ("names the items",),
        code=1,
    ),
)  # fmt: skip

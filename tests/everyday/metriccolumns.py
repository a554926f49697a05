"""Tables with a column for each metric, beside what was compared and on what."""

from __future__ import annotations

import random

from everyday.case import Case, lines

LEARNERS = {"RandomForest(1)": 0.85, "SVC(6)": 0.83, "Tree(2)": 0.78}
DATA = ("kr-vs-kp", "letter", "credit-g", "diabetes", "spambase")


def runs(header: str, *, ids: bool = True) -> str:
    """Two runs of each learner on each data set, as an archive of runs exports them."""
    source = random.Random(8)
    rows, number = [], 10_590_000
    for place, data in enumerate(DATA):
        for who, share in LEARNERS.items():
            for _ in range(2):
                number += 1
                score = round(share + source.gauss(0, 0.02), 4)
                known = [number, place + 3] if ids else [number]
                rows.append([*known, who, data, score, round(score + 0.03, 4), round(score / 2, 4)])
    return lines(header, *(",".join(map(str, row)) for row in rows))


OPENML = runs(
    "run_id,task_id,flow_name,data_name,predictive_accuracy,area_under_roc_curve,f_measure"
)
PLAIN = runs("run_id,task_id,learner,data,predictive_accuracy,area_under_roc_curve,kappa")
UNKNOWN = runs("run_id,learner,data,first,second,third", ids=False)
VERSIONS = lines(
    "run_id,example_id,prompt_version,exact_match,f1",
    *(f"r{version},{item},v{version},{int((item * 7 + version) % 4 > 0)},{(item + version) % 9 / 9}"
      for version in (1, 2, 3) for item in range(40)),
)  # fmt: skip
ARMS = lines(
    "subject_id,site,arm,dice,hausdorff",
    *(f"{item},S{item % 4},{arm},{0.8 + gain + item % 7 / 100},{1.5 + item % 5 / 10}"
      for arm, gain in (("unet", 0.0), ("nnunet", 0.02)) for item in range(40)),
)  # fmt: skip

FOLDS = lines(
    ",model,fit_time,score_time,test_accuracy,test_f1",
    *(f"{fold},{who},{0.1 + fold / 70},{0.01 + fold / 900},{share + fold % 4 / 50},{share / 2}"
      for who, share in (("logreg", 0.9), ("knn", 0.85), ("gnb", 0.8)) for fold in range(10)),
)  # fmt: skip
READERS = lines(
    "reader,case_id,modality,truth,rating,correct",
    *(f"R{reader},P{case},{kind},{case % 2},{(case + reader) % 5 + 1},"
      f"{int((case * reader + gain) % 5 > 0)}"
      for reader in range(1, 5) for case in range(30)
      for gain, kind in enumerate(("DBT", "FFDM"))),
)  # fmt: skip
PIVOT = lines(
    "metric,RMSE,R2,RMSE,R2,RMSE,R2",
    "model,GBM,GBM,Ridge,Ridge,MLP,MLP",
    "dataset,,,,,,",
    *(f"{data},{0.9 + place / 50},{0.7 + place / 90},{1.2 + place / 60},{0.6 + place / 80},"
      f"{1.0 + place % 3 / 9},{0.65 + place % 3 / 20}" for place, data in enumerate(DATA)),
)  # fmt: skip
FLAT = lines("dataset,RMSE_GBM,R2_GBM,RMSE_Ridge,R2_Ridge,RMSE_MLP,R2_MLP", *PIVOT.splitlines()[3:])
REPEATED = lines(
    ",logreg,knn,gnb",
    *(f"{row},{0.95 + row % 5 / 100},{0.93 + row % 7 / 100},{0.9 + row % 4 / 100}"
      for row in range(30)),
)  # fmt: skip

CASES = (
    Case(
        "a row for each run/of an archive",
        "rank t.csv",
        {"t.csv": OPENML},
        ("3 columns could be the score", "--column score=predictive_accuracy"),
        code=1,
    ),
    Case(
        "a row for each run/one metric",
        "rank t.csv --metric predictive_accuracy",
        {"t.csv": OPENML},
        ("model = 'flow_name', task = 'data_name'", "usual for 'predictive_accuracy'"),
        models=tuple(LEARNERS),
        tasks=DATA,
    ),
    Case(
        "a row for each run/an error",
        "rank t.csv --metric root_mean_squared_error",
        {"t.csv": OPENML.replace("f_measure", "root_mean_squared_error")},
        ("'root_mean_squared_error' is usually lower-is-better",),
        code=1,
    ),
    Case(
        "metrics are no models/beside who was measured, on what",
        "rank t.csv",
        {"t.csv": PLAIN},
        (
            "are metrics by their names",
            "--column model=learner --column task=data --metric predictive_accuracy",
        ),
        code=1,
    ),
    Case(
        "metrics are no models/the line of the message",
        "rank t.csv --column model=learner --column task=data --metric predictive_accuracy",
        {"t.csv": PLAIN},
        models=tuple(LEARNERS),
        tasks=DATA,
    ),
    Case(
        "metrics are no models/under other names",
        "rank t.csv",
        {"t.csv": UNKNOWN},
        (
            "'first', 'second', 'third' may be metrics",
            "--column model=learner --column task=data --metric first",
            "--layout items-by-models",
        ),
        code=1,
    ),
    Case(
        "metrics of each fold/one is named, others beside it",
        "rank t.csv",
        {"t.csv": FOLDS},
        ("Name one; ranks by others stand beside it: --metric test_accuracy --also test_f1.",),
        code=1,
    ),
    Case(
        "metrics of each fold/the line of the message",
        "rank t.csv --metric test_accuracy --also test_f1",
        {"t.csv": FOLDS},
        ("Rows are folds of cross-validation",),
        items=10,
    ),
    Case(
        "metrics of each fold/several at once have no average",
        "rank t.csv --metric test_accuracy --metric test_f1",
        {"t.csv": FOLDS},
        ("shows one metric", "--metric test_accuracy --also test_f1"),
        ("condition=fit_time",),
        code=1,
    ),
    Case(
        "metrics by models in a header/one is asked for",
        "rank t.csv",
        {"t.csv": PIVOT},
        ("'GBM', 'Ridge', 'MLP' are measured in several ways ('RMSE', 'R2')", "--metric RMSE"),
        ("--layout",),
        code=1,
    ),
    Case(
        "metrics by models in a header/of two rows",
        "rank t.csv --metric rmse --direction lower",
        {"t.csv": PIVOT},
        models=("GBM", "Ridge", "MLP"),
        tasks=DATA,
        means={"GBM": 0.9, "Ridge": 1.2, "MLP": 1.0},
    ),
    Case(
        "metrics by models in a header/in one name",
        "rank t.csv --metric R2",
        {"t.csv": FLAT},
        ("usual for 'R2'",),
        models=("GBM", "Ridge", "MLP"),
        tasks=DATA,
        means={"GBM": 0.7, "Ridge": 0.6},
    ),
    Case(
        "rows of several repeats/how many folds one has is asked",
        "rank t.csv",
        {"t.csv": REPEATED},
        ("--rows folds --folds 10 (3 repeats of 10)", "--rows folds --folds 30 (one pass)"),
        code=1,
    ),
    Case(
        "rows of several repeats/nothing is claimed without it",
        "rank t.csv --rows folds",
        {"t.csv": REPEATED},
        ("30 folds, and nothing says whether they are one pass", "3 repeats of 10 folds"),
        ("conservative",),
        code=1,
    ),
    Case(
        "rows of several repeats/said",
        "rank t.csv --rows folds --folds 10",
        {"t.csv": REPEATED},
        ("3 × 10 folds",),
        ("conservative",),
        items=30,
    ),
    Case(
        "readers of cases/what the study compares comes first",
        "rank t.csv",
        {"t.csv": READERS},
        (
            "Together 'modality', 'reader' tell these rows apart. Each row seems",
            "--column model=modality --column item=case_id --column epoch=reader",
            "For statements about further people: --column model=modality --column item=reader",
            "If 'reader' is what is compared: --column model=reader",
        ),
        code=1,
    ),
    Case(
        "few texts that tell rows apart/versions of a prompt",
        "rank t.csv",
        {"t.csv": VERSIONS},
        ("--column model=prompt_version --metric exact_match",),
        code=1,
    ),
    Case(
        "few texts that tell rows apart/versions beside one metric",
        "rank t.csv --metric exact_match",
        {"t.csv": VERSIONS},
        ("If it names the models: --column model=prompt_version",),
    ),
    Case(
        "few texts that tell rows apart/arms of a study",
        "rank t.csv",
        {"t.csv": ARMS},
        ("--column model=arm --column item=subject_id --metric dice",),
        code=1,
    ),
)

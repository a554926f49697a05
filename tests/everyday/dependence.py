"""Rows that come from one patient or one judge, and columns that are neither tasks nor scores."""

from __future__ import annotations

import random

from everyday.case import Case, lines

NAMED = "--column model=method --column score=dice"


def slices(header: str = "patient,slice_id,method,dice") -> str:
    """Eight patients of 25 slices; which model is better differs by patient."""
    source = random.Random(8)
    rows = []
    for patient in range(8):
        level, ahead = source.gauss(0.85, 0.02), source.gauss(0.01, 0.02)
        for place in range(25):
            at = level + source.gauss(0, 0.01)
            name = f"case_{patient:02}"
            for method, score in (("nnU-Net", at + ahead), ("UNETR", at)):
                cells = {
                    "patient": name, "origin": name, "slice_id": f"{name}_{place:03}",
                    "method": method, "dice": f"{score + source.gauss(0, 0.01):.4f}",
                }  # fmt: skip
                rows.append(",".join(cells[one] for one in header.split(",")))
    return lines(header, *rows)


def side_by_side(header: str) -> str:
    """The same with a column for each model."""
    rows = [line.split(",") for line in slices().splitlines()[1:]]
    wide = [
        {"patient": one[0], "scan": one[1], "nnU-Net": one[3], "UNETR": two[3]}
        for one, two in zip(rows[::2], rows[1::2], strict=True)
    ]
    return lines(header, *(",".join(row[name] for name in header.split(",")) for row in wide))


ANEW = "'seg_id' names items anew in each 'doc_id', so an item is both"


def segments(*, anew: bool, wide: bool = False) -> str:
    """Twelve documents of four segments, whose numbers may begin anew."""
    source = random.Random(4)
    rows = []
    for document in range(12):
        level = source.gauss(0.6, 0.1)
        for place in range(4):
            names = f"doc{document:02},{place if anew else 4 * document + place}"
            one, two = (f"{level + shift + source.gauss(0, 0.02):.3f}" for shift in (0.0, 0.05))
            rows += (
                [f"{names},{one},{two}"] if wide else [f"one,{names},{one}", f"two,{names},{two}"]
            )
    return lines("doc_id,seg_id,one,two" if wide else "system,doc_id,seg_id,score", *rows)


def measured_twice() -> str:
    """Each model on training and on test data."""
    source = random.Random(3)
    return lines(
        "dataset,algorithm,seed,accuracy,split",
        *(
            f"{data},{name},{seed},{level + shift + source.gauss(0, 0.01):.4f},{split}"
            for data in ("adult", "bank", "wine")
            for name, level, shift in (("TabNet", 0.82, 0.15), ("XGB", 0.86, 0.02))
            for seed in range(5)
            for split, shift in (("train", shift), ("test", 0.0))
        ),
    )


def judged() -> str:
    """Sentences in numbers, three judges, three systems."""
    source = random.Random(5)
    return lines(
        "sentence_id,annotator,model,rating",
        *(
            f"{sentence},{judge},{model},{min(5, max(1, round(source.gauss(level, 1))))}"
            for sentence in range(30)
            for judge in ("ann0", "ann1", "ann2")
            for model, level in (("SysA", 4.2), ("SysB", 3.4), ("SysC", 2.5))
        ),
    )


ASKED = ("Rows whose names begin alike go together", "--column cluster=NAME")
OTHER = {"s.csv": slices("origin,slice_id,method,dice")}


def raters(lacking: str) -> str:
    """Three raters of thirty items, one of whom is harsh; one system lacks a rater."""
    return lines(
        "item,system,rater,rating",
        *(
            f"{n},{system},{rater},{3 + (n + place) % 2 - 2 * (rater == 'Rita')}"
            for n in range(30)
            for place, system in enumerate(("one", "two", "three"))
            for rater in ("Ann", "Bob", "Rita")
            if (system, rater) != ("three", lacking)
        ),
    )


STEPS = lines(
    "model,unique_id,ds,cutoff,mae",
    *(
        f"{model},{series},2026-{1 + 3 * origin + step // 28:02}-{1 + step % 28:02},"
        f"2026-{1 + 3 * origin:02}-01,{1 + k + (3 * origin + 7 * step + 5 * number) % 11 / 10:.1f}"
        for k, model in enumerate(("arima", "theta", "naive"))
        for number, series in enumerate(("S1", "S2"))
        for origin in range(4)
        for step in range(12)
    ),
)
FORECASTS = "rank f.csv --direction lower --column task=unique_id --column item=ds"

CASES = (
    Case(
        "steps of one forecast/told",
        f"{FORECASTS} --column score=mae",
        {"f.csv": STEPS},
        ("'cutoff' seems to say from when forecasts were made", "--column cluster=cutoff"),
        models=("arima", "theta", "naive"),
        items=48,
    ),
    Case(
        "steps of one forecast/together",
        f"{FORECASTS} --column score=mae --column cluster=cutoff",
        {"f.csv": STEPS},
        ("4 clusters",),
        ("from when forecasts",),
        models=("arima", "theta", "naive"),
    ),
    Case(
        "a rater whom one lacks/asked",
        "rank r.csv --column score=rating --column epoch=rater",
        {"r.csv": raters("Rita")},
        ("'three' has no answer of 'Rita'", "--where \"rater <> 'Rita'\""),
        code=1,
    ),
    Case(
        "a rater whom one lacks/without that rater",
        "rank r.csv --column score=rating --column epoch=rater --where \"rater <> 'Rita'\"",
        {"r.csv": raters("Rita")},
        ("do not tell the 3 models apart",),
        models=("one", "two", "three"),
        items=30,
    ),
    Case(
        "a rater whom one lacks/none does",
        "rank r.csv --column score=rating --column epoch=rater",
        {"r.csv": raters("nobody")},
        models=("one", "two", "three"),
        items=30,
    ),
    Case(
        "rows of one source/compare asks",
        f"compare s.csv --models nnU-Net --models UNETR {NAMED} --column item=slice_id",
        OTHER,
        ASKED,
        hides=("--clusters FILE",),
    ),
    Case(
        "rows of one source/check asks",
        f"check s.csv --claim 'nnU-Net > UNETR' {NAMED} --column item=slice_id --json",
        OTHER,
        (*ASKED, '"dependent-rows"'),
    ),
    Case(
        "rows of one source/told",
        f"compare s.csv --models nnU-Net --models UNETR {NAMED} --column item=slice_id "
        "--rows independent",
        OTHER,
        hides=ASKED,
    ),
    Case(
        "patients/items and their patients are offered",
        "rank s.csv",
        {"s.csv": slices()},
        ("--column item=slice_id --column cluster=patient",),
        hides=("task=patient",),
        code=1,
    ),
    Case(
        "patients/are the clusters",
        f"compare s.csv --models nnU-Net --models UNETR {NAMED} --column item=slice_id",
        {"s.csv": slices()},
        ("cluster = 'patient'", "Cannot tell"),
    ),
    Case(
        "patients in a matrix/before their scans",
        "rank w.csv --layout items-by-models",
        {"w.csv": side_by_side("patient,scan,nnU-Net,UNETR")},
        ("go together by 'patient'", "do not tell"),
        models=("nnU-Net", "UNETR"),
        items=200,
    ),
    Case(
        "patients in a matrix/behind their scans",
        "rank w.csv --layout items-by-models --column item=scan",
        {"w.csv": side_by_side("scan,nnU-Net,UNETR,patient")},
        ("do not tell",),
        models=("nnU-Net", "UNETR"),
        items=200,
    ),
    *(
        Case(
            f"segments of documents/{name}",
            "rank s.csv",
            {"s.csv": text},
            said,
            models=("one", "two"),
            items=48,
        )
        for name, text, said in (
            ("counted through", segments(anew=False), ("cluster = 'doc_id'",)),
            ("counted anew", segments(anew=True), ("cluster = 'doc_id'", ANEW)),
            ("counted anew, beside models", segments(anew=True, wide=True), (ANEW,)),
        )
    ),
    Case(
        "train and test/test is offered",
        "rank t.csv",
        {"t.csv": measured_twice()},
        ("--where \"split = 'test'\"",),
        hides=("epoch=split",),
        code=1,
    ),
    Case(
        "train and test/told",
        "rank t.csv --where \"split = 'test'\"",
        {"t.csv": measured_twice()},
        models=("TabNet", "XGB"),
        hides=("TabNet leads",),
    ),
    Case(
        "numbers of sentences/are no scores",
        "rank j.csv",
        {"j.csv": judged()},
        ("--column item=sentence_id --column epoch=annotator --column score=rating",),
        hides=("score=sentence_id",),
        code=1,
    ),
    Case(
        "a verdict on rows that go together/of a claim",
        f"check s.csv {NAMED} --column item=slice_id --claim 'nnU-Net > UNETR - 0.2'",
        OTHER,
        ("SUPPORTED, if rows are independent.", "Passed: 1 claim, if rows are independent."),
    ),
    Case(
        "a verdict on rows that go together/of a comparison",
        f"compare s.csv {NAMED} --column item=slice_id",
        OTHER,
        ("at 95 %), if rows are independent.",),
    ),
    Case(
        "a verdict on rows that go together/that are called independent",
        f"compare s.csv {NAMED} --column item=slice_id --rows independent",
        OTHER,
        hides=("if rows are independent",),
    ),
)

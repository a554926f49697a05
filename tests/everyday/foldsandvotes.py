"""Cross-validation, votes, and stores."""

from __future__ import annotations

from everyday.case import Case, json_lines, lines, long_table

FOLDS = lines(
    "classifier,dataset,fold,accuracy",
    *(
        f"{name},{data},{fold},{0.7 + 0.08 * place + 0.003 * ((fold * 7 + place * 3) % 5):.3f}"
        for place, name in enumerate(("knn", "svm", "forest"))
        for data in ("iris", "wine")
        for fold in range(10)
    ),
)


def votes(a: str, b: str, winner: str, words: tuple[str, str, str]) -> dict[str, list[object]]:
    """Votes in which the first of the alphabet wins most."""
    columns: dict[str, list[object]] = {a: [], b: [], winner: []}
    for place in range(240):
        one, two = (("gpt", "llama"), ("llama", "qwen"), ("gpt", "qwen"))[place % 3]
        if place % 2:
            one, two = two, one
        ahead = words[0] if (one < two) == (place % 5 != 0) else words[1]
        columns[a].append(one)
        columns[b].append(two)
        columns[winner].append(words[2] if place % 12 == 0 else ahead)
    return columns


def text(columns: dict[str, list[object]]) -> str:
    return lines(
        ",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))
    )


ARENA = votes("model_a", "model_b", "winner", ("model_a", "model_b", "tie"))
THREE = ("gpt", "llama", "qwen")

CASES = (
    Case(
        "folds/tidy",
        "rank f.csv",
        {"f.csv": FOLDS},
        ("folds",),
        models=("knn", "svm", "forest"),
        tasks=("iris", "wine"),
        items=10,
    ),
    Case(
        "folds/not named",
        "rank f.csv",
        {"f.csv": FOLDS.replace(",fold,", ",id,")},
        ("--rows folds",),
        models=("knn", "svm", "forest"),
        items=10,
    ),
    Case(
        "folds/declared",
        "rank f.csv --rows folds",
        {"f.csv": FOLDS.replace(",fold,", ",id,")},
        models=("knn", "svm", "forest"),
        items=10,
        hides=("--rows folds",),
    ),
    Case("votes/arena csv", "rank v.csv", {"v.csv": text(ARENA)}, models=THREE),
    Case("votes/jsonl", "rank v.jsonl", {"v.jsonl": json_lines(ARENA)}, models=THREE),
    Case(
        "votes/left and right",
        "rank v.csv",
        {"v.csv": text(votes("left", "right", "winner", ("left", "right", "tie")))},
        models=THREE,
    ),
    Case(
        "votes of one model/itself",
        "rank v.csv",
        {"v.csv": text(ARENA) + "gpt,gpt,model_a\n"},
        ("itself", "--self-votes drop"),
        code=1,
    ),
    Case(
        "votes word/unknown",
        "rank v.csv",
        {"v.csv": text(ARENA) + "gpt,llama,modle_a\n"},
        ("modle_a",),
        code=1,
    ),
    Case(
        "votes compare/two models",
        "compare v.csv --models gpt --models qwen",
        {"v.csv": text(ARENA)},
        ("gpt is better than qwen",),
    ),
    Case(
        "votes counts/wins",
        "rank v.csv",
        {
            "v.csv": lines(
                "model_a,model_b,wins_a,wins_b,ties",
                "gpt,llama,60,20,3",
                "llama,qwen,50,30,2",
                "gpt,qwen,70,9,1",
            )
        },
        models=THREE,
    ),
    Case(
        "pairing/on scores",
        "rank r.csv --pairing uniform",
        {"r.csv": long_table({"a": 0.8, "b": 0.5})},
        ("votes",),
        code=1,
    ),
)

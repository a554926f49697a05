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


# A row per fold or seed, a column per classifier, as notebooks collect them.
SCORES = [f"{0.80 + 0.01 * (n % 3):.2f},{0.82 + 0.01 * (n % 2):.2f}" for n in range(6)]
NOTEBOOK = lines("fold,rf,gb", *(f"{n},{both}" for n, both in enumerate(SCORES)))
REPEATED = lines(
    "repeat,fold,rf,gb", *(f"{n // 3},{n % 3},{both}" for n, both in enumerate(SCORES))
)

ARENA = votes("model_a", "model_b", "winner", ("model_a", "model_b", "tie"))
THREE = ("gpt", "llama", "qwen")


def square(unit: float, form: str, empty: str = "") -> dict[str, str]:
    """A square of three models, in each pair of which the second has what the first has not."""
    wins = {("orca", "qwen"): 0.54, ("orca", "gemma"): 0.68, ("qwen", "gemma"): 0.63}
    names = ("orca", "qwen", "gemma")

    def cell(one: str, other: str) -> str:
        if one == other:
            return empty
        share = wins[one, other] if (one, other) in wins else 1.0 - wins[other, one]
        return form.format(unit * share)

    rows = [f"{one},{','.join(cell(one, other) for other in names)}" for one in names]
    return {"w.csv": lines(f",{','.join(names)}", *rows)}


RATES = ("as rates of wins have", "does not say how many votes")

CASES = (
    Case(
        "a square of rates/of 1",
        "rank w.csv --layout beats",
        square(1, "{:.2f}", "0.50"),
        RATES,
        ("(in Python: layout",),
        code=1,
    ),
    Case("a square of rates/in percent", "rank w.csv", square(100, "{:.0f}%"), RATES, code=1),
    Case(
        "a square of rates/of 100 with decimals",
        "rank w.csv --layout beats",
        square(100.1, "{:.1f}"),
        RATES,
        code=1,
    ),
    Case(
        "a square of 100 for each pair/beside games",
        "rank w.csv",
        {
            "w.csv": lines(
                ",orca,qwen,gemma,Games", "orca,,54,68,20", "qwen,46,,63,30", "gemma,32,37,,10"
            )
        },
        (*RATES, "--layout beats"),
        code=1,
    ),
    Case(
        "a square of 100 for each pair/asked",
        "rank w.csv",
        square(100, "{:.0f}"),
        (*RATES, "--layout beats"),
        code=1,
    ),
    Case(
        "a square of 100 for each pair/told that they are votes",
        "rank w.csv --layout beats",
        square(100, "{:.0f}"),
        ("300 votes",),
        models=("orca", "qwen", "gemma"),
    ),
    Case(
        "a square of 200 for each pair/read as votes",
        "rank w.csv",
        square(200, "{:.0f}"),
        ("600 votes",),
        models=("orca", "qwen", "gemma"),
    ),
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
    Case(
        "folds by models/folds",
        "rank f.csv",
        {"f.csv": NOTEBOOK},
        ("Rows are folds of cross-validation (column 'fold'): 1 × 6 folds",),
        models=("rf", "gb"),
        items=6,
        means={"rf": 0.81, "gb": 0.825},
    ),
    Case(
        "folds by models/repeats of folds",
        "rank f.csv",
        {"f.csv": REPEATED},
        ("2 × 3 folds",),
        models=("rf", "gb"),
        items=6,
    ),
    Case(
        "folds by models/declared as items",
        "rank f.csv --layout items-by-models",
        {"f.csv": NOTEBOOK.replace("fold", "cv")},
        models=("rf", "gb"),
        items=6,
    ),
    Case(
        "seeds by models/seeds",
        "rank s.csv",
        {"s.csv": NOTEBOOK.replace("fold", "seed") + "mean,0.81,0.825\n"},
        ("Rows are training runs (column 'seed')", "The row 'mean' summarises the others"),
        models=("rf", "gb"),
        items=6,
        means={"rf": 0.81, "gb": 0.825},
    ),
    Case(
        "seeds by models/beside items",
        "rank s.csv",
        {"s.csv": lines("id,seed,rf,gb", *(f"{n // 2},{n % 2},1,{n % 2}" for n in range(24)))},
        ("Up to 2 answers to one row (column 'seed')",),
        models=("rf", "gb"),
        items=12,
        means={"rf": 1.0, "gb": 0.5},
    ),
    Case(
        "seeds by models/on several data sets",
        "rank s.csv",
        {
            "s.csv": lines(
                "dataset,seed,rf,gb",
                *(f"{d},{n},0.8{n},0.7{n + 3}" for d in ("adult", "bank") for n in range(5)),
            )
        },
        models=("rf", "gb"),
        tasks=("adult", "bank"),
        items=5,
    ),
    Case(
        "models by folds/are no tasks",
        "rank f.csv",
        {"f.csv": lines("model,fold1,fold2,fold3", "rf,.81,.83,.82", "gb,.80,.85,.84")},
        ("look like folds of one task", "--layout models-by-tasks"),
        code=1,
    ),
    Case(
        "votes with short names/names of winners",
        "rank v.csv",
        {"v.csv": text(votes("a", "b", "winner", ("a", "b", "tie")))},
        ("model_a = 'a', model_b = 'b', winner = 'winner'",),
        models=THREE,
    ),
    Case(
        "votes with short names/codes of winners",
        "rank v.csv",
        {"v.csv": text(votes("A", "B", "result", ("1", "2", "0")))},
        ("the winner '0' of", "--word 0=tie"),
        ("model=A", "score=result"),
        code=1,
    ),
    Case(
        "votes with short names/other names of sides",
        "rank v.csv",
        {"v.csv": text(votes("here", "there", "winner", ("1", "2", "tie"))).replace("tie", "0.5")},
        ("--column model_a=here --column model_b=there --column winner=winner",),
        ("score=winner",),
        code=1,
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
        "votes of nobody/no column of voters",
        "rank v.csv",
        {"v.csv": text(ARENA)},
        ("Nobody says who cast which vote",),
    ),
    Case(
        "votes on prompts of nobody/no column of voters",
        "rank v.csv",
        {"v.csv": text({**ARENA, "prompt": [f"p{k % 40}" for k in range(len(ARENA["winner"]))]})},
        ("Nobody says who cast which vote",),
    ),
    Case(
        "votes of nobody/said to be independent",
        "rank v.csv --cluster none",
        {"v.csv": text(ARENA)},
        hides=("Nobody says",),
    ),
    Case(
        "votes of nobody/named voters",
        "rank v.csv",
        {"v.csv": text({**ARENA, "user_id": [f"u{k % 12}" for k in range(len(ARENA["winner"]))]})},
        hides=("Nobody says",),
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
    Case(
        "votes of a form/their addresses are the voters",
        "compare form.csv",
        {
            "form.csv": lines(
                "Timestamp,Email,Prompt,model_a,model_b,winner",
                *(
                    f"2026-11-01 {9 + i // 60:02}:{i % 60:02}:00,p{i % 12}@uni.example,q{i},"
                    f"Ours,Base,{('model_a', 'model_b', 'tie')[(i * i) % 3]}"
                    for i in range(120)
                ),
            )
        },
        ("judge = 'Email'",),
    ),
    Case(
        "votes word/no preference",
        "rank v.csv",
        {"v.csv": text(ARENA).replace(",tie", ",No preference")},
        ("240 votes",),
        models=THREE,
    ),
    Case(
        "votes word/told what it is",
        "rank v.csv --word unsure=missing",
        {"v.csv": text(ARENA).replace(",tie", ",unsure")},
        ("220 votes", "Left out: 20 votes without an outcome"),
        models=THREE,
    ),
    Case(
        "votes word asked/unsure",
        "rank v.csv",
        {"v.csv": text(ARENA).replace(",tie", ",unsure")},
        ("20 rows", "--word unsure=tie", "--word unsure=missing"),
        code=1,
    ),
    Case(
        "votes word asked/a number that is no outcome",
        "rank v.csv --word unsure=0.7",
        {"v.csv": text(ARENA).replace(",tie", ",unsure")},
        ("'unsure' is worth 0.7", "Expected tie, missing"),
        code=1,
    ),
    Case(
        "votes for a name/in another case",
        "rank v.csv",
        {
            "v.csv": text(votes("left", "right", "preferred", ("left", "right", "same"))).replace(
                "gpt,llama,left", "gpt,llama,GPT"
            )
        },
        ("another case than the model ('GPT' for 'gpt')", "240 votes"),
        models=THREE,
    ),
    Case(
        "votes with a model that won/chosen and rejected",
        "rank v.csv",
        {
            "v.csv": lines(
                "prompt,chosen_model,rejected_model,worker",
                *(f"q{n},{THREE[n % 3]},{THREE[(n + 1 + n % 2) % 3]},w{n % 9}" for n in range(60)),
            )
        },
        ("60 votes", "loser = 'rejected_model'"),
    ),
    Case(
        "votes with a word for the side between/response_a_model",
        "rank v.csv",
        {
            "v.csv": text(
                votes("response_a_model", "response_b_model", "verdict", ("A", "B", "tie"))
            )
        },
        ("240 votes", "winner = 'verdict'"),
        models=THREE,
    ),
    Case(
        "votes in numbers/a third one is asked about",
        "rank v.csv",
        {"v.csv": text(votes("left_model", "right_model", "preference", ("1", "2", "3")))},
        ("--word 3=tie", "--word 3=missing"),
        code=1,
    ),
    Case(
        "votes in numbers/a third one is a tie",
        "rank v.csv --word 3=tie",
        {"v.csv": text(votes("left_model", "right_model", "preference", ("1", "2", "3")))},
        ("240 votes", "gpt leads"),
        models=THREE,
    ),
    Case(
        "votes in numbers/shares beside one that is none",
        "rank v.csv --word 9=missing",
        {"v.csv": text(votes("model_a", "model_b", "score", ("1", "0", "9")))},
        ("220 votes", "gpt leads"),
        models=THREE,
    ),
)

"""Items by models as people keep them: with columns and rows that are no model and no item."""

from __future__ import annotations

from collections.abc import Sequence

from everyday.case import Case, right, table

SHARES = {"gpt": 0.9, "llama": 0.6, "qwen": 0.3}
THREE = tuple(SHARES)


def answers(item: str = "id", items: int = 40) -> dict[str, Sequence[object]]:
    """Columns: names of items, and what three models answered."""
    ids: dict[str, Sequence[object]] = {item: [f"q{number}" for number in range(items)]}
    return ids | {name: right(share, items) for name, share in SHARES.items()}


def beside(name: str, cells: Sequence[object]) -> str:
    """The table with one more column behind the names of items."""
    columns = answers()
    return table({"id": columns.pop("id"), name: cells, **columns})


def with_rows(*rows: str) -> str:
    """The table with rows below the items."""
    return table(answers()) + "".join(f"{row}\n" for row in rows)


SUMS = {name: sum(right(share, 40)) for name, share in SHARES.items()}
TOTAL = ",".join(["Total", *map(str, SUMS.values())])
ACCURACY = ",".join(["Accuracy", *(f"{value / 40:.3f}" for value in SUMS.values())])
PERCENT = ",".join(["Score", *(f"{2.5 * value:.1f}" for value in SUMS.values())])

LEVELS = [number % 6 + 1 for number in range(40)]


def transposed(corner: str = "model", items: int = 40, names: str = "q{}") -> str:
    """A row per model and a column per question, as forms and graders write them."""
    header = [corner, *(names.format(number + 1) for number in range(items))]
    rows = ([name, *right(share, items)] for name, share in SHARES.items())
    return "".join(",".join(map(str, row)) + "\n" for row in (header, *rows))


GREEK = {name: right(share) for name, share in (("alpha", 0.6), ("beta", 0.5), ("delta", 0.9))}

CASES = (
    Case(
        "names of letters/delta is a model beside alpha and beta",
        "rank answers.csv",
        {"answers.csv": table({"question_id": range(60), **GREEK})},
        ("delta leads",),
        models=("alpha", "beta", "delta"),
    ),
    Case(
        "a row per model/questions, two of them called like quartiles",
        "rank m.csv",
        {"m.csv": transposed()},
        ("All 40 columns hold 0 and 1, so each is taken for an item",),
        models=THREE,
        items=40,
        means={name: sum(right(share, 40)) / 40 for name, share in SHARES.items()},
    ),
    Case(
        "a row per model/tasks of an agent, passed or failed",
        "rank m.csv",
        {"m.csv": transposed("agent", 12, "fix-{}")},
        ("each is taken for an item",),
        models=THREE,
        items=12,
    ),
    Case(
        "a row per model/two sides",
        "compare m.csv --models gpt --models qwen",
        {"m.csv": transposed()},
        ("gpt is better than qwen",),
    ),
    Case(
        "unnamed models/a row per model is asked about",
        "rank m.csv",
        {"m.csv": transposed("")},
        ("--layout", "models-by-items"),
        code=1,
    ),
    Case(
        "no model/difficulty",
        "rank m.csv",
        {"m.csv": beside("difficulty", LEVELS)},
        ("'difficulty' is no model by its name",),
        models=THREE,
        items=40,
        means={name: sum(right(share, 40)) / 40 for name, share in SHARES.items()},
    ),
    Case(
        "no model/label that may be the truth",
        "rank m.csv",
        {"m.csv": table({**answers(), "label": right(0.5, 40)})},
        ("these are predictions and no scores", "--models gpt --models llama --models qwen"),
        code=1,
    ),
    Case(
        "no model/n_tokens",
        "rank m.csv",
        {"m.csv": beside("n_tokens", range(50, 90))},
        ("'n_tokens' is no model by its name",),
        models=THREE,
    ),
    Case(
        "difference/delta",
        "rank m.csv",
        {
            "m.csv": table(
                {
                    "item": range(40),
                    "baseline": right(0.4, 40),
                    "tuned": right(0.8, 40, 2),
                    "delta": [
                        b - a for a, b in zip(right(0.4, 40), right(0.8, 40, 2), strict=True)
                    ],
                }
            )
        },
        ("'delta' is no model by its name",),
        models=("baseline", "tuned"),
    ),
    Case(
        "difference/chosen all the same",
        "rank m.csv --models gpt --models label",
        {"m.csv": table({**answers(), "label": right(0.5, 40)})},
        models=("gpt", "label"),
    ),
    Case(
        "other numbers/asked about",
        "rank m.csv",
        {"m.csv": beside("hops", LEVELS)},
        ("'hops' holds other numbers than 0 and 1", "--models gpt --models llama --models qwen"),
        code=1,
    ),
    Case(
        "other numbers/models named",
        "rank m.csv --models gpt --models llama --models qwen",
        {"m.csv": beside("hops", LEVELS)},
        ("Not used: 'hops'",),
        models=THREE,
    ),
    Case(
        "other numbers/one scale declared",
        "rank m.csv --score-min 0 --score-max 6",
        {"m.csv": beside("hops", LEVELS)},
        models=(*THREE, "hops"),
    ),
    Case(
        "summary of items/total and accuracy",
        "rank m.csv",
        {"m.csv": with_rows(TOTAL, ACCURACY)},
        ("'Total', 'Accuracy' summarise the others",),
        models=THREE,
        items=40,
    ),
    Case(
        "summary of items/score in percent",
        "rank m.csv",
        {"m.csv": with_rows(PERCENT)},
        ("'Score' summarises the others",),
        models=THREE,
        items=40,
    ),
    Case(
        "summary of items/an item that is called score",
        "rank m.csv",
        {"m.csv": with_rows("score,1,0,1")},
        hides=("summarises",),
        models=THREE,
        items=41,
    ),
    Case(
        "unnamed items/names",
        "rank m.csv",
        {"m.csv": table(answers(""))},
        ("its rows are taken for items",),
        models=THREE,
        items=40,
    ),
    Case(
        "unnamed items/an index",
        "rank m.csv",
        {"m.csv": table({**answers(""), "": range(40)})},
        ("its rows are taken for items",),
        models=THREE,
        items=40,
    ),
    Case(
        "unnamed items/few rows are asked about",
        "rank m.csv",
        {"m.csv": table(answers("", 10))},
        ("--layout", "items-by-models"),
        code=1,
    ),
)

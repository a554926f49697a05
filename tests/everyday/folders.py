"""Files in several folders that name neither model nor task, and models without a common task."""

from __future__ import annotations

from everyday.case import Case, json_lines, long_table, right


def files(folder: str, shares: dict[str, float]) -> dict[str, str | bytes]:
    """A file of answers for each path in a folder."""
    return {
        f"{folder}{name}.jsonl": json_lines({"id": range(60), "correct": right(share)})
        for name, share in shares.items()
    }


CASES = (
    Case(
        "folders without a column of tasks/of other models",
        "rank subs incoming/teamE.jsonl",
        files("", {"subs/teamA": 0.7, "subs/teamB": 0.4, "incoming/teamE": 0.95}),
        ("teamE leads",),
        models=("teamA", "teamB", "teamE"),
        tasks=("all",),
    ),
    Case(
        "folders without a column of tasks/of some of the same models",
        "rank r",
        files("r/", {"law/ash": 0.7, "law/elm": 0.4, "art/ash": 0.8}),
        ("files of one name stand in several folders", "'ash=r/*/ash.jsonl'"),
        code=1,
    ),
    Case(
        "folders without a column of tasks/models that are named",
        "rank 'ash=r/*/ash.jsonl' 'elm=r/*/elm.jsonl'",
        files("r/", {"law/ash": 0.9, "law/elm": 0.4, "art/ash": 0.8}),
        ("ash leads", "r/law/elm.jsonl: No column names the task; it is called 'law'"),
        models=("ash", "elm"),
        tasks=("law",),
    ),
    Case(
        "a model that entered no task of the others/said first",
        "rank r.csv",
        {
            "r.csv": long_table(
                {"ash,law": 0.9, "elm,law": 0.4, "fir,art": 0.8}, header="model,task,item,score"
            )
        },
        ("1 model is not on the board, scored on no task that counts: fir.",),
        models=("ash", "elm"),
    ),
)

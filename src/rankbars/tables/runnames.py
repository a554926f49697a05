"""Names of one of several: runs, trials, steps, and models that are only numbered or lettered."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from rankbars.tables.columns import fold_name

__all__ = [
    "answer_role", "is_lettered", "is_series", "names_run", "numbers_steps", "split_run",
]  # fmt: skip


def is_series(name: str, folded: Collection[str]) -> bool:
    """Whether a numbered name is one of several: model-1, model-2, model-3 are models."""
    stem = name.rstrip("0123456789")
    numbered = [one for one in folded if one.startswith(stem) and one[len(stem) :].isdigit()]
    return stem != name and len(numbered) > 2


def is_lettered(name: str, folded: Collection[str]) -> bool:
    """Whether a name is one of several with letters: model-a beside model-b and model-c."""
    stem = name[:-1]
    return bool(stem) and {f"{stem}a", f"{stem}b", f"{stem}c"} <= {name, *folded}


_RUN = re.compile(
    r"(seed|run|trial|rep|repeat|repetition|attempt|epoch|sample|try|iteration)[-_ =]?\d+", re.I
)


_STEPS = re.compile(r"(?:step|action)(?:id|idx|index|number|num|no)|step")
_TURNS = re.compile(r"turn(?:id|idx|index|number|num|no)?")


def numbers_steps(name: str, score: str = "") -> bool:
    """Whether a column numbers the steps of one try; turns are steps beside a reward.

    Examples
    --------
    >>> numbers_steps("step_idx"), numbers_steps("turn"), numbers_steps("turn", "reward")
    (True, False, True)
    """
    rewarded = fold_name(score) == "reward" and _TURNS.fullmatch(fold_name(name)) is not None
    return rewarded or _STEPS.fullmatch(fold_name(name)) is not None


def names_run(name: str) -> bool:
    """Whether a name, of a file, a folder or a column, is that of a run.

    Examples
    --------
    >>> names_run("seed0"), names_run("Run 2"), names_run("runner"), names_run("sample-7")
    (True, True, False, True)
    """
    return _RUN.fullmatch(name) is not None


def split_run(name: str) -> tuple[str, str]:
    """A name of a file without the run at its end, and that run; empty if there is none.

    Examples
    --------
    >>> split_run("v1_seed0"), split_run("gpt-4-run-2"), split_run("gpt-4")
    (('v1', 'seed0'), ('gpt-4', 'run-2'), ('gpt-4', ''))
    """
    found = re.fullmatch(
        r"(.+)[-_. ]((?:seed|run|trial|rep|repeat|repetition|attempt|sample|try)[-_ ]?\d+)",
        name, re.I,
    )  # fmt: skip
    return (found[1], found[2]) if found else (name, "")


_ANSWER = re.compile(
    r"(seed|run|rep|repeat|repetition|trial|attempt|try|sample|rollout|gen|generation|completion|"
    r"response|passed|correct|is_correct)[-_ =#]?\d+", re.I
)  # fmt: skip


def answer_role(names: Sequence[str]) -> str | None:
    """What columns beside items number, if by their names they hold answers of one model.

    Examples
    --------
    >>> answer_role(["trial_1", "trial_2"]), answer_role(["seed_42", "seed_7"])
    ('epoch', 'run')
    >>> answer_role(["trial_1", "gpt"]), answer_role(["model-1", "model-2"])
    (None, None)
    """
    found = [_ANSWER.fullmatch(name) for name in names]
    stems = {one[1].casefold() for one in found if one is not None}
    if len(names) < 2 or None in found or len(stems) > 1:
        return None
    return "run" if stems <= _RUNS else "epoch"


_RUNS = frozenset({"seed", "run", "rep", "repeat", "repetition"})

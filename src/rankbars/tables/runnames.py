"""Names of one of several: runs, trials and steps, dates and versions, numbered models."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name
from rankbars.tables.metricwords import split_words

__all__ = [
    "TIMES", "answer_role", "are_times", "is_lettered", "is_series", "names_run", "numbers_steps",
    "refuse_times", "split_run", "without_time",
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


# Columns that say when a run was made.
TIMES = split_words("""
    timestamp datetime date time when created createdat createdtime createdon runtime rundate
    runtimestamp runat startedat starttime endtime finishedat completedat evaluatedat evaldate
    evaluationdate submittedat submissiondate submissiontime updatedat ts
""")

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|mär(?:z)?|mai|okt(?:ober)?|"
    r"dez(?:ember)?)\.?"
)
_UNIT = r"(?:w|week|wk|kw|woche|day|month|sprint|night|nightly|build|release|version|ver)"
_MARK = r"(?:[-.]?(?:rc|alpha|beta|dev|a|b)[-.]?\d*)?"
_TIME = (
    r"(?:(?:nightly|night|eval|run|daily|weekly|on|as of)[-_ :]*)?(?:"
    r"\d{4}([-/._])\d{1,2}(?:\1\d{1,2})?(?:[t _]\d{1,2}[:h.]?\d{2}.*)?|20\d{6}"
    r"|\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d{2})?|\d{1,2}/\d{1,2}"
    rf"|{_MONTH}[-_ ]?\d{{0,2}},?(?:[-_ ]?\d{{4}})?"
    rf"|\d{{1,2}}\.?[-_ ]?{_MONTH}(?:[-_ ,]+\d{{2,4}})?"
    r"|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
    rf"|(?:\d{{4}}[-_ ]?)?{_UNIT}[-_ .#]?\d+(?:\.\d+)*|\d{{4}}[-_ ]?q[1-4]|q[1-4][-_ ]\d{{4}}"
    rf"|v\d+(?:\.\d+)*{_MARK}|\d+\.\d+\.\d+{_MARK}"
    r"|nightly|yesterday|today|(?:last|this|previous|prev|current) (?:week|month|night|release|run)"
    r")"
)  # fmt: skip
_BEHIND = r"(?P<name>.+?)[-_ (@:]+(?:\d{4}([-/._]?)\d{2}\2\d{2}|(?:week|day|night|wk)[-_ ]?\d+)\)?"


def without_time(name: str) -> str | None:
    """A name without the date, week or version in it; None where there is none.

    Examples
    --------
    >>> without_time("2026-11-10"), without_time("Nov 10"), without_time("v1.2")
    ('', '', '')
    >>> without_time("acc 2026-11-10"), without_time("math_week3")
    ('acc', 'math')
    >>> without_time("2024"), without_time("AIME 2024"), without_time("Mars"), without_time("vqa")
    (None, None, None, None)
    """
    if re.fullmatch(_TIME, name.strip(), re.I):
        return ""
    found = re.fullmatch(_BEHIND, name.strip(), re.I)
    return found["name"] if found else None


def are_times(names: Collection[str]) -> bool:
    """Whether names tell times of one thing, or of a few, apart; each has two times at least.

    Examples
    --------
    >>> are_times(["2026-11-10", "2026-11-11"]), are_times(["2026-11-10"])
    (True, False)
    >>> are_times(["math week 1", "math week 2"]), are_times(["math week 1", "law week 1"])
    (True, False)
    """
    things = Counter(map(without_time, names))
    return bool(things) and None not in things and min(things.values()) > 1


def refuse_times(source: str, names: Collection[str], one: str, tasks: str, runs: str = "") -> None:
    """Times of one evaluation are no tasks.

    Parameters
    ----------
    source : str
        The file.
    names : collection of str
        What may be tasks.
    one : str
        How to read only the last of them.
    tasks : str
        Options that read them as tasks.
    runs : str
        Options that read them as runs, where that can be.

    Raises
    ------
    DataError
        If all names are those of times.
    """
    if are_times(names):
        every = f"If all count, as runs of the same: {runs}. " if runs else ""
        raise DataError(
            f"{source}: {list_names(list(names), 3)} are dates or versions by their names, so they "
            "seem to be one evaluation, made several times, and not several tasks. More times of "
            f"the same questions say nothing about other questions. Choose one: {one}. {every}If "
            f"each has questions of its own: {tasks}."
        )

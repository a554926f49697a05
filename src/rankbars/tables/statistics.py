"""Tables of statistics: a row per model with its mean, spread and number of items, or k of n."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.asides import is_helper, likely_scores
from rankbars.tables.cells import parse_number
from rankbars.tables.columns import ROLES, fold_name, paste_columns
from rankbars.tables.database import Engine
from rankbars.tables.layouts import find_answers
from rankbars.tables.metrics import is_proportion, split_words, usual_direction
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.relations import Table
from rankbars.tables.tableheads import HEAD_ROWS, corner_names, find_numeric, find_row_numbers
from rankbars.tables.valuetables import Chunk, ValueTable

__all__ = [
    "Statistics",
    "beside_a_mean",
    "counts_wrong",
    "end_pairs",
    "kind_of_statistic",
    "take_statistics",
]

_KINDS: Mapping[str, frozenset[str]] = {
    "mean": split_words("mean means avg average"),
    "se": split_words("sem se standarderrorofthemean")
    | {fold_name(name) for name in ROLES["se"].aliases},
    "std": split_words("std stdev stddev sd standarddeviation"),
    "n": split_words("count counts nobs size n") | {fold_name(name) for name in ROLES["n"].aliases},
    "other": split_words("""
        min minimum max maximum median var variance q1 q3 iqr range sum total
        25 50 75 p25 p50 p75 p90 p95 p99 q25 q50 q75
    """),
}
_RIGHT = split_words("""
    correct ncorrect numcorrect correctcount passed npassed numpassed solved nsolved numsolved
    resolved nresolved numresolved right nright successes nsuccesses
""")
_WRONG = split_words("""
    errors nerrors numerrors errorcount failures nfailures numfailures failed nfailed numfailed
    wrong nwrong numwrong incorrect nincorrect
""")
_TOTALS = split_words("""
    total ntotal numtotal totalcount totalitems totalquestions attempted outof of requests nrequests
    numrequests calls ncalls
""")  # fmt: skip
_ROW_KEYS = ("item", "fold", "repeat", "run", "epoch", "variant")
_UNNAMED = ("", "Unnamed: 0")
# A table that names these says what it holds.
_TIDY = (frozenset({"model", "task", "score"}), frozenset({"metric", "value"}))
_MOST_ROWS = 100_000
# Numbers of folds that are usual, of several repeats together, too.
_FOLDS = frozenset({3.0, 5.0, 9.0, 10.0, 15.0, 20.0, 25.0, 30.0, 50.0, 100.0})


class Statistics(NamedTuple):
    """A table of statistics as a tidy one.

    Attributes
    ----------
    table : Table
        The table, with a column of standard errors or of shares where they were worked out.
    roles : mapping from str to str
        Columns by role.
    remark : str
        What was worked out; empty if nothing was.
    """

    table: Table
    roles: Mapping[str, str]
    remark: str


def take_statistics(table: Table, options: ReadOptions, engine: Engine) -> Statistics | None:
    """The table read as statistics of models, or None where it holds something else.

    Parameters
    ----------
    table : Table
        Any table.
    options : ReadOptions
        What the caller declares; a declared score or layout says what the table holds.
    engine : Engine
        The database that rows are put into.

    Raises
    ------
    DataError
        If there are statistics and it is not certain of what.
    """
    if (found := _over_runs(table, options, engine)) is not None:
        return found
    _refuse_spread(table, options)
    if (found := _beside_named(table, options, engine)) is not None:
        return found
    declared = options.layout not in (None, "tidy") or options.columns.get("score")
    if declared or options.metric in table.columns or len(options.metrics) > 1:
        return None
    questions = any(re.fullmatch(r"q([4-9]|\d\d+)", fold_name(one)) for one in table.columns)
    of_means = {kind_of_statistic(one) for one in table.columns} & {"mean", "std"}
    questions = questions or ("q2" in map(fold_name, table.columns) and not of_means)
    if questions or find_answers(table.columns, table.head(HEAD_ROWS)):
        return None  # q1 and q3 are questions then, no quartiles
    header = _Header.of(table)
    if header is None:
        return None
    found = _right_of_total(table, header, engine)
    found = found or _mean_with_error(table, header, engine)
    if found is None or header.names in options.columns.values():
        return found
    # The first column names the models, where nothing else says so.
    known = {fold_name(one) for one in ("task", *ROLES["task"].aliases)}
    if fold_name(header.names) in known:
        return found
    if header.names not in _UNNAMED:
        return found._replace(roles={"model": header.names, **found.roles})
    renamed = _rebuilt(found.table, {}, {header.names: "model"}, engine)
    return found._replace(table=renamed, roles={"model": "model", **found.roles})


def _over_runs(table: Table, options: ReadOptions, engine: Engine) -> Statistics | None:
    """The one score with a standard deviation and the number of runs that it is of beside it.

    The last two by their names, or as the caller named them; None where they are not there.
    """
    said = options.columns
    numbers = find_numeric(table.columns, table.head(HEAD_ROWS))
    if said.get("se") and said.get("n"):
        spreads, counts, scores = [said["se"]], [said["n"]], []
        if not numbers >= {said["se"], said["n"]} or _split_kind(said["se"])[1] != "std":
            return None
    elif {"se", "n", "ci_low", "run"} & {*said} or options.layout not in (None, "tidy"):
        return None
    else:
        plain = [name for name in table.columns if name in numbers]
        counts = [name for name in plain if fold_name(name) in _RUNS]
        kinds = {name: _kind(name) for name in plain if name not in counts}
        spreads = [name for name, kind in kinds.items() if kind == "std"]
        scores = [said["score"]] if said.get("score") else [
            name for name, kind in kinds.items()
            if kind == "mean" or (kind is None and _may_be_score(name))
        ]  # fmt: skip
        others = {"se", "n"} & {*kinds.values()}
        if [len(counts), len(spreads), len(scores)] != [1, 1, 1] or others:
            return None
    spread, runs = (_cells(table, name) for name in (spreads[0], counts[0]))
    se = [a / math.sqrt(b) if b > 1 else math.nan for a, b in zip(spread, runs, strict=True)]
    made = _rebuilt(table, {spreads[0]: se}, {}, engine)
    remark = (
        f"Standard errors are {spreads[0]!r} over the square root of {counts[0]!r}, as standard "
        "deviations over so many runs. If they are standard errors already, call the column se."
    )
    roles = dict(zip(("se", "n", "score"), (spreads[0], counts[0], *scores), strict=False))
    return Statistics(made, roles, remark)


def _may_be_score(name: str) -> bool:
    return fold_name(name) == "score" or not is_helper(name)


# How often a model was trained, or run, for the mean of a row.
_RUNS = split_words("""
    seeds nseeds numseeds numberofseeds runs nruns numruns numberofruns trials ntrials numtrials
    repeats nrepeats numrepeats repetitions replicates nreplicates
""")


def _refuse_spread(table: Table, options: ReadOptions) -> None:
    """What is called a standard deviation is no standard error."""
    name = options.columns.get("se")
    if name is None or _split_kind(name)[1] != "std":
        return
    score = options.columns.get("score", "mean")
    raise DataError(
        f"{table.source}: {name!r} is called as standard deviations are, and se is for standard "
        "errors, which are standard deviations over the square root of how many values each mean "
        f"is of. If a column beside {score!r} says how many (as count), leave se={name} out, or "
        f"name it, too (--column n=NAME): they are worked out. If not: frame['se'] = "
        f"frame[{name!r}] / n ** 0.5 in pandas. If the column holds standard errors, call it se."
    )


def _beside_named(table: Table, options: ReadOptions, engine: Engine) -> Statistics | None:
    """A mean that the caller named, with the standard deviation and count that are called alike."""
    score = options.columns.get("score")
    if not score or score not in table.columns or {"se", "n", "ci_low"} & {*options.columns}:
        return None
    stem, kind = _split_kind(score)
    if kind != "mean" or options.layout not in (None, "tidy"):
        return None
    alike = [name for name in table.columns if _split_kind(name)[0] == stem]
    spread, n = ([name for name in alike if _split_kind(name)[1] == one] for one in ("std", "n"))
    if len(spread) != 1 or len(n) != 1:
        return None
    return _with_errors(table, {"score": score, "n": n[0]}, spread[0], engine)


def _split_kind(name: str) -> tuple[str, str | None]:
    """A name without the statistic at its end, and which that is."""
    words = re.findall(r"[^\W_]+", name.casefold())
    kind = kind_of_statistic(words[-1]) if words else None
    return " ".join(words[:-1]), kind


class _Header(NamedTuple):
    """Columns of numbers by what they say; those that describe a model are in none."""

    names: str
    kinds: Mapping[str, list[str]]
    scores: list[str]
    numeric: list[str]

    @classmethod
    def of(cls, table: Table) -> _Header | None:
        """None where rows are not models or tasks."""
        folded = {fold_name(name) for name in table.columns}
        keys = {fold_name(name) for role in _ROW_KEYS for name in (role, *ROLES[role].aliases)}
        if folded & keys or folded & {"id", "taskid"} or any(folded >= one for one in _TIDY):
            return None
        numbers = find_numeric(table.columns, table.head(HEAD_ROWS))
        aside = find_row_numbers(table.columns, numbers)
        words = [name for name in table.columns if name not in numbers]
        rows = [
            name
            for role in ("model", "task")
            for name in words
            if fold_name(name) in corner_names(role) or name in (*_UNNAMED, "row names")
        ]
        if not rows:
            return None
        intervals = {fold_name(name) for role in ("ci_low", "ci_high", "ci_level", "weight")
                     for name in (role, *ROLES[role].aliases)}  # fmt: skip
        kinds: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        scores, numeric = [], []
        for name in table.columns:
            if name not in numbers or name in aside or fold_name(name) in intervals:
                continue
            numeric.append(name)
            kind = _kind(name)
            if kind is not None:
                kinds[kind].append(name)
            elif fold_name(name) == "score" or not is_helper(name):
                scores.append(name)
        return cls(rows[0], kinds, scores, numeric)


def kind_of_statistic(name: str) -> str | None:
    """Which statistic a name is that of, by itself.

    Examples
    --------
    >>> kind_of_statistic("SD"), kind_of_statistic("25%"), kind_of_statistic("math")
    ('std', 'other', None)
    """
    return next((kind for kind, known in _KINDS.items() if fold_name(name) in known), None)


def _kind(name: str) -> str | None:
    """Which statistic a name is that of, by itself or beside the name of a score.

    >>> _kind("sem"), _kind("avg_score"), _kind("accuracy_std"), _kind("gsm8k")
    ('se', 'mean', 'std', None)
    """
    folded = fold_name(name)
    words = re.findall(r"[^\W_]+", name.casefold())
    for kind, known in _KINDS.items():
        if folded in known:
            return kind
    for kind, known in _KINDS.items():
        for size in (2, 1):
            ends = ((words[:size], words[size:]), (words[-size:], words[:-size]))
            if any("".join(one) in known and _is_score(rest) for one, rest in ends):
                return kind
    return None


def _is_score(words: Sequence[str]) -> bool:
    text = " ".join(words)
    named = {fold_name(name) for name in ("score", *ROLES["score"].aliases)}
    return bool(text) and (fold_name(text) in named or usual_direction(text) is not None)


def counts_wrong(columns: Sequence[str]) -> bool:
    """Whether columns say how many of how many went wrong, and none says how many went right.

    >>> counts_wrong(["model", "requests", "errors"]), counts_wrong(["model", "errors"])
    (True, False)
    """
    folded = {fold_name(name) for name in columns}
    return bool(folded & _WRONG and folded & _TOTALS) and not folded & _RIGHT


def _right_of_total(table: Table, header: _Header, engine: Engine) -> Statistics | None:
    """How many of how many: the score is their share."""
    right = [name for name in header.numeric if fold_name(name) in _RIGHT]
    wrong = [name for name in header.numeric if fold_name(name) in _WRONG]
    right = right or wrong
    totals = [name for name in header.numeric if fold_name(name) in _TOTALS]
    totals = totals or header.kinds["n"]
    if len(right) != 1 or len(totals) != 1 or header.kinds["se"]:
        return None
    k, n = (_cells(table, name) for name in (right[0], totals[0]))
    pairs = [(a, b) for a, b in zip(k, n, strict=True) if not math.isnan(a + b)]
    roles = {"score": right[0], "n": totals[0]}
    if not pairs or max(a for a, _ in pairs) <= 1.0:
        shares = any(a != math.floor(a) for a, _ in pairs)
        return Statistics(table, roles, "") if shares else None
    if any(a != math.floor(a) for a, _ in pairs):
        return Statistics(table, roles, "")  # percentages
    paste = paste_columns(roles)
    if any(a > b or a < 0 for a, b in pairs):
        raise DataError(
            f"{table.source}: {right[0]!r} holds whole numbers, and some are greater than "
            f"{totals[0]!r} beside them, so they are no counts of it. If they are percentages: "
            f"{paste}; if {totals[0]!r} is something else, leave that column out."
        )
    certain = fold_name(totals[0]) in _TOTALS or max(a for a, _ in pairs) > 100.0
    if not certain and any(b != 100.0 for _, b in pairs):
        raise DataError(
            f"{table.source}: {right[0]!r} holds whole numbers up to {max(k):g}: percentages, or "
            f"how many of {totals[0]!r} are right. If they are percentages: {paste}. If they are "
            f"counts, call the column {totals[0]!r} total."
        )
    share = [a / b if b else math.nan for a, b in zip(k, n, strict=True)]
    name = right[0] if is_proportion(right[0]) else "correct"
    if right == wrong:
        share = [1.0 - one for one in share]
    made = _rebuilt(table, {right[0]: share}, {right[0]: name}, engine)
    remark = f"The score is {right[0]!r} of {totals[0]!r}, as a share."
    if right == wrong:
        remark = f"The score is the share of {totals[0]!r} that are not among the {right[0]!r}."
    return Statistics(made, {"score": name, "n": totals[0]}, remark)


def _mean_with_error(table: Table, header: _Header, engine: Engine) -> Statistics | None:
    means, kinds, scores = header.kinds["mean"], header.kinds, header.scores
    candidates = sorted([*means, *scores], key=lambda name: not _is_score([name]))
    likely = likely_scores(header.numeric) or header.numeric
    telling = _telling(header)
    if not telling and (scores or len(means) != 1):
        return None
    if not scores and len(means) == 1:
        score = means[0]
    elif not means and len(scores) == 1 and len(kinds["se"]) < 2:
        if _is_read_already(scores[0], header):
            return None
        score = scores[0]
    elif not candidates and len(header.numeric) < 2:
        return None
    else:
        raise DataError(_ask(table, header, candidates or likely))
    for role in ("se", "n"):
        if len(kinds[role]) > 1:
            raise DataError(_ask(table, header, [score]))
    roles = {"score": score} | {role: kinds[role][0] for role in ("se", "n") if kinds[role]}
    if "se" in roles or "n" not in roles or len(kinds["std"]) != 1 or is_proportion(score):
        return Statistics(table, roles, "")
    return _with_errors(table, roles, kinds["std"][0], engine)


def _with_errors(table: Table, roles: Mapping[str, str], std: str, engine: Engine) -> Statistics:
    """The table with standard errors, of standard deviations and numbers of values."""
    spread, n = (_cells(table, name) for name in (std, roles["n"]))
    se = [a / math.sqrt(b) if b > 0 else math.nan for a, b in zip(spread, n, strict=True)]
    remark = f"Standard errors are {std!r} over the square root of {roles['n']!r}."
    if set(n) <= _FOLDS:
        shown = " or ".join(f"{number:g}" for number in sorted(set(n)))
        remark += (
            f" Are these {shown} the folds of cross-validation? They share their data, so these "
            "errors are too small: give the scores of the folds (model, fold, score) instead."
        )
    return Statistics(_rebuilt(table, {"se": se}, {}, engine), {**roles, "se": "se"}, remark)


def _telling(header: _Header) -> bool:
    """Whether a column is a statistic that never is a task, and that no other way takes."""
    taken = {fold_name(name) for role in ("n",) for name in (role, *ROLES[role].aliases)}
    tasks_beside = split_words("total median sum range size")
    return any(
        fold_name(name) not in taken | tasks_beside
        for kind in ("se", "n", "other")
        for name in header.kinds[kind]
        if fold_name(name) in _KINDS[kind]
    ) or bool(header.kinds["std"] and header.kinds["n"])


def _is_read_already(score: str, header: _Header) -> bool:
    """Whether a tidy table of this score says all of it with the usual names."""
    usual = {fold_name(name) for role in ("se", "n") for name in (role, *ROLES[role].aliases)}
    named = _is_score(re.findall(r"[^\W_]+", score.casefold()))
    numbers = [name for kind in ("se", "n") for name in header.kinds[kind]]
    plain = all(fold_name(name) in usual for name in numbers)
    worked_out = header.kinds["std"] and header.kinds["n"] and not header.kinds["se"]
    return (
        named and plain and not header.kinds["other"] and (not worked_out or is_proportion(score))
    )


def _ask(table: Table, header: _Header, candidates: Sequence[str]) -> str:
    """The question which column is the score, with the line to paste."""
    statistics = [name for names in header.kinds.values() for name in names]
    roles = {"score": candidates[0]}
    roles |= {role: header.kinds[role][0] for role in ("se", "n") if header.kinds[role]}
    matrix = ""
    if header.scores:
        lines = " ".join(f"--metric {shlex.quote(name)}" for name in header.scores)
        shown = list_names(header.scores, 6)
        matrix = f" If each of {shown} is a task: --layout models-by-tasks {lines}."
        if len(header.scores) == 1:
            matrix = ""
    return (
        f"{table.source}: {list_names(statistics, 6)}: statistics, and it is not certain "
        f"which column is the score ({list_names(candidates, 6)}). Name it, and what goes "
        f"with it: {paste_columns(roles)} (in Python: columns={roles!r}).{matrix}"
    )


def _cells(table: Table, name: str) -> list[float]:
    place = table.columns.index(name)
    return [_number(row[place]) for row in _rows(table)]


def _number(cell: object) -> float:
    if isinstance(cell, str):
        value = parse_number(cell)
        value = parse_number(cell, ",") if value is None else value
        return math.nan if value is None else value
    return math.nan if cell is None else float(cell)  # type: ignore[arg-type]  # a number


def _rows(table: Table) -> list[tuple[object, ...]]:
    rows = table.head(_MOST_ROWS + 1)
    if len(rows) > _MOST_ROWS:
        raise DataError(
            f"{table.source}: a table of statistics has at most {_MOST_ROWS} rows. Name its "
            "columns, such as --column score=mean."
        )
    return rows


def _rebuilt(
    table: Table, columns: Mapping[str, Sequence[object]], renamed: Mapping[str, str],
    engine: Engine,
) -> ValueTable:  # fmt: skip
    """The table with other cells in some `columns`, and some of them `renamed`."""
    rows = _rows(table)
    data: dict[str, Sequence[object]] = {
        name: [row[place] for row in rows] for place, name in enumerate(table.columns)
    }
    data |= columns
    data = {renamed.get(name, name): cells for name, cells in data.items()}

    def read_chunks(wanted: Collection[str]) -> Iterator[Chunk]:
        yield {name: data[name] for name in wanted}

    return ValueTable(table.source, tuple(data), read_chunks, table.header_rows, engine)


def beside_a_mean(names: Sequence[str]) -> list[str]:
    """Columns called SD or SE, and nothing else, where another is called the mean.

    >>> beside_a_mean(["math", "law", "Mean", "SD"]), beside_a_mean(["en", "se", "sd"])
    (['SD'], [])
    """
    kinds = {name: kind_of_statistic(name) for name in names}
    if "mean" not in kinds.values():
        return []
    return [name for name, kind in kinds.items() if kind in ("std", "se")]


def end_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Names that are alike but for a word or a share of the lower and the upper end.

    Examples
    --------
    >>> end_pairs(["rating", "rating_q025", "rating_q975", "95% CI (lower)", "95% CI (upper)"])
    [('rating_q025', 'rating_q975'), ('95% CI (lower)', '95% CI (upper)')]
    >>> end_pairs(["low", "high", "math_low", "law_high", "top1", "top5"])
    [('low', 'high')]
    """
    high: dict[object, list[str]] = {}
    low: list[tuple[str, object]] = []
    for name in names:
        words = _WORDS.findall(name.casefold())
        for place, word in enumerate(words):
            rest = (*words[:place], None, *words[place + 1 :])
            for kind, end in _low_ends(word):
                low.append((name, (rest, kind, end)))
            for kind, end in _high_ends(word):
                high.setdefault((rest, kind, end), []).append(name)
    return [(one, two) for one, key in low for two in high.get(key, ())]


def _low_ends(word: str) -> list[tuple[str, object]]:
    """What stands at the upper end where this stands at the lower: a word, or the rest of 1."""
    if not word[0].isdecimal():
        return [("word", _LOW[word])] if word in _LOW else []
    kind = "share" if word[0] == "0" and "." not in word else "percent"
    share = dict(_shares(word))[kind]
    return [(kind, round(1.0 - share, _DIGITS))] if share < 0.5 else []


def _high_ends(word: str) -> list[tuple[str, object]]:
    if not word[0].isdecimal():
        return [("word", word)] if word in _LOW.values() else []
    return [(kind, round(share, _DIGITS)) for kind, share in _shares(word)]


def _shares(word: str) -> list[tuple[str, float]]:
    """Digits behind a point, as 975 of 0.975, and in per cent."""
    percent = ("percent", float(word) / 100.0)
    return [percent] if "." in word else [percent, ("share", float(f".{word}"))]


_WORDS = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
_DIGITS = 9
_LOW = {"lower": "upper", "low": "high", "lo": "hi", "lb": "ub", "lwr": "upr"}

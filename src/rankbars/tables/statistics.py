"""Tables of statistics: a row per model with its mean, spread and number of items, or k of n."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.asides import is_helper, likely_scores
from rankbars.tables.cells import read_number
from rankbars.tables.columns import fold_name, paste_columns, paste_names, role_names
from rankbars.tables.companions import FAILED, RIGHT, STATISTICS, TOTALS, WRONG, kind_of_statistic
from rankbars.tables.database import Engine
from rankbars.tables.layouts import find_answers
from rankbars.tables.metrics import is_proportion, name_words, usual_direction
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tableheads import UNNAMED, Header, corner_names
from rankbars.tables.tablerows import Table
from rankbars.tables.valuetables import ValueTable, hold_cells, kept_places

__all__ = ["Statistics", "counts_answers", "take_statistics"]

# What goes with scores that are read as they stand.
_BESIDE_SCORES = ("ci_low", "ci_high", "ci_level", "weight")
_ROW_KEYS = ("item", "fold", "repeat", "run", "epoch", "variant")
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
    if options.columns or not Header.of(table).folded.isdisjoint(_RUNS):
        if (found := _over_runs(table, options, engine)) is not None:
            return found
        _refuse_spread(table, options)
        if (found := _beside_named(table, options, engine)) is not None:
            return found
    score = options.columns.get("score") or (
        options.metric if options.metric in table.columns else None
    )
    # A count that the caller names is a share of the total beside it, too.
    declared = score and fold_name(score) not in RIGHT
    if declared or options.layout not in (None, "tidy") or len(options.metrics) > 1:
        return None
    said = {role: name for role, name in options.columns.items() if name}
    named = [] if said.keys() & {*_ROW_KEYS} else [
        said[role] for role in ("model", "task") if role in said
    ]  # fmt: skip
    header = _Numbers.of(table, named)
    if header is None:
        return None
    questions = any(re.fullmatch(r"q([4-9]|\d\d+)", fold_name(one)) for one in table.columns)
    of_means = {kind_of_statistic(one) for one in table.columns} & {"mean", "std"}
    questions = questions or ("q2" in map(fold_name, table.columns) and not of_means)
    if questions or find_answers(Header.of(table)):
        return None  # q1 and q3 are questions then, no quartiles
    found = _right_of_total(table, header, engine, said.get("n"))
    if score or (found is not None and named):
        return found
    found = found or (None if named else _mean_with_error(table, header, engine))
    if found is None or header.names in options.columns.values():
        return found
    # The first column names the models, where nothing else says so.
    if fold_name(header.names) in role_names("task"):
        return found
    if header.names not in UNNAMED:
        return found._replace(roles={"model": header.names, **found.roles})
    renamed = _rebuilt(found.table, {}, {header.names: "model"}, engine)
    return found._replace(table=renamed, roles={"model": "model", **found.roles})


def _over_runs(table: Table, options: ReadOptions, engine: Engine) -> Statistics | None:
    """The one score with a standard deviation and the number of runs that it is of beside it.

    The last two by their names, or as the caller named them; None where they are not there.
    """
    said = options.columns
    numbers = Header.of(table).numbers
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
    se = _errors_of_means(table, spreads[0], counts[0], fewest=2)
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
    words = name_words(name)
    kind = kind_of_statistic(words[-1]) if words else None
    return " ".join(words[:-1]), kind


class _Numbers(NamedTuple):
    """Columns of numbers by what they say; those that describe a model are in none."""

    names: str
    kinds: Mapping[str, list[str]]
    scores: list[str]
    numeric: list[str]

    @classmethod
    def of(cls, table: Table, named: Sequence[str]) -> _Numbers | None:
        """None where rows are not models or tasks, by their names or as the caller `named` them."""
        header = Header.of(table)
        if any(map(header.has, _ROW_KEYS)) or header.folded & {"id", "taskid"}:
            return None
        rows = [
            name
            for role in ("model", "task")
            for name in table.columns
            if name not in header.numbers
            and (fold_name(name) in corner_names(role) or name in (*UNNAMED, "row names"))
        ]
        rows = [*named, *rows]
        if not rows or any(header.folded >= one for one in _TIDY):
            return None
        beside = frozenset().union(*map(role_names, _BESIDE_SCORES))
        numeric = [
            name for name in table.columns
            if name in header.numbers - header.row_numbers and fold_name(name) not in beside
        ]  # fmt: skip
        kind_of = {name: _kind(name) for name in numeric}
        kinds = {kind: [name for name in numeric if kind_of[name] == kind] for kind in STATISTICS}
        scores = [name for name in numeric if kind_of[name] is None and _may_be_score(name)]
        return cls(rows[0], kinds, scores, numeric)


def _kind(name: str) -> str | None:
    """Which statistic a name is that of, by itself or beside the name of a score.

    >>> _kind("sem"), _kind("avg_score"), _kind("accuracy_std"), _kind("gsm8k")
    ('se', 'mean', 'std', None)
    """
    if (plain := kind_of_statistic(name)) is not None:
        return plain
    words = name_words(name)
    for kind, known in STATISTICS.items():
        for size in (2, 1):
            ends = ((words[:size], words[size:]), (words[-size:], words[:-size]))
            if any("".join(one) in known and _is_score(rest) for one, rest in ends):
                return kind
    return None


def _is_score(words: Sequence[str]) -> bool:
    text = " ".join(words)
    named = fold_name(text) in role_names("score")
    return bool(text) and (named or usual_direction(text) is not None)


def counts_answers(columns: Sequence[str]) -> bool:
    """Whether columns say how many of how many went right or wrong.

    >>> counts_answers(["model", "requests", "errors"]), counts_answers(["model", "errors"])
    (True, False)
    """
    folded = {fold_name(name) for name in columns}
    return bool(folded & (RIGHT | WRONG) and folded & TOTALS)


def _right_of_total(
    table: Table, header: _Numbers, engine: Engine, total: str | None
) -> Statistics | None:
    """How many of how many: the score is their share. The `total` is one that the caller named."""
    right = [name for name in header.numeric if fold_name(name) in RIGHT]
    wrong = [name for name in header.numeric if fold_name(name) in WRONG]
    right = right or wrong
    totals = [name for name in header.numeric if fold_name(name) in TOTALS]
    others = [name for name in header.kinds["n"] if name not in right]
    totals = [total] if total else totals or others
    if right != wrong and not totals and len(right) == 1 and len(wrong) == 1:
        return _right_and_failed(table, right[0], wrong[0], engine)
    if not total and not (right and totals) and counts_answers(table.columns):
        wrong = _by_name(table, WRONG)
        right, totals = _by_name(table, RIGHT) or wrong, _by_name(table, TOTALS)
    if len(right) != 1 or len(totals) != 1 or header.kinds["se"]:
        return None
    k, n = (_cells(table, name) for name in (right[0], totals[0]))
    roles = {"score": right[0], "n": totals[0]}
    if _is_spoilt(table, [right[0], totals[0]]):
        return Statistics(table, roles, "")  # whoever reads the rows names the cell
    pairs = _pairs(table, k, n)
    most = max((a for a, _ in pairs), default=0.0)
    if most <= 1.0:
        shares = any(not a.is_integer() for a, _ in pairs)
        return Statistics(table, roles, "") if shares else None
    if any(not a.is_integer() for a, _ in pairs):
        return Statistics(table, roles, "")  # percentages
    paste = paste_columns(roles)
    beyond = any(a > b or a < 0 for a, b in pairs)
    certain = fold_name(totals[0]) in TOTALS or most > 100.0
    if total and (beyond or not certain):
        return None  # percentages, as the caller was told to name them
    if beyond:
        raise DataError(
            f"{table.source}: {right[0]!r} holds whole numbers, and some are greater than "
            f"{totals[0]!r} beside them, so they are no counts of it. If they are percentages: "
            f"{paste}; if {totals[0]!r} is something else, leave that column out."
        )
    if not certain and any(b != 100.0 for _, b in pairs):
        raise DataError(
            f"{table.source}: {right[0]!r} holds whole numbers up to {most:g}: percentages, or "
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


def _pairs(table: Table, one: list[float], other: list[float]) -> list[tuple[float, float]]:
    """Numbers beside each other, in rows that count and have both."""
    kept = kept_places(table, len(one))
    return [(one[at], other[at]) for at in kept if not math.isnan(one[at] + other[at])]


def _is_spoilt(table: Table, names: Sequence[str]) -> bool:
    """Whether a cell that counts holds something else than a number, or an infinite one."""
    held = _hold(table)
    kept = kept_places(table, len(held[names[0]]))
    numbers = (read_number(held[name][at]) for name in names for at in kept)
    return any(number is None or math.isinf(number) for number in numbers)


def _by_name(table: Table, words: frozenset[str]) -> list[str]:
    """Columns with one of these names that hold numbers, but for a few cells."""
    named = [name for name in table.columns if fold_name(name) in words]
    cells = {name: _cells(table, name) for name in named}
    return [name for name in named if 2 * sum(map(math.isnan, cells[name])) < len(cells[name])]


def _right_and_failed(table: Table, right: str, failed: str, engine: Engine) -> Statistics | None:
    """How many passed and how many failed: the score is the share of both that passed."""
    if fold_name(failed) not in FAILED:
        return None  # an error may be neither
    k, other = _cells(table, right), _cells(table, failed)
    pairs = _pairs(table, k, other)
    if not pairs or any(not one.is_integer() or one < 0 for pair in pairs for one in pair):
        return None
    if max(a + b for a, b in pairs) <= 1.0:
        return None  # single answers
    n = [a + b for a, b in zip(k, other, strict=True)]
    share = [a / b if b else math.nan for a, b in zip(k, n, strict=True)]
    made = _rebuilt(table, {right: share, failed: n}, {right: "correct", failed: "n"}, engine)
    remark = f"The score is {right!r} of {right!r} and {failed!r} together, as a share."
    return Statistics(made, {"score": "correct", "n": "n"}, remark)


def _mean_with_error(table: Table, header: _Numbers, engine: Engine) -> Statistics | None:
    means, kinds, scores = header.kinds["mean"], header.kinds, header.scores
    candidates = sorted([*means, *scores], key=lambda name: not _is_score([name]))
    likely = likely_scores(header.numeric) or header.numeric
    telling = _telling(header)
    if not candidates and (kinds["se"] or kinds["std"]):
        _refuse_spoilt_mean(table, header)
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


def _refuse_spoilt_mean(table: Table, header: _Numbers) -> None:
    """Name the cell that keeps a column called mean from being one of numbers."""
    text = [name for name in table.columns if name not in header.numeric]
    for name in text:
        if kind_of_statistic(name) != "mean":
            continue
        cells = _hold(table)[name]
        spoilt = [at for at, cell in enumerate(cells) if read_number(cell) is None]
        if 0 < 2 * len(spoilt) < len(cells):
            row = table.header_rows + 1 + spoilt[0]
            raise DataError(
                f"{table.source}, row {row}: {cells[spoilt[0]]!r} in column {name!r} is not a "
                "number. Correct the cell, or remove the row."
            )


def _with_errors(table: Table, roles: Mapping[str, str], std: str, engine: Engine) -> Statistics:
    """The table with standard errors, of standard deviations and numbers of values."""
    n = _cells(table, roles["n"])
    se = _errors_of_means(table, std, roles["n"], fewest=1)
    remark = f"Standard errors are {std!r} over the square root of {roles['n']!r}."
    if set(n) <= _FOLDS:
        shown = " or ".join(f"{number:g}" for number in sorted(set(n)))
        remark += (
            f" Are these {shown} the folds of cross-validation? They share their data, so these "
            "errors are too small: give the scores of the folds (model, fold, score) instead."
        )
    return Statistics(_rebuilt(table, {"se": se}, {}, engine), {**roles, "se": "se"}, remark)


def _errors_of_means(table: Table, std: str, n: str, *, fewest: int) -> list[float]:
    """Standard errors of means, of the deviations and numbers of their values; NaN for too few."""
    both = zip(_cells(table, std), _cells(table, n), strict=True)
    return [spread / math.sqrt(many) if many >= fewest else math.nan for spread, many in both]


def _telling(header: _Numbers) -> bool:
    """Whether a column is a statistic that never is a task, and that no other way takes."""
    taken = role_names("n") | split_words("total median sum range size")
    return any(
        fold_name(name) not in taken
        for kind in ("se", "n", "other")
        for name in header.kinds[kind]
        if fold_name(name) in STATISTICS[kind]
    ) or bool(header.kinds["std"] and header.kinds["n"])


def _is_read_already(score: str, header: _Numbers) -> bool:
    """Whether a tidy table of this score says all of it with the usual names."""
    kinds = header.kinds
    usual = role_names("se") | role_names("n")
    plain = all(fold_name(name) in usual for name in (*kinds["se"], *kinds["n"]))
    worked_out = kinds["std"] and kinds["n"] and not kinds["se"]
    named = _is_score(name_words(score)) and (not worked_out or is_proportion(score))
    return named and plain and not kinds["other"]


def _ask(table: Table, header: _Numbers, candidates: Sequence[str]) -> str:
    """The question which column is the score, with the line to paste."""
    statistics = [name for names in header.kinds.values() for name in names]
    roles = {"score": candidates[0]}
    roles |= {role: header.kinds[role][0] for role in ("se", "n") if header.kinds[role]}
    matrix = ""
    if len(header.scores) > 1:
        lines = paste_names("--metric", header.scores)
        shown = list_names(header.scores, 6)
        matrix = f" If each of {shown} is a task: --layout models-by-tasks {lines}."
    return (
        f"{table.source}: {list_names(statistics, 6)}: statistics, and it is not certain "
        f"which column is the score ({list_names(candidates, 6)}). Name it, and what goes "
        f"with it: {paste_columns(roles)} (in Python: columns={roles!r}).{matrix}"
    )


def _cells(table: Table, name: str) -> list[float]:
    numbers = map(read_number, _hold(table)[name])
    return [math.nan if number is None else number for number in numbers]


def _hold(table: Table) -> dict[str, list[object]]:
    refusal = (
        f"a table of statistics has at most {_MOST_ROWS} rows. Name its columns, such as --column "
        "score=mean."
    )
    return hold_cells(table, _MOST_ROWS, refusal)


def _rebuilt(
    table: Table, columns: Mapping[str, Sequence[object]], renamed: Mapping[str, str],
    engine: Engine,
) -> ValueTable:  # fmt: skip
    """The table with other cells in some `columns`, and some of them `renamed`."""
    data = {**_hold(table), **columns}
    data = {renamed.get(name, name): cells for name, cells in data.items()}
    return ValueTable.of(table, data, engine)

"""What columns seem to be where their names do not say it, by what they hold.

It is asked, with the lines to paste; only a column of outcomes, such as pass and fail, is taken for
the score unasked, where other names leave no doubt.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from rankbars.errors import DataError
from rankbars.tables.asides import is_attribute, likely_scores
from rankbars.tables.columns import fold_name, names_source, role_names
from rankbars.tables.metrics import name_words, usual_direction
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.runnames import TIMES, are_times
from rankbars.tables.scoresides import tells_score
from rankbars.tables.tableheads import Header
from rankbars.tables.tablerows import Table
from rankbars.tables.votes.votecolumns import OTHERS
from rankbars.tables.words import LABELLED

__all__ = [
    "COMPARED",
    "MOST_TASKS",
    "RATERS",
    "SENDERS",
    "describe_lists",
    "find_outcome",
    "is_compared",
    "likely_roles",
    "names_for",
    "refuse_lists",
    "roles_of",
    "submitted",
    "with_outcome",
]

# Rows looked at where the first few say nothing.
_MOST_ROWS = 5000

# What is compared, and what it is compared on, by the names of columns.
COMPARED = split_words("""
    algo algorithm optimizer optimiser backend engine quant quantization quantisation dtype branch
    variant build version release commit revision arm policy strategy approach solver technique
    pipeline retriever reranker embedder tokenizer adapter candidate submission team player bot
    teamname squad configuration config setup setting experiment flow learner modality treatment
    parameters params hyperparameters hyperparams hparams
""")
_VERSIONS = split_words("version build release revision commit")
_HAVE_VERSIONS = COMPARED | {"prompt", "template", "instruction", "rubric", "bot"}
_ON = split_words("""
    env environment game suite domain scenario endpoint language lang category
""")
_MODEL = re.compile(r"(?i)model|modèl|モデル|模型|модел")
_MOST_MODELS = 50
MOST_TASKS = 30  # names beside a model that may be tasks; more are items

# Columns of these names say who gave a score.
RATERS = OTHERS["judge"] | split_words("""
    reviewer reviewerid listener listenerid reader readerid radiologist juror panelist panellist
    assessor taster referee expert grader graderid
""")

# Who sends what is rated, the widest first.
SENDERS = (
    "user", "userid", "customer", "customerid", "account", "accountid", "client", "clientid",
    "visitor", "visitorid", "device", "deviceid", "session", "sessionid", "conversation",
    "conversationid", "thread", "threadid", "chat", "chatid",
)  # fmt: skip


def find_outcome(table: Table, named: Mapping[str, str] = MappingProxyType({})) -> dict[str, str]:
    """The column of outcomes as the score, where models or items are known and no score is.

    Known by their names, or because the caller `named` them.
    """
    header = Header.of(table)
    outcome = _outcome(header)
    if outcome is None:
        return {}
    if named.get("model") or named.get("item"):
        return {"score": outcome}
    roles = likely_roles(table)
    models = [name for name in header.columns if _is_called(name, "model")]
    several = bool(models) and not header.is_different(models[0])
    if several or (header.has("item", weak=True) and not models and "model" not in roles):
        return {"score": outcome}
    tests = fold_name(roles.get("item", "")) in _TESTS and "model" not in roles
    return {"item": roles["item"], "score": outcome} if tests else {}


def with_outcome(table: Table, options: ReadOptions) -> ReadOptions:
    """The options with the column of outcomes as the score, where none is named."""
    told = options.metrics or options.layout not in (None, "tidy") or "score" in options.columns
    if told or not Header.of(table).outcomes:
        return options
    return replace(options, columns={**find_outcome(table, options.columns), **options.columns})


_TESTS = split_words("test tests")

# What amounts are measured of, where a column numbers it.
_ASKED = split_words("prompt question request query call")


def _outcome(header: Header) -> str | None:
    """The one column of words for how something ended, beside none that is called a score."""
    rated = any(usual_direction(name) == "higher" for name in header.numeric - header.outcomes)
    known = rated or header.has("score", weak=True)
    return next(iter(header.outcomes)) if len(header.outcomes) == 1 and not known else None


def likely_roles(table: Table) -> dict[str, str]:
    """Roles that columns of a tidy table seem to play; empty if they do not tell rows apart.

    Without a model it is a file of one: a column names its rows, each with a name of its own.
    """
    return roles_of(Header(table.columns, table.head(_MOST_ROWS)))


def submitted(header: Header) -> bool:
    """Whether rows are what was submitted at several times, of which the newest may count.

    Examples
    --------
    >>> submitted(Header(["TeamName", "SubmissionDate", "Score"], [("ash", "2026-03-01", 0.8)]))
    True
    """
    return any("submi" in name.casefold() and fold_name(name) in TIMES for name in header.columns)


def names_for(rows: Sequence[Sequence[object]]) -> list[str]:
    """Names for the columns of rows that have no header: the roles they seem to play.

    Examples
    --------
    >>> names_for([(m, f"q{n}", 0.1 * n) for m in ("a", "b") for n in range(40)])
    ['model', 'item', 'score']
    """
    columns = [f"column{k + 1}" for k in range(max(map(len, rows)))]
    even = [(*row, *[None] * (len(columns) - len(row))) for row in rows]
    roles = roles_of(Header(columns, even))
    called = {name: role for role, name in roles.items()}
    return [called.get(name, name) for name in columns]


def roles_of(header: Header) -> dict[str, str]:
    """As `likely_roles`, of a table of which the first rows are known."""
    rows = header.rows
    score = _outcome(header) or _likely_score(header) or _graded(header) or _worded(header)
    if score is None or len(rows) < 2 or len(header.outcomes) > 1:
        return {}
    cells = {name: list(map(str, own)) for name, own in header.cells.items()}
    different = {name: len(set(own)) for name, own in cells.items()}
    named = _called(header, score)
    compared = set(filter(is_compared, header.columns))
    times = [name for name in header.columns
             if name not in {*named, *compared} and are_times(cells[name])]  # fmt: skip
    free = [
        name for name in header.columns
        if name not in (score, *named, *times) and name and not is_attribute(name)
        and (name not in header.numeric or fold_name(name) in COMPARED | RATERS)
    ]  # fmt: skip
    keys = [*(name for name, role in named.items() if role != "model"), *times, *free]
    models = [name for name, role in named.items() if role == "model"] or _few_names(
        cells, [name for name in free if not tells_score(cells[name], cells[score])], keys
    )
    if not models:
        return _of_one_model(score, different, [*named, *free], len(rows))
    roles = {"model": models[0]}
    roles |= {role: name for name, role in reversed(named.items()) if role != "model"}
    rest = [
        name
        for name in free
        if name != models[0]
        and different[name] > 1
        and len({*zip(cells[models[0]], cells[name], strict=True)}) > different[models[0]]
    ]  # what a model has one of tells none of its rows apart
    if sender := _sender(cells, models[0], [*rest, *roles.values()]):
        return {"model": models[0], "cluster": sender, "score": score}
    known = [name for name in rest if fold_name(name) in _ON]
    if known and "task" not in roles:
        roles["task"] = known[0]
        rest.remove(known[0])
    if "run" in roles and "task" not in roles and header.is_different(roles["run"]):
        # Each row has a number of its own, and what was run on what is said beside it.
        crossed = [name for name in rest if different[name] <= MOST_TASKS
                   and _crosses(cells[models[0]], cells[name])]  # fmt: skip
        roles |= dict(zip(("task",), crossed, strict=False))
    while not header.is_different(*roles.values()):
        if times and not rest and "run" not in roles:
            roles["run"] = times[0]  # a time names a run where nothing else tells rows apart
            continue
        if not rest:
            return {}
        few = different[rest[0]] <= MOST_TASKS or fold_name(rest[0]) in _ON
        on = ("task", "item")[not few :]
        if fold_name(rest[0]) in RATERS:
            on = ("item", "task")
        role = next((one for one in on if one not in roles), None)
        if role is None:
            return {}
        roles[role] = rest.pop(0)
    again = _OF_A_MEAN & {*map(fold_name, header.columns)} or submitted(header)
    if times and roles.get("run") == times[0] and again:
        del roles["run"]  # a score that was published or submitted again is no training run
    order = ("model", "task", "item", "fold", "repeat", "run", "epoch")
    return {role: roles[role] for role in order if role in roles} | {"score": score}


# The error of a score that is a mean of answers.
_OF_A_MEAN = split_words("stderr se sem std stdev ci ci95 standarderror")


def _graded(header: Header) -> str | None:
    """The column of letters, or of numbers with words behind, that is called after grades."""
    found = [
        name for name, own in header.cells.items() if fold_name(name) in _GRADES
        and all(_GRADE.match(str(cell).strip()) for cell in own)
    ]  # fmt: skip
    return found[0] if len(found) == 1 else None


def _worded(header: Header) -> str | None:
    """The column of a few words or amounts that is not needed to tell rows apart, among texts.

    Examples
    --------
    >>> cells = [(m, q, w) for m in "ab" for q, w in zip("uvwxyz", "ggwgwg")]
    >>> _worded(Header(["wer", "was", "wie"], cells))
    'wie'
    """
    if header.numeric - header.row_numbers or len(header.columns) < 3:
        return None
    held = {name: {str(cell).strip() for cell in own if cell not in (None, "")}
            for name, own in header.cells.items()}  # fmt: skip
    amounts = [name for name, cells in held.items() if all(map(_AMOUNT.fullmatch, cells))]
    few = amounts or [name for name, cells in held.items() if 1 < len(cells) <= _MOST_WORDS]
    found = [name for name in few if name and held[name]
             and header.is_different(*(one for one in header.columns if one != name))]  # fmt: skip
    return found[0] if len(found) == 1 else None


_MOST_WORDS = 6
_AMOUNT = re.compile(r"[-+]?\d[\d.,]*\s*(?:/\s*\d+|[^\W\d]{1,8}\.?)")  # 3/20, 7 pts

_GRADE = re.compile(rf"[A-Fa-f][+-]?$|{LABELLED.pattern}")
_GRADES = split_words("grade grades mark marks rating lettergrade")


def is_compared(name: str) -> bool:
    """Whether a name says by itself that it tells apart what is compared.

    >>> is_compared("treatment_arm"), is_compared("prompt_version"), is_compared("version")
    (True, True, False)
    """
    *before, last = name_words(name) or ("",)
    if last in _VERSIONS:
        return before[-1:] != [] and before[-1] in _HAVE_VERSIONS
    return last in COMPARED or fold_name(name) in COMPARED - _VERSIONS


def _called(header: Header, score: str) -> dict[str, str]:
    """Roles of columns by their names, beside the score."""
    named = {name: role for name in header.columns if name != score
             for role in ("model", "task", "item", "fold", "repeat", "run", "epoch")
             if _is_called(name, role)}  # fmt: skip
    sources = [name for name in header.columns if names_source(name)]
    if "item" not in named.values():
        named |= dict.fromkeys(sources[:1], "item")
    if is_attribute(score):
        asked = [name for name in header.columns if fold_name(name) in _ASKED]
        counted = list(header.keys.values())
        named |= dict.fromkeys(asked[:1], "item") | dict.fromkeys(counted[:1], "epoch")
    return named


def _few_names(
    cells: Mapping[str, Sequence[str]], free: Sequence[str], keys: Sequence[str]
) -> list[str]:
    """Columns of a few names that may be those of models, the likeliest first."""
    known = {name for name in free if fold_name(name) in COMPARED or is_compared(name)}
    found = [
        name for name in free
        if 1 < len(set(cells[name])) <= min(_MOST_MODELS, len(cells[name]) / 2)
        and not _comments(name)
        and (name in known
             or any(_crosses(cells[name], cells[key]) for key in keys if key != name))
    ]  # fmt: skip
    return sorted(found, key=lambda name: (
        name not in known, fold_name(name) in RATERS or names_source(name),
        name_words(name)[-1:] == ("id",),
    ))  # fmt: skip


def _comments(name: str) -> bool:
    """Whether a name is that of what a judge or a person said of a score.

    >>> _comments("judge_reason"), _comments("explanation"), _comments("reasoning_model")
    (True, True, False)
    """
    return name_words(name)[-1:] != () and name_words(name)[-1] in _COMMENTS


_COMMENTS = split_words("""
    explanation explanations reason reasons reasoning rationale rationales justification comment
    comments note notes critique
""")


def _crosses(models: Sequence[str], keys: Sequence[str]) -> bool:
    """Whether most names of one column stand beside several of the other."""
    beside: dict[str, set[str]] = {}
    for model, key in zip(models, keys, strict=True):
        beside.setdefault(key, set()).add(model)
    return 2 * sum(len(own) > 1 for own in beside.values()) > len(beside) > 1


def _sender(cells: Mapping[str, Sequence[str]], model: str, names: Sequence[str]) -> str | None:
    """The column of those who sent rows that each model has for itself; None where there is none.

    Neither they nor items stand beside several models.
    """
    found = [name for one in SENDERS for name in names
             if fold_name(name) == one and len(set(cells[name])) < len(cells[name])]  # fmt: skip
    items = [name for name in names if _is_called(name, "item")]
    shared = any(_crosses(cells[model], cells[name]) for name in (*found[:1], *items))
    return found[0] if found and not shared else None


def _of_one_model(
    score: str, different: Mapping[str, int], keys: Sequence[str], rows: int
) -> dict[str, str]:
    """The item and the score of a file of one model; empty if no column names its rows."""
    items = [name for name in keys if different[name] == rows
             and fold_name(name) not in _SAID | RATERS]  # fmt: skip
    return {"item": items[0], "score": score} if items and rows > _FEWEST else {}


# What a model answered names no row; fewer rows may be models, one each.
_SAID = split_words("output response answer prediction completion generated reasoning error")
_FEWEST = 20


def _is_called(name: str, role: str) -> bool:
    folded = fold_name(name)
    other = role == "model" and folded not in COMPARED and _MODEL.search(name)
    return folded in role_names(role, weak=True) or bool(other)


def _likely_score(header: Header) -> str | None:
    """The column of numbers that may be the score: one with fractions, where there are several."""
    if header.outcomes:
        return None
    called = [name for name in header.columns if _is_called(name, "score")]
    if called:
        return called[0] if called[0] in header.numeric else None
    free = [name for name in header.columns if name in header.numeric
            and fold_name(name) not in COMPARED | RATERS
            and any(cell not in (None, "") for cell in header.cells[name])]  # fmt: skip
    means = [name for name in free if fold_name(name) in _MEANS]
    found = means or likely_scores(name for name in free if name in header.unexplained)
    found = found or [name for name in free if is_attribute(name)]
    found.sort(key=lambda name: usual_direction(name) != "higher")
    broken = {
        name for name in free if any((one or 0.0) % 1.0 != 0.0 for one in header.read[name])
    }  # fmt: skip
    fine = [name for name in found if name in broken]
    if found and not fine:  # numbers of rows and codes, beside an amount that was measured
        fine = [name for name in free if is_attribute(name) and name in broken]
    return next(iter(fine), found[0] if found else None)


_MEANS = split_words("mean average avg")


def refuse_lists(table: Table, header: Header, named: Collection[str]) -> None:
    """Raises `DataError` where the only scores lie in lists, several in a cell."""
    lists = [
        name for name, own in header.cells.items() if own and all(map(_is_list_of_numbers, own))
    ]  # fmt: skip
    if not lists:
        return
    asked = next((name for name in lists if name in named), lists[0])
    others = [name for name in header.columns if name in header.numeric
              and (name in header.unexplained or _is_called(name, "score"))]  # fmt: skip
    if asked in named or not others:
        raise DataError(f"{table.source}: {describe_lists(asked)}")


def _is_list_of_numbers(cell: object) -> bool:
    held = list(cell) if isinstance(cell, list | tuple) else []
    return bool(held) and all(isinstance(one, int | float) for one in held)


def describe_lists(name: str) -> str:
    """What to do with several scores in one cell."""
    return (
        f"the cells of {name!r} hold lists. Write one row per number, in pandas: frame = "
        f"frame.explode({name!r}); frame['trial'] = frame.groupby(level=0).cumcount()."
    )

"""Which columns tell rows apart that stand twice, and what may be said of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise

from rankbars.data.notes import list_names
from rankbars.tables.asides import are_settings
from rankbars.tables.columns import describe_roles, fold_name, paste_columns, role_names
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.likelyroles import RATERS, likely_roles
from rankbars.tables.parsedtables import Group, TidyTable
from rankbars.tables.proposals import ask_whom_it_is_about, split_values
from rankbars.tables.relations import Relation
from rankbars.tables.repeats import REMOVE_COPIES
from rankbars.tables.reruns import find_steps, find_time
from rankbars.tables.runnames import are_times
from rankbars.tables.tableheads import HEAD_ROWS, Header
from rankbars.tables.tablerows import Table

__all__ = ["describe_copies"]

_FEW_VALUES = 12  # of a setting
_MOST_COLUMNS = 20  # that are asked whether they tell rows apart
_MOST_TOGETHER = 8  # of which every two are asked

_OF_VERSIONS = ("version", "model_version", "submission_version", "revision", "release", "build")


def describe_copies(group: Group, said: str) -> str:
    """What is said of rows that stand twice, and which columns would tell them apart.

    Parameters
    ----------
    group : Group
        The tables.
    said : str
        Which rows these are. That copies are to be removed is left out where a column tells them
        apart.
    """
    told = _telling_columns(group)
    if told.startswith(_NO_COPIES):
        said = said.removesuffix(REMOVE_COPIES).rstrip()
    if told.startswith((*_NO_COPIES, _UNUSED)):
        said += f" Read: {describe_roles(group.parts[0].roles)}."
    return f"{said}{told}"


_NO_COPIES = (" The column", " Together")
_UNUSED = " Not used"
_LEVEL = re.compile(r"level_\d+")  # as pandas calls levels of rows that have no name


def _telling_columns(group: Group) -> str:
    """Which columns that play no role would tell rows apart that stand twice; empty if none can."""
    (part, *more) = group.parts
    if more or part.table is None:
        return ""
    table, used = part.table, set(part.roles.values())
    head = table.head(HEAD_ROWS)
    nested = {name for place, name in enumerate(table.columns)
              if any(isinstance(row[place], list | dict) for row in head)}  # fmt: skip
    unused = [name for name in table.columns if name and name not in used | nested][:_MOST_COLUMNS]
    known = [part.roles[role] for role in ("model", "task", *group.plan.keys, *group.plan.answers)
             if role in part.roles]  # fmt: skip
    if not unused:
        return _ways_of_rows(known, part.roles["score"])
    relation = table.relate_columns((*known, *unused))

    telling = [name for name in unused if _are_apart(relation, (*known, name))]
    if said := _by_rater(part, table, relation, known, unused):
        return said
    if not telling:
        likely = likely_roles(table)
        lacking = {role: name for role, name in likely.items()
                if role not in part.roles and name in unused}  # fmt: skip
        if lacking and _are_apart(relation, (*known, *lacking.values())):
            together = f" Together {list_names(list(lacking.values()))} tell these rows apart"
            rater = next((one for one in lacking.values() if fold_name(one) in RATERS), None)
            if rater not in (None, lacking.get("model")) and {"model", "item"} <= {*likely}:
                return f"{together}. {_of_raters(likely, rater)}"
            lines = f"{paste_columns(lacking)} (in Python: columns={lacking!r})"
            at = table.columns.index(lacking.get("run", table.columns[0]))
            if {"run", "model"} <= {*lacking} and are_times([str(row[at]) for row in head]):
                once = {role: name for role, name in lacking.items() if role != "run"}
                newest = f"{paste_columns(once)} --reruns newest"
                lines = f"if the newest counts, as of nights of tests, {newest}; if all, {lines}"
            if {*lacking} == {"model", "task"} and all(map(_LEVEL.fullmatch, lacking.values())):
                swapped = dict(zip(lacking, reversed(lacking.values()), strict=True))
                lines += f"; if {swapped['model']!r} names what is compared, "
                lines += paste_columns(swapped)
            return f"{together}: {lines}."
        both = next((two for two in combinations(unused[:_MOST_TOGETHER], 2)
                     if _are_apart(relation, (*known, *two))), None)  # fmt: skip
        if both is not None:
            return _of_two(both, part, table, relation)
        shown = ", ".join(map(repr, unused))
        return (
            f"{_UNUSED}: {shown}; none of them alone tells these rows apart."
            f"{_ways_of_rows(known, part.roles['score'])}"
        )
    if said := _by_kind(part, table, relation, telling):
        return said
    return _by_use(part, table, relation, known, telling[0])


def _by_rater(
    part: TidyTable, table: Table, relation: Relation, known: Sequence[str], unused: Sequence[str]
) -> str:
    """What is said of a column of those who judged, by itself or beside a column of kinds."""
    rater = next((one for one in unused if fold_name(one) in RATERS), None)
    if rater is None or not {"model", "item"} <= {*part.roles}:
        return ""
    if _are_apart(relation, (*known, rater)):
        told = f" The column {rater!r} is not used and tells these rows apart."
        return f"{told} {_of_raters(part.roles, rater)}"
    texts = [one for one in unused if one != rater and one not in Header.of(table).numeric]
    kinds = next((one for one in texts if _are_apart(relation, (*known, rater, one))), None)
    if kinds is None:
        return ""
    cell = relation.columns[kinds][0]
    found = relation.engine.ask(
        f"SELECT {cell} FROM {relation.clause} GROUP BY {cell} ORDER BY count(*) DESC, {cell}"
    )
    if len(found) > _FEW_VALUES:
        return ""
    chosen = f"{quote_column(kinds)} = '{found[0][0]}'"
    return (
        f" Together {rater!r} and {kinds!r} tell these rows apart, and {kinds!r} is one of "
        f"{list_names([str(value) for (value,) in found], 4)}. Choose those that count, and take "
        f"what several people said of an item as answers to it, such as {paste_condition(chosen)} "
        f"{paste_columns({'epoch': rater})}."
    )


def _of_raters(roles: Mapping[str, str], rater: str) -> str:
    """What is said where people judged what two or more models made of the same items."""
    about = {role: roles[role] for role in ("model", "item", "score")}
    swapped = {**about, "model": rater, "task": roles["model"]}
    return (
        f"{ask_whom_it_is_about(about, rater)} If {rater!r} is what is compared: "
        f"{paste_columns(swapped)}."
    )


def _are_apart(relation: Relation, names: Sequence[str]) -> bool:
    """Whether no two rows are the same in these columns."""
    cells = ", ".join(relation.columns[one][0] for one in names)
    return not relation.engine.ask(
        f"SELECT 1 FROM {relation.clause} GROUP BY {cells} HAVING count(*) > 1 LIMIT 1"
    )


def _by_use(
    part: TidyTable, table: Table, relation: Relation, known: Sequence[str], column: str
) -> str:
    """What is said of a column of which only those who made it know what it is."""
    others = [one for one in known if one != part.roles.get("item")]
    alone = _are_apart(
        relation, (*others, column)
    )  # in place of the column of items, not beside it
    text = column not in Header.of(table).numbers
    years = not text and _are_years(relation, column)
    tasks = "task" not in part.roles and (text or years)
    unlike = [one for one in known if one != part.roles.get("model")]
    versions = _are_apart(relation, (*unlike, column))
    if fold_name(column) in role_names("model", weak=True) - {"model"}:
        return _of_models(column, part.roles.get("model"), table, alone=versions)
    if fold_name(column) in {fold_name(name) for name in _OF_VERSIONS}:
        ways = [
            f"names versions of a model, each by itself, {paste_columns({'condition': column})}"
        ]
    else:
        ways = [f"numbers the answers to an item, {paste_columns({'epoch': column})}"]
    if text and "task" in part.roles and not {"item", "fold"} & {*part.roles}:
        ways = _of_parts(part.roles["task"], column, relation)
    parts = [f"names tasks or parts of one, {paste_columns({'task': column})}"] * tasks
    ways = [*ways, *parts] if "item" in part.roles and not years else [*parts, *ways]
    if versions:
        compared = f"names what is compared, {paste_columns({'model': column})}"
        ways.insert(0 if text else 1, compared)
    if not (text or {"item", "fold"} & {*part.roles}) and _counts(relation, column):
        ways.insert(0, f"numbers folds of cross-validation, {paste_columns({'fold': column})}")
    ways += [f"names the items, {paste_columns({'item': column})}"] * alone
    cell = relation.columns[column][0]
    ((values,),) = relation.engine.ask(f"SELECT count(DISTINCT {cell}) FROM {relation.clause}")
    if not text and values <= _FEW_VALUES:
        chosen = f"{quote_column(column)} = {_last_of(relation, column):g}"
        ways.append(f"says how models were made, and one counts, {paste_condition(chosen)}")
    return (
        f" The column {column!r} is not used and tells these rows apart: "
        f"{'; '.join(f'if it {way}' for way in ways)}."
    )


def _of_parts(task: str, column: str, relation: Relation) -> list[str]:
    """What a column of names may be that tells apart the runs of one task: its languages, say."""
    cell = relation.columns[column][0]
    ((one,),) = relation.engine.ask(f"SELECT min({cell}) FROM {relation.clause}")
    join = f"frame[{task!r}] = frame[{task!r}] + ' ' + frame[{column!r}]"
    chosen = f"{quote_column(column)} = '{one}'"
    return [
        f"names parts of {task!r} and one counts, {paste_condition(chosen)}",
        f"names tasks together with {task!r}, join the two first (in pandas: {join})",
    ]


def _of_two(both: Sequence[str], part: TidyTable, table: Table, relation: Relation) -> str:
    """What is said of two columns that tell rows apart only together.

    One is chosen of numbers, if either has any, and the other names parts.
    """
    chosen, other = sorted(both, key=lambda name: name not in Header.of(table).numbers)
    condition = f"{quote_column(chosen)} = "
    if chosen in Header.of(table).numbers:
        condition += f"{_last_of(relation, chosen):g}"
    else:
        query = f"SELECT max({relation.columns[chosen][0]}) FROM {relation.clause}"
        condition += f"'{relation.engine.ask(query)[0][0]}'"
    role = "task" if "task" not in part.roles else "epoch"
    names = "tasks or parts of one" if role == "task" else "answers to one item"
    return (
        f" Together {list_names(list(both))} tell these rows apart, and neither is used. Choose "
        f"rows by one of them; if the other names {names}, {paste_condition(condition)} "
        f"{paste_columns({role: other})}."
    )


def _ways_of_rows(known: Sequence[str], score: str) -> str:
    """What rows of one item may be that nothing tells apart, with a line of pandas for each."""
    by = f"frame.groupby({list(known)!r}, as_index=False)[{score!r}]"
    return (
        f" In pandas, if they are answers, their mean: {by}.mean(); if each is a part, such as one "
        f"error of many, their sum: {by}.sum(); if the last row replaces the others: "
        f"frame.drop_duplicates({list(known)!r}, keep='last')."
    )


def _of_models(column: str, model: str | None, table: Table, *, alone: bool) -> str:
    """What is said of a column that is called as those of models are, and may be half of a name."""
    own = f"if it names the models, {paste_columns({'model': column})}"
    ways = [own] if alone or model not in table.columns else []
    if model in table.columns:
        join = f"frame[{model!r}] = frame[{column!r}] + ' ' + frame[{model!r}]"
        ways.append(f"if it names them with {model!r}, join the two first (in pandas: {join})")
    return f" The column {column!r} is not used and tells these rows apart: {'; '.join(ways)}."


def _by_kind(part: TidyTable, table: Table, relation: Relation, telling: Sequence[str]) -> str:
    """What is said of columns that are known for what they hold: times, steps, parts of data."""
    time = find_time(table, part.roles)
    if time in telling:
        return (
            f" The column {time!r} tells these rows apart. If newer ones replace older ones, as "
            "what is submitted or run again does: --reruns newest. If all are answers to the same "
            "item: --reruns all."
        )
    steps = find_steps(table, part.roles)
    if steps in telling and "model" not in part.roles and _are_checkpoints(relation, str(steps)):
        chosen = f"{quote_column(str(steps))} = {_last_of(relation, str(steps)):g}"
        return (
            f" The column {steps!r} tells these rows apart, and its numbers are those of "
            f"checkpoints. To compare them: {paste_columns({'model': str(steps)})} (in Python: "
            f"columns={{'model': {steps!r}}}). For one of them: {paste_condition(chosen)}."
        )
    if steps in telling and "item" in part.roles:
        return (
            f" The column {steps!r} tells these rows apart: it numbers the steps of one try, which "
            "are no answers of their own. If the last step holds the result: --reruns newest. If "
            "the result is the sum over steps, write one row per try with the sum."
        )
    numeric = telling[0] in Header.of(table).numbers
    if numeric and (are_settings([telling[0]]) or fold_name(telling[0]) == "shots"):
        chosen = f"{quote_column(telling[0])} = {_last_of(relation, telling[0]):g}"
        return (
            f" The column {telling[0]!r} tells these rows apart: it says how models were run. "
            f"Choose one way: {paste_condition(chosen)} (in Python: where={chosen!r}). If all are "
            f"answers to one item: {paste_columns({'epoch': telling[0]})}."
        )
    cell = relation.columns[telling[0]][0]
    few = relation.engine.ask(f"SELECT DISTINCT {cell} FROM {relation.clause} LIMIT 9")
    split = split_values([value for (value,) in few])
    if split:
        condition = f"{quote_column(telling[0])} = '{split}'"
        return (
            f" The column {telling[0]!r} tells these rows apart: it says which part of the data "
            f"they were measured on. Choose one: {paste_condition(condition)} (in Python: "
            f"where={condition!r})."
        )
    return ""


def _are_checkpoints(relation: Relation, column: str) -> bool:
    """Whether the numbers of a column do not go up one by one, as those of steps of a try do."""
    cell = relation.columns[column][0]
    found = relation.engine.ask(f"SELECT DISTINCT try_cast({cell} AS DOUBLE) AS c "
                                f"FROM {relation.clause} ORDER BY c LIMIT 1000")  # fmt: skip
    steps = [step for (step,) in found if step is not None]
    return len(steps) > 1 and min(later - one for one, later in pairwise(steps)) > 1.0


def _counts(relation: Relation, column: str) -> bool:
    """Whether a column holds the numbers from 0 or 1 to one that folds may have, and no other."""
    cell = f"try_cast({relation.columns[column][0]} AS DOUBLE)"
    (found,) = relation.engine.ask(
        f"SELECT min({cell}), max({cell}), count(DISTINCT {cell}) FROM {relation.clause}"
    )
    least, most, many = found
    return least in (0.0, 1.0) and most - least + 1.0 == many and 2 <= many <= _MOST_FOLDS


_MOST_FOLDS = 100


def _are_years(relation: Relation, column: str) -> bool:
    """Whether the numbers of a column are those of years, each of which has items of its own."""
    cell = f"try_cast({relation.columns[column][0]} AS DOUBLE)"
    ((least, most),) = relation.engine.ask(
        f"SELECT min({cell}), max({cell}) FROM {relation.clause}"
    )
    return bool(least is not None and 1950 <= least <= most <= 2100)


def _last_of(relation: Relation, column: str) -> float:
    cell = relation.columns[column][0]
    ((last,),) = relation.engine.ask(
        f"SELECT max(try_cast({cell} AS DOUBLE)) FROM {relation.clause}"
    )
    return float(last)

"""What is asked about a table of votes: which column is the outcome, and what it means.

Two scores may stand in its place, answers may have been shown in both orders, and rows may be no
votes of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rankbars.data.notes import list_names
from rankbars.data.votes import LOSS, WIN
from rankbars.errors import DataError
from rankbars.tables.cells import read_number
from rankbars.tables.columns import fold_name, paste_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.database import quote_text, report_damage
from rankbars.tables.metrics import name_words
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tableheads import Header
from rankbars.tables.tablerows import Table
from rankbars.tables.votes.votecolumns import OTHERS, SCORES, VoteColumns, name_parts, other_side
from rankbars.tables.votes.votewords import (
    are_grades,
    ask_about_grades,
    is_result,
    word_code,
    word_codes,
)

if TYPE_CHECKING:
    from rankbars.tables.votes.castvotes import VoteRows

__all__ = ["ask_for_outcome", "refuse_doubtful_votes", "refuse_two_scores"]

_MOST_MARKS = 12  # different cells of a column that is looked at


def ask_for_outcome(table: Table, sides: Sequence[str]) -> str:
    """What the columns hold of a table of votes in which none is called an outcome.

    Parameters
    ----------
    table : Table
        The table.
    sides : sequence of str
        The two columns of models.
    """
    header = Header.of(table)
    free = [name for name in header.columns if name not in sides
            and not any(fold_name(name) in names for names in OTHERS.values())]  # fmt: skip
    for name in free:
        if any(isinstance(cell, list | tuple) for cell in header.cells[name]):
            marks = {str(one) for cell in header.cells[name] if isinstance(cell, list | tuple)
                     for one in cell}  # fmt: skip
            if _are_winners(marks, []):
                return _ask_about_lists(name, header)
    models = [*map(str, header.cells[sides[0]]), *map(str, header.cells[sides[1]])]
    cells = {name: _marks(header, name) for name in free}
    found = [name for name in free if _are_winners(cells[name], models)]
    if len(found) == 1:
        shown = list_names(sorted(cells[found[0]]), 4)
        return (
            f"{found[0]!r} holds {shown}, as outcomes are: {paste_columns({'winner': found[0]})}."
        )
    if found:
        return _choose_outcome(found, header)
    scores = [
        (name, two)
        for name in free
        if _SCORED & {*name_parts(name)}
        and (two := other_side(name, free)) is not None
        and {name, two} <= header.numbers
    ]
    if len(scores) == 1:
        return _ask_about_scores(*scores[0], "sides")
    graded = [(name, numbers) for name in free if (numbers := _numbers(cells[name]))
              and are_grades(numbers)]  # fmt: skip
    if len(graded) == 1:
        name, numbers = graded[0]
        return ask_about_grades(numbers, sides, name)
    return ""


def _choose_outcome(found: Sequence[str], header: Header) -> str:
    """The lines for several columns of outcomes: one of them counts, or each is of one voter."""
    whole = [name for name in found if fold_name(name) in _MADE_OF_OTHERS]
    one = [*whole, *found][0]
    said = (
        f"{list_names(found, 4)} hold outcomes. If {one!r} is the one: "
        f"{paste_columns({'winner': one})}."
    )
    voters = [name for name in found if name not in whole]
    if len(voters) < 2 or any({*name_words(name)} & (_SWAPS | _TURNED) for name in voters):
        return said
    rest = [name for name in header.columns if name not in found]
    return (
        f"{said} If {list_names(voters, 4)} are what one voter each said, make a row of each, in "
        f"pandas: frame.melt({rest!r}, {voters!r}, 'judge', 'winner').to_csv('votes.csv', "
        "index=False)."
    )


# What is counted for the two sides of a match, the higher one wins.
_SCORED = split_words("score scores goal goals point points pts runs")


_TURNED = split_words("ab ba forward backward original")


def _marks(header: Header, name: str) -> set[str]:
    """What a column holds, if these are few texts or numbers."""
    known = {str(cell).strip() for cell in header.cells[name] if cell not in (None, "")}
    return known if len(known) <= _MOST_MARKS or name not in header.numbers else set()


def _numbers(marks: set[str]) -> list[float]:
    found = [read_number(mark) for mark in marks]
    return [one for one in found if one is not None] if None not in found else []


def _are_winners(marks: set[str], models: Sequence[str]) -> bool:
    """Whether cells name sides of both kinds in words, or models of the votes."""
    codes = {code for mark, code in word_codes(marks).items() if not _is_number(mark)}
    named = len(marks & {*models}) > 1 and len(marks - {*models}) <= _OTHER_WORDS
    return {WIN, LOSS} <= codes or named


def _is_number(mark: str) -> bool:
    """Whether a cell is digits; the word right, which is a number elsewhere, is a side here."""
    return not any(character.isalpha() for character in mark) and not is_result(mark)


_OTHER_WORDS = 3  # that stand beside names of winners, such as tie


def _ask_about_lists(name: str, header: Header) -> str:
    """The way from cells that hold what several people said to a row for each."""
    lengths = [len(cell) if isinstance(cell, list | tuple) else 0 for cell in header.cells[name]]
    beside = [
        other for other in header.columns
        if [len(cell) if isinstance(cell, list | tuple) else 0 for cell in header.cells[other]]
        == lengths
    ]  # fmt: skip
    users = [other for other in beside if {"user", "users"} & {*name_words(other)}][:1]
    renamed = {name: "winner", **dict.fromkeys(users, "judge")}
    return (
        f"{name!r} holds what several people said of each pair. Make a row of each, in pandas: "
        f"frame.explode({beside!r}).rename(columns={renamed!r}).to_csv('votes.csv', index=False)."
    )


def refuse_doubtful_votes(
    table: Table, columns: VoteColumns, rows: VoteRows, options: ReadOptions
) -> None:
    """Raises `DataError` where it is open what outcomes mean, or whether rows are votes.

    Parameters
    ----------
    table : Table
        A table whose rows compare two models.
    columns : VoteColumns
        What its columns mean.
    rows : VoteRows
        Its votes.
    options : ReadOptions
        What the caller declares; columns that a condition speaks of are settled.
    """
    _refuse_rejected(table, columns)
    if "judge" in rows.labels and columns.roles["judge"] not in table.fixed:
        _refuse_summaries(table, columns, rows.labels["judge"].names)
    if not columns.ordered and not {"position"} & options.columns.keys():
        _refuse_orders(table, columns)


def refuse_two_scores(table: Table, columns: VoteColumns) -> None:
    """Raises `DataError` where each of the two answers has a score of its own."""
    name = columns.roles.get("score")
    other = None if name is None else other_side(name, table.columns)
    if name is None or other is None:
        return
    header = Header.of(table)
    known = [(one, two) for one, two in zip(header.read[name], header.read[other], strict=True)
             if one is not None and two is not None]  # fmt: skip
    if not known or all(one + two == 1.0 for one, two in known):
        return
    raise DataError(f"{table.source}: {_ask_about_scores(name, other, 'answers')}")


def _ask_about_scores(one: str, other: str, what: str) -> str:
    """The lines for two columns of scores, one for each side."""
    roles = dict(zip(SCORES, (one, other), strict=True))
    return (
        f"{one!r} and {other!r} seem to be scores of the two {what}, and no outcome of a vote. If "
        f"the higher one won: {paste_columns(roles)} (in Python: columns={roles!r}). If the lower "
        f"one won: {paste_columns(roles)} --direction lower (in Python: columns={roles!r}, "
        "direction='lower')."
    )


# Columns that say whether a row counts, and what they hold where it does not.
_STATES = split_words("status state assignmentstatus approval validity valid quality decision")
_FLAGS = split_words("""
    deleted isdeleted rejected isrejected excluded isexcluded invalid isinvalid spam isspam
    discarded isdiscarded wascancelled cancelled iscancelled isgold gold isattentioncheck
    attentioncheck istest isgroundtruth groundtruth
""")
_REJECTED = split_words("rejected deleted discarded excluded invalid cancelled spam returned")
_TRUE = frozenset({"true", "t", "yes", "y", "1", "1.0"})


def _refuse_rejected(table: Table, columns: VoteColumns) -> None:
    """Raises `DataError` where a column says of some votes that they do not count."""
    for name in columns.unused:
        folded = fold_name(name.rpartition(".")[2])
        flag = folded in _FLAGS
        if name in table.fixed or not (flag or folded in _STATES):
            continue
        found = _count_cells(table, name)
        bad = [cell for cell in found if _is_bad(cell, flag=flag)]
        if not bad or len(bad) == len(found):
            continue
        number, every = sum(found[cell] for cell in bad), sum(found.values())
        without, with_them = _conditions(table, name, bad)
        raise DataError(
            f"{table.source}: {name!r} is {list_names(bad, 3)} for {number:,} of {every:,} votes. "
            f"To leave them out: {paste_condition(without)}. To count them: "
            f"{paste_condition(with_them)} (in Python: where={without!r}, or {with_them!r})."
        )


def _is_bad(cell: str, *, flag: bool) -> bool:
    return cell.casefold() in _TRUE if flag else fold_name(cell) in _REJECTED


def _conditions(table: Table, name: str, bad: Sequence[str]) -> tuple[str, str]:
    """The condition that leaves out rows with some cells, and one that speaks of all rows."""
    column = quote_column(name)
    relation = table.relate_columns([name])
    empty = f"{column} is null"
    if relation.is_text(name):
        without = f"{column} not in ({', '.join(map(quote_text, bad))})"
    elif relation.columns[name][1] == "BOOLEAN":
        without = f"not {column}"
    else:
        without = f"{column} not in ({', '.join(bad)})"
    cell = relation.columns[name][0]
    ((gaps,),) = relation.engine.ask(
        f"SELECT count(*) FILTER (nullif({cell}::VARCHAR, '') IS NULL) FROM {relation.clause}"
    )
    some = f"{column} is not null"
    return (f"{empty} or {without}", f"{empty} or {some}") if gaps else (without, some)


# Names of what is made of the votes of others.
_MADE_OF_OTHERS = split_words("""
    majority majorityvote consensus aggregate aggregated adjudicated adjudication gold goldlabel
    final overall all total
""")


def _refuse_summaries(table: Table, columns: VoteColumns, voters: Sequence[str]) -> None:
    """Raises `DataError` where a voter sums up what the others said of the same prompts."""
    judge, prompt = columns.roles["judge"], columns.roles.get("prompt")
    found = [name for name in voters if fold_name(name) in _MADE_OF_OTHERS]
    if prompt is None or not found:
        return
    with report_damage(table.source):
        relation = table.relate_columns([judge, prompt])
        voter, asked = (f"{relation.columns[name][0]}::VARCHAR" for name in (judge, prompt))
        names = ", ".join(map(quote_text, found))
        ((own, shared),) = relation.engine.ask(
            "SELECT count(*) FILTER (summed), count(*) FILTER (summed AND others) FROM (SELECT "
            f"bool_or({voter} IN ({names})) AS summed, bool_or({voter} NOT IN ({names})) AS others "
            f"FROM {relation.clause} GROUP BY {asked})"
        )
    if 2 * shared < own:
        return
    without = f"{quote_column(judge)} not in ({names})"
    raise DataError(
        f"{table.source}: {list_names(found, 3)} among {judge!r} seems to sum up what the others "
        f"said: they voted on {shared:,} of its {own:,} prompts, and would count twice. To leave "
        f"it out: {paste_condition(without)}. If it is a voter like them: "
        f"{paste_condition(f'{quote_column(judge)} is not null')} (in Python: where=)."
    )


# Columns that say whether answers were shown the other way round.
_SWAPS = split_words("swap swapped flip flipped reverse reversed mirrored inverted switched")
_ORDERS = split_words("order presentationorder displayorder answerorder positionorder")
_BESIDE_SWAPS = split_words("is was order position positions sides answers models responses ab")


def _refuse_orders(table: Table, columns: VoteColumns) -> None:
    """Raises `DataError` where answers were shown in both orders, and the models stand in one.

    Words such as A then mean either the answer shown first or the model in the first column.
    """
    outcome = next((columns.roles[role] for role in ("winner", "score", "preference", "chosen")
                    if role in columns.roles), None)  # fmt: skip
    if outcome is None or "loser" in columns.roles:
        return
    for name in columns.unused:
        words = {*name_words(name)}
        swaps = bool(words & _SWAPS) and words <= _SWAPS | _BESIDE_SWAPS
        if not (swaps or fold_name(name) in _ORDERS):
            continue
        cells = [*_count_cells(table, name)]
        texts = not all(map(_is_number, cells))
        if len(cells) != 2 or not (swaps or texts) or not _names_sides(table, columns, outcome):
            continue
        if not _follow(table, columns, name):
            raise DataError(_ask_about_order(table, columns, outcome, name, cells))


def _names_sides(table: Table, columns: VoteColumns, outcome: str) -> bool:
    """Whether outcomes are sides, and no names of models."""
    cells = Header.of(table).cells
    models = {str(cell) for role in ("model_a", "model_b") for cell in cells[columns.roles[role]]}
    return any(
        _is_number(str(cell)) or word_code(str(cell)) in (WIN, LOSS)
        for cell in cells[outcome] if cell not in (None, "") and str(cell) not in models
    )  # fmt: skip


def _follow(table: Table, columns: VoteColumns, name: str) -> bool:
    """Whether the two models change places where a column says so, for most votes."""
    keys = [columns.roles[role] for role in ("prompt", "judge") if role in columns.roles]
    sides = [columns.roles[role] for role in ("model_a", "model_b")]
    with report_damage(table.source):
        relation = table.relate_columns([*sides, *keys, name])
        cell = {one: f"{relation.columns[one][0]}::VARCHAR" for one in [*sides, *keys, name]}
        first, second = (cell[side] for side in sides)
        for beside in (keys, []):
            groups = ", ".join([f"least({first}, {second})", f"greatest({first}, {second})",
                                *(cell[key] for key in beside)])  # fmt: skip
            ((both, turned),) = relation.engine.ask(
                "SELECT count(*) FILTER (marks = 2), count(*) FILTER (marks = 2 AND ways = 2 AND "
                f"kinds = 2) FROM (SELECT count(DISTINCT {cell[name]}) AS marks, count(DISTINCT "
                f"{first} < {second}) AS ways, count(DISTINCT ({first} < {second})::VARCHAR || "
                f"{cell[name]}) AS kinds FROM {relation.clause} GROUP BY {groups})"
            )
            if both:
                return bool(turned >= _MOST * both)
    return True


_MOST = 0.9


def _ask_about_order(
    table: Table, columns: VoteColumns, outcome: str, name: str, cells: Sequence[str]
) -> str:
    """The question what A means, with the lines for both answers."""
    first, second = (columns.roles[role] for role in ("model_a", "model_b"))
    turned = max(cells, key=lambda cell: (cell.casefold() in _TRUE,
                                          bool({*name_words(cell)} & _SWAPS), cell))  # fmt: skip
    pair = [first, second]
    value = repr(turned)
    if turned.casefold() in ("true", "false"):
        value = turned.capitalize()
    elif _is_number(turned):
        value = turned
    return (
        f"{table.source}: {name!r} says in which order answers were shown, and {first!r} and "
        f"{second!r} do not change places with it. If {outcome!r} tells the side of the answer as "
        f"it was shown, turn the rows where {name!r} is {turned}, in pandas: rows = frame["
        f"{name!r}].eq({value}); frame.loc[rows, {pair!r}] = frame.loc[rows, {pair[::-1]!r}]"
        ".to_numpy(); frame.to_csv('votes.csv', index=False). If it tells the model in "
        f"{first!r} or in {second!r} already: --column position= (in Python: columns="
        "{'position': ''})."
    )


def _count_cells(table: Table, name: str) -> Mapping[str, int]:
    """How many rows hold what, as texts, if these are few; without empty cells."""
    with report_damage(table.source):
        relation = table.relate_columns([name])
        cell = f"{relation.columns[name][0]}::VARCHAR"
        found = relation.engine.ask(
            f"SELECT {cell}, count(*) FROM {relation.clause} WHERE {cell} IS NOT NULL "
            f"GROUP BY 1 ORDER BY 1"
        )
    return {str(cell): int(number) for cell, number in found if cell != ""}

"""A table of votes → `Scores`, whatever its layout: pairs, counts, rankings, a square of wins."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.votes import Votes
from rankbars.errors import DataError
from rankbars.tables.cells import label_text, parse_number
from rankbars.tables.columns import check_header
from rankbars.tables.database import report_damage
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tableheads import Header, find_match_sides
from rankbars.tables.tablerows import Table
from rankbars.tables.votes.votecolumns import (
    OUTCOMES,
    SCORES,
    VOTE_LAYOUTS,
    NoOutcomeError,
    VoteColumns,
    find_short_sides,
    find_sides,
    find_vote_columns,
)

if TYPE_CHECKING:
    from rankbars.tables.votes.castvotes import VoteRows
    from rankbars.tables.votes.votecategories import SortedTable

__all__ = ["find_vote_layout", "scores_of_votes", "wants_votes"]

_MOST_MODELS = 10_000


def find_vote_layout(table: Table, named: Mapping[str, str]) -> str | None:
    """Why a table is one of votes; None if it is not.

    Parameters
    ----------
    table : Table
        The table.
    named : mapping from str to str
        Columns that the caller named, by role.

    Raises
    ------
    DataError
        If two columns name the models of a vote, and nothing says who won.
    """
    if _is_square(table):
        return "the names of the rows are those of the columns"
    short = None if named else find_short_sides(table.columns)
    if short is not None and find_match_sides(Header.of(table)) is None:
        return None
    try:
        columns = _find_columns(table, named)
    except DataError:
        sides = short or find_sides(table.columns)
        if sides is not None and not _hold_fractions(table, sides[:2]):
            raise
        return None
    if "model_a" not in columns.roles and not _several_models(table, columns):
        return None
    return f"columns {columns.describe()}"


def _find_columns(table: Table, named: Mapping[str, str]) -> VoteColumns:
    """Roles of the columns; raises `DataError`, with what the cells say where no name does."""
    try:
        return find_vote_columns(table.columns, named, table.source)
    except NoOutcomeError as error:
        from rankbars.tables.votes.votequestions import ask_for_outcome

        sides = find_sides(table.columns) or find_short_sides(table.columns)
        both = sides[:2] if sides is not None else None
        if named.get("model_a") and named.get("model_b"):
            both = named["model_a"], named["model_b"]
        asked = "" if both is None else ask_for_outcome(table, both)
        if not asked:
            raise
        raise DataError(f"{str(error).partition(' Name it: ')[0]} {asked}") from error


def wants_votes(options: ReadOptions) -> bool:
    """Whether the caller's options speak of votes."""
    roles = {"model_a", "model_b", "ranking", "options", "loser", *SCORES, *OUTCOMES} - {"score"}
    named = {role for role, name in options.columns.items() if name}
    return options.layout in VOTE_LAYOUTS or bool(roles & named)


def scores_of_votes(table: Table, options: ReadOptions, task: str, *, part: bool = False) -> Scores:
    """Votes of a table: one task, or one per task or category that a chosen column names.

    Parameters
    ----------
    table : Table
        The table.
    options : ReadOptions
        What the caller declares.
    task : str
        Name of the task where no column names one.
    part : bool
        Whether tables beside this one may hold more votes of its tasks. Then voters and prompts
        are kept even if each has one vote here.

    Raises
    ------
    DataError
        If the table cannot be understood.
    """
    from rankbars.tables.votes.votecells import control_columns
    from rankbars.tables.votes.votetasks import join_tasks, scores_of_rows

    named = any(options.columns.values())
    if options.layout == "beats" or (options.layout is None and not named and _is_square(table)):
        if options.where:
            raise DataError(
                f"{table.source}: a square table of wins has no rows to choose from. Leave out "
                "--where (in Python: where=), or choose models: --models NAME."
            )
        return _scores_of_beats(table, task, declared=options.layout == "beats")
    known = table.columns
    columns = _find_columns(table, options.columns)
    sorted_by: SortedTable | None = None
    if options.within or options.over_time:
        from rankbars.tables.votes.votecategories import SortedTable

        time = _time_column(columns, table.source) if options.over_time else None
        with report_damage(table.source):
            table = sorted_by = SortedTable(table, options.within, time, options.over_time)
    _refuse_lists(table, columns)
    rows = _collect(table, columns, options)
    if table.columns != known:
        # A file without a header may have columns further down.
        columns = find_vote_columns(table.columns, options.columns, table.source)
        rows = _collect(table, columns, options)
    if sorted_by is not None and rows.categories is None:
        raise DataError(
            f"{table.source}: rankings and choices of several cannot be sorted into categories or "
            f"periods. Leave out {'--within' if options.within else '--over-time'}."
        )
    used = control_columns(table, options.controls).union(options.within)
    if columns.category in options.within:
        columns = columns._replace(category=None)
    columns = columns._replace(unused=tuple(n for n in columns.unused if n not in used))
    scores = scores_of_rows(rows, columns, options, task, table.source)
    scores = scores.with_notes(_note_times(table, columns))
    if "time" not in columns.roles and options.columns.get("time") != "" and sorted_by is None:
        from rankbars.tables.votes.votecopies import note_doubled

        scores = scores.with_notes(note_doubled(table, rows))
    scores = scores if sorted_by is None else scores.with_notes(sorted_by.notes)
    return scores if part else join_tasks([scores])


def _time_column(columns: VoteColumns, source: str) -> str:
    """The column of times; raises `DataError` where there is none."""
    if "time" not in columns.roles:
        raise DataError(
            f"{source}: no column says when votes were cast, so that nothing can be said over "
            "time. Name it: --column time=NAME."
        )
    return columns.roles["time"]


def _collect(table: Table, columns: VoteColumns, options: ReadOptions) -> VoteRows:
    from rankbars.tables.votes.castvotes import cast_votes
    from rankbars.tables.votes.rankings import collect_rankings
    from rankbars.tables.votes.votecopies import refuse_mirrors
    from rankbars.tables.votes.votequestions import refuse_doubtful_votes, refuse_two_scores

    if columns.layout in ("ranking", "options"):
        return collect_rankings(table, columns)
    if columns.layout != "scores":
        refuse_two_scores(table, columns)
    rows = cast_votes(table, columns, options)
    refuse_doubtful_votes(table, columns, rows, options)
    if options.columns.get("time") != "":
        refuse_mirrors(table, columns, rows)
    return rows


def _note_times(table: Table, columns: VoteColumns) -> list[Note]:
    """A note if votes carry times and do not stand in their order."""
    name = columns.roles.get("time")
    if name is None:
        return []
    with report_damage(table.source):
        relation = table.relate({"time": name}, {})
        time, _ = relation.columns[name]
        if relation.is_text(name):
            number = f"try_cast({time} AS DOUBLE)"
            ((known, plain),) = relation.engine.ask(
                f"SELECT count({time}), count({number}) FROM {relation.clause}"
            )
            time = number if known == plain else time
        rows = f"SELECT place, {time} AS time FROM {relation.clause} WHERE {time} IS NOT NULL"
        earlier = f"SELECT place, time < lag(time) OVER (ORDER BY place) AS earlier FROM ({rows})"
        ((first,),) = relation.engine.ask(f"SELECT min(place) FROM ({earlier}) WHERE earlier")
    if first is None:
        return []
    row = table.header_rows + 1 + int(first)
    return [
        Note(
            "unordered-times",
            f"The votes do not stand in the order of {name!r}: row {row} is earlier than the one "
            "above it. Strengths do not depend on the order; --anytime takes the file as it is.",
        )
    ]


def _refuse_lists(table: Table, columns: VoteColumns) -> None:
    """Refuse categories that come as lists: a vote then belongs to several."""
    for role in ("category", "task"):
        name = columns.roles.get(role)
        if name is None:
            continue
        cells = Header.of(table).cells[name]
        if any(isinstance(cell, list | tuple | dict | np.ndarray) for cell in cells):
            raise DataError(
                f"{table.source}: the column {name!r} holds several categories in one cell, so a "
                "vote belongs to more than one. Tasks that share votes are not separate evidence, "
                "so nothing can be said about a new one. Rank all votes as one task (--column "
                f"{role}=), or name a column with one category per vote."
            )


def _hold_fractions(table: Table, sides: tuple[str, str]) -> bool:
    """Whether two columns hold numbers, and some that are not whole: scores, and no names."""
    header = Header.of(table)
    held = [number or 0.0 for name in sides for number in header.read[name]]
    return {*sides} <= header.numbers and any(one % 1.0 > 0.0 for one in held)


def _several_models(table: Table, columns: VoteColumns) -> bool:
    """Whether a table without two columns of models ranks, chooses, or names winner and loser."""
    from rankbars.tables.votes.rankings import looks_like_options, looks_like_ranking

    looks = {"ranking": looks_like_ranking, "options": looks_like_options}.get(columns.layout)
    if looks is not None:
        return looks(Header.of(table).cells[columns.roles[columns.layout]])
    return columns.layout == "loser"


def _scores_of_beats(table: Table, task: str, *, declared: bool) -> Scores:
    """Votes of a square table, in which rows beat columns and the diagonal does not count."""
    check_header(table.columns, table.source)
    rows = table.head(_MOST_MODELS + 1)
    names = [_name(row[0]) or "" for row in rows]
    totals = _totals(names, table.columns[1:])
    rows = [row for row, name in zip(rows, names, strict=True) if name not in totals]
    names = [name for name in names if name not in totals]
    kept = [place for place, name in enumerate(table.columns) if place and name not in totals]
    columns = [table.columns[place] for place in kept]
    if sorted(names) != sorted(columns):
        odd = sorted(set(names) ^ set(columns))[:5]
        raise DataError(
            f"{table.source}: a square table of wins names the same models in its rows and its "
            f"columns; these are in one of them only: {', '.join(map(repr, odd))}."
        )
    models = tuple(sorted(columns))
    place = {name: i for i, name in enumerate(models)}
    wins = np.zeros((len(models),) * 2)
    for number, (name, row) in enumerate(zip(names, rows, strict=True)):
        for column, cell in zip(columns, [row[place] for place in kept], strict=True):
            if name == column:
                continue
            if isinstance(cell, str) and cell.rstrip().endswith("%"):
                raise DataError(_ask_for_votes(table.source, f"cells such as {cell!r}"))
            wins[place[name], place[column]] = _count(table, number, column, cell)
    _refuse_rates(wins, table.source, counted=declared or _count_wins(totals))
    notes = (Note("beats", "Rows beat columns: a cell counts the votes that its row won."),)
    return Scores({task: Votes(models, wins)}, notes=notes)


def _refuse_rates(wins: NDArray[np.float64], source: str, *, counted: bool) -> None:
    """Raises `DataError` where cells are rates of wins, of which no number of votes is known.

    A tie may be half a win of each, so counts are whole numbers or halves.
    """
    halves = bool((2.0 * wins % 1.0 == 0.0).all())
    if not halves and wins.max() <= 1.0:
        raise DataError(_ask_for_votes(source, "fractions of 1"))
    sums = wins + wins.T
    met = sums[sums > 0.0]
    hundred = len(met) > 0 and bool((np.abs(met - 100.0) <= (0.0 if halves else 0.2)).all())
    if not hundred or (halves and counted):
        return
    message = _ask_for_votes(source, "opposite cells that sum to 100 for every pair")
    if halves:
        message += (
            " If they are numbers of votes, 100 of each pair, add: --layout beats (in Python: "
            "layout='beats')."
        )
    raise DataError(message)


def _ask_for_votes(source: str, found: str) -> str:
    return (
        f"{source}: a square table with {found}, as rates of wins have, does not say how many "
        "votes a pair has, and without that nothing can be said about ranks. Write numbers of "
        "votes won into the cells (rate times votes of the pair), or give a row for each pair "
        "with the columns model_a, model_b, wins_a, wins_b."
    )


def _count(table: Table, number: int, column: str, cell: object) -> float:
    value = parse_number(cell) if isinstance(cell, str) else 0.0 if cell is None else cell
    if not isinstance(value, Real) or value < 0 or value == float("inf"):
        raise DataError(
            f"{table.source}, row {table.header_rows + 1 + number}: {cell!r} in column {column!r} "
            "is not a number of votes. Expected 0 or more."
        )
    return 0.0 if math.isnan(value) else float(value)


def _is_square(table: Table) -> bool:
    """Whether the names of the rows are those of the columns, in any order."""
    columns = list(table.columns)
    if not 3 <= len(columns) <= _MOST_MODELS:
        return False
    rows = table.head(len(columns) + 1)
    names = [_name(row[0]) for row in rows]
    if None in names or len(names) < 2:
        return False
    rows_named, totals = [str(name) for name in names], _totals(map(str, names), columns[1:])
    return sorted(one for one in rows_named if one not in totals) == sorted(
        one for one in columns[1:] if one not in totals
    )


def _totals(rows: Iterable[str], columns: Iterable[str]) -> set[str]:
    """Names of rows or of columns alone that count what stands beside them."""
    words = split_words("total wins won sum losses lost matches games votes rate mean average avg")
    apart = set(rows) ^ set(columns)
    return {name for name in apart if words & _words(name)}


def _count_wins(totals: Iterable[str]) -> bool:
    """Whether totals beside a square say that its cells are wins; rates have games beside them."""
    return any({"wins", "won"} & _words(name) and "rate" not in _words(name) for name in totals)


def _words(name: str) -> set[str]:
    return set(re.split(r"[\W_]+", name.casefold()))


def _name(cell: object) -> str | None:
    try:
        return label_text(cell)
    except DataError:
        return None

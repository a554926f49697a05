"""Rows of votes → `Scores`: one task per table, or one per category."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.votes import Ballots, Labels, Votes, merge_votes
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name
from rankbars.tables.relations import Table
from rankbars.tables.tableoptions import TableOptions
from rankbars.tables.voting.columns import VoteColumns
from rankbars.tables.voting.rows import VoteRows

__all__ = [
    "find_controls",
    "join_tasks",
    "refuse_overlap",
    "scores_of_rows",
]

_LABELS = ("judge", "prompt", "cluster")
_MOST_NAMES = 5
_LONGEST_NAME = 64
_MOST_MODELS = 10_000  # every pair of models has a cell, which takes some gigabytes here
_CHANCE = 0.05


def find_controls(table: Table, names: Sequence[str]) -> tuple[tuple[str, str, str | None], ...]:
    """Columns of each control but the position: one of differences, or one for each model.

    Raises
    ------
    DataError
        If there is no such column.
    """
    found: list[tuple[str, str, str | None]] = []
    folded = {fold_name(name): name for name in table.columns}
    for name in names:
        if name == "position":
            continue
        if name in table.columns:
            found.append((name, name, None))
            continue
        for one, other in (("a", "b"), ("1", "2"), ("left", "right")):
            pair = folded.get(fold_name(f"{name}{one}")), folded.get(fold_name(f"{name}{other}"))
            if pair[0] is not None and pair[1] is not None:
                found.append((name, pair[0], pair[1]))
                break
        else:
            shown = ", ".join(map(repr, table.columns[:20]))
            raise DataError(
                f"{table.source}: there is nothing to control {name!r} by: no column has that name "
                f"(first model less second), and none are called {name}_a and {name}_b. Columns: "
                f"{shown}."
            )
    return tuple(found)


def scores_of_rows(
    rows: VoteRows, columns: VoteColumns, options: TableOptions, task: str, source: str
) -> Scores:
    """Votes by task, with what must be said about how they were read.

    Parameters
    ----------
    rows : VoteRows
        All votes of a table.
    columns : VoteColumns
        What its columns mean.
    options : TableOptions
        What the caller declares.
    task : str
        Name of the task where no column names one.
    source : str
        Name of the table for messages.

    Raises
    ------
    DataError
        If there is no vote, a vote has no task, or a vote stands in several categories.
    """
    if not rows.first.size:
        raise DataError(f"{source}: no vote has an outcome, so there is nothing to rank.")
    controls = _controls(rows, options)
    by = next((role for role in ("task", "category") if role in rows.labels), None)
    tasks: dict[str, Votes] = {}
    if by is None:
        tasks[task] = _votes(rows, controls)
    else:
        names, codes = rows.labels[by]
        if (codes < 0).any():
            number = int((codes < 0).sum())
            raise DataError(
                f"{source}: {number:,} votes have no {by}. Fill the column, leave those votes out, "
                f"or switch it off to rank all votes as one task: --column {by}=."
            )
        refuse_overlap(rows, by, source)
        for code in np.unique(codes):
            tasks[names[code]] = _votes(rows.take(codes == code), controls)
    notes = _notes(rows, columns, by)
    if by is not None:
        notes += _shared_voters(rows, by)
    return Scores(tasks, notes=tuple(notes))


def join_tasks(parts: Sequence[Scores]) -> Scores:
    """Votes of several tables; tasks of one name are put together."""
    found: dict[str, list[Votes]] = {}
    for part in parts:
        for name, evidence in part.tasks.items():
            if isinstance(evidence, Votes):
                found.setdefault(name, []).append(evidence)
    tasks = {name: votes[0] if len(votes) == 1 else merge_votes(votes)
             for name, votes in found.items()}  # fmt: skip
    notes = [note for part in parts for note in part.notes]
    notes += [note for name, votes in found.items() for note in _dropped_labels(name, votes)]
    return Scores(tasks, notes=tuple(dict.fromkeys(notes)))


def _dropped_labels(task: str, parts: Sequence[Votes]) -> list[Note]:
    """A note if some tables of a task say what their votes belong to and others do not."""
    kinds = [
        frozenset(() if one.ballots is None else one.ballots.labels) - {"vote"} for one in parts
    ]
    lost = sorted(frozenset().union(*kinds) - kinds[0].intersection(*kinds[1:]))
    if not lost:
        return []
    what = " and ".join(lost)
    text = (
        f"Only some of the tables of {task!r} name {what} of their votes, so that votes are not "
        f"clustered by {what}. Name them everywhere, or rank the tables one by one."
    )
    return [Note("labels-dropped", text, task)]


def refuse_overlap(rows: VoteRows, by: str, source: str) -> None:
    """Refuse categories that share votes.

    A vote is known by its models, outcome, voter, prompt and conversation. Without a prompt or a
    conversation nothing can be known, and categories are taken at their word; without a voter a
    few votes that look the same are taken for different ones.

    Raises
    ------
    DataError
        If a vote stands in several categories.
    """
    if not {"prompt", "cluster"} & set(rows.labels):
        return
    names, codes = rows.labels[by]
    keys = [rows.first, rows.second, rows.outcome]
    keys += [rows.labels[role][1] for role in _LABELS if role in rows.labels]
    order = np.lexsort((codes, *keys))
    same = np.ones(order.size - 1, dtype=np.bool_)
    for key in keys:
        same &= key[order[1:]] == key[order[:-1]]
    twice = same & (codes[order[1:]] != codes[order[:-1]])
    # Without a voter, two people may have voted alike on one pair of answers.
    least = 1 if "judge" in rows.labels else _CHANCE * codes.size
    if twice.sum() < least:
        return
    first = int(np.flatnonzero(twice)[0])
    one, other = names[codes[order[first]]], names[codes[order[first + 1]]]
    raise DataError(
        f"{source}: the categories overlap: {int(twice.sum()):,} votes stand in two of them or "
        f"more, for instance in {one!r} and {other!r}. Tasks that share votes are not separate "
        "evidence, so nothing can be said about a new one. Rank all votes as one task, each vote "
        f"once (--column {by}=), or one category at a time from a table that holds only that one."
    )


def _shared_voters(rows: VoteRows, by: str) -> list[Note]:
    """A note if voters took part in several tasks, which averages take as independent."""
    if "judge" not in rows.labels:
        return []
    judge, task = rows.labels["judge"][1], rows.labels[by][1]
    known = judge >= 0
    pairs = np.unique(np.stack([judge[known], task[known]]), axis=1)
    several = int((np.bincount(pairs[0]) > 1).sum()) if pairs.size else 0
    if not several:
        return []
    return [
        Note(
            "shared-voters",
            f"{several:,} voters took part in several tasks. Averages and new-task intervals take "
            "the errors of tasks as independent, so they are a little too sure.",
        )
    ]


def _votes(rows: VoteRows, controls: tuple[str, ...]) -> Votes:
    """Votes of one task over the models that occur in it."""
    used = np.unique(np.concatenate([rows.first, rows.second]))
    models = tuple(rows.models[i] for i in used)
    if len(models) > _MOST_MODELS:
        raise DataError(
            f"The votes name {len(models):,} models, such as {models[0]!r}; more than "
            f"{_MOST_MODELS:,} cannot be ranked together. If these are no models, name the columns "
            "that hold them: --column model_a=NAME --column model_b=NAME."
        )
    labels = {
        role: Labels(rows.labels[role][1], tuple(map(_short, rows.labels[role][0])))
        for role in _LABELS
        if role in rows.labels
    }
    total = int(rows.votes.sum())
    labels = {role: _used_labels(one) for role, one in labels.items() if 1 <= one.groups < total}
    if rows.shared:
        units, codes = np.unique(rows.row, return_inverse=True)
        labels["vote"] = Labels(codes.astype(np.int64), tuple(map(str, units.tolist())))
    covariates = rows.covariates
    if "position" in controls and rows.position is not None:
        covariates = np.column_stack([rows.position.astype(np.float64), covariates])
    ballots = Ballots(
        np.searchsorted(used, rows.first),
        np.searchsorted(used, rows.second),
        rows.outcome,
        None if (rows.votes == 1).all() else rows.votes,
        rows.weight if rows.weighted else None,
        rows.squared if rows.weighted else None,
        labels,
        rows.position,
        covariates if controls else None,
        controls,
    )
    keep = bool(labels) or rows.weighted or bool(controls) or rows.position is not None
    return Votes.from_ballots(models, ballots, keep=keep)


def _short(name: str) -> str:
    """A name as it is; a text, such as a prompt, as its hash: no text is kept."""
    if len(name) <= _LONGEST_NAME:
        return name
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _used_labels(labels: Labels) -> Labels:
    """The same labels without names that do not occur."""
    used = np.unique(labels.codes[labels.codes >= 0])
    if used.size == len(labels.names):
        return labels
    position = np.full(len(labels.names) + 1, -1, dtype=np.int64)
    position[used] = np.arange(used.size)
    return Labels(position[labels.codes], tuple(labels.names[code] for code in used))


def _controls(rows: VoteRows, options: TableOptions) -> tuple[str, ...]:
    others = tuple(name for name in options.controls if name != "position")
    if "position" not in options.controls:
        return others
    if rows.position is None:
        raise DataError(
            "The position cannot be controlled for: nothing says which model was shown first. Name "
            "the column that says it: --column position=NAME; if the first column of models is "
            "the one shown first, name that column itself."
        )
    if (rows.position == 0).any():
        raise DataError(
            f"The position cannot be controlled for: {int((rows.position == 0).sum()):,} votes do "
            "not say which model was shown first."
        )
    return ("position", *others)


def _notes(rows: VoteRows, columns: VoteColumns, by: str | None) -> list[Note]:
    text = f"Columns: {columns.describe()}."
    if columns.unused:
        shown = ", ".join(map(repr, columns.unused[:_MOST_NAMES]))
        more = len(columns.unused) - _MOST_NAMES
        text += f" Not used: {shown}{f' and {more} more' if more > 0 else ''}."
    notes = [Note("columns", text)]
    if columns.ordered:
        notes.append(
            Note("position-from-columns", "The first model of a row was taken as the one shown "
                 "first.")
        )  # fmt: skip
    if columns.category is not None and by is None:
        notes.append(
            Note(
                "categories-unused",
                f"All votes are one task. The column {columns.category!r} holds categories; if no "
                "vote belongs to two of them, they can be ranked as tasks: --column "
                f"category={columns.category}.",
            )
        )
    if rows.winners:
        what = {
            "names": "the names of the models that won",
            "words": "the side that won, first or second",
        }[rows.winners]
        notes.append(
            Note(
                "winners",
                "Some winners are the name of a model and also a word for a side; they were read "
                f"as {what}.",
            )
        )
    for number, code, what in (
        (rows.unscored, "votes-unscored", "without an outcome"),
        (rows.against_self, "votes-against-self", "of a model against itself"),
        (rows.named, "votes-not-anonymous", "cast with the names of the models in sight"),
    ):
        if number:
            votes = f"{number:,} vote{'s' if number > 1 else ''}"
            notes.append(Note(code, f"Left out: {votes} {what}."))
    return notes

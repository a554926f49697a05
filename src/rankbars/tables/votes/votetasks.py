"""Rows of votes → `Scores`: one task per table, or one per category."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.mergedvotes import merge_votes
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.votes import Ballots, Labels, Votes
from rankbars.errors import DataError
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.votes.castvotes import VoteRows
from rankbars.tables.votes.votecells import Names
from rankbars.tables.votes.votecolumns import VoteColumns

__all__ = ["drop_singles", "join_tasks", "scores_of_rows"]

LABELS = ("judge", "prompt", "cluster")
MOST_NAMES = 5
LONGEST_NAME = 64
MOST_MODELS = 10_000  # every pair of models has a cell, which takes some gigabytes here
CHANCE = 0.05
FEWEST = 20  # votes that two tables share, before they are said to repeat each other
MOST_COMPARED = 1 << 21
MIXER = np.uint64(0x9E3779B97F4A7C15)


def scores_of_rows(
    rows: VoteRows, columns: VoteColumns, options: ReadOptions, task: str, source: str
) -> Scores:
    """Votes by task, with what must be said about how they were read; still to be joined.

    Parameters
    ----------
    rows : VoteRows
        All votes of a table.
    columns : VoteColumns
        What its columns mean.
    options : ReadOptions
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
        if codes.min() < 0:
            raise DataError(
                f"{source}: {rows.count(codes < 0):,} votes have no {by}. Fill the column, leave "
                "those votes out, or switch it off to rank all votes as one task: --column "
                f"{by}=."
            )
        _refuse_overlap(rows, by, source)
        for code in np.flatnonzero(np.bincount(codes)):
            tasks[names[code]] = _votes(rows.take(codes == code), controls)
    notes = _notes(rows, columns, by)
    if "position" not in controls:
        notes += _uneven_sides(rows)
    if by is not None:
        notes += _shared_voters(rows, by)
    return Scores(tasks, notes=tuple(notes))


def join_tasks(
    parts: Sequence[Scores], sources: Sequence[str] = ("",), *, singles: bool = False
) -> Scores:
    """Votes of several tables; tasks of one name are put together.

    Labels that tell all votes of a task apart are left out, unless `singles` are asked for: nothing
    is clustered by them.

    Parameters
    ----------
    parts : sequence of Scores
        What the tables hold, from `scores_of_rows`.
    sources : sequence of str
        Their names for messages.
    singles : bool
        Whether labels stay that tell all votes apart.
    """
    found: dict[str, list[Votes]] = {}
    places: dict[str, list[str]] = {}
    for part, source in zip(parts, sources, strict=True):
        for name, evidence in part.tasks.items():
            if isinstance(evidence, Votes):
                found.setdefault(name, []).append(evidence)
                places.setdefault(name, []).append(source)
    tasks: dict[str, Votes] = {}
    notes = [note for part in parts for note in part.notes]
    for name, votes in found.items():
        whole = votes[0] if len(votes) == 1 else merge_votes(votes)
        notes += _repeated_votes(name, whole, votes, places[name])
        tasks[name] = whole if singles else drop_singles(whole)
    notes += [note for name, votes in found.items() for note in _dropped_labels(name, votes)]
    return Scores(tasks, notes=tuple(dict.fromkeys(notes)))


def _repeated_votes(
    task: str, whole: Votes, parts: Sequence[Votes], sources: Sequence[str]
) -> list[Note]:
    """A note if votes of one table stand in another: they count each time.

    A vote is known by its models, outcome, voter, prompt and conversation. People also vote alike
    by chance: tables repeat each other where they share ten times as many votes as one of them
    would hold twice then.
    """
    ballots = whole.ballots
    labels = {} if ballots is None else {k: v for k, v in ballots.labels.items() if k in LABELS}
    if len(parts) < 2 or ballots is None or not labels:
        return []
    from scipy.sparse import csr_array

    key = np.zeros(ballots.first.size, dtype=np.uint64)
    codes = [ballots.first, ballots.second, ballots.outcome, *(v.codes for v in labels.values())]
    for one in codes:
        key = key * MIXER + one.astype(np.uint64)
    table = np.concatenate(
        [np.full(one.ballots.first.size, k) for k, one in enumerate(parts) if one.ballots]
    )
    scale, about = 1.0, ""
    if key.size > MOST_COMPARED:
        # Of many votes a sixteenth, drawn by what they are: the same ones in every table.
        drawn = (key * MIXER) >> np.uint64(60) == 0
        key, table, scale, about = key[drawn], table[drawn], 16.0, "About "
    names, code = np.unique(key, return_inverse=True)
    counts = csr_array((np.full(key.size, scale), (table, code)), shape=(len(parts), names.size))
    shared = (counts @ (counts > 0).astype(np.float64).T).toarray()
    size = shared.diagonal().copy()
    twice = np.bincount(
        counts.tocoo().row, np.where(counts.data > scale, counts.data, 0), len(parts)
    )
    np.fill_diagonal(shared, 0)
    expected = shared / size[:, None] * size  # twice in the other table, if by chance
    found = (shared >= FEWEST) & (expected >= FEWEST) & (expected >= 10 * twice)
    found &= shared >= CHANCE * size[:, None]
    if not found.any():
        return []
    share = np.where(found, shared / size[:, None], 0)
    first, other = divmod(int(share.argmax()), len(parts))
    more = int(found.any(axis=1).sum()) - 1
    kinds = [f"same {kind}" for kind in ("models", "outcome", *labels)]
    text = (
        f"{about}{shared[first, other]:,.0f} of {size[first]:,.0f} votes of {sources[first]} stand "
        f"in {sources[other]} too ({', '.join(kinds)}), and count each time."
        f"{f' {more} more files share votes so.' if more else ''} If files overlap, as exports "
        "that grow do, give each vote once."
    )
    return [Note("votes-repeated", text, task)]


def drop_singles(votes: Votes) -> Votes:
    """The votes without labels of which each has one vote; only counts where nothing else is known.

    Parameters
    ----------
    votes : Votes
        Votes with all that tables said of them.

    Notes
    -----
    What tables said of their votes alone is lost if they do not all say it.
    """
    ballots = votes.ballots
    if ballots is None:
        return votes
    total = ballots.n
    every = {role: _used_labels(one) for role, one in ballots.labels.items()}
    labels = {role: one for role, one in every.items() if role == "vote" or len(one.names) < total}
    if any(one is not ballots.labels[role] for role, one in labels.items()) or (
        len(labels) < len(every)
    ):
        ballots = replace(ballots, labels=labels)
    known = (ballots.weight, ballots.position, ballots.covariates, ballots.categories)
    keep = bool(labels or ballots.covariate_names) or any(one is not None for one in known)
    if keep and ballots is votes.ballots:
        return votes
    return Votes.from_ballots(votes.models, ballots, keep=keep)


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


def _refuse_overlap(rows: VoteRows, by: str, source: str) -> None:
    """Refuse categories that share votes.

    A vote is known by its models, outcome, voter, prompt and conversation. Without a prompt or a
    conversation nothing can be known, and categories are taken at their word; without a voter a
    few votes that look the same are taken for different ones.

    Raises
    ------
    DataError
        If a vote stands in several categories.
    """
    if rows.single or not {"prompt", "cluster"} & set(rows.labels):
        return
    names, codes = rows.labels[by]
    keys = [rows.first, rows.second, rows.outcome]
    keys += [rows.labels[role].codes for role in LABELS if role in rows.labels]
    order = np.lexsort((codes, *keys))
    same = np.ones(order.size - 1, dtype=np.bool_)
    for key in keys:
        same &= key[order[1:]] == key[order[:-1]]
    twice = same & (codes[order[1:]] != codes[order[:-1]])
    # Without a voter, two people may have voted alike on one pair of answers.
    least = 1 if "judge" in rows.labels else CHANCE * codes.size
    if twice.sum() < least:
        return
    shared = np.zeros(codes.size, dtype=np.bool_)
    shared[order[1:][twice]] = True
    first = int(np.flatnonzero(twice)[0])
    one, other = names[codes[order[first]]], names[codes[order[first + 1]]]
    raise DataError(
        f"{source}: the categories overlap: {rows.count(shared):,} votes stand in two of them or "
        f"more, for instance in {one!r} and {other!r}. Tasks that share votes are not separate "
        "evidence, so nothing can be said about a new one. Rank all votes as one task, each vote "
        f"once (--column {by}=), or one category at a time from a table that holds only that one."
    )


def _shared_voters(rows: VoteRows, by: str) -> list[Note]:
    """A note if voters took part in several tasks, which averages take as independent."""
    if "judge" not in rows.labels:
        return []
    judge, task = rows.labels["judge"].codes, rows.labels[by].codes
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
    size = len(rows.models)
    seen = np.bincount(rows.first, minlength=size) + np.bincount(rows.second, minlength=size) > 0
    models = tuple(rows.models[i] for i in np.flatnonzero(seen))
    if len(models) > MOST_MODELS:
        raise DataError(
            f"The votes name {len(models):,} models, such as {models[0]!r}; more than "
            f"{MOST_MODELS:,} cannot be ranked together. If these are no models, name the columns "
            "that hold them: --column model_a=NAME --column model_b=NAME."
        )
    place = np.cumsum(seen) - 1
    labels = {}
    for role in LABELS:
        known = _used_labels(rows.labels[role]) if role in rows.labels else None
        if known is not None and known.names:
            labels[role] = known
    if rows.unit is not None:
        units, codes = np.unique(rows.unit, return_inverse=True)
        labels["vote"] = Labels(codes, tuple(map(str, units.tolist())))
    covariates = rows.covariates
    if "position" in controls and rows.position is not None:
        covariates = rows.position[:, None].astype(np.float64)
        if rows.covariates is not None:
            covariates = np.column_stack([covariates, rows.covariates])
    single = rows.votes is None or bool((rows.votes == 1).all())
    ballots = Ballots(
        _locked(place[rows.first]),
        _locked(place[rows.second]),
        _locked(rows.outcome.astype(np.int64)),
        None if single else rows.votes,
        rows.weight,
        rows.squared,
        labels,
        None if rows.position is None else rows.position.astype(np.int64),
        covariates if controls else None,
        controls,
        rows.categories,
        rows.category_names,
    )
    keep = bool(labels) or rows.weight is not None or bool(controls) or rows.position is not None
    keep |= rows.categories is not None
    return Votes.from_ballots(models, ballots, keep=keep)


def _locked(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The same array, which is then shared and not copied."""
    codes.setflags(write=False)
    return codes


def _short(name: str) -> str:
    """A name as it is; a text, such as a prompt, as its hash: no text is kept."""
    if len(name) <= LONGEST_NAME:
        return name
    return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _used_labels(names: Names | Labels) -> Labels:
    """Labels with the names that occur."""
    used = np.bincount(names.codes + 1, minlength=len(names.names) + 1)[1:] > 0
    known = names.names
    if used.all() and isinstance(names, Labels):
        return names
    if not used.all():
        known = tuple(known[code] for code in np.flatnonzero(used))
    if max(map(len, known), default=0) > LONGEST_NAME:
        known = tuple(map(_short, known))
    position = np.append(np.where(used, np.cumsum(used) - 1, -1), -1)
    return Labels(_locked(position[names.codes]), known)


def _controls(rows: VoteRows, options: ReadOptions) -> tuple[str, ...]:
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
            f"The position cannot be controlled for: {rows.count(rows.position == 0):,} votes do "
            "not say which model was shown first."
        )
    return ("position", *others)


def _uneven_sides(rows: VoteRows) -> list[Note]:
    """A note if a model was shown first much more or less often than chance would have it."""
    if rows.position is None:
        return []
    size = len(rows.models)
    votes = np.ones(rows.first.size) if rows.votes is None else rows.votes.astype(np.float64)
    ahead = votes * rows.position
    lead = np.bincount(rows.first, ahead, size) - np.bincount(rows.second, ahead, size)
    known = votes * (rows.position != 0)
    every = np.bincount(rows.first, known, size) + np.bincount(rows.second, known, size)
    extreme = np.abs(lead) / np.sqrt(np.maximum(every, 1.0))
    model = int(extreme.argmax())
    if extreme[model] < _UNEVEN:
        return []
    share = (1.0 + lead[model] / every[model]) / 2.0
    return [
        Note(
            "sides-uneven",
            f"{rows.models[model]!r} was first in {100 * share:.0f} % of its votes. If the first "
            "side has an advantage, as white in chess or the team at home, strengths hold it, too; "
            "--control position adjusts for it (in Python: controls='position').",
        )
    ]


_UNEVEN = 4.0  # standard errors of a share of one half


def _notes(rows: VoteRows, columns: VoteColumns, by: str | None) -> list[Note]:
    text = f"Columns: {columns.describe()}."
    if columns.unused:
        shown = ", ".join(map(repr, columns.unused[:MOST_NAMES]))
        more = len(columns.unused) - MOST_NAMES
        text += f" Not used: {shown}{f' and {more} more' if more > 0 else ''}."
    notes = [Note("columns", text)]
    if columns.ordered:
        notes.append(
            Note("position-from-columns", "The first model of a row was taken as the one shown "
                 "first.")
        )  # fmt: skip
    if rows.single:
        what = " and of ".join(
            repr(columns.roles.get(role, role)) for role in LABELS if role in rows.single
        )
        notes.append(
            Note(
                "names-of-one-vote",
                f"Every name of {what} has one vote: the names are taken for ids of votes, and "
                "left aside. Votes are not clustered by them.",
            )
        )
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
    if rows.spelled:
        pairs = [f"{word!r} for {name!r}" for word, name in sorted(rows.spelled.items())]
        notes.append(
            Note(
                "winners-spelled",
                f"Some winners are written in another case than the model ({', '.join(pairs[:4])}"
                f"{', …' if len(pairs) > 4 else ''}); they were read as its name.",
            )
        )
    if rows.graded is not None:
        one, other = rows.graded
        text = f"Winners such as {one!r} and {other!r} count alike, as one win."
        notes.append(Note("winners-graded", text))
    for number, code, what in (
        (rows.unscored, "votes-unscored", "without an outcome"),
        (rows.against_self, "votes-against-self", "of a model against itself"),
        (rows.named, "votes-not-anonymous", "cast with the names of the models in sight"),
    ):
        if number:
            votes = f"{number:,} vote{'s' if number > 1 else ''}"
            notes.append(Note(code, f"Left out: {votes} {what}."))
    return notes

"""Votes of several sources as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.votes import BAD, TIE, WIN, Ballots, Labels, Votes
from rankbars.errors import DataError

__all__ = ["merge_votes"]


def merge_votes(parts: Sequence[Votes]) -> Votes:
    """Votes of several sources as one.

    Parameters
    ----------
    parts : sequence of Votes
        At least one; their models may differ. Single votes are kept if all parts have them, or
        some have weights; labels and covariates are kept if all parts have the same kinds.

    Returns
    -------
    Votes
        Over all models, in code-point order.

    Raises
    ------
    DataError
        If there are no parts.

    Examples
    --------
    >>> one = Votes(("a", "b"), [[0, 3], [1, 0]])
    >>> two = Votes(("b", "c"), [[0, 2], [2, 0]])
    >>> merge_votes([one, two]).wins.tolist()
    [[0.0, 3.0, 0.0], [1.0, 0.0, 2.0], [0.0, 2.0, 0.0]]
    """
    if not parts:
        raise DataError("There are no votes to merge.")
    models = tuple(sorted({name for part in parts for name in part.models}))
    known = [part.ballots for part in parts if part.ballots is not None]
    if len(known) == len(parts) or any(one.weight is not None for one in known):
        places = [np.array([models.index(name) for name in part.models]) for part in parts]
        # Weights are no counts, so that counts become rows and not the other way round.
        return Votes.from_ballots(models, _stack_ballots([_rows_of(one) for one in parts], places))
    tables = {name: np.zeros((len(models),) * 2) for name in ("wins", "ties", "both_bad")}
    for part in parts:
        place = [models.index(name) for name in part.models]
        for name, table in tables.items():
            counts = getattr(part, name)
            if counts is not None:
                table[np.ix_(place, place)] += counts
    ties, bad = tables["ties"], tables["both_bad"]
    return Votes(models, tables["wins"], ties if ties.any() else None, bad if bad.any() else None)


def _rows_of(votes: Votes) -> Ballots:
    """Single votes; where only counts are known, one row for each pair and outcome."""
    if votes.ballots is not None:
        return votes.ballots
    cells = [(np.argwhere(votes.wins > 0), votes.wins, WIN)]
    for table, outcome in ((votes.ties, TIE), (votes.both_bad, BAD)):
        if table is not None:
            cells.append((np.argwhere(np.triu(table) > 0), table, outcome))
    first, second = np.concatenate([places for places, *_ in cells]).T
    counts = np.concatenate([table[tuple(places.T)] for places, table, _ in cells])
    outcomes = np.concatenate([np.full(len(places), outcome) for places, _, outcome in cells])
    whole = np.rint(counts).astype(np.int64)
    loads = None if np.array_equal(whole, counts) else counts
    return Ballots(first, second, outcomes, whole, loads, loads)


def _stack_ballots(parts: Sequence[Ballots], places: Sequence[NDArray[np.int64]]) -> Ballots:
    weighted = any(part.weight is not None for part in parts)
    shared = [name for name in parts[0].labels if all(name in part.labels for part in parts)]
    alike = len({part.covariate_names for part in parts}) == 1
    placed = all(part.position is not None for part in parts)
    return Ballots(
        np.concatenate([place[part.first] for part, place in zip(parts, places, strict=True)]),
        np.concatenate([place[part.second] for part, place in zip(parts, places, strict=True)]),
        np.concatenate([part.outcome for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.weights for part in parts]) if weighted else None,
        np.concatenate([part.squares for part in parts]) if weighted else None,
        {name: _stack_labels(name, [part.labels[name] for part in parts]) for name in shared},
        np.concatenate([_known(part.position) for part in parts]) if placed else None,
        np.concatenate([_known(part.covariates) for part in parts])
        if alike and parts[0].covariate_names
        else None,
        parts[0].covariate_names if alike else (),
        *_stack_categories(parts),
    )


def _stack_categories(
    parts: Sequence[Ballots],
) -> tuple[NDArray[np.int64] | None, tuple[str, ...]]:
    """Categories under common bits, in order of their names."""
    names = tuple(sorted({name for part in parts for name in part.category_names}))
    if not names:
        return None, ()
    stacked = []
    for part in parts:
        bits = np.zeros(part.first.size, dtype=np.int64)
        for k, name in enumerate(part.category_names):
            if part.categories is not None:
                bits |= ((part.categories >> k) & 1) << min(names.index(name), 62)
        stacked.append(bits)
    return np.concatenate(stacked), names


def _stack_labels(kind: str, parts: Sequence[Labels]) -> Labels:
    """Labels under common codes; a vote of one part is never one of another."""
    if kind == "vote":
        offsets = np.cumsum([0, *(len(part.names) for part in parts)])
        moved = [
            np.where(part.codes < 0, -1, part.codes + offset)
            for part, offset in zip(parts, offsets[:-1], strict=True)
        ]
        return Labels(np.concatenate(moved), tuple(map(str, range(offsets[-1]))))
    if all(part.names is parts[0].names for part in parts):
        return Labels(np.concatenate([part.codes for part in parts]), parts[0].names)
    names = tuple(sorted({name for part in parts for name in part.names}))
    place = {name: code for code, name in enumerate(names)}
    codes = []
    for part in parts:
        position = np.array([*(place[name] for name in part.names), -1], dtype=np.int64)
        codes.append(position[part.codes])
    return Labels(np.concatenate(codes), names)


def _known(values: NDArray[np.generic] | None) -> NDArray[np.generic]:
    return np.empty(0) if values is None else values

"""Which models the votes put on one scale, before any fit; who is left out, by name."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import take_models
from rankbars.data.notes import Note, join_words, list_names
from rankbars.data.scores import Scores
from rankbars.data.spec import VoteOptions
from rankbars.data.storedtasks import Change, change_tasks
from rankbars.data.votes import Votes
from rankbars.errors import DataError
from rankbars.stats.votes.connectivity import Connectivity, find_components, largest_component
from rankbars.steps.votes.tallies import tally

__all__ = ["connected_models", "keep_connected"]

_MOST_NAMES = 5
_MOST_GROUPS = 3


def connected_models(votes: Votes, options: VoteOptions, task: str) -> NDArray[np.intp]:
    """Positions of the models that can be ranked: all, or the largest group of them.

    Raises
    ------
    DataError
        If the votes do not put all models on one scale and `options` does not ask for the
        largest group, or if that is a single model.
    """
    counts = tally(votes, options)
    groups = find_components(counts)
    if groups.component.max(initial=0) == 0:
        return np.arange(len(votes.models))
    kept = largest_component(counts)
    if options.largest_component and kept.size > 1:
        return kept
    raise DataError(_describe(votes, groups, kept, task))


def _describe(votes: Votes, groups: Connectivity, kept: NDArray[np.intp], task: str) -> str:
    """What is wrong with votes that do not put all models on one scale, and what to do."""
    names = np.array(votes.models, dtype=object)
    alone = np.bincount(groups.island)[groups.island] == 1
    parts = [
        f"{_listed(names[who])} {what}"
        for who, what in (
            (groups.undefeated, "never lost or tied"),
            (groups.winless, "never won or tied"),
            (alone, "met nobody"),
        )
        if who.any()
    ]
    parts += _other_groups(votes, groups)
    where = f"Task {task!r}: the" if task else "The"
    remedy = (
        f"To rank the largest group, {kept.size} of {len(names)} models, add --largest-component "
        "(in Python: votes=rb.VoteOptions(largest_component=True)), or add votes that connect them."
    )
    islands = np.bincount(groups.island)
    if (islands > 1).sum() > 1:
        remedy += (
            " If they are arenas of their own: --arena-per-file (each file is one; in Python "
            "arena_per_file=True), or name a column that tells them apart: --column task=NAME."
        )
    if kept.size < 2:
        remedy = "No two models can be compared: add votes that connect them."
    return (
        f"{where} votes do not put all {len(names)} models on one scale, so their strengths have "
        f"no finite values: {'; '.join(parts)}. {remedy}"
    )


def _other_groups(votes: Votes, groups: Connectivity) -> list[str]:
    """Groups of two and more models that are cut off, in words."""
    sizes = np.bincount(groups.component)
    parts = []
    several = [number for number in range(1, sizes.size) if sizes[number] > 1]
    for number in several[:_MOST_GROUPS]:
        inside = groups.component == number
        won, lost = votes.wins[inside][:, ~inside].any(), votes.wins[~inside][:, inside].any()
        shown = _listed(np.array(votes.models, dtype=object)[inside])
        if won and lost:
            parts.append(f"{shown} always beat, or always lost to, each group of others they met")
        elif won or lost:
            parts.append(f"{shown} always {'beat' if won else 'lost to'} the others")
        else:
            parts.append(f"{shown} met only each other")
    if len(several) > _MOST_GROUPS:
        parts.append(f"and there are {len(several) - _MOST_GROUPS} more such groups")
    return parts


def _listed(names: NDArray[np.object_]) -> str:
    if len(names) > _MOST_NAMES:
        return list_names(names, _MOST_NAMES)
    return join_words([repr(name) for name in names])


def keep_connected(scores: Scores, options: VoteOptions) -> Scores:
    """Votes among the largest group of comparable models.

    Parameters
    ----------
    scores : Scores
        Results; only votes are looked at.
    options : VoteOptions
        How votes are counted; with ``largest_component``.

    Returns
    -------
    Scores
        With a note that names the models that were left out of a task.

    Raises
    ------
    DataError
        If no two models of a task can be compared.

    Examples
    --------
    >>> votes = Votes(("a", "b", "c"), [[0, 3, 5], [1, 0, 2], [0, 0, 0]])
    >>> kept = keep_connected(Scores({"arena": votes}), VoteOptions(largest_component=True))
    >>> kept.models, kept.notes[0].models
    (('a', 'b'), ('c',))
    """
    changes: dict[str, Change | None] = dict.fromkeys(scores.tasks)
    notes = []
    for name, evidence in scores.tasks.items():
        if not isinstance(evidence, Votes):
            continue
        chosen = connected_models(evidence, options, name)
        if chosen.size == len(evidence.models):
            continue
        models = tuple(evidence.models[i] for i in chosen)
        changes[name] = Change(partial(take_models, columns=chosen), models)
        out = np.setdiff1d(np.arange(len(evidence.models)), chosen)
        notes.append(
            Note(
                "not-connected",
                f"{out.size} of {len(evidence.models)} models were left out, because the votes do "
                "not put them on one scale with the others: "
                f"{list_names((evidence.models[i] for i in out), 10)}. Ranks are among the others.",
                name,
                tuple(evidence.models[i] for i in out),
            )
        )
    return replace(scores, tasks=change_tasks(scores.tasks, changes)).with_notes(notes)

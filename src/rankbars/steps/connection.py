"""The verb `keep_connected`: the models that votes put on one scale, and who was left out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from rankbars.data.evidence import take_models
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import VoteOptions
from rankbars.data.storedtasks import Change, change_tasks
from rankbars.data.votes import Votes

__all__ = ["keep_connected"]


def keep_connected(scores: Scores, options: VoteOptions) -> Scores:
    """Votes among the largest group of comparable models, where that was asked for.

    Parameters
    ----------
    scores : Scores
        Results; only votes are looked at.
    options : VoteOptions
        Nothing happens without ``largest_component``.

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
    if not options.largest_component:
        return scores
    from rankbars.steps.components import connected_models

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
                f"{_listed([evidence.models[i] for i in out])}. Ranks are among the others.",
                name,
                tuple(evidence.models[i] for i in out),
            )
        )
    return replace(scores, tasks=change_tasks(scores.tasks, changes)).with_notes(notes)


def _listed(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:10]))
    return shown if len(names) <= 10 else f"{shown} and {len(names) - 10} more"

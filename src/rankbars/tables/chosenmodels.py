"""Only some of the models: with what must be said of that, or as if there were no others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankbars.data.evidence import Votes
from rankbars.data.notes import Note, note_chosen
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import StoredTasks

__all__ = ["choose_models", "take_alone"]


def choose_models(scores: Scores, models: Sequence[str]) -> Scores:
    """Only these models, with a note if there are others; all of them where none is named."""
    if not models:
        return scores
    chosen = scores.select(models=models)
    if len(chosen.models) == len(scores.models):
        return chosen
    note = note_chosen(len(chosen.models), len(scores.models))
    return chosen.with_notes([note, *_note_other_votes(scores, chosen)])


def take_alone(scores: Scores, models: Sequence[str]) -> Scores:
    """The scores of these models alone: no gap of others matters, nor that they were chosen."""
    chosen = scores.select(models=models)
    notes = [note for note in chosen.notes if note.code != "chosen"]
    return replace(chosen, notes=(*notes, *_note_other_votes(scores, chosen)))


def _note_other_votes(whole: Scores, chosen: Scores) -> tuple[Note, ...]:
    """That votes with models that were not chosen do not count, where there are such votes."""
    if isinstance(whole.tasks, StoredTasks):
        return ()
    counts = {
        name: (one.n, every.n - one.n)
        for name, one in chosen.tasks.items()
        if isinstance(one, Votes) and isinstance(every := whole.tasks[name], Votes)
    }
    kept, others = (sum(column) for column in zip((0, 0), *counts.values(), strict=True))
    if not others:
        return ()
    of_two = "" if len(chosen.models) == 2 else ", and for two of them those between the two"
    text = (
        f"Only the {kept:,} votes between the {len(chosen.models)} chosen models count{of_two}; "
        f"{others:,} votes with others are left aside. A board of all models rests on all of them "
        "(rankbars rank, then rankbars show BOARD --why MODEL), and may tell models apart where "
        "these do not."
    )
    return (Note("other-votes", text),)

"""Names of items made unreadable."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import partial

from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import Change, change_tasks, models_of

__all__ = ["redact_items"]

DIGEST_BYTES = 16


def redact_items(scores: Scores) -> Scores:
    """The same scores with hashes in the place of item names.

    The hash depends on the task and the name alone, so that equal names stay equal between
    readings. It hides text; a name from a short list, such as a number, can be found by trying.

    Parameters
    ----------
    scores : Scores
        What was read.

    Examples
    --------
    >>> scores = Scores({"math": Items(("a",), [[1.0]], ids=("Who wrote this?",))})
    >>> redact_items(scores).tasks["math"].ids
    ('3c38dc5f364ead684b57f09da86d0c79',)
    """
    changes = {
        task: Change(partial(_hide, task), models_of(scores.tasks, task)) for task in scores.tasks
    }
    note = Note("redacted", "Names of items were replaced by hashes.")
    return replace(scores, tasks=change_tasks(scores.tasks, changes), notes=(*scores.notes, note))


def _hide(task: str, evidence: Evidence) -> Evidence:
    if not isinstance(evidence, Items) or evidence.ids is None:
        return evidence
    return replace(evidence, ids=tuple(_hash(task, name) for name in evidence.ids))


def _hash(task: str, name: str) -> str:
    text = f"{task}\0{name}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=DIGEST_BYTES).hexdigest()

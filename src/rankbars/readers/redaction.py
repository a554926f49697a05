"""Names of items made unreadable."""

from __future__ import annotations

import hashlib
from dataclasses import replace

from rankbars.data.evidence import Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores

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
    tasks = {
        task: replace(evidence, ids=tuple(_hash(task, name) for name in evidence.ids))
        if isinstance(evidence, Items) and evidence.ids is not None
        else evidence
        for task, evidence in scores.tasks.items()
    }
    note = Note("redacted", "Names of items were replaced by hashes.")
    return replace(scores, tasks=tasks, notes=(*scores.notes, note))


def _hash(task: str, name: str) -> str:
    text = f"{task}\0{name}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(text, digest_size=DIGEST_BYTES).hexdigest()

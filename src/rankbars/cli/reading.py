"""From the words of the command line to scores, and what is said about them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankbars.cli.options import Reading
from rankbars.cli.streams import say

if TYPE_CHECKING:
    from rankbars.cli.voting import VoteChoices
    from rankbars.data.scores import Scores

__all__ = ["choose", "read_scores", "report_reading"]

MOST_NOTES = 20


def read_scores(
    inputs: Sequence[str], reading: Reading, voting: VoteChoices | None = None
) -> Scores:
    """The scores in `inputs`, read as `reading` says; votes as `voting` says."""
    import rankbars as rb

    return rb.read(
        list(inputs),
        format=reading.format,
        columns=dict(reading.column) or None,
        direction=dict(reading.direction) or None,
        rows=reading.rows,
        folds=reading.folds,
        test_share=reading.test_share,
        metric=reading.metric or None,
        layout=reading.layout,
        minimum=reading.score_min,
        maximum=reading.score_max,
        filter=reading.filter or None,
        reruns=reading.reruns,
        compare_anyway=reading.compare_anyway,
        controls=() if voting is None else voting.control,
        self_votes="raise" if voting is None else voting.self_votes,
        redact=reading.redact,
    )


def choose(scores: Scores, models: Sequence[str], tasks: Sequence[str]) -> Scores:
    """The chosen models and tasks, with a note that says that there were more."""
    from rankbars.data.notes import Note

    if not models and not tasks:
        return scores
    chosen = scores.select(models=models or None, tasks=tasks or None)
    parts = [
        f"{len(kept)} of {len(whole)} {what}"
        for kept, whole, what in (
            (chosen.models, scores.models, "models"),
            (chosen.tasks, scores.tasks, "tasks"),
        )
        if len(kept) < len(whole)
    ]
    if not parts:
        return chosen
    message = (
        f"{' and '.join(parts).capitalize()} were chosen; ranks are among them. The guarantees "
        "hold only if they were chosen without looking at the results."
    )
    return chosen.with_notes([Note("chosen", message)])


def report_reading(scores: Scores) -> None:
    """Say on standard error what was read: files, formats, sizes, notes."""
    say(_files_line(scores))
    say(_size_line(scores))
    messages = list(dict.fromkeys(_note_line(note.task, note.message) for note in scores.notes))
    for message in messages[:MOST_NOTES]:
        say(f"- {message}")
    if len(messages) > MOST_NOTES:
        say(f"- and {len(messages) - MOST_NOTES} more notes, all of them in the board file (-o).")
    say("")


def _files_line(scores: Scores) -> str:
    formats = Counter(entry.format for entry in scores.inputs)
    if len(scores.inputs) == 1:
        return f"Read {scores.inputs[0].path} as {scores.inputs[0].format}."
    how = ", ".join(f"{count} as {name}" for name, count in formats.items())
    return f"Read {len(scores.inputs)} files ({how})."


def _size_line(scores: Scores) -> str:
    from rankbars.data.evidence import Estimates, Items

    rows: Counter[str] = Counter()
    sizes: dict[str, list[int]] = {}
    for evidence in scores.tasks.values():
        count = 0 if isinstance(evidence, Estimates) else evidence.n
        prompts = isinstance(evidence, Items) and evidence.design == "prompts"
        kind: str = "prompts" if prompts else evidence.kind
        rows[kind] += count
        sizes.setdefault(kind, []).append(count)
    parts = []
    for kind, counts in sizes.items():
        if kind == "estimates":
            parts.append(f"published scores on {_plural(len(counts), 'task')}")
        elif min(counts) == max(counts):
            size = f" ({counts[0]:,} per task)" if len(counts) > 1 else ""
            parts.append(f"{_plural(rows[kind], kind[:-1])}{size}")
        else:
            parts.append(f"{rows[kind]:,} {kind} ({min(counts):,} to {max(counts):,} per task)")
    models, tasks = len(scores.models), len(scores.tasks)
    return f"{_plural(models, 'model')}, {_plural(tasks, 'task')}; {'; '.join(parts)}."


def _note_line(task: str | None, message: str) -> str:
    return message if task is None else f"{task}: {message}"


def _plural(count: int, word: str) -> str:
    return f"{count:,} {word}" + ("" if count == 1 else "s")

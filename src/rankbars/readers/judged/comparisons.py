"""Comparisons of a model with a baseline, as judged by somebody: from rows to votes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.errors import DataError, Lacking, UnknownOptionError
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.remarks import list_names
from rankbars.tables.valuetables import Chunk, ValueTable
from rankbars.tables.voting.reading import scores_of_votes

__all__ = ["Comparison", "JudgedFile", "name_tasks", "read_comparisons"]


class Comparison(NamedTuple):
    """One judgement.

    Parameters
    ----------
    first, second : str
        The two models; the first one was shown first, where that is known of all.
    share : float or None
        What the first model gets, from 0 to 1; None if there is no verdict.
    model, baseline : str
        Which of the two is which.
    judge : str
        Who judged.
    task : str
        What was asked, as the tool calls it.
    prompt : str
        Name or hash of the prompt.
    turn : int
        Which judgement of this model on this prompt it is.
    strength : float
        How often the producer counts it.
    group : str
        Group of prompts that the file names, or nothing.
    file : str
        The file that it stands in.
    row : int
        Its row there, from 1.
    """

    first: str
    second: str
    share: float | None
    model: str
    baseline: str
    judge: str
    task: str
    prompt: str
    turn: int
    strength: float
    group: str
    file: str
    row: int

    @property
    def source(self) -> str:
        """File and row, for messages."""
        return f"{self.file}, row {self.row}"


class JudgedFile(NamedTuple):
    """The judgements of one file, read without regard to any other.

    Parameters
    ----------
    source : str
        The file.
    rows : tuple of Comparison
        Its judgements.
    notes : tuple of Note
        What must be said about it.
    """

    source: str
    rows: tuple[Comparison, ...]
    notes: tuple[Note, ...] = ()


def read_comparisons(
    rows: Sequence[Comparison], options: ReadOptions, *, label: str, ordered: bool,
    shared: Sequence[str],
) -> Scores:  # fmt: skip
    """Votes by task.

    Parameters
    ----------
    rows : sequence of Comparison
        All judgements.
    options : ReadOptions
        What the caller declares; a filter names a judge or a baseline.
    label : str
        Name of the input, for messages.
    ordered : bool
        Whether the first model of each row was the one shown first.
    shared : sequence of str
        Fields that all judgements of one board must share: ``"judge"``, ``"baseline"``.

    Raises
    ------
    DataError
        If there are several judges or baselines, or one model was judged twice on a prompt and
        the verdicts differ.
    """
    chosen = _filter(rows, options)
    _refuse_mixture(chosen, shared, options)
    kept, notes = _drop_copies(chosen, options)
    names = name_tasks(kept)
    sides = ("left", "right") if ordered else ("model_a", "model_b")
    columns: dict[str, list[object]] = {
        sides[0]: [row.first for row in kept],
        sides[1]: [row.second for row in kept],
        "score": [row.share for row in kept],
        "prompt": [row.prompt for row in kept],
        "strength": [row.strength for row in kept],
    }
    tasks = dict.fromkeys(names.values(), None)
    if len(tasks) > 1:
        columns["task"] = [names[row.task, row.baseline, row.judge] for row in kept]
    elif any(row.group for row in kept):
        columns["category"] = [row.group or None for row in kept]
    if len({row.judge for row in kept}) > 1:
        columns["judge"] = [row.judge for row in kept]

    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        yield {name: columns[name] for name in wanted}

    table = ValueTable(label, tuple(columns), read_chunks)
    scores = scores_of_votes(table, options, next(iter(tasks), label))
    # The columns are made here: what they are called tells the reader of a board nothing.
    own = tuple(note for note in scores.notes if note.code != "columns")
    return Scores(scores.tasks, scores.info, (*notes, *_coverage(kept, names), *own))


def name_tasks(rows: Sequence[Comparison]) -> dict[tuple[str, str, str], str]:
    """Name of each task: what the tool calls it, and what else tells it from others."""
    keys = list(dict.fromkeys((row.task, row.baseline, row.judge) for row in rows))
    names = {}
    for task, baseline, judge in keys:
        same = [key for key in keys if key[0] == task]
        parts = [task]
        if len({key[1] for key in same}) > 1:
            parts.append(f"against {baseline}")
        if len({key[2] for key in same}) > 1:
            parts.append(f"judged by {judge}")
        names[task, baseline, judge] = ", ".join(parts)
    return names


def _filter(rows: Sequence[Comparison], options: ReadOptions) -> list[Comparison]:
    known = sorted({name for row in rows for name in (row.judge, row.baseline)})
    kept = list(rows)
    for name in options.filters:
        if name not in known:
            error = UnknownOptionError.among("filter (judge or baseline)", name, known)
            raise error.about(Lacking("filter", (name,), tuple(known)))
    judges = {row.judge for row in rows} & set(options.filters)
    baselines = {row.baseline for row in rows} & set(options.filters)
    if judges:
        kept = [row for row in kept if row.judge in judges]
    if baselines:
        kept = [row for row in kept if row.baseline in baselines]
    return kept


def _refuse_mixture(
    rows: Sequence[Comparison], shared: Sequence[str], options: ReadOptions
) -> None:
    if options.compare_anyway:
        return
    for field in shared:
        models: dict[str, dict[str, None]] = {}
        for row in rows:
            models.setdefault(getattr(row, field), {})[row.model] = None
        if len(models) < 2:
            continue
        parts = "; ".join(f"{name!r}: {list_names(found)}" for name, found in models.items())
        raise DataError(
            f"The models do not share one {field} ({parts}), so their votes are not of one kind. "
            f"Choose one: --filter {next(iter(models))}; or take each as a task of its own: "
            "--compare-anyway (in Python: filter=…, compare_anyway=True)."
        )


def _drop_copies(
    rows: Sequence[Comparison], options: ReadOptions
) -> tuple[list[Comparison], list[Note]]:
    """Each judgement once; two different ones of the same kind raise."""
    known: dict[tuple[object, ...], Comparison] = {}
    kept: list[Comparison] = []
    copies = 0
    for row in rows:
        key = (row.task, row.baseline, row.judge, row.model, row.prompt, row.turn)
        first = known.setdefault(key, row)
        if first is row:
            kept.append(row)
        elif first.share == row.share:
            copies += 1
        elif options.reruns == "all":
            kept.append(row)
        else:
            raise DataError(
                f"{row.source}: model {row.model!r} was judged on this prompt before "
                f"({first.source}), with another verdict. Leave one file out, or count both: "
                "--reruns all (in Python: reruns='all')."
            )
    if not copies:
        return kept, []
    return kept, [Note("copies", f"Left out: {copies:,} votes that stand there twice.")]


def _coverage(
    rows: Sequence[Comparison], names: Mapping[tuple[str, str, str], str]
) -> Iterator[Note]:
    """A note for each task on which not all models were judged equally often."""
    prompts: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        of_task = prompts.setdefault(names[row.task, row.baseline, row.judge], {})
        of_task.setdefault(row.model, set()).add(row.prompt)
    for task, models in prompts.items():
        every = set().union(*models.values())
        short = [f"{model!r} on {len(own)}" for model, own in models.items() if own != every]
        if short:
            more = f" and {len(short) - 4} more" if len(short) > 4 else ""
            yield Note(
                "coverage",
                f"Not all models were judged on all {len(every)} prompts: {', '.join(short[:4])}"
                f"{more}.",
                task=task,
            )

"""Comparisons of a model with a baseline, as judged by somebody: from rows to votes."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rankbars.data.notes import ONE_JUDGE, Note, list_names
from rankbars.data.scores import Scores
from rankbars.errors import DataError, Lacking, UnknownOptionError
from rankbars.readers.logs.records import Run
from rankbars.readers.parts import Comparison, JudgedFile
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.valuetables import Chunk, ValueTable
from rankbars.tables.votetables import scores_of_votes

__all__ = ["scores_from_judged"]


def scores_from_judged(
    files: Sequence[JudgedFile], runs: Sequence[Run], notes: Iterable[Note], options: ReadOptions
) -> Scores:
    """Votes by task.

    Parameters
    ----------
    files : sequence of JudgedFile
        All judgements of one tool.
    runs : sequence of Run
        What else the files hold.
    notes : iterable of Note
        What was left out.
    options : ReadOptions
        What the caller declares; a filter names a judge or a baseline.

    Raises
    ------
    DataError
        If there are several judges or baselines, one model was judged twice on a prompt and the
        verdicts differ, or some files hold no votes but scores.
    """
    if runs:
        raise DataError(
            "Some files hold games between two models, others one score per prompt. They are two "
            "kinds of evidence; read them one at a time."
        )
    rows = [row for file in files for row in file.rows]
    said = [*(note for file in files for note in file.notes), *notes, *_notes(files, rows, options)]
    first = files[0]
    return _votes(rows, options, first).with_notes(said)


def _votes(rows: Sequence[Comparison], options: ReadOptions, tool: JudgedFile) -> Scores:
    """Votes by task; what holds for the tool is said by one of its files."""
    chosen = _filter(rows, options)
    _refuse_mixture(chosen, tool.shared, options)
    kept, notes = _drop_copies(chosen, options)
    names = _name_tasks(kept)
    sides = ("left", "right") if tool.ordered else ("model_a", "model_b")
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
    judges = list(dict.fromkeys(row.judge for row in kept))
    if len(judges) > 1:
        columns["judge"] = [row.judge for row in kept]
    elif judges:
        text = (
            f"All votes are those of one judge, {judges[0]!r}: what is said is what this judge "
            "prefers, for new prompts; another may prefer other models."
        )
        notes.append(Note(ONE_JUDGE, text))

    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        yield {name: columns[name] for name in wanted}

    table = ValueTable(tool.tool, tuple(columns), read_chunks)
    scores = scores_of_votes(table, options, next(iter(tasks), tool.tool))
    # The columns are made here: what they are called tells the reader of a board nothing.
    own = tuple(note for note in scores.notes if note.code != "columns")
    return Scores(scores.tasks, scores.info, (*notes, *_coverage(kept, names), *own))


def _notes(
    files: Sequence[JudgedFile], rows: Sequence[Comparison], options: ReadOptions
) -> Iterator[Note]:
    """What the verdicts and the baselines ask to be said."""
    strong = sum(row.strength > 1 for row in rows)
    if strong and options.columns.get("weight") != "strength":
        yield Note(
            "strong-verdicts",
            f"{strong:,} of {len(rows):,} verdicts are strong (A>>B). They count once; the "
            "producer counts them three times: --column weight=strength.",
        )
    baselines = {row.task: row.baseline for row in rows}
    if len(set(baselines.values())) > 1:
        yield Note(
            "baselines",
            "Each category has a baseline of its own, which takes part in that category only: "
            f"{'; '.join(f'{task}: {name}' for task, name in baselines.items())}. To rank one "
            f"category: --tasks {shlex.quote(next(iter(baselines)))}.",
        )
    unnamed = {row.baseline for file in files for row in file.rows if row.baseline == file.unnamed}
    for name in unnamed:
        yield Note(
            "baseline-unnamed",
            "The files do not name the model that all others were compared with; it is called "
            f"{name!r} (usually gpt-4-0314).",
        )


def _name_tasks(rows: Sequence[Comparison]) -> dict[tuple[str, str, str], str]:
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
            f"Choose one: --filter {shlex.quote(next(iter(models)))}; or take each as a task of "
            "its own: --compare-anyway (in Python: filter=…, compare_anyway=True)."
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

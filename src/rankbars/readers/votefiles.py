"""Votes in files: tables of them, and judgements of models against a baseline."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankbars.data.notes import ONE_JUDGE, Note, list_names
from rankbars.data.scores import Scores
from rankbars.errors import DataError, Lacking, UnknownOptionError
from rankbars.readers.inputfiles import InputFile, file_stem
from rankbars.readers.openedtables import looking, may_be_table, open_table
from rankbars.readers.parts import Comparison, JudgedFile, VoteTable
from rankbars.readers.recognition import DECLINED, SIGNATURE, Recognition
from rankbars.readers.tables import name_files
from rankbars.tables.conditions import NoRowError, choose_rows
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.valuetables import Chunk, ValueTable
from rankbars.tables.votes.votetables import find_vote_layout, scores_of_votes

if TYPE_CHECKING:
    from rankbars.readers.logs.records import Run

__all__ = ["FILE_TASK", "read", "scores_from_judged", "scores_from_votes", "sniff"]

# A task that nothing in the table names. Tasks that a column names are never empty.
FILE_TASK = ""

# What an arena is called whose files have no name in common.
_ARENA = "votes"
_BETWEEN = "[-_. ]"
_DATE = re.compile(
    rf"(?:^|{_BETWEEN})(?:19|20)\d\d([-_.]?)(?:0[1-9]|1[0-2])(?:\1[0-3]\d)?(?={_BETWEEN}|$)"
)


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a table of pairwise votes."""
    if not may_be_table(path, head):
        return None
    with looking() as looks:
        table = looks.table(path)
        if not table.head(1):
            return None
        try:
            reason = find_vote_layout(table, {})
        except DataError as error:
            text = str(error).removeprefix(f"{path.name}: ")
            return Recognition("votes", DECLINED, text[0].upper() + text[1:])
    return None if reason is None else Recognition("votes", SIGNATURE, f"{reason}.")


def read(files: Sequence[InputFile], options: ReadOptions) -> list[VoteTable]:
    """Votes from files: one arena, or one task per task or category that a column names."""
    from rankbars.tables.votes.votecopies import refuse_copies

    parts, without, tables = [], [], []
    for file, names in zip(files, name_files(files), strict=True):
        table = choose_rows(open_table(file, options.engine), options.where)
        try:
            scores = scores_of_votes(table, options, FILE_TASK, part=True)
        except NoRowError as error:  # a day without such a vote among days that have some
            without.append((file.label, error))
            continue
        tables.append(table)
        parts.append(VoteTable(table.source, scores, names))
    if without and not parts:
        raise without[0][1]
    for together in [[one] for one in tables] if options.arena_per_file else [tables]:
        refuse_copies(together, options.columns)
    if without:
        names_of = ", ".join(label for label, _ in without[:5])
        text = f"No row of {len(without)} of {len(files)} files was chosen, such as {names_of}."
        parts[0] = parts[0]._replace(notes=(Note("chosen-rows", text),))
    return parts


def scores_from_votes(
    parts: Sequence[VoteTable], *, per_file: bool = False, beside: bool = False
) -> Scores:
    """Votes of several files as one arena; tasks of one name are put together.

    Parameters
    ----------
    parts : sequence of VoteTable
        What the files hold.
    per_file : bool
        Whether each file is an arena of its own, where no column names tasks.
    beside : bool
        Whether they will be put beside other votes: an arena is then not called after its file,
        and each vote keeps its prompt, by which it is matched.
    """
    from rankbars.tables.votes.votetasks import join_tasks

    pooled = [part for part in parts if FILE_TASK in part.scores.tasks]
    arena = _ARENA if beside else _arena_of([part.source for part in pooled])
    names = [(part.names.task or _ARENA) if per_file else arena for part in parts]
    named = [_name_task(part, name) for part, name in zip(parts, names, strict=True)]
    scores = join_tasks(named, [part.source for part in parts], singles=beside)
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    if len(pooled) > 1 and not per_file:
        text = (
            f"The votes of {len(pooled)} files are one arena, {arena!r}. If each file is an arena "
            "of its own: --arena-per-file (in Python: arena_per_file=True)."
        )
        notes[Note("votes-pooled", text, arena)] = None
    return scores.with_notes(notes)


def _arena_of(sources: Sequence[str]) -> str:
    """The name that files have in common where dates are left out, else "votes".

    Examples
    --------
    >>> _arena_of(["days/arena-2025-03-01.csv", "days/arena-2025-03-02.csv"])
    'arena'
    >>> _arena_of(["2025-03-01.csv"]), _arena_of(["a.csv", "b.csv"]), _arena_of(["run-2.csv"])
    ('votes', 'votes', 'run-2')
    """
    names = {
        _ARENA if source == "-" else _DATE.sub("", file_stem(Path(source))).strip("-_. ")
        for source in sources
    }
    return (names.pop() if len(names) == 1 else "") or _ARENA


def _name_task(part: VoteTable, name: str) -> Scores:
    """The votes with the task that no column names called so."""
    scores = part.scores
    if FILE_TASK not in scores.tasks:
        return scores

    def said(task: str | None) -> str | None:
        return name if task == FILE_TASK else task

    return Scores(
        {name if task == FILE_TASK else task: one for task, one in scores.tasks.items()},
        {name if task == FILE_TASK else task: one for task, one in scores.info.items()},
        tuple(replace(note, task=said(note.task)) for note in scores.notes),
        scores.inputs,
    )


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

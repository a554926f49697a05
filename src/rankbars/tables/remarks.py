"""What the reader of a result must know about how its tables were read."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Folds, Items
from rankbars.data.notes import Note, list_names, list_words
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import known_outline, outline_of
from rankbars.errors import DataError
from rankbars.tables.cells import parse_number
from rankbars.tables.columns import fold_name, paste_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.designs import refuse_unnamed_repeats
from rankbars.tables.parsedtables import Group, TidyTable
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.rowstates import SCORED_ERRORS
from rankbars.tables.runnames import TIMES as NAMES_OF_TIMES
from rankbars.tables.tableheads import UNNAMED, Header
from rankbars.tables.wide import POSITION

__all__ = [
    "Counted",
    "check_swapped",
    "describe_group",
    "describe_lost_rows",
    "describe_rows",
    "note_chosen_rows",
    "refuse_resamples",
]

_MOST_NAMED = 8


# Roles that mean something only for single rows, or only for published scores.
ROW_ONLY = ("cluster",)
SUMMARY_ONLY = ("se", "ci_low", "ci_high", "ci_level", "n")

# Numbers of rows that are usual for cross-validation and repeated runs.
FOLD_COUNTS = frozenset({3, 5, 9, 10, 30})

# From here on more models than rows look like a mistake.
MANY_MODELS, SUSPICIOUS_MODELS, TIMES = 1000, 100, 10


def refuse_resamples(part: TidyTable, options: ReadOptions) -> None:
    """Raises `DataError` for random resamples whose share of test data is not declared."""
    name = part.roles.get("fold", "")
    undeclared = options.test_share is None and options.folds is None
    if fold_name(name).startswith("resample") and undeclared and options.rows in (None, "folds"):
        found = part.rows.engine.ask(f"SELECT DISTINCT fold::VARCHAR FROM {part.rows.clause}")
        cells = sorted(cell for (cell,) in found if cell is not None)
        folds = [match[1] for cell in cells if (match := _FOLD.match(cell))]
        if len(folds) == len(cells) > 0:  # as caret names them
            raise DataError(
                f"{part.rows.source}: {name!r} holds {cells[0]!r} and the like, which are "
                f"folds by their names. If one repeat has {len({*folds})}: --folds {len({*folds})} "
                f"(in Python: folds={len({*folds})})."
            )
        others = any(parse_number(cell) is None for cell in cells)
        raise DataError(
            f"{part.rows.source}: {name!r} holds random resamples. They share training data like "
            "folds, but their number does not tell the share of test data. Declare it: "
            "--test-share 0.3 (in Python: test_share=0.3), or read the rows as items: --rows items."
            + " If rows are data sets, and columns models: --layout tasks-by-models."
            * others
        )


_FOLD = re.compile(r"(?i)fold[-_ .]?(\d+)")


def describe_group(parts: Sequence[TidyTable]) -> tuple[Note, ...]:
    """Remarks on the tables of a group; equal remarks on several tables become one note."""
    where: dict[tuple[str, str], list[str]] = {}
    for part in parts:
        for remark in part.remarks:
            where.setdefault(remark, []).append(part.rows.source)
    return tuple(
        Note(code, f"{list_words(found, 3)}: {text}") for (code, text), found in where.items()
    )


def note_chosen_rows(where: Sequence[str]) -> list[Note]:
    """What must be said of rows that were chosen by conditions."""
    if not where:
        return []
    text = (
        f"Only rows with {' and '.join(where)} count. The guarantees hold only if they were chosen "
        "without looking at the results."
    )
    return [Note("chosen-rows", text)]


def check_swapped(scores: Scores, group: Group) -> None:
    """Raises `DataError` if models and items seem to be swapped."""
    models = len(scores.models)
    rows = max(_counts(scores), default=0)
    declared = {"model", "item"} & group.named or group.plan.kind != "items"
    if models >= MANY_MODELS and rows * TIMES <= models and not declared:
        model, item = group.roles.get("model", "model"), group.roles.get("item", "item")
        raise DataError(
            f"There are {models} models (column {model!r}) and at most {rows} items per task "
            f"(column {item!r}). They seem to be swapped. If so, say "
            f"{paste_columns({'model': item, 'item': model})} (for a matrix, transpose it); if "
            "not, name the columns as "
            f"they are: {paste_columns({'model': model, 'item': item})}."
        )


class Counted(NamedTuple):
    """What was counted while rows were put into cells.

    Parameters
    ----------
    most_answers : int
        Most answers behind a value; 0 where none has several.
    set_aside : str
        Why a column of clusters is not used; empty otherwise.
    left_out : mapping from str to int
        Rows left out, by reason.
    metrics, tasks : collection of str
        Names of all metrics, and of all tasks, those left out among them.
    trials : mapping from str to sequence of int
        By model, of answers to rows with several: those that failed, those that ran without a
        score; and all answers.
    """

    most_answers: int
    set_aside: str
    left_out: Mapping[str, int]
    metrics: Collection[str]
    tasks: Collection[str]
    trials: Mapping[str, Sequence[int]]

    @classmethod
    def of(
        cls, names: Mapping[str, Sequence[str]], left_out: Mapping[str, int], most_answers: int = 0,
        set_aside: str = "", trials: Mapping[str, Sequence[int]] = {},
    ) -> Counted:  # fmt: skip
        """What was counted of rows whose `names` by role are known."""
        metrics = names.get("metric", ())
        return cls(most_answers, set_aside, left_out, metrics, names["task"], trials)


def describe_rows(
    group: Group, options: ReadOptions, scores: Scores, counted: Counted,
    designs: Mapping[str, Folds] | None,
) -> tuple[Note, ...]:  # fmt: skip
    """Notes on rows: what they are, what was averaged, what was left out."""
    notes = []
    if group.score.percentages:
        notes.append(Note("percentages", "Scores are percentages and stay on that scale."))
    notes += _describe_design(group, scores, designs, options)
    if counted.most_answers:
        columns = ", ".join(repr(group.roles[role]) for role in group.plan.answers)
        notes.append(Note(
            "answers-averaged",
            f"Up to {counted.most_answers} answers to one row (column {columns}) were averaged; "
            f"their number is kept.{_about_prompts(group, scores)}",
        ))  # fmt: skip
        notes += _describe_uneven(group, scores)
    notes += _describe_lost(counted.trials, counts=options.failed)
    if counted.set_aside:
        notes.append(Note(
            "columns-ignored",
            f"Not used, because {counted.set_aside}: {group.roles['cluster']!r}.",
        ))  # fmt: skip
    left_out = dict(counted.left_out)
    failed = left_out.pop(SCORED_ERRORS, 0)
    if failed:
        notes.append(Note("scored-errors", _describe_errors(group, failed)))
    if left_out:
        parts = ", ".join(f"{number:,} {reason}" for reason, number in left_out.items())
        notes.append(Note("left-out", f"Left out: {parts}."))
    if options.metric is not None and len(counted.metrics) > 1:
        others = ", ".join(repr(name) for name in counted.metrics if name != options.metric)
        message = f"Metric: {options.metric!r}, chosen. Others: {others}."
        lacking = [task for task in counted.tasks if task not in scores.tasks]
        if lacking:
            message += f" Left out, because they lack it: {', '.join(map(repr, lacking))}."
        notes.append(Note("metric", message))
    return tuple(notes)


def _describe_errors(group: Group, failed: int) -> str:
    """What a column of errors may mean beside scores: calls that failed, or how sure scores are."""
    column, score = group.roles["error"], group.roles["score"]
    absent = f"{quote_column(column)} IS NULL"
    heads = [Header.of(part.table) for part in group.parts if part.table is not None]
    cells = [cell for head in heads for cell in head.read.get(column, ()) if cell is not None]
    if any(cell % 1.0 != 0.0 for cell in cells) and all(column in head.numbers for head in heads):
        return (
            f"{column!r} holds numbers, and is not used. If they are standard errors of {score!r}: "
            f"{paste_columns({'se': column})}. If they are half the width of 95 % intervals, as "
            f"lists of ratings have them, in pandas: frame.assign(se=frame[{column!r}] / 1.96)"
            f".drop(columns={column!r}).to_csv('ratings.csv', index=False)."
        )
    return (
        f"{failed:,} rows have a text in the column {column!r} and a score, which counts like any "
        "other. If those calls failed and the model gave no answer, leave them out: "
        f"{paste_condition(absent)} (in Python: where={absent!r})."
    )


def _refuse_uneven_attempts(scores: Scores, group: Group) -> None:
    """Raises `DataError` where many tasks were tried a few times each, one more often than another.

    Attempts that stop at success are trials of one item; as runs of tasks most would be missing.
    """
    found = [one for one in scores.tasks.values() if isinstance(one, Items)]
    uneven = any(np.isnan(one.values).any() for one in found)
    if len(found) < _MANY_TASKS or not uneven:
        return
    task, attempt = group.roles["task"], group.roles["epoch"]
    item = paste_columns({"task": "", "item": task})
    run = paste_columns({"epoch": "", "run": attempt})
    raise DataError(
        f"{group.parts[0].rows.source}: {len(found)} names in the column {task!r} were tried up "
        f"to {max(one.n for one in found)} times each ({attempt!r}), not all of them equally "
        f"often. If each name is one item, and these are trials of it: {item}. If each is a task "
        f"of its own, tried in several runs: {run}."
    )


_MANY_TASKS = 10


def _refuse_people(scores: Scores, group: Group) -> None:
    """Raises `DataError` where subjects have numbers and trials: people, and no subjects taught."""
    task, attempt = group.roles["task"], group.roles["epoch"]
    numbered = all(re.fullmatch(r"[^\W\d]{0,12}[-_ ]?\d+", name) for name in scores.tasks)
    if "task" in group.named or fold_name(task) != "subject" or not numbered:
        return
    names = list_names(list(scores.tasks), 3)
    raise DataError(
        f"{group.parts[0].rows.source}: the column {task!r} holds numbered names ({names}), as "
        f"people have them, with several rows each ({attempt!r}). If they are people, a statement "
        f"is about further ones: {paste_columns({'task': '', 'item': task})}. If each is a task of "
        f"its own, tried in several runs: {paste_columns({'epoch': '', 'run': attempt})}."
    )


# Where rows have no name, only a place.
_BY_PLACE = frozenset({POSITION, *UNNAMED})


def _describe_design(
    group: Group, scores: Scores, designs: Mapping[str, Folds] | None, options: ReadOptions
) -> list[Note]:
    notes = []
    keys = ", ".join(repr(group.roles[role]) for role in group.plan.keys if role in group.roles)
    if designs is not None:
        distinct = sorted({(one.repeats, one.folds, one.test_share) for one in designs.values()})
        shown = "; ".join(
            f"{repeats} × {folds} folds, {share:.3g} of the data tested in each"
            for repeats, folds, share in distinct[:4]
        )
        ask = ""
        if options.folds is None and len(group.plan.keys) == 1:
            ask = " If several repeats are numbered through, say how many folds one has: --folds K."
        named = {group.roles[role] for role in group.plan.keys if role in group.roles}
        if options.folds is None and named <= _BY_PLACE:
            for task, one in designs.items():
                refuse_unnamed_repeats(one.folds, f"Task {task!r}")
        how = f"column {keys}" if keys else "by their order"
        notes.append(Note("folds", f"Rows are folds of cross-validation ({how}): {shown}."
                                   f"{ask}"))  # fmt: skip
    elif group.plan.kind == "runs":
        ask = ""
        numbered = fold_name(group.roles.get("epoch", "")) in ("trial", "attempt")
        if group.plan.keys == ("epoch",) and numbered and "task" in group.roles:
            task = group.roles["task"]
            ask = (f" If they are trials of one item each ({task!r}), say so: --column task= "
                   f"{paste_columns({'item': task})}.")  # fmt: skip
            _refuse_people(scores, group)
            _refuse_uneven_attempts(scores, group)
        dated = fold_name(group.roles.get("run", "")) in NAMES_OF_TIMES
        kind = "one evaluation at several times" if dated else "training runs"
        further = "further times" if dated else "training runs"
        notes.append(Note(
            "runs",
            f"Rows are {kind} (column {keys}): statements are over {further} only, for these "
            f"items.{ask}",
        ))  # fmt: skip
    elif group.plan.kind == "prompts":
        ask = ""
        if options.rows is None:
            ask = " If each of them is a question of its own, say so: --rows items."
        notes.append(Note(
            "prompts",
            f"Rows are prompts (column {keys}), taken as other wordings of the same questions: "
            f"statements are over prompts, with the questions held fixed.{ask}",
        ))  # fmt: skip
    elif group.plan.kind == "items" and options.rows is None:
        notes += _suspect(scores, group)
    if group.plan.ignored:
        columns = ", ".join(repr(group.roles[role]) for role in group.plan.ignored)
        why = f"rows are named by {keys}" if keys else "it names no row that models share"
        notes.append(Note("columns-ignored", f"Not used, because {why}: {columns}."))
    published = group.plan.kind == "estimates"
    idle = ROW_ONLY if published else SUMMARY_ONLY
    why = "there is one score per model" if published else "there are scores of single rows"
    columns = ", ".join(repr(group.roles[role]) for role in idle if role in group.roles)
    if columns:
        notes.append(Note("columns-ignored", f"Not used, because {why}: {columns}."))
    return notes


def _about_prompts(group: Group, scores: Scores) -> str:
    """What averaging over prompts means for the statements, where rows are not prompts."""
    outlines = (outline_of(scores.tasks, name) for name in scores.tasks)
    if not any(one is not None and "prompts" in one.averaged for one in outlines):
        return ""
    return (
        " The guarantee is for new "
        f"{group.plan.kind}; an effect that all of them share in a prompt (column "
        f"{group.roles['variant']!r}) is not covered. For prompts as rows: --rows prompts."
    )


def _describe_uneven(group: Group, scores: Scores) -> list[Note]:
    """A note where runs or prompts of two models rest on different numbers of answers."""
    if group.plan.kind not in ("runs", "prompts"):
        return []
    notes = []
    for name in scores.tasks:
        about = outline_of(scores.tasks, name)
        if about is not None and about.uneven:
            notes.append(Note(
                "uneven-answers",
                f"On {about.uneven:,} of {about.rows:,} {group.plan.kind}, models have different "
                "numbers of "
                "answers, so their means are over different items. Compare them on items that all "
                "have, or with --rows items and a --missing policy.",
                name,
            ))  # fmt: skip
    return notes


def _describe_lost(trials: Mapping[str, Sequence[int]], *, counts: bool) -> list[Note]:
    """Notes on answers without a score to rows that have several, and what they count as."""
    notes = []
    for place, code, text in ((0, "failed-trials", "failed"), (1, "unscored-trials", "ran")):
        lost = {model: (one[place], one[2]) for model, one in trials.items() if one[place]}
        if lost:
            said = f"Trials that {text} and have no score: {_name_lost(lost, counts=counts)}"
            notes.append(Note(code, said, models=tuple(lost)))
    return notes


def _name_lost(lost: Mapping[str, tuple[int, int]], *, counts: bool) -> str:
    """How many of how many have no score, by model, and what becomes of them."""
    some = list(lost.items())[:_MOST_NAMED]
    shown = "; ".join(f"{model!r} {number:,} of {every:,}" for model, (number, every) in some)
    more = f"; and {len(lost) - len(some)} more models" if len(lost) > len(some) else ""
    does = "They count as the worst score (--missing fail)" if counts else "They are left out"
    return f"{shown}{more}. {does}."


def describe_lost_rows(
    lost: NDArray[np.int64], names: Mapping[str, Sequence[str]], *, counts: bool
) -> tuple[Note, ...]:
    """Notes on rows without a score where no column names the item, and what they count as.

    Parameters
    ----------
    lost : array of int, shape (3, T, M)
        Rows that failed, that have no score otherwise; and all.
    names : mapping from str to sequence of str
        Names of tasks and models.
    counts : bool
        Whether they count as the worst score.
    """
    notes = []
    for place, task in enumerate(names["task"]):
        failed, without, rows = lost[:, place]
        of = {names["model"][one]: (failed[one] + without[one], rows[one])
              for one in np.flatnonzero(failed + without).tolist()}  # fmt: skip
        if of:
            said = f"Rows of task {task!r} that have no score: {_name_lost(of, counts=counts)}"
            notes.append(Note("rows-without-score", said, task, tuple(of)))
    return tuple(notes)


def _counts(scores: Scores) -> set[int]:
    """Numbers of rows of the tasks that have any."""
    counts = set()
    for task in scores.tasks:
        known = known_outline(scores.tasks, task)
        evidence = scores.tasks[task] if known is None else None
        if known is not None:
            counts.add(known.rows)
        elif isinstance(evidence, Items):
            counts.add(evidence.n)
    return counts


def _suspect(scores: Scores, group: Group) -> list[Note]:
    """Notes on items that may be folds, or models that may be items."""
    notes = []
    counts = _counts(scores)
    # Folds are not answered several times.
    if counts <= FOLD_COUNTS and not group.plan.answers:
        shown = " or ".join(str(count) for count in sorted(counts))
        notes.append(Note(
            "maybe-folds",
            f"Every task has {shown} rows. Are they folds of cross-validation? Then say --rows "
            "folds (with --folds K if a repeat has K folds), because folds are not independent. "
            "Training runs: --rows runs. Items: --rows items.",
        ))  # fmt: skip
    models = len(scores.models)
    if models >= SUSPICIOUS_MODELS and max(counts) * TIMES <= models:
        notes.append(Note(
            "maybe-swapped",
            f"There are {models} models and at most {max(counts)} items per task. If models and "
            "items are swapped, name the columns: --column model=NAME --column item=NAME.",
        ))  # fmt: skip
    return notes

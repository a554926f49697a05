"""From the command line to scores, what is said about them, and ``rankbars formats``."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from rankbars.cli.options import json_option, refuse_empty
from rankbars.cli.outputs import STANDARD, emit_text, print_answer, say, unreadable
from rankbars.cli.readingoptions import Reading
from rankbars.errors import OptionError, RankbarsError, ReadError

if TYPE_CHECKING:
    from rankbars.cli.votechoices import VoteReading
    from rankbars.data.notes import Note
    from rankbars.data.scores import Scores
    from rankbars.readers import FileReport

__all__ = [
    "choose",
    "formats_command",
    "name_inputs",
    "one_model_as_sides",
    "read_scores",
    "report_reading",
    "take_scores",
]  # fmt: skip

_MOST_NOTES = 20

_MOST_SIDES = 8

# What was not read comes first.
_FIRST_NOTES = frozenset({"files-damaged", "files-skipped", "plugin"})
# What stands apart, or may have been a model, is said beside the rows, too.
_BESIDE_ROWS = frozenset(
    {
        "dependent-rows",
        "far-fewer",
        "maybe-models",
        "maybe-slip",
        "no-models",
        "only-right",
        "predictions",
    }
)


def read_scores(
    inputs: Sequence[str] | dict[str, str],
    reading: Reading,
    votes: VoteReading | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
    by_reference: bool = False,
    n_jobs: int = 1,
    models: Sequence[str] = (),
    beside: bool = False,
    by_call: bool = False,
) -> Scores:
    """The scores in `inputs`, read as `reading` says; votes as `votes` says.

    A store is read as it was said when results were added to it. Where `models` are named, nothing
    is decided by what others were asked. What is read `beside` another input shares with it the
    task that it does not name.
    """
    import rankbars as rb
    from rankbars.cli.readingoptions import find_store, read_store

    store = find_store(() if isinstance(inputs, dict) else inputs)
    if store is not None and by_reference:
        raise OptionError(
            f"{store} is a store; only Parquet files are read by reference. Leave out "
            "--by-reference, or rank the files themselves."
        )
    if store is not None:
        return read_store(store, reading, votes, models)
    return rb.read(
        inputs if isinstance(inputs, dict) else name_inputs(inputs),
        progress=progress,
        by_reference=by_reference,
        n_jobs=n_jobs,
        models=models or None,
        beside=beside,
        by_call=by_call,
        **reading.declared(),
        **({} if votes is None else votes.declared()),
    )


def take_scores(
    inputs: Sequence[str],
    reading: Reading,
    models: Sequence[str] = (),
    tasks: Sequence[str] = (),
    *,
    quiet: bool,
    beside: bool = False,
) -> tuple[Scores, frozenset[Note]]:
    """What the inputs hold of the chosen models and tasks, and the notes that were said of it."""
    from rankbars.cli.progress import reading_files

    with reading_files(quiet=quiet) as progress:
        read = read_scores(inputs, reading, progress=progress, models=models, beside=beside)
    scores = choose(read, models, tasks, reading.patterns)
    return scores, report_reading(scores, quiet=quiet)


def name_inputs(inputs: Sequence[str]) -> list[str] | dict[str, str]:
    """The inputs, by name where they are given as ``name=path``; an existing path wins.

    Raises
    ------
    OptionError
        If some have a name and others have none, or two have the same.
    """
    from rankbars.readers.inputfiles import split_name

    parted = [split_name(text) for text in inputs]
    if not any(name for name, _ in parted):
        return list(inputs)
    for name, path in parted:
        if not name:
            raise OptionError(
                f"Some inputs have a name (name=path), and {path} has none. Name all of them, or "
                "none."
            )
    named = dict(parted)
    if len(named) < len(parted):
        raise OptionError(
            f"Two inputs have the same name: {', '.join(inputs)}. Give each a name of its own."
        )
    return named


def one_model_as_sides(
    scores: Scores, inputs: Sequence[str], command: Literal["rank", "check"]
) -> str:
    """How several results of one model are set against each other; empty where that is no matter.

    Inputs are sides; of one folder, its folders or files are.
    """
    from rankbars.readers.inputfiles import split_name

    if command == "check" and len(scores.models) == len(inputs) == 2:
        if any(split_name(path)[0] for path in inputs):
            return ""
        shown = shlex.join((f"new={inputs[0]}", f"old={inputs[1]}"))
        return f"To call the inputs otherwise, name them: {shown}."
    if len(scores.models) != 1:
        return ""
    from rankbars.render.shownnames import visible

    paths = list(inputs)
    if len(paths) == 1:
        # One result of each of two tasks is no pair.
        if not any(note.code in ("reruns", "name-from-file") for note in scores.notes):
            return ""
        # Samples of lm-eval go with the results beside them.
        files = sorted({one.path for one in scores.inputs})
        files = [path for path in files if not Path(path).name.startswith("samples_")] or files
        folders = sorted({str(Path(path).parent) for path in files})
        paths = folders if len(folders) > 1 else files
        if len(paths) != 2:
            return ""
    if len(paths) < 2 or any(split_name(path)[0] for path in paths):
        return ""
    model = visible(scores.models[0])
    said = f"All {len(paths)} inputs are results of {model!r}. To set them against each other"
    names = [Path(path).stem for path in paths]
    sides = shlex.join(f"{name}={path}" for name, path in zip(names, paths, strict=True))
    if command == "check":
        shown = shlex.join((f"new={paths[0]}", f"old={paths[1]}"))
        return f"{said}, name them as sides: {shown}."
    two = f": rankbars compare {shlex.join(paths)}. Or" if len(paths) == 2 else ","
    many = len(set(names)) < len(names) or len(names) > _MOST_SIDES
    line = " (NAME=PATH)" if many else f": rankbars rank {sides}"
    return f"{said}{two} name them as sides{line}."


def choose(
    scores: Scores, models: Sequence[str], tasks: Sequence[str], where: Sequence[str] = ()
) -> Scores:
    """The chosen models and tasks, with a note that says that there were more.

    What is not the name of a task may be a pattern, such as ``QSAR*``. Of the tasks those stay
    whose category, family or metric is as `where` says.
    """
    from rankbars.data.notes import Note

    if not models and not tasks and not where:
        return scores
    kept = _matching(tasks, tuple(scores.tasks))
    for condition in where:
        kept = _where(scores, condition, kept or list(scores.tasks))
    chosen = scores.select(models=models or None, tasks=kept or None)
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
    # Models that were chosen when logs were read are told of in the same sentence.
    before = [note for note in chosen.notes if note.code == "chosen"]
    parts = [*(note.message.partition(" were chosen")[0] for note in before), *parts]
    chosen = replace(chosen, notes=tuple(note for note in chosen.notes if note not in before))
    message = (
        f"{' and '.join(parts).capitalize()} were chosen; ranks are among them. The guarantees "
        "hold only if they were chosen without looking at the results."
    )
    return chosen.with_notes([Note("chosen", message)])


def _matching(wanted: Sequence[str], known: Sequence[str]) -> list[str]:
    """Names as they are, and those that a pattern fits; what fits nothing stays to be refused."""
    found: list[str] = []
    for name in wanted:
        fitting = [] if name in known else [one for one in known if fnmatchcase(one, name)]
        found += fitting or [name]
    return list(dict.fromkeys(found))


def _where(scores: Scores, condition: str, tasks: Sequence[str]) -> list[str]:
    """Those of the tasks that ``FIELD=PATTERN`` fits."""
    field, _, pattern = condition.partition("=")
    values = {name: getattr(scores.info[name], field) or "" for name in tasks}
    kept = [name for name, value in values.items() if fnmatchcase(value, pattern)]
    if not kept:
        found = sorted({value for value in values.values() if value})
        shown = ", ".join(map(repr, found[:10])) + (" and more" if len(found) > 10 else "")
        raise OptionError(
            f"--where {condition}: no task fits. "
            + (f"Found as {field}: {shown}." if found else f"No task names its {field}.")
        )
    return kept


def report_reading(scores: Scores, *, quiet: bool = False) -> frozenset[Note]:
    """Say on standard error what was read: files, formats, sizes, metrics, notes.

    Parameters
    ----------
    scores : Scores
        What was read.
    quiet : bool
        Say nothing but which files could not be read, without which the result is another one.

    Returns
    -------
    frozenset of Note
        What is said here, or was not wanted, and is not said beside the result.
    """
    from rankbars.data.notes import without_folders

    report = _describe_reading(scores)
    for line in unreadable(scores.notes) if quiet else (*report.lines, ""):
        say(line)
    # On a board they name files without the folders of this machine.
    brief = without_folders(one.path for one in scores.inputs)
    return report.notes | {replace(one, message=brief(one.message)) for one in report.notes}


class _Report(NamedTuple):
    """What was read, as lines, and the notes that they hold."""

    lines: tuple[str, ...]
    notes: frozenset[Note]


def _describe_reading(scores: Scores) -> _Report:
    """What was read: files, formats, sizes, metrics, notes; the same for every format."""
    lines = [_files_line(scores), _size_line(scores), _metrics_line(scores)]
    by_message: dict[str, list[Note]] = {}
    for note in sorted(scores.notes, key=lambda note: note.code not in _FIRST_NOTES):
        line = note.message if note.task is None else f"{note.task}: {note.message}"
        by_message.setdefault(line, []).append(note)
    shown = list(by_message)[:_MOST_NOTES]
    lines += [f"- {message}" for message in shown]
    if len(by_message) > _MOST_NOTES:
        lines.append(f"- and {len(by_message) - _MOST_NOTES} more notes, in the board file (-o).")
    notes = frozenset(
        note for message in shown for note in by_message[message] if note.code not in _BESIDE_ROWS
    )
    return _Report(tuple(line for line in lines if line), notes)


def _files_line(scores: Scores) -> str:
    formats = Counter(entry.format for entry in scores.inputs)
    if len(scores.inputs) == 1:
        statistics = any(note.code == "statistics" for note in scores.notes)
        what = "a table of statistics" if statistics else scores.inputs[0].format
        return f"Read {scores.inputs[0].path} as {what}."
    how = ", ".join(f"{count} as {name}" for name, count in formats.most_common())
    return f"Read {len(scores.inputs)} files ({how})."


def _size_line(scores: Scores) -> str:
    from rankbars.data.evidence import Estimates
    from rankbars.data.storedtasks import outline_of
    from rankbars.render.notation import counted

    rows: Counter[str] = Counter()
    sizes: dict[str, list[int]] = {}
    for name in scores.tasks:
        outline = outline_of(scores.tasks, name)
        if outline is not None:
            count, kind = outline.rows, outline.kind
        else:
            evidence = scores.tasks[name]
            count, kind = 0 if isinstance(evidence, Estimates) else evidence.n, evidence.kind
        rows[kind] += count
        sizes.setdefault(kind, []).append(count)
    parts = []
    for kind, counts in sizes.items():
        if kind == "estimates":
            parts.append(f"published scores on {counted(len(counts), 'task')}")
        elif min(counts) == max(counts):
            size = f" ({counts[0]:,} per task)" if len(counts) > 1 else ""
            parts.append(f"{counted(rows[kind], kind[:-1])}{size}")
        else:
            parts.append(f"{rows[kind]:,} {kind} ({min(counts):,} to {max(counts):,} per task)")
    parts += _repeats(scores)
    models, tasks = len(scores.models), len(scores.tasks)
    return f"{counted(models, 'model')}, {counted(tasks, 'task')}; {'; '.join(parts)}."


def _repeats(scores: Scores) -> list[str]:
    """How many answers were averaged into a score, where there are several."""
    from rankbars.data.storedtasks import outline_of

    outlines = (outline_of(scores.tasks, name) for name in scores.tasks)
    behind = [one.answers for one in outlines if one is not None and one.answers is not None]
    most = max((most for _, most in behind), default=1)
    if most < 2:
        return []
    least = min(least for least, _ in behind)
    if len(behind) < len(scores.tasks):
        return [f"up to {most:,} answers to each"]
    return [f"{most:,} answers to each" if least == most else f"{least:,} to {most:,} answers each"]


def _metrics_line(scores: Scores) -> str:
    """Metrics and the tasks they are shown on; nothing where the input names none."""
    metrics = Counter(info.metric for info in scores.info.values() if info.metric is not None)
    if not metrics:
        return ""
    if len(metrics) == 1 and metrics.total() == len(scores.tasks):
        return f"Metric: {next(iter(metrics))!r}."
    from rankbars.data.notes import list_words
    from rankbars.render.notation import counted

    parts = (f"{name!r} on {counted(count, 'task')}" for name, count in metrics.most_common())
    return f"Metrics: {list_words(parts, 5)}."


@click.command("formats", short_help="What can be read, and what a file is.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, callback=refuse_empty)
@json_option
def formats_command(*, paths: tuple[str, ...], as_json: bool) -> None:
    """List the formats that can be read, or say what each PATH was recognised as, and why.

    Then what reading the recognised files gives, without any option. Exit code 1 if nothing is
    recognised.
    """
    from rankbars.readers import explain

    if not paths:
        _list_formats(as_json=as_json)
        return
    named = name_inputs(paths)
    reports = explain(list(named.values()) if isinstance(named, dict) else named)
    known = [report for report in reports if report.format is not None]
    hints = _hints([report.path for report in reports if report.format is None])
    is_read = known and all(report.path != STANDARD for report in known)
    lines = _contents(known, named if isinstance(named, dict) else None) if is_read else []
    if lines and lines[0].startswith(_NOT_READ):
        hints |= _hints([report.path for report in known if report.format == "tidy"])
    if not as_json:
        for report in reports:
            emit_text(f"{report.path}: {report.format or 'not recognised'}. {report.reason}\n")
        for hint in [*hints.values(), *([lines] if is_read else [])]:
            emit_text("\n" + "".join(f"{line}\n" for line in hint))
    else:
        files = [one._asdict() | {"hints": hints.get(one.path, [])} for one in reports]
        print_answer(_EMPTY | {"files": files, "reading": lines})
    if not known:
        raise ReadError(
            f"nothing in {', '.join(paths)} is recognised. `rankbars formats` lists what can be "
            "read."
        )


_EMPTY: dict[str, Any] = {
    "schema": "rankbars.formats/1", "formats": {}, "problems": [], "files": [], "reading": [],
}  # fmt: skip
_NOT_READ = "Not read without options: "
# Files whose content is shown where no format knows them.
_MOST_SHOWN = 3


def _hints(paths: Sequence[str]) -> dict[str, list[str]]:
    """What JSON files hold that no format knows, and how to read them."""
    from rankbars.readers.inputfiles import InputFile
    from rankbars.readers.mapped import describe_json

    hints = {}
    for path in [path for path in paths if path != STANDARD][:_MOST_SHOWN]:
        try:
            lines = describe_json(InputFile(Path(path), path))
        except (RankbarsError, OSError):
            continue  # what is wrong with it was said
        if lines:
            hints[path] = lines
    return hints


def _list_formats(*, as_json: bool) -> None:
    """Formats of this package, of others, and why some of those cannot be used."""
    from rankbars.readers import FORMATS
    from rankbars.readers.recognition import load_plugins

    plugins = load_plugins(FORMATS)
    every = {name: one.description for name, one in {**FORMATS, **plugins.formats}.items()}
    if as_json:
        print_answer(_EMPTY | {"formats": every, "problems": list(plugins.problems)})
        return
    width = max(map(len, every))
    lines = [f"{name:<{width}} {description}" for name, description in every.items()]
    emit_text("".join(f"{line}\n" for line in (*lines, *plugins.problems)))


def _contents(reports: Sequence[FileReport], named: dict[str, str] | None) -> list[str]:
    """What the files hold, or what stands in the way."""
    import rankbars as rb
    from rankbars.cli.progress import reading_files

    try:
        with reading_files() as progress:
            known = [report.path for report in reports]
            scores = rb.read(named or known, progress=progress)
    except rb.RankbarsError as error:
        return [f"{_NOT_READ}{error}"]
    return list(_describe_reading(scores).lines)

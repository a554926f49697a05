"""Tables that no tool has signed, tidy or wide: CSV, TSV, Parquet, JSON, JSON lines, Markdown."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import HEAD_BYTES, InputFile, file_stem
from rankbars.readers.openedtables import (
    DELIMITED_SUFFIXES,
    JSON_LINES_SUFFIXES,
    JSON_SUFFIXES,
    looking,
    may_be_table,
    open_table,
)
from rankbars.readers.recognition import DECLINED, TABLE, Recognition
from rankbars.tables.asides import has_counts
from rankbars.tables.columns import find_columns
from rankbars.tables.database import Engine
from rankbars.tables.givenoptions import MAP_ROLES, options_of
from rankbars.tables.layouts import find_layout
from rankbars.tables.likelyroles import find_outcome, roles_of
from rankbars.tables.metrics import metric_in_name, usual_direction
from rankbars.tables.metricwords import AMOUNTS, LOWER, split_words
from rankbars.tables.parsedtables import FileNames, ParsedTable
from rankbars.tables.parsing import parse_table
from rankbars.tables.readoptions import SHARED_TASK, ReadOptions
from rankbars.tables.runnames import names_run, split_run
from rankbars.tables.tableheads import HEAD_ROWS, Header
from rankbars.tables.tablerows import Table, lie_together
from rankbars.tables.traininglogs import refuse_log
from rankbars.tables.words import WordsView

__all__ = ["name_files", "read", "sniff"]


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a table with one row per score (tidy), or a matrix of scores (wide)."""
    if not may_be_table(path, head):
        return None
    state = path.stat()
    layout, reason = _look(path.absolute(), state.st_size, state.st_mtime_ns)
    if layout is None:
        return Recognition("tidy", DECLINED, reason)
    if layout == "tidy":
        return Recognition("tidy", TABLE, reason)
    return Recognition("wide", TABLE, f"{layout}: {reason}")


# Both formats ask the same of the same file, one after the other.
@lru_cache(maxsize=8)
def _look(path: Path, size: int, changed: int) -> tuple[str | None, str]:
    """Layout of a table and the reason, or None and why there is none."""
    with looking() as looks:
        table = looks.table(path)
        if not table.head(1):
            listed = path.name.removesuffix(".gz").endswith((".json", ".jsonl"))
            what = "no record in it" if listed else "a header and no row below it"
            return None, f"There is {what}."
        try:
            found = _roles_unsaid(table)
            layout = find_layout(table, None, found)
            if not found:
                return layout
            return layout.name, f"columns {find_columns(table.columns, found).describe()}"
        except ReadError:
            raise  # it is damaged, whatever its layout
        except DataError as error:
            if has_counts(table.columns):
                return "tidy", "Its columns hold confusion counts: tp, fp, fn."
            if _are_statistics(table, looks.engine):
                return "tidy", "Its columns hold statistics of models: mean, std, count."
            reason = _why_a_log(table) or _why_nested(path, table, str(error)) or str(error)
            reason = reason.removeprefix(f"{table.source}: ")
            return None, reason[0].upper() + reason[1:]


def _roles_unsaid(table: Table) -> dict[str, str]:
    """Columns by role whose names do not say so."""
    header = Header.of(table)
    found = find_outcome(table) if header.outcomes else {}
    if header.names_models:
        from rankbars.tables.intervalends import find_unnamed

        found |= find_unnamed(table)
    return found


def _why_nested(path: Path, table: Table, asked: str) -> str:
    """Why records that hold objects are not read as they stand; empty if that is `asked` better."""
    head = table.head(HEAD_ROWS)
    nested = [name for at, name in enumerate(table.columns)
              if any(isinstance(row[at], dict) for row in head)]  # fmt: skip
    open_header = "header does not say" in asked or any(f"={name} " in asked for name in nested)
    if (
        not nested
        or not open_header
        or not path.name.removesuffix(".gz").endswith((*JSON_SUFFIXES, *JSON_LINES_SUFFIXES))
    ):
        return ""
    from rankbars.readers.mapped import propose_map

    told = _flat_map(table.columns, head)
    verb = "holds" if len(nested) == 1 else "hold"
    proposed = propose_map(InputFile(path, path.name), told)
    return f"{list_names(nested, 4)} {verb} objects. {proposed}"


def _flat_map(columns: Sequence[str], head: Sequence[tuple[object, ...]]) -> dict[str, str]:
    """Paths of models and scores by what records hold whose objects lie one in another."""
    flat: dict[str, list[object]] = {}
    for at, row in enumerate(head):
        left = [*zip(columns, row, strict=True)]
        while left:
            name, cell = left.pop(0)
            if isinstance(cell, dict):
                left = [*((f"{name}.{key}", one) for key, one in cell.items()), *left]
            else:
                flat.setdefault(name, [None] * len(head))[at] = cell
    varied = {name: cells for name, cells in flat.items() if len({*map(repr, cells)}) > 1}
    if any(isinstance(cell, list) for cells in varied.values() for cell in cells):
        return {}
    roles = roles_of(Header([*varied], [*zip(*varied.values(), strict=True)])) if varied else {}
    return roles if "model" in roles and roles.keys() <= {*MAP_ROLES} else {}


def _why_a_log(table: Table) -> str:
    """Why a table of losses in training is not read as it stands; empty if it is none."""
    try:
        refuse_log(table, options_of({}))
    except DataError as error:
        return str(error)
    return ""


def _are_statistics(table: Table, engine: Engine) -> bool:
    from rankbars.tables.companions import kind_of_statistic
    from rankbars.tables.statistics import counts_answers, take_statistics

    kinds = {kind_of_statistic(name) for name in table.columns}
    of_means = "mean" in kinds and kinds & {"std", "se"}
    if not of_means and not counts_answers(table.columns):
        return False
    try:
        return take_statistics(table, options_of({}), engine) is not None
    except DataError:
        return False


def read(files: Sequence[InputFile], options: ReadOptions) -> list[ParsedTable]:
    """Each file by the roles of its columns; nothing has been put together."""
    found = []
    every = name_files(files, beside=options.beside, side=options.side)
    for file, table, names in zip(files, _opened(files, options), every, strict=True):
        chosen = table
        if options.where:
            from rankbars.tables.conditions import choose_rows

            chosen = choose_rows(table, options.where)
        chosen = WordsView(chosen, options.words) if options.words else chosen
        parsed = parse_table(chosen, names, options, options.engine)
        notes = _note_open_end(file)
        if table.remark:
            notes = (*notes, Note("title", f"{file.label}: {table.remark}"))
        found.append(parsed._replace(notes=notes))
    return found


def name_files(
    files: Sequence[InputFile], *, beside: bool = False, side: str = ""
) -> list[FileNames]:
    """Names for what a table does not say itself, from the paths of all files read together.

    Files that are read `beside` others share the task that none of them names. All files of a
    `side` are of the model that is called so, and several of them are tasks.
    """
    if side and len(files) > 1:
        runs = _runs_of(files)
        if runs:
            return [FileNames(side, SHARED_TASK, SHARED_TASK, run=run) for run in runs]
        return [FileNames(side, task, task) for task in _tasks_of(files)]
    several = len(files) > 1
    alike = _folders_of(files) if several else []
    parts = [name.rpartition("/") for name in alike]
    if parts and all(model and names_run(run) for model, _, run in parts):
        return [
            FileNames(model, SHARED_TASK, SHARED_TASK, folders=True, run=run)
            for model, _, run in parts
        ]
    stems = alike or _distinct_stems(files)
    ended = [split_run(stem) for stem in stems]
    if all(run for _, run in ended) and 1 < len({model for model, _ in ended}) < len(ended):
        return [FileNames(model, model, SHARED_TASK, run=run) for model, run in ended]
    counts = Counter(stem.rpartition("_")[2] for stem in stems)
    named = [_split_metric(stem, counts) for stem in stems]
    folders = [Path(file.label).parent.name for file in files]
    # Folders are tasks where files of one name, which are models, stand in several of them.
    in_folders = several and all(folders) and _stand_in_several(files)
    crossed = _crossed(files) if several else ""
    grid = len(files) == len(set(folders)) * len({file_stem(file.path) for file in files})
    found = []
    for file, (stem, metric), folder in zip(files, named, folders, strict=True):
        given, sign, _ = file.label.partition(_NAMED)
        model = given if sign else stem
        amount = not several and stem.casefold() in AMOUNTS  # no task is called cost
        task = SHARED_TASK if beside or amount else stem
        shared = folder if in_folders and folder and not alike else SHARED_TASK
        found.append(
            FileNames(
                model, task, shared, metric, bool(sign), crossed, grid, bool(alike and not sign)
            )
        )
    return found


def _opened(files: Sequence[InputFile], options: ReadOptions) -> Iterator[Table]:
    """The files as tables, small ones of one shape in a pile; damage is raised when its turn is."""
    tables: list[Table] = []
    damage = None
    for file in files:
        try:
            tables.append(open_table(file, options.engine, options.decimal))
        except DataError as error:
            damage = error
            break
    lie_together(
        (table for file, table in zip(files, tables, strict=False)
         if file.path.stat().st_size <= _SMALL_BYTES),
        options.engine,
    )  # fmt: skip
    yield from tables
    if damage is not None:
        raise damage


# A file of this size lies in the database together with others of its shape.
_SMALL_BYTES = HEAD_BYTES


# Between the name that the caller gives an input and its path.
_NAMED = " = "


def _runs_of(files: Sequence[InputFile]) -> list[str]:
    """What files of one model are called as runs, by their names or folders; else nothing."""
    stems = [file_stem(file.path) for file in files]
    folders = [Path(file.label).parent.name for file in files]
    ended = [split_run(stem) for stem in stems]
    endings = [run for _, run in ended] if len({model for model, _ in ended}) == 1 else []
    for names in (stems, folders, endings):
        if len(set(names)) == len(names) > 0 and all(map(names_run, names)):
            return names
    return []


def _tasks_of(files: Sequence[InputFile]) -> list[str]:
    """What files of one model are called as tasks: their names, else their folders."""
    stems = [file_stem(file.path) for file in files]
    folders = [Path(file.label).parent.name for file in files]
    for names in (stems, folders):
        if len(set(names)) == len(names):
            return names
    return _distinct_stems(files)


def _folders_of(files: Sequence[InputFile]) -> list[str]:
    """Of files of one name in different folders, what tells their folders apart; else nothing."""
    paths = [Path(file.label.partition(_NAMED)[2] or file.label) for file in files]
    if len({file_stem(file.path) for file in files}) > 1:
        return []
    parts = [path.parent.parts for path in paths]
    if len(set(parts)) < len(parts):
        return []
    while all(one and one[0] == parts[0][0] for one in parts):
        parts = [one[1:] for one in parts]
    while all(one and one[-1] == parts[0][-1] for one in parts):
        parts = [one[:-1] for one in parts]
    names = ["/".join(one) for one in parts]
    return names if all(names) else []


def _stand_in_several(files: Sequence[InputFile]) -> bool:
    """Whether files of one name stand in several folders."""
    return any(count > 1 for count in Counter(file_stem(file.path) for file in files).values())


# What files are called whatever they hold: their folders are models.
_ANY_FILE = split_words("""
    results result scores score out output outputs answers predictions preds eval evals
    evaluation metrics samples items details data log logs report summary test dev val run runs
    judged graded responses generations
""")


def _crossed(files: Sequence[InputFile]) -> str:
    """What to ask where files of one name stand in several folders, and others beside them."""
    places = [(Path(file.label).parent, file_stem(file.path)) for file in files]
    folders = dict.fromkeys(folder for folder, _ in places)
    stems = dict.fromkeys(stem for _, stem in places)
    told = any(_NAMED in file.label for file in files)
    if (
        len(folders) < 2
        or not _stand_in_several(files)
        or (len(stems) == 1 and (told or _ANY_FILE & {*stems}))
    ):
        return ""
    parents = {folder.parent for folder in folders}
    names = {folder.name for folder in folders}
    if len(parents) > 1 or len(names) < len(folders):
        return ""
    parent = parents.pop().as_posix()
    suffix = "".join(Path(files[0].label).suffixes[-1:])
    models = " ".join(shlex.quote(f"{one.name}={one.as_posix()}") for one in folders)
    tasks = " ".join(shlex.quote(f"{stem}={parent}/*/{stem}{suffix}") for stem in stems)
    return (
        "no column names the model or the task, and files of one name stand in several folders. "
        f"If folders are models and files are tasks, name them: {models}. If files are models: "
        f"{tasks}."
    )


def _split_metric(stem: str, counts: Mapping[str, int]) -> tuple[str, str | None]:
    """Name of a file without the metric at its end, and that metric; None if there is none.

    A metric that is better when higher is one only where several files are called after it.
    """
    name, _, ending = stem.rpartition("_")
    side = usual_direction(ending)
    if side == "lower":
        return name or stem, ending
    if (loss := _loss_in(stem)) is not None:
        return stem, loss  # "rmse_wide"
    if not name or side is None or ending.casefold() == "score":
        return stem, None
    return (name, ending) if counts[ending] > 1 else (stem, None)


def _loss_in(stem: str) -> str | None:
    """The loss that a file is called after, whatever is said of its layout behind."""
    first = metric_in_name(stem)
    if first is not None and usual_direction(first) == "lower":
        return first
    words = re.findall(r"[^\W_]+", stem.casefold())
    told = next((word for word in words if word in _LOSS_WORDS or _is_error(word)), None)
    while len(words) > 1 and words[-1] in _LAYOUT_WORDS:
        words.pop()
    last = words[-1] if words else ""
    ends = next(
        (one for one in (last, last.removesuffix("s")) if usual_direction(one) == "lower"), ""
    )
    return told or ends or None


_LAYOUT_WORDS = split_words("""
    wide long pivot pivoted table matrix results result final all summary sec secs s ms min
""")
_LOSS_WORDS = split_words(
    "err error errors nll loss losses perplexity ppl wer cer logloss crps wql"
)


def _is_error(word: str) -> bool:
    """Whether a word abbreviates a mean of absolute, squared, percentage or scaled errors."""
    return re.fullmatch(r"[a-z]*(?:ae|se|ape|sle)", word) is not None and word in LOWER


def _distinct_stems(files: Sequence[InputFile]) -> list[str]:
    stems = ["stdin" if file.label == "-" else file_stem(file.path) for file in files]
    if len(set(stems)) == len(stems):
        return stems
    return [
        (Path(file.label).parent / stem).as_posix() for file, stem in zip(files, stems, strict=True)
    ]


def _note_open_end(file: InputFile) -> tuple[Note, ...]:
    """A note if a CSV file does not end with a line break: it may have been cut off there."""
    suffix = file.path.suffix.lower()
    if suffix not in DELIMITED_SUFFIXES:
        return ()
    with file.path.open("rb") as raw:
        if raw.read(4) == b"PAR1":
            return ()
        raw.seek(-min(2, file.path.stat().st_size), 2)
        if raw.read().strip(b"\0")[-1:] in b"\r\n":  # two bytes a character in UTF-16
            return ()
    message = (
        f"{file.label}: the last row has no line break after it. If the file was cut off there, "
        "its last cell is incomplete."
    )
    return (Note("open-end", message),)

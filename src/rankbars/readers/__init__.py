"""Files → `Scores`: one entry of `FORMATS` per format, recognised by content."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import Change, change_tasks, models_of
from rankbars.errors import OptionError
from rankbars.readers.chosenfiles import (
    Paths,
    find_paths,
    known_formats,
    note_equal,
    open_files,
    report_files,
)
from rankbars.readers.gathering import gather
from rankbars.readers.inputfiles import is_url
from rankbars.readers.openedfiles import Progress
from rankbars.readers.recognition import FileReport, Format, KnownFormats, Recognition
from rankbars.readers.registry import FORMATS
from rankbars.tables.chosenmodels import choose_models
from rankbars.tables.givenoptions import options_of
from rankbars.tables.readoptions import ReadOptions

if TYPE_CHECKING:
    from rankbars.tables.parsedtables import ParsedTable

__all__ = [
    "FORMATS", "FileReport", "Format", "Recognition", "explain", "read", "redact_items",
    "texts_of_inputs",
]  # fmt: skip


def read(
    paths: Paths | Mapping[str, Paths],
    *,
    format: str = "auto",
    columns: Mapping[str, str] | None = None,
    direction: str | Mapping[str, str] | Sequence[str] | None = None,
    rows: str | None = None,
    folds: int | None = None,
    test_share: float | None = None,
    metric: str | Sequence[str] | None = None,
    layout: str | None = None,
    minimum: float | None = None,
    maximum: float | None = None,
    filter: str | Sequence[str] | None = None,
    reruns: str | None = None,
    compare_anyway: bool = False,
    controls: str | Sequence[str] = (),
    self_votes: str = "raise",
    arena_per_file: bool = False,
    cells: str | None = None,
    decimal: str | None = None,
    sheet: str | Sequence[str] | None = None,
    words: Mapping[str, object] | Sequence[str] | None = None,
    models: str | Sequence[str] | None = None,
    redact: bool = False,
    progress: Progress | None = None,
    memory_limit: str | int | None = None,
    by_reference: bool = False,
    n_jobs: int = 1,
    download_limit: str | int | None = None,
    other_hosts: bool = False,
    beside: bool = False,
    by_call: bool = False,
    trials: str | None = None,
    failed: str | None = None,
    map: str | Mapping[str, str] | None = None,
    where: str | Sequence[str] = (),
    within: str | Sequence[str] = (),
    over_time: str | None = None,
) -> Scores:
    r"""Scores from files.

    What was recognised, chosen or left out is told by the notes of the result.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, folders (searched through), patterns such as ``"runs/*.csv"``, URLs such as
        ``"s3://bucket/results.parquet"`` (through fsspec), or ``"-"`` for standard input. A mapping
        from names to paths reads each by itself, as results of one model, which gets that name:
        ``{"new": "runs/b", "old": "runs/a"}``.
    format : str
        A key of `FORMATS`; ``"auto"`` recognises each file by its content.
    columns : mapping from str to str, optional
        Columns by role, such as ``{"item": "question", "cluster": "passage"}``; an empty name
        switches a role off.
    direction : {"higher", "lower"}, mapping or sequence of ``"name=lower"``, optional
        Which side is better, by task or metric. Without it, a metric that is usually
        lower-is-better raises: stored results are often negated already.
    rows : {"items", "folds", "runs", "prompts"}, optional
        What a row of a task is, where the columns do not say it.
    folds : int, optional
        Folds per repeat, where rows are folds.
    test_share : float, optional
        Share of the data held out in each fold.
    metric : str or sequence of str, optional
        The metric to use where there are several; of more than one, each task of a log shows
        the first that it has. Where items have several answers, ``"pass@4"`` (any of 4 right),
        ``"pass^4"`` (all of 4), ``"best@4"`` and ``"majority@3"`` are metrics of them, unbiased
        for each item; ``"pass^4-plugin"`` is the biased form that some publish.
    layout : str, optional
        How to read a table whose header does not say it: ``"tidy"``, ``"items-by-models"``,
        ``"models-by-items"``, ``"tasks-by-models"``, ``"models-by-tasks"``,
        ``"tasks-by-folds"`` or ``"items-by-trials"``.
    minimum, maximum : float, optional
        Declared limits of every score, in the units of the files.
    filter : str or sequence of str, optional
        Variant of the results to use, where a log holds several: the filter that picks an answer
        out of a text, a number of shots such as ``"5-shot"``.
    reruns : {"newest", "all"}, optional
        Which of several runs of one model on one task counts; all of them are repeats. Of logs the
        newest, if nothing is said. In a table a column such as ``date`` tells them apart.
    compare_anyway : bool
        Whether to compare models whose results say that they were not given the same task.
    controls : str or sequence of str
        Tables of votes: what strengths are adjusted for. ``"position"``; a column with the first
        model's value less the second's; or ``"length"`` for ``length_a`` and ``length_b``.
    self_votes : {"raise", "drop"}
        What to do with votes of a model against itself.
    arena_per_file : bool
        Tables of votes: whether each file is an arena, and so a task, of its own. All files are
        one arena otherwise, unless a column names tasks.
    cells : str, optional
        What stands behind the values in tables with cells such as ``71.3 ± 1.2``: ``"se"`` (a
        standard error), ``"std5"`` (the standard deviation of 5 runs; any number), ``"ci95"`` (an
        interval or half of one; any level) or ``"value"`` (it is left aside).
    decimal : {".", ","}, optional
        What separates the fraction of numbers in text. Without it, a comma does between semicolons
        only.
    sheet : str or sequence of str, optional
        Workbooks (.xlsx): which of several sheets is read, by its name; of more than one, or of a
        pattern such as ``"*"`` for all, each is read as a file of a folder is.
    words : mapping from str to str or float, or sequence of str, optional
        What words in cells of scores count as: ``"pass"``, ``"fail"``, ``"missing"`` (no score) or
        a number, such as ``{"timeout": "fail", "infra_error": "missing"}``.
    models : str or sequence of str, optional
        Only these models, as if no other were there: a run of another model on fewer items leaves
        theirs as they are. Choose without looking at the results.
    redact : bool
        Whether names of items are replaced by hashes.
    progress : callable, optional
        Called now and then with the bytes read so far and the bytes of all files.
    memory_limit : str or int, optional
        What the process should not exceed, such as ``"2GB"`` or a number of bytes. Tasks of
        tables that do not fit are kept in files and looked at one at a time; the results are the
        same. Without a limit all tasks are held in memory.
    by_reference : bool
        Whether tasks of Parquet files are not kept at all, but read again from their file whenever
        they are looked at; workers on a cluster read the rows of their own task. The files must
        lie where all workers see them.
    n_jobs : int
        With `by_reference`: how many workers look the tasks over, as joblib counts them (-1 for
        all). Their rows are checked and counted there; here, only names of tasks are read.
    download_limit : str or int, optional
        How much is copied of a URL at most, such as ``"100GB"``; 50 GB where not given.
    other_hosts : bool
        Whether a URL may lead to a host that it does not name.
    beside : bool
        Whether these results will be put beside others, as in ``read(a) | read(b)``: a task that
        nothing names is then called ``"all"``, and not after its file.
    by_call : bool
        Whether answers are wanted one by one, as a race wants them: in logs, items have the names
        by which their tool is asked for them, none is left out because other models lack it, and
        all runs of a model count.
    trials : {"fixed"}, optional
        Each item was tried a number of times that did not depend on the answers; needed where
        answers look as if they had been stopped at the first right one.
    failed : {"lowest"}, optional
        What a trial without a score counts as, where its item has several: nothing, if not given,
        or the lowest score.
    map : str or mapping from str to str, optional
        Where records lie in JSON of a tool that is not known: paths by role, such as
        ``"model=config.model,item=results[].id,score=results[].reward"``, or a YAML file of them.
    where : str or sequence of str
        Tables of scores or votes: only rows on which these conditions hold, such as
        ``"language = 'de' and turns > 1"``. A condition compares columns with numbers and texts
        (``= != < <= > >=``, ``and``, ``or``, ``not``, ``in``, ``between``, ``like``,
        ``is null``); it holds on no row where a cell that matters is empty.
    within : str or sequence of str
        Tables of votes: columns that sort votes into categories, which may overlap: true or false,
        a text, or a list. The board has ranks in each beside those of all votes.
    over_time : str, optional
        Tables of votes with a column of times: strengths by ``"day"``, ``"week"`` or ``"month"``,
        or before and since a date such as ``"2025-03-15"``. The board says whose strength changed.

    Returns
    -------
    Scores
        Evidence by task; `Scores.inputs` names each file with its format and digest.

    Raises
    ------
    ReadError
        If a file does not exist, is damaged, or no format knows it.
    DataError
        If the results cannot be understood; the message names file, row, model, task and item.
    OptionError
        If an option is out of range or not known.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("results.csv").write_text(
    ...     "model,task,item,score\na,math,1,1\na,math,2,0\nb,math,1,1\nb,math,2,1\n")
    >>> read("results.csv").tasks["math"].values.tolist()
    [[1.0, 1.0], [0.0, 1.0]]
    """
    if hasattr(paths, "columns"):
        raise OptionError(
            f"paths of read() must be paths; got a {type(paths).__name__}. Scores of a data frame: "
            "rb.Scores.from_frame(frame)."
        )
    declared = {
        "columns": columns, "direction": direction, "rows": rows, "folds": folds,
        "test_share": test_share, "metric": metric, "layout": layout, "minimum": minimum,
        "maximum": maximum, "filter": filter, "reruns": reruns, "compare_anyway": compare_anyway,
        "controls": controls, "self_votes": self_votes, "arena_per_file": arena_per_file,
        "cells": cells, "decimal": decimal, "sheet": sheet, "words": words,
        "memory_limit": memory_limit, "by_reference": by_reference, "n_jobs": n_jobs,
        "models": models, "download_limit": download_limit, "other_hosts": other_hosts,
        "trials": trials, "failed": failed, "by_call": by_call,
        "map": map, "where": where, "within": within, "over_time": over_time,
    }  # fmt: skip
    options = options_of(declared, format)
    if isinstance(paths, Mapping):
        from rankbars.readers.sides import read_sides

        apart = replace(options, models=())
        reader = partial(_read, format=format, options=apart, progress=progress)
        scores = choose_models(
            read_sides(
                paths,
                reader,
                partial(texts_of_inputs, declared=declared, format=format),
                anyway=options.compare_anyway,
            ),
            options.models,
        )
    else:
        scores = _read(paths, format=format, options=options, progress=progress, beside=beside)
    return redact_items(scores) if redact else scores


def _read(
    paths: Paths, *, format: str, options: ReadOptions, progress: Progress | None,
    beside: bool = False, side: str = "", item: str = "",
) -> Scores:  # fmt: skip
    formats = known_formats(format)
    if item:
        options = replace(options, columns={"item": item, **options.columns})
    options = replace(options, beside=beside, side=side)
    with open_files(paths, format, options, formats, progress) as (chosen, skipped):
        scores = gather(chosen, options, formats, skipped)
        if not set(options.models) <= set(scores.models):
            # A name that is not known is told with all that are.
            scores = gather(chosen, replace(options, models=()), formats, skipped)
        scores = choose_models(scores, options.models)
    equal = note_equal(scores.inputs)
    left_out = [Note("plugin", problem) for problem in formats.problems]
    return scores.with_notes([*equal, *skipped.notes(), *left_out])


def texts_of_inputs(
    named: Mapping[str, Paths], declared: Mapping[str, Any], format: str = "auto"
) -> tuple[str, Note | None] | None:
    """Where inputs of one model each have texts that differ where their ids are the same.

    The column of texts, and a note unless they match the rows. None if they do not differ, or
    cannot be looked at again: they are no tables, or come from standard input or a URL.

    Parameters
    ----------
    named : mapping from str to paths
        The inputs, by the names of their models.
    declared : mapping
        What was declared of them, by the names that `read` has for it.
    format : str
        As in `read`.
    """
    from rankbars.readers.tables import read as read_tables
    from rankbars.tables.database import Engine
    from rankbars.tables.othertexts import texts_of_sides

    formats = known_formats(format)
    options = options_of(declared, format)
    tables: dict[str, list[ParsedTable]] = {}
    with Engine(options.room.engine_bytes) as engine:
        for name, paths in named.items():
            given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
            if any(os.fspath(one) == "-" or is_url(os.fspath(one)) for one in given):
                return None
            side = replace(options, beside=True, side=name, engine=engine, models=())
            with open_files(paths, format, side, formats) as (chosen, _):
                if any(formats[one.format].code != FORMATS["tidy"].code for one in chosen):
                    return None
                tables[name] = read_tables([one.file for one in chosen], side)
        found = texts_of_sides(tables, options)
    return None if found is None else (found.column, next(iter(found.notes), None))


def explain(paths: Paths) -> list[FileReport]:
    r"""What each file would be read as, and why, or why not.

    Parameters
    ----------
    paths : path or sequence of paths
        As in `read`.

    Returns
    -------
    list of FileReport
        One per file, in the order in which files are found.

    Raises
    ------
    ReadError
        If a path does not exist or a pattern matches nothing.

    Examples
    --------
    >>> from pathlib import Path
    >>> _ = Path("results.csv").write_text("model,task,item,score\na,math,1,1\n")
    >>> explain("results.csv")[0].format
    'tidy'
    """
    formats = KnownFormats(FORMATS)
    with find_paths(paths) as found:
        return report_files(found, formats)


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
    return hashlib.blake2b(text, digest_size=16).hexdigest()

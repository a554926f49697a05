"""Files → `Scores`: one entry of `FORMATS` per format, recognised by content."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import NamedTuple

from rankbars.data.notes import Note
from rankbars.data.scores import Input, Scores
from rankbars.data.tables import TableOptions
from rankbars.data.tabular.joining import join_scores
from rankbars.errors import DataError, OptionError, ReadError, UnknownOptionError
from rankbars.readers.files import InputFile, digest, find_files, standard_input
from rankbars.readers.inspect_logs import read_inspect, sniff_inspect
from rankbars.readers.lm_eval import read_lm_eval, sniff_lm_eval
from rankbars.readers.logs.options import ReadOptions, named_once
from rankbars.readers.recognition import (
    FileReport,
    Format,
    Recognition,
    apply_options,
    recognise,
    sniff_tidy,
    sniff_wide,
)  # fmt: skip
from rankbars.readers.redaction import redact_items
from rankbars.readers.tables import read_tables
from rankbars.readers.votes import read_votes, sniff_votes

__all__ = ["FORMATS", "FileReport", "Format", "Recognition", "explain", "read"]

FORMATS: dict[str, Format] = {
    "lm-eval": Format(
        "lm-eval",
        sniff_lm_eval,
        read_lm_eval,
        "results and samples files of the lm-evaluation-harness",
    ),
    "inspect": Format(
        "inspect", sniff_inspect, read_inspect, "logs of Inspect AI: .eval archives and .json files"
    ),
    "tidy": Format(
        "tidy",
        sniff_tidy,
        read_tables,
        "table with one row per score: CSV, TSV, Parquet, JSON, JSON lines",
        is_table=True,
    ),
    "wide": Format(
        "wide",
        sniff_wide,
        read_tables,
        "matrix of scores: models × tasks, tasks × models, items × models, tasks × folds",
        is_table=True,
    ),
    "votes": Format(
        "votes",
        sniff_votes,
        read_votes,
        "pairwise votes: one row per vote or per pair, a square table of wins, rankings, choices",
        is_table=True,
    ),
}

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def read(
    paths: Paths,
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
    reruns: str = "newest",
    compare_anyway: bool = False,
    controls: str | Sequence[str] = (),
    self_votes: str = "raise",
    redact: bool = False,
) -> Scores:
    r"""Scores from files.

    What was recognised, chosen or left out is told by the notes of the result.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, folders (searched through), patterns such as ``"runs/*.csv"``, or ``"-"`` for
        standard input.
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
        the first that it has.
    layout : {"tidy", "items-by-models", "tasks-by-models", "models-by-tasks", "tasks-by-folds"}
        How to read a table whose header does not say it.
    minimum, maximum : float, optional
        Declared limits of every score, in the units of the files.
    filter : str or sequence of str, optional
        Variant of the results to use, where a log holds several: the filter that picks an answer
        out of a text, a number of shots such as ``"5-shot"``.
    reruns : {"newest", "all"}
        Which of several runs of one model on one task counts; all of them are repeats.
    compare_anyway : bool
        Whether to compare models whose logs say that they were not given the same task.
    controls : str or sequence of str
        Tables of votes: what strengths are adjusted for. ``"position"``; a column with the first
        model's value less the second's; or ``"length"`` for ``length_a`` and ``length_b``.
    self_votes : {"raise", "drop"}
        What to do with votes of a model against itself.
    redact : bool
        Whether names of items are replaced by hashes.

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
    metrics = named_once(metric, "metric")
    tables = TableOptions.of(
        columns=columns, direction=direction, rows=rows, folds=folds, test_share=test_share,
        metric=metrics[0] if metrics else None, layout=layout, minimum=minimum, maximum=maximum,
        controls=controls, self_votes=self_votes,
    )  # fmt: skip
    options = ReadOptions.for_logs(
        tables, metrics=metrics, filters=named_once(filter, "filter"), reruns=reruns,
        compare_anyway=compare_anyway,
    )  # fmt: skip
    if format != "auto" and format not in FORMATS:
        raise UnknownOptionError.among("format", format, ("auto", *FORMATS))
    if format == "tidy" and options.layout is None:
        options = replace(options, layout="tidy")
    with ExitStack() as stack:
        chosen, notes = _choose_formats(_find_files(paths, stack), format, options)
        _check_options(chosen, options)
        scores = _read_all(chosen, options).with_notes(notes)
    return redact_items(scores) if redact else scores


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
    with ExitStack() as stack:
        return [_report(file) for file in _find_files(paths, stack)]


def _report(file: InputFile) -> FileReport:
    try:
        return recognise(file, FORMATS)
    except DataError as error:
        return FileReport(file.label, None, str(error).removeprefix(f"{file.label}: "))


def _find_files(paths: Paths, stack: ExitStack) -> list[InputFile]:
    given = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    from_files = [path for path in given if os.fspath(path) != "-"]
    piped = stack.enter_context(standard_input(len(from_files) < len(given)))
    found = find_files(from_files) if from_files or piped is None else []
    return found if piped is None else [*found, piped]


class _Chosen(NamedTuple):
    """A file and the format it is read as."""

    file: InputFile
    format: str
    sha256: str


def _choose_formats(
    files: Sequence[InputFile], declared: str, options: ReadOptions
) -> tuple[list[_Chosen], list[Note]]:
    chosen: list[_Chosen] = []
    skipped: list[FileReport] = []
    for file in files:
        report = FileReport(file.label, declared, "declared")
        if declared == "auto":
            report = apply_options(file, recognise(file, FORMATS), options)
        if report.format is not None:
            chosen.append(_Chosen(file, report.format, digest(file.path)))
        elif file.asked:
            raise ReadError.at(file.label, f"the file is not recognised. {report.reason}")
        else:
            skipped.append(report)
    if not chosen:
        raise ReadError(_nothing_found(skipped))
    if not skipped:
        return chosen, []
    shown = "; ".join(f"{report.path}: {report.reason}" for report in skipped[:5])
    more = f"; and {len(skipped) - 5} more" if len(skipped) > 5 else ""
    note = Note("files-skipped", f"{_files(len(skipped))} not read: {shown}{more}")
    return chosen, [note]


def _nothing_found(skipped: Sequence[FileReport]) -> str:
    if not skipped:
        return "There is nothing to read: the folder holds no file."
    shown = "; ".join(f"{report.path}: {report.reason}" for report in skipped[:3])
    return (
        f"None of {_files(len(skipped))} can be read: {shown} See `rankbars formats PATH` for all "
        "of them."
    )


def _files(number: int) -> str:
    return f"{number} file{'s' if number > 1 else ''}"


def _check_options(chosen: Sequence[_Chosen], options: ReadOptions) -> None:
    """Raises `OptionError` for options that none of the files can heed."""
    tables = [one for one in chosen if FORMATS[one.format].is_table]
    if len(options.metrics) > 1 and tables:
        raise OptionError(
            f"{tables[0].file.label}: a table shows one metric; got {len(options.metrics)} "
            f"({', '.join(options.metrics)}). Name one."
        )
    if tables:
        return
    given = {
        "rows": options.rows, "folds": options.folds, "test_share": options.test_share,
        "layout": options.layout,
        "columns": [role for role in options.columns if role != "cluster"] or None,
    }  # fmt: skip
    for name, value in given.items():
        if value is not None:
            raise OptionError(
                f"{name} describes tables, and none of the inputs is one (the first, "
                f"{chosen[0].file.label}, is read as {chosen[0].format}). Leave it out."
            )


def _read_all(chosen: Sequence[_Chosen], options: ReadOptions) -> Scores:
    """Scores of all files; formats that share a reader are read together."""
    groups: dict[Callable[..., Scores], list[_Chosen]] = defaultdict(list)
    for one in chosen:
        groups[FORMATS[one.format].read].append(one)
    parts = []
    for read_files, members in groups.items():
        try:
            scores = read_files([one.file for one in members], options)
        except DataError as error:
            raise _with_place(error, [one.file.label for one in members]) from error
        inputs = tuple(Input(one.file.label, one.format, one.sha256) for one in members)
        parts.append(replace(scores, inputs=inputs))
    return join_scores(parts)


def _with_place(error: DataError, labels: Sequence[str]) -> DataError:
    """The error with the files it is about, if it does not name one."""
    message = str(error)
    if any(label in message for label in labels):
        return error
    place = ", ".join(labels[:3]) + (f" and {len(labels) - 3} more" if len(labels) > 3 else "")
    return type(error)(f"{place}: {message}")

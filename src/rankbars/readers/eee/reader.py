"""Every Eval Ever: which files are its own, and how they belong together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.eee.aggregates import Aggregate, read_aggregates
from rankbars.readers.eee.runs import runs_of_aggregate, runs_of_samples
from rankbars.readers.eee.samples import Samples, read_samples
from rankbars.readers.eee.wholes import find_groups
from rankbars.readers.files import InputFile, file_stem
from rankbars.readers.logs.jsontext import top_level_keys
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.records import Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, Recognition
from rankbars.tables.columns import fold_name

__all__ = ["read_eee", "sniff_eee"]

RECORD_KEYS = {"schema_version", "evaluation_results", "model_info"}
ROW_KEYS = {"evaluation_id", "sample_id", "evaluation"}

_SAMPLES = re.compile(r"(?P<record>.+)_samples", re.DOTALL)


def sniff_eee(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a record of Every Eval Ever, or holds its rows of instances.

    Examples
    --------
    >>> _ = Path("x.json").write_text(
    ...     '{"schema_version": "0.3.0", "model_info": {}, "evaluation_results": []}')
    >>> sniff_eee(Path("x.json"), b"{").format
    'eee'
    """
    if not head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return None
    keys = set(top_level_keys(path))
    if keys >= RECORD_KEYS:
        return Recognition("eee", CERTAIN, "It has the keys of a record of Every Eval Ever: "
                           "schema_version, model_info, evaluation_results.")  # fmt: skip
    if keys >= ROW_KEYS:
        return Recognition("eee", CERTAIN, "Its rows have the keys of instances of Every Eval "
                           "Ever: evaluation_id, sample_id, evaluation.")  # fmt: skip
    return None


def read_eee(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from records of Every Eval Ever, schema 0.2 and 0.3.

    Parameters
    ----------
    files : sequence of InputFile
        Aggregate files and files of instances, in any order.
    options : ReadOptions
        What the caller declares; the column ``cluster`` names a key of the rows' metadata.

    Raises
    ------
    ReadError
        If files are damaged.
    DataError
        If the results cannot be compared; see `rankbars.readers.logs.scores`.
    """
    cluster = options.columns.get("cluster") or None
    records: list[Aggregate] = []
    rows: list[Samples] = []
    damaged: list[ReadError] = []
    for file in files:
        try:
            if set(top_level_keys(file.path)) >= RECORD_KEYS:
                records += read_aggregates(file)
            else:
                rows.append(read_samples(file, cluster))
        except ReadError as error:
            damaged.append(error)
    if damaged:
        raise ReadError.joined(damaged)
    joined, alone, notes = _join(records, rows)
    groups = find_groups(records)
    runs = [
        run
        for place, record in enumerate(records)
        for run in runs_of_aggregate(record, joined.get(place), groups)
    ]
    runs += [run for samples in alone for run in runs_of_samples(samples)]
    runs = _join_data_sets(_drop_foreign_prints(runs, records))
    return [*runs, *notes]


def _join(
    records: Sequence[Aggregate], rows: Sequence[Samples]
) -> tuple[dict[int, Samples], list[Samples], list[Note]]:
    """Rows by the place of their record; rows without a record; notes on rows left out."""
    joined: dict[int, Samples] = {}
    alone: list[Samples] = []
    notes: list[Note] = []
    for samples in rows:
        named = _SAMPLES.fullmatch(file_stem(samples.file.path))
        beside = [
            place
            for place, record in enumerate(records)
            if named is not None
            and file_stem(record.file.path) == named["record"]
            and record.file.path.parent == samples.file.path.parent
        ]
        fitting = [
            place
            for place in (*beside, *range(len(records)))
            if records[place].evaluation == samples.evaluation and place not in joined
        ]
        if fitting:
            joined[fitting[0]] = samples
        elif beside and beside[0] not in joined:
            notes.append(Note(
                "samples-left-out",
                f"{samples.file.label}: the rows are about the evaluation "
                f"{samples.evaluation!r}, the record beside them about "
                f"{records[beside[0]].evaluation!r}; they are not used.",
            ))  # fmt: skip
        else:
            alone.append(samples)
    return joined, alone, notes


def _join_data_sets(runs: Sequence[Run]) -> list[Run]:
    """Runs with the name of their data set only where one task is on several.

    Records spell names in several ways, and old ones name no data set.
    """
    spellings: dict[str, dict[str, str]] = {}
    for run in runs:
        for name in run.setup.values():
            spellings.setdefault(run.task, {}).setdefault(fold_name(name), name)
    return [
        replace(run, setup={key: spellings[run.task][fold_name(name)]
                            for key, name in run.setup.items()
                            if len(spellings[run.task]) > 1})
        for run in runs
    ]  # fmt: skip


def _drop_foreign_prints(runs: Sequence[Run], records: Sequence[Aggregate]) -> list[Run]:
    """Runs whose fingerprints can be compared: each converter hashes something else."""
    library = {record.place: record.library for record in records}
    of_task: dict[str, set[str]] = {}
    for run in runs:
        of_task.setdefault(run.task, set()).add(library.get(run.source, ""))
    return [
        replace(run, rows=run.rows._replace(prints=None))
        if run.rows is not None and len(of_task[run.task]) > 1
        else run
        for run in runs
    ]

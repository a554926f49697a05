"""Runs and releases of HELM: recognised, and read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.files import InputFile, read_each
from rankbars.readers.helm.folders import RunFolder, find_schemas, group_folders
from rankbars.readers.helm.runs import make_runs
from rankbars.readers.helm.schema import Schema, read_schema
from rankbars.readers.helm.signatures import KINDS, file_kind, kind_of
from rankbars.readers.helm.tables import read_group_tables
from rankbars.readers.logs.options import ReadOptions
from rankbars.readers.logs.remarks import list_names
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, Recognition

__all__ = ["read_helm", "sniff_helm"]


def sniff_helm(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file belongs to a run or a release of HELM.

    Examples
    --------
    >>> head = b'[{"instance_id": "id1", "train_trial_index": 0, "stats": []}]'
    >>> sniff_helm(Path("per_instance_stats.json"), head).format
    'helm'
    """
    kind = kind_of(path, head)
    return Recognition("helm", CERTAIN, KINDS[kind]) if kind else None


def read_helm(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from runs of HELM, or from the tables of a release.

    Parameters
    ----------
    files : sequence of InputFile
        Files of run folders (``run_spec.json``, ``stats.json``, ``per_instance_stats.json``), a
        ``schema.json``, tables of groups. What lies beside a file of a run is read with it.
    options : ReadOptions
        What the caller declares; a filter names a split or a perturbation.

    Raises
    ------
    ReadError
        If a file is damaged.
    DataError
        If the runs cannot be compared; see `rankbars.readers.logs.scores`.
    """
    kinds = [file_kind(file.path) for file in files]
    of_runs = [file for file, kind in zip(files, kinds, strict=True)
               if kind in ("run", "stats", "instances")]  # fmt: skip
    tables = [file for file, kind in zip(files, kinds, strict=True) if kind == "table"]
    given = [file for file, kind in zip(files, kinds, strict=True) if kind == "schema"]
    folders = group_folders(of_runs)
    schemas, notes = _read_schemas(given, folders)
    whole = {folder.main: folder for folder in folders if folder.main is not None}
    found = read_each(whole, lambda file: [*make_runs(whole[file], schemas, options)])
    runs = [run for of_folder in found for run in of_folder]
    empty = len(folders) - len(whole)
    if empty:
        notes.append(Note("unfinished", f"Left out: {empty} of the runs, without statistics yet."))
    if tables and runs:
        notes.append(Note(
            "groups", "Tables of the release are not read: they show the runs that are.",
        ))  # fmt: skip
    elif tables:
        runs = read_group_tables(tables, schemas)
        notes.append(Note(
            "columns-dropped",
            "Columns of the tables that belong to no group of runs, such as 'Mean win rate', are "
            "not tasks: they depend on which models stand there.",
        ))  # fmt: skip
    return [replace(run, notes=(*notes, *run.notes)) for run in runs]


def _read_schemas(
    given: Sequence[InputFile], folders: Sequence[RunFolder]
) -> tuple[list[Schema], list[Note]]:
    """Schemas that were given, else those found beside the runs."""
    if given:
        return read_each(given, read_schema), []
    schemas, notes = [], []
    for file in find_schemas(folders):
        try:
            schemas.append(read_schema(file))
        except ReadError as error:
            notes.append(Note("files-damaged", f"Not used: {error}"))
    if schemas:
        notes.append(Note(
            "schema-found", "Main metrics and directions are taken from "
            f"{list_names(schema.label for schema in schemas)}, found beside the runs.",
        ))  # fmt: skip
    return schemas, notes

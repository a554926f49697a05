"""Counts of votes per pair of models: names, pairs of positions, four counts each."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from rankbars.data.mergedvotes import merge_votes
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.votes import Votes
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, read_each
from rankbars.readers.logs.jsontext import load_json, top_level_keys
from rankbars.readers.logs.jsonvalues import as_count, as_list
from rankbars.readers.parts import VoteTable
from rankbars.readers.recognition import CERTAIN, Recognition
from rankbars.readers.votefiles import FILE_TASK
from rankbars.tables.parsedtables import FileNames
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file holds counts of votes per pair.

    Examples
    --------
    >>> _ = Path("counts.json").write_text('{"models": ["a", "b"], "X": [[0, 1]], "Y": [[3, 1]]}')
    >>> sniff(Path("counts.json"), b"{").format
    'pair-counts'
    """
    named = data_suffix(path) == ".json" or path.name == "stdin"
    if named and set(top_level_keys(path)) == {"models", "X", "Y"}:
        return Recognition("pair-counts", CERTAIN, "It has the keys of counts of votes: models, X "
                           "(pairs), Y (wins, losses, ties, both bad).")  # fmt: skip
    return None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[VoteTable]:
    """Votes from counts per pair."""
    return read_each(files, _read_table)


def _read_table(file: InputFile) -> VoteTable:
    task = file_stem(file.path)
    note = Note(
        "pair-counts",
        "Counts per pair: each vote counts as independent of the others, and nothing says which "
        "model was shown first.",
    )
    return VoteTable(
        file.label,
        Scores({FILE_TASK: merge_votes([_read_counts(file)])}),
        FileNames(task, task, task),
        (note,),
    )


def _read_counts(file: InputFile) -> Votes:
    content = load_json(file)
    models, pairs, counts = (content.get(key) for key in ("models", "X", "Y"))
    if not isinstance(models, list) or not all(isinstance(name, str) for name in models):
        raise ReadError.at(file.label, "'models' is not a list of names.")
    if not isinstance(pairs, list) or not isinstance(counts, list) or len(pairs) != len(counts):
        raise ReadError.at(file.label, "'X' and 'Y' are not two lists of one length.")
    wins = np.zeros((len(models),) * 2)
    ties, bad = np.zeros_like(wins), np.zeros_like(wins)
    for number, (pair, count) in enumerate(zip(pairs, counts, strict=True), start=1):
        i, j = _pair(file, pair, len(models), number)
        wins_i, wins_j, tied, neither = _counts(file, count, number)
        wins[i, j] += wins_i
        wins[j, i] += wins_j
        for table, votes in ((ties, tied), (bad, neither)):
            table[i, j] += votes
            table[j, i] += votes
    try:
        return Votes(tuple(models), wins, ties if ties.any() else None, bad if bad.any() else None)
    except ReadError:
        raise
    except DataError as error:
        raise ReadError.at(file.label, f"the counts cannot be used: {error}") from error


def _pair(file: InputFile, pair: object, size: int, number: int) -> tuple[int, int]:
    known = [as_count(one) for one in as_list(pair)]
    if len(known) != 2 or None in known or known[0] == known[1]:
        raise ReadError.at(
            file.label, f"pair {number} of 'X' does not name two models by position."
        )
    i, j = (one if one is not None else size for one in known)
    if max(i, j) >= size:
        raise ReadError.at(file.label, f"pair {number} of 'X' names a model beyond the last one.")
    return i, j


def _counts(file: InputFile, counts: object, number: int) -> list[int]:
    known = [as_count(one) for one in as_list(counts)]
    whole = [one for one in known if one is not None]
    if not 2 <= len(known) <= 4 or len(whole) != len(known):
        raise ReadError.at(
            file.label, f"entry {number} of 'Y' does not hold two to four counts, 0 or more."
        )
    return [*whole, 0, 0][:4]

"""AlpacaEval: annotations, one file per model, and leaderboards of win rates."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, read_each
from rankbars.readers.logs.jsontext import first_object, read_records
from rankbars.readers.logs.jsonvalues import as_text, fingerprint, score_of
from rankbars.readers.logs.records import Measure, Run
from rankbars.readers.parts import Comparison, JudgedFile, Leaderboard, Part
from rankbars.readers.recognition import SIGNATURE, Recognition, by_keys
from rankbars.readers.scoredrows import columns_of, read_table
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_KEYS = ("generator_1", "generator_2", "preference")
_STARTS = re.compile(rb'\s*\[\s*\{\s*"instruction"\s*:')
_COLUMNS = ("win_rate", "standard_error", "n_total")

# Columns of a leaderboard with a score, and the one with its standard error.
_MEASURES = {
    "win_rate": "standard_error",
    "length_controlled_winrate": "lc_standard_error",
    "discrete_win_rate": None,
}


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file holds annotations or a leaderboard of AlpacaEval.

    Examples
    --------
    >>> head = b",win_rate,standard_error,n_wins,n_wins_base,n_draws,n_total\n"
    >>> sniff(Path("leaderboard.csv"), head).format
    'alpaca-eval'
    """
    if data_suffix(path) == ".csv":
        columns = columns_of(path, head)
        return by_keys("alpaca-eval", columns, {"an AlpacaEval leaderboard": _COLUMNS})
    if data_suffix(path) != ".json" and path.name != "stdin":
        return None
    first_row = first_object(head)
    if first_row is None and path.name == "annotations.json" and _STARTS.match(head):
        return Recognition("alpaca-eval", SIGNATURE, "It is named and starts like AlpacaEval "
                           "annotations.")  # fmt: skip
    return by_keys("alpaca-eval", first_row or (), {"AlpacaEval annotations": _KEYS})


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Votes of AlpacaEval, and win rates of leaderboards.

    A filter that names an annotator or a baseline is heeded later.
    """
    return read_each(files, lambda file: _read_file(file, options))


def _read_file(file: InputFile, options: ReadOptions) -> Part:
    if data_suffix(file.path) == ".csv":
        return Leaderboard(
            file.label,
            tuple(_read_table(file, options)),
            "Leaderboards are not read: they sum up votes like those that are.",
        )
    notes: list[Note] = []
    rows = _read_annotations(file, notes)
    return JudgedFile(
        file.label, tuple(rows), "AlpacaEval", ordered=False, shared=("judge", "baseline"),
        notes=tuple(notes),
    )  # fmt: skip


def _read_annotations(file: InputFile, notes: list[Note]) -> list[Comparison]:
    found: list[Comparison] = []
    outside = 0
    named: dict[str, None] = {}
    for number, (place, row) in enumerate(read_records(file), start=1):
        if not row.keys() >= set(_KEYS):
            raise ReadError.at(place, "expected an object with generator_1, generator_2 and "
                               "preference.")  # fmt: skip
        share, known = _outcome(row["preference"], place)
        outside += not known
        baseline, model = as_text(row["generator_1"]), as_text(row["generator_2"])
        if baseline is None or model is None:
            raise ReadError.at(place, "a generator has no name.")
        named[model] = None
        judge = as_text(row.get("annotator")) or file.path.resolve().parent.name
        if known:
            found.append(Comparison(
                model, baseline, share, model, baseline, judge, "AlpacaEval",
                fingerprint(row.get("instruction", number)), 0, 1.0,
                as_text(row.get("dataset")) or "", file.label, number,
            ))  # fmt: skip
    if outside:
        notes.append(Note("votes-outside", f"{file.label}: {outside} preferences outside 1 to 2 "
                          "are left out, as the producer does."))  # fmt: skip
    return _rename(file, found, tuple(named), notes)


def _outcome(preference: object, place: str) -> tuple[float | None, bool]:
    """What the model gets, and whether the preference is in its range."""
    number = score_of(preference, place, "the preference")
    if number is None:
        return None, True
    if number == 0:  # the old code of a draw
        return 0.5, True
    return number - 1.0, 1.0 <= number <= 2.0


def _rename(
    file: InputFile, rows: list[Comparison], named: tuple[str, ...], notes: list[Note]
) -> list[Comparison]:
    """The model named after its folder: the name inside can be wrong."""
    if len(named) != 1 or not rows:
        return rows
    inside, judge = named[0], rows[0].judge
    folders = [folder.name for folder in file.path.resolve().parents[:2]]
    if inside in folders or not folders:
        return rows
    name = folders[1] if _is_annotator(folders[0], judge) and len(folders) > 1 else None
    if not name:
        if file.path.name != "stdin":
            notes.append(Note("model-name", f"{file.label}: the model is called {inside!r}, as the "
                              f"file says; its folder is called {folders[0]!r}."))  # fmt: skip
        return rows
    notes.append(Note(
        "model-renamed",
        f"{file.label}: the model is named {inside!r} inside and {name!r} by its folder; the "
        "folder counts.",
    ))  # fmt: skip
    return [row._replace(first=name, model=name) for row in rows]


def _is_annotator(folder: str, judge: str) -> bool:
    return folder == judge or "alpaca_eval" in folder or judge.startswith(folder)


def _read_table(file: InputFile, options: ReadOptions) -> Iterator[Run]:
    for place, cells in read_table(file, whole=True):
        model = next(iter(cells.values()))
        if not model:
            raise ReadError.at(place, "the model has no name.")
        n = _cell(cells, "n_total", place)
        measures = {}
        for name, error in _MEASURES.items():
            value = _cell(cells, name, place)
            if value is not None:
                measures[name] = Measure(
                    name,
                    value=value,
                    se=None if error is None else _cell(cells, error, place),
                    n=None if n is None else int(n),
                    metric="win rate in percent",
                    direction="higher",
                    origin="it is the share of wins",
                    limits=(0.0, 100.0),
                )
        task = options.task_after(file_stem(file.path).removesuffix("_leaderboard"))
        yield Run(file.label, model, task, measures)


def _cell(cells: Mapping[str, str], name: str, place: str) -> float | None:
    text = cells.get(name, "")
    if text.strip() in ("", "nan", "NaN"):
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.inf
    if math.isinf(value):
        raise ReadError.at(place, f"{text[:40]!r} in column {name!r} is not a number.")
    return value

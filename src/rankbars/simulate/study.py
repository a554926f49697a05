"""A study: pieces of work that can be done anywhere, how they run, and how they become tables.

A run is spread over workers, its partial results survive an interruption, and files come last.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import rankbars as rb
from rankbars.data.drafts import write_all, write_text
from rankbars.errors import OptionError, WriteError
from rankbars.render.plotting.style import check_picture, picture_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "Cell",
    "Row",
    "Study",
    "Table",
    "Unit",
    "by_part",
    "check_repetitions",
    "flatten",
    "measure",
    "number",
    "numbers",
    "run",
]

PARTIAL = ".partial"

Progress = Callable[[int, int], None]


Cell = str | int | float | None
Row = dict[str, Cell]
Table = list[Row]
_Name = TypeVar("_Name", str, int)


class Unit(NamedTuple):
    """One piece of work, of about a second.

    Attributes
    ----------
    function : callable
        A function of a module, so that worker processes find it. It draws its random numbers from
        streams named after its arguments: the same arguments give the same rows, wherever and
        whenever it runs.
    arguments : tuple
        Plain values.
    """

    function: Callable[..., Table]
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Study:
    """A simulation study: what is to be done, and what is made of it.

    Parameters
    ----------
    name : str
        Its name in `STUDIES`.
    units : tuple of Unit
        The work.
    finish : callable
        Makes the tables, by name of the file, from the rows of every unit in their order.
    draw : callable, optional
        Makes the pictures, by name of the file, from those tables.
    page : callable, optional
        Makes one HTML page, called `name`, from those tables and the pictures by name of the
        file, as text that stands for the picture in the page.
    summary : callable, optional
        Says in some lines of text what the tables show.
    """

    name: str
    units: tuple[Unit, ...]
    finish: Callable[[Sequence[Table]], dict[str, Table]]
    draw: Callable[[Mapping[str, Table]], dict[str, Figure]] | None = None
    page: Callable[[Mapping[str, Table], Mapping[str, str]], str] | None = None
    summary: Callable[[Mapping[str, Table]], str] | None = None


def flatten(parts: Sequence[Table]) -> Table:
    """The rows of all parts, in order.

    Examples
    --------
    >>> flatten([[{"a": 1}], [{"a": 2}]])
    [{'a': 1}, {'a': 2}]
    """
    return [row for part in parts for row in part]


def by_part(results: Sequence[Table], parts: Mapping[_Name, Sequence[Unit]]) -> dict[_Name, Table]:
    """The rows of each part of the work, whose units were done one part after the other."""
    left = iter(results)
    return {name: flatten(list(islice(left, len(units)))) for name, units in parts.items()}


def number(row: Row, column: str) -> float:
    """A cell that must be a number.

    Raises
    ------
    TypeError
        If it is text or empty.

    Examples
    --------
    >>> number({"width": 0.5}, "width")
    0.5
    """
    cell = row[column]
    if cell is None or isinstance(cell, str):
        raise TypeError(f"expected a number as {column}, found {cell!r}")
    return float(cell)


def numbers(table: Table, column: str) -> list[float]:
    """A column that must hold numbers only.

    Raises
    ------
    TypeError
        If a cell is text or empty.

    Examples
    --------
    >>> numbers([{"width": 0.5}, {"width": 1}], "width")
    [0.5, 1.0]
    """
    return [number(row, column) for row in table]


def check_repetitions(repetitions: int, least: int = 1) -> int:
    """The number of repetitions, if a study can be made of it.

    Raises
    ------
    OptionError
        If it is not a whole number of at least `least`.

    Examples
    --------
    >>> check_repetitions(100)
    100
    """
    whole = isinstance(repetitions, int) and not isinstance(repetitions, bool)
    if not whole or repetitions < least:
        raise OptionError.out_of_range(
            "repetitions", repetitions, f"a whole number, {least} or more"
        )
    return repetitions


def run(
    study: Study,
    output: str | Path,
    *,
    n_jobs: int = 1,
    picture: str = "svg",
    progress: Progress | None = None,
    summarise: Callable[[str], None] | None = None,
) -> tuple[Path, ...]:
    """Run a study and write its tables, one CSV file each, its pictures and its page.

    Parameters
    ----------
    study : Study
        Such as ``STUDIES["tables"](repetitions=100)``.
    output : str or Path
        Folder for the files; made if it does not exist.
    n_jobs : int
        Workers, as joblib counts them; any joblib backend around the call is used.
    picture : {"svg", "png", "pdf", "none"}
        Kind of the pictures, for studies that have some; they need the extra ``plot``.
    progress : callable, optional
        Called with the units done and their number, at the start and after each.
    summarise : callable, optional
        Called with some lines of text, where a study says in words what its tables show.

    Returns
    -------
    tuple of Path
        The files that were written.

    Raises
    ------
    OptionError
        If `n_jobs` is 0 or the kind of picture is not known.
    WriteError
        If the folder or a file cannot be written.
    MissingPackageError
        If pictures are wanted and matplotlib is not installed; raised before any work.

    Notes
    -----
    Results are the same for any number of workers. What is done is kept in a hidden folder within
    `output` until the study is complete; after an interruption the same call goes on from there.

    Examples
    --------
    >>> from rankbars.simulate import STUDIES, run
    >>> [path.name for path in run(STUDIES["peeking"](repetitions=20), "results")]
    ['peeking.csv']
    """
    drawn = study.draw is not None and picture != "none"
    check_picture(picture, drawn=drawn)
    _check_jobs(n_jobs)
    folder = _make_folder(Path(output))
    tables = measure(study, n_jobs=n_jobs, partial=folder / PARTIAL, progress=progress)
    contents: dict[str, str | bytes] = {
        str(folder / f"{name}.csv"): _csv_text(table) for name, table in tables.items()
    }
    pictures: dict[str, bytes] = {}
    if study.draw is not None and drawn:
        for name, figure in study.draw(tables).items():
            pictures[name] = picture_bytes(figure, picture)
            contents[str(folder / f"{name}.{picture}")] = pictures[name]
    if study.page is not None:
        sources = {name: _source(made, name, picture) for name, made in pictures.items()}
        contents[str(folder / f"{study.name}.html")] = study.page(tables, sources)
    write_all(contents)
    _forget(folder / PARTIAL, study)
    if study.summary is not None and summarise is not None:
        summarise(study.summary(tables))
    return tuple(Path(path) for path in contents)


def measure(
    study: Study,
    *,
    n_jobs: int = 1,
    partial: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, Table]:
    """The tables of a study, without files.

    Parameters
    ----------
    study : Study
        What to do.
    n_jobs, progress
        As in `run`.
    partial : Path, optional
        Folder that keeps what is done, and is looked into first.

    Returns
    -------
    dict from str to list of dict
        Tables by name, one dict per row.

    Raises
    ------
    OptionError
        If `n_jobs` is 0.
    """
    _check_jobs(n_jobs)
    found: dict[int, Table] = {}
    if partial is not None:
        found = dict(_recall(partial, study))
    missing = [number for number in range(len(study.units)) if number not in found]

    def report() -> None:
        if progress is not None:
            progress(len(found), len(study.units))

    report()
    for number, table in _work(study.units, missing, n_jobs):
        if partial is not None:
            _keep(partial, study.units[number], table)
        found[number] = table
        report()
    return study.finish([found[number] for number in range(len(study.units))])


def _check_jobs(n_jobs: int) -> None:
    if n_jobs == 0:
        raise OptionError.out_of_range("n_jobs", n_jobs, "1 or more, or -1 for one per core")


def _work(
    units: Sequence[Unit], numbers: Sequence[int], n_jobs: int
) -> Iterator[tuple[int, Table]]:
    """Results of the units with these numbers, as they come."""
    if n_jobs == 1 or len(numbers) < 2:
        for number in numbers:
            yield _one(number, units[number])
        return
    from joblib import Parallel, delayed

    parallel = Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    yield from parallel(delayed(_one)(number, units[number]) for number in numbers)


def _one(number: int, unit: Unit) -> tuple[int, Table]:
    return number, unit.function(*unit.arguments)


def _make_folder(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteError(
            f"Cannot write to the folder {folder}: {error.strerror or error}."
        ) from error
    return folder


def _digest(unit: Unit) -> str:
    """Name of a unit's partial result: it depends on all that its rows depend on."""
    function = unit.function
    what = [rb.__version__, function.__module__, function.__qualname__, unit.arguments]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:32]


def _recall(partial: Path, study: Study) -> Iterator[tuple[int, Table]]:
    for number, unit in enumerate(study.units):
        path = partial / f"{_digest(unit)}.json"
        if path.is_file():
            yield number, json.loads(path.read_text(encoding="utf-8"))


def _keep(partial: Path, unit: Unit, table: Table) -> None:
    _make_folder(partial)
    write_text(partial / f"{_digest(unit)}.json", json.dumps(table))


def _forget(partial: Path, study: Study) -> None:
    """Remove the partial results of this study, and their folder if nothing else is in it."""
    for unit in study.units:
        (partial / f"{_digest(unit)}.json").unlink(missing_ok=True)
    if partial.is_dir() and not any(partial.iterdir()):
        partial.rmdir()


def _source(picture: bytes, name: str, kind: str) -> str:
    """What a page names as the source of a picture: the picture itself where browsers show it."""
    media = {"svg": "image/svg+xml", "png": "image/png"}.get(kind)
    if media is None:
        return f"{name}.{kind}"
    return f"data:{media};base64,{base64.b64encode(picture).decode()}"


def _csv_text(table: Table) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell_text(cell) for name, cell in row.items()} for row in table)
    return text.getvalue()


def _cell_text(cell: Cell) -> str:
    if cell is None:
        return ""
    return format(cell, ".6g") if isinstance(cell, float) else str(cell)

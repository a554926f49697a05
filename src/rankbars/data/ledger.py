"""Ledgers of a gate: every look at a change, with its rows and the level that it spent.

A ledger is a file to which lines are only ever added. Each line is a look: JSON with its own digest
and those of the lines it follows, so that a line that was edited or taken out is seen. Ledgers of
two branches merge by keeping all lines of both. Lists of items and columns of scores stand in the
line where they first occur, under a digest of their own.

A file beside the ledger (its name and ``.head``) names the lines that no other follows, so that
lines cut off its end are missed. Ends of two branches merge as its lines do.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.drafts import write_text
from rankbars.errors import DataError, ReadError, WriteError

__all__ = ["Look", "TaskRows", "add_look", "digest_of", "head_place", "left_level", "read_ledger",
           "rows_digest"]  # fmt: skip

SCHEMA = "rankbars.ledger/1"
_KEYS = {"schema", "previous", "change", "alpha", "level", "rules", "verdicts", "rows", "lists",
         "digest"}  # fmt: skip
_SHORT = 16


class TaskRows(NamedTuple):
    """The rows of a task at one look.

    Attributes
    ----------
    items : tuple of str
        Names of the n items.
    scores : mapping from str to tuple of float
        For each model n scores, higher is better; NaN where there is none.
    direction : str
        Which side was better in the input.
    """

    items: tuple[str, ...]
    scores: Mapping[str, tuple[float, ...]]
    direction: str = "higher"


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """One look at a change.

    Parameters
    ----------
    change : str
        What is decided about, such as a commit.
    alpha, level : float
        Error rate of all looks at the change, and of this one.
    rules : str
        Digest of the claims and of how they are judged.
    verdicts : mapping from str to str
        The verdict of each claim at this look.
    rows : mapping from str to TaskRows
        What was read, by task.
    digest : str
        Of the line; empty before it is written.
    """

    change: str
    alpha: float
    level: float
    rules: str
    verdicts: Mapping[str, str]
    rows: Mapping[str, TaskRows]
    digest: str = ""


def digest_of(value: Any, length: int = 64) -> str:
    """SHA-256 of plain values, whatever the order of their keys."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def rows_digest(rows: Mapping[str, TaskRows]) -> str:
    """Digest of all rows of a look."""
    return digest_of(_packed(rows)[0])


def left_level(looks: Sequence[Look], alpha: float) -> float:
    """Half of what looks at a change have left of the error rate: alpha/2^k at look k.

    Raises
    ------
    DataError
        If nothing is left, as where two branches looked by themselves and were merged.

    Examples
    --------
    >>> look = Look("a", 0.05, 0.025, "", {}, {})
    >>> left_level([], 0.05), left_level([look], 0.05)
    (0.025, 0.0125)
    """
    left = alpha - math.fsum(look.level for look in looks)
    if not left > 0:
        raise DataError(
            f"The {len(looks)} looks at the change {looks[0].change!r} have spent its whole error "
            f"rate of {alpha:g}: they were made apart, and merged. It cannot be judged again."
        )
    return left / 2


def head_place(path: str | os.PathLike[str]) -> Path:
    """The file beside a ledger that names its last lines.

    Examples
    --------
    >>> head_place("gate.jsonl").name
    'gate.jsonl.head'
    """
    return Path(f"{os.fspath(path)}.head")


def read_ledger(path: str | os.PathLike[str], *, there: bool = False) -> tuple[Look, ...]:
    """The looks in a ledger, after it was checked; none where there is no file yet.

    Parameters
    ----------
    path : path
        The file.
    there : bool
        Whether it must exist.

    Raises
    ------
    ReadError
        If it cannot be read, or a line was edited, cut off, or taken out.
    """
    lines = _lines(path, there=there)
    found = _checked(path, lines)
    _refuse_cut(path, [look.digest for look, _ in found])
    return tuple(look for look, _ in found)


def add_look(
    path: str | os.PathLike[str], look: Look, merge: Sequence[str | os.PathLike[str]] = ()
) -> str:
    """Add a look to the end of a ledger, after the lines of others that are merged into it.

    Parameters
    ----------
    path : path
        The ledger; made if it is not there.
    look : Look
        The look.
    merge : sequence of path
        Further ledgers, whose lines this one gets.

    Returns
    -------
    str
        Digest of the new line.

    Raises
    ------
    ReadError
        If a ledger was edited.
    WriteError
        If it cannot be written to.
    """
    own = _lines(path)
    known = {line["digest"] for _, line in _checked(path, own)}
    _refuse_cut(path, known)
    joined = list(own)
    for other in merge:
        lines = _lines(other, there=True)
        for text, (_, line) in zip(lines, _checked(other, lines), strict=True):
            if line["digest"] not in known:
                known.add(line["digest"])
                joined.append(text)
    every = [line for _, line in _checked(path, joined)]
    known_lists = {name for line in every for name in line["lists"]}
    rows, lists = _packed(look.rows)
    content = {
        "schema": SCHEMA,
        "previous": _ends(every),
        "change": look.change,
        "alpha": look.alpha,
        "level": look.level,
        "rules": look.rules,
        "verdicts": dict(look.verdicts),
        "rows": rows,
        "lists": {name: one for name, one in lists.items() if name not in known_lists},
    }
    content["digest"] = digest_of(content)
    added = [*joined[len(own) :], json.dumps(content, sort_keys=True, separators=(",", ":"))]
    try:
        # One write at the end of the file: of two processes neither loses its look.
        with Path(path).open("ab") as file:
            file.write("".join(f"{text}\n" for text in added).encode())
            file.flush()
            os.fsync(file.fileno())
        # Read again, with what another process may have added meanwhile.
        ends = _ends([line for _, line in _checked(path, _lines(path))])
        write_text(head_place(path), "".join(f"{name}\n" for name in ends))
    except OSError as error:
        raise WriteError(f"Cannot write {path}: {error.strerror or error}.") from error
    return str(content["digest"])


def _ends(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Digests of the lines that no line follows."""
    followed = {name for line in lines for name in line["previous"]}
    return sorted({str(line["digest"]) for line in lines} - followed)


def _refuse_cut(path: str | os.PathLike[str], known: Collection[str]) -> None:
    """Raises where a line is gone that the file beside the ledger names."""
    head = head_place(path)
    try:
        named = head.read_bytes().decode("utf-8", "replace").split()
    except FileNotFoundError:
        return
    except OSError as error:
        raise ReadError(f"Cannot read {head}: {error.strerror or error}.") from error
    gone = [name for name in named if name not in known]
    if gone:
        raise ReadError(
            f"{path}: the look {gone[0][:12]!a} is gone, which {head.name} names, so its "
            "end was cut off and looks may have been lost. Nothing was judged. Restore both from "
            "where they are kept, such as git."
        )


def _lines(path: str | os.PathLike[str], *, there: bool = False) -> list[str]:
    try:
        text = Path(path).read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        if there:
            raise ReadError(f"Cannot read {path}: there is no such file.") from error
        return []
    except UnicodeDecodeError as error:
        raise ReadError.at(path, "it is no ledger: it holds bytes that are no text.") from error
    except OSError as error:
        raise ReadError(f"Cannot read {path}: {error.strerror or error}.") from error
    if text and not text.endswith("\n"):
        raise _edited(path, text.count("\n") + 1, "it is cut off")
    return text.splitlines()


def _checked(
    path: str | os.PathLike[str], lines: Sequence[str]
) -> list[tuple[Look, dict[str, Any]]]:
    found: dict[str, tuple[Look, dict[str, Any]]] = {}
    lists: dict[str, list[Any]] = {}
    for number, text in enumerate(lines, 1):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise _edited(path, number, "it is no JSON") from error
        if not isinstance(line, dict) or set(line) != _KEYS or line["schema"] != SCHEMA:
            raise _edited(path, number, f"it is no line of {SCHEMA}")
        given = {name: value for name, value in line.items() if name != "digest"}
        if digest_of(given) != line["digest"]:
            raise _edited(path, number, "its digest does not fit it")
        if line["digest"] in found:
            raise _edited(path, number, "it stands there twice")
        if not set(line["previous"]) <= set(found):
            raise _edited(path, number, "a line that it follows is gone")
        lists |= line["lists"]
        try:
            rows = _unpacked(line["rows"], lists)
        except KeyError as error:
            raise _edited(path, number, "a list that it names is gone") from error
        look = Look(
            line["change"], line["alpha"], line["level"], line["rules"], line["verdicts"], rows,
            line["digest"],
        )  # fmt: skip
        found[look.digest] = look, line
    return list(found.values())


def _edited(path: object, number: int, what: str) -> ReadError:
    return ReadError(
        f"{path}, line {number}: {what}, so looks may have been lost. Nothing was judged. Restore "
        "the ledger from where it is kept, such as git."
    )


def _packed(rows: Mapping[str, TaskRows]) -> tuple[dict[str, Any], dict[str, list[Any]]]:
    """Rows with the digests of their lists, and the lists."""
    lists: dict[str, list[Any]] = {}

    def kept(values: list[Any]) -> str:
        name = digest_of(values, _SHORT)
        lists[name] = values
        return name

    packed = {
        task: {
            "direction": one.direction,
            "items": kept(list(one.items)),
            "scores": {
                model: kept([None if math.isnan(value) else value for value in column])
                for model, column in one.scores.items()
            },
        }
        for task, one in rows.items()
    }
    return packed, lists


def _unpacked(rows: Mapping[str, Any], lists: Mapping[str, list[Any]]) -> dict[str, TaskRows]:
    return {
        task: TaskRows(
            tuple(lists[one["items"]]),
            {
                model: tuple(math.nan if value is None else float(value) for value in lists[name])
                for model, name in one["scores"].items()
            },
            one["direction"],
        )
        for task, one in rows.items()
    }

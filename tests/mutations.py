"""Genuine files, damaged in every way that files are damaged, and by people who mean harm."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import random
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
FIXTURES = DATA / "fixtures"
NOT_RESULTS = (".md", ".py", ".schema.json")
LARGEST_FILE = 400_000
LARGEST_FOLDER = 300_000

HUGE_NUMBER = "9" * 5000
DEEP = "[" * 3000 + "]" * 3000
DEEPER = '{"a":' * 60_000

# Texts that stand for JSON values which `json.dumps` does not write, put in after it.
RAW = {
    "@huge": HUGE_NUMBER, "@float": "1e999", "@deep": DEEP, "@open": DEEPER, "@nan": "NaN",
    "@infinity": "-Infinity", "@surrogate": '"\\ud800"', "@control": '"\x01"',
    "@twice": '{"a": 1, "a": 2}', "@zero": "0" * 300 + "1",
}  # fmt: skip
VALUES = [
    None, True, False, 0, -1, 2**63, 1.5, 1e308, "", "N/A", "nan", "-", "True", "0.5", "x" * 3000,
    "<script>", "../../etc/passwd", "=1+1", "\u202e", "a/b|c:d", [], {}, [[]], [None], {"a": {}},
    [1, "a", None], {"": ""}, "2026-01-01T00:00:00Z", "99999-99-99", *RAW,
]  # fmt: skip
CELLS = ["", "nan", "inf", "-inf", "1e999", "1e-999", "9" * 400, "x", '"', "-", "±", "1 ± x", "\0",
         "12 %", "True", "a,b", "=1+1", "\u202e", " ", "1_000", "٣", "0x10"]  # fmt: skip
PIECES = [b"\x00", b"\xff\xfe", b'"', b"{", b"[" * 3000, b",", b"\n", b"NaN", b"9" * 5000,
          b"\\u0000", b"PK\x03\x04", b"&a [*a,*a]", b"!!python/object:os.system", b"\r", b"}",
          b"1e999", b"\xef\xbb\xbf", b"\x1f\x8b"]  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A file, and what lies beside it: contents by path below the folder that is read."""

    name: str
    files: dict[str, bytes]

    def write(self, folder: Path, content: bytes) -> Path:
        """Write everything, with `content` in place of the file's own; gives its path."""
        for name, kept in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if name == self.name else kept)
        return folder / self.name


@lru_cache(maxsize=1)
def all_cases() -> tuple[Case, ...]:
    """Every file of the fixtures with its neighbours, and every table and votes file alone."""
    cases = []
    for path in sorted(FIXTURES.rglob("*")):
        if _is_result(path):
            top = FIXTURES / Path(*path.relative_to(FIXTURES).parts[:1])
            near = [one for one in sorted(path.parent.rglob("*")) if _is_result(one)]
            if sum(one.stat().st_size for one in near) > LARGEST_FOLDER:
                near = [path]
            cases.append(Case(
                path.relative_to(top).as_posix(),
                {one.relative_to(top).as_posix(): one.read_bytes() for one in near},
            ))  # fmt: skip
    for folder in ("tables", "votes"):
        for path in sorted((DATA / folder).rglob("*")):
            if _is_result(path):
                alone = {path.name: path.read_bytes()}
                cases.append(Case(path.name, alone))
    return tuple(cases)


def _is_result(path: Path) -> bool:
    if not path.is_file() or path.name.endswith(NOT_RESULTS) or path.name.startswith("."):
        return False
    return path.stat().st_size <= LARGEST_FILE


def mutate(case: Case, rng: random.Random) -> bytes:
    """The file of a case with something wrong in it."""
    content = case.files[case.name]
    ways: list[Callable[[bytes, random.Random], bytes]] = [_flip, _cut, _insert, _splice]
    suffix = Path(case.name).suffix.lower()
    structured = {
        ".json": [_change_json], ".jsonl": [_change_line], ".csv": [_change_cell],
        ".tsv": [_change_cell], ".eval": [_change_member, _change_directory],
    }.get(suffix)  # fmt: skip
    if structured and rng.random() < 0.7:
        ways = structured
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # names of members that stand twice
        for _ in range(rng.choice((1, 1, 2, 4))):
            content = rng.choice(ways)(content, rng)
    if rng.random() < 0.02:
        return gzip.compress(content)  # another content than the name says
    return content


def _flip(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(rng.randint(1, 8)):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _cut(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return (
        content[:at] if rng.random() < 0.6 else content[:at] + content[at + rng.randint(1, 500) :]
    )


def _insert(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.choice(PIECES) * rng.choice((1, 1, 3)) + content[at:]


def _splice(content: bytes, rng: random.Random) -> bytes:
    one, two = sorted(rng.randrange(len(content) + 1) for _ in range(2))
    return content[:two] + content[one:]


def _change_json(content: bytes, rng: random.Random) -> bytes:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return _flip(content, rng)
    return _dump(_change(value, rng), rng)


def _change_line(content: bytes, rng: random.Random) -> bytes:
    lines = content.splitlines(keepends=True)
    if not lines:
        return _insert(content, rng)
    at = rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        case _:
            with contextlib.suppress(ValueError, RecursionError):
                lines[at] = _dump(_change(json.loads(lines[at]), rng), rng) + b"\n"
    return b"".join(lines)


def _change(value: Any, rng: random.Random) -> Any:
    places = list(_places(value)) if isinstance(value, dict | list) else []
    if not places:
        return rng.choice(VALUES)
    holder, key = rng.choice(places)
    match rng.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[str(key) + rng.choice(("", "_x", " ", "\u202e"))] = holder.pop(key)
        case 2 if isinstance(holder, list):
            holder.insert(key, holder[rng.randrange(len(holder))])
        case 3:
            other, place = rng.choice(places)
            with contextlib.suppress(LookupError):
                holder[key] = json.loads(json.dumps(other[place]))
        case _:
            holder[key] = rng.choice(VALUES)
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Holder and key of every place in a JSON value."""
    stack = [value]
    while stack:
        holder = stack.pop()
        keys = holder.keys() if isinstance(holder, dict) else range(len(holder))
        for key in list(keys):
            yield holder, key
            if isinstance(holder[key], dict | list):
                stack.append(holder[key])


def _dump(value: Any, rng: random.Random) -> bytes:
    text = json.dumps(value, ensure_ascii=rng.random() < 0.5)
    for name, raw in RAW.items():
        text = text.replace(f'"{name}"', raw)
    return text.encode("utf-8", "surrogatepass")


def _change_cell(content: bytes, rng: random.Random) -> bytes:
    try:
        rows = list(csv.reader(io.StringIO(content.decode())))
    except (ValueError, csv.Error):
        return _flip(content, rng)
    if not rows:
        return _insert(content, rng)
    row = rng.choice(rows[: rng.choice((1, 5, len(rows)))])
    match rng.randrange(5):
        case 0 if row:
            del row[rng.randrange(len(row))]
        case 1:
            row.append(rng.choice(CELLS))
        case 2:
            rows.insert(rng.randrange(len(rows)), list(row))
        case _ if row:
            row[rng.randrange(len(row))] = rng.choice(CELLS)
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8", "surrogatepass")


def _change_member(content: bytes, rng: random.Random) -> bytes:
    """The archive with one member changed, doubled, renamed or gone."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = [(info.filename, archive.read(info)) for info in archive.infolist()]
    except (zipfile.BadZipFile, RuntimeError, ValueError, EOFError, zlib.error):
        return _flip(content, rng)
    if not members:
        return _flip(content, rng)
    at = rng.randrange(len(members))
    name, data = members[at]
    match rng.randrange(6):
        case 0:
            del members[at]
        case 1:
            members.append((name, _change_json(data, rng)))
        case 2:
            members[at] = (
                rng.choice(("../../x.json", "/etc/x", "summaries.json", "a" * 300)),
                data,
            )
        case 3:
            members[at] = (name, data + b" " * 30_000_000)
        case _:
            members[at] = (name, _change_json(data, rng))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for each, inside in members:
            info = zipfile.ZipInfo(each)
            info.compress_type = rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))
            archive.writestr(info, inside)
    return out.getvalue()


def _change_directory(content: bytes, rng: random.Random) -> bytes:
    """The archive with lies in its headers."""
    changed = bytearray(content)
    marks = [b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"]
    at = content.find(rng.choice(marks), rng.randrange(max(len(content) // 2, 1)))
    if at < 0:
        return _flip(content, rng)
    for _ in range(rng.randint(1, 4)):
        place = at + rng.randint(4, 45)
        if place < len(changed):
            changed[place] = rng.choice((0, 1, 93, 255, rng.randrange(256)))
    return bytes(changed)

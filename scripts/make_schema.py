"""Write the JSON Schema of the board file, from the types that it holds.

Usage: ``python scripts/make_schema.py``. A test compares the file with the types, so run it after
a change there. Descriptions are those of the docstrings.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import numpy as np

from rankbars.data.boardfile import KEYS, SCHEMA, BoardFile
from rankbars.data.fields import Numbers, numbers_of, without_none
from rankbars.data.plain import INFINITE, USUAL

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "src" / "rankbars" / "data" / "board.schema.json"

PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number"}


def schema_text() -> str:
    """The schema as JSON text."""
    blocks: dict[str, Any] = {}
    whole = object_schema(BoardFile, blocks)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA,
        "title": "rankbars board, version 1",
    }
    return json.dumps(head | whole | {"$defs": blocks}, indent=1, ensure_ascii=False) + "\n"


def object_schema(kind: type, blocks: dict[str, Any]) -> dict[str, Any]:
    """The schema of a dataclass; those that it holds are put among the `blocks`."""
    keys = KEYS.get(kind, USUAL)
    known = described(kind)
    properties, needed = {}, []
    for name, key, hint, required in keys.kept(kind):
        kept = without_none(hint) if name in keys.optional else hint
        properties[key] = schema_of(kept, blocks) | known.get(name, {})
        if required:
            needed.append(key)
    for key, derived in keys.derived.items():
        properties[key] = schema_of(derived.hint, blocks) | known.get(key, {})
    return {
        "description": " ".join(str(kind.__doc__).split("\n\n    Parameters")[0].split()),
        "type": "object",
        "properties": dict(sorted(properties.items())),
        "required": sorted(needed),
    }


def schema_of(hint: Any, blocks: dict[str, Any]) -> dict[str, Any]:
    """The schema of what a field holds."""
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [schema_of(without_none(hint), blocks), {"type": "null"}]}
    numbers = numbers_of(hint)
    if numbers is not None:
        return numbers_schema(*numbers)
    if isinstance(hint, type) and is_dataclass(hint):
        name = hint.__name__
        if name not in blocks:
            blocks[name] = {}  # it may hold itself
            blocks[name] = object_schema(hint, blocks)
        return {"$ref": f"#/$defs/{name}"}
    parts = get_args(hint)
    origin = get_origin(hint)
    if origin is Literal:
        return {"enum": list(parts)}
    if origin is tuple and parts[-1] is Ellipsis:
        return {"type": "array", "items": schema_of(parts[0], blocks)}
    if origin is tuple:
        members = [schema_of(part, blocks) for part in parts]
        return {"type": "array", "prefixItems": members} | exactly(len(members))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": schema_of(parts[1], blocks)}
    return {"type": PLAIN[hint]}


def numbers_schema(kind: type, about: Numbers) -> dict[str, Any]:
    """The schema of a number, an array of numbers, a choice of models, or a relation of them."""
    if kind is np.bool_ and len(about.axes) == 1:
        return {"type": "array", "items": {"type": "string"}}
    if kind is np.bool_:
        pair = {"type": "array", "items": {"type": "string"}} | exactly(2)
        return {"type": "array", "items": pair}
    word = "integer" if issubclass(kind, (int, np.integer)) else "number"
    one: dict[str, Any] = {"type": [word, "null"] if about.null is not None else word}
    for end, limit in (("minimum", about.least), ("maximum", about.most)):
        if math.isfinite(limit):
            one["exclusive" + end.capitalize() if about.open else end] = limit
    if about.word:
        one = {"anyOf": [one, {"const": INFINITE}]}
    many = one
    for _ in about.axes:
        many = {"type": "array", "items": many}
    return {"anyOf": [one, many]} if about.or_one else many


def exactly(count: int) -> dict[str, int]:
    """The keys for a list of one length."""
    return {"minItems": count, "maxItems": count}


@cache
def described(kind: type) -> dict[str, dict[str, str]]:
    """What the docstring says of each parameter."""
    _, _, listed = str(kind.__doc__).partition("Parameters\n    ----------\n")
    listed = re.split(r"\n\n    \w+\n    -+\n", listed)[0]
    found = {}
    for names, text in re.findall(r"^ {4}(\S[^\n]*?) : [^\n]*\n((?: {8}[^\n]*\n?)+)", listed, re.M):
        for name in names.split(", "):
            found[name] = {"description": " ".join(text.split())}
    return found


if __name__ == "__main__":
    PAGE.write_text(schema_text(), encoding="utf-8")

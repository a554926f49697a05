"""Write the JSON Schemas of the board file, and of what commands print with ``--json``.

That of the board is made from the types that it holds, most others from ``cli/answers.py``;
``plan --json``, ``check --preflight`` and ``--reruns`` have theirs listed here.

Usage: ``python scripts/make_schema.py``. A test compares the files with the types, so run it after
a change there. Descriptions are those of the docstrings.
"""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import cache
from pathlib import Path
from types import UnionType
from typing import (
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import numpy as np

from rankbars.cli.answers import PRINTED
from rankbars.data.boardfile import KEYS, SCHEMA, BoardFile
from rankbars.data.fields import Numbers, numbers_of, without_none
from rankbars.data.outlook import (
    CurvePoint,
    FalseAlarms,
    Goal,
    LabelNeeds,
    Outlook,
    Plan,
    Preflight,
    Split,
    Supposed,
    TaskNeeds,
)
from rankbars.data.plain import INFINITE, USUAL
from rankbars.stats.samplesize import Needed

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "src" / "rankbars" / "data" / "board.schema.json"

PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number"}

# What is printed as JSON: the title, the type that is printed, and the schema of each key. A "?"
# may be null as well.
Kinds = Mapping[str, Any]
NEEDED: Kinds = dict.fromkeys(Needed._fields, "number?")
NOTE: Kinds = {"code": "string", "message": "string"}
ANSWERS: Mapping[str, tuple[str, type, Kinds]] = {
    "plan": ("rankbars plan", Plan, {
        "alpha": "number", "power": "number", "level": "number", "unit": "string", "n": "integer?",
        "observed": "boolean", "place": "string", "neighbours": "integer", "difference": "number?",
        "sd": "number?", "needed": [Needed, NEEDED, "?"],
        "goal": [Goal, {"kind": ("pair", "top", "tiers"), "models": ["string"], "k": "integer?",
                        "of": "integer", "margin": "number?", "width": "number?"}, ""],
        "supposed": [[Supposed, {"words": "string", "bound": "boolean", "discordance": "number?",
                                 "sd": "number?", "rows": "number?"}, ""]],
        "tasks": [TaskNeeds, {
            "seen": "integer", "needed": [Needed, NEEDED, ""], "item_share": "number?",
            "item_share_interval": ["number?"], "fewest": "integer", "fewest_rate": "number",
        }, "?"],
        "split": [Split, {
            "answers": "number?", "answers_interval": (["number?"], None),
            "items": [Needed, NEEDED, ""], "cost": "number?", "cost_single": "number?",
            "item_variance": "number?", "answer_variance": "number?", "exhausted": "boolean",
        }, "?"],
        "labels": [LabelNeeds, {"judged": "number?", "alone": [Needed, NEEDED, ""],
                                "unlimited": "number?"}, "?"],
        "curve": [[CurvePoint, {"n": "integer", "expected": "number", "low": "number",
                                "high": "number"}, ""]],
        "notes": [[None, NOTE, ""]],
    }),
    "preflight": ("rankbars check --preflight", Preflight, {
        "alpha": "number", "level": "number", "exit_code": (0, 3), "left_out": ["string"],
        "claims": [[Outlook, {
            "claim": "string", "words": "string", "role": ("must", "guard"), "widest": "string?",
            "n": "integer", "kind": "string", "pairs": "integer", "impossible": "string",
            "works": "boolean", "absent": ["string"], "se": "number?", "least": "number?",
            "most": "number?", "if_equal": "number?", "fires_at": "number?", "margin": "number?",
            "needed": "number?",
            "fires": [[None, {"points": "number?", "loss": "number", "refuted": "number"}, ""]],
        }, ""]],
        "notes": [[None, NOTE, ""]],
    }),
    "alarms": ("rankbars check --reruns", FalseAlarms, {
        "runs": "integer", "claims": ["string"], "alpha": "number", "share": "number",
        "alarms": ["number"], "red": ["number"], "apart": "integer", "among": "integer",
        "bound": "number",
    }),
}  # fmt: skip


def answer_schema(name: str) -> str:
    """The schema of what a command prints, as JSON text."""
    title, kind, keys = ANSWERS[name]
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"rankbars.{name}/1",
        "title": f"{title} --json, version 1",
    }
    whole = keyed_schema(kind, keys)
    whole["properties"] = {"schema": {"const": head["$id"]}} | whole["properties"]
    whole["required"] = sorted(whole["properties"])
    return json.dumps(head | whole, indent=1, ensure_ascii=False) + "\n"


def keyed_schema(kind: type | None, keys: Kinds) -> dict[str, Any]:
    """The schema of an object with these keys, and no others."""
    told = {} if kind is None else described(kind)
    first = {} if kind is None else {"description": str(kind.__doc__).partition("\n")[0]}
    properties = {key: printed_schema(value) | told.get(key, {}) for key, value in keys.items()}
    return first | {
        "type": "object",
        "properties": properties,
        "required": sorted(properties),
        "additionalProperties": False,
    }


def printed_schema(value: Any) -> dict[str, Any]:
    """The schema of a word such as ``number?``, of a list, or of one of several values."""
    if isinstance(value, str):
        word = value.removesuffix("?")
        return {"type": [word, "null"] if value != word else word}
    if isinstance(value, tuple) and value[-1] is None:
        return {"anyOf": [printed_schema(value[0]), {"type": "null"}]}
    if isinstance(value, tuple):
        return {"enum": list(value)}
    if len(value) == 1:
        return {"type": "array", "items": printed_schema(value[0])}
    kind, keys, may = value
    one = keyed_schema(kind, keys)
    return {"anyOf": [one, {"type": "null"}]} if may else one


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


def command_schema(name: str) -> str:
    """The schema of what a command prints, from its type in ``PRINTED``, as JSON text."""
    blocks: dict[str, Any] = {}
    whole, hints = keys_schema(PRINTED[name], blocks), get_type_hints(PRINTED[name])
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": get_args(hints["schema"])[0] if "schema" in hints else f"rankbars.{name}/1",
        "title": f"rankbars {name}, version 1",
    }
    found = head | whole | ({"$defs": blocks} if blocks else {})
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def keys_schema(kind: type, blocks: dict[str, Any]) -> dict[str, Any]:
    """The schema of a dict whose keys are known; dicts that it holds are put among the `blocks`."""
    properties, needed = {}, []
    for key, hint in get_type_hints(kind, include_extras=True).items():
        optional = get_origin(hint) is NotRequired
        properties[key] = schema_of(get_args(hint)[0] if optional else hint, blocks)
        if not optional:
            needed.append(key)
    return {
        "description": " ".join(str(kind.__doc__).split()),
        "type": "object",
        "properties": properties,
        "required": sorted(needed),
    }


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
        "description": " ".join(
            inspect.cleandoc(str(kind.__doc__)).split("\n\nParameters")[0].split()
        ),
        "type": "object",
        "properties": properties,
        "required": sorted(needed),
    }


def schema_of(hint: Any, blocks: dict[str, Any]) -> dict[str, Any]:
    """The schema of what a field holds."""
    if get_origin(hint) in (Union, UnionType):
        return {"anyOf": [schema_of(without_none(hint), blocks), {"type": "null"}]}
    numbers = numbers_of(hint)
    if numbers is not None:
        return numbers_schema(*numbers)
    if hint is Any:
        return {}
    if is_typeddict(hint):
        name = hint.__name__.removesuffix("Answer")
        if name not in blocks:
            blocks[name] = {}
            blocks[name] = keys_schema(hint, blocks)
        return {"$ref": f"#/$defs/{name}"}
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
    if origin is list or (origin is tuple and parts[-1] is Ellipsis):
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
    """What the docstring says of each parameter, and those of the types that it is made of."""
    above = [one for one in kind.__bases__ if is_dataclass(one)]
    found = {key: words for one in above for key, words in described(one).items()}
    text = inspect.cleandoc(str(kind.__doc__))  # from Python 3.13 on they have no indent
    listed = text.partition("Parameters\n----------\n")[2]
    listed = listed or text.partition("Attributes\n----------\n")[2]
    listed = re.split(r"\n\n\w+\n-+\n", listed)[0]
    for names, text in re.findall(r"^(\S[^\n]*?) : [^\n]*\n((?: {4}[^\n]*\n?)+)", listed, re.M):
        for name in names.split(", "):
            found[name] = {"description": " ".join(text.split())}
    return found


if __name__ == "__main__":
    PAGE.write_text(schema_text(), encoding="utf-8")
    for name in ANSWERS:
        PAGE.with_name(f"{name}.schema.json").write_text(answer_schema(name), encoding="utf-8")
    for name in PRINTED:
        PAGE.with_name(f"{name}.schema.json").write_text(command_schema(name), encoding="utf-8")

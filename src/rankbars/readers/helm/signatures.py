"""What a file of HELM is, by its content."""

from __future__ import annotations

import re
from pathlib import Path

from rankbars.readers.files import DAMAGE, HEAD_BYTES, data_suffix, open_binary
from rankbars.readers.logs.jsontext import first_object, top_level_keys

__all__ = ["KINDS", "file_kind", "kind_of"]

# Files that lie in a run folder beside its specification.
_BESIDE_RUN = ("scenario", "instances", "predictions", "requests", "display_", "annotations")

# Files that lie in a release beside its schema or its folder of groups.
_BESIDE_RELEASE = ("summary", "runs", "run_specs", "groups", "costs", "model_")

KINDS = {
    "run": "It has the keys of a HELM run specification: adapter_spec, scenario_spec.",
    "schema": "It has the keys of a HELM schema: metrics, run_groups.",
    "table": "It is a table of a HELM release: header, rows.",
    "stats": "Its entries are statistics of a HELM run: name, count.",
    "instances": "Its entries are HELM statistics of single instances: instance_id, stats.",
    "other": "It belongs to a run or release of HELM, and holds no scores of its own.",
}

_TABLES = re.compile(rb'\s*\[\s*\{\s*"title"\s*:\s*"[^"]*",\s*"header"\s*:\s*\[\s*\{\s*"value"')
_INSTANCES = re.compile(rb'\s*\[\s*\{\s*"instance_id"\s*:')


def kind_of(path: Path, head: bytes) -> str:
    """A key of `KINDS`, or ``""`` for anything else."""
    if data_suffix(path) != ".json":
        return ""
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    kind = ""
    if text.startswith(b"["):
        kind = _kind_of_list(path, head)
    elif text.startswith(b"{"):
        kind = _kind_of_object(path)
    return kind or ("other" if _lies_beside(path) else "")


def file_kind(path: Path) -> str:
    """The same for a file that was recognised before."""
    try:
        with open_binary(path) as raw:
            return kind_of(path, raw.read(HEAD_BYTES))
    except DAMAGE:
        return ""


def _kind_of_object(path: Path) -> str:
    keys = set(top_level_keys(path))
    if keys >= {"adapter_spec", "scenario_spec"}:
        return "run"
    if keys >= {"metrics", "run_groups"}:
        return "schema"
    if keys >= {"title", "header", "rows"}:
        return "table"
    return "other" if keys >= {"adapter_spec", "request_states"} else ""


def _lies_beside(path: Path) -> bool:
    folder = path.parent
    if path.name.startswith(_BESIDE_RUN) and (folder / "run_spec.json").is_file():
        return True
    release = (folder / "schema.json").is_file() or (folder / "groups").is_dir()
    return path.name.startswith(_BESIDE_RELEASE) and release


def _kind_of_list(path: Path, head: bytes) -> str:
    first = first_object(head)
    if first is None and _TABLES.match(head):
        return "table"
    if first is None:
        named = path.name.startswith("per_instance_stats.json") and _INSTANCES.match(head)
        return "instances" if named else ""
    if {"instance_id", "stats"} <= first.keys() and isinstance(first["stats"], list):
        return "instances"
    name = first.get("name")
    if isinstance(name, dict) and "name" in name and {"count", "sum"} <= first.keys():
        return "stats"
    if isinstance(first.get("header"), list) and isinstance(first.get("rows"), list):
        return "table"
    return "other" if {"run_spec", "run_path"} <= first.keys() else ""

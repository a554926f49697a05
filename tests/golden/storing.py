"""Golden answers on disk: one small compressed file per case."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

from golden.case import Case

FOLDER = Path(__file__).parent / "answers"
SUFFIX = ".json.xz"
# A larger dictionary would take time to set up, and save nothing on so little.
PRESET = 3 | lzma.PRESET_EXTREME


def path_of(case: Case) -> Path:
    """Where the golden of a case lies."""
    return FOLDER / f"{case.name}{SUFFIX}"


def keep(case: Case, answer: dict[str, Any]) -> None:
    """Write the golden of a case."""
    path = path_of(case)
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"mark": case.mark, "inputs": list(case.inputs), **answer}
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    path.write_bytes(lzma.compress(text.encode("utf-8"), preset=PRESET))


def recall(case: Case) -> dict[str, Any]:
    """The golden of a case."""
    return json.loads(lzma.decompress(path_of(case).read_bytes()))


def kept_names() -> set[str]:
    """Names of all cases that have a golden."""
    return {
        path.relative_to(FOLDER).as_posix().removesuffix(SUFFIX)
        for path in FOLDER.rglob(f"*{SUFFIX}")
    }

"""Worked numbers of the validity reference, which a slow, literal program made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

VALIDITY = Path(__file__).resolve().parent / "data" / "golden_validity.json"


def validity(block: str) -> Any:
    """The block of this name."""
    return json.loads(VALIDITY.read_text(encoding="utf-8"))[block]

"""The schema of board files, as it ships with the package."""

import json
from importlib import resources
from typing import Any


def board_schema() -> dict[str, Any]:
    """The JSON Schema; made from the types by ``scripts/make_schema.py``."""
    text = resources.files("rankbars.data").joinpath("board.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema

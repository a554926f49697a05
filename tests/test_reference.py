"""The worked numbers of the validity reference are compared with, block by block."""

from __future__ import annotations

import json
from pathlib import Path

from reference import DATA

TESTS = Path(__file__).resolve().parent


def test_every_block_of_worked_numbers_is_read_by_a_test() -> None:
    """Unread inside them: Hall's transformation, errors without CR2, looks that no gate offers."""
    texts = [path.read_text("utf-8") for path in TESTS.rglob("test_*.py")]
    for block in json.loads((DATA / "golden_validity.json").read_text("utf-8")):
        assert any(f'validity("{block}")' in text for text in texts), block

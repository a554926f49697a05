"""The command line: parse, one library call, write."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of the console script ``rankbars``."""
    from rankbars.cli.app import run

    sys.exit(run())

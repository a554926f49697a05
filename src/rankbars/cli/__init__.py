"""The command line: parse, one library call, write."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of the console script ``rankbars``."""
    try:
        from rankbars.cli.app import run

        code = run()
    except KeyboardInterrupt:
        # It came before the command began, or after its end.
        code = 130
    sys.exit(code)

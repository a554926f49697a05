"""The command line: parse, one library call, write."""

from __future__ import annotations

import gc
import signal
import sys

__all__ = ["main"]


def main() -> None:
    """Entry point of the console script ``rankbars``."""
    # What is made while modules are loaded stays; it is not looked through again and again.
    gc.set_threshold(20_000)
    try:
        from rankbars.cli.app import run

        code = run()
    except KeyboardInterrupt:
        # It came before the command began, or after its end.
        code = 130
    # All is done; what is left to tidy up at the exit of Python would only be noisy about it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    gc.freeze()  # what is left goes with the process; it is not looked through once more
    sys.exit(code)

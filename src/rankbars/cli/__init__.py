"""The command line: parse, one library call, write."""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
import threading
from contextlib import suppress

__all__ = ["command", "main"]


def command() -> None:
    """Entry point of the console script ``rankbars``: `main`, and with it the process ends.

    Python would take a tenth of a second to take apart what was loaded. What must happen at the
    end of a process happens.
    """
    try:
        main()
    except SystemExit as end:
        # In the order of Python's own end: pools of workers are let go first. Without it, those
        # that wait for work are waited for.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                with suppress(OSError, ValueError):
                    stream.flush()
        os._exit(end.code if isinstance(end.code, int) else 0)


def main() -> None:
    """Run the command that the words of the process ask for; ends in `SystemExit`."""
    # What is made while modules are loaded stays; nobody looks through it again and again for what
    # may be thrown away. That takes 6 ms for each 20,000 things, of which a start makes 100,000.
    gc.set_threshold(200_000)
    try:
        from rankbars.cli.app import run

        code = run()
    except KeyboardInterrupt:
        # It came before the command began, or after its end.
        code = 130
    # All is done; what is left to tidy up at the exit of Python would only be noisy about it.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(code)

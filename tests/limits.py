"""What one input may cost: time of the processor, and memory."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

MOST_SECONDS = 2.0


class HangError(Exception):
    """An input took far too long."""


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """Stop an input that takes ten times what is allowed, in time of the processor."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, 10 * MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def peak_megabytes(*, reset: bool = False) -> float:
    """Memory of this process at its highest since the last reset; 0 where it cannot be known."""
    try:
        if reset:
            Path("/proc/self/clear_refs").write_text("5")
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)

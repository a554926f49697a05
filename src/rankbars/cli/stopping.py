"""Ctrl-C and its like: work stops, is tidied up, and one line says what is there."""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any, Self

import click

from rankbars.cli.outputs import say

__all__ = ["NOTHING_WRITTEN", "StopSignals", "account_for", "account_for_files", "unheard"]

NOTHING_WRITTEN = "Stopped; nothing was written."

# Some are not there on every system.
NAMES = ("SIGINT", "SIGTERM", "SIGHUP")

AGAIN = b"\nStopping. Once more ends it at once, and may leave temporary files behind.\n"

# How often one has to ask before nothing is tidied up any more.
MOST_PATIENT = 3


class StopSignals:
    """While it lasts, a signal to stop ends the block, and is told in one line.

    `code` is then the exit code: 128 and the number of the signal, as shells report it. Whatever
    comes out of the block after a signal is taken for its consequence: engines and workers turn an
    interruption into errors of their own. Signals that are ignored stay so, as under ``nohup``.
    """

    def __init__(self) -> None:
        self.code = 0
        self.account: Callable[[], str] = lambda: NOTHING_WRITTEN
        self._asked = 0
        self._deferring = False
        self._hush = ExitStack()
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        # Python lets the main thread alone handle signals.
        if threading.current_thread() is threading.main_thread():
            for number in _signals():
                handler = signal.getsignal(number)
                if handler in (signal.SIG_DFL, signal.default_int_handler):
                    self._before[number] = handler
                    signal.signal(number, self._stop)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        stopped = error is not None and self.code != 0
        if stopped:
            _let_go(error)
            say(self.account())
        self._hush.close()
        for number, handler in self._before.items():
            signal.signal(number, handler)
        return stopped

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """The block is not interrupted; a signal that comes meanwhile has its effect at its end."""
        self._deferring = True
        try:
            yield
        finally:
            self._deferring = False
        if self._asked:
            raise KeyboardInterrupt

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._asked += 1
        self.code = 128 + number
        if self._asked == 1:
            self._hush.enter_context(_hushed())
            if not self._deferring:
                raise KeyboardInterrupt
            return
        # What was begun is being tidied up; impatience must not stop that half-way.
        if self._asked < MOST_PATIENT:
            with suppress(OSError):  # standard error may be closed
                os.write(2, AGAIN)
        else:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)


def account_for(account: Callable[[], str]) -> None:
    """From now on, `account` tells what was done if the command is stopped."""
    stop = _signals_heard()
    if stop is not None:
        stop.account = account


def account_for_files(paths: Iterable[str]) -> None:
    """From now on, a command that is stopped tells which of these files it has written."""
    before = {path: _digest(path) for path in paths}

    def account() -> str:
        written = [path for path, was in before.items() if _digest(path) != was]
        return (
            f"Stopped; written before that: {', '.join(written)}." if written else NOTHING_WRITTEN
        )

    account_for(account)


@contextmanager
def unheard() -> Iterator[None]:
    """Processes that the block starts do not hear Ctrl-C; this one hears it when the block is left.

    A terminal sends it to all of them. It is for the one that asked for the work to end its
    workers; they would only each print where they were. Programs keep on blocking what was blocked
    when they were started.
    """
    stop = _signals_heard()
    if stop is None or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    with stop.deferred():
        # Before the others: whoever starts the tracker has signals unblocked by it.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _signals_heard() -> StopSignals | None:
    """The handling of signals of the command that runs; None outside of one."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.find_object(StopSignals)


def _let_go(error: BaseException | None) -> None:
    """What an error and those behind it hold is taken apart here, and not at the end of Python."""
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__
    gc.collect()


@contextmanager
def _hushed() -> Iterator[None]:
    """Work that is given up complains while it is taken apart; that is no news."""
    hook, level = sys.unraisablehook, logging.root.manager.disable
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sys.unraisablehook = lambda _: None
        logging.disable()
        try:
            yield
        finally:
            logging.disable(level)
            sys.unraisablehook = hook


def _signals() -> list[signal.Signals]:
    return [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


def _digest(path: str) -> bytes | None:
    """What the file holds, in short; None for what is no file."""
    try:
        if not Path(path).is_file():
            return None
        with Path(path).open("rb") as raw:
            return hashlib.file_digest(raw, "sha256").digest()
    except OSError:
        return None

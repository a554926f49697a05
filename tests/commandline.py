"""What a command answers, and results to run it on."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rankbars.cli import main

# What a text board looks like must not depend on who runs it.
SETTINGS = {"COLUMNS": "80", "NO_COLOR": "1", "TZ": "UTC"}


class Answer(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str


Command = Callable[..., Answer]


def answer(words: Sequence[str], *, together: bool = False) -> Answer:
    """What one command answers, run in this process; `together`, all of it as output."""
    out = _stream()
    err = out if together else _stream()
    before = sys.argv, sys.stdout, sys.stderr, signal.getsignal(signal.SIGINT)
    sys.argv, sys.stdout, sys.stderr = ["rankbars", *words], out, err
    try:
        main()
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv, sys.stdout, sys.stderr = before[:3]
        signal.signal(signal.SIGINT, before[3])
    return Answer(code if isinstance(code, int) else 0, _text(out), _text(err))


def _stream() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    return stream.buffer.getvalue().decode("utf-8")


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """In `folder`, with the settings that a text board depends on."""
    before, place = {name: os.environ.get(name) for name in SETTINGS}, Path.cwd()
    os.environ.update(SETTINGS)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(place)
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def table(shape: tuple[int, int, int] = (3, 4, 40), seed: int = 1) -> list[str]:
    """Lines of a tidy table: models by tasks by items, the first model clearly the best."""
    models, tasks, items = shape
    rng = np.random.default_rng(seed)
    lines = ["model,task,item,score"]
    for task in range(tasks):
        chance = np.linspace(0.9, 0.4, models)
        answers = rng.random((items, models)) < chance
        lines += [
            f"m{model},t{task},{item},{int(answers[item, model])}"
            for model in range(models)
            for item in range(items)
        ]
    return lines

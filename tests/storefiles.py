"""Stores filled on the command line, and what they hold."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tablefiles import assert_same

import rankbars as rb
from rankbars.cli.app import run
from rankbars.readers.collecting import put_together
from rankbars.store.access import open_store


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Paths as people write them: from the folder they are in."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def add(*words: str, store: str = "board.duckdb") -> None:
    assert run(["add", *words, "--store", store, "-q"]) == 0


def remove(*words: str, store: str = "board.duckdb") -> None:
    assert run(["remove", *words, "--store", store, "-q"]) == 0


def held(store: str = "board.duckdb") -> rb.Scores:
    """The scores of a store."""
    with open_store(store) as opened:
        return put_together(opened.files(), opened.options)


def assert_equals_files(
    paths: Sequence[str], store: str = "board.duckdb", leave_out: Sequence[rb.Note] = ()
) -> None:
    """The store holds what is read from the files themselves, notes and inputs included."""
    kept, direct = held(store), rb.read(list(paths))
    assert_same(kept, direct)
    assert kept.notes == tuple(note for note in direct.notes if note not in leave_out)
    assert kept.inputs == direct.inputs

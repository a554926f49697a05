"""Drafts of files and temporary folders: made under names nobody knows, swept when they are old."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from rankbars.data import drafts
from rankbars.data.drafts import TemporaryFolder, draft_path, write_all, write_text


def age(path: Path, seconds: float) -> Path:
    before = time.time() - seconds
    os.utime(path, (before, before))
    return path


def test_what_a_killed_process_of_the_same_number_left_does_not_stand_in_the_way(
    tmp_path: Path,
) -> None:
    target = tmp_path / "board.json"
    (tmp_path / f".board.json.{os.getpid()}.part").write_bytes(b"half")
    draft_path(target).write_bytes(b"half")
    write_text(target, "whole")
    assert target.read_text() == "whole"


def test_drafts_have_names_that_nobody_can_know() -> None:
    names = {draft_path(Path("board.json")).name for _ in range(50)}
    assert len(names) == 50


@pytest.mark.parametrize("name", ["é" * 120, "x" * 250, "日本語" * 28])
def test_names_as_long_as_the_system_allows_can_be_written(name: str, tmp_path: Path) -> None:
    write_text(tmp_path / name, "whole")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_old_drafts_are_swept_and_fresh_ones_and_those_of_others_stay(tmp_path: Path) -> None:
    target = tmp_path / "board.json"
    day = drafts.OWN_AGE + 60
    own_old, own_fresh = draft_path(target), draft_path(target)
    foreign = [tmp_path / f".board.json.00000000.{n:016x}.part" for n in range(2)]
    other_target = draft_path(tmp_path / "other.json")
    for path in (own_old, own_fresh, *foreign, other_target):
        path.write_bytes(b"half")
    age(own_old, day)
    age(other_target, day)
    age(foreign[0], day)
    age(foreign[1], drafts.FOREIGN_AGE + 60)
    write_text(target, "whole")
    left = {own_fresh, foreign[0], other_target, target}
    assert set(tmp_path.iterdir()) == left


def test_a_draft_never_follows_a_link_that_lies_in_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    draft = tmp_path / ".board.json.part"
    draft.symlink_to(tmp_path / "mine")
    monkeypatch.setattr(drafts, "draft_path", lambda _: draft)
    with pytest.raises(drafts.WriteError):
        write_text(tmp_path / "board.json", "other")
    assert (tmp_path / "mine").read_text() == "mine"


def test_the_folder_is_synced_after_the_rename(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[tuple[str, bool]] = []
    sync = os.fsync

    def watch(handle: int) -> None:
        where = os.path.realpath(f"/proc/self/fd/{handle}")
        synced.append((where, (tmp_path / "a.txt").exists()))
        sync(handle)

    monkeypatch.setattr(os, "fsync", watch)
    write_all({str(tmp_path / "a.txt"): "a", str(tmp_path / "b.txt"): "b"})
    assert synced[-1] == (str(tmp_path), True)
    assert [where for where, _ in synced].count(str(tmp_path)) == 1


MAKE_FOLDER = (
    "from rankbars.data.drafts import TemporaryFolder; own = TemporaryFolder(); made = own.path"
)
COPY_INPUT = (
    "from rankbars.readers.inputfiles import standard_input; copy = standard_input(True); "
    "made = copy.__enter__().path.parent"
)
OPEN_STORE = (
    "from rankbars.store.opening import connect; import pathlib, tempfile; "
    "store = connect(pathlib.Path(tempfile.gettempdir(), 'new.duckdb'), 'new', write=True); "
    "store.__enter__(); (made,) = pathlib.Path(tempfile.gettempdir()).glob('rankbars-*')"
)


@pytest.mark.parametrize(
    "work", [MAKE_FOLDER, COPY_INPUT, OPEN_STORE], ids=["folder", "input", "store"]
)
def test_folders_of_killed_processes_are_swept_and_those_in_use_stay(
    work: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(drafts, "LEAST_AGE", -1.0)
    code = f"import os; {work}; print(made, flush=True); os.kill(os.getpid(), 9)"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)},
        input="model,score\n", capture_output=True, text=True, check=False,
    )  # fmt: skip
    left = Path(done.stdout.strip())
    # As a container would name it, in which every run has the same number.
    left = left.rename(tmp_path / left.name.replace(left.name.split("-")[-2], str(os.getpid())))
    mine = TemporaryFolder()
    assert not left.exists()
    again = TemporaryFolder()
    assert mine.path.exists()
    for folder in (mine, again):
        folder.close()
        assert not folder.path.exists()


def test_a_folder_without_a_lock_is_swept_after_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = TemporaryFolder()
    copy = tmp_path / f"{folder.path.name}x"
    shutil.copytree(folder.path, copy)
    (copy / drafts.LOCK).unlink()
    age(copy, 3600)
    TemporaryFolder().close()
    assert copy.exists()
    age(copy, drafts.UNLOCKED_AGE + 60)
    TemporaryFolder().close()
    assert not copy.exists()
    folder.close()


def test_no_signal_asks_whether_a_process_lives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On Windows such a question ends the process.
    monkeypatch.setattr(os, "kill", lambda *_: pytest.fail("a signal was sent"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    TemporaryFolder().close()
    (tmp_path / ".board.json.1.part").write_bytes(b"half")
    write_text(tmp_path / "board.json", "whole")


def test_a_lack_of_room_for_temporary_files_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(drafts.WriteError, match="Temporary files have no place: No such file"):
        TemporaryFolder()

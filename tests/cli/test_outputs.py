"""Results are written whole or not at all, and never where they should not be."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from commandline import Command

from rankbars.cli.targets import check_targets
from rankbars.data.drafts import write_all
from rankbars.errors import OptionError, WriteError


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_all_files_are_written(tmp_path: Path) -> None:
    write_all({str(tmp_path / "a"): "é\n", str(tmp_path / "b"): b"\x00"})
    assert (tmp_path / "a").read_bytes() == "é\n".encode()
    assert names(tmp_path) == ["a", "b"]


def test_one_file_that_cannot_be_written_keeps_all_others_as_they_were(tmp_path: Path) -> None:
    kept = tmp_path / "a"
    kept.write_text("mine")
    with pytest.raises(WriteError, match="No such file"):
        write_all({str(kept): "new", str(tmp_path / "none" / "b"): "new"})
    assert kept.read_text() == "mine"
    assert names(tmp_path) == ["a"]


def test_a_text_that_is_no_text_keeps_what_was_there(tmp_path: Path) -> None:
    kept = tmp_path / "a"
    kept.write_text("mine")
    with pytest.raises(WriteError, match="not a valid character"):
        write_all({str(kept): "new", str(tmp_path / "b"): "\udcff"})
    assert kept.read_text() == "mine"
    assert names(tmp_path) == ["a"]


def test_a_failure_while_files_are_moved_puts_the_old_ones_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    first.write_text("mine")
    real = Path.replace

    def refuse(self: Path, target: Path) -> Path:
        if Path(target).name == "b":
            raise PermissionError(1, "Operation not permitted", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(WriteError, match="not permitted"):
        write_all({str(first): "new", str(second): "new"})
    assert first.read_text() == "mine"
    assert names(tmp_path) == ["a"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_all({str(link): "new"})
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_loop_of_links_is_written_over(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    check_targets({"-o": str(loop)}, [str(loop / "in.csv")])
    write_all({str(loop): "new"})
    assert loop.read_text() == "new"


def test_a_device_is_written_to_and_not_replaced() -> None:
    write_all({os.devnull: "text"})
    assert not Path(os.devnull).is_file()


def test_a_full_device_is_an_error_of_ours() -> None:
    with pytest.raises(WriteError, match="No space left"):
        write_all({"/dev/full": "text"})


@pytest.mark.parametrize(
    ("targets", "words"),
    [
        ({"-o": "-", "--md": "-"}, "both go to standard output"),
        ({"-o": "x", "--md": "./x"}, "both write"),
        ({"-o": "in.csv"}, "would overwrite an input"),
        ({"-o": "sub/../in.csv"}, "would overwrite an input"),
    ],
)
def test_targets_that_clash_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, targets: dict[str, str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    with pytest.raises(OptionError, match=words):
        check_targets(targets, ["in.csv", "-"])


def test_a_place_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="does not exist"):
        check_targets({"-o": str(tmp_path / "none" / "b.json")})
    with pytest.raises(WriteError, match="is a folder"):
        check_targets({"-o": str(tmp_path)})
    check_targets({"-o": str(tmp_path / "b.json"), "--md": "-", "--html": os.devnull})


def test_a_pipe_is_as_wide_as_columns_says_and_else_80(
    rankbars: Command, results: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def printed(columns: str) -> str:
        monkeypatch.setenv("COLUMNS", columns)
        return rankbars("rank", results, "-q").out

    usual = rankbars("rank", results, "-q").out
    assert max(map(len, usual.splitlines())) <= 80
    assert 80 < max(map(len, printed("120").splitlines())) <= 120
    assert max(map(len, printed("60").splitlines())) < max(map(len, usual.splitlines()))
    for nothing in ("80", "0", "-5", "wide", "", "9" * 5000):
        assert printed(nothing) == usual
    assert printed("1") == printed("40")

"""Fixtures for the whole test run: the examples in docstrings and the tests."""

from itertools import count
from pathlib import Path

import pytest

_FOLDERS = count()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty folder.

    pytest's own fixture looks through the folders of all tests before for one with the same name,
    which takes longer, after thousands of tests, than most of them.
    """
    return tmp_path_factory.mktemp(f"test{next(_FOLDERS)}", numbered=False)


@pytest.fixture(autouse=True)
def empty_folder_for_examples(request: pytest.FixtureRequest) -> None:
    """Run each docstring's examples in an empty folder, so that they may write files."""
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
        monkeypatch.chdir(request.getfixturevalue("tmp_path"))

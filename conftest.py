"""Fixtures for the whole test run: the examples in docstrings and the tests."""

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def empty_folder_for_examples(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Run each docstring's examples in an empty folder, so that they may write files."""
    if isinstance(request.node, pytest.DoctestItem):
        monkeypatch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")
        folder: Path = tmp_path_factory.mktemp("examples")
        monkeypatch.chdir(folder)

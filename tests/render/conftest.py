"""One browser for all pages of a test process: starting it takes longer than most tests."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import CHROMIUM_OPTIONS


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """The system's Chromium, driven by Playwright."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip("needs Chromium (on Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=CHROMIUM_OPTIONS)
        yield chromium
        chromium.close()

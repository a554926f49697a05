"""A page in Chromium: ``python -m benchmarks.browser FILE`` opens and sorts it, and prints times.

A process of its own, as the driver of the browser allows one of its kind per process.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from time import perf_counter

__all__ = ["BROWSERS"]

BROWSERS = ("chromium", "chromium-browser", "google-chrome")

_READY = 'document.documentElement.dataset.ready === "true"'
_SORTED = '#board-table th[aria-sort="ascending"]'
# Without a screen, and without asking anybody anything.
_OPTIONS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]


def main() -> None:
    """Open, sort by the name of the model, count."""
    from playwright.sync_api import sync_playwright

    (file,) = sys.argv[1:]
    program = next(filter(None, map(shutil.which, BROWSERS)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_OPTIONS)
        page = browser.new_page()
        start = perf_counter()
        page.goto(Path(file).as_uri())
        page.wait_for_function(_READY)
        opened = perf_counter()
        page.get_by_role("button", name="Model", exact=True).click()
        page.wait_for_selector(_SORTED)
        done = perf_counter()
        rows = page.locator("#board-table tbody tr").count()
        browser.close()
    print(json.dumps({"rows": rows, "open_s": opened - start, "sort_s": done - opened}))


if __name__ == "__main__":
    main()

"""Pages of boards in the system's Chromium: opened once each, watched for errors and requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rankbars as rb
from rankbars.demos import DEMOS, demo_path
from rankbars.render.page import render_html

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"
READY = 'document.documentElement.dataset.ready === "true"'


def demo_board(name: str) -> rb.Leaderboard:
    """The board of results that ship with the package, with its pairs."""
    demo = DEMOS[name]
    scores = rb.read(demo_path(demo), direction=demo.direction, rows=demo.rows, folds=demo.folds)
    return rb.leaderboard(scores, missing=demo.missing, pairs=True)


class Watched:
    """A page, with everything it asked for and complained about."""

    def __init__(self, page: Any, file: Path) -> None:
        self.page = page
        self.file = file
        self.asked: list[str] = []
        self.said: list[str] = []
        page.on("request", lambda request: self.asked.append(request.url))
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))

    def open(self, address: str = "") -> Any:
        """Go to a state of the page, as somebody who was sent the link."""
        self.page.goto("about:blank")
        self.page.goto(self.file.as_uri() + address)
        self.page.wait_for_function(READY)
        return self.page

    def check(self) -> None:
        """Nothing but the file itself (and pictures made from it) was asked for; no errors."""
        foreign = [
            url
            for url in self.asked
            if not url.startswith((self.file.as_uri(), "about:", "data:", "blob:"))
        ]
        assert foreign == []
        assert self.said == []


Opener = Callable[..., Any]


@contextmanager
def watched(browser: Any, file: Path, **options: Any) -> Iterator[Watched]:
    """A new page on a file; checked when it is left."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
    page = Watched(context.new_page(), file)
    yield page
    page.check()
    context.close()


def write_page(board: rb.Leaderboard, file: Path) -> Path:
    """The page of a board as a file."""
    file.write_text(render_html(board), encoding="utf-8")
    return file


def violations(
    page: Any, part: str = "html", *, colours_only: bool = False, rules: tuple[str, ...] = ()
) -> list[str]:
    """What axe finds wrong in a part of a page, one line each; `rules` alone where given."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if colours_only:
        options["runOnly"] = {"type": "tag", "values": ["cat.color"]}
    if rules:
        options["runOnly"] = {"type": "rule", "values": list(rules)}
    found = page.evaluate("([part, options]) => axe.run(part, options)", [part, options])
    return [
        f"{rule['id']}: {node['html'][:150]} {node['any'][0]['message'] if node['any'] else ''}"
        for rule in found["violations"]
        for node in rule["nodes"][:3]
    ]

"""What the README and the pages show is what happens."""

import ast
import re
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from pages import Block, Command, find_blocks, find_commands, run_page

import rankbars
from rankbars import errors

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_the_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(find_blocks(page.read_text(encoding="utf-8")), page.name, tmp_path)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The documentation, built strictly."""
    folder = tmp_path_factory.mktemp("site")
    build(load_config(str(ROOT / "mkdocs.yml"), site_dir=str(folder), strict=True))
    return folder


def test_documentation_asks_nothing_of_the_network(site):
    """No page loads a script, a style, a font or a picture from elsewhere."""
    loads = re.compile(
        r"<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=[\"']?(?:https?:)?//[^>]*>"
    )
    found = {page.name: loads.findall(page.read_text("utf-8")) for page in site.rglob("*.html")}
    assert found
    assert {name: links for name, links in found.items() if links} == {}


def test_documentation_opens_in_a_browser_without_network(site, browser):
    asked = []
    page = browser.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto((site / "index.html").as_uri())
    assert page.locator("h1").first.inner_text().strip()
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


def test_a_failing_example_fails_its_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = find_blocks("```python\nx = 1\n```\ntext\n```python\nassert x == 2\n```\n")
    with pytest.raises(AssertionError) as failure:
        run_page(blocks, "page.md", tmp_path)
    assert failure.traceback[-1].lineno == 5


def test_console_sessions_of_python_are_compared(tmp_path):
    run_page(find_blocks("```python\n>>> x = 2\n>>> x\n2\n```\n```python\nx\n```\n"), "p", tmp_path)
    with pytest.raises(AssertionError, match="Expected"):
        run_page(find_blocks("```python\n>>> 1 + 1\n3\n```\n"), "page.md", tmp_path)


def test_titled_blocks_become_files(tmp_path):
    run_page(find_blocks('```csv title="a.csv"\nx\n1\n```\n'), "page.md", tmp_path)
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == "x\n1\n"


def test_commands_carry_their_output_and_exit_code():
    text = "$ rankbars rank \\\n  x.csv\nno such file\n$ echo $?\n1\n$ rankbars --version\n"
    assert find_commands(text) == [
        Command("rankbars rank   x.csv", "no such file", 1),
        Command("rankbars --version", "", 0),
    ]


def test_blocks_know_their_language_and_line():
    page = "a\n\n```python\nx\n```\n\n- b\n\n    ```console\n    $ y\n    ```\n"
    assert find_blocks(page) == [
        Block("python", None, "x\n", 4),
        Block("console", None, "$ y\n", 10),
    ]


def test_unclosed_block_is_an_error():
    with pytest.raises(ValueError, match="line 2 is not closed"):
        find_blocks("```python\nx\n")


def note_codes():
    """Codes as the package spells them: ``Note("code", ...)`` or ``("the-code", text)``."""
    for path in Path(rankbars.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(func=ast.Name("Note"), args=[ast.Constant(str(code)), *_]):
                    yield code
                case ast.Tuple(
                    [ast.Constant(str(code)), ast.Constant() | ast.JoinedStr() | ast.Name(), *_]
                ):
                    if re.fullmatch(r"[a-z]+(-[a-z]+)+", code):
                        yield code


def test_every_error_and_note_is_explained_on_the_page_of_messages():
    page = (ROOT / "docs" / "messages.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([A-Za-z-]+)`", page))
    assert {*errors.__all__, *note_codes()} - named == set()

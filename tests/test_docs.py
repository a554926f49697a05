"""What the README and the pages show is what happens."""

import ast
import re
import shutil
import subprocess
import sys
import time
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from pages import Block, Command, find_blocks, find_commands, run_page

import rankbars
from rankbars import errors
from rankbars.render.plotting import PLOTS

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_of_the_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(find_blocks(page.read_text(encoding="utf-8")), page.name, tmp_path)


def test_the_gallery_has_every_picture_with_its_command_and_what_it_draws():
    text = (ROOT / "docs" / "pictures.md").read_text(encoding="utf-8")
    entry = re.compile(
        r"^### (\w+)\n\n[^#]+?^```console\n\$ rankbars ([^\n]+)\n(?:\.\.\.\n)?```\n\n"
        r"!\[[^\]]{10,}\]\(images/gallery/(\w+)\.png\)$",
        re.MULTILINE,
    )
    entries = entry.findall(text)
    assert sorted(kind for kind, _, _ in entries) == sorted(PLOTS)
    assert {path.stem for path in (ROOT / "docs/images/gallery").iterdir()} == set(PLOTS)
    for kind, command, picture in entries:
        assert picture == kind
        assert f" {kind}.png" in command
        words = command.split()
        assert kind in (words[2] if words[0] == "plot" else "held_out"), command
        drawn = ROOT / "docs/images/gallery" / f"{picture}.png"
        assert drawn.read_bytes().startswith(b"\x89PNG")
        assert drawn.stat().st_size < 40_000, kind


@pytest.fixture(scope="module")
def site(tmp_path_factory, worker_id):
    """The documentation, built strictly in a copy of what it is made of; by one process for all."""
    own = tmp_path_factory.getbasetemp()
    copy = (own if worker_id == "master" else own.parent) / "documentation"
    try:
        copy.mkdir()
    except FileExistsError:
        given_up = time.monotonic() + 300
        while not (copy / "done").exists():
            assert time.monotonic() < given_up, "another process builds the documentation"
            time.sleep(0.1)
    else:
        try:
            build_documentation(copy)
        finally:
            (copy / "done").touch()
    return copy / "site"


def build_documentation(copy):
    shutil.copytree(ROOT / "docs", copy / "docs")
    for name in ("mkdocs.yml", "CHANGELOG.md"):
        shutil.copy(ROOT / name, copy)
    live = [sys.executable, ROOT / "scripts" / "make_live.py", copy / "docs" / "live"]
    subprocess.run(live, check=True)
    zensical = [sys.executable, "-m", "zensical", "build", "--strict"]
    built = subprocess.run(zensical, cwd=copy, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr


class Links(HTMLParser):
    """What a page points to, and the places in it that can be pointed to."""

    def __init__(self, page):
        super().__init__()
        self.to, self.ids = set(), {""}
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id" or (tag == "a" and name == "name"):
                self.ids.add(value)
            elif name in ("href", "src") and value is not None:
                self.to.add(value)


def dead_links(site):
    """Links within a folder that lead nowhere, as (page, link)."""
    pages = {page.resolve(): Links(page) for page in site.rglob("*.html") if page.stem != "404"}
    for page, links in pages.items():
        for link in links.to:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            ids = pages[target].ids if target in pages else {parts.fragment}
            if not target.is_file() or unquote(parts.fragment) not in ids:
                yield page.name, link


def test_every_link_of_the_documentation_leads_somewhere(site):
    assert sorted(dead_links(site)) == []


# Nothing is asked of the network in the test run, so what is elsewhere is checked by its form.
_FORMS = {
    "arxiv.org": r"/abs/\d{4}\.\d{4,5}(v\d+)?",
    "doi.org": r"/10\.\d{4,9}/\S*[^\s.,;]",
    "github.com": r"(/[A-Za-z0-9][\w.-]*){1,2}(/[a-z]+(/[\w%+.#~-]+)*)?",
    "pypi.org": r"/project/[a-z0-9-]+/?",
}


def misformed(link):
    """Whether an address of the web cannot be one: its scheme, host, or what its host has."""
    parts = urlsplit(link)
    if parts.scheme not in ("http", "https", ""):
        return parts.scheme not in ("mailto", "data")
    if not (parts.scheme or parts.netloc):
        return False  # within the documentation
    plain = re.fullmatch(r"[!#-;=?-\[\]_a-z~]+", link) and not re.search(r"[.,;:!(]$", link)
    host = re.fullmatch(r"([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}", parts.netloc)
    form = _FORMS.get(parts.netloc.removeprefix("www."), ".*")
    return not (parts.scheme == "https" and plain and host and re.fullmatch(form, parts.path))


def test_every_link_to_elsewhere_has_the_form_of_an_address(site):
    links = {link for page in site.rglob("*.html") for link in Links(page).to}
    assert sum(link.startswith("https://") for link in links) > 5
    assert sorted(filter(misformed, links)) == []


def test_addresses_that_cannot_be_are_found():
    good = ["https://arxiv.org/abs/1910.04867", "https://doi.org/10.1198/016214504000001907",
            "https://github.com/a/b", "https://github.com/a/b/blob/main/c.py#L3", "b.html#here",
            "mailto:a@b.org", "https://x.org/?a=1&b=%20"]  # fmt: skip
    bad = ["http://x.org", "https://arxiv.org/pdf/1910.04867", "https://arxiv.org/abs/191.04867",
           "https://doi.org/10.1198", "https://github.com//b", "https://x", "https://x.org.",
           "https://x.org/a b", "htps://x.org", "//x.org/a", "https://x.org/<NAME>"]  # fmt: skip
    assert [link for link in good + bad if misformed(link)] == bad


def test_live_reports_say_what_the_page_about_them_quotes(site):
    page = (ROOT / "docs" / "live.md").read_text(encoding="utf-8")
    quoted = dict(re.findall(r"\]\((live/\w+\.html)\)\n\n> (.+)\n", page))
    assert len(quoted) == len(list((site / "live").glob("*.html"))) == 12
    for name, sentence in quoted.items():
        heading = re.search(r"<h1.*?</h1>", (site / name).read_text("utf-8"), re.DOTALL)[0]
        text = unescape(re.sub(r"<[^>]+>", "", heading))
        said = text.replace("\u2060", "").replace("\xa0", " ")
        assert sentence in said, name


def test_dead_links_are_found(tmp_path):
    (tmp_path / "b.html").write_text('<p id="here">', encoding="utf-8")
    links = ["b.html", "b.html#here", "b.html#gone", "c.html", "#", "#top", "https://x.org/"]
    text = "".join(f'<a href="{link}">x</a>' for link in links)
    (tmp_path / "a.html").write_text(text, encoding="utf-8")
    assert sorted(dead_links(tmp_path)) == [
        ("a.html", "#top"),
        ("a.html", "b.html#gone"),
        ("a.html", "c.html"),
    ]


def test_every_page_stands_in_the_navigation_once():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    named = re.findall(r"[\w/-]+\.md", str(yaml.safe_load(text)["nav"]))
    assert sorted(named) == sorted(page.name for page in (ROOT / "docs").glob("*.md"))


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
    page.get_by_role("button", name="Search").first.click()
    page.keyboard.type("jackknife")  # a word of another page
    page.get_by_text("jackknife").first.wait_for(timeout=20_000)
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

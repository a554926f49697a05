"""What the pages list is what the code has: aliases, methods, keys, codes, commands, paths."""

import ast
import importlib.util
import json
import os
import re
import sys
from dataclasses import fields
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import rankbars
from rankbars import errors
from rankbars.data.spec import OVERS, Spec
from rankbars.readers import FORMATS
from rankbars.steps.corrections import CORRECTIONS
from rankbars.steps.gappolicies import POLICIES
from rankbars.steps.pairtests import TESTS
from rankbars.steps.prediction import MERGE_NAMES
from rankbars.tables.columns import ROLES
from rankbars.tables.readoptions import LAYOUTS
from rankbars.tables.rowstates import STATUS_WORDS

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]


def text_of(page):
    return (DOCS / page).read_text(encoding="utf-8")


def code_in(text):
    """What stands in backquotes."""
    return set(re.findall(r"`([^`\n]+)`", text))


def table_rows(page):
    """Cells of the table rows of a page, as text."""
    for line in text_of(page).splitlines():
        if line.startswith("| `"):
            yield [cell.strip() for cell in line.strip("|").split(" | ")]


@pytest.fixture(scope="module")
def make_reference():
    spec = importlib.util.spec_from_file_location("pages", ROOT / "scripts" / "make_reference.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("role", ROLES)
def test_page_of_tables_lists_every_name_of_a_column(role):
    listed = {row[0]: row[1] for row in table_rows("input-tables.md") if len(row) == 3}
    usual, _, weak = listed[f"`{role}`"].partition(";")
    assert re.findall(r"`([^`]+)`", usual) == [role, *ROLES[role].aliases]
    assert tuple(re.findall(r"`([^`]+)`", weak)) == ROLES[role].weak


def test_page_of_tables_lists_no_role_that_is_not_there():
    listed = [row[0].strip("`") for row in table_rows("input-tables.md") if len(row) == 3]
    assert set(listed) - set(LAYOUTS) <= set(ROLES)


def test_page_of_tables_names_layouts_and_states():
    named = code_in(text_of("input-tables.md"))
    assert set(LAYOUTS) - {"tidy"} <= named
    assert {"scored", "unscored", "error", "missing", "excluded"} <= named & set(STATUS_WORDS)


@pytest.mark.parametrize(
    "known",
    [TESTS, CORRECTIONS, MERGE_NAMES, ("raise", *POLICIES)],
    ids=["tests", "corrections", "merges", "missing"],
)
def test_page_of_methods_has_a_row_for_every_name(known):
    rows = {row[0].strip("`") for row in table_rows("methods.md")}
    assert set(known) <= rows


def test_page_of_methods_names_every_average():
    rows = {row[0].strip("`") for row in table_rows("methods.md")}
    assert set(OVERS) - {"auto", "none"} <= rows
    assert {'over="auto"', 'over="none"'} <= code_in(text_of("methods.md"))


def test_page_of_the_board_file_names_every_key_and_option():
    schema = json.loads(
        resources.files("rankbars.data").joinpath("board.schema.json").read_text("utf-8")
    )
    keys = set(schema["properties"]) | {field.name for field in fields(Spec)}
    for block in schema["$defs"].values():
        keys |= set(block.get("properties", {}))
    assert keys - code_in(text_of("board-file.md")) == set()


def spelt_codes():
    """Short texts that the package writes out in full, and patterns for those with gaps."""
    whole, patterns = set(), set()
    for path in Path(rankbars.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                whole.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                texts = [part.value for part in node.values if isinstance(part, ast.Constant)]
                if re.fullmatch("[a-z]*-[a-z]*", "".join(texts)):
                    patterns.add(
                        "".join(
                            part.value if isinstance(part, ast.Constant) else "[a-z]+"
                            for part in node.values
                        )
                    )
    return whole, patterns


def test_page_of_messages_explains_no_code_that_is_gone():
    codes = {
        code
        for row in table_rows("messages.md")
        for code in re.findall(r"`([a-zA-Z-]+)`", row[0])
        if code not in errors.__all__
    }
    whole, patterns = spelt_codes()
    gone = {
        code for code in codes - whole if not any(re.fullmatch(text, code) for text in patterns)
    }
    assert len(codes) > 30
    assert gone == set()


@pytest.mark.parametrize("page", ["names", "commands"])
def test_reference_pages_say_what_the_code_says(page, make_reference):
    """If not, run: python scripts/make_reference.py."""
    made = getattr(make_reference, f"{page}_page")()
    assert _words(text_of(f"{page}.md")) == _words(made)


def _words(page: str) -> list[str]:
    """What versions of Click agree on: not where lines break, and what is in brackets."""
    return page.replace("[COMMAND]", "COMMAND").split()


def test_page_of_formats_has_a_row_and_a_section_for_each_format():
    page = text_of("formats.md")
    rows = re.findall(r"^\| \[`(.+)`\]\(#\1\) \| (.+) \|$", page, re.MULTILINE)
    assert rows == [(name, one.description) for name, one in FORMATS.items()]
    sections = dict(part.split("\n", 1) for part in page.split("\n## ")[1:])
    for name in FORMATS:
        assert "\n- **Files:** " in sections[name]
        assert "\n- **What is taken:** " in sections[name]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_paths_that_a_page_names_exist(page):
    named = code_in(page.read_text(encoding="utf-8"))
    paths = {one for one in named if re.match(r"(src|tests|docs|scripts|benchmarks)/", one)}
    assert [one for one in sorted(paths) if not (ROOT / one).exists()] == []


def test_every_folder_of_genuine_files_has_a_row():
    folders = ROOT / "tests" / "data" / "fixtures"
    rows = re.findall(r"^\| `(\w+)` \|", (folders / "README.md").read_text(encoding="utf-8"), re.M)
    assert sorted(rows) == sorted(one.name for one in folders.iterdir() if one.is_dir())


def test_the_path_of_one_number_goes_through_the_files_that_the_page_of_the_house_names():
    rng = np.random.default_rng(0)
    answers = (rng.random((200, 9)) < np.linspace(0.4, 0.8, 9)).astype(float)
    section = text_of("house.md").split("### Follow one number")[1].split("## ")[0]
    named = re.findall(r"`([\w/]+\.py)`", section.partition("Rows stand")[0])
    assert len(named) == 13
    entered = []

    def note(frame, event, _):
        if event == "call" and f"{os.sep}rankbars{os.sep}" in frame.f_code.co_filename:
            entered.append(frame.f_code.co_filename.replace(os.sep, "/"))

    scores = rankbars.Scores.from_arrays({"law": answers}, list("abcdefghi"))
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        rankbars.leaderboard(scores).to_text()
    finally:
        sys.setprofile(before)
    rest = iter(entered)
    for name in named:
        assert any(path.endswith(f"rankbars/{name}") for path in rest), name

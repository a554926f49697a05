"""Formats of other distributions, found through entry points."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from tablefiles import codes, message

import rankbars as rb
from rankbars.readers import FORMATS, explain
from rankbars.readers.recognition import load_plugins

PAGE = Path(__file__).parents[2] / "docs" / "add-a-format.md"
BLOCK = re.compile(r'```\w+ title="(?P<name>[^"]+)"\n(?P<text>.*?)```', re.DOTALL)

Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Puts a tiny distribution on the path, as an installer would."""
    site = tmp_path / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(site)

    def put(distribution: str, points: dict[str, str], **modules: str) -> None:
        about = site / f"{distribution}-0.1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 0.1\n"
        )
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (about / "entry_points.txt").write_text(f"[rankbars.readers]\n{lines}")
        for name, text in modules.items():
            (site / f"{name}.py").write_text(text)
            sys.modules.pop(name, None)

    return put


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "table.csv").write_text("model,task,item,score\na,math,1,1\nb,math,1,0\n")
    (folder / "run.tally").write_text("a | capitals | q1 | 1\nb | capitals | q1 | failed\n")
    return folder


def from_page() -> tuple[dict[str, str], dict[str, str]]:
    """Entry points and modules of the documentation's example."""
    blocks = {found["name"]: found["text"] for found in BLOCK.finditer(PAGE.read_text("utf-8"))}
    points = tomllib.loads(blocks["pyproject.toml"])["project"]["entry-points"]["rankbars.readers"]
    return points, {"tallyformat": blocks["tallyformat.py"]}


def test_the_example_of_the_documentation_works(install: Install, results: Path) -> None:
    points, modules = from_page()
    install("tallyformat", points, **modules)
    scores = rb.read(results)
    assert {one.format for one in scores.inputs} == {"tally", "tidy"}
    assert list(scores.tasks) == ["capitals", "math"]
    coverage = scores.info["capitals"].coverage
    assert coverage is not None
    assert coverage.errors.tolist() == [0, 1]
    assert rb.read(results / "run.tally", format="tally").models == ("a", "b")
    (report,) = explain(results / "run.tally")
    assert (report.format, report.reason) == ("tally", "It is named .tally.")
    (results / "run.tally").write_text("a | capitals\n")
    with pytest.raises(rb.ReadError, match=r"run\.tally, row 1: expected model \| task"):
        rb.read(results / "run.tally")
    assert "run.tally: Row 1: expected" in message(rb.read(results), "files-damaged")


def test_the_example_has_thirty_lines() -> None:
    _, modules = from_page()
    body = [line for line in modules["tallyformat"].splitlines() if line.strip()]
    assert len(body) <= 30


BROKEN = {
    "cannot be imported": ("raise RuntimeError('no luck')", "RuntimeError: no luck"),
    "lacks a function": ("def sniff(path, head): ...", "TypeError: it has no function 'read'"),
    "is not Python": ("def (", "SyntaxError"),
}


@pytest.mark.parametrize(("text", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_plugin_is_left_out_and_told(
    install: Install, results: Path, text: str, reason: str
) -> None:
    install("bad", {"bad": "badformat"}, badformat=text)
    scores = rb.read(results)
    assert list(scores.tasks) == ["math"]
    note = message(scores, "plugin")
    assert note.startswith("The plug-in 'bad' of the distribution 'bad' is left out: ")
    assert reason in note
    with pytest.raises(rb.UnknownOptionError, match="'bad'"):
        rb.read(results, format="bad")


def test_names_that_are_taken_are_told(install: Install, results: Path) -> None:
    points, modules = from_page()
    install("one", {"tidy": "tallyformat", **points}, **modules)
    install("two", {"tally": "tallyformat:other"})
    found = load_plugins(FORMATS)
    assert list(found.formats) == ["tally"]
    assert found.formats["tally"].description.startswith("Tally files: model, task, item and")
    assert [problem.split(" is left out: ")[1] for problem in found.problems] == [
        "another distribution has a format of that name. It needs another name.",
        "rankbars has a format of that name. It needs another name.",
    ]
    assert "plugin" in codes(rb.read(results))


FAILING = """
from rankbars.readers.kit import Recognition
def sniff(path, head):
    return Recognition("bad", 100, "mine") if path.suffix == ".tally" else 1 / 0
def read(files, options):
    return {}["nothing"]
"""


def test_a_plugin_that_fails_on_its_files_stops_nobody_else(
    install: Install, results: Path
) -> None:
    install("bad", {"bad": "badformat"}, badformat=FAILING)
    scores = rb.read(results)
    assert list(scores.tasks) == ["math"]
    assert (
        "run.tally: The plug-in 'bad' of the distribution 'bad' failed: KeyError: 'nothing'."
        in (message(scores, "files-damaged"))
    )
    with pytest.raises(rb.ReadError, match=r"run\.tally: The plug-in 'bad' .* failed: KeyError"):
        rb.read(results / "run.tally")
    (results / "odd.xyz").write_text("?")
    (report,) = explain(results / "odd.xyz")
    assert "failed to look at it: ZeroDivisionError" in report.reason


def test_answers_that_are_no_scores_are_refused(install: Install, results: Path) -> None:
    text = FAILING.replace('{}["nothing"]', "[]")
    install("bad", {"bad": "badformat"}, badformat=text)
    with pytest.raises(rb.ReadError, match="it gave list, not Scores"):
        rb.read(results / "run.tally")


def test_plugins_are_not_loaded_for_files_that_are_known(
    install: Install, tmp_path: Path, results: Path
) -> None:
    install("bad", {"bad": "badformat"}, badformat="raise RuntimeError")
    log = '{"version": 2, "status": "success", "eval": {}}'
    (tmp_path / "log.json").write_text(log)
    assert explain(tmp_path / "log.json")[0].format == "inspect"
    assert "badformat" not in sys.modules

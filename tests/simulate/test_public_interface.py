"""Studies call the methods as anybody would: through the names of `rankbars` itself."""

from __future__ import annotations

import ast
from pathlib import Path

import rankbars
from rankbars import simulate

# What is no method: real results, random streams, files, pictures, checks of names, errors.
TOOLS = {
    "rankbars.calls",
    "rankbars.demos",
    "rankbars.stats.streams",
    "rankbars.data.drafts",
    "rankbars.render.plotting.style",
    "rankbars.render.plotting",
    "rankbars.errors",
}
# The public interface has no e-process of a single pair.
EXCEPTIONS = {"traps.py": {"rankbars.stats.votes.anytime"}}


def sources() -> list[Path]:
    return sorted(Path(str(simulate.__file__)).parent.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """Modules of the package that a file imports, those of the studies aside."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    ours = {name for name in names if name.partition(".")[0] == "rankbars"}
    return {name for name in ours if not name.startswith("rankbars.simulate")}


def test_studies_use_the_public_interface_only() -> None:
    for path in sources():
        allowed = {"rankbars"} | TOOLS | EXCEPTIONS.get(path.name, set())
        assert imported(path) <= allowed, path.name


def test_every_name_that_studies_use_is_public() -> None:
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id == "rb"
            ):
                assert node.attr in rankbars.__all__, (path.name, node.attr)

"""Count what a reader of the sources must open: modules, lines, functions, circles, calls.

Usage: ``python scripts/measure_house.py [--calls] [--list] [--package FOLDER]``. Nothing runs it
but people. With ``--calls`` the README's table is ranked and read, each in a new process under a
profiler, and the modules and functions of the package that were entered are counted. With
``--list`` the names behind the counts follow. The sources measured are those beside this script,
or the package in FOLDER, such as ``src/rankbars`` of another checkout.

References are counted by name, through the imports of each module: ``function`` or
``module.function``. Calls through an object or a dict of functions are not seen as such, only the
place that puts the function there. Circles are those of the whole import graph, late imports
included; a second line leaves out what only types need and the doors that
``tests/test_architecture.py`` lists.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
IMPORTS = (ast.Import, ast.ImportFrom)

RANK = """
from rankbars.cli import main
sys.argv = ["rankbars", "rank", "results.csv", "--quiet"]
run = main
"""
READ = """
import rankbars as rb
run = lambda: rb.read("results.csv")
"""
PROFILED = """
import json, os, sys, threading
{run}
entered = set()
def notice(frame, event, argument):
    code = frame.f_code
    # a function or method: bodies of modules and classes have no fast locals (flag 1)
    named = code.co_flags & 1 and not code.co_name.startswith("<")
    if event == "call" and named and code.co_filename.startswith({package!r}):
        entered.add((code.co_filename, code.co_qualname, code.co_firstlineno))
threading.setprofile(notice)
sys.setprofile(notice)
try:
    run()
except SystemExit as end:
    assert not end.code, end.code
finally:
    sys.setprofile(None)
    threading.setprofile(None)
with open("entered.json", "w") as file:
    json.dump(sorted(entered), file)
"""


class Module(NamedTuple):
    """A source file, its dotted name, and its syntax tree."""

    name: str
    path: Path
    tree: ast.Module

    @property
    def lines(self) -> list[str]:
        """The text, line by line."""
        return self.path.read_text(encoding="utf-8").splitlines()


def load_modules(package: Path) -> dict[str, Module]:
    """Every module of the package, by its dotted name."""
    modules = {}
    for path in sorted(package.rglob("*.py")):
        parts = [package.name, *path.relative_to(package).with_suffix("").parts]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = Module(name, path, ast.parse(path.read_text(encoding="utf-8")))
    return modules


def span(node: ast.stmt) -> range:
    """Return the numbers of the lines that a statement takes."""
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def count_lines(module: Module) -> Counter[str]:
    """Lines of a module by kind; what is none of the others is code, comments included."""
    kinds = {number: "blank" for number, text in enumerate(module.lines, 1) if not text.strip()}
    for node in ast.walk(module.tree):
        body = getattr(node, "body", None)
        if isinstance(node, ast.stmt) and (isinstance(node, IMPORTS) or lists_names(node)):
            kinds |= dict.fromkeys(span(node), "imports")
        elif isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and body:
            first = body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                kinds |= dict.fromkeys(span(first), "docstrings")
    total = len(module.lines)
    return Counter(kinds.get(number, "code") for number in range(1, total + 1))


def lists_names(node: ast.AST) -> bool:
    """Whether the statement is the `__all__` of a module."""
    if not isinstance(node, ast.Assign):
        return False
    return any(isinstance(to, ast.Name) and to.id == "__all__" for to in node.targets)


def imported_names(module: Module, modules: dict[str, Module]) -> list[tuple[str, str, str]]:
    """What a module takes from the package: its local name, the module it is in, its name there.

    The name there is empty where a whole module is imported.
    """
    found = []
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import):
            here = [one for one in node.names if one.name in modules]
            found += [(one.asname or one.name, one.name, "") for one in here]
        elif isinstance(node, ast.ImportFrom) and node.module in modules and not node.level:
            for one in node.names:
                whole = f"{node.module}.{one.name}"
                target = (whole, "") if whole in modules else (node.module, one.name)
                found.append((one.asname or one.name, *target))
    return found


def import_graph(modules: dict[str, Module]) -> dict[str, set[str]]:
    """For each module the modules it imports, at the top or late."""
    return {
        name: {target for _, target, _ in imported_names(module, modules)} - {name}
        for name, module in modules.items()
    }


def load_doors() -> set[tuple[str, str]]:
    """The late imports of rooms above that the tests list as doors."""
    tests = ast.parse((ROOT / "tests" / "test_architecture.py").read_text(encoding="utf-8"))
    for node in tests.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "DOORS":
            return set(ast.literal_eval(node.value))
    sys.exit("tests/test_architecture.py lists no DOORS")


def drop_types(tree: ast.Module) -> ast.Module:
    """The tree without its blocks for type checkers."""
    body = [
        node
        for node in tree.body
        if not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
    ]
    return ast.Module(body, tree.type_ignores)


def find_circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that reach each other, the largest first."""

    def reach(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for target in graph[waiting.pop()] - seen:
                seen.add(target)
                waiting.append(target)
        return seen

    reached = {name: reach(name) for name in graph}
    circles = {
        tuple(sorted(other for other in reached[name] if name in reached[other]))
        for name in graph
        if name in reached[name]
    }
    return sorted(map(list, circles), key=lambda circle: (-len(circle), circle))


class Uses(NamedTuple):
    """Where the top-level functions are referred to: per function, module and number of times."""

    of: dict[tuple[str, str], Counter[str]]

    def times(self, count: int) -> list[tuple[str, str]]:
        """Functions with exactly so many references in the package."""
        return sorted(key for key, where in self.of.items() if sum(where.values()) == count)

    def for_one_caller(self) -> list[tuple[str, str]]:
        """Public functions that another module refers to once, and nothing else refers to."""
        return [key for key in self.times(1) if is_public(key) and key[0] not in self.of[key]]


def is_public(key: tuple[str, str]) -> bool:
    """Whether the name of a function, given after its module, is a public one."""
    return not key[1].startswith("_")


def collect_uses(modules: dict[str, Module]) -> Uses:
    """Count the references to every top-level function, through imports by name or by module."""
    uses: dict[tuple[str, str], Counter[str]] = {
        (name, node.name): Counter()
        for name, module in modules.items()
        for node in module.tree.body
        if isinstance(node, FUNCTIONS)
    }
    for name, module in modules.items():
        local = {key[1]: key for key in uses if key[0] == name}
        whole = {}
        for short, target, taken in imported_names(module, modules):
            if taken and (target, taken) in uses:
                local[short] = (target, taken)
            elif not taken:
                whole[short] = target
        for node in ast.walk(module.tree):
            key = None
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                key = local.get(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                key = (whole.get(node.value.id, ""), node.attr)
            if key in uses:
                uses[key][name] += 1
    return Uses(uses)


def show(title: str, count: object, names: Iterable[str] = ()) -> None:
    """Print a count and, below it, the names behind it."""
    print(f"{title:<58}{count!s:>12}")
    for name in names:
        print(f"    {name}")


def report_sources(package: Path, listing: bool) -> None:
    """Print the counts of the sources."""
    modules = load_modules(package)
    graph = import_graph(modules)
    lines = sum(map(count_lines, modules.values()), Counter[str]())
    nodes = [node for module in modules.values() for node in ast.walk(module.tree)]
    uses = collect_uses(modules)
    importers = Counter(target for targets in graph.values() for target in targets)
    places = defaultdict(list)
    for name, module in modules.items():
        if module.path.stem != "__init__":
            places[module.path.stem].append(name)
    repeated = {stem: names for stem, names in places.items() if len(names) > 1}
    lone = [name for name in modules if importers[name] == 1]
    doors = load_doors()
    run = import_graph({n: m._replace(tree=drop_types(m.tree)) for n, m in modules.items()})
    indoors = {name: {to for to in run[name] if (name, to) not in doors} for name in run}

    def show_list(title: str, names: Iterable[str]) -> None:
        names = list(names)
        show(title, len(names), names if listing else ())

    def show_functions(title: str, keys: Iterable[tuple[str, str]]) -> None:
        show_list(title, (".".join(key) for key in keys))

    def show_circles(title: str, circles: list[list[str]]) -> None:
        sizes = ", ".join(str(len(circle)) for circle in circles) or "none"
        show(title, sizes, map(" ".join, circles) if listing else ())

    show("modules", len(modules))
    show("lines", sum(lines.values()))
    for kind in ("code", "imports", "docstrings", "blank"):
        show(f"  {kind}", lines[kind])
    show("classes", sum(isinstance(node, ast.ClassDef) for node in nodes))
    show("functions and methods", sum(isinstance(node, FUNCTIONS) for node in nodes))
    show("top-level functions", len(uses.of))
    show_functions("  without a reference in the package", uses.times(0))
    show_functions("  with one reference", uses.times(1))
    show("    of these public", sum(is_public(key) for key in uses.times(1)))
    show_functions("  public, for a single caller elsewhere", uses.for_one_caller())
    show_list(
        "base names that repeat", (f"{stem}: {', '.join(repeated[stem])}" for stem in repeated)
    )
    show_circles("import circles, files in each", find_circles(graph))
    show_circles("  without types and the listed doors", find_circles(indoors))
    show_list("modules with exactly one importer", lone)


def report_calls(package: Path, listing: bool) -> None:
    """Rank and read the README's table in new processes, and print what was entered."""
    readme = (package.parent.parent / "README.md").read_text(encoding="utf-8")
    table = re.search(r'```csv title="results.csv"\n(.*?)```', readme, re.DOTALL)
    if table is None:
        sys.exit("README.md has no block of CSV titled results.csv; put one there")
    environment = {**os.environ, "PYTHONPATH": str(package.parent)}
    for title, run in (("rankbars rank results.csv", RANK), ('rb.read("results.csv")', READ)):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "results.csv").write_text(table[1], encoding="utf-8")
            code = PROFILED.format(run=run, package=str(package) + os.sep)
            command = [sys.executable, "-c", code]
            said = subprocess.DEVNULL
            subprocess.run(
                command, cwd=folder, env=environment, check=True, stdout=said, stderr=said
            )
            entered = json.loads((folder / "entered.json").read_text(encoding="utf-8"))
        paths = sorted({str(Path(path).relative_to(package)) for path, *_ in entered})
        show(f"{title}: modules entered", len(paths), paths if listing else ())
        show(f"{title}: functions entered", len(entered))


def main() -> None:
    """Print the counts that the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--package", type=Path, default=ROOT / "src" / "rankbars", help="folder of the package"
    )
    parser.add_argument("--calls", action="store_true", help="also count what is entered")
    parser.add_argument("--list", action="store_true", help="also print the names counted")
    options = parser.parse_args()
    package = options.package.resolve()
    report_sources(package, options.list)
    if options.calls:
        report_calls(package, options.list)


if __name__ == "__main__":
    main()

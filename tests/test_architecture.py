"""The house stands as drawn: layers, light imports, few dependencies."""

import json
import re
import subprocess
import sys
import tomllib
from collections import Counter
from importlib import import_module
from pathlib import Path

import click
import grimp
import numpy as np
import pytest
from importlinter.cli import lint_imports
from scipy.sparse.csgraph import connected_components

import rankbars
from rankbars.cli.app import COMMANDS, app
from rankbars.render import RENDERERS

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
HEAVY = {
    *("duckdb", "narwhals", "pandas", "polars", "pyarrow"),
    *("matplotlib", "mpltern", "jinja2", "rich", "click", "yaml"),
    *("jax", "numpyro", "arviz_base", "joblib", "dask", "distributed"),
}


def modules_after(code: str, folder: Path) -> set[str]:
    """Names of the modules that a fresh interpreter has loaded after running `code`."""
    listing = "\nimport json, sys\nopen('modules.json', 'w').write(json.dumps(sorted(sys.modules)))"
    subprocess.run([sys.executable, "-c", code + listing], cwd=folder, check=True)
    return set(json.loads((folder / "modules.json").read_text(encoding="utf-8")))


def test_every_import_follows_the_layers(capsys, monkeypatch):
    """The contracts in pyproject.toml hold."""
    monkeypatch.setattr(sys, "path", sys.path.copy())  # lint_imports adds an entry to it
    broken = lint_imports(config_filename=str(PYPROJECT), no_cache=True, no_logo=True)
    assert not broken, capsys.readouterr().out


def test_the_contract_on_steps_lists_every_public_one():
    contracts = tomllib.loads(PYPROJECT.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (listed,) = (set(one["modules"]) for one in contracts if one["type"] == "independence")
    public = {name for name in rankbars._MODULE_OF.values() if name.startswith("rankbars.steps.")}
    assert public - listed == set()


def test_the_page_of_the_house_lists_every_room_in_order():
    contracts = tomllib.loads(PYPROJECT.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    (layers,) = (one["layers"] for one in contracts if one["type"] == "layers")
    page = (PYPROJECT.parent / "docs" / "house.md").read_text("utf-8")
    table = page.partition("## The rooms")[2].partition("\n\nEach room")[0]
    rooms = re.findall(r"`(\w+)`", " ".join(re.findall(r"^\| (`[^|]+) \|", table, re.MULTILINE)))
    for layer in layers[1:]:  # without __main__
        drawn = set(re.findall(r"\w+", layer))
        listed, rooms = set(rooms[: len(drawn)]), rooms[len(drawn) :]
        assert listed == drawn
    assert rooms == []


def test_every_file_that_the_page_of_the_house_names_is_there():
    root = PYPROJECT.parent
    page = (root / "docs" / "house.md").read_text("utf-8")
    named = re.findall(r"`((?:src|scripts|tests)/[\w/.]+)`", page)
    assert [name for name in named if not (root / name).exists()] == []


def test_stats_imports_numpy_scipy_and_the_standard_library_only():
    graph = grimp.build_graph("rankbars", include_external_packages=True, cache_dir=None)
    modules = {"rankbars.stats", *graph.find_descendants("rankbars.stats")}
    imported = {
        name.partition(".")[0]
        for module in modules
        for name in graph.find_modules_directly_imported_by(module)
    }
    assert imported - sys.stdlib_module_names <= {"rankbars", "numpy", "scipy"}


def test_no_two_modules_carry_the_same_name():
    files = Path(rankbars.__file__).parent.rglob("*.py")
    names = Counter(path.stem for path in files if not path.stem.startswith("__"))
    assert [name for name, count in names.items() if count > 1] == []


# Doors on types: methods that import what they need only when somebody comes through them.
DOORS = {
    ("rankbars.data.board", "rankbars.data.boardfile"),
    ("rankbars.data.board", "rankbars.render"),
    ("rankbars.data.board", "rankbars.render.page"),
    ("rankbars.data.board", "rankbars.render.paragraph"),
    ("rankbars.data.board", "rankbars.render.plotting"),
    ("rankbars.data.headtohead", "rankbars.render.duel"),
    ("rankbars.data.judged", "rankbars.render.verdicts"),
    ("rankbars.data.noise", "rankbars.render.noisetext"),
    ("rankbars.data.outlook", "rankbars.render.outlooks"),
    ("rankbars.data.outlook", "rankbars.render.plantext"),
    ("rankbars.data.raceboard", "rankbars.render.plotting.workplots"),
    ("rankbars.data.raceboard", "rankbars.render.racetext"),
    ("rankbars.data.outlook", "rankbars.render.plotting.workplots"),
    ("rankbars.data.scores", "rankbars.data.plaintable"),
    ("rankbars.data.scores", "rankbars.tables.dataframes"),
    ("rankbars.data.scores", "rankbars.tables.joining"),
}


def circles() -> list[set[str]]:
    """Modules that import each other in a circle, inside rooms too; doors are left out."""
    graph = grimp.build_graph("rankbars", exclude_type_checking_imports=True, cache_dir=None)
    names = sorted(graph.modules)
    place = {name: number for number, name in enumerate(names)}
    links = np.zeros((len(names), len(names)), np.bool_)
    for name in names:
        for other in graph.find_modules_directly_imported_by(name):
            if (name, other) not in DOORS:
                links[place[name], place[other]] = True
    count, labels = connected_components(links, directed=True, connection="strong")
    parts = [np.flatnonzero(labels == label) for label in range(count)]
    return [{names[i] for i in part} for part in parts if part.size > 1]


def test_no_modules_import_each_other_in_a_circle():
    assert circles() == []


def test_importing_rankbars_loads_no_heavy_package(tmp_path):
    loaded = modules_after("import rankbars", tmp_path)
    assert not loaded & HEAVY
    assert not loaded & {"numpy", "scipy"}


TABLE = "\n".join(
    ["model,task,item,score"]
    + [f"{model},t,{item},{item % (3 + model)}" for model in range(3) for item in range(9)]
)
COMMAND = """
import sys
from rankbars.cli import main
sys.argv = ["rankbars", *{words}]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""


def test_ranking_a_small_table_loads_only_what_it_needs(tmp_path):
    """What costs tenths of a second to load is left alone until somebody needs it."""
    (tmp_path / "scores.csv").write_text(TABLE, encoding="utf-8")
    loaded = modules_after(COMMAND.format(words=["rank", "scores.csv", "-o", "b.json"]), tmp_path)
    assert not loaded & {"pandas", "polars", "pyarrow", "matplotlib", "jinja2", "yaml", "jax"}
    assert not loaded & {"joblib", "dask", "rich.console", "rich.progress", "rich.text"}
    brought = modules_after("import scipy.special", tmp_path)  # SciPy 1.18 brings scipy.linalg
    assert not (loaded - brought) & {
        "scipy.stats", "scipy.sparse", "scipy.linalg", "scipy.optimize"
    }  # fmt: skip
    ours = {name.removeprefix("rankbars.") for name in loaded if name.startswith("rankbars.")}
    assert not ours & {"render.page", "render.markdown", "cli.boards", "cli.simulation"}
    assert not ours & {"steps.votetests", "stats.votes.votefit", "store.access", "bayes"}
    assert not ours & {"steps.average", "stats.hierarchical"}  # one task has no average
    assert not ours & {"steps.prediction", "steps.mergers"}  # and nothing to predict from
    assert not ours & {"readers.logs.records", "readers.jsonrows", "tables.castvotes"}
    assert not ours & {"stats.multiplicity.maxt", "stats.pairwise.robust", "tables.decorated"}
    assert not ours & {"readers.parquet", "readers.pagetables", "readers.sides"}
    assert not ours & {"tables.filesagain", "tables.votecopies"}


def test_a_board_of_one_task_that_is_only_printed_needs_no_types_of_averages(tmp_path):
    (tmp_path / "scores.csv").write_text(TABLE, encoding="utf-8")
    loaded = modules_after(COMMAND.format(words=["rank", "scores.csv"]), tmp_path)
    ours = {name.removeprefix("rankbars.") for name in loaded if name.startswith("rankbars.")}
    assert not ours & {"data.aggregate", "data.draws", "data.diagnosis", "data.boardfile"}
    assert not ours & {"data.boardparts", "data.noise", "data.peoplelabels", "data.suspects"}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_answer_without_scipy(option, tmp_path):
    loaded = modules_after(COMMAND.format(words=[option]), tmp_path)
    assert not loaded & {"scipy", "numpy", "duckdb", "pandas"}


def test_a_batch_of_a_race_needs_no_scipy(tmp_path):
    line = '{"model": "a", "item": "1", "score": 1}\n'
    files = {"models.txt": "a\nb\n", "items.txt": "1\n2\n", "results.jsonl": line}
    for name, lines in files.items():
        (tmp_path / name).write_text(lines, encoding="utf-8")
    names = ["--models-file", "models.txt", "--items-file", "items.txt", "--json"]
    for words in (["next", *names], ["next", "--json"], ["tell", "results.jsonl"]):
        code = COMMAND.format(words=["race", "race.duckdb", *words])
        assert not modules_after(code, tmp_path) & {"scipy", "pandas", "rankbars.readers"}


def test_every_command_and_every_renderer_is_where_the_tables_say():
    for command in COMMANDS:
        assert app.get_command(click.Context(app), command).name == command
    for place in RENDERERS.values():
        module, _, name = place.rpartition(".")
        assert callable(getattr(import_module(module), name))

"""The house stands as drawn: layers, light imports, few dependencies."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

import rankbars

PYPROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"
HEAVY = {
    *("duckdb", "pandas", "polars", "pyarrow"),
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


def test_stats_imports_numpy_scipy_and_the_standard_library_only():
    graph = grimp.build_graph("rankbars", include_external_packages=True, cache_dir=None)
    modules = {"rankbars.stats", *graph.find_descendants("rankbars.stats")}
    imported = {
        name.partition(".")[0]
        for module in modules
        for name in graph.find_modules_directly_imported_by(module)
    }
    assert imported - sys.stdlib_module_names <= {"rankbars", "numpy", "scipy"}


def test_importing_rankbars_loads_no_heavy_package(tmp_path):
    loaded = modules_after("import rankbars", tmp_path)
    assert not loaded & HEAVY
    assert not loaded & {"numpy", "scipy"}


def test_ranking_a_table_loads_neither_plots_nor_scipy_stats(tmp_path):
    """The main path stays clear of what costs seconds to import."""
    rows = [f"{model},t,{item},{item % (3 + model)}" for model in range(3) for item in range(9)]
    table = "\n".join(["model,task,item,score", *rows])
    (tmp_path / "scores.csv").write_text(table, encoding="utf-8")
    code = "import rankbars as rb; rb.leaderboard(rb.read('scores.csv')).save('board.json')"
    loaded = modules_after(code, tmp_path)
    assert not loaded & {"scipy.stats", "matplotlib", "jinja2", "jax", "pandas", "polars", "dask"}


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_answer_without_scipy(option, tmp_path):
    code = f"""
import sys
from rankbars.cli import main
sys.argv = ["rankbars", "{option}"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
"""
    assert not modules_after(code, tmp_path) & {"scipy", "numpy", "duckdb", "pandas"}

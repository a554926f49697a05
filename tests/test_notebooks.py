"""The notebooks of the documentation run from top to bottom, and are kept without results."""

import ast
import json
import shutil
from pathlib import Path

import matplotlib as mpl
import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent / "docs" / "notebooks"
PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))


def cells_of(path):
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def run_cell(source, place, names):
    """Run a cell as a notebook does: the value of a last expression is shown."""
    tree = ast.parse(source, place)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("shown_last", ast.Store())], tree.body[-1].value)
    names["shown_last"] = None
    exec(compile(ast.fix_missing_locations(tree), place, "exec"), names)
    return names["shown_last"]


def show(value):
    """What a notebook shows of a value."""
    rich = getattr(value, "_repr_html_", None)
    return repr(value) if rich is None else rich()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path, tmp_path, monkeypatch):
    shutil.copytree(NOTEBOOKS, tmp_path / "notebooks")
    monkeypatch.chdir(tmp_path / "notebooks")
    names = {"__name__": "__main__"}
    shown = []
    with mpl.rc_context({"backend": "agg"}):
        for number, cell in enumerate(cells_of(path), start=1):
            if cell["cell_type"] == "code":
                value = run_cell("".join(cell["source"]), f"{path.name}, cell {number}", names)
                shown.append(show(value))
    assert any("<table" in one or "<p>" in one for one in shown)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_results(path):
    document = json.loads(path.read_text(encoding="utf-8"))
    assert document["nbformat"] == 4
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    for cell in document["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None)


def test_there_is_one_notebook_per_kind_of_user_and_the_page_names_all():
    page = (NOTEBOOKS.parent / "notebooks.md").read_text(encoding="utf-8")
    assert [path.stem for path in PATHS] == ["folds", "table-with-gaps", "two-checkpoints", "votes"]
    assert [path.name for path in PATHS if f"notebooks/{path.name}" not in page] == []

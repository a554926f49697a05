"""Judgements, counts of pairs and finished scores of plug-ins survive the store."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from storefiles import add, held, inside, remove
from strategies import FEWER

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.evidence import Coverage, Estimates, Evidence, Folds, Items
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.data.votes import Votes
from rankbars.readers.collecting import is_same
from rankbars.readers.keptfiles import KeptFile
from rankbars.readers.parts import ReadyScores
from rankbars.store.access import open_store
from rankbars.store.holdings import Change

FIXTURES = Path(__file__).parent.parent / "data" / "fixtures"


@pytest.mark.parametrize(
    ("folder", "words", "options"),
    [
        ("alpaca_eval/results/claude-2", (), {}),
        ("alpaca_eval/results", ("--compare-anyway",), {"compare_anyway": True}),
        ("arena_hard/legacy_single_score", (), {}),
    ],
)  # fmt: skip
def test_judgements_survive_the_store(
    folder: str, words: tuple[str, ...], options: dict[str, Any], tmp_path: Path
) -> None:
    shutil.copytree(FIXTURES / folder, tmp_path / "judged")
    with inside(tmp_path):
        files = sorted(str(one) for one in Path("judged").rglob("*.json*"))
        for path in reversed(files):
            add(path, *words)
        kept, direct = held(), rb.read(files, **options)
        assert is_same(kept, direct)
        assert kept.inputs == direct.inputs


def test_games_survive_the_store_and_two_verdicts_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def write(path: str, model: str, verdicts: list[str | None]) -> None:
        rows = [
            {"uid": str(number), "model": model, "judge": "j", "baseline": "base",
             "games": [{"score": verdict}, {"score": "A=B"}]}
            for number, verdict in enumerate(verdicts)
        ]  # fmt: skip
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))

    with inside(tmp_path):
        write("x.jsonl", "x", ["A>>B", "B>A", None])
        write("y.jsonl", "y", ["A=B", "B>>A", "A>B"])
        write("z.jsonl", "y", ["B>A", "B>>A", "A>B"])
        add("y.jsonl")
        add("x.jsonl")
        assert is_same(held(), rb.read(["x.jsonl", "y.jsonl"]))
        assert run(["add", "z.jsonl", "--store", "board.duckdb"]) == 1
        assert "z.jsonl, row 1" in capsys.readouterr().err
        assert is_same(held(), rb.read(["x.jsonl", "y.jsonl"]))


def test_counts_of_pairs_survive_the_store(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "votes" / "pairs", tmp_path / "pairs")
    with inside(tmp_path):
        add("pairs")
        assert is_same(held(), rb.read("pairs"))
        counts = next(Path("pairs").glob("pair_counts*"))
        shutil.copytree("pairs", "more")
        add(str(Path("more") / counts.name))  # one task in two files: counts add up
        both = [*sorted(str(path) for path in Path("pairs").glob("*")), f"more/{counts.name}"]
        assert is_same(held(), rb.read(sorted(both)))
        remove("more")
        assert is_same(held(), rb.read("pairs"))


PLUGIN = """
import numpy as np
from rankbars.data.evidence import Coverage, Items
from rankbars.data.scores import TaskInfo
from rankbars.readers.kit import Note, Recognition, Scores

TOGETHER = {together}

def sniff(path, head):
    return Recognition("ready", 100, "mine") if path.suffix == ".ready" else None

def read(files, options):
    columns = [[float(cell) for cell in file.path.read_text().split()] for file in files]
    models = tuple(file.path.stem for file in files)
    values = np.array(columns).T
    if TOGETHER:
        values = values - values.mean()
    n = np.full(len(models), len(values))
    none = np.zeros(len(models), int)
    info = TaskInfo(metric="points", coverage=Coverage(len(values), n, none, none, none))
    ids = tuple(map(str, range(len(values))))
    return Scores({{"t": Items(models, values, ids=ids)}}, {{"t": info}}, (Note("own", "Said."),))
"""


def install(site: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """A distribution with a reader."""
    about = site / "ready-0.1.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ready\nVersion: 0.1\n")
    (about / "entry_points.txt").write_text("[rankbars.readers]\nready = readyformat\n")
    (site / "readyformat.py").write_text(module)
    monkeypatch.syspath_prepend(site)
    sys.modules.pop("readyformat", None)


def test_finished_scores_of_a_plugin_survive_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, PLUGIN.format(together=False))
    for name, cells in (("a", "1 0 0.5 1"), ("b", "0 0 0.25 1"), ("c", "1 1 1 0")):
        (tmp_path / f"{name}.ready").write_text(cells)
    with inside(tmp_path):
        add("b.ready", "a.ready")
        assert is_same(held(), rb.read(["a.ready", "b.ready"]))
        add("c.ready")
        kept, direct = held(), rb.read(["a.ready", "b.ready", "c.ready"])
        assert is_same(kept, direct)
        assert kept.inputs == direct.inputs
        remove("a.ready")
        assert is_same(held(), rb.read(["b.ready", "c.ready"]))


RUNS = """
import numpy as np
from rankbars.readers.kit import SCORED, Measure, Note, Recognition, Rows, Run

def sniff(path, head):
    return Recognition("ready", 100, "mine") if path.suffix == ".ready" else None

def read(files, options):
    return [*map(run, files), Note("own", "Said.")]

def run(file):
    scores = np.array([float(cell) for cell in file.path.read_text().split()])
    items = tuple(map(str, range(len(scores))))
    rows = Rows(items, np.full(len(scores), SCORED, np.uint8))
    measure = Measure("points", scores - 0.5, direction="higher")
    return Run(file.label, file.path.stem, "t", {"points": measure}, rows)
"""


def test_runs_of_a_plugin_are_kept_file_by_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "site", monkeypatch, RUNS)
    for name, cells in (("a", "1 0 0.5 1"), ("b", "0 0 0.25 1"), ("c", "1 1 1 0")):
        (tmp_path / f"{name}.ready").write_text(cells)
    with inside(tmp_path):
        add("c.ready")
        add("b.ready", "a.ready")
        assert is_same(held(), rb.read(["a.ready", "b.ready", "c.ready"]))
        remove("a.ready")
        assert is_same(held(), rb.read(["b.ready", "c.ready"]))


def test_a_filter_that_its_reader_heeded_is_kept(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / "mteb" / "results", tmp_path / "results")
    with inside(tmp_path):
        add("results", "--filter", "external")
        kept, direct = held(), rb.read("results", filter="external")
        assert is_same(kept, direct)
        assert "self-reported" in {note.code for note in kept.notes}


def test_a_plugin_whose_files_depend_on_each_other_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(tmp_path / "site", monkeypatch, PLUGIN.format(together=True))
    for name, cells in (("a", "1 0 0.5 1"), ("b", "0 0 0.25 1")):
        (tmp_path / f"{name}.ready").write_text(cells)
    with inside(tmp_path):
        assert run(["add", "a.ready", "b.ready", "--store", "board.duckdb"]) == 1
        assert "something else together than one by one" in capsys.readouterr().err
        assert not Path("board.duckdb").exists()


@FEWER
@given(st.integers(0, 2**32 - 1))
def test_scores_of_every_kind_are_kept_without_loss(seed: int) -> None:
    random = np.random.default_rng(seed)
    n, size = int(random.integers(2, 6)), int(random.integers(1, 4))
    models = tuple("abc"[:size])
    values = np.where(random.random((n, size)) < 0.2, np.nan, random.random((n, size)))
    root = random.random((size, size))
    counts = random.integers(0, n + 1, size)
    tasks: dict[str, Evidence] = {
        "items": Items(models, values, random.integers(0, 3, n), random.random(n) + 0.1,
                       ids=tuple(map(str, range(n)))),
        "folds": Items(models, values, design=Folds(1, n, 0.25)),
        "runs": Items(models, values, design="runs", answers=random.integers(1, 4, (n, size))),
        "se": Estimates(models, random.random(size), random.random(size), n=counts),
        "cov": Estimates(models, random.random(size), cov=root @ root.T),
        "votes": Votes(("x", "y"), np.array([[0.0, 2.0], [1.0, 0.0]])),
    }  # fmt: skip
    none = np.zeros(size, dtype=np.int64)
    info = {
        "items": TaskInfo("c", "f", "m", 2.0, "lower", 0.0, 1.0,
                          Coverage(n, counts, none, none, n - counts, none), 0.25),
        "se": TaskInfo(minimum=-np.inf, maximum=3.0),
    }  # fmt: skip
    scores = Scores(tasks, info, (rb.Note("code", "text", "items", ("a",)),))
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "board.duckdb")
        file = KeptFile("f", "ready", "0", 1, True, (ReadyScores("f", scores),), (), "f")
        with open_store(path, write=True, create=True) as store:
            store.apply(Change.of([file]))
        with open_store(path) as store:
            ((found,),) = (one.parts for one in store.files())
    assert isinstance(found, ReadyScores)
    assert found.source == "f"
    assert is_same(found.scores, scores)

"""Measures by topic: which cell is which, what a run is called, and what counts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Items

FIXTURE = Path(__file__).parent.parent / "data/fixtures/trec_eval/runs"

MAPS = {"bm25": {"301": 0.25, "302": 0.5, "Q3": 0.75}, "dense": {"301": 0.5, "302": 0.5, "Q3": 1.0}}


def trec_eval(run: str, *, runid: str = "", measure: str = "map", off: float = 0.0) -> str:
    """What ``trec_eval -q`` prints of one run."""
    maps = MAPS[run]
    overall = sum(maps.values()) / len(maps) + off
    rows = [(name, topic, value) for topic, score in maps.items()
            for name, value in ((measure, f"{score:.4f}"), ("num_ret", "1000"))]  # fmt: skip
    rows += [("runid", "all", runid)] if runid else []
    rows += [("num_q", "all", str(len(maps))), (measure, "all", f"{overall:.4f}")]
    return "".join(f"{name:<22}\t{topic}\t{value}\n" for name, topic, value in rows)


def ir_measures(run: str) -> str:
    """What ``ir_measures -q`` prints of one run."""
    rows = [f"{topic}\tAP(rel=2)@100\t{score:.4f}" for topic, score in MAPS[run].items()]
    return "\n".join([*rows, "all\tAP(rel=2)@100\t0.5000"]) + "\n"


def pytrec_eval(run: str) -> str:
    """What the evaluator of pytrec_eval returns of one run, with enough topics to be some."""
    scores = MAPS[run].values()
    return json.dumps(
        {f"q{n}-{m}": {"map": score} for n in range(9) for m, score in enumerate(scores)}
    )


def values(scores: rb.Scores, task: str = "all") -> list[list[float]]:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Items)
    return np.asarray(evidence.values).tolist()


@pytest.mark.parametrize("written", [trec_eval, ir_measures])
def test_topics_are_items_and_what_is_said_of_all_of_them_is_none(
    tmp_path: Path, written: object
) -> None:
    assert callable(written)
    for run in MAPS:
        (tmp_path / f"{run}.eval").write_text(written(run))
    scores = rb.read(tmp_path)
    assert scores.models == ("bm25", "dense")
    assert values(scores) == [[0.25, 0.5], [0.5, 0.5], [0.75, 1.0]]
    assert scores.info["all"].direction == "higher"


def test_objects_of_topics_are_read_and_those_of_a_few_systems_are_not(tmp_path: Path) -> None:
    for run in MAPS:
        (tmp_path / f"{run}.json").write_text(pytrec_eval(run))
    assert np.mean(values(rb.read(tmp_path)), axis=0).tolist() == pytest.approx([0.5, 2 / 3])
    systems = tmp_path / "all.json"
    systems.write_text('{"bm25": {"map": 0.5, "P_5": 1}, "dense": {"map": 0.6, "P_5": 1}}')
    (report,) = rb.readers.explain(systems)
    assert report.format != "trec-eval"


def test_a_measure_is_chosen_where_there_are_several() -> None:
    with pytest.raises(rb.DataError, match="there are 3 measures: 'map', 'P_10', 'ndcg_cut_10'"):
        rb.read(FIXTURE)
    means = np.mean(values(rb.read(FIXTURE, metric="map")), axis=0)
    assert means.tolist() == pytest.approx([0.3446, 0.4995], abs=1e-4)  # the lines "all"


def test_runs_are_called_as_they_call_themselves_where_that_tells_them_apart(
    tmp_path: Path,
) -> None:
    for run, runid in (("bm25", "first"), ("dense", "second")):
        (tmp_path / f"{run}.txt").write_text(trec_eval(run, runid=runid))
    assert rb.read(tmp_path).models == ("first", "second")
    for run in MAPS:  # a tag that nobody changed
        (tmp_path / f"{run}.txt").write_text(trec_eval(run, runid="Anserini"))
    assert rb.read(tmp_path).models == ("bm25", "dense")


def test_folders_are_runs_or_sets_of_topics(tmp_path: Path) -> None:
    for folder in MAPS:
        (tmp_path / "one" / folder).mkdir(parents=True)
        (tmp_path / "one" / folder / "eval.txt").write_text(trec_eval(folder))
    assert rb.read(tmp_path / "one").models == ("bm25", "dense")
    for folder in ("dl19", "dl20"):
        (tmp_path / "two" / folder).mkdir(parents=True)
        for run in MAPS:
            (tmp_path / "two" / folder / f"{run}.txt").write_text(trec_eval(run, runid=run))
    found = rb.read(tmp_path / "two")
    assert (found.models, tuple(found.tasks)) == (("bm25", "dense"), ("dl19", "dl20"))


@pytest.mark.parametrize(("text", "said"), [
    ("map all 0.5\nP_5 all 0.4\n", "measures over all topics only"),
    ("map 1 0.5\nmap 1 0.4\n", "line 2.*map of 1 stands there twice"),
    ("map 1 0.5\nmap 2 nan\n", "line 2.*no finite number"),
])  # fmt: skip
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "run.eval").write_text(text)
    with pytest.raises(rb.ReadError, match=f"(?s){said}"):
        rb.read(tmp_path / "run.eval")


def test_topics_that_a_run_lacks_are_gaps(tmp_path: Path) -> None:
    (tmp_path / "bm25.eval").write_text(trec_eval("bm25"))
    short = [line for line in trec_eval("dense").splitlines() if "\tQ3\t" not in line]
    (tmp_path / "dense.eval").write_text("\n".join(short))
    with pytest.raises(rb.DataError, match="1 of 6 scores"):
        rb.leaderboard(rb.read(tmp_path))


@pytest.mark.parametrize("written", [trec_eval, ir_measures])
def test_a_file_that_was_cut_off_says_where(tmp_path: Path, written: object) -> None:
    assert callable(written)
    whole = written("bm25")
    for lost, said in (
        (2, "line {}: the value has fewer digits"),
        (8, "line {}: there are 2 cells"),
    ):
        cut = whole[:-lost]
        (tmp_path / "cut.eval").write_text(cut)
        with pytest.raises(rb.ReadError) as error:
            rb.read(tmp_path / "cut.eval")
        assert said.format(len(cut.splitlines())) in str(error.value)
        assert "it seems to be cut off: copy it again" in str(error.value)
    lines = whole.splitlines(keepends=True)
    (tmp_path / "cut.eval").write_text("".join([*lines[:2], lines[2][:5] + "\n", *lines[3:]]))
    with pytest.raises(
        rb.ReadError, match=r"line 3: there (is|are) \d cells? in place of 3"
    ) as error:
        rb.read(tmp_path / "cut.eval")
    assert "cut off" not in str(error.value)

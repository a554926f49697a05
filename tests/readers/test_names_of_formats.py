"""Names that the caller declares, in folders of several formats that do not all know them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from logfiles import inspect_header, lm_rows, sample, write_json_log, write_lm_eval
from storefiles import add, held, inside
from tablefiles import assert_same, codes, message, write_csv

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.evidence import Items


def write_swebench(folder: Path) -> Path:
    """Verdicts on two instances: a format with one metric, no filter, its own clusters."""
    path = folder / "pro" / "sys" / "eval_results.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"instance_a__r-1": True, "instance_b__r-2": False}))
    return path


def write_scored(folder: Path, **metadata: str) -> Path:
    """An Inspect log with numbers, whose scorer says no direction."""
    samples = [sample(n, n / 2, metadata=dict(metadata)) for n in (1, 2)]
    return write_json_log(folder / "log.json", inspect_header(), samples)


def items(scores: rb.Scores, task: str) -> Items:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Items)
    return evidence


def test_a_direction_concerns_the_format_that_knows_its_name(tmp_path: Path) -> None:
    write_scored(tmp_path)
    alone = rb.read(tmp_path, direction="lower")
    metric = next(iter(alone.info.values())).metric
    write_swebench(tmp_path)
    scores = rb.read(tmp_path, direction={str(metric): "lower"})
    sides = {task: about.direction for task, about in scores.info.items()}
    assert sorted(sides.values()) == ["higher", "lower"]
    assert sides[next(iter(alone.tasks))] == "lower"
    assert message(scores, "name-elsewhere").startswith("swebench: there is no")


def test_a_name_that_no_format_knows_is_refused_with_those_of_all(tmp_path: Path) -> None:
    write_scored(tmp_path)
    write_swebench(tmp_path)
    with pytest.raises(rb.UnknownOptionError, match=r"'meen'.*Known: .*resolved"):
        rb.read(tmp_path, direction={"": "higher", "meen": "lower"})
    with pytest.raises(rb.UnknownOptionError, match=r"Unknown metric 'em'.*resolved"):
        rb.read(tmp_path, direction="higher", metric="em")
    with pytest.raises(rb.UnknownOptionError, match=r"Unknown filter 'none'\. There is none"):
        rb.read(tmp_path, direction="higher", filter="none")
    with pytest.raises(rb.UnknownOptionError, match=r"Unknown cluster 'topic'.*repo"):
        rb.read(tmp_path, direction="higher", columns={"cluster": "topic"})


def test_a_metric_and_a_filter_leave_formats_without_them_as_they_are(tmp_path: Path) -> None:
    rows = lm_rows({"acc": [1.0, 0.0], "acc_norm": [1.0, 1.0]})
    write_lm_eval(tmp_path, "m", {"arc": {"acc,none": 0.5, "acc_norm,none": 1.0}},
                  rows={"arc": rows})  # fmt: skip
    write_swebench(tmp_path)
    scores = rb.read(tmp_path, metric="acc_norm", filter="none")
    assert sorted(str(about.metric) for about in scores.info.values()) == ["acc_norm", "resolved"]
    assert codes(scores).count("name-elsewhere") == 2


def test_a_table_does_not_make_an_unknown_filter_known(tmp_path: Path) -> None:
    write_csv({"model": ["a", "b"], "task": ["t", "t"], "acc": [0.5, 0.6]}, tmp_path)
    write_swebench(tmp_path)
    with pytest.raises(rb.UnknownOptionError, match="Unknown filter 'strict'"):
        rb.read(tmp_path, filter="strict")


def test_clusters_by_a_key_of_one_format(tmp_path: Path) -> None:
    write_scored(tmp_path, passage="p")
    write_swebench(tmp_path)
    scores = rb.read(tmp_path, direction="higher", columns={"cluster": "passage"})
    logged = next(task for task in scores.tasks if "SWE" not in task)
    assert items(scores, logged).clusters is not None
    assert "there is no cluster 'passage'" in message(scores, "name-elsewhere")


def test_a_store_of_several_formats_reads_like_their_files(tmp_path: Path) -> None:
    with inside(tmp_path):
        write_scored(Path())
        write_swebench(Path())
        metric = next(iter(rb.read("log.json", direction="lower").info.values())).metric
        add("log.json", "pro", "--direction", f"{metric}=lower")
        direct = rb.read(["log.json", "pro"], direction={str(metric): "lower"})
        assert_same(held(), direct)
        assert held().notes == direct.notes
        assert run(["add", "pro", "--direction", "meen=lower", "--store", "new", "-q"]) == 2

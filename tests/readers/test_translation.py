"""Scores of translations: half intervals are no standard errors, and metrics are no models."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tablefiles import message

import rankbars as rb
from rankbars.data.evidence import Estimates, Items

SYSTEMS = Path(__file__).parent.parent / "data/fixtures/sacrebleu/systems"


def segments(shift: int = 0, **scores: list[float]) -> dict[str, Any]:
    """What ``comet-score --to_json`` writes."""
    return {
        f"out/{system}.txt": [
            {"src": f"Satz {number + shift}", "mt": system, "ref": "", "COMET": score, "errors": []}
            for number, score in enumerate(own)
        ]
        for system, own in scores.items()
    }


def test_half_an_interval_of_sacrebleu_is_one_and_ter_is_better_when_lower() -> None:
    bleu = rb.read(SYSTEMS, metric="BLEU")
    assert bleu.models == ("baseline", "sysA", "sysB")
    evidence = bleu.tasks["all"]
    assert isinstance(evidence, Estimates)
    assert evidence.mean.tolist() == [41.9, 42.5, 48.6]
    assert evidence.se is not None
    assert (1.959963984540054 * evidence.se).tolist() == pytest.approx([3.0, 3.3, 3.1])
    assert "--paired-bs" in message(bleu, "unpaired-systems")
    assert rb.read(SYSTEMS, metric="TER").info["all"].direction == "lower"


def test_a_metric_of_sacrebleu_is_chosen_where_there_are_several() -> None:
    with pytest.raises(rb.DataError, match=r"3 metrics: 'BLEU', 'chrF2', 'TER'.*--metric BLEU"):
        rb.read(SYSTEMS)


def test_scores_of_sacrebleu_by_other_signatures_are_not_compared(tmp_path: Path) -> None:
    for system, tokens in (("a", "13a"), ("b", "zh")):
        (tmp_path / f"{system}.json").write_text(json.dumps({
            "name": "BLEU", "score": 40.0, "version": "2.6.0",
            "signature": f"nrefs:1|case:mixed|tok:{tokens}|version:2.6.0",
        }))  # fmt: skip
    with pytest.raises(rb.DataError, match=r"Tok in the signature of BLEU: '13a' \('a'\), 'zh'"):
        rb.read(tmp_path)


def test_segments_of_comet_are_items_of_systems(tmp_path: Path) -> None:
    (tmp_path / "comet.json").write_text(json.dumps(segments(a=[0.5, 0.75], b=[0.25, 1.0])))
    scores = rb.read(tmp_path / "comet.json")
    evidence = scores.tasks["all"]
    assert isinstance(evidence, Items)
    assert scores.models == ("a", "b")
    assert np.asarray(evidence.values).tolist() == [[0.5, 0.25], [0.75, 1.0]]


def test_segments_of_other_sources_are_not_compared(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps(segments(a=[0.5, 0.75])))
    (tmp_path / "two.json").write_text(json.dumps(segments(7, b=[0.25, 1.0])))
    with pytest.raises(rb.DataError, match="no two models share a row"):
        rb.leaderboard(rb.read(tmp_path))


def test_a_segment_without_a_score_is_named(tmp_path: Path) -> None:
    content = segments(a=[0.5, 0.75])
    del content["out/a.txt"][1]["COMET"]
    (tmp_path / "comet.json").write_text(json.dumps(content))
    with pytest.raises(rb.ReadError, match=r"segment 2.*there is no COMET"):
        rb.read(tmp_path / "comet.json")

"""Names that look the same and are not are told, whatever they stand in."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import rankbars as rb

ROWS = "".join(
    f"{model},{item},{score}\n"
    for model in ("GPT-4", "gpt-4 ", "o1")
    for item, score in ((1, 1), (2, 0))
)
TEXTS = {
    "tidy": "model,item,score\n" + ROWS,
    "matrix": "item,GPT-4,gpt-4 ,o1\n1,1,0,1\n2,0,1,1\n",
    "published": "model,math,code\nGPT-4,1,2\ngpt-4 ,3,4\no1,5,6\n",
    "votes": "model_a,model_b,winner\nGPT-4,o1,model_a\ngpt-4 ,o1,model_b\nGPT-4,gpt-4 ,model_b\n",
}


@pytest.mark.parametrize("layout", TEXTS)
def test_models_that_look_alike_are_told(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "r.csv"
    path.write_text(TEXTS[layout])
    found = [note for note in rb.read(path).notes if note.code == "look-alike"]
    assert [note.models for note in found] == [("GPT-4", "gpt-4 ")]
    assert "'GPT-4' and 'gpt-4 ' look alike" in found[0].message


def test_forms_of_letters_look_alike_in_a_frame() -> None:
    frame = pd.DataFrame({"model": ["Qwen", "\uff31wen"], "item": [1, 1], "score": [1, 0]})
    notes = rb.Scores.from_frame(frame).notes
    assert [note.models for note in notes if note.code == "look-alike"] == [("Qwen", "\uff31wen")]


def test_other_names_are_not_remarked(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("model,item,score\na,1,1\nb,1,0\n")
    assert "look-alike" not in {note.code for note in rb.read(path).notes}

"""The Hugging Face Hub: a genuine model card, and made-up ``.eval_results`` for each trap."""

from __future__ import annotations

from pathlib import Path

import pytest
from logfiles import FIXTURES

import rankbars as rb
from rankbars.readers import explain

CARD = FIXTURES / "hf_hub" / "all-MiniLM-L6-v2" / "README.md"


def values(scores: rb.Scores, task: str) -> dict[str, float]:
    evidence = scores.tasks[task]
    assert isinstance(evidence, rb.Estimates)
    assert evidence.se is None
    assert evidence.n is None
    return dict(zip(evidence.models, evidence.mean.tolist(), strict=True))


def message(scores: rb.Scores, code: str) -> str:
    return " ".join(note.message for note in scores.notes if note.code == code)


def entry(value: object, *, id: str = "cais/hle", task: str = "hle", **more: object) -> str:
    lines = [f"- dataset:\n    id: {id}\n    task_id: {task}\n  value: {value}\n"]
    lines += [f"  {key}: {text}\n" for key, text in more.items()]
    return "".join(lines)


def write(root: Path, repository: str, *entries: str, name: str = "hle.yaml") -> Path:
    folder = root / repository / ".eval_results"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text("".join(entries), encoding="utf-8")
    return path


def card(root: Path, text: str, repository: str = "m") -> Path:
    (root / repository).mkdir(exist_ok=True)
    path = root / repository / "README.md"
    path.write_text(f"---\n{text}---\n# A model\nvalue: 3\n", encoding="utf-8")
    return path


# Model cards


def test_a_genuine_card_has_many_metrics_and_marks_none() -> None:
    assert explain(CARD)[0].format == "hf-hub"
    with pytest.raises(rb.DataError, match="--metric map_at_1"):
        rb.read(CARD)
    scores = rb.read(CARD, metric="map_at_1")
    assert scores.models == ("all-MiniLM-L6-v2",)
    assert values(scores, "test_dataset") == {"all-MiniLM-L6-v2": 0.0}
    assert values(scores, "MTEB BSARDRetrieval (default)") == {"all-MiniLM-L6-v2": 0.0}
    both = rb.read(CARD, metric=["map_at_1", "accuracy"])
    assert len(both.tasks) == 3


def test_the_main_score_of_a_card_counts(tmp_path: Path) -> None:
    text = """model-index:
- name: m
  results:
  - task: {type: Retrieval}
    dataset: {name: A, type: a, revision: r}
    metrics: [{type: main_score, value: 71.5}, {type: map_at_1, value: 3}]
"""
    scores = rb.read(card(tmp_path, text))
    assert values(scores, "A") == {"m": 71.5}
    assert scores.info["A"].category == "Retrieval"


def test_other_configurations_are_other_tasks(tmp_path: Path) -> None:
    text = "model-index:\n- name: m\n  results:\n" + "".join(
        f"  - dataset: {{name: A, config: {config}}}\n"
        f"    metrics: [{{type: accuracy, value: {value}}}]\n"
        for config, value in (("en", 1.5), ("de", "'2.5'"))
    )
    scores = rb.read(card(tmp_path, text))
    assert list(scores.tasks) == ["A (config=de)", "A (config=en)"]


def test_the_body_of_a_card_is_not_read(tmp_path: Path) -> None:
    text = "model-index:\n- name: m\n  results:\n  - dataset: {name: A}\n"
    text += "    metrics: [{type: accuracy, value: 0.5}]\n"
    path = card(tmp_path, text)
    path.write_bytes(path.read_bytes() + b"SECRET {{{ : [")
    assert values(rb.read(path), "A") == {"m": 0.5}


def test_a_card_without_results_is_not_recognised(tmp_path: Path) -> None:
    assert explain(card(tmp_path, "license: mit\n"))[0].format is None


# Files of .eval_results


def test_results_of_repositories_are_found_in_their_hidden_folder(tmp_path: Path) -> None:
    write(tmp_path, "org__a", entry(31.5))
    write(tmp_path, "org__b", entry("20"), entry(55, id="open/gpqa", task="diamond"))
    scores = rb.read(tmp_path)
    assert values(scores, "cais/hle") == {"org/a": 31.5, "org/b": 20.0}
    assert values(scores, "open/gpqa") == {"org/b": 55.0}
    assert "usual for 'score'" in message(scores, "direction")
    assert "'org/a'" in message(scores, "name-from-file")


def test_models_of_two_owners_stay_two_models(tmp_path: Path) -> None:
    write(tmp_path / "one", "m", entry(31.5))
    write(tmp_path / "two", "m", entry(20))
    write(tmp_path / "two", "other", entry(10))
    found = values(rb.read(tmp_path), "cais/hle")
    assert found == {"one/m": 31.5, "two/m": 20.0, "other": 10.0}


def test_entries_may_be_written_in_one_line(tmp_path: Path) -> None:
    write(tmp_path, "a", "- {dataset: {id: d, task_id: t}, value: 3.5, verify_token: x}\n")
    assert values(rb.read(tmp_path), "d") == {"a": 3.5}


def test_the_cache_of_the_hub_names_the_repository(tmp_path: Path) -> None:
    write(tmp_path / "models--org--m" / "snapshots", "abc", entry(1.5))
    assert rb.read(tmp_path).models == ("org/m",)


def test_a_loose_file_is_called_after_itself(tmp_path: Path) -> None:
    path = tmp_path / "my-model.yaml"
    path.write_text(entry(3.5))
    assert rb.read(path).models == ("my-model",)


def test_tasks_of_one_data_set_are_told_apart(tmp_path: Path) -> None:
    write(tmp_path, "a", entry(3.5, task="easy"), entry(1.5, task="hard"))
    assert list(rb.read(tmp_path).tasks) == ["cais/hle (task=easy)", "cais/hle (task=hard)"]


def test_notes_tell_systems_apart(tmp_path: Path) -> None:
    write(tmp_path, "a", entry(3.5, notes="with tools"), entry(1.5, notes="without"))
    assert rb.read(tmp_path).models == ("a (notes=with tools)", "a (notes=without)")


def test_the_newest_value_counts(tmp_path: Path) -> None:
    write(tmp_path, "a", entry(3.5, date="2025-01-02"), entry(4.5, date="'2025-03-01T00:00:00Z'"))
    assert values(rb.read(tmp_path), "cais/hle") == {"a": 4.5}


def test_shares_and_percentages_are_not_mixed(tmp_path: Path) -> None:
    write(tmp_path, "a", entry(0.31))
    write(tmp_path, "b", entry(29.5))
    with pytest.raises(rb.DataError, match="a share and a percentage"):
        rb.read(tmp_path)
    assert values(rb.read(tmp_path, maximum=100), "cais/hle") == {"a": 0.31, "b": 29.5}


def test_other_revisions_of_the_data_are_refused(tmp_path: Path) -> None:
    for name in ("a", "b"):
        text = f"- dataset: {{id: d, task_id: t, revision: {name}}}\n  value: 3.5\n"
        write(tmp_path, name, text)
    with pytest.raises(rb.DataError, match="Revision of the data set"):
        rb.read(tmp_path)


def test_an_empty_value_is_no_score(tmp_path: Path) -> None:
    write(tmp_path, "a", entry("null"), entry(3, id="x"))
    assert list(rb.read(tmp_path).tasks) == ["x"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (entry("high"), r"entry 1 \(cais/hle\): the value is 'high'"),
        ("- dataset: {}\n  value: 3\n", "entry 1 names no data set"),
        (entry(3) + "  bad: [\n", "the YAML cannot be read"),
        ("- dataset: !!python/object/apply:os.getcwd []\n  value: 3\n", "the YAML cannot be read"),
        ("- dataset: {id: a}\n  value: 3\n  date: 2025-13-45\n", "the YAML cannot be read"),
        ("- dataset: {id: a}\n  value: 3\n  x: " + "[" * 5000, "the YAML"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, text: str, problem: str) -> None:
    path = write(tmp_path, "a", text)
    with pytest.raises(rb.ReadError, match=problem) as caught:
        rb.read(path)
    assert "hle.yaml" in str(caught.value)


def test_a_cut_card_says_so(tmp_path: Path) -> None:
    path = card(tmp_path, "model-index:\n- name: m\n")
    path.write_text(path.read_text().partition("---\n#")[0])
    with pytest.raises(rb.ReadError, match="does not end"):
        rb.read(path)


def test_aliases_do_not_explode(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x]"] + [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]"
                               for k in range(1, 12)]  # fmt: skip
    text = "- dataset: {id: d}\n  value: 3\n" + "".join(f"  {line}\n" for line in lines)
    assert values(rb.read(write(tmp_path, "a", text)), "d") == {"a": 3.0}

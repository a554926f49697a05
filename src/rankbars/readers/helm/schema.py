"""Which metric and split HELM shows for a group of runs, and which side of a metric is better."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.files import InputFile
from rankbars.readers.logs.jsontext import as_mapping, as_text, load_json
from rankbars.readers.logs.records import Direction

__all__ = ["Main", "Schema", "find_main", "read_schema"]


class Main(NamedTuple):
    """Main metric and split of a group of runs."""

    metric: str
    split: str


class Schema(NamedTuple):
    """A schema file of a release or a suite.

    Parameters
    ----------
    label : str
        The file, for messages.
    mains : mapping from str to Main
        By group.
    directions : mapping from str to {"higher", "lower"}
        By metric; without those that the schema calls neither.
    names : mapping from str to str
        Metric by the name that tables show.
    """

    label: str
    mains: Mapping[str, Main]
    directions: Mapping[str, Direction]
    names: Mapping[str, str]


# Groups of the classic, lite, capabilities, MMLU and safety boards, as their schema files say.
_USUAL = {
    ("exact_match", "test"): "mmlu openbookqa blimp commonsense",
    ("exact_match", "valid"): "hellaswag truthful_qa",
    ("quasi_exact_match", "test"): """raft civil_comments wikifact babi_qa synthetic_reasoning
        legalbench legal_support lsat_qa med_qa""",
    ("quasi_exact_match", "valid"): "boolq imdb",
    ("f1_score", "test"): "narrative_qa",
    ("f1_score", "valid"): "natural_qa_closedbook natural_qa_openbook_longans quac",
    ("RR@10", "valid"): "msmarco_regular",
    ("NDCG@10", "valid"): "msmarco_trec",
    ("rouge_2", "test"): "summarization_cnndm summarization_xsum",
    ("bits_per_byte", "test"): "ice the_pile twitter_aae twitter_aae_aa twitter_aae_white",
    ("exact_match_indicator", "test"): "dyck_language",
    ("absolute_value_difference", "test"): "numeracy",
    ("f1_set_match", "test"): "synthetic_reasoning_natural",
    ("math_equiv", "test"): "math_regular",
    ("math_equiv_chain_of_thought", "test"): "math_chain_of_thought",
    ("test_avg", "test"): "code_apps",
    ("pass", "test"): "code_humaneval",
    ("bleu_4", "test"): "wmt_14",
    ("chain_of_thought_correctness", "test"): "mmlu_pro gpqa",
    ("ifeval_strict_accuracy", "test"): "ifeval",
    ("wildbench_score_rescaled", "test"): "wildbench",
    ("omni_math_accuracy", "test"): "omni_math",
    ("harm_bench_score", "test"): "harm_bench",
    ("sst_score", "test"): "simple_safety_tests",
    ("bbq_accuracy", "test"): "bbq",
    ("art_score", "test"): "anthropic_red_team",
}

USUAL: Mapping[str, Main] = {
    group: Main(*main) for main, groups in _USUAL.items() for group in groups.split()
}


def read_schema(file: InputFile) -> Schema:
    """What a schema file says.

    Raises
    ------
    ReadError
        If the file is damaged, or its lists are none.
    """
    content = load_json(file)
    mains: dict[str, Main] = {}
    directions: dict[str, Direction] = {}
    names: dict[str, str] = {}
    for group in _entries(file, content, "run_groups"):
        environment = as_mapping(group.get("environment"))
        name, metric = as_text(group.get("name")), as_text(environment.get("main_name"))
        split = as_text(environment.get("main_split"))
        if name and metric and split and metric != "none":
            mains[name] = Main(metric, split)
    for entry in _entries(file, content, "metrics"):
        name = as_text(entry.get("name"))
        if name is None:
            continue
        side = entry.get("lower_is_better")
        if isinstance(side, bool):
            directions[name] = _side(lower=side)
        for shown in (entry.get("display_name"), entry.get("short_display_name")):
            if isinstance(shown, str):
                names.setdefault(shown, name)
    return Schema(file.label, mains, directions, names)


def find_main(groups: Sequence[str], schemas: Sequence[Schema]) -> tuple[Main | None, str | None]:
    """Main metric and split of a run by its groups, and the file that says so.

    Without a file, the table of usual ones is asked; it has no name.
    """
    for schema in schemas:
        for group in groups:
            if group in schema.mains:
                return schema.mains[group], schema.label
    return next((USUAL[group] for group in groups if group in USUAL), None), None


def _side(*, lower: bool) -> Direction:
    return "lower" if lower else "higher"


def _entries(file: InputFile, content: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = content.get(key)
    if not isinstance(found, list):
        raise ReadError.at(file.label, f"the schema has no list {key!r}.")
    return [as_mapping(entry) for entry in found]

"""Boards, messages and calls say what their goldens say; how to change one is in the README."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from golden.case import ANALYSIS, KEEP, VOTES, Case
from golden.cases import CASES
from golden.comparing import EXACT, FITTED, Comparison, read_rewordings
from golden.running import run_case
from golden.storing import kept_names, path_of, recall

HERE = Path(__file__).parent
REWORDINGS = read_rewordings(HERE / "rewordings.json")
MOST_SHOWN = 12
MOST_WITH_DEFAULTS = 30
# Every so many of the longer cases also run where there is little time.
SAMPLE = 9
QUICK = ("messages/", "calls/")
# Options that notes advise, and sentences that advise them rather than to leave them out.
CHOSEN = ("--test", "--correction", "--scope", "--missing", "--aggregate", "--rows", "--runs")
CHOSEN_AS = re.compile(f"(?:{'|'.join(CHOSEN)}) [a-z_]+")
ADVICE = re.compile(r"(?:(?<=[.:;] )|^)(?![^.:;]*(?i:leave|left) out)[^.;]*--[^.;]*")


def is_quick(number: int, case: Case) -> bool:
    return case.name.startswith(QUICK) or number % SAMPLE == 0


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, id=case.name, marks=() if is_quick(number, case) else pytest.mark.slow)
        for number, case in enumerate(CASES)
    ],
)
def test_a_case_says_what_it_said(case: Case, tmp_path: Path) -> None:
    golden = recall(case)
    assert (golden["mark"], golden["inputs"]) == (case.mark, list(case.inputs)), "make it anew"
    comparison = Comparison(FITTED if case.fitted else EXACT, REWORDINGS)
    expected = {key: golden[key] for key in ("answers", "files")}
    answered = run_case(case, tmp_path / "case")
    found = list(comparison.differences(expected, answered))
    shown = "\n".join(found[:MOST_SHOWN])
    assert not found, f"{case.name} ({case.mark}): {len(found)} differences\n{shown}"
    assert not list(advised_again(answered)), "an advice names what is chosen already"


def advised_again(answered: dict[str, Any]) -> Iterator[str]:
    """What texts advise to choose though the line that was run chooses it."""
    for one in answered["answers"]:
        words = shlex.split(one["line"])
        chosen = {" ".join(pair) for pair in pairwise(words) if pair[0] in CHOSEN}
        for text in texts_in([one.get("out"), one.get("err"), answered["files"]]):
            for advice in ADVICE.findall(" ".join(text.split())):
                yield from (option for option in CHOSEN_AS.findall(advice) if option in chosen)


def texts_in(value: Any) -> Iterator[str]:
    """Texts at any depth; lines that stand under each other are one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts_in(part)
    elif isinstance(value, list):
        lines = [part for part in value if isinstance(part, str)]
        yield "\n".join(lines)
        for part in value:
            if isinstance(part, dict | list):
                yield from texts_in(part)


def test_what_is_chosen_already_is_found_in_an_advice() -> None:
    line = "rankbars rank a.csv --test welch --missing pairwise"
    said = ["Compare their", "means: --test welch (in Python: test='welch')."]
    answer = {"line": line, "out": "", "err": said}
    assert list(advised_again({"answers": [answer], "files": {}})) == ["--test welch"]
    refused = answer | {"err": ["Leave out --test welch."]}
    assert not list(advised_again({"answers": [refused], "files": {}}))


def test_every_case_has_a_golden_and_every_golden_a_case() -> None:
    assert kept_names() == {case.name for case in CASES}
    assert all(path_of(case).stat().st_size for case in CASES)


def test_names_of_cases_are_their_own() -> None:
    assert len({case.name for case in CASES}) == len(CASES)


def test_marks_are_keep_or_items_of_the_plan() -> None:
    item = r"(I|J)\.\d+"
    for case in CASES:
        assert case.mark == KEEP or re.fullmatch(f"{item}((, | to ){item})*", case.mark), case.name


def test_few_boards_leave_options_to_the_program() -> None:
    """A changed default changes these cases, and no others."""
    plain = [case for case in CASES if case.name.startswith("defaults/")]
    assert len(plain) <= MOST_WITH_DEFAULTS
    for case in CASES:
        if "board.json" not in case.kept or case in plain or case.name.startswith("looks/"):
            continue
        line = next(one for one in reversed(case.commands) if one.startswith("rankbars rank"))
        named = set(line.split())
        assert not set(ANALYSIS) - named - {"--test", "--correction"}, case.name
        assert case.name.startswith(("logs/", "stores/")) or not set(VOTES) & named or (
            set(VOTES) <= named
        ), case.name  # fmt: skip

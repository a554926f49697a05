"""Files as people have them give what they must; those that do not yet are listed by name.

What their messages suggest is typed as well, in the same folder: a part of it, for most of it
stands in many messages, and all by `make soak`.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from commandline import inside
from everyday.case import Case
from everyday.running import CASES, lay_out, problems, run_line
from everyday.suggestions import EVERYWHERE, suggested

NOT_YET = Path(__file__).parent / "not_yet.txt"
MOST_OF_A_CAUSE = 3
PART_TYPED = 3
FEWEST = 120


def listed() -> list[str]:
    return NOT_YET.read_text("utf-8").splitlines() if NOT_YET.exists() else []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_file_as_people_have_it_gives_what_it_must(case: Case, tmp_path: Path) -> None:
    wrong = problems(case, tmp_path, PART_TYPED)
    if case.name in listed():
        assert wrong, f"{case.name} holds now: take it from {NOT_YET.name}"
    else:
        assert not wrong, f"rankbars {case.line}\n" + "\n".join(wrong)


@pytest.mark.soak
def test_everything_that_messages_suggest_can_be_typed(tmp_path: Path) -> None:
    wrong = {case.name: problems(case, tmp_path / case.name) for case in CASES}
    assert {name for name, found in wrong.items() if found} == {*listed()}, wrong


def test_the_table_has_many_causes_and_few_variants_of_each() -> None:
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)) >= FEWEST
    causes = Counter(name.partition("/")[0] for name in names)
    assert max(causes.values()) <= MOST_OF_A_CAUSE, causes.most_common(5)
    assert set(listed()) <= set(names)


def test_suggestions_are_found_in_messages() -> None:
    """A collection that finds nothing would refuse nothing."""
    printed = """\
Error: 1 of 4 scores are missing. Choose (the line to paste, what it keeps):
  --missing pairwise    all models
  --missing listwise    nothing
  --missing fail        all models; missing = lowest score (declare it: --score-min 0)
r: to leave it out: --models full1 --models full2. Or: --column epoch=NAME, --rows folds (with
--folds K if there are K). If the comma is the decimal mark: --decimal , (in Python: decimal=',').
Print it: rankbars show board.json; what changed between two: rankbars diff OLD NEW.
"""
    assert suggested(printed) == [
        "--missing pairwise",
        "--missing fail --score-min 0",
        "--models full1 --models full2",
        "--rows folds",
        "--decimal ,",
        "rankbars show board.json",
    ]


def test_low_scores_can_be_called_the_better_ones_wherever_a_note_says_so(tmp_path: Path) -> None:
    names = ("plain/csv", "words/pass and fail", "two jsonl/with texts", "json/models and answers")
    for case in (case for case in CASES if case.name in names):
        folder = tmp_path / case.name
        lay_out(case, folder)
        with inside(folder):
            found = run_line(f"{case.line} {EVERYWHERE}")
        assert found.code == 0, found.err

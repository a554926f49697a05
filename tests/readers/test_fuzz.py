"""Whatever is in a file: scores, or an error of ours that names it; soon, and in little memory."""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path

import pytest
from limits import MOST_SECONDS, peak_megabytes, time_limit
from mutations import Case, all_cases, mutate

import rankbars as rb
from rankbars.readers import explain

# Every genuine file is damaged four times, or so; the soak goes on from there.
SHORT, CHUNK = 560, 140
LONG, LONG_CHUNK = 50_000, 1_000

MOST_MEGABYTES = 300


def answer(folder: Path, path: Path, number: int) -> str:
    """What a damaged file is answered with, in one word; raises what must not be raised."""
    given = path if number % 2 else folder
    failure: rb.RankbarsError | None = None
    try:
        assert explain(path)
        assert rb.read(
            given,
            direction="higher" if number % 3 else None,
            compare_anyway=number % 5 == 0,
            reruns="all" if number % 7 == 0 else "newest",
        ).models
    except (rb.DataError, rb.OptionError) as error:
        failure = error
    if failure is None:
        return "scores"
    message = str(failure)
    names = {one.name for one in folder.rglob("*")}
    assert len(message) < 20_000
    assert any(name in message for name in (*names, folder.name)), message[:500]
    return type(failure).__name__


def check(case: Case, number: int) -> str:
    """One input, within its bounds."""
    content = mutate(case, random.Random(f"{case.name} {number}"))
    with tempfile.TemporaryDirectory(prefix="rankbars-") as name:
        folder = Path(name)
        path = case.write(folder, content)
        held = peak_megabytes(reset=True)
        start = time.process_time()
        with time_limit():
            found = answer(folder, path, number)
        seconds = time.process_time() - start
        grown = peak_megabytes() - held
    assert seconds < MOST_SECONDS, f"{seconds:.1f} s"
    assert grown < MOST_MEGABYTES, f"{grown:.0f} MB"
    return found


def run(start: int, count: int) -> None:
    """Inputs with these numbers; all failures are told."""
    cases = all_cases()
    failures = []
    found = set()
    for number in range(start, start + count):
        case = cases[number % len(cases)]
        try:
            found.add(check(case, number))
        except Exception as error:  # noqa: BLE001  (all of them are what is looked for)
            failures.append(f"{number} ({case.name}): {type(error).__name__}: {error}"[:1000])
    assert not failures, "\n".join(failures[:20])
    assert len(found) > 1


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, SHORT, CHUNK))
def test_damaged_files_of_every_format_give_scores_or_a_clear_error(start: int) -> None:
    run(start, CHUNK)


@pytest.mark.soak
@pytest.mark.parametrize("start", range(SHORT, SHORT + LONG, LONG_CHUNK))
def test_many_more_damaged_files_give_scores_or_a_clear_error(start: int) -> None:
    run(start, LONG_CHUNK)

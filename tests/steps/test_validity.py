"""The table of tests and corrections: every cell does what it says."""

from __future__ import annotations

import importlib.util
import shlex
from itertools import product
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from calibration import Calibration
from scipy import stats

import rankbars as rb
from rankbars.data.spec import correction_facts
from rankbars.data.votes import Ballots
from rankbars.steps import pairtests
from rankbars.steps.corrections import CORRECTIONS
from rankbars.steps.pairtests import TESTS
from rankbars.steps.validity import DESIGNS, VALIDITY, Cell, find_cell

NAMES = tuple("abcd")
ROWS = 24
TESTED = [key for key in VALIDITY if key[0] != "contrasts"]
AVERAGED = [key for key in VALIDITY if key[0] == "contrasts"]
PROMISING = [name for name in CORRECTIONS if correction_facts(name).promises]
SCOPES = ("each", "all")
CROSSED = {"crossed": 8, "some runs": 4, "three runs": 3, "two runs": 2}
PAIRING = {"adaptive votes": "adaptive", "logged votes": "adaptive"}


def tied(test: str, design: str, rng: np.random.Generator) -> rb.Scores:
    """A task on which four models are equal; ranks on it are 1 to 4 for all of them."""
    values = rng.normal(size=(ROWS, 4))
    if test.startswith("mcnemar"):
        values = (values > 0.3).astype(float)
    evidence: Any = rb.Items(NAMES, values)
    if design == "gaps":
        evidence = rb.Items(NAMES, np.where(rng.random(values.shape) < 0.1, np.nan, values))
    elif design == "clusters":
        clusters = np.arange(5 * ROWS) // 3  # enough of them to tell that they are not skewed
        shared = rng.normal(size=(clusters.max() + 1, 4))[clusters]
        values = rng.normal(size=(clusters.size, 4))
        evidence = rb.Items(NAMES, values + shared, clusters=clusters)
    elif design == "judged":
        every = np.concatenate([values, rng.normal(size=(2 * ROWS, 4))])
        judge = every + rng.normal(size=every.shape)
        evidence = rb.Items(NAMES, values, judge=judge[:, None])
    elif design == "folds":
        evidence = rb.Items(NAMES, values, design=rb.Folds(3, 8))
    elif design in CROSSED:
        count = CROSSED[design]
        runs = values[:, None] + rng.normal(size=(1, count, 4)) + rng.normal(size=(ROWS, count, 4))
        evidence = rb.Items(NAMES, runs.mean(axis=1), runs=runs)
    elif design == "estimates":
        evidence = rb.Estimates(NAMES, values[0] / 5, se=np.full(4, 0.2))
    elif design == "joint estimates":
        evidence = rb.Estimates(NAMES, values[0] / 5, cov=np.eye(4) / 25)
    elif design.endswith("votes"):
        wins = np.zeros((4, 4))
        first, second = np.triu_indices(4, 1)
        wins[first, second] = rng.binomial(30, 0.5, first.size)
        wins[second, first] = 30 - wins[first, second]
        evidence = rb.Votes(NAMES, wins)
        if design == "logged votes":
            one, other = np.nonzero(wins)
            votes = wins[one, other].astype(int)
            weight = 1.25 * votes
            ballots = Ballots(
                one, other, 0 * one, votes=votes, weight=weight, squared=1.25 * weight
            )
            evidence = rb.Votes.from_ballots(NAMES, ballots)
    return rb.Scores({"x": evidence})


def averaged(design: str, rng: np.random.Generator) -> tuple[rb.Scores, dict[str, str]]:
    """Tasks on whose average four models are equal, and the options that average them so."""
    count = {"average": 4, "tasks": 20, "ranks": 31, "few ranks": 8}[design]
    arrays = {f"t{k:02}": rng.normal(size=(ROWS, 4)) for k in range(count)}
    if design != "average":
        arrays = {name: values[:1] for name, values in arrays.items()}
    tasks = {
        name: rb.Items(NAMES, rows) if design == "average" else rb.Estimates(NAMES, rows[0])
        for name, rows in arrays.items()
    }
    over = "items" if design == "average" else "tasks"
    method = "average_rank" if design.endswith("ranks") else "mean"
    return rb.Scores(tasks), {"over": over, "method": method}


def cells(keys: list[tuple[str, Any]]) -> list[Any]:
    every = product(keys, PROMISING, SCOPES)
    return [
        pytest.param(test, design, name, scope, id=f"{test} {design} {name} {scope}")
        for (test, design), name, scope in every
    ]


def options_of(line: str) -> dict[str, str]:
    """Options as they are typed, as Python takes them."""
    words = shlex.split(line)
    return {
        word.removeprefix("--").replace("-", "_"): value
        for word, value in zip(words[::2], words[1::2], strict=True)
    }


@pytest.mark.parametrize(("test", "design", "name", "scope"), cells(TESTED))
def test_every_cell_of_a_test_is_computed_or_refused_as_it_says(
    test: str, design: Any, name: str, scope: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    cell = find_cell(test, name, scope, design)
    scores = tied(test, design, np.random.default_rng(0))
    options: dict[str, Any] = {"test": test, "correction": name, "scope": scope, "resamples": 99}
    options["missing"] = "pairwise"
    options["votes"] = how = rb.VoteOptions(pairing=PAIRING.get(design, "unknown"))
    if cell.verdict != "refused":
        made = rb.leaderboard(scores, **options).tasks["x"]
        assert made.approximate == (cell.verdict == "approximate")
        assert (made.guarantee is None) == made.approximate
        return
    compared = rb.compare(scores, test=test, votes=how)
    with pytest.raises(rb.OptionError, match="has no law for test"):
        rb.rank(compared, correction=name, scope=scope)
    rb.leaderboard(scores, **options | options_of(cell.instead))  # what it names works
    monkeypatch.setitem(pairtests.TESTS, test, None)  # nothing is computed
    with pytest.raises(rb.OptionError, match=rf"Use {cell.instead}\."):
        rb.leaderboard(scores, **options)


@pytest.mark.parametrize(("test", "design", "name", "scope"), cells(AVERAGED))
def test_every_cell_of_an_average_is_computed_or_refused_as_it_says(
    test: str, design: Any, name: str, scope: Any
) -> None:
    cell = find_cell(test, name, scope, design)
    scores, how = averaged(design, np.random.default_rng(0))
    options: dict[str, Any] = {"correction": name, "scope": scope, "resamples": 99, **how}
    if cell.verdict != "refused":
        made = rb.aggregate(scores, **options)
        assert made.approximate == (cell.verdict == "approximate")
        return
    with pytest.raises(rb.OptionError, match=r"has no law"):
        rb.aggregate(scores, **options)
    rb.aggregate(scores, **options | options_of(cell.instead))


def test_the_table_has_a_cell_for_every_correction_and_every_test() -> None:
    for row in VALIDITY.values():
        assert set(row) == set(PROMISING)
    assert {test for test, _ in TESTED} == set(TESTS)
    assert {design for _, design in VALIDITY} == set(DESIGNS)


def test_what_has_no_cell_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A correction or a test that somebody adds says nothing before the table speaks of it."""
    scores = tied("t", "items", np.random.default_rng(0))
    monkeypatch.setitem(CORRECTIONS, "mine", CORRECTIONS["holm"])
    monkeypatch.setitem(TESTS, "mine", TESTS["t"])
    for options in ({"correction": "mine"}, {"test": "mine"}, {"test": "mine", "scope": "each"}):
        with pytest.raises(rb.OptionError, match="no cell for it"):
            rb.leaderboard(scores, **options)
    with pytest.raises(rb.OptionError, match="no cell for it"):
        rb.rank(rb.compare(scores), correction="mine")
    tasks, how = averaged("tasks", np.random.default_rng(0))
    with pytest.raises(rb.OptionError, match="no cell for it"):
        rb.aggregate(tasks, correction="mine", **how)
    for test, design in VALIDITY:
        assert find_cell(test, "mine", "all", design).verdict == "refused"


def test_what_is_refused_or_approximate_says_why() -> None:
    for row in VALIDITY.values():
        for cell in row.values():
            assert cell.why or cell == Cell("valid")
            assert bool(cell.instead) == (cell.verdict == "refused")


def test_a_test_on_rows_that_it_is_not_for_is_refused_by_the_test() -> None:
    drawn = np.random.default_rng(0)
    for test, design in product(TESTS, {design for _, design in TESTED}):
        whole = design in CROSSED or design == "judged"  # rows that other tests take as they are
        if (test, design) in VALIDITY or (whole and "items" in _designs(test)):
            continue
        with pytest.raises(rb.OptionError, match="--test"):
            rb.compare(tied(test, design, drawn), test=test)


def _designs(test: str) -> set[str]:
    return {design for name, design in VALIDITY if name == test}


# Of four tied models, tests that nobody corrects tell some apart in a fifth of all draws: of 80
# draws, more than 9 then, with a probability of .97, which is more than is accepted.
FEW, ALL = 40, 200


def valid_cells(test: str, design: Any) -> list[tuple[str, Any]]:
    """Corrections and scopes that the table calls valid."""
    return [
        (name, scope)
        for name, scope in product(PROMISING, SCOPES)
        if find_cell(test, name, scope, design).verdict == "valid"
    ]


COUNTED = [key for key in TESTED if valid_cells(*key)]


@pytest.mark.slow
@pytest.mark.parametrize(("test", "design"), COUNTED, ids=map(" ".join, COUNTED))
def test_statements_about_tied_models_hold_where_the_table_says_valid(
    test: str, design: Any, calibration: Calibration
) -> None:
    draws = calibration.runs(FEW, ALL)
    valid = valid_cells(test, design)
    held = dict.fromkeys(valid, 0.0)
    for draw in range(draws):
        compared = rb.compare(tied(test, design, np.random.default_rng(draw)), test=test)["x"]
        for name, scope in valid:
            made = rb.rank(compared, correction=name, scope=scope, seed=draw, resamples=199)
            whole = (made.best == 1) & (made.worst == 4)
            held[name, scope] += float(whole.all() if scope == "all" else whole.mean())
    calibration.at_least(min(held.values()), draws, 0.95, of="the least of all corrections")


@pytest.mark.slow
@pytest.mark.parametrize(("test", "design"), AVERAGED, ids=map(" ".join, AVERAGED))
def test_averages_of_tied_models_hold_where_the_table_says_valid(
    test: str, design: Any, calibration: Calibration
) -> None:
    draws = calibration.runs(FEW, ALL)
    valid = [n for n in PROMISING if find_cell(test, n, "all", design).verdict == "valid"]
    held = dict.fromkeys(valid, 0.0)
    for draw in range(draws):
        scores, how = averaged(design, np.random.default_rng(draw))
        for name in valid:
            options: dict[str, Any] = {"correction": name, "resamples": 99, "seed": draw, **how}
            made = rb.aggregate(scores, scope="all", **options)
            held[name] += float(not made.shown_better.any())
    calibration.at_least(min(held.values()), draws, 0.95, of="the least of all corrections")


@pytest.mark.slow
@pytest.mark.parametrize(("runs", "items"), [(2, 200), (4, 60), (8, 200)])
def test_few_shared_runs_hold_as_often_as_the_table_says(runs: int, items: int) -> None:
    rng, draws, held = np.random.default_rng(runs), 150, 0
    names = tuple("abcdefghij")
    for _ in range(draws):
        cube = rng.normal(size=(items, 1, 10)) * 0.14 + rng.normal(size=(items, runs, 10)) * 0.42
        cube += 0.08 * rng.normal(size=(1, runs, 10))
        scores = rb.Scores({"x": rb.Items(names, cube.mean(axis=1), runs=cube)})
        made = rb.rank(rb.compare(scores, runs="shared"), scope="all")["x"]
        held += bool(((made.best == 1) & (made.worst == 10)).all())
    design = next(name for name, count in CROSSED.items() if count == runs)
    stated = VALIDITY["two_way", design]["holm"].measured_among(10) or 0.95
    error = np.sqrt(stated * (1 - stated) / draws)
    assert held / draws >= stated - 3 * error - 0.01
    if design != "crossed":
        assert held / draws <= stated + 3 * error + 0.04


def test_two_tests_under_one_correction_do_not_give_the_same_where_they_differ() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(14, 6)) + np.linspace(0, 1.8, 6) + 3 * rng.normal(size=(14, 1))
    values[0, 5] = -30.0  # one row undoes a lead of the mean, and of nothing else
    scores = rb.Scores.from_arrays({"x": values}, list("abcdef"))
    tests = ("t", "wilcoxon", "trimmed_t", "welch")
    for correction in ("holm", "bonferroni", "simes"):
        compared = {test: rb.compare(scores, test=test) for test in tests}
        made = {test: rb.rank(one, correction=correction)["x"] for test, one in compared.items()}
        for one, other in (("t", "wilcoxon"), ("t", "trimmed_t"), ("t", "welch")):
            assert (made[one].worst - made[one].best).tolist() != (
                made[other].worst - made[other].best
            ).tolist(), (correction, other)


def test_the_document_prints_the_table() -> None:
    """If not, run: python scripts/make_validity.py."""
    script = _script()
    text = script.DOCUMENT.read_text(encoding="utf-8")
    assert script.with_table(text) == text


def _script() -> ModuleType:
    place = Path(__file__).resolve().parents[2] / "scripts" / "make_validity.py"
    spec = importlib.util.spec_from_file_location("make_validity", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mid_p_errs_as_often_as_its_cell_says() -> None:
    sizes = []
    for count in range(1, 201):
        share = stats.binom.pmf(np.arange(count + 1), count, 0.5)
        below = np.cumsum(share) - share / 2
        p = 2 * np.minimum(below, 1 - below)
        sizes.append(share[p <= 0.05].sum())
    measured = find_cell("mcnemar_midp", "holm", "all", "items").measured_among(2)
    assert measured == round(1 - max(sizes), 2)
    assert int(np.argmax(sizes)) + 1 == 16


def test_a_figure_is_not_said_of_more_models_than_it_was_measured_with() -> None:
    cell = find_cell("two_way", "holm", "all", "some runs")
    found = [cell.measured_among(models) for models in (2, 3, 4, 10, 11, 30, 31)]
    assert found == [0.95, 0.95, 0.95, 0.86, 0.66, 0.66, None]

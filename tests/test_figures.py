"""Every figure in a note has a row here: it is worked out anew, or the test is named that does.

A row says where the words stand, the words, and one of the two. Words that are changed without
their row fail, and so do new ones with a figure of how often something holds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from math import comb
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import rankbars as rb

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src" / "rankbars"


def just_touching() -> float:
    """The level of intervals that touch where two independent models of equal error differ."""
    return 100 * (2 * stats.norm.cdf(1.96 / np.sqrt(2)) - 1)


def luckiest_baseline() -> float:
    """Alarms, in percent, after the luckiest of 300 stored runs, where all noise is of reruns."""
    luck = stats.norm.ppf(0.5 ** (1 / 300))  # the median of the largest of 300
    return float(100 * stats.norm.cdf(luck - np.sqrt(2) * stats.norm.ppf(0.95)))


def unluckiest_baseline() -> float:
    luck = stats.norm.ppf(0.5 ** (1 / 300))
    return float(100 * stats.norm.cdf(-luck - np.sqrt(2) * stats.norm.ppf(0.95)))


def error_of_most_draws() -> float:
    return float(np.sqrt(0.05 * 0.95 / 1_000_000))


def unseen(rows: int) -> float:
    """The largest share of items, in percent, of which so many rows may show none."""
    return float(np.ceil(100 * (1 - 0.05 ** (1 / rows))))


def twenty_gates() -> float:
    return 100 * (1 - 0.95**20)


def elo_of_log_odds() -> float:
    return 0.2 * 400 / np.log(10)


def of_ten(alone: int) -> float:
    """Both sides of ten items, of which so many are solved by the one model and none by the other.

    Every share of items that differ is tried: the chance of outcomes with as large a t.
    """
    shares = np.linspace(0.0005, 1, 2_000)
    reached = np.zeros(shares.size)
    for b in range(11):
        for c in range(11 - b):
            if b > c and (b - c) / np.sqrt(b + c) >= np.sqrt(alone) - 1e-9:
                ways = comb(10, b) * comb(10 - b, c)
                reached += ways * (shares / 2) ** (b + c) * (1 - shares) ** (10 - b - c)
    return float(2 * reached.max())


# Where, which words, what comes out, how far it may be off by rounding.
RECOMPUTED: tuple[tuple[str, str, Callable[[], float], float, float], ...] = (
    ("src/rankbars/render/averagetables.py", "83.4 % where errors", just_touching, 83.4, 0.05),
    ("docs/averages.md", "These hold 83.4 %.", just_touching, 83.4, 0.05),
    ("docs/averages.md", "1.96 / √2 = 1.39 errors", lambda: 1.96 / 2**0.5, 1.39, 0.005),
    ("docs/averages.md", "1.41 (2 / √2)", lambda: 2 / 2**0.5, 1.41, 0.005),
    ("src/rankbars/steps/pooling.py", "alarm in 0 to 70 % of", luckiest_baseline, 70, 5),
    ("src/rankbars/steps/pooling.py", "alarm in 0 to 70 % of", unluckiest_baseline, 0, 0.5),
    ("docs/decide.md", "between 0 and 70 %", luckiest_baseline, 70, 5),
    ("docs/decide.md", "at 5 % are red at least once in 64 %", twenty_gates, 64, 0.5),
    ("src/rankbars/data/spec.py", "an error of 0.0002 on a", error_of_most_draws, 0.0002, 5e-5),
    ("src/rankbars/cli/nextcommand.py", "0.2 is 35 points of Elo", elo_of_log_odds, 35, 0.5),
    ("docs/methods.md", "(p .026 of both sides)", lambda: of_ten(5), 0.026, 5e-4),
    ("docs/methods.md", "four are not (.053)", lambda: of_ten(4), 0.053, 5e-4),
    ("README.md", "up to 23 % of all items could be such", lambda: unseen(12), 23, 0),
    ("docs/methods.md", "up to 23 % of all items could be such", lambda: unseen(12), 23, 0),
)  # fmt: skip

# Where, which words, and the test in which they are drawn anew, or compared with what was drawn.
DRAWN: tuple[tuple[str, str, str], ...] = (
    ("src/rankbars/costs.py", "held in 81 % of draws at worst",
     "stats/test_fronts.py::test_costs_that_differ_in_spread_alone_hold_as_rarely_as_the_page_says"),
    ("src/rankbars/render/claims.py", "statements made this way at 95 % held about",
     "pipeline/test_plasmode.py::test_seconds_of_two_providers_hold_as_often_as_the_board_says"),
    ("src/rankbars/render/sidetables.py", "held in 81 to 87 %",
     "pipeline/test_gaps_calibration.py::test_places_hold_where_gaps_are_random_and_less_where_models_lack_what_they_failed"),
    ("src/rankbars/steps/taskentries.py", "held in 81 to 87 %",
     "pipeline/test_gaps_calibration.py::test_places_hold_where_gaps_are_random_and_less_where_models_lack_what_they_failed"),
    ("src/rankbars/steps/average/taskaverages.py", "cover about 84 % with 5 and 92 % with 12",
     "steps/test_average_calibration.py::test_percentiles_over_few_tasks_are_too_short_as_the_note_says"),
    ("src/rankbars/steps/correctionchoice.py", "held in 92 to 100 % of runs. Rare",
     "pipeline/test_plasmode.py::test_what_prints_a_level_holds_it_on_rows_of_real_results"),
    ("src/rankbars/steps/correctionchoice.py", "held in 92 to 100 % of runs. Clusters",
     "pipeline/test_plasmode.py::test_whole_clusters_that_are_resampled_hold_and_by_name_holm_does_not"),
    ("src/rankbars/steps/pairtests.py", "of them held in about",
     "steps/test_sharedruns.py::test_few_declared_runs_are_approximate_with_what_was_measured"),
    ("src/rankbars/steps/pairtests.py", "30 with 4 runs in about 70 %",
     "steps/test_sharedruns.py::test_with_thirty_models_four_runs_hold_about_as_often_as_the_note_says"),
    ("src/rankbars/steps/votetests.py", "statements held in 70 to 97 %",
     "pipeline/test_pairing.py::test_fits_of_close_pairs_hold_as_rarely_as_the_note_says"),
    ("src/rankbars/steps/votetests.py", "statements held in 92 to 97 %",
     "pipeline/test_pairing.py::test_declared_probabilities_repair_most_of_what_adaptive_pairs_break"),
    ("src/rankbars/steps/votetests.py", "In simulated arenas, 95 %",
     "pipeline/test_pairing.py::test_fits_of_close_pairs_hold_as_rarely_as_the_note_says"),
    ("src/rankbars/steps/votetests.py", "held in 92 to 97 % where a tenth",
     "pipeline/test_pairing.py::test_declared_probabilities_repair_most_of_what_adaptive_pairs_break"),
    ("docs/averages.md", "ranges of 95 % held about 80 %",
     "steps/test_average_calibration.py::test_ranges_of_mean_ranks_over_items_say_that_they_are_no_intervals"),
    ("docs/averages.md", "95 % intervals of `t` held in 97 to 99 %",
     "steps/test_weighted_tasks.py::test_weighted_averages_hold_their_level"),
    ("docs/averages.md", "4 to 6 % of simulated boards held a false claim",
     "steps/test_average_contrasts.py::test_max_t_over_six_tasks_keeps_its_level"),
    ("docs/averages.md", "95 % intervals held the correlation on 128",
     "bayes/test_calibration.py::test_intervals_of_correlated_tasks_hold_as_often_as_they_say"),
    ("docs/costs.md", "rising with the score | 30 | 0.814 |",
     "stats/test_fronts.py::test_costs_that_differ_in_spread_alone_hold_as_rarely_as_the_page_says"),
    ("docs/gaps.md", "in 81 to 87 % where each model lacked",
     "pipeline/test_gaps_calibration.py::test_places_hold_where_gaps_are_random_and_less_where_models_lack_what_they_failed"),
    ("docs/methods.md", "is wrong in .173 of tests",
     "stats/test_clusters.py::test_unequal_repositories_keep_the_level_that_the_usual_error_loses"),
    ("docs/methods.md", "told apart in .052 of simulated boards",
     "stats/test_clusterflips.py::test_repositories_of_unequal_size_keep_the_level"),
    ("docs/methods.md", "told apart in .04 to .06 of simulated averages",
     "steps/test_dependentrows.py::test_averages_over_tasks_with_few_or_unequal_clusters_hold"),
    ("docs/methods.md", "held in .93 to 1.00 of 20 such designs",
     "steps/test_dependentrows.py::test_folds_of_tied_learners_hold_with_holm_and_with_normal_draws_as_often_as_printed"),
    ("docs/methods.md", "erred in 2.7 to 4.8 %",
     "stats/test_twoway.py::test_levels_are_those_of_the_reference"),
    ("docs/methods.md", "30 with 4 runs: about 70 %",
     "steps/test_sharedruns.py::test_with_thirty_models_four_runs_hold_about_as_often_as_the_note_says"),
    ("docs/methods.md", "it errs in at most .058",
     "stats/test_countedlaw.py::test_beyond_two_hundred_rows_students_table_errs_in_at_most_six_percent"),
    ("docs/methods.md", "| counted | .000 | .039 |",
     "stats/test_countedlaw.py::test_counted_tests_of_equal_models_err_in_at_most_five_percent"),
    ("docs/methods.md", "93.9 % are covered",
     "steps/test_scoreintervals.py::test_both_together_cover_what_they_say_less_a_hundredth"),
    ("docs/methods.md", "up to .1 in .055",
     "steps/test_sharpercorrection.py::test_flips_of_rows_that_are_nearly_even_keep_their_level"),
    ("docs/votes.md", "held in 80 % of simulations when close pairs",
     "pipeline/test_pairing.py::test_fits_of_close_pairs_hold_as_rarely_as_the_note_says"),
    ("docs/votes.md", "that ignore it held in .89",
     "steps/test_votetests.py::test_contrasts_cover_with_ties_and_with_voters"),
)  # fmt: skip

# A figure of how often: words that speak of it, and a share in percent.
SPEAKS = re.compile(r"\b(?:held|cover|alarm|erred|missed)\b|\bsimulat", re.IGNORECASE)
SHARE = re.compile(r"\d ?%")
# A share that a plan is asked for or shows, no measurement.
SETTING = "80 % of simulated boards"


def words_of(place: str) -> str:
    """A page, or the strings of a module as they are put together, without breaks of lines."""
    text = (ROOT / place).read_text(encoding="utf-8")
    if place.endswith(".py"):
        text = " ".join(one for _, one in strings(ROOT / place))
    return " ".join(text.split())


def strings(path: Path) -> list[tuple[int, str]]:
    """Line and text of each string of a module that is no docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    aside = {
        id(node.value) for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }  # fmt: skip
    return [
        (node.lineno, node.value) for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in aside
    ]  # fmt: skip


@pytest.mark.parametrize(("place", "words", "work_out", "figure", "within"), RECOMPUTED)
def test_figures_that_follow_from_a_formula_are_worked_out(
    place: str, words: str, work_out: Callable[[], float], figure: float, within: float
) -> None:
    assert words in words_of(place)
    assert str(figure).removeprefix("0.") in words
    assert work_out() == pytest.approx(figure, abs=within)


@pytest.mark.parametrize(("place", "words", "test"), DRAWN)
def test_figures_from_simulations_stand_where_they_did_and_their_test_is_there(
    place: str, words: str, test: str
) -> None:
    assert words in words_of(place)
    file, _, name = test.partition("::")
    assert f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8")


def test_no_note_says_how_often_something_holds_without_a_row_here() -> None:
    known = [words for _, words, *_ in (*RECOMPUTED, *DRAWN)]
    found = [
        f"{path.relative_to(ROOT)}:{line}: {text}"
        for path in sorted(SOURCES.rglob("*.py")) if "simulate" not in path.parts
        for line, text in strings(path)
        if SPEAKS.search(text) and SHARE.search(text)
        and not any(words in " ".join(text.split()) for words in (*known, SETTING))
    ]  # fmt: skip
    assert found == []


def widths(board: rb.Leaderboard) -> tuple[float, float, float]:
    """Mean widths of rank intervals: on tasks, on the average, on a new task."""
    assert board.aggregate is not None
    assert board.overall is not None
    tasks = np.mean([task.worst - task.best for task in board.tasks.values()])
    parts = (board.aggregate, board.overall)
    return float(tasks), *(float(np.mean(one.worst - one.best)) for one in parts)


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        (
            "listwise",
            "29 models, `--missing listwise`, for one model at a time: tasks {} → {}, average "
            "{} → {}; for all at once: tasks {} → {}, average {} → {}; a new task at the same "
            "guarantee {} → {}.",
        ),
        (
            "drop_models",
            "26 models that miss nothing: tasks {} → {}, average {} → {}, for all at once {} → {} "
            "and {} → {}, a new task {} → {}.",
        ),
    ],
)
def test_widths_on_the_page_of_methods_are_those_of_the_demo(missing: str, said: str) -> None:
    scores = rb.read(SOURCES / "demos" / "mmlu_pro.parquet")
    figures: list[float] = []
    new_task: tuple[float, ...] = ()
    for scope in ("each", "all"):
        holm, auto = (
            widths(rb.leaderboard(scores, missing=missing, scope=scope, correction=one))
            for one in ("holm", "auto")
        )
        figures += [holm[0], auto[0], holm[1], auto[1]]
        new_task = holm[2], auto[2]
    assert said.format(*(f"{one:.2f}" for one in (*figures, *new_task))) in words_of(
        "docs/methods.md"
    )

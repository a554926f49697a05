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
import pandas as pd
import pytest
from calibration import PAGE, Row, read_rows
from scipy import stats

import rankbars as rb
from rankbars.demos import DEMOS

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


def until_green(runs: int) -> float:
    """Green at least once, in percent, at the margin, where half of the variance stays the same."""
    node, weight = np.polynomial.hermite_e.hermegauss(201)
    reach = (stats.norm.ppf(0.95) - np.sqrt(0.5) * node) / np.sqrt(0.5)
    never = (weight * stats.norm.cdf(reach) ** runs).sum() / weight.sum()
    return float(100 * (1 - never))


def correlation_by_prior(columns: int, shape: float) -> stats.rv_continuous:
    """One correlation of the LKJ distribution, moved from -1 to 1 onto 0 to 1."""
    return stats.beta(shape - 1 + columns / 2, shape - 1 + columns / 2)


def widest_of_prior() -> float:
    return float(2 * correlation_by_prior(12, 2).ppf(0.975) - 1)


def one_of_prior() -> float:
    return float(1 / correlation_by_prior(12, 2).sf((1 + 0.8) / 2))


def between_neighbours(rows: pd.DataFrame) -> float:
    """Share of right-or-wrong items on which two neighbours among the first ten differ; median."""
    first = rows[rows.mean().sort_values(ascending=False).index[:10]].to_numpy()
    return float(np.median((first[:, 1:] != first[:, :-1]).mean(axis=0)))


def on_swe_bench_pro() -> float:
    table = pd.read_csv(ROOT / "tests" / "data" / "plasmode" / "repositories.csv")
    return between_neighbours(table.drop(columns="repository"))


def on_mmlu_pro() -> float:
    scores = rb.read(SOURCES / "demos" / "mmlu_pro.parquet")
    table = pd.concat([pd.DataFrame(one.values, columns=one.models)
                       for one in scores.tasks.values()])[list(scores.models)]  # fmt: skip
    return between_neighbours(table.loc[:, table.isna().mean() < 0.02].dropna())


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
    ("src/rankbars/steps/sizing.py", "boards: 0.24 to 0.26", on_swe_bench_pro, 0.24, 0.005),
    ("src/rankbars/steps/sizing.py", "boards: 0.24 to 0.26", on_mmlu_pro, 0.26, 0.005),
    ("docs/decide.md", "in 12 % of cases with three runs", lambda: until_green(3), 12, 0.5),
    ("docs/decide.md", "in 25 % with ten", lambda: until_green(10), 25, 0.5),
    ("docs/averages.md", "each correlation lies within ± 0.50", widest_of_prior, 0.50, 0.005),
    ("docs/averages.md", "above 0.8 in one of 10,000", one_of_prior, 10_000, 500),
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
    ("src/rankbars/steps/average/taskaverages.py", "cover about 84 % with 5 and 91 % with 12",
     "stats/resampling/test_taskmeans.py::test_coverage_over_few_tasks_percentile_too_low_studentised_and_t_kept"),
    ("src/rankbars/steps/correctionchoice.py", "held in 92 to 100 % of runs. Rare",
     "pipeline/test_plasmode.py::test_what_prints_a_level_holds_it_on_rows_of_real_results"),
    ("src/rankbars/steps/correctionchoice.py", "held in 92 to 100 % of runs. Clusters",
     "pipeline/test_plasmode.py::test_whole_clusters_that_are_resampled_hold_and_by_name_holm_does_not"),
    ("src/rankbars/steps/pairtests.py", "of them held in about",
     "steps/test_sharedruns.py::test_few_declared_runs_are_approximate_with_what_was_measured"),
    ("src/rankbars/steps/votes/votetests.py", "statements held in 70 to 97 %",
     "pipeline/test_pairing.py::test_fits_of_close_pairs_hold_as_rarely_as_the_note_says"),
    ("src/rankbars/steps/votes/votetests.py", "statements held in 92 to 97 %",
     "pipeline/test_pairing.py::test_declared_probabilities_repair_most_of_what_adaptive_pairs_break"),
    ("src/rankbars/steps/votes/votetests.py", "In simulated arenas, 95 %",
     "pipeline/test_pairing.py::test_fits_of_close_pairs_hold_as_rarely_as_the_note_says"),
    ("src/rankbars/steps/votes/votetests.py", "held in 92 to 97 % where a tenth",
     "pipeline/test_pairing.py::test_declared_probabilities_repair_most_of_what_adaptive_pairs_break"),
    ("docs/averages.md", "ranges of 95 % held about 80 %",
     "steps/test_average_calibration.py::test_ranges_of_mean_ranks_over_items_say_that_they_are_no_intervals"),
    ("docs/averages.md", "95 % intervals of `t` held in 98 % of simulated",
     "steps/test_weighted_tasks.py::test_weighted_averages_hold_their_level"),
    ("docs/averages.md", "6 to 7 % of 700 simulated boards held a false claim",
     "steps/test_average_contrasts.py::test_max_t_over_six_tasks_keeps_its_level"),
    ("docs/averages.md", "95 % intervals held the correlation on 45",
     "bayes/test_calibration.py::test_intervals_of_correlated_tasks_hold_as_often_as_they_say"),
    ("docs/costs.md", "rising with the score | 30 | 0.814 |",
     "stats/test_fronts.py::test_costs_that_differ_in_spread_alone_hold_as_rarely_as_the_page_says"),
    ("docs/gaps.md", "in 81 to 87 % where each model lacked",
     "pipeline/test_gaps_calibration.py::test_places_hold_where_gaps_are_random_and_less_where_models_lack_what_they_failed"),
    ("docs/methods.md", "is wrong in .173 of tests",
     "stats/test_clusters.py::test_unequal_repositories_keep_the_level_that_the_usual_error_loses"),
    ("docs/methods.md", "told apart in .052 of simulated boards",
     "stats/test_clusterflips.py::test_repositories_of_unequal_size_keep_the_level"),
    ("docs/methods.md", "told apart in .03 to .05 of simulated averages",
     "steps/test_dependentrows.py::test_averages_over_tasks_with_few_or_unequal_clusters_hold"),
    ("docs/methods.md", "held in .93 to 1.00 of 20 such designs",
     "steps/test_dependentrows.py::test_folds_of_tied_learners_hold_with_holm_and_with_normal_draws_as_often_as_printed"),
    ("docs/methods.md", "erred in .50 of simulations at 5 %, the default in .10;",
     "steps/test_sharedruns.py::test_seeds_that_differ_tell_equal_models_apart_as_rarely_as_the_page_says"),
    ("docs/methods.md", "erred in 2.7 to 4.8 %",
     "stats/test_twoway.py::test_levels_are_those_of_the_reference"),
    ("docs/methods.md", "95, 95, 86 and 66 % with 4 runs, in 93, 81, 47 and 6 % with 2",
     "steps/test_sharedruns.py::test_few_runs_hold_as_often_as_the_table_says"),
    ("docs/methods.md", "it errs in at most .058",
     "stats/test_countedlaw.py::test_beyond_two_hundred_rows_students_table_errs_in_at_most_six_percent"),
    ("docs/methods.md", "| counted | .000 | .039 |",
     "stats/test_countedlaw.py::test_counted_tests_of_equal_models_err_in_at_most_five_percent"),
    ("docs/methods.md", "93.9 % are covered",
     "steps/test_scoreintervals.py::test_both_together_cover_what_they_say_less_a_hundredth"),
    ("docs/methods.md", "up to .1 in .055",
     "steps/test_sharpercorrection.py::test_flips_of_rows_that_are_nearly_even_keep_their_level"),
    ("docs/averages.md", "held in about half of the cases under it",
     "simulate/test_posterior.py::test_the_published_prior_holds_as_rarely_as_the_page_says"),
    ("docs/costs.md", "How often the joint set held the whole true front",
     "stats/test_fronts.py::test_joint_sets_hold_as_often_as_the_table_of_costs_says"),
    ("docs/costs.md", "the set held in 0.68, 0.74 and 0.83",
     "stats/test_fronts.py::test_costs_that_differ_in_spread_alone_hold_as_rarely_as_the_page_says"),
    ("docs/costs.md", "held all of the true one in every draw with clear gaps",
     "stats/test_fronts.py::test_joint_sets_hold_as_often_as_the_table_of_costs_says"),
    ("docs/costs.md", "draws at worst, and for one model named beforehand in 68 %",
     "stats/test_fronts.py::test_costs_that_differ_in_spread_alone_hold_as_rarely_as_the_page_says"),
    ("docs/guarantees.md", "12 requests each show something false in 22 %",
     "pipeline/test_plasmode.py::test_few_rows_with_a_tail_print_no_level_and_what_prints_one_is_seldom_false"),
    ("docs/guarantees.md", "something false in 20 % of simulations with 400 votes",
     "pipeline/test_pairing.py::test_fits_of_close_pairs_hold_as_rarely_as_the_note_says"),
    ("docs/guarantees.md", "9.64 instead of 11.50, TabArena",
     "stats/test_budget.py::test_real_boards_are_as_wide_as_the_page_says"),
    ("docs/judges.md", "95.6 and 96.1 % of the intervals of 2,000",
     "stats/test_judgedpairs.py::test_coverage_where_disputed_items_are_drawn_more_often"),
    ("docs/judges.md", "it refused up to 7 % of sound samples",
     "stats/test_judgedpairs.py::test_declared_probabilities_explain_the_choice_and_wrong_ones_do_not"),
    ("docs/methods.md", "at most 7 % of 5 % tests of two models err from 4 runs on",
     "stats/test_twoway.py::test_levels_are_those_of_the_reference"),
    ("docs/methods.md", "the test is wrong in .028",
     "stats/test_clusters.py::test_unequal_repositories_keep_the_level_that_the_usual_error_loses"),
    ("docs/methods.md", "How often 5 % tests of two equal models err, at the worst share",
     "stats/test_countedlaw.py::test_counted_tests_of_equal_models_err_in_at_most_five_percent"),
    ("docs/methods.md", "ask in fewer than 1 of 100 boards; 500 rows of 8 models",
     "steps/test_rowquestions.py::test_shuffled_rows_ask_by_chance_in_one_of_a_hundred_at_most"),
    ("docs/methods.md", "held in 78 % of draws of 12 requests",
     "pipeline/test_plasmode.py::test_few_rows_with_a_tail_print_no_level_and_what_prints_one_is_seldom_false"),
    ("docs/methods.md", "held in 78 and 92 % of 300 draws",
     "pipeline/test_plasmode.py::test_averages_with_a_small_task_of_seconds_hold_as_often_as_the_board_says"),
    ("docs/methods.md", "held in 86 to 90 % of 800 draws of 8 and 12 requests",
     "pipeline/test_plasmode.py::test_seconds_of_two_providers_hold_as_often_as_the_board_says"),
    ("docs/methods.md", "it is less: .68 with 8 requests",
     "stats/test_skewedlevels.py::test_for_the_worst_pairs_of_providers_it_is_less"),
    ("docs/methods.md", "95 % statements held in 89 % of 400 draws with CR2 and Holm",
     "pipeline/test_plasmode.py::test_whole_clusters_that_are_resampled_hold_and_by_name_holm_does_not"),
    ("docs/methods.md", "statements held in 93 % of 641 draws that flips decided",
     "pipeline/test_plasmode.py::test_clusters_of_unequal_size_hold_whatever_decides"),
    ("docs/methods.md", "Strict coverage (no false statement about 10 tied models, stated 95 %)",
     "stats/test_skewedlevels.py::test_statements_hold_by_index_as_the_table_says"),
    ("docs/methods.md", "the bootstrap held in .98, .74 and .94",
     "stats/test_skewedlevels.py::test_failures_that_rows_do_not_contain_are_covered_by_nothing"),
    ("docs/methods.md", "nothing false was shown in 83 % of draws of 12 rows",
     "pipeline/test_plasmode.py::test_failures_that_few_rows_do_not_contain_are_not_covered_and_the_board_says_so"),
    ("docs/methods.md", "about half of those show something false",
     "pipeline/test_plasmode.py::test_failures_that_few_rows_do_not_contain_are_not_covered_and_the_board_says_so"),
    ("docs/methods.md", "of the leader in 65 to 96 % of samples of real boards",
     "pipeline/test_leader_coverage.py::test_leaders_are_held_as_often_as_the_page_of_methods_says"),
    ("docs/methods.md", "How often 95 % intervals held the true score of the leader",
     "pipeline/test_leader_coverage.py::test_leaders_are_held_as_often_as_the_page_of_methods_says"),
    ("docs/methods.md", "it told some apart in 6 to 18 %",
     "stats/test_reversal.py::test_a_t_test_of_few_ranks_errs_in_6_to_18_percent"),
    ("docs/noise.md", "in about one case of nine",
     "stats/test_runeffects.py::test_power_is_about_that_of_the_formula"),
    ("docs/noise.md", "held the true share in 94 to 98 %",
     "stats/test_repeatedanswers.py::test_components_of_known_size"),
    ("docs/noise.md", "held the true part in 94 to 99 %",
     "stats/test_repeatedanswers.py::test_parts_of_whole_runs_of_known_size"),
    ("docs/real-boards.md", "Shares in which statements at 95 % held",
     "pipeline/test_plasmode.py::test_cells_drawn_by_a_seed_hold"),
    (
        "docs/real-boards.md",
        "With 12 requests, where statements held in .78",
        "pipeline/test_plasmode.py::test_few_rows_with_a_tail_print_no_level_and_what_prints_one_is_seldom_false",
    ),
    ("docs/real-boards.md", "a 5 % test erred in 16 to 19 % of pairs",
     "stats/test_clusters.py::test_unequal_repositories_keep_the_level_that_the_usual_error_loses"),
    ("docs/real-boards.md", "were told apart in 11 % of draws of as many repositories",
     "pipeline/test_plasmode.py::test_whole_clusters_that_are_resampled_hold_and_by_name_holm_does_not"),
    ("docs/votes.md", "intervals at 95 % held in .94 to .95 of cases for independent votes",
     "steps/test_voteeffects.py::test_intervals_of_effects_cover"),
    ("docs/votes.md", "some model was called changed in 4.1 % of them",
     "steps/test_votetime.py::test_changes_are_seldom_invented"),
    ("docs/votes.md", "it was 5.3 % of 1,000 arenas",
     "steps/test_votetime.py::test_changes_are_seldom_invented"),
    ("docs/votes.md", "was found in 51 % of arenas with 6,000 independent votes",
     "steps/test_votetime.py::test_a_change_is_found_as_often_as_the_page_says"),
    ("docs/votes.md", "statements then held in 92 to 97 % of such simulations",
     "pipeline/test_pairing.py::test_declared_probabilities_repair_most_of_what_adaptive_pairs_break"),
    ("docs/votes.md", "were false in .000 of 150 runs",
     "pipeline/test_asking.py::test_looks_at_votes_so_asked_keep_the_level"),
    ("docs/votes.md", "it was wrong in a third of cases in simulation",
     "steps/test_looks.py::test_forty_looks_keep_the_level_where_a_repeated_z_test_does_not"),
    ("docs/votes.md", "How often a false statement was ever shown",
     "steps/test_looks.py::test_looks_at_all_votes_keep_the_level_whatever_chose_the_pairs"),
    ("docs/votes.md", "8 models, 150 voters with tastes of their own",
     "steps/test_looks.py::test_looks_at_votes_of_voters_with_tastes_keep_the_level"),
    ("docs/votes.md", "120 votes of a burst were seen in 33",
     "steps/test_votesuspects.py::test_bursts_on_a_day_are_seen_as_often_as_the_page_says"),
    ("docs/votes.md", "of 200 arenas without one",
     "steps/test_votesuspects.py::test_days_and_prompts_of_honest_votes_are_seldom_named"),
    ("docs/votes.md", "of 12 models, 6,000 votes, 600 voters | .997",
     "steps/test_large_arena.py::test_in_small_arenas_with_a_ring_everything_stated_holds"),
    ("docs/votes.md", "200 like these, where earlier results chose the pairs",
     "steps/test_large_arena.py::test_bursts_and_drifts_are_found_where_earlier_results_chose_the_pairs"),
    ("docs/votes.md", "held in 80 % of simulations when close pairs",
     "pipeline/test_pairing.py::test_fits_of_close_pairs_hold_as_rarely_as_the_note_says"),
    ("docs/votes.md", "that ignore it held in .91",
     "steps/test_votetests.py::test_contrasts_cover_with_ties_and_with_voters"),
)  # fmt: skip

# Where, which words, and what made the figure, which says so itself: too long for a test.
MADE: tuple[tuple[str, str, str], ...] = (
    ("docs/judges.md", "`scripts/measure_judges.py`, 400 data sets a", "scripts/measure_judges.py"),
    ("docs/judges.md", "they held in 0.915 of 50 and 100 people", "scripts/measure_judges.py"),
    ("docs/plan.md", "`scripts/measure_plans.py` makes all of these", "scripts/measure_plans.py"),
    ("docs/plan.md", "the 95 % interval holds the number", "scripts/measure_plans.py"),
    ("docs/plan.md", "showed the difference in 80.1 % of cases", "scripts/measure_plans.py"),
    ("docs/plan.md", "boards drawn with so many did in 80 and 79 %", "scripts/measure_plans.py"),
    ("docs/plan.md", "within it in 87 to 93 %", "scripts/measure_plans.py"),
    ("docs/race.md", "`scripts/measure_races.py` makes the table", "scripts/measure_races.py"),
    ("docs/real-boards.md", "by `scripts/measure_boards.py`", "scripts/measure_boards.py"),
    ("docs/real-boards.md", "99 of the 110 cells were looked at once with 80 draws",
     "tests/pipeline/test_plasmode.py"),
    ("docs/votes.md", "in simulated arenas whose strengths have a standard deviation",
     "scripts/measure_votes_asked.py"),
    ("docs/votes.md", "`scripts/make_arena.py` makes 5,000,000 votes", "scripts/make_arena.py"),
    ("docs/methods.md", "Of 2,000 draws of 12 whole repositories of Verified 92 % held",
     "docs/methods.md"),  # it says that it was measured once, on rows that are not here
)  # fmt: skip
# Sentences with a share that is a promise, an example or what something means.
NO_FIGURE = (
    "A score may be a number with a decimal point",
    "holds even without a shift",
    "still holds with probability 0.8",
    "right intervals at 95 %",
    "Right: rank intervals at 95 %",
    "Each verdict is wrong in at most 5 % of cases",
    "draws the left-out task with other weights",
    "it takes 39 draws at 95 %",
    "Over twenty boards, at 95 % each",
    "is wrong in 5 % of cases if it is looked at once",
    "where one holds more than 80 % of the rows",
    "said in place of",
    'in place of "95 %"',
    "a procedure that keeps 5 % shows it in at most",
    "the correlations of their errors that are",
)

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
    assert f"{figure:,}".removeprefix("0.") in words
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


UNREAD = {
    "board-file.md",
    "calibration.md",
    "changelog.md",
    "commands.md",
    "formats.md",
    "messages.md",
    "names.md",
    "performance.md",
    "published.md",
    "scale.md",
    "what-changed.md",
}  # made by a program, or examples that run


def sentences(path: Path) -> list[str]:
    """Sentences of a page, rows of tables and points of lists, without examples."""
    text = re.sub(r"```.*?```", "\n\n", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return [
        sentence
        for part in re.split(r"\n\s*\n|\n(?=[*|])", text)
        for sentence in re.split(r"(?<=[.:;])\s+(?=[A-Z*`\d])", " ".join(part.split()))
    ]


@pytest.mark.parametrize(("place", "words", "source"), MADE)
def test_figures_that_a_script_made_stand_beside_its_name(
    place: str, words: str, source: str
) -> None:
    assert words in words_of(place)
    assert (ROOT / source).is_file()
    if source.startswith("scripts/"):
        assert f"`{source}`" in words_of(place)


def test_no_page_says_how_often_something_holds_without_a_row_here() -> None:
    known = [words for _, words, *_ in (*RECOMPUTED, *DRAWN, *MADE)]
    more = r"|\btold apart\b|\bfalse\b|\bwrong in\b|\bdraws of\b"
    said = re.compile(SPEAKS.pattern + more, re.IGNORECASE)
    figure = re.compile(SHARE.pattern + r"|(?<![\d\w])0?\.\d")
    found = [
        f"{path.name}: {sentence}"
        for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in UNREAD
        for sentence in sentences(path)
        if said.search(sentence) and figure.search(sentence)
        and not any(words in sentence for words in (*known, *NO_FIGURE))
    ]  # fmt: skip
    assert found == []


def test_cells_that_a_seed_drew_stand_on_the_page_of_real_boards_as_they_were_measured() -> None:
    measured: dict[str, list[Row]] = {}
    for row in read_rows(PAGE.read_text("utf-8")):
        if row.test.startswith("pipeline/plasmode: cells drawn by a seed hold["):
            measured.setdefault(row.test.partition("[")[2].rstrip("]"), []).append(row)
    page = (ROOT / "docs" / "real-boards.md").read_text("utf-8")
    shown = [line.split(" | ")[2:] for line in page.splitlines() if line.startswith("| drawn: ")]
    assert len(shown) == 10
    order = ("pairs", "may be first", "compare", "leader")
    for place, cells in enumerate(shown):
        of = {row.of: float(row.measured) for row in measured.get(str(place), ())}
        for kind, cell in zip(order, cells, strict=True):
            text = cell.rstrip(" |").partition(" ")[0]
            assert (text == "–") == (kind not in of), (place, kind)
            assert text == "–" or float(text) == pytest.approx(of[kind], abs=6e-4)


# Rows of tables of a page: which page, what was drawn, and the row of the page of calibrations.
LOOKS = "steps/looks: looks at all votes keep the level whatever chose the pairs"
TASTES = "steps/looks: looks at votes of voters with tastes keep the level"
MEASURED: tuple[tuple[str, str, str], ...] = (
    ("docs/votes.md", "6 models, pairs with equal chances, up to 3,000 votes",
     f"{LOOKS}[None]"),
    ("docs/votes.md", "close pairs preferred strongly, a tenth with equal chances, weighted",
     f"{LOOKS}[close]"),
    ("docs/votes.md", "the same without weights (no promise is made for it)",
     f"{LOOKS}[close, unweighted]"),
    ("docs/votes.md", "pairs near the top preferred, a tenth with equal chances, weighted",
     f"{LOOKS}[top]"),
    ("docs/votes.md",
     "pairs with wide intervals preferred, a tenth with equal chances, weighted",
     f"{LOOKS}[wide]"),
    ("docs/votes.md",
     "8 models, 150 voters with tastes of their own who vote again and "
     "again, up to 3,000 votes",
     f"{TASTES}[again and again]"),
    ("docs/votes.md", "the same, where each voter votes in one session",
     f"{TASTES}[one session]"),
    ("docs/votes.md", "the same, 40 voters",
     f"{TASTES}[few]"),
    ("docs/votes.md",
     "5 models, 60 voters with tastes of their own, some with hundreds of "
     "votes and some with few, `--cap 20`",
     f"{TASTES}[capped]"),
    ("docs/votes.md", "4 models, 4 more that arrive one after the other",
     f"{TASTES}[arrivals]"),
)  # fmt: skip


@pytest.mark.parametrize(("place", "words", "test"), MEASURED)
def test_rows_of_tables_are_what_all_runs_gave(place: str, words: str, test: str) -> None:
    (row,) = (row for row in read_rows(PAGE.read_text("utf-8")) if row.test == test)
    share = f"{float(row.measured):.3f}".removeprefix("0")
    assert f"| {words} | {row.trials} | {share} |" in words_of(place)


def widths(board: rb.Leaderboard) -> tuple[float, float, float]:
    """Mean widths of rank intervals: on tasks, on the average, on a new task."""
    assert board.aggregate is not None
    assert board.overall is not None
    tasks = np.mean([task.worst - task.best for task in board.tasks.values()])
    parts = (board.aggregate, board.overall)
    return float(tasks), *(float(np.mean(one.worst - one.best)) for one in parts)


def test_widths_of_looks_on_the_page_of_votes_are_those_of_the_demo() -> None:
    scores = rb.read(SOURCES / "demos" / DEMOS["arena"].file)
    found = []
    for test in ("e_strength", "z", "e_process"):
        correction = "auto" if test == "z" else "e_average"
        (task,) = rb.leaderboard(scores, test=test, correction=correction).tasks.values()
        found.append(float(np.mean(task.worst - task.best)))
    said = "| {:.1f}, where the fit for one look has {:.1f} | {:.1f} |".format(*found)
    assert said in words_of("docs/votes.md")


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

"""The boards: every test, correction, scope, merge, average, policy and format.

Marks name the item of the plan that will change a board because it is wrong today (``I.2``: item 2
of the part on validity; ``J.9``: item 9 of the part on reading).
"""

from __future__ import annotations

from golden.case import ANALYSIS, KEEP, READING, TWO_MODELS, VOTES, Case, board, options

CORRECTIONS = ("holm", "bonferroni", "simes", "maxt", "maxt_bootstrap", "bootstrap_band", "none")
FEW = ("holm", "simes", "maxt")
SCOPES = ("each", "all")
FOLDS = "--rows folds --folds 3 --direction higher"


def _tests() -> list[Case]:
    found = [
        board(f"tests/{test}-{correction}-{scope}", "mmlu.parquet",
              f"--test {test} --correction {correction} --scope {scope}"
              # An average has no rows to resample in this way.
              + (" --aggregate none" if correction == "maxt_bootstrap" else ""))
        for test in ("t", "wilcoxon", "trimmed_t", "signflip", "mcnemar", "mcnemar_midp", "welch")
        for correction in (CORRECTIONS if test == "t" else FEW)
        for scope in SCOPES
    ]  # fmt: skip
    found += [
        board(f"clusters/{name}-{test}-{correction}-{scope}", f"{name}.csv",
              f"--test {test} --correction {correction} --scope {scope}")
        for name, test, correction, scope in (
            ("swebench_repos", "cluster_t", "holm", "each"),
            ("swebench_repos", "cluster_t", "holm", "all"),
            ("swebench_repos", "cluster_t", "maxt", "each"),
            ("swebench_repos", "cluster_t", "maxt", "all"),
            ("swebench_repos", "cluster_t", "bonferroni", "all"),
            ("swebench_repos", "t", "holm", "each"),
            ("swebench_repos", "signflip", "holm", "all"),
            ("passages", "cluster_t", "holm", "each"),
            ("passages", "cluster_t", "maxt", "all"),
            ("passages", "cluster_t", "simes", "each"),
            ("passages", "signflip", "maxt", "all"),
            ("passages", "wilcoxon", "holm", "each"),
            ("passages", "t", "holm", "each"),
        )
    ]  # fmt: skip
    found += [
        board(f"folds/tabarena-{test}-{correction}-{scope}", f"tabarena.parquet {FOLDS}",
              f"--test {test} --correction {correction} --scope {scope} --resamples 400",
              mark="I.3")
        for test, correction, scope in (
            *(("corrected_t", correction, "each") for correction in CORRECTIONS),
            ("corrected_t", "holm", "all"),
            ("corrected_t", "maxt", "all"),
            ("t", "holm", "each"),
        )
    ]  # fmt: skip
    found += [
        board("folds/amlb", "amlb.csv --folds 10 --direction higher", "--correction holm",
              mark="I.3"),
        board("folds/amlb-all", "amlb.csv --folds 10 --direction higher",
              "--correction maxt --scope all", mark="I.3"),
        board("folds/share", "amlb.csv --folds 10 --test-share 0.25 --direction higher",
              "--correction holm", mark="I.3"),
        board("folds/cd", "amlb.csv --folds 10 --direction higher --metric auc --tasks adult",
              "--correction holm"),
    ]  # fmt: skip
    runs = "ucr.parquet --rows runs"
    found += [
        board("runs/ucr", runs, "--missing listwise"),
        board(
            "runs/ucr-signflip",
            runs,
            "--test signflip --correction maxt --scope all --missing listwise",
        ),
        board("runs/ucr-wilcoxon", runs, "--test wilcoxon --scope all --missing listwise"),
        board("runs/averaged", "runs.csv"),
        board("runs/two_way", "runs.csv", "--test two_way"),
        board("runs/two_way-all", "runs.csv", "--test two_way --scope all"),
        board(
            "runs/two_way-maxt",
            "runs.csv",
            "--test two_way --correction maxt --aggregate none",
        ),
        board("runs/items-as-runs", "runs.csv --rows runs"),
        board("prompts/as-prompts", "prompts.csv --rows prompts"),
        board("prompts/as-items", "prompts.csv --rows items"),
        board("prompts/two_way", "prompts.csv --rows prompts", "--test two_way"),
    ]
    return found


def _skewed() -> list[Case]:
    read = "penalties.csv --direction higher"
    return [
        board("skewed/t", read),
        board("skewed/t-all", read, "--test t --scope all"),
        board("skewed/maxt-all", read, "--correction maxt --scope all"),
        board("skewed/signflip", read, "--test signflip"),
        board("skewed/wilcoxon", read, "--test wilcoxon"),
        board("skewed/trimmed", read, "--test trimmed_t"),
        board(
            "skewed/bootstrap",
            f"{read} --tasks long",
            "--correction maxt_bootstrap --scope all",
        ),
        board("skewed/lower", "penalties.csv --direction lower"),
    ]


def _estimates() -> list[Case]:
    found = [
        board(f"estimates/{name}-{correction}-{scope}", f"{name}.csv",
              f"--correction {correction} --scope {scope}"
              # A standard error of 0 leaves an average without all its comparisons.
              + (" --aggregate none" if (name, correction) == ("mle_bench", "maxt") else ""),
              mark=mark)
        for name, mark in (("vtab", KEEP), ("pythia", KEEP), ("mle_bench", KEEP))
        for correction in ("holm", "simes", "maxt")
        for scope in SCOPES
    ]  # fmt: skip
    return [
        *found,
        board("estimates/intervals", "eva.csv --column model=system"),
        board("estimates/no-errors", "mteb.csv"),
        board("estimates/categories", "mteb.csv --categories mteb_categories.csv",
              inputs="golden:mteb.csv golden:mteb_categories.csv"),
        board("estimates/alpha", "vtab.csv", "--alpha 0.2 --alpha-overall 0.4"),
        board("estimates/none", "vtab.csv", "--correction none"),
        board("estimates/bonferroni", "vtab.csv", "--correction bonferroni --scope all"),
        board("estimates/cells", "cells.csv --cells se", texts=(("cells.csv", CELLS),)),
        board("estimates/cells-ci95", "cells.csv --cells ci95", texts=(("cells.csv", CELLS),)),
        board("estimates/cells-value", "cells.csv --cells value", texts=(("cells.csv", CELLS),)),
        board("estimates/proportions", "n.csv", texts=(("n.csv", PROPORTIONS),)),
        board("estimates/metrics", "metrics.csv --direction loss=lower",
              texts=(("metrics.csv", METRICS),), mark="I.3, J.6"),
        board("estimates/mean-row", "mean.csv", texts=(("mean.csv", MEAN_ROW),), mark="J.5"),
    ]  # fmt: skip


CELLS = """model,math,law,code
ash,61.2 ± 1.2,48.0 ± 1.1,33.1 ± 0.9
birch,59.9 ± 1.3,50.1 ± 1.4,35.0 ± 1.0
cedar,52.4 ± 1.1,47.7 ± 1.2,30.2 ± 0.8
elm,63.0 ± 1.0,52.3 ± 1.1,36.6 ± 1.1
"""
PROPORTIONS = """model,task,accuracy,n
ash,math,0.81,400
birch,math,0.79,400
cedar,math,0.64,400
ash,law,0.55,250
birch,law,0.61,250
cedar,law,0.48,250
ash,code,0.33,164
birch,code,0.41,164
cedar,code,0.38,164
"""
METRICS = """model,task,metric,score,se
ash,a,acc,0.71,0.02
birch,a,acc,0.66,0.02
cedar,a,acc,0.52,0.02
ash,b,loss,1.31,0.05
birch,b,loss,1.20,0.05
cedar,b,loss,1.92,0.06
ash,c,f1,0.44,0.03
birch,c,f1,0.49,0.03
cedar,c,f1,0.31,0.03
"""
MEAN_ROW = """task,ash,birch,cedar
arc,0.61,0.58,0.49
boolq,0.82,0.84,0.70
piqa,0.77,0.79,0.71
Mean,0.7333,0.7367,0.6333
"""


def _votes() -> list[Case]:
    changes = {
        "plain": "",
        "all": "--scope all",
        "ties-drop": "--ties drop",
        "rao-kupper": "--ties rao-kupper",
        "davidson": "--ties davidson",
        "davidson-all": "--ties davidson --scope all",
        "both-bad-drop": "--both-bad drop",
        "hessian": "--covariance hessian",
        "sandwich": "--covariance sandwich",
        "by-judge": "--covariance cluster --cluster judge",
        "by-prompt": "--cluster prompt",
        "by-both": "--cluster judge+prompt",
        "unclustered": "--cluster none",
        "ridge": "--ridge 0.5",
        "maxt": "--correction maxt --scope all",
        "simes": "--correction simes",
        "binomial": "--test binomial",
        "binomial-all": "--test binomial --scope all",
        "e_process": "--test e_process --correction e_average --scope all",
        "alpha": "--alpha 0.2",
    }
    found = [
        board(f"votes/{name}", "votes.csv", words, votes=True) for name, words in changes.items()
    ]
    found += [
        board("votes/bootstrap", "arena.csv", "--covariance bootstrap --resamples 100", votes=True),
        board("votes/position", "votes.csv --column position=model_a --control position",
              votes=True),
        board("votes/length", "votes.csv --control length", votes=True),
        board("votes/length-davidson", "votes.csv --control length", "--ties davidson", votes=True),
        board("votes/elo", "votes.csv --elo 1000", votes=True),
        board("votes/elo-model", "votes.csv", '--elo "system a=1200"', votes=True),
        board("votes/anytime", "votes.csv", "--anytime --test e_process", votes=True),
        board("votes/anytime-strengths", "votes.csv", "--anytime", votes=True),
        board("votes/categories", "votes.csv --column task=category", votes=True),
        board("votes/categories-all", "votes.csv --column task=category", "--scope all",
              votes=True),
        board("votes/categories-merge", "votes.csv --column task=category", "--merge union",
              votes=True),
        board("votes/models", "votes.csv", "", votes=True)._replace(
            name="votes/chosen-models",
            commands=(
                f"rankbars rank votes.csv {options('', READING, ANALYSIS, VOTES)} --models "
                "'system a' --models 'system c' --models 'system f' -o board.json --md board.md",
            ),
        ),
        board("votes/counts", "arena.csv", votes=True),
        board("votes/counts-all", "arena.csv", "--scope all", votes=True),
        board("votes/counts-davidson", "arena.csv", "--ties davidson --both-bad drop", votes=True),
        board("votes/counts-maxt", "arena.csv", "--correction maxt --scope all", votes=True),
        board("votes/counts-binomial", "arena.csv", "--test binomial", votes=True),
        board("votes/crowd", "crowd.csv", votes=True),
        board("votes/crowd-prompts", "crowd.csv", "--cluster prompt --ties davidson", votes=True),
        board("votes/judges", "llmfao_llm_judges.csv", votes=True,
              inputs="tests:votes/llmfao_llm_judges.csv"),
        board("votes/pairs-json", "pair_counts_chatbotarena_20240814.json", votes=True,
              inputs="tests:fixtures/votes/pairs/pair_counts_chatbotarena_20240814.json"),
        board("votes/food", "food.csv", votes=True, inputs="tests:fixtures/votes/pairs/food.csv"),
        board("votes/renamed", "other_column_names.csv --column model_a=LLM_1 --column "
              "model_b=LLM_2 --column score=first_is_chosen --column judge=grader", votes=True,
              inputs="tests:fixtures/votes/pairs/other_column_names.csv"),
        board("votes/beats", "beats.csv --layout beats", votes=True,
              texts=(("beats.csv", "beats,a,b,c\na,0,12,15\nb,8,0,11\nc,5,9,0\n"),)),
        board("votes/unconnected", "lone.csv --largest-component", votes=True,
              texts=(("lone.csv", LONE),)),
    ]  # fmt: skip
    return found


LONE = "model_a,model_b,winner\n" + "".join(
    f"{a},{b},{'model_a' if (i * 7 + 3) % 11 < 6 else 'model_b'}\n"
    for i in range(40)
    for a, b in (("ash", "birch"), ("birch", "cedar"), ("cedar", "ash"))
) + "lone,ash,model_b\nlone,ash,model_b\n"  # fmt: skip


def _merges() -> list[Case]:
    merges = ("joint", "quantile", "union", "group", "family", "weighted", "simultaneous",
              "observed")  # fmt: skip
    found = [
        board(f"merges/{merge}-{scope}", "families.csv", f"--merge {merge} --scope {scope}")
        for merge in merges
        for scope in SCOPES
    ]
    found += [
        board(f"merges/vtab-{merge}", "vtab.csv", f"--merge {merge} --alpha-overall 0.1")
        for merge in ("joint", "quantile", "union", "simultaneous", "group")
    ]
    found += [
        board("merges/mteb-quantile", "mteb.csv", "--merge quantile"),
        board("merges/mteb-simultaneous", "mteb.csv", "--merge simultaneous"),
        board("merges/mteb-group", "mteb.csv --categories mteb_categories.csv", "--merge group",
              inputs="golden:mteb.csv golden:mteb_categories.csv"),
        board("merges/mteb-family", "mteb.csv --families mteb_categories.csv", "--merge family",
              inputs="golden:mteb.csv golden:mteb_categories.csv", mark="I.10"),
        board("merges/weights", "families.csv --weights weights.csv", "--merge weighted",
              inputs="golden:families.csv", texts=(("weights.csv", WEIGHTS),)),
    ]  # fmt: skip
    return found


WEIGHTS = "task,weight\n" + "".join(f"t{i:02},{1 + i % 4}\n" for i in range(12))
CHANCE = "task,chance\n" + "".join(f"t{i:02},{(i % 3) / 10}\n" for i in range(12))


def _averages() -> list[Case]:
    words = (
        "none", "items", "items:analytic", "items:bootstrap", "items:bayes",
        "items:bayes_predictive", "tasks", "tasks:t", "tasks:bootstrap", "tasks:bootstrap_t",
        "tasks:two_level", "tasks:bayes", "families", "families:t", "families:bootstrap",
        "families:bootstrap_t", "items::average_rank", "items::average_rank_noise",
        "items::average_rank_bins", "items::borda", "items::win_rate", "items::win_rate_field",
        "items::win_rate_top1", "tasks::average_rank", "tasks::average_rank_noise", "tasks::borda",
        "tasks::win_rate", "tasks::win_rate_field", "tasks::win_rate_top1", "tasks::geometric",
        "items::geometric", "families::average_rank", "tasks:bootstrap:borda",
        "items:bootstrap:win_rate",
    )  # fmt: skip
    fitted = ("bayes", "two_level")
    found = [
        board(f"averages/{one.replace('::', '-').replace(':', '-')}",
              "families.csv" + (" --column weight=" if one == "tasks:bayes" else ""),
              f"--aggregate {one} --resamples 400", fitted=any(name in one for name in fitted))
        for one in words
    ]  # fmt: skip
    found += [
        board(f"averages/all-{one.replace('::', '-').replace(':', '-')}", "families.csv",
              f"--aggregate {one} --scope all --resamples 400")
        for one in ("items", "items:bootstrap", "tasks", "tasks:bootstrap", "tasks:bootstrap_t",
                    "families", "tasks::average_rank")
    ]  # fmt: skip
    found += [
        board(f"averages/maxt-{one.replace(':', '-')}", "families.csv",
              f"--aggregate {one} --correction maxt --scope all --resamples 400")
        for one in ("items", "items:bootstrap", "tasks", "families")
    ]  # fmt: skip
    found += [
        board(f"averages/{over}-{normalise}", f"families.csv {more}",
              f"--aggregate {over} --normalise {normalise} --resamples 400",
              inputs="golden:families.csv", texts=(("chance.csv", CHANCE),))
        for over, normalise, more in (
            ("items", "bounds", "--score-min 0 --score-max 1"),
            ("tasks", "bounds", "--score-min 0 --score-max 1"),
            ("items", "chance", "--score-max 1 --chance chance.csv"),
            ("tasks", "chance", "--score-max 1 --chance chance.csv"),
            ("items", "zscore", ""),
            ("tasks", "zscore", ""),
            ("items", "rank", ""),
            ("tasks", "rank", ""),
            ("items:bootstrap", "minmax_draws", ""),
        )
    ]  # fmt: skip
    found += [
        board(f"averages/weights-{over}", "families.csv --weights weights.csv",
              f"--aggregate {over} --resamples 400", inputs="golden:families.csv",
              texts=(("weights.csv", WEIGHTS),))
        for over in ("items", "tasks", "families", "tasks:bootstrap")
    ]  # fmt: skip
    found += [
        board("averages/category-weights", "families.csv --weights weights.csv",
              "--aggregate tasks", inputs="golden:families.csv",
              texts=(("weights.csv", "category,weight\nreading,2\nwriting,1\nreasoning,0\n"),)),
        board("averages/vtab-tasks", "vtab.csv", "--aggregate tasks"),
        board("averages/vtab-bayes", "vtab.csv", "--aggregate items:bayes", fitted=True),
        board("averages/vtab-two_level", "vtab.csv", "--aggregate tasks:two_level", fitted=True),
        board("averages/vtab-spread", "vtab.csv",
              "--aggregate tasks:bayes --prior exponential_spread:0.1", fitted=True),
        board("averages/vtab-rank", "vtab.csv", "--aggregate tasks::average_rank", mark=KEEP),
        board("averages/prior-log", "families.csv",
              "--aggregate items:bayes --prior uniform_log", fitted=True),
        board("averages/prior-normal", "families.csv --column weight=",
              "--aggregate tasks:bayes --prior log_normal", fitted=True),
        board("averages/mteb-tasks", "mteb.csv", "--aggregate tasks:bootstrap_t"),
        board("averages/mteb-borda", "mteb.csv", "--aggregate tasks::borda"),
        board("averages/tabarena-zscore", f"tabarena.parquet {FOLDS}",
              "--aggregate tasks --normalise zscore"),
        board("averages/tabarena-items", f"tabarena.parquet {FOLDS}",
              "--aggregate items::average_rank --resamples 400"),
        board("averages/tabarena-win_rate", f"tabarena.parquet {FOLDS}",
              "--aggregate tasks::win_rate", mark="I.3"),
        board("averages/clusters", "clustered.csv", "--aggregate items",
              texts=(("clustered.csv", CLUSTERED),)),
        board("averages/seed", "families.csv", "--aggregate items:bootstrap --seed 11"),
    ]  # fmt: skip
    return found


CLUSTERED = "model,task,group,item,score\n" + "".join(
    f"{model},{task},{task}-{group},{group}-{item},{(7 * i + 5 * j + 3 * group + item * j) % 10}\n"
    for i, task in enumerate(("one", "two", "three"))
    for group in range(7)
    for item in range(2 + group)
    for j, model in enumerate(("ash", "birch", "cedar", "elm"))
)


def _missing() -> list[Case]:
    found = []
    for policy in ("raise", "pairwise", "listwise", "fail", "drop_models", "bounds"):
        more = " --score-min 0" if policy == "fail" else ""
        found += [
            board(f"missing/mmlu-{policy}", f"mmlu_gaps.csv{more}", f"--missing {policy}"),
            board(f"missing/amlb-{policy}", "amlb_failed.csv --folds 10 --direction higher"
                  + more, f"--missing {policy}", mark="I.3"),
            board(f"missing/mteb-{policy}", "mteb_gaps.csv", f"--missing {policy}"),
            board(f"missing/swebench-{policy}", f"swebench_pro.parquet{more}",
                  f"--missing {policy} --scope all",
                  inputs="tests:tables/swebench_pro.parquet"),
        ]  # fmt: skip
    found += [
        board("missing/pairwise-maxt", "mmlu_gaps.csv",
              "--missing pairwise --correction maxt --scope all"),
        board("missing/pairwise-signflip", "mmlu_gaps.csv", "--missing pairwise --test signflip"),
        board("missing/pairwise-wilcoxon", "mmlu_gaps.csv", "--missing pairwise --test wilcoxon"),
        board("missing/bounds-tasks", "mmlu_gaps.csv", "--missing bounds --aggregate tasks"),
        board("missing/states", "states.csv", "--missing pairwise",
              texts=(("states.csv", STATES),)),
        board("missing/matrix", "m.csv", "--missing pairwise",
              texts=(("m.csv", "item,a,b\n1,1,\n2,0,1\n3,1,0\n4,1,1\n5,0,\n6,1,0\n"),)),
    ]  # fmt: skip
    return found


STATES = """model,task,item,score,error
a,t,1,1,
a,t,2,0,
a,t,3,,boom
b,t,1,0,
b,t,2,0,
b,t,3,,
c,t,1,1,
c,t,2,1,
"""


def _tables() -> list[Case]:
    table = "tests:tables/"
    return [
        board(f"tables/{name}", read, words, inputs=f"{table}{read.split()[0]}", mark=mark)
        for name, read, words, mark in (
            ("amlb-csv", "amlb_results_medium-4c1h.csv --metric auc --folds 10",
             "--missing pairwise", KEEP),
            ("amlb2019", "amlb2019.parquet --rows folds --folds 10 --direction higher",
             "--missing bounds", "I.3"),
            ("items-by-models", "items_by_models_langchain_tool_use.csv --layout items-by-models",
             "", KEEP),
            ("no-items", "no_item_column_judge_scores.csv", "", KEEP),
            ("tasks-by-models", "tasks_by_models_ari_mean.csv --layout tasks-by-models", "", KEEP),
            ("folds-per-model",
             "one_file_per_model --direction lower --test-share 0.3", "--missing listwise", "I.3"),
            ("mmlu-pro", "mmlu_pro.parquet", "--missing listwise", KEEP),
            ("mteb", "mteb.parquet", "", KEEP),
            ("pythia", "pythia.parquet", "--missing listwise", KEEP),
            ("tabarena", "tabarena_folds.parquet --rows folds --folds 3 --direction higher",
             "--missing drop_models", "I.3"),
            ("ucr", "ucr_resamples.parquet --rows folds --test-share 0.5", "", KEEP),
            ("vtab", "vtab1k.parquet", "--scope all", KEEP),
            ("header-rows", "three_header_rows_vtab.csv",
             "--direction metadata_hyper_sweep_size=higher", KEEP),
        )
    ]  # fmt: skip


def _logs() -> list[Case]:
    place = "tests:fixtures/"
    losses = "--direction likelihood_difference=lower --direction ppl=lower"
    reads = (
        ("alpaca", "alpaca_eval/results", "results --filter weighted_alpaca_eval_gpt4_turbo"),
        ("alpaca-judges", "alpaca_eval/results", "results"),
        ("alpaca-board", "alpaca_eval/leaderboards", "leaderboards"),
        ("arena-hard", "arena_hard/data", "data"),
        ("arena-hard-published", "arena_hard/leaderboard", "leaderboard"),
        (
            "arena-hard-single",
            "arena_hard/legacy_single_score",
            "legacy_single_score --missing listwise",
        ),
        ("eee", "every_eval_ever/data", "data --direction mean=higher --missing bounds"),
        ("eee-arc", "every_eval_ever/data/ai2_arc", "ai2_arc --missing listwise"),
        ("helm", "helm/benchmark_output", "benchmark_output --missing pairwise"),
        ("helm-runs", "helm/benchmark_output/runs", "runs --missing listwise"),
        ("helm-bbq", "helm/benchmark_output/runs", "runs --metric quasi_exact_match"),
        ("helm-single", "helm/single_runs", "single_runs --compare-anyway"),
        ("hub", "hf_hub", "hf_hub --metric ndcg_at_10"),
        ("inspect-deflate", "inspect_ai/eval_deflate", "eval_deflate --missing pairwise"),
        ("inspect-pair", "inspect_ai/json_pair", "json_pair"),
        ("inspect-pair-missing", "inspect_ai/json_pair", "json_pair --missing listwise"),
        ("inspect-zstd", "inspect_ai/eval_zstd", "eval_zstd --missing bounds"),
        ("inspect-json", "inspect_ai/json", "json --compare-anyway --missing bounds"),
        ("inspect-errored", "inspect_ai/json_errored", "json_errored"),
        ("lighteval", "lighteval/results", "results"),
        ("lm-eval", "lm_eval/current", "current"),
        (
            "lm-eval-legacy",
            "lm_eval/legacy",
            f"legacy {losses} --compare-anyway --missing drop_models",
        ),
        ("lm-eval-shots", "lm_eval/legacy", f"legacy {losses} --filter 0-shot --missing bounds"),
        ("lm-eval-reruns", "lm_eval/legacy", f"legacy {losses} --reruns all --compare-anyway"),
        ("mteb", "mteb/results", "results --missing bounds"),
        ("mteb-anyway", "mteb/results", "results --compare-anyway --missing drop_models"),
        ("mteb-historic", "mteb/historic", "historic"),
        ("openai-evals", "openai_evals/test_match", "test_match"),
        ("opencompass", "opencompass", "opencompass"),
        ("promptfoo", "promptfoo/echo", "echo"),
        ("swebench-runs", "swebench/run_reports", "run_reports --missing pairwise --reruns all"),
        ("swebench-invented", "swebench/invented_run", "invented_run --missing pairwise"),
        ("swebench-pro", "swebench/pro", "pro --missing listwise"),
        ("swebench-pro-pairwise", "swebench/pro", "pro --missing pairwise"),
        ("tabarena", "tabarena", "tabarena --missing drop_models"),
        ("redacted", "swebench/pro", "pro --missing listwise --redact"),
    )
    votes = ("alpaca", "arena-hard")
    return [
        board(f"logs/{name}", read.split()[0], " ".join(read.split()[1:]), inputs=place + path,
              votes=name in votes)
        for name, path, read in reads
    ]  # fmt: skip


def _stores() -> list[Case]:
    rank = f"rankbars rank board.duckdb {options('', ANALYSIS)} -o board.json --md board.md --pairs"
    kept = ("board.json", "board.md")

    def store(
        name: str, inputs: str, *commands: str, fitted: bool = False,
        texts: tuple[tuple[str, str], ...] = (),
    ) -> Case:  # fmt: skip
        lines = tuple(one if one.startswith("copy ") else f"rankbars {one}" for one in commands)
        return Case(f"stores/{name}", lines, tuple(inputs.split()), texts, kept, fitted=fitted)

    to = "--store board.duckdb"
    ranked = rank.removeprefix("rankbars ")
    return [
        store("one", "golden:mmlu.parquet", f"add mmlu.parquet {to}", ranked),
        store("two", "golden:old.csv golden:new.csv", f"add old.csv {to}", f"add new.csv {to}",
              ranked, "log board.duckdb"),
        store("again", "golden:old.csv golden:new.csv", f"add old.csv new.csv {to}",
              f"add old.csv {to}", ranked, "log board.duckdb"),
        store("removed", "golden:old.csv golden:new.csv golden:mmlu_gaps.csv",
              f"add old.csv new.csv {to}", f"add mmlu_gaps.csv {to}", f"remove mmlu_gaps.csv {to}",
              ranked, "log board.duckdb"),
        store("replaced", "golden:old.csv golden:new.csv", f"add old.csv new.csv {to}",
              "copy longer.csv new.csv", f"add new.csv {to}", ranked,
              texts=(("longer.csv", "model,task,item,score\n" + "".join(
                  f"new,gsm8k,{i},{i % 3 % 2}\n" for i in range(30)) + "".join(
                  f"new,{t},{i},{(i + 1) % 3 % 2}\n" for t in ("mmlu", "drop")
                  for i in range(30))),)),
        store("votes", "golden:votes.csv", f"add votes.csv {to}", ranked, fitted=True),
        store("votes-two", "golden:votes.csv golden:crowd.csv",
              f"add votes.csv crowd.csv --arena-per-file {to}",
              ranked.replace("--missing raise", "--missing bounds"), fitted=True),
        store("counts", "golden:arena.csv", f"add arena.csv {to}", ranked, fitted=True),
        store("estimates", "golden:vtab.csv", f"add vtab.csv {to}", ranked),
        store("folds", "golden:tabarena.parquet", f"add tabarena.parquet {FOLDS} {to}", ranked),
        store("logs", "tests:fixtures/swebench/pro", f"add pro {to}",
              ranked.replace("--missing raise", "--missing listwise"), "log board.duckdb"),
        store("helm", "tests:fixtures/helm/benchmark_output/runs", f"add runs {to}",
              ranked.replace("--missing raise", "--missing bounds")),
        store("twice-ranked", "golden:mmlu.parquet", f"add mmlu.parquet {to}",
              "rank board.duckdb -q", ranked),
        store("models", "golden:mmlu.parquet", f"add mmlu.parquet {to}",
              f"{ranked} --models Llama-2-13b-hf --models Yi-6B --models Qwen1.5-110B"),
    ]  # fmt: skip


def _large() -> list[Case]:
    reads = {
        "limit": "mmlu.parquet --memory-limit 2GB",
        "reference": "mmlu.parquet --by-reference",
        "reference-limit": "mmlu.parquet --by-reference --memory-limit 2GB",
        "threads": "mmlu.parquet --by-reference --backend threading",
        "csv-limit": "families.csv --memory-limit 2GB",
        "folds-reference": f"tabarena.parquet {FOLDS} --by-reference",
        "threads-plain": "families.csv --backend threading",
    }
    return [
        board(f"large/{name}", read,
              "--jobs 2" if name.startswith("threads") else "",
              mark="I.3" if name.startswith("folds") else KEEP)
        for name, read in reads.items()
    ]  # fmt: skip


def _demos() -> list[Case]:
    def demo(name: str, file: str, read: str, words: str, votes: bool = False) -> Case:
        return board(f"demos/{name}", f"{file} {read}", words, inputs=f"demo:{file}", votes=votes)

    return [
        demo("mmlu_pro", "mmlu_pro.parquet", "", "--missing pairwise"),
        demo("tabarena", "tabarena_folds.parquet", FOLDS, "--missing drop_models")._replace(
            mark="I.3"
        ),
        demo("vtab", "vtab1k.parquet", "", ""),
        demo("vtab-all", "vtab1k.parquet", "", "--scope all --correction maxt"),
        demo("arena", "arena_counts.parquet", "", "", votes=True),
        *(
            Case(f"defaults/demo-{name}", (f"rankbars demo {name} -o board.json --html x.html",),
                 kept=("board.json",), fitted=name == "arena", mark="I.11 to I.15")
            for name in ("vtab", "arena")
        ),
    ]  # fmt: skip


def _defaults() -> list[Case]:
    """The cases that leave every option to the program: with the two demos 30 of them."""
    table = "tests:tables/"
    reads = (
        ("items", "mmlu.parquet", None, False), ("one-task", "one.csv", "", False),
        ("families", "families.csv", None, False), ("vtab", "vtab.csv", None, False),
        ("pythia", "pythia.csv", None, False), ("mteb", "mteb.csv", None, False),
        ("mle_bench", "mle_bench.csv", None, False), ("eva", "eva.csv", None, False),
        ("tabarena", f"tabarena.parquet {FOLDS}", None, False),
        ("amlb", "amlb.csv --direction higher", None, False),
        ("ucr", "ucr.parquet --rows runs --missing listwise", None, False),
        ("runs", "runs.csv", None, False),
        ("prompts", "prompts.csv", None, False), ("passages", "passages.csv", None, False),
        ("repos", "swebench_repos.csv", None, False),
        ("penalties", "penalties.csv --direction higher", None, False),
        ("votes", "votes.csv", None, True), ("crowd", "crowd.csv", None, True),
        ("arena", "arena.csv", None, True),
        ("vote-tasks", "votes.csv --column task=category", None, True),
        ("missing", "mmlu_gaps.csv --missing pairwise", None, False),
        ("gaps", "mteb_gaps.csv", None, False),
        ("swebench", "pro --missing listwise", "tests:fixtures/swebench/pro", False),
        ("inspect", "json_pair", "tests:fixtures/inspect_ai/json_pair", False),
        ("helm", "runs --missing bounds", "tests:fixtures/helm/benchmark_output/runs", False),
        ("matrix", "items_by_models_langchain_tool_use.csv --layout items-by-models",
         f"{table}items_by_models_langchain_tool_use.csv", False),
        ("explained", "families.csv --explain", None, False),
        ("explained-votes", "votes.csv --explain", None, True),
    )  # fmt: skip
    one = "model,item,score\n" + "".join(
        f"{m},{i},{(i * 3 + j) % (4 + j) > 0:d}\n"
        for i in range(40)
        for j, m in enumerate(("ash", "birch", "cedar"))
    )
    return [
        board(f"defaults/{name}", read, inputs=inputs, mark="I.11 to I.15", fitted=fitted,
              plain=True, texts=(("one.csv", one),) if name == "one-task" else ())
        for name, read, inputs, fitted in reads
    ]  # fmt: skip


def _shown() -> list[Case]:
    """What else can be done with a board, and beside one."""
    made = f"rankbars rank families.csv {options('', READING, ANALYSIS)} -o board.json --pairs -q"
    voted = (
        f"rankbars rank votes.csv {options('', READING, ANALYSIS, VOTES)} -o board.json --pairs -q"
    )

    def case(
        name: str, *lines: str, inputs: str = "golden:families.csv", kept: tuple[str, ...] = (),
        texts: tuple[tuple[str, str], ...] = (), mark: str = KEEP, fitted: bool = False,
    ) -> Case:  # fmt: skip
        return Case(name, lines, tuple(inputs.split()), texts, kept, mark, fitted)

    found = [
        case(f"show/{words.strip('-').replace('--', '').replace(' ', '-') or 'text'}", made,
             f"rankbars show board.json {words}")
        for words in ("", "--format md", "--format csv", "--format latex", "--format dot",
                      "--format json", "--format eee", "--task t03", "--task t03 --format md",
                      "--task t03 --format csv", "--average", "--methods")
    ]  # fmt: skip
    found += [
        case(f"show/votes{words.replace('--', '').replace(' ', '-')}", voted,
             f"rankbars show board.json{words}", inputs="golden:votes.csv", fitted=True)
        for words in ("", " --methods", " --format latex", " --format csv")
    ]  # fmt: skip
    found += [
        case("explain/items", f"rankbars rank mmlu.parquet {options('--explain', ANALYSIS)}",
             inputs="golden:mmlu.parquet"),
        case("explain/estimates", f"rankbars rank vtab.csv {options('--explain', ANALYSIS)}",
             inputs="golden:vtab.csv"),
        case("explain/folds",
             f"rankbars rank tabarena.parquet {FOLDS} {options('--explain', ANALYSIS)}",
             inputs="golden:tabarena.parquet", mark="I.3"),
        case("explain/all",
             f"rankbars rank families.csv {options('--explain --scope all', ANALYSIS)}"),
        case("explain/clusters", f"rankbars rank passages.csv {options('--explain', ANALYSIS)}",
             inputs="golden:passages.csv"),
        case("explain/votes", f"rankbars rank votes.csv {options('--explain', ANALYSIS, VOTES)}",
             inputs="golden:votes.csv", fitted=True),
        case("weights/text", made, "rankbars weights board.json"),
        case("weights/json", made, "rankbars weights board.json --json"),
        case("weights/at", made,
             "rankbars weights board.json --at reading=0.5 --at writing=0.3 --at reasoning=0.2"),
        case("weights/z", made, "rankbars weights board.json --z 1 --json"),
        board("workbooks/chosen", "passages.xlsx --sheet Scores", "--test cluster_t"),
        board("workbooks/all", "penalties.xlsx --sheet '*' --direction higher"),
        case("table/text", "rankbars table records.csv", inputs="", texts=RECORDS),
        case("table/json", "rankbars table records.csv --json", inputs="", texts=RECORDS),
        case("table/percentile", "rankbars table records.csv --interval percentile --seed 3 --json",
             inputs="", texts=RECORDS),
        case("table/metric", "rankbars table records.csv --metric acc --interval t --alpha 0.1",
             inputs="", texts=RECORDS),
        case("diff/text", made, made.replace("families.csv", "other.csv").replace(
            "board.json", "new.json"), "rankbars diff board.json new.json", texts=(OTHER,)),
        case("diff/md", made, made.replace("families.csv", "other.csv").replace(
            "board.json", "new.json"), "rankbars diff board.json new.json --format md",
            texts=(OTHER,)),
        case("diff/json", made, made.replace("families.csv", "other.csv").replace(
            "board.json", "new.json"), "rankbars diff board.json new.json --format json",
            texts=(OTHER,)),
        case("diff/same", made, "rankbars diff board.json board.json"),
        case("diff/options", made, made.replace("--alpha 0.05", "--alpha 0.3").replace(
            "board.json", "new.json"), "rankbars diff board.json new.json --format json"),
        case("looks/continued", "head 150 votes.csv part.csv",
             "rankbars rank part.csv --anytime --test e_process --missing raise -o board.json",
             "rankbars rank votes.csv --anytime --test e_process --missing raise -o board.json",
             inputs="golden:votes.csv",
             kept=("board.json", "board.running.json"), fitted=True),
    ]  # fmt: skip
    pair = options("", TWO_MODELS, READING)
    two = "golden:old.csv golden:new.csv"
    found += [
        case(f"compare/{name}{'-json' if json else ''}",
             f"rankbars compare {read} {options(words, TWO_MODELS, READING)}"
             + (" --json" if json else ""), inputs=inputs, mark=mark, fitted="votes" in name)
        for name, read, words, inputs, mark in (
            ("files", "new.csv old.csv", "", two, KEEP),
            ("tasks-aside", "new.csv old.csv", "--aggregate none", two, KEEP),
            ("over-tasks", "new.csv old.csv", "--aggregate tasks", two, KEEP),
            ("mcnemar", "new.csv old.csv", "--test mcnemar", two, KEEP),
            ("signflip", "new.csv old.csv", "--test signflip", two, KEEP),
            ("wilcoxon", "new.csv old.csv", "--test wilcoxon --alpha 0.1", two, KEEP),
            ("models", "families.csv --models 'system e' --models 'system a'", "",
             "golden:families.csv", KEEP),
            ("folds", f"tabarena.parquet {FOLDS} --models '(Prep)Linear (tuned)' "
             "--models '(Prep)LightGBM (tuned)'", "",
             "golden:tabarena.parquet", KEEP),
            ("estimates", "vtab.csv --models Rel.Pat.Loc --models Sup-100%", "", "golden:vtab.csv",
             KEEP),
            ("zero-errors", "mle_bench.csv --models 'Disarray 0' --models 'LoongFlow 1'", "",
             "golden:mle_bench.csv", KEEP),
            ("votes", "votes.csv --models 'system a' --models 'system d'", "", "golden:votes.csv",
             KEEP),
            ("clusters", "passages.csv --models 'system a' --models 'system d'", "",
             "golden:passages.csv", KEEP),
            ("skewed", "penalties.csv --direction higher --models 'system a' --models 'system e'",
             "", "golden:penalties.csv", KEEP),
            ("gaps", "mmlu_gaps.csv --models DeepSeek-Coder-V2 --models Llama-2-13b-hf",
             "--missing pairwise", "golden:mmlu_gaps.csv", KEEP),
        )
        for json in (False, True)
    ]  # fmt: skip
    found += [
        case("compare/id-correct", f"rankbars compare b.csv a.csv {pair}", inputs="",
             texts=(("a.csv", "id,correct\n" + "".join(f"q{i},{i % 2}\n" for i in range(40))),
                    ("b.csv", "id,correct\n" + "".join(f"q{i},{i % 3 > 0:d}\n"
                                                       for i in range(40))))),
        case("compare/folders", f"rankbars compare zeta alpha {pair}", inputs="",
             texts=(("alpha/r.csv", "model,item,score\n" + "".join(
                 f"alpha,{i},{i % 2}\n" for i in range(30))),
                 ("zeta/r.csv", "model,item,score\n" + "".join(
                     f"zeta,{i},{i % 4 > 0:d}\n" for i in range(30)))), mark="J.1"),
        case("formats/tables", "rankbars formats families.csv vtab.csv votes.csv mmlu.parquet",
             inputs="golden:families.csv golden:vtab.csv golden:votes.csv golden:mmlu.parquet"),
        case("formats/logs", "rankbars formats pro json_pair current echo",
             inputs="tests:fixtures/swebench/pro tests:fixtures/inspect_ai/json_pair "
             "tests:fixtures/lm_eval/current tests:fixtures/promptfoo/echo"),
        case("formats/nothing", "rankbars formats notes.txt", inputs="",
             texts=(("notes.txt", "nothing to see\n"),)),
        case("formats/list", "rankbars formats", inputs=""),
        case("demos/list", "rankbars demo --list", inputs=""),
        case("chosen/models", f"rankbars rank mmlu.parquet {options('', READING, ANALYSIS)} "
             "--models Llama-2-13b-hf --models Yi-6B --models Qwen1.5-110B -o board.json "
             "--md board.md --pairs", inputs="golden:mmlu.parquet",
             kept=("board.json", "board.md")),
        case("chosen/tasks", f"rankbars rank families.csv {options('', READING, ANALYSIS)} "
             "--tasks t01 --tasks t02 --tasks t07 -o board.json --md board.md --pairs",
             kept=("board.json", "board.md")),
        case("chosen/smoke-run", f"rankbars rank smoke.csv {options('', READING, ANALYSIS)} "
             "--models full1 --models full2 -o board.json --md board.md --pairs", inputs="",
             texts=(("smoke.csv", SMOKE),), kept=("board.json", "board.md"), mark="J.4"),
    ]  # fmt: skip
    return found


RECORDS = (
    ("records.csv", "model_id,task_id,metric_name,score,category\n" + "".join(
        f"m{j},t{i},acc,{((i * 5 + j * 3) % 10) / 10},c{i % 2}\n"
        for i in range(9) for j in range(4)
    )),
)  # fmt: skip
OTHER = ("other.csv", "model,task,item,score\n" + "".join(
    f"system {m},t{t:02},{i},{(i * 3 + j * t + t) % (5 - j) > 0:d}\n"
    for t in range(11) for i in range(20) for j, m in enumerate("abcx")
))  # fmt: skip
SMOKE = "model,item,score\n" + "".join(
    f"{m},{i},{(i * 7 + j) % (3 + j) > 0:d}\n"
    for j, m in enumerate(("full1", "full2"))
    for i in range(60)
) + "".join(f"smoke,{i},1\n" for i in range(6))  # fmt: skip

BOARDS: tuple[Case, ...] = (
    *_tests(), *_skewed(), *_estimates(), *_votes(), *_merges(), *_averages(), *_missing(),
    *_tables(), *_logs(), *_stores(), *_large(), *_demos(), *_defaults(), *_shown(),
)  # fmt: skip

"""A paragraph for the methods section of a paper, its references, and how to cite."""

from __future__ import annotations

from typing import NamedTuple

from rankbars.data.aggregate import Aggregate, Over
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.intervals import RankIntervals
from rankbars.render.claims import (
    approximate_sentence,
    average_words,
    drawn_words,
    is_approximate,
    is_weighted,
    lead_claim,
    leads_with_band,
    overall_claim,
    statements_level,
    task_claim,
)
from rankbars.render.methodbox import (
    alike_tasks,
    estimator_words,
    merge_words,
    method_words,
    named_tasks,
    test_words,
    untested,
)
from rankbars.render.notation import show_level
from rankbars.render.sentences import field_parts
from rankbars.render.shownnames import plain_name

__all__ = [
    "SOURCES",
    "YEAR",
    "citation",
    "methods_paragraph",
    "methods_text",
    "references",
]

_MISSING = {
    "pairwise": "every pair was compared on the rows that both models have",
    "listwise": "only rows with a score from every model were used",
    "fail": "a missing answer counted as the lowest score",
    "drop_models": "models with missing scores were left out",
    "bounds": "a model with missing scores counted as absent from that task",
}
_AVERAGES: dict[Over, str] = {
    "items": "exactly these tasks",
    "tasks": "the population that these tasks stand for",
    "families": "the population of families that these stand for",
}
YEAR = 2026  # of the version that is being written


def methods_paragraph(board: Leaderboard) -> str:
    """A paragraph for the methods section of a paper, with the settings of this board.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> values = {"math": np.arange(20.0).reshape(10, 2) % 7}
    >>> board = rb.leaderboard(rb.Scores.from_arrays(values, ["a", "b"]))
    >>> methods_paragraph(board).split(". ")[1]
    'All pairs of models were compared by a paired t-test, each direction by itself'
    """
    sentences = [
        f"We compared {_field(board)} with rankbars {board.version} (seed {board.spec.seed}).",
        *_task_sentences(board),
        *_average_sentences(board),
        *_new_task_sentences(board),
        *_leader_sentences(board),
    ]
    if (board.coverage < 1.0).any() and board.spec.missing in _MISSING:
        sentences.append(f"Where scores were missing, {_MISSING[board.spec.missing]}.")
    return " ".join(sentences)


def methods_text(board: Leaderboard) -> str:
    """The paragraph, its references, and how to cite the package.

    Parameters
    ----------
    board : Leaderboard
        The result.

    Returns
    -------
    str
        Plain text that ends with a line break.
    """
    sources = "\n".join(["References:", *references(board)])
    return "\n\n".join([methods_paragraph(board), sources, citation(board)]) + "\n"


def references(board: Leaderboard) -> tuple[str, ...]:
    """The sources that the paragraph of a board cites, in order of their authors."""
    return _sources_in(methods_paragraph(board))


def _task_sentences(board: Leaderboard) -> list[str]:
    sentences = []
    for tasks in alike_tasks(board.tasks.values()):
        if untested(tasks[0]):
            sentences.append(_without_errors(board, tasks))
            continue
        test = test_words(board, tasks[0]) + _cited(_source_of_test(board, tasks[0]))
        pairs = (
            "All pairs" if len(tasks) == len(board.tasks) else f"On {named_tasks(tasks)}, all pairs"
        )
        sentences.append(f"{pairs} of models were compared by {test}, each direction by itself.")
    first = next(iter(board.tasks.values()))
    correction = method_words("correction", first.correction)
    correction += _cited(_OF_CORRECTIONS.get(first.correction))
    families = (
        "for each model and each side of its interval separately"
        if first.scope == "each"
        else "over all ordered pairs of models"
    )
    ends = (
        "from 1 plus the number of models shown to be better "
        f"to {len(board.models)} minus the number of models it was shown to be better than"
    )
    sentences.append(
        f"With {correction}, applied {families}, a rank confidence interval runs {ends} "
        f"({task_claim(first).words}; Neuhof and Benjamini 2026)."
    )
    return sentences


def _without_errors(board: Leaderboard, tasks: list[TaskResult]) -> str:
    every = len(tasks) == len(board.tasks)
    where = "" if every else f" on {named_tasks(tasks)}"
    there = "on a single task" if every else "there"
    return f"Scores{where} came without standard errors, so no two models were compared {there}."


def _average_sentences(board: Leaderboard) -> list[str]:
    average = board.aggregate
    if average is None and board.lead != "task":
        return []
    sentences = []
    if average is not None:
        what = f"For the {_averaged(board, average)} over {_AVERAGES[average.over]}, "
        estimator = estimator_words(average)
        sentences.append(
            f"{what}ranges of ranks were counted in {drawn_words(average)}; they describe, "
            "without a guarantee."
            if leads_with_band(board)
            else f"{what}models were compared by {estimator}{_cited('average')}, with the same "
            f"rule for ranks ({lead_claim(board).words})."
        )
        if is_weighted(board) and average.over == "tasks" and not leads_with_band(board):
            sentences.append(
                "Weights were fixed in advance, and the tasks are one sample, whatever their "
                "weight."
            )
    if leads_with_band(board):
        return sentences
    about = (
        "which models may be first, which neighbours differ, and tiers"
        if board.tiers
        else "which of two models is better"
    )
    sentences.append(
        f"Statements about {about} are made for all models at once. {approximate_sentence(board)}"
        if is_approximate(board)
        else f"Statements about {about} hold for all models at once at {statements_level(board)}."
    )
    return sentences


def _averaged(board: Leaderboard, average: Aggregate) -> str:
    words = average_words(average)
    if not is_weighted(board):
        return words
    within = average.over == "families"  # families count alike
    return f"{words}, weighted within each family," if within else f"weighted {words}"


def _new_task_sentences(board: Leaderboard) -> list[str]:
    overall = board.overall
    if overall is None or overall.trivial:
        return []
    sentence = (
        f"Rank prediction intervals for a new task from the same source put the {len(board.tasks)} "
        f"task intervals together by {merge_words(overall)}"
        f"{_cited(_OF_MERGES.get(overall.method))} ({overall_claim(overall).words})."
    )
    return [sentence, *_budget_sentences(overall, len(board.tasks))]


def _budget_sentences(overall: RankIntervals, n_tasks: int) -> list[str]:
    """How the error rate was spent, where task intervals were made for the new task."""
    if overall.task_alpha is None or overall.left_out is None:
        return []
    return [
        f"For this purpose the task intervals were made for each model by itself at "
        f"{show_level(overall.task_alpha)}, and {overall.left_out} of {n_tasks + 1} may be left "
        "out; both numbers follow from the number of tasks and the rates alone."
    ]


def _leader_sentences(board: Leaderboard) -> list[str]:
    found = board.leader
    if found is None:
        return []
    way = "a simultaneous interval for all candidates"
    if found.method == "hybrid":
        way = f"the hybrid interval for the observed best{_cited('leader')}"
    declared = board.spec.variants.items()
    tries = "".join(
        f"; {plain_name(name)} is the best of {k} declared tries" for name, k in declared
    )
    return [
        f"The score of the leader was corrected for its selection by {way} "
        f"({show_level(found.alpha)}{tries})."
    ]


def _field(board: Leaderboard) -> str:
    models, tasks, *rows = field_parts(board)
    return f"{models} on {tasks}" + (f" ({rows[0]})" if rows else "")


class _Source(NamedTuple):
    """One publication.

    Attributes
    ----------
    short : str
        As it is _cited in a sentence: ``"Holm 1979"``.
    full : str
        As it stands in a list of references.
    """

    short: str
    full: str


SOURCES: dict[str, _Source] = {
    "leader": _Source(
        "Andrews et al. 2024",
        "Andrews, I., Kitagawa, T. and McCloskey, A. (2024). Inference on winners. The Quarterly "
        "Journal of Economics 139, 305-358. "
        "doi:10.1093/qje/qjad043.",
    ),
    "average": _Source(
        "Longjohn et al. 2025",
        "Longjohn, R., Gopalan, G. and Casleton, E. (2025). Statistical uncertainty quantification "
        "for aggregate performance metrics in machine learning benchmarks. arXiv:2501.04234.",
    ),
    "conformal": _Source(
        "Lei et al. 2018",
        "Lei, J., G'Sell, M., Rinaldo, A., Tibshirani, R. and Wasserman, L. (2018). "
        "Distribution-free predictive inference for regression. Journal of the American "
        "Statistical Association 113, 1094-1111. "
        "doi:10.1080/01621459.2017.1307116.",
    ),
    "corrected_t": _Source(
        "Nadeau and Bengio 2003",
        "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine "
        "Learning 52, 239-281. "
        "doi:10.1023/A:1024068626366.",
    ),
    "davidson": _Source(
        "Davidson 1970",
        "Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in "
        "paired comparison experiments. Journal of the American Statistical Association 65, "
        "317-328. "
        "doi:10.1080/01621459.1970.10481082.",
    ),
    "e_process": _Source(
        "Vovk and Wang 2021",
        "Vovk, V. and Wang, R. (2021). E-values: calibration, combination and applications. "
        "Annals of Statistics 49, 1736-1754. "
        "doi:10.1214/20-AOS2020.",
    ),
    "e_strength": _Source(
        "Waudby-Smith et al. 2024",
        "Waudby-Smith, I., Arbour, D., Sinha, R., Kennedy, E. H. and Ramdas, A. (2024). "
        "Time-uniform central limit theory and asymptotic confidence sequences. Annals of "
        "Statistics 52, 2613-2640. "
        "doi:10.1214/24-AOS2408.",
    ),
    "holm": _Source(
        "Holm 1979",
        "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
        "Journal of Statistics 6, 65-70.",
    ),
    "maxt": _Source(
        "Romano and Wolf 2005",
        "Romano, J. P. and Wolf, M. (2005). Exact and approximate stepdown methods for multiple "
        "hypothesis testing. Journal of the American Statistical Association 100, 94-108. "
        "doi:10.1198/016214504000000539.",
    ),
    "mcnemar": _Source(
        "McNemar 1947",
        "McNemar, Q. (1947). Note on the sampling error of the difference between correlated "
        "proportions or percentages. Psychometrika 12, 153-157. "
        "doi:10.1007/BF02295996.",
    ),
    "ranks": _Source(
        "Neuhof and Benjamini 2026",
        "Neuhof, B. and Benjamini, Y. (2026). Rank intervals for leaderboards: a hierarchical "
        "framework for model evaluation. arXiv:2606.08679.",
    ),
    "rao-kupper": _Source(
        "Rao and Kupper 1967",
        "Rao, P. V. and Kupper, L. L. (1967). Ties in paired-comparison experiments: a "
        "generalization of the Bradley-Terry model. Journal of the American Statistical "
        "Association 62, 194-204. "
        "doi:10.1080/01621459.1967.10482901.",
    ),
    "simes": _Source(
        "Goeman and Solari 2011",
        "Goeman, J. J. and Solari, A. (2011). Multiple testing for exploratory research. "
        "Statistical Science 26, 584-597. "
        "doi:10.1214/11-STS356.",
    ),
    "votes": _Source(
        "Bradley and Terry 1952",
        "Bradley, R. A. and Terry, M. E. (1952). Rank analysis of incomplete block designs: the "
        "method of paired comparisons. Biometrika 39, 324-345. "
        "doi:10.1093/biomet/39.3-4.324.",
    ),
    "wilcoxon": _Source(
        "Wilcoxon 1945",
        "Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, "
        "80-83. "
        "doi:10.2307/3001968.",
    ),
    "yuen": _Source(
        "Yuen 1974",
        "Yuen, K. K. (1974). The two-sample trimmed t for unequal population variances. "
        "Biometrika 61, 165-170. "
        "doi:10.1093/biomet/61.1.165.",
    ),
}
_OF_TESTS = {
    "corrected_t": "corrected_t",
    "e_process": "e_process",
    "e_strength": "e_strength",
    "mcnemar": "mcnemar",
    "mcnemar_midp": "mcnemar",
    "trimmed_t": "yuen",
    "wilcoxon": "wilcoxon",
}
_OF_CORRECTIONS = {
    "e_average": "e_process",
    "holm": "holm",
    "maxt": "maxt",
    "maxt_bootstrap": "maxt",
    "simes": "simes",
}
_OF_MERGES = {"joint": "conformal", "observed": "conformal", "simultaneous": "conformal"}


def _source_of_test(board: Leaderboard, task: TaskResult) -> str | None:
    """Key of the source of the test on a task, if it has one of its own."""
    if task.kind == "votes" and task.test == "z":
        ties = board.spec.votes.ties
        return ties if ties in SOURCES else "votes"
    return _OF_TESTS.get(task.test)


def _cited(key: str | None) -> str:
    """The short form in brackets, after a space; empty without a source.

    Examples
    --------
    >>> _cited("holm"), _cited(None)
    (' (Holm 1979)', '')
    """
    return "" if key is None else f" ({SOURCES[key].short})"


def _sources_in(text: str) -> tuple[str, ...]:
    """The sources that a text cites, in order of their authors.

    Examples
    --------
    >>> [source[:12] for source in _sources_in("Ranks follow Holm 1979.")]
    ['Holm, S. (19']
    """
    return tuple(sorted(source.full for source in SOURCES.values() if source.short in text))


def citation(board: Leaderboard) -> str:
    """A BibTeX entry for the version of the package that made the board."""
    return "\n".join(
        [
            "@software{rankbars,",
            "  author = {{The rankbars developers}},",
            "  title = {rankbars: error bars for leaderboard ranks},",
            f"  version = {{{board.version}}},",
            f"  year = {{{YEAR}}}",
            "}",
        ]
    )

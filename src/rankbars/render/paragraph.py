"""A paragraph for the methods section of a paper, with its references."""

from __future__ import annotations

from rankbars.data.aggregate import Over
from rankbars.data.board import Leaderboard
from rankbars.render.averages import average_words, leads_with_band
from rankbars.render.claims import lead_claim, overall_claim, task_claim
from rankbars.render.methods import (
    alike_tasks,
    lead_alpha,
    merge_words,
    method_words,
    named_tasks,
    test_words,
)
from rankbars.render.numbers import show_level
from rankbars.render.sentences import field_parts

__all__ = ["citation", "methods_paragraph", "methods_text", "references"]

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
_REFERENCES = {
    "holm": "Holm, S. (1979). A simple sequentially rejective multiple test procedure. "
    "Scandinavian Journal of Statistics 6, 65-70.",
    "ranks": "Neuhof, B. and Benjamini, Y. (2026). Rank intervals for leaderboards: a hierarchical "
    "framework for model evaluation. arXiv:2606.08679.",
    "corrected_t": "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. "
    "Machine Learning 52, 239-281.",
    "votes": "Bradley, R. A. and Terry, M. E. (1952). Rank analysis of incomplete block designs: "
    "the method of paired comparisons. Biometrika 39, 324-345.",
    "e_process": "Vovk, V. and Wang, R. (2021). E-values: calibration, combination and "
    "applications. Annals of Statistics 49, 1736-1754.",
    "average": "Longjohn, R., Gopalan, G. and Casleton, E. (2025). Statistical uncertainty "
    "quantification for aggregate performance metrics in machine learning benchmarks. "
    "arXiv:2501.04234.",
}


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
    """The sources of the methods that this board used."""
    keys = ["ranks"]
    if board.spec.correction == "holm":
        keys.append("holm")
    keys += sorted({task.test for task in board.tasks.values()} & _REFERENCES.keys())
    if any(task.kind == "votes" and task.test == "z" for task in board.tasks.values()):
        keys.append("votes")
    if board.aggregate is not None:
        keys.append("average")
    return tuple(_REFERENCES[key] for key in keys)


def citation(board: Leaderboard) -> str:
    """A BibTeX entry for the version of the package that made the board."""
    return "\n".join(
        [
            "@software{rankbars,",
            "  author = {{The rankbars developers}},",
            "  title = {rankbars: error bars for leaderboard ranks},",
            f"  version = {{{board.version}}}",
            "}",
        ]
    )


def _task_sentences(board: Leaderboard) -> list[str]:
    sentences = []
    for tasks in alike_tasks(board.tasks.values()):
        test = test_words(board, tasks[0])
        pairs = (
            "All pairs" if len(tasks) == len(board.tasks) else f"On {named_tasks(tasks)}, all pairs"
        )
        sentences.append(f"{pairs} of models were compared by {test}, each direction by itself.")
    first = next(iter(board.tasks.values()))
    correction = method_words("correction", first.correction)
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


def _average_sentences(board: Leaderboard) -> list[str]:
    average = board.aggregate
    if average is None and board.lead != "task":
        return []
    sentences = []
    if average is not None:
        what = f"For the {average_words(average)} over {_AVERAGES[average.over]}, "
        estimator = method_words("estimator", average.estimator)
        sentences.append(
            f"{what}ranges of ranks were counted in draws; they describe, without a guarantee."
            if leads_with_band(board)
            else f"{what}models were compared by {estimator}, with the same rule for ranks "
            f"({lead_claim(board).words})."
        )
    if leads_with_band(board):
        return sentences
    level = show_level(lead_alpha(board))
    sentences.append(
        "Statements about which models may be first, which neighbours differ, and tiers hold for "
        f"all models at once at {level}."
    )
    return sentences


def _new_task_sentences(board: Leaderboard) -> list[str]:
    overall = board.overall
    if overall is None or overall.trivial:
        return []
    sentence = (
        f"Rank prediction intervals for a new task from the same source put the {len(board.tasks)} "
        f"task intervals together by {merge_words(overall)} ({overall_claim(overall).words})."
    )
    return [sentence]


def _field(board: Leaderboard) -> str:
    models, tasks, *rows = field_parts(board)
    return f"{models} on {tasks}" + (f" ({rows[0]})" if rows else "")

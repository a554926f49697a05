"""A paragraph for the methods section of a paper, with its references."""

from __future__ import annotations

from rankbars.data.aggregate import Aggregate, Over
from rankbars.data.board import Leaderboard, TaskResult
from rankbars.render import citations
from rankbars.render.averages import average_words, drawn_words, is_weighted, leads_with_band
from rankbars.render.citations import (
    cited,
    source_of_correction,
    source_of_merge,
    source_of_test,
)
from rankbars.render.claims import lead_claim, overall_claim, task_claim
from rankbars.render.methods import (
    alike_tasks,
    lead_alpha,
    merge_words,
    method_words,
    named_tasks,
    test_words,
    untested,
)
from rankbars.render.numbers import show_level
from rankbars.render.sentences import field_parts

__all__ = ["methods_paragraph", "methods_text", "references"]

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
    return "\n\n".join([methods_paragraph(board), sources, citations.citation(board)]) + "\n"


def references(board: Leaderboard) -> tuple[str, ...]:
    """The sources that the paragraph of a board cites, in order of their authors."""
    return citations.references(methods_paragraph(board))


def _task_sentences(board: Leaderboard) -> list[str]:
    sentences = []
    for tasks in alike_tasks(board.tasks.values()):
        if untested(tasks[0]):
            sentences.append(_without_errors(board, tasks))
            continue
        test = test_words(board, tasks[0]) + cited(source_of_test(board, tasks[0]))
        pairs = (
            "All pairs" if len(tasks) == len(board.tasks) else f"On {named_tasks(tasks)}, all pairs"
        )
        sentences.append(f"{pairs} of models were compared by {test}, each direction by itself.")
    first = next(iter(board.tasks.values()))
    correction = method_words("correction", first.correction)
    correction += cited(source_of_correction(first.correction))
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
        estimator = method_words("estimator", average.estimator)
        sentences.append(
            f"{what}ranges of ranks were counted in {drawn_words(average)}; they describe, "
            "without a guarantee."
            if leads_with_band(board)
            else f"{what}models were compared by {estimator}{cited('average')}, with the same rule "
            f"for ranks ({lead_claim(board).words})."
        )
        if is_weighted(board) and average.over == "tasks" and not leads_with_band(board):
            sentences.append(
                "Weights were fixed in advance, and the tasks are one sample, whatever their "
                "weight."
            )
    if leads_with_band(board):
        return sentences
    level = show_level(lead_alpha(board))
    sentences.append(
        "Statements about which models may be first, which neighbours differ, and tiers hold for "
        f"all models at once at {level}."
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
        f"{cited(source_of_merge(overall.method))} ({overall_claim(overall).words})."
    )
    return [sentence]


def _field(board: Leaderboard) -> str:
    models, tasks, *rows = field_parts(board)
    return f"{models} on {tasks}" + (f" ({rows[0]})" if rows else "")

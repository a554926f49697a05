"""The sources of the methods, and which of them a board used."""

from __future__ import annotations

from typing import NamedTuple

from rankbars.data.board import Leaderboard, TaskResult

__all__ = [
    "SOURCES",
    "YEAR",
    "Source",
    "citation",
    "cited",
    "references",
    "source_of_correction",
    "source_of_merge",
    "source_of_test",
]

YEAR = 2026  # of the version that is being written


class Source(NamedTuple):
    """One publication.

    Attributes
    ----------
    short : str
        As it is cited in a sentence: ``"Holm 1979"``.
    full : str
        As it stands in a list of references.
    """

    short: str
    full: str


SOURCES: dict[str, Source] = {
    "average": Source(
        "Longjohn et al. 2025",
        "Longjohn, R., Gopalan, G. and Casleton, E. (2025). Statistical uncertainty quantification "
        "for aggregate performance metrics in machine learning benchmarks. arXiv:2501.04234.",
    ),
    "conformal": Source(
        "Lei et al. 2018",
        "Lei, J., G'Sell, M., Rinaldo, A., Tibshirani, R. and Wasserman, L. (2018). "
        "Distribution-free predictive inference for regression. Journal of the American "
        "Statistical Association 113, 1094-1111.",
    ),
    "corrected_t": Source(
        "Nadeau and Bengio 2003",
        "Nadeau, C. and Bengio, Y. (2003). Inference for the generalization error. Machine "
        "Learning 52, 239-281.",
    ),
    "davidson": Source(
        "Davidson 1970",
        "Davidson, R. R. (1970). On extending the Bradley-Terry model to accommodate ties in "
        "paired comparison experiments. Journal of the American Statistical Association 65, "
        "317-328.",
    ),
    "e_process": Source(
        "Vovk and Wang 2021",
        "Vovk, V. and Wang, R. (2021). E-values: calibration, combination and applications. "
        "Annals of Statistics 49, 1736-1754.",
    ),
    "holm": Source(
        "Holm 1979",
        "Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian "
        "Journal of Statistics 6, 65-70.",
    ),
    "maxt": Source(
        "Romano and Wolf 2005",
        "Romano, J. P. and Wolf, M. (2005). Exact and approximate stepdown methods for multiple "
        "hypothesis testing. Journal of the American Statistical Association 100, 94-108.",
    ),
    "mcnemar": Source(
        "McNemar 1947",
        "McNemar, Q. (1947). Note on the sampling error of the difference between correlated "
        "proportions or percentages. Psychometrika 12, 153-157.",
    ),
    "ranks": Source(
        "Neuhof and Benjamini 2026",
        "Neuhof, B. and Benjamini, Y. (2026). Rank intervals for leaderboards: a hierarchical "
        "framework for model evaluation. arXiv:2606.08679.",
    ),
    "rao-kupper": Source(
        "Rao and Kupper 1967",
        "Rao, P. V. and Kupper, L. L. (1967). Ties in paired-comparison experiments: a "
        "generalization of the Bradley-Terry model. Journal of the American Statistical "
        "Association 62, 194-204.",
    ),
    "simes": Source(
        "Goeman and Solari 2011",
        "Goeman, J. J. and Solari, A. (2011). Multiple testing for exploratory research. "
        "Statistical Science 26, 584-597.",
    ),
    "votes": Source(
        "Bradley and Terry 1952",
        "Bradley, R. A. and Terry, M. E. (1952). Rank analysis of incomplete block designs: the "
        "method of paired comparisons. Biometrika 39, 324-345.",
    ),
    "wilcoxon": Source(
        "Wilcoxon 1945",
        "Wilcoxon, F. (1945). Individual comparisons by ranking methods. Biometrics Bulletin 1, "
        "80-83.",
    ),
    "yuen": Source(
        "Yuen 1974",
        "Yuen, K. K. (1974). The two-sample trimmed t for unequal population variances. "
        "Biometrika 61, 165-170.",
    ),
}
_OF_TESTS = {
    "corrected_t": "corrected_t",
    "e_process": "e_process",
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


def source_of_test(board: Leaderboard, task: TaskResult) -> str | None:
    """Key of the source of the test on a task, if it has one of its own."""
    if task.kind == "votes" and task.test == "z":
        ties = board.spec.votes.ties
        return ties if ties in SOURCES else "votes"
    return _OF_TESTS.get(task.test)


def cited(key: str | None) -> str:
    """The short form in brackets, after a space; empty without a source.

    Examples
    --------
    >>> cited("holm"), cited(None)
    (' (Holm 1979)', '')
    """
    return "" if key is None else f" ({SOURCES[key].short})"


def source_of_correction(name: str) -> str | None:
    """Key of the source of a correction, if it has one of its own."""
    return _OF_CORRECTIONS.get(name)


def source_of_merge(name: str) -> str | None:
    """Key of the source of a merge, if it has one of its own."""
    return _OF_MERGES.get(name)


def references(text: str) -> tuple[str, ...]:
    """The sources that a text cites, in order of their authors.

    Examples
    --------
    >>> [source[:12] for source in references("Ranks follow Holm 1979.")]
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

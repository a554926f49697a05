"""What became of every expected row of every task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from rankbars.data.evidence import Coverage
from rankbars.data.names import locate_models
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import Outline, outline_of

__all__ = ["count_outcomes", "spread_coverage"]


def count_outcomes(scores: Scores) -> Scores:
    """The same scores with the outcomes of all rows counted, as far as they are known.

    Counts are of the input: what is done about missing scores later does not change them.

    Parameters
    ----------
    scores : Scores
        Tasks whose reader told apart what failed, what ran unscored and what left no trace keep
        those counts; else every row without a score is missing. Published scores and votes have
        no rows to count.

    Examples
    --------
    >>> scores = Scores.from_arrays({"math": [[1, 0], [0, np.nan]]}, ["a", "b"])
    >>> counts = count_outcomes(scores).info["math"].coverage
    >>> counts.scored.tolist(), counts.zeros.tolist(), counts.missing.tolist()
    ([2, 1], [1, 1], [0, 1])
    """
    info = {}
    for name in scores.tasks:
        about = scores.info[name]
        outline = outline_of(scores.tasks, name)
        if outline is not None:
            coverage = about.coverage or _observe(outline)
            about = replace(about, coverage=replace(coverage, zeros=outline.zeros))
        info[name] = about
    return replace(scores, info=info)


def spread_coverage(
    coverage: Coverage, of_models: Sequence[str], models: Sequence[str]
) -> Coverage:
    """Counts about `of_models` as counts about `models`; for further ones all rows are missing.

    Examples
    --------
    >>> spread_coverage(Coverage(2, [2], [0], [0], [0]), ("b",), ("a", "b")).missing.tolist()
    [2, 0]
    """
    columns = locate_models(tuple(of_models), tuple(models))
    counts = {}
    for name in ("scored", "unscored", "errors", "zeros", "missing"):
        given = getattr(coverage, name)
        if given is not None:
            counts[name] = np.full(len(models), coverage.expected if name == "missing" else 0)
            counts[name][columns] = given
    return Coverage(coverage.expected, **counts)


def _observe(outline: Outline) -> Coverage:
    scored = outline.rows - outline.missing
    nothing = np.zeros_like(scored)
    return Coverage(outline.rows, scored, nothing, nothing, outline.missing)

"""The tests of a pair of models: a table from name to function, and the rule behind ``auto``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Estimates, Evidence, Folds, Items
from rankbars.data.notes import Note
from rankbars.errors import OptionError, UnknownOptionError
from rankbars.stats.pairs import PairStatistics
from rankbars.steps.meantests import cluster_t_test, corrected_t_test, t_test, z_test
from rankbars.steps.tested import Tested, pad_tested

__all__ = ["TESTS", "PairTest", "choose_test", "compare_evidence"]

PairTest = Callable[[Evidence], Tested]

TESTS: dict[str, PairTest] = {
    "t": t_test,
    "corrected_t": corrected_t_test,
    "cluster_t": cluster_t_test,
    "z": z_test,
}


def choose_test(evidence: Evidence) -> str:
    """The test that ``auto`` stands for: the design of the rows decides, never the result."""
    if isinstance(evidence, Estimates):
        return "z"
    if isinstance(evidence.design, Folds):
        return "corrected_t"
    return "cluster_t" if evidence.clusters is not None else "t"


def compare_evidence(
    evidence: Evidence, models: tuple[str, ...], test: str, task: str
) -> Comparisons:
    """Comparisons of all `models` on one task; those without evidence are compared with nobody.

    Raises
    ------
    UnknownOptionError
        If the test is not known.
    OptionError
        If the test does not fit the evidence; names the task.
    """
    if test != "auto" and test not in TESTS:
        raise UnknownOptionError.among("test", test, ("auto", *TESTS))
    name = choose_test(evidence) if test == "auto" else test
    present = _present(evidence)
    taken = _take(evidence, present)
    try:
        tested = TESTS[name](taken)
    except UnknownOptionError:
        raise
    except OptionError as error:
        raise OptionError(f"Task {task!r}: {error}") from error
    positions = np.array([models.index(model) for model in taken.models], dtype=np.int64)
    padded = pad_tested(tested, positions, len(models))
    rows = evidence.n if isinstance(evidence, Items) else _known_rows(evidence)
    identical = _identical_note(padded.pairs, models, task)
    return Comparisons(
        models=models,
        mean=padded.summary.mean,
        mean_se=padded.summary.se,
        mean_df=padded.summary.df,
        pairs=padded.pairs,
        test=name,
        rows=rows,
        task=task,
        exact_p=padded.exact_p,
        assumptions=tested.assumptions,
        guaranteed=tested.guaranteed,
        notes=tuple(Note(code, text, task) for code, text in tested.notes) + identical,
        evidence=taken,
    )


def _identical_note(
    pairs: PairStatistics | None, models: tuple[str, ...], task: str
) -> tuple[Note, ...]:
    if pairs is None or not pairs.identical.any():
        return ()
    names = tuple(models[i] for i in np.flatnonzero(pairs.identical.any(axis=1)))
    message = "Identical scores on every row; nothing can tell these models apart."
    return (Note("identical-models", message, task, names),)


def _present(evidence: Evidence) -> NDArray[np.intp]:
    values = evidence.values if isinstance(evidence, Items) else evidence.mean[None, :]
    return np.flatnonzero(~np.isnan(values).all(axis=0))


def _take(evidence: Evidence, columns: NDArray[np.intp]) -> Evidence:
    if columns.size == len(evidence.models):
        return evidence
    models = tuple(evidence.models[i] for i in columns)
    if isinstance(evidence, Items):
        return replace(evidence, models=models, values=evidence.values[:, columns], answers=None)
    return Estimates(
        models,
        evidence.mean[columns],
        None if evidence.se is None else evidence.se[columns],
        None if evidence.cov is None else evidence.cov[np.ix_(columns, columns)],
        None if evidence.n is None else evidence.n[columns],
    )


def _known_rows(evidence: Estimates) -> int:
    return 0 if evidence.n is None else int(evidence.n.max(initial=0))

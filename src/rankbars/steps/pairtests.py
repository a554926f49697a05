"""The tests of a pair of models: a table from name to function, and the rule behind ``auto``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Estimates, Evidence, Folds, Items, take_models
from rankbars.data.fields import locate_models
from rankbars.data.notes import Note
from rankbars.data.votes import Votes
from rankbars.errors import OptionError, UnknownOptionError
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.steps.itemtests import (
    judge_t_test,
    mcnemar_midp_test,
    mcnemar_test,
    signflip_test,
    trimmed_t_test,
    two_way_test,
    welch_test,
    wilcoxon_test,
)
from rankbars.steps.meantests import cluster_t_test, corrected_t_test, t_test, z_test
from rankbars.steps.testrows import Setting, Tested, VoteTests, has_answers_of_runs, pad_tested
from rankbars.steps.validity import design_of, find_cell

__all__ = [
    "TESTS",
    "VOTE_TESTS",
    "PairTest",
    "choose_test",
    "compare_evidence",
    "identical_note",
    "take_present",
]

PairTest = Callable[[Evidence, Setting], Tested]


def binomial_test(evidence: Evidence, setting: Setting) -> Tested:
    """Exact binomial test of the votes between two models; votes alone load what it needs."""
    from rankbars.steps import votetests

    return votetests.binomial_test(evidence, setting)


def e_process_test(evidence: Evidence, setting: Setting) -> Tested:
    """Evidence that may be looked at at any time; votes alone load what it needs."""
    from rankbars.steps import votetests

    return votetests.e_process_test(evidence, setting)


def e_strength_test(evidence: Evidence, setting: Setting) -> Tested:
    """The same from all votes together, in the limit; votes alone load what it needs."""
    from rankbars.steps import votetests

    return votetests.e_strength_test(evidence, setting)


TESTS: dict[str, PairTest] = {
    "t": t_test,
    "corrected_t": corrected_t_test,
    "cluster_t": cluster_t_test,
    "z": z_test,
    "wilcoxon": wilcoxon_test,
    "trimmed_t": trimmed_t_test,
    "signflip": signflip_test,
    "mcnemar": mcnemar_test,
    "mcnemar_midp": mcnemar_midp_test,
    "two_way": two_way_test,
    "welch": welch_test,
    "judge_t": judge_t_test,
    "binomial": binomial_test,
    "e_process": e_process_test,
    "e_strength": e_strength_test,
}

VOTE_TESTS = ("binomial", "e_process", "e_strength")
"""Tests that are for pairwise votes only."""


def choose_test(evidence: Evidence, runs: str = "independent") -> str:
    """The test that ``auto`` stands for: the design of the rows decides, never the result.

    Whether `runs` are ``"shared"``, which moves all their answers, is declared.
    """
    if isinstance(evidence, Estimates | Votes):
        return "z"
    if isinstance(evidence.design, Folds):
        return "corrected_t"
    if runs == "shared" and has_answers_of_runs(evidence):
        return "two_way"
    if evidence.clusters is not None:
        return "cluster_t"
    return "t" if evidence.judge is None else "judge_t"


def compare_evidence(
    evidence: Evidence,
    models: tuple[str, ...],
    test: str,
    task: str,
    setting: Setting | None = None,
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
    setting = setting or Setting()
    name = choose_test(evidence, setting.runs) if test == "auto" else test
    taken = take_present(evidence)
    try:
        run = partial(TESTS[name], taken, setting._replace(key=task))
        memory = setting.memory
        tested = memory.once(name, task, run) if isinstance(memory, VoteTests) else run()
    except UnknownOptionError:
        raise
    except OptionError as error:
        raise OptionError(f"Task {task!r}: {error}") from error
    design = design_of(taken, name, setting.votes.pairing)
    positions = locate_models(taken.models, models)
    about = tuple(
        Note(code, text, task, tuple(taken.models[i] for i in members))
        for code, text, members in tested.about
    )
    if tested.kept is not None:
        positions = positions[tested.kept]
    padded = pad_tested(tested, positions, len(models))
    rows = _known_rows(evidence) if tested.rows is None else tested.rows
    identical = _identical_notes(padded.pairs, models, task)
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
        decided_by=padded.decided_by,
        assumptions=tested.assumptions,
        guaranteed=find_cell(name, "holm", "each", design).verdict == "valid",
        design=design,
        insisted=test != "auto",
        skewness=tested.skewness,
        notes=tuple(Note(code, text, task) for code, text in tested.notes) + about + identical,
        evidence=taken if tested.fitted is None else tested.fitted,
        log_e=padded.log_e,
        effects=tested.effects,
        suspects=tested.suspects,
        suspect_groups=tested.suspect_groups,
    )


def take_present(evidence: Evidence) -> Evidence:
    """The evidence about the models that have any, in the order of their names."""
    present = sorted(_present(evidence).tolist(), key=evidence.models.__getitem__)
    return take_models(evidence, present)


def _identical_notes(
    pairs: PairStatistics | None, models: tuple[str, ...], task: str
) -> tuple[Note, ...]:
    if pairs is None or not pairs.identical.any():
        return ()
    names = [models[i] for i in np.flatnonzero(pairs.identical.any(axis=1))]
    return (identical_note(names, task),)


def identical_note(models: Sequence[str], task: str) -> Note:
    """What must be said of models that have the score of another one of them on every row."""
    message = (
        "Each of these models has the same score as another one of them on every row, up to "
        "rounding; such a pair cannot be told apart."
    )
    return Note("identical-models", message, task, tuple(models))


def _present(evidence: Evidence) -> NDArray[np.intp]:
    if isinstance(evidence, Votes):
        return np.arange(len(evidence.models))
    values = evidence.values if isinstance(evidence, Items) else evidence.mean[None, :]
    absent = np.isnan(values[:1]).all(axis=0)
    if absent.any():
        absent &= np.isnan(values).all(axis=0)
    return np.flatnonzero(~absent)


def _known_rows(evidence: Evidence) -> int:
    if not isinstance(evidence, Estimates):
        return evidence.n
    return 0 if evidence.n is None else int(evidence.n.max(initial=0))

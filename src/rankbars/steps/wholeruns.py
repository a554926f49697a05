"""What several answers to an item are where nobody said it: drawn anew, or moved by their run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.data.storedtasks import known_outline
from rankbars.steps.testrows import has_answers_of_runs
from rankbars.steps.validity import design_of, find_cell

__all__ = ["settle_runs"]


def settle_runs(scores: Scores, spec: Spec) -> tuple[Spec, tuple[Note, ...]]:
    """The options with what several answers to an item are, and a note where the data decided it.

    Nobody said it where `spec.runs` is ``"auto"``. Runs are then shared if the answers of all
    models to all tasks show that whole runs differ, and every task with several answers has them
    complete, so that new runs can be covered; else independent.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> answers = rng.normal(size=(50, 4, 2)) + rng.normal(size=(1, 4, 2))
    >>> task = Items(("a", "b"), answers.mean(axis=1), runs=answers)
    >>> settle_runs(Scores({"law": task}), Spec())[0].runs
    'shared'
    """
    if spec.runs != "auto":
        return spec, ()
    independent = replace(spec, runs="independent")
    if spec.test != "auto":
        return independent, ()
    several = dict(_several(scores))
    if not several or not all(_takes_runs(one, spec) for one in several.values()):
        return independent, ()
    from rankbars.steps.noiseparts import examine_task_runs, run_chances

    found = [examine_task_runs(one, spec.seed, name) for name, one in several.items()]
    chances = run_chances(one for one in found if one is not None)
    if not chances.differ:
        return independent, ()
    text = (
        f"Whole runs differ by more than chance (p = {chances.p:.2g}), so what is said is for new "
        'items and new runs. --runs independent (runs="independent") speaks of these runs, and '
        "is narrower. More runs tell more; more items alone do not."
    )
    return replace(spec, runs="shared"), (Note("runs-differ", text),)


def _several(scores: Scores) -> Iterator[tuple[str, Evidence]]:
    """Tasks with several answers to an item; others are not read."""
    for name in scores.tasks:
        outline = known_outline(scores.tasks, name)
        if outline is not None and outline.answers is None:
            continue
        evidence = scores.tasks[name]
        if has_answers_of_runs(evidence):
            yield name, evidence


def _takes_runs(evidence: Evidence, spec: Spec) -> bool:
    """Whether there is a test for new items and new runs, and the correction goes with it."""
    if not isinstance(evidence, Items) or evidence.crossed is None:
        return False
    if any(one is not None for one in (evidence.clusters, evidence.weights, evidence.judge)):
        return False
    design = design_of(evidence, "two_way")
    return find_cell("two_way", spec.correction, spec.scope, design).verdict != "refused"

"""Which methods fit the data at hand, which one ``auto`` chose and why, and whether they agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from rankbars.data.evidence import Estimates, Evidence, Folds
from rankbars.data.explanation import Choice, Explanation, MethodOutcome
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.data.votes import Votes
from rankbars.errors import OptionError
from rankbars.pipeline import leaderboard
from rankbars.steps.corrections import CORRECTIONS, refuse_unfit
from rankbars.steps.missingness import resolve_missing
from rankbars.steps.pairtests import TESTS, VOTE_TESTS, choose_test

__all__ = ["explain"]


def explain(scores: Scores, spec: Spec | None = None) -> Explanation:
    """Say which test and correction are used and why, and what the other ones would say.

    Parameters
    ----------
    scores : Scores
        Evaluation results.
    spec : Spec, optional
        Options of the board; the defaults where not given.

    Returns
    -------
    Explanation
        The choices with their reasons, and for every applicable method the mean width of the
        task intervals and the models that may be first. The method must be chosen for its
        assumptions: choosing the one with the nicest answer voids its guarantee.

    Raises
    ------
    DataError
        If scores are missing and the policy of `spec` is ``"raise"``.
    OptionError
        If the correction of `spec` has no law for its test.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> scores = rb.Scores.from_arrays({"math": rng.random((30, 3))}, ["a", "b", "c"])
    >>> found = explain(scores)
    >>> found.choices[0].test, [o.correction for o in found.outcomes if o.test == "t"]
    ('t', ['holm', 'bonferroni', 'simes', 'maxt', 'maxt_bootstrap', 'bootstrap_band', 'none'])
    """
    spec = Spec() if spec is None else spec
    refuse_unfit(spec.test, spec.correction)
    resolved = resolve_missing(scores, spec.missing)
    chosen = {
        name: choose_test(evidence) if spec.test == "auto" else spec.test
        for name, evidence in resolved.tasks.items()
    }
    tests = sorted(set(chosen.values()))
    choices = tuple(
        Choice(
            test,
            _reason(next(resolved.tasks[name] for name, one in chosen.items() if one == test))
            if spec.test == "auto"
            else "It was asked for.",
            tuple(name for name, one in chosen.items() if one == test),
        )
        for test in tests
    )
    outcomes, skipped = [], []
    own = tests[0] if len(tests) == 1 else "auto"
    votes = all(isinstance(evidence, Votes) for evidence in resolved.tasks.values())
    for test, correction in _combinations(own, spec.correction, votes=votes):
        try:
            outcomes.append(_outcome(resolved, spec, test, correction, own))
        except OptionError as error:
            name = test if correction == spec.correction else correction
            skipped.append((name, str(error)))
    return Explanation(choices, _CORRECTIONS[spec.correction], tuple(outcomes), tuple(skipped))


def _combinations(test: str, correction: str, *, votes: bool) -> list[tuple[str, str]]:
    """The test in use with every correction, then other tests with the correction in use."""
    anytime = test == "e_process"
    off = {"maxt_bootstrap", "bootstrap_band"} if votes else set()  # they resample rows
    names = [name for name in CORRECTIONS if name not in off and (anytime or name != "e_average")]
    own = [(test, name) for name in (correction, *(name for name in names if name != correction))]
    usual = "holm" if correction == "e_average" else correction
    if not votes:
        return own + [(name, usual) for name in TESTS if name != test and name not in VOTE_TESTS]
    own_too = {"e_process": "e_average"}  # e-values have a correction of their own
    others = [name for name in ("z", *VOTE_TESTS) if name != test]
    return own + [(name, own_too.get(name, usual)) for name in others]


def _outcome(scores: Scores, spec: Spec, test: str, correction: str, own: str) -> MethodOutcome:
    board = leaderboard(
        scores,
        spec=replace(spec, test=test, correction=correction, missing="pairwise"),
    )
    widths = [task.worst - task.best for task in board.tasks.values()]
    says = board.lead != "new_task" and correction not in ("none", "bootstrap_band")
    return MethodOutcome(
        test=test,
        correction=correction,
        width=float(np.mean(widths)),
        winners=board.undominated() if says else (),
        used=(test, correction) == (own, spec.correction),
    )


def _reason(evidence: Evidence) -> str:
    if isinstance(evidence, Estimates):
        return (
            "Models come with one published score each, so differences are compared with their "
            "errors."
        )
    if isinstance(evidence, Votes):
        return "Models were compared in votes, so contrasts of their fitted strengths are tested."
    if isinstance(evidence.design, Folds):
        return (
            "Rows are cross-validation folds, which share training data; the plain t-test would "
            "take them as independent."
        )
    if evidence.clusters is not None:
        return "Rows come in clusters; the clusters, not the rows, are independent."
    if evidence.kind == "runs":
        what = "prompt variants" if evidence.design == "prompts" else "training runs"
        return f"Rows are {what}; all models share them, so differences are paired."
    return "All models answered the same items, so differences are paired item by item."


_CORRECTIONS = {
    "holm": "Holm: valid however the comparisons depend on each other.",
    "bonferroni": "Bonferroni: valid however the comparisons depend on each other; never sharper "
    "than Holm.",
    "simes": "Simes counts: never wider than Holm; they need differences of a model that are not "
    "negatively correlated, which is checked.",
    "maxt": "Step-down max-T with sign flips: uses how comparisons depend on each other; needs "
    "differences that are symmetric under no difference.",
    "maxt_bootstrap": "Step-down max-T with the bootstrap: uses how comparisons depend on each "
    "other; for many rows.",
    "bootstrap_band": "Bootstrap rank band (Algorithm 3): a description, not a confidence interval "
    "under ties.",
    "none": "No correction: a description without a guarantee.",
    "e_average": "Averages of e-values: valid however often one looks.",
}

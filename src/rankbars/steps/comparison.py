"""The verb `compare`: every pair of models on every task."""

from __future__ import annotations

from rankbars.data.comparisons import Comparisons
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec, VoteOptions
from rankbars.errors import OptionError
from rankbars.steps.pairtests import compare_evidence
from rankbars.steps.testrows import Setting
from rankbars.steps.wholeruns import settle_runs

__all__ = ["compare"]


def compare(
    scores: Scores,
    *names: str,
    test: str = "auto",
    seed: int = 0,
    resamples: int = 1000,
    votes: VoteOptions | None = None,
    zero_se: str = "zero",
    runs: str = "auto",
) -> dict[str, Comparisons]:
    """Tests of all pairs of models, task by task.

    Parameters
    ----------
    scores : Scores
        Evaluation results.
    *names
        None are taken: all models are compared. For two of them there is `rankbars.head_to_head`.
    test : str
        ``"auto"`` (the design of the rows decides), ``"t"`` (paired), ``"corrected_t"``
        (Nadeau–Bengio, for cross-validation), ``"cluster_t"``, ``"z"`` (published scores, or
        Bradley–Terry strengths of votes), ``"binomial"``, ``"e_process"`` and ``"e_strength"``
        (votes), ``"wilcoxon"``, ``"trimmed_t"``, ``"signflip"``, ``"mcnemar"`` or
        ``"mcnemar_midp"`` (0/1 scores), ``"two_way"`` (items crossed with runs) or ``"welch"``
        (nothing paired); ``"judge_t"`` for labels with a judge (`rankbars.with_judge`).
    seed, resamples : int
        Start of the random streams and number of resamples, for ``"signflip"``.
    votes : VoteOptions, optional
        How pairwise votes are turned into strengths.
    zero_se : {"zero", "largest"}
        What a published standard error of 0 counts as where the number of 0/1 items behind it is
        not known: 0, or the largest error of another model on the task.
    runs : {"auto", "independent", "shared", "anew"}
        What several answers to one item are: drawn anew for each item, which the paired t-test on
        their mean covers, or moved together by an effect of the run (a training seed, a prompt, a
        day) that all its answers share. ``"auto"`` is then ``"two_way"`` where items have several
        answers.

    Returns
    -------
    dict from str to Comparisons
        One per task. Entry ``p[i, j]`` is the one-sided p-value that model i is better than j,
        each direction computed from the statistic.

    Raises
    ------
    UnknownOptionError
        If the test is not known.
    OptionError
        If a name is not known, or the test does not fit the evidence of a task.
    DataError
        If votes do not put all models on one scale.

    Notes
    -----
    Identical models give no evidence in either direction (p = 1). A constant difference on n
    rows counts as ``2**-n``, never as 0. Missing scores are deleted pair by pair.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [1, 0], [1, 1], [0, 0]]}, ["a", "b"])
    >>> float(rb.compare(scores)["math"].diff[0, 1])
    0.5
    """
    if names:
        called = ", ".join(map(repr, names))
        raise OptionError(
            f"compare(scores) compares all models, task by task, and takes no names; got {called}. "
            f"Two models: rb.head_to_head(scores, {called})."
        )
    models = scores.models
    asked = Spec(test=test, seed=seed, resamples=resamples, zero_se=zero_se, runs=runs)
    spec, _ = settle_runs(scores, asked)
    setting = Setting(
        seed, resamples, votes=VoteOptions() if votes is None else votes, zero_se=spec.zero_se,
        runs=spec.runs,
    )  # fmt: skip
    return {
        name: compare_evidence(evidence, models, test, name, setting)
        for name, evidence in scores.tasks.items()
    }

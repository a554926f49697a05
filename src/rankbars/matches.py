"""Two models, from their results to a verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rankbars.data.headtohead import HeadToHead
from rankbars.data.scores import Scores
from rankbars.data.spec import VoteOptions
from rankbars.errors import DataError, OptionError
from rankbars.intake import take_scores
from rankbars.steps.duels import contrast_models
from rankbars.steps.missingness import find_gaps, refuse_gaps, resolve_missing

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["head_to_head", "take_pair"]


def head_to_head(
    scores: Results,
    a: str,
    b: str,
    *,
    test: str = "auto",
    alpha: float = 0.05,
    over: str = "auto",
    missing: str = "raise",
    seed: int = 0,
    resamples: int = 1000,
    votes: VoteOptions | None = None,
    zero_se: str = "zero",
    runs: str = "independent",
) -> HeadToHead:
    """Whether model `a` is better than model `b`: on each task, and on the average.

    What the command ``rankbars compare`` does, from Python.

    Parameters
    ----------
    scores : Scores, path, or data frame
        Results in which both models occur; other models are not looked at. A path, several, or
        ``{"a": path, "b": path}`` are read by `rankbars.read`, a frame by `Scores.from_frame`.
    a, b : str
        The two models.
    test : str
        Paired test within a task; see `rankbars.compare`.
    alpha : float
        Error rate of each verdict by itself, both sides together.
    over : {"auto", "items", "tasks", "families", "none"}
        Which average; see `rankbars.aggregate`.
    missing : str
        What to do where one of the two has no score; see `rankbars.leaderboard`.
        ``"pairwise"`` compares them on the rows that both have.
    seed, resamples : int
        Start of the random stream and number of resamples, for tests that resample.
    votes : VoteOptions, optional
        How pairwise votes are turned into strengths; of votes, those between the two count.
    zero_se : {"zero", "largest"}
        What a published standard error of 0 counts as; see `rankbars.compare`.
    runs : {"independent", "shared"}
        Whether all answers of a run share an effect; see `rankbars.compare`.

    Returns
    -------
    HeadToHead
        Differences are signed so that positive favours `a`. A verdict is ``"better"`` or
        ``"worse"`` where one side of the test rejects at ``alpha / 2``, else ``"cannot tell"``.
        For tests of the mean that is where the interval lies on one side of zero.

    Raises
    ------
    UnknownOptionError
        If a model does not occur, or a name is not known.
    OptionError
        If `a` and `b` are the same model, `alpha` is out of range, or the average that was asked
        for cannot be formed.
    DataError
        If a score of one of the two is missing and `missing` is ``"raise"``, or they have no row
        in common on any task.

    Notes
    -----
    Two models that agree on every row, or differ by the same amount on every row, show no spread:
    there is then no interval and no smallest detectable difference, and a constant difference
    counts as ``2**-n``.

    Verdicts of several tasks are not corrected for their number. Intervals, and the average, are
    always about means; a test of something else (``wilcoxon``, ``mcnemar``, …) decides the
    verdicts on tasks only, and a note says so.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays(
    ...     {"math": [[1, 0], [1, 0], [1, 1], [0, 0], [1, 0], [1, 0], [1, 1], [1, 0]]}, ["a", "b"])
    >>> duel = rb.head_to_head(scores, "a", "b")
    >>> math = duel.tasks["math"]
    >>> math.difference, math.ahead, math.behind, math.verdict
    (0.625, 5, 0, 'better')
    """
    for what, name in (("a", a), ("b", b)):
        if not isinstance(name, str):
            raise OptionError.out_of_range(what, name, "the name of a model")
    if a == b:
        raise OptionError(f"Two different models are needed; got {a!r} twice.")
    pair = take_pair(take_scores("head_to_head", scores, (a, b)), a, b)
    return contrast_models(
        _without_gaps(pair, (a, b), missing), a, b, test=test, alpha=alpha, over=over, seed=seed,
        resamples=resamples, votes=votes, zero_se=zero_se, runs=runs,
    )  # fmt: skip


def take_pair(scores: Scores, a: str, b: str) -> Scores:
    """The scores of the two alone: no gap of a third matters, nor that they were chosen."""
    pair = scores.select(models=(a, b))
    return replace(pair, notes=tuple(one for one in pair.notes if one.code != "chosen"))


def _without_gaps(pair: Scores, models: tuple[str, str], missing: str) -> Scores:
    gaps = find_gaps(pair)
    if gaps and missing == "raise":
        call = f"rb.head_to_head(scores, {models[0]!r}, {models[1]!r}, "
        raise refuse_gaps(pair, gaps, ("pairwise", "listwise", "fail"), "compared", call)
    if gaps and missing == "bounds" and {gap.task for gap in gaps} == set(pair.tasks):
        raise DataError(
            "--missing bounds leaves out the tasks on which one of the two lacks a score, and here "
            "that is every task, so nothing is left to compare. Use --missing pairwise, listwise "
            "or fail."
        )
    resolved = resolve_missing(pair, missing)
    for name in models:
        if name not in resolved.models:
            raise DataError(
                f"--missing {missing} leaves out {name!r}, so nothing is left to compare. "
                "Use --missing pairwise, listwise or fail."
            )
    return resolved

"""Two models, from their results to a verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from rankbars.calls import check_name
from rankbars.data.headtohead import HeadToHead
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import MISSING_ITEMS, MISSING_POLICIES, MISSING_TASKS, VoteOptions
from rankbars.errors import DataError, OptionError
from rankbars.intake import take_scores
from rankbars.steps.duels import contrast_models
from rankbars.steps.gaps import Gap, find_gaps, never_run, tasks_apart
from rankbars.steps.missingness import refuse_gaps, refuse_pairless, resolve_items, resolve_missing
from rankbars.steps.rowquestions import PASTE_COLUMN, question_rows
from rankbars.tables.chosenmodels import take_alone

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["head_to_head"]


def head_to_head(
    scores: Results,
    a: str,
    b: str,
    *,
    test: str = "auto",
    alpha: float = 0.05,
    over: str = "auto",
    missing: str = "auto",
    missing_tasks: str | None = None,
    missing_items: str | None = None,
    seed: int = 0,
    resamples: int = 1000,
    votes: VoteOptions | None = None,
    zero_se: str = "zero",
    runs: str = "auto",
    average_anyway: bool = False,
    normalise: str | None = None,
    independent_rows: bool = False,
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
        ``"pairwise"`` compares them on the rows that both have; ``"auto"`` stops.
    missing_tasks : str, optional
        What to do with tasks that one of the two never ran: ``"insert"``, ``"additive"`` and
        ``"drop_tasks"`` compare them on the tasks that both ran, which for two models is one and
        the same; ``"bounds"`` shows no average; ``"raise"`` stops. Without it as `missing` says,
        and ``"insert"`` where only `missing_items` is given.
    missing_items : str, optional
        What to do where a task was run and rows have no score. Without it as `missing` says.
    seed, resamples : int
        Start of the random stream and number of resamples, for tests that resample.
    votes : VoteOptions, optional
        How pairwise votes are turned into strengths; of votes, those between the two count.
    zero_se : {"zero", "largest"}
        What a published standard error of 0 counts as; see `rankbars.compare`.
    runs : {"auto", "independent", "shared", "anew"}
        Whether all answers of a run share an effect; see `rankbars.compare`.
    average_anyway : bool
        Whether scores of different metrics are averaged as they are; see `rankbars.aggregate`.
    normalise : {"bounds", "chance"}, optional
        Scale of the scores before they are averaged: declared limits to 0 and 1; guessing to 0 and
        the best score to 1.
    independent_rows : bool
        Rows that resemble each other are independent, and not asked about; items of one name are
        others on every task.

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
    if normalise is not None:
        check_name("normalisation of two models", normalise, ("none", "bounds", "chance"))
        normalise = None if normalise == "none" else normalise
    if a == b:
        raise OptionError(f"Two different models are needed; got {a!r} twice.")
    pair = take_alone(take_scores("head_to_head", scores, (a, b)), (a, b))
    pair = _without_gaps(pair, (a, b), missing, missing_tasks, missing_items, test)
    duel = contrast_models(
        pair, a, b, test=test, alpha=alpha, over=over, seed=seed, resamples=resamples, votes=votes,
        zero_se=zero_se, runs=runs, average_anyway=average_anyway, normalise=normalise,
        independent_rows=independent_rows,
    )  # fmt: skip
    if independent_rows:
        return duel
    return replace(duel, notes=(*duel.notes, *question_rows(pair.tasks, PASTE_COLUMN)))


def _without_gaps(
    pair: Scores, models: tuple[str, str], missing: str, tasks: str | None, items: str | None,
    test: str,
) -> Scores:  # fmt: skip
    """The pair with its gaps settled: tasks that were never run first where they are asked for."""
    check_name("missing policy", missing, ("auto", *MISSING_POLICIES))
    if tasks is not None:
        check_name("policy for missing tasks", tasks, MISSING_TASKS)
    if items is not None:
        check_name("policy for missing items", items, MISSING_ITEMS)
    by_word = missing not in (*MISSING_ITEMS, "auto")
    if tasks is not None or items is not None or by_word:
        word = missing if missing in MISSING_TASKS else "insert"
        pair = _without_tasks(pair, models, word if tasks is None else tasks)
        missing = items or (missing if missing in MISSING_ITEMS else "raise")
        apart = [gap for gap in find_gaps(pair) if not never_run(pair, gap)]
        return _without_items(pair, models, missing, apart, resolve_items, test)
    missing = "raise" if missing == "auto" else missing
    return _without_items(pair, models, missing, find_gaps(pair), resolve_missing, test)


def _without_tasks(pair: Scores, models: tuple[str, str], policy: str) -> Scores:
    """The tasks that both ran, with a note on the others; the whole where no average is wanted."""
    lacking = {gap.task: gap.model for gap in find_gaps(pair) if never_run(pair, gap)}
    if not lacking:
        return pair
    both = [name for name in pair.tasks if name not in lacking]
    task, model = next(iter(lacking.items()))
    who = repr(model) if len(set(lacking.values())) == 1 else "One or the other"
    of = f"{len(lacking):,} of {len(pair.tasks):,} tasks"
    summary = f"{who} never ran {of}; for instance {model!r} never ran {task!r}."
    if len(lacking) == 1:
        summary = f"{who} never ran {of}: {task!r}."
    if policy == "raise":
        raise DataError(
            f"{summary}\nNothing was compared. Choose what to do with them (the line to paste, "
            f"what it does):\n  --missing-tasks insert  the {len(both):,} tasks that both ran\n"
            "  --missing-tasks bounds  these tasks too, without a difference; no average\n"
            f"In Python: rb.head_to_head(scores, {models[0]!r}, {models[1]!r}, "
            'missing_tasks="insert").'
        )
    if policy == "drop_models":
        raise DataError(
            f"{summary} --missing-tasks drop_models leaves out a model that lacks a task, so "
            "nothing is left to compare. Use --missing-tasks insert."
        )
    if not both:
        raise DataError(
            tasks_apart(pair)
            or f"Models {models[0]!r} and {models[1]!r} have no task in common, so they cannot be "
            "compared. Are tasks named alike for both?"
        )
    if policy == "bounds":
        return pair.with_notes([Note("missing", f"{summary} There the difference may be any.")])
    text = f"{summary} The two are compared on the {len(both):,} that both ran."
    return pair.select(tasks=both).with_notes([Note("missing", text)])


def _without_items(
    pair: Scores, models: tuple[str, str], missing: str, gaps: list[Gap],
    resolve: Callable[..., Scores], test: str,
) -> Scores:  # fmt: skip
    call = f"rb.head_to_head(scores, {models[0]!r}, {models[1]!r}, "
    if missing == "pairwise":
        refuse_pairless(pair, test, "compared", call)
    if gaps and missing == "raise":
        raise refuse_gaps(pair, gaps, ("pairwise", "listwise", "fail"), "compared", call, test=test)
    if gaps and missing == "bounds" and {gap.task for gap in gaps} == set(pair.tasks):
        raise DataError(
            "--missing bounds leaves out the tasks on which one of the two lacks a score, and here "
            "that is every task, so nothing is left to compare. Use --missing pairwise, listwise "
            "or fail."
        )
    resolved = resolve(pair, missing, test=test)
    for name in models:
        if name not in resolved.models:
            raise DataError(
                f"--missing {missing} leaves out {name!r}, so nothing is left to compare. "
                "Use --missing pairwise, listwise or fail."
            )
    return resolved

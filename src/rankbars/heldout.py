"""The verb `hold_out`: whether ranks on some tasks lie where the other tasks say they would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from rankbars.data.diagnosis import HeldOut
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import Spec
from rankbars.data.storedtasks import sizes_of
from rankbars.errors import DataError, OptionError
from rankbars.intake import take_scores
from rankbars.pipeline import leaderboard, usable_scores
from rankbars.stats.newtask.guarantees import miss_bound
from rankbars.stats.streams import stream
from rankbars.steps.correctionchoice import can_bear_flips
from rankbars.taskranking import Wanted, rank_tasks

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["hold_out"]

# Of one kind of task, drawn at random; the others speak of categories, families or weights.
_PLAIN = ("joint", "quantile", "union", "simultaneous", "observed")


def hold_out(
    scores: Results,
    tasks: int = 10,
    *,
    spec: Spec | None = None,
    pairs: bool = False,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> HeldOut:
    """Hold out tasks at random, and look where models rank on them.

    Rank intervals for a new task are made from the other tasks; rank intervals on the tasks that
    were held out are made in the way of those that were merged.

    Parameters
    ----------
    scores : Scores, path, or data frame
        As for `rankbars.leaderboard`. Models that lack a task are treated as its options say, and
        left out where these would place them among the others.
    tasks : int
        How many are held out; at least 2 remain.
    spec : Spec, optional
        Options of the leaderboard; its `seed` also says which tasks are held out.
    pairs, n_jobs, progress
        As for `rankbars.leaderboard`.

    Returns
    -------
    HeldOut
        The board of the other tasks, the rank intervals on those held out, which of them lie
        within those for a new task, and what share should.

    Raises
    ------
    OptionError
        If there are not as many tasks, or the merge is not about any new task.
    DataError
        If the board of the other tasks has no interval for a new one.

    Notes
    -----
    Exchangeable tasks are assumed, as they are for the new-task interval itself. That the whole
    interval on a task lies within it is more than that the true rank does, and its probability is
    at least one minus the miss probability of the merge, without the error of the task intervals
    (Neuhof and Benjamini 2026, section 4.3, look at ten tasks of 57 in this way). A few tasks
    cannot tell a share that is a little too small.

    Examples
    --------
    >>> import numpy as np
    >>> import rankbars as rb
    >>> rng = np.random.default_rng(0)
    >>> made = {f"task {i}": rng.random((60, 3)) + [0.0, 0.3, 0.9] for i in range(12)}
    >>> found = rb.hold_out(rb.Scores.from_arrays(made, ["a", "b", "c"]), 4)
    >>> sorted(found.tasks), found.inside.shape
    (['task 1', 'task 10', 'task 11', 'task 4'], (4, 3))
    >>> found.share, round(found.expected, 3)
    (1.0, 0.889)
    """
    spec = Spec() if spec is None else spec
    if spec.merge not in _PLAIN:
        raise OptionError(
            f"Tasks are held out at random, and the {spec.merge} merge is not about a task that is "
            f"drawn at random. Merges that are: {', '.join(_PLAIN)}."
        )
    taken = take_scores("hold_out", scores)
    known = usable_scores(taken, spec)
    names = sorted(known.tasks)
    if not 1 <= tasks <= len(names) - 2:
        raise OptionError(
            f"{tasks} of {len(names)} tasks cannot be held out: hold out at least 1, and leave at "
            "least 2."
        )
    drawn = stream(spec.seed, "hold out").permutation(len(names))[:tasks]
    chosen = sorted(names[i] for i in drawn.tolist())
    others = known.select(tasks=[name for name in known.tasks if name not in chosen])
    board = leaderboard(
        others.with_notes([_note(taken, known, chosen, spec.seed)]),
        spec=spec, pairs=pairs, n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    overall = board.overall
    if overall is None:
        raise DataError("The other tasks give no rank interval for a new one.")
    made = _ranks_to_merge(known.select(tasks=chosen), others, spec, overall, n_jobs=n_jobs)
    return HeldOut(board, made, _expected(overall, len(board.tasks)))


def _expected(overall: RankIntervals, n_tasks: int) -> float:
    """Share of intervals on new tasks that lie within, at least, where tasks are exchangeable."""
    if overall.trivial:
        return 1.0
    left_out = overall.left_out
    rate = overall.alpha if left_out is None else Fraction(left_out, n_tasks + 1)
    merge = "joint" if overall.method == "observed" else overall.method
    return float(1 - miss_bound(merge, n_tasks, rate))


def _note(taken: Scores, known: Scores, chosen: list[str], seed: int) -> Note:
    gone = len(taken.models) - len(known.models)
    which = "1 model that lacks some task is" if gone == 1 else f"{gone} models that lack some are"
    also = f" {which} left out." if gone else ""
    return Note(
        "held-out",
        f"{len(chosen)} of {len(known.tasks)} tasks were held out (seed {seed}): "
        f"{', '.join(chosen[:12])}{' and more' if len(chosen) > 12 else ''}.{also}",
    )


def _ranks_to_merge(
    scores: Scores, like: Scores, spec: Spec, overall: RankIntervals, *, n_jobs: int = 1
) -> dict[str, RankIntervals]:
    """Rank intervals on tasks, made as those of other tasks that a merge was made of.

    Parameters
    ----------
    scores : Scores
        Tasks that were not merged.
    like : Scores
        Those that were.
    spec : Spec
        Their options.
    overall : RankIntervals
        What was made of them.
    n_jobs : int
        Workers over tasks.
    """
    wanted = Wanted(
        replace(spec, scope="each", independent_rows=True),
        task_alpha=overall.task_alpha,
        pairs=False,
        bins=False,
        strict=False,
        rows=False,
        look=None,
        bears=spec.correction == "auto" and can_bear_flips(sizes_of(like.tasks), spec.resamples),
    )
    made = {}
    for name, ranked in rank_tasks(scores, wanted, n_jobs, None):
        merged = ranked.intervals if ranked.merged is None else ranked.merged
        made[name] = ranked.observed if overall.method == "observed" else merged
    return made

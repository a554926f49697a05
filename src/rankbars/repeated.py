"""The verb `noise`: which part of an error is items, answers to them, and whole runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankbars.calls import check_name
from rankbars.data.board import Leaderboard
from rankbars.data.evidence import take_models
from rankbars.data.noise import Costs, Noise, TaskNoise
from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError, OptionError
from rankbars.intake import refuse_stopped, take_scores
from rankbars.steps.missingness import resolve_missing
from rankbars.steps.noiseparts import examine_task_noise

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["noise"]

_ALPHA = 0.05


def noise(
    scores: Results | Leaderboard,
    pair: Sequence[str] | None = None,
    *,
    alpha: float = _ALPHA,
    cost_item: float | None = None,
    cost_trial: float | None = None,
    budget: float | None = None,
    missing: str | None = None,
    seed: int = 0,
) -> Noise:
    """Say where the errors of scores come from: items, the answers to them, and whole runs.

    Parameters
    ----------
    scores : Scores, path, data frame, or Leaderboard
        Results in which items have several answers (trials, seeds, epochs, prompts); or a board
        made of such results, which keeps what they say, with intervals at its own level.
    pair : (str, str), optional
        Two models: their difference is spoken of. Without it, all models and pairs.
    alpha : float
        Error rate of the intervals.
    cost_item, cost_trial : float, optional
        What is paid for an item, whatever is asked of it, and for one answer of all compared models
        to it: then it is said whether more items or more trials are worth the money.
    budget : float, optional
        With costs: what may be spent.
    missing : {"raise", "pairwise", "listwise", "fail"}, optional
        What to do where a model has no score on an item. Without it every model counts on the items
        that it has, and a pair on those that both have, as with ``"pairwise"``.
    seed : int
        Seed of permutations where there are fewer than 10 items.

    Returns
    -------
    Noise
        By task, for each model and each pair: the parts of the variance with intervals; how often
        two answers to an item differ; the error that "mean ± sd over trials" would suggest; a test
        for an effect that whole runs share, with its power.

    Raises
    ------
    DataError
        If no item has several answers, or a model of the pair is not there.
    OptionError
        If a cost is out of range, or only one of the two is given.

    Notes
    -----
    The paired t-test on item means holds for new items and new answers, whatever the numbers of
    answers, as long as runs have no effect that all their answers share. See `split_means`,
    `examine_runs` and the documentation page *Noise*.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(1)
    >>> easy = rng.beta(0.7, 0.7, (60, 1, 1))
    >>> cube = (rng.random((60, 4, 2)) < easy).astype(float)
    >>> scores = rb.Scores({"law": rb.Items(("a", "b"), cube.mean(axis=1), runs=cube)})
    >>> found = rb.noise(scores)
    >>> found.tasks["law"].pairs.share.round(2).tolist()
    [0.91]
    """
    costs = _costs(cost_item, cost_trial, budget)
    if isinstance(scores, Leaderboard):
        if missing is not None:
            raise OptionError(
                "What is missing was settled when the board was made: leave out missing= "
                "(--missing), or give the results."
            )
        return _of_board(scores, pair, alpha, costs)
    taken = take_scores("noise", scores)
    refuse_stopped(taken)
    if missing is not None:
        taken = resolve_missing(taken, missing)
    if not 0 < alpha < 1:
        raise OptionError.out_of_range("alpha", alpha, "between 0 and 1")
    if seed < 0:
        raise OptionError.out_of_range("seed", seed, "0 or more")
    if pair is not None:
        _check_pair(pair, taken.models)
    models = taken.models if pair is None else tuple(sorted(pair))
    tasks: dict[str, TaskNoise] = {}
    for name in taken.tasks:
        evidence = taken.tasks[name]
        if pair is not None:
            if not set(models) <= set(evidence.models):
                continue
            evidence = take_models(evidence, [evidence.models.index(one) for one in models])
        found = examine_task_noise(evidence, models, name, seed=seed, alpha=alpha)
        if found is not None:
            tasks[name] = found
    if not tasks:
        whose = "" if pair is None else f" of {pair[0]!r} and {pair[1]!r}"
        raise DataError(
            f"No item has several answers{whose}, so they say nothing of the noise of reruns. Give "
            "all trials, one row each, with a column that numbers them (trial, epoch, seed); "
            "another name: --column epoch=NAME (in Python: columns={'epoch': NAME})."
        )
    notes = _notes([name for name in taken.tasks if name not in tasks])
    chosen = None if pair is None else (str(pair[0]), str(pair[1]))
    return Noise(models, tasks, alpha, chosen, costs, notes)


def _of_board(
    board: Leaderboard, pair: Sequence[str] | None, alpha: float, costs: Costs | None
) -> Noise:
    """What a board keeps of the noise of its tasks, for all of its models or for two."""
    if alpha not in (_ALPHA, board.spec.alpha):
        raise OptionError(
            f"The board keeps intervals at alpha {board.spec.alpha:g}; got alpha {alpha:g}. For "
            "another level, give the results that it was made of."
        )
    tasks = {name: task.noise for name, task in board.tasks.items() if task.noise is not None}
    if not tasks:
        raise DataError(
            "No task of the board has items with several answers, so it says nothing of the noise "
            "of reruns. Rank results with all trials, one row each, with a column that numbers "
            "them (trial, epoch, seed)."
        )
    notes = _notes([name for name in board.tasks if name not in tasks])
    shared = board.spec.runs == "shared"
    if pair is None:
        return Noise(board.models, tasks, board.spec.alpha, None, costs, notes, shared)
    _check_pair(pair, board.models)
    first, second = sorted(board.models.index(str(name)) for name in pair)
    if any(task.pairs is None for task in tasks.values()):
        raise DataError(
            "The board keeps no differences of so many models. Give the results that it was made "
            f"of: rankbars noise RESULTS --pair {shlex.join(pair)}."
        )
    of_two = {
        name: task.of_two(first, second)
        for name, task in tasks.items()
        if task.means.n[[first, second]].all()
    }
    if len(board.models) > 2 and any(task.run_effect for task in tasks.values()):
        text = f"The test of whole runs is that of all {len(board.models)} models of the board."
        notes = (*notes, Note("runs-of-board", text))
    models = (board.models[first], board.models[second])
    chosen = (str(pair[0]), str(pair[1]))
    return Noise(models, of_two, board.spec.alpha, chosen, costs, notes, shared)


def _notes(left: Sequence[str]) -> tuple[Note, ...]:
    """What is said of tasks without several answers."""
    if not left:
        return ()
    return (Note("no-trials", f"Without several answers to an item: {list_names(left, 3)}."),)


def _costs(item: float | None, trial: float | None, budget: float | None) -> Costs | None:
    if item is None and trial is None:
        if budget is not None:
            raise OptionError("A budget goes with --cost-item and --cost-trial.")
        return None
    if item is None or trial is None:
        raise OptionError(
            "Both costs are needed: --cost-item, whatever is asked of an item, and --cost-trial, "
            "one answer of all compared models to it."
        )
    return Costs(item, trial, budget)


def _check_pair(pair: Sequence[str], models: Sequence[str]) -> None:
    if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
        raise OptionError(f"A pair is two models; got {pair!r}.")
    for name in pair:
        check_name("model", name, models)

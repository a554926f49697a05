"""Answers of all models on one task as one matrix: items by models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Items
from rankbars.data.notes import Remarks
from rankbars.errors import DataError
from rankbars.readers.logs.choices import Chosen
from rankbars.readers.logs.records import ERROR, MISSING, SCORED, UNSCORED, Run
from rankbars.tables.labels import sort_names
from rankbars.tables.repeats import MOST_CELLS, THINNEST

__all__ = ["pair_items"]

# Of the answers of one model to one item, the state that counts: scored if any is.
_STRENGTH = np.zeros(4, np.int64)
_STRENGTH[[SCORED, ERROR, UNSCORED, MISSING]] = (3, 2, 1, 0)
_STATE_OF = np.argsort(_STRENGTH)


class _Answers(NamedTuple):
    """Answers of one model, sorted by item and repeat; repeats are numbered over its files."""

    item: NDArray[np.int64]
    score: NDArray[np.float64]
    state: NDArray[np.uint8]
    repeat: NDArray[np.int64]


def pair_items(
    chosen: Chosen,
    *,
    shared_only: bool,
    clustered: bool,
    remarks: Remarks,
    lowest: float | None = None,
    by_call: bool = False,
) -> tuple[Items, Coverage]:
    """Evidence and coverage of a task, scores as given.

    Parameters
    ----------
    chosen : Chosen
        The runs; each has rows.
    shared_only : bool
        Whether only items that all models were given count.
    clustered : bool
        Whether each item must have a cluster.
    remarks : Remarks
        Takes what was left out.
    lowest : float, optional
        What an answer without a score counts as, where items have several answers; NaN if it is
        to count and nothing says what the worst score is.
    by_call : bool
        Whether items are called as their tool is asked for them.

    Raises
    ------
    DataError
        If an answer stands twice, a score is infinite, no item is shared, clusters disagree, or an
        answer without a score is to count and nothing says as what.
    """
    named = _name_answers(chosen, remarks, by_call=by_call)
    ids = _choose_items(chosen, named, shared_only, remarks)
    place = {name: row for row, name in enumerate(ids)}
    models = tuple(chosen.runs)
    values = np.full((len(ids), len(models)), np.nan)
    behind = np.zeros(values.shape, np.int64)
    state = np.full(values.shape, MISSING, np.uint8)
    within = np.full(values.shape, np.nan)
    stacks, every = [], []
    for column, model in enumerate(models):
        answers = _collect(chosen, model, named[model], place)
        if len(np.unique(answers.item)) < len(answers.item):
            if lowest is None and not all(run.trials for run in chosen.runs[model]):
                _tell_left_out(answers, model, remarks, chosen.task)
            elif lowest is not None:
                answers = _with_failures(answers, model, lowest, remarks, chosen.task)
        values[:, column], behind[:, column], state[:, column] = _average(answers, len(ids))
        within[:, column] = _vary(answers, values[:, column], behind[:, column])
        stacks.append(_stack(answers, behind[:, column]))
        every.append(answers)
    several = bool(behind.size) and int(behind.max()) > 1
    runs = _runs(stacks)
    items = Items(
        models,
        values,
        clusters=_clusters(chosen, named, place) if clustered else None,
        ids=ids,
        answers=behind if several else None,
        runs=runs,
        within=within if several else None,
        trials=_trials(every, len(ids)) if several and runs is None else None,
    )
    return items, _count(chosen, state, shared_only)


def _name_answers(
    chosen: Chosen, remarks: Remarks, *, by_call: bool
) -> dict[str, list[tuple[str, ...]]]:
    """Item of each answer, by model and run: by the first identity that is unique for all."""
    rows = [run.rows for runs in chosen.runs.values() for run in runs if run.rows is not None]
    kinds = {one.identity for one in rows}
    use_other = not all(one.has_unique(one.ids) for one in rows)
    use_other |= by_call and all(one.other_ids is not None for one in rows)
    if len({kind[0] for kind in kinds}) > 1:
        use_other |= all(one.other_ids is not None for one in rows)
    for one in rows:
        names = one.other_ids if use_other else one.ids
        if names is None or not one.has_unique(names):
            raise DataError(
                f"Task {chosen.task!r}: an item stands several times in one run, with another "
                "answer. Expected one answer per item and repeat."
            )
    if use_other and not by_call:
        first, second = next(iter(kinds))
        remarks.add(
            "identity",
            f"items are paired by {second}, because {first} is not unique or not there for all.",
            chosen.task,
        )
    return {
        model: [
            (run.rows.other_ids or run.rows.ids) if use_other else run.rows.ids
            for run in runs
            if run.rows is not None
        ]
        for model, runs in chosen.runs.items()
    }


def _choose_items(
    chosen: Chosen, named: Mapping[str, Sequence[tuple[str, ...]]], shared_only: bool,
    remarks: Remarks,
) -> tuple[str, ...]:  # fmt: skip
    own = {model: {name for ids in lists for name in ids} for model, lists in named.items()}
    every = set().union(*own.values())
    kept = every
    if shared_only:
        holding = [ids for ids in own.values() if ids]
        kept = set.intersection(*holding) if holding else set()
        if not kept:
            raise DataError(
                f"Task {chosen.task!r}: the models have no item in common "
                f"({', '.join(f'{model!r}: {len(ids)}' for model, ids in own.items())}). Nothing "
                "can be paired."
            )
    if len(kept) < len(every):
        counts = "; ".join(f"{model!r} has {len(ids)}" for model, ids in list(own.items())[:4])
        remarks.add(
            "shared-items",
            f"models were given different items ({counts}); the {len(kept)} that all share are "
            f"compared, {len(every) - len(kept)} are left out.",
            chosen.task,
        )
    return sort_names(list(kept), numeric=True)[0]


def _collect(
    chosen: Chosen, model: str, ids: Sequence[tuple[str, ...]], place: Mapping[str, int]
) -> _Answers:
    items, scores, states, numbers = [], [], [], []
    for number, (run, names) in enumerate(zip(chosen.runs[model], ids, strict=True)):
        rows = run.rows
        if rows is None:
            continue
        item = np.array([place.get(name, -1) for name in names], np.int64)
        measure = chosen.measure(run)
        score = np.full(len(names), np.nan)
        if measure is not None and measure.scores is not None:
            score = measure.scores
        _refuse_infinite(run, model, score)
        state = np.where((rows.status == SCORED) & np.isnan(score), np.uint8(UNSCORED), rows.status)
        repeat = np.zeros(len(names), np.int64) if rows.repeats is None else rows.repeats
        keep = item >= 0
        items.append(item[keep])
        scores.append(np.where(state == SCORED, score, np.nan)[keep])
        states.append(state[keep])
        numbers.append(np.stack((np.full(len(names), number), repeat))[:, keep])
    places, runs = np.concatenate(items), np.concatenate(numbers, axis=1)
    order = np.lexsort((runs[1], runs[0], places))
    return _Answers(
        places[order],
        np.concatenate(scores)[order],
        np.concatenate(states)[order].astype(np.uint8),
        np.unique(runs, axis=1, return_inverse=True)[1].reshape(-1)[order],
    )


def _with_failures(
    answers: _Answers, model: str, lowest: float, remarks: Remarks, task: str
) -> _Answers:
    failed = answers.state != SCORED
    count = int(failed.sum())
    if count and np.isnan(lowest):
        raise DataError(
            f"Task {task!r} has no declared worst score, so what model {model!r} answered without "
            f"a score ({count:,}) cannot count as failed. Declare it, for instance --score-min 0 "
            "(in Python: minimum=0), or leave out --missing fail."
        )
    if count:
        why = "that failed" if (answers.state[failed] == ERROR).all() else "without a score"
        what = f"answers {why} count" if count > 1 else f"answer {why} counts"
        remarks.add("failed-lowest", f"model {model!r}: {count} {what} as {lowest:g}.", task)
    return answers._replace(
        score=np.where(failed, lowest, answers.score),
        state=np.where(failed, np.uint8(SCORED), answers.state),
    )


def _tell_left_out(answers: _Answers, model: str, remarks: Remarks, task: str) -> None:
    """Say how many answers without a score stand beside scored ones to the same item."""
    scored = answers.state == SCORED
    beside = np.isin(answers.item, answers.item[scored]) & ~scored
    if count := int(beside.sum()):
        failed = int((answers.state[beside] == ERROR).sum())
        why = f" ({failed:,} failed)" if failed else ""
        remarks.add(
            "unscored-trials",
            f"model {model!r}: {count:,} {'answer' if count == 1 else 'answers'} without a "
            f"score{why} beside scored ones to the same items. They are left out.",
            task,
        )


def _refuse_infinite(run: Run, model: str, score: NDArray[np.float64]) -> None:
    if np.isinf(score).any():
        row = int(np.argmax(np.isinf(score)))
        raise DataError(
            f"{run.source}: the score of answer {row + 1} of model {model!r} on task "
            f"{run.task!r} is infinite. Scores must be finite; choose another metric (--metric)."
        )


def _average(
    answers: _Answers, items: int
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.uint8]]:
    """Mean of the scored answers to each item, their number, and the state of the item."""
    scored = answers.state == SCORED
    behind = np.bincount(answers.item[scored], minlength=items)
    sums = np.bincount(answers.item[scored], answers.score[scored], minlength=items)
    values = np.full(items, np.nan)
    np.divide(sums, behind, out=values, where=behind > 0)
    strength = np.zeros(items, np.int64)
    np.maximum.at(strength, answers.item, _STRENGTH[answers.state])
    return values, behind.astype(np.int64), _STATE_OF[strength].astype(np.uint8)


def _vary(
    answers: _Answers, mean: NDArray[np.float64], behind: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Variance of the scored answers to each item; NaN where there are fewer than two."""
    scored = answers.state == SCORED
    item = answers.item[scored]
    with np.errstate(over="ignore"):  # scores that are too large are refused later
        squares = np.bincount(item, np.square(answers.score[scored] - mean[item]), len(mean))
    return np.where(behind > 1, squares / np.maximum(behind - 1, 1), np.nan)


def _trials(every: Sequence[_Answers], items: int) -> NDArray[np.float64] | None:
    """Scored answers by item, repeat and model; None if most of it would be empty."""
    width = max(int(one.repeat.max(initial=-1)) for one in every) + 1
    answers = sum(len(one.item) for one in every)
    if items * width * len(every) > min(MOST_CELLS, THINNEST * answers):
        return None
    cube = np.full((items, width, len(every)), np.nan)
    for column, one in enumerate(every):
        scored = one.state == SCORED
        cube[one.item[scored], one.repeat[scored], column] = one.score[scored]
    return cube


def _stack(answers: _Answers, behind: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Answers by item and repeat; None unless each item has the same ones, all scored."""
    if not len(behind) or behind[0] < 2 or (behind != behind[0]).any():
        return None
    if (answers.state != SCORED).any():
        return None
    shape = (len(behind), int(behind[0]))
    labels = answers.repeat.reshape(shape)
    return answers.score.reshape(shape) if (labels == labels[0]).all() else None


def _runs(stacks: Sequence[NDArray[np.float64] | None]) -> NDArray[np.float64] | None:
    whole = [stack for stack in stacks if stack is not None]
    if len(whole) < len(stacks) or len({stack.shape for stack in whole}) != 1:
        return None
    return np.stack(whole, axis=2)


def _clusters(
    chosen: Chosen, named: Mapping[str, Sequence[tuple[str, ...]]], place: Mapping[str, int]
) -> NDArray[np.int64]:
    found: list[str | None] = [None] * len(place)
    for model, runs in chosen.runs.items():
        for run, names in zip(runs, named[model], strict=True):
            clusters = run.rows.clusters if run.rows is not None else None
            for name, cluster in zip(names, clusters or (), strict=clusters is not None):
                row = place.get(name)
                if row is None or cluster is None:
                    continue
                if found[row] not in (None, cluster):
                    raise DataError(
                        f"{run.source}: an item of task {chosen.task!r} is in two clusters, "
                        f"{found[row]!r} and {cluster!r}. It must be in one, the same for all "
                        "models."
                    )
                found[row] = cluster
    if None in found:
        raise DataError(
            f"Task {chosen.task!r}: {found.count(None)} of {len(found)} items have no cluster "
            "under the key that was named (--column cluster=KEY)."
        )
    return np.unique(np.array(found, dtype=object).astype(str), return_inverse=True)[1].reshape(-1)


def _count(chosen: Chosen, state: NDArray[np.uint8], shared_only: bool) -> Coverage:
    items = state.shape[0]
    expected = items
    if not shared_only:
        declared = [run.expected or 0 for runs in chosen.runs.values() for run in runs]
        expected = max(items, *declared)
    scored, unscored, errors = (
        (state == one).sum(axis=0, dtype=np.int64) for one in (SCORED, UNSCORED, ERROR)
    )
    missing = expected - scored - unscored - errors
    return Coverage(expected, scored, unscored, errors, missing)

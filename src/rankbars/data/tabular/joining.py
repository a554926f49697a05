"""Scores from several sources as one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Estimates, Evidence, Items
from rankbars.data.scores import Scores, TaskInfo
from rankbars.errors import DataError

__all__ = ["join_scores"]


def join_scores(parts: Sequence[Scores]) -> Scores:
    """All tasks of all parts.

    A task that occurs in several parts is joined if its rows are the same in all of them and no
    model occurs twice.

    Parameters
    ----------
    parts : sequence of Scores
        At least one.

    Raises
    ------
    DataError
        If a task cannot be joined; the message says why.

    Examples
    --------
    >>> one = Scores({"math": Items(("a",), [[1.0], [0.0]], ids=("1", "2"))})
    >>> two = Scores({"math": Items(("b",), [[1.0], [1.0]], ids=("1", "2"))})
    >>> join_scores([one, two]).tasks["math"].models
    ('a', 'b')
    """
    tasks: dict[str, Evidence] = {}
    info: dict[str, TaskInfo] = {}
    for part in parts:
        for name, evidence in part.tasks.items():
            if name in tasks:
                tasks[name], info[name] = _join(
                    name, (tasks[name], evidence), (info[name], part.info[name])
                )
            else:
                tasks[name], info[name] = evidence, part.info[name]
    return Scores(
        tasks,
        info,
        tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        tuple(given for part in parts for given in part.inputs),
    )


def _join(
    task: str, pair: tuple[Evidence, Evidence], about: tuple[TaskInfo, TaskInfo]
) -> tuple[Evidence, TaskInfo]:
    one, two = pair
    twice = sorted(set(one.models) & set(two.models))
    if twice:
        raise _cannot(task, f"model {twice[0]!r} occurs in two of them")
    if about[0] != about[1]:
        raise _cannot(task, f"they describe the task differently ({about[0]}; {about[1]})")
    models = (*one.models, *two.models)
    order = sorted(range(len(models)), key=models.__getitem__)
    names = tuple(models[i] for i in order)
    coverage = _join_coverage(about[0].coverage, about[1].coverage, order)
    settled = _with_coverage(about[0], coverage)
    if isinstance(one, Items) and isinstance(two, Items):
        if one.ids != two.ids or one.ids is None or one.design != two.design:
            raise _cannot(task, "their rows are not the same")
        if one.clusters is not None or two.clusters is not None:
            raise _cannot(task, "rows in clusters come from one table only")
        if not _equal(one.weights, two.weights):
            raise _cannot(task, "the weights of their rows differ")
        values = np.concatenate((one.values, two.values), axis=1)[:, order]
        answers = None
        if one.answers is not None or two.answers is not None:
            answers = np.concatenate((_answers(one), _answers(two)), axis=1)[:, order]
        averaged = tuple(dict.fromkeys((*one.averaged, *two.averaged)))
        # Labels of runs are not kept, so that runs of two tables cannot be matched.
        items = Items(
            names, values, None, one.weights, one.design, one.ids, answers, averaged=averaged
        )
        return items, settled
    if isinstance(one, Estimates) and isinstance(two, Estimates):
        if one.cov is not None or two.cov is not None:
            raise _cannot(task, "scores with a covariance come from one source only")
        se = None
        if one.se is not None or two.se is not None:
            se = np.concatenate([_or_nan(part.se, len(part.models)) for part in (one, two)])[order]
        n = None
        if one.n is not None or two.n is not None:
            n = np.concatenate(
                [
                    np.zeros(len(part.models), np.int64) if part.n is None else part.n
                    for part in (one, two)
                ]
            )[order]
        mean = np.concatenate((one.mean, two.mean))[order]
        return Estimates(names, mean, se, None, n), settled
    raise _cannot(task, "some hold scores of single rows, others one score per model")


def _cannot(task: str, reason: str) -> DataError:
    return DataError(
        f"Task {task!r} occurs in several inputs that cannot be joined: {reason}. Rank them one "
        "at a time, give the task different names, or put all rows into one tidy table."
    )


def _equal(one: NDArray[np.float64] | None, two: NDArray[np.float64] | None) -> bool:
    return one is two if one is None or two is None else np.array_equal(one, two)


def _answers(part: Items) -> NDArray[np.int64]:
    if part.answers is not None:
        return part.answers
    return np.asarray(~np.isnan(part.values), dtype=np.int64)


def _or_nan(values: NDArray[np.float64] | None, size: int) -> NDArray[np.float64]:
    return np.full(size, np.nan) if values is None else values


def _join_coverage(
    one: Coverage | None, two: Coverage | None, order: Sequence[int]
) -> Coverage | None:
    if one is None or two is None or one.expected != two.expected:
        return None
    return Coverage(
        one.expected,
        *(
            np.concatenate((getattr(one, name), getattr(two, name)))[order]
            for name in ("scored", "unscored", "errors", "missing")
        ),
    )


def _with_coverage(info: TaskInfo, coverage: Coverage | None) -> TaskInfo:
    return TaskInfo(
        info.category, info.family, info.metric, info.weight, info.direction, info.minimum,
        info.maximum, coverage,
    )  # fmt: skip

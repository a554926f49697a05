"""Several tasks as one, with declared weights: metrics of the same answers, tasks with errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name, check_number, finite_weights
from rankbars.data.evidence import Estimates, Items
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError, OptionError

__all__ = ["COMPOSITE", "Part", "composite"]

COMPOSITE = "composite"
_ROUNDING = 1e-9


class Part(NamedTuple):
    """What a task counts in a composite.

    Attributes
    ----------
    weight : float
        Above 0; weights are divided by their sum.
    scale : (float, float), optional
        The scores that count as 0 and as 1, in the units of the input: the worse one first. A
        score counts as it is where there is none.
    """

    weight: float
    scale: tuple[float, float] | None = None


def composite(
    scores: Scores,
    parts: Mapping[str, Part],
    correlations: Mapping[tuple[str, str], float] | None = None,
) -> Scores:
    """One task that is the weighted sum of several, with what their errors have in common.

    Tasks that hold the same items are summed item by item, so that what they share is in the rows.
    Published scores with standard errors have none; the squared error of a sum is then
    ``w' D R D w``, with the errors in D and the declared correlations of tasks in R, 0 where none
    is declared (equation 2 of Longjohn, Gopalan and Casleton 2025). A positive one makes errors
    larger. Models are taken as independent of each other there.

    Parameters
    ----------
    scores : Scores
        Results that hold these tasks; others are left out.
    parts : mapping from task to Part
        Two or more, declared before looking.
    correlations : mapping from pair of tasks to float, optional
        Correlation of the errors of two tasks, from -1 to 1; of published scores only.

    Raises
    ------
    OptionError
        If a task, weight, scale or correlation is not possible, a lower-is-better task has no
        scale, or the correlations fit no joint distribution.
    DataError
        If the tasks hold other items, or neither items nor scores with errors.

    Examples
    --------
    >>> import rankbars as rb
    >>> answers = {"quality": [[0.8, 0.6], [0.9, 0.7]], "brevity": [[0.2, 0.8], [0.4, 0.6]]}
    >>> scores = rb.Scores({
    ...     task: rb.Items(("a", "b"), rows, ids=("q1", "q2")) for task, rows in answers.items()})
    >>> made = composite(scores, {"quality": Part(3.0), "brevity": Part(1.0)})
    >>> made.tasks["composite"].values.round(3).tolist()
    [[0.65, 0.65], [0.775, 0.675]]
    """
    if len(parts) < 2:
        raise OptionError("A composite is of two tasks or more; name another one.")
    for name in parts:
        check_name("task of the composite", name, tuple(scores.tasks))
    for name, part in parts.items():
        if check_number(f"weight of {name!r}", part.weight, 0.0) == 0:
            raise OptionError.out_of_range(f"weight of {name!r}", part.weight, "above 0")
    shares = finite_weights([part.weight for part in parts.values()])
    total = sum(shares)
    scaled = [
        _Scaled.of(name, part, weight / total, scores.info[name])
        for (name, part), weight in zip(parts.items(), shares, strict=True)
    ]
    evidence = [scores.tasks[name] for name in parts]
    models = tuple(m for m in evidence[0].models if all(m in one.models for one in evidence))
    if len(models) < 2:
        raise DataError("Fewer than two models have scores on all tasks of the composite.")
    items = [one for one in evidence if isinstance(one, Items)]
    estimates = [one for one in evidence if isinstance(one, Estimates)]
    made: Items | Estimates
    if len(items) == len(evidence):
        if correlations:
            raise OptionError(
                "Correlations of tasks are declared for published scores with errors; these tasks "
                "have rows, which tell them. Leave them out."
            )
        made = _sum_items(items, scaled, models)
        how = "row by row"
    elif len(estimates) == len(evidence):
        made = _sum_estimates(estimates, scaled, models, _matrix(tuple(parts), correlations or {}))
        told = ", ".join(f"{a} and {b} {r:g}" for (a, b), r in (correlations or {}).items())
        how = f"from standard errors, with the correlation of errors declared: {told or 'none'}"
    else:
        raise DataError(
            "A composite is of tasks with the same items, or of published scores with errors; "
            "these are of several kinds, or votes."
        )
    words = ", ".join(part.words for part in scaled)
    note = Note("composite", f"The task {COMPOSITE!r} is made {how}, of {words}.")
    return replace(
        scores, tasks={COMPOSITE: made}, info={COMPOSITE: TaskInfo(metric=COMPOSITE)},
        notes=(*scores.notes, note),
    )  # fmt: skip


class _Scaled(NamedTuple):
    """Name, and ``share * (slope * stored + shift)``: what a stored score adds."""

    name: str
    share: float
    slope: float
    shift: float
    words: str

    @classmethod
    def of(cls, name: str, part: Part, share: float, info: TaskInfo) -> _Scaled:
        lower = info.direction == "lower"
        words = f"{name} (weight {share:.3g}"
        if part.scale is None:
            if lower:
                raise OptionError(
                    f"Lower is better in {name!r}: say which scores count as 0 and as 1, such as "
                    f"{name}={part.weight:g}:10:0."
                )
            return cls(name, share, 1.0, 0.0, f"{words}, as it is)")
        worst, best = (check_number(f"scale of {name!r}", end) for end in part.scale)
        if worst == best or (best < worst) != lower:
            raise OptionError(
                f"The scale of {name!r} is {worst:g} to {best:g}, from what counts as 0 to what "
                f"counts as 1, and {'lower' if lower else 'higher'} is better there. Turn it "
                "round, or declare the direction (--direction)."
            )
        width = best - worst
        # Lower-is-better scores are stored negated.
        slope = (-1.0 if lower else 1.0) / width
        return cls(name, share, slope, -worst / width, f"{words}, {worst:g} to {best:g})")

    def add(self, stored: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.share * (self.slope * stored + self.shift)


def _sum_items(evidence: list[Items], scaled: list[_Scaled], models: tuple[str, ...]) -> Items:
    first = evidence[0]
    if first.ids is None:
        raise DataError("Rows without names cannot be matched between the tasks of a composite.")
    values = np.zeros((first.n, len(models)))
    for one, part in zip(evidence, scaled, strict=True):
        place = None if one.ids is None else {name: row for row, name in enumerate(one.ids)}
        if place is None or place.keys() != set(first.ids) or one.design != first.design:
            raise DataError(
                f"Tasks {scaled[0].name!r} and {part.name!r} hold other items. A composite sums "
                "scores of the same items; averages of other tasks: --aggregate, --weights."
            )
        rows = [place[name] for name in first.ids]
        if one.judge is not None or not (
            _same(one.clusters, first.clusters, rows) and _same(one.weights, first.weights, rows)
        ):
            raise DataError(
                f"Task {part.name!r}: clusters or weights of rows differ from those of "
                f"{scaled[0].name!r}, or a judge answers for people; a composite needs the same."
            )
        columns = [one.models.index(name) for name in models]
        values += part.add(one.values[np.ix_(rows, columns)])
    return Items(
        models, values, clusters=first.clusters, weights=first.weights, design=first.design,
        ids=first.ids,
    )  # fmt: skip


def _same(
    one: NDArray[np.generic] | None, other: NDArray[np.generic] | None, rows: list[int]
) -> bool:
    if one is None or other is None:
        return one is other
    return bool((one[rows] == other).all())


def _sum_estimates(
    evidence: list[Estimates],
    scaled: list[_Scaled],
    models: tuple[str, ...],
    correlation: NDArray[np.float64],
) -> Estimates:
    mean, errors = np.zeros(len(models)), []
    for one, part in zip(evidence, scaled, strict=True):
        if one.se is None:
            raise DataError(
                f"Task {part.name!r}: the scores have no standard errors of their own, which a "
                "composite of published scores needs."
            )
        columns = [one.models.index(name) for name in models]
        mean += part.add(one.mean[columns])
        errors.append(part.share * part.slope * one.se[columns])
    stacked = np.abs(np.array(errors))
    variance = np.einsum("am,ab,bm->m", stacked, correlation, stacked)
    return Estimates(models, mean, se=np.sqrt(np.maximum(variance, 0.0)))


def _matrix(
    names: tuple[str, ...], correlations: Mapping[tuple[str, str], float]
) -> NDArray[np.float64]:
    found = np.eye(len(names))
    for (one, other), value in correlations.items():
        for name in (one, other):
            check_name("task of the correlation", name, names)
        if one == other or not -1.0 <= value <= 1.0:
            raise OptionError.out_of_range(
                f"correlation of {one!r} and {other!r}", value, "from -1 to 1, of two tasks"
            )
        i, j = names.index(one), names.index(other)
        found[i, j] = found[j, i] = value
    if np.linalg.eigvalsh(found)[0] < -_ROUNDING:
        raise OptionError(
            "These correlations of tasks fit no joint distribution of their errors (the matrix is "
            "not positive semi-definite). Declare all pairs, or smaller ones."
        )
    return found

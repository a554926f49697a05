"""Scores from several sources as one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Coverage, Estimates, Evidence, Items, Votes, take_models
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import unite_tasks
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError
from rankbars.tables.columns import fold_name
from rankbars.tables.labels import sort_names
from rankbars.tables.metrics import is_proportion
from rankbars.tables.settings import Given, compare_settings

__all__ = ["join_attributes", "join_scores", "summarise_items"]

# Names of columns of scores that do not say what is measured.
UNTELLING = frozenset(
    {"score", "value", "result", "correct", "iscorrect", "success", "passed", "metricvalue"}
)

# Published values of one run may be rounded differently.
SAME = 1e-4


class _Piece(NamedTuple):
    """What one source says about a task."""

    evidence: Evidence
    info: TaskInfo
    source: str


def join_scores(
    parts: Sequence[Scores], sources: Sequence[str] = (), *, anyway: bool = False
) -> Scores:
    """All tasks of all parts.

    A task that occurs in several parts is joined where its rows have names in common. Rows that
    some parts lack are missing for their models. A model that stands in two parts with the same
    scores counts once; item scores are summarised where other models have published scores only.

    Parameters
    ----------
    parts : sequence of Scores
        At least one.
    sources : sequence of str, optional
        What to call each part in messages.
    anyway : bool
        Whether models are compared although they were not given the same task.

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
    if len(parts) == 1:
        return parts[0]
    pieces: dict[str, _Piece] = {}
    alone: dict[str, Scores] = {}
    notes = [note for part in parts for note in part.notes]
    for place, part in enumerate(parts):
        source = sources[place] if sources else f"input {place + 1}"
        for name in part.tasks:
            if sum(name in other.tasks for other in parts) == 1:
                alone[name] = part
                continue
            piece = _Piece(part.tasks[name], part.info[name], source)
            if name in pieces:
                notes += _compare_settings(name, pieces[name], piece, anyway=anyway)
                pieces[name], more = _join(name, pieces[name], piece)
                notes += more
            else:
                pieces[name] = piece
    return Scores(
        unite_tasks(
            {name: part.tasks for name, part in alone.items()},
            {name: piece.evidence for name, piece in pieces.items()},
        ),
        {name: part.info[name] for name, part in alone.items()}
        | {name: piece.info for name, piece in pieces.items()},
        tuple(dict.fromkeys(notes)),
        tuple(given for part in parts for given in part.inputs),
        parts[0].library,
        attributes=join_attributes(part.attributes for part in parts),
    )


def join_attributes(
    parts: Iterable[Mapping[str, Mapping[str, str]]],
) -> dict[str, Mapping[str, str]]:
    """What parts say of each model; where two differ, what the later one says."""
    found: dict[str, Mapping[str, str]] = {}
    for part in parts:
        for model, said in part.items():
            found[model] = {**found.get(model, {}), **said}
    return found


def _compare_settings(task: str, one: _Piece, two: _Piece, *, anyway: bool) -> list[Note]:
    given: Given = {}
    for piece in (one, two):
        for key, value in piece.info.settings.items():
            given.setdefault(key, {}).setdefault(value, []).extend(piece.evidence.models)
    return compare_settings(task, given, anyway=anyway)


def _join(task: str, one: _Piece, two: _Piece) -> tuple[_Piece, list[Note]]:
    info = _join_info(task, one, two)
    kinds = {isinstance(piece.evidence, Votes) for piece in (one, two)}
    if True in kinds:
        what = "votes" if kinds == {True} else "votes, which are no scores"
        raise _cannot(task, one, two, f"there are {what} in both" if kinds == {True}
                      else f"one of them holds {what}")  # fmt: skip
    notes = []
    one, other, found = _pair_kinds(task, one, two)
    notes += found
    if other is not None:
        one, other, found = _drop_copies(task, one, other)
        notes += found
    if other is None:
        return one._replace(info=replace(info, coverage=one.info.coverage)), notes
    two = other
    _refuse_scales(task, one, two, info)
    source = one.source if one.source == two.source else f"{one.source} and {two.source}"
    if isinstance(one.evidence, Items) and isinstance(two.evidence, Items):
        items, coverage = _join_items(task, one, two)
        notes.append(Note(
            "joined", f"Put together from {one.source} and {two.source}: {items.n} rows, paired by "
            f"their names, of which {_shared(one.evidence, two.evidence)} are in both.", task=task,
        ))  # fmt: skip
        return _Piece(items, replace(info, coverage=coverage), source), notes
    joined = _join_estimates(task, one, two)
    order = _order(one, two)
    coverage = _join_coverage(one.info.coverage, two.info.coverage, order)
    return _Piece(joined, replace(info, coverage=coverage), source), notes


def _join_info(task: str, one: _Piece, two: _Piece) -> TaskInfo:
    """What both say; what only one says counts."""
    first, second = one.info, two.info
    first = replace(first, metric=_telling(first.metric) or _telling(second.metric) or first.metric)
    second = replace(second, metric=_telling(second.metric) or first.metric)
    for what in ("direction", "metric", "minimum", "maximum", "chance", "category", "family",
                 "group"):  # fmt: skip
        values = {getattr(first, what), getattr(second, what)} - {None}
        if len(values) > 1:
            said = " and ".join(repr(value) for value in sorted(values, key=repr))
            raise _cannot(task, one, two, f"they say {said} of its {what}")
    if first.weight != second.weight and 1.0 not in (first.weight, second.weight):
        raise _cannot(task, one, two, "they give it different weights")
    return TaskInfo(
        category=first.category or second.category,
        family=first.family or second.family,
        metric=first.metric or second.metric,
        weight=first.weight if first.weight != 1.0 else second.weight,
        direction=first.direction,
        minimum=first.minimum if first.minimum is not None else second.minimum,
        maximum=first.maximum if first.maximum is not None else second.maximum,
        chance=first.chance if first.chance is not None else second.chance,
        group=first.group or second.group,
        pooled=first.pooled and second.pooled,
        settings={**first.settings, **second.settings},
    )


def _telling(metric: str | None) -> str | None:
    """The name of a metric, unless it only says that there is a score."""
    return None if metric is None or fold_name(metric) in UNTELLING else metric


def _pair_kinds(task: str, one: _Piece, two: _Piece) -> tuple[_Piece, _Piece | None, list[Note]]:
    """Both as items, or both as published scores; the first alone if the second adds nothing."""
    kinds = (isinstance(one.evidence, Items), isinstance(two.evidence, Items))
    if kinds[0] == kinds[1]:
        return one, two, []
    items, published = (one, two) if kinds[0] else (two, one)
    if set(published.evidence.models) <= set(items.evidence.models):
        note = Note("no-items", f"The items of {items.source} count, not the published scores of "
                    f"{published.source}.", task=task)  # fmt: skip
        return items, None, [note]
    if not isinstance(items.evidence, Items) or not _is_plain(items.evidence):
        raise _cannot(task, one, two, "some hold scores of single rows, others one score per model")
    note = Note(
        "no-items",
        f"There are no scores of items in {published.source}: means are compared, unpaired.",
        task=task,
    )
    summary = items._replace(evidence=summarise_items(items.evidence))
    return (summary, two, [note]) if kinds[0] else (one, summary, [note])


def _is_plain(items: Items) -> bool:
    return items.design == "items" and items.clusters is None and items.weights is None


def _drop_copies(task: str, one: _Piece, two: _Piece) -> tuple[_Piece, _Piece | None, list[Note]]:
    """The second piece without models that the first one has with the same scores."""
    twice = sorted(set(one.evidence.models) & set(two.evidence.models))
    for model in twice:
        if not _says_the_same(one.evidence, two.evidence, model):
            raise _cannot(
                task, one, two,
                f"model {model!r} occurs in both, with different scores, and no time says which "
                "is newer. Leave one out, or read one kind of file only: --format NAME",
            )  # fmt: skip
    if not twice:
        return one, two, []
    keep = [i for i, model in enumerate(two.evidence.models) if model not in twice]
    coverage = two.info.coverage
    if coverage is not None:
        coverage = coverage.take(keep)
    note = Note(
        "copies",
        f"{two.source} says of {', '.join(map(repr, twice[:3]))}"
        f"{f' and {len(twice) - 3} more models' if len(twice) > 3 else ''} what {one.source} says; "
        "it counts once.",
        task=task,
    )
    if not keep:
        return one, None, [note]
    shorter = _Piece(
        take_models(two.evidence, keep), replace(two.info, coverage=coverage), two.source
    )
    return one, shorter, [note]


def _says_the_same(one: Evidence, two: Evidence, model: str) -> bool:
    if isinstance(one, Items) and isinstance(two, Items):
        first = _scores_by_name(one, model)
        second = _scores_by_name(two, model)
        return first is not None and first == second
    if isinstance(one, Estimates) and isinstance(two, Estimates):
        values = [e.mean[e.models.index(model)] for e in (one, two)]
        both = np.array(values, np.float64)
        return bool(np.isnan(both).all() or abs(both[0] - both[1]) <= SAME * max(1.0, abs(both[0])))
    return False


def _scores_by_name(items: Items, model: str) -> dict[str, float] | None:
    if items.ids is None:
        return None
    values = items.values[:, items.models.index(model)]
    known = ~np.isnan(values)
    names = np.array(items.ids, dtype=object)[known]
    return dict(zip(names.tolist(), values[known].tolist(), strict=True))


def _refuse_scales(task: str, one: _Piece, two: _Piece, info: TaskInfo) -> None:
    if info.metric is None or not is_proportion(info.metric) or info.maximum not in (None, 1.0):
        return
    tops = [_largest(piece.evidence) for piece in (one, two)]
    if min(tops) <= 1.0 < max(tops) and min(tops) > 0.0:
        raise _cannot(
            task, one, two,
            f"{info.metric!r} is a proportion, but the scores of one go up to {min(tops):g} and "
            f"those of the other up to {max(tops):g}. Bring them to one scale",
        )  # fmt: skip


def _largest(evidence: Evidence) -> float:
    if isinstance(evidence, Items):
        return float(np.fmax.reduce(evidence.values, axis=None, initial=0.0))
    if isinstance(evidence, Estimates):
        return float(np.fmax.reduce(evidence.mean, axis=None, initial=0.0))
    return 0.0


def _order(one: _Piece, two: _Piece) -> list[int]:
    models = (*one.evidence.models, *two.evidence.models)
    return sorted(range(len(models)), key=models.__getitem__)


def _shared(one: Items, two: Items) -> int:
    return len(set(one.ids or ()) & set(two.ids or ()))


def _join_items(task: str, first: _Piece, second: _Piece) -> tuple[Items, Coverage | None]:
    one, two = first.evidence, second.evidence
    if not isinstance(one, Items) or not isinstance(two, Items):
        raise _cannot(task, first, second, "their rows are not the same")
    if one.ids is None or two.ids is None or one.design != two.design:
        raise _cannot(task, first, second, "their rows are not the same")
    if one.clusters is not None or two.clusters is not None:
        raise _cannot(task, first, second, "rows in clusters come from one table only")
    if not _shared(one, two):
        raise _cannot(
            task, first, second,
            f"their rows are not the same: none has a name in common (such as {one.ids[0]!r} and "
            f"{two.ids[0]!r})",
        )  # fmt: skip
    same = one.ids == two.ids
    if not (same and _equal(one.weights, two.weights)) and not (
        one.weights is None and two.weights is None
    ):
        raise _cannot(task, first, second, "the weights of their rows differ")
    ids = one.ids
    if not same:
        ids = sort_names(list(dict.fromkeys((*one.ids, *two.ids))), numeric=True)[0]
    order = _order(first, second)
    models = (*one.models, *two.models)
    values = np.concatenate([_spread(e, e.values, ids, np.nan) for e in (one, two)], axis=1)
    answers = None
    if one.answers is not None or two.answers is not None:
        answers = np.concatenate([_spread(e, _answers(e), ids, 0) for e in (one, two)], axis=1)
        answers = answers[:, order]
    within = None
    if one.within is not None or two.within is not None:
        parts = [_or_full(e.within, e.values.shape, np.nan) for e in (one, two)]
        within = np.concatenate(
            [_spread(e, part, ids, np.nan) for e, part in zip((one, two), parts, strict=True)],
            axis=1,
        )[:, order]
    # Labels of runs are not kept, so that runs of two tables cannot be matched: each model has
    # runs of its own.
    averaged = tuple(dict.fromkeys((*one.averaged, *two.averaged)))
    items = Items(
        tuple(models[i] for i in order), values[:, order], None, one.weights, one.design, ids,
        answers, None, averaged, within, _join_trials(one, two, ids, order),
    )  # fmt: skip
    coverage = _join_coverage(first.info.coverage, second.info.coverage, order, len(ids))
    return items, coverage


def _join_trials(
    one: Items, two: Items, ids: tuple[str, ...], order: Sequence[int]
) -> NDArray[np.float64] | None:
    """Answers of both by run; None unless runs of both are known, and those of each model's own."""
    if one.averaged not in ((), ("runs",)) or two.averaged not in ((), ("runs",)):
        return None
    if one.by_run is None or two.by_run is None:
        return None
    runs = max(one.by_run.shape[1], two.by_run.shape[1])
    parts = []
    for items, cube in ((one, one.by_run), (two, two.by_run)):
        room = ((0, 0), (0, runs - cube.shape[1]), (0, 0))
        parts.append(_spread(items, np.pad(cube, room, constant_values=np.nan), ids, np.nan))
    return np.concatenate(parts, axis=2)[:, :, order]


def _or_full(values: NDArray[Any] | None, shape: tuple[int, ...], empty: float) -> NDArray[Any]:
    return np.full(shape, empty) if values is None else values


def _spread(items: Items, values: NDArray[Any], ids: tuple[str, ...], empty: float) -> NDArray[Any]:
    """Values in the rows of `ids`."""
    if items.ids == ids:
        return values
    place = {name: row for row, name in enumerate(ids)}
    wide = np.full((len(ids), *values.shape[1:]), empty, values.dtype)
    wide[[place[name] for name in items.ids or ()]] = values
    return wide


def _join_estimates(task: str, first: _Piece, second: _Piece) -> Estimates:
    one, two = first.evidence, second.evidence
    if not isinstance(one, Estimates) or not isinstance(two, Estimates):
        raise _cannot(
            task, first, second, "some hold scores of single rows, others one score per model"
        )
    if one.cov is not None or two.cov is not None:
        raise _cannot(task, first, second, "scores with a covariance come from one source only")
    order = _order(first, second)
    models = (*one.models, *two.models)
    se = None
    if one.se is not None or two.se is not None:
        se = np.concatenate([_or_full(e.se, e.mean.shape, np.nan) for e in (one, two)])[order]
    n = None
    if one.n is not None or two.n is not None:
        n = np.concatenate([_or_full(e.n, e.mean.shape, 0) for e in (one, two)])[order]
    mean = np.concatenate((one.mean, two.mean))[order]
    return Estimates(tuple(models[i] for i in order), mean, se, None, n)


def _cannot(task: str, one: _Piece, two: _Piece, reason: str) -> DataError:
    return DataError(
        f"Task {task!r} occurs in several inputs that cannot be joined ({one.source}; "
        f"{two.source}): {reason}. Rank them one at a time, give the task different names, or put "
        "all rows into one tidy table."
    )


def _equal(one: NDArray[np.float64] | None, two: NDArray[np.float64] | None) -> bool:
    return one is two if one is None or two is None else np.array_equal(one, two)


def _answers(part: Items) -> NDArray[np.int64]:
    if part.answers is not None:
        return part.answers
    return np.asarray(~np.isnan(part.values), dtype=np.int64)


def _join_coverage(
    one: Coverage | None, two: Coverage | None, order: Sequence[int], rows: int = 0
) -> Coverage | None:
    """Counts side by side; what one has more rows of is missing for the models of the other."""
    if one is None or two is None:
        return None
    expected = max(one.expected, two.expected, rows)
    counts = {
        name: np.concatenate((getattr(one, name), getattr(two, name)))[order]
        for name in ("scored", "unscored", "errors")
    }
    missing = expected - sum(counts.values())
    return Coverage(
        expected, counts["scored"], counts["unscored"], counts["errors"], np.asarray(missing)
    )


def summarise_items(items: Items) -> Estimates:
    """Mean, standard error and number of the scored items of each model.

    Parameters
    ----------
    items : Items
        Scores without clusters or weights.

    Returns
    -------
    Estimates
        The standard error is that of a mean of independent items; NaN with fewer than two.

    Examples
    --------
    >>> summarise_items(Items(("a",), [[1.0], [0.0], [1.0], [0.0]])).se.round(4).tolist()
    [0.2887]
    """
    known = ~np.isnan(items.values)
    n = known.sum(axis=0)
    mean = np.full(len(items.models), np.nan)
    np.divide(np.where(known, items.values, 0.0).sum(axis=0), n, out=mean, where=n > 0)
    squares = np.where(known, items.values - mean, 0.0) ** 2
    se = np.full(len(items.models), np.nan)
    np.divide(squares.sum(axis=0), n * (n - 1.0), out=se, where=n > 1)
    return Estimates(items.models, mean, np.sqrt(se), None, n.astype(np.int64))

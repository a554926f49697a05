"""Whether scores of several tasks are on one scale, and can be averaged as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Items, Votes
from rankbars.data.notes import Note, list_words
from rankbars.data.rightanswers import is_share
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import outline_of
from rankbars.stats.averaging.points import Limits
from rankbars.tables.columns import fold_name
from rankbars.tables.metrics import is_proportion, lacks_unit, metric_in_name

__all__ = ["CommonScale", "find_common_scale"]

_PERCENT = 100.0
_TENFOLD = 10.0
_RATED = 3.0  # rows of points beside rows of right and wrong
_MOST_NAMED = 6  # metrics in a note


class CommonScale(NamedTuple):
    """What the scales of tasks have in common.

    Attributes
    ----------
    scores : bool
        Whether scores can be averaged as they are.
    ratios : bool
        Whether ratios of scores can, which have no unit: one metric, and one direction.
    limits : mapping from str to Limits
        Tasks in percent beside tasks in shares: what counts as 0 and as 1.
    metrics : tuple of (str, int)
        The metrics and on how many tasks, where there are several.
    shares : bool
        Whether several metrics are on one scale because all of them are shares.
    one_side : bool
        Whether the same side is better on all tasks.
    within : bool
        Whether all scores lie between 0 and 1.
    apart : tuple of (str, float)
        Two tasks and their largest scores, where these are too far apart for one scale.
    """

    scores: bool
    ratios: bool
    limits: Mapping[str, Limits]
    metrics: tuple[tuple[str, int], ...] = ()
    shares: bool = False
    one_side: bool = False
    within: bool = False
    apart: tuple[tuple[str, float], ...] = ()

    def note(self, *, anyway: bool) -> Note | None:
        """What must be said of several metrics; `anyway`: averaged as they are."""
        if self.apart:
            return _note_apart(self.apart, anyway=anyway)
        if not self.metrics:
            return None
        named = (
            f"{name} on {count} {'task' if count == 1 else 'tasks'}" for name, count in self.metrics
        )
        shown = list_words(named, _MOST_NAMED)
        if self.shares and len(self.metrics) == 1:
            return Note("one-scale", "Scores in percent were divided by 100, like those of others.")
        if self.shares:
            divided = "; scores in percent were divided by 100" if self.limits else ""
            return Note(
                "one-scale",
                f"Several metrics, all of them shares of right answers, averaged on one scale "
                f"({shown}){divided}.",
            )
        if anyway:
            return Note(
                "averaged-anyway",
                f"Different metrics, averaged as they are because it was asked for ({shown}): what "
                "one point means differs from task to task.",
            )
        ways = [
            "--score-min 0 --score-max 1 says that all of them lie between 0 and 1.",
            "--average-anyway averages the scores as they are.",
        ]
        said = [f"Tasks are on different metrics ({shown}), so ranks within tasks are averaged."]
        said += ways[:1] if self.within else []
        said += ways[1:] if self.one_side else []
        return Note("different-metrics", " ".join(said))


def find_common_scale(scores: Scores, tasks: Mapping[str, float]) -> CommonScale:
    """What the scales of `tasks` have in common.

    One metric is one scale, unless its values depend on the unit of a data set; time and money have
    one unit wherever they are spent. Several are one scale where each is a share: every row is
    right or wrong, or the range is declared. A metric counts by the name that came with the scores,
    or by the one that the name of the task ends or begins with.
    """
    infos = {name: scores.info[name] for name in tasks}
    one_side = len({info.direction for info in infos.values()}) == 1
    metrics = {name: info.metric for name, info in infos.items()}
    if set(metrics.values()) == {None}:
        named = {name: metric_in_name(name) for name in tasks}
        known_names = {name for name in named.values() if name is not None}
        if len(known_names) > 1 or any(map(lacks_unit, known_names)):
            metrics = named
    counts = Counter(name or "not named" for name in metrics.values())
    several = tuple(sorted(counts.items(), key=lambda one: (-one[1], one[0])))
    if len(counts) == 1:
        metric = next(iter(metrics.values()))
        plain = metric is None or not lacks_unit(metric)
        apart: tuple[tuple[str, float], ...] = ()
        if one_side:
            higher = next(iter(infos.values())).direction == "higher"
            if higher and metric is not None and is_proportion(metric):
                units = {name: _unit(scores, name, metric) for name in tasks}
                if divided := _percent_beside_shares(units):
                    return CommonScale(True, True, divided, several, shares=True)
            apart = _far_apart(scores, tasks, higher=higher)
        return CommonScale(
            one_side and plain and not apart, one_side, {}, one_side=one_side, apart=apart
        )
    ends = {name: _unit(scores, name, metrics[name]) for name in tasks} if one_side else {}
    known = [one for one in ends.values() if one is not None]
    tops = {one.top for one in known}
    mixed = len(tops) > 1
    higher = next(iter(infos.values())).direction == "higher"
    if len(known) < len(tasks) or (mixed and not (higher and all(one.sure for one in known))):
        within = one_side and all(_within(scores, name) for name in tasks)
        return CommonScale(False, False, {}, several, one_side=one_side, within=within)
    return CommonScale(True, False, _percent_beside_shares(ends), several, shares=True)


def _percent_beside_shares(units: Mapping[str, _Unit | None]) -> dict[str, Limits]:
    """How tasks in percent are divided where others are in shares, and all are sure of it."""
    known = [one for one in units.values() if one is not None and one.sure]
    if len(known) < len(units) or len({one.top for one in known}) < 2:
        return {}
    percent = [name for name, one in units.items() if one is not None and one.top == _PERCENT]
    return dict.fromkeys(percent, Limits(0.0, _PERCENT))


class _Reach(NamedTuple):
    """What scores of a task reach, in the units of the input.

    Attributes
    ----------
    low, high : float
        Lowest and highest score of any model: declared, where both ends are.
    declared : bool
        Whether they are declared.
    rows : bool
        Whether they are scores of rows, not one per model.
    """

    low: float
    high: float
    declared: bool
    rows: bool


def _reach(scores: Scores, task: str) -> _Reach | None:
    info = scores.info[task]
    known = outline_of(scores.tasks, task)
    if info.minimum is not None and info.maximum is not None:
        return _Reach(info.minimum, info.maximum, declared=True, rows=known is not None)
    if known is not None:
        low, high = known.reach or (np.array([]), np.array([]))
    else:
        evidence = scores.tasks[task]
        if not isinstance(evidence, Estimates):
            return None
        low = high = evidence.mean
    if info.direction == "lower":
        low, high = -high, -low
    if np.isnan(low).all():
        return None
    return _Reach(float(np.nanmin(low)), float(np.nanmax(high)), False, known is not None)


def _far_apart(
    scores: Scores, tasks: Mapping[str, float], *, higher: bool
) -> tuple[tuple[str, float], ...]:
    """Tasks with the smallest and the largest best score, where both cannot be on one scale.

    Scores of a hard task and of an easy one may both be percentages, however far apart. They are
    not where one task stays within 1 or another goes beyond 100; where rows are right or wrong on
    one task and are points on another; or where one task holds ratings, of which all models get
    half the points of the best or more, and the others percentages. Scores below 0 are no shares:
    they are apart by their size alone.
    """
    found = {name: _reach(scores, name) for name in tasks}
    ends = {name: one for name, one in found.items() if one is not None}
    if len(ends) < len(tasks):
        return ()
    size = {name: max(-one.low, one.high) for name, one in ends.items()}
    ordered = sorted(ends, key=size.__getitem__)
    named = (ordered[0], ordered[-1])
    if any(one.low < 0.0 for one in ends.values()):
        apart = _PERCENT < size[named[1]] >= _TENFOLD * size[named[0]]
        return tuple((name, ends[name].high) for name in named) if apart else ()
    low, high = ends[named[0]], ends[named[1]]
    beyond = high.high > _PERCENT or (low.high <= 1.0 and high.high > _TENFOLD)
    apart = beyond and high.high >= _TENFOLD * low.high
    if higher and low.high <= 1.0 and high.high >= _RATED:
        apart = True
    others = [ends[name].high for name in ordered[1:]]
    if higher and len(ends) > 1 and 1.0 < low.high <= _TENFOLD < min(others) <= _PERCENT:
        rating = fold_name(ordered[0]).startswith("mtbench") or (
            not low.rows and 2.0 * low.low >= low.high > low.low
        )
        apart = apart or low.declared or rating
    return tuple((name, ends[name].high) for name in named) if apart else ()


def _note_apart(apart: tuple[tuple[str, float], ...], *, anyway: bool) -> Note:
    shown = " and ".join(f"{top:g} on {name!r}" for name, top in apart)
    if anyway:
        return Note(
            "averaged-anyway",
            f"Different scales (the largest scores are {shown}), averaged as they are because it "
            "was asked for: what one point means differs from task to task.",
        )
    return Note(
        "different-metrics",
        f"Tasks are on different scales (the largest scores are {shown}), so ranks within tasks "
        "are averaged. --average-anyway averages the scores as they are; rankbars rank --limits "
        "FILE --normalise bounds brings them to one scale by the limits of each task.",
    )


class _Unit(NamedTuple):
    """What all right is called on a task, 1 or 100, and whether the rows or limits say so."""

    top: float
    sure: bool


def _unit(scores: Scores, task: str, metric: str | None) -> _Unit | None:
    info = scores.info[task]
    if info.minimum == 0.0 and info.maximum in (1.0, _PERCENT):
        return _Unit(float(info.maximum), sure=True)
    sign = 1.0 if info.direction == "higher" else -1.0
    evidence = scores.tasks[task]
    if isinstance(evidence, Items):
        values = sign * evidence.values
        for top in (1.0, _PERCENT):
            if _only(values, top):
                return _Unit(top, sure=top > 1.0 or bool((values == 1.0).any()))
    elif isinstance(evidence, Estimates):
        values = sign * evidence.mean
        if evidence.se is not None and is_share(evidence):
            return _Unit(1.0, sure=True)
    else:
        return None
    if metric is None or not is_proportion(metric):
        return None
    with np.errstate(invalid="ignore"):
        if (values < 0.0).any() or (values > _PERCENT).any():
            return None
        return _Unit(_PERCENT if (values > 1.0).any() else 1.0, sure=False)


def _within(scores: Scores, task: str) -> bool:
    """Whether all scores of a task lie between 0 and 1, in the units of the input."""
    sign = 1.0 if scores.info[task].direction == "higher" else -1.0
    evidence = scores.tasks[task]
    if isinstance(evidence, Votes):
        return False
    values = sign * (evidence.values if isinstance(evidence, Items) else evidence.mean)
    return bool(((values >= 0.0) & (values <= 1.0) | np.isnan(values)).all())


def _only(values: NDArray[np.float64], top: float) -> bool:
    """Whether every score there is, is 0 or `top`."""
    return bool(((values == 0.0) | (values == top) | np.isnan(values)).all())

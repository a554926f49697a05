"""Where the errors of a task come from: what its repeated answers say, and what a run shares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Evidence, Folds, Items, independent_items
from rankbars.data.fields import locate_models, spread_columns
from rankbars.data.noise import CLEAR, NoiseParts, RunEffect, TaskNoise
from rankbars.data.notes import Note
from rankbars.stats.pairwise.runeffects import (
    RunSquares,
    RunTest,
    chi_square_tail,
    examine_common_runs,
    examine_runs,
    run_signal,
    run_squares,
    signal_power,
)
from rankbars.stats.repeatedanswers import (
    RunPart,
    Split,
    flip_chance,
    run_part,
    split_means,
    split_pairs,
    spread_over_runs,
)
from rankbars.stats.streams import stream
from rankbars.steps.testrows import averaged_words, row_word

__all__ = [
    "RunChances",
    "RunFinding",
    "examine_task_noise",
    "examine_task_runs",
    "run_chances",
    "run_notes",
]

_FEWEST_UNEVEN = 10  # items; of fewer only complete answers are tested, by permutation
_SHARE = 0.03  # of the range of scores: the effect whose chance to be seen is told


_FEWEST_SHARED = 4  # with fewer shared prompts, what both models have in common counts twice


def examine_task_noise(
    evidence: Evidence, models: tuple[str, ...], task: str, *, seed: int = 0, alpha: float = 0.05,
    found: RunFinding | None = None, most_pairs: int = 5_000,
) -> TaskNoise | None:  # fmt: skip
    """Split of the errors of one task, aligned with `models`; None without repeated answers.

    Parameters
    ----------
    evidence : evidence
        The task.
    models : tuple of str
        Models that the arrays speak of; those without evidence get NaN.
    task : str
        Its name, for the stream of permutations.
    seed : int
        Seed of permutations of few items.
    alpha : float
        Error rate of intervals.
    found : RunFinding, optional
        What is known of effects of runs already.
    most_pairs : int
        With more pairs than this, they are left out.
    """
    if not isinstance(evidence, Items) or isinstance(evidence.design, Folds):
        return None
    counted = _count(evidence)
    if counted is None:
        return None
    answers, within = counted
    columns = locate_models(evidence.models, models)
    values, answers, within = (
        spread_columns(cells, columns, len(models)) for cells in (evidence.values, answers, within)
    )
    rows = (evidence.weights, evidence.clusters, alpha)
    pairs = np.triu_indices(len(models), 1)
    # Models and rows share what answers differ in, as they share prompts.
    cube = None if _answer_word(evidence) == "answers" else evidence.runs
    if cube is not None:
        cube = spread_columns(cube, columns, len(models))
        within = _vary_beside_labels(cube)
    elif _answer_word(evidence) != "answers":
        within = np.full(within.shape, np.nan)  # what labels do to all rows is not told apart
    crossed = cube is not None and cube.shape[1] >= _FEWEST_SHARED
    runs = _Runs(evidence, columns, len(models))
    if found is None:
        found = examine_task_runs(evidence, seed, task)
    known = answers[~np.isnan(values)]
    several = ~np.isnan(within)
    number = several.sum(axis=0)
    mixed = np.full(len(models), np.nan)
    np.divide((within > 0).sum(axis=0), number, out=mixed, where=number > 0)
    return TaskNoise(
        row=row_word(evidence),
        answer=_answer_word(evidence),
        items=evidence.n,
        fewest=int(known.min(initial=known.max(initial=0))),
        most=int(known.max(initial=0)),
        means=_parts(split_means(values, answers, within, *rows), runs.of_means(alpha)),
        pairs=None
        if len(pairs[0]) > most_pairs
        else _parts(
            split_pairs(values, answers, within, pairs, *rows)
            if cube is None
            else _split_differences(cube, values, pairs, rows),
            runs.of_pairs(pairs, alpha, crossed=crossed),
        ),
        flips=flip_chance(values, answers, within),
        mixed=mixed,
        run_error=runs.spread(),
        run_effect=None if found is None else _effect(found.q, found.df, found.signal, found.tau),
        run_common=None
        if found is None or not found.common_df
        else _effect(found.common_q, found.common_df, found.signal * found.models, found.tau),
    )


def _count(items: Items) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
    """Number and variance of the answers behind each value; None where no item has two."""
    if items.within is not None and items.answers is not None:
        return (items.answers, items.within) if (items.answers > 1).any() else None
    cube = items.by_run
    if cube is None:
        return None
    number = (~np.isnan(cube)).sum(axis=1)
    if not (number > 1).any():
        return None
    mean = np.nansum(cube, axis=1) / np.maximum(number, 1)
    squares = np.nansum(np.square(cube - mean[:, None, :]), axis=1)
    within = np.where(number > 1, squares / np.maximum(number - 1, 1), np.nan)
    return number.astype(np.int64), within


def _answer_word(items: Items) -> str:
    words = averaged_words(items)
    return "answers" if words in ("", "runs") else words


def _vary_beside_labels(cube: NDArray[np.float64]) -> NDArray[np.float64]:
    """Variance of the answers to a row beside what each label does to all rows, (n, M)."""
    n, labels, _ = cube.shape
    if n < 2 or labels < 2:
        return np.full((n, cube.shape[2]), np.nan)
    found: NDArray[np.float64] = (cube - cube.mean(axis=0)).var(axis=1, ddof=1) * n / (n - 1)
    return found


def _split_differences(
    cube: NDArray[np.float64], values: NDArray[np.float64],
    pairs: tuple[NDArray[np.intp], NDArray[np.intp]], rows: tuple[Any, Any, float],
) -> Split:  # fmt: skip
    """The split of differences of models whose answers to a row share labels, and what they do."""
    first, second = pairs
    within = [
        _vary_beside_labels((cube[:, :, a] - cube[:, :, b])[:, :, None])
        for a, b in zip(first, second, strict=True)
    ]
    spread = np.concatenate(within, axis=1) if within else np.empty((len(values), 0))
    difference = values[:, first] - values[:, second]
    return split_means(difference, np.full(difference.shape, cube.shape[1]), spread, *rows)


class _Runs:
    """The answers of models with complete runs, equally many of all."""

    def __init__(self, items: Items, columns: NDArray[np.intp], models: int) -> None:
        self.models = models
        cube = items.by_run
        cubes: dict[int, NDArray[np.float64]] = {}
        if cube is not None and independent_items(items) and items.n > 1:
            for place, model in enumerate(columns.tolist()):
                own = cube[:, :, place]
                own = own[:, ~np.isnan(own).all(axis=0)]
                if own.shape[1] > 1 and not np.isnan(own).any():
                    cubes[model] = own
        most = max((own.shape[1] for own in cubes.values()), default=0)
        self.runs = most
        chosen = {model: own for model, own in cubes.items() if own.shape[1] == most}
        self.columns = np.array(list(chosen), np.intp)
        self.cube = np.stack([*chosen.values()], axis=2) if chosen else None

    def spread(self) -> NDArray[np.float64]:
        """Spread of the means of runs, (M,)."""
        found = np.full(self.models, np.nan)
        if self.cube is not None:
            found[self.columns] = spread_over_runs(self.cube)
        return found

    def of_means(self, alpha: float) -> RunPart:
        """What whole runs add to the variance of means."""
        found = _blank(self.models)
        if self.cube is not None:
            made = run_part([run_squares(self.cube)], len(self.cube), self.runs, alpha)
            for into, part in zip(found, made, strict=True):
                into[self.columns] = part
        return found

    def of_pairs(
        self, pairs: tuple[NDArray[np.intp], NDArray[np.intp]], alpha: float, *, crossed: bool
    ) -> RunPart:
        """What whole runs add to the variance of differences."""
        found = _blank(len(pairs[0]))
        if self.cube is None:
            return found
        place = np.full(self.models, -1)
        place[self.columns] = np.arange(len(self.columns))
        use = (place[pairs[0]] >= 0) & (place[pairs[1]] >= 0)
        first, second = (place[one[use]] for one in pairs)
        squares: list[RunSquares]
        if crossed:
            each = [
                run_squares((self.cube[:, :, a] - self.cube[:, :, b])[:, :, None])
                for a, b in zip(first, second, strict=True)
            ]
            squares = [RunSquares(*(np.concatenate(part) for part in zip(*each, strict=True)))]
        else:
            own = run_squares(self.cube)
            squares = [RunSquares(*(part[one] for part in own)) for one in (first, second)]
        made = run_part(squares, len(self.cube), self.runs, alpha)
        for into, part in zip(found, made, strict=True):
            into[use] = part
        return found


def _blank(size: int) -> RunPart:
    return RunPart(*(np.full(size, np.nan) for _ in range(3)))


def _parts(split: Split, runs: RunPart) -> NoiseParts:
    """Parts of the variance of means, from those of a row."""
    n = np.maximum(split.n, 1)
    return NoiseParts(
        split.n, split.known, split.mean, split.total / n, split.rerun / n, split.once / n,
        split.low, split.high, *runs,
    )  # fmt: skip


def _effect(q: float, df: int, signal: float, tau: float) -> RunEffect:
    power = signal_power(signal, df)
    return RunEffect(q, df, chi_square_tail(q, df), tau, None if np.isnan(power) else power)


class RunFinding(NamedTuple):
    """What the answers to one task say about effects of whole runs.

    Attributes
    ----------
    q, df
        The statistic over all models, as that of a chi-square with so many degrees of freedom.
    signal : float
        Variance that runs with a standard deviation of `tau` would add, over that of answers.
    tau : float
        3 % of the range of the scores: 3 points of 100.
    models, items, runs : int
        How many there are; 0 runs where some answers are missing.
    common_q, common_df
        The statistic of an effect that is the same for all models; 0 degrees of freedom for one.
    """

    q: float
    df: int
    signal: float
    tau: float
    models: int
    items: int
    runs: int
    common_q: float = 0.0
    common_df: int = 0


def examine_task_runs(evidence: Evidence, seed: int, task: str) -> RunFinding | None:
    """The test for effects of whole runs; None without labels of runs, or a spread.

    Prompts that models share are not tested: what they do to all models cancels in differences.
    """
    if not isinstance(evidence, Items) or evidence.by_run is None or evidence.design != "items":
        return None
    if evidence.averaged not in ((), ("runs",)):
        return None
    cube = evidence.by_run[:, :, ~np.isnan(evidence.values).all(axis=0)]
    if cube.shape[1] < 2 or not cube.size:
        return None
    whole = not np.isnan(cube).any()
    if not whole and len(cube) < _FEWEST_UNEVEN:
        return None
    found = examine_runs(cube, stream(seed, "run effects", task, 0))
    if found.df == 0:
        return None
    tau = _SHARE * _range(float(np.nanmin(cube)), float(np.nanmax(cube)))
    common = found if cube.shape[2] < 2 else (
        examine_common_runs(cube, stream(seed, "common run effects", task, 0))
    )  # fmt: skip
    return RunFinding(
        q=_as_chi_square(found),
        df=found.df,
        signal=run_signal(cube, tau),
        tau=tau,
        models=cube.shape[2],
        items=cube.shape[0],
        runs=cube.shape[1] if whole else 0,
        common_q=_as_chi_square(common),
        common_df=0 if common is found else common.df,
    )


class RunChances(NamedTuple):
    """What all tasks together say of whole runs.

    Attributes
    ----------
    p
        Chance of such a spread of runs without any effect; NaN where nothing can be tested.
    apart
        The same of what runs do to one model and not to the others, which alone does not cancel in
        differences; NaN with one model.
    alike
        Whether runs move models alike by more than they move them apart, beyond chance: a lenient
        rater, a hard day.
    """

    p: float
    apart: float
    alike: bool

    @property
    def differ(self) -> bool:
        """Whether runs differ by more than chance in a way that does not cancel."""
        return self.p <= CLEAR and not (self.alike and self.apart > CLEAR)


def run_chances(found: Iterable[RunFinding]) -> RunChances:
    """The tests of all tasks together."""
    parts = tuple(found)
    q, df = sum(one.q for one in parts), sum(one.df for one in parts)
    shared = [one for one in parts if one.common_df]
    common, common_df = (
        sum(one.common_q for one in shared),
        sum(one.common_df for one in shared),
    )
    rest = max(sum(one.q for one in shared) - common, 0.0)
    rest_df = sum(one.df for one in shared) - common_df
    alike = False
    if rest_df > 0 and common > 0.0:
        from scipy.special import fdtrc

        ratio = math.inf if rest == 0.0 else common / common_df * rest_df / rest
        alike = bool(fdtrc(common_df, rest_df, ratio) <= CLEAR)
    return RunChances(chi_square_tail(q, df), chi_square_tail(rest, rest_df), alike)


def run_notes(found: Mapping[str, RunFinding]) -> tuple[Note, ...]:
    """What a board says of the runs behind its answers where they are not drawn, too.

    Examples
    --------
    >>> one = RunFinding(q=2.5, df=3, signal=0.3, tau=0.03, models=1, items=10, runs=4)
    >>> print(run_notes({"law": one})[0].message.partition("answers. ")[2].partition(" (")[0])
    The ± holds for new items and new answers. No sign of an effect shared by whole runs
    """
    if not found:
        return ()
    parts = tuple(found.values())
    df = sum(one.df for one in parts)
    chances = run_chances(parts)
    p = chances.p
    if p <= CLEAR and not chances.differ:
        text = (
            f"Whole runs move all models alike, by more than chance (p = {p:.2g}), as lenient "
            "raters or hard days do: "
        )
        if all(one.runs for one in parts):
            text += "that cancels in differences; the ± of single scores is for these runs."
        else:
            text += (
                "that cancels in differences only where the models of an item have the same ones, "
                "which not all have here; elsewhere it is noise."
            )
        return (Note("runs-alike", text),)
    if chances.differ:
        text = (
            "Answers with the same number, as of one run or one rater, move together more than "
            f"chance allows (p = {p:.2g}). What is said here is for these runs"
        )
        if all(one.runs for one in parts):
            text += '. --runs shared (runs="shared") covers new runs, too.'
        else:
            text += ": new ones are not covered, for answers are missing or runs not equally many."
        return (Note("run-effect", text),)
    taus = {one.tau for one in parts}
    power = signal_power(sum(one.df * one.signal for one in parts) / df, df)
    size = f" with a standard deviation of {parts[0].tau:.3g}" if len(taus) == 1 else ""
    size = size or " with a standard deviation of 3 % of the range of scores"
    shapes = {(one.items, one.runs) for one in parts}
    even = len(shapes) == 1 and parts[0].runs > 0
    seen = f"{parts[0].items} items × {parts[0].runs} answers. " if even else ""
    text = (
        f"{seen}The ± holds for new items and new answers. No sign of an effect shared by "
        f"whole runs (p = {p:.2g}; one{size} would show in {100 * power:.0f} % of cases)."
    )
    return (Note("runs-alike", text),)


def _range(low: float, high: float) -> float:
    """The range of the scale: 1 or 100 where scores fit one, else that of the scores."""
    size = max(abs(low), abs(high))
    one_sided = low >= 0.0 or high <= 0.0
    if one_sided and size <= 1.0:
        return 1.0
    return 100.0 if one_sided and size <= 100.0 and size > 10.0 else high - low


def _as_chi_square(found: RunTest) -> float:
    """The statistic; of a permutation test, the one with its p-value."""
    from scipy.special import chdtri

    return float(chdtri(found.df, found.p)) if found.permuted else found.q

"""Where errors come from: as text for a terminal, as HTML and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankbars.data.noise import CLEAR, Costs, Noise, NoiseParts, RunEffect, TaskNoise
from rankbars.data.plain import Keys, json_text, to_plain
from rankbars.errors import DataError
from rankbars.render.notation import show_level
from rankbars.render.shownnames import shorten_all, visible
from rankbars.render.textlines import each_wrapped, html_table, in_columns, text_of, wrapped

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["NOISE_SCHEMA", "NoiseTable", "noise_html", "noise_json", "noise_sentences",
           "noise_table", "noise_text"]  # fmt: skip

NOISE_SCHEMA = "rankbars.noise/1"
_NARROWEST = 40
_NAME = 28
_FEW = 30
_MOST_TASKS = 12


class NoiseTable(NamedTuple):
    """A table of the models of a task: heads, and rows of a name and its cells."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def noise_text(noise: Noise, *, width: int = 80) -> str:
    """What was found, in words and a table per task, in so many columns."""
    width = max(width, _NARROWEST)
    lines: list[str] = []
    for place, (name, task) in enumerate(noise.tasks.items()):
        if place == _MOST_TASKS:
            lines += ["", f"And {len(noise.tasks) - place} more tasks: --tasks NAME shows one."]
            break
        if len(noise.tasks) > 1:
            lines += [*([""] if place else []), visible(name)]
        lines += each_wrapped(noise_sentences(noise, name), width)
        if noise.pair is None:
            heads, rows = noise_table(noise.models, task)
            names = shorten_all([row[0] for row in rows], [_NAME] * len(rows))
            cells = [(name, *row[1:]) for name, row in zip(names, rows, strict=True)]
            lines += ["", *in_columns([heads, *cells], "lr")]
    for note in noise.notes:
        lines += ["", *wrapped(note.message, width)]
    return text_of(lines)


def noise_html(noise: Noise) -> str:
    """What was found, for the output of a notebook cell; without script or outside style."""
    parts = []
    for name, task in list(noise.tasks.items())[:_MOST_TASKS]:
        title = f"<b>{escape(visible(name))}</b> " if len(noise.tasks) > 1 else ""
        parts.append(f"<p>{title}{escape(' '.join(noise_sentences(noise, name)))}</p>")
        table = noise_table(noise.models, task)
        parts.append(html_table([table.heads, *table.rows]))
    return "".join(parts)


def noise_json(noise: Noise) -> str:
    """What was found as JSON: arrays by model, and by pair (0, 1), (0, 2), ..., (1, 2), ..."""
    file = _File(
        NOISE_SCHEMA, noise.models, noise.alpha, noise.pair, noise.costs,
        tuple(
            _TaskFile(name, task, *_bought(noise, name)) for name, task in noise.tasks.items()
        ),
        tuple(" ".join(noise_sentences(noise, name)) for name in noise.tasks),
    )  # fmt: skip
    return json_text(to_plain(file, {one: Keys() for one in (_File, _TaskFile)}))


@dataclass(frozen=True, slots=True, eq=False)
class _TaskFile:
    name: str
    noise: TaskNoise
    best_answers: int | None
    items: int | None
    answers: int | None


@dataclass(frozen=True, slots=True, eq=False)
class _File:
    schema: str
    models: tuple[str, ...]
    alpha: float
    pair: tuple[str, ...] | None
    costs: Costs | None
    tasks: tuple[_TaskFile, ...]
    sentences: tuple[str, ...]


def _bought(noise: Noise, name: str) -> tuple[int | None, int | None, int | None]:
    if noise.costs is None:
        return None, None, None
    try:
        best = noise.best_answers(name)
    except DataError:
        return None, None, None
    bought = None if noise.costs.budget is None else noise.buy(name)
    items, answers = (None, None) if bought is None else (bought.items, bought.answers)
    return int(best), items, answers


def noise_sentences(noise: Noise, name: str) -> list[str]:
    """What is said of one task: how much is items, answers and runs, and what more would buy."""
    task = noise.tasks[name]
    return [
        _size_line(task),
        *_share_lines(noise, task),
        *_flip_lines(noise, task),
        *_trial_lines(noise, task),
        *_run_lines(task.run_effect, shared=noise.shared, even=task.fewest == task.most),
        *_common_lines(task.run_common),
        *_run_parts(noise, task),
        *_level_line(noise, task),
        *_cost_lines(noise, name),
    ]


def _size_line(task: TaskNoise) -> str:
    number = str(task.most) if task.fewest == task.most else f"{task.fewest} to {task.most}"
    row = task.row.removesuffix("s") if task.items == 1 else task.row
    text = f"{task.items:,} {row} × {number} {task.answer}. The ± holds for new {task.row}"
    if task.answer == "answers":
        return f"{text} and new answers."
    if task.row != "items":
        return f"{text}, with these {task.answer}."
    return f"{text}, not for what {task.answer} do to all of them (--runs shared)."


def _level_line(noise: Noise, task: TaskNoise) -> Iterator[str]:
    ends = (task.means.low, () if task.pairs is None else task.pairs.low)
    if any(np.isfinite(one).any() for one in ends):
        yield f"In brackets: {show_level(noise.alpha)} intervals, each by itself."


def _chosen(noise: Noise, task: TaskNoise) -> tuple[NoiseParts, int] | None:
    """The one mean or difference that is spoken of; None where there are several."""
    if noise.pair is not None and task.pairs is not None:
        first, second = sorted(noise.models.index(name) for name in noise.pair)
        count = len(noise.models)
        return task.pairs, first * count - first * (first + 1) // 2 + second - first - 1
    if len(noise.models) == 1:
        return task.means, 0
    if len(noise.models) == 2 and task.pairs is not None:
        return task.pairs, 0
    return None


def _share_lines(noise: Noise, task: TaskNoise) -> Iterator[str]:
    chosen = _chosen(noise, task)
    what = "rerun noise" if task.answer == "answers" else f"what {task.answer} make"
    more = "reruns" if task.answer == "answers" else task.answer
    if chosen is None:
        yield from _many_lines(noise, task, what, more)
        return
    parts, place = chosen
    about = ""
    if parts is task.pairs:
        a, b = _pair_names(noise)
        if parts.n[place] < 2:
            shared = "no item" if parts.n[place] == 0 else "only one item"
            yield (
                f"{visible(a)} and {visible(b)} share {shared} that is scored, so nothing can be "
                "split."
            )
            return
        sign = 1.0 if noise.pair is None or noise.models.index(a) < noise.models.index(b) else -1.0
        about = (
            f"{visible(a)} minus {visible(b)}: {sign * parts.mean[place]:.3g} with standard error "
            f"{np.sqrt(parts.variance[place]):.3g}. "
        )
    elif parts.n[place] < 2:
        yield "Fewer than two items are scored, so nothing can be split."
        return
    share = float(parts.share[place])
    if np.isnan(share):
        yield about + _unknown(parts, place)
        return
    if share >= 1:
        yield f"{about}All of its variance is {what}, as far as this can be told."
        return
    if share == 0:
        yield f"{about}None of its variance is {what}: answers to one item are all the same."
        return
    ends = ""
    if np.isfinite(parts.low[place]):
        ends = f" [{100 * parts.low[place]:.0f}, {100 * parts.high[place]:.0f}]"
    rough = f" (rough, with {task.items} {task.row})" if task.items < _FEW else ""
    few = ""
    if parts.known[place] < parts.n[place]:
        few = (
            f" Only {parts.known[place]:,} of {parts.n[place]:,} items have two answers or more; "
            "the others are taken to be like these."
        )
    yield (
        f"{about}{100 * share:.0f} %{ends} of its variance is {what}{rough}: endless {more} would "
        f"narrow it by {100 * parts.width_saved[place]:.0f} %.{few}"
    )


def _unknown(parts: NoiseParts, place: int) -> str:
    if parts.known[place] == 0:
        return "No row has answers that tell how much they differ, so their part is not known."
    return "All differences are the same, so nothing can be split."


def _many_lines(noise: Noise, task: TaskNoise, what: str, more: str) -> Iterator[str]:
    """What is said of all pairs, or of all models where pairs are too many."""
    parts, of = (task.pairs, "pairs of models") if task.pairs is not None else (
        task.means, "models")  # fmt: skip
    share = np.minimum(parts.share, 1.0)
    seen = share[~np.isnan(share)]
    if not seen.size:
        yield "No part of answers is known."
        return
    middle = float(np.median(seen))
    saved = float(np.median(np.minimum(parts.width_saved[~np.isnan(parts.share)], 1.0)))
    spread = _percents(seen)
    where = f"median of {seen.size:,} {of}, which have {spread}"
    if " to " not in spread:
        where = f"the same for all {seen.size:,} {of}"
    if seen.size == 1:
        where = f"in the only one of {share.size:,} {of} that tells it"
    whole = "a difference" if parts is task.pairs else "a score"
    yield (
        f"Of the variance of {whole}, {100 * middle:.0f} % is {what} ({where}): endless {more} "
        f"would narrow the ± by {100 * saved:.0f} %."
    )


def _flip_lines(noise: Noise, task: TaskNoise) -> Iterator[str]:
    flips = _of_pair(noise, task.flips)
    mixed = _of_pair(noise, task.mixed)
    known = flips[~np.isnan(flips)]
    if not known.size or task.answer != "answers":
        return
    text = f"Two answers to one item differ in {_percents(known)} of cases"
    if task.fewest == task.most and not np.isnan(mixed).all():
        share = _percents(mixed[~np.isnan(mixed)])
        text += f"; {share} of items have different answers among {task.most}"
    yield text + "."


def _trial_lines(noise: Noise, task: TaskNoise) -> Iterator[str]:
    """What "mean ± sd over trials" would say, for the model it misleads most."""
    if task.answer != "answers":
        return
    with np.errstate(invalid="ignore", divide="ignore"):
        times = _of_pair(noise, np.sqrt(task.means.variance) / task.run_error)
    wanted = _of_pair(noise, np.arange(len(noise.models), dtype=np.float64))
    use = np.isfinite(times)
    if not use.any():
        return
    place = int(wanted[use][np.argsort(times[use])[use.sum() // 2]])
    suggested, true = task.run_error[place], float(np.sqrt(task.means.variance[place]))
    whose = f" for {visible(noise.models[place])}" if len(noise.models) > 1 else ""
    yield (
        f"The spread of the means of trials suggests an error of {suggested:.3g}{whose}; for new "
        f"items it is {true:.3g}, {true / suggested:.1f} times that."
    )


def _run_lines(effect: RunEffect | None, *, shared: bool, even: bool) -> Iterator[str]:
    if effect is None:
        return
    if effect.p <= CLEAR:
        said = (
            "the ± is for these runs. --runs shared covers new runs, too."
            if even
            else "the ± is for these runs: new ones are not covered, for answers are missing or "
            "runs not equally many."
        )
        yield (
            "Answers with the same number, as of one run or one rater, move together more than "
            f"chance allows (p = {effect.p:.2g})"
            + (", and the ± allows for it." if shared else f": {said}")
        )
        return
    power = ""
    if effect.power is not None:
        power = (
            f"; one with a standard deviation of {effect.tau:.3g} would show in "
            f"{100 * effect.power:.0f} % of cases"
        )
    yield f"No sign of an effect shared by whole runs (p = {effect.p:.2g}{power})."


def _common_lines(effect: RunEffect | None) -> Iterator[str]:
    """What runs do to all models alike, where there is a sign of it."""
    if effect is None or effect.p > CLEAR:
        return
    yield (
        f"Runs move all models alike (p = {effect.p:.2g}): where models share runs, that cancels "
        "in differences of them. It stays in every score."
    )


def _run_parts(noise: Noise, task: TaskNoise) -> Iterator[str]:
    """What whole runs would add to the variance that is spoken of."""
    chosen = _chosen(noise, task)
    if chosen is None:
        return
    parts, place = chosen
    runs, high = parts.runs[place], parts.runs_high[place]
    if np.isnan(runs) or not parts.variance[place] > 0:
        return
    new = "runs" if task.answer == "answers" else task.answer
    added = max(float(runs), 0.0) / parts.variance[place]
    ends = ""
    if np.isfinite(high):
        low, high = (100 * one / parts.variance[place] for one in (parts.runs_low[place], high))
        most = f"{high:.0f} %" if high <= _MOST_PERCENT else "over 1,000 %"
        ends = f" (anything from {low:.0f} to {most} fits these answers)"
    yield f"For new {new}, too, its variance would be larger by {100 * added:.0f} %{ends}."


_MOST_PERCENT = 1000.0  # of the variance; beyond it, so few runs say nothing of an upper end


def _cost_lines(noise: Noise, name: str) -> Iterator[str]:
    if noise.costs is None:
        return
    task = noise.tasks[name]
    try:
        best = noise.best_answers(name)
    except DataError as error:
        yield str(error)
        return
    item, trial = noise.costs.item, noise.costs.trial
    where = f"At {item:g} for an item and {trial:g} for a trial"
    low, high = noise.answers_between(name)
    ends = "" if np.isnan(low) or low == high else (
        f" ({low:.0f} to {high:.0f} by the interval of the share)"
        if np.isfinite(high) else f" (at least {low:.0f}, by the interval of the share)"
    )  # fmt: skip
    if best == 1:
        yield f"{where}, more {task.row} beat more trials: one answer to each is best{ends}."
    else:
        yield f"{where}, {best:.0f} trials of each give the smallest error for the money{ends}."
    if noise.costs.budget is not None:
        found = noise.buy(name)
        if found is None:
            yield f"A budget of {noise.costs.budget:g} does not buy one item."
            return
        yield (
            f"For {noise.costs.budget:g}: {found.items:,} {task.row} × {found.answers:,} answers, "
            f"with a standard error of {np.sqrt(found.variance):.3g}."
        )


def noise_table(models: Sequence[str], task: TaskNoise) -> NoiseTable:
    """The models of a task: standard error, shares of its variance, flips, spread of trials."""
    means = task.means
    several = task.answer == "answers"
    heads = ["model", "error", f"{task.row}, %", f"{task.answer}, %"]
    columns = [
        [f"{value:.2g}" if value > 0 else "" for value in np.sqrt(means.variance)],
        [_percent(1 - min(one, 1.0)) for one in means.share],
        [_share_cell(means, place) for place in range(len(models))],
    ]
    if several and not np.isnan(task.flips).all():
        heads.append("flips, %")
        columns.append([_percent(one) for one in task.flips])
    if several and not np.isnan(task.mixed).all():
        heads.append("mixed items, %")
        columns.append([_percent(one) for one in task.mixed])
    if several and not np.isnan(task.run_error).all():
        heads.append("sd of trials / √K")
        columns.append([f"{one:.2g}" if np.isfinite(one) else "" for one in task.run_error])
    rows = tuple(
        (visible(name), *(column[place] for column in columns))
        for place, name in enumerate(models)
        if means.n[place] > 0
    )
    return NoiseTable(tuple(heads), rows)


def _share_cell(parts: NoiseParts, place: int) -> str:
    share = parts.share[place]
    if np.isnan(share):
        return ""
    text = _percent(min(float(share), 1.0))
    if np.isfinite(parts.low[place]):
        text += f" ({100 * parts.low[place]:.0f}–{100 * parts.high[place]:.0f})"
    return text


def _percent(share: float) -> str:
    return "" if np.isnan(share) else f"{100 * share:.0f}"


def _percents(shares: NDArray[np.float64]) -> str:
    low, high = f"{100 * shares.min():.0f}", f"{100 * shares.max():.0f}"
    return f"{low} %" if low == high else f"{low} to {high} %"


def _of_pair(noise: Noise, values: NDArray[np.float64]) -> NDArray[np.float64]:
    if noise.pair is None:
        return values
    return values[[noise.models.index(name) for name in noise.pair]]


def _pair_names(noise: Noise) -> tuple[str, str]:
    if noise.pair is not None:
        return noise.pair
    first, second = noise.models
    return first, second

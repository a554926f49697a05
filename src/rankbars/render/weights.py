"""Which weights of the categories make which model win, as text and as plain values."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankbars.data.categorymeans import CategoryMeans, WinnerChange
from rankbars.data.weightmap import WeightMap
from rankbars.render.averagetable import category_columns
from rankbars.render.names import shorten, shorten_all, visible
from rankbars.render.numbers import MISSING, show_share

__all__ = ["render_weights", "weights_to_dict"]

WIDTH = 80
_NAME_WIDTH = 28
_MOST_CHANGES = 10
_MOST_COLUMNS, _COLUMN_WIDTH = 4, 18


def render_weights(
    means: CategoryMeans,
    weights: Mapping[str, float] | None = None,
    z: float = 2.0,
    *,
    lower: bool = False,
) -> str:
    """Means per category, the winner at given weights, who wins where, and what would change it.

    Parameters
    ----------
    means : CategoryMeans
        Of an average.
    weights : mapping from category to float, optional
        Where to look; the weights of the average where not given.
    z : float
        Standard errors that a clear winner is ahead by.
    lower : bool
        Whether means are to be shown with lower as the better side.

    Returns
    -------
    str
        Lines of at most 80 columns, where the names of the categories allow it.

    Raises
    ------
    UnknownOptionError, OptionError, DataError
        As `CategoryMeans.at`.
    """
    standing, found = means.at(weights), means.weight_map(z)
    changes = means.smallest_changes(weights)
    gap = f"{standing.margin:.3g}"
    if math.isfinite(standing.error):
        gap += f" (standard error {standing.error:.2g})"
    lines = _wrap(
        f"With weights {_weights(standing.weights)}: {visible(standing.winner)} is first, "
        f"{gap} ahead of {visible(standing.runner_up)}."
    )
    for part in (
        _mean_lines(means, lower=lower),
        _share_lines(found),
        _change_lines(changes, standing.winner),
        _wrap(found.description),
    ):
        lines += ["", *part]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _wrap(text: str, head: str = "") -> list[str]:
    """Lines of text behind `head`; names with hyphens stay whole."""
    return textwrap.wrap(
        text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head), break_on_hyphens=False
    )


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{visible(name)} {value:.3g}" for name, value in weights.items())


def _mean_lines(means: CategoryMeans, *, lower: bool) -> list[str]:
    """A table of models by categories, in the order of the weighted means."""
    if len(means.categories) > _MOST_COLUMNS:
        return _wrap(f"The means per category of {len(means.categories)} categories: --json.")
    total = np.nan_to_num(means.weights @ means.score, nan=-np.inf)
    order = np.argsort(-total, kind="stable")
    names = shorten_all([visible(means.models[i]) for i in order], [_NAME_WIDTH] * order.size)
    columns = []
    for name, shown in category_columns(means, order, lower=lower).items():
        head = shorten(name, _COLUMN_WIDTH)
        width = max(map(len, (head, *shown)))
        columns.append([f"{text:>{width}}" for text in (head, *shown)])
    first = [f"{text:<{max(map(len, ('Model', *names)))}}" for text in ("Model", *names)]
    head = (
        "Mean per category over exactly these tasks, with its standard error; models in the order "
        "of the average:"
    )
    return [*_wrap(head), *("  ".join(cells) for cells in zip(first, *columns, strict=True))]


def _share_lines(found: WeightMap) -> list[str]:
    winners = [i for i in np.argsort(-found.share, kind="stable") if found.share[i] > 0]
    names = shorten_all([visible(found.models[i]) for i in winners], [_NAME_WIDTH] * len(winners))
    width = max(map(len, names))
    lines = _wrap(
        f"Share of all weights of the {len(found.categories)} categories, each counted the same:"
    )
    lines.append(f"{'Model':<{width}}  {'wins':>8}  {f'by > {found.z:.3g} SE':>11}")
    return lines + [
        f"{name:<{width}}  {show_share(found.share[i]):>8}  {show_share(found.clear_share[i]):>11}"
        for name, i in zip(names, winners, strict=True)
    ]


def _change_lines(changes: Sequence[WinnerChange], winner: str) -> list[str]:
    possible = [change for change in changes if math.isfinite(change.moved)]
    if not possible:
        return _wrap(
            f"{visible(winner)} is first under all weights: no other model is level with it in "
            "any category."
        )
    shown = possible[:_MOST_CHANGES]
    names = shorten_all([visible(change.model) for change in shown], [_NAME_WIDTH] * len(shown))
    width = max(map(len, names))
    lines = [f"Smallest change of weights after which a model is level with {visible(winner)}:"]
    lines.append(f"{'Model':<{width}}  {'moved':>7}  to weights")
    for name, change in zip(names, shown, strict=True):
        head = f"{name:<{width}}  {show_share(change.moved):>7}  "
        lines += _wrap(_weights(change.weights), head)
    rest = len(changes) - len(shown)
    if rest:
        never = len(changes) - len(possible)
        reason = f"; {never} of them under no weights" if never else ""
        lines.append(f"{MISSING} {rest} more{reason}")
    return lines


def weights_to_dict(
    means: CategoryMeans,
    weights: Mapping[str, float] | None = None,
    z: float = 2.0,
    *,
    lower: bool = False,
) -> dict[str, Any]:
    """The same as plain values; what is infinite or not known is None."""
    standing, found = means.at(weights), means.weight_map(z)
    sign = -1.0 if lower else 1.0
    return {
        "models": list(means.models),
        "categories": list(means.categories),
        "mean": [[_known(sign * one) for one in row] for row in means.score.tolist()],
        "se": [[_known(one) for one in row] for row in means.se.tolist()],
        "weights": dict(standing.weights),
        "winner": standing.winner,
        "runner_up": standing.runner_up,
        "margin": standing.margin,
        "error": _known(standing.error),
        "z": found.z,
        "share": dict(zip(found.models, found.share.tolist(), strict=True)),
        "clear_share": dict(zip(found.models, found.clear_share.tolist(), strict=True)),
        "smallest_changes": [
            {
                "model": change.model,
                "moved": _known(change.moved),
                "weights": dict(change.weights) or None,
            }
            for change in means.smallest_changes(weights)
        ],
        "description": found.description,
    }


def _known(value: float) -> float | None:
    return value if math.isfinite(value) else None

"""Which weights of categories change the order of an average."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankbars.data.categorymeans import CategoryMeans, WeightMap, WinnerChange
from rankbars.render.averagetables import category_columns
from rankbars.render.notation import MISSING, show_level, show_share
from rankbars.render.shownnames import short_names, shorten, visible
from rankbars.render.textlines import in_columns, text_of, wrapped

__all__ = ["render_weights", "weights_to_dict"]

_NAME_WIDTH, _COLUMN_WIDTH = 28, 18
_MOST_CHANGES = 10
_MOST_COLUMNS = 4


def render_weights(
    means: CategoryMeans,
    weights: Mapping[str, float] | None = None,
    z: float = 2.0,
    *,
    alpha: float = 0.05,
    lower: bool = False,
    rho: float = 0.0,
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
    alpha : float
        Error rate of the intervals of the means.
    lower : bool
        Whether means are to be shown with lower as the better side.
    rho : float
        Correlation of the errors of models that is assumed; see `CategoryMeans.weight_map`.

    Returns
    -------
    str
        Lines of at most 80 columns, where the names of the categories allow it.

    Raises
    ------
    UnknownOptionError, OptionError, DataError
        As `CategoryMeans.at`.
    """
    standing, found = means.at(weights, rho=rho), means.weight_map(z, rho=rho)
    changes = means.smallest_changes(weights)
    gap = f"{standing.margin:.3g}"
    if math.isfinite(standing.error):
        gap += f" (standard error {standing.error:.2g})"
    beside = ""
    if means.linked and means.linked[0].covariance is not None:
        beside = " Errors allow for rows that categories have in common."
    assumed = f" Errors are those of models correlated by {rho:g}, which is assumed." if rho else ""
    lines = wrapped(
        f"With weights {_weights(standing.weights)}: {visible(standing.winner)} is first, "
        f"{gap} ahead of {visible(standing.runner_up)}."
    )
    for part in (
        _mean_lines(means, alpha, lower=lower),
        _share_lines(found),
        _change_lines(changes, standing.winner),
        wrapped(found.description + beside + assumed),
    ):
        lines += ["", *part]
    return text_of(lines)


def _weights(weights: Mapping[str, float]) -> str:
    return ", ".join(f"{visible(name)} {value:.3g}" for name, value in weights.items())


def _mean_lines(means: CategoryMeans, alpha: float, *, lower: bool) -> list[str]:
    """A table of models by categories, in the order of the weighted means."""
    if len(means.categories) > _MOST_COLUMNS:
        return wrapped(f"The means per category of {len(means.categories)} categories: --json.")
    total = np.nan_to_num(means.weights @ means.score, nan=-np.inf)
    order = np.argsort(-total, kind="stable")
    columns = category_columns(means, order, alpha, lower=lower)
    heads = ("Model", *(shorten(name, _COLUMN_WIDTH) for name in columns))
    names = short_names((means.models[i] for i in order), _NAME_WIDTH)
    said = (
        f"Mean per category over exactly these tasks, ± {show_level(alpha)} for each model by "
        "itself; models in the order of the average:"
    )
    rows = zip(names, *columns.values(), strict=True)
    return [*wrapped(said), *in_columns([heads, *rows], "lr")]


def _share_lines(found: WeightMap) -> list[str]:
    winners = [i for i in np.argsort(-found.share, kind="stable") if found.share[i] > 0]
    names = short_names((found.models[i] for i in winners), _NAME_WIDTH)
    rows = [("Model", f"{'wins':>8}", f"{f'by > {found.z:.3g} SE':>11}")]
    for name, i in zip(names, winners, strict=True):
        rows.append((name, show_share(found.share[i]), show_share(found.clear_share[i])))
    said = f"Share of all weights of the {len(found.categories)} categories, each counted the same:"
    return [*wrapped(said), *in_columns(rows, "lr")]


def _change_lines(changes: Sequence[WinnerChange], winner: str) -> list[str]:
    possible = [change for change in changes if math.isfinite(change.moved)]
    if not possible:
        return wrapped(
            f"{visible(winner)} is first under all weights: no other model is level with it in "
            "any category."
        )
    shown = possible[:_MOST_CHANGES]
    rows = [("Model", f"{'moved':>7}", "to weights")]
    for name, change in zip(
        short_names((change.model for change in shown), _NAME_WIDTH), shown, strict=True
    ):
        rows.append((name, show_share(change.moved), _weights(change.weights)))
    indent = sum(max(len(row[k]) + 2 for row in rows) for k in (0, 1))
    lines = [f"Smallest change of weights after which a model is level with {visible(winner)}:"]
    for line in in_columns(rows, "lrl"):
        lines += wrapped(line, inside=" " * indent)
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
    rho: float = 0.0,
) -> dict[str, Any]:
    """The same as plain values; what is infinite or not known is None."""
    standing, found = means.at(weights, rho=rho), means.weight_map(z, rho=rho)
    sign = -1.0 if lower else 1.0
    return {
        "models": list(means.models),
        "categories": list(means.categories),
        "mean": (sign * means.score).tolist(),
        "se": means.se.tolist(),
        "weights": dict(standing.weights),
        "winner": standing.winner,
        "runner_up": standing.runner_up,
        "margin": standing.margin,
        "error": standing.error,
        "z": found.z,
        "rho": rho,
        "share": dict(zip(found.models, found.share.tolist(), strict=True)),
        "clear_share": dict(zip(found.models, found.clear_share.tolist(), strict=True)),
        "smallest_changes": [
            {
                "model": change.model,
                "moved": change.moved,
                "weights": dict(change.weights) or None,
            }
            for change in means.smallest_changes(weights)
        ],
        "description": found.description,
    }

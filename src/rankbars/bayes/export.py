"""Export to ArviZ, for its plots and checks; needs the extra ``rankbars[arviz]``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rankbars.bayes.posterior import Posterior
from rankbars.data.aggregate import Aggregate
from rankbars.data.draws import Draws
from rankbars.errors import DataError, MissingPackageError

if TYPE_CHECKING:
    from xarray import DataTree

__all__ = ["to_arviz"]


def to_arviz(result: Posterior | Draws | Aggregate) -> DataTree:
    """A result as the tree of arrays that ArviZ works with.

    Parameters
    ----------
    result : Posterior, Draws or Aggregate
        A sampled posterior with its chains, or draws of averages, which count as one chain.

    Returns
    -------
    xarray.DataTree
        Group ``posterior`` with ``score`` by task and model and every other quantity of the model,
        or ``average`` by model; for chains also ``sample_stats`` with ``diverging``.

    Raises
    ------
    MissingPackageError
        If arviz-base is not installed.
    DataError
        If an average has no draws.
    """
    try:
        import arviz_base as arviz
    except ModuleNotFoundError as error:
        install = '"rankbars[arviz]"'
        raise MissingPackageError.for_extra("arviz_base", "Export to ArviZ", install) from error
    if isinstance(result, Aggregate):
        if result.draws is None:
            raise DataError("This average has no draws, so there is nothing to export.")
        result = result.draws
    if isinstance(result, Draws):
        tree = arviz.from_dict(
            {"posterior": {"average": np.array(result.values)[None]}},
            coords={"model": list(result.models)},
            dims={"average": ["model"]},
        )
        tree["posterior"].attrs |= {"source": result.source, "target": result.target}
    else:
        groups = {"posterior": {"score": np.array(result.scores)} | dict(result.sites)}
        if result.diverging is not None:
            groups["sample_stats"] = {"diverging": np.asarray(result.diverging)}
        tree = arviz.from_dict(
            groups,
            coords={"task": list(result.tasks), "model": list(result.models)},
            dims={"score": ["task", "model"]},
        )
        tree["posterior"].attrs |= {"model": result.model}
    found: DataTree = tree
    return found

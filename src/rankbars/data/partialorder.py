"""The partial order of models: who was shown better than whom, as few lines as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankbars.data.arrays import frozen_array
from rankbars.data.names import check_models
from rankbars.stats.orders import transitive_reduction

__all__ = ["PartialOrder"]


@dataclass(frozen=True, slots=True, eq=False)
class PartialOrder:
    """A relation between models that holds for all pairs at once, and its diagram.

    Parameters
    ----------
    models : tuple of str
        The M models.
    shown_better : array of bool, shape (M, M)
        ``[i, j]``: i was shown better than j; from a run in which all statements hold at once,
        with everything that follows from them, and without cycles.

    Raises
    ------
    DataError
        If the relation has a cycle: at least one of its statements is then wrong, and it has no
        diagram.

    Examples
    --------
    >>> shown = [[False, True, True], [False, False, True], [False, False, False]]
    >>> order = PartialOrder(("a", "b", "c"), shown)
    >>> order.edges, order.layers
    ((('a', 'b'), ('b', 'c')), (('a',), ('b',), ('c',)))
    """

    models: tuple[str, ...]
    shown_better: NDArray[np.bool_]

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        square = (len(self.models),) * 2
        shown = frozen_array(self.shown_better, np.bool_, "shown_better", square)
        object.__setattr__(self, "shown_better", shown)
        transitive_reduction(shown)  # refuses cycles

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Lines of the diagram (better, worse): no model lies between the two."""
        lines = np.argwhere(transitive_reduction(self.shown_better))
        return tuple((self.models[i], self.models[j]) for i, j in lines)

    @property
    def layers(self) -> tuple[tuple[str, ...], ...]:
        """Models by the length of the longest chain of better ones above them, from the top.

        Models of one layer were not separated from each other; models of different layers need
        not be separated either: only lines, and chains of them, say that.
        """
        depth = np.zeros(len(self.models), dtype=np.int64)
        # A model lies below everything that is better than it: the fewest come first.
        for model in np.argsort(self.shown_better.sum(axis=0), kind="stable"):
            above = self.shown_better[:, model]
            depth[model] = 1 + depth[above].max(initial=-1)
        return tuple(
            tuple(self.models[i] for i in np.flatnonzero(depth == level))
            for level in range(int(depth.max(initial=0)) + 1)
        )

    def to_dot(self) -> str:
        """The diagram as text for Graphviz: better models above, one line per `edges`.

        Examples
        --------
        >>> print(PartialOrder(("a", "b"), [[False, True], [False, False]]).to_dot())
        digraph "shown better" {
          rankdir=TB;
          node [shape=box];
          "a";
          "b";
          { rank=same; "a"; }
          { rank=same; "b"; }
          "a" -> "b";
        }
        """
        lines = ['digraph "shown better" {', "  rankdir=TB;", "  node [shape=box];"]
        lines.extend(f"  {_quoted(name)};" for name in self.models)
        lines.extend(
            "  { rank=same; " + " ".join(f"{_quoted(name)};" for name in layer) + " }"
            for layer in self.layers
        )
        lines.extend(f"  {_quoted(one)} -> {_quoted(two)};" for one, two in self.edges)
        return "\n".join([*lines, "}"])


def _quoted(name: str) -> str:
    """A name as a string of the DOT language, in which a backslash starts an escape."""
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.replace("\r", " ").replace("\n", " ") + '"'

"""The partial order of models: who was shown better than whom, as few lines as possible."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.fields import Relation, freeze, frozen_array, names_where
from rankbars.errors import DataError
from rankbars.stats.orders import find_cycles, transitive_closure, transitive_reduction

__all__ = ["PartialOrder"]


@dataclass(frozen=True, slots=True, eq=False)
class PartialOrder:
    """A relation between models that holds for all pairs at once, and its diagram.

    Made by ``board.partial_order()``, ``average.partial_order()``, ``contrasts.partial_order()``
    and ``draws.partial_order()``.

    Parameters
    ----------
    models : tuple of str
        The M models.
    shown_better : array of bool, shape (M, M)
        ``[i, j]``: i was shown better than j; from a run in which all statements hold at once.
        What follows from them is added: it is true if they are.

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
    >>> order.below("a"), order.above("a")
    (('b', 'c'), ())
    """

    models: tuple[str, ...]
    shown_better: Relation

    def __post_init__(self) -> None:
        freeze(self)
        self._refuse_cycles(self.shown_better)
        closed = frozen_array(transitive_closure(self.shown_better), np.bool_, "shown_better")
        object.__setattr__(self, "shown_better", closed)

    def __repr__(self) -> str:
        pairs = int(self.shown_better.sum())
        return f"PartialOrder({len(self.models)} models, {pairs} pairs, {len(self.edges)} lines)"

    def _refuse_cycles(self, shown: NDArray[np.bool_]) -> None:
        loops = [[int(i)] for i in np.flatnonzero(np.diagonal(shown))]
        for group in (*loops, *find_cycles(shown).groups):
            names = ", ".join(repr(self.models[i]) for i in group[:5])
            more = f" and {len(group) - 5} more" if len(group) > 5 else ""
            raise DataError(
                f"The relation has a cycle among {names}{more}, which makes a model better than "
                "itself: at least one of its statements is wrong, and it has no diagram. Remove "
                "the pairs inside the cycle first."
            )

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """Lines of the diagram (better, worse): no model lies between the two."""
        lines = np.argwhere(transitive_reduction(self.shown_better))
        return tuple((self.models[i], self.models[j]) for i, j in lines)

    @property
    def levels(self) -> NDArray[np.int64]:
        """Level of each model in the diagram, shape (M,): 0 at the top.

        The number of lines of the longest way down to it from a model that nobody is above.
        """
        depth = np.zeros(len(self.models), dtype=np.int64)
        # A model lies below everything that is better than it: the fewest come first.
        for model in np.argsort(self.shown_better.sum(axis=0), kind="stable"):
            above = self.shown_better[:, model]
            depth[model] = 1 + depth[above].max(initial=-1)
        return depth

    @property
    def layers(self) -> tuple[tuple[str, ...], ...]:
        """Models by `levels`, from the top.

        Models of one layer were not separated from each other; models of different layers need
        not be separated either: only lines, and chains of them, say that.
        """
        depth = self.levels
        return tuple(
            names_where(self.models, depth == level)
            for level in range(int(depth.max(initial=0)) + 1)
        )

    def above(self, model: str) -> tuple[str, ...]:
        """Models that were shown better than `model`; raises `UnknownOptionError`."""
        return self._named(self.shown_better[:, self._position(model)])

    def below(self, model: str) -> tuple[str, ...]:
        """Models that `model` was shown better than; raises `UnknownOptionError`."""
        return self._named(self.shown_better[self._position(model)])

    def _position(self, model: str) -> int:
        check_name("model", model, self.models)
        return self.models.index(model)

    def _named(self, chosen: NDArray[np.bool_]) -> tuple[str, ...]:
        return names_where(self.models, chosen)

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

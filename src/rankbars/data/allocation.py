"""Which votes to ask next: pairs of models, each with the probability of being drawn."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.data.fields import check_models, frozen_array
from rankbars.errors import DataError

__all__ = ["NEXT_SCHEMA", "Allocation"]

NEXT_SCHEMA = "rankbars.next/1"


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """Which votes to ask next; made by `rankbars.allocate`.

    Parameters
    ----------
    models : tuple of str
        The M models that votes are asked about.
    goal : str
        What the votes are to decide: ``"order"``, ``"first"``, or ``"top K"``.
    undecided : tuple of str
        Models about which that is not decided yet.
    new : tuple of str
        Models whose strength is not known to the width that was asked for, or not at all.
    for_new : int
        How many of the votes are for these.
    width : float, optional
        Half the width of their 95 % intervals that is wanted, in log odds.
    even : float
        Share of votes that is drawn from all pairs alike.
    first, second : array of int, shape (P,)
        The models of each pair.
    probability : array of float, shape (P,)
        With which each vote is on that pair; they sum to 1.
    drawn : array of int, shape (V,)
        The pair of each vote to be asked, in the order to ask them.
    turned : array of bool, shape (V,)
        Whether its second model is shown first.
    """

    models: tuple[str, ...]
    goal: str
    undecided: tuple[str, ...]
    new: tuple[str, ...]
    for_new: int
    width: float | None
    even: float
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    probability: NDArray[np.float64]
    drawn: NDArray[np.int64]
    turned: NDArray[np.bool_]

    def __repr__(self) -> str:
        return f"Allocation({self.votes:,} votes, {len(self.models)} models, {self.goal})"

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", check_models(self.models))
        pairs = np.shape(self.first)
        for name in ("first", "second"):
            value = frozen_array(getattr(self, name), np.int64, name, pairs)
            object.__setattr__(self, name, value)
        chance = frozen_array(self.probability, np.float64, "probability", pairs)
        object.__setattr__(self, "probability", chance)
        object.__setattr__(self, "drawn", frozen_array(self.drawn, np.int64, "drawn"))
        turned = frozen_array(self.turned, np.bool_, "turned", self.drawn.shape)
        object.__setattr__(self, "turned", turned)
        if not (chance > 0).all() or abs(float(chance.sum()) - 1) > 1e-9:
            raise DataError("Probabilities of pairs must be above 0 and sum to 1.")

    @property
    def votes(self) -> int:
        """How many votes are asked for."""
        return int(self.drawn.size)

    def rows(self) -> list[tuple[str, str, float]]:
        """The votes to ask: the model shown first, the other, and the probability of the pair."""
        return [
            (*self._shown(pair, turned), float(self.probability[pair]))
            for pair, turned in zip(self.drawn.tolist(), self.turned.tolist(), strict=True)
        ]

    def _shown(self, pair: int, turned: bool) -> tuple[str, str]:
        one, other = self.models[self.first[pair]], self.models[self.second[pair]]
        return (other, one) if turned else (one, other)

    def to_csv(self) -> str:
        """One row per vote to ask, in order; add who won, and read them back as votes."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(("model_a", "model_b", "sampling_probability"))
        writer.writerows((one, other, repr(chance)) for one, other, chance in self.rows())
        return out.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, as they stand in the JSON."""
        counts = np.bincount(self.drawn, minlength=self.first.size)
        return {
            "schema": NEXT_SCHEMA,
            "votes": self.votes,
            "goal": self.goal,
            "undecided": list(self.undecided),
            "new": list(self.new),
            "votes_for_new": self.for_new,
            "width": self.width,
            "even": self.even,
            "models": list(self.models),
            "pairs": [
                {
                    "model_a": self.models[self.first[k]],
                    "model_b": self.models[self.second[k]],
                    "sampling_probability": float(self.probability[k]),
                    "votes": int(counts[k]),
                }
                for k in range(self.first.size)
            ],
        }

    def to_json(self) -> str:
        """JSON with sorted keys: every pair with its probability and its number of votes."""
        return json.dumps(self.to_dict(), sort_keys=True, indent=1, ensure_ascii=False)

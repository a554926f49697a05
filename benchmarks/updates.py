"""A new model, or new items, where all other pairs are known already."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from benchmarks.inputs import draw_scores
from benchmarks.reading import new_folder
from benchmarks.rows import Ratio, Row, Sides
from rankbars.data.evidence import Items
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.stats.pairwise.updates import add_models, add_rows, known_t, measure_known
from rankbars.store.access import open_store
from rankbars.store.pairs import PairCache

TITLE = "Updates"
FRESH_SHARE = 0.01


def one_model(models: int, items: int) -> Sides:
    """The pairs of one new model, put beside those of all others."""
    values = draw_scores(models, items)
    others = np.setdiff1d(np.arange(models), [models // 2])
    known = measure_known(np.ascontiguousarray(values[:, others]))
    return Sides(
        lambda: known_t(add_models(known, values, others)), lambda: paired_t(values), same_pairs
    )


def stored_model(models: int, items: int) -> Sides:
    """A corrected model of a store: its pairs are told apart, measured, and put into the store."""
    path = new_folder() / "board.duckdb"
    with open_store(path, write=True, create=True):
        pass
    names, ids = numbered("model", models), numbered("item", items)
    values = draw_scores(models, items)
    states = [Items(names, values, ids=ids), Items(names, turned(values), ids=ids)]

    def ours() -> PairStatistics:
        states.reverse()
        cache = PairCache(path, least_rows=0, least_work=0)
        known = cache.recall("task", states[0])
        if not cache.save():
            raise OSError(f"The store {path} cannot be written.")
        return known_t(known)

    ours()
    return Sides(ours, lambda: paired_t(states[0].values), same_pairs)


def numbered(word: str, size: int) -> tuple[str, ...]:
    """Names in code-point order."""
    return tuple(f"{word} {number:06d}" for number in range(size))


def turned(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores with those of one model in the opposite order of items."""
    other = values.copy()
    other[:, len(other.T) // 2] = values[::-1, len(other.T) // 2]
    return other


def few_items(models: int, items: int) -> Sides:
    """One item in a hundred is new: its moments are merged with those of the others."""
    values = draw_scores(models, items)
    cut = items - max(2, round(FRESH_SHARE * items))
    known = measure_known(np.ascontiguousarray(values[:cut]))

    def ours() -> PairStatistics:
        more = measure_known(np.ascontiguousarray(values[cut:]))
        return known_t(add_rows(known, more, values))

    return Sides(ours, lambda: paired_t(values), same_pairs)


def same_pairs(one: PairStatistics, other: PairStatistics) -> None:
    """The same statistics up to rounding."""
    np.testing.assert_allclose(one.statistic, other.statistic, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(one.se, other.se, rtol=1e-9)


SIZES = {"models": 1000, "items": 10_000}
TINY = {"models": 6, "items": 40}

ROWS: tuple[Row, ...] = (
    Ratio(
        "new model",
        "one new model among 1,000",
        "all pairs again",
        one_model,
        sizes=SIZES,
        tiny=TINY,
        at_least=8,
        slow=True,
    ),
    Ratio(
        "stored model",
        "one corrected model among 1,000 in a store, which is read and written",
        "all pairs again, without a store",
        stored_model,
        sizes=SIZES,
        tiny=TINY,
        slow=True,
    ),
    Ratio(
        "new items",
        "1 % new items",
        "all pairs again",
        few_items,
        sizes=SIZES,
        tiny=TINY,
        at_least=8,
        slow=True,
    ),
)

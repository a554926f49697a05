"""Records and rows of Every Eval Ever as runs."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.readers.eee.aggregates import Aggregate, Result
from rankbars.readers.eee.samples import Block, Samples
from rankbars.readers.eee.wholes import category_of, find_wholes
from rankbars.readers.logs.records import ERROR, UNSCORED, Agreement, Measure, Rows, Run

__all__ = ["runs_of_aggregate", "runs_of_samples"]

OWN_LIBRARY = "rankbars"


def runs_of_aggregate(
    record: Aggregate, samples: Samples | None, groups: Mapping[tuple[str, str], tuple[str, ...]]
) -> Iterator[Run]:
    """One run per task and setting.

    Parameters
    ----------
    record : Aggregate
        Published values.
    samples : Samples, optional
        Rows of the same evaluation.
    groups : mapping from (str, str) to tuple of str
        Parts by model and task, for records of groups.
    """
    notes = [Note(code, f"{record.place}: {text}") for code, text in record.remarks]
    kept, more = _main_results(record)
    notes += more
    if samples is not None and record.rows is not None and samples.rows != record.rows:
        notes.append(Note(
            "rows-differ",
            f"{samples.file.label}: it holds {samples.rows} rows, its record declares "
            f"{record.rows}.",
        ))  # fmt: skip
    # A board of this package has no wholes beside their parts.
    wholes = {} if record.library == OWN_LIBRARY else find_wholes(kept)
    found = []
    for results in _group_results(kept):
        blocks = [] if samples is None else _blocks_of(results, kept, samples)
        measures = _measures(results, blocks)
        found.append((results, blocks, measures))
        if not measures:
            text = f"{record.place}: the record of {record.model!r} holds no score of this task."
            notes.append(Note("no-score", text, results[0].task))
    for results, blocks, measures in found:
        first = results[0]
        if not measures:
            continue
        yield Run(
            record.place,
            record.model,
            first.task,
            measures,
            rows=_rows(blocks),
            variants=first.variants,
            manner={**({} if record.display == record.model else {"name": record.display}),
                    **first.manner},
            setup={} if first.dataset is None else {"data set": first.dataset},
            stamp=record.stamp,
            agree=_scale(results),
            selection=first.selection,
            expected=_expected(results, blocks),
            category=category_of(first.task, wholes),
            parts=wholes.get(first.task) or groups.get((record.model, first.task), ()),
            notes=(*notes, *_failure_notes(record.place, results, blocks),
                   *_limit_notes(record.place, results), *_origin_notes(results)),
        )  # fmt: skip


def runs_of_samples(samples: Samples) -> Iterator[Run]:
    """Runs of rows that lie without their record."""
    note = Note(
        "no-record",
        f"{samples.file.label}: the record of these rows is not among the files; metrics are "
        "named by the rows.",
    )
    by_name: dict[str, dict[str, Block]] = {}
    for (key, name), block in samples.blocks.items():
        by_name.setdefault(name, {})[key or "score"] = block
    for name, found in by_name.items():
        columns: list[tuple[str, Block, str | None]] = []
        for metric, block in found.items():
            columns.append((metric, block, None))
            columns += [(inner, block, inner) for inner in block.metrics]
        index = _index([block for _, block, _ in columns])
        measures = {
            metric: Measure(
                metric, scores=_aligned(block, inner, index), fault=block.fault,
                metric=metric.rpartition(":")[2],
            )
            for metric, block, inner in columns
        }  # fmt: skip
        yield Run(
            samples.file.label, samples.model, name, measures,
            rows=_rows(list(found.values())), notes=(note,),
        )  # fmt: skip


def _main_results(record: Aggregate) -> tuple[list[Result], list[Note]]:
    """Results on the questions as they are: perturbed copies are variants, not tasks."""
    kept = [result for result in record.results if "perturbation" not in result.variants]
    if not kept or len(kept) == len(record.results):
        return list(record.results), []
    note = Note(
        "perturbed",
        f"{record.place}: {len(record.results) - len(kept)} results on perturbed copies of "
        "the questions are left out.",
    )
    return kept, [note]


def _group_results(results: Sequence[Result]) -> Iterator[list[Result]]:
    """Results that differ in nothing but the metric."""
    groups: dict[tuple[object, ...], list[Result]] = {}
    for one in results:
        settings = (*sorted(one.variants.items()), *sorted(one.manner.items()))
        groups.setdefault((one.task, one.dataset, settings), []).append(one)
    yield from groups.values()


def _names(results: Sequence[Result]) -> list[str]:
    """A name for each metric; longer ones where two would be the same."""
    short = [result.metric.name for result in results]
    if len(set(short)) == len(short):
        return short
    longer = [result.metric.longer for result in results]
    if len(set(longer)) == len(longer):
        return longer
    return [f"{name} ({place})" for place, name in enumerate(longer, start=1)]


def _blocks_of(
    results: Sequence[Result], every: Sequence[Result], samples: Samples
) -> list[tuple[Block, str | None] | None]:
    """Rows of each result, and the metric inside the rows, if they hold several."""
    by_key = {key: block for (key, _), block in samples.blocks.items() if key is not None}
    by_name: dict[str, Block] = {}
    for (_, name), rows in samples.blocks.items():
        by_name.setdefault(name, rows)
    found: list[tuple[Block, str | None] | None] = []
    for result in results:
        own = by_key.get(result.key or "")
        block = own or by_name.get(result.name)
        if block is None and len(every) == len(samples.blocks) == 1:
            block = next(iter(samples.blocks.values()))
        if block is None:
            found.append(None)
        elif own is None and result.metric.name in block.metrics:
            found.append((block, result.metric.name))
        elif own is not None or len(results) == 1:
            found.append((block, None))
        else:
            # It cannot be told which of the metrics the score of a row is of.
            found.append(None)
    return found


def _measures(
    results: Sequence[Result], blocks: Sequence[tuple[Block, str | None] | None]
) -> dict[str, Measure]:
    index = _index([pair[0] for pair in blocks if pair is not None])
    measures = {}
    padded = [*blocks, *[None] * (len(results) - len(blocks))]
    for name, result, pair in zip(_names(results), results, padded, strict=True):
        if result.value is None and pair is None:
            continue
        measures[name] = Measure(
            name,
            scores=None if pair is None else _aligned(pair[0], pair[1], index),
            value=result.value,
            se=result.se,
            n=result.n,
            metric=result.metric.name,
            direction=result.metric.direction,
            limits=_fitting_limits(result),
            fault=None if pair is None else pair[0].fault,
        )
    return measures


def _fitting_limits(result: Result) -> tuple[float | None, float | None]:
    """Recorded limits, unless the value lies beyond them: then they are of another scale."""
    low, high = result.metric.limits
    value = result.value
    if value is not None and (
        value < (-math.inf if low is None else low) or value > (math.inf if high is None else high)
    ):
        return None, None
    return low, high


def _limit_notes(place: str, results: Sequence[Result]) -> list[Note]:
    """A note on values beyond the least and greatest score that their record declares."""
    return [
        Note(
            "beyond-limits",
            f"{place}: the score {result.value:g} lies beyond the limits of its record, "
            f"{_limit(result.metric.limits[0], '−')} to {_limit(result.metric.limits[1], '')}; "
            "the limits are not used.",
            result.task,
        )
        for result in results
        if result.value is not None and _fitting_limits(result) != result.metric.limits
    ]


def _limit(limit: float | None, sign: str) -> str:
    return f"{sign}∞" if limit is None else f"{limit:g}"


def _scale(results: Sequence[Result]) -> dict[str, Agreement]:
    """Greatest score, where it tells a share from a percentage: the two must not meet."""
    high = _fitting_limits(results[0])[1] if len(results) == 1 else None
    return {"greatest score": Agreement(f"{high:g}")} if high in (1.0, 100.0) else {}


def _index(blocks: Sequence[Block]) -> dict[tuple[str, int], int] | None:
    """Place of each answer among all rows of a run; None where all blocks have the same."""
    if not blocks:
        return None
    first = blocks[0]
    if all(one is first or (one.ids == first.ids and one.repeats == first.repeats)
           for one in blocks):  # fmt: skip
        return None
    index: dict[tuple[str, int], int] = {}
    for block in blocks:
        for answer in zip(block.ids, block.repeats, strict=True):
            index.setdefault(answer, len(index))
    return index


def _places(block: Block, index: Mapping[tuple[str, int], int]) -> NDArray[np.int64]:
    return np.array([index[one] for one in zip(block.ids, block.repeats, strict=True)], np.int64)


def _aligned(
    block: Block, metric: str | None, index: Mapping[tuple[str, int], int] | None
) -> NDArray[np.float64]:
    column = block.column(metric)
    if index is None:
        return column
    scores = np.full(len(index), np.nan)
    scores[_places(block, index)] = column
    return scores


def _rows(blocks: Sequence[Block | tuple[Block, str | None] | None]) -> Rows | None:
    """Answers that the measures of a run share."""
    found = [one[0] if isinstance(one, tuple) else one for one in blocks if one is not None]
    if not found:
        return None
    first = found[0]
    index = _index(found)
    merged = first if index is None else _merge(found, index)
    repeats = np.array(merged.repeats, np.int64)
    return Rows(
        tuple(merged.ids),
        np.array(merged.status, np.uint8),
        repeats=repeats if len(set(repeats.tolist())) > 1 else None,
        clusters=tuple(merged.clusters) or None,
        prints=np.array(merged.prints, np.int64) if merged.has_prints else None,
        identity=("sample_id", "sample_id"),
    )


def _merge(blocks: Sequence[Block], index: Mapping[tuple[str, int], int]) -> Block:
    """One block with every answer of several metrics."""
    size = len(index)
    merged = Block(
        [name for name, _ in index],
        status=array("B", [UNSCORED]) * size,
        repeats=array("q", [repeat for _, repeat in index]),
        prints=array("q", [0]) * size,
        clusters=[None] * size if blocks[0].clusters else [],
        has_prints=all(block.has_prints for block in blocks),
    )
    for block in blocks:
        for place, (row, state) in zip(_places(block, index), enumerate(block.status), strict=True):
            # An error for one metric is an error of the answer.
            if merged.status[place] != ERROR:
                merged.status[place] = state
            merged.prints[place] = block.prints[row]
            if merged.clusters:
                merged.clusters[place] = block.clusters[row]
    return merged


def _count_rows(blocks: Sequence[tuple[Block, str | None] | None]) -> tuple[int, int]:
    """Items with a row, and those of them that failed."""
    for pair in blocks:
        if pair is not None:
            block = pair[0]
            failed = {
                name for name, state in zip(block.ids, block.status, strict=True) if state == ERROR
            }
            return len(set(block.ids)), len(failed)
    return 0, 0


def _expected(
    results: Sequence[Result], blocks: Sequence[tuple[Block, str | None] | None]
) -> int | None:
    """Items that the values are about; each may have several answers."""
    items, failed = _count_rows(blocks)
    repeated = any(pair is not None and len(set(pair[0].repeats)) > 1 for pair in blocks)
    known = [result.n for result in results if result.n is not None]
    if repeated or not known:
        return items or None
    most = max(known)
    return items if most == items - failed else max(most, items)


def _failure_notes(
    place: str, results: Sequence[Result], blocks: Sequence[tuple[Block, str | None] | None]
) -> list[Note]:
    """A note where the published value is over samples that failed, too."""
    items, failed = _count_rows(blocks)
    known = [result.n for result in results if result.n is not None and result.value is not None]
    if not failed or not known or max(known) <= items - failed:
        return []
    text = (
        f"{place}: {failed} samples ended in an error; the published value is over {max(known)} "
        "samples and may count them."
    )
    return [Note("error-scored", text, results[0].task)]


def _origin_notes(results: Sequence[Result]) -> list[Note]:
    texts = {
        "interval": "standard errors come from the recorded intervals and their level.",
        "usual level": "standard errors come from the recorded intervals; their level is not "
        "recorded, 95 % is taken.",
        "deviation": "standard errors are recorded standard deviations over the root of the "
        "number of samples.",
    }
    origins = dict.fromkeys(result.origin for result in results)
    return [
        Note("from-intervals", f"Every Eval Ever records: {texts[origin]}")
        for origin in origins
        if origin in texts
    ]

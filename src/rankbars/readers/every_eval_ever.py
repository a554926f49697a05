"""Every Eval Ever: which files are its own, and how they belong together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note
from rankbars.readers.every_eval_records import Aggregate, Result, read_aggregates
from rankbars.readers.every_eval_samples import OWN, Samples, read_samples
from rankbars.readers.every_eval_wholes import category_of, find_groups, find_wholes
from rankbars.readers.inputfiles import InputFile, file_stem, read_each
from rankbars.readers.logs.jsontext import top_level_keys
from rankbars.readers.logs.records import (
    ERROR,
    UNSCORED,
    Agreement,
    Answers,
    Measure,
    Rows,
    Run,
)
from rankbars.readers.parts import Part
from rankbars.readers.recognition import Recognition, by_keys
from rankbars.tables.columns import fold_name
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_RECORD = ("schema_version", "model_info", "evaluation_results")
_KINDS = {
    "a record of Every Eval Ever": _RECORD,
    "instances of Every Eval Ever": ("evaluation_id", "sample_id", "evaluation"),
}

_SAMPLES = re.compile(r"(?P<record>.+)_samples", re.DOTALL)

OWN_LIBRARY = "rankbars"


def sniff(path: Path, head: bytes) -> Recognition | None:
    """Whether the file is a record of Every Eval Ever, or holds its rows of instances.

    Examples
    --------
    >>> _ = Path("x.json").write_text(
    ...     '{"schema_version": "0.3.0", "model_info": {}, "evaluation_results": []}')
    >>> sniff(Path("x.json"), b"{").format
    'eee'
    """
    return by_keys("eee", top_level_keys(path), _KINDS)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from records of Every Eval Ever, schema 0.2 and 0.3.

    The column ``cluster`` names a key of the rows' metadata.
    """
    cluster = options.columns.get("cluster") or None
    records: list[Aggregate] = []
    rows: list[Samples] = []

    def add(file: InputFile) -> None:
        if set(_RECORD) <= set(top_level_keys(file.path)):
            records.extend(read_aggregates(file))
        else:
            rows.append(read_samples(file, cluster))

    read_each(files, add)
    joined, alone, notes = _join(records, rows)
    groups = find_groups(records)
    runs = [
        run
        for place, record in enumerate(records)
        for run in _runs_of_aggregate(record, joined.get(place), groups)
    ]
    runs += [run for samples in alone for run in _runs_of_samples(samples)]
    runs = _join_data_sets(_drop_foreign_prints(runs, records))
    return [*runs, *notes]


def _join(
    records: Sequence[Aggregate], rows: Sequence[Samples]
) -> tuple[dict[int, Samples], list[Samples], list[Note]]:
    """Rows by the place of their record; rows without a record; notes on rows left out."""
    joined: dict[int, Samples] = {}
    alone: list[Samples] = []
    notes: list[Note] = []
    for samples in rows:
        named = _SAMPLES.fullmatch(file_stem(samples.file.path))
        beside = [
            place
            for place, record in enumerate(records)
            if named is not None
            and file_stem(record.file.path) == named["record"]
            and record.file.path.parent == samples.file.path.parent
        ]
        fitting = [
            place
            for place in (*beside, *range(len(records)))
            if records[place].evaluation == samples.evaluation and place not in joined
        ]
        if fitting:
            joined[fitting[0]] = samples
        elif beside and beside[0] not in joined:
            notes.append(Note(
                "samples-left-out",
                f"{samples.file.label}: the rows are about the evaluation "
                f"{samples.evaluation!r}, the record beside them about "
                f"{records[beside[0]].evaluation!r}; they are not used.",
            ))  # fmt: skip
        else:
            alone.append(samples)
    return joined, alone, notes


def _join_data_sets(runs: Sequence[Run]) -> list[Run]:
    """Runs with the name of their data set only where one task is on several.

    Records spell names in several ways, and old ones name no data set.
    """
    spellings: dict[str, dict[str, str]] = {}
    for run in runs:
        for name in run.setup.values():
            spellings.setdefault(run.task, {}).setdefault(fold_name(name), name)
    return [
        replace(run, setup={key: spellings[run.task][fold_name(name)]
                            for key, name in run.setup.items()
                            if len(spellings[run.task]) > 1})
        for run in runs
    ]  # fmt: skip


def _drop_foreign_prints(runs: Sequence[Run], records: Sequence[Aggregate]) -> list[Run]:
    """Runs whose fingerprints can be compared: each converter hashes something else."""
    library = {record.place: record.library for record in records}
    of_task: dict[str, set[str]] = {}
    for run in runs:
        of_task.setdefault(run.task, set()).add(library.get(run.source, ""))
    return [
        replace(run, rows=run.rows._replace(prints=None))
        if run.rows is not None and len(of_task[run.task]) > 1
        else run
        for run in runs
    ]


def _runs_of_aggregate(
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
        columns = _columns_of(results, kept, samples)
        rows, measures = _measures(results, columns)
        if measures:
            found.append((results, columns, rows, measures))
        else:
            text = f"{record.place}: the record of {record.model!r} holds no score of this task."
            notes.append(Note("no-score", text, results[0].task))
    for results, columns, rows, measures in found:
        first = results[0]
        yield Run(
            record.place,
            record.model,
            first.task,
            measures,
            rows=rows,
            variants=first.variants,
            manner={**({} if record.display == record.model else {"name": record.display}),
                    **first.manner},
            setup={} if first.dataset is None else {"data set": first.dataset},
            stamp=record.stamp,
            agree=_scale(results),
            expected=_expected(results, columns),
            category=category_of(first.task, wholes),
            parts=wholes.get(first.task) or groups.get((record.model, first.task), ()),
            notes=(*notes, *_failure_notes(record.place, results, columns),
                   *_limit_notes(record.place, results), *_origin_notes(results)),
        )  # fmt: skip


def _runs_of_samples(samples: Samples) -> Iterator[Run]:
    """Runs of rows that lie without their record."""
    note = Note(
        "no-record",
        f"{samples.file.label}: the record of these rows is not among the files; metrics are "
        "named by the rows.",
    )
    by_name: dict[str, dict[str, Answers]] = {}
    for (key, name), block in samples.blocks.items():
        by_name.setdefault(name, {})[key or "score"] = block
    for name, found in by_name.items():
        columns = [
            _Column(block, inner, metric if inner == OWN else inner)
            for metric, block in found.items()
            for inner in block.metrics
        ]
        rows, scores = _align(columns)
        measures = {
            one.name: Measure(
                one.name, scores=values, fault=one.answers.faults.get(OWN),
                metric=one.name.rpartition(":")[2],
            )
            for one, values in zip(columns, scores, strict=True)
        }  # fmt: skip
        yield Run(samples.file.label, samples.model, name, measures, rows=rows, notes=(note,))


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


class _Column(NamedTuple):
    """Where the scores of a measure stand: among which answers, and as which metric there."""

    answers: Answers
    inner: str
    name: str


def _columns_of(
    results: Sequence[Result], every: Sequence[Result], samples: Samples | None
) -> dict[str, _Column]:
    """Scores of items of results, by the name of their measure, as far as rows tell."""
    blocks = {} if samples is None else samples.blocks
    by_key = {key: block for (key, _), block in blocks.items() if key is not None}
    by_name: dict[str, Answers] = {}
    for (_, name), rows in blocks.items():
        by_name.setdefault(name, rows)
    found = {}
    for name, result in zip(_names(results), results, strict=True):
        own = by_key.get(result.key or "")
        block = own or by_name.get(result.name)
        if block is None and len(every) == len(blocks) == 1:
            block = next(iter(blocks.values()))
        # Else it cannot be told which of the metrics the score of a row is of.
        if block is not None and own is None and result.metric.name in block.metrics:
            found[name] = _Column(block, result.metric.name, name)
        elif block is not None and (own is not None or len(results) == 1):
            found[name] = _Column(block, OWN, name)
    return found


def _measures(
    results: Sequence[Result], columns: Mapping[str, _Column]
) -> tuple[Rows | None, dict[str, Measure]]:
    """The answers that measures share, and the measures."""
    rows, aligned = _align(list(columns.values()))
    scores = dict(zip(columns, aligned, strict=True))
    measures = {}
    for name, result in zip(_names(results), results, strict=True):
        if result.value is None and name not in columns:
            continue
        measures[name] = Measure(
            name,
            scores=scores.get(name),
            value=result.value,
            se=result.se,
            n=result.n,
            metric=result.metric.name,
            direction=result.metric.direction,
            limits=_fitting_limits(result),
            fault=columns[name].answers.faults.get(OWN) if name in columns else None,
        )
    return rows, measures


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


def _align(columns: Sequence[_Column]) -> tuple[Rows | None, list[NDArray[np.float64]]]:
    """Answers of several metrics as one list, and the scores of each metric beside it."""
    scores = [one.answers.column(one.inner) for one in columns]
    if not columns:
        return None, scores
    keys = [one.answers.keys() for one in columns]
    first = columns[0].answers.rows()
    if all(one == keys[0] for one in keys):
        return first, scores
    index: dict[tuple[str, int], int] = {}
    for own in keys:
        for key in own:
            index.setdefault(key, len(index))
    size = len(index)
    status, prints = np.full(size, UNSCORED, np.uint8), np.zeros(size, np.int64)
    clusters: list[str | None] = [None] * size
    printed, aligned = True, []
    for own, column, values in zip(keys, columns, scores, strict=True):
        rows = column.answers.rows()
        places = np.array([index[key] for key in own], np.int64)
        # An error for one metric is an error of the answer.
        status[places] = np.where(status[places] == ERROR, ERROR, rows.status)
        printed = printed and rows.prints is not None
        prints[places] = 0 if rows.prints is None else rows.prints
        for place, cluster in zip(places.tolist(), rows.clusters or (), strict=True):
            clusters[place] = cluster
        aligned.append(np.full(size, np.nan))
        aligned[-1][places] = values
    repeats = np.array([repeat for _, repeat in index], np.int64)
    joined = first._replace(
        ids=tuple(item for item, _ in index),
        status=status,
        repeats=repeats if len(np.unique(repeats)) > 1 else None,
        clusters=tuple(clusters),
        prints=prints if printed else None,
    )
    return joined, aligned


def _count_rows(columns: Mapping[str, _Column]) -> tuple[int, int, bool]:
    """Items with a row, those of them that failed, and whether items have several rows."""
    if not columns:
        return 0, 0, False
    rows = next(iter(columns.values())).answers.rows()
    failed = {name for name, state in zip(rows.ids, rows.status, strict=True) if state == ERROR}
    several = any(one.answers.rows().repeats is not None for one in columns.values())
    return len(set(rows.ids)), len(failed), several


def _expected(results: Sequence[Result], columns: Mapping[str, _Column]) -> int | None:
    """Items that the values are about; each may have several answers."""
    items, failed, repeated = _count_rows(columns)
    known = [result.n for result in results if result.n is not None]
    if repeated or not known:
        return items or None
    most = max(known)
    return items if most == items - failed else max(most, items)


def _failure_notes(
    place: str, results: Sequence[Result], columns: Mapping[str, _Column]
) -> list[Note]:
    """A note where the published value is over samples that failed, too."""
    items, failed, _ = _count_rows(columns)
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

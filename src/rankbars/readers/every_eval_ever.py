"""Every Eval Ever: which files are its own, and how they belong together."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from rankbars.data.notes import Note
from rankbars.readers.every_eval_records import Aggregate, Result, read_aggregates
from rankbars.readers.every_eval_samples import (
    OWN,
    Column,
    Samples,
    align,
    columns_of,
    count_rows,
    measure_names,
    read_samples,
)
from rankbars.readers.inputfiles import InputFile, file_stem, read_each
from rankbars.readers.logs.jsontext import top_level_keys
from rankbars.readers.logs.records import (
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

WHOLE_WORDS = frozenset({"overall", "average", "avg", "mean", "total", "aggregate"})
_BREAKS = re.compile(r"[\s/_.:()\[\]-]+")
# Between the name of a whole and that of a part. Not "-" or "_": mmlu_pro is no part of mmlu.
_SEPARATOR = re.compile(r"[/.:]| \(| - ")

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
    groups = _find_groups(records)
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


def _find_wholes(results: Sequence[Result]) -> dict[str, tuple[str, ...]]:
    """Parts by whole in one record, as far as the names of tasks and data sets tell."""
    of_task = {result.task: result for result in results}
    by_start = _by_start(list(of_task))
    found = {}
    for task, result in of_task.items():
        words = _words(task)
        stem = words[:-1] if words[-1:] and words[-1] in WHOLE_WORDS else None
        if stem is None and words[:1] and words[0] in WHOLE_WORDS:
            stem = words[1:]
        if stem is not None:
            named = _parts_of_stem(result, stem, of_task.values())
            parts = [*dict.fromkeys((*by_start.get(task, ()), *named))]
        else:
            parts = by_start.get(task) or _parts_of_data(result, of_task.values())
        if parts:
            found[task] = tuple(parts)
    return found


def _find_groups(aggregates: Sequence[Aggregate]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Groups of the lm-evaluation-harness, which get records of their own, by model and name.

    A group has no data set of its own, and its tasks bear its name.
    """
    leaves: dict[str, set[str]] = {}
    for one in aggregates:
        if one.library == "lmeval":
            leaves.setdefault(one.model, set()).update(r.task for r in one.results if r.has_data)
    found = {}
    for one in aggregates:
        names = leaves.get(one.model, set())
        for result in one.results:
            parts = tuple(sorted(name for name in names if name.startswith(f"{result.task}_")))
            if one.library == "lmeval" and not result.has_data and len(parts) > 1:
                found[one.model, result.task] = parts
    return found


def _category_of(task: str, wholes: Mapping[str, tuple[str, ...]]) -> str | None:
    """The smallest whole that a task is a part of."""
    containing = [whole for whole, parts in wholes.items() if task in parts]
    return min(containing, key=lambda whole: len(wholes[whole]), default=None)


def _by_start(tasks: Sequence[str]) -> dict[str, list[str]]:
    """Tasks by what stands before a separator in their name."""
    found: dict[str, list[str]] = {}
    for task in tasks:
        for start in {task[: found.start()] for found in _SEPARATOR.finditer(task)}:
            found.setdefault(start, []).append(task)
    return found


def _parts_of_stem(whole: Result, stem: Sequence[str], every: Iterable[Result]) -> list[str]:
    """Parts of a mean or an overall score: what bears its name, or is on the same data."""
    parts = []
    for other in every:
        words = _words(other.task)
        same = words[: len(stem)] == list(stem) if stem else other.dataset == whole.dataset
        if other is not whole and same and not WHOLE_WORDS.intersection(words):
            parts.append(other.task)
    return parts


def _parts_of_data(whole: Result, every: Iterable[Result]) -> list[str]:
    """Parts of a task that is called like the data set of the others."""
    if not whole.dataset or fold_name(whole.task) != fold_name(whole.dataset):
        return []
    return [
        other.task
        for other in every
        if other is not whole
        and other.dataset == whole.dataset
        and other.metric.name == whole.metric.name
    ]


def _words(name: str) -> list[str]:
    return [word for word in _BREAKS.split(name.casefold()) if word]


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
    wholes = {} if record.library == OWN_LIBRARY else _find_wholes(kept)
    found = []
    for results in _group_results(kept):
        columns = columns_of(results, kept, samples)
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
            category=_category_of(first.task, wholes),
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
            Column(block, inner, metric if inner == OWN else inner)
            for metric, block in found.items()
            for inner in block.metrics
        ]
        rows, scores = align(columns)
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


def _measures(
    results: Sequence[Result], columns: Mapping[str, Column]
) -> tuple[Rows | None, dict[str, Measure]]:
    """The answers that measures share, and the measures."""
    rows, aligned = align(list(columns.values()))
    scores = dict(zip(columns, aligned, strict=True))
    measures = {}
    for name, result in zip(measure_names(results), results, strict=True):
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


def _expected(results: Sequence[Result], columns: Mapping[str, Column]) -> int | None:
    """Items that the values are about; each may have several answers."""
    items, failed, repeated = count_rows(columns)
    known = [result.n for result in results if result.n is not None]
    if repeated or not known:
        return items or None
    most = max(known)
    return items if most == items - failed else max(most, items)


def _failure_notes(
    place: str, results: Sequence[Result], columns: Mapping[str, Column]
) -> list[Note]:
    """A note where the published value is over samples that failed, too."""
    items, failed, _ = count_rows(columns)
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

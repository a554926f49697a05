"""Results and samples of the lm-evaluation-harness as runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rankbars.data.notes import Note
from rankbars.readers.lm_eval_results import Results, TaskResult, Value
from rankbars.readers.lm_eval_samples import Filtered, Samples
from rankbars.readers.logs.records import Agreement, Measure, Run

__all__ = ["make_runs"]


def make_runs(
    results: Results, samples: Mapping[str, Samples], notes: Sequence[Note]
) -> Iterator[Run]:
    """One run per task and filter.

    Parameters
    ----------
    results : Results
        A results file.
    samples : mapping from str to Samples
        Samples that belong to it, by task.
    notes : sequence of Note
        Remarks to hand on.
    """
    for task, known in results.tasks.items():
        found = samples.get(task)
        filters = dict.fromkeys((*known.values, *(found.filters if found else ())))
        said = [*notes, *results.notes]
        said += [Note(code, text, task=task) for code, text in (found.remarks if found else ())]
        for name in filters:
            rows = found.filters.get(name) if found else None
            yield _make_run(results, task, known, name, rows, said)


def _make_run(
    results: Results, task: str, known: TaskResult, used: str, found: Filtered | None,
    notes: Sequence[Note],
) -> Run:  # fmt: skip
    variants = {"filter": used}
    if known.shots is not None:
        variants["shots"] = known.shots
    return Run(
        results.file.label,
        results.model,
        task,
        _measures(known, known.values.get(used, {}), found),
        rows=None if found is None else found.rows,
        headline=known.headline,
        variants=variants,
        system=results.system,
        manner=results.manner,
        agree=_agreements(results, known),
        selection=results.limit,
        stamp=results.time,
        expected=known.n,
        category=known.category,
        parts=known.parts,
        notes=tuple(notes),
    )


def _measures(
    known: TaskResult, values: Mapping[str, Value], found: Filtered | None
) -> dict[str, Measure]:
    columns = {} if found is None else found.columns
    measures = {}
    for name in dict.fromkeys((*values, *columns)):
        value = values.get(name, Value(None, None))
        column = columns.get(name)
        declined = None if column is None else column.declined
        measures[name] = Measure(
            name,
            scores=None if column is None or declined else column.scores,
            value=value.value,
            se=value.se,
            n=known.n,
            direction=known.directions.get(name),
            declined=declined,
            fault=None if column is None else column.fault,
        )
    return measures


def _agreements(results: Results, known: TaskResult) -> dict[str, Agreement]:
    agree = {}
    if known.version is not None:
        agree["version of the task"] = Agreement(known.version)
    if known.task_hash is not None:
        # The hash covers the prompts of all samples: it changes with the chat template and the
        # limit, which are compared in other ways.
        context = f"{results.limit} {results.template}"
        agree["task hash"] = Agreement(known.task_hash, context)
    if results.instruction is not None:
        agree["system instruction"] = Agreement(results.instruction)
    return agree

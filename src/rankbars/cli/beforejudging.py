"""``rankbars check`` before it judges: ``--preflight``, and ``--reruns`` of one system."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

import click

from rankbars.cli.outputs import emit, emit_text, output_width
from rankbars.cli.readingoptions import Reading

__all__ = ["Before", "look_before"]


class Before(NamedTuple):
    """What was asked; the fields are options of ``rankbars check``."""

    claims: tuple[str, ...]
    guards: tuple[str, ...]
    file: str | None
    each: bool
    fail_on: str
    alpha: float | None
    anchor: str | None
    test: str
    missing: str | None
    missing_tasks: str | None
    missing_items: str | None
    seed: int
    as_json: bool
    quiet: bool


def look_before(
    asked: Before,
    inputs: tuple[str, ...],
    runs: tuple[str, ...],
    reading: Reading,
    tasks: Sequence[str],
    *,
    others: bool,
) -> NoReturn:
    """Say what the gate can show, or how often it alarms, and end; nothing is written.

    Raises
    ------
    click.UsageError
        If options or inputs do not go with it.
    """
    if runs and (inputs or asked.each):
        raise click.UsageError(
            "--reruns PATH holds runs of one system against each other, all claims together. Leave "
            "out other inputs and --each."
        )
    if others:
        raise click.UsageError(
            "Nothing is judged yet, so there is no --md, --junit, --badge, --github, --ledger or "
            "--record. A first look of a ledger has half of the error rate: --alpha 0.025."
        )
    if not (asked.claims or asked.guards or asked.file):
        raise click.UsageError('There is no claim to look at. Give one: --claim "new > old".')
    claims = asked.claims if asked.file is None else Path(asked.file)
    if runs:
        code = _alarms(asked, claims, runs, reading, tasks)
    else:
        code = _preflight(asked, claims, inputs, reading, tasks)
    click.get_current_context().exit(code)


def _preflight(
    asked: Before,
    claims: tuple[str, ...] | Path,
    inputs: tuple[str, ...],
    reading: Reading,
    tasks: Sequence[str],
) -> int:
    from rankbars.cli.inputs import read_scores, report_reading
    from rankbars.cli.progress import reading_files
    from rankbars.gates import preflight
    from rankbars.readers.claimfiles import claim_lines
    from rankbars.render.outlooks import preflight_json, preflight_text

    file = claim_lines(claims, asked.guards).file
    inputs = inputs or (() if file is None else file.inputs)
    if not inputs:
        raise click.UsageError("There are no earlier results to read. Name a file or a folder.")
    with reading_files(quiet=asked.quiet) as progress:
        scores = read_scores(inputs, reading, progress=progress)
    scores = scores.select(tasks=tasks) if tasks else scores
    report_reading(scores, quiet=asked.quiet)
    found = preflight(
        scores, claims, guards=asked.guards, alpha=asked.alpha,
        together=False if asked.each else None, anchor=asked.anchor, test=asked.test,
        missing=asked.missing, missing_tasks=asked.missing_tasks,
        missing_items=asked.missing_items, seed=asked.seed,
    )  # fmt: skip
    if asked.as_json:
        emit(preflight_json(found))
    else:
        emit_text(preflight_text(found, width=output_width()))
    return found.exit_code()


def _alarms(
    asked: Before,
    claims: tuple[str, ...] | Path,
    runs: tuple[str, ...],
    reading: Reading,
    tasks: Sequence[str],
) -> int:
    from rankbars.cli.inputs import read_scores
    from rankbars.cli.progress import working
    from rankbars.gates import false_alarms
    from rankbars.render.outlooks import alarms_json, alarms_text

    read = {}
    for place in runs:
        scores = read_scores((place,), reading)
        read[place] = scores.select(tasks=tasks) if tasks else scores
    with working("Judging", quiet=asked.quiet):
        found = false_alarms(
            read, claims, guards=asked.guards, fail_on=asked.fail_on, alpha=asked.alpha,
            test=asked.test, seed=asked.seed,
        )  # fmt: skip
    if asked.as_json:
        emit(alarms_json(found))
    else:
        emit_text(alarms_text(found, width=output_width()))
    return 0

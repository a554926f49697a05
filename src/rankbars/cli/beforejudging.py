"""``rankbars check`` before it judges: ``--preflight``, and ``--reruns`` of one system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.outputs import emit, emit_text, output_width
from rankbars.cli.readingoptions import Reading

if TYPE_CHECKING:
    from rankbars.data.scores import Scores

__all__ = ["look_before"]

# What each of the two takes of the options of ``rankbars check``.
_OF_ALARMS = ("guards", "alpha", "test", "seed")
_OF_PREFLIGHT = (*_OF_ALARMS, "together", "anchor", "missing", "missing_tasks", "missing_items")


def look_before(
    claims: tuple[str, ...] | Path,
    inputs: tuple[str, ...],
    runs: tuple[str, ...],
    reading: Reading,
    models: Sequence[str],
    tasks: Sequence[str],
    asked: Mapping[str, Any],
    *,
    others: bool,
    fail_on: str,
    as_json: bool,
    quiet: bool,
) -> int:
    """Say what the gate can show, or how often it alarms among `runs`; the exit code.

    Raises
    ------
    click.UsageError
        If inputs, or `others` of the options, do not go with it.
    """
    if runs and (inputs or asked["together"] is not None):
        raise click.UsageError(
            "--reruns PATH holds runs of one system against each other, all claims together. Leave "
            "out other inputs and --each."
        )
    if others:
        raise click.UsageError(
            "Nothing is judged yet, so there is no --md, --junit, --badge, --github, --ledger or "
            "--record. A first look of a ledger has half of the error rate: --alpha 0.025."
        )
    if not (claims or asked["guards"]):
        raise click.UsageError('There is no claim to look at. Give one: --claim "new > old".')
    from rankbars.cli.inputs import read_scores, report_reading
    from rankbars.cli.progress import reading_files, working
    from rankbars.gates import false_alarms, preflight
    from rankbars.readers.claimfiles import claim_lines
    from rankbars.render.outlooks import alarms_json, alarms_text, preflight_json, preflight_text

    if runs:
        read = {place: _on_tasks(read_scores((place,), reading), tasks) for place in runs}
        with working("Judging", quiet=quiet):
            chosen = {name: asked[name] for name in _OF_ALARMS}
            alarms = false_alarms(read, claims, fail_on=fail_on, **chosen)
        if as_json:
            emit(alarms_json(alarms))
        else:
            emit_text(alarms_text(alarms, width=output_width()))
        return 0
    file = claim_lines(claims, asked["guards"]).file
    inputs = inputs or (() if file is None else file.inputs)
    if not inputs:
        raise click.UsageError("There are no earlier results to read. Name a file or a folder.")
    with reading_files(quiet=quiet) as progress:
        scores = _on_tasks(read_scores(inputs, reading, progress=progress, models=models), tasks)
    report_reading(scores, quiet=quiet)
    found = preflight(scores, claims, **{name: asked[name] for name in _OF_PREFLIGHT})
    if as_json:
        emit(preflight_json(found))
    else:
        emit_text(preflight_text(found, width=output_width()))
    return found.exit_code()


def _on_tasks(scores: Scores, tasks: Sequence[str]) -> Scores:
    return scores.select(tasks=tasks) if tasks else scores

"""``rankbars compare``: two models, from their files to a verdict."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from rankbars.cli.options import (
    alpha_option,
    chance_option,
    inputs_argument,
    json_option,
    judging_options,
    limits_option,
    named_option,
    quiet_option,
)
from rankbars.cli.outputs import emit, emit_text, output_width
from rankbars.cli.readingoptions import (
    Reading,
    counting_failures,
    reading_options,
    taking_rows,
)
from rankbars.data.notes import CHOSEN_ROWS, STOPPED_TRIALS, list_words
from rankbars.data.spec import MISSING_POLICIES, MISSING_TASKS
from rankbars.errors import DataError, RankbarsError

if TYPE_CHECKING:
    from rankbars.data.headtohead import Contrast, HeadToHead
    from rankbars.data.scores import Scores

Progress: TypeAlias = Callable[[int, int], None] | None

__all__ = ["compare_command", "sides_of_one_model"]

MOST_NAMES = 20

# Columns that name the runs of one model.
_RUNS = ("run", "run_id", "run_name", "Run")

HELP = """Compare two models: is the first better than the second?

Prints, for each task and for the average, the difference with its interval, on how many items
each model is ahead, the smallest difference these items could have shown, and a verdict: better,
worse or cannot tell.

\b
  rankbars compare tuned.jsonl base.jsonl
  rankbars compare new=runs/b old=runs/a
  rankbars compare results/ --models gpt --models llama
  rankbars compare new.csv old.csv --exit-code --margin 0.01

Exit codes: 0 done; with --exit-code 0 if the first is better (with --margin: not worse by more),
3 if that cannot be told, 4 if it is refuted.
"""


@click.command("compare", help=HELP, short_help="Compare two models.")
@inputs_argument
@click.option(
    "--models", metavar="NAME", multiple=True,
    help="The two models, first and second; needed where the input holds more.",
)  # fmt: skip
@click.option("--tasks", metavar="NAME", multiple=True, help="Only this task. Repeat for more.")
@json_option
@click.option(
    "--margin", metavar="X",
    help="Also judge whether the first is not worse than the second by more than this, in units of "
    "the score (0.01), or in points or percent of a declared scale (1%).",
)  # fmt: skip
@click.option(
    "--exit-code", is_flag=True,
    help="Answer 0 if the first is better (with --margin: not worse by more), 3 if that cannot be "
    "told, 4 if it is refuted.",
)  # fmt: skip
@alpha_option
@named_option(
    "--missing",
    known=MISSING_POLICIES,
    help="What to do where one of the two has no score. Without this and the next two, stop.",
)
@named_option(
    "--missing-tasks",
    known=MISSING_TASKS,
    help="What to do with tasks that one of the two never ran: compare on the tasks that both ran "
    "(insert, additive, drop_tasks: the same for two models), show no average (bounds), or stop.",
)
@judging_options
@click.option(
    "--normalise", metavar="NAME",
    help="Scale of the scores before they are averaged: bounds (--limits, or --score-min and "
    "--score-max, to 0 and 1) or chance (--chance to 0).",
)  # fmt: skip
@limits_option
@chance_option
@reading_options
@quiet_option
def compare_command(
    *,
    inputs: tuple[str, ...],
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    as_json: bool,
    margin: str | None,
    exit_code: bool,
    missing: str | None,
    missing_items: str | None,
    limits: str | None,
    chance: str | None,
    reading: Reading,
    quiet: bool,
    **asked: Any,
) -> None:
    """Read, compare, print."""
    if models and len(models) != 2:
        raise click.UsageError(
            f"Exactly two models are compared; --models names {len(models)}. "
            "Give it twice: --models A --models B."
        )

    from rankbars.checking import judge_margin
    from rankbars.cli.inputs import report_reading
    from rankbars.cli.progress import reading_files, working
    from rankbars.intake import refuse_scored_errors, refuse_stopped
    from rankbars.matches import head_to_head
    from rankbars.render.claims import given_rows
    from rankbars.render.duel import head_to_head_json, head_to_head_text
    from rankbars.render.verdicts import claim_lines, claim_to_dict
    from rankbars.tables.chosenmodels import take_alone

    reading = counting_failures(reading, missing, missing_items)
    reading, independent = taking_rows(reading)
    with reading_files(quiet=quiet) as progress:
        read, a, b = _read_pair(inputs, reading, models, progress)
    known = tuple(read.tasks)
    scores = take_alone(read.select(tasks=tasks) if tasks else read, (a, b))
    if limits is not None or chance is not None:
        from rankbars.cli.taskfiles import describe_tasks, limit_tasks

        scores = scores if limits is None else limit_tasks(scores, limits, known)
        scores = scores if chance is None else describe_tasks(scores, "chance", chance, known)
    report_reading(scores, quiet=quiet)
    refuse_stopped(scores)
    if exit_code:
        refuse_scored_errors(scores, missing, missing_items)
    with working("Comparing", quiet=quiet):
        duel = head_to_head(
            scores, a, b, missing=missing or "auto", missing_items=missing_items,
            independent_rows=independent, **asked,
        )  # fmt: skip
    made = None if margin is None else judge_margin(scores, duel, margin)
    if made is not None:
        duel = replace(duel, notes=made.notes)
    # What was read has been said, or was not wanted; what was found out is said with the result,
    # and so is what makes the result wrong.
    read_of = frozenset(note for note in scores.notes if note.code not in _SAID_AGAIN)
    shown = replace(duel, notes=tuple(note for note in duel.notes if note not in read_of))
    claim = None if made is None else made.claims[0]
    if as_json:
        fails = claim is not None and not claim.passes
        emit(head_to_head_json(duel, None if claim is None else claim_to_dict(claim, fails=fails)))
    else:
        given = given_rows(duel.notes)
        said = (
            ""
            if claim is None
            else "\n".join([*claim_lines(claim, output_width(), given, means=False), "", ""])
        )
        emit_text(said + head_to_head_text(shown, width=output_width(), claim=claim))
    if exit_code:
        code = _CODES[_main(duel).verdict] if made is None else made.exit_code()
        click.get_current_context().exit(code)


# Notes without which a result is read wrong, wherever it is printed.
_SAID_AGAIN = (STOPPED_TRIALS, CHOSEN_ROWS, "dependent-rows")
_CODES = {"better": 0, "cannot tell": 3, "worse": 4}


def _main(duel: HeadToHead) -> Contrast:
    """What is answered first."""
    if duel.main is None:
        raise DataError(
            "--exit-code needs one answer, and there are several tasks without an average. Choose "
            "the task (--tasks NAME), or an average (--aggregate)."
        )
    return duel.main


def _read_pair(
    inputs: tuple[str, ...], reading: Reading, models: Sequence[str], progress: Progress
) -> tuple[Scores, str, str]:
    """What the inputs hold, and the two models that are compared, first and second."""
    from rankbars.cli.inputs import name_inputs, read_scores
    from rankbars.readers.inputfiles import split_name

    if models:
        first, second = models
        return read_scores(inputs, reading, progress=progress, models=models), first, second
    sides = None
    if len(inputs) == 2:
        _refuse_same([split_name(text)[1] for text in inputs], inputs)
    if len(inputs) == 2 and not isinstance(name_inputs(inputs), dict):
        sides = _two_sides(inputs, reading, progress)
    if sides is not None:
        return sides
    read = read_scores(inputs, reading, progress=progress)
    if len(read.models) == 1 and len(inputs) == 1:
        read = _by_runs(inputs, reading, read)
    a, b = _two_models(read, name_inputs(inputs))
    if len(inputs) > 2 and not isinstance(name_inputs(inputs), dict):
        a, b = _in_order((a, b), inputs, reading)
    return read, a, b


def _refuse_same(paths: Sequence[str], inputs: Sequence[str]) -> None:
    """Raises `DataError` if two inputs are one file or folder."""
    first, second = map(Path, paths)
    if first.exists() and second.exists() and first.samefile(second):
        what = "folder" if first.is_dir() else "file"
        raise DataError(
            f"{inputs[0]} and {inputs[1]} are the same {what}, so there is nothing to compare. "
            f"Name the {what} of the other model; two models in one {what}: --models A --models B."
        )


def _two_sides(
    inputs: tuple[str, ...], reading: Reading, progress: Progress
) -> tuple[Scores, str, str] | None:
    """Two inputs of one model each as two sides; None if they are not.

    They are called after their models, or after their files where these have one name.
    """
    from rankbars.cli.inputs import read_scores
    from rankbars.readers import texts_of_inputs
    from rankbars.readers.sides import join_sides, name_side

    try:
        read = [read_scores([path], reading, progress=progress, beside=True) for path in inputs]
        several = min(len(scores.models) for scores in read) > 1
        if several and all(Path(path).is_dir() for path in inputs):
            # Folders of one model each, with a file for each task.
            names = _tell_apart(inputs)
            named = dict(zip(names, inputs, strict=True))
            return read_scores(named, reading, progress=progress), names[0], names[1]
    except RankbarsError:
        return None  # all inputs together may be read; if not, that is the error to tell
    if any(len(scores.models) != 1 for scores in read):
        return None
    names = [scores.models[0] for scores in read]
    if names[0] == names[1]:
        names = _tell_apart(inputs)
    sides = {
        name: name_side(scores, name, path)
        for name, scores, path in zip(names, read, inputs, strict=True)
    }
    named = dict(zip(names, inputs, strict=True))
    try:
        joined = join_sides(sides, anyway=reading.compare_anyway)
        other = texts_of_inputs(named, reading.declared(), reading.format)
    except DataError:
        joined, other = None, None
    if joined is None or other is not None:
        # What was asked may match them where their ids do not.
        joined = read_scores(named, reading, progress=progress)
    return joined, names[0], names[1]


def _by_runs(inputs: tuple[str, ...], reading: Reading, read: Scores) -> Scores:
    """The two runs of one model as what is compared; the results as they are if there are none.

    Raises
    ------
    DataError
        If there are more than two runs.
    """
    from rankbars.cli.inputs import read_scores

    if any(role == "model" for role, _ in reading.columns):
        return read
    for name in _RUNS:
        by_run = replace(reading, columns=(*reading.columns, ("model", name)))
        try:
            found = read_scores(inputs, by_run)
        except RankbarsError:
            continue
        if len(found.models) > 2:
            raise DataError(
                f"Two runs are compared; the column {name!r} holds {len(found.models)}: "
                f"{list_words(map(repr, found.models), MOST_NAMES)}. "
                f"Choose two: {shlex.join(('--column', f'model={name}'))} --models A --models B."
            )
        if len(found.models) == 2:
            return found
    return read


def sides_of_one_model(
    scores: Scores, inputs: Sequence[str], reading: Reading, wanted: Collection[str] | None = None
) -> Scores | None:
    """Two inputs of one and the same model as two sides, called after their files.

    None where the inputs are anything else, or where `wanted` names models that are no sides.
    """
    from rankbars.cli.inputs import read_scores
    from rankbars.data.notes import Note
    from rankbars.readers.inputfiles import split_name

    if len(scores.models) != 1 or len(inputs) != 2 or any(split_name(one)[0] for one in inputs):
        return None
    names = _tell_apart(inputs)
    if wanted is not None and not set(wanted) <= set(names):
        return None
    sides = [f"{name}={path}" for name, path in zip(names, inputs, strict=True)]
    text = (
        f"Both inputs are results of {scores.models[0]!r}; they are set against each other as "
        f"{names[0]!r} and {names[1]!r}."
    )
    return read_scores(sides, reading).with_notes([Note("sides", text)])


def _tell_apart(inputs: Sequence[str]) -> list[str]:
    """What two inputs are called after: the last part of their paths that differs."""
    paths = [Path(path).absolute() for path in inputs]
    stems = [path.name.partition(".")[0] or path.name for path in paths]
    parts = [(stem, *path.parts[-2::-1]) for stem, path in zip(stems, paths, strict=True)]
    differing = (list(pair) for pair in zip(*parts, strict=False) if pair[0] != pair[1])
    return next(differing, list(inputs))


def _two_models(scores: Scores, inputs: list[str] | dict[str, str]) -> tuple[str, str]:
    """The two models of the input: in the order of their sides, else of their names."""
    names = scores.models
    if isinstance(inputs, dict) and len(names) == 2:
        first, second = inputs
        return first, second
    if len(names) == 2:
        return names[0], names[1]
    if len(names) == 1:
        raise DataError(
            f"Two models are needed; found only {names[0]!r}. "
            + ("".join(f"{note.message} " for note in scores.notes if note.code == "files-skipped")
               or "Name a file of the other model too.").strip()
        )  # fmt: skip
    raise DataError(
        f"Exactly two models are compared; found {len(names)}: "
        f"{list_words(map(repr, names), MOST_NAMES)}. "
        "Choose two: --models A --models B."
    )


def _in_order(names: tuple[str, str], inputs: tuple[str, ...], reading: Reading) -> tuple[str, str]:
    """The names in the order in which the inputs bring them.

    Raises
    ------
    DataError
        If each input holds one model, and it cannot be told which.
    """
    held = [_models_alone(path, reading) for path in inputs]
    if any(len(set(names) & set(found)) == 2 for found in held):
        return names
    order = list(dict.fromkeys(name for found in held for name in found if name in names))
    # With one of the two known, the inputs that do not tell hold the other.
    unknown = next((place for place, found in enumerate(held) if not set(found) & set(names)), None)
    if len(order) == 1 and unknown is not None:
        other = names[1] if order[0] == names[0] else names[0]
        order.insert(0 if unknown == 0 else 1, other)
    if len(order) == 2:
        return (order[0], order[1])
    raise DataError(
        f"The inputs do not say by themselves which of {names[0]!r} and {names[1]!r} each of them "
        f"holds. Say which is first: {shlex.join(('--models', names[0], '--models', names[1]))}."
    )


def _models_alone(path: str, reading: Reading) -> tuple[str, ...]:
    """The models of one input; none if it does not say by itself which they are."""
    from rankbars.cli.inputs import read_scores

    try:
        return read_scores([path], reading).models
    except RankbarsError:
        return ()

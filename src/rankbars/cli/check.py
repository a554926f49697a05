"""``rankbars check``: claims about results, from their lines to verdicts and an exit code."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.beforejudging import look_before
from rankbars.cli.options import (
    json_option,
    judging_options,
    models_option,
    named_option,
    one_cost,
    quiet_option,
    refuse_empty,
)
from rankbars.cli.outputs import STANDARD, emit, emit_text, output_width
from rankbars.cli.readingoptions import (
    Reading,
    counting_failures,
    of_costs,
    reading_options,
    taking_rows,
)
from rankbars.cli.targets import check_targets
from rankbars.data.notes import CHOSEN_ROWS
from rankbars.data.spec import FAIL_ON, MISSING_TASKS
from rankbars.errors import DataError, OptionError, UnknownOptionError, WriteError

if TYPE_CHECKING:
    from rankbars.data.claim import Claim
    from rankbars.data.notes import Note
    from rankbars.data.scores import Scores

__all__ = ["check_command"]

MISSING = ("raise", "pairwise", "listwise", "fail")

HELP = """Judge claims about models: supported, refuted, or cannot tell.

All verdicts of a run hold together. Claims are written before the results are read, and quoted:
without quotes the shell takes > as the name of a file to write.

\b
  rankbars check results.csv --claim "new > old"
  rankbars check new=a.csv old=b.csv --claim "new not worse than old by 0.01"
  rankbars check results/ --claim "new first" --guard "new >= old - 0.02 on each task"
  rankbars check --claims claims.yaml
  rankbars check --claims claims.yaml --ledger gate.jsonl --change "$GITHUB_SHA"
  rankbars check earlier.csv --claims claims.yaml --preflight
  rankbars check --claims claims.yaml --reruns run1.csv --reruns run2.csv --reruns run3.csv

Before anything is judged: --preflight says what the gate can show with rows like earlier ones,
--reruns how often it alarms among runs of one system.

Exit codes: 0 every claim is supported (a guard: not refuted); 3 a claim cannot be told; 4 a claim
is refuted; 1 the data or a claim is at fault; 2 wrong usage.
"""


_RUNS = "rankbars.runs"
_WAYS = ("newest", "all")


def _reruns(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> str | None:
    """How reruns are read; paths of runs are kept aside."""
    words = [value for value in values if value in _WAYS]
    for value in values:
        near = difflib.get_close_matches(value, _WAYS, n=1)
        if near and value not in _WAYS and not Path(value).exists():
            raise click.BadParameter(
                f"{value!r} is no file, and no way to read. Did you mean {near[0]}?", ctx, param
            )
    if len(words) > 1:
        raise click.BadParameter("newest and all are two ways to read.", ctx, param)
    ctx.meta[_RUNS] = refuse_empty(ctx, param, tuple(one for one in values if one not in words))
    return words[0] if words else None


@click.command("check", help=HELP, short_help="Judge claims about models.")
@click.argument("inputs", metavar="[INPUT]...", nargs=-1, callback=refuse_empty)
@click.option(
    "--claim", "--must", "claims", metavar="CLAIM", multiple=True,
    help="A claim, such as \"new > old\", \"new >= old - 0.01 on math\", \"new > each of a, b\", "
    "\"new in top 3\", \"new >= 0.80\" or \"new better than old\"; it passes only if it is "
    "supported. Repeat for more.",
)  # fmt: skip
@click.option(
    "--guard", "guards", metavar="CLAIM", multiple=True,
    help="A claim that fails only if it is refuted. Repeat for more.",
)  # fmt: skip
@click.option(
    "--claims", "file", metavar="FILE",
    help="A YAML file of claims, which may also name the inputs, alpha, missing, and why.",
)  # fmt: skip
@click.option(
    "--each", is_flag=True,
    help="Each verdict by itself at --alpha, instead of all together.",
)  # fmt: skip
@named_option(
    "--fail-on", known=FAIL_ON, default="undecided", show_default=True,
    help="Which verdicts fail the run: also what cannot be told, or only what is refuted.",
)  # fmt: skip
@click.option(
    "--preflight", is_flag=True,
    help="Judge nothing; of earlier results say how often each claim would pass and fire.",
)  # fmt: skip
@models_option
@click.option("--tasks", metavar="NAME", multiple=True, help="Only this task. Repeat for more.")
@json_option
@click.option("--md", metavar="FILE", help="Write Markdown, for a pull request; - prints it.")
@click.option("--junit", metavar="FILE", help="Write JUnit XML, a test case for each claim.")
@click.option(
    "--badge", metavar="FILE", help="Write an SVG picture: how many claims are supported."
)
@click.option(
    "--github", is_flag=True,
    help="Print annotations of a GitHub workflow, and add to its step summary.",
)  # fmt: skip
@click.option(
    "--costs", metavar="METRIC", multiple=True, callback=one_cost,
    help="Column or metric of the same inputs that says what models cost, for claims such as "
    "\"new cheaper than old\"; lower is better.",
)  # fmt: skip
@click.option(
    "--anchor", metavar="MODEL",
    help="Claim everything about two models of this one, too, such as the last release: many small "
    "losses do not pass one by one.",
)  # fmt: skip
@click.option(
    "--ledger", "ledgers", metavar="FILE", multiple=True,
    help="Keep looks in this file: rows of all looks at a change are pooled, and each look has "
    "half of the error rate that is left. Repeat to merge further ledgers into the first.",
)  # fmt: skip
@click.option(
    "--change", metavar="NAME", default="",
    help="What is decided about, such as a commit: --ledger counts looks for each by itself.",
)  # fmt: skip
@named_option(
    "--spend", known=("halving", "e-values"), default="halving", show_default=True,
    help="How looks share the error rate: each has half of what is left; or e-values, which spend "
    "nothing, where every look brings new items.",
)  # fmt: skip
@click.option(
    "--record", is_flag=True,
    help="The place that is claimed in a store is its next record: number k is judged at "
    "alpha/(k(k+1)) and kept in the log of the store, so that all its records hold together.",
)  # fmt: skip
@click.option(
    "--alpha", type=float, help="Error rate of all verdicts together; 0.05 if nothing is said."
)
@named_option(
    "--missing", known=MISSING,
    help="What to do where a model that is claimed about has no score: stop (if nothing is said), "
    "compare the rows that both have, use the rows that all have, or count it as the lowest score.",
)  # fmt: skip
@named_option(
    "--missing-tasks", known=MISSING_TASKS,
    help="What to do with tasks that a model that is claimed about never ran: judge on the tasks "
    "that all of them ran (insert, additive, drop_tasks), show no average (bounds), or stop.",
)  # fmt: skip
@judging_options
@reading_options
@quiet_option
def check_command(
    *,
    inputs: tuple[str, ...],
    claims: tuple[str, ...],
    guards: tuple[str, ...],
    file: str | None,
    each: bool,
    fail_on: str,
    preflight: bool,
    models: tuple[str, ...],
    tasks: tuple[str, ...],
    as_json: bool,
    md: str | None,
    junit: str | None,
    badge: str | None,
    github: bool,
    costs: str | None,
    ledgers: tuple[str, ...],
    change: str,
    spend: str,
    record: bool,
    reading: Reading,
    quiet: bool,
    **asked: Any,
) -> None:
    """Read, judge, print; the exit code says whether the claims hold."""
    if as_json and (github or md == STANDARD):
        raise click.UsageError(
            f"--json and {'--github' if github else '--md -'} both go to standard output; only one "
            "result can."
        )
    if STANDARD in ledgers:
        raise click.UsageError("A ledger is a file that is kept; --ledger - is none.")
    if (change or spend != "halving") and not ledgers:
        raise click.UsageError(
            "--change and --spend are about looks in a ledger; name it with --ledger FILE."
        )
    reading = counting_failures(reading, asked["missing"], asked["missing_items"])
    reading, independent = taking_rows(reading)
    written = claims if file is None else Path(file)
    asked |= {"guards": guards, "together": False if each else None}
    context = click.get_current_context()
    runs_of_one = context.meta[_RUNS]
    if preflight or runs_of_one:
        beside = any((md, junit, badge, github, record, ledgers))
        code = look_before(
            written, inputs, runs_of_one, reading, models, tasks, asked, others=beside,
            fail_on=fail_on, as_json=as_json, quiet=quiet,
        )  # fmt: skip
        context.exit(code)
    lines, inputs = _take(claims, guards, file, inputs)
    targets = {"--md": md, "--junit": junit, "--badge": badge}
    read = (*inputs, *ledgers[1:], *([file] if file is not None else []))
    check_targets(targets | ({"--ledger": ledgers[0]} if ledgers else {}), read)

    from rankbars.checking import check
    from rankbars.cli.comparing import sides_of_one_model
    from rankbars.cli.inputs import read_scores, report_reading
    from rankbars.cli.progress import reading_files, working
    from rankbars.data.drafts import write_all
    from rankbars.render import verdicts

    parsed = _parsed(lines, costs)  # before the long work, not after it
    store = _store_of(inputs, record=record)
    with reading_files(quiet=quiet) as progress:
        scores = read_scores(inputs, reading, progress=progress, models=models)
        named = {name for claim in parsed for name in (claim.model, *claim.others)}
        if costs is None and store is None:
            scores = sides_of_one_model(scores, inputs, reading, named) or scores
        try:
            prices = (
                None
                if costs is None
                else read_scores(inputs, of_costs(reading, costs), models=models)
            )
        except DataError as error:
            raise DataError(
                f"--costs {costs}: no costs of that name could be read, as the scores were. {error}"
            ) from error
    if tasks:
        scores = scores.select(tasks=tasks)
        prices = None if prices is None else prices.select(tasks=tasks)
    report_reading(scores, quiet=quiet)
    with working("Judging", quiet=quiet), _naming_sides(scores, inputs):
        made = check(
            scores, written, costs=prices, ledger=ledgers or None, change=change, spend=spend,
            record=store if record else None, independent_rows=independent, **asked,
        )  # fmt: skip
    if store is not None and not record:
        made = replace(made, notes=(*made.notes, *_record_notes(parsed, store, scores, made.alpha)))
    read_of = frozenset(
        note for note in scores.notes if note.code not in (CHOSEN_ROWS, "dependent-rows")
    )
    shown = replace(made, notes=tuple(note for note in made.notes if note not in read_of))
    renderers = {
        md: verdicts.check_markdown, junit: verdicts.check_junit, badge: verdicts.check_badge,
    }  # fmt: skip
    texts = {
        path: render(shown, fail_on=fail_on)
        for path, render in renderers.items()
        if path is not None
    }
    printed = texts.pop(STANDARD, None)
    write_all(texts)
    if as_json:
        emit(verdicts.check_json(made, fail_on=fail_on))
    elif printed is not None:
        emit(printed)
    else:
        emit_text(verdicts.check_text(shown, fail_on=fail_on, width=output_width()))
    if github:
        emit_text(verdicts.check_github(made, fail_on=fail_on))
        _add_to_summary(verdicts.check_markdown(shown, fail_on=fail_on))
    context.exit(made.exit_code(fail_on))


# A word says how to read, as everywhere; a path is a run of one system.
_RERUNS_OPTION = click.Option(
    ["--reruns"], metavar="newest|all|PATH", multiple=True, callback=_reruns,
    help="Two things, told apart by what follows. newest or all, as elsewhere: how several runs of "
    "one model on one task are read. Or PATH, repeated for each run of one and the same system: "
    "how often this gate alarms among them (a file called all is ./all).",
)  # fmt: skip
check_command.params = [
    _RERUNS_OPTION if param.name == "reruns" else param for param in check_command.params
]


def _take(
    claims: tuple[str, ...], guards: tuple[str, ...], file: str | None, inputs: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines of all claims, and what is to be read."""
    if file is None:
        if not claims and not guards:
            raise click.UsageError('There is no claim to judge. Give one: --claim "new > old".')
    else:
        from rankbars.readers.claimfiles import read_claims

        if claims:
            raise click.UsageError(
                "--claims FILE and --claim are two sets of claims. Write all of them into the file."
            )
        written = read_claims(file)
        claims = tuple(line.text for line in written.lines)
        inputs = inputs or written.inputs
    if not inputs:
        raise click.UsageError("There are no results to read. Name a file or a folder.")
    return (*claims, *guards), inputs


def _parsed(lines: Sequence[str], costs: str | None) -> list[Claim]:
    from rankbars.data.claim import parse_claim

    try:
        parsed = [parse_claim(line) for line in lines]
    except OptionError as error:
        raise OptionError(f"{error}{_made_by_shell()}") from error
    if costs is None and any(claim.of_cost for claim in parsed):
        raise click.UsageError(
            "A claim is about costs. Name the column or metric that holds them: --costs cost."
        )
    return parsed


def _store_of(inputs: tuple[str, ...], *, record: bool) -> str | None:
    """The store that is read, if one is."""
    from rankbars.cli.readingoptions import find_store

    store = find_store(inputs)
    if record and store is None:
        raise click.UsageError(
            "--record counts records of a store. Name the store: rankbars check board.duckdb "
            '--record --claim "new first".'
        )
    return store


def _made_by_shell() -> str:
    """What to say where standard output is an empty file: an unquoted > may have made it."""
    try:
        made = Path("/proc/self/fd/1").readlink()
        empty = made.is_file() and made.stat().st_size == 0
    except OSError:
        return ""
    return f" The empty file {made.name!r} was made now; remove it." if empty else ""


@contextmanager
def _naming_sides(scores: Scores, inputs: Sequence[str]) -> Iterator[None]:
    """A name that no result has may be meant for one of several results of one model."""
    from rankbars.cli.inputs import one_model_as_sides

    try:
        yield
    except UnknownOptionError as error:
        said = f"{error} {one_model_as_sides(scores, inputs, 'check')}".rstrip()
        raise UnknownOptionError(said) from error


def _record_notes(
    parsed: Sequence[Claim], store: str, scores: Scores, alpha: float
) -> tuple[Note, ...]:
    """What a record among all that a store holds must allow for."""
    from rankbars.data.notes import Note

    count = len(scores.models)
    if not any(claim.kind == "top" and claim.k == 1 for claim in parsed):
        return ()
    text = (
        f"{store} holds {count} models, and each of them was a chance to be first by luck. This "
        f"claim is judged at {alpha:g} by itself. --record counts such looks in the store, and "
        f"judges each so that all hold together: the next at "
        f"{alpha / (count * (count + 1)):.2g} or less."
    )
    return (Note("record", text),)


def _add_to_summary(text: str) -> None:
    """Add to the summary of the workflow's step, where there is one.

    Raises
    ------
    WriteError
        If its file cannot be written to.
    """
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as summary:
            summary.write(text)
    except OSError as error:
        raise WriteError(f"Cannot write {path}: {error.strerror or error}.") from error

"""``rankbars race``: what to run next to learn who leads, and when to stop."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankbars.cli.options import json_option, named_option, quiet_option
from rankbars.cli.outputs import (
    STANDARD,
    emit,
    emit_text,
    print_answer,
    say,
    standard_input,
)
from rankbars.cli.readingoptions import Reading, reading_options
from rankbars.cli.stopping import account_for_files
from rankbars.cli.targets import check_targets, drawn_bytes, picture_kind
from rankbars.cli.taskfiles import read_number, read_task_file, read_text
from rankbars.errors import OptionError, ReadError

if TYPE_CHECKING:
    from rankbars.data.raceboard import Calls
    from rankbars.racing.race import Race

__all__ = ["race_group"]

_HELP = """Learn who leads for a part of the calls: run a batch, tell it, and stop when it is known.

STATE is a file, made by the first `next`. All models answer the same items in one random order that
is fixed then. Statements hold however often one looks and whenever one stops.

\b
  rankbars race state.duckdb next --models-file models.txt --items-file items.csv
  rankbars race state.duckdb next --json > calls.jsonl
  rankbars race state.duckdb tell results.jsonl
  rankbars race state.duckdb                       who may still be first
"""
_NEXT_HELP = """Print the calls to make next; begin the race where there is none.

The same calls until they are told. Each is a line of JSON with --json: model, task, item, trial.
A line back is the same with "score", or with "failed": true.

\b
  rankbars race s.duckdb next --models-file models.txt --items-file items.txt --goal "top 3"
  rankbars race s.duckdb next --json --worker gpu1 --most 100
  rankbars race s.duckdb next --for lm-eval
"""
_TELL_HELP = """Take results: lines of JSON of the calls, or files of any format that is read.

Results of calls that nobody wants are left aside; of two results of one call the first counts. All
of it is taken, or nothing. - is standard input, for lines of JSON.

\b
  rankbars race s.duckdb tell results.jsonl
  rankbars race s.duckdb tell logs/
"""


@click.group("race", help=_HELP, short_help="Learn who leads for a part of the calls.",
             invoke_without_command=True)  # fmt: skip
@click.argument("state", metavar="STATE")
@click.pass_context
def race_group(ctx: click.Context, *, state: str) -> None:
    """The command ``rankbars race``; without a word after the file it shows the race."""
    if ctx.invoked_subcommand is None:
        _show(state)


@race_group.command("next", help=_NEXT_HELP, short_help="Print the calls to make next.")
@click.option("--models-file", metavar="FILE", help="To begin: names of models, one per line.")
@click.option(
    "--items-file", metavar="FILE",
    help="To begin: names of items, one per line; or a table with the columns task and item; or "
    "JSON with a list, or with a list or a number of items by task.",
)  # fmt: skip
@click.option(
    "--goal",
    metavar="GOAL",
    help='To begin: "first", or "top 3" for the first three in any order.  [default: first]',
)
@click.option(
    "--alpha", type=float, metavar="X",
    help="To begin: error rate, over all looks together.  [default: 0.05]",
)  # fmt: skip
@click.option(
    "--limits", nargs=2, type=float, metavar="LEAST GREATEST",
    help="To begin: ends of the score of a call.  [default: 0 1]",
)  # fmt: skip
@click.option("--lower", is_flag=True, help="To begin: lower scores are better.")
@click.option(
    "--answers", type=int, metavar="K",
    help="To begin: answers of each model to each item, which are averaged.  [default: 1]",
)  # fmt: skip
@named_option(
    "--row", known=("items", "trials"),
    help="To begin: a row is an item (of each task), for items like these; or one try at every "
    "item, for new tries at these items.  [default: items]",
)  # fmt: skip
@click.option(
    "--weights", metavar="FILE",
    help="To begin: weights of tasks, as for rank; `items` for every item the same, whatever its "
    "task.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), help="To begin: of the order.  [default: 0]")
@click.option(
    "--batch", type=int, metavar="N",
    help="Rows between two looks; may be changed at any time.  [default: 25]",
)  # fmt: skip
@click.option(
    "--budget",
    type=int,
    metavar="CALLS",
    help="Calls that may be made; may be changed at any time.",
)
@click.option("--join", metavar="MODEL", help="Let one more model in, between two batches.")
@click.option(
    "--worker", metavar="NAME",
    help="Who asks: others do not get the same calls for an hour, and this one gets them again.",
)  # fmt: skip
@click.option("--most", type=int, metavar="N", help="No more calls than this.")
@click.option("--json", "as_json", is_flag=True, help="Print a line of JSON per call.")
@named_option(
    "--for", known=("inspect", "lm-eval"),
    help="Print what a tool takes, a line of JSON per model: --samples of lm-evaluation-harness, "
    "or --sample-id of Inspect.",
)  # fmt: skip
@click.pass_context
def next_command(ctx: click.Context, /, **given: Any) -> None:
    """Begin where there is no race, and print what to run."""
    state = _state(ctx)
    if given["as_json"] and given["for"]:
        raise click.UsageError("--json and --for print two forms. Choose one.")
    account_for_files([state])
    race = _begun(state, given)
    if given["join"] is not None:
        race.join(given["join"])
    calls = race.next(worker=given["worker"], most=given["most"])
    if given["as_json"]:
        emit(calls.to_jsonl())
    elif given["for"]:
        emit(_for_tool(calls, given["for"]))
    else:
        emit_text("".join(f"{line}\n" for line in _listed(calls)))
    if calls.why is not None:
        say(_WHY[calls.why])


@race_group.command("tell", help=_TELL_HELP, short_help="Take results.")
@click.argument("results", metavar="RESULTS...", nargs=-1, required=True)
@click.option(
    "--failed", "missing_failed", is_flag=True,
    help="A call without a result has failed, if its model occurs in the results. Failed calls "
    "count as the worst score.",
)  # fmt: skip
@reading_options
@json_option
@quiet_option
@click.pass_context
def tell_command(
    ctx: click.Context, /, *, results: tuple[str, ...], missing_failed: bool, reading: Reading,
    as_json: bool, quiet: bool,
) -> None:  # fmt: skip
    """Read, and take what is wanted."""
    from rankbars.racing.race import Race

    state = _state(ctx)
    account_for_files([state])
    race = Race.open(state)
    told = race.tell(
        _read(results, reading),
        missing="failed" if missing_failed else "wait",
        source=", ".join(results),
    )
    if as_json:
        calls = [call._asdict() for call in told.contradicted]
        print_answer({"schema": "rankbars.told/1"} | told._asdict() | {"contradicted": calls})
        return
    if told.contradicted:
        one, more = told.contradicted[0], len(told.contradicted) - 1
        others = f" and of {more:,} more {'call' if more == 1 else 'calls'}" if more else ""
        say(
            f"Another result than the one that counts: of model {one.model}, task {one.task}, item "
            f"{one.item}{others}. The first counts."
        )
    if quiet:
        return
    parts = [f"{told.taken:,} taken"]
    parts += [f"{told.failed:,} of them failed"] if told.failed else []
    parts += [f"{told.again:,} had a result already"] if told.again else []
    parts += [f"{told.aside:,} not wanted now"] if told.aside else []
    wait = f"the batch waits for {told.waiting:,}" if told.waiting else "the batch is complete"
    say(f"Results: {', '.join(parts)}; {wait}.")
    if told.waiting and not missing_failed:
        say('A call that failed is told by "failed": true in its line, or for all by --failed.')


@race_group.command("show", short_help="Show who may still be first.")
@json_option
@click.option(
    "--html", metavar="FILE",
    help="Write a page that needs no network: evidence over items, and a row per model.",
)  # fmt: skip
@click.option("--plot", metavar="FILE", help="Draw the evidence over items (.svg, .pdf, .png).")
@click.pass_context
def show_command(
    ctx: click.Context, /, *, as_json: bool, html: str | None, plot: str | None
) -> None:
    """Show who may still be first, who is out and since when, and what it took."""
    _show(_state(ctx), as_json=as_json, html=html, plot=plot)


_WHY = {
    "settled": "Nothing to run: all is decided.",
    "budget": "Nothing to run: the rest of the budget pays for no row. --budget raises it.",
    "items": "Nothing to run: no items are left.",
    "waiting": "Nothing to run now: other workers have all calls of the batch.",
}
_MOST_ITEMS = 10_000_000
_BEGINNING = ("models_file", "items_file", "goal", "alpha", "limits", "answers", "row",
              "weights", "seed")  # fmt: skip


def _state(ctx: click.Context) -> str:
    parent = ctx.parent
    return "" if parent is None else str(parent.params["state"])


def _show(
    state: str, *, as_json: bool = False, html: str | None = None, plot: str | None = None
) -> None:
    from rankbars.racing.race import Race

    kind = "" if plot is None else picture_kind(plot)
    check_targets({"--html": html, "--plot": plot}, [state])
    board = Race.open(state).board()
    contents: dict[str, str | bytes] = {}
    if html is not None:
        contents[html] = board.to_html()
    if plot is not None:
        from rankbars.render.plotting.workplots import race_picture

        contents[plot] = drawn_bytes(race_picture(board), kind)
    if contents:
        from rankbars.data.drafts import write_all

        write_all(contents)
    if as_json:
        emit(board.to_json())
    else:
        emit_text(board.to_text())


def _begun(state: str, given: dict[str, Any]) -> Race:
    """The race, begun now or before."""
    from rankbars.racing.race import Race

    first = [name for name in _BEGINNING if given[name] is not None]
    first += ["lower"] if given["lower"] else []
    if Path(state).exists():
        if first:
            Race.open(state).board()  # whether it is a race at all
            flag = f"--{first[0].replace('_', '-')}"
            raise OptionError(
                f"{state}: this race has begun, and {flag} is fixed at the start. Leave it out, or "
                "name another file for another race."
            )
        race = Race.open(state)
        if given["batch"] is not None or given["budget"] is not None:
            race.pace(batch=given["batch"], budget=given["budget"])
        return race
    if given["models_file"] is None or given["items_file"] is None:
        raise ReadError.at(
            state, "there is no race. Begin one: rankbars race STATE next --models-file FILE "
            "--items-file FILE.",
        )  # fmt: skip
    chosen = {
        "goal": given["goal"], "alpha": given["alpha"], "limits": given["limits"],
        "trials": given["answers"], "rows": given["row"], "seed": given["seed"],
        "batch": given["batch"], "budget": given["budget"],
        "weights": _weights(given["weights"]), "direction": "lower" if given["lower"] else None,
    }  # fmt: skip
    return Race(
        _models(given["models_file"]),
        _items(given["items_file"]),
        state=state,
        **{name: value for name, value in chosen.items() if value is not None},
    )


def _weights(path: str | None) -> Any:
    if path is None or path == "items":
        return path
    return {
        task: read_number(path, "weight", f"task {task!r}", text)
        for task, text in read_task_file(path).items()
    }


def _models(path: str) -> list[str]:
    names = _lines(read_text(path))
    names = names[1:] if names[:1] == ["model"] else names
    if not names:
        raise ReadError.at(path, "it is empty; a name of a model per line was expected.")
    return names


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _items(path: str) -> Any:
    """A list of items, or one by task."""
    text = read_text(path)
    if Path(path).suffix.lower() == ".json":
        try:
            found = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ReadError.at(path, f"it is no JSON: {error}.") from error
        if isinstance(found, list):
            return found
        if isinstance(found, dict) and all(type(one) in (list, int) for one in found.values()):
            most = max((one for one in found.values() if isinstance(one, int)), default=0)
            if most > _MOST_ITEMS:
                raise ReadError.at(path, f"a task has {_MOST_ITEMS:,} items at most; got {most:,}.")
            return {
                task: range(one) if isinstance(one, int) else one for task, one in found.items()
            }
        raise ReadError.at(path, "a list of items was expected, or a list or a number by task.")
    lines = _lines(text)
    if not lines:
        raise ReadError.at(path, "it is empty; a name of an item per line was expected.")
    return _items_in_lines(lines, path)


def _items_in_lines(lines: list[str], path: str) -> Any:
    """Names, one a line, or the column of items of a table."""
    first = [word.strip().strip('"').lower() for word in re.split("[,;\t]", lines[0])]
    if "item" not in first and Path(path).suffix.lower() not in (".csv", ".tsv"):
        return lines
    from rankbars.readers.delimitedtext import read_cells

    rows, _ = read_cells(path, "\n".join(lines))
    header = [word.lower() for word in rows[0]]
    if "item" not in header:
        if max(map(len, rows)) > 1:
            raise ReadError.at(
                path,
                f"its columns are {', '.join(rows[0])}. Name the column of items item, and that of "
                "tasks task, or give one name of an item per line.",
            )
        return [row[0] for row in rows]
    items: dict[str, list[str]] = {}
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            raise ReadError.at(
                path, f"{len(header)} cells were expected; got {len(row)}.", row=number
            )
        task = row[header.index("task")] if "task" in header else ""
        items.setdefault(task, []).append(row[header.index("item")])
    return items if "task" in header else items.get("", [])


def _read(results: Sequence[str], reading: Reading) -> Any:
    """Lines of JSON as they are; everything else as scores."""
    from rankbars.racing.toldresults import protocol_in, read_protocol

    if STANDARD in results:
        if len(results) > 1:
            raise OptionError("- is standard input, and cannot be told together with files.")
        text = standard_input().decode("utf-8", "replace")
        records = read_protocol(text, STANDARD) if text.strip() else []
        if records is None:
            raise ReadError.at(
                STANDARD, "standard input takes lines of JSON with model, item, and score or "
                "failed. Name files of other formats.",
            )  # fmt: skip
        return records
    found = [protocol_in(Path(path)) for path in results]
    if all(records is not None for records in found):
        return [record for records in found for record in records or ()]
    from rankbars.cli.inputs import read_scores

    return read_scores(results, reading, by_call=True)


def _listed(calls: Calls) -> list[str]:
    """Items that each model is asked for, task by task."""
    asked: dict[tuple[str, str], list[str]] = {}
    for call in calls:
        word = call.item if call.trial == 1 else f"{call.item} (try {call.trial})"
        asked.setdefault((call.model, call.task), []).append(word)
    return [f"{model}, {task}: {', '.join(items)}" for (model, task), items in asked.items()]


def _for_tool(calls: Calls, tool: str) -> str:
    lines = []
    for model in calls.models:
        if tool == "lm-eval":
            line = {"model": model, "samples": json.loads(calls.lm_eval(model))}
        else:
            line = {"model": model, "sample_id": calls.inspect(model)}
        lines.append(json.dumps(line, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)

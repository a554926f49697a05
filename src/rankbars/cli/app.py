"""The command group, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import difflib
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click

from rankbars.cli.outputs import say
from rankbars.cli.stopping import NOTHING_WRITTEN, StopSignals
from rankbars.errors import RankbarsError, UnknownOptionError

if TYPE_CHECKING:
    from rankbars.cli.fileanswers import FailedAnswer

__all__ = ["COMMANDS", "app", "run"]

DONE, AT_FAULT, WRONG_USAGE = 0, 1, 2
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
PIPE_CLOSED = 141  # 128 + SIGPIPE

# Loaded when it is asked for: ranking does not wait for what only plotting needs.
COMMANDS: Final = {
    "rank": "rankbars.cli.leaderboards.rank_command",
    "show": "rankbars.cli.boards.show_command",
    "report": "rankbars.cli.boards.report_command",
    "plot": "rankbars.cli.publishing.plot_command",
    "weights": "rankbars.cli.boards.weights_command",
    "predict": "rankbars.cli.boards.predict_command",
    "select": "rankbars.cli.selecting.select_command",
    "compare": "rankbars.cli.comparing.compare_command",
    "check": "rankbars.cli.check.check_command",
    "noise": "rankbars.cli.noisecommand.noise_command",
    "plan": "rankbars.cli.plancommand.plan_command",
    "next": "rankbars.cli.nextcommand.next_command",
    "race": "rankbars.cli.racecommand.race_group",
    "diff": "rankbars.cli.boards.diff_command",
    "site": "rankbars.cli.publishing.site_command",
    "add": "rankbars.cli.storing.add_command",
    "log": "rankbars.cli.storelog.log_command",
    "remove": "rankbars.cli.storing.remove_command",
    "submit": "rankbars.cli.storelog.submit_command",
    "rename": "rankbars.cli.storelog.rename_command",
    "retire": "rankbars.cli.storelog.retire_command",
    "formats": "rankbars.cli.inputs.formats_command",
    "table": "rankbars.cli.tablecommand.table_command",
    "demo": "rankbars.cli.democommand.demo_command",
    "simulate": "rankbars.cli.simulation.simulate_group",
}
"""Every command by its name, the main one first."""


class Commands(click.Group):
    """The commands of `COMMANDS`; names the nearest one when it does not know one."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command called ``args[0]``; a usage error names the known ones."""
        known = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in known:
            near = difflib.get_close_matches(args[0], known, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(
                f"Unknown command {args[0]!r}.{hint} Known: {', '.join(known)}.", ctx
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """What the command answers; the exit code where it is stopped, or nobody reads it."""
        stop = StopSignals()
        ctx.obj = stop
        with stop:
            try:
                return super().invoke(ctx)
            except BrokenPipeError:
                _discard_output()
                return PIPE_CLOSED
        return stop.code

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands, the main one first."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command called `cmd_name`, if there is one."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name].rpartition(".")
        found: click.Command = getattr(import_module(module), name)
        return found


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        import rankbars

        click.echo(f"rankbars {rankbars.__version__}")
        ctx.exit()


HELP = """Error bars for leaderboard ranks.

Reads evaluation results, and says which part of the order of the models they support.

\b
  rankbars rank results.csv                   rank everything in a table
  rankbars rank results/ --html report.html   a folder of files, with a page
  rankbars compare a.csv b.csv                is one model better than the other?
  rankbars check r.csv --claim "new > old"    do claims hold, all of them together?
  rankbars plan pilot.csv --top 3             how much more has to be run?
  rankbars demo                               see it on real results

Exit codes: 0 done; 1 the data or a value out of range is at fault; 2 wrong usage; of check also
3 (a claim cannot be told) and 4 (a claim is refuted).
"""


# What people type for an option of another name.
_MEANT = {
    "--top": "--first", "--limit": "--first", "--head": "--first", "--model": "--models",
    "--task": "--tasks", "--confidence": "--alpha", "--level": "--alpha", "--out": "--output",
}  # fmt: skip


def _name_meant(error: click.ClickException) -> click.ClickException:
    """The error with the option that was meant, where the command has it."""
    if not isinstance(error, click.NoSuchOption) or error.ctx is None:
        return error
    meant = _MEANT.get(error.option_name, "")
    if not any(meant in one.opts for one in error.ctx.command.params):
        return error
    said = f"No such option {error.option_name!r}. Did you mean {meant!r}?"
    return click.NoSuchOption(error.option_name, said, ctx=error.ctx)


@click.group(cls=Commands, help=HELP, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version,
    help="Print the version and stop.",
)  # fmt: skip
def app() -> None:
    """The command ``rankbars``."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; errors of programming keep their traceback.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``rankbars``; those of the process where not given.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code = app.main(
            args=words,
            prog_name="rankbars",
            standalone_mode=False,
        )
    except click.Abort as error:
        # click turns these two into one; only the first comes from the keyboard.
        if isinstance(error.__cause__, EOFError):
            raise error.__cause__ from None
        say(NOTHING_WRITTEN)
        return INTERRUPTED
    except click.ClickException as error:
        told = _name_meant(error)
        if not _is_for_programs(words):
            told.show()
            return told.exit_code
        return _failed(f"Error: {told.format_message()}", told.exit_code, words)
    except UnknownOptionError as error:
        return _failed(f"Error: {error}", WRONG_USAGE, words)
    except RankbarsError as error:
        return _failed(f"Error: {error}", AT_FAULT, words)
    except PermissionError as error:
        if error.filename is None:
            raise
        text = f"Error: {error.filename}: you may not open it ({error.strerror})."
        return _failed(text, AT_FAULT, words)
    return code if isinstance(code, int) else DONE


def _is_for_programs(words: Sequence[str]) -> bool:
    """Whether ``--json`` stands among the options."""
    return "--json" in (words[: words.index("--")] if "--" in words else words)


def _failed(message: str, code: int, words: Sequence[str]) -> int:
    """Say why the command failed, in a line of JSON where a program reads it; the exit code."""
    if not _is_for_programs(words):
        say(message)
        return code
    import json

    answer: FailedAnswer = {
        "schema": "rankbars.error/1",
        "exit_code": code,
        "kind": "usage" if code == WRONG_USAGE else "data",
        "message": message.removeprefix("Error: "),
    }
    say(json.dumps(answer, ensure_ascii=False))
    return code


def _discard_output() -> None:
    """Send what is still buffered nowhere: the reader of the pipe has gone."""
    if sys.stdout is None:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())

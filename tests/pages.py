"""Fenced code blocks of Markdown pages, and how each kind of block is run."""

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from commandline import answer, inside

FENCE = re.compile(r"^(?P<indent> *)(?P<mark>```+|~~~+) *(?P<info>[^`\n]*)$")
TITLE = re.compile(r'title="([^"]+)"')
COMPARE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A fenced block: language and title from its first line, text, line of its first text."""

    language: str
    title: str | None
    text: str
    line: int


class Command(NamedTuple):
    """A command of a console block, the output shown below it, the exit code it should have."""

    line: str
    output: str
    exit_code: int


def find_blocks(page: str) -> list[Block]:
    """Fenced blocks of a page, in order."""
    blocks, opening, start, body = [], None, 0, []
    for number, line in enumerate(page.splitlines(), start=1):
        fence = FENCE.match(line)
        if opening is None and fence:
            opening, start, body = fence, number + 1, []
        elif opening and fence and not fence["info"] and fence["mark"].startswith(opening["mark"]):
            language = opening["info"].partition(" ")[0]
            title = TITLE.search(opening["info"])
            text = "".join(f"{row}\n" for row in body)
            blocks.append(Block(language, title and title[1], text, start))
            opening = None
        elif opening:
            body.append(line.removeprefix(opening["indent"]))
    if opening:
        raise ValueError(f"The block before line {start} is not closed.")
    return blocks


def find_commands(text: str) -> list[Command]:
    """Commands of a console block; ``$ echo $?`` and the number below it give an exit code."""
    prompts = re.split(r"^\$ ", text.replace("\\\n", ""), flags=re.MULTILINE)[1:]
    commands: list[Command] = []
    for prompt in prompts:
        line, _, output = prompt.partition("\n")
        if line.strip() == "echo $?":
            commands[-1] = commands[-1]._replace(exit_code=int(output))
        else:
            commands.append(Command(line, output.strip("\n"), 0))
    return commands


def run_page(blocks: list[Block], name: str, folder: Path) -> None:
    """Run a page from top to bottom in `folder`, which is the working directory.

    Titled blocks of other languages are written as the files they show.
    """
    namespace: dict[str, object] = {"__name__": "__page__"}
    for block in blocks:
        if block.language == "python":
            run_python(block, name, namespace)
        elif block.language == "console":
            for command in find_commands(block.text):
                run_command(command, f"{name}:{block.line}", folder)
        elif block.title:
            (folder / block.title).write_text(block.text, encoding="utf-8")


def run_python(block: Block, name: str, namespace: dict[str, object]) -> None:
    """Run a block of Python: a console session as a doctest, anything else as it stands."""
    if block.text.lstrip().startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(block.text, namespace, name, name, block.line)
        runner = doctest.DocTestRunner(verbose=False, optionflags=COMPARE)
        report: list[str] = []
        runner.run(test, out=report.append, clear_globs=False)
        namespace.update(test.globs)
        assert not runner.summarize(verbose=False).failed, "".join(report)
    else:
        # Empty lines in front make a traceback name the line of the page.
        exec(compile("\n" * (block.line - 1) + block.text, name, "exec"), namespace)


def run_command(command: Command, place: str, folder: Path) -> None:
    """Run a command line of rankbars; compare its exit code and, where shown, its output.

    In this process, unless the command starts workers: a process of its own takes longer to start
    than most examples take.
    """
    program, *arguments = shlex.split(command.line)
    assert program == "rankbars", f"{place}: a console block shows rankbars only; got {program!r}"
    if {"--jobs", "--backend"} & set(arguments):
        code, said = run_process(program, arguments, folder)
    else:
        with inside(folder):
            code, said, _ = answer(arguments, together=True)
    shown = f"{place}: $ {command.line}\n{said}"
    assert code == command.exit_code, f"{shown}exit code {code}"
    if command.output:
        checker = doctest.OutputChecker()
        assert checker.check_output(command.output, said, COMPARE), (
            f"{shown}differs from what the page shows:\n{command.output}"
        )


def run_process(program: str, arguments: list[str], folder: Path) -> tuple[int, str]:
    """Exit code and output of the installed program, in a process of its own."""
    done = subprocess.run(
        [str(Path(sys.executable).parent / program), *arguments],
        cwd=folder,
        env={**os.environ, "COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout

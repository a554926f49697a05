"""One case run through the public doors: the command line, and the names of ``rankbars``."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any
from unittest.mock import patch

from commandline import answer, inside
from golden import doors
from golden.case import Case

HERE = Path(__file__).parent
PLACES = {"golden": HERE / "data", "tests": HERE.parent / "data"}

# When a store was changed is not what is compared.
TIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\+00:00)?")


def run_case(case: Case, folder: Path) -> dict[str, Any]:
    """What the commands and calls of a case answer, and the files that it keeps."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in case.inputs:
        _bring(name, folder)
    for name, content in case.texts:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("utf-8"))
    # Nor is who changed it.
    with inside(folder), patch.dict(os.environ, {"RANKBARS_BY": ""}):
        answers = [_answer(words) for words in case.commands]
        kept = {name: _content(Path(name)) for name in case.kept if Path(name).is_file()}
    return {"answers": answers, "files": kept}


def _bring(name: str, folder: Path) -> None:
    """Copy an input into the folder: ``golden:NAME``, ``tests:PATH`` or ``demo:NAME``."""
    place, _, path = name.partition(":")
    target = folder / Path(path).name
    if place == "demo":
        with as_file(files("rankbars.demos") / path) as source:
            shutil.copyfile(source, target)
    elif (PLACES[place] / path).is_dir():
        shutil.copytree(PLACES[place] / path, target)
    else:
        shutil.copyfile(PLACES[place] / path, target)


def _answer(words: str) -> dict[str, Any]:
    """Answer of one line: ``rankbars ...``, ``copy A B``, ``head N A B``, or a door."""
    first, *rest = shlex.split(words)
    if first == "copy":
        shutil.copyfile(*rest)
        return {"line": words}
    if first == "head":
        count, source, target = rest
        lines = Path(source).read_bytes().splitlines(keepends=True)
        Path(target).write_bytes(b"".join(lines[: int(count)]))
        return {"line": words}
    if first == "rankbars":
        code, out, err = answer(rest)
        if rest[:1] == ["log"]:
            out = TIME.sub("TIME", out)
        here = str(Path.cwd())
        out, err = out.replace(here, "HERE"), err.replace(here, "HERE")
        return {"line": words, "code": code, "out": _parsed(out), "err": err.split("\n")}
    return {"line": words, "value": doors.call(first)}


def _content(path: Path) -> Any:
    return _parsed(path.read_text(encoding="utf-8"))


def _parsed(text: str) -> Any:
    """JSON, whole or line by line, as its content; any other text as its lines."""
    lines = text.split("\n")
    if not text.startswith(("{", "[{")):
        return lines
    with suppress(ValueError):
        return {"json": json.loads(text)}
    with suppress(ValueError):
        return {"json lines": [json.loads(line) for line in lines if line]}
    return lines

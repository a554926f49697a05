"""Make golden answers anew, and say what changed.

Usage, from the root of the repository::

    PYTHONPATH=src:tests python -m golden.make                 # what differs, or is new
    PYTHONPATH=src:tests python -m golden.make 'votes/*'       # of these cases only
    PYTHONPATH=src:tests python -m golden.make --look 'votes/*'  # write nothing

A case whose answer still is the same by the rules keeps its file, so that a commit shows which
boards changed.
"""

from __future__ import annotations

import fnmatch
import sys
import tempfile
from pathlib import Path

from golden.case import Case
from golden.cases import CASES
from golden.comparing import EXACT, FITTED, Comparison
from golden.running import run_case
from golden.storing import FOLDER, SUFFIX, keep, kept_names, path_of, recall

SHOWN = 6


def main(words: list[str]) -> None:
    """Run the cases that are named, or all."""
    look = "--look" in words
    patterns = [word for word in words if not word.startswith("--")] or ["*"]
    chosen = [one for one in CASES if any(fnmatch.fnmatch(one.name, p) for p in patterns)]
    with tempfile.TemporaryDirectory() as folder:
        changed = sum(_renew(case, Path(folder) / str(i), look) for i, case in enumerate(chosen))
    gone = kept_names() - {case.name for case in CASES}
    for name in sorted(gone):
        print(f"{name}: no such case any more")
        if not look:
            (FOLDER / f"{name}{SUFFIX}").unlink()
    print(f"{changed} of {len(chosen)} cases changed, {len(gone)} gone")


def _renew(case: Case, folder: Path, look: bool) -> bool:
    answer = run_case(case, folder)
    found = ["new"]
    if path_of(case).exists():
        golden = recall(case)
        found = list(Comparison(FITTED if case.fitted else EXACT).differences(
            {key: golden[key] for key in ("answers", "files")}, answer
        ))  # fmt: skip
        if (golden["mark"], golden["inputs"]) != (case.mark, list(case.inputs)):
            found.append(f"mark or inputs: was {golden['mark']}, is {case.mark}")
    for line in found[:SHOWN]:
        print(f"{case.name}: {line}")
    if found and not look:
        keep(case, answer)
    return bool(found)


if __name__ == "__main__":
    main(sys.argv[1:])

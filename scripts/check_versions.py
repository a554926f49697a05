"""Run the quick tests on every Python here, and on the lowest versions that pyproject.toml allows.

Usage: ``python scripts/check_versions.py [FOLDER] [PYTEST ARGUMENT ...]``

Environments are made under FOLDER (build/versions). Each Python from 3.11 to 3.14 that can be
started, by its name or from the folder of pyenv, is tried with the newest packages, the one that
runs this script with the lowest, too. The sampled models (the extra bayes, tests/bayes) are left
out. Prints a line per environment, and which versions are not here; the exit status is 1 if one
that is here fails.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PYENV = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
EXTRAS, GROUPS = ("plot", "dask", "remote", "excel"), ("dev", "docs")
QUICK = ("-q", "-p", "no:cacheprovider", "-m", "not slow and not soak", "--ignore=tests/bayes")
# Old releases call what newer ones of other packages deprecate, and that is not ours.
OLD = ("-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning")
# What holds with the newest packages only, and is no result: DuckDB loads pandas where an array is
# handed to it before 2.0, and Matplotlib measures names in another way. The tool that checks
# imports is called as its newest version is, which wants a newer rich.
NEWEST_ONLY = (
    "tests/test_architecture.py::test_every_import_follows_the_layers",
    "tests/test_architecture.py::test_ranking_a_small_table_loads_only_what_it_needs",
    "tests/test_architecture.py::test_a_batch_of_a_race_needs_no_scipy",
    "tests/render/test_plotting.py::test_a_picture_is_as_wide_as_asked[score_new_task]",
)


def main(arguments: list[str]) -> int:
    """Try every environment and tell how each went."""
    folder = Path(arguments[0] if arguments else "build/versions").resolve()
    tests = arguments[1:] or ["tests"]
    failed = False
    for name, python, constraints in environments():
        answer = try_out(folder / name, python, constraints, tests)
        failed |= answer != "passed"
        print(f"{name:<24} {answer}", flush=True)
    return int(failed)


def environments() -> list[tuple[str, str, list[str]]]:
    """Name, interpreter and constraints of each environment."""
    found = [("lowest", sys.executable, lowest_versions())]
    for version in VERSIONS:
        own = PYENV.glob(f"versions/{version}.*/bin/python")
        wanted = [f"python{version}", *map(str, sorted(own))]
        if here := next((python for python in wanted if starts(python)), None):
            found.append((f"python{version}", here, []))
        else:
            print(f"{f'python{version}':<24} is not here, and was not tried", flush=True)
    return found


def starts(python: str) -> bool:
    """Whether there is such an interpreter."""
    try:
        tried = subprocess.run(
            [python, "-c", "import venv, ensurepip"], check=False, capture_output=True
        )
        return tried.returncode == 0
    except OSError:
        return False


def lowest_versions() -> list[str]:
    """The lower bound of each package that users need, as pins."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for name in EXTRAS for line in extras[name])]
    bounds = (re.match(r"([A-Za-z0-9_.-]+)>=([0-9.]+)", line) for line in wanted)
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound]


def try_out(place: Path, python: str, constraints: list[str], tests: list[str]) -> str:
    """Make one environment and run the quick tests in it."""
    own = place / "bin" / "python"
    if not own.exists():
        subprocess.run([python, "-m", "venv", "--clear", str(place)], check=True)
    pins = place / "constraints.txt"
    pins.write_text("\n".join(constraints) + "\n", encoding="utf-8")
    pip = [str(own), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "pip>=25.1"], check=True)
    wanted = [
        "--editable",
        f"{ROOT}[{','.join(EXTRAS)}]",
        *(word for name in GROUPS for word in ("--group", f"{ROOT / 'pyproject.toml'}:{name}")),
    ]
    if subprocess.run([*pip, "--constraint", str(pins), *wanted], check=False).returncode:
        return "could not be installed"
    left_out = [f"--deselect={test}" for test in NEWEST_ONLY]
    options = [*QUICK, *((*OLD, *left_out) if constraints else ()), *tests]
    run = subprocess.run([own, "-m", "pytest", *options], cwd=ROOT, check=False)
    return "passed" if run.returncode == 0 else "FAILED"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

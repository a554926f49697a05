"""Build the wheel, install it away from the sources, and try it from an empty folder.

Usage: ``python scripts/check_wheel.py ENVIRONMENT [--empty]``

ENVIRONMENT is made anew: it holds the wheel alone and borrows every other package from the
environment that runs this script, so that the test suite can run against the wheel, without a
network. With ``--empty`` nothing is borrowed: what users need comes from the package index, and
what they do not need is not there.

The install line is that of the README, and so is what is tried: its file, its commands, its Python.
Both distributions pass ``twine check --strict`` before.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
SCORES = """\
model,task,item,score
a,math,1,1
a,math,2,1
a,math,3,0
b,math,1,0
b,math,2,1
b,math,3,0
"""
LIBRARY_CALL = """\
import rankbars
scores = rankbars.read("scores.csv")
board = rankbars.leaderboard(scores)
assert board.models == ("a", "b"), board.models
assert board.tasks["math"].best.tolist() == [1, 1], board.tasks["math"].best
"""


INSTALL_LINE = "python -m pip install rankbars"
PROGRAMS = "Scripts" if os.name == "nt" else "bin"


def main() -> None:
    """Build, compare, install, try."""
    environment = Path(sys.argv[1]).resolve()
    wheel = build_wheel(environment.parent / "dist")
    run([sys.executable, "-m", "twine", "check", "--strict", *map(str, wheel.parent.iterdir())])
    compare_files(wheel)
    find_notices(wheel)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    if f"\n{INSTALL_LINE}\n" not in readme:
        sys.exit(f"The README has no line {INSTALL_LINE!r}, which is what is tried here.")
    find_addresses(wheel)
    python = install(wheel, environment, empty="--empty" in sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        try_out(python, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        try_readme(python, Path(folder), readme)
    print(f"{wheel.name}: built from the source distribution, installed and tried")


def build_wheel(folder: Path) -> Path:
    """Path of the wheel, built from the source distribution, which thereby is complete."""
    shutil.rmtree(folder, ignore_errors=True)
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)])
    (wheel,) = folder.glob("*.whl")
    return wheel


def compare_files(wheel: Path) -> None:
    """Exit unless the wheel holds every file of the package, and nothing else."""
    packed = {name for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    present = {
        path.relative_to(SOURCES).as_posix()
        for path in SOURCES.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    if packed != present:
        missing, extra = sorted(present - packed), sorted(packed - present)
        sys.exit(f"The wheel differs from {SOURCES}. Missing: {missing}. Not there: {extra}.")


def find_notices(wheel: Path) -> None:
    """Exit unless the notices of all that is packed stand among the licences, and in the script."""
    with ZipFile(wheel) as packed:
        licences = {Path(name).name for name in packed.namelist() if "/licenses/" in name}
        script = packed.read("rankbars/render/assets/views.js").decode("utf-8")
        notices = packed.read("rankbars/render/assets/page.LICENSES.txt").decode("utf-8")
    expected = {
        "LICENSE",
        "page.LICENSES.txt",
        "LICENSE-APACHE-2.0.txt",
        "LICENSE-BSD-3-Clause.txt",
    }
    if not expected <= licences:
        sys.exit(f"The wheel lacks licences: {sorted(expected - licences)}.")
    if not script.startswith(f"/*!\n{notices}*/"):
        sys.exit("The second script of the page does not begin with the notices of its libraries.")


def find_addresses(wheel: Path) -> None:
    """Exit unless every link and picture of the README, as the index shows it, has an address."""
    with ZipFile(wheel) as packed:
        (name,) = (one for one in packed.namelist() if one.endswith(".dist-info/METADATA"))
        shown = packed.read(name).decode("utf-8")
    if local := re.findall(r"\]\((?!https?://)[^)]*\)", shown):
        sys.exit(f"The README on the index would have links to nowhere: {local}.")


def install(wheel: Path, environment: Path, *, empty: bool) -> Path:
    """Python of a new environment that holds the wheel, and what it needs unless it is borrowed."""
    run([sys.executable, "-m", "venv", "--clear", "--without-pip", str(environment)])
    python = environment / PROGRAMS / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "--disable-pip-version-check"]
    _, _, asked = INSTALL_LINE.partition("pip ")
    line = [*pip, *asked.split(), "--quiet", "--find-links", str(wheel.parent)]
    if empty:
        run(line)
        return python
    run([*line, "--no-index", "--no-deps"])
    borrowed = sysconfig.get_path("purelib")
    own = run([str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
    # Path files inside a borrowed folder are not read, so the editable install stays out of sight.
    (Path(own.strip()) / "borrowed.pth").write_text(f"{borrowed}\n", encoding="utf-8")
    return python


def try_out(python: Path, folder: Path) -> None:
    """Exit unless the installed package and its command work from `folder`, which is empty."""
    place = run([str(python), "-c", "import rankbars; print(rankbars.__file__)"], folder).strip()
    if not Path(place).is_relative_to(python.parent.parent):
        sys.exit(f"The sources are in the way: rankbars was imported from {place}.")
    command = str(python.parent / "rankbars")
    run([command, "--version"], folder)
    run([command, "--help"], folder)
    (folder / "scores.csv").write_text(SCORES, encoding="utf-8")
    run([str(python), "-c", LIBRARY_CALL], folder)
    run([command, "rank", "scores.csv", "-o", "board.json"], folder)
    run([command, "show", "board.json"], folder)
    run([command, "demo", "--list"], folder)


def try_readme(python: Path, folder: Path, readme: str) -> None:
    """Exit unless what the README shows works as it stands: files, commands, Python."""
    for kind, title, text in re.findall(r'```(\w+)(?: title="([^"]+)")?\n(.*?)```', readme, re.S):
        if title:
            (folder / title).write_text(text, encoding="utf-8")
        elif kind == "python":
            run([str(python), "-c", text], folder)
        elif kind == "console":
            for line in re.findall(r"^\$ rankbars (.*)$", text, re.M):
                run([str(python.parent / "rankbars"), *shlex.split(line)], folder)
    made = {path.name for path in folder.iterdir()}
    if not {"report.html", "board.json"} <= made:
        sys.exit(f"What the README shows was not all run; there is only {sorted(made)}.")


def run(command: list[str], folder: Path = ROOT) -> str:
    """Standard output of a command; exit with all it said where it fails."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env=clean, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()

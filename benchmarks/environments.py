"""What rankbars is compared with, and needed for nothing else: one environment per peer.

``python -m benchmarks.environments DIR`` installs every list of benchmarks/peers in a folder of its
own below DIR, without what it depends on: that comes from the development environment, unless the
list names a version that the peer insists on. A peer that cannot be installed is said, and its rows
are left out.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

from benchmarks.rows import Growth, Once, Ratio, Row

__all__ = ["LISTS", "install_peers", "missing_for", "search_path"]

LISTS = Path(__file__).with_name("peers")
_STAMP = ".installed"


def install_peers(folder: Path) -> list[str]:
    """Install what is not installed yet; the names of what could not be."""
    failed = []
    for wanted in sorted(LISTS.glob("*.txt")):
        target = folder / wanted.stem
        stamp = target / _STAMP
        if stamp.exists() and stamp.read_text(encoding="utf-8") == wanted.read_text("utf-8"):
            continue
        shutil.rmtree(target, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
        command += ["--disable-pip-version-check", "--target", str(target), "-r", str(wanted)]
        if subprocess.run(command, check=False).returncode:
            shutil.rmtree(target, ignore_errors=True)
            failed.append(wanted.stem)
        else:
            shutil.copyfile(wanted, stamp)
    return failed


def search_path(row: Row, folder: Path | None) -> list[str]:
    """Where a row looks for packages first: the environment of its peer."""
    if folder is None or not isinstance(row, Ratio) or not row.peers:
        return []
    return [str((folder / row.peers).resolve())]


def missing_for(row: Row, folder: Path | None = None) -> tuple[str, ...]:
    """What a row needs and is not there: packages, or one of several programs."""
    if isinstance(row, Growth):
        return ()
    places = [*search_path(row, folder), *sys.path]
    missing = [name for name in row.needs if PathFinder.find_spec(name, places) is None]
    if isinstance(row, Once) and row.programs and not any(map(shutil.which, row.programs)):
        missing.append(row.programs[0])
    return tuple(missing)


def main() -> None:
    """Install the peers; say which could not be."""
    (folder,) = sys.argv[1:]
    for name in install_peers(Path(folder)):
        print(f"{name} could not be installed: its rows will be left out.")


if __name__ == "__main__":
    main()

"""Where the times were taken: versions, processor, and how fast it multiplies matrices."""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import PackageNotFoundError, distributions, version
from pathlib import Path

import numpy as np

__all__ = ["describe_processor", "find_versions", "measure_dgemm"]

_PACKAGES = ("numpy", "scipy", "duckdb", "pandas", "statsmodels", "numpyro", "distributed")
_SIZE = 1000


def find_versions(peers: Path | None = None) -> dict[str, str]:
    """Versions of Python, of rankbars and of what is compared with it.

    Parameters
    ----------
    peers : Path, optional
        Folder with an environment per peer, named like the package.
    """
    found = {"Python": platform.python_version()}
    for name in ("rankbars", *_PACKAGES):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    for folder in sorted(peers.iterdir()) if peers and peers.is_dir() else ():
        installed = {one.name: one.version for one in distributions(path=[str(folder)])}
        found |= {name: installed[name] for name in (folder.name,) if name in installed}
    blas = np.show_config(mode="dicts")["Build Dependencies"]["blas"]
    found[str(blas["name"])] = str(blas["version"])
    return found


def describe_processor() -> str:
    """Name of the processor and number of cores."""
    name = platform.processor() or platform.machine()
    facts = Path("/proc/cpuinfo")
    if facts.exists():
        lines = facts.read_text(encoding="utf-8", errors="replace").splitlines()
        models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        name = models[0] if models else name
    return f"{name}, {os.cpu_count()} cores"


def measure_dgemm() -> float:
    """Rate of a large matrix product on one thread, in 10^9 operations per CPU second."""
    left, right = (np.random.default_rng(seed).random((_SIZE, _SIZE)) for seed in (0, 1))
    seconds = []
    for _ in range(7):
        start = time.process_time()
        left @ right
        seconds.append(time.process_time() - start)
    return float(2 * _SIZE**3 / min(seconds) / 1e9)

"""A note: something the reader of a result must know, kept as data beside the result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

__all__ = ["Note", "without_folders"]


@dataclass(frozen=True, slots=True)
class Note:
    """A warning that travels with a result and is printed beside the row it concerns.

    Parameters
    ----------
    code : str
        Stable short name, such as ``"few-items"``; listed on the documentation page *Messages*.
    message : str
        One or two plain sentences.
    task : str, optional
        The task it concerns; None for the whole result.
    models : tuple of str
        The models it concerns; empty for all of them.

    Examples
    --------
    >>> Note("few-items", "3 items.", task="math").task
    'math'
    """

    code: str
    message: str
    task: str | None = None
    models: tuple[str, ...] = ()


_ABSOLUTE = re.compile(r"/|[A-Za-z]:[\\/]|\\\\")
_MOST_PARTS = 3


def without_folders(paths: Iterable[str]) -> Callable[[str], str]:
    r"""What takes the folders of a machine out of a text, so that a board can be published.

    Parameters
    ----------
    paths : iterable of str
        Files that were read, as they were named. Of those with an absolute path the last parts
        stay, as many as tell them apart, three at most. Others stay as they are.

    Returns
    -------
    callable
        Takes one of the paths, or a text about them or their neighbours, and returns it without
        the folders.

    Examples
    --------
    >>> brief = without_folders(["/home/eve/runs/math.csv", "old.csv"])
    >>> brief("/home/eve/runs/math.csv"), brief("old.csv: 3 rows"), brief("/home/eve/runs: empty")
    ('math.csv', 'old.csv: 3 rows', 'runs: empty')
    >>> brief = without_folders(["/home/eve/a/math.csv", "/home/eve/b/math.csv"])
    >>> brief("/home/eve/a/math.csv"), brief("Equal: /home/eve/b/math.csv")
    ('a/math.csv', 'Equal: b/math.csv')
    """
    absolute = {path: _parts(path) for path in paths if _ABSOLUTE.match(path)}
    kept = next(
        (
            count
            for count in range(1, _MOST_PARTS)
            if len({tuple(parts[-count:]) for parts in absolute.values()}) == len(absolute)
        ),
        _MOST_PARTS,
    )
    folders: dict[str, list[str]] = {}
    for path in absolute:
        pieces = re.split(r"([\\/]+)", path)
        for end in range(3, len(pieces), 2):
            folder = "".join(pieces[:end])
            folders[folder] = _parts(folder)
    longest_first = sorted(folders, key=len, reverse=True)

    def brief(text: str) -> str:
        if text in absolute:
            return "/".join(absolute[text][-kept:])
        for folder in longest_first:
            if folder not in text:
                continue
            parts = folders[folder]
            before = "".join(f"{part}/" for part in parts[max(len(parts) + 1 - kept, 0) :])
            # The folder before a name in it, and by itself; not as a part of another path.
            # (No part holds a backslash, which would have a meaning to `re.sub`.)
            start = rf"(?<![\w./\\:-]){re.escape(folder)}"
            text = re.sub(rf"{start}[\\/]+(?=[^\s\\/])", before, text)
            text = re.sub(rf"{start}(?![\w-])", parts[-1], text)
        return text

    return brief


def _parts(path: str) -> list[str]:
    return [part for part in re.split(r"[\\/]+", path) if part]

"""What a golden case is, and the options that it names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

KEEP = "keep"


class Case(NamedTuple):
    """Lines to run in a folder of their own.

    Attributes
    ----------
    name : str
        Group and name; also where its golden lies.
    commands : tuple of str
        Lines: ``rankbars ...``; ``copy FROM TO``; ``head COUNT FROM TO``; or one of `golden.doors`.
    inputs : tuple of str
        What is copied there first: ``golden:FILE``, ``tests:PATH`` or ``demo:FILE``.
    texts : tuple of (str, str)
        Files that are written there first.
    kept : tuple of str
        Files that are compared, where they are written.
    mark : str
        ``"keep"``, or the numbers of the items that will change the answer.
    fitted : bool
        Whether reals come from an iterated fit, and so are compared to 1e-8.
    """

    name: str
    commands: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    texts: tuple[tuple[str, str], ...] = ()
    kept: tuple[str, ...] = ()
    mark: str = KEEP
    fitted: bool = False


# The defaults of version 0.1.0, which every case names, so that a changed default changes the few
# cases that leave them to the program. Never changed.
READING = {"--format": "auto", "--reruns": "newest"}
ANALYSIS = {
    "--test": "auto",
    "--correction": "holm",
    "--scope": "each",
    "--alpha": "0.05",
    "--merge": "joint",
    "--alpha-overall": "0.2",
    "--aggregate": "auto",
    "--normalise": "none",
    "--prior": "auto",
    "--missing": "raise",
    "--seed": "0",
    "--resamples": "1000",
    "--jobs": "1",
}
VOTES = {
    "--ties": "half",
    "--both-bad": "tie",
    "--covariance": "auto",
    "--cluster": "auto",
    "--ridge": "0",
    "--self-votes": "raise",
}
TWO_MODELS = {
    name: ANALYSIS[name]
    for name in ("--test", "--alpha", "--missing", "--aggregate", "--seed", "--resamples")
}


def options(words: str, *defaults: Mapping[str, str]) -> str:
    """The words, and every default that they do not override."""
    given = words.split()
    named = [
        f"{name} {value}"
        for group in defaults
        for name, value in group.items()
        if name not in given
    ]
    return " ".join([*given, *named])


def board(
    name: str, read: str, words: str = "", *, mark: str = KEEP, votes: bool = False,
    fitted: bool = False, texts: tuple[tuple[str, str], ...] = (), inputs: str | None = None,
    plain: bool = False,
) -> Case:  # fmt: skip
    """A board with its pairs, its text and its Markdown.

    Parameters
    ----------
    name : str
        Name of the case.
    read : str
        What is read and how, such as ``"votes.csv --column judge="``.
    words : str
        Options of the analysis.
    inputs : str, optional
        Where the files come from; by default the first word of `read`, of this folder.
    plain : bool
        Whether the other options are left to the program.
    """
    anytime = {"--test", "--correction"} if "--anytime" in words else set()
    analysis = {key: value for key, value in ANALYSIS.items() if key not in anytime}
    defaults = () if plain else (READING, analysis, VOTES) if votes else (READING, analysis)
    line = f"rankbars rank {read} {options(words, *defaults)} -o board.json --md board.md --pairs"
    found = inputs if inputs is not None else "" if texts else f"golden:{read.split()[0]}"
    return Case(
        name, (line,), tuple(found.split()), texts, ("board.json", "board.md"), mark,
        fitted or votes,
    )  # fmt: skip

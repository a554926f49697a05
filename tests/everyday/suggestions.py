"""What messages tell people to type: collected, and typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from zlib import crc32

from commandline import Answer, answer

# Options with a value, one behind the other.
VALUE = r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|[^\s;),]+)"
OPTIONS = re.compile(rf"(?<![\w-])--[a-z][a-z-]* (?:,|{VALUE})(?: --[a-z][a-z-]* {VALUE})*")
POLICY = re.compile(r"^  --missing (\w+) +(.*)$", re.MULTILINE)
WORST = re.compile(r"\(declare it: (--score.*)\)$")
COMMAND = re.compile(r"rankbars (?:rank|show|diff|compare)(?: +(?:-\w|\S+\.\w+))+")
INPUTS = re.compile(r"(?:name them|files are models): ('?\w+=\S+(?: '?\w+=\S+)*)")
# NAME, K, A, and choices: the reader fills them in.
BLANK = re.compile(r"(^|=)[A-Z]+$|\|")
# These sentences speak of options, and have no value to type.
REFUSALS = (
    "--tasks ranks",
    "Leave them out",
    "needs it",
    "needs dates",
    "is for several",
    "No such option",
    "Invalid value",
)
# Every table without the name of a metric says so; three cases try it.
EVERYWHERE = "--direction lower"
# A value of these replaces the one that was typed; of others, another one is added.
ONE_VALUE = frozenset({"--scope", "--missing", "--layout", "--rows", "--models", "--reruns"})


def suggested(printed: str) -> list[str]:
    """Options to add and lines to paste, each once, without those with blanks to fill in."""
    found = [
        f"--missing {name}" + "".join(f" {more}" for more in WORST.findall(kept))
        for name, kept in POLICY.findall(printed)
        if "nothing" not in kept
    ]
    # A line that begins with an option goes on from the line above, which was full.
    for line in re.sub(r"\n(?=--[a-z])", " ", POLICY.sub("", printed)).splitlines():
        if not any(words in line for words in REFUSALS):
            found += [one.rstrip(".:") for one in _options(line)]
            found += [one.rstrip(".,:") for one in COMMAND.findall(line)]
            found += [one.rstrip(".") for one in INPUTS.findall(line)]
    return [one for one in dict.fromkeys(found) if not _has_blanks(one) and one != EVERYWHERE]


def _options(line: str) -> Iterator[str]:
    yield from OPTIONS.findall(line)
    yield from (f"--layout {name}" for name in re.findall(r"--layout \S+ or (\w[\w-]*)", line))


def _has_blanks(suggestion: str) -> bool:
    return any(BLANK.search(word.rstrip(".,:")) for word in suggestion.split())


def with_suggestion(line: str, suggestion: str) -> list[str]:
    """Words of the line that somebody types who heeds the suggestion."""
    words = shlex.split(line)
    if words[0] == "formats":  # says how to read, and does not
        words[0] = "rank"
    if suggestion.startswith("rankbars "):
        return shlex.split(suggestion)[1:]
    more = shlex.split(suggestion)
    scored = next((word for word in words if word.startswith("score=")), None)
    if "--metric" in more and scored is not None:  # named in place of a column of scores
        place = words.index(scored)
        words[place - 1 : place + 1] = []
    if not suggestion.startswith("--"):
        return [words[0], *more]
    replaced = ONE_VALUE & set(more)
    if {"--metric", "--also"} <= {*more}:  # the metric is named anew, and others beside it
        replaced |= {"--metric"}
    kept = [
        word
        for place, word in enumerate(words)
        if word not in replaced and words[place - 1] not in replaced
    ]
    return [*kept, *more]


def misleading(line: str, first: Answer, part: int = 1) -> Iterator[str]:
    """Suggestions in an answer that are refused themselves, in the folder of the line.

    One of `part` is typed, always the same one.
    """
    for suggestion in suggested(f"{first.out}\n{first.err}"):
        if crc32(f"{line} {suggestion}".encode()) % part:
            continue
        words = with_suggestion(line, suggestion)
        found = answer(words)
        error = found.err.partition("Error: ")[2]
        again = error and error == first.err.partition("Error: ")[2]
        named = any(word in error for word in words if word in suggestion and word[:2] == "--")
        if found.code == 2 or again or (found.code and named):
            yield f"suggests {suggestion}, which is refused: {error.strip()}"

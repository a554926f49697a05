"""When two answers say the same: see the rules in the README of this folder."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

EXACT = 1e-12
# Draws of the posterior of shares move by up to 3e-9 where a logarithm is off in its last digit, as
# from one release of NumPy to the next.
FITTED = 1e-8
SMALL_P = 1e-8
# A tail of a test is exp(-t²/2): what is rounded in t is this much larger in its logarithm.
LOG_P = 1e-10
# Fewer digits are for people, and equal.
DIGITS = 10
NUMBER = re.compile(r"-?\d+\.?\d*(?:[eE][-+]?\d+)?")
PROBABILITIES = ("p", "p_value", "p_better")
# Which version wrote a board, and when, is no result; a digest changes with every added key, and
# an identifier of Every Eval Ever with the version.
LEFT_OUT = (
    "provenance.rankbars", "retrieved_timestamp", "json.digest", "value.digest", "json.versions",
    "eval_library.version", "evaluation_id",
)  # fmt: skip
VERSION = re.compile(r"(?:(?<=with rankbars )|(?<=  version = \{))\d+\.\d+\.\d+")
# Lines that boards have since; like a key that was added, they are no difference.
ADDED = (
    "Score of the leader, allowing for its selection",
    "Tries that were neither in the input nor declared",
)


class Rewording(NamedTuple):
    """A message that says the same in other words; ``{name}`` stands for any text."""

    old: str
    new: str

    def applied(self, text: str) -> str:
        """The text in the new words."""
        parts = re.split(r"\{(\w+)\}", self.old)
        pattern = "".join(
            re.escape(part) if place % 2 == 0 else f"(?P<{part}>.+?)"
            for place, part in enumerate(parts)
        )
        return re.sub(pattern, lambda found: self._filled(found.groupdict()), text)

    def _filled(self, texts: Mapping[str, str]) -> str:
        """The new words with these texts; braces around other words stand for themselves."""
        return re.sub(r"\{(\w+)\}", lambda name: texts.get(name[1], name[0]), self.new)


def read_rewordings(path: Path) -> tuple[Rewording, ...]:
    """The reviewed list."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    return tuple(Rewording(entry["old"], entry["new"]) for entry in entries)


class Comparison:
    """Compares an answer with its golden; `tolerance` is relative to the largest of an array."""

    def __init__(self, tolerance: float = EXACT, rewordings: Sequence[Rewording] = ()) -> None:
        self.tolerance = tolerance
        self.rewordings = rewordings

    def differences(self, old: Any, new: Any, place: str = "") -> Iterator[str]:
        """Each difference in one line: where, what it was, what it is."""
        if place.endswith(LEFT_OUT):
            return
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from self._mappings(old, new, place)
        elif isinstance(old, list) and isinstance(new, list):
            yield from self._lists(old, new, place)
        elif isinstance(old, str) and isinstance(new, str):
            if not self._same_text(old, new):
                yield _told(place, old, new)
        elif _is_number(old) and _is_number(new):
            if not self._close(old, new, abs(old), place):
                yield _told(place, old, new)
        elif old != new or type(old) is not type(new):
            yield _told(place, old, new)

    def _mappings(
        self, old: Mapping[str, Any], new: Mapping[str, Any], place: str
    ) -> Iterator[str]:
        # Numbers that stand beside each other share a magnitude: an estimate and its limits.
        beside = max((abs(one) for one in old.values() if isinstance(one, float)), default=0.0)
        for key, was in old.items():
            where = f"{place}.{key}" if place else key
            if key not in new:
                yield f"{where}: is gone; was {_short(was)}"
            elif isinstance(was, float) and _is_number(new[key]):
                if not self._close(was, new[key], beside, where):
                    yield _told(where, was, new[key])
            else:
                yield from self.differences(was, new[key], where)

    def _lists(self, old: list[Any], new: list[Any], place: str) -> Iterator[str]:
        if repr(old) == repr(new):  # most are; the same types, too
            return
        if _is_array(old) and _is_array(new):
            yield from self._arrays(old, new, place)
        elif all(isinstance(one, str) for one in (*old, *new)):
            yield from self._lines(old, new, place)
        elif len(old) != len(new):
            yield f"{place}: had {len(old)} entries, has {len(new)}: {_short(old)}, {_short(new)}"
        else:
            for number, (was, found) in enumerate(zip(old, new, strict=True)):
                yield from self.differences(was, found, f"{place}[{number}]")

    def _arrays(self, old: list[Any], new: list[Any], place: str) -> Iterator[str]:
        were, are = dict(_leaves(old)), dict(_leaves(new))
        if were.keys() != are.keys():
            yield f"{place}: had another shape: {_short(old)}, {_short(new)}"
            return
        largest = max((abs(one) for one in were.values() if isinstance(one, float)), default=0.0)
        for where, was in were.items():
            found = are[where]
            if _is_number(was) and _is_number(found):
                if not self._close(was, found, largest, place):
                    yield _told(place + where, was, found)
            elif was != found or type(was) is not type(found):
                yield _told(place + where, was, found)

    def _lines(self, old: list[str], new: list[str], place: str) -> Iterator[str]:
        if not any(line.startswith(ADDED) for line in old):
            new = _without_added(new)
        if len(old) == len(new) and all(map(self._same_text, old, new)):
            return
        if self._same_text("\n".join(old), "\n".join(new)):
            return
        for number, (was, found) in enumerate(zip(old, new, strict=False), start=1):
            if not self._same_text(was, found):
                yield _told(f"{place}, line {number}", was, found)
                return
        yield f"{place}: had {len(old)} lines, has {len(new)}"

    def _close(self, old: float, new: float, largest: float, place: str) -> bool:
        if isinstance(old, bool) or isinstance(new, bool) or isinstance(old, int):
            return old == new and isinstance(old, bool) == isinstance(new, bool)
        if _names_probability(place) and 0 < old < SMALL_P:
            return new > 0 and abs(math.log(new / old)) <= LOG_P * abs(math.log(old))
        return abs(old - new) <= self.tolerance * max(largest, abs(old))

    def _same_text(self, old: str, new: str) -> bool:
        old, new = VERSION.sub("…", old), VERSION.sub("…", new)
        if old == new or _same_numbers(old, new, max(self.tolerance, 10.0**-DIGITS)):
            return True
        words = " ".join(old.split())
        changed = words
        for one in self.rewordings:
            changed = one.applied(changed)
        return changed != words and changed == " ".join(new.split())


def _same_numbers(old: str, new: str, tolerance: float) -> bool:
    """Whether two texts differ only in the last digits of numbers printed in full."""
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    for was, found in zip(NUMBER.findall(old), NUMBER.findall(new), strict=True):
        if was == found:
            continue
        in_full = sum(map(str.isdigit, was)) >= DIGITS
        if not in_full or abs(float(was) - float(found)) > tolerance * abs(float(was)):
            return False
    return True


def _names_probability(place: str) -> bool:
    return place.rpartition(".")[2].split("[")[0] in PROBABILITIES


def _without_added(lines: list[str]) -> list[str]:
    """The lines without those that were added, each with the empty line before it, if any."""
    kept: list[str] = []
    for line in lines:
        if not line.startswith(ADDED):
            kept.append(line)
        elif kept and not kept[-1]:
            kept.pop()
    return kept


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_array(value: list[Any]) -> bool:
    leaves = [leaf for _, leaf in _leaves(value)]
    return all(leaf is None or isinstance(leaf, int | float) for leaf in leaves)


def _leaves(value: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, list):
        yield f"{place}[]", len(value)
        for number, one in enumerate(value):
            yield from _leaves(one, f"{place}[{number}]")
    else:
        yield place, value


def _told(place: str, old: object, new: object) -> str:
    return f"{place}: was {_short(old)}, is {_short(new)}"


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:200]} … {text[-190:]}"

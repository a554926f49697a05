"""Values of JSON as what they should be: texts, numbers, counts, times, objects, lists.

What ``as_…`` gives is nothing where the value is something else; what ends with ``_of`` refuses
that, with its place.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from rankbars.errors import DataError, ReadError
from rankbars.tables.cells import label_text

__all__ = [
    "as_count", "as_finite", "as_float", "as_list", "as_mapping", "as_mappings", "as_positive",
    "as_score", "as_text", "cluster_of", "fingerprint", "label_of", "name_of", "parse_time",
    "score_of", "take_path",
]  # fmt: skip

_FILE_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})((?:\.\d+)?)")
_COMPACT_TIME = re.compile(r"\d{8}_\d{6}")

LARGEST_COUNT = 1e15


def as_mapping(value: object) -> Mapping[str, Any]:
    """`value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: object) -> list[Any]:
    """`value` if it is a JSON list, else an empty one."""
    return value if isinstance(value, list) else []


def as_mappings(value: object) -> list[Mapping[str, Any]]:
    """The members of a JSON list as objects; none if it is no list."""
    return [as_mapping(one) for one in as_list(value)]


def as_text(value: object) -> str | None:
    """`value` if it is text that is not empty; numbers as text; else None."""
    if isinstance(value, str):
        return value or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return repr(value)


def as_float(value: object) -> float | None:
    """`value` if it is a JSON number that is not too large, else None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def as_finite(value: object) -> float | None:
    """`value` if it is a finite JSON number, else None.

    Examples
    --------
    >>> as_finite(1), as_finite(float("nan")), as_finite("1"), as_finite(True)
    (1.0, None, None, None)
    """
    number = as_float(value)
    return number if number is not None and math.isfinite(number) else None


def as_score(value: object) -> float | None:
    """`value` as a score: a JSON number, or 1 and 0 for a truth value; None for anything else.

    Examples
    --------
    >>> as_score(True), as_score(0.5), as_score("0.5")
    (1.0, 0.5, None)
    """
    return float(value) if isinstance(value, bool) else as_float(value)


def as_count(value: object) -> int | None:
    """`value` if it is a whole JSON number, 0 or more, else None."""
    number = as_finite(value)
    if number is None or not 0 <= number < LARGEST_COUNT or number != int(number):
        return None
    return int(number)


def as_positive(value: object) -> float | None:
    """`value` if it is a finite JSON number of 0 or more, such as a standard error, else None."""
    number = as_finite(value)
    return number if number is not None and number >= 0 else None


def take_path(value: object, *keys: str) -> Any:
    """What lies under keys in nested objects; None where a key is not there.

    Examples
    --------
    >>> take_path({"info": {"model": "a"}}, "info", "model"), take_path({}, "info", "model")
    ('a', None)
    """
    for key in keys:
        value = as_mapping(value).get(key)
    return value


def score_of(value: object, place: str, what: str = "the score") -> float | None:
    """A score, or None for null and NaN; anything else is refused with its place.

    Examples
    --------
    >>> score_of(True, "x"), score_of(None, "x")
    (1.0, None)
    """
    if value is None:
        return None
    score = as_score(value)
    if score is None:
        raise ReadError.at(place, f"{what} is {str(value)[:40]!r}, not a number.")
    return None if math.isnan(score) else score


def name_of(value: object, place: str, what: str) -> str:
    """The text of a name; anything else is refused with its place."""
    name = as_text(value)
    if name is None or not name.strip():
        raise ReadError.at(place, f"expected {what}, found {str(value)[:40]!r}.")
    return name


def label_of(value: object, place: str, what: str) -> str | None:
    """A name as tables write it, the same for 7 and 7.0; None if there is none.

    Raises
    ------
    ReadError
        If it cannot be a name, such as a list.
    """
    try:
        return label_text(value)
    except DataError as error:
        raise ReadError.at(place, f"{what} {error}.") from error


def cluster_of(about: object, key: str | None, place: str) -> str | None:
    """The cluster of an item under a key of what is known of it; None if none was asked for."""
    if key is None:
        return None
    return label_of(as_mapping(about).get(key), place, f"the cluster {key!r}")


def fingerprint(*parts: object) -> str:
    """A hash that stands for texts or JSON values without keeping them.

    Examples
    --------
    >>> fingerprint("Who wrote this?") == fingerprint("Who wrote this?")
    True
    """
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def parse_time(text: object) -> float | None:
    """Seconds since 1970 of a time as tools write it; None if it is not one.

    Examples
    --------
    >>> parse_time("1970-01-01T00:01:00"), parse_time("1970-01-01T00-01-00.5")
    (60.0, 60.5)
    >>> parse_time("19700101_000100"), parse_time("yesterday")
    (60.0, None)
    """
    if not isinstance(text, str):
        return None
    plain = _FILE_TIME.sub(r"\1T\2:\3:\4\5", text.strip())
    try:
        if _COMPACT_TIME.fullmatch(plain):
            moment = datetime.strptime(plain, "%Y%m%d_%H%M%S").replace(tzinfo=UTC)
        else:
            moment = datetime.fromisoformat(plain)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None

"""Single values of logs: numbers, times and fingerprints, each or nothing."""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import UTC, datetime

from rankbars.readers.logs.jsontext import as_float

__all__ = ["as_count", "as_finite", "as_score", "fingerprint", "parse_time"]

_FILE_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})((?:\.\d+)?)")
_COMPACT_TIME = re.compile(r"\d{8}_\d{6}")

LARGEST_COUNT = 1e15


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

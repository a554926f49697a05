"""What the caller says about cells that hold more than a value."""

from __future__ import annotations

import re
from typing import NamedTuple

from rankbars.errors import OptionError

__all__ = ["CellMeaning", "parse_meaning"]


class CellMeaning(NamedTuple):
    """What stands behind a value.

    Parameters
    ----------
    kind : {"se", "ci", "value"}
        A standard error; an interval, or half of it; something that is left aside.
    level : float
        Level of the interval, in (0, 1).
    """

    kind: str
    level: float = 0.95

    @property
    def words(self) -> str:
        """For messages."""
        if self.kind == "se":
            return "a standard error"
        if self.kind == "value":
            return "left aside"
        return f"an interval at {100 * self.level:g} %, or half of one"


def parse_meaning(text: str) -> CellMeaning:
    """The meaning that the caller gives to what stands behind values.

    Parameters
    ----------
    text : str
        ``"se"``, ``"ci95"`` (or another level), ``"value"``; also as ``"value ± se"``.

    Raises
    ------
    OptionError
        If it is none of these.

    Examples
    --------
    >>> parse_meaning("se").kind, parse_meaning("value ± ci90").level
    ('se', 0.9)
    """
    plain = re.sub(r"±|\+/-|\+-|[\s()]", "", text.casefold())
    plain = plain.removeprefix("value") or plain
    level = re.fullmatch(r"ci(\d{2}(?:\.\d+)?)", plain)
    if level is not None and 50.0 <= float(level[1]) < 100.0:
        return CellMeaning("ci", float(level[1]) / 100.0)
    if plain in ("se", "value"):
        return CellMeaning(plain)
    raise OptionError(
        f"cells must be se (a standard error stands behind the value), ci95 (an interval or half "
        f"of one, at any level such as ci90) or value (leave it aside); got {text!r}."
    )

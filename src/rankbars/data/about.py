"""What a board is about, in its maker's words: title, source, date, link, description."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from datetime import date
from urllib.parse import urlsplit

from rankbars.errors import OptionError

__all__ = ["About"]

_MOST = 1_000  # characters of each
_LINK = re.compile(r"""https?://[^\s<>"'`\\]+""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class About:
    """What a board is about; all of it optional, and none of it computed.

    White space, line breaks included, becomes single blanks; an empty text is none.

    Parameters
    ----------
    title : str, optional
        Name of the leaderboard.
    source : str, optional
        Where the results are from: a benchmark and its version, a paper.
    date : str, optional
        The day the results are of, as YYYY-MM-DD.
    link : str, optional
        Address of the source; begins with http:// or https://.
    description : str, optional
        One or two sentences.

    Raises
    ------
    OptionError
        If the date is no day, the link is no address of the web, or a text is too long.

    Examples
    --------
    >>> About(title=" Small  board ", source="")
    About(title='Small board', source=None, date=None, link=None, description=None)
    """

    title: str | None = None
    source: str | None = None
    date: str | None = None
    link: str | None = None
    description: str | None = None

    def __post_init__(self) -> None:
        for one in fields(self):
            given = getattr(self, one.name)
            if given is not None:
                object.__setattr__(self, one.name, _line(one.name, given))
        if self.date is not None and not _is_day(self.date):
            raise OptionError.out_of_range("date", self.date, "a day such as 2026-05-31")
        if self.link is not None and not _is_address(self.link):
            raise OptionError.out_of_range(
                "link",
                self.link,
                "an address that begins with https:// or http://, without spaces and quotes",
            )

    @property
    def credit(self) -> tuple[str, ...]:
        """Source and date, as far as they are known."""
        return tuple(filter(None, (self.source, self.date)))


def _line(name: str, given: object) -> str | None:
    """The text on one line; None where nothing is in it."""
    if not isinstance(given, str):
        raise OptionError.out_of_range(name, given, "text")
    text = " ".join(given.split())
    if len(text) > _MOST:
        raise OptionError(f"{name} has {len(text):,} characters; at most {_MOST:,} are kept.")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise OptionError.out_of_range(name, given, "Unicode text")
    return text or None


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_address(text: str) -> bool:
    try:
        return _LINK.fullmatch(text) is not None and bool(urlsplit(text).hostname)
    except ValueError:  # half a pair of brackets around the host
        return False

"""What pages are filled from: templates, styles and scripts; and names as they stand in HTML."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from rankbars.render.shownnames import shorten, visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["asset", "escaped", "html_name", "page_environment", "trusted"]

_NAME_WIDTH = 120
_LONG_WORD = 9  # letters: a shorter one fits the line of a name on a phone


@cache
def page_environment() -> Environment:
    """What fills templates: everything is escaped, and names are shown as they are seen."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("rankbars.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["name"] = lambda name: trusted(html_name(name))
    environment.filters["seen"] = visible
    environment.filters["breaking"] = _breaking
    environment.filters["whole"] = lambda name: trusted(_whole_name(name))
    environment.filters["together"] = _together
    environment.filters["counted"] = _counted
    environment.filters["number"] = lambda value: f"{value:g}"
    return environment


def asset(name: str) -> str:
    """A style or a script."""
    return resources.files("rankbars.render").joinpath("assets", name).read_text(encoding="utf-8")


def html_name(name: str) -> str:
    """A name as HTML: escaped, kept apart from the direction of the text around it."""
    return f"<bdi{_whole_name(name)}>{escaped(shorten(visible(name), _NAME_WIDTH))}</bdi>"


def _whole_name(name: str) -> str:
    """The name as a title, where it is shown shortened."""
    seen = visible(name)
    return f' title="{escaped(seen)}"' if shorten(seen, _NAME_WIDTH) != seen else ""


def _breaking(name: str) -> Markup:
    """A name that breaks behind its separators: of long words, a line would end anywhere.

    Examples
    --------
    >>> print(_breaking("svc__kernel=linear & svc__C=0.1"))
    svc__<wbr>kernel=<wbr>linear &amp; svc__<wbr>C=<wbr>0.1
    """
    words = shorten(visible(name), _NAME_WIDTH).split(" ")
    parts = (
        re.split(r"(?<=[_:=,/])(?=[^\W_])|(?<=[.])(?=[^\W\d_])", word)
        if len(word) >= _LONG_WORD
        else [word]
        for word in words
    )
    return trusted(" ".join("<wbr>".join(str(escaped(one)) for one in part) for part in parts))


def _together(text: str) -> Markup:
    """Escape, and keep a percent sign on the line of its number."""
    return trusted(str(escaped(text)).replace(" %", "&nbsp;%"))


def _counted(text: str) -> Markup:
    """Keep a number on the line of what it counts; names, in their elements, stay as they are."""
    parts = re.split(r"(<bdi.*?</bdi>)", str(escaped(text)))
    parts[::2] = [re.sub(r"(?<=\d) (?=[a-z])", "&nbsp;", part) for part in parts[::2]]
    return trusted("".join(parts))


def escaped(text: str) -> Markup:
    """A text as HTML."""
    from markupsafe import escape

    return escape(text)


def trusted(html: str) -> Markup:
    """HTML, which templates take as it is."""
    from markupsafe import Markup

    return Markup(html)

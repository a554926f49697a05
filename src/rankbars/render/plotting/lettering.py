"""The names in a picture, cut where they must be, and in fonts that have their letters."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from rankbars.render.notation import counted
from rankbars.render.shownnames import graphemes, shorten_all, visible

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "NAME_WIDTH",
    "Names",
    "labels",
    "letters_note",
    "names_of",
    "set_letters",
    "without_glyph_warnings",
]

NAME_WIDTH = 34
_BOX = "\N{WHITE SQUARE}"
# Fonts that have many letters, and read well; then any other that has what lacks.
_PREFERRED = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans SC", "Noto Sans JP", "Source Han Sans SC",
    "PingFang SC", "Hiragino Sans", "Hiragino Sans GB", "Microsoft YaHei", "Yu Gothic",
    "Malgun Gothic", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Noto Sans", "Noto Emoji",
    "Segoe UI Emoji", "Segoe UI Symbol", "Symbola", "Arial Unicode MS",
)  # fmt: skip


class Names:
    """The names beside an axis, whole, and cut to what is written there."""

    def __init__(self, names: Sequence[str], width: int) -> None:
        self.names = [visible(name) for name in names]
        self.cut(width)

    def cut(self, width: int) -> None:
        """Write them in at most `width` letters each; more, where cuts would look alike."""
        widths = [width] * len(self.names)
        self.texts = shorten_all(self.names, widths)
        while alike := [k for k, text in enumerate(self.texts) if self._is_numbered(k, text)]:
            for k in alike:
                widths[k] += 2
            self.texts = shorten_all(self.names, widths)

    def _is_numbered(self, row: int, text: str) -> bool:
        """Whether a number stands for what was cut, though more letters would tell."""
        return (
            text != self.names[row]
            and text.endswith(f"…#{row + 1}")
            and (self.names.count(self.names[row]) == 1)
        )

    def __call__(self, place: float, _: float = 0, /) -> str:
        """What stands at a tick."""
        row = round(place)
        return self.texts[row] if 0 <= row < len(self.texts) else ""


def labels(names: Sequence[str], width: int = NAME_WIDTH) -> list[str]:
    """Names as they are drawn: nothing hidden in them, and short, but still different."""
    return shorten_all([visible(name) for name in names], [width] * len(names))


def names_of(axis: Any) -> Names | None:
    """The names beside an axis of matplotlib, where it has any."""
    found = getattr(axis.get_major_formatter(), "func", None)
    return found if isinstance(found, Names) else None


@contextmanager
def without_glyph_warnings() -> Iterator[None]:
    """Leave out what matplotlib says of each letter that a font lacks; we say it once."""
    log = logging.getLogger("matplotlib.font_manager")  # no bold letters in a font, for one
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"Glyph \d+", UserWarning)
            yield
    finally:
        log.setLevel(level)


def set_letters(figure: Figure, *, replace: bool) -> str:
    """Write every text in fonts that have its letters.

    Parameters
    ----------
    figure : matplotlib figure
        A picture.
    replace : bool
        Whether letters that no font has become boxes; in an SVG they stay, for the fonts of
        whoever shows it.

    Returns
    -------
    str
        The letters that no font has, each once.
    """
    from matplotlib.font_manager import FontProperties, findfont
    from matplotlib.text import Text

    axes = [panel for ax in figure.axes for panel in (ax, *ax.child_axes)]
    listed = [names for ax in axes for axis in (ax.xaxis, ax.yaxis) if (names := names_of(axis))]
    for ax in axes:  # the names beside an axis are made when they are first asked for
        ax.get_xticklabels()
        ax.get_yticklabels()
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text)]
    said = "".join(
        [*(text.get_text() for text in texts), *(n for one in listed for n in one.names)]
    )
    usual = _letters_of(findfont(FontProperties()))
    lacking = {ord(char) for char in said if not char.isspace()} - usual
    # What joins letters and chooses their style needs no picture of its own.
    lacking -= {0x200D, 0xFE0E, 0xFE0F}
    if not lacking:
        return ""
    families, lacking = _families_for(lacking)
    for text in texts:
        text.set_fontfamily([*text.get_fontfamily(), *families])
    missing = frozenset(map(chr, lacking))
    if missing and replace:
        for names in listed:
            names.names = [_boxed(name, missing) for name in names.names]
            names.cut(max(map(len, names.texts)))
        for text in texts:
            text.set_text(_boxed(text.get_text(), missing))
    return "".join(sorted(missing))


def _boxed(text: str, missing: frozenset[str]) -> str:
    return "".join(_BOX if missing & set(one) else one for one in graphemes(text))


def _families_for(letters: set[int]) -> tuple[list[str], set[int]]:
    """Fonts of this machine that have the letters, as few as found, and what none has."""
    from matplotlib.font_manager import fontManager

    place = {name: k for k, name in enumerate(_PREFERRED)}
    fonts = {
        font.name: font.fname
        for font in reversed(fontManager.ttflist)
        if font.style == "normal" and "color" not in font.name.lower() and font.name[0] != "."
    }
    families, left = [], set(letters)
    for name in sorted(fonts, key=lambda name: (place.get(name, len(place)), name)):
        has = left & _letters_of(fonts[name]) if left else set()
        if has:
            families.append(name)
            left -= has
    return families, left


@cache
def _letters_of(path: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    try:
        return frozenset(get_font(path).get_charmap())
    except (OSError, RuntimeError):
        return frozenset()


def letters_note(missing: Iterable[str]) -> str:
    """What is said of letters that no font has."""
    letters = list(missing)
    shown = " ".join(letters[:8]) + (" …" if len(letters) > 8 else "")
    return (
        f"No font of this machine has {counted(len(letters), 'letter')} of the names ({shown}): "
        "each is drawn as a box. Install a font that has them (such as Noto Sans CJK and Noto "
        "Emoji), or write .svg, which keeps the letters."
    )

"""Pictures as files, with matplotlib where it is installed."""

from __future__ import annotations

import importlib.util
import io
from html import escape
from typing import TYPE_CHECKING, Any

from rankbars.errors import MissingPackageError, UnknownOptionError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["PICTURES", "check_picture", "picture_bytes"]

PICTURES = ("svg", "png", "pdf", "none")


def check_picture(kind: str, *, drawn: bool, projection: str | None = None) -> None:
    """Refuse a kind of picture that cannot be drawn.

    Parameters
    ----------
    kind : str
        One of `PICTURES`.
    drawn : bool
        Whether anything is to be drawn.
    projection : str, optional
        Of the axes; ``"ternary"`` needs mpltern.

    Raises
    ------
    UnknownOptionError
        If the kind is not known.
    MissingPackageError
        If something is to be drawn and matplotlib (or mpltern) is not installed.
    """
    if kind not in PICTURES:
        raise UnknownOptionError.among("picture", kind, PICTURES)
    packages = ["matplotlib", *(["mpltern"] if projection == "ternary" else [])]
    for package in packages if drawn else ():
        if importlib.util.find_spec(package) is None:
            raise MissingPackageError.for_extra(
                package, "This picture", '"rankbars[plot]" (or ask for no picture)'
            )


def picture_bytes(figure: Figure, kind: str) -> bytes:
    """The finished file; the same figure gives the same bytes.

    The label of the figure becomes the text alternative of an SVG.
    """
    import matplotlib as mpl

    stream = io.BytesIO()
    # Without a date, and with ids that do not change from run to run.
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[kind]
    style: Any = {
        "pdf.fonttype": 42,
        "svg.fonttype": "none",
        "svg.hashsalt": "rankbars",
        "text.parse_math": False,
    }
    with mpl.rc_context(style):
        figure.savefig(stream, format=kind, metadata=metadata, bbox_inches="tight", dpi=200)
    made = stream.getvalue()
    return _with_title(made, str(figure.get_label())) if kind == "svg" else made


def _with_title(svg: bytes, text: str) -> bytes:
    """The drawing with `text` as its title, which screen readers and browsers show."""
    head, opening, rest = svg.partition(b"<svg ")
    attributes, end, drawing = rest.partition(b">")
    title = f"\n <title>{escape(text)}</title>".encode()
    return head + opening + attributes + end + title + drawing

"""A note: something the reader of a result must know, kept as data beside the result."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Note"]


@dataclass(frozen=True, slots=True)
class Note:
    """A warning that travels with a result and is printed beside the row it concerns.

    Parameters
    ----------
    code : str
        Stable short name, such as ``"few-items"``; listed on the documentation page *Messages*.
    message : str
        One or two plain sentences.
    task : str, optional
        The task it concerns; None for the whole result.
    models : tuple of str
        The models it concerns; empty for all of them.

    Examples
    --------
    >>> Note("few-items", "3 items.", task="math").task
    'math'
    """

    code: str
    message: str
    task: str | None = None
    models: tuple[str, ...] = ()

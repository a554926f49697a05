"""Files of claims: YAML with the claims, what they are about, and why they are made."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rankbars.data.judged import Role
from rankbars.data.scores import Input
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import split_name

__all__ = ["ClaimFile", "ClaimLine", "read_claims"]

_KEYS = (
    "claims", "inputs", "alpha", "together", "margin", "missing", "missing_tasks", "missing_items",
    "anchor", "flaky", "why",
)  # fmt: skip
_ROLES: dict[str, Role] = {"claim": "must", "must": "must", "guard": "guard"}
_SHAPE = (
    'A file of claims looks like: claims: ["new > old", {guard: "new >= old - 0.02 on each task", '
    'why: "no task may lose two points"}].'
)


class ClaimLine(NamedTuple):
    """One claim of a file: its line, whether it is a must or a guard, and why it is made."""

    text: str
    role: Role = "must"
    why: str = ""


class ClaimFile(NamedTuple):
    """What a file of claims says.

    Attributes
    ----------
    lines : tuple of ClaimLine
        The claims.
    source : Input
        The file and its digest.
    inputs : tuple of str
        Results to read, each a path or ``name=path``, seen from where the process runs.
    alpha, together, missing, missing_tasks, missing_items, anchor
        As for `rankbars.check`; None where the file does not say.
    margin : str, optional
        How much worse is not yet worse, for claims with ``>=`` that name no margin of their own.
    flaky : tuple of str
        Items that are known to be flaky.
    why : str
        Why the claims are made.
    """

    lines: tuple[ClaimLine, ...]
    source: Input
    inputs: tuple[str, ...] = ()
    alpha: float | None = None
    together: bool | None = None
    missing: str | None = None
    why: str = ""
    missing_tasks: str | None = None
    missing_items: str | None = None
    anchor: str | None = None
    margin: str | None = None
    flaky: tuple[str, ...] = ()


def read_claims(path: str | os.PathLike[str]) -> ClaimFile:
    """The claims in a file.

    Parameters
    ----------
    path : path
        YAML: a list of claims, or a mapping with ``claims`` and, if wanted, ``inputs`` (paths
        beside the file), ``alpha``, ``together``, ``margin``, ``missing``, ``missing_tasks``,
        ``missing_items``, ``anchor``, ``flaky`` (items) and ``why``. A claim is a line, or a
        mapping with ``must`` or ``guard``, and ``why``.

    Raises
    ------
    ReadError
        If the file cannot be read, is no YAML, or says something else.
    """
    import yaml

    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise ReadError(f"Cannot read {path}: {error.strerror or error}.") from error
    try:
        content = yaml.safe_load(data.decode("utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError, ValueError, RecursionError) as error:
        place = " ".join(str(error).split())
        raise ReadError.at(
            path,
            f"it does not hold valid YAML ({place}). A claim that begins with a quoted name stands "
            """in quotes itself: - '"my model" > old'.""",
        ) from error
    values = {"claims": content} if isinstance(content, list) else content
    if not isinstance(values, Mapping) or not values.get("claims"):
        raise ReadError.at(path, f"there are no claims in it. {_SHAPE}")
    unknown = [key for key in values if key not in _KEYS]
    if unknown:
        near = difflib.get_close_matches(str(unknown[0]), _KEYS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise ReadError.at(path, f"unknown key {unknown[0]!r}.{hint} Known: {', '.join(_KEYS)}.")
    folder = Path(path).parent
    return ClaimFile(
        lines=tuple(_line(path, one) for one in _listed(path, "claims", values["claims"])),
        source=Input(str(path), "claims", hashlib.sha256(data).hexdigest()),
        inputs=tuple(
            _beside(folder, str(one)) for one in _listed(path, "inputs", values.get("inputs"))
        ),
        alpha=_number(path, values.get("alpha")),
        together=_switch(path, values.get("together")),
        why=str(values.get("why") or ""),
        flaky=tuple(str(one) for one in _listed(path, "flaky", values.get("flaky"))),
        **{
            key: None if values.get(key) is None else str(values[key])
            for key in ("missing", "missing_tasks", "missing_items", "anchor", "margin")
        },
    )


def _line(path: object, given: Any) -> ClaimLine:
    if isinstance(given, str):
        return ClaimLine(given)
    if isinstance(given, Mapping):
        roles = [key for key in given if key in _ROLES]
        if len(roles) == 1 and set(given) <= {*roles, "why"}:
            text = given[roles[0]]
            if isinstance(text, str):
                return ClaimLine(text, _ROLES[roles[0]], str(given.get("why") or ""))
    raise ReadError.at(path, f"{given!r} is no claim. {_SHAPE}")


def _listed(path: object, what: str, given: Any) -> Sequence[Any]:
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, list):
        raise ReadError.at(path, f"{what} must be a list; found {given!r}.")
    return given


def _beside(folder: Path, given: str) -> str:
    """A path as seen from the file that names it; URLs stay as they are."""
    name, place = split_name(given)
    if "://" not in place:
        place = str(folder / place)
    return f"{name}={place}" if name else place


def _number(path: object, given: Any) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise ReadError.at(path, f"alpha must be a number such as 0.05; found {given!r}.")
    return float(given)


def _switch(path: object, given: Any) -> bool | None:
    if given is None or isinstance(given, bool):
        return given
    raise ReadError.at(path, f"together must be true or false; found {given!r}.")

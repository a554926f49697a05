"""What is claimed: lines of a call, or a YAML file with claims, inputs, and why they are made."""

from __future__ import annotations

import difflib
import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from rankbars.data.claim import Claim, parse_claim
from rankbars.data.judged import Role
from rankbars.data.taskinfo import Input
from rankbars.errors import OptionError, ReadError
from rankbars.readers.inputfiles import split_name
from rankbars.readers.openedfiles import decode_utf8, parse_yaml, read_bytes

__all__ = ["AskedClaims", "ClaimFile", "ClaimLine", "claim_lines", "margin_of", "read_claims"]

T = TypeVar("T")
_KEYS = (
    "claims", "inputs", "alpha", "together", "margin", "missing", "missing_tasks", "missing_items",
    "anchor", "flaky", "why",
)  # fmt: skip
_ROLES: dict[str, Role] = {"claim": "must", "must": "must", "guard": "guard"}
_SHAPE = (
    'A file of claims looks like: claims: ["new > old", {guard: "new >= old - 0.02 on each task", '
    'why: "no task may lose two points"}].'
)

_QUOTED = (
    " A claim that begins with a quoted name stands in quotes itself: "
    """- '"my model" > old'."""
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
        mapping with ``must`` or ``guard``, and ``why``. In place of ``claims`` there may be lists
        of lines under ``must`` and ``guard``.

    Raises
    ------
    ReadError
        If the file cannot be read, is no YAML, or says something else.
    """
    data = read_bytes(path)  # once: it may be a pipe
    content = parse_yaml(path, decode_utf8(path, data), _QUOTED)
    values = {"claims": content} if isinstance(content, list) else content
    if isinstance(values, Mapping) and "claims" not in values:  # lists, as the options are called
        roles = {role: _listed(path, role, values.get(role)) for role in _ROLES}
        claims = [{role: line} for role, lines in roles.items() for line in lines]
        rest = {key: value for key, value in values.items() if key not in _ROLES}
        values = {**rest, "claims": claims}
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


class AskedClaims(NamedTuple):
    """What is claimed, and at which error rate; the file if there is one."""

    file: ClaimFile | None
    lines: list[ClaimLine]
    parsed: list[Claim]
    alpha: float
    together: bool


def claim_lines(
    claims: str | Sequence[str] | os.PathLike[str],
    guards: Sequence[str] = (),
    *,
    alpha: float | None = None,
    together: bool | None = None,
    anchor: str | None = None,
) -> AskedClaims:
    """The claims of a call or a file, parsed; what is said here goes before what a file says.

    Raises
    ------
    OptionError
        If a line is no claim, or there is none.
    """
    file = read_claims(claims) if isinstance(claims, os.PathLike) else None
    lines = [] if file is None else list(file.lines)
    if not isinstance(claims, os.PathLike):
        lines += _lines("claims", (claims,) if isinstance(claims, str) else claims, "must")
    lines += _lines("guards", guards, "guard")
    if not lines:
        raise OptionError("There is no claim to judge. Give one, such as 'new > old'.")
    parsed = [_with_margin(parse_claim(line.text), file and file.margin) for line in lines]
    lines, parsed = _anchored(lines, parsed, _first(anchor, file and file.anchor, ""))
    rate = _first(alpha, file and file.alpha, 0.05)
    return AskedClaims(file, lines, parsed, rate, _first(together, file and file.together, True))


def margin_of(margin: str) -> Claim:
    """A claim that has this margin."""
    try:
        form = parse_claim(f"a >= b - {margin}")
    except OptionError:
        form = None
    if form is None or form.kind != "better" or form.task is not None or form.least is not None:
        raise OptionError.out_of_range("the margin", margin, "a number such as 0.01, or 1 point")
    return form


def _lines(what: str, given: Sequence[str], role: Role) -> list[ClaimLine]:
    if not isinstance(given, (list, tuple)) or not all(isinstance(one, str) for one in given):
        raise OptionError.out_of_range(what, given, "lines of text such as ['new > old']")
    return [ClaimLine(line, role) for line in given]


def _with_margin(claim: Claim, margin: str | None) -> Claim:
    """The claim with the margin of the file, where it allows one and names none."""
    if margin is None or claim.kind != "better" or claim.strict or claim.margin != 0.0:
        return claim
    form = margin_of(margin)
    return replace(claim, margin=form.margin, in_points=form.in_points)


def _anchored(
    lines: list[ClaimLine], parsed: list[Claim], anchor: str
) -> tuple[list[ClaimLine], list[Claim]]:
    """The claims, and those of two models made about the anchor, too."""
    if not anchor:
        return lines, parsed
    before = {replace(claim, text="", sign="") for claim in parsed}
    for line, claim in list(zip(lines, parsed, strict=True)):
        pair = claim.kind in ("better", "within") and len(claim.others) == 1
        if not pair or anchor in (claim.model, *claim.others):
            continue
        text = f"{claim.text} (anchor: {anchor})"
        turned = replace(claim, text=text, others=(anchor,))
        if replace(turned, text="", sign="") not in before:
            before.add(replace(turned, text="", sign=""))
            lines, parsed = [*lines, line._replace(text=text)], [*parsed, turned]
    if not any(anchor in claim.others for claim in parsed):
        raise OptionError(
            f"The anchor {anchor!r} adds no claim: it is held against the first of two models, and "
            "no claim here is about two of which neither is the anchor."
        )
    return lines, parsed


def _first(asked: T | None, filed: T | None, usual: T) -> T:
    """What was asked for, else what the file says, else what is usual."""
    return next((one for one in (asked, filed) if one is not None), usual)

"""Words of the command line, checked: an option that does not fit is answered with what does."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import click

from rankbars.data.spec import OVERS

__all__ = [
    "AverageChoice", "Command", "Decorator", "known_name", "named_option", "refuse_empty",
    "split_average", "split_directions", "split_pairs",
]  # fmt: skip

Command: TypeAlias = Callable[..., None]
Decorator: TypeAlias = Callable[[Command], Command]


def known_name(
    known: Sequence[str],
) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    """Callback that takes one of a few names, and answers a wrong one with the known names.

    Parameters
    ----------
    known : sequence of str
        The names; the nearest one is suggested.
    """

    def check(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
        if value is None or value in known:
            return value
        near = difflib.get_close_matches(value, known, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise click.BadParameter(
            f"{value!r} is not known.{hint} Known: {', '.join(known)}.", ctx, param
        )

    return check


def named_option(*names: str, known: Sequence[str], **settings: Any) -> Decorator:
    """Option whose value is one of the `known` names, which its help lists."""
    metavar = "[" + "|".join(known) + "]"
    return click.option(*names, metavar=metavar, callback=known_name(known), **settings)


def split_pairs(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """``ROLE=NAME`` in two parts, around the first equals sign."""
    pairs = []
    for value in values:
        role, sign, name = value.partition("=")
        if not (sign and role.strip()):
            raise click.BadParameter(
                f"{value!r} must look like ROLE=NAME, such as item=question.", ctx, param
            )
        pairs.append((role.strip(), name))
    return _once_each(pairs, ctx, param)


def split_directions(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """``lower``, ``higher`` or ``NAME=lower``; the name is all before the last equals sign."""
    pairs = []
    for value in values:
        name, _, side = value.rpartition("=")
        if side not in ("lower", "higher"):
            raise click.BadParameter(
                f"{value!r} must be lower, higher, NAME=lower or NAME=higher, where NAME is a "
                "task or a metric.",
                ctx,
                param,
            )
        pairs.append((name, side))
    return _once_each(pairs, ctx, param)


def _once_each(
    pairs: Sequence[tuple[str, str]], ctx: click.Context, param: click.Parameter
) -> tuple[tuple[str, str], ...]:
    seen: dict[str, str] = {}
    for key, value in pairs:
        if seen.setdefault(key, value) != value:
            what = repr(key) if key else "everything"
            raise click.BadParameter(
                f"{what} is given twice, as {seen[key]!r} and as {value!r}.", ctx, param
            )
    return tuple(seen.items())


class AverageChoice(NamedTuple):
    """Which average: over what, how estimated, of what."""

    over: str = "auto"
    estimator: str = "auto"
    method: str = "auto"


def split_average(ctx: click.Context, param: click.Parameter, value: str) -> AverageChoice:
    """``OVER``, ``OVER:ESTIMATOR`` or ``OVER:ESTIMATOR:METHOD``; an empty part is ``auto``."""
    parts = value.split(":")
    if len(parts) > len(AverageChoice._fields):
        raise click.BadParameter(
            f"{value!r} has too many parts; OVER:ESTIMATOR:METHOD has three.", ctx, param
        )
    choice = AverageChoice(*(part or "auto" for part in parts))
    known_name(OVERS)(ctx, param, choice.over)
    return choice


def refuse_empty(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[str, ...]:
    """Refuse an empty word: it is a variable of the shell that holds nothing, not a folder."""
    if "" in values:
        raise click.BadParameter("one of them is empty; name a file or a folder.", ctx, param)
    return values

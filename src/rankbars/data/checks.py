"""Checks of single values that a caller chose: each says what was asked and what was found."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from rankbars.errors import OptionError, UnknownOptionError

__all__ = ["check_mapping", "check_name", "check_number", "check_whole"]


def check_name(what: str, given: object, known: Collection[str]) -> str:
    """`given`, if it is one of the `known` names.

    Raises
    ------
    UnknownOptionError
        If it is another name, or no name at all.

    Examples
    --------
    >>> check_name("scope", "all", ("each", "all"))
    'all'
    """
    if not isinstance(given, str) or given not in known:
        raise UnknownOptionError.among(what, given, known)
    return given


def check_number(
    what: str, given: object, least: float = -math.inf, *, infinite: bool = False
) -> float:
    """`given` as a float, if it is a number that is not below `least`.

    Raises
    ------
    OptionError
        If it is no number, NaN or too small, or infinite where that is not allowed.

    Examples
    --------
    >>> check_number("weight", 2, 0.0)
    2.0
    """
    value = math.nan
    if not isinstance(given, bool) and isinstance(given, Real):
        value = float(given)
    if math.isnan(value) or value < least or (math.isinf(value) and not infinite):
        wanted = "a number" if infinite else "a finite number"
        wanted += "" if least == -math.inf else f", {least:g} or more"
        raise OptionError.out_of_range(what, given, wanted)
    return value


def finite_weights(weights: Sequence[float]) -> list[float]:
    """Weights whose sum is a finite number: as they are, or all divided by the largest.

    Parameters
    ----------
    weights : sequence of float
        0 or more; only their ratios count.

    Examples
    --------
    >>> finite_weights([3.0, 1.0]), finite_weights([1e308, 1e308, 5e307])
    ([3.0, 1.0], [1.0, 1.0, 0.5])
    """
    if math.isfinite(sum(weights)):
        return list(weights)
    largest = max(weights)
    return [value / largest for value in weights]


def check_whole(what: str, given: object, least: int) -> int:
    """`given` as an int, if it is a whole number of at least `least`.

    Raises
    ------
    OptionError
        If it is not.
    """
    if isinstance(given, bool) or not isinstance(given, Integral) or int(given) < least:
        raise OptionError.out_of_range(what, given, f"a whole number, at least {least}")
    return int(given)


def check_mapping(what: str, given: object, of: str) -> Mapping[Any, Any]:
    """`given`, if it is a mapping; `of` says what it should map, such as ``"task to weight"``.

    Raises
    ------
    OptionError
        If it is not.
    """
    if not isinstance(given, Mapping):
        raise OptionError(f"{what} must be a mapping from {of}; got {given!r}.")
    return given

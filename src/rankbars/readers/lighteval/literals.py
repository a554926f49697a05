"""Text of Python literals, as old details hold them: parsed, never run."""

from __future__ import annotations

import ast
import math

from rankbars.errors import ReadError

__all__ = ["parse_literal"]

LONGEST = 1 << 22

_NAMES = {"nan": math.nan, "inf": math.inf, "None": None, "True": True, "False": False}


def parse_literal(text: str, place: str) -> object:
    """The value that the text of a literal stands for; lists and what they hold stay lists.

    Parameters
    ----------
    text : str
        The text; numbers may be wrapped in the name of a NumPy type.
    place : str
        File and row, for messages.

    Raises
    ------
    ReadError
        If it is not a literal, or too long or too deep.

    Examples
    --------
    >>> parse_literal("{'acc': 1, 'em': np.float64(0.5)}", "x")
    {'acc': 1, 'em': 0.5}
    """
    if len(text) > LONGEST:
        raise ReadError.at(place, f"a cell is longer than {LONGEST >> 20} MiB.")
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise ReadError.at(
            place, f"{text[:40]!r} is not the text of a Python literal. Expected one such as "
            "{'acc': 1}.",
        ) from error  # fmt: skip


def _value(node: ast.expr) -> object:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name) if name in _NAMES:
            return _NAMES[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            number = _value(inner)
            if isinstance(number, int | float):
                return -number
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return [_value(part) for part in parts]
        case ast.Dict(keys=keys, values=values):
            return {
                str(_value(key)): _value(value)
                for key, value in zip(keys, values, strict=True)
                if key is not None
            }
        # A number in the spelling of NumPy, such as np.float64(0.5).
        case ast.Call(args=[inner], keywords=[]):
            return _value(inner)
    raise ValueError(ast.dump(node)[:80])

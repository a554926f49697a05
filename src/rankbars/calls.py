"""Calls of public functions that do not fit, and what would; values of a caller, checked."""

from __future__ import annotations

import difflib
import math
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache, wraps
from inspect import Parameter, signature
from numbers import Integral, Real
from types import FunctionType, NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

from rankbars.errors import OptionError, RankbarsError, UnknownOptionError

__all__ = [
    "check_mapping",
    "check_name",
    "check_number",
    "check_whole",
    "explaining",
    "explaining_methods",
]

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
# What Python raises where a value of a wrong kind is used.
_STUMBLES = (TypeError, ValueError, AttributeError, KeyError, IndexError)
# What users of other packages call an option of ours.
_ELSEWHERE = {
    "alpha=0.05 stands for 95 % confidence": (
        "confidence", "confidence_level", "conf_level", "level", "ci", "p", "significance",
    ),
    "seed=0 is the start of every random stream": ("random_state", "random_seed", "rng"),
    "resamples=1000 says how many resamples": (
        "n_boot", "n_bootstrap", "bootstraps", "n_resamples", "n_iter", "n_permutations", "B",
    ),
    "n_jobs=2 says how many workers": ("workers", "n_workers", "num_workers", "processes", "jobs"),
    "correction='holm' says how many comparisons are allowed for": (
        "adjust", "p_adjust", "multitest", "multiple_testing", "correction_method",
    ),
    "missing='pairwise' says what to do where a score is missing": (
        "na", "nan", "nan_policy", "skipna", "dropna", "fillna", "na_action",
    ),
    "over='items' or over='tasks' says which average": ("aggregate", "average", "agg", "aggfunc"),
    "choose with scores.select(models=[...], tasks=[...]) beforehand": (
        "models", "tasks", "subset", "top", "only",
    ),
    "weights of tasks belong to the scores: scores.weigh_categories({...}), "
    "or rb.aggregate(scores, weights={...})": ("weights", "weight", "task_weights"),
    "which side is better is said when results are read: rb.read(path, direction='lower') or "
    "rb.Scores.from_frame(frame, direction='lower')": (
        "direction", "lower_is_better", "higher_is_better", "greater_is_better", "ascending",
        "maximize", "minimize",
    ),
    "columns are named when results are read: rb.Scores.from_frame(frame, model=..., task=..., "
    "item=..., score=...) or rb.read(path, columns={'model': ...})": (
        "model", "task", "item", "score", "columns", "model_col", "task_col", "item_col",
        "score_col", "x", "y", "hue", "by", "index", "values", "group", "target",
    ),
    "how a file is read is said to rb.read(path, ...), and of a frame to "
    "rb.Scores.from_frame(frame, ...)": (
        "rows", "folds", "metric", "layout", "minimum", "maximum", "cells", "words",
    ),
    "how a file is read is said to rb.read(path, ...)": ("format", "reruns"),
}  # fmt: skip

# How to come by what is taken, by its annotation.
_REMEDIES = {
    "Scores": " Make them: rb.read(path), rb.Scores.from_frame(frame).",
    "Leaderboard": " Make one: rb.leaderboard(scores), or rb.load(path) of a board that was saved.",
    "Comparisons | Mapping[str, Comparisons]": " Make them: rb.compare(scores).",
    "Mapping[str, RankIntervals] | Leaderboard": " Make them: rb.rank(rb.compare(scores)).",
}


def explaining(function: Callable[P, R]) -> Callable[P, R]:
    """The function; a call that does not fit it raises `OptionError`, and says what would.

    Plain values (texts, numbers, switches) are looked at before the call. Others are looked at only
    after an error of Python's own: those of a kind that the function does not take are named then,
    and an error that has another reason stays what it is.

    Parameters
    ----------
    function : callable
        A public function.

    Examples
    --------
    >>> def level(scores: list[float], *, alpha: float = 0.05) -> float:
    ...     return 1 - alpha
    >>> try:
    ...     explaining(level)([], alpha="small")
    ... except OptionError as error:
    ...     print(error)
    alpha of level() must be float; got 'small'.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        wrong = _wrong_kind(function, args, kwargs, plain=True)
        if wrong is not None:
            raise OptionError(wrong)
        try:
            return function(*args, **kwargs)
        except RankbarsError:
            raise
        except _STUMBLES as error:
            trace = error.__traceback__
            at_the_door = trace is None or trace.tb_next is None
            tell = _wrong_call if at_the_door else _wrong_kind
            wrong = tell(function, args, kwargs)
            if wrong is None:
                raise
        raise OptionError(wrong)

    return call


def explaining_methods(kind: type[T]) -> type[T]:
    """The type; a call of a public method that does not fit it says what would.

    The methods themselves look at the values that they are given.

    Parameters
    ----------
    kind : type
        A public type.

    Examples
    --------
    >>> @explaining_methods
    ... class Board:
    ...     def top(self, k: int = 1) -> int:
    ...         return k
    >>> try:
    ...     Board().top(n=2)
    ... except OptionError as error:
    ...     print(error)
    top() has no argument 'n'. Known: k.
    >>> try:
    ...     Board().tops
    ... except AttributeError as error:
    ...     print(error)
    Board has no attribute 'tops'. Did you mean 'top'?
    """
    kind.__getattr__ = _lacking  # type: ignore[attr-defined]  # unseen by type checkers
    for name, method in list(vars(kind).items()):
        if name.startswith("_"):
            continue
        if isinstance(method, classmethod):
            setattr(kind, name, classmethod(_explaining_call(method.__func__)))
        elif isinstance(method, FunctionType):
            setattr(kind, name, _explaining_call(method))
    return kind


def _lacking(owner: object, name: str) -> Any:
    """What an object lacks: `AttributeError`, with what has another name here."""
    kind = type(owner)
    hint = ""
    if not name.startswith("_"):
        own = [one for one in dir(kind) if not one.startswith("_")]
        plain = name.casefold().removesuffix("()")
        call = next((call for need, call, names in _OTHERWISE
                     if plain in names and need in own), None)  # fmt: skip
        near = difflib.get_close_matches(name, own, n=1)
        hint = f" Call {call}." if call else f" Did you mean {near[0]!r}?" if near else ""
    raise AttributeError(f"{kind.__name__} has no attribute {name!r}.{hint}", name=name)


# What users of other packages ask an object for, and what it has in place of it.
# Each with the method that an object must have for it.
_OTHERWISE = (
    ("to_frame", "to_frame(), or to_frame('polars')", (
        "to_pandas", "to_polars", "to_df", "to_dataframe", "df", "frame", "dataframe", "columns",
    )),
    ("to_frame", "to_frame('pandas').to_csv(path)", ("to_csv", "csv")),
    ("to_frame", "to_frame('pandas').to_excel(path)", ("to_excel", "excel")),
    ("to_json", "to_json()", ("to_dict", "json", "asdict")),
    ("save", "save('board.json')", ("to_json", "to_dict", "json", "write", "export", "dump")),
    ("save", "save('board.json'), and then: rankbars show board.json --format latex", (
        "to_latex", "latex", "tex",
    )),
    ("to_markdown", "to_markdown()", ("to_md", "markdown", "to_string")),
    ("to_text", "to_text()", ("summary", "show", "report", "describe", "display", "print")),
    ("plot", "plot()", ("draw", "figure", "to_png", "savefig", "plot_ranks", "to_svg")),
    ("main", "main.p_value", ("p_value", "pvalue", "p", "pval")),
    ("main", "main.difference", ("difference", "diff", "effect", "estimate")),
    ("top", "top(k)", ("head", "best", "leaders", "first")),
    ("select", "select(models=..., tasks=...)", ("filter", "query", "loc", "subset", "drop")),
)  # fmt: skip


def _explaining_call(method: Callable[..., R]) -> Callable[..., R]:
    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> R:
        try:
            return method(*args, **kwargs)
        except TypeError as error:
            trace = error.__traceback__
            if trace is not None and trace.tb_next is not None:
                raise
            wrong = _wrong_call(method, args, kwargs)
            if wrong is None:
                raise
        raise OptionError(wrong)

    return call


def _wrong_kind(
    function: Callable[..., object],
    args: Sequence[object],
    kwargs: Mapping[str, object],
    *,
    plain: bool = False,
) -> str | None:
    """Which argument is of a kind that the function does not take; None if all may be right.

    Of the `plain` ones only, where this is asked for.
    """
    for name, written in function.__annotations__.items():
        given = kwargs[name] if name in kwargs else _given_by_place(function, name, args)
        if given is _NOTHING or name == "return":
            continue
        hint = _hint(function, name)
        if (plain and not _is_plain(hint)) or _fits(given, hint):
            continue
        remedy = _REMEDIES.get(written, "")
        if remedy and hasattr(given, "columns"):
            remedy += (
                " Of a data frame: rb.leaderboard(frame), or step by step from "
                "rb.Scores.from_frame(frame)."
            )
        return f"{name} of {function.__name__}() must be {written}; got {_shown(given)}.{remedy}"
    return None


def _shown(given: object) -> str:
    """A value as it is typed, where it is short; of others what they are."""
    if isinstance(given, (str, int, float, type(None))):
        return repr(given)
    text = repr(given) if isinstance(given, (list, tuple, dict, set, os.PathLike)) else ""
    if text and len(text) <= _LONGEST_SHOWN and "\n" not in text:
        return text
    return type(given).__name__


_LONGEST_SHOWN = 80


_NOTHING = object()


def _given_by_place(function: Callable[..., object], name: str, args: Sequence[object]) -> object:
    code = function.__code__
    places = code.co_varnames[: code.co_argcount]
    place = places.index(name) if name in places else len(args)
    return args[place] if place < len(args) else _NOTHING


@cache
def _hint(function: Callable[..., object], name: str) -> Any:
    """What an argument is annotated with; anything, where that is there for type checkers only."""
    from types import SimpleNamespace
    from typing import get_type_hints

    one = SimpleNamespace(__annotations__={name: function.__annotations__[name]})
    with suppress(NameError):
        return get_type_hints(one, function.__globals__)[name]
    return object


def _is_plain(hint: Any) -> bool:
    """Whether only texts, numbers, switches or None are meant."""
    parts = get_args(hint)
    if get_origin(hint) in (Union, UnionType):
        return all(map(_is_plain, parts))
    return get_origin(hint) is Literal or hint in (bool, int, float, str, None, NoneType)


def _fits(given: object, hint: Any) -> bool:
    """Whether a value may be what an annotation says; what is not known fits."""
    kind, parts = get_origin(hint) or hint, get_args(hint)
    if kind in (Union, UnionType):
        return any(_fits(given, part) for part in parts)
    if kind in (None, NoneType):
        return given is None
    if kind is Literal:
        return isinstance(given, str)  # its function knows which, and says so
    if kind is bool:
        return isinstance(given, bool) or type(given).__name__ == "bool_"  # NumPy's
    if kind in (float, int):
        number = Real if kind is float else Integral
        return isinstance(given, number) and not isinstance(given, bool)
    if not isinstance(kind, type) or kind is object:
        return callable(given) if kind is Callable else True
    return _holds(given, kind, parts)


def _holds(given: object, kind: type, parts: Sequence[Any]) -> bool:
    """Whether a value is of a type, and what it holds of those that are declared."""
    if getattr(kind, "_is_protocol", False):
        return all(hasattr(given, name) for name in vars(kind) if not name.startswith("_"))
    if isinstance(given, bytes) or not isinstance(given, kind):
        return False  # bytes are a sequence of numbers to Python
    if isinstance(given, Mapping) and len(parts) == 2:
        return all(_fits(k, parts[0]) and _fits(v, parts[1]) for k, v in given.items())
    if isinstance(given, (list, tuple)) and parts:
        return all(_fits(one, parts[0]) for one in given)
    return True


def _wrong_call(
    function: Callable[..., object], args: Sequence[object], kwargs: Mapping[str, object]
) -> str | None:
    """What does not fit about a call; None if that cannot be told."""
    known = dict(signature(function).parameters)
    name = getattr(function, "__name__", "function")
    method = next(iter(known), "") in ("self", "cls")
    if method:
        del known[next(iter(known))]
        args = args[1:]
    for given in kwargs:
        if given not in known or known[given].kind is Parameter.VAR_POSITIONAL:
            return f"{name}() has no argument {given!r}{_instead(given, known, method=method)}"
    placed = [one.name for one in known.values() if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
    if len(args) > len(placed):
        return (
            f"{name}({', '.join(placed)}) takes {len(placed)} values by position; got {len(args)}, "
            f"the first too many of them {args[len(placed)]!r}. Name the options: "
            f"{', '.join(one for one in known if one not in placed)}."
        )
    given_already = {*placed[: len(args)]}
    for one in kwargs:
        if one in given_already:
            return f"{name}() got {one!r} twice, by position and by name. Give it once."
    lacking = [
        one.name
        for one in known.values()
        if one.default is Parameter.empty
        and one.kind is not Parameter.VAR_POSITIONAL
        and one.name not in given_already | set(kwargs)
    ]
    if lacking:
        return f"{name}({', '.join(placed)}) needs {' and '.join(lacking)}; nothing was given."
    return None


def _instead(given: str, known: Collection[str], *, method: bool) -> str:
    for says, names in () if method else _ELSEWHERE.items():
        option = says.partition("=")[0]
        if given in names and (option in known or " " in option):
            return f": {says}. Known: {', '.join(known)}."
    near = difflib.get_close_matches(given, list(known), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f".{hint} Known: {', '.join(known)}."


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
        raise OptionError(f"{what} must be a mapping from {of}; got {_shown(given)}.")
    return given

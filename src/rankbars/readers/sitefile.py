"""The configuration of a public leaderboard: one YAML file, every key checked."""

from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Callable, Collection, Mapping
from inspect import signature
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar, cast

from rankbars.data.about import About
from rankbars.data.siteplan import ROLES, BoardChoice, Metric, SitePlan, Theme
from rankbars.data.spec import MISSING_ITEMS, MISSING_POLICIES, MISSING_TASKS, Spec
from rankbars.errors import OptionError, RankbarsError, ReadError
from rankbars.readers.delimitedtext import read_cells
from rankbars.readers.openedfiles import parse_yaml, read_utf8

__all__ = ["read_site", "reading_kinds"]

T = TypeVar("T")

_ABOUT = ("title", "description", "source", "date", "link")
_KEYS = (
    *_ABOUT, "version", "address", "about", "results", "reading", "metrics", "ranking", "level",
    "together", "gaps", "weights", "categories", "boards", "models", "aliases", "retired",
    "history", "theme",
)  # fmt: skip
_BOARD_KEYS = ("name", "description", "tasks", "models", "where", "per", "except")
_MEANT = dict.fromkeys(  # some are nearest to ``source`` by their letters
    ("sources", "store", "stores", "data", "file", "files", "input", "inputs", "path"), "results"
)
_SHAPE = "The least that it must say is: title: My leaderboard, and results: results.csv."
_COLOR = re.compile(r"#[0-9a-fA-F]{6}")
_LEAST_CONTRAST = 3.0  # of graphics against what is behind them, by WCAG
_ADDRESS = "an address that begins with https:// or http://, without spaces and quotes"
_PICTURES = (".svg", ".png", ".jpg", ".jpeg", ".webp")
_LARGEST_PICTURE = 200_000
# What the verb sets by itself, or what is no way to read.
_NOT_READING = ("paths", "progress", "metric", "models", "n_jobs", "by_reference", "beside")


def read_site(path: str | os.PathLike[str]) -> SitePlan:
    """What the configuration of a site says.

    Parameters
    ----------
    path : path
        YAML; `docs/site.md` has all keys.

    Raises
    ------
    ReadError
        If the file, or one that it names, cannot be read or says something else; names the key,
        what was found, and what is allowed.
    """
    whole = _Part(path, "", _load(Path(path)), _KEYS)
    for key in ("title", "results"):
        if not whole.values.get(key):
            raise ReadError.at(path, f"there is no {key} in it. {_SHAPE}")
    alpha, gaps = _level(whole), _gaps(whole)
    ranking = whole.part("ranking", tuple(Spec().to_dict()))
    for given, key in ((alpha, "alpha"), (gaps, "missing")):
        if given and any(one in ranking.values for one in given):
            other = "level" if key == "alpha" else "gaps"
            raise ReadError.at(path, f"{other} and ranking.{key} say the same; keep one of them.")
    spec = whole.checked("ranking", lambda: Spec.from_dict({**ranking.values, **alpha, **gaps}))
    history, replay = _history(whole)
    retired = whole.part("retired", ("models", "tasks"))
    return SitePlan(
        path=str(path),
        about=whole.checked("", lambda: About(**{key: whole.text(key) or None for key in _ABOUT})),
        results=tuple(whole.beside(one) for one in whole.texts("results")),
        version=whole.text("version"),
        address=_address(whole),
        words=whole.text("about"),
        reading=_reading(whole),
        metrics=_metrics(whole),
        ranking=spec,
        weights={
            name: whole.number(f"weights of {name!r}", value, 0.0)
            for name, value in whole.pairs("weights").items()
        },
        categories=whole.pairs("categories"),
        boards=_boards(whole),
        together=whole.switch("together"),
        facts=_facts(whole),
        aliases=_aliases(whole),
        retired_models=retired.pairs("models"),
        retired_tasks=retired.pairs("tasks"),
        history=history,
        replay=replay,
        theme=_theme(whole),
    )


class _Part:
    """A mapping of the file, whose keys are known; errors name the place of a value."""

    def __init__(
        self, path: object, place: str, values: object, known: Collection[str] = ()
    ) -> None:
        self.path, self.place = Path(str(path)), place
        if not isinstance(values, Mapping):
            what = f"{place} must be keys with values" if place else "it must be keys with values"
            raise ReadError.at(path, f"{what}; found {values!r:.80}. {'' if place else _SHAPE}")
        for key in values if known else ():
            if key not in known:
                meant = [one for one in (_MEANT.get(str(key)),) if one in known]
                near = meant or difflib.get_close_matches(str(key), known, n=1)
                hint = f" Did you mean {near[0]}?" if near else ""
                raise ReadError.at(
                    path, f"unknown key {self.named(key)}.{hint} Known: {', '.join(known)}."
                )
        self.values: Mapping[str, Any] = values

    def named(self, key: object) -> str:
        return f"{self.place}.{key}" if self.place else str(key)

    def wrong(self, key: str, found: object, allowed: str) -> ReadError:
        return ReadError.at(self.path, f"{self.named(key)} is {found!r:.80}; allowed: {allowed}.")

    def part(self, key: str, known: Collection[str] = ()) -> _Part:
        given = self.values.get(key)
        return _Part(self.path, self.named(key), {} if given is None else given, known)

    def checked(self, key: str, make: Callable[[], T]) -> T:
        """What `make` makes; its errors name the key."""
        try:
            return make()
        except RankbarsError as error:
            if isinstance(error, ReadError):
                raise
            raise ReadError.at(self.path, f"{self.named(key)}: {error}".lstrip(": ")) from error

    def text(self, key: str) -> str:
        given = self.values.get(key)
        if given is None:
            return ""
        if isinstance(given, (Mapping, list)):
            raise self.wrong(key, given, "text")
        return _word(given)

    def texts(self, key: str) -> tuple[str, ...]:
        given = self.values.get(key)
        listed = [] if given is None else given if isinstance(given, list) else [given]
        if any(isinstance(one, (Mapping, list)) or one is None for one in listed):
            raise self.wrong(key, given, "a name, or a list of names")
        return tuple(_word(one) for one in listed)

    def number(self, key: str, given: object, least: float) -> float:
        try:
            value = float(str(given))
        except ValueError:
            value = math.nan
        if isinstance(given, bool) or not (math.isfinite(value) and value >= least):
            raise self.wrong(key, given, f"a number, {least:g} or more")
        return value

    def switch(self, key: str) -> bool:
        given = self.values.get(key)
        if not (given is None or isinstance(given, bool)):
            raise self.wrong(key, given, "true or false")
        return bool(given)

    def beside(self, given: str) -> str:
        """A path as seen from the file that names it; addresses stay as they are."""
        return given if "://" in given else str(self.path.parent / given)

    def pairs(self, key: str) -> dict[str, str]:
        """Texts by name: written here, or in a file of two columns."""
        given = self.values.get(key)
        if given is None:
            return {}
        if isinstance(given, str):
            rows = _table(self.beside(given))
            if any(len(row) != 2 for row in rows):
                raise self.wrong(key, given, "a table of two columns with a header")
            return {str(first): second for first, second in map(dict.values, rows)}
        if not isinstance(given, Mapping):
            raise self.wrong(key, given, "names with values, or the name of a CSV file")
        for name, value in given.items():
            if isinstance(value, (Mapping, list)) or value is None:
                raise self.wrong(f"{key}.{name}", value, "one value")
        return {_word(name): _word(value) for name, value in given.items()}


def _word(value: object) -> str:
    """A value as it is written in YAML."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _load(path: Path) -> Any:
    """What a YAML file holds."""
    return parse_yaml(path, read_utf8(path))


def _table(path: str) -> list[dict[str, str]]:
    """Rows of a CSV or TSV file with a header."""
    cells, _ = read_cells(path, read_utf8(path))
    # Rows are counted as lines of the file, of which a cell may have several.
    counts = [1 + sum(cell.count("\n") for cell in row) for row in cells]
    begins = accumulate(counts, initial=1)
    lines = [(number, row) for number, row in zip(begins, cells, strict=False) if any(row)]
    if len(lines) < 2:
        raise ReadError.at(path, "there are no rows in it; a header and rows were expected.")
    header = lines[0][1]
    if len(set(header)) < len(header):
        raise ReadError.at(path, f"two columns have the same name: {', '.join(header)}.")
    rows = []
    for number, row in lines[1:]:
        if len(row) != len(header):
            raise ReadError.at(
                path, f"{len(row)} cells where the header has {len(header)}.", row=number
            )
        rows.append(dict(zip(header, row, strict=True)))
    first = [row[header[0]] for row in rows]
    twice = (
        next((name for name in first if first.count(name) > 1), None)
        if len(set(first)) < len(first)
        else None
    )
    if twice is not None:
        raise ReadError.at(path, f"{twice!r} stands there twice; keep one row for it.")
    return rows


def _level(whole: _Part) -> dict[str, float]:
    given = whole.values.get("level")
    if given is None:
        return {}
    if isinstance(given, bool) or not isinstance(given, (int, float)) or not 0.5 <= given < 1:
        raise whole.wrong("level", given, "a number from 0.5 to below 1, such as 0.95")
    return {"alpha": round(1.0 - given, 12)}


def _gaps(whole: _Part) -> dict[str, str]:
    given = whole.values.get("gaps")
    if given is None:
        return {}
    if isinstance(given, str):
        if given not in MISSING_POLICIES:
            raise whole.wrong("gaps", given, ", ".join(MISSING_POLICIES))
        return {"missing": given}
    part = whole.part("gaps", ("tasks", "items"))
    found = {}
    for key, known in (("tasks", MISSING_TASKS), ("items", MISSING_ITEMS)):
        if part.text(key):
            if part.text(key) not in known:
                raise part.wrong(key, part.text(key), ", ".join(known))
            found[f"missing_{key}"] = part.text(key)
    return found


def reading_kinds() -> dict[str, str]:
    """The keys of ``reading``, each with what it is."""
    from rankbars.readers import read

    return {
        name: str(one.annotation).removesuffix(" | None")
        for name, one in signature(read).parameters.items()
        if name not in _NOT_READING
    }


def _reading(whole: _Part) -> dict[str, Any]:
    kinds = reading_kinds()
    part = whole.part("reading", kinds)
    for key, value in part.values.items():
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if kinds[key] in ("int", "float") and not is_number:
            raise part.wrong(key, value, "a number")
        if kinds[key] == "bool" and not isinstance(value, bool):
            raise part.wrong(key, value, "true or false")
        if kinds[key] not in ("int", "float", "bool") and not (
            isinstance(value, (str, list, Mapping)) or (is_number and "int" in kinds[key])
        ):
            raise part.wrong(key, value, "a name, a list of names, or names with names")
    return dict(part.values)


def _metrics(whole: _Part) -> tuple[Metric, ...]:
    given = whole.values.get("metrics")
    if given is None:
        return (Metric(),)
    found = []
    for number, one in enumerate(given if isinstance(given, list) else [given], start=1):
        place = f"metrics[{number}]"
        values = {"name": one} if isinstance(one, str) else one
        part = _Part(whole.path, place, values, ("name", "role", "direction", "title"))
        role, side = part.text("role") or "rank", part.text("direction") or None
        if role not in ROLES:
            raise part.wrong("role", role, ", ".join(ROLES))
        if side not in (None, "higher", "lower"):
            raise part.wrong("direction", side, "higher, lower")
        if not part.text("name"):
            raise ReadError.at(whole.path, f"{place} has no name.")
        if role == "cost":
            side = side or "lower"
        name = part.text("name")
        found.append(Metric(name, cast(Any, role), cast(Any, side), part.text("title") or name))
    names = [one.name for one in found]
    if len(set(names)) < len(names):
        raise whole.wrong("metrics", names, "each metric once")
    if not any(one.role == "rank" for one in found):
        raise whole.wrong("metrics", names, "at least one with role: rank")
    return tuple(sorted(found, key=lambda one: ROLES.index(one.role)))


def _boards(whole: _Part) -> tuple[BoardChoice, ...]:
    given = whole.values.get("boards")
    if given is None:
        return ()
    if not isinstance(given, list):
        raise whole.wrong("boards", given, "a list of boards, each with a name or with per")
    found = []
    for number, one in enumerate(given, start=1):
        part = _Part(whole.path, f"boards[{number}]", one, _BOARD_KEYS)
        where = part.part("where")
        choice = BoardChoice(
            part.text("name"), part.texts("tasks"), part.texts("models"),
            {str(key): where.texts(key) for key in where.values}, part.text("per"),
            part.texts("except"), part.text("description"),
        )  # fmt: skip
        if not choice.per and not choice.name:
            raise ReadError.at(whole.path, f"{part.place} has no name.")
        if not (choice.per or choice.tasks or choice.models or choice.where):
            raise ReadError.at(
                whole.path, f"{part.place} chooses nothing. Add tasks, models, where or per."
            )
        if choice.leave_out and not choice.per:
            raise ReadError.at(whole.path, f"{part.place}.except goes with per; {part.place} has "
                               "none.")  # fmt: skip
        found.append(choice)
    return tuple(found)


def _aliases(whole: _Part) -> dict[str, str]:
    found = whole.pairs("aliases")
    for old, new in found.items():
        if not new or new != new.strip():
            raise whole.wrong(f"aliases.{old}", new, "a name, without spaces around it")
    return found


def _facts(whole: _Part) -> dict[str, dict[str, str]]:
    given = whole.values.get("models")
    if isinstance(given, str):
        place = whole.beside(given)
        if Path(place).suffix.lower() in (".yaml", ".yml"):
            part = _Part(place, "", _load(Path(place)))
        else:
            rows = _table(place)
            column = "model" if "model" in rows[0] else next(iter(rows[0]))
            return {
                row[column]: {key: cell for key, cell in row.items() if key != column and cell}
                for row in rows
            }
    else:
        part = whole.part("models")
        for name, value in part.values.items():
            if isinstance(value, str):
                raise part.wrong(str(name), value, "attributes with values")
    return {str(name): part.pairs(name) for name in part.values}


def _history(whole: _Part) -> tuple[tuple[str, ...], bool]:
    """Files of earlier boards, oldest name first, and whether the history is replayed."""
    given = whole.values.get("history")
    if given == "replay":
        return (), True
    found: list[str] = []
    for one in whole.texts("history"):
        place = Path(whole.beside(one))
        fitting = (
            sorted([*place.glob("*.json"), *place.glob("*.json.gz")])
            if place.is_dir()
            else sorted(place.parent.glob(place.name))
        )
        if not fitting:
            raise whole.wrong(
                "history", one, "board files, patterns such as boards/*.json, folders of board "
                "files, or the word replay"
            )  # fmt: skip
        found += map(str, fitting)
    return tuple(dict.fromkeys(found)), False


def _address(whole: _Part) -> str:
    given = whole.text("address")
    try:
        About(link=given)
    except OptionError as error:
        raise whole.wrong("address", given, _ADDRESS) from error
    if "?" in given or "#" in given:
        raise whole.wrong("address", given, f"{_ADDRESS}, of a folder: without ? and #")
    return given.rstrip("/") + "/" if given else ""


def _theme(whole: _Part) -> Theme:
    part = whole.part("theme", ("logo", "colors"))
    colors = part.texts("colors")
    if len(colors) > 2:
        raise part.wrong("colors", list(colors), "two colours, such as ['#1f5f9e', '#a8541c']")
    for color in colors:
        if not _COLOR.fullmatch(color):
            raise part.wrong("colors", color, "colours such as '#1f5f9e', in quotes")
        if (contrast := 1.05 / (_luminance(color) + 0.05)) < _LEAST_CONTRAST:
            raise part.wrong(
                "colors", color, f"colours that can be seen on white: a contrast of "
                f"{_LEAST_CONTRAST:g} or more, and this one has {contrast:.1f}"
            )  # fmt: skip
    logo = Path(part.beside(part.text("logo"))) if part.text("logo") else None
    if logo is not None:
        if logo.suffix.lower() not in _PICTURES:
            raise part.wrong("logo", str(logo), f"a picture ({', '.join(_PICTURES)})")
        if not logo.is_file():
            raise part.wrong("logo", str(logo), "a file that exists")
        if logo.stat().st_size > _LARGEST_PICTURE:
            raise part.wrong("logo", str(logo), f"a picture of {_LARGEST_PICTURE:,} bytes at most")
    return Theme(logo, colors)


def _luminance(color: str) -> float:
    """Relative luminance of ``#rrggbb``, as WCAG defines it."""
    parts = [int(color[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

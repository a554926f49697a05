"""Maps: where records lie in JSON of a tool that is not known, as paths by role."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from rankbars.errors import OptionError, one_of

__all__ = ["MAP_ROLES", "MAP_TOKEN", "parse_map"]

# What a map of JSON gives the paths of, and the steps of a path.
MAP_ROLES = (
    "model", "task", "item", "trial", "score", "n", "c", "error", "cost", "seconds", "time",
)  # fmt: skip
MAP_TOKEN = re.compile(r"\[\]|\.?\*|\.?[^.\[\]*]+")


def parse_map(given: str | Mapping[str, str] | None) -> dict[str, str]:
    """Paths by role, from a mapping, from ``role=path,role=path``, or from a YAML file.

    Raises
    ------
    OptionError
        If a role is not known or stands twice, a path cannot be read, or there is no score.

    Examples
    --------
    >>> parse_map("model=config.model,item=task_id,score=reward.r")["item"]
    'task_id'
    """
    if not given:
        return {}
    if isinstance(given, str):
        place = Path(given)
        if place.suffix.lower() in (".yaml", ".yml") and "=" not in given:
            return parse_map(_load(place))
        pairs = [part.partition("=")[::2] for part in given.split(",")]
        if len({role.strip() for role, _ in pairs}) < len(pairs):
            raise OptionError(f"A role stands twice in the map {given!r}.")
        given = dict(pairs)
    found: dict[str, str] = {}
    for role, path in given.items():
        one_of("role of a map", str(role).strip(), MAP_ROLES)
        text = str(path).strip()
        if not text or "".join(MAP_TOKEN.findall(text)) != text:
            raise OptionError(
                f"The map says {role}={path}, which is no path. Expected keys with dots between "
                "them, such as config.model, results[].score or tasks.*.score."
            )
        found[str(role).strip()] = text
    if "score" not in found and not {"n", "c"} <= set(found):
        raise OptionError(
            "The map names no score: add score=PATH, or n=PATH,c=PATH for counts of answers and "
            "of right ones."
        )
    return found


def _load(place: Path) -> dict[str, str]:
    import yaml

    try:
        found = yaml.safe_load(place.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise OptionError(f"The map {place} cannot be read ({str(error)[:100]}).") from error
    found = found.get("map", found) if isinstance(found, dict) else found
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise OptionError(f"The map {place} must hold one line per role, such as score: reward.r.")
    return {str(role): path for role, path in found.items()}

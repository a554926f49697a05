"""YAML that people write about results: configurations, claims."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rankbars.errors import ReadError

__all__ = ["parse_yaml", "read_utf8"]


def read_utf8(path: str | os.PathLike[str]) -> str:
    """The text of a file; raises `ReadError` if it cannot be read, or is not UTF-8."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ReadError(f"Cannot read {path}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise ReadError.at(path, "it is not UTF-8 text. Save it as UTF-8.") from error


def parse_yaml(path: str | os.PathLike[str], text: str, hint: str = "") -> Any:
    """What the text of a YAML file holds: plain values; a key that stands there twice is refused.

    Parameters
    ----------
    path : path
        The file, for messages.
    text : str
        What stands in it.
    hint : str
        Said where it is no YAML.

    Raises
    ------
    ReadError
        If it is no YAML, or a mapping has a key twice.

    Examples
    --------
    >>> parse_yaml("site.yaml", "title: Leaderboard")
    {'title': 'Leaderboard'}
    """
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    def once(loader: Loader, node: yaml.MappingNode) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                continue  # no key of anything here, which the loader says
            if key.value in seen:
                line = key.start_mark.line + 1
                raise ReadError.at(path, f"the key {key.value!r} stands there twice (line {line}).")
            seen.add(key.value)
        return loader.construct_mapping(node, deep=True)

    Loader.add_constructor("tag:yaml.org,2002:map", once)
    try:
        return yaml.load(text, Loader=Loader)  # noqa: S506 (a SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        place = " ".join(str(error).split())
        raise ReadError.at(path, f"it does not hold valid YAML ({place}).{hint}") from error

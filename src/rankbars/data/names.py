"""Names of models: each once."""

from __future__ import annotations

from rankbars.errors import DataError

__all__ = ["check_models"]


def check_models(models: tuple[str, ...]) -> tuple[str, ...]:
    """The names as a tuple; raises `DataError` if one is repeated or there is none."""
    names = tuple(models)
    if not names:
        raise DataError("At least one model is needed; found none.")
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"Model {twice!r} is named twice; each model needs a name of its own.")
    return names

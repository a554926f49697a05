"""Optional packages, imported when they are needed and named when they are not there."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from rankbars.errors import MissingPackageError

__all__ = ["import_arviz", "import_numpyro"]


def import_numpyro(purpose: str) -> ModuleType:
    """The package numpyro.

    Raises
    ------
    MissingPackageError
        If it is not installed; names the extra.
    """
    return _import("numpyro", purpose, '"rankbars[bayes]"')


def import_arviz(purpose: str) -> ModuleType:
    """The package arviz_base.

    Raises
    ------
    MissingPackageError
        If it is not installed; names the extra.
    """
    return _import("arviz_base", purpose, '"rankbars[arviz]"')


def _import(package: str, purpose: str, install: str) -> ModuleType:
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        raise MissingPackageError.for_extra(package, purpose, install) from error

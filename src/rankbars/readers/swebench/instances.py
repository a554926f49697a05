"""Instances of the SWE-bench family: their names, repositories, and the splits they form."""

from __future__ import annotations

import re
from collections.abc import Collection, Set

__all__ = ["SPLITS", "is_instance", "name_split", "repository_of"]

_CLASSIC = re.compile(r"(?P<owner>[\w.-]+?)__(?P<name>[\w.-]+)-\d+")
_PRO = re.compile(r"instance_(?P<owner>[\w.-]+?)__(?P<name>[\w.-]+?)-[0-9a-f]{30,}(-v\w+)?")
_MULTI = re.compile(r"(?P<owner>[\w.-]+)/(?P<name>[\w.-]+):pr-\d+")

# Folder of a split in the repository of experiments → name and number of instances.
SPLITS = {
    "verified": ("SWE-bench Verified", 500),
    "lite": ("SWE-bench Lite", 300),
    "test": ("SWE-bench", 2294),
    "multilingual": ("SWE-bench Multilingual", 300),
}

PYTHON_REPOSITORIES = frozenset({
    "astropy/astropy", "django/django", "matplotlib/matplotlib", "mwaskom/seaborn",
    "pallets/flask", "psf/requests", "pydata/xarray", "pylint-dev/pylint",
    "pytest-dev/pytest", "scikit-learn/scikit-learn", "sphinx-doc/sphinx", "sympy/sympy",
})  # fmt: skip


def is_instance(name: str) -> bool:
    """Whether the name is that of an instance.

    Examples
    --------
    >>> is_instance("django__django-11099"), is_instance("resolved_ids")
    (True, False)
    """
    return any(pattern.fullmatch(name) for pattern in (_PRO, _CLASSIC, _MULTI))


def repository_of(name: str) -> str | None:
    """The repository that an instance is about.

    Examples
    --------
    >>> repository_of("scikit-learn__scikit-learn-13779")
    'scikit-learn/scikit-learn'
    >>> repository_of("instance_NodeBB__NodeBB-445b70deda20201b7d9a68f7224da751b3db728c-vd59a57")
    'NodeBB/NodeBB'
    """
    for pattern in (_PRO, _CLASSIC, _MULTI):
        found = pattern.fullmatch(name)
        if found is not None:
            return f"{found['owner']}/{found['name']}"
    return None


def name_split(ids: Set[str], sizes: Collection[int]) -> str:
    """Name of the split that instances belong to, by their number and repositories.

    Parameters
    ----------
    ids : set of str
        Instances of all reports.
    sizes : collection of int
        Numbers of instances that the reports declare.

    Examples
    --------
    >>> name_split({"django__django-11099"}, [500]), name_split({"a__b-1"}, [7])
    ('SWE-bench Verified', 'SWE-bench')
    """
    if any(_PRO.fullmatch(name) for name in ids):
        return "SWE-bench Pro"
    python = all(repository_of(name) in PYTHON_REPOSITORIES for name in ids)
    most = max((len(ids), *sizes))
    for name, size in SPLITS.values():
        if size == most and python == (name != "SWE-bench Multilingual"):
            return name
    return "SWE-bench"

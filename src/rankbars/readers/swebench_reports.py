"""Reports of the SWE-bench family as they lie: verdicts by instance, whatever their shape."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Set
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile
from rankbars.readers.logs.jsontext import load_json
from rankbars.readers.logs.jsonvalues import (
    as_count,
    as_mapping,
    as_text,
)
from rankbars.readers.logs.records import ERROR, MISSING, SCORED

__all__ = [
    "EXPERIMENT_LISTS", "METADATA", "SPLITS", "UNRESOLVED", "Report", "Verdict", "is_instance",
    "is_list_report", "name_split", "read_instance_report", "read_report", "repository_of",
]  # fmt: skip

RESOLVED, UNRESOLVED = 1.0, 0.0

# Describes the system of an experiment.
METADATA = "metadata.yaml"

# Lists of a run report, the last that names an instance counts: a verdict outdoes an error.
RUN_LISTS = (
    ("incomplete_ids", MISSING, None),
    ("error_ids", ERROR, None),
    ("empty_patch_ids", SCORED, UNRESOLVED),
    ("unresolved_ids", SCORED, UNRESOLVED),
    ("resolved_ids", SCORED, RESOLVED),
)
FAILURES = ("infra_failure_ids", "ambiguous_failure_ids")

# Lists of an experiment. What was generated and stands in none of the others is unresolved.
EXPERIMENT_LISTS = (
    ("generated", SCORED, UNRESOLVED),
    ("no_generation", SCORED, UNRESOLVED),
    ("no_apply", SCORED, UNRESOLVED),
    ("no_logs", ERROR, None),
    ("install_fail", ERROR, None),
    ("reset_failed", ERROR, None),
    ("test_errored", ERROR, None),
    ("test_timeout", ERROR, None),
    ("resolved", SCORED, RESOLVED),
)

# File names that say nothing about the model: its folder does.
COMMON_STEMS = frozenset({"report", "results", "final_report", "eval_results", "output"})
_DATE = re.compile(r"(\d{8})(?=_)")

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


class Verdict(NamedTuple):
    """What became of one instance: a status, and a score if there is one."""

    status: int
    score: float | None


class Report(NamedTuple):
    """Verdicts on one model.

    Parameters
    ----------
    label : str
        File, or folder of files.
    model, run : str
        The model, and the name of the run; empty where there is none.
    verdicts : mapping from str to Verdict
        By instance.
    expected : int or None
        Declared number of instances.
    split : str or None
        Name of the split, where the place of the file says it.
    implicit : int or None
        Number of instances of the split, where those that are not listed are unresolved.
    stamp : float or None
        When the run was made, in seconds.
    remarks : tuple of (str, str)
        Code and text of what is worth a note.
    named_after : str
        What the model's name is taken from: ``"folder"``, ``"file"`` or nothing of the kind.
    amounts : mapping from str to (mapping from str to float)
        What instances cost, by what was spent.
    """

    label: str
    model: str
    run: str
    verdicts: Mapping[str, Verdict]
    expected: int | None = None
    split: str | None = None
    implicit: int | None = None
    stamp: float | None = None
    remarks: tuple[tuple[str, str], ...] = ()
    named_after: str = ""
    amounts: Mapping[str, Mapping[str, float]] = MappingProxyType({})


def is_list_report(keys: frozenset[str]) -> bool:
    """Whether an object with these keys lists instances by what became of them."""
    run = "resolved_ids" in keys and bool(keys & {"total_instances", "submitted_ids"})
    return run or {"resolved", "no_generation"} <= keys


def read_report(file: InputFile) -> Report:
    """A report on one model: a run report, an experiment, or one verdict per instance.

    Raises
    ------
    ReadError
        If the file is damaged, or holds anything else.
    """
    content = load_json(file)
    if "resolved_ids" in content:
        return _run_report(file, content)
    if isinstance(content.get("resolved"), list):
        return _experiment(file, content)
    verdicts = {name: _verdict(file, name, value) for name, value in content.items()}
    model = file.path.resolve().parent.name or "model"
    return Report(file.label, model, "", verdicts, named_after="folder")


def read_instance_report(file: InputFile) -> tuple[str, Verdict]:
    """The instance and its verdict; a report that is empty or broken is an error of the run."""
    name = file.path.resolve().parent.name
    try:
        content = load_json(file)
    except ReadError:
        return name, Verdict(ERROR, None)
    known = [key for key in content if is_instance(key)]
    if not known:
        return name, Verdict(ERROR, None)
    return known[0], _verdict(file, known[0], content[known[0]])


def _run_report(file: InputFile, content: Mapping[str, Any]) -> Report:
    verdicts: dict[str, Verdict] = {}
    for key, status, score in RUN_LISTS:
        verdicts |= dict.fromkeys(_ids(file, content, key), Verdict(status, score))
    for name in _ids(file, content, "completed_ids"):
        # Reports of old versions list only what was completed and what was resolved.
        if name not in verdicts:
            verdicts[name] = Verdict(SCORED, UNRESOLVED)
    if not verdicts:
        raise ReadError.at(file.label, "the run report names no instance.")
    model, run, named_after = _split_name(file)
    remarks = []
    failed = {name for key in FAILURES for name in _ids(file, content, key)}
    if failed:
        remarks.append((
            "infra-failures",
            f"{len(failed)} instances are marked as failures of the infrastructure or as "
            "ambiguous; they keep their verdict.",
        ))  # fmt: skip
    both = {*_ids(file, content, "resolved_ids")} & {*_ids(file, content, "unresolved_ids")}
    if both:
        remarks.append((
            "two-verdicts",
            f"{len(both)} instances are listed both as resolved and as unresolved, such as "
            f"{min(both)!r}; they count as resolved. Correct the report.",
        ))  # fmt: skip
    return Report(
        file.label, model, run, verdicts,
        expected=as_count(content.get("total_instances")),
        remarks=tuple(remarks),
        named_after=named_after,
    )  # fmt: skip


def _split_name(file: InputFile) -> tuple[str, str, str]:
    """Model and run in the name of a run report, ``MODEL.RUN.json``, and where they are from."""
    stem = file.path.name
    while stem.lower().endswith((".json", ".gz", ".bz2", ".xz", ".zst")):
        stem = stem.rpartition(".")[0]
    model, dot, run = stem.rpartition(".")
    if not dot and stem.casefold() in COMMON_STEMS:
        model = file.path.resolve().parent.name or stem
        return model, "", "folder"
    return (model, run, "file") if dot and model else (stem, "", "file")


def _experiment(file: InputFile, content: Mapping[str, Any]) -> Report:
    verdicts: dict[str, Verdict] = {}
    for key, status, score in EXPERIMENT_LISTS:
        verdicts |= dict.fromkeys(_ids(file, content, key), Verdict(status, score))
    path = file.path.resolve()
    folder = path.parent.parent if path.parent.name == "results" else path.parent
    split = SPLITS.get(folder.parent.name)
    date = _DATE.match(folder.name)
    return Report(
        file.label,
        _name_of_system(folder) or folder.name or "model",
        folder.name,
        verdicts,
        split=split[0] if split is not None else None,
        # Where all that was generated is listed, there is nothing to fill in.
        implicit=-1 if split is None else split[1],
        expected=len(verdicts) if "generated" in content else None,
        stamp=None if date is None else _day(date[1]),
    )


def _name_of_system(folder: Path) -> str | None:
    """The name in ``metadata.yaml`` beside the results, if there is one."""
    path = folder / METADATA
    if not path.is_file() or path.stat().st_size > 1 << 20:
        return None
    import yaml

    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8", errors="replace"))
    except (yaml.YAMLError, OSError, ValueError, RecursionError):
        return None
    about = as_mapping(content)
    return as_text(about.get("name")) or as_text(as_mapping(about.get("info")).get("name"))


def _verdict(file: InputFile, name: str, value: object) -> Verdict:
    about = as_mapping(value)
    resolved = about.get("resolved") if about else value
    if isinstance(resolved, bool):
        return Verdict(SCORED, RESOLVED if resolved else UNRESOLVED)
    if resolved is None:
        # Nothing was said, or the run of the tests did not come to a verdict.
        return Verdict(ERROR if about else MISSING, None)
    raise ReadError.at(
        file.label, f"the verdict on {name!r} is {str(resolved)[:40]!r}; expected true or false."
    )


def _ids(file: InputFile, content: Mapping[str, Any], key: str) -> Iterator[str]:
    given = content.get(key)
    if given is None:
        return
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise ReadError.at(file.label, f"{key} is no list of instances.")
    yield from given


def _day(digits: str) -> float | None:
    try:
        return datetime.strptime(digits, "%Y%m%d").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None


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

"""Reports of the SWE-bench family as runs: one task per split, whatever shape tells of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.logs.records import SCORED, Measure, Rows, Run
from rankbars.readers.swebench.instances import SPLITS, name_split, repository_of
from rankbars.readers.swebench.reports import UNRESOLVED, Report, Verdict

__all__ = ["make_runs"]

# Two reports are about one split if they share this part of the smaller one.
SHARED_PART = 0.5


@dataclass(slots=True)
class _Split:
    """Reports about one split."""

    reports: list[Report]
    ids: set[str] = field(default_factory=set)
    name: str | None = None


def make_runs(reports: Sequence[Report], listed: Mapping[str, frozenset[str]]) -> list[Run]:
    """One run per report.

    Parameters
    ----------
    reports : sequence of Report
        Verdicts.
    listed : mapping from str to frozenset of str
        Lists of instances that were given beside the reports, by file.

    Raises
    ------
    ReadError
        If it is not known which instances an experiment was about.
    """
    runs = []
    for split, name in _name_splits(_find_splits(reports)):
        notes = _name_notes(split, name)
        # All reports are filled before the first one is made a run: notes grow meanwhile.
        filled = list(_fill(split, listed, notes))
        runs += [_make_run(report, name, notes) for report in filled]
    return runs


def _find_splits(reports: Sequence[Report]) -> list[_Split]:
    """Reports by split: by the name of their folder, else by the instances they share."""
    found: list[_Split] = []
    named = {report.split: _Split([], name=report.split) for report in reports if report.split}
    for report in sorted(reports, key=lambda one: -len(one.verdicts)):
        own = set(report.verdicts)
        fitting = [named[report.split]] if report.split else [
            split for split in found if _is_same(own, split.ids)
        ]  # fmt: skip
        split = _Split([]) if not fitting else fitting[0]
        for other in fitting[1:]:
            split.reports += other.reports
            split.ids |= other.ids
            found.remove(other)
        if split not in found:
            found.append(split)
        split.reports.append(report)
        split.ids |= own
    return found


def _name_splits(splits: Sequence[_Split]) -> list[tuple[_Split, str]]:
    """Splits with a name for each; two of one name are told apart by their size."""
    names = [
        split.name or name_split(split.ids, [one.expected or 0 for one in split.reports])
        for split in splits
    ]
    return [
        (split, name if names.count(name) == 1 else f"{name} ({len(split.ids)} instances)")
        for split, name in zip(splits, names, strict=True)
    ]


def _is_same(one: set[str], two: set[str]) -> bool:
    return len(one & two) >= SHARED_PART * min(len(one), len(two)) > 0


def _name_notes(split: _Split, name: str) -> list[Note]:
    if split.name is not None or name == "SWE-bench Pro":
        return []
    return [Note(
        "task-name",
        f"The reports do not name their split; {name!r} is taken from the number of instances "
        "and their repositories.",
    )]  # fmt: skip


def _fill(
    split: _Split, listed: Mapping[str, frozenset[str]], notes: list[Note]
) -> Iterator[Report]:
    """Reports with a verdict on each instance, where those not listed are unresolved."""
    open_reports = [one for one in split.reports if one.implicit is not None
                    and one.expected is None]  # fmt: skip
    if not open_reports:
        yield from split.reports
        return
    size = max(one.implicit or 0 for one in open_reports)
    universe = _universe(split, listed, size)
    if universe is None:
        raise ReadError.at(
            open_reports[0].label,
            "it lists what was resolved, not what was tried, and the folder is not that of a "
            f"known split ({', '.join(SPLITS)}). Give a file with all instances beside it: a JSON "
            "list, or one per line.",
        )
    unlisted = len(universe - split.ids)
    notes.append(Note(
        "unlisted",
        f"Experiments list what was resolved; of the {len(universe)} instances of the split, "
        "those that a system does not list count as unresolved"
        + (f", {unlisted} of them for all systems." if unlisted else "."),
    ))  # fmt: skip
    for report in split.reports:
        if report in open_reports:
            filled = dict.fromkeys(universe, Verdict(SCORED, UNRESOLVED)) | dict(report.verdicts)
            yield report._replace(verdicts=filled, expected=len(filled))
        else:
            yield report


def _universe(
    split: _Split, listed: Mapping[str, frozenset[str]], size: int
) -> frozenset[str] | None:
    """All instances of a split; those that no report names get names of their own."""
    for ids in listed.values():
        if split.ids <= ids:
            return ids
    whole = [frozenset(one.verdicts) for one in split.reports if len(one.verdicts) == size]
    if whole:
        return whole[0]
    if size < len(split.ids):
        return None
    left = size - len(split.ids)
    return frozenset(split.ids) | {f"unlisted {number}" for number in range(1, left + 1)}


def _make_run(report: Report, task: str, notes: Sequence[Note]) -> Run:
    names = tuple(report.verdicts)
    verdicts = report.verdicts.values()
    scores = np.array([np.nan if one.score is None else one.score for one in verdicts])
    own = [Note(code, f"{report.label}: {text}") for code, text in report.remarks]
    return Run(
        report.label,
        report.model,
        task,
        {"resolved": Measure("resolved", scores=scores, limits=(0.0, 1.0))},
        rows=Rows(
            names,
            np.array([one.status for one in verdicts], np.uint8),
            clusters=tuple(repository_of(name) for name in names),
            identity=("instance", "instance"),
        ),
        stamp=report.stamp,
        expected=report.expected,
        notes=(*notes, *own),
    )

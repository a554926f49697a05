"""Submissions to a store: examined, told what they would change, and added."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.boardchange import Finding, Span, Submitted
from rankbars.data.drafts import TemporaryFolder
from rankbars.data.evidence import Estimates, Evidence, Votes
from rankbars.data.notes import list_words
from rankbars.data.scores import Scores
from rankbars.errors import DataError, OptionError, ReadError, WriteError
from rankbars.pipeline import leaderboard
from rankbars.readers.collecting import Collected, collect, put_together
from rankbars.steps.boardchanges import diff, stated_level
from rankbars.steps.newcomers import examine_newcomers
from rankbars.store.access import change_store, open_store
from rankbars.store.holdings import Change, Event, Holdings
from rankbars.store.naming import put_names, scores_of
from rankbars.store.opening import connect, find_rest, is_store, resolve
from rankbars.tables.database import Engine

if TYPE_CHECKING:
    from rankbars.data.notes import NameFact, NameKind
    from rankbars.data.spec import Spec
    from rankbars.readers.chosenfiles import Paths
    from rankbars.store.contents import Store

__all__ = ["submit"]

_MOST = 5  # files in one message


def submit(
    paths: Paths,
    store: str | os.PathLike[str],
    *,
    dry_run: bool = False,
    new_tasks: bool = False,
    new_items: bool = False,
    spec: Spec | None = None,
    by: str = "",
) -> Submitted:
    """Examine results that somebody submits to a store, and add them if they have no fault.

    Parameters
    ----------
    paths : path or sequence of paths
        The results: files, folders, patterns. They are read as the store is.
    store : path
        The store; it must be there.
    dry_run : bool
        Only examine them; the store stays as it is.
    new_tasks, new_items : bool
        Tasks, and items of known tasks, that the store does not have are no fault.
    spec : Spec, optional
        How the boards before and after are made, such as ``board.spec`` of the published one.
    by : str
        Who submits, for the log.

    Returns
    -------
    Submitted
        `ok` says whether it has no fault, `findings` what was found, `ranks` and `change` what it
        changes.

    Raises
    ------
    ReadError
        If there is no store, or it is damaged.
    WriteError
        If the store cannot be written, or somebody else changed it meanwhile.

    Examples
    --------
    >>> import csv, random, rankbars as rb
    >>> def write(model, skill):
    ...     dice = random.Random(model)
    ...     with open(f"{model}.csv", "w", newline="") as file:
    ...         rows = [["task", "item", "correct"]]
    ...         rows += [["law", item, int(dice.random() < skill)] for item in range(90)]
    ...         csv.writer(file).writerows(rows)
    >>> for model, skill in {"ash": 0.5, "birch": 0.7, "cedar": 0.95}.items():
    ...     write(model, skill)
    >>> from rankbars.cli.app import run
    >>> run(["add", "ash.csv", "birch.csv", "--store", "board.duckdb", "-q"])
    0
    >>> found = rb.submit("cedar.csv", "board.duckdb", dry_run=True)
    >>> found.ok, found.added, found.ranks[0]
    (True, False, ('cedar', None, (1, 1)))
    """
    label = os.fspath(store)
    with _copied(label) as opened:
        # The files are seen from where the store lies.
        held = opened.holdings()._replace(folder=resolve(label).parent)
        try:
            with Engine() as engine:
                found = _collect(paths, held, engine)
                change = Change.of(found.files)
            report = _Examination(opened, found, change, label, spec).report(new_tasks, new_items)
        except (ReadError, DataError, OptionError) as error:
            return Submitted(label, findings=(Finding("fault", "unreadable", _as_stored(error)),))
    if dry_run or not report.ok or not report.files:
        return report
    _add(paths, label, held.revision, by)
    return replace(report, added=True)


@contextmanager
def _copied(label: str) -> Iterator[Store]:
    """A copy of a store, to be changed; the store itself stays as it is, whatever happens."""
    place = resolve(label)
    if not is_store(place):
        with open_store(label):  # says what is wrong with it
            raise ReadError.at(label, "it is not a store.")
    with closing(TemporaryFolder()) as folder:
        copy = folder.path / place.name
        with connect(place, label, write=False):  # nobody else changes it meanwhile
            for one in (place, find_rest(place)):
                if one is not None:
                    shutil.copyfile(one, folder.path / one.name)
        try:
            with open_store(copy, write=True) as opened:
                yield opened
        except (ReadError, WriteError) as error:
            raise type(error)(str(error).replace(str(copy), label)) from error


def _collect(paths: Paths, held: Holdings, engine: Engine) -> Collected:
    return collect(paths, held.files, held.options, place_of=held.place_of, engine=engine)


def _add(paths: Paths, store: str, revision: str, by: str) -> None:
    """Add what was examined to the store that it was examined for."""

    def plan(held: Holdings) -> Change:
        if held.revision != revision:
            raise WriteError(
                f"{store}: somebody else has changed the store meanwhile. Submit again; nothing "
                "was added."
            )
        with Engine() as engine:
            return Change.of(_collect(paths, held, engine).files)

    def settle(opened: Store, change: Change) -> list[Event]:
        return opened.apply(change, lambda: scores_of(opened))

    change_store(store, plan, settle, who=by)


@dataclass(frozen=True, slots=True, eq=False)
class _Examination:
    """A submission beside an open store.

    Parameters
    ----------
    store : Store
        A copy of the store, which is changed.
    found : Collected
        What was submitted.
    change : Change
        The change that adds it.
    label : str
        The store, for messages.
    spec : Spec, optional
        How boards are made.
    """

    store: Store
    found: Collected
    change: Change
    label: str
    spec: Spec | None

    def report(self, new_tasks: bool, new_items: bool) -> Submitted:
        """What was found out."""
        files = self.found.files
        if not files:
            same = list_words(self.found.unchanged, _MOST)
            text = f"The store holds these files as they are ({same}): there is nothing to add."
            unchanged = Finding("warning", "unchanged", text)
            return Submitted(self.label, findings=(*self._unread(), unchanged))
        facts, options = self.store.names, self.store.options
        places = {file.place for file in files}
        replaced = [entry.path for entry in self.store.entries if entry.place in places]
        before = scores_of(self.store) if self.store.entries else None
        self.store.apply(self.change)
        every = self.store.files()
        raw = put_together(every, options, {file.path for file in files})
        findings = [*self._unread(), *_retired(raw, facts), *_replacing(replaced)]
        after: Scores | None = None
        try:
            after = put_names(put_together(every, options), facts)
        except DataError as error:
            findings.append(Finding("fault", "does-not-fit", _as_stored(error)))
        own = _scored(_named(raw, facts))
        if own is not None and before is not None:
            own, seen = (_as_arena(scores, after) for scores in (own, before))
            known = _known_names(seen, facts)
            findings += examine_newcomers(
                own, seen, after, known, new_tasks=new_tasks, new_items=new_items
            )
        report = Submitted(
            self.label,
            tuple(file.path for file in files),
            () if own is None else own.models,
            () if own is None else tuple(own.tasks),
        )
        if own is not None and after is not None:
            report = self._changed(report, before, after, findings)
        order = sorted(findings, key=lambda one: one.level != "fault")
        return replace(report, findings=tuple(order))

    def _unread(self) -> Iterator[Finding]:
        """Files of a folder that could not be read: somebody meant to submit them."""
        for note in self.found.notes:
            if note.code == "files-damaged":
                yield Finding("fault", "unreadable", note.message)

    def _changed(
        self, report: Submitted, before: Scores | None, after: Scores, findings: list[Finding]
    ) -> Submitted:
        """The report with the ranks before and after; why there are none goes to `findings`."""
        old = new = None
        for scores in (before, after):
            if scores is None or len(scores.models) < 2:
                continue
            try:
                board = leaderboard(scores, spec=self.spec)
            except (DataError, OptionError) as error:
                findings.append(_not_ranked(str(error), is_new=scores is after and old is not None))
                continue
            if scores is before:
                old = board
            else:
                new = board
        if new is None:
            return report
        change = None if old is None else diff(old, new)
        first = [() if board is None else _may_be_first(board) for board in (old, new)]
        return replace(
            report, ranks=tuple(_ranks(report.models, old, new)), first=(first[0], first[1]),
            change=change, lead=new.lead, level=stated_level(new),
        )  # fmt: skip


def _as_stored(error: Exception) -> str:
    """What is wrong with files, without options of reading: these belong to the store."""
    sentences = re.split(r"(?<=[.?])\s+(?=[A-Z])", str(error))
    kept = [_OPTION.sub("", one) for one in sentences]
    if kept == sentences:
        return str(error)
    kept = [one if one.endswith((".", "?")) else f"{one}." for one in kept if one]
    return " ".join([*kept, _STORED])


# From the last semicolon before an option, or the whole sentence, to its end.
_OPTION = re.compile(r"(?:^|;)(?:(?!;).)*--[a-z].*", re.DOTALL)
_STORED = (
    "Mend the files; or make the store anew with an option that says how to read them, which "
    "`rankbars rank` names for the same files."
)


def _not_ranked(why: str, *, is_new: bool) -> Finding:
    """Why a board cannot be made; a fault where that comes of the submission."""
    first = why.partition("\n")[0]
    if is_new:
        text = "With these results the store could not be ranked as it is now"
    else:
        text = "Nothing is said of ranks, because the store cannot be ranked in this way"
    return Finding(
        "fault" if is_new else "warning", "not-ranked",
        f"{text}: {first} If its board is ranked in another way, name the board file: --like "
        "BOARD.",
    )  # fmt: skip


def _ranks(
    models: Sequence[str], old: Leaderboard | None, new: Leaderboard
) -> Iterator[tuple[str, Span | None, Span | None]]:
    """Models of the submission, and those whose interval changes, in the order of the board."""
    before, after = ({} if old is None else _spans(old)), _spans(new)
    for name in [*after, *(name for name in before if name not in after)]:
        spans = before.get(name), after.get(name)
        if name in models or (old is not None and spans[0] != spans[1]):
            yield (name, *spans)


def _spans(board: Leaderboard) -> dict[str, Span]:
    """Rank intervals of all models, those that lack some task too, in the order of the board."""
    best, worst = board.ranks
    found = {board.models[i]: (int(best[i]), int(worst[i])) for i in board.order}
    if board.partly is not None:
        ends = zip(board.partly.models, board.partly.best, board.partly.worst, strict=True)
        found |= {name: (int(low), int(high)) for name, low, high in ends}
    return found


def _may_be_first(board: Leaderboard) -> tuple[str, ...]:
    """Models that may be first, those that lack some task too."""
    return board.undominated() + (() if board.partly is None else board.partly.first)


def _scored(own: Scores | None) -> Scores | None:
    """The submission without tasks on which it has no score: a cell of ``n/a`` is none."""
    if own is None:
        return None
    scored = [task for task, one in own.tasks.items() if _has_score(one)]
    return own if len(scored) in {0, len(own.tasks)} else own.select(tasks=scored)


def _has_score(evidence: Evidence) -> bool:
    if isinstance(evidence, Votes):
        return True
    values = evidence.mean if isinstance(evidence, Estimates) else evidence.values
    return not np.isnan(values).all()


def _named(raw: Scores, facts: Sequence[NameFact]) -> Scores | None:
    """The submission under the names of today; None where all of it is retired."""
    try:
        return put_names(raw, facts)
    except DataError:
        return None


def _as_arena(scores: Scores, after: Scores | None) -> Scores:
    """Scores whose votes are called as among all files: one file alone is called after itself."""
    if after is None:
        return scores
    arenas = [task for task, one in after.tasks.items() if isinstance(one, Votes)]
    other = [
        task
        for task, one in scores.tasks.items()
        if isinstance(one, Votes) and task not in after.tasks
    ]
    if len(arenas) == len(other) == 1:
        return scores.rename(tasks={other[0]: arenas[0]})
    return scores


def _retired(raw: Scores, facts: Sequence[NameFact]) -> Iterator[Finding]:
    held: Mapping[NameKind, Collection[str]] = {"model": raw.models, "task": raw.tasks}
    for fact in facts:
        if fact.retired and fact.name in held[fact.kind]:
            why = f" ({fact.reason})" if fact.reason else ""
            yield Finding(
                "warning", "retired",
                f"The {fact.kind} {fact.called!r} is retired{why}: its results would be kept and "
                "left out.",
            )  # fmt: skip


def _replacing(paths: Sequence[str]) -> Iterator[Finding]:
    if paths:
        yield Finding(
            "warning", "replaces",
            f"Results of the store would be replaced, those of {list_words(paths, _MOST)}.",
        )  # fmt: skip


def _known_names(before: Scores, facts: Sequence[NameFact]) -> dict[NameKind, list[str]]:
    """Names of the store, with those that are retired or were given away."""
    known: dict[NameKind, list[str]] = {"model": [*before.models], "task": [*before.tasks]}
    for fact in facts:
        known[fact.kind] += [fact.name, fact.called]
    return {kind: list(dict.fromkeys(names)) for kind, names in known.items()}

"""Submissions to a store: examined, told what they would change, and added."""

from __future__ import annotations

import math
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.boardchange import Finding, Span, Submitted
from rankbars.data.drafts import TemporaryFolder
from rankbars.data.evidence import Estimates, Evidence, Items, Votes
from rankbars.data.notes import list_words
from rankbars.data.scores import Scores
from rankbars.errors import DataError, OptionError, ReadError, WriteError
from rankbars.pipeline import leaderboard
from rankbars.readers.collecting import Collected, collect, put_together
from rankbars.steps.boardchanges import diff, stated_level
from rankbars.steps.missingness import keep_pairs
from rankbars.store.access import change_store, open_store
from rankbars.store.holdings import Change, Event, Holdings
from rankbars.store.naming import put_names, scores_of
from rankbars.store.opening import connect, find_rest, is_store, resolve
from rankbars.tables.database import Engine
from rankbars.tables.labels import find_alike

if TYPE_CHECKING:
    from rankbars.data.notes import NameFact, NameKind
    from rankbars.data.spec import Spec
    from rankbars.readers.chosenfiles import Paths
    from rankbars.store.contents import Store

__all__ = ["submit"]

_MOST = 5  # names in one message
_FEWEST = 10  # equal answers that say something
_PERCENT = 100.0
_FAR = 10.0
_LONGEST_NAME = 200


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
        with open_store(label, version("rankbars")):  # says what is wrong with it
            raise ReadError.at(label, "it is not a store.")
    with closing(TemporaryFolder()) as folder:
        copy = folder.path / place.name
        with connect(place, label, write=False):  # nobody else changes it meanwhile
            for one in (place, find_rest(place)):
                if one is not None:
                    shutil.copyfile(one, folder.path / one.name)
        try:
            with open_store(copy, version("rankbars"), write=True) as opened:
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

    change_store(store, version("rankbars"), plan, settle, who=by)


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
            findings += _names(own, seen, known, new_tasks=new_tasks)
            findings += _items(own, seen, new_items=new_items)
            findings += _scales(own, seen)
            if after is not None:
                findings += _copies(own, after)
                findings += _harder(own, after)
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


def _names(
    own: Scores, before: Scores, known: Mapping[NameKind, Sequence[str]], *, new_tasks: bool
) -> Iterator[Finding]:
    strange = [task for task in own.tasks if task not in before.tasks]
    if strange and not new_tasks:
        yield Finding(
            "fault", "unknown-task",
            f"The store has no {'task' if len(strange) == 1 else 'tasks'} {_quoted(strange)}. "
            f"Known: {_quoted(sorted(before.tasks), 20)}. Correct the name (a file without a "
            "column task is called after itself: add one); if the task is new, allow it: "
            "--new-tasks.",
        )  # fmt: skip
    for kind, held in (("model", own.models), ("task", tuple(own.tasks))):
        hidden = [one for one in held if not one.isprintable() or len(one) > _LONGEST_NAME]
        if hidden:
            yield Finding(
                "warning", "strange-name",
                f"Names of {kind}s hold signs that are not seen, or are longer than "
                f"{_LONGEST_NAME} characters: {_quoted([one[:60] for one in hidden])}.",
            )  # fmt: skip
    added = [model for model in own.models if model not in before.models]
    new: Mapping[NameKind, Sequence[str]] = {"model": added, "task": strange}
    for what, names in new.items():
        for name in names[:100]:
            for other, how in find_alike(name, known[what]):
                yield Finding(
                    "warning", "look-alike",
                    f"The new {what} {name!r} looks like {other!r}, which the store knows ({how}). "
                    "If they are the same, write the known name; if not, leave it.",
                )  # fmt: skip
    again = [model for model in own.models if model in before.models]
    # More votes between models that are known are nothing to be told.
    if again and not all(isinstance(one, Votes) for one in own.tasks.values()):
        yield Finding(
            "warning", "known-model",
            f"The store has other results of {_quoted(again)} already; these would change "
            f"{'its' if len(again) == 1 else 'their'} ranks.",
        )  # fmt: skip
    wanted = [task for task in before.tasks if task not in own.tasks]
    if wanted and added:
        yield Finding(
            "warning", "lacking-tasks",
            f"There are no results on {len(wanted):,} of the {len(before.tasks):,} tasks of the "
            f"store: {_quoted(wanted)}.",
        )  # fmt: skip


def _items(own: Scores, before: Scores, *, new_items: bool) -> Iterator[Finding]:
    for task, mine in own.tasks.items():
        theirs = before.tasks.get(task)
        if not (isinstance(mine, Items) and isinstance(theirs, Items)):
            if theirs is not None and type(mine) is not type(theirs):
                yield Finding(
                    "warning", "other-kind",
                    f"{task}: the store holds {_kind(theirs)}, and the submission {_kind(mine)}.",
                )  # fmt: skip
            continue
        if mine.ids is None or theirs.ids is None:
            if len(mine.values) != len(theirs.values):
                yield Finding(
                    "warning", "lacking-items",
                    f"{task}: {len(mine.values):,} rows without names, where the store has "
                    f"{len(theirs.values):,}.",
                )  # fmt: skip
            continue
        known = set(theirs.ids)
        strange = [one for one in mine.ids if one not in known]
        if strange and not new_items:
            yield Finding(
                "fault", "unknown-item",
                f"{task}: the store has no {'item' if len(strange) == 1 else 'items'} "
                f"{_quoted(strange)} ({len(strange):,} of {len(mine.ids):,}). Correct the names; "
                "if the items are new, allow them: --new-items.",
            )  # fmt: skip
        for column, model in enumerate(mine.models):
            done = ~np.isnan(mine.values[:, column])
            answered = {one for one, is_done in zip(mine.ids, done, strict=True) if is_done}
            lacking = [one for one in theirs.ids if one not in answered]
            if lacking and answered and model not in theirs.models:
                yield Finding(
                    "warning", "lacking-items",
                    f"{task}: {model!r} has no answer to {len(lacking):,} of {len(theirs.ids):,} "
                    f"items: {_quoted(lacking)}.",
                )  # fmt: skip


def _kind(evidence: object) -> str:
    kinds = {Items: "answers to items", Estimates: "published scores"}
    return kinds.get(type(evidence), "votes")


def _scales(own: Scores, before: Scores) -> Iterator[Finding]:
    for task in own.tasks:
        if task not in before.tasks:
            continue
        mine, theirs = (_ends(scores, task) for scores in (own, before))
        if mine is None or theirs is None:
            continue
        said = f"{task}: scores from {mine[0]:g} to {mine[1]:g}, where those of the store go from "
        said += f"{theirs[0]:g} to {theirs[1]:g}"
        sizes = [max(abs(low), abs(high)) for low, high in (mine, theirs)]
        info = before.info[task]
        least, most = (-math.inf if info.minimum is None else info.minimum,
                       math.inf if info.maximum is None else info.maximum)  # fmt: skip
        if mine[0] < least or mine[1] > most:
            yield Finding("fault", "scale", f"{said}. Its limits are {least:g} and {most:g}.")
        elif theirs[0] >= 0 and sizes[1] <= 1 and _FAR < sizes[0] <= _PERCENT:
            yield Finding(
                "fault", "scale", f"{said}; they look like percentages. Bring them to one scale."
            )
        elif sizes[0] > _FAR * sizes[1] > 0 or sizes[1] > _FAR * sizes[0] > 0:
            yield Finding("warning", "scale", f"{said}. Look whether the scale is the same.")


def _ends(scores: Scores, task: str) -> tuple[float, float] | None:
    """The least and the largest score on a task; None where there is none, as for votes."""
    evidence = scores.tasks[task]
    if isinstance(evidence, Items):
        values = evidence.values
    elif isinstance(evidence, Estimates):
        values = evidence.mean
    else:
        return None
    known = values[~np.isnan(values)] * (-1 if scores.info[task].direction == "lower" else 1)
    return (float(known.min()), float(known.max())) if known.size else None


def _copies(own: Scores, after: Scores) -> Iterator[Finding]:
    """Models that answer as another one, item by item, wherever both answer."""
    alike: dict[tuple[str, str], int] = {}
    differ: set[tuple[str, str]] = set()
    for task in own.tasks:
        items = after.tasks.get(task)
        if not isinstance(items, Items):
            continue
        for model in own.models:
            if model not in items.models:
                continue
            mine = items.values[:, [items.models.index(model)]]
            both = ~np.isnan(mine) & ~np.isnan(items.values)
            unequal = (both & (items.values != mine)).any(axis=0)
            plain = both.sum(axis=0)
            for other, other_than, size in zip(items.models, unequal, plain, strict=True):
                if other == model or not size:
                    continue
                if other_than:
                    differ.add((model, other))
                alike[model, other] = alike.get((model, other), 0) + int(size)
    for (model, other), size in sorted(alike.items()):
        if (model, other) not in differ and size >= _FEWEST and _varies(after, model):
            yield Finding(
                "warning", "copy",
                f"{model!r} has the same scores as {other!r} on all {size:,} items that both "
                "answered.",
            )  # fmt: skip


def _harder(own: Scores, after: Scores) -> Iterator[Finding]:
    """Models whose rows are the easier ones of a task, as boards say it, too."""
    for note in keep_pairs(after, []).notes:
        if note.code == "harder-rows" and not set(own.models).isdisjoint(note.models):
            yield Finding("warning", note.code, f"{note.task}: {note.message}")


def _varies(scores: Scores, model: str) -> bool:
    """Whether the scores of a model on some task are not all the same."""
    for items in scores.tasks.values():
        if isinstance(items, Items) and model in items.models:
            values = items.values[:, items.models.index(model)]
            if len(np.unique(values[~np.isnan(values)])) > 1:
                return True
    return False


def _quoted(names: Sequence[str], most: int = _MOST) -> str:
    return list_words(map(repr, names), most)

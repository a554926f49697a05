"""Names in a store: what models and tasks are called, and which are retired.

Results stay as they were read. What was said of names is kept beside them, and holds for results
that come later, too.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rankbars.data.notes import NameFact, NameKind, Note
from rankbars.data.scores import Scores
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.readers.collecting import put_together
from rankbars.readers.keptfiles import KeptFile
from rankbars.readers.logs.records import Run
from rankbars.readers.parts import Leaderboard, Part
from rankbars.store.contents import Store
from rankbars.store.holdings import Event
from rankbars.store.rows import check_name
from rankbars.tables.strays import note_lookalikes

__all__ = ["Telling", "paths_of", "put_names", "scores_of", "tell"]

_LONGEST = 300  # characters of a name or a reason
_NO_LETTERS = frozenset({"Cc", "Zl", "Zp", "Co", "Cn"})


class Telling(NamedTuple):
    """Something that is said of a name.

    Parameters
    ----------
    kind : {"model", "task"}
        What has the name.
    action : {"renamed", "retired", "restored"}
        What is done.
    name : str
        What it is called so far.
    said : str
        The new name, or the reason.
    """

    kind: NameKind
    action: str
    name: str
    said: str = ""


def scores_of(
    store: Store, more: Mapping[str, Any] | None = None, models: Sequence[str] = (), *,
    outline: bool = False,
) -> Scores:  # fmt: skip
    """The scores that an open store holds, under the names of today, without what is retired.

    Parameters
    ----------
    store : Store
        The store.
    more : mapping, optional
        Options for reading beside its own.
    models : sequence of str
        Only these models are read, as if no other were there.
    outline : bool
        Whether votes are told by their tasks and models, and none of them is read.

    Raises
    ------
    DataError
        If there is nothing, or results cannot be put together.
    OptionError
        If one of `models` is retired, or is called otherwise now.
    """
    facts = store.names
    options = {**store.options, **(more or {})}
    own = {fact.called: fact for fact in facts if fact.kind == "model"}
    former = {fact.name: fact for fact in facts if fact.kind == "model"}
    for name in models:
        fact = own.get(name)
        if fact is not None and fact.retired:
            raise OptionError(f"The model {name!r} is retired{_because(fact)}. {_RESTORE}")
        if fact is None and name in former:
            raise OptionError(f"The model {name!r} is called {former[name].called!r} now.")
    asked = [own[name].name if name in own else name for name in models]
    files = _without_retired(store.files(outline=outline), facts)
    scores = put_together(files, {**options, "models": asked})
    if not set(asked) <= set(scores.models):
        # A name that is not known is told with all that are.
        scores = put_together(files, options)
    return put_names(scores, facts)


_RESTORE = "Bring it back with rankbars retire --undo."


def put_names(scores: Scores, facts: Sequence[NameFact]) -> Scores:
    """The scores under the names of today, without what is retired.

    Parameters
    ----------
    scores : Scores
        Under the names that the results have.
    facts : sequence of NameFact
        What was said of names.

    Raises
    ------
    DataError
        If two models, or two tasks, would have one name, or nothing is left.
    """
    if not facts:
        return scores
    known: dict[NameKind, tuple[str, ...]] = {"model": scores.models, "task": tuple(scores.tasks)}
    kept = {
        kind: [name for name in names if name not in _retired(facts, kind)]
        for kind, names in known.items()
    }
    for kind, names in kept.items():
        if not names:
            raise DataError(f"Every {kind} of the store is retired. {_RESTORE}")
    left = scores.select(models=kept["model"], tasks=kept["task"])
    called = {kind: _called(facts, kind, kept[kind]) for kind in known}
    left = left.rename(
        models={old: new for old, new in called["model"].items() if old in left.models},
        tasks={old: new for old, new in called["task"].items() if old in left.tasks},
    )
    # Notes on names that look alike are about those of before.
    notes = tuple(note for note in left.notes if note.code != "look-alike")
    gone = [fact for fact in facts if fact.retired and fact.name in known[fact.kind]]
    left = note_lookalikes(replace(left, notes=notes, names=tuple(facts)))
    return left.with_notes(_retirement(gone)) if gone else left


def _retired(facts: Sequence[NameFact], kind: NameKind) -> set[str]:
    return {fact.name for fact in facts if fact.kind == kind and fact.retired}


def _called(facts: Sequence[NameFact], kind: NameKind, names: Sequence[str]) -> dict[str, str]:
    """New names by those that the results have."""
    renamed = {fact.name: fact.called for fact in facts if fact.kind == kind}
    called = {name: renamed[name] for name in names if renamed.get(name, name) != name}
    for old, new in called.items():
        if new in names and new not in called:
            raise DataError(
                f"The {kind} {old!r} is called {new!r} in the store, and there are results of "
                f"another {kind} {new!r}. If the two are the same, write one name in the files; if "
                f"not, give the first another name: rankbars rename --{kind} {new!r} NEW."
            )
    return called


def _retirement(gone: Sequence[NameFact]) -> list[Note]:
    notes = []
    for kind in ("model", "task"):
        some = [fact for fact in gone if fact.kind == kind]
        if some:
            shown = ", ".join(f"{fact.called!r}{_because(fact)}" for fact in some[:10])
            more = f" and {len(some) - 10:,} more" if len(some) > 10 else ""
            are = f"{kind} is" if len(some) == 1 else f"{kind}s are"
            notes.append(
                Note("retired", f"{len(some):,} {are} retired and left out: {shown}{more}.")
            )
    return notes


def _because(fact: NameFact) -> str:
    return f" ({fact.reason})" if fact.reason else ""


def _without_retired(files: Sequence[KeptFile], facts: Sequence[NameFact]) -> list[KeptFile]:
    """The files without runs of models that are retired, by which nothing is to be decided."""
    gone = _retired(facts, "model")
    if not gone:
        return list(files)
    found = []
    for file in files:
        parts: list[Part] = []
        for part in file.parts:
            if isinstance(part, Leaderboard):
                runs = tuple(run for run in part.runs if run.model not in gone)
                parts += [part._replace(runs=runs)] if runs else []
            elif not (isinstance(part, Run) and part.model in gone):
                parts.append(part)
        if parts or not file.parts:
            found.append(replace(file, parts=tuple(parts)))
    if not any(file.parts for file in found):
        raise DataError(f"Every model of the store is retired. {_RESTORE}")
    return found


def tell(store: Store, told: Sequence[Telling]) -> tuple[list[Event], Scores]:
    """Say something of names: all of it, or nothing.

    Parameters
    ----------
    store : Store
        A store that is open to be changed.
    told : sequence of Telling
        What is said, one after the other.

    Returns
    -------
    list of Event, Scores
        What was done, and the scores as they are now called.

    Raises
    ------
    OptionError
        If a name is not known, is taken, or is none.
    DataError
        If nothing would be left.
    """
    whole = put_together(store.files(outline=True), store.options)
    facts = {(fact.kind, fact.name): fact for fact in store.names}
    held: dict[NameKind, tuple[str, ...]] = {"model": whole.models, "task": tuple(whole.tasks)}
    events = []
    for one in told:
        event = store.event(one.action, one.name, one.kind, said=one.said)
        fact = _changed(one, _find(one, held[one.kind], facts), held[one.kind], facts, event.time)
        facts.pop((fact.kind, fact.name), None)
        if fact.retired or fact.called != fact.name:
            facts[fact.kind, fact.name] = fact
        events.append(event)
    for kind in {one.kind for one in told if one.action == "retired"}:
        if _retired(tuple(facts.values()), kind).issuperset(held[kind]):
            raise DataError(
                f"No {kind} would be left to rank; nothing was changed. Leave at least one."
            )
    scores = put_names(whole, tuple(facts.values()))
    store.keep_names(tuple(facts.values()), events)
    return events, scores


_Facts = Mapping[tuple[NameKind, str], NameFact]


def _find(one: Telling, held: Sequence[str], facts: _Facts) -> NameFact:
    """What is known of a name of today."""
    known = {name: NameFact(one.kind, name, name, False, "", "") for name in held}
    known |= {name: fact for (kind, name), fact in facts.items() if kind == one.kind}
    called = {fact.called: fact for fact in known.values()}
    if one.name in called:
        return called[one.name]
    if one.name in known:
        raise OptionError(
            f"The {one.kind} {one.name!r} is called {known[one.name].called!r} now; nothing was "
            "changed."
        )
    raise UnknownOptionError.among(one.kind, one.name, sorted(called))


def _changed(
    one: Telling, fact: NameFact, held: Sequence[str], facts: _Facts, time: str
) -> NameFact:
    if one.action == "renamed":
        _check_new(one, fact, held, facts)
        return replace(fact, called=one.said, since=time)
    if one.action == "restored":
        if not fact.retired:
            raise OptionError(f"The {one.kind} {one.name!r} is not retired; nothing was changed.")
        return replace(fact, retired=False, reason="", since=time)
    _check_text("reason", one.said)
    return replace(fact, retired=True, reason=one.said, since=time)


def _check_new(one: Telling, fact: NameFact, held: Sequence[str], facts: _Facts) -> None:
    """Raise `OptionError` for a new name that is taken, or is no name."""
    kind, new = one.kind, one.said
    if not new.strip() or new != new.strip():
        raise OptionError(
            f"A new name must be there, without spaces around it; got {new!r} for {one.name!r}."
        )
    _check_text("name", new)
    if new == one.name:
        raise OptionError(f"The {kind} {one.name!r} is called so already; nothing was changed.")
    others = {name: name for name in held if name != fact.name}
    others |= {
        known.name: known.called
        for known in facts.values()
        if known.kind == kind and known.name != fact.name
    }
    if new in others.values():
        raise OptionError(
            f"There is a {kind} {new!r} already, and two cannot have one name; nothing was "
            f"changed. If {one.name!r} is the same, take its files out (rankbars remove FILE "
            f"--store STORE), write one name in them, and add them again; if {new!r} is an older "
            "one, rename that one first: rankbars rename "
            f"--{kind} {new!r} OTHER."
        )
    if new in others:
        raise OptionError(
            f"Results of {others[new]!r} come under the name {new!r}, which can be no other "
            f"{kind}'s; nothing was changed. Choose another name, or call {others[new]!r} {new!r} "
            "again."
        )


def _check_text(what: str, text: str) -> None:
    check_name(text)
    strange = next((sign for sign in text if unicodedata.category(sign) in _NO_LETTERS), None)
    if strange is not None:
        raise OptionError(f"The {what} {text[:60]!r} holds {strange!r}, which cannot be shown.")
    if len(text) > _LONGEST:
        raise OptionError(
            f"The {what} has {len(text):,} characters; at most {_LONGEST} are kept: {text[:60]!r}…"
        )


def paths_of(store: Store, kind: NameKind, name: str) -> tuple[list[str], list[str]]:
    """Files that hold results under a name of today: of nothing else, and of others as well.

    Parameters
    ----------
    store : Store
        The store.
    kind : {"model", "task"}
        What has the name.
    name : str
        What it is called.

    Raises
    ------
    UnknownOptionError
        If nothing has the name.
    """
    files, options = store.files(outline=True), store.options
    facts = {(fact.kind, fact.name): fact for fact in store.names}
    held = _names_in(put_together(files, options), kind)
    own = _find(Telling(kind, "removed", name), held, facts).name
    alone: list[str] = []
    among: list[str] = []
    for file in files:
        if not file.gives:
            continue
        try:
            names = _names_in(put_together(files, options, {file.path}), kind)
        except DataError:  # of use with others only
            names = ()
        if own in names:
            (alone if len(names) == 1 else among).append(file.path)
    return alone, among


def _names_in(scores: Scores, kind: NameKind) -> tuple[str, ...]:
    return scores.models if kind == "model" else tuple(scores.tasks)

"""Names in a store: what models and tasks are called, and which are retired.

Results stay as they were read. What was said of names is kept beside them, and holds for results
that come later, too.
"""

from __future__ import annotations

import unicodedata
from collections import Counter, defaultdict
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
from rankbars.store.mergedmodels import merge_models
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
    action : {"renamed", "merged", "parted", "retired", "restored"}
        What is done; what is parted was merged before.
    name : str
        What it is called so far; of what is parted, the name that its results have.
    said : str
        The new name, the one that it is merged into or parted from, or the reason.
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
    own: dict[str, list[NameFact]] = defaultdict(list)
    for fact in facts:
        if fact.kind == "model":
            own[fact.called].append(fact)
    former = {fact.name: fact for fact in facts if fact.kind == "model"}
    asked = []
    for name in models:
        known = own.get(name, [])
        if known and known[0].retired:
            raise OptionError(f"The model {name!r} is retired{_because(known[0])}. {_RESTORE}")
        if not known and name in former:
            raise OptionError(f"The model {name!r} is called {former[name].called!r} now.")
        asked += [fact.name for fact in known] or [name]
    # Whether models that are one have votes against each other is seen in the votes alone.
    outline = outline and not _are_merged(facts)
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
        What was said of names; of models that are one, something of each of their names.

    Raises
    ------
    DataError
        If two models, or two tasks, would have one name, nothing is left, or models that are said
        to be one cannot be.
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
    stays: dict[str, str] = {}  # of the names that the results have for one model
    for old, new in called["model"].items():
        if new not in stays or old == new:
            stays[new] = old
    left = merge_models(
        left, {old: stays[new] for old, new in called["model"].items() if old != stays[new]}
    )
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
    """Names of today by those that the results have, where something was said of them."""
    renamed = {fact.name: fact.called for fact in facts if fact.kind == kind}
    called = {name: renamed[name] for name in names if name in renamed}
    for old, new in called.items():
        if new in names and new not in called:
            raise DataError(
                f"The {kind} {old!r} is called {new!r} in the store, and there are results of "
                f"another {kind} {new!r}. {_same(old, new, kind)}; if not, give the first another "
                f"name: rankbars rename --{kind} {new!r} NEW."
            )
    return called


def _same(old: str, new: str, kind: NameKind) -> str:
    """What to do where a name of today is also that of other results, and both are the same."""
    if kind == "task":
        return "If the two are the same, write one name in the files"
    return (
        f"If the two are the same, call the first {old!r} again, add the other, and say so: "
        f"rankbars rename --merge --model {old!r} {new!r}"
    )


def _retirement(gone: Sequence[NameFact]) -> list[Note]:
    notes = []
    for kind in ("model", "task"):
        some = [*{fact.called: fact for fact in gone if fact.kind == kind}.values()]
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
    merging = any(one.action == "merged" for one in told) or _are_merged(store.names)
    whole = put_together(store.files(outline=not merging), store.options)
    facts = {(fact.kind, fact.name): fact for fact in store.names}
    held: dict[NameKind, tuple[str, ...]] = {"model": whole.models, "task": tuple(whole.tasks)}
    events = []
    for one in told:
        event = store.event(one.action, one.name, one.kind, said=one.said)
        changed = _changed(one, held[one.kind], facts, event.time)
        facts |= {(fact.kind, fact.name): fact for fact in changed}
        shared = Counter((fact.kind, fact.called) for fact in facts.values())
        facts = {
            key: fact
            for key, fact in facts.items()
            if fact.retired or fact.called != fact.name or shared[fact.kind, fact.called] > 1
        }
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


def _are_merged(facts: Sequence[NameFact]) -> bool:
    """Whether several names are one model's."""
    return len({(fact.kind, fact.called) for fact in facts}) < len(facts)


def _by_called(kind: NameKind, held: Sequence[str], facts: _Facts) -> dict[str, list[NameFact]]:
    """What is known of all names that results have, by what they are called today."""
    known = {name: NameFact(kind, name, name, False, "", "") for name in held}
    known |= {name: fact for (what, name), fact in facts.items() if what == kind}
    called: dict[str, list[NameFact]] = defaultdict(list)
    for fact in known.values():
        called[fact.called].append(fact)
    return called


def _find(kind: NameKind, name: str, called: Mapping[str, list[NameFact]]) -> list[NameFact]:
    """What is known of a name of today: one fact, or one of each name of models that are one."""
    if name in called:
        return called[name]
    for now, facts in called.items():
        if any(fact.name == name for fact in facts):
            raise OptionError(f"The {kind} {name!r} is called {now!r} now; nothing was changed.")
    raise UnknownOptionError.among(kind, name, sorted(called))


def _changed(one: Telling, held: Sequence[str], facts: _Facts, time: str) -> list[NameFact]:
    """What is known of names after something was said."""
    called = _by_called(one.kind, held, facts)
    if one.action == "parted":
        return [replace(_merged(one, called), called=one.name, since=time)]
    found = _find(one.kind, one.name, called)
    if one.action == "merged":
        return _merge(one, found, called, time)
    if one.action == "renamed":
        _check_new(one, called)
        return [replace(fact, called=one.said, since=time) for fact in found]
    if one.action == "restored":
        if not found[0].retired:
            raise OptionError(f"The {one.kind} {one.name!r} is not retired; nothing was changed.")
        return [replace(fact, retired=False, reason="", since=time) for fact in found]
    _check_text("reason", one.said)
    return [replace(fact, retired=True, reason=one.said, since=time) for fact in found]


def _merge(
    one: Telling, found: Sequence[NameFact], called: Mapping[str, list[NameFact]], time: str
) -> list[NameFact]:
    """What is known of the names of two models that are one from now on."""
    if one.name == one.said:
        raise OptionError(f"{one.name!r} is one {one.kind} already; nothing was changed.")
    into = _find(one.kind, one.said, called)
    for fact in (*found, *into):
        if fact.retired:
            raise OptionError(f"The {one.kind} {fact.called!r} is retired{_because(fact)}. "
                              f"{_RESTORE}")  # fmt: skip
    # One that was not renamed is named all the same: so a merger is told from a name taken twice.
    return [*(replace(fact, called=one.said, since=time) for fact in found),
            *(replace(fact, since=fact.since or time) for fact in into)]  # fmt: skip


def _merged(one: Telling, called: Mapping[str, list[NameFact]]) -> NameFact:
    """What is known of a name of results that was merged into another."""
    into = _find(one.kind, one.said, called)
    fact = next((fact for fact in into if fact.name == one.name), None)
    if fact is None or len(into) == 1:
        names = ", ".join(repr(fact.name) for fact in into) if len(into) > 1 else "none"
        raise OptionError(
            f"{one.name!r} was not merged into {one.said!r} (what was: {names}); nothing was "
            "changed."
        )
    if one.name in called:
        raise OptionError(
            f"Another {one.kind} is called {one.name!r} now; nothing was changed. Rename that one "
            f"first: rankbars rename --{one.kind} {one.name!r} OTHER."
        )
    return fact


def _check_new(one: Telling, called: Mapping[str, list[NameFact]]) -> None:
    """Raise `OptionError` for a new name that is taken, or is no name."""
    kind, new = one.kind, one.said
    if not new.strip() or new != new.strip():
        raise OptionError(
            f"A new name must be there, without spaces around it; got {new!r} for {one.name!r}."
        )
    _check_text("name", new)
    if new == one.name:
        raise OptionError(f"The {kind} {one.name!r} is called so already; nothing was changed.")
    if new in called:
        same = (
            f"add --merge if {one.name!r} is the same" if kind == "model" else
            f"if {one.name!r} is the same, take its files out (rankbars remove FILE --store "
            "STORE), write one name in them, and add them again"
        )  # fmt: skip
        raise OptionError(
            f"There is a {kind} {new!r} already, and two cannot have one name; nothing was "
            f"changed. {same[0].upper()}{same[1:]}; if {new!r} is an older one, rename that one "
            f"first: rankbars rename --{kind} {new!r} OTHER."
        )
    for now, facts in called.items():
        if now != one.name and any(fact.name == new for fact in facts):
            raise OptionError(
                f"Results of {now!r} come under the name {new!r}, which can be no other {kind}'s; "
                f"nothing was changed. Choose another name, or call {now!r} {new!r} again."
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
    own = {fact.name for fact in _find(kind, name, _by_called(kind, held, facts))}
    alone: list[str] = []
    among: list[str] = []
    for file in files:
        if not file.gives:
            continue
        try:
            names = _names_in(put_together(files, options, {file.path}), kind)
        except DataError:  # of use with others only
            names = ()
        if own.intersection(names):
            (alone if own.issuperset(names) else among).append(file.path)
    return alone, among


def _names_in(scores: Scores, kind: NameKind) -> tuple[str, ...]:
    return scores.models if kind == "model" else tuple(scores.tasks)

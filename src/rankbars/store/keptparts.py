"""What files hold, as facts and rows of a store, and back: nothing of it is lost on the way."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankbars.readers.logs.records import Agreement, Measure, Run
from rankbars.readers.logs.records import Rows as Answers
from rankbars.readers.parts import (
    ErrorTable,
    Heeded,
    JudgedFile,
    Leaderboard,
    Part,
    ReadyScores,
    VoteTable,
)
from rankbars.store.keptresults import (
    JUDGED,
    READY,
    VOTES,
    KeptPart,
    SharedNames,
    notes_of,
    notes_to_json,
    pack_judged,
    pack_ready,
    pack_votes,
    unpack_judged,
    unpack_ready,
    unpack_votes,
)
from rankbars.store.rows import CodedRows, code_rows, code_texts
from rankbars.store.schema import relation_of
from rankbars.store.storedrows import StoredRows
from rankbars.tables.cells import NumberColumn
from rankbars.tables.parsedtables import NOBODY, ParsedTable, TidyTable
from rankbars.tables.settings import Setting

__all__ = ["HEEDED", "RUN", "TABLE", "pack", "unpack"]

TABLE, RUN, HEEDED = "table", "run", "heeded"


def pack(parts: Iterable[Part]) -> list[KeptPart]:
    """What a file holds; notes are left out."""
    found: list[KeptPart] = []
    for part in parts:
        if isinstance(part, ParsedTable):
            found.append(_pack_table(part))
        elif isinstance(part, Run):
            found.append(_pack_run(part))
        elif isinstance(part, Leaderboard):
            found += [_pack_run(run, part.instead) for run in part.runs]
        elif isinstance(part, JudgedFile):
            found.append(pack_judged(part))
        elif isinstance(part, VoteTable):
            found += pack_votes(part)
        elif isinstance(part, ReadyScores):
            found += pack_ready(part)
        elif isinstance(part, Heeded) and part.filters:
            facts = {"source": part.source, "filters": list(part.filters)}
            found.append(KeptPart(HEEDED, facts, {}))
    return found


def unpack(
    sources: Mapping[int, Sequence[int]], facts: Mapping[int, tuple[str, Any]], rows: StoredRows,
    *, outline: bool = False,
) -> dict[int, list[Part]]:  # fmt: skip
    """What files held.

    Parameters
    ----------
    sources : mapping from int to sequence of int
        The parts of each file, in their order.
    facts : mapping from int to (str, mapping)
        Kind and facts of each part.
    rows : StoredRows
        The rows of the store.
    outline : bool
        Whether votes are told without their rows.
    """
    left = (TABLE, VOTES) if outline else (TABLE,)
    taken = rows.of_parts(part for part, (kind, _) in facts.items() if kind not in left)
    found: dict[int, list[Part]] = {}
    shared: SharedNames = {}
    for source, parts in sources.items():
        kinds: dict[str, list[KeptPart]] = {one: [] for one in (RUN, VOTES, JUDGED, READY, HEEDED)}
        tables: list[Part] = []
        for part in parts:
            kind, own = facts[part]
            if kind == TABLE:
                tables.append(_unpack_table(part, own, rows))
            else:
                kinds[kind].append(KeptPart(kind, own, taken.get(part, {})))
        found[source] = [
            *tables,
            *_unpack_runs(kinds[RUN]),
            *unpack_votes(kinds[VOTES], shared, outline=outline),
            *map(unpack_judged, kinds[JUDGED]),
            *unpack_ready(kinds[READY]),
            *(Heeded(one.facts["source"], tuple(one.facts["filters"])) for one in kinds[HEEDED]),
        ]
    return found


def _pack_table(found: ParsedTable) -> KeptPart:
    """A table; names that it takes from its file are left open."""
    table = found.table
    facts: dict[str, Any] = {
        "source": found.source,
        "roles": dict(table.roles),
        "named": sorted(table.named),
        "metric": table.metric,
        "remarks": [list(remark) for remark in table.remarks],
        "lacking": list(table.lacking),
        "renamed": table.renamed,
        "notes": notes_to_json(found.notes),
        "errors": isinstance(found, ErrorTable),
        "filled": sorted(table.rows.filled),
        "matrix": table.rows.is_matrix,
        "seen": {
            role: [
                column.plain,
                column.percentages,
                column.truths,
                None if math.isnan(column.largest) else column.largest,
            ]
            for role, column in table.rows.numbers.items()
        },
    }
    if table.attributes:
        facts["attributes"] = {name: dict(said) for name, said in table.attributes.items()}
    if table.settings:
        facts["settings"] = [list(one) for one in table.settings]
    return KeptPart(TABLE, facts, {relation_of(table.rows.labels): code_rows(table.rows)})


def _unpack_table(part: int, facts: Mapping[str, Any], rows: StoredRows) -> ParsedTable:
    if not (isinstance(facts["source"], str) and isinstance(facts["metric"], str | None)):
        raise TypeError(facts)
    if not isinstance(facts["lacking"], list):
        raise TypeError(facts)
    seen = {role: _column(*counts) for role, counts in facts["seen"].items()}
    table = TidyTable(
        rows.of_table(part, facts["source"], seen, facts["filled"], is_matrix=facts["matrix"]),
        dict(facts["roles"]),
        frozenset(facts["named"]),
        facts["metric"],
        tuple((code, text) for code, text in facts["remarks"]),
        tuple(facts["lacking"]),
        facts["renamed"],
        attributes=facts.get("attributes", {}),
        settings=tuple(Setting(*one) for one in facts.get("settings", ())),
    )
    kind = ErrorTable if facts["errors"] else ParsedTable
    return kind(table, NOBODY, notes_of(facts["notes"]))


def _column(plain: int, percentages: int, truths: int, largest: float | None) -> NumberColumn:
    return NumberColumn(None, plain, percentages, truths, math.nan if largest is None else largest)


def _pack_run(run: Run, instead: str | None = None) -> KeptPart:
    """A run: an answer for each item and measure, and the published scores."""
    plain = (
        "source", "model", "task", "headline", "stamp", "finished", "expected", "failed",
        "category",
    )  # fmt: skip
    facts: dict[str, Any] = {name: getattr(run, name) for name in plain}
    for name in ("variants", "system", "manner", "setup"):
        facts[name] = dict(getattr(run, name))
    facts["agree"] = {name: list(one) for name, one in run.agree.items()}
    facts["parts"] = list(run.parts)
    if run.group is not None:
        facts |= {"group": run.group, "pooled": run.pooled}
    facts["notes"] = notes_to_json(run.notes)
    facts["measures"] = {name: _measure_facts(one) for name, one in run.measures.items()}
    facts["answers"] = None if run.rows is None else _answer_facts(run.rows)
    facts["instead"] = instead
    if run.trials:
        facts["trials"] = True
    rows: dict[str, CodedRows] = {}
    if run.rows is not None:
        rows["scores"] = _pack_answers(run, run.rows)
    if published := {name: one for name, one in run.measures.items() if one.value is not None}:
        rows["estimates"] = _pack_published(run, published)
    return KeptPart(RUN, facts, rows)


def _measure_facts(measure: Measure) -> dict[str, Any]:
    plain = ("name", "metric", "direction", "origin", "declined", "fault")
    return {
        **{name: getattr(measure, name) for name in plain},
        "limits": list(measure.limits),
        "scored": measure.scores is not None,
        "published": measure.value is not None,
        "n": measure.n if measure.value is None else None,
        "se": measure.se if measure.value is None else None,
    }


def _answer_facts(rows: Answers) -> dict[str, Any]:
    return {
        "identity": list(rows.identity), "size": len(rows.ids),
        "repeats": rows.repeats is not None, "clusters": rows.clusters is not None,
        "others": rows.other_ids is not None, "prints": rows.prints is not None,
    }  # fmt: skip


def _pack_answers(run: Run, rows: Answers) -> CodedRows:
    """A row for each answer and measure with scores, one measure below the other."""
    scored = {name: one.scores for name, one in run.measures.items() if one.scores is not None}
    times = max(len(scored), 1)

    def below(values: NDArray[Any]) -> NDArray[Any]:
        return np.tile(values, times)

    size = len(rows.ids)
    labels = {"item": code_texts(rows.ids)}
    if rows.other_ids is not None:
        labels["other"] = code_texts(rows.other_ids)
    if rows.clusters is not None:
        labels["cluster"] = code_texts(rows.clusters)
    labels = {role: one._replace(codes=below(one.codes)) for role, one in labels.items()}
    every = np.zeros(size * times, dtype=np.int64)
    labels["model"] = code_texts([run.model])._replace(codes=every)
    labels["task"] = code_texts([run.task])._replace(codes=every)
    numbers: dict[str, NDArray[Any]] = {"state": below(rows.status)}
    if rows.repeats is not None:
        numbers["attempt"] = below(rows.repeats)
    if rows.prints is not None:
        numbers["print"] = below(rows.prints)
    if scored:
        named = code_texts(scored)
        labels["metric"] = named._replace(codes=np.repeat(named.codes, size))
        numbers["score"] = np.concatenate([*scored.values()])
    return CodedRows(np.arange(size * times), labels, numbers)


def _pack_published(run: Run, measures: Mapping[str, Measure]) -> CodedRows:
    every = np.zeros(len(measures), dtype=np.int64)
    values = {
        role: np.array([getattr(one, name) for one in measures.values()], dtype=np.float64)
        for role, name in (("score", "value"), ("se", "se"), ("n", "n"))
    }
    return CodedRows(
        np.arange(len(measures)),
        {
            "model": code_texts([run.model])._replace(codes=every),
            "task": code_texts([run.task])._replace(codes=every),
            "metric": code_texts(measures),
        },
        values,
    )


def _unpack_runs(parts: Iterable[KeptPart]) -> list[Run | Leaderboard]:
    """The runs and leaderboards of a file."""
    boards: dict[tuple[str, str], list[Run]] = {}
    found: list[Run | Leaderboard] = []
    for part in parts:
        facts = dict(part.facts)
        run, instead = _unpack_run(facts, part.rows), part.facts["instead"]
        if instead is None:
            found.append(run)
        else:
            boards.setdefault((run.source, instead), []).append(run)
    found += [Leaderboard(source, tuple(runs), text) for (source, text), runs in boards.items()]
    return found


def _unpack_run(facts: dict[str, Any], rows: Mapping[str, CodedRows]) -> Run:
    known, given = facts.pop("answers"), facts.pop("measures")
    facts.pop("instead")
    facts.pop("selection", None)  # of older stores, which cut all models to the items they share
    answers = None if known is None else _unpack_answers(known, rows["scores"])
    scores = rows["scores"].numbers.get("score", np.empty(0)) if "scores" in rows else np.empty(0)
    published = iter(_unpack_published(rows["estimates"]) if "estimates" in rows else ())
    measures, start = {}, 0
    for name, one in given.items():
        own = dict(one)
        values = None
        if own.pop("scored"):
            size = 0 if answers is None else len(answers.ids)
            values, start = scores[start : start + size], start + size
        if own.pop("published"):
            own |= next(published)
        low, high = own.pop("limits")
        measures[name] = Measure(scores=values, limits=(low, high), **own)
    agree = {name: Agreement(*one) for name, one in facts.pop("agree").items()}
    notes, parts = notes_of(facts.pop("notes")), tuple(facts.pop("parts"))
    return Run(measures=measures, rows=answers, agree=agree, notes=notes, parts=parts, **facts)


def _unpack_published(rows: CodedRows) -> list[dict[str, float | int | None]]:
    """The published score, its error and its number of items, of each measure with one."""
    values, errors, sizes = (rows.numbers[role].tolist() for role in ("score", "se", "n"))
    return [
        {"value": value, "se": None if math.isnan(se) else se,
         "n": None if math.isnan(n) else int(n)}
        for value, se, n in zip(values, errors, sizes, strict=True)
    ]  # fmt: skip


def _unpack_answers(known: Mapping[str, Any], rows: CodedRows) -> Answers:
    size = known["size"]
    first = CodedRows(
        rows.place[:size],
        {role: one._replace(codes=one.codes[:size]) for role, one in rows.labels.items()},
        {role: values[:size] for role, values in rows.numbers.items()},
    )
    other = first.texts("other") if known["others"] else None
    identity, position = known["identity"]
    return Answers(
        tuple(str(one) for one in first.texts("item") or ()),
        first.numbers["state"].astype(np.uint8),
        first.numbers["attempt"] if known["repeats"] else None,
        first.texts("cluster") if known["clusters"] else None,
        None if other is None else tuple(str(one) for one in other),
        first.numbers["print"] if known["prints"] else None,
        (identity, position),
    )

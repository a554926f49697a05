"""Several answers to one row: their mean, what they differ in, and whether rows cross labels.

Where one answer is expected, rows that stand twice are refused, with the columns that tell them
apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.errors import DataError
from rankbars.tables.cleanrows import Records
from rankbars.tables.columns import fold_name, role_names
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.parsedtables import Group
from rankbars.tables.rowstates import ERROR, MISSING, SCORED, UNSCORED
from rankbars.tables.runnames import names_run

__all__ = [
    "MOST_CELLS",
    "REMOVE_COPIES",
    "THINNEST",
    "Answers",
    "Crossing",
    "DuplicateRowsError",
    "Labels",
    "duplicate_rows",
    "refuse_lacking_raters",
    "refuse_second_files",
]

# What answers differ in, by the role of the column that numbers them.
LABELLED: Mapping[str, str] = {
    "run": "runs", "repeat": "runs", "epoch": "runs", "variant": "prompts", "item": "items",
    "fold": "folds",
}  # fmt: skip

# A cube of more cells is not kept: it costs 8 bytes each.
MOST_CELLS = 40_000_000
THINNEST = 4  # nor is one with more than so many cells to an answer


class DuplicateRowsError(DataError):
    """A model has two rows where one is expected; raised while rows are counted."""


class Answers(NamedTuple):
    """Answers: the cell of the matrix they belong to, cell and number as one, score and state."""

    cell: NDArray[np.int64]
    identity: NDArray[np.int64]
    score: NDArray[np.float64]
    state: NDArray[np.uint8]

    @classmethod
    def joined(cls, parts: Sequence[Answers]) -> Answers:
        """All parts as one, sorted by cell and score so that sums do not depend on row order."""
        cell, identity, score, state = (
            np.concatenate([part[i] for part in parts]) for i in range(4)
        )
        order = np.lexsort((identity, state, score, cell))
        return cls(cell[order], identity[order], score[order], state[order])

    def has_duplicates(self) -> bool:
        """Whether an answer to a row stands twice."""
        return len(np.unique(self.identity)) < len(self.identity)

    def lost(self) -> NDArray[np.bool_]:
        """Which answers ran and have no score, in cells with several answers."""
        same = self.cell[1:] == self.cell[:-1]
        several = np.zeros(len(self.cell), np.bool_)
        several[1:] |= same
        several[:-1] |= same
        found: NDArray[np.bool_] = several & np.isin(self.state, (UNSCORED, ERROR))
        return found

    def lost_by(self, task: NDArray[np.int64], shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Answers that failed, that ran without a score, and all, by task and model: (3, T, M)."""
        lost, model = self.lost(), self.cell % shape[1]
        kinds = (lost & (self.state == ERROR), lost & (self.state == UNSCORED),
                 self.state != MISSING)  # fmt: skip
        place, size = task * shape[1] + model, shape[0] * shape[1]
        return np.stack([
            np.bincount(place[kind], minlength=size).reshape(shape) for kind in kinds
        ])  # fmt: skip

    def with_worst(
        self, worst: Sequence[float], task: NDArray[np.int64], models: int,
        names: Mapping[str, Sequence[str]], lost: NDArray[np.int64],
    ) -> Answers:  # fmt: skip
        """The same, where those that ran without a score beside others have the worst one.

        Parameters
        ----------
        worst : sequence of float
            Worst score by task, NaN where nothing says it.
        task : array of int
            The task of each answer.
        models : int
            Number of models.
        names : mapping from str to sequence of str
            Names of tasks and models.
        lost : array of int, shape (3, T, M)
            As `lost_by` gives it.

        Raises
        ------
        DataError
            If nothing says what the worst score is.
        """
        which = self.lost()
        score = np.asarray(worst, np.float64)[task]
        unknown = np.flatnonzero(which & np.isnan(score))
        if unknown.size:
            one, two = int(task[unknown[0]]), int(self.cell[unknown[0]] % models)
            raise DataError(
                f"Task {names['task'][one]!r} has no declared worst score, so what model "
                f"{names['model'][two]!r} answered without a score ({lost[:2, one, two].sum():,}) "
                "cannot count as failed. Declare it, for instance --score-min 0 (in Python: "
                "minimum=0), or leave out --missing fail."
            )
        return Answers.joined([self._replace(
            score=np.where(which, score, self.score),
            state=np.where(which, np.uint8(SCORED), self.state),
        )])  # fmt: skip

    def average(self, values: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Write the mean of the scored answers of each cell into `values`, shape (R, M).

        Returns
        -------
        (array of int, array of float), shape (R, M)
            Answers behind each value, and their variance with NaN where there are fewer than two.
        """
        behind = np.zeros(values.shape, np.int64)
        within = np.full(values.shape, np.nan)
        scored = self.state == SCORED
        cells, starts = np.unique(self.cell[scored], return_index=True)
        if len(cells):
            with np.errstate(over="ignore"):  # an infinite mean is refused as a score
                sums = np.add.reduceat(self.score[scored], starts)
            number = np.diff(np.append(starts, np.count_nonzero(scored)))
            values.reshape(-1)[cells] = sums / number
            behind.reshape(-1)[cells] = number
            several = number > 1
            if several.any():
                which = np.searchsorted(cells, self.cell[scored])
                off = self.score[scored] - (sums / number)[which]
                with np.errstate(over="ignore"):
                    squares = np.add.reduceat(np.square(off), starts)[several]
                within.reshape(-1)[cells[several]] = squares / (number[several] - 1)
        return behind, within

    def count_cells(
        self, models: int, counts: NDArray[np.int64], task_of_row: NDArray[np.int64]
    ) -> None:
        """Count cells by state, task and model: scored if any answer is, else an error, unscored.

        Those of which all answers are missing are so.
        """
        left = np.arange(len(self.cell))
        for state in (SCORED, ERROR, UNSCORED, MISSING):
            cells = np.unique(self.cell[left][self.state[left] == state])
            row, model = np.divmod(cells, models)
            np.add.at(counts[state], (task_of_row[row], model), 1)
            left = left[~np.isin(self.cell[left], cells)]


class Crossing(NamedTuple):
    """How the answers of one task are labelled.

    Parameters
    ----------
    averaged : tuple of str
        What answers to one row differ in, as the words of `LABELLED`.
    cube : array of float, shape (n, S, M), or None
        The answers by row, label and model, if every model with any answer gave one to every
        row under the same S labels. NaN for models without any answer.
    trials : array of float, shape (n, S, M), or None
        The scored answers by row, label and model where they are not complete so, or the labels
        are those of runs of one model each; NaN where there is none.
    """

    averaged: tuple[str, ...]
    cube: NDArray[np.float64] | None
    trials: NDArray[np.float64] | None = None

    def turned(self) -> Crossing:
        """The same with the other sign."""
        cube, trials = (None if one is None else 0.0 - one for one in self[1:])
        return Crossing(self.averaged, cube, trials)


class Labels(NamedTuple):
    """All answers of a group of tables, and what numbers them.

    Parameters
    ----------
    answers : Answers
        Answers, sorted by cell.
    roles : tuple of str
        Label roles that together number the answers to one row.
    widths : tuple of int
        Number of names of each role.
    """

    answers: Answers
    roles: tuple[str, ...]
    widths: tuple[int, ...]

    def cross(self, rows: slice, models: int) -> Crossing:
        """How the answers to some `rows` of the matrix with as many `models` are labelled."""
        first, last = np.searchsorted(
            self.answers.cell, [rows.start * models, rows.stop * models]
        ).tolist()
        cell = self.answers.cell[first:last]
        codes = self._codes(first, last)
        several = {role: code for role, code in codes.items() if _differ(cell, code)}
        averaged = tuple(dict.fromkeys(LABELLED[role] for role in several))
        row, model = np.divmod(cell - rows.start * models, models)
        code = _one_label(model, tuple(several.values()))
        # Labels of two columns are not independent draws: those that share a seed are alike.
        if code is None:
            return Crossing(averaged, None)
        shape = (rows.stop - rows.start, models)
        score, scored = self.answers.score[first:last], self.answers.state[first:last] == SCORED
        cube = _fill(row, model, code, score, shape, whole=True) if scored.all() else None
        if cube is not None:
            return Crossing(averaged, cube)
        if averaged == ("runs",):
            code = _own_labels(model, code)
        row, model, code, score = row[scored], model[scored], code[scored], score[scored]
        return Crossing(averaged, None, _fill(row, model, code, score, shape, whole=False))

    def _codes(self, first: int, last: int) -> dict[str, NDArray[np.int64]]:
        """Code of each answer by role, -1 for an empty cell; undoes the one number for all."""
        rest = self.answers.identity[first:last]
        codes = {}
        for role, width in zip(reversed(self.roles), reversed(self.widths), strict=True):
            rest, code = np.divmod(rest, width + 1)
            codes[role] = code - 1
        return {role: codes[role] for role in self.roles}


def _differ(cell: NDArray[np.int64], code: NDArray[np.int64]) -> bool:
    """Whether some cell has answers under two codes; `cell` is sorted."""
    same = cell[1:] == cell[:-1]
    return bool((same & (code[1:] != code[:-1])).any())


def _fill(
    row: NDArray[np.int64], model: NDArray[np.int64], code: NDArray[np.int64],
    score: NDArray[np.float64], shape: Sequence[int], *, whole: bool,
) -> NDArray[np.float64] | None:  # fmt: skip
    """Scores by row, label and model, NaN where there is none; None where they are too many.

    In a `whole` cube each model with any answer has all of them; else most may not be NaN.
    """
    names, label = np.unique(code, return_inverse=True)
    rows, models = shape
    cells = rows * len(names) * models
    fits = cells <= THINNEST * len(score)
    if whole:  # no answer stands twice, so that as many answers as cells fill them all
        fits = len(score) == rows * len(names) * len(np.unique(model))
    if not fits or not len(names) or names[0] < 0 or cells > MOST_CELLS:
        return None
    cube = np.full((rows, len(names), models), np.nan)
    cube[row, label.reshape(-1), model] = score
    return cube


def _one_label(
    model: NDArray[np.int64], codes: tuple[NDArray[np.int64], ...]
) -> NDArray[np.int64] | None:
    """The labels, where all columns name the same runs of a model, or all of them the same.

    Of several such columns the one with the fewest names.
    """
    if len(codes) < 2:
        return codes[0] if codes else None

    def count(*labels: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many different ones each model has."""
        return np.bincount(np.unique(np.stack((model, *labels)), axis=1)[0])

    runs = count(*codes)
    own = [count(code) for code in codes]
    telling = [code for code, found in zip(codes, own, strict=True) if (found == runs).all()]
    plain = all(((found == runs) | (found <= 1)).all() for found in own)
    return min(telling, key=lambda code: len(np.unique(code))) if plain and telling else None


def _own_labels(model: NDArray[np.int64], code: NDArray[np.int64]) -> NDArray[np.int64]:
    """Labels by their place among those of their model; an empty one stays -1."""
    width = int(code.max(initial=0)) + 2
    pairs, place = np.unique(model * width + code + 1, return_inverse=True)
    owner, named = np.divmod(pairs, width)
    rank = np.arange(len(pairs)) - np.searchsorted(owner * 2 + (named > 0), owner * 2 + 1)
    own: NDArray[np.int64] = np.where(named > 0, rank, -1)[place.reshape(-1)]
    return own


def duplicate_rows(records: Records, answers: Sequence[str]) -> DataError:
    """The error for rows that stand twice: names the first in the order of the matrix."""
    roles = ("task", *records.keys, "model", *answers)
    codes = ", ".join(f"{role}_code" for role in dict.fromkeys(roles))
    order = codes.replace(",", " NULLS FIRST,")
    same = records.select(
        f"count(*) AS n, count(*) OVER () AS more, {codes}", roles,
        f"GROUP BY {codes} HAVING count(*) > 1 ORDER BY {order} NULLS FIRST LIMIT 1",
    )  # fmt: skip
    repeated = records.ask(same)
    if not repeated:
        return DataError(
            f"{records.parts[0].source}: rows lack a score that they are said to have, so what "
            "they are read from is damaged. Make it again from the results."
        )
    count, groups, *found = repeated[0]
    known = dict(zip(dict.fromkeys(roles), found, strict=True))
    condition = " AND ".join(
        f"{role}_code IS NOT DISTINCT FROM {'NULL' if code is None else code}"
        for role, code in known.items()
    )
    rows = records.ask(
        records.select("part, place", roles, f"WHERE {condition} ORDER BY part, place")
    )
    places = [records.parts[part].place(place, {}) for part, place in rows[:2]]
    shown = [f"{role} {records.names[role][known[role]]!r}" for role in ("model", "task")]
    if records.keys:
        key = ":".join(records.names[role][known[role]] for role in records.keys)
        shown.append(f"{' and '.join(records.keys)} {key!r}")
    extra = groups - 1
    sources = {records.parts[part].source for part, _ in rows}
    return DuplicateRowsError(
        f"{places[0]}: {', '.join(shown)} has {count} rows (another: {places[1]})"
        f"{f', and {extra} more such rows' if extra else ''}. Expected one row for each. "
        f"{_advise(len(sources) > 1)}"
    )


def refuse_second_files(records: Records) -> None:
    """Raise `DuplicateRowsError` if files with one row per model and task share some of them.

    Versions of a published table are no repeated measurements.
    """
    if len(records.parts) < 2:
        return
    roles = ("task", "model")
    cells = records.select(
        "count(*) AS n, count(DISTINCT part) AS files, min(part) AS first, max(part) AS last, "
        "task_code AS task, model_code AS model", roles, "GROUP BY task_code, model_code",
    )  # fmt: skip
    found = records.ask(
        "SELECT count(*) FILTER (files > 1), bool_or(n > files), "
        "min_by((first, last, task, model), (task, model)) FILTER (files > 1) "
        f"FROM ({cells})"
    )
    ((shared, other, cell),) = found
    if not shared or other:
        return
    first, last, task, model = cell.values() if isinstance(cell, dict) else cell
    one, two = records.parts[first], records.parts[last]
    more = f", and there are {shared - 1:,} more such pairs" if shared > 1 else ""
    raise DuplicateRowsError(
        f"{one.source} and {two.source} both have a score of model "
        f"{records.names['model'][model]!r} on task {records.names['task'][task]!r}{more}. "
        "Published scores are no repeated measurements, so they are not averaged. If one file is a "
        "newer version of the other, give it alone; --reruns newest chooses it, and needs dates in "
        "the names of files (board_2026-05-01.csv). What changed between two versions: "
        "rankbars rank FILE -o BOARD for each, then rankbars diff OLD NEW. If each file is a "
        "run of the same models: one table with a column run."
    )


def _advise(several_files: bool) -> str:
    """What to do about rows that stand twice."""
    if several_files:
        return (
            "If the files are copies, leave one out. If each is another model or run, name models "
            "after their files: --column model= (in Python: columns={'model': ''}). If they are "
            "answers to the same items, name the column that numbers them: --column epoch=NAME."
        )
    return REMOVE_COPIES


# What to do about rows of one file that nothing tells apart.
REMOVE_COPIES = (
    "Remove the copies; or, if they are several answers to one item, name the column that numbers "
    "them: --column epoch=NAME (in Python: columns={'epoch': 'NAME'})."
)


def refuse_lacking_raters(group: Group, records: Records) -> None:
    """Answers by the same raters, judges or prompts compare models only where all have them.

    Answers that are numbered, or called after runs, stand for each other.

    Raises
    ------
    DataError
        If a model has no answer of a rater whom others share.
    """
    for role in group.plan.answers:
        column, names = group.roles.get(role), records.names.get(role, ())
        numbers = any(name.isdigit() or names_run(name) for name in names)
        few = 1 < len(names) <= _MOST_RATERS
        if column is None or fold_name(column) in role_names(role) or numbers or not few:
            continue
        pairs = set(
            records.ask(records.select(f"DISTINCT model_code, {role}_code", ("model", role)))
        )
        behind = {code: {model for model, one in pairs if one == code} for _, code in pairs}
        models = {model for model, _ in pairs}
        shared = {code: own for code, own in behind.items() if len(own) > 1}
        for code, own in shared.items():
            lacking = [
                model for model in models - own if any(model in one for one in shared.values())
            ]
            if code is not None and lacking:
                name, first = names[code], records.names["model"][min(lacking)]
                others = paste_condition(f"{quote_column(column)} <> '{name}'")
                raise DataError(
                    f"{group.parts[0].rows.source}: {first!r} has no answer of {name!r} (column "
                    f"{column!r}), whom other models have, so its mean is that of other "
                    f"{column}s. Compare answers that all models have: {others}; or leave the "
                    "model out. If one may stand for the other, number the answers instead: 1, 2, …"
                )


_MOST_RATERS = 100

"""Tables as rows by role, what only their files can name, and tables whose rows mean the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from types import MappingProxyType
from typing import NamedTuple

from rankbars.data.notes import Note
from rankbars.errors import DataError
from rankbars.tables.cells import NumberColumn, merge_columns
from rankbars.tables.columns import fold_name
from rankbars.tables.designs import RowPlan
from rankbars.tables.metrics import usual_direction
from rankbars.tables.settings import Setting
from rankbars.tables.tablerows import Rows, Table

__all__ = ["NOBODY", "FileNames", "Group", "ParsedTable", "TidyTable", "take_names"]


class FileNames(NamedTuple):
    """Names for what a table does not say itself, taken from its file.

    Parameters
    ----------
    model : str or None
        Name for the model; None if there is no file.
    task : str
        Name for the task.
    shared_task : str
        Name for the task where the file is already named after its model.
    metric : str or None
        Metric that the file is called after.
    given : bool
        Whether the caller gave the name of the model.
    crossed : str
        What to ask where the path does not tell the model from the task; empty if it does.
    grid : bool
        Whether each folder then holds a file of each name.
    folders : bool
        Whether the name of the model is that of a folder.
    run : str or None
        The run that the path names, such as ``"seed0"``; None if it names none.
    """

    model: str | None
    task: str
    shared_task: str
    metric: str | None = None
    given: bool = False
    crossed: str = ""
    grid: bool = False
    folders: bool = False
    run: str | None = None


# Of tables that have taken their names already.
NOBODY = FileNames(None, "", "")


class TidyTable(NamedTuple):
    """Rows of scores with what is known about their columns.

    Parameters
    ----------
    rows : Rows
        Label roles ``model`` and ``task`` at least, number role ``score``.
    roles : dict of str to str
        Column by role.
    named : frozenset of str
        Roles that the caller named.
    metric : str or None
        Name of the metric if the score column is called after one.
    remarks : tuple of (str, str)
        Code and text of what was recognised and what was taken from the file name.
    lacking : tuple of str
        Label roles that no column plays; the file gives their names (`take_names`).
    renamed : bool
        Whether a metric that the file is called after goes before `metric`.
    table : Table, optional
        The table with all its columns, for messages.
    attributes : mapping from str to mapping
        What the table says of each model beside its scores, by column.
    settings : tuple of Setting
        What it says of the tasks as models were given them.
    header : tuple of str
        Names of models or tasks in the order of the header, where it holds them.
    """

    rows: Rows
    roles: dict[str, str]
    named: frozenset[str]
    metric: str | None
    remarks: tuple[tuple[str, str], ...]
    lacking: tuple[str, ...] = ()
    renamed: bool = False
    table: Table | None = None
    attributes: Mapping[str, Mapping[str, str]] = MappingProxyType({})
    settings: tuple[Setting, ...] = ()
    header: tuple[str, ...] = ()

    def with_constants(self, names: Mapping[str, str]) -> TidyTable:
        """The table with further label roles, each with one name on every row."""
        constants = {**self.rows.constants, **names}
        return self._replace(rows=replace(self.rows, constants=constants))

    def with_remark(self, code: str, text: str) -> TidyTable:
        """The table with something more to be said of it."""
        return self._replace(remarks=(*self.remarks, (code, text)))


class ParsedTable(NamedTuple):
    """One table of a file, read without regard to any other.

    Parameters
    ----------
    table : TidyTable
        What it holds; names that only its file can give are not in it yet.
    names : FileNames
        Those names; they depend on what other files there are.
    notes : tuple of Note
        What must be said about the file.
    """

    table: TidyTable
    names: FileNames
    notes: tuple[Note, ...] = ()

    @property
    def source(self) -> str:
        """Name of the table for messages."""
        return self.table.rows.source


def take_names(table: TidyTable, names: FileNames) -> TidyTable:
    """The table with what only its file can name, ready to be counted.

    Parameters
    ----------
    table : TidyTable
        A table as `prepare_tidy` gives it.
    names : FileNames
        Names for what it does not say itself.

    Raises
    ------
    DataError
        If the caller named the models of a table that names them itself, or it cannot be told
        what is the name of a model and what that of a task.
    """
    if names.given and "model" not in table.lacking:
        raise DataError(
            f"{table.rows.source}: the file names its models itself, in the column "
            f"{table.roles.get('model', 'of models')!r}, so it takes no other name. Leave the name "
            "out."
        )
    if names.crossed and "model" in table.lacking and ("task" in table.lacking or names.grid):
        raise DataError(f"{table.rows.source}: {names.crossed}")
    remarks, constants = list(table.remarks), {}
    for role in table.lacking:
        task = names.shared_task if "model" in table.lacking else names.task
        name = task if role == "task" else str(names.model)
        constants[role] = name
        remarks.append(_name_remark(role, name, names))
    roles = dict(table.roles)
    if names.run is not None and table.rows.count == 1 and set(table.lacking) == {"model", "task"}:
        for role in _AGAIN & roles.keys():  # of one score, how long it was trained for
            del roles[role]
    if names.run is not None and "task" in table.lacking and not _AGAIN & roles.keys():
        constants["run"], roles["run"] = names.run, "run"
        remarks.append(("run-from-file", _RUN_REMARK))
    known = table.metric is not None and fold_name(table.metric) != "score"
    known = known and usual_direction(str(table.metric)) is not None
    metric = table.metric if known or names.metric is None or not table.renamed else names.metric
    return table.with_constants(constants)._replace(
        roles=roles, metric=metric, remarks=tuple(remarks), lacking=()
    )


# Roles that say how often something was asked.
_AGAIN = frozenset({"run", "epoch", "repeat", "fold", "variant"})
_RUN_REMARK = (
    "No column names the run; it is taken from the path. Files of one model whose paths differ in "
    "the run alone hold answers to the same items."
)


def _name_remark(role: str, name: str, names: FileNames) -> tuple[str, str]:
    """Remark that the model or task has no column of its own."""
    if role == "model" and names.folders:
        return "name-from-file", (
            "No column names the model; files of one name are called after their folders. If the "
            "folders are tasks, name the model: NAME=PATTERN."
        )
    if name != names.model:
        return "constant-name", f"No column names the {role}; it is called {name!r}."
    cut = names.metric is not None and names.metric not in name
    without = f", without {names.metric!r} in its name" if cut else ""
    return "name-from-file", f"No column names the {role}; it is called after the file{without}."


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Tables whose rows mean the same.

    Parameters
    ----------
    plan : RowPlan
        What a row is.
    parts : tuple of TidyTable
        The tables.
    roles : mapping from str to str
        Column by role; of the first table that has the role.
    named : frozenset of str
        Roles that the caller named.
    metric : str or None
        Name of the metric where no column tells it, if all tables agree.
    """

    plan: RowPlan
    parts: tuple[TidyTable, ...]
    roles: Mapping[str, str]
    named: frozenset[str]
    metric: str | None

    @classmethod
    def of(cls, plan: RowPlan, parts: Sequence[TidyTable]) -> Group:
        """The group of `parts`."""
        roles: dict[str, str] = {}
        for part in parts:
            roles = {**part.roles, **roles}
        metrics = {part.metric for part in parts}
        if len(metrics) > 1 and any("metric" not in part.roles for part in parts):
            # Score columns with different names in different files: each name is a metric.
            parts = [
                part
                if "metric" in part.roles or part.metric is None
                else part.with_constants({"metric": part.metric})
                for part in parts
            ]
        return cls(
            plan,
            tuple(parts),
            roles,
            frozenset().union(*(part.named for part in parts)),
            next(iter(metrics)) if len(metrics) == 1 else None,
        )

    @property
    def score(self) -> NumberColumn:
        """What the columns of scores hold."""
        return reduce(merge_columns, (part.rows.numbers["score"] for part in self.parts))

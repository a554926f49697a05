"""Columns that measure what is compared in several ways: metrics are no models."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import NoReturn

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.asides import describes_answers, is_summary
from rankbars.tables.cells import NumberColumn
from rankbars.tables.columns import fold_name, paste_columns, role_names
from rankbars.tables.conditions import TableView, paste_condition, quote_column
from rankbars.tables.database import quote_text
from rankbars.tables.likelyroles import likely_roles
from rankbars.tables.metrics import (
    depends_on_scale,
    is_bare_metric,
    is_measure,
    usual_direction,
)
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.relations import Relation
from rankbars.tables.tableheads import FOLD_CORNERS, UNNAMED, Header, corner_names
from rankbars.tables.tablerows import Table

__all__ = [
    "refuse_crossed_names", "refuse_measured", "refuse_measures", "refuse_metrics",
    "refuse_records", "refuse_systems", "refuse_unnamed_models", "take_measure",
]  # fmt: skip


class RenamedTable(TableView):
    """Some columns of a table, under other names.

    Parameters
    ----------
    table : Table
        The table.
    names : mapping from str to str
        Its columns, by the names that they get.
    """

    def __init__(self, table: Table, names: Mapping[str, str]) -> None:
        super().__init__(table)
        self._names, self.measured = dict(names), {}

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Header."""
        return tuple(self._names)

    def head(self, rows: int) -> list[tuple[object, ...]]:
        """First rows of these columns."""
        places = [self._table.columns.index(name) for name in self._names.values()]
        return [tuple(row[place] for place in places) for row in self._table.head(rows)]

    def relate(self, labels: Mapping[str, str], numbers: Mapping[str, str]) -> Relation:
        """The given columns in the database."""
        old = self._names
        found = self._table.relate(
            {role: old[name] for role, name in labels.items()},
            {role: old[name] for role, name in numbers.items()},
        )
        names = {*labels.values(), *numbers.values()}

        def renamed(known: Mapping[str, NumberColumn]) -> dict[str, NumberColumn]:
            return {name: known[old[name]] for name in names if old[name] in known}

        known_in = found.known_in
        return found._replace(
            columns={name: found.columns[old[name]] for name in names},
            known=renamed(found.known),
            known_in=None if known_in is None else lambda places: renamed(known_in(places)),
        )


def take_measure(table: Table, options: ReadOptions) -> Table:
    """The columns of one metric, called after what they measure, where each has several.

    So pivoted frames have them, with a row of the header for metrics and one for models.

    Parameters
    ----------
    table : Table
        The table.
    options : ReadOptions
        What the caller declares.
    """
    header = Header.of(table)
    told = any(options.columns.values()) or len(options.metrics) > 1
    told = told or options.layout not in (None, "items-by-models", "tasks-by-models")
    if told or header.names_models or options.metric in table.columns:
        return table
    measured = table.measured or _measured_in_names(header, told=options.layout is not None)
    chosen = next((own for name, own in measured.items()
                   if fold_name(name) == fold_name(options.metric or "")), None)  # fmt: skip
    if chosen is None:
        return table
    every = {name for own in measured.values() for name in own.values()}
    rest = {name: name for name in table.columns if name not in every}
    return RenamedTable(table, {**rest, **chosen})


def refuse_measured(table: Table, header: Header) -> None:
    """Raises `DataError` where what is compared has a column for each of several metrics."""
    measured = {} if header.names_models else table.measured or _measured_in_names(header)
    if measured:
        _refuse_mixing(table, measured)


def refuse_crossed_names(table: Table, header: Header) -> None:
    """Raises `DataError` for rows without a name beside names crossed with metrics.

    The names may be models, and rows tasks, or the other way round.
    """
    found = _measured_in_names(header, told=True)
    if not found:
        return
    names = list_names(dict.fromkeys(name for own in found.values() for name in own), 4)
    metric = shlex.join(("--metric", max(found, key=is_measure)))
    raise DataError(
        f"{table.source}: the first column has no name, and the others are {names}, each measured "
        f"in several ways ({list_names([*found], 4)}). If these are models, and rows are tasks, "
        f"such as data sets: --layout tasks-by-models {metric}; if rows are items of one task: "
        f"--layout items-by-models {metric}. If rows are models, and these are tasks: --layout "
        f"models-by-tasks {metric} (in Python: layout='models-by-tasks', "
        f"metric={max(found, key=is_measure)!r})."
    )


def _measured_in_names(header: Header, *, told: bool = False) -> Mapping[str, Mapping[str, str]]:
    """Columns such as ``ridge_rmse`` and ``rf_rmse`` by metric, beside tasks, items or folds.

    Where it is `told` what rows are, their column need not have a name.
    """
    rows = corner_names("task") | corner_names("item") | FOLD_CORNERS | {"prompt"}
    if fold_name(header.corner) not in rows and not (told and header.columns[0] in UNNAMED):
        return {}
    found = _systems_by_measure(_free_numbers(header, header.keys.values()))
    return found if 2 * sum(map(is_measure, found)) >= len(found) else {}


def refuse_unnamed_models(table: Table, header: Header) -> None:
    """Columns of numbers beside one of a few names may measure what it names, in several ways.

    Metrics are no models. Other columns may be: it is asked where only the number of a run tells
    rows of one name apart.

    Raises
    ------
    DataError
        If there are several such columns, and no column of models or of scores.
    """
    if header.names_models or header.has("score", weak=True):
        return
    found = _free_numbers(header, header.keys.values())
    measures = [name for name in found if is_measure(name)]
    metrics = len(measures) > 1 and 2 * len(measures) >= len(found)
    run = header.keys.get("run")
    if len(found) < 2 or not (metrics or (run is not None and header.is_different(run))):
        return
    roles = likely_roles(table)
    model = roles.get("model")
    if model is None or model in header.numeric or describes_answers(model):
        return
    shown = list_names(measures if metrics else found, 4)
    counted = next(iter(measures), found[0])
    named = {str(role): roles[role] for role in ("model", "task", "item") if role in roles
             and fold_name(roles[role]) not in role_names(role, weak=True)}  # fmt: skip
    one = f"--metric {shlex.quote(counted)}"
    said, other = "may be metrics", "each column of numbers is a model: --layout items-by-models"
    if metrics:
        said, other = "are metrics by their names", f"the file is that of one model: {one}"
    raise DataError(
        f"{table.source}: {shown} {said}, no column is called after models, and {model!r} has few "
        f"names, which repeat. If it names what is compared, name it, and the metric that counts: "
        f"{paste_columns(named)} {one} (in Python: columns={named!r}, metric={counted!r}). If "
        f"{other}."
    )


def _free_numbers(header: Header, keys: Collection[str]) -> list[str]:
    """Columns of numbers that neither name nor describe their rows."""
    return [
        name for name in header.columns
        if name in header.numeric and name not in (header.corner, *keys)
        and not (is_summary(name) or describes_answers(name))
    ]  # fmt: skip


def refuse_measures(table: Table, header: Header, keys: Collection[str] = ()) -> None:
    """Columns of numbers beside items of which most are called after metrics are no models."""
    found = _free_numbers(header, keys)
    refuse_systems(table, found)
    measures = [name for name in found if is_measure(name)]
    rate = _rate_of_counts(header, found)
    if rate:
        measures = [rate]
    elif len(measures) < 2 or 2 * len(measures) < len(found):
        return
    said = "is a metric by its name" if rate else "are metrics by their names"
    raise DataError(
        f"{table.source}: {list_names(measures, 5)} {said}, so the file seems to hold the answers "
        "of one model, measured in several ways. Say which counts: --metric "
        f"{shlex.quote(measures[0])} (in Python: metric={measures[0]!r}). If they are models: "
        "--layout items-by-models."
    )


def refuse_metrics(
    source: str, layout: str, corner: str, rows: Sequence[str], columns: Sequence[str]
) -> None:
    """Raises `DataError` where the tasks, or the models, of a matrix are metrics.

    Several metrics of the same results are no several tasks: what is better in one is better in
    most, so they would show what one result does not.

    Parameters
    ----------
    source : str
        The file.
    layout : str
        Layout of the matrix, of models and tasks, as its header says it.
    corner : str
        The column that names rows; empty where it has no name.
    rows, columns : sequence of str
        Names of rows, and of columns of scores.
    """
    across = len(columns) >= _FEWEST_METRICS and all(map(is_bare_metric, columns))
    found = columns if across else rows
    if not across and not (len(rows) > 1 and all(map(is_bare_metric, rows))):
        return
    shown = f"{list_names(found, 4)} are metrics by their names"
    chosen = next((name for name in found if not depends_on_scale(name)), found[0])
    if across and layout == "models-by-tasks":
        one = f"--metric {shlex.quote(chosen)} (in Python: metric={chosen!r})"
    elif not across and layout == "tasks-by-models":
        one = paste_condition(f"{quote_column(corner)} = {quote_text(chosen)}")
    elif across:
        one = f"--layout models-by-tasks --metric {shlex.quote(chosen)}"
    else:
        index = 0 if corner in UNNAMED else corner
        turned = f"pandas.read_csv({source!r}, index_col={index!r}).T.to_csv('turned.csv')"
        raise DataError(
            f"{source}: the rows {shown}, and no models. If columns are models, turn it, in "
            f"pandas: {turned}. Read that with the metric that counts: --metric "
            f"{shlex.quote(chosen)}."
        )
    raise DataError(
        f"{source}: {shown}, of the same results, and not several tasks: a model that is better in "
        f"one is better in most. Choose one: {one}. If each was measured on data of its own: "
        f"--layout {layout}."
    )


_FEWEST_METRICS = 3  # columns: two show nothing, and may be of other data, as val_acc and test_acc


def refuse_records(table: Table, header: Header) -> None:
    """Raises `DataError` for runs of a tracker, which says of each ``params.model``, say."""
    found: dict[str, str] = {}
    for name in header.columns:
        match = _RECORDED.fullmatch(name)
        for role in ("model", "task", "fold", "run"):
            if match is not None and fold_name(match["name"]) in role_names(role):
                found.setdefault(role, name)
    metrics = [name for name in header.columns if name.startswith("metrics.")]
    metrics.sort(key=lambda name: usual_direction(name) != "higher")
    if "model" in found and metrics:
        raise DataError(
            f"{table.source}: the columns are those of runs that a tracker kept, and "
            f"{found['model']!r} says of which model each is. If so: {paste_columns(found)} "
            f"--metric {shlex.quote(metrics[0])} (in Python: columns={found!r}, "
            f"metric={metrics[0]!r})."
        )


_RECORDED = re.compile(r"(?:params|config|tags)[._/](?P<name>[^._/]+)")


def _rate_of_counts(header: Header, found: Sequence[str]) -> str:
    """The one metric with fractions beside counts, which no model is; empty where there is none.

    Examples
    --------
    >>> header = Header(["utt", "wer", "sub", "hits"], [("a", 0.25, 1, 3), ("b", 0.0, 0, 4)])
    >>> _rate_of_counts(header, ["wer", "sub", "hits"])
    'wer'
    """
    cells = {name: [one for one in header.read[name] if one is not None and one == one]
             for name in found}  # fmt: skip
    broken = [name for name in found if any(one % 1.0 > 0.0 for one in cells[name])]
    counts = [one for name in found if name not in broken for one in cells[name]]
    if len(broken) != 1 or len(found) < _FEWEST_COUNTS or usual_direction(broken[0]) is None:
        return ""
    return broken[0] if min(counts, default=-1.0) >= 0.0 and max(counts) > 1.0 else ""


_FEWEST_COUNTS = 3  # columns: with fewer, one may be a model that has whole numbers


def refuse_systems(table: Table, found: Sequence[str]) -> None:
    """Columns of several systems, each measured in several ways, have no ranking of all."""
    if measured := _systems_by_measure(found):
        _refuse_mixing(table, measured)


def _refuse_mixing(table: Table, measured: Mapping[str, Mapping[str, str]]) -> NoReturn:
    systems = list(dict.fromkeys(name for own in measured.values() for name in own))
    first = next(iter(measured))
    raise DataError(
        f"{table.source}: {list_names(systems, 4)} are measured in several ways "
        f"({list_names([*measured], 4)}), and one ranking of all would mix these. A board shows "
        f"one metric; choose it: --metric {shlex.quote(first)} (in Python: metric={first!r})."
    )


def _systems_by_measure(names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Names that are systems crossed with metrics, by both; empty where they are not.

    >>> _systems_by_measure(["gpt-4_f1", "gpt-4_total_tokens", "gpt-4-mini_f1",
    ...                      "gpt-4-mini_total_tokens"])["total_tokens"]
    {'gpt-4': 'gpt-4_total_tokens', 'gpt-4-mini': 'gpt-4-mini_total_tokens'}
    """
    parts = [
        (name[: one.start()], name[one.end() :], name)
        for name in names for one in _BETWEEN.finditer(name)
    ]  # fmt: skip
    for split in (parts, [(last, first, name) for first, last, name in parts]):
        called = {(system, measure): name for system, measure, name in split}
        for system, measure in [pair for pair, name in called.items() if name == names[0]]:
            systems = [one for one, what in called if what == measure]
            measures = [what for one, what in called if one == system
                        and all((other, what) in called for other in systems)]  # fmt: skip
            crossed = {called[one, what] for one in systems for what in measures}
            enough = min(len(systems), len(measures)) > 1 and any(map(is_measure, measures))
            if enough and len(crossed) == len(systems) * len(measures) == len(names):
                return {what: {one: called[one, what] for one in systems} for what in measures}
    return {}


_BETWEEN = re.compile(r"(?<=.)(?:[-_ .:/|~]+)(?=.)")

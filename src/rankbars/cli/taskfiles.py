"""Files that say something about each task: category, family, weight, chance level, limits."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import click

from rankbars.calls import check_name
from rankbars.cli.options import chance_option, collect_options, limits_option, named_option
from rankbars.data.spec import WITHIN_GROUPS
from rankbars.errors import DataError, ReadError

if TYPE_CHECKING:
    from rankbars.data.scores import Scores

__all__ = [
    "TaskFiles",
    "describe_tasks",
    "limit_tasks",
    "read_number",
    "read_task_file",
    "read_text",
    "task_file_options",
]

_HEADERS = ("task", "dataset", "benchmark", "subject", "category")
Field = Literal["category", "family", "weight", "chance"]


class TaskFiles(NamedTuple):
    """The files that say something about tasks or rows, as far as they were given."""

    categories: str | None
    families: str | None
    weights: str | None
    groups: str | None
    within_groups: str | None
    clusters: str | None
    chance: str | None
    limits: str | None

    @property
    def paths(self) -> list[str]:
        """The files that are read."""
        given = (self.categories, self.families, self.weights, self.groups, self.clusters,
                 self.chance, self.limits)  # fmt: skip
        return [path for path in given if path]

    def of_costs(self) -> TaskFiles:
        """What is said of costs, too: nothing of where scores begin and end."""
        return self._replace(chance=None, limits=None)

    def tell(self, scores: Scores, known: Sequence[str], patterns: Sequence[str]) -> Scores:
        """`scores` with what the files say, of the tasks that `patterns` choose by it."""
        from rankbars.cli.inputs import choose

        told: dict[Field, str | None] = {
            "category": self.categories, "family": self.families, "weight": self.weights,
            "chance": self.chance,
        }  # fmt: skip
        for field, path in told.items():
            if path is not None:
                scores = describe_tasks(scores, field, path, known)
        if self.clusters is not None:
            scores = _cluster_rows(scores, self.clusters)
        scores = choose(scores, (), (), patterns)
        if self.limits is not None:
            scores = limit_tasks(scores, self.limits, known)
        if (self.groups, self.within_groups) != (None, None):
            scores = _group_tasks(scores, self.groups, self.within_groups, known)
        return scores


task_file_options = collect_options(
    TaskFiles,
    "described",
    (
        click.option(
            "--categories", metavar="FILE",
            help="Category of each task: CSV, JSON or YAML, task to name.",
        ),
        click.option(
            "--families", metavar="FILE", help="Family of each task, in the same way."
        ),
        click.option(
            "--weights", metavar="FILE",
            help="Weight of each task, or of each category, 0 or more: in the average, and for "
            "--merge weighted.",
        ),
        click.option(
            "--groups", metavar="FILE",
            help="Groups of tasks that count as one in the average, in the same way: MMLU of 57 "
            "subjects as one of three. Those that an lm-eval log gives a value for do so anyway; "
            "none: no groups.",
        ),
        named_option(
            "--within-groups", known=WITHIN_GROUPS, default=None,
            help="Whether tasks count in their group by their number of rows (size, the default "
            "for --groups), or the same (equal).",
        ),
        click.option(
            "--clusters", metavar="FILE",
            help="Which rows go together, such as the sentences of a document: item and cluster, "
            "or task, item and cluster.",
        ),
        chance_option,
        limits_option,
    ),
)  # fmt: skip


def read_task_file(path: str) -> dict[str, str]:
    """What a file says about each task, as text.

    Parameters
    ----------
    path : str
        CSV (or TSV) with two columns, with or without a header ``task,...``; a JSON object; or a
        YAML mapping. The suffix decides.

    Raises
    ------
    ReadError
        If the file cannot be read, holds something else, or names a task twice.
    """
    text = read_text(path)
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        pairs = _json_pairs(path, text)
    elif suffix in (".yaml", ".yml"):
        pairs = _yaml_pairs(path, text)
    else:
        pairs = [(task, value) for task, value in _csv_rows(path, text, ("task", "value"))]
    return _once_each(path, pairs)


def describe_tasks(scores: Scores, field: Field, path: str, known: Sequence[str]) -> Scores:
    """`scores` with one field of each task set from a file.

    Parameters
    ----------
    scores : Scores
        The tasks that are used.
    field : {"category", "family", "weight", "chance"}
        What the file says.
    path : str
        The file.
    known : sequence of str
        Every task that was read; the file may speak of those that are not used.

    Raises
    ------
    ReadError
        If the file cannot be read, a weight or a score of guessing is not a finite number, or a
        weight is negative.
    UnknownOptionError
        If it names a task that was not read.
    DataError
        If a task that is used, or a category, has no weight in it.
    """
    from rankbars.data.notes import Note

    values: dict[str, Any] = read_task_file(path)
    categories = {info.category for info in scores.info.values() if info.category is not None}
    # A task without a category is one of its own.
    alone = {task for task, info in scores.info.items() if info.category is None}
    named, units = set(values), categories | alone
    if field == "weight" and named & categories and not (named & set(known)) - alone:
        given = {
            name: read_number(path, field, f"category {name!r}", text)
            for name, text in values.items()
        }
        lacking = sorted(units - named)
        if lacking and named <= units:  # another name is refused by its own words
            raise DataError(
                f"{path} gives no weight for {_quoted(lacking, 'categories')}. Add a line for "
                "every category; 0 leaves its tasks out of the average."
            )
        return scores.weigh_categories(given)
    _refuse_unknown(path, values, known)
    lacking = [task for task in scores.tasks if task not in values]
    if lacking and field == "weight":
        raise DataError(
            f"{path} gives no weight for {_quoted(lacking)}. Add a line for every task; "
            "0 leaves a task out of the average."
        )
    if field in ("weight", "chance"):
        values = {
            task: read_number(path, field, f"task {task!r}", text) if task in scores.info else text
            for task, text in values.items()
        }
    info = {
        task: replace(entry, **{field: values[task]}) if task in values else entry
        for task, entry in scores.info.items()
    }
    described = replace(scores, info=info)
    if not lacking:
        return described
    message = f"{path} gives no {field} for {_quoted(lacking)}."
    return described.with_notes([Note(f"no-{field}", message)])


def limit_tasks(scores: Scores, path: str, known: Sequence[str]) -> Scores:
    """`scores` with the least and the greatest possible score of tasks from a file.

    Parameters
    ----------
    scores : Scores
        The tasks that are used.
    path : str
        CSV (or TSV) with three columns, task, least and greatest score, with or without a header;
        or a JSON object of tasks to two numbers.
    known : sequence of str
        Every task that was read; the file may speak of those that are not used.

    Raises
    ------
    ReadError
        If the file cannot be read, or a task has no two numbers, the smaller one first.
    UnknownOptionError
        If it names a task that was not read.
    """
    text = read_text(path)
    if Path(path).suffix.lower() == ".json":
        example = '{"math": [0.25, 1]}'
        lines = _json_object(path, text, example)
        if not all(isinstance(ends, list) and len(ends) == 2 for _, ends in lines):
            raise ReadError.at(path, f"expected one JSON object, such as {example}.")
    else:
        rows = _csv_rows(path, text, ("task", "least", "greatest"))
        lines = [(task, ends) for task, *ends in rows]
    found = _once_each(path, lines)
    _refuse_unknown(path, found, known)
    for task, ends in found.items():
        try:
            low, high = (float(str(end)) for end in ends)  # true is no number
        except ValueError:
            low = high = math.nan
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ReadError.at(
                path,
                f"the limits of task {task!r} are {' and '.join(map(str, ends))}; expected two "
                "numbers, the least and the greatest possible score.",
            )
        found[task] = low, high
    info = {
        task: replace(entry, minimum=found[task][0], maximum=found[task][1])
        if task in found
        else entry
        for task, entry in scores.info.items()
    }
    return replace(scores, info=info)


def _group_tasks(
    scores: Scores, path: str | None, within: str | None, known: Sequence[str]
) -> Scores:
    """`scores` with tasks in the groups that a file names; those of the log where there is none.

    A task without a line is a group of its own; ``"none"`` as the file: no groups at all.
    """
    if path is None:
        groups = {task: one.group for task, one in scores.info.items() if one.group is not None}
        if not groups:
            return scores  # there is nothing to count in another way
    else:
        groups = {} if path == "none" else read_task_file(path)
    _refuse_unknown(str(path), groups, known)
    used = {task: group for task, group in groups.items() if task in scores.tasks}
    return scores.group_tasks(used, within=within or "size")


def _cluster_rows(scores: Scores, path: str) -> Scores:
    """`scores` with the clusters of rows from a file.

    It has two columns, row and cluster, for all tasks; or three, with the task first. JSON and YAML
    map rows to clusters.
    """
    if Path(path).suffix.lower() in (".json", ".yaml", ".yml"):
        return scores.cluster_rows(read_task_file(path))
    numbered, separator = _numbered_rows(path, read_text(path))
    rows = [row for _, row in numbered]
    widths = {len(row) for row in rows}
    if widths not in ({2}, {3}):
        raise ReadError.at(
            path, f"expected two columns (item{separator}cluster), or three with the task first."
        )
    header = [cell.lower() for cell in rows[0]]
    if header[-1] in ("cluster", "group", "document", "passage", "doc", "repo"):
        rows = rows[1:]
    if widths == {2}:
        return scores.cluster_rows({row[0]: row[1] for row in rows})
    found: dict[str, dict[str, str]] = {}
    for task, item, cluster in rows:
        found.setdefault(task, {})[item] = cluster
    return scores.cluster_rows({task: one for task, one in found.items() if task in scores.tasks})


def _refuse_unknown(path: str, named: Iterable[str], known: Sequence[str]) -> None:
    for task in named:
        check_name(f"task in {path}", task, known)


def read_text(path: str) -> str:
    """The text of a small file.

    Raises
    ------
    ReadError
        If it cannot be read, or is no text.
    """
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ReadError(f"Cannot read {path}: {error.strerror or error}.") from error
    except UnicodeDecodeError:
        from rankbars.readers.openedfiles import read_utf8

        return read_utf8(path)  # which says what it is instead


def read_number(path: str, field: str, what: str, text: str) -> float:
    """The number that a file gives as the `field` of `what`.

    Raises
    ------
    ReadError
        If it is none, or negative and a weight.
    """
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isfinite(value) and (value >= 0 or field != "weight"):
        return value
    expected = "a number, 0 or more" if field == "weight" else "a number"
    raise ReadError.at(path, f"the {field} of {what} is {text!r}; expected {expected}.")


def _once_each(path: str, pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for task, value in pairs:
        if task in values:
            raise ReadError.at(path, f"task {task!r} stands there twice; keep one line for it.")
        values[task] = value
    if not values:
        raise ReadError.at(path, "it is empty; one line per task was expected.")
    return values


def _numbered_rows(path: str, text: str) -> tuple[list[tuple[int, list[str]]], str]:
    """Rows that hold something, with their numbers, and what separates their cells."""
    from rankbars.readers.delimitedtext import read_cells

    rows, separator = read_cells(path, text)
    return [(number, row) for number, row in enumerate(rows, start=1) if any(row)], separator


def _csv_rows(path: str, text: str, columns: Sequence[str]) -> list[list[str]]:
    """Rows of so many cells, without the header where there is one."""
    numbered, separator = _numbered_rows(path, text)
    for number, row in numbered:
        if len(row) != len(columns):
            count = {2: "two", 3: "three"}[len(columns)]
            raise ReadError.at(
                path,
                f"expected {count} columns ({separator.join(columns)}), found {len(row)}.",
                row=number,
            )
    rows = [row for _, row in numbered]
    return rows[1:] if rows and rows[0][0].lower() in _HEADERS else rows


def _json_object(path: str, text: str, example: str) -> list[tuple[str, Any]]:
    try:
        # A plain dict would silently keep the last of two equal keys.
        values = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError) as error:
        raise ReadError.at(path, f"it does not hold valid JSON ({error}).") from error
    if not isinstance(values, list) or not all(isinstance(pair, tuple) for pair in values):
        raise ReadError.at(path, f"expected one JSON object, such as {example}.")
    return values


def _json_pairs(path: str, text: str) -> list[tuple[str, str]]:
    pairs = []
    for name, value in _json_object(path, text, '{"math": "reasoning"}'):
        members = value if isinstance(value, list) else []
        if members and all(isinstance(one, str) for one in members):
            pairs += [(one, name) for one in members]  # a group with the tasks in it
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            pairs.append((name, str(value)))
        else:
            raise ReadError.at(path, f"task {name!r} must have one plain value; found {value!r}.")
    return pairs


def _yaml_pairs(path: str, text: str) -> list[tuple[str, str]]:
    import yaml

    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        place = str(error).replace("\n", " ")
        raise ReadError.at(path, f"it does not hold valid YAML ({place}).") from error
    if not isinstance(node, yaml.MappingNode):
        raise ReadError.at(path, "expected a YAML mapping, one line 'task: value' per task.")
    # The text of a node is what was written: a task called "no" stays a name.
    pairs = []
    for key, value in node.value:
        members = value.value if isinstance(value, yaml.SequenceNode) else [value]
        if not all(isinstance(one, yaml.ScalarNode) for one in (key, *members)):
            raise ReadError.at(path, "expected one plain value per task.")
        if isinstance(value, yaml.SequenceNode):
            if not all(one.tag.endswith(":str") for one in members):
                raise ReadError.at(path, "expected one plain value per task, or a list of tasks.")
            pairs += [(one.value, key.value) for one in members]
        else:
            pairs.append((key.value, value.value))
    return pairs


def _quoted(names: Sequence[str], what: str = "tasks") -> str:
    from rankbars.data.notes import list_words

    return list_words(map(repr, names), 5) + (f" {what}" if len(names) > 5 else "")

"""Published scores with their uncertainty: one row per model and task, or rows without a name."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Estimates, Evidence
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.taskinfo import TaskInfo
from rankbars.errors import DataError
from rankbars.stats.countscores import binomial_se
from rankbars.stats.pairwise.modelscores import cluster_summary
from rankbars.tables.cleanrows import Batch, Records
from rankbars.tables.columnkinds import (
    ask_about_kinds,
    ask_about_models,
    find_other_kinds,
    refuse_changes,
)
from rankbars.tables.columns import paste_columns
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.descriptions import AboutTasks
from rankbars.tables.metrics import is_proportion
from rankbars.tables.oddscores import check_scores, check_unbounded
from rankbars.tables.parsedtables import Group
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.remarks import Counted, describe_lost_rows, describe_rows
from rankbars.tables.repeats import Answers, duplicate_rows, refuse_second_files
from rankbars.tables.rowstates import MISSING, SCORED, UNSCORED
from rankbars.tables.runnames import refuse_times
from rankbars.tables.wide import HEADER

__all__ = ["Summaries", "build_estimates", "read_estimates"]

FIELDS = ("se", "ci_low", "ci_high", "ci_level", "n", "weight")
USUAL_LEVEL = 0.95


class Summaries(NamedTuple):
    """Scores of all tasks, shape (T, M) each; NaN = not published.

    Parameters
    ----------
    mean, se : array of float
        Score as given, and its standard error.
    n : array of int
        Rows behind each score, or as many as their clusters are worth; 0 = not known.
    present : array of bool
        Whether the model has a row of the task.
    weight : array of float
        Weight as given.
    sources : frozenset of str
        Where standard errors come from: ``"se"``, ``"interval"``, ``"usual level"``, ``"rows"``.
    left_out : mapping from str to int
        Rows left out, by reason.
    lost : array of int, shape (3, T, M), or None
        Rows behind each score that failed, that have no score; and all. None where a score is one
        row.
    cluster : str
        Column of those whose rows go together; empty where rows are independent.
    """

    mean: NDArray[np.float64]
    se: NDArray[np.float64]
    n: NDArray[np.int64]
    present: NDArray[np.bool_]
    weight: NDArray[np.float64]
    sources: frozenset[str]
    left_out: Mapping[str, int]
    lost: NDArray[np.int64] | None = None
    cluster: str = ""


def read_estimates(group: Group, records: Records, about: AboutTasks) -> Scores:
    """Scores of a group of tables that have one score per model and task, or rows without a name.

    Raises
    ------
    DataError
        If they cannot be meant as they stand.
    """
    from rankbars.tables.derivedscores import without_derived
    from rankbars.tables.slips import check_slips, note_slips

    names = records.names
    if records.options.layout is None and "task" not in group.named:
        _refuse_times(group, names["task"])
    worst = about.worst(names["task"]) if records.options.failed else None
    summaries = _read_summaries(records, worst, group.roles.get("cluster", ""))
    header = tuple(name for part in group.parts for name in part.header)
    summaries, derived = without_derived(summaries, names, header, records.options)
    present = summaries.present
    codes = {task: code for code, task in enumerate(names["task"])
             if task in about.metrics and present[code].any()}  # fmt: skip
    means = {task: np.where(present[code], summaries.mean[code], np.nan)
             for task, code in codes.items()}  # fmt: skip
    if about.limits[0] is None:
        refuse_changes(means, names["model"])
    check_scores(means, names["model"], about)
    slips: tuple[Note, ...] = ()
    if about.limits == (None, None):
        check_slips(means, names["model"], about.directions, about.metrics)
        slips = note_slips(means, names["model"], about.directions, about.metrics)
        if group.score.percentages == 0 and not slips:
            check_unbounded(means, about.assumed)
    if means and group.roles.get("model") == HEADER and not records.options.models:
        told = np.stack(list(means.values()))
        columns = dict(zip(names["model"], told.T, strict=True))
        ask_about_models(group.parts[0].rows.source, columns)
    unsure = group.metric is None and "se" not in group.roles  # what has an error is a score
    if group.roles.get("task") == HEADER and unsure:
        _ask_about_kinds(group, means, about.directions, records.options)
    percent = group.score.percentages > 0
    built, notes = build_estimates(summaries, names, about.metrics, percent=percent)
    tasks: dict[str, Evidence] = {}
    info: dict[str, TaskInfo] = {}
    for task, estimates in built.items():
        info[task] = about.info(task, _task_weight(summaries, codes[task], task), None)
        lower = about.directions[task] == "lower"
        tasks[task] = replace(estimates, mean=0.0 - estimates.mean) if lower else estimates
    if summaries.lost is not None:
        notes += describe_lost_rows(summaries.lost, names, counts=worst is not None)
    scores = Scores(tasks, info, (*about.notes, *derived, *slips, *notes))
    counted = Counted.of(names, summaries.left_out)
    if summaries.cluster:
        used = {role: name for role, name in group.roles.items() if role != "cluster"}
        group = replace(group, roles=used)
    return scores.with_notes(describe_rows(group, records.options, scores, counted, None))


def _ask_about_kinds(
    group: Group, means: Mapping[str, NDArray[np.float64]], directions: Mapping[str, str],
    options: ReadOptions,
) -> None:  # fmt: skip
    """Columns that do not lie on the scale of the others, and that the caller did not name.

    Those of which less is better may lie on any.
    """
    if len(options.metrics) > 1 or (options.minimum, options.maximum) != (None, None):
        return
    percent = not group.score.plain and group.score.percentages > 0
    others = [
        name for name in find_other_kinds(means, percent=percent)
        if name not in options.direction and directions[name] == "higher"
    ]  # fmt: skip
    if others:
        raise ask_about_kinds(group.parts[0].rows.source, list(means), others)


def _refuse_times(group: Group, tasks: Sequence[str]) -> None:
    """Dates and versions are no tasks, be they in a column or the names of files."""
    source = group.parts[0].rows.source
    column = group.roles.get("task")
    if column is None or len(group.parts) > 1:
        refuse_times(source, tasks, "give one file only", "--layout tidy")
    else:
        one = paste_condition(f"{quote_column(column)} = '{tasks[-1]}'")
        matrix = bool(group.parts[0].header)
        as_tasks = "--layout tasks-by-models" if matrix else paste_columns({"task": column})
        refuse_times(source, tasks, one, as_tasks)


def _read_summaries(records: Records, worst: Sequence[float] | None, sender: str) -> Summaries:
    """One score per model and task.

    Several rows of one model and task are summarised by their mean and its standard error, if the
    table holds no uncertainty of its own: without names, rows cannot be paired between models.
    Rows of one cluster may depend on each other.

    Parameters
    ----------
    records : Records
        The rows.
    worst : sequence of float, optional
        By task, what such a row without a score counts as; NaN where nothing says what the worst
        score is. Without it they are left out.
    sender : str
        What the column of clusters is called.

    Raises
    ------
    DataError
        If a row stands twice in a table with uncertainties, or once in each of several files, or
        an uncertainty is impossible, or a row without a score cannot count.
    """
    models = len(records.names["model"])
    shape = (len(records.names["task"]), models)
    fields = [name for name in FIELDS if name in records.numbers]
    _check(records)
    clusters = ("cluster",) if "cluster" in records.names else ()
    parts = list(records.batches(("model", "task", *clusters), fields))

    def column(name: str) -> NDArray[np.float64]:
        return np.concatenate([part.numbers[name] for part in parts], dtype=np.float64)

    cell = np.concatenate([
        part.codes["task"].astype(np.int64) * models + part.codes["model"] for part in parts
    ])  # fmt: skip
    score = column("value")
    records.refuse_outside(score)
    seen = np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)
    values = {name: np.full(shape, np.nan) for name in ("score", *fields)}
    for name, target in values.items():
        target.reshape(-1)[cell] = score if name == "score" else column(name)
    weight = values.get("weight", np.full(shape, np.nan))
    left_out = records.left_out()
    if seen.size and seen.max() > 1:
        refuse_second_files(records)
        # Where most models have one row, a second one is no second answer.
        if {"se", "ci_low", "n"} & set(fields) or np.median(seen[seen > 0]) == 1:
            raise duplicate_rows(records, ())
        for code in range(shape[0]):
            records.ask_about_mark(code, score[cell // models == code])
        identity = _in_clusters(cell, parts, records) if clusters else cell
        answers = Answers.joined([Answers(cell, identity, score, _states(parts, score, records))])
        task = answers.cell // models
        lost = answers.lost_by(task, shape)
        if worst is not None:
            answers = answers.with_worst(worst, task, models, records.names, lost)
        mean = np.full(shape, np.nan)
        n, within = answers.average(mean)
        se = np.sqrt(within / np.maximum(n, 1))
        cluster = ""
        if clusters and (grouped := _by_cluster(answers, shape, named=records.named)) is not None:
            (se, n), cluster = grouped, sender
        told = frozenset({"rows"})
        return Summaries(mean, se, n, seen > 0, weight, told, left_out, lost, cluster)
    se, sources = _standard_errors(values, shape)
    n = np.nan_to_num(values.get("n", np.zeros(shape))).astype(np.int64)
    return Summaries(values["score"], se, n, seen > 0, weight, sources, left_out)


def _in_clusters(
    cell: NDArray[np.int64], parts: Sequence[Batch], records: Records
) -> NDArray[np.int64]:
    """The cell and the cluster of each row as one number.

    Raises
    ------
    DataError
        If a row lacks the cluster that the caller named.
    """
    code = np.concatenate([part.codes["cluster"].astype(np.int64) for part in parts])
    if (code < 0).any() and "cluster" in records.named:
        records.refuse("cluster_code IS NULL", "the cluster is empty. Every row needs one.",
                       ("cluster",))  # fmt: skip
    # Rows without a cluster are one each.
    alone = len(records.names["cluster"]) + np.arange(len(code))
    return cell * (len(records.names["cluster"]) + len(code)) + np.where(code < 0, alone, code)


def _by_cluster(
    answers: Answers, shape: tuple[int, int], *, named: Collection[str]
) -> tuple[NDArray[np.float64], NDArray[np.int64]] | None:
    """Standard errors of means of rows that go together, and what number of rows they are worth.

    None where a column that only looks like one of clusters holds a single one of some model.
    """
    se, worth = np.full(shape, np.nan), np.zeros(shape, np.int64)
    scored = answers.state == SCORED
    cells, starts = np.unique(answers.cell[scored], return_index=True)
    for cell, score, cluster in zip(
        cells.tolist(),
        np.split(answers.score[scored], starts[1:]),
        np.split(answers.identity[scored], starts[1:]),
        strict=True,
    ):
        if "cluster" not in named and (cluster == cluster[0]).all():
            return None
        found = cluster_summary(score[:, None], cluster)
        se.flat[cell] = found.se[0]
        worth.flat[cell] = int(np.nan_to_num(found.df[0])) + 1
    return se, worth


def _states(
    parts: Sequence[Batch], score: NDArray[np.float64], records: Records
) -> NDArray[np.uint8]:
    """State of each row; one that says it is missing lacks a score, unless another stands in."""
    told = [
        np.full(len(part.numbers["value"]), SCORED) if part.state is None else part.state
        for part in parts
    ]
    state = np.concatenate(told)
    absent = UNSCORED if "imputed" not in records.names else MISSING
    state = np.where(state == MISSING, absent, state)
    state = np.where(np.isnan(score) & (state == SCORED), UNSCORED, state)
    return state.astype(np.uint8)


_FAULTS = (
    (("se",), "se < 0 OR isinf(se)", "the standard error must be 0 or more"),
    (("n",), "n < 0 OR isinf(n) OR n <> floor(n)", "n must be a whole number, 0 or more"),
    (("n",), "n > 1e15 AND NOT isnan(n)", "n must be at most 1,000,000,000,000,000"),
    (("ci_low", "ci_high"), "ci_high < ci_low OR isinf(ci_low) OR isinf(ci_high)",
     "the interval must be finite, its low end below its high end"),
    (("ci_level",), "ci_level <= 0 OR ci_level >= 100 OR isinf(ci_level)",
     "the level of the interval must lie between 0 and 1, or 0 and 100 %"),
)  # fmt: skip


def _check(records: Records) -> None:
    """Raise `DataError` about the first uncertainty that is none."""
    for needed, condition, problem in _FAULTS:
        if records.numbers >= set(needed):
            records.refuse(condition, f"{problem}. Correct the cell or leave it empty.")


def _standard_errors(
    values: Mapping[str, NDArray[np.float64]], shape: tuple[int, int]
) -> tuple[NDArray[np.float64], frozenset[str]]:
    """Standard errors as given, else from intervals."""
    sources = set()
    se = values.get("se", np.full(shape, np.nan)).copy()
    if not np.isnan(se).all():
        sources.add("se")
    if "ci_low" in values and "ci_high" in values:
        level = values.get("ci_level", np.full(shape, np.nan))
        width = values["ci_high"] - values["ci_low"]
        use = np.isnan(se) & ~np.isnan(width)
        if (use & np.isnan(level)).any():
            sources.add("usual level")
        if use.any():
            sources.add("interval")
            level = np.where(np.isnan(level), USUAL_LEVEL, level)
            level = np.where(level > 1.0, level / 100.0, level)
            levels, inverse = np.unique(level[use], return_inverse=True)
            z = np.array([NormalDist().inv_cdf(0.5 + one / 2.0) for one in levels])
            se[use] = width[use] / (2.0 * z[inverse])
    return se, frozenset(sources)


def build_estimates(
    summaries: Summaries, names: Mapping[str, Sequence[str]], metrics: Mapping[str, str | None],
    *, percent: bool, others: int = 0,
) -> tuple[dict[str, Estimates], tuple[Note, ...]]:  # fmt: skip
    """Evidence of each task, scores as given, and notes on where its uncertainty comes from.

    Parameters
    ----------
    summaries : Summaries
        Scores and uncertainties.
    names : mapping from str to sequence of str
        Names of models and tasks.
    metrics : mapping from str to str or None
        Metric by task that has scores.
    percent : bool
        Whether scores are written as percentages.
    others : int
        Tasks of other kinds beside these.
    """
    built: dict[str, Estimates] = {}
    binomial: list[str] = []
    without: list[str] = []
    for code, task in enumerate(names["task"]):
        present = np.flatnonzero(summaries.present[code])
        if not len(present):
            continue
        mean, n = summaries.mean[code, present], summaries.n[code, present]
        se = summaries.se[code, present]
        metric = metrics[task]
        open_cells = np.isnan(se) & ~np.isnan(mean) & (n > 0)
        if metric is not None and is_proportion(metric) and open_cells.any():
            scale = _scale(mean, task, percent=percent)
            se = np.where(open_cells, scale * binomial_se(mean / scale, n), se)
            binomial.append(task)
        unknown = bool(np.isnan(se).all())
        if unknown:
            without.append(task)
        built[task] = Estimates(
            tuple(names["model"][model] for model in present.tolist()),
            mean,
            se=None if unknown else se,
            n=n if n.any() else None,
        )
    return built, (
        *_describe_uncertainty(summaries, without, binomial, len(built) + others),
        *_describe_rounding(built),
    )


def _scale(mean: NDArray[np.float64], task: str, *, percent: bool) -> float:
    """What a share of 1 is written as: 1, or 100 for percentages."""
    known = mean[~np.isnan(mean)]
    scale = 100.0 if percent or (known > 1.0).any() else 1.0
    if ((known < 0.0) | (known > scale)).any():
        raise DataError(
            f"Task {task!r}: a proportion of n items must lie between 0 and {scale:g}; found "
            f"{known.min():g} to {known.max():g}. Correct the scores, or leave out the column n."
        )
    return scale


def _task_weight(summaries: Summaries, task: int, name: str) -> float:
    """Weight of a task; raises `DataError` if its rows disagree or it is not a number."""
    weights = summaries.weight[task, summaries.present[task]]
    if np.isnan(weights).all():
        return 1.0
    weight = float(weights[0])
    if not (weights == weight).all() or not np.isfinite(weight) or weight < 0:
        raise DataError(
            f"Task {name!r}: the weight must be one number, 0 or more, on all rows; found "
            f"{', '.join(f'{one:g}' for one in np.unique(weights)[:4])}."
        )
    return weight


def _describe_uncertainty(
    summaries: Summaries, without: Sequence[str], binomial: Sequence[str], tasks: int
) -> tuple[Note, ...]:
    """Notes on where standard errors come from."""
    notes = []
    if "rows" in summaries.sources:
        error = "its standard error"
        if summaries.cluster:
            error += f", which allows for rows of one {summaries.cluster!r} that go together"
        notes.append(Note(
            "unpaired",
            "No column says which item a row is about, so rows cannot be paired between models: "
            f"each model's rows were summarised by their mean and {error}. If a column names the "
            "item: --column item=NAME; if the order of rows is the order of items: --rows items.",
        ))  # fmt: skip
    if "interval" in summaries.sources:
        level = "as given"
        if "usual level" in summaries.sources:
            level = "95 %, taken because no column says it"
        notes.append(Note(
            "from-intervals",
            "Standard errors are half the width of the given intervals over the normal quantile of "
            f"their level ({level}).",
        ))  # fmt: skip
    if binomial:
        notes.append(Note(
            "binomial",
            f"Standard errors of {_some(binomial, tasks)} are binomial, from the score and n.",
        ))  # fmt: skip
    if without:
        reason = "no standard error, no interval"
        if summaries.n.any():
            reason += (
                "; n alone gives a standard error only for a metric known to be a proportion, "
                "declared for instance as --metric accuracy"
            )
        notes.append(Note(
            "no-uncertainty",
            f"Scores of {_some(without, tasks)} come without uncertainty ({reason}): their "
            "task-level rank intervals say nothing"
            + (", the average over the population of tasks does." if tasks > 1 else "."),
        ))  # fmt: skip
    return tuple(notes)


def _describe_rounding(built: Mapping[str, Estimates]) -> tuple[Note, ...]:
    """A note if exact ties may come from rounding."""
    tied = {}
    for task, evidence in built.items():
        known = evidence.mean[~np.isnan(evidence.mean)]
        if len(np.unique(known)) == len(known) or _is_share(evidence):
            continue
        for digits in range(4):
            if np.array_equal(np.round(known, digits), known):
                tied[task] = digits
                break
    if not tied:
        return ()
    digits = max(tied.values())
    decimals = f"at most {digits} decimals"
    if digits < 2:
        decimals = "at most 1 decimal" if digits else "no decimals"
    return (Note(
        "rounded",
        f"Scores of {_some(tuple(tied), len(built))} have {decimals} and exact ties; "
        f"rounding to {10.0**-digits:g} may have made ties that are not in the results.",
    ),)  # fmt: skip


def _is_share(evidence: Estimates) -> bool:
    """Whether every score is a count of items over their number, on a scale of 1 or 100."""
    if evidence.n is None:
        return False
    known = ~np.isnan(evidence.mean)
    for scale in (1.0, 100.0):
        share = evidence.mean[known] / scale
        if not len(share) or share.min() < 0.0 or share.max() > 1.0:
            continue
        count = share * evidence.n[known]
        if np.allclose(count, np.round(count), rtol=0.0, atol=1e-6 * max(1.0, count.max())):
            return True
    return False


def _some(tasks: Sequence[str], total: int) -> str:
    if len(tasks) == total:
        return "all tasks"
    shown = ", ".join(repr(task) for task in tasks[:3])
    return shown if len(tasks) <= 3 else f"{shown} and {len(tasks) - 3} more tasks"

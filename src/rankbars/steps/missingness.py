"""The verb `resolve_missing`: what happens where a model has no score, and how often that is."""

from __future__ import annotations

from collections import Counter

import numpy as np

from rankbars.calls import check_name
from rankbars.data.evidence import Items
from rankbars.data.notes import Note, list_names
from rankbars.data.scores import Scores
from rankbars.data.storedtasks import models_of
from rankbars.errors import DataError
from rankbars.steps.gappolicies import OWN_ROWS, POLICIES, own_rows_options, strangers
from rankbars.steps.gaps import (
    Gap,
    count_reasons,
    find_gaps,
    known_rows,
    lost_rows,
    lost_trials,
    never_run,
    of_own_rows,
    refuse_lost,
    tasks_apart,
    to_declare,
    worst_for_trials,
)
from rankbars.steps.testrows import row_notes, row_word

__all__ = ["refuse_gaps", "refuse_pairless", "resolve_items", "resolve_missing"]


_MOST_NAMES = 5


def resolve_missing(scores: Scores, policy: str = "raise", *, test: str = "auto") -> Scores:
    """Scores with the gaps treated by one stated policy, and a note that says what it did.

    Parameters
    ----------
    scores : Scores
        NaN, or a model that a task does not have, counts as missing: errored, unscored and
        absent answers alike.
    policy : str
        ``"raise"`` stops and shows what each policy would keep. ``"pairwise"`` compares every
        pair on the rows both have. ``"listwise"`` keeps the rows that every model has.
        ``"fail"`` gives a missing answer the declared minimum of the score. ``"drop_models"``
        leaves out models with a gap. ``"bounds"`` counts a model with a gap as absent from that
        task, where it may stand anywhere.
    test : str
        The test that compares models. ``"welch"`` pairs no rows: where no two models share one,
        those of the others are not missing.

    Returns
    -------
    Scores

    Raises
    ------
    DataError
        If there are gaps and the policy is ``"raise"``, or the policy leaves nothing.
    OptionError
        If ``"fail"`` is asked for and a task has no declared minimum.
    UnknownOptionError
        If the policy is not known.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [1, np.nan], [0, 0]]}, ["a", "b"])
    >>> resolve_missing(scores, "listwise").tasks["math"].n
    2
    """
    return _resolved(scores, find_gaps(scores), policy, test)


def _resolved(scores: Scores, gaps: list[Gap], policy: str, test: str) -> Scores:
    check_name("missing policy", policy, ("raise", *POLICIES))
    if policy in ("raise", "fail") and (rows := lost_rows(scores)):
        # What a mean of unnamed rows was made of is known to the reader alone.
        raise refuse_lost(
            scores, rows, "ranked or compared",
            'rb.read(path, failed="lowest", minimum=0), or missing="pairwise".',
        )  # fmt: skip
    if policy != "fail" and lost_trials(scores):
        scores = scores.with_notes(_trials_left_out(scores))
    if not gaps:
        return scores
    if test == OWN_ROWS and policy in ("raise", "pairwise") and _all_own(scores, gaps):
        lost = _lost_of_own(scores)
        if policy == "pairwise" or not lost:
            return scores.with_notes(_notes_on_own(scores, lost))
    if policy == "raise":
        raise refuse_gaps(
            scores, gaps, ("pairwise", "listwise", "drop_models", "bounds", "fail"), "ranked",
            "rb.leaderboard(scores, ", test=test,
        )  # fmt: skip
    done = _DONE[policy]
    if policy == "pairwise" and test == OWN_ROWS:
        done = _OF_OWN_ROWS
    elif policy == "pairwise":
        scores = scores.with_notes(strangers(scores, test, policy))
    resolved = POLICIES[policy](scores, gaps)
    note = Note("missing", f"{_summary(scores, gaps)} {done}", models=_named(gaps))
    failed = count_reasons(scores, gaps).failed
    if not failed or policy not in ("pairwise", "listwise"):
        return resolved.with_notes([note])
    left_out = Note(
        "failures-left-out",
        f"Failed and left out: {failed:,} of them. A model that fails where it would be wrong "
        "looks better than it is; --missing fail counts failures as the lowest score.",
        models=_named(gaps),
    )
    return resolved.with_notes([note, left_out])


def _all_own(scores: Scores, gaps: list[Gap]) -> bool:
    """Whether models lack the rows of each other alone."""
    if not gaps:
        return False
    own = of_own_rows(scores)
    return all(gap.task in own for gap in gaps)


def _lost_of_own(scores: Scores) -> dict[str, int]:
    """How many of its own rows each model has no score for, where it lacks any."""
    lost: Counter[str] = Counter()
    for task in of_own_rows(scores):
        coverage = scores.info[task].coverage
        if coverage is not None:
            counts = (coverage.errors + coverage.unscored).tolist()
            lost.update(dict(zip(models_of(scores.tasks, task), counts, strict=True)))
    return {model: lost[model] for model in scores.models if lost[model]}


def _told_of_own(lost: dict[str, int]) -> str:
    shown = ", ".join(f"{model} ({count:,})" for model, count in lost.items())
    one = sum(lost.values()) == 1
    return f"{sum(lost.values()):,} row{' has' if one else 's have'} no score: {shown}"


def _notes_on_own(scores: Scores, lost: dict[str, int]) -> list[Note]:
    text = (
        "Each model has rows of its own, so means of all rows of each are compared, and no rows "
        "are paired."
    )
    notes = [Note("unpaired-rows", text)]
    if lost:
        text = (
            f"{_told_of_own(lost)}. They are left out; valid if what is missing does not depend "
            "on the score. A model that fails where it would be wrong looks better than it is."
        )
        notes.append(Note("missing", text, models=tuple(sorted(lost))))
    return notes


def _refuse_own(scores: Scores, done: str, call: str, test: str, policy: str) -> DataError:
    """Rows that no two models share, and the test that does not pair any."""
    lost, task = _lost_of_own(scores), of_own_rows(scores)[0]
    valid = "; valid only if what failed has nothing to do with the score" if lost else ""
    evidence, first = scores.tasks[task], ""
    if isinstance(evidence, Items) and evidence.ids is not None:
        places = dict.fromkeys((~np.isnan(evidence.values)).argmax(axis=0).tolist())
        first = f" (first rows: {', '.join(repr(evidence.ids[row]) for row in [*places][:2])})"
    asked = test != OWN_ROWS
    said = (
        f"On task {task!r} no two models share a row{first}, so no differences on the same rows "
        f"can be taken. {'' if not lost else f'{_told_of_own(lost)}. '}"
    )
    way = " ".join(f"--{name} {value}" for name, value in own_rows_options(test, policy).items())
    more = " If rows are the same for all, name them alike." if asked else ""
    if isinstance(evidence, Items) and evidence.clusters is not None:
        return DataError(
            f"{said.rstrip()}\nNothing was {done}. If each model was given rows of its own, as in "
            "an A/B test, read them without names, and the means of all rows of each are compared, "
            "with errors that allow for clusters:\n  --column item=\nIn Python, where the table is "
            f"read: columns={{'item': ''}}.{more}"
        )
    python = 'test="welch", missing="pairwise"' if asked else 'missing="pairwise"'
    return DataError(
        f"{said.rstrip()}\nNothing was {done}. If each model was given rows of its own, as in an "
        f"A/B test, compare the means of all rows of each{valid}:\n  {way}\n"
        f"In Python: {call}{python}).{more}"
    )


def _trials_left_out(scores: Scores) -> list[Note]:
    lost = lost_trials(scores)
    option = f"--missing fail {worst_for_trials(scores)}".rstrip()
    return [
        Note(
            "failures-left-out",
            f"{note.message} A model that fails where it would be wrong looks better than it is; "
            f"{option} counts them as the lowest score.",
            note.task,
            note.models,
        )
        for note in lost
    ]


def resolve_items(scores: Scores, policy: str, *, test: str = "auto") -> Scores:
    """Scores with what is missing of tasks that were run treated by one policy.

    A model that left no trace on a task never ran it: that is no gap of this kind. One whose
    answers all failed did run it.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [1, np.nan], [0, 0]]}, ["a", "b"])
    >>> resolve_items(scores, "pairwise").notes[0].models
    ('b',)
    """
    gaps = [gap for gap in find_gaps(scores) if not never_run(scores, gap)]
    return _resolved(scores, gaps, policy, test)


def refuse_pairless(
    scores: Scores, test: str, done: str = "ranked", call: str = "rb.leaderboard(scores, "
) -> None:
    """Refuse to compare pairs on the rows both have, where no two models have a row in common.

    Raises
    ------
    DataError
        With the test that does not pair rows, unless it is the one that was asked for.
    """
    gaps = find_gaps(scores)
    apart = {gap.task for gap in gaps} == set(scores.tasks) and _all_own(scores, gaps)
    if test != OWN_ROWS and apart:
        raise _refuse_own(scores, done, call, "auto", "pairwise")


def refuse_gaps(
    scores: Scores, gaps: list[Gap], policies: tuple[str, ...], done: str, call: str, *,
    test: str = "auto",
) -> DataError:  # fmt: skip
    """What is missing and what each policy would keep, the one that fits the reason first.

    Parameters
    ----------
    scores : Scores
        Results with gaps.
    gaps : list of Gap
        All of them.
    policies : tuple of str
        What is offered: in this order, unless answers failed.
    done : str
        What was not done: ``"ranked"`` or ``"compared"``.
    call : str
        The call in Python, up to the option.
    test : str
        The test that was asked for.
    """
    if apart := tasks_apart(scores):
        return DataError(apart)
    if _all_own(scores, gaps):
        return _refuse_own(scores, done, call, test, "raise")
    offered = list(policies)
    lacking = _without_scores(scores, gaps)
    if lacking:  # with them nobody can be compared, whatever is left out
        offered = [name for name in offered if name not in ("pairwise", "listwise")]
    reasons, read = count_reasons(scores, gaps), ""
    if not all(isinstance(scores.tasks[gap.task], Items) for gap in gaps):
        offered.remove("fail")  # a published score that is missing is no answer that failed
    elif reasons.failed > reasons.absent and "X" not in (options := to_declare(scores, gaps)):
        offered.remove("fail")
        offered.insert(0, "fail")
        bounds = ", ".join(
            one.replace("score-min ", "minimum=").replace("score-max ", "maximum=")
            for one in options.split("--")[1:]
        ).replace(" ,", ",")
        read = f"scores = rb.read(path, {bounds}); " if bounds else ""
    if not offered:
        return DataError("\n".join((_summary(scores, gaps), *lacking, f"Nothing was {done}.")))
    lines = [
        _summary(scores, gaps),
        *lacking,
        *(note.message for note in strangers(scores, test, "raise")),
        f"Nothing was {done}. Choose what to do with them (the line to paste, what it keeps):",
        *(f"  --missing {name:<12}{_kept(scores, gaps, name, test)}" for name in offered),
        f'In Python: {read}{call}missing="{offered[0]}").',
    ]
    return DataError("\n".join(lines))


def _without_scores(scores: Scores, gaps: list[Gap]) -> list[str]:
    """A sentence on models that have no score on any task."""
    whole = Counter(gap.model for gap in gaps if gap.missing == gap.rows)
    found = [name for name in scores.models if whole[name] == len(scores.tasks)]
    if not found:
        return []
    has = "has" if len(found) == 1 else "have"
    return [
        f"{list_names(found, _MOST_NAMES)} {has} no score at all. "
        "Is the right column read as the score?"
    ]


_DONE = {
    "pairwise": "Every pair is compared on the rows both have; valid if what is missing does not "
    "depend on the score.",
    "listwise": "Only rows with a score from every model are used; valid if what is missing does "
    "not depend on the score.",
    "fail": "A missing answer counts as the lowest score.",
    "drop_models": "These models were left out.",
    "bounds": "On those tasks their rank may be any, from first to last; nothing is assumed about "
    "why.",
}


_OF_OWN_ROWS = (
    "Means are of all rows that each model has; valid if what is missing does not depend on the "
    "score."
)


def _kept(scores: Scores, gaps: list[Gap], policy: str, test: str) -> str:
    reasons = count_reasons(scores, gaps)
    valid = "; valid only if what failed has nothing to do with the score" if reasons.failed else ""
    if policy == "pairwise":
        which = "each on its own rows" if test == OWN_ROWS else "every pair on the rows both have"
        return f"all models, tasks and rows; {which}{valid}"
    if policy == "fail":
        options = to_declare(scores, gaps)
        need = f" (declare it: {options})" if options else ""
        doubt = (
            f"; doubtful: {reasons.absent:,} of them are not there, perhaps never asked"
            if reasons.absent
            else ""
        )
        return f"all models, tasks and rows; missing = lowest score{need}{doubt}"
    try:
        kept = POLICIES[policy](scores, gaps)
    except DataError:
        return "nothing"
    if policy == "bounds":
        return (
            f"all models, tasks and rows; in {len(gaps)} (model, task) cells with gaps the rank "
            "may be any"
        )
    total, rows = (sum(known_rows(one, task).rows for task in one.tasks) for one in (scores, kept))
    return (
        f"{len(kept.models)} of {len(scores.models)} models, "
        f"{len(kept.tasks)} of {len(scores.tasks)} tasks, {rows:,} of {total:,} rows"
        + ("; nothing to compare" if len(kept.models) < 2 else "")
        + (valid if policy == "listwise" else "")
        + _too_few(kept)
    )


def _too_few(kept: Scores) -> str:
    """What is said of a choice that leaves so few rows that they tell nobody apart."""
    every = [one for one in kept.tasks.values() if isinstance(one, Items)]
    few = [one for one in every if row_notes(one) and not np.isin(one.values, (0.0, 1.0)).all()]
    if len(few) < len(kept.tasks):
        return ""
    return f"; shows nothing: so few {row_word(few[0])} tell no models apart"


def _summary(scores: Scores, gaps: list[Gap]) -> str:
    missing = sum(gap.missing for gap in gaps)
    total = len(scores.models) * sum(known_rows(scores, task).rows for task in scores.tasks)
    by_model: dict[str, int] = {}
    for gap in gaps:
        by_model[gap.model] = by_model.get(gap.model, 0) + gap.missing
    ranked = sorted(by_model.items(), key=lambda entry: (-entry[1], entry[0]))
    shown = ", ".join(f"{name} ({count:,})" for name, count in ranked[:3])
    more = f" and {len(ranked) - 3} more models" if len(ranked) > 3 else ""
    share = "<0.1 %" if missing < 0.001 * total else f"{100 * missing / total:.1f} %"
    first = gaps[0]
    return (
        f"{missing:,} of {total:,} scores ({share}) are missing"
        f"{_statuses(scores)}: {shown}{more}; for instance model {first.model!r} on "
        f"{first.missing:,} of {first.rows:,} rows of task {first.task!r}."
    )


def _statuses(scores: Scores) -> str:
    counts = {"failed": 0, "ran but unscored": 0, "absent": 0}
    known = False
    for info in scores.info.values():
        if info.coverage is not None:
            known = True
            counts["failed"] += int(info.coverage.errors.sum())
            counts["ran but unscored"] += int(info.coverage.unscored.sum())
            counts["absent"] += int(info.coverage.missing.sum())
    if not known or not (counts["failed"] or counts["ran but unscored"]):
        return ""
    return " (" + ", ".join(f"{count:,} {word}" for word, count in counts.items() if count) + ")"


def _named(gaps: list[Gap]) -> tuple[str, ...]:
    return tuple(sorted({gap.model for gap in gaps}))

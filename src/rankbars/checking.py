"""Claims about results, from lines of text to verdicts."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankbars.calls import check_name
from rankbars.data.claim import Claim, known_names
from rankbars.data.evidence import same_scores
from rankbars.data.headtohead import HeadToHead
from rankbars.data.judged import OUT_OF_REACH, Check
from rankbars.data.ledger import digest_of
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.spec import MISSING_ITEMS, MISSING_TASKS, Spec, VoteOptions
from rankbars.data.taskgroups import count_groups
from rankbars.errors import DataError, OptionError
from rankbars.intake import refuse_scored_errors, refuse_stopped, take_scores
from rankbars.readers.claimfiles import claim_lines, margin_of
from rankbars.recordedlooks import Record, StoreRecord, open_record, open_store_record
from rankbars.steps.claimjudging import claimed_models, enough_resamples, judge_claims
from rankbars.steps.duels import contrast_models
from rankbars.steps.gaps import find_gaps, lost_trials, never_run, refuse_lost
from rankbars.steps.missingness import refuse_gaps, refuse_pairless, resolve_items, resolve_missing
from rankbars.steps.pooling import leave_out_items
from rankbars.steps.rowquestions import PASTE_COLUMN, question_rows
from rankbars.steps.wholeruns import settle_runs
from rankbars.tables.chosenmodels import take_alone

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["check", "judge_margin", "settle_gaps", "settle_tasks"]

SPENDS = ("halving", "e-values")
"""How looks of a ledger share the error rate."""


def check(
    scores: Results,
    claims: str | Sequence[str] | os.PathLike[str],
    *,
    guards: Sequence[str] = (),
    together: bool | None = None,
    alpha: float | None = None,
    test: str = "auto",
    over: str = "auto",
    missing: str | None = None,
    missing_tasks: str | None = None,
    missing_items: str | None = None,
    seed: int = 0,
    resamples: int = 1000,
    votes: VoteOptions | None = None,
    zero_se: str = "zero",
    runs: str = "auto",
    average_anyway: bool = False,
    costs: Results | None = None,
    anchor: str | None = None,
    ledger: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | None = None,
    change: str = "",
    spend: str = "halving",
    record: str | os.PathLike[str] | None = None,
    independent_rows: bool = False,
) -> Check:
    """Judge claims about models: supported, refuted, or cannot tell.

    What the command ``rankbars check`` does, from Python.

    Parameters
    ----------
    scores : Scores, path, or data frame
        Evaluation results, as `rankbars.leaderboard` takes them. Models that no claim speaks of
        are not looked at, unless a place among all is claimed.
    claims : str, sequence of str, or path
        What is claimed, each a line: ``"new > old"`` (better), ``"new >= old - 0.01"`` (not worse
        by more than a margin), ``"new = old +- 0.02"``, ``"new > each of a, b"``,
        ``"new > old on math"``, ``"... on each task"``, ``"... on at least 5 of 7 tasks"``,
        ``"new in top 3"``, ``"new first"``, ``"new >= 0.80"``; or in words: ``"new better than
        old"``, ``"new not worse than old by 0.01"``, ``"new within 0.02 of old"``,
        ``"new at least 0.80"``. ``>`` means better, whatever the direction of the score; where
        lower is better, ``<`` and signs with a margin are refused, as they could mean either. A
        `pathlib.Path` is a YAML file of claims (see the page *Decide*).
    guards : sequence of str
        Further claims, which fail only if they are refuted; the others pass only if supported.
    together : bool
        Whether all verdicts of the call hold together, as they do if nothing is said; else each
        by itself.
    alpha : float
        Error rate of all verdicts together, or of each; 0.05 if nothing is said.
    missing : {"raise", "pairwise", "listwise", "fail"}
        What to do where a claimed model has no score; ``"raise"`` if nothing is said. What is said
        here, in `alpha` and in `together` goes before what a file says.
    missing_tasks : str, optional
        What to do with tasks that some claimed model never ran: ``"insert"``, ``"additive"`` and
        ``"drop_tasks"`` judge every claim on the tasks that all of them ran; ``"bounds"`` keeps
        the others without a difference, so that there is no average; ``"raise"`` stops. Without
        it as `missing` says, and ``"insert"`` where only `missing_items` is given.
    missing_items : str, optional
        What to do where a task was run and rows have no score. Without it as `missing` says.
    test, over, seed, resamples, votes, zero_se, runs, average_anyway
        As for `rankbars.head_to_head`. Where rows are resampled, at least as many resamples are
        drawn as the number of claims asks for.
    costs : Scores, path, or data frame, optional
        What the same models cost, lower is better, for claims such as ``"new cheaper than old"``.
    anchor : str, optional
        A model such as the last release. Every claim about the claimed model and one other is made
        about it and the anchor, too, so that many small losses do not pass one by one. Empty: not
        even that of the file.
    ledger : path, or sequence of paths, optional
        A file that keeps every look at a change: rows of all looks are pooled, and look k is made
        at ``alpha / 2**k``, so that all verdicts of all looks hold together at `alpha`. The look is
        added to it. Lines of further ledgers are merged into the first.
    change : str
        What is decided about, such as a commit: looks are counted for each change by itself.
    spend : {"halving", "e-values"}
        How looks share the error rate. ``"e-values"`` (betting on rows, Ville 1939) takes nothing
        from later looks, and asks that each look brings new items and scores have limits; its
        claims are about two models on one task, and have no intervals.
    record : path, optional
        The store that `scores` are read from: the claims, one of a place at least, are its next
        record. Number k is judged at ``alpha / (k * (k + 1))``, so that all records of the store
        hold together at `alpha`, and is kept in its log. No number is below that of the models.
    independent_rows : bool
        Rows that resemble each other are independent, and not asked about; items of one name are
        others on every task.

    Returns
    -------
    Check
        One `JudgedClaim` per claim, and `Check.exit_code`.

    Raises
    ------
    UnknownOptionError
        If a claim names a model or task that is not there.
    OptionError
        If a line is no claim, two claims contradict each other, or a margin has no unit.
    DataError
        If a score or a trial of a claimed model is missing and `missing` is ``"raise"``, what is
        left out is claimed about, items seem to have been tried until they were right, or a ledger
        was edited.

    Notes
    -----
    Each claim has two nulls, that it is false and that it is true; Holm over all claims at
    ``alpha / 2`` decides what is supported, and likewise what is refuted. All verdicts are right
    with probability ``1 - alpha`` or more if the claims were written before the results were read,
    as far as the tests of two models hold their level; `JudgedClaim.approximate` says where they
    only nearly do. Sources: Holm 1979, Berger 1982, Benjamini and Heller 2008.

    Examples
    --------
    >>> import rankbars as rb
    >>> rows = [[1, 0], [1, 0], [1, 1], [0, 0], [1, 0], [1, 0], [1, 1], [1, 0]] * 4
    >>> scores = rb.Scores.from_arrays({"math": rows}, ["new", "old"])
    >>> made = rb.check(scores, ["new > old", "new >= 0.9"])
    >>> [one.verdict for one in made.claims], made.exit_code()
    (['supported', 'cannot_tell'], 3)
    """
    check_name("way to spend", spend, SPENDS)
    if ledger is None and spend != "halving":
        raise OptionError(
            "E-values are for looks in a ledger; name it: ledger=PATH (--ledger FILE)."
        )
    asked = claim_lines(claims, guards, alpha=alpha, together=together, anchor=anchor)
    file, lines, parsed, alpha, together = asked
    if missing is None:
        missing = (file and file.missing) or "raise"
    missing_tasks = missing_tasks or (file and file.missing_tasks)
    missing_items = missing_items or (file and file.missing_items)
    spec = Spec(
        test=test, alpha=alpha, over=over, seed=seed, resamples=resamples, zero_se=zero_se,
        runs=runs, average_anyway=average_anyway,
    )  # fmt: skip
    taken = take_scores("check", scores)
    prices = _costs(parsed, costs, taken)
    about = [claim for claim in parsed if not claim.of_cost]
    known_names(about, taken.models, tuple(taken.tasks))
    models = claimed_models(about, taken.models)
    chosen = _chosen(taken, models) if about else taken
    if file is not None and file.flaky:
        chosen = leave_out_items(chosen, file.flaky)
    refuse_scored_errors(chosen, missing, missing_items)
    if missing_tasks is not None or missing_items is not None:
        chosen = settle_tasks(chosen, parsed, missing_tasks or "insert")
    rules = [
        [(line.text, line.role) for line in lines], [claim.margin for claim in parsed], alpha,
        together, test, over, zero_se, _declared(runs), spend, missing, missing_tasks,
        missing_items, [] if file is None else list(file.flaky),
    ]  # fmt: skip
    looked: Record | StoreRecord | None = None
    if record is not None:
        looked = _store_record(record, alpha, rules, taken, parsed, ledger)
    elif ledger is not None:
        if prices is not None:
            raise OptionError(
                "A ledger keeps no costs. Judge claims about costs in a run of their own, without "
                "it."
            )
        pairs = [(claim.model, other) for claim in about for other in claim.others]
        looked = open_record(ledger, change, alpha, digest_of(rules), chosen, pairs, spend)
        chosen = looked.pooled
    if about:
        chosen = settle_gaps(chosen, models, missing, missing_tasks, missing_items, test)
    chosen = count_groups(chosen)
    spec, of_runs = settle_runs(chosen.select(models=models) if about else chosen, spec)
    asked_about = {} if independent_rows or not about else chosen.tasks
    level = alpha if looked is None else looked.level
    draws = enough_resamples(resamples, len(parsed), level) if together else resamples

    def contrasts(pair: Scores, a: str, b: str) -> HeadToHead:
        return contrast_models(
            pair, a, b, test=test, alpha=level, over=over, seed=seed, resamples=draws,
            votes=votes, zero_se=zero_se, runs=spec.runs,
            average_anyway=average_anyway or pair is prices, independent_rows=independent_rows,
        )  # fmt: skip

    judged, notes = judge_claims(
        chosen,
        parsed,
        replace(spec, alpha=level),
        contrasts,
        together=together,
        costs=prices,
        bets=spend == "e-values",
    )
    if isinstance(looked, Record):
        if spend == "e-values":
            judged = tuple(
                replace(one, low=math.nan, high=math.nan, approximate=False) for one in judged
            )
        judged, kept = looked.settle(judged)
        notes = (*notes, *kept)
    return Check(
        claims=tuple(
            replace(one, role=line.role, why=line.why)
            for one, line in zip(judged, lines, strict=True)
        ),
        alpha=alpha,
        together=together,
        notes=tuple(
            dict.fromkeys(
                (
                    *chosen.notes,
                    *of_runs,
                    *notes,
                    *question_rows(asked_about, PASTE_COLUMN),
                    *_written_later(claims, taken),
                )
            )
        ),
        inputs=taken.inputs,
        source=None if file is None else file.source,
        why="" if file is None else file.why,
        look=None if looked is None else looked.written(judged),
    )


def judge_margin(scores: Scores, duel: HeadToHead, margin: str) -> Check:
    """Whether the first of two models is not worse than the second by more than a margin.

    Parameters
    ----------
    scores : Scores
        Results in which both occur.
    duel : HeadToHead
        The two face to face.
    margin : str
        As in a claim: ``0.01``, ``1 point`` or ``1%``.

    Raises
    ------
    OptionError
        If it is no margin, or has no unit here.
    """
    form = margin_of(margin)
    text = f"{duel.a} >= {duel.b} - {margin}"
    claim = replace(form, text=text, model=duel.a, others=(duel.b,), sign="")
    both = scores.select(models=(duel.a, duel.b), tasks=tuple(duel.tasks))
    judged, said = judge_claims(both, [claim], Spec(alpha=duel.alpha), lambda *_: duel)
    new = [note for note in said if note.code != OUT_OF_REACH]
    notes = tuple(dict.fromkeys((*duel.notes, *new)))
    return Check(judged, duel.alpha, together=True, notes=notes, inputs=duel.inputs)


def _store_record(
    store: str | os.PathLike[str],
    alpha: float,
    rules: Sequence[object],
    scores: Scores,
    claims: Sequence[Claim],
    ledger: object,
) -> StoreRecord:
    """The next record of a store, of which a place is claimed."""
    if ledger is not None or not any(claim.kind == "top" for claim in claims):
        raise OptionError(
            "A record is a claim of a place in a store, such as 'new first', without a ledger: "
            "record=STORE (--record)."
        )
    state = digest_of([*rules, [one.sha256 for one in scores.inputs], list(scores.models)])
    return open_store_record(store, alpha, state, len(scores.models))


def _costs(parsed: Sequence[Claim], costs: Results | None, scores: Scores) -> Scores | None:
    """What models cost, where a claim is about that."""
    taken = None if costs is None else take_scores("check", costs)
    claims = [claim for claim in parsed if claim.of_cost]
    if not claims:
        return None
    if taken is None:
        raise OptionError(
            f"Claim {claims[0].text!r} is about costs, and none are given. Name their column or "
            "metric: --costs cost (in Python: costs=rb.read(PATH, metric='cost', ...))."
        )
    known_names(claims, taken.models, tuple(taken.tasks))
    if any(same_scores(taken.tasks[name], scores.tasks.get(name)) for name in taken.tasks):
        raise OptionError(
            f"Claim {claims[0].text!r} is about costs, and what was read as costs are the scores: "
            "there is no such column or metric. Name the one that holds them: --costs NAME."
        )
    wrong = [name for name, entry in taken.info.items() if entry.direction != "lower"]
    if wrong:
        raise OptionError(
            f"Costs are better if lower, and on {wrong[0]!r} higher is said to be better. Declare "
            "it: --direction METRIC=lower."
        )
    models = claimed_models(claims, taken.models)
    return settle_gaps(_chosen(taken, models), models, "raise", None, None)


def _written_later(claims: object, scores: Scores) -> tuple[Note, ...]:
    """A note where a file of claims is younger than every file of results."""
    paths = [Path(one.path) for one in scores.inputs]
    if not isinstance(claims, os.PathLike) or not paths or not all(one.is_file() for one in paths):
        return ()
    if Path(claims).stat().st_mtime <= max(one.stat().st_mtime for one in paths):
        return ()
    text = (
        f"{claims} was changed after the results were written. The level holds for claims that "
        "were written before the results were read."
    )
    return (Note("claims-later", text),)


def _declared(runs: str) -> str:
    """What a ledger keeps of the runs: a rule that was not given has been "independent" since."""
    return {"auto": "independent", "independent": "these runs"}.get(runs, runs)


def _chosen(scores: Scores, models: tuple[str, ...]) -> Scores:
    """The scores of the models that are claimed about, if answers to them can be averaged."""
    if len(models) < len(scores.models):
        scores = take_alone(scores, models)
    refuse_stopped(scores)
    return scores


def settle_tasks(scores: Scores, claims: Sequence[Claim], policy: str) -> Scores:
    """The tasks that every claimed model ran, with a note on the others; or all of them."""
    check_name("policy for missing tasks", policy, MISSING_TASKS)
    lacking = {gap.task: gap.model for gap in find_gaps(scores) if never_run(scores, gap)}
    if not lacking:
        return scores
    task, model = next(iter(lacking.items()))
    kept = [name for name in scores.tasks if name not in lacking]
    summary = (
        f"{len(lacking):,} of {len(scores.tasks):,} tasks were not run by every model that is "
        f"claimed about; for instance {model!r} never ran {task!r}."
    )
    if policy == "bounds":
        return scores.with_notes([Note("missing", f"{summary} There the difference may be any.")])
    if policy in ("raise", "drop_models"):
        leaves = (
            " drop_models leaves out a model that is claimed about." if policy != "raise" else ""
        )
        raise DataError(
            f"{summary}{leaves} Nothing was judged. To judge on the {len(kept):,} that all ran: "
            "--missing-tasks insert (in Python: missing_tasks='insert'). With bounds in its "
            "place they stay, and there is no average."
        )
    if not kept:
        raise DataError(f"{summary} No task was run by all of them. Claim about fewer models.")
    for claim in claims:
        if claim.task in lacking:
            raise DataError(
                f"Claim {claim.text!r} is about a task that {lacking[claim.task]!r}, which is "
                "claimed about, too, never ran. Judge it in a run of its own, or use "
                "--missing-tasks bounds."
            )
    text = f"{summary} Claims are judged on the {len(kept):,} that all ran."
    return scores.select(tasks=kept).with_notes([Note("missing", text)])


def _refuse_lost_trials(scores: Scores, models: tuple[str, ...]) -> None:
    """Answers that failed beside scored ones to the same item decide a claim unseen."""
    for note in lost_trials(scores):
        if any(one in note.models or repr(one) in note.message for one in models):
            call = 'rb.check(scores, claims, missing="pairwise").'
            raise refuse_lost(scores, [note], "judged", call)


def settle_gaps(
    scores: Scores, models: tuple[str, ...], missing: str, tasks: str | None, items: str | None,
    test: str = "auto",
) -> Scores:  # fmt: skip
    """The scores with what is missing settled, tasks that were never run having been looked at."""
    gaps, option = find_gaps(scores), "--missing"
    apart = tasks is not None or items is not None
    if apart:
        gaps = [gap for gap in gaps if not never_run(scores, gap)]
    if items is not None:
        check_name("policy for missing items", items, MISSING_ITEMS)
        missing, option = items, "--missing-items"
    call = "rb.check(scores, claims, "
    if missing == "pairwise":
        refuse_pairless(scores, test, "judged", call)
    if gaps and missing == "raise":
        lacking = {gap.task for gap in gaps if never_run(scores, gap)}
        if lacking and not lacking.issuperset(scores.tasks):
            settle_tasks(scores, (), "raise")  # what is said of items leads nowhere there
        raise refuse_gaps(scores, gaps, ("pairwise", "listwise", "fail"), "judged", call, test=test)
    if missing == "raise":
        _refuse_lost_trials(scores, models)
    resolve = resolve_items if apart else resolve_missing
    resolved = resolve(scores, missing, test=test)
    gone = sorted(set(models) - set(resolved.models))
    lost = len(scores.tasks) - len(resolved.tasks)
    if gone or lost:
        what = f"the model {gone[0]!r}" if gone else f"{lost} of {len(scores.tasks)} tasks"
        raise DataError(
            f"{option} {missing} leaves out {what}, of which something is claimed. Use {option} "
            "pairwise, listwise or fail."
        )
    return resolved

"""The tests of a pair of models: a table from name to function, and the rule behind ``auto``.

Tests of means are in `rankbars.steps.meantests`, those of votes in
`rankbars.steps.votes.votetests`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.comparisons import Comparisons
from rankbars.data.evidence import Estimates, Evidence, Folds, Items, take_models
from rankbars.data.fields import locate_models, names_where
from rankbars.data.notes import Note, on_task
from rankbars.data.votes import Votes
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.stats.pairwise.modelscores import cluster_summary, item_summary
from rankbars.stats.pairwise.paired import cluster_t, paired_t
from rankbars.stats.pairwise.pairstatistics import PairStatistics
from rankbars.steps.correctionchoice import row_skewness
from rankbars.steps.meantests import cluster_t_test, corrected_t_test, t_test, z_test
from rankbars.steps.testrows import (
    Setting,
    Tested,
    VoteTests,
    averaged_words,
    counted_pairs,
    has_answers_of_runs,
    item_rows,
    labels_and_judge,
    pad_tested,
    row_assumptions,
    row_notes,
    row_word,
)
from rankbars.steps.validity import design_of, find_cell

__all__ = [
    "TESTS",
    "VOTE_TESTS",
    "PairTest",
    "check_test",
    "choose_test",
    "compare_evidence",
    "identical_note",
    "take_present",
]

PairTest = Callable[[Evidence, Setting], Tested]


_FEWEST_DRAWS = 9_999  # p-values must be fine enough to pass the first step of Holm
_USUAL_ALPHA = 0.05

_ON_AVERAGE = "On an average of tasks, contrasts of mean scores are used instead."


def wilcoxon_test(evidence: Evidence, setting: Setting) -> Tested:
    """Wilcoxon signed-rank test with Pratt's zeros: the center of the differences, not the mean."""
    from rankbars.stats.pairwise.robust import wilcoxon

    items = _independent_rows(evidence, "wilcoxon")
    return _by_p(
        items,
        wilcoxon(items.values),
        "differences are symmetric about their center; ranks speak of that center, not the mean",
    )


def signflip_test(evidence: Evidence, setting: Setting) -> Tested:
    """Sign-flip permutation test of the mean difference; whole clusters are flipped."""
    from rankbars.stats.pairwise.signflip import sign_flip

    items = item_rows(evidence, "signflip")
    _refuse_folds(items, "signflip")
    _refuse_weights(items, "signflip")
    size = len(items.models)
    draws = max(setting.resamples, _FEWEST_DRAWS)
    p = sign_flip(
        items.values,
        items.clusters,
        draws=draws,
        seed=setting.seed,
        key=("signflip", setting.key),
    )
    made = _by_p(items, p, "under no difference, each difference is as likely to be its opposite")
    if draws + 1 < size * (size - 1) / _USUAL_ALPHA:
        text = (
            f"{draws:,} random sign patterns cannot give a p-value below {1 / (draws + 1):.1g}, "
            f"which is too coarse to separate {size} models all at once."
        )
        made = made._replace(notes=(*made.notes, Note("coarse-p", text)))
    made = made._replace(skewness=row_skewness(items))
    if items.clusters is None:
        return made
    return made._replace(
        summary=cluster_summary(items.values, items.clusters),
        pairs=cluster_t(items.values, items.clusters),
    )


def mcnemar_test(evidence: Evidence, setting: Setting) -> Tested:
    """Exact McNemar test of 0/1 scores."""
    from rankbars.stats.pairwise.discordance import mcnemar_exact

    return _mcnemar(evidence, "mcnemar", mcnemar_exact)


def mcnemar_midp_test(evidence: Evidence, setting: Setting) -> Tested:
    """McNemar test of 0/1 scores with mid-p-values: less conservative, not exact."""
    from rankbars.stats.pairwise.discordance import mcnemar_midp

    return _mcnemar(evidence, "mcnemar_midp", mcnemar_midp)


def trimmed_t_test(evidence: Evidence, setting: Setting) -> Tested:
    """Yuen's paired t on trimmed differences (20 % from either end)."""
    from rankbars.stats.pairwise.robust import trimmed_t

    items = _independent_rows(evidence, "trimmed_t")
    return Tested(
        item_summary(items.values),
        paired_t(items.values),
        (
            f"{row_word(items).capitalize()} are independent draws, and trimmed means of "
            "differences are close to normal; ranks speak of the trimmed mean.",
            _ON_AVERAGE,
            *row_assumptions(items),
        ),
        decided_by=trimmed_t(items.values),
        notes=tuple(row_notes(items)),
    )


def welch_test(evidence: Evidence, setting: Setting) -> Tested:
    """Welch's t-test: models were run on different items, so nothing is paired."""
    from rankbars.stats.pairwise.estimates import welch_t

    items = _independent_rows(evidence, "welch")
    paired = ~np.isnan(items.values).any(axis=1)
    notes = row_notes(items)
    if paired.sum() > 1 and items.ids is not None:
        text = (
            "Models share rows, and the unpaired test does not use that; a paired test would "
            "separate them better. Use --test t."
        )
        notes.append(Note("pairing-wasted", text))
    return Tested(
        item_summary(items.values),
        welch_t(items.values),
        (
            "The rows of different models are independent samples with nearly normal means.",
            *row_assumptions(items),
        ),
        notes=tuple(notes),
    )


def two_way_test(evidence: Evidence, setting: Setting) -> Tested:
    """Runs (seeds, prompts) that move all their answers: for new items and new runs."""
    from rankbars.stats.pairwise.runeffects import run_summary, two_way_t

    items = _independent_rows(evidence, "two_way")
    answers = items.crossed
    if answers is None:
        way = "Leave out --runs shared" if setting.runs == "shared" else "Use --test t"
        raise OptionError(
            "The two-way test needs every model to have answered every item in each of its runs "
            "(seeds, epochs or prompts): one column that names them, at least 2 of them, as many "
            f"for each model, and no answer missing. That is not so here. {way}."
        )
    first, second = row_word(items), averaged_words(items)
    return Tested(
        run_summary(answers),
        two_way_t(answers, crossed=_cross(items)),
        (
            f"{first.capitalize()} and {second} are both independent draws: the guarantee is for "
            f"new {first} and new {second} (here {items.n} × {answers.shape[1]}).",
        ),
        notes=(*row_notes(items), *_few_runs_notes(items)),
    )


def judge_t_test(evidence: Evidence, setting: Setting) -> Tested:
    """Prediction-powered paired t-test: labels of some rows, corrected by a judge of all."""
    from rankbars.stats.pairwise.judgedpairs import judged_t

    items = item_rows(evidence, "judge_t")
    if items.judge is None:
        raise OptionError(
            "Test 'judge_t' is for labels that a judge corrects, and there is no judge here that "
            "is worth it. Name one with --judge FILE, or use --test auto."
        )
    if items.clusters is not None or isinstance(items.design, Folds):
        raise OptionError(
            "Test 'judge_t' takes rows as independent, and these come in clusters or folds. Leave "
            "out --judge."
        )
    known = labels_and_judge(items)
    found = judged_t(known.labels, known.judge, drawn=known.drawn)
    how = "" if known.drawn is None else ", drawn with the probabilities that were declared"
    rows = int(np.isfinite(items.judge).all(axis=(1, 2)).sum())
    return Tested(
        found.summary,
        found.pairs,
        (
            f"The {items.n:,} labelled items are a random sample of the {rows:,} that the judge "
            f"scored{how}, and these are independent draws.",
            "The judge was neither tuned nor chosen on these labels.",
            *row_assumptions(items),
        ),
        skewness=row_skewness(items),
    )


def _few_runs_notes(items: Items) -> tuple[Note, ...]:
    """What was measured with so few runs that the level is approximate."""
    answers = items.crossed
    if answers is None or design_of(items, "two_way") == "crossed":
        return ()
    count, words, models = answers.shape[1], averaged_words(items), len(items.models)
    cells = [find_cell("two_way", "holm", "all", name).measured for name in _FEW_RUNS]
    sizes = [most for most, _ in cells[0]]
    size = next((most for most in sizes if models <= most), sizes[-1])
    two, three, four = (f"{100 * dict(cell)[size]:.0f} %" for cell in cells)
    text = (
        f"{count} {words} hardly tell how much {words} differ, so the level is approximate: in "
        f"simulations of {size} equal models whose runs differ by 8 points, 95 % statements about "
        f"all of them held in about {two} of cases with 2 runs, {three} with 3, and {four} with 4."
    )
    if models > size:
        text += " With more models they hold less often."
    return (Note("few-runs", text),)


_FEW_RUNS = ("two runs", "three runs", "some runs")


def _cross(items: Items) -> bool:
    """Whether the models share what runs do to them, as they share prompts and items.

    Four of them show it; with fewer, what both have in common is better counted twice.
    """
    labels = items.averaged or ("runs",)
    return labels != ("runs",) and items.runs is not None and items.runs.shape[1] >= 4


def _mcnemar(
    evidence: Evidence, name: str, test: Callable[[NDArray[np.float64]], NDArray[np.float64]]
) -> Tested:
    items = _independent_rows(evidence, name)
    try:
        p = test(items.values)
    except DataError as error:
        raise OptionError(f"Test {name!r} is for scores that are 0 or 1. {error}") from error
    return _by_p(items, p, "each difference is one item that only one of the two solves")


def _by_p(items: Items, p: NDArray[np.float64], what: str) -> Tested:
    return Tested(
        item_summary(items.values),
        counted_pairs(paired_t(items.values), items),
        (
            f"{row_word(items).capitalize()} are independent draws, and {what}.",
            _ON_AVERAGE,
            *row_assumptions(items),
        ),
        exact_p=p,
        notes=tuple(row_notes(items)),
    )


def _independent_rows(evidence: Evidence, name: str) -> Items:
    items = item_rows(evidence, name)
    _refuse_folds(items, name)
    _refuse_weights(items, name)
    if items.clusters is not None:
        raise OptionError(
            f"Test {name!r} takes rows as independent, and these come in clusters. "
            "Use --test cluster_t."
        )
    return items


def _refuse_folds(items: Items, name: str) -> None:
    if isinstance(items.design, Folds):
        raise OptionError(
            f"Test {name!r} takes rows as independent, and folds share training data. "
            "Use --test corrected_t."
        )


def _refuse_weights(items: Items, name: str) -> None:
    if items.weights is not None:
        raise OptionError(f"Test {name!r} has no weighted form. Use --test t or cluster_t.")


def _of_votes(name: str) -> PairTest:
    """A test of votes, which alone load what it needs."""

    def test(evidence: Evidence, setting: Setting) -> Tested:
        from rankbars.steps.votes.votetests import TESTS_OF_VOTES

        return TESTS_OF_VOTES[name](evidence, setting)

    return test


VOTE_TESTS = ("binomial", "e_process", "e_strength")
"""Tests that are for pairwise votes only."""

TESTS: dict[str, PairTest] = {
    "t": t_test,
    "corrected_t": corrected_t_test,
    "cluster_t": cluster_t_test,
    "z": z_test,
    "wilcoxon": wilcoxon_test,
    "trimmed_t": trimmed_t_test,
    "signflip": signflip_test,
    "mcnemar": mcnemar_test,
    "mcnemar_midp": mcnemar_midp_test,
    "two_way": two_way_test,
    "welch": welch_test,
    "judge_t": judge_t_test,
    **{name: _of_votes(name) for name in VOTE_TESTS},
}


def check_test(name: str) -> None:
    """Raise `UnknownOptionError` unless `name` is a test, or ``"auto"``."""
    check_name("test", name, ("auto", *TESTS))


def choose_test(evidence: Evidence, runs: str = "independent") -> str:
    """The test that ``auto`` stands for: the design of the rows decides, never the result.

    Whether `runs` are ``"shared"``, which moves all their answers, is declared.
    """
    if isinstance(evidence, Estimates | Votes):
        return "z"
    if isinstance(evidence.design, Folds):
        return "corrected_t"
    if runs == "shared" and has_answers_of_runs(evidence):
        return "two_way"
    if evidence.clusters is not None:
        return "cluster_t"
    return "t" if evidence.judge is None else "judge_t"


def compare_evidence(
    evidence: Evidence,
    models: tuple[str, ...],
    test: str,
    task: str,
    setting: Setting | None = None,
) -> Comparisons:
    """Comparisons of all `models` on one task; those without evidence are compared with nobody.

    Raises
    ------
    UnknownOptionError
        If the test is not known.
    OptionError
        If the test does not fit the evidence; names the task.
    """
    check_test(test)
    setting = setting or Setting()
    name = choose_test(evidence, setting.runs) if test == "auto" else test
    taken = take_present(evidence)
    try:
        run = partial(TESTS[name], taken, setting._replace(key=task))
        memory = setting.memory
        tested = memory.once(name, task, run) if isinstance(memory, VoteTests) else run()
    except UnknownOptionError:
        raise
    except OptionError as error:
        raise OptionError(f"Task {task!r}: {error}") from error
    design = design_of(taken, name, setting.votes.pairing)
    positions = locate_models(taken.models, models)
    if tested.kept is not None:
        positions = positions[tested.kept]
    padded = pad_tested(tested, positions, len(models))
    rows = _known_rows(evidence) if tested.rows is None else tested.rows
    identical = _identical_notes(padded.pairs, models, task)
    notes = sorted(tested.notes, key=lambda note: bool(note.models))  # those on all models first
    return Comparisons(
        models=models,
        mean=padded.summary.mean,
        mean_se=padded.summary.se,
        mean_df=padded.summary.df,
        pairs=padded.pairs,
        test=name,
        rows=rows,
        task=task,
        exact_p=padded.exact_p,
        decided_by=padded.decided_by,
        assumptions=tested.assumptions,
        guaranteed=find_cell(name, "holm", "each", design).verdict == "valid",
        design=design,
        insisted=test != "auto",
        skewness=tested.skewness,
        notes=on_task(notes, task) + identical,
        evidence=taken if tested.fitted is None else tested.fitted,
        log_e=padded.log_e,
        effects=tested.effects,
        suspects=tested.suspects,
        suspect_groups=tested.suspect_groups,
    )


def take_present(evidence: Evidence) -> Evidence:
    """The evidence about the models that have any, in the order of their names."""
    present = sorted(_present(evidence).tolist(), key=evidence.models.__getitem__)
    return take_models(evidence, present)


def _identical_notes(
    pairs: PairStatistics | None, models: tuple[str, ...], task: str
) -> tuple[Note, ...]:
    if pairs is None or not pairs.identical.any():
        return ()
    names = names_where(models, pairs.identical.any(axis=1))
    return (identical_note(names, task),)


def identical_note(models: Sequence[str], task: str) -> Note:
    """What must be said of models that have the score of another one of them on every row."""
    message = (
        "Each of these models has the same score as another one of them on every row, up to "
        "rounding; such a pair cannot be told apart."
    )
    return Note("identical-models", message, task, tuple(models))


def _present(evidence: Evidence) -> NDArray[np.intp]:
    if isinstance(evidence, Votes):
        return np.arange(len(evidence.models))
    values = evidence.values if isinstance(evidence, Items) else evidence.mean[None, :]
    absent = np.isnan(values[:1]).all(axis=0)
    if absent.any():
        absent &= np.isnan(values).all(axis=0)
    return np.flatnonzero(~absent)


def _known_rows(evidence: Evidence) -> int:
    if not isinstance(evidence, Estimates):
        return evidence.n
    return 0 if evidence.n is None else int(evidence.n.max(initial=0))

"""Names of metrics: which side is usually better, and which are proportions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

from rankbars.errors import OptionError
from rankbars.tables.metricwords import (
    AMOUNTS,
    CORPORA,
    CRITERIA,
    HIGHER,
    LOWER,
    MAY_BE_NEGATIVE,
    NEGATED,
    PARTS,
    PLACES,
    PLAIN,
    PROPORTIONS,
    QUANTITIES,
    SCALED,
    SPENT,
    SYLLABLES,
    TELLING,
    UNWANTED,
    VIRTUES,
)

__all__ = [
    "depends_on_scale",
    "ends_in_loss",
    "is_amount",
    "is_bare_metric",
    "is_interval_coverage",
    "is_measure",
    "is_metric_of_matrix",
    "is_plain",
    "is_proportion",
    "is_signed_error",
    "is_trial_metric",
    "is_virtue",
    "lacks_unit",
    "metric_in_name",
    "name_words",
    "never_negative",
    "refuse_trial_metric",
    "stated_direction",
    "states_loss",
    "usual_direction",
    "without_metric",
]


_OF_TRIALS = re.compile(r"(?:(?:pass|best|majority)@|pass\^)[1-9]\d{0,5}|pass\^[1-9]\d{0,5}-plugin")
_LIKE_TRIALS = re.compile(r"(?:pass|best|majority)@[-+]?\d+|pass\^[-+]?\d+")


def is_trial_metric(name: str) -> bool:
    """Whether a name is that of a metric of several answers to an item.

    Examples
    --------
    >>> is_trial_metric("pass^4"), is_trial_metric("pass@1"), is_trial_metric("pass_1")
    (True, True, False)
    """
    return _OF_TRIALS.fullmatch(name) is not None


def refuse_trial_metric(name: str) -> None:
    """Raises where a name has the form of a metric of several answers, and no number that can be.

    Raises
    ------
    OptionError
        If the number of answers is 0, or none.
    """
    if _LIKE_TRIALS.fullmatch(name) is not None and not is_trial_metric(name):
        kind = re.split("[@^]", name)[0]
        sign = name[len(kind)]
        raise OptionError(
            f"{name!r} needs a number of answers of 1 or more behind {sign}, such as "
            f"{kind}{sign}1 or {kind}{sign}4."
        )


@lru_cache(maxsize=1024)
def name_words(name: str) -> tuple[str, ...]:
    """The words of a name, without case.

    Examples
    --------
    >>> name_words("GSM8K_acc (5-shot)")
    ('gsm8k', 'acc', '5', 'shot')
    """
    return tuple(re.findall(r"[^\W_]+", name.casefold()))


_RATE = re.compile(r"(?:[_\s]per[_\s]|/\s?)(?:s|secs?|seconds?|min|minutes?|h|hours?)$")
# Errors and losses as one word of a name, in German too: "wQuantileLoss", "testerror", "Fehler".
_ENDS_IN_LOSS = re.compile(r"(?:error|fehler|verlust)$|[^fg]loss$")
_UNIT = re.compile(
    r"(?:_|\s)(?:s|ms|secs?|usd|mm|cm|px)$"
    r"|[(\[](?:s|ms|secs?|usd|\$|[µμnm]s|mm|cm|km|px|pixels?|°|deg|degrees?)[)\]]"
)


def is_virtue(name: str) -> bool:
    """Whether a name is that of something an answer is praised for, of which more is better.

    Examples
    --------
    >>> is_virtue("Faithfulness"), is_virtue("nv_context_relevance"), is_virtue("verbosity")
    (True, True, False)
    """
    words = name_words(_PARENTHESES.sub(" ", name).casefold().removesuffix("score"))
    return bool(words) and not {"".join(words), words[-1], "".join(words[-2:])}.isdisjoint(VIRTUES)


def is_plain(name: str) -> bool:
    """Whether a name says no more than that a number is a score, of which more is taken for better.

    So do words for what was done, such as "converted".

    Examples
    --------
    >>> is_plain("final_score"), is_plain("helpfulness"), is_plain("sharpness"), is_plain("mean")
    (True, True, False, False)
    """
    words = name_words(name)
    return is_measure(name) or any(word in PLAIN or word.endswith("ed") for word in words)


def is_measure(name: str) -> bool:
    """Whether a name is that of a metric or of something an answer is graded for, and no model's.

    Examples
    --------
    >>> is_measure("exact_match"), is_measure("Faithfulness"), is_measure("mistral-large")
    (True, True, False)
    """
    folded = "".join(name_words(name))
    return usual_direction(name) is not None or folded.removesuffix("score") in CRITERIA


def is_bare_metric(name: str) -> bool:
    """Whether a name is that of a metric, and says nothing of what was measured.

    Examples
    --------
    >>> is_bare_metric("RMSE ↓"), is_bare_metric("test_macro_f1"), is_bare_metric("R@5")
    (True, True, False)
    >>> is_bare_metric("gsm8k_acc"), is_bare_metric("AMI")
    (False, False)
    """
    words = [one for one in name_words(_PARENTHESES.sub(" ", name)) if one not in PARTS | _MEANS]
    whole = "".join(words)
    return whole not in CORPORA and not {whole, whole.rstrip("0123456789")}.isdisjoint(
        LOWER | HIGHER
    )


def is_metric_of_matrix(corner: str) -> bool:
    """Whether what stands above the names of rows says what all cells measure.

    A column of times says when, and no more.

    Examples
    --------
    >>> is_metric_of_matrix("RMSE"), is_metric_of_matrix("valid_time"), is_metric_of_matrix("id")
    (True, False, False)
    """
    return usual_direction(corner) is not None and name_words(corner)[-1] != "time"


_MEANS = frozenset({"mean", "avg", "average", "overall", "neg"})


@lru_cache(maxsize=1024)
def usual_direction(name: str) -> Literal["higher", "lower"] | None:
    """Side of the metric `name` that is usually better; None for a name that is not known.

    Parameters
    ----------
    name : str
        Name of a metric, in any spelling: ``"acc_norm"``, ``"NDCG@10"``, ``"val log-loss"``.

    Examples
    --------
    >>> usual_direction("Log-Loss"), usual_direction("ndcg_at_10"), usual_direction("charm")
    ('lower', 'higher', None)

    One minus a measure, or a drop of it, is lower-is-better:

    >>> usual_direction("1-AUC"), usual_direction("accuracy_drop")
    ('lower', 'lower')

    A leading ``neg`` says that the values are negated already:

    >>> usual_direction("neg_root_mean_squared_error"), usual_direction("test_neg_log_loss")
    ('higher', 'higher')

    So many in a time are a speed:

    >>> usual_direction("tokens_per_s"), usual_direction("tokens"), usual_direction("cost per hour")
    ('higher', 'lower', 'lower')
    """
    words = name_words(name)
    if not words:
        return None
    if len(words) > 2 and words[0] in PARTS and words[1] == "neg":
        words = words[1:]
    negated = words[0] in ("neg", "negative", "negated") and not _spellings(words) & NEGATED
    if negated and usual_direction(" ".join(words[1:])):
        return "higher"
    # "1-auc", "one minus accuracy", "accuracy drop": a good measure turned around.
    turned = words[0] in ("1", "one", "minus") or words[-1] in ("drop", "gap", "decrease")
    if turned and len(words) > 1:
        return "lower"
    spellings = _spellings(words)
    if _RATE.search(name.casefold()) and "tokens" in words:
        return "higher"
    if spellings & LOWER or any(map(_ENDS_IN_LOSS.search, words)):
        return "lower"
    return "higher" if spellings & HIGHER and not _is_place(words) else None


@lru_cache(maxsize=1024)
def ends_in_loss(name: str) -> bool:
    """Whether a name is that of a measure of which less is usually better, or ends in one.

    A data set in parentheses behind it, or behind a name that is no other word's, changes nothing.

    Examples
    --------
    >>> ends_in_loss("Edit distance"), ends_in_loss("librispeech_wer"), ends_in_loss("Errors")
    (True, True, True)
    >>> ends_in_loss("Toxicity (RTP)"), ends_in_loss("Perplexity WikiText")
    (True, True)
    >>> ends_in_loss("error_detection"), ends_in_loss("de-er"), ends_in_loss("MMLU")
    (False, False, False)

    Words for what should not be count where they stand alone:

    >>> ends_in_loss("Hallucination (%)"), ends_in_loss("Over-refusal"), ends_in_loss("BBQ bias")
    (True, True, False)
    >>> ends_in_loss("GSM8K fail rate"), ends_in_loss("is_wrong"), ends_in_loss("Bug fixing")
    (True, True, False)

    So do places among others:

    >>> ends_in_loss("preference_rank"), ends_in_loss("mean reciprocal rank")
    (True, False)
    """
    begins_with = metric_in_name(name)
    if begins_with is not None and usual_direction(begins_with) == "lower":
        return True
    bare = _PARENTHESES.sub(" ", name)
    return any(_is_loss(words) or _is_unwanted(words) for words in map(name_words, (name, bare)))


def _is_unwanted(words: Sequence[str]) -> bool:
    """Whether words are a count or a share of what should not be, or end in such a rate."""
    if _is_place(words):
        return True
    end = len(words)
    while end and words[end - 1] in QUANTITIES:
        end -= 1
    start = 0
    while start < end and words[start] in QUANTITIES:
        start += 1
    # Behind a rate, the last word or two: "GSM8K fail rate".
    first = max(start, end - 2) if end < len(words) else start
    runs = {"".join(words[first:end]), *(words[end - 1 : end] if end < len(words) else ())}
    return any(UNWANTED.fullmatch(run) for run in runs)


def _is_place(words: Sequence[str]) -> bool:
    """Whether words end in one for a place among others, as in "preference rank"."""
    return len(words) > 1 and words[-1] in PLACES and words[-2] != "reciprocal"


def _is_loss(words: Sequence[str]) -> bool:
    ends = {"".join(words[start:]) for start in range(len(words))}
    return bool(ends & (LOWER if len(words) == 1 else LOWER - SYLLABLES))


_PARENTHESES = re.compile(r"\([^()]*\)|\[[^][]*\]")
_BETTER = re.compile(
    r"(?P<lower>[↓⬇]|\\downarrow|(?:lower|smaller|less)[\W_]*(?:(?:is|the)[\W_]+)?better)"
    r"|[↑⬆]|\\uparrow|(?:higher|larger|greater)[\W_]*(?:(?:is|the)[\W_]+)?better"
)


def stated_direction(name: str) -> Literal["higher", "lower"] | None:
    """Side that a name itself says is better, by an arrow or in words; None where it says none.

    Examples
    --------
    >>> stated_direction("XYZ↓"), stated_direction("XYZ (higher is better)")
    ('lower', 'higher')

    Both arrows are those of a button that sorts:

    >>> stated_direction("XYZ ↑↓"), stated_direction("XYZ")
    (None, None)
    """
    sides: set[Literal["higher", "lower"]] = {
        "lower" if found["lower"] else "higher" for found in _BETTER.finditer(name.casefold())
    }
    return sides.pop() if len(sides) == 1 else None


def states_loss(name: str) -> bool:
    """Whether a name says that lower is better, and no arrow that only sorts can have said it.

    Examples
    --------
    >>> states_loss("PPL ↓"), states_loss("XYZ (lower is better)"), states_loss("MMLU ↓")
    (True, True, False)
    """
    in_words = "better" in name.casefold()
    return stated_direction(name) == "lower" and (in_words or ends_in_loss(name))


def is_amount(name: str) -> bool:
    """Whether a name is that of an amount of time or money, by a word of it or by its unit.

    Examples
    --------
    >>> is_amount("wall_s"), is_amount("Median (ms)"), is_amount("price per call")
    (True, True, True)
    >>> is_amount("tasks"), is_amount("timeliness")
    (False, False)
    """
    return bool(_UNIT.search(name.casefold().strip()) or AMOUNTS & set(name_words(name)))


def never_negative(name: str) -> bool:
    """Whether the metric `name` is a loss, an error or an amount that cannot lie below 0.

    Examples
    --------
    >>> never_negative("val_rmse"), never_negative("nll"), never_negative("neg_rmse")
    (True, False, False)
    """
    words = name_words(name)
    if not words or usual_direction(name) == "higher":
        return False
    found = _spellings(words)
    return bool(found & LOWER - MAY_BE_NEGATIVE) and not found & MAY_BE_NEGATIVE - {"loss"}


def is_signed_error(name: str) -> bool:
    """Whether values on both sides of 0 show that the metric `name` is an error with its sign.

    The best of these is 0, and neither side is better.

    Examples
    --------
    >>> is_signed_error("forecast_error"), is_signed_error("residual"), is_signed_error("ME")
    (True, True, True)
    >>> is_signed_error("nll"), is_signed_error("rmse_difference"), is_signed_error("cost")
    (False, False, False)
    """
    words = name_words(name)
    bare = "".join(word for word in words if word not in PARTS)
    error = never_negative(name) and not is_amount(name) and not _spellings(words) & SPENT
    return bare in _SIGNED or (error and _COMPARED.isdisjoint(words))


_SIGNED = frozenset({"me", "mpe", "mfe", "bias", "meanbias"})
_COMPARED = frozenset({
    "difference", "diff", "delta", "change", "improvement", "gain", "reduction", "relative", "rel",
    "skill", "vs", "minus", "log", "z", "zscore", "standardized", "standardised", "normalized",
    "normalised",
})  # fmt: skip


# Forecasters give the share of outcomes within an interval the level that the interval has.
_COVERAGE = re.compile(
    r"(?:^|[\W_])(?:coverage|cov|picp)[\W_]*(?:0?[.]\d+|[5-9]\d(?:[.]\d+)?)\W*(?:$|[\W_])"
    r"|(?:0[.]\d+|\b[5-9]\d)\W*(?:interval|pi|ci|level)?[\W_]*(?:coverage|picp)$"
    r"|(?:^|[\W_])(?:picp|(?:interval|empirical|nominal|marginal|prediction)[\W_]*coverage)"
)


def is_interval_coverage(name: str) -> bool:
    """Whether a name is that of the share of outcomes within intervals, best at their level.

    Examples
    --------
    >>> is_interval_coverage("coverage_90"), is_interval_coverage("Coverage[0.9]")
    (True, True)
    >>> is_interval_coverage("PICP"), is_interval_coverage("90% coverage")
    (True, True)
    >>> is_interval_coverage("coverage"), is_interval_coverage("coverage@10")
    (False, False)
    """
    return "@" not in name and _COVERAGE.search(name.casefold()) is not None


def is_proportion(name: str) -> bool:
    """Whether the metric `name` is the share of items that were answered correctly.

    Examples
    --------
    >>> is_proportion("acc_norm"), is_proportion("f1")
    (True, False)
    """
    words = name_words(name)
    whole = "".join(words)
    if usual_direction(name) == "lower":
        return False
    return (
        whole in PROPORTIONS
        or words[0:1] in (("acc",), ("accuracy",))
        or bool(re.fullmatch(r"pass(at)?\d+", whole) or whole.startswith("exactmatch"))
    )


def depends_on_scale(name: str) -> bool:
    """Whether values of the metric `name` are in a unit, and no shares or points.

    Examples
    --------
    >>> depends_on_scale("val_rmse"), depends_on_scale("accuracy")
    (True, False)
    """
    return is_amount(name) or bool(_spellings(name_words(name)) & SCALED)


def lacks_unit(name: str) -> bool:
    """Whether values of the metric `name` on different tasks have no unit in common.

    Examples
    --------
    >>> lacks_unit("val_rmse"), lacks_unit("latency_ms"), lacks_unit("accuracy")
    (True, False, False)
    """
    own = SCALED - SPENT
    return not _UNIT.search(name.casefold().strip()) and bool(_spellings(name_words(name)) & own)


_LONGEST = 3  # words of a metric


def metric_in_name(task: str) -> str | None:
    """Metric that the name of a task ends or begins with; None where there is none.

    Examples
    --------
    >>> metric_in_name("MSMARCO NDCG@10"), metric_in_name("gsm8k_exact_match")
    ('ndcg10', 'exactmatch')
    >>> metric_in_name("pass@1 (HumanEval)"), metric_in_name("f1-squad"), metric_in_name("math")
    ('pass1', 'f1', None)
    """
    words = name_words(task)
    for count in range(min(_LONGEST, len(words)), 0, -1):
        for run in ("".join(words[-count:]), "".join(words[:count])):
            telling = run in TELLING or run.rstrip("0123456789") in TELLING
            if telling or (count > 1 and re.fullmatch(r"pass(at)?\d+", run)):
                return run
    return None


def without_metric(task: str) -> tuple[str, str] | None:
    """Name of a task without the metric in it, and that metric; None where there is none.

    Examples
    --------
    >>> without_metric("boolq (acc)"), without_metric("acc_boolq"), without_metric("Img R@5")
    (('boolq', 'acc'), ('boolq', 'acc'), ('img', 'R@5'))
    """
    at = re.search(r"\w+@\d+", task)
    if at is not None:
        return " ".join(name_words(task.replace(at[0], " "))), at[0]
    metric, words = metric_in_name(task), name_words(task)
    for count in range(1, min(_LONGEST, len(words)) + 1):
        for run, rest in ((words[-count:], words[:-count]), (words[:count], words[count:])):
            if metric == "".join(run):
                return " ".join(rest), metric
    return None


@lru_cache(maxsize=1024)
def _spellings(words: tuple[str, ...]) -> frozenset[str]:
    """Runs of neighbouring words written as one, with and without numbers at the end."""
    runs = {
        "".join(words[start:end])
        for start in range(len(words))
        for end in range(start + 1, len(words) + 1)
    }
    return frozenset(runs | {run.rstrip("0123456789") for run in runs} - {""})

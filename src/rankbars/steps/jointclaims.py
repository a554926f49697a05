"""What a board claims of all models at once: who is shown better than whom, and who may be first.

The best model is one fixed model. A set that contains it needs the M - 1 tests of each candidate
only, and not one correction over all pairs. A fixed share of the error rate goes to that set and
the rest to the relation of all pairs, so that all of it holds together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.data.evidence import Items
from rankbars.data.fields import names_where
from rankbars.data.notes import Note
from rankbars.errors import OptionError
from rankbars.stats.tails import critical_of_draws, positive_critical
from rankbars.steps.corrections import (
    Family,
    flipped_rows,
    flips_decide,
    null_draws,
    resample_family,
    simultaneous_order,
    strict_correction,
    take_correction,
)

__all__ = [
    "JointClaims",
    "call_first",
    "claim_best_alone",
    "claim_jointly",
    "claim_top_alone",
    "cycle_note",
    "first_critical",
    "note_missed",
]

_BEST_SHARE = 0.2  # of the error rate goes to the set for the best
_FEWEST_SPLIT = 8  # with fewer models the relation of all pairs says as much without a share


class JointClaims(NamedTuple):
    """Statements about all models that hold together.

    Attributes
    ----------
    shown_better : array of bool, shape (M, M)
        ``[i, j]``: i is shown better than j; closed, without circles.
    may_be_first : array of bool, shape (M,)
        Models that may be the best; nobody is shown better than any of them.
    cycles : list of list of int
        Groups of models that were each shown better than another in a circle.
    notes : tuple of Note
        What the correction says.
    """

    shown_better: NDArray[np.bool_]
    may_be_first: NDArray[np.bool_]
    cycles: list[list[int]]
    notes: tuple[Note, ...]


def claim_jointly(correction: str, family: Family, alpha: float, *, split: bool) -> JointClaims:
    """The relation of all pairs and the models that may be first, at one level together.

    Parameters
    ----------
    correction : str
        What was asked for; where it says nothing about all pairs, Holm.
    family : Family
        The hypotheses among M models.
    alpha : float
        Error rate of everything together.
    split : bool
        Whether a share of `alpha` goes to a set for the best of its own: from eight
        models on, and where the correction has a law for it. Else the models that nobody is shown
        better than may be first.

    Raises
    ------
    OptionError
        If the correction does not say which models are better.

    Notes
    -----
    Where nothing at all is shown about pairs, nothing is claimed about the first either. Of models
    that are tied for the best each is kept, one at a time, with the probability of its share.
    """
    strict = strict_correction(correction)
    size = family.size
    best_set = _BEST_SETS.get(strict) if split and size >= _FEWEST_SPLIT else None
    level = alpha if best_set is None else _relation_level(alpha)
    family = family if best_set is None else _share_draws(strict, family)
    corrected = take_correction(strict)(family, "all", level)
    relation = corrected.decisions.shown_better
    if relation is None:
        raise OptionError(f"Correction {correction!r} does not say which models are better.")
    shown, cycles = simultaneous_order(relation)
    first: NDArray[np.bool_] = np.asarray(~shown.any(axis=0))
    if best_set is not None and shown.any():
        kept = first & best_set(family, alpha * _BEST_SHARE)
        first = kept if kept.any() else first
    return JointClaims(shown, first, cycles, corrected.notes)


def cycle_note(models: tuple[str, ...], beginning: str = "These") -> Note:
    """What is said of models that were each shown better than another in a circle."""
    text = (
        f"{beginning} models were each shown better than another in a circle, so at least one of "
        "the findings is false. Nothing is claimed among them."
    )
    return Note("cycle", text, models=models)


def note_missed(correction: str, family: Family, alpha: float, place: str) -> tuple[Note, ...]:
    """A note for a board that shows nothing: which differences are often missed.

    That is what a difference needs to be shown before any other is: the statistic that the
    correction asks for times the standard error, the median over pairs. A true difference of that
    size is missed in about half of all repetitions, a smaller one more often.

    Parameters
    ----------
    correction, family, alpha
        As in `claim_jointly`, with `split`.
    place : str
        Begins the sentence: ``"With 60 items"``.

    Returns
    -------
    tuple of Note
        One, or none where a difference in standard errors is not what decides.

    Examples
    --------
    >>> one = Family(np.zeros((2, 2)), np.inf, se=np.full((2, 2), 0.05))
    >>> note_missed("holm", one, 0.05, "With 60 items")[0].message  # 1.96 standard errors
    'With 60 items, differences under 0.098 are often missed.'
    """
    strict, size = strict_correction(correction), family.size
    split = size >= _FEWEST_SPLIT and strict in _BEST_SETS
    critical = first_critical(strict, family, _relation_level(alpha) if split else alpha)
    if critical is None or family.se is None:
        return ()
    known = np.triu(family.se > 0, k=1)
    needed = np.broadcast_to(critical, family.se.shape)[known] * family.se[known]
    if not needed.size or not 0 < (least := float(np.median(needed))) < np.inf:
        return ()
    rows = family.evidence
    if isinstance(rows, Items) and least >= np.nanmax(rows.values) - np.nanmin(rows.values):
        return ()  # no two models differ by so much
    text = f"{place}, differences under {float(f'{least:.2g}'):.12g} are often missed."
    return (Note("often-missed", text),)


def _relation_level(alpha: float) -> float:
    return alpha * (1.0 - _BEST_SHARE)


def claim_best_alone(correction: str, family: Family, alpha: float) -> Note:
    """A note: who may be first by a statement for itself, at the whole of `alpha`.

    Parameters
    ----------
    correction, family, alpha
        As in `claim_jointly`.

    Raises
    ------
    OptionError
        If the correction has no law for it.
    """
    best_set = _BEST_SETS.get(strict_correction(correction))
    if best_set is None:
        raise OptionError(
            f"Correction {correction!r} has no law for the models that may be first by themselves "
            "(--best-alone). Use --correction holm, bonferroni or maxt."
        )
    kept = names_where(family.models, best_set(family, alpha))
    level = f"{100 * (1 - alpha):.12g} %"
    return Note(
        "best-alone",
        f"By itself, at {level} and not together with the other statements, "
        f"{len(kept)} of {family.size} models may be first: {', '.join(kept)}.",
    )


def claim_top_alone(correction: str, family: Family, alpha: float, k: int) -> Note:
    """A note: who is among the first `k`, by a statement for itself.

    Parameters
    ----------
    correction, family, alpha
        As in `claim_jointly`.
    k : int
        How many are the first.

    Raises
    ------
    OptionError
        If the correction has no law for it, or there are no more than `k` models.
    """
    strict = strict_correction(correction)
    if strict not in _BEST_SETS:
        raise OptionError(
            f"Correction {correction!r} has no law for the models among the first {k} by "
            "themselves (--top-alone). Use --correction holm, bonferroni or maxt."
        )
    if k >= family.size:
        raise OptionError(
            f"There are {family.size} models, and the first {k} were asked for (--top-alone). Ask "
            "for fewer."
        )
    call = call_first(strict, family, alpha, k)
    inside, open_ = (names_where(family.models, call == place) for place in (1, 0))
    level = f"{100 * (1 - alpha):.12g} %"
    parts = [f"shown to be among the first {k}: {', '.join(inside) if inside else 'none'}"]
    if open_:
        parts.append(f"may be among them: {', '.join(open_)}")
    out = family.size - len(inside) - len(open_)
    parts.append(f"not among them: the other {out}" if out else "nobody is shown not to be")
    return Note(
        "top-alone",
        f"By itself, at {level} and not together with the other statements: {'; '.join(parts)}.",
    )


def _best_by_level(family: Family, alpha: float) -> NDArray[np.bool_]:
    """Models that may be the best: Bonferroni within the family of each candidate.

    Where flips decide, their law does.
    """
    from rankbars.stats.multiplicity.closedtesting import better_counts, better_counts_from_p

    if flips_decide(family):
        return _best_by_maxt(family, alpha)
    if family.statistic is not None:
        return np.asarray(better_counts(family.statistic, family.df, alpha, "bonferroni") == 0)
    if family.p is None:
        raise TypeError("a family of hypotheses needs statistics or p-values")
    return np.asarray(better_counts_from_p(family.p, alpha, "bonferroni") == 0)


def _best_by_maxt(family: Family, alpha: float) -> NDArray[np.bool_]:
    """The same with the largest statistic of sign flips; with estimated covariances by level.

    Draws with an estimated covariance are liberal below five rows per model.
    """
    if flipped_rows(family) is not None or family.rankings is not None:
        from rankbars.stats.multiplicity.maxt import max_t_best

        return max_t_best(null_draws(family), alpha)
    return _best_by_level(family, alpha)


_BEST_SETS: dict[str, Callable[[Family, float], NDArray[np.bool_]]] = {
    "holm": _best_by_level,
    "bonferroni": _best_by_level,
    "maxt": _best_by_maxt,
}
"""Sets for the best under the corrections that have a law for it."""


def call_first(name: str, family: Family, alpha: float, k: int) -> NDArray[np.int8]:
    """Who is among the first `k` (1), who is not (-1), and who may be (0), all at once.

    Parameters
    ----------
    name : str
        A correction that has a law for the best.
    family : Family
        The hypotheses.
    alpha : float
        Error rate of all these calls together.
    k : int
        Places, below the number M of models.

    Notes
    -----
    A wrong call needs a false claim "an outsider better than a member", and there are k (M - k)
    such pairs, however the first k came about: so each claim is made at ``alpha / (k (M - k))``.
    Where flips decide, the relation of all pairs does.
    """
    from rankbars.stats.racestates import call_top

    level = alpha / (k * (family.size - k))
    if flips_decide(family):
        relation = take_correction(name)(family, "all", alpha).decisions.shown_better
        if relation is None:
            raise TypeError(f"correction {name!r} shows no pairs")
        shown = simultaneous_order(relation)[0]
    elif family.statistic is not None:
        shown = family.statistic >= positive_critical(level, family.df)
    elif family.p is not None:
        shown = family.p <= level
    else:
        raise TypeError("a family of hypotheses needs statistics or p-values")
    return call_top(np.asarray(shown & ~np.eye(family.size, dtype=bool)), k)


def first_critical(name: str, family: Family, alpha: float) -> NDArray[np.float64] | float | None:
    """Standard errors that a difference needs to be shown before any other, of all pairs at once.

    None where a difference in standard errors is not what decides: exact tests, ranks, flipped
    clusters, and corrections that promise nothing.
    """
    items = family.evidence
    clustered = isinstance(items, Items) and items.clusters is not None
    counted = family.statistic is None or family.se is None
    if counted or flips_decide(family):
        return None
    if name in ("holm", "bonferroni"):
        tests = max(family.size * (family.size - 1), 1)
        return np.asarray(positive_critical(alpha / tests, family.df))
    if name == "maxt_bootstrap":
        return critical_of_draws(resample_family(family).largest.max(axis=1), alpha)
    if name != "maxt" or clustered:
        return None
    from rankbars.stats.multiplicity.maxt import max_t_critical

    critical = max_t_critical(null_draws(family), alpha)
    rows = flipped_rows(family)
    if rows is None:
        return critical
    # Flips compare u = t / sqrt((n - 1 + t^2) / n), an increasing function of the paired t.
    room = rows.n - critical**2
    return critical * float(np.sqrt((rows.n - 1) / room)) if room > 0 else np.inf


def _share_draws(name: str, family: Family) -> Family:
    """The family with the draws that its statements by max-T share; as it is for others."""
    if name != "maxt":
        return family
    draws = null_draws(family)
    if draws.scale is None and draws.measure is None:
        return family  # statistics of all pairs are large
    made = list(draws.start())
    return family._replace(draws=draws._replace(start=lambda: iter(made)))

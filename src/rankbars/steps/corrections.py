"""The multiplicity corrections: a table from name to function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name
from rankbars.data.evidence import Estimates, Evidence, Folds, Items
from rankbars.data.fields import names_where
from rankbars.data.intervals import Scope
from rankbars.data.notes import Note
from rankbars.data.rightanswers import is_binary
from rankbars.data.spec import correction_facts
from rankbars.errors import OptionError
from rankbars.stats.multiplicity.stepdown import Procedure, decide, decide_from_p
from rankbars.stats.orders import find_cycles
from rankbars.stats.pairwise.clusters import few_degrees, group_rows
from rankbars.stats.pairwise.modelscores import weighted_rows
from rankbars.stats.pairwise.paired import paired_t
from rankbars.stats.resampling.distributions import symmetric_root
from rankbars.stats.tails import Decisions
from rankbars.steps.validity import Cell

if TYPE_CHECKING:
    from rankbars.stats.multiplicity.maxt import NullDraws
    from rankbars.stats.multiplicity.symmetricbootstrap import LargestDifferences, Sample

__all__ = [
    "CORRECTIONS",
    "Corrected",
    "Family",
    "correct",
    "flipped_rows",
    "flips_decide",
    "null_draws",
    "resample_family",
    "simultaneous_order",
    "strict_correction",
    "substitution",
    "take_correction",
]


class Family(NamedTuple):
    """The hypotheses of one task: statistics with a known tail, or p-values."""

    statistic: NDArray[np.float64] | None
    df: NDArray[np.float64] | float
    p: NDArray[np.float64] | None = None
    se: NDArray[np.float64] | None = None
    evidence: Evidence | None = None  # of the models of the family, for resampling
    key: str = ""  # what the random numbers are for
    seed: int = 0
    resamples: int = 1000
    log_e: NDArray[np.float64] | None = None  # log e-values, where the test gives them
    samples: tuple[Sample, ...] | None = None  # rows of the tasks of an average, to be resampled
    test: str = ""  # what compared the pairs
    rankings: NDArray[np.float64] | None = None  # of few tasks, which are reversed to get a law
    draws: NullDraws | None = None  # of max-T, where several statements share them
    models: tuple[str, ...] = ()  # their names, for what must be said of some

    @property
    def size(self) -> int:
        """Number of models."""
        table = next(t for t in (self.statistic, self.p, self.log_e) if t is not None)
        return len(table)

    def among(self, positions: NDArray[np.intp]) -> Family:
        """The hypotheses among the models at `positions`, in ascending order."""
        tables = (self.statistic, self.p, self.log_e)
        if all(table is None or len(table) == positions.size for table in tables):
            return self  # all of them: a thousand models make these tables large
        block = np.ix_(positions, positions)
        return self._replace(
            statistic=None if self.statistic is None else self.statistic[block],
            df=self.df if np.ndim(self.df) == 0 else np.asarray(self.df)[block],
            p=None if self.p is None else self.p[block],
            se=None if self.se is None else self.se[block],
            log_e=None if self.log_e is None else self.log_e[block],
            rankings=None if self.rankings is None else self.rankings[:, positions],
            models=tuple(self.models[i] for i in positions) if self.models else (),
        )


class Corrected(NamedTuple):
    """What may be claimed, and what the reader must know."""

    decisions: Decisions
    notes: tuple[Note, ...] = ()


Correction = Callable[[Family, Scope, float], Corrected]


def holm(family: Family, scope: Scope, alpha: float) -> Corrected:
    """Holm's step-down: no assumption about how the tests depend on each other.

    About all pairs at once, where clusters of rows are so unequal that few degrees of freedom are
    left, whole clusters are flipped instead; the sizes of the clusters decide that, not the scores.
    """
    found = _few_degrees(family) if scope == "all" else None
    if found is None:
        return _by_level("holm", family, scope, alpha)
    count, df = found
    made = maxt(family, scope, alpha)
    text = (
        f"{count} clusters leave about {df:.1f} degrees of freedom, with which Holm's method shows "
        "next to nothing: what holds for all models at once comes from sign flips of whole "
        "clusters (max-T). The sizes of the clusters decide that."
    )
    return made._replace(notes=(Note("cluster-flips", text), *made.notes))


def bonferroni(family: Family, scope: Scope, alpha: float) -> Corrected:
    """Bonferroni: every hypothesis at the level divided by their number."""
    return _by_level("bonferroni", family, scope, alpha)


def unadjusted(family: Family, scope: Scope, alpha: float) -> Corrected:
    """No correction: a description, without a guarantee for ranks."""
    return _by_level("none", family, scope, alpha)


def simes(family: Family, scope: Scope, alpha: float) -> Corrected:
    """Closed-testing count with Simes tests; Holm for models where its condition fails."""
    from rankbars.stats.multiplicity.closedtesting import simes_guarded

    if family.rankings is not None:
        return maxt(family, scope, alpha)
    if scope == "all" or family.statistic is None or family.se is None:
        raise OptionError("Simes counts need standard errors, and one model at a time. Use holm.")
    counted = simes_guarded(family.statistic, family.df, family.se, alpha)
    if not counted.fallback.size:
        return Corrected(counted.decisions)
    text = (
        "Holm was used instead of Simes for these models: some of their differences are "
        "negatively correlated."
    )
    about = tuple(family.models[i] for i in counted.fallback)
    return Corrected(counted.decisions, (Note("simes-holm", text, models=about),))


def maxt(family: Family, scope: Scope, alpha: float) -> Corrected:
    """Step-down max-T: sign flips of rows (or clusters); Gaussian draws for folds and estimates."""
    from rankbars.stats.multiplicity.maxt import max_t_all, max_t_each

    draws = null_draws(family)
    # Few tasks give coarse p-values, so that a model's two directions share one family.
    together = family.rankings is not None
    each = scope == "each"
    made = max_t_each(draws, alpha, one_family=together) if each else max_t_all(draws, alpha)
    return Corrected(made, _too_few_flips(family, alpha))


def maxt_bootstrap(family: Family, scope: Scope, alpha: float) -> Corrected:
    """Max-T by the symmetric bootstrap of studentised differences: for rows of any shape."""
    from rankbars.stats.multiplicity.symmetricbootstrap import decide_symmetric

    found = resample_family(family)
    made = decide_symmetric(found, alpha, all_pairs=scope == "all")
    count = int(found.left_out.sum()) // 2
    if not count:
        return Corrected(made)
    text = (
        f"Pairs of models that too few rows tell apart to be resampled: {count:,}. They are not "
        "shown to differ."
    )
    about = names_where(family.models, found.left_out.any(axis=1))
    return Corrected(made, (Note("too-few-differing-rows", text, models=about),))


def resample_family(family: Family) -> LargestDifferences:
    """Resamples of the rows behind a family: of its own, or of the tasks of an average."""
    from rankbars.stats.multiplicity.symmetricbootstrap import (
        Sample,
        cluster_sample,
        largest_differences,
    )

    if family.statistic is None:
        raise OptionError("Correction 'maxt_bootstrap' needs a t-test. Use --test t.")
    samples, statistic = family.samples, family.statistic
    if samples is None:
        rows, streams = (
            _complete_items(family, "maxt_bootstrap").values,
            _streams(family, "symmetric"),
        )
        samples = (Sample(rows, 1.0, streams),)
        items = family.evidence
        if isinstance(items, Items) and items.clusters is not None:
            samples = (cluster_sample(items.values, items.clusters, items.weights, streams),)
        elif is_binary(rows):
            statistic = paired_t(rows).statistic  # resamples tell its law, which is not counted
    return largest_differences(samples, statistic, family.resamples)


def rank_band(family: Family, scope: Scope, alpha: float) -> Corrected:
    """Rank band (Algorithm 3): a description, not a confidence interval under ties.

    Rows are resampled. Published scores and strengths from votes have none: they are drawn from
    the normal distribution of their errors.
    """
    from rankbars.stats.resampling.itembootstrap import bootstrap_band

    if isinstance(family.evidence, Estimates) and scope == "each":
        return _drawn_band(family, family.evidence, alpha)
    items = _complete_items(family, "bootstrap_band")
    dependent = items.clusters is not None or isinstance(items.design, Folds)
    if scope == "all" or dependent:
        needs = ["--scope each"] * (scope == "all") + ["rows without clusters or folds"] * dependent
        raise OptionError(
            "Correction 'bootstrap_band' describes one model at a time and resamples independent "
            f"rows. Use {' and '.join(needs)}, or --correction maxt."
        )
    band = bootstrap_band(
        items.values,
        alpha=alpha,
        draws=family.resamples,
        seed=family.seed,
        key=(family.key,),
    )
    return Corrected(
        Decisions(band.best - 1, len(items.models) - band.worst, None), (_band("A bootstrap"),)
    )


def _band(which: str) -> Note:
    text = (
        f"{which} rank band is not a confidence interval: tied models are missed far more often "
        "than stated. Use --correction holm for intervals."
    )
    return Note("band", text)


def _drawn_band(family: Family, evidence: Estimates, alpha: float) -> Corrected:
    """Ranks of normal draws around scores with errors, and their central share."""
    from rankbars.stats.resampling import rankcounts
    from rankbars.stats.resampling.distributions import normal_draws

    own = evidence.se if evidence.cov is None else np.diagonal(evidence.cov)
    if own is None or not np.isfinite(own).all():
        raise OptionError(
            "Correction 'bootstrap_band' draws scores from their errors, and some have none. "
            "Leave these models out (--models), or use --correction holm."
        )
    df = float(np.min(family.df, initial=np.inf))
    streams = _streams(family, "band")
    made = normal_draws(evidence.mean, _spread(family), streams, family.resamples, df=df)
    band = rankcounts.rank_band(rankcounts.rank_probability(made), family.resamples, alpha)
    size = len(evidence.models)
    return Corrected(Decisions(band.best - 1, size - band.worst, None), (_band("A Monte-Carlo"),))


def e_average(family: Family, scope: Scope, alpha: float) -> Corrected:
    """Closed testing by averages of e-values: valid however often one looks."""
    from rankbars.stats.votes.anytime import anytime_bounds, anytime_relation

    if family.log_e is None:
        raise OptionError(
            "Correction 'e_average' is for e-values, which this test does not give. Use --test "
            "e_process or e_strength (for votes), or --correction holm."
        )
    if scope == "all":
        shown = anytime_relation(family.log_e, alpha)
        return Corrected(Decisions(shown.sum(axis=0), shown.sum(axis=1), shown))
    bounds = anytime_bounds(family.log_e, alpha)
    size = family.log_e.shape[0]
    return Corrected(Decisions(bounds.best - 1, size - bounds.worst, None))


CORRECTIONS: dict[str, Correction] = {
    "holm": holm,
    "bonferroni": bonferroni,
    "simes": simes,
    "maxt": maxt,
    "maxt_bootstrap": maxt_bootstrap,
    "bootstrap_band": rank_band,
    "none": unadjusted,
    "e_average": e_average,
}


def take_correction(name: str) -> Correction:
    """The correction called `name`; raises `UnknownOptionError`."""
    check_name("correction", name, CORRECTIONS)
    return CORRECTIONS[name]


def correct(name: str, family: Family, scope: Scope, alpha: float, cell: Cell) -> Corrected:
    """What may be claimed by the correction called `name`, or by the one that its cell puts there.

    Raises
    ------
    UnknownOptionError
        If there is no such correction.
    """
    if not cell.becomes:
        return take_correction(name)(family, scope, alpha)
    made = take_correction(cell.becomes)(family, scope, alpha)
    return made._replace(notes=(*made.notes, *substitution(name, cell)))


def substitution(name: str, cell: Cell) -> tuple[Note, ...]:
    """A note where another correction decides than the one called `name`."""
    if not cell.becomes:
        return ()
    text = f"{cell.becomes.capitalize()} was used instead of {name.capitalize()}: {cell.why}."
    return (Note(f"{name}-{cell.becomes}", text),)


def strict_correction(name: str) -> str:
    """The correction behind statements about all models at once, where `name` was asked for."""
    return correction_facts(name).strict or name


def simultaneous_order(
    shown_better: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], list[list[int]]]:
    """`shown_better` without cycles and with all implied relations, and the cycles that were found.

    If all statements are true, so are their consequences, so closing costs nothing. A cycle
    proves that at least one statement is false; the pairs inside it then count as not shown.
    """
    cycles = find_cycles(shown_better)
    return cycles.closed, cycles.groups


def _by_level(procedure: Procedure, family: Family, scope: Scope, alpha: float) -> Corrected:
    if family.rankings is not None and procedure != "none":
        return maxt(family, scope, alpha)  # with few tasks the statistics have no table
    if family.statistic is not None:
        return Corrected(decide(family.statistic, family.df, alpha, procedure, scope))
    if family.p is None:
        raise TypeError("a family of hypotheses needs statistics or p-values")
    return Corrected(decide_from_p(family.p, alpha, procedure, scope))


def _streams(family: Family, purpose: str = "maxt") -> Callable[[int], np.random.Generator]:
    from rankbars.stats.streams import stream

    return lambda chunk: stream(family.seed, purpose, family.key, chunk)


def _few_degrees(family: Family) -> tuple[int, float] | None:
    """Clusters and their degrees of freedom, where these are few and clusters enough to flip."""
    items = family.evidence
    if family.test != "cluster_t" or not isinstance(items, Items) or items.clusters is None:
        return None
    if np.isnan(items.values).any():
        return None
    grouping = group_rows(items.clusters, items.weights)
    df = few_degrees(grouping)
    return None if df is None else (grouping.sizes.size, df)


def flips_decide(family: Family) -> bool:
    """Whether flips decide about all models at once, whatever the correction.

    They do where rankings of few tasks are reversed, and where few degrees of freedom are left.
    """
    return family.rankings is not None or _few_degrees(family) is not None


def _too_few_flips(family: Family, alpha: float) -> tuple[Note, ...]:
    """A note where so few clusters are flipped that nothing can be shown at this level."""
    if not isinstance(family.evidence, Items) or family.evidence.clusters is None:
        return ()
    from rankbars.stats.multiplicity.nulllaws import fewest_tasks, smallest_p

    count = int(np.unique(family.evidence.clusters).size)
    if smallest_p(count) <= alpha:
        return ()
    text = (
        f"{count} clusters: flipping whole clusters can show nothing at this level, whatever the "
        f"scores. It takes at least {fewest_tasks(alpha)}; or use --correction holm."
    )
    return (Note("few-clusters", text),)


def null_draws(family: Family) -> NullDraws:
    """Draws of all statistics under no difference, as max-T takes them."""
    from rankbars.stats.multiplicity.maxt import flip_draws, gaussian_draws
    from rankbars.stats.multiplicity.nulllaws import cluster_draws, reversal_draws

    if family.draws is not None:
        return family.draws
    if family.rankings is not None:
        return reversal_draws(family.rankings, _streams(family))
    flipped = flipped_rows(family)
    if flipped is not None:
        weights, clusters = flipped.weights, flipped.clusters
        items = _complete_items(family, "maxt")
        streams = _streams(family)
        if clusters is None:
            return flip_draws(items.values, streams, family.resamples)
        values = flipped.values
        if weights is not None:
            values = values * (weights / weights.mean())[:, None]
        return cluster_draws(values, group_rows(clusters, weights), streams, family.resamples)
    if family.statistic is None or family.se is None:
        raise OptionError("Correction 'maxt' needs a test with standard errors. Use --test auto.")
    spread, se, df = _spread(family), family.se, float(np.max(family.df))
    if np.ndim(family.df):
        # Pairs that rest on few clusters have wider errors of their own. Draws are studentised by
        # the spread that they come from, and as heavy in the tails as the least of the pairs.
        known = np.isfinite(se) & (se > 0)
        variance = np.square(spread).sum(axis=0)
        total = variance[:, None] + variance - 2 * spread.T @ spread
        se = np.where(known & (total > 0), np.sqrt(np.maximum(total, 0.0)), np.nan)
        df = float(np.min(np.asarray(family.df)[known], initial=np.inf))
    return gaussian_draws(family.statistic, spread, se, _streams(family), family.resamples, df)


def flipped_rows(family: Family) -> Items | None:
    """Rows whose signs max-T flips; not folds, unless the t-test takes them as independent."""
    rows = family.evidence
    if not isinstance(rows, Items) or (isinstance(rows.design, Folds) and family.test != "t"):
        return None
    return rows


def _spread(family: Family) -> NDArray[np.float64]:
    """A matrix whose product with its transpose is the covariance of the scores."""
    evidence = family.evidence
    if isinstance(evidence, Items) and isinstance(evidence.design, Folds):
        items = _complete_items(family, "maxt")
        rows, share = items.n, evidence.design.test_share
        scale = np.sqrt((1 / rows + share / (1 - share)) / max(rows - 1, 1))
        return np.asarray((items.values - items.values.mean(axis=0)) * scale)
    if isinstance(evidence, Estimates) and evidence.cov is not None:
        return symmetric_root(evidence.cov).root
    if isinstance(evidence, Estimates) and evidence.se is not None:
        return np.diag(np.nan_to_num(evidence.se))
    raise OptionError(
        "Correction 'maxt' needs scores per row, or estimates with standard errors. "
        "Use --correction holm."
    )


def _complete_items(family: Family, name: str) -> Items:
    if not isinstance(family.evidence, Items):
        raise OptionError(f"Correction {name!r} resamples rows; this has none. Use holm.")
    if np.isnan(family.evidence.values).any():
        raise OptionError(
            f"Correction {name!r} resamples whole rows and needs complete ones. Use --missing "
            "listwise, fail, drop_models or bounds, or --correction holm."
        )
    if family.evidence.weights is None:
        return family.evidence
    weighted = weighted_rows(family.evidence.values, family.evidence.weights)
    return replace(family.evidence, values=weighted, weights=None)

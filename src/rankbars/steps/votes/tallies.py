"""Votes as the fits see them: ties by their convention, clusters as chosen, by category."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from rankbars.data.spec import VoteOptions
from rankbars.data.votes import BAD, LABELS, LOSS, PERIOD_MARK, TIE, WIN, Ballots, Votes, labels_of
from rankbars.errors import OptionError
from rankbars.stats.votes.voteclusters import ClusterCounts, count_clustered_votes
from rankbars.stats.votes.votecounts import (
    VoteCounts,
    code_rows,
    even_weights,
    from_matrices,
    merge_rows,
)

__all__ = [
    "CLUSTER_WORDS",
    "MIN_CLUSTERS",
    "choose_clusters",
    "cluster_keys",
    "count_used",
    "period_names",
    "split_categories",
    "tally",
    "tally_by",
    "tally_clusters",
    "used_ballots",
    "votes_in",
    "weight_in_fit",
]

MIN_CLUSTERS = 5  # fewer cannot support a variance estimate

CLUSTER_WORDS = {
    "judge": "voters", "prompt": "prompts", "cluster": "clusters of votes", "vote": "votes",
}  # fmt: skip


def tally(votes: Votes, options: VoteOptions) -> VoteCounts:
    """Counts per pair of models, and per value of the covariates where there are any.

    Parameters
    ----------
    votes : Votes
        The votes.
    options : VoteOptions
        What ties and votes for neither side count as, and whether pairs weigh alike.
    """
    counts = _as_cast(votes, options)
    if options.reweight == "none":
        return counts
    factor = even_weights(counts)
    return counts._replace(weight=counts.weight * factor, squared=counts.squared * factor**2)


def weight_in_fit(votes: Votes, used: Ballots, options: VoteOptions) -> NDArray[np.float64] | None:
    """What each vote of a row weighs in the fit of all votes; None where each counts once.

    Parameters
    ----------
    votes : Votes
        The votes.
    used : Ballots
        Some of those that are used.
    options : VoteOptions
        Whether pairs weigh alike.
    """
    if used.weight is None and options.reweight == "none":
        return None
    weight = used.weights / np.maximum(used.counts, 1)
    if options.reweight == "none":
        return weight
    counts, size = _as_cast(votes, options), len(votes.models)
    factor = np.ones((size, size))
    factor[counts.first, counts.second] = factor[counts.second, counts.first] = even_weights(counts)
    made: NDArray[np.float64] = weight * factor[used.first, used.second]
    return made


def _as_cast(votes: Votes, options: VoteOptions) -> VoteCounts:
    """Counts before pairs are weighed."""
    ballots = votes.ballots
    if ballots is None or (ballots.weight is None and ballots.covariates is None):
        return from_matrices(votes.wins, _tie_table(votes, options))
    used = used_ballots(ballots, options)
    rows = used.first.size
    weight, squared = np.zeros((2, 3, rows))
    weight[used.outcome, np.arange(rows)] = used.weights
    squared[used.outcome, np.arange(rows)] = used.squares
    return merge_rows(
        len(votes.models), used.first, used.second, weight, squared, _covariates(used)
    )


def tally_clusters(votes: Votes, options: VoteOptions, names: tuple[str, ...]) -> ClusterCounts:
    """Counts per cluster; with several names, a cluster is a combination of them.

    Raises
    ------
    OptionError
        If the votes do not say what they belong to.
    """
    ballots = votes.ballots
    if ballots is None or any(name not in ballots.labels for name in names):
        raise OptionError(_no_labels(votes, "+".join(names)))
    used = used_ballots(ballots, options)
    codes = [_single_codes(used.labels[name].codes) for name in names]
    return _tally_used(votes, used, options, codes[0] if len(codes) == 1 else code_rows(codes))


def tally_by(votes: Votes, options: VoteOptions, codes: NDArray[np.int64]) -> ClusterCounts:
    """Counts per cluster, by the code of each row that is used; rows below 0 stand alone."""
    return _tally_used(votes, used_ballots(cast(Ballots, votes.ballots), options), options, codes)


def _tally_used(
    votes: Votes, used: Ballots, options: VoteOptions, codes: NDArray[np.int64]
) -> ClusterCounts:
    code = _single_codes(codes)
    clusters = count_clustered_votes(
        used.first, used.second, used.outcome, code, len(votes.models), used.load,
        _covariates(used),
    )  # fmt: skip
    # A row may stand for several votes, which only the tally knows.
    clusters = clusters._replace(counts=tally(votes, options))
    if options.reweight == "none":
        return clusters
    factor = even_weights(_as_cast(votes, options))[clusters.row]
    return clusters._replace(weight=clusters.weight * factor)


def split_categories(votes: Votes) -> Iterator[tuple[str, Votes]]:
    """The votes of each category, and all votes, as they are to be ranked beside the whole.

    Where votes have covariates, each is there with them and without; all votes with them are the
    whole itself.

    Yields
    ------
    name : str
        The category; empty for all votes.
    votes : Votes
        Its votes, over the models that have any.
    """
    ballots = votes.ballots
    if ballots is None or ballots.categories is None:
        return
    every = np.ones(ballots.first.size, dtype=np.bool_)
    chosen = [(name, (ballots.categories >> k) & 1 == 1)
              for k, name in enumerate(ballots.category_names)
              if not name.startswith(PERIOD_MARK)]  # fmt: skip
    chosen = [("", every), *chosen] if chosen else []
    for name, rows in chosen:
        own = replace(ballots.take(rows), categories=None, category_names=())
        plain = replace(own, covariates=None, covariate_names=())
        for some in (own, plain) if own.covariate_names else (own,):
            if name or some is not own:
                yield name, _present(votes.models, some)


def period_names(votes: Votes) -> list[str]:
    """The periods with votes, in the order of time; names as `PERIOD_MARK` has them."""
    ballots = votes.ballots
    if ballots is None or ballots.categories is None:
        return []
    bits = int(np.bitwise_or.reduce(ballots.categories, initial=0))
    return sorted(
        name
        for k, name in enumerate(ballots.category_names)
        if name.startswith(PERIOD_MARK) and bits >> k & 1
    )


def votes_in(votes: Votes, periods: Sequence[str]) -> Votes:
    """The votes of some periods, over the models that have any."""
    ballots = votes.ballots
    if ballots is None or ballots.categories is None:
        return votes
    chosen = sum(1 << ballots.category_names.index(name) for name in periods)
    own = ballots.take((ballots.categories & chosen) != 0)
    return _present(votes.models, replace(own, categories=None, category_names=()))


def cluster_keys(votes: Votes, options: VoteOptions, names: tuple[str, ...]) -> NDArray[np.int64]:
    """What each cluster of `tally_clusters` is known by in all parts of the votes.

    -1 for a row whose label is not known, which is a cluster by itself.
    """
    if votes.ballots is None:
        raise OptionError(_no_labels(votes, "+".join(names)))
    used = used_ballots(votes.ballots, options)
    labels = [used.labels[name] for name in names]
    code = code_rows([_single_codes(one.codes) for one in labels])
    known = np.logical_and.reduce([one.codes >= 0 for one in labels])
    key = labels[0].codes
    for one in labels[1:]:
        key = key * len(one.names) + one.codes
    keys = np.full(int(code.max(initial=-1)) + 1, -1, dtype=np.int64)
    keys[code[known]] = key[known]
    return keys


def _present(models: tuple[str, ...], ballots: Ballots) -> Votes:
    """The votes over the models that have any."""
    used = np.zeros(len(models), dtype=np.bool_)
    used[ballots.first] = used[ballots.second] = True
    place = np.cumsum(used) - 1
    moved = replace(ballots, first=place[ballots.first], second=place[ballots.second])
    return Votes.from_ballots(tuple(np.array(models, dtype=object)[used].tolist()) or models, moved)


def choose_clusters(votes: Votes, options: VoteOptions) -> tuple[str, ...]:
    """What votes are clustered by; empty where they are taken as independent.

    ``auto`` takes voters, and prompts or else conversations, where the votes name them: kinds of
    which there are `MIN_CLUSTERS` or more, and that bring any two votes together.

    Raises
    ------
    OptionError
        If clusters are asked for that the votes do not name.
    """
    labels = labels_of(votes)
    if options.covariance in ("sandwich", "hessian") or options.cluster == "none":
        # Rows of one vote belong together even where votes are independent.
        return ("vote",) if "vote" in labels and options.covariance != "hessian" else ()
    if options.cluster == "auto":
        usable = [
            name
            for name in LABELS
            if name in labels and MIN_CLUSTERS <= labels[name].groups < max(votes.n, 1)
        ]
        if usable:
            # Conversations lie within prompts; they stand in where prompts are too few.
            about = next((name for name in ("prompt", "cluster") if name in usable), None)
            chosen = tuple(name for name in ("judge", about) if name in usable)
            return chosen or (usable[0],)
        if "vote" in labels:
            return ("vote",)
        if options.covariance == "cluster":
            raise OptionError(_no_labels(votes, "cluster"))
        return ()
    names = tuple(name.strip() for name in options.cluster.split("+"))
    for name in names:
        if name not in labels:
            raise OptionError(_no_labels(votes, name))
    if len(names) > 2 or len(set(names)) < len(names):
        raise OptionError(
            f"Votes are clustered by one kind of label, or by two; got {options.cluster!r}."
        )
    return names


def count_used(votes: Votes, options: VoteOptions) -> int:
    """Number of votes that are used: all, or those with a winner."""
    bad = options.both_bad == "drop"
    if votes.ballots is not None:
        ballots = votes.ballots
        left_out = np.zeros(ballots.first.size, dtype=np.bool_)
        if options.ties == "drop":
            left_out |= (ballots.outcome == TIE) | (ballots.outcome == BAD)
        if bad:
            left_out |= ballots.outcome == BAD
        return int(ballots.counts[~left_out].sum())
    ties = _tie_table(votes, options)
    return round(float(votes.wins.sum() + (0.0 if ties is None else ties.sum() / 2)))


def _tie_table(votes: Votes, options: VoteOptions) -> NDArray[np.float64] | None:
    if options.ties == "drop":
        return None
    tables = [votes.ties, votes.both_bad if options.both_bad == "tie" else None]
    known = [table for table in tables if table is not None]
    return None if not known else np.asarray(sum(known[1:], known[0]))


def used_ballots(ballots: Ballots, options: VoteOptions) -> Ballots:
    """Votes that count, with the outcomes win, tie and loss only."""
    keep = np.ones(ballots.first.size, dtype=np.bool_)
    if options.ties == "drop":
        keep &= (ballots.outcome == WIN) | (ballots.outcome == LOSS)
    elif options.both_bad == "drop":
        keep &= ballots.outcome != BAD
    used = ballots if keep.all() else ballots.take(keep)
    if not (used.outcome == BAD).any():
        return used
    return replace(used, outcome=np.where(used.outcome == BAD, TIE, used.outcome))


def _covariates(ballots: Ballots) -> NDArray[np.float64]:
    if ballots.covariates is None:
        return np.empty((ballots.first.size, 0))
    return ballots.covariates


def _single_codes(codes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Codes in which a row without a label is a cluster by itself."""
    unknown = codes < 0
    if not unknown.any():
        return codes.astype(np.intp, copy=False)
    own = codes.max(initial=-1) + 1 + np.cumsum(unknown) - 1
    return np.where(unknown, own, codes).astype(np.intp)


def _no_labels(votes: Votes, name: str) -> str:
    labels = labels_of(votes)
    known = [one for one in LABELS if one in labels and one != "vote"]
    found = f"they name: {', '.join(known)}" if known else "they name neither voter nor prompt"
    kind = {"judge": "voter", "prompt": "prompt", "cluster": "conversation"}.get(name)
    if name == "cluster" and not known:
        kind = "voter, prompt or conversation"
    if kind is not None:
        found = (
            f"no two of them are known to share a {kind}{f'; {found}' if known else ''}. If each "
            "vote has its own, there is nothing to cluster"
        )
    wanted = "clusters" if name == "cluster" and not known else f"{name!r}"
    return (
        f"The votes cannot be clustered by {wanted}: {found}. Name the column with --column "
        "judge=NAME, prompt=NAME or cluster=NAME, or use --covariance sandwich for independent "
        "votes."
    )

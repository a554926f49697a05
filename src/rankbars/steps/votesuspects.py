"""Voters whose votes do not fit those of the others: who, in what, and with which effect."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankbars.data.spec import VoteOptions
from rankbars.data.taskresult import MovedModel, SuspectVoter, SuspectVoters
from rankbars.data.votes import Ballots, Votes
from rankbars.errors import OptionError
from rankbars.stats.votes.connectivity import find_components
from rankbars.stats.votes.oddvoters import OddVoters, VotesByVoter, find_odd_voters
from rankbars.stats.votes.voteclusters import ClusterCounts
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.voteinfluence import drop_clusters
from rankbars.steps.strengths import fit_tally
from rankbars.steps.tallies import tally, tally_clusters, used_ballots

__all__ = ["FALSE_DISCOVERIES", "cap_votes", "down_weigh", "find_suspects"]

FALSE_DISCOVERIES = 0.05

_NO_VOTERS = (
    "{} needs votes that name their voters, and no two of these are known to share one. Name the "
    "column with --column judge=NAME, or leave it out."
)
_ROUNDS = 3  # fits without the voters found, until the same ones are found
_MOST_STEPS = 500  # voters who are left out one by one
_MOST_NAMES = 5
_MOST_GROUPS = 3
_MOST_MODELS = 3


def find_suspects(
    votes: Votes, options: VoteOptions, fit: VoteFit
) -> tuple[SuspectVoters | None, tuple[tuple[str, str], ...]]:
    """Voters whose votes do not fit, and the note that names them; None where there are none.

    Parameters
    ----------
    votes : Votes
        Votes that put all models on one scale.
    options : VoteOptions
        What ties count as.
    fit : VoteFit
        Their fit.

    Raises
    ------
    OptionError
        If suspects have a weight and the votes name no voters.
    """
    ballots = votes.ballots
    if ballots is None or "judge" not in ballots.labels:
        if options.suspect_weight is not None:
            what = "A weight of suspects (suspect_weight, --suspect-weight)"
            raise OptionError(_NO_VOTERS.format(what))
        return None, ()
    used = used_ballots(ballots, options)
    known = (used.labels["judge"].codes >= 0) & (used.counts > 0)
    cast = _by_voter(used if known.all() else used.take(known), fit)
    size = len(used.labels["judge"].names)
    found = find_odd_voters(cast, fit, size, FALSE_DISCOVERIES)
    without: VoteFit | None = None
    apart = np.zeros(size, dtype=np.bool_)
    for _ in range(_ROUNDS):
        before = apart.copy()
        apart[:] = False
        apart[found.voter] = True
        if (apart == before).all():
            break
        without = _fit_without(votes, options, apart)
        if without is None:
            break
        # What the others say is not clouded by those who were found already.
        found = find_odd_voters(cast, without, size, FALSE_DISCOVERIES, apart)
    if not found.voter.size:
        return None, ()
    apart[:] = False
    apart[found.voter] = True
    without = _fit_without(votes, options, apart)
    total = np.bincount(cast.voter, cast.votes, size).astype(np.int64)
    suspects = SuspectVoters(
        FALSE_DISCOVERIES,
        found.tested,
        int(total[found.voter].sum()),
        _describe(votes, options, fit, used, found, total),
        None if without is None else _moved(votes.models, fit.strength, without.strength),
        1.0 if options.suspect_weight is None else options.suspect_weight,
    )
    return suspects, (("suspect-voters", _say(suspects, used.n)),)


def cap_votes(votes: Votes, options: VoteOptions) -> tuple[Votes, tuple[tuple[str, str], ...]]:
    """The votes, those of voters with more than ``options.cap`` weighing less, and a note.

    Raises
    ------
    OptionError
        If there is a cap and the votes name no voters.
    """
    cap, ballots = options.cap, votes.ballots
    if cap is None:
        return votes, ()
    if ballots is None or "judge" not in ballots.labels:
        raise OptionError(_NO_VOTERS.format("A cap on the votes of each voter (cap, --cap)"))
    codes = ballots.labels["judge"].codes
    cast = np.bincount(codes + 1, ballots.counts, len(ballots.labels["judge"].names) + 1)
    share = np.minimum(cap / np.maximum(cast, 1), 1.0)
    share[0] = 1.0  # those whose voter is not known
    over = int((cast[1:] > cap).sum())
    text = (
        f"{over:,} of {int((cast[1:] > 0).sum()):,} voters cast more than {cap:,} votes; each of "
        f"their votes weighs less, so that they count as {cap:,} together (--cap {cap})."
    )
    weighed = _weigh(votes, ballots, share[codes + 1]) if over else votes
    return weighed, (("votes-capped", text),)


def down_weigh(votes: Votes, suspects: SuspectVoters) -> Votes:
    """The votes, those of suspected voters with the weight that is declared for them."""
    ballots = votes.ballots
    if ballots is None or suspects.weight == 1:
        return votes
    named = {one.voter for one in suspects.voters}
    names = ballots.labels["judge"].names
    odd = np.array([*(name in named for name in names), False])[ballots.labels["judge"].codes]
    if suspects.weight == 0:
        return Votes.from_ballots(votes.models, ballots.take(~odd))
    return _weigh(votes, ballots, np.where(odd, suspects.weight, 1.0))


def _weigh(votes: Votes, ballots: Ballots, factor: NDArray[np.float64]) -> Votes:
    weighed = replace(ballots, weight=ballots.weights * factor, squared=ballots.squares * factor**2)
    return Votes.from_ballots(votes.models, weighed)


def _by_voter(used: Ballots, fit: VoteFit) -> VotesByVoter:
    return VotesByVoter(
        used.labels["judge"].codes,
        used.first,
        used.second,
        used.outcome,
        used.votes,
        None if used.covariates is None else used.covariates @ fit.effect,
        used.position,
    )


def _fit_without(votes: Votes, options: VoteOptions, apart: NDArray[np.bool_]) -> VoteFit | None:
    """The fit without some voters; None where the others do not put all models on one scale."""
    if votes.ballots is None:
        return None
    codes = votes.ballots.labels["judge"].codes
    kept = votes.ballots.take(~((codes >= 0) & apart[codes]))
    counts = tally(Votes.from_ballots(votes.models, kept), options)
    if not counts.first.size or find_components(counts).component.max(initial=0) > 0:
        return None
    return fit_tally(counts, options)


def _describe(
    votes: Votes, options: VoteOptions, fit: VoteFit, used: Ballots, found: OddVoters,
    total: NDArray[np.int64],
) -> tuple[SuspectVoter, ...]:  # fmt: skip
    """A row for each voter who was found."""
    names, size = used.labels["judge"].names, len(votes.models)
    moves = _moves_without_each(tally_clusters(votes, options, ("judge",)), fit, used, found.voter)
    rows = []
    for k, voter in enumerate(found.voter.tolist()):
        habit = int(found.habit[k])
        side = "for" if found.side[k] > 0 else "against"
        about = found.votes[k]
        rows.append(
            SuspectVoter(
                names[voter],
                int(total[voter]),
                {size: "order", size + 1: "position"}.get(habit, side),  # type: ignore[arg-type]
                votes.models[habit] if habit < size else None,
                int(about),
                float(np.clip(found.won[k] / about, 0, 1)),
                float(np.clip(found.expected[k] / about, 0, 1)),
                float(np.exp(found.log_p[k])),
                moves[k] if k < len(moves) else None,
            )
        )
    return tuple(rows)


def _moves_without_each(
    clusters: ClusterCounts, fit: VoteFit, used: Ballots, voters: NDArray[np.intp]
) -> list[int | None]:
    """Largest change of a rank without each voter; of the first few hundred."""
    codes = used.labels["judge"].codes
    present = np.unique(codes[codes >= 0])
    which = np.searchsorted(present, voters[:_MOST_STEPS])
    change = drop_clusters(clusters, fit, which)
    before = _places(fit.strength)
    return [
        None if np.isnan(one).any() else int(np.abs(_places(fit.strength + one) - before).max())
        for one in change
    ]


def _places(strength: NDArray[np.float64]) -> NDArray[np.int64]:
    place = np.empty(strength.size, dtype=np.int64)
    place[np.argsort(-strength, kind="stable")] = np.arange(1, strength.size + 1)
    return place


def _moved(
    models: tuple[str, ...], counted: NDArray[np.float64], without: NDArray[np.float64]
) -> tuple[MovedModel, ...]:
    """Models whose rank changes, those that change most first."""
    one, other = _places(counted), _places(without)
    order = np.argsort(-np.abs(one - other), kind="stable")
    return tuple(
        MovedModel(models[i], int(one[i]), int(other[i])) for i in order if one[i] != other[i]
    )


def _say(suspects: SuspectVoters, cast: int) -> str:
    """The message: how many votes, who and what, and what would be without them."""
    number = len(suspects.voters)
    who = "1 voter casts" if number == 1 else f"{number:,} voters cast"
    text = (
        f"{who} {suspects.votes:,} of {cast:,} votes ({suspects.votes / max(cast, 1):.1%}) that do "
        "not fit those of the others: "
    )
    groups: dict[tuple[str, str | None], list[SuspectVoter]] = {}
    for one in suspects.voters:
        groups.setdefault((one.habit, one.model), []).append(one)
    largest = sorted(groups.items(), key=lambda group: -sum(one.about for one in group[1]))
    text += "; ".join(_group_words(*key, own) for key, own in largest[:_MOST_GROUPS])
    if len(largest) > _MOST_GROUPS:
        text += f"; and {len(largest) - _MOST_GROUPS} more habits"
    counted = {
        0.0: "They are left out here (--suspect-weight 0).",
        1.0: "They count like the others; --suspect-weight 0 leaves them out.",
    }.get(
        suspects.weight,
        f"Each of these votes weighs {suspects.weight:g} here (--suspect-weight "
        f"{suspects.weight:g}).",
    )
    return (
        f"{text}. {_effect_words(suspects)} {counted} It is a reason to look at them, no proof: "
        f"of the {suspects.tested:,} voters with enough votes to be tested, at most "
        f"{suspects.false_discoveries:.0%} of those named are named by chance, on average."
    )


def _group_words(habit: str, model: str | None, voters: list[SuspectVoter]) -> str:
    about = sum(one.about for one in voters)
    won = sum(one.won * one.about for one in voters) / about
    expected = sum(one.expected * one.about for one in voters) / about
    shown = ", ".join(one.voter for one in voters[:_MOST_NAMES])
    more = len(voters) - _MOST_NAMES
    who = shown + (f" and {more:,} more" if more > 0 else "")
    said = f"{won:.0%} of {about:,} votes, where {expected:.0%} is expected"
    if habit == "order":
        return f"against the order of the strengths: {who} (the stronger model won {said})"
    if habit == "position":
        return f"by position: {who} (the model shown first won {said})"
    return f"{habit} {model}: {who} (it won {said})"


def _effect_words(suspects: SuspectVoters) -> str:
    they = "this voter" if len(suspects.voters) == 1 else "them"
    if suspects.moved is None:
        return f"Without {they} the votes would not put all models on one scale."
    if not suspects.moved:
        return f"Without {they} the order of the models stays as it is."
    shown = ", ".join(
        f"{one.model} would rank {one.without} instead of {one.counted}"
        for one in suspects.moved[:_MOST_MODELS]
    )
    more = len(suspects.moved) - _MOST_MODELS
    return f"Without {they}, {shown}" + (f", and {more:,} more would move." if more > 0 else ".")

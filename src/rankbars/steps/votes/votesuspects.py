"""Voters, periods and prompts whose votes do not fit: which, in what, and with which effect."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import Note, list_words
from rankbars.data.spec import VoteOptions
from rankbars.data.suspects import MovedModel, SuspectGroup, SuspectVoter, SuspectVoters
from rankbars.data.votes import PERIOD_MARK, Ballots, Votes
from rankbars.errors import OptionError
from rankbars.stats.ranks import printed_places
from rankbars.stats.votes.connectivity import find_components
from rankbars.stats.votes.oddvoters import OddVoters, find_odd_voters
from rankbars.stats.votes.votefit import VoteFit
from rankbars.stats.votes.voteinfluence import drop_clusters
from rankbars.stats.votes.voterhabits import VotesByVoter
from rankbars.steps.votes.strengths import fit_tally
from rankbars.steps.votes.tallies import (
    count_used,
    period_names,
    tally,
    tally_by,
    used_ballots,
    weight_in_fit,
)

__all__ = ["FALSE_DISCOVERIES", "cap_votes", "down_weigh", "find_suspect_groups", "find_suspects"]

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
_LONGEST_NAME = 40


def find_suspects(
    votes: Votes, options: VoteOptions, fit: VoteFit
) -> tuple[SuspectVoters | None, tuple[Note, ...]]:
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
    size = len(ballots.labels["judge"].names)
    found, by_voter, without = _find_apart(votes, options, fit, _voters, size)
    if not found.voter.size:
        return None, ()
    total = np.bincount(by_voter.voter, by_voter.votes, size).astype(np.int64)
    suspects = SuspectVoters(
        FALSE_DISCOVERIES,
        found.tested,
        int(total[found.voter].sum()),
        _describe(votes, options, fit, found, total),
        _moved_models(votes, fit, without),
        1.0 if options.suspect_weight is None else options.suspect_weight,
    )
    return suspects, (Note("suspect-voters", _say(suspects, count_used(votes, options))),)


def cap_votes(votes: Votes, options: VoteOptions) -> tuple[Votes, tuple[Note, ...]]:
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
    return weighed, (Note("votes-capped", text),)


def down_weigh(votes: Votes, suspects: SuspectVoters) -> Votes:
    """The votes, those of suspected voters with the weight that is declared for them."""
    ballots = votes.ballots
    if ballots is None or suspects.weight == 1:
        return votes
    named = {one.name for one in suspects.voters}
    names = ballots.labels["judge"].names
    odd = np.array([*(name in named for name in names), False])[ballots.labels["judge"].codes]
    if suspects.weight == 0:
        return Votes.from_ballots(votes.models, ballots.take(~odd))
    return _weigh(votes, ballots, np.where(odd, suspects.weight, 1.0))


def find_suspect_groups(
    votes: Votes, options: VoteOptions, fit: VoteFit
) -> tuple[tuple[SuspectGroup, ...] | None, tuple[Note, ...]]:
    """Periods and prompts whose votes do not fit, and notes that name them; None where none are.

    The test is that of voters, with periods and prompts in their place: how much these differ by
    themselves is measured over all of them, and allowed for.

    Parameters
    ----------
    votes : Votes
        Votes that put all models on one scale.
    options : VoteOptions
        What ties count as.
    fit : VoteFit
        Their fit.
    """
    ballots = votes.ballots
    if ballots is None:
        return None, ()
    kinds: list[tuple[Literal["period", "prompt"], tuple[str, ...], _Codes]] = []
    periods = period_names(votes)
    if periods:
        kinds.append(
            ("period", tuple(name.removeprefix(PERIOD_MARK) for name in periods), _periods(periods))
        )
    if "prompt" in ballots.labels:
        kinds.append(("prompt", ballots.labels["prompt"].names, _prompts))
    rows: list[SuspectGroup] = []
    notes = []
    for kind, names, codes in kinds:
        found, by_group, without = _find_apart(votes, options, fit, codes, len(names))
        if not found.voter.size:
            continue
        total = np.bincount(by_group.voter, by_group.votes, len(names)).astype(np.int64)
        first = _first_periods(by_group, len(votes.models)) if kind == "period" else None
        moves = _moves_without_each(votes, options, fit, codes, found.voter)
        own = []
        for k, finding in enumerate(_findings(found, votes.models)):
            group, model = int(found.voter[k]), int(found.habit[k])
            # In the first period of all every model is new.
            arrival = first is not None and model < first.size and 0 < group == int(first[model])
            beside = {**finding, "arrival": arrival, "moves": moves[k]}
            own.append(SuspectGroup(names[group], int(total[group]), kind=kind, **beside))
        rows += own
        notes.append(
            Note(
                f"suspect-{kind}s",
                _say_groups(own, found.tested, _moved_models(votes, fit, without)),
            )
        )
    return tuple(rows) or None, tuple(notes)


_Codes = Callable[[Ballots], NDArray[np.int64]]


def _voters(ballots: Ballots) -> NDArray[np.int64]:
    return ballots.labels["judge"].codes


def _prompts(ballots: Ballots) -> NDArray[np.int64]:
    return ballots.labels["prompt"].codes


def _periods(names: list[str]) -> _Codes:
    def codes(ballots: Ballots) -> NDArray[np.int64]:
        found = np.full(ballots.first.size, -1, dtype=np.int64)
        if ballots.categories is not None:
            for k, name in enumerate(names):
                bit = ballots.category_names.index(name)
                found[(ballots.categories >> bit & 1).astype(np.bool_)] = k
        return found

    return codes


def _first_periods(cast: VotesByVoter, size: int) -> NDArray[np.int64]:
    """First period in which each model has votes."""
    first = np.full(size, np.iinfo(np.int64).max)
    for side in (cast.first, cast.second):
        np.minimum.at(first, side, cast.voter)
    return first


def _find_apart(
    votes: Votes, options: VoteOptions, fit: VoteFit, codes_of: _Codes, size: int
) -> tuple[OddVoters, VotesByVoter, VoteFit | None]:
    """Groups of votes that do not fit the others', the votes, and the fit without those groups."""
    ballots = cast(Ballots, votes.ballots)
    codes = codes_of(ballots)
    used = used_ballots(ballots, options)
    known = (codes_of(used) >= 0) & (used.counts > 0)
    rows = used if known.all() else used.take(known)
    cast_votes = _by_group(votes, rows, codes_of(rows), options, fit)
    found = find_odd_voters(cast_votes, fit, size, FALSE_DISCOVERIES)
    without: VoteFit | None = None
    apart = np.zeros(size, dtype=np.bool_)
    for _ in range(_ROUNDS):
        before = apart.copy()
        apart[:] = False
        apart[found.voter] = True
        if (apart == before).all():
            break
        without = _fit_without(votes, options, codes, apart)
        if without is None:
            break
        # What the others say is not clouded by those who were found already.
        found = find_odd_voters(cast_votes, without, size, FALSE_DISCOVERIES, apart)
    if found.voter.size:
        apart[:] = False
        apart[found.voter] = True
        without = _fit_without(votes, options, codes, apart)
    return found, cast_votes, without


def _weigh(votes: Votes, ballots: Ballots, factor: NDArray[np.float64]) -> Votes:
    weighed = replace(ballots, weight=ballots.weights * factor, squared=ballots.squares * factor**2)
    return Votes.from_ballots(votes.models, weighed)


def _by_group(
    votes: Votes, used: Ballots, codes: NDArray[np.int64], options: VoteOptions, fit: VoteFit
) -> VotesByVoter:
    return VotesByVoter(
        codes,
        used.first,
        used.second,
        used.outcome,
        used.votes,
        None if used.covariates is None else used.covariates @ fit.effect,
        used.position,
        weight_in_fit(votes, used, options),
    )


def _fit_without(
    votes: Votes, options: VoteOptions, codes: NDArray[np.int64], apart: NDArray[np.bool_]
) -> VoteFit | None:
    """The fit without some groups; None where the others do not put all models on one scale."""
    if votes.ballots is None:
        return None
    kept = votes.ballots.take(~((codes >= 0) & apart[codes]))
    counts = tally(Votes.from_ballots(votes.models, kept), options)
    if not counts.first.size or find_components(counts).component.max(initial=0) > 0:
        return None
    return fit_tally(counts, options)


def _describe(
    votes: Votes, options: VoteOptions, fit: VoteFit, found: OddVoters, total: NDArray[np.int64]
) -> tuple[SuspectVoter, ...]:
    """A row for each voter who was found."""
    names = cast(Ballots, votes.ballots).labels["judge"].names
    moves = _moves_without_each(votes, options, fit, _voters, found.voter)
    return tuple(
        SuspectVoter(names[voter], int(total[voter]), **finding, moves=moves[k])
        for k, (voter, finding) in enumerate(
            zip(found.voter.tolist(), _findings(found, votes.models), strict=True)
        )
    )


def _findings(found: OddVoters, models: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """What is odd, of each that was found, by the names of the fields that say it."""
    size = len(models)
    for k, habit in enumerate(found.habit.tolist()):
        about = found.votes[k]
        side = "for" if found.side[k] > 0 else "against"
        yield {
            "habit": {size: "order", size + 1: "position"}.get(habit, side),
            "model": models[habit] if habit < size else None,
            "about": int(about),
            "won": float(np.clip(found.won[k] / about, 0, 1)),
            "expected": float(np.clip(found.expected[k] / about, 0, 1)),
            "p": float(np.exp(found.log_p[k])),
        }


def _moves_without_each(
    votes: Votes, options: VoteOptions, fit: VoteFit, codes_of: _Codes, groups: NDArray[np.intp]
) -> list[int | None]:
    """Largest change of a rank without each voter, period or prompt; of the first few hundred."""
    codes = codes_of(used_ballots(cast(Ballots, votes.ballots), options))
    present = np.unique(codes[codes >= 0])
    which = np.searchsorted(present, groups[:_MOST_STEPS])
    change = drop_clusters(tally_by(votes, options, codes), fit, which)
    before = printed_places(fit.strength)
    moves: list[int | None] = [None] * len(groups)
    for k, one in enumerate(change):
        if not np.isnan(one).any():
            moves[k] = int(np.abs(printed_places(fit.strength + one) - before).max())
    return moves


def _moved_models(
    votes: Votes, fit: VoteFit, without: VoteFit | None
) -> tuple[MovedModel, ...] | None:
    """Models whose rank changes, those that change most first; None without the other fit."""
    if without is None:
        return None
    one, other = printed_places(fit.strength), printed_places(without.strength)
    order = np.argsort(-np.abs(one - other), kind="stable")
    return tuple(
        MovedModel(votes.models[i], int(one[i]), int(other[i])) for i in order if one[i] != other[i]
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
    they = "this voter" if number == 1 else "them"
    return (
        f"{text}. {_effect_words(suspects.moved, they)} {counted} It is a reason to look at them, "
        f"no proof: of the {suspects.tested:,} voters with enough votes to be tested, at most "
        f"{suspects.false_discoveries:.0%} of those named are named by chance, on average."
    )


def _say_groups(
    groups: list[SuspectGroup], tested: int, moved: tuple[MovedModel, ...] | None
) -> str:
    """The message: which periods or prompts, and what is odd about each."""
    number, kind = len(groups), groups[0].kind
    which = "Votes of {} of {:,} periods" if kind == "period" else "Votes on {} of {:,} prompts"
    shown = list_words(map(_habit_words, groups), _MOST_NAMES, "; ", "; ")
    they = f"this {kind}" if number == 1 else f"these {kind}s"
    return (
        f"{which.format(f'{number:,}', tested)} do not fit those of the others: {shown}. "
        f"{_effect_words(moved, they)} They count like the others. It is a reason to look at "
        f"them, no proof: at most {FALSE_DISCOVERIES:.0%} of those named are named by chance, on "
        "average."
    )


def _habit_words(one: SuspectGroup) -> str:
    name = one.name if len(one.name) <= _LONGEST_NAME else one.name[: _LONGEST_NAME - 1] + "…"
    name = repr(name) if one.kind == "prompt" else name
    said = f"{one.won:.0%} of {one.about:,} votes, where {one.expected:.0%} is expected"
    if one.habit == "order":
        return f"{name}, against the order of the strengths (the stronger model won {said})"
    if one.habit == "position":
        return f"{name}, by position (the model shown first won {said})"
    since = "; the first period in which it has votes" if one.arrival else ""
    return f"{name}, {one.habit} {one.model} (it won {said}{since})"


def _group_words(habit: str, model: str | None, voters: list[SuspectVoter]) -> str:
    about = sum(one.about for one in voters)
    won = sum(one.won * one.about for one in voters) / about
    expected = sum(one.expected * one.about for one in voters) / about
    who = list_words((one.name for one in voters), _MOST_NAMES)
    said = f"{won:.0%} of {about:,} votes, where {expected:.0%} is expected"
    if habit == "order":
        return f"against the order of the strengths: {who} (the stronger model won {said})"
    if habit == "position":
        return f"by position: {who} (the model shown first won {said})"
    return f"{habit} {model}: {who} (it won {said})"


def _effect_words(moved: tuple[MovedModel, ...] | None, they: str) -> str:
    if moved is None:
        return f"Without {they} the votes would not put all models on one scale."
    if not moved:
        return f"Without {they} the order of the models stays as it is."
    shown = ", ".join(
        f"{one.model} would rank {one.without} instead of {one.counted}"
        for one in moved[:_MOST_MODELS]
    )
    more = len(moved) - _MOST_MODELS
    return f"Without {they}, {shown}" + (f", and {more:,} more would move." if more > 0 else ".")

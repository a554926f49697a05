"""Options for pairwise votes, collected into one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from rankbars.cli.options import collect_options, named_option
from rankbars.cli.outputs import STANDARD
from rankbars.data.spec import BOTH_BAD, COVARIANCES, PAIRINGS, REWEIGHTS, TIES, VoteOptions
from rankbars.tables.readoptions import SELF_VOTES

if TYPE_CHECKING:
    from rankbars.data.board import Leaderboard
    from rankbars.data.diagnosis import VoteHealth
    from rankbars.data.growingvotes import RunningRecord
    from rankbars.data.scores import Scores

__all__ = [
    "VoteReading",
    "anytime_option",
    "enough_votes",
    "examined",
    "least_votes_option",
    "looks_begun",
    "refuse_unused",
    "take_look",
    "test_of_looks",
    "vote_options",
    "vote_reading_options",
    "with_health",
]


class VoteReading(NamedTuple):
    """How votes are read."""

    controls: tuple[str, ...] = ()
    self_votes: str = "raise"
    arena_per_file: bool = False
    within: tuple[str, ...] = ()
    over_time: str | None = None

    def declared(self) -> dict[str, Any]:
        """What was declared, by the names that `rankbars.read` has for it."""
        return self._asdict()


vote_reading_options = collect_options(
    VoteReading,
    "vote_reading",
    (
        click.option(
            "--control", "controls", metavar="NAME", multiple=True,
            help="Votes: adjust for the position, for a column with a difference of the two "
            "answers, or for length where there are length_a and length_b. Repeat for more.",
        ),
        named_option(
            "--self-votes", known=SELF_VOTES, default="raise", show_default=True,
            help="Votes: what to do with votes of a model against itself.",
        ),
        click.option(
            "--arena-per-file", is_flag=True,
            help="Votes: each file is an arena, and so a task, of its own. Without it, all files "
            "are one arena unless a column names tasks.",
        ),
        click.option(
            "--within", metavar="COLUMN", multiple=True,
            help="Votes: also rank within the categories of this column, which may overlap: true "
            "or false, a text, or a list. Repeat for more.",
        ),
        click.option(
            "--over-time", metavar="PERIOD",
            help="Votes with times: also strengths by day, week or month, or before and since a "
            "date (2025-03-15), and which models changed.",
        ),
    ),
)  # fmt: skip

vote_options = collect_options(
    VoteOptions,
    "votes",
    (
        named_option(
            "--ties", known=TIES, default="half", show_default=True,
            help="Votes: a tie is half a win for either side, is dropped, or has a parameter in "
            "the model of Rao and Kupper or of Davidson.",
        ),
        named_option(
            "--both-bad", known=BOTH_BAD, default="tie", show_default=True,
            help="Votes: what a vote for neither side is.",
        ),
        named_option(
            "--covariance", known=COVARIANCES, default="auto", show_default=True,
            help="Votes: how sure strengths are; auto clusters votes by voter, prompt or "
            "conversation where these are named, and takes them as independent where not.",
        ),
        click.option(
            "--cluster", metavar="KIND", default="auto", show_default=True,
            help="Votes: what depends on each other: judge, prompt, cluster, judge+prompt, none.",
        ),
        click.option(
            "--largest-component", is_flag=True,
            help="Votes: rank the largest group of models that the votes put on one scale, and "
            "leave the others out.",
        ),
        click.option(
            "--ridge", type=float, metavar="X", default=0.0, show_default=True,
            help="Votes: draw strengths together by a penalty on their squares.",
        ),
        named_option(
            "--pairing", known=PAIRINGS, default="unknown", show_default=True,
            help="Votes: how it was decided which models meet: at random (uniform), by a fixed "
            "plan, or with an eye on earlier results (adaptive), which takes the level from all "
            "but --anytime.",
        ),
        named_option(
            "--reweight", known=REWEIGHTS, default="none", show_default=True,
            help="Votes: uniform lets every pair of models weigh alike, however often the two met "
            "(one with fewer than 50 votes less).",
        ),
        click.option(
            "--elo", metavar="[MODEL=]RATING",
            help="Votes: show strengths on the scale of Elo, where the mean of all models, or one "
            "model, has this rating.",
        ),
        click.option(
            "--cap", type=click.IntRange(min=1), metavar="N",
            help="Votes: those of a voter who casts more than N weigh less, and count as N "
            "together.",
        ),
        click.option(
            "--suspect-weight", type=click.FloatRange(0, 1), metavar="W",
            help="Votes: weight of those of voters whose votes do not fit the others'; 0 leaves "
            "them out. Without it they count like all.",
        ),
    ),
)  # fmt: skip
least_votes_option, anytime_option = (
    click.option(
        "--least-votes", type=click.IntRange(min=0), metavar="N", default=0,
        help="Votes: leave out models that took part in fewer than N votes.",
    ),
    click.option(
        "--anytime", is_flag=True,
        help="Votes that keep coming in: intervals that stay valid however often one looks, "
        "from all votes together (--test e_strength, in the limit of many votes) or pair by "
        "pair (--test e_process). With -o, what earlier looks have shown is kept beside the "
        "board.",
    ),
)  # fmt: skip


def refuse_unused(
    scores: Scores, reading: VoteReading, votes: VoteOptions, *others: int | bool
) -> None:
    """Refuse options for votes where there are none."""
    from rankbars.data.votes import Votes
    from rankbars.errors import OptionError

    if any(isinstance(evidence, Votes) for evidence in scores.tasks.values()):
        _refuse_no_times(scores, reading)
        return
    given = (reading.controls, reading.within, reading.over_time, *others)
    if votes != VoteOptions() or any(given):
        raise OptionError(
            "--ties, --both-bad, --covariance, --cluster, --largest-component, --ridge, "
            "--pairing, --reweight, --elo, --cap, --suspect-weight, --control, --within, --over-"
            "time, --least-votes and --anytime are for pairwise votes, and there are none "
            "in the input. Leave them out."
        )


def _refuse_no_times(scores: Scores, reading: VoteReading) -> None:
    """Refuse to follow votes over time whose times nobody knows."""
    from rankbars.data.votes import PERIOD_MARK, Votes
    from rankbars.errors import OptionError

    ballots = [one.ballots for one in scores.tasks.values() if isinstance(one, Votes)]
    names = [name for one in ballots if one is not None for name in one.category_names]
    if reading.over_time and not any(name.startswith(PERIOD_MARK) for name in names):
        raise OptionError(
            "--over-time needs votes with times, and these are counts of votes or have none. Leave "
            "it out."
        )
    if reading.over_time and len(scores.tasks) > 1:
        raise OptionError(
            "--over-time follows one arena, and here are several. Rank one of them: --tasks NAME."
        )


def enough_votes(scores: Scores, least: int) -> Scores:
    """The models that took part in `least` votes, all tasks together, with a note about the others.

    Votes are counted once, before any model is left out.

    Raises
    ------
    DataError
        If fewer than two models are left.
    """
    from rankbars.data.notes import Note
    from rankbars.data.votes import Votes
    from rankbars.errors import DataError

    votes = [one for one in scores.tasks.values() if isinstance(one, Votes)] if least else []
    if not votes:
        return scores
    counts = dict.fromkeys(scores.models, 0)
    for one in votes:
        for name, count in zip(one.models, one.per_model.tolist(), strict=True):
            counts[name] += count
    kept = [name for name, count in counts.items() if count >= least]
    gone = len(counts) - len(kept)
    if not gone:
        return scores
    if len(kept) < 2:
        most = sorted(counts.values())[-2:][0]
        raise DataError(
            f"{len(kept)} of {len(counts)} models took part in {least:,} votes or more (--least-"
            f"votes), and a ranking needs two. Two models have {most:,} votes."
        )
    message = (
        f"Left out: {gone:,} of {len(counts):,} models with fewer than {least:,} votes, counted "
        "before any was left out; ranks are among the others. The guarantees hold only if that "
        "number was chosen without looking at the results."
    )
    return scores.select(models=kept).with_notes([Note("least-votes", message)])


def examined(scores: Scores, board: Leaderboard) -> list[str]:
    """Health of the votes of each task, and whose votes do not fit, as text."""
    from rankbars.render.examination import render_suspects, render_vote_health

    health = _health_of(board, scores) if board.health is None else board.health
    parts = [render_suspects(board), *(render_vote_health(one) for one in health.values())]
    return [part for part in parts if part]


def with_health(board: Leaderboard, scores: Scores, *, quiet: bool) -> Leaderboard:
    """The board with the health of its votes; as it is where there are none."""
    from rankbars.cli.progress import working

    if not any(task.kind == "votes" for task in board.tasks.values()):
        return board
    with working("Examining votes", quiet=quiet):
        return replace(board, health=_health_of(board, scores))


def _health_of(board: Leaderboard, scores: Scores) -> Mapping[str, VoteHealth]:
    import rankbars as rb

    spec = board.spec
    return rb.examine_votes(scores, votes=spec.votes, alpha=spec.alpha, seed=spec.seed)


def take_look(
    board: Leaderboard, scores: Scores, output: str | None
) -> tuple[Leaderboard, dict[str, str]]:
    """The board with all that earlier looks have shown, and the record to write beside it.

    Parameters
    ----------
    board : Leaderboard
        What this look shows.
    scores : Scores
        The votes.
    output : str or None
        The board file; without one nothing is remembered.
    """
    from rankbars.data.growingvotes import record_json
    from rankbars.steps.votes.looks import continue_looks

    path, record = _remembered(output)
    continued, found = continue_looks(board, scores, record)
    return continued, {} if path is None else {str(path): record_json(found)}


def looks_begun(output: str | None) -> RunningRecord | None:
    """What earlier looks beside the board file have shown; None where there were none."""
    return _remembered(output)[1]


def test_of_looks(scores: Scores, asked: str, pairing: str, output: str | None) -> str:
    """What compares the models at this look: as earlier ones did; else all votes together.

    Where earlier results chose the pairs and nobody knows with which probability, only the votes
    of single pairs hold.
    """
    from rankbars.data.votes import Votes

    began = looks_begun(output)
    if asked != "auto" or began is not None:
        return asked if began is None or asked != "auto" else began.test
    votes = next((one for one in scores.tasks.values() if isinstance(one, Votes)), None)
    logged = votes is not None and votes.largest_weight is not None
    return "e_process" if pairing == "adaptive" and not logged else "e_strength"


def _remembered(output: str | None) -> tuple[Path | None, RunningRecord | None]:
    """Where looks are recorded beside the board file, and what is recorded there."""
    from rankbars.data.growingvotes import load_record, record_path

    if output is None or output == STANDARD:
        return None, None
    path = record_path(output)
    return path, load_record(path)

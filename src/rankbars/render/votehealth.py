"""Health of votes: as text for a terminal, and the lines of a page."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass

from rankbars.data.board import Leaderboard
from rankbars.data.votehealth import Finding, JudgeReport, Neighbours, VoteHealth
from rankbars.render.names import shorten_all, visible
from rankbars.render.numbers import show_level, show_ranks

__all__ = ["HealthBlock", "finding_title", "finding_value", "health_blocks", "render_vote_health"]

WIDTH = 80
_MOST_NEIGHBOURS = 10
_MOST_JUDGES = 5
_NAME_WIDTH = 28
_MANY = 1e7
_SURE = 1.959964

_TITLES = {
    "connectivity": "One scale",
    "coverage": "Spread over pairs",
    "ties": "Votes without a winner",
    "circles": "Circles of models",
    "misfit": "Fit of the strengths",
    "position": "Wins of the model shown first",
    "influence": "Votes of one voter",
    "lead": "Votes that carry the lead",
    "agreement": "Agreement of judges",
    "clusters": "Votes that belong together",
    "control": "What sways votes",
}
_FORMS = {
    "coverage": "as if on {:,.0f} pairs",
    "ties": "{:.1%}",
    "circles": "{:,.0f}",
    "misfit": "{:.2f} times chance",
    "position": "{:.1%}",
    "lead": "{:,.0f}",
    "agreement": "{:.2f}",
    "clusters": "{:.2f} times the error",
    "control": "{:+.3g}",
}


@dataclass(frozen=True, slots=True)
class HealthBlock:
    """What was found about the votes of one task; its name is empty where it is the only one."""

    task: str
    findings: tuple[Finding, ...]
    concerns: int
    neighbours: str


def health_blocks(board: Leaderboard) -> tuple[HealthBlock, ...]:
    """The sentences on the health of votes, task by task, for readers without scripts."""
    health = {} if board.health is None else board.health
    return tuple(
        HealthBlock(
            task=name if len(board.tasks) > 1 else "",
            findings=found.findings,
            concerns=sum(finding.concern for finding in found.findings),
            neighbours=_neighbour_sentence(found),
        )
        for name, found in health.items()
    )


def _neighbour_sentence(health: VoteHealth) -> str:
    """How many neighbours need more votes, and the pair that is nearest to be told apart."""
    if not health.neighbours:
        return ""
    total = len(health.neighbours)
    enough = sum(pair.votes == 0 for pair in health.neighbours)
    said = (
        f"Of {total:,} pairs of neighbours in the order, {enough:,} have votes enough to be told "
        f"apart in {health.power:.0%} of repetitions (at {show_level(health.alpha)}, one pair by "
        "itself), if they differ by as much as it looks now."
    )
    open_pairs = [pair for pair in health.neighbours if 0 < pair.votes < _MANY]
    if not open_pairs:
        return said
    least = min(open_pairs, key=lambda pair: pair.votes)
    return (
        f"{said} Of the others, {least.ahead} and {least.behind} need the fewest further votes "
        f"between the two: about {least.votes:,.0f}."
    )


def finding_title(finding: Finding) -> str:
    """What was looked at, in a few words.

    Examples
    --------
    >>> finding_title(Finding("clusters-voter", 1.31, "")), finding_title(Finding("ties", 0.2, ""))
    ('Votes that belong together (voter)', 'Votes without a winner')
    """
    kind, _, about = finding.code.partition("-")
    title = _TITLES.get(kind, kind)
    return f"{title} ({about})" if about else title


def finding_value(finding: Finding) -> str | None:
    """The number that a finding comes down to, as text; None where its sentence says it all.

    Examples
    --------
    >>> finding_value(Finding("ties", 0.345, "")), finding_value(Finding("connectivity", 1.0, ""))
    ('34.5%', None)
    """
    form = _FORMS.get(finding.code.partition("-")[0])
    return form.format(finding.value) if form and math.isfinite(finding.value) else None


def render_vote_health(health: VoteHealth) -> str:
    """What was found out about votes, what would separate neighbours, and judges side by side.

    Parameters
    ----------
    health : VoteHealth
        From `rankbars.examine_votes`.

    Returns
    -------
    str
        Lines of at most 80 columns; ``!`` marks what should make the reader careful.
    """
    lines = [f"How healthy are the votes of {visible(health.task)}?"]
    for finding in health.findings:
        mark = "! " if finding.concern else "- "
        lines += textwrap.wrap(
            visible(finding.sentence), WIDTH, initial_indent=mark, subsequent_indent="  "
        )
    if health.neighbours:
        lines += ["", *_neighbour_lines(health)]
    if health.judges:
        lines += ["", *_judge_lines(health)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _neighbour_lines(health: VoteHealth) -> list[str]:
    close = [pair for pair in health.neighbours if pair.votes != 0]  # NaN: errors are not known
    level = show_level(health.alpha)
    if not close:
        return textwrap.wrap(
            f"Each model and the next one differ so clearly that {health.power:.0%} of repetitions "
            f"would show it (at {level}, one pair by itself).",
            WIDTH,
        )
    lines = textwrap.wrap(
        f"Votes that would show the difference of neighbours in {health.power:.0%} of repetitions "
        f"(at {level}, one pair by itself), if it is as large as it looks now:",
        WIDTH,
    )
    shown = close[:_MOST_NEIGHBOURS]
    models = list(dict.fromkeys(name for pair in shown for name in (pair.ahead, pair.behind)))
    short = shorten_all([visible(name) for name in models], [_NAME_WIDTH] * len(models))
    names = dict(zip(models, short, strict=True))
    lines.append(
        f"{'Ahead':<{_NAME_WIDTH}}  {'Behind':<{_NAME_WIDTH}}  {'votes':>10}  {'or all':>6}"
    )
    lines += [
        f"{names[pair.ahead]:<{_NAME_WIDTH}}  {names[pair.behind]:<{_NAME_WIDTH}}  "
        f"{_votes(pair):>10}  {_growth(pair):>6}"
        for pair in shown
    ]
    if len(close) > len(shown):
        lines.append(f"and {len(close) - len(shown)} more pairs of neighbours.")
    return lines


def _votes(pair: Neighbours) -> str:
    if math.isnan(pair.votes):
        return "unknown"
    return f"{pair.votes:,.0f}" if pair.votes < _MANY else "too many"


def _growth(pair: Neighbours) -> str:
    return f"×{pair.growth:,.0f}" if pair.growth < 1e4 else "–"


def _judge_lines(health: VoteHealth) -> list[str]:
    judges = health.judges[:_MOST_JUDGES]
    lines = ["Voters and judges by themselves, those with most votes first:"]
    for judge in judges:
        text = f"- {visible(judge.name)}: {judge.votes:,} votes"
        if not math.isnan(judge.first_share):
            text += (
                f"; the model shown first won {judge.first_share:.1%} "
                f"({judge.first_low:.1%} to {judge.first_high:.1%})"
            )
            if judge.first_low > 0.5 or judge.first_high < 0.5:
                text += ", so position sways it"
        text += _effect_words(health, judge)
        if judge.best is None:
            text += "; too few votes to put all models on one scale"
        lines += textwrap.wrap(f"{text}.", WIDTH, subsequent_indent="  ")
    ranked = [judge for judge in judges if judge.best is not None]
    return lines + _rank_lines(health, ranked) if len(ranked) > 1 else lines


def _effect_words(health: VoteHealth, judge: JudgeReport) -> str:
    words = ""
    for name, effect, se in zip(health.controls, judge.effects, judge.effect_se, strict=False):
        sways = " (sways it)" if abs(effect) > _SURE * se else ""
        words += f"; {visible(name)} {effect:+.2g} ± {se:.1g}{sways}"
    return words


def _rank_lines(health: VoteHealth, judges: list[JudgeReport]) -> list[str]:
    width = 10
    room = WIDTH - len(judges) * (width + 2)
    names = shorten_all([visible(name) for name in health.models], [room] * len(health.models))
    heads = shorten_all([visible(judge.name) for judge in judges], [width] * len(judges))
    lines = ["", f"Rank by each alone ({show_level(health.alpha)}, each model, chosen in advance):"]
    lines.append("  ".join([f"{'Model':<{room}}", *(f"{head:<{width}}" for head in heads)]))
    for i, name in enumerate(names):
        cells = [
            show_ranks(int(judge.best[i]), int(judge.worst[i]))
            for judge in judges
            if judge.best is not None and judge.worst is not None
        ]
        lines.append("  ".join([f"{name:<{room}}", *(f"{cell:<{width}}" for cell in cells)]))
    return lines

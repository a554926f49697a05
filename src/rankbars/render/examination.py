"""What ``--explain`` tells: methods, whether others agree, a new task, the health of votes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.diagnosis import (
    Diagnosis,
    Explanation,
    Finding,
    JudgeReport,
    LeftOut,
    MethodOutcome,
    Neighbours,
    VoteHealth,
)
from rankbars.data.notes import list_words
from rankbars.render.arenatables import suspect_tables
from rankbars.render.notation import MISSING, show_guarantee, show_level, show_ranks, show_share
from rankbars.render.ranktable import SideTable
from rankbars.render.shownnames import short_names, shorten, visible
from rankbars.render.textlines import WIDTH, in_columns, text_of, wrapped

__all__ = [
    "HealthBlock",
    "finding_title",
    "finding_value",
    "health_blocks",
    "render_diagnosis",
    "render_explanation",
    "render_suspects",
    "render_vote_health",
]

_MOST_NAMES = 3
_NAME_WIDTH = 34
_MODEL = f"{'Model':<{_NAME_WIDTH}}"
_MOST_NEIGHBOURS = 10
_MOST_SHIFTS = 8
_MOST_JUDGES = 5
_PAIR_WIDTH = 28
_MOST_SUSPECTS = 10
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


def render_explanation(found: Explanation) -> str:
    """Which methods are used and why, and what the other ones say.

    Parameters
    ----------
    found : Explanation
        From `rankbars.explain`.

    Returns
    -------
    str
        Lines of at most 80 columns.
    """
    lines = ["How this was decided"]
    for choice in found.choices:
        where = list_words(choice.tasks, _MOST_NAMES)
        lines += wrapped(f"Test {choice.test} ({where}): {choice.reason}")
    lines += wrapped(f"Correction: {found.correction}{_decided(found.outcomes)}")
    lines += ["", "Do the methods agree?", *_table(found.outcomes)]
    lines += wrapped(
        "Width: mean width of the rank intervals on the tasks. May be first: models that no other "
        "was shown better than, on what the board shows first. Each is at the level that was asked "
        "for, as far as the method keeps it here: some are approximate. Choose a method for what "
        "it assumes, not for its answer."
    )
    for name, reason in found.skipped:
        lines += wrapped(f"Not here: {name}. {reason}")
    return text_of(lines)


def render_diagnosis(found: Diagnosis, board: Leaderboard) -> str:
    """Whether the seen tasks foresee each other, and how much shift a claim bears.

    Parameters
    ----------
    found : Diagnosis
        From `rankbars.diagnose`.
    board : Leaderboard
        The board it was made from; gives the order of the models.

    Returns
    -------
    str
        Lines of at most 80 columns.
    """
    lines = ["Is a new task like these plausible?"]
    lines += wrapped(
        f"Each task was left out in turn. Its interval should lie inside the one made from the "
        f"others in at least {show_guarantee(found.expected)} of cases, for each model."
    )
    names = short_names(board.models, _NAME_WIDTH)
    head = [f"{f'left-out {one.unit}':<22}" for one in found.left_out]
    lines += in_columns([
        (_MODEL, *head, f"top {found.top} bears"),
        *((names[i], *(_contained(one, i) for one in found.left_out), _shift(found, i))
          for i in board.order),
    ])  # fmt: skip
    lines += wrapped(
        f"Bears: the shift between old and new source of tasks (total variation, 0 to 1) under "
        f"which 'never outside the top {found.top}' still holds with probability "
        f"{show_share(found.coverage)}. The limits treat left-out tasks as independent, which "
        "they are not quite: a guide, not a proof."
    )
    if found.guarantee is not None:
        lines += wrapped(
            f"If the new source is within e of the old one, new-task intervals keep a level of "
            f"at least {show_guarantee(found.guarantee)} minus e."
        )
    return text_of([*lines, *_shifted(found), *_more_rows(found)])


def _shifted(found: Diagnosis) -> list[str]:
    """What a source of harder, easier or other tasks would do, counted over the seen ones."""
    if not found.shifts:
        return []
    sizes = sorted({one.size for one in found.shifts})
    rows: dict[str, dict[float, float]] = {}
    for one in found.shifts:
        name = f"{one.towards} tasks" if one.kind == "difficulty" else f"more of {one.towards}"
        rows.setdefault(name, {})[one.size] = float(one.inside.mean())
    least = {one.size: one.least for one in found.shifts}
    more = len(rows) - _MOST_SHIFTS
    if more > 0:
        worst = sorted(rows, key=lambda name: min(rows[name].values()))[:_MOST_SHIFTS]
        rows = {name: shares for name, shares in rows.items() if name in worst}
    rows["at least, whatever the shift"] = least
    cells = [
        (name, *(show_share(shares[size]) if size in shares else MISSING for size in sizes))
        for name, shares in zip(short_names(rows, _NAME_WIDTH), rows.values(), strict=True)
    ]
    head = (f"{'Shift by':<{_NAME_WIDTH}}", *(f"{size:>6g}" for size in sizes))
    lines = ["", "What if new tasks were of another kind?", *in_columns([head, *cells], "lr")]
    return lines + wrapped(
        "How often a left-out task lies inside, mean over the models, where tasks of that kind "
        "come up more often (total variation). Counted over the tasks that are there."
        + (f" {more} other kinds do better than these." if more > 0 else "")
    )


def _more_rows(found: Diagnosis) -> list[str]:
    """On which tasks more rows would make the intervals for a new task narrower."""
    if not found.gains:
        return []
    best = [(name, gain) for name, gain in found.gains.items() if round(gain, 2) > 0]
    if not best:
        return ["", *wrapped("More rows on one task would not make these intervals narrower: "
                              "more tasks would.")]  # fmt: skip
    named = ", ".join(f"{visible(name)} ({gain:.2f})" for name, gain in best[:_MOST_NAMES])
    return ["", *wrapped(
        f"Where more rows would help most: {named}. In brackets: by how many ranks the intervals "
        "would be narrower, on average, if the ranks on that task were known."
    )]  # fmt: skip


def _decided(outcomes: tuple[MethodOutcome, ...]) -> str:
    """Which corrections decided, where the choice was left to the data."""
    used = next((one for one in outcomes if one.used and one.correction == "auto"), None)
    return "" if used is None else f" Here: {list_words(used.decided)}."


def _table(outcomes: tuple[MethodOutcome, ...]) -> list[str]:
    lines = [f"{'':<2}{'Test':<14}{'Correction':<16}{'Width':>7}  May be first"]
    for one in outcomes:
        mark = "*" if one.used else ""
        first = list_words(one.winners, _MOST_NAMES) if one.winners else "no such statement"
        row = f"{mark:<2}{one.test:<14}{one.correction:<16}{one.width:>7.2f}  {first}"
        lines += wrapped(row, inside=" " * 41)
    return [*lines, "* used"]


def _contained(left: LeftOut, i: int) -> str:
    low, high = show_share(float(left.low[i])), show_share(float(left.high[i]))
    return f"{int(left.inside[i])}/{left.count} ({low} to {high})"


def _shift(found: Diagnosis, i: int) -> str:
    value = float(found.breakdown[i])
    if np.isnan(value):
        return "no guarantee"
    return f"{value:.2f}" if value >= 0 else "not supported"


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
        mark = "!" if finding.concern else "-"
        lines += wrapped(f"{mark} {visible(finding.sentence)}", inside="  ")
    if health.neighbours:
        lines += ["", *_neighbour_lines(health)]
    if health.judges:
        lines += ["", *_judge_lines(health)]
    return text_of(lines)


def render_suspects(board: Leaderboard) -> str:
    """Whose votes do not fit those of the others, and what would be without them.

    Parameters
    ----------
    board : Leaderboard
        A board of votes.

    Returns
    -------
    str
        Tables; empty where nobody is named.
    """
    lines: list[str] = []
    for found, moved in suspect_tables(board):
        lines += ["", f"{found.title}, those that fit least first:", *_first_rows(found)]
        if len(found.rows) > _MOST_SUSPECTS:
            lines.append(f"and {len(found.rows) - _MOST_SUSPECTS:,} more in the board file.")
        if moved.rows:
            lines += ["", "Ranks without all of them:", *_first_rows(moved)]
    if lines:
        lines += wrapped(
            "Moves: by how many ranks some model moves without this one alone, by one step from "
            "the fit."
        )
    return text_of(lines[1:])


def _first_rows(table: SideTable) -> list[str]:
    rows = [[head.title for head in table.heads], *table.rows[:_MOST_SUSPECTS]]
    align = "".join("r" if head.kind == "number" else "l" for head in table.heads)
    return in_columns([[shorten(cell, _PAIR_WIDTH) for cell in row] for row in rows], align)


def _neighbour_lines(health: VoteHealth) -> list[str]:
    close = [pair for pair in health.neighbours if pair.votes != 0]  # NaN: errors are not known
    level = show_level(health.alpha)
    if not close:
        return wrapped(
            f"Each model and the next one differ so clearly that {health.power:.0%} of repetitions "
            f"would show it (at {level}, one pair by itself)."
        )
    lines = wrapped(
        f"Votes that would show the difference of neighbours in {health.power:.0%} of repetitions "
        f"(at {level}, one pair by itself), if it is as large as it looks now:"
    )
    shown = close[:_MOST_NEIGHBOURS]
    models = list(dict.fromkeys(name for pair in shown for name in (pair.ahead, pair.behind)))
    names = dict(zip(models, short_names(models, _PAIR_WIDTH), strict=True))
    lines += in_columns([
        (f"{'Ahead':<{_PAIR_WIDTH}}", f"{'Behind':<{_PAIR_WIDTH}}", f"{'votes':>10}", "or all"),
        *((names[pair.ahead], names[pair.behind], _votes(pair), _growth(pair)) for pair in shown),
    ], "llr")  # fmt: skip
    if len(close) > len(shown):
        lines.append(f"and {len(close) - len(shown)} more pairs of neighbours.")
    return lines


def _votes(pair: Neighbours) -> str:
    if math.isnan(pair.votes):
        return "unknown"
    return f"{pair.votes:,.0f}" if pair.votes < _MANY else "too many"


def _growth(pair: Neighbours) -> str:
    return f"×{pair.growth:,.0f}" if pair.growth < 1e4 else MISSING


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
        lines += wrapped(f"{text}.", inside="  ")
    ranked = [judge for judge in judges if judge.best is not None]
    return lines + _rank_lines(health, ranked) if len(ranked) > 1 else lines


def _effect_words(health: VoteHealth, judge: JudgeReport) -> str:
    words = ""
    for name, effect, se in zip(health.controls, judge.effects, judge.effect_se, strict=False):
        sways = " (sways it)" if abs(effect) > _SURE * se else ""
        words += f"; {visible(name)} {effect:+.2g} (standard error {se:.1g}){sways}"
    return words


def _rank_lines(health: VoteHealth, judges: list[JudgeReport]) -> list[str]:
    width = 10
    room = WIDTH - len(judges) * (width + 2)
    heads = short_names([judge.name for judge in judges], width)
    rows = [(f"{'Model':<{room}}", *(f"{head:<{width}}" for head in heads))]
    for i, name in enumerate(short_names(health.models, room)):
        cells = (
            show_ranks(int(judge.best[i]), int(judge.worst[i]))
            for judge in judges
            if judge.best is not None and judge.worst is not None
        )
        rows.append((name, *cells))
    title = f"Rank by each alone ({show_level(health.alpha)}, each model, chosen in advance):"
    return ["", title, *in_columns(rows)]

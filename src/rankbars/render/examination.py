"""What ``--explain`` tells: methods, whether others agree, a new task, the health of votes."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
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
from rankbars.render.notation import (
    shorten,
    shorten_all,
    show_guarantee,
    show_level,
    show_ranks,
    show_share,
    visible,
)
from rankbars.render.sidetables import suspect_tables

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

_WIDTH = 80
_MOST_NAMES = 3
_NAME_WIDTH = 34
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
        lines += _wrapped(f"Test {choice.test} ({where}): {choice.reason}")
    lines += _wrapped(f"Correction: {found.correction}{_decided(found.outcomes)}")
    lines += ["", "Do the methods agree?", *_table(found.outcomes)]
    lines += _wrapped(
        "Width: mean width of the rank intervals on the tasks. May be first: models that no other "
        "was shown better than, on what the board shows first. Each is at the level that was asked "
        "for, as far as the method keeps it here: some are approximate. Choose a method for what "
        "it assumes, not for its answer."
    )
    for name, reason in found.skipped:
        lines += _wrapped(f"Not here: {name}. {reason}")
    return "\n".join(lines) + "\n"


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
    lines += _wrapped(
        f"Each task was left out in turn. Its interval should lie inside the one made from the "
        f"others in at least {show_guarantee(found.expected)} of cases, for each model."
    )
    names = shorten_all([visible(name) for name in board.models], [_NAME_WIDTH] * len(board.models))
    head = [f"left-out {one.unit}" for one in found.left_out]
    claim = f"top {found.top} bears"
    lines.append("  ".join([f"{'Model':<{_NAME_WIDTH}}", *(f"{h:<22}" for h in head), claim]))
    for i in board.order:
        cells = [f"{_contained(one, i):<22}" for one in found.left_out]
        lines.append("  ".join([f"{names[i]:<{_NAME_WIDTH}}", *cells, _shift(found, i)]).rstrip())
    lines += _wrapped(
        f"Bears: the shift between old and new source of tasks (total variation, 0 to 1) under "
        f"which 'never outside the top {found.top}' still holds with probability "
        f"{show_share(found.coverage)}. The limits treat left-out tasks as independent, which "
        "they are not quite: a guide, not a proof."
    )
    if found.guarantee is not None:
        lines += _wrapped(
            f"If the new source is within e of the old one, new-task intervals keep a level of "
            f"at least {show_guarantee(found.guarantee)} minus e."
        )
    lines += [*_shifted(found), *_more_rows(found)]
    return "\n".join(lines) + "\n"


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
    names = shorten_all([visible(name) for name in rows], [_NAME_WIDTH] * len(rows))
    lines = ["", "What if new tasks were of another kind?"]
    lines.append(f"{'Shift by':<{_NAME_WIDTH}}" + "".join(f"  {size:>6g}" for size in sizes))
    for name, shares in zip(names, rows.values(), strict=True):
        cells = [f"  {show_share(shares[size]) if size in shares else '–':>6}" for size in sizes]
        lines.append(f"{name:<{_NAME_WIDTH}}" + "".join(cells))
    return lines + _wrapped(
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
        return ["", *_wrapped("More rows on one task would not make these intervals narrower: "
                              "more tasks would.")]  # fmt: skip
    named = ", ".join(f"{visible(name)} ({gain:.2f})" for name, gain in best[:_MOST_NAMES])
    return ["", *_wrapped(
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
        lines += textwrap.wrap(
            row, _WIDTH, subsequent_indent=" " * 41, drop_whitespace=True, replace_whitespace=False
        )
    return [*lines, "* used"]


def _contained(left: LeftOut, i: int) -> str:
    low, high = show_share(float(left.low[i])), show_share(float(left.high[i]))
    return f"{int(left.inside[i])}/{left.count} ({low} to {high})"


def _shift(found: Diagnosis, i: int) -> str:
    value = float(found.breakdown[i])
    if np.isnan(value):
        return "no guarantee"
    return f"{value:.2f}" if value >= 0 else "not supported"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH)


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
            visible(finding.sentence), _WIDTH, initial_indent=mark, subsequent_indent="  "
        )
    if health.neighbours:
        lines += ["", *_neighbour_lines(health)]
    if health.judges:
        lines += ["", *_judge_lines(health)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


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
    for table in suspect_tables(board):
        lines += ["", f"{table.title}, those that fit least first:"]
        lines += _columns([table.titles, *table.rows[:_MOST_SUSPECTS]])
        if len(table.rows) > _MOST_SUSPECTS:
            lines.append(f"and {len(table.rows) - _MOST_SUSPECTS:,} more in the board file.")
        if table.moved:
            lines += ["", "Ranks without all of them:"]
            head = ("Model", "all votes", "without")
            lines += _columns([head, *table.moved[:_MOST_SUSPECTS]])
    if lines:
        lines += _wrapped(
            "Moves: by how many ranks some model moves without this one alone, by one step from "
            "the fit."
        )
    return "\n".join(lines[1:]) + "\n" if lines else ""


def _columns(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows in columns: names at the left, a habit as well, all else at the right."""
    cells = [[shorten(cell, _PAIR_WIDTH) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    left = {0} | {k for k, title in enumerate(rows[0]) if title == "What is odd"}
    return [
        "  ".join(
            cell.ljust(width) if k in left else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def _neighbour_lines(health: VoteHealth) -> list[str]:
    close = [pair for pair in health.neighbours if pair.votes != 0]  # NaN: errors are not known
    level = show_level(health.alpha)
    if not close:
        return textwrap.wrap(
            f"Each model and the next one differ so clearly that {health.power:.0%} of repetitions "
            f"would show it (at {level}, one pair by itself).",
            _WIDTH,
        )
    lines = textwrap.wrap(
        f"Votes that would show the difference of neighbours in {health.power:.0%} of repetitions "
        f"(at {level}, one pair by itself), if it is as large as it looks now:",
        _WIDTH,
    )
    shown = close[:_MOST_NEIGHBOURS]
    models = list(dict.fromkeys(name for pair in shown for name in (pair.ahead, pair.behind)))
    short = shorten_all([visible(name) for name in models], [_PAIR_WIDTH] * len(models))
    names = dict(zip(models, short, strict=True))
    lines.append(
        f"{'Ahead':<{_PAIR_WIDTH}}  {'Behind':<{_PAIR_WIDTH}}  {'votes':>10}  {'or all':>6}"
    )
    lines += [
        f"{names[pair.ahead]:<{_PAIR_WIDTH}}  {names[pair.behind]:<{_PAIR_WIDTH}}  "
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
        lines += textwrap.wrap(f"{text}.", _WIDTH, subsequent_indent="  ")
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
    room = _WIDTH - len(judges) * (width + 2)
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

"""How much to run, as text and as JSON."""

from __future__ import annotations

import math
from typing import Any

from rankbars.data.notes import list_words
from rankbars.data.outlook import (
    MOST_ROWS,
    LabelNeeds,
    Plan,
    Split,
)
from rankbars.data.plain import answer_json
from rankbars.render.notation import counted, round_up, show_count
from rankbars.render.shownnames import visible
from rankbars.render.textlines import each_wrapped, text_of
from rankbars.stats.samplesize import Needed

__all__ = ["needed_to_dict", "needed_words", "plan_json", "plan_text", "rounded_rows"]

_MOST_NAMES = 5
_LIMIT = 0.25  # of the variance between tasks is from too few items: more items help little


def rounded_rows(rows: float) -> str:
    """A number of rows as it is told: in two digits, upwards.

    Examples
    --------
    >>> rounded_rows(433.0), rounded_rows(3e6), rounded_rows(math.inf)
    ('440', 'over a million', 'out of reach')
    """
    if not math.isfinite(rows):
        return "out of reach"
    return "over a million" if rows > MOST_ROWS else show_count(round_up(rows))


def needed_words(
    needed: Needed, unit: str, supposing: str, level: str = "95 %", aim: str = "power"
) -> str:
    """The number of rows with its uncertainty, as one sentence; `level` is that of its interval.

    `aim` is what the number is for.

    Examples
    --------
    >>> print(needed_words(Needed(433, math.nan, math.nan, math.nan), "items", "they differ"))
    About 440 items like these, if they differ.
    >>> needed_words(Needed(433, 700, 150, math.inf), "items", "they differ").partition("; ")[2]
    'to be 80 % sure of that power: 700; 95 % interval from 150 upwards, without an end.'
    """
    likely = rounded_rows(needed.likely)
    start = f"About {likely} {unit} like these" if likely[0].isdigit() else likely.capitalize()
    text = f"{start}, if {supposing}"
    if math.isnan(needed.safe):
        return f"{text}."
    ends = f"{rounded_rows(needed.low)} to {rounded_rows(needed.high)}"
    if math.isinf(needed.high):
        ends = f"from {rounded_rows(needed.low)} upwards, without an end"
    return (
        f"{text}; to be 80 % sure of that {aim}: {rounded_rows(needed.safe)}; {level} interval "
        f"{ends}."
    )


def plan_text(plan: Plan) -> str:
    """The plan as lines that end with a line break."""
    lines = [_question(plan)]
    lines += _beforehand(plan) if plan.needed is None else _by_pilot(plan, plan.needed)
    if plan.split is not None:
        lines += ["", *_money(plan, plan.split)]
    if plan.tasks is not None:
        lines += ["", *_tasks(plan)]
    if plan.curve:
        lines += ["", *_curve(plan)]
    if plan.notes:
        lines += ["", *(visible(note.message) for note in plan.notes)]
    return text_of(each_wrapped(lines))


def _question(plan: Plan) -> str:
    goal = plan.goal
    names = [visible(name) for name in goal.models]
    if goal.kind == "pair" and goal.margin is not None:
        first, second = names if names else ("the first", "the second")
        what = f"show that {first} is not worse than {second} by more than {goal.margin:g}"
    elif goal.kind == "pair":
        first, second = names if names else ("one model", "the other")
        if goal.width is not None:
            return (
                f"To know how far {first} is ahead of {second}"
                f"{f' {visible(plan.place)}' if plan.place else ''} to ± {goal.width:g} "
                f"({100 * (1 - plan.alpha):g} %, in half of all samples):"
            )
        what = f"tell {first} from {second}"
    elif goal.k is not None:
        who = f" ({list_words(names, _MOST_NAMES)})" if names else ""
        what = (
            f"show {'the first' if goal.k == 1 else f'the first {goal.k}'}{who} better than each "
            f"other of {goal.of} models"
        )
    else:
        what = f"tell all {goal.of} models apart"
    place = f" {visible(plan.place)}" if plan.place else ""
    level = (
        f"error rate {plan.alpha:g}, both sides" if goal.kind == "pair"
        else f"error rate {plan.alpha:g} for all {show_count(goal.comparisons)} comparisons"
    )  # fmt: skip
    return f"To {what}{place}, with power {plan.power:g} ({level}):"


def _beforehand(plan: Plan) -> list[str]:
    lines = []
    for one in plan.supposed:
        most = "over a million"
        if one.rows <= MOST_ROWS:
            most = f"{'at most ' if one.bound else ''}{show_count(int(one.rows))}"
        words = f"bound: {one.words}" if one.bound else one.words
        if one.discordance is not None:
            words = f"on {one.discordance:.2g} ({words})"
        lines.append(f"  {most:>14} items  {words}")
    shares = plan.supposed[0].discordance is not None
    head = ["Items, by the share of them on which only one of the two is right:"] if shares else []
    return [
        *head,
        *lines,
        f"Planned for a true difference of {plan.difference:.3g}"
        + ("" if plan.goal.margin is None else ", the margin included")
        + ". A pilot says more: rankbars plan RESULTS.",
    ]


def _by_pilot(plan: Plan, needed: Needed) -> list[str]:
    one = plan.goal.kind == "pair"
    if plan.goal.width is not None:
        supposing = "differences vary as in the pilot"
    elif plan.observed:
        supposing = "the true difference is the observed one" if one else (
            "all true differences are the observed ones"
        )  # fmt: skip
    elif plan.goal.margin is not None:
        effect = plan.difference - plan.goal.margin
        supposing = f"the true difference is {0.0 if abs(effect) < 1e-12 else effect:.3g}"
    else:
        supposing = f"the true difference{' is' if one else 's are'} {plan.difference:.3g}"
    hardest = "" if one else ", the hardest of them"
    seen = (
        f"Pilot: {show_count(plan.n)} {plan.unit}, "
        f"{'observed' if plan.observed else 'planned'} difference {plan.difference:.3g}"
        f"{'' if plan.goal.margin is None else ' (with the margin)'}{hardest}, standard "
        f"deviation of differences {plan.sd:.3g}."
    )
    if plan.goal.width is not None:
        seen = (
            f"Pilot: {show_count(plan.n)} {plan.unit}, standard deviation of differences "
            f"{plan.sd:.3g}."
        )
    aim = "power" if plan.goal.width is None else "width"
    lines = [f"  {needed_words(needed, plan.unit, supposing, aim=aim)}"]
    lines += [] if plan.labels is None else _labels(needed, plan.labels)
    lines.append(seen)
    if plan.observed:
        known = "The observed difference is known no better than the pilot knows it: a plan for it "
        careful = (
            "Take the number that is 80 % sure." if math.isfinite(needed.safe) else
            "This pilot is too small for one that is 80 % sure: run more of it, or plan for the "
            "smallest difference that matters (--effect)."
        )  # fmt: skip
        lines.append(f"{known}reaches its power about half of the time. {careful}")
    return lines


def _labels(needed: Needed, labels: LabelNeeds) -> list[str]:
    """What the judge saves, and where it ends."""
    alone = rounded_rows(labels.alone.likely)
    most, without_end = show_count(round(labels.judged)), rounded_rows(labels.unlimited)
    if math.isfinite(needed.likely):
        return [
            f"  Labels alone: {alone}. The judge scored {most} items; if it scored items without "
            f"end, {without_end} labels would do."
        ]
    return [
        f"  A label for each of the {most} items that the judge scored does not reach it. Labels "
        f"alone: {alone}; if the judge scored items without end, {without_end} labels would do."
    ]


def _money(plan: Plan, split: Split) -> list[str]:
    if split.exhausted:
        return [
            "Items, not answers, are your limit: so few items do not reach it, however often each "
            "is asked."
        ]
    variance = (
        f"Variance of a difference: {split.item_variance:.3g} between items, "
        f"{split.answer_variance:.3g} from one answer of each model."
    )
    if math.isinf(split.answers):
        return [f"As many answers per item as can be paid: items hardly differ. {variance}"]
    number = int(split.answers)
    ends = ""
    if split.answers_interval is not None:
        low, high = (
            "as many as can be paid" if math.isinf(one) else f"{one:.0f}"
            for one in split.answers_interval
        )
        ends = f" (95 % interval {low} to {high})"
    start, cost = "With so few items", ""
    if math.isfinite(split.cost):
        instead = f"; one answer each: {_cost(split.cost_single)}" if number > 1 else ""
        start, cost = "Cheapest", f" (cost {_cost(split.cost)}{instead})"
    items = rounded_rows(split.items.likely)
    if split.items.likely <= MOST_ROWS and (plan.needed is None or cost):
        items = show_count(int(split.items.likely))  # what is paid for
    return [
        f"{start}: {counted(number, 'answer')}{ends} of each model to each of {items} items"
        f"{cost}. {variance}"
    ]


def _cost(cost: float) -> str:
    return f"{cost:,.0f}" if cost >= 100 else f"{cost:.3g}"


def _tasks(plan: Plan) -> list[str]:
    tasks = plan.tasks
    if tasks is None:
        return []
    supposing = "differences vary between tasks as on these"
    aim = "power" if plan.goal.width is None else "width"
    lines = [
        f"Of the average over all tasks like these (seen: {tasks.seen}):",
        f"  {needed_words(tasks.needed, 'tasks', supposing, aim=aim)}",
    ]
    share, low, high = tasks.item_share, *tasks.item_share_interval
    if math.isfinite(share):
        of = "the hardest comparison" if plan.goal.kind != "pair" else "the difference"
        shown = f"{100 * share:.0f} % [{100 * low:.0f}, {100 * high:.0f}]"
        narrower = 100 * (1 - math.sqrt(1 - share))
        lines.append(
            ("Tasks, not items, are your limit: " if share < _LIMIT else "")
            + f"{shown} of the variance of {of} between tasks comes from too few items; endless "
            f"items would make its interval {narrower:.0f} % narrower."
        )
    lines.append(
        f"A rank interval for a new task says nothing with fewer than {tasks.fewest} tasks "
        f"(error rate {tasks.fewest_rate:g})."
    )
    return lines


def _curve(plan: Plan) -> list[str]:
    seen = [] if plan.observed else ["With differences as the pilot saw them, not as planned:"]
    if plan.neighbours == 1:
        return [
            *seen,
            f"{plan.unit.capitalize():>9}  chance to tell the two apart",
            *(f"{show_count(one.n):>9}  {100 * one.expected:.0f} %" for one in plan.curve),
        ]
    head = (
        f"{plan.unit.capitalize():>9}  neighbours told apart, of {plan.neighbours} (80 % of "
        "simulated boards)"
    )
    return [
        *seen,
        head,
        *(
            f"{show_count(one.n):>9}  {one.expected:.1f} ({one.low:.0f} to {one.high:.0f})"
            for one in plan.curve
        ),
    ]


def needed_to_dict(needed: Needed | None) -> dict[str, float] | None:
    """The numbers by their names, for JSON."""
    return None if needed is None else needed._asdict()


def plan_json(plan: Plan) -> str:
    """The plan as JSON text; a number that cannot be had is null."""
    plain: dict[str, Any] = {"schema": "rankbars.plan/1"} | {
        name: getattr(plan, name)
        for name in ("alpha", "power", "level", "unit", "n", "observed", "place", "neighbours",
                     "difference", "sd")
    }  # fmt: skip
    split, tasks, labels = plan.split, plan.tasks, plan.labels
    return answer_json(plain | {
        "n": plan.n or None,
        "needed": needed_to_dict(plan.needed),
        "goal": plan.goal._asdict(),
        "supposed": [one._asdict() for one in plan.supposed],
        "tasks": tasks and tasks._asdict() | {"needed": needed_to_dict(tasks.needed)},
        "split": split and split._asdict() | {"items": needed_to_dict(split.items)},
        "labels": labels and {
            "judged": labels.judged,
            "alone": needed_to_dict(labels.alone),
            "unlimited": labels.unlimited,
        },
        "curve": [one._asdict() for one in plan.curve],
        "notes": [{"code": note.code, "message": note.message} for note in plan.notes],
    })  # fmt: skip

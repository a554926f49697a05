"""What a gate can show, and how often it errs without a change, as text and as JSON."""

from __future__ import annotations

from typing import Any

from rankbars.data.notes import list_words
from rankbars.data.outlook import (
    FalseAlarms,
    Outlook,
    Preflight,
)
from rankbars.data.plain import answer_json
from rankbars.render.notation import round_up, rows_of, show_count, show_level, show_number
from rankbars.render.shownnames import visible
from rankbars.render.textlines import each_wrapped, text_of

__all__ = ["alarms_json", "alarms_text", "preflight_json", "preflight_text"]

_NARROWEST = 40


def preflight_text(found: Preflight, *, width: int = 80) -> str:
    """What each claim of a gate can show, as lines of text.

    Parameters
    ----------
    found : Preflight
        What was found.
    width : int
        Columns of the terminal, at least 40.
    """
    lines: list[str] = []
    for one in found.outlooks:
        guard = " (guard)" if one.role == "guard" else ""
        lines += [f"{visible(one.words)}{guard}.", *(f"  {text}" for text in _sentences(one)), ""]
    stuck = [repr(visible(one.claim.text)) for one in found.outlooks if not one.works]
    count = len(found.outlooks)
    if stuck:
        lines.append(f"Hardly of use: {len(stuck)} of {count} claims: {list_words(stuck, 5)}.")
    elif count:
        lines.append("Each claim passes or fires more often than not where it should.")
    if found.left_out:
        names = list_words([repr(visible(text)) for text in found.left_out], 5)
        lines.append(f"Only claims about two models are looked at; left out: {names}.")
    lines.append(
        f"Shares are of runs of a gate at {show_level(found.alpha)} with rows and a spread like "
        "these, each claim at the level of Holm's first step. The spread is taken as known."
    )
    return _wrapped(lines, width)


def _sentences(one: Outlook) -> list[str]:
    if one.impossible:
        return [f"CAN NEVER BE DECIDED: {one.impossible}."]
    rows = rows_of(one.kind)
    spread = (
        f"{'two models of these results' if one.absent else 'these two models'}, {_shown(one.se)}"
        if one.pairs == 1
        else f"{one.pairs} pairs of these models, {_shown(one.least)} to {_shown(one.most)}, in "
        f"the middle {_shown(one.se)}"
    )
    where = f"On {visible(one.widest)}, where it is hardest: " if one.widest else ""
    rows_read = f"{where}{show_count(one.n)} {rows}"
    said = [f"{rows_read}; the standard error of a difference is that of {spread}."]
    if one.absent:
        names = list_words([repr(visible(name)) for name in one.absent], 5)
        said.append(f"Not among these results: {names}.")
    if one.if_equal is not None:
        word = "" if one.works or one.role == "guard" else "HARDLY PASSES: "
        said.append(f"{word}If the two are equal, it is supported in {one.if_equal:.0%} of runs.")
    rates = [
        f"of {f'{points:g} point' + ('s' if points != 1 else '') if points else _shown(loss)} in "
        f"{rate:.0%}"
        for points, loss, rate in one.fires
    ]
    word = "" if one.works or one.role == "must" else "HARDLY FIRES: "
    if rates:
        said.append(
            f"{word}It is refuted on a true loss {', '.join(rates)} of runs, and of "
            f"{_shown(one.fires_at)} in 80%."
        )
    if one.needed is not None:
        said.append(
            f"Equal models keep a margin of {_shown(one.margin)} in 80% of runs; for this one it "
            f"takes about {show_count(round_up(one.needed))} {rows}."
        )
    return said


def alarms_text(found: FalseAlarms, *, width: int = 80) -> str:
    """How often the gate errs without a change, as lines of text.

    Parameters
    ----------
    found : FalseAlarms
        What was counted.
    width : int
        Columns of the terminal, at least 40.
    """
    claims = list_words([repr(visible(text)) for text in found.claims], 5)
    pairs = found.runs * (found.runs - 1)
    lines = [
        f"{found.runs} runs of one system, each against each other: {claims}.",
        f"False alarms: {found.share:.1%} of {pairs} pairs, on average over fresh baselines. With "
        f"one stored baseline {_spread(found.alarms)}.",
        f"The gate is red, for whatever reason, in {sum(found.red) / found.runs:.1%} of pairs; "
        f"with one stored baseline {_spread(found.red)}.",
        f"Of {found.among} {'pair that shares' if found.among == 1 else 'pairs that share'} no run "
        f"{found.apart} "
        f"{'is' if found.apart == 1 else 'are'} false alarms, so the rate is at most "
        f"{found.bound:.0%} (95 % confidence); the gate is meant for {found.alpha:.0%} or less. "
        "More runs narrow that.",
    ]
    return _wrapped(lines, width)


def _spread(shares: tuple[float, ...]) -> str:
    ordered = sorted(shares)
    middle = ordered[len(ordered) // 2]
    return f"{ordered[0]:.0%} to {ordered[-1]:.0%}, in the middle {middle:.0%}"


def preflight_json(found: Preflight) -> str:
    """What was found as JSON text; numbers that cannot be had are null."""
    return answer_json({
        "schema": "rankbars.preflight/1",
        "alpha": found.alpha,
        "level": found.level,
        "exit_code": found.exit_code(),
        "left_out": list(found.left_out),
        "claims": [_outlook(one) for one in found.outlooks],
        "notes": [{"code": note.code, "message": note.message} for note in found.notes],
    })  # fmt: skip


def _outlook(one: Outlook) -> dict[str, Any]:
    plain = {"claim": one.claim.text} | {name: getattr(one, name) for name in
             ("words", "role", "widest", "n", "kind", "pairs", "impossible", "works", "absent",
              "se", "least", "most", "if_equal", "fires_at", "margin", "needed")}  # fmt: skip
    fires = [
        {"points": points or None, "loss": loss, "refuted": rate}
        for points, loss, rate in one.fires
    ]
    return plain | {"fires": fires}


def alarms_json(found: FalseAlarms) -> str:
    """What was counted as JSON text."""
    names = ("runs", "claims", "alpha", "share", "alarms", "red", "apart", "among", "bound")
    plain = {name: getattr(found, name) for name in names}
    return answer_json({"schema": "rankbars.alarms/1"} | plain)


def _shown(value: float) -> str:
    return show_number(value, 2 if value >= 0.1 else 3)


def _wrapped(lines: list[str], width: int) -> str:
    return text_of(each_wrapped(lines, max(width, _NARROWEST)))

"""Judged claims: as text for a terminal, Markdown, JSON, JUnit, a badge, lines of a workflow."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from rankbars.data.judged import OUT_OF_REACH, Check, JudgedClaim
from rankbars.data.notes import list_words
from rankbars.data.plain import answer_json
from rankbars.render.boardnotes import note_lines
from rankbars.render.claims import given_rows, why_approximate
from rankbars.render.notation import (
    EDGES,
    rows_of,
    show_count,
    show_level,
    show_number,
    show_signed,
    suitable_decimals,
)
from rankbars.render.plantext import rounded_rows
from rankbars.render.shownnames import visible
from rankbars.render.textlines import each_wrapped, text_of, wrapped

__all__ = [
    "CHECK_SCHEMA", "check_badge", "check_github", "check_json", "check_junit", "check_markdown",
    "check_text", "claim_lines", "claim_to_dict",
]  # fmt: skip

CHECK_SCHEMA = "rankbars.check/1"
_SAID = {"supported": "SUPPORTED", "refuted": "REFUTED", "cannot_tell": "CANNOT TELL"}
_NARROWEST, _MOST_NAMED = 40, 5
# Behind white text, each with a contrast of 4.5 to 1 or more; by exit code.
_COLOURS = {0: "#2e7d32", 3: "#8a5a00", 4: "#b3261e"}
# Letters of a badge that are narrower than 7 pixels, in Verdana of 11 pixels.
_NARROW = {" ": 3.9, "f": 3.9, "t": 4.4, "r": 4.8, "s": 5.8, "e": 6.6, "o": 6.7}


def check_text(check: Check, *, fail_on: str = "undecided", width: int = 80) -> str:
    """The verdicts as lines of text.

    Parameters
    ----------
    check : Check
        The judged claims.
    fail_on : {"undecided", "refuted"}
        What the summary counts as failed.
    width : int
        Columns of the terminal, at least 40.
    """
    width = max(width, _NARROWEST)
    lines = []
    for text in _notes(check, before=True):
        lines += [*wrapped(f"Before judging: {text}", width), ""]
    for one in check.claims:
        lines += claim_lines(one, width, given_rows(check.notes))
        lines.append("")
    below = (_summary(check, fail_on), _guarantee(check), *_notes(check))
    return text_of([*lines, *each_wrapped(below, width)])


def check_markdown(check: Check, *, fail_on: str = "undecided") -> str:
    """The verdicts as Markdown, for a pull request.

    Parameters
    ----------
    check : Check
        The judged claims.
    fail_on : {"undecided", "refuted"}
        What the summary counts as failed.
    """
    failing = check.failing(fail_on)
    lines = [f"**{_cell(_summary(check, fail_on))}**", ""]
    for note in _notes(check, before=True):
        lines += [f"Before judging: {_cell(note)}", ""]
    lines += ["| | claim | verdict | numbers |", "|---|---|---|---|"]
    for one in check.claims:
        mark = "❌" if one in failing else "✅" if one.verdict == "supported" else "❔"
        role = " (guard)" if one.role == "guard" else ""
        cells = (
            mark,
            _cell(_sentence(one) + role),
            f"{_SAID[one.verdict].lower()}{given_rows(check.notes)}",
            _cell(_numbers(one)),
        )
        lines.append(f"| {' | '.join(cells)} |")
    lines += ["", _cell(_guarantee(check)), *(f"\n{_cell(note)}" for note in _notes(check))]
    return "\n".join(lines) + "\n"


def check_junit(check: Check, *, fail_on: str = "undecided") -> str:
    """The verdicts as JUnit XML: a claim is a test case.

    Parameters
    ----------
    check : Check
        The judged claims.
    fail_on : {"undecided", "refuted"}
        Which verdicts are failures.
    """
    failing = check.failing(fail_on)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuite name="rankbars check" tests="{len(check.claims)}" failures="{len(failing)}" '
        'errors="0" skipped="0">',
    ]
    for one in check.claims:
        name = quoteattr(visible(one.claim.text))
        told = f"{_SAID[one.verdict].capitalize()}{given_rows(check.notes)}. {_numbers(one)}"
        lines.append(f'  <testcase classname="claims" name={name}>')
        if one in failing:
            message = quoteattr(f"{_SAID[one.verdict].lower()}: {_sentence(one)}")
            lines.append(f"    <failure message={message}>{escape(told)}</failure>")
        lines += [f"    <system-out>{escape(told)}</system-out>", "  </testcase>"]
    return "\n".join([*lines, "</testsuite>"]) + "\n"


def check_github(check: Check, *, fail_on: str = "undecided") -> str:
    """The verdicts as commands of a GitHub workflow, which become annotations.

    Parameters
    ----------
    check : Check
        The judged claims.
    fail_on : {"undecided", "refuted"}
        Which verdicts are errors; others that are not supported are warnings.
    """
    failing = check.failing(fail_on)
    lines = []
    for one in check.claims:
        kind = "error" if one in failing else "notice" if one.verdict == "supported" else "warning"
        said = f"{_SAID[one.verdict].capitalize()}{given_rows(check.notes)}"
        text = f"{_sentence(one)} {said}. {_numbers(one)}"
        title = f"rankbars: {_SAID[one.verdict].lower()}"
        lines.append(f"::{kind} title={title}::{text.replace('%', '%25')}")
    return "\n".join(lines) + "\n"


def check_badge(check: Check, *, fail_on: str = "undecided") -> str:
    """The verdicts as a small SVG picture: how many claims are supported, or refuted.

    Green where the run passes, amber where a claim that fails cannot be told, red where one is
    refuted. The title names the claims that fail. Nothing is loaded from elsewhere.

    Parameters
    ----------
    check : Check
        The judged claims.
    fail_on : {"undecided", "refuted"}
        Which verdicts fail.
    """
    code, counts = check.exit_code(fail_on), check.counts()
    shown = "refuted" if code == 4 else "supported"
    told = f"{counts[shown]} of {len(check.claims)} {shown}"
    left, right = 48, math.ceil(sum(_NARROW.get(sign, 7.0) for sign in told)) + 12
    title = escape(f"claims: {told}. {_summary(check, fail_on)}")
    texts = "".join(
        f'<text x="{middle}" y="14" textLength="{width - 12}">{escape(text)}</text>'
        for text, middle, width in (
            ("claims", left / 2, left),
            (told, left + right / 2, right),
        )
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f'aria-labelledby="rankbars-title"><title id="rankbars-title">{title}</title>'
        f'<rect width="{left + right}" height="20" rx="3" fill="{_COLOURS[code]}"/>'
        f'<path d="M3 0h{left - 3}v20H3a3 3 0 0 1-3-3V3a3 3 0 0 1 3-3z" fill="#444"/>'
        f'<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" '
        f'font-size="11">{texts}</g></svg>\n'
    )


def check_json(check: Check, *, fail_on: str = "undecided") -> str:
    """The verdicts as JSON text: shortest round trip of floats.

    Numbers that cannot be had are null.
    """
    return answer_json({
        "schema": CHECK_SCHEMA,
        "alpha": check.alpha,
        "together": check.together,
        "fail_on": fail_on,
        "exit_code": check.exit_code(fail_on),
        "why": check.why,
        "claims": [claim_to_dict(one, fails=one in check.failing(fail_on)) for one in check.claims],
        "counts": check.counts(),
        "source": None if check.source is None else
        {"path": check.source.path, "sha256": check.source.sha256},
        "notes": [asdict(note) for note in check.notes],
        "provenance": {"inputs": [asdict(entry) for entry in check.inputs]},
        "look": None if check.look is None else check.look._asdict(),
    })  # fmt: skip


def claim_lines(one: JudgedClaim, width: int, given: str = "", *, means: bool = True) -> list[str]:
    """A claim as it was understood, and under it its verdict, what it is given, and the numbers.

    Without `means` where those of the two models stand beside it.
    """
    guard = " (guard)" if one.role == "guard" else ""
    told = wrapped(f"  {_SAID[one.verdict]}{given}. {_numbers(one, means=means)}", width)
    return [*wrapped(f"{_sentence(one)}{guard}", width), *told]


def claim_to_dict(one: JudgedClaim, *, fails: bool) -> dict[str, Any]:
    """A judged claim as plain values."""
    derived = {
        "claim": one.claim.text,
        "fails": fails,
        "model": one.claim.model,
        "others": list(one.claim.others),
        "n": one.n or None,
    }
    return {name: derived[name] if name in derived else getattr(one, name) for name in _CLAIM}


_CLAIM = ("claim", "words", "verdict", "role", "fails", "model", "others", "estimate", "low",
          "high", "p_support", "p_refute", "against", "task", "parts", "kind", "n", "needed",
          "score", "score_other", "direction", "supposing", "approximate", "why")  # fmt: skip


def _sentence(one: JudgedClaim) -> str:
    return f"{visible(one.words)}."


def _numbers(one: JudgedClaim, *, means: bool = True) -> str:
    """The estimate with its interval, of what; the means; and what would settle it."""
    score = one.claim.kind == "score"
    decimals = suitable_decimals(np.array([one.estimate]), np.array([(one.high - one.low) / 2]))
    border = one.claim.value if score else one.claim.margin
    borders = (border, border / 100) if one.claim.in_points else (border,)
    edges = (*EDGES, *borders, *(() if score else (-end for end in borders)))
    parts = []
    if not math.isnan(one.estimate):
        show = show_number if score else show_signed
        shown = show(one.estimate, decimals)
        if not (math.isnan(one.low) or math.isnan(one.high)):
            low, high = (show(end, decimals, edges) for end in (one.low, one.high))
            shown += f" [{low}, {high}]"
        # Costs are signed like scores, so that + is good: that would read as the dearer one.
        what = "Score" if score else "Saving" if one.claim.of_cost else "Difference"
        whom = "" if one.against is None else f" to {visible(one.against)}"
        where = "" if one.task is None else f" on {visible(one.task)}"
        rows = f", {show_count(one.n)} {rows_of(one.kind)}" if one.n else ""
        lower = one.direction == "lower" and not score and not one.claim.of_cost
        if lower:  # what is less than 0 may be read as a lower score, which is the better one
            shown += f" (+ favours {visible(one.claim.model)})"
        level = ", approximate" if one.approximate else ""
        decides = ", which decides" if one.parts > 1 else ""
        parts.append(f"{what}{whom}{where} {shown}{rows}{level}{decides}.")
        if means and not math.isnan(one.score + one.score_other):
            names = one.claim.model, one.against or one.claim.others[0]
            both = (show_number(mean, decimals) for mean in (one.score, one.score_other))
            pair = (f"{visible(name)} {mean}" for name, mean in zip(names, both, strict=True))
            side = " (lower is better)" if one.direction == "lower" else ""
            what = "Cost" if one.claim.of_cost else "Score"
            parts.append(f"{what}{side}: {', '.join(pair)}.")
    if one.needed is not None:
        rows = rounded_rows(one.needed)
        parts.append(
            f"{f'About {rows}' if rows[0].isdigit() else rows.capitalize()} "
            f"{rows_of(one.kind)} would settle it with power .8, {one.supposing}."
        )
    if one.why:
        parts.append(f"Why: {visible(one.why)}")
    return " ".join(parts) or "Nothing can be computed of it."


def _summary(check: Check, fail_on: str) -> str:
    failing = check.failing(fail_on)
    count = len(check.claims)
    claims = f"{count} claim{'s' if count > 1 else ''}"
    if not failing:
        supported = check.counts()["supported"]
        rest = "" if supported == count else f", {supported} of them supported"
        return f"Passed: {claims}{rest}{given_rows(check.notes)}."
    names = list_words(
        [f"{visible(one.claim.text)!r} ({_SAID[one.verdict].lower()})" for one in failing], 5
    )
    return f"Failed: {f'{len(failing)} of {claims}: ' if count > 1 else ''}{names}."


def _guarantee(check: Check) -> str:
    return f"{_level(check)}{_look(check)}"


def _look(check: Check) -> str:
    """Which look it is, and what is left of the error rate."""
    look = check.look
    if look is None:
        return ""
    told = (
        "These results were judged before; nothing was spent."
        if look.again
        else "E-values on new items spend nothing."
        if look.level == check.alpha
        else f"It spent {look.level:.3g} of the error rate of {check.alpha:g}, and {look.left:.3g} "
        "is left for further ones."
    )
    if not look.digest:
        return f" Record {look.number} of the store; the level is that of all its records. {told}"
    change = f" at {visible(look.change)}" if look.change else ""
    pooled = ", with the rows of all looks so far" if look.number > 1 else ""
    return (
        f" Look {look.number}{change}{pooled}; the level is that of all looks. {told} "
        f"Its line in the ledger is {look.digest[:12]}."
    )


def _level(check: Check) -> str:
    level = show_level(check.alpha)
    if any(one.approximate for one in check.claims):
        why = why_approximate(check.notes)
        because = f": {why}" if why else " (see the notes)"
        return (
            "Approximate: the tests behind some claims hold their level only nearly"
            f"{because}. No level is stated for the verdicts."
        )
    if check.together and len(check.claims) > 1:
        return (
            f"All verdicts together hold at {level}, if the claims were written before the results "
            "were read. Intervals are at the levels at which the claims were judged."
        )
    if len(check.claims) == 1:
        return (
            f"The verdict holds at {level}, if the claim was written before the results were read."
        )
    return (
        f"Each verdict by itself holds at {level}, if the claims were written before the results "
        f"were read; {len(check.claims)} claims are {len(check.claims)} chances to err."
    )


def _notes(check: Check, *, before: bool = False) -> list[str]:
    """Texts of the notes that are read before the verdicts, or behind them."""
    return note_lines(note for note in check.notes if (note.code == OUT_OF_REACH) == before)


def _cell(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")

"""A site over time: rank intervals on dated boards, what changed between them, and a feed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.boardparts import Change, OverTime
from rankbars.data.siteplan import DatedBoard, Site
from rankbars.render.changes import ChangeParts, change_parts
from rankbars.render.claims import lead_claim
from rankbars.render.firstscreen import opening
from rankbars.render.notation import show_ranks
from rankbars.render.siteboards import has_history, model_names, slug_of

__all__ = [
    "changes_page",
    "courses_of",
    "drawn_course",
    "feed_page",
    "history_json",
    "history_page",
    "strengths_of",
]

_Point = tuple[str, int, int, int]  # a day, the rank interval on it, and of how many models
_WIDE, _HIGH, _LEFT, _ABOVE = 300, 110, 26, 8
_MOST_COURSES, _MOST_ENTRIES = 12, 50


def courses_of(site: Site) -> dict[str, list[_Point]]:
    """The rank interval of each model on each of the dated boards, by the names of today."""
    if len(site.history) < 2:
        return {}
    called = {one.name: one.called for one in site.main.names if one.kind == "model"}
    found: dict[str, list[_Point]] = {}
    for one in site.history:
        best, worst = one.board.ranks
        for i, name in enumerate(one.board.models):
            now = called.get(name, name)
            if now != name and now in one.board.models:
                continue  # of two that are one by now
            points = found.setdefault(now, [])
            points.append((one.date, int(best[i]), int(worst[i]), len(one.board.models)))
    return found


def drawn_course(site: Site, points: Sequence[_Point]) -> dict[str, Any]:
    """Ranks over time as a band: each interval stands until the next board."""
    days = [_ordinal(one, site.history) for one in site.history]
    first, last = days[0], days[-1]
    span = max(last - first, 1)
    most = max(len(one.board.models) for one in site.history)
    places = {one.date: k for k, one in enumerate(site.history)}

    def x(day: float) -> float:
        return round(_LEFT + (_WIDE - _LEFT - 12) * (day - first) / span, 1)

    def y(rank: float) -> float:
        return round(_ABOVE + (_HIGH - _ABOVE - 20) * (rank - 1) / most, 1)

    parts = []
    for day, best, worst, _ in points:
        k = places[day]
        end = x(days[k + 1]) if k + 1 < len(days) else _WIDE
        top, bottom = y(best), max(y(worst + 1), y(best) + 1.5)
        parts.append(f"M{x(days[k]):g} {top:g}H{end:g}V{bottom:g}H{x(days[k]):g}z")
    return {
        "path": "".join(parts), "wide": _WIDE, "high": _HIGH, "left": _LEFT, "top": y(1),
        "bottom": y(most + 1), "most": most, "first": site.history[0].date or "now",
        "last": site.history[-1].date or "now",
        "rows": [[day or "now", show_ranks(*span), size] for day, *span, size in points],
    }  # fmt: skip


def strengths_of(board: Leaderboard) -> dict[str, dict[str, Any]]:
    """The strength of each model in each period of votes, as a line in its band, and in words."""
    found = board.over_time
    if found is None:
        return {}
    low, high = (np.array([getattr(one, end) for one in found.periods]) for end in ("low", "high"))
    value = np.array([one.strength for one in found.periods])
    known = np.isfinite(value) & np.isfinite(low) & np.isfinite(high)
    least, most = min(low[known], default=0.0), max(high[known], default=0.0)
    least, most = min(float(least), 0.0), max(float(most), 0.0)
    names, bottom = [one.name for one in found.periods], _HIGH - 20
    changes = {one.model: _change_words(one, found) for one in found.changes}

    def x(k: int) -> str:
        return f"{_LEFT + (_WIDE - _LEFT - 6) * (k + 0.5) / len(names):.1f}"

    def y(strength: float) -> str:
        share = (most - strength) / ((most - least) or 1.0)
        return f"{_ABOVE + (bottom - _ABOVE) * share:.1f}"

    drawn = {}
    for i, model in enumerate(found.models):
        at = np.flatnonzero(known[:, i]).tolist()
        bars = "".join(f"M{x(k)} {y(low[k, i])}V{y(high[k, i])}" for k in at)
        # Periods without votes of the model leave a gap in its line.
        line = "".join(
            f"{'L' if k - 1 in at else 'M'}{x(k)} {y(value[k, i])}" for k in at
        )  # fmt: skip
        drawn[model] = {
            "bars": bars, "line": line, "dots": [[x(k), y(value[k, i])] for k in at],
            "zero": y(0.0), "top": f"{most:+.1f}", "low": f"{least:+.1f}",
            "top_y": y(most), "low_y": y(least), "wide": _WIDE, "high": _HIGH, "left": _LEFT,
            "first": names[0], "last": names[-1], "change": changes.get(model, ""),
            "level": f"{100 - 100 * found.alpha:g} %", "anchors": len(found.anchors),
            "rows": [
                [names[k], f"{value[k, i]:+.2f}", f"{low[k, i]:+.2f} to {high[k, i]:+.2f}"]
                for k in at
            ],
        }  # fmt: skip
    return {model: one for model, one in drawn.items() if one["rows"]}


def _change_words(one: Change, found: OverTime) -> str:
    if not np.isfinite(one.se):
        return ""
    shown = "shown to have changed" if one.p <= found.alpha else "not shown to have changed"
    return (
        f"Against the mean of all models it is {shown} since {found.since}: {one.value:+.2f} "
        f"({one.low:+.2f} to {one.high:+.2f}, all models at once)."
    )


def _ordinal(one: DatedBoard, history: Sequence[DatedBoard]) -> int:
    """The day as a number; what has no date is drawn a little after the last that has one."""
    if one.date:
        return date.fromisoformat(one.date).toordinal()
    known = [date.fromisoformat(other.date).toordinal() for other in history if other.date]
    return known[-1] + max((known[-1] - known[0]) // 10, 1)


def history_page(site: Site) -> dict[str, Any]:
    """The courses of the models that lead, and what each board showed."""
    main = site.main
    courses = courses_of(site)
    leading = [main.models[i] for i in main.order][:_MOST_COURSES]
    sources = [_source(one) for one in site.history]
    levels = [lead_claim(one.board).words for one in site.history]
    days = zip(site.history, levels, sources, strict=True)
    return {
        "replay": site.plan.replay,
        "claim": levels[0] if len(set(levels)) == 1 else "At the level of each day, below",
        "courses": [
            [name, f"models/{slug_of(name)}.html", drawn_course(site, courses[name])]
            for name in leading
        ],
        "n_models": len(main.models),
        "days": [
            [one.date or "now", len(one.board.models), opening(one.board).title, level, source]
            for one, level, source in reversed(list(days))
        ],
        "sources": len(set(sources)) > 1,
    }


def _source(one: DatedBoard) -> str:
    """Where its results come from, with the version of the benchmark."""
    return (one.board.about and one.board.about.source) or ""


def changes_page(site: Site) -> dict[str, Any]:
    """The last change in full, and what the earlier ones were on the whole."""
    dates = [one.date or "now" for one in site.history]
    last = change_parts(site.changes[-1])
    was, now = (_source(one) for one in site.history[-2:])
    moved = [f"The source is {now}; it was {was}."] if was and now and was != now else []
    known = {name for one in site.boards for name in model_names(one.summary)}
    return {
        "since": dates[-2], "until": dates[-1], "sentences": [*moved, *last.sentences],
        "header": list(last.header), "legend": last.legend, "pairs": list(last.pairs),
        "at": last.header.index("Model") if last.rows else 0,
        "rows": [
            [list(row), f"models/{slug_of(name)}.html" if name in known else ""]
            for row, name in zip(last.rows, last.models, strict=True)
        ],
        "earlier": [
            [dates[k + 1], list(change_parts(site.changes[k]).sentences)]
            for k in reversed(range(len(site.changes) - 1))
        ],
    }  # fmt: skip


def feed_page(site: Site) -> dict[str, Any]:
    """An entry for each dated board, newest first."""
    title, entries = site.plan.about.title or "", []
    for k, one in enumerate(site.history):
        if not one.date:
            continue
        changes: ChangeParts | None = change_parts(site.changes[k - 1]) if k else None
        entries.append({
            "date": one.date,
            "id": uuid5(NAMESPACE_URL, f"{site.plan.address}{title}#{one.date}").urn,
            "headline": " ".join(opening(one.board)[:2]),
            "sentences": [] if changes is None else list(changes.sentences),
        })  # fmt: skip
    return {
        "id": uuid5(NAMESPACE_URL, f"{site.plan.address}{title}").urn,
        "description": site.plan.about.description,
        "author": site.plan.about.source or title,
        "entries": entries[::-1][:_MOST_ENTRIES],
        "changes_page": has_history(site.plan),
    }


def history_json(site: Site) -> dict[str, Any]:
    """The rank intervals of all models on all days, for programs."""
    courses, claims = courses_of(site), [lead_claim(one.board) for one in site.history]
    return {
        "schema": "rankbars.site.history/1",
        "replay": site.plan.replay,
        "dates": [one.date or None for one in site.history],
        "claims": [[claim.title, claim.words] for claim in claims],
        "columns": ["date", "best", "worst", "models"],
        "models": {
            name: [[day or None, best, worst, size] for day, best, worst, size in courses[name]]
            for name in sorted(courses)
        },
    }

"""A site over time: rank intervals on dated boards, what changed between them, and a feed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from rankbars.data.siteplan import DatedBoard, Site
from rankbars.render.changes import ChangeParts, change_parts
from rankbars.render.firstscreen import opening
from rankbars.render.notation import show_ranks
from rankbars.render.ranktable import board_table
from rankbars.render.siteboards import has_history, model_names, slug_of

__all__ = [
    "changes_page",
    "courses_of",
    "drawn_course",
    "feed_page",
    "history_json",
    "history_page",
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
            points = found.setdefault(called.get(name, name), [])
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
    return {
        "replay": site.plan.replay,
        "claim": board_table(main).claim.words,
        "courses": [
            [name, f"models/{slug_of(name)}.html", drawn_course(site, courses[name])]
            for name in leading
        ],
        "n_models": len(main.models),
        "days": [
            [one.date or "now", len(one.board.models), opening(one.board).title]
            for one in reversed(site.history)
        ],
    }


def changes_page(site: Site) -> dict[str, Any]:
    """The last change in full, and what the earlier ones were on the whole."""
    dates = [one.date or "now" for one in site.history]
    last = change_parts(site.changes[-1])
    known = {name for one in site.boards for name in model_names(one.summary)}
    return {
        "since": dates[-2], "until": dates[-1], "sentences": list(last.sentences),
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
    courses = courses_of(site)
    return {
        "schema": "rankbars.site.history/1",
        "replay": site.plan.replay,
        "dates": [one.date or None for one in site.history],
        "columns": ["date", "best", "worst", "models"],
        "models": {
            name: [[day or None, best, worst, size] for day, best, worst, size in courses[name]]
            for name in sorted(courses)
        },
    }

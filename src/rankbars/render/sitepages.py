"""The pages of a public leaderboard, and what it gives to programs: every file, ready to be made.

A `Draft` knows the digest of all that it is made of, so that what has not changed is not made.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from functools import partial
from importlib import resources
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.boardfile import board_json
from rankbars.data.madefiles import Draft
from rankbars.data.siteplan import DatedBoard, Site, SiteBoard, SitePlan
from rankbars.data.standings import standings
from rankbars.render.changes import ChangeParts, change_json, change_parts
from rankbars.render.exports import render_csv
from rankbars.render.methodbox import method_entries
from rankbars.render.notation import counted, show_ranks, visible
from rankbars.render.page import PageFrame, page_environment, render_html
from rankbars.render.paragraph import citation, methods_paragraph, references
from rankbars.render.placed import placed_table
from rankbars.render.ranktable import board_table, task_scores
from rankbars.render.sentences import field_line, headline, headline_sentences

__all__ = ["board_paths", "frame_of", "site_files", "slug_of"]

_TOP = 10
_MOST_COURSES, _MOST_ENTRIES = 12, 50
_SAFE = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_TAKEN = ("index", "all", "con", "prn", "aux", "nul")


def slug_of(name: str) -> str:
    """The name of a file for any name, on any file system; different names get different ones.

    Examples
    --------
    >>> slug_of("gpt-4o"), slug_of("GPT-4o"), slug_of("Qwen/Qwen3 8B")
    ('gpt-4o', 'gpt-4o-75dbcc6b', 'qwen-qwen3-8b-1a9a4e94')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    safe = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50].strip("-")
    # What could be taken for a name with a digest gets one, too.
    if safe and safe == name and name not in _TAKEN and not re.search(r"-[0-9a-f]{8}$", name):
        return safe
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}-{digest}" if safe else digest


def board_paths(slug: str) -> tuple[str, ...]:
    """The files of a board: the board file first, then its page, its table, what programs read."""
    return (
        f"boards/{slug}.json", f"boards/{slug}.html", f"boards/{slug}.csv",
        f"api/boards/{slug}.json",
    )  # fmt: skip


def frame_of(plan: SitePlan) -> dict[str, Any]:
    """What stands around every page of a site."""
    pages = [("Boards", "index.html"), ("Models", "models.html")]
    if has_history(plan):
        pages += [("History", "history.html"), ("Changes", "changes.html")]
    pages += [("Method", "method.html"), ("About", "about.html")]
    logo = plan.theme.logo
    return {
        "site": plan.about.title,
        "pages": pages,
        "logo": None if logo is None else f"assets/logo{logo.suffix.lower()}",
        "colors": list(plan.theme.colors),
        "address": plan.address,
        "feed": has_history(plan) or plan.about.date is not None,
    }


def has_history(plan: SitePlan) -> bool:
    """Whether the site has boards of earlier days."""
    return plan.replay or bool(plan.history)


def site_files(site: Site) -> dict[str, Draft]:
    """Every file of a site.

    Parameters
    ----------
    site : Site
        What its pages show.

    Returns
    -------
    dict from path to Draft
        Paths are relative to the folder of the site.
    """
    frame = frame_of(site.plan)
    files: dict[str, Draft] = {}
    for one in site.boards:
        made = (
            partial(board_json, one.board), partial(_board_page, one, frame),
            partial(render_csv, one.board), partial(_api_board, site, one),
        )  # fmt: skip
        files |= {path: Draft(one.key, make) for path, make in zip(
            board_paths(one.slug), made, strict=True)}  # fmt: skip
    pages = _Pages(site, frame)
    files["index.html"] = pages.draft("index", "index.html", _index(site))
    files["models.html"] = pages.draft("models", "models.html", _models(site))
    for name, context in _model_pages(site):
        path = f"models/{slug_of(name)}.html"
        files[path] = pages.draft("model", path, context)
    files["method.html"] = pages.draft("method", "method.html", _method(site))
    files["about.html"] = pages.draft("about", "about.html", _about(site))
    if len(site.history) > 1:
        files["history.html"] = pages.draft("history", "history.html", _history(site))
        files["changes.html"] = pages.draft("changes", "changes.html", _changes(site))
        files["api/history.json"] = _plain(_json(_api_history(site)))
        files["api/changes.json"] = _plain(change_json(site.changes[-1]))
    if frame["feed"]:
        files["feed.xml"] = pages.draft("feed", "feed.xml", _feed(site))
    for path, content in {
        "api/index.json": _api_index(site),
        "api/models.json": _api_models(site),
    }.items():
        files[path] = _plain(_json(content))
    files["llms.txt"] = _plain(_llms(site))
    files["assets/site.css"] = _plain(_style(frame))
    if site.plan.theme.logo is not None:
        logo = site.plan.theme.logo.read_bytes()
        files[frame["logo"]] = Draft(hashlib.sha256(logo).hexdigest(), lambda: logo)
    return files


def _plain(text: str) -> Draft:
    return Draft(_digest(text), lambda: text)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


class _Pages:
    """Makes pages of templates; a page is made of its context, the frame and the version."""

    def __init__(self, site: Site, frame: Mapping[str, Any]) -> None:
        self.site, self.frame = site, frame
        self.environment = page_environment()

    def draft(self, template: str, path: str, context: Mapping[str, Any]) -> Draft:
        root = "../" * path.count("/")
        given = {"frame": self.frame, "version": self.site.version, "root": root, "here": path,
                 **context}  # fmt: skip
        key = _digest(json.dumps([template, given], sort_keys=True, ensure_ascii=True))

        def make() -> str:
            end = "xml" if path.endswith(".xml") else "html"
            return self.environment.get_template(f"site/{template}.{end}.j2").render(given)

        return Draft(key, make)


# ------------------------------------------------------------------------------------ contexts


def _board_page(one: SiteBoard, frame: Mapping[str, Any]) -> str:
    return render_html(
        one.board,
        frame=PageFrame(
            frame["site"], tuple((title, f"../{path}") for title, path in frame["pages"]),
            frame["logo"] and f"../{frame['logo']}", _asset("bar.css") + _theme(frame["colors"]),
        ),
    )  # fmt: skip


def _rows(one: SiteBoard) -> list[dict[str, Any]]:
    """The rows of a board, best score first."""
    return [
        {
            "model": row.model, "page": f"models/{slug_of(row.model)}.html", "ranks": row.ranks,
            "best": row.best, "worst": row.worst, "score": row.score, "new": row.new_ranks,
        }
        for row in board_table(one.board).rows
    ]  # fmt: skip


def _entry(one: SiteBoard) -> dict[str, Any]:
    """A board as it is listed."""
    board = one.board
    return {
        "name": one.name, "slug": one.slug, "group": one.group, "role": one.role,
        "description": one.description, "first": headline_sentences(board)[0],
        "models": len(board.models) + (0 if board.partly is None else len(board.partly.models)),
        "tasks": len(board.tasks),
    }  # fmt: skip


def _index(site: Site) -> dict[str, Any]:
    main = site.boards[0]
    table = board_table(main.board)
    return {
        "about": _about_fields(site),
        "headline": list(headline_sentences(main.board)),
        "field": field_line(main.board),
        "claim": [table.claim.title, table.claim.words],
        "score": [table.score_title, table.score_note],
        "rows": _rows(main)[:_TOP],
        "n_models": len(main.board.models),
        "placed": 0 if main.board.partly is None else len(main.board.partly.models),
        "boards": [_entry(one) for one in site.boards],
        "levels": main.levels,
    }


def _about_fields(site: Site) -> dict[str, Any]:
    about = site.plan.about
    return {
        "title": about.title, "description": about.description, "source": about.source,
        "date": about.date, "link": about.link, "version": site.plan.version,
    }  # fmt: skip


def _columns(site: Site) -> list[str]:
    """Attributes of models, in the order in which they first stand."""
    return list(dict.fromkeys(key for facts in site.plan.facts.values() for key in facts))


def _models(site: Site) -> dict[str, Any]:
    main = site.boards[0]
    rows = _rows(main)
    placed = placed_table(main.board)
    columns = _columns(site)
    partly = [] if placed is None else [
        {"model": row.model, "page": f"models/{slug_of(row.model)}.html", "ranks": row.ranks,
         "score": row.score, "tasks": row.tasks}
        for row in placed.rows
    ]  # fmt: skip
    return {
        "rows": rows, "columns": columns, "n_models": len(rows), "placed": partly,
        "placed_words": "" if placed is None else f"{placed.title}. {placed.note}",
        "facts": {
            name: [_fact(facts.get(key, "")) for key in columns]
            for name, facts in sorted(site.plan.facts.items())
        },
        "empty": [_fact("")] * len(columns),
        "retired": _retired(main.board, "model"),
    }  # fmt: skip


def _retired(board: Leaderboard, kind: str) -> list[list[str]]:
    """What is not ranked any more, with the reason."""
    return [
        [one.called, one.reason] for one in board.names if one.retired and one.kind == kind
    ]  # fmt: skip


def _fact(value: str) -> list[str]:
    """A value, and where it leads if it is an address of the web."""
    is_link = re.fullmatch(r"""https?://[^\s<>"'`\\]+""", value) is not None
    return [value, value if is_link else ""]


def _model_pages(site: Site) -> list[tuple[str, dict[str, Any]]]:
    """Each model with what its page shows."""
    main = site.boards[0].board
    names = list(dict.fromkeys(name for one in site.boards for name in _names(one.board)))
    on_boards: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for one in site.boards:
        size = len(one.board.models)
        for row in _rows(one):
            on_boards[row["model"]].append({
                "name": one.name, "slug": one.slug, "ranks": row["ranks"], "best": row["best"],
                "worst": row["worst"], "score": row["score"], "size": size, "partly": False,
            })  # fmt: skip
        placed = placed_table(one.board)
        for line in () if placed is None else placed.rows:
            on_boards[line.model].append({
                "name": one.name, "slug": one.slug, "ranks": line.ranks, "score": line.score,
                "size": size + 1, "partly": True, "best": 0, "worst": 0,
            })  # fmt: skip
    tasks, courses = _task_rows(main), _courses(site)
    columns, claim = _columns(site), board_table(main).claim
    return [
        (
            name,
            {
                "model": name,
                "facts": [
                    [key, *_fact(site.plan.facts[name][key])]
                    for key in columns
                    if key in site.plan.facts.get(name, {})
                ],
                "claim": [claim.title, claim.words],
                "boards": on_boards[name],
                "neighbours": _neighbours(main, name),
                "tasks": tasks.get(name, []),
                "course": _drawn(site, courses[name]) if name in courses else None,
            },
        )
        for name in names
    ]


def _names(board: Leaderboard) -> tuple[str, ...]:
    return board.models + (() if board.partly is None else board.partly.models)


def _neighbours(board: Leaderboard, name: str) -> dict[str, Any]:
    """Who is shown better, not told apart, and shown worse, best score first."""
    if name not in board.models:
        return {}
    i = board.models.index(name)
    groups: dict[str, list[list[str]]] = {"better": [], "open": [], "worse": []}
    for j in board.order:
        if j == i:
            continue
        kind = "better" if board.shown_better[j, i] else (
            "worse" if board.shown_better[i, j] else "open"
        )  # fmt: skip
        other = board.models[j]
        groups[kind].append([other, f"{slug_of(other)}.html"])
    return groups


def _task_rows(board: Leaderboard) -> dict[str, list[list[str]]]:
    """Task, rank interval and score of each model on each task of the board."""
    if len(board.tasks) < 2:
        return {}
    found: dict[str, list[list[str]]] = {name: [] for name in board.models}
    for task, result in board.tasks.items():
        scores = task_scores(result)
        for i, name in enumerate(board.models):
            if not np.isnan(result.mean[i]):
                ranks = show_ranks(int(result.best[i]), int(result.worst[i]))
                found[name].append([task, ranks, scores[i]])
    return found


_Point = tuple[str, int, int, int]  # a day, the rank interval on it, and of how many models


def _courses(site: Site) -> dict[str, list[_Point]]:
    """The rank interval of each model on each of the dated boards, by the names of today."""
    if len(site.history) < 2:
        return {}
    called = {one.name: one.called for one in site.boards[0].board.names if one.kind == "model"}
    found: dict[str, list[_Point]] = {}
    for one in site.history:
        best, worst = one.board.ranks
        for i, name in enumerate(one.board.models):
            points = found.setdefault(called.get(name, name), [])
            points.append((one.date, int(best[i]), int(worst[i]), len(one.board.models)))
    return found


_WIDE, _HIGH, _LEFT, _ABOVE = 300, 110, 26, 8


def _drawn(site: Site, points: Sequence[_Point]) -> dict[str, Any]:
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


def _history(site: Site) -> dict[str, Any]:
    main = site.boards[0].board
    courses = _courses(site)
    leading = [main.models[i] for i in main.order][:_MOST_COURSES]
    return {
        "replay": site.plan.replay,
        "claim": board_table(main).claim.words,
        "courses": [
            [name, f"models/{slug_of(name)}.html", _drawn(site, courses[name])] for name in leading
        ],
        "n_models": len(main.models),
        "days": [
            [one.date or "now", len(one.board.models), headline_sentences(one.board)[0]]
            for one in reversed(site.history)
        ],
    }


def _changes(site: Site) -> dict[str, Any]:
    """The last change in full, and what the earlier ones were on the whole."""
    dates = [one.date or "now" for one in site.history]
    last = change_parts(site.changes[-1])
    known = {name for one in site.boards for name in _names(one.board)}
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


def _feed(site: Site) -> dict[str, Any]:
    """An entry for each dated board, newest first."""
    title, entries = site.plan.about.title or "", []
    for k, one in enumerate(site.history):
        if not one.date:
            continue
        changes: ChangeParts | None = change_parts(site.changes[k - 1]) if k else None
        entries.append({
            "date": one.date,
            "id": uuid5(NAMESPACE_URL, f"{site.plan.address}{title}#{one.date}").urn,
            "headline": headline(one.board),
            "sentences": [] if changes is None else list(changes.sentences),
        })  # fmt: skip
    return {
        "id": uuid5(NAMESPACE_URL, f"{site.plan.address}{title}").urn,
        "description": site.plan.about.description,
        "author": site.plan.about.source or title,
        "entries": entries[::-1][:_MOST_ENTRIES],
        "changes_page": has_history(site.plan),
    }


def _method(site: Site) -> dict[str, Any]:
    main = site.boards[0].board
    return {
        "entries": [_entry_fields(entry) for entry in method_entries(main)],
        "paragraph": methods_paragraph(main),
        "references": list(references(main)),
        "bibtex": citation(main),
        "levels": site.boards[0].levels,
        "n_boards": sum(one.role == "rank" for one in site.boards),
    }  # fmt: skip


def _entry_fields(entry: Any) -> dict[str, Any]:
    return {
        "number": entry.number, "question": entry.question, "level": entry.level,
        "method": entry.method, "assumptions": list(entry.assumptions),
    }  # fmt: skip


def _about(site: Site) -> dict[str, Any]:
    main = site.boards[0].board
    return {
        "about": _about_fields(site),
        "words": [part.strip() for part in site.plan.words.split("\n\n") if part.strip()],
        "inputs": [[one.path, one.format, one.sha256] for one in main.inputs],
        "retired_models": _retired(main, "model"),
        "retired_tasks": _retired(main, "task"),
        "aliases": [[one.name, one.called] for one in main.names if one.called != one.name],
        "downloads": [
            [one.name, f"boards/{one.slug}.csv", f"boards/{one.slug}.json",
             f"api/boards/{one.slug}.json"]
            for one in site.boards
        ],
    }  # fmt: skip


# ------------------------------------------------------------------------------------ for programs


def _api_board(site: Site, one: SiteBoard) -> str:
    """A board in a few bytes per model: a list for each model, with the columns named once."""
    board = one.board
    columns = ("model", "best", "worst", "score", "score_low", "score_high", "tier",
               "new_task_best", "new_task_worst", "coverage")  # fmt: skip
    rows = standings(board)
    partly = board.partly
    return _json({
        "schema": "rankbars.site.board/1",
        "name": one.name,
        "title": board.about.title if board.about else None,
        "date": site.plan.about.date,
        "version": site.plan.version or None,
        "headline": headline(board),
        "level": rows[0].level,
        "levels": one.levels or None,
        "tasks": list(board.tasks),
        "columns": list(columns),
        "models": [[_short(getattr(row, key)) for key in columns] for row in rows],
        "partly_scored": [] if partly is None else [
            [partly.models[i], int(partly.best[i]), int(partly.worst[i]),
             _short(float(partly.adjusted[i])), int(partly.tasks[i])]
            for i in partly.order
        ],
        "partly_scored_columns": ["model", "best", "worst", "score", "tasks"],
        "made_with": f"rankbars {board.version}",
    })  # fmt: skip


def _short(value: Any) -> Any:
    """A number with six digits; the table and the board file have it in full."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if np.isfinite(value) else None
    return value


def _api_index(site: Site) -> dict[str, Any]:
    return {
        "schema": "rankbars.site/1",
        **_about_fields(site),
        "boards": [
            {
                **{key: value for key, value in _entry(one).items() if key != "first"},
                "headline": headline(one.board),
                "page": f"boards/{one.slug}.html",
                "csv": f"boards/{one.slug}.csv",
                "board": f"boards/{one.slug}.json",
                "api": f"api/boards/{one.slug}.json",
            }
            for one in site.boards
        ],
        "models": "api/models.json",
        **({"history": "api/history.json", "changes": "api/changes.json"}
           if len(site.history) > 1 else {}),
    }  # fmt: skip


def _api_models(site: Site) -> dict[str, Any]:
    names = sorted({name for one in site.boards for name in _names(one.board)})
    return {
        "schema": "rankbars.site.models/1",
        "models": [
            {"model": name, "page": f"models/{slug_of(name)}.html",
             **({"facts": dict(site.plan.facts[name])} if name in site.plan.facts else {})}
            for name in names
        ],
        "retired": [
            {"model": name, "reason": why} for name, why in _retired(site.boards[0].board, "model")
        ],
    }  # fmt: skip


def _api_history(site: Site) -> dict[str, Any]:
    courses = _courses(site)
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


def _llms(site: Site) -> str:
    """What a program that reads text should know of the site (llmstxt.org)."""
    about, address = site.plan.about, site.plan.address
    lines = [f"# {visible(about.title or '')}", ""]
    if about.description:
        lines += [f"> {visible(about.description)}", ""]
    lines += [
        "A leaderboard with error bars. Every model has a rank interval: best is 1 plus the number "
        "of models shown better, worst is the number of models minus the number it is shown better "
        "than. Models whose intervals overlap may still be told apart; the board files say which "
        "pairs are (shown_better). Not told apart does not mean equal.",
        "",
        visible(headline(site.boards[0].board)),
        "",
        "## Boards",
        "",
    ]
    for one in site.boards:
        lines.append(
            f"- [{visible(one.name)}]({address}api/boards/{one.slug}.json): "
            f"{counted(len(one.board.models), 'model')}, {counted(len(one.board.tasks), 'task')}; "
            f"also as [CSV]({address}boards/{one.slug}.csv) and "
            f"[board file]({address}boards/{one.slug}.json)"
        )
    lines += ["", "## More", ""]
    for name, path in (
        ("List of boards", "api/index.json"), ("Models", "api/models.json"),
        ("Method", "method.html"),
    ):  # fmt: skip
        lines.append(f"- [{name}]({address}{path})")
    return "\n".join(lines) + "\n"


# ------------------------------------------------------------------------------------ style


def _style(frame: Mapping[str, Any]) -> str:
    return _asset("site.css") + _asset("bar.css") + _theme(frame["colors"])


def _asset(name: str) -> str:
    place = resources.files("rankbars.render").joinpath("templates", "site", name)
    return place.read_text(encoding="utf-8")


def _theme(colors: Sequence[str]) -> str:
    """The two colours as style; on dark ground they are mixed with white."""
    names = ("--rb-bar", "--rb-second")
    light = "".join(f"{name}:{color};" for name, color in zip(names, colors, strict=False))
    dark = "".join(
        f"{name}:color-mix(in srgb, {color} 50%, white);"
        for name, color in zip(names, colors, strict=False)
    )
    if not colors:
        return ""
    return (
        f":root,:root[data-theme=light]{{{light}}}\n"
        "@media screen and (prefers-color-scheme:dark)"
        f"{{:root:not([data-theme=light]){{{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}}}}}\n"
    )

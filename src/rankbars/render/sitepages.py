"""The pages of a public leaderboard, and what it gives to programs: every file, ready to be made.

A `Draft` knows the digest of all that it is made of, so that what has not changed is not made.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.madefiles import Draft
from rankbars.data.siteplan import Site, SiteBoard
from rankbars.render.boardnotes import few_remarks, remark_text
from rankbars.render.changes import change_json
from rankbars.render.claims import is_weighted, only_metric
from rankbars.render.methodbox import method_entries
from rankbars.render.notation import counted, show_ranks
from rankbars.render.pagetemplates import page_environment
from rankbars.render.paragraph import citation, methods_paragraph, references
from rankbars.render.ranktable import task_scores
from rankbars.render.shownnames import visible
from rankbars.render.siteboards import (
    BOARD_STYLE,
    MAIN_BOARD,
    board_entry,
    board_files,
    board_rows,
    board_style,
    card_address,
    frame_of,
    model_names,
    partly_rows,
    short_json,
    site_script,
    site_style,
    slug_of,
)
from rankbars.render.sitehistory import (
    changes_page,
    courses_of,
    drawn_course,
    feed_page,
    history_json,
    history_page,
    strengths_of,
)

__all__ = ["site_files"]

_TOP, _MOST_NEAR = 10, 12


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
    pages = _Pages(site, frame)
    for one in site.boards:
        if one.summary["unranked"] is not None:
            path = f"boards/{one.slug}.html"
            files[path] = pages.draft("unranked", path, _unranked(one))
            files[f"api/boards/{one.slug}.json"] = _plain(short_json(one.summary))
            continue
        files |= board_files(one, frame)
        if frame["cards"]:
            files[f"boards/{one.slug}.png"] = _card(site, one)
    files["index.html"] = pages.draft("index", "index.html", _index(site))
    files["models.html"] = pages.draft("models", "models.html", _models(site))
    for name, context in _model_pages(site):
        path = f"models/{slug_of(name)}.html"
        files[path] = pages.draft("model", path, context)
    files["method.html"] = pages.draft("method", "method.html", _method(site))
    files["about.html"] = pages.draft("about", "about.html", _about(site))
    if len(site.history) > 1:
        files["history.html"] = pages.draft("history", "history.html", history_page(site))
        files["changes.html"] = pages.draft("changes", "changes.html", changes_page(site))
        files["api/history.json"] = _plain(short_json(history_json(site)))
        files["api/changes.json"] = _plain(change_json(site.changes[-1]))
    if frame["feed"]:
        files["feed.xml"] = pages.draft("feed", "feed.xml", feed_page(site))
    for path, content in {
        "api/index.json": _api_index(site),
        "api/models.json": _api_models(site),
    }.items():
        files[path] = _plain(short_json(content))
    files["llms.txt"] = _plain(_llms(site))
    files["assets/site.css"] = _plain(site_style(frame))
    if any(one.slim for one in site.boards):
        files[BOARD_STYLE] = _plain(board_style(frame))
    files["assets/site.js"] = _plain(site_script())
    if site.plan.theme.logo is not None:
        logo = site.plan.theme.logo.read_bytes()
        files[frame["logo"]] = Draft(hashlib.sha256(logo).hexdigest(), lambda: logo)
    return files


def _plain(text: str) -> Draft:
    return Draft(_digest(text), lambda: text)


def _card(site: Site, one: SiteBoard) -> Draft:
    """The picture that other sites show of a link to a board."""
    about, colors = site.plan.about, site.plan.theme.colors
    given = {"source": about.source or about.link or ""}
    if colors:
        given["color"] = colors[0]

    def make() -> bytes:
        from rankbars.render.plotting.sharecard import share_card

        return share_card(one.summary, **given)

    return Draft(_digest(short_json([one.summary, given])), make)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Pages:
    """Makes pages of templates; a page is made of its context, the frame and the version."""

    def __init__(self, site: Site, frame: Mapping[str, Any]) -> None:
        self.site, self.frame = site, frame
        self.environment = page_environment()

    def draft(self, template: str, path: str, context: Mapping[str, Any]) -> Draft:
        root = "../" * path.count("/")
        given = {"frame": self.frame, "version": self.site.version, "root": root, "here": path,
                 "card": card_address(self.frame), **context}  # fmt: skip
        key = _digest(json.dumps([template, given], sort_keys=True, ensure_ascii=True))

        def make() -> str:
            end = "xml" if path.endswith(".xml") else "html"
            return self.environment.get_template(f"site/{template}.{end}.j2").render(given)

        return Draft(key, make)


# ------------------------------------------------------------------------------------ contexts


def _index(site: Site) -> dict[str, Any]:
    main = site.boards[0].summary
    rows, placed = board_rows(main), partly_rows(main)
    part = main["partly_scored"] or {"title": "", "note": ""}
    return {
        "about": _about_fields(site),
        "opening": main["opening"],
        "field": main["field"],
        "metric": only_metric(site.main) or "",
        "weighted": site.main.lead == "aggregate" and is_weighted(site.main),
        "claim": main["claim"],
        "score": main["score"],
        "rows": rows[:_TOP],
        "n_models": len(rows),
        "placed": [row for k, row in enumerate(placed) if k < _TOP or row["best"] == 1],
        "n_placed": len(placed),
        "placed_title": part["title"].replace("models above", "models scored on every task"),
        "placed_note": part["note"],
        "boards": [board_entry(one) for one in site.boards],
        "levels": main["levels"],
        "notes": [remark_text(remark) for remark in few_remarks(site.main)],
    }


def _unranked(one: SiteBoard) -> dict[str, Any]:
    """A board that could not be ranked."""
    return {
        "board": one.name, "description": one.description,
        "why": one.summary["unranked"]["why"],
        "names": [[name, f"../models/{slug_of(name)}.html"] for name in model_names(one.summary)],
        "tasks": one.summary["tasks"],
    }  # fmt: skip


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
    main = site.boards[0].summary
    columns, part = _columns(site), main["partly_scored"]
    rows = board_rows(main)
    # Metrics that stand beside the ranking: the score of each model, with its own error.
    beside = [one for one in site.boards if one.role != "rank"]
    scores = [{row["model"]: row["score"] for row in board_rows(one.summary)} for one in beside]
    for row in rows:
        row["beside"] = [found.get(row["model"], "") for found in scores]
    return {
        "score": main["score"],
        "beside": [
            [one.name.removeprefix("By "), one.slug, one.summary["score"]] for one in beside
        ],
        "rows": rows, "columns": columns, "numeric": [_is_numeric(site, key) for key in columns],
        "n_models": len(rows), "placed": partly_rows(main),
        "placed_words": "" if part is None else f"{part['title']}. {part['note']}",
        "facts": {
            name: [_fact(facts.get(key, "")) for key in columns]
            for name, facts in sorted(site.plan.facts.items())
        },
        "empty": [_fact("")] * len(columns),
        "retired": _retired(site.main, "model"),
    }  # fmt: skip


def _is_numeric(site: Site, key: str) -> bool:
    """Whether an attribute is a number wherever it is given."""
    given = [facts[key] for facts in site.plan.facts.values() if facts.get(key)]
    return bool(given) and all(re.fullmatch(r"[-+]?\d[\d.,]*", value) for value in given)


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
    names = dict.fromkeys(name for one in site.boards for name in model_names(one.summary))
    on_boards: dict[str, list[list[Any]]] = {name: [] for name in names}
    for one in site.boards:
        size, here = len(one.summary["models"]), [one.name, one.slug]
        title = one.summary["score"][0]
        what = "" if title == "Score" else title
        if one.summary["unranked"] is not None:
            for name in model_names(one.summary):
                on_boards[name].append([*here, "not ranked", 0, 0, "", "", "", False])
        for row in board_rows(one.summary):
            on_boards[row["model"]].append(
                [*here, row["ranks"], row["best"], row["worst"], size, row["score"], what, False]
            )
        for row in partly_rows(one.summary):
            on_boards[row["model"]].append(
                [*here, row["ranks"], 0, 0, row["field"], row["score"], what, True]
            )
    tasks, courses, strengths = _task_rows(site.main), courses_of(site), strengths_of(site.main)
    columns, claim = _columns(site), site.boards[0].summary["claim"]
    neighbours = _neighbours(site.main)
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
                "claim": claim,
                "boards": on_boards[name],
                "neighbours": neighbours.get(name, []),
                "tasks": tasks.get(name, []),
                "course": drawn_course(site, courses[name]) if name in courses else None,
                "strength": strengths.get(name),
            },
        )
        for name in names
    ]


def _neighbours(board: Leaderboard) -> dict[str, list[list[Any]]]:
    """Of each model how many are shown better, not told apart, and shown worse; the nearest."""
    order = np.asarray(board.order)
    links = [[board.models[i], f"{slug_of(board.models[i])}.html"] for i in order]
    better = board.shown_better[np.ix_(order, order)]
    found = {}
    for k, (name, _) in enumerate(links):
        away = np.abs(np.arange(order.size) - k)
        groups = (better[:, k], ~better[:, k] & ~better[k] & (away > 0), better[k])
        nearest = [np.flatnonzero(group) for group in groups]
        found[name] = [
            [len(some), [links[j] for j in sorted(some, key=away.__getitem__)[:_MOST_NEAR]]]
            for some in nearest
        ]
    return found


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


def _method(site: Site) -> dict[str, Any]:
    main = site.main
    return {
        "entries": [_entry_fields(entry) for entry in method_entries(main)],
        "paragraph": methods_paragraph(main),
        "references": list(references(main)),
        "bibtex": citation(main),
        "notes": [[note.task or "", note.message] for note in main.notes],
        "levels": site.boards[0].levels,
        "n_boards": sum(one.role == "rank" for one in site.boards),
    }  # fmt: skip


def _entry_fields(entry: Any) -> dict[str, Any]:
    return {
        "number": entry.number, "question": entry.question, "level": entry.level,
        "method": entry.method, "assumptions": list(entry.assumptions),
    }  # fmt: skip


def _about(site: Site) -> dict[str, Any]:
    main = site.main
    return {
        "about": _about_fields(site),
        "words": [part.strip() for part in site.plan.words.split("\n\n") if part.strip()],
        "inputs": [[one.path, one.format, one.sha256] for one in main.inputs],
        "retired_models": _retired(main, "model"),
        "retired_tasks": _retired(main, "task"),
        "aliases": [[one.name, one.called] for one in main.names if one.called != one.name],
        "downloads": [
            [one.name, _table(one) or "", f"api/boards/{one.slug}.json",
             MAIN_BOARD if one.slug == "all" else ""]
            for one in site.boards
        ],
    }  # fmt: skip


def _table(one: SiteBoard) -> str | None:
    """The path of the table of a board; None where it could not be ranked."""
    return f"boards/{one.slug}.csv" if one.summary["unranked"] is None else None


# ------------------------------------------------------------------------------------ for programs


def _api_index(site: Site) -> dict[str, Any]:
    return {
        "schema": "rankbars.site/1",
        **_about_fields(site),
        "boards": [
            {
                **{key: value for key, value in board_entry(one).items() if key != "first"},
                "headline": " ".join(one.summary["headline"]),
                "page": f"boards/{one.slug}.html",
                "csv": _table(one),
                "api": f"api/boards/{one.slug}.json",
            }
            for one in site.boards
        ],
        "models": "api/models.json",
        "board": MAIN_BOARD,
        **({"history": "api/history.json", "changes": "api/changes.json"}
           if len(site.history) > 1 else {}),
    }  # fmt: skip


def _api_models(site: Site) -> dict[str, Any]:
    names = sorted({name for one in site.boards for name in model_names(one.summary)})
    return {
        "schema": "rankbars.site.models/1",
        "models": [
            {"model": name, "page": f"models/{slug_of(name)}.html",
             **({"facts": dict(site.plan.facts[name])} if name in site.plan.facts else {})}
            for name in names
        ],
        "retired": [
            {"model": name, "reason": why} for name, why in _retired(site.main, "model")
        ],
    }  # fmt: skip


def _llms(site: Site) -> str:
    """What a program that reads text should know of the site (llmstxt.org)."""
    about, address = site.plan.about, site.plan.address
    lines = [f"# {visible(about.title or '')}", ""]
    if about.description:
        lines += [f"> {visible(about.description)}", ""]
    lines += [
        "A leaderboard with error bars. Every model has a rank interval: best is 1 plus the number "
        "of models shown better, worst is the number of models minus the number it is shown better "
        "than. Models whose intervals overlap may still be told apart; the board file says which "
        "pairs are (shown_better). Not told apart does not mean equal.",
        "",
        visible(" ".join(site.boards[0].summary["headline"])),
        "",
        "## Boards",
        "",
    ]
    for one in site.boards:
        lines.append(
            f"- [{visible(one.name)}]({address}api/boards/{one.slug}.json): "
            f"{counted(len(model_names(one.summary)), 'model')}, "
            f"{counted(len(one.summary['tasks']), 'task')}; "
            + (f"also as [CSV]({address}{table})" if (table := _table(one)) else "not ranked")
        )
    lines += ["", "## More", ""]
    for name, path in (
        ("List of boards", "api/index.json"), ("Models", "api/models.json"),
        ("Method", "method.html"), ("The main board with everything", MAIN_BOARD),
    ):  # fmt: skip
        lines.append(f"- [{name}]({address}{path})")
    return "\n".join(lines) + "\n"

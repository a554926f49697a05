"""The boards of a site: their files, what other pages show of them, and what is around them all."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from importlib import resources
from importlib.util import find_spec
from typing import Any

import numpy as np

from rankbars.data.board import Leaderboard
from rankbars.data.boardfile import board_json, packed
from rankbars.data.madefiles import Draft
from rankbars.data.scores import Scores
from rankbars.data.siteplan import SiteBoard, SitePlan
from rankbars.data.standings import standings
from rankbars.errors import DataError
from rankbars.render.exports import render_csv
from rankbars.render.firstscreen import opening
from rankbars.render.notation import show_ranks
from rankbars.render.page import PageFrame, render_html
from rankbars.render.pagetemplates import asset
from rankbars.render.ranktable import board_table
from rankbars.render.sentences import field_line, headline_sentences
from rankbars.render.sidetables import placed_table

__all__ = [
    "BOARD_STYLE", "MAIN_BOARD", "board_entry", "board_files", "board_paths", "board_rows",
    "board_style", "board_summary", "card_address", "frame_of", "has_history", "model_names",
    "partly_rows", "short_json", "site_script", "site_style", "slug_of", "unranked_summary",
]  # fmt: skip

MAIN_BOARD = "boards/all.json.gz"
BOARD_STYLE = "assets/board.css"
_COLUMNS = ["model", "best", "worst", "score_text", "score", "score_low", "score_high", "tier",
            "new_task_best", "new_task_worst", "coverage"]  # fmt: skip
_TAKEN = ("index", "all", "con", "prn", "aux", "nul")


@lru_cache(maxsize=1 << 16)
def slug_of(name: str) -> str:
    """The name of a file for any name, on any file system; different names get different ones.

    Examples
    --------
    >>> slug_of("gpt-4o"), slug_of("GPT-4o"), slug_of("Qwen/Qwen3 8B")
    ('gpt-4o', 'gpt-4o-9b816f4a', 'qwen-qwen3-8b-8da3eba6')
    """
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    safe = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:50].strip("-")
    # What could be taken for a name with a digest gets one, too.
    if safe and safe == name and name not in _TAKEN and not re.search(r"-[0-9a-f]{8}$", name):
        return safe
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe}-{digest}" if safe else digest


def board_paths(slug: str) -> tuple[str, ...]:
    """The files of a board: its page, its table, what programs read; of the main one all of it."""
    paths = (f"boards/{slug}.html", f"boards/{slug}.csv", f"api/boards/{slug}.json")
    return (*paths, MAIN_BOARD) if slug == "all" else paths


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
        # Other sites take pictures from whole addresses alone.
        "cards": bool(plan.address) and find_spec("matplotlib") is not None,
    }


def card_address(frame: Mapping[str, Any], slug: str = "all") -> str | None:
    """Address of the picture that other sites show of links to a board; None without pictures."""
    return f"{frame['address']}boards/{slug}.png" if frame["cards"] else None


def has_history(plan: SitePlan) -> bool:
    """Whether the site has boards of earlier days."""
    return plan.replay or bool(plan.history)


def board_files(one: SiteBoard, frame: Mapping[str, Any]) -> dict[str, Draft]:
    """The files of a board, each made of what the board is made of."""
    made: tuple[Callable[[], str | bytes], ...] = (
        partial(_board_page, one, frame), partial(_board_csv, one),
        partial(short_json, one.summary), partial(_board_file, one),
    )  # fmt: skip
    return {
        path: Draft(one.key, make) for path, make in zip(board_paths(one.slug), made, strict=False)
    }


def _ranked(one: SiteBoard) -> Leaderboard:
    """The board, which is there wherever a file of it is to be made."""
    if one.board is None:
        raise DataError(f"The board {one.name!r} was not ranked, and its files are not there.")
    return one.board


def _board_page(one: SiteBoard, frame: Mapping[str, Any]) -> str:
    pages = {name: f"../models/{slug_of(name)}.html" for name in model_names(one.summary)}
    return render_html(
        _ranked(one),
        frame=PageFrame(
            frame["site"], tuple((title, f"../{path}") for title, path in frame["pages"]),
            frame["logo"] and f"../{frame['logo']}", _bar_style(frame), pages,
            f"../{BOARD_STYLE}" if one.slim else None, card_address(frame, one.slug),
        ),
    )  # fmt: skip


def _board_csv(one: SiteBoard) -> str:
    return render_csv(_ranked(one))


def _board_file(one: SiteBoard) -> bytes:
    return packed(board_json(_ranked(one)))


def board_summary(plan: SitePlan, one: SiteBoard) -> dict[str, Any]:
    """What is shown of a board elsewhere, and given to programs: plain values.

    Parameters
    ----------
    plan : SitePlan
        What was asked for.
    one : SiteBoard
        A board that was ranked.
    """
    board = _ranked(one)
    table, placed, above = board_table(board), placed_table(board), opening(board)
    partly = board.partly
    title = board.about.title if board.about else None
    found = {row.model: row for row in standings(board)}
    rows = [
        [
            row.model, row.best, row.worst, row.score, *map(_short, found[row.model][2:5]),
            found[row.model].tier, row.new_best, row.new_worst, _short(found[row.model].coverage),
        ]
        for row in table.rows
    ]  # fmt: skip
    return {
        **_summary_head(plan, one, title),
        "opening": [above.title, above.level, *above.cautions],
        "headline": list(headline_sentences(board)),
        "field": field_line(board),
        "claim": [table.claim.title, table.claim.words],
        "score": [table.score_title, table.score_note],
        "level": next(iter(found.values())).level,
        "levels": one.levels or None,
        "tasks": list(board.tasks),
        "columns": _COLUMNS,
        "models": rows,
        "partly_scored": None if partly is None or placed is None else {
            "title": placed.title, "note": placed.note, "field": partly.field,
            "columns": ["model", "best", "worst", "score_text", "score", "tasks"],
            "models": [
                [partly.models[i], int(partly.best[i]), int(partly.worst[i]), score,
                 _short(float(partly.adjusted[i])), tasks]
                for i, (_, _, score, tasks) in zip(partly.order, placed.rows, strict=True)
            ],
        },
        "unranked": None,
        "made_with": f"rankbars {board.version}",
    }  # fmt: skip


def unranked_summary(
    plan: SitePlan, one: SiteBoard, scores: Scores, why: str, version: str
) -> dict[str, Any]:
    """What is shown of a board that could not be ranked, with the keys of one that could.

    Parameters
    ----------
    plan : SitePlan
        What was asked for.
    one : SiteBoard
        The board.
    scores : Scores
        What it chose of the results.
    why : str
        The reason.
    version : str
        Version of the package.
    """
    said = ["This board could not be ranked.", why]
    return {
        **_summary_head(plan, one, f"{plan.about.title}: {one.name}"),
        "opening": said, "headline": said, "field": "", "claim": ["", ""], "score": ["", ""],
        "level": None, "levels": None, "tasks": list(scores.tasks), "columns": _COLUMNS,
        "models": [], "partly_scored": None,
        "unranked": {"why": why, "models": list(scores.models)},
        "made_with": f"rankbars {version}",
    }  # fmt: skip


def _summary_head(plan: SitePlan, one: SiteBoard, title: str | None) -> dict[str, Any]:
    """What is said of a board before what it shows."""
    return {
        "schema": "rankbars.site.board/1",
        "name": one.name, "slug": one.slug, "group": one.group, "role": one.role,
        "description": one.description, "title": title,
        "date": plan.about.date, "version": plan.version or None,
    }  # fmt: skip


def board_rows(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The rows of a board, best score first."""
    return [
        {
            "model": name, "page": f"models/{slug_of(name)}.html", "best": best, "worst": worst,
            "ranks": show_ranks(best, worst), "score": score,
        }
        for name, best, worst, score, *_ in summary["models"]
    ]  # fmt: skip


def partly_rows(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Partly scored models, best place first."""
    part = summary["partly_scored"]
    return [] if part is None else [
        {"model": name, "page": f"models/{slug_of(name)}.html", "ranks": show_ranks(best, worst),
         "best": best, "score": score, "tasks": tasks, "field": part["field"]}
        for name, best, worst, score, _, tasks in part["models"]
    ]  # fmt: skip


def board_entry(one: SiteBoard) -> dict[str, Any]:
    """A board as it is listed."""
    found = one.summary
    return {
        "name": one.name, "slug": one.slug, "group": one.group, "role": one.role,
        "description": one.description, "first": found["opening"][0],
        "models": len(model_names(found)), "tasks": len(found["tasks"]),
    }  # fmt: skip


def model_names(summary: Mapping[str, Any]) -> list[str]:
    """Every model of a board."""
    part, unranked = summary["partly_scored"], summary["unranked"]
    if unranked is not None:
        return list(unranked["models"])
    return [row[0] for row in (*summary["models"], *(() if part is None else part["models"]))]


def _short(value: Any) -> Any:
    """A number with six digits; the table and the board file have it in full."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if np.isfinite(value) else None
    return value


def site_style(frame: Mapping[str, Any]) -> str:
    """The style of all pages but those of boards."""
    return _asset("site.css") + _bar_style(frame)


def board_style(frame: Mapping[str, Any]) -> str:
    """The style of the small pages of boards, which they share."""
    return asset("page.css") + _bar_style(frame)


def _bar_style(frame: Mapping[str, Any]) -> str:
    return _asset("bar.css") + _theme(frame["colors"])


def site_script() -> str:
    """The script by which lists of models sort."""
    return _asset("site.js")


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


def short_json(content: Any) -> str:
    """Plain values as JSON text without blanks."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"

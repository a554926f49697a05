"""A race as text for a terminal, and as JSON for programs."""

from __future__ import annotations

import math
from html import escape
from typing import Any

from rankbars.data.notes import list_words
from rankbars.data.plain import answer_json
from rankbars.data.raceboard import RaceBoard, Racer
from rankbars.render.notation import counted, round_up, show_count, show_share
from rankbars.render.shownnames import visible
from rankbars.render.textlines import each_wrapped, html_table, in_columns, text_of

__all__ = ["RACE_SCHEMA", "race_html", "race_json", "race_text"]

RACE_SCHEMA = "rankbars.race/1"
_STYLE = (
    ":root{color-scheme:light}body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff}"
    "main{max-width:52rem;margin:2rem auto;padding:0 1rem}h1{font-size:1.4rem}"
    "figure{margin:1.5rem 0}svg{width:100%;max-width:46rem;height:auto}figcaption{color:#555}"
    ".wide{overflow-x:auto}table{border-collapse:collapse}"
    "th,td{padding:.2rem .8rem .2rem 0;text-align:right;font-variant-numeric:tabular-nums}"
    "th:first-child,td:nth-child(2){text-align:left}th[scope=row]{font-weight:400}"
    "tbody tr{border-top:1px solid #ddd}"
)
_MOST_NAMES = 5


def race_text(board: RaceBoard) -> str:
    """The board as lines that end with a line break."""
    above = [_head(board), _answer(board), ""]
    below = [_key(board), "", *_after(board)]
    return text_of([
        *each_wrapped(above), *in_columns(_cells(board), "llr"), *each_wrapped(below),
    ])  # fmt: skip


def _after(board: RaceBoard) -> list[str]:
    """What stands below the rows and what their numbers mean."""
    said = [_cost(board), _next(board), _promise(board)]
    return [*said, *(visible(note.message) for note in board.notes), _state(board)]


def race_json(board: RaceBoard) -> str:
    """The board as plain JSON."""
    return answer_json({
        "schema": RACE_SCHEMA,
        "goal": "first" if board.k == 1 else f"top {board.k}",
        "alpha": board.alpha,
        "winners": list(board.winners),
        "possible": list(board.possible),
        "stop": board.stop,
        "models": [_racer(one) for one in board.racers],
        "tasks": list(board.tasks),
        "unit": board.unit,
        "rows": board.at,
        "of_rows": board.of,
        "calls": board.used,
        "of_calls": board.full,
        "saved": board.saved,
        "more_rows": board.more,
        "waiting": board.waiting,
        "failed": board.failed,
        "batch": board.batch,
        "threshold": board.threshold,
        "seed": board.seed,
        "digest": board.digest,
        "history": [
            {"rows": at, "log_e": {
                name: one for name, one in zip(board.entered, found, strict=True)
                if not math.isnan(one)
            }}
            for at, found in board.history
        ],
        "notes": [
            {"code": note.code, "message": note.message, "models": list(note.models)}
            for note in board.notes
        ],
    })  # fmt: skip


def race_html(board: RaceBoard) -> str:
    """The board as a page that needs no network: what is known, the evidence, a row per model."""
    from rankbars.render.plotting.style import picture_bytes
    from rankbars.render.plotting.workplots import race_picture

    picture = ""
    if board.history:
        drawn = picture_bytes(race_picture(board), "svg").decode("utf-8")
        what = "against a model; a cross: it is out" if board.k == 1 else "for a call, by model"
        words = f"Evidence {what}. The dotted line is where a claim is made."
        start = drawn.index("<svg")
        picture = f"<figure>{drawn[start:]}<figcaption>{escape(words)}</figcaption></figure>"
    below = [_key(board), *_after(board)]
    title = f"Race for {'first place' if board.k == 1 else f'the first {board.k}'}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>{escape(_answer(board))}</h1><p>{escape(_head(board))}</p>{picture}"
        f'<div class="wide">{html_table(_cells(board))}</div>'
        + "".join(f"<p>{escape(text)}</p>" for text in below)
        + "</main></body></html>\n"
    )


def _racer(one: Racer) -> dict[str, Any]:
    return {
        "model": one.model, "call": one.call, "since": one.since, "rows": one.rows,
        "calls": one.calls, "mean": one.mean, "log_e": one.log_e, "more_rows": one.more,
    }  # fmt: skip


def _head(board: RaceBoard) -> str:
    goal = "first place" if board.k == 1 else f"the first {board.k}"
    place = "" if board.tasks == ("all",) else f" of {list_words(board.tasks, _MOST_NAMES)}"
    return (
        f"Race for {goal}: {len(board.racers)} models, {show_count(board.at)} of "
        f"{counted(board.of, board.unit[:-1])}{place}."
        if board.unit == "items"
        else f"Race for {goal}: {len(board.racers)} models, {show_count(board.at)} of "
        f"{show_count(board.of)} tries at every item{place}."
    )


def _answer(board: RaceBoard) -> str:
    winners = [visible(name) for name in board.winners]
    open_ = [visible(one.model) for one in board.racers if one.call == "open"]
    if board.stop == "settled" and board.k == 1:
        return f"{winners[0]} is first: each other model is out."
    if board.stop == "settled":
        return f"The first {board.k} are {list_words(winners, board.k)}, in any order."
    among = "be first" if board.k == 1 else f"be among the first {board.k}"
    if len(open_) + len(winners) == len(board.racers):
        return f"Every model may still {among}."
    sure = f"{list_words(winners, len(winners))} {'is' if len(winners) == 1 else 'are'} in. "
    return (
        f"{sure if winners else ''}{len(open_)} of {len(board.racers)} may still {among}: "
        f"{list_words(open_, _MOST_NAMES)}."
    )


def _cells(board: RaceBoard) -> list[tuple[str, ...]]:
    """A header, and a row per model: what it is, since when, and how near it is to being out."""
    words = {"in": "first" if board.k == 1 else "in", "open": "open", "out": "out"}
    lines: list[tuple[str, ...]] = [("model", " " * 5, "  since", "   rows", "   mean", "e-value")]
    for one in board.racers:
        since = "–" if one.since is None else show_count(one.since)
        mean = "–" if math.isnan(one.mean) else f"{one.mean:.3f}"
        rows, e_value = show_count(one.rows), _e_value(one.log_e)
        lines.append((visible(one.model), words[one.call], since, rows, mean, e_value))
    return lines


def _key(board: RaceBoard) -> str:
    what = "against a model, which is out" if board.k == 1 else "for a call, which is made"
    return f"The e-value is evidence {what} at {math.exp(board.threshold):,.0f}."


def _state(board: RaceBoard) -> str:
    return f"State {board.digest[:16]}: order of items by seed {board.seed}."


def _e_value(log_e: float) -> str:
    if log_e > math.log(99_999):
        return ">10⁵"
    return f"{math.exp(log_e):,.0f}" if log_e > math.log(10) else f"{math.exp(log_e):.2g}"


def _cost(board: RaceBoard) -> str:
    return (
        f"Calls: {show_count(board.used)}; all models on all {board.unit} would be "
        f"{show_count(board.full)} (so far {show_share(1 - board.saved)})."
    )


def _next(board: RaceBoard) -> str:
    row = board.unit if board.unit == "items" else "tries at every item"
    if board.stop == "settled":
        return "You may stop: all is decided. Or go on, with more models."
    if board.stop == "budget":
        return "It stops: the budget is spent. What stands here is valid, and more may be run."
    if board.stop == "items":
        return (
            "It stops: no items are left. What stands here is valid; those left are not told apart."
        )
    if not board.history:
        more = "Nothing can be said yet of how long it takes."
    elif math.isinf(board.more):
        more = f"At the present rate no number of {row} decides it."
    else:
        beyond = "" if board.at + board.more <= board.of else ", more than there are"
        more = f"About {show_count(round_up(board.more))} {row} more at the present rate{beyond}."
    wait = f" The batch waits for {counted(board.waiting, 'call')}." if board.waiting else ""
    return f"You may stop at any time; what stands here is valid. {more}{wait}"


def _promise(board: RaceBoard) -> str:
    if board.k == 1:
        what = "a model that is best is called out with probability at most"
    else:
        what = "any of these calls is wrong with probability at most"
    of = "items like these" if board.unit == "items" else "new tries at these items"
    return f"However often one looks, {what} {board.alpha:g}, of scores on {of} in random order."

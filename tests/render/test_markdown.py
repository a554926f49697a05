"""Markdown for GitHub: names act on nothing, bytes are stable, the limit holds."""

import re
from dataclasses import replace

from hypothesis import given
from markdown_it import MarkdownIt
from render.boards import average_board, board_of, task_board
from render.hostile import hostile_boards, hostile_names

from rankbars.data.notes import Note
from rankbars.render.markdown import LIMIT, MARKER, render_markdown
from rankbars.render.shownnames import shorten, visible

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def first_table(text: str) -> list[list[str]]:
    """Cells of the first table as a reader sees them."""
    html = PARSER.render(text).split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    rows = html.split("<tr>")[1:]
    return [re.findall(r"<td[^>]*>(.*?)</td>", row, re.DOTALL) for row in rows]


def unescaped(html: str) -> str:
    from html import unescape

    return unescape(re.sub(r"</?code>", "", html))


def test_the_board_reads_as_meant(snapshot):
    assert render_markdown(task_board()) == snapshot


def test_a_program_finds_its_own_comment_and_a_reader_the_verdict_first():
    lines = render_markdown(average_board()).splitlines()
    assert lines[0] == MARKER
    assert lines[2].startswith(
        "**On the average of these 9 tasks, first place is open between `ant` and `bee`. "
    )


@given(hostile_boards())
def test_every_name_stays_text_in_its_own_cell(board):
    rows = first_table(render_markdown(board))
    assert len(rows) == 5
    assert len({len(row) for row in rows}) == 1
    badge = re.compile(r" <strong>(may be |tied )?first</strong>( \(1\))?$|( \(1\))$")
    shown = [unescaped(badge.sub("", row[1])) for row in rows]
    expected = [shorten(visible(board.models[i]), 100) for i in board.order]
    assert [text.strip() for text in shown] == [text.strip() for text in expected]


def test_badges_stand_beside_the_models_that_may_be_first():
    board = average_board()
    badged = [row[1].split("<strong>") for row in first_table(render_markdown(board))]
    named = [unescaped(cells[0]).strip() for cells in badged if len(cells) > 1]
    assert named == list(board.undominated())
    assert "`2 models may be first`" in render_markdown(board)


@given(hostile_boards())
def test_no_name_becomes_markup_or_calls_anybody(board):
    board = replace(board, notes=tuple(Note("x", f"About {name}.") for name in board.models))
    text = render_markdown(board)
    html = PARSER.render(text)
    tags = set(re.findall(r"<(/?[a-zA-Z]+)", html))
    names = {tag.removeprefix("/") for tag in tags}
    assert names <= {
        "p", "strong", "code", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "details",
        "summary",
    }  # fmt: skip
    outside_code = re.sub(r"<code>.*?</code>", "", html, flags=re.DOTALL)
    assert "@" not in re.sub(r"@<!-- -->", "", outside_code)


@given(hostile_names)
def test_a_task_name_stays_text_in_its_summary(name):
    board = average_board()
    board = replace(
        board, tasks={name: replace(board.tasks["a"], name=name), "b": board.tasks["b"]}
    )
    html = PARSER.render(render_markdown(board))
    summary = re.search(r"<summary>(.*?)</summary>", html, re.DOTALL)
    assert summary is not None
    assert unescaped(summary[1]).startswith(shorten(visible(name), 100))


def test_a_board_too_long_for_a_comment_is_cut_with_a_pointer():
    for board in (board_of(3000), board_of(40, n_tasks=60)):
        text = render_markdown(board)
        assert len(text) <= LIMIT
        assert len(text) > LIMIT // 2
        assert "left out here; `rankbars show board.json`" in text
        assert text.count("<details>") == text.count("</details>")


def test_many_long_notes_do_not_push_it_over_the_limit():
    notes = tuple(Note("x", f"{i} " + "very " * 500, models=(f"model {i:02}",)) for i in range(60))
    assert len(render_markdown(board_of(60, notes=notes))) <= LIMIT


def test_a_single_task_has_no_folded_copy_of_itself():
    assert "<details>" not in render_markdown(task_board())


def test_rows_without_a_score_are_said_in_one_sentence():
    import rankbars as rb

    tasks = {"x": [[1, 0], [0, float("nan")], [1, 1]]}
    scores = rb.Scores.from_arrays(tasks, ["ant", "bee"])
    text = render_markdown(rb.leaderboard(scores, missing="pairwise"))
    assert "Of 6 expected scores 1 is missing; 2 of the others are 0." in text
    assert "expected scores" not in render_markdown(average_board())

"""Names that somebody might give a model to break a page, a table or a terminal."""

from __future__ import annotations

from hypothesis import strategies as st
from render.boards import average_board

from rankbars.data.board import Leaderboard

NASTY = (
    "<script>alert(1)</script>",
    "</style></title><img src=x onerror=alert(1)>",
    "a|b\\|c\\",
    "line\nbreak\r\n\ttab",
    "`code` ``twice``",
    "@everyone #1 https://example.org www.example.org",
    "![x](y) [a](javascript:alert(1)) **b** _c_ ~d~",
    "=HYPERLINK(1)",
    "-2+3",
    "\u202egpj.exe \u2066\u200b\u200d",
    "\x1b[31mred\x07\x00",
    "👩‍👩‍👧‍👦 日本語モデル نموذج",
    "x" * 300,
    "\\input{/etc/passwd} 100% $x$ {y} #z _w ^v ~u &t",
    "{{ 7 * 7 }} {% raw %} ${x}",
    "e\u0301" * 100,
    "&lt;b&gt; &#64;x",
    " ",
    "]]> --> <!--",
)

hostile_names = st.one_of(
    st.sampled_from(NASTY), st.text(st.characters(exclude_categories=()), min_size=1, max_size=80)
)
five_names = st.lists(hostile_names, min_size=5, max_size=5, unique=True).map(
    lambda names: tuple(sorted(names))
)


def hostile_boards() -> st.SearchStrategy[Leaderboard]:
    """Boards of five models with such names."""
    return five_names.map(average_board)

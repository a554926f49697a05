"""The card that other sites show of a link to a board: what is drawn, pixel by pixel."""

import io

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.image import imread

from rankbars.render.plotting.sharecard import CARD_SIZE, share_card


def card(models, **more):
    """Pixels of the card of a board, which has bars of a colour of their own."""
    summary = {
        "title": "Woods", "field": "Four trees, two tasks",
        "opening": ["Amber is first.", "95 % confidence."], "models": models,
        "date": "2026-05-31", "made_with": "rankbars", **more,
    }  # fmt: skip
    made = share_card(summary, "A forester", "#ff0000")
    assert made == share_card(summary, "A forester", "#ff0000")
    return imread(io.BytesIO(made))[..., :3]


def bars(pixels):
    """First and last column of each bar, top to bottom."""
    red = (pixels[..., 0] > 0.95) & (pixels[..., 1:] < 0.05).all(axis=2)
    lines = np.flatnonzero(red.any(axis=1))
    groups = np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1)
    return [np.flatnonzero(red[group[len(group) // 2]])[[0, -1]].tolist() for group in groups]


def test_bars_lie_where_their_ranks_are():
    pixels = card([["amber", 1, 1], ["birch", 2, 3], ["cedar", 2, 4], ["elm", 3, 4]])
    assert pixels.shape == (*CARD_SIZE[::-1], 3)
    # Ranks share 660 pixels from 400 on: four of them have 165 each.
    edges = [[400, 565], [565, 895], [565, 1060], [730, 1060]]
    assert np.abs(np.array(bars(pixels)) + [0, 1] - edges).max() <= 1


def test_long_boards_show_their_first_rows_and_as_many_ranks():
    pixels = card([[f"model {k}", k, min(k + 1, 500)] for k in range(1, 501)])
    drawn = bars(pixels)
    assert 5 <= len(drawn) <= 12
    assert drawn[0][0] == pytest.approx(400, abs=1)
    assert drawn[-1][1] == pytest.approx(1060, abs=2)  # the last rank of the last row


@pytest.mark.parametrize("more", [
    {"title": "W" * 300}, {"title": None, "date": None}, {"title": "木 🌲 $x$ \u202e"},
    {"opening": ["Amber and " * 12 + "birch may be first.", "Words " * 60]},
])  # fmt: skip
def test_nothing_is_drawn_beyond_the_edges(more):
    pixels = card([["m" * 200, 1, 2], ["n\u0000<b>", 1, 2]] * 4, **more)
    inked = (pixels < 0.9).any(axis=2)
    inked = np.flatnonzero(inked.any(axis=0)), np.flatnonzero(inked.any(axis=1))
    assert inked[0][0] >= 40
    assert inked[0][-1] <= 1160
    assert inked[1][0] >= 24
    assert inked[1][-1] <= 612


def test_long_names_end_before_the_bars():
    pixels = card([["W" * 60 + str(k), 1, 2] for k in range(4)])
    assert (pixels[330:550, 388:399] > 0.9).all()

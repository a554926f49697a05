"""The tables that stand below the main one, in text and in Markdown."""

from __future__ import annotations

from rankbars.data.board import Leaderboard
from rankbars.render.notation import show_ranks
from rankbars.render.partlyscored import placed_table
from rankbars.render.ranktable import Head, SideTable

__all__ = ["order_table", "side_tables"]


def side_tables(board: Leaderboard, task: str | None = None) -> list[SideTable]:
    """What stands below the main table of a board, or of one of its tasks."""
    found = [placed_table(board, task)]
    if task is None:
        found.append(order_table(board))
    if task is None and board.front is not None:
        from rankbars.render.costtable import cost_table

        found.append(cost_table(board))
    if task is None and (board.categories or board.over_time is not None):
        from rankbars.render.arenatables import category_table, change_table

        found += [category_table(board), change_table(board)]
    return [one for one in found if one is not None]


def order_table(board: Leaderboard) -> SideTable | None:
    """Ranks by the metric of the board and by others, in its order; None where there is one.

    Behind ranks by a metric that the board does not show stands the score.
    """
    if not board.also:
        return None
    metrics = {task.metric for task in board.tasks.values()}
    first = metrics.pop() if len(metrics) == 1 else None
    rows = tuple(
        (
            board.models[row],
            show_ranks(int(board.ranks.best[row]), int(board.ranks.worst[row])),
            *(
                f"{show_ranks(int(one.best[row]), int(one.worst[row]))} ({one.score[row]:.3g})"
                for one in board.also
            ),
        )
        for row in board.order
    )
    titles = (first or "This board", *(one.metric for one in board.also))
    return SideTable(
        (Head("Model", "name"), *(Head(title, "left", foreign=True) for title in titles)),
        rows,
        "Ranks by each metric, and scores by the others",
        "Each order holds at its level by itself, not all of them at once.",
    )

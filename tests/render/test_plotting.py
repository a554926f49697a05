"""Pictures for paper: what is drawn is what the result holds, and nothing else."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

import rankbars as rb
from rankbars.render.pagelayout import rank_ticks
from rankbars.render.plotting import (
    PLOTS,
    Shown,
    draw_picture,
    plot_item_spread,
    plot_lanes,
    plot_model_ranks,
    plot_order,
    plot_ranks,
    plot_score_against_rank,
    plot_score_new_task,
    plot_score_spread,
    plot_task_ranks,
    plot_two_models,
    plot_votes_per_pair,
    plot_weights,
)
from rankbars.render.plotting.lettering import Names, letters_note, set_letters

CATEGORIES = ("art", "law", "math")


def make_board(models: int = 5, tasks: int = 6, **options: object) -> rb.Leaderboard:
    rng = np.random.default_rng(1)
    skill = np.linspace(1.2, 0.0, models)
    arrays = {f"t{k}": rng.normal(size=(40, models)) + skill for k in range(tasks)}
    info = {f"t{k}": rb.TaskInfo(category=CATEGORIES[k % 3]) for k in range(tasks)}
    scores = rb.Scores.from_arrays(arrays, [f"m{i}" for i in range(models)], info=info)
    return rb.leaderboard(scores, **options)


@pytest.fixture(scope="module")
def board() -> rb.Leaderboard:
    return make_board()


@pytest.fixture
def ax():
    return Figure().add_subplot()


def row_texts(ax) -> list[str]:
    return [label.get_text() for label in ax.get_yticklabels()]


def drawn_bars(ax) -> list[tuple[float, float]]:
    """Ends of the thick horizontal bars, from the top."""
    thick = max(ax.collections, key=lambda lines: float(np.max(lines.get_linewidths())))
    return [(float(a[0]), float(b[0])) for a, b in thick.get_segments()]


def test_bars_are_the_rank_intervals_in_the_order_of_the_board(board, ax) -> None:
    assert plot_ranks(board, ax) is ax
    order = list(board.order)
    assert row_texts(ax) == [board.models[i] for i in order]
    found = board.aggregate
    assert found is not None
    assert drawn_bars(ax) == list(zip(found.best[order], found.worst[order], strict=True))
    assert "95 %, all models at once" in ax.get_title(loc="left") + ax.get_title()


def test_one_task_stands_in_its_own_order(board, ax) -> None:
    task = board.tasks["t2"]
    plot_task_ranks(board, ax, "t2")
    order = [board.models.index(name) for name in row_texts(ax)]
    assert np.all(np.diff(task.mean[order]) <= 0)
    assert drawn_bars(ax) == list(zip(task.best[order], task.worst[order], strict=True))
    with pytest.raises(rb.UnknownOptionError, match="t9"):
        plot_task_ranks(board, ax, "t9")


def test_tasks_of_one_model_stand_by_width_with_a_mark_per_category(board, ax) -> None:
    plot_model_ranks(board, ax, "m2")
    widths = [board.tasks[name].worst[2] - board.tasks[name].best[2] for name in row_texts(ax)]
    assert widths == sorted(widths)
    named = [text.get_text() for text in ax.get_legend().get_texts()]
    assert named == list(CATEGORIES)
    assert len({line.get_marker() for line in ax.get_legend().legend_handles}) == 3
    with pytest.raises(rb.UnknownOptionError, match="nobody"):
        plot_model_ranks(board, ax, "nobody")


def test_lanes_join_just_the_models_that_were_not_told_apart(board, ax) -> None:
    plot_lanes(board, ax)
    place = {name: k for k, name in enumerate(row_texts(ax))}
    bars = [line.get_ydata() for line in ax.lines if line.get_linewidth() > 2]
    drawn = {(round(low + 0.25), round(high - 0.25)) for low, high in bars}
    runs = [sorted(place[board.models[i]] for i in run) for run in board.unseparated_runs()]
    assert drawn == {(run[0], run[-1]) for run in runs if len(run) > 1}


def test_lines_of_the_diagram_are_those_of_the_partial_order(board, ax) -> None:
    plot_order(board, ax)
    order = board.partial_order()
    assert len(ax.lines) == len(order.edges)
    height = {text.get_text(): text.get_position()[1] for text in ax.texts}
    assert all(height[better] > height[worse] for better, worse in order.edges)


def test_names_beside_points_do_not_touch(ax) -> None:
    board = make_board(models=20)
    plot_score_against_rank(board, ax)
    heights = np.sort([text.get_position()[1] for text in ax.texts])
    assert heights.size == 20
    assert np.diff(heights).min() > 0.9 * np.ptp(ax.get_ylim()) / 48


def test_every_weighting_has_one_mark_of_its_winner(board) -> None:
    pytest.importorskip("mpltern")
    means = board.aggregate.by_category
    found = means.weight_map(steps=20)
    drawn = Figure().add_subplot(projection="ternary")
    plot_weights(found, drawn)
    assert sum(len(marks.get_offsets()) for marks in drawn.collections) == len(found.points)
    texts = [text.get_text() for text in drawn.get_legend().get_texts()]
    first = int(np.argmax(found.share))
    assert texts[0] == f"{board.models[first]}: {100 * found.share[first]:.0f} %"


def test_weights_of_other_than_three_categories_are_refused(board, ax) -> None:
    two = rb.Scores.from_arrays(
        {"a": np.eye(4), "b": np.eye(4)[::-1]},
        list("wxyz"),
        info={name: rb.TaskInfo(category=name) for name in "ab"},
    )
    means = rb.aggregate(two).by_category
    assert means is not None
    with pytest.raises(rb.DataError, match="needs 3 categories; found 2"):
        plot_weights(means.weight_map(), ax)


def test_votes_per_pair_says_how_many_pairs_met(ax) -> None:
    votes = rb.Votes(("a", "b", "c"), [[0, 3, 0], [1, 0, 2], [0, 2, 0]])
    plot_votes_per_pair(votes, ax)
    assert "2 of 3 pairs met" in ax.get_title() + ax.get_title(loc="left")
    assert row_texts(ax) == ["b", "a", "c"]


def test_a_picture_that_no_screen_can_show_is_refused() -> None:
    models = tuple(f"m{i:04d}" for i in range(700))
    scores = rb.Scores.from_arrays({"t": np.random.default_rng(0).random((30, 700))}, models)
    with pytest.raises(rb.DataError, match="too large to be read"):
        draw_picture("ranks", rb.leaderboard(scores))


# What one task does not hold.
OF_AN_AVERAGE = {"new_task", "weights", "score_new_task", "score_spread"}
OF_MORE_THAN_SCORES = {"ratings", "strengths_over_time", "front"}
OF_TWO_MODELS = {"lanes", "rank_probability", "dominance"}


@pytest.mark.parametrize("kind", [name for name, one in PLOTS.items() if one.takes == "board"])
@pytest.mark.parametrize("models", [1, 2])
def test_the_smallest_boards_are_drawn_or_refused_with_a_reason(kind: str, models: int) -> None:
    board = make_board(models=models, tasks=1)
    choices = {"task": "t0", "model": "m0", "models": ("m0", "m1"), None: None}
    choice = choices[PLOTS[kind].choice]
    if kind == "two_models" and models == 1:
        with pytest.raises(rb.UnknownOptionError):
            draw_picture(kind, board, choice)
    elif kind in OF_AN_AVERAGE | OF_MORE_THAN_SCORES or (kind in OF_TWO_MODELS and models == 1):
        with pytest.raises(rb.DataError):
            draw_picture(kind, board, choice)
    else:
        assert draw_picture(kind, board, choice).axes


def judged_votes() -> pd.DataFrame:
    """Votes of forty people on three models, before and since a day."""
    rng = np.random.default_rng(3)
    pairs = np.array([("a", "b"), ("b", "c"), ("a", "c")])[rng.integers(3, size=600)]
    return pd.DataFrame(
        {
            "model_a": pairs[:, 0],
            "model_b": pairs[:, 1],
            "winner": np.where(rng.random(600) < 0.6, "model_a", "model_b"),
            "judge": [f"person {k % 40}" for k in range(600)],
            "time": ["2025-03-01" if k < 300 else "2025-04-01" for k in range(600)],
        }
    )


def is_number(text: str) -> bool:
    return re.fullmatch(r"[\d.,%\s\u2212-]+", re.sub(r"\$.*?\$", "1", text)) is not None


def numbered_axes(figure: Figure) -> list[tuple[str, str]]:
    """The ticks of each axis of numbers that is seen, and what stands beside it."""
    figure.canvas.draw()
    found = []
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            ticks = [one.get_text() for one in axis.get_ticklabels() if one.get_visible()]
            written = [text for text in ticks if text]
            if ax.axison and axis.get_visible() and written and all(map(is_number, written)):
                found.append((" ".join(written), axis.get_label_text()))
    return found


@pytest.mark.parametrize("kind", [name for name, one in PLOTS.items() if one.takes == "board"])
def test_each_axis_of_numbers_says_what_it_counts(kind: str, board) -> None:
    if kind == "front":
        scores = rb.Scores.from_arrays({"t": np.eye(3)[[0, 0, 1, 0, 2] * 8]}, ["a", "b", "c"])
        prices = {"a": 2.0, "b": 1.0, "c": 0.5}
        board = rb.add_costs(rb.leaderboard(scores), scores, prices, metric="price")
    elif kind in OF_MORE_THAN_SCORES:
        board = rb.leaderboard(rb.Scores.from_frame(judged_votes(), over_time="2025-03-17"))
    choice = {"task": "t0", "model": "m0", "models": ("m0", "m1"), None: None}[PLOTS[kind].choice]
    axes = numbered_axes(draw_picture(kind, board, choice))
    assert [ticks for ticks, words in axes if not words] == []


@pytest.mark.parametrize("models", [8, 14, 29])
def test_pictures_and_pages_mark_the_same_ranks(models: int) -> None:
    board = make_board(models, tasks=1)
    axes = dict(map(reversed, numbered_axes(draw_picture("ranks", board, None))))
    marked = [str(tick.rank) for tick in rank_ticks(models)]
    assert axes["rank (1 is the best)"].split() == marked


def test_pictures_name_what_was_averaged_and_claim_no_pairs_of_ranges() -> None:
    rng = np.random.default_rng(0)
    tasks = {name: (rng.random((30, 3)) < 0.5).astype(float) for name in ("x", "y")}
    made = rb.leaderboard(
        rb.Scores.from_arrays(tasks, ["a", "b", "c"]), over="items", method="borda"
    )
    lanes = plot_lanes(made, Figure().add_subplot())
    assert lanes.get_xlabel() == "Borda points"
    assert lanes.get_title().endswith("so no two models were compared")
    beside = plot_score_against_rank(made, Figure().add_subplot())
    assert beside.get_ylabel() == "Borda points"


def test_bars_of_a_task_are_its_intervals_as_those_of_averages_are():
    single = make_board(tasks=1, alpha=0.1)
    ax = plot_score_against_rank(single, Figure().add_subplot())
    task = next(iter(single.tasks.values()))
    low, high = task.score_interval()
    bars = [
        line for one in ax.collections for line in one.get_segments() if len(set(line[:, 0])) == 1
    ]
    np.testing.assert_allclose([line[:, 1] for line in bars], np.column_stack([low, high]))
    assert "bars: 90 % interval" in ax.get_title()


def points(ax) -> list[tuple[float, float]]:
    """Marks of an axes, as places."""
    return [
        (float(x), float(y))
        for line in ax.lines
        if line.get_marker() == "o"
        for x, y in zip(line.get_xdata(), line.get_ydata(), strict=True)
    ]


def medians(ax) -> list[float]:
    """The median of every box of an axes."""
    return [
        line.get_xdata()[0]
        for line in ax.lines
        if line.get_linewidth() == 1.8 and line.get_marker() != "o"
    ]


@pytest.mark.parametrize("method", ["mean", "average_rank"])
def test_scores_stand_on_the_left_and_ranks_on_a_new_task_on_the_right(method: str) -> None:
    board = make_board(tasks=9, over="items", method=method, merge="quantile", alpha_overall=0.5)
    ax = plot_score_new_task(board, Figure().add_subplot())
    (right,) = ax.child_axes
    average, new, order = board.aggregate, board.overall, list(board.order)
    assert average is not None
    assert new is not None
    assert row_texts(ax) == [board.models[i] for i in order]
    ends = np.sort([average.low, average.high], axis=0)[:, order]
    assert drawn_bars(ax) == [pytest.approx(one) for one in ends.T.tolist()]
    assert points(ax) == [pytest.approx((average.score[i], y)) for y, i in enumerate(order)]
    assert drawn_bars(right) == [(new.best[i], new.worst[i]) for i in order]
    assert ax.xaxis_inverted() == (method == "average_rank")
    assert ax.get_ylim() == right.get_ylim()
    assert "Rank on a new task" in right.get_title(loc="left") + right.get_title()


def test_two_models_stand_side_by_side_task_by_task(board) -> None:
    ax = plot_two_models(board, Figure().add_subplot(), ("m1", "m3"))
    (right,) = ax.child_axes
    tasks = row_texts(ax)
    assert sorted(tasks) == sorted(board.tasks)
    for panel, at in ((ax, 1), (right, 3)):
        ends = [(board.tasks[name].best[at], board.tasks[name].worst[at]) for name in tasks]
        assert drawn_bars(panel) == ends
        shaded = panel.patches[0]
        assert board.overall is not None
        low, high = shaded.get_x() + 0.15, shaded.get_x() + shaded.get_width() - 0.15
        assert (low, high) == pytest.approx((board.overall.best[at], board.overall.worst[at]))
    with pytest.raises(rb.OptionError, match="two models"):
        board.plot("two_models", ax, model="m1")


def test_scores_of_a_model_spread_over_the_tasks(board, ax) -> None:
    plot_score_spread(board, ax)
    order = list(board.order)
    assert row_texts(ax) == [board.models[i] for i in order]
    scores = np.array([task.mean for task in board.tasks.values()])
    expected = [(scores[k, i], row) for row, i in enumerate(order) for k in range(len(scores))]
    assert points(ax) == [pytest.approx(one) for one in expected]
    assert medians(ax) == pytest.approx(np.median(scores, axis=0)[order])


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_scores_of_a_model_spread_over_the_items_of_all_tasks(direction: str, ax) -> None:
    rng = np.random.default_rng(0)
    shares = {name: rng.binomial(10, [0.3, 0.6, 0.5], size=(20, 3)) / 10 for name in "xy"}
    sign = 1 if direction == "higher" else -1
    info = {name: rb.TaskInfo(metric="part", direction=direction) for name in "xy"}  # type: ignore[arg-type]
    tasks = {name: rb.Items(("a", "b", "c"), sign * values) for name, values in shares.items()}
    plot_item_spread(rb.Scores(tasks, info), ax)
    every = np.concatenate(list(shares.values()))
    order = np.argsort(-sign * every.mean(axis=0))
    assert row_texts(ax) == ["abc"[i] for i in order]
    assert medians(ax) == pytest.approx(np.median(every, axis=0)[order])
    drawn = sorted(x for x, y in points(ax) if y == 0)
    assert drawn == pytest.approx(np.sort(every[:, order[0]]))
    assert ax.xaxis_inverted() == (direction == "lower")
    assert "40 items of 2 tasks" in ax.get_title()
    assert ax.get_xlabel() == "part"


def test_many_items_are_drawn_as_boxes_alone_and_shares_of_right_answers_not_at_all(ax) -> None:
    rng = np.random.default_rng(0)
    plot_item_spread(rb.Scores.from_arrays({"t": rng.random((300, 2))}, ["a", "b"]), ax)
    assert not points(ax)
    assert len(medians(ax)) == 2
    binary = rb.Scores.from_arrays({"t": rng.integers(0, 2, (30, 2)).astype(float)}, ["a", "b"])
    published = rb.Scores({"t": rb.Estimates(("a", "b"), [0.1, 0.2], [0.1, 0.1])})
    both = rb.Scores({"u": rb.Items(("a", "b"), rng.random((9, 2))), **published.tasks})
    for scores, words in (
        (binary, "right or wrong"),
        (published, "no scores of items"),
        (both, "--task"),
    ):
        with pytest.raises(rb.DataError, match=words):
            plot_item_spread(scores, ax)


def test_chosen_models_keep_their_ranks_and_the_picture_says_so(board, ax) -> None:
    board.plot("ranks", ax, models=["m3", "m1"], sort="given")
    found = board.aggregate
    assert found is not None
    assert row_texts(ax) == ["m3", "m1"]
    assert drawn_bars(ax) == [(found.best[i], found.worst[i]) for i in (3, 1)]
    assert "2 of 5 models shown; ranks are among all 5" in ax.get_title()
    for sort, order in (("score", board.order), ("name", range(5))):
        drawn = board.plot("heatmap", Figure().add_subplot(), top=3, sort=sort)
        assert row_texts(drawn) == [board.models[i] for i in order][:3]
    with pytest.raises(rb.UnknownOptionError, match="m9"):
        board.plot("ranks", ax, models=["m9"])
    for kind, options in (
        ("widths", {"top": 2}),
        ("lanes", {"sort": "name"}),
        ("ranks", {"top": 0}),
    ):
        with pytest.raises(rb.OptionError):
            board.plot(kind, ax, **options)


def test_a_picture_of_ranks_says_which_partly_scored_models_it_lacks() -> None:
    rng = np.random.default_rng(1)
    arrays = {f"t{k}": rng.normal(size=(40, 4)) + np.linspace(0.8, 0, 4) for k in range(6)}
    arrays["t5"][:, 1] = np.nan
    gaps = rb.leaderboard(rb.Scores.from_arrays(arrays, list("abcd")))
    assert gaps.partly is not None
    words = draw_picture("ranks", gaps).axes[0].get_title(loc="left")
    assert words.splitlines()[-1].startswith("1 partly scored model not drawn")


@pytest.mark.parametrize("kind", ["ranks", "heatmap", "score_new_task", "order", "score_rank"])
def test_a_picture_is_as_wide_as_asked(board, kind: str) -> None:
    for width in (3.3, 6.9):
        figure = draw_picture(kind, board, title="Some title " * 9, width=width)
        assert figure.get_tightbbox().width == pytest.approx(width - 0.2, abs=0.08)
        names = figure.axes[0].get_yticklabels()
        assert min((name.get_fontsize() for name in names), default=6) >= 5


def test_too_many_columns_for_the_width_are_refused_with_what_to_add() -> None:
    board = make_board(models=40)
    with pytest.raises(rb.OptionError, match="--top N"):
        draw_picture("shown_better", board, width=3.3)
    assert draw_picture("shown_better", board, shown=Shown(top=12), width=3.3).axes


def test_a_crowd_is_refused_or_only_those_that_matter_are_named() -> None:
    board = make_board(models=60)
    with pytest.raises(rb.DataError, match=r"score_rank of 60 models .* --top 40"):
        draw_picture("score_rank", board)
    drawn = draw_picture("score_rank", board, shown=Shown(top=40)).axes[0]
    assert len(drawn.texts) == 40
    rng = np.random.default_rng(2)
    models = [f"m{k:02d}" for k in range(60)]
    scores = rb.Scores.from_arrays({"t": (rng.random((30, 60)) < 0.5) * 1.0}, models)
    prices = dict(zip(models, np.exp(rng.normal(size=60)).tolist(), strict=True))
    priced = rb.add_costs(rb.leaderboard(scores), scores, prices, metric="price")
    assert priced.front is not None
    assert priced.front.possible.sum() > 30
    named = {text.get_text() for text in draw_picture("front", priced).axes[0].texts}
    assert named == {models[i] for i in np.flatnonzero(priced.front.observed)}


def test_letters_without_a_font_are_boxes_that_stay_apart_and_are_named(board) -> None:
    names = {"m0": "\U0001252b", "m1": "\U0001252c", "m2": "ok"}
    renamed = rb.Scores.from_arrays(
        {"t": np.random.default_rng(0).random((9, 3))}, [*names.values()]
    )
    figure = draw_picture("ranks", rb.leaderboard(renamed))
    texts = row_texts(figure.axes[0])
    assert set(texts) == set(names.values())
    if missing := set_letters(figure, replace=True):
        assert missing == "\U0001252b\U0001252c"
        assert len(set(row_texts(figure.axes[0]))) == 3
        assert "2 letters" in letters_note(missing)


def test_names_are_cut_where_they_stay_apart_and_keep_what_tells_them_apart() -> None:
    names = [f"organisation/model-7B-{kind}-2024-11-a-long-tail" for kind in ("instruct", "chat")]
    written = Names(names, 18).texts
    assert len(set(written)) == 2
    assert not any("#" in text for text in written)
    assert all(len(text) < len(name) for text, name in zip(written, names, strict=True))

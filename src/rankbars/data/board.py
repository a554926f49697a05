"""The leaderboard: what the evidence supports, and the questions one can ask of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankbars.calls import check_name, explaining_methods
from rankbars.data.about import About
from rankbars.data.drafts import write_text
from rankbars.data.fields import Frozen, Relation, check_ranks, freeze
from rankbars.data.frames import make_frame
from rankbars.data.intervals import RankIntervals
from rankbars.data.notes import NameFact, Note
from rankbars.data.spec import Spec, correction_facts
from rankbars.data.standings import (
    Reasons,
    Standing,
    reasons_of,
    shown_first,
    standing_of,
    standings,
    task_columns,
)
from rankbars.data.taskinfo import Input
from rankbars.data.taskresult import PairDetails, Ratings, TaskResult
from rankbars.errors import DataError, OptionError
from rankbars.stats.orders import neighbours_not_separated, unseparated_runs
from rankbars.stats.ranks import RankBounds

if TYPE_CHECKING:
    from rankbars.data.aggregate import Aggregate
    from rankbars.data.boardparts import (
        CategoryRanks,
        CostFront,
        OtherOrder,
        OverTime,
        PartlyScored,
    )
    from rankbars.data.diagnosis import VoteHealth
    from rankbars.data.partialorder import PartialOrder
    from rankbars.data.peoplelabels import JudgeUse
    from rankbars.data.standings import RankShares, Winner

__all__ = [
    "Leaderboard",
    "Ratings",
    "TaskResult",
    "ranks_from_relation",
]

LEADS = ("task", "aggregate", "new_task")


Shown = TypeVar("Shown", "TaskResult", "Aggregate")


def _by_itself(shown: Shown) -> Shown:
    """A result with the rows of single models."""
    best = shown.best if shown.named_best is None else shown.named_best
    worst = shown.worst if shown.named_worst is None else shown.named_worst
    return replace(shown, best=best, worst=worst, scope="each", named_best=None, named_worst=None)


@explaining_methods
@dataclass(frozen=True, slots=True, eq=False)
class Leaderboard(Frozen):
    """Ranks with error bars; made by `rankbars.leaderboard`, answers questions.

    Parameters
    ----------
    models : tuple of str
        The M models in code-point order; every per-model array is aligned with it.
    tasks : mapping from str to TaskResult
        Results per task, in code-point order.
    overall : RankIntervals, optional
        Rank prediction intervals for a new task; None for a single task.
    aggregate : Aggregate, optional
        The average; None for a single task or where it was not asked for.
    lead : {"task", "aggregate", "new_task"}
        What is shown first; fixed by the structure of the input.
    shown_better : array of bool, shape (M, M)
        ``[i, j]``: i was shown better than j, on what is shown first; all such statements hold
        at once with probability ``1 - alpha``.
    tiers : tuple of tuple of str
        Groups of models, where ranks hold for all models at once; else none. The first holds the
        models that may be first, and each other one is anchored at the best model not yet placed:
        it holds every model not yet placed that was not shown worse than its anchor.
    spec : Spec
        Every option.
    notes : tuple of Note
        What the reader must know.
    inputs : tuple of Input
        What was read.
    version : str
        Version of the package that made the board.
    pairs : PairDetails, optional
        Differences of all pairs on every task; only where they were asked for.
    leader : Winner, optional
        Score of the model that leads, with its selection allowed for; `winner` returns it.
    health : mapping from str to VoteHealth, optional
        Health of the votes of each task that has any, from `rankbars.examine_votes`; only where
        it was asked for: ``dataclasses.replace(board, health=rb.examine_votes(scores))``.
    library : str, optional
        The data frame library that the results came in; `to_frame` gives frames of the same. Not
        part of the board file.
    partly : PartlyScored, optional
        Models that lack some task, each placed among `models` by the tasks it has; None where
        there are none. They are no part of `models`, and change no row of theirs.
    also : tuple of OtherOrder
        Orders of the same models by other metrics of the same results, where they were asked for.
    front : CostFront, optional
        Which models may be the best for the money; only where costs were given (`add_costs`).
    categories : tuple of CategoryRanks
        Ranks within categories of votes, which may overlap; empty where none were asked for.
    over_time : OverTime, optional
        Strengths from votes by period, and which changed, where they were asked for.
    about : About, optional
        Title, source, date, link and description; `titled` sets them.
    names : tuple of NameFact
        What the store was told of names: what is renamed, and what is retired.
    attributes : mapping from str to mapping from str to str
        What the input says of models beside their scores, such as their licence: by model, and
        then by name.
    judge : mapping from str to JudgeUse
        What came of the judges, task by task, where labels were given with any (`with_judge`).

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rows = np.random.default_rng(1).random((200, 3)) < [0.4, 0.5, 0.9]
    >>> board = rb.leaderboard(rb.Scores.from_arrays({"math": rows}, ["base", "old", "ours"]))
    >>> len(board), list(board), "ours" in board
    (3, ['ours', 'old', 'base'], True)
    >>> board["ours"].best, board["ours"].worst, board["ours"].score
    (1, 1, 0.905)
    """

    models: tuple[str, ...]
    tasks: Mapping[str, TaskResult]
    overall: RankIntervals | None
    aggregate: Aggregate | None
    lead: Literal["task", "aggregate", "new_task"]
    shown_better: Relation
    tiers: tuple[tuple[str, ...], ...]
    spec: Spec
    notes: tuple[Note, ...] = ()
    inputs: tuple[Input, ...] = ()
    version: str = ""
    pairs: PairDetails | None = None
    health: Mapping[str, VoteHealth] | None = None
    leader: Winner | None = None
    library: str | None = None
    partly: PartlyScored | None = None
    also: tuple[OtherOrder, ...] = ()
    front: CostFront | None = None
    categories: tuple[CategoryRanks, ...] = ()
    over_time: OverTime | None = None
    about: About | None = None
    names: tuple[NameFact, ...] = ()
    attributes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    judge: Mapping[str, JudgeUse] = field(default_factory=dict)

    def __repr__(self) -> str:
        lead = {"task": "its task", "aggregate": "the average", "new_task": "a new task"}[self.lead]
        tiers = f"{len(self.tiers)} tiers, " if self.tiers else ""
        return (
            f"Leaderboard({len(self.models)} models, {len(self.tasks)} tasks, "
            f"{tiers}first shown: {lead})"
        )

    def __str__(self) -> str:
        return self.to_text()

    def __len__(self) -> int:
        return len(self.models)

    def __iter__(self) -> Iterator[str]:
        """Names of the models, best score first."""
        return (self.models[i] for i in self.order)

    def __contains__(self, model: object) -> bool:
        return model in self.models

    def __getitem__(self, model: str) -> Standing:
        """Where one model stands on what the board shows first."""
        return standing_of(self, model)

    def __post_init__(self) -> None:
        freeze(self)
        size = len(self.models)
        if not self.tasks:
            raise DataError("A board needs at least one task; found none.")
        if self.health is not None:
            self._check_health(self.health)
        for name, task in self.tasks.items():
            if task.best.shape != (size,):
                raise DataError(f"Task {name!r} must have one interval per model ({size}).")
            self._check_ranks(task)
        for part in (self.overall, self.aggregate, self.pairs):
            if part is not None and part.models != self.models:
                raise DataError("All parts of a board must rank the same models.")
        placed = sorted(name for tier in self.tiers for name in tier)
        if self.tiers and placed != sorted(self.models):
            raise DataError("The tiers must hold every model once.")
        if self.leader is not None and self.leader.model not in self.models:
            raise DataError(f"The leader {self.leader.model!r} is no model of the board.")
        if self.partly is not None:
            self._check_partly(self.partly)
        check_name("lead", self.lead, LEADS)

    def _check_partly(self, partly: PartlyScored) -> None:
        twice = sorted(set(partly.models) & set(self.models))
        if twice:
            raise DataError(f"{twice[0]!r} is a model of the board, and cannot be placed among it.")
        if partly.field != len(self.models) + 1:
            raise DataError(
                f"Partly scored models must be placed in a field of {len(self.models) + 1}; found "
                f"{partly.field}."
            )
        strange = sorted({one.name for one in partly.by_task} - set(self.tasks))
        if strange:
            raise DataError(f"There are places on {strange[0]!r}, which is no task of the board.")

    def _check_ranks(self, task: TaskResult) -> None:
        for best, worst in (
            (task.best, task.worst),
            (task.observed_best, task.observed_worst),
            (task.spread_best, task.spread_worst),
            (task.merged_best, task.merged_worst),
            (task.named_best, task.named_worst),
        ):
            if best is not None and worst is not None:
                check_ranks(self.models, best, worst, task.name)

    def _check_health(self, health: Mapping[str, VoteHealth]) -> None:
        for name, found in health.items():
            if name not in self.tasks or self.tasks[name].kind != "votes":
                raise DataError(f"Health of votes is for tasks with votes; {name!r} is none here.")
            strange = sorted(set(found.models) - set(self.models))
            if strange:
                raise DataError(
                    f"The votes of {name!r} were examined for {strange[0]!r}, which the board does "
                    "not rank. Examine the scores that the board was made from."
                )

    def top(self, k: int = 1) -> tuple[str, ...]:
        """Models that may be among the `k` best, on what the board shows first.

        Those whose row begins with `k` or a better rank. Rows for all models at once
        (``scope="all"``) say so together; with ``scope="each"`` any one model whose true rank is
        `k` or better is among them with probability ``1 - alpha``. A model without a score on
        what is shown may stand anywhere and is not among them.

        Parameters
        ----------
        k : int
            At least 1, at most the number of models.

        Returns
        -------
        tuple of str
            In order of the board (best score first).

        Raises
        ------
        OptionError
            If `k` is out of range.
        """
        size = len(self.models)
        if not isinstance(k, (int, np.integer)) or not 1 <= k <= size:
            raise OptionError.out_of_range("k", k, f"a whole number between 1 and {size}")
        best, known = self.ranks.best, ~np.isnan(self.score)
        return tuple(self.models[i] for i in self.order if best[i] <= k and known[i])

    def undominated(self) -> tuple[str, ...]:
        """Models that may be first, on what the board shows first: their rows begin with 1."""
        return self.top(1)

    def why(self, model: str) -> Reasons:
        """Why a model has its ranks on what the board shows first: whom it is told apart from.

        All of it holds at once, together with the ranks (see `partial_order`).

        Returns
        -------
        Reasons
            `best`, `worst`, and the models shown better (`above`), not told apart (`within`) and
            shown worse (`below`).

        Raises
        ------
        OptionError
            If the model has no row.
        DataError
            If the board shows ranks on a new task first.

        Examples
        --------
        >>> import numpy as np, rankbars as rb
        >>> rows = np.random.default_rng(0).random((50, 3)) + [0.0, 0.4, 0.4]
        >>> board = rb.leaderboard(rb.Scores.from_arrays({"law": rows}, ["a", "b", "c"]))
        >>> reasons = board.why("b")
        >>> (reasons.best, reasons.worst), reasons.above, reasons.within, reasons.below
        ((1, 2), (), ('c',), ('a',))
        """
        return reasons_of(self, model)

    def winner(self) -> Winner:
        """The score of the model that leads, allowing for its having been picked because it leads.

        The interval of a model named in advance misses the true score of the observed best far more
        often than its level says. This one holds for whichever model leads: of all models of the
        board, and of tries that were declared (``variants={"ours": 20}``). What nobody declares
        cannot be allowed for.

        Returns
        -------
        Winner
            `model`, `score`, `low`, `high` in the units of the board, `method` and `variants`.

        Raises
        ------
        DataError
            If there is no such score: the board shows ranks on a new task first, has one model
            only, or the error of the leader's score is not known or has no level.

        Examples
        --------
        >>> import numpy as np, rankbars as rb
        >>> rows = np.random.default_rng(1).random((400, 8)) < 0.6
        >>> board = rb.leaderboard(rb.Scores.from_arrays({"math": rows}, list("abcdefgh")))
        >>> found = board.winner()
        >>> found.model, found.method, round(float(board.score.max()), 3), round(found.score, 3)
        ('g', 'hybrid', 0.645, 0.638)
        """
        if self.leader is None:
            raise DataError(
                "This board has no score of a leader that allows for its selection: it has one "
                "model, shows ranks on a new task first, or the error of the leading score is not "
                "known, or has no level."
            )
        return self.leader

    def for_one_model(self) -> Leaderboard:
        """The board for somebody who had one model in mind before looking at results.

        Rows on what is shown first hold for one model named in advance, each by itself; those that
        begin with 1 are the models that may be first, and there are no tiers. `shown_better` stays
        what holds for all pairs at once. It is what ``scope="each"`` shows first.

        Raises
        ------
        DataError
            If rows of single models were not kept: ranks of such a board do not hold for all models
            at once, there are fewer than three models, or the file was written by an older version.

        Examples
        --------
        >>> import numpy as np, rankbars as rb
        >>> rows = np.random.default_rng(3).normal(size=(40, 6)) + np.linspace(0, 0.8, 6)
        >>> board = rb.leaderboard(rb.Scores.from_arrays({"math": rows}, list("abcdef")))
        >>> board.undominated(), board.for_one_model().undominated()
        (('f', 'e', 'd', 'c'), ('f', 'e', 'd'))
        """
        spec = replace(self.spec, scope="each", best_alone=False, top_alone=None)
        average = self.aggregate if self.lead == "aggregate" else None
        if average is not None and average.named_best is not None:
            return replace(self, aggregate=_by_itself(average), tiers=(), spec=spec)
        name, task = next(iter(self.tasks.items()))
        if self.lead == "task" and task.named_best is not None:
            return replace(self, tasks={name: _by_itself(task)}, tiers=(), spec=spec)
        raise DataError(
            "This board has no ranks of single models beside those for all models at once. Make it "
            "with scope='each' (--scope each)."
        )

    def rank_probabilities(self) -> NDArray[np.float64]:
        """Probability that each model has each rank on what is shown first, shape (M, M).

        ``[i, r]`` belongs to model i and rank r + 1; rows follow `models`. They are counted in
        joint draws of the scores: posterior or resampling probabilities, which describe the
        uncertainty and are not confidence statements. NaN for a model without a score.

        Raises
        ------
        DataError
            If the board shows a new task first, or errors are not known.
        """
        return self.rank_shares().probability

    def rank_shares(self) -> RankShares:
        """What draws of the scores say of ranks, on what is shown first.

        Probabilities of ranks, of being among the first k, and of one model being better than
        another: from the average of several tasks, or the scores on one, published ones with
        errors and strengths from votes too. They describe the uncertainty and are no confidence
        statements.

        Raises
        ------
        DataError
            If the board shows a new task first, or errors are not known.

        Examples
        --------
        >>> import rankbars as rb
        >>> task = rb.Estimates(("a", "b", "c"), [0.5, 0.7, 0.75], se=[0.1, 0.02, 0.02])
        >>> shares = rb.leaderboard(rb.Scores({"x": task})).rank_shares()
        >>> shares.top(2), shares.dominance[2].round(3).tolist(), shares.agrees
        (('b', 'c'), [0.993, 0.961, 0.0], False)
        """
        from rankbars.data.standings import shares_of

        return shares_of(self)

    def partial_order(self) -> PartialOrder:
        """Who was shown better than whom on what the board shows first, with its diagram.

        All statements hold at once with probability ``1 - alpha``. Models that are not connected
        were not shown to differ.
        """
        from rankbars.data.partialorder import PartialOrder

        return PartialOrder(self.models, self.shown_better)

    @property
    def score(self) -> NDArray[np.float64]:
        """Score of each model on what is shown first, higher is better, shape (M,)."""
        if self.lead == "task":
            task = next(iter(self.tasks.values()))
            return task.mean if task.direction == "higher" else -task.mean
        if self.aggregate is not None:
            sign = 1.0 if self.aggregate.direction == "higher" else -1.0
            return sign * self.aggregate.score
        middles = [(task.observed_best + task.observed_worst) / 2 for task in self.tasks.values()]
        return np.asarray(-np.mean(middles, axis=0))

    @property
    def ranks(self) -> RankBounds:
        """Rank interval of each model on what is shown first: `best` and `worst`, shape (M,)."""
        found = shown_first(self)
        if found is not None:
            return RankBounds(found.best, found.worst)
        size = len(self.models)
        return RankBounds(np.ones(size, dtype=np.int64), np.full(size, size, dtype=np.int64))

    @property
    def order(self) -> tuple[int, ...]:
        """Positions of the models, best score first; equal scores in order of their names."""
        score = np.where(np.isnan(self.score), -np.inf, self.score)
        return tuple(int(i) for i in np.lexsort((np.arange(score.size), -score)))

    @property
    def tier(self) -> NDArray[np.int64]:
        """Number of the tier of each model, counted from 1, shape (M,); 0 without tiers."""
        number = {name: k for k, tier in enumerate(self.tiers, start=1) for name in tier}
        return np.array([number.get(name, 0) for name in self.models], dtype=np.int64)

    @property
    def coverage(self) -> NDArray[np.float64]:
        """Share of all expected rows of all tasks that each model has a score for, shape (M,)."""
        rows = np.array([max(task.n, 1) for task in self.tasks.values()], dtype=np.float64)
        shares = np.array([task.scored_share for task in self.tasks.values()])
        return np.asarray(rows @ shares / rows.sum())

    @property
    def neighbours_not_separated(self) -> int:
        """How many of the M - 1 neighbours in the order were not shown to differ."""
        return neighbours_not_separated(np.asarray(self.order), self.shown_better)

    def unseparated_runs(self) -> tuple[tuple[int, ...], ...]:
        """Longest runs of the order in which no model was shown better than another.

        Each run holds positions in `models`, best score first: the bars of a critical-difference
        diagram, by the paired tests of the board, all at once.
        """
        runs = unseparated_runs(self.order, self.shown_better)
        return tuple(tuple(run) for run in runs)

    def to_frame(
        self, backend: str | None = None, *, task: str | Collection[str] | None = None
    ) -> Any:
        """The board as a data frame, one row per model, best score first.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; that of the frame that the results came in, else the first
            that is installed.
        task : str or collection of str, optional
            One task, or several, instead of what the board shows first; ``board.tasks`` for all.

        Returns
        -------
        data frame
            Columns ``model``, ``tier``, ``score``, ``score_low``, ``score_high``, ``best``,
            ``worst`` (ranks on what is shown first), ``new_task_best``, ``new_task_worst``,
            ``coverage``, ``level`` (of the ranks, or that it is approximate) and
            ``new_task_level``; columns that do not apply hold missing values. For tasks: ``task``,
            ``model``, ``score``, ``se``, ``score_low``, ``score_high``, ``n``, ``best``,
            ``worst``, ``coverage`` and ``level``, one row per task and model.

        Raises
        ------
        MissingPackageError
            If no such library is installed.
        UnknownOptionError
            If `backend` is not one of the three, or there is no such task.
        """
        if task is None:
            rows = standings(self)
            columns = {name: [getattr(row, name) for row in rows] for name in Standing._fields}
        else:
            columns = task_columns(self, [task] if isinstance(task, str) else list(task))
        return make_frame(columns, backend, self.library)

    def titled(
        self, *, title: str | None = None, source: str | None = None, date: str | None = None,
        link: str | None = None, description: str | None = None,
    ) -> Leaderboard:  # fmt: skip
        """The same board with a title, and with what its readers need to know of its results.

        They stand on the page, in Markdown and text, and in the board file. None of them is used
        in a computation.

        Parameters
        ----------
        title : str, optional
            Name of the leaderboard.
        source : str, optional
            Where the results are from: a benchmark and its version, a paper.
        date : str, optional
            The day the results are of, as YYYY-MM-DD.
        link : str, optional
            Address of the source, with https:// or http://.
        description : str, optional
            One or two sentences.

        Returns
        -------
        Leaderboard
            What is not given stays as it was; an empty text removes what was there.

        Raises
        ------
        OptionError
            If the date is no day, the link is no address of the web, or a text is too long.

        Examples
        --------
        >>> import numpy as np, rankbars as rb
        >>> rows = np.random.default_rng(1).random((200, 3)) < [0.4, 0.5, 0.9]
        >>> board = rb.leaderboard(rb.Scores.from_arrays({"math": rows}, ["base", "old", "ours"]))
        >>> print(board.titled(title="School math", date="2026-05-31").to_text()[:11])
        School math
        """
        given = About(title, source, date, link, description)
        asked = {"title": title, "source": source, "date": date, "link": link,
                 "description": description}  # fmt: skip
        kept = self.about or About()
        changed = {name: getattr(given, name) for name, value in asked.items() if value is not None}
        about = replace(kept, **changed)
        return replace(self, about=None if about == About() else about)

    def to_text(self, *, task: str | None = None) -> str:
        """The board, or one of its tasks, as a terminal shows it; `print` shows the same."""
        from rankbars.render import render

        return render(self, "text", task=task)

    def to_markdown(self, *, task: str | None = None) -> str:
        """The board, or one of its tasks, as Markdown."""
        from rankbars.render import render

        return render(self, "md", task=task)

    def methods_text(self) -> str:
        """A paragraph for the methods section of a paper, its references, and how to cite.

        Examples
        --------
        >>> import numpy as np, rankbars as rb
        >>> values = {"math": np.arange(20.0).reshape(10, 2) % 7}
        >>> board = rb.leaderboard(rb.Scores.from_arrays(values, ["a", "b"]))
        >>> board.methods_text()[:48]
        'We compared 2 models on 1 task (10 items) with r'
        """
        from rankbars.render.paragraph import methods_text

        return methods_text(self)

    def to_html(self, path: str | Path | None = None, *, fragment: bool = False) -> str | None:
        """The page: one file that needs no network.

        Parameters
        ----------
        path : str or Path, optional
            Where to; the text is returned where not given.
        fragment : bool
            Only a piece of HTML to put into another page: the sentence and the first 25 rows, as
            a notebook shows them.

        Raises
        ------
        WriteError
            If the file cannot be written.
        """
        from rankbars.render.page import fragment_html, render_html

        text = fragment_html(self) if fragment else render_html(self)
        if path is None:
            return text
        write_text(path, text)
        return None

    def plot(
        self, kind: str = "ranks", ax: Any = None, *, task: str | None = None,
        model: str | Sequence[str] | None = None, models: Sequence[str] | None = None,
        top: int | None = None, sort: str = "score", width: str | float | None = None,
        title: str | None = None,
    ) -> Any:  # fmt: skip
        """A picture of the board with matplotlib.

        Parameters
        ----------
        kind : str
            One of the kinds of ``rankbars plot``, such as ``"ranks"``, ``"lanes"``, ``"heatmap"``.
        ax : matplotlib axes, optional
            Where to draw; a figure of its own where not given.
        task, model : str, optional
            The one that is drawn, for kinds that draw one; of ``"two_models"`` both models.
        models : sequence of str, optional
            Draw only these. Their ranks stay those among all models of the board.
        top : int, optional
            Draw only the first so many.
        sort : {"score", "rank", "name", "given"}
            The order of the rows: by score as on the page, by rank interval, by name, or as
            `models` has them.
        width : str or float, optional
            Of all that is drawn: ``"single"`` (84 mm), ``"double"`` (175 mm) or millimetres; as
            wide as it needs where not given.
        title : str, optional
            Drawn above.

        Returns
        -------
        matplotlib axes
            What was drawn on; ``ax.figure.savefig("board.svg")`` writes it.

        Raises
        ------
        UnknownOptionError
            If the kind, the task or the model is not known.
        OptionError
            If a task or model is lacking, or there is none to choose, or the width is too small.
        DataError
            If the board does not hold what is drawn, or the picture would be too large to be read.
        MissingPackageError
            If matplotlib is not installed.
        """
        from rankbars.render.plotting import plot_board

        return plot_board(
            self, kind, ax, task=task, model=model, models=models, top=top, sort=sort,
            width=width, title=title,
        )  # fmt: skip

    def save(self, path: str | Path, *, pairs: bool = False) -> None:
        """Write the board as JSON (schema ``rankbars.board/1``), whole or not at all.

        Parameters
        ----------
        path : str or Path
            Where to.
        pairs : bool
            Also write `pairs` and `health`, where the board has them: a page made from the file
            then compares any two models, and shows the health of votes. They can make the file
            many times as large. Voters and judges by themselves are not written.

        Raises
        ------
        WriteError
            If the file cannot be written.
        OptionError
            If the name of the file is that of another format, which another method writes.
        """
        from rankbars.data.boardfile import board_json

        instead = _WRITTEN_BY.get(Path(path).suffix.lower())
        if instead is not None:
            call = instead.format(path=str(path))
            raise OptionError(f"board.save() writes a board file (JSON). For {path}: {call}.")

        write_text(path, board_json(self, pairs=pairs))

    def _repr_html_(self) -> str:
        # Notebooks look for this name; one of the doors that the layers list.
        from rankbars.render.page import fragment_html

        return fragment_html(self)


# What writes files of other formats than that of boards.
_PICTURE = 'board.plot("ranks").figure.savefig("{path}")'
_WRITTEN_BY = {
    **dict.fromkeys((".html", ".htm"), 'board.to_html("{path}")'),
    **dict.fromkeys((".md", ".markdown"), 'Path("{path}").write_text(board.to_markdown())'),
    ".txt": 'Path("{path}").write_text(board.to_text())',
    ".csv": 'board.to_frame("pandas").to_csv("{path}", index=False)',
    ".tsv": 'board.to_frame("pandas").to_csv("{path}", sep="\\t", index=False)',
    **dict.fromkeys((".xlsx", ".xls"), 'board.to_frame("pandas").to_excel("{path}", index=False)'),
    **dict.fromkeys(
        (".tex", ".latex"),
        'board.save("board.json"), and then, in a shell: '
        "rankbars show board.json --format latex > {path}",
    ),
    **dict.fromkeys((".yaml", ".yml"), "give it a name that ends in .json, which is YAML, too"),
    ".parquet": 'board.to_frame("pandas").to_parquet("{path}")',
    **dict.fromkeys((".svg", ".png", ".pdf"), _PICTURE),
}


def ranks_from_relation(board: Leaderboard) -> bool:
    """Whether rows and pairs of what is shown first come from one relation, so that tiers fit."""
    counted = any(note.code == "average-band" for note in board.notes)
    spec = board.spec
    together = spec.scope == "all" and correction_facts(spec.correction).promises
    return board.lead != "new_task" and together and not (board.lead == "aggregate" and counted)

"""What sampled models say: draws of every score, checks, averages, and export to ArviZ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from rankbars.bayes.chains import ChainChecks
from rankbars.calls import check_name
from rankbars.data.aggregate import Aggregate
from rankbars.data.draws import Draws
from rankbars.data.fields import Frozen, Numbers, freeze
from rankbars.data.notes import Note
from rankbars.errors import DataError, MissingPackageError, OptionError

if TYPE_CHECKING:
    from xarray import DataTree

    from rankbars.data.board import Leaderboard

__all__ = [
    "Posterior",
    "to_arviz",
]


_OF_QUADRATURE = ("quadrature", "outside-interval", "few-draws")


@dataclass(frozen=True, slots=True, eq=False)
class Posterior(Frozen):
    """Draws of the scores of M models on N tasks, from Markov chains that passed their checks.

    Parameters
    ----------
    models, tasks : tuple of str
        Their names.
    scores : array of float, shape (C, D, N, M)
        D draws of each of C chains, higher is better.
    checks : ChainChecks
        What the chains reached.
    sites : mapping from str to array of float, shape (C, D, ...)
        Draws of every other quantity of the model.
    model : str
        Name of the model.
    weights : mapping from str to float
        Weight of each task in an average.
    diverging : array of bool, shape (C, D)
        Which transitions diverged.
    words : str
        What a score is.
    direction : {"higher", "lower"}
        Which side of the scores is better in the units of the input; ``"lower"`` turns averages
        around when they are shown.

    Raises
    ------
    DataError
        If shapes disagree or a score is not finite.
    """

    models: tuple[str, ...]
    tasks: tuple[str, ...]
    scores: Annotated[NDArray[np.float64], Numbers("CSTM")]
    checks: ChainChecks
    sites: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    model: str = ""
    weights: Mapping[str, float] = field(default_factory=dict)
    diverging: NDArray[np.bool_] | None = None
    words: str = "score"
    direction: Literal["higher", "lower"] = "higher"

    def __post_init__(self) -> None:
        freeze(self, T=len(self.tasks))
        if not np.isfinite(self.scores).all():
            raise DataError("Draws of scores must be finite.")

    def __repr__(self) -> str:
        chains, draws = self.scores.shape[:2]
        return (
            f"Posterior({self.model}: {len(self.models)} models, {len(self.tasks)} tasks, "
            f"{chains} chains of {draws} draws)"
        )

    def draws(self, weights: Mapping[str, float] | None = None) -> Draws:
        """Joint draws of the weighted average of every model over these tasks.

        Parameters
        ----------
        weights : mapping from str to float, optional
            Weights of the tasks, 0 or more; those of the scores where not given.

        Returns
        -------
        Draws
            Ranks, probabilities, pairs and partial orders follow from it as from any draws.

        Raises
        ------
        OptionError
            If a weight is negative or for an unknown task, or all are zero.
        """
        shares = self._shares(weights)
        values = np.tensordot(self.scores, shares, axes=(2, 0)).reshape(-1, len(self.models))
        effective = min(self.checks.effective, float(len(values)))
        return Draws(self.models, values, "posterior", self._target(shares), effective)

    def task_draws(self, task: str) -> Draws:
        """Joint draws of the scores of all models on one task.

        Raises
        ------
        UnknownOptionError
            If there is no such task.
        """
        check_name("task", task, self.tasks)
        values = self.scores[:, :, self.tasks.index(task)].reshape(-1, len(self.models))
        effective = min(self.checks.effective, float(len(values)))
        return Draws(self.models, values, "posterior", f"{self.words} on {task}", effective)

    def aggregate(
        self, weights: Mapping[str, float] | None = None, alpha: float = 0.05
    ) -> Aggregate:
        """The average over these tasks, as `rankbars.aggregate` gives it.

        Parameters
        ----------
        weights : mapping from str to float, optional
            Weights of the tasks; those of the scores where not given.
        alpha : float
            Error rate of the intervals.

        Returns
        -------
        Aggregate
            With credible intervals and bands of ranks, which are counted in the draws and carry
            no guarantee; nothing is claimed about pairs.
        """
        draws = self.draws(weights)
        sign = -1.0 if self.direction == "lower" else 1.0
        ends, band = draws.interval(alpha), draws.rank_band(alpha)
        one, two = sign * ends.low, sign * ends.high
        size = len(self.models)
        return Aggregate(
            models=self.models,
            score=sign * draws.values.mean(axis=0),
            low=np.minimum(one, two),
            high=np.maximum(one, two),
            best=band.best,
            worst=band.worst,
            shown_better=np.zeros((size, size), dtype=np.bool_),
            alpha=alpha,
            scope="each",
            over="items",
            estimator=self.model,
            direction=self.direction,
            assumptions=(
                "The target is the average over exactly these tasks.",
                f"The model {self.model!r} says how scores on different tasks belong together.",
            ),
            notes=(self._note(),),
            target=draws.target,
            se=draws.values.std(axis=0),
            draws=draws,
            rank_probability=draws.rank_probability(),
            dominance=draws.dominance(),
            differences=draws.differences(alpha),
        )

    def on_board(self, board: Leaderboard) -> Leaderboard:
        """A board of the estimator ``bayes`` with this average in place of its own.

        Parameters
        ----------
        board : Leaderboard
            Of the same models, with an average over exactly these tasks that is a posterior:
            ``rb.leaderboard(scores, over="items", estimator="bayes")``.

        Raises
        ------
        DataError
            If the board has another average, or other models.
        """
        average = board.aggregate
        fits = board.lead == "aggregate" and average is not None and average.over == "items"
        if average is None or not fits or not average.is_counted or average.method != "mean":
            raise DataError(
                "A posterior takes the place of another one on a board: make it with "
                "over='items', estimator='bayes' and the method mean (--aggregate items:bayes)."
            )
        if board.models != self.models:
            raise DataError(
                f"The posterior is of {len(self.models)} models, and the board ranks "
                f"{len(board.models)}: sample scores.select(models=board.models)."
            )
        own = [note for note in board.notes if note.code not in _OF_QUADRATURE]
        made = self.aggregate(alpha=average.alpha)
        return replace(board, aggregate=made, leader=None, notes=(*own, *made.notes))

    def _note(self) -> Note:
        return Note(
            "chains",
            f"Draws come from {self.scores.shape[0]} Markov chains: R-hat is "
            f"{self.checks.rhat:.3f} at most, {self.checks.effective:.0f} draws are effective at "
            f"least, {self.checks.divergences} transitions diverged.",
        )

    def _shares(self, weights: Mapping[str, float] | None) -> NDArray[np.float64]:
        given = dict.fromkeys(self.tasks, 1.0) | dict(self.weights) if weights is None else weights
        for name, value in given.items():
            check_name("task in the weights", name, self.tasks)
            if not (np.isfinite(value) and value >= 0):
                raise OptionError.out_of_range(f"weight of task {name!r}", value, "0 or more")
        found = np.array([given.get(name, 0.0) for name in self.tasks], dtype=np.float64)
        if found.sum() == 0:
            raise OptionError("All weights of tasks are zero; at least one must be above 0.")
        return np.asarray(found / found.sum())

    def _target(self, shares: NDArray[np.float64]) -> str:
        used = shares[shares > 0]
        weighted = "weighted " if np.ptp(used) > 1e-12 else ""
        return f"{weighted}average {self.words} over exactly these {used.size} tasks"


def to_arviz(result: Posterior | Draws | Aggregate) -> DataTree:
    """A result as the tree of arrays that ArviZ works with.

    Parameters
    ----------
    result : Posterior, Draws or Aggregate
        A sampled posterior with its chains, or draws of averages, which count as one chain.

    Returns
    -------
    xarray.DataTree
        Group ``posterior`` with ``score`` by task and model and every other quantity of the model,
        or ``average`` by model; for chains also ``sample_stats`` with ``diverging``.

    Raises
    ------
    MissingPackageError
        If arviz-base is not installed.
    DataError
        If an average has no draws.
    """
    try:
        import arviz_base as arviz
    except ModuleNotFoundError as error:
        install = '"rankbars[arviz]"'
        raise MissingPackageError.for_extra("arviz_base", "Export to ArviZ", install) from error
    if isinstance(result, Aggregate):
        if result.draws is None:
            raise DataError("This average has no draws, so there is nothing to export.")
        result = result.draws
    if isinstance(result, Draws):
        tree = arviz.from_dict(
            {"posterior": {"average": np.array(result.values)[None]}},
            coords={"model": list(result.models)},
            dims={"average": ["model"]},
        )
        tree["posterior"].attrs |= {"source": result.source, "target": result.target}
    else:
        groups = {"posterior": {"score": np.array(result.scores)} | dict(result.sites)}
        if result.diverging is not None:
            groups["sample_stats"] = {"diverging": np.asarray(result.diverging)}
        tree = arviz.from_dict(
            groups,
            coords={"task": list(result.tasks), "model": list(result.models)},
            dims={"score": ["task", "model"]},
        )
        tree["posterior"].attrs |= {"model": result.model}
    found: DataTree = tree
    return found

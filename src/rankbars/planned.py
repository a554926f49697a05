"""How much to run: a plan from a pilot, or before there are any results."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankbars.data.board import Leaderboard
from rankbars.data.boardreading import load
from rankbars.data.notes import Note
from rankbars.data.outlook import Goal, Plan
from rankbars.data.scores import Scores
from rankbars.errors import OptionError
from rankbars.intake import take_scores
from rankbars.pipeline import leaderboard
from rankbars.steps.boardchanges import stated_level
from rankbars.steps.pilots import AnswerNoise, answer_noise, pilot_of
from rankbars.steps.sizing import Costs, plan_before, plan_from
from rankbars.tables.chosenmodels import take_alone

if TYPE_CHECKING:
    from rankbars.intake import Results

__all__ = ["load_pilot", "plan"]

_BOARD = b'"rankbars.board/'
_APPROXIMATE = Note(
    "approximate-pilot",
    "No level is assured on such a pilot, whose rows are skewed or too few to tell: power, numbers "
    "and their interval are approximate.",
)


def plan(
    pilot: Results | Leaderboard | None = None,
    *,
    pair: Sequence[str] | None = None,
    top: int | None = None,
    tiers: bool = False,
    margin: float | None = None,
    width: float | None = None,
    effect: float | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    rates: Sequence[float] | None = None,
    discordance: float | None = None,
    sd: float | None = None,
    limits: Sequence[float] | None = None,
    of: int | None = None,
    flip: float | None = None,
    cost_item: float | None = None,
    cost_trial: float | None = None,
    most_items: int | None = None,
    over: str = "auto",
    missing: str = "auto",
    missing_tasks: str = "insert",
    missing_items: str = "raise",
    average_anyway: bool = False,
    seed: int = 0,
) -> Plan:
    """How many items, trials and tasks it takes to answer a question about models.

    What the command ``rankbars plan`` does, from Python.

    Parameters
    ----------
    pilot : Scores, path, data frame, or Leaderboard, optional
        Results so far; labels that a judge corrects, from `rankbars.with_judge`, count as such.
        Without them the plan is made beforehand, from `rates`, `sd` or `limits`.
    pair : (str, str), optional
        Tell one model from the other. With none of `pair`, `top` and `tiers`: the first of the
        pilot from the second.
    top : int, optional
        Settle which are the first `top` models: each shown better than each other one.
    tiers : bool
        Tell every model from every other.
    margin : float, optional
        Of a pair: show the first to be not worse than the second by more than this, in units of
        the score, if the true difference is `effect`, or 0.
    width : float, optional
        Of a pair: know its difference to plus or minus this, at ``1 - alpha``. In half of all
        samples of that size the interval is as narrow; `power` and `effect` do not matter.
    effect : float, optional
        True difference to plan for, above 0 without a margin, and with one above its loss; the
        observed ones where not given.
    power : float
        Probability to show all of it.
    alpha : float
        Error rate: two-sided of a pair; shared by all comparisons of `top` and `tiers`.
    rates : (float, float), optional
        Supposed shares of right answers of two models.
    discordance : float, optional
        With `rates`: supposed share of items on which one of the two is right.
    sd : float, optional
        Supposed standard deviation of paired differences of single items.
    limits : (float, float), optional
        Least and greatest score.
    of : int, optional
        Without a pilot, for `top` and `tiers`: how many models there are.
    flip : float, optional
        Without trials in the pilot: chance that two answers of one model to an item differ.
    cost_item, cost_trial : float, optional
        What an item costs, however often it is asked, and one answer of both models to it: then
        the cheapest number of answers per item is said.
    most_items : int, optional
        No more items exist: then it is said how many answers to each do.
    over, missing, missing_tasks, missing_items, average_anyway, seed
        As in `rankbars.leaderboard`.

    Returns
    -------
    Plan
        ``print(plan)`` says it; `needed` holds the numbers.

    Raises
    ------
    OptionError
        If a value is out of range, or options do not fit each other.
    UnknownOptionError
        If a model is not known.
    DataError
        If the pilot is too small, or says nothing of the spread of differences.

    Notes
    -----
    Numbers are those of a paired t-test (non-central t), `needed.likely` for the observed
    difference. A plan for the observed difference reaches its power in about half of all pilots
    only: `needed.safe` plans for the lower end of a one-sided 80 % interval, and reaches it in
    about 80 %.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> rng = np.random.default_rng(5)
    >>> rows = rng.random((200, 1)) * 0.5 + rng.random((200, 2)) * 0.5 < [0.5, 0.6]
    >>> made = rb.plan(rb.Scores.from_arrays({"math": rows}, ["old", "new"]))
    >>> made.goal.models, made.n, made.needed.likely < made.needed.safe
    (('new', 'old'), 200, True)
    """
    goal = _goal(pair, top, margin, width, tiers=tiers)
    if width is not None:
        _refuse_with_width(margin=margin, effect=effect, rates=rates, cost_item=cost_item)
        power = 0.5  # then t at the planned difference is as often above its limit as below
    # With a margin the models may be equal, or the first a little worse.
    shown = effect if margin is None else None
    _check_amounts(alpha, power, flip=flip, discordance=discordance, effect=shown, sd=sd)
    if effect is not None and not math.isfinite(effect):
        raise OptionError.out_of_range("the effect", effect, "a number")
    costs = _costs(cost_item, cost_trial, most_items)
    if pilot is None:
        return _beforehand(
            goal, rates, limits, of, alpha=alpha, power=power, effect=effect,
            discordance=discordance, sd=sd, flip=flip, costs=costs,
        )  # fmt: skip
    for name, value in (("rates", rates), ("discordance", discordance), ("sd", sd),
                        ("limits", limits), ("of", of)):  # fmt: skip
        if value is not None:
            raise OptionError(
                f"{name} is for plans without results, and there are some. Leave it out."
            )
    board, scores = _board_of(
        pilot, goal, over=over, missing=missing, missing_tasks=missing_tasks,
        missing_items=missing_items, average_anyway=average_anyway, seed=seed,
    )  # fmt: skip

    def noise(a: str, b: str) -> AnswerNoise:
        found = None if scores is None else answer_noise(scores, a, b)
        return _noise(found, flip)

    made = plan_from(
        pilot_of(board), goal, alpha=alpha, power=power, effect=effect,
        noise=None if costs is None else noise, costs=costs, seed=seed,
    )  # fmt: skip
    notes = () if scores is None else scores.notes
    if stated_level(board).approximate:
        made = replace(made, notes=(*made.notes, _APPROXIMATE))
    return replace(made, inputs=board.inputs, notes=tuple(dict.fromkeys((*notes, *made.notes))))


def _beforehand(
    goal: Goal,
    rates: Sequence[float] | None,
    limits: Sequence[float] | None,
    of: int | None,
    **given: Any,
) -> Plan:
    """The plan without results, with the values that only it takes checked."""
    if goal.kind != "pair":
        if of is None:
            raise OptionError(
                "How many models there are has to be known: --of M (of=), or a pilot with all."
            )
        _check_whole("the number of models", of, 2)
        if goal.k is not None and goal.k >= of:
            raise OptionError.out_of_range(
                "the number of first places", goal.k, f"between 1 and {of - 1}: there are {of} "
                "models"
            )  # fmt: skip
        goal = goal._replace(of=of)
    if rates is not None:
        _check_rates(rates, given["flip"])
        if given["effect"] is not None:
            raise OptionError(
                "Two rates say what the difference is: leave out --effect (effect=), or --rates."
            )
        rates = (rates[0], rates[1])
    elif given["discordance"] is not None:
        raise OptionError("--discordance (discordance=) goes with --rates P Q (rates=).")
    if limits is not None:
        if len(limits) != 2 or not limits[0] < limits[1]:
            raise OptionError.out_of_range("the limits", limits, "two rising numbers")
        limits = (limits[0], limits[1])
    if given["costs"] is not None and given["flip"] is None:
        raise OptionError(_NO_NOISE)
    return plan_before(goal, rates=rates, limits=limits, **given)


def _check_rates(rates: Sequence[float], flip: float | None) -> None:
    if len(rates) != 2 or not all(0 <= one <= 1 for one in rates):
        raise OptionError.out_of_range("the rates", rates, "two numbers between 0 and 1")
    if {*rates} == {0, 1}:
        raise OptionError(
            "With rates of 0 and 1 every item tells the two apart, and nothing is left to plan."
        )
    most = sum(one * (1 - one) for one in rates)
    if flip is not None and flip > most:
        raise OptionError.out_of_range(
            "flip", flip, f"at most {most:.3g}: with these rates two answers of one model to "
            "an item cannot differ more often"
        )  # fmt: skip


def _board_of(
    pilot: Results | Leaderboard, goal: Goal, **options: Any
) -> tuple[Leaderboard, Scores | None]:
    """The board of a pilot, and its scores where they are known."""
    if isinstance(pilot, (str, os.PathLike)):
        pilot = load_pilot(pilot) or pilot
    if isinstance(pilot, Leaderboard):
        return pilot, None
    scores = take_scores("plan", pilot, goal.models)
    if goal.models:
        scores = take_alone(scores, goal.models)
        if options["missing"] == "pairwise":
            options["missing"] = "listwise"  # the same for two, and counts the rows of both
    if len(scores.models) < 2:
        raise OptionError(f"Two models are needed; found only {scores.models[0]!r}.")
    board = leaderboard(scores, correction="holm", pairs=True, **options)
    return board, scores


def load_pilot(path: str | os.PathLike[str]) -> Leaderboard | None:
    """The board in a file; None where it is no board file."""
    place = Path(path)
    if place.suffix.lower() != ".json" or not place.is_file():
        return None
    return load(place) if _BOARD in place.read_bytes() else None


def _goal(
    pair: Sequence[str] | None,
    top: int | None,
    margin: float | None,
    width: float | None,
    *,
    tiers: bool,
) -> Goal:
    asked = [name for name, given in (("pair", pair is not None), ("top", top is not None),
                                      ("tiers", tiers)) if given]  # fmt: skip
    if len(asked) > 1:
        raise OptionError(f"One question at a time: {asked[0]} or {asked[1]}.")
    for name, value in (("margin", margin), ("width", width)):
        if value is not None and asked not in ([], ["pair"]):
            raise OptionError(f"A {name} is about two models: --pair A B (pair=).")
    if width is not None and not 0 < width < math.inf:
        raise OptionError.out_of_range("the width", width, "above 0")
    if margin is not None and not 0 < margin < math.inf:
        raise OptionError.out_of_range("the margin", margin, "above 0")
    if pair is not None:
        if isinstance(pair, str) or len(pair) != 2 or pair[0] == pair[1]:
            raise OptionError.out_of_range("the pair", pair, "two different models")
        return Goal("pair", tuple(pair), margin=margin, width=width)
    if top is not None:
        return Goal("top", k=_check_whole("the number of first places", top, 1))
    return Goal("tiers" if tiers else "pair", margin=margin, width=width)


def _refuse_with_width(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            option = name.replace("_", "-")
            raise OptionError(
                f"A width says how well a difference is to be known, whatever it is: leave out "
                f"--{option} ({name}=), or --width (width=)."
            )


def _check_whole(name: str, value: object, least: int) -> int:
    """The value, if it is a whole number of at least `least`.

    Raises
    ------
    OptionError
        If it is not.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise OptionError.out_of_range(name, value, f"a whole number of at least {least}")
    return value


def _check_amounts(alpha: float, power: float, **amounts: float | None) -> None:
    for name, rate in (("alpha", alpha), ("power", power), ("flip", amounts.pop("flip")),
                       ("discordance", amounts.pop("discordance"))):  # fmt: skip
        if rate is not None and not 0 < rate < 1:
            raise OptionError.out_of_range(name, rate, "between 0 and 1")
    if power <= alpha:
        raise OptionError.out_of_range("power", power, f"above alpha, {alpha:g}")
    for name, value in amounts.items():
        if value is not None and not 0 < value < math.inf:
            what = "the standard deviation" if name == "sd" else f"the {name}"
            raise OptionError.out_of_range(what, value, "above 0")


def _costs(item: float | None, trial: float | None, most_items: int | None) -> Costs | None:
    if most_items is not None:
        _check_whole("the number of items that exist", most_items, 2)
    if item is None and trial is None:
        return None if most_items is None else Costs(math.nan, math.nan, most_items)
    if item is None or trial is None:
        raise OptionError(
            "Both costs are needed: --cost-item, whatever is asked of it, and --cost-trial, one "
            "answer of both models."
        )
    if not 0 <= item < math.inf:
        raise OptionError.out_of_range("the cost of an item", item, "0 or more")
    if not 0 < trial < math.inf:
        raise OptionError.out_of_range("the cost of a trial", trial, "above 0")
    return Costs(item, trial, most_items)


_NO_NOISE = (
    "How much answers to one item vary is not known, so items and trials cannot be weighed. Give "
    "results with several answers to each item, or --flip F (flip=): how often two answers of one "
    "model to an item differ."
)


def _noise(found: AnswerNoise | None, flip: float | None) -> AnswerNoise:
    """What was found, or what is supposed of answers that are right or wrong."""
    if flip is not None:
        return AnswerNoise(flip, flip)
    if found is None:
        raise OptionError(_NO_NOISE)
    return found

"""Columns of numbers that are of another kind than those beside them: amounts, right answers."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.metrics import (
    depends_on_scale,
    ends_in_loss,
    is_proportion,
    stated_direction,
    usual_direction,
)

__all__ = [
    "ask_about_kinds", "ask_about_models", "find_other_kinds", "find_truths", "refuse_changes",
    "refuse_predictions", "refuse_totals_of_wins", "score_predictions", "seem_predictions",
]  # fmt: skip

_PERCENT = 100.0

# A column whose numbers all are smaller than this share of what is usual in the others, which are
# no farther from each other than that, says how far these are spread; beside one column it is less.
# Tasks may be that hard where others differ, too.
_SMALL, _SMALL_BESIDE_ONE, _ALIKE = 0.1, 0.05, 1.25

# What is usual in a column of scores is not so many times what is usual in any other.
_LARGE = 5.0

# So many whole numbers, where all other columns have fractions, count something.
_FEWEST_WHOLE = 3


def find_other_kinds(
    columns: Mapping[str, NDArray[np.float64]], *, percent: bool = False
) -> list[str]:
    """Those columns that do not fit the scale on which most lie, 0 to 1 or 0 to 100.

    A column whose name is that of a metric fits; one number does not tell.

    Parameters
    ----------
    columns : mapping from str to array of float, shape (M,)
        Scores of all models; NaN where there is none.
    percent : bool
        Whether all are written with a percent sign, as counts are not.

    Examples
    --------
    >>> law, art = np.array([0.71, 0.64]), np.array([0.63, 0.62])
    >>> find_other_kinds({"law": law, "art": art, "solved": np.array([352.0, 301.0])})
    ['solved']
    >>> find_other_kinds({"law": law, "art": art, "±": np.array([0.021, 0.019])})
    ['±']
    >>> whole = {"law": [40.3, 39.5, 44.2], "art": [36.7, 36.4, 40.9], "words": [85.0, 61.0, 68.0]}
    >>> find_other_kinds({name: np.array(column) for name, column in whole.items()})
    ['words']
    >>> find_other_kinds({name: np.array(column) for name, column in whole.items()}, percent=True)
    []
    >>> find_other_kinds({"law": law, "art": art, "BLEU": np.array([31.0, 28.5])})
    []
    >>> find_other_kinds({"law": law[:1], "solved": np.array([352.0])})
    []
    """
    known = {name: column[~np.isnan(column)] for name, column in columns.items()}
    known = {name: column for name, column in known.items() if column.any() and column.size > 1}
    tops = {name: float(np.abs(column).max()) for name, column in known.items()}
    silent = [
        name for name in tops
        if not _is_metric(name) or (tops[name] > _PERCENT and is_proportion(name))
    ]  # fmt: skip
    beyond = [name for name in silent if tops[name] > _PERCENT]
    within = sum(top <= _PERCENT for top in tops.values())
    if beyond and (within > len(beyond) or within == len(beyond) == 1):
        return beyond
    silent = [name for name in silent if stated_direction(name) is None]
    shares = [name for name in tops if tops[name] <= 1.0 and not depends_on_scale(name)]
    points = [name for name in silent if 1.0 < tops[name] <= _PERCENT]
    if points and len(shares) >= len(points):
        return points
    differing = _differing(known, percent=percent)
    return [name for name in silent if tops[name] <= _PERCENT and name in differing]


def _differing(columns: Mapping[str, NDArray[np.float64]], *, percent: bool) -> list[str]:
    """The columns that are written in another way than all others, or far from them."""
    if len(columns) < 2:
        return []
    usual = np.array([abs(np.median(one)) for one in columns.values()])
    tops = np.array([np.abs(one).max() for one in columns.values()])
    low, high = np.sort(usual)[:2], np.sort(usual)[-2:]
    least = np.where(usual == low[0], low[1], low[0])
    most = np.where(usual == high[1], high[0], high[1])
    small = _SMALL if len(columns) > 2 else _SMALL_BESIDE_ONE
    found = (tops < small * least) & (most <= _ALIKE * least)
    if len(columns) > 2:
        found |= (usual > _LARGE * most) & (tops > 1.0)
    names = [name for name, differs in zip(columns, found.tolist(), strict=True) if differs]
    whole = [] if percent else _counting(columns)
    return names + [name for name in whole if name not in names]


def _counting(columns: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """The one column of whole numbers where all others have fractions."""
    whole = [name for name, one in columns.items() if _are_whole(one)]
    return [
        name for name in whole
        if len(whole) == 1 and len(columns) > 2 and columns[name].size >= _FEWEST_WHOLE
        and np.abs(columns[name]).max() > 1.0
    ]  # fmt: skip


def _are_whole(numbers: NDArray[np.float64]) -> bool:
    return bool((numbers == np.floor(numbers)).all())


def _is_metric(name: str) -> bool:
    return usual_direction(name) is not None or ends_in_loss(name) or depends_on_scale(name)


def ask_about_kinds(source: str, names: Sequence[str], others: Sequence[str]) -> DataError:
    """The question which columns are scores, with the lines to paste.

    Parameters
    ----------
    source : str
        The file.
    names : sequence of str
        All columns.
    others : sequence of str
        Those of another kind.
    """
    scores = [name for name in names if name not in others]
    one = len(others) == 1
    lines = shlex.join(part for name in scores for part in ("--metric", name))
    more = shlex.join(part for name in others for part in ("--direction", f"{name}=higher"))
    return DataError(
        f"{source}: {list_names(others, 4)} {'does' if one else 'do'} not lie on the scale of the "
        f"other columns ({list_names(scores, 4)}), so {'it' if one else 'they'} may be no "
        f"{'score' if one else 'scores'} but an amount, a count or how far scores are spread. If "
        f"so, name the scores: {lines} (in Python: metric={scores!r}). If not, say which side is "
        f"better in {'it' if one else 'them'}: {more}, or lower."
    )


def ask_about_models(source: str, columns: Mapping[str, NDArray[np.float64]]) -> None:
    """Columns beside those of models that count, number or code something, or go far beyond others.

    One model may be much better than the others, or much worse: how far a column lies from them
    does not tell.

    Parameters
    ----------
    source : str
        The file.
    columns : mapping from str to array of float
        Scores of each, one for each task or item; NaN where there is none.

    Raises
    ------
    DataError
        If there are such columns, and fewer than of the others.
    """
    known = {name: column[~np.isnan(column)] for name, column in columns.items()}
    known = {name: column for name, column in known.items() if column.any() and column.size > 1}
    tops = {name: float(np.abs(column).max()) for name, column in known.items()}
    within = max((top for top in tops.values() if top <= _PERCENT), default=np.inf)
    beyond = [name for name, top in tops.items() if top > max(_PERCENT, _LARGE * within)]
    others = _counting(known) or beyond or _ascending(known) or _coding(known)
    if not others or 2 * len(others) >= len(known):
        return
    models = [name for name in columns if name not in others]
    lines, every = (
        shlex.join(part for name in names for part in ("--models", name))
        for names in (models, list(columns))
    )
    one = len(others) == 1
    raise DataError(
        f"{source}: the numbers in {list_names(others, 4)} are of another kind than those of the "
        f"other columns ({list_names(models, 4)}), so {'it' if one else 'they'} may be no "
        f"{'model' if one else 'models'}. If so, name the models: {lines} (in Python: "
        f"models={models!r}). If {'it is one' if one else 'they are'}: {every}."
    )


def _ascending(columns: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """Columns of whole numbers that never go down, as those of cases do that have several rows."""
    return [
        name for name, one in columns.items()
        if one.size >= _FEWEST_IN_ORDER and _are_whole(one)
        and (np.diff(one) >= 0).all() and np.count_nonzero(np.diff(one)) > 3
    ]  # fmt: skip


def _coding(columns: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """Columns of two or three whole numbers, beside columns of many: codes of groups.

    >>> many = {name: np.arange(20) + place for place, name in enumerate("ab")}
    >>> _coding({"arm": np.array([1, 2] * 10), **many}), _coding({"arm": np.ones(20), **many})
    (['arm'], [])
    """
    kinds = {name: np.unique(one) for name, one in columns.items()}
    codes = [
        name for name, own in kinds.items()
        if 2 <= own.size <= _MOST_CODES and _are_whole(own) and own.max() > 1.0
        and columns[name].size >= _FEWEST_IN_ORDER
    ]  # fmt: skip
    many = all(own.size >= _FEWEST_KINDS for name, own in kinds.items() if name not in codes)
    return codes if many else []


# So many rows tell that a column is in order; codes are so few, and other numbers so many.
_FEWEST_IN_ORDER, _MOST_CODES, _FEWEST_KINDS = 10, 3, 8


def find_truths(columns: Mapping[str, NDArray[np.float64]]) -> list[str]:
    """The column of 0 and 1 alone where all others hold hardly anything but fractions.

    Examples
    --------
    >>> said = np.array([0.2, 0.7, 0.9, 0.4] * 2)
    >>> find_truths({"died": np.array([0.0, 1.0, 1.0, 0.0] * 2), "logreg": said, "xgb": said / 2})
    ['died']
    >>> find_truths({"a": np.array([0.0, 1.0]), "b": np.array([1.0, 1.0])})
    []
    """
    known = {name: column[np.isfinite(column)] for name, column in columns.items()}
    whole = [name for name, one in known.items() if _are_whole(one)]
    if len(whole) != 1 or len(known) < 2 or min(map(len, known.values())) < _FEWEST_LABELS:
        return []
    inside = all(((one >= 0.0) & (one <= 1.0)).all() for one in known.values())
    said = all((one % 1.0 > 0.0).mean() > _HARDLY_WHOLE
               for name, one in known.items() if name not in whole)  # fmt: skip
    return whole if inside and said and np.unique(known[whole[0]]).size == 2 else []


# So many labels are told from answers, beside columns with so few whole numbers.
_FEWEST_LABELS, _HARDLY_WHOLE = 8, 0.8


def refuse_predictions(
    source: str, truth: str, right: NDArray[np.float64],
    columns: Mapping[str, NDArray[np.float64]], *, never_model: bool,
) -> None:  # fmt: skip
    """Columns that hold what models said, beside one of the right answers, are no scores.

    Right or wrong, 0 and 1, stands beside labels of several classes and beside numbers to find;
    where labels are 0 and 1 themselves, nothing tells the two from each other.

    Parameters
    ----------
    source : str
        The file.
    truth : str
        Name of the column of right answers.
    right : array of float
        The right answers; NaN where there is none.
    columns : mapping from str to array of float
        What each model has; NaN where it has nothing.
    never_model : bool
        Whether no model is called as the column of right answers is.

    Raises
    ------
    DataError
        If the models have the same labels, probabilities of them, or numbers like the right ones.
    """
    labels = np.unique(right[~np.isnan(right)])
    every = np.concatenate(list(columns.values())) if columns else np.zeros(0)
    said = np.unique(every[~np.isnan(every)])
    if labels.size < 2 or not said.size or not _answer(labels, said):
        return
    names = list(columns)
    probable = labels.size == 2 and bool((said % 1.0).any())
    how, side = f".eq(frame[{truth!r}], axis=0).astype(int)", ""
    if probable:
        how = f".ge(0.5){how}"
    if _are_amounts(labels, said):
        how = f".sub(frame[{truth!r}], axis=0).abs()"
        side = " with --direction lower (in Python: direction='lower')"
    holds = "holds" if never_model else "may hold"
    lines = shlex.join(part for name in names for part in ("--models", name))
    more = f" If they are scores already: {lines} (in Python: models={names!r})."
    if not never_model:
        every_name = [truth, *names]
        all_lines = shlex.join(part for name in every_name for part in ("--models", name))
        more = f" If all are scores, and {truth!r} is a model: {all_lines}; if it is none: {lines}."
    raise DataError(
        f"{source}: {truth!r} {holds} right answers, and {list_names(names, 4)} seem to hold what "
        f"models answered: then these are predictions and no scores. Score them first, in pandas: "
        f"names = {names!r}; frame[names] = frame[names]{how}; "
        f"frame.drop(columns=[{truth!r}]).to_csv('scored.csv', index=False). Read that{side}.{more}"
    )


def _answer(labels: NDArray[np.float64], said: NDArray[np.float64]) -> bool:
    """Whether what was said answers to the labels: the same, probabilities, or numbers as those."""
    if np.isin(labels, (0.0, 1.0)).all():
        return bool((said >= 0.0).all() and (said <= 1.0).all())
    if np.isin(said, (0.0, 1.0)).all():
        return False
    if _are_amounts(labels, said):
        inside = (said >= labels[0]) & (said <= labels[-1])
        fractions = bool((said % 1.0).any()) or not (labels % 1.0).any()
        return bool(fractions and inside.mean() > 0.5)
    return bool(np.isin(said, labels).all())


def _are_amounts(labels: NDArray[np.float64], said: NDArray[np.float64]) -> bool:
    """Whether right answers are numbers to come close to, such as prices, and no classes."""
    whole = not (labels % 1.0).any()
    return not whole or (labels.size > _MOST_CLASSES and not np.isin(said, labels).all())


_MOST_CLASSES = 20


def seem_predictions(columns: Mapping[str, NDArray[np.float64]]) -> bool:
    """Whether columns hold nearly the same number in each row, as predictions of one thing do.

    Errors of the same items go together, too; but many of them are near 0. A column that does not
    vary, such as a guess of the mean, is not looked at.

    Parameters
    ----------
    columns : mapping from str to array of float
        Numbers of each by row; NaN where there is none.

    Examples
    --------
    >>> price = np.linspace(100.0, 400.0, 40)
    >>> miss = np.resize([9.0, -7.0, 4.0], 40)
    >>> said = {"one": price + miss, "two": price - 2 * miss, "mean": np.full(40, 250.0)}
    >>> seem_predictions(said)
    True
    >>> seem_predictions({name: (column - price) ** 2 for name, column in said.items()})
    False
    """
    every = np.array(list(columns.values()))
    every = every[:, np.isfinite(every).all(axis=0)]
    every = every[np.ptp(every, axis=1) > 0.0] if every.size else every
    if len(every) < 2 or every.shape[1] < _FEWEST_PREDICTED:
        return False
    low, usual = np.quantile(np.abs(every), (0.05, 0.5), axis=1)
    spread = every.std(axis=1).mean()
    return bool(
        np.abs(every).max() > _PERCENT
        and (low > _NEAR_ZERO * usual).all()
        and np.corrcoef(every).min() > _TOGETHER
        and np.ptp(every.mean(axis=1)) < _SAME_MEAN * spread
    )


# Rows that tell; what is near 0, beside what is usual; how columns go together; how far, in
# standard deviations of rows, their means are from each other.
_FEWEST_PREDICTED, _NEAR_ZERO, _TOGETHER, _SAME_MEAN = 20, 0.15, 0.8, 0.5


def score_predictions(named: str = "ID") -> str:
    """How predictions of numbers are scored, where the column of right numbers is not known.

    Parameters
    ----------
    named : str
        The column that names rows.
    """
    return (
        f"in pandas: frame = frame.set_index({named!r}); frame.drop(columns='TRUTH')"
        ".sub(frame['TRUTH'], axis=0).pow(2).to_csv('errors.csv'), with your column of right "
        "numbers for TRUTH; these squared errors are read with --direction lower"
    )


def refuse_changes(means: Mapping[str, NDArray[np.float64]], models: Sequence[str]) -> None:
    """Raises `DataError` where some models have scores, and most have changes from them."""
    from rankbars.tables.derivedscores import find_changed_rows

    table = np.stack(list(means.values()), axis=1) if means else np.empty((0, 0))
    known = np.flatnonzero(~np.isnan(table).all(axis=1)) if means else np.empty(0, int)
    changed = [models[known[row]] for row in find_changed_rows(table[known])]
    if changed:
        raise DataError(
            f"Scores of {list_names(changed, 4)} are small and have a minus among them, as changes "
            "from another row have; the others are far above 0. Write scores in all rows, or take "
            "these rows out of the file. If scores below 0 are meant, declare the lowest that "
            "there can be: --score-min -100 (in Python: minimum=-100)."
        )


def refuse_totals_of_wins(source: str, columns: Sequence[str]) -> None:
    """Columns of wins beside ties or losses say how often models won, and not against whom.

    Raises
    ------
    DataError
        If there are such columns.
    """
    kinds = {
        kind: [name for name in columns if name.strip().casefold() in words]
        for kind, words in _OUTCOMES.items()
    }
    if any(len(found) > 1 for found in kinds.values()):
        return
    found = {kind: names[0] for kind, names in kinds.items() if names}
    if "win" not in found or len(found) < 2:
        return
    win, rest = found["win"], [name for kind, name in found.items() if kind != "win"]
    line = ""
    if "loss" in found:
        half = f" + frame[{found['tie']!r}] / 2" if "tie" in found else ""
        every = list(found.values())
        line = (
            f" For the share of its games that each won, in pandas: n = frame[{every!r}]"
            f".sum(axis=1); frame.assign(score=(frame[{win!r}]{half}) / n, n=n)"
            f".drop(columns={every!r}).to_csv('shares.csv', index=False)."
        )
    raise DataError(
        f"{source}: {win!r} and {list_names(rest, 2)} are totals of games, of which none is a "
        "score by itself, and nothing says against whom they were. Give the votes, a row for each "
        f"with the columns model_a, model_b and winner.{line}"
    )


_OUTCOMES = {
    "win": frozenset({"win", "wins", "won"}),
    "loss": frozenset({"loss", "losses", "lose", "loses", "lost", "defeats"}),
    "tie": frozenset({"tie", "ties", "tied", "draw", "draws"}),
}

"""The plain leaderboard table: mean, interval, win rate and number of tasks of each model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from rankbars.data.notes import Note
from rankbars.data.plain import Keys, json_text, to_plain

__all__ = ["LeaderboardRow", "PlainDifference", "PlainTable"]

_LONGEST_NAME = 20


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One model of a plain table.

    Parameters
    ----------
    rank : int
        1 + number of models with a higher mean; models with equal means share it.
    model_id : str
        The model.
    mean_score : float
        Weighted mean over the tasks it has; NaN if none of them has weight.
    mean_ci_lo, mean_ci_hi : float
        Interval of the mean, over a population of tasks; NaN with fewer than two tasks, and where
        the score is the same on all of them.
    win_rate : float
        Share of its tasks on which it comes first; models that share a first place share the 1:
        two get one half each. Every task counts the same, whatever its weight.
    pairwise_win_rate : float
        Share of (task, other model) pairs that it wins, ties one half; NaN without others.
        Every pair counts the same.
    tasks_completed : int
        Number of tasks it has.
    categories : mapping from str to float
        Weighted mean per category.
    """

    rank: int
    model_id: str
    mean_score: float
    mean_ci_lo: float
    mean_ci_hi: float
    win_rate: float
    pairwise_win_rate: float
    tasks_completed: int
    categories: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class PlainDifference:
    """Two models of a plain table, on the tasks that both have.

    Parameters
    ----------
    first, second : str
        The models; the one with the higher mean in the table first.
    tasks : int
        Tasks with weight that both have.
    difference : float
        Weighted mean of first minus second over these tasks; NaN without any.
    ci_lo, ci_hi : float
        Its interval over a population of such tasks, for this pair by itself; NaN with fewer than
        two tasks, and where the difference is the same on all of them.
    excludes_zero : bool
        Whether 0 lies outside of it.
    p, p_bonferroni, p_holm : float
        Two-sided p-value of the pair, and adjusted for all pairs of the table.
    interval : {"t", "percentile"}
        How the interval was made.
    """

    first: str
    second: str
    tasks: int
    difference: float
    ci_lo: float
    ci_hi: float
    excludes_zero: bool
    p: float
    p_bonferroni: float
    p_holm: float
    interval: Literal["t", "percentile"]


@dataclass(frozen=True, slots=True)
class PlainTable:
    """A leaderboard as a plain table; made by `rankbars.plain_table`.

    Parameters
    ----------
    rows : tuple of LeaderboardRow
        Highest mean first, equal means in order of their names; empty without records.
    alpha : float
        Error rate of the intervals.
    interval : {"t", "percentile"}
        How intervals were made.
    notes : tuple of Note
        What the reader must know.
    differences : tuple of PlainDifference
        All pairs of models on the tasks they share, in the order of the rows; none for more than
        100 models.
    scores : mapping from task to mapping from model to float
        Score of each model on each task; NaN where there is none. Models in the order of the rows.

    Examples
    --------
    >>> print(PlainTable((), 0.05, "t").to_markdown())
    | Rank | Model | Mean | 95% CI | Win rate | Tasks |
    | ---: | :--- | ---: | :---: | ---: | ---: |
    """

    rows: tuple[LeaderboardRow, ...]
    alpha: float
    interval: Literal["t", "percentile"]
    notes: tuple[Note, ...] = ()
    differences: tuple[PlainDifference, ...] = ()
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain lists, strings and numbers; NaN becomes None."""
        plain: dict[str, Any] = to_plain(self, _KEYS)
        return plain

    def to_json(self) -> str:
        """JSON text: all fields, full names and full precision; one final newline."""
        return json_text(self.to_dict())

    def to_markdown(self) -> str:
        """Markdown table with two decimals; names are cut at 20 characters, here only.

        Where that makes two names equal, both keep as many characters as tell them apart.
        """
        level = f"{100 * (1 - self.alpha):g}%"
        lines = [
            f"| Rank | Model | Mean | {level} CI | Win rate | Tasks |",
            "| ---: | :--- | ---: | :---: | ---: | ---: |",
        ]
        names = _short_names([row.model_id for row in self.rows])
        for row, name in zip(self.rows, names, strict=True):
            ends = f"{row.mean_ci_lo:.2f}-{row.mean_ci_hi:.2f}"
            cells = (
                str(row.rank),
                _escaped(name),
                _two_decimals(row.mean_score),
                "–" if math.isnan(row.mean_ci_lo) else ends,
                _two_decimals(row.win_rate),
                str(row.tasks_completed),
            )
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines)

    def pairs_to_markdown(self) -> str:
        """Differences of all pairs as a Markdown table."""
        level = f"{100 * (1 - self.alpha):g}%"
        lines = [
            f"| Pair | Difference | {level} CI | Tasks | Excludes 0 | p (Holm) |",
            "| :--- | ---: | :---: | ---: | :---: | ---: |",
        ]
        names = self._short()
        for one in self.differences:
            known = not math.isnan(one.ci_lo)
            cells = (
                f"{names[one.first]} − {names[one.second]}",
                "–" if math.isnan(one.difference) else f"{one.difference:+.3f}",
                f"{one.ci_lo:+.3f} to {one.ci_hi:+.3f}" if known else "–",
                str(one.tasks),
                ("yes" if one.excludes_zero else "no") if known else "–",
                _three_decimals(one.p_holm),
            )
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines)

    def scores_to_markdown(self) -> str:
        """Score of each model on each task as a Markdown table, one line per task."""
        names = self._short()
        lines = [
            f"| Task | {' | '.join(names.values())} |",
            f"| :--- |{' ---: |' * len(names)}",
        ]
        for task, row in self.scores.items():
            cells = [_two_decimals(row[model]) for model in names]
            lines.append(f"| {' | '.join([_escaped(task), *cells])} |")
        return "\n".join(lines)

    def _short(self) -> dict[str, str]:
        names = [row.model_id for row in self.rows]
        return dict(zip(names, map(_escaped, _short_names(names)), strict=True))


_KEYS = {PlainTable: Keys(renamed={"rows": "models"}), Note: Keys(left_out=("task",))}


def _three_decimals(p: float) -> str:
    return "–" if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}"


def _two_decimals(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.2f}"


def _short_names(names: list[str]) -> list[str]:
    """Names cut at 20 characters, or later where that is needed to tell them apart."""
    kept = dict.fromkeys(names, _LONGEST_NAME)
    while True:
        seen = Counter(name[: kept[name]] for name in names)
        twice = [n for n in names if seen[n[: kept[n]]] > 1 and kept[n] < len(n)]
        if not twice:
            return [name[: kept[name]] for name in names]
        for name in twice:
            kept[name] += 1


def _escaped(name: str) -> str:
    """A name that neither ends its cell nor its line, and has nothing that is not seen."""
    plain = " ".join(name.replace("\\", "\\\\").replace("|", "\\|").split())
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in plain
    )

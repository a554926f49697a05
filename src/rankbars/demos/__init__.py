"""What `rankbars demo` ranks: real results that come with the package, and a made lesson."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["DEMOS", "LESSON", "Demo", "demo_path", "lesson_records"]


class Demo(NamedTuple):
    """One set of results, and how it is meant to be read and ranked.

    Attributes
    ----------
    file : str
        Name of the file beside this module.
    title : str
        What the results are called.
    description : str
        One line.
    source : str
        Where the results were published.
    licence : str
        Licence of the source.
    link : str
        Address of the source.
    date : str, optional
        Day of the version that was taken, where it is known.
    missing : str
        What to do where a model has no score.
    rows : str, optional
        What a row of a task is, where the columns do not say it.
    folds : int, optional
        Folds per repeat, where rows are folds.
    direction : str
        Which side of the scores is better.
    """

    file: str
    title: str
    description: str
    source: str
    licence: str
    link: str
    date: str | None = None
    missing: str = "raise"
    rows: str | None = None
    folds: int | None = None
    direction: str = "higher"


DEMOS: dict[str, Demo] = {
    "mmlu_pro": Demo(
        file="mmlu_pro.parquet",
        title="MMLU-Pro",
        description="29 language models on 12,032 questions of 14 subjects, right or wrong",
        source="github.com/TIGER-AI-Lab/MMLU-Pro at f418b11; Wang et al. 2024, arXiv:2406.01574",
        licence="Apache-2.0",
        link="https://github.com/TIGER-AI-Lab/MMLU-Pro",
        date="2026-03-18",
        # Nearly all that is missing belongs to one incomplete run, which the board names.
        missing="pairwise",
    ),
    "tabarena": Demo(
        file="tabarena_folds.parquet",
        title="TabArena",
        description="12 methods on 51 tabular data sets, by fold of repeated cross-validation",
        source="github.com/autogluon/tabarena at ea2f9fd; Erickson et al. 2025, arXiv:2506.16791",
        licence="Apache-2.0",
        link="https://github.com/autogluon/tabarena",
        # One method has results on 9 of the 51 data sets only; all others are complete.
        missing="drop_models",
        rows="folds",
        folds=3,
    ),
    "vtab": Demo(
        file="vtab1k.parquet",
        title="VTAB-1k",
        description="16 image representations on 19 tasks, accuracies with standard errors",
        source="github.com/google-research/task_adaptation at d7630d3; Zhai et al. 2019, "
        "arXiv:1910.04867",
        licence="Apache-2.0",
        link="https://github.com/google-research/task_adaptation",
        date="2021-03-22",
    ),
    "arena": Demo(
        file="arena_counts.parquet",
        title="Chatbot Arena, votes to 2024-08-14",
        description="129 chat models compared in 1,670,250 votes of people, counted by pair",
        source="the package leaderbot 0.4.3, from the votes of LMSYS to 2024-08-14; Chiang et "
        "al. 2024, arXiv:2403.04132",
        licence="BSD-3-Clause",
        link="https://github.com/suquark/leaderbot",
        date="2024-08-14",
    ),
}


def demo_path(demo: Demo) -> Path:
    """Where the file of a demo lies."""
    return Path(__file__).with_name(demo.file)


LESSON = "3 models on 12 tasks, made by a seed: the plain table, differences, and the board"


def lesson_records(seed: int = 0) -> list[dict[str, Any]]:
    """Made records for a lesson: 3 models on 12 tasks of 3 categories, one score each.

    Two models are close, and one is 8 points behind; tasks differ far more than models do, so that
    means overlap where differences on the same tasks do not.

    Parameters
    ----------
    seed : int
        Other seeds make other lessons of the same kind.

    Returns
    -------
    list of dict
        One `rankbars.EvalRun` each, as a dict.

    Examples
    --------
    >>> records = lesson_records()
    >>> len(records), sorted({record["model_id"] for record in records})
    (36, ['amber', 'birch', 'cobalt'])
    """
    import numpy as np

    rng = np.random.default_rng(seed)
    level = rng.uniform(0.35, 0.85, size=12)
    ahead = {"amber": 0.02, "birch": 0.01, "cobalt": -0.07}
    return [
        {
            "model_id": model,
            "task_id": f"task {k + 1:02d}",
            "metric_name": "accuracy",
            "score": round(float(np.clip(level[k] + shift + rng.normal(0.0, 0.03), 0.0, 1.0)), 3),
            "category": ("reading", "reasoning", "coding")[k % 3],
        }
        for k in range(12)
        for model, shift in ahead.items()
    ]

"""The VTAB results, weights of their categories, and the numbers that were published about them."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from importlib import resources

import rankbars as rb
from rankbars.demos import DEMOS, demo_path
from rankbars.simulate.study import Row, Table

__all__ = ["PARTS", "published_cells", "vtab_scores"]

PARTS = {
    "Natural": {"natural": 1.0},
    "Specialized": {"specialized": 1.0},
    "Structured": {"structured": 1.0},
    "Overall": None,
}
"""What a column of scores is an average of: weights of categories; None: every task the same."""


def vtab_scores() -> rb.Scores:
    """Accuracies of 16 models on 19 tasks with the official numbers of test images.

    Standard errors are those of shares of so many images; the ones in the file go with the images
    that the accuracies were computed on.

    Examples
    --------
    >>> scores = vtab_scores()
    >>> scores, scores.tasks["Pets"].n[0].item(), scores.info["Pets"].category
    (Scores(16 models, 19 tasks), 3669, 'natural')
    """
    path = demo_path(DEMOS["vtab"])
    return rb.read(path, columns={"n": "n_test", "se": ""}, metric="accuracy")


def published_cells() -> Table:
    """Every cell of Tables 2 to 11 as printed; None where the text cannot be read.

    Transcribed from Longjohn, Gopalan and Casleton 2025 (arXiv:2501.04234); notes say where the
    text has a cell twice or disagrees with itself.

    Examples
    --------
    >>> cell = published_cells()[0]
    >>> cell["row"], cell["column"], cell["published"], cell["published_low"]
    ('Sup-Rotation-100%', 'Avg Acc (Bootstrap)', 68.0, 67.8)
    """
    file = resources.files("rankbars.simulate").joinpath("vtab_published.csv")
    return [_cell(line) for line in csv.DictReader(file.read_text("utf-8").splitlines())]


def _cell(line: Mapping[str, str]) -> Row:
    return {
        "table": int(line["table"]),
        "row": line["model"],
        "column": line["column"],
        "published": _number(line["value"]),
        "published_low": _number(line["low"]),
        "published_high": _number(line["high"]),
        "note": line["note"],
    }


def _number(text: str) -> float | None:
    return float(text) if text else None

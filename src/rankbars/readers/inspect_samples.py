"""Samples of Inspect logs: what became of them, and their scores as numbers.

The producer's own conversion turns words it does not know, lists and objects into 0. Here they are
answers without a score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

from rankbars.errors import DataError, ReadError
from rankbars.readers.logs.jsontext import as_mapping
from rankbars.tables.cells import label_text

__all__ = ["REMOVED", "Graded", "Sample", "SampleFields", "grade", "read_sample"]

SampleFields: TypeAlias = dict[str, Any]

# What a summary holds in the place of a long value.
REMOVED = "Key removed from summary (> 1k)"

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


class Graded(NamedTuple):
    """One value of one scorer.

    Parameters
    ----------
    score : float
        NaN where the scorer declined or the value is no number.
    kind : str
        ``"grade"`` (a letter, of which C is the best), ``"truth"``, ``"number"``, ``"none"``,
        ``"list"`` or ``"unknown"``.
    """

    score: float
    kind: str


class Sample(NamedTuple):
    """One answer.

    Parameters
    ----------
    item : str
        Identifier as text.
    epoch : int
        Which answer to the item it is, from 1.
    scores : mapping from str to Graded
        By scorer; by scorer and key where the value is an object.
    failed : bool
        Whether it ended in an error.
    invalid : bool
        Whether its author declared it invalid.
    cluster : str or None
        Value of the metadata key that was asked for.
    """

    item: str
    epoch: int
    scores: Mapping[str, Graded]
    failed: bool
    invalid: bool
    cluster: str | None


def read_sample(fields: SampleFields, place: str, cluster: str | None) -> Sample:
    """A sample or its summary.

    Parameters
    ----------
    fields : dict
        Members of the sample.
    place : str
        File and sample, for messages.
    cluster : str or None
        Key of the metadata that names its cluster.

    Raises
    ------
    ReadError
        If it has no identifier, or its epoch is not a number.
    """
    item = fields.get("id")
    if isinstance(item, bool) or not isinstance(item, str | int | float) or item == "":
        raise ReadError.at(place, "there is no id that names the sample.")
    epoch = fields.get("epoch", 1)
    if isinstance(epoch, bool) or not isinstance(epoch, int) or abs(epoch) > 1 << 31:
        raise ReadError.at(place, f"the epoch is {str(epoch)[:40]!r}; expected a whole number.")
    scores: dict[str, Graded] = {}
    # Logs of the first versions hold one score without the name of its scorer.
    given = fields.get("scores")
    named = as_mapping(given) if given is not None else {"score": fields.get("score")}
    for scorer, score in named.items():
        if isinstance(score, dict) and "value" in score:
            scores |= _grade_all(scorer, score["value"])
    metadata = as_mapping(fields.get("metadata"))
    try:
        group = None if cluster is None else label_text(metadata.get(cluster))
    except DataError as error:
        raise ReadError.at(place, f"the metadata {cluster!r} {error}.") from error
    return Sample(
        label_text(item) or repr(item),
        epoch,
        scores,
        fields.get("error") is not None,
        fields.get("invalidation") is not None,
        group,
    )


def grade(value: object) -> Graded:
    """The number behind a value.

    Examples
    --------
    >>> grade("C"), grade(True).score, grade("0.25").score, grade("maybe").kind
    (Graded(score=1.0, kind='grade'), 1.0, 0.25, 'unknown')
    """
    if value is None:
        return Graded(math.nan, "none")
    if isinstance(value, bool):
        return Graded(float(value), "truth")
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            return Graded(math.nan, "unknown")
        return Graded(number, "none" if math.isnan(number) else "number")
    if isinstance(value, str):
        return _grade_text(value)
    return Graded(math.nan, "list" if isinstance(value, list) else "unknown")


def _grade_text(text: str) -> Graded:
    plain = text.strip()
    if plain in GRADES:
        return Graded(GRADES[plain], "grade")
    if plain.casefold() in WORDS:
        return Graded(WORDS[plain.casefold()], "truth")
    if _NUMBER.fullmatch(plain):
        return Graded(float(plain), "number")
    return Graded(math.nan, "none" if plain.casefold() in ("", "nan") else "unknown")


def _grade_all(scorer: str, value: object) -> dict[str, Graded]:
    if isinstance(value, dict):
        return {f"{scorer}/{key}": grade(one) for key, one in value.items()}
    return {scorer: grade(value)}

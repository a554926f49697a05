"""Names that the caller declared, where readers of several formats are asked for them.

A metric of one format is seldom one of another. So a name that a reader does not know is not told
to that reader; it is refused if none of the readers knows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from rankbars.data.evidence import Evidence, Items
from rankbars.data.notes import Note, list_names
from rankbars.data.scores import Scores
from rankbars.data.votes import Votes
from rankbars.errors import Lacking, RankbarsError, UnknownOptionError
from rankbars.readers.recognition import Format
from rankbars.tables.readoptions import ReadOptions

__all__ = ["Declared"]

T = TypeVar("T")

_WORDS = {
    "direction": "task or metric (direction)", "metric": "metric", "filter": "filter",
    "cluster": "cluster",
}  # fmt: skip


class Declared:
    """The options of a reading of several formats, each of which knows its own names.

    Parameters
    ----------
    options : ReadOptions
        What the caller declares.
    several : bool
        Whether several readers are asked; the only one must know every name.
    """

    def __init__(self, options: ReadOptions, *, several: bool = True) -> None:
        self._options = options
        self._several = several
        self._lacking: list[tuple[str, Lacking]] = []
        self._known: set[tuple[str, str]] = set()

    def heed(
        self,
        read: Callable[[ReadOptions], T],
        format: Format,
        *,
        scores_of: Callable[[T], Scores | None],
    ) -> T:
        """What a reader finds with the declared names that it knows.

        Parameters
        ----------
        read : callable
            The reader; takes options.
        format : Format
            Its format.
        scores_of : callable
            What `read` returned → its scores, or None.

        Raises
        ------
        RankbarsError
            If the reader refuses for another reason than a name of another format.
        """
        options = self._options
        while True:
            try:
                found = read(options)
            except RankbarsError as error:
                lacking = error.lacking
                if lacking is None or not self._several:
                    raise
                fewer = _without(options, lacking)
                if fewer == options:
                    raise
                self._lacking.append((format.name, lacking))
                options = fewer
            else:
                scores = scores_of(found)
                if scores is not None:
                    self._known |= _known_names(options, scores, format)
                return found

    def refuse_unknown(self) -> None:
        """Raises `UnknownOptionError` for a name that no reader knows."""
        for _, lacking in self._lacking:
            unknown = [n for n in lacking.names if (lacking.option, n) not in self._known]
            # Of several metrics, each task shows the first that it has: one is enough.
            enough = lacking.option == "metric" and len(unknown) < len(lacking.names)
            if not unknown or enough:
                continue
            known = {name: None for _, one in self._lacking if one.option == lacking.option
                     for name in one.known}  # fmt: skip
            known |= {name: None for option, name in self._known if option == lacking.option}
            raise UnknownOptionError.among(_WORDS[lacking.option], unknown[0], list(known))

    def notes(self) -> list[Note]:
        """What was not told to which reader."""
        return [
            Note(
                "name-elsewhere",
                f"{name}: there is no {_WORDS[one.option]} {list_names(one.names)} "
                f"(there: {list_names(one.known) or 'none'}); what was declared about it concerns "
                "the other formats.",
            )
            for name, one in self._lacking
        ]


def _without(options: ReadOptions, lacking: Lacking) -> ReadOptions:
    gone = set(lacking.names)
    if lacking.option == "direction":
        kept = {name: side for name, side in options.direction.items() if name not in gone}
        return replace(options, direction=kept)
    if lacking.option == "filter":
        return replace(options, filters=tuple(one for one in options.filters if one not in gone))
    if lacking.option == "metric":
        return replace(options, metric=None, metrics=())
    columns = {role: name for role, name in options.columns.items() if role != "cluster"}
    return replace(options, columns=columns)


def _known_names(options: ReadOptions, scores: Scores, format: Format) -> set[tuple[str, str]]:
    """Names that a reader was told and made use of."""
    evidence = scores.tasks.values()
    known: set[tuple[str, str]] = set()
    if not all(isinstance(one, Votes) for one in evidence):
        # A reader of scores refuses tasks and metrics that it does not have.
        known |= {("direction", name) for name in options.direction}
        known |= {("metric", name) for name in options.metrics}
    if not format.is_table:
        # Tables have no variants: what --filter says does not reach them.
        known |= {("filter", name) for name in options.filters}
    cluster = options.columns.get("cluster")
    if cluster and any(_has_clusters(one) for one in evidence):
        known.add(("cluster", cluster))
    return known


def _has_clusters(evidence: Evidence) -> bool:
    if isinstance(evidence, Items):
        return evidence.clusters is not None
    return isinstance(evidence, Votes)

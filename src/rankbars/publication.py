"""A public leaderboard as a folder of pages: its boards ranked, and what has changed written."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from fnmatch import fnmatchcase
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from rankbars.data.about import About
from rankbars.data.board import Leaderboard
from rankbars.data.boardfile import board_json
from rankbars.data.boardreading import load
from rankbars.data.madefiles import Draft, MadeFiles, digest_of, make_files
from rankbars.data.notes import Note
from rankbars.data.scores import Scores
from rankbars.data.siteplan import BoardChoice, DatedBoard, Metric, Site, SiteBoard, SitePlan
from rankbars.data.spec import Spec
from rankbars.data.taskinfo import Input
from rankbars.errors import DataError, OptionError, RankbarsError, UnknownOptionError
from rankbars.pipeline import leaderboard
from rankbars.readers.sitekeys import by_keys
from rankbars.render.shownnames import visible
from rankbars.render.siteboards import (
    MAIN_BOARD,
    board_paths,
    board_summary,
    frame_of,
    slug_of,
    unranked_summary,
)
from rankbars.render.sitepages import site_files
from rankbars.siteresults import SiteResults
from rankbars.steps.boardchanges import diff
from rankbars.store.opening import is_store

__all__ = ["BuiltSite", "build_site"]

# With more rows on all boards together, only the main board has a page with a script.
_MOST_ROWS = 10_000
_MOST_DAYS = 24  # of a history that is made of the models of each day


class BuiltSite(NamedTuple):
    """What was done.

    Attributes
    ----------
    written, removed, kept : tuple of str
        Files of the folder that were written anew, that are gone, and that are as they were.
    ranked : tuple of str
        Names of the boards that were ranked.
    said : tuple of str
        What the maker of the site should know.
    lacking : tuple of str
        What of it says that something is not on the site: files that could not be read, and
        boards that could not be ranked.
    """

    written: tuple[str, ...]
    removed: tuple[str, ...]
    kept: tuple[str, ...]
    ranked: tuple[str, ...]
    said: tuple[str, ...]
    lacking: tuple[str, ...] = ()


def build_site(
    plan: SitePlan,
    folder: str | Path,
    *,
    whole: bool = False,
    n_jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> BuiltSite:
    """Rank the boards of a site, and write its pages.

    Parameters
    ----------
    plan : SitePlan
        What `rankbars.readers.sitefile.read_site` reads.
    folder : path
        Where to. Files in it that were not written by this function are left alone.
    whole : bool
        Make everything anew. Without it, what is made of the same results, options and version
        stays as it is; the files are the same either way.
    n_jobs : int
        Workers over the tasks of a board.
    progress : callable, optional
        Called with the number of boards that are ready and the number of all.

    Returns
    -------
    BuiltSite

    Raises
    ------
    DataError
        If results cannot be read, or the main board cannot be made of them. Another board that
        cannot be ranked has a page that says why.
    WriteError
        If a file cannot be written, or one of the same name is there that was not made by this
        function. Then nothing is changed.
    """
    from importlib.metadata import version

    held = MadeFiles.of(Path(folder))
    maker = _Maker(plan, MadeFiles(held.folder, {}) if whole else held, version("rankbars"), n_jobs)
    try:
        boards = maker.boards(progress)
        if maker.lead is None:
            raise DataError(f"{plan.path}: there is no board to rank.")
        history = maker.history(maker.lead)
    except RankbarsError as error:
        error.args = (maker.by_keys(str(error)), *error.args[1:])
        raise
    changes = tuple(diff(old.board, new.board) for old, new in pairwise(history))
    if plan.address and find_spec("matplotlib") is None:
        maker.said.append(
            "There are no share cards (og:image): they are drawn by matplotlib. Install "
            "rankbars[plot]."
        )
    known = {name: said for name, said in maker.results.facts.items() if said}
    site = Site(
        replace(plan, facts=known), maker.lead, tuple(boards), history, changes, maker.version
    )
    drafts = {**site_files(site), **maker.beside}
    done = make_files(held, drafts, whole=whole)
    left = tuple(
        f"{held.folder / path} is no longer part of the site, and was left because it was changed."
        for path in done.changed
    )
    return BuiltSite(*done[:3], tuple(maker.ranked), (*maker.said, *left), tuple(maker.lacking))


class _Chosen(NamedTuple):
    """A board that is to be made."""

    slug: str
    name: str
    scores: Scores
    metric: Metric
    group: str = ""
    description: str = ""


class _Maker:
    """Makes the boards of a plan, or takes those that were made of the same before."""

    def __init__(self, plan: SitePlan, held: MadeFiles, version: str, n_jobs: int) -> None:
        self.plan, self.held, self.version, self.n_jobs = plan, held, version, n_jobs
        self.frame = digest_of([frame_of(plan), version])
        self.by_keys = partial(by_keys, stored=any(map(is_store, plan.results)))
        self.ranked: list[str] = []
        self.said: list[str] = []
        self.lacking: list[str] = []
        self.beside: dict[str, Draft] = {}
        self.results = SiteResults(plan)
        self.main: Scores | None = None
        self.lead: Leaderboard | None = None

    def boards(self, progress: Callable[[int, int], None] | None) -> list[SiteBoard]:
        """Every board, the main one first."""
        chosen = list(self._chosen())
        self.said += self.results.unused()
        ranking = [one for one in chosen if one.metric.role == "rank"]
        slugs = [one.slug for one in chosen]
        twice = next((one for one in chosen if slugs.count(one.slug) > 1), None)
        if twice is not None:
            raise OptionError(
                f"{self.plan.path}: two boards are called {twice.name!r}. Give each its own name."
            )
        rows, made = sum(len(one.scores.models) for one in chosen), []
        for number, one in enumerate(chosen):
            if progress is not None:
                progress(number, len(chosen))
            made.append(self._board(one, len(ranking), many=rows > _MOST_ROWS))
        if progress is not None:
            progress(len(chosen), len(chosen))
        return made

    def _chosen(self) -> Iterator[_Chosen]:
        for number, metric in enumerate(self.plan.metrics):
            scores = self.results.read(metric)
            for note in scores.notes:
                text = visible(f"{note.task}: {note.message}" if note.task else note.message)
                self._say(text, lacking=note.code == "files-damaged")
            if number == 0:
                self.main = scores
                self.said += self.results.check_models(scores)
                several = len(self.plan.metrics) > 1
                name = f"All results, by {metric.title}" if several else "All results"
                yield _Chosen("all", name, scores, metric)
            else:
                slug = f"metric-{slug_of(metric.title)}"
                yield _Chosen(slug, f"By {metric.title}", scores, metric)
            if metric.role == "rank":
                for choice in self.plan.boards:
                    for one in self._parts(choice, scores, metric):
                        yield (
                            one
                            if number == 0
                            else one._replace(
                                slug=f"{one.slug}-{slug_of(metric.title)}",
                                name=f"{one.name}, by {metric.title}",
                            )
                        )

    def _parts(self, choice: BoardChoice, scores: Scores, metric: Metric) -> Iterator[_Chosen]:
        if not choice.per:
            yield self._part(choice, scores, metric)
            return
        values = sorted(self._values(choice.per, scores))
        unknown = sorted(set(choice.leave_out) - set(values))
        if unknown:
            raise UnknownOptionError.among(f"{choice.per} in except", unknown[0], values)
        for value in values:
            if value in choice.leave_out:
                continue
            name = f"{choice.name} {value}".strip()
            where = {**choice.where, choice.per: (value,)}
            yield self._part(
                replace(choice, name=name, where=where), scores, metric
            )._replace(group=choice.per)  # fmt: skip

    def _values(self, what: str, scores: Scores) -> set[str]:
        """Values of a category, a family or an attribute."""
        facts = self.results.facts
        if what in ("category", "family"):
            found = {getattr(one, what) for one in scores.info.values()} - {None}
        else:
            found = {facts.get(name, {}).get(what) for name in scores.models} - {None}
        if not found:
            known = ["category", "family", *sorted({key for one in facts.values() for key in one})]
            raise UnknownOptionError.among(f"per in boards of {self.plan.path}", what, known)
        return {str(one) for one in found}

    def _part(self, choice: BoardChoice, scores: Scores, metric: Metric) -> _Chosen:
        tasks = _matching(choice.tasks, scores.tasks)
        models = _matching(choice.models, scores.models)
        for what, allowed in choice.where.items():
            self._values(what, scores)  # one that nothing has is refused
            if what in ("category", "family"):
                tasks = [name for name in tasks if getattr(scores.info[name], what) in allowed]
            else:
                facts = self.results.facts
                models = [name for name in models if facts.get(name, {}).get(what) in allowed]
        if not tasks or not models:
            raise DataError(
                f"{self.plan.path}: the board {choice.name!r} chooses no "
                f"{'models' if tasks else 'tasks'} of the results."
            )
        chosen = scores.select(models=models, tasks=tasks)
        return _Chosen(slug_of(choice.name), choice.name, chosen, metric,
                       description=choice.description)  # fmt: skip

    def _board(self, chosen: _Chosen, together: int, *, many: bool) -> SiteBoard:
        """A board, ranked or as it was."""
        plan, is_main = self.plan, chosen.slug == "all"
        slim = many and not is_main
        spec, levels = self._level(chosen, together)
        about = plan.about
        if not is_main:
            description = chosen.description or None
            about = replace(about, title=f"{about.title}: {chosen.name}", description=description)
        if plan.version:
            source = f"version {plan.version}"
            about = replace(about, source=f"{about.source}, {source}" if about.source else source)
        scores = chosen.scores
        if levels and not is_main:
            scores = scores.with_notes([Note("one-of-boards", levels)])
        evidence = digest_of([scores.tasks, scores.info])
        if not is_main:
            # Which files it came from would change with every file of every other board.
            scores = replace(
                scores, inputs=(Input("the results of this board", "scores", evidence),)
            )
        key = digest_of([self.frame, evidence, scores.notes, scores.inputs, scores.names, spec,
                         scores.attributes, about, levels, slim, chosen.name,
                         chosen.group])  # fmt: skip
        made = SiteBoard(
            chosen.slug, chosen.name, {}, None, chosen.description, chosen.group,
            chosen.metric.role, levels, key, slim,
        )  # fmt: skip
        if all(self.held.has(path, key) for path in board_paths(chosen.slug)):
            with suppress(RankbarsError, OSError, ValueError):
                if is_main:
                    self.lead = load(self.held.folder / MAIN_BOARD)
                path = self.held.folder / f"api/boards/{chosen.slug}.json"
                return replace(made, summary=json.loads(path.read_text("utf-8")))
        try:
            board = self._ranked(chosen.name, scores, spec).titled(**_filled(about))
        except DataError as error:
            if is_main:
                raise
            why = self.by_keys(str(error.__cause__))
            self._say(f"The board {chosen.name!r} was not ranked. {why}", lacking=True)
            return replace(made, summary=unranked_summary(plan, made, scores, why, self.version))
        if is_main:
            self.lead = board
        made = replace(made, board=board)
        # As it is read from its file, so that both ways give the same pages.
        return replace(made, summary=json.loads(json.dumps(board_summary(plan, made))))

    def _say(self, text: str, *, lacking: bool) -> None:
        """Tell the maker of the site, once."""
        text = self.by_keys(text)
        if text not in self.said:
            self.said.append(text)
            if lacking:
                self.lacking.append(text)

    def _level(self, chosen: _Chosen, together: int) -> tuple[Spec, str]:
        """The options of a board, and how its level goes together with those of others."""
        spec = self.plan.ranking
        if together < 2 or chosen.metric.role != "rank":
            return spec, ""
        level = f"{100 * (1 - spec.alpha):g} %"
        if self.plan.together:
            return replace(spec, alpha=spec.alpha / together), (
                f"This is one of {together} ranked boards, and the statements of all of them hold "
                f"together with {level} confidence: each board has its share of the error rate."
            )
        return spec, (
            f"This is one of {together} ranked boards. The level of {level} is that of each board "
            f"by itself: that all {together} are right is less sure than that. A board that was "
            "chosen for what it shows has no level."
        )

    def _ranked(self, name: str, scores: Scores, spec: Spec) -> Leaderboard:
        try:
            board = leaderboard(scores, spec=spec, n_jobs=self.n_jobs, pairs=True)
        except (DataError, OptionError) as error:
            raise DataError(f"The board {name!r}: {error}") from error
        self.ranked.append(name)
        return board

    def history(self, board: Leaderboard) -> tuple[DatedBoard, ...]:
        """The dated boards, oldest first, and the one of now."""
        plan, found = self.plan, {}
        for path in plan.history:
            old = load(path)
            day = (old.about and old.about.date) or _day_in(Path(path).name)
            if day is None:
                raise DataError(
                    f"{path} has no date: neither the board (--date) nor the name of the file, "
                    "such as 2026-05-31.json."
                )
            if day in found:
                raise DataError(f"{path}: there is another board of {day} in history. Keep one.")
            found[day] = DatedBoard(day, old)
        if plan.replay and self.main is not None:
            found = {one.date: one for one in self._replayed(self.main)}
        now = plan.about.date or (self._last_day() if plan.replay else "")
        found.pop(now, None)
        late = max(found, default="")
        if now and late > now:
            raise DataError(f"{plan.path}: date is {now}, and history has a board of {late}.")
        days = tuple(found[day] for day in sorted(found))
        return (*days, DatedBoard(now, board)) if days or now else ()

    def _last_day(self) -> str:
        """The day on which the last model came."""
        return max((facts.get("date", "") for facts in self.plan.facts.values()), default="")

    def _replayed(self, main: Scores) -> Iterator[DatedBoard]:
        """Boards of the models that were there on each day, from the results of today."""
        days = {name: self.plan.facts.get(name, {}).get("date", "") for name in main.models}
        for name, day in days.items():
            try:
                About(date=day or None)
            except OptionError as error:
                raise DataError(f"{self.plan.path}: models.{name}: {error}") from error
        known = sorted(set(days.values()) - {""})
        if not known:
            raise DataError(
                f"{self.plan.path}: history: replay needs the date of each model, and models gives "
                "none. Add a column date."
            )
        every = np.unique(np.linspace(0, len(known) - 1, _MOST_DAYS).round().astype(int))
        for day in (known[k] for k in every):
            there = [name for name, since in days.items() if since <= day]
            if not 1 < len(there) < len(days):  # with all of them it is the board of now
                continue
            scores = main.select(models=there)
            path = f"history/{day}.json"
            key = digest_of([
                self.version, self.plan.about.title, self.plan.ranking, scores.tasks, scores.info,
                scores.notes, scores.inputs, scores.names,
            ])  # fmt: skip
            board = None
            if self.held.has(path, key):
                with suppress(RankbarsError, OSError):
                    board = load(self.held.folder / path)
            if board is None:
                try:
                    board = self._ranked(f"of {day}", scores, self.plan.ranking)
                except DataError as error:
                    why = f"The board of {day} was not ranked. {error.__cause__}"
                    self._say(why, lacking=True)
                    continue
                board = replace(board, pairs=None).titled(title=self.plan.about.title, date=day)
            self.beside[path] = Draft(key, partial(board_json, board))
            yield DatedBoard(day, board)


def _matching(wanted: Sequence[str], known: Sequence[str] | Mapping[str, Any]) -> list[str]:
    """Names, and those that a pattern fits; all where nothing is named."""
    if not wanted:
        return list(known)
    found: dict[str, None] = {}
    for name in wanted:
        fitting = [name] if name in known else [one for one in known if fnmatchcase(one, name)]
        if not fitting:
            raise UnknownOptionError.among("name in boards", name, list(known))
        found |= dict.fromkeys(fitting)
    return list(found)


def _filled(about: About) -> dict[str, str]:
    """The arguments of `titled`."""
    return {one.name: getattr(about, one.name) or "" for one in fields(about)}


def _day_in(name: str) -> str | None:
    with suppress(OptionError):
        return About(date=name[:10]).date
    return None

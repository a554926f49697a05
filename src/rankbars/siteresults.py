"""What the sources of a public leaderboard hold, by the names of today, as `Scores`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from rankbars.data.notes import NameFact
from rankbars.data.scores import Scores
from rankbars.data.siteplan import Metric, SitePlan
from rankbars.errors import DataError, OptionError, UnknownOptionError
from rankbars.readers import read

__all__ = ["SiteResults"]


class SiteResults:
    """The results of a site, which are read once for each of its metrics.

    Parameters
    ----------
    plan : SitePlan
        What the maker of the site asks for.

    Attributes
    ----------
    facts : dict from model to dict from str to str
        What is known of models, by the names of today: what the plan says of one goes before what
        the results say.
    """

    def __init__(self, plan: SitePlan) -> None:
        self.plan = plan
        self.facts: dict[str, dict[str, str]] = {}
        self._held: dict[str, set[str]] = {"model": set(), "task": set()}

    def read(self, metric: Metric) -> Scores:
        """What the sources hold of one metric, without what is retired.

        Raises
        ------
        DataError
            If nothing is left, or models and tasks cannot be called as the plan says.
        """
        scores = _read_sources(self.plan, metric)
        plan, known = self.plan, tuple(scores.tasks)
        scores = self._named(scores)
        tasks = list(scores.tasks)
        known += tuple(one.called for one in scores.names if one.kind == "task")
        unknown = [name for name in plan.categories if name not in {*tasks, *known}]
        if unknown:
            raise UnknownOptionError.among(f"task in categories of {plan.path}", unknown[0], tasks)
        info = {
            name: replace(one, category=plan.categories.get(name, one.category))
            for name, one in scores.info.items()
        }
        self.facts = {
            name: {**scores.attributes.get(name, {}), **plan.facts.get(name, {})}
            for name in (*scores.models, *plan.facts)
        }
        return self._weighed(replace(scores, info=info, attributes=self.facts))

    def _named(self, scores: Scores) -> Scores:
        """The scores under the names of today, without what is retired."""
        plan, facts = self.plan, []
        self._held["model"] |= {*scores.models}
        self._held["task"] |= {*scores.tasks}
        for fact in scores.names:
            self._held[fact.kind] |= {fact.name, fact.called}
        former = {new: old for old, new in plan.aliases.items()}
        retired = {former.get(name, name): why for name, why in plan.retired_models.items()}
        for old in dict.fromkeys([*plan.aliases, *retired]):
            new, why = plan.aliases.get(old, old), retired.get(old)
            facts.append(NameFact("model", old, new, why is not None, why or "", ""))
            others = {plan.aliases.get(name, name) for name in scores.models if name != old}
            if old in scores.models and new in others:
                raise DataError(
                    f"{plan.path}: aliases says that {old!r} is {new!r}, and both are in the "
                    "results. Retire one of them, or write one name in the results."
                )
        for task, why in plan.retired_tasks.items():
            facts.append(NameFact("task", task, task, True, why, ""))
        for kind, names in (("model", scores.models), ("task", tuple(scores.tasks))):
            gone = {fact.name for fact in facts if fact.kind == kind and fact.retired}
            if gone.issuperset(names):
                raise DataError(f"{plan.path}: retired.{kind}s leaves nothing to rank.")
        if not facts:
            return scores
        from rankbars.store.naming import put_names

        return replace(put_names(scores, facts), names=(*scores.names, *facts))

    def _weighed(self, scores: Scores) -> Scores:
        weights, path = self.plan.weights, self.plan.path
        if not weights:
            return scores
        categories = {one.category for one in scores.info.values() if one.category is not None}
        known = categories if set(weights) <= categories else set(scores.tasks)
        gone = {fact.name for fact in scores.names if fact.retired}
        unknown = sorted(set(weights) - known - gone)
        if unknown:
            raise UnknownOptionError.among(f"task in weights of {path}", unknown[0], sorted(known))
        lacking = sorted(known - set(weights))
        if lacking:
            raise DataError(
                f"{path}: weights has no {lacking[0]!r}. Give every task, or every category, a "
                "weight; 0 leaves it out of the average."
            )
        if known is categories:
            return scores.weigh_categories(dict(weights))
        info = {name: replace(one, weight=weights[name]) for name, one in scores.info.items()}
        return replace(scores, info=info)

    def check_models(self, scores: Scores) -> Iterator[str]:
        """Of which models the plan says nothing, in a sentence.

        Raises
        ------
        UnknownOptionError
            If it says something of models alone that are not there.
        """
        plan = self.plan
        strange = sorted(set(plan.facts) - {*scores.models, *(one.called for one in scores.names)})
        if plan.facts and len(strange) == len(plan.facts):
            raise UnknownOptionError.among(
                f"model in models of {plan.path}", strange[0], scores.models
            )
        bare = [name for name in scores.models if name not in plan.facts]
        if plan.facts and bare:
            yield (
                f"models says nothing about {len(bare)} of {len(scores.models)} models, such as "
                f"{bare[0]!r}."
            )

    def unused(self) -> Iterator[str]:
        """Which names are retired or renamed, and are in no results: they may be mistaken."""
        plan, held = self.plan, self._held
        known = {*held["model"], *plan.aliases.values()}
        unused = {
            "aliases": [old for old, new in plan.aliases.items() if not {old, new} & held["model"]],
            "retired.models": [name for name in plan.retired_models if name not in known],
            "retired.tasks": [name for name in plan.retired_tasks if name not in held["task"]],
        }
        for key, names in unused.items():
            if names:
                more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
                shown = ", ".join(map(repr, names[:3]))
                yield f"{key} names what is not in the results: {shown}{more}."


def _read_sources(plan: SitePlan, metric: Metric) -> Scores:
    """What the sources hold of one metric."""
    from rankbars.store.opening import is_store

    options = dict(plan.reading)
    if metric.name is not None:
        options["metric"] = metric.name
    if metric.direction is not None:
        options["direction"] = metric.direction
    if not any(is_store(path) for path in plan.results):
        return read(list(plan.results), **options)
    if len(plan.results) > 1:
        raise OptionError(
            f"{plan.path}: a store is read alone; results names {len(plan.results)} sources."
        )
    if options:
        raise OptionError(
            f"{plan.path}: a store is read as its results were when they were added; leave out "
            f"reading and metrics ({', '.join(options)})."
        )

    from rankbars.store.access import open_store
    from rankbars.store.naming import scores_of

    with open_store(plan.results[0]) as store:
        return scores_of(store)

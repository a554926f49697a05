"""Labels by people and judgements of more items: what ``--labels`` and ``--judge`` name."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from rankbars.cli.options import collect_options, missing_inputs
from rankbars.cli.outputs import STANDARD
from rankbars.cli.readingoptions import Reading

if TYPE_CHECKING:
    from rankbars.data.scores import Scores
    from rankbars.data.spec import Spec

__all__ = ["JudgeFiles", "LabelSources", "judge_options", "refuse_without_labels"]


class LabelSources(NamedTuple):
    """Where labels and judgements are: what to read, and the metric there (None: the usual one)."""

    labels: tuple[str, ...]
    metric: str | None = None
    judges: tuple[tuple[tuple[str, ...], str | None], ...] = ()
    families: tuple[tuple[str, ...], ...] = ()

    def reading(self, reading: Reading) -> Reading:
        """How the labels are read."""
        return _by_metric(reading, self.metric)

    def join(
        self, labels: Scores, take: Callable[[tuple[str, ...], Reading], Scores], reading: Reading
    ) -> Scores:
        """The labels with what the judges say, which `take` reads."""
        if not self.judges:
            return labels
        import rankbars as rb

        judges = [take(paths, _by_metric(reading, metric)) for paths, metric in self.judges]
        families = [
            [name for name in labels.models if any(fnmatchcase(name, one) for one in patterns)]
            or list(patterns)
            for patterns in self.families
        ]
        return rb.with_judge(labels, *judges, families=families)


class JudgeFiles(NamedTuple):
    """What ``--labels``, ``--judge`` and ``--judge-family`` name: files, or metrics of INPUT."""

    labels: str | None
    judges: tuple[str, ...]
    judge_families: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.labels or self.judges or self.judge_families)

    def beside(self, inputs: tuple[str, ...]) -> LabelSources:
        """Where labels and judgements are, together with ``INPUT``."""
        labels, judges, families = self
        if labels is not None and not judges:
            raise click.UsageError(
                "--labels needs a judge to go with it: --judge FILE. Labels alone are ranked as "
                "INPUT: rankbars rank human.csv"
            )
        if not inputs and labels is None:
            raise missing_inputs()
        if STANDARD in judges or (STANDARD in inputs and judges):
            raise click.UsageError("Labels and judge are read from files, not from standard input.")
        metric, people = None, inputs
        if labels is not None and (not inputs or Path(labels).exists()):
            if inputs and any(Path(judge).exists() for judge in judges):
                raise click.UsageError(
                    f"INPUT holds the labels, and --labels {labels} is a file, too. Leave one out."
                )
            people = (labels,)
        elif labels is not None:
            metric = labels
        told = tuple(
            (inputs, judge) if inputs and not Path(judge).exists() else ((judge,), None)
            for judge in judges
        )
        if labels is None and any(name is not None for _, name in told):
            name = next(name for _, name in told if name is not None)
            raise click.UsageError(
                f"--judge {name} is no file. If it is a metric of INPUT, name the labels' metric, "
                f"too: --labels NAME --judge {shlex.quote(name)}"
            )
        return LabelSources(people, metric, told, _families(families, judges) if families else ())


judge_options = collect_options(
    JudgeFiles,
    "judged",
    (
        click.option(
            "--labels", metavar="FILE",
            help="Scores by people of some items, drawn at random; or the metric (column) of INPUT "
            "that holds them. INPUT is the labels where this is left out.",
        ),
        click.option(
            "--judge", "judges", metavar="FILE", multiple=True,
            help="Scores by a judge of these items and of more, on any scale; or its metric of "
            "INPUT. It corrects the labels where it is worth it. Repeat for several judges.",
        ),
        click.option(
            "--judge-family", "judge_families", metavar="[JUDGE=]MODEL", multiple=True,
            help="A model, or a pattern of models, of the judge's own family: how much better than "
            "people do it makes them is said. With several judges say which, as --judge names it.",
        ),
    ),
)  # fmt: skip


def _families(given: tuple[str, ...], judges: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Patterns of each judge's family."""
    if not judges:
        raise click.UsageError("--judge-family needs the judge whose family it is: --judge FILE.")
    found: list[list[str]] = [[] for _ in judges]
    for text in given:
        fitting = [k for k, judge in enumerate(judges) if text.startswith(f"{judge}=")]
        if not fitting and len(judges) != 1:
            raise click.UsageError(
                f"--judge-family {text}: say whose family it is, as --judge names it: "
                f"--judge-family {judges[0]}={text}"
            )
        k = fitting[0] if fitting else 0
        found[k].append(text.removeprefix(f"{judges[k]}=") if fitting else text)
    return tuple(map(tuple, found))


def refuse_without_labels(sources: LabelSources, spec: Spec, *, others: bool) -> None:
    """Refuse options that a judge does not go with."""
    if not sources.judges:
        return
    if spec.test not in ("auto", "judge_t"):
        raise click.UsageError(
            f"--test {spec.test} has no way to use a judge. Leave out --test, or --judge."
        )
    if spec.runs == "shared":
        raise click.UsageError("--runs shared has no way to use a judge. Leave one of them out.")
    if others:
        raise click.UsageError(
            "--judge is for scores of items that are ranked by one metric: leave out --anytime, "
            "--also, --cost, --prices, --by-reference and --clusters."
        )


def _by_metric(reading: Reading, metric: str | None) -> Reading:
    return reading if metric is None else replace(reading, metric=(metric,))

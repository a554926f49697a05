"""Results on the Hugging Face Hub: files of ``.eval_results``, and model cards."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from rankbars.data.notes import Note, list_names
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, open_text, read_all
from rankbars.readers.logs.jsonvalues import (
    as_finite,
    as_list,
    as_mapping,
    as_mappings,
    as_text,
    parse_time,
    score_of,
    take_path,
)
from rankbars.readers.logs.records import Agreement, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition
from rankbars.tables.cells import parse_number
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

RESULTS_FOLDER = ".eval_results"
YAML_SUFFIXES = (".yaml", ".yml")

# Far above the longest card; YAML is slow to read.
LARGEST_YAML = 1 << 22

# Hub results have a value without the name of a metric.
UNNAMED = "score"
# What some cards call the one that counts.
MAIN = "main_score"

_ENTRY = re.compile(r"^\s*-?\s*dataset\s*:", re.MULTILINE)
_VALUE = re.compile(r"^\s*-?\s*value\s*:", re.MULTILINE)
_INDEX = re.compile(r"^model-index\s*:", re.MULTILINE)
_CACHED = re.compile(r"models--(?P<owner>.+?)--(?P<name>.+)")


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file holds results as the Hugging Face Hub keeps them.

    Examples
    --------
    >>> sniff(Path("README.md"), b"---\nmodel-index:\n- name: m\n---\n").format
    'hf-hub'
    """
    text = head.decode("utf-8-sig", errors="replace")
    suffix = data_suffix(path)
    if suffix == ".md" and text.startswith("---") and _INDEX.search(text):
        return Recognition("hf-hub", CERTAIN, "It is a model card with a model-index.")
    inside = path.resolve().parent.name == RESULTS_FOLDER
    named = _ENTRY.search(text) is not None and _VALUE.search(text) is not None
    if suffix not in YAML_SUFFIXES or not (inside or named):
        return None
    sure = CERTAIN if inside else SIGNATURE
    return Recognition("hf-hub", sure, "It lists values on data sets, as the Hugging Face Hub "
                       f"keeps them in {RESULTS_FOLDER}.")  # fmt: skip


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Scores from results on the Hugging Face Hub: one value per model and data set."""
    found = read_all(
        files, lambda one: _read_card(one) if data_suffix(one.path) == ".md" else _read_results(one)
    )
    runs = _tell_apart(found, {file.label: _repository(file) for file in files})
    if not options.metrics:
        _ask_for_metric(runs)
    if options.minimum is None and options.maximum is None:
        _refuse_two_scales(runs)
    return [*runs]


def _repository(file: InputFile) -> Path:
    """The folder of the model that a file belongs to."""
    path = file.path.resolve()
    return path.parent.parent if path.parent.name == RESULTS_FOLDER else path.parent


def _tell_apart(runs: Sequence[Run], folders: Mapping[str, Path]) -> list[Run]:
    """Runs whose models are called by their owner, too, where two repositories share a name."""
    of_model: dict[str, dict[Path, None]] = {}
    for run in runs:
        folder = folders[run.source]
        # A file of another name in a common folder is named after itself.
        if run.model == folder.name:
            of_model.setdefault(run.model, {})[folder] = None
    shared = {model for model, places in of_model.items() if len(places) > 1}
    return [
        replace(run, model=f"{folders[run.source].parent.name}/{run.model}")
        if run.model in shared and folders[run.source] in of_model[run.model]
        else run
        for run in runs
    ]


def _read_results(file: InputFile) -> Iterator[Run]:
    """Runs of a file of ``.eval_results``: a list of values."""
    with open_text(file) as text:
        content = _parse(file, text.read(LARGEST_YAML + 1))
    entries = content if isinstance(content, list) else [content]
    model, note = _name_model(file)
    for place, entry in enumerate(entries, start=1):
        about = as_mapping(entry)
        data = as_mapping(about.get("dataset"))
        task = as_text(data.get("id")) or as_text(data.get("name"))
        if task is None:
            raise ReadError.at(file.label, f"entry {place} names no data set (dataset: id).")
        value = _number(file, f"entry {place} ({task})", about.get("value"))
        if value is None:
            continue
        part, remark = as_text(data.get("task_id")), as_text(about.get("notes"))
        revision = as_text(data.get("revision"))
        yield Run(
            file.label, model, task,
            {UNNAMED: Measure(UNNAMED, value=value)},
            manner={} if remark is None else {"notes": remark},
            setup={} if part is None else {"task": part},
            agree={} if revision is None else {
                "revision of the data set": Agreement(revision, part or "")
            },
            stamp=_time(about.get("date")),
            notes=(note,),
        )  # fmt: skip


def _read_card(file: InputFile) -> Iterator[Run]:
    """Runs of a model card: metrics by data set in its front matter."""
    content = as_mapping(_parse(file, _front_matter(file)))
    index = content.get("model-index")
    if not isinstance(index, list):
        raise ReadError.at(file.label, "the model-index of the card is no list.")
    for entry in map(as_mapping, index):
        model = as_text(entry.get("name")) or _name_model(file)[0]
        results = entry.get("results")
        for place, result in enumerate(as_list(results), start=1):
            run = _card_run(file, model, place, as_mapping(result))
            if run is not None:
                yield run


def _card_run(file: InputFile, model: str, place: int, result: Mapping[str, Any]) -> Run | None:
    data = as_mapping(result.get("dataset"))
    task = as_text(data.get("name")) or as_text(data.get("type"))
    if task is None:
        raise ReadError.at(file.label, f"result {place} of the model-index names no data set.")
    metrics = result.get("metrics")
    measures: dict[str, Measure] = {}
    for metric in as_mappings(metrics):
        name = as_text(metric.get("type")) or as_text(metric.get("name"))
        value = _number(file, f"result {place} ({task})", metric.get("value"))
        if name is not None and value is not None:
            measures.setdefault(name, Measure(name, value=value))
    if not measures:
        return None
    settings = {key: as_text(data.get(key)) for key in ("config", "split")}
    revision = as_text(data.get("revision"))
    return Run(
        file.label, model, task, measures,
        headline=MAIN if MAIN in measures else None,
        setup={key: value for key, value in settings.items() if value is not None},
        agree={} if revision is None else {"revision of the data set": Agreement(revision)},
        category=as_text(take_path(result, "task", "type")),
    )  # fmt: skip


def _front_matter(file: InputFile) -> str:
    """The YAML between the two lines of dashes at the start of a card."""
    lines: list[str] = []
    size = 0
    with open_text(file) as text:
        for number, line in enumerate(text):
            if number == 0:
                continue
            if line.rstrip() in ("---", "..."):
                return "".join(lines)
            lines.append(line)
            size += len(line)
            if size > LARGEST_YAML:
                break
    raise ReadError.at(
        file.label, "the front matter of the card does not end; the file may be cut off."
    )


def _parse(file: InputFile, text: str) -> Any:
    import yaml

    if len(text) > LARGEST_YAML:
        raise ReadError.at(
            file.label, f"the YAML is longer than {LARGEST_YAML >> 20} MiB, which no results are."
        )
    # Both loaders build plain values only; the one in C is not everywhere.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(text, Loader=loader)  # noqa: S506  (a safe loader, see above)
    except RecursionError as error:
        raise ReadError.at(file.label, "the YAML is nested too deeply.") from error
    except (yaml.YAMLError, ValueError, TypeError, OverflowError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise ReadError.at(
            file.label, f"the YAML cannot be read ({reason}). Correct it.",
            row=None if mark is None else mark.line + 1,
        ) from error  # fmt: skip


def _number(file: InputFile, place: str, given: object) -> float | None:
    """A finite number; None where there is none."""
    number = parse_number(given) if isinstance(given, str) else None
    return as_finite(
        score_of(given if number is None else number, file.label, f"{place}: the value")
    )


def _name_model(file: InputFile) -> tuple[str, Note]:
    """The repository: by the name that the Hub's cache gives it, else its folder."""
    path = file.path.resolve()
    for part in path.parts:
        found = _CACHED.fullmatch(part)
        if found is not None:
            name = f"{found['owner']}/{found['name']}"
            return name, Note("name-from-file", f"{file.label}: the model is called {name!r}, "
                              "after the folder of the cache.")  # fmt: skip
    inside = path.parent.name == RESULTS_FOLDER
    name = path.parent.parent.name if inside else file_stem(path)
    if data_suffix(path) == ".md":
        name = path.parent.name
    name = (name or "model").replace("__", "/", 1)
    return name, Note("name-from-file", f"{file.label}: the model is called {name!r}, after its "
                      f"{'folder' if inside else 'file'}.")  # fmt: skip


def _time(given: object) -> float | None:
    if isinstance(given, datetime):
        return (given if given.tzinfo else given.replace(tzinfo=UTC)).timestamp()
    if isinstance(given, date):
        return datetime(given.year, given.month, given.day, tzinfo=UTC).timestamp()
    return parse_time(given)


def _ask_for_metric(runs: Sequence[Run]) -> None:
    """Raises `DataError` if a data set has several metrics: the Hub marks none as the main one."""
    several = [run for run in runs if len(run.measures) > 1 and run.headline is None]
    if not several:
        return
    names = dict.fromkeys(name for run in several for name in run.measures)
    held = "1 data set has" if len(several) == 1 else f"{len(several)} data sets have"
    raise DataError(
        f"{several[0].source}: {held} several metrics, and model cards mark "
        f"none as the main one: {list_names(names, 8)}. Name one, or several of which each data "
        f"set shows the first it has: --metric {shlex.quote(next(iter(names)))} (in Python: "
        f"metric={next(iter(names))!r})."
    )


def _refuse_two_scales(runs: Sequence[Run]) -> None:
    """Raises `DataError` where one value of a data set is a share and another a percentage."""
    values: dict[tuple[str, str], dict[str, float]] = {}
    for run in runs:
        measure = run.measures.get(UNNAMED)
        if measure is not None and measure.value is not None:
            key = (run.task, str(sorted(run.setup.items())))
            values.setdefault(key, {})[run.model] = measure.value
    for (task, _), of_model in values.items():
        small = [model for model, value in of_model.items() if 0.0 < value <= 1.0]
        large = [model for model, value in of_model.items() if value > 1.0]
        if small and large:
            raise DataError(
                f"Data set {task!r}: {small[0]!r} has {of_model[small[0]]:g}, {large[0]!r} has "
                f"{of_model[large[0]]:g}. The Hub leaves the scale open, and these seem to be a "
                "share and a percentage. Bring them to one scale; if they are on one already, "
                "declare it: --score-max 100 (in Python: maximum=100)."
            )

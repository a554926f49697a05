"""Folders of HELM runs: which files lie in one, and what a run's name says."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from rankbars.readers.files import InputFile

__all__ = ["RunFolder", "RunName", "find_schemas", "group_folders", "parse_run_name"]

SPEC, STATS, INSTANCES = "run_spec.json", "stats.json", "per_instance_stats.json"

# Arguments of a run's name that say how one model was prompted, not what was asked of it.
MANNERS = frozenset({
    "stop", "add_to_stop", "output_format_instructions", "follow_format_instructions",
    "increase_max_tokens", "increase_temperature", "temperature", "num_output_tokens",
    "tokenizer", "chatml", "global_prefix", "process_output", "format_prompt",
})  # fmt: skip

# From a run folder, its suite and its release lie at most so many folders up.
FARTHEST = 4


@dataclass(slots=True)
class RunFolder:
    """Files of one run.

    Parameters
    ----------
    path : Path
        The folder.
    label : str
        How messages call it.
    spec, stats, instances : InputFile, optional
        Its files.
    """

    path: Path
    label: str
    spec: InputFile | None = None
    stats: InputFile | None = None
    instances: InputFile | None = None

    @property
    def main(self) -> InputFile | None:
        """The file that stands for the run; None if it has no statistics yet."""
        return self.instances or self.stats


class RunName(NamedTuple):
    """What the name of a run says.

    Parameters
    ----------
    task : str
        Scenario and its arguments.
    model : str or None
        The model as the name spells it.
    setup, manner : mapping from str to str
        As in `rankbars.readers.logs.records.Run`.
    """

    task: str
    model: str | None
    setup: Mapping[str, str]
    manner: Mapping[str, str]


def parse_run_name(name: str) -> RunName:
    """The parts of a run's name; copies may write a hyphen for the colon.

    Examples
    --------
    >>> parse_run_name("mmlu:subject=philosophy,method=multiple_choice_joint,model=openai_gpt2")[:2]
    ('mmlu:subject=philosophy', 'openai_gpt2')
    >>> parse_run_name("narrative_qa-model=openai_gpt2")[:2]
    ('narrative_qa', 'openai_gpt2')
    """
    scenario, colon, rest = name.partition(":")
    if not colon and "=" in name:
        head, _, tail = name.partition("=")
        before, _, key = head.rpartition("-")
        scenario, rest = (before, f"{key}={tail}") if before else (name, "")
    given: dict[str, str] = {}
    last = ""
    for part in rest.split(",") if rest else ():
        key, sign, value = part.partition("=")
        if sign or not last:
            given[key], last = value, key
        else:
            given[last] += f",{part}"
    model = given.pop("model", None)
    given.pop("model_deployment", None)
    setup = {"method": given.pop("method")} if "method" in given else {}
    manner = {key: given.pop(key) for key in MANNERS & given.keys()}
    kept = ",".join(f"{key}={value}" if value else key for key, value in given.items())
    return RunName(f"{scenario}:{kept}" if kept else scenario, model or None, setup, manner)


def group_folders(files: Sequence[InputFile]) -> list[RunFolder]:
    """Run folders of files, in their order.

    Where the caller named a single file, those beside it are added; a folder was searched already.
    """
    folders: dict[Path, RunFolder] = {}
    for file in files:
        path = file.path.resolve().parent
        label = Path(file.label).parent.as_posix()
        folder = folders.setdefault(path, RunFolder(path, label))
        kind = _kind(file)
        if kind is not None and getattr(folder, kind) is None:
            setattr(folder, kind, file)
    named = {file.path.resolve().parent for file in files if file.asked}
    for folder in folders.values():
        if folder.path not in named:
            continue
        for kind, name in (("spec", SPEC), ("stats", STATS), ("instances", INSTANCES)):
            beside = folder.path / name
            if getattr(folder, kind) is None and beside.is_file():
                label = (Path(folder.label) / name).as_posix()
                setattr(folder, kind, InputFile(beside, label, asked=False))
    return list(folders.values())


def find_schemas(folders: Iterable[RunFolder]) -> list[InputFile]:
    """Schema files of the suites and releases that the runs lie in."""
    places = dict.fromkeys(
        place for folder in folders for place in [*folder.path.parents][:FARTHEST]
    )
    found: dict[Path, InputFile] = {}
    for place in places:
        beside = [place / "schema.json", *sorted((place / "releases").glob("*/schema.json"))]
        for path in beside:
            if path.is_file():
                found.setdefault(path, InputFile(path, path.as_posix(), asked=False))
    return list(found.values())


def _kind(file: InputFile) -> str | None:
    from rankbars.readers.helm.signatures import file_kind

    return {"run": "spec", "stats": "stats", "instances": "instances"}.get(file_kind(file.path))

"""Made-up logs in the layouts of evaluation tools, for traps of which no genuine file exists."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).parent / "data" / "fixtures"
LM_EVAL = FIXTURES / "lm_eval"
INSPECT = FIXTURES / "inspect_ai"

TIME = "2026-01-21T03-44-18.458309"
LATER = "2026-02-01T00-00-00.000000"


def digest(text: object) -> str:
    return hashlib.sha256(str(text).encode()).hexdigest()


def lm_rows(
    scores: Mapping[str, Sequence[object]], *, filter: str | None = "none", named: bool = True,
    ids: Sequence[int] | None = None, hashed: bool = True,
) -> list[dict[str, Any]]:  # fmt: skip
    """Rows of a samples file; `scores` by metric."""
    size = len(next(iter(scores.values())))
    rows = []
    for place, item in enumerate(ids or range(size)):
        row: dict[str, Any] = {
            "doc_id": item, "doc": {"question": f"SECRET {item}", "subject": f"s{item % 2}"},
            "target": "SECRET", "arguments": [["SECRET", "x"]], "resps": [["y"]],
            "filtered_resps": ["y"],
        }  # fmt: skip
        if filter is not None:
            row["filter"] = filter
        if named:
            row["metrics"] = list(scores)
        if hashed:
            row |= {"doc_hash": digest(item), "prompt_hash": digest(f"p{item}"),
                    "target_hash": digest(f"t{item}")}  # fmt: skip
        row |= {metric: values[place] for metric, values in scores.items()}
        rows.append(row)
    return rows


def write_lm_eval(
    folder: Path, model: str, values: Mapping[str, Mapping[str, object]], *,
    rows: Mapping[str, Sequence[Mapping[str, Any]]] | None = None, time: str = TIME,
    **changes: Any,
) -> Path:  # fmt: skip
    """A results file of the current layout, and samples beside it."""
    place = folder / model.replace("/", "__")
    place.mkdir(parents=True, exist_ok=True)
    samples = rows or {}
    content: dict[str, Any] = {
        "results": {task: {"alias": task, **found} for task, found in values.items()},
        "group_subtasks": {task: [] for task in values},
        "configs": {task: {"task": task, "num_fewshot": 0} for task in values},
        "versions": dict.fromkeys(values, 1.0),
        "n-shot": dict.fromkeys(values, 0),
        "higher_is_better": {task: {"acc": True, "acc_norm": True} for task in values},
        "n-samples": {
            task: {"original": len(found), "effective": len(found)}
            for task, found in samples.items()
        },
        "config": {"model": "hf", "model_args": f"pretrained={model}", "limit": None},
        "task_hashes": {task: digest(task) for task in samples},
        "model_name": model,
        "model_name_sanitized": model.replace("/", "__"),
        "chat_template": "SECRET",
        "chat_template_sha": None,
    }
    for key, change in changes.items():
        content[key.replace("_", "-") if key in ("n_shot", "n_samples") else key] = change
    path = place / f"results_{time}.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    for task, found in samples.items():
        text = "".join(json.dumps(row) + "\n" for row in found)
        (place / f"samples_{task}_{time}.jsonl").write_text(text, encoding="utf-8")
    return path


def write_simple(folder: Path, model: str, scores: Sequence[object], **changes: Any) -> Path:
    """A run with one task ``arc``, metric ``acc`` and filter ``none``."""
    numbers = [float(score) for score in scores if isinstance(score, int | float)]
    mean = sum(numbers) / max(len(numbers), 1)
    return write_lm_eval(
        folder, model, {"arc": {"acc,none": mean, "acc_stderr,none": 0.1}},
        rows={"arc": lm_rows({"acc": scores})}, **changes,
    )  # fmt: skip


def inspect_header(
    model: str = "openai/m", task: str = "suite/t", **changes: Any
) -> dict[str, Any]:
    """Header of an Inspect log; ``eval_*`` changes go into ``eval``."""
    about: dict[str, Any] = {
        "created": "2026-01-01T00:00:00+00:00", "task": task, "task_version": 0, "task_args": {},
        "model": model, "model_args": {}, "dataset": {"name": "d", "samples": 100},
        "config": {"epochs": 1},
    }  # fmt: skip
    header: dict[str, Any] = {"version": 2, "status": "success", "eval": about, "results": None}
    for key, change in changes.items():
        (about if key.startswith("eval_") else header)[key.removeprefix("eval_")] = change
    return header


def sample(item: object, value: object, *, epoch: int = 1, **more: Any) -> dict[str, Any]:
    """A sample with one scorer, or none if the value is Ellipsis."""
    scores = {} if value is ... else {"match": {"value": value, "answer": "SECRET"}}
    return {"id": item, "epoch": epoch, "input": "SECRET", "target": "x", "scores": scores, **more}


def write_json_log(path: Path, header: Mapping[str, Any], samples: Sequence[Any]) -> Path:
    path.write_text(json.dumps({**header, "samples": list(samples)}), encoding="utf-8")
    return path


def write_archive(path: Path, members: Sequence[tuple[str, object]]) -> Path:
    """A ZIP archive; names may repeat."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, data)
    return path


def write_eval(
    path: Path, header: Mapping[str, Any], samples: Sequence[Any],
    whole: Mapping[str, object] | None = None,
) -> Path:  # fmt: skip
    """An archive with header and summaries, and whole samples where they are given."""
    members = [*(whole or {}).items(), ("summaries.json", list(samples)), ("header.json", header)]
    return write_archive(path, members)


def to_zstd(source: bytes) -> bytes:
    """The same archive with every member compressed by method 93, in two frames each."""
    import zstandard

    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(source)) as old:
        content = {info.filename: old.read(info.filename) for info in old.infolist()}
    packed = {}
    for name, data in content.items():
        half = len(data) // 2
        packer = zstandard.ZstdCompressor()
        packed[name] = packer.compress(data[:half]) + packer.compress(data[half:])
    with zipfile.ZipFile(out, "w") as new:
        for name, data in packed.items():
            new.writestr(zipfile.ZipInfo(name), data)
    raw = bytearray(out.getvalue())
    _declare_zstd(raw, {name: len(data) for name, data in content.items()})
    return bytes(raw)


def _declare_zstd(raw: bytearray, sizes: Mapping[str, int]) -> None:
    """Write method 93 and the true sizes into the headers of stored members."""
    with zipfile.ZipFile(io.BytesIO(bytes(raw))) as archive:
        offsets = {info.filename: info.header_offset for info in archive.infolist()}
        start = archive.start_dir
    for name, offset in offsets.items():
        raw[offset + 8 : offset + 10] = (93).to_bytes(2, "little")
        raw[offset + 22 : offset + 26] = sizes[name].to_bytes(4, "little")
    at = start
    while raw[at : at + 4] == b"PK\x01\x02":
        lengths = [int.from_bytes(raw[at + i : at + i + 2], "little") for i in (28, 30, 32)]
        name = raw[at + 46 : at + 46 + lengths[0]].decode()
        raw[at + 10 : at + 12] = (93).to_bytes(2, "little")
        raw[at + 24 : at + 28] = sizes[name].to_bytes(4, "little")
        at += 46 + sum(lengths)


# The peak of a process as its system counts it: what was inherited from its parent left out.
MEASURE = """
import resource, sys
from pathlib import Path
import rankbars as rb
scores = rb.read(sys.argv[1])
(evidence,) = scores.tasks.values()
assert evidence.n == int(sys.argv[2])
status = Path("/proc/self/status")
if status.exists():
    print(next(line.split()[1] for line in status.read_text().splitlines() if "VmHWM" in line))
else:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def peak_kilobytes(path: Path, items: int) -> int:
    """Memory at its highest while a log with one task of so many items is read."""
    command = [sys.executable, "-c", MEASURE, str(path), str(items)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return int(done.stdout)

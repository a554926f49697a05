"""JSON of tools that are not known, and tables of counts: records at the paths of a map."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, read_all, read_head
from rankbars.readers.jsonpaths import Seen, Spot, bind_paths, path_keys, seen_paths
from rankbars.readers.logs.jsontext import load_json
from rankbars.readers.logs.jsonvalues import as_count, parse_time
from rankbars.readers.logs.records import ERROR, SCORED, Measure, Run
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, SIGNATURE, Recognition
from rankbars.readers.scoredrows import item_of, number_of, row_keys
from rankbars.readers.trials import Sheet, Trial, parts_of, spent
from rankbars.tables.columns import ROLES as COLUMNS
from rankbars.tables.columns import fold_name
from rankbars.tables.givenoptions import MAP_ROLES, parse_map
from rankbars.tables.metrics import (
    ends_in_loss,
    is_amount,
    is_plain,
    is_proportion,
    usual_direction,
)
from rankbars.tables.readoptions import ReadOptions

__all__ = ["MAP_FILE", "describe_json", "propose_map", "read", "sniff"]

# A file of paths that counts for all files beside it.
MAP_FILE = "rankbars-map.yaml"

# Counts of right answers beside all answers, and names of columns that hold them.
_COUNTS = {"c": ("c", "numcorrect", "ncorrect", "correctcount"),
           "n": ("n", "numsamples", "nsamples", "samplecount")}  # fmt: skip
_ENDED = ("ok", "success", "completed", "complete", "done", "none", "null", "finished", "scored")
_NOTHING = ("", "nan", "null", "none")

# Answers to one item, at most.
_MOST_ANSWERS = 10_000


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether a map lies beside the file, or its columns are counts of right answers.

    Examples
    --------
    >>> _ = Path("a.csv").write_text("model,item,n,c\na,1,10,3\n")
    >>> sniff(Path("a.csv"), b"model,item,n,c").reason
    'It has columns with the answers to each item, n, and the right ones, c.'
    """
    if (path.parent / MAP_FILE).is_file() and data_suffix(path) in (".json", ".jsonl"):
        return Recognition("map", CERTAIN, f"{MAP_FILE} beside it says where its records lie.")
    columns = _count_columns(path, head)
    if columns:
        what = "item" if "item" in columns else "task"
        return Recognition("map", SIGNATURE, f"It has columns with the answers to each {what}, "
                           f"{columns['n']}, and the right ones, {columns['c']}.")  # fmt: skip
    return None


def _count_columns(path: Path, head: bytes) -> dict[str, str]:
    """Columns by role of a table of counts; nothing if it is none."""
    folded = {fold_name(name): name for name in row_keys(path, head)}
    scores = {fold_name(one) for one in ("score", *COLUMNS["score"].aliases)}
    found = {role: next((folded[one] for one in known if one in folded), "")
             for role, known in _COUNTS.items()}  # fmt: skip
    for role in ("item", "model", "task"):
        known = (role, *COLUMNS[role].aliases, *(COLUMNS[role].weak if role == "item" else ()))
        found[role] = next(
            (folded[fold_name(one)] for one in known if fold_name(one) in folded), ""
        )
    named = found["item"] or found["task"]
    if not (named and found["n"] and found["c"]) or scores & set(folded):
        return {}
    if found["task"] == found["item"]:
        found["task"] = ""
    return {role: name for role, name in found.items() if name}


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Records at the paths of the map, as trials.

    `map` holds the paths.
    """
    counted = [file for file in files if _counts_tasks(_paths(file, options))]
    others = [file for file in files if file not in counted]
    runs = read_all(counted, lambda file: [*_score_tasks(file, _paths(file, options))])
    return [*runs, *parts_of(read_all(others, lambda file: _read(file, options)), options)]


def _paths(file: InputFile, options: ReadOptions) -> dict[str, str]:
    """Paths by role: those that were given, of the map beside the file, or of columns of counts."""
    beside = file.path.parent / MAP_FILE
    paths = dict(options.map) or (parse_map(str(beside)) if beside.is_file() else {})
    return paths or _count_columns(file.path, read_head(file))


def _counts_tasks(paths: Mapping[str, str]) -> bool:
    """Whether records hold how many answers of a whole task are right."""
    return {"task", "n", "c"} <= {*paths} and "item" not in paths


def _score_tasks(file: InputFile, paths: Mapping[str, str]) -> Iterator[Run]:
    """The share of right answers of each model on each task, with its binomial error."""
    said = ", ".join(f"{role} = {path}" for role, path in paths.items())
    note = Note(
        "columns",
        f"{file.label}: {said}; c of n answers of a task are right. If it is one question that "
        "was tried n times: item= in place of task=.",
    )
    seen = dict.fromkeys(paths, False)
    for spot in bind_paths(file, paths):
        for role, value in spot.values.items():
            seen[role] |= value is not None
        if spot.values.get("n") is None and spot.values.get("c") is None:
            continue
        n, c = _counts(spot)
        model = item_of(spot.values.get("model")) or file_stem(file.path)
        task = item_of(spot.values.get("task")) or "all"
        share = c / n if n else None
        measure = Measure("accuracy", value=share, n=n, limits=(0.0, 1.0))
        yield Run(file.label, model, task, {"accuracy": measure}, notes=(note,))
    _refuse_nowhere(file, paths, seen)


def _read(file: InputFile, options: ReadOptions) -> list[Sheet]:
    paths = _paths(file, options)
    if not paths:
        raise ReadError.at(file.label, "no map says where its records lie: --map score=PATH,…")
    sheets: dict[tuple[str, str], Sheet] = {}
    seen: dict[str, bool] = dict.fromkeys(paths, False)
    # A task with one record for each trial is what is answered: an item.
    item = "task" if "trial" in paths and "item" not in paths else "item"
    headers = 0
    for spot in bind_paths(file, paths):
        # What has nothing of a record, such as a first line about the run, is none.
        if not any(value is not None for role, value in spot.values.items() if role != "model"):
            headers += 1
            continue
        for role, value in spot.values.items():
            seen[role] |= value is not None
        model = item_of(spot.values.get("model")) or file_stem(file.path)
        task = item_of(spot.values.get("task")) if item == "item" else None
        names = (model, task or "all")
        if names not in sheets:
            sheets[names] = Sheet(file.label, *names, named="" if seen.get("model") else "file")
        sheets[names].trials += _trials(spot, item, len(sheets[names].trials))
    _refuse_nowhere(file, paths, seen)
    note = Note("columns", f"{file.label}: {', '.join(f'{k} = {v}' for k, v in paths.items())}.")
    passed = []
    if headers:
        what = f"{headers:,} lines have" if headers > 1 else "1 line has"
        text = f"{file.label}: {what} nothing at any path of the map, as where a run is described."
        passed.append(Note("no-records", text))
    for sheet in sheets.values():
        sheet.limits = sheet.limits_of_shares()
        sheet.notes += [note, *passed]
    known = {one.scores.get("score") for sheet in sheets.values() for one in sheet.trials}
    called, asked = _measured(paths.get("score", ""), marks=known <= {0.0, 1.0, None})
    for sheet in sheets.values():
        sheet.called, sheet.asked = called, asked
    return [*sheets.values()]


def _measured(path: str, *, marks: bool) -> tuple[str, bool]:
    """What the score at a path is called, if its name says more, and whether its side is asked.

    The last key tells, and the one above it where that is the mean or the value of something.
    `marks` says whether all scores are 0 and 1.
    """
    keys = [token for token in path_keys(path) if token not in ("[]", "*")]
    if not keys:
        return "", False
    last, both = keys[-1], ".".join(keys[-2:])
    usual = usual_direction(last)
    if usual == "higher":
        return last, False
    lower = usual == "lower" or any(is_amount(name) or ends_in_loss(name) for name in (last, both))
    by_key = path.endswith("*")  # members of an object: its name is that of no measure
    if not lower and (marks or by_key or is_plain(both)):
        return "", False
    return last if usual else both, True


def _number(spot: Spot, role: str) -> float | None:
    """A number, a truth value or a word for one; None for nothing."""
    value = spot.values.get(role)
    word = value.strip().casefold() if isinstance(value, str) else ""
    number = 1.0 if word == "correct" else number_of(value)[0]
    nothing = value is None or value != value or (isinstance(value, str) and word in _NOTHING)
    if number is None and not nothing:
        raise ReadError.at(
            spot.place,
            f"the {role} is {str(value)[:40]!r}, not a number. The map says where it is: "
            f"{role}={spot.paths[role]}.",
        )
    return number


def _trials(spot: Spot, item: str, before: int) -> Iterator[Trial]:
    values = spot.values
    named = item_of(values.get(item)) or str(before)
    if "c" in values:
        n, c = _counts(spot)
        if n > _MOST_ANSWERS:
            raise ReadError.at(
                spot.place,
                f"n = {n} answers to one item are more than {_MOST_ANSWERS:,}. If they are answers "
                "of a task: task= in place of item=.",
            )
        # Counts do not say which run an answer is of: no two answers share a number.
        yield from (Trial(named, {"score": float(place < c)}, number=before + place)
                    for place in range(n))  # fmt: skip
        return
    error = values.get("error")
    failed = error not in (None, False, "", [], {})
    # A word for how a record ended is an error only if it says so.
    if isinstance(error, str) and error.casefold() in _ENDED:
        failed = False
    score = None if failed else _number(spot, "score")
    number = as_count(values.get("trial"))
    yield Trial(
        named,
        {
            "score": score,
            **{name: spent(_number(spot, name))
               for name in ("cost", "seconds")},
        },
        ERROR if failed else SCORED,
        number=number,
        start=parse_time(values.get("time")),
        reason=str(error)[:40] if failed and isinstance(error, str) else "error" if failed else "",
    )  # fmt: skip


def _counts(spot: Spot) -> tuple[int, int]:
    """Answers, and right ones among them."""
    values = spot.values
    n, c = (as_count(_number(spot, role)) for role in ("n", "c"))
    if n is None or c is None or c > n:
        raise ReadError.at(
            spot.place,
            f"expected counts with c at most n, found n = {values.get('n')!r} and c = "
            f"{values.get('c')!r}.",
        )
    return n, c


def _refuse_nowhere(file: InputFile, paths: Mapping[str, str], seen: Mapping[str, bool]) -> None:
    """A path that leads nowhere, with the nearest that leads somewhere."""
    lost = [role for role, found in seen.items() if not found and role != "error"]
    if not lost:
        return
    path = paths[lost[0]]
    known = [*seen_paths(file)]
    if path in known:  # no path has led to a record
        lists = dict.fromkeys(f"{one.rpartition('[]')[0]}[]" for one in paths.values()
                              if "[]" in one)  # fmt: skip
        raise ReadError.at(file.label, f"no records: {', '.join(lists)} is empty or no list.")
    near = difflib.get_close_matches(path, known, n=1, cutoff=0.4)
    last = path.rpartition(".")[2]
    near = near or [one for one in known if one.rpartition(".")[2] == last]
    hint = f" Did you mean {near[0]}?" if near else f" There are: {', '.join(known[:8])}."
    raise ReadError.at(file.label, f"no record has {path} ({lost[0]}).{hint}")


_MOST_LINES = 40  # of a description

# Keys that say what the object around them is called.
_NAMING = ("name", "id", "key", "slug")

# Names of keys by role, the likeliest first, for the line to paste.
_LIKELY: Mapping[str, Sequence[str]] = {
    "score": ("score", "reward", "passed", "is_correct", "correct", "resolved", "success", "r",
              "accuracy", "result", "value", "is_resolved"),
    "item": ("task_id", "item_id", "instance_id", "example_id", "question_id", "case_id", "item",
             "sample_id", "sample.id", "problem_id", "task_name", "task", "case", "question",
             "problem", "id"),
    "model": ("model", "model_name", "agent", "agent_name", "system", "llm", "provider"),
    "trial": ("trial", "attempt", "trial_id", "repeat", "epoch", "seed", "sample", "repetition"),
    "cost": ("cost", "cost_usd", "total_cost", "price"),
    "error": ("error", "exception", "failure", "err", "error_message", "failure_reason"),
}  # fmt: skip


def describe_json(file: InputFile) -> list[str]:
    """What a JSON file holds: paths, types, counts, and a map to paste; nothing for other files.

    Raises
    ------
    ReadError
        If the file is damaged.
    """
    if data_suffix(file.path) not in (".json", ".jsonl"):
        return []
    shape = seen_paths(file)
    if not shape:
        return []
    # Records are lists, most often; what is said of the file as a whole comes behind them.
    shown = sorted(shape, key=lambda path: "[]." not in path and "*." not in path)[:_MOST_LINES]
    width = min(max(map(len, shown)), 60)
    lines = [f"What {file.label} holds (path, type and how many, an example):"]
    for path in shown if len(shape) > _MOST_LINES else shape:
        seen = shape[path]
        types = ", ".join(f"{kind} {count:,}" for kind, count in seen.types.items())
        lines.append(
            f"  {path:<{width}}  {types}" + (f"  {seen.example!r}" if seen.example else "")
        )
    if len(shape) > _MOST_LINES:
        lines.append(f"  and {len(shape) - _MOST_LINES} more paths")
    if told := _map_of(file, shape):
        lines.append(f"To read it, correct and paste: --map '{told}'")
    else:
        roles = ", ".join(MAP_ROLES[:5])
        lines.append(f"To read it, name the paths: --map 'score=PATH,item=PATH' (roles: {roles})")
    return lines


def propose_map(file: InputFile, seen: Mapping[str, str] = MappingProxyType({})) -> str:
    """The option that may read a JSON file whose records lie deeper; how to find it otherwise.

    Parameters
    ----------
    file : InputFile
        The file.
    seen : mapping from str to str, optional
        Paths by what stands there, for a file whose keys do not say what is a model.
    """
    try:
        told = _map_of(file, seen_paths(file))
    except ReadError:
        told = ""
    if seen and "model=" not in told:
        known = parse_map(told) if told else {}
        rest = {role: path for role, path in seen.items() if path not in known.values()}
        told = ",".join(f"{role}={path}" for role, path in {**rest, **known}.items())
    if told:
        return f"To read it by paths: --map '{told}' (in Python: map={parse_map(told)!r})."
    return "`rankbars formats FILE` shows its paths, for --map 'score=PATH,item=PATH'."


def _map_of(file: InputFile, shape: Mapping[str, Seen]) -> str:
    """The likeliest map of a file, with a score; empty if nothing seems to be one."""
    guess = _guess(shape)
    if "score" not in guess:
        guess = _guess_keys(file) or _with_members(guess | _guess_by_kind(shape))
    if "score" not in guess:
        return ""
    return ",".join(f"{role}={path}" for role, path in guess.items())


def _guess_keys(file: InputFile) -> dict[str, str]:
    """Paths for an object of objects whose keys alone say what is what: the fewer are models."""
    outer = load_json(file) if data_suffix(file.path) == ".json" else None
    if not isinstance(outer, dict) or len(outer) < 2:
        return {}
    if not all(isinstance(one, dict) and one for one in outer.values()):
        return {}
    inner = {key for one in outer.values() for key in one}
    answers = [value for one in outer.values() for value in one.values()]
    lists = all(isinstance(one, list) for one in answers)
    singles = [value for one in answers for value in one] if lists else answers
    if len(inner) < 2 or not all(isinstance(one, bool | int | float | None) for one in singles):
        return {}
    model, item = ("*", "*.*") if len(outer) <= len(inner) else ("*.*", "*")
    return {"model": model, "item": item, "score": "*.*[]" if lists else "*.*"}


def _called(path: str, names: Sequence[str]) -> str:
    """The last key of a path, if it is one of the names; of ``llm.name``, ``llm`` counts, too."""
    *above, last = (one.removesuffix("[]").casefold() for one in path.split("."))
    keys = [f"{above[-1]}.{last}", above[-1]] if above and last in _NAMING else []
    return next((key for key in (*keys, last) if key in names), "")


def _guess_by_kind(shape: Mapping[str, Seen]) -> dict[str, str]:
    """Paths of answers that are true or false, whatever they are called, and what is beside."""
    answers = {
        path: sum(seen.types.values())
        for path, seen in shape.items()
        if seen.types.keys() <= {"true/false", "null"} and "true/false" in seen.types
    }
    many = list(answers)
    if len(many) != 1:
        return {}
    found, (holder, _, _) = {"score": many[0]}, many[0].rpartition(".")
    for path, seen in shape.items():
        count = sum(seen.types.values())
        above = path.rpartition("[]")[0]
        beside = path.rpartition(".")[0] == holder and path != many[0]
        if beside and holder.endswith("[]") and count == answers[many[0]]:
            found.setdefault("item", path)
        elif "text" in seen.types and above and holder.startswith(f"{above}[]."):
            found.setdefault("model", path)
    return found


def _guess(shape: Mapping[str, Seen]) -> dict[str, str]:
    """The likeliest path of each role: by its last key, the most frequent first."""
    found: dict[str, str] = {}
    for role, names in _LIKELY.items():
        fitting = [
            (names.index(key), -sum(seen.types.values()), len(path), path)
            for path, seen in shape.items()
            if (key := _called(path, names))
            and path not in found.values()
            and (role != "score" or {"number", "true/false"} & seen.types.keys())
        ]
        if fitting:
            found[role] = min(fitting)[3]
    measured = [
        (not is_proportion(last), -sum(seen.types.values()), path)
        for path, seen in shape.items()
        if (last := path.rpartition(".")[2].removesuffix("[]")) and path not in found.values()
        and usual_direction(last) == "higher" and {"number", "true/false"} & seen.types.keys()
    ]  # fmt: skip
    if "score" not in found and measured:
        found["score"] = min(measured)[2]
    return _with_members(found)


def _with_members(guess: Mapping[str, str]) -> dict[str, str]:
    """The guess, in which keys of objects stand for names that no path has."""
    found = dict(guess)
    # Members of an object that are told apart by their keys alone.
    score = found.get("score", "")
    stars = [score[: at.end()] for at in re.finditer(r"\*", score)]
    listed = bool(stars) and "[]" in score[len(stars[-1]) :]  # items are those of a list in it
    if stars and "item" not in found and not listed:
        found["item"] = stars.pop()
    if stars and "model" not in found:
        found["model"] = stars[-1]
    return {role: found[role] for role in MAP_ROLES if role in found}

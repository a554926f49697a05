"""Arena-Hard-Auto: judgements, one file per model, and leaderboards.

A file of judgements has one row per prompt with two games. In the first one the baseline is shown
first, in the second one the model. Before that (January 2024) a row held one score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, file_stem, read_all
from rankbars.readers.logs.jsontext import first_object, read_json_lines
from rankbars.readers.logs.jsonvalues import (
    as_finite,
    as_mapping,
    as_text,
    label_of,
    score_of,
)
from rankbars.readers.logs.records import Answers, Measure, Run
from rankbars.readers.parts import Comparison, JudgedFile, Leaderboard, Part
from rankbars.readers.recognition import SIGNATURE, Recognition, by_keys
from rankbars.readers.scoredrows import columns_of, read_table
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

UNNAMED = "baseline"
STRONG = 3.0

# What the model shown first, A, gets.
SHARES = {
    "A>>B": 1.0, "A>B": 1.0, "B<A": 1.0, "B<<A": 1.0, "A=B": 0.5, "B=A": 0.5,
    "B>A": 0.0, "B>>A": 0.0, "A<B": 0.0, "A<<B": 0.0,
}  # fmt: skip

# Half the width of a normal 95 % interval, in standard errors.
HALF_WIDTH = 1.959963984540054

_TABLE = ("model", "score", "rating_q025", "rating_q975")
_ROWS = {
    "Arena-Hard judgements": ("uid", "games"),
    "Arena-Hard judgements of prompts": ("question_id", "games"),
    "early Arena-Hard judgements": ("question_id", "model", "judgment", "score"),
}


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file holds judgements or a leaderboard of Arena-Hard-Auto.

    Examples
    --------
    >>> head = b'{"uid": "1", "model": "m", "games": [{"score": "A>B"}, null]}\\n'
    >>> sniff(Path("m.jsonl"), head).format
    'arena-hard'
    """
    if data_suffix(path) == ".csv":
        return by_keys("arena-hard", columns_of(path, head), {"an Arena-Hard leaderboard": _TABLE})
    if data_suffix(path) != ".jsonl" and path.name != "stdin":
        return None
    row = first_object(head)
    keys = all(key in head for key in (b'"games"', b'"judge"', b'"model"'))
    if row is None and keys and head.lstrip().startswith((b'{"uid"', b'{"question_id"')):
        return Recognition("arena-hard", SIGNATURE, "It starts like Arena-Hard judgements.")
    # Grades of MT-bench have the same keys, and turns.
    return None if row and "turn" in row else by_keys("arena-hard", row or (), _ROWS)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Votes of Arena-Hard-Auto, scores of prompts, and win rates of leaderboards.

    A filter that names a judge or a baseline, and the column ``weight`` named ``strength``, which
    counts strong verdicts as the producer does, are heeded later.
    """
    return read_all(files, lambda file: _read_file(file, options))


def _read_file(file: InputFile, options: ReadOptions) -> list[Part]:
    if data_suffix(file.path) == ".csv":
        instead = "Leaderboards are not read: they sum up judgements like those that are."
        return [Leaderboard(file.label, tuple(_read_table(file, options)), instead)]
    rows, runs = _read_judgements(file)
    if not rows:
        return [*runs]
    judged = JudgedFile(
        file.label, tuple(rows), "Arena-Hard", ordered=True, shared=("judge",), unnamed=UNNAMED
    )
    return [judged, *runs]


def _read_judgements(file: InputFile) -> tuple[list[Comparison], list[Run]]:
    """Votes of a file, or the scores of its one run."""
    rows: list[Comparison] = []
    answers: dict[tuple[str, str], Answers] = {}
    for number, row in read_json_lines(file):
        place = f"{file.label}, row {number}"
        prompt = label_of(row.get("uid", row.get("question_id")), place, "the name of the prompt")
        if prompt is None:
            raise ReadError.at(place, "there is no uid or question_id that names the prompt.")
        model = _short(as_text(row.get("model")) or file_stem(file.path))
        judge = as_text(row.get("judge")) or _judge_of_path(file)
        if "games" in row:
            rows += _games(file, row, (model, judge, prompt), number)
            continue
        score = as_finite(score_of(row.get("score"), place))
        found = answers.setdefault((model, judge), Answers(("question_id", "position")))
        found.add(prompt, {"score": score})
    runs = [
        Run(
            file.label,
            model,
            _bench(file),
            {"score": Measure("score", scores=found.column("score"))},
            rows=found.rows(),
            setup={"judge": judge} if judge else {},
        )
        for (model, judge), found in answers.items()
    ]
    return rows, runs


def _games(
    file: InputFile, row: Mapping[str, Any], names: tuple[str, str, str], number: int
) -> Iterator[Comparison]:
    place = f"{file.label}, row {number}"
    model, judge, prompt = names
    baseline = _short(as_text(row.get("baseline")) or UNNAMED)
    games = row["games"]
    if not isinstance(games, list):
        raise ReadError.at(place, "'games' is not a list.")
    if model == baseline:
        raise ReadError.at(place, f"model {model!r} is compared with itself.")
    for turn, game in enumerate(games):
        first, second = (baseline, model) if turn % 2 == 0 else (model, baseline)
        share, strength = _verdict(as_mapping(game).get("score"), place)
        category = as_text(row.get("category"))
        yield Comparison(
            first, second, share, model, baseline, judge, category or _bench(file), prompt, turn,
            strength, "", file.label, number,
        )  # fmt: skip


def _verdict(score: object, place: str) -> tuple[float | None, float]:
    """What the model shown first gets, and how often the producer counts it."""
    if score is None or score == "" or score != score:  # NaN
        return None, 1.0
    if not isinstance(score, str) or score not in SHARES:
        raise ReadError.at(
            place,
            f"the verdict {str(score)[:40]!r} is not known. Expected A>>B, A>B, A=B, B>A or B>>A.",
        )
    return SHARES[score], STRONG if ">>" in score or "<<" in score else 1.0


def _short(name: str) -> str:
    """The part after the last slash, as the producer does."""
    return name.rpartition("/")[2] or name


def _parents(file: InputFile) -> list[str]:
    return [folder.name for folder in file.path.resolve().parents]


def _judge_of_path(file: InputFile) -> str:
    """Folder between ``model_judgment`` and the file."""
    folders = _parents(file)
    return folders[0] if folders[1:2] == ["model_judgment"] else ""


def _bench(file: InputFile) -> str:
    """Folder that holds ``model_judgment``."""
    folders = _parents(file)
    if "model_judgment" in folders:
        above = folders[folders.index("model_judgment") + 1 :]
        return (above[0] if above else "") or "arena-hard"
    return "arena-hard"


def _read_table(file: InputFile, options: ReadOptions) -> Iterator[Run]:
    note = Note(
        "from-intervals",
        f"{file.label}: standard errors are taken from rating_q025 and rating_q975 as from a 95 % "
        "interval.",
    )
    for place, cells in read_table(file, whole=True):
        try:
            value, low, high = (float(cells[name]) for name in _TABLE[1:])
        except ValueError as error:
            raise ReadError.at(place, f"a score is no number ({error}).") from error
        measure = Measure(
            "win rate",
            value=value,
            se=max(high - low, 0.0) / (2.0 * HALF_WIDTH),
            metric="win rate in percent",
            direction="higher",
            origin="it is the share of wins",
            limits=(0.0, 100.0),
        )
        task, measures = options.task_after(file_stem(file.path)), {"win rate": measure}
        yield Run(file.label, cells["model"], task, measures, notes=(note,))

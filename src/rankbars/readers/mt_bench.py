"""MT-bench, as FastChat judges it: grades of single answers, and games between two models.

A row of grades is one turn of a question. A row of games holds two, with the sides swapped in the
second one; the producer counts a win where both games have one winner, and a tie elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rankbars.data.notes import Note
from rankbars.errors import ReadError
from rankbars.readers.inputfiles import InputFile, data_suffix, read_all
from rankbars.readers.logs.jsontext import first_object, read_json_lines
from rankbars.readers.logs.jsonvalues import as_finite, as_list, as_text, label_of, score_of
from rankbars.readers.logs.records import SCORED, UNSCORED
from rankbars.readers.parts import Part, VoteTable
from rankbars.readers.recognition import Recognition, by_keys
from rankbars.readers.tables import name_files
from rankbars.readers.trials import Sheet, Trial, parts_of
from rankbars.readers.votefiles import FILE_TASK
from rankbars.tables.parsedtables import FileNames
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.valuetables import Chunk, ValueTable
from rankbars.tables.votes.votetables import scores_of_votes

__all__ = ["read", "sniff"]

_KINDS = {
    "grades of MT-bench": ("question_id", "model", "judge", "score", "turn"),
    "games of MT-bench": ("question_id", "model_1", "model_2", "g1_winner", "g2_winner"),
}
_LIMITS = (1.0, 10.0)
_UNRATED = -1.0  # the producer found no grade in what the judge wrote
_WORTH = {"model_1": 1.0, "model_2": 0.0, "tie": 0.5}


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file holds judgements that FastChat made for MT-bench.

    Examples
    --------
    >>> row = '{"question_id": 81, "model": "m", "judge": ["j", "v1"], "score": 7, "turn": 1}\n'
    >>> sniff(Path("gpt-4_single.jsonl"), row.encode()).format
    'mt-bench'
    """
    if data_suffix(path) != ".jsonl" and path.name != "stdin":
        return None
    row = first_object(head) or {}
    if not isinstance(row.get("judge", []), list):
        return None
    return by_keys("mt-bench", row, _KINDS)


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Answers to questions, or votes of which each rests on two games."""
    games = [file for file in files if _holds_games(file)]
    grades = [file for file in files if file not in games]
    return [
        *parts_of(read_all(grades, _read_grades), options),
        *(
            _read_votes(file, options, names)
            for file, names in zip(games, name_files(games), strict=True)
        ),
    ]


def _holds_games(file: InputFile) -> bool:
    return any("g1_winner" in row for _, row in islice(read_json_lines(file), 1))


def _judge_of(row: Mapping[str, Any]) -> str:
    """The model that judged; beside it stands which prompt it was given."""
    return as_text(next(iter(as_list(row.get("judge"))), None)) or ""


def _question_of(row: Mapping[str, Any], place: str) -> str:
    question = label_of(row.get("question_id"), place, "the name of the question")
    if question is None:
        raise ReadError.at(place, "there is no question_id.")
    return question


def _read_grades(file: InputFile) -> list[Sheet]:
    """Turns of a question are answers to it, and no runs of all questions."""
    sheets: dict[tuple[str, str], Sheet] = {}
    for number, row in read_json_lines(file):
        place = f"{file.label}, row {number}"
        question, model = _question_of(row, place), as_text(row.get("model"))
        if not model:
            raise ReadError.at(place, "there is no model.")
        score = as_finite(score_of(row.get("score"), place))
        score = None if score == _UNRATED else score
        if score is not None and not _LIMITS[0] <= score <= _LIMITS[1]:
            raise ReadError.at(place, f"the grade {score:g} lies outside of 1 to 10.")
        judge = _judge_of(row)
        if (model, judge) not in sheets:
            system = {"judge": judge} if judge else {}
            sheets[model, judge] = Sheet(
                file.label, model, "mt-bench", limits=_LIMITS, system=system
            )
        sheets[model, judge].trials.append(
            Trial(
                question,
                {"score": score},
                UNSCORED if score is None else SCORED,
                number=number,  # two turns of two questions are no run
                identity=f"{question} {row.get('turn')} {judge}",
                reason="the judge gave no grade" if score is None else "",
            )
        )
    return [*sheets.values()]


def _read_votes(file: InputFile, options: ReadOptions, names: FileNames) -> VoteTable:
    columns: dict[str, list[object]] = {
        name: [] for name in ("model_a", "model_b", "score", "prompt", "judge")
    }
    whole = front = decided = apart = 0
    for number, row in read_json_lines(file):
        place = f"{file.label}, row {number}"
        models = [as_text(row.get(name)) for name in ("model_1", "model_2")]
        if not all(models):
            raise ReadError.at(place, "model_1 or model_2 is not there.")
        won = [_winner_of(row, game, place) for game in ("g1_winner", "g2_winner")]
        known = None not in won
        if known:  # model_1 stands in front in the first game, model_2 in the second
            whole += 1
            front += (won[0] == 1.0) + (won[1] == 0.0)
            decided += sum(one != 0.5 for one in won)
            apart += won[0] != won[1]
        share = None if not known else won[0] if won[0] == won[1] else 0.5
        cells = (*models, share, _question_of(row, place), _judge_of(row))
        for cell, column in zip(cells, columns.values(), strict=True):
            column.append(cell)

    def read_chunks(wanted: Sequence[str]) -> Iterator[Chunk]:
        yield {name: columns[name] for name in wanted}

    table = ValueTable(file.label, tuple(columns), read_chunks)
    scores = scores_of_votes(table, options, FILE_TASK, part=True)
    told = (
        f" Of {decided:,} games with a winner, the answer shown first won "
        f"{100 * front / decided:.0f} %; a judge without a liking for a side gives it half."
        if decided
        else ""
    )
    text = (
        f"{file.label}: a vote rests on two games with the sides swapped: a win where one model "
        f"won both, else a tie. In {apart:,} of {whole:,} pairs the games "
        f"disagree.{told}"
    )
    return VoteTable(file.label, scores, names, (Note("swapped-games", text),))


def _winner_of(row: Mapping[str, Any], game: str, place: str) -> float | None:
    """What the first model gets of a game; None where the judge gave no verdict."""
    word = row.get(game)
    if word in (None, "error"):
        return None
    if not isinstance(word, str) or word not in _WORTH:
        raise ReadError.at(
            place, f"{game} is {str(word)[:40]!r}. Expected model_1, model_2, tie or error."
        )
    return _WORTH[word]

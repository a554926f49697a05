"""Votes that tools write: AlpacaEval, Arena-Hard, counts per pair, and dumps of arenas."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankbars as rb
from rankbars.data.evidence import Estimates, Items, Votes
from rankbars.readers import explain

FIXTURES = Path(__file__).parent.parent / "data" / "fixtures"
ALPACA = FIXTURES / "alpaca_eval"
ARENA = FIXTURES / "arena_hard"
WEIGHTED, PLAIN = "weighted_alpaca_eval_gpt4_turbo", "alpaca_eval_gpt4"
BASELINE = "gpt4_1106_preview"
COUNTS = FIXTURES / "votes" / "pairs" / "pair_counts_chatbotarena_20240814.json"


def votes(scores: rb.Scores, task: str) -> Votes:
    evidence = scores.tasks[task]
    assert isinstance(evidence, Votes)
    return evidence


def share(found: Votes, model: str, other: str) -> float:
    """What a model got of its votes with another one; ties count half."""
    i, j = found.models.index(model), found.models.index(other)
    ties = 0.0 if found.ties is None else found.ties[i, j]
    return float((found.wins[i, j] + ties / 2) / found.met[i, j])


def codes(scores: rb.Scores) -> set[str]:
    return {note.code for note in scores.notes}


# AlpacaEval


def annotation(preference: object, number: int = 0, **more: Any) -> dict[str, Any]:
    return {"instruction": f"SECRET {number}", "output_1": "SECRET", "generator_1": "base",
            "output_2": "SECRET", "generator_2": "m", "annotator": "judge", "dataset": "d",
            "preference": preference} | more  # fmt: skip


def write_annotations(folder: Path, rows: Sequence[object], model: str = "m") -> Path:
    path = folder / model / "judge" / "annotations.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(rows))
    return path


def test_preferences_add_up_to_the_share_of_the_model() -> None:
    scores = rb.read(ALPACA / "results", filter=WEIGHTED)
    found = votes(scores, "AlpacaEval")
    assert found.models == ("NullModel", "alpaca-7b", "claude-2", BASELINE)
    assert share(found, "claude-2", BASELINE) == pytest.approx(0.125797, abs=1e-6)
    assert share(found, "alpaca-7b", BASELINE) == pytest.approx(0.009272, abs=1e-6)
    assert share(found, "NullModel", BASELINE) == pytest.approx(0.811885, abs=1e-6)
    assert found.n == 150
    assert found.ballots is not None
    assert found.ballots.labels["prompt"].groups == 50


def test_the_folder_names_the_model_and_the_difference_is_said() -> None:
    scores = rb.read(ALPACA / "results" / "NullModel")
    assert "NullModel" in scores.models
    (note,) = (note for note in scores.notes if note.code == "model-renamed")
    assert "'example' inside and 'NullModel'" in note.message


def test_the_old_code_of_a_draw_is_a_draw_and_null_is_no_vote() -> None:
    scores = rb.read(ALPACA / "results" / "Yi-34B-Chat")
    found = votes(scores, "AlpacaEval")
    assert found.n == 53
    assert found.ties is not None
    assert found.ties.sum() / 2 == 3
    assert share(found, "Yi-34B-Chat", "text_davinci_003") == pytest.approx(0.971698, abs=1e-6)
    assert "votes-unscored" in codes(scores)


def test_other_judges_and_baselines_are_not_mixed() -> None:
    with pytest.raises(rb.DataError, match=rf"'{PLAIN}': 'Yi-34B-Chat'.*--filter"):
        rb.read(ALPACA / "results")
    apart = rb.read(ALPACA / "results", compare_anyway=True)
    assert len(apart.tasks) == 2
    with pytest.raises(rb.UnknownOptionError, match="filter"):
        rb.read(ALPACA / "results", filter="gpt-4")


def test_a_leaderboard_gives_win_rates_in_percent() -> None:
    scores = rb.read(ALPACA / "leaderboards")
    (found,) = scores.tasks.values()
    assert isinstance(found, Estimates)
    assert found.se is not None
    assert found.n is not None
    place = found.models.index("claude-2")
    assert found.mean[place] == pytest.approx(17.188, abs=1e-3)
    assert found.se[place] == pytest.approx(1.175, abs=1e-3)
    assert found.n[place] == 805


def test_the_first_of_two_columns_without_a_name_is_the_model(tmp_path: Path) -> None:
    path = tmp_path / "board.csv"
    path.write_text(",win_rate,standard_error,n_total,\na,50.1,1.2,805,x\nb,60.1,1.3,805,y\n")
    assert rb.read(path).models == ("a", "b")


def test_a_fitted_win_rate_may_lack_its_error() -> None:
    (found,) = rb.read(ALPACA / "leaderboards", metric="length_controlled_winrate").tasks.values()
    assert isinstance(found, Estimates)
    assert found.se is not None
    place = found.models.index("claude-2")
    assert found.mean[place] == pytest.approx(28.155, abs=1e-3)
    assert np.isnan(found.se[place])


def test_annotations_count_and_their_leaderboard_does_not() -> None:
    scores = rb.read(ALPACA, filter=WEIGHTED)
    assert list(scores.tasks) == ["AlpacaEval"]
    assert "groups" in codes(scores)


def test_preferences_out_of_range_are_left_out(tmp_path: Path) -> None:
    rows = [annotation(value, k) for k, value in enumerate([1, 2, 1.5, 2.5, -1])]
    scores = rb.read(write_annotations(tmp_path, rows))
    assert votes(scores, "AlpacaEval").n == 3
    assert "votes-outside" in codes(scores)


def test_a_copy_in_a_nested_folder_counts_once(tmp_path: Path) -> None:
    path = write_annotations(tmp_path, [annotation(1, 0), annotation(2, 1)])
    shutil.copytree(path.parent, tmp_path / "m" / "m" / "judge")
    scores = rb.read(tmp_path)
    assert votes(scores, "AlpacaEval").n == 2
    assert "copies" in codes(scores)


def test_two_verdicts_of_one_kind_are_not_chosen_from(tmp_path: Path) -> None:
    write_annotations(tmp_path, [annotation(1, 0)])
    write_annotations(tmp_path / "again", [annotation(2, 0)])
    with pytest.raises(rb.DataError, match="row 1: model 'm' was judged on this prompt before"):
        rb.read(tmp_path)
    assert votes(rb.read(tmp_path, reruns="all"), "AlpacaEval").n == 2


def test_fewer_instructions_are_said(tmp_path: Path) -> None:
    write_annotations(tmp_path, [annotation(1, 0), annotation(1, 1)])
    write_annotations(tmp_path, [annotation(1, 0, generator_2="k")], "k")
    (note,) = (note for note in rb.read(tmp_path).notes if note.code == "coverage")
    assert "'k' on 1" in note.message


def test_no_text_of_an_instruction_is_kept(tmp_path: Path) -> None:
    write_annotations(tmp_path, [annotation(1, 0), annotation(2, 1)])
    write_annotations(tmp_path, [annotation(1, 0, generator_2="k")], "k")
    found = votes(rb.read(tmp_path), "AlpacaEval")
    assert found.ballots is not None
    assert "SECRET" not in repr(found.ballots.labels)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([annotation(1), {"generator_1": "a"}], "record 2: expected an object"),
        ([annotation("good")], "record 1: the preference is 'good'"),
        ([annotation(1, generator_1=None)], "record 1: a generator has no name"),
    ],
)
def test_a_damaged_annotation_is_named(tmp_path: Path, rows: list[object], message: str) -> None:
    with pytest.raises(rb.ReadError, match=rf"annotations\.json, {message}"):
        rb.read(write_annotations(tmp_path, rows))


# Arena-Hard


def judgement(uid: str, first: object, second: object, **more: Any) -> dict[str, Any]:
    games = [None if one is None else {"score": one, "judgment": {"answer": "SECRET"}}
             for one in (first, second)]  # fmt: skip
    return {"uid": uid, "category": "hard", "judge": "j", "model": "org/m", "baseline": "base",
            "games": games} | more  # fmt: skip


def write_judgements(folder: Path, rows: Sequence[object], name: str = "m") -> Path:
    path = folder / "bench" / "model_judgment" / "j" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_model_is_shown_second_in_the_first_game(tmp_path: Path) -> None:
    scores = rb.read(write_judgements(tmp_path, [judgement("q", "B>>A", "A>B")]))
    found = votes(scores, "hard")
    assert found.models == ("base", "m")
    assert found.wins.tolist() == [[0, 0], [2, 0]]
    assert found.ballots is not None
    assert found.ballots.position is not None
    assert found.ballots.labels["prompt"].groups == 1


@pytest.mark.parametrize(
    ("verdict", "expected"),
    [("A>>B", 1), ("A>B", 1), ("A=B", 0.5), ("B=A", 0.5), ("B>A", 0), ("B>>A", 0), ("A<B", 0),
     ("A<<B", 0), ("B<A", 1), ("B<<A", 1)],
)  # fmt: skip
def test_every_verdict_is_known(tmp_path: Path, verdict: str, expected: float) -> None:
    path = write_judgements(tmp_path, [judgement("q", None, verdict)])
    assert share(votes(rb.read(path), "hard"), "m", "base") == expected


def test_strong_verdicts_count_once_unless_asked(tmp_path: Path) -> None:
    path = write_judgements(tmp_path, [judgement("q", "B>>A", "B>A"), judgement("r", "A=B", "A=B")])
    scores = rb.read(path)
    assert votes(scores, "hard").wins.sum() == 2
    assert "strong-verdicts" in codes(scores)
    weighted = rb.read(path, columns={"weight": "strength"})
    # The producer's score: 3 for the strong win, 1 for the loss, four half ones... of 6 rows.
    assert share(votes(weighted, "hard"), "m", "base") == pytest.approx((3 + 0 + 0.5 * 2) / 6)


@pytest.mark.parametrize("missing", [None, "", float("nan")], ids=str)
def test_a_missing_game_is_no_vote(tmp_path: Path, missing: object) -> None:
    rows = [judgement("q", "A>B", missing), judgement("r", "A>B", "A>B")]
    scores = rb.read(write_judgements(tmp_path, rows))
    assert votes(scores, "hard").n == 3
    assert "votes-unscored" in codes(scores)


def test_categories_with_baselines_of_their_own_are_tasks(tmp_path: Path) -> None:
    rows = [judgement("q", "A>B", "A>B"),
            judgement("w", "A>B", "A>B", category="creative", baseline="other")]  # fmt: skip
    scores = rb.read(write_judgements(tmp_path, rows))
    assert {task: votes(scores, task).models for task in scores.tasks} == {
        "hard": ("base", "m"), "creative": ("m", "other"),
    }  # fmt: skip
    assert "baselines" in codes(scores)


def test_several_judges_are_refused(tmp_path: Path) -> None:
    write_judgements(tmp_path, [judgement("q", "A>B", "A>B")])
    write_judgements(tmp_path, [judgement("q", "A>B", "A>B", judge="k", model="n")], "n")
    with pytest.raises(rb.DataError, match="do not share one judge"):
        rb.read(tmp_path)
    assert rb.read(tmp_path, filter="k").models == ("base", "n")


def test_early_judgements_with_games_do_not_name_the_baseline(tmp_path: Path) -> None:
    row = {"question_id": "q", "model": "m", "judge": "j",
           "games": [{"user_prompt": "S", "judgment": "S", "score": "A=B"}] * 2}  # fmt: skip
    scores = rb.read(write_judgements(tmp_path, [row]))
    assert votes(scores, "bench").models == ("baseline", "m")
    assert "baseline-unnamed" in codes(scores)


def test_one_score_per_question_is_no_vote() -> None:
    scores = rb.read(ARENA / "legacy_single_score")
    (found,) = scores.tasks.values()
    assert isinstance(found, Items)
    assert found.models == ("Llama-2-70b-chat", "claude-2", "gpt-4-0314")
    assert np.nanmean(found.values, axis=0).tolist() == pytest.approx(
        [5.46, 7.34, 8.6531], abs=1e-4
    )
    (coverage,) = (info.coverage for info in scores.info.values())
    assert coverage is not None
    assert coverage.unscored.tolist() == [0, 0, 1]


def test_battles_are_votes_that_share_questions() -> None:
    (found,) = rb.read(ARENA / "data").tasks.values()
    assert isinstance(found, Votes)
    assert (found.n, len(found.models)) == (528, 4)
    assert found.ballots is not None
    assert found.ballots.labels["prompt"].groups == 40


def test_a_leaderboard_has_errors_from_its_intervals() -> None:
    scores = rb.read(ARENA / "leaderboard")
    (found,) = scores.tasks.values()
    (note,) = (note.message for note in scores.notes if note.code == "direction")
    assert "it is the share of wins" in note
    assert isinstance(found, Estimates)
    assert found.se is not None
    place = found.models.index("gpt-4-turbo-2024-04-09")
    assert found.mean[place] == 82.63
    assert found.se[place] == pytest.approx((84.6 - 80.75) / (2 * 1.959964), abs=1e-6)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (judgement("q", "A>B", "A wins"), "the verdict 'A wins' is not known"),
        (judgement("q", "A>B", 5), "the verdict '5' is not known"),
        (judgement("q", "A>B", "A>B", games="x"), "'games' is not a list"),
        (judgement("q", "A>B", "A>B", model="base"), "is compared with itself"),
        (judgement("", "A>B", "A>B"), "there is no uid"),
    ],
)
def test_a_damaged_judgement_is_named(tmp_path: Path, row: object, message: str) -> None:
    path = write_judgements(tmp_path, [judgement("a", "A>B", "A>B"), row])
    with pytest.raises(rb.ReadError, match=rf"m\.jsonl, row 2: .*{message}"):
        rb.read(path)


# Counts per pair, and dumps of arenas


def test_counts_per_pair_keep_ties_and_both_bad_apart() -> None:
    (found,) = rb.read(COUNTS).tasks.values()
    assert isinstance(found, Votes)
    assert len(found.models) == 8
    assert found.ties is not None
    assert found.both_bad is not None
    assert found.wins.sum() == 16635 + 15558
    assert (found.ties.sum() / 2, found.both_bad.sum() / 2) == (8804, 7624)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"models": ["a", 1], "X": [], "Y": []}, "not a list of names"),
        ({"models": ["a", "b"], "X": [[0, 1]], "Y": []}, "two lists of one length"),
        ({"models": ["a", "b"], "X": [[0, 2]], "Y": [[1, 1]]}, "beyond the last"),
        ({"models": ["a", "b"], "X": [[0, 0]], "Y": [[1, 1]]}, "two models by position"),
        ({"models": ["a", "b"], "X": [[0, 1]], "Y": [[1, -1]]}, "two to four counts"),
        ({"models": ["a", "a"], "X": [[0, 1]], "Y": [[1, 1]]}, "cannot be used"),
    ],
)
def test_wrong_counts_are_named(tmp_path: Path, content: object, message: str) -> None:
    path = tmp_path / "counts.json"
    path.write_text(json.dumps(content))
    with pytest.raises(rb.ReadError, match=rf"counts\.json: .*{message}"):
        rb.read(path)


def test_an_arena_dump_keeps_anonymous_votes(tmp_path: Path) -> None:
    rows = [
        {"question_id": f"q{k}", "model_a": "a", "model_b": "b", "judge": f"u{k % 3}",
         "winner": ["model_a", "model_b", "tie", "tie (bothbad)", "both_bad"][k % 5],
         "turn": 1, "anony": k != 9, "language": "English", "tstamp": 1.7e9 + k,
         "conversation_a": [{"role": "user", "content": "SECRET"}],
         "conv_metadata": {"header_count_a": {"h1": 0}}}
        for k in range(10)
    ]  # fmt: skip
    path = tmp_path / "clean_battle.json"
    path.write_text(json.dumps(rows))
    scores = rb.read(path)
    found = votes(scores, "clean_battle")
    assert found.n == 9
    assert found.both_bad is not None
    assert found.both_bad.sum() / 2 == 3
    assert "votes-not-anonymous" in codes(scores)


def test_a_column_for_each_outcome_is_read(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    path.write_text(
        "id,model_a,model_b,winner_model_a,winner_model_b,winner_tie\n"
        "1,a,b,1,0,0\n2,a,b,0,1,0\n3,a,b,0,0,1\n4,b,a,0,1,0\n"
    )
    found = votes(rb.read(path), "train")
    assert found.wins.tolist() == [[0, 2], [1, 0]]
    assert found.ties is not None
    assert found.ties[0, 1] == 1


def test_each_file_is_recognised_as_what_it_is() -> None:
    assert {report.format for report in explain(ALPACA)} == {"alpaca-eval", None}
    assert explain(COUNTS)[0].format == "pair-counts"
    found = {report.path.rpartition("/")[2]: report.format for report in explain(ARENA)}
    assert found["arena_hard_battles.jsonl"] == "votes"
    assert found["claude-2.jsonl"] == "arena-hard"


def test_one_damaged_file_does_not_stop_the_others(tmp_path: Path) -> None:
    write_annotations(tmp_path / "alpaca", [annotation(1, 0), annotation(2, 1)])
    write_annotations(tmp_path / "alpaca", [annotation("x")], "k")
    write_judgements(tmp_path / "arena", [judgement("q", "A>B", "A>B")])
    write_judgements(tmp_path / "arena", [judgement("q", "?", "A>B", model="k")], "k")
    for folder in ("alpaca", "arena"):
        scores = rb.read(tmp_path / folder)
        assert "m" in scores.models
        assert "k" not in scores.models
        assert "files-damaged" in codes(scores)


def test_data_sets_of_alpaca_eval_can_be_tasks(tmp_path: Path) -> None:
    rows = [annotation(1 + k % 2, k, dataset=f"set{k % 3}") for k in range(6)]
    path = write_annotations(tmp_path, rows)
    scores = rb.read(path)
    assert list(scores.tasks) == ["AlpacaEval"]
    assert "categories-unused" in codes(scores)
    apart = rb.read(path, columns={"category": "category"})
    assert list(apart.tasks) == ["set0", "set1", "set2"]


def test_a_folder_that_is_no_annotators_does_not_rename(tmp_path: Path) -> None:
    path = tmp_path / "NullModel" / "annotations.json"
    path.parent.mkdir()
    path.write_text(json.dumps([annotation(1), annotation(2, 1)]))
    scores = rb.read(path)
    assert scores.models == ("base", "m")
    (note,) = (note for note in scores.notes if note.code == "model-name")
    assert "'m', as the file says; its folder is called 'NullModel'" in note.message

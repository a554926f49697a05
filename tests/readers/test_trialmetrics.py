"""pass@k and pass^k of what was read, and JSON of unknown tools by paths."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tablefiles import codes, message

import rankbars as rb
from rankbars.cli.app import run
from rankbars.data.evidence import Estimates, Items

FIXTURES = Path(__file__).parent.parent / "data" / "fixtures"
# Tasks of tau-bench airline by how many of four trials gpt-4o solved, and what its authors print.
SOLVED = (14, 12, 10, 4, 10)
PRINTED = {1: 0.420, 2: 0.273, 3: 0.220, 4: 0.200}


def write_airline(path: Path, solved: tuple[int, ...] = SOLVED) -> Path:
    counts = [c for c, tasks in enumerate(solved) for _ in range(tasks)]
    records = [
        {"task_id": task, "trial": trial, "reward": float(trial < c), "info": {}, "traj": []}
        for trial in range(4)
        for task, c in enumerate(counts)
    ]
    path.write_text(json.dumps(records))
    return path


def mean(scores: rb.Scores) -> Any:
    (evidence,) = scores.tasks.values()
    assert isinstance(evidence, Items)
    return evidence.values.mean(axis=0)


def write_table(path: Path, rows: list[tuple[Any, ...]], header: str) -> Path:
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def trials_table(path: Path, answers: dict[str, dict[str, list[float]]]) -> Path:
    rows = [(model, item, trial, score)
            for model, items in answers.items() for item, scores in items.items()
            for trial, score in enumerate(scores)]  # fmt: skip
    return write_table(path, rows, "model,item,trial,score")


@pytest.mark.parametrize("k", PRINTED)
def test_published_figures_of_tau_bench_are_met_to_the_last_digit(tmp_path: Path, k: int) -> None:
    path = write_airline(tmp_path / "gpt-4o-airline.json")
    found = rb.read(path, metric=f"pass^{k}")
    assert round(float(mean(found)[0]), 3) == PRINTED[k]
    assert found.info["airline"].metric == f"pass^{k}"
    assert message(found, "trial-metric").startswith(f"pass^{k}: ")


def test_samples_of_evalplus_give_what_it_prints_and_more() -> None:
    toy = FIXTURES / "evalplus" / "toy"
    expected = {"pass@1": 19 / 30, "pass@2": 53 / 60, "pass@5": 1.0, "pass^2": 23 / 60, "pass^5": 0}
    for metric, value in expected.items():
        assert mean(rb.read(toy, metric=metric))[0] == pytest.approx(value, abs=1e-12)


def test_the_biased_form_has_its_own_name(tmp_path: Path) -> None:
    path = write_airline(tmp_path / "gpt-4o-airline.json")
    found = rb.read(path, metric="pass^2-plugin")
    assert round(float(mean(found)[0]), 3) == 0.310
    assert "biased" in message(found, "trial-metric")


def test_one_answer_is_the_plain_board(tmp_path: Path) -> None:
    path = trials_table(tmp_path / "t.csv", {
        "a": {"1": [1, 0], "2": [1, 1]}, "b": {"1": [0, 0], "2": [1, 0]},
    })  # fmt: skip
    plain, one = rb.read(path), rb.read(path, metric="pass@1")
    assert mean(one).tolist() == mean(plain).tolist() == [0.75, 0.25]


@pytest.mark.parametrize(("metric", "words"), [
    ("pass^5", r"pass\^5 needs 5 answers to every item, and 'a' has 4 on item '3'. Possible here: "
               r"pass\^1 to pass\^4"),
    ("pass@0", "'pass@0' needs"),
])  # fmt: skip
def test_more_answers_than_there_are_is_refused_with_what_is_possible(
    tmp_path: Path, metric: str, words: str
) -> None:
    answers = {"1": [1.0] * 5, "2": [0.0] * 5, "3": [1.0, 0.0, 1.0, 1.0]}
    path = trials_table(tmp_path / "t.csv", {"a": answers, "b": dict(answers, **{"3": [1.0] * 6})})
    with pytest.raises((rb.DataError, rb.OptionError), match=words):
        rb.read(path, metric=metric)


def test_graded_answers_have_a_best_and_no_pass(tmp_path: Path) -> None:
    path = trials_table(tmp_path / "t.csv", {
        "a": {"1": [0.2, 0.4, 0.9], "2": [0.5, 0.5, 0.5]},
        "b": {"1": [0.1, 0.4, 0.3], "2": [0.0, 0.5, 1.0]},
    })  # fmt: skip
    with pytest.raises(rb.DataError, match=r"neither\. best@2 takes the best"):
        rb.read(path, metric="pass^2")
    best = mean(rb.read(path, metric="best@2"))
    assert best == pytest.approx([((0.4 + 0.9 + 0.9) / 3 + 0.5) / 2, ((0.4 + 0.4 + 0.3) / 3
                                  + (0.5 + 1.0 + 1.0) / 3) / 2])  # fmt: skip


def test_trials_that_stopped_at_the_first_success_are_asked_about(tmp_path: Path) -> None:
    stopped = {"1": [1.0], "2": [0.0, 1.0], "3": [0.0, 0.0, 0.0], "4": [0.0, 0.0, 1.0]}
    path = trials_table(tmp_path / "t.csv", {"a": stopped, "b": stopped})
    with pytest.raises(rb.DataError, match=r"stopped at the first right one.*--trials fixed"):
        rb.read(path, metric="pass@1")
    fixed = rb.read(path, metric="pass@1", trials="fixed")
    assert mean(fixed)[0] == pytest.approx((1 + 0.5 + 1 / 3) / 4)


def test_counts_of_right_answers_stand_for_them(tmp_path: Path) -> None:
    rows = [("a", 1, 10, 3), ("a", 2, 10, 5), ("b", 1, 10, 4), ("b", 2, 10, 0)]
    for header in ("model,item,n,c", "model,problem,num_samples,num_correct"):
        path = write_table(tmp_path / "t.csv", rows, header)
        assert mean(rb.read(path)).tolist() == pytest.approx([0.4, 0.2])
        assert mean(rb.read(path, metric="pass^2"))[0] == pytest.approx((3 / 45 + 10 / 45) / 2)
    bad = write_table(tmp_path / "bad.csv", [("a", 1, 2, 3)], "model,item,n,c")
    with pytest.raises(rb.ReadError, match="c at most n"):
        rb.read(bad)


def test_counts_say_nothing_of_runs(tmp_path: Path) -> None:
    # Right answers written first would be a first run that is right on every item.
    rows = [(model, item, 4, (item * step) % 5) for model, step in (("a", 1), ("b", 3))
            for item in range(20)]  # fmt: skip
    found = rb.noise(rb.read(write_table(tmp_path / "t.csv", rows, "model,item,n,c")))
    (task,) = found.tasks.values()
    assert task.run_effect is None
    assert np.isnan(task.run_error).all()
    assert (task.most, task.means.known.tolist()) == (4, [20, 20])


def test_answers_numbered_alike_are_runs_and_others_are_none(tmp_path: Path) -> None:
    for shift, known in ((0, True), (1, False)):
        records = [{"task_id": t, "trial": k + shift * (t % 2), "reward": float((t * k) % 2),
                    "info": {}, "traj": []} for t in range(12) for k in (0, 1)]  # fmt: skip
        for name in ("a-airline.json", "b-airline.json"):
            (tmp_path / name).write_text(json.dumps(records))
        (items,) = rb.read(tmp_path).tasks.values()
        assert isinstance(items, Items)
        assert (items.runs is not None) is known


def test_published_shares_are_shown_as_they_are() -> None:
    found = rb.read(FIXTURES / "tau2_bench" / "submissions", metric="pass^4", models="GPT-5")
    retail = found.tasks["retail"]
    assert isinstance(retail, Estimates)
    assert retail.mean.tolist() == pytest.approx([0.5877192982456141])
    with pytest.raises(rb.DataError, match="there are only published values"):
        rb.read(FIXTURES / "bigcode" / "results", metric="pass@2")


def test_failed_trials_count_as_0_where_failures_shall(tmp_path: Path) -> None:
    records = [{"task_id": t, "trial": k, "reward": 1.0, "traj": [],
                "info": {"error": "x"} if (t, k) == (1, 1) else {}}
               for t in (1, 2) for k in (0, 1)]  # fmt: skip
    for name in ("a-airline.json", "b-airline.json"):
        (tmp_path / name).write_text(json.dumps(records))
    assert mean(rb.read(tmp_path)).tolist() == [1.0, 1.0]
    counted = rb.read(tmp_path, failed="lowest")
    assert mean(counted).tolist() == [0.75, 0.75]
    assert "1 answer that failed counts as 0" in message(counted, "failed-lowest")
    assert mean(rb.read(tmp_path, failed="lowest", metric="pass^2")).tolist() == [0.5, 0.5]


UNKNOWN = {
    "config": {"model": "m1"},
    "runs": [
        {"task_id": "t1", "trial": 0, "info": {"r": 1, "error": None}},
        {"task_id": "t1", "trial": 1, "info": {"r": 0}},
        {"task_id": "t2", "trial": 0, "info": {"r": True}},
        {"task_id": "t2", "trial": 1, "info": {"r": None, "error": "Timeout"}},
    ],
}
MAP = "model=config.model,item=runs[].task_id,trial=runs[].trial,score=runs[].info.r"


def test_an_unknown_file_shows_its_paths_and_a_map_that_reads_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(UNKNOWN))
    assert run(["formats", str(path)]) == 1
    said = capsys.readouterr().out
    assert "runs[].info.r      number 2, true/false 1, null 1" in said
    line = next(one for one in said.splitlines() if one.startswith("To read it"))
    given = line.partition("--map ")[2].strip("'")
    assert given == f"{MAP},error=runs[].info.error"
    scores = rb.read(path, map=given)
    assert scores.models == ("m1",)
    assert mean(scores)[0] == 0.75
    assert "Timeout 1" in message(scores, "failed-trials")


def test_a_map_may_lie_beside_the_files_or_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(json.dumps(UNKNOWN))
    lines = "".join(f"{part.replace('=', ': ', 1)}\n" for part in MAP.split(","))
    (tmp_path / "own.yaml").write_text(f"map:\n  {lines.strip().replace(chr(10), chr(10) + '  ')}")
    by_file = rb.read(tmp_path / "log.json", map=str(tmp_path / "own.yaml"))
    (tmp_path / "rankbars-map.yaml").write_text(lines)
    assert mean(rb.read(tmp_path / "log.json")) == mean(by_file)


def test_lists_lines_and_members_of_objects_are_records(tmp_path: Path) -> None:
    rows = [{"id": n, "eval": {"ok": n % 2 == 0}} for n in range(4)]
    (tmp_path / "x.json").write_text(json.dumps(rows))
    (tmp_path / "y.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    listed = rb.read(tmp_path, map={"item": "id", "score": "eval.ok"})
    assert mean(listed).tolist() == [0.5, 0.5]
    members = {"tasks": {f"t{n}": {"tries": [{"p": 1}, {"p": n % 2}]} for n in range(4)}}
    (tmp_path / "z.json").write_text(json.dumps(members))
    found = rb.read(tmp_path / "z.json", map="item=tasks.*,score=tasks.*.tries[].p")
    assert mean(found)[0] == 0.75
    assert next(iter(found.tasks.values())).ids == ("t0", "t1", "t2", "t3")  # type: ignore[union-attr]


ANSWERS = {"a": [True, False, True], "b": [False, False, True]}


@pytest.mark.parametrize(("written", "given", "means"), [
    ({model: {f"t{n}": right * (n + 1) for n in range(4)} for model, right in ANSWERS.items()},
     "model=*,item=*.*,score=*.*[]", [2 / 3, 1 / 3]),
    ({f"t{n}": {"a": n / 4, "b": 0.5} for n in range(4)},
     "model=*.*,item=*,score=*.*", [3 / 8, 1 / 2]),
])  # fmt: skip
def test_objects_of_objects_are_read_by_the_map_that_is_offered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: object, given: str,
    means: list[float],
) -> None:  # fmt: skip
    path = tmp_path / "log.json"
    path.write_text(json.dumps(written))
    assert run(["rank", str(path)]) == 1
    assert f"rankbars formats {path}" in capsys.readouterr().err
    assert run(["formats", str(path)]) == 1
    assert f"--map '{given}'" in capsys.readouterr().out
    scores = rb.read(path, map=given)
    assert scores.models == ("a", "b")
    assert mean(scores).tolist() == pytest.approx(means)


def test_a_sample_with_a_name_is_an_item_and_no_trial(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"sample": {"id": f"q{n}", "question": "Which?"}, "grade": {"score": 1}}
            for n in range(3)]  # fmt: skip
    path = tmp_path / "log.json"
    path.write_text(json.dumps({"config": {"model": "m"}, "results": rows}))
    assert run(["formats", str(path)]) == 1
    assert "item=results[].sample.id,score=results[].grade.score" in capsys.readouterr().out


def test_a_map_into_an_empty_list_says_so(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**UNKNOWN, "runs": []}))
    with pytest.raises(rb.RankbarsError, match=r"no records: runs\[\] is empty or no list"):
        rb.read(path, map="model=config.model,item=runs[].task_id,score=runs[].info.r")


@pytest.mark.parametrize(("given", "words"), [
    ("model=config.modle,score=runs[].info.r", r"no record has config.modle .*config\.model\?"),
    ("score=runs[].info.rr", r"no record has runs\[\]\.info\.rr .*runs\[\]\.info\.r\?"),
    ("modle=x,score=y", "Unknown role of a map 'modle'. Did you mean 'model'"),
    ("model=config.model", "names no score"),
    ("score=a..b", "no path"),
    ("score=a,score=b", "twice"),
    ("score=runs[].x,item=other[].y", "lie beside each other"),
    ("score=config.model", "the score is 'm1', not a number"),
])  # fmt: skip
def test_a_map_that_does_not_fit_is_refused_in_one_line(
    tmp_path: Path, given: str, words: str
) -> None:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(UNKNOWN))
    with pytest.raises(rb.RankbarsError, match=words) as refused:
        rb.read(path, map=given)
    assert "\n" not in str(refused.value)


def test_reliable_and_capable_are_different_orders(tmp_path: Path) -> None:
    """One model solves half of the tasks always, another every task most of the time."""
    items = [str(n) for n in range(20)]
    answers = {
        "steady": {item: [float(n < 10)] * 4 for n, item in enumerate(items)},
        "gifted": {item: [float(n % 4 != at) for at in range(4)] for n, item in enumerate(items)},
    }
    path = trials_table(tmp_path / "t.csv", answers)
    orders = {}
    for metric in ("pass@1", "pass^4"):
        board = rb.leaderboard(rb.read(path, metric=metric))
        (task,) = board.tasks.values()
        assert task.metric == metric
        orders[metric] = [board.models[row] for row in np.argsort(task.best)]
        assert sorted(task.best.tolist()) == [1, 2]
    assert orders == {"pass@1": ["gifted", "steady"], "pass^4": ["steady", "gifted"]}


def test_another_order_stands_beside_the_board_and_in_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(5)
    rows = [(model, item, trial, int(rng.random() < share))
            for model, share in (("a", 0.9), ("b", 0.5), ("c", 0.1))
            for item in range(40) for trial in range(3)]  # fmt: skip
    path = write_table(tmp_path / "t.csv", rows, "model,item,trial,score")
    board = tmp_path / "board.json"
    given = ["rank", str(path), "--metric", "pass@1", "--also", "pass^3", "-q"]
    assert run([*given, "--also", "pass^3", "-o", str(board)]) == 0  # asked twice, told once
    said = capsys.readouterr().out
    assert ["Model", "pass@1", "pass^3"] in [line.split() for line in said.splitlines()]
    (order,) = rb.load(board).also
    alone = rb.leaderboard(rb.read(path, metric="pass^3"))
    assert order.metric == "pass^3"
    assert order.best.tolist() == alone.ranks.best.tolist()
    assert order.score.tolist() == pytest.approx(alone.score.tolist())
    assert run(["rank", str(path), "--also", "nonsense"]) == 1
    assert "no other metric of this name" in capsys.readouterr().err
    assert run(["rank", "-", "--also", "pass^3"]) == 2
    assert "standard input" in capsys.readouterr().err


def test_a_mean_of_trials_that_were_stopped_at_a_success_is_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = ["a,q1,0,0", "a,q1,1,1", "a,q2,0,1", "a,q3,0,0", "a,q3,1,0", "a,q3,2,0"]
    path.write_text("model,item,trial,score\n" + "\n".join(rows) + "\n")
    assert "'a' seem to have been stopped" in message(rb.read(path), "stopped-trials")
    assert "stopped-trials" not in codes(rb.read(path, trials="fixed"))


def retried(path: Path, again: Sequence[int], items: int = 20) -> str:
    """Of these items every other one begins wrong; some are tried twice."""
    rows = [f"a,{item},1,{item % 2}" for item in range(items)]
    rows += [f"a,{item},2,{item % 3 == 0:d}" for item in again]
    path.write_text("model,item,attempt,correct\n" + "\n".join(rows) + "\n")
    scores = rb.read(path)
    return message(scores, "stopped-trials") if "stopped-trials" in codes(scores) else ""


def test_tries_again_where_the_first_was_wrong_are_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    # Seven of ten wrong items: by luck C(10, 7) / C(20, 7) = 0.0015; three: 0.105.
    assert "asked for again where the first one was wrong" in retried(path, range(0, 14, 2))
    assert "stopped-trials" not in codes(rb.read(path, trials="fixed"))
    assert retried(path, range(0, 6, 2)) == ""
    assert retried(path, [*range(0, 14, 2), 1]) == ""
    assert retried(path, range(20)) == ""


def test_one_long_line_with_an_object_is_no_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    tail = [{"t": f"q{k}", "r": k % 2, "x": {"y": "z" * (k % 7)}} for k in range(400)]
    path.write_text(json.dumps({"m": "a", "results": tail}))
    text = path.read_text()
    cut = next(at for at in range(3500, 4000) if text[at - 1] == "}")
    path.write_text('{"pad": "' + "p" * (4096 - cut - 11) + '", ' + text[1:])
    assert path.read_text()[4095] == "}"
    paths = {"model": "m", "item": "results[].t", "score": "results[].r"}
    (evidence,) = rb.read(path, map=paths).tasks.values()
    assert isinstance(evidence, Items)
    assert evidence.n == 400


def test_two_orders_stand_on_the_page_and_in_markdown(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{m},q{k},{t},{int((k + t * (m == 'b')) % 3 > 0)}"
            for m in "ab" for k in range(12) for t in range(3)]  # fmt: skip
    path.write_text("model,item,trial,score\n" + "\n".join(rows) + "\n")
    page, text = tmp_path / "p.html", tmp_path / "p.md"
    given = ["rank", str(path), "--metric", "pass@1", "--also", "pass^3", "-q"]
    assert run([*given, "--html", str(page), "--md", str(text)]) == 0
    assert "Ranks by pass@1 and pass^3" in page.read_text("utf-8")
    lines = text.read_text("utf-8").splitlines()
    head = next(at for at, line in enumerate(lines) if line.startswith("| Model | pass"))
    assert lines[head + 2] == "| `a` | 1–2 | 1 (0.667) |"
    assert lines[head + 3] == "| `b` | 1–2 | 2 (0) |"


def test_a_frame_says_of_trials_what_its_file_says(tmp_path: Path) -> None:
    rows = [(m, q, t, int((7 * q + 3 * t + k) % 5 < 2 + k)) for k, m in enumerate("ab")
            for q in range(20) for t in range(4)]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "problem", "trial", "passed"])
    frame.to_csv(tmp_path / "r.csv", index=False)
    read = rb.read(tmp_path / "r.csv", metric="pass@3")
    np.testing.assert_array_equal(mean(rb.Scores.from_frame(frame, metric="pass@3")), mean(read))
    until = frame[frame.groupby(["model", "problem"])["passed"].cumsum() - frame["passed"] == 0]
    with pytest.raises(rb.DataError, match="stopped at the first right one"):
        rb.noise(until)
    assert rb.leaderboard(until).tasks["all"].noise is None
    assert rb.noise(rb.Scores.from_frame(until, trials="fixed")).tasks

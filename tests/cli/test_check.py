"""``rankbars check``: claims from the command line to an exit code."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from xml.etree import ElementTree as ET

import jsonschema
import pytest
from commandline import Command

import rankbars as rb
from rankbars.readers.claimfiles import read_claims


def test_exit_codes_follow_the_verdicts(rankbars: Command, results: str) -> None:
    assert rankbars("check", results, "--claim", "m0 > m2").code == 0
    assert rankbars("check", results, "--claim", "m2 > m0").code == 4
    assert rankbars("check", results, "--claim", "m0 >= m1 + 0.19").code == 3
    both = rankbars("check", results, "--claim", "m0 > m2", "--guard", "m2 > m1")
    assert both.code == 4
    assert "Failed: 1 of 2 claims: 'm2 > m1' (refuted)." in both.out


def test_what_fails_can_be_chosen(rankbars: Command, results: str) -> None:
    words = ("check", results, "--claim", "m0 >= 0.9", "-q")
    answer = rankbars(*words)
    assert (answer.code, rankbars(*words, "--fail-on", "refuted").code) == (3, 0)
    guard = rankbars("check", results, "--guard", "m0 >= 0.9", "-q")
    assert guard.code == 0
    assert "CANNOT TELL. Score" in guard.out


def test_the_claim_is_said_back_before_its_verdict(rankbars: Command, results: str) -> None:
    answer = rankbars("check", results, "--claim", "m0 not worse than m1 by 1 point", "-q")
    warning, _, verdicts = answer.out.partition("\n\n")
    assert warning.startswith("Before judging: With these rows, even models that are equal")
    first, second = verdicts.splitlines()[:2]
    assert first == "m0 is not worse than m1 by more than 0.01 on the average of 4 tasks."
    assert second.lstrip().startswith(("SUPPORTED.", "CANNOT TELL.", "REFUTED."))


def test_json_holds_every_verdict_and_what_the_run_answers(rankbars: Command, results: str) -> None:
    answer = rankbars("check", results, "--claim", "m0 > m2", "--guard", "m1 first", "--json")
    made = json.loads(answer.out)
    assert made["schema"] == "rankbars.check/1"
    assert made["exit_code"] == answer.code
    assert [one["claim"] for one in made["claims"]] == ["m0 > m2", "m1 first"]
    assert {one["verdict"] for one in made["claims"]} <= {"supported", "refuted", "cannot_tell"}
    assert made["provenance"]["inputs"][0]["path"] == results


def schema_of(name: str) -> jsonschema.Draft202012Validator:
    text = (files("rankbars") / "data" / f"{name}.schema.json").read_text("utf-8")
    return jsonschema.Draft202012Validator(json.loads(text))


def test_json_is_what_the_schema_in_the_package_says(rankbars: Command, results: str) -> None:
    validator = schema_of("check")
    Path("claims.yaml").write_text("- m0 > m2\n- m2 > m1 - 1%\n- m0 >= 0.9\n", encoding="utf-8")
    claims = ("m0 > each of m1, m2", "m1 first on each task", "m0 = m1 +- 0.2", "m0 >= m1 + 0.19")
    ledger = ("--ledger", "gate", "--claim", "m0 > m2")
    for words in (("--claims", "claims.yaml"), ledger, *(("--claim", claim) for claim in claims)):
        made = json.loads(rankbars("check", results, *words, "--json").out)
        validator.validate(made)
    with pytest.raises(jsonschema.ValidationError):
        validator.validate(made | {"more": 1})


def test_files_for_a_pull_request_and_a_test_report(rankbars: Command, results: str) -> None:
    claims = ("--claim", "m0 > m2", "--claim", "m2 > m0 - 0.01")
    answer = rankbars("check", results, *claims, "--md", "out.md", "--junit", "out.xml", "-q")
    assert answer.code == 4
    page = Path("out.md").read_text(encoding="utf-8")
    assert "| ✅ | m0 is better than m2" in page
    suite = ET.parse("out.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [one.get("name") for one in suite] == ["m0 > m2", "m2 > m0 - 0.01"]
    assert len(suite.findall("testcase/failure")) == 1


@pytest.mark.parametrize(
    ("words", "told", "colour"),
    [
        (("--claim", "m0 > m2", "--claim", "m0 > m2 on t1"), "2 of 2 supported", "#2e7d32"),
        (("--claim", "m0 > m2", "--guard", "m0 >= 0.9"), "1 of 2 supported", "#2e7d32"),
        (("--claim", "m0 > m2", "--claim", "m0 >= 0.9"), "1 of 2 supported", "#8a5a00"),
        (("--claim", "m0 > m2", "--claim", "m2 > m1"), "1 of 2 refuted", "#b3261e"),
    ],
)
def test_a_badge_says_how_many_claims_are_supported(
    rankbars: Command, results: str, words: tuple[str, ...], told: str, colour: str
) -> None:
    answer = rankbars("check", results, *words, "--badge", "claims.svg", "-q")
    picture = ET.parse("claims.svg").getroot()
    name = "{http://www.w3.org/2000/svg}"
    assert [one.text for one in picture.iter(f"{name}text")] == ["claims", told]
    assert [one.get("fill") for one in picture.iter(f"{name}rect")] == [colour]
    title = picture.findtext(f"{name}title")
    assert title is not None
    assert title.startswith(f"claims: {told}. {'Failed' if answer.code else 'Passed'}")
    assert "href" not in Path("claims.svg").read_text(encoding="utf-8")


def test_a_badge_escapes_what_it_names(rankbars: Command) -> None:
    rows = ["model,task,item,score", *(f"{m},t,{i},{s}" for m, s in (("<b>&", 0), ("old", 1))
            for i in range(30))]  # fmt: skip
    Path("odd.csv").write_text("\n".join(rows), encoding="utf-8")
    answer = rankbars("check", "odd.csv", "--claim", "'<b>&' > old", "--badge", "claims.svg", "-q")
    assert answer.code == 4
    title = ET.parse("claims.svg").getroot().findtext("{http://www.w3.org/2000/svg}title")
    assert title is not None
    assert "<b>&" in title


def test_a_workflow_gets_annotations_and_a_summary(
    rankbars: Command, results: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    answer = rankbars("check", results, "--claim", "m2 > m0", "--github", "-q")
    assert "::error title=rankbars: refuted::m2 is better than m0" in answer.out
    assert "| ❌ |" in (tmp_path / "summary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "There is no claim to judge"),
        (("--claim", "m0"), 1, "shell made a file"),
        (("--claim", "m0 > m9"), 2, "Unknown model in the claim"),
        (("--claim", "m0 > m1", "--claim", "m1 > m0"), 1, "contradict each other"),
        (("--claim", "m0 >= m1 - 1"), 1, "Did you mean 0.01?"),
        (("--claim", "m0 > m1", "--fail-on", "doubt"), 2, "Known: undecided, refuted"),
        (("--claim", "m0 > m1", "--json", "--github"), 2, "both go to standard output"),
        (("--claim", "m0 > m1", "--alpha", "2"), 1, "alpha"),
        (("--claim", "m0 > m1", "--md", "no/such/out.md"), 1, "does not exist"),
    ],
)
def test_wrong_use_is_said_in_one_line_and_writes_nothing(
    rankbars: Command, results: str, words: tuple[str, ...], code: int, said: str
) -> None:
    before = set(Path().iterdir())
    answer = rankbars("check", results, *words, "--junit", "out.xml", "-q")
    assert answer.code == code
    assert said in answer.err
    assert answer.out == ""
    assert set(Path().iterdir()) == before


@pytest.mark.parametrize(("order", "code"), [(("m0", "m2"), 0), (("m2", "m0"), 4)])
def test_a_comparison_answers_with_its_verdict(
    rankbars: Command, results: str, order: tuple[str, str], code: int
) -> None:
    words = ("compare", results, "--models", order[0], "--models", order[1], "-q")
    assert (rankbars(*words).code, rankbars(*words, "--exit-code").code) == (0, code)


def test_a_comparison_with_a_margin_judges_what_a_claim_would(
    rankbars: Command, results: str
) -> None:
    words = ("compare", results, "--models", "m1", "--models", "m0", "-q", "--exit-code")
    claim = json.loads(rankbars("check", results, "--claim", "m1 >= m0 - 25%", "--json").out)
    answer = rankbars(*words, "--margin", "25%", "--json")
    found = json.loads(answer.out)["claim"]
    (want,) = claim["claims"]
    assert {k: found[k] for k in found if k != "claim"} == {
        k: want[k] for k in want if k != "claim"
    }
    assert answer.code == claim["exit_code"]
    text = rankbars(*words, "--margin", "0.25").out
    assert text.startswith("m1 is not worse than m0 by more than 0.25 on the average of 4 tasks.")
    for wrong in ("much", "0.1 on math", "-0.1"):
        assert rankbars(*words, "--margin", wrong).code == 1


def test_a_comparison_notes_a_share_as_margin_on_percentages(rankbars: Command) -> None:
    lines = "model,task,score,stderr\nnew,mmlu,71.2,0.36\nold,mmlu,70.8,0.36\n"
    Path("published.csv").write_text(lines, encoding="utf-8")
    assert "a point is a margin of 1" in " ".join(
        rankbars("compare", "published.csv", "--margin", "0.01", "-q").out.split()
    )
    asked = ("compare", "published.csv", "--margin", "1", "-q", "--exit-code", "--json")
    found = json.loads(rankbars(*asked).out)
    assert found["claim"]["verdict"] == "supported"
    assert "small-margin" not in {note["code"] for note in found["notes"]}


def test_a_gate_stops_where_items_were_tried_until_they_were_right(rankbars: Command) -> None:
    rows = [
        f"{model},{item},{attempt},{(item + attempt) % 3 == 0:d}"
        for item in range(60)
        for model, most in (("new", 3), ("old", 1))
        for attempt in range(1, most + 1)
        if not any((item + before) % 3 == 0 for before in range(1, attempt))
    ]
    lines = "\n".join(["model,item,attempt,correct", *rows])
    Path("tries.csv").write_text(f"{lines}\n", encoding="utf-8")
    gate = ("check", "tries.csv", "--claim", "new > old", "-q")
    pair = ("compare", "tries.csv", "-q")
    rank = ("rank", "tries.csv", "-q")
    for words in (
        gate,
        (*gate, "--md", "-"),
        (*gate, "--json"),
        (*pair, "--exit-code"),
        pair,
        rank,
    ):
        answer = rankbars(*words)
        assert (answer.code, answer.out) == (1, "")
        assert "'new' seem to have been stopped" in answer.err
        assert "--trials fixed" in answer.err
        assert "attempt = 1" in answer.err
    assert rankbars(*gate, "--trials", "fixed").code == 0
    assert rankbars(*gate, "--where", "attempt = 1").code == 3
    assert rankbars("check", "tries.csv", "--claim", "old >= 0.1", "-q").code == 0
    assert "stopped-trials" in {note.code for note in rb.read("tries.csv").notes}


def test_calls_that_failed_and_have_a_score_are_asked_about(rankbars: Command) -> None:
    """A gate passed because a quarter of the old system's calls had timed out, with exit code 0."""
    rows = [
        f"{name},{n},{int(n % 5 < 3 and not (name == 'old' and n % 4 == 0))},"
        f"{'HTTP 429' if name == 'old' and n % 4 == 0 else ''}"
        for name in ("new", "old") for n in range(120)
    ]  # fmt: skip
    Path("calls.csv").write_text("\n".join(["model,id,correct,error", *rows]), encoding="utf-8")
    gate = ("check", "calls.csv", "--claim", "new > old", "-q")
    for words in (gate, (*gate, "--md", "-"), ("compare", "calls.csv", "-q", "--exit-code")):
        answer = rankbars(*words)
        assert (answer.code, answer.out) == (1, "")
        assert '--where "error IS NULL"' in answer.err
        assert "--missing fail" in answer.err
    assert rankbars(*gate, "--missing", "fail").code == 0
    assert rankbars(*gate, "--where", '"error" IS NULL', "--missing", "pairwise").code == 3
    assert rankbars("compare", "calls.csv", "-q").code == 0


FILE = """\
why: Before each release.
inputs: [results.csv]
alpha: 0.1
claims:
  - m0 > m2
  - guard: m1 >= m0 - 0.3 on each task
    why: no task may lose much
  - must: "'m0' >= 0.5"
"""


def test_a_file_of_claims_says_all_that_is_needed(rankbars: Command, results: str) -> None:
    Path("folder").mkdir()
    Path("folder/claims.yaml").write_text(FILE.replace(results, f"../{results}"), encoding="utf-8")
    answer = rankbars("check", "--claims", "folder/claims.yaml", "--json")
    made = json.loads(answer.out)
    assert (made["alpha"], made["why"], made["exit_code"]) == (0.1, "Before each release.", 0)
    assert [one["role"] for one in made["claims"]] == ["must", "guard", "must"]
    assert made["claims"][1]["why"] == "no task may lose much"
    assert len(made["source"]["sha256"]) == 64
    assert "claims-later" in {note["code"] for note in made["notes"]}
    stricter = rankbars("check", results, "--claims", "folder/claims.yaml", "--alpha", "0.01")
    assert "at 99 %" in stricter.out
    assert "Why: no task may lose much" in stricter.out


def test_claims_may_come_from_a_pipe_which_can_be_read_once() -> None:
    reader, writer = os.pipe()
    os.write(writer, FILE.encode())
    os.close(writer)
    try:
        found = read_claims(f"/dev/fd/{reader}")
    finally:
        os.close(reader)
    assert len(found.lines) == 3
    assert found.source.sha256 == hashlib.sha256(FILE.encode()).hexdigest()


def test_a_file_of_claims_is_taken_in_python(results: str, tmp_path: Path) -> None:
    path = tmp_path / "claims.yaml"
    path.write_text("- m0 > m2\n- m2 > m1 - 1%\n", encoding="utf-8")
    made = rb.check(tmp_path / results, path)
    assert [one.claim.text for one in made.claims] == ["m0 > m2", "m2 > m1 - 1%"]
    assert made.source is not None
    assert str(made) == made.to_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no claims in it"),
        ("claims: []", "there are no claims in it"),
        ("x", "there are no claims in it"),
        ('- "new model" > old', "stands in quotes itself"),
        ("claims: [m0 > m1]\nlevel: 0.05", "unknown key 'level'"),
        ("- [m0, m1]", "is no claim"),
        ("- {must: m0 > m1, guard: m0 > m1}", "is no claim"),
        ("claims: [m0 > m1]\nalpha: small", "alpha must be a number"),
        ("claims: [m0 > m1]\ntogether: 3", "together must be"),
        ("claims: {m0: m1}", "claims must be a list"),
        ("- m0 >> m1", "Claims look like"),
    ],
)
def test_what_is_no_file_of_claims_is_said(
    rankbars: Command, results: str, text: str, said: str
) -> None:
    Path("claims.yaml").write_text(text, encoding="utf-8")
    answer = rankbars("check", results, "--claims", "claims.yaml", "--junit", "out.xml")
    assert answer.code == 1
    assert said in answer.err
    assert not Path("out.xml").exists()


def test_a_file_that_is_not_there_and_two_sets_of_claims(rankbars: Command, results: str) -> None:
    assert "Cannot read" in rankbars("check", results, "--claims", "no.yaml").err
    both = rankbars("check", results, "--claims", "no.yaml", "--claim", "m0 > m1")
    assert (both.code, "two sets of claims" in both.err) == (2, True)
    assert rankbars("check", "--claim", "m0 > m1").code == 2


def without(results: str, *gone: str) -> str:
    """A file beside the results, without the lines that begin so."""
    lines = Path(results).read_text(encoding="utf-8").splitlines()
    left = [line for line in lines if not line.startswith(gone)]
    Path("gaps.csv").write_text("\n".join(left) + "\n", encoding="utf-8")
    return "gaps.csv"


def test_claims_are_judged_on_the_tasks_that_all_ran(rankbars: Command, results: str) -> None:
    gaps = without(results, "m2,t3,")
    claims = ("--claim", "m0 > m2", "--claim", "m0 > m1 on each task", "--json", "-q")
    assert rankbars("check", gaps, *claims).code == 1
    found = json.loads(rankbars("check", gaps, *claims, "--missing-tasks", "insert").out)
    three = [word for task in ("t0", "t1", "t2") for word in ("--tasks", task)]
    wanted = json.loads(rankbars("check", results, *claims, *three).out)
    assert [one["estimate"] for one in found["claims"]] == [
        one["estimate"] for one in wanted["claims"]
    ]
    assert any("m2" in note["message"] and "t3" in note["message"] for note in found["notes"])
    alike = [rankbars("check", gaps, *claims, "--missing-tasks", word).out
             for word in ("insert", "additive", "drop_tasks")]  # fmt: skip
    assert len(set(alike)) == 1


@pytest.mark.parametrize(
    ("claim", "policy", "said"),
    [
        ("m0 > m2", "raise", "Nothing was judged"),
        ("m0 > m2", "drop_models", "leaves out a model"),
        ("m0 > m2 on t3", "insert", "never ran"),
        ("m0 > m2 on at least 3 of 4 tasks", "insert", "there are 3"),
        ("m0 > m2", "bounds", "there is none"),
        ("m0 > m2", "median", "Known: insert"),
    ],
)
def test_a_task_that_was_never_run_cannot_be_claimed_about(
    rankbars: Command, results: str, claim: str, policy: str, said: str
) -> None:
    gaps = without(results, "m2,t3,")
    answer = rankbars("check", gaps, "--claim", claim, "--missing-tasks", policy, "-q")
    assert answer.code in (1, 2)
    assert said in " ".join(answer.err.split())


def test_two_models_are_judged_on_gaps_as_they_are_compared(
    rankbars: Command, results: str
) -> None:
    gaps = without(results, "m2,t3,", "m2,t1,3,", "m0,t2,7,")
    for words in (("--missing-items", "pairwise"),
                  ("--missing-tasks", "insert", "--missing-items", "listwise"),
                  ("--missing-tasks", "drop_tasks", "--missing", "pairwise")):  # fmt: skip
        pair = ("--models", "m0", "--models", "m2", "--json", "-q")
        compared = json.loads(rankbars("compare", gaps, *pair, *words).out)
        judged = json.loads(rankbars("check", gaps, "--claim", "m0 > m2", "--json", *words).out)
        assert judged["claims"][0]["estimate"] == compared["average"]["difference"]
    few = without(results, "m2,t1,3,")
    answer = rankbars("check", few, "--claim", "m0 > m2", "--missing-items", "drop_models", "-q")
    assert "--missing-items drop_models leaves out" in answer.err


def test_different_metrics_are_averaged_as_they_are_where_that_is_asked_for(
    rankbars: Command,
) -> None:
    lines = ["model,task,item,metric,score"]
    for item in range(30):
        lines += [f"{model},a,{item},accuracy,{(item + shift) % 3 > 0:d}"
                  for model, shift in (("new", 0), ("old", 1))]  # fmt: skip
        lines += [f"{model},b,{item},bleu,{20 + item % 5 + more}"
                  for model, more in (("new", 2 + item % 2), ("old", 0))]  # fmt: skip
    Path("mixed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ("check", "mixed.csv", "--claim", "new >= old - 0.01", "--json", "-q")
    assert rankbars(*words).code == 1
    (one,) = json.loads(rankbars(*words, "--average-anyway").out)["claims"]
    assert one["estimate"] == pytest.approx(2.5 / 2)  # no difference on a, 2.5 on b


def test_a_gate_is_looked_at_before_it_judges(rankbars: Command, results: str) -> None:
    words = ("check", results, "--preflight", "-q", "--claim")
    hard = rankbars(*words, "x >= y - 1 point")
    assert hard.code == 3
    assert "HARDLY PASSES: If the two are equal" in hard.out
    assert "Hardly of use: 1 of 1 claims: 'x >= y - 1 point'." in hard.out
    easy = rankbars(*words, "m0 >= m2 - 90 points", "--json")
    assert easy.code == 0
    made = json.loads(easy.out)
    assert (made["schema"], made["claims"][0]["works"]) == ("rankbars.preflight/1", True)
    Path("few.csv").write_text("model,item,correct\na,1,1\na,2,1\nb,1,1\nb,2,0\n", "utf-8")
    more = ("--claim", "m0 first", "--guard", "m1 >= m0 on each task", "--claim", "m0 = m1 +- 0.1")
    for few in (words[:-1] + more, ("check", "few.csv", *words[2:], "x > y")):
        schema_of("preflight").validate(json.loads(rankbars(*few, "--json").out))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("claims: [m0 > m1", "does not hold valid YAML"),
        ("claims: [m0 > m1]\nclaims: [m1 > m2]", "the key 'claims' stands there twice (line 2)"),
        ("a: 1", "there are no claims in it. A file of claims looks like: claims: ["),
        ("- {must: [m0]}", "is no claim"),
        ("claims: [m0 >= m1]\nmargin: much", "the margin must be a number such as 0.01"),
        ("claims: [m0 >= m1]\nmargin: -0.1", "the margin must be a number such as 0.01"),
        ("claims: [m0 > m1]\nflaky: {a: 1}", "flaky must be a list"),
        ("claims: [m0 > m1]\nanchor: m9", "Unknown model in the claim"),
        ("claims: [m0 > m1]\nalpah: 0.1", "Did you mean alpha?"),
        ("claims: [m0 > m1]\nmissing_items: guess", "Unknown policy"),
        ("claims: [m0 in top 9]", "of 3 models each is among the first 9"),
    ],
)
def test_a_wrong_file_of_claims_is_said_in_one_line(
    rankbars: Command, results: str, text: str, said: str
) -> None:
    Path("claims.yaml").write_text(f"{text}\n", encoding="utf-8")
    before = set(Path().iterdir())
    answer = rankbars("check", results, "--claims", "claims.yaml", "--ledger", "gate", "-q")
    assert (answer.code in (1, 2), answer.out) == (True, "")
    assert said in answer.err
    assert answer.code == 2 or len(answer.err.strip().splitlines()) == 1
    assert set(Path().iterdir()) == before


def test_runs_of_one_system_say_how_often_a_gate_alarms(rankbars: Command) -> None:
    for run in range(4):
        rows = [f"sys,t,{item},{int((item * 7 + run) % 5 > 1)}" for item in range(60)]
        Path(f"run{run}.csv").write_text("\n".join(["model,task,item,correct", *rows]), "utf-8")
    runs = [word for run in range(4) for word in ("--reruns", f"run{run}.csv")]
    answer = rankbars("check", *runs, "--claim", "new >= old - 5 points", "-q")
    assert answer.code == 0
    assert "4 runs of one system, each against each other" in answer.out
    assert "on average over fresh baselines" in answer.out
    made = json.loads(rankbars("check", *runs, "--claim", "new > old", "-q", "--json").out)
    assert (made["schema"], made["runs"], made["among"]) == ("rankbars.alarms/1", 4, 2)
    schema_of("alarms").validate(made)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--claim", "m0 > m1", "--preflight", "--junit", "x.xml"), 2, "Nothing is judged yet"),
        (("--claim", "m0 > m1", "--preflight", "--ledger", "x"), 2, "--alpha 0.025"),
        (("--preflight",), 2, "no claim to look at"),
        (("--claim", "m0 > m1 on maths", "--preflight"), 2, "Unknown task"),
        (("--claim", "m0 > m1", "--reruns", "run.csv"), 2, "Leave out other inputs"),
        (("--claim", "m0 > m1", "--reruns", "all", "--reruns", "newest"), 2, "two ways to read"),
        (("--claim", "m0 first", "--preflight"), 1, "None of the claims is about two models"),
        (("--claim", "m0 > m1", "--ledger", "-"), 2, "A ledger is a file"),
        (("--claim", "m0 > m1", "--change", "c"), 2, "name it with --ledger"),
        (("--claim", "m0 > m1", "--spend", "e-values"), 2, "name it with --ledger"),
        (("--claim", "m0 > m1", "--ledger", "no/such/gate"), 1, "does not exist"),
        (("--claim", "m0 cheaper than m1"), 2, "--costs cost"),
        (("--claim", "m0 cheaper than m1", "--costs", "price"), 1, "no such column or metric"),
        (("--claim", "m0 > m1", "--costs", "x", "--costs", "y"), 2, "One cost stands beside"),
        (("--claim", "m0 > m1", "--ledger", "x", "--ledger", "y"), 1, "no such file"),
    ],
)
def test_wrong_use_of_a_gate_is_said_in_one_line_and_writes_nothing(
    rankbars: Command, results: str, words: tuple[str, ...], code: int, said: str
) -> None:
    before = set(Path().iterdir())
    answer = rankbars("check", results, *words, "-q")
    assert (answer.code, answer.out) == (code, ""), answer.err
    assert said in answer.err
    assert set(Path().iterdir()) == before


@pytest.mark.parametrize(("words", "made"), [("new > old", "old"), ("new >= old - 0.01", "=")])
def test_an_unquoted_sign_that_made_a_file_is_noticed(
    results: str, tmp_path: Path, words: str, made: str
) -> None:
    command = f"{sys.executable} -m rankbars check {results} --claim {words}"
    done = subprocess.run(
        ["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    named = Path("/proc/self/fd").exists()
    assert (f"The empty file {made!r} was made now; remove it." in done.stderr) == named
    assert len(done.stderr.splitlines()) == 1


def test_a_record_of_a_store_counts_its_models(rankbars: Command, results: str) -> None:
    assert rankbars("add", results, "--store", "board.store").code == 0
    words = ("check", "board.store", "-q", "--claim")
    first = " ".join(rankbars(*words, "m0 first").out.split())
    assert "board.store holds 3 models, and each of them was a chance to be first" in first
    assert "--record counts such looks in the store" in first
    assert "the next at 0.0042 or less" in first
    assert "chance to be first" not in " ".join(rankbars(*words, "m0 > m1").out.split())


def test_records_of_a_store_are_counted_in_it(rankbars: Command, results: str) -> None:
    assert rankbars("add", results, "--store", "board.store").code == 0
    words = ("check", "board.store", "-q", "--record", "--json", "--claim")
    looks = []
    for claim in ("m0 first", "m0 first", "m0 in top 2"):
        answer = rankbars(*words, claim)
        assert answer.code in (0, 3)
        made = json.loads(answer.out)
        schema_of("check").validate(made)
        looks.append(made["look"])
        assert made["alpha"] == 0.05
    assert [one["number"] for one in looks] == [3, 3, 4]
    assert [one["again"] for one in looks] == [False, True, False]
    assert looks[0]["level"] == pytest.approx(0.05 / 12)
    alone = json.loads(rankbars("check", results, "--claim", "m0 in top 2", "--alpha", "0.0025",
                                "--json", "-q").out)["claims"][0]  # fmt: skip
    judged = made["claims"][0]
    assert [judged[end] for end in ("low", "high")] == pytest.approx([alone["low"], alone["high"]])
    assert looks[2]["level"] + looks[2]["left"] == pytest.approx(looks[0]["left"])
    log = rankbars("log", "board.store").out
    assert "Judged record 3 at 0.0042 of 0.05: m0 first (" in log
    assert log.count("Judged") == 2
    refused = (
        ((*words, "m0 first", "--alpha", "0.1"), 1, "--alpha 0.05"),
        ((*words, "m0 > m1"), 1, "A record is a claim of a place in a store"),
        ((*words, "m0 first", "--ledger", "gate"), 1, "without a ledger"),
        (("check", results, "--record", "--claim", "m0 first"), 2, "Name the store"),
        (("check", "board.store", "--record", "--preflight", "--claim", "m0 > m1"), 2, "--record"),
    )
    for wrong, code, said in refused:
        answer = rankbars(*wrong)
        assert (answer.code, said in answer.err) == (code, True), answer.err
    assert not Path("gate").exists()
    assert rankbars("log", "board.store").out == log


def test_a_ledger_on_the_command_line_counts_looks_of_a_change(
    rankbars: Command, results: str
) -> None:
    words = ("check", results, "--claim", "m0 > m1", "-q", "--ledger", "gate", "--change", "abc")
    first = rankbars(*words)
    assert "Look 1 at abc; the level is that of all looks. It spent 0.025 of the" in " ".join(
        first.out.split()
    )
    assert "nothing was spent" in " ".join(rankbars(*words).out.split())
    assert json.loads(rankbars(*words, "--json").out)["look"]["number"] == 1
    text = Path("gate").read_text("utf-8").replace('"level":0.025', '"level":0.0')
    Path("gate").write_text(text, "utf-8")
    refused = rankbars(*words, "--junit", "x.xml")
    assert (refused.code, refused.out) == (1, "")
    assert "its digest does not fit" in refused.err
    assert not Path("x.xml").exists()
    assert Path("gate").read_text("utf-8") == text


def test_costs_are_read_beside_a_named_column_of_scores_and_named_where_there_are_none(
    rankbars: Command,
) -> None:
    table = Path("runs.csv")
    rows = [f"{m},{i},{i % 3 == 0:d},{i + 5 * (m == 'b')}" for m in "ab" for i in range(20)]
    table.write_text("\n".join(["model,item,accuracy,latency", *rows]), "utf-8")
    words = ("check", "runs.csv", "-q", "--column", "score=accuracy", "--claim", "a cheaper than b")
    assert "a is cheaper than b on runs" in rankbars(*words, "--costs", "latency").out
    failed = rankbars(*words, "--costs", "nosuch")
    assert (failed.code, failed.out) == (1, "")
    assert "--costs nosuch: no costs of that name could be read" in failed.err
    assert "Columns: 'model', 'item', 'accuracy', 'latency'" in failed.err


def logs_of_one_model(folder: str = "") -> tuple[str, str]:
    for side, step in (("new", 4), ("old", 3)):
        lines = [
            json.dumps({"model": "acme", "id": f"q{i}", "correct": int(i % step > 0)})
            for i in range(60)
        ]
        Path(folder, f"{side}.jsonl").write_text("\n".join(lines), "utf-8")
    return str(Path(folder, "new.jsonl")), str(Path(folder, "old.jsonl"))


def test_two_logs_of_one_model_are_two_sides(rankbars: Command) -> None:
    both = logs_of_one_model()
    made = rankbars("check", *both, "--claim", "new >= old - 0.3")
    assert made.code == 0
    assert "they are set against each other as 'new' and 'old'" in made.err
    assert "0.75" in rankbars("compare", *both, "-q").out  # 45 of 60
    assert "acme" not in rankbars("plan", *both, "-q").err
    # A claim about the model itself is about both logs together.
    assert "set against" not in rankbars("check", *both, "--claim", "acme >= 0.1").err


def test_a_file_of_a_folder_that_cannot_be_read_is_told_to_the_quiet(rankbars: Command) -> None:
    Path("runs").mkdir()
    for name in "ab":
        rows = "".join(f"{name},{i},{i % 2}\n" for i in range(30))
        Path("runs", f"{name}.csv").write_text(f"model,item,correct\n{rows}", "utf-8")
    Path("runs", "c.jsonl").write_text('{"model": "c", "id": 1, "correct": 1}\n{"mod', "utf-8")
    for words in (
        ("rank", "runs"), ("compare", "runs"), ("check", "runs", "--claim", "a > b"),
        ("add", "runs", "--store", "s.duckdb"),
    ):  # fmt: skip
        (line,) = rankbars(*words, "-q").err.splitlines()
        assert "runs/c.jsonl" in line

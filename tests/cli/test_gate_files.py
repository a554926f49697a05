"""The action for GitHub workflows and the hook for pre-commit do what they say."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from commandline import Command

ROOT = Path(__file__).resolve().parent.parent.parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
(HOOK,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
BIN = Path(sys.executable).parent


def judge(folder: Path, **given: str) -> tuple[int, dict[str, str], str, str]:
    """Exit code, outputs, summary and text of the step that judges, run as a workflow runs it."""
    (step,) = (one for one in ACTION["runs"]["steps"] if one.get("id") == "check")
    usual = {name: one["default"] for name, one in ACTION["inputs"].items()}
    values = usual | {name.replace("_", "-"): value for name, value in given.items()}
    env = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)
        for name, text in step["env"].items()
    }
    made = folder / "runner temp"
    made.mkdir(exist_ok=True)
    output, summary = made / "output", made / "summary"
    output.write_text("", encoding="utf-8")
    summary.write_text("before\n", encoding="utf-8")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env=os.environ
        | env
        | {
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
            "RUNNER_TEMP": str(made),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    lines = output.read_text(encoding="utf-8").splitlines()
    outputs = dict(line.split("=", 1) for line in lines)
    return done.returncode, outputs, summary.read_text(encoding="utf-8"), done.stdout + done.stderr


def test_no_input_of_the_action_is_part_of_its_shell_text() -> None:
    steps: list[dict[str, Any]] = ACTION["runs"]["steps"]
    assert ACTION["runs"]["using"] == "composite"
    assert [step["shell"] for step in steps] == ["bash"] * 3
    assert all("${{" not in step["run"] for step in steps)
    read = [[step["env"], step.get("if", "")] for step in steps]
    used = set(re.findall(r"inputs\.([\w-]+)", json.dumps(read)))
    assert used == set(ACTION["inputs"])
    for step in steps:
        subprocess.run(["bash", "-n", "-c", step["run"]], check=True)
    names = re.findall(r'"?([\w-]+)=\$', steps[1]["run"].partition("printf")[2].partition(">>")[0])
    assert set(names) == set(ACTION["outputs"])


def test_the_action_passes_and_fails_with_the_claims(results: str, tmp_path: Path) -> None:
    odd = "odd $(touch owned) `touch owned`; x"
    (tmp_path / odd).mkdir()
    (tmp_path / results).rename(tmp_path / odd / "re sults.csv")
    (tmp_path / "claims.yaml").write_text("- m0 > m2\n", encoding="utf-8")
    code, outputs, summary, said = judge(tmp_path, results=f"{odd}/re sults.csv\n\n")
    assert (code, outputs["verdict"], outputs["exit-code"]) == (0, "passed", "0"), said
    assert json.loads(Path(outputs["json"]).read_text("utf-8"))["exit_code"] == 0
    assert summary.startswith("before\n**Passed: 1 claim.**")
    assert summary.endswith(Path(outputs["markdown"]).read_text("utf-8"))
    (tmp_path / odd / "claims.yaml").write_text(
        "inputs: [re sults.csv]\nclaims:\n- m2 > m0 - 1%\n", encoding="utf-8"
    )
    code, outputs, summary, said = judge(tmp_path, claims=f"{odd}/claims.yaml")
    assert (code, outputs["verdict"], outputs["exit-code"]) == (4, "refuted", "4")
    assert "::error title=rankbars check::**Failed: 'm2 > m0 - 1%25' (refuted).**" in said
    assert not list(tmp_path.rglob("owned"))


@pytest.mark.parametrize(
    ("given", "code"),
    [({"results": "--each"}, 1), ({"fail_on": "$(touch owned)"}, 2), ({"claims": "no.yaml"}, 1)],
)
def test_the_action_says_where_nothing_was_judged(
    results: str, tmp_path: Path, given: dict[str, str], code: int
) -> None:
    (tmp_path / "claims.yaml").write_text(f"inputs: [{results}]\nclaims: [m0 > m2]\n", "utf-8")
    found, outputs, summary, said = judge(tmp_path, **given)
    assert (found, outputs["verdict"], summary) == (code, "error", "before\n"), said
    assert "rankbars.error/1" in said
    assert not list(tmp_path.rglob("owned"))


@pytest.mark.parametrize("earlier", ["", "77"])
def test_the_action_renews_its_comment(tmp_path: Path, earlier: str) -> None:
    (step,) = (one for one in ACTION["runs"]["steps"] if "Comment" in one["name"])
    assert step["if"].startswith("always() && inputs.comment == 'true'")
    said = tmp_path / "claims.md"
    said.write_text("**Passed: 1 claim.**\n", encoding="utf-8")
    program = tmp_path / "gh"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{tmp_path}/calls"\n'
        f'case "$*" in *--paginate*) echo {earlier};; esac\n',
        encoding="utf-8",
    )
    program.chmod(0o755)
    given = {"CLAIMS": "a b.yaml", "MARKDOWN": str(said), "NUMBER": "5", "REPOSITORY": "o/r"}
    subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        env=os.environ | given | {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        check=True,
    )
    _, sent = (tmp_path / "calls").read_text("utf-8").splitlines()
    place = "PATCH repos/o/r/issues/comments/77" if earlier else "POST repos/o/r/issues/5/comments"
    assert sent == f"api --method {place} --field body=@{said}.comment --silent"
    first, rest = Path(f"{said}.comment").read_text("utf-8").split("\n", 1)
    assert re.fullmatch("<!-- rankbars check [0-9a-f]{12} -->", first)
    assert rest == said.read_text("utf-8")


def test_the_action_counts_looks_in_a_ledger(results: str, tmp_path: Path) -> None:
    (tmp_path / "claims.yaml").write_text(f"inputs: [{results}]\nclaims: [m0 > m2]\n", "utf-8")
    code, _, summary, said = judge(tmp_path, ledger="gate.jsonl", change="abc; touch owned")
    assert code == 0, said
    assert "Look 1 at abc; touch owned" in summary
    assert (tmp_path / "gate.jsonl").exists()
    assert not list(tmp_path.rglob("owned"))


def test_the_hook_judges_a_file_of_claims(rankbars: Command, results: str) -> None:
    assert (HOOK["language"], HOOK["pass_filenames"]) == ("python", False)
    program, *words = shlex.split(HOOK["entry"])
    assert program == "rankbars"
    for claim, code in (("m0 > m2", 0), ("m2 > m0", 4)):
        Path("claims.yaml").write_text(f"inputs: [{results}]\nclaims: [{claim}]\n", "utf-8")
        assert rankbars(*words, *HOOK["args"]).code == code


def test_the_recipe_names_what_there_is() -> None:
    page = (ROOT / "docs" / "decide.md").read_text(encoding="utf-8")
    texts = re.findall(r"```yaml[^\n]*\n(.*?)```", page, re.DOTALL)
    blocks = [one for one in map(yaml.safe_load, texts) if isinstance(one, dict)]
    (steps,) = (one["jobs"]["gate"]["steps"] for one in blocks if "jobs" in one)
    (used,) = (step for step in steps if "rankbars" in step.get("uses", ""))
    assert set(used["with"]) <= set(ACTION["inputs"])
    assert {"claims", "results", "ledger", "comment"} <= set(used["with"])
    (repos,) = (one["repos"] for one in blocks if "repos" in one)
    assert [hook["id"] for hook in repos[0]["hooks"]] == [HOOK["id"]]

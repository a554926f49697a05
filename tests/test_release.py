"""What is said twice about a release says the same, and its workflows hold what they promise."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text("utf-8"))
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))
}


def test_citation_and_changelog_name_the_version_and_its_day():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert cited["version"] == PROJECT["project"]["version"]
    assert cited["repository-code"] == PROJECT["project"]["urls"]["Source"]
    newest = re.search(r"^## \[(.+)\] – (.+)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert newest.groups() == (cited["version"], cited["date-released"].isoformat())


def test_versions_of_python_are_those_that_are_tested():
    named = [
        line.rpartition(" ")[2] for line in PROJECT["project"]["classifiers"] if ":: 3." in line
    ]
    assert WORKFLOWS["tests"]["jobs"]["everything"]["strategy"]["matrix"]["python"] == named
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"


def test_groups_of_developers_are_no_extras():
    assert not set(PROJECT["dependency-groups"]) & set(PROJECT["project"]["optional-dependencies"])


@pytest.mark.parametrize("name", WORKFLOWS)
def test_actions_of_others_are_pinned_to_a_commit(name):
    for job in WORKFLOWS[name]["jobs"].values():
        used = [step["uses"] for step in job.get("steps", ()) if "uses" in step]
        assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action) for action in used)


def test_only_the_job_that_publishes_may_sign_and_it_has_no_password():
    flow = WORKFLOWS["publish"]
    assert flow["permissions"] == {"contents": "read"}
    signing = [name for name, job in flow["jobs"].items() if "permissions" in job]
    assert signing == ["publish"]
    job = flow["jobs"]["publish"]
    assert job["permissions"] == {"id-token": "write"}
    assert job["needs"] == "build"
    assert flow["jobs"]["build"]["needs"] == "tests"
    assert job["steps"][-1]["with"] == {"attestations": True}


def test_what_programs_read_first_leads_somewhere():
    text = (ROOT / "llms.txt").read_text("utf-8")
    assert text.startswith("# rankbars\n\n> ")
    linked = re.findall(r"\]\(([^)]+)\)", text)
    assert [place for place in linked if not (ROOT / place).is_file()] == []
    assert "`python -m pip install rankbars`" in text

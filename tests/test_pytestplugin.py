"""The fixture of the pytest plugin fails a test with the words of the claims."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from commandline import table
from test_architecture import modules_after

pytest_plugins = ["pytester"]

PLUGIN = "rankbars.pytestplugin"
TESTS = """
from pathlib import Path
import pytest
import rankbars as rb

RESULTS = "results.csv"

def test_supported(rankbars_check):
    made = rankbars_check(RESULTS, ["m0 > m2"], guards=["m0 >= 0.9"])
    assert [one.verdict for one in made.claims] == ["supported", "cannot_tell"]
    assert isinstance(made, rb.Check)

def test_refuted(rankbars_check):
    rankbars_check(rb.read(RESULTS), ["m0 > m2", "m2 > m1"])

def test_undecided(rankbars_check):
    rankbars_check(RESULTS, "m0 >= 0.9")

def test_forgiven(rankbars_check):
    assert rankbars_check(RESULTS, "m0 >= 0.9", fail_on="refuted").exit_code() == 3

def test_file(rankbars_check):
    rankbars_check(RESULTS, Path("claims.yaml"), alpha=0.1)

def test_wrong(rankbars_check):
    with pytest.raises(rb.UnknownOptionError):
        rankbars_check(RESULTS, "m0 > m9")
"""


def test_claims_that_fail_fail_their_test_with_their_words(pytester: pytest.Pytester) -> None:
    (pytester.path / "results.csv").write_text("\n".join(table()) + "\n", encoding="utf-8")
    (pytester.path / "claims.yaml").write_text("- m0 > m2\n", encoding="utf-8")
    pytester.makepyfile(TESTS)
    done = pytester.runpytest_inprocess("-p", PLUGIN, "-p", "no:cacheprovider", "-rf")
    done.assert_outcomes(passed=4, failed=2)
    done.stdout.fnmatch_lines(
        [
            "m2 is better than m1*",
            "*REFUTED. Difference*",
            "Failed: 1 of 2 claims: 'm2 > m1' (refuted).",
            "*CANNOT TELL. Score*",
            "Failed: 'm0 >= 0.9' (cannot tell).",
        ]
    )
    assert "Traceback" not in done.stdout.str()


def test_the_plugin_is_found_by_the_name_of_its_module_and_loads_nothing_heavy(
    tmp_path: Path,
) -> None:
    root = Path(__file__).resolve().parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    # The name that `-p` takes: whoever asks for the plugin twice gets it once.
    assert project["entry-points"]["pytest11"] == {PLUGIN: PLUGIN}
    before = modules_after("import pytest", tmp_path)
    loaded = modules_after(f"import {PLUGIN}", tmp_path) - before
    assert {name for name in loaded if not name.startswith("rankbars")} == set()
    assert {name for name in loaded if name.startswith("rankbars")} == {"rankbars", PLUGIN}

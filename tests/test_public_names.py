"""The public names: all there, loaded when asked for, documented."""

import inspect
import tomllib
from pathlib import Path

import pytest

import rankbars
from rankbars import errors

NAMES = sorted(set(rankbars.__all__) - {"__version__"})


def documented(thing):
    """Whether `thing` has a docstring of its own, not the signature that dataclasses put there."""
    doc = inspect.getdoc(thing) or ""
    return bool(doc) and not doc.startswith(f"{thing.__name__}(")


def public_members(cls):
    """Functions and properties that a public class itself defines."""
    for name, member in vars(cls).items():
        function = getattr(member, "__func__", None) or getattr(member, "fget", None) or member
        if not name.startswith("_") and inspect.isfunction(function):
            yield name, function


def test_the_table_of_modules_names_every_public_name():
    assert set(rankbars._MODULE_OF) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_public_name_is_where_the_table_says(name):
    thing = getattr(rankbars, name)
    assert thing.__module__.partition(".")[0] == "rankbars"
    assert thing.__name__ == name


@pytest.mark.parametrize("name", NAMES)
def test_public_name_is_documented(name):
    thing = getattr(rankbars, name)
    assert documented(thing)
    if inspect.isclass(thing):
        assert [member for member, f in public_members(thing) if not documented(f)] == []


def test_every_error_is_public_and_has_one_root():
    assert set(errors.__all__) <= set(NAMES)
    assert all(issubclass(getattr(errors, name), errors.RankbarsError) for name in errors.__all__)


def test_dir_lists_the_public_names():
    assert set(rankbars.__all__) <= set(dir(rankbars))


def test_unknown_name_raises_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'leaderbord'"):
        rankbars.leaderbord  # noqa: B018  # the access is the test


def test_version_is_that_of_the_installed_distribution():
    project = Path(__file__).parent.parent / "pyproject.toml"
    declared = tomllib.loads(project.read_text(encoding="utf-8"))["project"]
    assert rankbars.__version__ == declared["version"]

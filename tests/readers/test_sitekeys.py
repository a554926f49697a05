"""Options in messages, as keys of the configuration of a public leaderboard."""

import re

import click
import pytest
import yaml

from rankbars.cli.app import app
from rankbars.readers.sitefile import read_site
from rankbars.readers.sitekeys import by_keys

RANK = app.get_command(click.Context(app), "rank")
OPTIONS = {option.opts[-1]: option for option in RANK.params if isinstance(option, click.Option)}
# What a site cannot say in its file, or says of itself and not of its boards.
AS_WRITTEN = {
    "--output", "--html", "--md", "--models", "--tasks", "--families", "--groups",
    "--within-groups", "--clusters", "--chance", "--limits", "--composite", "--task-correlation",
    "--by-reference", "--labels", "--judge", "--judge-family", "--jobs", "--backend",
    "--scheduler", "--least-votes", "--anytime", "--correlated", "--also", "--cost", "--prices",
    "--first", "--explain", "--pairs", "--hold-out", "--held-out", "--title", "--source",
    "--date", "--link", "--description", "--json", "--quiet",
}  # fmt: skip
VALUES = {
    "--column": "item=question", "--direction": "lower", "--word": "timeout=fail",
    "--variants": "amber=3", "--where": "'turns > 1'", "--aggregate": "tasks", "--elo": "1000",
    "--categories": "table.csv", "--weights": "table.csv", "--top-alone": "2", "--alpha": "0.1",
    "--alpha-overall": "0.3", "--scope": "each", "--missing": "pairwise", "--ties": "half",
    "--missing-tasks": "bounds", "--missing-items": "fail", "--zero-se": "largest",
    "--runs": "anew", "--both-bad": "tie", "--covariance": "sandwich", "--pairing": "uniform",
    "--reweight": "uniform", "--ridge": "0.5", "--suspect-weight": "0", "--cap": "5",
    "--seed": "3", "--resamples": "500", "--folds": "5", "--test-share": "0.3",
    "--score-min": "-100", "--score-max": "100", "--decimal": ",",
}  # fmt: skip


def config_of(said):
    """What somebody writes who follows a message: keys with points are keys in keys."""
    ((place, value),) = yaml.safe_load(said).items()
    for name in reversed(place.split(".")):
        value = {name: value}
    return value


def read_with(folder, said):
    (folder / "table.csv").write_text("task,value\nlaw,1\n", "utf-8")
    config = folder / "site.yaml"
    config.write_text(
        yaml.safe_dump({"title": "Woods", "results": "results.csv", **config_of(said)}), "utf-8"
    )
    return read_site(config)


@pytest.mark.parametrize("option", sorted(set(OPTIONS) - AS_WRITTEN))
def test_every_translated_option_is_a_key_that_the_file_takes(option, tmp_path):
    flag = OPTIONS[option].is_flag
    written = option if flag else f"{option} {VALUES.get(option, 'something')}"
    said = by_keys(written)
    assert "--" not in said
    if option not in ("--baseline-fills",):  # it goes with a baseline
        assert read_with(tmp_path, said)
    else:
        assert said == "ranking.baseline_fills: true"
    bare = by_keys(f"({option})")
    assert re.fullmatch(r"\([a-z_.]+(: (true|\{[a-z_]+: true\}))?\)", bare), bare


@pytest.mark.parametrize("option", sorted(AS_WRITTEN))
def test_an_option_that_has_no_key_stays_as_it_is_written(option):
    for text in (f"Use {option} NAME.", f"Use {option}."):
        assert by_keys(text) == text


def test_what_stays_as_it_is_written_is_an_option():
    assert set(OPTIONS) > AS_WRITTEN
    assert set(OPTIONS) > set(VALUES)


@pytest.mark.parametrize(
    ("written", "said"),
    {
        "--column item=question --column 'score=run a/acc' --missing pairwise":
            "reading.columns: {item: question, score: run a/acc} ranking.missing: pairwise",
        "--column time= (an empty name)": "reading.columns: {time: ''} (an empty name)",
        "--column model=yes": "reading.columns: {model: 'yes'}",
        "--column item=2": "reading.columns: {item: '2'}",
        "adjust: --control position.": "adjust: reading.controls: position.",
        "--control style --control length": "reading.controls: [style, length]",
        "--direction rmse=lower --direction 'a, b=higher'":
            "reading.direction: {rmse: lower, 'a, b': higher}",
        "--direction lower|higher": "reading.direction: lower|higher",
        "--metric NAME for each.": "metrics: [{name: NAME}] for each.",
        "--metric arc --metric boolq": "--metric arc --metric boolq",
        "--rows items or --rows independent.":
            "reading.rows: items or ranking.independent_rows: true.",
        "--layout items-by-models --models a": "reading.layout: items-by-models --models a",
        "--where \"split = 'test'\"": "reading.where: split = 'test'",
        "a run alone is --where on 'run'": "a run alone is reading.where on 'run'",
        "--aggregate items::kemeny.": "ranking.over: items, ranking.method: kemeny.",
        "leave --aggregate out": "leave ranking.over out",
        "--elo 1000, --cap 5":
            "ranking.votes: {elo: '1000'}, ranking.votes: {cap: 5}",
        "and --reweight weighs earlier ones": "and ranking.votes.reweight weighs earlier ones",
        "--average-anyway averages them": "ranking.average_anyway: true averages them",
        "(--filter chooses)": "(reading.filter chooses)",
        "Add --missing fail; rankbars rank --limits f.json --missing fail shows it. --test t.":
            "Add ranking.missing: fail; rankbars rank --limits f.json --missing fail shows it. "
            "ranking.test: t.",
        "--decimal , (in Python)": "reading.decimal: ',' (in Python)",
    }.items(),
)  # fmt: skip
def test_options_of_sentences_are_written_as_yaml(written, said):
    assert by_keys(written) == said


def test_names_with_columns_are_read_as_they_were_meant(tmp_path):
    said = by_keys("--column item=no --column score='it'\"'\"'s: 1' --column time=")
    assert read_with(tmp_path, said).reading == {
        "columns": {"item": "no", "score": "it's: 1", "time": ""}
    }
    (metric,) = read_with(tmp_path, by_keys("--metric 'f1, macro'")).metrics
    assert metric.name == "f1, macro"
    assert read_with(tmp_path, by_keys("--rows independent")).ranking.independent_rows

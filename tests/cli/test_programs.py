"""Every command as a program uses it: one JSON value, its schema, its exit code."""

import json
import random
import re
import shlex
from importlib import resources
from pathlib import Path

import jsonschema
import pytest
import yaml
from click import Command, Context, Group

from rankbars.cli.app import COMMANDS, app, run

PAGE = Path(__file__).parents[2] / "docs" / "programs.md"
ROWS = re.findall(r"^\| `rankbars (.+?)` \| .+ \| `(\w+)` \|$", PAGE.read_text("utf-8"), re.M)


def schema_of(name):
    text = resources.files("rankbars.data").joinpath(f"{name}.schema.json").read_text("utf-8")
    return json.loads(text)


def misplaced(value, schema, blocks, place=""):
    """Objects whose keys stand in another order than those of the schema."""
    if "$ref" in schema:
        schema = blocks[schema["$ref"].rpartition("/")[2]]
    found = [
        one for part in schema.get("anyOf", ()) for one in misplaced(value, part, blocks, place)
    ]
    if isinstance(value, list):
        inner = schema.get("items", {})
        return found + [one for k in value for one in misplaced(k, inner, blocks, f"{place}[]")]
    if not isinstance(value, dict):
        return found
    known = schema.get("properties", {})
    if known and [key for key in value if key in known] != [key for key in known if key in value]:
        found.append((place, [*value], [*known]))
    other = schema.get("additionalProperties") or {}
    for key, one in value.items():
        found += misplaced(one, known.get(key, other), blocks, f"{place}.{key}")
    return found


def closed(schema):
    """The schema, with which keys that it does not list are faults."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(one) for key, one in schema.items()}
    return made | ({"additionalProperties": False} if "properties" in made else {})


def leaves(command, words=()):
    """Every command that does something, with the words that name it."""
    if not isinstance(command, Group):
        return {words: command}
    found = {}
    with Context(command) as context:
        for name in command.list_commands(context):
            found |= leaves(command.get_command(context, name), (*words, name))
    return found


def options(command: Command):
    return {word for one in command.params for word in one.opts}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small inputs of every kind that the page names."""
    draw = random.Random(1)
    made = tmp_path_factory.mktemp("programs")

    def table(name, models):
        rows = [
            f"{task},{item},{model},{int(draw.random() < share)}"
            for task in ("law", "math", "code")
            for item in range(40)
            for model, share in models.items()
        ]
        (made / name).write_text("\n".join(["task,item,model,score", *rows]) + "\n")

    table("results.csv", {"ash": 0.9, "birch": 0.6, "cedar": 0.4})
    table("more.csv", {"elm": 0.5})
    votes = [
        ",".join([*draw.sample(["ash", "birch", "cedar"], 2), draw.choice(["model_a", "tie"])])
        for _ in range(60)
    ]
    (made / "votes.csv").write_text("\n".join(["model_a,model_b,winner", *votes]) + "\n")
    trials = [
        f"{item},{trial},{model},{int(draw.random() < 0.6)}"
        for item in range(12)
        for trial in range(3)
        for model in ("ash", "birch")
    ]
    (made / "trials.csv").write_text("\n".join(["item,trial,model,score", *trials]) + "\n")
    records = [
        {"model_id": model, "task_id": task, "metric_name": "acc", "score": draw.random()}
        for model in "xy"
        for task in "ab"
    ]
    (made / "records.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    (made / "models.txt").write_text("ash\nbirch\n")
    (made / "items.txt").write_text("".join(f"q{k}\n" for k in range(30)))
    (made / "site.yaml").write_text(yaml.safe_dump({"title": "Trees", "results": "results.csv"}))
    (made / "cats.csv").write_text("task,category\nlaw,a\nmath,b\ncode,b\n")
    return made


def answered(words, capfdbinary):
    """Exit code, what was printed, and the last line on standard error."""
    capfdbinary.readouterr()
    code = run(words)
    out, err = capfdbinary.readouterr()
    return code, out.decode("utf-8"), (err.decode("utf-8").splitlines() or [""])[-1]


def test_every_command_has_the_option_and_a_row_of_the_page():
    every = leaves(app)
    assert {words[0] for words in every} == set(COMMANDS)
    assert [words for words, command in every.items() if "--json" not in options(command)] == []
    named = [shlex.split(row) for row, _ in ROWS]
    simulated = {words for words in every if words[0] == "simulate"}
    for words in set(every) - simulated:
        # `race STATE next`: the state stands between the words
        assert any(row[0] == words[0] and set(words) <= set(row) for row in named), words


def test_each_command_of_the_page_prints_what_its_schema_says(folder, capfdbinary, monkeypatch):
    monkeypatch.chdir(folder)
    for row, name in ROWS:
        words = shlex.split(row)
        if words[:2] == ["rank", "results.csv"]:
            words += ["--categories", "cats.csv"]
        code, out, last = answered(words, capfdbinary)
        if name == "error":
            assert (code, out) == (1, "")
            out = last
        elif "--json" not in words:
            out = Path("board.json").read_text("utf-8")
        else:
            assert code == (0 if words[0] != "check" else json.loads(out)["exit_code"]), (row, last)
        schema = schema_of(name)
        values = (
            [json.loads(line) for line in out.splitlines()] if name == "call" else [json.loads(out)]
        )
        assert values
        for value in values:
            jsonschema.Draft202012Validator(schema).validate(value)
            assert misplaced(value, schema, schema.get("$defs", {})) == [], row
            if name in ("board", "shares", "check"):
                continue  # these hold dicts by name, and tests of their own
            jsonschema.Draft202012Validator(closed(schema)).validate(value)
        if name == "call":
            back = [json.dumps(value | {"score": 1}) + "\n" for value in values]
            (folder / "told.jsonl").write_text("".join(back))


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        (["rank", "nowhere.csv", "--json"], 1, "data"),
        (["rank", "nowhere.csv", "--json", "--scope", "nonsense"], 2, "usage"),
        (["rank", "--json", "--nonsense"], 2, "usage"),
        (["nonsense", "--json"], 2, "usage"),
        (["rank", "x.csv", "--json", "-o", "board.json"], 2, "usage"),
        (["formats", "nowhere.xyz", "--json"], 1, "data"),
    ],
)
def test_a_failure_is_one_line_of_json_on_standard_error(
    words, code, kind, capfdbinary, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    answer, _, last = answered(words, capfdbinary)
    said = json.loads(last)
    assert answer == code
    jsonschema.Draft202012Validator(closed(schema_of("error"))).validate(said)
    assert (said["exit_code"], said["kind"]) == (code, kind)
    assert not said["message"].startswith("Error")
    assert list(tmp_path.iterdir()) == []


def test_without_the_option_a_failure_is_words(capfdbinary):
    code, out, last = answered(["rank", "nowhere.csv", "--", "--json"], capfdbinary)
    assert (code, out) == (1, "")
    assert last.startswith("Error: ")

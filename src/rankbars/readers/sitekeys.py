"""Options of the command line as keys of the configuration of a public leaderboard."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import partial
from typing import NamedTuple

from rankbars.data.spec import OVERS, Spec, VoteOptions
from rankbars.readers.sitefile import reading_kinds

__all__ = ["by_keys"]

# As `shlex.join` writes it; a point or a comma at its end is that of the sentence.
_VALUE = r"""(?:[\w.-]+=)?(?:'[^']*'|"[^"]*")+|,(?= |$)|-?[\w%@+=:/][\w%@+=:/.,^-]*(?<![.,:-])|\w"""
# A command to run, up to the end of its sentence, has the options of a command.
_COMMAND = r"\brankbars [a-z]+ (?:[^.,;\n]|[.,;](?=\S))+"
_OPTION = re.compile(
    rf"{_COMMAND}|(?<![\w-])--([a-z][a-z-]*[a-z])(?:[ =]({_VALUE}))?(?: --\1 (?:{_VALUE}))*"
)
_EACH = re.compile(rf"--[a-z-]+(?:[ =]({_VALUE}))?")
_CALLED = {
    "score-min": "minimum", "score-max": "maximum", "word": "words", "column": "columns",
    "control": "controls",
}  # fmt: skip
_OF_TASKS = ("categories", "weights")
_WORDS = ("chooses", "on", "weighs")  # that follow an option in a sentence, and are no values
# What is no text to YAML when it stands there by itself.
_OTHER = re.compile(r"true|false|yes|no|on|off|null|[\d.+-].*", re.IGNORECASE)


class _Key(NamedTuple):
    """Where a value stands in the file, and what it is there."""

    place: str
    kind: str
    within: str = ""  # the name of the value, where the key holds several


def by_keys(message: str, *, stored: bool = False) -> str:
    r"""A message with keys of the configuration in place of options of the command line.

    An option that has no key stays as it is written, and so does a command to run.

    Parameters
    ----------
    message : str
        What was said to the command line.
    stored : bool
        Whether the results are a store: what says how they are read was said when they were added.

    Examples
    --------
    >>> by_keys("Add --missing pairwise, or declare it: --score-min 0.\nIn Python: rb.rank().")
    'Add ranking.missing: pairwise, or declare it: reading.minimum: 0.'
    >>> by_keys("Name them: --column item=question --column time=. Or leave out --models.")
    "Name them: reading.columns: {item: question, time: ''}. Or leave out --models."
    >>> by_keys("Add --missing fail; declare it: --score-min 0.", stored=True)
    'Add ranking.missing: fail; declare it: rankbars add --score-min 0.'
    >>> by_keys("Choose it: --metric 'f1 (macro)'. Or: --rows independent.")
    'Choose it: metrics: [{name: f1 (macro)}]. Or: ranking.independent_rows: true.'
    """
    lines = [line for line in message.split("\n") if not line.startswith("In Python: ")]
    text = "\n".join(lines).replace("the line to paste, what", "the key, what")
    return _OPTION.sub(partial(_written, stored=stored), text)


def _written(found: re.Match[str], stored: bool) -> str:
    """One option, with all values that follow each other, as the key that says the same."""
    option, whole = found[1], found[0]
    if option is None:
        return whole
    values = [_bare(one[1]) for one in _EACH.finditer(whole) if one[1] is not None]
    key = _key(option)
    reads = option == "metric" or (key is not None and key.place.startswith("reading."))
    if stored and reads and not (option == "rows" and values == ["independent"]):
        return f"rankbars add {whole}"
    if option == "metric":
        # Of several metrics, a task has one; metrics of a site are boards beside each other.
        one = f"metrics: [{{name: {_yaml(values[0])}}}]" if values else "metrics"
        return whole if len(values) > 1 else one
    if option == "rows" and values == ["independent"]:
        return "ranking.independent_rows: true"
    if option == "aggregate":
        return _average(values, whole)
    if key is None:
        return whole
    rest = "".join(f" {one}" for one in values)  # words of the sentence, where it takes none
    if key.kind == "bool":
        return _said(key, "true") + rest
    if not values or values[0] in _WORDS:
        return _said(key, "") + rest
    put = str if re.search(r"\b(int|float)\b", key.kind) else _yaml
    if "Mapping" in key.kind and option != "map":
        named = [one.partition("=") for one in values]
        if all(sign for _, sign, _ in named):
            return _said(key, f"{{{', '.join(f'{_yaml(a)}: {put(b)}' for a, _, b in named)}}}")
        if key.kind.startswith("Mapping"):
            return _said(key, "") + rest
    texts = [put(one) for one in values]
    return _said(key, texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]")


def _key(option: str) -> _Key | None:
    name = _CALLED.get(option, option.replace("-", "_"))
    if name in _OF_TASKS:
        return _Key(name, "str")
    ranking = {one.name: str(one.type) for one in fields(Spec)}
    if name in ranking and name != "votes":
        return _Key(f"ranking.{name}", ranking[name])
    reading, votes = reading_kinds(), {one.name: str(one.type) for one in fields(VoteOptions)}
    if name in reading:
        return _Key(f"reading.{name}", reading[name])
    return _Key("ranking.votes", votes[name], name) if name in votes else None


def _average(values: list[str], whole: str) -> str:
    """``OVER:ESTIMATOR:METHOD``, which are three keys."""
    parts = values[0].split(":") if values else [""]
    if not values or parts[0] not in OVERS:
        return whole.replace("--aggregate", "ranking.over")
    named = zip(("over", "estimator", "method"), parts, strict=False)
    return ", ".join(f"ranking.{name}: {part}" for name, part in named if part)


def _said(key: _Key, value: str) -> str:
    if key.within:
        return f"{key.place}: {{{key.within}: {value}}}" if value else f"{key.place}.{key.within}"
    return f"{key.place}: {value}" if value else key.place


def _bare(value: str) -> str:
    """What a shell makes of a word."""
    return "".join(
        part[1:-1] if part[0] in "'\"" else part
        for part in re.findall(r"""'[^']*'|"[^"]*"|[^'"]+""", value)
    )


def _yaml(text: str) -> str:
    """Text as it is written between braces in YAML."""
    plain = re.fullmatch(r"\w(?:[\w %/+@=^<>|().'-]*[\w%/+@=^<>|()'-])?", text)
    if plain and not _OTHER.fullmatch(text):
        return text
    quoted = text.replace("'", "''")
    return f"'{quoted}'"

"""Measures by topic, as trec_eval -q, ir_measures -q and pytrec_eval write them: a file per run."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from rankbars.data.notes import list_names
from rankbars.errors import DataError, ReadError
from rankbars.readers.inputfiles import HEAD_BYTES, InputFile, file_stem, open_text, read_each
from rankbars.readers.logs.jsontext import load_json, top_level_keys
from rankbars.readers.logs.jsonvalues import as_finite, as_mapping
from rankbars.readers.parts import Part
from rankbars.readers.recognition import CERTAIN, Recognition
from rankbars.readers.trials import Sheet, Trial, parts_of
from rankbars.tables.columns import paste_names
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions

__all__ = ["read", "sniff"]

_KNOWN = split_words("""
    map gm_map ap ndcg dcg rr mrr recip_rank p r recall precision rprec bpref gm_bpref infap err
    nerr rbp success hits hit_rate f1 iprec iprec_at_recall 11pt_avg utility bing g rndcg relative_p
    set_p set_recall set_f set_map set_relative_p setp setr setf setap judged yaap alpha_ndcg
    alpha_dcg err_ia nrbp ap_ia p_ia strec compat inst bpm sdcg runid relstring
""")
# How many documents there were says nothing of how well a run did; runid and relstring are text.
_COUNTS = re.compile(r"(?i)num_?(?:q|ret|rel|nonrel)\w*|runid|relstring\w*")
_CUT = re.compile(r"(?:_cut|_mult|_rel)?(?:_[\d.]+)?$")

_ALL = "all"
_OBJECT = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)+"\s*:\s*\{\s*"((?:[^"\\]|\\.)+)"\s*:\s*-?\d')
# So many keys are topics, whatever they are called; fewer may be runs.
_FEWEST_TOPICS = 20


class _Measured(NamedTuple):
    """One run: what it calls itself, its measures by topic, and those over all topics."""

    file: InputFile
    runid: str
    topics: dict[str, dict[str, float]]
    overall: dict[str, float]


def sniff(path: Path, head: bytes) -> Recognition | None:
    r"""Whether the file holds measures by topic.

    Examples
    --------
    >>> text = "map \t301\t0.3359\nmap \t302\t0.2428\nmap \tall\t0.2894\n"
    >>> sniff(Path("bm25.eval"), text.encode()).format
    'trec-eval'
    """
    text = head.decode("utf-8-sig", "replace")
    if text.lstrip()[:1] == "{":
        found = _OBJECT.match(text)
        keys = top_level_keys(path) if found and is_measure(found[1]) else ()
        numbered = len(keys) > 1 and all(key.isdigit() for key in keys)
        if not (numbered or len(keys) >= _FEWEST_TOPICS) or all(map(is_measure, keys)):
            return None
        return Recognition("trec-eval", CERTAIN, "It has measures for each topic, as pytrec_eval.")
    lines = text.splitlines()
    cells = [line.split() for line in (lines[:-1] if len(head) >= HEAD_BYTES else lines) if line]
    whole = [row for row in cells if len(row) == 3]
    # One line that is not whole is told by its number when the file is read.
    if len(whole) < max(2, len(cells) - 1):
        return None
    cells = whole
    for place, what in ((0, "trec_eval -q"), (1, "ir_measures -q")):
        if all(is_measure(row[place]) for row in cells):
            return Recognition("trec-eval", CERTAIN, f"It has lines as those of {what}.")
    return None


def is_measure(name: str) -> bool:
    """Whether a name is that of a measure of a ranking, or of a line of trec_eval.

    Examples
    --------
    >>> [is_measure(name) for name in ("ndcg_cut_10", "nDCG@10", "RBP(p=0.8)", "num_ret", "301")]
    [True, True, True, True, False]
    """
    base = _CUT.sub("", re.split(r"[@(]", name)[0].casefold())
    return base in _KNOWN or _COUNTS.fullmatch(name) is not None


def read(files: Sequence[InputFile], options: ReadOptions) -> list[Part]:
    """Measures by topic, of each run in a file; means over all topics are compared with them.

    Raises
    ------
    ReadError
        If a file holds no topics, or one of them twice.
    DataError
        If there are several measures, and none is chosen.
    """
    found = read_each(files, _read)
    measures = list(dict.fromkeys(
        name for one in found for values in one.topics.values() for name in values
    ))  # fmt: skip
    if options.metric is None and len(measures) > 1:
        raise DataError(
            f"{found[0].file.label}: there are {len(measures)} measures: "
            f"{list_names(measures, 20)}. Name the one that counts: "
            f"{paste_names('--metric', measures[:1])} (in Python: metric={measures[0]!r})."
        )
    metric = measures[0] if options.metric is None else options.metric
    sheets = []
    for one, (model, task, own) in zip(found, _names(found), strict=True):
        trials = [Trial(topic, values) for topic, values in one.topics.items()]
        sheets.append(Sheet(
            one.file.label, model, task, trials, metric, (0.0, None),
            directions=dict.fromkeys(measures, "higher"), repeats=False,
            named="" if own else "file",
            published={name: one.overall[name] for name in measures if name in one.overall},
        ))  # fmt: skip
    return parts_of(sheets, options)


def _names(found: Sequence[_Measured]) -> Iterator[tuple[str, str, bool]]:
    """Model and task of each run, and whether the model is called as the run calls itself.

    Where files of one name lie in several folders, either folders are runs, or sets of topics.
    """
    stems = [file_stem(one.file.path) for one in found]
    folders = [one.file.path.resolve().parent.name for one in found]
    own = [one.runid for one in found]
    if all(own) and len(set(own)) == len(found):
        yield from ((name, _ALL, True) for name in own)
    elif len(set(stems)) == len(found):
        yield from ((name, _ALL, False) for name in stems)
    elif len(set(stems)) == 1 and len(set(folders)) == len(found):
        yield from ((name, _ALL, False) for name in folders)
    else:
        yield from ((name, task, False) for name, task in zip(stems, folders, strict=True))


def _read(file: InputFile) -> _Measured:
    measured = _Measured(file, "", {}, {})
    with open_text(file) as text:
        is_json = text.read(1).lstrip("\ufeff") in ("{", "")
    rows = _members(load_json(file)) if is_json else _lines(file)
    for place, topic, name, value in rows:
        if _COUNTS.fullmatch(name):
            measured = measured._replace(runid=str(value)) if name == "runid" else measured
            continue
        number = as_finite(value) if not isinstance(value, str) else _number(value)
        if number is None:
            raise ReadError.at(f"{file.label}, {place}", f"{name} is {value!r}, no finite number.")
        own = measured.overall if topic == _ALL else measured.topics.setdefault(topic, {})
        if name in own:
            raise ReadError.at(f"{file.label}, {place}", f"{name} of {topic} stands there twice. "
                               "Give each run a file of its own.")  # fmt: skip
        own[name] = number
    if not measured.topics:
        raise ReadError.at(file.label, "there are measures over all topics only, which have no "
                           "error. Evaluate with -q, which writes each topic.")  # fmt: skip
    return measured


def _number(text: str) -> float | None:
    try:
        return as_finite(float(text))
    except ValueError:
        return None


def _members(content: Mapping[str, object]) -> Iterator[tuple[str, str, str, object]]:
    for topic, values in content.items():
        for name, value in as_mapping(values).items():
            yield f"topic {topic}", topic, name, value


def _lines(file: InputFile) -> Iterator[tuple[str, str, str, str]]:
    """Place, topic, measure and value of each line; trec_eval has the measure first."""
    with open_text(file) as text:
        lines = list(text)
    rows = [(number, line.split()) for number, line in enumerate(lines, 1) if line.strip()]
    first = all(is_measure(row[0]) for _, row in rows[:_LOOKED_AT] if len(row) == 3)
    digits = {_digits(row) for _, row in rows[:-1]} - {0}
    for number, row in rows:
        last = number == rows[-1][0]
        # All values are written with the same digits, so that one of fewer is half a value.
        ended = not last or lines[-1].endswith("\n")
        half = not ended and "." in row[-1] and len(digits) == 1 and _digits(row) < min(digits)
        if len(row) != 3 or half:
            counted = "is 1 cell" if len(row) == 1 else f"are {len(row)} cells"
            what = f"there {counted} in place of 3" if len(row) != 3 else (
                "the value has fewer digits than all others"
            )  # fmt: skip
            end = " The file ends there, so it seems to be cut off: copy it again." if last else ""
            shown = " ".join(row)
            raise ReadError.at(f"{file.label}, line {number}", f"{what}, {shown[:60]!r}.{end}")
        name, topic = row[:2] if first else (row[1], row[0])
        yield f"line {number}", topic, name, row[2]


def _digits(row: Sequence[str]) -> int:
    """Digits behind the point of the last cell."""
    return len(row[-1].partition(".")[2])


_LOOKED_AT = 100

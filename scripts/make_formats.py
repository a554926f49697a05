"""Write the page of the formats that can be read, from the registry.

Usage: ``python scripts/make_formats.py``. A test compares the page with the registry, so run it
after a change there.
"""

# ruff: noqa: E501  (the lines of the page)

from __future__ import annotations

from pathlib import Path

from rankbars.readers import FORMATS, Format

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "formats.md"

HEAD = """\
# Formats

What `rankbars rank` reads. Files are recognised by their content and their names; `rankbars formats PATH` says of every file
what it was recognised as and why, or why not, and then what reading them gives. `--format NAME` declares the format of all
files; in a folder, files that are not of it are left out.

The formats of tools have a signature of their own. Only what no signature fits is looked at as a table.
A format that is not here can be [added by another package](add-a-format.md).

"""

TAIL = """
## What holds for all of them

**Folders** may mix formats, models and runs. Hidden files are left out. A file that no format knows, or that is damaged or
empty, is left out with a note that names it and says why. A file that was *named* must be readable: there the same is an error.

**Runs of one model on one task**: the newest one counts, with a note that says which; `--reruns all` takes all of them as
repeats of each other. Copies count once. Runs that no time puts in order are refused.

**Trials of agents and samples of code** (tau-bench to MLE-bench, and the platforms): files, jobs and days of one model are its trials,
all of them, unless `--reruns newest` is given; a record that stands in two files counts once. Trials without a number are numbered by
when they began. A trial that failed or timed out without a verdict has no score; a note counts them with their reasons, and
`--missing fail` counts them as the lowest score, as most of these tools do. What a trial cost is a second metric of it (`--metric cost`,
`seconds`, `tokens`), never a task; an amount that is 0 in every record was not counted.

**Several answers to an item** have metrics of their own, in logs and in tables alike: `--metric pass@4` (any of 4 answers is right),
`--metric pass^4` (all of 4), `--metric majority@3` (more right than wrong) and `--metric best@4` (the best of graded scores). Each item
gets the mean over all subsets of so many answers, which is unbiased: 1 − C(n−c, k)/C(n, k) and C(c, k)/C(n, k) for c right of n. So
`pass@1`, `pass^1` and the mean are the same. Tests, ranks, `compare` and `check` work on the items as ever. `pass^4-plugin` is (c/n)⁴,
which is biased upwards, for comparison with numbers that were published so. More answers than an item has are refused, with what is
possible; so are trials that look as if they had been stopped at the first success, or made again only where the first failed, until
`--trials fixed` says that they were not; of the plain mean of such trials, gates are refused, and all else has a note. A
table may hold counts instead of answers: columns `n` and `c`, or `num_samples` and `num_correct`, beside an item.

**A tool that is not known**: `rankbars formats FILE` shows what its JSON holds, path by path, and a map to correct and paste:

```text
$ rankbars formats log.json
log.json: not recognised. The JSON holds an object, not a table. …

What log.json holds (path, type and how many, an example):
  config.model     text 1  'm1'
  runs[].task_id   text 4  't1'
  runs[].trial     number 4  '0'
  runs[].reward.r  number 4  '1'
To read it, correct and paste: --map 'model=config.model,item=runs[].task_id,trial=runs[].trial,score=runs[].reward.r'
```

`runs[]` is each element of a list, `tasks.*` each member of an object (its key, where the path ends there); a list at the top and the
lines of a file need neither. Roles: `model`, `task`, `item`, `trial`, `score` (or `n` and `c`), `error`, `cost`, `seconds`, `time`. `--map`
may name a YAML file with one line per role, and a file `rankbars-map.yaml` counts for all JSON beside it.

**Parts and their whole** are never both tasks: an overall score is left out beside its parts, and becomes their category.

**One metric per task.** The tool's main metric counts; the note lists the others, for `--metric`.

**Direction** comes from the record, from `--direction`, or, for metrics known to be better when higher, from their name. A
metric that is known to be better when lower, or not known, stops with the lines to paste. A record that contradicts what is
known is refused until `--direction` settles it.

**Items are paired by content** where the tool keeps a hash, else by name. Items that a model was not given, as with a smaller
`--limit`, are missing like any others: they cut nobody else's, and `rank` asks what to do with them. Of several runs of one model
a run on less than a quarter of the items of another is not the one that counts. Models that were not given the same
task (another hash, version, number of shots) are refused, also in files that are read side by side and in columns such as
`num_fewshot` and `dataset_version`, unless `--compare-anyway` says otherwise.

**One task in two formats** is joined where its rows have names in common, else refused with the reason. Votes and scores are
never one task.

**Four kinds of nothing** stay apart: an answer that *failed*, one that ran and was *not scored*, one that is *missing*, and a
score of *zero*. `rankbars show board.json --task NAME` counts them for each model; so does `counts` in the
[board file](board-file.md). What is done about the first three is [your choice](methods.md#missing-scores), never the reader's.

**Nothing but names and scores is kept**: no prompt, no answer, no target. `--redact` also replaces the names of items by hashes.

**Files need not be trusted.** Nothing in them is ever run or unpickled; archives are read in memory and refused where they
grow beyond 300 times their size; nesting and numbers of JSON are bounded; YAML makes no objects.

**Large files are streamed**: 2 GB of samples in JSON lines are read in about 125 MB of memory, with a bar on a terminal.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(formats_page(), encoding="utf-8")


def formats_page() -> str:
    """The page: one section per format."""
    rows = [f"| [`{name}`](#{name}) | {one.description} |" for name, one in FORMATS.items()]
    overview = "\n".join(["| format | what it is |", "|---|---|", *rows, ""])
    return HEAD + overview + "".join(_section(one) for one in FORMATS.values()) + TAIL


def _section(one: Format) -> str:
    lines = [
        f"\n## {one.name}\n",
        f"{one.description[0].upper()}{one.description[1:]}.\n",
        f"- **Files:** {_escaped(one.files)}.",
        f"- **What is taken:** {_escaped(one.chosen)}.",
    ]
    if one.options:
        options = ", ".join(f"`{option}`" for option in one.options)
        lines.append(f"- **Options:** {options}.")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("*", "\\*").replace("_", "\\_").replace("|", "\\|")


if __name__ == "__main__":
    main()

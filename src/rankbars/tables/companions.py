"""What names of columns say of others: errors, spreads, counts, places, and numbers of items."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rankbars.tables.columns import fold_name, role_names
from rankbars.tables.database import Engine
from rankbars.tables.metrics import name_words, usual_direction
from rankbars.tables.metricwords import split_words
from rankbars.tables.readoptions import ReadOptions
from rankbars.tables.tablerows import Table
from rankbars.tables.valuetables import ValueTable, hold_cells

__all__ = [
    "FAILED",
    "RIGHT",
    "SE_ENDINGS",
    "STATISTICS",
    "TOTALS",
    "WRONG",
    "beside_a_mean",
    "counts_of",
    "end_pairs",
    "errors_of",
    "kind_of_statistic",
    "lonely_errors",
    "of_training",
    "ranks_of",
    "spread_columns",
    "take_header_counts",
]  # fmt: skip

# Statistics by the words that name them.
STATISTICS: Mapping[str, frozenset[str]] = {
    "mean": split_words("mean means avg average"),
    "se": split_words("sem standarderrorofthemean") | role_names("se"),
    "std": split_words("std stdev stddev sd standarddeviation"),
    "n": split_words("count counts nobs size") | role_names("n"),
    "other": split_words("""
        min minimum max maximum median var variance q1 q3 iqr range sum total
        25 50 75 p25 p50 p75 p90 p95 p99 q25 q50 q75
    """),
}

# How many answers were right, and how many of them were wrong; FAILED: and nothing else.
RIGHT = split_words("""
    correct ncorrect numcorrect correctcount passed npassed numpassed pass passes npass numpass
    solved nsolved numsolved resolved nresolved numresolved right nright successes nsuccesses
""")
FAILED = split_words("""
    failures nfailures numfailures failed nfailed numfailed fail fails nfail numfail
    wrong nwrong numwrong incorrect nincorrect
""")
WRONG = FAILED | split_words("errors nerrors numerrors errorcount")
TOTALS = split_words("""
    total ntotal numtotal totalcount totalitems totalquestions attempted outof of requests nrequests
    numrequests calls ncalls trials ntrials numtrials
""")

# Endings of a column that holds the standard error of another.
SE_ENDINGS = (
    *("_se", "_sem", "_stderr", "_std_err", "_std_error", "_standard_error"),
    *(" se", " sem", " stderr"),
)

# Endings of a column that says how far another is spread, or where it may lie; no score, and no
# standard error either.
_SPREAD_ENDINGS = (
    *("_std", "_sd", "_stdev", "_std_dev", "_var", "_variance", " std", " sd", " (std)", " (sd)"),
    *("_ci", "_ci95", "_ci_low", "_ci_high", "_ci_lower", "_ci_upper", "_lower", "_upper"),
)

# Endings of a column that holds the number of items behind another.
_N_ENDINGS = ("_n", "_n_items", "_num_samples", "_n_samples", " n")

# Endings of a column that holds the places of the models on another.
_RANK_ENDINGS = ("_rank", " rank", " Rank", " (rank)")


def kind_of_statistic(name: str) -> str | None:
    """Which statistic a name is that of, by itself.

    Examples
    --------
    >>> kind_of_statistic("SD"), kind_of_statistic("25%"), kind_of_statistic("math")
    ('std', 'other', None)
    """
    return next((kind for kind, known in STATISTICS.items() if fold_name(name) in known), None)


def beside_a_mean(names: Sequence[str]) -> list[str]:
    """Columns called SD or SE, and nothing else, where another is called the mean.

    >>> beside_a_mean(["math", "law", "Mean", "SD"]), beside_a_mean(["en", "se", "sd"])
    (['SD'], [])
    """
    kinds = {name: kind_of_statistic(name) for name in names}
    if "mean" not in kinds.values():
        return []
    return [name for name, kind in kinds.items() if kind in ("std", "se")]


def of_training(names: Sequence[str]) -> list[str]:
    """Columns of what was learned from, where the same is there of what was not.

    >>> of_training(["test_score", "train_score"]), of_training(["Train acc", "trains"])
    (['train_score'], [])
    """
    folded = {fold_name(name) for name in names}
    found = {name: _TRAINING.sub("test", name, count=1) for name in names}
    return [
        name for name, other in found.items()
        if other != name and folded & {fold_name(_TESTED.sub(one, other)) for one in _PARTS}
    ]  # fmt: skip


_TRAINING = re.compile(r"(?i)(?<![^\W_])train(?:ing)?(?![^\W_])")
_TESTED = re.compile(r"(?<![^\W_])test(?![^\W_])")
_PARTS = ("test", "val", "valid", "validation", "dev", "eval", "holdout")


def ranks_of(names: Sequence[str]) -> dict[str, str]:
    """Columns of the places of the models by the column on which they are."""
    return _companions(names, _RANK_ENDINGS)


def counts_of(names: Sequence[str]) -> dict[str, str]:
    """Columns of numbers of items by the column of which they are."""
    found = _companions(names, _N_ENDINGS)
    for count in names:
        task = _N_OF.fullmatch(count)
        of = re.compile(rf"(\w+_)?{re.escape(task[1])}(_\w+)?") if task else None
        own = [name for name in names if of is not None and name != count and of.fullmatch(name)]
        for name in own:
            found.setdefault(name, count)
    return found


_N_OF = re.compile(r"n_(?:q_|items_|questions_|samples_)?(\w+)")


def _companions(
    names: Sequence[str], endings: Sequence[str], *, every: bool = False
) -> dict[str, str]:
    """Columns that say something about another column, by that column; or `every` one by itself."""
    found = {}
    for name in names:
        for ending in endings:
            for base in _without(name, ending):
                if base in names:
                    found[name if every else base] = name
    return found


def _without(name: str, ending: str) -> list[str]:
    """The name without an ending, behind which a filter or another remark may stand.

    >>> _without("arc/acc_stderr,none", "_stderr"), _without("arc_se", "_se"), _without("a", "_se")
    (['arc/acc,none'], ['arc'], [])
    """
    if name.endswith(ending):
        return [name.removesuffix(ending)]
    return [name.replace(ending + mark, mark, 1) for mark in ",|:@" if ending + mark in name]


def spread_columns(names: Sequence[str]) -> list[str]:
    """Columns that say how far others are spread, or are other statistics than a mean beside them.

    >>> spread_columns(["math", "math_std", "law_mean", "law_max", "std_art", "mean_art", "max_go"])
    ['math_std', 'law_max', 'std_art']
    >>> spread_columns(["Text Arena", "Text 95% CI lower", "Text 95% CI upper"])
    ['Text 95% CI lower', 'Text 95% CI upper']
    >>> spread_columns(["MT", "rating", "rating_q025", "rating_q975", "low", "high"])
    ['rating_q025', 'rating_q975']
    """
    beside = set(_companions(names, _SPREAD_ENDINGS, every=True).values())
    beside |= {name for name in names if _is_bound(name)}
    beside |= {
        end for pair in end_pairs(names) for end in pair
        if any(name not in pair and pair[0].startswith(name) for name in names)
    }  # fmt: skip
    alike: dict[tuple[str, str], dict[str, str]] = {}
    for name in names:
        for ends in (_FIRST_WORD.fullmatch(name), _LAST_WORD.fullmatch(name)):
            if ends is not None:
                parts = ends.groupdict(default="")
                alike.setdefault((parts["before"], parts["after"]), {})[parts["word"]] = name
    for found in alike.values():
        kinds = {name: kind_of_statistic(word) for word, name in found.items()}
        if "mean" in kinds.values():
            beside |= {name for name, kind in kinds.items() if kind not in (None, "mean")}
    return [name for name in names if name in beside and not name.endswith(SE_ENDINGS)]


def _is_bound(name: str) -> bool:
    """Whether a name is that of an end of an interval, or of the interval."""
    words = set(name_words(name))
    return bool(words & {"ci", "confidence"}) and bool(words & _ENDS)


_ENDS = frozenset({"lower", "upper", "low", "high", "lo", "hi", "95", "90", "99", "interval"})
_FIRST_WORD = re.compile(r"(?P<before>)(?P<word>[^\W_]+)(?P<after>[_ ].+)")
_LAST_WORD = re.compile(r"(?P<before>.+[_ ])(?P<word>[^\W_]+)(?P<after>)")


def errors_of(names: Sequence[str]) -> dict[str, str]:
    """Columns of standard errors by the column of which they are.

    >>> errors_of(["mmlu (acc)", "mmlu_stderr", "arc_acc", "arc_stderr"])
    {'mmlu (acc)': 'mmlu_stderr', 'arc_acc': 'arc_stderr'}
    """
    found = _companions(names, SE_ENDINGS)
    for name in names:
        base = next((name.removesuffix(one) for one in SE_ENDINGS if name.endswith(one)), "")
        if not base or name in found.values():
            continue
        same = [
            one for one in names
            if one != name and re.fullmatch(rf"{re.escape(base)}(\s*[(\[].*[)\]]|_(\w+))", one)
            and not one.endswith(SE_ENDINGS)
        ]  # fmt: skip
        if len(same) == 1 and same[0] not in found:
            found[same[0]] = name
    return found


def lonely_errors(names: Sequence[str], errors: Mapping[str, str]) -> list[str]:
    """Columns called standard errors, of nothing that is here; none if all are called so."""
    known = {*errors.values()}
    lonely = [
        name for name in names
        if name not in known and name.endswith(SE_ENDINGS) and usual_direction(name) is None
    ]  # fmt: skip
    return lonely if len(lonely) < len(names) else []


def end_pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    """Names that are alike but for a word or a share of the lower and the upper end.

    Examples
    --------
    >>> end_pairs(["rating", "rating_q025", "rating_q975", "95% CI (lower)", "95% CI (upper)"])
    [('rating_q025', 'rating_q975'), ('95% CI (lower)', '95% CI (upper)')]
    >>> end_pairs(["low", "high", "math_low", "law_high", "top1", "top5"])
    [('low', 'high')]
    """
    high: dict[object, list[str]] = {}
    low: list[tuple[str, object]] = []
    for name in names:
        words = _WORDS.findall(name.casefold())
        for place, word in enumerate(words):
            rest = (*words[:place], None, *words[place + 1 :])
            for kind, end in _low_ends(word):
                low.append((name, (rest, kind, end)))
            for kind, end in _high_ends(word):
                high.setdefault((rest, kind, end), []).append(name)
    return [(one, two) for one, key in low for two in high.get(key, ())]


def _low_ends(word: str) -> list[tuple[str, object]]:
    """What stands at the upper end where this stands at the lower: a word, or the rest of 1."""
    if not word[0].isdecimal():
        return [("word", _LOW[word])] if word in _LOW else []
    kind = "share" if word[0] == "0" and "." not in word else "percent"
    share = dict(_shares(word))[kind]
    return [(kind, round(1.0 - share, _DIGITS))] if share < 0.5 else []


def _high_ends(word: str) -> list[tuple[str, object]]:
    if not word[0].isdecimal():
        return [("word", word)] if word in _LOW.values() else []
    return [(kind, round(share, _DIGITS)) for kind, share in _shares(word)]


def _shares(word: str) -> list[tuple[str, float]]:
    """Digits behind a point, as 975 of 0.975, and in per cent."""
    percent = ("percent", float(word) / 100.0)
    return [percent] if "." in word else [percent, ("share", float(f".{word}"))]


_WORDS = re.compile(r"\d+(?:\.\d+)?|[^\W\d_]+")
_DIGITS = 9
_LOW = {"lower": "upper", "low": "high", "lo": "hi", "lb": "ub", "lwr": "upr"}


def split_count(name: str) -> tuple[str, int] | None:
    """A name of a column without the number of items behind it, and that number.

    Examples
    --------
    >>> split_count("GSM8K (n=1,319)"), split_count("MATH [N = 500]"), split_count("pass@1")
    (('GSM8K', 1319), ('MATH', 500), None)
    """
    found = _ITEMS_BEHIND.fullmatch(name)
    return (found[1], int(found[2].replace(",", ""))) if found else None


def take_header_counts(table: Table, options: ReadOptions, engine: Engine) -> tuple[Table, str]:
    """The table with the numbers of items that its header gives, and what there is to say of them.

    As it is where the header gives none.

    The same number everywhere may be one of answers to each item, and is left in the names.

    Parameters
    ----------
    table : Table
        Any table.
    options : ReadOptions
        What the caller declares; who calls columns by the names they have finds them.
    engine : Engine
        The database that rows are put into.
    """
    found = {name: split_count(name) for name in table.columns}
    counts = {name: one for name, one in found.items() if one is not None}
    plain = [counts[name][0] if name in counts else name for name in table.columns]
    called = {*options.metrics, *options.columns.values(), *options.direction}
    if len({n for _, n in counts.values()}) < 2 or len({*plain}) < len(plain):
        return table, ""
    if called & counts.keys() or options.layout not in (None, "models-by-tasks"):
        return table, ""
    held = hold_cells(table, _MOST_COUNTED + 1)
    rows = len(held[table.columns[0]])
    if rows > _MOST_COUNTED:
        return table, ""
    data = dict(zip(plain, held.values(), strict=True))
    data |= {f"{task}_n": [n] * rows for task, n in counts.values()}
    said = ", ".join(f"{task} {n:,}" for task, n in counts.values())
    remark = (
        f"Numbers of items are taken from the header: {said}. If they count something else, such "
        "as answers to each item, take them out of it."
    )
    return ValueTable.of(table, data, engine), remark


_ITEMS_BEHIND = re.compile(r"(?i)(.*\S)\s*[(\[]\s*n\s*=\s*(\d[\d,]*)\s*[)\]]\s*")
_MOST_COUNTED = 10_000

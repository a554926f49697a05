"""How a table is laid out: one row per score, or a matrix, and in which direction.

The header decides. It is never decided by which side is longer.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.asides import (
    are_settings,
    describes_answers,
    is_helper,
    is_never_score,
    is_summary,
    likely_scores,
)
from rankbars.tables.cells import parse_number
from rankbars.tables.cleanrows import REJECTED_WORDS, STATUS_WORDS
from rankbars.tables.columns import (
    ITEM_NUMBERS,
    ROLES,
    answer_role,
    check_header,
    find_columns,
    fold_name,
    is_series,
    names_run,
    numbers_steps,
    paste_columns,
)
from rankbars.tables.conditions import paste_condition, quote_column
from rankbars.tables.crossvalidation import refuse_fold_columns
from rankbars.tables.metrics import ends_in_loss, is_measure, split_words, usual_direction
from rankbars.tables.readoptions import LAYOUTS
from rankbars.tables.relations import Table
from rankbars.tables.times import are_times, refuse_times

__all__ = [
    "HEAD_ROWS", "TRUTHS", "Layout", "corner_names", "find_answers", "find_keys", "find_layout",
    "find_numeric", "find_row_numbers", "find_state", "names_items", "refuse_training",
    "split_values",
]  # fmt: skip

# Rows looked at to tell numbers from text.
HEAD_ROWS = 200

# First header cells of a matrix, beside the names of the role itself.
CORNERS: Mapping[str, frozenset[str]] = {
    "model": frozenset(
        {
            "modeladapter",
            "models",
            "methods",
            "systems",
            "variant",
            "variants",
            "ablation",
            "ablations",
            "setting",
            "setup",
            "configuration",
        }
    ),
    "task": frozenset({"estimators", "tasks", "datasets", "problems", "benchmarks"}),
    "item": frozenset({"question", "sample", "items", "questions", "samples", "idx", "row"}),
}
FOLD_CORNERS = frozenset({"folds", "fold", "resamples", "resample"})

# Columns that number the rows of a matrix of models, by role; of these the first names the rows.
ROW_KEYS: Mapping[str, frozenset[str]] = {
    "fold": FOLD_CORNERS | {"foldid", "foldno", "cv", "cvfold", "cvsplit", "split", "splitindex"},
    "run": frozenset({"seed", "run", "runid", "randomseed"}),
    "repeat": frozenset({"repeat", "rep", "repetition", "replicate"}),
    "epoch": frozenset({"trial", "attempt"}),
}
_NUMBERED_FOLD = re.compile(r"(?:(?:cv|fold|split|resample)[-_ ]?)?\d+", re.I)

# Pairs of columns that name the two sides of a vote.
PAIRS = (("modela", "modelb"), ("model1", "model2"), ("llm1", "llm2"), ("left", "right"))

# Why a matrix without a name above its first column is read so.
UNNAMED = "the first column has no name and names the rows"
UNNAMED_ITEMS = "the first column has no name, and many rows hold 0 and 1"

# Rows of 0 and 1 are items where there are at least so many, and so many times the columns.
_FEWEST_ITEMS, _TIMES_MODELS = 20, 5

# So many columns of 0 and 1 under the names of models are answers: shares of right answers are
# not 0 or 1 for every model on so many tasks.
_FEWEST_ANSWERS = 8

KEYS = ("item", "fold", "repeat", "run", "epoch")


class Layout(NamedTuple):
    """Name of a layout, one of `LAYOUTS`, and how it was recognised."""

    name: str
    reason: str


def find_layout(table: Table, declared: str | None, named: Mapping[str, str]) -> Layout:
    """Layout of a table.

    Parameters
    ----------
    table : Table
        The table.
    declared : str or None
        Layout that the caller declared.
    named : mapping from str to str
        Columns that the caller named, by role; naming one says that the table is tidy.

    Raises
    ------
    DataError
        If the header does not say how to read the table, or names a column twice.
    """
    head = table.head(HEAD_ROWS)
    _check_one_header_row(table, head)
    _refuse_statistics(table, head)
    header = _Header.of(table.columns, _without_summaries(table.columns, head))
    if declared is not None:
        if declared.startswith("models-by"):
            _refuse_steps(table, header)
        return Layout(declared, "declared")
    if any(named.values()):
        return Layout("tidy", "columns were named")
    _refuse_predictions(table, header)
    for first, second in PAIRS:
        if {first, second} <= header.folded and not is_series(first, header.folded):
            raise DataError(
                f"{table.source}: this is a table of pairwise votes (a row compares two models), "
                "not of scores."
            )
    layout = (
        _trials(table, header) or _tidy(table, header) or _matrix(table, header, head)
        or _unlabelled(header) or _unnamed_items(table, header)
    )  # fmt: skip
    if layout is None:
        _refuse_steps(table, header)
        raise DataError(_undecided(table, header))
    return layout


def _without_summaries(
    columns: Sequence[str], head: Sequence[tuple[object, ...]]
) -> Sequence[tuple[object, ...]]:
    """The rows without summaries below them, where a column without a name numbers the others."""
    if not columns or columns[0] not in ("", "Unnamed: 0"):
        return head
    rest = [row for row in head if not is_summary(str(row[0]))]
    numbered = all(_number(row[0]) is not None for row in rest)
    return rest if rest and numbered else head


def _refuse_statistics(table: Table, head: Sequence[tuple[object, ...]]) -> None:
    """Raises `DataError` for what pandas and scikit-learn say about scores, in place of them."""
    if table.columns and {str(row[0]) for row in head} >= {"count", "mean", "std", "min", "max"}:
        raise DataError(
            f"{table.source}: the rows are statistics of scores (count, mean, std, as describe() "
            "of pandas has them), not scores. Give the scores themselves: frame.to_csv(...)."
        )
    texts = {*table.columns} - find_numeric(table.columns, head)
    refuse_fold_columns(table.source, table.columns, texts)


# What was right, and what a model said: names of columns, which hold no scores.
TRUTHS = split_words("""
    label labels gold golds goldlabel goldanswer target targets ytrue truth groundtruth reference
    expected answer correctanswer goldanswers truelabel actual true measured observed
    goldstandard labvalue measurement observation outcome ytest
""")
_SAID = split_words("""
    pred preds prediction predictions predicted predictedlabel predlabel predictedanswer predanswer
    ypred yhat modelanswer modeloutput modelprediction response output completion guess
""")


def _refuse_predictions(table: Table, header: _Header) -> None:
    """Right answers beside those of a model, before anybody compared them, are no scores."""
    truth = next((name for name in header.columns if fold_name(name) in TRUTHS), None)
    said = next((name for name in header.columns if fold_name(name) in _SAID), None)
    if truth is None or said is None or header.has("score", weak=True):
        return
    if any(usual_direction(name) for name in header.columns if name in header.numeric):
        return
    score = paste_columns({"score": said})
    more = f" If one of them is a score all the same: {score}." if said in header.numeric else ""
    raise DataError(
        f"{table.source}: {truth!r} and {said!r} are right answers and those of a model, and "
        f"nothing says which are right. Score them first, such as (in pandas) frame['correct'] = "
        f"(frame[{said!r}] == frame[{truth!r}]).astype(int), and leave both out.{more}"
    )


class _Header(NamedTuple):
    columns: Sequence[str]
    folded: frozenset[str]
    numeric: frozenset[str]
    empty: bool
    zero_one: bool
    binary: bool

    @classmethod
    def of(cls, columns: Sequence[str], head: Sequence[tuple[object, ...]]) -> _Header:
        found = [[_number(cell) for cell in row] for row in head]
        numeric = frozenset(
            name
            for position, name in enumerate(columns)
            if all(row[position] is not None for row in found)
        )
        zero_one = bool(head) and all(_is_binary(row) for row in found)
        binary = bool(head) and all(_is_binary(row[1:]) for row in found)
        folded = frozenset(fold_name(name) for name in columns)
        return cls(columns, folded, numeric, not head, zero_one, binary)

    def has(self, role: str, *, weak: bool = False) -> bool:
        names = (role, *ROLES[role].aliases, *(ROLES[role].weak if weak else ()))
        return any(fold_name(name) in self.folded for name in names)

    @property
    def has_key(self) -> bool:
        """Whether a column names a task or a row of one."""
        return self.has("task") or any(self.has(key) for key in KEYS)

    @property
    def corner(self) -> str:
        """First header cell; the second if the first only numbers the rows."""
        numbers = find_row_numbers(self.columns, self.numeric)
        return next((name for name in self.columns if name not in numbers), "")

    @property
    def unexplained(self) -> list[str]:
        """Numeric columns that play no role."""
        explained = {
            fold_name(name)
            for role, (aliases, weak) in ROLES.items()
            for name in (role, *aliases, *(weak if role in ("item", "score") else ()))
        }  # fmt: skip
        numbers = find_row_numbers(self.columns, self.numeric)
        log = self.has(
            "score", weak=True
        )  # then answers that are numbers stand beside what they are worth
        return [
            name
            for name in self.columns
            if name in self.numeric
            and name not in numbers and fold_name(name) not in explained and not is_helper(name)
            and not (log and describes_answers(name))
        ]  # fmt: skip


def corner_names(role: str) -> frozenset[str]:
    """Names, folded, by which the first header cell of a matrix says that rows are of `role`.

    Examples
    --------
    >>> "questionid" in corner_names("item"), "estimators" in corner_names("task")
    (True, True)
    """
    aliases, weak = ROLES[role]
    return frozenset(fold_name(name) for name in (role, *aliases, *weak)) | CORNERS.get(
        role, frozenset()
    )


def names_items(name: str) -> bool:
    """Whether a column of a matrix beside one of tasks names items, or numbers them.

    Examples
    --------
    >>> names_items("question_id"), names_items("row"), names_items("questions"), names_items("gpt")
    (True, True, False, False)
    """
    return fold_name(name) in corner_names("item") - _AMOUNTS


_ITEM_NAMES = corner_names("item")

# Beside a task these may say how many there are.
_AMOUNTS = frozenset({"items", "questions", "samples", "taskid"})


def find_row_numbers(columns: Sequence[str], numeric: Collection[str]) -> frozenset[str]:
    """Columns without a name of their own that number the rows, as some libraries write them.

    Examples
    --------
    >>> sorted(find_row_numbers(["", "model", "math"], {"", "math"}))
    ['']
    """
    return frozenset(
        name
        for name in columns
        if name in numeric
        and (name in ("", "index", "Unnamed: 0") or name.startswith("__index_level"))
    )


def find_numeric(columns: Sequence[str], head: Sequence[tuple[object, ...]]) -> frozenset[str]:
    """Columns whose first cells are numbers or empty."""
    return frozenset(
        name
        for position, name in enumerate(columns)
        if all(_number(row[position]) is not None for row in head)
    )


def find_keys(columns: Sequence[str], numeric: Collection[str]) -> dict[str, str]:
    """Columns that number rows as folds, runs, repeats or trials, by role; they are no models.

    Examples
    --------
    >>> find_keys(["repeat", "fold", "rf", "gb"], {"repeat", "fold", "rf", "gb"})
    {'fold': 'fold', 'repeat': 'repeat'}
    >>> find_keys(["id", "split", "gpt"], {"id", "gpt"})  # of text: train and test
    {}
    """
    found: dict[str, str] = {}
    for role, names in ROW_KEYS.items():
        for name in columns:
            folded = fold_name(name)
            if folded in names and (folded != "split" or name in numeric):
                found.setdefault(role, name)
    return found


def find_state(columns: Sequence[str], head: Sequence[tuple[object, ...]]) -> str | None:
    """The column of the states of runs, where it is called so and holds nothing else.

    Examples
    --------
    >>> find_state(["run", "State"], [("a", "finished"), ("b", "crashed")])
    'State'
    >>> find_state(["item", "state"], [("a", "Ohio"), ("b", "Texas")])
    """
    known = STATUS_WORDS.keys() | REJECTED_WORDS
    for place, name in enumerate(columns):
        cells = {fold_name(str(row[place])) for row in head if row[place] not in (None, "")}
        if fold_name(name) in _STATES and cells and cells <= known:
            return name
    return None


_STATES = frozenset({"state", "runstate", "runstatus", "jobstate", "jobstatus"})


def find_answers(columns: Sequence[str], head: Sequence[tuple[object, ...]]) -> tuple[str, ...]:
    """Columns of a matrix of models that are answers to items; none where any column is not.

    Examples
    --------
    >>> names = ["model", *(f"q{n}" for n in range(9)), "Average"]
    >>> rows = [("ash", *[1, 0, 1] * 3, 0.67), ("birch", *[0, 0, 1] * 3, 0.33)]
    >>> len(find_answers(names, rows)), find_answers(names, [("ash", 0.5, *[1] * 8, 0.94)])
    (9, ())
    """
    known = {fold_name(name) for name in ("model", *ROLES["model"].aliases)} | CORNERS["model"]
    if not head or not any(fold_name(name) in known for name in columns):
        return ()
    numeric = find_numeric(columns, head)
    aside = find_row_numbers(columns, numeric)
    found = [
        place
        for place, name in enumerate(columns)
        if name in numeric and name not in aside and not is_helper(name) and not is_summary(name)
    ]
    answers = len(found) >= _FEWEST_ANSWERS and all(
        _is_binary([_number(row[place]) for place in found]) for row in head
    )
    return tuple(columns[place] for place in found) if answers else ()


def _trials(table: Table, header: _Header) -> Layout | None:
    """Columns of numbers that are called after trials, samples or seeds: answers of one model."""
    numbers = find_row_numbers(header.columns, header.numeric)
    names = [
        name for name in header.columns
        if name in header.numeric and name not in numbers
        and not (is_summary(name) or is_helper(name)) and fold_name(name) not in _ITEM_NAMES
    ]  # fmt: skip
    if header.has("score") or (header.has("model") and not header.has("item", weak=True)):
        return None
    if answer_role(names) is not None:
        return Layout("items-by-trials", f"{names[0]!r} and others number answers")
    unclear = len(names) > 1 and all(map(_MAY_BE_TRIALS.fullmatch, names))
    if unclear and not header.has("model") and fold_name(header.corner) in corner_names("item"):
        raise DataError(
            f"{table.source}: {list_names(names, 3)} may number answers of one model, or be "
            "models. If each column holds a further answer to every item: --layout "
            "items-by-trials. If each is a model: --layout items-by-models."
        )
    return None


_MAY_BE_TRIALS = re.compile(r"(?:(?:epoch|iter|iteration|step)[-_ ]?)?\d+", re.I)


def _tidy(table: Table, header: _Header) -> Layout | None:
    numbered = any(fold_name(name) in ITEM_NUMBERS for name in header.numeric)
    item = header.has("item", weak=True) or numbered
    has_key = header.has_key or (item and any(map(numbers_steps, header.numeric)))
    others = [name for name in header.unexplained if fold_name(name) not in ITEM_NUMBERS]
    if item and header.has("score", weak=True):
        others = [name for name in others if not _tells_results(name)]
    if not header.has("score", weak=True):
        rates = [
            name for name in header.columns
            if name in header.numeric and (usual_direction(name) or ends_in_loss(name))
        ]  # fmt: skip
        rates_only = set(others) <= set(rates)
        # An id beside one column that is called after a metric: a file of one model.
        one = len(rates) == 1 and item
        if not ((has_key or one) and rates and (header.has("model") or rates_only)):
            return None
    elif not has_key and header.unexplained and header.has("model"):
        raise DataError(_two_ways(table, header))
    elif not (has_key or header.has("model", weak=True) or item) or (others and not has_key):
        return None
    texts = frozenset(table.columns) - header.numeric
    found = find_columns(table.columns, {}, source=table.source, texts=texts)
    return Layout("tidy", f"columns {found.describe()}")


# What is said of one answer beside its score, which no model is called.
_RESULTS = split_words("""
    expected actual output valid timeout timedout flaky skipped retried retries error errors cached
    truncated refused refusal parsed matched completed finished
""")
_RESULT = re.compile(r"(?i)(?:is|has|expected)[-_ ]\w+")


def _tells_results(name: str) -> bool:
    """Whether a column beside a score says more of the same answer.

    >>> _tells_results("is_valid_json"), _tells_results("actual"), _tells_results("gpt-4")
    (True, True, False)
    """
    return fold_name(name) in _RESULTS or _RESULT.fullmatch(name) is not None


def _matrix(table: Table, header: _Header, head: Sequence[tuple[object, ...]]) -> Layout | None:
    corner = fold_name(header.corner)
    reason = f"the first header cell is {header.corner!r}"
    others = header.columns[list(header.columns).index(header.corner) + 1 :]
    if corner in FOLD_CORNERS and all(_NUMBERED_FOLD.fullmatch(name) for name in others):
        return Layout("tasks-by-folds", reason)
    if are_settings(header.numeric):
        return None
    beside = header.has("ci_low") or header.has("ci_high")
    if header.has("model") and (header.has_key or (beside and header.unexplained)):
        return None  # a tidy table whose score column is not recognised
    keys = find_keys(header.columns, header.numeric)
    numbered = header.corner in keys.values() or (keys and corner in corner_names("task"))
    beside_keys = [name for name in header.unexplained if name not in keys.values()]
    if numbered and not header.has("model") and len(beside_keys) > 1:
        _refuse_named_runs(table, header, head, keys)
        _refuse_measures(table, header, keys.values())
        return Layout("items-by-models", f"{next(iter(keys.values()))!r} numbers the rows")
    if header.has("model") or corner in corner_names("model"):
        if find_answers(table.columns, head):
            return Layout(
                "models-by-items", "there is a column of models, and all others hold 0 and 1"
            )
        _refuse_runs(table, header)
        times = [name for name in header.unexplained if not is_summary(name)]
        pair = [header.corner, *times[-1:]]
        keep = f"a file of two columns (in pandas: frame[{pair!r}])"
        refuse_times(table.source, times, keep, "--layout models-by-tasks")
        _refuse_crossed(table, header, head)
        _refuse_numbered(table, header, head)
        return Layout("models-by-tasks", "there is a column of models and none of scores")
    if corner in corner_names("task"):
        items = next((name for name in others if names_items(name)), None)
        place = header.columns.index(header.corner)
        if items is not None and len({str(row[place]) for row in head}) < len(head):
            _refuse_measures(table, header, [items])
            return Layout("items-by-models", f"{items!r} names the rows within {header.corner!r}")
        return Layout("tasks-by-models", reason)
    if corner in corner_names("item"):
        _refuse_measures(table, header)
        _refuse_score(table, header)
        return Layout("items-by-models", reason)
    if _is_pivot(header) and not are_times([str(row[0]) for row in head]):
        return Layout("models-by-tasks", UNNAMED)
    return None


def _refuse_named_runs(
    table: Table, header: _Header, head: Sequence[tuple[object, ...]], keys: Mapping[str, str]
) -> None:
    """Runs that are called by words may be models, and what stands beside them tasks."""
    if keys.get("run") != header.corner:
        return
    place = header.columns.index(header.corner)
    names = [str(row[place]) for row in head if not is_summary(str(row[place]))]
    words = [name for name in names if not re.search(r"\d", name)]
    if len(words) < 2 or 2 * len(words) < len(names) or len(set(names)) < len(names):
        return
    raise DataError(
        f"{table.source}: {header.corner!r} has names without a number ({list_names(words, 3)}), "
        "so its rows may be models that were trained in other ways, or runs of the models in the "
        "header. If rows are models, and each column is a task: --layout models-by-tasks. If "
        "columns are models: --layout items-by-models."
    )


def _refuse_measures(table: Table, header: _Header, keys: Collection[str] = ()) -> None:
    """Columns of numbers beside items that are all called after metrics are no models."""
    corner = header.corner
    found = [
        name for name in header.columns
        if name in header.numeric and name != corner and name not in keys
        and not (is_summary(name) or describes_answers(name))
    ]  # fmt: skip
    if len(found) < 2 or not all(map(is_measure, found)):
        return
    shown = ", ".join(map(repr, found[:5])) + (" …" if len(found) > 5 else "")
    raise DataError(
        f"{table.source}: {shown} are metrics by their names, so the file seems to hold the "
        "answers of one model, measured in several ways. Say which counts: --metric "
        f"{shlex.quote(found[0])} (in Python: metric={found[0]!r}). If they are models: --layout "
        "items-by-models."
    )


def _refuse_score(table: Table, header: _Header) -> None:
    """A column that is called as scores are, beside items, is no model."""
    known = {fold_name(name) for name in ("score", *ROLES["score"].aliases, *ROLES["score"].weak)}
    scores = [name for name in header.columns if fold_name(name) in known]
    others = [name for name in header.unexplained if name not in (header.corner, *scores)]
    if not scores or not others:
        return
    lines = shlex.join(part for name in others for part in ("--models", name))
    choices = " or ".join(paste_columns({"score": name}) for name in scores)
    raise DataError(
        f"{table.source}: {list_names(scores, 4)} is called as a score is, so the file seems to "
        f"hold the answers of one model, and {list_names(others, 4)} to say more of them. If so, "
        f"name the score: {choices} (in Python: columns={{'score': {scores[0]!r}}}). If the others "
        f"are models: --layout items-by-models {lines}."
    )


def _refuse_runs(table: Table, header: _Header) -> None:
    """Columns that are called after runs or folds are no tasks."""
    scores = [name for name in header.unexplained if not (is_summary(name) or is_never_score(name))]
    folds = [name for name in scores if _NUMBERED_FOLD.fullmatch(name) and not name.isdigit()]
    what = "fold" if len(folds) == len(scores) else "run"
    most = len(scores) // 2
    scores = scores if what == "fold" else [name for name in scores if names_run(name)]
    if len(scores) > max(1, most):
        shown = ", ".join(map(repr, scores[:3]))
        raise DataError(
            f"{table.source}: {shown} look like {what}s of one task, and a matrix has a column for "
            f"each task. Write one row per score, with the columns model, {what} and score, and no "
            f"mean of them (in pandas: frame.melt({header.corner!r}, {scores!r}, {what!r}, "
            "'score')). If they are tasks: --layout models-by-tasks."
        )


def _refuse_crossed(table: Table, header: _Header, head: Sequence[tuple[object, ...]]) -> None:
    """A matrix has one row per model; what crosses models with tasks or folds is no task."""
    known = corner_names("model")
    place = next((i for i, name in enumerate(header.columns) if fold_name(name) in known), None)
    if place is None or len({str(row[place]) for row in head}) == len(head):
        return
    keys = find_keys(header.columns, header.numeric)
    state = find_state(header.columns, head)
    texts = [
        name for number, name in enumerate(header.columns)
        if number != place and name not in (*header.numeric, *keys.values(), *_NO_NAME, state)
        and not is_helper(name) and _crosses(head, place, number)
        and not _DATED.match(str(head[0][number]))
    ]  # fmt: skip
    numbers = [
        name for name in header.unexplained if name not in keys.values()
        and any(row[header.columns.index(name)] not in (None, "", "-") for row in head)
    ]  # fmt: skip
    numbers.sort(key=lambda name: not _has_fractions(head, header.columns.index(name)))
    scores = likely_scores(numbers) or numbers
    if not scores or not (keys or texts):
        return
    splits = {
        name: split_values({row[header.columns.index(name)] for row in head}) for name in texts
    }
    parts = [name for name in texts if splits[name]]
    texts = [name for name in texts if name not in parts]
    ids = [name for name in numbers if name not in scores]
    roles = {"model": header.columns[place]} | _name_rows(header.columns, head, place, texts, ids)
    roles |= {**keys, "score": scores[0]}
    words = f"{next(iter((*texts, *parts, *keys.values())))!r} tells them apart"
    lines = paste_columns(roles)
    if parts:
        chosen = f"{quote_column(parts[0])} = '{splits[parts[0]]}'"
        lines = f"{lines} {paste_condition(chosen)}"
    where = f", where={chosen!r}" if parts else ""
    raise DataError(
        f"{table.source}: {header.columns[place]!r} names models that have several rows, and "
        f"{words}, so this seems to be one row per score. If so, name its columns: {lines} (in "
        f"Python: columns={roles!r}{where}). If each column of numbers is a task: --layout "
        "models-by-tasks."
    )


def _has_fractions(head: Sequence[tuple[object, ...]], place: int) -> bool:
    """Whether a column holds numbers that are not whole, as ids and counts do not."""
    return any((_number(row[place]) or 0.0) % 1.0 > 0.0 for row in head)


_SPLITS = frozenset({"train", "training", "test", "testing", "val", "valid", "validation", "dev",
                     "holdout", "heldout", "eval"})  # fmt: skip


def split_values(values: Collection[object]) -> str:
    """The part of a split on which models are compared; empty where values are no parts of one.

    Examples
    --------
    >>> split_values({"train", "test"}), split_values({"test", "easy"}), split_values({"test"})
    ('test', '', '')
    """
    found = sorted(str(one) for one in values if one not in (None, ""))
    if len(found) < 2 or not {fold_name(one) for one in found} <= _SPLITS:
        return ""
    return next((one for one in found if "test" in one.casefold()), found[0])


_MOST_TASKS = 30  # names beside a model that may be tasks; more are items


def _name_rows(
    columns: Sequence[str], head: Sequence[tuple[object, ...]], model: int, texts: Sequence[str],
    ids: Sequence[str],
) -> dict[str, str]:  # fmt: skip
    """Roles of the columns that tell the rows of a model apart: tasks, or items and their source.

    A column of text names tasks, unless models have several rows of each of its names: then what
    tells these apart names the items, and it what items come from, or who judged them.
    """

    def apart(*names: str) -> bool:
        places = [columns.index(name) for name in names]
        rows = [(row[model], *(row[place] for place in places)) for row in head]
        return len(set(rows)) == len(rows)

    if not texts:
        return {}
    if apart(texts[0]):
        place = columns.index(texts[0])
        return {
            "item" if len({str(row[place]) for row in head}) > _MOST_TASKS else "task": texts[0]
        }
    for name in (*texts[1:], *ids):
        if apart(name):
            return {"item": name, "cluster": texts[0]}
        if apart(name, texts[0]):
            return (
                {"item": name, "epoch": texts[0]}
                if name in ids
                else {"task": texts[0], "item": name}
            )
    return {"task": texts[0]}


_DATED = re.compile(r"\d{4}-\d\d-\d\d")


def _crosses(head: Sequence[tuple[object, ...]], model: int, other: int) -> bool:
    """Whether a column has several names beside one model, and the same beside several models."""
    pairs = {(row[model], row[other]) for row in head if row[other] not in (None, "")}
    models = {one for one, _ in pairs}
    names = {one for _, one in pairs}
    return len(pairs) > max(len(models), len(names)) and len(names) > 1


_ASKED = frozenset({"prompt", "question", "request", "query"})


def _refuse_numbered(table: Table, header: _Header, head: Sequence[tuple[object, ...]]) -> None:
    """A matrix has one row per model; a column that numbers the rows of one is no task."""
    known = {fold_name(name) for name in ("model", *ROLES["model"].aliases)}
    place = next((i for i, name in enumerate(header.columns) if fold_name(name) in known), 0)
    rows: dict[object, list[int]] = {}
    for number, row in enumerate(head):
        rows.setdefault(str(row[place]), []).append(number)
    several = next((one for one in rows.values() if len(one) > 2), None)
    if several is None:
        return
    cells = [[_number(head[number][i]) for number in several] for i in range(len(header.columns))]
    columns = list(zip(header.columns, cells, strict=True))
    free = {*header.unexplained, *(n for n in header.columns if fold_name(n) in _ASKED)}
    numbering = [name for name, found in columns if name in free and _counts(found)]
    others = [name for name in header.unexplained if name not in numbering]
    # What is set aside as an amount elsewhere is measured here: there is nothing else.
    others = others or [
        name for name, found in columns
        if name not in numbering and name != header.columns[place] and None not in found
    ]  # fmt: skip
    if numbering and others:
        raise DataError(
            f"{table.source}: {head[several[0]][place]!r} has several rows, and "
            f"{numbering[0]!r} numbers them, so it is no task. If it names the items, and "
            f"{others[0]!r} is the score: "
            f"{paste_columns({'item': numbering[0], 'score': others[0]})}."
        )


# Columns of these names count how far a training is.
_PROGRESS = frozenset({"step", "globalstep", "trainstep", "trainingstep", "iteration", "iter",
                       "epoch", "trainepoch"})  # fmt: skip


def _refuse_steps(table: Table, header: _Header) -> None:
    """Rows that are named by how far a training was are no models."""
    if fold_name(header.corner) in _PROGRESS:
        raise DataError(
            f"{table.source}: {header.corner!r} counts how far a training was, so rows are neither "
            "models nor independent results. Write a row per run, with the columns model and "
            "score, of the step that counts."
        )


def refuse_training(table: Table) -> None:
    """Rows of one training are not independent, so none of them is a run or an item.

    Raises
    ------
    DataError
        If a column counts how far trainings were, and nothing else tells their rows apart.
    """
    progress = [name for name in table.columns if fold_name(name) in _PROGRESS]
    if not progress:
        return
    head = table.head(HEAD_ROWS)
    header = _Header.of(table.columns, head)
    names = [name for name in progress if name in header.numeric and name not in table.fixed]
    if not names or header.has("item", weak=True):
        return
    named = {fold_name(one) for role in ("model", "task", "run", "metric")
             for one in (role, *ROLES[role].aliases, *ROLES[role].weak)}  # fmt: skip
    keys = [place for place, name in enumerate(header.columns) if fold_name(name) in named]
    place = header.columns.index(names[0])
    points: dict[tuple[object, ...], set[float]] = {}
    for row in head:
        found = _number(row[place])
        if found is not None and not _is_nan(found):
            points.setdefault(tuple(row[key] for key in keys), set()).add(found)
    last = max((max(found) for found in points.values() if len(found) > 1), default=None)
    if last is not None:
        column = quote_column(names[0])
        raise DataError(
            f"{table.source}: {names[0]!r} seems to count how far a training was, and the rows of "
            "one training are not independent results. Choose one point of it: --where "
            f"{shlex.quote(f'{column} = {last:g}')} (in Python: where={f'{column} = {last:g}'!r}). "
            f"If it numbers repeated runs: {shlex.join(('--column', f'run={names[0]}'))} (in "
            f"Python: columns={{'run': {names[0]!r}}})."
        )


def _counts(cells: Sequence[float | None]) -> bool:
    """Whether numbers go up one by one."""
    known = [cell for cell in cells if cell is not None]
    steps = {later - before for before, later in pairwise(known)}
    return len(known) == len(cells) and steps == {1.0}


def _is_pivot(header: _Header) -> bool:
    """Whether the first column has no name and names its rows, and all others are numbers.

    But for those that describe a model, such as its licence.
    """
    first, *others = header.columns
    scores = {name for name in others if not is_helper(name)}
    numbers = bool(scores) and scores <= header.numeric and not header.binary
    return first in ("", "Unnamed: 0") and first not in header.numeric and numbers


def _unlabelled(header: _Header) -> Layout | None:
    if header.zero_one and len(header.columns) > 1:
        return Layout("items-by-models", "there is no text column and all values are 0 or 1")
    return None


def _unnamed_items(table: Table, header: _Header) -> Layout | None:
    """Rows without a name above them are items where they are 0 and 1, and many."""
    first, *models = header.columns
    if first not in ("", "Unnamed: 0") or not models or not header.binary:
        return None
    folded = {fold_name(name) for name in models}
    if any(is_series(name, folded) for name in folded):
        return None  # q1, q2, q3 may be items as well as models
    fewest = max(_FEWEST_ITEMS, _TIMES_MODELS * len(models))
    enough = len(table.head(fewest)) == fewest
    return Layout("items-by-models", UNNAMED_ITEMS) if enough else None


def _two_ways(table: Table, header: _Header) -> str:
    others = ", ".join(repr(name) for name in header.unexplained[:8])
    return (
        f"{table.source}: there is a column of models, one that could be the score, no task and "
        f"no item, and further numbers ({others}). Say how to read it: --layout models-by-tasks "
        "(each of these columns is a task) or --layout tidy (only the score counts)."
    )


_NO_NAME = ("", "Unnamed: 0")


def _undecided(table: Table, header: _Header) -> str:
    shown = ", ".join(repr(name) for name in list(header.columns)[:12])
    more = len(header.columns) - 12
    hint = ""
    if header.has("model") or header.has("task") or any(header.has(key) for key in KEYS):
        free = [name for name in header.columns if name in header.numeric
                and (name in header.unexplained or is_summary(name))]  # fmt: skip
        candidate = next(iter(likely_scores(free)), "NAME")
        hint = f"name the score column ({paste_columns({'score': candidate})}) or "
        if header.has("task") and len(free) > 1 and not any(map(is_measure, free)):
            hint = "say --layout tasks-by-models if each column of numbers is a model, or "
    elif named := _likely_columns(header):
        hint = f"name its columns (if these are they: {named}) or "
    if len(header.columns) == 1 and header.numeric:
        return (
            f"{table.source}: there is one column of numbers, {shown}, and nothing says which row "
            "of one file belongs to which of another. If all files have the same rows in the same "
            "order: --layout tidy --rows items. Otherwise add a column of items."
        )
    if header.binary and header.columns and header.columns[0] in _NO_NAME:
        return (
            f"{table.source}: the first column has no name, and all others hold 0 and 1. If rows "
            "are models and columns are questions: --layout models-by-items. If rows are questions "
            "and columns are models: --layout items-by-models; if they are answers of one model: "
            "--layout items-by-trials."
        )
    return (
        f"{table.source}: the header does not say how to read the table. Columns: {shown}"
        f"{f' and {more} more' if more > 0 else ''}. A tidy table has one row per score and "
        "columns such as model, task, item, score; a matrix names its rows in the first header "
        f"cell (model, task or item). To read this one, {hint}give its layout "
        f"(--layout {'|'.join(LAYOUTS)})."
    )


# Columns of these names say who won a vote, and are no scores.
_WON = frozenset({"winner", "result", "verdict", "vote", "choice", "preferred", "outcome"})


def _likely_columns(header: _Header) -> str:
    """The options that name one or two columns of text and the only one of numbers."""
    text = [name for name in header.columns if name not in header.numeric]
    numbers = [name for name in header.columns if name in header.numeric]
    if header.empty or not 1 <= len(text) <= 2 or len(numbers) != 1 or not all(header.columns):
        return ""
    roles = ("model", "task", "score")
    if len(text) == 2 and fold_name(numbers[0]) in _WON:
        roles = ("model_a", "model_b", "winner")
    named = zip(roles, (*text[:2], *numbers), strict=False)
    if len(text) == 1:
        named = zip(("model", "score"), (*text, *numbers), strict=True)
    return " ".join(shlex.join(("--column", f"{role}={name}")) for role, name in named)


def _check_one_header_row(table: Table, head: Sequence[tuple[object, ...]]) -> None:
    if not table.columns:
        raise DataError(f"{table.source}: there is no column. Expected a header and rows of data.")
    try:
        check_header(table.columns, table.source)
    except DataError as error:
        cells = [cell for cell in head[0] if cell not in (None, "")] if head else []
        if not cells or any(_number(cell) is not None for cell in cells):
            if len(set(table.columns)) > len(table.columns) // 2:
                raise
            raise DataError(
                f"{error} If pandas wrote columns of several levels, hand over the frame, or write "
                "one row per score: frame.stack(list(range(frame.columns.nlevels)))"
                ".rename('score').reset_index()."
            ) from error
        shown = "; ".join(
            ", ".join(str(cell) for cell in row[:6]) for row in (table.columns, *head[:2])
        )
        raise DataError(
            f"{error} The next row holds no number either, so the table seems to have several "
            f"header rows. First cells: {shown}. Join them into one row of names."
        ) from error


def _number(cell: object) -> float | None:
    if cell is None:
        return float("nan")
    if isinstance(cell, str):
        return _number_of_text(cell)
    try:
        return float(cell)  # type: ignore[arg-type]  # whatever a frame holds
    except (TypeError, ValueError, OverflowError):
        return None


def _number_of_text(cell: str) -> float | None:
    number = parse_number(cell)
    return parse_number(cell, ",") if number is None else number


def _is_binary(numbers: Sequence[float | None]) -> bool:
    """Whether each is 0, 1 or no value at all."""
    return all(number in (0.0, 1.0) or _is_nan(number) for number in numbers)


def _is_nan(number: float | None) -> bool:
    return number is not None and number != number

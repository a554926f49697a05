"""The head of a table: its columns, which of them hold numbers, and what their names say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rankbars.tables.asides import describes_answers, is_helper, likely_scores
from rankbars.tables.cells import parse_number
from rankbars.tables.cleanrows import REJECTED_WORDS, STATUS_WORDS
from rankbars.tables.columns import ROLES, fold_name
from rankbars.tables.metrics import is_measure, split_words
from rankbars.tables.words import are_outcomes

__all__ = [
    "CORNERS",
    "FOLD_CORNERS",
    "HEAD_ROWS",
    "TRUTHS",
    "UNNAMED",
    "Header",
    "corner_names",
    "find_keys",
    "find_numeric",
    "find_row_numbers",
    "find_state",
    "is_binary",
    "is_nan",
    "names_items",
    "read_number",
]  # fmt: skip

# Rows looked at to tell numbers from text.
HEAD_ROWS = 200

# Header cells over names of rows that nobody named.
UNNAMED = ("", "Unnamed: 0")

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
# What was right: names of columns, which hold no scores.
TRUTHS = split_words("""
    label labels gold golds goldlabel goldanswer target targets ytrue truth groundtruth reference
    expected answer correctanswer goldanswers truelabel actual true measured observed
    goldstandard labvalue measurement observation outcome ytest
""")
KEYS = ("item", "fold", "repeat", "run", "epoch")


# A learning rate, and a logistic regression.
_SETTINGS_AND_MODELS = frozenset({"lr"})


@dataclass(frozen=True)
class Header:
    """Columns of a table, and what the first rows say of them.

    Attributes
    ----------
    columns : sequence of str
        Names as they stand.
    folded : frozenset of str
        Names by which they are compared.
    numeric : frozenset of str
        Columns of numbers, and of outcomes.
    outcomes : frozenset of str
        Columns of words for how something ended, such as pass, fail and timeout.
    empty : bool
        Whether there is no row.
    zero_one, binary : bool
        Whether all cells are 0, 1 or empty, with the first column and without.
    varied : frozenset of str
        Columns called after a setting as a model may be, of which hardly any number stands twice.
    """

    columns: Sequence[str]
    folded: frozenset[str]
    numeric: frozenset[str]
    outcomes: frozenset[str]
    empty: bool
    zero_one: bool
    binary: bool
    varied: frozenset[str] = frozenset()

    @classmethod
    def of(cls, columns: Sequence[str], head: Sequence[tuple[object, ...]]) -> Header:
        """The header of a table with these first rows."""
        outcomes = frozenset(
            name for place, name in enumerate(columns) if are_outcomes(row[place] for row in head)
        )
        words = [name in outcomes for name in columns]
        read = [[read_number(cell) for cell in row] for row in head]
        found = [
            [float("nan") if word and number is None else number
             for number, word in zip(row, words, strict=True)]
            for row in read
        ]  # fmt: skip
        numeric = frozenset(
            name for place, name in enumerate(columns)
            if all(row[place] is not None for row in found)
        )  # fmt: skip
        zero_one = bool(head) and all(is_binary(row) for row in found)
        binary = bool(head) and all(is_binary(row[1:]) for row in found)
        folded = frozenset(fold_name(name) for name in columns)
        cells = {name: [row[at] for row in found] for at, name in enumerate(columns)}
        varied = frozenset(
            name for name in numeric if fold_name(name) in _SETTINGS_AND_MODELS
            and 3 * len({*cells[name]}) >= 2 * len(found) > 4
        )  # fmt: skip
        return cls(columns, folded, numeric, outcomes, not head, zero_one, binary, varied)

    def has(self, role: str, *, weak: bool = False) -> bool:
        """Whether a column is called as one of this role is."""
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

    @cached_property
    def unexplained(self) -> list[str]:
        """Numeric columns that play no role."""
        numbers = find_row_numbers(self.columns, self.numeric)
        log = self.has(
            "score", weak=True
        )  # then answers that are numbers stand beside what they are worth
        return [
            name
            for name in self.columns
            if name in self.numeric
            and name not in numbers and fold_name(name) not in _EXPLAINED
            and (not is_helper(name) or name in self.varied)
            and not (log and describes_answers(name))
        ]  # fmt: skip


_EXPLAINED = frozenset(
    fold_name(name)
    for role, (aliases, weak) in ROLES.items()
    for name in (role, *aliases, *(weak if role in ("item", "score") else ()))
)


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
        if all(read_number(row[position]) is not None for row in head)
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


def find_only_score(
    columns: Sequence[str], head: Sequence[tuple[object, ...]]
) -> Mapping[str, str]:
    """The score beside a model and an item, where nothing else stands there and no name says so.

    Examples
    --------
    >>> find_only_score(["item", "model", "human"], [("q1", "ash", 1), ("q1", "birch", 0)])
    {'score': 'human'}
    >>> find_only_score(["item", "model", "tokens"], [("q1", "ash", 81), ("q1", "birch", 70)])
    {}
    """
    header = Header.of(columns, head)
    if header.has("score", weak=True) or not (header.has("model") and header.has("item")):
        return {}
    known = {name for role in ("model", "item") for name in corner_names(role)}
    rest = [name for name in columns if fold_name(name) not in known]
    only = rest if len(rest) == 1 and rest == header.unexplained else []
    plain = [name for name in only if likely_scores([name]) and not is_measure(name)]
    return {"score": plain[0]} if plain and len(columns) == 3 else {}


def read_number(cell: object) -> float | None:
    """The number in a cell, NaN where it is empty, and None where it is none."""
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


def is_binary(numbers: Sequence[float | None]) -> bool:
    """Whether each is 0, 1 or no value at all."""
    return all(number in (0.0, 1.0) or is_nan(number) for number in numbers)


def is_nan(number: float | None) -> bool:
    """Whether a number was looked for and the cell is empty."""
    return number is not None and number != number

"""The head of a table: its columns, which of them hold numbers, and what their names say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from weakref import WeakKeyDictionary

from rankbars.tables.asides import describes_answers, is_helper, likely_scores
from rankbars.tables.cells import parse_number, read_number
from rankbars.tables.columns import ROLES, fold_name, role_names
from rankbars.tables.metrics import is_measure
from rankbars.tables.metricwords import split_words
from rankbars.tables.rowstates import REJECTED_WORDS, STATUS_WORDS
from rankbars.tables.tablerows import Table
from rankbars.tables.votes.votecolumns import find_short_sides
from rankbars.tables.words import are_outcomes

__all__ = [
    "CORNERS",
    "FOLD_CORNERS",
    "HEAD_ROWS",
    "PROGRESS",
    "TRUTHS",
    "UNNAMED",
    "Header",
    "corner_names",
    "find_keys",
    "find_match_sides",
    "find_only_score",
    "find_state",
    "is_binary",
    "names_items",
]  # fmt: skip

# Rows looked at to tell numbers from text.
HEAD_ROWS = 200

# Header cells over names of rows that nobody named.
UNNAMED = ("", "Unnamed: 0")

# First header cells of a matrix, beside the names of the role itself.
CORNERS: Mapping[str, frozenset[str]] = {
    "model": split_words("""
        modeladapter models methods systems variant variants ablation ablations setting setup
        configuration
    """),
    "task": frozenset({"estimators", "tasks", "datasets", "problems", "benchmarks"}),
    "item": frozenset({"question", "sample", "items", "questions", "samples", "idx", "row"}),
}
FOLD_CORNERS = frozenset({"folds", "fold", "resamples", "resample"})

# Columns that number the rows of a matrix of models, by role; of these the first names the rows.
ROW_KEYS: Mapping[str, frozenset[str]] = {
    "fold": FOLD_CORNERS
    | {
        "foldid",
        "foldno",
        "cv",
        "cvfold",
        "cvsplit",
        "split",
        "splitindex",
        "foldidx",
        "outerfold",
    },
    "run": frozenset({"seed", "run", "runid", "randomseed", "randomstate"}),
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

# Columns that count how far a training was.
PROGRESS = frozenset({"step", "globalstep", "trainstep", "trainingstep", "iteration", "iter",
                      "epoch", "trainepoch"})  # fmt: skip


# A learning rate, and a logistic regression.
_SETTINGS_AND_MODELS = frozenset({"lr"})


@dataclass(frozen=True, eq=False)
class Header:
    """The head of a table: its columns and first rows, and what both say, worked out once.

    Attributes
    ----------
    columns : sequence of str
        Names as they stand.
    rows : sequence of tuple
        The first rows.
    """

    columns: Sequence[str]
    rows: Sequence[tuple[object, ...]]

    @classmethod
    def of(cls, table: Table) -> Header:
        """The head of a table, which is looked at once; again if it has got columns since."""
        found = _KNOWN.get(table)
        if found is None or found.columns != table.columns:
            found = _KNOWN[table] = cls(table.columns, table.head(HEAD_ROWS))
        return found

    @staticmethod
    def share(table: Table, again: Table) -> None:
        """What is known of the head of a table is known of the same one, opened again."""
        found = _KNOWN.get(table)
        if found is not None:
            _KNOWN[again] = found

    @cached_property
    def folded(self) -> frozenset[str]:
        """Names by which columns are compared."""
        return frozenset(map(fold_name, self.columns))

    @cached_property
    def cells(self) -> Mapping[str, list[object]]:
        """Cells of the first rows, by column."""
        return {name: [row[at] for row in self.rows] for at, name in enumerate(self.columns)}

    @cached_property
    def read(self) -> Mapping[str, list[float | None]]:
        """The numbers in these cells, NaN where one is empty and None where it is no number."""
        return {name: [read_number(cell) for cell in own] for name, own in self.cells.items()}

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Columns whose first cells are numbers or empty."""
        return frozenset(name for name, own in self.read.items() if None not in own)

    @cached_property
    def outcomes(self) -> frozenset[str]:
        """Columns of words for how something ended, such as pass, fail and timeout."""
        return frozenset(name for name, own in self.cells.items() if are_outcomes(own))

    @cached_property
    def numeric(self) -> frozenset[str]:
        """Columns of numbers, and of outcomes."""
        return self.numbers | self.outcomes

    @cached_property
    def row_numbers(self) -> frozenset[str]:
        """Columns without a name of their own that number the rows, as some libraries write them.

        Examples
        --------
        >>> Header(["", "model", "math"], [(0, "ash", 0.5)]).row_numbers
        frozenset({''})
        """
        return frozenset(
            name for name in self.numbers
            if name in ("", "index", "Unnamed: 0") or name.startswith("__index_level")
        )  # fmt: skip

    @cached_property
    def keys(self) -> dict[str, str]:
        """Columns that number rows as folds, runs, repeats or trials, by role."""
        return find_keys(self.columns, self.numeric)

    @property
    def zero_one(self) -> bool:
        """Whether all cells are 0, 1 or empty."""
        return bool(self.rows) and all(map(self._is_binary, self.columns))

    @property
    def binary(self) -> bool:
        """Whether all cells but those of the first column are 0, 1 or empty."""
        return bool(self.rows) and all(map(self._is_binary, self.columns[1:]))

    def _is_binary(self, name: str) -> bool:
        return name in self.numeric and is_binary([n for n in self.read[name] if n is not None])

    @cached_property
    def varied(self) -> frozenset[str]:
        """Columns called after a setting as a model may be, of which hardly any cell is the same.

        Examples
        --------
        >>> Header(["lr", "svm"], [(0.1 * n, 0.5) for n in range(9)]).varied
        frozenset({'lr'})
        """
        return frozenset(
            name for name in self.numeric if fold_name(name) in _SETTINGS_AND_MODELS
            and 3 * len({*self.read[name]}) >= 2 * len(self.rows) > 4
        )  # fmt: skip

    def has(self, role: str, *, weak: bool = False) -> bool:
        """Whether a column is called as one of this role is."""
        return not self.folded.isdisjoint(role_names(role, weak=weak))

    @property
    def names_models(self) -> bool:
        """Whether a column is called as one of models is, in a matrix or elsewhere."""
        return not self.folded.isdisjoint(corner_names("model"))

    @property
    def progress(self) -> list[str]:
        """Columns that count how far trainings were."""
        return [name for name in self.columns if fold_name(name) in PROGRESS]

    @property
    def has_key(self) -> bool:
        """Whether a column names a task or a row of one."""
        return self.has("task") or any(self.has(key) for key in KEYS)

    @cached_property
    def corner(self) -> str:
        """First header cell; the second if the first only numbers the rows."""
        return next((name for name in self.columns if name not in self.row_numbers), "")

    @cached_property
    def unexplained(self) -> list[str]:
        """Numeric columns that play no role."""
        # Beside a score, answers that are numbers stand beside what they are worth.
        log = self.has("score", weak=True)
        return [
            name for name in self.columns
            if name in self.numeric and name not in self.row_numbers
            and fold_name(name) not in _EXPLAINED
            and (not is_helper(name) or name in self.varied)
            and not (log and describes_answers(name))
        ]  # fmt: skip

    def counts_up(self, name: str) -> bool:
        """Whether whole numbers of a column go up by one from row to row, or in many rows by any.

        Examples
        --------
        >>> rows = [(n, n % 3) for n in range(101, 109)]
        >>> Header(["nr", "a"], rows).counts_up("nr"), Header(["nr", "a"], rows).counts_up("a")
        (True, False)
        """
        steps = _steps(self.read[name])
        few = len(steps) < _MANY_STEPS
        return len(steps) >= _FEW_STEPS and (set(steps) == {1.0} if few else min(steps) > 0.0)

    def counts_groups(self, name: str) -> bool:
        """Whether whole numbers of a column go up now and then, and never down.

        Examples
        --------
        >>> rows = [(n // 3, n % 3) for n in range(12)]
        >>> Header(["case", "a"], rows).counts_groups("case")
        True
        """
        steps = _steps(self.read[name])
        ups = sum(step > 0.0 for step in steps)
        return len(steps) > ups >= _FEWEST_UPS and min(steps) >= 0.0

    def is_different(self, *names: str) -> bool:
        """Whether the cells of one column, or of several together, differ in all rows."""
        rows = list(zip(*(map(str, self.cells[name]) for name in names), strict=True))
        return len(set(rows)) == len(rows)


# So many numbers are in order by chance hardly ever, one by one or by any steps; so many groups.
_FEW_STEPS, _MANY_STEPS, _FEWEST_UPS = 4, 19, 3


def _steps(numbers: Sequence[float | None]) -> list[float]:
    """From each whole number to the next; none where any is something else."""
    known = [one for one in numbers if one is not None and one % 1.0 == 0.0]
    return [two - one for one, two in pairwise(known)] if len(known) == len(numbers) else []


_KNOWN: WeakKeyDictionary[Table, Header] = WeakKeyDictionary()

_EXPLAINED = frozenset().union(
    *(role_names(role, weak=role in ("item", "score")) for role in ROLES)
)


@cache
def corner_names(role: str) -> frozenset[str]:
    """Names, folded, by which the first header cell of a matrix says that rows are of `role`.

    Examples
    --------
    >>> "questionid" in corner_names("item"), "estimators" in corner_names("task")
    (True, True)
    """
    return role_names(role, weak=True) | CORNERS.get(role, frozenset())


def names_items(name: str) -> bool:
    """Whether a column of a matrix beside one of tasks names items, or numbers them.

    Examples
    --------
    >>> names_items("question_id"), names_items("row"), names_items("questions"), names_items("gpt")
    (True, True, False, False)
    """
    return fold_name(name) in corner_names("item") - _AMOUNTS


# Beside a task these may say how many there are.
_AMOUNTS = frozenset({"items", "questions", "samples", "taskid"})


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


def find_state(header: Header) -> str | None:
    """The column of the states of runs, where it is called so and holds nothing else.

    Examples
    --------
    >>> find_state(Header(["run", "State"], [("a", "finished"), ("b", "crashed")]))
    'State'
    >>> find_state(Header(["item", "state"], [("a", "Ohio"), ("b", "Texas")]))
    """
    known = STATUS_WORDS.keys() | REJECTED_WORDS
    for name, own in header.cells.items():
        cells = {fold_name(str(cell)) for cell in own if cell not in (None, "")}
        if fold_name(name) in _STATES and cells and cells <= known:
            return name
    return None


_STATES = frozenset({"state", "runstate", "runstatus", "jobstate", "jobstatus"})


def find_only_score(header: Header) -> Mapping[str, str]:
    """The score beside a model and an item, where nothing else stands there and no name says so.

    Examples
    --------
    >>> find_only_score(Header(["item", "model", "human"], [("q1", "ash", 1), ("q1", "birch", 0)]))
    {'score': 'human'}
    >>> find_only_score(Header(["item", "model", "tokens"], [("q1", "ash", 81)]))
    {}
    """
    if header.has("score", weak=True) or not (header.has("model") and header.has("item")):
        return {}
    known = corner_names("model") | corner_names("item")
    rest = [name for name in header.columns if fold_name(name) not in known]
    only = rest if len(rest) == 1 and rest == header.unexplained else []
    plain = [name for name in only if likely_scores([name]) and not is_measure(name)]
    return {"score": plain[0]} if plain and len(header.columns) == 3 else {}


def is_binary(numbers: Sequence[float | None]) -> bool:
    """Whether each is 0, 1 or no value at all."""
    return all(number in (0.0, 1.0) or number != number for number in numbers)


def find_match_sides(header: Header) -> tuple[str, str, bool] | None:
    """As `find_short_sides`, where cells are names of one set, and no column is of models.

    Examples
    --------
    >>> matches = [("x", "y", 1, 0), ("y", "x", 2, 2)]
    >>> find_match_sides(Header(["home", "away", "home_goals", "away_goals"], matches))
    ('home', 'away', True)
    >>> find_match_sides(Header(["home", "away", "price", "fee"], [("x", "z", 1, 0)])) is None
    True
    """
    sides = find_short_sides(header.columns)
    if sides is None or header.has("model"):
        return None
    first, second = ({str(cell) for cell in header.cells[name] if cell} for name in sides[:2])
    numbers = any(parse_number(name) is not None for name in first | second)
    alike = not numbers and len(first | second) > 1 and bool(first & second)
    return sides if alike else None

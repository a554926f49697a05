"""What commands print with ``--json``, said once as types, from which their schemas are made.

Those about files and stores are in `fileanswers`; boards, plans and claims have schemas of their
own (``scripts/make_schema.py``). Keys are only ever added.
"""

from collections.abc import Mapping
from typing import Any, Final, Literal, NotRequired, TypedDict

from rankbars.cli.fileanswers import (
    ChangedAnswer,
    FailedAnswer,
    FilesAnswer,
    FormatsAnswer,
    StoreAnswer,
)

__all__ = ["PRINTED"]

Real = float | None  # null: not known, or not finite
Span = list[int]  # from the best rank to the worst


class CallAnswer(TypedDict):
    """A line of ``race STATE next``: a call to make. A line back has ``score`` or ``failed``."""

    model: str
    task: str
    item: str
    trial: int


class ToldAnswer(TypedDict):
    """What became of results that a race was told (``race STATE tell``)."""

    schema: Literal["rankbars.told/1"]
    taken: int
    failed: int
    again: int
    aside: int
    waiting: int
    contradicted: list[CallAnswer]


class NoteAnswer(TypedDict):
    """A note on a result; its codes are listed on the page of messages."""

    code: str
    message: str
    task: NotRequired[str | None]
    models: NotRequired[list[str]]


class RacerAnswer(TypedDict):
    """One model of a race."""

    model: str
    call: str
    since: int | None
    rows: int
    calls: int
    mean: Real
    log_e: Real
    more_rows: Real


class LookAnswer(TypedDict):
    """The evidence after some rows, by model."""

    rows: int
    log_e: dict[str, float]


class RaceAnswer(TypedDict):
    """The state of a race (``race STATE show``)."""

    schema: Literal["rankbars.race/1"]
    goal: str
    alpha: float
    winners: list[str]
    possible: list[str]
    stop: str | None
    models: list[RacerAnswer]
    tasks: list[str]
    unit: str
    rows: int
    of_rows: int
    calls: int
    of_calls: int
    saved: float
    more_rows: Real
    waiting: int
    failed: int
    batch: int
    threshold: float
    seed: int
    digest: str
    history: list[LookAnswer]
    notes: list[NoteAnswer]


class ContrastAnswer(TypedDict):
    """Two models on one task, or on the average."""

    name: str
    kind: str
    unit: str
    metric: str | None
    direction: Literal["higher", "lower"]
    test: str
    binary: bool
    verdict: str
    n: int | None
    n_a: int | None
    n_b: int | None
    ahead: int | None
    behind: int | None
    score_a: Real
    score_b: Real
    difference: Real
    low: Real
    high: Real
    se: Real
    df: Real
    p_value: Real
    p_better: Real
    p_worse: Real
    detectable: Real
    approximate: bool
    measured_level: Real
    assumptions: list[str]


class NeededAnswer(TypedDict):
    """How many rows are needed; null where no number is enough, or none is known."""

    likely: Real
    low: Real
    high: Real
    safe: Real


class InputAnswer(TypedDict):
    """A file that was read."""

    path: str
    format: str
    sha256: str


class InputsAnswer(TypedDict):
    """What a result was made of."""

    inputs: list[InputAnswer]


class CompareAnswer(TypedDict):
    """Two models (``compare``)."""

    schema: Literal["rankbars.head-to-head/1"]
    a: str
    b: str
    alpha: float
    power: float
    tasks: list[ContrastAnswer]
    average: ContrastAnswer | None
    main: ContrastAnswer | None
    needed: NeededAnswer | None
    claim: NotRequired[dict[str, Any]]
    notes: list[NoteAnswer]
    provenance: InputsAnswer


class TaskNoiseAnswer(TypedDict):
    """Where the ± of one task comes from, and what a budget buys."""

    name: str
    noise: dict[str, Any]
    best_answers: int | None
    items: int | None
    answers: int | None


class NoiseAnswer(TypedDict):
    """Where the ± of repeated answers comes from (``noise``)."""

    schema: Literal["rankbars.noise/1"]
    models: list[str]
    alpha: float
    pair: list[str] | None
    costs: dict[str, Any] | None
    tasks: list[TaskNoiseAnswer]
    sentences: list[str]


class PairAnswer(TypedDict):
    """A pair of models, the probability that a vote asks it, and its votes."""

    model_a: str
    model_b: str
    sampling_probability: float
    votes: int


class NextAnswer(TypedDict):
    """Which votes to ask next (``next``)."""

    schema: Literal["rankbars.next/1"]
    goal: str
    models: list[str]
    undecided: list[str]
    alpha: float
    approximate: bool
    new: list[str]
    votes: int
    votes_for_new: int
    width: Real
    even: Real
    pairs: list[PairAnswer]


class ItemAnswer(TypedDict):
    """An item to label, or labelled, and the probability that one of its stratum has a label."""

    task: str
    item: str
    stratum: int
    sampling_probability: float


class AskAnswer(TypedDict):
    """Which items people should label next (``next --judge``)."""

    schema: Literal["rankbars.ask/1"]
    models: list[str]
    strata: int
    asked: list[ItemAnswer]
    labelled: list[ItemAnswer]


class PredictAnswer(TypedDict):
    """Ranks on a new task (``predict``); lists are aligned with ``models``."""

    models: list[str]
    best: list[int]
    worst: list[int]
    alpha: float
    scope: Literal["all", "each"]
    target: str
    merge: str
    guarantee: float
    assumptions: list[str]
    trivial: bool
    spread: list[int] | None
    task_alpha: Real
    left_out: list[Any] | None
    groups: Any  # as in a board: a block per category, or null
    approximate: bool
    measured_level: Real
    notes: list[NoteAnswer]


class SmallestChangeAnswer(TypedDict):
    """The smallest change of weights after which a model is level with the first."""

    model: str
    moved: Real
    weights: dict[str, float] | None


class WeightsAnswer(TypedDict):
    """Which weights of categories make which model win (``weights``)."""

    models: list[str]
    categories: list[str]
    mean: list[list[Real]]
    se: list[list[Real]]
    weights: dict[str, float]
    winner: str
    runner_up: str
    margin: float
    error: Real
    z: float
    rho: float
    share: dict[str, float]
    clear_share: dict[str, float]
    smallest_changes: list[SmallestChangeAnswer]
    description: str


class SharesAnswer(TypedDict):
    """Probabilities of ranks (``show --top K``, ``show --dominance``), by draws."""

    models: list[str]
    draws: int
    alpha: float
    draws_agree: bool
    k: NotRequired[int]
    rank_probability: NotRequired[list[list[Real]]]
    top_probability: NotRequired[list[Real]]
    more_likely_than_not: NotRequired[list[str]]
    most_likely: NotRequired[list[str]]
    may_be_among: NotRequired[list[str]]
    expected_rank: NotRequired[list[Real]]
    band_best: NotRequired[list[int]]
    band_worst: NotRequired[list[int]]
    pairs: NotRequired[list[dict[str, Any]]]


class WhyAnswer(TypedDict):
    """Why a model has its ranks (``show --why``): whom it is told apart from, all at once."""

    schema: Literal["rankbars.why/1"]
    model: str
    best: int
    worst: int
    models: int
    level: str
    above: list[str]
    within: list[str]
    below: list[str]
    decided: str


class ModelChangeAnswer(TypedDict):
    """What changed for one model; pairs are before and after."""

    model: str
    cause: Literal["own scores", "pool", "interval", "nothing"]
    tasks: list[str]
    place: list[int]
    score: list[Real]
    ranks: list[Span]
    new_task: list[Span] | None
    tier: list[int]


class PartlyChangeAnswer(TypedDict):
    """What changed for a model that lacks tasks on a board; pairs are before and after."""

    model: str
    tasks: list[str]
    ranks: list[Span]
    lacking: list[int]


class LevelAnswer(TypedDict):
    """At which level a board states what it shows first."""

    guarantee: float | None
    approximate: bool
    measured_level: float | None
    scope: Literal["all", "each"]
    alpha: float


class DiffAnswer(TypedDict):
    """What changed between two boards (``diff``)."""

    schema: Literal["rankbars.diff/1"]
    models: list[ModelChangeAnswer]
    added_models: list[str]
    removed_models: list[str]
    added_tasks: list[str]
    removed_tasks: list[str]
    gained: list[list[str]]
    lost: list[list[str]]
    options: list[list[Any]]
    leads: list[str]
    levels: list[LevelAnswer]
    new_task_levels: list[LevelAnswer]
    versions: list[str]
    renamed_models: list[list[str]]
    renamed_tasks: list[list[str]]
    retired_models: list[list[str]]
    retired_tasks: list[list[str]]
    partly: list[PartlyChangeAnswer]


class FindingAnswer(TypedDict):
    """A fault of results that are submitted, or something to look at."""

    level: Literal["fault", "warning", "note"]
    code: str
    message: str


class MovedAnswer(TypedDict):
    """The rank interval of a model before and after."""

    model: str
    before: Span | None
    after: Span | None


class SubmitAnswer(TypedDict):
    """What was found in results that are submitted (``submit``)."""

    schema: Literal["rankbars.submit/1"]
    ok: bool
    added: bool
    store: str
    files: list[str]
    models: list[str]
    tasks: list[str]
    findings: list[FindingAnswer]
    ranks: list[MovedAnswer]
    may_be_first: list[list[str]]
    lead: str | None
    guarantee: float | None
    approximate: bool | None
    measured_level: float | None
    scope: Literal["all", "each"] | None
    alpha: float | None


class RowAnswer(TypedDict):
    """One model of a plain table."""

    rank: int
    model_id: str
    mean_score: Real
    mean_ci_lo: Real
    mean_ci_hi: Real
    win_rate: Real
    pairwise_win_rate: Real
    tasks_completed: int
    categories: dict[str, Real]


class TableAnswer(TypedDict):
    """A plain table of records (``table``)."""

    models: list[RowAnswer]
    alpha: float
    interval: str
    notes: list[dict[str, Any]]
    differences: list[dict[str, Any]]
    scores: dict[str, dict[str, Real]]
    approximate: bool


PRINTED: Final[Mapping[str, type]] = {
    "error": FailedAnswer,
    "files": FilesAnswer,
    "changed": ChangedAnswer,
    "store": StoreAnswer,
    "formats": FormatsAnswer,
    "call": CallAnswer,
    "told": ToldAnswer,
    "race": RaceAnswer,
    "compare": CompareAnswer,
    "noise": NoiseAnswer,
    "next": NextAnswer,
    "ask": AskAnswer,
    "predict": PredictAnswer,
    "weights": WeightsAnswer,
    "shares": SharesAnswer,
    "why": WhyAnswer,
    "diff": DiffAnswer,
    "submit": SubmitAnswer,
    "table": TableAnswer,
}
"""Every answer by the name of its schema."""

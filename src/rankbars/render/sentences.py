"""What a board says in words. A sentence claims only what its guarantee covers."""

from __future__ import annotations

import numpy as np

from rankbars.data.board import Leaderboard, TaskResult
from rankbars.data.notes import join_words, list_words
from rankbars.render.boardnotes import OFTEN_MISSED, UNSEEN_ROWS
from rankbars.render.claims import (
    APPROXIMATE,
    NO_GUARANTEE,
    SCOPE_WORDS,
    approximate_sentence,
    average_words,
    group_words,
    is_approximate,
    is_weighted,
    lead_claim,
    leads_with_band,
    only_metric,
    quantity_words,
    scale_words,
    statements_level,
)
from rankbars.render.newtasklines import new_task_sentence
from rankbars.render.notation import counted, show_level, show_number, show_share, suitable_decimals
from rankbars.render.shownnames import NameWriter, plain_name, visible
from rankbars.render.sidetables import (
    field_words,
    may_share_first,
    placed_sentence,
    screen_sentence,
)

__all__ = [
    "absent_sentences",
    "apart_sentences",
    "claims_all_at_once",
    "field_line",
    "field_parts",
    "headline",
    "headline_sentences",
    "is_arena",
    "last_one",
    "leader_lines",
    "only_apart_may_lead",
    "outcome_sentence",
    "place",
    "row_word",
    "scale_line",
    "scopes_line",
    "standing_apart",
    "states_who_is_first",
    "task_line",
]

_MOST_NAMES = 8
_FEWEST_MODELS, _FEW = 3, 0.25
_SHORT_NAME = 30


def headline(board: Leaderboard, name: NameWriter = plain_name) -> str:
    """What the board shows, and what it does not show, in one to three sentences.

    Parameters
    ----------
    board : Leaderboard
        The result.
    name : callable
        How a name is written, for formats that must escape it; all other words are plain.

    Returns
    -------
    str
        Statements about the observed order, which hold for all models at once; on a new task
        one statement about one model.

    Examples
    --------
    >>> import numpy as np, rankbars as rb
    >>> ahead = np.linspace(0, 1, 30)[:, None] * [1.0, 1.0] + [0.5, 0.0]
    >>> ahead[::2, 0] += 0.01
    >>> headline(rb.leaderboard(rb.Scores.from_arrays({"math": ahead}, ["a", "b"])))[:58]
    'On this task, a leads: it is shown better than the other o'
    """
    return " ".join(headline_sentences(board, name))


def headline_sentences(board: Leaderboard, name: NameWriter = plain_name) -> tuple[str, ...]:
    """The sentences of `headline`, the most important one first."""
    if len(board.models) == 1:
        only = f"There is only one model, {name(board.models[0])}: nothing to rank."
        return (only, *absent_sentences(board, name))
    if board.lead == "new_task":
        first = new_task_sentence(board, board.models[board.order[0]], name)
        if board.overall is None or board.overall.trivial or board.overall.scope == "all":
            return (first, *absent_sentences(board, name))
        return (
            first,
            *absent_sentences(board, name),
            "The same holds for each other model by itself, not for several together.",
        )
    sentences = [*_first_sentences(board, name), *absent_sentences(board, name)]
    sentences += [one for one in (placed_sentence(board, name), screen_sentence(board)) if one]
    if board.tiers and board.shown_better.any() and len(board.models) > 2:
        sentences += [_neighbours_sentence(board), f"Tiers: {len(board.tiers)}."]
    left_out = any(note.code == "failures-left-out" for note in board.notes)
    if left_out and board.shown_better.any():
        sentences.append("All this holds only if what is missing does not depend on the score.")
    for note in board.notes:
        if note.code == "run-effect":
            covers = ": --runs shared covers new runs" if "--runs shared" in note.message else ""
            sentences.append(f"Whole runs differ by more than chance{covers}.")
    if board.lead == "task" and board.shown_better.any():
        unseen = [visible(note.message) for note in board.notes if note.code == UNSEEN_ROWS]
        sentences += unseen
    if is_approximate(board):
        sentences.append(approximate_sentence(board))
    return tuple(sentences)


def absent_sentences(board: Leaderboard, name: NameWriter = plain_name) -> tuple[str, ...]:
    """Which models were read and are not on the board; nothing where all are."""
    absent = [model for note in board.notes if note.code == "no-task" for model in note.models]
    if not absent:
        return ()
    who = "1 model is" if len(absent) == 1 else f"{len(absent)} models are"
    names = list_words([name(one) for one in absent], _MOST_ABSENT)
    return (f"{who} not on the board, scored on no task that counts: {names}.",)


_MOST_ABSENT = 5


def leader_lines(board: Leaderboard) -> tuple[str, ...]:
    """The leader's score with its selection allowed for, and what is not; empty without one."""
    found = board.leader
    if found is None:
        return ()
    ends = np.array([found.low, found.high])
    decimals = suitable_decimals(np.array([found.score]), (ends[1:] - ends[:1]) / 4)
    low, score, high = (show_number(v, decimals) for v in (found.low, found.score, found.high))
    chosen = "" if found.variants == 1 else f", selected from {found.variants} declared variants"
    level = show_level(found.alpha)
    corrected = "Score of the leader, allowing for its selection"
    undeclared = "Tries that were neither in the input nor declared are not allowed for."
    # Near ties the median-unbiased score lies at an end, far below every score on the board.
    if min(found.score - found.low, found.high - found.score) < (found.high - found.low) / 4:
        return f"{corrected}: between {low} and {high} ({level}){chosen}.", undeclared
    return f"{corrected}: {score} [{low}, {high}] ({level}){chosen}.", undeclared


def scopes_line(board: Leaderboard) -> str:
    """What the rows do not say together; empty where everything holds for all models at once."""
    if board.lead == "new_task" or len(board.models) < 3:
        return ""
    if not lead_claim(board).scope.startswith(SCOPE_WORDS["each"]):
        return ""
    return (
        "Each rank interval holds for one model chosen in advance, and not for several together: "
        "there are no tiers. For statements about all models at once: --scope all."
    )


def scale_line(board: Leaderboard) -> str:
    """On which scale scores were averaged; empty where it is their own."""
    average = board.aggregate
    if board.lead != "aggregate" or average is None:
        return ""
    words = scale_words(average)
    return f"Scores were averaged {words}." if words else ""


def field_parts(board: Leaderboard) -> list[str]:
    """How much was compared: models, tasks and, where they can be added up, rows."""
    parts = [counted(len(board.models), "model"), counted(len(board.tasks), "task")]
    words = {row_word(task) for task in board.tasks.values()}
    rows = sum(task.n for task in board.tasks.values())
    if len(words) == 1 and rows and words != {"estimate"}:
        parts.append(counted(rows, words.pop()))
    return parts


def row_word(task: TaskResult) -> str:
    """What one row of a task is; the kind of prompt variants is that of runs."""
    if task.kind == "runs" and any("prompt variants" in one for one in task.assumptions):
        return "prompt"
    return task.kind.removesuffix("s")


def field_line(board: Leaderboard, write: NameWriter | None = None) -> str:
    """How much was compared, ``"29 models, 14 tasks, 12,032 items"``, and, written, by what."""
    metric = only_metric(board)
    by = [] if metric is None or write is None else [write(metric)]
    return ", ".join([*field_parts(board), *by])


def task_line(board: Leaderboard, name: str, write: NameWriter = plain_name) -> str:
    """What was compared on one task, and by what: ``"math: 29 models, 200 items, accuracy"``."""
    task = board.tasks[name]
    parts = [counted(int((task.coverage > 0).sum()), "model")]
    if task.n and task.kind != "estimates":
        parts.append(counted(task.n, row_word(task)))
    parts += [] if task.metric is None else [write(task.metric)]
    return f"{write(name)}: {', '.join(parts)}."


def states_who_is_first(board: Leaderboard) -> bool:
    """Whether the sentence at the top says which models may be first."""
    if board.lead == "new_task" or leads_with_band(board):
        return False
    return bool((board.ranks.best[~np.isnan(board.score)] > 1).any())


def claims_all_at_once(board: Leaderboard) -> bool:
    """Whether ranks hold for all models together."""
    return lead_claim(board).scope.startswith(SCOPE_WORDS["all"])


def standing_apart(board: Leaderboard) -> tuple[str, ...]:
    """Models that may be first with far fewer scores than the others have.

    Less than a quarter of what the middle model has, as the note ``far-fewer`` says of items.
    """
    if not states_who_is_first(board) or len(board.models) < _FEWEST_MODELS:
        return ()
    shares = board.coverage
    few = shares < _FEW * np.quantile(shares, 0.5, method="higher")
    return tuple(one for one in board.undominated() if few[board.models.index(one)])


def apart_sentences(board: Leaderboard, name: NameWriter = plain_name) -> tuple[str, ...]:
    """Which models that may be first have far fewer scores, and who may be first without them."""
    apart = standing_apart(board)
    if not apart:
        return ()
    kept = ~np.isin(board.models, apart) & ~np.isnan(board.score)
    beaten = np.asarray(board.shown_better[kept].any(axis=0))
    rest = [name(board.models[i]) for i in board.order if kept[i] and not beaten[i]]
    most = show_share(float(np.max(board.coverage[np.isin(board.models, apart)])))
    stand = f"stands apart with {most}" if len(apart) == 1 else f"stand apart with at most {most}"
    may = f"only {rest[0]} may" if len(rest) == 1 else f"{len(rest)} may"
    named = "" if len(rest) == 1 else f": {list_words(rest, _MOST_NAMES)}"
    return (
        f"{join_words([name(one) for one in apart])} {stand} of the scores, far fewer than others.",
        f"Among the other {int(kept.sum())}, {may} be first{named}.",
    )


def only_apart_may_lead(board: Leaderboard) -> bool:
    """Whether all models that may be first have far fewer scores than the others."""
    apart = standing_apart(board)
    return bool(apart) and len(apart) == len(board.undominated()) and claims_all_at_once(board)


def _first_sentences(board: Leaderboard, name: NameWriter) -> list[str]:
    """Who may be first, and who cannot be ruled out for want of scores."""
    where, level = place(board), _confidence(board)
    if leads_with_band(board):
        named = board.aggregate is not None and quantity_words(board.aggregate)
        by = "" if named else f" by the {_what_is_averaged(board)}"
        return [
            f"{where}, {name(board.models[board.order[0]])} comes first{by}. Ranges of ranks "
            "describe draws; nothing is claimed about which models differ."
        ]
    known = ~np.isnan(board.score)
    first = [name(model) for model in board.undominated()]
    unknown = [name(model) for model in np.array(board.models)[~known].tolist()]
    if not states_who_is_first(board):
        sentences = [_not_told_apart(board, where)]
    elif not claims_all_at_once(board):
        models = "1 model" if len(first) == 1 else f"{len(first)} models"
        sentences = [f"{where}, {models} may be first ({level}): {list_words(first, _MOST_NAMES)}."]
        sentences += apart_sentences(board, name)
    elif only_apart_may_lead(board):
        stand, among = apart_sentences(board, name)
        alone = f"By these alone, no other model may be first ({level})."
        sentences = [f"{where}, {stand}", alone, among]
    else:
        sentences = _who_leads(board, where, first, level, name)
        sentences += apart_sentences(board, name)
    if unknown:
        sentences.append(
            f"Not scored on everything, so not ruled out: {list_words(unknown, _MOST_NAMES)}."
        )
    return sentences


def _not_told_apart(board: Leaderboard, where: str) -> str:
    models = "two models" if len(board.models) == 2 else f"{len(board.models)} models"
    these = "These" if board.lead == "task" else f"{where}, these"
    equal = "That does not make them equal"
    for note in board.notes:
        if note.code == OFTEN_MISSED:
            equal += f": {note.message[0].lower()}{visible(note.message[1:])}"
            return f"{these} results do not tell the {models} apart. {equal}"
    return f"{these} results do not tell the {models} apart. {equal}."


def last_one(board: Leaderboard, name: NameWriter) -> str:
    """The one scored model that may not be first, by its name if that is short."""
    known, first = zip(board.models, ~np.isnan(board.score), strict=True), board.undominated()
    last = next(model for model, scored in known if scored and model not in first)
    return name(last) if len(last) <= _SHORT_NAME else "The other one"


def _who_leads(
    board: Leaderboard, where: str, first: list[str], level: str, name: NameWriter
) -> list[str]:
    """Who may be first by statements that hold together, and what is said of the others."""
    known = np.flatnonzero(~np.isnan(board.score))
    count = len(known) - len(first)
    others = "other one" if count == 1 else f"each of the other {count}"
    if len(first) > 1:
        named = join_words(first) if len(first) <= _MOST_NAMES else list_words(first, _MOST_NAMES)
        among = "between" if len(first) == 2 else "among"
        worse = f"Each of the other {count}" if count > 1 else last_one(board, name)
        return [
            f"{where}, first place is open {among} {named}. {worse} is shown worse than at least "
            f"one model ({level})."
        ]
    leader = board.models.index(board.undominated()[0])
    if int(board.shown_better[leader, known].sum()) == count:
        beaten = {1: "the other one", 2: "both others"}.get(count, f"all {count} others")
        if may_share_first(board):
            return [
                f"{where}, {first[0]} is shown better than {beaten} ({level}); first place stays "
                "open to models that lack tasks."
            ]
        return [f"{where}, {first[0]} leads: it is shown better than {beaten} ({level})."]
    only = "may be first, of these alone" if may_share_first(board) else "may be first"
    return [
        f"{where}, only {first[0]} {only}: {others} is shown worse than at least one model "
        f"({level})."
    ]


def _confidence(board: Leaderboard) -> str:
    """The level of what is said of who may be first, and what holds at it."""
    claim = lead_claim(board)
    if claim.level == NO_GUARANTEE:
        return NO_GUARANTEE
    level = statements_level(board)
    level = level if level == APPROXIMATE else f"{level} confidence"
    together = claim.scope.startswith(SCOPE_WORDS["all"])
    return f"{level}, {'all statements together' if together else 'one model named in advance'}"


def _neighbours_sentence(board: Leaderboard) -> str:
    pairs, open_pairs = len(board.models) - 1, board.neighbours_not_separated
    if open_pairs == 0:
        return "Each model is told apart from the next one in the order."
    verb = "is" if open_pairs == 1 else "are"
    return f"{open_pairs} of {pairs} neighbours in the order {verb} too close to call."


def place(board: Leaderboard) -> str:
    """What the sentence at the top is about: ``"On the average of these 14 tasks"``."""
    where = field_words(board, _field(board))
    if any(note.code == "run-effect" for note in board.notes):
        return f"{where}, for these runs"
    return where


def _field(board: Leaderboard) -> str:
    if is_arena(board):
        return "In these votes"
    if board.lead == "task" or board.aggregate is None:
        return "On this task"
    count = sum(task.weight > 0 for task in board.tasks.values())
    weighted, quantity = is_weighted(board), quantity_words(board.aggregate)
    if board.aggregate.over == "families":
        # Weights act within a family; families count alike.
        within = ", weighted within each" if weighted else ""
        return f"On the {quantity or 'average'} over families of tasks like these{within}"
    groups = group_words(board)
    kind = quantity or "average" if groups or not weighted else f"weighted {quantity or 'average'}"
    predicted = board.aggregate.estimator == "bayes_predictive"
    if board.aggregate.over == "tasks":
        return "On one new task" if predicted else f"On the {kind} over tasks like these"
    fresh = "fresh items of " if predicted else ""
    return f"On the {kind} {'over' if quantity else 'of'} {fresh}these {count} tasks{groups}"


def is_arena(board: Leaderboard) -> bool:
    """Whether the board leads with the ranks from one set of votes."""
    return board.lead == "task" and next(iter(board.tasks.values())).kind == "votes"


def _what_is_averaged(board: Leaderboard) -> str:
    return "average" if board.aggregate is None else average_words(board.aggregate)


def outcome_sentence(board: Leaderboard) -> str:
    """The outcomes on all tasks, as one sentence; nothing if every row is scored.

    Examples
    --------
    >>> import rankbars as rb
    >>> scores = rb.Scores.from_arrays({"math": [[1, 0], [0, float("nan")]]}, ["a", "b"])
    >>> outcome_sentence(rb.leaderboard(scores, missing="pairwise"))
    'Of 4 expected scores 1 is missing; 2 of the others are 0.'
    """
    tasks = [task for task in board.tasks.values() if task.counts is not None]
    counted = [task.counts for task in tasks if task.counts is not None]
    own = [task.own_rows is not None for task in tasks]
    expected = sum(
        one.expected * (1 if alone else len(board.models))
        for one, alone in zip(counted, own, strict=True)
    )
    lost = []
    for name, what in (("errors", "failed"), ("unscored", "ran unscored"), ("missing", "missing")):
        number = sum(
            int(getattr(one, name).sum())
            for one, alone in zip(counted, own, strict=True)
            if not (alone and name == "missing")
        )
        if number:
            verb = "" if what != "missing" else "is " if number == 1 else "are "
            lost.append(f"{number:,} {verb}{what}")
    if not lost:
        return ""
    text = f"Of {expected:,} expected scores {join_words(lost)}"
    if all(one.zeros is not None for one in counted):
        zeros = sum(int(one.zeros.sum()) for one in counted if one.zeros is not None)
        if zeros:
            text += f"; {zeros:,} of the others {'is' if zeros == 1 else 'are'} 0"
    return f"{text}."

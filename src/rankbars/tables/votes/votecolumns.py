"""What the columns of a table of votes mean: the two models, the outcome, and what goes with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rankbars.data.notes import list_names
from rankbars.errors import DataError
from rankbars.tables.columns import check_header, existing_column, fold_name, paste_columns
from rankbars.tables.runnames import is_lettered, is_series

__all__ = [
    "OUTCOMES",
    "SCORES",
    "VOTE_LAYOUTS",
    "VOTE_ROLES",
    "NoOutcomeError",
    "VoteColumns",
    "find_short_sides",
    "find_sides",
    "find_vote_columns",
    "name_parts",
    "other_side",
]

# Names of the two columns of models, folded. The second value says whether the first column is
# known to hold the model that was shown first.
PAIRS: tuple[tuple[str, str, bool], ...] = (
    ("modela", "modelb", False),
    ("model1", "model2", False),
    ("llma", "llmb", False),
    ("llm1", "llm2", False),
    ("systema", "systemb", False),
    ("system1", "system2", False),
    ("generator1", "generator2", False),
    ("playera", "playerb", False),
    ("player1", "player2", False),
    ("modelleft", "modelright", True),
    ("leftmodel", "rightmodel", True),
    ("left", "right", True),
    ("firstmodel", "secondmodel", True),
)

# Names that are those of sides only where the cells are names of one set, and a vote was won.
SHORT_PAIRS = (
    ("a", "b"), ("first", "second"), ("one", "two"), ("optiona", "optionb"),
    ("option1", "option2"), ("candidatea", "candidateb"), ("sidea", "sideb"),
    ("varianta", "variantb"),
)  # fmt: skip

# Sides of a match where the cells are names of one set; who moves first or is at home stands first.
_PLAYERS = ("", "team", "player", "agent", "bot", "engine", "club")
MATCH_PAIRS = (
    *((one + name, two + name, True)
      for name in _PLAYERS for one, two in (("home", "away"), ("white", "black"))),
    *((name + one, name + two, False)
      for name in _PLAYERS[1:] for one, two in (("a", "b"), ("1", "2"))),
)  # fmt: skip

# Names of the columns of the model that won and of the one that lost, folded.
WON_AND_LOST = (
    ("winner", "loser"), ("chosenmodel", "rejectedmodel"), ("modelchosen", "modelrejected"),
    ("winnermodel", "losermodel"), ("winningmodel", "losingmodel"), ("modelwon", "modellost"),
)  # fmt: skip

# How the outcome may be written, and the usual names of such a column, folded.
OUTCOMES: Mapping[str, frozenset[str]] = {
    "winner": frozenset({
        "winner", "verdict", "judgment", "judgement", "label", "vote", "choice", "result",
        "preferred", "preferredmodel", "humanpreference", "winnermodel", "winningmodel", "ftr",
    }),
    "chosen": frozenset({
        "firstischosen", "firstchosen", "chosenfirst", "firstwins", "firstispreferred",
    }),
    "score": frozenset({"score", "scorea", "outcome", "outcomea", "score1", "outcome1"}),
    "preference": frozenset({"preference"}),
}  # fmt: skip

COUNTS: Mapping[str, frozenset[str]] = {
    "wins_a": frozenset({"winsa", "wina", "awins", "nmodela", "modelawins", "winsmodela", "na",
                         "wins1", "winsleft", "leftwins", "nwinsa", "winnermodela"}),
    "wins_b": frozenset({"winsb", "winb", "bwins", "nmodelb", "modelbwins", "winsmodelb", "nb",
                         "wins2", "winsright", "rightwins", "nwinsb", "winnermodelb"}),
    "ties": frozenset({"ties", "tie", "ntie", "nties", "draws", "draw", "ndraws", "winnertie"}),
    "both_bad": frozenset({"bothbad", "nbothbad", "tiebothbad", "ntiebothbad"}),
}  # fmt: skip

OTHERS: Mapping[str, frozenset[str]] = {
    "judge": frozenset({
        "judge", "judgeid", "judgename", "judgemodel", "worker", "workerid", "annotator",
        "annotatorid", "voter", "voterid", "user", "userid", "rater", "raterid", "evaluator",
        "participant", "participantid", "email", "emailaddress", "username", "respondent",
        "respondentid", "prolificpid", "prolificid", "completedby",
    }),
    "prompt": frozenset({
        "prompt", "promptid", "question", "questionid", "instruction", "instructionid", "item",
        "itemid", "query", "queryid", "uid",
    }),
    "cluster": frozenset({
        "cluster", "clusterid", "conversation", "conversationid", "session", "sessionid", "pairid",
        "evaluationsessionid",
    }),
    "task": frozenset({"task", "taskname", "dataset", "benchmark"}),
    "position": frozenset({"position", "shownfirst", "firstshown", "firstposition"}),
    "weight": frozenset({"weight", "voteweight"}),
    "probability": frozenset({
        "samplingprobability", "pairprobability", "selectionprobability", "pairingprobability",
        "propensity",
    }),
    "count": frozenset({"count", "counts", "nvotes", "numvotes", "votes", "n"}),
    "time": frozenset({"timestamp", "tstamp", "time", "datetime", "date", "createdat", "votedat"}),
    "anonymous": frozenset({"anony", "anonymous", "isanonymous"}),
}  # fmt: skip

# Scores of the two sides, of which the higher one wins; they are named by who reads the table.
SCORES = ("score_a", "score_b")

# Recognised only to be named in a note: categories become tasks where the caller says so.
CATEGORIES = frozenset({"category", "categories", "categorytag", "categorytags", "topic"})
RANKINGS = frozenset({"ranking", "rankedmodels", "rankings"})
OPTIONS = frozenset({"options", "candidates", "models", "presented"})

VOTE_ROLES = (
    "model_a", "model_b", *OUTCOMES, *COUNTS, *SCORES, *OTHERS, "category", "loser", "ranking",
    "options",
)  # fmt: skip
VOTE_LAYOUTS = ("votes", "beats")


class NoOutcomeError(DataError):
    """No column of a table of votes is called after an outcome."""


class VoteColumns(NamedTuple):
    """Which column of a table of votes plays which role.

    Parameters
    ----------
    layout : str
        How the outcome is written: one of `OUTCOMES`, ``"counts"``, ``"scores"``, ``"loser"``,
        ``"ranking"`` or ``"options"``.
    roles : mapping from str to str
        Column by role.
    ordered : bool
        Whether the first model is known to be the one that was shown first.
    category : str or None
        A column of categories that was not chosen.
    unused : tuple of str
        Columns without a role.
    """

    layout: str
    roles: Mapping[str, str]
    ordered: bool
    category: str | None
    unused: tuple[str, ...]

    def describe(self) -> str:
        """The roles as one line."""
        return ", ".join(f"{role} = {name!r}" for role, name in self.roles.items())


def find_sides(columns: Sequence[str]) -> tuple[str, str, bool] | None:
    """The two columns of models, and whether the first is the one shown first; None if none are.

    Examples
    --------
    >>> find_sides(["Left", "Right", "winner"])
    ('Left', 'Right', True)
    >>> find_sides(["prompt", "response_a_model", "response_b_model", "verdict"])
    ('response_a_model', 'response_b_model', False)
    """
    folded = _by_fold(columns)
    for first, second, ordered in PAIRS:
        several = is_series(first, folded) or is_lettered(first, folded)
        if first in folded and second in folded and not several:
            return folded[first], folded[second], ordered
    return _sides_by_word(columns)


# Words for a side; what a model is called; and what may stand beside these in a name.
_SIDES = {
    "a": "b", "1": "2", "left": "right", "first": "second", "home": "away", "white": "black",
}  # fmt: skip
_THIRD = {"a": "c", "1": "3"}  # of a series, whose columns are no sides
_MODELS = {"model", "llm", "system"}
_BESIDE = frozenset({
    "response", "answer", "assistant", "output", "completion", "name", "id", "option", "side",
    "candidate", "generator", "conversation",
})  # fmt: skip
_WORD = re.compile(r"[a-z]+|\d+")

# Parts of a record that stand before the names of their columns: Input.model_a, data.model_a.
_PART_OF_RECORD = re.compile(r"(?i)^(?:input|answer|data|fields?|meta|metadata)\.")


def _sides_by_word(columns: Sequence[str]) -> tuple[str, str, bool] | None:
    """Two columns of models whose names differ in a word for the side, as ``response_a_model``."""
    by_words = {name_parts(name): name for name in reversed(columns)}
    for words, name in reversed(by_words.items()):
        for place, word in enumerate(words):
            rest = {*words[:place], *words[place + 1 :]}
            other = (*words[:place], _SIDES.get(word, ""), *words[place + 1 :])
            third = (*words[:place], _THIRD.get(word, ""), *words[place + 1 :])
            named = _MODELS & rest and rest <= _MODELS | _BESIDE
            if named and other in by_words and third not in by_words:
                return name, by_words[other], word in ("left", "first")
    return None


def other_side(name: str, columns: Sequence[str]) -> str | None:
    """The column of the second model whose name differs from one of the first in the side alone.

    Examples
    --------
    >>> other_side("score_a", ["score_a", "score_b"]), other_side("score", ["score", "score_b"])
    ('score_b', None)
    """
    by_words = {name_parts(one): one for one in reversed(columns)}
    words = name_parts(name)
    others = [
        (*words[:place], _SIDES[word], *words[place + 1 :])
        for place, word in enumerate(words)
        if word in _SIDES
    ]
    return next((by_words[other] for other in others if other in by_words), None)


def name_parts(name: str) -> tuple[str, ...]:
    """Words and numbers of a column's name, without case.

    Examples
    --------
    >>> name_parts("Input.model_a"), name_parts("homeScore"), name_parts("team1")
    (('model', 'a'), ('home', 'score'), ('team', '1'))
    """
    parted = _CAMEL.sub("_", _PART_OF_RECORD.sub("", name))
    return tuple(_WORD.findall(parted.casefold()))


_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def find_short_sides(columns: Sequence[str]) -> tuple[str, str, bool] | None:
    """As `find_sides`, by names that are those of sides only where the cells are of one set.

    Examples
    --------
    >>> find_short_sides(["A", "B", "winner"]), find_short_sides(["a", "b", "task"])
    (('A', 'B', False), None)
    >>> find_short_sides(["Date", "HomeTeam", "AwayTeam", "FTHG", "FTAG"])
    ('HomeTeam', 'AwayTeam', True)
    """
    folded = _by_fold(columns)
    if find_sides(columns) is not None:
        return None
    won = bool(OUTCOMES["winner"] & set(folded))
    pairs = (*MATCH_PAIRS, *((*pair, False) for pair in SHORT_PAIRS if won))
    found = (pair for pair in pairs if {*pair[:2]} <= set(folded))
    return next(((folded[one], folded[two], ordered) for one, two, ordered in found), None)


def find_vote_columns(
    columns: Sequence[str], named: Mapping[str, str], source: str = "the table"
) -> VoteColumns:
    """Roles of the columns of a table of votes.

    Parameters
    ----------
    columns : sequence of str
        Header.
    named : mapping from str to str
        Columns that the caller named, by role; an empty name switches a role off.
    source : str
        Name of the table in messages.

    Raises
    ------
    DataError
        If a named column does not exist, no column names the models or the outcome, or several
        could play one role.

    Examples
    --------
    >>> find_vote_columns(["model_a", "model_b", "winner", "judge"], {}).describe()
    "model_a = 'model_a', model_b = 'model_b', winner = 'winner', judge = 'judge'"
    """
    check_header(columns, source)
    roles = {
        role: existing_column(name, role, columns, source) for role, name in named.items() if name
    }
    # The position may be told by a column of models itself: the one shown first.
    taken = {name for role, name in roles.items() if role != "position"}
    free = [name for name in columns if name not in taken]
    off = {role for role, name in named.items() if not name}
    ordered = False
    if "model_a" in roles and "model_b" in roles:
        ordered = _order_of_named(roles, source)
    elif not {"ranking", "options"} & set(roles):
        ordered = _find_models(roles, free, columns, source)
    layout = _find_outcome(roles, free, off, source)
    for role, names in OTHERS.items():
        if role not in roles and role not in off:
            found = _pick(role, names, free, source)
            if found is not None:
                roles[role] = found
    used = set(roles.values())
    category = next((name for name in columns if name not in used and _is(name, CATEGORIES)), None)
    order = {role: roles[role] for role in VOTE_ROLES if role in roles}
    unused = tuple(name for name in columns if name not in used)
    return VoteColumns(layout, order, ordered, category if "category" not in off else None, unused)


def _order_of_named(roles: Mapping[str, str], source: str) -> bool:
    """Whether the first of two named columns of models is known to hold the one shown first."""
    one, two = roles["model_a"], roles["model_b"]
    found = find_sides([one, two]) or find_short_sides([one, two])
    if found is not None and found[2] and found[0] == two:
        right = {"model_a": two, "model_b": one}
        raise DataError(
            f"{source}: {two!r} is the first side by its name, and {one!r} was named as that of "
            f"model_a. Name them the other way round: {paste_columns(right)} (in Python: "
            f"columns={right!r})."
        )
    return found is not None and found[2]


def _find_models(
    roles: dict[str, str], free: list[str], columns: Sequence[str], source: str
) -> bool:
    """Adds the two models (or a ranking) to `roles`; whether the first was shown first."""
    sides = find_sides(free)
    if sides is not None and not {"model_a", "model_b"} & set(roles):
        roles["model_a"], roles["model_b"] = sides[:2]
        free[:] = [name for name in free if name not in sides[:2]]
        return sides[2]
    short = find_short_sides(columns)
    named = {"model", "model_a", "model_b"} & set(roles)
    if short is not None and {*short[:2]} <= set(free) and not named:
        roles["model_a"], roles["model_b"] = short[:2]
        free[:] = [name for name in free if name not in short[:2]]
        return short[2]
    folded = _by_fold(free)
    for role, names in (("ranking", RANKINGS), ("options", OPTIONS)):
        found = [folded[name] for name in names if name in folded]
        if found and "model_a" not in roles:
            roles[role] = found[0]
            free.remove(found[0])
            return False
    won = next((pair for pair in WON_AND_LOST if {*pair} <= set(folded)), None)
    if {"winner", "loser"} <= set(roles):
        return False
    if won is not None:
        roles["winner"], roles["loser"] = (folded[name] for name in won)
        free[:] = [name for name in free if name not in roles.values()]
        return False
    shown = ", ".join(map(repr, columns[:12]))
    raise DataError(
        f"{source}: no two columns name the models that a vote compares. Columns: {shown}. Name "
        "them: --column model_a=NAME --column model_b=NAME (in Python: columns={'model_a': …}); or "
        "the one that won and the one that lost: --column winner=NAME --column loser=NAME."
    )


def _find_outcome(roles: dict[str, str], free: list[str], off: set[str], source: str) -> str:
    """Adds the outcome to `roles`; how it is written."""
    for role in ("loser", "ranking"):
        if role in roles:
            return role
    if {*SCORES} & roles.keys():
        if not {*SCORES} <= roles.keys():
            raise DataError(f"{source}: of score_a and score_b one is named; name both.")
        return "scores"
    if _find_counts(roles, free, off, source):
        return "counts"
    named = [role for role in OUTCOMES if role in roles]
    if len(named) > 1:
        raise DataError(
            f"{source}: {' and '.join(named)} are both named as the outcome of a vote; name one."
        )
    if not named:
        named = _pick_outcome(roles, free, off, source)
    return "options" if "options" in roles else named[0]


def _find_counts(roles: dict[str, str], free: list[str], off: set[str], source: str) -> bool:
    """Adds the columns of counts to `roles`, if there are any."""
    found = {
        role: name
        for role, names in COUNTS.items()
        if role not in roles
        and role not in off
        and (name := _pick(role, names, free, source)) is not None
    }
    if not {"wins_a", "wins_b"} <= {*roles, *found}:
        return False  # a column such as "tie" may be a flag then
    roles.update(found)
    free[:] = [name for name in free if name not in found.values()]
    return True


def _pick_outcome(roles: dict[str, str], free: list[str], off: set[str], source: str) -> list[str]:
    for role, names in OUTCOMES.items():
        found = None if role in off else _pick(role, names, free, source)
        if found is not None:
            roles[role] = found
            free.remove(found)
            return [role]
    raise NoOutcomeError(
        f"{source}: no column says who won the votes. Columns left: "
        f"{', '.join(map(repr, free[:12])) or 'none'}. Name it: --column winner=NAME, or "
        "score=NAME for 1, 0.5 and 0."
    )


def _pick(role: str, names: frozenset[str], free: Sequence[str], source: str) -> str | None:
    """The one column that can play `role`: its own name first, then the usual ones."""
    own = [name for name in free if fold_name(name) == fold_name(role)]
    found = own or [name for name in free if _is(name, names)]
    if len(found) > 1:
        raise DataError(
            f"{source}: {len(found)} columns could be the {role}: {list_names(found, 20)}. Name "
            f"the one to use: {paste_columns({role: found[0]})} (in Python: columns={{{role!r}: "
            f"{found[0]!r}}})."
        )
    return found[0] if found else None


def _is(name: str, names: frozenset[str]) -> bool:
    return _fold(name) in names


def _by_fold(columns: Sequence[str]) -> dict[str, str]:
    return {_fold(name): name for name in reversed(columns)}


def _fold(name: str) -> str:
    return fold_name(_PART_OF_RECORD.sub("", name))

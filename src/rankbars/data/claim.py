"""Claims about models, as a person writes them: what they say, and how their lines are read."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NoReturn

from rankbars.errors import OptionError, UnknownOptionError

__all__ = ["Claim", "known_names", "parse_claim"]

Kind = Literal["better", "within", "score", "top"]

_FORMS = (
    "Claims look like: new > old; new >= old - 0.01; new = old +- 0.02; new > each of a, b on "
    "math; new > old on at least 5 of 7 tasks; new in top 3; new first; new >= 0.8. In words: new "
    "better than old; new not worse than old by 0.01 on each task; new within 0.02 of old; new at "
    "least 0.8; new cheaper than old."
)
_TOKEN = re.compile(
    r"""\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<sign>>=|<=|[<>≥≤,±−]|\+/?-|[-+](?=[\d.]))"""
    r"""|(?P<word>[^\s,<>≥≤±−]+))"""
)
_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_JOINED = re.compile(r"(?P<name>.+)([-+])(\d*\.?\d+(?:%|pp)?)")
_SIGNS = {"≥": ">=", "≤": "<=", "±": "+-", "+/-": "+-", "−": "-"}


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim about a model, read from a line of text.

    Parameters
    ----------
    text : str
        The line.
    kind : {"better", "within", "score", "top"}
        Better than others (or not worse by more than a margin), no farther from another than a
        margin, a score of its own, or a place.
    model : str
        Whom it is about.
    others : tuple of str
        Whom it is compared with: each of them.
    margin : float
        How much worse the model may be, 0 or more; below 0, by how much better it must be at
        least. For ``"within"`` the distance.
    in_points : bool
        Whether margin or value are hundredths of the scale instead of units of the score.
    strict : bool
        Whether equality is not enough.
    value : float
        The score, for ``"score"``.
    at_most : bool
        Whether the score must not be above the value, instead of not below.
    k : int
        The place, for ``"top"``.
    task : str, optional
        The task that it is about; None for the average (or the only task).
    least, of : int, optional
        On how many tasks it must hold, and of how many; 0 of 0 for each task.
    of_cost : bool
        Whether it is about what models cost, not about their scores.
    sign : str
        The sign between two models, where it could be read of their scores as well as of which is
        better: ``<`` and ``<=``, and any sign that has a margin behind it. Else empty.
    """

    text: str
    kind: Kind
    model: str
    others: tuple[str, ...] = ()
    margin: float = 0.0
    in_points: bool = False
    strict: bool = True
    value: float = 0.0
    at_most: bool = False
    k: int = 0
    task: str | None = None
    least: int | None = None
    of: int | None = None
    of_cost: bool = False
    sign: str = ""

    @property
    def has_unit(self) -> bool:
        """Whether it speaks of units of the score."""
        return self.kind == "score" or self.margin != 0.0

    @property
    def line(self) -> str:
        """The claim as a line in words, where it is one about another model being worse.

        Examples
        --------
        >>> parse_claim("new >= old - 1 point on each task").line
        'new not worse than old by 1 point on each task'
        """
        others = ", ".join(map(_quoted, self.others))
        than = f"{'each of ' if len(self.others) > 1 else ''}{others}"
        better = self.margin < 0 or (self.margin == 0 and self.strict)
        size = f" by {abs(self.margin):.12g}{' point' * self.in_points}" if self.margin else ""
        where = f" on {_quoted(self.task)}" if self.task is not None else ""
        if self.least is not None:
            where = f" on at least {self.least} of {self.of} tasks" if self.of else " on each task"
        relation = "better" if better else "not worse"
        return f"{_quoted(self.model)} {relation} than {than}{size}{where}"

    def words(self, place: str = "", scale: float = 1.0) -> str:
        """The claim as it was understood, margins in units of the score.

        Parameters
        ----------
        place : str
            Where it holds, such as ``"on the average of 3 tasks"``.
        scale : float
            Largest score of a scale that begins at 0, for claims in points.

        Examples
        --------
        >>> parse_claim("new >= old - 1 point").words("on math", 1.0)
        'new is not worse than old by more than 0.01 on math'
        """
        unit = scale / 100 if self.in_points else 1.0
        margin, value = f"{abs(self.margin) * unit:.6g}", f"{self.value * unit:.6g}"
        names = [_told(name) for name in self.others]
        other = names[0] if len(names) == 1 else f"each of {', '.join(names)}"
        if self.kind == "top":
            said = "is first" if self.k == 1 else f"is among the first {self.k}"
        elif self.kind == "score":
            side = "at most" if self.at_most else "at least"
            said = f"has a score of {side} {value}"
        elif self.kind == "within":
            said = f"differs from {other} by less than {margin}"
        elif self.margin > 0:
            said = f"is not worse than {other} by more than {margin}"
        elif self.of_cost:
            said = f"is cheaper than {other}" + (f" by more than {margin}" if self.margin else "")
        elif self.margin < 0:
            said = f"is better than {other} by more than {margin}"
        else:
            said = f"is better than {other}" if self.strict else f"is not worse than {other}"
        return " ".join(part for part in (_told(self.model), said, place) if part)


def _told(name: str) -> str:
    """A name in a sentence, in quotes where it would be mistaken for something else."""
    return repr(name) if "," in name or name.lower() in _RESERVED else name


def _quoted(name: str) -> str:
    """A name as it stands in a line."""
    found = [one["word"] for one in _TOKEN.finditer(name)]
    plain = found == [name] and name.lower() not in _RESERVED and not name.startswith(("'", '"'))
    return name if plain else f"'{name}'" if "'" not in name else f'"{name}"'


def parse_claim(text: str) -> Claim:
    """What a line claims.

    Parameters
    ----------
    text : str
        Such as ``new > old``, ``new >= old - 0.01 on math`` or ``new not worse than old by 0.01``.
        Names that hold a space, a comma, a sign of comparison, or are a word of the language such
        as ``on``, stand in quotes.

    Raises
    ------
    OptionError
        If it is not a claim; says at which word, and what claims look like.

    Examples
    --------
    >>> claim = parse_claim("new > each of a, b on at least 5 of 7 tasks")
    >>> claim.kind, claim.model, claim.others, claim.least, claim.of
    ('better', 'new', ('a', 'b'), 5, 7)
    >>> parse_claim("'my model' not worse than old by 1 point").margin
    1.0
    """
    if not isinstance(text, str):
        raise OptionError.out_of_range("a claim", text, "a line of text such as 'new > old'")
    return _Line(text).read()


class _Line:
    """The words of a claim, taken one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[tuple[str, bool]] = []  # the word, and whether it was quoted
        position, text = 0, text.rstrip()
        while position < len(text):
            found = _TOKEN.match(text, position)
            if found is None:  # not reached: every character begins a word or a sign
                break
            position = found.end()
            quoted = found["double"] if found["double"] is not None else found["single"]
            plain = found["sign"] or found["word"]
            self.words.append((_SIGNS.get(plain, plain), False) if plain else (quoted, True))
        self.place = 0

    def read(self) -> Claim:
        model = self.name("the name of a model")
        if self.place == len(self.words):
            raise OptionError(
                f"Claim {self.text!r} is only a name. If > stood behind it without quotes, the "
                'shell made a file of what followed: write --claim "new > old", or '
                '--claim "new better than old".'
            )
        claim = self.relation(Claim(self.text, "better", model))
        claim = self.where(claim)
        if self.place < len(self.words):
            self.wrong(f"{self.words[self.place][0]!r} was not expected.{self.quoting()}")
        if claim.model in claim.others or len(set(claim.others)) < len(claim.others):
            self.wrong("a model is compared with itself, or named twice.")
        return claim

    def wrong(self, problem: str) -> NoReturn:
        raise OptionError(f"Claim {self.text!r}: {problem} {_FORMS}")

    def quoting(self) -> str:
        """What to do where a name of several words was cut at its first space."""
        if self.place == 0 or self.words[self.place - 1][1]:
            return ""
        rest = itertools.takewhile(
            lambda one: not one[1] and one[0].lower() not in _RELATIONS, self.words[self.place :]
        )
        name = " ".join(word for word, _ in (self.words[self.place - 1], *rest))
        return f" A name that holds spaces stands in quotes of its own: {_quoted(name)}."

    def next_is(self, *words: str) -> bool:
        """Take these words if they come next; names in quotes are no words."""
        ahead = self.words[self.place : self.place + len(words)]
        if [(word.lower(), quoted) for word, quoted in ahead] != [(word, False) for word in words]:
            return False
        self.place += len(words)
        return True

    def name(self, what: str) -> str:
        if self.place == len(self.words):
            self.wrong(f"{what} is lacking at the end.")
        word, quoted = self.words[self.place]
        if not quoted and (word in _RESERVED or not word):
            self.wrong(f"{what} was expected, not {word!r}; a model of that name stands in quotes.")
        self.place += 1
        return word

    def number(self) -> float | None:
        """The number that comes next, if one does; of a percent sign the number before it."""
        if self.place == len(self.words) or self.words[self.place][1]:
            return None
        word = self.words[self.place][0].removesuffix("%").removesuffix("pp")
        if _NUMBER.fullmatch(word) is None:
            return None
        self.place += 1
        return float(word)

    def amount(self) -> tuple[float, bool]:
        """A number, and whether it counts hundredths of the scale."""
        found = self.number()
        if found is None:
            self.wrong("a number is lacking, such as 0.01 or 1 point.")
        percent = self.words[self.place - 1][0].endswith(("%", "pp"))
        units = (
            ("points",), ("point",), ("percent",), ("%",), ("pp",),
            ("percentage", "points"), ("percentage", "point"),
        )  # fmt: skip
        return found, percent or any(self.next_is(*unit) for unit in units)

    def whole(self) -> int:
        found = self.number()
        if found is None or found != int(found) or found < 1:
            self.wrong("a whole number of at least 1 was expected.")
        return int(found)

    def relation(self, claim: Claim) -> Claim:
        for sign in (">=", ">", "<=", "<"):
            if self.next_is(sign):
                return self.signed(claim, sign)
        if self.next_is("="):
            other = self.name("the name of the other model")
            if not self.next_is("+-"):
                self.wrong("behind = comes a margin: new = old +- 0.02.")
            return self.within(claim, other, self.amount())
        self.next_is("is")
        return self.compared(claim) or self.placed(claim)

    def compared(self, claim: Claim) -> Claim | None:
        """The forms in words about two models."""
        if self.next_is("better", "than"):
            claim = replace(claim, others=self.others())
            return self.by(claim, -1.0)
        if self.next_is("cheaper", "than"):
            claim = replace(claim, others=self.others(), of_cost=True)
            return self.by(claim, -1.0)
        if self.next_is("not", "worse", "than"):
            claim = replace(claim, others=self.others(), strict=False)
            return self.by(claim, 1.0)
        if self.next_is("worse", "than"):
            other = self.name("the name of the other model")
            return self.by(replace(claim, model=other, others=(claim.model,)), -1.0)
        if self.next_is("within"):
            size = self.amount()
            if not self.next_is("of"):
                self.wrong("behind the margin comes of: new within 0.02 of old.")
            return self.within(claim, self.name("the name of the other model"), size)
        return None

    def placed(self, claim: Claim) -> Claim:
        """The forms in words about a model by itself."""
        if self.next_is("at", "least") or self.next_is("at", "most"):
            at_most = self.words[self.place - 1][0].lower() == "most"
            value, points = self.amount()
            return replace(
                claim, kind="score", value=value, in_points=points, at_most=at_most, strict=False
            )
        if self.next_is("in", "the", "top") or self.next_is("in", "top"):
            return replace(claim, kind="top", k=self.whole())
        if not self.next_is("first"):
            self.wrong(f"{self.words[self.place][0]!r} is no relation.{self.quoting()}")
        return replace(claim, kind="top", k=1)

    def signed(self, claim: Claim, sign: str) -> Claim:
        strict, more = "=" not in sign, sign[0] == ">"
        if self.number() is not None:
            self.place -= 1
            value, points = self.amount()
            return replace(
                claim, kind="score", value=value, in_points=points, at_most=not more, strict=strict
            )
        others = self.others()
        if not more:
            if len(others) > 1:
                self.wrong("< takes one other model; write which one is better than the others.")
            claim, others = replace(claim, model=others[0]), (claim.model,)
        claim = replace(claim, others=others, strict=strict, sign="" if more else sign)
        for mark, way in (("-", 1.0), ("+", -1.0)):
            if self.next_is(mark):
                size, points = self.amount()
                # What is added to the right of < is added to the better side.
                size *= way if more else -way
                return replace(claim, margin=size + 0.0, in_points=points, sign=sign)
        return claim

    def within(self, claim: Claim, other: str, size: tuple[float, bool]) -> Claim:
        if size[0] == 0:
            self.wrong("no evidence shows that two models are exactly equal; allow a margin.")
        return replace(
            claim, kind="within", others=(other,), margin=size[0], in_points=size[1], strict=False
        )

    def by(self, claim: Claim, way: float) -> Claim:
        if not self.next_is("by"):
            return claim
        self.next_is("more", "than")
        size, points = self.amount()
        return replace(claim, margin=way * size + 0.0, in_points=points)

    def others(self) -> tuple[str, ...]:
        several = self.next_is("each", "of")
        names = [self.name("the name of the other model")]
        while self.next_is(","):
            names.append(self.name("a name behind the comma"))
        if len(names) > 1 and not several:
            self.wrong("several models are named as: each of a, b, c.")
        return tuple(names)

    def where(self, claim: Claim) -> Claim:
        if not self.next_is("on"):
            return claim
        if self.next_is("each", "task") or self.next_is("every", "task"):
            return replace(claim, least=0, of=0)
        if self.next_is("at", "least"):
            least = self.whole()
            of = self.whole() if self.next_is("of") else 0
            if not of or not (self.next_is("tasks") or self.next_is("task")):
                self.wrong("say of how many: on at least 5 of 7 tasks.")
            if least > of:
                self.wrong(f"{least} of {of} tasks cannot be.")
            return replace(claim, least=least, of=of)
        return replace(claim, task=self.name("the name of a task"))


_RELATIONS = frozenset(
    (">", "<", ">=", "<=", "=", "+-", "-", "+", ",", "is", "better", "worse", "not", "within",
     "cheaper", "at", "in", "first", "on", "by")
)  # fmt: skip
_RESERVED = frozenset(
    (">", "<", ">=", "<=", "=", "+-", "-", "+", ",", "on", "each", "better", "worse", "not",
     "within", "than", "by", "first", "is")
)  # fmt: skip


def known_names(claims: Sequence[Claim], models: Sequence[str], tasks: Sequence[str]) -> None:
    """Raises where claims name what is not there, or count tasks that are not.

    Raises
    ------
    UnknownOptionError
        If a model or a task is not known; names the nearest.
    OptionError
        If the number of tasks, or the place, does not fit.
    """
    for claim in claims:
        for name in (claim.model, *claim.others):
            if name not in models:
                what = f"model in the claim {claim.text!r}:"
                error = UnknownOptionError.among(what, name, models)
                joined = _JOINED.fullmatch(name)
                if joined is not None and joined["name"] in models:
                    apart = " ".join(joined.groups())
                    error = UnknownOptionError(f"{error} Blanks make it a margin: {apart}.")
                raise error
        if claim.task is not None and claim.task not in tasks:
            raise UnknownOptionError.among(f"task in the claim {claim.text!r}:", claim.task, tasks)
        if claim.of and claim.of != len(tasks):
            raise OptionError(
                f"Claim {claim.text!r} speaks of {claim.of} tasks; there are {len(tasks)}. Write "
                f"of {len(tasks)} tasks, or choose the tasks (--tasks)."
            )
        if claim.kind == "top" and claim.k >= len(models):
            raise OptionError(
                f"Claim {claim.text!r}: of {len(models)} models each is among the first "
                f"{claim.k}. Claim a place below {len(models)}."
            )

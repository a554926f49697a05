"""What evaluations of search, speech and translation leave behind."""

from __future__ import annotations

import json
import random

from everyday.case import Case, lines


def opinions(header: str = "listener,system,utterance,score") -> str:
    """Twenty listeners, lenient and strict, who each heard five of twelve utterances per system."""
    source = random.Random(5)
    rows = []
    for listener in range(20):
        lenient = source.gauss(0, 0.6)
        for system, level in (("vits", 3.9), ("tacotron", 3.5)):
            for utterance in source.sample(range(12), 5):
                score = min(5, max(1, round(level + lenient + source.gauss(0, 0.7))))
                cells = {"listener": f"L{listener}", "system": system,
                         "utterance": f"u{utterance:02}", "clip": f"u{utterance:02}",
                         "score": str(score)}  # fmt: skip
                rows.append(",".join(cells[name] for name in header.split(",")))
    return lines(header, *rows)


def recognised(system: str, rate: float, *, words: bool = True) -> str:
    """Utterances with their errors: short ones have none, or half of their words."""
    source = random.Random(system)
    rows = []
    for number in range(40):
        length = (2, 20)[number % 2]
        wrong = sum(source.random() < rate for _ in range(length))
        counts = f"{wrong},0,0,{length - wrong}"
        rows.append(f"u{number:02},{wrong / length:.4f},{counts}" + f",{length}" * words)
    header = "utt_id,wer,substitutions,deletions,insertions,hits"
    return lines(header + ",ref_words" * words, *rows)


def assessed() -> str:
    """Direct assessment as Appraise exports it, with degraded copies among the translations."""
    source = random.Random(11)
    rows = []
    for user in range(6):
        for segment in range(20):
            for system, level in (("sysA", 70), ("sysB", 74)):
                score = round(level + source.gauss(0, 8))
                rows.append(f"u{user},{system},{segment},TGT,{score},d{segment // 5},False")
                if not (segment + user) % 7:
                    rows.append(
                        f"u{user},{system},{segment},BAD,{score // 2},d{segment // 5},False"
                    )
    return lines("UserID,SystemID,SegmentID,Type,Score,DocumentID,IsDocumentLevel", *rows)


def bleu(score: float) -> str:
    """Scores of one system by two metrics, as a list of objects with a name each."""
    return json.dumps([{"name": "BLEU", "score": score, "case": "mixed"},
                       {"name": "chrF", "score": score + 20, "case": "mixed"}])  # fmt: skip


SPACED = lines(
    "system utt_id mqm_score",
    *(f"{name} {n} {-0.5 * (n % 4) - shift}" for name, shift in (("a", 0.0), ("b", 0.5))
      for n in range(1, 31)),
)  # fmt: skip

PEOPLE = "For statements about further people: --column model=system --column item=listener"

CASES = (
    Case(
        "opinions/utterances",
        "rank mos.csv",
        {"mos.csv": opinions()},
        ("'listener' is not used and tells these rows apart", PEOPLE),
        code=1,
    ),
    Case(
        "opinions/items of no known name",
        "rank mos.csv",
        {"mos.csv": opinions("listener,system,clip,score")},
        ("rows of one 'listener' go together, so they are not independent", PEOPLE,
         "To take rows as unrelated: --column item="),
        code=1,
    ),
    Case(
        "opinions/about further people",
        "rank mos.csv --column model=system --column item=listener --column epoch=clip",
        {"mos.csv": opinions("listener,system,clip,score")},
        ("5 answers to each",),
        models=("tacotron", "vits"),
        items=20,
    ),
    Case(
        "error rates/counts are no models",
        "rank one.csv two.csv",
        {f"{name}.csv": recognised(name, 0.1, words=False) for name in ("one", "two")},
        ("'wer' is a metric by its name", "--metric wer"),
        code=1,
    ),
    Case(
        "error rates/of a corpus",
        "rank one.csv two.csv --metric wer --direction lower",
        {f"{name}.csv": recognised(name, 0.1) for name in ("one", "two")},
        ("may have another order: --column weight=ref_words",),
        models=("one", "two"),
        items=40,
    ),
    Case(
        "assessment/checks among translations",
        "rank da.csv",
        {"da.csv": assessed()},
        ("'Type' is one of 'TGT', 'BAD'", "--where \"Type = 'TGT'\" --column epoch=UserID"),
        code=1,
    ),
    Case(
        "names of metrics/no models",
        "rank a.json b.json --metric BLEU",
        {"a.json": bleu(40.0), "b.json": bleu(42.0)},
        ("metric = 'name'", "Others: 'chrF'"),
        models=("a", "b"),
    ),
    Case(
        "blanks/between cells",
        "rank mqm.tsv",
        {"mqm.tsv": SPACED},
        ("item = 'utt_id'",),
        models=("a", "b"),
        items=30,
        means={"a": -0.75, "b": -1.25},
    ),
    Case(
        "no header/search",
        "rank run.csv",
        {"run.csv": lines("301,AP,0.25", *(f"{topic},AP,0.{topic}" for topic in range(302, 330)))},
        ("seems to be a row, and no header: 'AP' stands in the same column again",),
        code=1,
    ),
)  # fmt: skip

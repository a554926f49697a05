"""Write the table of tests and corrections into docs/methods.md, from `steps/validity.py`.

Usage: python scripts/make_validity.py
"""

from __future__ import annotations

from pathlib import Path

from rankbars.steps.validity import DESIGNS, VALIDITY, Cell

DOCUMENT = Path(__file__).parent.parent / "docs" / "methods.md"
BEGIN = "<!-- made by scripts/make_validity.py from steps/validity.py -->\n"
END = "<!-- end -->\n"
COLUMNS = ("holm", "simes", "maxt", "maxt_bootstrap", "e_average")


def main() -> None:
    """Write the table."""
    text = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(with_table(text), encoding="utf-8", newline="\n")


def with_table(text: str) -> str:
    """The document with the table made anew."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + table() + END + after


def table() -> str:
    """The table as Markdown, and the reasons under it."""
    reasons: list[str] = []
    heads = ["`holm`, `bonferroni`", *(f"`{name}`" for name in COLUMNS[1:])]
    lines = [f"| test | rows | {' | '.join(heads)} |", "|---" * (2 + len(COLUMNS)) + "|"]
    for (test, design), row in VALIDITY.items():
        name = "contrasts" if test == "contrasts" else f"`{test}`"
        cells = [_shown(row[column], reasons) for column in COLUMNS]
        lines.append(f"| {name} | {DESIGNS[design]} | {' | '.join(cells)} |")
    listed = [f"{number}. {reason}" for number, reason in enumerate(reasons, start=1)]
    return "\n".join(["", *lines, "", *listed, ""]) + "\n"


def _shown(cell: Cell, reasons: list[str]) -> str:
    if cell.verdict == "refused":
        text, word = f"{cell.why}; use `{cell.instead}`.", "no"
    elif cell.becomes:
        text, word = (
            f"{cell.why}, so {cell.becomes.capitalize()} decides and a note says so.",
            "as Holm",
        )
    else:
        text, word = f"if {cell.why}." if cell.verdict == "valid" else f"{cell.why}.", cell.verdict
    if not cell.why:
        return word
    if text not in reasons:
        reasons.append(text)
    return f"{word} ({reasons.index(text) + 1})"


if __name__ == "__main__":
    main()

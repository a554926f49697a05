"""All golden cases."""

from __future__ import annotations

from golden.boards import BOARDS
from golden.case import Case
from golden.doors import DOORS
from golden.messages import MESSAGES

FITTED_DOORS = ("votes",)
READING_DOORS = ("chosen_tasks", "diagnosed", "queried", "wrong_board")

CALLS: tuple[Case, ...] = tuple(
    Case(
        f"calls/{name}",
        (name,),
        ("golden:families.csv",) if name in READING_DOORS else (),
        fitted=name in FITTED_DOORS,
    )
    for name in DOORS
)

CASES: tuple[Case, ...] = (*BOARDS, *CALLS, *MESSAGES)

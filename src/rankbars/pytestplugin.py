"""The plugin for pytest: one fixture, which judges claims about results in a test."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from rankbars.data.judged import Check
    from rankbars.intake import Results

__all__ = ["rankbars_check"]


@pytest.fixture
def rankbars_check() -> Callable[..., Check]:
    """Judge claims about results; the test fails where one fails, with the words of all.

    Takes what `rankbars.check` takes, and ``fail_on``: ``"undecided"`` (a must that cannot be told
    fails, too) or ``"refuted"``. Returns the `rankbars.Check`.
    """

    def judge(
        scores: Results,
        claims: str | Sequence[str] | os.PathLike[str],
        *,
        fail_on: str = "undecided",
        **options: Any,
    ) -> Check:
        from rankbars.checking import check
        from rankbars.render.verdicts import check_text

        made = check(scores, claims, **options)
        if made.failing(fail_on):
            pytest.fail(check_text(made, fail_on=fail_on), pytrace=False)
        return made

    return judge

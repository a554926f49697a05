"""Explanations: what is tried, and what would take too long."""

import numpy as np
import pandas as pd
import pytest

import rankbars as rb
from rankbars.steps.corrections import CORRECTIONS
from rankbars.steps.pairtests import TESTS, VOTE_TESTS
from rankbars.steps.validity import VALIDITY


def board_scores(models: int, rows: int) -> rb.Scores:
    rng = np.random.default_rng(0)
    values = rng.random((rows, models)) + np.linspace(0, 0.3, models)
    return rb.Scores.from_arrays({"t": values}, [f"m{i:03d}" for i in range(models)])


def left_out(found) -> set[str]:
    return {name for name, reason in found.skipped if "longer than an explanation may" in reason}


def test_every_method_is_tried_on_a_small_table():
    assert left_out(rb.explain(board_scores(5, 40))) == set()


def test_methods_that_would_take_far_longer_than_the_board_are_left_out_and_named():
    scores = board_scores(120, 1500)
    found = rb.explain(scores)
    assert {"maxt", "maxt_bootstrap"} <= left_out(found)
    tried = {(one.test, one.correction) for one in found.outcomes}
    assert {("t", "holm"), ("t", "bonferroni"), ("welch", "holm")} <= tried
    reasons = dict(found.skipped)
    assert reasons["maxt_bootstrap"].endswith("--correction maxt_bootstrap.")


def test_the_method_in_use_is_never_left_out():
    scores = board_scores(60, 400)
    found = rb.explain(scores, rb.Spec(correction="maxt", resamples=2000))
    assert [(one.test, one.correction) for one in found.outcomes if one.used] == [("t", "maxt")]


def test_names_that_are_not_known_are_refused():
    for options in ({"test": "tt"}, {"correction": "hulm"}):
        with pytest.raises(rb.UnknownOptionError, match="Unknown"):
            rb.explain(board_scores(4, 30), rb.Spec(**options))


def test_a_correction_that_was_added_explains_itself(monkeypatch):
    def halved(family, scope, alpha):
        """Holm at half of the level."""
        return CORRECTIONS["holm"](family, scope, alpha / 2)

    monkeypatch.setitem(CORRECTIONS, "halved", halved)
    for row in VALIDITY.values():
        monkeypatch.setitem(row, "halved", row["holm"])
    found = rb.explain(board_scores(4, 30), rb.Spec(correction="halved"))
    assert found.correction == "halved: Holm at half of the level."
    assert [one.correction for one in found.outcomes if one.used] == ["halved"]


def named_votes(voters: int) -> rb.Scores:
    rng = np.random.default_rng(2)
    first = rng.integers(0, 4, 600)
    second = (first + rng.integers(1, 4, 600)) % 4
    names = np.array(list("abcd"))
    return rb.Scores.from_frame(pd.DataFrame({
        "model_a": names[first], "model_b": names[second],
        "winner": rng.choice(["model_a", "model_b", "tie"], 600, p=[0.5, 0.3, 0.2]),
        "voter": rng.integers(0, voters, 600).astype(str),
    }))  # fmt: skip


def test_votes_are_fitted_once_for_all_corrections(monkeypatch):
    runs, plain = [], TESTS["z"]
    monkeypatch.setitem(TESTS, "z", lambda *given: runs.append(given) or plain(*given))
    scores = named_votes(30)
    found = rb.explain(scores)
    assert len(runs) == 1
    assert {one.test for one in found.outcomes} == {"z", *VOTE_TESTS}
    for one in found.outcomes:
        board = rb.leaderboard(scores, test=one.test, correction=one.correction)
        (task,) = board.tasks.values()
        assert one.width == (task.worst - task.best).mean()


def test_what_takes_long_with_many_named_votes_is_left_out(monkeypatch):
    monkeypatch.setattr("rankbars.methods._named_votes", lambda scores: 20.0)
    found = rb.explain(named_votes(30))
    assert left_out(found) == set(VOTE_TESTS)
    assert {one.correction for one in found.outcomes} >= {"auto", "holm", "simes"}

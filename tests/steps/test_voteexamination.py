"""Health of votes: every finding appears where it should, with the right number."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from calibration import Calibration
from votefiles import CROWD, JUDGES, draw_rows

import rankbars as rb
from rankbars.data.diagnosis import VoteHealth
from rankbars.render.examination import render_vote_health


def examine(scores: rb.Scores, **options: Any) -> VoteHealth:
    (health,) = rb.examine_votes(scores, simulations=19, **options).values()
    return health


def arena(wins: Any, **tables: Any) -> rb.Scores:
    table = np.asarray(wins, dtype=float)
    return rb.Scores({"arena": rb.Votes(tuple("abcdefghij"[: len(table)]), table, **tables)})


def from_rows(rows: list[dict[str, Any]], **options: Any) -> rb.Scores:
    return rb.Scores.from_frame(pd.DataFrame(rows), **options)


def test_healthy_votes_raise_no_concern() -> None:
    health = examine(from_rows(draw_rows(3000, (1.0, 0.5, 0.0, -0.5), bad=0.0)))
    # Who is first may always hang on few votes; everything else is in order.
    assert [one.code for one in health.findings if one.concern and one.code != "lead"] == []
    assert health.models == ("m0", "m1", "m2", "m3")
    assert health["coverage"].value == pytest.approx(6, rel=0.05)
    assert health["ties"].value == pytest.approx(0.2, abs=0.03)


def test_circles_beyond_the_model_are_seen() -> None:
    health = examine(arena([[0, 80, 20], [20, 0, 80], [80, 20, 0]]))
    assert health["circles"].value == 1
    assert health["misfit"].concern
    assert health["misfit"].value > 3


def test_disconnected_votes_are_described_and_the_rest_examined() -> None:
    health = examine(arena([[0, 9, 5], [8, 0, 5], [0, 0, 0]]))
    assert health["connectivity"].concern
    assert "1 never won or tied" in health["connectivity"].sentence.replace("models ", "")
    assert health.models == ("a", "b")


def test_lopsided_coverage_is_seen() -> None:
    wins = np.full((3, 3), 2.0) * (1 - np.eye(3))
    wins[0, 1] = wins[1, 0] = 500
    health = examine(arena(wins))
    assert health["coverage"].concern
    assert "c (8)" in health["coverage"].sentence


def test_position_bias_is_measured_and_can_be_adjusted_for() -> None:
    rng = np.random.default_rng(0)
    rows = [
        {"left": a, "right": b, "winner": "left" if rng.random() < 0.7 else "right"}
        for a, b in (rng.permutation(["x", "y", "z"])[:2] for _ in range(600))
    ]
    health = examine(from_rows(rows))
    assert health["position"].value == pytest.approx(0.7, abs=0.05)
    assert health["position"].concern
    adjusted = examine(from_rows(rows, controls="position"))
    assert not adjusted["position"].concern
    assert adjusted["control-position"].value == pytest.approx(np.log(7 / 3), abs=0.3)


def test_habits_of_few_voters_are_no_sign_of_position_bias() -> None:
    """Seven of ten voters always choose what stands on the left."""
    rows = [
        {"left": row["model_a"], "right": row["model_b"], "judge": f"j{i % 10}",
         "winner": "left" if i % 10 < 7 else "right"}
        for i, row in enumerate(draw_rows(600, (0.2, 0.0, -0.2)))
    ]  # fmt: skip
    wide = examine(from_rows(rows))["position"]
    sure = examine(from_rows(rows), votes=rb.VoteOptions(cluster="none"))["position"]
    assert wide.value == sure.value == pytest.approx(0.7)
    assert sure.concern
    assert not wide.concern
    assert "p = 0.22" in wide.sentence


def test_votes_that_depend_on_their_voters_are_seen() -> None:
    rng = np.random.default_rng(1)
    rows = []
    for voter in range(60):
        own = rng.normal(size=3) * 1.5
        rows += [row | {"voter": f"v{voter}"} for row in draw_rows(20, own, seed=voter, bad=0.0)]
    scores = from_rows(rows)
    loose = examine(scores, votes=rb.VoteOptions(covariance="sandwich"))
    assert loose["clusters-judge"].value > 2
    assert loose["clusters-judge"].concern
    assert not examine(scores)["clusters-judge"].concern


def test_a_voter_who_decides_the_board_is_named() -> None:
    rows = [row | {"judge": f"j{i % 9}"} for i, row in enumerate(draw_rows(300, (0.3, 0.0)))]
    rows += [{"model_a": "m1", "model_b": "m0", "winner": "model_a", "judge": "fan"}] * 150
    finding = examine(from_rows(rows))["influence"]
    assert finding.concern
    assert "fan" in finding.sentence
    assert "m0 would lead instead of m1" in finding.sentence


def test_the_lead_is_as_fragile_as_it_is() -> None:
    finding = examine(arena([[0, 52], [50, 0]]))["lead"]
    assert finding.value == 3  # 49 wins are fewer than 50
    assert "Leaving out about 3 of 102 votes" in finding.sentence


def test_votes_needed_between_neighbours() -> None:
    health = examine(arena([[0, 300, 400], [300, 0, 310], [200, 290, 0]]), power=0.9)
    assert [pair.ahead for pair in health.neighbours] == ["a", "b"]
    for pair in health.neighbours:
        z = 1.959964 + 1.281552
        needed = max(0.0, (z / pair.difference) ** 2 - pair.se**-2) * 4
        assert pair.votes == np.ceil(needed) or pair.votes == pytest.approx(needed, rel=1e-4)
        assert pair.growth == pytest.approx(max(1, (pair.se * z / pair.difference) ** 2), rel=1e-5)


@pytest.mark.slow
def test_the_votes_that_are_needed_give_the_power(calibration: Calibration) -> None:
    """The board voted on again from its own fit, with so many further votes on the pair."""
    rng = np.random.default_rng(3)
    models = tuple("abcd")
    first = rng.integers(0, 4, 1200)
    second = (first + rng.integers(1, 4, 1200)) % 4
    ties = 0.3

    def draw(strength: np.ndarray, on: np.ndarray, against: np.ndarray) -> rb.Scores:
        share = 1 / (1 + np.exp(strength[against] - strength[on]))
        tied = rng.random(on.size) < ties
        # A tie counts one half, so decided votes are further from one half than all are.
        won = ~tied & (rng.random(on.size) < (share - ties / 2) / (1 - ties))
        wins, even = np.zeros((2, 4, 4))
        np.add.at(wins, (on[won], against[won]), 1)
        np.add.at(wins, (against[~won & ~tied], on[~won & ~tied]), 1)
        np.add.at(even, (on[tied], against[tied]), 1)
        return rb.Scores({"arena": rb.Votes(models, wins, even + even.T)})

    scores = draw(np.array([0.6, 0.4, 0.0, -0.5]), first, second)
    strength = rb.compare(scores)["arena"].mean
    pair = max(examine(scores).neighbours, key=lambda pair: 0 < pair.votes < 3000)
    ahead, behind = models.index(pair.ahead), models.index(pair.behind)
    more = (np.full(int(pair.votes), model) for model in (ahead, behind))
    on, against = (np.concatenate(both) for both in zip((first, second), more, strict=True))
    shown, runs = 0, calibration.runs(100, 200)
    for _ in range(runs):
        found = rb.compare(draw(strength, on, against))["arena"]
        shown += bool(found.diff[ahead, behind] > 1.959964 * found.se[ahead, behind])
    calibration.within(shown, runs, 0.8)


def test_votes_that_depend_on_their_voters_are_needed_in_larger_number() -> None:
    rows = draw_rows(1200, (0.6, 0.3, 0.0))
    voters = [row | {"judge": f"j{i // 30}"} for i, row in enumerate(rows)]
    # Two in three voters always prefer m0 to m1, the others m1 to m0.
    for i, row in enumerate(voters):
        if {row["model_a"], row["model_b"]} == {"m0", "m1"}:
            first = (row["model_a"] == "m0") == (i // 30 % 3 > 0)
            row["winner"] = "model_a" if first else "model_b"
    scores = from_rows(voters)
    plain = examine(scores, votes=rb.VoteOptions(cluster="none")).neighbours
    wide = examine(scores).neighbours
    assert [pair.ahead for pair in plain] == [pair.ahead for pair in wide]
    effect = examine(scores)["clusters-judge"].value
    assert effect > 1.5
    close = [(one, other) for one, other in zip(plain, wide, strict=True) if one.votes > 0]
    assert close
    for one, other in close:
        assert other.votes > effect * one.votes


def test_what_few_voters_cannot_tell_is_not_called_clear() -> None:
    rows = draw_rows(400, (3.0, 0.0), ties=0.0, bad=0.0)
    scores = from_rows([row | {"judge": f"j{i % 4}"} for i, row in enumerate(rows)])
    health = examine(scores, votes=rb.VoteOptions(cluster="judge"))
    assert np.isnan(health.neighbours[0].votes)
    text = render_vote_health(health)
    assert "unknown" in text
    assert "so clearly" not in text


def test_conversations_within_prompts_are_allowed_for() -> None:
    rows = [
        row | {"question_id": f"q{i % 20}", "conversation_id": f"c{i % 20}-{i % 3}"}
        for i, row in enumerate(draw_rows(600, (0.5, 0.0, -0.5)))
    ]
    health = examine(from_rows(rows))
    assert "The intervals allow for them" in health["clusters-prompt"].sentence
    assert "They lie within prompts" in health["clusters-cluster"].sentence
    apart = examine(from_rows(rows), votes=rb.VoteOptions(cluster="cluster"))
    assert "Not allowed for" in apart["clusters-prompt"].sentence


def test_judges_side_by_side() -> None:
    health = examine(rb.read(JUDGES, columns={"position": "model_a"}, controls="position"))
    assert [judge.name for judge in health.judges] == ["gpt-3.5", "gpt-4"]
    assert health["agreement"].value == pytest.approx(0.2, abs=0.15)
    assert "kappa" in health["agreement"].sentence
    old, new = health.judges
    assert old.first_low > 0.5
    assert old.effects[0] > 3 * old.effect_se[0]
    assert abs(new.effects[0]) < 2 * new.effect_se[0]
    assert health["clusters-judge"].concern
    text = render_vote_health(health)
    assert "position sways it" in text
    assert max(map(len, text.splitlines())) <= 80


def test_agreement_of_many_judges() -> None:
    health = examine(rb.read(CROWD))
    assert "Krippendorff's alpha" in health["agreement"].sentence
    assert -0.2 < health["agreement"].value < 0.8
    assert "clusters-prompt" in {one.code for one in health.findings}
    text = render_vote_health(health)
    assert "too few votes to put all models on one scale" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_same_seed_gives_the_same_findings() -> None:
    scores = arena([[0, 8, 2], [2, 0, 8], [8, 2, 0]])
    assert examine(scores, seed=3).findings == examine(scores, seed=3).findings


def test_there_must_be_votes() -> None:
    with pytest.raises(rb.DataError, match="pairwise votes"):
        rb.examine_votes(rb.Scores.from_arrays({"x": [[1.0, 0.0]]}, ["a", "b"]))
    with pytest.raises(rb.OptionError, match="power"):
        rb.examine_votes(arena([[0, 1], [1, 0]]), power=1.5)

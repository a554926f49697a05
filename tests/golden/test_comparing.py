"""The rules by which a new answer is held against a golden."""

from __future__ import annotations

import pytest
from golden.comparing import FITTED, Comparison, Rewording


def differences(old: object, new: object, **options: object) -> list[str]:
    return list(Comparison(**options).differences(old, new))


def test_keys_that_were_added_are_ignored_and_keys_that_went_are_told() -> None:
    assert differences({"a": 1}, {"a": 1, "b": 2}) == []
    assert differences({"x": {"a": 1, "b": 2}}, {"x": {"a": 1}}) == ["x.b: is gone; was 2"]


def test_reals_are_held_against_the_largest_of_their_array() -> None:
    assert differences({"x": [1e3, 1e-9]}, {"x": [1e3, 1.5e-9]}) == []
    (found,) = differences({"x": [1.0, 0.5]}, {"x": [1.0, 0.5 + 1e-11]})
    assert found.startswith("x[1]: was 0.5, is 0.5000")
    assert differences({"x": [1.0, 0.5]}, {"x": [1.0, 0.5 + 1e-11]}, tolerance=FITTED) == []


def test_a_matrix_is_one_array() -> None:
    assert differences([[1e3, 0.0], [0.0, 1e-10]], [[1e3, 0.0], [0.0, 2e-10]]) == []
    assert differences([[1.0, None]], [[1.0, 0.0]]) == ["[0][1]: was None, is 0.0"]
    (found,) = differences([[1.0, 2.0]], [[1.0], [2.0]])
    assert "another shape" in found


def test_reals_beside_each_other_share_a_magnitude() -> None:
    old = {"difference": 1e-17, "low": -0.5, "high": 0.5}
    assert differences(old, {**old, "difference": 0.0}) == []
    assert differences({"difference": 1e-3}, {"difference": 1.1e-3}) != []


@pytest.mark.parametrize(("old", "new"), [(3, 4), (True, False), (3, None), ("a", "b"), (1, True)])
def test_counts_ranks_and_words_are_equal(old: object, new: object) -> None:
    assert differences({"x": old}, {"x": new}) != []
    assert differences({"x": [old, old]}, {"x": [old, new]}) != []


def test_small_probabilities_are_compared_on_the_log_scale() -> None:
    assert differences({"p": [0.5, 1e-300]}, {"p": [0.5, 1.00000001e-300]}) == []
    assert differences({"p": [0.5, 1e-300]}, {"p": [0.5, 2e-300]}) != []
    assert differences({"p_better": 1e-30}, {"p_better": 0.0}) != []
    assert differences({"se": [0.5, 1e-300]}, {"se": [0.5, 2e-300]}) == []


def test_lines_are_equal_but_for_the_last_digits_of_numbers_printed_in_full() -> None:
    assert differences(["a,0.12345678901234"], ["a,0.12345678901235"]) == []
    (found,) = differences(["one", "0.12 b"], ["one", "0.13 b"])
    assert found == ", line 2: was '0.12 b', is '0.13 b'"
    assert differences(["a"], ["a", "b"]) == [": had 1 lines, has 2"]


def test_a_reworded_message_stands_in_the_list_once_wherever_its_lines_break() -> None:
    listed = (Rewording("Use {a} instead of {b}.", "Take {a}, never {b}."),)
    old, new = (
        ["Error: Use the t-test", "instead of z. Stop."],
        ["Error: Take the t-test, never z. Stop."],
    )
    assert differences(old, new) != []
    assert differences(old, new, rewordings=listed) == []
    assert differences(["Use x instead of y."], ["Use x."], rewordings=listed) != []


def test_the_version_that_wrote_a_board_is_no_result() -> None:
    old = {"json": {"provenance": {"rankbars": "0.1.0"}}}
    assert differences(old, {"json": {"provenance": {"rankbars": "0.2.0"}}}) == []
    assert differences(["with rankbars 0.1.0."], ["with rankbars 0.2.0."]) == []
    assert differences(["with other 0.1.0."], ["with other 0.2.0."]) != []

"""What the Ladder tells, and what it keeps to itself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.statistics.rounding import ladder

scores = st.floats(0, 1)
steps = st.sampled_from([0.01, 0.02, 0.05, 0.1])


@pytest.mark.parametrize(
    ("value", "best", "step", "told"),
    [
        (0.337, None, 0.01, 0.34),
        (0.337, None, 0.05, 0.35),
        (0.349, 0.34, 0.01, None),
        (0.36, 0.34, 0.01, 0.36),
        (0.2, 0.34, 0.01, None),
        (-2.4, -3.0, 0.1, -2.4),  # lower is better: negatives
    ],
)
def test_a_value_is_told_only_where_it_clearly_rises(
    value: float, best: float | None, step: float, told: float | None
) -> None:
    assert ladder(value, best, step) == told


@given(st.lists(scores, max_size=60), steps)
def test_what_is_told_only_rises_and_is_whole_steps(values: list[float], step: float) -> None:
    best, told = None, []
    for value in values:
        answer = ladder(value, best, step)
        if answer is not None:
            assert abs(answer - value) <= step / 2 + 1e-9
            assert best is None or answer > best
            told.append(answer)
            best = answer
    assert len(told) <= 1 / step + 1  # so few answers, however many are asked for
    assert all(abs(answer / step - round(answer / step)) < 1e-6 for answer in told)


def test_nothing_is_told_to_more_than_two_decimals() -> None:
    with pytest.raises(ValueError, match="at least"):
        ladder(0.5, None, 0.001)

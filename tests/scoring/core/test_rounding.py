"""One rule for every number that a reader sees."""

import math
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.core.statistics.rounding import (
    addition_text,
    decimal_text,
    difference_text,
    rounded,
    rounded_array,
)


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.83875, 4, "0.8388"),
        (0.8387499999999999, 4, "0.8388"),  # the same number, summed in another order
        (0.8387500000000001, 4, "0.8388"),
        (0.83874999, 4, "0.8387"),
        (0.125, 2, "0.13"),  # exact in binary: format() writes 0.12
        (0.375, 2, "0.38"),
        (-0.125, 2, "-0.13"),
        (2.675, 2, "2.68"),  # below it in binary: format() writes 2.67
        (0.1 + 0.2, 1, "0.3"),
        (0.99995, 4, "1.0000"),
        (0.0, 4, "0.0000"),
        (-0.0, 4, "0.0000"),
        (-1e-17, 4, "0.0000"),
        (-0.00001, 4, "0.0000"),
        (12.5, 0, "13"),
        (2.0**80, 2, "1208925819614629174706176.00"),
        (math.nan, 4, "nan"),
        (-math.inf, 4, "-inf"),
    ],
)
def test_a_value_is_rounded_half_up_as_by_hand(value: float, places: int, text: str) -> None:
    assert decimal_text(value, places) == text


@given(st.integers(0, 10**9), st.integers(0, 6))
def test_it_is_what_decimal_arithmetic_gives(millionths: int, places: int) -> None:
    exact = Decimal(millionths) / 10**6
    expected = exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    assert decimal_text(millionths / 10**6, places) == str(expected)


@given(st.lists(st.integers(-(10**8), 10**8)), st.integers(0, 4))
def test_an_array_is_rounded_as_its_values_are(millionths: list[int], places: int) -> None:
    values = np.array(millionths, float) / 10**6
    assert rounded_array(values, places).tolist() == [rounded(v, places) for v in values.tolist()]


def test_an_array_keeps_what_is_no_number() -> None:
    found = rounded_array(np.array([math.nan, math.inf, -math.inf]), 4)
    assert np.isnan(found[0])
    assert found[1:].tolist() == [math.inf, -math.inf]


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (0.0621, 2, "+0.06"),
        (0.004, 2, "<0.01"),
        (0.005, 2, "+0.01"),
        (0.0004, 3, "<0.001"),
        (1e-9, 3, "<0.001"),
        (1e-15, 3, "+0.000"),  # nothing but rounding
        (0.0, 3, "+0.000"),
    ],
)
def test_what_could_be_added_is_never_written_as_nothing(
    value: float, places: int, text: str
) -> None:
    assert addition_text(value, places) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (1e-15, "0"),
        (0.0004, "<+0.001"),
        (-0.0004, ">-0.001"),
        (0.0005, "+0.001"),
        (-0.0625, "-0.063"),
    ],
)
def test_a_difference_has_its_sign_or_says_between_what_it_lies(value: float, text: str) -> None:
    assert difference_text(value, 3) == text

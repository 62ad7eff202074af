"""Every score is bit for bit that of `float()`, however it is written."""

from __future__ import annotations

import random
import struct
from decimal import Decimal, localcontext
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns.trec.fields import DECIMAL
from campaigns.trec.problems import FormatError
from campaigns.trec.runs import read_run

pytestmark = pytest.mark.usefixtures("either_way")

GRAMMAR = st.from_regex(
    r"\A[+-]?(?:[0-9]{1,12}(?:\.[0-9]{0,24})?|\.[0-9]{1,24})(?:[eE][+-]?[0-9]{1,3})?\Z"
)


def read_scores(texts: list[str]) -> list[float]:
    lines = [f"1 Q0 D{k} 1 {text} r\n" for k, text in enumerate(texts)]
    return read_run("".join(lines).encode()).retrieval_scores.tolist()


def bits(values: list[float]) -> list[bytes]:
    return [struct.pack("<d", value) for value in values]


def assert_exact(texts: list[str]) -> None:
    assert bits(read_scores(texts)) == bits([float(text) for text in texts])


@settings(deadline=None)
@given(st.lists(GRAMMAR.filter(lambda text: abs(float(text)) < float("inf")), min_size=1))
def test_any_decimal(texts: list[str]) -> None:
    assert_exact(texts)


def test_random_digits_with_a_point_anywhere() -> None:
    draw = random.Random(1)
    texts = []
    for _ in range(20_000):
        digits = "".join(draw.choices("0123456789", k=draw.randint(1, 26)))
        point = draw.randint(0, len(digits))
        texts.append(draw.choice(["", "-", "+"]) + digits[:point] + "." + digits[point:])
    assert_exact(texts)


def test_what_programs_print() -> None:
    draw = random.Random(2)
    texts = []
    for _ in range(5_000):
        value = draw.choice([draw.random(), draw.gauss(0, 20), draw.expovariate(1e6)])
        single = float(np.float32(value))
        texts += [repr(value), f"{value:.6f}", f"{value:.15f}", f"{value:.18f}", f"{single:.17g}"]
    assert_exact(texts)


def test_decimals_beside_the_middle_of_two_doubles() -> None:
    """Nineteen digits of a midpoint, and their neighbours: where double rounding would show."""
    draw = random.Random(3)
    texts = []
    with localcontext() as context:
        context.prec = 60
        for _ in range(4_000):
            low = draw.random() * 10 ** draw.randint(-4, 7)
            middle = (Decimal(low) + Decimal(float(np.nextafter(low, np.inf)))) / 2
            places = 18 - max(0, middle.adjusted())
            unit = Decimal(1).scaleb(-places)
            near = middle.quantize(unit)
            texts += [f"{near + k * unit:f}" for k in (-1, 0, 1)]
    assert_exact(texts)


def test_halfway_between_two_doubles() -> None:
    assert_exact(["9007199254740993", "90071992.54740993", "4503599627370496.5"])


def test_only_decimal_numbers_are_read() -> None:
    """Of all texts of up to four characters that may occur in a number, one a line."""
    texts = ["".join(t) for n in range(1, 5) for t in product("+-.e0", repeat=n)]
    expected = [text for text in texts if DECIMAL.fullmatch(text.encode())]
    assert_exact(expected)
    for text in set(texts).difference(expected):
        with pytest.raises(FormatError, match="score is not a decimal number"):
            read_scores([text, "1"])


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "-0",
        "-0.0",
        "00000000.5",
        "000000000.5",
        "12345678.12345678901",
        "123456789.1234567890",
        "0.0000000000000000000001",
        "0.0184467440737095516150",
        "0.1844674407370955161599",
        "18446744073709551615",
        "18446744073709551616",
        "1.7976931348623157e308",
        "2.2250738585072011e-308",
        "4.9e-324",
        "9007199254740992.5",
        "." + "1" * 400,
        "1" * 300,
    ],
)
def test_edges(text: str) -> None:
    assert_exact([text, "-" + text.lstrip("-")])
    assert_exact([text] + ["1.5"] * 50)


def test_points_in_other_fields_do_not_matter() -> None:
    data = b"1.1 Q.0 D.1.2 1 25 r.1\n1.1 Q.0 D3 1 2.5 r.1\n2 Q0 ... 1 .125 r.1\n"
    assert read_run(data).retrieval_scores.tolist() == [25.0, 2.5, 0.125]

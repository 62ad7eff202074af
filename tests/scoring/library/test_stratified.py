"""`ts.stratified_inferred_ap`: from files, and what is refused."""

import numpy as np
import pytest

import trackside as ts

POOL = """\
1 0 a top 2
1 0 b rest 0
1 0 c rest -1
1 0 d rest 1

2 0 a top 0
"""
RUN = {"1": {"a": 3.0, "c": 2.0, "x": 1.5, "d": 1.0}}


def test_a_file_of_five_columns_by_hand(tmp_path):
    """R = 1 + 3/2. At rank 4 two documents of the pool are above: 1/4 + (2/4)(1/2 + 1/4) = 5/8. So
    topic 1 has (1 + 3/2 · 5/8) / (5/2) = .775, up to ε; topic 2 has nothing relevant."""
    path = tmp_path / "prels"
    path.write_text(POOL)
    found = ts.stratified_inferred_ap(path, {"x": RUN, "y": {"2": {"a": 1.0}}})
    assert [(row.run, row.topic) for row in found] == [
        ("x", "1"), ("x", "2"), ("y", "1"), ("y", "2"),
    ]  # fmt: skip
    assert found["value"] == pytest.approx([0.775, 0, 0, 0], abs=1e-5)
    strict = ts.stratified_inferred_ap(path, RUN, rel=2)
    assert strict["value"] == pytest.approx([1, 0], abs=1e-5)


def test_with_one_stratum_it_is_what_evaluate_prints_as_inf_ap():
    random = np.random.default_rng(1)
    grades = {f"d{n}": int(random.integers(-1, 2)) for n in range(40)}
    run = {"1": {f"d{n}": float(random.random()) for n in random.permutation(60)[:30].tolist()}}
    (found,) = ts.stratified_inferred_ap({"1": {d: ("s", g) for d, g in grades.items()}}, run)
    (expected,) = ts.evaluate({"1": grades}, run, "infAP")
    assert found.value == pytest.approx(expected.value, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 0 a top 1\n1 0 b 1\n", "line 2: FIELDS 4 fields, expected topic 0 document stratum"),
        ("1 0 a top x\n", "line 1: GRADE the grade is not a whole number (field 5: 'x')"),
        ("1 0 a top 1\n1 0 a top 1\n", "line 2: DUP"),
        ("1 0 a\u2028 top 1\n1 0 b\fc top 1\n1 0 d\u00a0 top x\n", "line 2: FIELDS 6 fields"),
        ("1 0 a\u2028 top 1\n1 0 b\u00a0 top 1\n1 0 d top x\n", "line 3: GRADE"),
        ("\n", "EMPTY"),
    ],
)
def test_a_faulty_line_is_refused_with_its_number(tmp_path, text, message):
    path = tmp_path / "prels"
    path.write_text(text)
    with pytest.raises(ts.BadInput) as refused:
        ts.stratified_inferred_ap(path, RUN)
    assert message in str(refused.value)
    assert str(path) in str(refused.value)


def test_a_file_that_is_not_there_and_a_grade_that_is_none_are_refused(tmp_path):
    with pytest.raises(ts.BadInput, match="No such file"):
        ts.stratified_inferred_ap(tmp_path / "nothing", RUN)
    with pytest.raises(ts.BadInput, match="runs: give at least one"):
        ts.stratified_inferred_ap({"1": {"a": ("s", 1)}}, [])
    with pytest.raises(ts.BadInput, match="rel: 0"):
        ts.stratified_inferred_ap({"1": {"a": ("s", 1)}}, RUN, rel=0)

"""`properties`: Table 2 of the seven properties paper, and its counter-examples."""

import csv
import io

from scoring.core.measures.names import parse_measure
from scoring.core.properties.table import FURTHER, PAPER

TABLE_2 = """\
DCG@k No Yes Yes Yes Yes Yes No
SP@k No Yes Yes Yes Yes Yes No
Rprec@k Yes No No No No No Yes
SNDCG@k Yes No No Yes Yes No Yes
SNAP@k Yes No No Yes Yes No Yes
P@k Yes No Yes No Yes Yes No
nDCG@k Yes No Yes Yes No No Yes
SDCG@k Yes No Yes Yes Yes Yes No
HIT@k Yes Yes No No Yes Yes Yes
RR@k Yes Yes No No Yes Yes Yes
R@k Yes Yes Yes No No No No
AP@k Yes Yes Yes Yes No No No
RBP(p=0.8)@k Yes Yes Yes Yes Yes Yes No
"""


def rows(found):
    assert found.status == 0, found.err
    return list(csv.reader(io.StringIO(found.out)))


def test_the_papers_rows_come_first(trackside):
    header, *table = rows(trackside("properties"))
    assert header == [
        *("measure", "bounded", "monotonic", "convergent", "top-weighted", "localized"),
        *("complete", "realizable"),
    ]
    expected = [line.split() for line in TABLE_2.lower().splitlines()]
    assert [[cell.lower() for cell in row] for row in table[:13]] == expected
    assert len(table) == len(PAPER) + len(FURTHER)


def test_measures_by_name(trackside):
    _, first, second = rows(trackside("properties", "P@10", "map"))
    assert first == ["P@10", "yes", "no", "yes", "no", "yes", "yes", "no"]
    assert second[0] == "AP"


def test_counter_examples(trackside):
    header, row = rows(trackside("properties", "P@k", "--examples"))
    shown = dict(zip(header, row, strict=True))
    assert shown["monotonic_example"] == "10@1 = 1, 10@2 = 0.5"
    assert shown["top-weighted_example"] == "010@2 = 0.5, 100@2 = 0.5"
    assert shown["convergent_example"] == shown["bounded_example"] == ""


def test_all_names_that_are_not_understood(trackside):
    found = trackside("properties", "P@k", "nope@k", "AP@x")
    assert (found.status, found.out) == (2, "")
    assert [line.split(":")[0] for line in found.err.splitlines()] == ["nope@k", "AP@x"]


def test_the_default_rows_are_measures():
    for name in (*PAPER, *FURTHER):
        parse_measure(name.replace("@k", "@10"))

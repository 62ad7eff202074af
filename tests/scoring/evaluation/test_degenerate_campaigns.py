"""Every page of a campaign that has next to nothing: one run, one topic, no grade worth a mean."""

import pytest

from scoring.core.measures.names import parse_measure
from tests.scoring.measures.test_every_measure_on_every_page import (
    BOARD,
    PAGES,
    TESTED,
    WHOLE,
    make_world,
)

pytestmark = pytest.mark.django_db

ONE_RUN = {"only": [("1", "abcd")]}
TWO_RUNS = {"first": [("1", "abcd")], "second": [("1", "dcba")]}
WORLDS = {
    "one run and one topic": (ONE_RUN, "1 0 a 1\n1 0 b 0\n", ("1",)),
    "two runs and one topic": (TWO_RUNS, "1 0 a 1\n1 0 b 0\n", ("1",)),
    "a topic that no run has": (TWO_RUNS, "2 0 a 1\n", ("1", "2")),
    "no judgments": (TWO_RUNS, "", ("1",)),
    "nothing relevant": (TWO_RUNS, "1 0 a 0\n", ("1",)),
    "nothing judged": (TWO_RUNS, "1 0 a -1\n", ("1",)),
}
MEASURES = [parse_measure(name) for name in ("AP", "RBP(p=0.8)", "nDCG@10")]


FAST = ("one run and one topic", "no judgments")


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[] if n in FAST else pytest.mark.long) for n in WORLDS]
)
def test_every_page_is_answered(name: str) -> None:
    runs, qrels, topics = WORLDS[name]
    names = [str(measure) for measure in MEASURES]
    world = make_world(runs, qrels, topics, persistences=[0.8], measures=names)
    pages = [(page, MEASURES[0]) for page in (BOARD, *PAGES, *TESTED, *WHOLE)]
    faults = world.faults(pages)
    if not qrels:  # no version to show or compare, no order of runs, nothing to package
        named = ("qrels=1", "/qrels/1-2", "/agreement/runs", "/agreement/swaps", "/package.zip")
        faults = [
            fault
            for fault in faults
            if not (fault.endswith(": 404") and any(part in fault for part in named))
        ]
    assert faults == []
